/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_SWITCHING_H
#define TT_ANALYSIS_SWITCHING_H

/* How late a scenario's switching may be, and how late it is. The scenario has
 * an instance with two continuous states, with their derivatives, and one
 * connected Boolean input that chooses its mode, and a located crossing of what
 * follows from its outputs. */

#include "analysis/case.h"
#include "analysis/delay.h"
#include "analysis/radius.h"
#include "base/buf.h"

struct tt_switching {
    char name[200];            /* of the scenario */
    char instance[200];        /* that switches */
    char state[2][200];        /* names of its states */
    struct tt_delay is;        /* how late it may be */
    enum tt_stability verdict; /* of the scenario as it is */
    uint32_t n_switch;         /* that it made while it was played */
    double late;               /* s: the latest of them; NaN: none */
    double seen;     /* s: how late the master sees a crossing, at most ... */
    double answered; /* ... and how much later the answer arrives: what the
                        score and the steps make of it, without instances */
};

TT_NODISCARD enum tt_code tt_switching_find(struct tt_switching *out,
                                            const struct tt_case *c,
                                            tt_err *err);

/* The same of two modes given by expressions, in a file of their own: nothing
 * is played, and `instance` is "". Is it such a file? */
int tt_switching_is_file(const char *path);
TT_NODISCARD enum tt_code tt_switching_of_file(struct tt_switching *out,
                                               const char *path, tt_err *err);

void tt_switching_text(struct tt_buf *b, const struct tt_switching *s);
void tt_switching_json(struct tt_buf *b, const struct tt_switching *s);
/* The orbit that closes, in the plane of the states. */
void tt_switching_svg(struct tt_buf *b, const struct tt_switching *s);

#endif
