/* SPDX-License-Identifier: MIT */
/* Courses of inputs over a step, from the values of past instants. */
#include <string.h>

#include "player/part_impl.h"

struct course_call {
    tt_part *part;
    tt_unit *unit;
    struct tt_span span;
    struct tt_poly *poly;            /* one per element */
    const struct tt_course **course; /* one per port */
    uint32_t interpolate;
    uint8_t from, to; /* time registers */
};

static double *history(const tt_part *p, const struct tt_course *c)
{
    return (double *)(void *)(p->frame->value + c->history);
}

/* Through the exchanged values of the last instants; in the first step there
 * is only one, and every order means hold. */
static struct tt_poly extrapolate(const struct tt_frame *f,
                                  const struct tt_course *c, const double *h)
{
    uint32_t n = f->n_t < c->order + 1 ? f->n_t : c->order + 1;

    return tt_poly_through(f->t, h, n ? n : 1);
}

void tt_course_predict(const tt_part *p, uint32_t slot, double t, double *value)
{
    const struct tt_course *c = &p->plan->course[p->plan->slot[slot].course];
    const double *h = history(p, c);

    for (uint32_t e = 0; e < p->plan->slot[slot].n; e++, h += c->order + 1) {
        struct tt_poly poly = extrapolate(p->frame, c, h);

        value[e] = tt_poly_at(&poly, t);
    }
}

/* From the exchanged value at the start to the new value at the end, and with
 * higher orders through the values before. */
static struct tt_poly interpolate(const struct course_call *cc,
                                  const struct tt_course *c,
                                  const struct tt_now *now, const double *h,
                                  double end)
{
    const struct tt_frame *f = cc->part->frame;
    double t[TT_POLY_MAX + 1] = {now->t[cc->from], now->t[cc->to]};
    double v[TT_POLY_MAX + 1] = {h[0], end};
    uint32_t n = 2;

    for (uint32_t k = 1; k < f->n_t && n < c->order + 1; k++, n++) {
        t[n] = f->t[k];
        v[n] = h[k];
    }
    return tt_poly_through(t, v, n);
}

static enum tt_call_result play_course(const struct tt_call *c,
                                       struct tt_now *now)
{
    const struct course_call *cc = c->unit;
    tt_part *p = cc->part;
    struct tt_poly *poly = cc->poly;

    for (size_t i = 0; i < cc->span.n; i++) {
        const struct tt_course *course = cc->course[i];
        const struct tt_slot *slot = &p->plan->slot[course->slot];
        const double *h = history(p, course);
        const double *value = tt_part_value(p, course->slot);

        for (uint32_t e = 0; e < slot->n; e++, h += course->order + 1)
            *poly++ = cc->interpolate
                          ? interpolate(cc, course, now, h, value[e])
                          : extrapolate(p->frame, course, h);
    }
    if (tt_unit_course(cc->unit, &cc->span, cc->poly, &p->cold) == TT_OK)
        return TT_CALL_OK;
    return TT_CALL_FAILED;
}

enum tt_code tt_bind_course(tt_part *p, const struct tt_op *op,
                            struct tt_call *c, tt_err *err)
{
    const struct tt_group *g = &p->score->group[op->arg];
    struct course_call *cc = tt_arena_alloc(p->arena, 1, sizeof(*cc));
    uint32_t *port = tt_arena_alloc(p->arena, g->n, sizeof(*port));
    uint32_t elements = 0;

    if (!cc || !port)
        return tt_part_nomem(err);
    cc->course = tt_arena_alloc(p->arena, g->n, sizeof(void *));
    if (!cc->course)
        return tt_part_nomem(err);
    for (uint32_t k = 0; k < g->n; k++) {
        const struct tt_slot *s =
            &p->plan->slot[p->score->member[g->first + k]];

        port[k] = s->port;
        cc->course[k] = &p->plan->course[s->course];
        elements += s->n;
    }
    cc->poly = tt_arena_alloc(p->arena, elements, sizeof(*cc->poly));
    if (!cc->poly)
        return tt_part_nomem(err);
    cc->part = p;
    cc->unit = p->unit[op->unit];
    cc->span = (struct tt_span){.port = port, .n = g->n};
    cc->interpolate = !!(op->flags & TT_OP_INTERPOLATE);
    cc->from = (uint8_t)op->at;
    cc->to = (uint8_t)op->to;
    c->fn = play_course;
    c->unit = cc;
    c->verb = TT_VERB_OTHER;
    return TT_OK;
}

/* The values of this instant stand: push them into the histories. */
static enum tt_call_result play_commit(const struct tt_call *c,
                                       struct tt_now *now)
{
    const tt_part *p = c->unit;
    struct tt_frame *f = p->frame;

    for (uint32_t i = 0; i < p->plan->n_course; i++) {
        const struct tt_course *course = &p->plan->course[i];
        const double *value = tt_part_value(p, course->slot);
        double *h = history(p, course);

        for (uint32_t e = 0; e < p->plan->slot[course->slot].n; e++) {
            memmove(h + 1, h, course->order * sizeof(*h));
            h[0] = value[e];
            h += course->order + 1;
        }
    }
    memmove(f->t + 1, f->t, TT_POLY_MAX * sizeof(*f->t));
    f->t[0] = now->t[c->to];
    if (f->n_t <= TT_POLY_MAX)
        f->n_t++;
    return TT_CALL_OK;
}

enum tt_code tt_bind_commit(tt_part *p, struct tt_call *c, tt_err *err)
{
    (void)err;
    c->fn = play_commit;
    c->unit = p;
    c->verb = TT_VERB_OTHER;
    return TT_OK;
}
