/* SPDX-License-Identifier: MIT */
/* What writers write, on scenarios small enough to know the answer: the order
 * of operations, and as few of them as that order allows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "score/testing.h"

struct scored {
    struct tt_stand st;
    tt_score *score;
    struct tt_buf text;
    tt_err err;
};

static void begin(struct scored *s)
{
    *s = (struct scored){.score = NULL};
    tt_stand_init(&s->st);
    tt_buf_init(&s->text, 1 << 20);
    tt_stand_mock(&s->st, "{i}", &tt_mock_integrator);
    tt_stand_mock(&s->st, "{g}", &tt_mock_gain);
    tt_stand_mock(&s->st, "{p}", &tt_testing_pair);
    tt_stand_mock(&s->st, "{s}", &tt_testing_sum);
    tt_stand_mock(&s->st, "{b}", &tt_testing_blurred);
    tt_stand_mock(&s->st, "{t}", &tt_testing_twice_blurred);
    tt_stand_mock(&s->st, "{m}", &tt_testing_mixed);
}

static void end(struct scored *s)
{
    tt_score_free(s->score);
    tt_stand_fini(&s->st);
    tt_buf_fini(&s->text);
}

#define FMUS                                                                   \
    "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\", \"{p}\": \"p\", \"{s}\": "    \
    "\"s\", \"{b}\": \"b\", \"{t}\": \"t\", \"{m}\": \"m\"}, "
#define REST                                                                   \
    ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, \"endTime\": "  \
    "3}"
#define GS ", \"master\": \"gauss-seidel\""

static enum tt_code write(struct scored *s, const char *json)
{
    if (tt_stand_plan(&s->st, json) != TT_OK)
        fail_msg("%s", s->st.err.msg);
    return tt_score_new(&s->score, s->st.plan, &s->err);
}

static const char *section(struct scored *s, enum tt_section sec)
{
    tt_buf_clear(&s->text);
    tt_testing_section(s->score, sec, &s->text);
    return s->text.data;
}

static int noted(const struct scored *s, const char *topic, const char *text)
{
    for (uint32_t i = 0; i < s->score->n_note; i++)
        if (strcmp(s->score->note[i].topic, topic) == 0 &&
            strcmp(s->score->note[i].text, text) == 0)
            return 1;
    return 0;
}

static void expect(const char *json, enum tt_section sec, const char *want)
{
    struct scored s;

    begin(&s);
    if (write(&s, json) != TT_OK)
        fail_msg("%s", s.err.msg);
    assert_string_equal(section(&s, sec), want);
    end(&s);
}

static void refused(const char *json, const char *message)
{
    struct scored s;

    begin(&s);
    assert_int_equal(write(&s, json), TT_EINPUT);
    assert_string_equal(s.err.msg, message);
    assert_null(s.score);
    end(&s);
}

#define NO_RULE                                                                \
    "; advice: no rule prefers one (the highest mass first, but these "        \
    "declare none that differ): compare them with half the step"
#define OLD                                                                    \
    "before its inputs are of the same instant, so what goes round is a step " \
    "old, and grows if the loop amplifies; "
#define SOLVE_IT                                                               \
    "to solve it, repeat steps until the instances agree: --iterate "          \
    "converged "                                                               \
    "--acceleration newton"
/* --- few calls ----------------------------------------------------------- */

#define CONN(c) FMUS "\"connections\": {" c "}"

static void a_chain_is_read_and_set_once_each(void **state)
{
    (void)state;
    expect(CONN("\"{i}.i.y\": [\"{g}.a.u\"], \"{g}.a.y\": [\"{g}.b.u\"], "
                "\"{g}.b.y\": [\"{g}.c.u\"]") REST,
           TT_SEC_EXCHANGE,
           "get {i}.i: y; set {g}.a: u <- {i}.i.y; get {g}.a: y; set {g}.b: "
           "u <- {g}.a.y; get {g}.b: y; set {g}.c: u <- {g}.b.y; commit");
}

static void inputs_from_many_units_are_set_in_one_call(void **state)
{
    (void)state;
    expect(CONN("\"{i}.i.y\": [\"{s}.s.a\"], \"{i}.j.y\": [\"{s}.s.b\"]") REST,
           TT_SEC_EXCHANGE,
           "get {i}.i: y; get {i}.j: y; set {s}.s: a <- {i}.i.y, b <- "
           "{i}.j.y; commit");
}

/* The gain's detour would tempt to set s.a at once and s.b later. */
static void a_unit_waits_for_its_last_input(void **state)
{
    (void)state;
    expect(CONN("\"{i}.i.y\": [\"{s}.s.a\", \"{g}.g.u\"], \"{g}.g.y\": "
                "[\"{s}.s.b\"], \"{s}.s.w\": [\"{i}.i.u\"]") REST,
           TT_SEC_EXCHANGE,
           "get {i}.i: y; set {g}.g: u <- {i}.i.y; get {g}.g: y; set {s}.s: "
           "a <- {i}.i.y, b <- {g}.g.y; get {s}.s: w; set {i}.i: u <- "
           "{s}.s.w; commit");
}

