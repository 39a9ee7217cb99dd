/* SPDX-License-Identifier: MIT */
/* A unit type's description on the wire. */
#include <string.h>

#include "remote/wire.h"

#define MOST_ELEMENTS ((uint32_t)1 << 24) /* of one port */
#define LEAST_PORT    76u                 /* bytes one takes at least */

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
    tt_wire_f64(w, q->factor);
    tt_wire_f64(w, q->offset);
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
    put_quantity(w, p->quantity);
    tt_wire_u8(w, p->relative != 0);
    tt_wire_text(w, p->display_unit);
    tt_wire_f64(w, p->min);
    tt_wire_f64(w, p->max);
    tt_wire_f64(w, p->nominal);
    tt_wire_u32(w, p->derivative_of);
    tt_wire_u8(w, p->leaps != 0);
    tt_wire_u32(w, p->left);
    tt_wire_u8(w, p->is_guess != 0);
    tt_wire_u32(w, p->guess_of);
    tt_wire_u32(w, p->guess_with);
    tt_wire_u32(w, p->guess_unless);
    tt_wire_u32(w, (uint32_t)p->begins_by);
    tt_wire_u32(w, p->begins_at);
    tt_wire_u8(w, p->hidden != 0);
    tt_wire_u8(w, p->course_ok != 0);
    tt_wire_u32(w, p->line);
    tt_wire_u8(w, p->start != NULL);
    if (p->start)
        tt_wire_values(w, p->type, p->n, p->start);
}

static void put_deps(struct tt_wire *w, const struct tt_deps *d)
{
    tt_wire_u8(w, d->known != 0);
    tt_wire_ports(w, d->port, d->n);
    tt_wire_u8(w, d->kind != NULL);
    for (uint32_t i = 0; d->kind && i < d->n; i++)
        tt_wire_u8(w, d->kind[i]);
}

static void put_caps(struct tt_wire *w, const struct tt_caps *c)
{
    tt_wire_u8(w, (unsigned)c->evaluates);
    tt_wire_u8(w, (unsigned)c->threads);
    tt_wire_u8(w, c->save != 0);
    tt_wire_u8(w, c->serialise != 0);
    tt_wire_u8(w, c->variable_step != 0);
    tt_wire_u8(w, c->max_step != 0);
    tt_wire_u32(w, c->course_order);
    tt_wire_u8(w, c->course_exact != 0);
    tt_wire_u32(w, c->rate_order);
    tt_wire_u8(w, c->directional != 0);
    tt_wire_u8(w, c->event_mode != 0);
    tt_wire_u8(w, c->early_return != 0);
    tt_wire_u8(w, c->once_per_process != 0);
    tt_wire_u8(w, c->implicit != 0);
}

void tt_wire_desc(struct tt_wire *w, const struct tt_desc *d)
{
    tt_wire_text(w, d->kind);
    tt_wire_text(w, d->model);
    tt_wire_text(w, d->version);
    tt_wire_text(w, d->tool);
    tt_wire_text(w, d->token);
    put_caps(w, &d->caps);
    tt_wire_f64(w, d->standard.start);
    tt_wire_f64(w, d->standard.end);
    tt_wire_f64(w, d->standard.tolerance);
    tt_wire_f64(w, d->standard_step);
    tt_wire_f64(w, d->inner_step);
    tt_wire_u32(w, d->inside);
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
    q->factor = tt_wire_get_f64(r);
    q->offset = tt_wire_get_f64(r);
    return q;
}

static void get_sizes(struct tt_wire_in *r, tt_arena *a, struct tt_port *p)
{
    uint64_t n = 1;
    uint32_t *dim;

    p->n = tt_wire_get_u32(r);
    p->n_dim = tt_wire_get_count(r, sizeof(uint32_t));
    dim = tt_arena_alloc(a, p->n_dim, sizeof(*dim));
    r->bad |= !dim;
    for (uint32_t i = 0; i < p->n_dim && !r->bad; i++) {
        dim[i] = tt_wire_get_u32(r);
        n *= dim[i];
        r->bad |= n > MOST_ELEMENTS;
    }
    r->bad |= n != p->n;
    p->dim = dim;
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
        tt_wire_get_values(r, p->type, p->n, start);
    p->start = start;
}

