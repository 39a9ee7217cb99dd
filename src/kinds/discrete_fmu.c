/* SPDX-License-Identifier: MIT */
/* Discrete-event units in FMUs, as the unit kit makes them.
 *
 * The description annotates <Unit discrete="true">; then
 *
 *     x, x_clock       an event port, and what ticks with its events: a clock,
 *                      or before FMI 3 an Integer that counts them
 *     events_internal  input, likewise: its own event, which the importer lets
 *                      happen
 *     events_next      when that is due
 *     events_driven    parameter: it waits for events_internal
 *
 * To the run it is a unit as those of files: the FMU is a unit inside, which
 * steps only where something happens. FMI 3: it is stepped there, enters event
 * mode, clocks tick, the update makes the transition. FMI 2: it is stepped
 * there, counters are set, a step of length 0 makes the transition. Items of
 * enumerations are words here, as in files. */
#include "kinds/discrete_hot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kinds/fmi_common.h"
#include "kinds/kinds.h"

/* An event port: our port; inside, those of its value and its clock; items of
 * an enumeration with their words, else none. */
struct event_port {
    uint32_t port, value, clock, n_item;
    const struct tt_md_item *item;
    struct tt_text *word;
};

struct inside {
    struct tt_kfmi_type *fmu; /* owned */
    uint32_t internal, next, driven;
    struct event_port *in, *out;
    uint32_t n_in, n_out;
    uint32_t *at; /* per port of ours: the one inside, TT_NONE: an event's */
    uint32_t *out_clock; /* those of `out` */
    int counts;          /* clocks are counters */
};

static const struct inside *inside_of(const struct tt_discrete *u)
{
    return u->type->own;
}

/* Counters of the FMU as they were last: of its own event, then inputs, then
 * outputs; then room for what output clocks are now. */
static int32_t *counts(const struct tt_discrete *u)
{
    return (int32_t *)(void *)((char *)u->is + u->type->own_at);
}

/* --- the FMU inside --------------------------------------------------------
 *
 * While playing its operations are called as the player calls bound ones: the
 * unit around it was admitted, and what fails is reported with its name. */

static enum tt_type type_inside(const struct tt_discrete *u, uint32_t port)
{
    return u->k.base.inner->desc->port[port].type;
}

static enum tt_code move(const struct tt_discrete *u, uint32_t port,
                         void *value, int set, tt_err *err)
{
    const struct tt_span s = {&port, 1, value};

    return set ? u->k.base.inner->ops->set(u->k.base.inner, &s, err)
               : u->k.base.inner->ops->get(u->k.base.inner, &s, err);
}

/* A whole number into a variable of any type that is one. */
static enum tt_code put_whole(const struct tt_discrete *u, uint32_t port,
                              int64_t n, tt_err *err)
{
    uint8_t byte = (uint8_t)n;
    int32_t word = (int32_t)n;
    size_t size = tt_type_size(type_inside(u, port));

    return move(u, port,
                size == 1   ? (void *)&byte
                : size == 4 ? (void *)&word
                            : (void *)&n,
                1, err);
}

static enum tt_code get_whole(const struct tt_discrete *u, uint32_t port,
                              int64_t *n, tt_err *err)
{
    int32_t word = 0;
    int narrow = tt_type_size(type_inside(u, port)) == 4;
    enum tt_code rc = move(u, port, narrow ? (void *)&word : (void *)n, 0, err);

    if (narrow)
        *n = word;
    return rc;
}

/* A counter inside goes on. */
static enum tt_code count(const struct tt_discrete *u, uint32_t clock,
                          uint32_t count, tt_err *err)
{
    counts(u)[count] = (int32_t)((uint32_t)counts(u)[count] + 1);
    return put_whole(u, clock, counts(u)[count], err);
}

static enum tt_code step_to(tt_unit *fmu, double to, tt_err *err)
{
    const struct tt_step s = {.to = to, .h = to - fmu->now, .may_restore = 1};
    struct tt_stepped r = {.reached = to};
    enum tt_code rc = fmu->ops->step(fmu, &s, &r, err);

