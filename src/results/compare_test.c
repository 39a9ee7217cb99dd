/* SPDX-License-Identifier: MIT */
#include "results/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static tt_table *table(const char *file, const char *text)
{
    tt_table *t = NULL;
    tt_err err = {0};

    if (tt_table_parse(&t, file, text, strlen(text), &err) != TT_OK)
        fail_msg("%s", err.msg);
    return t;
}

/* Compare texts of tables and expect this text and verdict. */
static void expect(const char *a, const char *b,
                   const struct tt_compare_opts *opts, int same,
                   const char *text)
{
    tt_table *ta = table("a.csv", a), *tb = table("b.csv", b);
    struct tt_compare c = {0};
    struct tt_buf out;
    tt_err err = {0};

    if (tt_compare(&c, ta, tb, opts, &err) != TT_OK)
        fail_msg("%s", err.msg);
    tt_buf_init(&out, 1 << 16);
    tt_compare_text(&out, &c);
    assert_string_equal(out.data, text);
    assert_int_equal(c.same, same);
    tt_buf_fini(&out);
    tt_compare_fini(&c);
    tt_table_free(ta);
    tt_table_free(tb);
}

static void equal_tables_are_the_same_to_the_last_bit(void **state)
{
    (void)state;
    expect("time,x,on\n0,0.1,true\n1,NaN,false\n2,Infinity,true\n",
           "time,on,x\n0,true,0.1\n1,false,NaN\n2,true,Infinity\n", NULL, 1,
           "column   max error         rms        at t\n"
           "on               0           0           0  ok\n"
           "x                0           0           0  ok\n"
           "same: 2 columns agree in 3 rows to the last bit\n");
}

static void one_bit_is_a_difference_without_a_tolerance(void **state)
{
    (void)state;
    expect("time,x\n0,0.3\n1,0.30000000000000004\n", "time,x\n0,0.3\n1,0.3\n",
           NULL, 0,
           "column   max error         rms        at t\n"
           "x         5.55e-17    3.93e-17           1  DIFFERENT in 1 of 2 "
           "rows\n"
           "different: 1 of 1 columns do not agree to the last bit\n");
}

static void
the_tolerance_is_absolute_plus_relative_of_the_reference(void **state)
{
    struct tt_compare_opts o = {.atol = 0.5, .rtol = 0.25};

    (void)state;
    /* limits: 0.5 at b = 0, 1.5 at b = 4 */
    expect("time,x,y\n0,0.5,0.5\n1,5.5,5.625\n", "time,x,y\n0,0,0\n1,4,4\n", &o,
           0,
           "column   max error         rms        at t\n"
           "x              1.5        1.12           1  ok\n"
           "y             1.63         1.2           1  DIFFERENT in 1 of 2 "
           "rows\n"
           "different: 1 of 2 columns do not agree within 0.5 + 0.25*|b|\n");
}

static void the_place_shown_is_the_furthest_beyond_its_tolerance(void **state)
{
    struct tt_compare_opts o = {.rtol = 0.1};
    tt_table *a = table("a", "time,x\n0,1010\n1,2\n");
    tt_table *b = table("b", "time,x\n0,1000\n1,1\n");
    struct tt_compare c = {0};

    (void)state;
    assert_int_equal(tt_compare(&c, a, b, &o, NULL), TT_OK);
    assert_true(c.column[0].max_abs == 10); /* within 10 % */
    assert_true(c.column[0].at == 1);
    assert_true(c.column[0].a == 2 && c.column[0].b == 1);
    tt_compare_fini(&c);
    tt_table_free(a);
    tt_table_free(b);
}

static void nan_against_a_number_is_infinitely_wrong(void **state)
{
    struct tt_compare_opts o = {.atol = 1e300, .rtol = 1};

    (void)state;
    expect("time,x\n0,NaN\n", "time,x\n0,1.0\n", &o, 0,
           "column   max error         rms        at t\n"
           "x              inf         inf           0  DIFFERENT in 1 of 1 "
           "rows\n"
           "different: 1 of 1 columns do not agree within 1e300 + 1*|b|\n");
}

