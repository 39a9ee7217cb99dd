/* SPDX-License-Identifier: MIT */
#include "analysis/place.h"

#include <math.h>
#include <string.h>

#include "analysis/response.h"
#include "base/num.h"

#define STEPS_MOST 1000000u
#define TEXT_MOST  (1u << 20)
/* Steps after which what was started there is compared, and how near it is. */
#define COMPARED   2u
#define NEAR       1e-7

struct work {
    const struct tt_case *c;
    struct tt_probe_number *number; /* owned */
    uint32_t n, n_state, steps;
    double *state, *after, *again; /* owned */
    double time;
};

/* --- how far to play -------------------------------------------------------
 */

static enum tt_code count(struct work *w, const tt_run *run, tt_err *err)
{
    const tt_plan *p = tt_run_plan(run);
    const char *why = tt_probe_refusal(run);
    double t = *w->c->at, end = p->experiment.end;
    double steps = floor((t - p->experiment.start) / p->step + 1e-9);
    char text[TT_NUM_MAX];

    tt_num_print_short(text, t);
    if (why)
        return tt_fail(err, TT_EUNSUPPORTED, "%s", why);
    if (t < p->experiment.start || t > end)
        return tt_fail(err, TT_EINPUT,
                       "%s s is not between the start and the end of the run",
                       text);
    steps -= tt_response_before(p);
    if (steps > STEPS_MOST)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "%s s is more than %u steps from the start", text,
                       STEPS_MOST);
    w->steps = steps > 0 ? (uint32_t)steps : 0;
    return TT_OK;
}

/* Returns whether states are hidden in *hidden. */
static enum tt_code look(struct work *w, int *hidden, tt_err *err)
{
    struct tt_case_opened o;
    enum tt_code rc = tt_case_open(&o, w->c, err);

    if (rc == TT_OK)
        rc = count(w, o.run, err);
    if (rc == TT_OK)
        rc = tt_probe_list(o.run, &w->number, &w->n, err);
    if (rc == TT_OK) {
        *hidden = tt_response_hides(tt_run_plan(o.run), w->number, w->n);
        while (w->n_state < w->n && w->number[w->n_state].of == TT_PROBE_STATE)
            w->n_state++; /* they come first */
    }
    tt_case_close(&o);
    return rc;
}

/* --- the states there ------------------------------------------------------
 */

/* Plays `steps`, reads states into now (may be NULL), and some steps later all
 * numbers into after. */
static enum tt_code play(struct work *w, const struct tt_case *c,
                         uint32_t steps, double *now, double *after,
                         tt_err *err)
{
    tt_scenario *s = NULL;
    tt_run *run = NULL;
    double step;
    enum tt_code rc = tt_case_load(&s, c, steps + COMPARED, &step, err);

    if (rc == TT_OK)
        rc = tt_case_run(&run, c, s, NULL, NULL, err);
    if (rc == TT_OK)
        rc = tt_run_start(run, err);
    if (rc == TT_OK)
        rc = tt_case_advance(run, steps, err);
    if (rc == TT_OK && now) {
        w->time = tt_run_time(run);
        rc = tt_probe_read(run, w->number, w->n_state, now, err);
    }
    if (rc == TT_OK)
        rc = tt_case_advance(run, COMPARED, err);
    if (rc == TT_OK)
        rc = tt_probe_read(run, w->number, w->n_state, after, err);
    tt_run_free(run);
    tt_scenario_free(s);
    return rc;
}

/* Does what was started there go on as the run does? */
static int agrees(const struct work *w)
{
    for (uint32_t i = 0; i < w->n_state; i++) {
        double scale = fmax(fabs(w->after[i]), w->number[i].nominal);

        if (!(fabs(w->after[i] - w->again[i]) <= NEAR * scale))
            return 0;
    }
    return 1;
}

/* --- settings --------------------------------------------------------------
 */

