/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* syscall */
#include "sys/ring.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BATCH_BYTES ((size_t)64 << 10)

/* --- bells ------------------------------------------------------------- */

/* Futexes without FUTEX_PRIVATE_FLAG: the sleeper may be another process. */
void tt_bell_ring(struct tt_bell *b)
{
    atomic_fetch_add(&b->rung, 1);
    if (atomic_load(&b->asleep))
        (void)syscall(SYS_futex, &b->rung, FUTEX_WAKE, 1, NULL, NULL, 0);
}

uint32_t tt_bell_count(struct tt_bell *b)
{
    return atomic_load(&b->rung);
}

#define S  UINT64_C(1000000000)
#define MS UINT64_C(1000000)

void tt_bell_wait(struct tt_bell *b, uint32_t count, unsigned ms)
{
    tt_bell_wait_ns(b, count, ms * MS);
}

void tt_bell_wait_ns(struct tt_bell *b, uint32_t count, uint64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / S), .tv_nsec = (long)(ns % S)};

    atomic_store(&b->asleep, 1);
    (void)syscall(SYS_futex, &b->rung, FUTEX_WAIT, count, &t, NULL, 0);
    atomic_store(&b->asleep, 0);
}

/* --- both ends --------------------------------------------------------- */

void tt_ring_join(struct tt_ring_end *e, struct tt_ring *r, void *data,
                  size_t size, size_t record)
{
    *e = (struct tt_ring_end){
        .ring = r, .data = data, .record = record, .cap = size / record};
    e->batch = BATCH_BYTES / record + 1;
    if (e->batch > e->cap / 2)
        e->batch = e->cap / 2 + 1;
    e->due = e->batch;
}

static char *place(const struct tt_ring_end *e, uint64_t record)
{
    return e->data + (size_t)(record % e->cap) * e->record;
}

/* --- the filler -------------------------------------------------------- */

void *tt_ring_next(struct tt_ring_end *e)
{
    if (e->at - e->seen >= e->cap) {
        e->seen = tt_sign_get(&e->ring->taken);
        if (e->at - e->seen >= e->cap)
            return NULL;
    }
    return place(e, e->at);
}

void tt_ring_publish(struct tt_ring_end *e)
{
    tt_sign_set(&e->ring->filled, ++e->at);
    if (e->at < e->due)
        return;
    e->due = e->at + e->batch;
    tt_bell_ring(&e->ring->reader);
}

void tt_ring_await(struct tt_ring_end *e, unsigned ms)
{
    uint32_t count = tt_bell_count(&e->ring->filler);

    tt_bell_ring(&e->ring->reader);
    if (!tt_ring_next(e))
        tt_bell_wait(&e->ring->filler, count, ms);
}

/* --- the reader -------------------------------------------------------- */

uint64_t tt_ring_peek(struct tt_ring_end *e, const char **first)
{
    uint64_t n, left = e->cap - e->at % e->cap;

    e->seen = tt_sign_get(&e->ring->filled);
    n = e->seen - e->at;
    if (n > e->cap)
        return TT_RING_BROKEN;
    *first = place(e, e->at);
    return n < left ? n : left;
}

/* The filler is woken when a fair piece is free: waking it for every record
 * would have both take turns. */
void tt_ring_done(struct tt_ring_end *e, uint64_t n)
{
    e->at += n;
    tt_sign_set(&e->ring->taken, e->at);
    if (e->seen - e->at <= e->cap / 2)
        tt_bell_ring(&e->ring->filler);
}
