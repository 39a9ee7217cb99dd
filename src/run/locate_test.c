/* SPDX-License-Identifier: MIT */
/* Crossings that are located, on mocks whose motion has a closed form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/num.h"
#include "kinds/kinds.h"
#include "run/testing.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static enum tt_code kind_for(const struct tt_kind_ops **kind,
                             const struct tt_source *s, tt_err *err)
{
    if (strncmp(s->path, "tutti:", 6) == 0)
        return tt_kind_for(kind, s, err);
    return st_kind_of_mocks(kind, s, err);
}

/* --- units --------------------------------------------------------------- */

/* A ball in flight, which knows no floor: when its clock ticks it turns, and
 * keeps 0.7 of its speed; at rest it lies. */
enum { B_HIT, B_REST, B_H, B_V, B_LIES };
static const struct tt_mock_port ball_port[] = {
    {.name = "hit", .type = TT_CLOCK, .causality = TT_CAUS_INPUT},
    {.name = "rest", .type = TT_CLOCK, .causality = TT_CAUS_INPUT},
    {.name = "h", .causality = TT_CAUS_OUTPUT, .deps = "", .start = 1},
    {.name = "v", .causality = TT_CAUS_OUTPUT, .deps = ""},
    {.name = "lies", .type = TT_I32}};

static void ball_start(const struct tt_mock_view *v)
{
    v->x[0] = 1;
}

static void ball_moves(const struct tt_mock_view *v, double *dx)
{
    int lies = *(const int32_t *)v->value[B_LIES];

    dx[0] = lies ? 0 : v->x[1];
    dx[1] = lies ? 0 : -9.81;
}

static void ball_shows(const struct tt_mock_view *v)
{
    *tt_mock_f64(v, B_H) = v->x[0];
    *tt_mock_f64(v, B_V) = v->x[1];
}

static void ball_turns(const struct tt_mock_view *v, struct tt_event_result *r)
{
    uint8_t *hit = v->value[B_HIT], *rest = v->value[B_REST];

    (void)r;
    if (*hit)
        v->x[1] *= -0.7;
    if (*rest) {
        v->x[0] = v->x[1] = 0;
        *(int32_t *)v->value[B_LIES] = 1;
    }
    *hit = *rest = 0;
}

static const struct tt_mock_spec ball = {.model = "ball",
                                         .port = ball_port,
                                         .n_port = COUNT(ball_port),
                                         .caps = {.evaluates = TT_EVAL_EVENT,
                                                  .save = 1,
                                                  .serialise = 1,
                                                  .variable_step = 1,
                                                  .event_mode = 1},
                                         .behaviour = {.n_x = 2,
                                                       .start = ball_start,
                                                       .derivative = ball_moves,
                                                       .outputs = ball_shows,
                                                       .event = ball_turns}};

#define BALL(more, locate)                                                     \
    "{\"fmus\": {\"{b}\": \"b\"}, \"connections\": {}, \"instances\": "        \
    "{\"{b}\": [\"b\"]}, \"logVariables\": {\"{b}.b\": [\"h\", \"v\"]}, "      \
    "\"events\": {\"locate\": [{\"name\": \"floor\", \"when\": \"{b}.b.h\", "  \
    "\"direction\": \"down\", \"tolerance\": 1e-13" locate "}]}, " more "}"
#define STEPS(h, end)                                                          \
    "\"algorithm\": {\"type\": \"fixed-step\", \"size\": " h                   \
    "}, \"endTime\": " end
#define EMIT ", \"emit\": \"{b}.b.hit\""

static struct stage *stage_of(const struct tt_mock_spec *spec)
{
    struct stage *st = st_new();

    tt_mock_register("b", spec);
    tt_mock_register("i", &tt_mock_integrator);
    st->opts.kind_cb = kind_for;
    return st;
}

static void played(struct stage *st, const char *json)
{
    enum tt_code rc = st_play(st, json);

    if (rc != TT_OK)
        fail_msg("%s", st->err.msg);
}

static void near(double a, double b, double tol)
{
    if (!(fabs(a - b) <= tol))
        fail_msg("%.17g is not %.17g", a, b);
}

