/* SPDX-License-Identifier: MIT */
/* A unit type's description on the wire. */
#include <string.h>

#include "remote/wire.h"

#define MOST_ELEMENTS  TT_ELEMENTS_MAX /* of one port */
#define LEAST_TERMINAL 21u             /* bytes one takes at least */
#define LEAST_MEMBER   13u
#define LEAST_PORT     81u /* bytes one takes at least */

/* Numbers that follow each other. */
#define QUANTITY(X, q) X(q, f64, factor) X(q, f64, offset)
#define PORT_RANGE(X, p)                                                       \
    X(p, f64, min) X(p, f64, max) X(p, f64, nominal) X(p, u32, derivative_of)
#define PORT_GUESS(X, p)                                                       \
    X(p, u32, guess_of) X(p, u32, guess_with) X(p, u32, guess_unless)
#define TIMES(X, d)                                                            \
    X(d, f64, standard.start)                                                  \
    X(d, f64, standard.end)                                                    \
    X(d, f64, standard.tolerance)                                              \
    X(d, f64, standard_step)                                                   \
    X(d, f64, inner_step)                                                      \
    X(d, f64, delay)                                                           \
    X(d, f64, reaction)                                                        \
    X(d, f64, every) X(d, u32, inside) X(d, u32, internal)

/* --- writing ------------------------------------------------------------ */

static void put_quantity(struct tt_wire *w, const struct tt_quantity *q)
{
    tt_wire_u8(w, q != NULL);
    if (!q)
        return;
    tt_wire_text(w, q->name);
    tt_wire_u8(w, q->has_base != 0);
    for (int i = 0; i < 8; i++)
        tt_wire_u8(w, (uint8_t)q->exponent[i]);
    QUANTITY(TT_WIRE_PUT, q)
}

static void put_clock(struct tt_wire *w, const struct tt_clock *c)
{
    tt_wire_u8(w, c != NULL);
    if (!c)
        return;
    tt_wire_u8(w, (unsigned)c->interval);
    tt_wire_u8(w, c->deactivates != 0);
    tt_wire_u8(w, c->fraction != 0);
    tt_wire_u32(w, c->priority);
    tt_wire_ratio(w, c->period);
    tt_wire_ratio(w, c->shift);
}

#define ITEM_LEAST (sizeof(uint32_t) + sizeof(uint64_t))

static void put_items(struct tt_wire *w, const struct tt_items *items)
{
    uint32_t n = items ? items->n : 0;

    tt_wire_u32(w, n);
    for (uint32_t i = 0; i < n; i++) {
        tt_wire_text(w, items->item[i].name);
        tt_wire_u64(w, (uint64_t)items->item[i].value);
    }
}

static void put_port(struct tt_wire *w, const struct tt_port *p)
{
    tt_wire_text(w, p->name);
    tt_wire_text(w, p->text);
    tt_wire_u8(w, (unsigned)p->type);
    tt_wire_u8(w, (unsigned)p->causality);
    tt_wire_u8(w, (unsigned)p->variability);
    tt_wire_u8(w, (unsigned)p->initial);
    tt_wire_u8(w, (unsigned)p->reactivity);
    tt_wire_u32(w, p->n);
    tt_wire_u32(w, p->n_dim);
    for (uint32_t i = 0; i < p->n_dim; i++)
        tt_wire_u32(w, p->dim[i]);
    tt_wire_ports(w, p->dim_of, p->dim_of ? p->n_dim : 0);
    put_quantity(w, p->quantity);
    tt_wire_u8(w, p->relative != 0);
    tt_wire_text(w, p->display_unit);
    PORT_RANGE(TT_WIRE_PUT, p)
    tt_wire_u8(w, p->leaps != 0);
    tt_wire_u32(w, p->left);
    tt_wire_u8(w, p->is_guess != 0);
    PORT_GUESS(TT_WIRE_PUT, p)
    tt_wire_u32(w, (uint32_t)p->begins_by);
    tt_wire_u32(w, p->begins_at);
    tt_wire_u32(w, p->clock);
    tt_wire_u32(w, p->n_also);
    for (uint32_t i = 0; i < p->n_also; i++)
        tt_wire_u32(w, p->also[i]);
    put_clock(w, p->ticks);
    tt_wire_u8(w, p->hidden != 0);
    tt_wire_u8(w, p->course_ok != 0);
    tt_wire_u8(w, p->trail_ok != 0);
    tt_wire_u32(w, p->line);
    tt_wire_u8(w, p->start != NULL);
    if (p->start)
        tt_wire_values(w, p->type, p->n, p->start, NULL);
    put_items(w, p->items);
}