/* Outputs that are all ready are read in one call, though z must wait when u
 * is connected. */
static void outputs_are_read_together_when_they_can(void **state)
{
    (void)state;
    expect(CONN("\"{p}.p.y\": [\"{g}.a.u\"], \"{p}.p.z\": [\"{g}.b.u\"]") REST,
           TT_SEC_EXCHANGE,
           "get {p}.p: y, z; set {g}.a: u <- {p}.p.y; set {g}.b: u <- "
           "{p}.p.z; commit");
    expect(CONN("\"{p}.p.y\": [\"{g}.a.u\"], \"{p}.p.z\": [\"{g}.b.u\"], "
                "\"{i}.i.y\": [\"{p}.p.u\"]") REST,
           TT_SEC_EXCHANGE,
           "get {i}.i: y; set {p}.p: u <- {i}.i.y; get {p}.p: y, z; set "
           "{g}.a: u <- {p}.p.y; set {g}.b: u <- {p}.p.z; commit");
}

static void each_type_needs_a_call_of_its_own(void **state)
{
    (void)state;
    expect(CONN("\"{m}.a.y\": [\"{m}.b.u\"], \"{m}.a.yi\": [\"{m}.b.ui\"], "
                "\"{m}.a.yb\": [\"{m}.b.ub\"], \"{m}.a.ye\": "
                "[\"{m}.b.ue\"], \"{m}.a.ys\": [\"{m}.b.us\"]") REST,
           TT_SEC_EXCHANGE,
           "get {m}.a: y; get {m}.a: yi; get {m}.a: yb; get {m}.a: ye; get "
           "{m}.a: ys; set {m}.b: u <- {m}.a.y; set {m}.b: ui <- {m}.a.yi; "
           "set {m}.b: ub <- {m}.a.yb; set {m}.b: ue <- {m}.a.ye; set {m}.b: "
           "us <- {m}.a.ys; commit");
}

static void a_unit_that_feeds_itself_is_read_then_set(void **state)
{
    (void)state;
    expect(CONN("\"{i}.i.y\": [\"{i}.i.u\"]") REST, TT_SEC_EXCHANGE,
           "get {i}.i: y; set {i}.i: u <- {i}.i.y; commit");
}

static void without_connections_outputs_are_only_read(void **state)
{
    const char json[] = FMUS "\"instances\": {\"{p}\": [\"p\"]}, "
                             "\"connections\": {}" REST;

    (void)state;
    expect(json, TT_SEC_INIT, "get {p}.p: y, z; commit");
    expect(json, TT_SEC_STEP, "step {p}.p to T1");
    expect(json, TT_SEC_EXCHANGE, "get {p}.p: y, z; commit");
}

/* --- masters ------------------------------------------------------------- */

#define CIRCLE CONN("\"{i}.a.y\": [\"{g}.b.u\"], \"{g}.b.y\": [\"{i}.a.u\"]")

static void jacobi_steps_and_exchanges(void **state)
{
    (void)state;
    expect(CIRCLE REST, TT_SEC_STEP, "step {i}.a to T1; step {g}.b to T1");
    expect(CIRCLE REST, TT_SEC_EXCHANGE,
           "get {i}.a: y; set {g}.b: u <- {i}.a.y; get {g}.b: y; set {i}.a: "
           "u <- {g}.b.y; commit");
}

static void gauss_seidel_hands_on_and_exchanges_the_rest(void **state)
{
    (void)state;
    expect(CIRCLE GS REST, TT_SEC_STEP,
           "step {i}.a to T1; get {i}.a: y; set {g}.b: u <- {i}.a.y; step "
           "{g}.b to T1");
    expect(CIRCLE GS REST, TT_SEC_EXCHANGE,
           "get {g}.b: y; set {i}.a: u <- {g}.b.y; commit");
}

/* b.y depends on b.u, which is of T0 when b steps first. */
static void what_is_read_too_early_is_read_again(void **state)
{
    const char json[] = CIRCLE GS ", \"order\": [\"b\", \"a\"]" REST;

    (void)state;
    expect(json, TT_SEC_STEP,
           "step {g}.b to T1; get {g}.b: y (predicted: inputs at the end of "
           "their courses); set {i}.a: u <- {g}.b.y; step {i}.a to T1");
    expect(json, TT_SEC_EXCHANGE,
           "get {i}.a: y; set {g}.b: u <- {i}.a.y; get {g}.b: y; set {i}.a: "
           "u <- {g}.b.y; commit");
}