/* When the k-th bounce is, from 1. */
static double bounce(int k)
{
    double t = sqrt(2 / 9.81), flight = 2 * t;

    for (; k > 1; k--)
        t += flight *= 0.7;
    return t;
}

/* --- with a way back ------------------------------------------------------ */

/* The rows of the right limits, which only events have. */
static uint32_t check_bounces(const struct stage *st, double tol)
{
    uint32_t n = 0, most = st->n_row < 64 ? st->n_row : 64;
    double speed = 9.81 * bounce(1);

    for (uint32_t i = 1; i < most; i++) {
        if (!st->row_n[i])
            continue;
        near(st->row_t[i], bounce((int)++n), tol);
        assert_true(st->row_t[i - 1] == st->row_t[i]); /* the left limit */
        assert_int_equal(st->row_n[i - 1], 0);
        near(st->row_v[i - 1][1], -speed, 1e-9);
        near(st->row_v[i][1], speed *= 0.7, 1e-9);
    }
    return n;
}

static void a_ball_bounces_where_its_closed_form_does(void **state)
{
    struct stage *st = stage_of(&ball);

    (void)state;
    played(st, BALL(STEPS("0.3", "2.51"), EMIT));
    assert_true(check_bounces(st, 1e-11) >= 8);
    assert_int_equal(tt_run_crossings(st->run), 1);
    assert_true(tt_run_crossing(st->run, 0).error <= 1e-13);
    assert_int_equal(tt_run_crossing(st->run, 0).late, 0);
    st_free(st);
}

/* 20 of them, to 1e-9 of their time, when the flight lasts a millisecond. */
static void twenty_bounces_are_found(void **state)
{
    struct stage *st = stage_of(&ball);
    char json[1024];
    struct tt_run_crossing c;

    (void)state;
    (void)snprintf(json, sizeof(json), BALL(STEPS("0.3", "%.17g"), EMIT),
                   (bounce(20) + bounce(21)) / 2);
    played(st, json);
    c = tt_run_crossing(st->run, 0);
    assert_int_equal(c.n, 20);
    near(c.last, bounce(20), 1e-9 * bounce(20));
    st_free(st);
}

/* Steps of other lengths, and others that are taken back for other reasons,
 * lead to the same events. */
static void they_are_where_they_are_whatever_the_steps(void **state)
{
    static const char *const json[] = {
        BALL(STEPS("0.05", "1.6"), EMIT), BALL(STEPS("0.7", "1.6"), EMIT),
        BALL("\"algorithm\": {\"type\": \"var-step\", \"size\": [1e-3, 0.3], "
             "\"initsize\": 0.1, \"constraints\": {\"c\": {\"type\": "
             "\"boundeddifference\", \"ports\": [\"{b}.b.h\"], \"abstol\": "
             "0.3, \"reltol\": 100}}}, \"endTime\": 1.6",
             EMIT)};

    (void)state;
    for (size_t i = 0; i < COUNT(json); i++) {
        struct stage *st = stage_of(&ball);

        played(st, json[i]);
        assert_int_equal(check_bounces(st, 1e-11), 3);
        st_free(st);
    }
}

/* Beside it an integrator that rejects steps, is repeated, or played in
 * halves: what does not stand leaves no trace. */
#define BESIDE(more)                                                           \
    "{\"fmus\": {\"{b}\": \"b\", \"{j}\": \"j\"}, \"connections\": "           \
    "{\"{b}.b.v\": [\"{j}.j.u\"]}, \"logVariables\": {\"{b}.b\": [\"h\", "     \
    "\"v\"]}, \"endTime\": 1.6, \"events\": {\"locate\": [{\"name\": "         \
    "\"floor\", \"when\": \"{b}.b.h\", \"direction\": \"down\", "              \
    "\"tolerance\": 1e-13" EMIT "}]}, " more "}"
#define SIZE "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.3}"

