/* SPDX-License-Identifier: MIT */
/* Contract rules: values, courses, derivatives, events. */
#include "unit/contract_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* --- get and set ------------------------------------------------------- */

void contract_starts(struct contract *k)
{
    tt_unit *u = contract_init(k, "starts");

    for (uint32_t i = 0; u && i < u->desc->n_port; i++) {
        const struct tt_port *p = &u->desc->port[i];
        void *v;
        tt_err err;

        if (!p->start || !contract_settable(k, u, i))
            continue;
        v = tt_zalloc(1, tt_port_size(p));
        TT_ASSERT(v);
        if (contract_ok(k, tt_unit_get(u, &(struct tt_span){&i, 1, v}, &err),
                        &err, "get") &&
            !contract_equal(u, i, v, p->start))
            contract_violated(k, "'%s' does not start as declared", p->name);
        tt_free(v);
    }
    tt_unit_free(u);
}

/* Set port i to its which-th probe and read it back. */
static void round_trip(struct contract *k, tt_unit *u, uint32_t i,
                       uint32_t which, const char *when)
{
    void *in = contract_probe(u, i, which);
    void *out = tt_zalloc(1, tt_port_size(&u->desc->port[i]));
    tt_err err;

    TT_ASSERT(out);
    if (contract_ok(k, tt_unit_set(u, &(struct tt_span){&i, 1, in}, &err), &err,
                    "set") &&
        contract_ok(k, tt_unit_get(u, &(struct tt_span){&i, 1, out}, &err),
                    &err, "get") &&
        !contract_equal(u, i, in, out))
        contract_violated(k, "'%s' (%s) does not keep what was set %s",
                          u->desc->port[i].name,
                          tt_type_name(u->desc->port[i].type), when);
    tt_free(in);
    tt_free(out);
}

void contract_round_trip(struct contract *k)
{
    tt_unit *u = contract_init(k, "trip");

    for (uint32_t i = 0; u && i < u->desc->n_port; i++)
        if (contract_settable(k, u, i))
            round_trip(k, u, i, 1, "in initialisation");
    u = contract_go_ready(k, u, 0);
    for (uint32_t i = 0; u && i < u->desc->n_port; i++)
        if (contract_is_input(k, u, i))
            round_trip(k, u, i, 2, "after it");
    tt_unit_free(u);
}

/* All settable ports of one type in one call, then read one by one. */
static void batch_of(struct contract *k, tt_unit *u, enum tt_type type)
{
    const struct tt_desc *d = u->desc;
    uint32_t *port = tt_zalloc(d->n_port + 1, sizeof(*port));
    unsigned char *in, *out, *v;
    size_t n = 0, size = 0;
    tt_err err;

    TT_ASSERT(port);
    for (uint32_t i = d->n_port; i-- > 0;) /* not in the order of the ports */
        if (d->port[i].type == type && contract_settable(k, u, i)) {
            port[n++] = i;
            size += tt_port_size(&d->port[i]);
        }
    v = in = tt_zalloc(1, size + 1);
    out = tt_zalloc(1, size + 1);
    TT_ASSERT(in && out);
    for (size_t i = 0; i < n; i++) {
        void *probe = contract_probe(u, port[i], (uint32_t)i);

        memcpy(v, probe, tt_port_size(&d->port[port[i]]));
        v += tt_port_size(&d->port[port[i]]);
        tt_free(probe);
    }
    if (contract_ok(k, tt_unit_set(u, &(struct tt_span){port, n, in}, &err),
                    &err, "set") &&
        contract_ok(k, tt_unit_get(u, &(struct tt_span){port, n, out}, &err),
                    &err, "get")) {
        v = out;
        for (size_t i = 0; i < n; i++) {
            if (!contract_equal(u, port[i], v, in + (v - out)))
                contract_violated(k, "'%s' differs when set with others",
                                  d->port[port[i]].name);
            v += tt_port_size(&d->port[port[i]]);
        }
    }
    tt_free(port);
    tt_free(in);
    tt_free(out);
}

void contract_batch(struct contract *k)
{
    tt_unit *u = contract_init(k, "batch");

    for (int t = 0; u && t < TT_TYPE_N; t++)
        batch_of(k, u, (enum tt_type)t);
    tt_unit_free(u);
}