static void check_index(struct tt_wire_in *r, uint32_t i, uint32_t n_port,
                        int may_be_none)
{
    r->bad |= i >= n_port && !(may_be_none && i == TT_NONE);
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
    get_sizes(r, a, p);
    p->quantity = get_quantity(r, a);
    p->relative = (int)tt_wire_get_flag(r);
    p->display_unit = tt_wire_get_text(r, a);
    p->min = tt_wire_get_f64(r);
    p->max = tt_wire_get_f64(r);
    p->nominal = tt_wire_get_f64(r);
    p->derivative_of = tt_wire_get_u32(r);
    p->leaps = (int)tt_wire_get_flag(r);
    p->left = tt_wire_get_u32(r);
    p->is_guess = (int)tt_wire_get_flag(r);
    p->guess_of = tt_wire_get_u32(r);
    p->guess_with = tt_wire_get_u32(r);
    p->guess_unless = tt_wire_get_u32(r);
    p->begins_by = (int)tt_wire_get_u32(r);
    p->begins_at = tt_wire_get_u32(r);
    p->hidden = (int)tt_wire_get_flag(r);
    p->course_ok = (int)tt_wire_get_flag(r);
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
    get_start(r, a, p);
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
    c->save = (int)tt_wire_get_flag(r);
    c->serialise = (int)tt_wire_get_flag(r);
    c->variable_step = (int)tt_wire_get_flag(r);
    c->max_step = (int)tt_wire_get_flag(r);
    c->course_order = tt_wire_get_u32(r);
    c->course_exact = (int)tt_wire_get_flag(r);
    c->rate_order = tt_wire_get_u32(r);
    c->directional = (int)tt_wire_get_flag(r);
    c->event_mode = (int)tt_wire_get_flag(r);
    c->early_return = (int)tt_wire_get_flag(r);
    c->once_per_process = (int)tt_wire_get_flag(r);
    c->implicit = (int)tt_wire_get_flag(r);
    r->bad |= c->course_order > TT_POLY_MAX || c->rate_order > 1000 ||
              (c->serialise && !c->save);
}

static void get_head(struct tt_wire_in *r, tt_arena *a, struct tt_desc *d)
{
    const char **category;

    d->kind = tt_wire_get_text(r, a);
    d->model = tt_wire_get_text(r, a);
    r->bad |= !d->kind || !d->model;
    d->version = tt_wire_get_text(r, a);
    d->tool = tt_wire_get_text(r, a);
    d->token = tt_wire_get_text(r, a);
    get_caps(r, &d->caps);
    d->standard.start = tt_wire_get_f64(r);
    d->standard.end = tt_wire_get_f64(r);
    d->standard.tolerance = tt_wire_get_f64(r);
    d->standard_step = tt_wire_get_f64(r);
    d->inner_step = tt_wire_get_f64(r);
    d->inside = tt_wire_get_u32(r);
    d->n_log_category = tt_wire_get_count(r, sizeof(uint32_t));
    category = tt_arena_alloc(a, d->n_log_category, sizeof(*category));
    r->bad |= !category;
    for (uint32_t i = 0; i < d->n_log_category && !r->bad; i++) {
        category[i] = tt_wire_get_text(r, a);
        r->bad |= !category[i];
    }
    d->log_category = category;
}

static void get_ports(struct tt_wire_in *r, tt_arena *a, struct tt_desc *d)
{
    struct tt_port *port;
    struct tt_deps *run, *init;

    d->n_port = tt_wire_get_count(r, LEAST_PORT);
    port = tt_arena_alloc(a, d->n_port, sizeof(*port));
    run = tt_arena_alloc(a, d->n_port, sizeof(*run));
    init = tt_arena_alloc(a, d->n_port, sizeof(*init));
    r->bad |= !port || !run || !init;
    for (uint32_t i = 0; i < d->n_port && !r->bad; i++) {
        get_port(r, a, &port[i], d->n_port);
        r->bad |= !r->bad && tt_names_add(&d->by_name, port[i].name, i) < 0;
    }
    for (uint32_t i = 0; i < d->n_port && !r->bad; i++) {
        get_deps(r, a, &run[i], d->n_port);
        get_deps(r, a, &init[i], d->n_port);
    }
    d->port = port;
    d->run = run;
    d->init = init;
}

enum tt_code tt_wire_get_desc(struct tt_wire_in *r, tt_arena *a,
                              struct tt_desc *d, tt_err *err)
{
    *d = (struct tt_desc){0};
    tt_names_init(&d->by_name);
    get_head(r, a, d);
    if (!r->bad)
        get_ports(r, a, d);
    if (r->bad)
        return tt_fail(err, TT_EIO, "the description of the unit is not valid");
    return TT_OK;
}
