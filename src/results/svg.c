/* SPDX-License-Identifier: MIT */
#include "results/svg.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "results/markup.h"
#include "results/svg_impl.h"
#include "results/ticks.h"

#define WIDTH       760
#define HEIGHT      230
#define FONT        12.0
#define CHAR_W      (0.58 * FONT) /* of a character, on average */
#define LINE_H      18.0
#define TITLE_H     26.0
#define AXIS_H      38.0 /* below the frame: tick labels and the axis' name */
#define AXIS_NAME_W 16.0 /* left of the frame: the axis' name, upright */
#define RIGHT       14.0
#define GAP         18.0  /* between panels */
#define NAME_MAX    60    /* characters of a name in a legend */
#define XY_LEAST    150.0 /* height of the frame of an x-y panel: least, */
#define XY_MOST     560.0 /* greatest, */
#define XY_HEIGHT   380.0 /* and where x and y have scales of their own */

/* Okabe and Ito's colours, which people with any colour vision can
 * distinguish, darkened for white and lightened for black until lines have
 * enough contrast; the yellow is left out. */
const char *tt_svg_style(void)
{
    return ".tp{--bg:#ffffff;--ink:#1f2933;--dim:#616e7c;--grid:#e4e7eb;"
           "--frame:#9aa5b1;--c0:#0072b2;--c1:#d55e00;--c2:#00805d;"
           "--c3:#b8568f;--c4:#a86f00;--c5:#3a9bdc;--c6:#4b4b4b;--c7:#7a4fbf;"
           "color-scheme:light dark;"
           "font:12px system-ui,-apple-system,'Segoe UI',Roboto,"
           "'Helvetica Neue',Arial,sans-serif}"
           "@media(prefers-color-scheme:dark){.tp{--bg:#14181d;--ink:#e4e7eb;"
           "--dim:#9aa5b1;--grid:#2a3139;--frame:#616e7c;--c0:#4aa8e0;"
           "--c1:#ff8a4c;--c2:#2cc295;--c3:#e79ac4;--c4:#f0b940;--c5:#9ad0ff;"
           "--c6:#c8ccd0;--c7:#b79aff}}"
           "@media print{.tp{--bg:#ffffff;--ink:#000000;--dim:#444444;"
           "--grid:#dddddd;--frame:#888888;--c0:#0072b2;--c1:#d55e00;"
           "--c2:#00805d;--c3:#b8568f;--c4:#a86f00;--c5:#3a9bdc;--c6:#4b4b4b;"
           "--c7:#7a4fbf}}"
           ".tp .bg{fill:var(--bg)}.tp text{fill:var(--ink)}"
           ".tp .dim{fill:var(--dim)}.tp .title{font-weight:600;"
           "font-size:13px}.tp .head{font-weight:600;font-size:16px}"
           ".tp .grid{stroke:var(--grid);fill:none}"
           ".tp .zero{stroke:var(--frame);stroke-dasharray:2 3;fill:none}"
           ".tp .frame{stroke:var(--frame);fill:none}"
           ".tp .instant{stroke:var(--dim);stroke-dasharray:1 4;fill:none}"
           ".tp .num{font-variant-numeric:tabular-nums}"
           ".tp .s{fill:none;stroke-width:1.6;stroke-linejoin:round;"
           "stroke-linecap:round}.tp .mark{stroke-width:5}"
           ".tp .band{stroke-width:18;stroke-linecap:butt;stroke-opacity:.4}"
           ".tp .word{font-size:11px}"
           ".tp .s0{stroke:var(--c0)}.tp .s1{stroke:var(--c1)}"
           ".tp .s2{stroke:var(--c2)}.tp .s3{stroke:var(--c3)}"
           ".tp .s4{stroke:var(--c4)}.tp .s5{stroke:var(--c5)}"
           ".tp .s6{stroke:var(--c6)}.tp .s7{stroke:var(--c7)}";
}

/* --- small pieces ------------------------------------------------------ */

static void attribute(struct tt_buf *b, const char *name, double v)
{
    tt_buf_char(b, ' ');
    tt_buf_str(b, name);
    tt_buf_str(b, "=\"");
    tt_markup_coord(b, v);
    tt_buf_char(b, '"');
}

