/* SPDX-License-Identifier: MIT */
/* From the explicit form to code: names to slots, types and units checked. */
#include <stdio.h>
#include <string.h>

#include "adapt/adapt_impl.h"
#include "base/num.h"

enum where { INIT, BOUND, IN, MAP_IN, MAP_OUT, OUT, CTRL };
#define AT(w)  (1u << (w))
#define ALWAYS (AT(IN) | AT(MAP_IN) | AT(MAP_OUT) | AT(OUT) | AT(CTRL))
#define MAPS   (AT(MAP_IN) | AT(MAP_OUT))

/* Where each may be read, where it gets its value, and what it is called. */
static const struct {
    unsigned read, set;
    const char *what;
} may[] = {
    [SA_SYM_OWN_IN] = {AT(IN), 0, "an input"},
    [SA_SYM_OWN_OUT] = {0, AT(OUT), "an output"},
    [SA_SYM_PARAM] = {ALWAYS | AT(INIT) | AT(BOUND), 0, "a parameter"},
    [SA_SYM_IN_VAR] = {ALWAYS, AT(IN), "an in variable"},
    [SA_SYM_CTRL_VAR] = {ALWAYS, AT(CTRL), "a control variable"},
    [SA_SYM_OUT_VAR] = {ALWAYS, AT(MAP_OUT) | AT(CTRL), "an out variable"},
    [SA_SYM_LOCAL] = {ALWAYS, ALWAYS, "a variable"},
    [SA_SYM_INNER_IN] = {0, AT(MAP_IN) | AT(CTRL), "an input of an inner unit"},
    [SA_SYM_INNER_OUT] = {AT(MAP_OUT), 0, "an output of an inner unit"},
    [SA_SYM_LENGTH] = {MAPS | AT(CTRL), 0, "of the language"},
    [SA_SYM_DT] = {MAPS, 0, "of the language"},
};
static const char *const place[] = {
    [INIT] = "a first value",
    [BOUND] = "the bound of a loop",
    [IN] = "the first part of an in rule",
    [MAP_IN] = "the second part of an in rule",
    [MAP_OUT] = "the first part of an out rule",
    [OUT] = "the second part of an out rule",
    [CTRL] = "control rules",
};

struct loop {
    struct loop *outer;
    uint32_t *exit; /* jumps out of it */
    size_t n, cap;
};

struct compiler {
    struct sa_code *c;
    const struct sa_linked *l;
    const struct sa_prog *p;
    struct loop *loop;
    uint32_t n_call;
    double turns; /* of the loops around, as far as known */
    tt_err *err;
};

#define FAIL(k, at, ...) sa_fail((k)->p, (at), (k)->err, TT_EINPUT, __VA_ARGS__)

static enum tt_code no_memory(struct compiler *k)
{
    return tt_nomem(k->err, k->p->origin.name);
}

/* --- symbols -----------------------------------------------------------------
 */

static struct sa_sym *find(const struct compiler *k, const char *name)
{
    size_t own = strlen(k->p->name);

    if (!strncmp(name, k->p->name, own) && name[own] == '.')
        for (size_t i = k->c->n_sym; i-- > 0;)
            if (k->c->sym[i].kind <= SA_SYM_OWN_OUT &&
                !strcmp(k->c->sym[i].name, name + own + 1))
                return &k->c->sym[i];
    for (size_t i = k->c->n_sym; i-- > 0;)
        if (!k->c->sym[i].hidden && !strcmp(k->c->sym[i].name, name))
            return &k->c->sym[i];
    return NULL;
}

static struct sa_sym *add(struct compiler *k, const char *name,
                          enum sa_sym_kind kind, int is_bool, const char *unit)
{
    struct sa_sym *s = sa_push(k->c->arena, (void **)&k->c->sym, &k->c->n_sym,
                               &k->c->cap_sym, sizeof(*s));

    if (!s)
        return NULL;
    *s = (struct sa_sym){
        .name = name, .kind = kind, .is_bool = is_bool, .slot = k->c->n_slot};
    k->c->n_slot += kind == SA_SYM_INNER_IN ? 4 : 1;
    if (unit && tt_expr_unit_parse(&s->unit, unit, strlen(unit)) == 0) {
        s->unit.known = 1;
        s->unit.name = unit;
    }
    return s;
}

static enum tt_code add_new(struct compiler *k, const struct sa_tok *at,
                            const char *name, enum sa_sym_kind kind,
                            int is_bool, const char *unit)
{
    const struct sa_sym *was = find(k, name);

    if (was)
        return FAIL(k, at, "'%s' is %s already", name, may[was->kind].what);
    return add(k, name, kind, is_bool, unit) ? TT_OK : no_memory(k);
}

