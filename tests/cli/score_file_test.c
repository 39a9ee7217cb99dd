/* SPDX-License-Identifier: MIT */
/* Masters from files: those that are built in, printed and read back, give the
 * same bytes; a file that is wrong is told where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "desk.h"

#define MASSES   "double-mass-spring-damper/scenario.json"
#define HAND     EXAMPLES "hand-written-master/"
#define SCENARIO HAND "scenario.json"
#define MOST     8

/* `how` is what a score decides, `else` what remains the scenario's. */
struct played {
    const char *scenario;
    const char *how[MOST], *also[MOST];
};

static size_t put_words(const char **argv, size_t n, const char *const *words)
{
    for (size_t i = 0; i < MOST && words[i]; i++)
        argv[n++] = words[i];
    argv[n] = NULL;
    return n;
}

static void call(const struct played *p, struct output *s, const char *command,
                 int from_file, const char *const *more)
{
    const char *argv[4 * MOST] = {command};
    char path[512];
    size_t n = 2;

    snprintf(path, sizeof(path), EXAMPLES "%s", p->scenario);
    argv[1] = path;
    n = put_words(argv, n, p->also);
    if (!from_file)
        n = put_words(argv, n, p->how);
    put_words(argv, n, more);
    tutti(s, argv);
    if (s->code != 0)
        fail_msg("%s: %s", p->scenario, s->err.data);
}

static const struct played masters[] = {
    {.scenario = MASSES},
    {.scenario = "double-mass-spring-damper/scenario-fmi3.json",
     .also = {"--approximation", "hermite"}},
    {.scenario = MASSES, .how = {"--master", "gauss-seidel"}},
    {.scenario = MASSES,
     .how = {"--master", "gauss-seidel", "--order", "msd2,msd1"}},
    {.scenario = MASSES, .how = {"--iterate", "3"}},
    {.scenario = MASSES, .how = {"--iterate", "1"}},
    {.scenario = MASSES, .how = {"--master", "gauss-seidel", "--iterate", "3"}},
    {.scenario = MASSES, .how = {"--iterate", "converged"}},
    {.scenario = MASSES,
     .how = {"--iterate", "converged", "--acceleration", "relax"}},
    {.scenario = MASSES,
     .how = {"--iterate", "converged", "--acceleration", "aitken"}},
    {.scenario = MASSES,
     .how = {"--iterate", "converged", "--acceleration", "anderson"}},
    {.scenario = MASSES,
     .how = {"--iterate", "converged", "--acceleration", "newton"}},
    {.scenario = MASSES, .also = {"--approximation", "linear"}},
    {.scenario = MASSES,
     .how = {"--master", "gauss-seidel", "--iterate", "converged"},
     .also = {"--approximation", "quadratic"}},
    {.scenario = MASSES, .also = {"--error-control", "richardson"}},
    {.scenario = MASSES,
     .how = {"--iterate", "3"},
     .also = {"--error-control", "richardson"}},
    {.scenario = MASSES,
     .how = {"--master", "gauss-seidel"},
     .also = {"--error-control", "milne"}},
    {.scenario = MASSES, .also = {"--rollback"}},
    {.scenario = "bouncing-ball/scenario-variable.json"},
    {.scenario = "cruise-control/scenario.json"},
    {.scenario = "inverted-pendulum/scenario.json"},
    {.scenario = "line-follower/scenario-variable.json"},
    {.scenario = "line-follower/scenario.json"},
    {.scenario = "nested-water-tank/scenario.json"},
    {.scenario = "nested-water-tank/scenario-flat.json"},
    {.scenario = "operating-point/scenario-fmi3.json"},
    {.scenario = "power-window/scenario-variable.json"},
    {.scenario = "power-window/scenario.json"},
    {.scenario = "rigid-link/scenario-often.json"},
    {.scenario = "rigid-link/scenario-rate.json"},
    {.scenario = "rigid-link/scenario-rates.json"},
    {.scenario = "rigid-link/scenario.json"},
    {.scenario = "thermostat/scenario.json"},
    {.scenario = "water-tank/scenario-variable.json"},
    {.scenario = "water-tank/scenario.json"},
};