static void put_deps(struct tt_wire *w, const struct tt_deps *d)
{
    tt_wire_u8(w, d->known != 0);
    tt_wire_ports(w, d->port, d->n);
    tt_wire_u8(w, d->kind != NULL);
    for (uint32_t i = 0; d->kind && i < d->n; i++)
        tt_wire_u8(w, d->kind[i]);
}

#define CAPS_OF_STEPS(X, c)                                                    \
    X(c, save) X(c, serialise) X(c, variable_step) X(c, max_step)
#define CAPS_OF_EVENTS(X, c)                                                   \
    X(c, directional)                                                          \
    X(c, event_mode)                                                           \
    X(c, early_return)                                                         \
    X(c, events_inside)                                                        \
    X(c, once_per_process)                                                     \
    X(c, implicit) X(c, no_init_mode) X(c, clocks) X(c, samples) X(c, discrete)

static void put_caps(struct tt_wire *w, const struct tt_caps *c)
{
    tt_wire_u8(w, (unsigned)c->evaluates);
    tt_wire_u8(w, (unsigned)c->threads);
    CAPS_OF_STEPS(TT_WIRE_PUT_FLAG, c)
    tt_wire_u32(w, c->course_order);
    tt_wire_u8(w, c->course_exact != 0);
    tt_wire_u8(w, c->course_pieces != 0);
    tt_wire_u32(w, c->rate_order);
    CAPS_OF_EVENTS(TT_WIRE_PUT_FLAG, c)
}

static void put_terminal(struct tt_wire *w, const struct tt_terminal *t)
{
    tt_wire_text(w, t->name);
    tt_wire_text(w, t->text);
    tt_wire_text(w, t->kind);
    tt_wire_u8(w, (unsigned)t->match);
    tt_wire_u32(w, t->parent);
    tt_wire_u32(w, t->n_member);
    for (uint32_t i = 0; i < t->n_member; i++) {
        tt_wire_text(w, t->member[i].name);
        tt_wire_u8(w, (unsigned)t->member[i].kind);
        tt_wire_u32(w, t->member[i].port);
        tt_wire_u32(w, t->member[i].in);
    }
}

void tt_wire_desc(struct tt_wire *w, const struct tt_desc *d)
{
    tt_wire_text(w, d->kind);
    tt_wire_text(w, d->model);
    tt_wire_text(w, d->version);
    tt_wire_text(w, d->tool);
    tt_wire_text(w, d->token);
    put_caps(w, &d->caps);
    TIMES(TT_WIRE_PUT, d)
    tt_wire_u32(w, d->n_log_category);
    for (uint32_t i = 0; i < d->n_log_category; i++)
        tt_wire_text(w, d->log_category[i]);
    tt_wire_u32(w, d->n_port);
    for (uint32_t i = 0; i < d->n_port; i++)
        put_port(w, &d->port[i]);
    for (uint32_t i = 0; i < d->n_port; i++) {
        put_deps(w, &d->run[i]);
        put_deps(w, &d->init[i]);
    }
    tt_wire_u32(w, d->n_terminal);
    for (uint32_t i = 0; i < d->n_terminal; i++)
        put_terminal(w, &d->terminal[i]);
}

/* --- reading ------------------------------------------------------------ */

/* One of the first n of an enumeration. */
static unsigned get_enum(struct tt_wire_in *r, unsigned n)
{
    unsigned v = tt_wire_get_u8(r);

    if (v >= n) {
        r->bad = 1;
        return 0;
    }
    return v;
}

