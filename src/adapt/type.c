/* SPDX-License-Identifier: MIT */
/* Opening a program as a type of units: what it declares of itself. */
#include <string.h>

#include "adapt/type_impl.h"
#include "kinds/builtin.h"
#include "kinds/kinds.h"
#include "sys/file.h"

static const double zero;

/* --- what outputs follow
 * ------------------------------------------------------ */

/* Per slot the inputs that its value may depend on at one instant, as bits. */
struct follow {
    const struct adapted_type *t;
    uint64_t *of;
    uint32_t words;
    int changed;
};

static uint64_t *row(const struct follow *f, uint32_t slot)
{
    return f->of + (size_t)slot * f->words;
}

static void flow(struct follow *f, uint32_t from, uint32_t to)
{
    for (uint32_t w = 0; w < f->words; w++) {
        uint64_t was = row(f, to)[w];

        row(f, to)[w] |= row(f, from)[w];
        f->changed |= row(f, to)[w] != was;
    }
}

static void flow_expr(struct follow *f, uint32_t e, uint32_t to)
{
    const struct sa_code *c = &f->t->code;

    for (uint32_t i = 0; i < c->e[e].n_ref; i++)
        flow(f, c->ref[c->first_ref[e] + i], to);
}

/* Whatever is assigned in a block follows the condition, too, and those of the
 * statements in it. */
static void flow_block(struct follow *f, uint32_t at, uint32_t when)
{
    const struct sa_code *c = &f->t->code;
    uint32_t end = at;

    while (c->op[end].kind != SA_OP_HALT)
        end++;
    for (uint32_t i = at; i < end; i++) {
        if (c->op[i].kind != SA_OP_ASSIGN)
            continue;
        flow_expr(f, c->op[i].e, c->op[i].slot);
        if (when != TT_NONE)
            flow_expr(f, when, c->op[i].slot);
        for (uint32_t k = at; k < end; k++)
            if (c->op[k].kind == SA_OP_UNLESS)
                flow_expr(f, c->op[k].e, c->op[i].slot);
    }
}

static void flow_rules(struct follow *f, const struct sa_code_rules *rules)
{
    const struct sa_code_rule *r = rules->rule;

    for (uint32_t i = 0; i < rules->n; i++) {
        flow_block(f, r[i].first, r[i].when);
        flow_block(f, r[i].second, r[i].when);
        for (uint32_t k = 0; k < i && r[i].when == TT_NONE; k++)
            if (r[k].when != TT_NONE) { /* otherwise */
                flow_block(f, r[i].first, r[k].when);
                flow_block(f, r[i].second, r[k].when);
            }
    }
}

static int feeds(const struct tt_desc *d, uint32_t out, uint32_t in)
{
    if (d->caps.discrete)
        return 0; /* what comes in counts from the next step on */
    if (!d->run || !d->run[out].known)
        return 1;
    for (uint32_t i = 0; i < d->run[out].n; i++)
        if (d->run[out].port[i] == in)
            return 1;
    return 0;
}

static void flow_inner(struct follow *f)
{
    const struct sa_code *c = &f->t->code;

    for (size_t o = 0; o < c->n_sym; o++)
        for (size_t i = 0; c->sym[o].kind == SA_SYM_INNER_OUT && i < c->n_sym;
             i++)
            if (c->sym[i].kind == SA_SYM_INNER_IN && c->sym[i].set &&
                c->sym[i].inner == c->sym[o].inner &&
                feeds(&f->t->l.inner[c->sym[i].inner].type->desc,
                      c->sym[o].port, c->sym[i].port))
                flow(f, c->sym[i].slot, c->sym[o].slot);
    for (uint32_t i = 0; i < c->n_wire; i++)
        flow(f, c->wire[i].from, c->wire[i].to);
}

