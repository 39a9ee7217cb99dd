/* SPDX-License-Identifier: MIT */
/* Directional derivatives of a composite: the chain rule along what is played
 * at one instant, the init section or again. A SET carries derivatives over
 * connections, a GET asks the unit how its outputs follow.
 *
 * A loop of the init section is at its fixed point x = G(x, u) when it is
 * asked, so that dx = (I - dG/dx)^-1 dG/du du: the body is walked once for
 * dG/du du, once per unknown for dG/dx, and once with dx.
 *
 * What is no float is constant between events and carries nothing. */
#include <string.h>

#include "compose/compose_impl.h"
#include "solve/dense.h"

enum mark {
    STILL,      /* does not follow what is asked about */
    MOVES,      /* follows it, and there is a derivative */
    NO_TANGENT, /* ... and cannot */
};

/* A port of a unit inside that is moved from outside. */
struct seed {
    uint32_t unit, port, n; /* elements */
    const double *dv;
};

struct tangent {
    const tt_plan *p;
    const tt_score *s;
    tt_run *run; /* borrowed; whose units are asked */
    int init;
    struct seed *seed; /* owned: n_seed of at most cap_seed */
    uint32_t n_seed, cap_seed;
    uint32_t *first; /* owned, per slot: its first element in at */
    uint32_t n_at;
    double *at;                /* owned, per element of float slots */
    uint8_t *mark;             /* owned, per slot */
    uint8_t *moved;            /* owned: marks of the ports of one unit */
    uint8_t *asked;            /* owned, per port of the composite */
    uint32_t *known, *unknown; /* owned: ports of one question */
    double *dv_known, *dv_unknown;
};

/* --- making ready --------------------------------------------------------- */

void tangent_free(struct tangent *t)
{
    if (!t)
        return;
    TT_FREE_ALL(t->seed, t->first, t->at, t->mark, t->moved, t->asked, t->known,
                t->unknown, t->dv_known, t->dv_unknown, t);
}

static int is_float(const tt_plan *p, uint32_t slot)
{
    return tt_type_is_float(p->slot[slot].type);
}

/* The most ports of a unit, and the most elements of all its ports. */
static void most_of(const tt_plan *p, size_t *port, size_t *element)
{
    *port = *element = 1;
    for (uint32_t u = 0; u < p->n_unit; u++) {
        const struct tt_desc *d = p->unit[u].desc;
        size_t n = 0;

        for (uint32_t i = 0; i < d->n_port; i++)
            n += d->port[i].n;
        *port = d->n_port > *port ? d->n_port : *port;
        *element = n > *element ? n : *element;
    }
}

static int make_room(struct tangent *t)
{
    const tt_plan *p = t->p;
    size_t port, element;

    if (!TT_NEW_ARRAY(t->first, p->n_slot))
        return 0;
    for (uint32_t s = 0; s < p->n_slot; s++) {
        t->first[s] = t->n_at;
        t->n_at += is_float(p, s) ? p->slot[s].n : 0;
    }
    for (uint32_t i = 0; i < p->n_port; i++)
        t->cap_seed += p->port[i].n_target;
    most_of(p, &port, &element);
    return TT_NEW_ARRAY(t->seed, t->cap_seed) && TT_NEW_ARRAY(t->at, t->n_at) &&
           TT_NEW_ARRAY(t->mark, p->n_slot) && TT_NEW_ARRAY(t->moved, port) &&
           TT_NEW_ARRAY(t->asked, p->n_port) && TT_NEW_ARRAY(t->known, port) &&
           TT_NEW_ARRAY(t->unknown, port) &&
           TT_NEW_ARRAY(t->dv_known, element) &&
           TT_NEW_ARRAY(t->dv_unknown, element);
}

/* NULL: out of memory. */
static struct tangent *tangent_new(tt_run *run)
{
    struct tangent *t;

