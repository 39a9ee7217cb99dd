/* SPDX-License-Identifier: MIT */
/* The driver of all methods: lengths of steps, what is kept, dense output. */
#include "ode/ode.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "ode/ode_impl.h"

enum { STIFF_STEPS = 15 }; /* of 6 that were not, at most, in between */

static const char *const names[TT_ODE_METHOD_N] = {
    [TT_ODE_AUTO] = "auto",     [TT_ODE_EXPLICIT] = "explicit",
    [TT_ODE_STIFF] = "stiff",   [TT_ODE_EULER] = "euler",
    [TT_ODE_RK4] = "rk4",       [TT_ODE_CVODE] = "cvode",
    [TT_ODE_ARKODE] = "arkode",
};

const char *tt_ode_method_name(enum tt_ode_method m)
{
    return names[m];
}

enum tt_ode_method tt_ode_method_find(const char *name)
{
    int m = 0;

    while (m < TT_ODE_METHOD_N && strcmp(names[m], name) != 0)
        m++;
    return (enum tt_ode_method)m;
}

static int is_of_library(enum tt_ode_method m)
{
    return m == TT_ODE_CVODE || m == TT_ODE_ARKODE;
}

int tt_ode_method_there(enum tt_ode_method m)
{
    return !is_of_library(m) || tt_ode_lib_there();
}

static const struct tt_ode_ops *ops_of(const tt_ode *o)
{
    static const struct tt_ode_ops *const all[TT_ODE_METHOD_N] = {
        [TT_ODE_EXPLICIT] = &tt_ode_dopri5,
        [TT_ODE_STIFF] = &tt_ode_rodas,
        [TT_ODE_EULER] = &tt_ode_euler,
        [TT_ODE_RK4] = &tt_ode_rk4,
        /* for steps that the library makes badly */
        [TT_ODE_CVODE] = &tt_ode_rodas,
        [TT_ODE_ARKODE] = &tt_ode_rodas,
    };

    return all[o->kept.method];
}

/* --- life --------------------------------------------------------------- */

static int may_be_stiff(const tt_ode *o)
{
    return o->c.method == TT_ODE_AUTO || o->c.method == TT_ODE_STIFF ||
           is_of_library(o->c.method);
}

/* Parts of one block, or with a NULL block only its size. */
static size_t lay_out(tt_ode *o)
{
    size_t n = o->p.n, at = 0, nn = may_be_stiff(o) ? n * n : 0;
    struct {
        double **part;
        size_t n;
    } parts[] = {
        {&o->x, n},           {&o->x_new, n},        {&o->f0, n},
        {&o->k[0], n},        {&o->k[1], n},         {&o->k[2], n},
        {&o->k[3], n},        {&o->k[4], n},         {&o->k[5], n},
        {&o->k[6], n},        {&o->cont[0], n},      {&o->cont[1], n},
        {&o->cont[2], n},     {&o->cont[3], n},      {&o->tmp, n},
        {&o->tmp2, n},        {&o->x_root, n},       {&o->dfdt, n},
        {&o->seed, n},        {&o->z0, o->p.n_root}, {&o->z1, o->p.n_root},
        {&o->z, o->p.n_root}, {&o->jac, nn},         {&o->lu, nn},
    };

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (o->block)
            *parts[i].part = o->block + at;
        at += parts[i].n;
    }
    return at;
}

static int allocate(tt_ode *o)
{
    o->block = tt_zalloc(lay_out(o) + 1, sizeof(double));
    if (!o->block || !TT_NEW_ARRAY(o->pivot, o->p.n + 1) ||
        !TT_NEW_ARRAY(o->colour, o->p.n + 1) ||
        !TT_NEW_ARRAY(o->order, o->p.n + 1))
        return -1;
    (void)lay_out(o);
    if (!may_be_stiff(o))
        return 0;
    tt_ode_colour(o);
    return tt_ode_order(o);
}

tt_ode *tt_ode_new(const struct tt_ode_problem *p,
                   const struct tt_ode_config *c)
{
    tt_ode *o;

    if (!TT_NEW(o))
        return NULL;
    o->p = *p;
    o->c = *c;
    o->kept.method = c->method;
    if (c->method == TT_ODE_AUTO || (is_of_library(c->method) && !p->n))
        o->kept.method = TT_ODE_EXPLICIT;
    if (allocate(o) == 0 &&
        (!is_of_library(tt_ode_using(o)) || tt_ode_lib_new(o) == 0))
        return o;
    tt_ode_free(o);
    return NULL;
}

