/* SPDX-License-Identifier: MIT */
/* Scheduled execution: life, partitions, values, states. */
#include "kinds/se_impl.h"

#include <math.h>
#include <string.h>

#include "base/lists.h"
#include "base/num.h"
#include "step/policy.h"

/* --- partitions ------------------------------------------------------------
 */

/* Does this value belong to the partition of clock c, or to none? */
static int belongs(const struct tt_kse_unit *u, uint32_t port, uint32_t clock)
{
    const struct tt_md_var *v = &u->u.k.type->md->var[port];

    return !v->clock_n || tt_list_has(v->clock, v->clock_n, clock);
}

/* FMI 3.0.2, 5.2.1: no value is read between set and activate, so they are set
 * right before. */
static enum tt_code pass_inputs(struct tt_kse_unit *u, uint32_t clock,
                                tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < u->n_input && rc == TT_OK; i++) {
        const struct tt_kse_input *in = &u->input[i];
        struct tt_span s = {&in->port, 1, u->value + in->at};

        if (!u->fresh[i] || !belongs(u, in->port, clock))
            continue;
        rc = tt_kfmi_move(&u->u.k, &s, 1, err);
        u->fresh[i] = 0;
        if (rc != TT_OK)
            return tt_unit_name_ports(&u->u.k.base, &s, rc, err);
    }
    return rc;
}

static enum tt_code run_partition(struct tt_kse_unit *u, uint32_t i, double t,
                                  tt_err *err)
{
    enum tt_code rc;

    u->at = t;
    u->rc = TT_OK;
    rc = tt_kfmi_check(&u->u.k, "fmi3ActivateModelPartition",
                       tt_k3_fns(&u->u)->activate_partition(
                           u->u.k.comp, u->u.k.type->vr[u->clock[i].port], t),
                       err);
    u->at = (double)NAN;
    if (rc == TT_OK && u->rc != TT_OK)
        rc = tt_fail(err, u->rc, "%s", u->err->msg);
    return rc == TT_OK ? tt_kse_end_tick(u, i, err) : rc;
}

static enum tt_code activate(struct tt_kse_unit *u, uint32_t i, double t,
                             tt_err *err)
{
    uint32_t port = u->clock[i].port;
    enum tt_code rc = tt_kse_begin_tick(u, i, t, err);
    char at[TT_NUM_MAX];

    if (rc != TT_OK)
        return rc;
    rc = pass_inputs(u, port, err);
    if (rc == TT_OK)
        rc = run_partition(u, i, t, err);
    if (rc == TT_OK)
        return TT_OK;
    tt_num_print_short(at, t);
    return tt_context(err, rc, "partition of clock '%s' at t=%s",
                      u->u.k.base.desc->port[port].name, at);
}

/* All that tick at t, one after the other. */
static enum tt_code run_due(struct tt_kse_unit *u, double t, tt_err *err)
{
    enum tt_code rc = TT_OK;
    uint32_t i;

    while (rc == TT_OK && (i = tt_kse_due(u, t)) != TT_NONE)
        rc = activate(u, i, t, err);
    return rc;
}

static void forget_ticks(struct tt_kse_unit *u)
{
    memset(u->ticked, 0, u->n_out);
}

/* --- life ------------------------------------------------------------------
 */

void tt_kse_release(struct tt_kse_unit *u)
{
    TT_FREE_ALL(u->clock, u->out, u->input, u->place, u->kept, u->saved,
                u->err);
}

/* Clocks that have no shift tick at the start. */
enum tt_code tt_kse_exit_init(tt_unit *base, tt_err *err)
{
    struct tt_kse_unit *u = tt_kse_unit(base);
    enum tt_code rc = tt_kse_first_ticks(u, err);

    if (rc == TT_OK)
        rc = tt_kfmi_exit_init(base, err);
    if (rc == TT_OK && u->u.event_mode) {
        base->life = TT_LIFE_EVENT;
        return TT_OK;
    }
    return rc == TT_OK ? run_due(u, base->now, err) : rc;
}

