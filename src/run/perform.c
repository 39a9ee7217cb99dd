/* SPDX-License-Identifier: MIT */
/* The driver of macro steps: goes from phase to phase of the protocol. */
#include "run/twin.h"

#include "base/num.h"

/* --- playing ---------------------------------------------------------------
 */

static int is_timed(const tt_run *r)
{
    return ((run_steps(r) - 1) & r->timed_mask) == 0;
}

static enum tt_code play_section(tt_run *r, enum tt_section section,
                                 struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc;

    r->activity->playing = TT_PLAYING_STEP;
    rc = is_timed(r)
             ? tt_part_play_timed(run_part_of(r, section), section, halt, err)
             : tt_part_play(run_part_of(r, section), section, halt, err);
    r->activity->playing = TT_PLAYING_NOT;
    return rc;
}

#define MOST_ALONE 1000 /* early returns of a unit in one step */

static void warn_alone(tt_run *r, const tt_unit *u)
{
    char t[TT_NUM_MAX];

    if (r->memory->warned_alone)
        return;
    r->memory->warned_alone = 1;
    tt_num_print_short(t, tt_unit_last(u).reached);
    tt_log(
        r->opts.log, TT_LOG_WARN,
        "instance '%s' (%s) returned early at t=%s, and the step cannot be "
        "rolled back: it goes on alone, with the inputs it has (reported once)",
        u->name, u->kind, t);
}

/* Did a unit just stop early, and nothing else? */
static int only_early(const struct tt_halt *halt)
{
    return halt->unit && (halt->flags & TT_STEP_EARLY) &&
           !(halt->flags &
             (TT_STEP_REJECT | TT_STEP_EVENT | TT_STEP_TERMINATE));
}

static enum tt_code play_on(tt_run *r, enum tt_section section,
                            struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc;

    r->activity->playing = TT_PLAYING_STEP;
    rc = tt_part_play_on(run_part_of(r, section), section, halt, err);
    r->activity->playing = TT_PLAYING_NOT;
    return rc;
}

/* Did a unit return for an event that is at the end of the step but for
 * rounding? Stepped again, it finds it an ulp before or behind. */
static int is_there(const tt_run *r, const struct tt_halt *halt)
{
    double t1 = r->now->t[TT_T1];

    return run_asks_early(r, halt) && tt_unit_last(halt->unit).reached >=
                                          t1 - tt_policy_instant_tol(t1, 0);
}

/* Such a unit has made its step, and asks for its event there. */
static enum tt_code go_on_arrived(tt_run *r, enum tt_section section,
                                  struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc = TT_OK;

    while (rc == TT_OK && is_there(r, halt)) {
        struct tt_stepped last = tt_unit_last(halt->unit);

        last.reached = r->now->t[TT_T1];
        run_put(r, halt->unit, last.reached);
        last.flags &= ~(unsigned)TT_STEP_EARLY;
        tt_unit_report(halt->unit, last);
        rc = play_on(r, section, halt, err);
    }
    return rc;
}

/* Where nothing can be taken back a unit that returned early is stepped on to
 * the end, and the play goes on behind it. */
static enum tt_code go_on_alone(tt_run *r, enum tt_section section,
                                struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc = go_on_arrived(r, section, halt, err);
    uint32_t n = 0;

    if (rc != TT_OK || !only_early(halt) ||
        (r->guest && r->guest->host.takes_back))
        return rc;
    if (section == TT_SEC_STEP && (r->score->section[TT_SEC_UNDO].n ||
                                   r->memory->recovered || run_can_recover(r)))
        return TT_OK;
    while (rc == TT_OK && only_early(halt) && n++ < MOST_ALONE) {
        warn_alone(r, halt->unit);
        rc = play_on(r, section, halt, err);
    }
    return rc;
}

static enum tt_code play_steps(tt_run *r, enum tt_section section,
                               struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc = TT_OK;

    *halt = (struct tt_halt){0};
    if (section == TT_SEC_STEP)
        rc = run_before_step(r, err);
    if (rc == TT_OK)
        rc = play_section(r, section, halt, err);
    return rc;
}