void contract_empty_span(struct contract *k)
{
    tt_unit *u = contract_ready(k, "empty", 0);
    struct tt_span none = {NULL, 0, NULL};
    struct tt_now now = {.pc = 0};
    struct tt_call c;
    tt_err err;

    if (!u)
        return;
    contract_ok(k, tt_unit_get(u, &none, &err), &err, "get");
    contract_ok(k, tt_unit_set(u, &none, &err), &err, "set");
    for (int verb = TT_VERB_GET; verb <= TT_VERB_SET; verb++)
        if (contract_ok(k, tt_unit_bind(u, (enum tt_verb)verb, &none, &c, &err),
                        &err, "bind") &&
            tt_call_make(&c, &now) != TT_CALL_OK)
            contract_violated(k, "a bound call for no ports fails");
    tt_unit_free(u);
}

void contract_unknown_port(struct contract *k)
{
    tt_unit *u = contract_ready(k, "unknown", 0);
    uint32_t port = u ? u->desc->n_port : 0;
    double v = 0;
    struct tt_span s = {&port, 1, &v};
    struct tt_call c;
    char words[64];
    tt_err err = {.msg = ""};

    if (!u)
        return;
    snprintf(words, sizeof(words), "there is no port %u", (unsigned)port);
    contract_refused(k, u, tt_unit_get(u, &s, &err), TT_EINPUT, &err, "get");
    contract_message(k, &err, words, "get");
    contract_refused(k, u, tt_unit_set(u, &s, &err), TT_EINPUT, &err, "set");
    contract_message(k, &err, words, "set");
    contract_refused(k, u, tt_unit_bind(u, TT_VERB_GET, &s, &c, &err),
                     TT_EINPUT, &err, "bind");
    contract_message(k, &err, words, "bind");
    contract_step(k, u, contract_time(k, 1)); /* and nothing is broken */
    tt_unit_free(u);
}

void contract_mixed_types(struct contract *k)
{
    tt_unit *u = contract_init(k, "mixed");
    uint32_t pair[2] = {0, 0};
    unsigned char room[2 * sizeof(struct tt_text)];
    tt_err err = {.msg = ""};

    for (uint32_t i = 1; u && i < u->desc->n_port; i++)
        if (u->desc->port[i].type != u->desc->port[0].type &&
            u->desc->port[i].n == 1 && u->desc->port[0].n == 1)
            pair[1] = i;
    if (u && pair[1] != 0) {
        struct tt_span s = {pair, 2, room};

        contract_refused(k, u, tt_unit_get(u, &s, &err), TT_EINPUT, &err,
                         "get");
        contract_message(k, &err, u->desc->port[pair[1]].name, "get");
    }
    tt_unit_free(u);
}

/* --- courses ----------------------------------------------------------- */

static uint32_t float_port(const struct contract *k, const tt_unit *u,
                           enum tt_causality causality)
{
    for (uint32_t i = 0; i < u->desc->n_port; i++) {
        const struct tt_port *p = &u->desc->port[i];

        if (p->causality == causality && tt_type_is_float(p->type) &&
            p->n == 1 &&
            (causality != TT_CAUS_INPUT || contract_is_input(k, u, i)))
            return i;
    }
    return TT_NONE;
}

static void course_orders(struct contract *k, tt_unit *u, uint32_t port)
{
    struct tt_poly p = {.t0 = u->now, .c = {0.5, 0.25, 0.125, 0.0625}};
    struct tt_poly next = {.t0 = contract_time(k, 1), .c = {0.5}};
    struct tt_span s = {&port, 1, NULL};
    uint32_t max = u->desc->caps.course_order;
    tt_err err = {.msg = ""};

    for (p.order = 0; p.order <= max; p.order++)
        contract_ok(k, tt_unit_course(u, &s, &p, &err), &err, "course");
    if (max < TT_POLY_MAX)
        contract_refused(k, u, tt_unit_course(u, &s, &p, &err), TT_EINPUT, &err,
                         "a course of too high order");
    p.order = 0;
    p.next = &next;
    p.n_next = 1;
    if (!u->desc->caps.course_pieces)
        contract_refused(k, u, tt_unit_course(u, &s, &p, &err), TT_EINPUT, &err,
                         "a course of two pieces");
    next.order = max + 1;
    if (u->desc->caps.course_pieces && max < TT_POLY_MAX)
        contract_refused(k, u, tt_unit_course(u, &s, &p, &err), TT_EINPUT, &err,
                         "a further piece of too high order");
}

