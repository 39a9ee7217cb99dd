/* SPDX-License-Identifier: MIT */
/* Policies of a scenario, switched where a step stands: the next one is made
 * with the length, the master, the order, the rates, the courses of inputs and
 * the tunable parameters of the policy that a pattern, an output or a rule asks
 * for, or of the nearest one that is allowed. Lengths are multiples of the
 * scenario's step, so that instants lie on its grid. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/num.h"
#include "run/orders.h"
#include "run/perform.h"
#include "step/allowed.h"

/* In the frame. */
struct memory {
    uint32_t node;    /* of what is allowed; TT_NONE: no step was made */
    uint32_t policy;  /* of the step that is made; TT_NONE: none was */
    uint32_t applied; /* its parameters are set; TT_NONE: none are */
    uint64_t points;  /* of the grid that the step is over */
    double h;         /* that it should have */
    uint64_t requests, refused, switches, cut;
    uint64_t steps[]; /* per policy */
};

struct parameter {
    uint32_t unit, port;
    void *value; /* n_policy of them, each of `size` */
    size_t size;
};

struct tt_switching {
    uint64_t *points; /* per policy: its step in steps of the grid */
    double *step;     /* per policy */
    uint32_t *bend;   /* per policy: the highest order of courses */
    int bends;        /* they differ */
    struct parameter *parameter;
    uint32_t n_parameter;
    uint32_t by_unit, by_port;
    struct run_rule *rule;
    int guarded; /* by what is allowed */
    struct tt_allowed allowed;
    struct memory *memory; /* in the frame */
};

/* --- making ----------------------------------------------------------------
 */

static enum tt_code find_step(const tt_run *r, uint32_t i, tt_err *err)
{
    const struct tt_sc_policy *p = &r->scenario->policy[i];
    struct tt_switching *s = r->switching;
    double step = isfinite(p->step) ? p->step : r->plan->step;
    double times = step / r->plan->step;
    char text[TT_NUM_MAX], base[TT_NUM_MAX];

    if (times < 0.5 || fabs(times - nearbyint(times)) > 1e-9 * times) {
        tt_num_print_short(text, step);
        tt_num_print_short(base, r->plan->step);
        return tt_fail(err, TT_EINPUT,
                       "policy '%s': its step of %s s is no multiple of the "
                       "scenario's, %s s",
                       p->name, text, base);
    }
    s->step[i] = step;
    s->points[i] = (uint64_t)llround(times);
    return TT_OK;
}

/* Of the courses of inputs: orders differ, and nothing else does. */
static enum tt_code find_bend(const tt_run *r, uint32_t i, tt_err *err)
{
    const struct tt_sc_policy *p = &r->scenario->policy[i];
    enum tt_sc_approx is = p->approximation ? p->course : r->scenario->approx;

    r->switching->bend[i] = (uint32_t)is;
    if (!r->switching->bends || is <= TT_APPROX_CUBIC)
        return TT_OK;
    return tt_fail(err, TT_EUNSUPPORTED,
                   "policy '%s' has the approximation '%s': a run switches "
                   "among hold, linear, quadratic and cubic",
                   p->name, tt_sc_approx_name(is));
}

/* The value that policy i gives it. Each gives one. */
static enum tt_code take_value(const tt_run *r, const struct parameter *to,
                               const struct tt_sc_ref *ref, uint32_t i,
                               tt_err *err)
{
    const struct tt_sc_policy *p = &r->scenario->policy[i];
    const struct tt_port *port = &r->plan->unit[to->unit].desc->port[to->port];
    uint32_t k = 0;

    while (k < p->n_set && (p->ref[k].unit != ref->unit ||
                            strcmp(p->ref[k].variable, ref->variable) != 0))
        k++;
    if (k == p->n_set || p->n_set != r->scenario->policy[0].n_set)
        return tt_fail(err, TT_EINPUT,
                       "policy '%s' does not set the parameters that policy "
                       "'%s' sets; all set the same",
                       p->name, r->scenario->policy[0].name);
    if (tt_value_from_double(port->type, (char *)to->value + i * to->size,
                             p->value[k]) != 0)
        return tt_scenario_fail_ref(r->scenario, &p->ref[k], err, TT_EINPUT,
                                    "'%s' of policy '%s' is no %s",
                                    ref->variable, p->name,
                                    tt_type_name(port->type));
    return TT_OK;
}