    if (!TT_NEW(t))
        return NULL;
    t->run = run;
    t->p = tt_run_plan(run);
    t->s = tt_run_score(run);
    if (make_room(t))
        return t;
    tangent_free(t);
    return NULL;
}

static void add_seeds(struct tangent *t, uint32_t port, const double *dv)
{
    const struct tt_plan_port *p = &t->p->port[port];

    for (uint32_t k = 0; k < p->n_target; k++) {
        const struct tt_plan_target *to = &p->target[k];

        t->seed[t->n_seed++] =
            (struct seed){to->unit, to->port,
                          t->p->unit[to->unit].desc->port[to->port].n, dv};
    }
}

/* --- the body of a loop --------------------------------------------------- */

/* The END that belongs to this LOOP. */
static uint32_t end_of(const tt_score *s, uint32_t loop)
{
    uint32_t depth = 1, i = loop;

    while (depth) {
        i++;
        depth += s->op[i].code == TT_OP_LOOP;
        depth -= s->op[i].code == TT_OP_END;
    }
    return i;
}

struct range {
    uint32_t first, end; /* operations */
};

static struct range section_of(const struct tangent *t)
{
    int of = t->init ? TT_SEC_INIT : TT_SEC_AGAIN;

    return (struct range){t->s->section[of].first,
                          t->s->section[of].first + t->s->section[of].n};
}

/* First guesses are read before their loop, which reads them again. */
static int is_first_guess(const struct tangent *t, const struct tt_op *op)
{
    return t->init && (op->flags & TT_OP_CUT);
}

/* --- what follows --------------------------------------------------------- */

/* Marks of all ports of a unit, into t->moved. */
static void mark_ports(struct tangent *t, uint32_t unit)
{
    const struct tt_plan_unit *u = &t->p->unit[unit];
    uint32_t in = u->slot + u->n_read;

    memset(t->moved, STILL, u->desc->n_port);
    for (uint32_t s = in; s < in + u->n_in; s++)
        t->moved[t->p->slot[s].port] = t->mark[s];
    for (uint32_t i = 0; i < t->n_seed; i++)
        if (t->seed[i].unit == unit)
            t->moved[t->seed[i].port] = MOVES;
}

static enum mark worse(enum mark a, enum mark b)
{
    return a > b ? a : b;
}

/* Of an output, from t->moved of its unit. */
static enum mark mark_output(const struct tangent *t, uint32_t slot)
{
    const struct tt_slot *s = &t->p->slot[slot];
    const struct tt_desc *d = t->p->unit[s->unit].desc;
    const struct tt_deps *deps = t->init ? &d->init[s->port] : &d->run[s->port];
    enum mark m = STILL;

    if (!is_float(t->p, slot))
        return STILL;
    for (uint32_t i = 0; deps->known && i < deps->n; i++)
        m = worse(m, t->moved[deps->port[i]]);
    for (uint32_t i = 0; !deps->known && i < d->n_port; i++)
        m = worse(m, t->moved[i]);
    /* what a coupling finds takes a step, not an instant */
    return m == MOVES && (!d->caps.directional || d->caps.implicit) ? NO_TANGENT
                                                                    : m;
}

/* Marks only rise; *rose states that one did. */
static void give_mark(struct tangent *t, uint32_t slot, enum mark m, int *rose)
{
    if (m <= t->mark[slot])
        return;
    t->mark[slot] = (uint8_t)m;
    *rose = 1;
}

static void mark_op(struct tangent *t, const struct tt_op *op, int *rose)
{
    const struct tt_batch *g = &t->s->batch[op->arg];

    if (op->code == TT_OP_GET)
        mark_ports(t, op->unit);
    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t slot = t->s->member[g->first + k];

        if (op->code == TT_OP_GET)
            /* cut, it is read before what it depends on is there */
            give_mark(t, slot,
                      op->flags & TT_OP_CUT && is_float(t->p, slot)
                          ? NO_TANGENT
                          : mark_output(t, slot),
                      rose);
        else if (is_float(t->p, slot))
            give_mark(t, slot, t->mark[t->p->feed[t->p->slot[slot].feed].from],
                      rose);
    }
}

