/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "unit/contract.h"
#include "unit/sleeper.h"
#include "unit/test_unit.h"

static const uint32_t in = TT_MOCK_INTEGRATOR_U, out = TT_MOCK_INTEGRATOR_Y;
static const struct tt_sleeper_start nothing;

#define START 1 /* of enter_init() */

static tt_unit *wrap(int awake)
{
    tt_unit *u = NULL;

    ok(tt_sleeper_new(&u, make(&tt_mock_integrator, "a"), awake, &nothing,
                      &(struct tt_make){.name = "a"}, &err));
    enter_init(u);
    ok(tt_unit_exit_init(u, &err));
    ok(tt_unit_prepare(u, 2, &err));
    return u;
}

static void wake(tt_unit *u, int32_t awake)
{
    uint32_t port = u->desc->n_port - 1;

    ok(tt_unit_set(u, &(struct tt_span){&port, 1, &awake}, &err));
}

static void set(tt_unit *u, double v)
{
    ok(tt_unit_set(u, &(struct tt_span){&in, 1, &v}, &err));
}

static double get(tt_unit *u)
{
    double v;

    ok(tt_unit_get(u, &(struct tt_span){&out, 1, &v}, &err));
    return v;
}

static void advance(tt_unit *u, double to)
{
    struct tt_stepped r;

    ok(tt_unit_step(u, &(struct tt_step){.to = to}, &r, &err));
    assert_float_equal(r.reached, to, 0);
}

static enum tt_code make_wrapped(const void *ctx, const char *name,
                                 tt_unit **to, tt_err *e)
{
    tt_unit *inner;
    enum tt_code rc = tt_mock_make(&inner, ctx, name, e);

    return rc == TT_OK ? tt_sleeper_new(to, inner, 1, &nothing,
                                        &(struct tt_make){.name = name}, e)
                       : rc;
}

/* The port that is added has no name of its own. */
static void violated(void *ctx, const char *rule, const char *sentence,
                     const char *detail)
{
    int *count = ctx;

    if (strstr(detail, "'awake' is not found by its name"))
        return;
    print_error("%s (%s): %s\n", rule, sentence, detail);
    ++*count;
}

static void one_that_is_awake_keeps_the_contract(void **state)
{
    static const char *const alone[] = {"awake"};
    const struct tt_mock_spec *of[] = {&tt_mock_integrator, &tt_mock_gain,
                                       &tt_mock_counter, &tt_mock_recorder};
    int count = 0;

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct tt_contract_subject s = {.make = make_wrapped,
                                        .ctx = of[i],
                                        .start = 0.5,
                                        .leave_alone = alone,
                                        .n_leave_alone = 1,
                                        .violated_cb = violated,
                                        .violated_ctx = &count};

        (void)tt_unit_contract_run(&s);
        assert_int_equal(count, 0);
    }
}

/* It starts at START, asleep for 1 s, and once more from 3 to 4 s behind that;
 * in between u = 2. */
static void its_clock_runs_while_it_is_awake(void **state)
{
    tt_unit *u = wrap(0);

    (void)state;
    set(u, 2);
    advance(u, START + 1);
    assert_float_equal(get(u), 0, 0);
    assert_float_equal(u->inner->now, START + 0, 0);
    wake(u, 1);
    advance(u, START + 2);
    advance(u, START + 3);
    assert_float_equal(get(u), 4, 1e-12);
    assert_float_equal(u->inner->now, START + 2, 0);
    wake(u, 0);
    advance(u, START + 4);
    assert_float_equal(get(u), 4, 1e-12);
    wake(u, 1);
    advance(u, START + 5);
    assert_float_equal(get(u), 6, 1e-12);
    assert_float_equal(u->inner->now, START + 3, 0);
    tt_unit_free(u);
}

static void states_know_whether_it_is_awake(void **state)
{
    tt_unit *u = wrap(0);
    tt_err e;

    (void)state;
    set(u, 2);
    ok(tt_unit_save(u, 0, &err));
    advance(u, START + 1);
    wake(u, 1);
    ok(tt_unit_save(u, 1, &err));
    advance(u, START + 2);
    wake(u, 0);
    advance(u, START + 3);
    ok(tt_unit_restore(u, 1, &err));
    advance(u, START + 2);
    assert_float_equal(get(u), 2, 1e-12);
    assert_int_equal(tt_unit_restore(u, 0, &e), TT_EUNSUPPORTED);
    assert_non_null(strstr(e.msg, "there is no way back behind the switch to "
                                  "it"));
    tt_unit_free(u);
}

static void another_one_goes_on_from_bytes(void **state)
{
    tt_unit *a = wrap(0), *b = wrap(0);
    struct tt_bytes bytes;

    (void)state;
    set(a, 2);
    advance(a, START + 1);
    wake(a, 1);
    advance(a, START + 2);
    ok(tt_unit_save(a, 0, &err));
    ok(tt_unit_pack(a, 0, &bytes, &err));
    ok(tt_unit_unpack(b, 0, &bytes, &err));
    ok(tt_unit_restore(b, 0, &err));
    set(b, 2);
    advance(a, START + 3.5);
    advance(b, START + 3.5);
    assert_float_equal(get(b), 5, 1e-12);
    assert_float_equal(get(b), get(a), 0);
    bytes.n = 5;
    assert_int_not_equal(tt_unit_unpack(b, 0, &bytes, &err), TT_OK);
    tt_free(bytes.data);
    tt_unit_free(a);
    tt_unit_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_is_awake_keeps_the_contract),
        cmocka_unit_test(its_clock_runs_while_it_is_awake),
        cmocka_unit_test(states_know_whether_it_is_awake),
        cmocka_unit_test(another_one_goes_on_from_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