static const struct tt_quantity *get_quantity(struct tt_wire_in *r, tt_arena *a)
{
    struct tt_quantity *q;

    if (!tt_wire_get_flag(r))
        return NULL;
    q = tt_arena_alloc(a, 1, sizeof(*q));
    if (!q) {
        r->bad = 1;
        return NULL;
    }
    q->name = tt_wire_get_text(r, a);
    r->bad |= !q->name;
    q->has_base = (int)tt_wire_get_flag(r);
    for (int i = 0; i < 8; i++)
        q->exponent[i] = (int8_t)tt_wire_get_u8(r);
    QUANTITY(TT_WIRE_GET, q)
    return q;
}

static void get_sizes(struct tt_wire_in *r, tt_arena *a, struct tt_port *p,
                      uint32_t n_port)
{
    uint64_t n = 1;
    uint32_t *dim, *of, n_of;

    p->n = tt_wire_get_u32(r);
    p->n_dim = tt_wire_get_count(r, sizeof(uint32_t));
    dim = tt_arena_alloc(a, p->n_dim, sizeof(*dim));
    of = tt_arena_alloc(a, p->n_dim, sizeof(*of));
    r->bad |= !dim || !of;
    for (uint32_t i = 0; i < p->n_dim && !r->bad; i++) {
        dim[i] = tt_wire_get_u32(r);
        n *= dim[i];
        r->bad |= n > MOST_ELEMENTS;
    }
    n_of = tt_wire_get_count(r, sizeof(uint32_t));
    r->bad |= n != p->n || (n_of && n_of != p->n_dim);
    for (uint32_t i = 0; i < n_of && !r->bad; i++) {
        of[i] = tt_wire_get_u32(r);
        r->bad |= of[i] > n_port;
    }
    p->dim = dim;
    p->dim_of = n_of ? of : NULL;
}

static void get_start(struct tt_wire_in *r, tt_arena *a, struct tt_port *p)
{
    void *start;

    if (!tt_wire_get_flag(r) || r->bad)
        return;
    if (tt_wire_least(p->type, p->n) > (size_t)(r->end - r->at)) {
        r->bad = 1;
        return;
    }
    start = tt_arena_alloc(a, p->n, tt_type_size(p->type));
    r->bad |= !start;
    if (start)
        tt_wire_get_values(r, p->type, p->n, start, NULL);
    p->start = start;
}

static void check_index(struct tt_wire_in *r, uint32_t i, uint32_t n_port,
                        int may_be_none)
{
    r->bad |= i >= n_port && !(may_be_none && i == TT_NONE);
}

static const struct tt_clock *get_clock(struct tt_wire_in *r, tt_arena *a,
                                        const struct tt_port *p)
{
    struct tt_clock *c;

    if (!tt_wire_get_flag(r))
        return NULL;
    c = tt_arena_alloc(a, 1, sizeof(*c));
    r->bad |= !c || p->type != TT_CLOCK;
    if (!c)
        return NULL;
    c->interval = (enum tt_interval)get_enum(r, TT_INTERVAL_N);
    r->bad |= c->interval == TT_INTERVAL_NONE;
    c->deactivates = (int)tt_wire_get_flag(r);
    c->fraction = (int)tt_wire_get_flag(r);
    c->priority = tt_wire_get_u32(r);
    c->period = tt_wire_get_ratio(r);
    c->shift = tt_wire_get_ratio(r);
    r->bad |= !tt_ratio_is(c->shift);
    return c;
}

/* Further clocks it belongs to. */
static void get_also(struct tt_wire_in *r, tt_arena *a, struct tt_port *p,
                     uint32_t n_port)
{
    uint32_t n = tt_wire_get_u32(r), *also = NULL;

    r->bad |= n >= n_port || (n && !p->clock);
    if (!r->bad)
        also = tt_arena_alloc(a, n, sizeof(*also));
    r->bad |= !also;
    for (uint32_t i = 0; !r->bad && i < n; i++) {
        also[i] = tt_wire_get_u32(r);
        check_index(r, also[i], n_port, 0);
    }
    p->also = also;
    p->n_also = r->bad ? 0 : n;
}

