/* SPDX-License-Identifier: MIT */
/* In which order units step, chosen anew where a step stands.
 *
 * Of two units that feed each other the first to step extrapolates what the
 * other one gives, and the second may interpolate. What extrapolation would
 * have missed at the end of the step is known there of every input, whichever
 * way it went: the value that came less where its past led. An order costs what
 * the inputs miss whose sources it puts later. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "run/gains.h"
#include "run/signed.h"

/* --- making ----------------------------------------------------------------
 */

static int is_watched(const tt_run *r, const uint32_t *circle, uint32_t feed)
{
    const tt_plan *p = r->plan;
    const struct tt_feed *f = &p->feed[feed];
    const struct tt_slot *from = &p->slot[f->from], *to = &p->slot[f->to];

    return from->unit != to->unit && circle[from->unit] == circle[to->unit] &&
           from->type == TT_F64 && to->type == TT_F64 && !to->event_only &&
           (f->how == TT_FEED_COPY || f->how == TT_FEED_LINEAR) &&
           to->reactivity == TT_REACT_EITHER && !tt_plan_flows(p, feed) &&
           tt_plan_port(p, f->to)->variability == TT_VAR_CONTINUOUS;
}

static struct run_side *side_of(struct tt_sequence *s, uint32_t from,
                                uint32_t to)
{
    for (uint32_t i = 0; i < s->n_side; i++)
        if (s->side[i].from == from && s->side[i].to == to)
            return &s->side[i];
    s->side[s->n_side] =
        (struct run_side){.from = from, .to = to, .partner = TT_NONE};
    return &s->side[s->n_side++];
}

/* Feeds of a side become neighbours. */
static void gather(struct tt_sequence *s, const tt_plan *p,
                   const uint32_t *feed, const uint32_t *side, uint32_t n)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < s->n_side; i++) {
        s->side[i].first = at;
        s->side[i].element = s->n_element;
        for (uint32_t k = 0; k < n; k++)
            if (side[k] == i) {
                s->input[at].feed = feed[k];
                s->input[at].first = s->n_element;
                s->n_element += p->slot[p->feed[feed[k]].to].n;
                at++;
            }
        s->side[i].n = at - s->side[i].first;
        s->side[i].n_element = s->n_element - s->side[i].element;
        for (uint32_t k = 0; k < i; k++)
            if (s->side[k].from == s->side[i].to &&
                s->side[k].to == s->side[i].from) {
                s->side[k].partner = i;
                s->side[i].partner = k;
            }
    }
}

static enum tt_code find_sides(tt_run *r, struct tt_sequence *s, tt_err *err)
{
    const tt_plan *p = r->plan;
    uint32_t *circle, *feed, *side, n = 0;
    enum tt_code rc;

    if (!RUN_NEW(r, circle, p->n_unit) || !RUN_NEW(r, feed, p->n_feed) ||
        !RUN_NEW(r, side, p->n_feed) || !RUN_NEW(r, s->side, p->n_feed) ||
        !RUN_NEW(r, s->input, p->n_feed))
        return run_nomem(err);
    rc = tt_score_circles(p, circle, err);
    if (rc != TT_OK)
        return rc;
    for (uint32_t f = 0; f < p->n_feed; f++)
        if (is_watched(r, circle, f)) {
            const struct run_side *of = side_of(
                s, p->slot[p->feed[f].from].unit, p->slot[p->feed[f].to].unit);

            feed[n] = f;
            side[n++] = (uint32_t)(of - s->side);
        }
    gather(s, p, feed, side, n);
    s->n_input = n;
    return TT_OK;
}

/* Which sides an order extrapolates: those whose target steps first. */
static enum tt_code find_cuts(tt_run *r, struct tt_sequence *s, tt_err *err)
{
    uint32_t *rank;

