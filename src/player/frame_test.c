/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "player/frame.h"

/* Blocks lie apart, aligned, zeroed; regions one behind the other. */
static void test_blocks_do_not_overlap(void **state)
{
    struct tt_frame_layout l = {.n_block = 0};
    uint32_t a = tt_frame_reserve(&l, TT_REGION_RUN, "a", 3);
    uint32_t b = tt_frame_reserve(&l, TT_REGION_STEP, "b", 17);
    uint32_t c = tt_frame_reserve(&l, TT_REGION_RUN, "c", 0);
    uint32_t d = tt_frame_reserve(&l, TT_REGION_STEP, "d", 8);
    tt_frame *f;
    tt_err err;

    (void)state;
    assert_int_equal(tt_frame_new(&f, &l, &err), TT_OK);
    memset(tt_frame_at(f, a), 1, 3);
    memset(tt_frame_at(f, b), 2, 17);
    memset(tt_frame_at(f, d), 4, 8);
    assert_int_equal(*(char *)tt_frame_at(f, a), 1);
    assert_int_equal(((char *)tt_frame_at(f, b))[16], 2);
    assert_int_equal(*(char *)tt_frame_at(f, d), 4);
    for (uint32_t i = a; i <= d; i++)
        assert_int_equal((uintptr_t)tt_frame_at(f, i) % sizeof(double), 0);
    assert_true((char *)tt_frame_at(f, a) >= (char *)tt_frame_at(f, d) + 8);
    assert_true(tt_frame_at(f, c) > tt_frame_at(f, a));
    tt_frame_free(f);
}

/* A rejected step takes back the first region and no more. */
static void test_step_region_goes_back_alone(void **state)
{
    struct tt_frame_layout l = {.n_block = 0};
    uint32_t step = tt_frame_reserve(&l, TT_REGION_STEP, "step", 8);
    uint32_t run = tt_frame_reserve(&l, TT_REGION_RUN, "run", 8);
    double *x, *n, kept[16], all[16];
    tt_frame *f;
    tt_err err;

    (void)state;
    assert_int_equal(tt_frame_new(&f, &l, &err), TT_OK);
    assert_true(tt_frame_step_size(f) < tt_frame_size(f));
    assert_true(tt_frame_size(f) <= sizeof(all));
    x = tt_frame_at(f, step);
    n = tt_frame_at(f, run);
    *x = 1;
    *n = 10;
    tt_frame_step_copy(f, kept);
    tt_frame_copy(f, all);
    *x = 2;
    *n = 20;
    tt_frame_step_bring_back(f, kept);
    assert_true(*x == 1 && *n == 20);
    tt_frame_bring_back(f, all);
    assert_true(*x == 1 && *n == 10);
    tt_frame_free(f);
}

static void test_hash_distinguishes_layouts(void **state)
{
    struct tt_frame_layout a = {.n_block = 0}, b = a, c = a, d = a;

    (void)state;
    (void)tt_frame_reserve(&a, TT_REGION_STEP, "values", 8);
    (void)tt_frame_reserve(&b, TT_REGION_STEP, "values", 9);
    (void)tt_frame_reserve(&c, TT_REGION_RUN, "values", 8);
    (void)tt_frame_reserve(&d, TT_REGION_STEP, "bonds", 8);
    assert_true(tt_frame_layout_hash(&a) != tt_frame_layout_hash(&b));
    assert_true(tt_frame_layout_hash(&a) != tt_frame_layout_hash(&c));
    assert_true(tt_frame_layout_hash(&a) != tt_frame_layout_hash(&d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_do_not_overlap),
        cmocka_unit_test(test_step_region_goes_back_alone),
        cmocka_unit_test(test_hash_distinguishes_layouts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
