/* SPDX-License-Identifier: MIT */
#include "table/rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/num.h"
#include "sys/file.h"
#include "sys/temp.h"

static struct tt_temp folder;
static char path[512];

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

static void put(const char *text, size_t n)
{
    assert_int_equal(tt_file_write(path, text, n, NULL), TT_OK);
}

static tt_rows *opened(const char *text)
{
    tt_rows *r = NULL;
    tt_err err = {0};

    put(text, strlen(text));
    if (tt_rows_open(&r, path, &err) != TT_OK)
        fail_msg("%s", err.msg);
    return r;
}

static void choose(tt_rows *r, const char *name)
{
    uint32_t column = 0;

    assert_int_equal(tt_table_get(tt_rows_table(r), name, &column, NULL),
                     TT_OK);
    assert_int_equal(tt_rows_choose(r, &column, 1, NULL), TT_OK);
}

static void expect_row(tt_rows *r, double time, const char *cell)
{
    struct tt_row row;
    tt_err err = {0};
    int more = 0;

    if (tt_rows_next(r, &row, &more, &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_true(more);
    assert_true(row.time == time);
    if (!cell)
        return;
    assert_int_equal(row.cell[0].n, strlen(cell));
    assert_memory_equal(row.cell[0].s, cell, row.cell[0].n);
}

static void expect_end(tt_rows *r)
{
    struct tt_row row;
    int more = 1;

    assert_int_equal(tt_rows_next(r, &row, &more, NULL), TT_OK);
    assert_false(more);
}

/* The whole message of what goes wrong with this text, the file's path left
 * out. `column` NULL: times alone. */
static void expect_error(const char *text, const char *column, double from,
                         const char *message)
{
    struct tt_row row;
    tt_rows *r = NULL;
    tt_err err = {0};
    int more = 1;
    enum tt_code rc;

    put(text, strlen(text));
    rc = tt_rows_open(&r, path, &err);
    if (rc == TT_OK && column)
        choose(r, column);
    if (rc == TT_OK)
        rc = tt_rows_seek(r, from, &err);
    while (rc == TT_OK && more)
        rc = tt_rows_next(r, &row, &more, &err);
    assert_int_equal(rc, TT_EINPUT);
    assert_memory_equal(err.msg, path, strlen(path));
    assert_string_equal(err.msg + strlen(path), message);
    tt_rows_close(r);
}

static void rows_come_one_after_the_other(void **state)
{
    tt_rows *r = opened("\xef\xbb\xbf\n time ; b ; a\r\n0;1;x\r\n\r\n0;2;y\r\n"
                        "0.5;;\"z \"\r\n");

    (void)state;
    assert_int_equal(tt_table_columns(tt_rows_table(r)), 2);
    choose(r, "a");
    expect_row(r, 0, "x");
    expect_row(r, 0, "y");
    expect_row(r, 0.5, "z ");
    expect_end(r);
    choose(r, "b");
    assert_int_equal(tt_rows_seek(r, -(double)INFINITY, NULL), TT_OK);
    expect_row(r, 0, "1");
    tt_rows_close(r);
}

static void columns_come_in_the_order_they_were_chosen(void **state)
{
    tt_rows *r = opened("time,a,b,c\n0,1,2.5,true\n");
    const uint32_t column[] = {2, 0, 1};
    struct tt_row row;
    int more;

    (void)state;
    assert_int_equal(tt_rows_choose(r, column, 3, NULL), TT_OK);
    assert_int_equal(tt_rows_next(r, &row, &more, NULL), TT_OK);
    assert_true(row.cell[0].v == 1 && row.cell[0].is_whole);
    assert_true(row.cell[1].v == 1 && row.cell[1].is_whole);
    assert_true(row.cell[2].v == 2.5 && !row.cell[2].is_whole);
    tt_rows_close(r);
}

static void a_line_without_its_end_is_no_row(void **state)
{
    tt_rows *r = opened("time,a\n0,1\n1,2");

    (void)state;
    choose(r, "a");
    expect_row(r, 0, "1");
    expect_end(r);
    tt_rows_close(r);
    expect_error("time,a", NULL, 0,
                 ":1:1: the table is empty; the first line names the columns");
    r = opened("time,a\n0,\"1\n1,2\n2,3\n"); /* the quote is still open */
    expect_end(r);
    tt_rows_close(r);
}

static void a_file_may_grow_while_it_is_read(void **state)
{
    tt_rows *r = opened("time,a\n0,1\n1,");
    FILE *f = fopen(path, "ab");

    (void)state;
    assert_non_null(f);
    choose(r, "a");
    expect_row(r, 0, "1");
    expect_end(r);
    fputs("2\n", f);
    fflush(f);
    expect_row(r, 1, "2");
    expect_end(r);
    fclose(f);
    tt_rows_close(r);
}

static void line_breaks_in_quotes_end_no_row(void **state)
{
    tt_rows *r = opened("time,\"a\n\"\"b\"\"\",c\n0,\"x\n7,8,9\n\",1\n2,y,3\n");

    (void)state;
    choose(r, "a\n\"b\"");
    expect_row(r, 0, "x\n7,8,9\n");
    expect_row(r, 2, "y");
    expect_end(r);
    tt_rows_close(r);
}

static void problems_have_a_place(void **state)
{
    (void)state;
    expect_error("time,a\n0,1\n\nx,2\n", NULL, 0,
                 ":4:1: time 'x' is not a number");
    expect_error("time,a\n0,1\n2,1\n1,2\n", NULL, -1,
                 ":4:1: time 1 is before 2 of the row above");
    expect_error("time,a\n0,1\n2,1\n1,2\n", NULL, 2.5,
                 ":4:1: time 1 is before 2 of the row above");
    expect_error("time,a,b\n0,1,2\n1,2\n", "b", 0,
                 ":3:3: this row has 2 values, the header 3 columns");
    expect_error("time,a\n0,\"1\"2\n", "a", 0,
                 ":2:6: a separator or the end of the line belongs after a "
                 "closing quote");
    expect_error("time,a,a\n0,1\n", NULL, 0, ":1:8: column 'a' appears twice");
}

static void bytes_of_zero_are_refused(void **state)
{
    tt_rows *r = NULL;
    struct tt_row row;
    tt_err err = {0};
    int more;

    (void)state;
    put("time,a\n0,\0\n", 11);
    assert_int_equal(tt_rows_open(&r, path, NULL), TT_OK);
    assert_int_equal(tt_rows_next(r, &row, &more, &err), TT_EINPUT);
    assert_string_equal(err.msg + strlen(path),
                        ": this is not a text file: byte 3 is zero");
    tt_rows_close(r);
}

static void what_is_no_file_is_refused(void **state)
{
    tt_rows *r = NULL;
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_rows_open(&r, "/dev/null", &err), TT_EINPUT);
    assert_string_equal(err.msg, "cannot read /dev/null: not a regular file");
    assert_int_equal(tt_rows_open(&r, folder.path, &err), TT_EINPUT);
    assert_int_equal(tt_rows_open(&r, "no/such.csv", &err), TT_EINPUT);
    assert_string_equal(err.msg,
                        "cannot read no/such.csv: No such file or directory");
}

/* Rows at 0, 1, 1, 2, 3, 3, ... with their number beside; `text` instead of
 * the number of row `odd`. Large enough to be searched. */
#define MANY 60000u
static void put_many(uint32_t odd, const char *text)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    fputs("time,n\n", f);
    for (uint32_t i = 0; i < MANY; i++) {
        fprintf(f, "%u,", (2 * i + 2) / 3);
        if (i == odd)
            fprintf(f, "%s\n", text);
        else
            fprintf(f, "%u\n", i);
    }
    assert_int_equal(fclose(f), 0);
}

