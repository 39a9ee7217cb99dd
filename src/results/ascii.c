/* SPDX-License-Identifier: MIT */
#include "results/ascii.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/markup.h"
#include "results/svg_impl.h"
#include "results/ticks.h"

#define WIDTH      80
#define WIDTH_MIN  30
#define WIDTH_MAX  400
#define HEIGHT     12
#define HEIGHT_XY  20
#define HEIGHT_MIN 4
#define HEIGHT_MAX 200
#define NAME_MAX   40

static const char letters[] = "*+ox#%@&";

/* ANSI 256 colours near those of the SVG plots, legible on black and white. */
static const int colors[] = {32, 166, 35, 169, 136, 39, 244, 98};

/* Characters of dx by dy dots each. */
struct canvas {
    int w, h; /* characters */
    int dx, dy;
    unsigned char *mask; /* owned: dots set in each character */
    unsigned char *who;  /* owned: series that drew last, from 0 */
};

/* Braille dots by row and column within a character (Unicode 15, 21.2). */
static const unsigned char dot[4][2] = {
    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

static void set(struct canvas *c, int x, int y, size_t who)
{
    int at;

    if (x < 0 || y < 0 || x >= c->w * c->dx || y >= c->h * c->dy)
        return;
    at = y / c->dy * c->w + x / c->dx;
    c->mask[at] |= dot[y % c->dy][x % c->dx];
    c->who[at] = (unsigned char)who;
}

/* Bresenham's line. */
static void line(struct canvas *c, int x0, int y0, int x1, int y1, size_t who)
{
    int dx = abs(x1 - x0), dy = -abs(y1 - y0);
    int sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1, e = dx + dy;

    for (;;) {
        int e2 = 2 * e;

        set(c, x0, y0, who);
        if (x0 == x1 && y0 == y1)
            return;
        if (e2 >= dy) {
            e += dy;
            x0 += sx;
        }
        if (e2 <= dx) {
            e += dx;
            y0 += sy;
        }
    }
}

static void draw(struct canvas *c, const struct plot_frame *f,
                 const struct tt_series *s, size_t who)
{
    int x0 = 0, y0 = 0, down = 0;

    for (size_t i = 0; i < s->n; i++) {
        int x, y;

        if (!isfinite(s->t[i]) || !isfinite(s->y[i])) {
            down = 0;
            continue;
        }
        x = (int)lround(tt_plot_x(f, s->t[i]));
        y = (int)lround(tt_plot_y(f, s->y[i]));
        if (s->stems) {
            line(c, x, (int)lround(tt_plot_base(f)), x, y, who);
        } else if (!down) {
            set(c, x, y, who);
        } else if (s->steps) {
            line(c, x0, y0, x, y0, who);
            line(c, x, y0, x, y, who);
        } else {
            line(c, x0, y0, x, y, who);
        }
        x0 = x;
        y0 = y;
        down = 1;
    }
}

/* --- output ------------------------------------------------------------ */

struct sheet {
    struct tt_buf *b;
    const struct tt_panel *p;
    struct tt_ascii_opts o;
    struct canvas c;
    struct plot_frame f; /* in dots */
    struct tt_ticks tx, ty;
    int left; /* characters before the axis */
};

static void pad(struct tt_buf *b, int n)
{
    for (int i = 0; i < n; i++)
        tt_buf_char(b, ' ');
}

static void color(const struct sheet *s, size_t who)
{
    if (s->o.color)
        tt_buf_fmt(s->b, "\x1b[38;5;%dm", colors[who % 8]);
}

static void plain(const struct sheet *s)
{
    if (s->o.color)
        tt_buf_str(s->b, "\x1b[0m");
}

/* Control characters in a name must not reach the terminal. */
static void safe_name(struct tt_buf *b, const char *name)
{
    size_t n = 0;

    for (; name && *name && n < NAME_MAX; name++, n++)
        tt_buf_char(b,
                    (unsigned char)*name < 0x20 || *name == 0x7f ? '?' : *name);
    /* do not cut a character of several bytes in two */
    while (name && ((unsigned char)*name & 0xc0) == 0x80)
        tt_buf_char(b, *name++);
}

static void title(const struct sheet *s)
{
    const struct tt_panel *p = s->p;

    pad(s->b, s->left + 1);
    if (p->title) {
        safe_name(s->b, p->title);
        tt_buf_str(s->b, tt_panel_is_bands(p) ? "" : "  ");
    }
    for (size_t i = 0; i < p->n && !tt_panel_is_bands(p); i++) {
        color(s, i);
        if (s->c.dx == 1)
            tt_buf_char(s->b, letters[i % 8]);
        else
            tt_buf_str(s->b, "\xe2\xa0\xa4\xe2\xa0\xa4");
        plain(s);
        tt_buf_char(s->b, ' ');
        safe_name(s->b, p->series[i].name);
        tt_buf_str(s->b, i + 1 < p->n ? "  " : "");
    }
    if (p->unit && *p->unit) {
        tt_buf_str(s->b, "  [");
        safe_name(s->b, p->unit);
        tt_buf_char(s->b, ']');
    }
    if (s->ty.scale)
        tt_buf_fmt(s->b, "  x 10^%d", s->ty.scale);
    tt_buf_char(s->b, '\n');
}

static void braille(struct tt_buf *b, unsigned mask)
{
    char text[3] = {(char)0xe2, (char)(0xa0 | mask >> 6),
                    (char)(0x80 | (mask & 0x3f))};

    tt_buf_add(b, text, sizeof(text));
}

static void canvas_row(const struct sheet *s, int row)
{
    const unsigned char *mask = s->c.mask + (ptrdiff_t)row * s->c.w;
    const unsigned char *who = s->c.who + (ptrdiff_t)row * s->c.w;
    int end = s->c.w, last = -1;

    while (end > 0 && !mask[end - 1])
        end--;
    for (int i = 0; i < end; i++) {
        if (!mask[i]) {
            tt_buf_char(s->b, ' ');
            continue;
        }
        if (last != who[i])
            color(s, who[i]);
        last = who[i];
        if (s->c.dx == 1)
            tt_buf_char(s->b, letters[who[i] % 8]);
        else
            braille(s->b, mask[i]);
    }
    if (last >= 0)
        plain(s);
    tt_buf_char(s->b, '\n');
}

/* The tick of this row of characters, or -1. */
static int tick_of_row(const struct sheet *s, int row)
{
    for (int i = 0; i < s->ty.n; i++) {
        double y = tt_plot_y(&s->f, tt_tick_value(&s->ty, i));

        if ((int)lround(y) / s->c.dy == row)
            return i;
    }
    return -1;
}

static void rows(const struct sheet *s)
{
    char text[TT_TICK_TEXT];

    for (int row = 0; row < s->c.h; row++) {
        int tick = tick_of_row(s, row), n = 0;

        if (tick >= 0)
            n = (int)tt_tick_label(text, &s->ty, tick);
        pad(s->b, s->left - 1 - n);
        tt_buf_add(s->b, text, (size_t)n);
        tt_buf_char(s->b, ' ');
        if (s->o.utf8)
            tt_buf_str(s->b, tick >= 0 ? "\xe2\x94\xa4" : "\xe2\x94\x82");
        else
            tt_buf_char(s->b, tick >= 0 ? '+' : '|');
        canvas_row(s, row);
    }
}

static int tick_column(const struct sheet *s, int i)
{
    double x = tt_plot_x(&s->f, tt_tick_value(&s->tx, i));

    return (int)lround(x) / s->c.dx;
}

static void time_line(const struct sheet *s)
{
    int next = 0;

    pad(s->b, s->left);
    tt_buf_str(s->b, s->o.utf8 ? "\xe2\x94\x94" : "+");
    for (int col = 0; col < s->c.w; col++) {
        int is_tick = 0;

        while (next < s->tx.n && tick_column(s, next) <= col) {
            is_tick |= tick_column(s, next) == col;
            next++;
        }
        if (s->o.utf8)
            tt_buf_str(s->b, is_tick ? "\xe2\x94\xac" : "\xe2\x94\x80");
        else
            tt_buf_char(s->b, is_tick ? '+' : '-');
    }
    tt_buf_char(s->b, '\n');
}

static void axis_name(const struct sheet *s)
{
    const char *name = s->p->x_name;
    size_t n = name ? strlen(name) : strlen("time s");

    pad(s->b, s->left + s->c.w / 2 - (int)(n < NAME_MAX ? n : NAME_MAX) / 2);
    tt_buf_str(s->b, name ? "" : "time (");
    if (s->tx.scale)
        tt_buf_fmt(s->b, "10^%d ", s->tx.scale);
    safe_name(s->b, name ? name : "s)");
    tt_buf_char(s->b, '\n');
}

static void time_labels(const struct sheet *s)
{
    char text[TT_TICK_TEXT];
    int at = 0; /* characters written right of `left` */

    pad(s->b, s->left);
    for (int i = 0; i < s->tx.n; i++) {
        int n = (int)tt_tick_label(text, &s->tx, i);
        int from = tick_column(s, i) + 1 - n / 2;

        if (from + n > s->c.w + 1)
            from = s->c.w + 1 - n;
        if (from < at + (i > 0)) /* no room */
            continue;
        pad(s->b, from - at);
        tt_buf_add(s->b, text, (size_t)n);
        at = from + n;
    }
    tt_buf_str(s->b, "\n");
    axis_name(s);
}

/* --- texts over time ------------------------------------------------------ */

/* Bytes that a terminal shows as one character each. */
static char plain_char(char c)
{
    return (unsigned char)c < 0x20 || (unsigned char)c > 0x7e ? '?' : c;
}

/* A text from one column to another, cut where there is no room. */
static void put_word(char *row, int from, int end, const char *word, char fill)
{
    row[from] = '|';
    for (int i = from + 1; i < end; i++)
        row[i] = *word ? plain_char(*word++) : fill;
}

static void band(const struct sheet *s, const struct tt_series *series,
                 char *row)
{
    int w = s->c.w;

    memset(row, ' ', (size_t)w);
    for (size_t i = 0, end; i < series->n; i++) {
        int from, to;

        if (!tt_series_span(series, i, &end))
            continue;
        from = (int)lround(tt_plot_x(&s->f, series->t[i])) / s->c.dx;
        to = end < series->n
                 ? (int)lround(tt_plot_x(&s->f, series->t[end])) / s->c.dx
                 : w;
        put_word(row, from, to, series->word[i], series->stems ? ' ' : '-');
    }
    while (w > 0 && row[w - 1] == ' ')
        w--;
    tt_buf_add(s->b, row, (size_t)w);
    tt_buf_char(s->b, '\n');
}

static void bands(const struct sheet *s, char *row)
{
    for (size_t i = 0; i < s->p->n; i++) {
        size_t n = tt_markup_length(s->p->series[i].name);

        pad(s->b, s->left - 1 - (int)(n < NAME_MAX ? n : NAME_MAX));
        safe_name(s->b, s->p->series[i].name);
        tt_buf_str(s->b, s->o.utf8 ? " \xe2\x94\x82" : " |");
        color(s, i);
        band(s, &s->p->series[i], row);
        plain(s);
    }
}

static void name_room(struct sheet *s)
{
    for (size_t i = 0; i < s->p->n; i++) {
        size_t n = tt_markup_length(s->p->series[i].name);
        int room = (int)(n < NAME_MAX ? n : NAME_MAX) + 1;

        s->left = room > s->left ? room : s->left;
    }
}

/* --- layout ------------------------------------------------------------ */

static int clamp(int v, int standard, int lo, int hi)
{
    if (v <= 0)
        return standard;
    return v < lo ? lo : v > hi ? hi : v;
}

/* Ticks and canvas for the ranges of the frame. */
static void fit(struct sheet *s)
{
    int fine = s->o.utf8 && (s->o.color || s->p->n == 1);
    struct plot_frame *f = &s->f;
    char text[TT_TICK_TEXT];

    s->ty =
        tt_ticks(f->lo, f->hi, s->o.height / 3 + 2, tt_panel_is_whole(s->p));
    s->tx = tt_ticks(f->t0, f->t1, s->o.width / 9, 0);
    s->left = 2;
    if (tt_panel_is_bands(s->p))
        name_room(s);
    for (int i = 0; i < s->ty.n && !tt_panel_is_bands(s->p); i++) {
        int n = (int)tt_tick_label(text, &s->ty, i);

        s->left = n + 1 > s->left ? n + 1 : s->left;
    }
    s->c = (struct canvas){.w = s->o.width - s->left - 1,
                           .h = s->o.height,
                           .dx = fine ? 2 : 1,
                           .dy = fine ? 4 : 1};
    if (s->c.w < 8)
        s->c.w = 8;
    f->x1 = s->c.w * s->c.dx - 1;
    f->y0 = s->c.h * s->c.dy - 1;
}

static void set_up(struct sheet *s)
{
    if (tt_panel_is_binary(s->p))
        s->o.height = HEIGHT_MIN;
    tt_plot_ranges(&s->f, s->p);
    fit(s);
    if (!tt_plot_to_scale(&s->f, s->p))
        return;
    /* a character is about twice as high as wide */
    tt_plot_scale(&s->f, 2.0 * s->c.dx / s->c.dy);
    fit(s);
}

enum tt_code tt_ascii_panel(struct tt_buf *b, const struct tt_panel *p,
                            const struct tt_ascii_opts *opts, tt_err *err)
{
    struct sheet s = {.b = b, .p = p};

    if (opts)
        s.o = *opts;
    s.o.width = clamp(s.o.width, WIDTH, WIDTH_MIN, WIDTH_MAX);
    s.o.height = clamp(s.o.height, p->x_name ? HEIGHT_XY : HEIGHT, HEIGHT_MIN,
                       HEIGHT_MAX);
    set_up(&s);
    TT_NEW_ARRAY(s.c.mask, (size_t)s.c.w * (size_t)s.c.h);
    TT_NEW_ARRAY(s.c.who, (size_t)s.c.w * (size_t)s.c.h);
    if (s.c.mask && s.c.who) {
        for (size_t i = 0; i < p->n && !tt_panel_is_bands(p); i++)
            draw(&s.c, &s.f, &p->series[i], i);
        title(&s);
        if (tt_panel_is_bands(p))
            bands(&s, (char *)s.c.mask);
        else
            rows(&s);
        time_line(&s);
        time_labels(&s);
    } else {
        b->failed = 1;
    }
    TT_FREE_ALL(s.c.mask, s.c.who);
    return tt_buf_check(b, "plot", err);
}