static const struct tt_items *get_items(struct tt_wire_in *r, tt_arena *a)
{
    uint32_t n = tt_wire_get_count(r, ITEM_LEAST);
    struct tt_items *items;
    struct tt_item *item;

    if (n == 0 || r->bad)
        return NULL;
    items = tt_arena_alloc(a, 1, sizeof(*items));
    item = tt_arena_alloc(a, n, sizeof(*item));
    r->bad |= !items || !item;
    for (uint32_t i = 0; !r->bad && i < n; i++) {
        item[i].name = tt_wire_get_text(r, a);
        item[i].value = (int64_t)tt_wire_get_u64(r);
        r->bad |= !item[i].name;
    }
    if (r->bad)
        return NULL;
    *items = (struct tt_items){n, item};
    return items;
}

static void get_port(struct tt_wire_in *r, tt_arena *a, struct tt_port *p,
                     uint32_t n_port)
{
    p->name = tt_wire_get_text(r, a);
    r->bad |= !p->name || !*p->name;
    p->text = tt_wire_get_text(r, a);
    p->type = (enum tt_type)get_enum(r, TT_TYPE_N);
    p->causality = (enum tt_causality)get_enum(r, TT_CAUS_INDEPENDENT + 1);
    p->variability = (enum tt_variability)get_enum(r, TT_VAR_CONTINUOUS + 1);
    p->initial = (enum tt_initial)get_enum(r, TT_INIT_CALCULATED + 1);
    p->reactivity = (enum tt_reactivity)get_enum(r, TT_REACT_DELAYED + 1);
    get_sizes(r, a, p, n_port);
    p->quantity = get_quantity(r, a);
    p->relative = (int)tt_wire_get_flag(r);
    p->display_unit = tt_wire_get_text(r, a);
    PORT_RANGE(TT_WIRE_GET, p)
    p->leaps = (int)tt_wire_get_flag(r);
    p->left = tt_wire_get_u32(r);
    p->is_guess = (int)tt_wire_get_flag(r);
    PORT_GUESS(TT_WIRE_GET, p)
    p->begins_by = (int)tt_wire_get_u32(r);
    p->begins_at = tt_wire_get_u32(r);
    p->clock = tt_wire_get_u32(r);
    get_also(r, a, p, n_port);
    p->ticks = get_clock(r, a, p);
    p->hidden = (int)tt_wire_get_flag(r);
    p->course_ok = (int)tt_wire_get_flag(r);
    p->trail_ok = (int)tt_wire_get_flag(r);
    p->line = tt_wire_get_u32(r);
    check_index(r, p->derivative_of, n_port, 1);
    if (p->leaps)
        check_index(r, p->left, n_port, 0);
    if (p->is_guess) {
        check_index(r, p->guess_of, n_port, 0);
        check_index(r, p->guess_with, n_port, 0);
        check_index(r, p->guess_unless, n_port, 0);
    }
    if (p->begins_by)
        check_index(r, p->begins_at, n_port, 0);
    if (p->clock)
        check_index(r, p->clock - 1, n_port, 0);
    get_start(r, a, p);
    p->items = get_items(r, a);
}

static void get_deps(struct tt_wire_in *r, tt_arena *a, struct tt_deps *d,
                     uint32_t n_port)
{
    uint32_t *port;
    uint8_t *kind;

    d->known = (int)tt_wire_get_flag(r);
    d->n = tt_wire_get_count(r, sizeof(uint32_t));
    port = tt_arena_alloc(a, d->n, sizeof(*port));
    kind = tt_arena_alloc(a, d->n, sizeof(*kind));
    r->bad |= !port || !kind || (d->n > 0 && !d->known);
    for (uint32_t i = 0; i < d->n && !r->bad; i++) {
        port[i] = tt_wire_get_u32(r);
        check_index(r, port[i], n_port, 0);
    }
    d->port = port;
    if (!tt_wire_get_flag(r) || !kind)
        return;
    for (uint32_t i = 0; i < d->n && !r->bad; i++)
        kind[i] = (uint8_t)get_enum(r, TT_DEP_DISCRETE + 1);
    d->kind = kind;
}

