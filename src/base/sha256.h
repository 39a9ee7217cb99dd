/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_SHA256_H
#define TT_BASE_SHA256_H

/* SHA-256 (FIPS 180-4): names a file by its content. And how secrets are
 * compared. */

#include <stddef.h>
#include <stdint.h>

#define TT_SHA256_BYTES  32
#define TT_SHA256_HEX    65 /* with NUL */
#define TT_SHA256_BASE64 45

struct tt_sha256 {
    uint32_t h[8];
    uint64_t n; /* bytes so far */
    unsigned char block[64];
};

void tt_sha256_init(struct tt_sha256 *s);
void tt_sha256_add(struct tt_sha256 *s, const void *data, size_t n);
void tt_sha256_end(struct tt_sha256 *s, unsigned char out[TT_SHA256_BYTES]);
void tt_sha256_hex(const unsigned char in[TT_SHA256_BYTES],
                   char out[TT_SHA256_HEX]);
void tt_sha256_base64(const unsigned char in[TT_SHA256_BYTES],
                      char out[TT_SHA256_BASE64]);

/* Do they agree? Takes the same time wherever they differ. */
int tt_same_secret(const char *a, size_t n_a, const char *b, size_t n_b);

#endif
