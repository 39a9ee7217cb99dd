/* SPDX-License-Identifier: MIT */
#include "results/series.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"

static double small = 1, large = 1000, zero = 0, middle = 15;
static int on = 1;
static struct tt_text text;

static struct tt_column column(const char *name, const char *unit,
                               const double *v)
{
    return (struct tt_column){
        .name = name, .unit = unit, .type = TT_F64, .value = v};
}

/* Panels of one row of these columns, as "a,b | c". */
static void expect(const struct tt_column *c, uint32_t n, int by_instance,
                   const char *want)
{
    struct tt_rows rows = {c, n, 0, 1};
    struct tt_panels p = {0};
    struct tt_buf got;
    tt_curves *t = NULL;

    assert_int_equal(tt_curves_new(&t, 0, NULL), TT_OK);
    assert_int_equal(tt_observer_begin(tt_curves_observer(t), &rows, NULL),
                     TT_OK);
    assert_int_equal(tt_observer_row(tt_curves_observer(t), tt_at(0), 0, NULL),
                     TT_OK);
    assert_int_equal(tt_panels_from_curves(&p, t, by_instance, NULL), TT_OK);
    tt_buf_init(&got, 4096);
    for (size_t i = 0; i < p.n; i++) {
        tt_buf_str(&got, i ? " | " : "");
        if (p.panel[i].title)
            tt_buf_fmt(&got, "%s: ", p.panel[i].title);
        for (size_t k = 0; k < p.panel[i].n; k++)
            tt_buf_fmt(&got, "%s%s", k ? "," : "", p.panel[i].series[k].name);
        if (p.panel[i].unit)
            tt_buf_fmt(&got, " [%s]", p.panel[i].unit);
    }
    assert_string_equal(got.data, want);
    tt_buf_fini(&got);
    tt_panels_fini(&p);
    tt_observer_free(tt_curves_observer(t));
}

static void series_share_a_panel_by_unit_size_and_kind(void **state)
{
    struct tt_column c[] = {
        column("a", "m", &small),
        column("b", "m", &large),
        column("c", "m", &middle),
        column("d", "s", &small),
        column("e", "m", &zero),
        {.name = "f", .type = TT_BOOL32, .value = &on, .discrete = 1},
        {.name = "g", .type = TT_TEXT, .value = &text, .discrete = 1},
    };

    (void)state;
    expect(c, 7, 0, "a,c,e [m] | b [m] | d [s] | f");
}

static void instances_have_panels_of_their_own(void **state)
{
    struct tt_column c[] = {
        column("{a}.a.x", "m", &small), column("{b}.b.x", "m", &small),
        column("{a}.a.y.z", "m", &small), column("free", "m", &small),
        column("{a}.a", "m", &small)};

    (void)state;
    expect(c, 5, 1, "a: x,y.z [m] | b: x [m] | free,a [m]");
    expect(c, 5, 0, "a.x,b.x,a.y.z,free,a [m]");
}

static void instances_of_one_name_have_their_keys(void **state)
{
    struct tt_column c[] = {column("{a}.i.x", "m", &small),
                            column("{b}.i.x", "m", &small),
                            column("{b}.j.x", "m", &small)};

    (void)state;
    expect(c, 3, 1, "{a}.i: x [m] | {b}.i: x [m] | j: x [m]");
    expect(c, 3, 0, "{a}.i.x,{b}.i.x,j.x [m]");
}

