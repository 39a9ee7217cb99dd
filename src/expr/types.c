/* SPDX-License-Identifier: MIT */
/* What operations take and give: types, physical units, instructions. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "expr/expr_impl.h"

#define OPERAND struct tt_expr_operand

static const struct tt_expr_unit any = {0};
static const struct tt_expr_unit seconds = {
    .known = 1, .exponent = {[2] = 1}, .factor = 1, .name = "s"};

const char *tt_expr_kind_name(enum tt_expr_kind k)
{
    static const char *const name[] = {
        [TT_EXPR_NUMBER] = "a number",
        [TT_EXPR_BOOL] = "a Boolean",
        [TT_EXPR_TEXT] = "a String",
        [TT_EXPR_BYTES] = "a Binary",
    };

    return name[k];
}

/* --- instructions --------------------------------------------------------- */

/* An instruction that takes so many registers and gives one. */
static void emit(struct tt_expr_parser *p, struct tt_expr_instr i,
                 uint32_t takes)
{
    if (p->rc != TT_OK)
        return;
    if (p->top - takes >= TT_EXPR_REGS) {
        tt_expr_fail(p, p->tok.s, "too much is left open: at most %u results",
                     TT_EXPR_REGS);
        return;
    }
    if (TT_GROW(p->code, p->n_code, p->cap_code) != 0) {
        tt_expr_no_memory(p);
        return;
    }
    p->top -= takes;
    i.r = (uint8_t)p->top++;
    p->most = p->top > p->most ? p->top : p->most;
    p->code[p->n_code++] = i;
}

OPERAND tt_expr_constant(struct tt_expr_parser *p,
                         const struct tt_expr_token *tok,
                         enum tt_expr_kind kind, double value)
{
    emit(p, (struct tt_expr_instr){.op = OP_NUMBER, .is.number = value}, 0);
    return (OPERAND){.kind = kind,
                     .s = tok->s,
                     .is_constant = kind == TT_EXPR_NUMBER,
                     .constant = value,
                     .at = p->n_code - 1};
}

OPERAND tt_expr_literal(struct tt_expr_parser *p,
                        const struct tt_expr_token *tok)
{
    if (tok->kind == TOK_NUMBER)
        return tt_expr_constant(p, tok, TT_EXPR_NUMBER, tok->number);
    emit(p, (struct tt_expr_instr){.op = OP_TEXT, .is.text = tok->text}, 0);
    return (OPERAND){.kind = TT_EXPR_TEXT,
                     .s = tok->s,
                     .literal = tok->text,
                     .at = p->n_code - 1};
}

/* --- physical units ------------------------------------------------------- */

static int same_measure(const struct tt_expr_unit *a,
                        const struct tt_expr_unit *b)
{
    return (a->name && b->name && !strcmp(a->name, b->name)) ||
           (!memcmp(a->exponent, b->exponent, sizeof(a->exponent)) &&
            a->factor == b->factor && a->offset == b->offset);
}

/* "m/s", or "0.001 kg.m.s-2" where there is no name. */
struct measure_text {
    char s[128];
};

static struct measure_text measure_text(const struct tt_expr_unit *u)
{
    static const char *const base[] = {"kg", "m",   "s",  "A",
                                       "K",  "mol", "cd", "rad"};
    struct measure_text out = {""};
    char factor[TT_NUM_MAX] = "";
    size_t n = 0;

    if (u->name) {
        (void)snprintf(out.s, sizeof(out.s), "%s", u->name);
        return out;
    }
    tt_num_print_short(factor, u->factor);
    if (u->factor != 1)
        n = (size_t)snprintf(out.s, sizeof(out.s), "%s", factor);
    for (int i = 0; i < 8; i++)
        if (u->exponent[i] == 1)
            n += (size_t)snprintf(out.s + n, sizeof(out.s) - n, "%s%s",
                                  n ? "." : "", base[i]);
        else if (u->exponent[i])
            n += (size_t)snprintf(out.s + n, sizeof(out.s) - n, "%s%s%d",
                                  n ? "." : "", base[i], u->exponent[i]);
    if (!n)
        (void)snprintf(out.s, sizeof(out.s), "1");
    return out;
}

