/* SPDX-License-Identifier: MIT */
/* The log of attempts: its rows, its file, its pictures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "results/record.h"
#include "run/steplog.h"
#include "run/testing.h"
#include "sys/file.h"

#define VARIABLE(end)                                                          \
    "{\"fmus\": {\"{i}\": \"i\"}, \"instances\": {\"{i}\": [\"a\"]}, "         \
    "\"connections\": {}, \"parameters\": {\"{i}.a.u\": 1}, \"algorithm\": "   \
    "{\"type\": \"var-step\", \"size\": [0.25, 0.5], \"initsize\": 0.5}, "     \
    "\"endTime\": " end "}"
#define FIXED                                                                  \
    "{\"fmus\": {\"{i}\": \"i\"}, \"instances\": {\"{i}\": [\"a\"]}, "         \
    "\"connections\": {}, \"algorithm\": {\"type\": \"fixed-step\", "          \
    "\"size\": 0.5}, \"endTime\": 1.25}"
#define CIRCLE                                                                 \
    "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\"}, \"connections\": "           \
    "{\"{i}.x.y\": [\"{i}.v.u\"], \"{i}.v.y\": [\"{g}.m.u\"], \"{g}.m.y\": "   \
    "[\"{i}.x.u\"]}, \"parameters\": {\"{g}.m.k\": -1, \"{i}.x.y0\": 1}, "     \
    "\"iterate\": 3, \"algorithm\": {\"type\": \"fixed-step\", \"size\": "     \
    "0.25}, \"endTime\": 1}"
#define HEADER                                                                 \
    "time,step,h,outcome,limited by,objector,reason,evaluations,reached\n"

/* A run whose attempts go into a log with a file and pictures. */
struct desk {
    struct stage *st;
    struct tt_mock_spec spec;
    char *dir, *path;
    tt_observer *file;
    tt_steplog *log;
    enum tt_code rc;
};

static void open_desk(struct desk *d)
{
    struct tt_files files = {.n = 1};

    *d = (struct desk){.st = st_new(), .spec = tt_mock_integrator};
    assert_int_equal(tt_dir_temp(&d->dir, NULL), TT_OK);
    d->path = tt_path_join(d->dir, "steps.csv");
    files.path = (const char *const *)&d->path;
    assert_int_equal(tt_record_files(&d->file, &files, 0, NULL), TT_OK);
    assert_int_equal(
        tt_steplog_new(&d->log,
                       &(struct tt_steplog_opts){.file = d->file, .picture = 1},
                       NULL),
        TT_OK);
    d->st->opts.attempt_cb = tt_steplog_add;
    d->st->opts.attempt_ctx = d->log;
    tt_mock_register("i", &d->spec);
    tt_mock_register("g", &tt_mock_gain);
}

/* Play, and the file must be this. */
static void play(struct desk *d, const char *json, const char *rows)
{
    struct tt_buf b;

    d->rc = st_play(d->st, json);
    assert_int_equal(tt_steplog_end(d->log, NULL), TT_OK);
    tt_buf_init(&b, 1 << 20);
    assert_int_equal(tt_file_read(&b, d->path, NULL), TT_OK);
    tt_buf_char(&b, '\0');
    assert_string_equal(b.data, rows);
    tt_buf_fini(&b);
}

static void close_desk(struct desk *d)
{
    tt_steplog_free(d->log);
    tt_observer_free(d->file);
    st_free(d->st);
    assert_int_equal(tt_dir_remove(d->dir, NULL), TT_OK);
    tt_free(d->dir);
    tt_free(d->path);
}

