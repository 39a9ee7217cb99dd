/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_ORPHANS_H
#define TT_SYS_ORPHANS_H

/* Processes that units leave behind. A unit may fork, fork again and begin a
 * session of its own; no process group holds what comes of that, and no parent.
 * The process that starts a run adopts such processes: when their parent ends
 * they become its own children, and it can end them with the run. */

#include <stddef.h>

/* Children to spare: those that were there before, and those still at work. */
struct tt_kin {
    int *pid; /* owned */
    size_t n, cap;
};

/* From now on this process is the parent of what its descendants leave behind;
 * a program it executes is, too. */
void tt_orphans_adopt(void);
/* All children there are now; more can be added. What cannot be known for want
 * of memory or of /proc is left out. */
void tt_kin_init(struct tt_kin *k);
/* -1: out of memory. */
int tt_kin_add(struct tt_kin *k, int pid);
void tt_kin_fini(struct tt_kin *k);
/* End every child but these, and what becomes a child by that. What does not
 * die within some seconds is left to itself. */
void tt_orphans_end(const struct tt_kin *spare);

#endif
