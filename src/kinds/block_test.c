/* SPDX-License-Identifier: MIT */
/* Blocks on connections, against what their definitions give. */
#include "kinds/test_help.h"

static tt_unit *ready(tt_unit_type *t, const char *const *name,
                      const double *value, int events)
{
    const struct tt_make m = {
        .name = "{k}.u", .instance = "u", .event_mode = events};
    tt_unit *u = make_with(t, &m);

    for (; *name; name++, value++)
        set_f64(u, *name, *value);
    get_ready(u, 2);
    return u;
}

static void done(tt_unit *u, tt_unit_type *t)
{
    assert_ok(tt_unit_end(u, err));
    tt_unit_free(u);
    close_type(t);
}

/* Multiples of 0.5, left beyond 0.25 + 0.1 from them. */
static void quantize_has_hysteresis(void **state)
{
    static const struct {
        double u, y;
    } to[] = {{0.1, 0},  {0.34, 0},    {0.36, 0.5}, {0.16, 0.5}, {0.14, 0},
              {-0.3, 0}, {-0.4, -0.5}, {7.1, 7},    {6.74, 7},   {6.6, 6.5}};
    tt_unit_type *t = open_type("tutti:quantize");
    tt_unit *u = ready(t, (const char *const[]){"step", "hysteresis", NULL},
                       (const double[]){0.5, 0.1}, 0);

    (void)state;
    for (size_t i = 0; i < sizeof(to) / sizeof(*to); i++) {
        set_f64(u, "u", to[i].u);
        assert_near(get_f64(u, "y"), to[i].y, 0);
        set_f64(u, "u", to[i].u + 100); /* what is tried leaves no trace */
        assert_near(get_f64(u, "y"), to[i].y + 100, 0.5);
        set_f64(u, "u", to[i].u);
        (void)step_to(u, 0.1 * (double)(i + 1));
        assert_near(get_f64(u, "y"), to[i].y, 0);
    }
    done(u, t);
}

/* y(t) = u(t - 0.25): of a line it is exact, whatever the steps. */
static void delay_follows_a_line(void **state)
{
    static const double at[] = {0.1, 0.17, 0.3, 0.4, 0.55, 0.56, 0.8, 1};
    tt_unit_type *t = open_type("tutti:dead-time");
    tt_unit *u = ready(t, (const char *const[]){"u", "time", NULL},
                       (const double[]){2, 0.25}, 0);
    double h = 0;

    (void)state;
    assert_ok(tt_unit_max_step(u, &h, err));
    assert_near(h, 0.25, 0);
    for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
        assert_ok(tt_unit_save(u, 0, err));
        (void)step_to(u, at[i] + 0.01);
        assert_ok(tt_unit_restore(u, 0, err)); /* and again */
        (void)step_to(u, at[i]);
        assert_near(get_f64(u, "y"), at[i] < 0.25 ? 2 : 2 + 3 * (at[i] - 0.25),
                    1e-14);
        set_f64(u, "u", 2 + 3 * at[i]);
    }
    done(u, t);
}

/* Twenty thousand steps in the time of the delay: the past is thinned. */
static void a_long_delay_keeps_what_it_can(void **state)
{
    tt_unit_type *t = open_type("tutti:dead-time");
    tt_unit *u =
        ready(t, (const char *const[]){"time", NULL}, (const double[]){5}, 0);

    (void)state;
    for (int i = 1; i <= 40000; i++) {
        double now = i * 2e-4;

        (void)step_to(u, now);
        assert_near(get_f64(u, "y"), fmax(now - 5, 0), 0.05);
        set_f64(u, "u", now);
    }
    done(u, t);
}

static double updated(tt_unit *u)
{
    struct tt_event_result r = {0};

    if (u->life == TT_LIFE_READY)
        assert_ok(tt_unit_event_enter(u, err));
    assert_ok(tt_unit_event_update(u, &r, err));
    assert_ok(tt_unit_event_leave(u, err));
    assert_true(r.next_defined);
    return r.next;
}

