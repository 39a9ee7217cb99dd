/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_REST_H
#define TT_ANALYSIS_REST_H

/* The affine part of a macro step, apart from its matrix: z' = A z + b, and
 * where that rests. Constants, sources and offsets are in b; none of them
 * changes what becomes of deviations. */

#include "analysis/radius.h"

struct tt_rest {
    uint32_t n;       /* numbers of the response; 0: not found */
    double *constant; /* owned: b of states, each in its own unit; NaN: what is
                         remembered of inputs belongs to it as well */
    double *at;       /* owned: what is its own image; NULL: nothing, or the
                         matrix has an eigenvalue of 1 */
    double residual;  /* of b one step later, relative: what changes with time
                       */
};

/* Of what is affine and determined by one instant; never fails: there may be
 * none. */
void tt_rest_find(struct tt_rest *out, const struct tt_case *c,
                  const struct tt_radius *r);
void tt_rest_fini(struct tt_rest *r); /* zeroed is fine */

#endif
