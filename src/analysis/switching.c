/* SPDX-License-Identifier: MIT */
#include "analysis/switching.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/show.h"
#include "results/svg.h"
#include "run/probe.h"

#define STEPS_MOST    200000u
#define SWITCHES_MOST 200u

/* The instance that switches, by what of it is set and read. */
struct modes {
    tt_run *run;
    uint32_t unit, state[2], rate[2];
    uint32_t input, source; /* the mode: a port, and the slot that feeds it */
    uint32_t sensor;        /* the located crossing: its unit, ... */
    uint32_t value;         /* ... the port of what crosses zero ... */
    uint32_t from[2];       /* ... and of the first unit what it is made of */
    uint32_t to[2], n_from;
    uint8_t first; /* the input in mode 1 */
    double sign;   /* of g */
};

/* --- finding it ------------------------------------------------------------
 */

static enum tt_code refuse(tt_err *err, const char *why)
{
    return tt_fail(err, TT_EUNSUPPORTED,
                   "--delay is for one located crossing that switches one "
                   "instance with two states: %s",
                   why);
}

/* Two states of a unit; 0: it has not just two. */
static int find_states(const struct tt_desc *d, struct modes *m)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < d->n_port; i++) {
        const struct tt_port *rate = &d->port[i];

        if (rate->derivative_of == TT_NONE)
            continue;
        if (n == 2 || rate->type != TT_F64 || rate->n != 1)
            return 0;
        m->state[n] = rate->derivative_of;
        m->rate[n++] = i;
    }
    return n == 2;
}

static int find_mode(const tt_plan *p, struct modes *m)
{
    uint32_t n = 0;

    for (uint32_t f = 0; f < p->n_feed; f++) {
        const struct tt_slot *to = &p->slot[p->feed[f].to];

        if (to->unit != m->unit || !tt_type_is_bool(to->type))
            continue;
        m->input = to->port;
        m->source = p->feed[f].from;
        n++;
    }
    return n == 1;
}

/* What the crossing is made of must be outputs of one unit. */
static int find_sensor(const tt_plan *p, struct modes *m)
{
    const struct tt_slot *value = &p->slot[p->watch[p->locate[0].watch].slot];

    m->sensor = value->unit;
    m->value = value->port;
    m->unit = TT_NONE;
    for (uint32_t f = 0; f < p->n_feed; f++) {
        const struct tt_slot *to = &p->slot[p->feed[f].to];
        const struct tt_slot *from = &p->slot[p->feed[f].from];

        if (to->unit != m->sensor || to->type != TT_F64)
            continue;
        if ((m->unit != TT_NONE && from->unit != m->unit) || m->n_from == 2 ||
            from->type != TT_F64 || p->feed[f].how != TT_FEED_COPY)
            return 0;
        m->unit = from->unit;
        m->from[m->n_from] = from->port;
        m->to[m->n_from++] = to->port;
    }
    return m->unit != TT_NONE;
}

static enum tt_code find_modes(struct modes *m, tt_err *err)
{
    const tt_plan *p = tt_run_plan(m->run);

    if (p->n_locate != 1)
        return refuse(err, "the scenario does not have one \"locate\"");
    if (!find_sensor(p, m))
        return refuse(err, "what crosses is not made of one or two numbers of "
                           "one instance");
    if (!find_states(p->unit[m->unit].desc, m))
        return refuse(err, "that instance does not declare two states");
    if (!find_mode(p, m))
        return refuse(err, "that instance does not have one connected Boolean "
                           "input");
    return TT_OK;
}

/* --- its two modes ---------------------------------------------------------
 */

static enum tt_code put_states(struct modes *m, const double *x, tt_err *err)
{
    double copy[2] = {x[0], x[1]};
    const struct tt_span s = {.port = m->state, .n = 2, .value = copy};

    return tt_probe_set(m->run, m->unit, &s, err);
}

