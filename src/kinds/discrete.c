/* SPDX-License-Identifier: MIT */
#include "kinds/discrete_hot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/num.h"

/* --- values --------------------------------------------------------------- */

static enum tt_code get(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    struct tt_discrete *u = tt_discrete_of(base);
    char *to = s->value;
    enum tt_code rc = TT_OK;

    if (u->type->model->follow)
        rc = u->type->model->follow(u, err);
    for (size_t i = 0; i < s->n; i++) {
        size_t n = tt_type_size(base->desc->port[s->port[i]].type);

        memcpy(to, tt_discrete_value(u, s->port[i]), n);
        to += n;
    }
    return rc;
}

/* Another event at the same input waits for its turn. */
static enum tt_code add_more(struct tt_discrete *u, uint32_t port,
                             const void *value, tt_err *err)
{
    if (TT_GROW(u->more, u->n_more, u->cap_more) != 0)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    u->more[u->n_more].port = port;
    memcpy(u->more[u->n_more++].value, value,
           tt_type_size(u->type->port[port].type));
    return TT_OK;
}

static enum tt_code take_event(struct tt_discrete *u, uint32_t port,
                               const void *value, tt_err *err)
{
    /* what is passed on at once may be set twice, to be looked at before */
    if (u->got[port] && !u->type->model->follow)
        return add_more(u, port, value, err);
    u->got[port] = 1;
    u->some = 1;
    memcpy(tt_discrete_value(u, port), value,
           tt_type_size(u->type->port[port].type));
    return TT_OK;
}

int tt_discrete_another(struct tt_discrete *u)
{
    const struct tt_discrete_event *e;

    if (u->at_more == u->n_more)
        return 0;
    e = &u->more[u->at_more++];
    tt_discrete_lower(u);
    memcpy(tt_discrete_value(u, e->port), e->value,
           tt_type_size(u->type->port[e->port].type));
    *tt_discrete_there(u, e->port) = 1;
    return 1;
}

static enum tt_code set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    struct tt_discrete *u = tt_discrete_of(base);
    const char *from = s->value;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
        const struct tt_port *p = &base->desc->port[s->port[i]];
        size_t n = tt_type_size(p->type);

        if (p->causality != TT_CAUS_INPUT && p->causality != TT_CAUS_PARAMETER)
            return tt_fail(err, TT_EINPUT, "it cannot be set");
        if (s->port[i] + 1 == base->desc->internal)
            rc = *from ? tt_discrete_tick(base, err) : TT_OK;
        else if (p->type == TT_CLOCK) /* of several that feed it one ticks */
            *tt_discrete_byte(u, s->port[i]) |= (uint8_t)*from;
        else if (p->clock && base->life == TT_LIFE_EVENT)
            rc = take_event(u, s->port[i], from, err);
        else
            memcpy(tt_discrete_value(u, s->port[i]), from, n);
        from += n;
    }
    return rc;
}

/* --- life ----------------------------------------------------------------- */

static void begin(struct tt_discrete *u)
{
    const struct tt_desc *d = u->k.base.desc;

    memset(u->is, 0, u->type->size);
    for (uint32_t i = 0; i < d->n_port; i++)
        if (d->port[i].start)
            memcpy(tt_discrete_value(u, i), d->port[i].start,
                   tt_type_size(d->port[i].type));
}

static enum tt_code reset(tt_unit *u, tt_err *err)
{
    (void)err;
    begin(tt_discrete_of(u));
    return TT_OK;
}

enum tt_code tt_discrete_no_time(double ta, tt_err *err)
{
    char text[TT_NUM_MAX];

    tt_num_print_short(text, ta);
    return tt_fail(err, TT_EUNIT, "its state is to last %s s", text);
}

static enum tt_code exit_init(tt_unit *base, tt_err *err)
{
    struct tt_discrete *u = tt_discrete_of(base);
    enum tt_code rc = TT_OK;