/* "{key}.instance.state=value", with all elements of an array in brackets. */
static uint32_t put_setting(struct tt_buf *b, const struct work *w,
                            const tt_plan *p, uint32_t i)
{
    const struct tt_probe_number *x = &w->number[i];
    const struct tt_plan_unit *u = &p->unit[x->unit];
    uint32_t n = u->desc->port[x->port].n;
    int array = u->desc->port[x->port].n_dim > 0;

    tt_buf_fmt(b, "%s.%s=%s", u->name, u->desc->port[x->port].name,
               array ? "[" : "");
    for (uint32_t k = 0; k < n; k++) {
        char text[TT_NUM_MAX];

        tt_num_print(text, w->state[i + k]);
        tt_buf_fmt(b, "%s%s", k ? "," : "", text);
    }
    tt_buf_str(b, array ? "]" : "");
    tt_buf_char(b, '\0');
    return n;
}

/* Those of the case, and one for each state. */
static enum tt_code put_settings(struct tt_place *out, const struct work *w,
                                 const tt_plan *p, tt_err *err)
{
    const struct tt_sc_options *o = &w->c->o;
    uint32_t n = o->n_set;
    const char *at;

    for (uint32_t i = 0; i < w->n_state;)
        i += put_setting(&out->text, w, p, i);
    if (tt_buf_check(&out->text, "the analysis", err) != TT_OK)
        return TT_ENOMEM;
    if (!TT_NEW_ARRAY(out->set, o->n_set + (size_t)w->n_state + 1))
        return tt_nomem(err, "the analysis");
    for (uint32_t i = 0; i < o->n_set; i++)
        out->set[i] = o->set[i];
    for (at = out->text.data; at < out->text.data + out->text.len;
         at += strlen(at) + 1)
        out->set[n++] = at;
    out->c.o.set = out->set;
    out->c.o.n_set = n;
    out->c.o.start = w->time;
    return TT_OK;
}

static enum tt_code set_states(struct tt_place *out, struct work *w,
                               tt_err *err)
{
    struct tt_case_opened o;
    enum tt_code rc = tt_case_open(&o, w->c, err);

    if (rc == TT_OK)
        rc = put_settings(out, w, tt_run_plan(o.run), err);
    tt_case_close(&o);
    return rc;
}

/* --- together --------------------------------------------------------------
 */

static void carry(struct tt_place *out, const struct work *w, double step)
{
    out->c.o.set = w->c->o.set;
    out->c.o.n_set = w->c->o.n_set;
    out->c.o.start = w->c->o.start;
    out->c.carry = w->steps * step;
}

static enum tt_code start_there(struct tt_place *out, struct work *w,
                                tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (!TT_NEW_ARRAY(w->state, w->n_state) ||
        !TT_NEW_ARRAY(w->after, w->n_state) ||
        !TT_NEW_ARRAY(w->again, w->n_state))
        rc = tt_nomem(err, "the analysis");
    if (rc == TT_OK)
        rc = play(w, w->c, w->steps, w->state, w->after, err);
    if (rc == TT_OK)
        rc = set_states(out, w, err);
    if (rc == TT_OK)
        rc = play(w, &out->c, 0, NULL, w->again, err);
    return rc;
}

static enum tt_code find(struct tt_place *out, struct work *w, tt_err *err)
{
    int hidden = 0;
    tt_scenario *s = NULL;
    double step = 0;
    enum tt_code rc = look(w, &hidden, err);

    if (rc != TT_OK || w->steps == 0)
        return rc;
    rc = tt_case_load(&s, w->c, 1, &step, err);
    tt_scenario_free(s);
    if (rc == TT_OK && !hidden)
        rc = start_there(out, w, err);
    if (rc == TT_OK && (hidden || !agrees(w)))
        carry(out, w, step);
    return rc;
}

enum tt_code tt_place_find(struct tt_place *out, const struct tt_case *c,
                           tt_err *err)
{
    struct tt_place p = {.c = *c};
    struct work w = {.c = c};
    enum tt_code rc = TT_OK;

    tt_buf_init(&p.text, TEXT_MOST);
    p.c.at = NULL;
    if (c->at)
        rc = find(&p, &w, err);
    TT_FREE_ALL(w.number, w.state, w.after, w.again);
    return TT_HAND_OVER_VALUE(rc, out, p, tt_place_fini);
}

void tt_place_fini(struct tt_place *p)
{
    tt_free(p->set);
    tt_buf_fini(&p->text);
    *p = (struct tt_place){0};
}
