/* SPDX-License-Identifier: MIT */
/* Units whose states we integrate: saving and restoring at every communication
 * point is the undisturbed run, to the bit. */
#include "kinds/test_help.h"

#include "base/mem.h"

#define EXAMPLES TT_BUILD_DIR "/examples/"

struct subject {
    const char *path, *port;
    double h;
};

static const struct subject subjects[] = {
    {EXAMPLES "bouncing-ball/bouncing_ball.fmu", "h", 0.04},
    {EXAMPLES "bouncing-ball/bouncing_ball-fmi3.fmu", "v", 0.04},
    {EXAMPLES "pendulum/mass-fmi1.fmu", "x", 0.1},
    {EXAMPLES "pendulum/mass.fmu", "v", 0.1},
    {UNITS "vanderpol.fmu", "x", 40},
    {UNITS "vanderpol-fmi1.fmu", "v", 40},
    {UNITS "robertson-fmi3.fmu", "b", 0.8},
};
enum { STEPS = 50 };

static tt_unit *start(tt_unit_type *t, enum tt_ode_method method)
{
    const struct tt_integrator how = {.method = method, .step = 0.01};
    const struct tt_make m = {
        .name = "{k}.u", .instance = "u", .want_course = 1, .integrator = &how};
    tt_unit *u = make_with(t, &m);

    get_ready(u, 1);
    return u;
}

static void step_on(tt_unit *u, double h, int i)
{
    if (tt_desc_find(u->desc, "F") != TT_NONE) /* a mass is pushed about */
        set_f64(u, "F", i % 3);
    (void)step_to(u, i * h);
}

static void plain(const struct subject *s, tt_unit_type *t,
                  enum tt_ode_method method, double *out)
{
    tt_unit *u = start(t, method);

    for (int i = 1; i <= STEPS; i++) {
        step_on(u, s->h, i);
        out[i - 1] = get_f64(u, s->port);
    }
    tt_unit_free(u);
}

/* Each step is made twice, the first time with another input and further. */
static void disturbed(const struct subject *s, tt_unit_type *t,
                      enum tt_ode_method method, const double *want)
{
    tt_unit *u = start(t, method);

    for (int i = 1; i <= STEPS; i++) {
        assert_ok(tt_unit_save(u, 0, err));
        step_on(u, s->h, i + 1);
        assert_ok(tt_unit_restore(u, 0, err));
        step_on(u, s->h, i);
        assert_memory_equal(&(double){get_f64(u, s->port)}, &want[i - 1],
                            sizeof(*want));
    }
    tt_unit_free(u);
}

/* At each point another instance goes on. */
static void handed_over(const struct subject *s, tt_unit_type *t,
                        enum tt_ode_method method, const double *want)
{
    tt_unit *u = start(t, method);

    for (int i = 1; i <= STEPS; i++) {
        tt_unit *next = start(t, method);
        struct tt_bytes b;

        assert_ok(tt_unit_save(u, 0, err));
        assert_ok(tt_unit_pack(u, 0, &b, err));
        assert_ok(tt_unit_unpack(next, 0, &b, err));
        assert_ok(tt_unit_restore(next, 0, err));
        tt_free(b.data);
        tt_unit_free(u);
        u = next;
        step_on(u, s->h, i);
        assert_memory_equal(&(double){get_f64(u, s->port)}, &want[i - 1],
                            sizeof(*want));
    }
    tt_unit_free(u);
}

static void going_back_leaves_no_trace(void **state)
{
    static const enum tt_ode_method method[] = {TT_ODE_EXPLICIT, TT_ODE_STIFF,
                                                TT_ODE_AUTO, TT_ODE_RK4};
    double want[STEPS];

    (void)state;
    for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
        for (size_t k = 0; k < 4; k++) {
            tt_unit_type *t =
                open_as(subjects[i].path, TT_INTERFACE_MODEL_EXCHANGE);

            if (i >= 4 &&
                (method[k] == TT_ODE_EXPLICIT || method[k] == TT_ODE_RK4)) {
                close_type(t); /* too stiff */
                continue;
            }
            plain(&subjects[i], t, method[k], want);
            disturbed(&subjects[i], t, method[k], want);
            handed_over(&subjects[i], t, method[k], want);
            close_type(t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(going_back_leaves_no_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