static void attempts_that_do_not_stand_leave_no_trace(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_REJECT, .value = 0.4},
        {.at = TT_MOCK_STEP, .nth = 5, .act = TT_MOCK_REJECT, .value = 0.5},
        {.at = TT_MOCK_STEP, .nth = 9, .act = TT_MOCK_REJECT, .value = 1.1}};
    static const char *const json[] = {
        BESIDE(SIZE), BESIDE(SIZE ", \"iterate\": 3"),
        BESIDE(SIZE ", \"iterate\": \"converged\", \"master\": "
                    "\"gauss-seidel\""),
        BESIDE("\"algorithm\": {\"type\": \"var-step\", \"size\": [1e-3, "
               "0.3], \"initsize\": 0.1, \"constraints\": {\"e\": "
               "{\"type\": \"error\", \"method\": \"richardson\", "
               "\"abstol\": 0.1, \"reltol\": 0.1}}}")};
    struct tt_mock_spec j = tt_mock_integrator;

    (void)state;
    j.cue = cue;
    for (size_t i = 0; i < COUNT(json); i++)
        for (j.n_cue = 0; j.n_cue <= 3; j.n_cue += 3) {
            struct stage *st = stage_of(&ball);

            tt_mock_register("j", &j);
            played(st, json[i]);
            assert_int_equal(check_bounces(st, 1e-11), 3);
            st_free(st);
        }
}

/* Nothing is connected: the step ends there, once, without an event. */
static void without_an_emission_only_the_step_ends(void **state)
{
    struct stage *st = stage_of(&ball);
    uint32_t there = 0;

    (void)state;
    played(st, BALL(STEPS("0.3", "1"), ""));
    for (uint32_t i = 0; i < st->n_row; i++) {
        assert_int_equal(st->row_n[i], 0);
        there += fabs(st->row_t[i] - bounce(1)) < 1e-12;
    }
    assert_int_equal(there, 1);
    st_free(st);
}

/* `above` follows both ways of y = t - 0.35, as of the last crossing. */
static void what_a_crossing_was_is_an_output(void **state)
{
    struct stage *st = stage_of(&ball);

    (void)state;
    played(st, "{\"fmus\": {\"{i}\": \"i\"}, \"connections\": {}, "
               "\"instances\": {\"{i}\": [\"a\"]}, \"parameters\": "
               "{\"{i}.a.u\": 1, \"{i}.a.y0\": -0.35}, \"logVariables\": "
               "{\"{up}.locate\": [\"value\", \"above\", \"count\"]}, "
               "\"events\": {\"locate\": [{\"name\": \"up\", \"when\": "
               "\"{i}.a.y\"}]}, " STEPS("0.1", "0.6") "}");
    for (uint32_t i = 0; i < st->n_row; i++) {
        int behind = st->row_t[i] > 0.35 + 1e-6 || st->row_n[i] > 0;

        near(st->row_v[i][0], st->row_t[i] - 0.35, 1e-12);
        assert_int_equal(st->row_v[i][1], behind);
        assert_int_equal(st->row_v[i][2], behind);
    }
    st_free(st);
}

/* x' = -v, v' = x. The past ends where x crosses 0.5: the step from there is
 * the trapezoidal rule again, and the one after it has two points. */
static void the_step_after_a_crossing_is_repeated_if_asked(void **state)
{
    struct stage *st = stage_of(&ball);
    uint32_t i = 0;
    double h, x, v;

    (void)state;
    tt_mock_register("g", &tt_mock_gain);
    played(st, "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\"}, \"connections\": "
               "{\"{i}.x.y\": [\"{i}.v.u\"], \"{i}.v.y\": [\"{g}.m.u\"], "
               "\"{g}.m.y\": [\"{i}.x.u\"]}, \"parameters\": {\"{g}.m.k\": -1, "
               "\"{i}.x.y0\": 1}, \"start\": \"iterate\", \"iteration\": "
               "{\"absoluteTolerance\": 1e-14, \"relativeTolerance\": 0}, "
               "\"approximation\": \"linear\", \"events\": {\"locate\": "
               "[{\"when\": \"{i}.x.y - 0.5\"}]}, " STEPS("0.1", "2") "}");
    while (fabs(st->row_v[i][0] - 0.5) > 1e-8)
        assert_true(++i < st->n_row - 2);
    for (int k = 0; k < 2; k++, i++) {
        double before = k ? st->row_t[i] - st->row_t[i - 1] : 0;

        h = st->row_t[i + 1] - st->row_t[i];
        x = st->row_v[i][0];
        v = st->row_v[i][1];
        if (k) {
            x -= h * v + h * h / 2 * (v - st->row_v[i - 1][1]) / before;
        } else {
            x -= h / 2 * (v + st->row_v[i + 1][1]);
            v += h / 2 * (st->row_v[i][0] + st->row_v[i + 1][0]);
            near(st->row_v[i + 1][1], v, 1e-12);
        }
        near(st->row_v[i + 1][0], x, 1e-12);
    }
    st_free(st);
}

