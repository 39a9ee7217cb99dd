/* SPDX-License-Identifier: MIT */
#include "floor_me.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ode/ode.h"

#define TOLERANCE 1e-6 /* relative, and a hundredth of it: Tutti's own */

static int rhs(void *ctx, double t, const double *x, double *dx)
{
    const struct floor_me *m = ctx;

    return m->set_time(m->c, t) | m->set_states(m->c, x, m->n) |
           m->get_derivatives(m->c, dx, m->n);
}

/* The integrator is told what the oscillator declares to depend on what. */
static int make_ode(struct floor_me *m, const char *method)
{
    static const uint8_t pattern[] = {0, 1, 1, 0};
    const struct tt_ode_problem p = {.ctx = m,
                                     .n = (uint32_t)m->n,
                                     .rhs = rhs,
                                     .pattern = m->n == 2 ? pattern : NULL};
    const struct tt_ode_config c = {
        .method = tt_ode_method_find(method), .rtol = m->rtol, .atol = m->atol};

    m->integrator = tt_ode_new(&p, &c);
    if (!m->integrator)
        return -1;
    tt_ode_reset(m->integrator, 0, m->x);
    return 0;
}

static int is_cvode(const struct floor *f)
{
    return strcmp(f->method, "cvode") == 0;
}

static int find(struct floor *f, struct floor_me *m)
{
    int two = f->ops == &floor_fmi2;

#define FIND(member, name) floor_symbol(f, name, &m->member, sizeof(m->member))
    return FIND(set_time, two ? "fmi2SetTime" : "fmi3SetTime") |
           FIND(set_states,
                two ? "fmi2SetContinuousStates" : "fmi3SetContinuousStates") |
           FIND(get_states,
                two ? "fmi2GetContinuousStates" : "fmi3GetContinuousStates") |
           FIND(get_derivatives, two ? "fmi2GetDerivatives"
                                     : "fmi3GetContinuousStateDerivatives");
#undef FIND
}

int floor_me_start(struct floor *f)
{
    struct floor_me *m = calloc(1, sizeof(*m));

    f->me = m;
    if (!m || find(f, m))
        return -1;
    m->c = f->c[0];
    m->n = f->n_state;
    m->rtol = TOLERANCE;
    for (size_t i = 0; i < m->n; i++)
        m->atol[i] = 0.01 * TOLERANCE;
    if (m->get_states(m->c, m->x, m->n))
        return -1;
    m->cvode = is_cvode(f);
    return m->cvode ? floor_cvode_new(m) : make_ode(m, f->method);
}

/* A step of ode/ towards `to`; *t is where it stands, *x the states. */
static int advance(const struct floor_me *m, double to, double *t,
                   const double **x)
{
    enum tt_ode_did did = tt_ode_advance(m->integrator, to);

    *t = tt_ode_time(m->integrator);
    *x = tt_ode_states(m->integrator);
    return did > TT_ODE_REACHED;
}

/* What the integrator tried last is not where it stands, so the unit is put
 * there: where it is read, and where it is to be told. */
int floor_me_play(struct floor *f, uint64_t from, uint64_t n)
{
    struct floor_me *m = f->me;
    double t = (double)from * f->h;
    const double *x = m->x;
    int bad = 0;

    for (uint64_t s = from; s < from + n; s++) {
        double to = (double)(s + 1) * f->h;

        while (t < to && !bad) {
            bad = m->cvode ? floor_cvode_advance(m, to, &t, &x)
                           : advance(m, to, &t, &x);
            if (f->completes || t >= to)
                bad |= m->set_time(m->c, t) | m->set_states(m->c, x, m->n);
            if (f->completes)
                bad |= f->ops->completed(f);
        }
        bad |= f->ops->read(f);
    }
    return bad ? -1 : 0;
}

void floor_me_free(struct floor_me *m)
{
    if (!m)
        return;
    if (m->cvode)
        floor_cvode_free(m);
    else
        tt_ode_free(m->integrator);
    free(m);
}
