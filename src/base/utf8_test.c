/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Every character comes back; surrogates are none. */
static void what_is_encoded_is_decoded(void **state)
{
    (void)state;
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        char s[4];
        size_t n = tt_utf8_encode(s, c);
        uint32_t back = ~c;

        if (c >= 0xd800 && c < 0xe000) {
            assert_int_equal(tt_utf8_decode(s, n, &back), 0);
            continue;
        }
        assert_int_equal(tt_utf8_decode(s, n, &back), n);
        assert_int_equal(back, c);
        assert_int_equal(tt_utf8_decode(s, n - 1, &back), 0);
    }
}

static void other_bytes_are_refused(void **state)
{
    static const char *const bad[] = {"\x80",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xe0\x9f\xbf",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf8\x88\x80\x80",
                                      "\xff",
                                      "\xc3",
                                      "\xe2\x82",
                                      "\xe2(\xa1",
                                      "\xf0\x9f\x98"};
    uint32_t c;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_int_equal(tt_utf8_decode(bad[i], 4, &c), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_encoded_is_decoded),
        cmocka_unit_test(other_bytes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
