/* SPDX-License-Identifier: MIT */
/* The register machine, for values and for jets. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "expr/expr_impl.h"

union reg {
    double v;
    const struct tt_text *text;
};

static double load(const tt_expr *e, const struct tt_expr_at *at, uint32_t ref)
{
    enum tt_type type = e->ref[ref].type;

    return type == TT_BOOL ? *(const uint8_t *)at->value[ref]
                           : tt_value_as_double(type, at->value[ref]);
}

/* Of two operands: everything but what calls a function. */
static inline double combine(uint8_t op, double x, double y)
{
    switch (op) {
    case OP_ADD:
        return x + y;
    case OP_SUB:
        return x - y;
    case OP_MUL:
        return x * y;
    case OP_DIV:
        return x / y;
    case OP_LT:
        return x < y;
    case OP_LE:
        return x <= y;
    case OP_GT:
        return x > y;
    case OP_GE:
        return x >= y;
    case OP_EQ:
        return x == y;
    case OP_NE:
        return x != y;
    case OP_AND:
        return x != 0 && y != 0;
    default: /* OP_OR */
        return x != 0 || y != 0;
    }
}

static inline void perform(const tt_expr *e, const struct tt_expr_at *at,
                           const struct tt_expr_instr *i, union reg *r)
{
    switch (i->op) {
    case OP_NUMBER:
        r->v = i->is.number;
        break;
    case OP_TEXT:
        r->text = i->is.text;
        break;
    case OP_F64:
        r->v = *(const double *)at->value[i->arg];
        break;
    case OP_LOAD:
        r->v = load(e, at, i->arg);
        break;
    case OP_LOAD_TEXT:
        r->text = at->value[i->arg];
        break;
    case OP_T:
        r->v = at->t;
        break;
    case OP_H:
        r->v = at->h;
        break;
    case OP_NOT:
        r->v = r->v == 0;
        break;
    case OP_NEG:
        r->v = -r->v;
        break;
    case OP_CALL:
        r->v = tt_expr_functions[i->arg].f(r->v);
        break;
    case OP_CALL2:
        r->v = tt_expr_functions[i->arg].f2(r->v, r[1].v);
        break;
    case OP_TEXT_EQ:
        r->v = tt_text_same(r->text, r[1].text);
        break;
    case OP_TEXT_NE:
        r->v = !tt_text_same(r->text, r[1].text);
        break;
    case OP_SELECT:
        *r = r->v != 0 ? r[1] : r[2];
        break;
    default:
        r->v = combine(i->op, r->v, r[1].v);
        break;
    }
}

/* Apart, since the compiler cannot see that a program reads no register before
 * it wrote it. */
__attribute__((noinline)) static void
run(const tt_expr *e, const struct tt_expr_at *at, union reg *all)
{
    for (const struct tt_expr_instr *i = e->code, *end = i + e->n_code; i < end;
         i++)
        perform(e, at, i, all + i->r);
}

/* A number or a variable of the usual type, at once. */
static inline int is_leaf(const struct tt_expr_instr *i)
{
    return i->op == OP_NUMBER || i->op == OP_F64;
}

static inline double leaf(const struct tt_expr_instr *i,
                          const struct tt_expr_at *at)
{
    return i->op == OP_NUMBER ? i->is.number
                              : *(const double *)at->value[i->arg];
}

/* Most are one of these, or what combines two. */
static int is_short(const tt_expr *e)
{
    const struct tt_expr_instr *i = e->code;

    return e->n_code == 3 && is_leaf(&i[0]) && is_leaf(&i[1]) && i[0].r == 0 &&
           i[1].r == 1 && i[2].r == 0 && i[2].op >= OP_ADD &&
           i[2].op <= OP_OR && i[2].op != OP_CALL2;
}

int tt_expr_is_pair(const tt_expr *e, struct tt_expr_pair *out)
{
    static const char sign[] = {[OP_ADD] = '+', [OP_SUB] = '-', [OP_MUL] = '*',
                                [OP_DIV] = '/', [OP_LT] = '<',  [OP_GT] = '>'};

    *out = (struct tt_expr_pair){.op = 0};
    if (is_short(e) && e->code[2].op < sizeof(sign))
        out->op = sign[e->code[2].op];
    for (int i = 0; i < 2 && out->op; i++) {
        const struct tt_expr_instr *one = &e->code[i];

        out->ref[i] = one->op == OP_NUMBER ? TT_NONE : one->arg;
        out->number[i] = one->op == OP_NUMBER ? one->is.number : 0;
    }
    return out->op != 0;
}

