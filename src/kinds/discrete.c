/* SPDX-License-Identifier: MIT */
#include "kinds/discrete.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/num.h"

static struct tt_discrete *discrete_of(tt_unit *u)
{
    return (struct tt_discrete *)(void *)u;
}

/* --- values --------------------------------------------------------------- */

static enum tt_code get(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    struct tt_discrete *u = discrete_of(base);
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

/* A tick of the own clock comes before inputs of this microstep are set, and
 * the output follows from the state alone. */
static enum tt_code tick(struct tt_discrete *u, tt_err *err)
{
    u->is->ticked = 1;
    u->is->elapsed = u->k.base.now - u->is->last;
    return u->type->model->output(u, err);
}

/* Behind the ports': has any come? */
static uint8_t *any_of(const struct tt_discrete *u)
{
    return &u->got[u->type->n_port];
}

static void expect_events(struct tt_discrete *u)
{
    if (*any_of(u))
        memset(u->got, 0, u->type->n_port + 1);
    u->n_more = u->at_more = 0;
}

/* An event arrives. Further ones at the same input wait for their turn. */
static enum tt_code take_event(struct tt_discrete *u, uint32_t port,
                               const void *value, tt_err *err)
{
    enum tt_type type = u->type->port[port].type;
    size_t n = type == TT_F64 ? sizeof(double) : tt_type_size(type);

    /* what is passed on at once may be set twice, to be looked at before */
    if (!u->got[port] || u->type->model->follow) {
        u->got[port] = 1;
        *any_of(u) = 1;
        memcpy(tt_discrete_value(u, port), value, n);
        return TT_OK;
    }
    if (TT_GROW(u->more, u->n_more, u->cap_more) != 0)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    u->more[u->n_more].port = port;
    memcpy(u->more[u->n_more++].value, value, n);
    return TT_OK;
}

static void lower_clocks(const struct tt_discrete *u)
{
    for (uint32_t i = 0; i < u->type->n_clock; i++)
        ((uint8_t *)u->is)[u->type->clock_at[i]] = 0;
}

int tt_discrete_another(struct tt_discrete *u)
{
    const struct tt_discrete_event *e;

    if (u->at_more == u->n_more)
        return 0;
    e = &u->more[u->at_more++];
    lower_clocks(u);
    u->is->ticked = 0;
    memcpy(tt_discrete_value(u, e->port), e->value,
           tt_type_size(u->type->port[e->port].type));
    *tt_discrete_there(u, e->port) = 1;
    return 1;
}

static enum tt_code set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    struct tt_discrete *u = discrete_of(base);
    const char *from = s->value;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
        const struct tt_port *p = &base->desc->port[s->port[i]];
        size_t n = tt_type_size(p->type);

        if (p->causality != TT_CAUS_INPUT && p->causality != TT_CAUS_PARAMETER)
            return tt_fail(err, TT_EINPUT, "it cannot be set");
        if (s->port[i] + 1 == base->desc->internal)
            rc = *from ? tick(u, err) : TT_OK;
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
    begin(discrete_of(u));
    return TT_OK;
}

/* When the state is over that has just begun. */
static enum tt_code plan(struct tt_discrete *u, double began, tt_err *err)
{
    double ta = (double)INFINITY;
    char text[TT_NUM_MAX];
    enum tt_code rc =
        u->type->model->advance ? u->type->model->advance(u, &ta, err) : TT_OK;

    if (rc != TT_OK)
        return rc;
    if (!(ta >= 0)) {
        tt_num_print_short(text, ta);
        return tt_fail(err, TT_EUNIT, "its state is to last %s s", text);
    }
    u->is->last = began;
    u->is->next = began + ta;
    return TT_OK;
}

static enum tt_code exit_init(tt_unit *base, tt_err *err)
{
    struct tt_discrete *u = discrete_of(base);
    enum tt_code rc = TT_OK;

    if (u->type->model->begin)
        rc = u->type->model->begin(u, err);
    if (rc == TT_OK)
        rc = plan(u, base->now - u->is->elapsed, err);
    if (rc == TT_OK && u->is->next < base->now)
        rc = tt_fail(err, TT_EINPUT, "its first state is over at the start");
    if (u->event_mode)
        base->life = TT_LIFE_EVENT;
    return rc;
}

static void free_unit(tt_unit *u)
{
    struct tt_discrete *d = discrete_of(u);

    TT_FREE_ALL(d->got, d->more);
    tt_kept_free(u);
}

static enum tt_code restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    expect_events(discrete_of(u));
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