void tt_svg_text_at(struct tt_buf *b, double x, double y, const char *class)
{
    tt_buf_str(b, "<text");
    attribute(b, "x", x);
    attribute(b, "y", y);
    if (class)
        tt_buf_fmt(b, " class=\"%s\"", class);
    tt_buf_char(b, '>');
}

static void line(struct tt_buf *b, const char *class, double x1, double y1,
                 double x2, double y2)
{
    tt_buf_fmt(b, "<path class=\"%s\" d=\"M", class);
    tt_markup_coord(b, x1);
    tt_buf_char(b, ' ');
    tt_markup_coord(b, y1);
    tt_buf_char(b, 'L');
    tt_markup_coord(b, x2);
    tt_buf_char(b, ' ');
    tt_markup_coord(b, y2);
    tt_buf_str(b, "\"/>\n");
}

double tt_svg_text_width(const char *s, size_t most)
{
    size_t n = tt_markup_length(s);

    return CHAR_W * (double)(n < most ? n : most);
}

/* --- geometry ---------------------------------------------------------- */

struct layout {
    struct plot_frame f;
    struct tt_ticks tx, ty;
    double top;      /* of the panel */
    double legend_h; /* title and legend */
    double width;
    const struct tt_svg_opts *opts;
    int is_last; /* panel: names the axis across for all above */
    int live;
};

/* Bands have their names beside them, and a legend of texts. */
static size_t legend_items(const struct tt_panel *p)
{
    return tt_panel_is_bands(p) ? p->n_word : p->n;
}

static const char *legend_name(const struct tt_panel *p, size_t i)
{
    return tt_panel_is_bands(p) ? p->word[i] : p->series[i].name;
}

static int has_dot(const struct tt_panel *p, size_t i)
{
    return tt_panel_is_bands(p) || p->series[i].marks || p->series[i].stems;
}

static double legend_item_width(const struct tt_panel *p, size_t i)
{
    return 22 + tt_svg_text_width(legend_name(p, i), NAME_MAX) + 16;
}

/* One entry of a legend, whose line begins at x, y. */
static void legend_item(struct tt_buf *b, const struct tt_panel *p, size_t i,
                        double x, double y)
{
    int marks = has_dot(p, i);

    tt_buf_fmt(b, "<g class=\"key\" data-i=\"%zu\">", i);
    tt_buf_fmt(b, "<path class=\"s s%zu%s\" d=\"M", i % 8,
               marks ? " mark" : "");
    tt_markup_coord(b, x + (marks ? 8 : 0));
    tt_buf_char(b, ' ');
    tt_markup_coord(b, y - 4);
    tt_buf_str(b, marks ? "h0\"/>" : "h16\"/>");
    tt_svg_text_at(b, x + 22, y, NULL);
    tt_markup_text_n(b, legend_name(p, i), NAME_MAX);
    tt_buf_str(b, "</text></g>\n");
}

/* Walk over the legend; draws when b is given. Returns its height. */
static double legend(struct tt_buf *b, const struct tt_panel *p, double top,
                     double left, double width)
{
    double start = left, x, y = top + 16;

    if (p->title)
        start += 1.2 * tt_svg_text_width(p->title, NAME_MAX) + 20;
    if (start > width / 2)
        start = left;
    x = start;
    if (p->title && start == left)
        y += LINE_H; /* a long title has a line of its own */
    for (size_t i = 0; i < legend_items(p); i++) {
        double w = legend_item_width(p, i);

        if (x + w > width && x > start) {
            x = start;
            y += LINE_H;
        }
        if (b)
            legend_item(b, p, i, x, y);
        x += w;
    }
    return y - top + 10;
}

static double label_width(const struct tt_ticks *t)
{
    char text[TT_TICK_TEXT];
    size_t most = 1;

    for (int i = 0; i < t->n; i++) {
        size_t n = tt_tick_label(text, t, i);

        most = n > most ? n : most;
    }
    return CHAR_W * (double)most;
}

/* The room left of the frame depends on the labels, these on the range. All
 * panels of a picture share the widest, so that their times line up. */
static double left_room(const struct tt_panel *p, double height)
{
    double lo = 0, hi = 0;
    struct tt_ticks t;

    if (tt_panel_is_bands(p))
        return tt_svg_bands_left(p);
    if (!tt_panel_range(p, &lo, &hi))
        lo = hi = 0;
    tt_ticks_range(&lo, &hi);
    t = tt_ticks(lo, hi, height > 150 ? 5 : 3, tt_panel_is_whole(p));
    return label_width(&t) + 16 + (p->unit || t.scale ? AXIS_NAME_W : 0);
}