static void courses_are_set_before_the_step_and_values_after(void **state)
{
    (void)state;
    expect(CIRCLE ", \"approximation\": \"linear\", \"substeps\": 0" REST,
           TT_SEC_STEP,
           "set {i}.a: u <- {g}.b.y (course through past values); step {i}.a "
           "to T1; step {g}.b to T1");
    expect(CONN("\"{g}.b.y\": [\"{i}.a.u\"]") GS
           ", \"approximation\": \"linear\", \"substeps\": 0" REST,
           TT_SEC_STEP,
           "step {g}.b to T1; get {g}.b: y; set {i}.a: u <- {g}.b.y (course "
           "to the new value); step {i}.a to T1");
    expect(CONN("\"{g}.b.y\": [\"{i}.a.u\"]") GS
           ", \"approximation\": \"linear\", \"substeps\": 0" REST,
           TT_SEC_EXCHANGE, "set {i}.a: u <- {g}.b.y; commit");
}

/* In the first turn the inputs carry the guesses already; what does not depend
 * on inputs is not read again after the last. */
static void two_turns_set_and_read_no_more_than_they_need(void **state)
{
    const char json[] = CONN("\"{i}.a.y\": [\"{i}.b.u\"], \"{i}.b.y\": "
                             "[\"{i}.a.u\"]") ", \"iterate\": 2" REST;

    (void)state;
    expect(json, TT_SEC_STEP,
           "save {i}.a in register 0; save {i}.b in register 0; loop 2 times; "
           "restore {i}.a in register 0; restore {i}.b in register 0; set "
           "{i}.a: u <- {i}.b.y (the guess), from the second turn on; set "
           "{i}.b: u <- {i}.a.y (the guess), from the second turn on; step "
           "{i}.a to T1; step {i}.b to T1; get {i}.a: y; get {i}.b: y; solve 2 "
           "guesses, by substitution; end");
    expect(json, TT_SEC_EXCHANGE,
           "set {i}.a: u <- {i}.b.y; set {i}.b: u <- {i}.a.y; commit");
}

/* --- standard exchange --------------------------------------------------- */

#define NEVER(unit) ", \"evaluates\": {\"" unit "\": \"never\"}"

static void a_standard_unit_is_read_before_it_is_set(void **state)
{
    (void)state;
    /* a.y is handed to c before the exchange, so p.u could be set at once:
     * but then p could not be read any more */
    expect(
        CONN("\"{i}.a.y\": [\"{p}.p.u\", \"{i}.c.u\"]") ", \"logVariables\": "
                                                        "{\"{p}.p\": [\"y\", "
                                                        "\"z\"]}, "
                                                        "\"reactivity\": "
                                                        "{\"{i}.c.u\": "
                                                        "\"reactive\"}" NEVER(
                                                            "p") REST,
        TT_SEC_STEP,
        "step {i}.a to T1; step {p}.p to T1; get {i}.a: y; set {i}.c: u <- "
        "{i}.a.y; step {i}.c to T1");
    expect(
        CONN("\"{i}.a.y\": [\"{p}.p.u\", \"{i}.c.u\"]") ", \"logVariables\": "
                                                        "{\"{p}.p\": [\"y\", "
                                                        "\"z\"]}, "
                                                        "\"reactivity\": "
                                                        "{\"{i}.c.u\": "
                                                        "\"reactive\"}" NEVER(
                                                            "p") REST,
        TT_SEC_EXCHANGE, "get {p}.p: y, z; set {p}.p: u <- {i}.a.y; commit");
}

static void standard_units_have_no_loops_to_cut(void **state)
{
    (void)state;
    expect(
        CONN(
            "\"{b}.a.y\": [\"{b}.b.u\"], \"{b}.b.y\": [\"{b}.a.u\"]") ", "
                                                                      "\"evalua"
                                                                      "tes\": "
                                                                      "{\"a\": "
                                                                      "\"never"
                                                                      "\", "
                                                                      "\"b\": "
                                                                      "\"never"
                                                                      "\""
                                                                      "}" REST,
        TT_SEC_EXCHANGE,
        "get {b}.a: y; get {b}.b: y; set {b}.a: u <- {b}.b.y; set {b}.b: u "
        "<- {b}.a.y; commit");
}

/* --- loops --------------------------------------------------------------- */

