/* SPDX-License-Identifier: MIT */
/* Unit kind locate: the value of an expression over outputs of other units, in
 * which a crossing of zero is an event. Where that is in time is found by the
 * step policy, which looks at `value`; the run then lets `fire` tick, and what
 * is connected has its event in the same microstep. `settle` ticks once, where
 * crossings accumulate and are taken to have come to an end. A condition counts
 * as 1 while it holds, else as -1. */
#include <stdio.h>
#include <string.h>

#include "expr/expr.h"
#include "kinds/builtin.h"
#include "kinds/kept.h"

#define SOURCE "tutti:locate"

/* Of the ports, after the variables of the expression. */
enum role {
    ROLE_FIRE,
    ROLE_SETTLE,
    ROLE_CROSSED,
    ROLE_RESTS,
    ROLE_VALUE,
    ROLE_ABOVE,
    ROLE_COUNT,
    ROLES
};

struct type {
    struct tt_builtin_type b;
    tt_expr e;
};

struct state {
    int32_t count;
    uint8_t above, fired, settled;
    double x[]; /* per variable */
};

struct unit {
    struct tt_kept_unit k;
    const struct type *type; /* borrowed */
    struct state *is;        /* k.is */
    const void **where;      /* owned: the variables, in the state */
};

static struct unit *unit_of(tt_unit *u)
{
    return (struct unit *)(void *)u;
}

static double value_of(const struct unit *u)
{
    const struct tt_expr_at at = {.t = u->k.base.now, .value = u->where};
    double v = tt_expr_value(&u->type->e, &at);

    return u->type->e.kind == TT_EXPR_BOOL ? 2 * v - 1 : v;
}

/* --- ports ---------------------------------------------------------------- */

static enum tt_code get(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    const struct unit *u = unit_of(base);
    uint32_t n = u->type->e.n_ref;

    (void)err;
    for (size_t i = 0; i < s->n; i++) {
        uint32_t port = s->port[i];

        if (port < n)
            ((double *)s->value)[i] = u->is->x[port];
        else if (port == n + ROLE_VALUE)
            ((double *)s->value)[i] = value_of(u);
        else if (port == n + ROLE_COUNT)
            ((int32_t *)s->value)[i] = u->is->count;
        else if (port == n + ROLE_ABOVE)
            ((uint8_t *)s->value)[i] = u->is->above;
        else if (port == n + ROLE_SETTLE || port == n + ROLE_RESTS)
            ((uint8_t *)s->value)[i] = u->is->settled;
        else
            ((uint8_t *)s->value)[i] = u->is->fired;
    }
    return TT_OK;
}

static enum tt_code set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    const struct unit *u = unit_of(base);
    uint32_t n = u->type->e.n_ref;

    for (size_t i = 0; i < s->n; i++) {
        uint32_t port = s->port[i];

        if (port < n)
            u->is->x[port] = ((const double *)s->value)[i];
        else if (port == n + ROLE_FIRE)
            u->is->fired |= ((const uint8_t *)s->value)[i];
        else if (port == n + ROLE_SETTLE)
            u->is->settled |= ((const uint8_t *)s->value)[i];
        else
            return tt_fail(err, TT_EINPUT, "'%s' is an output",
                           base->desc->port[port].name);
    }
    return TT_OK;
}

/* --- life ----------------------------------------------------------------- */

static enum tt_code exit_init(tt_unit *u, tt_err *err)
{
    (void)err;
    unit_of(u)->is->above = value_of(unit_of(u)) > 0;
    return TT_OK;
}

static enum tt_code reset(tt_unit *u, tt_err *err)
{
    (void)err;
    memset(unit_of(u)->is, 0, unit_of(u)->k.size);
    return TT_OK;
}

/* Exactly on zero it has come to the other side. */
static enum tt_code event_update(tt_unit *base, struct tt_event_result *r,
                                 tt_err *err)
{
    struct state *is = unit_of(base)->is;
    double v = value_of(unit_of(base));

    (void)err;
    (void)r; /* states that nothing more is wanted */
    if (v != 0)
        is->above = v > 0;
    else if (is->fired)
        is->above = !is->above;
    is->count += is->fired;
    is->fired = is->settled = 0;
    return TT_OK;
}