static enum tt_code add_ports(struct compiler *k, const sa_ports *ports,
                              enum sa_sym_kind kind)
{
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < ports->n && rc == TT_OK; i++) {
        rc = add_new(k, ports->v[i].at, ports->v[i].name, kind,
                     ports->v[i].type == SA_BOOL, ports->v[i].unit);
        k->c->sym[k->c->n_sym - 1].port = (uint32_t)i;
    }
    return rc;
}

static enum tt_code add_faces(struct compiler *k, uint32_t i)
{
    for (uint32_t f = 0; f < k->l->inner[i].n_face; f++) {
        const struct sa_face *face = &k->l->inner[i].face[f];
        struct tt_buf name;
        char *kept;
        struct sa_sym *s;

        tt_buf_init(&name, 4096);
        tt_buf_fmt(&name, "%s.%s", k->p->inner.v[i].name, face->name);
        kept = name.failed ? NULL : tt_arena_strdup(k->c->arena, name.data);
        tt_buf_fini(&name);
        s = kept
                ? add(k, kept, face->input ? SA_SYM_INNER_IN : SA_SYM_INNER_OUT,
                      face->type == SA_BOOL, face->unit)
                : NULL;
        if (!s)
            return no_memory(k);
        s->inner = i;
        s->port = face->port;
    }
    return TT_OK;
}

/* --- expressions
 * --------------------------------------------------------------- */

struct text {
    struct compiler *k;
    struct tt_buf out;
    enum where w;
    struct {
        size_t column;
        const struct sa_tok *tok;
    } * map;
    size_t n_map, cap_map, column;
    enum tt_code rc;
};

static void put(struct text *t, const char *s, const struct sa_tok *at)
{
    void *room = sa_push(t->k->c->arena, (void **)&t->map, &t->n_map,
                         &t->cap_map, sizeof(*t->map));

    if (!room) {
        t->rc = no_memory(t->k);
        return;
    }
    t->map[t->n_map - 1].column = t->column;
    t->map[t->n_map - 1].tok = at;
    tt_buf_fmt(&t->out, "%s ", s);
    for (; *s; s++)
        t->column += (*s & 0xc0) != 0x80;
    t->column++;
}

/* What stands at a column of the text that was made. */
static const struct sa_tok *token_at(const struct text *t, size_t column)
{
    const struct sa_tok *tok = t->map[0].tok;

    for (size_t i = 0; i < t->n_map && t->map[i].column <= column; i++)
        tok = t->map[i].tok;
    return tok;
}

/* The end of the argument that begins at i. */
static uint32_t argument(const struct sa_expr *e, uint32_t i)
{
    for (int depth = 0; i < e->n; i++) {
        if (depth == 0 && (sa_is(&e->tok[i], ",") || sa_is(&e->tok[i], ")")))
            return i;
        depth += sa_is(&e->tok[i], "(") - sa_is(&e->tok[i], ")");
    }
    return i;
}

static void put_range(struct text *t, const struct sa_expr *e, uint32_t from,
                      uint32_t to);

/* The arguments of the call whose name is at i. Answers where it ends. */
static uint32_t arguments(struct text *t, const struct sa_expr *e, uint32_t i,
                          struct sa_expr *arg, uint32_t n)
{
    const struct sa_tok *name = &e->tok[i];
    uint32_t from = i + 2, found = 0;

    for (;; from++) {
        uint32_t end = argument(e, from);

        if (end > from && found < n)
            arg[found] = (struct sa_expr){e->tok + from, end - from};
        found += end > from;
        from = end;
        if (end >= e->n || sa_is(&e->tok[end], ")"))
            break;
    }
    if (found != n && t->rc == TT_OK)
        t->rc = FAIL(t->k, name, "'%s' takes %u argument%s, not %u", name->s,
                     (unsigned)n, n == 1 ? "" : "s", (unsigned)found);
    return from;
}

/* |a - b| <= atol + rtol |b| */
static uint32_t put_close(struct text *t, const struct sa_expr *e, uint32_t i)
{
    const struct sa_tok *at = &e->tok[i];
    struct sa_expr a[4] = {{0}};
    uint32_t end = arguments(t, e, i, a, 4);

    if (t->rc != TT_OK)
        return end;
    put(t, "( abs ( (", at);
    put_range(t, &a[0], 0, a[0].n);
    put(t, ") - (", at);
    put_range(t, &a[1], 0, a[1].n);
    put(t, ") ) <= (", at);
    put_range(t, &a[3], 0, a[3].n);
    put(t, ") + (", at);
    put_range(t, &a[2], 0, a[2].n);
    put(t, ") * abs (", at);
    put_range(t, &a[1], 0, a[1].n);
    put(t, ") )", at);
    return end;
}