static void a_loop_of_unknown_dependencies_is_solved_and_cut(void **state)
{
    struct scored s;

    (void)state;
    begin(&s);
    assert_int_equal(write(&s, CONN("\"{b}.a.y\": [\"{b}.b.u\"], \"{b}.b.y\": "
                                    "[\"{b}.a.u\"]") REST),
                     TT_OK);
    assert_string_equal(
        section(&s, TT_SEC_INIT),
        "get {b}.a: y (a loop is cut here); loop at most 108 times, until "
        "solved; set {b}.b: u <- {b}.a.y (the guess); get {b}.b: y; set "
        "{b}.a: u <- {b}.b.y; get {b}.a: y; solve 1 guess, fixed point, then "
        "newton; end; commit");
    assert_string_equal(
        section(&s, TT_SEC_EXCHANGE),
        "get {b}.a: y (a loop is cut here); set {b}.b: u <- {b}.a.y; get "
        "{b}.b: y; set {b}.a: u <- {b}.b.y; commit");
    assert_true(
        noted(&s, "initialisation",
              "loop through {b}.a.y: solved for 1 unknown, fixed "
              "point, then newton (their instances declare no dependencies)"));
    assert_true(noted(&s, "loop",
                      "cut at {b}.a.y: it is read before the inputs it may "
                      "depend on are of the same instant"));
    end(&s);
}

/* Through a and b twice. */
static void a_loop_has_as_many_guesses_as_it_needs(void **state)
{
    struct scored s;

    (void)state;
    begin(&s);
    assert_int_equal(
        write(&s, CONN("\"{i}.i.y\": [\"{t}.a.u1\"], \"{t}.a.y1\": "
                       "[\"{t}.b.u1\"], \"{t}.b.y1\": [\"{t}.a.u2\"], "
                       "\"{t}.a.y2\": [\"{t}.b.u2\"]") REST),
        TT_OK);
    assert_string_equal(
        section(&s, TT_SEC_INIT),
        "get {i}.i: y; set {t}.a: u1 <- {i}.i.y; get {t}.a: y1, y2 (a loop is "
        "cut here); loop at most 112 times, until solved; set {t}.b: u1 <- "
        "{t}.a.y1 (the guess); set {t}.b: u2 <- {t}.a.y2 (the guess); get "
        "{t}.b: y1; set {t}.a: u2 <- {t}.b.y1; get {t}.a: y1, y2; solve 2 "
        "guesses, fixed point, then newton; end; commit");
    end(&s);
}

/* What hangs behind a loop is moved once, after it. */
static void what_follows_a_loop_is_moved_once(void **state)
{
    (void)state;
    expect(CONN("\"{b}.a.y\": [\"{b}.b.u\", \"{g}.g.u\"], \"{b}.b.y\": "
                "[\"{b}.a.u\"], \"{g}.g.y\": [\"{i}.i.u\"]") REST,
           TT_SEC_INIT,
           "get {b}.a: y (a loop is cut here); loop at most 108 times, until "
           "solved; set {b}.b: u <- {b}.a.y (the guess); get {b}.b: y; set "
           "{b}.a: u <- {b}.b.y; get {b}.a: y; solve 1 guess, fixed point, "
           "then newton; end; set {g}.g: u <- {b}.a.y; get {g}.g: y; set "
           "{i}.i: u <- {g}.g.y; commit");
}

static void declared_outputs_of_a_mixed_loop_are_not_cut(void **state)
{
    (void)state;
    expect(CONN("\"{g}.g.y\": [\"{b}.b.u\"], \"{b}.b.y\": [\"{g}.g.u\"]") REST,
           TT_SEC_EXCHANGE,
           "get {b}.b: y (a loop is cut here); set {g}.g: u <- {b}.b.y; get "
           "{g}.g: y; set {b}.b: u <- {g}.g.y; commit");
}

static void a_declared_loop_is_solved_and_noted(void **state)
{
    struct scored s;

    (void)state;
    begin(&s);
    assert_int_equal(write(&s, CONN("\"{g}.a.y\": [\"{g}.a.u\"]") REST), TT_OK);
    assert_string_equal(
        section(&s, TT_SEC_INIT),
        "get {g}.a: y (a loop is cut here); loop at most 108 times, until "
        "solved; set {g}.a: u <- {g}.a.y (the guess); get {g}.a: y; solve 1 "
        "guess, fixed point, then newton; end; commit");
    assert_true(noted(&s, "initialisation",
                      "loop through {g}.a.y: solved for 1 unknown, fixed "
                      "point, then newton"));
    end(&s);
}

/* However long a circle is, one guess opens it. */
static void a_long_circle_needs_one_guess(void **state)
{
    struct scored s;

    (void)state;
    begin(&s);
    assert_int_equal(
        write(&s,
              CONN("\"{g}.a.y\": [\"{g}.b.u\"], \"{g}.b.y\": [\"{g}.c.u\"], "
                   "\"{g}.c.y\": [\"{g}.d.u\"], \"{g}.d.y\": [\"{g}.e.u\"], "
                   "\"{g}.e.y\": [\"{g}.a.u\"], \"{i}.i.y\": "
                   "[\"{p}.p.u\"]") REST),
        TT_OK);
    assert_int_equal(s.score->n_solver, 2); /* at the start, and later */
    assert_int_equal(s.score->solver[0].n, 1);
    assert_int_equal(s.score->solver[1].n, 1);
    end(&s);
}

