/* SPDX-License-Identifier: MIT */
/* The machine: runs code over slots, and steps inner units. Nothing is
 * allocated. */
#include <math.h>
#include <string.h>

#include "adapt/adapt_impl.h"
#include "base/num.h"

static double value(const struct sa_machine *m, uint32_t e)
{
    const struct tt_expr_at at = {
        .t = m->t, .h = m->h_inner, .value = m->ref + m->code->first_ref[e]};

    return tt_expr_value(&m->code->e[e], &at);
}

static void store(const struct sa_machine *m, uint32_t slot, int is_bool,
                  double v)
{
    if (is_bool)
        m->slot[slot].b = v != 0;
    else
        m->slot[slot].f = v;
}

/* --- values of inner units ---------------------------------------------------
 */

static enum tt_code fail_at(const struct sa_machine *m, const struct sa_op *o,
                            enum tt_code rc, tt_err *err)
{
    return tt_context(err, rc, "%s:%u:%u", m->name, (unsigned)o->line,
                      (unsigned)o->column);
}

static enum tt_code no_fit(const struct sa_live *l, const struct sa_port_io *io,
                           double v, tt_err *err)
{
    char text[TT_NUM_MAX];

    tt_num_print_short(text, v);
    return tt_fail(err, TT_EINPUT, "input '%s' is %s and cannot be %s",
                   l->u->desc->port[io->port].name, tt_type_name(io->type),
                   text);
}

/* Ports of one type stand together: one call each. */
static uint32_t run_of(const struct sa_port_io *io, uint32_t n, uint32_t from)
{
    uint32_t to = from + 1;

    while (to < n && io[to].type == io[from].type)
        to++;
    return to;
}

static enum tt_code set_live(struct sa_machine *m, struct sa_live *l,
                             uint32_t shift, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0, to; i < l->n_in && rc == TT_OK; i = to) {
        size_t size = tt_type_size(l->in[i].type);
        char *v = l->value;

        to = run_of(l->in, l->n_in, i);
        for (uint32_t k = i; k < to; k++, v += size) {
            const union sa_slot *s = &m->slot[l->in[k].slot + shift];
            double d = tt_type_is_bool(l->in[k].type) ? s->b : s->f;

            l->port[k - i] = l->in[k].port;
            if (tt_value_from_double(l->in[k].type, v, d) != 0)
                return no_fit(l, &l->in[k], d, err);
        }
        rc = tt_unit_set(l->u, &(struct tt_span){l->port, to - i, l->value},
                         err);
    }
    return rc;
}

static enum tt_code get_live(struct sa_machine *m, struct sa_live *l,
                             tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0, to; i < l->n_out && rc == TT_OK; i = to) {
        size_t size = tt_type_size(l->out[i].type);
        const char *v = l->value;

        to = run_of(l->out, l->n_out, i);
        for (uint32_t k = i; k < to; k++)
            l->port[k - i] = l->out[k].port;
        rc = tt_unit_get(l->u, &(struct tt_span){l->port, to - i, l->value},
                         err);
        for (uint32_t k = i; k < to && rc == TT_OK; k++, v += size)
            store(m, l->out[k].slot, tt_type_is_bool(l->out[k].type),
                  tt_value_as_double(l->out[k].type, v));
    }
    return rc;
}

/* --- rules
 * --------------------------------------------------------------------- */

static void plain(struct sa_machine *m, uint32_t at)
{
    double unused;
    enum tt_code rc = sa_run(m, at, &unused, NULL);

    (void)rc; /* rules have no calls, and loops are bounded */
}

/* All conditions first, so that what one block assigns does not decide about
 * the next one. */
static void judge(struct sa_machine *m, const struct sa_code_rule *r,
                  uint32_t n)
{
    int any = 0;

    for (uint32_t i = 0; i < n; i++) {
        int holds = r[i].when == TT_NONE ? !any : value(m, r[i].when) != 0;

        m->slot[r[i].flag].b = (uint8_t)holds;
        any |= holds && !r[i].always;
    }
    for (uint32_t i = 0; i < n; i++)
        if (m->slot[r[i].flag].b)
            plain(m, r[i].first);
}