/* It ticks when the run finds a crossing, and by no time of its own. */
static enum tt_code intervals(tt_unit *u, struct tt_timing *t, uint32_t n,
                              tt_err *err)
{
    (void)u;
    (void)err;
    for (uint32_t i = 0; i < n; i++) {
        t[i].known = TT_KNOWN_NOT_YET;
        t[i].interval = (struct tt_ratio){0, 1};
    }
    return TT_OK;
}

static enum tt_code set_intervals(tt_unit *u, struct tt_timing *t, uint32_t n,
                                  tt_err *err)
{
    (void)t;
    (void)n;
    return tt_fail(err, TT_EINPUT, "'%s' has no interval",
                   u->desc->port[unit_of(u)->type->e.n_ref].name);
}

static void free_unit(tt_unit *u)
{
    tt_free(unit_of(u)->where);
    tt_kept_fini(&unit_of(u)->k);
    tt_free(u);
}

static const struct tt_unit_ops unit_ops = {
    TT_BUILTIN_KEPT,
    .exit_init = exit_init,
    .free = free_unit,
    .get = get,
    .set = set,
    .event_update = event_update,
    .intervals = intervals,
    .set_intervals = set_intervals,
    .reset = reset,
};

/* --- the type ------------------------------------------------------------- */

static const struct tt_port like = {TT_PORT_SCALAR, .type = TT_F64,
                                    .variability = TT_VAR_CONTINUOUS};

static struct tt_port variable_port(const struct type *t, uint32_t i)
{
    static const double zero = 0;
    struct tt_port p = like;
    char name[24];

    (void)snprintf(name, sizeof(name), "x%lu", (unsigned long)i + 1);
    p.name = tt_arena_strdup(t->b.arena, name);
    p.text = t->e.ref[i].name;
    p.causality = TT_CAUS_INPUT;
    p.start = &zero;
    return p;
}

static struct tt_port own_port(enum role role)
{
    static const struct tt_clock asked = {.interval = TT_INTERVAL_COUNTDOWN};
    static const struct {
        const char *name, *text;
        enum tt_type type;
    } is[ROLES] = {
        [ROLE_FIRE] = {"fire", "a crossing was found", TT_CLOCK},
        [ROLE_SETTLE] = {"settle", "there are no more", TT_CLOCK},
        [ROLE_RESTS] = {"rests", "ticks at the last crossing there is",
                        TT_CLOCK},
        [ROLE_CROSSED] = {"crossed", "ticks at each crossing", TT_CLOCK},
        [ROLE_VALUE] = {"value", "of the expression", TT_F64},
        [ROLE_ABOVE] = {"above", "zero, since the last crossing", TT_BOOL},
        [ROLE_COUNT] = {"count", "crossings so far", TT_I32},
    };
    struct tt_port p = like;

    p.name = is[role].name;
    p.text = is[role].text;
    p.type = is[role].type;
    p.causality = role <= ROLE_SETTLE ? TT_CAUS_INPUT : TT_CAUS_OUTPUT;
    p.initial = is[role].type == TT_CLOCK ? TT_INIT_NONE : TT_INIT_CALCULATED;
    if (role != ROLE_VALUE)
        p.variability = TT_VAR_DISCRETE;
    if (role <= ROLE_SETTLE) {
        p.ticks = &asked;
        p.hidden = 1;
    }
    return p;
}

/* `value` follows the variables, `crossed` and `rests` what the run ticks. */
static enum tt_code add_deps(struct type *t, tt_err *err)
{
    uint32_t n = t->e.n_ref;
    struct tt_deps *deps = tt_arena_alloc(t->b.arena, n + ROLES, sizeof(*deps));
    uint32_t *port = tt_arena_alloc(t->b.arena, n + 2, sizeof(*port));