static enum tt_code call(struct compiler *k, const struct sa_expr *e,
                         uint32_t i, struct text *t, uint32_t *end,
                         uint32_t *slot);

/* A call of the control rules: made before, its result is a variable. */
static uint32_t put_call(struct text *t, const struct sa_expr *e, uint32_t i)
{
    uint32_t end = i + 1, slot;
    char name[32];
    const char *kept;

    if (t->w != CTRL) {
        t->rc = FAIL(t->k, &e->tok[i], "'%s' can only be used in control rules",
                     e->tok[i].s);
        return end;
    }
    t->rc = call(t->k, e, i, t, &end, &slot);
    if (t->rc != TT_OK)
        return end;
    (void)snprintf(name, sizeof(name), "_call%u", (unsigned)++t->k->n_call);
    kept = tt_arena_strdup(t->k->c->arena, name);
    if (!kept || !add(t->k, kept, SA_SYM_LOCAL, 0, NULL)) {
        t->rc = no_memory(t->k);
        return end;
    }
    t->k->c->sym[t->k->c->n_sym - 1].slot = slot;
    put(t, kept, &e->tok[i]);
    return end;
}

static void put_name(struct text *t, const struct sa_tok *tok)
{
    const struct sa_sym *s = find(t->k, tok->s);
    int is_t = !strcmp(tok->s, "t"), is_h = !strcmp(tok->s, "h");
    unsigned ok = is_t   ? MAPS | AT(CTRL)
                  : is_h ? MAPS
                  : s    ? may[s->kind].read
                         : ~0u;

    if (!(ok & AT(t->w)))
        t->rc = FAIL(t->k, tok, "'%s' is %s: it cannot be read in %s", tok->s,
                     s ? may[s->kind].what : "of the language", place[t->w]);
    else
        put(t, s && s->kind <= SA_SYM_OWN_OUT ? s->name : tok->s, tok);
}

static void put_range(struct text *t, const struct sa_expr *e, uint32_t from,
                      uint32_t to)
{
    for (uint32_t i = from; i < to && t->rc == TT_OK; i++) {
        const struct sa_tok *tok = &e->tok[i];
        int called = i + 1 < to && sa_is(&e->tok[i + 1], "(");

        if (called && sa_is(tok, "is_close"))
            i = put_close(t, e, i);
        else if (called &&
                 (sa_is(tok, "do_step") || sa_is(tok, "get_next_time_step")))
            i = put_call(t, e, i);
        else if (called && (sa_is(tok, "save_state") || sa_is(tok, "rollback")))
            t->rc = FAIL(t->k, tok, "'%s' has no value", tok->s);
        else if (tok->kind == SA_STRING)
            t->rc = FAIL(t->k, tok, "texts are not supported");
        else if (tok->kind == SA_NAME && !called)
            put_name(t, tok);
        else
            put(t, sa_is(tok, "<-") ? "< -" : tok->s, tok);
    }
}

static int find_variable(void *ctx, const char *name,
                         struct tt_expr_variable *v)
{
    const struct text *t = ctx;
    const struct sa_sym *s = find(t->k, name);

    if (!s)
        return -1;
    v->type = s->is_bool ? TT_BOOL : TT_F64;
    v->unit = s->unit;
    return 0;
}

static const char *candidate(const void *ctx, size_t i)
{
    const struct text *t = ctx;
    const struct sa_sym *s = &t->k->c->sym[i];

    return s->hidden || !(may[s->kind].read & AT(t->w)) ? NULL : s->name;
}

/* "1:14: there is no ...": at the place in the program. */
static enum tt_code placed(const struct text *t, tt_err *err)
{
    const char *rest = strstr(err->msg, ": ");
    char copy[TT_ERR_MAX], digits[24];
    int64_t column = 1;

    if (err->code != TT_EINPUT || strncmp(err->msg, "1:", 2) != 0 || !rest)
        return err->code;
    (void)snprintf(digits, sizeof(digits), "%.*s",
                   (int)(rest - err->msg - 2 < 20 ? rest - err->msg - 2 : 20),
                   err->msg + 2);
    (void)tt_num_parse_i64(digits, &column);
    (void)snprintf(copy, sizeof(copy), "%s", rest + 2);
    return FAIL(t->k, token_at(t, (size_t)column), "%s", copy);
}

