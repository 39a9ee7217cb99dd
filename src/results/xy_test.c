/* SPDX-License-Identifier: MIT */
#include "results/xy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const char csv[] = "time,{a}.i.x,{a}.i.y,{b}.j.x,{b}.j.mode,\"v[1,2]\"\n"
                          "0,1,10,-1,idle,7\n"
                          "1,3,30,-3,run,8\n"
                          "2,2,20,-2,run,9\n";
static tt_table *table;

static int load(void **state)
{
    (void)state;
    return tt_table_parse(&table, "r.csv", csv, sizeof(csv) - 1, NULL) == TT_OK
               ? 0
               : -1;
}

static int unload(void **state)
{
    (void)state;
    tt_table_free(table);
    return 0;
}

static void expect_values(const double *v, double a, double b, double c)
{
    assert_true(v[0] == a && v[1] == b && v[2] == c);
}

static void a_pair_is_a_curve(void **state)
{
    static const char *const pair[] = {"i.x,y"};
    struct tt_panels p = {0};

    (void)state;
    assert_int_equal(tt_xy_panel(&p, table, pair, 1, NULL), TT_OK);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.panel->n, 1);
    assert_null(p.panel->title);
    assert_string_equal(p.panel->x_name, "x");
    assert_string_equal(p.panel->unit, "y");
    assert_string_equal(p.panel->series->name, "i.x, y");
    assert_int_equal(p.panel->series->n, 3);
    assert_false(p.panel->series->steps);
    expect_values(p.panel->series->t, 1, 3, 2);
    expect_values(p.panel->series->y, 10, 30, 20);
    tt_panels_fini(&p);
}

static void axes_name_each_variable_once(void **state)
{
    static const char *const pair[] = {"i.x,i.y", "j.x,{a}.i.y", "v[1,2],j.x"};
    struct tt_panels p = {0};

    (void)state;
    assert_int_equal(tt_xy_panel(&p, table, pair, 3, NULL), TT_OK);
    assert_int_equal(p.panel->n, 3);
    assert_string_equal(p.panel->x_name, "x, v[1,2]");
    assert_string_equal(p.panel->unit, "y, x");
    assert_string_equal(p.panel->series[0].name, "i.x, y");
    assert_string_equal(p.panel->series[1].name, "j.x, i.y");
    assert_string_equal(p.panel->series[2].name, "v[1,2], j.x");
    expect_values(p.panel->series[2].t, 7, 8, 9);
    expect_values(p.panel->series[2].y, -1, -3, -2);
    tt_panels_fini(&p);
}

static void what_is_no_pair_of_columns_is_reported(void **state)
{
    static const struct {
        const char *pair, *message;
    } wrong[] = {
        {"", "'' is not a pair of columns 'X,Y'"},
        {",", "',' is not a pair of columns 'X,Y'"},
        {"i.x", "'i.x' is not a pair of columns 'X,Y'"},
        {"i.x,y,j.x", "'i.x,y,j.x' is not a pair of columns 'X,Y'"},
        {"i.x,z", "r.csv has no column 'z'"},
        {"i.z,y", "r.csv has no column 'i.z'; did you mean 'i.x'?"},
        {"x,y", "r.csv: 'x' is 2 columns, among them '{a}.i.x' and '{b}.j.x'; "
                "an x-y plot needs one"},
        {"y,*", "r.csv: '*' is 5 columns, among them '{a}.i.x' and '{a}.i.y'; "
                "an x-y plot needs one"},
        {"y,mode", "r.csv: column '{b}.j.mode' has no numbers to plot"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const char *const pair[] = {"y,i.x", wrong[i].pair};
        struct tt_panels p = {0};
        tt_err err = {0};

        assert_int_equal(tt_xy_panel(&p, table, pair, 2, &err), TT_EINPUT);
        assert_string_equal(err.msg, wrong[i].message);
        assert_null(p.arena);
        assert_int_equal(p.n, 0);
    }
}

static void more_curves_than_colours_are_reported(void **state)
{
    static const char *const pair[] = {"y,i.x", "y,i.x", "y,i.x",
                                       "y,i.x", "y,i.x", "y,i.x",
                                       "y,i.x", "y,i.x", "y,i.x"};
    struct tt_panels p = {0};
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_xy_panel(&p, table, pair, 9, &err), TT_EINPUT);
    assert_string_equal(
        err.msg, "9 x-y curves in one picture: at most 8 can be distinguished");
    assert_int_equal(tt_xy_panel(&p, table, pair, 8, &err), TT_OK);
    assert_int_equal(p.panel->n, 8);
    tt_panels_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_is_a_curve),
        cmocka_unit_test(axes_name_each_variable_once),
        cmocka_unit_test(what_is_no_pair_of_columns_is_reported),
        cmocka_unit_test(more_curves_than_colours_are_reported),
    };

    return cmocka_run_group_tests(tests, load, unload);
}