static void apply(struct sa_machine *m, const struct sa_code_rule *r,
                  uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (m->slot[r[i].flag].b)
            plain(m, r[i].second);
}

void sa_run_in(struct sa_machine *m)
{
    judge(m, m->code->in, m->code->n_in);
}

void sa_run_out(struct sa_machine *m)
{
    apply(m, m->code->out, m->code->n_out);
}

static void map_in(struct sa_machine *m, double h, double dt)
{
    m->h_inner = h;
    m->slot[m->code->slot_dt].f = dt;
    apply(m, m->code->in, m->code->n_in);
}

static void map_out(struct sa_machine *m, double h, double dt)
{
    m->h_inner = h;
    m->slot[m->code->slot_dt].f = dt;
    judge(m, m->code->out, m->code->n_out);
}

/* What the control rules assigned since the step before wins. */
static void merge(struct sa_machine *m, const struct sa_live *l)
{
    for (uint32_t i = 0; i < l->n_in; i++) {
        union sa_slot *s = &m->slot[l->in[i].slot];

        if (s[2].b)
            s[0] = s[1];
        s[2].b = 0;
    }
}

static void connect(struct sa_machine *m, uint32_t inner)
{
    for (uint32_t i = 0; i < m->code->n_wire; i++) {
        const struct sa_wire *w = &m->code->wire[i];

        if (w->inner != inner)
            continue;
        if (w->is_bool)
            m->slot[w->to] = m->slot[w->from];
        else
            m->slot[w->to].f = w->factor * m->slot[w->from].f + w->offset;
    }
}

enum tt_code sa_exchange(struct sa_machine *m, tt_err *err)
{
    enum tt_code rc = TT_OK;

    m->slot[m->code->slot_length].f = 0;
    for (uint32_t k = 0; k < m->n_live && rc == TT_OK; k++) {
        uint32_t i = m->sigma ? m->sigma[k] : k;

        map_in(m, 0, 0);
        connect(m, i);
        rc = set_live(m, &m->live[i], 0, err);
        if (rc == TT_OK)
            rc = get_live(m, &m->live[i], err);
        if (rc == TT_OK)
            map_out(m, 0, 0);
    }
    return rc;
}

enum tt_code sa_set_inputs(struct sa_machine *m, tt_err *err)
{
    enum tt_code rc = TT_OK;

    m->slot[m->code->slot_length].f = 0;
    map_in(m, 0, 0);
    for (uint32_t i = 0; i < m->n_live && rc == TT_OK; i++)
        rc = set_live(m, &m->live[i], 0, err);
    return rc;
}

/* What is set now is what a delayed unit gets next. */
static void keep_inputs(struct sa_machine *m, const struct sa_live *l)
{
    for (uint32_t i = 0; i < l->n_in; i++)
        m->slot[l->in[i].slot + 3] = m->slot[l->in[i].slot];
}

void sa_keep_inputs(struct sa_machine *m)
{
    for (uint32_t i = 0; i < m->n_live; i++)
        keep_inputs(m, &m->live[i]);
}

/* --- steps
 * --------------------------------------------------------------------- */

/* Two ways to compute one instant differ by rounding. */
static int same_time(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1e-3, fmax(fabs(a), fabs(b)));
}

static enum tt_code check_time(const struct sa_live *l, double from, double h,
                               tt_err *err)
{
    char a[TT_NUM_MAX], b[TT_NUM_MAX];

    if (!same_time(from, l->u->now)) {
        tt_num_print_short(a, from);
        tt_num_print_short(b, l->u->now);
        return tt_fail(err, TT_EINPUT,
                       "do_step from t=%s: the inner unit stands at t=%s", a,
                       b);
    }
    if (h > 0)
        return TT_OK;
    tt_num_print_short(a, h);
    return tt_fail(err, TT_EINPUT, "do_step by %s: a step is longer than 0", a);
}