static enum tt_code keep_expr(struct compiler *k, const struct text *t,
                              tt_expr *e, uint32_t *index)
{
    struct sa_code *c = k->c;
    tt_expr *room =
        sa_push(c->arena, (void **)&c->e, &c->n_e, &c->cap_e, sizeof(*c->e));
    uint32_t *first = sa_push(c->arena, (void **)&c->first_ref, &c->n_first,
                              &c->cap_first, sizeof(*first));

    (void)t;
    if (!room || !first)
        return no_memory(k);
    *room = *e;
    *first = (uint32_t)c->n_ref;
    *index = (uint32_t)c->n_e - 1;
    for (uint32_t i = 0; i < e->n_ref; i++) {
        uint32_t *ref = sa_push(c->arena, (void **)&c->ref, &c->n_ref,
                                &c->cap_ref, sizeof(*ref));

        if (!ref)
            return no_memory(k);
        *ref = find(k, e->ref[i].name)->slot;
    }
    return TT_OK;
}

static enum tt_code expression(struct compiler *k, const struct sa_expr *e,
                               enum where w, uint32_t *index)
{
    struct text t = {.k = k, .w = w, .column = 1};
    const struct tt_expr_scope scope = {
        .offers = (w == CTRL ? TT_EXPR_WITH_T : 0) |
                  (AT(w) & MAPS ? TT_EXPR_WITH_T | TT_EXPR_WITH_H : 0),
        .ctx = &t,
        .find = find_variable,
        .near = candidate};
    struct tt_expr_scope with = scope;
    tt_expr made;
    enum tt_code rc;

    tt_buf_init(&t.out, TT_EXPR_TEXT_MAX);
    put_range(&t, e, 0, e->n);
    rc = t.rc == TT_OK ? tt_buf_check(&t.out, "an expression", k->err) : t.rc;
    with.n_near = k->c->n_sym;
    if (rc == TT_OK) {
        tt_err mine = {0};

        rc = tt_expr_compile(&made, t.out.data, &with, k->c->arena, &mine);
        if (rc != TT_OK && k->err)
            *k->err = mine;
        if (rc != TT_OK)
            rc = k->err ? placed(&t, k->err) : rc;
    }
    if (rc == TT_OK && made.kind > TT_EXPR_BOOL)
        rc = FAIL(k, e->tok, "texts are not supported");
    if (rc == TT_OK)
        rc = keep_expr(k, &t, &made, index);
    tt_buf_fini(&t.out);
    return rc;
}

static enum tt_code number(struct compiler *k, const struct sa_expr *e,
                           enum where w, uint32_t *index)
{
    enum tt_code rc = expression(k, e, w, index);

    if (rc == TT_OK && k->c->e[*index].kind != TT_EXPR_NUMBER)
        return FAIL(k, e->tok, "expected a number, found %s",
                    tt_expr_kind_name(k->c->e[*index].kind));
    return rc;
}

static enum tt_code condition(struct compiler *k, const struct sa_expr *e,
                              enum where w, uint32_t *index)
{
    enum tt_code rc = expression(k, e, w, index);

    if (rc == TT_OK && k->c->e[*index].kind != TT_EXPR_BOOL)
        return FAIL(k, e->tok, "expected a Boolean, found %s",
                    tt_expr_kind_name(k->c->e[*index].kind));
    return rc;
}

/* --- operations
 * ----------------------------------------------------------------- */

static struct sa_op *op(struct compiler *k, enum sa_op_kind kind,
                        const struct sa_tok *at)
{
    struct sa_op *o = sa_push(k->c->arena, (void **)&k->c->op, &k->c->n_op,
                              &k->c->cap_op, sizeof(*o));

    if (o)
        *o = (struct sa_op){.kind = kind,
                            .slot = TT_NONE,
                            .other = TT_NONE,
                            .line = at->line,
                            .column = at->column};
    return o;
}

/* The slot that an expression is; TT_NONE: it is more. */
static uint32_t slot_of(const struct compiler *k, uint32_t e)
{
    return k->c->e[e].n_code == 1 && k->c->e[e].n_ref == 1
               ? k->c->ref[k->c->first_ref[e]]
               : TT_NONE;
}

static void set_expr(struct compiler *k, struct sa_op *o, uint32_t e)
{
    o->e = e;
    if (tt_expr_is_pair(&k->c->e[e], &o->pair))
        for (int i = 0; i < 2; i++)
            if (o->pair.ref[i] != TT_NONE)
                o->pair.ref[i] = k->c->ref[k->c->first_ref[e] + o->pair.ref[i]];
}

static enum tt_code assign(struct compiler *k, const struct sa_tok *at,
                           uint32_t slot, uint32_t mark, uint32_t e)
{
    struct sa_op *o = k->c->n_op ? &k->c->op[k->c->n_op - 1] : NULL;

    if (o && o->kind == SA_OP_STEP && mark == TT_NONE &&
        slot_of(k, e) == o->slot) { /* x := do_step(...) */
        o->slot = slot;
        return TT_OK;
    }
    o = op(k, SA_OP_ASSIGN, at);
    if (!o)
        return no_memory(k);
    o->slot = slot;
    o->other = mark;
    set_expr(k, o, e);
    o->from = slot_of(k, e);
    o->is_bool = k->c->e[e].kind == TT_EXPR_BOOL;
    return TT_OK;
}

