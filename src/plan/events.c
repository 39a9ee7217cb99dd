/* SPDX-License-Identifier: MIT */
/* Which units have event mode, and which values are moved at events only. */
#include <stdlib.h>
#include <string.h>

#include "base/lists.h"
#include "plan/plan_impl.h"

static int has_clocks(const struct tt_desc *d)
{
    for (uint32_t i = 0; i < d->n_port; i++)
        if (d->port[i].type == TT_CLOCK)
            return 1;
    return 0;
}

/* Is each event of these, one alone or an ensemble, an instant that all know in
 * advance? Then it takes no way back. It is asked for where some have clocks,
 * which tick in no other way. */
static int is_foretold(const tt_plan *p, uint32_t unit)
{
    uint32_t from = p->unit[unit].together ? 0 : unit;
    uint32_t to = p->unit[unit].together ? p->n_unit : unit + 1;
    int any = 0;

    for (uint32_t u = from; u < to; u++) {
        if (!tt_plan_stands_with(p, unit, u))
            continue;
        any |= has_clocks(p->unit[u].desc);
        if (p->unit[u].desc->caps.early_return)
            return 0;
    }
    return any && plan_all_vary(p);
}

/* Why the events of a unit that has event mode are left to the unit; NULL:
 * they are not. An event at one of several steps in a macro step ends that
 * there, which takes a way back. */
static const char *left_inside(const tt_plan *p, uint32_t u, int clocks)
{
    if (p->dialect)
        return "steps are Maestro's";
    if (p->unit[u].desc->caps.events_inside &&
        !(p->rejects && plan_all_go_back(p)) && !(clocks && is_foretold(p, u)))
        return p->rejects ? "not all instances can be taken back"
                          : "steps are not taken back";
    if (p->unit[u].rate > 1 && !(p->rejects && p->unit[u].desc->caps.save))
        return "it makes several steps in one macro step, which cannot be "
               "rolled back";
    return NULL;
}

/* With model exchange clocks tick in event mode, or never. */
static enum tt_code refuse_silence(const struct build *b, uint32_t u,
                                   const char *why, const char *hint,
                                   tt_err *err)
{
    const struct tt_desc *d = b->plan->unit[u].desc;

    for (uint32_t i = 0; d->caps.joins && i < d->n_port; i++)
        if (d->port[i].type == TT_CLOCK && b->mark[u][i])
            return tt_fail(err, TT_EINPUT,
                           "clock '%s.%s' would never tick: its instance is "
                           "used by model exchange, and its events are left "
                           "inside, since %s%s",
                           b->plan->unit[u].name, d->port[i].name, why, hint);
    return TT_OK;
}

static enum tt_code choose(const struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;
    int clocks = 0;

    for (uint32_t u = 0; u < p->n_unit; u++)
        clocks |= p->unit[u].desc->caps.joins && has_clocks(p->unit[u].desc);
    for (uint32_t u = 0; u < p->n_unit && rc == TT_OK; u++) {
        const char *why;

        if (!p->unit[u].desc->caps.event_mode) {
            rc = refuse_silence(b, u, "event mode is not to be used", "", err);
            continue;
        }
        why = left_inside(p, u, clocks);
        p->unit[u].events = !why;
        p->n_event += !why;
        if (why)
            tt_plan_note(p, "events", "%s: inside the instance, since %s",
                         p->unit[u].name, why);
        else
            tt_plan_note(p, "events", "%s: in event mode, at shared instants",
                         p->unit[u].name);
        if (why)
            rc = refuse_silence(b, u, why,
                                p->rejects || p->dialect
                                    ? ""
                                    : "; --rollback or a variable step helps",
                                err);
    }
    return rc;
}

/* The clocks of what is moved, and all that tick by time. */
void plan_mark_clocks(struct build *b)
{
    const tt_plan *p = b->plan;

    for (uint32_t u = 0; u < p->n_unit; u++) {
        const struct tt_desc *d = p->unit[u].desc;

        for (uint32_t i = 0; i < d->n_port; i++) {
            if (d->caps.discrete && d->port[i].clock && !d->port[i].hidden &&
                d->port[i].causality == TT_CAUS_OUTPUT)
                b->mark[u][i] |= MARK_EVENT;
            if (b->mark[u][i] && d->port[i].clock)
                b->mark[u][d->port[i].clock - 1] |= MARK_CLOCK;
            for (uint32_t k = 0; b->mark[u][i] && k < d->port[i].n_also; k++)
                b->mark[u][d->port[i].also[k]] |= MARK_CLOCK;
            if (d->caps.clocks && d->port[i].causality == TT_CAUS_INPUT &&
                tt_clock_is_timed(d->port[i].ticks))
                b->mark[u][i] |= MARK_CLOCK;
        }
        if (d->internal)
            b->mark[u][d->internal - 1] |= MARK_CLOCK;
    }
}

