/* SPDX-License-Identifier: MIT */
/* CVODE (multistep, stiff) and ARKODE (implicit Runge-Kutta) of SUNDIALS 6, one
 * internal step at a time. It is linked statically and none of its names leave
 * the product, since FMUs bring their own.
 *
 * Roots are found by our own root.c on the library's dense output: FMI's
 * domains are z > 0 and z <= 0, while SUNDIALS looks at signs and takes 0 for a
 * third one.
 *
 * ARKODE starts every leg alike, so that time, states and the length of the
 * next step are all there is to know: when a time asked for was reached it is
 * initialised anew, with that length, no memory in its controller, a trivial
 * predictor and a fresh Jacobian. CVODE goes on with its history, unless states
 * were set or f has leapt; it starts anew where it is unpacked.
 *
 * The dense output of ARKODE is our own. Its own interpolants go through f at
 * both ends, whose errors stiff systems multiply by their stiffness, or through
 * steps of before, which a leg does not have. Ours goes through states alone:
 * those at the quarters of the step, each by one step from its beginning. */
#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "base/mem.h"
#include "ode/ode_impl.h"

#define GROWTH 20 /* of a step over the one before, also of the first */
#define PARTS  4  /* of a step, for what lies within */

struct tt_ode_lib {
    SUNContext ctx;
    void *mem;
    N_Vector y, atol, dky;
    SUNMatrix jac;
    SUNLinearSolver solver;
    int stale;   /* states were set: it must be initialised anew */
    int begun;   /* f may be another than it was */
    int refused; /* what f answered last in the step that was not 0 */
    /* ARKODE only: a second one, for what lies within a step. */
    void *inner;
    SUNMatrix inner_jac;
    SUNLinearSolver inner_solver;
    double *node; /* owned: states at the quarters of the step; see dense */
    int noded;    /* they are of this step: 1, or there are none: -1 */
};

int tt_ode_lib_there(void)
{
    return 1;
}

static int is_cvode(const tt_ode *o)
{
    return o->c.method == TT_ODE_CVODE;
}

/* --- what it asks --------------------------------------------------------- */

static int rhs(realtype t, N_Vector y, N_Vector dy, void *user)
{
    tt_ode *o = user;
    int rc = tt_ode_rhs(o, t, NV_DATA_S(y), NV_DATA_S(dy));

    if (rc)
        o->lib->refused = rc;
    return rc;
}

/* Ours is of the point the integrator stands at, which is y for a while. */
static int jacobian(realtype t, N_Vector y, N_Vector fy, SUNMatrix j,
                    void *user, N_Vector a, N_Vector b, N_Vector c)
{
    tt_ode *o = user;
    double *x = o->x, *f0 = o->f0, now = o->kept.t;
    uint32_t n = o->p.n;
    int rc;

    (void)a;
    (void)b;
    (void)c;
    o->x = NV_DATA_S(y);
    o->f0 = NV_DATA_S(fy);
    o->kept.t = t;
    rc = tt_ode_jacobian_x(o);
    if (rc)
        o->lib->refused = rc;
    o->x = x;
    o->f0 = f0;
    o->kept.t = now;
    for (uint32_t col = 0; col < n; col++)
        for (uint32_t row = 0; row < n; row++)
            SM_ELEMENT_D(j, row, col) = o->jac[(size_t)row * n + col];
    return rc;
}

/* What fails is reported by the outcome of a step. */
static void quiet(int code, const char *module, const char *function, char *msg,
                  void *user)
{
    (void)code;
    (void)module;
    (void)function;
    (void)msg;
    (void)user;
}

/* --- life ----------------------------------------------------------------- */

/* Absolute tolerances may be others since the last time. */
static int set_tolerances(tt_ode *o)
{
    struct tt_ode_lib *l = o->lib;

    memcpy(NV_DATA_S(l->atol), o->c.atol, o->p.n * sizeof(double));
    return is_cvode(o) ? CVodeSVtolerances(l->mem, o->c.rtol, l->atol)
                       : ARKStepSVtolerances(l->mem, o->c.rtol, l->atol);
}

static int set_up_cvode(tt_ode *o)
{
    struct tt_ode_lib *l = o->lib;

    l->mem = CVodeCreate(CV_BDF, l->ctx);
    return !l->mem || CVodeInit(l->mem, rhs, 0, l->y) ||
           CVodeSetErrHandlerFn(l->mem, quiet, o) ||
           CVodeSetUserData(l->mem, o) || set_tolerances(o) ||
           CVodeSetLinearSolver(l->mem, l->solver, l->jac) ||
           CVodeSetJacFn(l->mem, jacobian) ||
           CVodeSetMaxStep(l->mem, o->c.max_step);
}

