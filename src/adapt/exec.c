/* SPDX-License-Identifier: MIT */
/* The machine: runs code over slots, and steps inner units. Nothing is
 * allocated. */
#include <math.h>
#include <string.h>

#include "adapt/adapt_impl.h"
#include "base/num.h"

double sa_value(const struct sa_machine *m, uint32_t e)
{
    const struct tt_expr_at at = {
        .t = m->t, .h = m->h_inner, .value = m->ref + m->code->first_ref[e]};

    return tt_expr_value(&m->code->e[e], &at);
}

static inline double either(const struct sa_machine *m, uint32_t e,
                            uint32_t slot)
{
    return slot != TT_NONE ? m->slot[slot].f : sa_value(m, e);
}

static void store(const struct sa_machine *m, uint32_t slot, int is_bool,
                  double v)
{
    if (is_bool)
        m->slot[slot].b = v != 0;
    else
        m->slot[slot].f = v;
}

static enum tt_code fail_at(const struct sa_machine *m, const struct sa_op *o,
                            enum tt_code rc, tt_err *err)
{
    return tt_context(err, rc, "%s:%u:%u", m->name, (unsigned)o->line,
                      (unsigned)o->column);
}

/* --- rules
 * --------------------------------------------------------------------- */

static double pair(const struct sa_machine *m, const struct tt_expr_pair *p)
{
    double x = p->ref[0] != TT_NONE ? m->slot[p->ref[0]].f : p->number[0];
    double y = p->ref[1] != TT_NONE ? m->slot[p->ref[1]].f : p->number[1];

    switch (p->op) {
    case '+':
        return x + y;
    case '-':
        return x - y;
    case '*':
        return x * y;
    case '/':
        return x / y;
    case '<':
        return x < y;
    default:
        return x > y;
    }
}

__attribute__((noinline)) static void compute(const struct sa_machine *m,
                                              const struct sa_op *o)
{
    store(m, o->slot, o->is_bool,
          o->pair.op ? pair(m, &o->pair) : sa_value(m, o->e));
}

static inline void assign(const struct sa_machine *m, const struct sa_op *o)
{
    if (o->from != TT_NONE)
        m->slot[o->slot] = m->slot[o->from];
    else
        compute(m, o);
    if (o->other != TT_NONE)
        m->slot[o->other].b = 1;
}

/* Most blocks are a few assignments. */
static void plain(struct sa_machine *m, uint32_t at)
{
    const struct sa_op *o = &m->code->op[at];
    double unused;

    for (; o->kind == SA_OP_ASSIGN; o++)
        assign(m, o);
    if (o->kind != SA_OP_HALT) {
        enum tt_code rc = sa_run(m, (uint32_t)(o - m->code->op), &unused, NULL);

        (void)rc; /* rules have no calls, and loops are bounded */
    }
}

/* All conditions first, so that what one block assigns does not decide about
 * the next one. */
static void flag(struct sa_machine *m, const struct sa_code_rules *r)
{
    int any = 0;

    for (uint32_t i = 0; i < r->n; i++) {
        const struct sa_code_rule *q = &r->rule[i];
        int holds = q->when == TT_NONE ? !any : sa_value(m, q->when) != 0;

        m->slot[q->flag].b = (uint8_t)holds;
        any |= holds && !q->always;
    }
}

static void judge(struct sa_machine *m, const struct sa_code_rules *r)
{
    if (!r->all)
        flag(m, r);
    for (uint32_t i = 0; i < r->n; i++)
        if (r->all || m->slot[r->rule[i].flag].b)
            plain(m, r->rule[i].first);
}

static void apply(struct sa_machine *m, const struct sa_code_rules *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->all || m->slot[r->rule[i].flag].b)
            plain(m, r->rule[i].second);
}

void sa_run_in(struct sa_machine *m)
{
    judge(m, &m->code->in);
}

void sa_run_out(struct sa_machine *m)
{
    apply(m, &m->code->out);
}

static void map_in(struct sa_machine *m, double h, double dt)
{
    m->h_inner = h;
    m->slot[m->code->slot_dt].f = dt;
    apply(m, &m->code->in);
}

static void map_out(struct sa_machine *m, double h, double dt)
{
    m->h_inner = h;
    m->slot[m->code->slot_dt].f = dt;
    judge(m, &m->code->out);
}

static inline void merge_one(union sa_slot *s)
{
    if (s[2].b)
        s[0] = s[1];
    s[2].b = 0;
}

/* What the control rules assigned since the step before wins. */
static void merge(struct sa_machine *m, const struct sa_live *l)
{
    for (uint32_t b = 0; b < l->n_in; b++)
        for (uint32_t i = 0; i < l->in[b].n; i++)
            merge_one(&m->slot[l->in[b].slot[i]]);
    for (uint32_t i = 0; i < l->n_event; i++)
        if (l->event[i].input)
            merge_one(&m->slot[l->event[i].slot]);
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
        rc = sa_live_set(m, &m->live[i], 0, err);
        if (rc == TT_OK)
            rc = sa_live_get(m, &m->live[i], err);
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
        rc = sa_live_set(m, &m->live[i], 0, err);
    return rc;
}