static void get_caps(struct tt_wire_in *r, struct tt_caps *c)
{
    c->evaluates = (enum tt_evaluates)get_enum(r, TT_EVAL_ALWAYS + 1);
    c->threads = (enum tt_threads)get_enum(r, TT_THREADS_MAIN + 1);
    CAPS_OF_STEPS(TT_WIRE_GET_FLAG, c)
    c->course_order = tt_wire_get_u32(r);
    c->course_exact = (int)tt_wire_get_flag(r);
    c->course_pieces = (int)tt_wire_get_flag(r);
    c->rate_order = tt_wire_get_u32(r);
    CAPS_OF_EVENTS(TT_WIRE_GET_FLAG, c)
    r->bad |= c->course_order > TT_POLY_MAX || c->rate_order > 1000 ||
              (c->serialise && !c->save);
}

static void get_head(struct tt_wire_in *r, tt_arena *a, struct tt_desc *d)
{
    d->kind = tt_wire_get_text(r, a);
    d->model = tt_wire_get_text(r, a);
    r->bad |= !d->kind || !d->model;
    d->version = tt_wire_get_text(r, a);
    d->tool = tt_wire_get_text(r, a);
    d->token = tt_wire_get_text(r, a);
    get_caps(r, &d->caps);
    TIMES(TT_WIRE_GET, d)
    d->log_category = tt_wire_get_texts(r, a, &d->n_log_category);
}

static void get_ports(struct tt_wire_in *r, tt_arena *a, struct tt_desc *d)
{
    struct tt_port *port =
        tt_wire_get_room(r, a, LEAST_PORT, sizeof(*port), &d->n_port);
    struct tt_deps *run, *init;

    run = tt_arena_alloc(a, d->n_port, sizeof(*run));
    init = tt_arena_alloc(a, d->n_port, sizeof(*init));
    r->bad |= !run || !init;
    for (uint32_t i = 0; i < d->n_port && !r->bad; i++) {
        get_port(r, a, &port[i], d->n_port);
        r->bad |= !r->bad && tt_names_add(&d->by_name, port[i].name, i) < 0;
    }
    for (uint32_t i = 0; i < d->n_port && !r->bad; i++) {
        get_deps(r, a, &run[i], d->n_port);
        get_deps(r, a, &init[i], d->n_port);
    }
    r->bad |= d->internal > d->n_port;
    d->port = port;
    d->run = run;
    d->init = init;
}

static void get_members(struct tt_wire_in *r, tt_arena *a,
                        struct tt_terminal *t, uint32_t n_port)
{
    struct tt_member *m =
        tt_wire_get_room(r, a, LEAST_MEMBER, sizeof(*m), &t->n_member);

    for (uint32_t i = 0; i < t->n_member && !r->bad; i++) {
        m[i].name = tt_wire_get_text(r, a);
        r->bad |= !m[i].name;
        m[i].kind = (enum tt_member_kind)get_enum(r, TT_MEMBER_OTHER + 1);
        m[i].port = tt_wire_get_u32(r);
        m[i].in = tt_wire_get_u32(r);
        check_index(r, m[i].port, n_port, 0);
        check_index(r, m[i].in, n_port, 0);
    }
    t->member = m;
}

static void get_terminals(struct tt_wire_in *r, tt_arena *a, struct tt_desc *d)
{
    struct tt_terminal *t =
        tt_wire_get_room(r, a, LEAST_TERMINAL, sizeof(*t), &d->n_terminal);

    for (uint32_t i = 0; i < d->n_terminal && !r->bad; i++) {
        t[i].name = tt_wire_get_text(r, a);
        r->bad |= !t[i].name;
        t[i].text = tt_wire_get_text(r, a);
        t[i].kind = tt_wire_get_text(r, a);
        t[i].match = (enum tt_match)get_enum(r, TT_MATCH_NONE + 1);
        t[i].parent = tt_wire_get_u32(r);
        check_index(r, t[i].parent, i, 1); /* it comes before */
        if (!r->bad)
            get_members(r, a, &t[i], d->n_port);
    }
    d->terminal = t;
}

enum tt_code tt_wire_get_desc(struct tt_wire_in *r, tt_arena *a,
                              struct tt_desc *d, tt_err *err)
{
    *d = (struct tt_desc){0};
    tt_names_init(&d->by_name);
    get_head(r, a, d);
    if (!r->bad)
        get_ports(r, a, d);
    if (!r->bad)
        get_terminals(r, a, d);
    if (r->bad)
        return tt_fail(err, TT_EIO,
                       "the description of the instance is not valid");
    return TT_OK;
}
