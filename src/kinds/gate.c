/* SPDX-License-Identifier: MIT */
/* Unit kind gate: stands on a connection that a script touches. What comes out
 * is one of its sources, or a value it is given; or a fault, in place of that
 * or added to it. It decides nothing itself. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "kinds/script_impl.h"

#define SOURCE "tutti:gate:"

/* Ports: sources, variables of faults, then: */
enum role {
    ROLE_HOW,
    ROLE_FAULT,
    ROLE_VALUE,
    ROLE_START,
    ROLE_Y,
    ROLE_BASE,
    ROLES
};

struct state {
    int32_t how; /* 0: the first source, or `start` where there is none; a
                    source; -1: `value` */
    int32_t fault;
    double value, start;
    double x[]; /* per source, then per variable */
};

struct unit {
    struct tt_kept_unit k;
    const struct tt_script_type *type; /* borrowed */
    struct state *is;                  /* k.is */
};

static struct unit *unit_of(tt_unit *u)
{
    return (struct unit *)(void *)u;
}

static const struct tt_sc_gate *gate_of(const struct tt_script_type *t)
{
    return &t->s->gate[t->gate];
}

static uint32_t n_number(const struct tt_script_type *t)
{
    return gate_of(t)->n_source + gate_of(t)->n_variable;
}

static double base_of(const struct unit *u)
{
    const struct tt_sc_gate *g = gate_of(u->type);

    if (u->is->how > 0 && (uint32_t)u->is->how <= g->n_source)
        return u->is->x[u->is->how - 1];
    if (u->is->how < 0)
        return u->is->value;
    return g->connected ? u->is->x[0] : u->is->start;
}

static double output(const struct unit *u)
{
    const struct tt_sc_script *s = u->type->s;
    uint32_t f = (uint32_t)u->is->fault - 1;
    double v;

    if (u->is->fault <= 0 || f >= s->n_fault ||
        s->fault[f].gate != u->type->gate)
        return base_of(u);
    v = tt_script_value(u->type, f, u->k.where, u->k.base.now);
    return s->fault[f].bias ? base_of(u) + v : v;
}

static enum tt_code get(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    const struct unit *u = unit_of(base);
    uint32_t n = n_number(u->type);

    (void)err;
    for (size_t i = 0; i < s->n; i++) {
        uint32_t port = s->port[i];
        double *to = (double *)s->value + i;

        if (port < n)
            *to = u->is->x[port];
        else if (port == n + ROLE_HOW || port == n + ROLE_FAULT)
            ((int32_t *)s->value)[i] =
                port == n + ROLE_HOW ? u->is->how : u->is->fault;
        else if (port == n + ROLE_Y || port == n + ROLE_BASE)
            *to = port == n + ROLE_Y ? output(u) : base_of(u);
        else
            *to = port == n + ROLE_VALUE ? u->is->value : u->is->start;
    }
    return TT_OK;
}

static enum tt_code set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    const struct unit *u = unit_of(base);
    uint32_t n = n_number(u->type);

    for (size_t i = 0; i < s->n; i++) {
        uint32_t port = s->port[i];

        if (port == n + ROLE_HOW)
            u->is->how = ((const int32_t *)s->value)[i];
        else if (port == n + ROLE_FAULT)
            u->is->fault = ((const int32_t *)s->value)[i];
        else if (port < n)
            u->is->x[port] = ((const double *)s->value)[i];
        else if (port == n + ROLE_VALUE)
            u->is->value = ((const double *)s->value)[i];
        else if (port == n + ROLE_START)
            u->is->start = ((const double *)s->value)[i];
        else
            return tt_fail(err, TT_EINPUT, "'%s' is an output",
                           base->desc->port[port].name);
    }
    return TT_OK;
}

static const struct tt_unit_ops unit_ops = {TT_BUILTIN_PLAIN};

/* --- the type ------------------------------------------------------------- */

/* Its number behind the scheme, from 1 on; 0: it is none of the script's. */
static uint32_t number_of(const struct tt_source *s)
{
    double n;

    return s->script && tt_num_parse(s->path + strlen(SOURCE), &n) == 0 &&
                   n >= 1 && n <= s->script->n_gate && n == floor(n)
               ? (uint32_t)n
               : 0;
}

