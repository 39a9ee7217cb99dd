/* SPDX-License-Identifier: MIT */
/* What goes along with a run when somebody asked for it: word of each attempt
 * at a step, live counters, and pacing. A run without them pays one branch per
 * step. */
#include "run/run_impl.h"
#include "step/policy.h"

/* --- attempts ---------------------------------------------------------------
 */

static void tell(tt_run *r, struct tt_run_attempt *a)
{
    uint64_t evaluations = tt_run_stats(r).evaluations;

    a->t0 = r->now->t[TT_T0];
    a->h = r->now->h[TT_T1];
    a->evaluations = evaluations - r->told.evaluations;
    r->told.evaluations = evaluations;
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

void run_tell_ruling(tt_run *r, const struct tt_policy *p,
                     const struct tt_policy_step *s,
                     const struct tt_policy_ruling *ruling,
                     const struct tt_policy_evidence *ev,
                     const struct tt_halt *halt)
{
    char words[512] = "";
    struct tt_run_attempt a = {
        .step = r->agenda.n + 1,
        .outcome = outcome_of(ruling, ev),
        .limited_by = tt_policy_name(p, s->by),
        .objector = "",
        .reason = words,
        .reached = ev->outcome == TT_POLICY_REACHED ? ev->t1 : ev->reached};

    if (!r->opts.attempt_cb)
        return;
    if (ruling->verdict != TT_POLICY_ACCEPT) {
        a.objector =
            halt->unit ? halt->unit->name : tt_policy_name(p, ruling->by);
        tt_policy_explain(p, ruling, ev, words, sizeof(words));
    }
    tell(r, &a);
    r->told.ruled = ruling->verdict != TT_POLICY_RETRY;
}

static const char *limit_of(const tt_run *r)
{
    return r->vary ? "" : "fixed step";
}

void run_tell_cut(tt_run *r, const struct tt_halt *halt, enum tt_code rc,
                  const tt_err *err)
{
    unsigned flags = halt->unit ? halt->flags : 0;
    struct tt_run_attempt a = {
        .step = r->agenda.n + 1,
        .outcome = flags & TT_STEP_REJECT      ? "rejected"
                   : flags & TT_STEP_EARLY     ? "early"
                   : flags & TT_STEP_TERMINATE ? "ended"
                                               : "failed",
        .limited_by = limit_of(r),
        .objector = halt->unit ? halt->unit->name : "",
        .reason = rc == TT_OK ? r->sentence
                  : err       ? err->msg
                              : "",
        .reached =
            halt->unit ? tt_unit_last(halt->unit).reached : r->now->t[TT_T0]};

    if (!r->opts.attempt_cb || r->told.ruled)
        return;
    tell(r, &a);
}

static void tell_accepted(tt_run *r)
{
    struct tt_run_attempt a = {.step = r->agenda.n,
                               .outcome = "accepted",
                               .limited_by = limit_of(r),
                               .objector = "",
                               .reason = r->sentence,
                               .reached = r->t};

    if (!r->told.ruled)
        tell(r, &a);
    r->told.ruled = 0;
}

/* --- all that goes along
 * ------------------------------------------------------
 */

void run_accompany_start(tt_run *r)
{
    int more_than_t = r->vary || r->wait || r->scenario->iteration.turns ||
                      r->scenario->iteration.converged;

    if (r->opts.stage && more_than_t)
        r->live = &r->opts.stage->live;
    if (r->wait)
        run_wait_start(r);
    r->accompanied = r->wait || r->live || r->opts.attempt_cb;
}

enum tt_code run_accompany(tt_run *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (r->opts.attempt_cb)
        tell_accepted(r);
    if (r->live) {
        r->live->rejected = tt_run_step_account(r).rejected;
        r->live->evaluations = tt_run_stats(r).evaluations;
    }
    if (r->wait)
        rc = run_wait(r, err);
    return rc;
}
