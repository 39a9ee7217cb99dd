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
        o.control = (struct tt_policy_control){.estimate = i,
                                               .safety = c->safety,
                                               .shrink = c->shrink,
                                               .grow = c->grow,
                                               .unit_time = c->unit_time};
        break;
    }
    return o;
}

static struct tt_policy_limits limits_of(const tt_run *r)
{
    int maestro = r->plan->dialect != TT_SC_OWN;

    if (!r->plan->variable)
        return (struct tt_policy_limits){.start = r->plan->experiment.start,
                                         .maestro = maestro};
    return (struct tt_policy_limits){.start = r->plan->experiment.start,
                                     .maestro = maestro,
                                     .min = r->plan->step_min,
                                     .max = r->plan->step_max,
                                     .init = r->plan->step,
                                     .n_watched = r->plan->n_watch};
}

static enum tt_code make_policy(tt_run *r, struct tt_vary *v, tt_err *err)
{
    uint32_t n = r->plan->n_constraint;
    struct tt_policy_limits lim = limits_of(r);
    struct tt_policy_opts *o = tt_zalloc((size_t)n + 1, sizeof(*o));
    void *block;
    enum tt_code rc;

    if (!o)
        return run_nomem(err);
    for (uint32_t i = 0; i < n; i++) {
        o[i] = member_of(r, i);
        v->ask_units |= o[i].kind == TT_POLICY_UNIT_MAX;
    }
    if (!r->plan->variable)
        o[n++] = (struct tt_policy_opts){.kind = TT_POLICY_FIXED,
                                         .step = r->plan->step};
    rc = tt_policy_check(&lim, o, n, err);
    if (rc == TT_OK) {
        v->policy_size = tt_policy_size(&lim, o, n);
        block = tt_alloc(v->policy_size);
        if (block)
            v->policy = tt_policy_init(block, &lim, o, n);
        else
            rc = run_nomem(err);
    }
    tt_free(o);
    return rc;
}

enum tt_code run_vary_new(tt_run *r, tt_err *err)
{
    struct tt_vary *v;
    enum tt_code rc;

    if (!TT_NEW(v))
        return run_nomem(err);
    r->vary = v;
    v->can_roll_back = r->score->section[TT_SEC_UNDO].n > 0;
    v->least = (double)INFINITY;
    v->asked = r->plan->step;
    if (!TT_NEW_ARRAY(v->v0, r->plan->n_watch) ||
        !TT_NEW_ARRAY(v->v1, r->plan->n_watch))
        return run_nomem(err);
    rc = run_error_new(r, err);
    if (rc == TT_OK)
        rc = make_policy(r, v, err);
    if (rc == TT_OK && !TT_NEW_ARRAY(v->when, tt_policy_members(v->policy) +
                                                  TT_POLICY_OWN_COUNT))
        rc = run_nomem(err);
    return rc;
}

void run_vary_free(struct tt_vary *v)
{
    if (!v)
        return;
    tt_free(v->policy);
    tt_free(v->v0);
    tt_free(v->v1);
    tt_free(v->kept);
    tt_free(v->when);
    tt_free(v);
}

static void look(const tt_run *r, double *value)
{
    for (uint32_t i = 0; i < r->plan->n_watch; i++) {
        const struct tt_watch *w = &r->plan->watch[i];
        enum tt_type type = r->plan->slot[w->slot].type;
        const char *at = tt_part_value(r->part, w->slot);

        value[i] =
            tt_value_as_double(type, at + w->element * tt_type_size(type));
    }
}

enum tt_code run_vary_begin(tt_run *r, tt_err *err)
{
    struct tt_policy *old = r->vary->policy;
    enum tt_code rc = make_policy(r, r->vary, err);

    if (rc == TT_OK)
        tt_free(old);
    return rc;
}

/* After initialisation: the first values, and room for the frame. */
enum tt_code run_vary_start(tt_run *r, tt_err *err)
{
    size_t size;

