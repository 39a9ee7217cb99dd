/* SPDX-License-Identifier: MIT */
#include "player/crew.h"

#include "base/mem.h"
#include "sys/baton.h"
#include "sys/crash.h"
#include "sys/lib.h"
#include "sys/spin.h"
#include "sys/thread.h"

/* Longer than what lies between two jobs of a step, shorter than what a parked
 * thread would cost anyone to notice. */
#define SPIN_NS 50000u

struct member {
    struct tt_baton go;
    struct tt_thread thread;
    tt_crew *crew;
    uint32_t index;
};

struct tt_crew {
    struct tt_baton done;
    uint32_t n_done; /* passes of `done` that were awaited */
    uint32_t size;   /* threads wanted, with the caller's ... */
    uint32_t n;      /* ... and started */
    uint32_t joined; /* others that want a core since we are there */
    uint64_t spin_ns;
    struct tt_fpmode mode;
    volatile int32_t *id; /* borrowed, or NULL */
    /* written by the caller between two jobs */
    void (*job_cb)(void *ctx, uint32_t thread);
    void *ctx;
    int ending;
    struct member member[]; /* by index; the first is not used */
};

static void work(void *arg)
{
    struct member *m = arg;
    tt_crew *c = m->crew;

    tt_crash_heed();
    if (c->id)
        c->id[m->index] = tt_thread_id();
    for (uint32_t turn = 1;; turn++) {
        tt_baton_await(&m->go, turn, c->spin_ns);
        if (c->ending)
            return;
        tt_fpmode_restore(&c->mode);
        c->job_cb(c->ctx, m->index);
        tt_baton_pass(&c->done);
    }
}

static int add_member(tt_crew *c)
{
    struct member *m = &c->member[c->n];

    m->crew = c;
    m->index = c->n;
    tt_baton_init(&m->go);
    if (tt_thread_start(&m->thread, work, m, NULL) == TT_OK) {
        c->n++;
        return 1;
    }
    tt_baton_fini(&m->go);
    return 0;
}

enum tt_code tt_crew_new(tt_crew **out, uint32_t n, volatile int32_t *id,
                         tt_err *err)
{
    tt_crew *c = tt_zalloc(1, sizeof(*c) + n * sizeof(*c->member));

    TT_ASSERT(n >= 1 && n <= TT_CREW_MAX);
    if (!c)
        return tt_nomem(err, "making threads");
    tt_baton_init(&c->done);
    /* spinning on a processor that another thread needs delays both */
    c->spin_ns = n + tt_spin_others() <= tt_cores() ? SPIN_NS : 0;
    c->joined = n - 1;
    tt_spin_join(c->joined);
    tt_fpmode_save(&c->mode);
    c->id = id;
    if (id)
        id[0] = tt_thread_id();
    c->n = 1;
    c->size = n;
    *out = c;
    return TT_OK;
}

uint32_t tt_crew_start(tt_crew *c)
{
    while (c->n < c->size && add_member(c))
        ;
    c->size = c->n; /* where one could not be had there are no more */
    return c->n;
}

void tt_crew_free(tt_crew *c)
{
    if (!c)
        return;
    c->ending = 1;
    tt_spin_leave(c->joined);
    for (uint32_t i = 1; i < c->n; i++) {
        tt_baton_pass(&c->member[i].go);
        tt_thread_join(&c->member[i].thread);
        tt_baton_fini(&c->member[i].go);
    }
    tt_baton_fini(&c->done);
    tt_free(c);
}

uint32_t tt_crew_size(const tt_crew *c)
{
    return c->size;
}

void tt_crew_run(tt_crew *c, uint32_t n,
                 void (*job_cb)(void *ctx, uint32_t thread), void *ctx)
{
    TT_ASSERT(n <= c->n);
    c->job_cb = job_cb;
    c->ctx = ctx;
    for (uint32_t i = 1; i < n; i++)
        tt_baton_pass(&c->member[i].go);
    tt_fpmode_restore(&c->mode);
    job_cb(ctx, 0);
    if (n > 1) {
        c->n_done += n - 1;
        tt_baton_await(&c->done, c->n_done, c->spin_ns);
    }
}
