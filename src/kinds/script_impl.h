/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_SCRIPT_IMPL_H
#define TT_KINDS_SCRIPT_IMPL_H

/* What the kinds script and gate share: a type made of a scenario's script, and
 * expressions over numbered inputs. */

#include "expr/expr.h"
#include "kinds/builtin.h"
#include "kinds/kept.h"
#include "scenario/scenario.h"

struct tt_script_type {
    struct tt_builtin_type b;
    const struct tt_sc_script *s; /* borrowed: the scenario outlives it */
    uint32_t gate;                /* of a gate: which */
    struct tt_port *port;
    struct tt_deps *deps; /* once tt_script_deps() made them */
    uint32_t most_port;
    tt_expr *e;      /* some; those without a text have no code */
    uint32_t *first; /* of each: where its variables begin in ... */
    uint32_t *at;    /* ... a list of numbers of variables */
    uint32_t n_at;
};

static inline const struct tt_script_type *
tt_script_of(const struct tt_builtin_type *t)
{
    return (const struct tt_script_type *)(const void *)t;
}

/* A type with room for so many ports. */
TT_NODISCARD enum tt_code tt_script_type_begin(struct tt_script_type *t,
                                               const struct tt_source *s,
                                               uint32_t n_port, tt_err *err);
/* What is the same in the tables of both. */
#define TT_SCRIPT_CAPS                                                         \
    .caps = {.evaluates = TT_EVAL_ALWAYS, .untyped = 1, .script = 1}

/* One more port: the name with a number behind it, 0: without. Fixed ones are
 * parameters. */
TT_NODISCARD enum tt_code tt_script_port(struct tt_script_type *t,
                                         const char *name, uint32_t number,
                                         const struct tt_port *like,
                                         tt_err *err);
/* Outputs depend on the inputs `from` .. `to`, at any time. */
TT_NODISCARD enum tt_code tt_script_deps(struct tt_script_type *t,
                                         uint32_t from, uint32_t to,
                                         tt_err *err);
/* Compile n texts, of which NULL is none, over named variables. */
TT_NODISCARD enum tt_code tt_script_compile(struct tt_script_type *t,
                                            const char *const *text, uint32_t n,
                                            const char *const *variable,
                                            uint32_t n_variable, tt_err *err);
/* Of an instance, whose variables are at x: to be freed by tt_free; NULL: out
 * of memory. */
const void **tt_script_where(const struct tt_script_type *t, const double *x);
static inline double tt_script_value(const struct tt_script_type *t, uint32_t i,
                                     const void *const *where, double time)
{
    const struct tt_expr_at at = {.t = time, .value = where + t->first[i]};

    return tt_expr_value(&t->e[i], &at);
}

extern const struct tt_port tt_script_input, tt_script_output;

#endif