static void steps_are(const struct stage *st, const char *name, uint64_t n)
{
    uint32_t u = 0;

    while (strcmp(tt_run_unit(st->run, u).name, name) != 0)
        u++;
    if (tt_run_unit(st->run, u).steps != n)
        fail_msg("%s: %llu steps, not %llu", name,
                 (unsigned long long)tt_run_unit(st->run, u).steps,
                 (unsigned long long)n);
}

/* y = t - 0.35 of a; b follows it, c leads to it, d has nothing to do with it.
 * While the crossing is located only those make attempts that it depends on. */
#define CHAIN(more)                                                            \
    "{\"fmus\": {\"{i}\": \"i\"}, \"connections\": {\"{i}.c.y\": "             \
    "[\"{i}.a.u\"], \"{i}.a.y\": [\"{i}.b.u\"]}, \"instances\": {\"{i}\": "    \
    "[\"d\"]}, \"parameters\": {\"{i}.c.y0\": 1, \"{i}.c.u\": 0, "             \
    "\"{i}.a.y0\": -0.35}, \"logVariables\": {\"{i}.b\": [\"y\"]}, "           \
    "\"events\": {\"locate\": [{\"name\": \"up\", \"when\": "                  \
    "\"{i}.a.y\"}]}, " more STEPS("0.1", "0.6") "}"

static void only_what_a_crossing_depends_on_is_stepped_again(void **state)
{
    static const struct {
        const char *json;
        int depends[4];
    } cases[] = {
        {CHAIN(""), {0, 1, 0, 0}},
        {CHAIN("\"threads\": 2, "), {0, 1, 0, 0}},
        {CHAIN("\"master\": \"gauss-seidel\", "), {1, 1, 0, 0}},
        {CHAIN("\"master\": \"gauss-seidel\", \"approximation\": "
               "\"linear\", "),
         {1, 1, 0, 0}},
        {CHAIN("\"approximation\": \"linear\", "), {0, 1, 0, 0}},
        {CHAIN("\"rates\": {\"{i}.b\": 1}, "), {0, 1, 0, 0}},
    };

    static const char *const name[] = {"{i}.c", "{i}.a", "{i}.b", "{i}.d"};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct stage *st = stage_of(&ball);
        uint64_t trials;

        played(st, cases[i].json);
        assert_int_equal(tt_run_crossing(st->run, 0).n, 1);
        near(tt_run_crossing(st->run, 0).last, 0.35, 1e-9);
        trials = tt_run_crossing(st->run, 0).attempts;
        assert_true(trials >= 3);
        /* all make the first attempt at each step, and the one that stands */
        for (int u = 0; u < 4; u++)
            steps_are(st, name[u],
                      tt_run_steps(st->run) +
                          (cases[i].depends[u] ? trials : 1));
        assert_non_null(
            strstr(st->logged.data, "note: events: crossings depend on "));
        st_free(st);
    }
}

/* What is solved or integrated with it is concerned, too. */
static void what_is_iterated_with_it_is_stepped_again(void **state)
{
    struct stage *st = stage_of(&ball);

    (void)state;
    played(st, CHAIN("\"iterate\": \"converged\", "));
    near(tt_run_crossing(st->run, 0).last, 0.35, 1e-9);
    st_free(st);
}

#define FAST(when)                                                             \
    BALL(STEPS("0.2", "0.6"), "}, {\"name\": \"fast\", \"when\": \"" when      \
                              "\", \"tolerance\": 1e-12")

static struct tt_run_crossing fast(const char *json)
{
    struct stage *st = stage_of(&ball);
    struct tt_run_crossing c;

    played(st, json);
    assert_int_equal(tt_run_crossings(st->run), 2);
    c = tt_run_crossing(st->run, 1);
    assert_int_equal(c.n, 1);
    near(c.last, 3 / 9.81, 2e-12);
    st_free(st);
    return c;
}