enum tt_code tt_kse_prepare(tt_unit *base, uint32_t n_state, tt_err *err)
{
    struct tt_kse_unit *u = tt_kse_unit(base);
    char *more = tt_resize(u->saved, n_state + 1, u->n_kept + 1);
    enum tt_code rc;

    if (!more)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    u->saved = more;
    rc = tt_kfmi_prepare(&u->u.k, n_state, err);
    if (rc != TT_OK || base->life != TT_LIFE_EVENT)
        return rc;
    /* the event at the start, for callers that did not play it */
    rc = run_due(u, base->now, err);
    forget_ticks(u);
    if (rc == TT_OK)
        base->life = TT_LIFE_READY;
    return rc;
}

enum tt_code tt_kse_reset(tt_unit *base, tt_err *err)
{
    struct tt_kse_unit *u = tt_kse_unit(base);

    memset(u->kept, 0, u->n_kept);
    return tt_kfmi_reset(base, err);
}

/* --- values ----------------------------------------------------------------
 */

/* FMI 3.0.2, 5.2.2: only inside a partition does the FMU state that an output
 * clock ticks. An input clock has no value. */
static void get_clocks(const struct tt_kse_unit *u, const struct tt_span *s)
{
    const struct tt_port *port = u->u.k.base.desc->port;
    bool *value = s->value;

    for (size_t i = 0; i < s->n; i++)
        value[i] = port[s->port[i]].causality == TT_CAUS_OUTPUT &&
                   u->ticked[u->place[s->port[i]]];
}

/* Of inputs those that were not passed on yet. */
static void get_fresh(const struct tt_kse_unit *u, const struct tt_span *s)
{
    char *value = s->value;

    for (size_t k = 0; k < s->n; k++) {
        size_t size = tt_port_size(&u->u.k.base.desc->port[s->port[k]]);
        uint32_t i = u->place[s->port[k]];

        if (i != TT_NONE && u->fresh[i])
            memcpy(value, u->value + u->input[i].at, size);
        value += size;
    }
}

enum tt_code tt_kse_get(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    const struct tt_kse_unit *u = tt_kse_unit(base);
    enum tt_code rc;

    if (s->n && base->desc->port[s->port[0]].type == TT_CLOCK) {
        get_clocks(u, s);
        return TT_OK;
    }
    rc = tt_kfmi_get(base, s, err);
    if (rc == TT_OK)
        get_fresh(u, s);
    return rc;
}

static enum tt_code set_clock(struct tt_kse_unit *u, uint32_t port, bool ticks,
                              tt_err *err)
{
    const struct tt_port *p = &u->u.k.base.desc->port[port];
    uint32_t i = u->place[port];

    if (p->causality != TT_CAUS_INPUT)
        return TT_OK;
    if (tt_clock_is_timed(u->clock[i].is))
        return tt_fail(err, TT_EINPUT,
                       "clock '%s' is %s: the instance states when it ticks, "
                       "no other clock can",
                       p->name, tt_interval_name(u->clock[i].is->interval));
    if (ticks)
        u->tick[i].time.next = u->u.k.base.now;
    return TT_OK;
}

static enum tt_code set_live(struct tt_kse_unit *u, const struct tt_span *s,
                             tt_err *err)
{
    const char *value = s->value;
    enum tt_code rc = TT_OK;

    for (size_t k = 0; k < s->n && rc == TT_OK; k++) {
        const struct tt_port *p = &u->u.k.base.desc->port[s->port[k]];
        uint32_t i = u->place[s->port[k]];

        if (p->type == TT_CLOCK) {
            rc = set_clock(u, s->port[k], *(const bool *)value, err);
        } else if (i != TT_NONE) {
            memcpy(u->value + u->input[i].at, value, tt_port_size(p));
            u->fresh[i] = 1;
        } else {
            struct tt_span one = {&s->port[k], 1, (void *)(uintptr_t)value};

            rc = tt_kfmi_move(&u->u.k, &one, 1, err);
        }
        value += tt_port_size(p);
    }
    return rc;
}

enum tt_code tt_kse_set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    int clock = s->n && base->desc->port[s->port[0]].type == TT_CLOCK;

    if (base->life == TT_LIFE_READY || base->life == TT_LIFE_EVENT)
        return set_live(tt_kse_unit(base), s, err);
    return clock ? TT_OK : tt_k3_set(base, s, err); /* none ticks yet */
}

