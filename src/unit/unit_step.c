/* SPDX-License-Identifier: MIT */
/* Time: steps and events. */
#include "unit/unit_impl.h"

#include <math.h>

#include "base/num.h"

static enum tt_code wrong_time(const char *what, double t, tt_err *err)
{
    char text[TT_NUM_MAX];

    tt_num_print_short(text, t);
    return tt_fail(err, TT_EUNIT, "%s %s", what, text);
}

/* What a kind may not answer, whatever its unit did. */
static enum tt_code check_result(const tt_unit *u, const struct tt_step *s,
                                 const struct tt_stepped *r, tt_err *err)
{
    if (!isfinite(r->reached))
        return wrong_time("it reports to have reached", r->reached, err);
    if ((r->flags & TT_STEP_LAG) && !isfinite(r->lag))
        return wrong_time("it reports a lag of", r->lag, err);
    if (r->flags & TT_STEP_REJECT) {
        if (r->after == TT_AFTER_AT_REACHED)
            return tt_fail(err, TT_EUNIT,
                           "it rejects the step and yet claims to have moved");
        return TT_OK;
    }
    if (r->after != TT_AFTER_AT_REACHED)
        return tt_fail(err, TT_EUNIT,
                       "it accepts the step and yet claims not to have moved");
    if ((r->flags & TT_STEP_EVENT) && !u->desc->caps.event_mode)
        return tt_fail(err, TT_EUNIT,
                       "it asks for event mode, which it does not have");
    if (r->reached > s->to)
        return wrong_time("it went beyond the end of the step, to", r->reached,
                          err);
    if (r->reached < u->now)
        return wrong_time("it went back to", r->reached, err);
    return TT_OK;
}

/* Book a step the unit made from u->now. */
static enum tt_code book(tt_unit *u, const struct tt_step *s,
                         struct tt_stepped *r, tt_err *err)
{
    enum tt_code rc = check_result(u, s, r, err);

    if (rc != TT_OK)
        return rc;
    u->n_step++;
    if (!(r->flags & TT_STEP_REJECT)) {
        if (r->reached < s->to)
            r->flags |= TT_STEP_EARLY;
        u->now = r->reached;
    }
    if ((r->flags & TT_STEP_LAG) && fabs(r->lag) / s->h > u->max_lag)
        u->max_lag = fabs(r->lag) / s->h;
    tt_unit_report(u, *r);
    return TT_OK;
}

enum tt_code tt_uc_advance(tt_unit *u, const struct tt_step *s,
                           struct tt_stepped *r, tt_err *err)
{
    enum tt_code rc;

    *r = (struct tt_stepped){.reached = s->to};
    rc = u->ops->step(u, s, r, err);
    if (TT_UNLIKELY(rc != TT_OK || r->flags || r->after || r->reached != s->to))
        return rc == TT_OK ? book(u, s, r, err) : rc;
    u->now = s->to; /* and nothing to report */
    u->n_step++;
    return TT_OK;
}

/* Checks a request; full is it with h filled in. */
static enum tt_code check_request(const tt_unit *u, const struct tt_step *s,
                                  struct tt_step *full, tt_err *err)
{
    char t[TT_NUM_MAX];

    *full = *s;
    if (s->h == 0)
        full->h = s->to - u->now;
    if (!isfinite(s->to)) {
        tt_num_print_short(t, s->to);
        return tt_uc_refuse(u, TT_UC_STEP, TT_EINPUT, err,
                            "there is no time %s", t);
    }
    if (s->to < u->now) {
        tt_num_print_short(t, s->to);
        return tt_uc_refuse(
            u, TT_UC_STEP, TT_ESTATE, err,
            "stepping back to t=%s is refused, only a restore does that", t);
    }
    if (s->to > u->now && !(full->h > 0 && isfinite(full->h))) {
        tt_num_print_short(t, s->h);
        return tt_uc_refuse(u, TT_UC_STEP, TT_EINPUT, err,
                            "a step of length %s", t);
    }
    if (tt_unit_last(u).after == TT_AFTER_NEEDS_RESTORE)
        return tt_uc_refuse(u, TT_UC_STEP, TT_ESTATE, err,
                            "it rejected its last step and needs a restore "
                            "first");
    return TT_OK;
}

