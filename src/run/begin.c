/* SPDX-License-Identifier: MIT */
/* What runs with other settings begin with. */
#include <math.h>
#include <string.h>

#include "player/event.h"
#include "run/run_impl.h"

/* When it was, and how many instances there are; of each how it was made; of
 * each slot where it belongs and its value; when events come; and the states of
 * the units with the long texts: what does not go with the score. For processes
 * that are copies of this one. With other settings there may be other slots. */
struct carried {
    double t;
    uint64_t n_unit, n_slot, n_clock, events; /* bytes */
};

struct slot_head {
    uint32_t unit, port, nth, n; /* nth: of those of the port; n: bytes */
};

static struct carried carried_of(const tt_run *r)
{
    return (struct carried){.t = r->agenda->t,
                            .n_unit = r->plan->n_unit,
                            .n_slot = r->plan->n_slot,
                            .n_clock = r->plan->n_clock,
                            .events =
                                r->events ? tt_events_times(r->events) : 0};
}

static void add(struct tt_buf *b, const void *data, size_t n)
{
    if (n)
        tt_buf_add(b, data, n);
}

/* Slots of a port follow each other. */
static struct slot_head head_of(const tt_plan *p, uint32_t slot)
{
    const struct tt_slot *s = &p->slot[slot];
    struct slot_head h = {.unit = s->unit,
                          .port = s->port,
                          .n = (uint32_t)(tt_type_size(s->type) * s->n)};

    while (slot-- > 0 && p->slot[slot].unit == s->unit &&
           p->slot[slot].port == s->port)
        h.nth++;
    return h;
}

enum tt_code run_pack_carried(tt_run *r, uint32_t reg, struct tt_buf *b,
                              tt_err *err)
{
    const struct carried c = carried_of(r);
    enum tt_code rc = tt_run_save(r, reg, err);

    add(b, &c, sizeof(c));
    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        const struct tt_plan_made made = tt_plan_made(r->plan, u);

        add(b, &made, sizeof(made));
    }
    for (uint32_t i = 0; i < r->plan->n_slot; i++) {
        const struct slot_head h = head_of(r->plan, i);

        add(b, &h, sizeof(h));
        add(b, tt_part_value(r->part, i), h.n);
    }
    add(b, r->events ? r->events->next : NULL, c.events);
    return rc == TT_OK ? run_pack_units(r, reg, b, err) : rc;
}

/* TT_NONE: there is none. `last`: the one found before, behind which it mostly
 * is. */
static uint32_t find_slot(const tt_plan *p, const struct slot_head *h,
                          uint32_t last)
{
    const struct tt_plan_unit *u = &p->unit[h->unit];
    uint32_t n = u->n_read + u->n_in;
    uint32_t from = last >= u->slot && last < u->slot + n ? last - u->slot : 0;

    for (uint32_t k = 0; k < n; k++) {
        uint32_t slot = u->slot + (from + k) % n;
        const struct slot_head own = head_of(p, slot);

        if (memcmp(&own, h, sizeof(own)) == 0)
            return slot;
    }
    return TT_NONE;
}

static int take_values(tt_run *r, uint64_t n, struct tt_bytes *rest)
{
    struct tt_bytes piece;
    struct slot_head h;
    uint32_t slot, last = TT_NONE;

    for (uint64_t i = 0; i < n; i++) {
        if (!run_take_bytes(rest, &piece, sizeof(h)))
            return 0;
        memcpy(&h, piece.data, sizeof(h));
        if (h.unit >= r->plan->n_unit || !run_take_bytes(rest, &piece, h.n))
            return 0;
        slot = find_slot(r->plan, &h, last);
        if (slot == TT_NONE)
            continue;
        memcpy(tt_part_place(r->part, slot), piece.data, piece.n);
        last = slot;
    }
    return 1;
}

static struct tt_plan_made made_of(const struct tt_bytes *made, uint32_t unit)
{
    struct tt_plan_made m;

