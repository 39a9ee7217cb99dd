/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_CREW_H
#define TT_PLAYER_CREW_H

/* A crew: threads that wait for work, with the thread that made them as the
 * first among them. They are started once, when there is work for them (a
 * process with a second thread is a little slower in the C library's locks),
 * and joined at the end; between jobs they spin briefly and then park. Every
 * thread computes with the floating-point mode its maker had, also after a unit
 * has changed it. */

#include <stdint.h>

#include "base/err.h"

#define TT_CREW_MAX 64u

typedef struct tt_crew tt_crew;

/* n threads in all, 1 .. TT_CREW_MAX. id (may be NULL) gets the kernel's id of
 * each, for reports after a crash; it outlives the crew. */
TT_NODISCARD enum tt_code tt_crew_new(tt_crew **out, uint32_t n,
                                      volatile int32_t *id, tt_err *err);
void tt_crew_free(tt_crew *c); /* joins; accepts NULL */
/* How many there are, or will be once they are started. */
uint32_t tt_crew_size(const tt_crew *c);
/* Start those that were not. Returns how many there are now, with the caller:
 * fewer than wanted when the system gives no more, and then it stays so. */
uint32_t tt_crew_start(tt_crew *c);

/* job_cb(ctx, thread) for thread = 0 .. n-1 of those that were started, each in
 * its own thread, 0 in the caller's, which must be the maker's. Returns when
 * all are done; what they wrote is seen. The other threads are left in peace.
 */
void tt_crew_run(tt_crew *c, uint32_t n,
                 void (*job_cb)(void *ctx, uint32_t thread), void *ctx);

#endif
