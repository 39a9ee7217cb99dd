/* SPDX-License-Identifier: MIT */
/* A study in words, as JSON and as a picture. */
#include <math.h>
#include <string.h>

#include "analysis/study.h"
#include "base/num.h"
#include "base/show.h"
#include "results/svg.h"

#define DIGITS 5

/* --- words -----------------------------------------------------------------
 */

static int alternates(const struct tt_radius *r)
{
    const struct tt_fit *f = &r->fit;

    return f->re[f->first] < 0 &&
           fabs(f->im[f->first]) < 0.05 * fabs(f->re[f->first]);
}

/* How the dominant mode moves. */
static void put_course(struct tt_buf *b, const struct tt_radius *r)
{
    double period = tt_study_period(r);

    if (alternates(r)) {
        tt_buf_str(b, ", changing sign from step to step");
    } else if (period > 0) {
        tt_show_digits(b, ", swinging with a period of ", period, 3);
        tt_buf_str(b, " s");
    }
}

void tt_study_sentence(struct tt_buf *b, const struct tt_radius *r)
{
    if (r->verdict == TT_STABILITY_UNKNOWN) {
        tt_buf_fmt(b, "unknown: %s", r->reason);
        return;
    }
    tt_buf_fmt(b, "%s: ", tt_stability_name(r->verdict));
    if (r->verdict == TT_STABILITY_MARGINAL)
        tt_buf_str(b, "what is largest neither grows nor fades (rho = 1 to "
                      "within what can be known)");
    else
        tt_buf_str(b, r->verdict == TT_STABILITY_STABLE
                          ? "deviations fade by a factor of "
                          : "deviations grow by a factor of ");
    if (r->verdict != TT_STABILITY_MARGINAL) {
        tt_show_digits(b, "", r->rho, DIGITS);
        tt_buf_str(b, " per step");
    }
    put_course(b, r);
}

/* Where small changes were made, if that matters. */
static void put_place(struct tt_buf *b, const struct tt_study *s)
{
    if (s->now.affine)
        return;
    tt_buf_str(b, "           linearised at ");
    if (s->placed) {
        tt_show_digits(b, "t = ", s->now.response.time, 6);
        tt_buf_str(b, " s");
    } else {
        tt_buf_str(b, "the start");
    }
    tt_buf_str(b, ": farther away it may be otherwise\n");
}

static void put_way(struct tt_buf *b, const struct tt_radius *r)
{
    tt_buf_fmt(b,
               "how:       one macro step as it is played, with %u start "
               "values and inputs moved one by one; a matrix of order %u",
               r->response.n_cause, r->fit.order);
    tt_buf_str(b, r->identified ? ", identified: not all states can be set\n"
                  : r->tangent  ? ", from derivatives that instances give: not "
                                  "all states can be set\n"
                                : ", from all states\n");
    if (r->tangent)
        tt_buf_str(b, "           instances are taken to be solved exactly, "
                      "since that is how they answer to their inputs\n");
    if (r->identified)
        tt_buf_str(b, "           what inputs do not reach is not seen\n");
    if (r->response.discrete)
        tt_buf_fmt(b,
                   "           as long as %u connection%s of flags, counts or "
                   "texts do%s not change\n",
                   r->response.discrete, r->response.discrete == 1 ? "" : "s",
                   r->response.discrete == 1 ? "es" : "");
}

static void put_carriers(struct tt_buf *b, const struct tt_study *s)
{
    tt_buf_str(b, "carried by:");
    for (uint32_t i = 0; i < s->n_instance && i < 4; i++) {
        if (s->instance[i].part < 0.01)
            continue;
        tt_buf_fmt(b, "%s ", i ? "," : "");
        tt_show_clean(b, s->instance[i].name);
        tt_show_digits(b, " ", 100 * s->instance[i].part, 2);
        tt_buf_str(b, " %");
    }
    tt_buf_char(b, '\n');
}

/* Connections without which it would be stable. */
static void put_guilty(struct tt_buf *b, const struct tt_study *s)
{
    if (s->now.verdict == TT_STABILITY_STABLE)
        return;
    for (uint32_t i = 0; i < s->n_connection; i++) {
        if (s->connection[i].held != TT_STABILITY_STABLE)
            continue;
        tt_buf_str(b, "held:      ");
        tt_show_clean(b, s->connection[i].name);
        tt_show_digits(b, ": stable without it, rho ",
                       s->connection[i].held_rho, DIGITS);
        tt_buf_char(b, '\n');
    }
}