/* Was a unit to end the simulation on the way? */
static int is_final(const tt_run *r, const struct tt_halt *halt)
{
    return halt->unit && (halt->flags & TT_STEP_TERMINATE) &&
           ((halt->flags & (TT_STEP_REJECT | TT_STEP_EARLY)) ||
            tt_unit_last(halt->unit).reached < r->now->t[TT_T1]);
}

/* Has every unit made its step, though one asks for an event at its end? */
static int is_made(const struct tt_halt *halt)
{
    return !halt->lost &&
           (!halt->unit || !(halt->flags & (TT_STEP_REJECT | TT_STEP_EARLY |
                                            TT_STEP_TERMINATE)));
}

/* --- phases ----------------------------------------------------------------
 */

/* What a unit's outcome means where it is not the policy's to judge. */
static enum tt_code take_outcome(tt_run *r, const struct run_macro *m,
                                 tt_err *err)
{
    if (r->guest)
        return run_guest_outcome(r, m, err);
    if (m->halt.lost)
        return tt_part_explain_lost(run_part_playing(r), err);
    return m->halt.unit ? run_take_outcome(r, &m->halt, err) : TT_OK;
}

static uint8_t stop(tt_run *r, struct run_macro *m, enum tt_code *rc,
                    tt_err *err)
{
    *rc = take_outcome(r, m, err);
    return TT_PHASE_STOP;
}

/* An event in the middle of a step that is played in halves ends it there. */
static void end_at_middle(tt_run *r, struct tt_halt *halt)
{
    struct tt_stepped last;

    if (!is_made(halt) || !halt->unit || !(halt->flags & TT_STEP_EVENT))
        return;
    last = tt_unit_last(halt->unit);
    last.flags |= TT_STEP_EARLY;
    last.reached = r->now->t[TT_T1];
    tt_unit_report(halt->unit, last);
    halt->flags |= TT_STEP_EARLY;
}

/* Units have stepped. */
static uint8_t next_after_steps(tt_run *r, struct run_macro *m,
                                const struct tt_phase *at, enum tt_code *rc,
                                tt_err *err)
{
    struct tt_halt *halt = &m->halt;
    uint8_t next;

    m->tried = at->trial;
    if (at->to == TT_MARK_MIDDLE)
        end_at_middle(r, halt);
    if (is_made(halt))
        return at->next[TT_WAY_OK];
    if (is_final(r, halt))
        return stop(r, m, rc, err);
    if (!halt->lost && (halt->flags & TT_STEP_TERMINATE)) {
        m->ends = !at->trial;
        if (m->ends)
            *rc = take_outcome(r, m, err);
        return at->next[TT_WAY_END];
    }
    next = at->next[TT_WAY_CUT];
    if (next != TT_PHASE_STOP)
        return next;
    if (!run_can_recover(r))
        return stop(r, m, rc, err);
    *rc = run_recover(r, halt, err);
    *m = (struct run_macro){.attempts = 0};
    return 0; /* once more, by another protocol */
}

/* The registers of a play from mark to mark. */
static void set_registers(tt_run *r, const struct run_macro *m,
                          const struct tt_phase *at)
{
    double mid = m->t0 + (m->s.t1 - m->t0) / 2;
    double t0 = at->from == TT_MARK_START ? m->t0 : mid;
    double t1 = at->to == TT_MARK_END ? m->s.t1 : mid;
    int whole = at->from == TT_MARK_START && at->to == TT_MARK_END;

    r->now->t[TT_T0] = t0;
    r->now->t[TT_T1] = t1;
    r->now->h[TT_T1] =
        tt_h_within(t0, whole ? m->s.h : m->s.h / 2, r->experiment.end);
}

/* By what crossings depend on; whatever one of these has to report, it will
 * when all make the step. */
static uint8_t play_scouts(tt_run *r, struct run_macro *m,
                           const struct tt_phase *at, enum tt_code *rc,
                           tt_err *err)
{
    struct tt_halt halt = {0};

    m->halt = halt;
    if (at->section == TT_SEC_STEP)
        *rc = run_before_step(r, err);
    if (*rc == TT_OK)
        *rc = run_play_scouts(r, (enum tt_section)at->section, &halt, err);
    if (*rc != TT_OK)
        return TT_PHASE_STOP;
    m->upset = !is_made(&halt);
    return at->next[m->upset ? TT_WAY_CUT : TT_WAY_OK];
}