    if (!RUN_NEW(r, rank, r->plan->n_unit) ||
        !RUN_NEW(r, s->cuts, (size_t)s->n_order * s->n_side + 1))
        return run_nomem(err);
    for (uint32_t o = 0; o < s->n_order; o++) {
        for (uint32_t i = 0; i < r->plan->n_unit; i++)
            rank[r->orders->score[o]->order[i]] = i;
        for (uint32_t i = 0; i < s->n_side; i++)
            s->cuts[o * s->n_side + i] =
                rank[s->side[i].to] < rank[s->side[i].from];
    }
    return TT_OK;
}

static enum tt_code allocate(tt_run *r, struct tt_sequence *s, tt_err *err)
{
    uint32_t n = s->n_element + 1;

    if (r->scenario->sequence.adapt == TT_SEQUENCE_GLOBAL &&
        !RUN_NEW(r, s->reach, n))
        return run_nomem(err);
    return RUN_NEW(r, s->predicted, n) && RUN_NEW(r, s->eps, n) &&
                   RUN_NEW(r, s->error, s->n_side + 1)
               ? find_cuts(r, s, err)
               : run_nomem(err);
}

static enum tt_code take_allowed(tt_run *r, struct tt_sequence *s, tt_err *err)
{
    double step[RUN_ORDERS];
    enum tt_code rc;

    if (!r->scenario->allowed)
        return TT_OK;
    if (r->plan->variable || r->plan->rejects)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "'allowed' does not go with a sequence of steps that "
                       "vary");
    for (uint32_t i = 0; i < RUN_ORDERS; i++)
        step[i] = r->plan->step;
    rc = run_read_allowed(&s->allowed, s->n_order, step, r, err);
    s->guarded = rc == TT_OK;
    return rc;
}

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    struct tt_sequence *s;
    enum tt_code rc;

    if (!r->orders || r->orders->of_policy)
        return TT_OK;
    if (r->orders->n < 2) {
        run_note(r, "sequence", "one order: no values go round");
        return TT_OK;
    }
    if (!RUN_NEW(r, s, 1))
        return run_nomem(err);
    r->sequence = s;
    s->n_order = r->orders->n;
    *wanted = 1;
    rc = find_sides(r, s, err);
    if (rc == TT_OK)
        rc = allocate(r, s, err);
    if (rc == TT_OK && r->scenario->sequence.adapt == TT_SEQUENCE_SIGNED)
        rc = run_signed_make(r, err);
    if (rc == TT_OK)
        rc = take_allowed(r, s, err);
    run_reserve(r, TT_REGION_RUN, "sequence",
                sizeof(*s->memory) + s->n_element * sizeof(double), &s->memory);
    return rc;
}

/* --- gains -----------------------------------------------------------------
 */

double run_seq_taken(const tt_run *r, uint32_t feed, uint32_t element)
{
    const struct tt_feed *f = &r->plan->feed[feed];
    const double *from = tt_part_value(r->part, f->from);

    return f->how == TT_FEED_LINEAR ? f->factor * from[element] + f->offset
                                    : from[element];
}

/* How what the partner takes follows the inputs of a side, at this instant. */
static enum tt_code convert_side(tt_run *r, struct run_side *side, tt_err *err)
{
    struct tt_sequence *s = r->sequence;
    const struct run_side *to = &s->side[side->partner];
    uint32_t *follower = tt_zalloc(to->n, sizeof(*follower));
    double *value = tt_zalloc(side->n_element, sizeof(*value));
    double *gain = tt_arena_alloc(
        r->arena, (size_t)side->n_element * to->n_element, sizeof(*gain));
    enum tt_code rc = follower && value && gain ? TT_OK : run_nomem(err);

