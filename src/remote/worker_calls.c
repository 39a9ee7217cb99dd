/* SPDX-License-Identifier: MIT */
/* What each command does to the unit. */
#include <string.h>

#include "remote/worker_impl.h"

#define CALL(name)                                                             \
    static enum tt_code name(struct tt_worker *w, struct tt_wire_in *a,        \
                             struct tt_wire *out, tt_err *err)
/* Nothing to read, nothing to write. */
#define PLAIN(op)                                                              \
    CALL(do_##op)                                                              \
    {                                                                          \
        (void)a;                                                               \
        (void)out;                                                             \
        return tt_unit_##op(w->unit, err);                                     \
    }

enum tt_code tt_worker_nonsense(tt_err *err)
{
    return tt_fail(err, TT_EINPUT, "the message makes no sense");
}

/* --- scratch ------------------------------------------------------------ */

static enum tt_code value_room(struct tt_worker *w, size_t n, size_t size,
                               tt_err *err)
{
    size_t want = n * size + 1;
    void *more;

    if (want <= w->value_size)
        return TT_OK;
    more = tt_resize(w->value, want, 1);
    if (!more)
        return tt_fail(err, TT_ENOMEM, "%zu bytes of values", want);
    w->value = more;
    w->value_size = want;
    return TT_OK;
}

/* A span as the wire has it: ports, and room for their values. */
static enum tt_code read_span(struct tt_worker *w, struct tt_wire_in *a,
                              struct tt_span *s, size_t *elements, tt_err *err)
{
    const struct tt_desc *d = w->unit->desc;
    uint32_t n = tt_wire_get_ports(a, d, w->port, d->n_port);
    size_t size;

    if (a->bad)
        return tt_worker_nonsense(err);
    *elements = tt_desc_elements(d, w->port, n);
    size = n ? tt_type_size(d->port[w->port[0]].type) : 1;
    if (*elements * size > TT_WIRE_MAX)
        return tt_worker_nonsense(err);
    *s = (struct tt_span){.port = w->port, .n = n};
    if (value_room(w, *elements, size, err) != TT_OK)
        return TT_ENOMEM;
    s->value = w->value;
    return TT_OK;
}

static enum tt_type type_of(const struct tt_worker *w, const struct tt_span *s)
{
    return s->n ? w->unit->desc->port[s->port[0]].type : TT_F64;
}

/* --- life --------------------------------------------------------------- */

CALL(do_make)
{
    struct tt_make m = {.log = &w->log, .texts = w->texts};
    enum tt_code rc;

    if (!w->type || w->unit)
        return tt_worker_nonsense(err);
    tt_wire_get_make(a, w->arena, &m, &w->log.least);
    if (a->bad)
        return tt_worker_nonsense(err);
    rc = w->type->kind->make(&w->unit, w->type, &m, err);
    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_ARRAY(w->port, w->unit->desc->n_port + 1) ||
        !TT_NEW_ARRAY(w->piece, w->unit->desc->n_port + 1))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    w->n_piece = w->unit->desc->n_port;
    tt_wire_u8(out, w->unit->desc->caps.max_step != 0);
    return TT_OK;
}

CALL(do_configure)
{
    const struct tt_desc *before = w->unit->desc;
    enum tt_code rc = tt_unit_configure(w->unit, err);

    (void)a;
    if (rc != TT_OK)
        return rc;
    tt_wire_u8(out, w->unit->desc != before); /* sizes may be new */
    if (w->unit->desc == before)
        return TT_OK;
    tt_wire_desc(out, w->unit->desc);
    return tt_worker_resize(w, err);
}

CALL(do_enter_init)
{
    struct tt_experiment e;

    (void)out;
    tt_wire_get_experiment(a, &e);
    return a->bad ? tt_worker_nonsense(err)
                  : tt_unit_enter_init(w->unit, &e, err);
}

CALL(do_exit_init)
{
    enum tt_code rc = tt_unit_exit_init(w->unit, err);

    (void)a;
    tt_wire_u8(out, w->unit->life == TT_LIFE_EVENT);
    return rc;
}