static uint32_t inner_argument(struct compiler *k, const struct sa_expr *a)
{
    return a->n == 1 && a->tok->kind == SA_NAME
               ? sa_find_inner(k->l, a->tok->s, strlen(a->tok->s))
               : TT_NONE;
}

static const char *inner_name(const void *ctx, size_t i)
{
    return ((const struct sa_prog *)ctx)->inner.v[i].name;
}

static enum tt_code check_saves(struct compiler *k, const struct sa_tok *at,
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

static enum tt_code call(struct compiler *k, const struct sa_expr *e,
                         uint32_t i, struct text *t, uint32_t *end,
                         uint32_t *slot)
{
    const struct sa_tok *name = &e->tok[i];
    int steps = sa_is(name, "do_step"), saves = sa_is(name, "save_state"),
        back = sa_is(name, "rollback");
    struct sa_expr a[3] = {{0}};
    uint32_t inner, e1 = 0, e2 = 0;
    enum tt_code rc;
    struct sa_op *o;

    t->rc = TT_OK;
    *end = arguments(t, e, i, a, steps ? 3 : 1);
    if (t->rc != TT_OK)
        return t->rc;
    inner = inner_argument(k, &a[0]);
    if (inner == TT_NONE) {
        const char *near =
            tt_names_nearest(a[0].tok->s, k->p->inner.n, inner_name, k->p);

        return FAIL(k, a[0].tok, "there is no inner unit '%s'%s%s%s",
                    a[0].tok->s, near ? "; did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
    }
    rc = saves || back ? check_saves(k, name, inner) : TT_OK;
    if (rc == TT_OK && steps)
        rc = number(k, &a[1], CTRL, &e1);
    if (rc == TT_OK && steps)
        rc = number(k, &a[2], CTRL, &e2);
    o = rc == TT_OK ? op(k,
                         steps   ? SA_OP_STEP
                         : saves ? SA_OP_SAVE
                         : back  ? SA_OP_ROLLBACK
                                 : SA_OP_NEXT,
                         name)
                    : NULL;
    if (!o)
        return rc == TT_OK ? no_memory(k) : rc;
    *slot = k->c->n_slot++;
    o->slot = *slot;
    o->inner = inner;
    o->e = e1;
    o->e2 = e2;
    if (steps) {
        o->from = slot_of(k, e1);
        o->other = slot_of(k, e2);
    }
    return TT_OK;
}

/* --- statements
 * ------------------------------------------------------------------ */

static enum tt_code block(struct compiler *k, const struct sa_block *b,
                          enum where w);

static enum tt_code fits(struct compiler *k, const struct sa_tok *at,
                         const struct sa_sym *s, uint32_t e)
{
    const tt_expr *x = &k->c->e[e];
    int is_bool = x->kind == TT_EXPR_BOOL;

    if (s->is_bool != is_bool)
        return FAIL(k, at, "'%s' is %s, and what it is given is %s", s->name,
                    s->is_bool ? "a Boolean" : "a number",
                    is_bool ? "a Boolean" : "a number");
    if (s->unit.known && x->unit.known &&
        (memcmp(s->unit.exponent, x->unit.exponent, sizeof(s->unit.exponent)) !=
             0 ||
         s->unit.factor != x->unit.factor || s->unit.offset != x->unit.offset))
        return FAIL(k, at,
                    "'%s' is in %s, and what it is given is not: "
                    "convert it, as in x[%s]",
                    s->name, s->unit.name, s->unit.name);
    return TT_OK;
}

static enum tt_code set_symbol(struct compiler *k, const struct sa_stmt *q,
                               enum where w)
{
    struct sa_sym *s = find(k, q->name);
    uint32_t e;
    enum tt_code rc;

    if (!s) {
        struct text t = {.k = k, .w = w};
        const char *near =
            tt_names_nearest(q->name, k->c->n_sym, candidate, &t);

        return FAIL(k, q->at, "there is no variable '%s'%s%s%s", q->name,
                    near ? "; did you mean '" : "", near ? near : "",
                    near ? "'?" : "");
    }
    if (!(may[s->kind].set & AT(w)))
        return FAIL(k, q->at, "'%s' is %s: it cannot be assigned in %s",
                    q->name, may[s->kind].what, place[w]);
    rc = expression(k, &q->e, w, &e);
    s = find(k, q->name); /* symbols may have moved */
    if (rc == TT_OK)
        rc = fits(k, q->at, s, e);
    if (rc != TT_OK)
        return rc;
    s->set = 1;
    if (s->kind == SA_SYM_INNER_IN && w == CTRL)
        return assign(k, q->at, s->slot + 1, s->slot + 2, e);
    return assign(k, q->at, s->slot, TT_NONE, e);
}

static enum tt_code declare(struct compiler *k, const struct sa_tok *at,
                            const char *name, enum sa_type type,
                            enum sa_sym_kind kind, const char *unit, uint32_t e)
{
    int is_bool = type ? type == SA_BOOL : k->c->e[e].kind == TT_EXPR_BOOL;
    enum tt_code rc = add_new(k, at, name, kind, is_bool, unit);

    if (rc == TT_OK)
        rc = fits(k, at, &k->c->sym[k->c->n_sym - 1], e);
    return rc == TT_OK
               ? assign(k, at, k->c->sym[k->c->n_sym - 1].slot, TT_NONE, e)
               : rc;
}

static enum tt_code conditional(struct compiler *k, const struct sa_stmt *q,
                                enum where w)
{
    uint32_t e, unless, over;
    enum tt_code rc = condition(k, &q->e, w, &e);

    if (rc != TT_OK)
        return rc;
    unless = (uint32_t)k->c->n_op;
    if (!op(k, SA_OP_UNLESS, q->at))
        return no_memory(k);
    set_expr(k, &k->c->op[unless], e);
    rc = block(k, &q->body, w);
    if (rc == TT_OK && q->has_other) {
        over = (uint32_t)k->c->n_op;
        if (!op(k, SA_OP_JUMP, q->at))
            return no_memory(k);
        k->c->op[unless].to = (uint32_t)k->c->n_op;
        rc = block(k, &q->other, w);
        k->c->op[over].to = (uint32_t)k->c->n_op;
        return rc;
    }
    k->c->op[unless].to = (uint32_t)k->c->n_op;
    return rc;
}

/* What a bound is, if nothing can change it. */
static double constant(const struct compiler *k, uint32_t e)
{
    return k->c->e[e].n_ref
               ? 1
               : tt_expr_value(&k->c->e[e], &(struct tt_expr_at){0});
}

static enum tt_code loop_head(struct compiler *k, const struct sa_stmt *q,
                              uint32_t *from, uint32_t *to)
{
    enum tt_code rc = number(k, &q->e, BOUND, from);

    if (rc == TT_OK)
        rc = number(k, &q->to, BOUND, to);
    if (rc == TT_OK && !k->c->e[*from].n_ref && !k->c->e[*to].n_ref) {
        double n = constant(k, *to) - constant(k, *from);

        k->turns *= n > 1 ? n : 1;
        if (!(k->turns <= SA_TURNS))
            return FAIL(k, q->at, "more than %u turns of loops", SA_TURNS);
    }
    return rc;
}

static enum tt_code repeated(struct compiler *k, const struct sa_stmt *q,
                             enum where w)
{
    struct loop loop = {.outer = k->loop};
    double turns = k->turns;
    size_t scope = k->c->n_sym;
    uint32_t from, to, top, i;
    enum tt_code rc = loop_head(k, q, &from, &to);

    if (rc == TT_OK)
        rc = declare(k, q->at, q->name, SA_REAL, SA_SYM_LOCAL, NULL, from);
    if (rc == TT_OK) {
        i = k->c->sym[k->c->n_sym - 1].slot;
        rc = assign(k, q->at, k->c->n_slot++, TT_NONE, to);
        top = (uint32_t)k->c->n_op;
        if (rc == TT_OK && !op(k, SA_OP_TURN, q->at))
            return no_memory(k);
    }
    if (rc != TT_OK)
        return rc;
    k->c->op[top].slot = i;
    k->c->op[top].other = k->c->op[top - 1].slot;
    k->loop = &loop;
    rc = block(k, &q->body, w);
    k->loop = loop.outer;
    if (rc == TT_OK && !op(k, SA_OP_JUMP, q->at))
        return no_memory(k);
    k->c->op[k->c->n_op - 1].slot = i;
    k->c->op[k->c->n_op - 1].to = top;
    k->c->op[top].to = (uint32_t)k->c->n_op;
    for (size_t x = 0; x < loop.n; x++)
        k->c->op[loop.exit[x]].to = (uint32_t)k->c->n_op;
    for (size_t s = scope; s < k->c->n_sym; s++)
        k->c->sym[s].hidden = 1;
    k->turns = turns;
    return rc;
}

static enum tt_code leave(struct compiler *k, const struct sa_stmt *q)
{
    uint32_t *exit;

    if (!k->loop)
        return FAIL(k, q->at, "'break' is not in a loop");
    exit = sa_push(k->c->arena, (void **)&k->loop->exit, &k->loop->n,
                   &k->loop->cap, sizeof(*exit));
    if (!exit)
        return no_memory(k);
    *exit = (uint32_t)k->c->n_op;
    return op(k, SA_OP_JUMP, q->at) ? TT_OK : no_memory(k);
}

static enum tt_code called(struct compiler *k, const struct sa_stmt *q,
                           enum where w)
{
    static const char *const calls[] = {"do_step", "save_state", "rollback"};
    struct text t = {.k = k, .w = w};
    uint32_t end, slot;
    enum tt_code rc;

    if (q->e.n < 2 || !sa_is(&q->e.tok[1], "(") ||
        !tt_name_is_among(q->e.tok->s, calls, 3))
        return FAIL(k, q->at,
                    "'%s' is no statement: 'do_step', 'save_state' "
                    "and 'rollback' can be called",
                    q->e.tok->s);
    if (w != CTRL)
        return FAIL(k, q->at, "'%s' can only be used in control rules",
                    q->e.tok->s);
    rc = call(k, &q->e, 0, &t, &end, &slot);
    if (rc == TT_OK && end + 1 != q->e.n)
        return FAIL(k, &q->e.tok[end], "expected ';' behind the call of '%s'",
                    q->e.tok->s);
    return rc;
}

static enum tt_code answer(struct compiler *k, const struct sa_stmt *q,
                           enum where w)
{
    uint32_t e;
    enum tt_code rc;

    if (w != CTRL)
        return FAIL(k, q->at, "'return' can only be used in control rules");
    rc = number(k, &q->e, w, &e);
    if (rc == TT_OK && !op(k, SA_OP_RETURN, q->at))
        return no_memory(k);
    if (rc == TT_OK)
        k->c->op[k->c->n_op - 1].e = e;
    return rc;
}

static enum tt_code statement(struct compiler *k, const struct sa_stmt *q,
                              enum where w)
{
    uint32_t e;
    enum tt_code rc;

    switch (q->kind) {
    case SA_VAR:
        rc = expression(k, &q->e, w, &e);
        return rc == TT_OK
                   ? declare(k, q->at, q->name, q->type, SA_SYM_LOCAL, NULL, e)
                   : rc;
    case SA_ASSIGN:
        return set_symbol(k, q, w);
    case SA_IF:
        return conditional(k, q, w);
    case SA_FOR:
        return repeated(k, q, w);
    case SA_BREAK:
        return leave(k, q);
    case SA_CALL:
        return called(k, q, w);
    case SA_RETURN:
        break;
    }
    return answer(k, q, w);
}

static int ends_here(const struct sa_stmt *q)
{
    return q->kind == SA_RETURN || q->kind == SA_BREAK;
}

static enum tt_code block(struct compiler *k, const struct sa_block *b,
                          enum where w)
{
    size_t scope = k->c->n_sym;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < b->n && rc == TT_OK; i++) {
        if (i && ends_here(&b->v[i - 1]))
            return FAIL(k, b->v[i].at, "this is never reached");
        rc = statement(k, &b->v[i], w);
    }
    for (size_t s = scope; s < k->c->n_sym; s++)
        k->c->sym[s].hidden = 1;
    return rc;
}

static enum tt_code code_of(struct compiler *k, const struct sa_block *b,
                            enum where w, uint32_t *at)
{
    enum tt_code rc;

    *at = (uint32_t)k->c->n_op;
    rc = block(k, b, w);
    if (rc == TT_OK && !op(k, SA_OP_HALT, k->p->at))
        return no_memory(k);
    return rc;
}

/* --- sections
 * --------------------------------------------------------------------- */

static enum tt_code rules(struct compiler *k, const sa_rules *l,
                          struct sa_code_rules *out, enum where first,
                          enum where second)
{
    enum tt_code rc = TT_OK;

    out->rule = tt_arena_alloc(k->c->arena, l->n + 1, sizeof(*out->rule));
    out->n = (uint32_t)l->n;
    out->all = 1;
    if (!out->rule)
        return no_memory(k);
    for (size_t i = 0; i < l->n && rc == TT_OK; i++) {
        const struct sa_rule *q = &l->v[i];
        struct sa_code_rule *r = &out->rule[i];

        r->flag = k->c->n_slot++;
        r->when = TT_NONE;
        if (!q->when.n && i == 0)
            return FAIL(k, q->at, "'otherwise' needs a rule before it");
        if (q->when.n == 1 && sa_is(q->when.tok, "false"))
            return FAIL(k, q->at, "this rule never applies");
        r->always = q->when.n == 1 && sa_is(q->when.tok, "true");
        out->all &= r->always;
        if (q->when.n)
            rc = condition(k, &q->when, first, &r->when);
        if (rc == TT_OK)
            rc = code_of(k, &q->first, first, &r->first);
        if (rc == TT_OK)
            rc = code_of(k, &q->second, second, &r->second);
    }
    return rc;
}

static enum tt_code declarations(struct compiler *k, const sa_decls *l,
                                 enum sa_sym_kind kind)
{
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < l->n && rc == TT_OK; i++) {
        uint32_t e;

        rc = expression(k, &l->v[i].init, INIT, &e);
        if (rc == TT_OK)
            rc = declare(k, l->v[i].at, l->v[i].name, l->v[i].type, kind,
                         l->v[i].unit, e);
        if (rc == TT_OK)
            k->c->sym[k->c->n_sym - 1].port = (uint32_t)i;
    }
    return rc;
}