/* As high as one scale for both axes wants it. */
static void set_up_xy(struct plot_frame *f, const struct tt_panel *p)
{
    double height = (f->x1 - f->x0) * (f->hi - f->lo) / (f->t1 - f->t0);

    if (!tt_plot_to_scale(f, p)) {
        f->y0 = f->y1 + XY_HEIGHT;
        return;
    }
    f->y0 = f->y1 + fmax(XY_LEAST, fmin(XY_MOST, height));
    tt_plot_scale(f, 1);
}

static void set_up(struct layout *l, const struct tt_panel *p, double top,
                   double left, const struct tt_svg_opts *o)
{
    double height = o->panel_height;

    if (tt_panel_is_binary(p))
        height *= 0.6;
    l->top = top;
    l->width = o->width;
    l->opts = o;
    l->live = o->live && !p->x_name && !tt_panel_is_bands(p);
    l->legend_h = legend(NULL, p, top, left, o->width - RIGHT);
    l->f = (struct plot_frame){
        .x0 = left,
        .x1 = o->width - RIGHT,
        .y0 = top + height - AXIS_H,
        .y1 = top + l->legend_h,
    };
    tt_plot_ranges(&l->f, p);
    if (p->x_name)
        set_up_xy(&l->f, p);
    if (tt_panel_is_bands(p))
        l->f.y0 = l->f.y1 + tt_svg_bands_height(p);
    else if (l->f.y0 <
             l->f.y1 + 50) /* a long legend must not narrow the plot */
        l->f.y0 = l->f.y1 + 50;
    l->tx = tt_ticks(l->f.t0, l->f.t1, o->width > 500 ? 10 : 5, 0);
    l->ty = tt_ticks(l->f.lo, l->f.hi, l->f.y0 - l->f.y1 > 150 ? 5 : 4,
                     tt_panel_is_whole(p));
}

/* --- axes -------------------------------------------------------------- */

static void power_of_ten(struct tt_buf *b, int scale)
{
    if (scale == 0)
        return;
    tt_buf_str(b, "\xc3\x97"
                  "10<tspan dy=\"-4\" font-size=\"9\">");
    tt_buf_fmt(b, "%d</tspan><tspan dy=\"4\">&#160;</tspan>", scale);
}

static void time_axis(struct tt_buf *b, const struct layout *l,
                      const char *x_name)
{
    char text[TT_TICK_TEXT];

    tt_buf_fmt(b, "<g class=\"tx\" data-scale=\"%d\">\n", l->tx.scale);
    for (int i = 0; i < l->tx.n; i++) {
        double x = tt_plot_x(&l->f, tt_tick_value(&l->tx, i));

        line(b, x_name && l->tx.first + i == 0 ? "zero" : "grid", x, l->f.y0, x,
             l->f.y1);
        tt_svg_text_at(b, x, l->f.y0 + 16, "dim num\" text-anchor=\"middle");
        tt_tick_label(text, &l->tx, i);
        tt_buf_str(b, text);
        tt_buf_str(b, "</text>\n");
    }
    tt_buf_str(b, "</g>\n");
    if (!l->is_last)
        return;
    tt_svg_text_at(b, (l->f.x0 + l->f.x1) / 2, l->f.y0 + 32,
                   "dim\" text-anchor=\"middle");
    tt_buf_str(b, x_name ? "" : "time (");
    power_of_ten(b, l->tx.scale);
    tt_markup_text_n(b, x_name ? x_name : "s)", NAME_MAX);
    tt_buf_str(b, "</text>\n");
}

