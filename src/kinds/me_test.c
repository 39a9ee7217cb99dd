/* SPDX-License-Identifier: MIT */
/* Units whose states we integrate: saving and restoring at every communication
 * point is the undisturbed run, to the bit. */
#include "kinds/test_help.h"

#include "base/mem.h"
#include "kinds/me_impl.h"

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

/* --- several ---------------------------------------------------------------
 */

/* a.y -> b.u, b.y + 4 a.x -> c.u, with feed-through, and 2 c.x -> a.u without:
 * no loop. y = 3 x + 0.5 u, x' = k (u - x). */
struct trio {
    tt_unit *u[3];
    struct tt_join_feed feed[4];
};

static int move(void *ctx, tt_err *e)
{
    struct trio *t = ctx;

    (void)e;
    set_f64(t->u[0], "u", 2 * get_f64(t->u[2], "x"));
    set_f64(t->u[1], "u", get_f64(t->u[0], "y"));
    set_f64(t->u[2], "u", get_f64(t->u[1], "y") + 4 * get_f64(t->u[0], "x"));
    return 0;
}

static void join_trio(struct trio *t, tt_unit_type *type, const char *back)
{
    static const double k[] = {1, 10, 100};
    const struct tt_integrator how = {.method = TT_ODE_STIFF};
    const struct tt_make m = {
        .name = "{k}.u", .instance = "u", .integrator = &how};
    const struct tt_experiment e = {.start = 0, .end = 10};

    for (uint32_t i = 0; i < 3; i++) {
        uint32_t to = (i + 1) % 3;

        t->u[i] = make_with(type, &m);
        assert_ok(tt_unit_configure(t->u[i], err));
        set_f64(t->u[i], "k", k[i]);
        set_f64(t->u[i], "a", 3);
        set_f64(t->u[i], "b", 0.5);
        set_f64(t->u[i], "x", 1 + i);
        assert_ok(tt_unit_enter_init(t->u[i], &e, err));
        assert_ok(tt_unit_exit_init(t->u[i], err));
        t->feed[i] =
            (struct tt_join_feed){i, port_of(t->u[i], i < 2 ? "y" : back), to,
                                  port_of(t->u[i], "u"), i < 2 ? 1 : 2};
    }
    t->feed[3] = (struct tt_join_feed){0, port_of(t->u[0], "x"), 2,
                                       port_of(t->u[2], "u"), 4};
    assert_ok(tt_unit_join(
        t->u, 3,
        &(struct tt_exchange){
            .ctx = t, .move_cb = move, .feed = t->feed, .n_feed = 4},
        err));
}

static void the_chain_rule_goes_through_members(void **state)
{
    static const char *const path[] = {UNITS "cell.fmu", UNITS "cell-fmi3.fmu"};
    /* by hand: ua = 2 xc, ub = 3 xa + xc, uc = 3 xb + 5.5 xa + 0.5 xc */
    static const double want[3][3] = {
        {-1, 0, 2}, {30, -10, 10}, {550, 300, -50}};

    (void)state;
    for (size_t v = 0; v < 2; v++) {
        tt_unit_type *type = open_as(path[v], TT_INTERFACE_MODEL_EXCHANGE);
        struct trio t;
        struct tt_kme_system *s;

        join_trio(&t, type, "x");
        s = tt_kfmi_unit(t.u[0])->me->system;
        assert_non_null(s->tangent);
        for (uint32_t j = 0; j < 3; j++) {
            double seed[3] = {0}, out[3];

            seed[j] = 1;
            assert_int_equal(tt_kme_tangent_along(s, seed, out), 0);
            for (uint32_t i = 0; i < 3; i++)
                assert_true(fabs(out[i] - want[i][j]) < 1e-6);
        }
        for (int i = 0; i < 3; i++)
            tt_unit_free(t.u[i]);
        /* with y all round there is a loop, and differences are made */
        join_trio(&t, type, "y");
        assert_null(tt_kfmi_unit(t.u[0])->me->system->tangent);
        for (int i = 0; i < 3; i++)
            tt_unit_free(t.u[i]);
        close_type(type);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(going_back_leaves_no_trace),
        cmocka_unit_test(the_chain_rule_goes_through_members),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