/* y follows u in initialisation only, z while running only. */
static void initialisation_has_dependencies_of_its_own(void **state)
{
    static const struct tt_mock_port port[] = {
        {.name = "u", .causality = TT_CAUS_INPUT},
        {.name = "y",
         .causality = TT_CAUS_OUTPUT,
         .deps = "",
         .init_deps = "u"},
        {.name = "z",
         .causality = TT_CAUS_OUTPUT,
         .deps = "u",
         .init_deps = ""},
    };
    const struct tt_mock_spec spec = {
        .port = port,
        .n_port = 3,
        .caps = {.evaluates = TT_EVAL_ALWAYS, .save = 1}};
    struct scored s;

    (void)state;
    begin(&s);
    tt_stand_mock(&s.st, "{x}", &spec);
    assert_int_equal(
        write(&s, "{\"fmus\": {\"{i}\": \"i\", \"{x}\": \"x\"}, "
                  "\"connections\": {\"{i}.i.y\": [\"{x}.x.u\"], "
                  "\"{x}.x.z\": [\"{i}.i.u\"]}, \"logVariables\": "
                  "{\"{x}.x\": [\"y\"]}, \"order\": [\"x\", \"i\"]" GS REST),
        TT_OK);
    assert_string_equal(
        section(&s, TT_SEC_INIT),
        "get {i}.i: y; set {x}.x: u <- {i}.i.y; get {x}.x: z, y; set {i}.i: "
        "u <- {x}.x.z; commit");
    assert_string_equal(
        section(&s, TT_SEC_STEP),
        "step {x}.x to T1; get {x}.x: z, y (predicted: inputs at the end of "
        "their courses); set {i}.i: u <- {x}.x.z; step {i}.i to T1");
    assert_string_equal(
        section(&s, TT_SEC_EXCHANGE),
        "get {i}.i: y; set {x}.x: u <- {i}.i.y; get {x}.x: z; set {i}.i: u <- "
        "{x}.x.z; commit");
    end(&s);
    begin(&s); /* a loop at initialisation only */
    tt_stand_mock(&s.st, "{x}", &spec);
    assert_int_equal(write(&s, "{\"fmus\": {\"{g}\": \"g\", \"{x}\": \"x\"}, "
                               "\"connections\": {\"{g}.g.y\": [\"{x}.x.u\"], "
                               "\"{x}.x.y\": [\"{g}.g.u\"]}" REST),
                     TT_OK);
    assert_int_equal(s.score->n_solver, 1);
    end(&s);
    begin(&s); /* and one while running only */
    tt_stand_mock(&s.st, "{x}", &spec);
    assert_int_equal(write(&s, "{\"fmus\": {\"{g}\": \"g\", \"{x}\": \"x\"}, "
                               "\"connections\": {\"{g}.g.y\": [\"{x}.x.u\"], "
                               "\"{x}.x.z\": [\"{g}.g.u\"]}" REST),
                     TT_OK);
    assert_int_equal(s.score->n_solver, 1);
    assert_string_equal(
        section(&s, TT_SEC_EXCHANGE),
        "loop at most 108 times, until solved; set {x}.x: u <- "
        "{g}.g.y (the guess); get {x}.x: z; set {g}.g: u <- {x}.x.z; get "
        "{g}.g: y; solve 1 guess, fixed point, then newton; end; commit");
    assert_true(noted(&s, "loop",
                      "through {g}.g.y: solved at every instant for 1 unknown, "
                      "fixed point, then newton"));
    assert_false(s.score->looped[tt_stand_slot(s.st.plan, "{g}.g.y")]);
    end(&s);
}

/* --- loops of feed-through ------------------------------------------------ */

static uint32_t warnings(const struct scored *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->score->n_note; i++)
        n += s->score->note[i].warns != 0;
    return n;
}

#define GAINS CONN("\"{g}.a.y\": [\"{g}.b.u\"], \"{g}.b.y\": [\"{g}.a.u\"]")
#define GAINS_CUT                                                              \
    "loop of feed-through {g}.a.y -> {g}.b.u -> {g}.b.y -> {g}.a.u -> "        \
    "{g}.a.y is cut, not solved: {g}.a.y is read "

static void expect_warning(const char *json, const char *text)
{
    struct scored s;

    begin(&s);
    if (write(&s, json) != TT_OK)
        fail_msg("%s", s.err.msg);
    assert_int_equal(warnings(&s), text != NULL);
    if (text && !noted(&s, "loop", text))
        fail_msg("not logged: %s", text);
    end(&s);
}