    (void)tt_part_frame(r->part, &size);
    r->vary->kept = tt_alloc(size);
    if (!r->vary->kept)
        return run_nomem(err);
    look(r, r->vary->v0);
    run_error_start(r, r->t, r->vary->v0);
    tt_policy_start(r->vary->policy, r->t, r->vary->v0);
    return TT_OK;
}

struct run_block run_vary_values(tt_run *r)
{
    if (!r->vary)
        return (struct run_block){NULL, 0};
    return (struct run_block){r->vary->v0,
                              r->plan->n_watch * sizeof(*r->vary->v0)};
}

struct run_block run_vary_policy(tt_run *r)
{
    if (!r->vary)
        return (struct run_block){NULL, 0};
    return (struct run_block){r->vary->policy, r->vary->policy_size};
}

/* --- one step --------------------------------------------------------------
 */

/* The shortest of the steps units allow themselves now; 0: none says. */
static enum tt_code ask_units(tt_run *r, double *h, tt_err *err)
{
    *h = 0;
    if (!r->vary->ask_units)
        return TT_OK;
    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        double most;
        enum tt_code rc = tt_part_max_step(r->part, u, &most, err);

        if (rc != TT_OK)
            return rc;
        if (isfinite(most) && most > 0 && (*h == 0 || most < *h))
            *h = most;
    }
    tt_crumb_clear(r->crumb);
    return TT_OK;
}

/* Keep what is needed to go back, and go back. */
static enum tt_code keep(tt_run *r, tt_err *err)
{
    size_t size;
    const void *frame = tt_part_frame(r->part, &size);

    memcpy(r->vary->kept, frame, size);
    run_error_keep(r);
    run_bonds_keep(r->bonds);
    return run_play(r, TT_SEC_BEGIN, err);
}

static enum tt_code go_back(tt_run *r, tt_err *err)
{
    size_t size;
    void *frame = tt_part_frame(r->part, &size);

    memcpy(frame, r->vary->kept, size);
    run_error_back(r);
    run_bonds_back(r->bonds);
    return run_play(r, TT_SEC_UNDO, err);
}

static int halted(const struct tt_halt *halt)
{
    return halt->lost ||
           (halt->unit && (halt->flags & (TT_STEP_TERMINATE | TT_STEP_EVENT |
                                          TT_STEP_REJECT | TT_STEP_EARLY)));
}

/* From t0 over h to t1, and a look at what came out. */
static enum tt_code play_to(tt_run *r, double t0, double t1, double h,
                            double *value, struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc;

    r->now->t[TT_T0] = t0;
    r->now->t[TT_T1] = t1;
    r->now->h[TT_T1] = tt_h_within(t0, h, r->plan->experiment.end);
    rc = run_play_step(r, halt, err);
    if (rc == TT_OK)
        look(r, value);
    return rc;
}

static enum tt_code play_whole(tt_run *r, double t0,
                               const struct tt_policy_step *s,
                               struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc = play_to(r, t0, s->t1, s->h, r->vary->v1, halt, err);

    if (rc == TT_OK && !halted(halt) && !run_has_last(r))
        run_error_played(r, r->vary->v1, 1);
    return rc;
}

/* Richardson's: the whole step, only to be compared; back; then two halves,
 * which stand. To the world they are one step. */
static enum tt_code play_doubled(tt_run *r, double t0,
                                 const struct tt_policy_step *s,
                                 struct tt_halt *halt, tt_err *err)
{
    double *v1 = r->vary->v1, mid = t0 + (s->t1 - t0) / 2;
    enum tt_code rc =
        play_to(r, t0, s->t1, s->h, run_error_whole(r->error), halt, err);

    if (rc != TT_OK || halted(halt))
        return rc;
    r->vary->doubled++;
    rc = go_back(r, err);
    if (rc == TT_OK)
        rc = play_to(r, t0, mid, s->h / 2, v1, halt, err);
    if (rc != TT_OK || halted(halt))
        return rc;
    run_error_played(r, v1, 1);
    rc = play_to(r, mid, s->t1, s->h / 2, v1, halt, err);
    if (rc == TT_OK && !halted(halt))
        run_error_played(r, v1, 0);
    r->now->t[TT_T0] = t0;
    r->now->h[TT_T1] = s->h;
    return rc;
}

