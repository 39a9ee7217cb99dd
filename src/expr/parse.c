/* SPDX-License-Identifier: MIT */
/* The grammar, by recursive descent: each function takes what binds as tightly
 * as its name states, and leaves one result in the top register. */
#include <string.h>

#include "expr/expr_impl.h"

#define OPERAND struct tt_expr_operand

static OPERAND choice(struct tt_expr_parser *p);

static int deeper(struct tt_expr_parser *p)
{
    if (p->depth++ < TT_EXPR_DEPTH)
        return 1;
    tt_expr_fail(p, p->tok.s, "nested too deeply: at most %u levels",
                 TT_EXPR_DEPTH);
    return 0;
}

static int take(struct tt_expr_parser *p, enum tt_expr_token_kind kind)
{
    if (p->tok.kind != kind)
        return 0;
    tt_expr_next(p);
    return 1;
}

static void expect(struct tt_expr_parser *p, enum tt_expr_token_kind kind,
                   const char *what, const struct tt_expr_token *of)
{
    if (!take(p, kind))
        tt_expr_fail(p, p->tok.s, "expected %s for the %s at %s, found %s",
                     what, tt_expr_shown(of).s, tt_expr_place(p, of->s).s,
                     tt_expr_shown(&p->tok).s);
}

/* --- calls ---------------------------------------------------------------- */

static int is_open_ended(const struct tt_expr_function *f)
{
    return f->most == UINT8_MAX;
}

static void wrong_count(struct tt_expr_parser *p,
                        const struct tt_expr_token *name,
                        const struct tt_expr_function *f, unsigned n)
{
    tt_expr_fail(p, name->s, "%s takes %u argument%s%s, not %u",
                 tt_expr_shown(name).s, f->least, f->least == 1 ? "" : "s",
                 is_open_ended(f) ? " or more" : "", n);
}

static OPERAND arguments(struct tt_expr_parser *p,
                         const struct tt_expr_token *name, uint32_t function)
{
    const struct tt_expr_function *f = &tt_expr_functions[function];
    OPERAND x = choice(p);
    unsigned n = 1;

    if (f->most == 1)
        x = tt_expr_call(p, name, function, NULL, x);
    while (p->tok.kind == TOK_COMMA && (n < f->most || is_open_ended(f))) {
        tt_expr_next(p);
        x = tt_expr_call(p, name, function, &x, choice(p));
        n++;
    }
    for (; take(p, TOK_COMMA); n++)
        (void)choice(p);
    if (n < f->least || (n > f->most && !is_open_ended(f)))
        wrong_count(p, name, f, n);
    return x;
}

static enum tt_expr_form form_of(const char *name)
{
    static const char *const word[] = {
        [TT_EXPR_DER] = "der",
        [TT_EXPR_PRE] = "pre",
        [TT_EXPR_PRESENT] = "present",
    };

    for (int i = TT_EXPR_DER; i < TT_EXPR_FORMS; i++)
        if (!strcmp(name, word[i]))
            return (enum tt_expr_form)i;
    return TT_EXPR_VALUE;
}

/* der(x): of a variable, not of any value. */
static OPERAND formed(struct tt_expr_parser *p,
                      const struct tt_expr_token *name, enum tt_expr_form form)
{
    struct tt_expr_token of = p->tok;

    if (!(p->scope->offers & (1u << form)))
        tt_expr_fail(p, name->s, "'%s' cannot be used here", name->name);
    if (!take(p, TOK_NAME))
        tt_expr_fail(p, p->tok.s, "'%s' takes the name of a variable, not %s",
                     name->name, tt_expr_shown(&p->tok).s);
    return tt_expr_variable(p, form, &of);
}