/* What both have. */
static void *new_arkode(tt_ode *o, SUNLinearSolver solver, SUNMatrix jac)
{
    struct tt_ode_lib *l = o->lib;
    void *mem = ARKStepCreate(NULL, rhs, 0, l->y, l->ctx);

    if (mem &&
        (ARKStepSetErrHandlerFn(mem, quiet, o) || ARKStepSetUserData(mem, o) ||
         ARKStepSVtolerances(mem, o->c.rtol, l->atol) ||
         ARKStepSetLinearSolver(mem, solver, jac) ||
         ARKStepSetJacFn(mem, jacobian) || ARKStepSetOrder(mem, 5) ||
         ARKStepSetPredictorMethod(mem, 0)))
        ARKStepFree(&mem);
    return mem;
}

static int set_up_arkode(tt_ode *o)
{
    struct tt_ode_lib *l = o->lib;
    sunindextype n = o->p.n;

    l->mem = new_arkode(o, l->solver, l->jac);
    l->inner_jac = SUNDenseMatrix(n, n, l->ctx);
    l->inner_solver =
        l->inner_jac ? SUNLinSol_Dense(l->y, l->inner_jac, l->ctx) : NULL;
    l->inner =
        l->inner_solver ? new_arkode(o, l->inner_solver, l->inner_jac) : NULL;
    return !l->mem || !l->inner ||
           !TT_NEW_ARRAY(l->node, (size_t)(PARTS - 1) * o->p.n) ||
           ARKStepSetMaxStep(l->mem, o->c.max_step) ||
           ARKStepSetAdaptivityMethod(l->mem, ARK_ADAPT_I, 1, 0, NULL) ||
           ARKStepSetMaxGrowth(l->mem, GROWTH) ||
           ARKStepSetMaxFirstGrowth(l->mem, GROWTH);
}

int tt_ode_lib_new(tt_ode *o)
{
    struct tt_ode_lib *l;
    sunindextype n = o->p.n;

    if (!TT_NEW(l))
        return -1;
    o->lib = l;
    l->stale = 1;
    if (SUNContext_Create(NULL, &l->ctx))
        return -1;
    l->y = N_VNew_Serial(n, l->ctx);
    l->atol = N_VNew_Serial(n, l->ctx);
    l->dky = N_VNew_Serial(n, l->ctx);
    l->jac = SUNDenseMatrix(n, n, l->ctx);
    if (!l->y || !l->atol || !l->dky || !l->jac)
        return -1;
    N_VConst(0, l->y);
    N_VConst(1, l->atol);
    l->solver = SUNLinSol_Dense(l->y, l->jac, l->ctx);
    if (!l->solver)
        return -1;
    return (is_cvode(o) ? set_up_cvode : set_up_arkode)(o) ? -1 : 0;
}

void tt_ode_lib_free(tt_ode *o)
{
    struct tt_ode_lib *l = o->lib;

    if (!l)
        return;
    if (l->mem && is_cvode(o))
        CVodeFree(&l->mem);
    else if (l->mem)
        ARKStepFree(&l->mem);
    if (l->inner)
        ARKStepFree(&l->inner);
    for (int i = 0; i < 2; i++) {
        SUNLinearSolver solver = i ? l->inner_solver : l->solver;
        SUNMatrix jac = i ? l->inner_jac : l->jac;

        if (solver)
            (void)SUNLinSolFree(solver);
        if (jac)
            SUNMatDestroy(jac);
    }
    N_VDestroy(l->dky);
    N_VDestroy(l->atol);
    N_VDestroy(l->y);
    if (l->ctx)
        (void)SUNContext_Free(&l->ctx);
    TT_FREE_ALL(l->node, l);
    o->lib = NULL;
}

void tt_ode_lib_begin(tt_ode *o, int set)
{
    o->lib->stale |= set || !is_cvode(o);
    o->lib->begun = 1;
}

/* --- steps ---------------------------------------------------------------- */

/* Is f here another than the history of CVODE has it, by more than a step
 * forgives? */
static int leapt(tt_ode *o)
{
    struct tt_ode_lib *l = o->lib;
    double h = 0, *d = NV_DATA_S(l->dky);

    if (CVodeGetDky(l->mem, o->kept.t, 1, l->dky) ||
        CVodeGetCurrentStep(l->mem, &h) ||
        tt_ode_rhs(o, o->kept.t, o->x, o->f0))
        return 1;
    for (uint32_t i = 0; i < o->p.n; i++)
        d[i] = h * (d[i] - o->f0[i]);
    return tt_ode_norm(o, d, o->x, o->x) > 1;
}

static int start_anew(tt_ode *o)
{
    struct tt_ode_lib *l = o->lib;

    memcpy(NV_DATA_S(l->y), o->x, o->p.n * sizeof(double));
    l->stale = 0;
    if (is_cvode(o))
        return CVodeReInit(l->mem, o->kept.t, l->y) || set_tolerances(o);
    return ARKStepReInit(l->mem, NULL, rhs, o->kept.t, l->y) ||
           set_tolerances(o) || ARKStepSetInitStep(l->mem, o->kept.h);
}

/* The same numbers with both: what f answered, or that steps became too
 * small. */