/* Step and exchange are played at once, where nothing is to be done between
 * them. */
static int is_fused(const tt_run *r, const struct tt_phase *at)
{
    return r->plain && at->section == TT_SEC_STEP && !is_timed(r) &&
           r->protocol->phase[at->next[TT_WAY_OK]].section == TT_SEC_EXCHANGE;
}

static uint8_t play_fused(tt_run *r, struct run_macro *m,
                          const struct tt_phase *at, enum tt_code *rc,
                          tt_err *err)
{
    const struct tt_phase *exchange;

    *rc = run_play_plain(r, &m->halt, err);
    if (*rc != TT_OK)
        return TT_PHASE_STOP;
    if (!m->halt.unit && !m->halt.lost) {
        exchange = &r->protocol->phase[at->next[TT_WAY_OK]];
        RUN_NOTIFY(r, after_exchange, r, exchange);
        return exchange->next[TT_WAY_OK];
    }
    *rc = go_on_alone(r, TT_SEC_STEP, &m->halt, err);
    return *rc == TT_OK ? next_after_steps(r, m, at, rc, err) : TT_PHASE_STOP;
}

/* A loop at the instant that has no solution there is a reason for a shorter
 * step, unless this one is the last. */
static uint8_t play_exchange(tt_run *r, struct run_macro *m,
                             const struct tt_phase *at, enum tt_code *rc,
                             tt_err *err)
{
    struct tt_halt halt = {0};
    uint8_t next = at->next[TT_WAY_CUT];

    RUN_NOTIFY(r, before_exchange, r);
    *rc = play_section(r, TT_SEC_EXCHANGE, &halt, err);
    if (*rc != TT_OK)
        return TT_PHASE_STOP;
    if (halt.lost) {
        m->halt = halt;
        return m->ends || next == TT_PHASE_STOP ? stop(r, m, rc, err) : next;
    }
    RUN_NOTIFY(r, after_exchange, r, at);
    return at->next[m->ends ? TT_WAY_END : TT_WAY_OK];
}

/* The trial was played by another run, and at the same time what is played when
 * it is undone. */
static uint8_t go_on_with_own(tt_run *r, struct run_macro *m,
                              const struct tt_phase *at, enum tt_code *rc,
                              tt_err *err)
{
    const struct tt_phase *own = at;

    while (own->trial || own->act != TT_ACT_PLAY)
        own = &r->protocol->phase[own->next[TT_WAY_OK]];
    if (*rc == TT_OK)
        *rc = go_on_alone(r, TT_SEC_STEP, &m->halt, err);
    return *rc == TT_OK ? next_after_steps(r, m, own, rc, err) : TT_PHASE_STOP;
}

/* Is a step tried that may be tried by another run? */
static int joins(tt_run *r, const struct run_macro *m,
                 const struct tt_phase *at)
{
    return at->trial && !m->scouts && !is_timed(r) && run_twin_joins(r);
}

static uint8_t play(tt_run *r, struct run_macro *m, const struct tt_phase *at,
                    enum tt_code *rc, tt_err *err)
{
    enum tt_section section = (enum tt_section)at->section;

    if (section == TT_SEC_EXCHANGE)
        return m->scouts ? play_scouts(r, m, at, rc, err)
                         : play_exchange(r, m, at, rc, err);
    set_registers(r, m, at);
    if (joins(r, m, at)) {
        if (run_twin_play(r, &m->halt, rc, err))
            return go_on_with_own(r, m, at, rc, err);
        if (*rc != TT_OK)
            return TT_PHASE_STOP;
    }
    if (r->plan->embeds)
        tt_part_bend(run_part_playing(r),
                     (struct tt_bend){at->trial, UINT32_MAX});
    if (m->scouts)
        return play_scouts(r, m, at, rc, err);
    if (is_fused(r, at))
        return play_fused(r, m, at, rc, err);
    *rc = play_steps(r, section, &m->halt, err);
    if (*rc == TT_OK)
        *rc = go_on_alone(r, section, &m->halt, err);
    return *rc == TT_OK ? next_after_steps(r, m, at, rc, err) : TT_PHASE_STOP;
}