static void set_constant(struct tt_expr_parser *p, OPERAND *x, double value)
{
    x->constant = value;
    if (p->rc == TT_OK)
        p->code[x->at].is.number = value;
}

static int same_dimension(const struct tt_expr_unit *a,
                          const struct tt_expr_unit *b)
{
    return !memcmp(a->exponent, b->exponent, sizeof(a->exponent));
}

/* base = f1 v1 + o1 = f2 v2 + o2 */
static double converted(double v, const struct tt_expr_unit *from,
                        const struct tt_expr_unit *to)
{
    return (from->factor * v + from->offset - to->offset) / to->factor;
}

/* A number that was given its unit takes that of the other side. */
static int fit_constant(struct tt_expr_parser *p, OPERAND *x,
                        const struct tt_expr_unit *to)
{
    if (!x->is_constant || !same_dimension(&x->unit, to))
        return 0;
    set_constant(p, x, converted(x->constant, &x->unit, to));
    x->unit = *to;
    return 1;
}

/* Numbers and what declares no unit fit any. */
static int fits(struct tt_expr_parser *p, OPERAND *x, OPERAND *y)
{
    return !x->unit.known || !y->unit.known ||
           same_measure(&x->unit, &y->unit) || fit_constant(p, y, &x->unit) ||
           fit_constant(p, x, &y->unit);
}

/* Both are to be of one unit. */
static struct tt_expr_unit one_measure(struct tt_expr_parser *p,
                                       const struct tt_expr_token *op,
                                       OPERAND *x, OPERAND *y)
{
    if (!fits(p, x, y))
        tt_expr_fail(p, op->s, "%s takes values of one unit, not '%s' and '%s'",
                     tt_expr_shown(op).s, measure_text(&x->unit).s,
                     measure_text(&y->unit).s);
    return x->unit.known ? x->unit : y->unit;
}

/* x to the power of `of`, times y to the power of `by`. Degrees have no place
 * in products, and numbers bring a unit of their own: 9.81 of m/s2. */
static struct tt_expr_unit product(const struct tt_expr_unit *x,
                                   const struct tt_expr_unit *y, int by)
{
    struct tt_expr_unit out = {.known = 1};

    if (!x->known || !y->known || x->offset != 0 || y->offset != 0)
        return any;
    for (int i = 0; i < 8; i++) {
        int e = x->exponent[i] + by * y->exponent[i];

        if (e < -99 || e > 99)
            return any;
        out.exponent[i] = (int8_t)e;
    }
    out.factor = by > 0 ? x->factor * y->factor : x->factor / y->factor;
    return out;
}

static struct tt_expr_unit power(const struct tt_expr_unit *x, double by)
{
    const struct tt_expr_unit one = {.known = 1, .factor = 1};
    struct tt_expr_unit out = one;
    int n = by >= -9 && by <= 9 ? (int)by : 0;

    if (!x->known || n != by)
        return any;
    for (int i = 0; i < n || i < -n; i++)
        out = product(&out, x, n > 0 ? 1 : -1);
    return out;
}

static struct tt_expr_unit root(const struct tt_expr_unit *x)
{
    struct tt_expr_unit out = *x;

    if (!x->known || x->factor != 1)
        return any;
    for (int i = 0; i < 8; i++) {
        if (x->exponent[i] % 2 != 0)
            return any;
        out.exponent[i] /= 2;
    }
    out.name = NULL;
    return out;
}

static void take_plain(struct tt_expr_parser *p,
                       const struct tt_expr_token *name, const OPERAND *x)
{
    static const int8_t none[7] = {0};

    if (x->unit.known &&
        (memcmp(x->unit.exponent, none, 7) != 0 || x->unit.factor != 1))
        tt_expr_fail(p, x->s,
                     "%s takes a number or an angle in 'rad', not '%s'",
                     tt_expr_shown(name).s, measure_text(&x->unit).s);
}

/* --- operators ------------------------------------------------------------ */

static int is_of(const struct tt_expr_ref *a, const struct tt_expr_ref *b)
{
    return a->form != TT_EXPR_DER && a->form != TT_EXPR_PRESENT &&
           !strcmp(a->name, b->name);
}

