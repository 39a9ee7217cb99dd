/* SPDX-License-Identifier: MIT */
#include "kinds/script_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "kinds/kinds.h"

static const double zero = 0;

#define LIKE                                                                   \
    .type = TT_F64, .variability = TT_VAR_CONTINUOUS, .n = 1,                  \
    .min = -HUGE_VAL, .max = HUGE_VAL, .nominal = 1, .derivative_of = TT_NONE

const struct tt_port tt_script_input = {LIKE, .causality = TT_CAUS_INPUT,
                                        .start = &zero, .hidden = 1};
const struct tt_port tt_script_output = {LIKE, .causality = TT_CAUS_OUTPUT,
                                         .initial = TT_INIT_CALCULATED};

static const struct tt_desc like_all = {
    .caps = {.evaluates = TT_EVAL_ALWAYS,
             .threads = TT_THREADS_ANY,
             .save = 1,
             .serialise = 1,
             .variable_step = 1,
             .untyped = 1,
             .script = 1},
    TT_KIND_NO_STANDARD,
};

enum tt_code tt_script_type_new(struct tt_script_type **out,
                                const struct tt_kind_ops *kind,
                                const struct tt_source *s, uint32_t n_port,
                                tt_err *err)
{
    struct tt_script_type *t;

    if (!TT_NEW(t))
        return tt_fail(err, TT_ENOMEM, "opening %s", s->path);
    t->base.kind = kind;
    t->base.desc = like_all;
    t->base.desc.kind = t->base.desc.model = kind->name;
    t->s = s->script;
    t->most_port = n_port;
    tt_names_init(&t->base.desc.by_name);
    t->arena = tt_arena_new();
    t->port =
        t->arena ? tt_arena_alloc(t->arena, n_port, sizeof(*t->port)) : NULL;
    t->base.desc.port = t->port;
    *out = t;
    return t->port ? TT_OK : tt_fail(err, TT_ENOMEM, "opening %s", s->path);
}

void tt_script_type_close(tt_unit_type *base)
{
    struct tt_script_type *t = (struct tt_script_type *)(void *)base;

    if (!t)
        return;
    tt_names_fini(&t->base.desc.by_name);
    tt_arena_free(t->arena);
    tt_free(t);
}

enum tt_code tt_script_type_done(tt_unit_type **out, struct tt_script_type *t,
                                 enum tt_code rc)
{
    if (rc == TT_OK)
        *out = &t->base;
    else if (t)
        tt_script_type_close(&t->base);
    return rc;
}

enum tt_code tt_script_port(struct tt_script_type *t, const char *name,
                            uint32_t number, const struct tt_port *like,
                            tt_err *err)
{
    uint32_t i = t->base.desc.n_port;
    char text[32];

    TT_ASSERT(i < t->most_port);
    if (number)
        (void)snprintf(text, sizeof(text), "%s%u", name, number);
    t->port[i] = *like;
    t->port[i].name = number ? tt_arena_strdup(t->arena, text) : name;
    if (!t->port[i].name ||
        tt_names_add(&t->base.desc.by_name, t->port[i].name, i) != 0)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    t->base.desc.n_port = i + 1;
    return TT_OK;
}

enum tt_code tt_script_deps(struct tt_script_type *t, uint32_t from,
                            uint32_t to, tt_err *err)
{
    uint32_t n = t->base.desc.n_port;
    struct tt_deps *deps = tt_arena_alloc(t->arena, n, sizeof(*deps));
    uint32_t *port = tt_arena_alloc(t->arena, n, sizeof(*port));

    if (!deps || !port)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = from; i < to; i++)
        port[i - from] = i;
    for (uint32_t i = 0; i < n; i++) {
        deps[i].known = 1;
        if (t->port[i].causality == TT_CAUS_OUTPUT)
            deps[i] =
                (struct tt_deps){.known = 1, .n = to - from, .port = port};
    }
    t->deps = deps;
    t->base.desc.run = t->base.desc.init = deps;
    return TT_OK;
}

/* --- expressions ---------------------------------------------------------- */

/* The scenario's reader has looked at them. */
static int find(void *ctx, const char *name, struct tt_expr_variable *v)
{
    (void)ctx;
    (void)name;
    (void)v;
    return 0;
}

static enum tt_code bind(struct tt_script_type *t, const tt_expr *e,
                         const char *const *variable, uint32_t n_variable,
                         tt_err *err)
{
    uint32_t *at =
        tt_arena_alloc(t->arena, (size_t)t->n_at + e->n_ref, sizeof(*at));

    if (!at)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < t->n_at; i++)
        at[i] = t->at[i];
    for (uint32_t i = 0; i < e->n_ref; i++) {
        uint32_t v = 0;

        while (v < n_variable && strcmp(variable[v], e->ref[i].name) != 0)
            v++;
        if (v == n_variable)
            return tt_fail(err, TT_EINPUT, "there is no variable '%s'",
                           e->ref[i].name);
        at[t->n_at++] = v;
    }
    t->at = at;
    return TT_OK;
}

enum tt_code tt_script_compile(struct tt_script_type *t,
                               const char *const *text, uint32_t n,
                               const char *const *variable, uint32_t n_variable,
                               tt_err *err)
{
    const struct tt_expr_scope scope = {.offers = TT_EXPR_WITH_T, .find = find};
    enum tt_code rc = TT_OK;

    t->e = tt_arena_alloc(t->arena, n, sizeof(*t->e));
    t->first = tt_arena_alloc(t->arena, n, sizeof(*t->first));
    if (!t->e || !t->first)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        t->first[i] = t->n_at;
        if (!text[i])
            continue;
        rc = tt_expr_compile(&t->e[i], text[i], &scope, t->arena, err);
        if (rc == TT_OK)
            rc = bind(t, &t->e[i], variable, n_variable, err);
    }
    return rc;
}

const void **tt_script_where(const struct tt_script_type *t, const double *x)
{
    const void **where = tt_zalloc((size_t)t->n_at + 1, sizeof(*where));

    for (uint32_t i = 0; where && i < t->n_at; i++)
        where[i] = &x[t->at[i]];
    return where;
}