/* A constant course and a set value are the same thing, and so are two pieces
 * of one. */
static void course_holds(struct contract *k, tt_unit *u, uint32_t port)
{
    tt_unit *held = contract_ready(k, "held", 0);
    void *v = contract_probe(u, port, 3);
    struct tt_poly p = {.t0 = u->now,
                        .c = {tt_value_as_double(u->desc->port[port].type, v)}};
    struct tt_poly next = p;
    void *a = NULL, *b = NULL;
    tt_err err;

    next.t0 = (u->now + contract_time(k, 1)) / 2;
    p.next = &next;
    p.n_next = u->desc->caps.course_pieces != 0;
    if (held &&
        contract_ok(
            k, tt_unit_course(u, &(struct tt_span){&port, 1, NULL}, &p, &err),
            &err, "course") &&
        contract_ok(k, tt_unit_set(held, &(struct tt_span){&port, 1, v}, &err),
                    &err, "set") &&
        contract_step(k, u, contract_time(k, 1)) &&
        contract_step(k, held, contract_time(k, 1))) {
        a = contract_values(k, u);
        b = contract_values(k, held);
        contract_same(k, u, a, b, "a constant course and a held value");
    }
    tt_free(v);
    tt_free(a);
    tt_free(b);
    tt_unit_free(held);
}

void contract_course(struct contract *k)
{
    tt_unit *u = contract_ready(k, "course", 0);
    uint32_t port = 0;
    struct tt_poly p = {.order = 0};
    tt_err err = {.msg = ""};

    if (!u)
        return;
    if (u->desc->caps.course_order == 0) {
        contract_refused(
            k, u,
            tt_unit_course(u, &(struct tt_span){&port, 0, NULL}, &p, &err),
            TT_EUNSUPPORTED, &err, "course");
        contract_message(k, &err, "cannot take courses of its inputs",
                         "course");
    } else {
        port = float_port(k, u, TT_CAUS_INPUT);
        if (port != TT_NONE && u->desc->port[port].course_ok) {
            course_orders(k, u, port);
            course_holds(k, u, port);
        }
    }
    tt_unit_free(u);
}

/* --- derivatives ------------------------------------------------------- */

void contract_rates(struct contract *k)
{
    tt_unit *u = contract_ready(k, "rates", 0);
    uint32_t port = u ? float_port(k, u, TT_CAUS_OUTPUT) : TT_NONE;
    double v[1] = {0};
    struct tt_span s = {&port, 1, v};
    tt_err err = {.msg = ""};

    if (u && u->desc->caps.rate_order == 0) {
        s.n = 0;
        contract_refused(k, u, tt_unit_rates(u, &s, 1, &err), TT_EUNSUPPORTED,
                         &err, "rates");
        contract_message(k, &err, "cannot give derivatives of its outputs",
                         "rates");
    } else if (u && port != TT_NONE && contract_drive(k, u, 1)) {
        uint32_t max = u->desc->caps.rate_order;

        for (uint32_t i = 1; i <= max; i++)
            if (contract_ok(k, tt_unit_rates(u, &s, i, &err), &err, "rates") &&
                !isfinite(tt_value_as_double(u->desc->port[port].type, v)))
                contract_violated(k, "derivative %u of '%s' is not a number",
                                  (unsigned)i, u->desc->port[port].name);
        contract_refused(k, u, tt_unit_rates(u, &s, 0, &err), TT_EINPUT, &err,
                         "derivative 0");
        contract_refused(k, u, tt_unit_rates(u, &s, max + 1, &err), TT_EINPUT,
                         &err, "one derivative more");
    }
    tt_unit_free(u);
}

