/* SPDX-License-Identifier: MIT */
/* MAT v4 files made here byte by byte, as several tools write them, and files
 * that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "table/table.h"

enum { F64 = 0, F32 = 10, I32 = 20, U8 = 50, CHARS = 51 };

static void add_head(struct tt_buf *b, int32_t type, int32_t rows, int32_t cols,
                     const char *name)
{
    const int32_t head[5] = {type, rows, cols, 0, (int32_t)strlen(name) + 1};

    tt_buf_add(b, head, sizeof(head));
    tt_buf_add(b, name, strlen(name) + 1);
}

/* As Dymola saves it ("binNormal"): lines go across, and blanks pad. */
static void make_normal(struct tt_buf *b)
{
    static const int32_t info[] = {0, 2, 1, 2, /* matrix */
                                   1, 2, 2, -2, 0, 0, 0, 0, -1, -1, -1, -1};
    static const double fixed[] = {0, 2, 7, 7};
    static const float moving[] = {0, 1, 2, 10, 20, 30};

    tt_buf_init(b, 1 << 16);
    add_head(b, CHARS, 4, 11, "Aclass");
    tt_buf_add(b, "A1 bt. ir1 na  Nj  oe  rc  mt  ao  lr   y   ", 44);
    add_head(b, CHARS, 4, 4, "name");
    tt_buf_add(b, "Txp-i  xm   e   ", 16); /* Time x p -x */
    add_head(b, CHARS, 4, 1, "description");
    tt_buf_add(b, "    ", 4);
    add_head(b, I32, 4, 4, "dataInfo");
    tt_buf_add(b, info, sizeof(info));
    add_head(b, F64, 2, 2, "data_1");
    tt_buf_add(b, fixed, sizeof(fixed));
    add_head(b, F32, 3, 2, "data_2");
    tt_buf_add(b, moving, sizeof(moving));
}

