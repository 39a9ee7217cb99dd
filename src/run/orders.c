/* SPDX-License-Identifier: MIT */
/* Scores and parts of a run whose units may step in several orders. */
#include "run/orders.h"

#include "base/hash.h"

static enum tt_code check(const tt_run *r, const char *asked, tt_err *err)
{
    const tt_scenario *s = r->scenario;
    const char *what = s->score                ? "a score file"
                       : s->inside || r->guest ? "a scenario inside an instance"
                       : r->opts.link          ? "a run on several ranks"
                       : r->plan->by_events    ? "a run from event to event"
                       : s->n_locate           ? "crossings that are located"
                                               : NULL;

    if (what)
        return tt_fail(err, TT_EUNSUPPORTED, "%s does not go with %s", asked,
                       what);
    if (tt_sc_sequences(&s->sequence) && s->master != TT_MASTER_GAUSS_SEIDEL)
        return tt_fail(err, TT_EINPUT,
                       "'sequence' goes with the master gauss-seidel: with "
                       "jacobi no instance waits for another one");
    return TT_OK;
}

const uint32_t *run_first_order(const tt_scenario *s)
{
    return tt_sc_sequences(&s->sequence) ? s->sequence.order[0] : NULL;
}

/* Is it played as none of the others, and by the same protocol? */
static int is_new(const struct run_orders *o, const tt_score *s)
{
    for (uint32_t i = 0; i < o->n; i++)
        if (o->score[i]->hash == s->hash)
            return 0;
    return s->protocol == o->score[0]->protocol &&
           s->n_state == o->score[0]->n_state;
}

/* Of those that were not given some may be impossible: they are left out. */
static enum tt_code add(tt_run *r, const uint32_t *order, int given,
                        tt_err *err)
{
    struct run_orders *o = r->orders;
    tt_score *s = NULL;
    enum tt_code rc = tt_score_new_in_order(&s, r->plan, order, err);

    if (rc == TT_OK && is_new(o, s)) {
        o->score[o->n++] = s;
        return TT_OK;
    }
    tt_score_free(s);
    if (rc == TT_OK && given)
        return tt_fail(err, TT_EINPUT,
                       "'orders' has two orders that step alike");
    return given || rc == TT_ENOMEM ? rc : TT_OK;
}

static enum tt_code add_derived(tt_run *r, tt_err *err)
{
    uint32_t n_unit = r->plan->n_unit, n = 0;
    uint32_t *all = tt_zalloc((size_t)RUN_ORDERS * n_unit + 1, sizeof(*all));
    enum tt_code rc = all ? tt_score_orders(r->plan, r->score->order,
                                            RUN_ORDERS, all, &n, err)
                          : run_nomem(err);

    for (uint32_t i = 1; i < n && rc == TT_OK; i++)
        rc = add(r, all + (size_t)i * n_unit, 0, err);
    tt_free(all);
    return rc;
}

static enum tt_code begin(tt_run *r, tt_err *err)
{
    run_free_orders(r);
    if (!TT_NEW(r->orders))
        return run_nomem(err);
    r->orders->n = 1;
    r->orders->score[0] = r->score;
    return TT_OK;
}

/* --- of policies -----------------------------------------------------------
 */

static int change_orders(const tt_scenario *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n_policy; i++)
        n += s->policy[i].master || s->policy[i].order || s->policy[i].n_rate;
    return tt_sc_switches(&s->switching) && n;
}

/* Takes the score over. */
static enum tt_code keep(struct run_orders *o, const struct tt_sc_policy *p,
                         tt_score *s, uint32_t *which, tt_err *err)
{
    if (s->protocol != o->score[0]->protocol ||
        s->n_state != o->score[0]->n_state) {
        tt_score_free(s);
        return tt_fail(err, TT_EUNSUPPORTED,
                       "policy '%s' takes other rounds or states to a step "
                       "than the scenario itself",
                       p->name);
    }
    for (*which = 0; *which < o->n; (*which)++)
        if (o->score[*which]->hash == s->hash) {
            tt_score_free(s);
            return TT_OK;
        }
    if (o->n == RUN_ORDERS) {
        tt_score_free(s);
        return tt_fail(err, TT_EUNSUPPORTED,
                       "policy '%s': a run has at most %d masters, orders and "
                       "rates",
                       p->name, RUN_ORDERS);
    }
    o->score[o->n++] = s;
    return TT_OK;
}

static enum tt_code write_policy(tt_run *r, uint32_t i, tt_err *err)
{
    const struct tt_sc_policy *p = &r->scenario->policy[i];
    const tt_plan *plan = r->plan;
    tt_score *s = NULL;
    enum tt_code rc = tt_plan_at_rates(&plan, r->plan, p, r->arena, err);