    if (rc == TT_OK && ((r.flags & TT_STEP_REJECT) || r.reached != to))
        return tt_fail(err, TT_EUNIT, "it does not step to its event");
    fmu->now = to;
    fmu->n_step++;
    return rc;
}

/* Brings the FMU to this instant, and into event mode. */
static enum tt_code arrive(const struct tt_discrete *u, tt_err *err)
{
    tt_unit *fmu = u->k.base.inner;
    enum tt_code rc = TT_OK;

    if (fmu->life == TT_LIFE_EVENT)
        return TT_OK;
    if (fmu->now < u->k.base.now)
        rc = step_to(fmu, u->k.base.now, err);
    if (rc != TT_OK || inside_of(u)->counts)
        return rc;
    rc = fmu->ops->event_enter(fmu, err);
    if (rc == TT_OK)
        fmu->life = TT_LIFE_EVENT;
    return rc;
}

/* --- ... of FMI 3 by calls that are bound --------------------------------- */

/* Its own clock; all clocks of outputs; then of each input the clock and the
 * value, of each output the value. */
enum { CALL_OWN, CALL_CLOCKS, CALL_PORTS };

struct bound {
    struct tt_discrete d;
    struct tt_call *call; /* owned; NULL: none is */
};

static struct bound *bound_of(tt_unit *u)
{
    return (struct bound *)(void *)u;
}

static const struct tt_call *call_of(const struct tt_discrete *u, uint32_t i)
{
    const struct bound *b = (const struct bound *)(const void *)u;

    return b->call && b->call[i].what ? &b->call[i] : NULL;
}

static enum tt_code make_call(const struct tt_call *c, tt_err *err)
{
    struct tt_now now;

    now.status = 0;
    now.words = err;
    if (TT_LIKELY(tt_call_make(c, &now) == TT_CALL_OK))
        return TT_OK;
    return ((tt_unit *)c->unit)->ops->explain(c->unit, c, now.status, err);
}

/* Words are made of items, and texts are not bound. */
static int is_bound(const struct tt_discrete *u, const struct event_port *p)
{
    enum tt_type type = type_inside(u, p->value);

    return !p->n_item && !tt_type_is_text(type);
}

static enum tt_code bind(tt_unit *u, enum tt_verb verb, const uint32_t *port,
                         uint32_t n, void *value, uint32_t i, tt_err *err)
{
    const struct tt_span s = {port, n, value};

    return tt_unit_bind(u->inner, verb, &s, &bound_of(u)->call[i], err);
}

/* What output clocks are now. */
static int32_t *clocks_now(const struct tt_discrete *u)
{
    const struct inside *x = inside_of(u);

    return counts(u) + 1 + x->n_in + x->n_out;
}

static enum tt_code bind_ports(tt_unit *base, tt_err *err)
{
    static uint8_t yes = 1;
    const struct tt_discrete *u = tt_discrete_of(base);
    const struct inside *x = inside_of(u);
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < x->n_in && rc == TT_OK; i++) {
        const struct event_port *p = &x->in[i];
        uint32_t at = CALL_PORTS + 2 * i;

        rc = bind(base, TT_VERB_SET, &p->clock, 1, &yes, at, err);
        if (rc == TT_OK && is_bound(u, p))
            rc = bind(base, TT_VERB_SET, &p->value, 1,
                      tt_discrete_value(u, p->port), at + 1, err);
    }
    for (uint32_t i = 0; i < x->n_out && rc == TT_OK; i++)
        if (is_bound(u, &x->out[i]))
            rc = bind(base, TT_VERB_GET, &x->out[i].value, 1,
                      tt_discrete_value(u, x->out[i].port),
                      CALL_PORTS + 2 * x->n_in + i, err);
    if (rc == TT_OK && x->n_out)
        rc = bind(base, TT_VERB_GET, x->out_clock, x->n_out, clocks_now(u),
                  CALL_CLOCKS, err);
    return rc == TT_OK
               ? bind(base, TT_VERB_SET, &x->internal, 1, &yes, CALL_OWN, err)
               : rc;
}

static enum tt_code bind_all(tt_unit *u, tt_err *err)
{
    const struct inside *x = inside_of(tt_discrete_of(u));

