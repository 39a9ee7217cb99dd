/* SPDX-License-Identifier: MIT */
/* Orders, roots and memory of the integrators, on problems with closed forms.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "ode/ode_impl.h"

static const double loose[3] = {1e6, 1e6, 1e6},
                    tight[3] = {1e-12, 1e-12, 1e-12};

/* x0 = e^(sin t), x1 = cos t, x2 = 1/(1 + t^2): nonlinear, with time in it */
static int curved(void *ctx, double t, const double *x, double *dx)
{
    (void)ctx;
    dx[0] = x[0] * x[1];
    dx[1] = -log(x[0]);
    dx[2] = -2 * t * x[2] * x[2];
    return 0;
}

static double curved_error(double t, const double *x)
{
    return fmax(fabs(x[0] - exp(sin(t))),
                fmax(fabs(x[1] - cos(t)), fabs(x[2] - 1 / (1 + t * t))));
}

static const double curved_start[3] = {1, 1, 1};

static tt_ode *make_curved(enum tt_ode_method m, double h)
{
    const struct tt_ode_problem p = {.n = 3, .rhs = curved};
    const struct tt_ode_config c = {
        .method = m, .rtol = 1e6, .atol = loose, .step = h, .max_step = h};
    tt_ode *o = tt_ode_new(&p, &c);

    assert_non_null(o);
    tt_ode_reset(o, 0, curved_start);
    o->kept.h = h;
    return o;
}

/* The error at t = 2, or with `dense` the largest inside the steps. */
static double error_with(enum tt_ode_method m, double h, int dense)
{
    tt_ode *o = make_curved(m, h);
    double x[3], worst = 0;
    enum tt_ode_did did;

    do {
        double from = tt_ode_time(o);

        did = tt_ode_advance(o, 2);
        for (int i = 1; i < 8; i++) {
            double t = from + i * (tt_ode_time(o) - from) / 8;

            assert_int_equal(tt_ode_dense(o, t, x), 0);
            worst = fmax(worst, curved_error(t, x));
        }
    } while (did == TT_ODE_STEPPED);
    assert_int_equal(did, TT_ODE_REACHED);
    if (!dense)
        worst = curved_error(2, tt_ode_states(o));
    tt_ode_free(o);
    return worst;
}

