/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_STREAM_H
#define TT_SYS_STREAM_H

/* A stream: bytes in both directions between two processes, of one machine
 * through shared memory, of two through a socket. Both ends wait briefly
 * spinning, because the other is mostly about to answer, and then park.
 *
 * The other end is not trusted: it may die, fall silent, or write anything.
 * Confined to one thread at a time. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum tt_stream_end {
    TT_STREAM_OK = 0,
    TT_STREAM_LATE, /* not within the time allowed; the stream is useless */
    TT_STREAM_GONE, /* the other end is not there any more */
};

typedef struct tt_stream tt_stream;

struct tt_stream_ops {
    enum tt_stream_end (*write)(tt_stream *s, const void *data, size_t n);
    enum tt_stream_end (*read)(tt_stream *s, void *data, size_t n);
    int (*ready)(tt_stream *s, uint64_t ns);
    void (*close)(tt_stream *s);
};

struct tt_stream {
    const struct tt_stream_ops *ops;
    uint64_t patience_ns; /* for one read or write; 0: for ever */
    char why[160];        /* of GONE, as far as it is known; "" otherwise */
};

/* All n bytes, or not TT_STREAM_OK. */
static inline enum tt_stream_end tt_stream_write(tt_stream *s, const void *data,
                                                 size_t n)
{
    return s->ops->write(s, data, n);
}

static inline enum tt_stream_end tt_stream_read(tt_stream *s, void *data,
                                                size_t n)
{
    return s->ops->read(s, data, n);
}

/* Is there something to read, within so many ns? Also when a read would find
 * that the stream has ended. To park for it takes up to a millisecond more.
 */
static inline int tt_stream_ready(tt_stream *s, uint64_t ns)
{
    return s->ops->ready(s, ns);
}

static inline void tt_stream_close(tt_stream *s) /* accepts NULL */
{
    if (s)
        s->ops->close(s);
}

/* --- shared memory ------------------------------------------------------ */

/* Is the other end's process there? Asked now and then while we wait. */
struct tt_stream_peer {
    int (*alive_cb)(void *ctx);
    void *ctx;
};

/* Memory for both ends, to be made before the fork; NULL when there is none. */
void *tt_shm_new(void);
void tt_shm_free(void *shm); /* accepts NULL */
/* One end each: side 0 and side 1. Side 0 states how many want a core (spin.h).
 * The memory is not the stream's: it outlives both. NULL: out of memory. */
tt_stream *tt_shm_stream(void *shm, int side,
                         const struct tt_stream_peer *peer);

/* --- sockets ------------------------------------------------------------ */

/* Takes the descriptor, also when it fails (NULL: out of memory). */
tt_stream *tt_tcp_stream(int fd);

#endif
