/* SPDX-License-Identifier: MIT */
#include "analysis/plane.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/show.h"
#include "results/svg.h"

/* --- what is asked for -----------------------------------------------------
 */

enum tt_code tt_plane_axis(struct tt_axis *out, const char *text, tt_err *err)
{
    if (tt_axis_parse(out, text, TT_PLANE_MOST) == 0)
        return TT_OK;
    return tt_fail(err, TT_EINPUT,
                   "--region wants PARAMETER=FIRST:LAST:N, FIRST less than "
                   "LAST and N from 2 to %u, not '%s'",
                   TT_PLANE_MOST, text);
}

/* --- finding it ------------------------------------------------------------
 */

/* Setting wins over those of the case. */
static enum tt_code add_row(struct tt_plane *r, const struct tt_case *c,
                            const char **set, const char *setting, tt_err *err)
{
    struct tt_plane_row *row = &r->row[r->n];
    struct tt_case one = *c;
    struct tt_radius now;
    tt_scenario *s = NULL;
    double step = 0;
    enum tt_code rc;

    set[c->o.n_set] = setting;
    one.o.set = set;
    one.o.n_set = c->o.n_set + 1;
    rc = tt_case_load(&s, &one, 1, &step, err);
    tt_scenario_free(s);
    if (rc != TT_OK)
        return rc;
    tt_radius_find(&now, &one);
    row->rho = now.rho;
    row->verdict = now.verdict;
    tt_radius_fini(&now);
    tt_scan_make(&row->scan, &one, step);
    r->step = step;
    r->n++;
    return TT_OK;
}

enum tt_code tt_plane_find(struct tt_plane *out, const struct tt_case *c,
                           const struct tt_axis *axis, tt_err *err)
{
    struct tt_plane r = {0};
    const char **set = tt_zalloc(c->o.n_set + (size_t)1, sizeof(*set));
    char setting[TT_AXIS_SETTING];
    enum tt_code rc = TT_OK;

    r.row = tt_zalloc(axis->n, sizeof(*r.row));
    if (!set || !r.row)
        rc = tt_nomem(err, "the analysis");
    (void)snprintf(r.parameter, sizeof(r.parameter), "%s", axis->parameter);
    for (uint32_t i = 0; rc == TT_OK && i < c->o.n_set; i++)
        set[i] = c->o.set[i];
    for (uint32_t i = 0; rc == TT_OK && i < axis->n; i++) {
        r.row[i].value = tt_axis_at(axis, i);
        tt_axis_setting(axis, r.row[i].value, setting);
        rc = add_row(&r, c, set, setting, err);
    }
    tt_free(set);
    return TT_HAND_OVER_VALUE(rc, out, r, tt_plane_fini);
}

void tt_plane_fini(struct tt_plane *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        tt_scan_fini(&r->row[i].scan);
    tt_free(r->row);
    *r = (struct tt_plane){0};
}

/* --- showing it ------------------------------------------------------------
 */

void tt_plane_text(struct tt_buf *b, const struct tt_plane *r)
{
    char step[TT_NUM_MAX];

    tt_num_print_digits(step, r->step, 6);
    tt_buf_str(b, "stability over ");
    tt_show_clean(b, r->parameter);
    tt_buf_fmt(b,
               " (rho and verdict at a step of %s s; longest: stable step, s)\n"
               "       value       rho   longest  verdict\n",
               step);
    for (uint32_t i = 0; i < r->n; i++) {
        const struct tt_plane_row *row = &r->row[i];

        tt_show_cell(b, row->value, 6, 12);
        tt_show_cell(b, row->rho, 5, 10);
        tt_show_cell(b, row->scan.largest, 5, 10);
        tt_buf_fmt(b, "%s %s\n", row->scan.beyond ? "+" : " ",
                   tt_stability_name(row->verdict));
    }
}

static void put_row(struct tt_buf *b, const struct tt_plane_row *row)
{
    tt_buf_fmt(b, "{\"verdict\": \"%s\"", tt_stability_name(row->verdict));
    tt_json_num(b, ", \"value\": ", row->value);
    tt_json_num(b, ", \"rho\": ", row->rho);
    tt_json_num(b, ", \"largestStep\": ", row->scan.largest);
    tt_buf_fmt(b, ", \"largestStepTried\": %s, \"steps\": [",
               row->scan.beyond ? "true" : "false");
    for (uint32_t i = 0; i < row->scan.n; i++) {
        tt_buf_str(b, i ? ", [" : "[");
        tt_show_json_num(b, row->scan.step[i]);
        tt_json_num(b, ", ", row->scan.rho[i]);
        tt_buf_char(b, ']');
    }
    tt_buf_str(b, "]}");
}

void tt_plane_json(struct tt_buf *b, const struct tt_plane *r)
{
    tt_json_text(b, "{\n  \"parameter\": ", r->parameter);
    tt_json_num(b, ",\n  \"step\": ", r->step);
    tt_buf_str(b, ",\n  \"region\": [");
    for (uint32_t i = 0; i < r->n; i++) {
        tt_buf_str(b, i ? ",\n    " : "\n    ");
        put_row(b, &r->row[i]);
    }
    tt_buf_str(b, "\n  ]\n}\n");
}

/* Points of one sort, in the plane. */
struct points {
    double *x, *y; /* owned */
    uint32_t n;
};

static void add_point(struct points *p, double x, double y)
{
    p->x[p->n] = x;
    p->y[p->n++] = y;
}

static int sort_points(const struct tt_plane *r, struct points *stable,
                       struct points *other, struct points *border)
{
    size_t room = 0;

    for (uint32_t i = 0; i < r->n; i++)
        room += r->row[i].scan.n + (size_t)1;
    for (int i = 0; i < 3; i++) {
        struct points *p = i == 0 ? stable : i == 1 ? other : border;

        p->x = tt_zalloc(room, sizeof(*p->x));
        p->y = tt_zalloc(room, sizeof(*p->y));
        if (!p->x || !p->y)
            return 0;
    }
    for (uint32_t i = 0; i < r->n; i++) {
        const struct tt_scan *s = &r->row[i].scan;

        for (uint32_t k = 0; k < s->n; k++)
            add_point(s->rho[k] < 1 ? stable : other, r->row[i].value,
                      log10(s->step[k]));
        if (isfinite(s->largest))
            add_point(border, r->row[i].value, log10(s->largest));
    }
    return 1;
}

void tt_plane_svg(struct tt_buf *b, const struct tt_plane *r)
{
    struct points stable = {0}, other = {0}, border = {0};
    int ready = sort_points(r, &stable, &other, &border);
    const struct tt_series all[] = {{.name = "largest stable step",
                                     .t = border.x,
                                     .y = border.y,
                                     .n = border.n},
                                    {.name = "stable",
                                     .t = stable.x,
                                     .y = stable.y,
                                     .n = stable.n,
                                     .marks = 1},
                                    {.name = "not stable",
                                     .t = other.x,
                                     .y = other.y,
                                     .n = other.n,
                                     .marks = 1}};
    const struct tt_panel panel = {.title = "Steps that are stable",
                                   .unit = "log10 of the step in s",
                                   .x_name = r->parameter,
                                   .series = all,
                                   .n = 3};

    if (ready)
        tt_svg_panels(
            b, &panel, 1,
            &(struct tt_svg_opts){.title = r->parameter, .panel_height = 420});
    TT_FREE_ALL(stable.x, stable.y, other.x, other.y, border.x, border.y);
}
