/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_THREAD_H
#define TT_SYS_THREAD_H

/* A thread of ours. It sees no signal: those go to the threads that wait for
 * them. */

#include <pthread.h>

#include "base/err.h"

struct tt_thread {
    pthread_t id;
    void (*main_cb)(void *ctx);
    void *ctx;
};

/* t must stay where it is until it was joined. */
TT_NODISCARD enum tt_code tt_thread_start(struct tt_thread *t,
                                          void (*main_cb)(void *ctx), void *ctx,
                                          tt_err *err);
/* Wait until main_cb returned. */
void tt_thread_join(struct tt_thread *t);

#endif
