/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"

static void appended_pieces_make_one_terminated_text(void **state)
{
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, 1000);
    tt_buf_str(&b, "t = ");
    tt_buf_num(&b, 0.1);
    tt_buf_char(&b, ',');
    tt_buf_fmt(&b, " %s %03d", "n", 7);
    tt_buf_add(&b, "xyz", 2);
    assert_string_equal(b.data, "t = 0.1, n 007xy");
    assert_int_equal(b.len, 16);
    assert_int_equal(tt_buf_check(&b, "a line", NULL), TT_OK);
    tt_buf_fini(&b);
    assert_null(b.data);
}

static void json_strings_are_quoted_and_escaped(void **state)
{
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, 1000);
    tt_buf_json(&b, "a\"b\\c\n\t\x01 \xc3\xa9");
    assert_string_equal(b.data, "\"a\\\"b\\\\c\\n\\u0009\\u0001 \xc3\xa9\"");
    tt_buf_fini(&b);
}

static void xml_text_is_escaped(void **state)
{
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, 1000);
    tt_buf_xml(&b, "a<b> & \"c\"\td\ne\rf\x1b");
    assert_string_equal(b.data,
                        "a&lt;b&gt; &amp; &quot;c&quot;&#9;d&#10;e&#13;f"
                        "\xef\xbf\xbd");
    tt_buf_fini(&b);
}

static void the_maximum_is_reached_but_never_passed(void **state)
{
    struct tt_buf b;
    tt_err err = {0};

    (void)state;
    tt_buf_init(&b, 5);
    tt_buf_str(&b, "12345");
    assert_int_equal(tt_buf_check(&b, "the text", &err), TT_OK);
    tt_buf_char(&b, '6');
    assert_int_equal(b.len, 5);
    assert_int_equal(tt_buf_check(&b, "the text", &err), TT_ENOMEM);
    assert_string_equal(err.msg, "the text: out of memory or larger than the "
                                 "limit of 5 bytes");
    tt_buf_clear(&b);
    tt_buf_str(&b, "ok");
    assert_string_equal(b.data, "ok");
    tt_buf_fini(&b);
}

static void after_a_failure_nothing_more_is_appended(void **state)
{
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, 1 << 20);
    tt_buf_str(&b, "ab");
    tt_mem_fail_after(1);
    for (int i = 0; i < 200; i++)
        tt_buf_char(&b, 'x');
    tt_mem_fail_after(0);
    assert_true(b.failed);
    assert_true(b.len < 100);
    assert_null(tt_buf_take(&b));
    assert_null(b.data);
}

static void taken_text_belongs_to_the_caller(void **state)
{
    struct tt_buf b;
    char *text;

    (void)state;
    tt_buf_init(&b, 100);
    text = tt_buf_take(&b);
    assert_string_equal(text, "");
    tt_free(text);
    tt_buf_str(&b, "abc");
    text = tt_buf_take(&b);
    assert_string_equal(text, "abc");
    tt_free(text);
    assert_null(b.data);
    tt_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appended_pieces_make_one_terminated_text),
        cmocka_unit_test(json_strings_are_quoted_and_escaped),
        cmocka_unit_test(xml_text_is_escaped),
        cmocka_unit_test(the_maximum_is_reached_but_never_passed),
        cmocka_unit_test(after_a_failure_nothing_more_is_appended),
        cmocka_unit_test(taken_text_belongs_to_the_caller),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
