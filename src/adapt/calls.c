/* SPDX-License-Identifier: MIT */
/* Calls that control rules make. */
#include <string.h>

#include "adapt/compile_impl.h"

#define MOST_ARGUMENTS 33

static uint32_t inner_argument(struct sa_compiler *k, const struct sa_expr *a)
{
    return a->n == 1 && a->tok->kind == SA_NAME
               ? sa_find_inner(k->l, a->tok->s, strlen(a->tok->s))
               : TT_NONE;
}

static const char *inner_name(const void *ctx, size_t i)
{
    return ((const struct sa_prog *)ctx)->inner.v[i].name;
}

static enum tt_code check_saves(struct sa_compiler *k, const struct sa_tok *at,
                                uint32_t inner)
{
    const tt_unit_type *t = k->l->inner[inner].type;

    k->c->saves = 1;
    if (!t || t->desc.caps.save)
        return TT_OK;
    return sa_fail(k->p, at, k->err, TT_EUNSUPPORTED,
                   "'%s' cannot save its state, so that '%s' is not possible",
                   k->p->inner.v[inner].name, at->s);
}

static enum tt_code unknown_inner(struct sa_phrase *t, const struct sa_tok *tok)
{
    const struct sa_prog *p = t->k->p;
    const char *near = tt_names_nearest(tok->s, p->inner.n, inner_name, p);

    return FAIL(t->k, tok, "there is no inner unit '%s'%s%s%s", tok->s,
                near ? "; did you mean '" : "", near ? near : "",
                near ? "'?" : "");
}

/* Begins anew: that needs its state as bytes, which registers hold. */
static enum tt_code check_restarts(struct sa_compiler *k,
                                   const struct sa_tok *at, uint32_t inner)
{
    const tt_unit_type *t = k->l->inner[inner].type;

    k->c->saves = 1;
    if (t && t->desc.caps.discrete)
        return sa_fail(k->p, at, k->err, TT_EUNSUPPORTED,
                       "'%s' changes at events only, and does not begin anew",
                       k->p->inner.v[inner].name);
    if (!t || t->desc.caps.serialise)
        return TT_OK;
    return sa_fail(k->p, at, k->err, TT_EUNSUPPORTED,
                   "'%s' cannot give its state as bytes, so that '%s' is not "
                   "possible",
                   k->p->inner.v[inner].name, at->s);
}

static enum tt_code give(struct sa_compiler *k, const struct sa_expr *name,
                         const struct sa_expr *v, uint32_t inner)
{
    const tt_unit_type *t = k->l->inner[inner].type;
    const char *near, *port = name->tok->s;
    uint32_t at = t ? tt_desc_find(&t->desc, port) : 0, e = 0;
    enum tt_code rc;
    struct sa_give *g;

    if (name->n != 1 || name->tok->kind != SA_NAME)
        return FAIL(k, name->tok, "expected the name of a variable, found '%s'",
                    port);
    if (at == TT_NONE || (t && (t->desc.port[at].n != 1 ||
                                !tt_type_is_float(t->desc.port[at].type)))) {
        near = tt_desc_nearest(&t->desc, port, -1);
        return FAIL(k, name->tok, "'%s' has no real variable '%s'%s%s%s",
                    k->p->inner.v[inner].name, port,
                    near ? "; did you mean '" : "", near ? near : "",
                    near ? "'?" : "");
    }
    rc = sa_number(k, v, CTRL, &e);
    if (rc != TT_OK)
        return rc;
    g = sa_push(k->c->arena, (void **)&k->c->give, &k->c->n_give,
                &k->c->cap_give, sizeof(*g));
    if (!g)
        return sa_no_memory(k);
    *g = (struct sa_give){at, e};
    return TT_OK;
}

/* reinitialise(f, x, value of x, y, value of y ...) */
static enum tt_code restart(struct sa_compiler *k, const struct sa_tok *name,
                            const struct sa_expr *a, uint32_t n, uint32_t inner)
{
    uint32_t first = (uint32_t)k->c->n_give;
    enum tt_code rc = check_restarts(k, name, inner);
    struct sa_op *o;

    for (uint32_t i = 1; i < n && rc == TT_OK; i += 2)
        rc = give(k, &a[i], &a[i + 1], inner);
    if (rc != TT_OK)
        return rc;
    o = sa_add_op(k, SA_OP_RESTART, name);
    if (!o)
        return sa_no_memory(k);
    o->inner = inner;
    o->other = first;
    o->to = n / 2;
    return TT_OK;
}

