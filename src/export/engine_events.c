/* SPDX-License-Identifier: MIT */
/* Discrete-event units in FMI 2, which has neither event mode nor clocks, as
 * those of the unit kit (kinds/discrete_fmu.c): a clock is an Integer that
 * counts. An input that went on is an event, which the begin of a step takes,
 * also of one of length 0; events_internal lets the unit's own event happen.
 * Values of events are kept here, since inside they are there only while they
 * happen. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "export/engine.h"

enum { LIMIT = 10000 }; /* own events at one time */

/* --- what is kept ---------------------------------------------------------
 *
 * Of every variant of FMI: when its own event is due. Of FMI 2, per port: a
 * count, whether it ticks now, and the value of an event. */

static int counts(const tt_engine *e)
{
    return e->opts.fmi == 2 && tt_export_has_events(&e->type->desc);
}

int tt_engine_is_event(const tt_engine *e, uint32_t port)
{
    const struct tt_port *p = &e->type->desc.port[port];

    if (!counts(e) ||
        (p->causality != TT_CAUS_INPUT && p->causality != TT_CAUS_OUTPUT))
        return 0;
    return p->clock || (p->type == TT_CLOCK && p->hidden);
}

enum tt_code tt_engine_event_room(tt_engine *e, tt_err *err)
{
    uint32_t n = e->type->desc.n_port;
    size_t size = sizeof(*e->own);

    if (!TT_NEW_ARRAY(e->value_at, n))
        return tt_nomem(err, NULL);
    if (counts(e))
        size += n * (sizeof(int32_t) + 1);
    for (uint32_t i = 0; i < n; i++)
        if (tt_engine_is_event(e, i)) {
            e->value_at[i] = size;
            size += tt_port_size(&e->type->desc.port[i]);
        }
    e->own = tt_zalloc(1, size);
    e->own_size = size;
    tt_engine_event_forget(e);
    return e->own ? TT_OK : tt_nomem(err, NULL);
}

void tt_engine_event_forget(tt_engine *e)
{
    if (!e->own)
        return;
    memset(e->own, 0, e->own_size);
    e->own->next = (double)INFINITY;
    for (uint32_t i = 0; i < e->type->desc.n_port; i++) {
        const struct tt_port *p = &e->type->desc.port[i];

        if (tt_engine_is_event(e, i) && p->start)
            memcpy((char *)e->own + e->value_at[i], p->start, tt_port_size(p));
    }
}

static int32_t *count_of(const tt_engine *e, uint32_t port)
{
    return (int32_t *)(void *)(e->own + 1) + port;
}

static uint8_t *ticks(const tt_engine *e, uint32_t port)
{
    return (uint8_t *)count_of(e, e->type->desc.n_port) + port;
}

static void *value_of(const tt_engine *e, uint32_t port)
{
    return (char *)e->own + e->value_at[port];
}

static int is_clock(const tt_engine *e, uint32_t port, enum tt_causality c)
{
    const struct tt_port *p = &e->type->desc.port[port];

    return p->type == TT_CLOCK && p->hidden && p->causality == c;
}

/* --- a microstep ---------------------------------------------------------- */

static enum tt_code tick(tt_engine *e, uint32_t clock, tt_err *err)
{
    uint8_t yes = 1;

    return tt_unit_set(e->unit, &(struct tt_span){&clock, 1, &yes}, err);
}

static enum tt_code join(tt_engine *e, tt_err *err)
{
    if (e->unit->life == TT_LIFE_EVENT)
        return TT_OK;
    tt_unit_quiet(e->unit);
    return tt_unit_event_enter(e->unit, err);
}

/* Its own event happens. */
static enum tt_code go(tt_engine *e, tt_err *err)
{
    enum tt_code rc = join(e, err);

    return rc == TT_OK ? tick(e, e->type->desc.internal - 1, err) : rc;
}

/* The value of the events of this clock: in, or out. */
static enum tt_code move(tt_engine *e, uint32_t clock, int set, tt_err *err)
{
    const struct tt_desc *d = &e->type->desc;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < d->n_port && rc == TT_OK; i++) {
        const struct tt_span s = {&i, 1, value_of(e, i)};

        if (d->port[i].clock == clock + 1)
            rc = set ? tt_unit_set(e->unit, &s, err)
                     : tt_unit_get(e->unit, &s, err);
    }
    return rc;
}

/* Outputs that tick are counted, each once in a microstep. */
static enum tt_code look(tt_engine *e, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (e->unit->life != TT_LIFE_EVENT)
        return TT_OK;
    for (uint32_t i = 0; i < e->type->desc.n_port && rc == TT_OK; i++) {
        uint8_t now = 0;

        if (!is_clock(e, i, TT_CAUS_OUTPUT) || *ticks(e, i))
            continue;
        rc = tt_unit_get(e->unit, &(struct tt_span){&i, 1, &now}, err);
        if (rc != TT_OK || !now)
            continue;
        *ticks(e, i) = 1;
        *count_of(e, i) = (int32_t)((uint32_t)*count_of(e, i) + 1);
        rc = move(e, i, 0, err);
    }
    return rc;
}

