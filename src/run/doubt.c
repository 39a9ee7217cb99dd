/* SPDX-License-Identifier: MIT */
/* Before steps are taken back: do the units that say they can go back? */
#include <math.h>
#include <stdio.h>

#include "kinds/kinds.h"
#include "remote/remote.h"
#include "run/run_impl.h"
#include "run/trial.h"

static int is_worth_it(const tt_unit_type *t)
{
    return t && t->desc.caps.save && t->kind != &tt_kind_signal &&
           t->kind != &tt_kind_coupling && t->kind != &tt_kind_remote;
}

static int is_file(const tt_unit_type *t)
{
    return t->kind == &tt_kind_fmi2 || t->kind == &tt_kind_fmi3;
}

static enum tt_trial_verdict try_it(tt_run *r, uint32_t unit, char *why)
{
    const struct tt_plan_unit *u = &r->plan->unit[unit];
    double deadline = r->scenario->deadline;
    const struct tt_trial t = {
        .type = r->type[u->fmu],
        .instance = u->instance,
        .experiment = r->plan->experiment,
        .h = r->plan->step / u->rate,
        .start = r->plan->start,
        .n_start = r->plan->n_start,
        .unit = unit,
        .how = {.deadline = isnan(deadline) ? 0 : deadline,
                .sandbox = r->opts.sandbox},
    };

    return tt_trial(&t, why);
}

/* What is known of the FMU of a unit, or what a trial shows. */
static enum tt_trial_verdict judge(tt_run *r, uint32_t unit, char *why)
{
    uint32_t fmu = r->plan->unit[unit].fmu;
    const char *path =
        is_file(r->type[fmu]) ? r->scenario->fmu[fmu].path : NULL;
    enum tt_trial_verdict v = path ? tt_trial_recall(path) : TT_TRIAL_OPEN;

    if (v == TT_TRIAL_CANNOT)
        (void)snprintf(why, TT_TRIAL_WHY,
                       "as an earlier trial showed ('tutti check --walk' "
                       "tries again)");
    if (v != TT_TRIAL_OPEN)
        return v;
    v = try_it(r, unit, why);
    if (path)
        tt_trial_keep(path, v);
    return v;
}

int run_doubt(tt_run *r)
{
    char why[TT_TRIAL_WHY];
    int found = 0;

    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        uint32_t fmu = r->plan->unit[u].fmu;
        tt_unit_type *t = r->type[fmu];

        if (!is_worth_it(t) || r->tried[fmu])
            continue;
        r->tried[fmu] = 1;
        if (judge(r, u, why) < TT_TRIAL_CANNOT)
            continue;
        tt_log(r->opts.log, TT_LOG_WARN,
               "FMU '%s' (instance '%s') says it can go back to a saved state, "
               "but it cannot: %s; it is treated as one that does not say so",
               r->scenario->fmu[fmu].key, r->plan->unit[u].name, why);
        t->desc.caps.save = t->desc.caps.serialise = 0;
        found = 1;
    }
    return found;
}