/* Has the variable been used as a number before? */
static int is_used(const struct tt_expr_parser *p, const struct tt_expr_ref *of)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_code; i++)
        n += p->code[i].op == OP_LOAD && is_of(&p->ref[p->code[i].arg], of);
    return n > 1;
}

/* A variable without a type takes the one that is wanted of it: that of
 * numbers is what all begin with. A Boolean counts as 1 or 0 where it was taken
 * for a number, a text does not. */
static void infer(struct tt_expr_parser *p, enum tt_expr_kind kind, OPERAND *x)
{
    static const enum tt_type type[] = {
        [TT_EXPR_NUMBER] = TT_F64,
        [TT_EXPR_BOOL] = TT_BOOL,
        [TT_EXPR_TEXT] = TT_TEXT,
        [TT_EXPR_BYTES] = TT_BYTES,
    };

    const struct tt_expr_ref *of = x->ref ? &p->ref[x->ref - 1] : NULL;

    if (!(p->scope->offers & TT_EXPR_INFER) || !of || p->rc != TT_OK ||
        of->form == TT_EXPR_DER || x->kind != TT_EXPR_NUMBER ||
        kind == TT_EXPR_NUMBER || (kind != TT_EXPR_BOOL && is_used(p, of)))
        return;
    for (size_t i = 0; i < p->n_ref; i++)
        if (is_of(&p->ref[i], of))
            p->ref[i].type = type[kind];
    x->kind = kind;
}

static void want(struct tt_expr_parser *p, const struct tt_expr_token *op,
                 enum tt_expr_kind kind, OPERAND *x)
{
    infer(p, kind, x);
    if (x->kind != kind)
        tt_expr_fail(p, x->s, "%s takes %s, and this is %s",
                     tt_expr_shown(op).s,
                     kind == TT_EXPR_NUMBER ? "numbers" : "Booleans",
                     tt_expr_kind_name(x->kind));
}

OPERAND tt_expr_unary(struct tt_expr_parser *p, const struct tt_expr_token *op,
                      OPERAND x)
{
    int is_not = op->kind == TOK_NOT;

    want(p, op, is_not ? TT_EXPR_BOOL : TT_EXPR_NUMBER, &x);
    x.s = op->s;
    x.items = NULL;
    if (op->kind == TOK_PLUS)
        return x;
    x.ref = 0;
    if (x.is_constant)
        set_constant(p, &x, -x.constant);
    else
        emit(p, (struct tt_expr_instr){.op = is_not ? OP_NOT : OP_NEG}, 1);
    return x;
}

/* One more operation with a number, where that changes anything. */
static void adjust(struct tt_expr_parser *p, uint8_t op, double by)
{
    if (by == (op == OP_MUL))
        return;
    emit(p, (struct tt_expr_instr){.op = OP_NUMBER, .is.number = by}, 0);
    emit(p, (struct tt_expr_instr){.op = op}, 2);
}

static void convert(struct tt_expr_parser *p, const struct tt_expr_token *name,
                    const struct tt_expr_unit *to, OPERAND *x)
{
    if (!same_dimension(&x->unit, to)) {
        tt_expr_fail(p, name->s, "a value in '%s' cannot be converted to '%s'",
                     measure_text(&x->unit).s, to->name);
    } else if (!fit_constant(p, x, to)) {
        adjust(p, OP_MUL, x->unit.factor / to->factor);
        adjust(p, OP_ADD, (x->unit.offset - to->offset) / to->factor);
    }
}

OPERAND tt_expr_measured(struct tt_expr_parser *p,
                         const struct tt_expr_token *name, OPERAND x)
{
    const char *near, *text;
    struct tt_expr_unit to;

    want(p, name, TT_EXPR_NUMBER, &x);
    if (p->rc != TT_OK)
        return x;
    text = tt_arena_strndup(p->arena, name->s + 1, name->n - 2);
    if (!text) {
        tt_expr_no_memory(p);
    } else if (tt_expr_unit_parse(&to, text, strlen(text)) != 0) {
        near = tt_expr_nearest_unit(text);
        tt_expr_fail(p, name->s, "there is no unit %s%s%s%s",
                     tt_expr_shown(name).s, near ? "; did you mean '[" : "",
                     near ? near : "", near ? "]'?" : "");
    } else {
        to.name = text;
        if (x.unit.known)
            convert(p, name, &to, &x);
        x.unit = to;
        x.ref = 0;
        x.items = NULL;
    }
    return x;
}

