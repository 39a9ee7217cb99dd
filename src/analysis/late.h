/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_LATE_H
#define TT_ANALYSIS_LATE_H

/* How late switching may be where nothing is known of what switches: by runs. A
 * parameter of the scenario is the delay; it is bisected between a value at
 * which every run comes to rest and one at which a run swings ever farther.
 * That is an experiment: other starts may end otherwise. */

#include "analysis/axis.h"
#include "analysis/case.h"
#include "analysis/radius.h"
#include "base/buf.h"

#define TT_LATE_STARTS 50u

struct tt_late {
    char name[200]; /* of the scenario */
    char parameter[TT_AXIS_NAME];
    double rests, grows;   /* s: with this delay still, and with this no more */
    uint32_t runs, starts; /* runs in all; from so many starts */
    double time;           /* s: that a run is over */
    enum tt_stability verdict; /* of the scenario as it is */
};

/* late: an interval. from: other starts, or NULL: the scenario's own. */
TT_NODISCARD enum tt_code tt_late_make(struct tt_late *out,
                                       const struct tt_case *c,
                                       const struct tt_axis *late,
                                       const struct tt_axis *from, tt_err *err);

void tt_late_text(struct tt_buf *b, const struct tt_late *e);
void tt_late_json(struct tt_buf *b, const struct tt_late *e);

#endif
