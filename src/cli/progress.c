/* SPDX-License-Identifier: MIT */
/* One line on stderr, redrawn ten times a second from what the playing process
 * leaves in shared memory. Drawn from a timer's signal handler, so it uses
 * nothing but its own storage: a hanging unit still shows a living line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "cli/play.h"
#include "cli/print.h"
#include "sys/clock.h"
#include "sys/tick.h"

#define TICK_MS   100u
#define BAR       24
#define SHORT_BAR 10

/* What the line is made of, the dispensable first: what does not fit is left
 * out in this order. */
enum part {
    PART_LONG_BAR,
    PART_BAR,
    PART_RATE,
    PART_H,
    PART_TURNS,
    PART_REJECTED,
    PART_LEFT,
    PART_PACE,
    PART_PERCENT,
    PART_T,
    PART_N,
};

struct progress {
    const struct tt_shared *shared;
    uint64_t first_ns; /* when the first step was seen */
    int colours, blocks, drawn;
    int widest[PART_N]; /* texts only grow, so that the line stands still */
};

struct line {
    char s[640];
    size_t n;
    int width; /* columns taken */
};

/* What is to be reported, read once. */
struct view {
    double t, start, end, span, share; /* share 0 without an end */
    double elapsed;                    /* s since the first step */
    double h, late, factor;
    double steps, rejected, evaluations;
};

static struct progress progress; /* of the one run this process watches */

int tt_progress_wanted(const struct tt_play *p)
{
    return !p->quiet && !p->no_child && tt_tty_is(2) &&
           !(tt_play_to_stdout(&p->files) && tt_tty_is(1));
}

static void add(struct line *l, const char *s)
{
    size_t n = strlen(s);

    if (l->n + n >= sizeof(l->s))
        return;
    memcpy(l->s + l->n, s, n + 1);
    l->n += n;
    l->width += (int)tt_show_width(s);
}

/* Escape sequences take no room on the screen. */
static void add_ink(struct line *l, const struct progress *p, enum tt_ink ink)
{
    int width = l->width;

    add(l, tt_show_ink(p->colours, ink));
    l->width = width;
}

static void add_num(struct line *l, double v, int digits)
{
    char text[TT_NUM_MAX];

    tt_num_print_digits(text, v, digits);
    add(l, text);
}

static void add_bar(struct line *l, const struct progress *p, double share,
                    int width)
{
    static const char *const eighth[] = {" ", "▏", "▎", "▍",
                                         "▌", "▋", "▊", "▉"};
    int fill = (int)(share * width * 8);

    add_ink(l, p, TT_INK_CYAN);
    add(l, p->blocks ? "▕" : "[");
    for (int i = 0; i < width; i++, fill -= 8) {
        if (fill >= 8)
            add(l, p->blocks ? "█" : "=");
        else if (fill > 0)
            add(l, p->blocks ? eighth[fill] : "-");
        else
            add(l, " ");
    }
    add(l, p->blocks ? "▏" : "]");
    add_ink(l, p, TT_INK_OFF);
}

/* With as many decimals as a thousandth of the span has: a number that does
 * not change its width while it grows. */
static void add_time(struct line *l, double t, double span)
{
    double unit = isfinite(span) && span > 0 ? span * 1e-3 : 1e-2;
    int decimals = unit < 1 ? (int)ceil(-log10(unit)) : 0;
    double scale;
    char text[48];

    decimals = decimals > 9 ? 9 : decimals;
    scale = pow(10, decimals);
    if (!(fabs(t) * scale < 1e17)) {
        add_num(l, t, 6);
        return;
    }
    snprintf(text, sizeof(text), "%s%lld", t < 0 ? "-" : "",
             llround(fabs(t) * scale) / (long long)scale);
    add(l, text);
    if (!decimals)
        return;
    snprintf(text, sizeof(text), ".%0*lld", decimals,
             llround(fabs(t) * scale) % (long long)scale);
    add(l, text);
}

/* As wide as it will be at the end. */
static void add_times(struct line *l, const struct view *v)
{
    struct line t = {0}, end = {0};

    add_time(&t, v->t, v->span);
    if (isfinite(v->span))
        add_time(&end, v->end, v->span);
    add(l, "t=");
    for (int i = t.width; i < end.width; i++)
        add(l, " ");
    add(l, t.s);
    if (isfinite(v->span)) {
        add(l, " of ");
        add_num(l, v->end, 6);
    }
    add(l, " s");
}

static void add_rate(struct line *l, double rate)
{
    if (rate >= 1e6)
        add_num(l, rate * 1e-6, 3);
    else if (rate >= 1e4)
        add_num(l, rate * 1e-3, 3);
    else
        add_num(l, rate, 3);
    add(l, rate >= 1e6 ? "M steps/s" : rate >= 1e4 ? "k steps/s" : " steps/s");
}

static void add_left(struct line *l, double seconds)
{
    char text[TT_NUM_MAX];

    tt_show_duration(text, seconds < 1 ? seconds : ceil(seconds));
    add(l, seconds < 1 ? "1 s" : text);
    add(l, " left");
}

/* "real time x2", "0.12 s late at x2" */
static void add_pace(struct line *l, const struct view *v)
{
    if (v->late > 0) {
        add_num(l, v->late, 2);
        add(l, " s late at x");
    } else {
        add(l, "real time x");
    }
    add_num(l, v->factor, 3);
}

