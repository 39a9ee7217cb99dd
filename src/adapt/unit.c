/* SPDX-License-Identifier: MIT */
/* Being a unit: a block of slots, and the inner units. */
#include <math.h>
#include <string.h>

#include "adapt/type_impl.h"
#include "base/num.h"

/* --- values -----------------------------------------------------------------
 */

static void show(struct adapted *a)
{
    sa_run_out(&a->m);
    for (uint32_t i = 0; i < a->t->n_out; i++)
        a->shown[i] = a->m.slot[a->t->out_slot[i]];
}

enum tt_code adapted_refresh(struct adapted *a, tt_err *err)
{
    const struct adapted_type *t = a->t;
    struct sa_machine *m = &a->m;
    enum tt_code rc = TT_OK;

    if (a->fresh || a->t->same)
        return TT_OK;
    memcpy(a->before, m->slot, block_size(a));
    m->t = a->k.base.now;
    if (t->mealy || a->k.base.life == TT_LIFE_INIT)
        sa_run_in(m);
    if (m->sigma || a->k.base.life == TT_LIFE_INIT)
        rc = sa_exchange(m, err);
    if (rc == TT_OK)
        show(a);
    memcpy(m->slot, a->before, block_size(a));
    a->fresh = rc == TT_OK;
    return rc;
}

/* Where a port's value is; NULL: in an inner unit. */
static union sa_slot *slot_of(struct adapted *a, uint32_t port)
{
    const struct adapted_type *t = a->t;

    if (port < t->n_in + t->n_out && a->t->same)
        return NULL;
    if (port < t->n_in)
        return &a->m.slot[t->in_slot[port]];
    port -= t->n_in;
    if (port < t->n_out)
        return &a->shown[port];
    port -= t->n_out;
    return port < t->n_param ? &a->m.slot[t->param_slot[port]] : NULL;
}

static enum tt_code out_of_range(const struct tt_port *p, double v, tt_err *err)
{
    char text[TT_NUM_MAX];

    tt_num_print_short(text, v);
    return tt_fail(err, TT_EINPUT, "%s '%s' is %s and cannot be %s",
                   p->causality == TT_CAUS_OUTPUT ? "output" : "parameter",
                   p->name, tt_type_name(p->type), text);
}

static enum tt_code get_one(struct adapted *a, uint32_t port, void *value,
                            tt_err *err)
{
    const union sa_slot *s = slot_of(a, port);
    const struct tt_port *p = &a->k.base.desc->port[port];
    const struct adapted_through *to = &a->t->through[port];
    double v;

    if (!s)
        return tt_unit_get(a->m.live[to->inner].u,
                           &(struct tt_span){&to->port, 1, value}, err);
    if (p->type == TT_F64) {
        memcpy(value, &s->f, sizeof(s->f));
        return TT_OK;
    }
    v = tt_type_is_bool(p->type) ? s->b : s->f;
    return tt_value_from_double(p->type, value, v) == 0
               ? TT_OK
               : out_of_range(p, v, err);
}

static enum tt_code get(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    struct adapted *a = adapted_of(u);
    char *value = s->value;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
        uint32_t p = s->port[i];

        if (p >= a->t->n_in && u->desc->port[p].causality != TT_CAUS_PARAMETER)
            rc = adapted_refresh(a, err);
        if (rc == TT_OK)
            rc = get_one(a, p, value, err);
        value += tt_port_size(&u->desc->port[p]);
    }
    return rc;
}

static enum tt_code set(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    struct adapted *a = adapted_of(u);
    char *value = s->value;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
        uint32_t p = s->port[i], own = a->t->n_in + a->t->n_out;
        const struct tt_port *port = &u->desc->port[p];
        union sa_slot *slot = slot_of(a, p);
        const struct adapted_through *to = &a->t->through[p];

        if (a->t->mealy || p >= a->t->n_in || u->life != TT_LIFE_READY)
            a->fresh = 0;
        if (p >= a->t->n_in && p < own) {
            if (port->initial == TT_INIT_CALCULATED)
                return tt_fail(err, TT_EINPUT, "'%s' is an output", port->name);
            slot = NULL; /* what it begins with */
        }
        if (!slot)
            rc = tt_unit_set(a->m.live[to->inner].u,
                             &(struct tt_span){&to->port, 1, value}, err);
        else if (tt_type_is_bool(port->type))
            slot->b = tt_value_as_double(port->type, value) != 0;
        else
            slot->f = tt_value_as_double(port->type, value);
        if (slot && p >= own)
            a->given[p - own] = 1;
        value += tt_port_size(port);
    }
    return rc;
}

