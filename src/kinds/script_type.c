/* SPDX-License-Identifier: MIT */
#include "kinds/script_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "kinds/kinds.h"

static const double zero = 0;

#define LIKE TT_PORT_SCALAR, .type = TT_F64, .variability = TT_VAR_CONTINUOUS

const struct tt_port tt_script_input = {LIKE, .causality = TT_CAUS_INPUT,
                                        .start = &zero, .hidden = 1};
const struct tt_port tt_script_output = {LIKE, .causality = TT_CAUS_OUTPUT,
                                         .initial = TT_INIT_CALCULATED};

enum tt_code tt_script_type_begin(struct tt_script_type *t,
                                  const struct tt_source *s, uint32_t n_port,
                                  tt_err *err)
{
    t->s = s->script;
    t->most_port = n_port;
    t->port = tt_arena_alloc(t->b.arena, n_port, sizeof(*t->port));
    t->b.base.desc.model = t->b.base.desc.kind;
    t->b.base.desc.port = t->port;
    return t->port ? TT_OK : tt_fail(err, TT_ENOMEM, "opening %s", s->path);
}

enum tt_code tt_script_port(struct tt_script_type *t, const char *name,
                            uint32_t number, const struct tt_port *like,
                            tt_err *err)
{
    uint32_t i = t->b.base.desc.n_port;
    char text[32];

    TT_ASSERT(i < t->most_port);
    if (number)
        (void)snprintf(text, sizeof(text), "%s%u", name, number);
    t->port[i] = *like;
    t->port[i].name = number ? tt_arena_strdup(t->b.arena, text) : name;
    if (!t->port[i].name ||
        tt_names_add(&t->b.base.desc.by_name, t->port[i].name, i) != 0)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    t->b.base.desc.n_port = i + 1;
    return TT_OK;
}

enum tt_code tt_script_deps(struct tt_script_type *t, uint32_t from,
                            uint32_t to, tt_err *err)
{
    uint32_t n = t->b.base.desc.n_port;
    struct tt_deps *deps = tt_arena_alloc(t->b.arena, n, sizeof(*deps));
    uint32_t *port = tt_arena_alloc(t->b.arena, n, sizeof(*port));

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
    t->b.base.desc.run = t->b.base.desc.init = deps;
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
        tt_arena_alloc(t->b.arena, (size_t)t->n_at + e->n_ref, sizeof(*at));

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

    if (!TT_NEW_IN(t->b.arena, t->e, n) || !TT_NEW_IN(t->b.arena, t->first, n))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        t->first[i] = t->n_at;
        if (!text[i])
            continue;
        rc = tt_expr_compile(&t->e[i], text[i], &scope, t->b.arena, err);
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