    for (uint32_t k = 0; k < to->n && rc == TT_OK; k++)
        follower[k] =
            r->plan->slot[r->plan->feed[s->input[to->first + k].feed].from]
                .port;
    for (uint32_t k = 0; k < side->n && rc == TT_OK; k++) {
        const struct run_seq_input *in = &s->input[side->first + k];
        const struct tt_slot *slot = &r->plan->slot[r->plan->feed[in->feed].to];
        struct run_gain g = {.unit = side->to,
                             .port = slot->port,
                             .n = slot->n,
                             .value = value,
                             .follower = follower,
                             .n_follower = to->n,
                             .n_row = to->n_element};

        for (uint32_t e = 0; e < slot->n; e++)
            value[e] = run_seq_taken(r, in->feed, e);
        rc = run_find_gain(
            r, &g, gain + (size_t)(in->first - side->element) * to->n_element,
            err);
    }
    for (size_t i = 0; rc == TT_OK && !side->gain &&
                       i < (size_t)side->n_element * to->n_element;
         i++)
        if (gain[i] != 0)
            side->gain = gain;
    TT_FREE_ALL(follower, value);
    return rc;
}

/* The length of a column of B, of x' = A x + B u: its declared derivatives. */
static enum tt_code find_reach(tt_run *r, const struct run_seq_input *in,
                               tt_err *err)
{
    const struct tt_slot *slot = &r->plan->slot[r->plan->feed[in->feed].to];
    const struct tt_desc *d = r->plan->unit[slot->unit].desc;
    uint32_t *rate = tt_zalloc(d->n_port, sizeof(*rate)), n = 0;
    double *value = tt_zalloc(slot->n, sizeof(*value)), *b = NULL;
    struct run_gain g = {.unit = slot->unit,
                         .port = slot->port,
                         .n = slot->n,
                         .value = value,
                         .follower = rate};
    enum tt_code rc = rate && value ? TT_OK : run_nomem(err);

    for (uint32_t i = 0; rc == TT_OK && i < d->n_port; i++)
        if (d->port[i].derivative_of != TT_NONE && d->port[i].type == TT_F64) {
            rate[n++] = i;
            g.n_row += d->port[i].n;
        }
    g.n_follower = n;
    if (rc == TT_OK && !n)
        rc =
            tt_fail(err, TT_EUNSUPPORTED,
                    "the sequence '%s' needs to know how states follow inputs, "
                    "and instance '%s' declares no derivatives",
                    tt_sc_sequence_name(r->scenario->sequence.adapt),
                    r->plan->unit[slot->unit].name);
    if (rc == TT_OK && !TT_NEW_ARRAY(b, (size_t)slot->n * g.n_row))
        rc = run_nomem(err);
    for (uint32_t e = 0; rc == TT_OK && e < slot->n; e++)
        value[e] = run_seq_taken(r, in->feed, e);
    if (rc == TT_OK)
        rc = run_find_gain(r, &g, b, err);
    for (uint32_t e = 0; rc == TT_OK && e < slot->n; e++)
        for (uint32_t i = 0; i < g.n_row; i++)
            r->sequence->reach[in->first + e] = hypot(
                r->sequence->reach[in->first + e], b[(size_t)e * g.n_row + i]);
    TT_FREE_ALL(rate, value, b);
    return rc;
}

/* What is played where this order is wanted: itself, or of those that may
 * follow the one that is estimated best; without estimates the first one. */
static uint32_t obey(struct tt_sequence *s, uint32_t want, const double *cost)
{
    const struct tt_allowed *a = &s->allowed;
    uint32_t node = s->memory->node, got = want;
    const uint32_t *next;

    if (!s->guarded)
        return want;
    if (node == TT_NONE)
        node = a->start[want];
    next = a->next + (size_t)node * a->n_policy;
    if (next[want] == TT_NONE) {
        s->memory->refused++;
        got = a->nearest[(size_t)node * a->n_policy + want];
        for (uint32_t i = 0; cost && i < s->n_order; i++)
            if (next[i] != TT_NONE && cost[i] < cost[got])
                got = i;
    }
    s->memory->node = next[got];
    return got;
}

static enum tt_code find_first(tt_run *r, tt_err *err)
{
    struct run_seq_memory *m = r->sequence->memory;
    const struct tt_sc_sequence *how = &r->scenario->sequence;
    enum tt_code rc = TT_OK;

