/* SPDX-License-Identifier: MIT */
#include "run/steplog.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "results/curves.h"

#define FILE_COLUMNS    8u
#define ORDER_COLUMNS   (1u + TT_SC_ORDERS_MAX) /* with a sequence */
#define PICTURE_COLUMNS 4u

struct tt_steplog {
    tt_observer *file;  /* borrowed, or NULL */
    tt_curves *picture; /* owned, or NULL */
    struct tt_rows file_rows, picture_rows;
    struct tt_column file_column[FILE_COLUMNS + ORDER_COLUMNS];
    struct tt_column picture_column[PICTURE_COLUMNS];
    /* the row at hand */
    uint64_t step, evaluations;
    double h, reached;
    uint32_t order;
    double error[TT_SC_ORDERS_MAX]; /* of each order; NaN: not known */
    struct tt_text outcome, limited_by, objector, reason;
    double stood, fell, end, turns; /* NaN: not this time */
    tt_err trouble;                 /* of the first row that failed */
};

enum { STOOD, FELL, END, TURNS }; /* picture columns */

int tt_steplog_is_worth_a_picture(const tt_scenario *s)
{
    return s->algorithm == TT_ALG_VARIABLE || s->iteration.turns ||
           s->iteration.converged;
}

uint32_t tt_steplog_orders(const tt_scenario *s)
{
    if (!tt_sc_sequences(&s->sequence))
        return 0;
    return s->sequence.n_order ? s->sequence.n_order : TT_SC_ORDERS_MAX;
}

static void name_columns(tt_steplog *l)
{
    const struct tt_column file[FILE_COLUMNS] = {
        {.name = "step", .type = TT_U64, .value = &l->step},
        {.name = "h", .type = TT_F64, .value = &l->h},
        {.name = "outcome", .type = TT_TEXT, .value = &l->outcome},
        {.name = "limited by", .type = TT_TEXT, .value = &l->limited_by},
        {.name = "objector", .type = TT_TEXT, .value = &l->objector},
        {.name = "reason", .type = TT_TEXT, .value = &l->reason},
        {.name = "evaluations", .type = TT_U64, .value = &l->evaluations},
        {.name = "reached", .type = TT_F64, .value = &l->reached},
    };
    const struct tt_column picture[PICTURE_COLUMNS] = {
        [STOOD] = {.name = "accepted", .type = TT_F64, .value = &l->stood},
        [FELL] = {.name = "rejected", .type = TT_F64, .value = &l->fell},
        [END] = {.name = "end", .type = TT_F64, .value = &l->end},
        [TURNS] = {.name = "turns", .type = TT_F64, .value = &l->turns},
    };

    memcpy(l->file_column, file, sizeof(file));
    memcpy(l->picture_column, picture, sizeof(picture));
    l->file_rows =
        (struct tt_rows){.column = l->file_column, .n = FILE_COLUMNS};
    l->picture_rows =
        (struct tt_rows){.column = l->picture_column, .n = PICTURE_COLUMNS};
}

/* What the choice of an order went by. */
static void add_orders(tt_steplog *l, uint32_t n)
{
    static const char *const name[] = {
        "sequence.error[1]", "sequence.error[2]", "sequence.error[3]",
        "sequence.error[4]", "sequence.error[5]", "sequence.error[6]",
        "sequence.error[7]", "sequence.error[8]"};
    struct tt_column *c = &l->file_column[FILE_COLUMNS];

    *c++ =
        (struct tt_column){.name = "order", .type = TT_U32, .value = &l->order};
    for (uint32_t i = 0; i < n; i++)
        *c++ = (struct tt_column){
            .name = name[i], .type = TT_F64, .value = &l->error[i]};
    l->file_rows.n += 1 + n;
}

