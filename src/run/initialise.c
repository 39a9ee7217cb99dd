/* SPDX-License-Identifier: MIT */
/* Initialisation as the standard wants it: start values before
 * initialisation mode, connected values in it, in dependency order. */
#include <stdio.h>
#include <string.h>

#include "run/run_impl.h"

enum tt_code run_set_start_values(tt_run *r, tt_err *err)
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

/* The calls' names from `first` on, as far as there is room. */
static uint32_t put_names(const tt_run *r, struct tt_stage *stage,
                          uint32_t first, uint32_t end)
{
    const char *unit, *call;
    uint32_t n = 0;

    while (first + n < end && tt_part_describe(r->part, n, &unit, &call)) {
        (void)snprintf(stage->name[first + n].unit, sizeof(stage->name->unit),
                       "%s", unit);
        (void)snprintf(stage->name[first + n].call, sizeof(stage->name->call),
                       "%s", call);
        n++;
    }
    return n;
}

/* Guests are bound first; theirs are the last names. */
static void publish_guest(const tt_run *r, struct tt_stage *stage)
{
    uint32_t seat = r->guest->seat, n = 0, free;
    const char *unit, *call;

    while (tt_part_describe(r->part, n, &unit, &call))
        n++;
    free = TT_STAGE_NAMES - stage->n_guest_name;
    if (n > free)
        n = free;
    stage->n_guest_name += n;
    stage->guest[seat].first = TT_STAGE_NAMES - stage->n_guest_name;
    stage->guest[seat].n = put_names(r, stage, stage->guest[seat].first,
                                     stage->guest[seat].first + n);
}

/* Name the calls, for whoever watches. */
static void publish_names(tt_run *r)
{
    struct tt_stage *stage = r->crumb->stage;

    if (!stage)
        return;
    if (!r->guest)
        stage->n_name =
            put_names(r, stage, 0, TT_STAGE_NAMES - stage->n_guest_name);
    else if (r->guest->seat != TT_NONE)
        publish_guest(r, stage);
}

enum tt_code run_bind(tt_run *r, tt_err *err)
{
    enum tt_code rc;

    r->now->t[TT_T0] = r->now->t[TT_T1] = r->agenda.start;
    rc = tt_part_new_ranked(&r->part, r->score, r->unit, r->now, r->opts.link,
                            err);
    rc = run_agree(r, rc, err);
    if (rc != TT_OK)
        return rc;
    publish_names(r);
    return r->opts.profile ? tt_part_profile(r->part, err) : TT_OK;
}

enum tt_code run_play_init(tt_run *r, tt_err *err)
{
    struct tt_halt halt;
    enum tt_code rc;

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
    enum tt_code rc = run_set_start_values(r, err);

    for (uint32_t u = 0; u < n && rc == TT_OK; u++)
        rc = tt_unit_configure(r->unit[u], err);
    for (uint32_t u = 0; u < n && rc == TT_OK; u++)
        rc = tt_unit_enter_init(r->unit[u], &r->plan->experiment, err);
    rc = run_agree(r, rc, err);
    if (rc == TT_OK)
        rc = run_bind(r, err);
    if (rc == TT_OK)
        rc = run_play_init(r, err);
    for (uint32_t u = 0; u < n && rc == TT_OK; u++)
        rc = tt_unit_exit_init(r->unit[u], err);
    for (uint32_t u = 0; u < n && rc == TT_OK; u++)
        rc = tt_unit_prepare(
            r->unit[u],
            r->plan->unit[u].desc->caps.save ? r->score->n_state : 0, err);
    rc = run_agree(r, rc, err);
    return rc == TT_OK ? tt_part_rates(r->part, err) : rc;
}