static enum tt_code give(tt_engine *e, tt_err *err)
{
    uint32_t internal = e->type->desc.internal - 1;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < e->type->desc.n_port && rc == TT_OK; i++) {
        if (i == internal || !is_clock(e, i, TT_CAUS_INPUT) || !*ticks(e, i))
            continue;
        rc = join(e, err);
        if (rc == TT_OK)
            rc = tick(e, i, err);
        if (rc == TT_OK)
            rc = move(e, i, 1, err);
    }
    return rc;
}

/* What has come in, and what follows from it; nothing if nothing has. */
static enum tt_code transit(tt_engine *e, struct tt_event_result *r,
                            tt_err *err)
{
    enum tt_code rc = give(e, err);

    if (rc == TT_OK)
        rc = look(e, err);
    if (rc != TT_OK || e->unit->life != TT_LIFE_EVENT)
        return rc;
    rc = tt_unit_event_update(e->unit, r, err);
    if (rc == TT_OK)
        rc = tt_unit_event_leave(e->unit, err);
    e->own->next = r->next_defined ? r->next : (double)INFINITY;
    memset(ticks(e, 0), 0, e->type->desc.n_port);
    return rc;
}

enum tt_code tt_engine_event_begin(tt_engine *e, tt_err *err)
{
    struct tt_event_result r = {0};

    return counts(e) ? transit(e, &r, err) : TT_OK;
}

/* --- values --------------------------------------------------------------- */

enum tt_code tt_engine_event_get(tt_engine *e, uint32_t port, void *value,
                                 tt_err *err)
{
    const struct tt_port *p = &e->type->desc.port[port];
    enum tt_code rc = look(e, err);

    if (p->type == TT_CLOCK)
        memcpy(value, count_of(e, port), sizeof(int32_t));
    else
        memcpy(value, value_of(e, port), tt_port_size(p));
    return rc;
}

enum tt_code tt_engine_event_set(tt_engine *e, uint32_t port, const void *value,
                                 tt_err *err)
{
    const struct tt_port *p = &e->type->desc.port[port];
    int32_t n;

    if (p->type != TT_CLOCK) {
        memcpy(value_of(e, port), value, tt_port_size(p));
        return TT_OK;
    }
    memcpy(&n, value, sizeof(n));
    if (n == *count_of(e, port))
        return TT_OK;
    *count_of(e, port) = n;
    if (e->unit->life != TT_LIFE_READY && e->unit->life != TT_LIFE_EVENT)
        return TT_OK; /* where it begins to count */
    *ticks(e, port) = 1;
    return port == e->type->desc.internal - 1 ? go(e, err) : TT_OK;
}

/* --- time ----------------------------------------------------------------- */

static enum tt_code step_to(tt_engine *e, double to, struct tt_stepped *r,
                            tt_err *err)
{
    const struct tt_step s = {.to = to, .h = to - e->unit->now};

    return to > e->unit->now ? tt_unit_step(e->unit, &s, r, err) : TT_OK;
}

/* Own events up to `to`, at their times. */
static enum tt_code have_events(tt_engine *e, double to, struct tt_stepped *r,
                                tt_err *err)
{
    struct tt_event_result up = {0};
    double last = e->unit->now;
    char t[TT_NUM_MAX];
    enum tt_code rc = TT_OK;

    for (int n = 0; rc == TT_OK && e->own->next <= to && !up.terminate; n++) {
        rc = step_to(e, e->own->next, r, err);
        if (e->unit->now > last)
            n = 0;
        last = e->unit->now;
        tt_num_print_short(t, last);
        if (rc == TT_OK && n >= LIMIT)
            rc = tt_fail(err, TT_EUNIT,
                         "its events at t=%s do not come to an end", t);
        up = (struct tt_event_result){0};
        if (rc == TT_OK)
            rc = go(e, err);
        if (rc == TT_OK)
            rc = transit(e, &up, err);
    }
    if (up.terminate)
        r->flags |= TT_STEP_TERMINATE;
    return rc;
}

int tt_engine_event_steps(const tt_engine *e)
{
    return counts(e);
}

enum tt_code tt_engine_event_step(tt_engine *e, double to, struct tt_stepped *r,
                                  tt_err *err)
{
    struct tt_event_result up = {0};
    enum tt_code rc = transit(e, &up, err);

    *r = (struct tt_stepped){.flags = up.terminate ? TT_STEP_TERMINATE : 0};
    if (rc == TT_OK && !r->flags && !e->driven)
        rc = have_events(e, to, r, err);
    if (rc == TT_OK && !(r->flags & TT_STEP_TERMINATE))
        rc = step_to(e, to, r, err);
    r->flags &= (uint32_t)~TT_STEP_EVENT;
    r->reached = e->unit->now;
    return rc;
}