static void put_model(struct tt_buf *b, const struct tt_scan *s)
{
    if (!isfinite(s->abscissa))
        return;
    tt_buf_str(b, "the model: ");
    if (s->abscissa > 3 * s->abscissa_error)
        tt_buf_str(b, "is unstable itself, whatever the master");
    else if (s->abscissa < -3 * s->abscissa_error)
        tt_buf_str(b, "is stable itself");
    else
        tt_buf_str(b, "is near the border itself");
    tt_show_digits(b, " (ever smaller steps lead to an abscissa of about ",
                   s->abscissa, 3);
    tt_buf_str(b, " 1/s)\n");
}

static void put_largest(struct tt_buf *b, const struct tt_study *s)
{
    const struct tt_scan *scan = &s->scan;

    if (!scan->n)
        return;
    tt_buf_str(b, "steps:     ");
    if (!isfinite(scan->largest)) {
        tt_buf_str(b, "no step was stable");
    } else {
        tt_buf_str(b, scan->beyond ? "stable up to the longest tried, "
                                   : "the largest stable step is ");
        tt_show_digits(b, "", scan->largest, DIGITS);
        tt_buf_str(b, " s");
    }
    tt_buf_fmt(b, " (%u tried, ", scan->n);
    tt_show_digits(b, "", scan->step[0], 3);
    tt_show_digits(b, " to ", scan->step[scan->n - 1], 3);
    tt_buf_str(b, " s)\n");
}

/* Where it comes to rest, unless that is 0. */
static void put_rest(struct tt_buf *b, const struct tt_study *s)
{
    const char *between = "rests at:  ";

    if (s->now.verdict != TT_STABILITY_STABLE)
        return;
    for (uint32_t i = 0; i < s->n_state; i++)
        if (fabs(s->state[i].rest) > 1e-9) {
            tt_buf_str(b, between);
            tt_show_clean(b, s->state[i].name);
            tt_show_digits(b, " = ", s->state[i].rest, DIGITS);
            between = ", ";
        }
    if (between[0] == ',')
        tt_buf_char(b, '\n');
}