static int follow_all(struct adapted_type *t, struct follow *f)
{
    const struct sa_code *c = &t->code;

    f->t = t;
    f->words = (t->n_in + 63) / 64 + 1;
    f->of = tt_zalloc((size_t)c->n_slot * f->words, sizeof(*f->of));
    if (!f->of)
        return -1;
    for (size_t i = 0; i < c->n_sym; i++)
        if (c->sym[i].kind == SA_SYM_OWN_IN)
            row(f, c->sym[i].slot)[c->sym[i].port / 64] |=
                1ULL << (c->sym[i].port % 64);
    do {
        f->changed = 0;
        flow_rules(f, &c->in);
        flow_inner(f);
        flow_rules(f, &c->out);
    } while (f->changed);
    return 0;
}

static int set_deps(struct adapted_type *t, const struct follow *f,
                    struct tt_deps *deps, uint32_t port, uint32_t slot)
{
    uint32_t *of =
        tt_arena_alloc(t->l.prog.arena, (size_t)t->n_in + 1, sizeof(*of));
    uint32_t n = 0;

    if (!of)
        return -1;
    for (uint32_t i = 0; i < t->n_in; i++)
        if (row(f, slot)[i / 64] & (1ULL << (i % 64)))
            of[n++] = i;
    deps[port] = (struct tt_deps){.known = 1, .n = n, .port = of};
    t->follows |= n > 0;
    return 0;
}

/* --- ports
 * ---------------------------------------------------------------------- */

static const struct tt_quantity *quantity(struct adapted_type *t,
                                          const char *unit)
{
    struct tt_expr_unit u;
    struct tt_quantity *q;

    if (!unit)
        return NULL;
    if (!TT_NEW_IN(t->l.prog.arena, q, 1))
        return NULL;
    q->name = unit;
    q->factor = 1;
    if (tt_expr_unit_parse(&u, unit, strlen(unit)) == 0) {
        q->has_base = 1;
        memcpy(q->exponent, u.exponent, sizeof(q->exponent));
        q->factor = u.factor;
        q->offset = u.offset;
    }
    return q;
}

static enum tt_type native(enum sa_type t)
{
    return t == SA_BOOL ? TT_BOOL : t == SA_INTEGER ? TT_I32 : TT_F64;
}

static const void *start_of(struct adapted_type *t, enum tt_type type, double v)
{
    void *s = tt_arena_alloc(t->l.prog.arena, 1, 8);

    if (s)
        (void)tt_value_from_double(type, s, v);
    return s ? s : &zero;
}

/* An output that can be given a value to begin with can be so here. */
static void begin_as(const struct adapted_type *t, const struct sa_port *q,
                     struct tt_port *own, uint32_t port)
{
    const struct tt_desc *d = q->is ? &t->l.inner[q->of].type->desc : NULL;
    const struct tt_port *in = d ? &d->port[q->is->port] : NULL;

    if (!in || d->caps.discrete || in->type != own->type ||
        (in->initial != TT_INIT_EXACT && in->initial != TT_INIT_APPROX))
        return;
    own->initial = in->initial;
    own->start = in->start;
    t->through[port] = (struct adapted_through){q->of, q->is->port};
}

static void own_ports(struct adapted_type *t, struct tt_port *port,
                      const sa_ports *list, int input)
{
    static const enum tt_reactivity react[] = {
        [SA_REACT_OPEN] = TT_REACT_EITHER,
        [SA_REACTIVE] = TT_REACT_REACTIVE,
        [SA_DELAYED] = TT_REACT_DELAYED};

    for (size_t i = 0; i < list->n; i++) {
        const struct sa_port *q = &list->v[i];
        enum tt_type type = native(q->type);

        port[i] = (struct tt_port){
            TT_PORT_SCALAR,
            .name = q->name,
            .type = type,
            .quantity = quantity(t, q->unit),
            .causality = input ? TT_CAUS_INPUT : TT_CAUS_OUTPUT,
            .variability = type == TT_F64 ? TT_VAR_CONTINUOUS : TT_VAR_DISCRETE,
            .reactivity = input ? react[t->l.prog.react] : TT_REACT_EITHER,
            .line = q->at->line};
        if (input) {
            const union sa_slot *s = &t->first[t->in_slot[i]];

            port[i].start = start_of(t, type, type == TT_BOOL ? s->b : s->f);
        } else {
            port[i].initial = TT_INIT_CALCULATED;
            begin_as(t, q, &port[i], t->n_in + (uint32_t)i);
        }
    }
}