static void fixed_steps_are_logged(void **state)
{
    struct desk d;
    struct tt_panels p = {0};

    (void)state;
    open_desk(&d);
    play(&d, FIXED,
         HEADER "0.0,1,0.5,accepted,fixed step,,,0,0.5\n"
                "0.5,2,0.5,accepted,fixed step,,,0,1.0\n"
                "1.0,3,0.25,accepted,fixed step,,,0,1.25\n");
    assert_int_equal(d.rc, TT_OK);
    assert_int_equal(tt_steplog_panels(d.log, &p, NULL), TT_OK);
    assert_int_equal(p.n, 1); /* sizes differ; nothing was repeated */
    tt_panels_fini(&p);
    close_desk(&d);
}

static void a_rejection_names_its_cause(void **state)
{
    const struct tt_mock_cue cue = {.at = TT_MOCK_STEP,
                                    .nth = 2,
                                    .act = TT_MOCK_REJECT_RESTORE,
                                    .value = 0.75};
    struct desk d;
    struct tt_panels p = {0};
    const struct tt_series *s;

    (void)state;
    open_desk(&d);
    d.spec.cue = &cue;
    d.spec.n_cue = 1;
    play(
        &d, VARIABLE("1.25"),
        HEADER
        "0.0,1,0.5,accepted,first step,,,0,0.5\n"
        "0.5,2,0.5,rejected,largest step,{i}.a,step from 0.5 "
        "s "
        "to 1 s: an instance rejected the step and could reach 0.75 s; retried "
        "with h = 0.25 s,0,0.75\n"
        "0.5,2,0.25,accepted,instance,,,0,0.75\n"
        "0.75,3,0.5,accepted,largest step,,,0,1.25\n");
    assert_int_equal(d.rc, TT_OK);
    assert_int_equal(tt_steplog_panels(d.log, &p, NULL), TT_OK);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.panel[0].n, 2);
    s = p.panel[0].series;
    assert_true(s[0].n == 4 && s[0].steps); /* three steps and the end */
    assert_true(s[0].t[3] == 1.25 && s[0].y[3] == 0.5);
    assert_true(s[1].n == 1 && s[1].marks); /* the one that was taken back */
    assert_true(s[1].t[0] == 0.5 && s[1].y[0] == 0.5);
    tt_panels_fini(&p);
    close_desk(&d);
}

static void evaluations_are_counted_per_step(void **state)
{
    struct desk d;
    struct tt_panels p = {0};

    (void)state;
    open_desk(&d);
    play(&d, CIRCLE,
         HEADER "0.0,1,0.25,accepted,fixed step,,,3,0.25\n"
                "0.25,2,0.25,accepted,fixed step,,,3,0.5\n"
                "0.5,3,0.25,accepted,fixed step,,,3,0.75\n"
                "0.75,4,0.25,accepted,fixed step,,,3,1.0\n");
    assert_int_equal(tt_steplog_panels(d.log, &p, NULL), TT_OK);
    assert_int_equal(p.n, 1); /* sizes do not differ */
    assert_string_equal(p.panel[0].series[0].name, "evaluations per attempt");
    assert_true(p.panel[0].series[0].y[2] == 3);
    tt_panels_fini(&p);
    close_desk(&d);
}

static void the_last_attempt_states_how_it_failed(void **state)
{
    const struct tt_mock_cue cue = {.at = TT_MOCK_STEP,
                                    .nth = 2,
                                    .act = TT_MOCK_ERROR,
                                    .text = "it, and \"more\""};
    struct desk d;

    (void)state;
    open_desk(&d);
    d.spec.cue = &cue;
    d.spec.n_cue = 1;
    play(&d, FIXED,
         HEADER
         "0.0,1,0.5,accepted,fixed step,,,0,0.5\n"
         "0.5,2,0.5,failed,fixed step,,\"instance '{i}.a' (mock): step at "
         "t=0.5: it, and \"\"more\"\"\",0,0.5\n");
    assert_int_equal(d.rc, TT_EUNIT);
    close_desk(&d);
}