/* --- life --------------------------------------------------------------------
 */

/* One call of each inner unit. */
#define EACH(a, call)                                                          \
    do {                                                                       \
        for (uint32_t i_ = 0; i_ < (a)->m.n_live && rc == TT_OK; i_++) {       \
            tt_unit *inner = (a)->m.live[i_].u;                                \
                                                                               \
            rc = (call);                                                       \
        }                                                                      \
    } while (0)

static enum tt_code configure(tt_unit *u, tt_err *err)
{
    enum tt_code rc = TT_OK;

    EACH(adapted_of(u), tt_unit_configure(inner, err));
    return rc;
}

/* Parameters that were not given follow those that were, variables begin. */
static enum tt_code begin_values(struct adapted *a, tt_err *err)
{
    const struct adapted_type *t = a->t;
    double unused;
    enum tt_code rc;

    memcpy(a->before, a->m.slot, block_size(a));
    for (uint32_t pass = 0; pass <= t->n_param; pass++) {
        rc = sa_run(&a->m, t->code.init_param, &unused, err);
        if (rc != TT_OK)
            return rc;
        for (uint32_t i = 0; i < t->n_param; i++)
            if (a->given[i])
                a->m.slot[t->param_slot[i]] = a->before[t->param_slot[i]];
    }
    return sa_run(&a->m, t->code.init_var, &unused, err);
}

static enum tt_code enter_init(tt_unit *u, const struct tt_experiment *e,
                               tt_err *err)
{
    struct adapted *a = adapted_of(u);
    enum tt_code rc = begin_values(a, err);

    a->fresh = 0;
    a->m.experiment = *e;
    a->m.t = e->start;
    if (rc == TT_OK) {
        sa_run_in(&a->m);
        rc = sa_set_inputs(&a->m, err);
    }
    EACH(a, tt_unit_enter_init(inner, e, err));
    return rc;
}

static enum tt_code exit_init(tt_unit *u, tt_err *err)
{
    struct adapted *a = adapted_of(u);
    enum tt_code rc;

    a->fresh = 0;
    sa_run_in(&a->m);
    rc = sa_exchange(&a->m, err);
    EACH(a, tt_unit_exit_init(inner, err));
    if (rc == TT_OK)
        rc = sa_exchange(&a->m, err);
    sa_keep_inputs(&a->m);
    return rc;
}

static enum tt_code prepare(tt_unit *u, uint32_t n, tt_err *err)
{
    struct adapted *a = adapted_of(u);
    enum tt_code rc = tt_kept_prepare(u, n, err);

    a->n_reg = a->m.reg = n;
    EACH(a, tt_unit_prepare(inner, n + adapted_registers(a->t), err));
    for (uint32_t i = 0; i < a->m.n_live && rc == TT_OK; i++)
        rc = sa_live_bind(&a->m.live[i], err);
    for (uint32_t i = 0; i < a->m.n_live && rc == TT_OK; i++)
        if (a->m.live[i].next != TT_NONE) {
            a->fresh = 0;
            rc = sa_events_begin(&a->m, &a->m.live[i], err);
        }
    return rc;
}

static enum tt_code end(tt_unit *u, tt_err *err)
{
    enum tt_code rc = TT_OK;

    EACH(adapted_of(u), tt_unit_end(inner, err));
    return rc;
}

static enum tt_code set_fixed(struct adapted *a, uint32_t i, tt_err *err)
{
    const struct sa_inner *f = &a->t->l.prog.inner.v[i];
    tt_unit *u = a->m.live[i].u;
    enum tt_code rc = TT_OK;

    for (size_t k = 0; k < f->fixed.n && rc == TT_OK; k++) {
        const struct sa_fixed *q = &f->fixed.v[k];
        uint32_t port = tt_desc_find(u->desc, q->name);
        const struct tt_port *p = &u->desc->port[port];
        uint64_t value = 0;

        rc = tt_value_from_double(p->type, &value, q->value) == 0
                 ? tt_unit_set(u, &(struct tt_span){&port, 1, &value}, err)
                 : out_of_range(p, q->value, err);
    }
    return rc;
}

static enum tt_code reset(tt_unit *u, tt_err *err)
{
    struct adapted *a = adapted_of(u);
    enum tt_code rc = TT_OK;