    if (x->counts || bound_of(u)->call) /* before a reset */
        return TT_OK;
    return TT_NEW_ARRAY(bound_of(u)->call,
                        CALL_PORTS + 2 * (size_t)x->n_in + x->n_out)
               ? bind_ports(u, err)
               : tt_fail(err, TT_ENOMEM, "out of memory");
}

/* A clock inside ticks: a call, or a counter and which one that is. */
static enum tt_code tick(const struct tt_discrete *u, uint32_t call,
                         uint32_t clock, uint32_t counter, tt_err *err)
{
    const struct tt_call *c = call_of(u, call);

    return c ? make_call(c, err) : count(u, clock, counter, err);
}

/* --- values --------------------------------------------------------------- */

static enum tt_code take_event(const struct tt_discrete *u, uint32_t out,
                               tt_err *err)
{
    const struct inside *x = inside_of(u);
    const struct event_port *p = &x->out[out];
    const struct tt_call *c = call_of(u, CALL_PORTS + 2 * x->n_in + out);
    void *to = tt_discrete_value(u, p->port);
    int64_t item = 0;
    enum tt_code rc;

    tt_discrete_emit(u, p->port);
    if (c)
        return make_call(c, err);
    if (!p->n_item)
        return move(u, p->value, to, 0, err);
    rc = get_whole(u, p->value, &item, err);
    for (uint32_t i = 0; i < p->n_item && rc == TT_OK; i++)
        if (p->item[i].value == item) {
            memcpy(to, &p->word[i], sizeof(*p->word));
            return TT_OK;
        }
    return rc == TT_OK ? tt_fail(err, TT_EUNIT, "'%s' has no item %lld",
                                 u->type->port[p->port].name, (long long)item)
                       : rc;
}

/* Has this output an event? */
static int ticks(const struct tt_discrete *u, uint32_t out, const void *all)
{
    int32_t *was = &counts(u)[1 + inside_of(u)->n_in + out], is;

    if (!inside_of(u)->counts)
        return ((const uint8_t *)all)[out];
    is = ((const int32_t *)all)[out];
    if (is == *was)
        return 0;
    *was = is;
    return 1;
}

static enum tt_code read_clocks(const struct tt_discrete *u, int32_t *now,
                                tt_err *err)
{
    const struct tt_span s = {inside_of(u)->out_clock, inside_of(u)->n_out,
                              now};
    const struct tt_call *c = call_of(u, CALL_CLOCKS);

    return c ? make_call(c, err)
             : u->k.base.inner->ops->get(u->k.base.inner, &s, err);
}

static enum tt_code output(struct tt_discrete *u, tt_err *err)
{
    const struct inside *x = inside_of(u);
    int32_t *now = clocks_now(u);
    enum tt_code rc = arrive(u, err);

    if (rc == TT_OK)
        rc = tick(u, CALL_OWN, x->internal, 0, err);
    if (rc == TT_OK && x->n_out)
        rc = read_clocks(u, now, err);
    for (uint32_t i = 0; i < x->n_out && rc == TT_OK; i++)
        if (ticks(u, i, now))
            rc = take_event(u, i, err);
    memset(now, 0, x->n_out * sizeof(*now)); /* it is no part of the state */
    return rc;
}

static enum tt_code give_event(const struct tt_discrete *u, uint32_t in,
                               tt_err *err)
{
    const struct event_port *p = &inside_of(u)->in[in];
    struct tt_text *text = tt_discrete_value(u, p->port);
    uint32_t at = CALL_PORTS + 2 * in;
    const struct tt_call *c = call_of(u, at + 1);
    enum tt_code rc = tick(u, at, p->clock, 1 + in, err);

    if (rc == TT_OK && c)
        return make_call(c, err);
    if (rc != TT_OK || !p->n_item)
        return rc == TT_OK ? move(u, p->value, text, 1, err) : rc;
    for (uint32_t i = 0; i < p->n_item; i++)
        if (tt_text_same(text, &p->word[i]))
            return put_whole(u, p->value, p->item[i].value, err);
    return tt_fail(err, TT_EUNIT, "'%s' has no item '%.*s'",
                   u->type->port[p->port].name, (int)text->n, text->s);
}

