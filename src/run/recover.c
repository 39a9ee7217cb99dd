/* SPDX-License-Identifier: MIT */
/* A fixed step that a unit rejects, without having been asked to prepare for
 * that: states are saved now and then, so seldom that it costs next to nothing.
 * The run goes back to the last save, makes the steps since then once more, to
 * the same bits, and goes on with steps that can be taken back. */
#include "base/num.h"
#include "run/perform.h"
#include "sys/clock.h"

#define COST      100 /* a save may take that part of the time between two */
#define STEPS_MIN 64u /* between two looks at the clock */

struct tt_recovery {
    uint64_t next;     /* step after which the clock is looked at */
    uint64_t saved_at; /* steps made then, ... */
    uint64_t saved_ns; /* ... and when that was */
    uint64_t ns;       /* what a save takes */
    int off;           /* not any more */
};

int run_recovers(const tt_run *r)
{
    return r->recovers;
}

/* Without having been asked for, only what is known to work is relied on: some
 * FMUs crash when their state is saved. */
void run_look_at_recovery(tt_run *r)
{
    if (r->opts.host || r->plan->rejects || r->plan->dialect ||
        r->plan->by_events || r->scenario->inside || !r->opts.trial)
        return;
    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        const struct tt_caps *c = &r->plan->unit[u].desc->caps;

        if (!c->save || !c->variable_step)
            return;
    }
    r->recovers = r->plan->n_unit > 0 && tt_run_known_to_restore(r);
}

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    if (!run_recovers(r))
        return TT_OK;
    if (!RUN_NEW(r, r->recovery, 1))
        return run_nomem(err);
    if (r->extra_registers <= RUN_REG_RECOVER)
        r->extra_registers = RUN_REG_RECOVER + 1;
    *wanted = 1;
    return TT_OK;
}

/* What cannot be saved is no reason to end a run that may never need it. */
static void save(tt_run *r)
{
    struct tt_recovery *c = r->recovery;
    uint64_t began = tt_clock_ns();
    tt_err err;

    c->off = tt_run_save(r, RUN_REG_RECOVER, &err) != TT_OK;
    if (run_any(r, &c->off, &err) != TT_OK)
        c->off = 1;
    tt_activity_clear(r->activity);
    c->saved_at = run_steps(r);
    c->saved_ns = tt_clock_ns();
    c->ns = c->saved_ns - began;
    c->next = c->off ? UINT64_MAX : run_steps(r) + STEPS_MIN;
}

uint64_t run_recovery_due(const tt_run *r)
{
    return r->recovery ? r->recovery->next : UINT64_MAX;
}

static void stands(tt_run *r)
{
    struct tt_recovery *c = r->recovery;
    uint64_t steps = run_steps(r) - c->saved_at, spent;

    if (run_steps(r) < c->next || c->off || r->memory->recovered)
        return;
    if (r->opts.link) { /* all at the same step, whatever their clocks show */
        save(r);
        c->next = 2 * run_steps(r);
        return;
    }
    spent = tt_clock_ns() - c->saved_ns;
    if (spent >= COST * c->ns)
        save(r);
    else /* as many again, or as many as it seems to take */
        c->next = run_steps(r) + STEPS_MIN +
                  (spent ? steps * ((COST * c->ns - spent) / spent) : steps);
}

/* --- going back -------------------------------------------------------------
 */

/* Accepted once, they are accepted again; rows were shown. */
static enum tt_code replay(tt_run *r, uint64_t steps, tt_err *err)
{
    uint64_t rows = r->memory->rows;
    enum tt_code rc = tt_run_restore(r, RUN_REG_RECOVER, err);

    r->replaying = 1;
    while (rc == TT_OK && run_steps(r) < steps) {
        struct run_macro m = {.attempts = 0};

        rc = run_perform(r, &m, err);
        if (rc == TT_OK && !m.stands)
            rc = tt_fail(err, TT_EUNIT,
                         "a step that was accepted is rejected when it is made "
                         "again from a saved state");
    }
    r->replaying = 0;
    r->memory->rows = rows;
    return rc;
}

int run_can_recover(const tt_run *r)
{
    const struct tt_recovery *c = r->recovery;

    return c && !c->off && !r->replaying && !r->memory->recovered;
}

/* From here on steps are saved one by one, and can be rolled back. */
static enum tt_code go_over(tt_run *r, tt_err *err)
{
    r->recovery->off = 1;
    r->recovery->next = UINT64_MAX;
    r->protocol = &tt_protocol_varied;
    r->memory->recovered = 1;
    return run_copy_room(r, &r->kept, tt_frame_step_size(r->frame), err);
}

enum tt_code run_recover(tt_run *r, const struct tt_halt *halt, tt_err *err)
{
    char t[TT_NUM_MAX];
    enum tt_code rc;

    tt_num_print_short(t, r->now->t[TT_T1]);
    tt_log(r->opts.log, TT_LOG_NOTE,
           "rollback: '%s' %s the step to t=%s; from here on steps can be "
           "rolled back",
           halt->unit ? halt->unit->name : "a loop",
           halt->flags & TT_STEP_REJECT ? "rejects" : "returns early from", t);
    r->recovery->next = UINT64_MAX;
    rc = replay(r, run_steps(r), err);
    if (rc == TT_OK)
        rc = go_over(r, err);
    if (rc != TT_OK)
        return tt_context(err, rc, "rollback");
    run_vary_restart(r);
    return TT_OK;
}

enum tt_code run_recover_resumed(tt_run *r, tt_err *err)
{
    return r->recovery && r->memory->recovered ? go_over(r, err) : TT_OK;
}

const struct run_companion run_recovery_companion = {
    .make = make,
    .begun = save,
    .stands = stands,
};