    a->fresh = 0;
    memcpy(a->m.slot, a->t->first, block_size(a));
    memset(a->given, 0, a->t->n_param);
    EACH(a, tt_unit_reset(inner, err));
    for (uint32_t i = 0; i < a->m.n_live && rc == TT_OK; i++) {
        a->m.live[i].bound = 0;
        rc = set_fixed(a, i, err);
    }
    return rc;
}

static void free_unit(tt_unit *u)
{
    struct adapted *a = adapted_of(u);

    for (uint32_t i = 0; a->m.live && i < a->m.n_live; i++)
        sa_live_fini(&a->m.live[i]);
    TT_FREE_ALL(a->m.live, a->m.ref, a->m.saved, a->before, a->shown, a->given,
                a->stood);
    adapted_free_tangent(a);
    tt_arena_free(a->bound);
    tt_kept_fini(&a->k);
    tt_free(a);
}

/* --- time and states
 * ----------------------------------------------------------- */

static enum tt_code refused_length(double hr, tt_err *err)
{
    char text[TT_NUM_MAX];

    tt_num_print_short(text, hr);
    return tt_fail(err, TT_EINPUT,
                   "the control rules returned %s: the length of a step is "
                   "wanted, longer than 0",
                   text);
}

/* A step that is shorter: where do the inner units stand? */
static void shorter(struct adapted *a, double reached, struct tt_stepped *r)
{
    int moved = 0, there = 1;

    for (uint32_t i = 0; i < a->m.n_live; i++) {
        double now = a->m.live[i].u->now;

        moved |= now != a->stood[i];
        there &= now == a->stood[i] || fabs(now - reached) <= 1e-9 * fabs(now);
    }
    r->reached = reached;
    if (moved && there) {
        r->flags |= TT_STEP_EARLY;
        return;
    }
    r->flags |= TT_STEP_REJECT;
    r->after = moved ? TT_AFTER_NEEDS_RESTORE : TT_AFTER_UNCHANGED;
    if (!moved)
        memcpy(a->m.slot, a->before, block_size(a));
}

enum tt_code adapted_step(tt_unit *u, const struct tt_step *s,
                          struct tt_stepped *r, tt_err *err)
{
    struct adapted *a = adapted_of(u);
    struct sa_machine *m = &a->m;
    double h = s->to - u->now, hr = 0;
    enum tt_code rc;

    if (a->t->same)
        return tt_unit_step(m->live[0].u, s, r, err);
    a->fresh = 0;
    memcpy(a->before, m->slot, block_size(a));
    for (uint32_t i = 0; i < m->n_live; i++)
        a->stood[i] = m->live[i].u->now;
    memset(m->saved, 0, m->n_live);
    m->t = u->now;
    m->to = s->to;
    m->flags = 0;
    m->slot[m->code->slot_length].f = s->h > 0 ? s->h : h;
    h = m->slot[m->code->slot_length].f;
    a->length = h;
    m->slot[m->code->slot_may].b = a->takes_back;
    sa_run_in(m);
    rc = sa_run(m, m->code->ctrl, &hr, err);
    if (rc != TT_OK)
        return rc;
    r->flags |= m->flags;
    if (!(hr > 0))
        return refused_length(hr, err);
    if (hr < h * (1 - 1e-9)) {
        shorter(a, u->now + hr, r);
    } else if (a->t->algebra.stands) {
        show(a);
        a->fresh = 1;
    }
    return TT_OK;
}

/* --- bound calls ------------------------------------------------------------
 */

/* The inner unit's step, which is ours. */
static enum tt_call_result step_inner(const struct tt_call *c,
                                      struct tt_now *now)
{
    struct adapted *a = c->unit;
    struct tt_call call = a->m.live[0].step;
    tt_unit *u = &a->k.base, *inner = a->m.live[0].u;
    uint64_t made = inner->n_step;
    enum tt_call_result got;

    call.from = c->from;
    call.to = c->to;
    got = tt_call_make(&call, now);
    if (TT_UNLIKELY(got == TT_CALL_FAILED))
        return got;
    u->n_step += inner->n_step - made;
    u->now = inner->now;
    if (TT_UNLIKELY(got == TT_CALL_OUTCOME))
        tt_unit_report(u, tt_unit_last(inner));
    return got;
}

