/* SPDX-License-Identifier: MIT */
#include "results/markup.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "results/xml_test.h"

static void expect(const char *in, const char *out)
{
    struct tt_buf b;

    tt_buf_init(&b, 4096);
    tt_markup_text(&b, in);
    tt_buf_char(&b, '\0');
    assert_string_equal(b.data, out);
    tt_buf_fini(&b);
}

static void markup_is_escaped(void **state)
{
    (void)state;
    expect("plain", "plain");
    expect("<b>&\"'", "&lt;b&gt;&amp;&quot;&#39;");
    expect("\xc3\xa4\xe2\x82\xac\xf0\x9f\x8e\xbb",
           "\xc3\xa4\xe2\x82\xac\xf0\x9f\x8e\xbb");
    expect(NULL, "");
}

#define BAD "\xef\xbf\xbd"

static void what_xml_cannot_hold_is_replaced(void **state)
{
    (void)state;
    expect("a\x01"
           "b\x1b[31m\x7f",
           "a" BAD "b" BAD "[31m" BAD);
    expect("\xff\xc0\x80", BAD BAD BAD);         /* no UTF-8, overlong NUL */
    expect("\xed\xa0\x80", BAD BAD BAD);         /* half a surrogate pair */
    expect("\xef\xbf\xbf", BAD BAD BAD);         /* U+FFFF */
    expect("\xf4\x90\x80\x80", BAD BAD BAD BAD); /* above U+10FFFF */
    expect("x\xe2\x82", "x" BAD BAD);            /* cut off */
    expect("\xc2\x85", BAD BAD);                 /* a C1 control */
    expect("tab\tline\n", "tab\tline\n");
}

static void any_bytes_give_well_formed_xml(void **state)
{
    uint32_t r = 1;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        char bytes[40] = "";
        struct tt_buf b;

        for (size_t k = 0; k < sizeof(bytes) - 1; k++) {
            r = r * 1664525u + 1013904223u;
            bytes[k] = (char)(r >> 24);
        }
        tt_buf_init(&b, 4096);
        tt_buf_str(&b, "<a t=\"");
        tt_markup_text(&b, bytes);
        tt_buf_str(&b, "\">");
        tt_markup_text(&b, bytes);
        tt_buf_str(&b, "</a>");
        xmlFreeDoc(xml_parse(b.data, b.len));
        tt_buf_fini(&b);
    }
}

static void long_texts_end_in_an_ellipsis(void **state)
{
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, 64);
    tt_markup_text_n(&b, "\xc3\xa4\xc3\xb6\xc3\xbcxyz", 4);
    assert_string_equal(b.data, "\xc3\xa4\xc3\xb6\xc3\xbc\xe2\x80\xa6");
    assert_int_equal(tt_markup_length("\xc3\xa4\xc3\xb6\xc3\xbcxyz"), 6);
    tt_buf_fini(&b);
}

static void coordinates_are_tenths(void **state)
{
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, 64);
    tt_markup_coord(&b, 12.34);
    tt_buf_char(&b, ' ');
    tt_markup_coord(&b, -0.26);
    tt_buf_char(&b, ' ');
    tt_markup_coord(&b, 7);
    tt_buf_char(&b, ' ');
    tt_markup_coord(&b, (double)NAN);
    assert_string_equal(b.data, "12.3 -0.3 7 0");
    tt_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_is_escaped),
        cmocka_unit_test(what_xml_cannot_hold_is_replaced),
        cmocka_unit_test(any_bytes_give_well_formed_xml),
        cmocka_unit_test(long_texts_end_in_an_ellipsis),
        cmocka_unit_test(coordinates_are_tenths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
