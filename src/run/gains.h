/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_GAINS_H
#define TT_RUN_GAINS_H

/* How ports of a unit follow one of its inputs or states at this instant: by
 * its directional derivatives, or by moving the input and moving it back. */

#include "run/run_impl.h"

struct run_gain {
    uint32_t unit;
    uint32_t port;       /* Float64: an input, or a state that is read */
    uint32_t n;          /* its elements */
    const double *value; /* of an input: what it is set to; NULL: it is not set,
                            so that derivatives must do */
    const uint32_t *follower;   /* Float64 ports */
    uint32_t n_follower, n_row; /* and their elements */
};

/* d follower / d element e, n_row numbers each, e by e. TT_EUNSUPPORTED: the
 * unit has no directional derivatives, and there is no value to move. */
TT_NODISCARD enum tt_code run_find_gain(tt_run *r, const struct run_gain *g,
                                        double *column, tt_err *err);

#endif
