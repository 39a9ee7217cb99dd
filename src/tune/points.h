/* SPDX-License-Identifier: MIT */
#ifndef TT_TUNE_POINTS_H
#define TT_TUNE_POINTS_H

/* The points of a sweep: what is varied, and the values of each point as text,
 * as --set takes them.
 *
 *   NAME=a:b:n             n values from a to b, evenly
 *   NAME=1,2,5  NAME=3     these
 *   NAME=a:b               between a and b         } where points are drawn
 *   NAME=uniform:a:b       the same                }
 *   NAME=normal:mean:dev   normally distributed    }
 */

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define TT_POINTS_MOST 10000000u

enum tt_points_how {
    TT_POINTS_GRID,   /* each value with each of the others; last one fastest */
    TT_POINTS_LHS,    /* drawn: n strata of each, combined by chance */
    TT_POINTS_RANDOM, /* drawn, independently */
};

struct tt_points_opts {
    const char *const *vary; /* "NAME=..." */
    uint32_t n_vary;
    /* "lhs:N", "random:N" or the name of a table whose first column numbers the
     * points; NULL: the grid. */
    const char *from;
    uint64_t seed;
};

struct tt_points {
    const char **name; /* n_name */
    uint32_t n_name;
    const char **value; /* per point n_name texts */
    uint32_t n;
    const double *base, *step; /* of differences: see below */
};

/* Everything is put into the arena. */
TT_NODISCARD enum tt_code tt_points_make(struct tt_points *out,
                                         const struct tt_points_opts *o,
                                         tt_arena *arena, tt_err *err);
/* For differences: "NAME=v" or "NAME=v:d" each; the first point has all v, then
 * each NAME has v + d and v - d, in this order. Without d: a thousandth of v,
 * or of 1. */
TT_NODISCARD enum tt_code tt_points_about(struct tt_points *out,
                                          const struct tt_points_opts *o,
                                          tt_arena *arena, tt_err *err);

static inline const char *tt_points_at(const struct tt_points *p,
                                       uint32_t point, uint32_t name)
{
    return p->value[(size_t)point * p->n_name + name];
}

/* The quantile p of the standard normal distribution, 0 < p < 1. */
double tt_normal_quantile(double p);

#endif