/* Before the last units step there is no exchange, and no estimate; after
 * them there is no way back. */
static struct tt_policy_evidence evidence(const tt_run *r, double t0, double t1,
                                          const struct tt_halt *halt,
                                          int after_last)
{
    const struct tt_vary *v = r->vary;
    int before_last = run_has_last(r) && !after_last;
    struct tt_policy_evidence ev = {.t0 = t0,
                                    .t1 = t1,
                                    .v0 = v->v0,
                                    .v1 = v->v1,
                                    .outcome = TT_POLICY_REACHED,
                                    .can_roll_back =
                                        v->can_roll_back && !after_last};

    if (halt->unit && (halt->flags & (TT_STEP_REJECT | TT_STEP_EARLY))) {
        ev.outcome =
            halt->flags & TT_STEP_REJECT ? TT_POLICY_REFUSED : TT_POLICY_EARLY;
        ev.reached = tt_unit_last(halt->unit).reached;
        ev.v1 = v->v0; /* nothing was read */
    } else if (halt->lost) {
        ev.outcome = TT_POLICY_LOST;
        ev.reached = t0;
        ev.v1 = v->v0;
    } else if (r->error && !before_last) {
        ev.estimates = run_error_estimates(r->error);
        ev.n_estimates = r->plan->n_constraint;
    }
    return ev;
}

static void warn_once(tt_run *r, const struct tt_policy_ruling *ruling,
                      const struct tt_policy_evidence *ev)
{
    char words[512];

    if (r->vary->warned)
        return;
    r->vary->warned = 1;
    tt_policy_explain(r->vary->policy, ruling, ev, words, sizeof(words));
    tt_log(r->opts.log, TT_LOG_WARN, "%s (said once; the report counts)",
           words);
}

/* A step stands. */
static void account(const tt_run *r, const struct tt_policy_step *s)
{
    struct tt_vary *v = r->vary;
    struct when *w = &v->when[s->by];
    double error = r->error ? run_error_largest(r) : 0;

    if (tt_policy_counts(v->policy, s->by).limited == 1)
        w->first = s->t1;
    w->last = s->t1;
    v->least = fmin(v->least, s->h);
    v->most = fmax(v->most, s->h);
    v->worst = fmax(v->worst, error);
    v->sum += error;
}

/* One attempt: what was tried, what came out, and what is to become of it. */
struct attempt {
    struct tt_policy_step s;
    struct tt_policy_evidence ev;
    struct tt_policy_ruling ruling;
    const tt_unit *early; /* one that returned early in an attempt before */
    int told;             /* the outcome is told as with fixed steps */
};

static int ends(const struct tt_halt *halt)
{
    return halt->unit && (halt->flags & (TT_STEP_TERMINATE | TT_STEP_EVENT));
}

static void judge(tt_run *r, struct attempt *a, double t0, int after_last,
                  const struct tt_halt *halt)
{
    struct tt_vary *v = r->vary;

    a->ev = evidence(r, t0, a->s.t1, halt, after_last);
    a->told = a->ev.outcome != TT_POLICY_REACHED && !a->ev.can_roll_back;
    if (a->told)
        return;
    a->ruling = tt_policy_judge(v->policy, &a->ev);
    run_tell_ruling(r, v->policy, &a->s, &a->ruling, &a->ev, halt);
}

/* Shorter and shorter until it may stand, or nothing more can be done. */
static enum tt_code try(tt_run *r, const struct tt_policy_ask *ask,
                        struct attempt *a, struct tt_halt *halt, tt_err *err)
{
    struct tt_vary *v = r->vary;
    enum tt_code rc;

