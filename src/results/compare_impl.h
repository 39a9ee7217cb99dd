/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_COMPARE_IMPL_H
#define TT_RESULTS_COMPARE_IMPL_H

/* What comparing tables and lists of events have in common. */

#include "results/compare.h"

double compare_time_tol(const struct tt_compare_opts *o);
int compare_same_time(double x, double y, double tol);
/* How far beyond its tolerance a pair is: negative when it agrees. */
double compare_excess(const struct tt_compare *c, double a, double b,
                      double *distance);

/* A member of a JSON object; infinities and NaN are texts. */
void compare_json_number(struct tt_buf *b, const char *key, double v);
void compare_tolerance(struct tt_buf *b, const struct tt_compare *c);

/* compare_events.c: two lists of events, one of which may turn out to be
 * none. */
enum tt_code compare_events(struct tt_compare *out, const tt_table *a,
                            const tt_table *b, const struct tt_compare_opts *o,
                            tt_err *err);
void compare_events_text(struct tt_buf *b, const struct tt_compare *c);
void compare_events_json(struct tt_buf *b, const struct tt_compare *c);

#endif