static void a_unit_that_ends_the_run_is_named(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_TERMINATE};
    struct desk d;

    (void)state;
    open_desk(&d);
    d.spec.cue = &cue;
    d.spec.n_cue = 1;
    play(&d, FIXED,
         HEADER
         "0.0,1,0.5,accepted,fixed step,,,0,0.5\n"
         "0.5,2,0.5,accepted,fixed step,,ended by instance '{i}.a' at t=1 "
         "s,0,1.0\n");
    assert_int_equal(d.rc, TT_OK);
    close_desk(&d);
}

static void a_file_that_takes_no_more_is_reported_at_the_end(void **state)
{
    static const char full[] = "/dev/full";
    const char *const path = full;
    struct tt_files files = {.path = &path, .n = 1};
    tt_observer *file;
    tt_steplog *log = NULL;
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_record_files(&file, &files, 0, NULL), TT_OK);
    assert_int_equal(
        tt_steplog_new(&log, &(struct tt_steplog_opts){.file = file}, &err),
        TT_EIO);
    assert_string_equal(err.msg,
                        "cannot write /dev/full: No space left on device");
    assert_null(log);
    tt_observer_free(file);
}

static void a_long_reason_loses_its_end(void **state)
{
    struct desk d;
    char *words = tt_alloc(3001);
    struct tt_run_attempt a = {.step = 1,
                               .h = 1,
                               .outcome = "failed",
                               .limited_by = "",
                               .objector = "",
                               .reason = words,
                               .reached = 0};
    struct tt_buf b;

    (void)state;
    memset(words, 'x', 3000);
    words[3000] = '\0';
    open_desk(&d);
    tt_steplog_add(d.log, &a);
    assert_int_equal(tt_steplog_end(d.log, NULL), TT_OK);
    tt_buf_init(&b, 1 << 20);
    assert_int_equal(tt_file_read(&b, d.path, NULL), TT_OK);
    assert_int_equal(b.len, strlen(HEADER "0.0,1,1.0,failed,,,,0,0.0\n") +
                                TT_TEXT_MAX - 1);
    tt_buf_fini(&b);
    tt_free(words);
    close_desk(&d);
}

static void steps_of_many_sizes_are_drawn_by_their_logarithm(void **state)
{
    struct tt_run_attempt a = {
        .outcome = "accepted", .limited_by = "", .objector = "", .reason = ""};
    struct tt_panels p = {0};
    struct desk d;

    (void)state;
    open_desk(&d);
    for (int i = 0; i < 4; i++) {
        a.h = i % 2 ? 1e-3 : 10;
        tt_steplog_add(d.log, &a);
        a.t0 += a.h;
    }
    assert_int_equal(tt_steplog_panels(d.log, &p, NULL), TT_OK);
    assert_int_equal(p.n, 1);
    assert_true(fabs(p.panel[0].series[0].y[0] - 1) < 1e-12);
    assert_true(fabs(p.panel[0].series[0].y[1] + 3) < 1e-12);
    tt_panels_fini(&p);
    close_desk(&d);
}

static void without_attempts_there_is_no_picture(void **state)
{
    struct tt_panels p = {0};
    struct desk d;

    (void)state;
    open_desk(&d);
    assert_int_equal(tt_steplog_panels(d.log, &p, NULL), TT_OK);
    assert_int_equal(p.n, 0);
    tt_panels_fini(&p);
    close_desk(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps_are_logged),
        cmocka_unit_test(a_rejection_names_its_cause),
        cmocka_unit_test(evaluations_are_counted_per_step),
        cmocka_unit_test(the_last_attempt_states_how_it_failed),
        cmocka_unit_test(a_unit_that_ends_the_run_is_named),
        cmocka_unit_test(a_file_that_takes_no_more_is_reported_at_the_end),
        cmocka_unit_test(a_long_reason_loses_its_end),
        cmocka_unit_test(steps_of_many_sizes_are_drawn_by_their_logarithm),
        cmocka_unit_test(without_attempts_there_is_no_picture),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
