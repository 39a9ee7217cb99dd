/* SPDX-License-Identifier: MIT */
#include "results/cut.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "sys/file.h"
#include "sys/temp.h"
#include "table/table.h"

static struct tt_temp folder;
static char path[512];

#define ALL .from = -(double)INFINITY, .to = (double)INFINITY

static int make_folder(void **state)
{
    (void)state;
    assert_int_equal(tt_temp_open(&folder, NULL), TT_OK);
    snprintf(path, sizeof(path), "%s/a.csv", folder.path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    tt_temp_close(&folder);
    return 0;
}

static enum tt_code add(void *ctx, const char *data, size_t n, tt_err *err)
{
    (void)err;
    tt_buf_add(ctx, data, n);
    return TT_OK;
}

typedef enum tt_code (*cut_fn)(const char *path, const struct tt_cut_opts *o,
                               tt_cut_fn fn, void *ctx, tt_err *err);

static void expect(cut_fn cut, const char *table, const struct tt_cut_opts *o,
                   const char *text)
{
    struct tt_buf b;
    tt_err err = {0};

    tt_buf_init(&b, 1 << 20);
    assert_int_equal(tt_file_write(path, table, strlen(table), NULL), TT_OK);
    if (cut(path, o, add, &b, &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(b.data, text);
    tt_buf_fini(&b);
}

static const char small[] = "time,{k}.i.x,{k}.i.on,{k}.i.s\n"
                            "0.0,1.0E-4,true,\"a \"\"b\"\"\"\n"
                            "0.5,NaN,false,c\n"
                            "0.5,-Infinity,true,\n"
                            "1.5,0.30000000000000004,true,d\n";

static void json_has_a_list_per_column(void **state)
{
    const struct tt_cut_opts all = {ALL};

    (void)state;
    expect(tt_cut_json, small, &all,
           "{\"columns\":[\"{k}.i.x\",\"{k}.i.on\",\"{k}.i.s\"],"
           "\"time\":[0,0.5,0.5,1.5],\"values\":["
           "[0.0001,null,null,0.30000000000000004],[1,0,1,1],"
           "[\"a \\\"b\\\"\",\"c\",null,\"d\"]],"
           "\"rows_total\":4,\"decimated\":false}\n");
}

static void columns_and_times_are_chosen(void **state)
{
    const char *pattern[] = {"on", "{k}.i.x"};
    const struct tt_cut_opts some = {
        .pattern = pattern, .n_pattern = 2, .from = 0.5, .to = 0.5};
    const struct tt_cut_opts none = {.from = 7, .to = 8};

    (void)state;
    expect(tt_cut_json, small, &some,
           "{\"columns\":[\"{k}.i.on\",\"{k}.i.x\"],\"time\":[0.5,0.5],"
           "\"values\":[[0,1],[null,null]],\"rows_total\":2,"
           "\"decimated\":false}\n");
    expect(tt_cut_csv, small, &some,
           "time,{k}.i.on,{k}.i.x\n0.5,false,NaN\n0.5,true,-Infinity\n");
    expect(tt_cut_json, small, &none,
           "{\"columns\":[\"{k}.i.x\",\"{k}.i.on\",\"{k}.i.s\"],\"time\":[],"
           "\"values\":[[],[],[]],\"rows_total\":0,\"decimated\":false}\n");
}

static void a_table_cut_whole_is_the_table(void **state)
{
    const struct tt_cut_opts all = {ALL};
    const struct tt_cut_opts enough = {ALL, .points = 4};

    (void)state;
    expect(tt_cut_csv, small, &all, small);
    expect(tt_cut_csv, small, &enough, small);
}

/* Two peaks, in opposite order, and a constant. */
static const char peaks[] = "time,a,b,n,s\n"
                            "0.0,0.0,0.0,1,p\n"
                            "1.0,5.0,1.0,1,q\n"
                            "2.0,-7.0,9.0,1,r\n"
                            "3.0,1.0,-9.0,1,t\n"
                            "6.0,2.0,2.0,2,u\n"
                            "8.0,NaN,4.0,1,v\n"
                            "9.0,3.0,NaN,3,w\n"
                            "10.0,0.5,0.5,1,x\n";

static void extremes_stay_when_rows_go(void **state)
{
    const struct tt_cut_opts six = {ALL, .points = 6};
    const struct tt_cut_opts two = {ALL, .points = 2};

    (void)state;
    expect(tt_cut_csv, peaks, &six,
           "time,a,b,n,s\n"
           "0.0,0.0,0.0,1,p\n"
           "1.0,5.0,9.0,1,q\n"
           "3.0,-7.0,-9.0,1,t\n"
           "6.0,2.0,2.0,1,u\n"
           "9.0,3.0,4.0,3,w\n"
           "10.0,0.5,0.5,1,x\n");
    expect(tt_cut_csv, peaks, &two,
           "time,a,b,n,s\n0.0,0.0,0.0,1,p\n10.0,0.5,0.5,1,x\n");
}

/* One column alone keeps the times of its extremes. */
static void one_column_keeps_its_times(void **state)
{
    const char *pattern[] = {"a"};
    const struct tt_cut_opts six = {ALL, .pattern = pattern, .n_pattern = 1,
                                    .points = 6};

    (void)state;
    expect(tt_cut_json, peaks, &six,
           "{\"columns\":[\"a\"],\"time\":[0,1,2,6,9,10],"
           "\"values\":[[0,5,-7,2,3,0.5]],\"rows_total\":8,"
           "\"decimated\":true}\n");
}

/* A million rows would take a while: ten thousand state the same. */
static void no_peak_of_a_long_table_is_lost(void **state)
{
    struct tt_cut_opts o = {ALL};
    struct tt_buf table, b;

    (void)state;
    tt_buf_init(&table, 1 << 24);
    tt_buf_init(&b, 1 << 24);
    tt_buf_str(&table, "time,a,b\n");
    for (int i = 0; i < 10000; i++)
        tt_buf_fmt(&table, "%d,%d,%d\n", i, i == 5003 ? 1 : 0,
                   i == 7777 ? -1 : 0);
    assert_int_equal(tt_file_write(path, table.data, table.len, NULL), TT_OK);
    for (o.points = 4; o.points < 3000; o.points += 37) {
        const double *low, *high;
        tt_table *t = NULL;
        size_t rows;
        int seen = 0;

        tt_buf_clear(&b);
        assert_int_equal(tt_cut_csv(path, &o, add, &b, NULL), TT_OK);
        assert_int_equal(tt_table_parse(&t, "t", b.data, b.len, NULL), TT_OK);
        rows = tt_table_rows(t);
        assert_true(rows <= o.points && rows + 2 > o.points);
        assert_true(tt_table_time(t)[0] == 0);
        assert_true(tt_table_time(t)[rows - 1] == 9999);
        high = tt_table_values(t, 0);
        low = tt_table_values(t, 1);
        for (size_t i = 0; i < rows; i++)
            seen |= (high[i] == 1) | (low[i] == -1) << 1;
        assert_int_equal(seen, 3);
        tt_table_free(t);
    }
    tt_buf_fini(&table);
    tt_buf_fini(&b);
}

static void all_at_one_time_is_thinned_out_too(void **state)
{
    const struct tt_cut_opts four = {ALL, .points = 4};

    (void)state;
    expect(tt_cut_csv, "time,a\n1,1\n1,2\n1,9\n1,3\n1,4\n1,5\n", &four,
           "time,a\n1.0,1\n1.0,2\n1.0,9\n1.0,5\n");
}

/* A ball at rest, thrown at 4.5 s. */
static const char leap[] = "time,v,n\n0,0.0,0\n1,0.0,0\n2,0.0,0\n3,0.0,0\n"
                           "4.5,0.0,0\n4.5,9.0,1\n5,8.5,1\n6,7.5,1\n"
                           "7,6.5,1\n8,5.5,1\n9,4.5,1\n10,3.5,1\n";

/* An event is there in few rows, and these are what is to be seen. */
static void texts_between_empty_cells_stay(void **state)
{
    const struct tt_cut_opts four = {ALL, .points = 4};

    (void)state;
    expect(tt_cut_csv, "time,e\n0,\n1,\n2,on\n3,\n4,off\n5,\n6,\n", &four,
           "time,e\n0.0,\n1.0,on\n5.0,off\n6.0,\n");
}

static void jumps_stay_upright(void **state)
{
    const struct tt_cut_opts four = {ALL, .points = 4};
    const char *pattern[] = {"v"};
    const struct tt_cut_opts one = {ALL, .pattern = pattern, .n_pattern = 1,
                                    .points = 4};

    (void)state;
    expect(tt_cut_csv, leap, &four,
           "time,v,n\n0.0,0.0,0\n4.5,0.0,0\n4.5,9.0,1\n10.0,3.5,1\n");
    expect(tt_cut_csv, leap, &one,
           "time,v\n0.0,0.0\n4.5,0.0\n4.5,9.0\n10.0,3.5\n");
}

static void people_get_the_essence(void **state)
{
    const struct tt_cut_opts all = {ALL};
    char expected[1024];
    struct tt_buf b;
    tt_err err = {0};

    (void)state;
    tt_buf_init(&b, 1 << 20);
    assert_int_equal(tt_file_write(path, small, strlen(small), NULL), TT_OK);
    if (tt_cut_text(path, &all, &b, &err) != TT_OK)
        fail_msg("%s", err.msg);
    snprintf(expected, sizeof(expected),
             "%s  4 rows from t=0 to t=1.5 s, 3 variables\n"
             "               first          last           min        "
             "   max          mean\n"
             "  i.x         0.0001           0.3          -inf        "
             "   0.3          -inf\n"
             "  i.on             1             1             0        "
             "     1          0.75\n"
             "  i.s   (text)\n",
             path);
    assert_string_equal(b.data, expected);
    tt_buf_fini(&b);
}

static void numbers_stand_apart(void **state)
{
    static const char wide[] = "time,x\n0,-0.000406571\n1,-1.23456e-308\n";
    const struct tt_cut_opts all = {ALL};
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, 1 << 20);
    assert_int_equal(tt_file_write(path, wide, strlen(wide), NULL), TT_OK);
    assert_int_equal(tt_cut_text(path, &all, &b, NULL), TT_OK);
    assert_non_null(strstr(b.data, " x  -0.000406571 -1.23456e-308  "
                                   "-0.000406571 -1.23456e-308 "));
    tt_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_a_list_per_column),
        cmocka_unit_test(columns_and_times_are_chosen),
        cmocka_unit_test(a_table_cut_whole_is_the_table),
        cmocka_unit_test(extremes_stay_when_rows_go),
        cmocka_unit_test(one_column_keeps_its_times),
        cmocka_unit_test(no_peak_of_a_long_table_is_lost),
        cmocka_unit_test(all_at_one_time_is_thinned_out_too),
        cmocka_unit_test(texts_between_empty_cells_stay),
        cmocka_unit_test(jumps_stay_upright),
        cmocka_unit_test(people_get_the_essence),
        cmocka_unit_test(numbers_stand_apart),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
