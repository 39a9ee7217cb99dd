/* SPDX-License-Identifier: MIT */
/* Transfers: values of one rank's units into the frames of others. */
#include <string.h>

#include "player/event.h"
#include "player/ranks.h"

/* A message and where its values lie in the frame. The last byte states whether
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
    struct tt_text **text; /* elements in the frame; the bytes of long ones
                              follow the letter, one message each */
    uint32_t n_text;
};

struct xfer {
    tt_part *part;
    struct letter *letter;
    struct tt_link_box *box, *more; /* more: of long texts, NULL: none moves */
    uint32_t n;                     /* this rank's */
};

static int concerns(const struct tt_message *m, uint32_t rank)
{
    return m->from == rank || m->to == rank;
}

static tt_texts *texts_of(const tt_part *p)
{
    return p->unit[0]->texts;
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

/* --- long texts ------------------------------------------------------------
 */

/* Room for all that come, in one block. */
static int make_room(struct xfer *x)
{
    size_t n = 1;
    char *more;

    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t k = 0; !x->letter[i].out && k < x->letter[i].n_text; k++)
            if (tt_bytes_is_cut(x->letter[i].text[k]))
                n += x->letter[i].text[k]->n;
    if (n <= x->part->n_incoming)
        return 1;
    more = tt_resize(x->part->incoming, n, 1);
    if (!more)
        return 0;
    x->part->incoming = more;
    x->part->n_incoming = n;
    return 1;
}

/* One box for each, in the order that both sides know. */
static enum tt_code fill_boxes(struct xfer *x, uint32_t *n, tt_err *err)
{
    char *to = x->part->incoming;

    for (uint32_t i = 0; i < x->n; i++) {
        struct letter *l = &x->letter[i];

        for (uint32_t k = 0; k < l->n_text; k++) {
            struct tt_link_box *b = &x->more[*n];
            const char *from;

            if (!tt_bytes_is_cut(l->text[k]))
                continue;
            from =
                l->out ? tt_text_data(texts_of(x->part), l->text[k], err) : to;
            if (!from)
                return TT_EUNSUPPORTED;
            *b = x->box[i];
            b->data = (void *)(uintptr_t)from; /* what goes is only read */
            b->n = l->text[k]->n;
            to += l->out ? 0 : b->n;
            ++*n;
        }
    }
    return TT_OK;
}

static enum tt_code put_texts(struct xfer *x, tt_err *err)
{
    const char *at = x->part->incoming;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t k = 0; !x->letter[i].out && k < x->letter[i].n_text;
             k++) {
            struct tt_text *t = x->letter[i].text[k];
            uint32_t n = t->n;

            if (rc != TT_OK || !tt_bytes_is_cut(t))
                continue;
            rc = tt_text_put(texts_of(x->part), t, at, n, err);
            at += n;
        }
    return rc;
}

static enum tt_code move_texts(struct xfer *x, tt_err *err)
{
    tt_link *link = x->part->ranks->link;
    uint32_t n = 0;
    enum tt_code rc;

    if (!make_room(x))
        return tt_nomem(err, "texts of other ranks");
    rc = fill_boxes(x, &n, err);
    if (rc == TT_OK && n)
        rc = link->ops->move(link, x->more, n, err);
    return rc == TT_OK ? put_texts(x, err) : rc;
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
    if (x->more && move_texts(x, now->words))
        return TT_CALL_FAILED;
    return TT_CALL_OK;
}

static const struct tt_what what_xfer = {.fn = play_xfer,
                                         .verb = TT_VERB_OTHER};

int tt_is_xfer(const struct tt_call *c)
{
    return c->what == &what_xfer;
}

static int list_texts(tt_part *p, struct letter *l, const struct tt_message *m)
{
    for (int fill = 0; fill < 2; fill++) {
        if (fill)
            l->text = tt_arena_alloc(p->arena, l->n_text, sizeof(*l->text));
        if (fill && !l->text)
            return 0;
        l->n_text = 0;
        for (uint32_t k = 0; k < m->n; k++) {
            const struct tt_slot *s =
                &p->plan->slot[p->score->member[m->first + k]];

            if (!tt_type_is_text(s->type))
                continue;
            for (uint32_t e = 0; e < s->n; e++, l->n_text++)
                if (fill)
                    l->text[l->n_text] =
                        (struct tt_text *)(void *)(p->values->value +
                                                   s->offset) +
                        e;
        }
    }
    return 1;
}

/* Neighbours in the frame go as one piece. */
static void add_piece(struct letter *l, unsigned char *at, uint32_t n)
{
    struct piece *last = l->n_piece ? &l->piece[l->n_piece - 1] : NULL;

    if (last && last->at + last->n == at)
        last->n += n;
    else
        l->piece[l->n_piece++] = (struct piece){at, n};
    l->n += n;
}

static int is_of_event(const tt_part *p, const struct tt_op *op)
{
    uint32_t first = p->score->section[TT_SEC_EVENT].first;
    uint32_t at = (uint32_t)(op - p->score->op);

    return at >= first && at < first + p->score->section[TT_SEC_EVENT].n;
}

/* In an event also whether values that come with a clock are there. */
static int fill(tt_part *p, struct letter *l, const struct tt_message *m,
                int event)
{
    const uint32_t *slot = p->score->member + m->first;

    if (!TT_NEW_IN(p->arena, l->piece, (size_t)2 * m->n))
        return 0;
    l->n = 1;
    for (uint32_t k = 0; k < m->n; k++) {
        const struct tt_slot *s = &p->plan->slot[slot[k]];

        add_piece(l, p->values->value + s->offset,
                  s->n * (uint32_t)tt_type_size(s->type));
    }
    for (uint32_t k = 0; event && k < m->n; k++)
        if (p->plan->slot[slot[k]].event_only)
            add_piece(l,
                      tt_events_flag(p->events) +
                          tt_flag_of_slot(p->plan, slot[k]),
                      1);
    l->data = tt_arena_alloc(p->arena, l->n, 1);
    return l->data != NULL && list_texts(p, l, m);
}

enum tt_code tt_bind_xfer(tt_part *p, const struct tt_op *op, struct tt_call *c,
                          tt_err *err)
{
    const struct tt_xfer *of = &p->score->xfer[op->arg];
    struct xfer *x = tt_arena_alloc(p->arena, 1, sizeof(*x));
    uint32_t rank = p->ranks->link->rank, n_text = 0;

    if (!x)
        return tt_part_nomem(err);
    x->part = p;
    if (!TT_NEW_IN(p->arena, x->letter, of->n) ||
        !TT_NEW_IN(p->arena, x->box, of->n))
        return tt_part_nomem(err);
    for (uint32_t i = of->first; i < of->first + of->n; i++) {
        const struct tt_message *m = &p->score->message[i];
        struct letter *l = &x->letter[x->n];

        if (!concerns(m, rank))
            continue;
        l->out = m->from == rank;
        if (!fill(p, l, m, is_of_event(p, op)))
            return tt_part_nomem(err);
        x->box[x->n++] = (struct tt_link_box){.peer = l->out ? m->to : m->from,
                                              .out = l->out,
                                              .data = l->data,
                                              .n = l->n};
    }
    for (uint32_t i = 0; i < x->n; i++)
        n_text += x->letter[i].n_text;
    if (n_text) {
        if (!TT_NEW_IN(p->arena, x->more, n_text))
            return tt_part_nomem(err);
    }
    *c = (struct tt_call){.what = &what_xfer, .unit = x};
    return TT_OK;
}
