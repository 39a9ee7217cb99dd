/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_BIND_IMPL_H
#define TT_FMI_BIND_IMPL_H

/* Filling a table of function pointers from a library. Private to fmi/. */

#include <stddef.h>

#include "base/err.h"
#include "sys/lib.h"

struct tt_fmi_fn {
    const char *name; /* as exported */
    size_t offset;    /* of the pointer in the table */
    int required;
};

/* Set every pointer of the table, NULL when the library has no such function.
 * Fails naming all required ones that are missing. */
TT_NODISCARD enum tt_code tt_fmi_bind(tt_lib *lib, void *table,
                                      const struct tt_fmi_fn *fn, size_t n,
                                      tt_err *err);

#endif
