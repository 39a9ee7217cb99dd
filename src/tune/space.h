/* SPDX-License-Identifier: MIT */
#ifndef TT_TUNE_SPACE_H
#define TT_TUNE_SPACE_H

/* A space of variants: levels, of which each has alternatives with weights, and
 * a variant takes one of each. The order in which they are visited is that of a
 * variant diagram: the level that holds the largest weight is nearest to the
 * root, siblings come by falling weight, and what is next is the closest one
 * not visited. Weights compare siblings only. */

#include <stdint.h>

#define TT_SPACE_LEVELS 8u

struct tt_space_level {
    uint32_t n;
    const double *weight;
};

/* How many variants there are. */
uint32_t tt_space_size(const struct tt_space_level *level, uint32_t n);
/* out: of each variant, in the order of visits, its choice on each level (in
 * the order in which levels are given). At most TT_SPACE_LEVELS. */
void tt_space_visit(const struct tt_space_level *level, uint32_t n,
                    uint32_t *out);

#endif
