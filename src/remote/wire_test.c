/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "remote/testing.h"
#include "remote/wire.h"

static void numbers_are_little_endian(void **state)
{
    static const unsigned char want[] = {
        0xab, 4, 3, 2,    1,    8, 7, 6, 5, 4,   3,   2,    1,    0,    0,   0,
        0,    0, 0, 0xf8, 0x3f, 2, 0, 0, 0, 'h', 'i', 0xff, 0xff, 0xff, 0xff};
    struct tt_wire w = {0};
    struct tt_wire_in r;
    tt_arena *a = tt_arena_new();

    (void)state;
    tt_wire_u8(&w, 0xab);
    tt_wire_u32(&w, 0x01020304);
    tt_wire_u64(&w, UINT64_C(0x0102030405060708));
    tt_wire_f64(&w, 1.5);
    tt_wire_text(&w, "hi");
    tt_wire_text(&w, NULL);
    assert_int_equal(w.n, sizeof(want));
    assert_memory_equal(w.data, want, sizeof(want));
    r = tt_wire_from(w.data, w.n);
    assert_int_equal(tt_wire_get_u8(&r), 0xab);
    assert_int_equal(tt_wire_get_u32(&r), 0x01020304);
    assert_int_equal(tt_wire_get_u64(&r), UINT64_C(0x0102030405060708));
    assert_true(tt_wire_get_f64(&r) == 1.5);
    assert_string_equal(tt_wire_get_text(&r, a), "hi");
    assert_null(tt_wire_get_text(&r, a));
    assert_int_equal(r.bad, 0);
    assert_int_equal(tt_wire_get_u8(&r), 0);
    assert_int_equal(r.bad, 1);
    tt_arena_free(a);
    tt_wire_fini(&w);
}

static void heads_are_strict(void **state)
{
    char head[TT_WIRE_HEAD];
    struct tt_wire_head h = {100, 7, TT_WIRE_REQUEST}, back;
    tt_err err;

    (void)state;
    tt_wire_put_head(head, &h);
    assert_memory_equal(head, "TUT1\x64\0\0\0\x07\0\0\0\x01\0\0\0", 16);
    assert_int_equal(tt_wire_get_head(head, 100, &back, &err), TT_OK);
    assert_int_equal(back.n, 100);
    assert_int_equal(back.seq, 7);
    assert_int_equal(tt_wire_get_head(head, 99, &back, &err), TT_EINPUT);
    assert_string_equal(err.msg,
                        "a message of 100 bytes, at most 99 are taken");
    for (int i = 0; i < 4; i++) {
        tt_wire_put_head(head, &h);
        head[i] ^= 1;
        assert_int_equal(tt_wire_get_head(head, 100, &back, &err), TT_EINPUT);
        assert_string_equal(err.msg, "this is no message of Tutti");
    }
    for (int i = 12; i < 16; i++) {
        tt_wire_put_head(head, &h);
        head[i] = 9;
        assert_int_equal(tt_wire_get_head(head, 100, &back, &err), TT_EINPUT);
    }
}

static void values_of_every_type_come_back(void **state)
{
    struct tt_text in[2] = {{.n = 3, .s = "abc"}, {.n = 0, .s = ""}}, out[2];
    unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8];
    struct tt_wire w = {0};
    struct tt_wire_in r;

    (void)state;
    for (int t = 0; t < TT_TYPE_N; t++) {
        size_t size = tt_type_size((enum tt_type)t);

        tt_wire_empty(&w);
        if (t == TT_TEXT || t == TT_BYTES) {
            tt_wire_values(&w, (enum tt_type)t, 2, in, NULL);
            r = tt_wire_from(w.data, w.n);
            memset(out, 1, sizeof(out));
            tt_wire_get_values(&r, (enum tt_type)t, 2, out, NULL);
            assert_string_equal(out[0].s, "abc");
            assert_int_equal(out[1].n, 0);
        } else {
            bytes[0] = 1;
            tt_wire_values(&w, (enum tt_type)t, 1, bytes, NULL);
            assert_int_equal(w.n, size);
            r = tt_wire_from(w.data, w.n);
            tt_wire_get_values(&r, (enum tt_type)t, 1, back, NULL);
            assert_memory_equal(back, bytes, size);
        }
        assert_int_equal(r.bad, 0);
        assert_ptr_equal(r.at, r.end);
    }
    r = tt_wire_from("\2", 1); /* no bool has the value 2 */
    tt_wire_get_values(&r, TT_BOOL, 1, back, NULL);
    assert_int_equal(r.bad, 1);
    tt_wire_fini(&w);
}