static enum tt_code message(struct sa_compiler *k, const struct sa_tok *name,
                            const struct sa_expr *a)
{
    struct sa_op *o;

    if (a->n != 1 || a->tok->kind != SA_STRING)
        return FAIL(k, a->tok, "'%s' takes a text in quotes", name->s);
    o = sa_add_op(k, sa_is(name, "warn") ? SA_OP_WARN : SA_OP_FAIL, name);
    if (!o)
        return sa_no_memory(k);
    o->text = a->tok->s;
    o->other = k->c->n_warn++;
    return TT_OK;
}

/* do_step, and those of one inner unit. */
static enum tt_code on_inner(struct sa_compiler *k, const struct sa_tok *name,
                             const struct sa_expr *a, uint32_t inner,
                             uint32_t *slot)
{
    int steps = sa_is(name, "do_step"), saves = sa_is(name, "save_state"),
        back = sa_is(name, "rollback");
    uint32_t e1 = 0, e2 = 0;
    enum tt_code rc = saves || back ? check_saves(k, name, inner) : TT_OK;
    struct sa_op *o;

    if (rc == TT_OK && steps)
        rc = sa_number(k, &a[1], CTRL, &e1);
    if (rc == TT_OK && steps)
        rc = sa_number(k, &a[2], CTRL, &e2);
    o = rc == TT_OK ? sa_add_op(k,
                                steps   ? SA_OP_STEP
                                : saves ? SA_OP_SAVE
                                : back  ? SA_OP_ROLLBACK
                                        : SA_OP_NEXT,
                                name)
                    : NULL;
    if (!o)
        return rc == TT_OK ? sa_no_memory(k) : rc;
    *slot = k->c->n_slot++;
    o->slot = *slot;
    o->inner = inner;
    o->e = e1;
    o->e2 = e2;
    if (steps) {
        o->from = sa_slot_of(k, e1);
        o->other = sa_slot_of(k, e2);
    }
    return TT_OK;
}

/* reinitialise(f, ...) takes as many as there are. */
static enum tt_code call_restart(struct sa_compiler *k, const struct sa_expr *e,
                                 uint32_t i, struct sa_phrase *t, uint32_t *end)
{
    struct sa_expr a[MOST_ARGUMENTS] = {{0}};
    const struct sa_tok *name = &e->tok[i];
    uint32_t n = sa_arguments_up_to(e, i, a, MOST_ARGUMENTS, end);
    uint32_t inner = n ? inner_argument(k, &a[0]) : TT_NONE;

    if (n > MOST_ARGUMENTS || n % 2 == 0)
        return FAIL(k, name,
                    "'%s' takes an inner unit, and at most %d pairs of a "
                    "variable and its value",
                    name->s, MOST_ARGUMENTS / 2);
    return inner == TT_NONE ? unknown_inner(t, a[0].tok)
                            : restart(k, name, a, n, inner);
}

enum tt_code sa_call(struct sa_compiler *k, const struct sa_expr *e, uint32_t i,
                     struct sa_phrase *t, uint32_t *end, uint32_t *slot)
{
    const struct sa_tok *name = &e->tok[i];
    struct sa_expr a[3] = {{0}};
    uint32_t inner;

    if (sa_is(name, "reinitialise"))
        return call_restart(k, e, i, t, end);
    t->rc = TT_OK;
    *end = sa_arguments(t, e, i, a, sa_is(name, "do_step") ? 3 : 1);
    if (t->rc != TT_OK)
        return t->rc;
    if (sa_is(name, "warn") || sa_is(name, "fail"))
        return message(k, name, a);
    inner = inner_argument(k, &a[0]);
    return inner == TT_NONE ? unknown_inner(t, a[0].tok)
                            : on_inner(k, name, a, inner, slot);
}
