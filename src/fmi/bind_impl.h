/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_BIND_IMPL_H
#define TT_FMI_BIND_IMPL_H

/* Filling a table of function pointers from a library. Private to fmi/. */

#include <stddef.h>

#include "base/err.h"
#include "fmi/fmi.h"
#include "sys/lib.h"

struct tt_fmi_fn {
    const char *name; /* as exported */
    size_t offset;    /* of the pointer in the table */
    int required;     /* for which interfaces: bits of enum tt_fmi_face */
};

#define TT_FMI_FN(table, needed, member, text)                                 \
    {                                                                          \
        .name = (text), .offset = offsetof(table, member),                     \
        .required = (needed)                                                   \
    }

/* Set every pointer of the table, NULL when the library has no such function.
 * Fails naming all that are missing and required for this interface. With a
 * prefix (NULL: none) names begin with it and '_', or are plain. */
TT_NODISCARD enum tt_code tt_fmi_bind(tt_lib *lib, const char *prefix,
                                      void *table, const struct tt_fmi_fn *fn,
                                      size_t n, enum tt_fmi_face face,
                                      tt_err *err);

#endif