/* Round loops a mark may come from behind: until none rises. */
static void mark_all(struct tangent *t)
{
    struct range r = section_of(t);
    int rose;

    memset(t->mark, STILL, t->p->n_slot);
    do {
        rose = 0;
        for (uint32_t i = r.first; i < r.end; i++) {
            const struct tt_op *op = &t->s->op[i];

            if ((op->code == TT_OP_GET || op->code == TT_OP_SET) &&
                !is_first_guess(t, op))
                mark_op(t, op, &rose);
        }
    } while (rose);
}

/* --- how it follows ------------------------------------------------------- */

static void walk_set(struct tangent *t, const struct tt_op *op)
{
    const struct tt_batch *g = &t->s->batch[op->arg];

    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t in = t->s->member[g->first + k];
        const struct tt_feed *f = &t->p->feed[t->p->slot[in].feed];
        double by = f->how == TT_FEED_LINEAR ? f->factor : 1;

        for (uint32_t e = 0; t->mark[in] && e < t->p->slot[in].n; e++)
            t->at[t->first[in] + e] = by * t->at[t->first[f->from] + e];
    }
}

static size_t add_known(struct tangent *t, struct tt_jvp *j, size_t n,
                        const struct seed *s)
{
    t->known[j->n_known++] = s->port;
    memcpy(t->dv_known + n, s->dv, s->n * sizeof(double));
    return n + s->n;
}

static void list_known(struct tangent *t, uint32_t unit, struct tt_jvp *j)
{
    const struct tt_plan_unit *u = &t->p->unit[unit];
    uint32_t in = u->slot + u->n_read;
    size_t n = 0;

    for (uint32_t s = in; s < in + u->n_in; s++)
        if (t->mark[s])
            n = add_known(t, j, n,
                          &(struct seed){unit, t->p->slot[s].port,
                                         t->p->slot[s].n, t->at + t->first[s]});
    for (uint32_t i = 0; i < t->n_seed; i++)
        if (t->seed[i].unit == unit)
            n = add_known(t, j, n, &t->seed[i]);
}

static enum tt_code walk_get(struct tangent *t, const struct tt_op *op,
                             tt_err *err)
{
    const struct tt_batch *g = &t->s->batch[op->arg];
    const uint32_t *slot = t->s->member + g->first;
    struct tt_jvp j = {TT_SAME(t, unknown, known, dv_known, dv_unknown)};
    const double *from = t->dv_unknown;
    enum tt_code rc;

    for (uint32_t k = 0; k < g->n; k++)
        if (t->mark[slot[k]] == MOVES)
            t->unknown[j.n_unknown++] = t->p->slot[slot[k]].port;
    if (!j.n_unknown)
        return TT_OK;
    list_known(t, op->unit, &j);
    rc = tt_unit_jvp(tt_guest_unit(t->run, op->unit), &j, err);
    for (uint32_t k = 0; k < g->n && rc == TT_OK; k++) {
        uint32_t n = t->p->slot[slot[k]].n;

        if (t->mark[slot[k]] != MOVES)
            continue;
        memcpy(t->at + t->first[slot[k]], from, n * sizeof(double));
        from += n;
    }
    return rc;
}

static enum tt_code walk_plain(struct tangent *t, struct range r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = r.first; i < r.end && rc == TT_OK; i++) {
        const struct tt_op *op = &t->s->op[i];

        if (op->code == TT_OP_SET)
            walk_set(t, op);
        else if (op->code == TT_OP_GET && !is_first_guess(t, op))
            rc = walk_get(t, op, err);
    }
    return rc;
}

/* --- loops ---------------------------------------------------------------- */

struct loop {
    struct range body;
    uint32_t *at; /* owned: the unknowns, as elements of tangent.at */
    uint32_t *pivot;
    uint32_t n;
    double *a, *x; /* owned: I - dG/dx, and dG/du du, then dx */
};

