/* SPDX-License-Identifier: MIT */
#include "base/show.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/num.h"

/* What is in the buffer, which is then empty. */
#define expect(b, text)                                                        \
    do {                                                                       \
        assert_string_equal((b)->data ? (b)->data : "", (text));               \
        tt_buf_clear(b);                                                       \
    } while (0)

static void foreign_text_cannot_draw_on_the_terminal(void **state)
{
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, 4096);
    tt_show_clean(&b, "a\033[31mb\nc\td\x7f");
    expect(&b, "a?[31mb c d?");
    tt_show_clean(&b, "gr\xc3\xbc\xc3\x9f \xe2\x82\xac");
    expect(&b, "gr\xc3\xbc\xc3\x9f \xe2\x82\xac");
    tt_show_clean(&b, "\xc3 \xff\xc2\x9b"
                      "0m");
    expect(&b, "? ??0m");
    tt_show_clean(&b, NULL);
    expect(&b, "");
    tt_buf_fini(&b);
}

static void columns_are_characters(void **state)
{
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, 4096);
    assert_int_equal(tt_show_width("gr\xc3\xbc\xc3\x9f"), 4);
    tt_show_pad(&b, "\xc3\xbc", 3, 0, 0);
    expect(&b, "\xc3\xbc  ");
    tt_show_pad(&b, "\xc3\xbc", 3, 1, 0);
    expect(&b, "  \xc3\xbc");
    tt_show_pad(&b,
                "\xc3\xbc"
                "bcd",
                3, 0, 1);
    expect(&b, "\xc3\xbc"
               "b\xe2\x80\xa6");
    tt_show_pad(&b, "abcd", 3, 0, 0);
    expect(&b, "abcd");
    tt_buf_fini(&b);
}

static void numbers_are_words(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } row[] = {{2e-5, "20 us"},     {0.25, "250 ms"},     {1.5, "1.5 s"},
               {125, "2 min 05 s"}, {7260, "2 h 01 min"}, {-1, "?"},
               {(double)NAN, "?"}};
    char text[TT_NUM_MAX];
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, 4096);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        tt_show_duration(text, row[i].seconds);
        assert_string_equal(text, row[i].text);
    }
    tt_show_count(&b, 1, "step", "steps");
    expect(&b, "1 step");
    tt_show_count(&b, 0, "step", "steps");
    expect(&b, "0 steps");
    tt_show_json_num(&b, 0.1);
    expect(&b, "0.1");
    tt_show_json_num(&b, (double)INFINITY);
    expect(&b, "null");
    tt_buf_fini(&b);
}

static void without_colours_there_is_no_ink(void **state)
{
    (void)state;
    assert_string_equal(tt_show_ink(0, TT_INK_RED), "");
    assert_string_equal(tt_show_ink(1, TT_INK_RED), "\033[31m");
    assert_string_equal(tt_show_ink(1, TT_INK_OFF), "\033[0m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_text_cannot_draw_on_the_terminal),
        cmocka_unit_test(columns_are_characters),
        cmocka_unit_test(numbers_are_words),
        cmocka_unit_test(without_colours_there_is_no_ink),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
