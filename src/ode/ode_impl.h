/* SPDX-License-Identifier: MIT */
#ifndef TT_ODE_ODE_IMPL_H
#define TT_ODE_ODE_IMPL_H

/* Shared by ode.c (the driver), explicit.c and rosenbrock.c (methods),
 * jacobian.c, root.c and sundials.c. Private to ode/. */

#include "ode/ode.h"

enum { TT_ODE_STAGES = 7, TT_ODE_CONT = 4 };

/* What is kept over steps; packed with x, f0 and z0 behind it. */
struct tt_ode_kept {
    double t;
    double h; /* the next step, were it not cut; 0: not known */
    uint32_t method;
    uint32_t stiff, calm;      /* steps in a row that looked so */
    uint32_t was_set;          /* x, since the last step */
    uint16_t f_known, z_known; /* f0 and z0 are those of the present point */
    uint32_t unused;
    struct tt_ode_counts n;
};

struct tt_ode {
    struct tt_ode_problem p;
    struct tt_ode_config c;
    struct tt_ode_kept kept;
    /* the step made last, for dense output */
    double t_old, t_new;
    int cont_known;
    int of_lib;                /* the library made it */
    double *x, *x_new;         /* x_new: of the step tried; then the old */
    double *f0;                /* f where the step begins */
    double *k[TT_ODE_STAGES];  /* stages */
    double *cont[TT_ODE_CONT]; /* see tt_ode_dense */
    double *tmp, *tmp2;
    double *z0, *z1, *z; /* n_root: at the begin, the end, between */
    double *x_root;
    /* with an implicit method */
    double *jac, *lu, *dfdt, *seed;
    uint32_t *pivot, *order; /* of elimination: the states one by one */
    uint32_t *colour, n_colour;
    double *block;          /* owned: all of the above but integers */
    struct tt_ode_lib *lib; /* owned: with a method of SUNDIALS; else NULL */
};

/* A method tries a step of length h from (t, x) with f0: x_new and the error
 * in the norm in which 1 is what is allowed (0: fixed steps). Answers as
 * callbacks do. */
struct tt_ode_ops {
    uint32_t order; /* of the estimate: the error is O(h^(order + 1)) */
    double grow;    /* a step is at most so many times the one before */
    int fixed;
    int (*step)(tt_ode *o, double h, double *error);
    /* Fill cont but the first for the step just made, of length h. */
    int (*dense)(tt_ode *o, double h);
};
extern const struct tt_ode_ops tt_ode_dopri5, tt_ode_rodas, tt_ode_euler,
    tt_ode_rk4;

int tt_ode_rhs(tt_ode *o, double t, const double *x, double *dx);
/* Root mean square of e over what is allowed at a and b. */
double tt_ode_norm(const tt_ode *o, const double *e, const double *a,
                   const double *b);
/* jac and dfdt at (t, x), where f0 is f; h is the step to come. */
int tt_ode_jacobian(tt_ode *o, double h);
/* jac alone. */
int tt_ode_jacobian_x(tt_ode *o);
/* Columns that may be found together; needs p.pattern. */
void tt_ode_colour(tt_ode *o);
/* Fill o->order; < 0: out of memory. */
int tt_ode_order(tt_ode *o);
/* A root in the step just made? Then the integrator is put right behind the
 * first one, and *found is set. Answers as callbacks do. */
int tt_ode_locate(tt_ode *o, int *found);
/* Does a root cross in the step just made, against the direction in which it
 * sets out? Answers as callbacks do. */
int tt_ode_turns(tt_ode *o, int *turns);

/* sundials.c, or sundials_absent.c. */
int tt_ode_lib_there(void);
/* Fill o->lib; < 0: out of memory. free accepts what a failed new left. */
int tt_ode_lib_new(tt_ode *o);
void tt_ode_lib_free(tt_ode *o);
/* As tt_ode_begin(); with `set` states are others, too. */
void tt_ode_lib_begin(tt_ode *o, int set);
/* One internal step; a root in it is not looked for. */
enum tt_ode_did tt_ode_lib_step(tt_ode *o, double to);
/* Was the step made last of order one? */
int tt_ode_lib_straight(const tt_ode *o);
/* The states at t, in the step made last. Answers as callbacks do. */
int tt_ode_lib_dense(tt_ode *o, double t, double *x);

#endif
