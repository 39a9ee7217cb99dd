/* SPDX-License-Identifier: MIT */
/* Streams through shared memory: a ring of bytes in each direction. */
#include "sys/stream.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/hooks.h"
#include "base/mem.h"
#include "sys/clock.h"
#include "sys/proc.h"
#include "sys/ring.h"
#include "sys/spin.h"

#define CAP     ((size_t)256 << 10) /* bytes in each direction */
#define LOOK_NS UINT64_C(5000000)   /* between looks whether the other lives */

#define LOOKS 32u /* a look is cheaper than the clock */

/* Counters that never wrap; each is moved by one end only. */
struct way {
    _Atomic uint64_t filled;
    struct tt_bell reader; /* rung when there is something to read */
    char gap1[48];
    _Atomic uint64_t taken;
    struct tt_bell writer; /* rung when there is room */
    char gap2[48];
};

struct shm {
    struct way way[2]; /* [0] is read by side 0 */
    /* What wants a core besides side 1, as side 0 reports it. */
    _Atomic uint32_t others;
    char gap[60];
    char data[2][CAP];
};

struct shm_stream {
    tt_stream base;
    struct way *in, *out;
    char *in_data, *out_data;
    uint64_t taken, filled; /* our own counters */
    uint64_t seen_filled;   /* the other's, when we last looked */
    uint64_t seen_taken;
    _Atomic uint32_t *others; /* to be published to the other end, or NULL */
    uint32_t published;       /* of them */
    struct tt_spin spin;
    struct tt_stream_peer peer;
};

void *tt_shm_new(void)
{
    return tt_shared_alloc(sizeof(struct shm));
}

void tt_shm_free(void *shm)
{
    tt_shared_free(shm, sizeof(struct shm));
}

/* Has the other end's counter left `was`? */
static int moved(_Atomic uint64_t *counter, uint64_t was)
{
    return atomic_load_explicit(counter, memory_order_acquire) != was;
}

struct look {
    _Atomic uint64_t *counter;
    uint64_t was;
};

static int look(void *ctx)
{
    const struct look *l = ctx;

    return moved(l->counter, l->was);
}

/* How long to park before the next look, ns: not beyond what patience has
 * left. */
static uint64_t nap(const struct shm_stream *s, uint64_t began)
{
    uint64_t spent, left = LOOK_NS;

    if (s->base.patience_ns) {
        spent = tt_clock_ns() - began;
        left = spent < s->base.patience_ns ? s->base.patience_ns - spent : 0;
    }
    return left < LOOK_NS ? left : LOOK_NS;
}

/* Until the counter moves, the other end dies, or patience does: *began is when
 * the first of several waits began to park, or 0. */
static enum tt_stream_end await(struct shm_stream *s, _Atomic uint64_t *counter,
                                uint64_t was, struct tt_bell *bell,
                                uint64_t *began)
{
    struct look l = {counter, was};

    if (moved(counter, was) || tt_spin_await(&s->spin, look, &l))
        return TT_STREAM_OK;
    if (!*began)
        *began = tt_clock_ns();
    for (;;) {
        uint32_t count = tt_bell_count(bell);

        if (moved(counter, was))
            return TT_STREAM_OK;
        tt_bell_wait_ns(bell, count, nap(s, *began));
        if (moved(counter, was))
            return TT_STREAM_OK;
        if (!s->peer.alive_cb(s->peer.ctx)) /* what it left is still there */
            return moved(counter, was) ? TT_STREAM_OK : TT_STREAM_GONE;
        if (s->base.patience_ns &&
            tt_clock_ns() - *began >= s->base.patience_ns)
            return TT_STREAM_LATE;
    }
}

/* A counter that cannot be true: the other end wrote where it should not. One
 * that goes back is none either: it could keep us here for ever. */
static enum tt_stream_end broken(struct shm_stream *s)
{
    (void)snprintf(s->base.why, sizeof(s->base.why),
                   "the memory it shares with us is corrupt");
    return TT_STREAM_GONE;
}

