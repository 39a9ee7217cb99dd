/* SPDX-License-Identifier: MIT */
#ifndef TT_REMOTE_WORKER_H
#define TT_REMOTE_WORKER_H

/* A worker: drives one real unit as the messages on a stream command. One
 * process serves one stream, so that what its unit does to the process it does
 * to no other. */

#include "sys/stream.h"
#include "unit/unit.h"

struct tt_worker_host {
    tt_unit_type *type; /* borrowed: the unit's type; NULL: OPEN states it */
    /* For connections; all NULL for our own children. */
    const char *token;        /* wanted with HELLO before anything else */
    const char *dir;          /* where the FMUs are that OPEN may name */
    const char *cache;        /* where uploaded ones are kept */
    const char *folder;       /* its own, for a copy of one; or NULL */
    const char *peer;         /* its address, for the log */
    const struct tt_log *log; /* what the worker itself logs */
    void *ctx;
    /* The token was right: 0 when there is no place for one more, of `most`.
     * NULL: there is. */
    int (*welcome_cb)(void *ctx);
    uint32_t most;
    /* An FMU is about to be opened: what only the worker needed is given up.
     * NULL: there is nothing. */
    enum tt_code (*confine_cb)(void *ctx, tt_err *err);
};

/* Serve until the master sends goodbye or is gone. Returns 0, or 1 when the
 * master broke the rules (which was logged). Does not close the stream. */
int tt_worker_serve(tt_stream *s, const struct tt_worker_host *h);

#endif
