/* SPDX-License-Identifier: MIT */
#include "unit/trail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "unit/desc.h"

static const struct tt_port port[] = {
    {.name = "a", .type = TT_F64, .n = 1},
    {.name = "b", .type = TT_F64, .n = 2},
};
static const struct tt_desc desc = {.port = port, .n_port = 2};
static const uint32_t both[] = {1, 0};

static tt_trail *begin(void)
{
    tt_trail *t = NULL;
    uint32_t n = 0;

    assert_int_equal(tt_trail_new(&t, both, 2, NULL), TT_OK);
    assert_int_equal(tt_trail_prepare(t, &desc, 0, NULL), TT_OK);
    assert_int_equal(tt_trail_width(t), 3);
    assert_memory_equal(tt_trail_ports(t, &n), both, sizeof(both));
    assert_int_equal(n, 2);
    return t;
}

static void add(tt_trail *t, double time)
{
    double *v = tt_trail_add(t, time);

    assert_non_null(v);
    for (int i = 0; i < 3; i++)
        v[i] = 10 * time + i;
}

static void expect(tt_trail *t, const double *time, size_t n)
{
    struct tt_trail_rows r;

    tt_trail_take(t, 0, &r);
    assert_int_equal(r.n, n);
    assert_int_equal(r.width, 3);
    assert_int_equal(r.lost, 0);
    for (size_t i = 0; i < n; i++) {
        assert_true(r.time[i] == time[i]);
        for (int k = 0; k < 3; k++)
            assert_true(r.value[3 * i + (size_t)k] == 10 * time[i] + k);
    }
}

static void rows_are_handed_over_once(void **state)
{
    static const double first[] = {1, 2, 2}, second[] = {3};
    tt_trail *t = begin();

    (void)state;
    expect(t, NULL, 0);
    add(t, 1);
    add(t, 2);
    add(t, 2);
    expect(t, first, 3);
    expect(t, NULL, 0);
    add(t, 3);
    expect(t, second, 1);
    tt_trail_free(t);
}

static void rows_that_are_kept_are_handed_over_again(void **state)
{
    static const double all[] = {1, 2};
    struct tt_trail_rows r;
    tt_trail *t = begin();

    (void)state;
    add(t, 1);
    tt_trail_take(t, 1, &r);
    assert_int_equal(r.n, 1);
    add(t, 2);
    expect(t, all, 2);
    expect(t, NULL, 0);
    tt_trail_take(t, 1, &r);
    assert_int_equal(r.n, 0);
    tt_trail_free(t);
}

static void a_step_rolled_back_takes_its_rows_along(void **state)
{
    static const double after[] = {1, 1.5, 1.75};
    tt_trail *t = begin();

    (void)state;
    add(t, 1);
    add(t, 2);
    add(t, 3);
    tt_trail_cut(t, 1);
    add(t, 1.5);
    add(t, 2.5);
    add(t, 1.75); /* an earlier one is as good as a cut */
    expect(t, after, 3);
    tt_trail_cut(NULL, 0);
    tt_trail_free(t);
}

static void rows_without_values_and_without_room_are_not_there(void **state)
{
    tt_trail *t = begin();
    struct tt_trail_rows r;
    size_t n = 0;

    (void)state;
    add(t, 1);
    assert_non_null(tt_trail_add(t, 2));
    tt_trail_drop(t);
    while (tt_trail_add(t, 3 + (double)n))
        n++;
    assert_null(tt_trail_add(t, 1e9));
    tt_trail_take(t, 0, &r);
    assert_int_equal(r.n, n + 1);
    assert_int_equal(r.lost, 2);
    assert_true(r.n * 4 * sizeof(double) <= TT_TRAIL_MAX_BYTES);
    assert_true(r.time[0] == 1 && r.time[1] == 3);
    add(t, 2e9);
    tt_trail_take(t, 0, &r);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.lost, 0);
    tt_trail_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_handed_over_once),
        cmocka_unit_test(rows_that_are_kept_are_handed_over_again),
        cmocka_unit_test(a_step_rolled_back_takes_its_rows_along),
        cmocka_unit_test(rows_without_values_and_without_room_are_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
