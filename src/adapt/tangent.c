/* SPDX-License-Identifier: MIT */
/* Derivatives of an adaptation: those of its inner unit where it changes
 * nothing, by the rules of calculus where its rules only compute, else by
 * differences where the program asks for them. */
#include <math.h>
#include <string.h>

#include "adapt/type_impl.h"

struct adapted_tangent {
    double *d;            /* owned: per slot, how it changes */
    double *ref;          /* owned: of one expression's references */
    uint32_t *port;       /* owned: of one call of the inner unit */
    double *value;        /* owned: likewise */
    union sa_slot *slot;  /* owned: the block, to come back to */
    double *shown, *rate; /* owned: per output three values; the last rates */
};

enum tt_code adapted_make_tangent(struct adapted *a, tt_err *err)
{
    const struct tt_desc *d = a->k.base.desc;
    size_t slots = (size_t)a->t->code.n_slot + 1, most = d->n_port + 1;
    struct adapted_tangent *g;

    for (uint32_t i = 0; i < a->m.n_live; i++)
        most += a->m.live[i].u->desc->n_port;
    if (!d->caps.directional && !d->caps.rate_order)
        return TT_OK;
    if (!TT_NEW(g))
        return tt_nomem(err, a->k.base.name);
    a->tangent = g;
    return TT_NEW_ARRAY(g->d, slots) &&
                   TT_NEW_ARRAY(g->ref, a->t->code.n_ref + 1) &&
                   TT_NEW_ARRAY(g->port, 2 * most) &&
                   TT_NEW_ARRAY(g->value, 2 * most) &&
                   TT_NEW_ARRAY(g->slot, slots) &&
                   TT_NEW_ARRAY(g->shown, 3 * (size_t)a->t->n_out + 1) &&
                   TT_NEW_ARRAY(g->rate, (size_t)a->t->n_out + 1)
               ? TT_OK
               : tt_nomem(err, a->k.base.name);
}

void adapted_free_tangent(struct adapted *a)
{
    struct adapted_tangent *g = a->tangent;

    if (!g)
        return;
    TT_FREE_ALL(g->d, g->ref, g->port, g->value, g->slot, g->shown, g->rate);
    tt_free(g);
}

static double shown_value(const struct adapted *a, uint32_t out)
{
    const struct tt_port *p = &a->k.base.desc->port[a->t->n_in + out];

    return tt_type_is_bool(p->type) ? a->shown[out].b : a->shown[out].f;
}

/* --- through the rules ---------------------------------------------------- */

static void move_block(struct adapted *a, uint32_t at)
{
    const struct sa_code *c = &a->t->code;
    struct adapted_tangent *g = a->tangent;

    for (const struct sa_op *o = &c->op[at]; o->kind != SA_OP_HALT; o++) {
        const tt_expr *e = &c->e[o->e];
        const void *const *ref = a->m.ref + c->first_ref[o->e];
        const struct tt_expr_at now = {.t = a->m.t, .value = ref};
        const struct tt_expr_way way = {.a = g->ref};

        for (uint32_t i = 0; i < e->n_ref; i++)
            g->ref[i] = g->d[c->ref[c->first_ref[o->e] + i]];
        g->d[o->slot] = o->is_bool ? 0 : tt_expr_jet(e, &now, &way).a;
    }
}

static void move_rules(struct adapted *a, const struct sa_code_rules *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        move_block(a, r->rule[i].first);
    for (uint32_t i = 0; i < r->n; i++)
        move_block(a, r->rule[i].second);
}

/* The floats among the ports of batches, with how they change, or with
 * derivatives that are to go back there. */
static uint32_t gather(const struct adapted_tangent *g,
                       const struct sa_batch *b, uint32_t n, uint32_t *port,
                       double *value)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < b[i].n && tt_type_is_float(b[i].type); k++) {
            port[found] = b[i].port[k];
            value[found++] = g->d[b[i].slot[k]];
        }
    return found;
}

