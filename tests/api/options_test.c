/* SPDX-License-Identifier: MIT */
/* How to play, as `tutti run` can, from C; and what is wrong with options, in
 * whole messages. */
#include "rig.h"

#include <math.h>
#include <time.h>

#define FMI3     EXAMPLES "double-mass-spring-damper/scenario-fmi3.json"
#define CRASHING EXAMPLES "crashing-unit/scenario.json"

struct logged {
    char text[16384];
    size_t n;
};

/* Warnings, a line each. */
static void take_record(void *ctx, enum tutti_level level, const char *unit,
                        const char *text)
{
    struct logged *h = ctx;

    if (level < TUTTI_WARNING)
        return;
    h->n += (size_t)snprintf(h->text + h->n, sizeof(h->text) - h->n, "%s: %s\n",
                             unit ? unit : "-", text);
    assert_true(h->n < sizeof(h->text));
}

/* All rows of a scenario with these options. */
static struct rig_rows rows_of(const char *path, const struct tutti_options *o)
{
    struct rig_rows rows = {0};
    struct tutti_run_options to = {.row_cb = rig_row, .row_ctx = &rows};
    tutti_scenario *s = rig_load(path, o);
    tutti_run *r = rig_run(s, &to);

    OK(tutti_run_perform(r, &e));
    assert_int_equal(tutti_run_how(r), TUTTI_END_COMPLETE);
    tutti_run_free(r);
    tutti_scenario_free(s);
    return rows;
}

static void expect_same(const char *path, const struct tutti_options *a,
                        const struct tutti_options *b)
{
    struct rig_rows x = rows_of(path, a), y = rows_of(path, b);

    assert_true(x.rows > 10);
    rig_same_rows(&x, &y);
    rig_rows_free(&x);
    rig_rows_free(&y);
}

static char *score_of(const struct tutti_options *o)
{
    tutti_scenario *s = rig_load(MASSES, o);
    tutti_run *r = rig_run(s, NULL);
    char *text = NULL;

    OK(tutti_score(r, TUTTI_TEXT, &text, &e));
    tutti_run_free(r);
    tutti_scenario_free(s);
    return text;
}

static void expect_in_score(const struct tutti_options *o, const char *words)
{
    char *text = score_of(o);

    if (!strstr(text, words))
        fail_msg("no '%s' in\n%s", words, text);
    tutti_free(text);
}

static void expect_bad(const struct tutti_options *o, const char *message)
{
    tutti_scenario *s = NULL;

    REFUSED(tutti_scenario_load(&s, MASSES, o, &e), TUTTI_BAD_INPUT, message);
    assert_null(s);
}

/* --- how to play --------------------------------------------------------- */

static void threads_and_processes_change_no_bit(void **state)
{
    static const double deadline = 60;
    struct tutti_options four = {.threads = "4"}, all = {.threads = "auto"};
    struct tutti_options apart = {.isolate = 1, .deadline = &deadline};

    (void)state;
    expect_same(FMI3, NULL, &four);
    expect_same(FMI3, NULL, &all);
    expect_same(FMI3, NULL, &apart);
    expect_bad(&(struct tutti_options){.threads = "0"},
               "command line: --threads must be \"auto\" or a number of "
               "threads from 1 to 64, not 0");
    expect_bad(&(struct tutti_options){.threads = "two"},
               "command line: --threads must be \"auto\" or a number of "
               "threads from 1 to 64, not 'two'");
}

static int has_crashed_in_a_run(void)
{
    struct logged logged = {.n = 0};
    struct tutti_run_options to = {.log_cb = take_record, .log_ctx = &logged};
    tutti_scenario *s =
        rig_load(CRASHING, &(struct tutti_options){.isolate = 1});
    tutti_run *r = rig_run(s, &to);

    OK(tutti_run_perform(r, &e));
    assert_int_equal(tutti_run_steps(r), 500);
    tutti_run_free(r);
    tutti_scenario_free(s);
    return strstr(logged.text, "its process crashed (SIGSEGV) at t=") != NULL;
}

/* The flaky unit dies of itself, by chance: in one of seven runs it does not.
 * Alone in its process it is started again. */
static void a_crash_in_a_process_of_its_own_does_not_end_the_run(void **state)
{
    int runs = 1;

    (void)state;
    while (!has_crashed_in_a_run())
        assert_true(++runs < 100);
}

static void a_unit_that_hangs_meets_its_deadline(void **state)
{
    static const double deadline = 5;
    static const char *const set[] = {"what=8", "amount=3600", "when=0.5"};
    struct tutti_options o = {
        .set = set, .n_set = 3, .isolate = 1, .deadline = &deadline};
    tutti_scenario *s = rig_unit("misbehave.fmu", &o);
    tutti_run *r = rig_run(s, NULL);
    double none = 0;

    (void)state;
    REFUSED(
        tutti_run_perform(r, &e), TUTTI_UNIT_FAILED,
        "instance '{misbehave}.misbehave' (fmi2, isolated): step at t=0.4: it "
        "did not answer within 5 s; an instance that hangs is not started "
        "again");
    tutti_run_free(r);
    tutti_scenario_free(s);
    expect_bad(&(struct tutti_options){.deadline = &none},
               "command line: --deadline must be greater than 0 and finite, "
               "not 0");
}

