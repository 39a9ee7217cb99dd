/* SPDX-License-Identifier: MIT */
/* Variable steps: propose a length, play it, judge what came out; then go on,
 * or go back and try a shorter one. A rejected step leaves no trace: units are
 * restored and the frame is copied back. */
#include <math.h>
#include <string.h>

#include "run/vary_impl.h"

/* --- setting up ---------------------------------------------------------- */

static struct tt_policy_opts member_of(const tt_run *r, uint32_t i)
{
    const struct tt_sc_constraint *c = &r->scenario->constraint[i];
    const struct tt_watched *w = &r->plan->watched_by[i];
    struct tt_policy_opts o = {
        .name = c->name, .ports = w->at, .n_ports = w->n};

    switch (c->kind) {
    case TT_CONSTRAINT_ZERO_CROSSING:
        o.kind = TT_POLICY_ZERO;
        o.zero = (struct tt_policy_zero){.order = (uint32_t)c->order,
                                         .abstol = c->abstol,
                                         .safety = c->safety};
        break;
    case TT_CONSTRAINT_BOUNDED_DIFFERENCE:
        o.kind = TT_POLICY_BOUNDED;
        o.bounded =
            (struct tt_policy_bounded){.abstol = c->abstol,
                                       .reltol = c->reltol,
                                       .safety = c->safety,
                                       .keep_discrete = !c->skip_discrete};
        break;
    case TT_CONSTRAINT_SAMPLING_RATE:
        o.kind = TT_POLICY_SAMPLING;
        o.sampling = (struct tt_policy_sampling){
            .base = (int)c->base, .rate = c->rate, .first = c->start};
        break;
    case TT_CONSTRAINT_MAX_STEP:
        o.kind = TT_POLICY_UNIT_MAX;
        break;
    case TT_CONSTRAINT_ERROR:
        o.kind = TT_POLICY_ERROR;
        o.control = (struct tt_policy_control){
            .estimate = i,
            TT_SAME(c, safety, shrink, grow, unit_time, grid, next)};
        break;
    }
    return o;
}

static struct tt_policy_limits limits_of(const tt_run *r)
{
    struct tt_policy_limits lim = {.start = r->experiment.start,
                                   .maestro = r->plan->dialect != TT_SC_OWN,
                                   .n_watched = r->plan->n_watch};

    if (!r->plan->variable)
        return lim;
    lim.min = r->plan->step_min;
    lim.max = r->plan->step_max;
    lim.init = r->plan->step;
    return lim;
}

/* The members of the policy; *n: how many. NULL: out of memory. */
static struct tt_policy_opts *members_of(const tt_run *r, uint32_t *n)
{
    struct tt_policy_opts *o = tt_zalloc(
        (size_t)r->plan->n_constraint + 2 + r->plan->n_locate, sizeof(*o));

    *n = r->plan->n_constraint;
    for (uint32_t i = 0; o && i < *n; i++)
        o[i] = member_of(r, i);
    if (o && !r->plan->variable && !r->plan->follows)
        o[(*n)++] = (struct tt_policy_opts){.kind = TT_POLICY_FIXED,
                                            .step = r->plan->step};
    if (o && !r->plan->variable)
        o[(*n)++] = (struct tt_policy_opts){.kind = TT_POLICY_UNIT_MAX};
    if (o)
        run_locate_members(r, o + *n);
    *n += r->plan->n_locate;
    return o;
}

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    struct tt_policy_limits lim = limits_of(r);
    struct tt_policy_opts *o;
    struct tt_vary *v;
    uint32_t n;
    enum tt_code rc;

    if (!r->plan->rejects && !run_recovers(r) && !r->plan->n_locate &&
        (r->scenario->inside || !run_may_divide(r)))
        return TT_OK;
    o = members_of(r, &n);
    if (!o || !RUN_NEW(r, v, 1) || !RUN_NEW(r, v->v1, r->plan->n_watch) ||
        !RUN_NEW(r, v->hunt, n) || !RUN_NEW(r, v->found, n)) {
        tt_free(o);
        return run_nomem(err);
    }
    r->vary = v;
    *wanted = 1;
    v->n_member = n;
    v->crossing = n - r->plan->n_locate;
    rc = tt_policy_check(&lim, o, n, err);
    if (rc == TT_OK) {
        run_reserve(r, TT_REGION_RUN, "policy", tt_policy_size(&lim, o, n),
                    &v->policy);
        run_reserve(r, TT_REGION_RUN, "watched",
                    r->plan->n_watch * sizeof(*v->v0), &v->v0);
        run_reserve(r, TT_REGION_RUN, "steps",
                    sizeof(*v->count) +
                        (n + TT_POLICY_OWN_COUNT) * sizeof(v->count->when[0]),
                    &v->count);
    }
    tt_free(o);
    return rc;
}

