/* SPDX-License-Identifier: MIT */
#include "base/test_locale.h"
#include "table/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/num.h"

static const double not_a_number = (double)NAN;

static tt_table *parse(const char *text)
{
    tt_table *t = NULL;
    tt_err err = {0};

    if (tt_table_parse(&t, "t.csv", text, strlen(text), &err) != TT_OK)
        fail_msg("%s", err.msg);
    return t;
}

static void expect_refused(const char *text, const char *message)
{
    tt_table *t = NULL;
    tt_err err = {0};

    assert_int_equal(tt_table_parse(&t, "t.csv", text, strlen(text), &err),
                     TT_EINPUT);
    assert_string_equal(err.msg, message);
    assert_null(t);
}

static int same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void expect_values(const tt_table *t, const char *name, const double *v,
                          size_t n)
{
    uint32_t c = tt_table_find(t, name);

    assert_int_not_equal(c, TT_NONE);
    assert_int_equal(tt_table_rows(t), n);
    for (size_t i = 0; i < n; i++)
        assert_true(same(tt_table_values(t, c)[i], v[i]));
}

static void a_maestro_result_is_read(void **state)
{
    tt_table *t = parse("time,{a}.a.x,{b}.b.on,{b}.b.n\n"
                        "0.0,1.0E-4,true,3\n"
                        "0.1,NaN,false,4\n"
                        "0.30000000000000004,-Infinity,true,5\n");
    double x[] = {1e-4, not_a_number, -(double)INFINITY};

    (void)state;
    assert_string_equal(tt_table_file(t), "t.csv");
    assert_string_equal(tt_table_time_name(t), "time");
    assert_int_equal(tt_table_columns(t), 3);
    assert_string_equal(tt_table_name(t, 2), "{b}.b.n");
    assert_true(tt_table_time(t)[2] == 0.1 + 0.2);
    expect_values(t, "{a}.a.x", x, 3);
    expect_values(t, "{b}.b.on", (double[]){1, 0, 1}, 3);
    expect_values(t, "{b}.b.n", (double[]){3, 4, 5}, 3);
    assert_false(tt_table_is_discrete(t, 0));
    assert_true(tt_table_is_discrete(t, 1));
    assert_true(tt_table_is_discrete(t, 2));
    tt_table_free(t);
}

static void
quotes_commas_crlf_bom_blanks_and_empty_lines_are_understood(void **state)
{
    tt_table *t = parse("\xef\xbb\xbf\r\n \"time\" , \"x[1,2]\" ,\"say "
                        "\"\"hi\"\"\"\t,y \r\n\r\n  0 , 1 , 2,\"3\"  \r\n"
                        "\r\n1,4, 5 ,6\r\n   ");

    (void)state;
    assert_int_equal(tt_table_columns(t), 3);
    expect_values(t, "x[1,2]", (double[]){1, 4}, 2);
    expect_values(t, "say \"hi\"", (double[]){2, 5}, 2);
    expect_values(t, "y", (double[]){3, 6}, 2);
    tt_table_free(t);
}

static void semicolons_separate_when_they_come_first(void **state)
{
    tt_table *t = parse("time;x[1,2];\"b;c\"\n0;1.5;2\n1;2.5;3\n");

    (void)state;
    expect_values(t, "x[1,2]", (double[]){1.5, 2.5}, 2);
    expect_values(t, "b;c", (double[]){2, 3}, 2);
    tt_table_free(t);
}

static void tabs_separate_where_nothing_else_does(void **state)
{
    static const char plain[] = "time\ta b\tc\n0\t 1 \t\n";
    static const char comma[] = "time\tm[1,2]\n0\t1\n";
    tt_table *t = NULL;

    (void)state;
    assert_int_equal(tt_table_parse(&t, "t.csv", plain, strlen(plain), NULL),
                     TT_OK);
    assert_int_equal(tt_table_columns(t), 2);
    expect_values(t, "a b", (const double[]){1}, 1);
    assert_true(isnan(tt_table_values(t, 1)[0]));
    tt_table_free(t);
    assert_int_equal(tt_table_parse(&t, "t.tsv", comma, strlen(comma), NULL),
                     TT_OK);
    expect_values(t, "m[1,2]", (const double[]){1}, 1);
    tt_table_free(t);
}