static void a_file_that_is_not_transposed_reads_too(void **state)
{
    struct tt_buf b;
    tt_table *t = NULL;
    tt_err err = {0};

    (void)state;
    make_normal(&b);
    if (tt_table_parse_mat(&t, "n.mat", b.data, b.len, &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(tt_table_rows(t), 3);
    assert_int_equal(tt_table_columns(t), 3);
    assert_string_equal(tt_table_time_name(t), "Time");
    assert_string_equal(tt_table_name(t, 0), "x");
    assert_string_equal(tt_table_name(t, 1), "p");
    assert_string_equal(tt_table_name(t, 2), "-x");
    for (size_t i = 0; i < 3; i++) {
        assert_true(tt_table_time(t)[i] == (double)i);
        assert_true(tt_table_values(t, 0)[i] == 10.0 * (double)(i + 1));
        assert_true(tt_table_values(t, 1)[i] == 7);
        assert_true(tt_table_values(t, 2)[i] == -10.0 * (double)(i + 1));
    }
    tt_table_free(t);
    tt_buf_fini(&b);
}

static void replace(struct tt_buf *b, const char *from, const char *to,
                    size_t n)
{
    size_t at = 0;

    while (memcmp(b->data + at, from, n) != 0)
        assert_true(++at + n <= b->len);
    memcpy(b->data + at, to, n);
}

/* As SystemModeler writes it: a NUL behind a text, and then blanks. */
static void a_text_may_end_before_its_padding(void **state)
{
    struct tt_buf b;
    tt_table *t = NULL;
    tt_err err = {0};

    (void)state;
    make_normal(&b);
    replace(&b, "o  lr   y   ", "o  lr  \0y   ", 12);
    replace(&b, "Txp-i  xm   e   ", "Txp-i\0\0xm   e   ", 16);
    if (tt_table_parse_mat(&t, "n.mat", b.data, b.len, &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(tt_table_time_name(t), "Time");
    assert_string_equal(tt_table_name(t, 0), "x");
    assert_string_equal(tt_table_name(t, 1), "p");
    tt_table_free(t);
    tt_buf_fini(&b);
}

/* The file with `to` in place of the first `from`, and the message. */
static void refuse(const char *from, const char *to, size_t n,
                   const char *words)
{
    struct tt_buf b;
    tt_table *t = NULL;
    tt_err err = {0};

    make_normal(&b);
    replace(&b, from, to, n);
    assert_int_equal(tt_table_parse_mat(&t, "n.mat", b.data, b.len, &err),
                     TT_EINPUT);
    assert_string_equal(err.msg, words);
    assert_null(t);
    tt_buf_fini(&b);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    refuse("Aclass", "Zclass", 6,
           "n.mat: no results of a Modelica tool: there is no matrix 'Aclass' "
           "with binTrans or binNormal");
    refuse("name", "nume", 4, "n.mat: there is no matrix 'name'");
    refuse("dataInfo", "dateInfo", 8, "n.mat: there is no matrix 'dataInfo'");
    refuse("data_2", "data_3", 6, "n.mat: there is no matrix 'data_2'");
    refuse("data_1", "data_3", 6,
           "n.mat: dataInfo sends 'p' to a place there is not");
    refuse("\xfe\xff\xff\xff", "\x03\0\0\0", 4,
           "n.mat: dataInfo sends '-x' to a place there is not");
    refuse("Txp-i", "Tpp-i", 5, "n.mat: column 'p' appears twice");
    refuse("\x33\0\0\0\4\0\0\0", "\x34\0\0\0\4\0\0\0", 8,
           "n.mat: byte 0: no matrix of a MAT v4 file (little-endian, real)");
    refuse("\x0a\0\0\0\3\0\0\0", "\x0a\0\0\0\4\0\0\0", 8,
           "n.mat: matrix 'data_2' of 4 x 2 values ends after the file");
    refuse("\0\0\x80\x3f", "\0\0\x80\xbf", 4,
           "n.mat: row 2: time -1 is before 0 of the row above");
    refuse("\0\0\x80\x3f", "\0\0\x80\x7f", 4,
           "n.mat: row 2: time 'inf' is not a number");
}

/* Nothing but a message, whatever byte is wrong or missing. */
static void any_damage_is_survived(void **state)
{
    struct tt_buf b;

    (void)state;
    make_normal(&b);
    for (size_t n = 0; n < b.len; n++) {
        char *copy = tt_alloc(n); /* exactly, so that reading on is noticed */
        tt_table *t = NULL;

        memcpy(copy, b.data, n);
        assert_int_not_equal(tt_table_parse_mat(&t, "n.mat", copy, n, NULL),
                             TT_OK);
        tt_free(copy);
    }
    for (size_t i = 0; i < b.len; i++) {
        static const char wrong[] = {0x7f, (char)0xff, 0, 1, 5};

        for (size_t k = 0; k < sizeof(wrong); k++) {
            char was = b.data[i];
            tt_table *t = NULL;

            b.data[i] = wrong[k];
            if (tt_table_parse_mat(&t, "n.mat", b.data, b.len, NULL) == TT_OK)
                tt_table_free(t);
            b.data[i] = was;
        }
    }
    tt_buf_fini(&b);
}

/* As make_normal, but transposed, and what the last column states are lines of
 * `texts`, of that many characters. */
static void make_texts(struct tt_buf *b, int32_t length, int32_t rows)
{
    static const int32_t info[] = {2, 1, 0, -1, 2, 2, 0, -1};
    uint8_t fill[256];

    tt_buf_init(b, 1 << 20);
    add_head(b, CHARS, 4, 8, "Aclass");
    tt_buf_add(b, "A bbn  ia  nt  Ti  rm  ae  n   s", 32);
    add_head(b, CHARS, 1, 2, "name");
    tt_buf_add(b, "tx", 2);
    add_head(b, CHARS, 15, 2, "description");
    tt_buf_add(b, "               line of texts: ", 30);
    add_head(b, I32, 4, 2, "dataInfo");
    tt_buf_add(b, info, sizeof(info));
    add_head(b, U8, 2, rows, "data_2");
    for (int32_t i = 0; i < rows; i++)
        tt_buf_add(b, "\0\1", 2);
    add_head(b, CHARS, length, 1, "texts");
    memset(fill, 'a', sizeof(fill));
    for (int32_t i = 0; i < length; i += (int32_t)sizeof(fill))
        tt_buf_add(b, fill, sizeof(fill));
}

/* Else a file of a few kilobytes would fill the memory of any machine. */
static void a_text_is_kept_once_however_often_it_is_reported(void **state)
{
    struct tt_buf b;
    tt_table *t = NULL;
    tt_err err = {0};

    (void)state;
    make_texts(&b, 1 << 12, 1 << 10);
    if (tt_table_parse_mat(&t, "t.mat", b.data, b.len, &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_true(tt_table_is_text(t, 0));
    assert_int_equal(strlen(tt_table_text(t, 0, 0)), 1 << 12);
    for (size_t i = 1; i < tt_table_rows(t); i++)
        assert_ptr_equal(tt_table_text(t, 0, i), tt_table_text(t, 0, 0));
    tt_table_free(t);
    tt_buf_fini(&b);
}

/* Matrices of no bytes may claim any size. */
static void claims_that_cost_nothing_get_nothing(void **state)
{
    struct tt_buf b;
    tt_table *t = NULL;
    tt_err err = {0};

    (void)state;
    make_texts(&b, 256, 4);
    add_head(&b, CHARS, 0, -1, "texts");
    if (tt_table_parse_mat(&t, "t.mat", b.data, b.len, &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(tt_table_text(t, 0, 3), "");
    tt_table_free(t);
    t = NULL;
    add_head(&b, CHARS, -1, 0, "texts"); /* the fuzzer's limit sees its room */
    if (tt_table_parse_mat(&t, "t.mat", b.data, b.len, &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(tt_table_text(t, 0, 3), "");
    tt_table_free(t);
    t = NULL;
    add_head(&b, F64, 0, 1 << 26, "data_2");
    assert_int_equal(tt_table_parse_mat(&t, "t.mat", b.data, b.len, &err),
                     TT_EINPUT);
    assert_string_equal(err.msg,
                        "t.mat: dataInfo sends 't' to a place there is not");
    tt_buf_fini(&b);
}

static void numbers_that_are_no_characters_are_shown_as_such(void **state)
{
    static const double name[] = {'t', -1e300};
    struct tt_buf b;
    tt_table *t = NULL;
    tt_err err = {0};

    (void)state;
    make_texts(&b, 256, 4);
    add_head(&b, F64, 1, 2, "name");
    tt_buf_add(&b, name, sizeof(name));
    if (tt_table_parse_mat(&t, "t.mat", b.data, b.len, &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(tt_table_name(t, 0), "?");
    tt_table_free(t);
    tt_buf_fini(&b);
}

static void a_failed_allocation_loses_nothing(void **state)
{
    struct tt_buf b;
    enum tt_code rc = TT_ENOMEM;

    (void)state;
    make_normal(&b);
    for (uint64_t i = 1; rc != TT_OK; i++) {
        tt_table *t = NULL;

        tt_mem_fail_after(i);
        rc = tt_table_parse_mat(&t, "n.mat", b.data, b.len, NULL);
        tt_mem_fail_after(0);
        assert_true(rc == TT_OK || rc == TT_ENOMEM);
        tt_table_free(t);
    }
    tt_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_not_transposed_reads_too),
        cmocka_unit_test(a_text_may_end_before_its_padding),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(any_damage_is_survived),
        cmocka_unit_test(a_text_is_kept_once_however_often_it_is_reported),
        cmocka_unit_test(claims_that_cost_nothing_get_nothing),
        cmocka_unit_test(numbers_that_are_no_characters_are_shown_as_such),
        cmocka_unit_test(a_failed_allocation_loses_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