/* The first row not before `from`, found by calculation. */
static void expect_found(tt_rows *r, double from)
{
    uint32_t i = 0;
    char cell[32];

    while (i < MANY && (double)((2 * i + 2) / 3) < from)
        i++;
    assert_int_equal(tt_rows_seek(r, from, NULL), TT_OK);
    if (i == MANY) {
        expect_end(r);
        return;
    }
    snprintf(cell, sizeof(cell), "%u", i);
    expect_row(r, (2 * i + 2) / 3, cell);
}

static void a_time_is_found_in_a_large_file(void **state)
{
    tt_rows *r = NULL;

    (void)state;
    put_many(MANY, "");
    assert_int_equal(tt_rows_open(&r, path, NULL), TT_OK);
    choose(r, "n");
    expect_found(r, -(double)INFINITY);
    expect_found(r, -1);
    for (double from = 0; from < 40002; from += 331.5)
        expect_found(r, from);
    expect_found(r, 39999);
    expect_found(r, 40000);
    expect_found(r, 40001);
    expect_found(r, (double)INFINITY);
    tt_rows_close(r);
}

/* Many rows of one time: the first of them is found. */
static void the_first_of_equal_times_is_found(void **state)
{
    FILE *f = fopen(path, "wb");
    tt_rows *r = NULL;

    (void)state;
    assert_non_null(f);
    fputs("time,n\n", f);
    for (uint32_t i = 0; i < MANY; i++)
        fprintf(f, "%u,%u\n", i < 1000 ? 0u : 5u, i);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(tt_rows_open(&r, path, NULL), TT_OK);
    choose(r, "n");
    assert_int_equal(tt_rows_seek(r, 5, NULL), TT_OK);
    expect_row(r, 5, "1000");
    assert_int_equal(tt_rows_seek(r, 0, NULL), TT_OK);
    expect_row(r, 0, "0");
    tt_rows_close(r);
}

