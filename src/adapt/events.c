/* SPDX-License-Identifier: MIT */
/* An inner unit that changes at events only, where nothing outside knows of
 * them: an input with another value than before is an event, which the begin of
 * a step takes; its own happen in the steps, at their times; outputs keep the
 * values of their last ones. What that needs lies in slots, each with one
 * behind it for what it was where the state was saved. */
#include <float.h>
#include <math.h>

#include "adapt/adapt_impl.h"
#include "base/num.h"

#define LIMIT 10000 /* own events at one time */

union value {
    uint64_t align;
    unsigned char byte[sizeof(uint64_t)];
};

/* --- making ---------------------------------------------------------------
 */

static void add(struct sa_live *l, const struct sa_sym *s)
{
    const struct tt_port *p = &l->u->desc->port[s->port];

    l->event[l->n_event++] =
        (struct sa_event){.slot = s->slot,
                          .kept = s->kept,
                          .port = s->port,
                          .clock = p->clock - 1,
                          .type = p->type,
                          .input = s->kind == SA_SYM_INNER_IN,
                          .is_bool = s->is_bool};
}

int sa_events_make(struct sa_live *l, const struct sa_code *c, uint32_t inner)
{
    size_t n = 1;

    l->next = c->next[inner];
    for (size_t i = 0; i < c->n_sym; i++)
        n += c->sym[i].kept != TT_NONE;
    if (!TT_NEW_ARRAY(l->event, n))
        return -1;
    for (size_t i = 0; i < c->n_sym; i++)
        if (c->sym[i].kept != TT_NONE && c->sym[i].inner == inner)
            add(l, &c->sym[i]);
    return 0;
}

/* --- a microstep ---------------------------------------------------------- */

static enum tt_code join(tt_unit *u, tt_err *err)
{
    if (u->life == TT_LIFE_EVENT)
        return TT_OK;
    tt_unit_quiet(u);
    return tt_unit_event_enter(u, err);
}

static enum tt_code tick(tt_unit *u, uint32_t clock, tt_err *err)
{
    uint8_t yes = 1;
    enum tt_code rc = join(u, err);

    return rc == TT_OK ? tt_unit_set(u, &(struct tt_span){&clock, 1, &yes}, err)
                       : rc;
}

static int is_another(const struct sa_machine *m, const struct sa_live *l,
                      const struct sa_event *e)
{
    const union sa_slot *is = &m->slot[e->slot + l->shift],
                        *was = &m->slot[e->kept];

    return e->input && (e->is_bool ? is->b != was->b : is->f != was->f);
}

static enum tt_code give_one(const struct sa_machine *m, struct sa_live *l,
                             const struct sa_event *e, tt_err *err)
{
    const union sa_slot *is = &m->slot[e->slot + l->shift];
    double v = e->is_bool ? is->b : is->f;
    union value bytes;
    enum tt_code rc;

    if (tt_value_from_double(e->type, &bytes, v) != 0)
        return sa_live_no_fit(l, e->port, v, err);
    rc = tick(l->u, e->clock, err);
    if (rc == TT_OK)
        rc = tt_unit_set(l->u, &(struct tt_span){&e->port, 1, &bytes}, err);
    m->slot[e->kept] = *is;
    return rc;
}

static enum tt_code take_one(const struct sa_machine *m, struct sa_live *l,
                             const struct sa_event *e, tt_err *err)
{
    union value bytes;
    enum tt_code rc =
        tt_unit_get(l->u, &(struct tt_span){&e->port, 1, &bytes}, err);
    double v = rc == TT_OK ? tt_value_as_double(e->type, &bytes) : 0;

    if (e->is_bool)
        m->slot[e->kept].b = v != 0;
    else
        m->slot[e->kept].f = v;
    return rc;
}

/* Outputs that have an event. */
static enum tt_code look(const struct sa_machine *m, struct sa_live *l,
                         tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < l->n_event && rc == TT_OK; i++) {
        const struct sa_event *e = &l->event[i];
        uint8_t now = 0;

        if (!e->input)
            rc = tt_unit_get(l->u, &(struct tt_span){&e->clock, 1, &now}, err);
        if (rc == TT_OK && now)
            rc = take_one(m, l, e, err);
    }
    return rc;
}