static enum tt_code get(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    struct tt_discrete *u = tt_discrete_of(base);
    char *to = s->value;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
        uint32_t at = inside_of(u)->at[s->port[i]];
        size_t n = tt_port_size(&base->desc->port[s->port[i]]);

        if (at == TT_NONE)
            memcpy(to, tt_discrete_value(u, s->port[i]), n);
        else
            rc = move(u, at, to, 0, err);
        to += n;
    }
    return rc;
}

static enum tt_code set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    const struct tt_discrete *u = tt_discrete_of(base);
    char *from = s->value;
    enum tt_code rc = TT_OK;

    if (inside_of(u)->at[s->port[0]] == TT_NONE)
        return tt_discrete_ops.set(base, s, err);
    for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
        rc = move(u, inside_of(u)->at[s->port[i]], from, 1, err);
        from += tt_port_size(&base->desc->port[s->port[i]]);
    }
    return rc;
}

/* --- events --------------------------------------------------------------- */

/* What has come in makes the transition, and names the next event. */
static enum tt_code transit(const struct tt_discrete *u,
                            struct tt_event_result *r, tt_err *err)
{
    const struct inside *x = inside_of(u);
    tt_unit *fmu = u->k.base.inner;
    struct tt_stepped stepped;
    enum tt_code rc;

    if (!x->counts) {
        rc = fmu->ops->event_update(fmu, r, err);
        u->is->next = r->next_defined ? r->next : (double)INFINITY;
        if (rc == TT_OK)
            rc = fmu->ops->event_leave(fmu, err);
        fmu->life = TT_LIFE_READY;
        return rc;
    }
    rc =
        fmu->ops->step(fmu, &(struct tt_step){.to = fmu->now, .may_restore = 1},
                       &stepped, err);
    return rc == TT_OK ? move(u, x->next, &u->is->next, 0, err) : rc;
}

/* The events that are there, and what follows from them. */
static enum tt_code deliver(const struct tt_discrete *u,
                            struct tt_event_result *r, tt_err *err)
{
    const struct inside *x = inside_of(u);
    enum tt_code rc = arrive(u, err);

    for (uint32_t i = 0; i < x->n_in && rc == TT_OK; i++)
        if (*tt_discrete_there(u, x->in[i].port))
            rc = give_event(u, i, err);
    return rc == TT_OK ? transit(u, r, err) : rc;
}

static enum tt_code event_update(tt_unit *base, struct tt_event_result *r,
                                 tt_err *err)
{
    struct tt_discrete *u = tt_discrete_of(base);
    enum tt_code rc = TT_OK;

    if (tt_discrete_is_due(u) || tt_discrete_has_input(u))
        rc = deliver(u, r, err);
    while (rc == TT_OK && tt_discrete_another(u))
        rc = deliver(u, r, err);
    tt_discrete_over(u);
    r->again = 0;
    r->next = u->is->next;
    r->next_defined = !isinf(r->next); /* what is no time is refused */
    return rc;
}

/* --- without calls for each port ------------------------------------------ */

static int is_open(const tt_unit *u)
{
    (void)u;
    return 1;
}

/* Only events are kept outside the FMU. */
static void *value_at(tt_unit *base, uint32_t port)
{
    const struct tt_discrete *u = tt_discrete_of(base);

    return inside_of(u)->at[port] == TT_NONE ? tt_discrete_value(u, port)
                                             : NULL;
}

static const struct tt_event_calls *calls_of(const tt_unit *u)
{
    static const struct tt_event_calls calls = {.tick = tt_discrete_tick};

    (void)u;
    return &calls;
}

static const struct tt_event_door door = {.is_open = is_open,
                                          .at = value_at,
                                          .take = tt_discrete_take,
                                          .more = tt_discrete_more,
                                          .calls = calls_of};

/* --- life ----------------------------------------------------------------- */

static enum tt_code enter_init(tt_unit *base, const struct tt_experiment *e,
                               tt_err *err)
{
    const struct tt_discrete *u = tt_discrete_of(base);
    enum tt_code rc = put_whole(u, inside_of(u)->driven, 1, err);

    if (rc == TT_OK)
        rc = tt_fwd_enter_init(base, e, err);
    return rc == TT_OK ? bind_all(base, err) : rc;
}

