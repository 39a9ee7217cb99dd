/* SPDX-License-Identifier: MIT */
/* Courses of inputs over a step, from the values of past instants. */
#include <string.h>

#include "approx/model.h"
#include "player/part_impl.h"

struct course_call {
    tt_part *part;
    tt_unit *unit;
    struct tt_span span;
    struct tt_poly *poly;            /* one per element */
    const struct tt_course **course; /* one per port */
    const double **begin; /* ... the guess a line begins at, or NULL */
    struct tt_poly *next; /* pieces of each element; NULL: none follows */
    struct tt_wave_room room;
    uint32_t order; /* of them */
    uint32_t interpolate, guess;
    uint8_t from, to; /* time registers */
};

struct tt_past *tt_past_of(const tt_part *p, const struct tt_course *c)
{
    return (struct tt_past *)(void *)(p->values->value + c->history);
}

/* One element's past: n instants t[k] with values v[k], newest first, and rates
 * r[k], which only Hermite courses have. */
struct known {
    const double *t, *v, *r;
    uint32_t n;
};

static struct known known_of(const tt_part *p, const struct tt_course *c,
                             uint32_t element)
{
    const struct tt_past *past = tt_past_of(p, c);
    const double *v = past->value + (size_t)element * c->depth;
    const double *r = v;

    if (c->kind == TT_COURSE_HERMITE)
        r += (size_t)c->depth * p->plan->slot[c->slot].n;
    return (struct known){p->values->t, v, r, past->n ? past->n : 1};
}

/* Points a polynomial goes through; a repeated time brings its rate. */
struct points {
    double t[TT_POLY_MAX + 1], v[TT_POLY_MAX + 1], r[TT_POLY_MAX + 1];
    uint32_t n;
};

static void add_point(struct points *p, double t, double v, double r)
{
    p->t[p->n] = t;
    p->v[p->n] = v;
    p->r[p->n++] = r;
}

static struct tt_poly through(const struct points *p)
{
    return tt_poly_hermite(p->t, p->v, p->r, p->n);
}

/* Of this step. */
static uint32_t order_of(const tt_part *p, const struct tt_course *c)
{
    uint32_t order = c->order + p->bend.more;

    if (c->kind != TT_COURSE_VALUES)
        return c->order;
    if (!c->stated && order > p->bend.most)
        order = p->bend.most;
    return order < c->depth ? order : c->depth - 1;
}

void tt_part_bend(tt_part *p, struct tt_bend b)
{
    p->bend = b;
}

/* --- extrapolation --------------------------------------------------------
 */

/* In the first step there is only one instant, which means hold. */
static struct tt_poly through_values(uint32_t order, const struct known *k)
{
    return tt_poly_through(k->t, k->v, k->n < order + 1 ? k->n : order + 1);
}

/* Each instant counts twice: by its value and by its rate. */
static struct tt_poly through_rates(const struct tt_course *c,
                                    const struct known *k)
{
    struct points at = {.n = 0};

    for (uint32_t i = 0; i < 2 * k->n && at.n <= c->order; i++)
        add_point(&at, k->t[i / 2], k->v[i / 2], k->r[i / 2]);
    return through(&at);
}

/* Where n past values lead at time t. */
static double lead(const double *t, const double *v, uint32_t n, double at)
{
    struct tt_poly p = tt_poly_through(t, v, n);

    return tt_poly_at(&p, at);
}

/* From where the last course ended (what the values before the newest led to)
 * to where all of them lead now. */
static struct tt_poly carry_on(const struct tt_course *c, const struct known *k,
                               double end)
{
    uint32_t most = c->depth - 1;
    double from =
        k->n > 1 ? lead(k->t + 1, k->v + 1, k->n - 1, k->t[0]) : k->v[0];
    double to = lead(k->t, k->v, k->n < most ? k->n : most, end);

    return tt_poly_through((double[]){k->t[0], end}, (double[]){from, to}, 2);
}