/* The experiment is known: also when a run inside a unit begins. */
enum tt_code run_vary_begin(tt_run *r, tt_err *err)
{
    struct tt_policy_limits lim = limits_of(r);
    struct tt_policy_opts *o;
    uint32_t n;

    if (!r->vary)
        return TT_OK;
    o = members_of(r, &n);
    if (!o)
        return run_nomem(err);
    r->vary->policy = tt_policy_init(r->vary->policy, &lim, o, n);
    r->vary->count->least = (double)INFINITY;
    r->vary->count->asked = r->plan->step;
    tt_free(o);
    return TT_OK;
}

void run_look(const tt_run *r, double *value)
{
    for (uint32_t i = 0; i < r->plan->n_watch; i++) {
        const struct tt_watch *w = &r->plan->watch[i];
        enum tt_type type = r->plan->slot[w->slot].type;
        const char *at = tt_part_value(r->part, w->slot);

        value[i] =
            tt_value_as_double(type, at + w->element * tt_type_size(type));
    }
}

void run_vary_restart(tt_run *r)
{
    run_look(r, r->vary->v0);
    tt_policy_start(r->vary->policy, r->agenda->t, r->vary->v0);
    run_locate_start(r);
}

static enum tt_code start(tt_run *r, tt_err *err)
{
    run_vary_restart(r);
    return run_locate_concern(r, err);
}

const struct run_companion run_vary_companion = {
    .make = make,
    .start = start,
    .leapt = run_vary_restart,
    .end = run_vary_report,
};

/* --- one step --------------------------------------------------------------
 */

enum tt_code run_vary_propose(tt_run *r, struct run_macro *m, tt_err *err)
{
    struct tt_vary *v = r->vary;
    uint32_t by = 0;
    enum tt_code rc;

    run_error_clear(r);
    if (m->attempts > 1) {
        m->s = tt_policy_retry(v->policy, &m->ruling, &m->ask);
        m->scouts = m->ruling.scout && run_locate_scouts(r);
        return TT_OK;
    }
    m->t0 = r->agenda->t;
    run_locate_begin(r, m);
    m->ask = (struct tt_policy_ask){
        .t = m->t0,
        .end = m->asked ? m->asked->to : r->agenda->end,
        .next_event = isfinite(r->agenda->event) ? r->agenda->event : m->t0};
    rc = run_ask_limits(r, &m->ask.unit_max, &by, err);
    if (rc != TT_OK)
        return rc;
    m->s = tt_policy_propose(v->policy, &m->ask);
    v->count->asked = m->s.h;
    if (!r->plan->variable &&
        m->s.by == r->plan->n_constraint + !r->plan->follows)
        return run_check_division(r, m->t0, m->ask.unit_max, by, err);
    return TT_OK;
}

static int can_roll_back(const tt_run *r)
{
    return r->score->section[TT_SEC_UNDO].n > 0 || r->memory->recovered;
}

/* Before units that step last there is no exchange, and no estimate; after
 * them there is no way back. */
static struct tt_policy_evidence
evidence(const tt_run *r, const struct run_macro *m, int can_retry)
{
    const struct tt_vary *v = r->vary;
    const struct tt_halt *halt = &m->halt;
    struct tt_policy_evidence ev = {.t0 = m->t0,
                                    .t1 = m->s.t1,
                                    .v0 = v->v0,
                                    .v1 = v->v1,
                                    .outcome = TT_POLICY_REACHED,
                                    .can_roll_back =
                                        can_retry && can_roll_back(r),
                                    .scout = m->scouts,
                                    .hunt = v->hunt};

    if (m->scouts) {
        ev.outcome = m->upset ? TT_POLICY_LOST : TT_POLICY_REACHED;
    } else if (halt->unit && (halt->flags & (TT_STEP_REJECT | TT_STEP_EARLY))) {
        ev.outcome =
            halt->flags & TT_STEP_REJECT ? TT_POLICY_REFUSED : TT_POLICY_EARLY;
        ev.reached = tt_unit_last(halt->unit).reached;
        ev.v1 = v->v0; /* nothing was read */
    } else if (halt->lost) {
        ev.outcome = TT_POLICY_LOST;
        ev.reached = m->t0;
        ev.v1 = v->v0;
    } else {
        ev.estimates = run_error_estimates(r);
        ev.n_estimates = ev.estimates ? r->plan->n_constraint : 0;
    }
    return ev;
}

