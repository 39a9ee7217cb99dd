/* SPDX-License-Identifier: MIT */
/* What outputs did within a step, for the inputs whose courses follow them.
 *
 * A unit that has stepped hands over what it noted (unit/trail.h). Inputs that
 * are set after that follow it at once. Those that were set before follow it in
 * the next turn of the loop around the step: what is noted in a turn is kept
 * apart from what the turn follows, until the solver has looked at both. */
#include <math.h>
#include <string.h>

#include "player/part_impl.h"

/* Points of a step, and its two ends. Closer than this part of the step they
 * would make a curve of rounding errors. */
#define MOST   ((uint32_t)TT_POLY_PIECES - 1)
#define CLOSER 1e-6

struct points {
    int there;
    double t0, t1;
    uint32_t n;
    double *t; /* MOST */
    double *v; /* MOST rows */
};

struct tt_waves { /* of one unit */
    const tt_part *part;
    tt_unit *unit;
    uint32_t first, n; /* its waves in the plan */
    uint32_t width;    /* of a row */
    struct points side[2];
    uint32_t fresh;      /* the one that is noted; the other is followed */
    double *begin, *end; /* width: where the loop began, the last turn ended */
    uint64_t points;     /* that were noted at all */
    uint64_t thinned;    /* steps with more points than there is room for */
    double thinned_at;   /* the end of the first of them */
    struct tt_wave_room room;
    struct tt_poly *piece; /* scratch */
};

static struct points *noted(struct tt_waves *w)
{
    return &w->side[w->fresh];
}

static const struct points *followed(const struct tt_waves *w)
{
    return &w->side[!w->fresh];
}

/* --- after a step --------------------------------------------------------- */

/* Where a row goes, or NULL: it is left out. Both limits of a leap stay, and
 * so does a limit rather than what is close to it. */
static double *add(struct points *p, const struct tt_trail_rows *r, size_t i,
                   uint32_t width)
{
    double t = r->time[i], before = p->n ? p->t[p->n - 1] : p->t0;
    int right = i > 0 && r->time[i - 1] == t;
    int left = !right && i + 1 < r->n && r->time[i + 1] == t;
    int close = t - before < CLOSER * (p->t1 - p->t0);
    int begins = p->n < 2 || p->t[p->n - 2] == before;

    if (close && !right && !left)
        return NULL;
    p->n -= close && left && p->n && !begins;
    if (p->n >= MOST - !right) /* room for the other limit */
        return NULL;
    p->t[p->n] = t;
    return p->v + (size_t)p->n++ * width;
}

static int is_leap(const struct tt_trail_rows *r, size_t i)
{
    return (i > 0 && r->time[i - 1] == r->time[i]) ||
           (i + 1 < r->n && r->time[i + 1] == r->time[i]);
}

/* The rows between the ends, or so many of them as there is room for. */
static void take(struct tt_waves *w, const struct tt_trail_rows *r)
{
    struct points *p = noted(w);
    size_t from = 0, to = r->n, every;

    while (from < to && !(r->time[from] > p->t0))
        from++;
    while (to > from && !(r->time[to - 1] < p->t1))
        to--;
    every = (to - from + MOST - 2) / (MOST - 1);
    for (size_t i = from; i < to; i++) {
        double *row = (i - from) % every == 0 || is_leap(r, i)
                          ? add(p, r, i, w->width)
                          : NULL;

        if (row)
            memcpy(row, r->value + i * r->width, w->width * sizeof(*row));
    }
    if (p->n && p->t1 - p->t[p->n - 1] < CLOSER * (p->t1 - p->t0) &&
        (p->n < 2 || p->t[p->n - 2] != p->t[p->n - 1]))
        p->n--;
    w->points += p->n;
    if (every < 2 && !r->lost)
        return;
    w->thinned_at = w->thinned ? w->thinned_at : p->t1;
    w->thinned++;
}

static enum tt_call_result play_note(const struct tt_call *c,
                                     struct tt_now *now)
{
    struct tt_waves *w = c->unit;
    struct points *p = noted(w);
    struct tt_trail_rows r;

    if (tt_unit_trail(w->unit, w->part->trails_taken, &r, now->words) != TT_OK)
        return TT_CALL_FAILED;
    p->there = 1;
    p->t0 = now->t[c->from];
    p->t1 = now->t[c->to];
    p->n = 0;
    take(w, &r);
    return TT_CALL_OK;
}

int tt_bind_note(const tt_part *p, uint32_t unit, struct tt_call *c)
{
    static const struct tt_what what_note = {.fn = play_note,
                                             .verb = TT_VERB_OTHER};

    if (!p->waves || !p->waves[unit])
        return 0;
    *c = (struct tt_call){.what = &what_note, .unit = p->waves[unit]};
    return 1;
}

/* Its first element in a row; TT_NONE: it is not there. */
static uint32_t first_of(const struct tt_waves *w, uint32_t slot)
{
    const struct tt_plan_wave *wave = w->part->plan->wave;

    for (uint32_t i = w->first; i < w->first + w->n; i++)
        if (wave[i].slot == slot)
            return wave[i].first;
    return TT_NONE;
}

/* --- turns ---------------------------------------------------------------- */

static void copy_values(const struct tt_waves *w, double *to)
{
    const tt_plan *plan = w->part->plan;

    for (uint32_t i = w->first; i < w->first + w->n; i++)
        memcpy(to + plan->wave[i].first,
               tt_part_value(w->part, plan->wave[i].slot),
               plan->slot[plan->wave[i].slot].n * sizeof(*to));
}

void tt_waves_begin(struct tt_waves *w)
{
    w->side[0].there = w->side[1].there = 0;
    copy_values(w, w->begin);
}