    if (u->type->model->begin)
        rc = u->type->model->begin(u, err);
    if (rc == TT_OK)
        rc = tt_discrete_plan(u, u->type->model, base->now - u->is->elapsed,
                              err);
    if (rc == TT_OK && u->is->next < base->now)
        rc = tt_fail(err, TT_EINPUT, "its first state is over at the start");
    if (u->event_mode)
        base->life = TT_LIFE_EVENT;
    return rc;
}

static void free_unit(tt_unit *u)
{
    struct tt_discrete *d = tt_discrete_of(u);

    TT_FREE_ALL(d->got, d->more);
    tt_kept_free(u);
}

static enum tt_code restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    tt_discrete_expect(tt_discrete_of(u));
    return tt_kept_restore(u, reg, err);
}

/* What a state may not be, whatever it came from. */
static int may_be(const struct tt_kept_unit *k, const void *state)
{
    const struct tt_discrete *d = (const struct tt_discrete *)(const void *)k;
    struct tt_discrete_state is;

    memcpy(&is, state, sizeof(is));
    return is.phase < d->type->n_phase && !isnan(is.last) && !isnan(is.next);
}

/* --- events --------------------------------------------------------------- */

enum tt_code tt_discrete_rest(struct tt_discrete *u, tt_err *err)
{
    enum tt_code rc = TT_OK;

    while (rc == TT_OK && tt_discrete_another(u))
        rc = tt_discrete_transit(u, u->type->model, 1, err);
    return rc;
}

static enum tt_code update(tt_unit *u, double *next, tt_err *err)
{
    return tt_discrete_update_by(u, tt_discrete_of(u)->type->model, next, err);
}

static enum tt_code event_update(tt_unit *base, struct tt_event_result *r,
                                 tt_err *err)
{
    enum tt_code rc = update(base, &r->next, err);

    r->next_defined = isfinite(r->next);
    return rc;
}

/* --- without calls for each port ------------------------------------------ */

static int is_open(const tt_unit *base)
{
    const struct tt_discrete *u =
        (const struct tt_discrete *)(const void *)base;

    return !u->type->model->follow;
}

static void *value_at(tt_unit *base, uint32_t port)
{
    return tt_discrete_value(tt_discrete_of(base), port);
}

enum tt_code tt_discrete_tick(tt_unit *base, tt_err *err)
{
    return tt_discrete_tick_by(base, tt_discrete_of(base)->type->model, err);
}

enum tt_code tt_discrete_take(tt_unit *base, uint32_t port, const void *value,
                              tt_err *err)
{
    return take_event(tt_discrete_of(base), port, value, err);
}

enum tt_code tt_discrete_more(tt_unit *base, uint32_t port, const void *value,
                              tt_err *err)
{
    return add_more(tt_discrete_of(base), port, value, err);
}

static const struct tt_event_calls *calls_of(const tt_unit *base)
{
    static const struct tt_event_calls any = {tt_discrete_tick, update};
    const struct tt_discrete *u =
        (const struct tt_discrete *)(const void *)base;

    return u->type->model->calls ? u->type->model->calls : &any;
}

static const struct tt_event_door door = {.is_open = is_open,
                                          .at = value_at,
                                          .take = tt_discrete_take,
                                          .more = tt_discrete_more,
                                          .calls = calls_of};

const struct tt_unit_ops tt_discrete_ops = {
    TT_BUILTIN_IDLE,
    TT_BUILTIN_EVENTS,
    .enter_init = tt_unit_idle_init,
    TT_KEPT_MOST,
    .restore = restore,
    TT_BUILTIN_OWN,
    .reset = reset,
    .event_update = event_update,
    .door = &door,
};

/* --- types ---------------------------------------------------------------- */

#define INTERNAL "(internal)" /* its own clock */
/* clocks that lie together */
#define NEAR     sizeof(((struct tt_discrete_state *)0)->clocks)

enum tt_code tt_discrete_describe(struct tt_discrete_type *t, const char *model,
                                  int own_events, tt_err *err)
{
    int twice;

    t->b.base.desc.model = model;
    t->size = sizeof(struct tt_discrete_state);
    t->n_phase = 1;
    if (own_events && tt_discrete_add(t, INTERNAL, TT_CAUS_INPUT, TT_CLOCK,
                                      NULL, &twice) == TT_NONE)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    t->b.base.desc.internal = own_events ? 1 : 0;
    return TT_OK;
}

