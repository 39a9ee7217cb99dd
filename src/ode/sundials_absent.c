/* SPDX-License-Identifier: MIT */
/* Where SUNDIALS was not found when Tutti was built, and in exported FMUs. */
#include "ode/ode_impl.h"

int tt_ode_lib_there(void)
{
    return 0;
}

int tt_ode_lib_new(tt_ode *o)
{
    (void)o;
    return -1;
}

void tt_ode_lib_free(tt_ode *o)
{
    (void)o;
}

void tt_ode_lib_begin(tt_ode *o, int set)
{
    (void)o;
    (void)set;
}

enum tt_ode_did tt_ode_lib_step(tt_ode *o, double to)
{
    (void)o;
    (void)to;
    return TT_ODE_FAILED;
}

int tt_ode_lib_straight(const tt_ode *o)
{
    (void)o;
    return 0;
}

int tt_ode_lib_dense(tt_ode *o, double t, double *x)
{
    (void)o;
    (void)t;
    (void)x;
    return -1;
}