static enum tt_code exit_init(tt_unit *base, tt_err *err)
{
    struct tt_discrete *u = tt_discrete_of(base);
    struct tt_event_result r = {0};
    enum tt_code rc = tt_fwd_exit_init(base, err);

    if (rc != TT_OK)
        return rc;
    base->life = u->event_mode ? TT_LIFE_EVENT : TT_LIFE_READY;
    if (inside_of(u)->counts)
        return move(u, inside_of(u)->next, &u->is->next, 0, err);
    return transit(u, &r, err);
}

static enum tt_code prepare(tt_unit *u, uint32_t n_state, tt_err *err)
{
    enum tt_code rc = tt_fwd_prepare(u, n_state, err);

    return rc == TT_OK ? tt_discrete_ops.prepare(u, n_state, err) : rc;
}

static enum tt_code reset(tt_unit *u, tt_err *err)
{
    enum tt_code rc = tt_fwd_reset(u, err);

    return rc == TT_OK ? tt_discrete_ops.reset(u, err) : rc;
}

static void free_unit(tt_unit *u)
{
    tt_free(bound_of(u)->call);
    tt_unit_free(u->inner);
    tt_discrete_ops.free(u);
}

static enum tt_code save(tt_unit *u, uint32_t reg, tt_err *err)
{
    enum tt_code rc = tt_fwd_save(u, reg, err);

    return rc == TT_OK ? tt_discrete_ops.save(u, reg, err) : rc;
}

static enum tt_code restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    enum tt_code rc = tt_fwd_restore(u, reg, err);

    return rc == TT_OK ? tt_discrete_ops.restore(u, reg, err) : rc;
}

/* What the FMU is, then what we are. */
static enum tt_code pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                         tt_err *err)
{
    struct tt_bytes own = {NULL, 0};
    enum tt_code rc = tt_fwd_pack(u, reg, b, err);
    char *all = NULL;

    if (rc == TT_OK)
        rc = tt_discrete_ops.pack(u, reg, &own, err);
    if (rc == TT_OK) {
        all = tt_resize(b->data, b->n + own.n, 1);
        rc = all ? TT_OK : tt_fail(err, TT_ENOMEM, "packing a state");
    }
    if (rc == TT_OK) {
        memcpy(all + b->n, own.data, own.n);
        *b = (struct tt_bytes){all, b->n + own.n};
    } else {
        tt_free(b->data);
    }
    tt_free(own.data);
    return rc;
}

static enum tt_code unpack(tt_unit *u, uint32_t reg, const struct tt_bytes *b,
                           tt_err *err)
{
    size_t own = tt_discrete_of(u)->type->size, fmu = b->n - own;
    enum tt_code rc =
        b->n >= own
            ? tt_discrete_ops.unpack(
                  u, reg, &(struct tt_bytes){(char *)b->data + fmu, own}, err)
            : tt_fail(err, TT_EINPUT, "the state is of something else");

    return rc == TT_OK
               ? tt_fwd_unpack(u, reg, &(struct tt_bytes){b->data, fmu}, err)
               : rc;
}

static const struct tt_unit_ops unit_ops = {
    .free = free_unit,
    .door = &door,
    .event_enter = tt_unit_idle,
    .event_leave = tt_unit_idle,
    TT_HOOKS(tt_fwd_, configure, end, packable),
    TT_HOOKS(, enter_init, exit_init, get, set, prepare, save, restore, pack,
             unpack, reset, event_update),
    .step = tt_unit_idle_step};

/* --- types ---------------------------------------------------------------- */

static uint32_t find_clock(const struct tt_desc *d, const char *name)
{
    char clock[256];

    (void)snprintf(clock, sizeof(clock), "%.240s_clock", name);
    return tt_desc_find(d, clock);
}

/* Items of an enumeration become words. */
static enum tt_code add_words(const struct tt_discrete_type *t,
                              struct event_port *p,
                              const struct tt_md_type *type, tt_err *err)
{
    p->n_item = type->item_n;
    p->item = type->item;
    if (!TT_NEW_IN(t->b.arena, p->word, p->n_item))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < p->n_item; i++)
        if (tt_text_set(&p->word[i], p->item[i].name) != 0)
            return tt_fail(err, TT_EUNSUPPORTED, "the item '%s' is too long",
                           p->item[i].name);
    return TT_OK;
}

