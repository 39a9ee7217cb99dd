/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_PLANE_H
#define TT_ANALYSIS_PLANE_H

/* Where in the plane of the step and a parameter a scenario is stable: rho over
 * the step, for some values of the parameter. */

#include "analysis/axis.h"
#include "analysis/study.h"

#define TT_PLANE_MOST 200u

struct tt_plane_row {
    double value; /* of the parameter */
    double rho;   /* at the scenario's own step; NaN: not known */
    enum tt_stability verdict;
    struct tt_scan scan; /* owned */
};

struct tt_plane {
    char parameter[TT_STUDY_NAME];
    double step;              /* s: the scenario's own */
    struct tt_plane_row *row; /* owned */
    uint32_t n;
};

/* "msd2.dc=1:10:4" */
TT_NODISCARD enum tt_code tt_plane_axis(struct tt_axis *out, const char *text,
                                        tt_err *err);

/* Fails where the scenario, or the parameter, is wrong. */
TT_NODISCARD enum tt_code tt_plane_find(struct tt_plane *out,
                                        const struct tt_case *c,
                                        const struct tt_axis *axis,
                                        tt_err *err);
void tt_plane_fini(struct tt_plane *r); /* zeroed is fine */

void tt_plane_text(struct tt_buf *b, const struct tt_plane *r);
void tt_plane_json(struct tt_buf *b, const struct tt_plane *r);
/* The border, and what was tried on both sides of it. */
void tt_plane_svg(struct tt_buf *b, const struct tt_plane *r);

#endif