static void put_affine_json(struct tt_buf *b, const struct tt_study *s)
{
    if (!s->n_state)
        return;
    tt_json_num(b, "  \"affinePart\": {\"residual\": ", s->affine_residual);
    tt_buf_str(b, ", \"states\": [");
    for (uint32_t i = 0; i < s->n_state; i++) {
        tt_buf_str(b, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        tt_buf_json(b, s->state[i].name);
        tt_json_num(b, ", \"constant\": ", s->state[i].constant);
        tt_json_num(b, ", \"rest\": ", s->state[i].rest);
        tt_buf_char(b, '}');
    }
    tt_buf_str(b, "\n  ]},\n");
}

static void put_row(struct tt_buf *b, const struct tt_study_row *r)
{
    tt_buf_str(b, "  ");
    tt_show_pad(b, tt_stability_name(r->verdict), 9, 0, 0);
    tt_show_cell(b, r->rho, DIGITS, 10);
    tt_show_cell(b, r->cost, 4, 10);
    tt_show_cell(b, r->largest, 3, 9);
    tt_buf_str(b, "  ");
    tt_show_clean(b, r->options);
    if (r->verdict == TT_STABILITY_UNKNOWN) {
        tt_buf_str(b, ": ");
        tt_show_clean(b, r->reason);
    }
    tt_buf_char(b, '\n');
}

static void put_rows(struct tt_buf *b, const struct tt_study *s)
{
    if (!s->n_row)
        return;
    tt_buf_str(b, "\ninstead (cost: steps of instances per simulated second; "
                  "longest: stable step, s)\n  verdict          rho      cost  "
                  "longest  options\n");
    for (uint32_t i = 0; i < s->n_row; i++)
        put_row(b, &s->row[i]);
}

static void put_pace(struct tt_buf *b, const struct tt_radius *r)
{
    double t = tt_study_time(r);

    if (!isfinite(t))
        return;
    tt_show_digits(b, "time:      e-fold in ", t, 3);
    tt_buf_str(b, " s\n");
}

/* What a plain run shows, where nothing better is known. */
static void put_trend(struct tt_buf *b, const struct tt_trend *t)
{
    if (!isfinite(t->rho))
        return;
    tt_show_digits(b, "estimate:  ", t->rho, DIGITS);
    tt_buf_fmt(b,
               " per step, fitted to how connected values changed in the last "
               "%u steps of a run until t = ",
               t->rows);
    tt_show_digits(b, "", t->time, 4);
    tt_show_digits(b, " s, of which it leaves ", 100 * t->residual, 2);
    tt_buf_str(b, " % unexplained; this is no verdict\n");
}

void tt_study_text(struct tt_buf *b, const struct tt_study *s)
{
    if (s->name[0]) {
        tt_show_clean(b, s->name);
        tt_buf_fmt(b, ": %s", s->master);
        if (s->now.step > 0) {
            tt_show_digits(b, ", step ", s->now.step, 6);
            tt_buf_str(b, " s");
        }
        tt_buf_char(b, '\n');
    }
    tt_buf_str(b, "verdict:   ");
    tt_study_sentence(b, &s->now);
    tt_buf_char(b, '\n');
    if (s->now.verdict == TT_STABILITY_UNKNOWN) {
        put_trend(b, &s->trend);
        return;
    }
    put_pace(b, &s->now);
    put_way(b, &s->now);
    put_place(b, s);
    put_rest(b, s);
    put_carriers(b, s);
    put_guilty(b, s);
    put_largest(b, s);
    put_model(b, &s->scan);
    put_rows(b, s);
    if (s->gained)
        tt_gain_text(b, &s->gain);
}

/* --- JSON ------------------------------------------------------------------
 */

static void put_parts(struct tt_buf *b, const char *name,
                      const struct tt_study_part *part, uint32_t n, int held)
{
    tt_buf_fmt(b, "    \"%s\": [", name);
    for (uint32_t i = 0; i < n; i++) {
        tt_buf_fmt(b, "%s\n      {\"name\": ", i ? "," : "");
        tt_buf_json(b, part[i].name);
        tt_json_num(b, ", \"part\": ", part[i].part);
        if (held) {
            tt_buf_fmt(b, ", \"heldVerdict\": \"%s\", ",
                       tt_stability_name(part[i].held));
            tt_json_num(b, "\"heldRho\": ", part[i].held_rho);
        }
        tt_buf_char(b, '}');
    }
    tt_buf_str(b, n ? "\n    ]" : "]");
}

static void put_mode(struct tt_buf *b, const struct tt_study *s)
{
    const struct tt_fit *f = &s->now.fit;

    tt_json_num(b, "  \"mode\": {\n    \"eigenvalue\": [", f->re[f->first]);
    tt_json_num(b, ", ", f->im[f->first]);
    tt_buf_fmt(b, "], \"alternates\": %s, ",
               alternates(&s->now) ? "true" : "false");
    tt_json_num(b, "\"timeConstant\": ", tt_study_time(&s->now));
    tt_json_num(b, ", \"period\": ", tt_study_period(&s->now));
    tt_buf_str(b, ",\n");
    put_parts(b, "instances", s->instance, s->n_instance, 0);
    tt_buf_str(b, ",\n");
    put_parts(b, "connections", s->connection, s->n_connection, 1);
    tt_buf_str(b, "\n  },\n");
}

static void put_eigenvalues(struct tt_buf *b, const struct tt_fit *f)
{
    tt_buf_str(b, "  \"eigenvalues\": [");
    for (uint32_t i = 0; i < f->order; i++) {
        tt_buf_str(b, i ? ", [" : "[");
        tt_show_json_num(b, f->re[i]);
        tt_json_num(b, ", ", f->im[i]);
        tt_buf_char(b, ']');
    }
    tt_buf_str(b, "],\n");
}

static void put_way_json(struct tt_buf *b, const struct tt_radius *r)
{
    tt_buf_fmt(b,
               "  \"way\": {\"from\": \"%s\", \"affine\": %s, \"moved\": %u, "
               "\"order\": %u, \"discrete\": %u, ",
               r->identified ? "identified"
               : r->tangent  ? "derivatives"
                             : "states",
               r->affine ? "true" : "false", r->response.n_cause, r->fit.order,
               r->response.discrete);
    tt_json_num(b, "\"time\": ", r->response.time);
    tt_json_num(b, ", \"proportion\": ", r->response.error);
    tt_json_num(b, ", \"residual\": ", r->fit.residual);
    tt_buf_str(b, "},\n");
}

static void put_scan(struct tt_buf *b, const struct tt_scan *s)
{
    tt_json_num(b, "  \"largestStep\": ", s->largest);
    tt_buf_fmt(b, ",\n  \"largestStepTried\": %s,\n  \"model\": {",
               s->beyond ? "true" : "false");
    tt_json_num(b, "\"abscissa\": ", s->abscissa);
    tt_json_num(b, ", \"error\": ",
                isfinite(s->abscissa) ? s->abscissa_error : (double)NAN);
    tt_buf_fmt(b, ", \"unstable\": %s},\n  \"steps\": [",
               !isfinite(s->abscissa)                 ? "null"
               : s->abscissa > 3 * s->abscissa_error  ? "true"
               : s->abscissa < -3 * s->abscissa_error ? "false"
                                                      : "null");
    for (uint32_t i = 0; i < s->n; i++) {
        tt_buf_fmt(b, "%s\n    {", i ? "," : "");
        tt_json_num(b, "\"step\": ", s->step[i]);
        tt_json_num(b, ", \"rho\": ", s->rho[i]);
        tt_buf_char(b, '}');
    }
    tt_buf_str(b, s->n ? "\n  ],\n" : "],\n");
}

static void put_row_json(struct tt_buf *b, const struct tt_study_row *r)
{
    tt_json_text(b, "\n    {\"options\": ", r->options);
    tt_buf_fmt(b, ", \"verdict\": \"%s\"", tt_stability_name(r->verdict));
    tt_json_num(b, ", \"rho\": ", r->rho);
    tt_json_num(b, ", \"step\": ", r->step);
    tt_json_num(b, ", \"cost\": ", r->cost);
    tt_json_num(b, ", \"largestStep\": ", r->largest);
    if (r->verdict == TT_STABILITY_UNKNOWN)
        tt_json_text(b, ", \"reason\": ", r->reason);
    tt_buf_char(b, '}');
}

static void put_trend_json(struct tt_buf *b, const struct tt_trend *t)
{
    if (!isfinite(t->rho))
        return;
    tt_json_num(b, "  \"estimate\": {\"rho\": ", t->rho);
    tt_json_num(b, ", \"residual\": ", t->residual);
    tt_json_num(b, ", \"time\": ", t->time);
    tt_buf_fmt(b, ", \"rows\": %u},\n", t->rows);
}

void tt_radius_json(struct tt_buf *b, const struct tt_radius *r,
                    const char *between)
{
    static const char *const name[] = {"rho", "error", "step"};
    const double value[] = {r->rho, r->error,
                            r->step > 0 ? r->step : (double)NAN};

    tt_buf_fmt(b, "\"verdict\": \"%s\"%s\"reason\": ",
               tt_stability_name(r->verdict), between);
    tt_buf_json(b, r->reason[0] ? r->reason : NULL);
    for (int i = 0; i < 3; i++) {
        tt_buf_fmt(b, "%s\"%s\": ", between, name[i]);
        tt_show_json_num(b, value[i]);
    }
}

void tt_study_json(struct tt_buf *b, const struct tt_study *s)
{
    const struct tt_radius *r = &s->now;

    tt_json_text(b, "{\n  \"scenario\": ", s->name);
    tt_buf_str(b, ",\n  ");
    tt_radius_json(b, r, ",\n  ");
    tt_json_num(b, ",\n  \"cost\": ", r->cost);
    tt_buf_str(b, ",\n");
    if (r->fit.re) {
        put_way_json(b, r);
        put_mode(b, s);
        put_eigenvalues(b, &r->fit);
    }
    put_affine_json(b, s);
    put_trend_json(b, &s->trend);
    put_scan(b, &s->scan);
    tt_buf_str(b, "  \"alternatives\": [");
    for (uint32_t i = 0; i < s->n_row; i++) {
        if (i)
            tt_buf_char(b, ',');
        put_row_json(b, &s->row[i]);
    }
    tt_buf_str(b, s->n_row ? "\n  ]" : "]");
    if (s->gained) {
        tt_buf_str(b, ",\n  \"gain\": ");
        tt_gain_json(b, &s->gain);
    }
    tt_buf_str(b, "\n}\n");
}

/* --- pictures --------------------------------------------------------------
 */

#define CIRCLE 181

static void draw_circle(double *x, double *y)
{
    for (int i = 0; i < CIRCLE; i++) {
        double angle = 2 * acos(-1) * i / (CIRCLE - 1);

        x[i] = cos(angle);
        y[i] = sin(angle);
    }
}

void tt_study_svg(struct tt_buf *b, const struct tt_study *s)
{
    const struct tt_fit *f = &s->now.fit;
    const struct tt_scan *scan = &s->scan;
    double x[CIRCLE], y[CIRCLE];
    double ends[2] = {scan->n ? scan->step[0] : 0,
                      scan->n ? scan->step[scan->n - 1] : 1};
    const double one[2] = {1, 1};
    const struct tt_series disc[] = {
        {.name = "unit circle", .t = x, .y = y, .n = CIRCLE},
        {.name = "eigenvalues of a step",
         .t = f->re,
         .y = f->im,
         .n = f->order,
         .marks = 1}};
    const struct tt_series steps[] = {
        {.name = "1", .t = ends, .y = one, .n = 2},
        {.name = "spectral radius",
         .t = scan->step,
         .y = scan->rho,
         .n = scan->n}};
    const struct tt_panel panel[] = {{.title = "Eigenvalues of one macro step",
                                      .unit = "imaginary part",
                                      .x_name = "real part",
                                      .series = disc,
                                      .n = 2},
                                     {.title = "Spectral radius over the step",
                                      .x_name = "step, s",
                                      .series = steps,
                                      .n = 2}};

    draw_circle(x, y);
    tt_svg_panels(b, panel, scan->n ? 2 : 1,
                  &(struct tt_svg_opts){.title = s->name, .panel_height = 420});
}