static enum tt_code rate(void *ctx, int mode, const double *x, double *dx,
                         tt_err *err)
{
    struct modes *m = ctx;
    double on = 0; /* room for a truth value of any type */
    const struct tt_span in = {.port = &m->input, .n = 1, .value = &on};
    const struct tt_span out = {.port = m->rate, .n = 2, .value = dx};
    enum tt_code rc = put_states(m, x, err);

    (void)tt_value_from_double(
        tt_run_plan(m->run)->unit[m->unit].desc->port[m->input].type, &on,
        (mode == 1) == (m->first != 0));
    if (rc == TT_OK)
        rc = tt_probe_set(m->run, m->unit, &in, err);
    return rc == TT_OK ? tt_probe_get(m->run, m->unit, &out, err) : rc;
}

static enum tt_code side(void *ctx, const double *x, double *g, tt_err *err)
{
    struct modes *m = ctx;
    double part[2];
    const struct tt_span out = {.port = m->from, .n = m->n_from, .value = part};
    const struct tt_span in = {.port = m->to, .n = m->n_from, .value = part};
    const struct tt_span value = {.port = &m->value, .n = 1, .value = g};
    enum tt_code rc = put_states(m, x, err);

    if (rc == TT_OK)
        rc = tt_probe_get(m->run, m->unit, &out, err);
    if (rc == TT_OK)
        rc = tt_probe_set(m->run, m->sensor, &in, err);
    if (rc == TT_OK)
        rc = tt_probe_get(m->run, m->sensor, &value, err);
    *g *= m->sign;
    return rc;
}

/* Mode 1 is the one that can rest where it holds. */
static enum tt_code find_delay(struct tt_delay *out, struct modes *m,
                               tt_err *err)
{
    struct tt_planar p = {.ctx = m, .rate_cb = rate, .side_cb = side};
    const struct tt_span s = {.port = m->state, .n = 2, .value = p.near};
    enum tt_code rc = tt_probe_get(m->run, m->unit, &s, err);

    for (int i = 0; i < 4 && rc == TT_OK; i++) {
        m->first = (uint8_t)(i < 2);
        m->sign = i % 2 ? -1 : 1;
        rc = tt_delay_find(out, &p, err);
        if (rc == TT_OK)
            return TT_OK;
        if (rc == TT_EUNSUPPORTED && i < 3)
            rc = TT_OK;
    }
    return rc;
}

/* --- how late the master is ------------------------------------------------
 */

/* Does this unit take part at the instant, or step there before the other one
 * does, which then has its new value at once? */
static int is_prompt(const tt_plan *p, const tt_score *s, uint32_t f)
{
    const struct tt_slot *to = &p->slot[p->feed[f].to];
    uint32_t from = p->slot[p->feed[f].from].unit, i = 0;

    if (p->unit[from].events)
        return 1;
    while (i < p->n_unit && s->order[i] != from && s->order[i] != to->unit)
        i++;
    return i < p->n_unit && to->reactivity == TT_REACT_REACTIVE &&
           s->order[i] == from;
}

/* Steps until what a crossing fires has come to the instance that switches:
 * one for each connection on the way, but the first, that is not prompt.
 * UINT32_MAX: it does not come there. */
static uint32_t count_hops(const struct modes *m, uint32_t *hops)
{
    const tt_plan *p = tt_run_plan(m->run);
    const tt_score *s = tt_run_score(m->run);

    for (uint32_t u = 0; u < p->n_unit; u++)
        hops[u] = u == m->sensor ? 0 : UINT32_MAX;
    for (uint32_t turn = 0; turn < p->n_unit; turn++)
        for (uint32_t f = 0; f < p->n_feed; f++) {
            uint32_t from = p->slot[p->feed[f].from].unit;
            uint32_t to = p->slot[p->feed[f].to].unit, n;

            if (hops[from] == UINT32_MAX || from == m->unit)
                continue;
            n = hops[from] +
                (uint32_t)(from != m->sensor && !is_prompt(p, s, f));
            hops[to] = n < hops[to] ? n : hops[to];
        }
    return hops[m->unit];
}