static int is_ticked(const struct build *b, const struct tt_slot *s)
{
    return s->type == TT_CLOCK && s->dir != TT_SLOT_IN &&
           b->plan->unit[s->unit].desc->port[s->port].causality ==
               TT_CAUS_INPUT;
}

static enum tt_code list_clocks(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n_slot; i++)
        n += is_ticked(b, &p->slot[i]) ? 1 : 0;
    if (!TT_NEW_IN(p->arena, p->clock, n))
        return plan_nomem(err);
    for (uint32_t i = 0; i < p->n_slot; i++) {
        struct tt_slot *s = &p->slot[i];
        const struct tt_clock *is = p->unit[s->unit].desc->port[s->port].ticks;

        if (!is_ticked(b, s))
            continue;
        s->event_only = 1;
        s->ticked = p->n_clock;
        p->clock[p->n_clock] = (struct tt_plan_clock){.slot = i, .is = is};
        if (is) {
            p->clock[p->n_clock].period = is->period;
            p->clock[p->n_clock].shift = is->shift;
        }
        p->unit[s->unit].asks |= p->unit[s->unit].events &&
                                 tt_plan_clock_is_asked(&p->clock[p->n_clock]);
        if (!p->unit[s->unit].n_clock++)
            p->unit[s->unit].clock = p->n_clock;
        if (s->port + 1 == p->unit[s->unit].desc->internal)
            p->unit[s->unit].internal = p->n_clock;
        p->n_clock++;
    }
    return TT_OK;
}

/* Of several clocks: the set of them, which is there already perhaps. */
static enum tt_code find_set(const struct build *b, struct tt_slot *s,
                             tt_err *err)
{
    const struct tt_port *port = &b->plan->unit[s->unit].desc->port[s->port];
    tt_plan *p = b->plan;
    uint32_t n = port->n_also + 1;
    uint32_t *slot = tt_arena_alloc(p->arena, n, sizeof(*slot));

    if (!slot)
        return plan_nomem(err);
    slot[0] = s->clock;
    for (uint32_t i = 1; i < n; i++)
        slot[i] = b->slot_of[s->unit][port->also[i - 1]];
    qsort(slot, n, sizeof(*slot), tt_by_u32);
    for (s->clocks = 0; s->clocks < p->n_clock_set; s->clocks++)
        if (p->clock_set[s->clocks].n == n &&
            memcmp(p->clock_set[s->clocks].slot, slot, n * sizeof(*slot)) == 0)
            return TT_OK;
    p->clock_set[p->n_clock_set++] = (struct tt_clock_set){slot, n};
    return TT_OK;
}

static enum tt_code list_sets(const struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;

    if (!TT_NEW_IN(p->arena, p->clock_set, p->n_slot))
        return plan_nomem(err);
    for (uint32_t i = 0; i < p->n_slot && rc == TT_OK; i++) {
        struct tt_slot *s = &p->slot[i];

        if (s->clock != TT_NONE && p->unit[s->unit].desc->port[s->port].n_also)
            rc = find_set(b, s, err);
    }
    return rc;
}

static void mark_slot(const struct build *b, struct tt_slot *s)
{
    const struct tt_desc *d = b->plan->unit[s->unit].desc;
    const struct tt_port *port = &d->port[s->port];

    s->event_only = s->type == TT_CLOCK; /* at events, or not at all */
    if (!b->plan->unit[s->unit].events)
        return;
    s->event_only =
        s->type == TT_CLOCK || port->clock ||
        (s->dir == TT_SLOT_IN && port->variability != TT_VAR_CONTINUOUS &&
         !d->caps.samples);
    if (port->clock) /* of an input that several feed each has its own */
        s->clock = b->slot_of[s->unit][port->clock - 1] +
                   (uint32_t)(s - b->plan->slot) - b->slot_of[s->unit][s->port];
}

/* --- circles ----------------------------------------------------------- */

/* A walk against the direction of ticks: from an input clock to its source,
 * from an output clock to the input clocks it is declared to depend on. */
struct walk {
    struct build *b;
    uint8_t *seen;  /* per slot: 1 on the path, 2 done */
    uint32_t *path; /* slots ... */
    uint32_t *edge; /* ... and which way is next from each */
    uint32_t n_path;
};

