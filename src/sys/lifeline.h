/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_LIFELINE_H
#define TT_SYS_LIFELINE_H

/* How a copy of a process ends with the one it was made from, whatever it is
 * doing then. The system can report the death of the thread that forked; where
 * that is not the process's first one, it ends too early. So the process holds
 * one end of a pipe, and the copy is killed when that is closed. */

/* Before the fork, in any thread: a descriptor for tt_lifeline_take(), ours;
 * -1 when there is none to be had. */
int tt_lifeline_give(void);
/* In the copy: a descriptor to be kept open, or -1. Allocates nothing. Who
 * asked for it checks afterwards that its parent is there. */
int tt_lifeline_take(int given);

#endif