/* What has come in, or was let happen, and what follows from it. */
static enum tt_code transit(struct sa_machine *m, struct sa_live *l,
                            tt_err *err)
{
    struct tt_event_result r = {.again = 1};
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < l->n_event && rc == TT_OK; i++)
        if (is_another(m, l, &l->event[i]))
            rc = give_one(m, l, &l->event[i], err);
    if (l->u->life != TT_LIFE_EVENT)
        return rc;
    for (int n = 0; rc == TT_OK && r.again && n < LIMIT; n++) {
        if (n) /* a further microstep */
            rc = tt_unit_event_enter(l->u, err);
        if (rc == TT_OK)
            rc = look(m, l, err);
        r = (struct tt_event_result){0};
        if (rc == TT_OK)
            rc = tt_unit_event_update(l->u, &r, err);
    }
    if (rc == TT_OK)
        rc = tt_unit_event_leave(l->u, err);
    m->slot[l->next].f = r.next_defined ? r.next : (double)INFINITY;
    m->flags |= r.terminate ? TT_STEP_TERMINATE : 0;
    return rc;
}

/* --- time ----------------------------------------------------------------- */

static enum tt_code go_to(tt_unit *u, double to, tt_err *err)
{
    struct tt_stepped r;

    return to > u->now ? tt_unit_step(u, &(struct tt_step){.to = to}, &r, err)
                       : TT_OK;
}

/* Two times are one that differ by four units in the last place. */
static int is_due(const struct sa_machine *m, const struct sa_live *l, double t)
{
    double next = m->slot[l->next].f;

    return next <= t || next - t <= 4 * DBL_EPSILON * fabs(t);
}

static enum tt_code up_to(struct sa_machine *m, struct sa_live *l, double to,
                          tt_err *err)
{
    tt_unit *u = l->u;
    double last = u->now;
    char t[TT_NUM_MAX];
    enum tt_code rc = TT_OK;

    for (int n = 0;
         rc == TT_OK && is_due(m, l, to) && !(m->flags & TT_STEP_TERMINATE);
         n++) {
        rc = go_to(u, m->slot[l->next].f, err);
        n = u->now > last ? 0 : n;
        last = u->now;
        tt_num_print_short(t, last);
        if (rc == TT_OK && n >= LIMIT)
            rc = tt_fail(err, TT_EUNIT,
                         "the events of '%s' at t=%s do not come to an end",
                         u->name, t);
        if (rc == TT_OK)
            rc = tick(u, u->desc->internal - 1, err);
        if (rc == TT_OK)
            rc = transit(m, l, err);
    }
    return rc == TT_OK ? go_to(u, to, err) : rc;
}

enum tt_code sa_events_begin(struct sa_machine *m, struct sa_live *l,
                             tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < l->n_event && rc == TT_OK; i++)
        if (!l->event[i].input)
            rc = take_one(m, l, &l->event[i], err);
    if (rc == TT_OK)
        rc = join(l->u, err);
    if (rc == TT_OK)
        rc = transit(m, l, err);
    return rc == TT_OK ? up_to(m, l, l->u->now, err) : rc;
}

enum tt_code sa_events_step(struct sa_machine *m, struct sa_live *l, double to,
                            struct tt_stepped *r, tt_err *err)
{
    enum tt_code rc = transit(m, l, err);

    *r = (struct tt_stepped){.reached = to};
    return rc == TT_OK ? up_to(m, l, to, err) : rc;
}

double sa_events_next(const struct sa_machine *m, const struct sa_live *l)
{
    return fmax(0, m->slot[l->next].f - l->u->now);
}

/* --- values ---------------------------------------------------------------
 */

void sa_events_set(struct sa_machine *m, struct sa_live *l, uint32_t shift)
{
    l->shift = shift;
    if (l->u->life == TT_LIFE_READY || l->u->life == TT_LIFE_EVENT)
        return;
    for (uint32_t i = 0; i < l->n_event; i++) /* what it begins with */
        if (l->event[i].input)
            m->slot[l->event[i].kept] = m->slot[l->event[i].slot];
}

void sa_events_get(struct sa_machine *m, struct sa_live *l)
{
    for (uint32_t i = 0; i < l->n_event; i++)
        if (!l->event[i].input)
            m->slot[l->event[i].slot] = m->slot[l->event[i].kept];
}

/* From the first of each two slots to the second, or back. */
static void copy(union sa_slot *s, int back)
{
    s[!back] = s[back];
}

void sa_events_keep(struct sa_machine *m, const struct sa_live *l, int back)
{
    if (l->next == TT_NONE)
        return;
    copy(&m->slot[l->next], back);
    for (uint32_t i = 0; i < l->n_event; i++)
        copy(&m->slot[l->event[i].kept], back);
}