static void missing_columns_differ_and_extra_columns_are_listed(void **state)
{
    (void)state;
    expect("time,x,extra\n0,1,2\n", "time,x,gone\n0,1,2\n", NULL, 0,
           "column   max error         rms        at t\n"
           "x                0           0           0  ok\n"
           "gone    missing in a.csv\n"
           "extra   only in a.csv\n"
           "different: 0 of 2 columns do not agree to the last bit, 1 "
           "missing\n");
    expect("time,x,extra\n0,1,2\n", "time,x\n0,1\n", NULL, 1,
           "column   max error         rms        at t\n"
           "x                0           0           0  ok\n"
           "extra   only in a.csv\n"
           "same: 1 columns agree in 1 rows to the last bit\n");
}

/* What other tools call tank.level is {t}.tank.level of ours. */
static void short_names_of_a_reference_are_found_where_one_fits(void **state)
{
    (void)state;
    expect("time,{a}.b.x,{a}.c.x,{a}.b.y\n0,1,2,3\n", "time,b.x,y\n0,1,3\n",
           NULL, 1,
           "column   max error         rms        at t\n"
           "b.x              0           0           0  ok\n"
           "y                0           0           0  ok\n"
           "c.x     only in a.csv\n"
           "same: 2 columns agree in 1 rows to the last bit\n");
    expect("time,{a}.b.x,{a}.c.x\n0,1,2\n", "time,x\n0,1\n", NULL, 0,
           "column   max error         rms        at t\n"
           "x       missing in a.csv\n"
           "b.x     only in a.csv\n"
           "c.x     only in a.csv\n"
           "different: 0 of 1 columns do not agree to the last bit, 1 "
           "missing\n");
}

static void different_row_counts_are_named(void **state)
{
    (void)state;
    expect("time,x\n0,1\n1,2\n", "time,x\n0,1\n0.5,1.5\n1,2\n1.5,3\n", NULL, 0,
           "column   max error         rms        at t\n"
           "x                0           0           0  ok\n"
           "a.csv has 2 rows, b.csv has 4\n"
           "0 rows of a.csv and 2 of b.csv have no partner at their time, the "
           "first at t=0.5 s\n"
           "different: 0 of 1 columns do not agree to the last bit, 2 rows "
           "without a partner\n");
}

static void accumulated_times_are_the_same_times(void **state)
{
    (void)state;
    expect("time,x\n0,1\n9.99999999999998,2\n", "time,x\n0,1\n10,2\n", NULL, 1,
           "column   max error         rms        at t\n"
           "x                0           0           0  ok\n"
           "same: 1 columns agree in 2 rows to the last bit\n");
}

static void other_grids_are_compared_by_interpolation(void **state)
{
    struct tt_compare_opts o = {.interpolate = 1, .atol = 1e-12};

    (void)state;
    /* x is linear, n is held, mode is held */
    expect("time,x,n,mode\n0,0.0,1,a\n1,2.0,5,b\n2,4.0,9,c\n",
           "time,x,n,mode\n0,0.0,1,a\n0.25,0.5,1,a\n1.5,3.0,5,b\n2,4.0,9,c\n",
           &o, 1,
           "column   max error         rms        at t\n"
           "x                0           0           0  ok\n"
           "n                0           0           0  ok\n"
           "mode          text                          ok\n"
           "a.csv has 3 rows, b.csv has 4\n"
           "same: 3 columns agree in 4 rows within 1e-12\n");
}

static void rows_outside_the_other_table_have_no_partner(void **state)
{
    struct tt_compare_opts o = {.interpolate = 1};

    (void)state;
    expect("time,x\n1,1.0\n2,2.0\n", "time,x\n0.5,0.5\n1.5,1.5\n3,3.0\n", &o, 0,
           "column   max error         rms        at t\n"
           "x                0           0         1.5  ok\n"
           "a.csv has 2 rows, b.csv has 3\n"
           "2 rows of b.csv lie outside the times of a.csv, the first at t=0.5 "
           "s\n"
           "different: 0 of 1 columns do not agree to the last bit, 2 rows "
           "without a partner\n");
}

static void events_are_compared_after_the_event(void **state)
{
    struct tt_compare_opts o = {.interpolate = 1};

    (void)state;
    expect("time,x\n0,0.0\n1,1.0\n1,5.5\n2,5.5\n",
           "time,x\n0,0.0\n1,5.5\n2,5.5\n", &o, 1,
           "column   max error         rms        at t\n"
           "x                0           0           0  ok\n"
           "a.csv has 4 rows, b.csv has 3\n"
           "same: 1 columns agree in 3 rows to the last bit\n");
}