static struct tt_plan_inputs before(const struct build *b, uint32_t slot)
{
    const tt_plan *p = b->plan;
    const struct tt_slot *s = &p->slot[slot];

    if (s->dir == TT_SLOT_IN)
        return (struct tt_plan_inputs){1, &p->feed[s->feed].from, 1};
    return s->ticked == TT_NONE ? tt_plan_inputs_of(p, slot, 0)
                                : (struct tt_plan_inputs){0};
}

static enum tt_code refuse_circle(const struct walk *w, uint32_t from,
                                  tt_err *err)
{
    const tt_plan *p = w->b->plan;
    uint32_t first = 0, c = TT_NONE;
    char name[512];
    struct tt_buf list;

    tt_buf_init(&list, 4096);
    while (w->path[first] != from)
        first++;
    for (uint32_t i = w->n_path; i-- > first;) {
        const struct tt_slot *s = &p->slot[w->path[i]];

        tt_buf_fmt(&list, "'%s' -> ",
                   tt_plan_slot_name(p, w->path[i], name, sizeof(name)));
        if (s->dir == TT_SLOT_IN)
            c = p->feed[s->feed].connection;
    }
    tt_buf_fmt(
        &list, "'%s'",
        tt_plan_slot_name(p, w->path[w->n_path - 1], name, sizeof(name)));
    if (c < w->b->sc->n_connection)
        tt_scenario_fail_ref(w->b->sc, &w->b->sc->connection[c].to, err,
                             TT_EINPUT,
                             "clocks tick each other in a circle: %s",
                             list.data ? list.data : "");
    else
        tt_fail(err, TT_EINPUT, "clocks tick each other in a circle: %s",
                list.data ? list.data : "");
    tt_buf_fini(&list);
    return TT_EINPUT;
}

static void step_into(struct walk *w, uint32_t slot)
{
    w->seen[slot] = 1;
    w->edge[w->n_path] = 0;
    w->path[w->n_path++] = slot;
}

static enum tt_code walk_from(struct walk *w, uint32_t slot, tt_err *err)
{
    const tt_plan *p = w->b->plan;

    step_into(w, slot);
    while (w->n_path) {
        uint32_t at = w->path[w->n_path - 1];
        struct tt_plan_inputs in = before(w->b, at);
        uint32_t k = w->edge[w->n_path - 1]++;

        if (k >= in.n) {
            w->seen[at] = 2;
            w->n_path--;
        } else if (p->slot[in.slot[k]].type != TT_CLOCK) {
            continue;
        } else if (w->seen[in.slot[k]] == 1) {
            return refuse_circle(w, in.slot[k], err);
        } else if (!w->seen[in.slot[k]]) {
            step_into(w, in.slot[k]);
        }
    }
    return TT_OK;
}

static enum tt_code refuse_circles(struct build *b, tt_err *err)
{
    const tt_plan *p = b->plan;
    struct walk w = {.b = b};
    enum tt_code rc = TT_OK;

    if (!TT_NEW_ARRAY(w.seen, p->n_slot) || !TT_NEW_ARRAY(w.path, p->n_slot) ||
        !TT_NEW_ARRAY(w.edge, p->n_slot))
        rc = plan_nomem(err);
    for (uint32_t i = 0; i < p->n_slot && rc == TT_OK; i++)
        if (p->slot[i].type == TT_CLOCK && !w.seen[i])
            rc = walk_from(&w, i, err);
    TT_FREE_ALL(w.seen, w.path, w.edge);
    return rc;
}

enum tt_code plan_events(struct build *b, tt_err *err)
{
    enum tt_code rc;
    tt_plan *p = b->plan;

    rc = choose(b, err);
    if (rc != TT_OK)
        return rc;
    for (uint32_t i = 0; i < p->n_slot; i++)
        mark_slot(b, &p->slot[i]);
    rc = list_sets(b, err);
    if (rc == TT_OK)
        rc = list_clocks(b, err);
    for (uint32_t i = 0; i < p->n_feed; i++) /* held from event to event */
        p->slot[p->feed[i].to].event_only |=
            p->slot[p->feed[i].from].event_only;
    return rc == TT_OK && p->n_event ? refuse_circles(b, err) : rc;
}

int tt_plan_is_event(const tt_plan *p, uint32_t slot)
{
    const struct tt_slot *s = &p->slot[slot];
    const struct tt_port *port = tt_plan_port(p, slot);

    return s->dir != TT_SLOT_IN && s->clock != TT_NONE &&
           p->unit[s->unit].events && port->causality == TT_CAUS_OUTPUT &&
           !port->hidden;
}