static void masters_read_back_give_the_same_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(masters) / sizeof(*masters); i++) {
        struct output s;

        call(&masters[i], &s, "score", 0, (const char *[MOST]){"--json"});
        put("master.json", s.out.data, s.out.len);
        output_fini(&s);
        call(&masters[i], &s, "run", 0,
             (const char *[MOST]){"-o", at("a.csv")});
        output_fini(&s);
        call(&masters[i], &s, "run", 1,
             (const char *[MOST]){"-o", at("b.csv"), "--score",
                                  at("master.json")});
        output_fini(&s);
        expect_same_file("a.csv", "b.csv");
    }
}

static const char *hash_of(const struct output *s)
{
    return strstr(s->out.data, "\"hash\": ");
}

static void a_score_read_back_has_its_hash(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(masters) / sizeof(*masters); i++) {
        struct output was, is;

        call(&masters[i], &was, "score", 0, (const char *[MOST]){"--json"});
        put("master.json", was.out.data, was.out.len);
        call(&masters[i], &is, "score", 1,
             (const char *[MOST]){"--json", "--score", at("master.json")});
        assert_memory_equal(hash_of(&was), hash_of(&is), 26);
        output_fini(&was);
        output_fini(&is);
    }
}

/* --- what is wrong ----------------------------------------------------------
 */

/* midpoint.json with its first `from` replaced, refused with this. */
struct wrong {
    const char *from, *to, *message;
};