static void limits_of_an_event_are_partners(void **state)
{
    static const char event[] = "time,x\n0,0.0\n1,1.0\n1,3.0\n1,5.5\n2,5.5\n";
    struct tt_compare_opts o = {.interpolate = 1};

    (void)state;
    expect(event, "time,x\n0.5,0.5\n1,1.0\n1,5.5\n1.5,5.5\n", &o, 1,
           "column   max error         rms        at t\n"
           "x                0           0         0.5  ok\n"
           "a.csv has 5 rows, b.csv has 4\n"
           "same: 1 columns agree in 4 rows to the last bit\n");
    expect("time,x\n0,0.0\n1,1.0\n1,5.5\n2,5.5\n", event, &o, 0,
           "column   max error         rms        at t\n"
           "x              2.5        1.12           1  DIFFERENT in 1 of 5 "
           "rows\n"
           "a.csv has 4 rows, b.csv has 5\n"
           "different: 1 of 1 columns do not agree to the last bit\n");
    expect("time,x\n0,0.0\n2,2.0\n", "time,x\n1,1.0\n1,1.0\n", &o, 1,
           "column   max error         rms        at t\n"
           "x                0           0           1  ok\n"
           "same: 1 columns agree in 2 rows to the last bit\n");
}

static void texts_are_compared_as_texts(void **state)
{
    (void)state;
    expect("time,mode\n0,idle\n1,run\n", "time,mode\n0,idle\n1,stop\n", NULL, 0,
           "column   max error         rms        at t\n"
           "mode          text                       1  DIFFERENT in 1 of 2 "
           "rows\n"
           "different: 1 of 1 columns do not agree to the last bit\n");
}

static void columns_can_be_chosen(void **state)
{
    static const char *const x[] = {"x"};
    static const char *const z[] = {"speed"};
    struct tt_compare_opts o = {.pattern = x, .n_pattern = 1};
    tt_table *a, *b;
    struct tt_compare c = {0};
    tt_err err = {0};

    (void)state;
    expect("time,x,y\n0,1,2\n", "time,x,y\n0,1,3\n", &o, 1,
           "column   max error         rms        at t\n"
           "x                0           0           0  ok\n"
           "same: 1 columns agree in 1 rows to the last bit\n");
    o.pattern = z;
    a = table("a.csv", "time,x\n");
    b = table("b.csv", "time,x\n");
    assert_int_equal(tt_compare(&c, a, b, &o, &err), TT_EINPUT);
    assert_string_equal(err.msg, "b.csv has no column 'speed'");
    tt_table_free(a);
    tt_table_free(b);
}

static void rms_of_huge_errors_does_not_overflow(void **state)
{
    tt_table *a = table("a", "time,x\n0,3e300\n1,4e300\n");
    tt_table *b = table("b", "time,x\n0,0\n1,0\n");
    struct tt_compare c = {0};

    (void)state;
    assert_int_equal(tt_compare(&c, a, b, NULL, NULL), TT_OK);
    assert_true(fabs(c.column[0].rms / 1e300 - sqrt(12.5)) < 1e-12);
    tt_compare_fini(&c);
    tt_table_free(a);
    tt_table_free(b);
}

static void machines_get_json(void **state)
{
    tt_table *a = table("a.csv", "time,x,\"q\"\"\"\n0,1.5,NaN\n");
    tt_table *b = table("b.csv", "time,x,\"q\"\"\",z\n0,1.0,2,3\n");
    struct tt_compare_opts o = {.atol = 1};
    struct tt_compare c = {0};
    struct tt_buf out;

    (void)state;
    assert_int_equal(tt_compare(&c, a, b, &o, NULL), TT_OK);
    tt_buf_init(&out, 1 << 16);
    tt_compare_json(&out, &c);
    assert_string_equal(
        out.data,
        "{\"same\":false,\"a\":\"a.csv\",\"b\":\"b.csv\",\"atol\":1,"
        "\"rtol\":0,\"rows\":{\"a\":1,\"b\":1,\"pairs\":1,\"aloneA\":0,"
        "\"aloneB\":0},\"columns\":["
        "{\"name\":\"x\",\"verdict\":\"same\",\"beyond\":0,\"maxAbs\":0.5,"
        "\"rms\":0.5,\"a\":1.5,\"b\":1,\"at\":0},"
        "{\"name\":\"q\\\"\",\"verdict\":\"different\",\"beyond\":1,"
        "\"maxAbs\":\"Infinity\",\"rms\":\"Infinity\",\"a\":\"NaN\",\"b\":2,"
        "\"at\":0},{\"name\":\"z\",\"verdict\":\"missing\"}],\"extra\":[]}\n");
    tt_buf_fini(&out);
    tt_compare_fini(&c);
    tt_table_free(a);
    tt_table_free(b);
}

