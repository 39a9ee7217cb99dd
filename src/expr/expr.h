/* SPDX-License-Identifier: MIT */
#ifndef TT_EXPR_EXPR_H
#define TT_EXPR_EXPR_H

/* Expressions over variables: "x1 - x2*cos(phi)", "{tank}.t.level > 2 and
 * not {tank}.t.alarm". docs/reference/expressions.md has the grammar.
 *
 * A text is compiled once, against a scope that knows the names, to a program
 * of bounded size for a small register machine: types and physical units are
 * checked then. Evaluating reads native values where they lie, in slots for
 * example; it allocates nothing, cannot fail and takes the same time whatever
 * the values: both sides of a choice are computed. Numbers are computed as
 * Float64, by C's operators and libm; 64-bit integers beyond 2^53 are rounded,
 * as on connections. What has no value (sqrt(-1)) is NaN.
 *
 * A program is immutable and may be evaluated by several threads at once.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/value.h"

#define TT_EXPR_TEXT_MAX 65536u /* bytes of an expression */
#define TT_EXPR_DEPTH    100u   /* parentheses, calls, signs in each other */
#define TT_EXPR_REGS     256u   /* intermediate results at a time */

/* What an expression is. Enumerations count as numbers, and are compared with
 * the names of their items, too; clocks count as booleans. */
enum tt_expr_kind {
    TT_EXPR_NUMBER,
    TT_EXPR_BOOL,
    TT_EXPR_TEXT,
    TT_EXPR_BYTES,
};

/* A physical unit, in terms of kg m s A K mol cd rad: value_in_base = factor *
 * value + offset. Not known: fits any. */
struct tt_expr_unit {
    int known;
    int8_t exponent[8];
    double factor, offset;
    const char *name; /* for messages; NULL: stated by the exponents */
};

/* "km/h", "N.m", "m/s2", "degC": n bytes. Returns 0, or -1: it is not known, or
 * longer than 64 bytes; *out is then of a factor 1 and not known. The name is
 * left NULL. */
int tt_expr_unit_parse(struct tt_expr_unit *out, const char *s, size_t n);

/* What is asked of a variable: x, der(x), pre(x), present(x). */
enum tt_expr_form {
    TT_EXPR_VALUE,
    TT_EXPR_DER,
    TT_EXPR_PRE,
    TT_EXPR_PRESENT,
    TT_EXPR_FORMS
};

/* What may be used besides plain values. */
enum tt_expr_offer {
    TT_EXPR_WITH_DER = 1 << TT_EXPR_DER,
    TT_EXPR_WITH_PRE = 1 << TT_EXPR_PRE,
    TT_EXPR_WITH_PRESENT = 1 << TT_EXPR_PRESENT,
    TT_EXPR_WITH_T = 1 << 4,
    TT_EXPR_WITH_H = 1 << 5,
    TT_EXPR_EQUATION = 1 << 6, /* "a = b" is wanted: it is a - b; "a" alone is
                                  a = 0 */
    TT_EXPR_INFER = 1 << 7,    /* no variable has a type yet: where a Boolean or
                                  a text is wanted it is one, else a Float64 */
};

struct tt_expr_variable {
    enum tt_type type;
    struct tt_expr_unit unit;
    const struct tt_items *items; /* of an enumeration, if they are known */
};

/* The names an expression may use. find() gives a variable's type and unit and
 * returns 0; -1: there is none of this name. near() gives n candidates for
 * "did you mean". */
struct tt_expr_scope {
    unsigned offers; /* enum tt_expr_offer */
    void *ctx;
    int (*find)(void *ctx, const char *name, struct tt_expr_variable *v);
    tt_name_fn near;
    size_t n_near;
};

/* A value that a program reads. Each form of each variable is listed once, in
 * the order of first use. A rate is a TT_F64, presence a TT_BOOL. */
struct tt_expr_ref {
    enum tt_expr_form form;
    const char *name;
    enum tt_type type;
};