enum tt_code tt_unit_step(tt_unit *u, const struct tt_step *s,
                          struct tt_stepped *r, tt_err *err)
{
    struct tt_step full;
    enum tt_code rc = tt_uc_admit(u, TT_UC_STEP, err);

    if (rc == TT_OK)
        rc = check_request(u, s, &full, err);
    if (rc != TT_OK)
        return rc;
    if (s->to == u->now) {
        *r = (struct tt_stepped){.reached = u->now};
        return TT_OK;
    }
    return tt_uc_settle(u, TT_UC_STEP, tt_uc_advance(u, &full, r, err), err);
}

enum tt_code tt_unit_max_step(tt_unit *u, double *h, tt_err *err)
{
    enum tt_code rc = tt_uc_admit(u, TT_UC_MAX_STEP, err);

    if (rc != TT_OK)
        return rc;
    *h = (double)NAN;
    if (!u->desc->caps.max_step)
        return TT_OK;
    rc = u->ops->max_step(u, h, err);
    if (rc == TT_OK && *h < 0)
        rc = wrong_time("its largest step is", *h, err);
    return tt_uc_settle(u, TT_UC_MAX_STEP, rc, err);
}

/* --- events ------------------------------------------------------------ */

/* Does a play make the call where it is due? It states itself what is done. */
static inline int is_due(const tt_unit *u, enum tt_life due)
{
    return TT_LIKELY(u->desc->caps.event_mode && u->life == due &&
                     u->activity && u->activity->playing);
}

static enum tt_code admit_event(tt_unit *u, enum tt_uc c, tt_err *err)
{
    enum tt_code rc;

    if (!u->desc->caps.event_mode)
        return tt_uc_cannot(u, "handle events", err);
    rc = tt_uc_admit(u, c, err);
    if (rc == TT_OK && c == TT_UC_EVENT_ENTER && u->life == TT_LIFE_EVENT &&
        !u->desc->inside)
        rc = tt_uc_refuse(u, c, TT_ESTATE, err, "not allowed in event mode");
    return rc;
}

/* Into event mode, or out of it: a call that leads from one life to another. */
static inline enum tt_code turn(tt_unit *u, enum tt_uc c, enum tt_life from,
                                enum tt_life to, tt_err *err)
{
    enum tt_code rc = is_due(u, from) ? TT_OK : admit_event(u, c, err);

    if (TT_UNLIKELY(rc != TT_OK))
        return rc;
    rc = c == TT_UC_EVENT_ENTER ? u->ops->event_enter(u, err)
                                : u->ops->event_leave(u, err);
    if (TT_UNLIKELY(rc != TT_OK))
        return tt_uc_failed(u, c, rc, err);
    u->life = to;
    return TT_OK;
}

enum tt_code tt_unit_event_enter(tt_unit *u, tt_err *err)
{
    return turn(u, TT_UC_EVENT_ENTER, TT_LIFE_READY, TT_LIFE_EVENT, err);
}

static enum tt_code update(tt_unit *u, struct tt_event_result *r, tt_err *err)
{
    enum tt_code rc;

    *r = (struct tt_event_result){.next = (double)INFINITY};
    rc = u->ops->event_update(u, r, err);
    if (TT_LIKELY(rc == TT_OK && !(r->next_defined && isnan(r->next))))
        return TT_OK;
    if (rc == TT_OK)
        rc = wrong_time("its next event is at", r->next, err);
    return tt_uc_failed(u, TT_UC_EVENT_UPDATE, rc, err);
}

enum tt_code tt_unit_event_update(tt_unit *u, struct tt_event_result *r,
                                  tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (!is_due(u, TT_LIFE_EVENT))
        rc = admit_event(u, TT_UC_EVENT_UPDATE, err);
    return rc == TT_OK ? update(u, r, err) : rc;
}

