/* SPDX-License-Identifier: MIT */
/* CVODE as a C program uses it that knows nothing else. */
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "floor_me.h"

struct cvode {
    SUNContext ctx;
    void *mem;
    N_Vector y, atol;
    SUNMatrix jac;
    SUNLinearSolver solver;
};

static int rhs(realtype t, N_Vector y, N_Vector dy, void *user)
{
    const struct floor_me *m = user;

    return m->set_time(m->c, t) | m->set_states(m->c, NV_DATA_S(y), m->n) |
           m->get_derivatives(m->c, NV_DATA_S(dy), m->n);
}

int floor_cvode_new(struct floor_me *m)
{
    struct cvode *k = calloc(1, sizeof(*k));
    sunindextype n = (sunindextype)m->n;

    m->integrator = k;
    if (!k || SUNContext_Create(NULL, &k->ctx))
        return -1;
    k->y = N_VMake_Serial(n, m->x, k->ctx);
    k->atol = N_VMake_Serial(n, m->atol, k->ctx);
    k->jac = SUNDenseMatrix(n, n, k->ctx);
    k->solver = SUNLinSol_Dense(k->y, k->jac, k->ctx);
    k->mem = CVodeCreate(CV_BDF, k->ctx);
    return CVodeInit(k->mem, rhs, 0, k->y) || CVodeSetUserData(k->mem, m) ||
           CVodeSVtolerances(k->mem, m->rtol, k->atol) ||
           CVodeSetLinearSolver(k->mem, k->solver, k->jac);
}

int floor_cvode_advance(struct floor_me *m, double to, double *t,
                        const double **x)
{
    struct cvode *k = m->integrator;

    *x = m->x;
    return CVodeSetStopTime(k->mem, to) ||
           CVode(k->mem, to, k->y, t, CV_ONE_STEP) < 0;
}

void floor_cvode_free(struct floor_me *m)
{
    struct cvode *k = m->integrator;

    if (!k)
        return;
    CVodeFree(&k->mem);
    (void)SUNLinSolFree(k->solver);
    SUNMatDestroy(k->jac);
    N_VDestroy(k->atol);
    N_VDestroy(k->y);
    (void)SUNContext_Free(&k->ctx);
    free(k);
}