static OPERAND call(struct tt_expr_parser *p, const struct tt_expr_token *name)
{
    struct tt_expr_token open = p->tok;
    enum tt_expr_form form = form_of(name->name);
    uint32_t function = tt_expr_find_function(name->name);
    OPERAND x = {.s = name->s};
    const char *near;

    if (form == TT_EXPR_VALUE && function == TT_NONE) {
        near = tt_expr_nearest_function(name->name);
        tt_expr_fail(p, name->s, "there is no function %s%s%s%s",
                     tt_expr_shown(name).s, near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
        return x;
    }
    tt_expr_next(p);
    x = form != TT_EXPR_VALUE ? formed(p, name, form)
                              : arguments(p, name, function);
    expect(p, TOK_CLOSE, "')'", &open);
    x.s = name->s;
    return x;
}

/* --- values --------------------------------------------------------------- */

#define PI 3.14159265358979323846

static OPERAND named(struct tt_expr_parser *p)
{
    struct tt_expr_token name = p->tok;

    tt_expr_next(p);
    if (p->rc != TT_OK || !name.plain)
        return tt_expr_variable(p, TT_EXPR_VALUE, &name);
    if (p->tok.kind == TOK_OPEN)
        return call(p, &name);
    if (!strcmp(name.name, "true") || !strcmp(name.name, "false"))
        return tt_expr_constant(p, &name, TT_EXPR_BOOL, *name.name == 't');
    if (!strcmp(name.name, "pi"))
        return tt_expr_constant(p, &name, TT_EXPR_NUMBER, PI);
    if (!strcmp(name.name, "t") || !strcmp(name.name, "h"))
        return tt_expr_time(p, &name);
    return tt_expr_variable(p, TT_EXPR_VALUE, &name);
}

static OPERAND value(struct tt_expr_parser *p)
{
    struct tt_expr_token tok = p->tok;
    OPERAND x = {.s = tok.s};

    if (tok.kind == TOK_NAME)
        return named(p);
    if (tok.kind == TOK_NUMBER || tok.kind == TOK_TEXT) {
        tt_expr_next(p);
        return tt_expr_literal(p, &tok);
    }
    if (!take(p, TOK_OPEN)) {
        tt_expr_fail(p, tok.s, "expected a value, found %s",
                     tt_expr_shown(&tok).s);
        return x;
    }
    x = choice(p);
    expect(p, TOK_CLOSE, "')'", &tok);
    x.s = tok.s;
    return x;
}

/* --- operators ------------------------------------------------------------ */

static OPERAND signed_value(struct tt_expr_parser *p);

static OPERAND measured(struct tt_expr_parser *p)
{
    OPERAND x = value(p);
    struct tt_expr_token unit = p->tok;

    for (; take(p, TOK_UNIT); unit = p->tok)
        x = tt_expr_measured(p, &unit, x);
    return x;
}

/* To the right, and tighter than a sign before it: -a^b^c is -(a^(b^c)). */
static OPERAND powered(struct tt_expr_parser *p)
{
    OPERAND x = measured(p);
    struct tt_expr_token op = p->tok;

    if (!take(p, TOK_POWER) || !deeper(p))
        return x;
    x = tt_expr_binary(p, &op, x, signed_value(p));
    p->depth--;
    return x;
}

/* What follows the operator, which was taken, and the operator applied. */
static OPERAND prefixed(struct tt_expr_parser *p, struct tt_expr_token op,
                        OPERAND (*operand)(struct tt_expr_parser *p))
{
    OPERAND x = {.s = op.s};

    if (!deeper(p))
        return x;
    x = tt_expr_unary(p, &op, operand(p));
    p->depth--;
    return x;
}

static OPERAND signed_value(struct tt_expr_parser *p)
{
    struct tt_expr_token op = p->tok;

    if (!take(p, TOK_MINUS) && !take(p, TOK_PLUS))
        return powered(p);
    return prefixed(p, op, signed_value);
}

/* Operands one after another with one of two operators between them. */
static OPERAND chain(struct tt_expr_parser *p,
                     OPERAND (*operand)(struct tt_expr_parser *p),
                     enum tt_expr_token_kind one, enum tt_expr_token_kind other)
{
    OPERAND x = operand(p);
    struct tt_expr_token op = p->tok;

    for (; take(p, one) || take(p, other); op = p->tok)
        x = tt_expr_binary(p, &op, x, operand(p));
    return x;
}

static OPERAND product(struct tt_expr_parser *p)
{
    return chain(p, signed_value, TOK_TIMES, TOK_OVER);
}

static OPERAND sum(struct tt_expr_parser *p)
{
    return chain(p, product, TOK_PLUS, TOK_MINUS);
}

static int compares(enum tt_expr_token_kind kind)
{
    return kind >= TOK_LT && kind <= TOK_NE;
}

static OPERAND comparison(struct tt_expr_parser *p)
{
    OPERAND x = sum(p);
    struct tt_expr_token op = p->tok;

    if (!compares(op.kind))
        return x;
    tt_expr_next(p);
    x = tt_expr_binary(p, &op, x, sum(p));
    if (compares(p->tok.kind))
        tt_expr_fail(p, p->tok.s,
                     "comparisons cannot be chained: write 'a < b and b < c'");
    return x;
}

static OPERAND negation(struct tt_expr_parser *p)
{
    struct tt_expr_token op = p->tok;

    return take(p, TOK_NOT) ? prefixed(p, op, negation) : comparison(p);
}

static OPERAND conjunction(struct tt_expr_parser *p)
{
    return chain(p, negation, TOK_AND, TOK_AND);
}

static OPERAND disjunction(struct tt_expr_parser *p)
{
    return chain(p, conjunction, TOK_OR, TOK_OR);
}

/* "if c then x else y" is "c ? x : y"; both take all that follows. */
static OPERAND choice(struct tt_expr_parser *p)
{
    struct tt_expr_token is_if = p->tok, op;
    OPERAND x[3] = {{.s = is_if.s}};
    int worded;

    if (!deeper(p))
        return x[0];
    worded = take(p, TOK_IF);
    x[0] = worded ? choice(p) : disjunction(p);
    op = worded ? is_if : p->tok;
    if (worded)
        expect(p, TOK_THEN, "'then'", &op);
    if (worded || take(p, TOK_ASK)) {
        x[1] = choice(p);
        if (worded)
            expect(p, TOK_ELSE, "'else'", &op);
        else
            expect(p, TOK_COLON, "':'", &op);
        x[2] = choice(p);
        x[0] = tt_expr_select(p, x);
    }
    p->depth--;
    return x[0];
}

static OPERAND whole(struct tt_expr_parser *p)
{
    OPERAND x = choice(p);
    struct tt_expr_token op = p->tok;

    if ((p->scope->offers & TT_EXPR_EQUATION) && take(p, TOK_IS))
        x = tt_expr_binary(p, &op, x, choice(p));
    if (p->tok.kind == TOK_IS)
        tt_expr_fail(p, p->tok.s, "%s",
                     p->scope->offers & TT_EXPR_EQUATION
                         ? "an equation has one '='"
                         : "'=' compares nothing here: write '=='");
    if (p->tok.kind != TOK_END)
        tt_expr_fail(p, p->tok.s, "expected an operator or the end, found %s",
                     tt_expr_shown(&p->tok).s);
    return x;
}

/* --- the compiler --------------------------------------------------------- */

static void finish(struct tt_expr_parser *p, const OPERAND *x, tt_expr *out)
{
    tt_expr_choose_loads(p);
    *out = (tt_expr){
        .kind = x->kind,
        .unit = x->unit,
        .ref = tt_arena_dup(p->arena, p->ref, p->n_ref, sizeof(*p->ref)),
        .n_ref = (uint32_t)p->n_ref,
        .uses_t = p->uses_t,
        .uses_h = p->uses_h,
        .code = tt_arena_dup(p->arena, p->code, p->n_code, sizeof(*p->code)),
        .n_code = (uint32_t)p->n_code,
        .n_reg = p->most};
    if (!out->ref || !out->code)
        tt_expr_no_memory(p);
}

enum tt_code tt_expr_compile(tt_expr *out, const char *text,
                             const struct tt_expr_scope *scope, tt_arena *arena,
                             tt_err *err)
{
    struct tt_expr_parser p = {
        .text = text, .at = text, .scope = scope, .arena = arena, .err = err};
    OPERAND x;

    if (strlen(text) > TT_EXPR_TEXT_MAX)
        return tt_fail(err, TT_EINPUT,
                       "1:1: the expression is too long: at most %u bytes",
                       TT_EXPR_TEXT_MAX);
    tt_expr_next(&p);
    x = whole(&p);
    if (p.rc == TT_OK)
        finish(&p, &x, out);
    for (int i = 0; i < TT_EXPR_FORMS; i++)
        tt_names_fini(&p.by_name[i]);
    TT_FREE_ALL(p.code, p.ref);
    return p.rc;
}

/* --- several programs ------------------------------------------------------
 */

static int unite(struct tt_names names[TT_EXPR_FORMS], struct tt_expr_united *u,
                 struct tt_expr_ref *variable, const struct tt_expr_ref *ref)
{
    enum tt_expr_form form =
        ref->form == TT_EXPR_PRE ? TT_EXPR_VALUE : ref->form;
    struct tt_names *of = &names[form];
    uint32_t i = tt_names_find(of, ref->name);

    if (i != TT_NONE || tt_names_add(of, ref->name, u->n) != 0)
        return i != TT_NONE ? (int)i : -1;
    variable[u->n] = *ref;
    variable[u->n].form = form;
    return (int)u->n++;
}

enum tt_code tt_expr_unite(struct tt_expr_united *out, const tt_expr *e,
                           uint32_t n, tt_arena *arena, tt_err *err)
{
    struct tt_names names[TT_EXPR_FORMS] = {{0}};
    struct tt_expr_ref *variable;
    uint32_t *of, most = 0, at = 0;
    int failed;

    for (uint32_t i = 0; i < n; i++)
        most += e[i].n_ref;
    *out = (struct tt_expr_united){0};
    out->variable = variable = tt_arena_alloc(arena, most, sizeof(*variable));
    out->of = of = tt_arena_alloc(arena, most, sizeof(*of));
    failed = !variable || !of;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < e[i].n_ref && !failed; k++) {
            int v = unite(names, out, variable, &e[i].ref[k]);

            failed = v < 0;
            of[at++] = (uint32_t)v;
        }
    for (int i = 0; i < TT_EXPR_FORMS; i++)
        tt_names_fini(&names[i]);
    return failed ? tt_nomem(err, "expressions") : TT_OK;
}

/* Where the next expression begins, behind what is between; NULL: there is
 * none. Inside texts and quoted names the sign means nothing. */
static const char *next_piece(const char *s)
{
    for (char in = '\0'; *s; s++) {
        if (in == '"' && *s == '\\' && s[1])
            s++;
        else if (in ? *s == in : *s == '"' || *s == '\'')
            in = in ? '\0' : *s;
        else if (!in && !strncmp(s, TT_EXPR_NEXT, strlen(TT_EXPR_NEXT)))
            return s + strlen(TT_EXPR_NEXT);
    }
    return NULL;
}

uint32_t tt_expr_pieces(const char *text)
{
    uint32_t n = 1;

    while ((text = next_piece(text)))
        n++;
    return n;
}

char *tt_expr_cut(char *text)
{
    const char *next = next_piece(text);
    char *cut = next ? text + (next - text) : NULL;

    if (cut)
        cut[-(ptrdiff_t)strlen(TT_EXPR_NEXT)] = '\0';
    return cut;
}

int tt_expr_is_held(const struct tt_expr_ref *variable)
{
    return variable->form == TT_EXPR_VALUE && !strcmp(variable->name, "held");
}
