/* SPDX-License-Identifier: MIT */
/* What inputs did in the past, as far as courses want to know: values and
 * derivatives at the last instants, none from before a discontinuity. */
#include <string.h>

#include "approx/model.h"
#include "player/part_impl.h"

static const struct tt_feed *feed_of(const tt_part *p,
                                     const struct tt_course *c)
{
    return &p->plan->feed[p->plan->slot[c->slot].feed];
}

static size_t size_of(const tt_part *p, uint32_t slot)
{
    return tt_type_size(p->plan->slot[slot].type) * p->plan->slot[slot].n;
}

/* --- predictors ----------------------------------------------------------- */

static void teach(const tt_part *p, const struct tt_course *c, double t,
                  int leapt)
{
    const double *now = tt_part_value(p, c->slot);
    uint32_t n = p->plan->slot[c->slot].n;
    struct tt_model *m = tt_past_model(tt_past_of(p, c), c, n);

    for (uint32_t e = 0; e < n; e++)
        if (leapt)
            tt_model_begin(&m[e], t, now[e]);
        else
            tt_model_add(&m[e], t, now[e]);
}

/* Its newest value is another one, and all before it may not count. */
static void unteach(const tt_part *p, const struct tt_course *c, int leapt)
{
    const double *now = tt_part_value(p, c->slot);
    uint32_t n = p->plan->slot[c->slot].n;
    struct tt_model *m = tt_past_model(tt_past_of(p, c), c, n);

    for (uint32_t e = 0; e < n; e++) {
        tt_model_amend(&m[e], now[e]);
        if (leapt)
            tt_model_forget(&m[e]);
    }
}

/* --- discontinuities ------------------------------------------------------ */

static int changed(const tt_part *p, const struct tt_mode *m)
{
    return memcmp(p->values->value + m->kept, tt_part_value(p, m->slot),
                  size_of(p, m->slot)) != 0;
}

int tt_mode_changed(const tt_part *p, const struct tt_course *c)
{
    const struct tt_feed *f = feed_of(p, c);
    const struct tt_plan_unit *u = &p->plan->unit[p->plan->slot[f->from].unit];

    if (f->left != f->from)
        return 0;
    for (uint32_t i = 0; i < u->n_mode; i++)
        if (changed(p, &p->plan->mode[u->mode + i]))
            return 1;
    return 0;
}

/* Did an input's source leap at this instant? It states it itself, or its
 * unit's discrete outputs do. */
static int source_leapt(const tt_part *p, const struct tt_course *c)
{
    const struct tt_feed *f = feed_of(p, c);

    if (f->left != f->from)
        return memcmp(tt_part_value(p, f->left), tt_part_value(p, f->from),
                      size_of(p, f->from)) != 0;
    return tt_mode_changed(p, c);
}

static void keep_modes(const tt_part *p)
{
    for (uint32_t i = 0; i < p->plan->n_mode; i++) {
        const struct tt_mode *m = &p->plan->mode[i];

        memcpy(p->values->value + m->kept, tt_part_value(p, m->slot),
               size_of(p, m->slot));
    }
}

void tt_part_forget(tt_part *p, const tt_unit *u)
{
    for (uint32_t i = 0; i < p->plan->n_course; i++) {
        const struct tt_course *c = &p->plan->course[i];
        struct tt_past *past = tt_past_of(p, c);
        uint32_t unit = p->plan->slot[feed_of(p, c)->from].unit;

        if ((u && p->unit[unit] != u) || past->n <= 1)
            continue;
        past->n = 1;
        if (c->kind == TT_COURSE_MODEL)
            unteach(p, c, 1);
    }
}

/* --- derivatives ---------------------------------------------------------- */

