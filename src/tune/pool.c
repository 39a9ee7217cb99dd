/* SPDX-License-Identifier: MIT */
#include "tune/pool.h"

#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "sys/child.h"
#include "sys/clock.h"
#include "sys/sync.h"

#define PAUSE_NS 2000000u

/* What workers and the parent both see, in one piece: this, a stage for each
 * worker, a state for each job, a record for each job. */
struct hall {
    _Atomic uint32_t next; /* place in the list */
    struct {
        _Atomic uint32_t busy;  /* place in the list, plus 1; 0: between two */
        _Atomic uint64_t since; /* ns */
    } worker[TT_POOL_WORKERS];
};

struct play {
    const struct tt_pool *p;
    const uint32_t *job;
    uint32_t n;
    struct hall *hall; /* shared */
    size_t size;
    struct tt_stage *stage;       /* per worker */
    _Atomic unsigned char *state; /* per place: 1 when its record stands */
    char *record;
    size_t stride;
    unsigned char *seen;      /* per place: the parent has seen it */
    uint32_t first;           /* all before were seen */
    int pid[TT_POOL_WORKERS]; /* 0: none */
    uint32_t me;              /* in a worker */
};

static void *record_of(const struct play *y, uint32_t place)
{
    return y->record + (size_t)place * y->stride;
}

/* All but the names, which are many and count only as far as it states. */
static void clear(struct tt_stage *s)
{
    memset(s, 0, offsetof(struct tt_stage, name));
    s->n_name = s->first_name = s->n_guest = s->n_guest_name = 0;
}

static int worker_main(void *ctx)
{
    struct play *y = ctx;
    struct hall *h = y->hall;

    for (;;) {
        uint32_t place = atomic_fetch_add(&h->next, 1);

        if (place >= y->n)
            return 0;
        clear(&y->stage[y->me]);
        atomic_store(&h->worker[y->me].since, tt_clock_ns());
        atomic_store(&h->worker[y->me].busy, place + 1);
        y->p->work_cb(y->p->ctx, y->job[place], &y->stage[y->me],
                      record_of(y, place));
        atomic_store(&y->state[place], 1);
        atomic_store(&h->worker[y->me].busy, 0);
    }
}

static enum tt_code start(struct play *y, uint32_t w, tt_err *err)
{
    const struct tt_child_copy c = {
        .main_cb = worker_main, .ctx = y, .share = y->hall};

    y->me = w;
    clear(&y->stage[w]);
    atomic_store(&y->hall->worker[w].busy, 0);
    return tt_child_fork(&c, &y->pid[w], err);
}

static uint32_t begun(const struct play *y)
{
    uint32_t n = atomic_load(&y->hall->next);

    return n < y->n ? n : y->n;
}

static enum tt_code report(struct play *y, tt_err *err)
{
    uint32_t n = begun(y);
    enum tt_code rc = TT_OK;

    for (uint32_t i = y->first; i < n && rc == TT_OK; i++) {
        if (y->seen[i] || !atomic_load(&y->state[i]))
            continue;
        y->seen[i] = 1;
        rc = y->p->done_cb(y->p->ctx, y->job[i], record_of(y, i), err);
    }
    while (y->first < y->n && y->seen[y->first])
        y->first++;
    return rc;
}

/* Has it had more time than there is for a job? */
static int is_late(const struct play *y, uint32_t w)
{
    double taken;

    if (!(y->p->patience > 0) || !atomic_load(&y->hall->worker[w].busy))
        return 0;
    taken = (double)(tt_clock_ns() - atomic_load(&y->hall->worker[w].since));
    return taken > y->p->patience * 1e9;
}

/* The end of a worker: that of its job, too, if it had one. */
static void bury(struct play *y, uint32_t w, const struct tt_proc_result *how)
{
    uint32_t busy = atomic_load(&y->hall->worker[w].busy);

    y->pid[w] = 0;
    if (!busy || busy > y->n || atomic_load(&y->state[busy - 1]))
        return;
    memset(record_of(y, busy - 1), 0, y->p->record);
    y->p->died_cb(y->p->ctx, y->job[busy - 1], &y->stage[w], how,
                  record_of(y, busy - 1));
    atomic_store(&y->state[busy - 1], 1);
}

/* Looks at every worker once; *n: how many there are. */
static enum tt_code look(struct play *y, uint32_t *n, tt_err *err)
{
    enum tt_code rc = TT_OK;

    *n = 0;
    for (uint32_t w = 0; w < y->p->n_worker && rc == TT_OK; w++) {
        struct tt_proc_result how = {0};
        int late = y->pid[w] && is_late(y, w);

        if (late)
            tt_child_end(y->pid[w]);
        while (late && !tt_child_ended(y->pid[w]))
            tt_sleep_ns(PAUSE_NS / 10);
        if (y->pid[w] && tt_child_poll(y->pid[w], &how)) {
            how.lost_it = late;
            bury(y, w, &how);
        }
        if (!y->pid[w] && begun(y) < y->n)
            rc = start(y, w, err);
        *n += y->pid[w] != 0;
    }
    return rc;
}

static void end_all(struct play *y)
{
    for (uint32_t w = 0; w < y->p->n_worker; w++)
        if (y->pid[w])
            tt_child_kill(y->pid[w]);
}

static enum tt_code lead(struct play *y, tt_err *err)
{
    uint32_t living = 0;
    enum tt_code rc = look(y, &living, err);

    while (rc == TT_OK && living > 0) {
        if (y->p->stop && *y->p->stop)
            rc = tt_fail(err, TT_ESTOPPED, "stopped");
        if (rc == TT_OK)
            rc = report(y, err);
        if (rc == TT_OK && y->p->idle_cb)
            y->p->idle_cb(y->p->ctx);
        if (rc == TT_OK)
            tt_sleep_ns(PAUSE_NS);
        if (rc == TT_OK)
            rc = look(y, &living, err);
    }
    end_all(y);
    if (rc == TT_OK || rc == TT_ESTOPPED) {
        tt_err later = {0};
        enum tt_code last = report(y, &later);

        if (rc == TT_OK && last != TT_OK) {
            *err = later;
            rc = last;
        }
    }
    return rc;
}

static size_t whole(size_t n)
{
    return (n + 63) / 64 * 64;
}

enum tt_code tt_pool_run(const struct tt_pool *p, const uint32_t *job,
                         uint32_t n, tt_err *err)
{
    struct play y = {.p = p, .job = job, .n = n, .stride = whole(p->record)};
    size_t stages = whole(sizeof(struct hall));
    size_t states = stages + whole(p->n_worker * sizeof(struct tt_stage));
    size_t records = states + whole(n);
    enum tt_code rc = TT_OK;

    TT_ASSERT(p->n_worker >= 1 && p->n_worker <= TT_POOL_WORKERS);
    if (n == 0)
        return TT_OK;
    y.size = records + (size_t)n * y.stride;
    y.hall = tt_shared_alloc(y.size);
    if (!y.hall || !TT_NEW_ARRAY(y.seen, n))
        rc = tt_fail(err, TT_ENOMEM, "%u runs: out of memory", n);
    if (rc == TT_OK) {
        char *base = (char *)y.hall;

        y.stage = (struct tt_stage *)(void *)(base + stages);
        y.state = (_Atomic unsigned char *)(void *)(base + states);
        y.record = base + records;
        rc = lead(&y, err);
    }
    if (y.hall)
        tt_shared_free(y.hall, y.size);
    tt_free(y.seen);
    return rc;
}
