/* SPDX-License-Identifier: MIT */
#ifndef TT_EXPR_EXPR_IMPL_H
#define TT_EXPR_EXPR_IMPL_H

#include "expr/expr.h"

/* --- the register machine ------------------------------------------------ */

/* An operation takes its operands from registers r, r + 1, r + 2 and leaves its
 * result in r. */
enum tt_expr_op {
    OP_NUMBER,
    OP_TEXT,
    OP_F64,  /* a ref of this type, the usual one */
    OP_LOAD, /* ... of any other */
    OP_LOAD_TEXT,
    OP_T,
    OP_H,
    OP_NOT,
    OP_NEG,
    OP_CALL, /* a function of one number */
    /* of two */
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_CALL2,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_AND,
    OP_OR,
    OP_TEXT_EQ,
    OP_TEXT_NE,
    OP_SELECT, /* of three */
};

struct tt_expr_instr {
    uint8_t op; /* enum tt_expr_op */
    uint8_t r;
    uint32_t arg; /* number of a ref, or of a function */
    union {
        double number;
        const struct tt_text *text;
    } is;
};

/* --- functions ----------------------------------------------------------- */

/* What a function does to physical units. */
enum tt_expr_measure {
    MEASURE_PLAIN, /* takes a number or an angle, gives a number */
    MEASURE_SAME,  /* takes and gives one unit */
    MEASURE_RATIO, /* takes one unit, gives a number */
    MEASURE_ROOT,  /* gives the root of the unit */
    MEASURE_SIGN,  /* takes any unit, gives a number */
    MEASURE_POWER, /* to the power of a constant */
};

/* Of one number by f, of two by f2; the derivatives of the one are reported by
 * slopes (at x, where the value is y), of the other by a jet of two. */
struct tt_expr_function {
    const char *name;
    uint8_t least, most; /* arguments */
    enum tt_expr_measure measure;
    double (*f)(double x);
    void (*slopes)(double x, double y, double *first, double *second);
    double (*f2)(double x, double y);
    struct tt_expr_jet (*jet)(struct tt_expr_jet x, struct tt_expr_jet y,
                              double v);
};

extern const struct tt_expr_function tt_expr_functions[];
#define TT_EXPR_POWER 0u /* '^' */
/* The i-th function, or form of a variable, or NULL behind the last. */
const char *tt_expr_callable(size_t i);
/* By name, or TT_NONE. */
uint32_t tt_expr_find_function(const char *name);
const char *tt_expr_nearest_unit(const char *wrong);
const char *tt_expr_nearest_function(const char *wrong);

/* A function of one, given its value and derivatives there. */
struct tt_expr_jet tt_expr_jet_of(struct tt_expr_jet x, double v, double first,
                                  double second);
static inline struct tt_expr_jet tt_expr_jet_mul(struct tt_expr_jet x,
                                                 struct tt_expr_jet y)
{
    return (struct tt_expr_jet){
        x.v * y.v, x.a * y.v + x.v * y.a, x.b * y.v + x.v * y.b,
        x.ab * y.v + x.a * y.b + x.b * y.a + x.v * y.ab};
}

/* --- words --------------------------------------------------------------- */

enum tt_expr_token_kind {
    TOK_END,
    TOK_BAD, /* reported already */
    TOK_NUMBER,
    TOK_TEXT,
    TOK_NAME,
    TOK_UNIT, /* in brackets, with them */
    /* what stands between values; tt_expr_between() knows them */
    TOK_OR,
    TOK_AND,
    TOK_LT,
    TOK_LE,
    TOK_GT,
    TOK_GE,
    TOK_EQ,
    TOK_NE,
    TOK_PLUS,
    TOK_MINUS,
    TOK_TIMES,
    TOK_OVER,
    TOK_POWER,
    TOK_NOT,
    TOK_IS, /* a lonely '=' */
    TOK_ASK,
    TOK_COLON,
    TOK_OPEN,
    TOK_CLOSE,
    TOK_COMMA,
    TOK_IF,
    TOK_THEN,
    TOK_ELSE,
};

