/* SPDX-License-Identifier: MIT */
#include "plan/crowd.h"

#include <math.h>
#include <stdio.h>

#include "base/buf.h"

uint64_t tt_crowd_next(uint64_t *seed)
{
    uint64_t x = *seed ? *seed : 1;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *seed = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

uint32_t tt_crowd_below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)((tt_crowd_next(seed) >> 32) * n >> 32);
}

struct making {
    struct tt_crowd *c;
    const struct tt_crowd_opts *o;
    uint64_t seed;
    uint32_t *rank; /* per unit: which may feed which through */
};

static int chance(struct making *m, uint32_t per_cent)
{
    return tt_crowd_below(&m->seed, 100) < per_cent;
}

/* A number with few digits and no special luck: -1.5 .. 1.5 */
static double number(struct making *m)
{
    return ((double)tt_crowd_below(&m->seed, 3001) - 1500) / 1000;
}

static void *need(const struct making *m, size_t n, size_t size)
{
    void *p = tt_arena_alloc(m->c->arena, n, size);

    TT_ASSERT(p);
    return p;
}

/* "u" and 3 make "u3". */
static char *text(const struct making *m, const char *before, uint32_t n,
                  const char *after)
{
    char buf[64];
    char *copy;

    snprintf(buf, sizeof(buf), "%s%u%s", before, n, after);
    copy = tt_arena_strdup(m->c->arena, buf);
    TT_ASSERT(copy);
    return copy;
}

/* --- behaviour --------------------------------------------------------- */

static void lin_start(const struct tt_mock_view *v)
{
    const struct tt_crowd_type *t = v->ctx;

    v->x[0] = *tt_mock_f64(v, t->n_in + t->n_out);
}

static void lin_derivative(const struct tt_mock_view *v, double *dx)
{
    const struct tt_crowd_type *t = v->ctx;

    dx[0] = 0;
    for (uint32_t k = 0; k < t->n_in; k++)
        dx[0] += t->rate[k] * *tt_mock_f64(v, k);
}

static void lin_outputs(const struct tt_mock_view *v)
{
    const struct tt_crowd_type *t = v->ctx;

    for (uint32_t j = 0; j < t->n_out; j++) {
        double y = t->own[j] * v->x[0];

        for (uint32_t k = 0; k < t->n_in; k++)
            if (t->c[j * t->n_in + k] != 0)
                y += t->c[j * t->n_in + k] * *tt_mock_f64(v, k);
        *tt_mock_f64(v, t->n_in + j) = y;
    }
}

/* --- types ------------------------------------------------------------- */

static void make_numbers(struct making *m, struct tt_crowd_type *t)
{
    uint32_t n_in = m->o->n_in, n_out = m->o->n_out;

    t->n_in = m->o->full ? n_in : tt_crowd_below(&m->seed, n_in + 1);
    t->n_out = m->o->full ? n_out : tt_crowd_below(&m->seed, n_out + 1);
    t->c = need(m, (size_t)t->n_out * t->n_in, sizeof(*t->c));
    t->own = need(m, t->n_out, sizeof(*t->own));
    t->rate = need(m, t->n_in, sizeof(*t->rate));
    t->direct = need(m, t->n_in, sizeof(*t->direct));
    for (uint32_t k = 0; k < t->n_in; k++)
        t->rate[k] = number(m);
    for (uint32_t j = 0; j < t->n_out; j++) {
        t->own[j] = number(m);
        for (uint32_t k = 0; k < t->n_in; k++)
            if (chance(m, m->o->through)) {
                t->c[j * t->n_in + k] = number(m) / 4 + 1e-3;
                t->direct[k] = 1;
            }
    }
}

static const char *deps_text(const struct making *m,
                             const struct tt_crowd_type *t, uint32_t j)
{
    struct tt_buf b;
    char *copy;

    tt_buf_init(&b, (size_t)1 << 20);
    for (uint32_t k = 0; k < t->n_in; k++)
        if (t->c[j * t->n_in + k] != 0)
            tt_buf_fmt(&b, "%su%u", b.len ? "," : "", k);
    copy = tt_arena_strdup(m->c->arena, b.data ? b.data : "");
    TT_ASSERT(copy && !b.failed);
    tt_buf_fini(&b);
    return copy;
}

static void mix(struct making *m, struct tt_mock_port *p)
{
    static const enum tt_type of[] = {TT_F64,    TT_I8,   TT_F64,
                                      TT_BOOL32, TT_TEXT, TT_BYTES};

    p->type = of[tt_crowd_below(&m->seed, 6)];
    p->n = chance(m, 30) ? 3 : 0;
}

