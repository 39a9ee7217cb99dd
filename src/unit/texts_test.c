/* SPDX-License-Identifier: MIT */
#include "unit/texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"

/* A text of n bytes that no other has. */
static char *make(size_t n, unsigned which)
{
    char *s = tt_alloc(n + 1);

    assert_non_null(s);
    for (size_t i = 0; i < n; i++)
        s[i] = (char)('a' + (i * 7 + which) % 26);
    s[n] = '\0';
    return s;
}

static void put(tt_texts *s, struct tt_text *t, size_t n, unsigned which)
{
    char *text = make(n, which);
    tt_err err;

    assert_int_equal(tt_text_put(s, t, text, n, &err), TT_OK);
    tt_free(text);
}

static void is(tt_texts *s, const struct tt_text *t, size_t n, unsigned which)
{
    char *text = make(n, which);
    const char *data = tt_text_data(s, t, NULL);

    assert_non_null(data);
    assert_int_equal(t->n, n);
    assert_memory_equal(data, text, n + 1);
    tt_free(text);
}

static void a_text_of_any_length_comes_back(void **state)
{
    static const size_t size[] = {0, 1, 1019, 1020, 1021, 4 << 20};
    tt_texts *s = tt_texts_new();
    struct tt_text t, copy;

    (void)state;
    for (size_t i = 0; i < sizeof(size) / sizeof(*size); i++) {
        put(s, &t, size[i], 3);
        copy = t; /* slots are plain memory */
        is(s, &copy, size[i], 3);
    }
    tt_texts_free(s);
}

static void what_no_slot_names_is_dropped(void **state)
{
    tt_texts *s = tt_texts_new();
    struct tt_text held[2], other;
    tt_err err;

    (void)state;
    assert_int_equal(tt_texts_hold(s, held, sizeof(held), &err), TT_OK);
    put(s, &held[0], 5000, 1);
    put(s, &held[1], 6000, 2);
    put(s, &other, 7000, 3);
    tt_texts_sweep(s);
    is(s, &held[0], 5000, 1);
    is(s, &held[1], 6000, 2);
    assert_null(tt_text_data(s, &other, &err));
    assert_string_equal(err.msg, "of a value of 7000 bytes only length and "
                                 "SHA-256 are known here");
    held[0] = held[1];
    put(s, &other, 7000, 3);
    tt_texts_release(s, held);
    assert_int_equal(tt_texts_hold(s, &other, sizeof(other), &err), TT_OK);
    tt_texts_sweep(s);
    is(s, &other, 7000, 3);
    assert_null(tt_text_data(s, &held[0], NULL));
    tt_texts_free(s);
}

/* The value of before, as a frame that is kept has it. */
static void texts_that_do_not_grow_allocate_nothing(void **state)
{
    tt_texts *s = tt_texts_new();
    struct tt_text now, before;
    uint64_t n = 0;
    tt_err err;
    char *text = make(100000, 5);

    (void)state;
    assert_int_equal(tt_texts_hold(s, &now, sizeof(now), &err), TT_OK);
    assert_int_equal(tt_texts_hold(s, &before, sizeof(before), &err), TT_OK);
    put(s, &now, 100000, 0);
    before = now;
    for (unsigned i = 1; i < 200; i++) {
        if (i == 20)
            n = tt_mem_count();
        before = now;
        assert_int_equal(
            tt_text_put(s, &now, text, 90000 + i * 37 % 10000, &err), TT_OK);
        tt_texts_sweep(s);
    }
    assert_int_equal(tt_mem_count(), n);
    tt_free(text);
    tt_texts_free(s);
}

static void more_than_the_limit_is_refused(void **state)
{
    tt_texts *s = tt_texts_new();
    struct tt_text t;
    tt_err err;

    (void)state;
    assert_int_equal(tt_text_put(s, &t, "", TT_TEXT_MOST + 1, &err),
                     TT_EUNSUPPORTED);
    assert_string_equal(err.msg,
                        "134217729 bytes, at most 134217728 are taken");
    assert_int_equal(t.n, 0);
    tt_texts_free(s);
}

static void without_memory_nothing_is_half_there(void **state)
{
    tt_texts *s = tt_texts_new();
    struct tt_text t;
    tt_err err;
    char *text = make(5000, 0);

    (void)state;
    tt_mem_fail_after(1);
    assert_int_equal(tt_text_put(s, &t, text, 5000, &err), TT_ENOMEM);
    tt_mem_fail_after(0);
    assert_string_equal(err.msg, "5000 bytes: out of memory");
    assert_int_equal(t.n, 0);
    assert_int_equal(tt_text_put(s, &t, text, 5000, &err), TT_OK);
    is(s, &t, 5000, 0);
    tt_free(text);
    tt_texts_free(s);
}

/* Wherever in the bytes the slots are. */
static void another_store_takes_what_was_packed(void **state)
{
    tt_texts *a = tt_texts_new(), *b = tt_texts_new();
    struct tt_text t[3];
    char bytes[sizeof(t) + 3] = {0};
    struct tt_buf packed;
    const char *rest;
    size_t n;

    (void)state;
    put(a, &t[0], 1020, 1);
    put(a, &t[1], 10, 2);
    put(a, &t[2], 300000, 3);
    memcpy(bytes + 3, t, sizeof(t));
    tt_buf_init(&packed, (size_t)1 << 30);
    tt_texts_pack(a, bytes, sizeof(bytes), &packed);
    rest = packed.data;
    n = packed.len;
    assert_int_equal(tt_texts_unpack(b, &rest, &n), 1);
    assert_int_equal(n, 0);
    is(b, &t[0], 1020, 1);
    is(b, &t[2], 300000, 3);
    for (size_t cut = 0; cut < packed.len; cut += 997) { /* none is half */
        rest = packed.data;
        n = cut;
        assert_int_equal(tt_texts_unpack(b, &rest, &n), 0);
    }
    tt_buf_fini(&packed);
    tt_texts_free(a);
    tt_texts_free(b);
}

static void texts_are_parsed_and_printed_whole(void **state)
{
    tt_texts *s = tt_texts_new();
    struct tt_text t;
    char hex[8001], *out;
    tt_err err;

    (void)state;
    for (size_t i = 0; i < 8000; i++)
        hex[i] = "0123456789abcdef"[(i * 5 + i / 16) % 16];
    hex[8000] = '\0';
    assert_int_equal(tt_text_parse(s, TT_BYTES, &t, hex, &err), TT_OK);
    assert_int_equal(t.n, 4000);
    out = tt_text_print(s, TT_BYTES, &t, &err);
    assert_string_equal(out, hex);
    tt_free(out);
    hex[7999] = 'g';
    assert_int_equal(tt_text_parse(s, TT_BYTES, &t, hex, &err), TT_EINPUT);
    assert_int_equal(tt_text_parse(s, TT_TEXT, &t, hex, &err), TT_OK);
    out = tt_text_print(s, TT_TEXT, &t, &err);
    assert_string_equal(out, hex);
    tt_free(out);
    tt_texts_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_of_any_length_comes_back),
        cmocka_unit_test(what_no_slot_names_is_dropped),
        cmocka_unit_test(texts_that_do_not_grow_allocate_nothing),
        cmocka_unit_test(more_than_the_limit_is_refused),
        cmocka_unit_test(without_memory_nothing_is_half_there),
        cmocka_unit_test(another_store_takes_what_was_packed),
        cmocka_unit_test(texts_are_parsed_and_printed_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
