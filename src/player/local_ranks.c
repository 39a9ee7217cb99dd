/* SPDX-License-Identifier: MIT */
#include "player/local_ranks.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"

/* A message on its way, first come first served. */
struct letter {
    uint32_t from, to;
    size_t n;
    struct letter *next;
    unsigned char data[];
};

struct end {
    tt_link base;
    tt_local_ranks *ranks;
};

struct tt_local_ranks {
    pthread_mutex_t lock;
    pthread_cond_t news;
    pthread_barrier_t all;
    struct letter *post; /* the oldest first */
    struct end *end;
    const void **shown; /* what each rank shows the others */
    uint32_t n;
};

static tt_local_ranks *ranks_of(const tt_link *l)
{
    return ((const struct end *)(const void *)l)->ranks;
}

static void post(tt_local_ranks *h, uint32_t from, const struct tt_link_box *b)
{
    struct letter *l = tt_zalloc(1, sizeof(*l) + b->n), **at = &h->post;

    TT_ASSERT(l);
    l->from = from;
    l->to = b->peer;
    l->n = b->n;
    memcpy(l->data, b->data, b->n);
    pthread_mutex_lock(&h->lock);
    while (*at)
        at = &(*at)->next;
    *at = l;
    pthread_cond_broadcast(&h->news);
    pthread_mutex_unlock(&h->lock);
}

static struct letter **find(tt_local_ranks *h, uint32_t from, uint32_t to)
{
    struct letter **at = &h->post;

    while (*at && ((*at)->from != from || (*at)->to != to))
        at = &(*at)->next;
    return at;
}

static void receive(tt_local_ranks *h, uint32_t to, const struct tt_link_box *b)
{
    struct letter **at, *l;

    pthread_mutex_lock(&h->lock);
    while (!*(at = find(h, b->peer, to)))
        pthread_cond_wait(&h->news, &h->lock);
    l = *at;
    *at = l->next;
    pthread_mutex_unlock(&h->lock);
    TT_ASSERT(l->n == b->n);
    memcpy(b->data, l->data, l->n);
    tt_free(l);
}

static enum tt_code local_move(tt_link *l, const struct tt_link_box *box,
                               uint32_t n, tt_err *err)
{
    (void)err;
    for (uint32_t i = 0; i < n; i++)
        if (box[i].out)
            post(ranks_of(l), l->rank, &box[i]);
    for (uint32_t i = 0; i < n; i++)
        if (!box[i].out)
            receive(ranks_of(l), l->rank, &box[i]);
    return TT_OK;
}

static enum tt_code local_gather(tt_link *l, const void *mine, size_t n,
                                 void *all, tt_err *err)
{
    tt_local_ranks *h = ranks_of(l);

    (void)err;
    h->shown[l->rank] = mine;
    pthread_barrier_wait(&h->all);
    for (uint32_t i = 0; i < l->n; i++)
        memcpy((unsigned char *)all + i * n, h->shown[i], n);
    pthread_barrier_wait(&h->all);
    return TT_OK;
}

static enum tt_code local_share(tt_link *l, uint32_t from, void *data, size_t n,
                                tt_err *err)
{
    tt_local_ranks *h = ranks_of(l);

    (void)err;
    if (l->rank == from)
        h->shown[from] = data;
    pthread_barrier_wait(&h->all);
    if (l->rank != from)
        memcpy(data, h->shown[from], n);
    pthread_barrier_wait(&h->all);
    return TT_OK;
}

static const struct tt_link_ops ops = {
    .move = local_move,
    .gather = local_gather,
    .share = local_share,
};

tt_local_ranks *tt_local_ranks_new(uint32_t n)
{
    tt_local_ranks *h;

    TT_ASSERT(TT_NEW(h) && TT_NEW_ARRAY(h->end, n) &&
              TT_NEW_ARRAY(h->shown, n));
    h->n = n;
    for (uint32_t i = 0; i < n; i++)
        h->end[i] = (struct end){{&ops, i, n}, h};
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->news, NULL);
    pthread_barrier_init(&h->all, NULL, n);
    return h;
}

void tt_local_ranks_free(tt_local_ranks *h)
{
    TT_ASSERT(!h->post); /* everything that was sent was taken */
    pthread_mutex_destroy(&h->lock);
    pthread_cond_destroy(&h->news);
    pthread_barrier_destroy(&h->all);
    tt_free(h->end);
    tt_free(h->shown);
    tt_free(h);
}

tt_link *tt_local_ranks_link(tt_local_ranks *h, uint32_t rank)
{
    return &h->end[rank].base;
}

/* --- threads -------------------------------------------------------------- */

struct seat {
    void (*fn)(void *ctx, uint32_t rank);
    void *ctx;
    uint32_t rank;
    pthread_t thread;
};

static void *sit(void *arg)
{
    struct seat *s = arg;

    s->fn(s->ctx, s->rank);
    return NULL;
}

void tt_local_ranks_play(tt_local_ranks *h,
                         void (*fn)(void *ctx, uint32_t rank), void *ctx)
{
    struct seat *seat;

    TT_ASSERT(TT_NEW_ARRAY(seat, h->n));
    for (uint32_t i = 0; i < h->n; i++) {
        seat[i] = (struct seat){.fn = fn, .ctx = ctx, .rank = i};
        TT_ASSERT(pthread_create(&seat[i].thread, NULL, sit, &seat[i]) == 0);
    }
    for (uint32_t i = 0; i < h->n; i++)
        pthread_join(seat[i].thread, NULL);
    tt_free(seat);
}