static void tolerances_are_read_from_text(void **state)
{
    struct tt_compare_opts o = {0};
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_compare_parse_tol("1e-6,1e-4", &o, &err), TT_OK);
    assert_true(o.atol == 1e-6 && o.rtol == 1e-4);
    assert_int_equal(tt_compare_parse_tol("0.5", &o, &err), TT_OK);
    assert_true(o.atol == 0.5 && o.rtol == 0);
    assert_int_equal(tt_compare_parse_tol("1,", &o, &err), TT_EINPUT);
    assert_string_equal(err.msg, "tolerance '1,' is not ABS or ABS,REL with "
                                 "numbers of 0 or more");
    assert_int_equal(tt_compare_parse_tol("-1", &o, &err), TT_EINPUT);
    assert_int_equal(tt_compare_parse_tol("nan", &o, &err), TT_EINPUT);
    assert_int_equal(tt_compare_parse_tol("", &o, &err), TT_EINPUT);
}

/* Whichever allocation fails, it is reported, and nothing is left behind. */
static void compare_short_of_memory(const char *first, const char *second)
{
    tt_table *a = table("a", first), *b = table("b", second);
    struct tt_compare c = {0};
    uint64_t i = 1;
    enum tt_code rc;

    do {
        tt_mem_fail_after(i++);
        rc = tt_compare(&c, a, b, NULL, NULL);
        tt_mem_fail_after(0);
        assert_true(rc == TT_OK || rc == TT_ENOMEM);
    } while (rc != TT_OK);
    assert_true(i > 3); /* some did fail */
    tt_compare_fini(&c);
    tt_table_free(a);
    tt_table_free(b);
}

static void a_failed_allocation_loses_nothing(void **state)
{
    static const char *const events[] = {
        "time,microstep,instance,port,value\n1,1,{l}.l,colour,green\n",
        "time,microstep,instance,port,value\n1,1,{l}.l,colour,red\n"};

    (void)state;
    compare_short_of_memory("time,x\n0,1\n", "time,x\n0,1\n");
    compare_short_of_memory(events[0], events[0]);
    compare_short_of_memory(events[0], events[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_tables_are_the_same_to_the_last_bit),
        cmocka_unit_test(one_bit_is_a_difference_without_a_tolerance),
        cmocka_unit_test(
            the_tolerance_is_absolute_plus_relative_of_the_reference),
        cmocka_unit_test(the_place_shown_is_the_furthest_beyond_its_tolerance),
        cmocka_unit_test(nan_against_a_number_is_infinitely_wrong),
        cmocka_unit_test(missing_columns_differ_and_extra_columns_are_listed),
        cmocka_unit_test(short_names_of_a_reference_are_found_where_one_fits),
        cmocka_unit_test(different_row_counts_are_named),
        cmocka_unit_test(accumulated_times_are_the_same_times),
        cmocka_unit_test(other_grids_are_compared_by_interpolation),
        cmocka_unit_test(rows_outside_the_other_table_have_no_partner),
        cmocka_unit_test(events_are_compared_after_the_event),
        cmocka_unit_test(limits_of_an_event_are_partners),
        cmocka_unit_test(texts_are_compared_as_texts),
        cmocka_unit_test(columns_can_be_chosen),
        cmocka_unit_test(rms_of_huge_errors_does_not_overflow),
        cmocka_unit_test(machines_get_json),
        cmocka_unit_test(tolerances_are_read_from_text),
        cmocka_unit_test(a_failed_allocation_loses_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