void tt_discrete_forget(struct tt_builtin_type *b)
{
    struct tt_discrete_type *t = (struct tt_discrete_type *)(void *)b;

    TT_FREE_ALL(t->at, t->where_at, t->port);
}

/* Where its value is in the state. */
static uint32_t place_of(struct tt_discrete_type *t, const struct tt_port *p)
{
    size_t at = t->size;

    if (p->type == TT_CLOCK && t->n_clock < NEAR)
        return (uint32_t)offsetof(struct tt_discrete_state, clocks) +
               t->n_clock++;
    t->size += (tt_port_size(p) + 7) / 8 * 8;
    return (uint32_t)at;
}

void tt_discrete_gather(struct tt_discrete_type *t)
{
    t->size = sizeof(struct tt_discrete_state);
    t->n_clock = 0;
    for (int text = 0; text <= 1; text++)
        for (size_t i = 0; i < t->n_port; i++)
            if ((t->port[i].type == TT_TEXT) == text)
                t->at[i] = place_of(t, &t->port[i]);
}

static int add(struct tt_discrete_type *t, const struct tt_port *p)
{
    size_t cap = t->cap_port;

    if (TT_GROW(t->port, t->n_port, t->cap_port) != 0)
        return -1;
    if (cap != t->cap_port) {
        uint32_t *at = tt_resize(t->at, t->cap_port, sizeof(*at));

        if (!at) {
            t->cap_port = cap;
            return -1;
        }
        t->at = at;
    }
    t->port[t->n_port] = *p;
    t->at[t->n_port++] = place_of(t, p);
    return 0;
}

static struct tt_port port_of(enum tt_causality causality, enum tt_type type)
{
    int fixed = causality == TT_CAUS_PARAMETER;

    return (struct tt_port){
        TT_PORT_SCALAR, .type = type, .causality = causality,
        .variability = fixed ? TT_VAR_FIXED : TT_VAR_DISCRETE,
        .initial = causality == TT_CAUS_INPUT ? TT_INIT_NONE : TT_INIT_EXACT};
}

int tt_discrete_add_plain(struct tt_discrete_type *t, const struct tt_port *p)
{
    return tt_names_add(&t->b.base.desc.by_name, p->name,
                        (uint32_t)t->n_port) ||
                   add(t, p)
               ? -1
               : 0;
}

/* Of an input or output: the clock that ticks with its events. */
static int add_clock(struct tt_discrete_type *t, const char *name,
                     enum tt_causality causality)
{
    struct tt_port p = port_of(causality, TT_CLOCK);
    size_t n = strlen(name) + sizeof(" (clock)");
    char *text = tt_arena_alloc(t->b.arena, n, 1);

    if (!text)
        return -1;
    (void)snprintf(text, n, "%s (clock)", name);
    p.name = text;
    p.initial = TT_INIT_NONE;
    p.hidden = 1;
    return tt_discrete_add_plain(t, &p);
}

uint32_t tt_discrete_add(struct tt_discrete_type *t, const char *name,
                         enum tt_causality causality, enum tt_type type,
                         const void *start, int *twice)
{
    struct tt_port p = port_of(causality, type);
    int clocked = type != TT_CLOCK &&
                  (causality == TT_CAUS_INPUT || causality == TT_CAUS_OUTPUT);
    size_t n = tt_type_size(type);
    void *copy;

    *twice = tt_names_find(&t->b.base.desc.by_name, name) != TT_NONE;
    if (*twice)
        return TT_NONE;
    if (clocked && add_clock(t, name, causality) != 0)
        return TT_NONE;
    copy = tt_arena_alloc(t->b.arena, 1, n);
    if (!copy)
        return TT_NONE;
    if (start)
        memcpy(copy, start, n);
    p.name = name;
    p.start = type == TT_CLOCK ? NULL : copy;
    p.hidden = type == TT_CLOCK;
    if (type == TT_CLOCK)
        p.initial = TT_INIT_NONE;
    p.clock = clocked ? (uint32_t)t->n_port : 0; /* the port before, plus 1 */
    return tt_discrete_add_plain(t, &p) == 0 ? (uint32_t)t->n_port - 1
                                             : TT_NONE;
}