static void scatter(struct adapted_tangent *g, const struct sa_batch *b,
                    uint32_t n, const double *value)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < b[i].n && tt_type_is_float(b[i].type); k++)
            g->d[b[i].slot[k]] = *value++;
}

static enum tt_code inner_jvp(struct adapted *a, tt_err *err)
{
    struct adapted_tangent *g = a->tangent;
    const struct sa_live *l = &a->m.live[0];
    uint32_t n_in = gather(g, l->in, l->n_in, g->port, g->value);
    uint32_t n_out =
        gather(g, l->out, l->n_out, g->port + n_in, g->value + n_in);
    const struct tt_jvp j = {.known = g->port,
                             .n_known = n_in,
                             .dv_known = g->value,
                             .unknown = g->port + n_in,
                             .n_unknown = n_out,
                             .dv_unknown = g->value + n_in};
    enum tt_code rc = tt_unit_jvp(l->u, &j, err);

    if (rc == TT_OK)
        scatter(g, l->out, l->n_out, g->value + n_in);
    return rc;
}

/* Rates of what is read of the inner unit, batch by batch. */
static enum tt_code inner_rates(struct adapted *a, tt_err *err)
{
    struct adapted_tangent *g = a->tangent;
    const struct sa_live *l = &a->m.live[0];
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < l->n_out && rc == TT_OK; i++) {
        const struct sa_batch *b = &l->out[i];
        char *v = (char *)g->value;

        if (!tt_type_is_float(b->type))
            continue;
        rc = tt_unit_rates(l->u, &(struct tt_span){b->port, b->n, v}, 1, err);
        for (uint32_t k = 0; k < b->n && rc == TT_OK; k++) {
            g->d[b->slot[k]] = tt_value_as_double(b->type, v);
            v += tt_type_size(b->type);
        }
    }
    return rc;
}

/* The values that the rules have here stand in the slots while derivatives go
 * through them. */
static enum tt_code
through(struct adapted *a,
        enum tt_code (*inner)(struct adapted *a, tt_err *err), tt_err *err)
{
    struct sa_machine *m = &a->m;
    enum tt_code rc;

    memcpy(a->tangent->slot, m->slot, block_size(a));
    m->t = a->k.base.now;
    sa_run_in(m);
    rc = sa_exchange(m, err);
    if (rc == TT_OK)
        move_rules(a, &m->code->in);
    if (rc == TT_OK)
        rc = inner(a, err);
    if (rc == TT_OK)
        move_rules(a, &m->code->out);
    memcpy(m->slot, a->tangent->slot, block_size(a));
    return rc;
}

static void still(struct adapted *a)
{
    for (uint32_t i = 0; i < a->t->code.n_slot; i++)
        a->tangent->d[i] = 0;
}

static enum tt_code jvp_through(struct adapted *a, const struct tt_jvp *j,
                                tt_err *err)
{
    enum tt_code rc;

    still(a);
    for (size_t i = 0; i < j->n_known; i++)
        a->tangent->d[a->t->in_slot[j->known[i]]] += j->dv_known[i];
    rc = through(a, inner_jvp, err);
    for (size_t i = 0; i < j->n_unknown && rc == TT_OK; i++)
        j->dv_unknown[i] =
            a->tangent->d[a->t->out_slot[j->unknown[i] - a->t->n_in]];
    return rc;
}

/* --- by differences ------------------------------------------------------- */

/* A part of the inputs, of the direction that is asked for. */
#define PART 1e-5

static double scale_of(const struct adapted *a, const struct tt_jvp *j)
{
    double value = 1, way = 0;

    for (size_t i = 0; i < j->n_known; i++) {
        value = fmax(value, fabs(a->m.slot[a->t->in_slot[j->known[i]]].f));
        way = fmax(way, fabs(j->dv_known[i]));
    }
    return way > 0 ? PART * value / way : 0;
}