static void errors_fall_with_the_order_of_the_method(void **state)
{
    static const struct {
        enum tt_ode_method m;
        int order, dense;
    } all[] = {{TT_ODE_EXPLICIT, 5, 4},
               {TT_ODE_STIFF, 4, 3},
               {TT_ODE_RK4, 4, 3},
               {TT_ODE_EULER, 1, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        double p = log2(error_with(all[i].m, 1. / 32, 0) /
                        error_with(all[i].m, 1. / 64, 0));
        double d = log2(error_with(all[i].m, 1. / 32, 1) /
                        error_with(all[i].m, 1. / 64, 1));

        assert_true(fabs(p - all[i].order) < 0.25);
        assert_true(d > all[i].dense - 0.25);
    }
}

static void errors_follow_the_tolerance(void **state)
{
    double last = 1;

    (void)state;
    for (enum tt_ode_method m = TT_ODE_AUTO; m <= TT_ODE_STIFF; m++)
        for (int k = 4; k <= 10; k += 2) {
            const struct tt_ode_problem p = {.n = 3, .rhs = curved};
            const struct tt_ode_config c = {
                .method = m, .rtol = pow(10, -k), .atol = tight};
            tt_ode *o = tt_ode_new(&p, &c);
            double error;

            tt_ode_reset(o, 0, curved_start);
            while (tt_ode_advance(o, 2) == TT_ODE_STEPPED)
                ;
            error = curved_error(2, tt_ode_states(o));
            assert_true(error < 50 * c.rtol);
            assert_true(k == 4 || error < last / 5);
            assert_int_equal(tt_ode_using(o), m ? m : TT_ODE_EXPLICIT);
            last = error;
            tt_ode_free(o);
        }
}

/* --- roots --------------------------------------------------------------- */

/* x' = 1 from 0; z by what ctx gives */
static int one(void *ctx, double t, const double *x, double *dx)
{
    (void)ctx;
    (void)t;
    (void)x;
    dx[0] = 1;
    return 0;
}

typedef double (*z_fn)(double x);

static int z_of(void *ctx, double t, const double *x, double *z)
{
    z_fn *f = ctx;

    (void)t;
    z[0] = f[0](x[0]);
    z[1] = f[1](x[0]);
    return 0;
}

static double up(double x)
{
    return x - 1;
}
static double down(double x)
{
    return 1 - x;
}
static double touch(double x)
{
    return -(x - 1) * (x - 1);
}
static double from_zero(double x)
{
    return -x;
}
static double late(double x)
{
    return sin(x / 3) - 0.5;
}
static double never(double x)
{
    return 1 + x;
}

/* RODAS' coefficients are given to 16 digits, so that their sums are not. */
static double exact_to(enum tt_ode_method m)
{
    return m == TT_ODE_STIFF ? 1e-13 : 4e-15;
}

/* Where the first root is found; 3 when none. */
static double root_of(enum tt_ode_method m, z_fn a, z_fn b)
{
    z_fn f[2] = {a, b};
    const struct tt_ode_problem p = {
        .ctx = f, .n = 1, .n_root = 2, .rhs = one, .roots = z_of};
    const struct tt_ode_config c = {
        .method = m, .rtol = 1e-6, .atol = tight, .step = 0.7};
    tt_ode *o = tt_ode_new(&p, &c);
    const double x0 = 0;
    enum tt_ode_did did;
    double t;

    tt_ode_reset(o, 0, &x0);
    do
        did = tt_ode_advance(o, 3);
    while (did == TT_ODE_STEPPED);
    t = tt_ode_time(o);
    assert_true(fabs(tt_ode_states(o)[0] - t) < exact_to(m));
    assert_int_equal(did, t < 3 ? TT_ODE_ROOT : TT_ODE_REACHED);
    tt_ode_free(o);
    return t;
}

static void a_root_is_a_change_between_positive_and_not(void **state)
{
    (void)state;
    for (enum tt_ode_method m = TT_ODE_EXPLICIT; m <= TT_ODE_RK4; m++) {
        double t = root_of(m, up, never);

        assert_true(fabs(t - 1) < exact_to(m));
        t = root_of(m, down, never);
        assert_true(fabs(t - 1) < exact_to(m));
        assert_true(root_of(m, touch, never) == 3);
        assert_true(root_of(m, from_zero, never) == 3); /* 0 is not positive */
        t = root_of(m, late, up); /* both in one step: the first */
        assert_true(fabs(t - 1) < exact_to(m));
        t = root_of(m, late, never);
        assert_true(fabs(t - 3 * asin(0.5)) < exact_to(m));
    }
}

/* --- failures ------------------------------------------------------------ */

/* x' = x^2 from 1: infinite at t = 1 */
static int blow_up(void *ctx, double t, const double *x, double *dx)
{
    (void)ctx;
    (void)t;
    dx[0] = x[0] * x[0];
    return 0;
}
static int nan_late(void *ctx, double t, const double *x, double *dx)
{
    (void)ctx;
    (void)x;
    dx[0] = t > 0.5 ? (double)NAN : 1;
    return 0;
}
static int broken(void *ctx, double t, const double *x, double *dx)
{
    (void)ctx;
    (void)x;
    dx[0] = 1;
    return t > 0.5 ? -1 : 0;
}

static enum tt_ode_did drive(int (*f)(void *, double, const double *, double *),
                             enum tt_ode_method m, double *t)
{
    const struct tt_ode_problem p = {.n = 1, .rhs = f};
    const struct tt_ode_config c = {.method = m, .rtol = 1e-6, .atol = tight};
    tt_ode *o = tt_ode_new(&p, &c);
    const double x0 = 1;
    enum tt_ode_did did;

    tt_ode_reset(o, 0, &x0);
    do
        did = tt_ode_advance(o, 2);
    while (did == TT_ODE_STEPPED);
    *t = tt_ode_time(o);
    tt_ode_free(o);
    return did;
}

static void what_cannot_be_integrated_is_reported(void **state)
{
    double t;

    (void)state;
    for (enum tt_ode_method m = TT_ODE_EXPLICIT; m <= TT_ODE_STIFF; m++) {
        enum tt_ode_did did = drive(blow_up, m, &t);

        assert_true(did == TT_ODE_TOO_SMALL || did == TT_ODE_NOT_FINITE);
        assert_true(fabs(t - 1) < 1e-3);
        assert_int_equal(drive(nan_late, m, &t), TT_ODE_NOT_FINITE);
        assert_true(t <= 0.5 && t > 0.5 - 1e-6);
        assert_int_equal(drive(broken, m, &t), TT_ODE_FAILED);
    }
}

/* --- memory -------------------------------------------------------------- */

/* f is another at each call, in its last digits, as that of an FMU that solves
 * equations inside. */
static int restless(void *ctx, double t, const double *x, double *dx)
{
    unsigned *calls = ctx;
    int rc = curved(NULL, t, x, dx);

    dx[0] *= 1 + 1e-15 * (double)(++*calls % 7);
    return rc;
}

/* All methods, to t = 2 in 20 parts. With `save` each part is made twice from
 * its saved begin, the second time by another integrator. Where f does not
 * change (`begin` 0) it need not be asked for again. */
static void in_parts(enum tt_ode_method m, int begin, int save, double *x)
{
    unsigned calls = 0, kept;
    const struct tt_ode_problem p = {.ctx = &calls, .n = 3, .rhs = restless};
    const struct tt_ode_config c = {
        .method = m, .rtol = 1e-6, .atol = tight, .step = 0.013};
    tt_ode *o = tt_ode_new(&p, &c), *other = tt_ode_new(&p, &c);
    char *bytes = tt_alloc(tt_ode_size(o));

    tt_ode_reset(o, 0, curved_start);
    for (int i = 1; i <= 20; i++) {
        if (begin)
            tt_ode_begin(o);
        tt_ode_pack(o, bytes);
        kept = calls;
        while (tt_ode_advance(o, i * 0.1) == TT_ODE_STEPPED)
            ;
        if (save) {
            tt_ode *t = o;

            o = other;
            other = t;
            calls = kept;
            tt_ode_unpack(o, bytes);
            while (tt_ode_advance(o, i * 0.1) == TT_ODE_STEPPED)
                ;
        }
    }
    memcpy(x, tt_ode_states(o), 3 * sizeof(*x));
    tt_free(bytes);
    tt_ode_free(o);
    tt_ode_free(other);
}

static void a_packed_integrator_goes_on_to_the_bit(void **state)
{
    double a[3], b[3];

    (void)state;
    for (enum tt_ode_method m = TT_ODE_AUTO; m <= TT_ODE_RK4; m++)
        for (int begin = 0; begin <= 1; begin++) {
            in_parts(m, begin, 0, a);
            in_parts(m, begin, 1, b);
            assert_memory_equal(a, b, sizeof(a));
        }
}

/* Six stages a step, the first of which is the last of the step before; two
 * more to find the first length; one where f may be another. */
static void what_is_known_is_not_asked_for_again(void **state)
{
    (void)state;
    for (uint64_t begin = 0; begin <= 1; begin++) {
        tt_ode *o = make_curved(TT_ODE_EXPLICIT, 0);
        struct tt_ode_counts n;

        for (int i = 1; i <= 20; i++) {
            if (begin)
                tt_ode_begin(o);
            while (tt_ode_advance(o, i * 0.1) == TT_ODE_STEPPED)
                ;
        }
        n = tt_ode_counts(o);
        assert_true(n.step >= 20);
        assert_int_equal(n.rhs, 6 * (n.step + n.rejected) + 2 + begin * 19);
        tt_ode_free(o);
    }
}

static void methods_have_names(void **state)
{
    (void)state;
    for (enum tt_ode_method m = TT_ODE_AUTO; m < TT_ODE_METHOD_N; m++)
        assert_int_equal(tt_ode_method_find(tt_ode_method_name(m)), m);
    assert_int_equal(tt_ode_method_find("gear"), TT_ODE_METHOD_N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_fall_with_the_order_of_the_method),
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(a_root_is_a_change_between_positive_and_not),
        cmocka_unit_test(what_cannot_be_integrated_is_reported),
        cmocka_unit_test(a_packed_integrator_goes_on_to_the_bit),
        cmocka_unit_test(what_is_known_is_not_asked_for_again),
        cmocka_unit_test(methods_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