static uint32_t param_ports(struct adapted_type *t, struct tt_port *port)
{
    uint32_t n = 0;

    for (size_t i = 0; i < t->code.n_sym; i++) {
        struct sa_sym *s = &t->code.sym[i];
        const struct sa_decl *d;
        enum tt_type type = s->is_bool ? TT_BOOL : TT_F64;

        if (s->kind != SA_SYM_PARAM)
            continue;
        d = &t->l.prog.param.v[s->port];
        if (d->implied)
            continue;
        t->param_slot[n] = s->slot;
        port[n] = (struct tt_port){TT_PORT_SCALAR,
                                   .name = s->name,
                                   .type = type,
                                   .causality = TT_CAUS_PARAMETER,
                                   .variability = TT_VAR_FIXED,
                                   .initial = TT_INIT_EXACT,
                                   .line = d->at->line};
        port[n].start = start_of(
            t, type, s->is_bool ? t->first[s->slot].b : t->first[s->slot].f);
        n++;
    }
    return n;
}

static int is_fixed(const struct sa_inner *f, const char *name)
{
    for (size_t i = 0; i < f->fixed.n; i++)
        if (!strcmp(f->fixed.v[i].name, name))
            return 1;
    return 0;
}

/* Parameters and local variables; of the instance that clauses are about all
 * else that these cannot be about, too: texts and arrays. */
static int is_passed(const struct adapted_type *t, uint32_t inner,
                     const struct tt_port *p)
{
    const struct tt_desc *d = &t->l.inner[inner].type->desc;

    if (p->hidden || p->type == TT_CLOCK || p->dim_of || sa_is_face(d, p))
        return 0;
    if (p->causality == TT_CAUS_PARAMETER)
        return !is_fixed(&t->l.prog.inner.v[inner], p->name);
    if (p->causality == TT_CAUS_INPUT)
        return t->l.all_out && inner == 0 && !p->clock;
    if (p->causality == TT_CAUS_OUTPUT) /* differences are not of arrays */
        return t->l.all_out && inner == 0 &&
               !(t->l.prog.differences && tt_type_is_float(p->type));
    return p->causality == TT_CAUS_LOCAL || p->causality == TT_CAUS_CALCULATED;
}

/* Under its own name, or behind that of the unit where it is taken. */
static int pass_on(struct adapted_type *t, struct tt_port *q, uint32_t inner,
                   uint32_t port)
{
    struct tt_desc *d = &t->base.desc;

    *q = t->l.inner[inner].type->desc.port[port];
    q->clock = q->n_also = q->event = 0;
    q->derivative_of = TT_NONE;
    q->course_ok = q->trail_ok = q->leaps = 0;
    if (tt_desc_find(d, q->name) != TT_NONE)
        q->name =
            sa_dotted(t->l.prog.arena, t->l.prog.inner.v[inner].name, q->name);
    if (!q->name || tt_names_add(&d->by_name, q->name, d->n_port) != 0)
        return -1;
    t->through[d->n_port++] = (struct adapted_through){inner, port};
    return 0;
}

static int inner_ports(struct adapted_type *t, struct tt_port *port,
                       struct tt_deps *deps)
{
    for (uint32_t i = 0; i < t->l.prog.inner.n; i++) {
        const struct tt_desc *in = &t->l.inner[i].type->desc;

        for (uint32_t k = 0; k < in->n_port - in->n_element; k++) {
            uint32_t to = t->base.desc.n_port;

            if (!is_passed(t, i, &in->port[k]))
                continue;
            if (pass_on(t, &port[to], i, k) != 0)
                return -1;
            deps[to].known =
                in->port[k].causality != TT_CAUS_OUTPUT || in->caps.discrete;
        }
    }
    return 0;
}

/* Is the value with which an input begins what it is inside, too? */
static int begins_alike(const struct tt_port *in, const struct tt_port *own)
{
    return own->causality != TT_CAUS_INPUT ||
           tt_value_as_double(own->type, own->start) ==
               (in->start ? tt_value_as_double(in->type, in->start) : 0);
}

