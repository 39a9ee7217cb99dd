/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "step/allowed.h"

static const double step[] = {0.1, 0.2, 0.4};

/* No two of policy 0 in a row: nodes are "the last one was 0" and "was not". */
static const struct tt_allowed_edge no_two[] = {
    {0, 1, 1}, {0, 2, 1}, {1, 0, 0}, {1, 1, 1}, {1, 2, 1}};

static void make(struct tt_allowed *a)
{
    assert_true(tt_allowed_make(a, 2, 3, no_two, 5, step));
}

static void what_is_not_allowed_is_replaced_by_the_nearest(void **state)
{
    struct tt_allowed a;
    uint32_t node = TT_NONE;

    (void)state;
    make(&a);
    assert_int_equal(tt_allowed_ask(&a, &node, 0), 0);
    assert_int_equal(tt_allowed_ask(&a, &node, 0), 1); /* 0.2 is nearer */
    assert_int_equal(tt_allowed_ask(&a, &node, 0), 0);
    assert_int_equal(tt_allowed_ask(&a, &node, 2), 2);
    tt_allowed_fini(&a);
}

static void a_policy_that_begins_no_word_is_replaced_at_once(void **state)
{
    static const struct tt_allowed_edge never[] = {{0, 1, 0}, {0, 2, 0}};
    struct tt_allowed a;
    uint32_t node = TT_NONE;

    (void)state;
    assert_true(tt_allowed_make(&a, 1, 3, never, 2, step));
    assert_int_equal(tt_allowed_ask(&a, &node, 0), 1);
    assert_int_equal(node, 0);
    tt_allowed_fini(&a);
}

static void no_request_leads_to_a_forbidden_word(void **state)
{
    struct tt_allowed a;
    uint32_t node = TT_NONE, last = 1, refused = 0;
    uint64_t dice = 88172645463325252u;

    (void)state;
    make(&a);
    for (uint32_t i = 0; i < 1000000; i++) {
        uint32_t want, got;

        dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
        want = (uint32_t)(dice >> 32) % 3;
        got = tt_allowed_ask(&a, &node, want);
        assert_false(last == 0 && got == 0);
        assert_true(got == want || (want == 0 && last == 0));
        refused += got != want;
        last = got;
    }
    assert_true(refused > 10000);
    tt_allowed_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_allowed_is_replaced_by_the_nearest),
        cmocka_unit_test(a_policy_that_begins_no_word_is_replaced_at_once),
        cmocka_unit_test(no_request_leads_to_a_forbidden_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