    a->s = tt_policy_propose(v->policy, ask);
    v->asked = a->s.h;
    for (;;) {
        rc = r->plan->doubles ? play_doubled(r, ask->t, &a->s, halt, err)
                              : play_whole(r, ask->t, &a->s, halt, err);
        if (rc != TT_OK || ends(halt))
            return rc;
        judge(r, a, ask->t, 0, halt);
        if (a->told || a->ruling.verdict != TT_POLICY_RETRY)
            return TT_OK;
        if (a->ev.outcome == TT_POLICY_EARLY)
            a->early = halt->unit;
        v->rejected++;
        rc = go_back(r, err);
        if (rc != TT_OK)
            return rc;
        a->s = tt_policy_retry(v->policy, &a->ruling, ask);
    }
}

/* The others have shown that the step may stand: now those that cannot go
 * back. What they find is too late for anything but a warning. */
static enum tt_code play_last(tt_run *r, double t0, struct attempt *a,
                              struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc = run_play_last(r, halt, err);

    if (rc != TT_OK || ends(halt))
        return rc;
    look(r, r->vary->v1);
    if (!halted(halt))
        run_error_played(r, r->vary->v1, 1);
    judge(r, a, t0, 1, halt);
    return TT_OK;
}

static enum tt_code give_up(tt_run *r, const struct attempt *a,
                            const struct tt_halt *halt, tt_err *err)
{
    char words[512];

    tt_policy_explain(r->vary->policy, &a->ruling, &a->ev, words,
                      sizeof(words));
    if (!halt->lost && halt->unit)
        return tt_fail(err, TT_EUNIT, "unit '%s' (%s): %s", halt->unit->name,
                       halt->unit->desc->kind, words);
    if (!halt->lost)
        return tt_fail(err, TT_EUNIT, "%s", words);
    return tt_context(err, tt_part_explain_lost(r->part, err), "%s", words);
}

static enum tt_code play_until_it_stands(tt_run *r,
                                         const struct tt_policy_ask *ask,
                                         struct tt_halt *halt, tt_err *err)
{
    struct tt_vary *v = r->vary;
    struct attempt a = {.early = NULL};
    enum tt_code rc = try(r, ask, &a, halt, err);

    if (rc == TT_OK && !ends(halt) && !a.told && run_has_last(r) &&
        a.ruling.verdict != TT_POLICY_GIVE_UP)
        rc = play_last(r, ask->t, &a, halt, err);
    if (rc != TT_OK || ends(halt) || a.told)
        return rc;
    if (a.ruling.verdict == TT_POLICY_GIVE_UP)
        return give_up(r, &a, halt, err);
    if (a.ruling.verdict == TT_POLICY_ACCEPT_WARN)
        warn_once(r, &a.ruling, &a.ev);
    tt_policy_commit(v->policy, &a.ev, &a.ruling);
    if (a.early) /* where it stopped, something happened */
        tt_part_forget(r->part, a.early);
    if (r->guest)
        r->guest->early = a.early != NULL;
    account(r, &a.s);
    return TT_OK;
}

/* Maestro looks whether a step like the last one fits, before it asks for
 * another. */
int run_vary_done(const tt_run *r)
{
    double end = r->plan->experiment.end;

    if (!r->plan->dialect)
        return r->t >= end;
    if (r->agenda.n == 0 && r->plan->dialect == TT_SC_MAESTRO1)
        return 0;
    return !(r->t + r->vary->asked <= end);
}

enum tt_code run_vary_step(tt_run *r, struct tt_halt *halt, tt_err *err)
{
    struct tt_policy_ask ask = {.t = r->t, .end = r->until};
    double *was;
    enum tt_code rc = ask_units(r, &ask.unit_max, err);

    *halt = (struct tt_halt){0};
    if (rc == TT_OK)
        rc = keep(r, err);
    if (rc == TT_OK)
        rc = play_until_it_stands(r, &ask, halt, err);
    was = r->vary->v0;
    r->vary->v0 = r->vary->v1;
    r->vary->v1 = was;
    return rc;
}
