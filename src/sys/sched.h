/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_SCHED_H
#define TT_SYS_SCHED_H

/* Scheduling priorities. */

#include "base/err.h"

/* How the calling thread was scheduled, to be brought back. */
struct tt_sched {
    int policy, priority;
};

/* From now on the calling thread runs before all ordinary ones (SCHED_FIFO at
 * its lowest priority). Threads and processes it starts do not inherit that.
 * TT_EUNSUPPORTED with the system's reason when it is not allowed; nothing
 * has changed then. */
TT_NODISCARD enum tt_code tt_sched_fifo(struct tt_sched *was, tt_err *err);
void tt_sched_restore(const struct tt_sched *was); /* same thread */

#endif
