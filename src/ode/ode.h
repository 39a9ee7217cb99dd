/* SPDX-License-Identifier: MIT */
#ifndef TT_ODE_ODE_H
#define TT_ODE_ODE_H

/* Integrators of x' = f(t, x), with roots. Pure: callbacks in, no units.
 *
 *     explicit   Dormand and Prince's pair of order 5(4)
 *     stiff      RODAS, a Rosenbrock method of order 4(3), L-stable, stiffly
 *                accurate (Hairer and Wanner, Solving ODEs II, VI.4)
 *     euler, rk4 with steps of a fixed length, for real time
 *     auto       explicit, until a test of stiffness finds it stiff
 *     cvode      SUNDIALS' multistep method, where it was there at build time
 *     arkode     its implicit Runge-Kutta method of order 5
 *
 * All but cvode are one-step methods: what they know is the time, the states, f
 * and roots there, the length of the next step and a few counters. That is
 * plain memory without pointers (tt_ode_pack): an integrator that is unpacked
 * goes on to the bit as the one that was packed where a time asked for was
 * reached. CVODE has a history besides, which cannot be packed: unpacked it
 * starts anew.
 *
 * Life: new, reset, then advance; begin where f was changed from outside, reset
 * where states were; free. Nothing but new allocates. */

#include <stddef.h>
#include <stdint.h>

enum tt_ode_method {
    TT_ODE_AUTO,
    TT_ODE_EXPLICIT,
    TT_ODE_STIFF,
    TT_ODE_EULER,
    TT_ODE_RK4,
    TT_ODE_CVODE,
    TT_ODE_ARKODE,
    TT_ODE_METHOD_N
};

/* "auto", "explicit", ... */
const char *tt_ode_method_name(enum tt_ode_method m);
/* Was it built in? */
int tt_ode_method_there(enum tt_ode_method m);
/* TT_ODE_METHOD_N: there is none of this name. */
enum tt_ode_method tt_ode_method_find(const char *name);

/* Which, and how it is set, where that is left to a user. */
struct tt_integrator {
    enum tt_ode_method method;
    double tolerance; /* relative; 0: not given */
    double step;      /* of a method with fixed steps; 0: not given */
};

/* The callbacks answer 0, or > 0: not at this point, a shorter step may do, or
 * < 0: not at all, which ends the advance. */
struct tt_ode_problem {
    void *ctx;
    uint32_t n, n_root;
    int (*rhs)(void *ctx, double t, const double *x, double *dx);
    /* With roots. One crosses where z > 0 becomes z <= 0 or the other way
     * round, as FMI defines its event indicators. */
    int (*roots)(void *ctx, double t, const double *x, double *z);
    /* OPTIONAL: out = (df/dx) seed, at a point that rhs was just asked for.
     * Without it differences are made. */
    int (*jvp)(void *ctx, const double *seed, double *out);
    /* OPTIONAL: n * n, row by row, 0 where f[i] does not depend on x[j].
     * Borrowed. With it columns that share no row are found together. */
    const uint8_t *pattern;
};

struct tt_ode_config {
    enum tt_ode_method method;
    double rtol;
    const double *atol; /* n; borrowed, may change before a reset */
    double step;        /* of fixed-step methods */
    double max_step;    /* 0: none */
};

enum tt_ode_did {
    TT_ODE_STEPPED, /* one step, not yet there */
    TT_ODE_REACHED, /* exactly at the time asked for */
    TT_ODE_ROOT,    /* just after a root, before or at that time */
    TT_ODE_FAILED,  /* a callback answered < 0 */
    /* The step became too small to be distinguished from the time: the error
     * stays too large, or derivatives are not finite or not to be had. The
     * integrator stands where it stood. */
    TT_ODE_TOO_SMALL,
    TT_ODE_NOT_FINITE,
};

struct tt_ode_counts {
    uint64_t step, rejected, rhs, jacobian, root;
};

typedef struct tt_ode tt_ode;

/* NULL: out of memory. Copies both structs. */
tt_ode *tt_ode_new(const struct tt_ode_problem *p,
                   const struct tt_ode_config *c);
void tt_ode_free(tt_ode *o); /* accepts NULL */

/* Stand at t with these states; the length of the next step is unknown. */
void tt_ode_reset(tt_ode *o, double t, const double *x);
/* f or the roots at the present point may be others than they were. */
void tt_ode_begin(tt_ode *o);
/* Make one step towards `to`, never beyond. */
enum tt_ode_did tt_ode_advance(tt_ode *o, double to);

/* After TT_ODE_ROOT: has root i crossed? */
int tt_ode_crossed(const tt_ode *o, uint32_t i);

double tt_ode_time(const tt_ode *o);
const double *tt_ode_states(const tt_ode *o);
/* After an advance: the states at t, in the step it made (dense output, of
 * order 4, 3 with the stiff method and rk4, 1 with euler). Returns what rhs
 * answered, which some methods need to ask. */
int tt_ode_dense(tt_ode *o, double t, double *x);
/* The one in use: that of the configuration, or the choice made so far. */
enum tt_ode_method tt_ode_using(const tt_ode *o);
struct tt_ode_counts tt_ode_counts(const tt_ode *o);

/* All it remembers. */
size_t tt_ode_size(const tt_ode *o);
void tt_ode_pack(const tt_ode *o, void *bytes);
void tt_ode_unpack(tt_ode *o, const void *bytes);

#endif
