/* SPDX-License-Identifier: MIT */
#ifndef TT_REMOTE_PROXY_H
#define TT_REMOTE_PROXY_H

/* A proxy: a unit that lives elsewhere, in a process of its own or on another
 * machine, and keeps the unit contract here.
 *
 * What can wait (sets, courses, saves, restores) is kept and travels with the
 * next step; what was bound to be read, and derivatives and largest steps once
 * they were asked for, come back with its answer. So a macro step costs one
 * message each way. A value is never older than the last thing that was done:
 * reading after setting costs one more exchange.
 *
 * If the other end is lost and the unit can be serialised, it is started
 * again from its last packed state, what was asked since is asked again, and
 * the call goes on as if nothing had happened (with a warning). */

#include "sys/stream.h"
#include "unit/unit.h"

/* How a proxy reaches its worker; it may want another one later. */
struct tt_proxy_link_ops {
    const char *word; /* "isolated": what it is, in messages */
    /* A stream to a worker that waits for MAKE. May be called again after
     * close. */
    enum tt_code (*open)(void *ctx, tt_stream **s, tt_err *err);
    /* End it. kindly: it was sent goodbye. */
    void (*close)(void *ctx, tt_stream *s, int kindly);
    /* What became of the other end, after TT_STREAM_GONE and before close:
     * "its process crashed (SIGSEGV)". */
    void (*obituary)(void *ctx, const tt_stream *s, char *out, size_t size);
    void (*free)(void *ctx); /* NULL: the context is another's */
    /* Silence may be the link's fault and not the unit's. */
    int silence_is_loss;
};

struct tt_proxy_link {
    const struct tt_proxy_link_ops *ops;
    void *ctx;       /* owned by the proxy, if ops has free */
    double deadline; /* s, for one call; 0: none */
};

/* A unit of this description, whose type outlives it. Takes the link, also
 * when it fails. *max_step: whether it gives its largest step, which some only
 * know when they are made. */
TT_NODISCARD enum tt_code tt_proxy_make(tt_unit **out,
                                        const struct tt_proxy_link *l,
                                        const struct tt_desc *desc,
                                        const struct tt_make *m, int *max_step,
                                        tt_err *err);

struct tt_proxy_stats {
    uint64_t requests, answers; /* messages sent and received */
    uint32_t revived;           /* how often it was started again */
};
/* 0 when u is no proxy. */
int tt_proxy_stats(const tt_unit *u, struct tt_proxy_stats *s);

#endif