static struct tt_mock_port *make_ports(struct making *m,
                                       const struct tt_crowd_type *t)
{
    uint32_t n = t->n_in + t->n_out + 1;
    struct tt_mock_port *port = need(m, n, sizeof(*port));

    for (uint32_t k = 0; k < n; k++) {
        struct tt_mock_port *p = &port[k];

        if (k < t->n_in) {
            p->name = text(m, "u", k, "");
            p->causality = TT_CAUS_INPUT;
            if (chance(m, m->o->reactive))
                p->reactivity = TT_REACT_REACTIVE;
            else if (chance(m, m->o->delayed))
                p->reactivity = TT_REACT_DELAYED;
        } else if (k + 1 < n) {
            p->name = text(m, "y", k - t->n_in, "");
            p->causality = TT_CAUS_OUTPUT;
            p->deps =
                chance(m, m->o->unknown) ? NULL : deps_text(m, t, k - t->n_in);
        } else {
            p->name = "x0";
            p->causality = TT_CAUS_PARAMETER;
        }
        if (m->o->mixed && k + 1 < n)
            mix(m, p);
    }
    return port;
}

static void make_type(struct making *m, uint32_t i)
{
    struct tt_crowd *c = m->c;
    struct tt_crowd_type *t = &c->type[i];
    struct tt_mock_spec *s = &c->spec[i];
    tt_err err;

    make_numbers(m, t);
    *s = (struct tt_mock_spec){
        .model = "crowd",
        .port = make_ports(m, t),
        .n_port = t->n_in + t->n_out + 1,
        .caps = {.evaluates =
                     chance(m, m->o->standard) ? TT_EVAL_NEVER : TT_EVAL_ALWAYS,
                 .save = 1,
                 .variable_step = 1,
                 .course_order = m->o->linear ? 1 : 0,
                 .course_exact = 1},
        .ctx = t,
    };
    if (!m->o->mixed)
        s->behaviour = (struct tt_mock_behaviour){
            .n_x = 1,
            .start = lin_start,
            .derivative = t->n_in ? lin_derivative : NULL,
            .outputs = lin_outputs,
        };
    TT_ASSERT(tt_mock_type_new(&c->made[i], s, &err) == TT_OK);
    c->desc[i] = &c->made[i]->desc;
}

/* --- the scenario ------------------------------------------------------ */

#define NOWHERE ((struct tt_where){TT_NONE, 0})

static void make_units(struct making *m)
{
    const struct tt_crowd_opts *o = m->o;
    tt_scenario *s = &m->c->scenario;
    struct tt_sc_fmu *fmu = need(m, o->n_type, sizeof(*fmu));
    struct tt_sc_unit *unit = need(m, o->n_unit, sizeof(*unit));

    for (uint32_t i = 0; i < o->n_type; i++)
        fmu[i] = (struct tt_sc_fmu){.key = text(m, "{t", i, "}"),
                                    .uri = text(m, "t", i, ""),
                                    .path = text(m, "t", i, ""),
                                    .where = NOWHERE};
    for (uint32_t u = 0; u < o->n_unit; u++) {
        char name[64];

        unit[u] =
            (struct tt_sc_unit){.fmu = tt_crowd_below(&m->seed, o->n_type),
                                .instance = text(m, "i", u, ""),
                                .where = NOWHERE,
                                .evaluates = -1};
        snprintf(name, sizeof(name), "%s.i%u", fmu[unit[u].fmu].key, u);
        unit[u].name = tt_arena_strdup(m->c->arena, name);
        TT_ASSERT(unit[u].name);
        if (o->fast && tt_crowd_below(&m->seed, 100) < o->fast)
            unit[u].rate = 2 + tt_crowd_below(&m->seed, 2);
    }
    s->fmu = fmu;
    s->n_fmu = o->n_type;
    s->unit = unit;
    s->n_unit = o->n_unit;
}

static void shuffle(struct making *m, uint32_t *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        v[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = tt_crowd_below(&m->seed, i), t = v[i - 1];

        v[i - 1] = v[k];
        v[k] = t;
    }
}

static const struct tt_crowd_type *type_of(const struct making *m, uint32_t u)
{
    return &m->c->type[m->c->scenario.unit[u].fmu];
}

/* A source for input k of unit u, if a few tries find one. */
static int find_source(struct making *m, uint32_t u, uint32_t k,
                       struct tt_sc_ref *from)
{
    const struct tt_mock_port *to =
        &m->c->spec[m->c->scenario.unit[u].fmu].port[k];

    for (int tries = 0; tries < 30; tries++) {
        uint32_t v = tt_crowd_below(&m->seed, m->o->n_unit);
        const struct tt_crowd_type *t = type_of(m, v);
        const struct tt_mock_port *out;

        if (t->n_out == 0)
            continue;
        if (m->o->acyclic && type_of(m, u)->direct[k] &&
            m->rank[v] >= m->rank[u])
            continue;
        out = &m->c->spec[m->c->scenario.unit[v].fmu]
                   .port[t->n_in + tt_crowd_below(&m->seed, t->n_out)];
        if (m->o->mixed && (out->type != to->type ||
                            (out->n > 1 || to->n > 1 ? out->n != to->n : 0)))
            continue;
        *from = (struct tt_sc_ref){v, out->name, NOWHERE};
        return 1;
    }
    return 0;
}

