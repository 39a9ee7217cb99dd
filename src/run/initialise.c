/* SPDX-License-Identifier: MIT */
/* Initialisation as the standard wants it: start values before
 * initialisation mode, connected values in it, in dependency order. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "player/event.h"
#include "run/orders.h"

struct tt_experiment run_experiment(const tt_run *r, uint32_t unit)
{
    struct tt_experiment e = r->experiment;

    if (r->opts.begin)
        e.start = r->opts.begin->start;
    if (r->scenario->no_stop_time || r->scenario->unit[unit].no_stop_time)
        e.end = (double)INFINITY;
    return e;
}

enum tt_code run_enter_init(tt_run *r, uint32_t unit, tt_err *err)
{
    struct tt_experiment e = run_experiment(r, unit);

    return tt_unit_enter_init(r->unit[unit], &e, err);
}

/* Long ones are the plan's, and the units' now. */
static enum tt_code bring_texts(tt_run *r, const struct tt_port *p,
                                struct tt_text *t, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (!tt_type_is_text(p->type))
        return TT_OK;
    for (uint32_t i = 0; i < p->n && rc == TT_OK; i++)
        if (tt_bytes_is_cut(&t[i]))
            rc = tt_text_put(r->texts, &t[i],
                             tt_text_data(r->plan->texts, &t[i], NULL), t[i].n,
                             err);
    return rc;
}

static enum tt_code set_start(tt_run *r, const struct tt_start *s, tt_err *err)
{
    const struct tt_port *p = &r->plan->unit[s->unit].desc->port[s->port];
    size_t size = tt_port_size(p);
    void *copy = tt_alloc(size);
    struct tt_span span = {.port = &s->port, .n = 1, .value = copy};
    enum tt_code rc;

    if (!copy)
        return run_nomem(err);
    memcpy(copy, s->value, size);
    rc = bring_texts(r, p, copy, err);
    if (rc == TT_OK)
        rc = tt_unit_set(r->unit[s->unit], &span, err);
    tt_free(copy);
    return rc;
}

/* Structural parameters, or all others. */
static enum tt_code set_starts(tt_run *r, int structural, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < r->plan->n_start && rc == TT_OK; i++) {
        const struct tt_start *s = &r->plan->start[i];
        const struct tt_port *p = &r->plan->unit[s->unit].desc->port[s->port];

        if ((p->causality == TT_CAUS_STRUCTURAL) == structural)
            rc = set_start(r, s, err);
    }
    return rc;
}

/* Values of arrays come when their sizes are final. */
enum tt_code run_configure(tt_run *r, tt_err *err)
{
    enum tt_code rc = set_starts(r, 1, err);

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = tt_unit_configure(r->unit[u], err);
    if (rc == TT_OK)
        rc = set_starts(r, 0, err);
    return rc == TT_OK ? run_nudge_start(r, err) : rc;
}

