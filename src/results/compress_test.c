/* SPDX-License-Identifier: MIT */
#include "results/compress.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"

#define N ((size_t)4096)

static struct tt_compress q;
static unsigned char in[N * 8], flat[N * 8];

/* What HDF5's filters would do to read it: inflate, unshuffle. */
static void expect_same(size_t got, size_t size, size_t n)
{
    uLongf len = sizeof(flat);

    assert_int_equal(uncompress(flat, &len, q.out, got), Z_OK);
    assert_int_equal(len, size * n);
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < size; b++)
            assert_int_equal(in[i * size + b], flat[b * n + i]);
}

/* splitmix64 */
static uint64_t noise(uint64_t i)
{
    uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void any_chunk_reads_back(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 8; size *= 2) {
        struct tt_compress_past past = {0};

        for (unsigned chunk = 0; chunk < 70; chunk++) {
            size_t n = chunk % 3 ? N : N - 5, got;

            for (size_t i = 0; i < size * n; i++)
                in[i] = i % size < chunk % 5
                            ? (unsigned char)noise(chunk * N * 8 + i)
                            : (unsigned char)(i / size / 100);
            got = tt_compress_chunk(&q, &past, in, size, n);
            if (got)
                expect_same(got, size, n);
            assert_true(got < size * n);
        }
    }
}

static void noise_is_not_made_longer(void **state)
{
    struct tt_compress_past past = {0};

    (void)state;
    for (unsigned chunk = 0; chunk < 5; chunk++) {
        for (size_t i = 0; i < N; i++) {
            uint64_t v = noise(chunk * N + i);

            memcpy(in + i * 8, &v, sizeof(v));
        }
        assert_int_equal(tt_compress_chunk(&q, &past, in, 8, N), 0);
    }
    assert_int_equal(past.store, 0xff);
}

/* The first bytes of a smooth signal shrink, the last are stored. */
static void of_a_smooth_signal_the_steady_bytes_shrink(void **state)
{
    struct tt_compress_past past = {0};
    size_t got = 0;

    (void)state;
    for (unsigned chunk = 0; chunk < 3; chunk++) {
        for (size_t i = 0; i < N; i++) {
            double v = sin(0.001 * (double)(chunk * N + i));

            memcpy(in + i * 8, &v, sizeof(v));
        }
        got = tt_compress_chunk(&q, &past, in, 8, N);
        expect_same(got, 8, N);
        assert_true(got < N * 8 * 9 / 10);
    }
    assert_int_equal(past.store & 0x80, 0);
    assert_int_equal(past.store & 0x07, 0x07);
    for (size_t i = 0; i < N; i++)
        memcpy(in + i * 8, "12345678", 8);
    while (past.chunks % 32 != 4) /* then it is tried again */
        (void)tt_compress_chunk(&q, &past, in, 8, N);
    assert_true(tt_compress_chunk(&q, &past, in, 8, N) < N / 8);
    assert_int_equal(past.store, 0);
}

static void long_elements_are_one_plane(void **state)
{
    struct tt_compress_past past = {0};
    uLongf len = sizeof(flat);
    size_t got;

    (void)state;
    memset(in, 'x', sizeof(in));
    got = tt_compress_chunk(&q, &past, in, 1020, 30);
    assert_true(got > 0 && got < 1000);
    assert_int_equal(uncompress(flat, &len, q.out, got), Z_OK);
    assert_int_equal(len, 30600);
    assert_memory_equal(flat, in, len);
}

static int set_up(void **state)
{
    (void)state;
    return tt_compress_init(&q, sizeof(in));
}

static int tear_down(void **state)
{
    (void)state;
    tt_compress_fini(&q);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_chunk_reads_back),
        cmocka_unit_test(noise_is_not_made_longer),
        cmocka_unit_test(of_a_smooth_signal_the_steady_bytes_shrink),
        cmocka_unit_test(long_elements_are_one_plane),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
