/* SPDX-License-Identifier: MIT */
/* What accompanies the steps of a run. */
#include "run/run_impl.h"

/* In this order they are called: bonds settle before errors are estimated. */
static const struct run_companion *const all[RUN_COMPANIONS] = {
    &run_vary_companion,       &run_bonds_companion,
    &run_error_companion,      &run_trace_companion,
    &run_wait_companion,       &run_growth_companion,
    &run_checkpoint_companion, &run_recovery_companion,
    &run_trails_companion,     &run_budget_companion,
    &run_confluence_companion, &run_zeno_companion,
    &run_script_companion,     &run_quanta_companion,
    &run_switching_companion,  &run_expect_companion,
    &run_sequence_companion,   &run_predicted_companion,
    &run_declared_companion,   &run_ahead_companion,
    &run_late_companion,
};

/* Does it do something between the step and the exchange, or before? */
static int interferes(const struct run_companion *c)
{
    return c->before_step || c->before_exchange;
}

enum tt_code run_make_companions(tt_run *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    r->plain = 1;
    for (uint32_t i = 0; i < RUN_COMPANIONS && rc == TT_OK; i++) {
        int wanted = 0;

        rc = all[i]->make(r, &wanted, err);
        if (!wanted)
            continue;
        r->with[r->n_with++] = all[i];
        r->plain &= !interferes(all[i]);
        r->accompanied |= all[i]->shown != NULL;
    }
    return rc;
}

enum tt_code run_start_companions(tt_run *r, tt_err *err)
{
    enum tt_code rc = run_find_limits(r, err);

    for (uint32_t i = 0; i < r->n_with && rc == TT_OK; i++)
        if (r->with[i]->start)
            rc = r->with[i]->start(r, err);
    return rc;
}

enum tt_code run_before_step(tt_run *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < r->n_with && rc == TT_OK; i++)
        if (r->with[i]->before_step)
            rc = r->with[i]->before_step(r, err);
    return rc;
}

void run_free_companions(tt_run *r)
{
    for (uint32_t i = 0; i < RUN_COMPANIONS; i++)
        if (all[i]->free)
            all[i]->free(r);
}