/* By its margin a condition takes as many attempts as a number does, and a few
 * more where two margins meet. What leaps takes one more than bisection. */
static void a_condition_is_located_too(void **state)
{
    struct tt_run_crossing number = fast(FAST("-3 - {b}.b.v"));
    struct tt_run_crossing one = fast(FAST("{b}.b.v < -3"));
    struct tt_run_crossing both = fast(FAST("{b}.b.v < -3 and t > 0.1"));
    struct tt_run_crossing leap = fast(FAST("sign({b}.b.v + 3) == -1"));

    (void)state;
    assert_true(number.last == one.last);
    assert_int_equal(number.attempts, one.attempts);
    assert_true(both.attempts <= 10);
    assert_true(leap.attempts >= 37 && leap.attempts <= 40);
}

/* Passed by a small d, the first bounce is at h = -v d with 0.7 (v + g d): the
 * second one is then 1 + (2 e^2 - 1)/e times d later, e = 0.7. */
static void an_error_of_an_event_moves_later_ones(void **state)
{
    struct stage *st = stage_of(&ball);

    (void)state;
    played(st, BALL(STEPS("0.3", "1.3"), EMIT));
    assert_int_equal(tt_run_crossing(st->run, 0).n, 2);
    assert_true(isnan(tt_run_crossing(st->run, 0).moved));
    assert_int_equal(tt_run_shift_events(st->run, 1e-6, &st->err), TT_OK);
    near(tt_run_crossing(st->run, 0).moved, 1 + (2 * 0.49 - 1) / 0.7, 1e-5);
    st_free(st);
    st = stage_of(&ball); /* it is itself what moves */
    played(st, BALL(STEPS("0.3", "0.8"), EMIT));
    assert_int_equal(tt_run_shift_events(st->run, 1e-6, &st->err), TT_OK);
    near(tt_run_crossing(st->run, 0).moved, 1, 1e-6);
    st_free(st);
}

/* A damper that is felt by nothing: F = 2 v, and a power of 2 v^2 that leaps
 * from 4 g to 0.49 of that at the first bounce. Both sides have it at once. */
static void the_power_of_a_bond_leaps(void **state)
{
    struct tt_mock_port bonded[COUNT(ball_port) + 1];
    struct tt_mock_spec spec = ball;
    struct stage *st = stage_of(&spec);
    struct tt_run_bond b;

    (void)state;
    memcpy(bonded, ball_port, sizeof(ball_port));
    bonded[COUNT(ball_port)] =
        (struct tt_mock_port){.name = "F", .causality = TT_CAUS_INPUT};
    spec.port = bonded;
    spec.n_port = COUNT(bonded);
    tt_mock_register("g", &tt_mock_gain);
    played(st, "{\"fmus\": {\"{b}\": \"b\", \"{g}\": \"g\"}, "
               "\"connections\": {\"{b}.b.v\": [\"{g}.g.u\"], \"{g}.g.y\": "
               "[\"{b}.b.F\"]}, \"parameters\": {\"{g}.g.k\": 2}, "
               "\"powerBonds\": {\"p\": {\"a\": {\"input\": \"{b}.b.F\", "
               "\"output\": \"{b}.b.v\"}, \"b\": {\"input\": \"{g}.g.u\", "
               "\"output\": \"{g}.g.y\"}}}, \"events\": {\"locate\": "
               "[{\"name\": \"floor\", \"when\": \"{b}.b.h\", "
               "\"direction\": \"down\"" EMIT "}]}, " STEPS("0.1", "1.2") "}");
    assert_int_equal(tt_run_bonds(st->run), 1);
    b = tt_run_bond(st->run, 0);
    assert_int_equal(b.leaps, 2);
    near(b.leap, 4 * 9.81 * 0.51, 1e-7);
    assert_true(b.rest == 0);
    st_free(st);
}

/* --- without end ---------------------------------------------------------- */

/* Zeno: they accumulate at sqrt(2/g) (1 + e)/(1 - e) = 2.5586... */
static double accumulation(void)
{
    return sqrt(2 / 9.81) * 1.7 / 0.3;
}

/* The number in a message, behind these words. */
static double number_behind(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    double v = (double)NAN;

    assert_non_null(at);
    at += strlen(words);
    assert_int_equal(tt_num_parse_n(at, strspn(at, "0123456789.e-"), &v), 0);
    return v;
}

