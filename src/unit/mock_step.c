/* SPDX-License-Identifier: MIT */
/* What the mock does in time: integrate, follow courses, give outcomes. */
#include "unit/mock_impl.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

/* Let inputs with a live course have their value of time t. */
static void follow(struct mock *m, double t)
{
    for (uint32_t i = 0; i < m->spec->n_port; i++) {
        const struct tt_port *p = &m->base.desc->port[i];

        for (uint32_t k = 0; m->live[i] && k < p->n; k++) {
            double u = tt_poly_at(&m->course[i][k], t);

            if (p->type == TT_F64)
                ((double *)m->value[i])[k] = u;
            else
                ((float *)m->value[i])[k] = (float)u;
        }
    }
}

static void slope(struct mock *m, double t, double *dx)
{
    struct tt_mock_view v = mock_view(m, t);

    follow(m, t);
    m->spec->behaviour.derivative(&v, dx);
}

/* One step of the classical Runge-Kutta method: x(t) to x(t + h). k1 .. k4 are
 * the four slopes, x0 the state at t. */
static void runge_kutta(struct mock *m, double t, double h)
{
    uint32_t n = m->spec->behaviour.n_x;
    double *x = m->x, *x0 = m->work, *k1 = x0 + n, *k2 = k1 + n, *k3 = k2 + n,
           *k4 = k3 + n;

    memcpy(x0, x, n * sizeof(*x));
    slope(m, t, k1);
    for (uint32_t i = 0; i < n; i++)
        x[i] = x0[i] + h / 2 * k1[i];
    slope(m, t + h / 2, k2);
    for (uint32_t i = 0; i < n; i++)
        x[i] = x0[i] + h / 2 * k2[i];
    slope(m, t + h / 2, k3);
    for (uint32_t i = 0; i < n; i++)
        x[i] = x0[i] + h * k3[i];
    slope(m, t + h, k4);
    for (uint32_t i = 0; i < n; i++)
        x[i] = x0[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}

static void spend_courses(struct mock *m)
{
    memset(m->live, 0, m->spec->n_port);
}

static void tape_saw(const struct mock *m, double t)
{
    struct tt_buf *tape = m->spec->tape;
    char u[TT_NUM_MAX], at[TT_NUM_MAX];

    if (!tape || m->spec->port != tt_mock_recorder.port)
        return;
    tt_num_print_short(u, *(double *)m->value[0]);
    tt_num_print_short(at, t);
    tt_buf_fmt(tape, "; %s.saw u=%s@%s", m->label, u, at);
}

static void advance(struct mock *m, double h, double to)
{
    const struct tt_mock_behaviour *b = &m->spec->behaviour;
    uint32_t n = m->spec->sub_steps ? m->spec->sub_steps : 1;
    struct tt_mock_view v = mock_view(m, to);

    for (uint32_t i = 0; b->derivative && i < n; i++)
        runge_kutta(m, m->base.now + h * i / n, h / n);
    follow(m, to);
    spend_courses(m);
    if (b->update)
        b->update(&v, h);
    if (b->outputs)
        b->outputs(&v);
    mock_poison(m);
    tape_saw(m, to);
}

/* A rejection leaves everything, or, when a restore is needed, a mess. */
static int rejects(struct mock *m, const struct tt_step *s,
                   struct tt_stepped *r)
{
    const struct tt_mock_cue *plain = mock_due(m, TT_MOCK_REJECT);
    const struct tt_mock_cue *mess = mock_due(m, TT_MOCK_REJECT_RESTORE);
    int too_long = m->spec->max_step > 0 && s->h > m->spec->max_step;

    if (!plain && !mess && !too_long)
        return 0;
    r->flags |= TT_STEP_REJECT;
    r->after = mess ? TT_AFTER_NEEDS_RESTORE : TT_AFTER_UNCHANGED;
    if (mess)
        r->reached = mess->value;
    else
        r->reached = plain ? plain->value : m->base.now + m->spec->max_step;
    if (mess && r->reached > m->base.now && r->reached <= s->to)
        advance(m, r->reached - m->base.now, r->reached);
    return 1;
}

static void outcomes(const struct mock *m, struct tt_stepped *r)
{
    const struct tt_mock_cue *c;

    if (mock_due(m, TT_MOCK_EVENT))
        r->flags |= TT_STEP_EVENT;
    if (mock_due(m, TT_MOCK_TERMINATE))
        r->flags |= TT_STEP_TERMINATE;
    c = mock_due(m, TT_MOCK_LAG);
    if (c) {
        r->flags |= TT_STEP_LAG;
        r->lag = c->value;
    }
    c = mock_due(m, TT_MOCK_REACHED);
    if (c)
        r->reached = c->value;
}

static enum tt_code step(struct mock *m, const struct tt_step *s,
                         struct tt_stepped *r, tt_err *err)
{
    const struct tt_mock_cue *early;
    enum tt_code rc = mock_call(m, TT_MOCK_STEP, s->to, err);

    if (rc != TT_OK)
        return rc;
    if (!rejects(m, s, r)) {
        early = mock_due(m, TT_MOCK_EARLY);
        if (early && early->value >= m->base.now && early->value < s->to) {
            r->flags |= TT_STEP_EARLY;
            r->reached = early->value;
            advance(m, r->reached - m->base.now, r->reached);
        } else {
            advance(m, s->h, s->to);
        }
    }
    outcomes(m, r);
    return TT_OK;
}

enum tt_code mock_step(tt_unit *u, const struct tt_step *s,
                       struct tt_stepped *r, tt_err *err)
{
    mock_tape_num(mock_of(u), TT_MOCK_STEP, s->to);
    return step(mock_of(u), s, r, err);
}

enum tt_code mock_course(tt_unit *u, const struct tt_span *s,
                         const struct tt_poly *p, tt_err *err)
{
    struct mock *m = mock_of(u);
    enum tt_code rc;

    mock_tape_span(m, TT_MOCK_COURSE,
                   &(struct tt_span){.port = s->port, .n = s->n});
    rc = mock_call(m, TT_MOCK_COURSE, u->now, err);
    if (rc != TT_OK)
        return rc;
    for (size_t i = 0; i < s->n; i++) {
        uint32_t port = s->port[i], n = u->desc->port[port].n;

        memcpy(m->course[port], p, n * sizeof(*p));
        m->live[port] = 1;
        p += n;
    }
    follow(m, u->now);
    return TT_OK;
}

enum tt_code mock_rates(tt_unit *u, const struct tt_span *s, uint32_t order,
                        tt_err *err)
{
    struct mock *m = mock_of(u);
    struct tt_mock_view v = mock_view(m, u->now);
    unsigned char *out = s->value;
    enum tt_code rc = mock_call(m, TT_MOCK_RATES, u->now, err);

    for (size_t i = 0; rc == TT_OK && i < s->n; i++) {
        const struct tt_port *p = &u->desc->port[s->port[i]];
        double rate = 0;

        if (m->spec->behaviour.rate)
            rate = m->spec->behaviour.rate(&v, s->port[i], order);
        for (uint32_t k = 0; k < p->n; k++) {
            (void)tt_value_from_double(p->type, out, rate);
            out += tt_type_size(p->type);
        }
    }
    mock_tape_span(m, TT_MOCK_RATES, s);
    return rc;
}

static double *element(const struct mock *m, uint32_t port, uint32_t k)
{
    TT_ASSERT(m->base.desc->port[port].type == TT_F64);
    return (double *)m->value[port] + k;
}

/* Add dv_known to the known inputs and compute outputs. */
static void probe(struct mock *m, const struct tt_jvp *j)
{
    struct tt_mock_view v = mock_view(m, m->base.now);
    const double *dv = j->dv_known;

    for (size_t i = 0; i < j->n_known; i++)
        for (uint32_t k = 0; k < m->base.desc->port[j->known[i]].n; k++)
            *element(m, j->known[i], k) += *dv++;
    if (m->spec->behaviour.outputs)
        m->spec->behaviour.outputs(&v);
}

/* Exact for behaviours whose outputs are linear in the inputs: g(u + du) -
 * g(u). The state is put back afterwards. */
enum tt_code mock_jvp(tt_unit *u, const struct tt_jvp *j, tt_err *err)
{
    struct mock *m = mock_of(u);
    enum tt_code rc = mock_call(m, TT_MOCK_JVP, u->now, err);
    double *out = j->dv_unknown;
    unsigned char *keep;

    mock_tape_plain(m, TT_MOCK_JVP);
    if (rc != TT_OK)
        return rc;
    keep = tt_alloc(m->size);
    if (!keep)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    memcpy(keep, m->state, m->size);
    probe(m, &(struct tt_jvp){0});
    for (size_t i = 0; i < j->n_unknown; i++)
        for (uint32_t k = 0; k < u->desc->port[j->unknown[i]].n; k++)
            *out++ = -*element(m, j->unknown[i], k);
    probe(m, j);
    out = j->dv_unknown;
    for (size_t i = 0; i < j->n_unknown; i++)
        for (uint32_t k = 0; k < u->desc->port[j->unknown[i]].n; k++)
            *out++ += *element(m, j->unknown[i], k);
    memcpy(m->state, keep, m->size);
    tt_free(keep);
    return TT_OK;
}

enum tt_code mock_max_step(tt_unit *u, double *h, tt_err *err)
{
    mock_tape_plain(mock_of(u), TT_MOCK_MAX_STEP);
    *h = mock_of(u)->spec->max_step;
    return mock_call(mock_of(u), TT_MOCK_MAX_STEP, u->now, err);
}

/* --- events ------------------------------------------------------------ */

enum tt_code mock_event_enter(tt_unit *u, tt_err *err)
{
    mock_tape_plain(mock_of(u), TT_MOCK_EVENT_ENTER);
    if (!mock_of(u)->event_mode)
        return tt_fail(err, TT_EUNSUPPORTED, "it was made without event mode");
    return mock_call(mock_of(u), TT_MOCK_EVENT_ENTER, u->now, err);
}

enum tt_code mock_event_update(tt_unit *u, struct tt_event_result *r,
                               tt_err *err)
{
    struct mock *m = mock_of(u);
    struct tt_mock_view v = mock_view(m, u->now);
    enum tt_code rc = mock_call(m, TT_MOCK_EVENT_UPDATE, u->now, err);

    mock_tape_plain(m, TT_MOCK_EVENT_UPDATE);
    if (rc != TT_OK)
        return rc;
    if (m->spec->behaviour.event)
        m->spec->behaviour.event(&v, r);
    if (m->spec->behaviour.outputs)
        m->spec->behaviour.outputs(&v);
    mock_poison(m);
    if (mock_due(m, TT_MOCK_EVENT))
        r->again = 1;
    if (mock_due(m, TT_MOCK_TERMINATE))
        r->terminate = 1;
    return TT_OK;
}

enum tt_code mock_event_leave(tt_unit *u, tt_err *err)
{
    mock_tape_plain(mock_of(u), TT_MOCK_EVENT_LEAVE);
    return mock_call(mock_of(u), TT_MOCK_EVENT_LEAVE, u->now, err);
}

/* --- clocks ------------------------------------------------------------ */

/* "a.intervals c=0.5,d" */
static void tape_timings(const struct mock *m, enum tt_mock_verb verb,
                         const struct tt_timing *t, uint32_t n)
{
    struct tt_buf *b = mock_tape(m, verb);
    char text[TT_NUM_MAX];

    for (uint32_t i = 0; b && i < n; i++) {
        tt_num_print_short(text, tt_ratio_value(t[i].interval));
        tt_buf_fmt(b, "%s%s", i ? "," : " ", m->spec->port[t[i].port].name);
        if (t[i].known == TT_KNOWN_CHANGED)
            tt_buf_fmt(b, "=%s", text);
    }
}

enum tt_code mock_intervals(tt_unit *u, struct tt_timing *t, uint32_t n,
                            tt_err *err)
{
    struct mock *m = mock_of(u);
    struct tt_mock_view v = mock_view(m, u->now);
    enum tt_code rc = mock_call(m, TT_MOCK_INTERVALS, u->now, err);

    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        const struct tt_clock *c = u->desc->port[t[i].port].ticks;

        if (tt_ratio_is(c->period)) {
            t[i].known = TT_KNOWN_CHANGED;
            t[i].interval = c->period;
            t[i].shift = c->shift;
        }
        if (m->spec->behaviour.interval)
            m->spec->behaviour.interval(&v, &t[i]);
    }
    tape_timings(m, TT_MOCK_INTERVALS, t, n);
    return rc;
}

enum tt_code mock_set_intervals(tt_unit *u, struct tt_timing *t, uint32_t n,
                                tt_err *err)
{
    tape_timings(mock_of(u), TT_MOCK_SET_INTERVALS, t, n);
    return mock_call(mock_of(u), TT_MOCK_SET_INTERVALS, u->now, err);
}
