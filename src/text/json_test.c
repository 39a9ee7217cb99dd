/* SPDX-License-Identifier: MIT */
#include "base/test_locale.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text/json.h"

struct fixture {
    tt_arena *arena;
    struct tt_text_file file[3];
    struct tt_doc doc;
    tt_err err;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->arena = tt_arena_new();
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    tt_arena_free(f->arena);
    free(f);
    return 0;
}

static enum tt_code parse(struct fixture *f, uint32_t i, const char *text,
                          struct tt_doc *out)
{
    static const char *const path[] = {"a.json", "b.json", "c.json"};

    f->file[i] = (struct tt_text_file){path[i], text, strlen(text)};
    return tt_doc_parse(out, &f->file[i], i, f->arena, f->arena, &f->err);
}

static const struct tt_doc *member(const struct tt_doc *d, const char *key)
{
    const struct tt_doc *m = tt_doc_find(d, key);

    assert_non_null(m);
    return m;
}

static void at(struct fixture *f, struct tt_where w, size_t line, size_t column)
{
    const struct tt_text_file *file = &f->file[w.file];
    struct tt_text_position p = tt_text_locate(file, w.offset);

    assert_int_equal(p.line, line);
    assert_int_equal(p.column, column);
}

static void every_value_and_name_knows_its_place(void **state)
{
    struct fixture *f = *state;
    const struct tt_doc *m;

    assert_int_equal(parse(f, 0,
                           " {\"a\" : 1,\n"
                           "  \"b\\\"\\\\\":[true, null,-2.5e3 ,\"x\\\"]\"],"
                           "\"d\":{}}\n",
                           &f->doc),
                     TT_OK);
    at(f, f->doc.where, 1, 2);
    m = member(&f->doc, "a");
    at(f, m->key_where, 1, 3);
    at(f, m->where, 1, 9);
    assert_int_equal(m->u.integer, 1);
    m = member(&f->doc, "b\"\\");
    at(f, m->key_where, 2, 3);
    assert_int_equal(m->n, 4);
    at(f, m->u.child[0].where, 2, 12);
    at(f, m->u.child[1].where, 2, 18);
    at(f, m->u.child[2].where, 2, 23);
    assert_true(m->u.child[2].u.number == -2500.0);
    at(f, m->u.child[3].where, 2, 31);
    assert_string_equal(m->u.child[3].u.text, "x\"]");
    at(f, member(&f->doc, "d")->where, 2, 43);
}

static void columns_count_characters(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(parse(f, 0, "{\"\xC3\xA9\xE2\x82\xAC\": 1}", &f->doc),
                     TT_OK);
    at(f, f->doc.u.child[0].where, 1, 8);
}

static void many_members_stay_in_order(void **state)
{
    struct fixture *f = *state;
    size_t size = 40 * 5000;
    char *text = malloc(size);
    size_t n = 0;

    n += (size_t)snprintf(text, size, "{");
    for (int i = 0; i < 5000; i++)
        n += (size_t)snprintf(text + n, size - n, "%s\"k%d\":%d", i ? "," : "",
                              (i * 7919) % 5000, i);
    snprintf(text + n, size - n, "}");
    assert_int_equal(parse(f, 0, text, &f->doc), TT_OK);
    for (uint32_t i = 0; i < 5000; i++) {
        const struct tt_doc *m = &f->doc.u.child[i];

        assert_int_equal(m->u.integer, i);
        assert_int_equal(strtol(text + m->where.offset, NULL, 10), i);
        assert_memory_equal(text + m->key_where.offset + 1, m->key,
                            strlen(m->key));
    }
    free(text);
}

static void numbers_do_not_follow_the_locale(void **state)
{
    struct fixture *f = *state;

    if (!test_locale_enter())
        fail_msg("there is no comma locale and none could be made");
    assert_int_equal(parse(f, 0, "[1.5,2.25e-1]", &f->doc), TT_OK);
    setlocale(LC_ALL, "C");
    assert_true(f->doc.u.child[0].u.number == 1.5);
    assert_true(f->doc.u.child[1].u.number == 0.225);
}

