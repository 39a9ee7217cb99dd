/* SPDX-License-Identifier: MIT */
/* One line on stderr, redrawn ten times a second from what the playing process
 * leaves in shared memory. Drawn from a timer's signal handler, so it uses
 * nothing but its own storage: a hanging unit still shows a living line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "cli/play.h"
#include "cli/say.h"
#include "sys/clock.h"
#include "sys/tick.h"

#define TICK_MS 100u
#define BAR     24

struct progress {
    const struct tt_shared *shared;
    uint64_t first_ns; /* when the first step was seen */
    int colours, blocks, drawn;
};

struct line {
    char s[640];
    size_t n;
    int width; /* columns taken */
};

static struct progress progress; /* of the one run this process watches */

int tt_progress_wanted(const struct tt_play *p)
{
    return !p->quiet && !p->no_child && tt_tty_is(2) &&
           !(strcmp(p->output, "-") == 0 && tt_tty_is(1));
}

static void add(struct line *l, const char *s)
{
    size_t n = strlen(s);

    if (l->n + n >= sizeof(l->s))
        return;
    memcpy(l->s + l->n, s, n + 1);
    l->n += n;
    l->width += (int)tt_say_width(s);
}

/* Escape sequences take no room on the screen. */
static void add_ink(struct line *l, const struct progress *p, enum tt_ink ink)
{
    int width = l->width;

    add(l, tt_say_ink(p->colours, ink));
    l->width = width;
}

static void add_num(struct line *l, double v, int digits)
{
    char text[TT_NUM_MAX];

    tt_num_print_digits(text, v, digits);
    add(l, text);
}

static void add_bar(struct line *l, const struct progress *p, double share)
{
    static const char *const eighth[] = {" ", "▏", "▎", "▍",
                                         "▌", "▋", "▊", "▉"};
    int fill = (int)(share * BAR * 8);

    add_ink(l, p, TT_INK_CYAN);
    add(l, p->blocks ? "▕" : "[");
    for (int i = 0; i < BAR; i++, fill -= 8) {
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

static void add_rate(struct line *l, double rate)
{
    add(l, "   ");
    if (rate >= 1e6)
        add_num(l, rate * 1e-6, 3);
    else if (rate >= 1e4)
        add_num(l, rate * 1e-3, 3);
    else
        add_num(l, rate, 3);
    add(l, rate >= 1e6 ? " M" : rate >= 1e4 ? " k" : " ");
    add(l, "steps/s");
}

static void add_left(struct line *l, double seconds)
{
    char text[TT_NUM_MAX];

    tt_say_duration(text, seconds < 1 ? seconds : ceil(seconds));
    add(l, "   ");
    add(l, seconds < 1 ? "1 s" : text);
    add(l, " left");
}

/* level 0 has everything; 1 leaves out the bar, 2 the rates too. */
static void compose(struct line *l, const struct progress *p, double elapsed,
                    int level)
{
    const struct tt_outcome *o = &p->shared->outcome;
    const struct tt_now *now = &p->shared->stage.now;
    double t = now->t[TT_T0], span = o->end - o->start;
    double share = isfinite(span) ? (t - o->start) / span : 0;
    double rate = elapsed > 0 ? (double)now->steps / elapsed : 0;
    char percent[16];

    if (!o->playing || !(now->t[TT_T1] > o->start)) {
        add(l, o->playing ? "initialising ..." : "preparing ...");
        return;
    }
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    if (isfinite(span)) {
        if (level == 0)
            add_bar(l, p, share);
        snprintf(percent, sizeof(percent), " %3d %%   ", (int)(share * 100));
        add(l, percent);
    }
    add(l, "t=");
    add_num(l, t, 5);
    if (isfinite(span)) {
        add(l, " of ");
        add_num(l, o->end, 6);
    }
    add(l, " s");
    if (level < 2 && elapsed > 0.2 && rate > 0)
        add_rate(l, rate);
    if (level < 2 && elapsed > 1 && share > 0.005)
        add_left(l, elapsed * (1 - share) / share);
}

/* A line that wraps cannot be erased: it must fit. */
static void draw(void *ctx)
{
    struct progress *p = ctx;
    struct line l;
    int columns = tt_tty_width(2);
    uint64_t ns = tt_clock_ns();

    if (!p->first_ns && p->shared->stage.now.steps)
        p->first_ns = ns - (uint64_t)TICK_MS * 1000000u;
    for (int level = 0; level < 3; level++) {
        l = (struct line){.s = "\r", .n = 1};
        compose(&l, p, p->first_ns ? (double)(ns - p->first_ns) * 1e-9 : 0,
                level);
        if (!columns || l.width < columns)
            break;
    }
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
        .colours = tt_say_colours(2),
        .blocks = tt_say_utf8(),
    };
    tt_tick_start(TICK_MS, draw, &progress);
}

void tt_progress_stop(void)
{
    tt_tick_stop();
    if (progress.drawn)
        tt_tty_write(2, "\r\033[K", 4);
}