/* The newest derivatives of one input's elements, in its own physical unit. */
static enum tt_code read_rates(tt_part *p, const struct tt_course *c,
                               tt_err *err)
{
    const struct tt_feed *f = feed_of(p, c);
    const struct tt_slot *from = &p->plan->slot[f->from];
    double factor = f->how == TT_FEED_LINEAR ? f->factor : 1;
    tt_unit *u = p->unit[from->unit];
    double *rate = tt_past_of(p, c)->value + (size_t)c->depth * from->n;
    size_t size = tt_type_size(from->type);
    uint32_t playing = tt_pause_playing(u);
    enum tt_code rc = tt_ask_rates(
        p, from->unit, &(struct tt_span){&from->port, 1, p->rates}, err);

    tt_resume_playing(u, playing);
    for (uint32_t e = 0; rc == TT_OK && e < from->n; e++)
        rate[(size_t)e * c->depth] =
            factor *
            tt_value_as_double(from->type, (const char *)p->rates + e * size);
    return rc;
}

/* A unit that is not initialised yet has none. */
enum tt_code tt_part_rates(tt_part *p, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < p->plan->n_course && rc == TT_OK; i++) {
        const struct tt_course *c = &p->plan->course[i];
        uint32_t unit = p->plan->slot[feed_of(p, c)->from].unit;

        if (c->kind == TT_COURSE_HERMITE && p->unit[unit]->life != TT_LIFE_INIT)
            rc = read_rates(p, c, err);
    }
    return rc;
}

/* --- commit --------------------------------------------------------------- */

static void push(const tt_part *p, const struct tt_course *c, int leapt)
{
    struct tt_past *past = tt_past_of(p, c);
    const double *now = tt_part_value(p, c->slot);
    uint32_t n = p->plan->slot[c->slot].n;
    uint32_t rows = c->kind == TT_COURSE_HERMITE ? 2 * n : n;

    for (uint32_t e = 0; e < rows; e++) {
        double *v = past->value + (size_t)e * c->depth;

        memmove(v + 1, v, (c->depth - 1) * sizeof(*v));
        v[0] = e < n ? now[e] : 0;
    }
    if (leapt)
        past->n = 1;
    else if (past->n < c->depth)
        past->n++;
}

/* The values of this instant stand: push them into the pasts. */
static enum tt_call_result play_commit(const struct tt_call *c,
                                       struct tt_now *now)
{
    tt_part *p = c->unit;
    struct tt_values *f = p->values;

    for (uint32_t i = 0; i < p->plan->n_course; i++) {
        const struct tt_course *of = &p->plan->course[i];
        int leapt = source_leapt(p, of);

        push(p, of, leapt);
        if (of->kind == TT_COURSE_MODEL)
            teach(p, of, now->t[c->to], leapt);
    }
    keep_modes(p);
    memmove(f->t + 1, f->t, TT_POLY_MAX * sizeof(*f->t));
    f->t[0] = now->t[c->to];
    return tt_part_rates(p, p->cold) == TT_OK ? TT_CALL_OK : TT_CALL_FAILED;
}

enum tt_code tt_part_recommit(tt_part *p, tt_err *err)
{
    for (uint32_t i = 0; i < p->plan->n_course; i++) {
        const struct tt_course *c = &p->plan->course[i];
        struct tt_past *past = tt_past_of(p, c);
        const double *now = tt_part_value(p, c->slot);
        int leapt = source_leapt(p, c);

        for (uint32_t e = 0; e < p->plan->slot[c->slot].n; e++)
            past->value[(size_t)e * c->depth] = now[e];
        if (leapt)
            past->n = 1;
        if (c->kind == TT_COURSE_MODEL)
            unteach(p, c, leapt);
    }
    keep_modes(p);
    return tt_part_rates(p, err);
}

/* Room for the derivatives of the largest source. */
static int make_room(tt_part *p)
{
    size_t most = 0;

    for (uint32_t i = 0; i < p->plan->n_course; i++) {
        size_t size = size_of(p, feed_of(p, &p->plan->course[i])->from);

        if (p->plan->course[i].kind == TT_COURSE_HERMITE && size > most)
            most = size;
    }
    if (!p->rates)
        p->rates = tt_arena_alloc(p->arena, most, 1);
    return p->rates != NULL;
}

enum tt_code tt_bind_commit(tt_part *p, struct tt_call *c, tt_err *err)
{
    static const struct tt_what commit = {.fn = play_commit,
                                          .verb = TT_VERB_OTHER};

    if (!make_room(p))
        return tt_part_nomem(err);
    *c = (struct tt_call){.what = &commit, .unit = p};
    return TT_OK;
}