static void value_axis(struct tt_buf *b, const struct layout *l,
                       const struct tt_panel *p)
{
    char text[TT_TICK_TEXT];

    tt_buf_fmt(b, "<g class=\"ty\" data-scale=\"%d\">\n", l->ty.scale);
    for (int i = 0; i < l->ty.n; i++) {
        double v = tt_tick_value(&l->ty, i), y = tt_plot_y(&l->f, v);

        line(b, l->ty.first + i == 0 ? "zero" : "grid", l->f.x0, y, l->f.x1, y);
        tt_svg_text_at(b, l->f.x0 - 6, y + 4, "dim num\" text-anchor=\"end");
        tt_tick_label(text, &l->ty, i);
        tt_buf_str(b, text);
        tt_buf_str(b, "</text>\n");
    }
    tt_buf_str(b, "</g>\n");
    if (!p->unit && l->ty.scale == 0)
        return;
    tt_buf_str(b, "<text class=\"dim\" text-anchor=\"middle\" "
                  "transform=\"translate(13 ");
    tt_markup_coord(b, (l->f.y0 + l->f.y1) / 2);
    tt_buf_str(b, ") rotate(-90)\">");
    power_of_ten(b, l->ty.scale);
    tt_markup_text_n(b, p->unit, p->x_name ? NAME_MAX : 20);
    tt_buf_str(b, "</text>\n");
}

static void frame(struct tt_buf *b, const struct plot_frame *f)
{
    tt_buf_str(b, "<path class=\"frame\" d=\"M");
    tt_markup_coord(b, f->x0);
    tt_buf_char(b, ' ');
    tt_markup_coord(b, f->y1);
    tt_buf_char(b, 'V');
    tt_markup_coord(b, f->y0);
    tt_buf_char(b, 'H');
    tt_markup_coord(b, f->x1);
    tt_buf_str(b, "\"/>\n");
}

/* Events, across the frame. */
static void instants(struct tt_buf *b, const struct layout *l)
{
    const struct plot_frame *f = &l->f;
    size_t n = 0;

    for (size_t i = 0; i < l->opts->n_instant; i++) {
        double t = l->opts->instant[i];

        if (t < f->t0 || t > f->t1)
            continue;
        tt_buf_str(b, n++ ? "M" : "<path class=\"instant\" d=\"M");
        tt_markup_coord(b, tt_plot_x(f, t));
        tt_buf_char(b, ' ');
        tt_markup_coord(b, f->y0);
        tt_buf_char(b, 'V');
        tt_markup_coord(b, f->y1);
    }
    if (n)
        tt_buf_str(b, "\"/>\n");
}

static void no_numbers(struct tt_buf *b, const struct plot_frame *f)
{
    tt_svg_text_at(b, (f->x0 + f->x1) / 2, (f->y0 + f->y1) / 2,
                   "dim\" text-anchor=\"middle");
    tt_buf_str(b, "no numbers to draw</text>\n");
}

/* Time runs to the right; a path needs a ring where it begins. */
static void start_mark(struct tt_buf *b, const struct plot_frame *f,
                       const struct tt_series *s, size_t color)
{
    size_t i = 0;

    while (i < s->n && !(isfinite(s->t[i]) && isfinite(s->y[i])))
        i++;
    if (i == s->n)
        return;
    tt_buf_fmt(b, "<circle class=\"s s%zu\" r=\"4\"", color);
    attribute(b, "cx", tt_plot_x(f, s->t[i]));
    attribute(b, "cy", tt_plot_y(f, s->y[i]));
    tt_buf_str(b, "/>\n");
}

static void draw_series(struct tt_buf *b, const struct layout *l,
                        const struct tt_series *s, size_t i)
{
    tt_buf_fmt(b, "<path class=\"s s%zu%s\"%s", i % 8, s->marks ? " mark" : "",
               i >= 8 ? " stroke-dasharray=\"5 3\"" : "");
    if (l->live) {
        tt_buf_fmt(b, " data-i=\"%zu\" data-kind=\"%s\" data-v=\"", i,
                   s->marks   ? "marks"
                   : s->stems ? "stems"
                   : s->steps ? "steps"
                              : "line");
        tt_plot_values(b, &l->f, s);
        tt_buf_char(b, '"');
    }
    tt_buf_str(b, " d=\"");
    tt_plot_path(b, &l->f, s);
    tt_buf_str(b, "\"><title>");
    tt_markup_text(b, s->full ? s->full : s->name);
    tt_buf_str(b, "</title></path>\n");
}

