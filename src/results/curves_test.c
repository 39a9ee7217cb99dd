/* SPDX-License-Identifier: MIT */
#include "results/curves.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/mem.h"

static double x;
static int on;
static struct tt_text text;
static const struct tt_column columns[] = {
    {.name = "{a}.a.x", .type = TT_F64, .value = &x},
    {.name = "{a}.a.on", .type = TT_BOOL32, .value = &on},
    {.name = "{a}.a.text", .type = TT_TEXT, .value = &text},
};
static const struct tt_rows rows = {columns, 3, 0, (double)INFINITY};

static tt_curves *begin(uint32_t buckets)
{
    tt_curves *t = NULL;

    assert_int_equal(tt_curves_new(&t, buckets, NULL), TT_OK);
    assert_int_equal(tt_observer_begin(tt_curves_observer(t), &rows, NULL),
                     TT_OK);
    return t;
}

static void add(tt_curves *t, double time)
{
    assert_int_equal(
        tt_observer_row(tt_curves_observer(t), tt_at(time), 0, NULL), TT_OK);
}

static void short_runs_are_kept_exactly(void **state)
{
    tt_curves *t = begin(0);
    double time[2000], v[2000];

    (void)state;
    for (int i = 0; i < 2000; i++) {
        x = sin(i);
        on = i % 2;
        add(t, 0.1 * i);
    }
    assert_int_equal(tt_curves_points(t), 2000);
    tt_curves_get_times(t, time);
    tt_curves_get_values(t, 0, v);
    for (int i = 0; i < 2000; i++)
        assert_true(time[i] == 0.1 * i && v[i] == sin(i));
    tt_curves_get_values(t, 1, v);
    assert_true(v[7] == 1 && v[8] == 0);
    tt_observer_free(tt_curves_observer(t));
}

static void four_million_rows_fit_and_no_peak_is_lost(void **state)
{
    tt_curves *t = begin(100);
    double time[400], v[400], least = 0, greatest = 0;
    uint64_t before;

    (void)state;
    before = tt_mem_count();
    for (int i = 0; i < 4000000; i++) {
        x = i == 1234567 ? 50 : i == 3999999 ? -7 : sin(0.001 * i);
        add(t, 0.5 * i);
    }
    assert_int_equal(tt_mem_count(), before);
    assert_true(tt_curves_points(t) <= 400);
    assert_true(tt_curves_points(t) >= 200);
    tt_curves_get_times(t, time);
    tt_curves_get_values(t, 0, v);
    for (size_t i = 0; i < tt_curves_points(t); i++) {
        assert_true(i == 0 || time[i] >= time[i - 1]);
        least = fmin(least, v[i]);
        greatest = fmax(greatest, v[i]);
    }
    assert_true(greatest == 50 && least == -7);
    assert_true(time[0] == 0 && v[0] == 0);
    assert_true(time[tt_curves_points(t) - 1] == 0.5 * 3999999);
    assert_true(v[tt_curves_points(t) - 1] == -7);
    tt_observer_free(tt_curves_observer(t));
}

static void buckets_cover_every_row_whatever_the_count(void **state)
{
    double time[64], v[64];

    (void)state;
    for (int n = 1; n < 300; n++) {
        tt_curves *t = begin(8);

        for (int i = 0; i < n; i++) {
            x = i;
            add(t, i);
        }
        tt_curves_get_times(t, time);
        tt_curves_get_values(t, 0, v);
        for (size_t i = 1; i < tt_curves_points(t); i++) /* x = t throughout */
            assert_true(v[i] >= v[i - 1] && time[i] >= time[i - 1]);
        assert_true(v[0] == 0 && v[tt_curves_points(t) - 1] == n - 1);
        tt_observer_free(tt_curves_observer(t));
    }
}

/* A jump in the long half of a run whose other half has a million rows. */
static void a_jump_stays_upright_however_rows_lie(void **state)
{
    tt_curves *t = begin(0);
    size_t n = 0, at = 0;
    double *time, *v;

    (void)state;
    for (int i = 0; i <= 1000; i++) {
        x = i > 500;
        if (i == 501) { /* the limit from the left */
            x = 0;
            add(t, i);
            x = 1;
        }
        add(t, i);
    }
    for (int i = 1; i <= 1000000; i++)
        add(t, 1000 + 1e-3 * i);
    n = tt_curves_points(t);
    TT_NEW_ARRAY(time, n);
    TT_NEW_ARRAY(v, n);
    tt_curves_get_times(t, time);
    tt_curves_get_values(t, 0, v);
    while (at < n && v[at] == 0)
        at++;
    assert_true(v[at] == 1);
    assert_true(time[at] - time[at - 1] < 2000 / 760.0); /* of a pixel */
    assert_true(fabs(time[at] - 501) < 2000 / 760.0);
    assert_true(n > 1000);
    tt_free(time);
    tt_free(v);
    tt_observer_free(tt_curves_observer(t));
}

static void a_million_rows_of_one_instant_fit(void **state)
{
    tt_curves *t = begin(8);
    double v[32];

    (void)state;
    for (int i = 0; i < 1000000; i++) {
        x = i;
        add(t, 3);
    }
    assert_int_equal(tt_curves_points(t), 4);
    tt_curves_get_values(t, 0, v);
    assert_true(v[0] == 0 && v[3] == 999999);
    tt_observer_free(tt_curves_observer(t));
}

static void nan_does_not_hide_numbers_and_text_has_no_points(void **state)
{
    tt_curves *t = begin(8);
    double v[32];

    (void)state;
    for (int i = 0; i < 16; i++) {
        x = i % 2 ? 3 : (double)NAN;
        add(t, i);
    }
    assert_int_equal(tt_curves_points(t), 32);
    tt_curves_get_values(t, 0, v);
    assert_true(isnan(v[0]) && v[1] == 3 && v[2] == 3 && v[3] == 3);
    tt_curves_get_values(t, 2, v);
    assert_true(isnan(v[0]) && isnan(v[31]));
    assert_true(tt_curves_is_text(t, 2));
    tt_observer_free(tt_curves_observer(t));
}

static void ten_thousand_columns_stay_within_the_memory_limit(void **state)
{
    struct tt_rows many = {NULL, 10000, 0, 1};
    struct tt_column *c = tt_zalloc(10000, sizeof(*c));
    tt_curves *t = NULL;

    (void)state;
    for (int i = 0; i < 10000; i++)
        c[i] = columns[0];
    many.column = c;
    assert_int_equal(tt_curves_new(&t, 0, NULL), TT_OK);
    assert_int_equal(tt_observer_begin(tt_curves_observer(t), &many, NULL),
                     TT_OK);
    for (int i = 0; i < 1000; i++)
        add(t, i);
    assert_true(tt_curves_points(t) * sizeof(double) * 10000 <=
                TT_TRACE_MAX_BYTES);
    tt_observer_free(tt_curves_observer(t));
    tt_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_runs_are_kept_exactly),
        cmocka_unit_test(four_million_rows_fit_and_no_peak_is_lost),
        cmocka_unit_test(buckets_cover_every_row_whatever_the_count),
        cmocka_unit_test(a_jump_stays_upright_however_rows_lie),
        cmocka_unit_test(a_million_rows_of_one_instant_fit),
        cmocka_unit_test(nan_does_not_hide_numbers_and_text_has_no_points),
        cmocka_unit_test(ten_thousand_columns_stay_within_the_memory_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