/* y after u was set to v. */
static double output_for(struct contract *k, tt_unit *unit, uint32_t u,
                         uint32_t y, double v)
{
    double in[1], out[1] = {0};
    tt_err err;

    (void)tt_value_from_double(unit->desc->port[u].type, in, v);
    contract_ok(k, tt_unit_set(unit, &(struct tt_span){&u, 1, in}, &err), &err,
                "set");
    contract_ok(k, tt_unit_get(unit, &(struct tt_span){&y, 1, out}, &err), &err,
                "get");
    return tt_value_as_double(unit->desc->port[y].type, out);
}

/* Central difference against the directional derivative for one pair. */
static void check_pair(struct contract *k, tt_unit *unit, uint32_t u,
                       uint32_t y)
{
    double tolerance = k->s->tolerance > 0 ? k->s->tolerance : 1e-6;
    double eps = 1e-4, at = 0.5, seed = 1, got = (double)NAN, want;
    struct tt_jvp j = {.unknown = &y,
                       .known = &u,
                       .n_unknown = 1,
                       .n_known = 1,
                       .dv_known = &seed,
                       .dv_unknown = &got};
    tt_err err;

    want = (output_for(k, unit, u, y, at + eps) -
            output_for(k, unit, u, y, at - eps)) /
           (2 * eps);
    (void)output_for(k, unit, u, y, at);
    if (contract_ok(k, tt_unit_jvp(unit, &j, &err), &err, "jvp") &&
        !(fabs(got - want) <= tolerance * (1 + fabs(want))))
        contract_violated(k, "d'%s'/d'%s' does not agree with differences",
                          unit->desc->port[y].name, unit->desc->port[u].name);
}

void contract_jvp(struct contract *k)
{
    tt_unit *u = contract_init(k, "jvp"); /* where outputs follow inputs */
    struct tt_jvp none = {.n_unknown = 0};
    tt_err err = {.msg = ""};

    if (!u)
        return;
    if (!u->desc->caps.directional) {
        contract_refused(k, u, tt_unit_jvp(u, &none, &err), TT_EUNSUPPORTED,
                         &err, "jvp");
        contract_message(k, &err, "cannot give directional derivatives", "jvp");
        tt_unit_free(u);
        return;
    }
    contract_ok(k, tt_unit_jvp(u, &none, &err), &err, "jvp of nothing");
    for (uint32_t y = 0; y < u->desc->n_port; y++)
        for (uint32_t i = 0; i < u->desc->n_port; i++)
            if (u->desc->port[y].causality == TT_CAUS_OUTPUT &&
                tt_type_is_float(u->desc->port[y].type) &&
                u->desc->port[y].n == 1 && contract_is_input(k, u, i) &&
                tt_type_is_float(u->desc->port[i].type) &&
                u->desc->port[i].n == 1 && u->life == TT_LIFE_INIT)
                check_pair(k, u, i, y);
    tt_unit_free(u);
}

/* --- events ------------------------------------------------------------ */

void contract_events(struct contract *k)
{
    tt_unit *u = contract_ready(k, "events", 0);
    struct tt_event_result r = {.again = 1};
    tt_err err = {.msg = ""};
    int i;

    if (!u)
        return;
    if (!u->desc->caps.event_mode) {
        contract_refused(k, u, tt_unit_event_enter(u, &err), TT_EUNSUPPORTED,
                         &err, "event_enter");
        contract_message(k, &err, "cannot handle events", "event_enter");
        tt_unit_free(u);
        return;
    }
    contract_refused(k, u, tt_unit_event_update(u, &r, &err), TT_ESTATE, &err,
                     "event_update out of event mode");
    if (!contract_ok(k, tt_unit_event_enter(u, &err), &err, "event_enter"))
        goto out;
    for (i = 0; r.again && i < 100; i++)
        if (!contract_ok(k, tt_unit_event_update(u, &r, &err), &err,
                         "event_update"))
            goto out;
    if (r.again)
        contract_violated(k, "it asks for a hundredth event update");
    contract_ok(k, tt_unit_event_leave(u, &err), &err, "event_leave");
    contract_step(k, u, contract_time(k, 1));
out:
    tt_unit_free(u);
}