void tt_ode_free(tt_ode *o)
{
    if (!o)
        return;
    tt_ode_lib_free(o);
    TT_FREE_ALL(o->block, o->pivot, o->colour, o->order, o);
}

/* The step made last, which dense output was of. */
static void forget_step(tt_ode *o)
{
    o->cont_known = 0;
    o->t_old = o->t_new = o->kept.t;
}

/* With `set` states are others, too. */
static void begin(tt_ode *o, int set)
{
    if (o->lib)
        tt_ode_lib_begin(o, set);
    o->kept.f_known = o->kept.z_known = 0;
    forget_step(o);
}

void tt_ode_reset(tt_ode *o, double t, const double *x)
{
    o->kept.t = t;
    o->kept.h = 0;
    o->kept.stiff = o->kept.calm = 0;
    memcpy(o->x, x, o->p.n * sizeof(double));
    o->kept.was_set = 1;
    begin(o, 1);
}

void tt_ode_begin(tt_ode *o)
{
    begin(o, 0);
}

double tt_ode_time(const tt_ode *o)
{
    return o->kept.t;
}

const double *tt_ode_states(const tt_ode *o)
{
    return o->x;
}

enum tt_ode_method tt_ode_using(const tt_ode *o)
{
    return (enum tt_ode_method)o->kept.method;
}

struct tt_ode_counts tt_ode_counts(const tt_ode *o)
{
    return o->kept.n;
}

size_t tt_ode_size(const tt_ode *o)
{
    return sizeof(o->kept) +
           ((size_t)2 * o->p.n + o->p.n_root) * sizeof(double);
}

/* What is not known is nothing, so that alike integrators have alike bytes. */
static char *put(char *at, const double *v, size_t n, int known)
{
    n *= sizeof(*v);
    if (known)
        memcpy(at, v, n);
    else
        memset(at, 0, n);
    return at + n;
}

void tt_ode_pack(const tt_ode *o, void *bytes)
{
    char *at = bytes;

    memcpy(at, &o->kept, sizeof(o->kept));
    at = put(at + sizeof(o->kept), o->x, o->p.n, 1);
    at = put(at, o->f0, o->p.n, o->kept.f_known);
    (void)put(at, o->z0, o->p.n_root, o->kept.z_known);
}

void tt_ode_unpack(tt_ode *o, const void *bytes)
{
    const char *at = bytes;
    size_t n = o->p.n * sizeof(double);

    memcpy(&o->kept, at, sizeof(o->kept));
    at += sizeof(o->kept);
    memcpy(o->x, at, n);
    memcpy(o->f0, at + n, n);
    memcpy(o->z0, at + 2 * n, o->p.n_root * sizeof(double));
    if (o->lib)
        tt_ode_lib_begin(o, 1);
    forget_step(o);
}

/* --- evaluations --------------------------------------------------------- */

int tt_ode_rhs(tt_ode *o, double t, const double *x, double *dx)
{
    int rc;

    o->kept.n.rhs++;
    rc = o->p.rhs(o->p.ctx, t, x, dx);
    for (uint32_t i = 0; rc == 0 && i < o->p.n; i++)
        if (!isfinite(dx[i]))
            rc = 1;
    return rc;
}

double tt_ode_norm(const tt_ode *o, const double *e, const double *a,
                   const double *b)
{
    double s = 0;

    for (uint32_t i = 0; i < o->p.n; i++) {
        double d =
            e[i] / (o->c.atol[i] + o->c.rtol * fmax(fabs(a[i]), fabs(b[i])));

        s += d * d;
    }
    return o->p.n ? sqrt(s / o->p.n) : 0;
}

