/* SPDX-License-Identifier: MIT */
#include "base/sha256.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#define HAS_X86 1
#endif

/* The first 32 bits of the fractional parts of the cube roots of the first 64
 * primes. */
static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void spread(uint32_t w[64], const unsigned char *block)
{
    for (size_t i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];

        w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
               (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
}

/* Letters a to h change places with every round: letter x is v[x - round].
 * Unrolled, so that these are registers. */
static void mix(uint32_t s[8], const unsigned char *block)
{
    uint32_t w[64], v[8];

    spread(w, block);
    memcpy(v, s, sizeof(v));
    for (unsigned i = 0; i < 64; i += 8)
#pragma GCC unroll 8
        for (unsigned j = 0; j < 8; j++) {
            uint32_t a = v[-j & 7], b = v[(1 - j) & 7], c = v[(2 - j) & 7];
            uint32_t e = v[(4 - j) & 7], f = v[(5 - j) & 7], g = v[(6 - j) & 7];
            uint32_t h = v[(7 - j) & 7];

            h += (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
                 ((e & f) ^ (~e & g)) + k[i + j] + w[i + j];
            v[(3 - j) & 7] += h;
            v[(7 - j) & 7] = h + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
                             ((a & b) ^ (a & c) ^ (b & c));
        }
    for (int i = 0; i < 8; i++)
        s[i] += v[i];
}

#ifdef HAS_X86
/* The processor's own rounds, where it has them: eight times as fast. States
 * are kept as ABEF and CDGH; words of a block are made four at a time. */
__attribute__((target("sha,sse4.1"))) static void
mix_fast(uint32_t s[8], const unsigned char *from, size_t n)
{
    const __m128i big = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i lo = _mm_shuffle_epi32(_mm_loadu_si128((void *)s), 0xb1);
    __m128i hi = _mm_shuffle_epi32(_mm_loadu_si128((void *)(s + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(lo, hi, 8);
    __m128i cdgh = _mm_blend_epi16(hi, lo, 0xf0);

    for (; n > 0; n--, from += 64) {
        __m128i before[2] = {abef, cdgh}, m[4], w;

#pragma GCC unroll 16
        for (size_t i = 0; i < 16; i++) {
            if (i < 4) {
                w = _mm_loadu_si128((const void *)(from + 16 * i));
                w = _mm_shuffle_epi8(w, big);
            } else {
                w = _mm_sha256msg1_epu32(m[i & 3], m[(i + 1) & 3]);
                w = _mm_add_epi32(
                    w, _mm_alignr_epi8(m[(i + 3) & 3], m[(i + 2) & 3], 4));
                w = _mm_sha256msg2_epu32(w, m[(i + 3) & 3]);
            }
            m[i & 3] = w;
            w = _mm_add_epi32(w, _mm_loadu_si128((const void *)(k + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, w);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(w, 0xe));
        }
        abef = _mm_add_epi32(abef, before[0]);
        cdgh = _mm_add_epi32(cdgh, before[1]);
    }
    lo = _mm_shuffle_epi32(abef, 0x1b);
    hi = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((void *)s, _mm_blend_epi16(lo, hi, 0xf0));
    _mm_storeu_si128((void *)(s + 4), _mm_alignr_epi8(hi, lo, 8));
}

static int is_fast(void)
{
    unsigned a, b = 0, c = 0, d;

    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA) &&
           __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1);
}
#endif

static void mix_all(uint32_t s[8], const unsigned char *from, size_t n)
{
#ifdef HAS_X86
    if (n >= 8 && is_fast()) { /* asking is as dear as some blocks */
        mix_fast(s, from, n);
        return;
    }
#endif
    for (; n > 0; n--, from += 64)
        mix(s, from);
}

void tt_sha256_init(struct tt_sha256 *s)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                      0xa54ff53a, 0x510e527f, 0x9b05688c,
                                      0x1f83d9ab, 0x5be0cd19};

    memcpy(s->h, start, sizeof(start));
    s->n = 0;
}

void tt_sha256_add(struct tt_sha256 *s, const void *data, size_t n)
{
    const unsigned char *from = data;

    if (s->n % 64 == 0 && n >= 64) {
        size_t m = n / 64 * 64;

        mix_all(s->h, from, n / 64);
        s->n += m;
        from += m;
        n -= m;
    }
    while (n > 0) {
        size_t at = (size_t)(s->n % 64), m = 64 - at < n ? 64 - at : n;

        memcpy(s->block + at, from, m);
        s->n += m;
        from += m;
        n -= m;
        if (s->n % 64 == 0)
            mix(s->h, s->block);
    }
}

void tt_sha256_end(struct tt_sha256 *s, unsigned char out[TT_SHA256_BYTES])
{
    static const unsigned char pad[64] = {0x80};
    uint64_t bits = s->n * 8;
    unsigned char length[8];

    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    tt_sha256_add(s, pad, 1 + (size_t)((119 - s->n % 64) % 64));
    tt_sha256_add(s, length, sizeof(length));
    for (int i = 0; i < 32; i++)
        out[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void tt_sha256_hex(const unsigned char in[TT_SHA256_BYTES],
                   char out[TT_SHA256_HEX])
{
    static const char digit[] = "0123456789abcdef";

    for (size_t i = 0; i < TT_SHA256_BYTES; i++) {
        out[2 * i] = digit[in[i] >> 4];
        out[2 * i + 1] = digit[in[i] & 15];
    }
    out[TT_SHA256_HEX - 1] = '\0';
}

void tt_sha256_base64(const unsigned char in[TT_SHA256_BYTES],
                      char out[TT_SHA256_BASE64])
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
                                "uvwxyz0123456789+/";
    size_t n = 0;

    for (size_t i = 0; i < TT_SHA256_BYTES; i += 3) {
        uint32_t v = (uint32_t)in[i] << 16 | (uint32_t)in[i + 1] << 8;

        if (i + 2 < TT_SHA256_BYTES)
            v |= in[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6)
            out[n++] = digit[v >> shift & 63];
    }
    out[n - 1] = '='; /* two bytes were left */
    out[n] = '\0';
}

int tt_same_secret(const char *a, size_t n_a, const char *b, size_t n_b)
{
    unsigned char x[TT_SHA256_BYTES], y[TT_SHA256_BYTES], differ = 0;
    struct tt_sha256 s;

    tt_sha256_init(&s);
    tt_sha256_add(&s, a, n_a);
    tt_sha256_end(&s, x);
    tt_sha256_init(&s);
    tt_sha256_add(&s, b, n_b);
    tt_sha256_end(&s, y);
    for (int i = 0; i < TT_SHA256_BYTES; i++)
        differ |= (unsigned char)(x[i] ^ y[i]);
    return differ == 0;
}
