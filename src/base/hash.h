/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_HASH_H
#define TT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a, 64 bits. Start with TT_HASH_START and chain. */
#define TT_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t tt_hash(uint64_t h, const void *data, size_t n);

#endif