CALL(do_prepare)
{
    uint32_t n = tt_wire_get_u32(a);
    uint32_t spare = tt_wire_get_u32(a);
    enum tt_code rc;

    if (a->bad)
        return tt_worker_nonsense(err);
    tt_unit_spare(w->unit, spare);
    rc = tt_unit_prepare(w->unit, n, err);
    tt_wire_u8(out, w->unit->life == TT_LIFE_EVENT);
    return rc;
}

PLAIN(end)
PLAIN(reset)
PLAIN(event_enter)
PLAIN(event_leave)
PLAIN(packable)

CALL(do_bye)
{
    (void)a;
    (void)out;
    (void)err;
    tt_unit_free(w->unit);
    w->unit = NULL;
    w->done = 1;
    return TT_OK;
}

/* --- values ------------------------------------------------------------- */

CALL(do_get)
{
    struct tt_span s;
    size_t n = 0;
    enum tt_code rc = read_span(w, a, &s, &n, err);

    if (rc == TT_OK)
        rc = tt_unit_get(w->unit, &s, err);
    if (rc == TT_OK)
        tt_wire_values(out, type_of(w, &s), n, s.value, w->texts);
    return rc;
}

CALL(do_set)
{
    const char *key = a->at;
    struct tt_span s;
    size_t n = 0, n_key;
    enum tt_code rc;

    (void)out;
    rc = read_span(w, a, &s, &n, err);
    if (rc != TT_OK)
        return rc;
    n_key = (size_t)(a->at - key);
    tt_wire_get_values(a, type_of(w, &s), n, s.value, w->texts);
    rc = a->bad ? tt_worker_nonsense(err) : tt_unit_set(w->unit, &s, err);
    if (rc == TT_OK)
        tt_worker_learn_set(w, key, n_key, &s);
    return rc;
}

static void get_piece(struct tt_wire_in *a, struct tt_poly *p)
{
    *p = (struct tt_poly){.t0 = tt_wire_get_f64(a)};
    p->order = tt_wire_get_u32(a);
    a->bad |= p->order > TT_POLY_MAX;
    for (uint32_t k = 0; k <= p->order && !a->bad; k++)
        p->c[k] = tt_wire_get_f64(a);
}

/* Where the further pieces of a port's courses lie until its unit has stepped.
 * NULL: out of memory. */
static struct tt_poly *pieces_of(struct tt_worker *w, uint32_t port)
{
    size_t n = w->unit->desc->port[port].n;

    if (!w->piece[port])
        w->piece[port] =
            tt_zalloc(n * (TT_POLY_PIECES - 1), sizeof(**w->piece));
    return w->piece[port];
}

/* The courses of one port. */
static enum tt_code get_courses(struct tt_worker *w, struct tt_wire_in *a,
                                uint32_t port, struct tt_poly *p, tt_err *err)
{
    for (uint32_t i = 0; i < w->unit->desc->port[port].n && !a->bad; i++) {
        struct tt_poly *next = NULL;

        get_piece(a, &p[i]);
        p[i].n_next = tt_wire_get_u32(a);
        a->bad |= p[i].n_next >= TT_POLY_PIECES;
        if (a->bad || !p[i].n_next)
            continue;
        next = pieces_of(w, port);
        if (!next)
            return tt_fail(err, TT_ENOMEM, "pieces of courses");
        next += (size_t)i * (TT_POLY_PIECES - 1);
        p[i].next = next;
        for (uint32_t k = 0; k < p[i].n_next && !a->bad; k++)
            get_piece(a, &next[k]);
    }
    return TT_OK;
}

CALL(do_course)
{
    struct tt_span s;
    size_t n = 0;
    enum tt_code rc = read_span(w, a, &s, &n, err);
    struct tt_poly *p;

    (void)out;
    if (rc != TT_OK)
        return rc;
    if (n > (size_t)(a->end - a->at) / 16)
        return tt_worker_nonsense(err);
    rc = value_room(w, n, sizeof(*p), err);
    p = w->value;
    for (size_t i = 0; i < s.n && rc == TT_OK && !a->bad; i++) {
        rc = get_courses(w, a, s.port[i], p, err);
        p += w->unit->desc->port[s.port[i]].n;
    }
    s.value = NULL;
    if (rc != TT_OK)
        return rc;
    return a->bad ? tt_worker_nonsense(err)
                  : tt_unit_course(w->unit, &s, w->value, err);
}