    if (how->n_pattern)
        m->order = how->pattern[0];
    if (r->sequence->by_sign)
        rc = run_signed_start(r, err);
    if (rc == TT_OK && r->sequence->by_sign)
        m->order = run_signed_first(r, r->plan->step);
    m->order = obey(r->sequence, m->order, NULL);
    return rc;
}

/* Inputs of one side are converted into those of the other, where there is
 * feed-through: then both are of the same kind. */
static enum tt_code start(tt_run *r, tt_err *err)
{
    struct tt_sequence *s = r->sequence;
    enum tt_code rc = TT_OK;

    s->memory->skip = 1;
    s->memory->node = TT_NONE;
    for (uint32_t i = 0; i < RUN_ORDERS; i++)
        s->memory->now[i] = (double)NAN;
    for (uint32_t i = 0; i < s->n_side && rc == TT_OK; i++) {
        uint32_t partner = s->side[i].partner;

        if (partner != TT_NONE && !s->side[partner].gain)
            rc = convert_side(r, &s->side[i], err);
    }
    for (uint32_t k = 0; s->reach && k < s->n_input && rc == TT_OK; k++)
        rc = find_reach(r, &s->input[k], err);
    return rc == TT_OK ? find_first(r, err) : rc;
}

static void release(tt_run *r)
{
    if (r->sequence)
        tt_allowed_fini(&r->sequence->allowed);
}

/* --- estimates -------------------------------------------------------------
 */

static double nominal_of(const tt_run *r, uint32_t input)
{
    uint32_t feed = r->sequence->input[input].feed;

    return tt_port_scale(tt_plan_port(r->plan, r->plan->feed[feed].to));
}

/* The sum over the inputs of a side, each by its nominal value. */
static double sum(const tt_run *r, const struct run_side *side,
                  const double *error)
{
    double sum = 0;

    for (uint32_t k = side->first; k < side->first + side->n; k++) {
        const struct run_seq_input *in = &r->sequence->input[k];
        uint32_t n = r->plan->slot[r->plan->feed[in->feed].to].n;

        for (uint32_t e = 0; e < n; e++)
            sum +=
                fabs(error[in->first - side->element + e]) / nominal_of(r, k);
    }
    return sum;
}

/* error: per element of the side. */
static double side_error(const tt_run *r, const struct run_side *side,
                         const double *error)
{
    const struct tt_sequence *s = r->sequence;
    const struct run_side *to;
    double whole = 0;

    if (!side->gain)
        return sum(r, side, error);
    to = &s->side[side->partner];
    for (uint32_t k = to->first; k < to->first + to->n; k++) {
        const struct run_seq_input *in = &s->input[k];
        const struct tt_feed *f = &r->plan->feed[in->feed];
        uint32_t n = r->plan->slot[f->to].n;

        for (uint32_t e = 0; e < n; e++) {
            double x = 0;

            for (uint32_t j = 0; j < side->n_element; j++)
                x += side->gain[(size_t)j * to->n_element + in->first -
                                to->element + e] *
                     error[j];
            whole += fabs(x * (f->how == TT_FEED_LINEAR ? f->factor : 1)) /
                     nominal_of(r, k);
        }
    }
    return whole;
}

static double cost_of(const struct tt_sequence *s, uint32_t order)
{
    double cost = 0;

    for (uint32_t i = 0; i < s->n_side; i++)
        if (s->cuts[order * s->n_side + i])
            cost += s->error[i];
    return cost;
}

/* --- stepping --------------------------------------------------------------
 */

static enum tt_code before_step(tt_run *r, tt_err *err)
{
    struct tt_sequence *s = r->sequence;

    (void)err;
    run_play_order(r, s->memory->order);
    s->shown.order = s->memory->order;
    memcpy(s->shown.error, s->memory->now, sizeof(s->shown.error));
    for (uint32_t k = 0; k < s->n_input; k++) {
        const struct run_seq_input *in = &s->input[k];
        const struct tt_slot *to = &r->plan->slot[r->plan->feed[in->feed].to];

        if (to->course != TT_NONE)
            tt_part_predict(r->part, r->plan->feed[in->feed].to,
                            r->now->t[TT_T1], s->predicted + in->first);
        else
            for (uint32_t e = 0; e < to->n; e++)
                s->predicted[in->first + e] = run_seq_taken(r, in->feed, e);
    }
    return TT_OK;
}

