/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_TICK_H
#define TT_SYS_TICK_H

/* A clock that ticks while the process waits for something else, for a
 * progress bar. One per process. */

#include <stddef.h>

/* Call fn(ctx) every `ms` milliseconds, from a signal handler (SIGALRM): fn
 * may compute and write, and nothing else. Forked children do not tick. */
void tt_tick_start(unsigned ms, void (*fn)(void *ctx), void *ctx);
void tt_tick_stop(void); /* also in a child, to bring back the default */

/* All of data, from anywhere, also from fn. Failures are ignored. */
void tt_tty_write(int fd, const char *data, size_t n);

#endif
