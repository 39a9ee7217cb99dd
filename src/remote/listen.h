/* SPDX-License-Identifier: MIT */
#ifndef TT_REMOTE_LISTEN_H
#define TT_REMOTE_LISTEN_H

/* A worker for other hosts: waits for masters and gives each connection a
 * process of its own, so that no unit harms another, another master's, or
 * us. */

#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "sys/sandbox.h"

#define TT_LISTEN_MOST 1024u /* connections at once, at most */

struct tt_listen {
    const char *host, *port; /* port "0": the system chooses */
    const char *token;
    const char *dir;        /* of the FMUs that are there, or NULL */
    const char *cache;      /* of those that were uploaded, or NULL */
    const char *cert, *key; /* PEM files, for TLS; NULL: not encrypted */
    const struct tt_sandbox *sandbox; /* what each process may do, or NULL */
    uint32_t most;                    /* connections at once */
    const struct tt_log *log;         /* of who came, was refused, crashed */
    volatile int *stop;
    /* We listen now, at this address. */
    void (*ready_cb)(void *ctx, const char *address);
    void *ctx;
};

/* Until *stop. Then all connections end. */
TT_NODISCARD enum tt_code tt_listen_serve(const struct tt_listen *l,
                                          tt_err *err);

#endif