/* Is each port that of the inner unit, in its type, too? */
static void find_same(struct adapted_type *t, struct tt_port *port,
                      uint32_t *to)
{
    const struct tt_desc *in = &t->l.inner[0].type->desc;

    t->algebra = sa_algebra_of(&t->l, &t->code);
    t->same = t->algebra.is && !t->l.prog.differences &&
              sa_is_identity(&t->l, &t->code, to);
    for (uint32_t i = 0; i < t->n_in + t->n_out && t->same; i++) {
        t->through[i] = (struct adapted_through){0, to[i]};
        t->same = in->port[to[i]].type == port[i].type &&
                  begins_alike(&in->port[to[i]], &port[i]);
    }
    for (uint32_t i = 0; i < t->n_in && t->same; i++)
        port[i].start = in->port[to[i]].start;
}

/* Are there inputs or outputs that rules have nothing to do with? */
static int passes_floats(const struct adapted_type *t)
{
    const struct tt_desc *d = &t->base.desc;

    for (uint32_t i = t->n_in + t->n_out; i < d->n_port; i++)
        if (tt_type_is_float(d->port[i].type) &&
            (d->port[i].causality == TT_CAUS_INPUT ||
             d->port[i].causality == TT_CAUS_OUTPUT))
            return 1;
    return 0;
}

/* FMI 3 has no rates of such outputs, and rules may be about them. */
static int has_floats32(const struct adapted_type *t)
{
    const struct tt_desc *d = &t->l.inner[0].type->desc;

    for (uint32_t i = 0; i < d->n_port; i++)
        if (d->port[i].causality == TT_CAUS_OUTPUT && d->port[i].type == TT_F32)
            return 1;
    return 0;
}

/* Of a program that changes nothing those of the inner unit, of one that only
 * computes what the rules make of them. */
static void derivatives(const struct adapted_type *t, struct tt_caps *c)
{
    const struct tt_caps *in = &t->l.inner[0].type->desc.caps;

    if (t->l.prog.differences) {
        c->directional = 1;
        c->rate_order = 1;
    } else if (t->algebra.is) {
        c->directional = in->directional && (t->same || !passes_floats(t));
        c->rate_order =
            t->same ? in->rate_order : in->rate_order > 0 && !has_floats32(t);
    }
    if (!t->same)
        return;
    c->course_order = in->course_order;
    c->course_exact = in->course_exact;
    c->course_pieces = in->course_pieces;
}

static void capabilities(struct adapted_type *t)
{
    struct tt_caps *c = &t->base.desc.caps;

    *c = (struct tt_caps){.evaluates = TT_EVAL_ALWAYS,
                          .threads = TT_THREADS_ANY,
                          .save = 1,
                          .serialise = 1,
                          .variable_step = 1};
    for (uint32_t i = 0; i < t->l.prog.inner.n; i++) {
        const struct tt_desc *d = &t->l.inner[i].type->desc;

        if (!d->caps.discrete && d->caps.evaluates < c->evaluates)
            c->evaluates = d->caps.evaluates;
        if (d->caps.threads > c->threads)
            c->threads = d->caps.threads;
        c->save &= d->caps.save;
        c->serialise &= d->caps.serialise;
        c->variable_step &= d->caps.variable_step;
        c->once_per_process |= d->caps.once_per_process;
        c->no_init_mode |= d->caps.no_init_mode;
        t->base.desc.inside += d->inside ? d->inside : 1;
    }
    /* Rules that choose the length of inner steps are not asked beforehand. */
    if (t->l.prog.ctrl_implied)
        for (uint32_t i = 0; i < t->l.prog.inner.n; i++)
            c->max_step |= sa_has_next(&t->l.inner[i].type->desc);
    if (!t->mealy)
        c->evaluates = TT_EVAL_ALWAYS;
    derivatives(t, c);
}

static uint32_t most_ports(const struct adapted_type *t)
{
    size_t n = t->l.prog.in.n + t->l.prog.out.n + t->l.prog.param.n;

    for (uint32_t i = 0; i < t->l.prog.inner.n; i++)
        n += t->l.inner[i].type->desc.n_port;
    return (uint32_t)n + 1;
}