    memcpy(&m, (const char *)made->data + unit * sizeof(m), sizeof(m));
    return m;
}

/* No event of the unit is known, and no clock of it ticks. */
static void silence(tt_run *r, uint32_t unit)
{
    const struct tt_plan_unit *u = &r->plan->unit[unit];
    struct tt_events *e = r->events;

    tt_events_set_next(e, unit, (double)INFINITY);
    tt_events_set_next(e, e->n_unit + e->n_clock + unit, (double)INFINITY);
    for (uint32_t k = u->clock; k < u->clock + u->n_clock; k++) {
        tt_events_tick(e)[k] = (struct tt_tick){.next = (double)INFINITY};
        tt_events_set_next(e, e->n_unit + k, (double)INFINITY);
    }
}

/* Units that found their own events up to here, or do from here on, have none
 * that is known. made: of each how it was; not aligned. */
static void take_events(tt_run *r, const struct tt_bytes *made,
                        const struct tt_bytes *times)
{
    struct tt_events *e = r->events;

    if (times->n)
        memcpy(e->next, times->data, times->n);
    for (uint32_t u = 0; u < e->n_unit; u++) {
        struct tt_plan_made was = made_of(made, u);

        if (!was.events || !r->plan->unit[u].events)
            silence(r, u);
    }
    tt_part_event_moved(r->part);
    run_plan_events(r);
}

static enum tt_code check_made(const tt_run *r, const struct tt_bytes *made,
                               tt_err *err)
{
    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        const struct tt_plan_made was = made_of(made, u);
        const char *why = tt_plan_differs(r->plan, u, &was);

        if (why)
            return tt_fail(err, TT_EINPUT,
                           "the saved state does not go with these settings: "
                           "instance '%s' %s",
                           r->plan->unit[u].name, why);
    }
    return TT_OK;
}

/* What stands in front, if it is of this scenario. */
static enum tt_code take_head(const tt_run *r, struct tt_bytes *rest,
                              struct carried *c, struct tt_bytes *made,
                              tt_err *err)
{
    struct tt_bytes head;

    if (!run_take_bytes(rest, &head, sizeof(*c)))
        return run_refuse_state(err, "is damaged: it is too short");
    memcpy(c, head.data, sizeof(*c));
    if (c->t < r->experiment.start || c->t > r->experiment.start ||
        c->n_unit != r->plan->n_unit || c->n_clock != r->plan->n_clock)
        return run_refuse_state(err,
                                "is of other instances, or of another time");
    return run_take_bytes(rest, made, c->n_unit * sizeof(struct tt_plan_made))
               ? TT_OK
               : run_refuse_state(err, "is damaged: it is too short");
}

enum tt_code run_check_begin(const tt_run *r, tt_err *err)
{
    struct tt_bytes rest = r->opts.begin->state, made;
    struct carried c;
    enum tt_code rc = take_head(r, &rest, &c, &made, err);

    if (rc == TT_OK)
        rc = check_made(r, &made, err);
    return rc == TT_OK ? rc : tt_context(err, rc, "beginning");
}

enum tt_code run_begin_carried(tt_run *r, uint32_t reg, tt_err *err)
{
    struct tt_bytes rest = r->opts.begin->state, made, times;
    struct carried c, own = carried_of(r);
    enum tt_code rc = take_head(r, &rest, &c, &made, err);

    if (rc != TT_OK)
        return rc;
    if (!take_values(r, c.n_slot, &rest) ||
        !run_take_bytes(&rest, &times, c.events) ||
        (times.n && own.events && times.n != own.events))
        return run_refuse_state(err, "is damaged: it is too short");
    rc = run_unpack_units(r, reg, &rest, err);
    if (rc == TT_OK)
        rc = run_restore_units(r, reg, err);
    if (rc == TT_OK && r->events)
        take_events(r, &made, &times);
    return rc;
}