static enum tt_code symbols(struct compiler *k)
{
    enum tt_code rc = TT_OK;
    struct sa_sym *s = add(k, "H", SA_SYM_LENGTH, 0, "s");

    if (!s || !add(k, "dt", SA_SYM_DT, 0, "s"))
        return no_memory(k);
    k->c->slot_length = 0;
    k->c->slot_dt = 1;
    for (uint32_t i = 0; i < k->p->inner.n && rc == TT_OK; i++)
        rc = add_faces(k, i);
    if (rc == TT_OK)
        rc = add_ports(k, &k->p->in, SA_SYM_OWN_IN);
    if (rc == TT_OK)
        rc = add_ports(k, &k->p->out, SA_SYM_OWN_OUT);
    k->c->init_param = (uint32_t)k->c->n_op;
    if (rc == TT_OK)
        rc = declarations(k, &k->p->param, SA_SYM_PARAM);
    if (rc == TT_OK && !op(k, SA_OP_HALT, k->p->at))
        return no_memory(k);
    k->c->init_var = (uint32_t)k->c->n_op;
    if (rc == TT_OK)
        rc = declarations(k, &k->p->in_var, SA_SYM_IN_VAR);
    if (rc == TT_OK)
        rc = declarations(k, &k->p->ctrl_var, SA_SYM_CTRL_VAR);
    if (rc == TT_OK)
        rc = declarations(k, &k->p->out_var, SA_SYM_OUT_VAR);
    if (rc == TT_OK && !op(k, SA_OP_HALT, k->p->at))
        return no_memory(k);
    return rc;
}

