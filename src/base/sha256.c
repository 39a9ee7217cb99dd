/* SPDX-License-Identifier: MIT */
#include "base/sha256.h"

#include <string.h>

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

static void mix(uint32_t h[8], const unsigned char *block)
{
    uint32_t w[64], v[8];

    spread(w, block);
    memcpy(v, h, sizeof(v));
    for (int i = 0; i < 64; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t t1 = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
                      ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
        uint32_t t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
                      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

        memmove(v + 1, v, 7 * sizeof(*v));
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
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
