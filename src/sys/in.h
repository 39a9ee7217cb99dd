/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_IN_H
#define TT_SYS_IN_H

/* A regular file read piece by piece, anywhere in it; another process may be
 * writing it. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct tt_in tt_in;

TT_NODISCARD enum tt_code tt_in_open(tt_in **out, const char *path,
                                     tt_err *err);
void tt_in_close(tt_in *in);          /* accepts NULL */
uint64_t tt_in_size(const tt_in *in); /* bytes, at this moment */
/* Up to n bytes from `at` on; fewer only where the file ends. */
TT_NODISCARD enum tt_code tt_in_read(tt_in *in, uint64_t at, void *data,
                                     size_t n, size_t *got, tt_err *err);

#endif