static enum tt_code find_master(struct tt_switching *s, const struct modes *m,
                                tt_err *err)
{
    const tt_plan *p = tt_run_plan(m->run);
    double step = p->variable ? p->step_max : p->step;
    uint32_t *hops, n;
    int back = p->rejects;

    if (!TT_NEW_ARRAY(hops, p->n_unit))
        return tt_nomem(err, "the analysis");
    n = count_hops(m, hops);
    tt_free(hops);
    for (uint32_t u = 0; u < p->n_unit; u++)
        back = back && p->unit[u].desc->caps.save;
    s->seen = back ? p->locate[0].given->tolerance : step;
    s->answered = n == UINT32_MAX ? (double)NAN : n * step;
    return TT_OK;
}

/* --- how late it is --------------------------------------------------------
 */

struct lateness {
    int wanted, is; /* modes */
    double since;   /* when another one was wanted */
};

static enum tt_code look(struct tt_switching *s, const struct modes *m,
                         tt_run *run, struct lateness *l, tt_err *err)
{
    double t = tt_run_time(run), g;
    int wanted, is;
    enum tt_code rc = tt_run_get(run, m->sensor, m->value, &g, err);

    if (rc != TT_OK)
        return rc;
    /* where it is located g is 0, but for rounding: the next step decides */
    wanted = fabs(g) < 1e-12 ? !l->wanted : g * m->sign < 0;
    is = (tt_value_as_double(tt_run_plan(run)->slot[m->source].type,
                             tt_part_value(tt_run_part(run), m->source)) !=
          0) == (m->first != 0);
    if (wanted != l->wanted)
        l->since = t;
    if (is != l->is && is == wanted) {
        s->late = fmax(isnan(s->late) ? 0 : s->late, t - l->since);
        s->n_switch++;
    }
    l->wanted = wanted;
    l->is = is;
    return TT_OK;
}

static enum tt_code play(struct tt_switching *s, const struct modes *m,
                         const struct tt_case *c, const tt_scenario *sc,
                         tt_err *err)
{
    struct lateness l = {0};
    tt_run *run = NULL;
    enum tt_code rc = tt_case_run(&run, c, sc, NULL, NULL, err);

    if (rc == TT_OK)
        rc = tt_run_start(run, err);
    for (uint32_t i = 0; i < STEPS_MOST && s->n_switch < SWITCHES_MOST &&
                         rc == TT_OK && !tt_run_done(run);
         i++) {
        rc = tt_run_step(run, err);
        if (rc == TT_OK)
            rc = look(s, m, run, &l, err);
    }
    tt_run_free(run);
    return rc;
}

/* What was seen may have been lucky: stable is what the master cannot make too
 * late either. */
static void judge(struct tt_switching *s)
{
    double off = s->late - s->is.delay;

    if (isnan(s->late))
        s->verdict = TT_STABILITY_UNKNOWN;
    else if (fabs(off) < 1e-6 * s->is.delay)
        s->verdict = TT_STABILITY_MARGINAL;
    else if (off > 0)
        s->verdict = TT_STABILITY_UNSTABLE;
    else
        s->verdict = s->seen + s->answered < s->is.delay ? TT_STABILITY_STABLE
                                                         : TT_STABILITY_UNKNOWN;
}

static void name(struct tt_switching *s, const struct modes *m)
{
    const tt_plan *p = tt_run_plan(m->run);
    const struct tt_plan_unit *u = &p->unit[m->unit];

    (void)snprintf(s->name, sizeof(s->name), "%s", p->scenario->name);
    (void)snprintf(s->instance, sizeof(s->instance), "%s", u->name);
    for (int i = 0; i < 2; i++)
        (void)snprintf(s->state[i], sizeof(s->state[i]), "%s",
                       u->desc->port[m->state[i]].name);
}

enum tt_code tt_switching_find(struct tt_switching *out,
                               const struct tt_case *c, tt_err *err)
{
    struct modes m = {.sign = 1};
    struct tt_case_opened o;
    enum tt_code rc = tt_case_open(&o, c, err);

    *out = (struct tt_switching){.late = (double)NAN};
    m.run = o.run;
    if (rc == TT_OK)
        rc = find_modes(&m, err);
    if (rc == TT_OK) {
        name(out, &m);
        rc = find_master(out, &m, err);
    }
    if (rc == TT_OK)
        rc = tt_probe_enter(m.run, err);
    if (rc == TT_OK)
        rc = find_delay(&out->is, &m, err);
    if (rc == TT_OK)
        rc = play(out, &m, c, o.s, err);
    if (rc == TT_OK)
        judge(out);
    tt_case_close(&o);
    return rc;
}

