/* SPDX-License-Identifier: MIT */
/* Texts over time: a row for each series, in it a band for each text that
 * lasts, and a stem for each that is there for an instant. */
#include "results/markup.h"
#include "results/svg_impl.h"

#define ROW_H    24.0
#define NAME_MAX 24
#define WORD_MAX 24
#define LEAST_W  0.5 /* px: of a band that is drawn, and between two stems */

double tt_svg_bands_height(const struct tt_panel *p)
{
    return ROW_H * (double)p->n;
}

double tt_svg_bands_left(const struct tt_panel *p)
{
    double most = 0;

    for (size_t i = 0; i < p->n; i++) {
        double w = tt_svg_text_width(p->series[i].name, NAME_MAX);

        most = w > most ? w : most;
    }
    return most + 16;
}

/* A word where there is room for it. */
static void label(struct tt_buf *b, double x, double y, double room,
                  const char *word)
{
    if (tt_svg_text_width(word, WORD_MAX) > room)
        return;
    tt_svg_text_at(b, x, y + 4, "word");
    tt_markup_text_n(b, word, WORD_MAX);
    tt_buf_str(b, "</text>\n");
}

static void put_path(struct tt_buf *b, size_t color, int stem, double x0,
                     double x1, double y)
{
    tt_buf_fmt(b, "<path class=\"s s%zu%s\" d=\"M", color % 8,
               stem ? "" : " band");
    tt_markup_coord(b, x0);
    tt_buf_char(b, ' ');
    tt_markup_coord(b, stem ? y + ROW_H / 2 - 3 : y);
    tt_buf_char(b, stem ? 'V' : 'H');
    tt_markup_coord(b, stem ? y - ROW_H / 2 + 3 : x1);
    tt_buf_str(b, "\"><title>");
}

/* Those that are too close to the last one drawn are left out. */
static void draw_row(struct tt_buf *b, const struct plot_frame *f,
                     const struct tt_panel *p, const struct tt_series *s,
                     double y)
{
    double drawn = f->x0 - 1;

    for (size_t i = 0, end; i < s->n; i++) {
        double x0, x1;

        if (!tt_series_span(s, i, &end))
            continue;
        x0 = tt_plot_x(f, s->t[i]);
        x1 = end < s->n ? tt_plot_x(f, s->t[end]) : f->x1;
        if ((s->stems ? x0 : x1) - drawn < LEAST_W)
            continue;
        put_path(b, tt_panel_word(p, s->word[i]), s->stems, x0, x1, y);
        tt_markup_text_n(b, s->word[i], 200);
        tt_buf_str(b, "</title></path>\n");
        label(b, x0 + 5, y, x1 - x0 - 8, s->word[i]);
        drawn = s->stems ? x0 : x1;
    }
}

void tt_svg_bands(struct tt_buf *b, const struct plot_frame *f,
                  const struct tt_panel *p)
{
    for (size_t i = 0; i < p->n; i++) {
        double y = f->y1 + ROW_H * ((double)i + 0.5);

        tt_svg_text_at(b, f->x0 - 6, y + 4, "dim\" text-anchor=\"end");
        tt_markup_text_n(b, p->series[i].name, NAME_MAX);
        tt_buf_str(b, "</text>\n");
        draw_row(b, f, p, &p->series[i], y);
    }
}
