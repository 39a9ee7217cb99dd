/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_DISCRETE_HOT_H
#define TT_KINDS_DISCRETE_HOT_H

/* An event of a discrete-event unit, to be compiled into the kind: with a model
 * that is known there its hooks are no calls. Private to the kinds. */

#include <string.h>

#include "kinds/discrete.h"
#include "unit/door.h"

static inline struct tt_discrete *tt_discrete_of(tt_unit *u)
{
    return (struct tt_discrete *)(void *)u;
}

/* A state that is to last no time there is. */
enum tt_code tt_discrete_no_time(double ta, tt_err *err);

/* Events that wait for their turn are taken. */
enum tt_code tt_discrete_rest(struct tt_discrete *u, tt_err *err);

/* When the state is over that has just begun. */
static inline enum tt_code tt_discrete_plan(struct tt_discrete *u,
                                            const struct tt_discrete_model *m,
                                            double began, tt_err *err)
{
    double ta = (double)INFINITY;
    enum tt_code rc = m->advance ? m->advance(u, &ta, err) : TT_OK;

    if (TT_UNLIKELY(rc != TT_OK))
        return rc;
    if (TT_UNLIKELY(!(ta >= 0)))
        return tt_discrete_no_time(ta, err);
    u->is->last = began;
    u->is->next = began + ta;
    return TT_OK;
}

/* What a model without `confluent` does: internal, then external with nothing
 * elapsed. */
static inline enum tt_code
tt_discrete_in_turn(struct tt_discrete *u, const struct tt_discrete_model *m,
                    int *goes_on, tt_err *err)
{
    enum tt_code rc = m->internal(u, err);

    u->is->elapsed = 0;
    if (rc == TT_OK)
        rc = tt_discrete_plan(u, m, u->k.base.now, err);
    return rc == TT_OK ? m->external(u, goes_on, err) : rc;
}

/* Its own clock ticks: always the first, where it has one. */
static inline void tt_discrete_go(const struct tt_discrete *u)
{
    *(uint8_t *)&u->is->clocks = 1;
}

static inline int tt_discrete_is_due(const struct tt_discrete *u)
{
    return (u->is->clocks & u->type->own_clock) != 0;
}

static inline enum tt_code
tt_discrete_transit(struct tt_discrete *u, const struct tt_discrete_model *m,
                    int input, tt_err *err)
{
    int goes_on = 0;
    enum tt_code rc;

    u->is->elapsed = u->k.base.now - u->is->last;
    if (!input)
        rc = m->internal(u, err);
    else if (!tt_discrete_is_due(u))
        rc = m->external(u, &goes_on, err);
    else
        rc = m->confluent ? m->confluent(u, &goes_on, err)
                          : tt_discrete_in_turn(u, m, &goes_on, err);
    return rc == TT_OK && !goes_on ? tt_discrete_plan(u, m, u->k.base.now, err)
                                   : rc;
}

/* Is there an event at an input? */
static inline int tt_discrete_has_input(const struct tt_discrete *u)
{
    const uint8_t *is = (const uint8_t *)u->is;

    if (u->is->clocks & u->type->in_clocks)
        return 1;
    for (uint32_t i = 0; i < u->type->n_far_in; i++)
        if (is[u->type->far_clock[i]])
            return 1;
    return 0;
}

static inline void tt_discrete_lower(const struct tt_discrete *u)
{
    u->is->clocks = 0;
    for (uint32_t i = 0; i < u->type->n_far; i++)
        ((uint8_t *)u->is)[u->type->far_clock[i]] = 0;
}

static inline void tt_discrete_expect(struct tt_discrete *u)
{
    if (u->some)
        memset(u->got, 0, u->type->n_port);
    u->some = 0;
    if (TT_UNLIKELY(u->n_more))
        u->n_more = u->at_more = 0;
}

/* The microstep is over: nothing is left but the state. */
static inline void tt_discrete_over(struct tt_discrete *u)
{
    tt_discrete_lower(u);
    tt_discrete_expect(u);
    u->is->elapsed = 0;
}

/* Is all that has come in the near clocks, with nothing that waits? Then these
 * are all that is to be lowered. */
static inline int tt_discrete_is_near(const struct tt_discrete *u)
{
    return !(u->n_more | u->some | u->type->n_far);
}

static inline void tt_discrete_over_near(struct tt_discrete_state *is)
{
    is->clocks = 0;
    is->elapsed = 0;
}

/* Inputs of this microstep are set later, and the output follows from the state
 * alone. */
static inline enum tt_code
tt_discrete_tick_by(tt_unit *base, const struct tt_discrete_model *m,
                    tt_err *err)
{
    struct tt_discrete *u = tt_discrete_of(base);

    tt_discrete_go(u);
    u->is->elapsed = base->now - u->is->last;
    return m->output(u, err);
}

static inline enum tt_code
tt_discrete_update_by(tt_unit *base, const struct tt_discrete_model *m,
                      double *next, tt_err *err)
{
    struct tt_discrete *u = tt_discrete_of(base);
    int input = tt_discrete_has_input(u);
    enum tt_code rc = TT_OK;

    if (tt_discrete_is_due(u) || input)
        rc = tt_discrete_transit(u, m, input, err);
    if (TT_UNLIKELY(u->at_more != u->n_more) && rc == TT_OK)
        rc = tt_discrete_rest(u, err);
    tt_discrete_over(u);
    *next = u->is->next;
    return rc;
}

/* The same where it is due or something has come, not both, and near. `any`:
 * all else. */
static inline enum tt_code tt_discrete_update_one(
    tt_unit *base, const struct tt_discrete_model *m, double *next, tt_err *err,
    enum tt_code (*any)(tt_unit *u, double *next, tt_err *err))
{
    struct tt_discrete *u = tt_discrete_of(base);
    struct tt_discrete_state *const is = u->is;
    int due = tt_discrete_is_due(u);
    int in = (is->clocks & u->type->in_clocks) != 0, goes_on = 0;
    enum tt_code rc;

    if (due == in || TT_UNLIKELY(!tt_discrete_is_near(u)))
        return any(base, next, err);
    is->elapsed = base->now - is->last;
    rc = due ? m->internal(u, err) : m->external(u, &goes_on, err);
    if (rc == TT_OK && !goes_on)
        rc = tt_discrete_plan(u, m, base->now, err);
    tt_discrete_over_near(is);
    *next = is->next;
    return rc;
}

/* Both for a model of this file, as `name`. */
#define TT_DISCRETE_CALLS(name, model)                                         \
    __attribute__((flatten, noinline)) static enum tt_code name##_tick(        \
        tt_unit *u, tt_err *err)                                               \
    {                                                                          \
        return tt_discrete_tick_by(u, &(model), err);                          \
    }                                                                          \
    __attribute__((flatten, noinline)) static enum tt_code name##_any(         \
        tt_unit *u, double *next, tt_err *err)                                 \
    {                                                                          \
        return tt_discrete_update_by(u, &(model), next, err);                  \
    }                                                                          \
    __attribute__((flatten, noinline)) static enum tt_code name##_update(      \
        tt_unit *u, double *next, tt_err *err)                                 \
    {                                                                          \
        return tt_discrete_update_one(u, &(model), next, err, name##_any);     \
    }                                                                          \
    static const struct tt_event_calls name = {name##_tick, name##_update}

#endif