CALL(do_rates)
{
    struct tt_span s;
    size_t n = 0;
    enum tt_code rc = read_span(w, a, &s, &n, err);
    uint32_t order = tt_wire_get_u32(a);

    if (rc == TT_OK)
        rc = a->bad ? tt_worker_nonsense(err)
                    : tt_unit_rates(w->unit, &s, order, err);
    if (rc == TT_OK)
        tt_wire_values(out, type_of(w, &s), n, s.value, w->texts);
    return rc;
}

CALL(do_jvp)
{
    const struct tt_desc *d = w->unit->desc;
    uint32_t *known = NULL;
    struct tt_jvp j = {.unknown = w->port};
    size_t n_in = 0, n_out;
    double *v;
    enum tt_code rc;

    j.n_unknown = tt_wire_get_ports(a, d, w->port, d->n_port);
    if (!TT_NEW_ARRAY(known, d->n_port + 1))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    j.known = known;
    j.n_known = tt_wire_get_ports(a, d, known, d->n_port);
    n_in = tt_desc_elements(d, known, j.n_known);
    n_out = tt_desc_elements(d, w->port, j.n_unknown);
    a->bad |= n_in > (size_t)(a->end - a->at) / sizeof(*v);
    rc = a->bad ? tt_worker_nonsense(err)
                : value_room(w, n_in + n_out, sizeof(*v), err);
    if (rc == TT_OK) {
        v = w->value;
        tt_wire_get_values(a, TT_F64, n_in, v, NULL);
        j.dv_known = v;
        j.dv_unknown = v + n_in;
        rc = tt_unit_jvp(w->unit, &j, err);
        if (rc == TT_OK)
            tt_wire_values(out, TT_F64, n_out, j.dv_unknown, NULL);
    }
    tt_free(known);
    return rc;
}

/* --- time --------------------------------------------------------------- */

CALL(do_step)
{
    struct tt_step s;
    struct tt_stepped r;
    enum tt_code rc;

    tt_wire_get_step(a, &s);
    if (a->bad)
        return tt_worker_nonsense(err);
    rc = tt_unit_step(w->unit, &s, &r, err);
    if (rc != TT_OK)
        return rc;
    w->rejected = (r.flags & TT_STEP_REJECT) != 0;
    tt_wire_stepped(out, &r);
    return TT_OK;
}

CALL(do_max_step)
{
    double h = 0;
    enum tt_code rc = tt_unit_max_step(w->unit, &h, err);

    (void)a;
    if (rc == TT_OK)
        tt_wire_f64(out, h);
    return rc;
}

CALL(do_event_update)
{
    struct tt_event_result r;
    enum tt_code rc = tt_unit_event_update(w->unit, &r, err);

    (void)a;
    if (rc == TT_OK)
        tt_wire_event(out, &r);
    return rc;
}

/* As many as are in the message. */
static enum tt_code get_timings(struct tt_worker *w, struct tt_wire_in *a,
                                struct tt_timing **t, uint32_t *n, tt_err *err)
{
    enum tt_code rc;

    *n = tt_wire_get_count(a, TT_WIRE_TIMING);
    rc = a->bad ? tt_worker_nonsense(err) : value_room(w, *n, sizeof(**t), err);
    if (rc != TT_OK)
        return rc;
    *t = w->value;
    for (uint32_t i = 0; i < *n; i++)
        tt_wire_get_timing(a, *t + i);
    return a->bad ? tt_worker_nonsense(err) : TT_OK;
}

CALL(do_intervals)
{
    struct tt_timing *t;
    uint32_t n;
    enum tt_code rc = get_timings(w, a, &t, &n, err);

    if (rc == TT_OK)
        rc = tt_unit_intervals(w->unit, t, n, err);
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        tt_wire_timing(out, &t[i]);
    return rc;
}

CALL(do_set_intervals)
{
    struct tt_timing *t;
    uint32_t n;
    enum tt_code rc = get_timings(w, a, &t, &n, err);

    (void)out;
    return rc == TT_OK ? tt_unit_set_intervals(w->unit, t, n, err) : rc;
}

