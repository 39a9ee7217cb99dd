/* SPDX-License-Identifier: MIT */
/* Isolated units: messages, deaths, words. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "remote/isolate.h"
#include "remote/proxy.h"
#include "remote/testing.h"
#include "sys/sync.h"
#include "unit/substep.h"

enum { STEPS = 80 };

/* Everything logged, as "level: text" lines. */
static char logged[4096];

static void take_record(void *ctx, const struct tt_log_record *r)
{
    size_t n = strlen(logged);

    (void)ctx;
    (void)snprintf(logged + n, sizeof(logged) - n, "%s: %s\n",
                   tt_log_level_name(r->level), r->text);
}

static const struct tt_log listening = {.sink_cb = take_record};

/* Of the unit that was made last. */
static struct tt_activity activity;

static tt_unit *make_unit(tt_unit_type *t, double deadline)
{
    const struct tt_make m = {.name = "{k}.u",
                              .instance = "u",
                              .log = &listening,
                              .activity = &activity,
                              .logging = 1};
    tt_unit *u = NULL;

    logged[0] = '\0';
    memset(&activity, 0, sizeof(activity));
    assert_ok(tt_isolate_make(&u, t, &m,
                              &(struct tt_isolate){.deadline = deadline}, err));
    return u;
}

static tt_unit *make_plain(tt_unit_type *t)
{
    const struct tt_make m = {.name = "{k}.u", .instance = "u"};
    tt_unit *u = NULL;

    assert_ok(t->kind->make(&u, t, &m, err));
    return u;
}

static double input(int i)
{
    return 1.0 / (1 + i % 7) - 0.1 * (i % 3);
}

static void step_to(tt_unit *u, int i)
{
    struct tt_stepped r;

    assert_ok(tt_unit_step(
        u, &(struct tt_step){.to = i * 0.1, .may_restore = 1}, &r, err));
}

/* --- messages ------------------------------------------------------------ */

static void a_step_with_all_it_sets_and_reads_is_one_message_each_way(void **s)
{
    tt_unit_type *t = open_type(MSD "msd1.fmu");
    tt_unit *u = make_unit(t, 0);
    uint32_t in = port_of(u, "F"),
             out[2] = {port_of(u, "x1"), port_of(u, "v1")};
    double v = 0, y[2] = {0, 0};
    struct tt_call set, get, step;
    struct tt_now now = {.t = {0, 0}};
    struct tt_proxy_stats before, after;

    (void)s;
    get_ready(u, 2);
    assert_ok(
        tt_unit_bind(u, TT_VERB_SET, &(struct tt_span){&in, 1, &v}, &set, err));
    assert_ok(
        tt_unit_bind(u, TT_VERB_GET, &(struct tt_span){out, 2, y}, &get, err));
    assert_ok(tt_unit_bind(u, TT_VERB_STEP, NULL, &step, err));
    step.from = TT_T0;
    step.to = TT_T1;
    assert_true(tt_proxy_stats(u, &before));
    for (int i = 0; i < STEPS; i++) { /* with saves, and states packed */
        now.t[TT_T0] = i * 0.1;
        now.t[TT_T1] = (i + 1) * 0.1;
        now.h[TT_T1] = 0.1;
        v = input(i);
        assert_ok(tt_unit_save(u, 0, err));
        assert_int_equal(tt_call_make(&set, &now), TT_CALL_OK);
        assert_int_equal(tt_call_make(&step, &now), TT_CALL_OK);
        assert_int_equal(tt_call_make(&get, &now), TT_CALL_OK);
    }
    assert_true(tt_proxy_stats(u, &after));
    assert_int_equal(after.requests - before.requests, STEPS);
    assert_int_equal(after.answers - before.answers, STEPS);
    tt_unit_free(u);
    close_type(t);
}

static void who_reads_after_setting_sees_the_new_value(void **s)
{
    tt_unit_type *t = open_type(MSD "msd1.fmu");
    tt_unit *u = make_unit(t, 0);

    (void)s;
    get_ready(u, 0);
    set_f64(u, "F", 2.5);
    assert_true(get_f64(u, "F") == 2.5);
    step_to(u, 1);
    set_f64(u, "F", -1);
    assert_true(get_f64(u, "F") == -1);
    tt_unit_free(u);
    close_type(t);
}

