/* SPDX-License-Identifier: MIT */
/* Slots and where they lie in the frame. Slots of one unit, direction and
 * type are neighbours, so that one batched call moves them in place; all that
 * is read of one type lies together, so that a play walks along it. */
#include <stdlib.h>

#include "plan/plan_impl.h"

/* Read slots: by type, then those that depend on no connected input, then
 * those that do, then what is only recorded; within each by port. */
static int rank_of(const struct build *b, uint32_t u, uint32_t port)
{
    const struct tt_deps *deps = &b->plan->unit[u].desc->run[port];

    if (!(b->mark[u][port] & MARK_OUT))
        return 2;
    if (!deps->known)
        return 1;
    for (uint32_t i = 0; i < deps->n; i++)
        if (b->mark[u][deps->port[i]] & MARK_IN)
            return 1;
    return 0;
}

static void add_slot(struct build *b, uint32_t u, uint32_t port,
                     enum tt_slot_dir dir)
{
    tt_plan *p = b->plan;
    const struct tt_port *d = &p->unit[u].desc->port[port];

    if (b->slot_of[u][port] == TT_NONE)
        b->slot_of[u][port] = p->n_slot;
    p->slot[p->n_slot++] = (struct tt_slot){
        .unit = u,
        .port = port,
        .dir = dir,
        .type = d->type,
        .n = d->n,
        .feed = TT_NONE,
        .course = TT_NONE,
        .clock = TT_NONE,
        .clocks = TT_NONE,
        .ticked = TT_NONE,
        .reactivity = d->reactivity,
    };
}

/* A port on its way to a slot. */
struct place {
    uint32_t port;
    uint32_t key; /* inputs after what is read, then type, then rank */
};

static int by_key(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

static uint32_t key_of(const struct build *b, uint32_t u, uint32_t port)
{
    uint32_t type = (uint32_t)b->plan->unit[u].desc->port[port].type;

    /* a connected input is recorded from its own slot */
    if (b->mark[u][port] & MARK_IN)
        return 1u << 16 | type << 8;
    return type << 8 | (uint32_t)rank_of(b, u, port);
}

static enum tt_slot_dir dir_of(int mark)
{
    if (mark & MARK_IN)
        return TT_SLOT_IN;
    return mark & MARK_OUT ? TT_SLOT_OUT : TT_SLOT_EXTRA;
}

/* An input has one per feed. */
static uint32_t slots_of(const struct build *b, uint32_t u, uint32_t port)
{
    if (!b->mark[u][port])
        return 0;
    return b->n_feed[u][port] > 1 ? b->n_feed[u][port] : 1;
}

/* `place` has room for every port of the unit. */
static void unit_slots(struct build *b, uint32_t u, struct place *place)
{
    struct tt_plan_unit *unit = &b->plan->unit[u];
    uint32_t n = 0;

    for (uint32_t i = 0; i < unit->desc->n_port; i++)
        if (b->mark[u][i])
            place[n++] = (struct place){i, key_of(b, u, i)};
    qsort(place, n, sizeof(*place), by_key);
    unit->slot = b->plan->n_slot;
    for (uint32_t i = 0; i < n; i++) {
        int mark = b->mark[u][place[i].port];

        for (uint32_t k = 0; k < slots_of(b, u, place[i].port); k++) {
            add_slot(b, u, place[i].port, dir_of(mark));
            if (mark & MARK_IN)
                unit->n_in++;
            else
                unit->n_read++;
        }
    }
}

static size_t bytes_of(const struct tt_slot *s)
{
    return tt_type_size(s->type) * s->n;
}

/* What is read before inputs, which are mostly set from there and not touched
 * while playing. */
static size_t *shelf_of(size_t (*shelf)[TT_TYPE_N], const struct tt_slot *s)
{
    return &shelf[s->dir == TT_SLOT_IN][s->type];
}

static void place_slots(tt_plan *p)
{
    size_t at[2][TT_TYPE_N] = {{0}}; /* first how much, then where */

    for (uint32_t i = 0; i < p->n_slot; i++)
        *shelf_of(at, &p->slot[i]) += bytes_of(&p->slot[i]);
    for (int in = 0; in < 2; in++)
        for (int t = 0; t < TT_TYPE_N; t++) {
            size_t bytes = at[in][t];

            at[in][t] = p->frame_size;
            p->frame_size += (bytes + 7) / 8 * 8;
        }
    for (uint32_t i = 0; i < p->n_slot; i++) {
        size_t *next = shelf_of(at, &p->slot[i]);

        p->slot[i].offset = (uint32_t)*next;
        *next += bytes_of(&p->slot[i]);
    }
}

enum tt_code plan_layout(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    struct place *place;
    size_t n = 0, most = 0;

    for (uint32_t u = 0; u < p->n_unit; u++) {
        if (p->unit[u].desc->n_port > most)
            most = p->unit[u].desc->n_port;
        for (uint32_t i = 0; i < p->unit[u].desc->n_port; i++)
            n += slots_of(b, u, i);
    }
    p->slot = tt_arena_alloc(p->arena, n, sizeof(*p->slot));
    if (!p->slot || !TT_NEW_ARRAY(place, most))
        return plan_nomem(err);
    for (uint32_t u = 0; u < p->n_unit; u++)
        unit_slots(b, u, place);
    place_slots(p);
    for (uint32_t u = 0; u < p->n_unit; u++)
        p->has_texts |= p->unit[u].desc->has_texts;
    for (uint32_t i = 0; i < p->n_slot; i++)
        p->has_texts |= tt_type_is_text(p->slot[i].type);
    tt_free(place);
    return TT_OK;
}