/* A search that lands among the quotes sees no rows, and gives up. */
static void texts_do_not_mislead_the_search(void **state)
{
    static char text[400000];
    tt_rows *r = NULL;
    size_t n = 0;

    (void)state;
    text[n++] = '"';
    while (n < sizeof(text) - 32)
        n += (size_t)snprintf(text + n, 8, "\nbla,1");
    text[n++] = '"';
    text[n] = '\0';
    put_many(30000, text);
    assert_int_equal(tt_rows_open(&r, path, NULL), TT_OK);
    choose(r, "n");
    expect_found(r, 19990);
    expect_found(r, 20010);
    tt_rows_close(r);
}

static void a_searched_file_still_has_line_numbers(void **state)
{
    tt_rows *r = NULL;
    struct tt_row row;
    tt_err err = {0};
    int more = 1;
    enum tt_code rc;

    (void)state;
    put_many(59990, "\"1\"2");
    assert_int_equal(tt_rows_open(&r, path, NULL), TT_OK);
    choose(r, "n");
    rc = tt_rows_seek(r, 39980, &err);
    while (rc == TT_OK && more)
        rc = tt_rows_next(r, &row, &more, &err);
    assert_int_equal(rc, TT_EINPUT);
    assert_string_equal(err.msg + strlen(path),
                        ":59992:10: a separator or the end of the line belongs "
                        "after a closing quote");
    tt_rows_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_one_after_the_other),
        cmocka_unit_test(columns_come_in_the_order_they_were_chosen),
        cmocka_unit_test(a_line_without_its_end_is_no_row),
        cmocka_unit_test(a_file_may_grow_while_it_is_read),
        cmocka_unit_test(line_breaks_in_quotes_end_no_row),
        cmocka_unit_test(problems_have_a_place),
        cmocka_unit_test(bytes_of_zero_are_refused),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(a_time_is_found_in_a_large_file),
        cmocka_unit_test(the_first_of_equal_times_is_found),
        cmocka_unit_test(texts_do_not_mislead_the_search),
        cmocka_unit_test(a_searched_file_still_has_line_numbers),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