static enum tt_code begin(tt_steplog *l, const struct tt_steplog_opts *o,
                          tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (o->picture)
        rc = tt_curves_new(&l->picture, 0, err);
    if (rc == TT_OK && o->picture)
        rc = tt_observer_begin(tt_curves_observer(l->picture), &l->picture_rows,
                               err);
    if (rc == TT_OK && o->file)
        rc = tt_observer_begin(o->file, &l->file_rows, err);
    return rc;
}

enum tt_code tt_steplog_new(tt_steplog **out, const struct tt_steplog_opts *o,
                            tt_err *err)
{
    tt_steplog *l;
    enum tt_code rc;

    if (!TT_NEW(l))
        return tt_fail(err, TT_ENOMEM, "keeping a log of the steps");
    l->file = o->file;
    name_columns(l);
    if (o->orders)
        add_orders(l, o->orders);
    rc = begin(l, o, err);
    return TT_HAND_OVER(rc, out, l, tt_steplog_free);
}

tt_observer *tt_steplog_keeper(const tt_steplog *l)
{
    return l->picture ? tt_curves_observer(l->picture) : NULL;
}

void tt_steplog_free(tt_steplog *l)
{
    if (!l)
        return;
    if (l->picture)
        tt_observer_free(tt_curves_observer(l->picture));
    tt_free(l);
}

/* A reason that does not fit loses its end: it is words, not data. */
static void set_text(struct tt_text *to, const char *s)
{
    size_t n = strlen(s);

    n = n < TT_TEXT_MAX ? n : TT_TEXT_MAX - 1;
    memcpy(to->s, s, n);
    to->s[n] = '\0';
    to->n = (uint32_t)n;
}

static void keep_picture(tt_steplog *l, const struct tt_run_attempt *a)
{
    int stood = strcmp(a->outcome, "accepted") == 0;

    l->stood = stood ? a->h : (double)NAN;
    l->fell = stood ? (double)NAN : a->h;
    l->end = a->t0 + a->h;
    l->turns = (double)a->evaluations;
    /* curves only keep: its rows do not fail */
    (void)!tt_observer_row(tt_curves_observer(l->picture), tt_at(a->t0), a->h,
                           NULL);
}

void tt_steplog_add(void *log, const struct tt_run_attempt *a)
{
    tt_steplog *l = log;
    tt_err err;
    enum tt_code rc;

    if (l->picture)
        keep_picture(l, a);
    if (!l->file || l->trouble.code != TT_OK)
        return;
    TT_TAKE(l, a, step, h, evaluations, reached, order);
    for (uint32_t i = 0; i < TT_SC_ORDERS_MAX; i++)
        l->error[i] = i < a->n_order ? a->error[i] : (double)NAN;
    set_text(&l->outcome, a->outcome);
    set_text(&l->limited_by, a->limited_by);
    set_text(&l->objector, a->objector);
    set_text(&l->reason, a->reason);
    rc = tt_observer_row(l->file, tt_at(a->t0), a->h, &err);
    if (rc != TT_OK && rc != TT_ESTOPPED)
        l->trouble = err;
}

enum tt_code tt_steplog_end(tt_steplog *l, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (l->trouble.code == TT_OK)
        return l->file ? tt_observer_end(l->file, err) : TT_OK;
    if (l->file)
        rc = tt_observer_end(l->file, NULL);
    (void)rc; /* a consequence of the trouble */
    return tt_fail(err, l->trouble.code, "%s", l->trouble.msg);
}

/* --- pictures ----------------------------------------------------------------
 */

struct drawing {
    tt_arena *arena;
    const tt_curves *curves;
    size_t n;       /* points */
    double *t;      /* of all */
    double *column; /* values of the column at hand */
};

struct points {
    double *t, *y;
    size_t n; /* 0 also when memory was short */
};

/* The points of a column that are numbers, and room for one more. */
static struct points take(struct drawing *d, uint32_t column)
{
    struct points p = {
        .t = tt_arena_alloc(d->arena, d->n + 1, sizeof(*p.t)),
        .y = tt_arena_alloc(d->arena, d->n + 1, sizeof(*p.y)),
    };