/* The calls' names from `first` on, as far as there is room. */
static uint32_t put_names(const tt_part *part, struct tt_stage *stage,
                          uint32_t first, uint32_t end)
{
    const char *unit, *call;
    uint32_t n = 0;

    while (first + n < end && tt_part_describe(part, n, &unit, &call)) {
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
    stage->guest[seat].n = put_names(r->part, stage, stage->guest[seat].first,
                                     stage->guest[seat].first + n);
}

/* Name the calls, for the parent process. */
static void publish_names(tt_run *r)
{
    struct tt_stage *stage = r->activity->stage;

    if (!stage)
        return;
    if (!r->guest)
        stage->n_name =
            put_names(r->part, stage, 0, TT_STAGE_NAMES - stage->n_guest_name);
    else if (r->guest->seat != TT_NONE)
        publish_guest(r, stage);
}

/* Orders one after the other; where there is no more room, calls have no
 * names. */
static void publish_orders(const tt_run *r)
{
    struct tt_stage *stage = r->activity->stage;
    struct run_orders *o = r->orders;
    uint32_t first = 0;

    for (uint32_t i = 0; stage && i < o->n; i++) {
        o->name[i].first = first;
        o->name[i].n = put_names(o->part[i], stage, first,
                                 TT_STAGE_NAMES - stage->n_guest_name);
        first += o->name[i].n;
    }
}

/* After microsteps events are listed, and rows state what was present. */
static enum tt_code bind_direct(tt_run *r, tt_err *err)
{
    uint8_t *heeded = tt_zalloc(r->plan->n_slot + 1, 1);
    enum tt_code rc;

    if (!heeded)
        return run_nomem(err);
    for (uint32_t i = 0; r->opts.n_observer && i < r->plan->n_column; i++)
        heeded[r->plan->column[i].slot] = 1;
    for (uint32_t i = 0; i < r->n_listed; i++)
        heeded[r->listed[i]] = 1;
    rc = tt_part_event_direct(r->part, heeded, err);
    tt_free(heeded);
    return rc;
}

enum tt_code run_bind(tt_run *r, tt_err *err)
{
    const struct tt_part_place at = {.frame = r->frame,
                                     .block = r->part_blocks,
                                     .now = r->now,
                                     .link = r->opts.link,
                                     .trails_taken = run_takes_trails(r)};
    enum tt_code rc;

    r->now->t[TT_T0] = r->now->t[TT_T1] = r->agenda->start;
    rc = tt_part_new(&r->part, r->score, r->unit, &at, err);
    rc = run_agree(r, rc, err);
    if (rc != TT_OK)
        return rc;
    r->events = tt_part_events(r->part);
    publish_names(r);
    r->memory->anew = 1;
    tt_part_looks_at(r->part, &r->memory->anew);
    rc = run_list_events(r, err);
    if (rc == TT_OK && r->orders) {
        rc = run_bind_orders(r, &at, err);
        if (rc == TT_OK)
            publish_orders(r);
    }
    if (rc == TT_OK && r->events && !r->guest &&
        !r->scenario->events.confluence)
        rc = bind_direct(r, err);
    return rc == TT_OK && r->opts.profile ? tt_part_profile(r->part, err) : rc;
}

enum tt_code run_play_init(tt_run *r, tt_err *err)
{
    struct tt_halt halt;
    enum tt_code rc;

    r->activity->playing = TT_PLAYING_STEP;
    rc = tt_part_play(r->part, TT_SEC_INIT, &halt, err);
    r->activity->playing = TT_PLAYING_NOT;
    r->memory->evaluations = tt_part_stats(r->part).evaluations;
    r->memory->unconverged = tt_part_stats(r->part).unconverged;
    if (rc == TT_OK && r->memory->unconverged)
        tt_log(r->opts.log, TT_LOG_WARN,
               "initialisation: values that may depend on each other did not "
               "settle; the last ones are taken");
    return rc == TT_OK ? TT_OK : tt_context(err, rc, "initialisation");
}

/* --- once more, after initialisation mode --------------------------------- */

/* Outputs of one type, n slots from the first on: read now, and compared with
 * what they were. *slot: the first that is another. */
static enum tt_code compare_run(tt_run *r, uint32_t first, uint32_t n,
                                uint32_t *slot, tt_err *err)
{
    const struct tt_slot *s = &r->plan->slot[first];
    const struct tt_port *port = r->plan->unit[s->unit].desc->port;
    size_t size = 0, at = 0;
    uint32_t *ports;
    struct tt_span span = {.n = n};
    enum tt_code rc;

    for (uint32_t i = 0; i < n; i++)
        size += tt_port_size(&port[s[i].port]);
    ports = tt_zalloc(n, sizeof(*ports));
    span.port = ports;
    span.value = tt_zalloc(1, size + 1);
    for (uint32_t i = 0; ports && i < n; i++)
        ports[i] = s[i].port;
    rc = ports && span.value ? tt_unit_get(r->unit[s->unit], &span, err)
                             : run_nomem(err);
    for (uint32_t i = 0; rc == TT_OK && i < n && *slot == TT_NONE; i++) {
        const struct tt_port *p = &port[s[i].port];

        if (!tt_values_same(p->type, p->n, (char *)span.value + at,
                            tt_part_value(r->part, first + i)))
            *slot = first + i;
        at += tt_port_size(p);
    }
    TT_FREE_ALL(ports, span.value);
    return rc;
}

/* The first output of the unit that is not what it was in initialisation mode;
 * TT_NONE: they all are. */
static enum tt_code find_changed(tt_run *r, uint32_t unit, uint32_t *slot,
                                 tt_err *err)
{
    const struct tt_plan_unit *u = &r->plan->unit[unit];
    const struct tt_slot *s = r->plan->slot;
    uint32_t first = u->slot, end = u->slot + u->n_read;
    enum tt_code rc = TT_OK;

    *slot = TT_NONE;
    while (rc == TT_OK && first < end && *slot == TT_NONE) {
        uint32_t n = 1;

        while (first + n < end && s[first + n].type == s[first].type &&
               s[first + n].event_only == s[first].event_only)
            n++;
        if (!s[first].event_only && s[first].type != TT_CLOCK)
            rc = compare_run(r, first, n, slot, err);
        first += n;
    }
    return rc;
}

static void report_changed(tt_run *r, uint32_t slot)
{
    char name[512];

    run_note(r, "initialisation",
             "%s got its value when initialisation mode was left: values "
             "were exchanged once more",
             tt_plan_slot_name(r->plan, slot, name, sizeof(name)));
}

static enum tt_code play_start(tt_run *r, tt_err *err)
{
    enum tt_code rc;

    r->activity->playing = TT_PLAYING_STEP;
    rc = tt_part_play_start(r->part, err);
    r->activity->playing = TT_PLAYING_NOT;
    return rc;
}

/* Some units compute outputs when they leave initialisation mode, and not
 * before. Where all are as they were, nothing is set again. */
enum tt_code run_exchange_start(tt_run *r, tt_err *err)
{
    uint32_t slot = TT_NONE;
    int changed = 0;
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK && !changed; u++) {
        /* an unknown of a loop in every step is still to be found */
        if (!run_is_away(r, u) && !r->plan->unit[u].desc->caps.implicit)
            rc = find_changed(r, u, &slot, err);
        changed = slot != TT_NONE;
    }
    rc = run_agree(r, rc, err);
    if (rc == TT_OK && changed)
        report_changed(r, slot);
    if (rc == TT_OK)
        rc = run_any(r, &changed, err);
    if (rc == TT_OK && changed)
        rc = play_start(r, err);
    if (rc != TT_OK)
        return tt_context(err, rc, "initialisation");
    return changed ? tt_part_recommit(r->part, err)
                   : tt_part_rates(r->part, err);
}

