/* SPDX-License-Identifier: MIT */
/* Unit kind formula: "tutti:formula: a + b". What an expression over its inputs
 * is, at the same instant: sums and gains that stand between other units. The
 * variables of the expression are the inputs; y is its value. */
#include <string.h>

#include "expr/expr.h"
#include "kinds/builtin.h"
#include "kinds/kept.h"

#define SOURCE "tutti:formula"
#define Y      "y"

struct type {
    struct tt_builtin_type b;
    tt_expr e;
};

struct unit {
    struct tt_kept_unit k;
    const tt_expr *e; /* borrowed: the type's */
    double *x;        /* k.is: per input */
};

static struct unit *unit_of(tt_unit *u)
{
    return (struct unit *)(void *)u;
}

static const double zero = 0;

/* --- unit ----------------------------------------------------------------- */

static enum tt_code get(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    const struct unit *u = unit_of(base);
    const struct tt_expr_at at = {.t = base->now, .value = u->k.where};

    (void)err;
    for (size_t i = 0; i < s->n; i++)
        ((double *)s->value)[i] = s->port[i] < u->e->n_ref
                                      ? u->x[s->port[i]]
                                      : tt_expr_value(u->e, &at);
    return TT_OK;
}

static enum tt_code set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    const struct unit *u = unit_of(base);

    for (size_t i = 0; i < s->n; i++) {
        if (s->port[i] >= u->e->n_ref)
            return tt_fail(err, TT_EINPUT, "'" Y "' is an output");
        u->x[s->port[i]] = ((const double *)s->value)[i];
    }
    return TT_OK;
}

static const struct tt_unit_ops unit_ops = {TT_BUILTIN_PLAIN};

/* --- kind ----------------------------------------------------------------- */

/* Any name is a variable. */
static int find(void *ctx, const char *name, struct tt_expr_variable *v)
{
    (void)ctx;
    (void)name;
    v->type = TT_F64;
    return 0;
}

static enum tt_code compile(struct type *t, const char *text, tt_err *err)
{
    const struct tt_expr_scope scope = {.offers = TT_EXPR_WITH_T, .find = find};
    enum tt_code rc;

    if (!*text)
        return tt_fail(err, TT_EINPUT,
                       "what to compute is missing, as in '" SOURCE ": a + b'");
    rc = tt_expr_compile(&t->e, text, &scope, t->b.arena, err);
    if (rc == TT_OK && t->e.kind != TT_EXPR_NUMBER)
        return tt_fail(err, TT_EINPUT, "'%.200s' is no number", text);
    return rc;
}

static int describe(struct type *t)
{
    uint32_t n = t->e.n_ref;
    struct tt_desc *d = &t->b.base.desc;
    struct tt_port *port =
        tt_arena_alloc(t->b.arena, (size_t)n + 1, sizeof(*port));
    struct tt_deps *deps =
        tt_arena_alloc(t->b.arena, (size_t)n + 1, sizeof(*deps));
    uint32_t *of = tt_arena_alloc(t->b.arena, (size_t)n + 1, sizeof(*of));

    if (!port || !deps || !of)
        return -1;
    for (uint32_t i = 0; i <= n; i++) {
        port[i] = (struct tt_port){
            TT_PORT_SCALAR, .name = i < n ? t->e.ref[i].name : Y,
            .type = TT_F64, .variability = TT_VAR_CONTINUOUS,
            .causality = i < n ? TT_CAUS_INPUT : TT_CAUS_OUTPUT};
        deps[i].known = 1;
        of[i] = i;
        if (tt_names_add(&d->by_name, port[i].name, i) != 0)
            return i < n ? -1 : 1;
        if (i < n)
            port[i].start = &zero;
        else
            port[i].initial = TT_INIT_CALCULATED;
    }
    deps[n] = (struct tt_deps){.known = 1, .n = n, .port = of};
    d->model = "formula";
    d->port = port;
    d->n_port = n + 1;
    d->run = d->init = deps;
    return 0;
}

static enum tt_code read(struct tt_builtin_type *b, const struct tt_source *s,
                         tt_err *err)
{
    struct type *t = (struct type *)(void *)b;
    const char *text = s->path + strlen(SOURCE);
    enum tt_code rc;

    text += *text == ':';
    rc = compile(t, text + strspn(text, " "), err);
    if (rc != TT_OK)
        return tt_context(err, rc, "%.200s", s->path);
    switch (describe(t)) {
    case 0:
        return TT_OK;
    case 1:
        return tt_fail(err, TT_EINPUT,
                       "%.200s: '" Y "' is what comes out, and no variable",
                       s->path);
    default:
        return tt_nomem(err, s->path);
    }
}

static int begin(tt_unit *base, const struct tt_builtin_type *t,
                 const struct tt_make *m)
{
    struct unit *u = unit_of(base);
    uint32_t n = base->desc->n_port - 1;

    (void)m;
    u->e = &((const struct type *)(const void *)t)->e;
    u->x = tt_kept_new(&u->k, ((size_t)n + 1) * sizeof(*u->x));
    u->k.where = u->x ? tt_zalloc((size_t)n + 1, sizeof(*u->k.where)) : NULL;
    for (uint32_t i = 0; u->k.where && i < n; i++)
        u->k.where[i] = &u->x[i];
    return u->k.where != NULL;
}

const struct tt_builtin tt_builtin_formula = {
    TT_BUILTIN_OF(struct type, struct unit),
    .source = SOURCE,
    .caps = {.evaluates = TT_EVAL_ALWAYS},
    .read = read,
    .begin = begin,
};