    if (!p.t || !p.y)
        return p;
    tt_curves_get_values(d->curves, column, d->column);
    for (size_t i = 0; i < d->n; i++) {
        if (isnan(d->column[i]))
            continue;
        p.t[p.n] = d->t[i];
        p.y[p.n++] = d->column[i];
    }
    return p;
}

/* A step lasts to its end: the last one has no successor to show that. */
static void add_last(struct drawing *d, struct points *p)
{
    if (!p->n)
        return;
    tt_curves_get_values(d->curves, END, d->column);
    p->t[p->n] = fmax(p->t[p->n - 1], d->column[d->n - 1]);
    p->y[p->n] = p->y[p->n - 1];
    p->n++;
}

static struct tt_series series(struct points p, const char *name)
{
    return (struct tt_series){.name = name, .t = p.t, .y = p.y, .n = p.n};
}

/* Steps of very different sizes show on a logarithmic scale only. */
#define LOG_FROM 20.0

static int is_wide(const struct tt_panel *p)
{
    double lo, hi;

    return tt_panel_range(p, &lo, &hi) && lo > 0 && hi > LOG_FROM * lo;
}

static void take_logs(struct points p)
{
    for (size_t i = 0; i < p.n; i++)
        p.y[i] = log10(p.y[i]);
}

static void draw_sizes(struct drawing *d, struct tt_panel *p,
                       struct tt_series *s)
{
    struct points stood = take(d, STOOD), fell = take(d, FELL);

    add_last(d, &stood);
    s[0] = series(stood, "step size");
    s[0].steps = 1;
    s[1] = series(fell, "rejected attempt");
    s[1].marks = 1;
    *p = (struct tt_panel){.unit = "s", .series = s, .n = fell.n ? 2 : 1};
    if (!is_wide(p))
        return;
    take_logs(stood);
    take_logs(fell);
    p->unit = "log\xe2\x82\x81\xe2\x82\x80 s";
}

static void draw_turns(struct drawing *d, struct tt_panel *p,
                       struct tt_series *s)
{
    struct points turns = take(d, TURNS);

    add_last(d, &turns);
    *s = series(turns, "evaluations per attempt");
    s->steps = 1;
    *p = (struct tt_panel){.series = s, .n = 1};
}

static int is_varied(const struct tt_panel *p)
{
    double lo, hi;

    return p->n > 1 || (tt_panel_range(p, &lo, &hi) && hi > lo * (1 + 1e-9));
}

/* A picture of what never changes shows nothing. */
static void choose(struct tt_panels *p, const struct tt_panel *sizes,
                   const struct tt_panel *turns)
{
    double lo, hi;

    if (is_varied(sizes))
        p->panel[p->n++] = *sizes;
    if (tt_panel_range(turns, &lo, &hi) && hi > 0)
        p->panel[p->n++] = *turns;
}

enum tt_code tt_steplog_panels(const tt_steplog *l, struct tt_panels *p,
                               tt_err *err)
{
    struct drawing d = {.arena = tt_arena_new(), .curves = l->picture};
    struct tt_panel sizes, turns;
    struct tt_series *s;

    p->arena = d.arena;
    if (!d.arena)
        return tt_fail(err, TT_ENOMEM, "drawing the steps");
    d.n = l->picture ? tt_curves_points(l->picture) : 0;
    if (!d.n)
        return TT_OK;
    if (!TT_NEW_IN(d.arena, d.t, d.n) || !TT_NEW_IN(d.arena, d.column, d.n) ||
        !TT_NEW_IN(d.arena, s, 3) || !TT_NEW_IN(d.arena, p->panel, 2))
        return tt_fail(err, TT_ENOMEM, "drawing the steps");
    tt_curves_get_times(l->picture, d.t);
    draw_sizes(&d, &sizes, s);
    draw_turns(&d, &turns, s + 2);
    choose(p, &sizes, &turns);
    return TT_OK;
}