static void a_unit_stands_in_brackets_behind_a_blank(void **state)
{
    static const struct {
        const char *header;
        size_t n;
        const char *unit;
    } of[] = {{"speed [km/h]", 5, "km/h"},
              {"a b  [m]", 3, "m"},
              {"x[1]", 4, ""},
              {"x [1", 4, ""},
              {"[m]", 3, ""},
              {"x []", 4, ""},
              {" [m]", 4, ""},
              {"x [m] y", 7, ""}};

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        const char *unit = "";
        size_t n_unit, n = tt_table_split_unit(
                           of[i].header, strlen(of[i].header), &unit, &n_unit);

        assert_int_equal(n, of[i].n);
        assert_int_equal(n_unit, strlen(of[i].unit));
        assert_memory_equal(unit, of[i].unit, n_unit);
    }
}

static void a_separator_at_the_end_of_lines_is_no_column(void **state)
{
    tt_table *t = parse("time,a,\n0,1,\n1,2\n");

    (void)state;
    assert_int_equal(tt_table_columns(t), 1);
    expect_values(t, "a", (double[]){1, 2}, 2);
    tt_table_free(t);
}

static void text_columns_keep_their_text(void **state)
{
    tt_table *t = parse("time,mode,x\n0,idle,1\n1,\"a \"\"b\"\",\nc\",2\n"
                        "2,,3\n3,7,4\n");

    (void)state;
    assert_true(tt_table_is_text(t, 0));
    assert_false(tt_table_is_text(t, 1));
    assert_false(tt_table_is_discrete(t, 0));
    assert_string_equal(tt_table_text(t, 0, 0), "idle");
    assert_string_equal(tt_table_text(t, 0, 1), "a \"b\",\nc");
    assert_string_equal(tt_table_text(t, 0, 2), "");
    assert_string_equal(tt_table_text(t, 0, 3), "7");
    expect_values(t, "mode",
                  (double[]){not_a_number, not_a_number, not_a_number, 7}, 4);
    tt_table_free(t);
}

static void an_empty_cell_of_numbers_is_nan(void **state)
{
    tt_table *t = parse("time,x,y\n0,,1\n1,2,\n");

    (void)state;
    expect_values(t, "x", (double[]){not_a_number, 2}, 2);
    expect_values(t, "y", (double[]){1, not_a_number}, 2);
    tt_table_free(t);
}

static void a_header_alone_and_time_alone_are_tables(void **state)
{
    tt_table *t = parse("time,x\n");

    (void)state;
    assert_int_equal(tt_table_rows(t), 0);
    tt_table_free(t);
    t = parse("time\n0\n1");
    assert_int_equal(tt_table_rows(t), 2);
    assert_int_equal(tt_table_columns(t), 0);
    tt_table_free(t);
}

static void a_comma_locale_changes_nothing(void **state)
{
    tt_table *t;

    (void)state;
    if (!test_locale_enter())
        fail_msg("no locale with a decimal comma");
    t = parse("time,x\n0.5,1.25\n");
    setlocale(LC_ALL, "C");
    assert_true(tt_table_time(t)[0] == 0.5);
    expect_values(t, "x", (double[]){1.25}, 1);
    tt_table_free(t);
}

static void time_may_stand_still_at_events(void **state)
{
    tt_table *t = parse("time,x\n0,1\n1,1\n1,2\n");

    (void)state;
    assert_int_equal(tt_table_rows(t), 3);
    tt_table_free(t);
}

static void bad_tables_are_refused_with_their_place(void **state)
{
    (void)state;
    expect_refused("", "t.csv:1:1: the table is empty; the first line names "
                       "the columns");
    expect_refused("\n \n", "t.csv:3:1: the table is empty; the first line "
                            "names the columns");
    expect_refused("0.0,1\n", "t.csv:1:1: the first line names the columns, "
                              "but this is the number 0.0");
    expect_refused("time,a,a\n", "t.csv:1:8: column 'a' appears twice");
    expect_refused("time,,b\n", "t.csv:1:6: column 2 has no name");
    expect_refused("time,a,b\n0,1\n",
                   "t.csv:2:3: this row has 2 values, the header 3 columns");
    expect_refused("time,a\n0,1\n1,2,3\n",
                   "t.csv:3:5: this row has more values than the header has "
                   "columns (2)");
    expect_refused("time,a\n0,1\nx,2\n", "t.csv:3:1: time 'x' is not a number");
    expect_refused("time,a\n  NaN,1\n",
                   "t.csv:2:3: time 'NaN' is not a number");
    expect_refused("time,a\n,1\n", "t.csv:2:1: time '' is not a number");
    expect_refused("time,a\n0,1\n1,2\n0.5,2\n",
                   "t.csv:4:1: time 0.5 is before 1 of the row above");
    expect_refused("time,a\n0,\"1\n1,2\n",
                   "t.csv:2:3: this quote is never closed");
    expect_refused("time,a\n0,\"1\"2\n",
                   "t.csv:2:6: a separator or the end of the line belongs "
                   "after a closing quote");
}