void tt_waves_turn(struct tt_waves *w)
{
    w->fresh = !w->fresh;
    copy_values(w, w->end);
}

/* --- courses -------------------------------------------------------------- */

int tt_wave_room(tt_part *p, struct tt_wave_room *room)
{
    room->t = tt_arena_alloc(p->arena, 2 * ((size_t)MOST + 2), sizeof(double));
    room->v = room->t ? room->t + MOST + 2 : NULL;
    return room->t != NULL;
}

/* Through what is known of an element, and its values at both ends. */
static struct tt_poly along(const struct points *p, const double *v,
                            uint32_t width, const struct tt_wave_ends *e,
                            const struct tt_wave_room *room,
                            struct tt_poly *next)
{
    uint32_t n = 0;

    room->t[n] = p->t0;
    room->v[n++] = e->begin;
    for (uint32_t i = 0; i < p->n; i++) {
        double x = e->factor * v[(size_t)i * width] + e->offset;

        if (isnan(x)) /* not known at this time */
            continue;
        room->t[n] = p->t[i];
        room->v[n++] = x;
    }
    room->t[n] = p->t1;
    room->v[n++] = e->end;
    return tt_poly_along(room->t, room->v, n, e->order, next);
}

int tt_wave_course(const tt_part *p, uint32_t wave, uint32_t element, int guess,
                   const struct tt_wave_ends *e,
                   const struct tt_wave_room *room, struct tt_poly *course,
                   struct tt_poly *next)
{
    const struct tt_plan_wave *is = &p->plan->wave[wave];
    const struct tt_waves *w = p->waves[p->plan->slot[is->slot].unit];
    const struct points *at = &w->side[guess ? !w->fresh : w->fresh];

    if (!at->there || at->t0 != e->t0 || at->t1 != e->t1)
        return 0;
    *course = along(at, at->v + is->first + element, w->width, e, room, next);
    return 1;
}

/* --- do they agree? ------------------------------------------------------- */

int tt_wave_agrees(const tt_part *p, uint32_t slot, uint32_t element,
                   double atol, double rtol, double *off)
{
    const struct tt_waves *w = p->waves[p->plan->slot[slot].unit];
    const struct points *was = followed(w), *is = &w->side[w->fresh];
    uint32_t at = first_of(w, slot) + element, agree = 1;
    const struct tt_wave_ends e = {.begin = w->begin[at],
                                   .end = w->end[at],
                                   .factor = 1,
                                   .order = TT_POLY_MAX};
    struct tt_poly course;

    if (!was->there)
        return 0;
    course = along(was, was->v + at, w->width, &e, &w->room, w->piece);
    for (uint32_t i = 0; i < is->n; i++) {
        double x = is->v[(size_t)i * w->width + at];
        double d = fabs(x - tt_poly_at(&course, is->t[i]));

        agree &= !(d > atol + rtol * fabs(x));
        *off = d > *off ? d : *off;
    }
    return (int)agree;
}

/* --- making --------------------------------------------------------------- */

struct tt_waves *tt_waves_of(const tt_part *p, uint32_t slot)
{
    struct tt_waves *w = p->waves ? p->waves[p->plan->slot[slot].unit] : NULL;

    return w && first_of(w, slot) != TT_NONE ? w : NULL;
}

static int make_side(tt_part *p, struct points *side, uint32_t width)
{
    side->t = tt_arena_alloc(p->arena, MOST, sizeof(double));
    side->v = tt_arena_alloc(p->arena, (size_t)MOST * width, sizeof(double));
    return side->t && side->v;
}

static int make_waves(tt_part *p, uint32_t first, uint32_t n)
{
    struct tt_waves *w = tt_arena_alloc(p->arena, 1, sizeof(*w));
    uint32_t unit = p->plan->slot[p->plan->wave[first].slot].unit;
    const struct tt_plan_wave *last = &p->plan->wave[first + n - 1];

    if (!w)
        return 0;
    w->part = p;
    w->unit = p->unit[unit];
    w->first = first;
    w->n = n;
    w->width = last->first + p->plan->slot[last->slot].n;
    w->begin = tt_arena_alloc(p->arena, 2 * (size_t)w->width, sizeof(double));
    w->piece = tt_arena_alloc(p->arena, TT_POLY_PIECES, sizeof(*w->piece));
    if (!w->begin || !w->piece || !make_side(p, &w->side[0], w->width) ||
        !make_side(p, &w->side[1], w->width) || !tt_wave_room(p, &w->room))
        return 0;
    w->end = w->begin + w->width;
    p->waves[unit] = w;
    return 1;
}

int tt_waves_new(tt_part *p)
{
    const tt_plan *plan = p->plan;
    uint32_t n;

    if (!plan->n_wave)
        return 1;
    if (!TT_NEW_IN(p->arena, p->waves, plan->n_unit))
        return 0;
    for (uint32_t i = 0; i < plan->n_wave; i += n) {
        for (n = 1; i + n < plan->n_wave && plan->wave[i + n].first; n++)
            ;
        if (!make_waves(p, i, n))
            return 0;
    }
    return 1;
}

int tt_part_unfollowed(const tt_part *p, uint32_t unit)
{
    return p->waves && p->waves[unit] && !p->waves[unit]->points;
}

uint64_t tt_part_thinned(const tt_part *p, uint32_t *unit, double *t)
{
    uint64_t n = 0;

    for (uint32_t u = 0; p->waves && u < p->plan->n_unit; u++) {
        const struct tt_waves *w = p->waves[u];

        if (!w || !w->thinned)
            continue;
        *unit = n ? *unit : u;
        *t = n ? *t : w->thinned_at;
        n += w->thinned;
    }
    return n;
}