/* Only what is new: the other end has it in its cache. */
static void publish_others(struct shm_stream *s)
{
    uint32_t n = tt_spin_others();

    if (!s->others || n == s->published)
        return;
    s->published = n;
    atomic_store_explicit(s->others, n, memory_order_relaxed);
}

static enum tt_stream_end shm_write(tt_stream *base, const void *data, size_t n)
{
    struct shm_stream *s = (struct shm_stream *)(void *)base;
    const char *from = data;
    uint64_t began = 0;

    publish_others(s);
    while (n > 0) {
        uint64_t taken =
            atomic_load_explicit(&s->out->taken, memory_order_acquire);
        uint64_t used = s->filled - taken;
        size_t at = (size_t)(s->filled % CAP), k = CAP - at;
        enum tt_stream_end end;

        if (used > CAP || taken < s->seen_taken)
            return broken(s);
        s->seen_taken = taken;
        if (used == CAP) {
            end = await(s, &s->out->taken, taken, &s->out->writer, &began);
            if (end != TT_STREAM_OK)
                return end;
            continue;
        }
        k = k < CAP - used ? k : (size_t)(CAP - used);
        k = k < n ? k : n;
        memcpy(s->out_data + at, from, k);
        s->filled += k;
        from += k;
        n -= k;
        atomic_store_explicit(&s->out->filled, s->filled, memory_order_release);
        tt_bell_ring(&s->out->reader);
    }
    return TT_STREAM_OK;
}

static enum tt_stream_end shm_read(tt_stream *base, void *data, size_t n)
{
    struct shm_stream *s = (struct shm_stream *)(void *)base;
    int long_one = n > CAP / 64;
    uint64_t began = 0;
    char *to = data;

    while (n > 0) {
        uint64_t filled =
            atomic_load_explicit(&s->in->filled, memory_order_acquire);
        uint64_t there = filled - s->taken;
        size_t at = (size_t)(s->taken % CAP), k = CAP - at;
        enum tt_stream_end end;

        if (there > CAP || filled < s->seen_filled)
            return broken(s);
        s->seen_filled = filled;
        if (there == 0) {
            end = await(s, &s->in->filled, filled, &s->in->reader, &began);
            if (end != TT_STREAM_OK)
                return end;
            continue;
        }
        k = k < there ? k : (size_t)there;
        k = k < n ? k : n;
        memcpy(to, s->in_data + at, k);
        s->taken += k;
        to += k;
        n -= k;
        atomic_store_explicit(&s->in->taken, s->taken, memory_order_release);
        if (long_one || there > CAP / 2) /* it may wait for room */
            tt_bell_ring(&s->in->writer);
    }
    return TT_STREAM_OK;
}

static int shm_ready(tt_stream *base, uint64_t ns)
{
    struct shm_stream *s = (struct shm_stream *)(void *)base;
    uint64_t patience = base->patience_ns, began = 0;
    enum tt_stream_end end;

    if (moved(&s->in->filled, s->taken))
        return 1;
    if (ns == 0)
        return !s->peer.alive_cb(s->peer.ctx);
    base->patience_ns = ns;
    end = await(s, &s->in->filled, s->taken, &s->in->reader, &began);
    base->patience_ns = patience;
    return end != TT_STREAM_LATE;
}

static void shm_close(tt_stream *base)
{
    tt_free(base);
}

static const struct tt_stream_ops shm_ops = {
    TT_HOOKS(shm_, write, read, ready, close)};

tt_stream *tt_shm_stream(void *shm, int side, const struct tt_stream_peer *peer)
{
    struct shm *m = shm;
    struct shm_stream *s;

    if (!TT_NEW(s))
        return NULL;
    s->base.ops = &shm_ops;
    s->in = &m->way[side];
    s->out = &m->way[!side];
    s->in_data = m->data[side];
    s->out_data = m->data[!side];
    s->others = side ? NULL : &m->others;
    tt_spin_init(&s->spin, LOOKS, side ? &m->others : NULL);
    s->peer = *peer;
    return &s->base;
}
