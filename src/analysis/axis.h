/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_AXIS_H
#define TT_ANALYSIS_AXIS_H

/* A parameter and where it goes, as a user writes it: "msd2.dc=1:10:4" is from
 * 1 to 10 in 4 values, "contact.delay=0.001:0.003" any of an interval. */

#include <stdint.h>

#include "base/num.h"

#define TT_AXIS_NAME 200

struct tt_axis {
    char parameter[TT_AXIS_NAME];
    double first, last; /* first < last */
    uint32_t n;         /* 0: an interval */
};

/* With a number of values, from 2 to `most`; 0: an interval, without. Returns
 * 0, or -1: it is not written so. */
int tt_axis_parse(struct tt_axis *out, const char *text, uint32_t most);

/* Value i of n, and it as a setting, "msd2.dc=4". */
#define TT_AXIS_SETTING (TT_AXIS_NAME + TT_NUM_MAX + 1)
double tt_axis_at(const struct tt_axis *a, uint32_t i);
void tt_axis_setting(const struct tt_axis *a, double value,
                     char out[TT_AXIS_SETTING]);

#endif