int tt_expr_is_sum(const tt_expr *e, uint32_t *ref, double *plus)
{
    const struct tt_expr_instr *a = e->code, *b = a + 1, *number = a;
    int sums = is_short(e) && a[2].op == OP_ADD;

    *ref = TT_NONE;
    *plus = -0.0;
    if (!sums && !(e->n_code == 1 && is_leaf(a)))
        return 0;
    if (a->op == OP_F64) {
        *ref = a->arg;
        number = sums ? b : NULL;
    } else if (sums && b->op == OP_F64) {
        *ref = b->arg;
    }
    if (number && number->op == OP_NUMBER)
        *plus = number->is.number;
    return !number || (number->op == OP_NUMBER && (!sums || *ref != TT_NONE));
}

double tt_expr_value(const tt_expr *e, const struct tt_expr_at *at)
{
    union reg r[TT_EXPR_REGS];

    if (e->n_code == 1 && is_leaf(e->code))
        return leaf(e->code, at);
    if (is_short(e))
        return combine(e->code[2].op, leaf(&e->code[0], at),
                       leaf(&e->code[1], at));

    r->v = 0; /* a program leaves something there, which analysers miss */
    run(e, at, r);
    return r->v;
}

const struct tt_text *tt_expr_text(const tt_expr *e,
                                   const struct tt_expr_at *at)
{
    union reg r[TT_EXPR_REGS];

    r->text = NULL;
    run(e, at, r);
    return r->text;
}

/* --- margins -------------------------------------------------------------- */

/* It leaves no number. */
static int is_text(uint8_t op)
{
    return op == OP_TEXT || op == OP_LOAD_TEXT;
}

static double certain(double v)
{
    return v != 0 ? (double)INFINITY : -(double)INFINITY;
}

/* Whether x > y holds, and by how much: the sign is that of the truth, where
 * they are equal, too. */
static double above(double x, double y, int holds)
{
    double by = fabs(x - y);

    if (isnan(by)) /* of two infinities, or of no number */
        return certain(holds);
    by = fmax(by, DBL_TRUE_MIN);
    return holds ? by : -by;
}

/* Of what an instruction is about to do; m of its operands. */
static double margin(const struct tt_expr_instr *i, const union reg *r,
                     const double *m)
{
    switch (i->op) {
    case OP_NOT:
        return -m[0];
    case OP_AND:
        return fmin(m[0], m[1]);
    case OP_OR:
        return fmax(m[0], m[1]);
    case OP_SELECT:
        return r->v != 0 ? m[1] : m[2];
    default:
        return above(r->v, r[1].v, combine(i->op, r->v, r[1].v) != 0);
    }
}

static int has_margin(uint8_t op)
{
    return op == OP_NOT || op == OP_SELECT || op == OP_AND || op == OP_OR ||
           (op >= OP_LT && op <= OP_GE);
}

double tt_expr_margin(const tt_expr *e, const struct tt_expr_at *at)
{
    union reg r[TT_EXPR_REGS] = {0};
    double m[TT_EXPR_REGS] = {0};

    for (const struct tt_expr_instr *i = e->code, *end = i + e->n_code; i < end;
         i++) {
        union reg *to = r + i->r;
        int kept = has_margin(i->op);

        if (kept)
            m[i->r] = margin(i, to, m + i->r);
        perform(e, at, i, to);
        if (!kept)
            m[i->r] = is_text(i->op) ? 0 : certain(to->v);
    }
    return isinf(m[0]) ? copysign(1, m[0]) : m[0];
}

/* --- derivatives ---------------------------------------------------------- */

static double along(const double *way, uint32_t ref)
{
    return way ? way[ref] : 0;
}

static struct tt_expr_jet variable(double v, const struct tt_expr_way *w,
                                   uint32_t ref)
{
    return (struct tt_expr_jet){v, along(w->a, ref), along(w->b, ref),
                                along(w->ab, ref)};
}