/* From store to store; one that has not the bytes has nothing to send. */
static void long_texts_are_whole_on_the_wire(void **state)
{
    static char bytes[5000] = "x";
    tt_texts *from = tt_texts_new(), *to = tt_texts_new();
    struct tt_text in, out;
    struct tt_wire w = {0};
    struct tt_wire_in r;

    (void)state;
    assert_int_equal(tt_text_put(from, &in, bytes, sizeof(bytes), NULL), TT_OK);
    tt_wire_values(&w, TT_BYTES, 1, &in, from);
    assert_int_equal(w.n, sizeof(uint32_t) + sizeof(bytes));
    r = tt_wire_from(w.data, w.n);
    tt_wire_get_values(&r, TT_BYTES, 1, &out, to);
    assert_int_equal(r.bad, 0);
    assert_true(tt_text_same(&in, &out));
    assert_memory_equal(tt_text_data(to, &out, NULL), bytes, sizeof(bytes));
    r = tt_wire_from(w.data, w.n - 1);
    tt_wire_get_values(&r, TT_BYTES, 1, &out, to);
    assert_int_equal(r.bad, 1);
    tt_wire_values(&w, TT_BYTES, 1, &in, NULL);
    assert_int_equal(w.failed, 1);
    tt_wire_fini(&w);
    tt_texts_free(from);
    tt_texts_free(to);
}

/* 1 when it was valid. */
static int try_desc(const char *data, size_t n)
{
    struct tt_wire_in r = tt_wire_from(data, n);
    tt_arena *a = tt_arena_new();
    struct tt_desc d;
    enum tt_code rc = tt_wire_get_desc(&r, a, &d, NULL);

    tt_names_fini(&d.by_name);
    tt_arena_free(a);
    return rc == TT_OK;
}

static void check_desc(const char *path)
{
    tt_unit_type *t = open_type(path);
    tt_arena *a = tt_arena_new();
    struct tt_wire w = {0}, again = {0};
    struct tt_wire_in r;
    struct tt_desc d;

    tt_wire_desc(&w, &t->desc);
    assert_false(w.failed);
    r = tt_wire_from(w.data, w.n);
    assert_ok(tt_wire_get_desc(&r, a, &d, err));
    assert_ptr_equal(r.at, r.end);
    tt_wire_desc(&again, &d);
    assert_int_equal(again.n, w.n);
    assert_memory_equal(again.data, w.data, w.n);
    assert_int_equal(tt_desc_find(&d, t->desc.port[0].name), 0);
    for (size_t n = 0; n < w.n; n++) { /* an exact copy, for the sanitizer */
        char *cut = tt_alloc(n);

        memcpy(cut, w.data, n);
        assert_false(try_desc(cut, n));
        tt_free(cut);
    }
    tt_names_fini(&d.by_name);
    tt_wire_fini(&w);
    tt_wire_fini(&again);
    tt_arena_free(a);
    close_type(t);
}

static void descriptions_come_back_and_cut_ones_are_refused(void **state)
{
    (void)state;
    check_desc(UNITS "alltypes-fmi3.fmu");
    check_desc(MSD "msd1.fmu");
    check_desc("tutti:coupling");
}

static void check_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_string_equal(a, b);
}

