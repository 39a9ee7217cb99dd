/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_ALONG_H
#define TT_ANALYSIS_ALONG_H

/* A scenario that is not affine, along its run: the matrix of one macro step at
 * some instants, and what becomes of small changes of the start until the end.
 * A radius at an instant is no verdict about the whole way. */

#include "analysis/study.h"

#define TT_ALONG_MOST 1000u

struct tt_along_point {
    double time, rho;
    enum tt_stability verdict;
};

struct tt_along {
    char name[TT_STUDY_NAME];
    enum tt_stability verdict;
    char reason[TT_ERR_MAX];      /* of "unknown"; else "" */
    struct tt_along_point *point; /* owned, by time */
    uint32_t n, n_stable, n_unstable;
    uint32_t worst;    /* with the largest rho */
    double from, to;   /* s: the run */
    double deviations; /* what a change of the start is multiplied by until the
                          end, at most; NaN: not known */
    double step;       /* s */
};

/* n instants, evenly from start to end. Fails when the scenario is wrong. */
TT_NODISCARD enum tt_code tt_along_find(struct tt_along *out,
                                        const struct tt_case *c, uint32_t n,
                                        tt_err *err);
void tt_along_fini(struct tt_along *a); /* zeroed is fine */

void tt_along_text(struct tt_buf *b, const struct tt_along *a);
void tt_along_json(struct tt_buf *b, const struct tt_along *a);
/* rho over time. */
void tt_along_svg(struct tt_buf *b, const struct tt_along *a);

#endif