/* Events at the start of instances, wherever the run begins. */
static enum tt_code start_event(tt_run *r, tt_err *err)
{
    double t = r->agenda->t;
    enum tt_code rc;

    if (r->opts.begin)
        r->agenda->t = r->opts.begin->start;
    rc = run_start_event(r, err);
    r->agenda->t = t;
    return rc;
}

/* The past of what has been initialised counts no more than that. */
static enum tt_code begin_carried(tt_run *r, tt_err *err)
{
    enum tt_code rc = run_begin_carried(r, RUN_REG_CHECKPOINT, err);

    if (rc == TT_OK)
        rc = play_start(r, err);
    return rc == TT_OK ? tt_part_recommit(r->part, err)
                       : tt_context(err, rc, "beginning");
}

enum tt_code run_initialise(tt_run *r, tt_err *err)
{
    uint32_t n = r->plan->n_unit, extra = r->extra_registers;
    uint32_t spare = extra < RUN_REG_TRY ? extra : RUN_REG_TRY;
    enum tt_code rc = run_configure(r, err);

    for (uint32_t u = 0; u < n && rc == TT_OK; u++)
        rc = run_enter_init(r, u, err);
    rc = run_agree(r, rc, err);
    if (rc == TT_OK)
        rc = run_bind(r, err);
    if (rc == TT_OK)
        rc = r->plan->n_adjust ? run_consistent_start(r, err)
                               : run_play_init(r, err);
    if (rc == TT_OK)
        rc = run_start_clocks(r, err);
    for (uint32_t u = 0; u < n && rc == TT_OK; u++)
        rc = tt_unit_exit_init(r->unit[u], err);
    rc = run_agree(r, rc, err);
    if (rc == TT_OK)
        rc = run_join(r, err);
    if (rc == TT_OK)
        rc = start_event(r, err);
    for (uint32_t u = 0; u < n && rc == TT_OK; u++) {
        tt_unit_spare(r->unit[u], spare);
        rc = tt_unit_prepare(r->unit[u], run_registers(r, u, extra), err);
    }
    if (rc == TT_OK)
        rc = run_make_registers(r, extra, err);
    if (rc == TT_OK)
        run_warn_of_restarts(r, extra);
    rc = run_agree(r, rc, err);
    if (rc != TT_OK)
        return rc;
    return r->opts.begin ? begin_carried(r, err) : run_exchange_start(r, err);
}
