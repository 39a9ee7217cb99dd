/* SPDX-License-Identifier: MIT */
/* What is written plain is read without a library as it was read with one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "text/archive.h"
#include "text/xml_plain.h"

/* The two readers have one interface: here they meet under two names. */
enum tt_code plain_parse(tt_xml **xml, const char *file, const void *data,
                         size_t n, tt_err *err);
void plain_free(tt_xml *xml);
const struct tt_xml_node *plain_root(const tt_xml *xml);
int plain_latin1_line(const tt_xml *xml);
const char *plain_intern(tt_xml *xml, const char *name);
extern const char plain_description[];
#define tt_xml_parse       plain_parse
#define tt_xml_free        plain_free
#define tt_xml_root        plain_root
#define tt_xml_latin1_line plain_latin1_line
#define tt_xml_intern      plain_intern
#define tt_xml_description plain_description
#define tt_xml_terminals   plain_terminals
#include "text/xml_plain.c" /* NOLINT(bugprone-suspicious-include) */
#undef tt_xml_parse
#undef tt_xml_free
#undef tt_xml_root
#undef tt_xml_latin1_line
#undef tt_xml_intern
#undef tt_xml_description
#undef tt_xml_terminals

static void assert_same(const struct tt_xml_node *a,
                        const struct tt_xml_node *b)
{
    for (; a && b; a = a->next, b = b->next) {
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->line, b->line);
        assert_int_equal(a->attr_n, b->attr_n);
        for (uint32_t i = 0; i < a->attr_n; i++) {
            assert_string_equal(a->attr[i].name, b->attr[i].name);
            assert_string_equal(a->attr[i].value, b->attr[i].value);
        }
        assert_same(a->children, b->children);
    }
    assert_null(a);
    assert_null(b);
}

static void there_and_back(const char *text, size_t n)
{
    tt_xml *xml = NULL, *plain = NULL;
    struct tt_buf b;
    tt_err err = {.msg = ""};

    tt_buf_init(&b, 1 << 20);
    assert_int_equal(tt_xml_parse(&xml, "x", text, n, &err), TT_OK);
    tt_xml_put_plain(&b, xml);
    assert_false(b.failed);
    if (plain_parse(&plain, "x", b.data, b.len, &err) != TT_OK)
        fail_msg("%s in %s", err.msg, b.data);
    assert_same(tt_xml_root(xml), plain_root(plain));
    plain_free(plain);
    tt_xml_free(xml);
    tt_buf_fini(&b);
}

static void descriptions_come_back(void **state)
{
    static const char *const fmu[] = {"water-tank/watertank.fmu",
                                      "water-tank/watertank-fmi3.fmu",
                                      "line-follower/robotbody.fmu"};

    (void)state;
    for (size_t i = 0; i < sizeof(fmu) / sizeof(*fmu); i++) {
        tt_archive *a = NULL;
        char path[1024];
        struct tt_buf b;

        (void)snprintf(path, sizeof(path), TT_BUILD_DIR "/examples/%s", fmu[i]);
        tt_buf_init(&b, 1 << 20);
        assert_int_equal(tt_archive_open(&a, path, NULL), TT_OK);
        assert_int_equal(tt_archive_read(a, tt_xml_description, &b, NULL),
                         TT_OK);
        there_and_back(b.data, b.len);
        tt_buf_fini(&b);
        tt_archive_close(a);
    }
}

#define ODD                                                                    \
    "<?xml version='1.0'?><!-- c -->\n\n<a x='&lt;&amp;&gt;&quot;\"&#10;"      \
    "&#9;\xc3\xa9'>text<b/>\n<b\n y=''/><c><c><c/></c></c></a>"

static void odd_ones_come_back(void **state)
{
    (void)state;
    there_and_back(ODD, strlen(ODD));
}

