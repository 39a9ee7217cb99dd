/* SPDX-License-Identifier: MIT */
#ifndef TT_TABLE_H5_H
#define TT_TABLE_H5_H

/* The HDF5 library, if this Tutti was built with it and the machine has it. It
 * is not made for threads: a caller holds it meanwhile. */

#include "base/err.h"

/* Loads it, the first time. */
int tt_h5_is_there(void);
/* If it is not: "cannot read FILE: this Tutti was built without HDF5; ..." */
TT_NODISCARD enum tt_code tt_h5_missing(const char *verb, const char *path,
                                        tt_err *err);

void tt_h5_take(void);
void tt_h5_give(void);
/* "cannot read FILE: " and the deepest reason HDF5 gives. While held. */
enum tt_code tt_h5_fail(const char *verb, const char *path, tt_err *err);

#endif