static enum tt_code take_parameter(tt_run *r, struct parameter *to,
                                   const struct tt_sc_ref *ref, tt_err *err)
{
    const struct tt_port *port;
    enum tt_code rc = run_find_port(r, ref, &to->port, err);

    if (rc != TT_OK)
        return rc;
    to->unit = ref->unit;
    port = &r->plan->unit[ref->unit].desc->port[to->port];
    if (!tt_port_is_tuned(port) || port->n != 1 ||
        !tt_type_is_number(port->type))
        return tt_scenario_fail_ref(
            r->scenario, ref, err, TT_EINPUT,
            "'%s' of instance '%s' cannot be switched: it is no number that "
            "may be tuned while a run is made",
            ref->variable, r->plan->unit[ref->unit].name);
    to->size = tt_port_size(port);
    to->value = tt_arena_alloc(r->arena, r->scenario->n_policy, to->size);
    rc = to->value ? TT_OK : run_nomem(err);
    for (uint32_t i = 0; i < r->scenario->n_policy && rc == TT_OK; i++)
        rc = take_value(r, to, ref, i, err);
    return rc;
}

static uint32_t rate_of(const tt_run *r, uint32_t unit, uint32_t policy)
{
    const struct run_orders *o = r->orders;

    return o && o->of_policy
               ? o->score[o->of_policy[policy]]->plan->unit[unit].rate
               : r->plan->unit[unit].rate;
}

/* Are steps of the unit as long under this policy as under the first? */
static int is_alike(const tt_run *r, uint32_t unit, uint32_t policy)
{
    const uint64_t *points = r->switching->points;

    return points[policy] * rate_of(r, unit, 0) ==
           points[0] * rate_of(r, unit, policy);
}

static enum tt_code check(const tt_run *r, tt_err *err)
{
    const char *what = r->scenario->inside ? "a scenario inside an instance"
                       : r->opts.link      ? "a run on several ranks"
                       : r->plan->variable || r->plan->rejects
                           ? "a run of steps that vary"
                       : r->plan->dialect   ? "Maestro's time"
                       : r->plan->by_events ? "a run from event to event"
                                            : NULL;

    if (what)
        return tt_fail(err, TT_EUNSUPPORTED, "'switching' does not go with %s",
                       what);
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        for (uint32_t i = 1; i < r->scenario->n_policy; i++)
            if (!is_alike(r, u, i) &&
                !r->plan->unit[u].desc->caps.variable_step)
                return tt_fail(err, TT_EUNSUPPORTED,
                               "instance '%s' cannot vary its step, and "
                               "policies have steps of their own",
                               r->plan->unit[u].name);
    return TT_OK;
}

static enum tt_code take_policies(tt_run *r, tt_err *err)
{
    const tt_scenario *sc = r->scenario;
    struct tt_switching *s = r->switching;
    enum tt_code rc = TT_OK;

    s->n_parameter = sc->policy[0].n_set;
    if (!RUN_NEW(r, s->points, sc->n_policy) ||
        !RUN_NEW(r, s->step, sc->n_policy) ||
        !RUN_NEW(r, s->bend, sc->n_policy) ||
        !RUN_NEW(r, s->parameter, s->n_parameter))
        return run_nomem(err);
    s->bends = tt_sc_bends(sc);
    for (uint32_t i = 0; i < sc->n_policy && rc == TT_OK; i++) {
        rc = find_step(r, i, err);
        if (rc == TT_OK)
            rc = find_bend(r, i, err);
    }
    for (uint32_t i = 0; i < s->n_parameter && rc == TT_OK; i++)
        rc = take_parameter(r, &s->parameter[i], &sc->policy[0].ref[i], err);
    if (rc == TT_OK && sc->switching.by) {
        s->by_unit = sc->switching.by->unit;
        rc = run_find_port(r, sc->switching.by, &s->by_port, err);
    }
    if (rc == TT_OK && sc->switching.rule)
        rc = run_rule_make(&s->rule, r, sc->switching.rule, err);
    return rc == TT_OK ? check(r, err) : rc;
}

static enum tt_code check_by(const tt_run *r, tt_err *err)
{
    const struct tt_switching *s = r->switching;
    const struct tt_port *p = &r->plan->unit[s->by_unit].desc->port[s->by_port];