static void names_are_interned(void **state)
{
    static const char text[] = "<a x=\"1\"><a x=\"2\"/></a>";
    const struct tt_xml_node *root;
    tt_xml *xml = NULL;

    (void)state;
    assert_int_equal(plain_parse(&xml, "x", text, strlen(text), NULL), TT_OK);
    root = plain_root(xml);
    assert_ptr_equal(root->attr[0].name, root->children->attr[0].name);
    assert_ptr_equal(root->attr[0].name, plain_intern(xml, "x"));
    assert_ptr_equal(root->name, root->children->name);
    assert_ptr_equal(plain_intern(xml, "new"), plain_intern(xml, "new"));
    assert_int_equal(plain_latin1_line(xml), 0);
    plain_free(xml);
}

static void the_rest_is_refused(void **state)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"", "x:1: not plain XML: it ends too early"},
        {"<a>\n<b/>", "x:2: not plain XML: it ends too early"},
        {"<a/><b/>", "x:1: not plain XML: a second root"},
        {"<a>text</a>", "x:1: not plain XML: something else than an element"},
        {"<a></b>", "x:1: not plain XML: an end tag does not match"},
        {"</a>", "x:1: not plain XML: an end tag does not match"},
        {"<a", "x:1: not plain XML: a tag is not closed"},
        {"<a/", "x:1: not plain XML: a tag is not closed"},
        {"<", "x:1: not plain XML: a name is missing"},
        {"<?xml?><a/>", "x:1: not plain XML: a name is missing"},
        {"<!DOCTYPE a><a/>", "x:1: not plain XML: a name is missing"},
        {"<a x/>", "x:1: not plain XML: an attribute has no value"},
        {"<a x='1'/>", "x:1: not plain XML: an attribute has no value"},
        {"<a x=\"1/>", "x:1: not plain XML: a value is not closed"},
        {"<a x=\"<\"/>", "x:1: not plain XML: a value is not closed"},
        {"<a x=\"&e;\"/>", "x:1: not plain XML: an unknown entity"},
        {"<a x=\"&#0;\"/>", "x:1: not plain XML: an unknown entity"},
        {"<a x=\"&#99;\"/>", "x:1: not plain XML: an unknown entity"},
        {"<a x=\"1\" x=\"2\"/>",
         "x:1: not plain XML: an attribute is there twice"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        tt_xml *xml = NULL;
        tt_err err = {.msg = ""};

        assert_int_equal(
            plain_parse(&xml, "x", bad[i].text, strlen(bad[i].text), &err),
            TT_EINPUT);
        assert_string_equal(err.msg, bad[i].why);
        assert_null(xml);
    }
}

static void a_nul_byte_is_refused(void **state)
{
    tt_xml *xml = NULL;

    (void)state;
    assert_int_equal(plain_parse(&xml, "x", "<a/>\0<b/>", 9, NULL), TT_EINPUT);
    assert_int_equal(plain_parse(&xml, "x", "<a\0/>", 5, NULL), TT_EINPUT);
}

/* Whatever one changes, it is read or refused. */
static void mutations_do_no_harm(void **state)
{
    static const char other[] = "<>/=\"& ;#\nax\xc3\x01";
    static const char text[] =
        "<a x=\"1&amp;2&#10;\">\n<b y=\"\"/><b z=\"&lt;\"><c/></b></a>";
    uint64_t seed = 12345;
    int read = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        char *copy = malloc(sizeof(text) - 1); /* so that overruns show */
        tt_xml *xml = NULL;

        assert_non_null(copy);
        memcpy(copy, text, sizeof(text) - 1);
        for (int k = 0; k <= i % 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            copy[(size_t)(seed >> 33) % (sizeof(text) - 1)] =
                other[(size_t)(seed >> 20) % (sizeof(other) - 1)];
        }
        read += plain_parse(&xml, "x", copy, sizeof(text) - 1, NULL) == TT_OK;
        plain_free(xml);
        free(copy);
    }
    assert_in_range(read, 100, 19000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions_come_back),
        cmocka_unit_test(odd_ones_come_back),
        cmocka_unit_test(names_are_interned),
        cmocka_unit_test(the_rest_is_refused),
        cmocka_unit_test(a_nul_byte_is_refused),
        cmocka_unit_test(mutations_do_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
