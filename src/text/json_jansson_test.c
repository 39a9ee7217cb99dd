/* SPDX-License-Identifier: MIT */
/* Our reader of JSON and jansson agree on what is JSON, and what it states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "text/test_json.h"

static int both(const char *text)
{
    return ask_both(text, strlen(text));
}

#define SCENARIO                                                               \
    "{ \"fmus\": {\"{x}\": \"a.fmu\"},\r\n\t\"connections\": {\"{x}.a.y\": "   \
    "[\"{x}.b.u\", \"{x}.c.u\"], \"{x}.b.y\": []},\n \"on\": true, \"off\": "  \
    "false, \"none\": null, \"e\": {}, \"n\": [0, -0, 7, -12, 0.5, -1e-3, "    \
    "2.5E+10, 123456789012345678, 1e-400, \"\\u00e9\xc3\xa9\\n\"]}\n "

static void these_are_read(void **state)
{
    static const char *const text[] = {
        SCENARIO,
        "[]",
        " \"text\" ",
        "-1.5e3",
        "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1}",
        "[\"\x7f\"]",
        "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "{\"a\\n\": \"x\\u00e9\\u20AC\\uD83D\\uDE00\\u0001y\"}",
        "[\"\\u007f\\u0080\\u07ff\\u0800\\uffff\"]",
        "9223372036854775807",
        "-9223372036854775808",
        "-0.0",
        "123456789012345678901.5",
        "0.1234567890123456789012345678901234567890e-300",
        "1.7976931348623157e308",
        "4.9e-324",
        "{\"a\":{\"a\":1},\"b\":{\"a\":1}}",
        "{\"\":0}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
        assert_int_equal(both(text[i]), 1);
}

static void these_are_refused(void **state)
{
    static const char *const text[] = {
        "",
        " ",
        "{",
        "}",
        "[1",
        "[1,]",
        "[,1]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "1e+",
        "+1",
        "tru",
        "nul",
        "truex",
        "[1 2]",
        "1 2",
        "\"a",
        "{\"a\":1]",
        "[1}",
        "nan",
        "[1]x",
        "{1:2}",
        "0x10",
        "--1",
        "'a'",
        "{\"a\" 1}",
        "{\"a\":1 ",
        "\xef\xbb\xbf{}",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\u0000\"",
        "\"\\ud83d\"",
        "\"\\ud83dx\"",
        "\"\\ude00\"",
        "\"\\ud83d\\n\"",
        "\"\\ud83d\\u0041\"",
        "\"\\",
        "\"\\\xc3\xa9\"",
        "\"\xff\"",
        "\"\xc0\x80\"",
        "\"\xed\xa0\x80\"",
        "\"\xc3\"",
        "\xc3\xa9",
        "\xff",
        "\"a\tb\"",
        "\"a\nb\"",
        "9223372036854775808",
        "-9223372036854775809",
        "123456789012345678901",
        "1e400",
        "-1e400",
        "{\"a\":1,\"\\u0061\":1}",
        "{\"a\":1,\"a\":1}",
        "{\"\\u0000\":1}",
        "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"a\":1}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
        assert_int_equal(both(text[i]), 0);
    assert_int_equal(ask_both("1\0", 2), 0);
    assert_int_equal(ask_both("\"a\0b\"", 5), 0);
}

static void nesting_is_limited_alike(void **state)
{
    char text[4098];

    (void)state;
    for (size_t depth = 2047; depth <= 2049; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(ask_both(text, 2 * depth), depth <= 2048);
    }
}

/* --- random documents ------------------------------------------------------
 */

static uint64_t seed = 12345;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static void put_string(struct tt_buf *b)
{
    static const char *const piece[] = {"a",
                                        "b.c",
                                        "{x}",
                                        " ",
                                        "\\n",
                                        "\\u00e9",
                                        "\\ud83d\\ude00",
                                        "\\\"",
                                        "\xc3\xa9",
                                        "\xe2\x82\xac",
                                        "\xf0\x9f\x98\x80",
                                        "\x7f",
                                        "\\\\",
                                        "/"};

    tt_buf_char(b, '"');
    for (uint32_t n = below(6); n > 0; n--)
        tt_buf_str(b, piece[below(sizeof(piece) / sizeof(*piece))]);
    tt_buf_fmt(b, "%u\"", below(1000)); /* seldom a name twice */
}