static struct tt_poly extrapolate(const tt_part *p, const struct tt_course *c,
                                  uint32_t element, double end)
{
    struct known k = known_of(p, c, element);
    const struct tt_model *m;

    switch (c->kind) {
    case TT_COURSE_HERMITE:
        return through_rates(c, &k);
    case TT_COURSE_CONTINUOUS:
        return carry_on(c, &k, end);
    case TT_COURSE_MODEL:
        m = tt_past_model(tt_past_of(p, c), c, p->plan->slot[c->slot].n);
        if (m[element].n)
            return tt_model_course(&m[element], end, c->order);
        break;
    case TT_COURSE_VALUES:
    case TT_COURSE_COUPLED:
    case TT_COURSE_WAVE:
        break;
    }
    return through_values(order_of(p, c), &k);
}

void tt_course_predict(const tt_part *p, uint32_t slot, double t, double *value)
{
    const struct tt_course *c = &p->plan->course[p->plan->slot[slot].course];

    for (uint32_t e = 0; e < p->plan->slot[slot].n; e++) {
        struct tt_poly poly = extrapolate(p, c, e, t);

        value[e] = tt_poly_at(&poly, t);
    }
}

void tt_part_predict(const tt_part *p, uint32_t slot, double t, double *value)
{
    const struct tt_slot *s = &p->plan->slot[slot];

    if (s->course == TT_NONE)
        memcpy(value, tt_part_value(p, slot), s->n * sizeof(*value));
    else
        tt_course_predict(p, slot, t, value);
}

/* --- interpolation --------------------------------------------------------
 */

/* From the exchanged value at the start to the new value at the end, and with
 * higher orders along the rate at the start and through the values before. */
static struct tt_poly interpolate(const tt_part *p, const struct tt_course *c,
                                  uint32_t element, double t1, double end)
{
    struct known k = known_of(p, c, element);
    struct points at = {.n = 0};
    uint32_t order = order_of(p, c);

    if (order == 0) /* held, at what has come */
        return tt_poly_through(&t1, &end, 1);
    add_point(&at, k.t[0], k.v[0], 0);
    if (c->kind == TT_COURSE_HERMITE && order > 1)
        add_point(&at, k.t[0], k.v[0], k.r[0]);
    add_point(&at, t1, end, 0);
    for (uint32_t i = 1; i < k.n && at.n <= order; i++)
        add_point(&at, k.t[i], k.v[i], 0);
    return through(&at);
}

/* Between two guesses of a coupling. */
static struct tt_poly between(const tt_part *p, const struct tt_course *c,
                              double first, double t0, double t1, double end)
{
    const struct tt_feed *f = &p->plan->feed[p->plan->slot[c->slot].feed];

    first *= c->begins_by;
    if (f->how == TT_FEED_LINEAR)
        first = f->factor * first + f->offset;
    return tt_poly_through((double[]){t0, t1}, (double[]){first, end}, 2);
}

/* Along what its source did, in the turn before or in this one. 0: that is not
 * known. */
static int follow(const struct course_call *cc, const struct tt_course *c,
                  uint32_t element, double t0, double t1, double end,
                  struct tt_poly *next, struct tt_poly *course)
{
    const tt_part *p = cc->part;
    const struct tt_feed *f = &p->plan->feed[p->plan->slot[c->slot].feed];
    int scaled = f->how == TT_FEED_LINEAR;
    const struct tt_wave_ends e = {.t0 = t0,
                                   .t1 = t1,
                                   .begin = known_of(p, c, element).v[0],
                                   .end = end,
                                   .factor = scaled ? f->factor : 1,
                                   .offset = scaled ? f->offset : 0,
                                   .order = cc->order};

    return c->wave != TT_NONE &&
           tt_wave_course(p, c->wave, element, (int)cc->guess, &e, &cc->room,
                          course, next);
}

/* --- the call --------------------------------------------------------------
 */

static enum tt_call_result give(const struct course_call *cc,
                                const struct tt_now *now)
{
    enum tt_code rc = tt_unit_course(cc->unit, &cc->span, cc->poly, now->words);

    return rc == TT_OK ? TT_CALL_OK : TT_CALL_FAILED;
}