static void make_connections(struct making *m)
{
    tt_scenario *s = &m->c->scenario;
    struct tt_sc_connection *conn =
        need(m, (size_t)m->o->n_unit * m->o->n_in, sizeof(*conn));

    for (uint32_t u = 0; u < s->n_unit; u++)
        for (uint32_t k = 0; k < type_of(m, u)->n_in; k++) {
            struct tt_sc_connection *c = &conn[s->n_connection];

            if (!m->o->full && !chance(m, m->o->connected))
                continue;
            if (!find_source(m, u, k, &c->from))
                continue;
            c->to = (struct tt_sc_ref){
                u, m->c->spec[s->unit[u].fmu].port[k].name, NOWHERE};
            s->n_connection++;
        }
    s->connection = conn;
}

static void make_parameters(struct making *m)
{
    tt_scenario *s = &m->c->scenario;
    struct tt_sc_parameter *par = need(m, s->n_unit, sizeof(*par));

    for (uint32_t u = 0; u < s->n_unit; u++) {
        m->c->x0[u] = number(m);
        par[u] = (struct tt_sc_parameter){
            .ref = {u, "x0", NOWHERE},
            .value = {.kind = TT_SC_NUMBER, .number = m->c->x0[u]}};
    }
    s->parameter = par;
    s->n_parameter = s->n_unit;
}

static void make_log_variables(struct making *m)
{
    tt_scenario *s = &m->c->scenario;
    struct tt_sc_ref *ref =
        need(m, (size_t)s->n_unit * m->o->n_out, sizeof(*ref));

    for (uint32_t u = 0; u < s->n_unit; u++)
        for (uint32_t j = 0; j < type_of(m, u)->n_out; j++) {
            const struct tt_mock_port *p =
                &m->c->spec[s->unit[u].fmu].port[type_of(m, u)->n_in + j];

            if (chance(m, m->o->recorded) && p->type != TT_BYTES)
                ref[s->n_log_variable++] =
                    (struct tt_sc_ref){u, p->name, NOWHERE};
        }
    s->log_variable = ref;
}

static void make_courses(struct making *m)
{
    tt_scenario *s = &m->c->scenario;
    struct tt_sc_input_approx *a = need(m, s->n_connection, sizeof(*a));

    for (uint32_t c = 0; c < s->n_connection; c++)
        if (chance(m, m->o->linear))
            a[s->n_input_approx++] = (struct tt_sc_input_approx){
                s->connection[c].to, TT_APPROX_LINEAR};
    s->input_approx = a;
}

void tt_crowd_init(struct tt_crowd *c, const struct tt_crowd_opts *o)
{
    struct making m = {.c = c, .o = o, .seed = o->seed * 7919 + 17};

    *c = (struct tt_crowd){.arena = tt_arena_new()};
    TT_ASSERT(c->arena);
    c->scenario = (tt_scenario){
        .name = "crowd",
        .step = 0.25,
        .step_where = NOWHERE,
        .start = 0,
        .end = o->end > 0 ? o->end : 1,
        .end_where = NOWHERE,
        .tolerance = (double)NAN,
        .sample = (double)NAN,
        .master = o->gauss_seidel ? TT_MASTER_GAUSS_SEIDEL : TT_MASTER_JACOBI,
    };
    c->spec = need(&m, o->n_type, sizeof(*c->spec));
    c->type = need(&m, o->n_type, sizeof(*c->type));
    c->made = need(&m, o->n_type, sizeof(*c->made));
    c->desc = need(&m, o->n_type, sizeof(*c->desc));
    c->x0 = need(&m, o->n_unit, sizeof(*c->x0));
    m.rank = need(&m, o->n_unit, sizeof(*m.rank));
    shuffle(&m, m.rank, o->n_unit);
    for (uint32_t i = 0; i < o->n_type; i++)
        make_type(&m, i);
    make_units(&m);
    make_connections(&m);
    make_parameters(&m);
    make_log_variables(&m);
    make_courses(&m);
    if (o->order_given) {
        uint32_t *order = need(&m, o->n_unit, sizeof(*order));

        shuffle(&m, order, o->n_unit);
        c->scenario.order = order;
        c->scenario.n_order = o->n_unit;
    }
}

void tt_crowd_fini(struct tt_crowd *c)
{
    for (uint32_t i = 0; i < c->scenario.n_fmu; i++)
        c->made[i]->kind->close(c->made[i]);
    tt_arena_free(c->arena);
}

void tt_crowd_register(const struct tt_crowd *c)
{
    tt_mock_register(NULL, NULL);
    for (uint32_t i = 0; i < c->scenario.n_fmu; i++)
        tt_mock_register(c->scenario.fmu[i].path, &c->spec[i]);
}