int tt_ode_dense(tt_ode *o, double t, double *x)
{
    double h = o->t_new - o->t_old;
    double s = h > 0 ? (t - o->t_old) / h : 1;
    const double *old = o->x_new; /* since the step was accepted */
    int rc = 0;

    if (o->of_lib && h > 0)
        return tt_ode_lib_dense(o, t, x);
    if (h > 0 && !o->cont_known)
        rc = ops_of(o)->dense(o, h);
    o->cont_known = rc == 0;
    for (uint32_t i = 0; i < o->p.n; i++)
        x[i] = h > 0 ? old[i] + s * (o->cont[0][i] +
                                     (1 - s) * (o->cont[1][i] +
                                                s * (o->cont[2][i] +
                                                     (1 - s) * o->cont[3][i])))
                     : o->x[i];
    return rc;
}

/* --- lengths of steps ---------------------------------------------------- */

/* Solving ODEs I, II.4: a first step whose explicit Euler step changes little.
 */
static int first_step(tt_ode *o, double most)
{
    uint32_t order = ops_of(o)->order;
    double d0 = tt_ode_norm(o, o->x, o->x, o->x);
    double d1 = tt_ode_norm(o, o->f0, o->x, o->x), d2, h, h1;
    int rc;

    h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h = fmin(h, most);
    for (uint32_t i = 0; i < o->p.n; i++)
        o->tmp[i] = o->x[i] + h * o->f0[i];
    rc = tt_ode_rhs(o, o->kept.t + h, o->tmp, o->tmp2);
    for (uint32_t i = 0; i < o->p.n; i++)
        o->tmp2[i] -= o->f0[i];
    d2 = rc ? 0 : tt_ode_norm(o, o->tmp2, o->x, o->x) / h;
    h1 = fmax(d1, d2) <= 1e-15 ? fmax(1e-6, h * 1e-3)
                               : pow(0.01 / fmax(d1, d2), 1.0 / (order + 1));
    o->kept.h = o->p.n ? fmin(100 * h, h1) : most;
    return rc < 0 ? rc : 0;
}

/* The length of the step to try, and where it ends: exactly at `to`, or well
 * before it. */
static double choose(const tt_ode *o, double to, double *end)
{
    double left = to - o->kept.t, h = o->kept.h;

    if (ops_of(o)->fixed)
        h = left / fmax(ceil(left / o->c.step - 1e-9), 1);
    if (o->c.max_step > 0)
        h = fmin(h, o->c.max_step);
    if (h * 1.01 >= left) {
        *end = to;
        return left;
    }
    if (2 * h > left && !ops_of(o)->fixed)
        h = left / 2;
    *end = o->kept.t + h;
    return h;
}

static double factor(const tt_ode *o, double error, double most)
{
    double f =
        error > 0 ? 0.9 * pow(error, -1.0 / (ops_of(o)->order + 1)) : most;

    return fmin(fmax(f, 0.2), most);
}

/* A step that was cut means little for the next one: not less, at least. */
static void accept(tt_ode *o, double h, double end, double error, int again)
{
    const struct tt_ode_ops *ops = ops_of(o);
    double next = h * factor(o, error, again ? 1 : ops->grow);
    double *x = o->x;

    o->kept.h = h < o->kept.h ? fmax(next, o->kept.h) : next;
    o->t_old = o->kept.t;
    o->t_new = o->kept.t = end;
    o->x = o->x_new;
    o->x_new = x;
    for (uint32_t i = 0; i < o->p.n; i++)
        o->cont[0][i] = o->x[i] - o->x_new[i];
    o->cont_known = 0;
    o->kept.f_known =
        ops == &tt_ode_dopri5; /* its last stage is the next first */
    if (o->kept.f_known)
        memcpy(o->f0, o->k[6], o->p.n * sizeof(double));
    o->kept.n.step++;
}

/* --- advance ------------------------------------------------------------- */

static int begin_step(tt_ode *o, double to)
{
    int rc = 0;

    if (!o->kept.f_known)
        rc = tt_ode_rhs(o, o->kept.t, o->x, o->f0);
    o->kept.f_known = rc == 0;
    if (rc == 0 && o->p.n_root && !o->kept.z_known)
        rc = o->p.roots(o->p.ctx, o->kept.t, o->x, o->z0);
    o->kept.z_known = rc == 0;
    if (rc == 0 && !(o->kept.h > 0) && !ops_of(o)->fixed)
        rc = first_step(o, to - o->kept.t);
    return rc;
}