#define STANDARD ", \"evaluates\": {\"{g}.a\": \"never\"}"
#define MAESTRO  ", \"dialect\": \"maestro\""
#define IF_IT_DOES                                                             \
    "right after the step (standard exchange), " OLD                           \
    "if '{g}.a' evaluates without a step, declare it (\"evaluates\": "         \
    "{\"{g}.a\": \"always\"}), and it is solved at every instant; else, "

static void a_declared_loop_that_is_cut_is_warned_of(void **state)
{
    (void)state;
    expect_warning(GAINS STANDARD REST, GAINS_CUT IF_IT_DOES SOLVE_IT);
    expect_warning(GAINS STANDARD GS REST, GAINS_CUT IF_IT_DOES SOLVE_IT);
    expect_warning(GAINS STANDARD ", \"iterate\": 2" REST, GAINS_CUT IF_IT_DOES
                   "a fixed number of turns does not solve it: repeat until "
                   "the instances agree, with --iterate converged "
                   "--acceleration newton");
    expect_warning(
        GAINS STANDARD ", \"iterate\": \"converged\", \"reactivity\": "
                       "{\"{g}.a.u\": \"delayed\"}" REST,
        GAINS_CUT IF_IT_DOES "an input declared delayed keeps repeated steps "
                             "from solving it");
    expect_warning(GAINS MAESTRO REST, GAINS_CUT OLD SOLVE_IT);
}

/* Among units that evaluate, however they are stepped. */
static void a_declared_loop_is_solved_at_every_instant(void **state)
{
    static const char *const how[] = {
        GAINS REST, GAINS GS REST, GAINS ", \"iterate\": 2" REST,
        GAINS ", \"rates\": {\"{g}.a\": 2, \"{g}.b\": 2}" REST,
        GAINS ", \"iterate\": \"converged\", \"reactivity\": {\"{g}.a.u\": "
              "\"delayed\"}" REST};
    struct scored s;

    (void)state;
    for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
        begin(&s);
        if (write(&s, how[i]) != TT_OK)
            fail_msg("%s", s.err.msg);
        assert_int_equal(warnings(&s), 0);
        assert_true(noted(&s, "loop",
                          "through {g}.a.y: solved at every instant for 1 "
                          "unknown, fixed point, then newton"));
        assert_string_equal(
            section(&s, TT_SEC_EXCHANGE),
            "loop at most 108 times, until solved; set {g}.b: u <- {g}.a.y "
            "(the guess); get {g}.b: y; set {g}.a: u <- {g}.b.y; get {g}.a: y; "
            "solve 1 guess, fixed point, then newton; end; commit");
        end(&s);
    }
}

static void a_loop_that_is_solved_or_assumed_is_not(void **state)
{
    (void)state;
    expect_warning(GAINS ", \"iterate\": \"converged\"" REST, NULL);
    expect_warning(GAINS GS ", \"iterate\": \"converged\"" REST, NULL);
    /* through a state, and by an output that declares nothing */
    expect_warning(CONN("\"{i}.i.y\": [\"{g}.g.u\"], \"{g}.g.y\": "
                        "[\"{i}.i.u\"]") REST,
                   NULL);
    expect_warning(CONN("\"{b}.a.y\": [\"{g}.g.u\"], \"{g}.g.y\": "
                        "[\"{b}.a.u\"]") REST,
                   NULL);
}

static void who_cannot_be_repeated_is_named(void **state)
{
    struct tt_mock_spec spec = tt_mock_gain;
    struct scored s;

    (void)state;
    spec.caps.save = 0;
    begin(&s);
    tt_stand_mock(&s.st, "{x}", &spec);
    assert_int_equal(write(&s, "{\"fmus\": {\"{g}\": \"g\", \"{x}\": \"x\"}, "
                               "\"connections\": {\"{g}.g.y\": [\"{x}.x.u\"], "
                               "\"{x}.x.y\": [\"{g}.g.u\"]}, \"evaluates\": "
                               "{\"{g}.g\": \"never\"}" REST),
                     TT_OK);
    assert_true(noted(
        &s, "loop",
        "loop of feed-through {g}.g.y -> {x}.x.u -> {x}.x.y -> {g}.g.u -> "
        "{g}.g.y is cut, not solved: {g}.g.y is read right after the step "
        "(standard exchange), " OLD
        "if '{g}.g' evaluates without a step, declare it (\"evaluates\": "
        "{\"{g}.g\": \"always\"}), and it is solved at every instant; else, "
        "repeated steps would solve it, but '{x}.x' cannot save and restore "
        "its state: break the loop in the models, by a delay or a state, or "
        "make one FMU of them"));
    end(&s);
}

/* --- order and reactivity ------------------------------------------------ */

static void gauss_seidel_derives_who_feeds_whom(void **state)
{
    struct scored s;

    (void)state;
    begin(&s);
    assert_int_equal(write(&s, CONN("\"{i}.c.y\": [\"{i}.b.u\"], \"{i}.b.y\": "
                                    "[\"{i}.a.u\"]") GS REST),
                     TT_OK);
    assert_true(noted(&s, "order",
                      "{i}.c -> {i}.b -> {i}.a (derived: feeding instances "
                      "step first)"));
    end(&s);
}