static double seconds_left(const struct view *v)
{
    if (v->factor > 0 && !(v->late > 0)) /* it keeps up: the clock decides */
        return (v->end - v->t) / v->factor;
    return v->elapsed * (1 - v->share) / v->share;
}

/* One part's text, or nothing when there is nothing to report. */
static void add_part(struct line *l, const struct view *v, enum part part)
{
    char percent[16];

    if (part == PART_PERCENT && isfinite(v->span)) {
        snprintf(percent, sizeof(percent), "%3d %%", (int)(v->share * 100));
        add(l, percent);
    } else if (part == PART_T) {
        add_times(l, v);
    } else if (part == PART_RATE && v->elapsed > 0.2 && v->steps > 0) {
        add_rate(l, v->steps / v->elapsed);
    } else if (part == PART_H && v->h > 0) {
        add(l, "h=");
        add_num(l, v->h, 2);
    } else if (part == PART_REJECTED && v->h > 0) {
        add_num(l, v->rejected, 12);
        add(l, " rejected");
    } else if (part == PART_TURNS && v->evaluations > 0 && v->steps > 0) {
        add_num(l, v->evaluations / v->steps, 2);
        add(l, " turns/step");
    } else if (part == PART_PACE && v->factor > 0) {
        add_pace(l, v);
    } else if (part == PART_LEFT && v->elapsed > 1 && v->share > 0.005) {
        add_left(l, seconds_left(v));
    }
}

static void add_padded(struct line *l, struct progress *p, const struct view *v,
                       enum part part)
{
    struct line one = {0};

    add_part(&one, v, part);
    if (!one.n && !p->widest[part])
        return;
    add(l, l->width ? "  " : "");
    if (one.width > p->widest[part])
        p->widest[part] = one.width;
    for (int i = one.width; i < p->widest[part]; i++)
        add(l, " ");
    add(l, one.s);
}

/* Without the parts below `from`. */
static void compose(struct line *l, struct progress *p, const struct view *v,
                    enum part from)
{
    static const enum part order[] = {PART_PERCENT, PART_T,        PART_RATE,
                                      PART_H,       PART_REJECTED, PART_TURNS,
                                      PART_PACE,    PART_LEFT};

    if (from <= PART_BAR && isfinite(v->span))
        add_bar(l, p, v->share, from == PART_LONG_BAR ? BAR : SHORT_BAR);
    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
        if (order[i] >= from)
            add_padded(l, p, v, order[i]);
}

static struct view look(const struct progress *p, uint64_t ns)
{
    const struct tt_outcome *o = &p->shared->outcome;
    const struct tt_now *now = &p->shared->stage.now;
    const struct tt_live *live = &p->shared->stage.live;
    struct view v = {
        .t = now->t[TT_T0],
        .start = o->start,
        .end = o->end,
        .span = o->end - o->start,
        .elapsed = p->first_ns ? (double)(ns - p->first_ns) * 1e-9 : 0,
        .h = o->variable ? now->h[TT_T1] : 0,
        .late = live->late,
        .factor = o->factor,
        .steps = (double)now->steps,
        .rejected = (double)live->rejected,
        .evaluations = (double)live->evaluations,
    };

    if (isfinite(v.span) && v.span > 0)
        v.share = fmax(0, fmin(1, (v.t - v.start) / v.span));
    return v;
}

/* A line that wraps cannot be erased: it must fit. */
static void draw_fitting(struct line *l, struct progress *p,
                         const struct view *v, int columns)
{
    for (int from = PART_LONG_BAR; from <= PART_T; from++) {
        *l = (struct line){.s = "\r", .n = 1};
        compose(l, p, v, (enum part)from);
        if (!columns || l->width < columns)
            return;
    }
}

static void draw(void *ctx)
{
    struct progress *p = ctx;
    const struct tt_outcome *o = &p->shared->outcome;
    struct line l = {.s = "\r", .n = 1};
    int columns = tt_tty_width(2);
    uint64_t ns = tt_clock_ns();
    struct view v;

    if (!p->first_ns && p->shared->stage.now.steps)
        p->first_ns = ns - (uint64_t)TICK_MS * 1000000u;
    v = look(p, ns);
    if (!o->playing || !(p->shared->stage.now.t[TT_T1] > o->start))
        add(&l, o->playing ? "initialising ..." : "preparing ...");
    else
        draw_fitting(&l, p, &v, columns);
    if (columns && l.width >= columns)
        return;
    add(&l, "\033[K");
    tt_tty_write(2, l.s, l.n);
    p->drawn = 1;
}

void tt_progress_start(const struct tt_shared *shared)
{
    progress = (struct progress){
        .shared = shared,
        .colours = tt_print_colours(2),
        .blocks = tt_print_utf8(),
        /* they come a little later: room for them from the start */
        .widest = {[PART_RATE] = (int)strlen("12.3k steps/s"),
                   [PART_LEFT] = (int)strlen("12 s left")},
    };
    tt_tick_start(TICK_MS, draw, &progress);
}

void tt_progress_stop(void)
{
    tt_tick_stop();
    if (progress.drawn)
        tt_tty_write(2, "\r\033[K", 4);
}