    if (rc == TT_OK)
        rc = tt_score_new_by(&s, plan, p->master ? p->by : r->scenario->master,
                             p->order, err);
    return rc == TT_OK ? keep(r->orders, p, s, &r->orders->of_policy[i], err)
                       : tt_context(err, rc, "policy '%s'", p->name);
}

static enum tt_code write_policies(tt_run *r, tt_err *err)
{
    const tt_scenario *sc = r->scenario;
    enum tt_code rc =
        check(r, "'switching' among masters, orders or rates", err);

    if (rc == TT_OK && tt_sc_sequences(&sc->sequence))
        rc = tt_fail(err, TT_EINPUT,
                     "'sequence' and policies with a master, an order or "
                     "rates exclude each other");
    if (rc == TT_OK)
        rc = begin(r, err);
    if (rc == TT_OK && !TT_NEW_ARRAY(r->orders->of_policy, sc->n_policy))
        rc = run_nomem(err);
    for (uint32_t i = 0; i < sc->n_policy && rc == TT_OK; i++)
        rc = write_policy(r, i, err);
    return rc;
}

/* --- all -------------------------------------------------------------------
 */

enum tt_code run_write_orders(tt_run *r, tt_err *err)
{
    const struct tt_sc_sequence *s = &r->scenario->sequence;
    enum tt_code rc = TT_OK;

    if (change_orders(r->scenario))
        return write_policies(r, err);
    if (!tt_sc_sequences(s))
        return TT_OK;
    rc = check(r, "'sequence'", err);
    if (rc == TT_OK)
        rc = begin(r, err);
    if (rc != TT_OK)
        return rc;
    for (uint32_t i = 1; i < s->n_order && rc == TT_OK; i++)
        rc = add(r, s->order[i], 1, err);
    if (rc == TT_OK && !s->n_order)
        rc = add_derived(r, err);
    return rc;
}

void run_free_orders(tt_run *r)
{
    struct run_orders *o = r->orders;

    for (uint32_t i = 1; o && i < o->n; i++) {
        tt_part_free(o->part[i]);
        tt_score_free(o->score[i]);
    }
    if (o)
        tt_free(o->of_policy);
    tt_free(o);
    r->orders = NULL;
}

enum tt_code run_bind_orders(tt_run *r, const struct tt_part_place *at,
                             tt_err *err)
{
    struct run_orders *o = r->orders;
    struct tt_part_place place = *at;
    enum tt_code rc = TT_OK;

    o->part[0] = r->part;
    for (uint32_t i = 1; i < o->n && rc == TT_OK; i++) {
        place.beside = o->part[i - 1];
        rc = tt_part_new(&o->part[i], o->score[i], r->unit, &place, err);
        if (rc == TT_OK)
            tt_part_looks_at(o->part[i], &r->memory->anew);
    }
    return rc;
}

/* For the parent process: whose calls are made next. */
static void show_names(const tt_run *r, uint32_t order)
{
    struct tt_stage *stage = r->activity->stage;

    if (!stage)
        return;
    stage->n_name = r->orders->name[order].n;
    stage->first_name = r->orders->name[order].first;
}

void run_play_order(tt_run *r, uint32_t order)
{
    r->orders->playing = order;
}

void run_rest_orders(const tt_run *r)
{
    show_names(r, 0);
}

tt_part *run_part_playing(const tt_run *r)
{
    return r->orders ? r->orders->part[r->orders->playing] : r->part;
}

const tt_plan *run_plan_playing(const tt_run *r)
{
    return r->orders ? r->orders->score[r->orders->playing]->plan : r->plan;
}

tt_part *run_part_of(const tt_run *r, enum tt_section section)
{
    int steps = section == TT_SEC_STEP || section == TT_SEC_EXCHANGE ||
                section == TT_SEC_LAST;

    if (!r->orders)
        return r->part;
    show_names(r, steps ? r->orders->playing : 0);
    return steps ? run_part_playing(r) : r->part;
}

uint64_t run_orders_hash(const tt_run *r)
{
    uint64_t h = r->score->hash;

    for (uint32_t i = 1; r->orders && i < r->orders->n; i++)
        h = tt_hash(h, &r->orders->score[i]->hash, sizeof(h));
    return h;
}

uint32_t tt_run_orders(const tt_run *r)
{
    return r->orders ? r->orders->n : 1;
}

#define MOST_NAMED 8

void run_order_put(const tt_run *r, uint32_t order, struct tt_buf *out)
{
    const uint32_t *unit = r->orders->score[order]->order;
    uint32_t n = r->plan->n_unit;

    for (uint32_t i = 0; i < n && i < MOST_NAMED; i++)
        tt_buf_fmt(out, "%s%s", i ? " -> " : "", r->plan->unit[unit[i]].name);
    if (n > MOST_NAMED)
        tt_buf_str(out, " -> ...");
}
