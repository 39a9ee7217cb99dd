/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_MARGIN_H
#define TT_RUN_MARGIN_H

/* How long before an instant is due a wait for a unit must end.
 *
 * Other units, the exchange and rows follow the unit's step. Who waits until
 * the instant is due, and goes on without an answer, makes them late. What they
 * take is measured in the steps before, from the end of the unit's step until
 * all is computed. Time in which the run waited for units does not count: such
 * a wait is over when the instant is due, too.
 *
 * Arithmetic only: the clock's readings (ns) are given. */

#include <stdint.h>

/* Time in which units were waited for; for several at once it counts once. */
struct tt_waits {
    uint64_t total; /* of waits that are over, */
    uint64_t since; /* and since then n units are waited for */
    uint32_t n;
};

void tt_waits_begin(struct tt_waits *w, uint64_t now);
void tt_waits_end(struct tt_waits *w, uint64_t now);

#define TT_MARGIN_STEPS 4u /* that are remembered */

/* Of one unit; zeroed is one that has not stepped. */
struct tt_margin {
    uint64_t took[TT_MARGIN_STEPS]; /* what followed, a ring */
    uint32_t n;                     /* so often it was measured */
    int stepped;                    /* since all was computed last: */
    uint64_t at, waited;            /* when that ended, and waits until then */
};

/* A step of the unit has ended, and all waits for it. */
void tt_margin_stepped(struct tt_margin *m, const struct tt_waits *w,
                       uint64_t now);
/* All is computed. */
void tt_margin_ready(struct tt_margin *m, const struct tt_waits *w,
                     uint64_t now);
/* So long the unit may be waited for where `left` are left until the instant is
 * due. UINT64_MAX stays what it is: it never is. */
uint64_t tt_margin_cut(const struct tt_margin *m, uint64_t left);

#endif