int tt_discrete_has_input(const struct tt_discrete *u)
{
    for (uint32_t i = 0; i < u->type->n_in_clock; i++)
        if (((const uint8_t *)u->is)[u->type->clock_at[i]])
            return 1;
    return 0;
}

void tt_discrete_over(struct tt_discrete *u)
{
    lower_clocks(u);
    expect_events(u);
    u->is->ticked = 0;
    u->is->elapsed = 0; /* nothing is left behind but the state */
}

enum tt_code tt_discrete_in_turn(struct tt_discrete *u, int *goes_on,
                                 tt_err *err)
{
    const struct tt_discrete_model *m = u->type->model;
    enum tt_code rc = m->internal(u, err);

    u->is->elapsed = 0;
    if (rc == TT_OK)
        rc = plan(u, u->k.base.now, err);
    return rc == TT_OK ? m->external(u, goes_on, err) : rc;
}

static inline enum tt_code transit(struct tt_discrete *u, int input,
                                   tt_err *err)
{
    const struct tt_discrete_model *m = u->type->model;
    int goes_on = 0;
    enum tt_code rc;

    u->is->elapsed = u->k.base.now - u->is->last;
    if (u->is->ticked && input)
        rc = m->confluent ? m->confluent(u, &goes_on, err)
                          : tt_discrete_in_turn(u, &goes_on, err);
    else
        rc = input ? m->external(u, &goes_on, err) : m->internal(u, err);
    return rc == TT_OK && !goes_on ? plan(u, u->k.base.now, err) : rc;
}

static enum tt_code door_update(tt_unit *base, double *next, tt_err *err)
{
    struct tt_discrete *u = discrete_of(base);
    int input = tt_discrete_has_input(u);
    enum tt_code rc = TT_OK;

    if (u->is->ticked || input)
        rc = transit(u, input, err);
    while (rc == TT_OK && tt_discrete_another(u))
        rc = transit(u, 1, err);
    tt_discrete_over(u);
    *next = u->is->next;
    return rc;
}

static enum tt_code event_update(tt_unit *base, struct tt_event_result *r,
                                 tt_err *err)
{
    enum tt_code rc = door_update(base, &r->next, err);

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
    return tt_discrete_value(discrete_of(base), port);
}

enum tt_code tt_discrete_tick(tt_unit *base, tt_err *err)
{
    return tick(discrete_of(base), err);
}

enum tt_code tt_discrete_take(tt_unit *base, uint32_t port, const void *value,
                              tt_err *err)
{
    return take_event(discrete_of(base), port, value, err);
}

uint8_t *tt_discrete_got(tt_unit *base, uint32_t port)
{
    return &discrete_of(base)->got[port];
}

uint8_t *tt_discrete_any(tt_unit *base)
{
    return any_of(discrete_of(base));
}

static const struct tt_event_door door = {.is_open = is_open,
                                          .at = value_at,
                                          .tick = tt_discrete_tick,
                                          .take = tt_discrete_take,
                                          .got = tt_discrete_got,
                                          .any = tt_discrete_any,
                                          .update = door_update};

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
    t->at[t->n_port++] = (uint32_t)t->size;
    t->size += (tt_port_size(p) + 7) / 8 * 8;
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

/* -1: out of memory. */
static int list_clocks(struct tt_discrete_type *t)
{
    t->clock_at = tt_arena_alloc(t->b.arena, t->n_port, sizeof(*t->clock_at));
    for (int in = 1; t->clock_at && in >= 0; in--) {
        for (uint32_t i = 0; i < t->n_port; i++)
            if (t->port[i].type == TT_CLOCK &&
                (t->port[i].causality == TT_CAUS_INPUT) == in &&
                i + 1 != t->b.base.desc.internal)
                t->clock_at[t->n_clock++] = t->at[i];
        if (in)
            t->n_in_clock = t->n_clock;
    }
    return t->clock_at ? 0 : -1;
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
    struct tt_discrete *u = discrete_of(base);

    u->type = t;
    u->event_mode = m->event_mode;
    u->stream = tt_hash(TT_HASH_START, m->instance, strlen(m->instance));
    u->k.may_be = may_be;
    u->is = tt_kept_new(&u->k, t->size);
    u->got = tt_zalloc(t->n_port + 1, 1);
    if (!u->is || !u->got || !TT_NEW_ARRAY(u->k.where, t->n_where + 1))
        return 0;
    for (size_t i = 0; i < t->n_where; i++)
        u->k.where[i] = (char *)u->is + t->where_at[i];
    begin(u);
    return 1;
}