static void loop_fini(struct loop *l)
{
    TT_FREE_ALL(l->at, l->pivot, l->a, l->x);
}

/* What follows neither way need not be solved for. */
static int loop_init(struct loop *l, const struct tangent *t, uint32_t op,
                     uint32_t end)
{
    const struct tt_solver *v = &t->s->solver[t->s->op[op].until - 1];
    size_t n = 0;

    *l = (struct loop){.body = {op + 1, end}};
    for (uint32_t k = 0; k < v->n; k++)
        n += t->p->slot[t->s->member[v->first + k]].n;
    if (!TT_NEW_ARRAY(l->at, n))
        return 0;
    for (uint32_t k = 0; k < v->n; k++) {
        uint32_t slot = t->s->member[v->first + k];

        for (uint32_t e = 0; t->mark[slot] == MOVES && e < t->p->slot[slot].n;
             e++)
            l->at[l->n++] = t->first[slot] + e;
    }
    return TT_NEW_ARRAY(l->pivot, l->n) &&
           TT_NEW_ARRAY(l->a, (size_t)l->n * l->n) && TT_NEW_ARRAY(l->x, l->n);
}

/* The body with the j-th unknown moved by 1 and the others not; TT_NONE: with
 * none. */
static enum tt_code probe(struct tangent *t, const struct loop *l, uint32_t j,
                          tt_err *err)
{
    for (uint32_t i = 0; i < l->n; i++)
        t->at[l->at[i]] = i == j;
    return walk_plain(t, l->body, err);
}

static enum tt_code solve(struct tangent *t, struct loop *l, tt_err *err)
{
    enum tt_code rc = probe(t, l, TT_NONE, err);

    for (uint32_t i = 0; i < l->n; i++)
        l->x[i] = t->at[l->at[i]];
    for (uint32_t j = 0; j < l->n && rc == TT_OK; j++) {
        rc = probe(t, l, j, err);
        for (uint32_t i = 0; i < l->n; i++)
            l->a[(size_t)i * l->n + j] = (i == j) - (t->at[l->at[i]] - l->x[i]);
    }
    if (rc != TT_OK)
        return rc;
    if (tt_lu_factor(l->a, l->pivot, l->n) != 0)
        return tt_fail(err, TT_EUNIT,
                       "a loop inside does not give its derivatives: its "
                       "equations are singular here");
    tt_lu_solve(l->a, l->pivot, l->n, l->x);
    for (uint32_t i = 0; i < l->n; i++)
        t->at[l->at[i]] = l->x[i];
    return walk_plain(t, l->body, err);
}

static enum tt_code walk_loop(struct tangent *t, uint32_t op, uint32_t end,
                              tt_err *err)
{
    struct loop l;
    enum tt_code rc = loop_init(&l, t, op, end) ? TT_OK : composite_nomem(err);

    if (rc == TT_OK)
        rc = l.n ? solve(t, &l, err) : walk_plain(t, l.body, err);
    loop_fini(&l);
    return rc;
}

static enum tt_code walk_all(struct tangent *t, tt_err *err)
{
    struct range r = section_of(t);
    enum tt_code rc = TT_OK;

    memset(t->at, 0, t->n_at * sizeof(*t->at));
    while (r.first < r.end && rc == TT_OK) {
        uint32_t i = r.first;

        r.first = i + 1;
        if (t->s->op[i].code == TT_OP_LOOP) {
            r.first = end_of(t->s, i) + 1;
            rc = walk_loop(t, i, r.first - 1, err);
        } else {
            rc = walk_plain(t, (struct range){i, i + 1}, err);
        }
    }
    return rc;
}

/* --- asking --------------------------------------------------------------- */