static void merging_follows_maestro(void **state)
{
    struct fixture *f = *state;
    struct tt_doc over;
    const struct tt_doc *m;

    assert_int_equal(
        parse(f, 0, "{\"o\":{\"a\":1,\"b\":2},\"l\":[1,2],\"s\":3,\"k\":4}",
              &f->doc),
        TT_OK);
    assert_int_equal(
        parse(f, 1, "{\"o\":{\"b\":9,\"c\":8},\"l\":[7],\"s\":[5],\"n\":6}",
              &over),
        TT_OK);
    assert_int_equal(tt_doc_merge(&f->doc, &over, f->arena, &f->err), TT_OK);
    assert_int_equal(f->doc.n, 5);
    m = member(&f->doc, "o");
    assert_int_equal(m->n, 3);
    assert_int_equal(member(m, "a")->u.integer, 1);
    assert_int_equal(member(m, "b")->u.integer, 9);
    assert_int_equal(member(m, "b")->where.file, 1);
    assert_int_equal(member(m, "c")->u.integer, 8);
    m = member(&f->doc, "l");
    assert_int_equal(m->n, 2);
    assert_int_equal(m->u.child[0].u.integer, 7);
    assert_int_equal(m->u.child[1].u.integer, 2);
    assert_int_equal(m->u.child[1].where.file, 0);
    assert_int_equal(member(&f->doc, "s")->kind, TT_DOC_ARRAY);
    assert_int_equal(member(&f->doc, "k")->u.integer, 4);
    assert_int_equal(member(&f->doc, "n")->u.integer, 6);

    assert_int_equal(parse(f, 2, "{\"l\":[7,{\"x\":1},3],\"s\":null}", &over),
                     TT_OK);
    assert_int_equal(tt_doc_merge(&f->doc, &over, f->arena, &f->err), TT_OK);
    m = member(&f->doc, "l");
    assert_int_equal(m->n, 3);
    assert_int_equal(m->u.child[1].kind, TT_DOC_OBJECT);
    assert_int_equal(m->u.child[2].where.file, 2);
    assert_int_equal(member(&f->doc, "s")->kind, TT_DOC_NULL);
}

static void bad_json_is_named_with_its_place(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "a.json:1:1: the text is empty"},
        {" \n\t", "a.json:1:1: the text is empty"},
        {"\xFF\xFE{", "a.json:1:1: text is UTF-16; save it as UTF-8"},
        {"{\"a\":1,\n \"a\":2}",
         "a.json:2:2: \"a\" is given twice in one object"},
        {"{\"a\\\"long name, longer than twenty\":1,"
         "\"a\\\"long name, longer than twenty\":2}",
         "a.json:1:39: \"a\\\"long name, longer than twenty\" is given twice "
         "in one object"},
        {"{\"a\":NaN}", "a.json:1:6: not valid JSON: invalid token near 'NaN'"},
        {"{\"a\":Infinity}",
         "a.json:1:6: not valid JSON: invalid token near 'Infinity'"},
        {"{\"a\":1e999}", "a.json:1:6: 1e999 is too large a number"},
        {"{\"a\":-9999999999999999999999999}",
         "a.json:1:6: -9999999999999999999999999 is too large a number"},
        {"{\"a\":",
         "a.json:1:6: JSON ends too early: unexpected token near end of "
         "file"},
        {"{\"a\" 1}", "a.json:1:6: not valid JSON: ':' expected near '1'"},
        {"{\"a\":1,}",
         "a.json:1:8: not valid JSON: string or '}' expected near '}'"},
        {"{\"a\":\"x\xC0\"}",
         "a.json:1:6: text is not UTF-8: unable to decode byte 0xc0 near "
         "'\"x'"},
        {"{\"a\":\"\\u0000\"}", "a.json:1:6: a text contains \\u0000"},
        {"{} x", "a.json:1:4: not valid JSON: end of file expected near 'x'"},
        {"{\"a\":\"x\ny\"}",
         "a.json:1:6: not valid JSON: unexpected newline near '\"x'"},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_equal(parse(f, 0, bad[i].text, &f->doc), TT_EINPUT);
        assert_string_equal(f->err.msg, bad[i].message);
    }
}

/* jansson would read over it, and the walk beside it would stumble. */
static void a_nul_byte_is_refused(void **state)
{
    struct fixture *f = *state;

    f->file[0] = (struct tt_text_file){"a.json", "[1,\n 2\0,3]", 10};
    assert_int_equal(
        tt_doc_parse(&f->doc, &f->file[0], 0, f->arena, f->arena, &f->err),
        TT_EINPUT);
    assert_string_equal(f->err.msg, "a.json:2:3: a NUL byte is not JSON");
}

static void deep_nesting_is_refused(void **state)
{
    struct fixture *f = *state;
    char text[100001];

    memset(text, '[', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(parse(f, 0, text, &f->doc), TT_EINPUT);
    assert_string_equal(f->err.msg, "a.json:1:2049: JSON is nested too deeply");
    text[1000] = '1';
    memset(text + 1001, ']', 1000);
    text[2001] = '\0';
    assert_int_equal(parse(f, 0, text, &f->doc), TT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_value_and_name_knows_its_place,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(columns_count_characters, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(many_members_stay_in_order, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(numbers_do_not_follow_the_locale, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(merging_follows_maestro, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(bad_json_is_named_with_its_place, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_nul_byte_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(deep_nesting_is_refused, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