static enum tt_code advance(struct sa_machine *m, struct sa_live *l,
                            double from, double h, double *taken, tt_err *err)
{
    double to = from + h;
    struct tt_stepped r;
    struct tt_step s = {.may_restore = 1};
    enum tt_code rc;

    if (same_time(to, m->to))
        to = m->to;
    s.to = to;
    rc = tt_unit_step(l->u, &s, &r, err);
    if (rc != TT_OK)
        return rc;
    m->flags |= r.flags & TT_STEP_TERMINATE;
    *taken = r.reached == to ? h : r.reached - from;
    return TT_OK;
}

static enum tt_code step(struct sa_machine *m, const struct sa_op *o,
                         tt_err *err)
{
    struct sa_live *l = &m->live[o->inner];
    double from = value(m, o->e), h = value(m, o->e2), dt = from - m->t,
           taken = 0;
    enum tt_code rc = check_time(l, from, h, err);

    if (rc != TT_OK)
        return rc;
    map_in(m, h, dt);
    merge(m, l);
    rc = set_live(m, l, l->delayed ? 3 : 0, err);
    if (rc == TT_OK && l->delayed)
        keep_inputs(m, l);
    if (rc == TT_OK)
        rc = advance(m, l, from, h, &taken, err);
    if (rc == TT_OK)
        rc = get_live(m, l, err);
    if (rc != TT_OK)
        return rc;
    map_out(m, h, dt);
    m->slot[o->slot].f = taken;
    return TT_OK;
}

static enum tt_code next_step(struct sa_machine *m, const struct sa_op *o,
                              tt_err *err)
{
    double h = (double)NAN;
    tt_unit *u = m->live[o->inner].u;
    enum tt_code rc =
        u->desc->caps.max_step ? tt_unit_max_step(u, &h, err) : TT_OK;

    m->slot[o->slot].f = isnan(h) ? (double)INFINITY : h;
    return rc;
}

static enum tt_code call(struct sa_machine *m, const struct sa_op *o,
                         tt_err *err)
{
    tt_unit *u = m->live[o->inner].u;

    if (o->kind == SA_OP_STEP)
        return step(m, o, err);
    if (o->kind == SA_OP_NEXT)
        return next_step(m, o, err);
    if (o->kind == SA_OP_SAVE) {
        m->saved[o->inner] = 1;
        return tt_unit_save(u, m->reg, err);
    }
    if (!m->saved[o->inner])
        return tt_fail(err, TT_EINPUT,
                       "rollback without a state that was saved in this step");
    return tt_unit_restore(u, m->reg, err);
}

enum tt_code sa_run(struct sa_machine *m, uint32_t at, double *result,
                    tt_err *err)
{
    const struct sa_op *op = m->code->op;
    uint32_t turns = 0;
    enum tt_code rc;

    for (;; at++) {
        const struct sa_op *o = &op[at];

        switch (o->kind) {
        case SA_OP_ASSIGN:
            store(m, o->slot, o->is_bool, value(m, o->e));
            if (o->other != TT_NONE)
                m->slot[o->other].b = 1;
            continue;
        case SA_OP_UNLESS:
            if (value(m, o->e) == 0)
                at = o->to - 1;
            continue;
        case SA_OP_JUMP:
            if (o->slot != TT_NONE)
                m->slot[o->slot].f += 1;
            at = o->to - 1;
            continue;
        case SA_OP_TURN:
            if (!(m->slot[o->slot].f < m->slot[o->other].f))
                at = o->to - 1;
            else if (++turns > SA_TURNS)
                return fail_at(m, o,
                               tt_fail(err, TT_EINPUT,
                                       "more than %u turns of loops in a step",
                                       SA_TURNS),
                               err);
            continue;
        case SA_OP_RETURN:
            *result = value(m, o->e);
            return TT_OK;
        case SA_OP_HALT:
            return TT_OK;
        case SA_OP_STEP:
        case SA_OP_SAVE:
        case SA_OP_ROLLBACK:
        case SA_OP_NEXT:
            rc = call(m, o, err);
            if (rc != TT_OK)
                return fail_at(m, o, rc, err);
            continue;
        }
    }
}
