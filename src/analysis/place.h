/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_PLACE_H
#define TT_ANALYSIS_PLACE_H

/* Where along a run small changes are made. Instances whose states can be set
 * are started there, with the states that the run has there; that this goes on
 * as the run does is checked. Others are played until there, again and again.
 */

#include "analysis/case.h"
#include "base/buf.h"

struct tt_place {
    struct tt_case c;   /* to analyse instead, at its start; `at` is NULL */
    const char **set;   /* owned, ... */
    struct tt_buf text; /* ... and what is in it */
};

/* c->at, or a little later: pasts of inputs are to be filled before. */
TT_NODISCARD enum tt_code tt_place_find(struct tt_place *out,
                                        const struct tt_case *c, tt_err *err);
void tt_place_fini(struct tt_place *p); /* zeroed is fine */

#endif
