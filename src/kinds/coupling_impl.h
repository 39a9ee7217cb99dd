/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_COUPLING_IMPL_H
#define TT_KINDS_COUPLING_IMPL_H

/* What couplings are made of. Private to the kind.
 *
 * A type is a constraint, compiled, and ports around it: an input for every
 * variable in it and, unless it is one of rates itself, for the rate of that
 * variable; an action in all, and one per variable. Immutable once open.
 */

#include "expr/expr.h"
#include "kinds/builtin.h"
#include "kinds/kept.h"

/* What a port is for. Those below have one port each; tt_coupling_type.port_of
 * has it, or TT_NONE. Of those after it there is one per ref. */
enum tt_coupling_role {
    COUPLING_GUESS,
    COUPLING_ACTION,
    COUPLING_REACTION,
    COUPLING_RESIDUAL,
    COUPLING_START,
    COUPLING_FIRST_GUESS,
    COUPLING_FIRST,
    COUPLING_RATE_RESIDUAL,
    COUPLING_DAMPING,
    COUPLING_WORST,
    COUPLING_WORST_RATE,
    COUPLING_RANG,
    COUPLING_RANG_SINCE,
    COUPLING_ROLES,
    COUPLING_VALUE = COUPLING_ROLES,
    COUPLING_RATE,
    COUPLING_TERM,             /* the action on this variable ... */
    COUPLING_TERM_FIRST,       /* ... at the beginning of the step */
    COUPLING_TERM_FIRST_GUESS, /* ... as tried */
};

struct tt_coupling_port {
    uint8_t role; /* enum tt_coupling_role */
    uint32_t ref;
};

/* A variable of the constraint. */
struct tt_coupling_ref {
    uint32_t value, rate; /* ports; rate TT_NONE: it has none */
    int is_term;          /* it has an action of its own */
};

struct tt_coupling_type {
    struct tt_builtin_type b;
    tt_expr e;                   /* b.base.desc.expression, or the plain one */
    struct tt_coupling_ref *ref; /* per ref of e */
    struct tt_coupling_port *is; /* per port */
    uint32_t port_of[COUPLING_ROLES];
};

#define TT_COUPLING_SOURCE "tutti:coupling"

/* The type of a location: the source alone, for values left and right, or with
 * ": constraint" behind it. */
TT_NODISCARD enum tt_code tt_coupling_read(struct tt_builtin_type *t,
                                           const struct tt_source *s,
                                           tt_err *err);
/* Its constraint compiled; per port what its variables are in (see tt_make), or
 * NULL. */
TT_NODISCARD enum tt_code
tt_coupling_compile(tt_expr *e, const struct tt_coupling_type *t,
                    const struct tt_quantity *const *fed, tt_arena *arena,
                    tt_err *err);

/* --- an instance ---------------------------------------------------------- */

/* What came of it, over the steps that stand. */
struct tt_coupling_account {
    double until;             /* looked at up to this time */
    double worst, worst_rate; /* the largest residuals */
    double action, change;    /* the last action, and how it differed */
    double most;              /* the largest action */
    double rang, rang_since;  /* steps in which it rang, and the first */
    uint32_t turned;          /* steps in a row it went back on itself */
};

/* What goes back with the time: a step taken back leaves no trace in the
 * account, also where a state was saved in the midst of it. */
struct tt_coupling_state {
    struct tt_coupling_account so_far;
    double number[]; /* per port: inputs and parameters, outputs follow; then
                        per ref: dg/dx where the step began */
};

/* A value, and how it follows d: a small change of each port, or NULL. */
struct tt_coupling_pair {
    double v, d;
};

struct tt_coupling {
    struct tt_kept_unit k;
    const struct tt_coupling_type *type; /* borrowed */
    struct tt_coupling_state *is;        /* k.is */
    const tt_expr *e; /* the type's, or with physical units, in the arena */
    tt_arena *arena;  /* owned, or NULL */
    int rates;        /* they are connected ... */
    int both;         /* ... and there are two unknowns */
    struct tt_expr_at at;
    double *a, *b, *ab; /* owned: directions, per ref */
    double *d;          /* owned: per port */
    int is_found;       /* while the ports of a call are read, the action is */
    struct tt_coupling_pair found;
};

/* How it is evaluated now, with d: a small change of every port, or NULL. */
struct tt_coupling_pair tt_coupling_own(const struct tt_coupling *c,
                                        enum tt_coupling_role role,
                                        const double *d);
struct tt_coupling_pair tt_coupling_residual(struct tt_coupling *c,
                                             const double *d);
struct tt_coupling_pair tt_coupling_rate_residual(struct tt_coupling *c,
                                                  const double *d);
/* dg/dx of a variable x; that where the step began is kept in the state. */
struct tt_coupling_pair tt_coupling_gradient(struct tt_coupling *c,
                                             uint32_t ref, const double *d);
double *tt_coupling_began(const struct tt_coupling *c);
struct tt_coupling_pair tt_coupling_action(struct tt_coupling *c,
                                           const double *d);
struct tt_coupling_pair tt_coupling_first(struct tt_coupling *c,
                                          const double *d);
struct tt_coupling_pair tt_coupling_term(struct tt_coupling *c, uint32_t ref,
                                         const double *d);
struct tt_coupling_pair tt_coupling_term_first(struct tt_coupling *c,
                                               uint32_t ref, const double *d);

#endif
