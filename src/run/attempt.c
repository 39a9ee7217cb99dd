/* SPDX-License-Identifier: MIT */
/* What goes along with a run on request: a report of each attempt at a step,
 * live counters, and pacing. A run without them pays one branch per step. */
#include "run/sequence.h"
#include "run/vary_impl.h"

/* --- attempts ---------------------------------------------------------------
 */

static void report(tt_run *r, struct tt_run_attempt *a, double t0, double h)
{
    uint64_t evaluations = tt_run_stats(r).evaluations;

    a->t0 = t0;
    a->h = h;
    a->evaluations = evaluations - r->attempts.evaluations;
    r->attempts.evaluations = evaluations;
    run_sequence_show(r, a);
    r->opts.attempt_cb(r->opts.attempt_ctx, a);
}

static const char *outcome_of(const struct tt_policy_ruling *ruling,
                              const struct tt_policy_evidence *ev)
{
    switch (ruling->verdict) {
    case TT_POLICY_ACCEPT:
    case TT_POLICY_ACCEPT_WARN:
        return "accepted";
    case TT_POLICY_RETRY:
        return ev->outcome == TT_POLICY_EARLY ? "early" : "rejected";
    case TT_POLICY_GIVE_UP:
        break;
    }
    return "failed";
}

void run_report_ruling(tt_run *r, const struct run_macro *m)
{
    const struct tt_policy *p = r->vary->policy;
    const struct tt_policy_ruling *ruling = &m->ruling;
    const struct tt_policy_evidence *ev = &m->ev;
    char words[512] = "";
    struct tt_run_attempt a = {
        .step = run_steps(r) + 1,
        .outcome = outcome_of(ruling, ev),
        .limited_by = tt_policy_name(p, m->s.by),
        .objector = "",
        .reason = words,
        .reached = ev->outcome == TT_POLICY_REACHED ? ev->t1 : ev->reached};

    if (!r->opts.attempt_cb)
        return;
    if (ruling->verdict != TT_POLICY_ACCEPT) {
        a.objector =
            m->halt.unit ? m->halt.unit->name : tt_policy_name(p, ruling->by);
        tt_policy_explain(p, ruling, ev, words, sizeof(words));
    }
    /* the registers may stand at the second half of a step made in two */
    report(r, &a, m->t0, m->s.h);
    r->attempts.ruled = ruling->verdict != TT_POLICY_RETRY;
}

void run_report_cut(tt_run *r, const struct run_macro *m, enum tt_code rc,
                    const tt_err *err)
{
    const struct tt_halt *halt = &m->halt;
    unsigned flags = halt->unit ? halt->flags : 0;
    struct tt_run_attempt a = {
        .step = run_steps(r) + 1,
        .outcome = flags & TT_STEP_REJECT      ? "rejected"
                   : flags & TT_STEP_EARLY     ? "early"
                   : flags & TT_STEP_TERMINATE ? "ended"
                                               : "failed",
        .limited_by = run_varies(r) ? tt_policy_name(r->vary->policy, m->s.by)
                                    : "fixed step",
        .objector = halt->unit ? halt->unit->name : "",
        .reason = rc == TT_OK ? r->sentence
                  : err       ? err->msg
                              : "",
        .reached = halt->unit ? tt_unit_last(halt->unit).reached : m->t0};

    if (r->opts.attempt_cb && !r->attempts.ruled)
        report(r, &a, m->t0, m->s.h);
}

static void report_accepted(tt_run *r)
{
    struct tt_run_attempt a = {.step = run_steps(r),
                               .outcome = "accepted",
                               .limited_by = run_varies(r) ? "" : "fixed step",
                               .objector = "",
                               .reason = r->sentence,
                               .reached = r->agenda->t};

    if (!r->attempts.ruled)
        report(r, &a, r->now->t[TT_T0], r->now->h[TT_T1]);
    r->attempts.ruled = 0;
}

/* --- with the steps --------------------------------------------------------
 */

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    int more_than_t = r->plan->rejects || r->scenario->real_time.factor > 0 ||
                      r->scenario->iteration.turns ||
                      r->scenario->iteration.converged;

    (void)err;
    if (r->opts.stage && !r->opts.host && more_than_t)
        r->live = &r->opts.stage->live;
    *wanted = r->live || r->opts.attempt_cb;
    return TT_OK;
}

static enum tt_code shown(tt_run *r, tt_err *err)
{
    (void)err;
    if (r->opts.attempt_cb)
        report_accepted(r);
    if (r->live) {
        r->live->rejected = tt_run_step_account(r).rejected;
        r->live->evaluations = tt_run_stats(r).evaluations;
    }
    return TT_OK;
}

const struct run_companion run_trace_companion = {
    .make = make,
    .shown = shown,
};
