/* SPDX-License-Identifier: MIT */
#ifndef TT_SERVE_MULTIPART_H
#define TT_SERVE_MULTIPART_H

/* The body of a form (multipart/form-data, RFC 7578), piece by piece as it
 * comes. Memory is bounded whatever comes: the files go to the callbacks. */

#include <stddef.h>

#include "base/err.h"

#define TT_BOUNDARY_MAX 70u   /* RFC 2046 */
#define TT_PART_HEADERS 4096u /* bytes of a part's headers */
#define TT_PARTS_MAX    1000u

/* -1 from any of them ends the reading. */
struct tt_multipart_cb {
    /* A part begins; file is its file name as sent, NULL: no file. */
    int (*begin)(void *ctx, const char *file);
    int (*data)(void *ctx, const char *data, size_t n);
    int (*end)(void *ctx);
};

struct tt_multipart {
    const struct tt_multipart_cb *cb;
    void *ctx;
    char delimiter[TT_BOUNDARY_MAX + 5]; /* CR LF -- boundary NUL */
    size_t n_delimiter, matched;
    enum {
        TT_MP_BEFORE,
        TT_MP_LINE,
        TT_MP_HEADERS,
        TT_MP_DATA,
        TT_MP_AFTER
    } at;
    char header[TT_PART_HEADERS]; /* also what follows a delimiter */
    size_t n_header;
    unsigned n_part;
};

/* TT_EINPUT when this Content-Type is no such form. */
TT_NODISCARD enum tt_code tt_multipart_init(struct tt_multipart *m,
                                            const char *type,
                                            const struct tt_multipart_cb *cb,
                                            void *ctx, tt_err *err);
/* TT_ESTOPPED when a callback returned -1. */
TT_NODISCARD enum tt_code tt_multipart_feed(struct tt_multipart *m,
                                            const char *data, size_t n,
                                            tt_err *err);
/* Was it complete? */
TT_NODISCARD enum tt_code tt_multipart_end(const struct tt_multipart *m,
                                           tt_err *err);

#endif