static int describe_outputs(struct adapted_type *t, struct tt_deps *deps)
{
    struct follow f = {0};
    int rc = follow_all(t, &f);

    for (size_t i = 0; i < t->code.n_sym && rc == 0; i++)
        if (t->code.sym[i].kind == SA_SYM_OWN_OUT)
            rc = set_deps(t, &f, deps, t->n_in + t->code.sym[i].port,
                          t->code.sym[i].slot);
    tt_free(f.of);
    t->mealy = t->l.prog.feed ? t->l.prog.feed == SA_MEALY : t->follows;
    if (!t->l.sigma)
        t->mealy = 0;
    for (uint32_t i = 0; i < t->n_out && !t->mealy; i++)
        deps[t->n_in + i].n = 0;
    return rc;
}

/* Does a rule ask whether a step may be rejected? Then it does so, and so may
 * what is inside. */
static int asks_to_reject(const struct adapted_type *t)
{
    const struct sa_code *c = &t->code;
    int any = 0;

    for (size_t i = 0; i < c->n_ref; i++)
        any |= c->ref[i] == c->slot_may;
    for (uint32_t i = 0; i < t->l.prog.inner.n; i++)
        any |= t->l.inner[i].type->desc.locates;
    return any;
}

static int describe(struct adapted_type *t)
{
    struct tt_desc *d = &t->base.desc;
    uint32_t most = most_ports(t);
    tt_arena *a = t->l.prog.arena;
    struct tt_port *port = tt_arena_alloc(a, most, sizeof(*port));
    struct tt_deps *deps = tt_arena_alloc(a, most, sizeof(*deps));
    uint32_t *to = tt_arena_alloc(a, most, sizeof(*to));

    t->n_in = (uint32_t)t->l.prog.in.n;
    t->n_out = (uint32_t)t->l.prog.out.n;
    t->through = tt_arena_alloc(a, most, sizeof(*t->through));
    t->param_slot = tt_arena_alloc(a, most, sizeof(*t->param_slot));
    t->in_slot = tt_arena_alloc(a, most, sizeof(*t->in_slot));
    t->out_slot = tt_arena_alloc(a, most, sizeof(*t->out_slot));
    if (!port || !deps || !to || !t->through || !t->param_slot || !t->in_slot ||
        !t->out_slot)
        return -1;
    for (size_t i = 0; i < t->code.n_sym; i++) {
        const struct sa_sym *s = &t->code.sym[i];

        if (s->kind == SA_SYM_OWN_IN)
            t->in_slot[s->port] = s->slot;
        else if (s->kind == SA_SYM_OWN_OUT)
            t->out_slot[s->port] = s->slot;
    }
    for (uint32_t i = 0; i < most; i++)
        deps[i].known = 1;
    own_ports(t, port, &t->l.prog.in, 1);
    own_ports(t, port + t->n_in, &t->l.prog.out, 0);
    t->n_param = param_ports(t, port + t->n_in + t->n_out);
    d->n_port = t->n_in + t->n_out + t->n_param;
    for (uint32_t i = 0; i < d->n_port; i++)
        if (tt_names_add(&d->by_name, port[i].name, i) != 0)
            return -1;
    d->port = port;
    if (inner_ports(t, port, deps) != 0 || describe_outputs(t, deps) != 0)
        return -1;
    find_same(t, port, to);
    d->run = d->init = deps;
    d->locates = asks_to_reject(t);
    d->kind = tt_kind_adapted.name;
    d->model = t->l.prog.name;
    d->standard = (struct tt_experiment){(double)NAN, (double)NAN, (double)NAN};
    d->standard_step = (double)NAN;
    capabilities(t);
    return 0;
}

/* --- the first values
 * ------------------------------------------------------------- */

int adapted_machine(struct adapted_type *t, struct sa_machine *m)
{
    const struct sa_code *c = &t->code;

    m->code = c;
    m->name = t->l.prog.origin.name;
    m->sigma = t->l.sigma;
    m->ref = tt_zalloc(c->n_ref + 1, sizeof(*m->ref));
    for (size_t i = 0; m->ref && i < c->n_ref; i++)
        m->ref[i] = &m->slot[c->ref[i]];
    return m->ref ? 0 : -1;
}