/* Outputs, with inputs that are off by so much of the direction. */
static enum tt_code beside(struct adapted *a, const struct tt_jvp *j, double s,
                           double *out, tt_err *err)
{
    enum tt_code rc;

    for (size_t i = 0; i < j->n_known; i++)
        a->m.slot[a->t->in_slot[j->known[i]]].f += s * j->dv_known[i];
    a->fresh = 0;
    rc = adapted_refresh(a, err);
    for (uint32_t i = 0; i < a->t->n_out; i++)
        out[i] = shown_value(a, i);
    memcpy(a->m.slot, a->tangent->slot, block_size(a));
    a->fresh = 0;
    return rc;
}

static enum tt_code jvp_by_differences(struct adapted *a,
                                       const struct tt_jvp *j, tt_err *err)
{
    double s = scale_of(a, j), *high = a->tangent->shown;
    double *low = high + a->t->n_out;
    enum tt_code rc;

    memcpy(a->tangent->slot, a->m.slot, block_size(a));
    rc = beside(a, j, s, high, err);
    if (rc == TT_OK)
        rc = beside(a, j, -s, low, err);
    for (size_t i = 0; i < j->n_unknown && rc == TT_OK; i++) {
        uint32_t o = j->unknown[i] - a->t->n_in;

        j->dv_unknown[i] = s > 0 ? (high[o] - low[o]) / (2 * s) : 0;
    }
    /* What the inner units were given last is what they have: bring that back.
     */
    return rc == TT_OK ? adapted_refresh(a, err) : rc;
}

static double apart(const struct adapted *a)
{
    double d = a->t->l.prog.difference;

    return d > 0 ? d : a->length > 0 ? 1e-4 * a->length : 1e-6;
}

/* One step on from where it stands, and the outputs there. *d becomes its
 * length; 0: it is not made. */
static enum tt_code step_on(struct adapted *a, double *d, double *out,
                            tt_err *err)
{
    tt_unit *u = &a->k.base;
    double from = u->now;
    const struct tt_step s = {.to = from + *d};
    struct tt_stepped r = {.reached = s.to};
    enum tt_code rc = adapted_step(u, &s, &r, err);

    if (rc != TT_OK)
        return rc;
    *d = r.flags & TT_STEP_REJECT ? 0 : r.reached - from;
    u->now = from + *d;
    if (!(r.flags & TT_STEP_REJECT))
        rc = adapted_refresh(a, err);
    for (uint32_t i = 0; i < a->t->n_out; i++)
        out[i] = shown_value(a, i);
    return rc;
}

/* Two steps ahead, a parabola; where the second is not made, a line; where
 * none is, the rates it had. */
static enum tt_code look_ahead(struct adapted *a, tt_err *err)
{
    uint32_t n = a->t->n_out;
    double *y = a->tangent->shown, d = apart(a), first = d, second = d;
    enum tt_code rc = adapted_refresh(a, err);

    for (uint32_t i = 0; i < n; i++)
        y[i] = shown_value(a, i);
    if (rc == TT_OK)
        rc = step_on(a, &first, y + n, err);
    if (rc == TT_OK && first > 0)
        rc = step_on(a, &second, y + (size_t)2 * n, err);
    for (uint32_t i = 0; i < n && rc == TT_OK && first > 0; i++)
        a->tangent->rate[i] =
            fabs(second - first) <= 1e-6 * first
                ? (-3 * y[i] + 4 * y[n + i] - y[2 * n + i]) / (2 * first)
                : (y[n + i] - y[i]) / first;
    return rc;
}

static enum tt_code rates_by_differences(struct adapted *a, tt_err *err)
{
    tt_unit *u = &a->k.base;
    double now = u->now, length = a->length;
    uint32_t reg = a->n_reg + adapted_registers(a->t) - 1;
    enum tt_code rc = TT_OK, back;

    if (now + 2 * apart(a) > a->m.experiment.end)
        return TT_OK;
    for (uint32_t i = 0; i < a->m.n_live && rc == TT_OK; i++)
        rc = tt_unit_save(a->m.live[i].u, reg, err);
    if (rc != TT_OK)
        return rc;
    memcpy(a->tangent->slot, a->m.slot, block_size(a));
    rc = look_ahead(a, err);
    memcpy(a->m.slot, a->tangent->slot, block_size(a));
    u->now = now;
    a->length = length;
    a->fresh = 0;
    for (uint32_t i = 0; i < a->m.n_live; i++) {
        back = tt_unit_restore(a->m.live[i].u, reg, rc == TT_OK ? err : NULL);
        rc = rc == TT_OK ? back : rc;
    }
    return rc;
}