static enum tt_ode_did outcome(const tt_ode *o, int flag)
{
    _Static_assert((int)CV_RHSFUNC_FAIL - ARK_RHSFUNC_FAIL == 0, /* NOLINT */
                   "as in ARKODE");
    if (flag == CV_RHSFUNC_FAIL || (o->lib->refused < 0))
        return TT_ODE_FAILED;
    return o->lib->refused ? TT_ODE_NOT_FINITE : TT_ODE_TOO_SMALL;
}

/* The step ARKODE would make next; one that was cut means little. */
static void note_length(tt_ode *o)
{
    double last = 0, next = 0;

    if (is_cvode(o) || ARKStepGetLastStep(o->lib->mem, &last) ||
        ARKStepGetCurrentStep(o->lib->mem, &next))
        return;
    o->kept.h = last < o->kept.h ? fmax(next, o->kept.h) : next;
}

enum tt_ode_did tt_ode_lib_step(tt_ode *o, double to)
{
    struct tt_ode_lib *l = o->lib;
    double t = o->kept.t;
    int flag = 0;

    if (l->stale || (l->begun && leapt(o)))
        flag = start_anew(o);
    l->begun = l->refused = 0;
    if (flag == 0)
        flag = is_cvode(o) ? CVodeSetStopTime(l->mem, to)
                           : ARKStepSetStopTime(l->mem, to);
    if (flag == 0)
        flag = is_cvode(o) ? CVode(l->mem, to, l->y, &t, CV_ONE_STEP)
                           : ARKStepEvolve(l->mem, to, l->y, &t, ARK_ONE_STEP);
    /* neither gives up where the time stands still */
    if (flag < 0 || !(t > o->kept.t)) {
        l->stale = 1;
        return outcome(o, flag);
    }
    memcpy(o->x_new, o->x, o->p.n * sizeof(double));
    memcpy(o->x, NV_DATA_S(l->y), o->p.n * sizeof(double));
    o->t_old = o->kept.t;
    o->t_new = o->kept.t = t < to ? t : to;
    o->of_lib = 1;
    l->noded = 0;
    o->kept.n.step++;
    note_length(o);
    if (t < to)
        return TT_ODE_STEPPED;
    l->stale = !is_cvode(o); /* a leg is over */
    return TT_ODE_REACHED;
}

int tt_ode_lib_straight(const tt_ode *o)
{
    int order = 0;

    return is_cvode(o) && !CVodeGetLastOrder(o->lib->mem, &order) && order == 1;
}

/* States at the quarters of the step, each by one step of the same method from
 * its beginning: shorter than what was accepted, so as exact. */
static int find_nodes(tt_ode *o)
{
    struct tt_ode_lib *l = o->lib;
    double h = o->t_new - o->t_old, t = 0;
    uint32_t n = o->p.n;
    int flag = 0;

    for (int k = 1; k < PARTS && flag >= 0; k++) {
        double to = o->t_old + k * h / PARTS;

        memcpy(NV_DATA_S(l->dky), o->x_new, n * sizeof(double));
        flag = ARKStepReInit(l->inner, NULL, rhs, o->t_old, l->dky) ||
                       ARKStepSVtolerances(l->inner, o->c.rtol, l->atol) ||
                       ARKStepSetFixedStep(l->inner, to - o->t_old)
                   ? -1
                   : ARKStepEvolve(l->inner, to, l->dky, &t, ARK_ONE_STEP);
        memcpy(l->node + (size_t)(k - 1) * n, NV_DATA_S(l->dky),
               n * sizeof(double));
    }
    return flag < 0 ? -1 : 1;
}

/* The polynomial of degree 4 through the states at quarters of the step. */
static void through_nodes(const tt_ode *o, double t, double *x)
{
    double s = PARTS * ((t - o->t_old) / (o->t_new - o->t_old)), w[PARTS + 1];
    const double *end = NV_DATA_S(o->lib->y); /* x may be at a root by now */
    uint32_t n = o->p.n;

    for (int k = 0; k <= PARTS; k++) {
        w[k] = 1;
        for (int i = 0; i <= PARTS; i++)
            w[k] *= i == k ? 1 : (s - i) / (k - i);
    }
    for (uint32_t i = 0; i < n; i++) {
        x[i] = w[0] * o->x_new[i] + w[PARTS] * end[i];
        for (int k = 1; k < PARTS; k++)
            x[i] += w[k] * o->lib->node[(size_t)(k - 1) * n + i];
    }
}

int tt_ode_lib_dense(tt_ode *o, double t, double *x)
{
    struct tt_ode_lib *l = o->lib;
    int flag;

    if (!is_cvode(o) && !l->noded)
        l->noded = find_nodes(o);
    if (!is_cvode(o) && l->noded > 0) {
        through_nodes(o, t, x);
        return 0;
    }
    if (l->refused < 0)
        return -1;
    flag = is_cvode(o) ? CVodeGetDky(l->mem, t, 0, l->dky)
                       : ARKStepGetDky(l->mem, t, 0, l->dky);
    memcpy(x, flag ? o->x : NV_DATA_S(l->dky), o->p.n * sizeof(double));
    return flag ? 1 : 0;
}