/* Three on a circle: all six orders; the one outside stays where it is. */
static void orders_begin_circles_elsewhere(void **state)
{
    uint32_t order[8 * 4], n = 0, outside;
    struct scored s;
    tt_score *other = NULL;

    (void)state;
    begin(&s);
    assert_int_equal(write(&s, CONN("\"{i}.a.y\": [\"{i}.b.u\"], \"{i}.b.y\": "
                                    "[\"{i}.c.u\"], \"{i}.c.y\": "
                                    "[\"{i}.a.u\", \"{i}.d.u\"]") GS REST),
                     TT_OK);
    assert_int_equal(s.score->plan->n_unit, 4);
    assert_int_equal(
        tt_score_orders(s.score->plan, s.score->order, 8, order, &n, &s.err),
        TT_OK);
    assert_int_equal(n, 6);
    assert_memory_equal(order, s.score->order, 4 * sizeof(*order));
    outside = order[3];
    assert_string_equal(s.score->plan->unit[outside].name, "{i}.d");
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(order[4 * i + 3], outside);
        assert_int_equal(
            tt_score_new_in_order(&other, s.score->plan, order + 4 * i, &s.err),
            TT_OK);
        assert_memory_equal(other->order, order + 4 * i, 4 * sizeof(*order));
        assert_int_equal(other->hash == s.score->hash, i == 0);
        tt_score_free(other);
    }
    assert_int_equal(
        tt_score_orders(s.score->plan, s.score->order, 2, order, &n, &s.err),
        TT_OK);
    assert_int_equal(n, 2);
    end(&s);
}

static void a_loop_of_units_is_reported_with_its_order(void **state)
{
    struct scored s;

    (void)state;
    begin(&s);
    assert_int_equal(write(&s, CONN("\"{i}.b.y\": [\"{i}.a.u\"], \"{i}.a.y\": "
                                    "[\"{i}.b.u\"]") GS REST),
                     TT_OK);
    assert_true(noted(&s, "order",
                      "'{i}.b', '{i}.a' feed each other: 2 orders exist, "
                      "{i}.b -> {i}.a is played because the scenario names "
                      "them in this order" NO_RULE));
    end(&s);
}

/* In a loop only what must come first decides. */
static void a_reactive_input_within_a_loop_is_served(void **state)
{
    struct scored s;

    (void)state;
    begin(&s);
    if (write(&s, CONN("\"{i}.a.y\": [\"{i}.b.u\"], \"{i}.b.y\": "
                       "[\"{i}.a.u\"]") GS
              ", \"reactivity\": {\"{i}.a.u\": \"reactive\"}" REST) != TT_OK)
        fail_msg("%s", s.err.msg);
    assert_true(noted(&s, "order",
                      "{i}.b -> {i}.a (derived: feeding instances step "
                      "first)"));
    assert_true(
        noted(&s, "order",
              "'{i}.b', '{i}.a' feed each other: 2 orders exist less those "
              "that reactive inputs exclude, {i}.b -> {i}.a is played because "
              "reactive inputs decide, then the order in which the scenario "
              "names them" NO_RULE));
    end(&s);
}

#define AHEAD                                                                  \
    "\"reactivity\": {\"{i}.a.u\": \"reactive\", \"{i}.b.u\": \"reactive\", "  \
    "\"{i}.c.u\": \"reactive\", \"{i}.d.u\": \"reactive\"}"

static void reactive_inputs_that_contradict_are_refused(void **state)
{
    (void)state;
    refused(
        CONN(
            "\"{i}.a.y\": [\"{i}.b.u\"], \"{i}.b.y\": [\"{i}.a.u\"]") ", "
                                                                      "\"reacti"
                                                                      "vity\": "
                                                                      "{\"{i}."
                                                                      "a.u\": "
                                                                      "\"reacti"
                                                                      "ve\", "
                                                                      "\"{i}.b."
                                                                      "u\": "
                                                                      "\"reacti"
                                                                      "ve\""
                                                                      "}" REST,
        "input '{i}.a.u' is reactive: '{i}.b' must step before it, but "
        "reactive inputs form a cycle: '{i}.a', '{i}.b', and back");
    /* d is fed by it, and not in it */
    refused(CONN("\"{i}.a.y\": [\"{i}.b.u\", \"{i}.d.u\"], \"{i}.b.y\": "
                 "[\"{i}.c.u\"], \"{i}.c.y\": [\"{i}.a.u\"]") ", " AHEAD REST,
            "input '{i}.a.u' is reactive: '{i}.c' must step before it, but "
            "reactive inputs form a cycle: '{i}.a', '{i}.b', '{i}.c', and "
            "back");
    refused(
        CONN("\"{i}.a.y\": [\"{i}.b.u\"]") ", \"reactivity\": {\"{i}.b.u\": "
                                           "\"reactive\"}, \"order\": "
                                           "[\"b\", \"a\"]" REST,
        "input '{i}.b.u' is reactive: '{i}.a' must step before it, but the "
        "order given puts '{i}.a.y' later");
}

