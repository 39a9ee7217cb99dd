/* SPDX-License-Identifier: MIT */
/* Every allocation of a short run fails once: the run ends with "out of memory"
 * or does without, nothing crashes, and under the sanitizer nothing leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compose/compose.h"
#include "results/record.h"
#include "run/run.h"

enum { STEPS = 3 };

struct play {
    const char *scenario, *iterate, *approximation, *master;
};

static enum tt_code step(tt_run *r, tt_err *err)
{
    enum tt_code rc = tt_run_start(r, err);

    for (int i = 0; i < STEPS && rc == TT_OK && !tt_run_done(r); i++)
        rc = tt_run_step(r, err);
    return rc == TT_OK ? tt_run_end(r, err) : rc;
}

static enum tt_code play(const struct play *p, tt_err *err)
{
    static const char *csv = TT_BUILD_DIR "/tests/sweep.csv";
    char path[1000];
    const char *file = path;
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    struct tt_files to = {.path = &csv, .n = 1};
    tt_observer *observer = NULL;
    struct tt_run_opts opts = {
        .observer = &observer, .n_observer = 1, .kind_cb = tt_compose_kind_for};
    struct tt_log log = {0};
    tt_scenario *s = NULL;
    tt_run *r = NULL;
    enum tt_code rc;

    (void)snprintf(path, sizeof(path), "%s/examples/%s", TT_BUILD_DIR,
                   p->scenario);
    o.iterate = p->iterate;
    o.approximation = p->approximation;
    o.master = p->master;
    rc = tt_scenario_open(&s, &file, 1, &o, &log, err);
    if (rc == TT_OK)
        rc = tt_record_files(&observer, &to, 0, err);
    if (rc == TT_OK)
        rc = tt_run_new(&r, s, &opts, err);
    if (rc == TT_OK)
        rc = step(r, err);
    tt_run_free(r);
    tt_observer_free(observer);
    tt_scenario_free(s);
    return rc;
}

/* Allocation k of a run that makes n. Returns whether it is told as what it is.
 */
static int fail_one(const struct play *p, uint64_t k, uint64_t n)
{
    tt_err err = {0};
    enum tt_code rc;

    tt_mem_fail_after(k);
    rc = play(p, &err);
    tt_mem_fail_after(0);
    if (rc == TT_OK || (rc == TT_ENOMEM && strstr(err.msg, "memory")))
        return 1;
    print_error("%s, allocation %llu of %llu: code %d, %s\n", p->scenario,
                (unsigned long long)k, (unsigned long long)n, (int)rc, err.msg);
    return 0;
}

static void sweep(const struct play *p)
{
    tt_err err = {0};
    uint64_t before, n, wrong = 0;

    if (play(p, &err) != TT_OK) /* what is made once is made now */
        fail_msg("%s: %s", p->scenario, err.msg);
    before = tt_mem_count();
    assert_int_equal(play(p, &err), TT_OK);
    n = tt_mem_count() - before;
    assert_true(n > 100);
    for (uint64_t k = 1; k <= n; k++)
        wrong += !fail_one(p, k, n);
    assert_int_equal(wrong, 0);
}

static void fixed_steps(void **state)
{
    (void)state;
    sweep(&(struct play){.scenario = "cruise-control/scenario.json"});
    sweep(&(struct play){.scenario = "cruise-control/scenario-fmi3.json",
                         .approximation = "linear"});
    sweep(&(struct play){.scenario = "operating-point/scenario.json",
                         .master = "gauss-seidel"});
}

static void repeated_steps(void **state)
{
    (void)state;
    sweep(&(struct play){.scenario = "double-mass-spring-damper/scenario.json",
                         .iterate = "2"});
    sweep(&(struct play){.scenario = "rigid-link/scenario-often.json"});
}

static void variable_steps(void **state)
{
    (void)state;
    sweep(&(struct play){.scenario = "bouncing-ball/scenario-variable.json"});
}

static void scenarios_inside(void **state)
{
    (void)state;
    sweep(&(struct play){.scenario = "nested-water-tank/scenario.json"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps),
        cmocka_unit_test(repeated_steps),
        cmocka_unit_test(variable_steps),
        cmocka_unit_test(scenarios_inside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
