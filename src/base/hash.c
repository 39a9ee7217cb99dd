/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

uint64_t tt_hash(uint64_t h, const void *data, size_t n)
{
    const unsigned char *p = data;

    for (size_t i = 0; i < n; i++) {
        h ^= p[i];
        h *= UINT64_C(0x100000001b3); /* the 64-bit FNV prime */
    }
    return h;
}
