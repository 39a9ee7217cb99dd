/* SPDX-License-Identifier: MIT */
#include "analysis/gain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/show.h"

#define ROWS_MOST  4096u
#define STEPS_MOST 1000000u
#define FADED      1e-13 /* of what was added up: the rest does not count */

/* One error in one step, and what is added up of its answers. */
struct course {
    const struct tt_radius *r;
    double *z, *next;      /* owned: in coordinates of the matrix */
    double *worst, *noise; /* owned: of each number; noise: of squares */
};

static double number_at(const struct tt_fit *f, const double *z, uint32_t i)
{
    double sum = 0;

    for (uint32_t k = 0; k < f->order; k++)
        sum += f->u[i + (size_t)k * f->rows] * z[k];
    return sum;
}

static void begin(struct course *c, uint32_t cause)
{
    const struct tt_fit *f = &c->r->fit;
    const double *at = tt_response_at(&c->r->response, cause, 0);

    for (uint32_t k = 0; k < f->order; k++) {
        c->z[k] = 0;
        for (uint32_t i = 0; i < f->rows; i++)
            c->z[k] += f->u[i + (size_t)k * f->rows] * at[i];
    }
}

/* Adds one step's, and goes to the next. Returns whether something is left. */
static int add_step(struct course *c)
{
    const struct tt_fit *f = &c->r->fit;
    uint32_t n = f->order;
    double left = 0, most = 0;

    for (uint32_t i = 0; i < c->r->response.n; i++) {
        double y = number_at(f, c->z, i);

        c->worst[i] += fabs(y);
        c->noise[i] += y * y;
        most = fmax(most, c->worst[i]);
    }
    memset(c->next, 0, n * sizeof(*c->next));
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            c->next[i] += f->a[i + (size_t)k * n] * c->z[k];
    for (uint32_t i = 0; i < n; i++) {
        c->z[i] = c->next[i];
        left = fmax(left, fabs(c->z[i]));
    }
    return left > FADED * most * (1 - f->rho);
}

static void follow(struct course *c, uint32_t cause)
{
    uint32_t n = c->r->response.n;

    memset(c->worst, 0, n * sizeof(*c->worst));
    memset(c->noise, 0, n * sizeof(*c->noise));
    begin(c, cause);
    for (uint32_t k = 0; k < STEPS_MOST && add_step(c); k++)
        ;
}

static void add_rows(struct tt_gain *g, const struct course *c,
                     const struct tt_probe_number *in, const tt_plan *p)
{
    const struct tt_response *r = &c->r->response;
    const struct tt_feed *feed = &p->feed[p->slot[in->slot].feed];
    char from[200], to[200];

    for (uint32_t i = 0; i < r->n && g->n < ROWS_MOST; i++) {
        const struct tt_probe_number *x = &r->number[i];
        struct tt_gain_row *row = &g->row[g->n];
        double scale = x->nominal / in->nominal;

        if (x->of != TT_PROBE_SLOT || x->movable)
            continue;
        (void)snprintf(row->from, sizeof(row->from), "%s -> %s",
                       tt_plan_slot_name(p, feed->from, from, sizeof(from)),
                       tt_plan_slot_name(p, in->slot, to, sizeof(to)));
        (void)tt_plan_slot_name(p, x->slot, row->to, sizeof(row->to));
        row->worst = scale * c->worst[i];
        row->noise = scale * sqrt(c->noise[i]);
        g->n++;
    }
}

static void add_all(struct tt_gain *g, struct course *c, const tt_plan *p)
{
    const struct tt_response *r = &c->r->response;
    uint32_t cause = 0;

    for (uint32_t i = 0; i < r->n; i++) {
        const struct tt_probe_number *x = &r->number[i];

        if (!x->movable)
            continue;
        if (x->of == TT_PROBE_SLOT && p->slot[x->slot].feed != TT_NONE) {
            follow(c, cause);
            add_rows(g, c, x, p);
        }
        cause++;
    }
}

enum tt_code tt_gain_find(struct tt_gain *out, const struct tt_radius *r,
                          const tt_plan *p, tt_err *err)
{
    struct tt_gain g = {0};
    struct course c = {.r = r};
    uint32_t n = r->response.n, order = r->fit.order;
    size_t most = (size_t)r->response.n_cause * n;
    enum tt_code rc = TT_OK;

    if (r->verdict != TT_STABILITY_STABLE)
        return TT_OK;
    g.row = tt_zalloc(most < ROWS_MOST ? most : ROWS_MOST, sizeof(*g.row));
    c.z = tt_zalloc(order, sizeof(*c.z));
    c.next = tt_zalloc(order, sizeof(*c.next));
    c.worst = tt_zalloc(n, sizeof(*c.worst));
    c.noise = tt_zalloc(n, sizeof(*c.noise));
    if (g.row && c.z && c.next && c.worst && c.noise)
        add_all(&g, &c, p);
    else
        rc = tt_nomem(err, "the analysis");
    TT_FREE_ALL(c.z, c.next, c.worst, c.noise);
    return TT_HAND_OVER_VALUE(rc, out, g, tt_gain_fini);
}

void tt_gain_fini(struct tt_gain *g)
{
    tt_free(g->row);
    *g = (struct tt_gain){0};
}

/* --- showing it ------------------------------------------------------------
 */

void tt_gain_text(struct tt_buf *b, const struct tt_gain *g)
{
    tt_buf_str(b, "\ngain (of an error of 1 on a connection, another one each "
                  "step)\n      worst      noise  from, to\n");
    for (uint32_t i = 0; i < g->n; i++) {
        tt_show_cell(b, g->row[i].worst, 5, 11);
        tt_show_cell(b, g->row[i].noise, 5, 11);
        tt_buf_str(b, "  ");
        tt_show_clean(b, g->row[i].from);
        tt_buf_str(b, ", ");
        tt_show_clean(b, g->row[i].to);
        tt_buf_char(b, '\n');
    }
    if (!g->n)
        tt_buf_str(b, "  none: it is not stable, or nothing is connected\n");
}

void tt_gain_json(struct tt_buf *b, const struct tt_gain *g)
{
    tt_buf_char(b, '[');
    for (uint32_t i = 0; i < g->n; i++) {
        tt_buf_fmt(b, "%s\n    {\"connection\": ", i ? "," : "");
        tt_buf_json(b, g->row[i].from);
        tt_json_text(b, ", \"output\": ", g->row[i].to);
        tt_json_num(b, ", \"worst\": ", g->row[i].worst);
        tt_json_num(b, ", \"noise\": ", g->row[i].noise);
        tt_buf_char(b, '}');
    }
    tt_buf_str(b, g->n ? "\n  ]" : "]");
}
