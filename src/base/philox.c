/* SPDX-License-Identifier: MIT */
#include "base/philox.h"

#include <string.h>

#define ROUNDS 10

static void multiply(uint32_t a, uint32_t b, uint32_t *high, uint32_t *low)
{
    uint64_t product = (uint64_t)a * b;

    *high = (uint32_t)(product >> 32);
    *low = (uint32_t)product;
}

void tt_philox(const uint32_t counter[4], const uint32_t key[2],
               uint32_t out[4])
{
    uint32_t c[4], k0 = key[0], k1 = key[1];

    memcpy(c, counter, sizeof(c));
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t high0, low0, high1, low1;

        multiply(UINT32_C(0xD2511F53), c[0], &high0, &low0);
        multiply(UINT32_C(0xCD9E8D57), c[2], &high1, &low1);
        c[0] = high1 ^ c[1] ^ k0;
        c[1] = low1;
        c[2] = high0 ^ c[3] ^ k1;
        c[3] = low0;
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
    memcpy(out, c, sizeof(c));
}

double tt_philox_uniform(uint64_t n, uint64_t key)
{
    const uint32_t counter[4] = {(uint32_t)n, (uint32_t)(n >> 32), 0, 0};
    const uint32_t k[2] = {(uint32_t)key, (uint32_t)(key >> 32)};
    uint32_t x[4];

    tt_philox(counter, k, x);
    /* 53 bits, in the middle of their interval */
    return ((double)((((uint64_t)x[0] << 32) | x[1]) >> 12) + 0.5) * 0x1p-52;
}