static enum tt_code add_ports(struct tt_script_type *t, tt_err *err)
{
    const struct tt_sc_gate *g = gate_of(t);
    struct tt_port in = tt_script_input, out = tt_script_output;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < g->n_source && rc == TT_OK; i++)
        rc = tt_script_port(t, "u", i + 1, &in, err);
    for (uint32_t i = 0; i < g->n_variable && rc == TT_OK; i++)
        rc = tt_script_port(t, "x", i + 1, &in, err);
    in.type = TT_I32;
    in.variability = TT_VAR_DISCRETE;
    in.start = NULL;
    if (rc == TT_OK)
        rc = tt_script_port(t, "how", 0, &in, err);
    if (rc == TT_OK)
        rc = tt_script_port(t, "fault", 0, &in, err);
    in.type = TT_F64;
    if (rc == TT_OK)
        rc = tt_script_port(t, "value", 0, &in, err);
    in.causality = TT_CAUS_PARAMETER;
    in.variability = TT_VAR_FIXED;
    in.initial = TT_INIT_EXACT;
    if (rc == TT_OK)
        rc = tt_script_port(t, "start", 0, &in, err);
    out.text = g->name;
    if (rc == TT_OK)
        rc = tt_script_port(t, "y", 0, &out, err);
    out.text = "y without faults";
    out.hidden = 1;
    if (rc == TT_OK)
        rc = tt_script_port(t, "base", 0, &out, err);
    return rc == TT_OK ? tt_script_deps(t, 0, n_number(t) + ROLE_START, err)
                       : rc;
}

/* Its base does not follow from variables: these may be made of it. */
static enum tt_code narrow(struct tt_script_type *t, tt_err *err)
{
    uint32_t n = n_number(t), k = gate_of(t)->n_source;
    uint32_t *port = tt_arena_alloc(t->b.arena, (size_t)k + 2, sizeof(*port));

    if (!port)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < k; i++)
        port[i] = i;
    port[k] = n + ROLE_HOW;
    port[k + 1] = n + ROLE_VALUE;
    t->deps[n + ROLE_BASE] =
        (struct tt_deps){.known = 1, .n = k + 2, .port = port};
    return TT_OK;
}

/* Those of other gates are not its own. */
static enum tt_code compile(struct tt_script_type *t, tt_err *err)
{
    const struct tt_sc_script *s = t->s;
    const struct tt_sc_gate *g = gate_of(t);
    const char **text = tt_arena_alloc(t->b.arena, s->n_fault, sizeof(*text));
    enum tt_code rc;

    if (!text)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < s->n_fault; i++)
        text[i] = s->fault[i].gate == t->gate ? s->fault[i].value : NULL;
    rc =
        tt_script_compile(t, text, s->n_fault, g->variable, g->n_variable, err);
    for (uint32_t i = 0; i < t->n_at; i++)
        t->at[i] += g->n_source;
    return rc;
}

static enum tt_code read(struct tt_builtin_type *b, const struct tt_source *s,
                         tt_err *err)
{
    struct tt_script_type *t = (struct tt_script_type *)(void *)b;
    uint32_t number = number_of(s);
    enum tt_code rc;

    if (!number)
        return tt_fail(err, TT_EINPUT,
                       "%s: gates are made by 'script', where they are needed",
                       s->path);
    t->gate = number - 1;
    rc =
        tt_script_type_begin(t, s,
                             s->script->gate[number - 1].n_source +
                                 s->script->gate[number - 1].n_variable + ROLES,
                             err);
    if (rc == TT_OK)
        rc = add_ports(t, err);
    if (rc == TT_OK)
        rc = narrow(t, err);
    return rc == TT_OK ? compile(t, err) : rc;
}

static int accepts(const struct tt_source *s)
{
    return !strncmp(s->path, SOURCE, strlen(SOURCE));
}

static int begin(tt_unit *base, const struct tt_builtin_type *t,
                 const struct tt_make *m)
{
    struct unit *u = unit_of(base);

    (void)m;
    u->type = tt_script_of(t);
    u->is = tt_kept_new(&u->k, sizeof(struct state) +
                                   n_number(u->type) * sizeof(double));
    u->k.where = u->is ? tt_script_where(u->type, u->is->x) : NULL;
    return u->k.where != NULL;
}

const struct tt_builtin tt_builtin_gate = {
    TT_BUILTIN_OF(struct tt_script_type, struct unit), TT_SCRIPT_CAPS,
    TT_HOOKS(, accepts, read, begin)};
