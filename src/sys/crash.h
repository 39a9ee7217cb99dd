/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_CRASH_H
#define TT_SYS_CRASH_H

/* Last words: which thread brings the process down. */

#include <stdint.h>

/* When a thread crashes (SIGSEGV, SIGABRT, ...) or calls exit(), fn(ctx) is
 * called in that thread, once, and the process ends as it would have. From a
 * signal handler: fn may look at its own kernel id and the memory in use, write
 * memory, and nothing else. Signals that have a handler already (a debugger's
 * library, a sanitizer) stay his. One per process; NULL ends the watch. */
void tt_crash_watch(void (*fn)(void *ctx), void *ctx);

/* In a thread of ours that calls foreign code: from now on it gets the signals
 * of its own crashes, and still no others. */
void tt_crash_heed(void);
/* The calling thread as the kernel knows it; safe in a signal handler. */
int32_t tt_thread_id(void);

#endif
