/* SPDX-License-Identifier: MIT */
#ifndef TT_SERVE_PAGE_IMPL_H
#define TT_SERVE_PAGE_IMPL_H

/* Files that are part of the program: those of the page, and the description
 * of the API. The build makes the table (cmake/TuttiEmbed.cmake). */

#include <stddef.h>

struct tt_embedded {
    const char *path; /* "app.js"; NULL ends the table */
    const char *hash; /* of the bytes */
    const unsigned char *data;
    size_t n;
};

extern const struct tt_embedded tt_embedded[];

#endif