/* Of outputs: does any follow inputs, and have all that do derivatives? */
static void look(const struct tangent *t, const struct tt_desc *d, int *any,
                 int *all)
{
    for (uint32_t i = 0; i < d->n_port; i++) {
        enum mark m;

        if (d->port[i].causality != TT_CAUS_OUTPUT)
            continue;
        m = t->mark[t->p->port[i].slot];
        *any |= m == MOVES;
        *all &= m != NO_TANGENT;
    }
}

enum tt_code composite_has_tangent(const struct composite_type *c, int *has,
                                   tt_err *err)
{
    const struct tt_desc *d = &c->base.desc;
    int any = 0, all = 1;
    struct tangent *t = tangent_new(c->run);

    if (!t)
        return composite_nomem(err);
    for (uint32_t i = 0; i < d->n_port; i++)
        if (d->port[i].causality == TT_CAUS_INPUT &&
            tt_type_is_float(d->port[i].type))
            add_seeds(t, i, NULL);
    for (t->init = 0; t->init <= 1; t->init++) {
        mark_all(t);
        look(t, d, &any, &all);
    }
    *has = any && all;
    tangent_free(t);
    return TT_OK;
}

/* Parameters are known while it is initialised; later nothing inside is
 * played for their sake. */
static int may_be_known(const struct tangent *t, enum tt_causality c)
{
    return c == TT_CAUS_INPUT || (t->init && c == TT_CAUS_PARAMETER);
}

static enum tt_code take_knowns(struct tangent *t, const struct tt_desc *d,
                                const struct tt_jvp *j, tt_err *err)
{
    const double *dv = j->dv_known;

    t->n_seed = 0;
    memset(t->asked, 0, d->n_port);
    for (size_t i = 0; i < j->n_known; i++) {
        const struct tt_port *p = &d->port[j->known[i]];

        if (!may_be_known(t, p->causality))
            return tt_fail(err, TT_EUNSUPPORTED,
                           "'%s' is not an input: there is no derivative by it",
                           p->name);
        if (t->asked[j->known[i]]++)
            return tt_fail(err, TT_EINPUT, "'%s' is named twice", p->name);
        add_seeds(t, j->known[i], dv);
        dv += p->n;
    }
    return TT_OK;
}

static enum tt_code give_unknowns(const struct tangent *t,
                                  const struct tt_desc *d,
                                  const struct tt_jvp *j, tt_err *err)
{
    double *dv = j->dv_unknown;

    for (size_t i = 0; i < j->n_unknown; i++) {
        const struct tt_port *p = &d->port[j->unknown[i]];
        uint32_t slot = t->p->port[j->unknown[i]].slot;

        if (slot == TT_NONE || t->mark[slot] == NO_TANGENT)
            return tt_fail(
                err, TT_EUNSUPPORTED, "'%s' %s", p->name,
                slot == TT_NONE
                    ? "is not an output: it has no derivatives"
                    : "follows through an instance without derivatives");
        memcpy(dv, t->at + t->first[slot], p->n * sizeof(*dv));
        dv += p->n;
    }
    return TT_OK;
}

enum tt_code composite_jvp(tt_unit *u, const struct tt_jvp *j, tt_err *err)
{
    struct composite *c = composite_of(u);
    uint32_t was = tt_guest_begin(c->run);
    enum tt_code rc = tt_guest_refresh(c->run, err);

    if (rc == TT_OK && !c->tangent)
        c->tangent = tangent_new(c->run);
    if (rc == TT_OK && !c->tangent)
        rc = composite_nomem(err);
    if (rc != TT_OK)
        return tt_guest_done(c->run, was, rc);
    c->tangent->init = u->life == TT_LIFE_INIT;
    rc = take_knowns(c->tangent, u->desc, j, err);
    if (rc == TT_OK) {
        mark_all(c->tangent);
        rc = walk_all(c->tangent, err);
    }
    if (rc == TT_OK)
        rc = give_unknowns(c->tangent, u->desc, j, err);
    return tt_guest_done(c->run, was, rc);
}