static uint64_t steps_with(double tolerance)
{
    struct tutti_options o = {.error_control = "richardson",
                              .step_tolerance = &tolerance};
    tutti_scenario *s = rig_load(MASSES, &o);
    tutti_run *r = rig_run(s, NULL);
    uint64_t n;

    OK(tutti_run_perform(r, &e));
    n = tutti_run_steps(r);
    tutti_run_free(r);
    tutti_scenario_free(s);
    return n;
}

/* First order: an error per step of H^2, so a tolerance of a hundredth is ten
 * times as many steps; at least five, since the first are guessed. */
static void the_error_of_the_coupling_is_controlled(void **state)
{
    static const double tolerance = 1e-3, bad = -1;

    (void)state;
    assert_true(steps_with(1e-5) > 5 * steps_with(1e-3));
    expect_bad(&(struct tutti_options){.step_tolerance = &tolerance},
               "command line: --step-tolerance needs --error-control");
    expect_bad(&(struct tutti_options){.error_control = "orders",
                                       .step_tolerance = &bad},
               "command line: --step-tolerance must be greater than 0 and "
               "finite");
    expect_bad(&(struct tutti_options){.error_control = "magic"},
               "command line: --error-control must be 'richardson', "
               "'orders', 'milne', 'energy' or 'embedded', not 'magic'");
}

static void steps_can_be_repeated(void **state)
{
    (void)state;
    expect_in_score(&(struct tutti_options){.iterate = "3"}, "3 times");
    expect_in_score(&(struct tutti_options){.iterate = "converged",
                                            .acceleration = "aitken"},
                    "aitken");
    expect_bad(&(struct tutti_options){.iterate = "3", .acceleration = "magic"},
               "command line: --acceleration must be 'none', 'relax', "
               "'aitken', 'anderson' or 'newton', not 'magic'");
}

/* Where an integrator that takes no course ends, whose input is the time. */
static double integral(int substeps)
{
    static const char ramp[] =
        "{\"fmus\": {\"{s}\": \"%s\", \"{h}\": \"" UNITS
        "raw2-holds.fmu\"}, \"connections\": {\"{s}.s.u\": [\"{h}.h.u\"]}, "
        "\"logVariables\": {\"{h}.h\": [\"y\"]}, \"startTime\": 0, "
        "\"endTime\": 1, \"algorithm\": {\"type\": \"fixed-step\", "
        "\"size\": 0.1}}";
    struct tutti_options o = {.approximation = "linear", .substeps = &substeps};
    char text[2048];
    int n;
    tutti_scenario *s = NULL;
    tutti_run *r;
    double y = 0;

    rig_write(rig_file("ramp.csv"), "time,u\n0,0\n1,1\n");
    n = snprintf(text, sizeof(text), ramp, rig_file("ramp.csv"));
    OK(tutti_scenario_parse(&s, text, (size_t)n, NULL, &o, &e));
    r = rig_run(s, NULL);
    OK(tutti_run_start(r, &e));
    while (!tutti_run_done(r))
        OK(tutti_run_step(r, &e));
    OK(tutti_run_get(r, "{h}.h.y", &y, &e));
    tutti_run_free(r);
    tutti_scenario_free(s);
    return y;
}

/* Held over 0.1 s it is short of 1/2 by half a step; in ten sub-steps by a
 * tenth of that. */
static void courses_are_followed_by_sub_steps(void **state)
{
    static const int negative = -1;

    (void)state;
    assert_true(fabs(integral(0) - 0.45) < 1e-12);
    assert_true(fabs(integral(10) - 0.495) < 1e-12);
    expect_bad(&(struct tutti_options){.substeps = &negative},
               "command line: --substeps must be a whole number from 0 to "
               "10000, not -1");
}

/* Half as fast as the clock; how late it is nobody knows. */
static void a_run_is_paced(void **state)
{
    static const double end = 0.2, factor = 0.5, backwards = -1;
    struct tutti_options o = {.end = &end, .real_time = &factor};
    struct timespec a, b;
    struct rig_rows rows;

    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &a);
    rows = rows_of(MASSES, &o);
    clock_gettime(CLOCK_MONOTONIC, &b);
    rig_rows_free(&rows);
    assert_true((double)(b.tv_sec - a.tv_sec) +
                    1e-9 * (double)(b.tv_nsec - a.tv_nsec) >=
                end / factor);
    expect_bad(&(struct tutti_options){.real_time = &backwards},
               "command line: --real-time must be greater than 0 and finite, "
               "not -1");
    expect_bad(&(struct tutti_options){.overrun = "stop"},
               "command line: --overrun goes with --real-time, or with "
               "'realTime' in the scenario");
}

