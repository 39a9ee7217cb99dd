/* SPDX-License-Identifier: MIT */
/* Scheduled execution: when clocks tick, and which goes first. */
#include "kinds/se_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "step/policy.h"

static const char *name_of(const struct tt_kse_unit *u, uint32_t port)
{
    return u->u.k.base.desc->port[port].name;
}

/* --- what there is ---------------------------------------------------------
 */

static int goes_before(const void *a, const void *b)
{
    const struct tt_kse_clock *x = a, *y = b;

    if (x->priority != y->priority)
        return x->priority < y->priority ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

/* Where a value lies among the others: each as aligned as any can be. */
static size_t room_of(const struct tt_port *p)
{
    return (tt_port_size(p) + 7) & ~(size_t)7;
}

/* Strings and binaries go to the FMU at once: they would have to be copied. */
static int is_kept(const struct tt_port *p)
{
    return !tt_type_is_text(p->type) && (p->causality == TT_CAUS_INPUT ||
                                         (p->causality == TT_CAUS_PARAMETER &&
                                          p->variability == TT_VAR_TUNABLE));
}

static void list_port(struct tt_kse_unit *u, uint32_t i, size_t *values)
{
    const struct tt_md_var *v = &u->u.k.type->md->var[i];
    const struct tt_port *p = &u->u.k.base.desc->port[i];

    u->place[i] = TT_NONE;
    if (v->type == TT_CLOCK && v->causality == TT_CAUS_INPUT) {
        u->clock[u->n_clock++] = (struct tt_kse_clock){
            .port = i,
            .priority = v->clk.has_priority ? v->clk.priority : UINT32_MAX,
            .is = p->ticks};
        if (p->ticks) {
            u->clock[u->n_clock - 1].period = p->ticks->period;
            u->clock[u->n_clock - 1].shift = p->ticks->shift;
        }
    } else if (v->type == TT_CLOCK && v->causality == TT_CAUS_OUTPUT) {
        u->place[i] = u->n_out;
        u->out[u->n_out++] = i;
    } else if (is_kept(p)) {
        u->place[i] = u->n_input;
        u->input[u->n_input++] = (struct tt_kse_input){i, *values};
        *values += room_of(p);
    }
}

static enum tt_code make_room(struct tt_kse_unit *u, size_t values, tt_err *err)
{
    size_t ticks = u->n_clock * sizeof(*u->tick);

    u->n_kept = ticks + values + u->n_out + u->n_input;
    u->kept = tt_zalloc(1, u->n_kept + 1);
    if (!u->kept || !TT_NEW(u->err))
        return tt_fail(err, TT_ENOMEM, "%u clocks", u->n_clock);
    u->tick = (struct tt_kse_tick *)(void *)u->kept;
    u->value = u->kept + ticks;
    u->ticked = (uint8_t *)u->value + values;
    u->fresh = u->ticked + u->n_out;
    return TT_OK;
}

enum tt_code tt_kse_plan(struct tt_kse_unit *u, tt_err *err)
{
    uint32_t n = u->u.k.base.desc->n_port;
    size_t values = 0;

    u->at = (double)NAN;
    if (!TT_NEW_ARRAY(u->clock, n + 1) || !TT_NEW_ARRAY(u->out, n + 1) ||
        !TT_NEW_ARRAY(u->input, n + 1) || !TT_NEW_ARRAY(u->place, n + 1))
        return tt_fail(err, TT_ENOMEM, "%u variables", n);
    for (uint32_t i = 0; i < n; i++)
        list_port(u, i, &values);
    qsort(u->clock, u->n_clock, sizeof(*u->clock), goes_before);
    for (uint32_t i = 0; i < u->n_clock; i++)
        u->place[u->clock[i].port] = i;
    return make_room(u, values, err);
}

/* --- intervals -------------------------------------------------------------
 */

static int is_kind(const struct tt_kse_unit *u, uint32_t i,
                   enum tt_interval kind)
{
    return u->clock[i].is && u->clock[i].is->interval == kind;
}

static enum tt_code ask(struct tt_kse_unit *u, uint32_t i, struct tt_timing *t,
                        tt_err *err)
{
    tt_unit *base = &u->u.k.base;
    enum tt_code rc;

    *t = (struct tt_timing){.port = u->clock[i].port, .shift = {0, 1}};
    rc = tt_k3_intervals(base, t, 1, err);
    return rc == TT_OK ? tt_unit_check_timing(base, t, err) : rc;
}

/* The declared interval, or what the FMU states. */
static enum tt_code begin_period(struct tt_kse_unit *u, uint32_t i, tt_err *err)
{
    const struct tt_kse_clock *c = &u->clock[i];
    struct tt_tick *k = &u->tick[i].time;
    struct tt_timing t = {.known = TT_KNOWN_CHANGED,
                          .port = u->clock[i].port,
                          .interval = c->period,
                          .shift = c->shift};
    enum tt_code rc = TT_OK;

    if (!tt_ratio_is(c->period) && c->is->interval != TT_INTERVAL_CONSTANT)
        rc = ask(u, i, &t, err);
    if (rc == TT_OK && !tt_ratio_is(t.interval))
        rc = tt_fail(err, TT_EUNIT, "the interval of '%s' is no time",
                     name_of(u, t.port));
    if (rc != TT_OK)
        return rc;
    k->last = tt_beat_at(u->u.k.base.now, t.shift);
    k->interval = t.interval;
    tt_tick_plan(k);
    return TT_OK;
}

/* One that is not periodic, from `at` on. */
static enum tt_code ask_next(struct tt_kse_unit *u, uint32_t i, double at,
                             tt_err *err)
{
    struct tt_tick *k = &u->tick[i].time;
    struct tt_timing t;
    enum tt_code rc = ask(u, i, &t, err);

    if (rc != TT_OK || t.known != TT_KNOWN_CHANGED)
        return rc;
    k->last = tt_beat_at(at, (struct tt_ratio){0, 1});
    k->started = 1;
    k->interval = t.interval;
    tt_tick_plan(k);
    return TT_OK;
}

enum tt_code tt_kse_first_ticks(struct tt_kse_unit *u, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < u->n_clock && rc == TT_OK; i++) {
        const struct tt_clock *c = u->clock[i].is;

        u->tick[i] = (struct tt_kse_tick){.time.next = (double)INFINITY,
                                          .last = -(double)INFINITY};
        if (tt_clock_is_periodic(c))
            rc = begin_period(u, i, err);
        else if (tt_clock_is_timed(c))
            rc = ask_next(u, i, u->u.k.base.now, err);
    }
    return rc;
}