    if (!r->scenario->switching.by || (p->n == 1 && tt_type_is_number(p->type)))
        return TT_OK;
    return tt_scenario_fail_ref(r->scenario, r->scenario->switching.by, err,
                                TT_EINPUT,
                                "'%s' is not the number of a policy: it is %s",
                                p->name, tt_type_name(p->type));
}

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    const struct tt_sc_switching *sc = &r->scenario->switching;
    struct tt_switching *s;
    enum tt_code rc;

    if (!tt_sc_switches(sc))
        return r->scenario->allowed && !tt_sc_sequences(&r->scenario->sequence)
                   ? tt_fail(err, TT_EINPUT,
                             "'allowed' goes with 'switching' or 'sequence'")
                   : TT_OK;
    if (!RUN_NEW(r, s, 1))
        return run_nomem(err);
    r->switching = s;
    *wanted = 1;
    rc = take_policies(r, err);
    if (rc == TT_OK)
        rc = check_by(r, err);
    if (rc == TT_OK && r->scenario->allowed) {
        rc = run_read_allowed(&s->allowed, r->scenario->n_policy, s->step, r,
                              err);
        s->guarded = rc == TT_OK;
    }
    run_reserve(r, TT_REGION_RUN, "switching",
                sizeof(*s->memory) +
                    r->scenario->n_policy * sizeof(s->memory->steps[0]),
                &s->memory);
    return rc;
}

static enum tt_code start(tt_run *r, tt_err *err)
{
    struct memory *m = r->switching->memory;

    (void)err;
    m->node = m->policy = m->applied = TT_NONE;
    return TT_OK;
}

static void release(tt_run *r)
{
    if (r->switching)
        tt_allowed_fini(&r->switching->allowed);
}

uint64_t tt_run_policies_hash(const tt_run *r)
{
    uint64_t plan = tt_plan_hash_timeless(r->plan), h = TT_HASH_START;

    h = tt_hash(h, &plan, sizeof(plan));
    h = tt_hash(h, &r->score->hash, sizeof(r->score->hash));
    if (!r->scenario->n_policy) {
        uint64_t orders = run_orders_hash(r);

        h = tt_hash(h, &orders, sizeof(orders));
        h = tt_hash(h, &r->plan->step, sizeof(r->plan->step));
    }
    for (uint32_t i = 0; i < r->scenario->n_policy; i++) {
        const struct tt_sc_policy *p = &r->scenario->policy[i];
        double step = isfinite(p->step) ? p->step : r->plan->step;

        h = tt_hash(h, &step, sizeof(step));
        if (p->master)
            h = tt_hash(h, p->master, strlen(p->master) + 1);
        if (p->approximation)
            h = tt_hash(h, p->approximation, strlen(p->approximation) + 1);
        if (p->rates)
            h = tt_hash(h, p->rates, strlen(p->rates) + 1);
        if (p->order_text)
            h = tt_hash(h, p->order_text, strlen(p->order_text) + 1);
        for (uint32_t k = 0; k < p->n_set; k++)
            h = tt_hash(h, p->set[k], strlen(p->set[k]) + 1);
    }
    return h;
}

/* --- stepping --------------------------------------------------------------
 */

/* Is it the number of one, from 1? */
static int is_policy(const tt_run *r, double x, uint32_t *policy)
{
    int is = x >= 1 && x <= r->scenario->n_policy && x == nearbyint(x);

    if (is)
        *policy = (uint32_t)x - 1;
    return is;
}

static enum tt_code read_number(tt_run *r, uint32_t *policy, tt_err *err)
{
    const struct tt_switching *s = r->switching;
    const struct tt_port *p = &r->plan->unit[s->by_unit].desc->port[s->by_port];
    double room[2], x;
    struct tt_span span = {.port = &s->by_port, .n = 1, .value = room};
    char text[TT_NUM_MAX];
    enum tt_code rc = tt_part_get(r->part, s->by_unit, &span, err);

    run_between_calls(r);
    if (rc != TT_OK)
        return rc;
    x = tt_value_as_double(p->type, room);
    if (is_policy(r, x, policy))
        return TT_OK;
    tt_num_print_short(text, x);
    return tt_fail(err, TT_EUNIT,
                   "'%s' of instance '%s' is %s: there are policies 1 to %u",
                   p->name, r->plan->unit[s->by_unit].name, text,
                   r->scenario->n_policy);
}

static enum tt_code follow_rule(tt_run *r, uint32_t *policy, tt_err *err)
{
    char text[TT_NUM_MAX];
    double x = 0;
    enum tt_code rc = run_rule_value(r, r->switching->rule, &x, err);

    if (rc != TT_OK || is_policy(r, x, policy))
        return rc;
    tt_num_print_short(text, x);
    return tt_scenario_fail(
        r->scenario, r->scenario->switching.rule->part[0].where, err, TT_EINPUT,
        "'rule' of 'switching' is %s: there are policies "
        "1 to %u",
        text, r->scenario->n_policy);
}