/* What an enumeration could have been compared with. */
static void no_item(struct tt_expr_parser *p, const OPERAND *name,
                    const struct tt_items *items)
{
    char list[256] = "";
    size_t n = 0;

    for (uint32_t i = 0; i < items->n && n < sizeof(list); i++)
        n += (size_t)snprintf(list + n, sizeof(list) - n, "%s'%s'",
                              i ? ", " : "", items->item[i].name);
    tt_expr_fail(p, name->s, "'%.*s' is none of the items: %s",
                 (int)name->literal->n, name->literal->s, list);
}

/* Beside an enumeration the name of an item is its number. */
static void name_item(struct tt_expr_parser *p, const OPERAND *x, OPERAND *name)
{
    const struct tt_item *item;

    if (!x->items || !name->literal || p->rc != TT_OK)
        return;
    item = tt_items_find(x->items, name->literal->s);
    if (!item) {
        no_item(p, name, x->items);
        return;
    }
    p->code[name->at] =
        (struct tt_expr_instr){.op = OP_NUMBER,
                               .r = p->code[name->at].r,
                               .is.number = (double)item->value};
    name->kind = TT_EXPR_NUMBER;
}

static OPERAND compare(struct tt_expr_parser *p, const struct tt_expr_token *op,
                       uint8_t code, OPERAND *x, OPERAND *y)
{
    int equality = code == OP_EQ || code == OP_NE;

    if (equality) {
        name_item(p, x, y);
        name_item(p, y, x);
        infer(p, y->kind, x);
        infer(p, x->kind, y);
    }
    if (x->kind != y->kind)
        tt_expr_fail(p, op->s, "%s compares %s with %s", tt_expr_shown(op).s,
                     tt_expr_kind_name(x->kind), tt_expr_kind_name(y->kind));
    if (!equality)
        want(p, op, TT_EXPR_NUMBER, x);
    (void)one_measure(p, op, x, y);
    if (x->kind == TT_EXPR_TEXT || x->kind == TT_EXPR_BYTES)
        code = code == OP_EQ ? OP_TEXT_EQ : OP_TEXT_NE;
    emit(p, (struct tt_expr_instr){.op = code}, 2);
    return (OPERAND){.kind = TT_EXPR_BOOL, .s = x->s};
}

static OPERAND compute(struct tt_expr_parser *p, const struct tt_expr_token *op,
                       uint8_t code, OPERAND *x, OPERAND *y)
{
    OPERAND out = {.kind = TT_EXPR_NUMBER, .s = x->s};

    want(p, op, TT_EXPR_NUMBER, x);
    want(p, op, TT_EXPR_NUMBER, y);
    emit(p, (struct tt_expr_instr){.op = code}, 2);
    if (code == OP_ADD || code == OP_SUB)
        out.unit = one_measure(p, op, x, y);
    else
        out.unit = product(&x->unit, &y->unit, code == OP_MUL ? 1 : -1);
    return out;
}

OPERAND tt_expr_binary(struct tt_expr_parser *p, const struct tt_expr_token *op,
                       OPERAND x, OPERAND y)
{
    static const uint8_t code[] = {
        [TOK_OR] = OP_OR,     [TOK_AND] = OP_AND,   [TOK_LT] = OP_LT,
        [TOK_LE] = OP_LE,     [TOK_GT] = OP_GT,     [TOK_GE] = OP_GE,
        [TOK_EQ] = OP_EQ,     [TOK_NE] = OP_NE,     [TOK_PLUS] = OP_ADD,
        [TOK_MINUS] = OP_SUB, [TOK_TIMES] = OP_MUL, [TOK_OVER] = OP_DIV,
        [TOK_IS] = OP_SUB,
    };
    uint8_t c;

    if (op->kind == TOK_POWER)
        return tt_expr_call(p, op, TT_EXPR_POWER, &x, y);
    c = code[op->kind];
    if (c >= OP_LT && c <= OP_NE)
        return compare(p, op, c, &x, &y);
    if (c != OP_AND && c != OP_OR)
        return compute(p, op, c, &x, &y);
    want(p, op, TT_EXPR_BOOL, &x);
    want(p, op, TT_EXPR_BOOL, &y);
    emit(p, (struct tt_expr_instr){.op = c}, 2);
    x.ref = 0;
    return x;
}