static void put_number(struct tt_buf *b)
{
    tt_buf_str(b, below(2) ? "-" : "");
    tt_buf_fmt(b, "%u", below(3) ? below(1000000) : 0);
    for (uint32_t n = below(4) ? 0 : below(3); n > 0; n--)
        tt_buf_fmt(b, "%u", 100 + below(1000000));
    if (below(2))
        tt_buf_fmt(b, ".%u", below(100000));
    if (below(3) == 0)
        tt_buf_fmt(b, "%c%s%u", below(2) ? 'e' : 'E',
                   below(2)   ? "-"
                   : below(2) ? "+"
                              : "",
                   below(340));
}

static void put_value(struct tt_buf *b, uint32_t depth)
{
    static const char *const word[] = {"true", "false", "null"};
    uint32_t what = below(depth ? 6 : 3), n = below(5);

    tt_buf_str(b, below(4) ? "" : " \t\r\n");
    if (what < 3) {
        if (what == 0)
            tt_buf_str(b, word[below(3)]);
        else
            (what == 1 ? put_number : put_string)(b);
        return;
    }
    tt_buf_char(b, what == 3 ? '[' : '{');
    for (uint32_t i = 0; i < n; i++) {
        tt_buf_str(b, i ? "," : "");
        if (what != 3) {
            put_string(b);
            tt_buf_str(b, below(4) ? ":" : " : ");
        }
        put_value(b, depth - 1);
    }
    tt_buf_char(b, what == 3 ? ']' : '}');
}

static void mutate(char *text, size_t n)
{
    static const char other[] = "{}[]\",:\\ 0159-+.eEtfnul\n\t\xc3\xa9\x01z";

    for (uint32_t k = 1 + below(2); k > 0; k--)
        text[below((uint32_t)n)] = other[below(sizeof(other))]; /* and NUL */
}

static void random_documents_are_read_alike(void **state)
{
    unsigned count[2] = {0};
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, TT_DOC_MAX);
    for (int i = 0; i < 40000; i++) {
        int verdict;

        tt_buf_clear(&b);
        put_value(&b, 4);
        if (i % 2)
            mutate(b.data, b.len);
        verdict = ask_both(b.data, b.len);
        if (verdict < 0)
            fail_msg("they disagree on: %.*s", (int)b.len, b.data);
        count[verdict]++;
    }
    tt_buf_fini(&b);
    assert_true(count[0] > 10000 && count[1] > 10000); /* both happen */
}

/* Printed and read again it is the same. */
static void what_is_printed_is_read(void **state)
{
    struct tt_buf b, again;

    (void)state;
    tt_buf_init(&b, TT_DOC_MAX);
    tt_buf_init(&again, TT_DOC_MAX);
    for (int i = 0; i < 5000; i++) {
        tt_arena *arena = tt_arena_new();
        struct tt_text_file f = {.path = "t.json"};
        struct tt_doc doc;
        json_t *was;

        tt_buf_clear(&b);
        tt_buf_clear(&again);
        put_value(&b, 4);
        f.text = b.data;
        f.n = b.len;
        if (tt_doc_parse(&doc, &f, 0, arena, arena, NULL) == TT_OK) {
            tt_doc_print(&again, &doc);
            was = json_loadb(again.data, again.len, JSON_DECODE_ANY, NULL);
            assert_non_null(was);
            assert_true(same_as_jansson(&doc, was));
            json_decref(was);
        }
        tt_arena_free(arena);
    }
    tt_buf_fini(&b);
    tt_buf_fini(&again);
}

static void cut_texts_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i + 2 < strlen(SCENARIO);
         i++) /* two blanks at the end */
        assert_int_equal(ask_both(SCENARIO, i), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(these_are_read),
        cmocka_unit_test(these_are_refused),
        cmocka_unit_test(nesting_is_limited_alike),
        cmocka_unit_test(random_documents_are_read_alike),
        cmocka_unit_test(what_is_printed_is_read),
        cmocka_unit_test(cut_texts_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