/* Try until a step is accepted. Answers 0, < 0, or > 0: too small. */
static int make_step(tt_ode *o, double to, int *finite)
{
    double end = to, error, h;
    int rc, again = 0;

    for (*finite = 1;; again = 1) {
        h = choose(o, to, &end);
        if (!(h > 4 * DBL_EPSILON * fabs(o->kept.t)) && h < to - o->kept.t)
            return 1;
        if (!(o->kept.t + h > o->kept.t))
            return 1;
        rc = ops_of(o)->step(o, h, &error);
        if (rc < 0)
            return rc;
        if (rc == 0 && error <= 1)
            break;
        *finite = rc == 0 && isfinite(error);
        if (ops_of(o)->fixed)
            return 1; /* there is no other step */
        o->kept.h = h * (*finite ? factor(o, error, 1) : 0.25);
        o->kept.n.rejected++;
    }
    accept(o, h, end, error, again);
    return 0;
}

/* Take back the library's step, and make it by a method of our own. */
static int step_instead(tt_ode *o, double to, enum tt_ode_did *did)
{
    int finite = 1, rc;

    memcpy(o->x, o->x_new, o->p.n * sizeof(double));
    o->kept.h = o->t_new - o->t_old;
    o->kept.t = o->t_old;
    o->of_lib = 0;
    o->kept.f_known = 0;
    rc = begin_step(o, to);
    if (rc == 0)
        rc = make_step(o, to, &finite);
    tt_ode_lib_begin(o, 1);
    *did = o->kept.t < to ? TT_ODE_STEPPED : TT_ODE_REACHED;
    return rc;
}

/* One step of the library's. A multistep method begins at order one, with a
 * line that cannot turn: an indicator that leaves zero and comes back to it, by
 * less than the tolerance, seems to be there at once, and on its way out. A
 * ball that hardly bounces any more would sink. */
static int step_library(tt_ode *o, double to, enum tt_ode_did *did)
{
    int turns = 0, rc = 0;

    *did = tt_ode_lib_step(o, to);
    if (*did < TT_ODE_FAILED && o->p.n_root && tt_ode_lib_straight(o))
        rc = tt_ode_turns(o, &turns);
    return turns ? step_instead(o, to, did) : rc;
}

/* And the root in it. */
static enum tt_ode_did advance_library(tt_ode *o, double to)
{
    enum tt_ode_did did = TT_ODE_STEPPED;
    int rc = 0, found = 0;

    if (o->p.n_root && !o->kept.z_known)
        rc = o->p.roots(o->p.ctx, o->kept.t, o->x, o->z0);
    o->kept.z_known = rc == 0;
    if (rc == 0)
        rc = step_library(o, to, &did);
    if (rc == 0 && did < TT_ODE_FAILED && o->p.n_root)
        rc = tt_ode_locate(o, &found);
    if (rc)
        return rc < 0 ? TT_ODE_FAILED : TT_ODE_NOT_FINITE;
    if (!found)
        return did;
    tt_ode_lib_begin(o, 1); /* it stands further */
    return TT_ODE_ROOT;
}

static void choose_method(tt_ode *o)
{
    if (o->c.method != TT_ODE_AUTO || o->kept.method != TT_ODE_EXPLICIT ||
        o->kept.stiff < STIFF_STEPS)
        return;
    o->kept.method = TT_ODE_STIFF;
    o->kept.h = 0; /* the new method has its own idea */
}

enum tt_ode_did tt_ode_advance(tt_ode *o, double to)
{
    int finite = 0, found = 0, rc;

    if (!(to > o->kept.t))
        return TT_ODE_REACHED;
    if (o->lib)
        return advance_library(o, to);
    rc = begin_step(o, to);
    if (rc == 0)
        rc = make_step(o, to, &finite);
    if (rc > 0)
        return finite ? TT_ODE_TOO_SMALL : TT_ODE_NOT_FINITE;
    if (rc == 0 && o->p.n_root)
        rc = tt_ode_locate(o, &found);
    if (rc)
        return rc < 0 ? TT_ODE_FAILED : TT_ODE_NOT_FINITE;
    if (found) {
        o->kept.f_known = 0;
        return TT_ODE_ROOT;
    }
    choose_method(o);
    return o->kept.t >= to ? TT_ODE_REACHED : TT_ODE_STEPPED;
}