/* --- time ------------------------------------------------------------------
 */

/* Ticks on the way are made inside; one at the end is an event, where there is
 * event mode. */
enum tt_code tt_kse_step(tt_unit *base, const struct tt_step *s,
                         struct tt_stepped *r, tt_err *err)
{
    struct tt_kse_unit *u = tt_kse_unit(base);
    double tol = tt_policy_instant_tol(s->to, 0);
    double last = u->u.event_mode ? s->to - tol : s->to + tol, t;
    enum tt_code rc = TT_OK;
    int inside = 0;

    forget_ticks(u);
    while (rc == TT_OK && (t = tt_kse_next(u)) <= last) {
        rc = run_due(u, t, err);
        inside = 1;
    }
    if (u->u.event_mode && (inside || tt_kse_due(u, s->to) != TT_NONE))
        r->flags |= TT_STEP_EVENT;
    return rc;
}

enum tt_code tt_kse_event_enter(tt_unit *base, tt_err *err)
{
    return tt_kse_unit(base)->u.event_mode
               ? TT_OK
               : tt_fail(err, TT_EUNSUPPORTED,
                         "it was made without event mode");
}

/* One partition: its outputs, and clocks that it lets tick, go on to others
 * before the next one, whose turn may then be another's. */
enum tt_code tt_kse_event_update(tt_unit *base, struct tt_event_result *r,
                                 tt_err *err)
{
    struct tt_kse_unit *u = tt_kse_unit(base);
    uint32_t i = tt_kse_due(u, base->now);
    enum tt_code rc = TT_OK;

    *r = (struct tt_event_result){.again = 0};
    forget_ticks(u);
    if (i != TT_NONE)
        rc = activate(u, i, base->now, err);
    r->values_changed = i != TT_NONE;
    r->ran = i == TT_NONE ? 0 : u->clock[i].port + 1;
    r->again = tt_kse_due(u, base->now) != TT_NONE;
    for (uint32_t k = 0; k < u->n_out; k++)
        r->again |= u->ticked[k];
    r->next = tt_kse_next(u);
    r->next_defined = isfinite(r->next);
    return rc;
}

enum tt_code tt_kse_event_leave(tt_unit *base, tt_err *err)
{
    (void)err;
    forget_ticks(tt_kse_unit(base));
    return TT_OK;
}

/* --- states ----------------------------------------------------------------
 */

static char *saved_at(const struct tt_kse_unit *u, uint32_t reg)
{
    return u->saved + reg * (u->n_kept + 1);
}

enum tt_code tt_kse_save(tt_unit *base, uint32_t reg, tt_err *err)
{
    const struct tt_kse_unit *u = tt_kse_unit(base);
    enum tt_code rc = tt_kfmi_save(base, reg, err);

    if (rc == TT_OK)
        memcpy(saved_at(u, reg), u->kept, u->n_kept);
    return rc;
}

enum tt_code tt_kse_restore(tt_unit *base, uint32_t reg, tt_err *err)
{
    struct tt_kse_unit *u = tt_kse_unit(base);
    enum tt_code rc = tt_kfmi_restore(base, reg, err);

    if (rc == TT_OK)
        memcpy(u->kept, saved_at(u, reg), u->n_kept);
    return rc;
}

static struct tt_kfmi_image packed(tt_unit *base, uint32_t reg)
{
    const struct tt_kse_unit *u = tt_kse_unit(base);

    return (struct tt_kfmi_image){saved_at(u, reg), u->n_kept, 0};
}

enum tt_code tt_kse_pack(tt_unit *base, uint32_t reg, struct tt_bytes *b,
                         tt_err *err)
{
    return tt_kfmi_pack_with(base, reg, packed(base, reg), b, err);
}

enum tt_code tt_kse_unpack(tt_unit *base, uint32_t reg,
                           const struct tt_bytes *b, tt_err *err)
{
    return tt_kfmi_unpack_with(base, reg, packed(base, reg), b, err);
}