/* Lists of one and of two inputs, in every order, some twice before a step. */
static void set_in_turn(tt_unit *u, double *trace)
{
    uint32_t x = port_of(u, "x1"), v = port_of(u, "v1"), both[2] = {v, x};

    for (int i = 1; i <= STEPS; i++) {
        double two[2] = {input(i), input(i + 1)}, one = -input(i);

        for (int k = 0; k < 1 + i % 4; k++) {
            struct tt_span s = {both, 2, two};

            if ((i + k) % 3 == 1)
                s = (struct tt_span){&x, 1, &one};
            else if ((i + k) % 3 == 2)
                s = (struct tt_span){&v, 1, &one};
            assert_ok(tt_unit_set(u, &s, err));
        }
        step_to(u, i);
        trace[i - 1] = get_f64(u, "F");
    }
}

static void lists_set_in_turn_arrive_where_they_belong(void **s)
{
    static double want[STEPS], got[STEPS];
    tt_unit_type *t = open_type(MSD "msd2.fmu");
    tt_unit *plain = make_plain(t), *u = make_unit(t, 0);

    (void)s;
    get_ready(plain, 1);
    get_ready(u, 1);
    set_in_turn(plain, want);
    set_in_turn(u, got);
    assert_memory_equal(got, want, sizeof(want));
    tt_unit_free(plain);
    tt_unit_free(u);
    close_type(t);
}

static void what_a_unit_logs_arrives_here(void **s)
{
    tt_unit_type *t = open_type(UNITS "misbehave.fmu");
    tt_unit *u = make_unit(t, 0);

    (void)s;
    set_i32(u, "what", 9);
    set_f64(u, "when", 0.1);
    get_ready(u, 0);
    step_to(u, 1);
    assert_non_null(strstr(logged, "100% sure"));
    tt_unit_free(u);
    close_type(t);
}

/* --- death --------------------------------------------------------------- */

/* One long drive: sets, steps, reads, and every ninth step is taken back and
 * made again. Into trace, if nothing kills: `victim` is the step at which the
 * unit's process dies, `nap_ns` into it. */
static void drive(tt_unit *u, double *trace, int victim, uint64_t nap_ns)
{
    for (int i = 1; i <= STEPS; i++) {
        if (i == victim) {
            tt_sleep_ns(nap_ns);
            kill(tt_isolate_pid(u), SIGKILL);
        }
        if (i % 9 == 0)
            assert_ok(tt_unit_save(u, 0, err));
        set_f64(u, "F", input(i));
        step_to(u, i);
        if (i % 9 == 0) {
            assert_ok(tt_unit_restore(u, 0, err));
            set_f64(u, "F", -input(i));
            step_to(u, i);
        }
        trace[2 * i - 2] = get_f64(u, "x1");
        trace[2 * i - 1] = get_f64(u, "v1");
    }
}

/* A hundred deaths at seeded random steps. */
static void a_unit_killed_at_any_time_goes_on_the_same(void **s)
{
    static double want[2 * STEPS], got[2 * STEPS];
    tt_unit_type *t = open_type(MSD "msd1.fmu");
    tt_unit *u = make_plain(t);
    unsigned seed = 20260;

    (void)s;
    get_ready(u, 1);
    drive(u, want, 0, 0);
    tt_unit_free(u);
    for (int k = 0; k < 100; k++) {
        struct tt_proxy_stats stats;
        int victim;

        seed = seed * 1103515245u + 12345u;
        victim = 1 + (int)(seed >> 16) % STEPS;
        u = make_unit(t, 0);
        get_ready(u, 1);
        memset(got, 0, sizeof(got));
        drive(u, got, victim, seed % 50000);
        assert_memory_equal(got, want, sizeof(want));
        assert_true(tt_proxy_stats(u, &stats));
        assert_int_equal(stats.revived, 1);
        assert_non_null(strstr(logged,
                               "warning: instance '{k}.u': its process was "
                               "killed (SIGKILL) at t="));
        tt_unit_free(u);
    }
    close_type(t);
}

