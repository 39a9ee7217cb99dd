/* SPDX-License-Identifier: MIT */
#ifndef TT_SOLVE_SOLVE_H
#define TT_SOLVE_SOLVE_H

/* Fixed points by reverse communication: find z with z = G(z).
 *
 * The caller evaluates G, whatever that takes (set inputs, step units, read
 * outputs); the solver is handed z and G(z) and writes the next z to try, or
 * states that it is done. So every acceleration has the same loop around it,
 * and finite-difference probes are just further requests:
 *
 *     tt_solve_begin(s, z);
 *     do
 *         g = G(z);
 *     while ((verdict = tt_solve_next(s, z, g, nominal)) == TT_SOLVE_AGAIN);
 *
 * All memory is one block given by the caller, without pointers in it: a copy
 * of the block is a copy of the solver, so a rejected step leaves no trace.
 * Deterministic: sums run in index order. Pure: nothing is allocated.
 *
 * Converged when |g_i - z_i| <= atol * nominal_i + rtol * |g_i| for all i.
 */

#include <stddef.h>
#include <stdint.h>

enum tt_solve_method {
    TT_SOLVE_NONE,     /* z := g */
    TT_SOLVE_RELAX,    /* z := z + relax (g - z) */
    TT_SOLVE_AITKEN,   /* the same, relaxed by the last two residuals */
    TT_SOLVE_ANDERSON, /* least squares over the last residuals */
    TT_SOLVE_NEWTON,   /* Jacobian of G by differences, kept while it serves */
    TT_SOLVE_AUTO,     /* z := g while that contracts, then damped Newton */
};

#define TT_SOLVE_DEPTH 8 /* residuals Anderson looks back on, at most */

struct tt_solve_opts {
    enum tt_solve_method method;
    double atol, rtol;
    double relax;   /* RELAX, and AITKEN's first; 0 is 1 */
    int jacobian;   /* NEWTON, AUTO: ask for G' instead of probing for it */
    int doubt;      /* ... as long as it leads on; after that, probe */
    uint32_t least; /* NONE: evaluations in any case */
};

enum tt_solve_verdict {
    TT_SOLVE_AGAIN,    /* evaluate G at the new z */
    TT_SOLVE_DONE,     /* g is the solution, z is untouched */
    TT_SOLVE_LOST,     /* not a number: give up */
    TT_SOLVE_JACOBIAN, /* give G'(z) of the z just evaluated */
};

struct tt_solve; /* a block of tt_solve_size() bytes, aligned for double */

size_t tt_solve_size(const struct tt_solve_opts *o, uint32_t n);
struct tt_solve *tt_solve_init(void *block, const struct tt_solve_opts *o,
                               uint32_t n);
/* A new problem, near the last one: forgets all but Newton's Jacobian. */
void tt_solve_begin(struct tt_solve *s);
/* nominal may be NULL: all 1. AUTO takes NaN as long as values may still be on
 * their way round the loop. */
enum tt_solve_verdict tt_solve_next(struct tt_solve *s, double *z,
                                    const double *g, const double *nominal);

/* After TT_SOLVE_JACOBIAN: dG_i/dz_j at j + n i. Writes the next z. */
void tt_solve_jacobian(struct tt_solve *s, const double *jacobian, double *z);

/* ... or there is none: probes from here on. Writes the next z. */
void tt_solve_no_jacobian(struct tt_solve *s, double *z, const double *nominal);
/* Were Jacobians given that led nowhere, or none? */
int tt_solve_doubts(const struct tt_solve *s);

/* Evaluations of G since begin, and the worst |g_i - z_i| relative to its
 * tolerance in the last of them with its index: for messages. */
uint32_t tt_solve_count(const struct tt_solve *s);
double tt_solve_worst(const struct tt_solve *s, uint32_t *index);
/* Is the z asked for a probe of Newton's (its G states nothing of progress)? */
int tt_solve_probing(const struct tt_solve *s);

const char *tt_solve_method_name(enum tt_solve_method m);

#endif
