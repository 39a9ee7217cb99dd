/* SPDX-License-Identifier: MIT */
/* What a run leaves behind, as `tutti run` can, from C, and what its units may
 * do to the machine. */
#include "rig.h"

#include <sys/stat.h>
#include <unistd.h>

#define TRESPASS UNITS "trespass.fmu"

/* --- what it leaves ------------------------------------------------------ */

static void every_format_has_the_same_rows(void **state)
{
    static const double sample = 0.6;
    char csv[512], mat[512], h5[512], trace[512];
    const char *const more[] = {mat, h5};
    struct tutti_options o = {.record = "x?,v?", .sample = &sample};
    struct tutti_run_options to = {
        .csv = csv, .output = more, .n_output = 2, .trace = trace};
    tutti_scenario *s = rig_load(MASSES, &o);
    tutti_run *r;
    int same = 0;
    char *text;

    (void)state;
    (void)snprintf(csv, sizeof(csv), "%s", rig_file("all.csv"));
    (void)snprintf(mat, sizeof(mat), "%s", rig_file("all.mat"));
    (void)snprintf(h5, sizeof(h5), "%s", rig_file("all.h5"));
    (void)snprintf(trace, sizeof(trace), "%s", rig_file("trace.csv"));
    r = rig_run(s, &to);
    OK(tutti_run_perform(r, &e));
    OK(tutti_compare(mat, csv, NULL, &same, TUTTI_TEXT, NULL, &e));
    assert_int_equal(same, 1);
    OK(tutti_compare(h5, csv, NULL, &same, TUTTI_TEXT, NULL, &e));
    assert_int_equal(same, 1);
    text = rig_read(csv);
    assert_int_equal(rig_lines(text), 19); /* 0, 0.6, ..., 9.6, 10 */
    assert_non_null(strstr(text, "{msd1}.msd1.x1"));
    free(text);
    text = rig_read(trace);
    assert_int_equal(rig_lines(text), 51);
    assert_memory_equal(text, "time,step,h,outcome,", 20);
    free(text);
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void the_dialect_is_chosen(void **state)
{
    struct tutti_run_options to = {.csv = rig_file("one.csv"),
                                   .dialect = "maestro1"};
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = rig_run(s, &to);
    char *text;

    (void)state;
    OK(tutti_run_perform(r, &e));
    tutti_run_free(r);
    text = rig_read(to.csv);
    assert_memory_equal(text, "time,step-size,", 15);
    free(text);
    r = NULL;
    to.dialect = "maestro3";
    REFUSED(tutti_run_new(&r, s, &to, &e), TUTTI_BAD_INPUT,
            "--dialect needs maestro1 or maestro2, not 'maestro3'");
    assert_null(r);
    tutti_scenario_free(s);
}

static void refuse_run(const struct tutti_run_options *to, enum tutti_code code,
                       const char *message)
{
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = NULL;

    REFUSED(tutti_run_new(&r, s, to, &e), code, message);
    assert_null(r);
    tutti_scenario_free(s);
}

static void names_of_files_are_checked(void **state)
{
    static const char *const two[] = {"a.csv", "a.csv"};
    static const char *const none[] = {NULL};
    static const char *const many[17] = {""};

    (void)state;
    refuse_run(&(struct tutti_run_options){.output = two, .n_output = 2},
               TUTTI_BAD_INPUT, "the result file 'a.csv' is named twice");
    refuse_run(&(struct tutti_run_options){.csv = "a.csv", .trace = "a.csv"},
               TUTTI_BAD_INPUT, "the file 'a.csv' is named twice");
    refuse_run(&(struct tutti_run_options){.report = "a", .trace = "a"},
               TUTTI_BAD_INPUT, "the file 'a' is named twice");
    refuse_run(&(struct tutti_run_options){.trace = "-"}, TUTTI_BAD_INPUT,
               "the trace needs a file, not '-'");
    refuse_run(&(struct tutti_run_options){.trace = "a", .events = "a"},
               TUTTI_BAD_INPUT, "the file 'a' is named twice");
    refuse_run(&(struct tutti_run_options){.csv = "a", .events = "a"},
               TUTTI_BAD_INPUT, "the file 'a' is named twice");
    refuse_run(&(struct tutti_run_options){.events = "-"}, TUTTI_BAD_INPUT,
               "the list of events needs a file, not '-'");
    refuse_run(&(struct tutti_run_options){.events = "/nowhere/events.csv"},
               TUTTI_IO,
               "cannot write /nowhere/events.csv: No such file or directory");
    refuse_run(&(struct tutti_run_options){.output = none, .n_output = 1},
               TUTTI_BAD_INPUT, "output[0] is NULL");
    refuse_run(&(struct tutti_run_options){.n_output = 1}, TUTTI_BAD_INPUT,
               "n_output is 1, but output is NULL");
    refuse_run(&(struct tutti_run_options){.output = many, .n_output = 1},
               TUTTI_BAD_INPUT, "the name of a file is empty");
    refuse_run(&(struct tutti_run_options){.output = many, .n_output = 17},
               TUTTI_BAD_INPUT, "17 result files; there may be 16");
    assert_int_not_equal(access("a.csv", F_OK), 0);
}

struct taken {
    char text[512];
    size_t n;
};

static void take_event(void *ctx, const struct tutti_run_event *e)
{
    struct taken *h = ctx;

    h->n += (size_t)snprintf(
        h->text + h->n, sizeof(h->text) - h->n, "%.1f,%u,%s,%s,%s\n", e->time,
        (unsigned)e->microstep, e->instance, e->port, e->value);
}

static void events_are_listed_and_called_back(void **state)
{
    static const double end = 300;
    struct taken h = {.n = 0};
    struct tutti_run_options to = {.events = rig_file("events.csv"),
                                   .event_cb = take_event,
                                   .event_ctx = &h};
    tutti_scenario *s = rig_load(EXAMPLES "traffic-light/scenario.json",
                                 &(struct tutti_options){.end = &end});
    tutti_run *r = rig_run(s, &to);
    char *text;

    (void)state;
    OK(tutti_run_perform(r, &e));
    assert_string_equal(h.text, "60.0,1,{light}.light,colour,green\n"
                                "100.0,1,{police}.police,order,toWork\n"
                                "300.0,1,{police}.police,order,toIdle\n");
    text = rig_read(to.events);
    assert_memory_equal(text, "time,microstep,instance,port,value\n", 35);
    assert_string_equal(text + 35, h.text);
    free(text);
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void a_run_that_cannot_trace_reports_it(void **state)
{
    struct tutti_run_options to = {.trace = "/nowhere/trace.csv"};

    (void)state;
    refuse_run(&to, TUTTI_IO,
               "cannot write /nowhere/trace.csv: No such file or directory");
}

static void the_profile_states_where_time_went(void **state)
{
    struct tutti_run_options to = {.profile = 1};
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = rig_run(s, &to);
    char *text = NULL;

    (void)state;
    REFUSED(tutti_run_profile(r, TUTTI_TEXT, &text, &e), TUTTI_BAD_STATE,
            "the run was not started");
    OK(tutti_run_perform(r, &e));
    OK(tutti_run_profile(r, TUTTI_TEXT, &text, &e));
    assert_non_null(strstr(text, "worst step"));
    assert_non_null(strstr(text, "step msd1 to T1"));
    assert_null(strstr(text, "--json"));
    tutti_free(text);
    OK(tutti_run_profile(r, TUTTI_JSON, &text, &e));
    assert_non_null(strstr(text, "{\"name\": \"{msd2}.msd2\", \"steps\": 50,"));
    tutti_free(text);
    REFUSED(tutti_run_profile(r, TUTTI_SVG, &text, &e), TUTTI_UNSUPPORTED,
            "a profile is text or JSON");
    tutti_run_free(r);
    r = rig_run(s, NULL);
    REFUSED(tutti_run_profile(r, TUTTI_TEXT, &text, &e), TUTTI_BAD_STATE,
            "the run measures nothing: its options have no 'profile'");
    tutti_run_free(r);
    tutti_scenario_free(s);
}

/* --- what units may do --------------------------------------------------- */

/* Where the system has no sandbox, there is nothing to test. */
static void need_sandbox(void)
{
    static const struct tutti_sandbox box;
    tutti_scenario *s = rig_load(TRESPASS, NULL);
    tutti_run *r = NULL;
    enum tutti_code rc = tutti_run_new(
        &r, s, &(struct tutti_run_options){.sandbox = &box}, NULL);

    tutti_run_free(r);
    tutti_scenario_free(s);
    if (rc == TUTTI_UNSUPPORTED)
        skip();
    assert_int_equal(rc, TUTTI_OK);
}

/* The unit writes to a file in the step from t=0.9. */
static enum tutti_code trespass(const char *path,
                                const struct tutti_sandbox *box, tutti_error *e)
{
    char file[600];
    const char *const set[] = {"what=4", file};
    struct tutti_options o = {.set = set, .n_set = 2};
    struct tutti_run_options to = {.csv = rig_file("trespass.csv"),
                                   .sandbox = box};
    tutti_scenario *s;
    tutti_run *r = NULL;
    enum tutti_code rc;

    (void)snprintf(file, sizeof(file), "path=%s", path);
    s = rig_load(TRESPASS, &o);
    rc = tutti_run_new(&r, s, &to, e);
    if (rc == TUTTI_OK)
        rc = tutti_run_perform(r, e);
    tutti_run_free(r);
    tutti_scenario_free(s);
    return rc;
}

static int is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Results are written all the same: by us, who are not confined. */
static void units_in_a_sandbox_write_where_they_may(void **state)
{
    char evil[512], logs[512], good[600], want[1024];
    const char *const folder[] = {logs};
    struct tutti_sandbox box = {0};
    char *text;

    (void)state;
    need_sandbox();
    (void)snprintf(evil, sizeof(evil), "%s", rig_file("evil"));
    (void)snprintf(logs, sizeof(logs), "%s", rig_file("logs"));
    (void)snprintf(good, sizeof(good), "%s/good", logs);
    assert_int_equal(mkdir(logs, 0700), 0);
    (void)snprintf(want, sizeof(want),
                   "instance '{trespass}.trespass' (fmi2, isolated): step at "
                   "t=0.9: fmi2DoStep returned fmi2Error: last message: "
                   "\"cannot write %s: Permission denied\"",
                   evil);
    REFUSED(trespass(evil, &box, &e), TUTTI_UNIT_FAILED, want);
    assert_false(is_there(evil));
    text = rig_read(rig_file("trespass.csv"));
    assert_int_equal(rig_lines(text), 11);
    free(text);
    box.write = folder;
    box.n_write = 1;
    OK(trespass(good, &box, &e));
    assert_true(is_there(good));
    REFUSED(trespass(evil, &box, &e), TUTTI_UNIT_FAILED, want);
    box = (struct tutti_sandbox){.only_limits = 1,
                                 .file_size = (uint64_t)1 << 30};
    OK(trespass(evil, &box, &e));
    assert_true(is_there(evil));
    assert_int_equal(unlink(evil), 0);
    OK(trespass(evil, NULL, &e));
    assert_true(is_there(evil));
}

static void a_scenario_inside_is_confined_too(void **state)
{
    static const char inner[] =
        "{\"fmus\": {\"{t}\": \"" TRESPASS "\"}, \"instances\": {}, "
        "\"parameters\": {\"{t}.t.what\": 4, \"{t}.t.path\": \"%s\"}, "
        "\"logVariables\": {\"{t}.t\": [\"y\"]}, "
        "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1}}";
    static const char outer[] =
        "{\"fmus\": {\"{in}\": \"coe:%s\"}, \"logVariables\": {\"{in}.i\": "
        "[\"{t}.t.y\"]}, \"startTime\": 0, \"endTime\": 2, \"algorithm\": "
        "{\"type\": \"fixed-step\", \"size\": 0.1}}";
    char text[2048], evil[512], path[512];
    struct tutti_sandbox box = {0};
    struct tutti_run_options to = {.sandbox = &box};
    tutti_scenario *s;
    tutti_run *r;
    tutti_error e;

    (void)state;
    need_sandbox();
    (void)snprintf(evil, sizeof(evil), "%s", rig_file("inside-evil"));
    (void)snprintf(text, sizeof(text), inner, evil);
    (void)snprintf(path, sizeof(path), "%s", rig_file("inner.json"));
    rig_write(path, text);
    (void)snprintf(text, sizeof(text), outer, path);
    rig_write(rig_file("outer.json"), text);
    s = rig_load(rig_file("outer.json"), NULL);
    r = rig_run(s, &to);
    assert_int_equal(tutti_run_perform(r, &e), TUTTI_UNIT_FAILED);
    assert_non_null(strstr(e.message, ": Permission denied"));
    assert_false(is_there(evil));
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void a_sandbox_that_makes_no_sense_is_refused(void **state)
{
    static const char *const nowhere[] = {"/nowhere/at/all"};
    struct tutti_sandbox box = {.write = nowhere, .n_write = 1};
    struct tutti_run_options to = {.sandbox = &box};

    (void)state;
    need_sandbox();
    refuse_run(&to, TUTTI_BAD_INPUT,
               "cannot allow writing in '/nowhere/at/all': No such file or "
               "directory");
    box.write = NULL;
    refuse_run(&to, TUTTI_BAD_INPUT,
               "sandbox: n_write is 1, but write is NULL");
    box = (struct tutti_sandbox){.only_limits = 1, .network = 1};
    refuse_run(&to, TUTTI_BAD_INPUT,
               "sandbox: with only_limits nothing is refused, so network "
               "allows nothing");
}

/* What we hold is not the same everywhere. */
static void a_limit_below_what_is_held_is_refused(void **state)
{
    static const char begin[] = "sandbox: a memory limit of 1000 bytes is less "
                                "than the ",
                      end[] =
                          "B this process holds, of which instances' processes "
                          "are copies";
    struct tutti_sandbox box = {.only_limits = 1, .memory = 1000};
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = NULL;
    tutti_error e;

    (void)state;
    assert_int_equal(
        tutti_run_new(&r, s, &(struct tutti_run_options){.sandbox = &box}, &e),
        TUTTI_BAD_INPUT);
    assert_null(r);
    assert_memory_equal(e.message, begin, sizeof(begin) - 1);
    assert_true(strlen(e.message) > sizeof(begin) + sizeof(end));
    assert_string_equal(e.message + strlen(e.message) + 1 - sizeof(end), end);
    tutti_scenario_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_the_same_rows),
        cmocka_unit_test(the_dialect_is_chosen),
        cmocka_unit_test(names_of_files_are_checked),
        cmocka_unit_test(events_are_listed_and_called_back),
        cmocka_unit_test(a_run_that_cannot_trace_reports_it),
        cmocka_unit_test(the_profile_states_where_time_went),
        cmocka_unit_test(units_in_a_sandbox_write_where_they_may),
        cmocka_unit_test(a_scenario_inside_is_confined_too),
        cmocka_unit_test(a_sandbox_that_makes_no_sense_is_refused),
        cmocka_unit_test(a_limit_below_what_is_held_is_refused),
    };

    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