static enum tt_code add_event(struct tt_discrete_type *t, struct inside *x,
                              uint32_t i, uint32_t clock, tt_err *err)
{
    const struct tt_port *p = &x->fmu->base.desc.port[i];
    const struct tt_md_type *items = x->fmu->md->var[i].declared;
    int worded = p->type == TT_ENUM32 || p->type == TT_ENUM64;
    int input = p->causality == TT_CAUS_INPUT, twice;
    struct event_port *to = input ? &x->in[x->n_in++] : &x->out[x->n_out++];

    if (p->n != 1 || p->n_dim || (worded && !(items && items->item_n)))
        return tt_fail(err, TT_EUNSUPPORTED,
                       "events of '%s' are neither numbers nor items", p->name);
    to->port = tt_discrete_add(t, p->name, p->causality,
                               worded ? TT_TEXT : p->type, NULL, &twice);
    if (to->port == TT_NONE)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    t->port[to->port].text = p->text;
    to->value = i;
    to->clock = clock;
    if (!input)
        x->out_clock[x->n_out - 1] = clock;
    return worded ? add_words(t, to, items, err) : TT_OK;
}

/* What is no event: as it is. */
static enum tt_code add_plain(struct tt_discrete_type *t, struct inside *x,
                              uint32_t i, tt_err *err)
{
    const struct tt_port *p = &x->fmu->base.desc.port[i];

    if (p->causality == TT_CAUS_INPUT)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "input '%s' of a discrete-event unit takes no events",
                       p->name);
    if (p->type == TT_CLOCK)
        return TT_OK;
    if (tt_discrete_add_plain(t, p) != 0)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    x->at[t->n_port - 1] = i;
    return TT_OK;
}

static int is_own(const struct inside *x, uint32_t i)
{
    return i == x->internal || i == x->next || i == x->driven;
}

/* Is it the clock of an event port? */
static int is_clock(const struct tt_desc *d, uint32_t i)
{
    static const char ending[] = "_clock";
    size_t n = strlen(d->port[i].name), k = sizeof(ending) - 1;
    char name[256];

    if (n <= k || n - k >= sizeof(name) ||
        strcmp(d->port[i].name + n - k, ending) != 0)
        return 0;
    (void)snprintf(name, sizeof(name), "%.*s", (int)(n - k), d->port[i].name);
    return tt_desc_find(d, name) != TT_NONE;
}

static enum tt_code add_ports(struct tt_discrete_type *t, struct inside *x,
                              tt_err *err)
{
    const struct tt_desc *d = &x->fmu->base.desc;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < d->n_port && rc == TT_OK; i++) {
        uint32_t clock = find_clock(d, d->port[i].name);

        if (is_own(x, i) || is_clock(d, i))
            continue;
        rc = clock == TT_NONE ? add_plain(t, x, i, err)
                              : add_event(t, x, i, clock, err);
    }
    return rc;
}

static enum tt_code find_own(struct inside *x, tt_err *err)
{
    static const char *const name[] = {"events_internal", "events_next",
                                       "events_driven"};
    uint32_t *const to[] = {&x->internal, &x->next, &x->driven};

    for (size_t i = 0; i < 3; i++) {
        *to[i] = tt_desc_find(&x->fmu->base.desc, name[i]);
        if (*to[i] == TT_NONE)
            return tt_fail(err, TT_EINPUT,
                           "it is annotated as a discrete-event unit and has "
                           "no variable '%s'",
                           name[i]);
    }
    return TT_OK;
}

static enum tt_code make_room(struct tt_discrete_type *t, struct inside *x,
                              tt_err *err)
{
    uint32_t n = x->fmu->base.desc.n_port;

    if (!TT_NEW_IN(t->b.arena, x->in, n) || !TT_NEW_IN(t->b.arena, x->out, n) ||
        !TT_NEW_IN(t->b.arena, x->out_clock, n) ||
        !TT_NEW_IN(t->b.arena, x->at, 2 * (size_t)n + 1))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < 2 * n + 1; i++)
        x->at[i] = TT_NONE;
    return TT_OK;
}