static const struct wrong wrongs[] = {
    {"\"version\": 1", "\"version\": 2",
     "2:14: score files of version 1 are read here, not 2"},
    {"\"version\": 1,", "", "1:1: the field 'version' is missing"},
    {"\"version\": 1", "\"version\": \"1\"",
     "2:14: 'version' must be a whole number, not a string"},
    {"\"master\": \"midpoint\",", "", "1:1: the field 'master' is missing"},
    {"\"step\": [", "\"stp\": [",
     "5:3: there is no field 'stp' here, did you mean 'step'?"},
    {"\"step\": [", "\"step\": 3, \"order\": [",
     "5:11: 'step' must be an array, not an integer"},
    {"\"op\": \"save\"", "\"op\": \"sve\"",
     "6:12: there is no operation 'sve', did you mean 'save'?"},
    {"{\"op\": \"save\", \"instance\": \"{msd1}.msd1\"}", "\"save\"",
     "6:5: this must be an object, not a string"},
    {"\"op\": \"save\",", "", "6:5: the field 'op' is missing"},
    {"\"instance\": \"{msd1}.msd1\"}", "\"instance\": \"{msd1}.msd2\"}",
     "6:32: there is no instance '{msd1}.msd2', did you mean '{msd1}.msd1'?"},
    {"\"instance\": \"{msd1}.msd1\"}", "\"unit\": \"{msd1}.msd1\"}",
     "6:20: there is no field 'unit' here"},
    {"\"instance\": \"{msd1}.msd1\"}",
     "\"instance\": \"{msd1}.msd1\", \"register\": 64}",
     "6:59: 'register' must be from 0 to 63"},
    {"\"half\": \"first\"", "\"half\": \"frist\"",
     "9:28: there is no half 'frist', did you mean 'first'?"},
    {"\"from\": \"S0\"", "\"from\": \"S2\"",
     "10:55: there is no from 'S2', did you mean 'S0'?"},
    {"\"ports\": [\"x1\", \"v1\"]", "\"ports\": [\"x1\", \"v2\"]",
     "13:62: instance '{msd1}.msd1' has no variable 'v2', did you mean 'v1'?"},
    {"\"ports\": [\"x1\", \"v1\"]", "\"ports\": [\"x1\", \"F\"]",
     "13:62: '{msd1}.msd1.F' is no output that is connected or recorded"},
    {"\"ports\": [\"x1\", \"v1\"]", "\"ports\": [\"x1\", \"x1\"]",
     "13:62: 'x1' is listed twice"},
    {"\"ports\": [\"x1\", \"v1\"]", "\"ports\": []",
     "13:55: 'ports' must name a port"},
    {"\"ports\": [\"x1\", \"v1\"]", "\"ports\": [1]",
     "13:56: this must be a string, not an integer"},
    {"\"ports\": [\"F\"], \"at\": \"S1\"},\n\n",
     "\"ports\": [\"F\"], \"at\": "
     "\"S1\", \"cut\": 1},\n\n",
     "15:81: 'cut' must be true or false, not an integer"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"set\", \"instance\": \"{msd1}.msd1\", \"ports\": [\"x1\"]}",
     "17:56: '{msd1}.msd1.x1' is no connected input"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"set\", \"instance\": \"{msd1}.msd1\", \"ports\": [\"F\"], "
     "\"sources\": [\"{msd1}.msd1.x1\"]}",
     "17:74: the source of '{msd1}.msd1.F' is '{msd2}.msd2.F', not "
     "'{msd1}.msd1.x1': connections are those of the scenario"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"set\", \"instance\": \"{msd1}.msd1\", \"ports\": [\"F\"], "
     "\"sources\": []}",
     "17:73: 0 sources for 1 ports"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"set\", \"instance\": \"{msd1}.msd1\", \"ports\": [\"F\"], "
     "\"course\": \"new\", \"at\": \"T1\"}",
     "17:79: a course has no 'at'"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"set\", \"instance\": \"{msd1}.msd1\", \"ports\": [\"F\"], "
     "\"course\": \"new\"}",
     "17:5: invalid score: step, operation 9 (set {msd1}.msd1: F <- "
     "{msd2}.msd2.F (course to the new value)): the input takes no course: "
     "{msd1}.msd1.F"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"loop\", \"do\": []}",
     "17:5: a loop needs 'times', 'substeps', or 'most' and 'solve'"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"loop\", \"most\": 3, \"do\": []}",
     "17:5: a loop with 'most' needs 'solve'"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"loop\", \"times\": 3, \"substeps\": 2, \"do\": []}",
     "17:32: a loop has 'times' or 'substeps', not both"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"loop\", \"times\": 0, \"do\": []}",
     "17:29: 'times' must be from 1 to 1000000000"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"loop\", \"substeps\": 2, \"solve\": {}, \"do\": []}",
     "17:35: a loop of sub-steps has no 'solve'"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"loop\", \"times\": 2}", "17:5: the field 'do' is missing"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"loop\", \"most\": 2, \"solve\": {\"unknowns\": "
     "[\"{msd2}.msd2.G\"]}, \"do\": []}",
     "17:54: '{msd2}.msd2.G' is no output that is connected or recorded, did "
     "you mean '{msd2}.msd2.F'?"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"loop\", \"most\": 2, \"solve\": {\"unknowns\": "
     "[\"{msd2}.msd2.F\"], \"method\": \"newtn\"}, \"do\": []}",
     "17:82: there is no method 'newtn', did you mean 'newton'?"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"loop\", \"most\": 2, \"solve\": {\"unknowns\": "
     "[\"{msd2}.msd2.F\"], \"abstol\": -1}, \"do\": []}",
     "17:82: 'abstol' must be 0 or more"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"loop\", \"most\": 2, \"solve\": {\"unknowns\": "
     "[\"{msd2}.msd2.F\"], \"unconverged\": \"reduce\"}, \"do\": []}",
     "17:87: no step of this scenario can be reduced"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"loop\", \"most\": 2, \"solve\": {\"unknowns\": "
     "[\"{msd2}.msd2.F\"]}, \"do\": []}",
     "17:5: invalid score: step, operation 10 (solve 1 guess, by "
     "substitution): it was not read in this turn: {msd2}.msd2.F"},
    {"{\"op\": \"restore\", \"instance\": \"{msd1}.msd1\"}",
     "{\"op\": \"commit\"}",
     "17:5: invalid score: step, operation 9 (commit): values stand after the "
     "exchange only"},
    {"{\"op\": \"time\", \"half\": \"first\", \"comment\": \"S0 .. S1 is the "
     "first half of T0 .. T1\"},",
     "",
     "10:5: invalid score: step, operation 3 (step {msd1}.msd1 to S1): no time "
     "was given to the sub-step"},
    {"\"half\": \"first\"", "\"half\": \"second\"",
     "10:5: invalid score: step, operation 4 (step {msd1}.msd1 to S1): the "
     "instance does not stand where the step starts"},
    {"\"step\": [", "\"ranks\": 2, \"step\": [",
     "5:3: this score is for several ranks: give the one without, which they "
     "divide among them"},
    {"\"step\": [",
     "\"begin\": [{\"op\": \"save\", \"instance\": \"{msd1}.msd1\"}], "
     "\"step\": [",
     "5:3: no step of this scenario is rejected, and the begin section is "
     "never played"},
    {"\"step\": [", "\"exchange\": [{\"op\": \"commit\"}], \"step\": [",
     "5:3: invalid score: '{msd1}.msd1.F' does not carry its source's value of "
     "T1 when the exchange section ends"},
    {"\"step\": [", "\"exchange\": [], \"step\": [",
     "5:3: invalid score: the exchange section does not end with a commit"},
    {"    {\"op\": \"step\", \"instance\": \"{msd1}.msd1\"},\n    {\"op\": "
     "\"step\", \"instance\": \"{msd2}.msd2\"}\n",
     "    {\"op\": \"step\", \"instance\": \"{msd1}.msd1\"}\n",
     "1:1: invalid score: exchange, operation 3 (get {msd2}.msd2: F, x2, v2): "
     "an input it depends on is not of this instant: {msd2}.msd2.x1"},
    {"  ]\n}", "  ]\n",
     "26:1: JSON ends too early: '}' expected near end of file"},
};

