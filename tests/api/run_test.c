/* SPDX-License-Identifier: MIT */
/* Scenarios and runs: options, results, ends, and calls at the wrong time. */
#include "rig.h"

struct logged {
    char text[8192];
    size_t n;
};

/* "level unit: text" a line, of this level and above. */
static void take_record(void *ctx, enum tutti_level level, const char *unit,
                        const char *text)
{
    struct logged *h = ctx;

    if (level < TUTTI_NOTE)
        return;
    h->n +=
        (size_t)snprintf(h->text + h->n, sizeof(h->text) - h->n, "%d %s: %s\n",
                         (int)level, unit ? unit : "-", text);
    assert_true(h->n < sizeof(h->text));
}

/* --- a run that goes well ------------------------------------------------ */

static void a_run_plays_to_its_end(void **state)
{
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = rig_run(s, NULL);

    (void)state;
    assert_int_equal(tutti_run_how(r), TUTTI_END_NOT_YET);
    assert_string_equal(tutti_run_sentence(r), "");
    OK(tutti_run_perform(r, &e));
    assert_int_equal(tutti_run_how(r), TUTTI_END_COMPLETE);
    assert_int_equal(tutti_run_steps(r), 50);
    assert_true(tutti_run_time(r) == 10);
    assert_true(tutti_run_done(r));
    assert_string_equal(tutti_run_sentence(r), "completed: 50 steps to t=10 s");
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void columns_are_what_rows_have(void **state)
{
    static const char *const name[] = {"{msd1}.msd1.x1", "{msd1}.msd1.v1",
                                       "{msd2}.msd2.F", "{msd2}.msd2.x2",
                                       "{msd2}.msd2.v2"};
    struct rig_rows rows = {0};
    struct tutti_run_options o = {.row_cb = rig_row, .row_ctx = &rows};
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = rig_run(s, &o);

    (void)state;
    assert_int_equal(tutti_run_columns(r), 5);
    for (size_t i = 0; i < 5; i++) {
        size_t k = 0;

        while (k < 5 && strcmp(tutti_run_column(r, k), name[i]) != 0)
            k++;
        assert_true(k < 5);
    }
    assert_null(tutti_run_column(r, 5));
    OK(tutti_run_perform(r, &e));
    assert_int_equal(rows.rows, 51);
    assert_int_equal(rows.width, 6);
    assert_true(rows.value[0] == 0);
    assert_true(rows.value[50 * 6] == 10);
    rig_rows_free(&rows);
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void stepping_by_hand_gives_the_same_bits(void **state)
{
    struct rig_rows whole = {0}, steps = {0};
    struct tutti_run_options o = {.row_cb = rig_row, .row_ctx = &whole};
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = rig_run(s, &o);

    (void)state;
    OK(tutti_run_perform(r, &e));
    tutti_run_free(r);
    o.row_ctx = &steps;
    r = rig_run(s, &o);
    OK(tutti_run_start(r, &e));
    assert_int_equal(steps.rows, 1);
    while (tutti_run_time(r) < 5)
        OK(tutti_run_step(r, &e));
    OK(tutti_run_perform(r, &e)); /* the rest */
    assert_string_equal(tutti_run_sentence(r), "completed: 50 steps to t=10 s");
    rig_same_rows(&whole, &steps);
    rig_rows_free(&whole);
    rig_rows_free(&steps);
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void the_report_draws_variable_steps(void **state)
{
    const char *report = rig_file("steps.html");
    struct tutti_run_options o = {.report = report};
    tutti_scenario *s =
        rig_load(EXAMPLES "bouncing-ball/scenario-variable.json", NULL);
    tutti_run *r = rig_run(s, &o);
    char *text;

    (void)state;
    OK(tutti_run_perform(r, &e));
    text = rig_read(report);
    assert_non_null(strstr(text, "<h2>Steps</h2>"));
    free(text);
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void results_and_report_are_written(void **state)
{
    const char *csv = rig_file("out.csv"), *report = rig_file("out.html");
    struct tutti_run_options o = {.csv = csv, .report = report};
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = rig_run(s, &o);
    char *text;

    (void)state;
    OK(tutti_run_perform(r, &e));
    tutti_run_free(r);
    tutti_scenario_free(s);
    text = rig_read(csv);
    assert_int_equal(rig_lines(text), 52);
    assert_memory_equal(text, "time,", 5);
    free(text);
    text = rig_read(report);
    /* the folder names a file that is called scenario.json */
    assert_non_null(strstr(text, "<title>double-mass-spring-damper</title>"));
    assert_non_null(strstr(text, " 50 steps to t=10 s"));
    assert_non_null(strstr(text, "half the step and see how much"));
    assert_non_null(strstr(text, csv));
    assert_null(strstr(text, "calls</th>")); /* not counted */
    free(text);
}

/* --- what to simulate ---------------------------------------------------- */

static void options_are_laid_over_the_files(void **state)
{
    const char *set[] = {"{msd1}.msd1.x1=2"};
    double end = 1, step = 0.25, x = 0;
    struct tutti_options o = {.set = set,
                              .n_set = 1,
                              .end = &end,
                              .step = &step,
                              .master = "gauss-seidel",
                              .order = "msd2,msd1",
                              .record = "{msd1}.msd1.m1"};
    tutti_scenario *s = rig_load(MASSES, &o);
    tutti_run *r = rig_run(s, NULL);
    char *score = NULL;

    (void)state;
    OK(tutti_score(r, TUTTI_TEXT, &score, &e));
    assert_non_null(strstr(score, "gauss-seidel"));
    tutti_free(score);
    assert_int_equal(tutti_run_columns(r), 6);
    OK(tutti_run_start(r, &e));
    OK(tutti_run_get(r, "{msd1}.msd1.x1", &x, &e));
    assert_true(x == 2);
    OK(tutti_run_perform(r, &e));
    assert_string_equal(tutti_run_sentence(r), "completed: 4 steps to t=1 s");
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void files_are_laid_over_each_other(void **state)
{
    const char *path[2] = {MASSES, rig_file("more.json")};
    tutti_scenario *s = NULL;
    tutti_run *r;

    (void)state;
    rig_write(path[1], "{\"endTime\": 2}");
    OK(tutti_scenario_load_many(&s, path, 2, NULL, &e));
    r = rig_run(s, NULL);
    OK(tutti_run_perform(r, &e));
    assert_string_equal(tutti_run_sentence(r), "completed: 10 steps to t=2 s");
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static const char text_of_one[] =
    "{\"fmus\": {\"{b}\": \"bouncing_ball.fmu\"}, \"tpyo\": 1,\n"
    "\"logVariables\": {\"{b}.ball\": [\"h\"]},\n"
    "\"endTime\": 1, \"algorithm\": {\"type\": \"fixed-step\", \"size\": "
    "0.1}}";

static void a_scenario_may_come_from_memory_and_states_what_is_odd(void **state)
{
    struct logged h = {0};
    struct tutti_options o = {.log_cb = take_record, .log_ctx = &h};
    tutti_scenario *s = NULL;
    tutti_run *r;

    (void)state;
    OK(tutti_scenario_parse(&s, text_of_one, strlen(text_of_one),
                            EXAMPLES "bouncing-ball", &o, &e));
    assert_string_equal(
        h.text, "3 -: scenario:1:40: unknown field 'tpyo' is ignored\n");
    r = rig_run(s, NULL);
    OK(tutti_run_perform(r, &e));
    assert_string_equal(tutti_run_sentence(r), "completed: 10 steps to t=1 s");
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void an_fmu_runs_alone(void **state)
{
    tutti_scenario *s = rig_unit("alltypes-fmi3.fmu", NULL);
    tutti_run *r = rig_run(s, NULL);

    (void)state;
    OK(tutti_run_perform(r, &e));
    assert_string_equal(tutti_run_sentence(r), "completed: 10 steps to t=1 s");
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void what_cannot_be_loaded_is_reported(void **state)
{
    static const char *const two[] = {MASSES, UNITS "raw2.fmu"};
    struct tutti_options o = {.master = "magic"};
    tutti_scenario *s = NULL;

    (void)state;
    REFUSED(tutti_scenario_load(&s, "/nowhere/x.json", NULL, &e),
            TUTTI_BAD_INPUT,
            "cannot read /nowhere/x.json: No such file or directory");
    REFUSED(tutti_scenario_load_many(&s, two, 0, NULL, &e), TUTTI_BAD_INPUT,
            "no scenario file is given");
    REFUSED(tutti_scenario_load_many(&s, two, 2, NULL, &e), TUTTI_BAD_INPUT,
            "'" UNITS "raw2.fmu' is an FMU and can only run alone; couple "
            "several in a scenario (tutti new writes one)");
    REFUSED(tutti_scenario_load(&s, MASSES, &o, &e), TUTTI_BAD_INPUT,
            "command line: --master must be 'jacobi' or 'gauss-seidel', not "
            "'magic'");
    REFUSED(tutti_scenario_parse(&s, "{", 1, NULL, NULL, &e), TUTTI_BAD_INPUT,
            "scenario:1:2: JSON ends too early: string or '}' expected near "
            "end of file");
    assert_int_equal(tutti_scenario_load(&s, "/nowhere/x.json", NULL, NULL),
                     TUTTI_BAD_INPUT); /* nobody wants the words */
    assert_null(s);
    tutti_scenario_free(s);
}

static void a_run_is_refused_before_it_starts(void **state)
{
    const char *set[] = {"{msd1}.msd1.x9=2"};
    struct tutti_options o = {.set = set, .n_set = 1};
    struct tutti_run_options to = {.report = rig_file("refused.html")};
    tutti_scenario *s = rig_load(MASSES, &o);
    tutti_run *r = NULL;

    (void)state;
    REFUSED(
        tutti_run_new(&r, s, &to, &e), TUTTI_BAD_INPUT,
        "command line: instance '{msd1}.msd1' has no variable 'x9', did you "
        "mean 'x1'?");
    assert_null(r);
    tutti_scenario_free(s);
}

/* --- ends ---------------------------------------------------------------- */

static void the_caller_may_stop_it(void **state)
{
    struct rig_rows rows = {.stop_after = 4};
    struct tutti_run_options o = {
        .row_cb = rig_row, .row_ctx = &rows, .csv = rig_file("stop.csv")};
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = rig_run(s, &o);
    char *text;

    (void)state;
    OK(tutti_run_perform(r, &e));
    assert_int_equal(tutti_run_how(r), TUTTI_END_STOPPED);
    assert_string_equal(tutti_run_sentence(r), "stopped: 3 steps to t=0.6 s");
    text = rig_read(o.csv);
    assert_int_equal(rig_lines(text), 5);
    free(text);
    rig_rows_free(&rows);
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void ending_before_the_end_is_stopping(void **state)
{
    struct tutti_run_options o = {.report = rig_file("early.html")};
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = rig_run(s, &o);
    char *text;

    (void)state;
    OK(tutti_run_start(r, &e));
    OK(tutti_run_step(r, &e));
    OK(tutti_run_end(r, &e));
    assert_int_equal(tutti_run_how(r), TUTTI_END_STOPPED);
    assert_string_equal(tutti_run_sentence(r), "stopped: 1 step to t=0.2 s");
    tutti_run_free(r);
    tutti_scenario_free(s);
    text = rig_read(o.report);
    assert_non_null(strstr(text, ">stopped</span>"));
    free(text);
}

/* misbehave.c: what 4 ends the simulation, 1 fails. */
static tutti_scenario *misbehaving(const char *what)
{
    char set[64];
    const char *list[] = {set};
    double end = 2, step = 0.5;
    struct tutti_options o = {
        .set = list, .n_set = 1, .end = &end, .step = &step};

    snprintf(set, sizeof(set), "{misbehave}.misbehave.what=%s", what);
    return rig_unit("misbehave.fmu", &o);
}

static void a_unit_may_end_it(void **state)
{
    tutti_scenario *s = misbehaving("4");
    tutti_run *r = rig_run(s, NULL);

    (void)state;
    OK(tutti_run_perform(r, &e));
    assert_int_equal(tutti_run_how(r), TUTTI_END_TERMINATED);
    assert_string_equal(tutti_run_sentence(r),
                        "ended by instance '{misbehave}.misbehave' at t=1 s");
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static const char failure[] = "instance '{misbehave}.misbehave' (fmi2): step "
                              "at t=0.5: fmi2DoStep returned "
                              "fmi2Error: last message: \"asked to fail\"";

static void a_failure_names_the_unit_and_keeps_what_was(void **state)
{
    struct logged h = {0};
    struct tutti_run_options o = {.csv = rig_file("fail.csv"),
                                  .report = rig_file("fail.html"),
                                  .log_cb = take_record,
                                  .log_ctx = &h};
    tutti_scenario *s = misbehaving("1");
    tutti_run *r = rig_run(s, &o);
    char *text;

    (void)state;
    REFUSED(tutti_run_perform(r, &e), TUTTI_UNIT_FAILED, failure);
    assert_int_equal(tutti_run_how(r), TUTTI_END_FAILED);
    assert_string_equal(tutti_run_sentence(r), "failed: 1 step to t=0.5 s");
    assert_non_null(strstr(h.text, "4 {misbehave}.misbehave: asked to fail\n"));
    tutti_run_free(r);
    tutti_scenario_free(s);
    text = rig_read(o.csv);
    assert_int_equal(rig_lines(text), 3);
    free(text);
    text = rig_read(o.report);
    assert_non_null(strstr(text, ">failed</span>"));
    assert_non_null(strstr(text, "fmi2DoStep returned fmi2Error"));
    free(text);
}

static void a_run_that_failed_can_be_ended(void **state)
{
    tutti_scenario *s = misbehaving("1");
    tutti_run *r = rig_run(s, NULL);
    double y;

    (void)state;
    OK(tutti_run_start(r, &e));
    OK(tutti_run_step(r, &e));
    REFUSED(tutti_run_step(r, &e), TUTTI_UNIT_FAILED, failure);
    assert_true(tutti_run_done(r));
    REFUSED(tutti_run_step(r, &e), TUTTI_BAD_STATE, "the run is not playing");
    assert_int_equal(tutti_run_get(r, "{misbehave}.misbehave.y", &y, NULL),
                     TUTTI_BAD_STATE);
    OK(tutti_run_end(r, &e));
    assert_int_equal(tutti_run_how(r), TUTTI_END_FAILED);
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void where_results_cannot_be_written_is_reported(void **state)
{
    struct tutti_run_options o = {.csv = "/nowhere/out.csv"};
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = rig_run(s, &o);

    (void)state;
    REFUSED(tutti_run_perform(r, &e), TUTTI_IO,
            "cannot write /nowhere/out.csv: No such file or directory");
    tutti_run_free(r);
    tutti_scenario_free(s);
}

/* --- calls at the wrong moment ------------------------------------------- */

static void calls_at_the_wrong_moment_are_refused_and_harmless(void **state)
{
    static const char name[] = "{msd1}.msd1.x1",
                      words[] = "the run is not playing";
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = rig_run(s, NULL);
    double x;

    (void)state;
    REFUSED(tutti_run_step(r, &e), TUTTI_BAD_STATE, words);
    REFUSED(tutti_run_end(r, &e), TUTTI_BAD_STATE, words);
    REFUSED(tutti_run_get(r, name, &x, &e), TUTTI_BAD_STATE, words);
    OK(tutti_run_start(r, &e));
    REFUSED(tutti_run_start(r, &e), TUTTI_BAD_STATE,
            "the run was started already");
    while (!tutti_run_done(r))
        OK(tutti_run_step(r, &e));
    REFUSED(tutti_run_step(r, &e), TUTTI_BAD_STATE, "the run is at its end");
    OK(tutti_run_end(r, &e));
    assert_int_equal(tutti_run_how(r), TUTTI_END_COMPLETE);
    REFUSED(tutti_run_end(r, &e), TUTTI_BAD_STATE, words);
    REFUSED(tutti_run_perform(r, &e), TUTTI_BAD_STATE, words);
    REFUSED(tutti_run_get(r, name, &x, &e), TUTTI_BAD_STATE, words);
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void runs_are_freed_in_any_state(void **state)
{
    struct tutti_run_options o = {.csv = rig_file("freed.csv"),
                                  .report = rig_file("freed.html")};
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = rig_run(s, &o);
    char *text;

    (void)state;
    tutti_run_free(r); /* never started: nothing is written */
    assert_null(fopen(o.report, "r"));
    r = rig_run(s, &o);
    OK(tutti_run_start(r, &e));
    OK(tutti_run_step(r, &e));
    tutti_run_free(r); /* playing: ended, with results and report */
    text = rig_read(o.csv);
    assert_int_equal(rig_lines(text), 3);
    free(text);
    free(rig_read(o.report));
    tutti_run_free(NULL);
    tutti_scenario_free(s);
    tutti_scenario_free(NULL);
    tutti_free(NULL);
}

static void decisions_are_reported(void **state)
{
    struct logged h = {0};
    struct tutti_run_options o = {.log_cb = take_record, .log_ctx = &h};
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = rig_run(s, &o);

    (void)state;
    assert_non_null(strstr(h.text, "2 -: exchange: {msd1}.msd1: consistent"));
    tutti_run_free(r);
    tutti_scenario_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_plays_to_its_end),
        cmocka_unit_test(columns_are_what_rows_have),
        cmocka_unit_test(stepping_by_hand_gives_the_same_bits),
        cmocka_unit_test(the_report_draws_variable_steps),
        cmocka_unit_test(results_and_report_are_written),
        cmocka_unit_test(options_are_laid_over_the_files),
        cmocka_unit_test(files_are_laid_over_each_other),
        cmocka_unit_test(
            a_scenario_may_come_from_memory_and_states_what_is_odd),
        cmocka_unit_test(an_fmu_runs_alone),
        cmocka_unit_test(what_cannot_be_loaded_is_reported),
        cmocka_unit_test(a_run_is_refused_before_it_starts),
        cmocka_unit_test(the_caller_may_stop_it),
        cmocka_unit_test(ending_before_the_end_is_stopping),
        cmocka_unit_test(a_unit_may_end_it),
        cmocka_unit_test(a_failure_names_the_unit_and_keeps_what_was),
        cmocka_unit_test(a_run_that_failed_can_be_ended),
        cmocka_unit_test(where_results_cannot_be_written_is_reported),
        cmocka_unit_test(calls_at_the_wrong_moment_are_refused_and_harmless),
        cmocka_unit_test(runs_are_freed_in_any_state),
        cmocka_unit_test(decisions_are_reported),
    };

    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