int tt_discrete_refer(struct tt_discrete_type *t, uint32_t at)
{
    if (TT_GROW(t->where_at, t->n_where, t->cap_where) != 0)
        return -1;
    t->where_at[t->n_where++] = at;
    return 0;
}

/* Is it near, its byte is set in a mask; else it is listed. */
static void list_clock(struct tt_discrete_type *t, uint32_t i)
{
    uint32_t near =
        t->at[i] - (uint32_t)offsetof(struct tt_discrete_state, clocks);

    if (near >= NEAR)
        t->far_clock[t->n_far++] = t->at[i];
    else if (i + 1 == t->b.base.desc.internal)
        memset((uint8_t *)&t->own_clock + near, 0xff, 1);
    else if (t->port[i].causality == TT_CAUS_INPUT)
        memset((uint8_t *)&t->in_clocks + near, 0xff, 1);
}

/* -1: out of memory. */
static int list_clocks(struct tt_discrete_type *t)
{
    t->far_clock = tt_arena_alloc(t->b.arena, t->n_port, sizeof(*t->far_clock));
    for (int in = 1; t->far_clock && in >= 0; in--) {
        for (uint32_t i = 0; i < t->n_port; i++)
            if (t->port[i].type == TT_CLOCK &&
                (t->port[i].causality == TT_CAUS_INPUT) == in)
                list_clock(t, i);
        if (in)
            t->n_far_in = t->n_far;
    }
    return t->far_clock ? 0 : -1;
}

enum tt_code tt_discrete_finish(struct tt_discrete_type *t, size_t own,
                                tt_err *err)
{
    struct tt_deps *deps =
        tt_arena_alloc(t->b.arena, t->n_port, sizeof(struct tt_deps));
    struct tt_deps *none =
        tt_arena_alloc(t->b.arena, t->n_port, sizeof(struct tt_deps));
    uint32_t *in = tt_arena_alloc(t->b.arena, t->n_port, sizeof(*in)), n_in = 0;

    if (!deps || !none || !in || list_clocks(t) != 0)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    t->own_at = (uint32_t)t->size;
    t->size += (own + 7) / 8 * 8;
    for (uint32_t i = 0; i < t->n_port; i++)
        if (t->port[i].causality == TT_CAUS_INPUT)
            in[n_in++] = i;
    for (size_t i = 0; i < t->n_port; i++) {
        deps[i].known = 1; /* on nothing: outputs follow from the state */
        none[i].known = 1;
        if (t->model && t->model->follow &&
            t->port[i].causality == TT_CAUS_OUTPUT)
            deps[i] = (struct tt_deps){.known = 1, .n = n_in, .port = in};
    }
    t->b.base.desc.port = t->port;
    t->b.base.desc.n_port = (uint32_t)t->n_port;
    t->b.base.desc.run = deps;
    t->b.base.desc.init = none;
    return TT_OK;
}

int tt_discrete_begin(tt_unit *base, const struct tt_builtin_type *b,
                      const struct tt_make *m)
{
    const struct tt_discrete_type *t =
        (const struct tt_discrete_type *)(const void *)b;
    struct tt_discrete *u = tt_discrete_of(base);

    u->type = t;
    u->event_mode = m->event_mode != 0;
    u->stream = tt_hash(TT_HASH_START, m->instance, strlen(m->instance));
    u->k.may_be = may_be;
    u->is = tt_kept_new(&u->k, t->size);
    u->got = tt_zalloc(t->n_port, 1);
    if (!u->is || !u->got || !TT_NEW_ARRAY(u->k.where, t->n_where + 1))
        return 0;
    for (size_t i = 0; i < t->n_where; i++)
        u->k.where[i] = (char *)u->is + t->where_at[i];
    begin(u);
    return 1;
}
