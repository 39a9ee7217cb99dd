/* SPDX-License-Identifier: MIT */
/* The quick way gives jansson's tree, or leaves the text to jansson. */
#include "scenario/json_quick.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenario/test_doc.h"

/* Was it read quickly? Then jansson must read the same. */
static int read_both(const char *text, size_t n)
{
    char path[] = "t.json";
    /* exactly as large as it is, so that reading beyond it shows */
    char *copy = malloc(n ? n : 1);
    struct tt_scenario_file f = {.path = path, .text = copy, .n = n};
    tt_arena *arena = tt_arena_new();
    struct tt_doc quick, judged;
    int rc;

    assert_non_null(copy);
    assert_non_null(arena);
    memcpy(copy, text, n);
    rc = tt_doc_quick(&quick, &f, 3, arena, arena);
    assert_true(rc == 0 || rc == 1);
    if (rc == 1) {
        assert_int_equal(tt_doc_judged(&judged, &f, 3, arena, arena, NULL),
                         TT_OK);
        assert_true(same_doc(&quick, &judged));
    }
    tt_arena_free(arena);
    free(copy);
    return rc;
}

static int quick(const char *text)
{
    return read_both(text, strlen(text));
}

#define SCENARIO                                                               \
    "{ \"fmus\": {\"{x}\": \"a.fmu\"},\r\n\t\"connections\": {\"{x}.a.y\": "   \
    "[\"{x}.b.u\", \"{x}.c.u\"], \"{x}.b.y\": []},\n \"on\": true, \"off\": "  \
    "false, \"none\": null, \"e\": {}, \"n\": [0, -0, 7, -12, 0.5, -1e-3, "    \
    "2.5E+10, 123456789012345678, 1e-400]}\n "

static void plain_texts_are_read(void **state)
{
    (void)state;
    assert_true(quick(SCENARIO));
    assert_true(quick("[]"));
    assert_true(quick(" \"text\" "));
    assert_true(quick("-1.5e3"));
    assert_true(quick("{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,"
                      "\"g\":1,\"h\":1,\"i\":1,\"j\":1}"));
    assert_true(quick("[\"\x7f\"]"));
}

static void what_is_not_plain_is_left(void **state)
{
    static const char *const text[] = {
        "\"\xc3\xa9\"",        "\"\xff\"", "123456789012345678901",
        "9223372036854775808", "1e400",    "\"a\tb\""};

    (void)state;
    for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
        assert_false(quick(text[i]));
    assert_false(read_both("\"a\0b\"", 5));
}

static void escapes_are_read(void **state)
{
    (void)state;
    assert_true(quick("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""));
    assert_true(quick("{\"a\\n\": \"x\\u00e9\\u20AC\\uD83D\\uDE00\\u0001y\"}"));
    assert_true(quick("[\"\\u007f\\u0080\\u07ff\\u0800\\uffff\"]"));
    assert_true(quick("9223372036854775807"));
    assert_true(quick("-9223372036854775807"));
}

static void escapes_that_are_none_are_left(void **state)
{
    static const char *const text[] = {"\"\\\"",         "\"\\x\"",
                                       "\"\\u12\"",      "\"\\u12g4\"",
                                       "\"\\u0000\"",    "\"\\ud83d\"",
                                       "\"\\ud83dx\"",   "\"\\ude00\"",
                                       "\"\\ud83d\\n\"", "\"\\ud83d\\u0041\"",
                                       "\"\\",           "\"\\\xc3\xa9\""};

    (void)state;
    for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
        assert_false(quick(text[i]));
    assert_false(quick("{\"a\":1,\"\\u0061\":1}"));
}

static void what_is_not_json_is_left(void **state)
{
    static const char *const text[] = {"",          " ",
                                       "{",         "}",
                                       "[1",        "[1,]",
                                       "[,1]",      "{\"a\"}",
                                       "{\"a\":}",  "{\"a\":1,}",
                                       "{a:1}",     "01",
                                       "-",         "1.",
                                       ".5",        "1e",
                                       "1e+",       "+1",
                                       "tru",       "nul",
                                       "[1 2]",     "1 2",
                                       "\"a",       "{\"a\":1]",
                                       "[1}",       "nan",
                                       "[1]x",      "{1:2}",
                                       "0x10",      "--1",
                                       "'a'",       "{\"a\" 1}",
                                       "{\"a\":1 ", "\xef\xbb\xbf{}"};

    (void)state;
    for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
        assert_false(quick(text[i]));
    assert_false(read_both("1\0", 2));
}

static void a_name_given_twice_is_left(void **state)
{
    (void)state;
    assert_false(quick("{\"a\":1,\"a\":1}"));
    assert_false(quick("{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,"
                       "\"g\":1,\"h\":1,\"i\":1,\"a\":1}"));
    assert_true(quick("{\"a\":{\"a\":1},\"b\":{\"a\":1}}"));
}

static void deep_nesting_is_left(void **state)
{
    char text[400];

    (void)state;
    memset(text, '[', 200);
    memset(text + 200, ']', 200);
    assert_false(read_both(text, 400));
    assert_true(read_both(text + 150, 100));
}

/* Whatever one changes, the two never disagree. */
static void mutations_are_read_alike_or_left(void **state)
{
    static const char other[] = "{}[]\",:\\ 0159-+.eEtfn\n\t\xc3\x01z";
    char text[] = SCENARIO;
    uint64_t seed = 12345;
    int read = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        size_t at, what;
        char was;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        at = (size_t)(seed >> 33) % (sizeof(text) - 1);
        what = (size_t)(seed >> 20) % (sizeof(other) - 1);
        was = text[at];
        text[at] = other[what];
        read += read_both(text, sizeof(text) - 1);
        text[at] = was;
    }
    assert_true(read > 1000 && read < 19000); /* both happen */
}

static void cut_texts_are_left(void **state)
{
    size_t n = strlen(SCENARIO);

    (void)state;
    for (size_t i = 0; i + 2 < n; i++) /* two blanks at the end */
        assert_false(read_both(SCENARIO, i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_texts_are_read),
        cmocka_unit_test(what_is_not_plain_is_left),
        cmocka_unit_test(escapes_are_read),
        cmocka_unit_test(escapes_that_are_none_are_left),
        cmocka_unit_test(what_is_not_json_is_left),
        cmocka_unit_test(a_name_given_twice_is_left),
        cmocka_unit_test(deep_nesting_is_left),
        cmocka_unit_test(mutations_are_read_alike_or_left),
        cmocka_unit_test(cut_texts_are_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