/* The frame in pixels and in values: what a script needs to draw it again. */
static void open_panel(struct tt_buf *b, const struct layout *l,
                       const struct tt_panel *p)
{
    const double f[] = {l->f.x0, l->f.x1, l->f.y0, l->f.y1,
                        l->f.t0, l->f.t1, l->f.lo, l->f.hi};
    char text[TT_NUM_MAX];

    if (!l->live) {
        tt_buf_str(b, "<g>\n");
        return;
    }
    tt_buf_str(b, "<g class=\"panel\" data-unit=\"");
    tt_markup_text(b, p->unit);
    tt_buf_str(b, "\" data-f=\"");
    for (size_t i = 0; i < sizeof(f) / sizeof(f[0]); i++) {
        tt_num_print_short(text, f[i]);
        tt_buf_str(b, i ? " " : "");
        tt_buf_str(b, text);
    }
    tt_buf_str(b, "\">\n");
}

static void draw_panel(struct tt_buf *b, const struct layout *l,
                       const struct tt_panel *p, double left)
{
    double lo = 0, hi = 0;

    if (p->title) {
        tt_svg_text_at(b, left, l->top + 16, "title");
        tt_markup_text_n(b, p->title, NAME_MAX);
        tt_buf_str(b, "</text>\n");
    }
    legend(b, p, l->top, left, l->width - RIGHT);
    time_axis(b, l, p->x_name);
    if (!tt_panel_is_bands(p))
        value_axis(b, l, p);
    frame(b, &l->f);
    if (!p->x_name)
        instants(b, l);
    if (tt_panel_is_bands(p)) {
        tt_svg_bands(b, &l->f, p);
        return;
    }
    if (!tt_panel_range(p, &lo, &hi))
        no_numbers(b, &l->f);
    for (size_t i = 0; i < p->n; i++) {
        struct tt_series s = p->series[i];

        draw_series(b, l, &s, i);
        if (s.stems) {
            s.marks = 1;
            draw_series(b, l, &s, i);
        }
        if (p->x_name)
            start_mark(b, &l->f, &s, i % 8);
    }
}

/* --- the picture ------------------------------------------------------- */

static double panel_bottom(const struct layout *l)
{
    return l->f.y0 + (l->is_last ? AXIS_H : AXIS_H - 16);
}

static void open_picture(struct tt_buf *b, const struct tt_svg_opts *o,
                         double height)
{
    tt_buf_fmt(b,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tp\" "
               "role=\"img\" width=\"%d\"",
               o->width);
    attribute(b, "height", height);
    tt_buf_fmt(b, " viewBox=\"0 0 %d ", o->width);
    tt_markup_coord(b, height);
    tt_buf_str(b, "\">\n");
    if (!o->embedded) {
        tt_buf_str(b, "<style>");
        tt_buf_str(b, tt_svg_style());
        tt_buf_str(b, "</style>\n<rect class=\"bg\" width=\"100%\" "
                      "height=\"100%\"/>\n");
    }
    if (o->title) {
        tt_svg_text_at(b, 14, 24, "head");
        tt_markup_text_n(b, o->title, 90);
        tt_buf_str(b, "</text>\n");
    }
}

void tt_svg_panels(struct tt_buf *b, const struct tt_panel *panel, size_t n,
                   const struct tt_svg_opts *opts)
{
    struct tt_svg_opts o = opts ? *opts : (struct tt_svg_opts){0};
    double left = 30, top = 6, bottom;
    struct layout l = {0};

    if (o.width <= 0)
        o.width = WIDTH;
    if (o.panel_height <= 0)
        o.panel_height = HEIGHT;
    if (o.title)
        top += TITLE_H + 6;
    for (size_t i = 0; i < n; i++)
        left = fmax(left, left_room(&panel[i], o.panel_height));
    bottom = top;
    for (size_t i = 0; i < n; i++) {
        l.is_last = i + 1 == n;
        set_up(&l, &panel[i], i ? bottom + GAP : top, left, &o);
        bottom = panel_bottom(&l);
    }
    open_picture(b, &o, bottom + 6);
    bottom = top;
    for (size_t i = 0; i < n; i++) {
        l.is_last = i + 1 == n;
        set_up(&l, &panel[i], i ? bottom + GAP : top, left, &o);
        open_panel(b, &l, &panel[i]);
        draw_panel(b, &l, &panel[i], left);
        tt_buf_str(b, "</g>\n");
        bottom = panel_bottom(&l);
    }
    tt_buf_str(b, "</svg>\n");
}
