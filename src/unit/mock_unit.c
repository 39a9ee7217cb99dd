/* SPDX-License-Identifier: MIT */
/* A live mock: its memory, life, values and states. */
#include "unit/mock_impl.h"

#include <string.h>

struct tt_mock_view mock_view(const struct mock *m, double t)
{
    return (struct tt_mock_view){.t = t,
                                 .x = m->x,
                                 .value = m->value,
                                 .course = m->course_view,
                                 .ctx = m->spec->ctx};
}

/* --- memory ------------------------------------------------------------ */

static size_t round_up(size_t n)
{
    return (n + 7) / 8 * 8;
}

static int takes_course(const struct tt_port *p)
{
    return p->causality == TT_CAUS_INPUT && tt_type_is_float(p->type);
}

/* Lays the state block out; with a NULL block it only measures. */
static size_t lay_out(struct mock *m)
{
    size_t at = 0;

    m->x = (double *)(void *)m->state;
    at += m->spec->behaviour.n_x * sizeof(double);
    for (uint32_t i = 0; i < m->spec->n_port; i++) {
        const struct tt_port *p = &m->base.desc->port[i];

        if (m->state && takes_course(p))
            m->course[i] = (struct tt_poly *)(void *)(m->state + at);
        m->course_view[i] = m->course[i];
        at += takes_course(p) ? p->n * sizeof(struct tt_poly) : 0;
        if (m->state)
            m->value[i] = m->state + at;
        at += round_up(tt_port_size(p));
    }
    m->live = m->state ? m->state + at : NULL;
    return at + round_up(m->spec->n_port + 1);
}

static enum tt_code allocate(struct mock *m, tt_err *err)
{
    m->course = tt_zalloc(m->spec->n_port, sizeof(void *));
    m->course_view = tt_zalloc(m->spec->n_port, sizeof(void *));
    TT_NEW_ARRAY(m->value, m->spec->n_port);
    TT_NEW_ARRAY(m->work, 5 * (size_t)m->spec->behaviour.n_x);
    if (!m->course || !m->course_view || !m->value || !m->work || !m->label)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    m->size = lay_out(m);
    m->state = tt_zalloc(1, m->size);
    if (!m->state)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    (void)lay_out(m);
    return TT_OK;
}

void mock_start_values(struct mock *m)
{
    memset(m->state, 0, m->size);
    for (uint32_t i = 0; i < m->spec->n_port; i++) {
        const struct tt_port *p = &m->base.desc->port[i];

        memcpy(m->value[i], p->start, tt_port_size(p));
    }
}

static void mock_free(tt_unit *u)
{
    struct mock *m = mock_of(u);

    if (m->label) {
        mock_tape_plain(m, TT_MOCK_FREE);
        (void)mock_call(m, TT_MOCK_FREE, u->now, NULL);
    }
    for (uint32_t i = 0; i < TT_UNIT_STATES; i++)
        tt_free(m->reg[i]);
    tt_free(m->state);
    tt_free(m->course);
    tt_free((void *)m->course_view);
    tt_free(m->value);
    tt_free(m->work);
    tt_free(m->label);
    if (m->own_type)
        m->own_type->kind->close(m->own_type);
    tt_unit_fini(u);
    tt_free(m);
}

/* --- life -------------------------------------------------------------- */

static void start_behaviour(struct mock *m)
{
    struct tt_mock_view v = mock_view(m, m->base.now);

    if (m->spec->behaviour.start)
        m->spec->behaviour.start(&v);
}

void mock_refresh(struct mock *m)
{
    enum tt_evaluates e = m->base.desc->caps.evaluates;
    enum tt_life life = m->base.life;
    struct tt_mock_view v = mock_view(m, m->base.now);

    if (life == TT_LIFE_INIT)
        start_behaviour(m); /* parameters may have changed */
    if (!m->spec->behaviour.outputs || life == TT_LIFE_ENDED)
        return;
    if (life == TT_LIFE_INIT || e == TT_EVAL_ALWAYS ||
        (e == TT_EVAL_EVENT && life == TT_LIFE_EVENT))
        m->spec->behaviour.outputs(&v);
}