static int returns(const struct sa_block *b)
{
    const struct sa_stmt *q = b->n ? &b->v[b->n - 1] : NULL;

    if (!q)
        return 0;
    return q->kind == SA_RETURN || (q->kind == SA_IF && q->has_other &&
                                    returns(&q->body) && returns(&q->other));
}

static enum tt_code wires(struct compiler *k)
{
    const struct sa_prog *p = k->p;

    k->c->wire =
        tt_arena_alloc(k->c->arena, p->conn.n + 1, sizeof(*k->c->wire));
    if (!k->c->wire)
        return no_memory(k);
    for (size_t i = 0; i < p->conn.n; i++) {
        const struct sa_sym *from = find(k, p->conn.v[i].from);
        struct sa_sym *to = find(k, p->conn.v[i].to);
        struct sa_wire *w = &k->c->wire[k->c->n_wire++];

        if (from->is_bool != to->is_bool)
            return FAIL(k, p->conn.v[i].at, "'%s' and '%s' are not of one type",
                        from->name, to->name);
        to->set = 1;
        *w = (struct sa_wire){.from = from->slot,
                              .to = to->slot,
                              .inner = to->inner,
                              .factor = 1,
                              .is_bool = to->is_bool};
        if (from->unit.known && to->unit.known) {
            w->factor = from->unit.factor / to->unit.factor;
            w->offset = (from->unit.offset - to->unit.offset) / to->unit.factor;
        }
    }
    return TT_OK;
}

enum tt_code sa_compile(struct sa_code *c, const struct sa_linked *l,
                        tt_err *err)
{
    struct compiler k = {.c = c, .l = l, .p = &l->prog, .turns = 1, .err = err};
    enum tt_code rc;

    c->arena = l->prog.arena;
    rc = symbols(&k);
    if (rc == TT_OK)
        rc = rules(&k, &k.p->in_rule, &c->in, IN, MAP_IN);
    if (rc == TT_OK)
        rc = rules(&k, &k.p->out_rule, &c->out, MAP_OUT, OUT);
    if (rc == TT_OK)
        rc = code_of(&k, &k.p->ctrl, CTRL, &c->ctrl);
    if (rc == TT_OK && !returns(&k.p->ctrl))
        return FAIL(&k, k.p->at,
                    "the control rules must end with 'return', "
                    "and the length of the step that was made");
    return rc == TT_OK ? wires(&k) : rc;
}
