/* SPDX-License-Identifier: MIT */
/* Playing takes nothing from the heap: not ours through base/mem.h, not what
 * the C library takes for us. Every call of the playing thread is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/record.h"
#include "run/run.h"

static _Thread_local uint64_t calls;

/* --- counting ----------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__)

/* The sanitizer has taken malloc's place already, and tells. */
extern int __sanitizer_install_malloc_and_free_hooks(
    void (*malloc_hook)(const volatile void *, size_t),
    void (*free_hook)(const volatile void *));

static void took(const volatile void *p, size_t n)
{
    (void)p;
    (void)n;
    calls++;
}

static void gave(const volatile void *p)
{
    (void)p;
    calls++;
}

static void start_counting(void)
{
    assert_true(__sanitizer_install_malloc_and_free_hooks(took, gave) > 0);
}

#else

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void __libc_free(void *p);

#define SEEN __attribute__((visibility("default"))) /* by the C library too */

SEEN void *malloc(size_t n)
{
    calls++;
    return __libc_malloc(n);
}

SEEN void *calloc(size_t n, size_t size)
{
    calls++;
    return __libc_calloc(n, size);
}

SEEN void *realloc(void *p, size_t n)
{
    calls++;
    return __libc_realloc(p, n);
}

SEEN void free(void *p)
{
    if (p)
        calls++;
    __libc_free(p);
}

static void start_counting(void)
{
}

#endif

/* --- playing ------------------------------------------------------------ */

enum { FIRST = 5, COUNTED = 300 };

struct play {
    const char *scenario, *iterate, *acceleration, *approximation, *csv, *json;
};

static tt_run *open_run(const struct play *p, tt_scenario **s,
                        tt_observer **csv)
{
    char path[1000];
    const char *file = path;
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    struct tt_files to = {.path = &p->csv, .n = 1};
    struct tt_run_opts opts = {.observer = csv, .n_observer = p->csv != NULL};
    struct tt_log log = {0};
    tt_run *r = NULL;
    tt_err err = {0};
    enum tt_code rc;

    (void)snprintf(path, sizeof(path), "%s/examples/%s", TT_BUILD_DIR,
                   p->scenario);
    o.iterate = p->iterate;
    o.acceleration = p->acceleration;
    o.approximation = p->approximation;
    o.json = p->json;
    rc = tt_scenario_open(s, &file, 1, &o, &log, &err);
    if (rc == TT_OK && p->csv)
        rc = tt_record_files(csv, &to, 0, &err);
    if (rc == TT_OK)
        rc = tt_run_new(&r, *s, &opts, &err);
    if (rc == TT_OK)
        rc = tt_run_start(r, &err);
    if (rc != TT_OK)
        fail_msg("%s", err.msg);
    return r;
}

static uint64_t play_counted(tt_run *r, uint64_t *steps)
{
    uint64_t before = 0;
    tt_err err;

    for (*steps = 0; *steps < FIRST + COUNTED && !tt_run_done(r); ++*steps) {
        if (*steps == FIRST)
            before = calls;
        if (tt_run_step(r, &err) != TT_OK)
            fail_msg("%s", err.msg);
    }
    return calls - before;
}

static void expect_none(const struct play *p)
{
    tt_scenario *s = NULL;
    tt_observer *csv = NULL;
    tt_run *r = open_run(p, &s, &csv);
    uint64_t steps, n = play_counted(r, &steps);

    assert_true(steps > FIRST + 20);
    tt_run_free(r);
    tt_observer_free(csv);
    tt_scenario_free(s);
    if (n)
        fail_msg("%s: %llu heap calls in %llu steps", p->scenario,
                 (unsigned long long)n, (unsigned long long)steps);
}

/* --- tests -------------------------------------------------------------- */

/* A test that counts nothing would pass as well. */
static void calls_are_counted(void **state)
{
    uint64_t before = calls;
    char *p = malloc(1000);

    (void)state;
    assert_non_null(p);
    memset(p, 1, 1000);
    p = realloc(p, 100000);
    assert_non_null(p);
    assert_int_equal(p[999], 1);
    free(p);
    p = strdup("in the C library");
    assert_string_equal(p, "in the C library");
    free(p);
    assert_true(calls - before >= 5);
}

static void fixed_steps_take_nothing(void **state)
{
    (void)state;
    expect_none(&(struct play){.scenario = "cruise-control/scenario.json"});
    expect_none(
        &(struct play){.scenario = "cruise-control/scenario-fmi3.json"});
    expect_none(
        &(struct play){.scenario = "double-mass-spring-damper/scenario.json"});
    expect_none(&(struct play){
        .scenario = "double-mass-spring-damper/scenario-fmi3.json"});
    expect_none(&(struct play){.scenario = "water-tank/scenario.json"});
}

static void courses_take_nothing(void **state)
{
    (void)state;
    expect_none(
        &(struct play){.scenario = "double-mass-spring-damper/scenario.json",
                       .approximation = "quadratic"});
    expect_none(&(struct play){
        .scenario = "double-mass-spring-damper/scenario-fmi3.json",
        .approximation = "quadratic"});
}

static void waveforms_take_nothing(void **state)
{
    (void)state;
    expect_none(&(struct play){
        .scenario = "double-mass-spring-damper/scenario-waveform.json"});
}

static void iterated_steps_take_nothing(void **state)
{
    static const char *const method[] = {"none", "relax", "aitken", "anderson",
                                         "newton"};

    (void)state;
    for (size_t i = 0; i < sizeof(method) / sizeof(*method); i++) {
        expect_none(&(struct play){
            .scenario = "double-mass-spring-damper/scenario.json",
            .iterate = "converged",
            .acceleration = method[i]});
        expect_none(&(struct play){
            .scenario = "double-mass-spring-damper/scenario-fmi3.json",
            .iterate = "converged",
            .acceleration = method[i]});
    }
}

static void variable_steps_take_nothing(void **state)
{
    (void)state;
    expect_none(
        &(struct play){.scenario = "bouncing-ball/scenario-variable.json"});
    expect_none(
        &(struct play){.scenario = "water-tank/scenario-variable.json"});
}

static void recording_takes_nothing(void **state)
{
    (void)state;
    expect_none(&(struct play){.scenario = "cruise-control/scenario.json",
                               .csv = "/dev/null"});
}

/* A violation is put into words once. */
static void expecting_takes_nothing(void **state)
{
    (void)state;
    expect_none(&(struct play){
        .scenario = "double-mass-spring-damper/scenario.json",
        .json = "{\"expect\": [{\"range\": \"{msd1}.msd1.x1\", \"min\": -2}, "
                "{\"never\": \"{msd2}.msd2.x2 > 5 or {msd1}.msd1.v1 > 9\", "
                "\"after\": \"{msd1}.msd1.x1 < 0.5\"}, {\"settles\": "
                "\"{msd2}.msd2.x2\", \"to\": 0, \"tolerance\": 0.1}]}"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_counted),
        cmocka_unit_test(fixed_steps_take_nothing),
        cmocka_unit_test(courses_take_nothing),
        cmocka_unit_test(waveforms_take_nothing),
        cmocka_unit_test(iterated_steps_take_nothing),
        cmocka_unit_test(variable_steps_take_nothing),
        cmocka_unit_test(recording_takes_nothing),
        cmocka_unit_test(expecting_takes_nothing),
    };

    start_counting();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