static enum tt_code mock_configure(tt_unit *u, tt_err *err)
{
    mock_tape_plain(mock_of(u), TT_MOCK_CONFIGURE);
    return mock_call(mock_of(u), TT_MOCK_CONFIGURE, u->now, err);
}

static enum tt_code mock_enter_init(tt_unit *u, const struct tt_experiment *e,
                                    tt_err *err)
{
    mock_tape_num(mock_of(u), TT_MOCK_ENTER_INIT, e->start);
    return mock_call(mock_of(u), TT_MOCK_ENTER_INIT, e->start, err);
}

static enum tt_code mock_exit_init(tt_unit *u, tt_err *err)
{
    struct mock *m = mock_of(u);
    enum tt_code rc;

    mock_tape_plain(m, TT_MOCK_EXIT_INIT);
    rc = mock_call(m, TT_MOCK_EXIT_INIT, u->now, err);
    if (rc != TT_OK)
        return rc;
    mock_refresh(m);
    mock_poison(m);
    if (m->event_mode && m->spec->starts_in_event_mode)
        u->life = TT_LIFE_EVENT;
    return TT_OK;
}

static enum tt_code mock_prepare(tt_unit *u, uint32_t n_state, tt_err *err)
{
    struct mock *m = mock_of(u);

    mock_tape_num(m, TT_MOCK_PREPARE, n_state);
    for (uint32_t i = 0; i < n_state; i++) {
        if (!m->reg[i])
            m->reg[i] = tt_alloc(m->size);
        if (!m->reg[i])
            return tt_fail(err, TT_ENOMEM, "out of memory");
    }
    return mock_call(m, TT_MOCK_PREPARE, u->now, err);
}

static enum tt_code mock_end(tt_unit *u, tt_err *err)
{
    mock_tape_plain(mock_of(u), TT_MOCK_END);
    return mock_call(mock_of(u), TT_MOCK_END, u->now, err);
}

static enum tt_code mock_reset(tt_unit *u, tt_err *err)
{
    enum tt_code rc;

    if (mock_of(u)->spec->cannot_reset)
        return tt_fail(err, TT_EUNSUPPORTED, "it cannot be reset");
    mock_tape_plain(mock_of(u), TT_MOCK_RESET);
    rc = mock_call(mock_of(u), TT_MOCK_RESET, u->now, err);
    if (rc == TT_OK)
        mock_start_values(mock_of(u));
    return rc;
}

/* --- values ------------------------------------------------------------ */

static enum tt_code mock_get(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    struct mock *m = mock_of(u);
    unsigned char *out = s->value;
    enum tt_code rc = mock_call(m, TT_MOCK_GET, u->now, err);

    if (rc == TT_OK) {
        mock_refresh(m);
        mock_poison(m);
    }
    for (size_t i = 0; rc == TT_OK && i < s->n; i++) {
        size_t size = tt_port_size(&u->desc->port[s->port[i]]);

        memcpy(out, m->value[s->port[i]], size);
        out += size;
    }
    mock_tape_span(m, TT_MOCK_GET, s);
    return rc;
}

/* A set input holds its value: its course, for rates, is a constant. */
static void hold(struct mock *m, uint32_t port)
{
    const struct tt_port *p = &m->base.desc->port[port];

    m->live[port] = 0;
    for (uint32_t k = 0; m->course[port] && k < p->n; k++)
        m->course[port][k] = (struct tt_poly){
            .t0 = m->base.now,
            .c = {tt_value_as_double(p->type, (unsigned char *)m->value[port] +
                                                  k * tt_type_size(p->type))}};
}

static enum tt_code mock_set(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    struct mock *m = mock_of(u);
    const unsigned char *in = s->value;
    enum tt_code rc;

    mock_tape_span(m, TT_MOCK_SET, s);
    rc = mock_call(m, TT_MOCK_SET, u->now, err);
    for (size_t i = 0; rc == TT_OK && i < s->n; i++) {
        size_t size = tt_port_size(&u->desc->port[s->port[i]]);

        memcpy(m->value[s->port[i]], in, size);
        hold(m, s->port[i]);
        in += size;
    }
    return rc;
}

