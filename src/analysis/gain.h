/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_GAIN_H
#define TT_ANALYSIS_GAIN_H

/* What becomes of noise, or of a quantum, on a connection: an error of 1 in an
 * input, another one in every macro step, until it has passed through the whole
 * scenario. With h_k the answer k steps after an error of 1 in one step,
 *
 *     worst = sum |h_k|           errors of at most 1 move an output by at most
 *                                 so much;
 *     noise = sqrt(sum h_k^2)     independent errors with a standard deviation
 *                                 of 1 give it this one. */

#include "analysis/radius.h"
#include "base/buf.h"

struct tt_gain_row {
    char from[400]; /* the connection */
    char to[200];   /* the output */
    double worst, noise;
};

struct tt_gain {
    struct tt_gain_row *row; /* owned */
    uint32_t n;
};

/* r: a verdict of stable; of others there are no rows, for errors add up. */
TT_NODISCARD enum tt_code tt_gain_find(struct tt_gain *out,
                                       const struct tt_radius *r,
                                       const tt_plan *p, tt_err *err);
void tt_gain_fini(struct tt_gain *g); /* zeroed is fine */

void tt_gain_text(struct tt_buf *b, const struct tt_gain *g);
/* An array of objects. */
void tt_gain_json(struct tt_buf *b, const struct tt_gain *g);

#endif