static void places_count_the_lines_inside_quotes(void **state)
{
    (void)state;
    expect_refused("time,a\n0,\"x\ny\"\n1\n",
                   "t.csv:4:1: this row has 1 values, the header 2 columns");
}

static void a_zero_byte_is_refused(void **state)
{
    static const char text[] = "time,a\n0,\0001\n";
    tt_table *t = NULL;
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_table_parse(&t, "t.csv", text, sizeof(text) - 1, &err),
                     TT_EINPUT);
    assert_string_equal(err.msg,
                        "t.csv: this is not a text file: byte 10 is zero");
}

static void a_missing_column_gets_the_nearest_name(void **state)
{
    tt_table *t = parse("time,{tank}.tank.level,{v}.v.open\n");
    tt_err err = {0};
    uint32_t c = 9;

    (void)state;
    assert_int_equal(tt_table_get(t, "{v}.v.open", &c, &err), TT_OK);
    assert_int_equal(c, 1);
    assert_int_equal(tt_table_get(t, "{tank}.tank.levl", &c, &err), TT_EINPUT);
    assert_string_equal(err.msg, "t.csv has no column '{tank}.tank.levl'; did "
                                 "you mean '{tank}.tank.level'?");
    assert_int_equal(tt_table_get(t, "speed", &c, &err), TT_EINPUT);
    assert_string_equal(err.msg, "t.csv has no column 'speed'");
    tt_table_free(t);
}

static void too_many_cells_are_refused_before_memory_is_asked_for(void **state)
{
    size_t columns = 50000, lines = 3000, n = 0;
    char *text = tt_alloc(columns * 7 + lines * 2 + 16);
    tt_table *t = NULL;
    tt_err err = {0};

    (void)state;
    assert_non_null(text);
    memcpy(text, "t", 1);
    n = 1;
    for (size_t i = 0; i < columns; i++) {
        text[n++] = ',';
        text[n++] = 'c';
        n += tt_num_print_u64(text + n, i);
    }
    text[n++] = '\n';
    for (size_t i = 0; i < lines; i++) {
        text[n++] = '0';
        text[n++] = '\n';
    }
    assert_int_equal(tt_table_parse(&t, "t.csv", text, n, &err), TT_EINPUT);
    assert_string_equal(err.msg, "t.csv: 3000 rows of 50001 columns are more "
                                 "than the limit of 134217728 values");
    tt_free(text);
}

static void a_failed_allocation_loses_nothing(void **state)
{
    const char *text = "time,a,\"b\"\n0,1,x\n1,2,y\n";
    tt_table *t = NULL;

    (void)state;
    for (uint64_t i = 1;; i++) {
        enum tt_code rc;

        tt_mem_fail_after(i);
        rc = tt_table_parse(&t, "t.csv", text, strlen(text), NULL);
        tt_mem_fail_after(0);
        if (rc == TT_OK)
            break;
        assert_int_equal(rc, TT_ENOMEM);
    }
    tt_table_free(t);
}

static void a_missing_file_is_named(void **state)
{
    tt_table *t = NULL;
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_table_load(&t, "/nonexistent/in.csv", &err), TT_EINPUT);
    assert_string_equal(
        err.msg, "cannot read /nonexistent/in.csv: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_maestro_result_is_read),
        cmocka_unit_test(
            quotes_commas_crlf_bom_blanks_and_empty_lines_are_understood),
        cmocka_unit_test(semicolons_separate_when_they_come_first),
        cmocka_unit_test(tabs_separate_where_nothing_else_does),
        cmocka_unit_test(a_unit_stands_in_brackets_behind_a_blank),
        cmocka_unit_test(a_separator_at_the_end_of_lines_is_no_column),
        cmocka_unit_test(text_columns_keep_their_text),
        cmocka_unit_test(an_empty_cell_of_numbers_is_nan),
        cmocka_unit_test(a_header_alone_and_time_alone_are_tables),
        cmocka_unit_test(a_comma_locale_changes_nothing),
        cmocka_unit_test(time_may_stand_still_at_events),
        cmocka_unit_test(bad_tables_are_refused_with_their_place),
        cmocka_unit_test(places_count_the_lines_inside_quotes),
        cmocka_unit_test(a_zero_byte_is_refused),
        cmocka_unit_test(a_missing_column_gets_the_nearest_name),
        cmocka_unit_test(too_many_cells_are_refused_before_memory_is_asked_for),
        cmocka_unit_test(a_failed_allocation_loses_nothing),
        cmocka_unit_test(a_missing_file_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