/* --- operations ----------------------------------------------------------- */

static const uint32_t *ports_inside(struct adapted *a, const uint32_t *port,
                                    size_t n, uint32_t *room)
{
    for (size_t i = 0; i < n; i++)
        room[i] = a->t->through[port[i]].port;
    return room;
}

static enum tt_code check_known(const struct adapted *a, const struct tt_jvp *j,
                                tt_err *err)
{
    const struct tt_port *p = a->k.base.desc->port;

    for (size_t i = 0; i < j->n_known; i++)
        if (j->known[i] >= a->t->n_in)
            return tt_fail(err, TT_EUNSUPPORTED,
                           "derivatives are those along inputs, and '%s' is "
                           "none",
                           p[j->known[i]].name);
    for (size_t i = 0; i < j->n_unknown; i++)
        if (j->unknown[i] < a->t->n_in ||
            j->unknown[i] >= a->t->n_in + a->t->n_out)
            return tt_fail(err, TT_EUNSUPPORTED,
                           "derivatives are those of outputs, and '%s' is none",
                           p[j->unknown[i]].name);
    return TT_OK;
}

enum tt_code adapted_jvp(tt_unit *u, const struct tt_jvp *j, tt_err *err)
{
    struct adapted *a = adapted_of(u);
    struct tt_jvp in = *j;
    enum tt_code rc = check_known(a, j, err);

    if (rc != TT_OK)
        return rc;
    if (a->t->same) {
        in.known = ports_inside(a, j->known, j->n_known, a->tangent->port);
        in.unknown = ports_inside(a, j->unknown, j->n_unknown,
                                  a->tangent->port + j->n_known);
        return tt_unit_jvp(a->m.live[0].u, &in, err);
    }
    return a->t->l.prog.differences ? jvp_by_differences(a, j, err)
                                    : jvp_through(a, j, err);
}

static enum tt_code own_rates(struct adapted *a, tt_err *err)
{
    enum tt_code rc;

    if (a->t->l.prog.differences)
        return rates_by_differences(a, err);
    still(a);
    rc = through(a, inner_rates, err);
    for (uint32_t i = 0; i < a->t->n_out && rc == TT_OK; i++)
        a->tangent->rate[i] = a->tangent->d[a->t->out_slot[i]];
    return rc;
}

enum tt_code adapted_rates(tt_unit *u, const struct tt_span *s, uint32_t order,
                           tt_err *err)
{
    struct adapted *a = adapted_of(u);
    char *v = s->value;
    enum tt_code rc;

    if (a->t->same)
        return tt_unit_rates(
            a->m.live[0].u,
            &(struct tt_span){ports_inside(a, s->port, s->n, a->tangent->port),
                              s->n, s->value},
            order, err);
    rc = own_rates(a, err);
    for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
        const struct tt_port *p = &u->desc->port[s->port[i]];
        const struct adapted_through *to = &a->t->through[s->port[i]];
        uint32_t out = s->port[i] - a->t->n_in;

        if (out < a->t->n_out)
            (void)!tt_value_from_double(p->type, v, a->tangent->rate[out]);
        else /* passed on as it is */
            rc = tt_unit_rates(a->m.live[to->inner].u,
                               &(struct tt_span){&to->port, 1, v}, order, err);
        v += tt_port_size(p);
    }
    return rc;
}

enum tt_code adapted_course(tt_unit *u, const struct tt_span *s,
                            const struct tt_poly *p, tt_err *err)
{
    struct adapted *a = adapted_of(u);
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
        struct tt_span one = {&a->t->through[s->port[i]].port, 1, NULL};

        rc = tt_unit_course(a->m.live[0].u, &one, &p[i], err);
    }
    return rc;
}