/* --- hash ---------------------------------------------------------------- */

static uint64_t hash_of(const char *json)
{
    struct scored s;
    uint64_t hash;

    begin(&s);
    if (write(&s, json) != TT_OK)
        fail_msg("%s", s.err.msg);
    hash = s.score->hash;
    end(&s);
    return hash;
}

/* The same ports in the same order, but in other calls. */
static void the_hash_sees_batches(void **state)
{
    struct tt_mock_port port[] = {
        {.name = "a", .causality = TT_CAUS_OUTPUT, .deps = ""},
        {.name = "b", .causality = TT_CAUS_OUTPUT, .deps = ""},
        {.name = "c", .causality = TT_CAUS_OUTPUT, .deps = "", .type = TT_I32},
    };
    const struct tt_mock_spec spec = {.port = port, .n_port = 3};
    uint64_t hash[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scored s = {.score = NULL};

        port[1].type = i ? TT_I32 : TT_F64;
        tt_stand_init(&s.st);
        tt_stand_mock(&s.st, "{x}", &spec);
        assert_int_equal(write(&s,
                               "{\"fmus\": {\"{x}\": \"x\"}, \"instances\": "
                               "{\"{x}\": [\"x\"]}, \"connections\": {}" REST),
                         TT_OK);
        assert_int_equal(s.score->n_op, 7);
        hash[i] = s.score->hash;
        end(&s);
    }
    assert_true(hash[0] != hash[1]);
}

static void the_hash_is_that_of_the_whole_score(void **state)
{
    const char two[] = CONN("\"{i}.a.y\": [\"{s}.s.a\"], \"{i}.b.y\": "
                            "[\"{s}.s.b\"]") REST;

    (void)state;
    assert_true(hash_of(two) == hash_of(two));
    assert_true(hash_of(CIRCLE REST) != hash_of(CIRCLE GS REST));
    assert_true(hash_of(CIRCLE REST) != hash_of(two));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_read_and_set_once_each),
        cmocka_unit_test(inputs_from_many_units_are_set_in_one_call),
        cmocka_unit_test(a_unit_waits_for_its_last_input),
        cmocka_unit_test(outputs_are_read_together_when_they_can),
        cmocka_unit_test(each_type_needs_a_call_of_its_own),
        cmocka_unit_test(a_unit_that_feeds_itself_is_read_then_set),
        cmocka_unit_test(without_connections_outputs_are_only_read),
        cmocka_unit_test(jacobi_steps_and_exchanges),
        cmocka_unit_test(gauss_seidel_hands_on_and_exchanges_the_rest),
        cmocka_unit_test(what_is_read_too_early_is_read_again),
        cmocka_unit_test(courses_are_set_before_the_step_and_values_after),
        cmocka_unit_test(two_turns_set_and_read_no_more_than_they_need),
        cmocka_unit_test(a_standard_unit_is_read_before_it_is_set),
        cmocka_unit_test(standard_units_have_no_loops_to_cut),
        cmocka_unit_test(a_loop_of_unknown_dependencies_is_solved_and_cut),
        cmocka_unit_test(a_loop_has_as_many_guesses_as_it_needs),
        cmocka_unit_test(what_follows_a_loop_is_moved_once),
        cmocka_unit_test(declared_outputs_of_a_mixed_loop_are_not_cut),
        cmocka_unit_test(a_declared_loop_is_solved_and_noted),
        cmocka_unit_test(a_long_circle_needs_one_guess),
        cmocka_unit_test(initialisation_has_dependencies_of_its_own),
        cmocka_unit_test(gauss_seidel_derives_who_feeds_whom),
        cmocka_unit_test(orders_begin_circles_elsewhere),
        cmocka_unit_test(a_loop_of_units_is_reported_with_its_order),
        cmocka_unit_test(a_reactive_input_within_a_loop_is_served),
        cmocka_unit_test(reactive_inputs_that_contradict_are_refused),
        cmocka_unit_test(a_declared_loop_that_is_cut_is_warned_of),
        cmocka_unit_test(a_declared_loop_is_solved_at_every_instant),
        cmocka_unit_test(a_loop_that_is_solved_or_assumed_is_not),
        cmocka_unit_test(who_cannot_be_repeated_is_named),
        cmocka_unit_test(the_hash_sees_batches),
        cmocka_unit_test(the_hash_is_that_of_the_whole_score),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