#define BEFORE_END                                                             \
    "{\"fmus\": {\"{b}\": \"b\"}, \"connections\": {}, \"instances\": "        \
    "{\"{b}\": [\"b\"]}, \"logVariables\": {\"{b}.b\": [\"h\", \"v\"]}, "      \
    "\"events\": {\"zeno\": \"%s\", \"locate\": [{\"name\": \"floor\", "       \
    "\"when\": \"{b}.b.h\", \"direction\": \"down\", \"tolerance\": 1e-13, "   \
    "\"emit\": \"{b}.b.hit\"%s}]}, \"algorithm\": {\"type\": "                 \
    "\"fixed-step\", \"size\": 0.3}, \"endTime\": 5}"

/* Not ended yet, so that values can be asked for. */
static struct stage *without_end(const char *zeno, const char *rest)
{
    struct stage *st = stage_of(&ball);
    char json[1024];

    (void)snprintf(json, sizeof(json), BEFORE_END, zeno, rest);
    assert_int_equal(st_load(st, json), TT_OK);
    assert_int_equal(tt_run_start(st->run, &st->err), TT_OK);
    while (!tt_run_done(st->run))
        assert_int_equal(tt_run_step(st->run, &st->err), TT_OK);
    return st;
}

static void accumulating_events_are_foretold_and_end_the_run(void **state)
{
    struct stage *st = without_end("stop", "");
    struct tt_run_crossing c = tt_run_crossing(st->run, 0);

    (void)state;
    near(number_behind(st->logged.data,
                       "warning: events of '{floor}.locate' accumulate at t="),
         accumulation(), 1e-6);
    assert_non_null(strstr(st->logged.data,
                           ": after 10 of them each interval is 0.7 of the "
                           "last; the run ends before\n"));
    near(number_behind(tt_run_sentence(st->run),
                       "events of '{floor}.locate' accumulate at t="),
         accumulation(), 1e-8);
    assert_true(c.last < accumulation() && c.last > accumulation() - 1e-5);
    st_free(st);
}

/* It lies on the floor from there on, to the end. */
static void what_accumulates_comes_to_rest(void **state)
{
    struct stage *st = without_end("regularise", ", \"rest\": \"{b}.b.rest\"");
    struct tt_run_crossing c = tt_run_crossing(st->run, 0);
    double h = 1, v = 1;

    (void)state;
    assert_true(c.rests);
    assert_true(c.last < accumulation() && c.last > accumulation() - 1e-5);
    assert_int_equal(tt_run_get(st->run, 1, B_H, &h, &st->err), TT_OK);
    assert_int_equal(tt_run_get(st->run, 1, B_V, &v, &st->err), TT_OK);
    assert_true(h == 0 && v == 0);
    st_free(st);
}

/* Flights that are shorter than the tolerance are not seen any more. */
static void continued_they_are_reported(void **state)
{
    struct stage *st = without_end("continue", "");
    struct tt_run_crossing c = tt_run_crossing(st->run, 0);

    (void)state;
    assert_non_null(strstr(st->logged.data,
                           "'zeno' of 'events' can end the run, or the "
                           "events, before\n"));
    assert_true(c.n > 40 && !c.rests);
    assert_true(bounce((int)c.n + 1) - bounce((int)c.n) < 1e-9);
    near(c.last, accumulation(), 1e-9);
    st_free(st);
}

/* --- without -------------------------------------------------------------- */

static void without_rollback_a_crossing_is_foretold(void **state)
{
    struct tt_mock_spec spec = ball;
    struct stage *st = stage_of(&spec);
    struct tt_run_crossing c;

    (void)state;
    spec.caps.save = spec.caps.serialise = 0;
    played(st, BALL(STEPS("0.1", "0.8"), EMIT));
    c = tt_run_crossing(st->run, 0);
    assert_int_equal(c.n, 1);
    assert_true(c.last >= bounce(1));
    near(c.last, bounce(1), 1e-9); /* of a parabola it is exact */
    st_free(st);
}

/* The grid has it at 0.5, 0.0485 s late; the line through the step's ends is
 * off by its curvature. */