static enum tt_code propose(tt_run *r, struct run_macro *m, tt_err *err)
{
    m->judged = 0;
    m->attempts++;
    if (run_varies(r))
        return run_vary_propose(r, m, err);
    if (r->guest)
        return run_guest_propose(r, m, err);
    if (r->switching)
        return run_switch_propose(r, m, err);
    (void)tt_agenda_next(r->agenda, &m->t0, &m->s.t1, &m->s.h);
    return TT_OK;
}

static enum tt_code keep(tt_run *r, enum tt_section section, tt_err *err)
{
    tt_frame_step_copy(r->frame, r->kept);
    run_twin_keep(r);
    return r->memory->recovered ? run_save_units(r, RUN_REG_RECOVER, err)
                                : run_play(r, section, err);
}

/* A unit that named the instant to go to stands there already, and need not
 * find its event again. */
static enum tt_code undo(tt_run *r, struct run_macro *m,
                         enum tt_section section, tt_err *err)
{
    struct tt_halt none;
    enum tt_code rc;

    if (m->judged || m->no_step) /* and not to play in halves */
        m->namer = NULL;
    if (run_asks_early(r, &m->halt) &&
        (m->no_step || !(m->tried || run_is_repeated(r, m->halt.unit))))
        m->namer = m->halt.unit;
    if (m->namer && !m->no_step && run_may_stay(r, m))
        run_keep_namer(r, m);
    tt_frame_step_bring_back(r->frame, r->kept);
    run_forget_inside(r);
    rc = m->scouts              ? run_play_scouts(r, section, &none, err)
         : r->memory->recovered ? run_restore_units(r, RUN_REG_RECOVER, err)
                                : run_play(r, section, err);
    tt_part_keep_unit(r->part, TT_NONE);
    if (rc == TT_OK && m->no_step)
        run_event_ask(r, m->namer);
    return rc;
}

/* An event where the step began: it is handled before any step is made. */
static int is_at_start(const tt_run *r, const struct run_macro *m)
{
    return run_asks_early(r, &m->halt) &&
           tt_unit_last(m->halt.unit).reached <=
               m->t0 + tt_policy_instant_tol(m->t0, 0);
}

static uint8_t begin_event(tt_run *r, struct run_macro *m,
                           const struct tt_phase *at)
{
    m->no_step = 1;
    m->namer = m->halt.unit;
    r->now->t[TT_T0] = r->now->t[TT_T1] = m->t0;
    return at->next[TT_WAY_EVENT];
}

static uint8_t judge(tt_run *r, struct run_macro *m, const struct tt_phase *at,
                     enum tt_code *rc, tt_err *err)
{
    enum run_verdict verdict;

    run_twin_made(r);
    if (at->next[TT_WAY_EVENT] != TT_PHASE_STOP && is_at_start(r, m))
        return begin_event(r, m, at);
    *rc = run_vary_judge(r, m, at->next[TT_WAY_RETRY] < TT_PHASE_DONE, &verdict,
                         err);
    if (*rc != TT_OK)
        return TT_PHASE_STOP;
    if (verdict == RUN_TAKE_OUTCOME)
        return stop(r, m, rc, err);
    return at->next[verdict == RUN_RETRY ? TT_WAY_RETRY : TT_WAY_OK];
}

/* To those that watch it is one step, however it was played. */
static void commit(tt_run *r, struct run_macro *m)
{
    r->memory->anew = 0;
    if (m->judged && !m->ends)
        run_vary_commit(r, m);
    if (r->now->t[TT_T0] != m->t0)
        r->now->h[TT_T1] = m->s.h;
    r->now->t[TT_T0] = m->t0;
    run_advance(r);
    run_event_commit(r);
    if (m->namer)
        run_event_ask(r, m->namer);
    m->stands = 1;
    if (r->guest)
        run_guest_commit(r, m);
    RUN_NOTIFY(r, stands, r);
    run_between_calls(r);
}

/* Its row, and whether there is an event at its end. */
static uint8_t row(tt_run *r, const struct run_macro *m,
                   const struct tt_phase *at, enum tt_code *rc, tt_err *err)
{
    int pending = 0;

    if (r->guest && r->trails)
        *rc = run_pass_trails(r, err);
    else if (!r->guest && !r->replaying)
        *rc = run_show_step(r, err);
    if (*rc == TT_OK && !m->ends)
        *rc = run_event_pending(r, &pending, err);
    if (pending && r->guest)
        pending = !run_guest_passes_on(r, m->asked->to, m->stepped);
    return at->next[pending ? TT_WAY_EVENT : TT_WAY_OK];
}