CALL(do_trail)
{
    struct tt_trail_rows r;
    int keep = (int)tt_wire_get_flag(a);
    enum tt_code rc = a->bad ? tt_worker_nonsense(err)
                             : tt_unit_trail(w->unit, keep, &r, err);

    if (rc == TT_OK)
        tt_wire_trail(out, &r);
    return rc;
}

/* --- states ------------------------------------------------------------- */

CALL(do_save)
{
    uint32_t reg = tt_wire_get_u32(a);

    (void)out;
    return a->bad ? tt_worker_nonsense(err) : tt_unit_save(w->unit, reg, err);
}

CALL(do_restore)
{
    uint32_t reg = tt_wire_get_u32(a);

    (void)out;
    w->rejected = 0;
    return a->bad ? tt_worker_nonsense(err)
                  : tt_unit_restore(w->unit, reg, err);
}

CALL(do_pack)
{
    uint32_t reg = tt_wire_get_u32(a);
    struct tt_bytes b = {0};
    enum tt_code rc =
        a->bad ? tt_worker_nonsense(err) : tt_unit_pack(w->unit, reg, &b, err);

    if (rc == TT_OK)
        tt_wire_bytes(out, b.data, b.n);
    tt_free(b.data);
    return rc;
}

CALL(do_unpack)
{
    uint32_t reg = tt_wire_get_u32(a);
    struct tt_bytes b = {0};
    const char *data = tt_wire_get_bytes(a, &b.n);
    enum tt_code rc;

    (void)out;
    if (a->bad)
        return tt_worker_nonsense(err);
    b.data = tt_alloc(b.n); /* units may want it aligned, or write it */
    if (!b.data)
        return tt_fail(err, TT_ENOMEM, "%zu bytes of state", b.n);
    memcpy(b.data, data, b.n);
    rc = tt_unit_unpack(w->unit, reg, &b, err);
    tt_free(b.data);
    return rc;
}

/* --- news --------------------------------------------------------------- */

static struct tt_subscription *subscription_at(struct tt_worker *w, uint32_t id)
{
    if (id == w->n_subscription) {
        if (TT_GROW(w->subscription, w->n_subscription, w->cap_subscription))
            return NULL;
        w->subscription[w->n_subscription++] = (struct tt_subscription){0};
    }
    return &w->subscription[id];
}

/* Sent again, a list replaces itself: so a request can be sent again. */
CALL(do_watch)
{
    const struct tt_desc *d = w->unit->desc;
    uint32_t id = tt_wire_get_u32(a);
    unsigned command = tt_wire_get_u8(a);
    uint32_t order = tt_wire_get_u32(a);
    uint32_t n = tt_wire_get_ports(a, d, w->port, d->n_port);
    struct tt_subscription *v;

    (void)out;
    if (a->bad || id >= TT_WIRE_WATCH_MAX || id > w->n_subscription ||
        (command != TT_WIRE_GET && command != TT_WIRE_RATES &&
         command != TT_WIRE_MAX_STEP) ||
        tt_desc_elements(d, w->port, n) > TT_WIRE_MAX / sizeof(struct tt_text))
        return tt_worker_nonsense(err);
    v = subscription_at(w, id);
    if (!v)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    tt_worker_drop_list(&v->list);
    *v = (struct tt_subscription){.command = (uint8_t)command, .order = order};
    return tt_worker_list(w, &v->list, w->port, n, err);
}

CALL(do_news)
{
    (void)a;
    (void)err;
    tt_worker_put_news(w, out);
    return TT_OK;
}

/* --- the table ---------------------------------------------------------- */

const tt_worker_fn tt_worker_call[TT_WIRE_COUNT] = {
#define X(op, name, wire, lives, claim, shape) [TT_WIRE_##name] = do_##op,
    TT_UNIT_OPS(X)
#undef X
        [TT_WIRE_HELLO] = tt_worker_hello,
    [TT_WIRE_OPEN] = tt_worker_open,
    [TT_WIRE_HAVE] = tt_worker_have,
    [TT_WIRE_PUT] = tt_worker_put,
    [TT_WIRE_MAKE] = do_make,
    [TT_WIRE_WATCH] = do_watch,
    [TT_WIRE_NEWS] = do_news,
    [TT_WIRE_BYE] = do_bye,
};