static void after_exchange(tt_run *r, const struct tt_phase *at)
{
    struct tt_sequence *s = r->sequence;

    (void)at;
    for (uint32_t k = 0; k < s->n_input; k++) {
        const struct run_seq_input *in = &s->input[k];
        uint32_t n = r->plan->slot[r->plan->feed[in->feed].to].n;

        for (uint32_t e = 0; e < n; e++)
            s->eps[in->first + e] =
                run_seq_taken(r, in->feed, e) - s->predicted[in->first + e];
    }
}

/* Which order is to be the next, of those that are far enough better. */
static uint32_t choose(const tt_run *r, const double *cost)
{
    const struct tt_sequence *s = r->sequence;
    const struct tt_sc_sequence *how = &r->scenario->sequence;
    double margin = how->margin > 1 ? how->margin : 1;
    uint32_t best = s->memory->order;

    for (uint32_t i = 0; i < s->n_order; i++)
        if (cost[i] < cost[best])
            best = i;
    return cost[best] * margin < cost[s->memory->order] ? best
                                                        : s->memory->order;
}

/* Eq. 4: what the past left of it, and what came. */
static void propagate(struct tt_sequence *s, double h)
{
    double *e = s->memory->e;

    for (uint32_t i = 0; i < s->n_element; i++)
        e[i] = h * s->eps[i] + h * s->reach[i] * e[i];
}

static void estimate(tt_run *r, double h, double *cost)
{
    struct tt_sequence *s = r->sequence;
    const double *e = s->reach ? s->memory->e : s->eps;

    if (s->reach)
        propagate(s, h);
    for (uint32_t i = 0; i < s->n_side; i++)
        s->error[i] = side_error(r, &s->side[i], e + s->side[i].element);
    for (uint32_t i = 0; i < s->n_order; i++)
        cost[i] = cost_of(s, i);
}

/* Where the past is too short, only errors with signs are known: what is held
 * is off by what came. Returns whether another order may be chosen. */
static int account(tt_run *r, double h, double *next)
{
    struct run_seq_memory *m = r->sequence->memory;
    double fixed[RUN_ORDERS], own;

    if (r->sequence->by_sign) {
        own = run_signed_estimate(r, h, m->skip, next, fixed);
    } else if (m->skip) {
        return 0;
    } else {
        estimate(r, h, next);
        memcpy(fixed, next, sizeof(fixed));
        own = next[m->order];
    }
    for (uint32_t i = 0; i < r->sequence->n_order; i++) {
        m->cost[i] += h * fixed[i];
        m->now[i] = next[i];
    }
    m->own += h * own;
    return !m->skip;
}

static void stands(tt_run *r)
{
    const struct tt_sc_sequence *how = &r->scenario->sequence;
    struct run_seq_memory *m = r->sequence->memory;
    double h = r->now->t[TT_T1] - r->now->t[TT_T0], cost[RUN_ORDERS];
    uint32_t next = m->order;
    int known;

    run_rest_orders(r);
    m->time[m->order] += h;
    m->switches += m->steps && m->order != m->last;
    m->last = m->order;
    m->steps++;
    m->cut += h < r->plan->step * (1 - 1e-9);
    known = !how->n_pattern && account(r, h, cost);
    if (how->n_pattern) {
        next = how->pattern[m->steps % how->n_pattern];
    } else if (known && ++m->since >= how->hold) {
        next = choose(r, cost);
        m->since = 0;
    }
    m->skip = 0;
    m->order = obey(r->sequence, next, known ? cost : NULL);
}

/* The past of inputs begins anew: what they miss next states nothing. */
static void leapt(tt_run *r)
{
    r->sequence->memory->skip = 1;
}

