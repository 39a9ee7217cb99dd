/* SPDX-License-Identifier: MIT */
#ifndef TT_TEXT_PARCEL_H
#define TT_TEXT_PARCEL_H

/* Writing an archive (zip). The same input gives the same bytes. */

#include "base/buf.h"
#include "base/err.h"

typedef struct tt_parcel tt_parcel;

/* Nothing is at `path` until it is closed. */
TT_NODISCARD enum tt_code tt_parcel_new(tt_parcel **p, const char *path,
                                        tt_err *err);
/* The bytes are copied. */
TT_NODISCARD enum tt_code tt_parcel_add(tt_parcel *p, const char *name,
                                        const struct tt_buf *b, tt_err *err);
/* The file is read when the parcel is closed. */
TT_NODISCARD enum tt_code tt_parcel_add_file(tt_parcel *p, const char *name,
                                             const char *path, tt_err *err);
/* Writes it. Frees p in any case. */
TT_NODISCARD enum tt_code tt_parcel_close(tt_parcel *p, tt_err *err);
void tt_parcel_drop(tt_parcel *p); /* accepts NULL */

#endif