static void a_death_before_the_first_step_is_survived(void **s)
{
    tt_unit_type *t = open_type(MSD "msd1.fmu");
    tt_unit *u = make_unit(t, 0);

    (void)s;
    set_f64(u, "m1", 3);
    kill(tt_isolate_pid(u), SIGKILL);
    get_ready(u, 0);
    assert_true(get_f64(u, "m1") == 3);
    assert_string_equal(logged,
                        "warning: instance '{k}.u': its process was killed "
                        "(SIGKILL) at t=0; it was started again and goes on\n");
    tt_unit_free(u);
    close_type(t);
}

/* A call of several answers is no call without one, and what deals with a
 * death is not stuck: the parent process must see that of a wrapped unit, too.
 */
static void what_goes_on_within_a_call_is_seen(void **s)
{
    const struct tt_make m = {.name = "{k}.u", .activity = &activity};
    tt_unit_type *t = open_type(MSD "msd1.fmu");
    tt_unit *inner = make_unit(t, 0), *u = NULL;
    struct tt_poly line = {.order = 1, .c = {0, 1}};
    uint32_t in = port_of(inner, "F"), before;

    (void)s;
    assert_ok(tt_substep_new(&u, inner, (struct tt_substeps){4, 4}, &m, err));
    get_ready(u, 0);
    for (int i = 1; i <= 3; i++) {
        before = activity.signs.moved;
        if (i == 3)
            kill(tt_isolate_pid(inner), SIGKILL);
        assert_ok(
            tt_unit_course(u, &(struct tt_span){&in, 1, NULL}, &line, err));
        step_to(u, i);
        assert_int_equal(activity.signs.moved - before, i == 3 ? 4 + 2 : 4);
        assert_int_equal(activity.signs.dealing, 0);
    }
    tt_unit_free(u);
    close_type(t);
}

static void a_unit_that_cannot_be_packed_ends_named(void **s)
{
    tt_unit_type *t = open_type(UNITS "raw2.fmu");
    tt_unit *u = make_unit(t, 0);
    struct tt_stepped r;

    (void)s;
    assert_false(u->desc->caps.serialise);
    get_ready(u, 0);
    step_to(u, 1);
    kill(tt_isolate_pid(u), SIGKILL);
    assert_fails(
        TT_ECRASH, tt_unit_step(u, &(struct tt_step){.to = 0.2}, &r, err),
        "instance '{k}.u' (fmi2, isolated): step at t=0.1: its process was "
        "killed (SIGKILL); its state cannot be serialised, so it "
        "cannot go on elsewhere");
    assert_fails(TT_ESTATE, tt_unit_end(u, err),
                 "instance '{k}.u' (fmi2, isolated): end at t=0.1: not allowed "
                 "because it failed earlier");
    assert_ok(tt_unit_reset(u, err)); /* with a new process */
    get_ready(u, 0);
    step_to(u, 1);
    tt_unit_free(u);
    close_type(t);
}

/* --- words --------------------------------------------------------------- */

static void misbehave(int32_t what, double amount, double deadline,
                      const char *message)
{
    tt_unit_type *t = open_type(UNITS "misbehave.fmu");
    tt_unit *u = make_unit(t, deadline);
    struct tt_stepped r;

    set_i32(u, "what", what);
    set_f64(u, "when", 0.2);
    set_f64(u, "amount", amount);
    get_ready(u, 0);
    step_to(u, 1);
    assert_fails(TT_ECRASH,
                 tt_unit_step(u, &(struct tt_step){.to = 0.2}, &r, err),
                 message);
    tt_unit_free(u);
    close_type(t);
}

static void a_crash_an_exit_and_a_hang_are_named(void **s)
{
    (void)s;
    misbehave(6, 0, 0,
              "instance '{k}.u' (fmi2, isolated): step at t=0.1: its process "
              "crashed (SIGSEGV), again and again since it was started again");
    misbehave(7, 0, 0,
              "instance '{k}.u' (fmi2, isolated): step at t=0.1: it ended its "
              "process (exit code 0), again and again since it was started "
              "again");
    /* longer than a busy machine keeps a process waiting */
    misbehave(
        8, 60, 2,
        "instance '{k}.u' (fmi2, isolated): step at t=0.1: it did not answer "
        "within 2 s; an instance that hangs is not started again");
}