static void a_panel_holds_eight_series(void **state)
{
    struct tt_column c[10];
    const char *name[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

    (void)state;
    for (int i = 0; i < 10; i++)
        c[i] = column(name[i], NULL, &small);
    expect(c, 10, 0, "a,b,c,d,e,f,g,h | i,j");
}

static void zero_does_not_tie_different_sizes_together(void **state)
{
    struct tt_column c[] = {column("a", NULL, &zero), column("b", NULL, &small),
                            column("c", NULL, &large)};

    (void)state;
    expect(c, 3, 0, "a,b | c");
}

static void texts_of_a_table_have_a_panel_of_their_own(void **state)
{
    const char *csv = "time,{a}.a.x,{a}.a.mode,{a}.a.n\n0,0.5,idle,1\n"
                      "1,0.5,idle,1\n2,0.5,run,1\n3,0.5,,1\n4,0.5,run,1\n";
    size_t end = 0;
    uint32_t all[] = {0, 1, 2};
    struct tt_panels p = {0};
    tt_table *t = NULL;
    double lo = 0, hi = 0;

    (void)state;
    assert_int_equal(tt_table_parse(&t, "t", csv, strlen(csv), NULL), TT_OK);
    assert_int_equal(tt_panels_from_table(&p, t, all, 3, 1, NULL), TT_OK);
    assert_int_equal(p.n, 3);
    assert_string_equal(p.panel[0].series[0].full, "{a}.a.x");
    assert_int_equal(p.panel[0].series[0].steps, 0);
    assert_true(tt_panel_is_bands(&p.panel[1]));
    assert_int_equal(p.panel[1].n_word, 2);
    assert_int_equal(tt_panel_word(&p.panel[1], "run"), 1);
    assert_false(tt_series_span(&p.panel[1].series[0], 1, &end)); /* goes on */
    assert_true(tt_series_span(&p.panel[1].series[0], 0, &end));
    assert_int_equal(end, 2);
    assert_true(tt_series_span(&p.panel[1].series[0], 2, &end));
    assert_int_equal(end, 5); /* a row without a value is no end */
    assert_int_equal(tt_panel_range(&p.panel[1], &lo, &hi), 0);
    assert_int_equal(p.panel[2].series[0].steps, 1);
    assert_int_equal(tt_panel_is_binary(&p.panel[2]), 1);
    assert_int_equal(tt_panel_range(&p.panel[0], &lo, &hi), 1);
    assert_true(lo == 0.5 && hi == 0.5);
    tt_panels_fini(&p);
    tt_table_free(t);
}

static void values_of_single_instants_are_stems(void **state)
{
    const char *csv = "time,a,b,c,d\n0,1.5,,,\n1,1.5,2.5,,\n1,1.0,,4.0,\n"
                      "1,1.0,2.0,4.5,\n2,1.5,,5.0,\n";
    uint32_t all[] = {0, 1, 2, 3};
    struct tt_panels p = {0};
    tt_table *t = NULL;

    (void)state;
    assert_int_equal(tt_table_parse(&t, "t", csv, strlen(csv), NULL), TT_OK);
    assert_int_equal(tt_panels_from_table(&p, t, all, 4, 1, NULL), TT_OK);
    assert_int_equal(p.n, 2);
    assert_int_equal(p.panel[0].n, 3); /* a, c, and d, which has none */
    assert_int_equal(p.panel[1].n, 1);
    assert_string_equal(p.panel[1].series[0].full, "b");
    assert_int_equal(p.panel[1].series[0].stems, 1);
    tt_panels_fini(&p);
    tt_table_free(t);
}

static void ranges_leave_out_what_cannot_be_drawn(void **state)
{
    static const double t[] = {1, 2, 3, 4};
    const double y[] = {(double)NAN, -3, (double)INFINITY, 5};
    struct tt_series s = {.name = "x", .t = t, .y = y, .n = 4};
    struct tt_panel p = {.series = &s, .n = 1};
    double lo = 0, hi = 0;

    (void)state;
    assert_int_equal(tt_series_range(&s, &lo, &hi), 1);
    assert_true(lo == -3 && hi == 5);
    assert_int_equal(tt_panel_times(&p, &lo, &hi), 1);
    assert_true(lo == 1 && hi == 4);
    s.n = 1;
    assert_int_equal(tt_series_range(&s, &lo, &hi), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(series_share_a_panel_by_unit_size_and_kind),
        cmocka_unit_test(instances_have_panels_of_their_own),
        cmocka_unit_test(instances_of_one_name_have_their_keys),
        cmocka_unit_test(a_panel_holds_eight_series),
        cmocka_unit_test(zero_does_not_tie_different_sizes_together),
        cmocka_unit_test(texts_of_a_table_have_a_panel_of_their_own),
        cmocka_unit_test(values_of_single_instants_are_stems),
        cmocka_unit_test(ranges_leave_out_what_cannot_be_drawn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