static const struct tt_what same_step = {.fn = step_inner,
                                         .verb = TT_VERB_STEP};

static enum tt_code bind(tt_unit *u, enum tt_verb verb, const struct tt_span *s,
                         struct tt_call *c, tt_err *err)
{
    struct adapted *a = adapted_of(u);
    struct tt_span in = {.value = NULL};
    uint32_t *port;

    if (!a->t->same)
        return TT_EUNSUPPORTED;
    if (verb == TT_VERB_STEP) {
        c->what = &same_step;
        c->unit = a;
        return TT_OK;
    }
    if (!TT_NEW_IN(a->bound, port, s->n))
        return tt_fail(err, TT_ENOMEM, "ports of a call");
    for (size_t i = 0; i < s->n; i++) {
        if (s->port[i] >= a->t->n_in + a->t->n_out)
            return TT_EUNSUPPORTED;
        port[i] = a->t->through[s->port[i]].port;
    }
    in = (struct tt_span){port, s->n, s->value};
    return tt_unit_bind(a->m.live[0].u, verb, &in, c, err);
}

static enum tt_code explain(tt_unit *u, const struct tt_call *c, int status,
                            tt_err *err)
{
    const struct sa_live *l = &adapted_of(u)->m.live[0];

    if (c->what == &same_step)
        c = &l->step;
    return tt_unit_explain(l->u, c, &(struct tt_now){.status = status}, err);
}

static enum tt_code max_step(tt_unit *u, double *h, tt_err *err)
{
    struct adapted *a = adapted_of(u);
    enum tt_code rc = TT_OK;
    double least = (double)INFINITY;

    for (uint32_t i = 0; i < a->m.n_live && rc == TT_OK; i++) {
        double one;

        rc = sa_live_max_step(&a->m, &a->m.live[i], &one, err);
        if (one < least)
            least = one;
    }
    *h = least;
    return rc;
}

static enum tt_code save(tt_unit *u, uint32_t reg, tt_err *err)
{
    enum tt_code rc = tt_kept_save(u, reg, err);

    EACH(adapted_of(u), tt_unit_save(inner, reg, err));
    return rc;
}

static enum tt_code restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    enum tt_code rc = tt_kept_restore(u, reg, err);

    adapted_of(u)->fresh = 0;
    EACH(adapted_of(u), tt_unit_restore(inner, reg, err));
    return rc;
}

/* The block, then of each inner unit length and state. */
static enum tt_code pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                         tt_err *err)
{
    struct adapted *a = adapted_of(u);
    enum tt_code rc = tt_kept_pack(u, reg, b, err);

    for (uint32_t i = 0; i < a->m.n_live && rc == TT_OK; i++) {
        struct tt_bytes one = {0};
        uint64_t n;
        char *all;

        rc = tt_unit_pack(a->m.live[i].u, reg, &one, err);
        if (rc != TT_OK)
            break;
        n = one.n;
        all = tt_resize(b->data, b->n + sizeof(n) + one.n, 1);
        if (all) {
            memcpy(all + b->n, &n, sizeof(n));
            if (one.n)
                memcpy(all + b->n + sizeof(n), one.data, one.n);
            b->data = all;
            b->n += sizeof(n) + one.n;
        } else {
            rc = tt_fail(err, TT_ENOMEM, "packing a state");
        }
        tt_free(one.data);
    }
    if (rc != TT_OK) {
        tt_free(b->data);
        *b = (struct tt_bytes){0};
    }
    return rc;
}

static enum tt_code unpack(tt_unit *u, uint32_t reg, const struct tt_bytes *b,
                           tt_err *err)
{
    struct adapted *a = adapted_of(u);
    struct tt_bytes own = {.data = b->data, .n = block_size(a)};
    char *at = b->data;
    size_t left = b->n;
    enum tt_code rc = left >= own.n ? tt_kept_unpack(u, reg, &own, err)
                                    : tt_fail(err, TT_EINPUT,
                                              "the state is of something else");

    at += own.n;
    left -= rc == TT_OK ? own.n : 0;
    for (uint32_t i = 0; i < a->m.n_live && rc == TT_OK; i++) {
        uint64_t n = 0;

        if (left >= sizeof(n))
            memcpy(&n, at, sizeof(n));
        if (left < sizeof(n) || n > left - sizeof(n))
            return tt_fail(err, TT_EINPUT, "the state is of something else");
        at += sizeof(n);
        left -= sizeof(n) + (size_t)n;
        rc = tt_unit_unpack(a->m.live[i].u, reg,
                            &(struct tt_bytes){at, (size_t)n}, err);
        at += n;
    }
    if (rc == TT_OK && left)
        return tt_fail(err, TT_EINPUT, "the state is of something else");
    return rc;
}

