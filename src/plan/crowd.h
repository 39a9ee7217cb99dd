/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAN_CROWD_H
#define TT_PLAN_CROWD_H

/* For tests: random scenarios of mock units, from a seed.
 *
 * A unit of a crowd is linear, so that anyone can compute what it should do:
 *
 *     x' = sum_k rate[k] u_k,  x(0) = x0,  y_j = own[j] x + sum_k c[j][k] u_k
 *
 * Where c[j][k] is not 0 it feeds through; an output declares exactly that, or
 * nothing. Ports are u0, u1, ..., y0, y1, ..., x0. In tutti_testing only.
 */

#include "plan/plan.h"
#include "unit/mock.h"

struct tt_crowd_opts {
    uint64_t seed;
    uint32_t n_type, n_unit;
    uint32_t n_in, n_out; /* of each type: at most; exactly, with `full` */
    int full;             /* and every input is connected */
    /* per cent */
    uint32_t through;           /* of c[j][k]: not 0 */
    uint32_t unknown;           /* of outputs: do not declare it */
    uint32_t standard;          /* of types: no reading after setting */
    uint32_t connected;         /* of inputs */
    uint32_t reactive, delayed; /* of inputs */
    uint32_t recorded;          /* of unconnected outputs */
    uint32_t linear;            /* of connected inputs: a course */
    uint32_t fast;              /* of units: 2 or 3 steps in a macro step */
    int acyclic; /* no value depends on itself at one instant, in truth */
    int mixed;   /* ports of several types and sizes; then no behaviour */
    int gauss_seidel, order_given;
    double end; /* in steps of 0.25 from 0 */
};

/* What a type does; its mock's ctx. */
struct tt_crowd_type {
    uint32_t n_in, n_out;
    double *c; /* n_out * n_in */
    double *own, *rate;
    int *direct; /* per input: some output depends on it */
};

struct tt_crowd {
    tt_arena *arena;
    tt_scenario scenario; /* refers to the arena */
    struct tt_mock_spec *spec;
    struct tt_crowd_type *type;
    tt_unit_type **made;
    const struct tt_desc **desc; /* per type */
    double *x0;                  /* per unit */
};

void tt_crowd_init(struct tt_crowd *c, const struct tt_crowd_opts *o);
void tt_crowd_fini(struct tt_crowd *c);
/* So that a run finds the types by their paths; at most 64. */
void tt_crowd_register(const struct tt_crowd *c);

/* xorshift64*: the next number, and one below n. */
uint64_t tt_crowd_next(uint64_t *seed);
uint32_t tt_crowd_below(uint64_t *seed, uint32_t n);

#endif
