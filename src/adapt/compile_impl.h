/* SPDX-License-Identifier: MIT */
#ifndef TT_ADAPT_COMPILE_IMPL_H
#define TT_ADAPT_COMPILE_IMPL_H

/* From the explicit form to code: names and expressions (phrase.c), calls of
 * control rules (calls.c), statements and sections (compile.c). */

#include "adapt/adapt_impl.h"

enum sa_where { INIT, BOUND, IN, MAP_IN, MAP_OUT, OUT, CTRL };
#define AT(w)  (1u << (w))
#define ALWAYS (AT(IN) | AT(MAP_IN) | AT(MAP_OUT) | AT(OUT) | AT(CTRL))
#define MAPS   (AT(MAP_IN) | AT(MAP_OUT))

/* Where each may be read, where it gets its value, and what it is called. */
struct sa_may {
    unsigned read, set;
    const char *what;
};
extern const struct sa_may sa_may[]; /* by enum sa_sym_kind */
extern const char *const sa_place[]; /* by enum sa_where */

struct sa_loop {
    struct sa_loop *outer;
    uint32_t *exit; /* jumps out of it */
    size_t n, cap;
};

struct sa_compiler {
    struct sa_code *c;
    const struct sa_linked *l;
    const struct sa_prog *p;
    struct sa_loop *loop;
    uint32_t n_call;
    double turns; /* of the loops around, as far as known */
    tt_err *err;
};

#define FAIL(k, at, ...) sa_fail((k)->p, (at), (k)->err, TT_EINPUT, __VA_ARGS__)

/* An expression, with the names of the language replaced. */
struct sa_phrase {
    struct sa_compiler *k;
    struct tt_buf out;
    enum sa_where w;
    struct {
        size_t column;
        const struct sa_tok *tok;
    } * map;
    size_t n_map, cap_map, column;
    enum tt_code rc;
};

enum tt_code sa_no_memory(struct sa_compiler *k);
struct sa_sym *sa_find_sym(const struct sa_compiler *k, const char *name);
struct sa_sym *sa_add_sym(struct sa_compiler *k, const char *name,
                          enum sa_sym_kind kind, int is_bool, const char *unit);
TT_NODISCARD enum tt_code sa_new_sym(struct sa_compiler *k,
                                     const struct sa_tok *at, const char *name,
                                     enum sa_sym_kind kind, int is_bool,
                                     const char *unit);
const char *sa_candidate(const void *ctx, size_t i);
TT_NODISCARD enum tt_code sa_expression(struct sa_compiler *k,
                                        const struct sa_expr *e,
                                        enum sa_where w, uint32_t *index);
TT_NODISCARD enum tt_code sa_number(struct sa_compiler *k,
                                    const struct sa_expr *e, enum sa_where w,
                                    uint32_t *index);
TT_NODISCARD enum tt_code sa_condition(struct sa_compiler *k,
                                       const struct sa_expr *e, enum sa_where w,
                                       uint32_t *index);
struct sa_op *sa_add_op(struct sa_compiler *k, enum sa_op_kind kind,
                        const struct sa_tok *at);
uint32_t sa_slot_of(const struct sa_compiler *k, uint32_t e);
void sa_set_expr(struct sa_compiler *k, struct sa_op *o, uint32_t e);
TT_NODISCARD enum tt_code sa_assign(struct sa_compiler *k,
                                    const struct sa_tok *at, uint32_t slot,
                                    uint32_t mark, uint32_t e);
TT_NODISCARD enum tt_code sa_call(struct sa_compiler *k,
                                  const struct sa_expr *e, uint32_t i,
                                  struct sa_phrase *t, uint32_t *end,
                                  uint32_t *slot);
/* The arguments of the call whose name is at i: how many there are, of which
 * arg[] gets the first n, and where it ends. */
uint32_t sa_arguments_up_to(const struct sa_expr *e, uint32_t i,
                            struct sa_expr *arg, uint32_t n, uint32_t *end_at);
/* The same of a call that takes n. Answers where it ends. */
uint32_t sa_arguments(struct sa_phrase *t, const struct sa_expr *e, uint32_t i,
                      struct sa_expr *arg, uint32_t n);

#endif