struct tt_expr_instr;
typedef struct tt_expr {
    enum tt_expr_kind kind;
    struct tt_expr_unit unit;
    const struct tt_expr_ref *ref;
    uint32_t n_ref;
    int uses_t, uses_h;
    const struct tt_expr_instr *code;
    uint32_t n_code, n_reg;
} tt_expr;

/* Compile; everything is put into the arena. Messages are "line:column: fact",
 * the caller adds whose text it is. */
TT_NODISCARD enum tt_code tt_expr_compile(tt_expr *out, const char *text,
                                          const struct tt_expr_scope *scope,
                                          tt_arena *arena, tt_err *err);

/* The variables of n programs, each once, in the order of first use; pre(x) is
 * of x, der(x) and present(x) are variables of their own. of[]: which one each
 * ref is of, those of the first program first. */
struct tt_expr_united {
    const struct tt_expr_ref *variable;
    uint32_t n;
    const uint32_t *of;
};
TT_NODISCARD enum tt_code tt_expr_unite(struct tt_expr_united *out,
                                        const tt_expr *e, uint32_t n,
                                        tt_arena *arena, tt_err *err);

/* Several expressions in one text, with "=>" between them: how many, and the
 * first cut off, so that the answer begins the next; NULL: it is the last. */
#define TT_EXPR_NEXT "=>"
uint32_t tt_expr_pieces(const char *text);
char *tt_expr_cut(char *text);
/* `held`, which stands for what the first of several gave last. */
int tt_expr_is_held(const struct tt_expr_ref *variable);

/* Where the values are: one native element per ref. */
struct tt_expr_at {
    double t, h;
    const void *const *value;
};

/* The value of a number; of a boolean 1 or 0. */
double tt_expr_value(const tt_expr *e, const struct tt_expr_at *at);
/* Is it one operation on two numbers, each a variable of type Float64 or a
 * constant? Then what, to be made at once by who evaluates often. */
struct tt_expr_pair {
    uint32_t ref[2]; /* or TT_NONE: a constant */
    double number[2];
    char op; /* one of + - * / < > */
};
int tt_expr_is_pair(const tt_expr *e, struct tt_expr_pair *out);
/* Is it a constant (*ref is TT_NONE), or a variable of type Float64 plus one?
 * Of a variable alone that is -0.0, which changes nothing. */
int tt_expr_is_sum(const tt_expr *e, uint32_t *ref, double *plus);
/* Of a boolean: how far it is from turning over, greater than 0 while it holds,
 * else less, never 0. A comparison is true or false by the difference of its
 * sides, `and` by the smallest of two margins, `or` by the greatest; what does
 * not change gradually (a variable, ==) never limits one that does, and is 1 or
 * -1 alone. */
double tt_expr_margin(const tt_expr *e, const struct tt_expr_at *at);
/* The value of a text or binary, in a slot or in the program. */
const struct tt_text *tt_expr_text(const tt_expr *e,
                                   const struct tt_expr_at *at);

/* Derivatives by dual numbers. A jet is a value with its derivative in two
 * directions a and b, and the mixed second one:
 *
 *     f(x + a s + b r + ab s r) = v + f.a s + f.b r + f.ab s r + ...
 *
 * The directions are given per ref: how it, being a float, changes along a and
 * b. One direction is enough for a directional derivative, a second one gives
 * that of a derivative. NULL: not at all. Choices (?:, min, abs) have the
 * derivative of the side that is taken, steps (floor, comparisons) none. */
struct tt_expr_jet {
    double v, a, b, ab;
};
struct tt_expr_way {
    const double *a, *b, *ab; /* n_ref each, or NULL */
    double t_a, t_b;
};
struct tt_expr_jet tt_expr_jet(const tt_expr *e, const struct tt_expr_at *at,
                               const struct tt_expr_way *way);

/* "a number", "a Boolean", ... */
const char *tt_expr_kind_name(enum tt_expr_kind k);

#endif
