/* SPDX-License-Identifier: MIT */
/* Names, expressions and operations of code. */
#include <stdio.h>
#include <string.h>

#include "adapt/compile_impl.h"
#include "base/num.h"

const struct sa_may sa_may[] = {
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
    [SA_SYM_MAY] = {AT(CTRL), 0, "of the language"},
    [SA_SYM_DT] = {MAPS, 0, "of the language"},
};
const char *const sa_place[] = {
    [INIT] = "a first value",
    [BOUND] = "the bound of a loop",
    [IN] = "the first part of an in rule",
    [MAP_IN] = "the second part of an in rule",
    [MAP_OUT] = "the first part of an out rule",
    [OUT] = "the second part of an out rule",
    [CTRL] = "control rules",
};

enum tt_code sa_no_memory(struct sa_compiler *k)
{
    return tt_nomem(k->err, k->p->origin.name);
}

/* --- symbols -----------------------------------------------------------------
 */

struct sa_sym *sa_find_sym(const struct sa_compiler *k, const char *name)
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

struct sa_sym *sa_add_sym(struct sa_compiler *k, const char *name,
                          enum sa_sym_kind kind, int is_bool, const char *unit)
{
    struct sa_sym *s = sa_push(k->c->arena, (void **)&k->c->sym, &k->c->n_sym,
                               &k->c->cap_sym, sizeof(*s));

    if (!s)
        return NULL;
    *s = (struct sa_sym){.name = name,
                         .kind = kind,
                         .is_bool = is_bool,
                         .slot = k->c->n_slot,
                         .kept = TT_NONE};
    k->c->n_slot += kind == SA_SYM_INNER_IN ? 4 : 1;
    if (unit && tt_expr_unit_parse(&s->unit, unit, strlen(unit)) == 0) {
        s->unit.known = 1;
        s->unit.name = unit;
    }
    return s;
}

enum tt_code sa_new_sym(struct sa_compiler *k, const struct sa_tok *at,
                        const char *name, enum sa_sym_kind kind, int is_bool,
                        const char *unit)
{
    const struct sa_sym *was = sa_find_sym(k, name);

    if (was)
        return FAIL(k, at, "'%s' is %s already", name, sa_may[was->kind].what);
    return sa_add_sym(k, name, kind, is_bool, unit) ? TT_OK : sa_no_memory(k);
}

/* --- expressions
 * --------------------------------------------------------------- */

