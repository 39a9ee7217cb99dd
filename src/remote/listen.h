/* SPDX-License-Identifier: MIT */
#ifndef TT_REMOTE_LISTEN_H
#define TT_REMOTE_LISTEN_H

/* A worker for other hosts: waits for masters and gives each connection a
 * process and a folder of its own, so that no unit harms another, another
 * master's, or us. A connection without the token yet takes no master's place:
 * there are TT_LISTEN_UNKNOWN more for them, and when those are full, the one
 * that has been silent for longest makes room. */

#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "sys/sandbox.h"

#define TT_LISTEN_MOST    1024u /* connections at once, at most */
#define TT_LISTEN_UNKNOWN 16u   /* more that have not sent the token yet */

struct tt_listen {
    const char *host, *port; /* port "0": the system chooses */
    const char *token;
    const char *dir;        /* of the FMUs that are there, or NULL */
    const char *cache;      /* of those that were uploaded, or NULL */
    const char *cert, *key; /* PEM files, for TLS; NULL: not encrypted */
    const char *temp; /* where the folders of connections are made, or NULL */
    /* What each process may do; NULL: all we may but to reach into others. Of
     * files: units write in their folder, and see neither the cache nor the
     * folders of others. `write` and `hide` are not used. */
    const struct tt_sandbox *sandbox;
    uint32_t most;            /* connections at once */
    const struct tt_log *log; /* of connections made, refused, crashed */
    volatile int *stop;
    /* We listen now, at this address. */
    void (*ready_cb)(void *ctx, const char *address);
    void *ctx;
};

/* Until *stop. Then all connections end. */
TT_NODISCARD enum tt_code tt_listen_serve(const struct tt_listen *l,
                                          tt_err *err);

#endif
