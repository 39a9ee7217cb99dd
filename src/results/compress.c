/* SPDX-License-Identifier: MIT */
#include "results/compress.h"

#include <string.h>

#include "base/mem.h"

#define LEVEL       1
/* Planes of what changes slowly are runs; to look for more costs more time than
 * printing the numbers would. */
#define STRATEGY    Z_RLE
/* A plane is a few kilobytes: larger tables would cost more to clear than they
 * gain. */
#define WINDOW_BITS 12
#define MEMORY      6
#define GAIN        2     /* a plane that saves less than this part is stored */
#define SAMPLE      1024u /* bytes of a plane to guess from */
#define FIRST       4u    /* chunk that is tried first */
#define RETRY       32u   /* chunks after which all planes are tried again */

static void *take(void *ctx, uInt n, uInt size)
{
    (void)ctx;
    return tt_zalloc(n, size);
}

static void give(void *ctx, void *p)
{
    (void)ctx;
    tt_free(p);
}

int tt_compress_init(struct tt_compress *q, size_t cap)
{
    *q = (struct tt_compress){.ready = 0};
    q->z.zalloc = take;
    q->z.zfree = give;
    q->ready = deflateInit2(&q->z, LEVEL, Z_DEFLATED, WINDOW_BITS, MEMORY,
                            STRATEGY) == Z_OK;
    if (!q->ready)
        return -1;
    /* blocks end where planes do: a few bytes each beyond zlib's bound */
    q->out_cap = (size_t)deflateBound(&q->z, (uLong)cap) + 1024;
    q->plane = tt_alloc(cap);
    q->out = tt_alloc(q->out_cap);
    return q->plane && q->out ? 0 : -1;
}

void tt_compress_fini(struct tt_compress *q)
{
    if (q->ready)
        (void)deflateEnd(&q->z);
    TT_FREE_ALL(q->plane, q->out);
}

/* Swap the bits of `mask` in a with those `shift` higher in b. */
static inline void swap_bits(uint64_t *a, uint64_t *b, unsigned shift,
                             uint64_t mask)
{
    uint64_t both = (*a >> shift ^ *b) & mask;

    *b ^= both;
    *a ^= both << shift;
}

/* Eight values at a time are a matrix of 8 x 8 bytes, transposed by halves
 * (Warren, Hacker's Delight, 7-3). */
static void transpose(uint64_t v[8])
{
    for (unsigned i = 0; i < 4; i++)
        swap_bits(&v[i], &v[i + 4], 32, UINT64_C(0x00000000ffffffff));
    for (unsigned i = 0; i < 8; i += i % 4 == 1 ? 3 : 1)
        swap_bits(&v[i], &v[i + 2], 16, UINT64_C(0x0000ffff0000ffff));
    for (unsigned i = 0; i < 8; i += 2)
        swap_bits(&v[i], &v[i + 1], 8, UINT64_C(0x00ff00ff00ff00ff));
}

static void shuffle8(unsigned char *to, const unsigned char *from, size_t n)
{
    size_t i = 0;

    for (; i + 8 <= n; i += 8) {
        uint64_t v[8];

        memcpy(v, from + i * 8, sizeof(v));
        transpose(v);
        for (unsigned b = 0; b < 8; b++)
            memcpy(to + b * n + i, &v[b], sizeof(v[b]));
    }
    for (; i < n; i++)
        for (unsigned b = 0; b < 8; b++)
            to[b * n + i] = from[i * 8 + b];
}

static void shuffle(unsigned char *to, const unsigned char *from, size_t size,
                    size_t n)
{
    if (size == 8) {
        shuffle8(to, from, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < size; b++)
            to[b * n + i] = from[i * size + b];
}

/* Bytes the plane took. */
static size_t put_plane(struct tt_compress *q, unsigned char *plane, size_t n,
                        int store, int flush)
{
    uLong before = q->z.total_out;

    (void)deflateParams(&q->z, store ? 0 : LEVEL, STRATEGY);
    q->z.next_in = plane;
    q->z.avail_in = (uInt)n;
    (void)deflate(&q->z, flush);
    return (size_t)(q->z.total_out - before);
}

/* A first guess, from how often bytes repeat: of noise, every value is as
 * likely as any other. */
static int looks_like_noise(const unsigned char *plane, size_t n)
{
    unsigned count[256] = {0};
    size_t some = n < SAMPLE ? n : SAMPLE, pairs = 0;

    for (size_t i = 0; i < some; i++)
        pairs += count[plane[i]]++;
    /* equal pairs among all pairs: 1/256 for noise */
    return some == SAMPLE && pairs < SAMPLE * SAMPLE / 2 / 100;
}

size_t tt_compress_chunk(struct tt_compress *q, struct tt_compress_past *past,
                         const void *value, size_t size, size_t n)
{
    size_t planes = size <= TT_COMPRESS_PLANES ? size : 1;
    size_t len = size * n / planes;
    int learn = past->chunks % RETRY == FIRST, guess = past->chunks++ == 0;

    shuffle(q->plane, value, planes > 1 ? size : 1, planes > 1 ? n : size * n);
    (void)deflateReset(&q->z);
    q->z.next_out = q->out;
    q->z.avail_out = (uInt)q->out_cap;
    if (learn)
        past->store = 0;
    for (size_t i = 0; i < planes; i++) {
        unsigned char *plane = q->plane + i * len;
        int store = guess ? looks_like_noise(plane, len) : past->store >> i & 1;
        int flush = i + 1 == planes ? Z_FINISH
                    : learn         ? Z_PARTIAL_FLUSH
                                    : Z_NO_FLUSH;
        size_t took = put_plane(q, plane, len, store, flush);

        if (store || (learn && took > len - len / GAIN))
            past->store |= (uint8_t)(1u << i);
    }
    return q->z.total_out < size * n ? (size_t)q->z.total_out : 0;
}