    if (!deps || !port)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = 0; i <= n + ROLE_SETTLE; i++)
        port[i] = i;
    for (uint32_t i = n; i < n + ROLES; i++)
        deps[i] = (struct tt_deps){.known = 1};
    deps[n + ROLE_VALUE] = (struct tt_deps){.known = 1, .n = n, .port = port};
    deps[n + ROLE_CROSSED] =
        (struct tt_deps){.known = 1, .n = 1, .port = port + n};
    deps[n + ROLE_RESTS] =
        (struct tt_deps){.known = 1, .n = 1, .port = port + n + ROLE_SETTLE};
    t->b.base.desc.run = t->b.base.desc.init = deps;
    return TT_OK;
}

static enum tt_code describe(struct type *t, tt_err *err)
{
    uint32_t n = t->e.n_ref + ROLES;
    struct tt_port *port = tt_arena_alloc(t->b.arena, n, sizeof(*port));

    if (!port)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < n; i++) {
        port[i] = i < t->e.n_ref ? variable_port(t, i)
                                 : own_port((enum role)(i - t->e.n_ref));
        if (!port[i].name ||
            tt_names_add(&t->b.base.desc.by_name, port[i].name, i) != 0)
            return tt_fail(err, TT_ENOMEM, "out of memory");
    }
    t->b.base.desc.port = port;
    t->b.base.desc.n_port = n;
    return add_deps(t, err);
}

/* Every name is a variable, and a Float64. */
static int find(void *ctx, const char *name, struct tt_expr_variable *v)
{
    (void)ctx;
    (void)name;
    (void)v;
    return 0;
}

static enum tt_code compile(struct type *t, const char *text, tt_err *err)
{
    const struct tt_expr_scope scope = {.offers = TT_EXPR_WITH_T, .find = find};
    enum tt_code rc = tt_expr_compile(&t->e, text, &scope, t->b.arena, err);

    if (rc != TT_OK)
        return rc;
    if (t->e.kind != TT_EXPR_NUMBER && t->e.kind != TT_EXPR_BOOL)
        return tt_fail(err, TT_EINPUT,
                       "a number or a condition is located, and this is %s",
                       tt_expr_kind_name(t->e.kind));
    if (!t->e.n_ref && !t->e.uses_t)
        return tt_fail(err, TT_EINPUT, "there is no variable in it");
    return TT_OK;
}

static int accepts(const struct tt_source *s)
{
    return !strncmp(s->path, SOURCE ":", strlen(SOURCE ":"));
}

static enum tt_code read(struct tt_builtin_type *b, const struct tt_source *s,
                         tt_err *err)
{
    struct type *t = (struct type *)(void *)b;
    const char *text = s->path + strlen(SOURCE);
    enum tt_code rc;

    text += strspn(text, ": ");
    b->base.desc.model = "locate";
    rc = compile(t, text, err);
    if (rc == TT_OK)
        rc = describe(t, err);
    return rc == TT_OK ? rc : tt_context(err, rc, "expression '%.200s'", text);
}

static int begin(tt_unit *base, const struct tt_builtin_type *t,
                 const struct tt_make *m)
{
    struct unit *u = unit_of(base);
    uint32_t n;

    (void)m;
    u->type = (const struct type *)(const void *)t;
    n = u->type->e.n_ref;
    u->is = tt_kept_new(&u->k, sizeof(struct state) + n * sizeof(double));
    if (!u->is || !TT_NEW_ARRAY(u->where, n))
        return 0;
    for (uint32_t i = 0; i < n; i++)
        u->where[i] = &u->is->x[i];
    return 1;
}

const struct tt_builtin tt_builtin_locate = {
    .type_size = sizeof(struct type),
    .unit_size = sizeof(struct unit),
    .caps = {.evaluates = TT_EVAL_ALWAYS, .event_mode = 1, .clocks = 1},
    .accepts = accepts,
    .read = read,
    .ops = &unit_ops,
    .begin = begin,
};