/* Sampled at 0, 0.5, 1, ...; published 0.2 later. */
static void sample_names_its_instants(void **state)
{
    tt_unit_type *t = open_type("tutti:sample");
    tt_unit *u = ready(t, (const char *const[]){"u", "period", "delay", NULL},
                       (const double[]){7, 0.5, 0.2}, 1);

    (void)state;
    assert_near(get_f64(u, "y"), 7, 0);
    for (int k = 0; k < 4; k++) {
        double before = get_f64(u, "y");

        set_f64(u, "u", 10 + k);
        assert_near(updated(u), 0.5 * k + 0.2, 1e-15);
        assert_near(get_f64(u, "y"), before, 0);
        set_f64(u, "u", 99); /* it was taken before */
        (void)step_to(u, 0.5 * k + 0.2);
        assert_near(updated(u), 0.5 * (k + 1), 1e-15);
        assert_near(get_f64(u, "y"), 10 + k, 0);
        (void)step_to(u, 0.5 * (k + 1));
    }
    done(u, t);
}

/* Late by less than the jitter, anywhere, and the same each time. */
static void jitter_is_repeatable_and_even(void **state)
{
    double first[500];

    (void)state;
    for (int run = 0; run < 2; run++) {
        tt_unit_type *t = open_type("tutti:sample");
        tt_unit *u =
            ready(t, (const char *const[]){"period", "jitter", "seed", NULL},
                  (const double[]){0.01, 0.004, 3}, 1);
        double sum = 0, next = updated(u);

        for (int k = 1; k <= 500; k++) {
            double late;

            (void)step_to(u, next);
            next = updated(u);
            late = next - 0.01 * k;
            assert_true(late > -1e-12 && late < 0.004);
            if (run)
                assert_near(next, first[k - 1], 0);
            first[k - 1] = next;
            sum += late;
        }
        /* mean 0.002, three times 0.004/sqrt(12 500) */
        assert_near(sum / 500, 0.002, 3 * 0.004 / sqrt(12 * 500));
        done(u, t);
    }
}

static void wrong_parameters_are_refused(void **state)
{
    static const struct {
        const char *source, *name;
        double value;
        const char *message;
    } wrong[] = {
        {"tutti:quantize", "step", 0, "'step' cannot be 0"},
        {"tutti:quantize", "hysteresis", -1, "'hysteresis' cannot be -1"},
        {"tutti:dead-time", "time", 0, "'time' cannot be 0"},
        {"tutti:sample", "period", -2, "'period' cannot be -2"},
        {"tutti:sample", "jitter", 1, "'jitter' cannot be 1"},
        {"tutti:sample", "delay", 1.5, "'delay' cannot be 1.5"},
    };
    const struct tt_experiment e = {.start = 0, .end = 10};

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        tt_unit_type *t = open_type(wrong[i].source);
        tt_unit *u = make_unit(t, NULL);
        tt_err err = {.msg = ""};
        char whole[256];

        set_f64(u, wrong[i].name, wrong[i].value);
        assert_int_equal(tt_unit_configure(u, &err), TT_OK);
        assert_int_equal(tt_unit_enter_init(u, &e, &err), TT_EINPUT);
        (void)snprintf(whole, sizeof(whole),
                       "instance '{k}.u' (block): enter_init: parameter %s",
                       wrong[i].message);
        assert_string_equal(err.msg, whole);
        tt_unit_free(u);
        close_type(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantize_has_hysteresis),
        cmocka_unit_test(delay_follows_a_line),
        cmocka_unit_test(a_long_delay_keeps_what_it_can),
        cmocka_unit_test(sample_names_its_instants),
        cmocka_unit_test(jitter_is_repeatable_and_even),
        cmocka_unit_test(wrong_parameters_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