static enum tt_code packable(tt_unit *u, tt_err *err)
{
    enum tt_code rc = TT_OK;

    EACH(adapted_of(u), tt_unit_packable(inner, err));
    return rc;
}

static const struct tt_unit_ops unit_ops = {
    .free = free_unit,
    TT_HOOKS(, configure, enter_init, exit_init, prepare, end, reset, get, set,
             max_step, save, restore, pack, unpack, packable, bind, explain),
    TT_HOOKS(adapted_, step, course, rates, jvp)};

/* --- making
 * ---------------------------------------------------------------------- */

static enum tt_code make_inner(struct adapted *a, uint32_t i,
                               const struct tt_make *m, tt_err *err)
{
    tt_unit_type *t = a->t->l.inner[i].type;
    const char *name = a->t->l.prog.inner.v[i].name;
    struct tt_make in = {
        .instance = name,
        TT_SAME(m, log, texts, grown, visible, logging),
        .event_mode = t->desc.caps.discrete,
        .early_return = 0,
        .takes_back = m->takes_back || adapted_registers(a->t),
        TT_SAME(m, copy, experiment, integrator, log_category, n_log_category)};
    struct tt_buf full;
    enum tt_code rc;

    tt_buf_init(&full, 65536);
    tt_buf_fmt(&full, "%s/%s", m->name, name);
    rc = tt_buf_check(&full, "a name", err);
    in.name = full.data;
    a->m.live[i].next = TT_NONE;
    if (rc == TT_OK)
        rc = t->kind->make(&a->m.live[i].u, t, &in, err);
    tt_buf_fini(&full);
    if (rc == TT_OK && !a->t->same &&
        sa_live_make(&a->m.live[i], &a->t->code, i) != 0)
        rc = tt_nomem(err, m->name);
    a->m.live[i].delayed = a->t->l.prog.react == SA_REACTIVE &&
                           a->t->l.prog.ctrl_implied &&
                           a->t->l.prog.inner.v[i].react == SA_DELAYED;
    return rc == TT_OK ? set_fixed(a, i, err) : rc;
}

static enum tt_code fill(struct adapted *a, struct adapted_type *t,
                         const struct tt_make *m, tt_err *err)
{
    uint32_t n = (uint32_t)t->l.prog.inner.n;
    size_t slots = (size_t)t->code.n_slot + 1;
    enum tt_code rc =
        tt_unit_init(&a->k.base, &unit_ops, &t->base.desc, m, err);

    a->t = t;
    if (rc != TT_OK)
        return rc;
    a->m.slot = tt_kept_new(&a->k, slots * sizeof(*a->m.slot));
    if (!a->m.slot || !TT_NEW_ARRAY(a->before, slots) ||
        !TT_NEW_ARRAY(a->shown, (size_t)t->n_out + 1) ||
        !TT_NEW_ARRAY(a->given, (size_t)t->n_param + 1) ||
        !TT_NEW_ARRAY(a->stood, n) || !TT_NEW_ARRAY(a->m.saved, n) ||
        !TT_NEW_ARRAY(a->m.live, n) || adapted_machine(t, &a->m) != 0 ||
        (t->same && !(a->bound = tt_arena_new())))
        return tt_nomem(err, m->name);
    memcpy(a->m.slot, t->first, a->k.size);
    a->m.n_live = n;
    a->m.log = m->log;
    a->m.instance = a->k.base.name;
    a->takes_back = m->takes_back != 0;
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = make_inner(a, i, m, err);
    return rc == TT_OK ? adapted_make_tangent(a, err) : rc;
}

enum tt_code adapted_make(tt_unit **out, tt_unit_type *t,
                          const struct tt_make *m, tt_err *err)
{
    struct adapted *a;
    enum tt_code rc;

    if (!TT_NEW(a))
        return tt_nomem(err, m->name);
    rc = fill(a, (struct adapted_type *)(void *)t, m, err);
    if (rc == TT_OK) {
        *out = &a->k.base;
        return TT_OK;
    }
    free_unit(&a->k.base);
    return tt_context(err, rc, "instance '%s' (adapted)", m->name);
}