enum tt_code run_switch_propose(tt_run *r, struct run_macro *m, tt_err *err)
{
    const struct tt_sc_switching *sc = &r->scenario->switching;
    struct tt_switching *s = r->switching;
    struct memory *mem = s->memory;
    uint32_t want = 0, got;
    enum tt_code rc = TT_OK;

    if (sc->by)
        rc = read_number(r, &want, err);
    else if (sc->rule)
        rc = follow_rule(r, &want, err);
    else
        want = sc->pattern[mem->requests % sc->n_pattern];
    if (rc != TT_OK)
        return rc;
    got = s->guarded ? tt_allowed_ask(&s->allowed, &mem->node, want) : want;
    mem->requests++;
    mem->refused += got != want;
    mem->switches += mem->policy != TT_NONE && mem->policy != got;
    mem->policy = got;
    mem->points = s->points[got];
    (void)tt_agenda_next_over(r->agenda, &mem->points, &m->t0, &m->s.t1,
                              &m->s.h);
    mem->h = s->step[got];
    if (fabs(m->s.h - mem->h) <= 1e-9 * mem->h)
        m->s.h = tt_h_within(m->t0, mem->h, r->experiment.end);
    return TT_OK;
}

/* A policy's step is proved as it is: one that an instance does not make is
 * not divided. */
static enum tt_code check_limits(tt_run *r, double h, tt_err *err)
{
    char is[TT_NUM_MAX], wanted[TT_NUM_MAX];
    uint32_t by = 0;
    double most = 0;
    enum tt_code rc = run_ask_limits(r, &most, &by, err);

    if (rc != TT_OK || !(most > 0) || h <= most * (1 + 1e-9))
        return rc;
    tt_num_print_short(is, most);
    tt_num_print_short(wanted, h);
    return tt_fail(err, TT_EUNIT,
                   "policy '%s' makes steps of %s s, and instance '%s' "
                   "accepts them up to %s s now",
                   r->scenario->policy[r->switching->memory->policy].name,
                   wanted, r->plan->unit[by].name, is);
}

static enum tt_code before_step(tt_run *r, tt_err *err)
{
    const struct tt_switching *s = r->switching;
    struct memory *m = s->memory;
    enum tt_code rc = TT_OK;

    if (r->orders && r->orders->of_policy)
        run_play_order(r, r->orders->of_policy[m->policy]);
    if (s->bends)
        tt_part_bend(run_part_playing(r),
                     (struct tt_bend){.most = s->bend[m->policy]});
    for (uint32_t i = 0;
         m->applied != m->policy && i < s->n_parameter && rc == TT_OK; i++) {
        const struct parameter *p = &s->parameter[i];
        struct tt_span span = {.port = &p->port,
                               .n = 1,
                               .value = (char *)p->value + m->policy * p->size};

        rc = tt_unit_set(r->unit[p->unit], &span, err);
    }
    if (r->n_limit && rc == TT_OK)
        rc = check_limits(r, m->h, err);
    run_between_calls(r);
    m->applied = m->policy;
    return rc;
}

void run_switch_reach(tt_run *r)
{
    tt_agenda_reach_over(r->agenda, r->switching->memory->points,
                         r->now->t[TT_T1]);
}

static void stands(tt_run *r)
{
    struct memory *m = r->switching->memory;

    if (r->orders && r->orders->of_policy)
        run_rest_orders(r);
    m->steps[m->policy]++;
    m->cut += r->now->h[TT_T1] < m->h * (1 - 1e-9);
}

/* --- reporting -------------------------------------------------------------
 */

struct tt_run_switching tt_run_switching(const tt_run *r)
{
    const struct tt_switching *s = r->switching;
    const struct memory *m = s && r->frame ? s->memory : NULL;

    if (!m)
        return (struct tt_run_switching){0};
    return (struct tt_run_switching){
        .n = r->scenario->n_policy,
        .guarded = s->guarded,
        TT_SAME(m, requests, refused, switches, cut, steps)};
}

static void end(tt_run *r)
{
    struct tt_run_switching s = tt_run_switching(r);
    char refused[80] = "", cut[80] = "";

    if (s.guarded)
        (void)snprintf(refused, sizeof(refused), ", %llu requests refused",
                       (unsigned long long)s.refused);
    if (s.cut)
        (void)snprintf(cut, sizeof(cut), ", %llu steps cut short%s",
                       (unsigned long long)s.cut,
                       s.guarded ? ", for which nothing is proved" : "");
    run_note(r, "switching", "%llu times among %u policies%s%s",
             (unsigned long long)s.switches, s.n, refused, cut);
}

const struct run_companion run_switching_companion = {
    .free = release, TT_HOOKS(, make, start, before_step, stands, end)};
