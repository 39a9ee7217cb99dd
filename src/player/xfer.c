/* SPDX-License-Identifier: MIT */
/* Transfers: values of one rank's units into the frames of others. */
#include <string.h>

#include "player/ranks.h"

/* A message and where its values lie in the frame. The last byte says whether
 * they can be relied on: a rank whose play has ended on the way sends what it
 * has, and its word that it is old. */
struct letter {
    unsigned char *data;
    size_t n; /* bytes, with the last one */
    int out;
    struct piece {
        unsigned char *at;
        uint32_t n;
    } * piece;
    uint32_t n_piece;
};

struct xfer {
    tt_part *part;
    struct letter *letter;
    struct tt_link_box *box;
    uint32_t n; /* this rank's */
};

static int concerns(const struct tt_message *m, uint32_t rank)
{
    return m->from == rank || m->to == rank;
}

static void pack(struct letter *l, int old)
{
    unsigned char *p = l->data;

    for (uint32_t i = 0; i < l->n_piece; i++) {
        memcpy(p, l->piece[i].at, l->piece[i].n);
        p += l->piece[i].n;
    }
    *p = (unsigned char)old;
}

static int unpack(struct letter *l)
{
    const unsigned char *p = l->data;

    for (uint32_t i = 0; i < l->n_piece; i++) {
        memcpy(l->piece[i].at, p, l->piece[i].n);
        p += l->piece[i].n;
    }
    return *p;
}

static enum tt_call_result play_xfer(const struct tt_call *c,
                                     struct tt_now *now)
{
    struct xfer *x = c->unit;
    struct tt_ranks_play *play = x->part->ranks;

    for (uint32_t i = 0; i < x->n; i++)
        if (x->letter[i].out)
            pack(&x->letter[i], play->muted);
    if (x->n && play->link->ops->move(play->link, x->box, x->n, now->words))
        return TT_CALL_FAILED;
    for (uint32_t i = 0; i < x->n; i++)
        if (!x->letter[i].out && unpack(&x->letter[i]))
            play->muted = 1;
    return TT_CALL_OK;
}

static const struct tt_what what_xfer = {.fn = play_xfer,
                                         .verb = TT_VERB_OTHER};

int tt_is_xfer(const struct tt_call *c)
{
    return c->what == &what_xfer;
}

/* Neighbours in the frame go as one piece. */
static int fill(tt_part *p, struct letter *l, const struct tt_message *m)
{
    l->piece = tt_arena_alloc(p->arena, m->n, sizeof(*l->piece));
    if (!l->piece)
        return 0;
    l->n = 1;
    for (uint32_t k = 0; k < m->n; k++) {
        const struct tt_slot *s =
            &p->plan->slot[p->score->member[m->first + k]];
        unsigned char *at = p->frame->value + s->offset;
        uint32_t n = s->n * (uint32_t)tt_type_size(s->type);
        struct piece *last = l->n_piece ? &l->piece[l->n_piece - 1] : NULL;

        if (last && last->at + last->n == at)
            last->n += n;
        else
            l->piece[l->n_piece++] = (struct piece){at, n};
        l->n += n;
    }
    l->data = tt_arena_alloc(p->arena, l->n, 1);
    return l->data != NULL;
}

enum tt_code tt_bind_xfer(tt_part *p, const struct tt_op *op, struct tt_call *c,
                          tt_err *err)
{
    const struct tt_xfer *of = &p->score->xfer[op->arg];
    struct xfer *x = tt_arena_alloc(p->arena, 1, sizeof(*x));
    uint32_t rank = p->ranks->link->rank;

    if (!x)
        return tt_part_nomem(err);
    x->part = p;
    x->letter = tt_arena_alloc(p->arena, of->n, sizeof(*x->letter));
    x->box = tt_arena_alloc(p->arena, of->n, sizeof(*x->box));
    if (!x->letter || !x->box)
        return tt_part_nomem(err);
    for (uint32_t i = of->first; i < of->first + of->n; i++) {
        const struct tt_message *m = &p->score->message[i];
        struct letter *l = &x->letter[x->n];

        if (!concerns(m, rank))
            continue;
        l->out = m->from == rank;
        if (!fill(p, l, m))
            return tt_part_nomem(err);
        x->box[x->n++] = (struct tt_link_box){.peer = l->out ? m->to : m->from,
                                              .out = l->out,
                                              .data = l->data,
                                              .n = l->n};
    }
    *c = (struct tt_call){.what = &what_xfer, .unit = x};
    return TT_OK;
}