/* The limit from the right is shown, or every microstep. */
static uint8_t event(tt_run *r, const struct run_macro *m,
                     const struct tt_phase *at, enum tt_code *rc, tt_err *err)
{
    int again = 0, shows = !r->guest && !r->replaying;

    *rc = run_event_microstep(r, &again, err);
    if (*rc == TT_OK && shows && (!again || r->opts.microsteps))
        *rc = run_show_event(r, err);
    r->memory->in_event = again ? 1 + m->no_step : 0;
    if (*rc == TT_OK && shows && again)
        *rc = run_checkpoint_between(r, err);
    return at->next[again ? TT_WAY_EVENT : TT_WAY_OK];
}

static enum tt_code settle(tt_run *r, tt_err *err)
{
    enum tt_code rc = run_event_leave(r, err);

    return rc == TT_OK ? run_event_settle(r, err) : rc;
}

/* Returns the next phase, or DONE, or STOP; then *rc may state why. */
static uint8_t perform(tt_run *r, struct run_macro *m,
                       const struct tt_phase *at, enum tt_code *rc, tt_err *err)
{
    switch ((enum tt_act)at->act) {
    case TT_ACT_PROPOSE:
        *rc = propose(r, m, err);
        break;
    case TT_ACT_KEEP:
        *rc = keep(r, (enum tt_section)at->section, err);
        break;
    case TT_ACT_PLAY:
        return play(r, m, at, rc, err);
    case TT_ACT_JUDGE:
        return judge(r, m, at, rc, err);
    case TT_ACT_UNDO:
        *rc = undo(r, m, (enum tt_section)at->section, err);
        break;
    case TT_ACT_COMMIT:
        commit(r, m);
        break;
    case TT_ACT_ROW:
        return row(r, m, at, rc, err);
    case TT_ACT_EVENT:
        return event(r, m, at, rc, err);
    case TT_ACT_SETTLE:
        *rc = settle(r, err);
        break;
    }
    return at->next[TT_WAY_OK];
}

static enum tt_code perform_from(tt_run *r, struct run_macro *m, uint8_t phase,
                                 enum tt_code rc, tt_err *err)
{
    while (rc == TT_OK && phase < r->protocol->n)
        phase = perform(r, m, &r->protocol->phase[phase], &rc, err);
    if (rc == TT_OK && m->stands && !r->guest && !r->replaying)
        rc = run_after_step(r, err);
    if (!m->stands && !m->no_step && !r->guest && !r->replaying)
        run_report_cut(r, m, rc, err);
    return rc;
}

/* The run was resumed in the middle of an event. */
static enum tt_code go_on_with_event(tt_run *r, struct run_macro *m,
                                     tt_err *err)
{
    uint8_t phase = 0;

    while (r->protocol->phase[phase].act != TT_ACT_EVENT)
        phase++;
    m->no_step = r->memory->in_event == 2;
    m->stands = !m->no_step;
    return perform_from(r, m, phase, TT_OK, err);
}

enum tt_code run_perform(tt_run *r, struct run_macro *m, tt_err *err)
{
    if (TT_UNLIKELY(r->memory->in_event) && !r->guest)
        return go_on_with_event(r, m, err);
    return perform_from(r, m, 0, TT_OK, err);
}

#define FIXED_STEP 1 /* of tt_protocol_fixed */

enum tt_code run_perform_on(tt_run *r, struct run_macro *m, enum tt_code rc,
                            tt_err *err)
{
    const struct tt_phase *at = &r->protocol->phase[FIXED_STEP];
    uint8_t next = TT_PHASE_STOP;

    m->t0 = r->now->t[TT_T0];
    m->s =
        (struct tt_policy_step){.t1 = r->now->t[TT_T1], .h = r->now->h[TT_T1]};
    if (rc == TT_OK)
        rc = go_on_alone(r, TT_SEC_STEP, &m->halt, err);
    if (rc == TT_OK)
        next = next_after_steps(r, m, at, &rc, err);
    return perform_from(r, m, next, rc, err);
}