static void a_fixed_step_is_taken_back_on_demand(void **state)
{
    static const char *const set[] = {"what=11", "amount=0.05", "when=0.5"};
    struct tutti_options o = {.set = set, .n_set = 3, .rollback = 1};
    tutti_scenario *s = rig_unit("misbehave.fmu", &o);
    tutti_run *r = rig_run(s, NULL);

    (void)state;
    OK(tutti_run_perform(r, &e));
    assert_true(tutti_run_steps(r) > 10);
    tutti_run_free(r);
    tutti_scenario_free(s);
}

/* --- anything else ------------------------------------------------------- */

static void a_master_comes_from_a_file(void **state)
{
    static const char hand[] =
        BUILD_DIR "/examples/hand-written-master/midpoint.json";

    (void)state;
    expect_in_score(&(struct tutti_options){.score = hand},
                    ": midpoint, 2 instances, 3 connections\n");
    expect_bad(&(struct tutti_options){.score = hand, .master = "jacobi"},
               "command line: --master has no effect with --score: the file "
               "decides how instances step");
}

static void json_is_laid_over_the_files(void **state)
{
    static const char rates[] = "{\"rates\": {\"{msd1}.msd1\": 10}}";
    static const char alone[] = "{\"fmus\": {\"{u}\": \"raw2.fmu\"}}";
    static const char rest[] =
        "{\"logVariables\": {\"{u}.u\": [\"y\"]}, \"endTime\": 1, "
        "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.5}}";
    struct tutti_options o = {.json = rates};
    tutti_run *r;
    tutti_scenario *s = NULL;

    (void)state;
    expect_in_score(&o, "loop    10 times");
    expect_bad(&(struct tutti_options){.json = "{\"rates\": 3}"},
               "options:1:11: 'rates' must be an object, not an integer");
    expect_bad(&(struct tutti_options){.json = "{"},
               "options:1:2: JSON ends too early: string or '}' expected near "
               "end of file");
    REFUSED(tutti_scenario_load(&s, UNITS "raw2.fmu", &o, &e), TUTTI_BAD_INPUT,
            UNITS "raw2.fmu is an FMU alone: JSON is laid over scenarios");
    o.json = rest;
    OK(tutti_scenario_parse(&s, alone, strlen(alone), UNITS, &o, &e));
    r = rig_run(s, NULL);
    OK(tutti_run_perform(r, &e));
    assert_int_equal(tutti_run_steps(r), 2);
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void only_files_of_a_folder_are_opened(void **state)
{
    struct tutti_options o = {.only_base = 1};
    tutti_scenario *s = NULL;
    tutti_run *r = NULL;

    (void)state;
    o.base = EXAMPLES "double-mass-spring-damper";
    o.json = "{\"fmus\": {\"{msd1}\": \"../water-tank/watertank.fmu\"}}";
    expect_bad(&o, "options:1:21: FMU '{msd1}': '../water-tank/watertank.fmu' "
                   "is not in the "
                   "session: upload the file, and name it "
                   "'session:watertank.fmu'");
    o.json = NULL;
    OK(tutti_scenario_load(&s, MASSES, &o, &e));
    OK(tutti_run_new(&r, s, NULL, &e));
    tutti_run_free(r);
    tutti_scenario_free(s);
    expect_bad(&(struct tutti_options){.only_base = 1},
               "only_base goes with base");
}

static void a_number_that_is_none_is_refused(void **state)
{
    const double none = strtod("nan", NULL);

    (void)state;
    expect_bad(&(struct tutti_options){.step = &none},
               "command line: --step must be a number, not NaN");
    expect_bad(&(struct tutti_options){.deadline = &none},
               "command line: --deadline must be a number, not NaN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_processes_change_no_bit),
        cmocka_unit_test(a_crash_in_a_process_of_its_own_does_not_end_the_run),
        cmocka_unit_test(a_unit_that_hangs_meets_its_deadline),
        cmocka_unit_test(the_error_of_the_coupling_is_controlled),
        cmocka_unit_test(steps_can_be_repeated),
        cmocka_unit_test(courses_are_followed_by_sub_steps),
        cmocka_unit_test(a_run_is_paced),
        cmocka_unit_test(a_fixed_step_is_taken_back_on_demand),
        cmocka_unit_test(a_master_comes_from_a_file),
        cmocka_unit_test(json_is_laid_over_the_files),
        cmocka_unit_test(only_files_of_a_folder_are_opened),
        cmocka_unit_test(a_number_that_is_none_is_refused),
    };

    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