OPERAND tt_expr_select(struct tt_expr_parser *p, OPERAND x[3])
{
    OPERAND out;

    infer(p, TT_EXPR_BOOL, &x[0]);
    infer(p, x[2].kind, &x[1]);
    infer(p, x[1].kind, &x[2]);
    if (x[0].kind != TT_EXPR_BOOL)
        tt_expr_fail(p, x[0].s,
                     "a choice takes a Boolean first, and this is %s",
                     tt_expr_kind_name(x[0].kind));
    if (x[1].kind != x[2].kind)
        tt_expr_fail(p, x[2].s,
                     "a choice is between values of one type, not "
                     "%s and %s",
                     tt_expr_kind_name(x[1].kind),
                     tt_expr_kind_name(x[2].kind));
    if (!fits(p, &x[1], &x[2]))
        tt_expr_fail(p, x[2].s,
                     "a choice is between values of one unit, not "
                     "'%s' and '%s'",
                     measure_text(&x[1].unit).s, measure_text(&x[2].unit).s);
    emit(p, (struct tt_expr_instr){.op = OP_SELECT}, 3);
    out = x[1];
    if (!out.unit.known)
        out.unit = x[2].unit;
    out.s = x[0].s;
    out.is_constant = 0;
    out.ref = 0;
    out.items = NULL;
    out.literal = NULL;
    return out;
}

/* --- calls ---------------------------------------------------------------- */

static struct tt_expr_unit called(struct tt_expr_parser *p,
                                  const struct tt_expr_token *name,
                                  enum tt_expr_measure how, OPERAND *x,
                                  OPERAND *y)
{
    switch (how) {
    case MEASURE_SAME:
        return x ? one_measure(p, name, x, y) : y->unit;
    case MEASURE_RATIO:
        (void)one_measure(p, name, x, y);
        return any;
    case MEASURE_PLAIN:
        take_plain(p, name, y);
        return any;
    case MEASURE_ROOT:
        return root(&y->unit);
    case MEASURE_POWER:
        take_plain(p, name, y);
        return y->is_constant ? power(&x->unit, y->constant) : any;
    case MEASURE_SIGN:
        break;
    }
    return any;
}

OPERAND tt_expr_call(struct tt_expr_parser *p, const struct tt_expr_token *name,
                     uint32_t function, OPERAND *x, OPERAND y)
{
    const struct tt_expr_function *f = &tt_expr_functions[function];
    OPERAND out = {.kind = TT_EXPR_NUMBER, .s = x ? x->s : y.s};

    if (x)
        want(p, name, TT_EXPR_NUMBER, x);
    want(p, name, TT_EXPR_NUMBER, &y);
    if (p->rc != TT_OK)
        return out;
    out.unit = called(p, name, f->measure, x, &y);
    emit(p,
         (struct tt_expr_instr){.op = x ? OP_CALL2 : OP_CALL, .arg = function},
         x ? 2 : 1);
    return out;
}

/* --- variables ------------------------------------------------------------ */

static enum tt_expr_kind kind_of(enum tt_type t)
{
    if (t == TT_TEXT)
        return TT_EXPR_TEXT;
    if (t == TT_BYTES)
        return TT_EXPR_BYTES;
    return tt_type_is_bool(t) || t == TT_CLOCK ? TT_EXPR_BOOL : TT_EXPR_NUMBER;
}

/* The number of this reference, or TT_NONE: no memory. */
static uint32_t refer(struct tt_expr_parser *p, struct tt_expr_ref ref)
{
    uint32_t i = tt_names_find(&p->by_name[ref.form], ref.name);

    if (i != TT_NONE)
        return i;
    i = (uint32_t)p->n_ref;
    if (TT_GROW(p->ref, p->n_ref, p->cap_ref) != 0 ||
        tt_names_add(&p->by_name[ref.form], ref.name, i) != 0)
        return TT_NONE;
    p->ref[p->n_ref++] = ref;
    return i;
}

