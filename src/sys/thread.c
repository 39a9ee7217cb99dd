/* SPDX-License-Identifier: MIT */
#include "sys/thread.h"

#include <signal.h>
#include <string.h>

static void *run(void *arg)
{
    struct tt_thread *t = arg;

    t->main_cb(t->ctx);
    return NULL;
}

enum tt_code tt_thread_start(struct tt_thread *t, void (*main_cb)(void *ctx),
                             void *ctx, tt_err *err)
{
    sigset_t all, before;
    int e;

    t->main_cb = main_cb;
    t->ctx = ctx;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* it inherits this */
    e = pthread_create(&t->id, NULL, run, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (e != 0)
        return tt_fail(err, TT_EIO, "cannot start a thread: %s", strerror(e));
    return TT_OK;
}

void tt_thread_join(struct tt_thread *t)
{
    (void)pthread_join(t->id, NULL);
}