static void warn_once(tt_run *r, const struct run_macro *m)
{
    char words[512];

    if (r->vary->count->warned)
        return;
    r->vary->count->warned = 1;
    tt_policy_explain(r->vary->policy, &m->ruling, &m->ev, words,
                      sizeof(words));
    tt_log(r->opts.log, TT_LOG_WARN, "%s (reported once; the report counts)",
           words);
}

static enum tt_code give_up(tt_run *r, const struct run_macro *m, tt_err *err)
{
    const struct tt_halt *halt = &m->halt;
    char words[512];

    tt_policy_explain(r->vary->policy, &m->ruling, &m->ev, words,
                      sizeof(words));
    if (!halt->lost && halt->unit)
        return tt_fail(err, TT_EUNIT, "instance '%s' (%s): %s",
                       halt->unit->name, halt->unit->desc->kind, words);
    if (!halt->lost)
        return tt_fail(err, TT_EUNIT, "%s", words);
    return tt_context(err, tt_part_explain_lost(run_part_playing(r), err), "%s",
                      words);
}

enum tt_code run_vary_judge(tt_run *r, struct run_macro *m, int can_retry,
                            enum run_verdict *verdict, tt_err *err)
{
    struct tt_vary *v = r->vary;

    enum tt_code rc = TT_OK;

    run_look(r, v->v1);
    m->ev = evidence(r, m, can_retry);
    *verdict = RUN_TAKE_OUTCOME;
    if (m->ev.outcome == TT_POLICY_REACHED && !m->scouts)
        rc = run_look_inside(r, m->t0, m->s.t1, v->v0, &m->ev.inside, err);
    if (rc != TT_OK)
        return rc;
    if (m->ev.outcome != TT_POLICY_REACHED && !m->ev.can_roll_back)
        return TT_OK;
    m->ruling = tt_policy_judge(v->policy, &m->ev);
    m->judged = 1;
    run_report_ruling(r, m);
    *verdict = RUN_ACCEPT;
    if (m->ruling.verdict == TT_POLICY_GIVE_UP)
        return give_up(r, m, err);
    if (m->ruling.verdict != TT_POLICY_RETRY)
        return TT_OK;
    *verdict = RUN_RETRY;
    if (m->ev.outcome == TT_POLICY_EARLY)
        m->early = m->halt.unit;
    v->count->rejected++;
    return TT_OK;
}

static void account(const tt_run *r, const struct tt_policy_step *s)
{
    struct tt_vary_counts *c = r->vary->count;
    struct when *w = &c->when[s->by];
    double error = r->error ? run_error_largest(r) : 0;

    if (tt_policy_counts(r->vary->policy, s->by).limited == 1)
        w->first = s->t1;
    w->last = s->t1;
    c->least = fmin(c->least, s->h);
    c->most = fmax(c->most, s->h);
    c->worst = fmax(c->worst, error);
    c->sum += error;
}

void run_vary_commit(tt_run *r, const struct run_macro *m)
{
    struct tt_vary *v = r->vary;

    if (m->ruling.verdict == TT_POLICY_ACCEPT_WARN)
        warn_once(r, m);
    tt_policy_commit(v->policy, &m->ev, &m->ruling);
    if (m->early) /* where it stopped, something happened */
        tt_part_forget(r->part, m->early);
    account(r, &m->s);
    if (r->plan->n_watch)
        memcpy(v->v0, v->v1, r->plan->n_watch * sizeof(*v->v0));
    run_locate_commit(r, m);
}

/* Maestro looks whether a step like the last one fits, before it asks for
 * another. */
int run_vary_done(const tt_run *r)
{
    double end = r->agenda->end;

    if (!r->plan->dialect)
        return r->agenda->t >= end;
    if (run_steps(r) == 0 && r->plan->dialect == TT_SC_MAESTRO1)
        return 0;
    return !(r->agenda->t + r->vary->count->asked <= end);
}
