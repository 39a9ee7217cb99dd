/* SPDX-License-Identifier: MIT */
/* What a search found, as a page: error against cost, reasons, what was tried.
 */
#include <math.h>

#include "base/num.h"
#include "results/markup.h"
#include "results/report.h"
#include "results/svg.h"
#include "tune/tune.h"

enum kind { WITHIN, OUT, BEST, KINDS };

/* Points of the picture, by logarithms; NaN has none. */
struct points {
    double *x[KINDS], *y[KINDS];
    size_t n[KINDS];
};

static void sort_out(struct points *p, const struct tt_tune *t,
                     double tolerance)
{
    for (uint32_t i = 0; i < t->n_tried; i++) {
        const struct tt_tune_try *x = &t->tried[i];
        enum kind k = i == t->best                              ? BEST
                      : x->error <= tolerance && x->why[0] == 0 ? WITHIN
                                                                : OUT;

        if (x->role != TT_TUNE_CANDIDATE || !(x->cost > 0) || !(x->error < 1e3))
            continue;
        p->x[k][p->n[k]] = log10(x->cost);
        p->y[k][p->n[k]++] = log10(fmax(x->error, 1e-16));
    }
}

static void put_picture(struct tt_buf *b, const struct tt_tune *t,
                        double tolerance)
{
    static const char *const name[] = {"within the tolerance", "out", "chosen"};
    struct points p = {.n = {0}};
    double *all = tt_zalloc(((size_t)t->n_tried + 1) * KINDS * 2, sizeof(*all));
    struct tt_series s[KINDS];
    struct tt_panel panel = {.title = "Error against cost",
                             .unit = "log10 of the error",
                             .x_name = "log10 of the cost, steps of instances",
                             .series = s};

    if (!all) {
        b->failed = 1;
        return;
    }
    for (int k = 0; k < KINDS; k++) {
        p.x[k] = all + 2 * (size_t)k * (t->n_tried + 1);
        p.y[k] = p.x[k] + t->n_tried + 1;
    }
    sort_out(&p, t, tolerance);
    for (int k = 0; k < KINDS; k++)
        if (p.n[k])
            s[panel.n++] = (struct tt_series){.name = name[k],
                                              .t = p.x[k],
                                              .y = p.y[k],
                                              .n = p.n[k],
                                              .marks = 1};
    if (panel.n)
        tt_svg_panels(
            b, &panel, 1,
            &(struct tt_svg_opts){.panel_height = 320, .embedded = 1});
    tt_free(all);
}

static void put_cell(struct tt_buf *b, double v)
{
    char text[TT_NUM_MAX] = "";

    if (!isnan(v))
        tt_num_print_digits(text, v, 3);
    tt_buf_fmt(b, "<td class=\"num\">%s</td>", text);
}

static void put_row(struct tt_buf *b, const struct tt_tune *t, uint32_t i)
{
    const struct tt_tune_try *x = &t->tried[i];

    tt_buf_str(b, i == t->best ? "<tr><td><b>" : "<tr><td>");
    tt_markup_text(b, t->way[x->way]);
    tt_buf_str(b, i == t->best ? "</b></td>" : "</td>");
    put_cell(b, x->step);
    put_cell(b, x->error);
    put_cell(b, x->cost);
    tt_buf_str(b, "<td>");
    if (x->role != TT_TUNE_CANDIDATE)
        tt_buf_fmt(b, "%s%s", tt_tune_role_name(x->role),
                   x->why[0] ? "; " : "");
    tt_markup_text(b, x->why);
    tt_buf_str(b, "</td></tr>\n");
}

void tt_tune_report(struct tt_buf *b, const struct tt_tune *t,
                    const char *scenario, double tolerance)
{
    tt_report_begin(b, "Settings found by Tutti");
    tt_buf_str(b, "<h1>Settings for ");
    tt_markup_text(b, scenario);
    tt_buf_fmt(b, "</h1>\n<p>%s</p>\n",
               t->best == TT_NONE ? "No variant was run to its end."
               : t->confirmed     ? "The choice is confirmed."
                                  : "The choice is not confirmed.");
    tt_tune_put_begin(b, t, "<p>", "</p>\n");
    tt_buf_str(b, "<section><h2>Error against cost</h2>\n");
    put_picture(b, t, tolerance);
    tt_buf_str(b, "</section>\n<section><h2>Reasons</h2>\n<ul>\n");
    for (uint32_t i = 0; i < t->n_reason; i++) {
        tt_buf_str(b, "<li>");
        tt_markup_text(b, t->reason[i]);
        tt_buf_str(b, "</li>\n");
    }
    tt_buf_str(b, "</ul></section>\n<section><h2>What was tried</h2>\n<table>"
                  "<tr><th>variant</th><th>step, s</th><th>error</th>"
                  "<th>cost</th><th>why it is out</th></tr>\n");
    for (uint32_t i = 0; i < t->n_tried; i++)
        put_row(b, t, i);
    tt_buf_str(b, "</table></section>\n</main>\n</body>\n</html>\n");
}
