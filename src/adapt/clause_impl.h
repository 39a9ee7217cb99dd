/* SPDX-License-Identifier: MIT */
#ifndef TT_ADAPT_CLAUSE_IMPL_H
#define TT_ADAPT_CLAUSE_IMPL_H

/* Clauses of a scenario: their words and pieces of programs (words.c), those
 * about values (clause_values.c), about steps (clause_steps.c), those that
 * search (clause_search.c), and which there are and go together (clause.c). */

#include "adapt/adapt_impl.h"

#define SA_FRAME_MAX 8 /* variables of a frame, start values that are kept */

struct sa_word {
    const char *s; /* in the clause */
    size_t n;      /* 0: there is none */
};

struct sa_clause {
    const struct tt_clause *given;
    const struct sa_clause_kind *kind;
    const char *at; /* what was not read yet */
    const struct tt_port *port;
    struct sa_word inside, outside; /* units */
    double rate, start;
    const char *block; /* one that is built in stands before or behind it ... */
    double of_block[2]; /* ... with these parameters */
    const char *when;
    /* frame: variables and a matrix; reinitialise: what is kept, and as what */
    const struct tt_port *many[SA_FRAME_MAX], *as[SA_FRAME_MAX];
    uint32_t n_many;
    double matrix[SA_FRAME_MAX][SA_FRAME_MAX], offset[SA_FRAME_MAX];
    double level, absolute, relative, turns; /* of a search */
    double *levels;
    uint32_t n_level;
    int way; /* locate: up 1, down -1; iterate: enum in clause_search.c; run:
                at the next event, too */
};

struct sa_writer {
    struct tt_buf *out;
    const struct tt_desc *d;
    struct sa_clause *c;
    uint32_t n;
    tt_arena *arena;
    tt_err *err;
};

struct sa_clause_kind {
    const char *name, *form;
    enum tt_code (*read)(struct sa_writer *w, struct sa_clause *c);
    /* What it declares of the inner unit, or NULL; and all else. */
    void (*write_inner)(struct sa_writer *w, const struct sa_clause *c);
    void (*write)(struct sa_writer *w, const struct sa_clause *c);
};

/* "file:line:column: fact", of this place in the clause. */
TT_PRINTF(4, 5)
enum tt_code sa_cl_fail(const struct tt_clause *c, const char *at, tt_err *err,
                        const char *fmt, ...);
struct sa_word sa_cl_peek(struct sa_clause *c);
struct sa_word sa_cl_next(struct sa_clause *c);
int sa_cl_is(struct sa_word w, const char *text);
enum tt_code sa_cl_malformed(struct sa_writer *w, const struct sa_clause *c,
                             const char *at);
TT_NODISCARD enum tt_code sa_cl_expect(struct sa_writer *w, struct sa_clause *c,
                                       const char *text);
TT_NODISCARD enum tt_code sa_cl_end(struct sa_writer *w, struct sa_clause *c);
TT_NODISCARD enum tt_code sa_cl_number(struct sa_writer *w, struct sa_clause *c,
                                       double *to);
TT_NODISCARD enum tt_code sa_cl_positive(struct sa_writer *w,
                                         struct sa_clause *c, double *to,
                                         int zero_too);
int sa_cl_is_input(const struct sa_clause *c);
const char *sa_cl_unit_of(const struct tt_port *p);
/* An input or output that is a real number. */
TT_NODISCARD enum tt_code sa_cl_variable(struct sa_writer *w,
                                         struct sa_clause *c);
TT_NODISCARD enum tt_code sa_cl_input(struct sa_writer *w, struct sa_clause *c);
void sa_cl_put_plain(struct sa_writer *w, double v);
/* In parentheses where it is negative. */
void sa_cl_put(struct sa_writer *w, double v);
/* The variable as one of the adaptation, of its type and unit. */
void sa_cl_declare(struct sa_writer *w, const struct tt_port *p);
/* What an input begins with, of others 0; ... and with another value. */
double sa_cl_start(const struct tt_port *p);
void sa_cl_declare_from(struct sa_writer *w, const struct tt_port *p, double v);
/* Outputs stay as they are while the inner unit does not move. */
void sa_cl_hold(struct sa_writer *w);
/* Of an iteration: the turns that make the step `made` from a time, by a
 * length; inputs() assigns what each of them is given besides. */
void sa_cl_write_turns(struct sa_writer *w, const struct sa_clause *c,
                       const char *from, const char *length,
                       void (*inputs)(struct sa_writer *w));

/* By name of the clause. */
/* clang-format off */
#define SA_CLAUSES(X) \
    X(convert) X(delay) X(derivatives) X(divide) X(frame) \
    X(interpolate) X(iterate) X(locate) X(multiply) X(negate) \
    X(quantize) X(reinitialise) X(run)
/* clang-format on */
#define X(name) extern const struct sa_clause_kind sa_clause_##name;
SA_CLAUSES(X)
#undef X

#endif
