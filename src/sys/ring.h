/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_RING_H
#define TT_SYS_RING_H

/* A ring of equal records from one filler to one reader, two threads or two
 * processes, in memory that both see. No lock: each end has a counter that only
 * it moves, and a copy of the other one's that it renews when it must, so that
 * filling costs one store. A side with nothing to do sleeps beside a bell.
 *
 *   filler:  place = tt_ring_next(e); NULL: full, tt_ring_await and again;
 *            write the record; tt_ring_publish(e)
 *   reader:  n = tt_ring_peek(e, &first); 0: empty; read n records;
 *            tt_ring_done(e, n)
 *
 * When the filler dies, all it published can still be read. The reader trusts
 * no counter of the filler: it may have died from writing where it should not.
 */

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* A number one side sets for the other to see, after everything it wrote
 * before. */
struct tt_sign {
    _Atomic uint64_t value;
};

static inline void tt_sign_set(struct tt_sign *s, uint64_t value)
{
    atomic_store_explicit(&s->value, value, memory_order_release);
}

static inline uint64_t tt_sign_get(struct tt_sign *s)
{
    return atomic_load_explicit(&s->value, memory_order_acquire);
}

/* Wakes what sleeps beside it:
 *
 *   count = tt_bell_count(b); if (nothing to do) tt_bell_wait(b, count, ms);
 *
 * returns at once when the bell rang after it was read. */
struct tt_bell {
    _Atomic uint32_t rung;
    _Atomic uint32_t asleep;
};

void tt_bell_ring(struct tt_bell *b);
uint32_t tt_bell_count(struct tt_bell *b);
void tt_bell_wait(struct tt_bell *b, uint32_t count, unsigned ms);
void tt_bell_wait_ns(struct tt_bell *b, uint32_t count, uint64_t ns);

/* Shared; zeroed is empty. The counters never wrap. */
struct tt_ring {
    struct tt_sign filled; /* records published */
    struct tt_bell reader; /* rung when there is much to read */
    char gap[48];          /* the two ends on lines of their own */
    struct tt_sign taken;  /* records the reader is done with */
    struct tt_bell filler; /* rung when there is room again */
};

/* One end; private to it. */
struct tt_ring_end {
    struct tt_ring *ring;
    char *data;
    size_t record;
    uint64_t cap;   /* records */
    uint64_t at;    /* our counter */
    uint64_t seen;  /* the other's, when we last looked */
    uint64_t batch; /* records between bells to the reader */
    uint64_t due;   /* our counter at the next bell */
};

#define TT_RING_BROKEN UINT64_MAX

/* Both ends join with the same size and record; size >= record > 0. */
void tt_ring_join(struct tt_ring_end *e, struct tt_ring *r, void *data,
                  size_t size, size_t record);

/* The place of the next record, the same until it is published. */
void *tt_ring_next(struct tt_ring_end *e);
void tt_ring_publish(struct tt_ring_end *e);
/* Sleep until there is room, for ms at most. */
void tt_ring_await(struct tt_ring_end *e, unsigned ms);

/* How many records wait that lie side by side, from *first on; TT_RING_BROKEN
 * when the filler's counter cannot be true. */
uint64_t tt_ring_peek(struct tt_ring_end *e, const char **first);
void tt_ring_done(struct tt_ring_end *e, uint64_t n);

#endif
