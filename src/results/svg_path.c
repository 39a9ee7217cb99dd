/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/num.h"
#include "results/markup.h"
#include "results/svg_impl.h"
#include "results/ticks.h"

#define COLUMNS_PER_PX 2.0
#define COARSE         0.5  /* columns per pixel of values */
#define ALL_VALUES     1500 /* points; more are thinned */
#define DIGITS         7
#define ONE_SCALE      4.0   /* ranges farther apart have scales of their own */
#define HUGE_RANGE     1e290 /* no room to widen */

void tt_plot_ranges(struct plot_frame *f, const struct tt_panel *p)
{
    f->t0 = f->lo = f->hi = 0;
    if (!tt_panel_range(p, &f->lo, &f->hi))
        f->lo = f->hi = 0;
    tt_ticks_range(&f->lo, &f->hi);
    if (!tt_panel_times(p, &f->t0, &f->t1))
        f->t1 = 1;
    if (p->x_name || f->t1 - f->t0 <= 1e-12 * fmax(fabs(f->t0), fabs(f->t1)))
        tt_ticks_range(&f->t0, &f->t1);
}

int tt_plot_to_scale(const struct plot_frame *f, const struct tt_panel *p)
{
    double x = f->t1 - f->t0, y = f->hi - f->lo;

    return p->x_name && x <= ONE_SCALE * y && y <= ONE_SCALE * x &&
           x < HUGE_RANGE && y < HUGE_RANGE;
}

static void widen(double *lo, double *hi, double range)
{
    double more = (range - (*hi - *lo)) / 2;

    *lo -= more;
    *hi += more;
}

void tt_plot_scale(struct plot_frame *f, double aspect)
{
    double across = f->x1 - f->x0, up = (f->y0 - f->y1) * aspect;
    double scale = fmax((f->t1 - f->t0) / across, (f->hi - f->lo) / up);

    widen(&f->t0, &f->t1, scale * across);
    widen(&f->lo, &f->hi, scale * up);
}

double tt_plot_x(const struct plot_frame *f, double t)
{
    return f->x0 + (t - f->t0) / (f->t1 - f->t0) * (f->x1 - f->x0);
}

double tt_plot_y(const struct plot_frame *f, double v)
{
    double part = (v - f->lo) / (f->hi - f->lo);

    return f->y0 - fmax(0, fmin(1, part)) * (f->y0 - f->y1);
}

double tt_plot_base(const struct plot_frame *f)
{
    return tt_plot_y(f, 0);
}

/* Points within one column of half a pixel look the same as their first,
 * least, greatest and last, so only these are drawn, in their order. */
struct point {
    double x, y;
    size_t at; /* index in the series */
};

struct pen {
    struct tt_buf *b;
    int steps, marks, stems;
    int down;
    const struct tt_series *values;     /* instead of places, or NULL */
    double per_px;                      /* columns; 0: each point its own */
    double base;                        /* of stems */
    struct point first, min, max, last; /* of the column at hand */
    int any;
    double column;
};

static void put_value(struct pen *p, size_t at)
{
    char text[TT_NUM_MAX];

    tt_num_print_digits(text, p->values->t[at], DIGITS);
    tt_buf_str(p->b, text);
    tt_buf_char(p->b, ' ');
    tt_num_print_digits(text, p->values->y[at], DIGITS);
    tt_buf_str(p->b, text);
    tt_buf_char(p->b, ',');
}

static void go(struct pen *p, struct point to)
{
    if (p->values) {
        put_value(p, to.at);
    } else if (p->stems) {
        tt_buf_char(p->b, 'M');
        tt_markup_coord(p->b, to.x);
        tt_buf_char(p->b, ' ');
        tt_markup_coord(p->b, p->base);
        tt_buf_char(p->b, 'V');
        tt_markup_coord(p->b, to.y);
    } else if (!p->down) {
        tt_buf_char(p->b, 'M');
        tt_markup_coord(p->b, to.x);
        tt_buf_char(p->b, ' ');
        tt_markup_coord(p->b, to.y);
        tt_buf_str(p->b, "h0"); /* a lone point is a dot */
    } else if (p->steps) {
        tt_buf_char(p->b, 'H');
        tt_markup_coord(p->b, to.x);
        tt_buf_char(p->b, 'V');
        tt_markup_coord(p->b, to.y);
    } else {
        tt_buf_char(p->b, 'L');
        tt_markup_coord(p->b, to.x);
        tt_buf_char(p->b, ' ');
        tt_markup_coord(p->b, to.y);
    }
    p->down = !p->marks;
}

static void flush(struct pen *p)
{
    struct point a = p->min, z = p->max;

    if (!p->any)
        return;
    if (p->max.at < p->min.at) {
        a = p->max;
        z = p->min;
    }
    go(p, p->first);
    if (a.at != p->first.at && a.at != p->last.at)
        go(p, a);
    if (z.at != p->first.at && z.at != p->last.at && z.at != a.at)
        go(p, z);
    if (p->last.at != p->first.at)
        go(p, p->last);
    p->any = 0;
}

static void add(struct pen *p, struct point at)
{
    double column = p->per_px > 0 ? floor(at.x * p->per_px) : (double)at.at;

    if (p->any && column != p->column)
        flush(p);
    if (!p->any) {
        p->first = p->min = p->max = at;
        p->column = column;
        p->any = 1;
    }
    if (at.y < p->min.y)
        p->min = at;
    if (at.y > p->max.y)
        p->max = at;
    p->last = at;
}

static void walk(struct pen *pen, const struct plot_frame *f,
                 const struct tt_series *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (!isfinite(s->t[i]) || !isfinite(s->y[i])) {
            flush(pen);
            pen->down = 0;
            if (pen->values)
                tt_buf_char(pen->b, ',');
            continue;
        }
        add(pen,
            (struct point){tt_plot_x(f, s->t[i]), tt_plot_y(f, s->y[i]), i});
    }
    flush(pen);
}

void tt_plot_path(struct tt_buf *b, const struct plot_frame *f,
                  const struct tt_series *s)
{
    struct pen pen = {.b = b,
                      .steps = s->steps,
                      .marks = s->marks,
                      .stems = s->stems && !s->marks,
                      .per_px = COLUMNS_PER_PX,
                      .base = tt_plot_base(f)};

    walk(&pen, f, s);
}

void tt_plot_values(struct tt_buf *b, const struct plot_frame *f,
                    const struct tt_series *s)
{
    struct pen pen = {
        .b = b, .values = s, .per_px = s->n > ALL_VALUES ? COARSE : 0};

    walk(&pen, f, s);
}