/* The i-th word or sign of the language, or NULL behind the last. */
const char *tt_expr_terminal(size_t i);

struct tt_expr_token {
    enum tt_expr_token_kind kind;
    const char *s; /* in the text */
    size_t n;
    double number;
    const char *name; /* NAME: without quotes */
    int plain;        /* NAME: one word, which may be of the language */
    const struct tt_text *text;
};

/* --- the compiler -------------------------------------------------------- */

/* Of a mistake the first is reported; after it there is only the end of the
 * text, so that nothing else need look. */
struct tt_expr_parser {
    const char *text, *at;
    struct tt_expr_token tok;
    const struct tt_expr_scope *scope;
    tt_arena *arena;
    tt_err *err;
    enum tt_code rc;
    unsigned depth;
    uint32_t top, most; /* registers in use, now and at most */
    struct tt_expr_instr *code;
    struct tt_expr_ref *ref;
    size_t n_code, cap_code, n_ref, cap_ref;
    struct tt_names by_name[TT_EXPR_FORMS]; /* index of a ref */
    int uses_t, uses_h;
};

/* What the top register holds, and where that stands. */
struct tt_expr_operand {
    enum tt_expr_kind kind;
    struct tt_expr_unit unit;
    const char *s;
    uint32_t ref;    /* a variable and nothing else: its reference, plus 1 */
    int is_constant; /* a number as written, perhaps with a sign */
    double constant;
    const struct tt_text *literal; /* a text as written */
    size_t at;                     /* ... and the instruction that has it */
    const struct tt_items *items;  /* a variable: those of an enumeration */
};

TT_PRINTF(3, 4)
void tt_expr_fail(struct tt_expr_parser *p, const char *at, const char *fmt,
                  ...);
void tt_expr_no_memory(struct tt_expr_parser *p);
void tt_expr_next(struct tt_expr_parser *p); /* the next token into p->tok */
/* "3:14", line and column from 1, of a place in the text. */
struct tt_expr_place {
    char s[48];
};
struct tt_expr_place tt_expr_place(const struct tt_expr_parser *p,
                                   const char *at);
/* The token as messages show it. */
struct tt_expr_shown {
    char s[48];
};
struct tt_expr_shown tt_expr_shown(const struct tt_expr_token *t);

/* types.c: what operations take and give. The token is the operator, for
 * messages. */
struct tt_expr_operand tt_expr_unary(struct tt_expr_parser *p,
                                     const struct tt_expr_token *op,
                                     struct tt_expr_operand x);
struct tt_expr_operand tt_expr_binary(struct tt_expr_parser *p,
                                      const struct tt_expr_token *op,
                                      struct tt_expr_operand x,
                                      struct tt_expr_operand y);
/* x[km]: a number is given its unit, what has one is converted. */
struct tt_expr_operand tt_expr_measured(struct tt_expr_parser *p,
                                        const struct tt_expr_token *unit,
                                        struct tt_expr_operand x);
struct tt_expr_operand tt_expr_select(struct tt_expr_parser *p,
                                      struct tt_expr_operand x[3]);
/* One more argument of a call; the first comes alone, with x NULL. */
struct tt_expr_operand tt_expr_call(struct tt_expr_parser *p,
                                    const struct tt_expr_token *name,
                                    uint32_t function,
                                    struct tt_expr_operand *x,
                                    struct tt_expr_operand y);
struct tt_expr_operand tt_expr_variable(struct tt_expr_parser *p,
                                        enum tt_expr_form form,
                                        const struct tt_expr_token *name);
/* Loads by the types that variables have in the end. */
void tt_expr_choose_loads(struct tt_expr_parser *p);
struct tt_expr_operand tt_expr_time(struct tt_expr_parser *p,
                                    const struct tt_expr_token *name);
struct tt_expr_operand tt_expr_literal(struct tt_expr_parser *p,
                                       const struct tt_expr_token *tok);
struct tt_expr_operand tt_expr_constant(struct tt_expr_parser *p,
                                        const struct tt_expr_token *tok,
                                        enum tt_expr_kind kind, double value);

#endif
