/* SPDX-License-Identifier: MIT */
#ifndef TT_BENCH_FLOOR_ME_H
#define TT_BENCH_FLOOR_ME_H

/* The floor of model exchange: a bare loop that integrates one unit with the
 * integrator that Tutti uses, and nothing of Tutti's between it and the FMU.
 * "cvode" is CVODE as SUNDIALS has it; the others are those of ode/. */

#include "floor.h"

enum { FLOOR_STATES = 8 };

struct floor_me {
    void *c;
    size_t n;
    /* alike in FMI 2 and 3 */
    int (*set_time)(void *c, double t);
    int (*set_states)(void *c, const double *x, size_t n);
    int (*get_states)(void *c, double *x, size_t n);
    int (*get_derivatives)(void *c, double *dx, size_t n);
    double x[FLOOR_STATES], atol[FLOOR_STATES], rtol;
    int cvode;
    void *integrator;
};

int floor_me_start(struct floor *f);
int floor_me_play(struct floor *f, uint64_t from, uint64_t n);
void floor_me_free(struct floor_me *m); /* accepts NULL */

/* floor_cvode.c */
int floor_cvode_new(struct floor_me *m);
/* One step of it; *t is where it stands, x the states. */
int floor_cvode_advance(struct floor_me *m, double to, double *t,
                        const double **x);
void floor_cvode_free(struct floor_me *m);

#endif