/* Of another type than most: only floats follow. */
static struct tt_expr_jet other(const tt_expr *e, const struct tt_expr_at *at,
                                const struct tt_expr_way *w, uint32_t ref)
{
    double v = load(e, at, ref);

    return tt_type_is_float(e->ref[ref].type) ? variable(v, w, ref)
                                              : (struct tt_expr_jet){.v = v};
}

static struct tt_expr_jet call(uint32_t function, struct tt_expr_jet x)
{
    const struct tt_expr_function *f = &tt_expr_functions[function];
    double v = f->f(x.v), first, second;

    f->slopes(x.v, v, &first, &second);
    return tt_expr_jet_of(x, v, first, second);
}

static struct tt_expr_jet call2(uint32_t function, struct tt_expr_jet x,
                                struct tt_expr_jet y)
{
    const struct tt_expr_function *f = &tt_expr_functions[function];

    return f->jet(x, y, f->f2(x.v, y.v));
}

/* From x = q y. */
static struct tt_expr_jet quotient(struct tt_expr_jet x, struct tt_expr_jet y)
{
    struct tt_expr_jet q = {.v = x.v / y.v};

    q.a = (x.a - q.v * y.a) / y.v;
    q.b = (x.b - q.v * y.b) / y.v;
    q.ab = (x.ab - q.a * y.b - q.b * y.a - q.v * y.ab) / y.v;
    return q;
}

static struct tt_expr_jet combine_jets(uint8_t op, struct tt_expr_jet x,
                                       struct tt_expr_jet y)
{
    switch (op) {
    case OP_ADD:
        return (struct tt_expr_jet){x.v + y.v, x.a + y.a, x.b + y.b,
                                    x.ab + y.ab};
    case OP_SUB:
        return (struct tt_expr_jet){x.v - y.v, x.a - y.a, x.b - y.b,
                                    x.ab - y.ab};
    case OP_MUL:
        return tt_expr_jet_mul(x, y);
    case OP_DIV:
        return quotient(x, y);
    default:
        return (struct tt_expr_jet){.v = combine(op, x.v, y.v)};
    }
}

/* Texts have no derivative and are only compared. */
union dual {
    struct tt_expr_jet j;
    const struct tt_text *text;
};

static void step(const struct tt_expr_instr *i, union dual *r)
{
    switch (i->op) {
    case OP_NOT:
        r->j = (struct tt_expr_jet){.v = r->j.v == 0};
        break;
    case OP_NEG:
        r->j = (struct tt_expr_jet){-r->j.v, -r->j.a, -r->j.b, -r->j.ab};
        break;
    case OP_CALL:
        r->j = call(i->arg, r->j);
        break;
    case OP_CALL2:
        r->j = call2(i->arg, r->j, r[1].j);
        break;
    case OP_TEXT_EQ:
        r->j = (struct tt_expr_jet){.v = tt_text_same(r->text, r[1].text)};
        break;
    case OP_TEXT_NE:
        r->j = (struct tt_expr_jet){.v = !tt_text_same(r->text, r[1].text)};
        break;
    case OP_SELECT:
        *r = r->j.v != 0 ? r[1] : r[2];
        break;
    default:
        r->j = combine_jets(i->op, r->j, r[1].j);
        break;
    }
}

struct tt_expr_jet tt_expr_jet(const tt_expr *e, const struct tt_expr_at *at,
                               const struct tt_expr_way *w)
{
    union dual all[TT_EXPR_REGS];

    memset(all, 0, e->n_reg * sizeof(*all));
    for (const struct tt_expr_instr *i = e->code, *end = i + e->n_code; i < end;
         i++) {
        union dual *r = all + i->r;

        switch (i->op) {
        case OP_NUMBER:
            r->j = (struct tt_expr_jet){.v = i->is.number};
            break;
        case OP_TEXT:
            r->text = i->is.text;
            break;
        case OP_F64:
            r->j = variable(*(const double *)at->value[i->arg], w, i->arg);
            break;
        case OP_LOAD:
            r->j = other(e, at, w, i->arg);
            break;
        case OP_LOAD_TEXT:
            r->text = at->value[i->arg];
            break;
        case OP_T:
            r->j = (struct tt_expr_jet){at->t, w->t_a, w->t_b, 0};
            break;
        case OP_H:
            r->j = (struct tt_expr_jet){.v = at->h};
            break;
        default:
            step(i, r);
            break;
        }
    }
    return all->j;
}