enum tt_code tt_unit_event_failed(tt_unit *u, enum tt_code rc, tt_err *err)
{
    return tt_uc_settle(u, TT_UC_EVENT_UPDATE, rc, err);
}

void tt_unit_quiet(tt_unit *u)
{
    for (; u; u = u->inner) /* wrappers forward calls only */
        u->quiet = 1;
}

static enum tt_code admit_clocks(tt_unit *u, enum tt_uc c,
                                 const struct tt_timing *t, uint32_t n,
                                 tt_err *err)
{
    if (!u->desc->caps.clocks &&
        !(c == TT_UC_SET_INTERVALS && u->desc->caps.samples))
        return tt_uc_cannot(u, "state intervals of clocks", err);
    for (uint32_t i = 0; i < n; i++) {
        if (t[i].port >= u->desc->n_port)
            return tt_uc_refuse(u, c, TT_EINPUT, err, "there is no port %u",
                                (unsigned)t[i].port);
        if (!tt_clock_is_timed(u->desc->port[t[i].port].ticks))
            return tt_uc_refuse(u, c, TT_EINPUT, err,
                                "'%s' is no time-based clock",
                                u->desc->port[t[i].port].name);
    }
    return tt_uc_admit(u, c, err);
}

enum tt_code tt_unit_check_timing(const tt_unit *u, const struct tt_timing *t,
                                  tt_err *err)
{
    const struct tt_port *p = &u->desc->port[t->port];
    int periodic = tt_clock_is_periodic(p->ticks);

    if (t->known == TT_KNOWN_NOT_YET &&
        p->ticks->interval != TT_INTERVAL_COUNTDOWN)
        return tt_fail(err, TT_EUNIT,
                       "the interval of '%s' is not yet known, but only a "
                       "countdown's may be",
                       p->name);
    if (t->known == TT_KNOWN_CHANGED &&
        (!tt_ratio_is(t->interval) || (periodic && !t->interval.num)))
        return tt_fail(err, TT_EUNIT, "the interval of '%s' is %s", p->name,
                       tt_ratio_is(t->interval) ? "0" : "no time");
    if (u->life == TT_LIFE_INIT && periodic && !tt_ratio_is(t->shift))
        return tt_fail(err, TT_EUNIT, "the shift of '%s' is no time", p->name);
    return TT_OK;
}

enum tt_code tt_unit_intervals(tt_unit *u, struct tt_timing *t, uint32_t n,
                               tt_err *err)
{
    enum tt_code rc = admit_clocks(u, TT_UC_INTERVALS, t, n, err);

    if (rc != TT_OK)
        return rc;
    for (uint32_t i = 0; i < n; i++)
        t[i] = (struct tt_timing){.port = t[i].port, .shift = {0, 1}};
    rc = u->ops->intervals(u, t, n, err);
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = tt_unit_check_timing(u, &t[i], err);
    return tt_uc_settle(u, TT_UC_INTERVALS, rc, err);
}

enum tt_code tt_unit_set_intervals(tt_unit *u, struct tt_timing *t, uint32_t n,
                                   tt_err *err)
{
    enum tt_code rc = admit_clocks(u, TT_UC_SET_INTERVALS, t, n, err);

    if (rc != TT_OK)
        return rc;
    return tt_uc_settle(u, TT_UC_SET_INTERVALS,
                        u->ops->set_intervals(u, t, n, err), err);
}

enum tt_code tt_unit_event_leave(tt_unit *u, tt_err *err)
{
    return turn(u, TT_UC_EVENT_LEAVE, TT_LIFE_EVENT, TT_LIFE_READY, err);
}

enum tt_code tt_unit_join(tt_unit **member, uint32_t n,
                          const struct tt_exchange *x, tt_err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        while (member[i]->inner && !member[i]->ops->join)
            member[i] = member[i]->inner;
        TT_ASSERT(member[i]->ops->join == member[0]->ops->join &&
                  member[i]->life == member[0]->life &&
                  (member[i]->life == TT_LIFE_READY ||
                   member[i]->life == TT_LIFE_EVENT) &&
                  !member[i]->prepared);
    }
    return member[0]->ops->join(member, n, x, err);
}