/* --- showing it ------------------------------------------------------------
 */

void tt_switching_text(struct tt_buf *b, const struct tt_switching *s)
{
    tt_show_clean(b, s->name);
    if (s->instance[0])
        tt_buf_str(b, ": switching of ");
    tt_show_clean(b, s->instance);
    tt_show_digits(b, "\nmay be late: by less than ", s->is.delay, 10);
    tt_show_digits(b, " s, where an orbit closes (", s->is.h1, 6);
    tt_show_digits(b, " s out of the mode that rests, ", s->is.h2, 6);
    tt_buf_fmt(b, " s into it; turning at %s = ", s->state[0]);
    tt_show_digits(b, "", s->is.turn[0], 8);
    tt_buf_fmt(b, ")\nrests at:    %s = ", s->state[0]);
    tt_show_digits(b, "", s->is.rest[0], 10);
    if (s->is.at_end)
        tt_buf_str(b, "\n             there may be less beyond the orbits that "
                      "were tried");
    if (!s->instance[0]) {
        tt_buf_char(b, '\n');
        return;
    }
    tt_show_digits(b, "\nthe master:  sees a crossing up to ", s->seen, 6);
    tt_show_digits(b, " s late, and what answers to it arrives up to ",
                   s->answered, 6);
    tt_buf_str(b, " s later\nis late:     ");
    if (isnan(s->late)) {
        tt_buf_str(b, "unknown: it did not switch while it was played\n");
        return;
    }
    tt_show_digits(b, "by up to ", s->late, 6);
    tt_buf_fmt(b, " s in %u switches while it was played\nverdict:     %s%s\n",
               s->n_switch, tt_stability_name(s->verdict),
               s->verdict == TT_STABILITY_UNKNOWN
                   ? ": the master may be later than that"
                   : "");
}

void tt_switching_json(struct tt_buf *b, const struct tt_switching *s)
{
    tt_json_text(b, "{\n  \"scenario\": ", s->name);
    tt_json_text(b, ",\n  \"instance\": ", s->instance);
    tt_json_num(b, ",\n  \"delay\": ", s->is.delay);
    tt_json_num(b, ",\n  \"h1\": ", s->is.h1);
    tt_json_num(b, ",\n  \"h2\": ", s->is.h2);
    tt_json_num(b, ",\n  \"turn\": [", s->is.turn[0]);
    tt_json_num(b, ", ", s->is.turn[1]);
    tt_json_num(b, "],\n  \"rest\": [", s->is.rest[0]);
    tt_json_num(b, ", ", s->is.rest[1]);
    tt_buf_fmt(b, "],\n  \"switches\": %u,\n  ", s->n_switch);
    tt_json_num(b, "\"late\": ", s->late);
    if (s->instance[0]) {
        tt_json_num(b, ",\n  \"master\": {\"seen\": ", s->seen);
        tt_json_num(b, ", \"answered\": ", s->answered);
        tt_buf_char(b, '}');
    }
    tt_buf_fmt(b, ",\n  \"verdict\": \"%s\"\n}\n",
               tt_stability_name(s->verdict));
}

void tt_switching_svg(struct tt_buf *b, const struct tt_switching *s)
{
    const struct tt_series orbit[] = {
        {.name = "orbit", .t = s->is.x, .y = s->is.y, .n = s->is.n},
        {.name = "equilibrium",
         .t = &s->is.rest[0],
         .y = &s->is.rest[1],
         .n = 1,
         .marks = 1}};
    const struct tt_panel panel = {.title = "The orbit that closes",
                                   .unit = s->state[1],
                                   .x_name = s->state[0],
                                   .series = orbit,
                                   .n = 2};

    tt_svg_panels(b, &panel, 1,
                  &(struct tt_svg_opts){.title = s->name, .panel_height = 420});
}
