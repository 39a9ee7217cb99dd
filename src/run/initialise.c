/* SPDX-License-Identifier: MIT */
/* Initialisation as the standard wants it: start values before
 * initialisation mode, connected values in it, in dependency order. */
#include <string.h>

#include "run/run_impl.h"

static enum tt_code set_start_values(tt_run *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < r->plan->n_start && rc == TT_OK; i++) {
        const struct tt_start *s = &r->plan->start[i];
        const struct tt_port *p = &r->plan->unit[s->unit].desc->port[s->port];
        size_t size = tt_port_size(p);
        void *copy = tt_alloc(size);
        struct tt_span span = {.port = &s->port, .n = 1, .value = copy};

        if (!copy)
            return run_nomem(err);
        memcpy(copy, s->value, size);
        rc = tt_unit_set(r->unit[s->unit], &span, err);
        tt_free(copy);
    }
    return rc;
}

/* Name the calls, for whoever watches. */
static void publish_names(tt_run *r)
{
    struct tt_stage *stage = r->opts.stage;
    const char *unit, *call;
    uint32_t n = 0;

    if (!stage)
        return;
    while (n < TT_STAGE_NAMES && tt_part_describe(r->part, n, &unit, &call)) {
        size_t a = strlen(unit), b = strlen(call);

        if (a >= sizeof(stage->name[n].unit))
            a = sizeof(stage->name[n].unit) - 1;
        if (b >= sizeof(stage->name[n].call))
            b = sizeof(stage->name[n].call) - 1;
        memcpy(stage->name[n].unit, unit, a);
        memcpy(stage->name[n].call, call, b);
        n++;
    }
    stage->n_name = n;
}

static enum tt_code play_init(tt_run *r, tt_err *err)
{
    struct tt_halt halt;
    enum tt_code rc;

    r->now->t[TT_T0] = r->now->t[TT_T1] = r->agenda.start;
    rc = tt_part_new_ranked(&r->part, r->score, r->unit, r->now, r->opts.link,
                            err);
    rc = run_agree(r, rc, err);
    if (rc != TT_OK)
        return rc;
    publish_names(r);
    rc = r->opts.profile ? tt_part_profile(r->part, err) : TT_OK;
    if (rc != TT_OK)
        return rc;
    r->crumb->playing = TT_PLAYING_STEP;
    rc = tt_part_play(r->part, TT_SEC_INIT, &halt, err);
    r->crumb->playing = TT_PLAYING_NOT;
    r->at_start = tt_part_stats(r->part);
    if (rc == TT_OK && r->at_start.unconverged)
        tt_log(r->opts.log, TT_LOG_WARN,
               "initialisation: values that may depend on each other did not "
               "settle; the last ones are taken");
    return rc == TT_OK ? TT_OK : tt_context(err, rc, "initialisation");
}

enum tt_code run_initialise(tt_run *r, tt_err *err)
{
    uint32_t n = r->plan->n_unit;
    enum tt_code rc = set_start_values(r, err);

    for (uint32_t u = 0; u < n && rc == TT_OK; u++)
        rc = tt_unit_configure(r->unit[u], err);
    for (uint32_t u = 0; u < n && rc == TT_OK; u++)
        rc = tt_unit_enter_init(r->unit[u], &r->plan->experiment, err);
    rc = run_agree(r, rc, err);
    if (rc == TT_OK)
        rc = play_init(r, err);
    for (uint32_t u = 0; u < n && rc == TT_OK; u++)
        rc = tt_unit_exit_init(r->unit[u], err);
    for (uint32_t u = 0; u < n && rc == TT_OK; u++)
        rc = tt_unit_prepare(
            r->unit[u],
            r->plan->unit[u].desc->caps.save ? r->score->n_state : 0, err);
    rc = run_agree(r, rc, err);
    return rc == TT_OK ? tt_part_rates(r->part, err) : rc;
}
