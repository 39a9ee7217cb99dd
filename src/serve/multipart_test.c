/* SPDX-License-Identifier: MIT */
#include "serve/multipart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

/* What was seen, in one line: "<name|bytes>" for each part, "<-|...>" for one
 * that is no file. */
struct seen {
    struct tt_buf b;
    int refuse; /* files */
};

static int on_begin(void *ctx, const char *file)
{
    struct seen *s = ctx;

    tt_buf_fmt(&s->b, "<%s|", file ? file : "-");
    return s->refuse && file ? -1 : 0;
}

static int on_data(void *ctx, const char *data, size_t n)
{
    tt_buf_add(&((struct seen *)ctx)->b, data, n);
    return 0;
}

static int on_end(void *ctx)
{
    tt_buf_char(&((struct seen *)ctx)->b, '>');
    return 0;
}

static const struct tt_multipart_cb cb = {on_begin, on_data, on_end};

/* The body in pieces of this size. The outcome, "" or what went wrong. */
static const char *read_body(const char *type, const char *body, size_t n,
                             size_t piece, struct seen *seen)
{
    static tt_err err;
    static struct tt_multipart m;
    enum tt_code rc = tt_multipart_init(&m, type, &cb, seen, &err);

    tt_buf_clear(&seen->b);
    tt_buf_str(&seen->b, "");
    for (size_t i = 0; rc == TT_OK && i < n; i += piece)
        rc = tt_multipart_feed(&m, body + i, n - i < piece ? n - i : piece,
                               &err);
    if (rc == TT_OK)
        rc = tt_multipart_end(&m, &err);
    return rc == TT_OK ? "" : err.msg;
}

#define TYPE "multipart/form-data; boundary=b"
#define FILE_PART(name)                                                        \
    "--b\r\nContent-Disposition: form-data; name=\"f\"; "                      \
    "filename=\"" name "\"\r\n\r\n"
#define COMPLETE "the upload ends before its last boundary"

static void forms_are_read_in_pieces_of_any_size(void **state)
{
    static const struct {
        const char *type, *body, *seen, *outcome;
    } cases[] = {
        {TYPE, FILE_PART("a.fmu") "one\r\n--b--\r\n", "<a.fmu|one>", ""},
        {TYPE, FILE_PART("a.fmu") "one\r\n--b--", "<a.fmu|one>", ""},
        {TYPE, FILE_PART("a") "\r\n--b--\r\n", "<a|>", ""},
        {TYPE, FILE_PART("a") "1\r\n" FILE_PART("b") "2\r\n--b--", "<a|1><b|2>",
         ""},
        /* almost a delimiter */
        {TYPE, FILE_PART("a") "\r\n-\r\r\n--\r\n--c\r\r\n\r\n--b--",
         "<a|\r\n-\r\r\n--\r\n--c\r\r\n>", ""},
        {TYPE, "words before\r\n" FILE_PART("a") "1\r\n--b--words after",
         "<a|1>", ""},
        {TYPE, "words --b before\r\n" FILE_PART("a") "1\r\n--b--", "<a|1>", ""},
        {TYPE, "--b \t\r\n\r\n1\r\n--b--", "<-|1>", ""},
        {TYPE,
         "--b\r\nX: y\r\nContent-Disposition: form-data; name=x\r\n\r\n"
         "1\r\n--b--",
         "<-|1>", ""},
        {TYPE, FILE_PART("C:\\d\\a.fmu") "1\r\n--b--", "<C:\\d\\a.fmu|1>", ""},
        {TYPE, FILE_PART("a\\\"b") "1\r\n--b--", "<a\"b|1>", ""},
        {TYPE,
         "--b\r\ncontent-disposition:form-data;FILENAME=a;x=y\r\n\r\n1"
         "\r\n--b--",
         "<a|1>", ""},
        {"Multipart/Form-Data; charset=x; boundary=\"b\"; y=z",
         FILE_PART("a") "1\r\n--b--", "<a|1>", ""},
        {TYPE, "--b--", "", ""},
        {TYPE, "", "", COMPLETE},
        {TYPE, "--b", "", COMPLETE},
        {TYPE, FILE_PART("a") "1\r\n--b", "<a|1>", COMPLETE},
        {TYPE, FILE_PART("a") "1\r\n--c--", "<a|1\r\n--c--", COMPLETE},
        {TYPE, "--b\r\nContent-Disposition: form-data; filename=\"a", "",
         COMPLETE},
        {TYPE, "--bcd\r\n\r\n1\r\n--bcd--", "",
         "the upload has text after a boundary"},
        {"text/plain", "", "",
         "files come as multipart/form-data, not as 'text/plain'"},
        {"multipart/form-data", "", "",
         "multipart/form-data without a boundary of 1 to 70 characters"},
        {"multipart/form-data; boundary=\"b", "", "",
         "multipart/form-data without a boundary of 1 to 70 characters"},
        {"multipart/form-datax; boundary=b", "", "",
         "files come as multipart/form-data, not as 'multipart/form-datax; "
         "boundary=b'"},
    };
    struct seen seen = {0};

    (void)state;
    tt_buf_init(&seen.b, 4096);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (size_t piece = 1; piece < 100; piece++) {
            const char *outcome =
                read_body(cases[i].type, cases[i].body, strlen(cases[i].body),
                          piece, &seen);

            assert_string_equal(outcome, cases[i].outcome);
            /* what may be the delimiter is held back */
            assert_memory_equal(seen.b.data, cases[i].seen, seen.b.len);
            if (!*outcome)
                assert_string_equal(seen.b.data, cases[i].seen);
        }
    tt_buf_fini(&seen.b);
}

static void what_has_no_end_is_refused(void **state)
{
    struct seen seen = {0};
    struct tt_buf b;

    (void)state;
    tt_buf_init(&seen.b, 65536);
    tt_buf_init(&b, (size_t)1 << 20);
    tt_buf_str(&b, "--b\r\n");
    for (int i = 0; i < 1000; i++)
        tt_buf_str(&b, "X: y\r\n");
    assert_string_equal(read_body(TYPE, b.data, b.len, 10, &seen),
                        "the upload has a part with more than 4094 bytes of "
                        "headers, or a zero in them");
    assert_string_equal(read_body(TYPE, "--b\r\n\0\r\n", 8, 10, &seen),
                        "the upload has a part with more than 4094 bytes of "
                        "headers, or a zero in them");
    tt_buf_clear(&b);
    for (int i = 0; i < 1001; i++)
        tt_buf_str(&b, "--b\r\n\r\n\r\n");
    assert_string_equal(read_body(TYPE, b.data, b.len, 10, &seen),
                        "the upload has more than 1000 parts");
    tt_buf_fini(&b);
    tt_buf_fini(&seen.b);
}

static void who_reads_may_refuse(void **state)
{
    static const char body[] = FILE_PART("a") "1\r\n--b--";
    struct seen seen = {.refuse = 1};

    (void)state;
    tt_buf_init(&seen.b, 65536);
    assert_string_equal(read_body(TYPE, body, strlen(body), 7, &seen),
                        "the upload was refused");
    assert_string_equal(seen.b.data, "<a|");
    tt_buf_fini(&seen.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_read_in_pieces_of_any_size),
        cmocka_unit_test(what_has_no_end_is_refused),
        cmocka_unit_test(who_reads_may_refuse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
