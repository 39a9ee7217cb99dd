/* SPDX-License-Identifier: MIT */
/* Units in processes of their own, and on another host, keep the contract. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kinds/kinds.h"
#include "remote/isolate.h"
#include "remote/listen.h"
#include "remote/remote.h"
#include "remote/testing.h"
#include "sys/child.h"
#include "sys/file.h"
#include "sys/proc.h"
#include "sys/sync.h"
#include "unit/contract.h"
#include "unit/late.h"

struct subject {
    tt_unit_type *type;
    int event_mode;
    int late; /* with a wrapper around it */
};

/* Of a wrapper that predicts what is late: nothing is. */
static uint64_t never(void *ctx, double t)
{
    (void)ctx;
    (void)t;
    return UINT64_MAX;
}

static enum tt_code make_late(tt_unit **out, tt_unit *inner,
                              const struct tt_make *m, tt_err *err)
{
    const struct tt_late_how how = {
        .after = HUGE_VAL, .most = 2, .end = HUGE_VAL, .left_cb = never};

    return tt_late_new(out, inner, &how, m, err);
}

static enum tt_code make(const void *ctx, const char *name, tt_unit **out,
                         tt_err *err)
{
    const struct subject *s = ctx;
    const struct tt_make m = {.name = name,
                              .instance = name,
                              .logging = 1,
                              .event_mode = s->event_mode,
                              .early_return = !s->late,
                              .want_course = 1};
    tt_unit *u = NULL;
    enum tt_code rc;

    if (s->type->kind == &tt_kind_remote)
        return s->type->kind->make(out, s->type, &m, err);
    rc = tt_isolate_make(&u, s->type, &m, &(struct tt_isolate){0}, err);
    if (rc == TT_OK && s->late)
        return make_late(out, u, &m, err);
    *out = u;
    return rc;
}

/* misbehave, asked to fail at the second step of the suite. */
static enum tt_code make_failing(const void *ctx, const char *name,
                                 tt_unit **out, tt_err *err)
{
    enum tt_code rc = make(ctx, name, out, err);

    if (rc != TT_OK)
        return rc;
    set_i32(*out, "what", 1);
    set_f64(*out, "when", 0.2);
    return TT_OK;
}

/* The kit differentiates doubles only, and alltypes has a float. */
static void violated(void *ctx, const char *rule, const char *sentence,
                     const char *detail)
{
    int *count = ctx;

    if (strcmp(rule, "jvp") == 0 && strstr(detail, "'f32_"))
        return;
    print_error("%s (%s): %s\n", rule, sentence, detail);
    ++*count;
}

static void check_subject(struct subject ctx, int failing)
{
    static const char *const alone[] = {"what", "when", "amount", "microsteps",
                                        "mode_in"};
    int count = 0;
    const struct tt_contract_subject s = {.make = make,
                                          .make_failing =
                                              failing ? make_failing : NULL,
                                          .ctx = &ctx,
                                          .leave_alone = alone,
                                          .n_leave_alone = 5,
                                          .violated_cb = violated,
                                          .violated_ctx = &count};

    (void)tt_unit_contract_run(&s);
    assert_int_equal(count, 0);
    ctx.type->kind->close(ctx.type);
}

static void check_type(tt_unit_type *type, int event_mode, int failing)
{
    check_subject((struct subject){.type = type, .event_mode = event_mode},
                  failing);
}

static void check(const char *path, int event_mode, int failing)
{
    check_type(open_type(path), event_mode, failing);
}

static void isolated_units_keep_the_contract(void **state)
{
    (void)state;
    check(MSD "msd1.fmu", 0, 0);
    check(UNITS "alltypes.fmu", 0, 0);
    check(UNITS "misbehave.fmu", 0, 1);
    check(MSD "msd2-fmi3.fmu", 1, 0);
    check(UNITS "alltypes-fmi3.fmu", 0, 0);
    check(UNITS "misbehave-fmi3.fmu", 0, 1);
    check("tutti:coupling", 0, 0);
}

static void those_that_may_be_late_keep_the_contract(void **state)
{
    static const char *const path[] = {MSD "msd1.fmu", MSD "msd2-fmi3.fmu",
                                       UNITS "alltypes-fmi3.fmu",
                                       UNITS "misbehave.fmu"};

    (void)state;
    for (int i = 0; i < 4; i++)
        check_subject((struct subject){.type = open_type(path[i]), .late = 1},
                      i == 3);
}

/* --- a worker ------------------------------------------------------------- */

#define TOKEN TT_BUILD_DIR "/remote_contract_test.token"

struct shared {
    char address[80];
    volatile int ready, stop;
};

static void ready(void *ctx, const char *address)
{
    struct shared *s = ctx;

    (void)snprintf(s->address, sizeof(s->address), "%s", address);
    s->ready = 1;
}

static int worker_main(void *ctx)
{
    struct shared *s = ctx;
    const struct tt_listen l = {
        .host = "127.0.0.1",
        .port = "0",
        .token = "a token for this test",
        .dir = TT_BUILD_DIR,
        .most = 64, /* those that end count until they are gone */
        .stop = &s->stop,
        .ready_cb = ready,
        .ctx = s};
    tt_err err;

    return tt_listen_serve(&l, &err) != TT_OK;
}

static void check_far(const struct shared *s, const char *name, int event_mode,
                      int failing)
{
    const struct tt_remote far = {.token_file = TOKEN};
    char uri[512];
    tt_unit_type *t = NULL;

    (void)snprintf(uri, sizeof(uri), "tutti://%s/%s", s->address, name);
    assert_ok(tt_kind_remote.open(
        &t, &(struct tt_source){.path = uri, .far = &far}, err));
    check_type(t, event_mode, failing);
}

static void remote_units_keep_the_contract(void **state)
{
    struct shared *s = tt_shared_alloc(sizeof(*s));
    int pid = 0;

    (void)state;
    assert_ok(tt_file_write(TOKEN, "a token for this test\n", 22, err));
    assert_ok(tt_child_fork(
        &(struct tt_child_copy){.main_cb = worker_main, .ctx = s, .share = s},
        &pid, err));
    while (!s->ready && !tt_child_ended(pid))
        tt_sleep_ns(1000000);
    check_far(s, "examples/double-mass-spring-damper/msd1.fmu", 0, 0);
    check_far(s, "examples/double-mass-spring-damper/msd2-fmi3.fmu", 1, 0);
    check_far(s, "tests/units/alltypes-fmi3.fmu", 0, 0);
    check_far(s, "tests/units/misbehave.fmu", 0, 1);
    s->stop = 1;
    while (!tt_child_ended(pid))
        tt_sleep_ns(1000000);
    tt_child_kill(pid);
    tt_shared_free(s, sizeof(*s));
    (void)remove(TOKEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isolated_units_keep_the_contract),
        cmocka_unit_test(those_that_may_be_late_keep_the_contract),
        cmocka_unit_test(remote_units_keep_the_contract),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