void run_sequence_show(const tt_run *r, struct tt_run_attempt *a)
{
    const struct tt_sequence *s = r->sequence;

    if (!s)
        return;
    a->order = s->shown.order + 1;
    a->n_order = s->n_order;
    a->error = s->shown.error;
}

/* --- reporting -------------------------------------------------------------
 */

struct tt_run_sequence tt_run_sequence(const tt_run *r)
{
    const struct tt_sequence *s = r->sequence;
    const struct run_seq_memory *m = s && r->frame ? s->memory : NULL;
    struct tt_run_sequence is = {0};
    double whole = 0;

    if (!m)
        return is;
    is.n = s->n_order;
    is.switches = m->switches;
    is.guarded = s->guarded;
    is.refused = m->refused;
    is.cut = m->cut;
    is.estimate = m->own;
    for (uint32_t i = 0; i < s->n_order; i++) {
        whole += m->time[i];
        is.fixed[i] = m->cost[i];
        if (m->cost[i] < m->cost[is.best])
            is.best = i;
    }
    for (uint32_t i = 0; i < s->n_order && whole > 0; i++)
        is.share[i] = m->time[i] / whole;
    return is;
}

void tt_run_sequence_order(const tt_run *r, uint32_t order, struct tt_buf *out)
{
    run_order_put(r, order, out);
}

static void note_shares(tt_run *r, const struct tt_run_sequence *is)
{
    struct tt_buf text;
    char share[TT_NUM_MAX];

    tt_buf_init(&text, 16384);
    tt_buf_fmt(&text, "%llu switches among %u orders",
               (unsigned long long)is->switches, is->n);
    for (uint32_t i = 0; i < is->n; i++) {
        if (!(is->share[i] > 0))
            continue;
        tt_num_print_digits(share, 100 * is->share[i], 3);
        tt_buf_fmt(&text, "; %s %% of the time ", share);
        run_order_put(r, i, &text);
    }
    if (!text.failed)
        run_note(r, "sequence", "%s", text.data);
    tt_buf_fini(&text);
}

/* Would a fixed order have been better, by the same estimate? */
static void note_verdict(tt_run *r, const struct tt_run_sequence *is)
{
    struct tt_buf name;
    char ratio[TT_NUM_MAX];
    double best = is->fixed[is->best];

    tt_buf_init(&name, 4096);
    run_order_put(r, is->best, &name);
    tt_num_print_digits(ratio, best > 0 ? is->estimate / best : 1, 3);
    if (!name.failed)
        run_note(r, "sequence",
                 "by the estimate '%s' its error is %s of that of the best "
                 "fixed order, %s%s",
                 tt_sc_sequence_name(r->scenario->sequence.adapt), ratio,
                 name.data,
                 is->estimate > best ? ": without switching it would have been "
                                       "better"
                                     : "");
    tt_buf_fini(&name);
}

/* Switching can be unstable although every order is stable. */
static void note_stability(tt_run *r, const struct tt_run_sequence *is)
{
    char cut[80] = "";

    if (is->guarded && is->cut)
        (void)snprintf(cut, sizeof(cut),
                       "; %llu steps cut short, for which nothing is proved",
                       (unsigned long long)is->cut);
    if (is->guarded)
        run_note(r, "sequence", "obeys what is allowed: %llu choices refused%s",
                 (unsigned long long)is->refused, cut);
    else
        run_note(r, "sequence",
                 "whether switching is stable was not analysed: 'tutti "
                 "stability --adaptive -o FILE' and \"allowed\": \"FILE\" do");
}

static void end(tt_run *r)
{
    struct tt_run_sequence is = tt_run_sequence(r);

    note_shares(r, &is);
    note_stability(r, &is);
    if (!r->scenario->sequence.n_pattern)
        note_verdict(r, &is);
}

const struct run_companion run_sequence_companion = {
    .free = release,
    TT_HOOKS(, make, start, before_step, after_exchange, stands, leapt, end)};