static void check_roles(const struct tt_port *a, const struct tt_port *b)
{
    assert_int_equal(a->derivative_of, b->derivative_of);
    assert_int_equal(a->is_guess, b->is_guess);
    assert_int_equal(a->guess_of, b->guess_of);
    assert_int_equal(a->guess_with, b->guess_with);
    assert_int_equal(a->guess_unless, b->guess_unless);
    assert_int_equal(a->begins_by, b->begins_by);
    assert_int_equal(a->begins_at, b->begins_at);
    assert_int_equal(a->hidden, b->hidden);
    assert_int_equal(a->items == NULL, b->items == NULL);
    for (uint32_t i = 0; a->items && i < b->items->n; i++) {
        check_text(a->items->item[i].name, b->items->item[i].name);
        assert_int_equal(a->items->item[i].value, b->items->item[i].value);
    }
    assert_int_equal(a->ticks == NULL, b->ticks == NULL);
    if (!a->ticks)
        return;
    assert_int_equal(a->ticks->interval, b->ticks->interval);
    assert_int_equal(a->ticks->deactivates, b->ticks->deactivates);
    assert_int_equal(a->ticks->fraction, b->ticks->fraction);
    assert_int_equal(a->ticks->priority, b->ticks->priority);
    assert_memory_equal(&a->ticks->period, &b->ticks->period,
                        sizeof(a->ticks->period));
    assert_memory_equal(&a->ticks->shift, &b->ticks->shift,
                        sizeof(a->ticks->shift));
}

/* Which model it is, what it is made of, and what its ports are to each
 * other. */
static void check_meaning(const char *path)
{
    tt_unit_type *t = open_type(path);
    tt_arena *a = tt_arena_new();
    struct tt_wire w = {0};
    struct tt_wire_in r;
    struct tt_desc d;

    t->desc.inside = 7;
    tt_wire_desc(&w, &t->desc);
    r = tt_wire_from(w.data, w.n);
    assert_ok(tt_wire_get_desc(&r, a, &d, err));
    check_text(d.version, t->desc.version);
    check_text(d.tool, t->desc.tool);
    check_text(d.token, t->desc.token);
    assert_int_equal(d.inside, 7);
    assert_int_equal(d.n_port, t->desc.n_port);
    for (uint32_t i = 0; i < d.n_port; i++)
        check_roles(&d.port[i], &t->desc.port[i]);
    tt_names_fini(&d.by_name);
    tt_wire_fini(&w);
    tt_arena_free(a);
    close_type(t);
}

static void descriptions_mean_the_same_on_the_other_side(void **state)
{
    (void)state;
    check_meaning(MSD "msd1.fmu");
    check_meaning("tutti:coupling");
    check_meaning(UNITS "alarm-fmi3.fmu");
    check_meaning(UNITS "alltypes-fmi3.fmu");
}

static void descriptions_with_noise_are_survived(void **state)
{
    tt_unit_type *t = open_type(UNITS "misbehave-fmi3.fmu");
    struct tt_wire w = {0};
    unsigned seed = 3;
    int refused = 0;
    char *noisy;

    (void)state;
    tt_wire_desc(&w, &t->desc);
    noisy = tt_alloc(w.n);
    for (int i = 0; i < 3000; i++) {
        memcpy(noisy, w.data, w.n);
        for (int k = 0; k < 1 + i % 3; k++) {
            seed = seed * 1103515245u + 12345u;
            noisy[(seed >> 8) % w.n] = (char)(seed >> 3);
        }
        refused += !try_desc(noisy, w.n);
    }
    assert_true(refused > 300);
    tt_free(noisy);
    tt_wire_fini(&w);
    close_type(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_little_endian),
        cmocka_unit_test(heads_are_strict),
        cmocka_unit_test(values_of_every_type_come_back),
        cmocka_unit_test(long_texts_are_whole_on_the_wire),
        cmocka_unit_test(descriptions_come_back_and_cut_ones_are_refused),
        cmocka_unit_test(descriptions_mean_the_same_on_the_other_side),
        cmocka_unit_test(descriptions_with_noise_are_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