/* --- states ------------------------------------------------------------ */

static enum tt_code mock_save(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct mock *m = mock_of(u);
    enum tt_code rc;

    mock_tape_num(m, TT_MOCK_SAVE, reg);
    rc = mock_call(m, TT_MOCK_SAVE, u->now, err);
    if (rc == TT_OK)
        memcpy(m->reg[reg], m->state, m->size);
    return rc;
}

static enum tt_code mock_restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct mock *m = mock_of(u);
    enum tt_code rc;

    mock_tape_num(m, TT_MOCK_RESTORE, reg);
    rc = mock_call(m, TT_MOCK_RESTORE, u->now, err);
    if (rc == TT_OK)
        memcpy(m->state, m->reg[reg], m->size);
    return rc;
}

static enum tt_code mock_pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                              tt_err *err)
{
    struct mock *m = mock_of(u);
    enum tt_code rc;

    mock_tape_num(m, TT_MOCK_PACK, reg);
    rc = mock_call(m, TT_MOCK_PACK, u->now, err);
    if (rc != TT_OK)
        return rc;
    b->data = tt_alloc(m->size);
    if (!b->data)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    b->n = m->size;
    memcpy(b->data, m->reg[reg], m->size);
    return TT_OK;
}

static enum tt_code mock_unpack(tt_unit *u, uint32_t reg,
                                const struct tt_bytes *b, tt_err *err)
{
    struct mock *m = mock_of(u);
    enum tt_code rc;

    mock_tape_num(m, TT_MOCK_UNPACK, reg);
    rc = mock_call(m, TT_MOCK_UNPACK, u->now, err);
    if (rc != TT_OK)
        return rc;
    if (b->n != m->size)
        return tt_fail(err, TT_EINPUT, "%zu bytes of state, it has %zu", b->n,
                       m->size);
    memcpy(m->reg[reg], b->data, m->size);
    return TT_OK;
}

/* --- making ------------------------------------------------------------ */

static const struct tt_unit_ops mock_ops = {
    .enter_init = mock_enter_init,
    .exit_init = mock_exit_init,
    .end = mock_end,
    .free = mock_free,
    .get = mock_get,
    .set = mock_set,
    .step = mock_step,
    .configure = mock_configure,
    .prepare = mock_prepare,
    .course = mock_course,
    .rates = mock_rates,
    .jvp = mock_jvp,
    .max_step = mock_max_step,
    .save = mock_save,
    .restore = mock_restore,
    .pack = mock_pack,
    .unpack = mock_unpack,
    .reset = mock_reset,
    .event_enter = mock_event_enter,
    .event_update = mock_event_update,
    .event_leave = mock_event_leave,
    .intervals = mock_intervals,
    .set_intervals = mock_set_intervals,
};

enum tt_code mock_make(tt_unit **out, tt_unit_type *type,
                       const struct tt_make *mk, tt_err *err)
{
    const struct tt_mock_spec *spec = ((struct mock_type *)type)->spec;
    struct mock *m;
    enum tt_code rc;

    if (!TT_NEW(m))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    m->spec = spec;
    m->event_mode = mk->event_mode && spec->caps.event_mode;
    rc = tt_unit_init(&m->base, &mock_ops, &type->desc, mk, err);
    if (rc != TT_OK)
        goto out;
    m->label = tt_strdup(mk->instance ? mk->instance : mk->name);
    rc = allocate(m, err);
    if (rc != TT_OK)
        goto out;
    mock_start_values(m);
    mock_tape_plain(m, TT_MOCK_MAKE);
    rc = mock_call(m, TT_MOCK_MAKE, 0, err);
    if (rc != TT_OK)
        goto out;
    *out = &m->base;
    m = NULL;
out:
    if (m)
        mock_free(&m->base);
    return rc == TT_OK ? TT_OK
                       : tt_context(err, rc, "instance '%s' (mock)",
                                    mk->name ? mk->name : "?");
}