static void with_steps_of_one_length_it_is_late_and_reported(void **state)
{
    struct tt_mock_spec spec = ball;
    struct stage *st = stage_of(&spec);
    struct tt_run_crossing c;
    double h0 = 1 - 9.81 / 2 * 0.16, h1 = 1 - 9.81 / 2 * 0.25;

    (void)state;
    spec.caps.variable_step = 0;
    played(st, BALL(STEPS("0.1", "0.8"), EMIT));
    c = tt_run_crossing(st->run, 0);
    assert_int_equal(c.n, 1);
    assert_int_equal(c.late, 1);
    near(c.last, 0.5, 1e-12);
    near(c.late_most, 0.1 * h1 / (h1 - h0), 1e-12);
    assert_non_null(
        strstr(st->logged.data,
               "warning: crossing '{floor}.locate' is noticed at t=0.5, about "
               "0.0513 s late: not all instances can vary their step (reported "
               "once; the report counts)\n"));
    st_free(st);
}

/* --- blocks ----------------------------------------------------------------
 */

/* y = t, sampled every 0.25 s and published 0.1 s later, with steps of 0.2. */
static void a_sampler_has_instants_of_its_own(void **state)
{
    struct stage *st = stage_of(&ball);
    uint32_t leaps = 0;

    (void)state;
    played(st, "{\"fmus\": {\"{i}\": \"i\", \"{s}\": \"tutti:sample\"}, "
               "\"connections\": {\"{i}.a.y\": [\"{s}.s.u\"]}, "
               "\"parameters\": {\"{i}.a.u\": 1, \"{s}.s.period\": 0.25, "
               "\"{s}.s.delay\": 0.1}, \"logVariables\": {\"{s}.s\": "
               "[\"y\"]}, " STEPS("0.2", "1") "}");
    for (uint32_t i = 1; i < st->n_row; i++) {
        double y = st->row_v[i][1], now = st->row_t[i];

        if (y == st->row_v[i - 1][1])
            continue;
        leaps++;
        assert_true(st->row_n[i] > 0); /* a limit from the right */
        near(now, 0.25 * leaps + 0.1, 1e-12);
        near(y, 0.25 * leaps, 1e-12);
    }
    assert_int_equal(leaps, 3);
    st_free(st);
}

/* --- refusals ------------------------------------------------------------- */

static void what_is_no_number_is_refused_where_it_stands(void **state)
{
    struct stage *st = stage_of(&ball);

    (void)state;
    assert_int_equal(
        st_load(st, "{\"fmus\": {\"{b}\": \"b\"}, \"connections\": {},\n"
                    "\"events\": {\"locate\": [{\"when\": \"1 + {b}.b.g\"}]"
                    "}, " STEPS("0.1", "1") "}"),
        TT_EINPUT);
    assert_string_equal(st->err.msg,
                        "test.json:2:37: instance '{b}.b' has no variable 'g'");
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces_where_its_closed_form_does),
        cmocka_unit_test(twenty_bounces_are_found),
        cmocka_unit_test(they_are_where_they_are_whatever_the_steps),
        cmocka_unit_test(attempts_that_do_not_stand_leave_no_trace),
        cmocka_unit_test(without_an_emission_only_the_step_ends),
        cmocka_unit_test(what_a_crossing_was_is_an_output),
        cmocka_unit_test(the_step_after_a_crossing_is_repeated_if_asked),
        cmocka_unit_test(only_what_a_crossing_depends_on_is_stepped_again),
        cmocka_unit_test(what_is_iterated_with_it_is_stepped_again),
        cmocka_unit_test(a_condition_is_located_too),
        cmocka_unit_test(an_error_of_an_event_moves_later_ones),
        cmocka_unit_test(the_power_of_a_bond_leaps),
        cmocka_unit_test(accumulating_events_are_foretold_and_end_the_run),
        cmocka_unit_test(what_accumulates_comes_to_rest),
        cmocka_unit_test(continued_they_are_reported),
        cmocka_unit_test(without_rollback_a_crossing_is_foretold),
        cmocka_unit_test(with_steps_of_one_length_it_is_late_and_reported),
        cmocka_unit_test(a_sampler_has_instants_of_its_own),
        cmocka_unit_test(what_is_no_number_is_refused_where_it_stands),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