/* Returns whether it was refused with just these words. */
static int refused(const char *text, const char *message)
{
    char words[1024];
    struct output s;
    int same;

    put_text("wrong.json", text);
    TUTTI(&s, "run", SCENARIO, "--score", at("wrong.json"), "-o",
          at("wrong.csv"));
    snprintf(words, sizeof(words), "tutti: %s:%s\n", at("wrong.json"), message);
    same = s.code == 2 && strcmp(s.err.data ? s.err.data : "", words) == 0 &&
           !exists("wrong.csv");
    if (!same)
        print_error("code %d: %s  instead of %s", s.code, s.err.data, words);
    output_fini(&s);
    return same;
}

static void what_is_wrong_is_named_with_its_place(void **state)
{
    struct output s;
    int wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(wrongs) / sizeof(*wrongs); i++) {
        struct tt_buf text;
        FILE *f = fopen(HAND "midpoint.json", "r");
        char piece[4096];
        size_t n;

        tt_buf_init(&text, 65536);
        while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
            tt_buf_add(&text, piece, n);
        fclose(f);
        replace(&text, wrongs[i].from, wrongs[i].to);
        wrong += !refused(text.data, wrongs[i].message);
        tt_buf_fini(&text);
    }
    wrong += !refused("[]", "1:1: this must be an object, not an array");
    wrong += !refused("", "1:1: the text is empty");
    assert_int_equal(wrong, 0);
    TUTTI(&s, "run", SCENARIO, "--score", at("nowhere.json"));
    assert_int_equal(s.code, 2);
    expect_err(&s, "tutti: cannot read %s: No such file or directory\n",
               at("nowhere.json"));
    output_fini(&s);
}

static void what_the_file_decides_is_no_option(void **state)
{
    static const char *const option[][2] = {{"--master", "jacobi"},
                                            {"--order", "msd1,msd2"},
                                            {"--iterate", "2"},
                                            {"--acceleration", "newton"}};
    struct output s;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        TUTTI(&s, "run", SCENARIO, "--score", HAND "midpoint.json",
              option[i][0], option[i][1]);
        assert_int_equal(s.code, 2);
        expect_err(&s,
                   "tutti: command line: %s has no effect with --score: the "
                   "file decides how instances step\n",
                   option[i][0]);
        output_fini(&s);
    }
}

/* --- what else it can do ------------------------------------------------- */

static void a_master_by_hand_is_named_everywhere(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "check", SCENARIO, "--score", HAND "midpoint.json");
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, "3 connections, midpoint, t=0 to 10 s"));
    assert_non_null(
        strstr(s.out.data, "  master         from " HAND "midpoint.json\n"));
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "--score", HAND "midpoint.json", "-o",
          at("m.csv"), "--json");
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, "\"master\": \"midpoint\""));
    output_fini(&s);
}

/* What we keep to go back by is kept beside what the file keeps. */
static void a_master_by_hand_goes_with_variable_steps(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "--score", HAND "midpoint.json", "-o",
          at("v.csv"), "--error-control", "richardson");
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, " rejected, "));
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "--score", HAND "midpoint.json", "-o",
          at("i.csv"), "--isolate", "--threads", "2");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "--score", HAND "midpoint.json", "-o",
          at("p.csv"), "--sandbox");
    output_fini(&s);
    expect_same_file("i.csv", "p.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masters_read_back_give_the_same_bytes),
        cmocka_unit_test(a_score_read_back_has_its_hash),
        cmocka_unit_test(what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(what_the_file_decides_is_no_option),
        cmocka_unit_test(a_master_by_hand_is_named_everywhere),
        cmocka_unit_test(a_master_by_hand_goes_with_variable_steps),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