/* What is set now is what a delayed unit gets next. */
static void keep_inputs(struct sa_machine *m, const struct sa_live *l)
{
    for (uint32_t b = 0; b < l->n_in; b++)
        for (uint32_t i = 0; i < l->in[b].n; i++)
            m->slot[l->in[b].slot[i] + 3] = m->slot[l->in[b].slot[i]];
    for (uint32_t i = 0; i < l->n_event; i++)
        if (l->event[i].input)
            m->slot[l->event[i].slot + 3] = m->slot[l->event[i].slot];
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
    return a == b || fabs(a - b) <= 1e-9 * fmax(1e-3, fmax(fabs(a), fabs(b)));
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
    enum tt_code rc;

    if (m->to - to < h && same_time(to, m->to))
        to = m->to;
    rc = sa_live_step(m, l, to, h, &r, err);
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
    double from = either(m, o->e, o->from), h = either(m, o->e2, o->other),
           dt = from - m->t, taken = 0;
    enum tt_code rc = check_time(l, from, h, err);

    if (rc != TT_OK)
        return rc;
    map_in(m, h, dt);
    merge(m, l);
    rc = sa_live_set(m, l, l->delayed ? 3 : 0, err);
    if (rc == TT_OK && l->delayed)
        keep_inputs(m, l);
    if (rc == TT_OK)
        rc = advance(m, l, from, h, &taken, err);
    if (rc == TT_OK)
        rc = sa_live_get(m, l, err);
    if (rc != TT_OK)
        return rc;
    map_out(m, h, dt);
    m->slot[o->slot].f = taken;
    return TT_OK;
}

static enum tt_code next_step(struct sa_machine *m, const struct sa_op *o,
                              tt_err *err)
{
    double h;
    enum tt_code rc = sa_live_max_step(m, &m->live[o->inner], &h, err);

    m->slot[o->slot].f = isnan(h) ? (double)INFINITY : h;
    return rc;
}

/* Once by each statement of an instance. */
static void warn(struct sa_machine *m, const struct sa_op *o)
{
    uint64_t bit = UINT64_C(1) << (o->other % 64);
    char text[TT_NUM_MAX];

    if (m->warned & bit)
        return;
    m->warned |= bit;
    tt_num_print_short(text, m->t);
    tt_log(m->log, TT_LOG_WARN, "instance '%s': %s:%u:%u: t=%s: %s",
           m->instance, m->name, (unsigned)o->line, (unsigned)o->column, text,
           o->text);
}

static enum tt_code call(struct sa_machine *m, const struct sa_op *o,
                         tt_err *err)
{
    tt_unit *u = m->live[o->inner].u;

    if (o->kind == SA_OP_STEP)
        return step(m, o, err);
    if (o->kind == SA_OP_NEXT)
        return next_step(m, o, err);
    if (o->kind == SA_OP_RESTART)
        return sa_live_restart(m, &m->live[o->inner], o, err);
    if (o->kind == SA_OP_WARN) {
        warn(m, o);
        return TT_OK;
    }
    if (o->kind == SA_OP_FAIL)
        return tt_fail(err, TT_EUNIT, "%s", o->text);
    if (o->kind == SA_OP_SAVE) {
        m->saved[o->inner] = 1;
        sa_events_keep(m, &m->live[o->inner], 0);
        return tt_unit_save(u, m->reg, err);
    }
    if (!m->saved[o->inner])
        return tt_fail(err, TT_EINPUT,
                       "rollback without a state that was saved in this step");
    sa_events_keep(m, &m->live[o->inner], 1);
    return tt_unit_restore(u, m->reg, err);
}

enum tt_code sa_run(struct sa_machine *m, uint32_t at, double *result,
                    tt_err *err)
{
    const struct sa_op *op = m->code->op;
    uint32_t turns = 0;
    enum tt_code rc;

    for (const struct sa_op *o = op + at;; o++) {
        switch (o->kind) {
        case SA_OP_ASSIGN:
            assign(m, o);
            continue;
        case SA_OP_UNLESS:
            if ((o->pair.op ? pair(m, &o->pair) : sa_value(m, o->e)) == 0)
                o = op + o->to - 1;
            continue;
        case SA_OP_JUMP:
            if (o->slot != TT_NONE)
                m->slot[o->slot].f += 1;
            o = op + o->to - 1;
            continue;
        case SA_OP_TURN:
            if (!(m->slot[o->slot].f < m->slot[o->other].f))
                o = op + o->to - 1;
            else if (++turns > SA_TURNS)
                return fail_at(m, o,
                               tt_fail(err, TT_EINPUT,
                                       "more than %u turns of loops in a step",
                                       SA_TURNS),
                               err);
            continue;
        case SA_OP_RETURN:
            *result = sa_value(m, o->e);
            return TT_OK;
        case SA_OP_HALT:
            return TT_OK;
        case SA_OP_STEP:
        case SA_OP_SAVE:
        case SA_OP_ROLLBACK:
        case SA_OP_NEXT:
        case SA_OP_RESTART:
        case SA_OP_WARN:
        case SA_OP_FAIL:
            rc = call(m, o, err);
            if (rc != TT_OK)
                return fail_at(m, o, rc, err);
            continue;
        }
    }
}