enum tt_code tt_kse_set_intervals(tt_unit *base, struct tt_timing *t,
                                  uint32_t n, tt_err *err)
{
    struct tt_kse_unit *u = tt_kse_unit(base);

    for (uint32_t i = 0; i < n; i++) {
        struct tt_kse_clock *c = &u->clock[u->place[t[i].port]];

        c->period = t[i].interval;
        c->shift = t[i].shift;
    }
    return tt_k3_set_intervals(base, t, n, err);
}

/* --- ticks -----------------------------------------------------------------
 */

double tt_kse_next(const struct tt_kse_unit *u)
{
    double next = (double)INFINITY;

    for (uint32_t i = 0; i < u->n_clock; i++)
        next = fmin(next, u->tick[i].time.next);
    return next;
}

uint32_t tt_kse_due(const struct tt_kse_unit *u, double t)
{
    double by = t + tt_policy_instant_tol(t, 0);
    uint32_t i = 0;

    while (i < u->n_clock && u->tick[i].time.next > by)
        i++;
    return i < u->n_clock ? i : TT_NONE;
}

enum tt_code tt_kse_begin_tick(struct tt_kse_unit *u, uint32_t i, double t,
                               tt_err *err)
{
    struct tt_kse_tick *tick = &u->tick[i];
    double tol = tt_policy_instant_tol(t, 0);
    char at[TT_NUM_MAX];

    tt_num_print_short(at, t);
    /* FMI 3.0.2, 5.2.1: only once for the same clock and time */
    if (t <= tick->last + tol)
        return tt_fail(err, TT_EUNIT,
                       "clock '%s' is to tick again at t=%s, where it has "
                       "ticked: a partition runs once at one time",
                       name_of(u, u->clock[i].port), at);
    tick->last = t;
    if (tt_clock_is_periodic(u->clock[i].is))
        tt_tick_now(&tick->time, 1, t - tol);
    else
        tick->time.next = (double)INFINITY;
    return TT_OK;
}

/* FMI 3.0.2, 2.2.8: of one that changes the next interval is known right after
 * it has ticked. One that is tunable may have got another. */
enum tt_code tt_kse_end_tick(struct tt_kse_unit *u, uint32_t i, tt_err *err)
{
    const struct tt_kse_clock *c = &u->clock[i];
    struct tt_tick *k = &u->tick[i].time;
    struct tt_timing t;
    enum tt_code rc;

    if (is_kind(u, i, TT_INTERVAL_CHANGING))
        return ask_next(u, i, u->tick[i].last, err);
    if (!is_kind(u, i, TT_INTERVAL_TUNABLE) || tt_ratio_is(c->is->period))
        return TT_OK;
    rc = ask(u, i, &t, err);
    if (rc != TT_OK || t.known != TT_KNOWN_CHANGED)
        return rc;
    k->interval = t.interval;
    tt_tick_plan(k);
    return TT_OK;
}

/* --- inside a partition ----------------------------------------------------
 */

/* FMI 3.0.2, 5.2.2: which output clocks tick, and which countdowns began. */
static enum tt_code read_clocks(struct tt_kse_unit *u, tt_err *err)
{
    const uint32_t *vr = u->u.k.type->vr;
    enum tt_code rc = TT_OK;

    if (u->n_out && !tt_k3_fns(&u->u)->get_clock)
        return tt_kfmi_missing("fmi3GetClock", err);
    for (uint32_t i = 0; i < u->n_out && rc == TT_OK; i++) {
        bool active = false;

        rc = tt_kfmi_check(&u->u.k, "fmi3GetClock",
                           tt_k3_fns(&u->u)->get_clock(
                               u->u.k.comp, &vr[u->out[i]], 1, &active),
                           err);
        u->ticked[i] |= active;
    }
    for (uint32_t i = 0; i < u->n_clock && rc == TT_OK; i++)
        if (is_kind(u, i, TT_INTERVAL_COUNTDOWN))
            rc = ask_next(u, i, u->at, err);
    return rc;
}

static void report_update(struct tt_kse_unit *u)
{
    if (!u->warned_update)
        tt_log(u->u.k.base.log, TT_LOG_WARN,
               "instance '%s' called fmi3ClockUpdateCallback while none of its "
               "partitions ran, which is left without effect (reported once)",
               u->u.k.base.name);
    u->warned_update = 1;
}

void tt_kse_clock_update(void *env)
{
    struct tt_kfmi_unit *k = tt_kfmi_pin(env);
    struct tt_kse_unit *u = NULL;

    if (k && k->type->version->face == TT_FMI_SE)
        u = tt_kse_unit(&k->base);
    if (u && isnan(u->at))
        report_update(u);
    else if (u && u->rc == TT_OK)
        u->rc = read_clocks(u, u->err);
    tt_kfmi_unpin(k);
}

void tt_kse_no_lock(void)
{
}
