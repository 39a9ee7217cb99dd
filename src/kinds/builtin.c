/* SPDX-License-Identifier: MIT */
#include "kinds/builtin.h"

#include "kinds/kinds.h"

static int takes(const struct tt_builtin *is, const struct tt_source *s)
{
    return is->source ? tt_kind_is_builtin(s, is->source) : is->accepts(s);
}

void tt_builtin_close(tt_unit_type *base)
{
    struct tt_builtin_type *t = (struct tt_builtin_type *)(void *)base;

    if (!t)
        return;
    if (t->is->forget)
        t->is->forget(t);
    tt_names_fini(&base->desc.by_name);
    tt_arena_free(t->arena);
    tt_free(t);
}

static struct tt_desc describe(const struct tt_kind_ops *kind,
                               const struct tt_caps *own)
{
    struct tt_desc d = {.kind = kind->name, .caps = *own, TT_KIND_NO_STANDARD};

    d.caps.threads = TT_THREADS_ANY;
    d.caps.save = d.caps.serialise = d.caps.variable_step = 1;
    tt_names_init(&d.by_name);
    return d;
}

struct tt_builtin_type *tt_builtin_new(const struct tt_kind_ops *kind,
                                       const struct tt_builtin *is)
{
    struct tt_builtin_type *t = tt_zalloc(1, is->type_size);

    if (!t)
        return NULL;
    t->is = is;
    t->base.kind = kind;
    t->base.desc = describe(kind, &is->caps);
    t->arena = tt_arena_new();
    if (t->arena)
        return t;
    tt_builtin_close(&t->base);
    return NULL;
}

static enum tt_code open_type(tt_unit_type **out,
                              const struct tt_kind_ops *kind,
                              const struct tt_builtin *is,
                              const struct tt_source *s, tt_err *err)
{
    struct tt_builtin_type *t = tt_builtin_new(kind, is);
    enum tt_code rc;

    if (!t)
        return tt_fail(err, TT_ENOMEM, "opening %s", s->path);
    rc = is->read(t, s, err);
    return TT_HAND_OVER(rc, out, &t->base, tt_builtin_close);
}

enum tt_code tt_builtin_make(tt_unit **out, tt_unit_type *base,
                             const struct tt_make *m, tt_err *err)
{
    const struct tt_builtin_type *t =
        (const struct tt_builtin_type *)(const void *)base;
    tt_unit *u = tt_zalloc(1, t->is->unit_size);
    enum tt_code rc =
        u ? tt_unit_init(u, t->is->ops, &base->desc, m, err) : TT_ENOMEM;

    if (!u || (rc == TT_OK && !t->is->begin(u, t, m)))
        rc = tt_fail(err, TT_ENOMEM, "instance '%s' (%s): out of memory",
                     m->name, base->desc.kind);
    if (rc == TT_OK && t->is->check)
        rc = t->is->check(u, m, err);
    if (rc == TT_OK)
        *out = u;
    else if (u)
        t->is->ops->free(u);
    return rc;
}

void tt_builtin_free(tt_unit *u)
{
    tt_unit_fini(u);
    tt_free(u);
}

#define KIND(id)                                                               \
    static int accepts_##id(const struct tt_source *s)                         \
    {                                                                          \
        return takes(&tt_builtin_##id, s);                                     \
    }                                                                          \
                                                                               \
    static enum tt_code open_##id(tt_unit_type **out,                          \
                                  const struct tt_source *s, tt_err *err)      \
    {                                                                          \
        return open_type(out, &tt_kind_##id, &tt_builtin_##id, s, err);        \
    }                                                                          \
                                                                               \
    const struct tt_kind_ops tt_kind_##id = {.name = #id,                      \
                                             .accepts = accepts_##id,          \
                                             .open = open_##id,                \
                                             .close = tt_builtin_close,        \
                                             .make = tt_builtin_make};

KIND(signal)
KIND(coupling)
KIND(clock)
KIND(locate)
KIND(block)
KIND(formula)
KIND(devs)
KIND(library)
KIND(map)
KIND(script)
KIND(gate)