/* What leaps at the end of a step leaps for the next one: a source that has
 * just changed its mode is not approached, as one that leaps by its own words
 * is only up to its limit from the left. */
static int ends_at_new_value(const struct course_call *cc,
                             const struct tt_course *c)
{
    return cc->interpolate && (cc->guess || !tt_mode_changed(cc->part, c));
}

static enum tt_call_result play_course(const struct tt_call *c,
                                       struct tt_now *now)
{
    const struct course_call *cc = c->unit;
    tt_part *p = cc->part;
    struct tt_poly *poly = cc->poly, *next = cc->next;
    double t0 = cc->from == TT_S0 ? now->t[TT_S0] : p->values->t[0];
    double t1 = now->t[cc->to];

    for (size_t i = 0; i < cc->span.n; i++) {
        const struct tt_course *course = cc->course[i];
        const struct tt_slot *slot = &p->plan->slot[course->slot];
        const double *value = tt_part_value(p, course->slot);
        int to_value = ends_at_new_value(cc, course);

        for (uint32_t e = 0; e < slot->n; e++, poly++) {
            if (!to_value ||
                !follow(cc, course, e, t0, t1, value[e], next, poly))
                *poly = cc->begin[i] ? between(p, course, *cc->begin[i], t0, t1,
                                               value[e])
                        : to_value   ? interpolate(p, course, e, t1, value[e])
                                     : extrapolate(p, course, e, t1);
            next += next ? TT_POLY_PIECES - 1 : 0;
        }
    }
    return give(cc, now);
}

static const struct tt_what what_course = {.fn = play_course,
                                           .verb = TT_VERB_OTHER};

/* Room for pieces, if an input's course may have some. 0: out of memory. */
static int make_pieces(tt_part *p, struct course_call *cc, const tt_unit *u,
                       uint32_t elements)
{
    int any = 0;

    for (size_t i = 0; i < cc->span.n; i++)
        any |= cc->course[i]->wave != TT_NONE;
    if (!any)
        return 1;
    cc->order = u->desc->caps.course_order;
    cc->next = tt_arena_alloc(p->arena, (size_t)elements * (TT_POLY_PIECES - 1),
                              sizeof(*cc->next));
    return cc->next && tt_wave_room(p, &cc->room);
}

enum tt_code tt_bind_course(tt_part *p, const struct tt_op *op,
                            struct tt_call *c, tt_err *err)
{
    const struct tt_batch *g = &p->score->batch[op->arg];
    struct course_call *cc = tt_arena_alloc(p->arena, 1, sizeof(*cc));
    uint32_t *port = tt_arena_alloc(p->arena, g->n, sizeof(*port));
    uint32_t elements = 0;

    if (!cc || !port)
        return tt_part_nomem(err);
    cc->course = tt_arena_alloc(p->arena, g->n, sizeof(void *));
    cc->begin = tt_arena_alloc(p->arena, g->n, sizeof(void *));
    if (!cc->course || !cc->begin)
        return tt_part_nomem(err);
    for (uint32_t k = 0; k < g->n; k++) {
        const struct tt_slot *s =
            &p->plan->slot[p->score->member[g->first + k]];

        port[k] = s->port;
        cc->course[k] = &p->plan->course[s->course];
        if (cc->course[k]->kind == TT_COURSE_COUPLED)
            cc->begin[k] = p->guess_at[cc->course[k]->begins_at];
        elements += s->n;
    }
    cc->poly = tt_arena_alloc(p->arena, elements, sizeof(*cc->poly));
    cc->part = p;
    cc->unit = p->unit[op->unit];
    cc->span = (struct tt_span){.port = port, .n = g->n};
    if (!cc->poly || !make_pieces(p, cc, cc->unit, elements))
        return tt_part_nomem(err);
    cc->interpolate = !!(op->flags & TT_OP_INTERPOLATE);
    cc->guess = !!(op->flags & TT_OP_GUESS);
    cc->from = (uint8_t)op->at;
    cc->to = (uint8_t)op->to;
    *c = (struct tt_call){.what = &what_course, .unit = cc};
    return TT_OK;
}
