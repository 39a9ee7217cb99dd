/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sys/baton.h"
#include "sys/thread.h"

struct relay {
    struct tt_baton there, back;
    uint64_t spin_ns;
    uint32_t laps;
    uint32_t value; /* the owner of the baton writes it */
};

static void answer(void *ctx)
{
    struct relay *r = ctx;

    for (uint32_t i = 1; i <= r->laps; i++) {
        tt_baton_await(&r->there, i, r->spin_ns);
        r->value = 3 * r->value + 1;
        tt_baton_pass(&r->back);
    }
}

/* Both write one plain value in turns: what one wrote the other sees. */
static void relay(uint64_t spin_ns, uint32_t laps)
{
    struct relay r = {.spin_ns = spin_ns, .laps = laps};
    struct tt_thread t;
    uint32_t expected = 0;

    tt_baton_init(&r.there);
    tt_baton_init(&r.back);
    assert_int_equal(tt_thread_start(&t, answer, &r, NULL), TT_OK);
    for (uint32_t i = 1; i <= laps; i++) {
        r.value++;
        tt_baton_pass(&r.there);
        tt_baton_await(&r.back, i, spin_ns);
        expected = 3 * (expected + 1) + 1;
        assert_int_equal(r.value, expected);
    }
    tt_thread_join(&t);
    tt_baton_fini(&r.there);
    tt_baton_fini(&r.back);
}

static void a_baton_goes_to_and_fro_parked(void **state)
{
    (void)state;
    relay(0, 2000);
}

static void a_baton_goes_to_and_fro_spinning(void **state)
{
    (void)state;
    relay(100000, 2000);
}

static void a_count_that_was_passed_before_is_not_waited_for(void **state)
{
    struct tt_baton b;

    (void)state;
    tt_baton_init(&b);
    tt_baton_pass(&b);
    tt_baton_pass(&b);
    tt_baton_await(&b, 1, 0);
    tt_baton_await(&b, 2, 0);
    tt_baton_fini(&b);
}

static void there_is_a_core(void **state)
{
    (void)state;
    assert_true(tt_cores() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_baton_goes_to_and_fro_parked),
        cmocka_unit_test(a_baton_goes_to_and_fro_spinning),
        cmocka_unit_test(a_count_that_was_passed_before_is_not_waited_for),
        cmocka_unit_test(there_is_a_core),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
