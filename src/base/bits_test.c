/* SPDX-License-Identifier: MIT */
#include "base/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static struct tt_bits set_of(uint32_t n)
{
    struct tt_bits b = {tt_zalloc(tt_bits_words(n), sizeof(uint64_t)), n};

    assert_non_null(b.word);
    return b;
}

static uint32_t seed;
static uint32_t draw(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

/* Against a byte for each number. */
/* All from the middle on are listed, in order, and none is left. */
static void check_emptied(const struct tt_bits *b, const uint8_t *is,
                          uint32_t n)
{
    uint32_t *list = tt_zalloc(n, sizeof(*list)), k = 0, n_list;

    assert_non_null(list);
    for (uint32_t w = tt_bits_next_word(b, 0), i = n / 2; i < n; i++)
        if (is[i]) {
            assert_int_equal(w, i / 64);
            while (i + 1 < n && (i + 1) / 64 == w)
                i++;
            w = tt_bits_next_word(b, w + 1);
            if (i + 1 >= n)
                assert_int_equal(w, TT_BITS_END);
        }
    n_list = tt_bits_empty(b, list);
    for (uint32_t i = n / 2; i < n; i++)
        if (is[i])
            assert_int_equal(list[k++], i);
    assert_int_equal(n_list, k);
    assert_int_equal(tt_bits_empty(b, list), 0);
    for (uint32_t i = 0; i < n_list; i++)
        tt_bits_add(b, list[i]);
    tt_bits_clear(b);
    tt_free(list);
}

static void check_against_bytes(uint32_t n)
{
    struct tt_bits b = set_of(n);
    uint8_t *is = tt_zalloc(n, 1);

    assert_non_null(is);
    for (int turn = 0; turn < 200; turn++) {
        uint32_t i = draw(n), at = draw(n), next = at;

        is[i] = !is[i];
        if (is[i])
            tt_bits_add(&b, i);
        else
            tt_bits_drop(&b, i);
        assert_int_equal(tt_bits_has(&b, i), is[i]);
        while (next < n && !is[next])
            next++;
        assert_int_equal(tt_bits_next(&b, at), next < n ? next : TT_BITS_END);
    }
    for (uint32_t i = 0; i < n / 2; i++)
        if (is[i])
            assert_int_equal(tt_bits_take(&b), i);
    assert_int_equal(tt_bits_next(&b, 0), tt_bits_next(&b, n / 2));
    check_emptied(&b, is, n);
    assert_int_equal(tt_bits_take(&b), TT_BITS_END);
    for (size_t i = 0; i < tt_bits_words(n); i++)
        assert_true(b.word[i] == 0);
    tt_free(b.word);
    tt_free(is);
}

static void sets_equal_plain_ones(void **state)
{
    static const uint32_t size[] = {1, 2, 63, 64, 65, 4095, 4096, 4097, 300000};

    (void)state;
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++)
        check_against_bytes(size[i]);
}

/* In no order, and into what is there. */
static void check_put(uint32_t n)
{
    struct tt_bits a = set_of(n), b = set_of(n);
    struct tt_bits_stream s = {.to = &b};

    tt_bits_add(&a, n / 2);
    tt_bits_add(&b, n / 2);
    for (int i = 0; i < 100; i++) {
        uint32_t near = draw(n), far = draw(n);

        for (uint32_t k = near; k < n && k < near + 5; k++) {
            tt_bits_add(&a, k);
            tt_bits_put(&s, k);
        }
        tt_bits_add(&a, far);
        tt_bits_put(&s, far);
    }
    tt_bits_flush(&s);
    tt_bits_flush(&s);
    assert_memory_equal(a.word, b.word, tt_bits_words(n) * sizeof(*a.word));
    tt_free(a.word);
    tt_free(b.word);
}

static void what_is_put_one_after_the_other_is_what_is_added(void **state)
{
    static const uint32_t size[] = {1, 64, 65, 4096, 4097, 300000};

    (void)state;
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++)
        check_put(size[i]);
}

static void an_empty_set_has_no_next(void **state)
{
    struct tt_bits b = set_of(0);

    (void)state;
    assert_int_equal(tt_bits_next(&b, 0), TT_BITS_END);
    tt_free(b.word);
    b = set_of(100);
    tt_bits_add(&b, 99);
    tt_bits_add(&b, 99);
    assert_int_equal(tt_bits_next(&b, 100), TT_BITS_END);
    tt_bits_drop(&b, 99);
    assert_int_equal(tt_bits_next(&b, 0), TT_BITS_END);
    tt_bits_drop(&b, 99);
    tt_free(b.word);
}

static void check_moved(uint32_t n)
{
    struct tt_bits a = set_of(n), b = set_of(n);
    uint32_t *list = tt_zalloc(n, sizeof(*list)), k = 0, n_list;

    assert_non_null(list);
    for (uint32_t i = 0; i < n; i += 3)
        tt_bits_add(&a, i);
    for (uint32_t i = 0; i < n; i += 50)
        tt_bits_add(&b, i);
    n_list = tt_bits_move(&a, &b, list);
    assert_int_equal(n_list, (n + 2) / 3);
    assert_int_equal(tt_bits_next(&a, 0), TT_BITS_END);
    for (uint32_t i = 0; i < n; i += 3)
        assert_int_equal(list[k++], i);
    for (uint32_t i = 0; i < n; i++)
        if (i % 3 == 0 || i % 50 == 0)
            assert_int_equal(tt_bits_take(&b), i);
    assert_int_equal(tt_bits_take(&b), TT_BITS_END);
    tt_free(list);
    tt_free(a.word);
    tt_free(b.word);
}

/* Into a set of one number more, which may have more levels. */
static void check_poured(uint32_t n)
{
    struct tt_bits a = set_of(n), b = set_of(n + 1), both = set_of(n + 1);

    tt_bits_pour(&a, &b);
    for (size_t i = 0; i < tt_bits_words(n + 1); i++)
        assert_true(b.word[i] == 0);
    tt_bits_add(&b, n);
    tt_bits_add(&both, n);
    for (int i = 0; i < 50; i++) {
        uint32_t k = draw(n);

        tt_bits_add(&a, k);
        tt_bits_add(&both, k);
    }
    tt_bits_pour(&a, &b);
    assert_memory_equal(b.word, both.word,
                        tt_bits_words(n + 1) * sizeof(*b.word));
    for (size_t i = 0; i < tt_bits_words(n); i++)
        assert_true(a.word[i] == 0);
    tt_free(a.word);
    tt_free(b.word);
    tt_free(both.word);
}

static void what_is_poured_joins_what_is_there(void **state)
{
    static const uint32_t size[] = {1, 63, 64, 65, 4095, 4096, 4097, 300000};

    (void)state;
    for (size_t i = 0; i < sizeof(size) / sizeof(*size); i++)
        check_poured(size[i]);
}

static void what_moves_joins_what_is_there(void **state)
{
    (void)state;
    check_moved(1);
    check_moved(64);
    check_moved(65);
    check_moved(5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_equal_plain_ones),
        cmocka_unit_test(what_is_put_one_after_the_other_is_what_is_added),
        cmocka_unit_test(an_empty_set_has_no_next),
        cmocka_unit_test(what_moves_joins_what_is_there),
        cmocka_unit_test(what_is_poured_joins_what_is_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