static void put(struct sa_phrase *t, const char *s, const struct sa_tok *at)
{
    void *room = sa_push(t->k->c->arena, (void **)&t->map, &t->n_map,
                         &t->cap_map, sizeof(*t->map));

    if (!room) {
        t->rc = sa_no_memory(t->k);
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
static const struct sa_tok *token_at(const struct sa_phrase *t, size_t column)
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

static void put_range(struct sa_phrase *t, const struct sa_expr *e,
                      uint32_t from, uint32_t to);

uint32_t sa_arguments_up_to(const struct sa_expr *e, uint32_t i,
                            struct sa_expr *arg, uint32_t n, uint32_t *end_at)
{
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
    *end_at = from;
    return found;
}

uint32_t sa_arguments(struct sa_phrase *t, const struct sa_expr *e, uint32_t i,
                      struct sa_expr *arg, uint32_t n)
{
    const struct sa_tok *name = &e->tok[i];
    uint32_t end, found = sa_arguments_up_to(e, i, arg, n, &end);

    if (found != n && t->rc == TT_OK)
        t->rc = FAIL(t->k, name, "'%s' takes %u argument%s, not %u", name->s,
                     (unsigned)n, n == 1 ? "" : "s", (unsigned)found);
    return end;
}

/* |a - b| <= atol + rtol |b| */
static uint32_t put_close(struct sa_phrase *t, const struct sa_expr *e,
                          uint32_t i)
{
    const struct sa_tok *at = &e->tok[i];
    struct sa_expr a[4] = {{0}};
    uint32_t end = sa_arguments(t, e, i, a, 4);

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

/* A call of the control rules: made before, its result is a variable. */
static uint32_t put_call(struct sa_phrase *t, const struct sa_expr *e,
                         uint32_t i)
{
    uint32_t end = i + 1, slot;
    char name[32];
    const char *kept;

    if (t->w != CTRL) {
        t->rc = FAIL(t->k, &e->tok[i], "'%s' can only be used in control rules",
                     e->tok[i].s);
        return end;
    }
    t->rc = sa_call(t->k, e, i, t, &end, &slot);
    if (t->rc != TT_OK)
        return end;
    (void)snprintf(name, sizeof(name), "_call%u", (unsigned)++t->k->n_call);
    kept = tt_arena_strdup(t->k->c->arena, name);
    if (!kept || !sa_add_sym(t->k, kept, SA_SYM_LOCAL, 0, NULL)) {
        t->rc = sa_no_memory(t->k);
        return end;
    }
    t->k->c->sym[t->k->c->n_sym - 1].slot = slot;
    put(t, kept, &e->tok[i]);
    return end;
}

static void put_name(struct sa_phrase *t, const struct sa_tok *tok)
{
    const struct sa_sym *s = sa_find_sym(t->k, tok->s);
    int is_t = !strcmp(tok->s, "t"), is_h = !strcmp(tok->s, "h");
    unsigned ok = is_t   ? MAPS | AT(CTRL)
                  : is_h ? MAPS
                  : s    ? sa_may[s->kind].read
                         : ~0u;

    if (!(ok & AT(t->w)))
        t->rc =
            FAIL(t->k, tok, "'%s' is %s: it cannot be read in %s", tok->s,
                 s ? sa_may[s->kind].what : "of the language", sa_place[t->w]);
    else
        put(t, s && s->kind <= SA_SYM_OWN_OUT ? s->name : tok->s, tok);
}

static int is_procedure(const struct sa_tok *t)
{
    static const char *const name[] = {"save_state", "rollback", "reinitialise",
                                       "warn", "fail"};

    return tt_name_is_among(t->s, name, sizeof(name) / sizeof(*name));
}

static void put_range(struct sa_phrase *t, const struct sa_expr *e,
                      uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to && t->rc == TT_OK; i++) {
        const struct sa_tok *tok = &e->tok[i];
        int called = i + 1 < to && sa_is(&e->tok[i + 1], "(");

        if (called && sa_is(tok, "is_close"))
            i = put_close(t, e, i);
        else if (called &&
                 (sa_is(tok, "do_step") || sa_is(tok, "get_next_time_step")))
            i = put_call(t, e, i);
        else if (called && is_procedure(tok))
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
    const struct sa_phrase *t = ctx;
    const struct sa_sym *s = sa_find_sym(t->k, name);

    if (!s)
        return -1;
    v->type = s->is_bool ? TT_BOOL : TT_F64;
    v->unit = s->unit;
    return 0;
}

const char *sa_candidate(const void *ctx, size_t i)
{
    const struct sa_phrase *t = ctx;
    const struct sa_sym *s = &t->k->c->sym[i];

    return s->hidden || !(sa_may[s->kind].read & AT(t->w)) ? NULL : s->name;
}

/* "1:14: there is no ...": at the place in the program. */
static enum tt_code placed(const struct sa_phrase *t, tt_err *err)
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

static enum tt_code keep_expr(struct sa_compiler *k, const struct sa_phrase *t,
                              tt_expr *e, uint32_t *index)
{
    struct sa_code *c = k->c;
    tt_expr *room =
        sa_push(c->arena, (void **)&c->e, &c->n_e, &c->cap_e, sizeof(*c->e));
    uint32_t *first = sa_push(c->arena, (void **)&c->first_ref, &c->n_first,
                              &c->cap_first, sizeof(*first));

    (void)t;
    if (!room || !first)
        return sa_no_memory(k);
    *room = *e;
    *first = (uint32_t)c->n_ref;
    *index = (uint32_t)c->n_e - 1;
    for (uint32_t i = 0; i < e->n_ref; i++) {
        uint32_t *ref = sa_push(c->arena, (void **)&c->ref, &c->n_ref,
                                &c->cap_ref, sizeof(*ref));

        if (!ref)
            return sa_no_memory(k);
        *ref = sa_find_sym(k, e->ref[i].name)->slot;
    }
    return TT_OK;
}

enum tt_code sa_expression(struct sa_compiler *k, const struct sa_expr *e,
                           enum sa_where w, uint32_t *index)
{
    struct sa_phrase t = {.k = k, .w = w, .column = 1};
    const struct tt_expr_scope scope = {
        .offers = (w == CTRL ? TT_EXPR_WITH_T : 0) |
                  (AT(w) & MAPS ? TT_EXPR_WITH_T | TT_EXPR_WITH_H : 0),
        .ctx = &t,
        .find = find_variable,
        .near = sa_candidate};
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

static enum tt_code of_kind(struct sa_compiler *k, const struct sa_expr *e,
                            enum sa_where w, enum tt_expr_kind kind,
                            uint32_t *index)
{
    enum tt_code rc = sa_expression(k, e, w, index);

    if (rc == TT_OK && k->c->e[*index].kind != kind)
        return FAIL(k, e->tok, "expected %s, found %s", tt_expr_kind_name(kind),
                    tt_expr_kind_name(k->c->e[*index].kind));
    return rc;
}

enum tt_code sa_number(struct sa_compiler *k, const struct sa_expr *e,
                       enum sa_where w, uint32_t *index)
{
    return of_kind(k, e, w, TT_EXPR_NUMBER, index);
}

enum tt_code sa_condition(struct sa_compiler *k, const struct sa_expr *e,
                          enum sa_where w, uint32_t *index)
{
    return of_kind(k, e, w, TT_EXPR_BOOL, index);
}

/* --- operations
 * ----------------------------------------------------------------- */

struct sa_op *sa_add_op(struct sa_compiler *k, enum sa_op_kind kind,
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
uint32_t sa_slot_of(const struct sa_compiler *k, uint32_t e)
{
    return k->c->e[e].n_code == 1 && k->c->e[e].n_ref == 1
               ? k->c->ref[k->c->first_ref[e]]
               : TT_NONE;
}

void sa_set_expr(struct sa_compiler *k, struct sa_op *o, uint32_t e)
{
    o->e = e;
    if (tt_expr_is_pair(&k->c->e[e], &o->pair))
        for (int i = 0; i < 2; i++)
            if (o->pair.ref[i] != TT_NONE)
                o->pair.ref[i] = k->c->ref[k->c->first_ref[e] + o->pair.ref[i]];
}

enum tt_code sa_assign(struct sa_compiler *k, const struct sa_tok *at,
                       uint32_t slot, uint32_t mark, uint32_t e)
{
    struct sa_op *o = k->c->n_op ? &k->c->op[k->c->n_op - 1] : NULL;

    if (o && o->kind == SA_OP_STEP && mark == TT_NONE &&
        sa_slot_of(k, e) == o->slot) { /* x := do_step(...) */
        o->slot = slot;
        return TT_OK;
    }
    o = sa_add_op(k, SA_OP_ASSIGN, at);
    if (!o)
        return sa_no_memory(k);
    o->slot = slot;
    o->other = mark;
    sa_set_expr(k, o, e);
    o->from = sa_slot_of(k, e);
    o->is_bool = k->c->e[e].kind == TT_EXPR_BOOL;
    return TT_OK;
}
