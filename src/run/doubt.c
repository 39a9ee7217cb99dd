/* SPDX-License-Identifier: MIT */
/* Before steps are rolled back: can the units that declare it be rolled back?
 */
#include <math.h>
#include <stdio.h>

#include "run/run_impl.h"
#include "run/trial.h"

static int is_worth_it(const tt_unit_type *t)
{
    return t && t->desc.caps.save &&
           tt_type_has(t, TT_KIND_FOREIGN | TT_KIND_MADE_OF);
}

static enum tt_trial_verdict try_it(const tt_run *r, enum tt_trial_of what,
                                    uint32_t unit, char *why)
{
    const struct tt_plan_unit *u = &r->plan->unit[unit];
    double deadline = r->scenario->deadline;
    enum tt_trial_verdict v;
    const struct tt_trial t = {
        .type = r->type[u->fmu],
        .instance = u->instance,
        .experiment = r->plan->experiment,
        .h = r->plan->step / u->rate,
        .start = r->plan->start,
        .n_start = r->plan->n_start,
        .unit = unit,
        .texts = r->plan->texts,
        .how = {.deadline = isnan(deadline) ? 0 : deadline,
                .sandbox = r->opts.sandbox},
    };

    v = what == TT_TRIAL_ROLLBACK ? tt_trial(&t, why) : tt_trial_pack(&t, why);
    tt_texts_sweep(t.texts); /* what was read there */
    return v;
}

/* What is known of the FMU of a unit, or what a trial shows. */
static enum tt_trial_verdict judge(const tt_run *r, enum tt_trial_of what,
                                   uint32_t unit, char *why)
{
    uint32_t fmu = r->plan->unit[unit].fmu;
    const char *path = tt_type_has(r->type[fmu], TT_KIND_FOREIGN)
                           ? r->scenario->fmu[fmu].path
                           : NULL;
    enum tt_trial_verdict v =
        path ? tt_trial_recall(what, path) : TT_TRIAL_OPEN;

    if (v == TT_TRIAL_CANNOT)
        (void)snprintf(why, TT_TRIAL_WHY,
                       "as an earlier trial showed ('tutti check --walk' "
                       "tries again)");
    if (v != TT_TRIAL_OPEN)
        return v;
    v = try_it(r, what, unit, why);
    if (path)
        tt_trial_keep(what, path, v);
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
        if (judge(r, TT_TRIAL_ROLLBACK, u, why) < TT_TRIAL_CANNOT)
            continue;
        tt_log(
            r->opts.log, TT_LOG_WARN,
            "FMU '%s' (instance '%s') declares that it can be rolled back to a "
            "saved state, "
            "but it cannot: %s; it is treated as one that does not declare it",
            r->scenario->fmu[fmu].key, r->plan->unit[u].name, why);
        t->desc.caps.save = t->desc.caps.serialise = 0;
        found = 1;
    }
    return found;
}

static int is_known(const tt_run *r, uint32_t unit)
{
    uint32_t fmu = r->plan->unit[unit].fmu;
    const tt_unit_type *t = r->type[fmu];

    if (t->kind->known_to_restore)
        return t->kind->known_to_restore(t);
    return !tt_type_has(t, TT_KIND_FOREIGN) ||
           tt_trial_recall(TT_TRIAL_ROLLBACK, r->scenario->fmu[fmu].path) ==
               TT_TRIAL_CAN;
}

int tt_run_known_to_restore(const tt_run *r)
{
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        if (!is_known(r, u))
            return 0;
    return 1;
}

int run_doubt_packing(const tt_run *r, uint32_t unit, char *why)
{
    uint32_t fmu = r->plan->unit[unit].fmu;

    for (uint32_t u = 0; u < unit; u++)
        if (r->plan->unit[u].fmu == fmu)
            return 0; /* it was tried */
    return is_worth_it(r->type[fmu]) &&
           judge(r, TT_TRIAL_CHECKPOINT, unit, why) >= TT_TRIAL_CANNOT;
}