static void a_failed_set_is_reported_with_the_step_it_was_for(void **s)
{
    tt_unit_type *t = open_type(UNITS "misbehave.fmu");
    tt_unit *u = make_unit(t, 0);
    struct tt_stepped r;

    (void)s;
    set_i32(u, "what", 1);
    set_f64(u, "when", 0.2);
    get_ready(u, 0);
    step_to(u, 1);
    assert_fails(TT_EUNIT,
                 tt_unit_step(u, &(struct tt_step){.to = 0.2}, &r, err),
                 "instance '{k}.u' (fmi2, isolated): step at t=0.1: fmi2DoStep "
                 "returned fmi2Error: last message: \"asked to fail\"");
    tt_unit_free(u);
    close_type(t);
}

/* Whatever the system can do of it. */
static void a_confined_unit_plays_the_same(void **s)
{
    static double want[2 * STEPS], got[2 * STEPS];
    const struct tt_make m = {.name = "{k}.u", .instance = "u"};
    const struct tt_sandbox box = {.guards = TT_GUARDS_ALL};
    tt_unit_type *t = open_type(MSD "msd1.fmu");
    tt_unit *u = make_plain(t);

    (void)s;
    get_ready(u, 1);
    drive(u, want, 0, 0);
    tt_unit_free(u);
    assert_ok(
        tt_isolate_make(&u, t, &m, &(struct tt_isolate){.sandbox = &box}, err));
    get_ready(u, 1);
    drive(u, got, STEPS / 2, 0); /* and is started again */
    assert_memory_equal(got, want, sizeof(want));
    tt_unit_free(u);
    close_type(t);
}

static void a_process_that_cannot_be_confined_runs_nothing(void **s)
{
    static const char *const nowhere = "/nowhere/at/all";
    const struct tt_make m = {.name = "{k}.u", .instance = "u"};
    const struct tt_sandbox box = {
        .guards = TT_GUARD_FILES, .write = &nowhere, .n_write = 1};
    tt_unit_type *t = open_type(MSD "msd1.fmu");
    tt_unit *u = NULL;
    tt_err err = {.msg = ""};

    (void)s;
    if (tt_sandbox_can() & TT_GUARD_FILES) {
        assert_int_equal(tt_isolate_make(&u, t, &m,
                                         &(struct tt_isolate){.sandbox = &box},
                                         &err),
                         TT_EINPUT);
        assert_non_null(strstr(err.msg, "instance '{k}.u' (fmi2, isolated): "));
        assert_non_null(strstr(err.msg, nowhere));
    }
    close_type(t);
}

static void units_that_may_be_made_once_are_made_often(void **s)
{
    tt_unit_type *t = open_type(UNITS "raw2-once.fmu");
    tt_unit *a = make_unit(t, 0), *b = make_unit(t, 0);

    (void)s;
    get_ready(a, 0);
    get_ready(b, 0);
    step_to(a, 1);
    step_to(b, 1);
    tt_unit_free(a);
    tt_unit_free(b);
    close_type(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_step_with_all_it_sets_and_reads_is_one_message_each_way),
        cmocka_unit_test(who_reads_after_setting_sees_the_new_value),
        cmocka_unit_test(lists_set_in_turn_arrive_where_they_belong),
        cmocka_unit_test(what_a_unit_logs_arrives_here),
        cmocka_unit_test(a_unit_killed_at_any_time_goes_on_the_same),
        cmocka_unit_test(a_death_before_the_first_step_is_survived),
        cmocka_unit_test(what_goes_on_within_a_call_is_seen),
        cmocka_unit_test(a_unit_that_cannot_be_packed_ends_named),
        cmocka_unit_test(a_crash_an_exit_and_a_hang_are_named),
        cmocka_unit_test(a_failed_set_is_reported_with_the_step_it_was_for),
        cmocka_unit_test(a_confined_unit_plays_the_same),
        cmocka_unit_test(a_process_that_cannot_be_confined_runs_nothing),
        cmocka_unit_test(units_that_may_be_made_once_are_made_often),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