static void no_variable(struct tt_expr_parser *p,
                        const struct tt_expr_token *name)
{
    const char *near = p->scope->near
                           ? tt_names_nearest(name->name, p->scope->n_near,
                                              p->scope->near, p->scope->ctx)
                           : NULL;

    tt_expr_fail(p, name->s, "there is no variable %s%s%s%s",
                 tt_expr_shown(name).s, near ? "; did you mean '" : "",
                 near ? near : "", near ? "'?" : "");
}

/* Its type where it was used before. */
static enum tt_type inferred(const struct tt_expr_parser *p, const char *name)
{
    static const enum tt_expr_form of_type[] = {TT_EXPR_VALUE, TT_EXPR_PRE};

    for (size_t i = 0; i < sizeof(of_type) / sizeof(*of_type); i++) {
        uint32_t ref = tt_names_find(&p->by_name[of_type[i]], name);

        if (ref != TT_NONE)
            return p->ref[ref].type;
    }
    return TT_F64;
}

/* The type and unit of a form of a variable. */
static struct tt_expr_variable formed(struct tt_expr_parser *p,
                                      enum tt_expr_form form,
                                      const struct tt_expr_token *name)
{
    struct tt_expr_variable v = {.type = TT_F64};

    if (p->scope->find(p->scope->ctx, name->name, &v) != 0)
        no_variable(p, name);
    if (p->scope->offers & TT_EXPR_INFER)
        v.type = inferred(p, name->name);
    if (form == TT_EXPR_PRESENT)
        return (struct tt_expr_variable){.type = TT_BOOL};
    if (form == TT_EXPR_DER) {
        if (!tt_type_is_float(v.type))
            tt_expr_fail(p, name->s, "%s is %s: only a float has a derivative",
                         tt_expr_shown(name).s,
                         tt_expr_kind_name(kind_of(v.type)));
        v.unit.offset = 0;
        v = (struct tt_expr_variable){.type = TT_F64,
                                      .unit = product(&v.unit, &seconds, -1)};
    }
    return v;
}

OPERAND tt_expr_variable(struct tt_expr_parser *p, enum tt_expr_form form,
                         const struct tt_expr_token *name)
{
    struct tt_expr_variable v;
    OPERAND out = {.s = name->s};
    uint32_t ref;

    if (p->rc != TT_OK)
        return out;
    v = formed(p, form, name);
    out.kind = kind_of(v.type);
    out.unit = v.unit;
    out.items = v.items;
    ref = refer(p, (struct tt_expr_ref){form, name->name, v.type});
    if (ref == TT_NONE)
        tt_expr_no_memory(p);
    out.ref = form == TT_EXPR_PRESENT ? 0 : ref + 1;
    emit(p, (struct tt_expr_instr){.op = OP_LOAD, .arg = ref}, 0);
    return out;
}

void tt_expr_choose_loads(struct tt_expr_parser *p)
{
    for (size_t i = 0; i < p->n_code; i++) {
        enum tt_type type =
            p->code[i].op == OP_LOAD ? p->ref[p->code[i].arg].type : TT_BOOL;

        if (type == TT_F64)
            p->code[i].op = OP_F64;
        else if (kind_of(type) >= TT_EXPR_TEXT)
            p->code[i].op = OP_LOAD_TEXT;
    }
}

OPERAND tt_expr_time(struct tt_expr_parser *p, const struct tt_expr_token *name)
{
    int is_h = *name->name == 'h';

    if (!(p->scope->offers & (is_h ? TT_EXPR_WITH_H : TT_EXPR_WITH_T)))
        tt_expr_fail(p, name->s,
                     "%s stands for the %s, which has no value here; a "
                     "variable of that name is '%s' in quotes",
                     tt_expr_shown(name).s, is_h ? "step" : "time", name->name);
    *(is_h ? &p->uses_h : &p->uses_t) = 1;
    emit(p, (struct tt_expr_instr){.op = is_h ? OP_H : OP_T}, 0);
    return (OPERAND){.kind = TT_EXPR_NUMBER, .unit = seconds, .s = name->s};
}