static enum tt_code first_values(struct adapted_type *t, tt_err *err)
{
    struct sa_machine m = {0};
    enum tt_code rc;
    double unused;

    t->first = tt_arena_alloc(t->l.prog.arena, (size_t)t->code.n_slot + 1,
                              sizeof(*t->first));
    m.slot = t->first;
    if (!t->first || adapted_machine(t, &m) != 0)
        return tt_nomem(err, t->l.prog.origin.name);
    rc = sa_run(&m, t->code.init_in, &unused, err);
    if (rc == TT_OK)
        rc = sa_run(&m, t->code.init_param, &unused, err);
    if (rc == TT_OK)
        rc = sa_run(&m, t->code.init_var, &unused, err);
    tt_free(m.ref);
    return rc;
}

/* --- kind
 * ------------------------------------------------------------------------- */

static int adapted_accepts(const struct tt_source *s)
{
    return s->n_clause || (!s->inner && (tt_path_ends(s->path, ".sa") ||
                                         tt_path_ends(s->path, ".SA")));
}

static void adapted_close(tt_unit_type *base)
{
    struct adapted_type *t = (struct adapted_type *)(void *)base;

    if (!t)
        return;
    tt_names_fini(&t->base.desc.by_name);
    sa_unlink(&t->l);
    tt_free(t);
}

/* Differences are those of steps that are taken back. */
static enum tt_code check_differences(const struct sa_linked *l, tt_err *err)
{
    for (uint32_t i = 0; i < l->prog.inner.n && l->prog.differences; i++)
        if (!l->inner[i].type->desc.caps.save)
            return sa_fail(&l->prog, l->prog.at, err, TT_EUNSUPPORTED,
                           "derivatives by differences need steps that are "
                           "taken back, and '%s' cannot save its state",
                           l->prog.inner.v[i].name);
    return TT_OK;
}

static enum tt_code adapted_open(tt_unit_type **out, const struct tt_source *s,
                                 tt_err *err)
{
    struct adapted_type *t;
    enum tt_code rc;

    if (!TT_NEW(t))
        return tt_nomem(err, s->path);
    t->base.kind = &tt_kind_adapted;
    tt_names_init(&t->base.desc.by_name);
    rc = sa_link(&t->l, s, 1, err);
    if (rc == TT_OK)
        rc = sa_rewrite(&t->l, err);
    if (rc == TT_OK)
        rc = sa_compile(&t->code, &t->l, err);
    if (rc == TT_OK)
        rc = check_differences(&t->l, err);
    if (rc == TT_OK)
        rc = first_values(t, err);
    if (rc == TT_OK && describe(t) != 0)
        rc = tt_nomem(err, s->path);
    return TT_HAND_OVER(rc, out, &t->base, adapted_close);
}

static enum tt_code adapted_unpack(tt_unit_type *base, tt_err *err)
{
    struct adapted_type *t = (struct adapted_type *)(void *)base;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < t->l.prog.inner.n && rc == TT_OK; i++)
        if (t->l.inner[i].type->kind->unpack)
            rc = t->l.inner[i].type->kind->unpack(t->l.inner[i].type, err);
    return rc;
}

const struct tt_kind_ops tt_kind_adapted = {
    .name = "adapted",
    .traits = TT_KIND_MADE_OF,
    TT_HOOKS(adapted_, accepts, open, close, make, unpack)};

enum tt_code tt_adapt_explicit(const struct tt_source *s, struct tt_buf *out,
                               tt_err *err)
{
    struct sa_linked l;
    struct sa_code code = {0};
    enum tt_code rc = sa_link(&l, s, 0, err);

    if (rc == TT_OK)
        rc = sa_rewrite(&l, err);
    if (rc == TT_OK)
        rc = sa_compile(&code, &l, err);
    if (rc == TT_OK)
        sa_print(&l, out);
    sa_unlink(&l);
    return rc == TT_OK ? tt_buf_check(out, "the explicit form", err) : rc;
}