static void describe(struct tt_discrete_type *t, const struct tt_desc *d)
{
    struct tt_desc *own = &t->b.base.desc;

    TT_TAKE(own, d, version, tool, token, standard, log_category,
            n_log_category);
    TT_TAKE(&own->caps, &d->caps, threads, save, serialise, once_per_process);
}

static const struct tt_discrete_model model = {.output = output};

static enum tt_code build(struct tt_discrete_type *t, struct inside *x,
                          tt_err *err)
{
    enum tt_code rc = find_own(x, err);

    t->model = &model;
    if (rc == TT_OK)
        rc = make_room(t, x, err);
    if (rc == TT_OK)
        rc = add_ports(t, x, err);
    if (rc != TT_OK)
        return rc;
    describe(t, &x->fmu->base.desc);
    x->counts = x->fmu->md->version != TT_FMI_3;
    return tt_discrete_finish(
        t, ((size_t)1 + x->n_in + x->n_out + x->n_out) * sizeof(int32_t), err);
}

static const struct inside *of_type(tt_unit_type *t)
{
    return ((const struct tt_discrete_type *)(void *)t)->own;
}

static void close_type(tt_unit_type *t)
{
    if (!t)
        return;
    tt_kfmi_close(&of_type(t)->fmu->base);
    tt_builtin_close(t);
}

static enum tt_code make(tt_unit **out, tt_unit_type *t,
                         const struct tt_make *m, tt_err *err)
{
    enum tt_code rc = tt_builtin_make(out, t, m, err);

    if (rc != TT_OK)
        return rc;
    rc = tt_kfmi_make(&(*out)->inner, &of_type(t)->fmu->base, m, err);
    if (rc != TT_OK)
        free_unit(*out);
    return rc;
}

static enum tt_code unpack_type(tt_unit_type *t, tt_err *err)
{
    tt_unit_type *fmu = &of_type(t)->fmu->base;

    return fmu->kind->unpack(fmu, err);
}

static const char *copy_refused(tt_unit_type *t)
{
    tt_unit_type *fmu = &of_type(t)->fmu->base;

    return fmu->kind->copy_refused ? fmu->kind->copy_refused(fmu) : NULL;
}

static const struct tt_builtin wrapped = {
    .type_size = sizeof(struct tt_discrete_type),
    .unit_size = sizeof(struct bound),
    .caps = {.evaluates = TT_EVAL_EVENT, .event_mode = 1, .discrete = 1},
    .forget = tt_discrete_forget,
    .ops = &unit_ops,
    .begin = tt_discrete_begin};

#define INSIDE                                                                 \
    .traits = TT_KIND_FOREIGN, .interface = TT_INTERFACE_CO_SIMULATION,        \
    .close = close_type, .make = make, .unpack = unpack_type

static const struct tt_kind_ops kinds[] = {
    {INSIDE, .name = "fmi2", .fmi = TT_FMI_2, .copy_refused = copy_refused},
    {INSIDE, .name = "fmi3", .fmi = TT_FMI_3},
};

enum tt_code tt_kfmi_wrap_events(tt_unit_type **out, struct tt_kfmi_type *fmu,
                                 tt_err *err)
{
    struct tt_builtin_type *b =
        tt_builtin_new(&kinds[fmu->md->version == TT_FMI_3], &wrapped);
    struct tt_discrete_type *t = (struct tt_discrete_type *)(void *)b;
    struct inside *x = t ? tt_arena_alloc(b->arena, 1, sizeof(*x)) : NULL;
    enum tt_code rc = x ? tt_discrete_describe(t, fmu->base.desc.model, 1, err)
                        : tt_fail(err, TT_ENOMEM, "out of memory");

    if (rc == TT_OK) {
        x->fmu = fmu;
        t->own = x;
        rc = build(t, x, err);
    }
    if (rc == TT_OK)
        *out = &b->base;
    else
        tt_builtin_close(b ? &b->base : NULL);
    return rc == TT_OK ? rc : tt_context(err, rc, "%s", fmu->base.desc.model);
}
