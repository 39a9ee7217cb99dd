/* SPDX-License-Identifier: MIT */
/* Courses of inputs on live mocks, against the formulas they are on paper. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "kinds/kinds.h"
#include "player/testing.h"
#include "score/testing.h"
#include "sys/file.h"

struct act {
    struct tt_stand st;
    tt_score *score;
    struct tt_rig rig;
    tt_err err;
};

/* --- units --------------------------------------------------------------- */

/* y = f(t) with its derivative, and what its mode is: an integer that may state
 * when y leaps. */
enum { SOURCE_Y, SOURCE_MODE };
struct function {
    double (*y)(double t), (*rate)(double t);
    int (*mode)(double t);
};

static void source_outputs(const struct tt_mock_view *v)
{
    const struct function *f = v->ctx;

    *tt_mock_f64(v, SOURCE_Y) = f->y(v->t);
    *(int32_t *)v->value[SOURCE_MODE] = f->mode ? f->mode(v->t) : 0;
}

static double source_rate(const struct tt_mock_view *v, uint32_t port,
                          uint32_t k)
{
    const struct function *f = v->ctx;

    (void)port;
    (void)k;
    return f->rate(v->t);
}

static const struct tt_mock_port source_port[] = {
    [SOURCE_Y] = {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = ""},
    [SOURCE_MODE] = {.name = "mode",
                     .type = TT_I32,
                     .causality = TT_CAUS_OUTPUT,
                     .deps = ""}};
static const struct tt_mock_spec source = {
    .port = source_port,
    .n_port = 2,
    .caps = {.evaluates = TT_EVAL_ALWAYS,
             .variable_step = 1,
             .save = 1,
             .rate_order = 1},
    .behaviour = {.outputs = source_outputs, .rate = source_rate}};

/* An integrator that also listens to a mode, and remembers how its courses
 * began and ended. */
enum { SINK_U, SINK_MODE, SINK_Y };
struct inputs {
    double begin[32], end[32];
    uint32_t n;
};

static void sink_derivative(const struct tt_mock_view *v, double *dx)
{
    dx[0] = *tt_mock_f64(v, SINK_U);
}

static void sink_update(const struct tt_mock_view *v, double h)
{
    struct inputs *got = *(struct inputs *const *)v->ctx;

    got->begin[got->n] = tt_poly_at(v->course[SINK_U], v->t - h);
    got->end[got->n++] = tt_poly_at(v->course[SINK_U], v->t);
}

static void sink_outputs(const struct tt_mock_view *v)
{
    *tt_mock_f64(v, SINK_Y) = v->x[0];
}

static const struct tt_mock_port sink_port[] = {
    [SINK_U] = {.name = "u", .causality = TT_CAUS_INPUT},
    [SINK_MODE] = {.name = "mode", .type = TT_I32, .causality = TT_CAUS_INPUT},
    [SINK_Y] = {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = ""}};
static const struct tt_mock_spec sink = {
    .port = sink_port,
    .n_port = 3,
    .caps = {.evaluates = TT_EVAL_ALWAYS,
             .variable_step = 1,
             .save = 1,
             .course_order = 3,
             .course_exact = 1},
    .behaviour = {.n_x = 1,
                  .derivative = sink_derivative,
                  .outputs = sink_outputs,
                  .update = sink_update}};

/* --- acts ---------------------------------------------------------------- */

static void end(struct act *a)
{
    tt_rig_fini(&a->rig);
    tt_score_free(a->score);
    tt_stand_fini(&a->st);
}

static enum tt_code start(struct act *a)
{
    tt_unit_type *type[TT_STAND_KEYS] = {0};

    tt_rig_types(&a->st, type);
    return tt_rig_start(&a->rig, a->st.plan, a->score, type);
}

static void plan(struct act *a, const char *more)
{
    char json[1024];

    snprintf(json, sizeof(json),
             "{\"fmus\": {\"{q}\": \"q\", \"{i}\": \"i\"}, \"connections\": "
             "{\"{q}.q.y\": [\"{i}.i.u\"]%s, \"endTime\": 9}",
             more);
    if (tt_stand_plan(&a->st, json) != TT_OK)
        fail_msg("%s", a->st.err.msg);
    if (tt_score_new(&a->score, a->st.plan, &a->err) != TT_OK)
        fail_msg("%s", a->err.msg);
}

#define FIXED ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}"
#define VARIES                                                                 \
    ", \"algorithm\": {\"type\": \"var-step\", \"size\": [0.1, 1], "           \
    "\"initsize\": 1}"
#define LOG "}, \"logVariables\": {\"{i}.i\": [\"y\"]}"
#define MODE                                                                   \
    ", \"{q}.q.mode\": [\"{i}.i.mode\"]}, \"logVariables\": {\"{i}.i\": "      \
    "[\"y\"]}"
#define WAY(name) ", \"approximation\": \"" name "\""

static void begin(struct act *a, const struct tt_mock_spec *q,
                  const struct tt_mock_spec *i)
{
    *a = (struct act){.score = NULL};
    tt_stand_init(&a->st);
    tt_stand_mock(&a->st, "{q}", q);
    tt_stand_mock(&a->st, "{i}", i);
}

static struct tt_mock_spec with(const struct tt_mock_spec *of, const void *ctx)
{
    struct tt_mock_spec spec = *of;

    spec.ctx = ctx;
    return spec;
}

static void started(struct act *a)
{
    if (start(a) != TT_OK)
        fail_msg("%s", a->rig.err.msg);
}

static void stepped(struct act *a, double h)
{
    if (tt_rig_step(&a->rig, h) != TT_OK)
        fail_msg("%s", a->rig.err.msg);
}

static double sum(struct act *a)
{
    return tt_rig_number(&a->rig, tt_stand_slot(a->st.plan, "{i}.i.y"));
}

/* --- functions ----------------------------------------------------------- */

static double cubic(double t)
{
    return 2 - t + 3 * t * t - 0.5 * t * t * t;
}

static double cubic_rate(double t)
{
    return -1 + 6 * t - 1.5 * t * t;
}

static double cubic_area(double t)
{
    return 2 * t - t * t / 2 + t * t * t - 0.125 * t * t * t * t;
}

static const struct function a_cubic = {.y = cubic, .rate = cubic_rate};

static const double h[] = {0.5, 0.25, 1, 0.125, 0.5};
#define N_H (sizeof(h) / sizeof(h[0]))

/* --- models ------------------------------------------------------------- */

static double rings(double t)
{
    return 3 + exp(-0.3 * t) * cos(4 * t);
}

static const struct function a_ring = {.y = rings};

/* Extrapolated from ten values, courses end where the source will be. */
static void a_model_ends_where_a_linear_system_goes(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_ring), i = with(&sink, &to);
    struct act a;
    double worst = 0;

    (void)state;
    begin(&a, &q, &i);
    plan(&a, LOG FIXED WAY("model"));
    started(&a);
    for (int n = 0; n < 30; n++)
        stepped(&a, 0.125);
    for (int n = 8; n < 30; n++)
        worst = fmax(worst, fabs(got.end[n] - rings(0.125 * (n + 1))));
    assert_true(worst < 1e-10);
    assert_true(fabs(got.end[1] - (2 * rings(0.125) - rings(0))) < 1e-12);
    end(&a);
}

/* --- Hermite ------------------------------------------------------------- */

/* Sum of factor * y + offset by Hermite courses of this order: a tangent at
 * first, and the cubic itself from then on. */
static void hermite_sums(struct act *a, uint32_t order, double factor,
                         double offset)
{
    double x = 0, t = 0;

    for (uint32_t n = 0; n < N_H; n++) {
        double whole = cubic_area(t + h[n]) - cubic_area(t);
        double tangent = h[n] * cubic(t) + h[n] * h[n] / 2 * cubic_rate(t);

        stepped(a, h[n]);
        t += h[n];
        x += factor * (n && order == 3 ? whole : tangent) + offset * h[n];
        assert_true(fabs(sum(a) - x) < 1e-12);
    }
}

static void hermite_follows_cubics_from_the_second_step_on(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_cubic), i = with(&sink, &to);
    struct act a;

    (void)state;
    begin(&a, &q, &i);
    plan(&a, LOG FIXED WAY("hermite"));
    started(&a);
    hermite_sums(&a, 3, 1, 0);
    end(&a);
}

static void hermite_of_order_one_is_the_tangent(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_cubic), i = with(&sink, &to);
    struct act a;

    (void)state;
    i.caps.course_order = 1;
    begin(&a, &q, &i);
    plan(&a, LOG FIXED WAY("hermite"));
    started(&a);
    hermite_sums(&a, 1, 1, 0);
    end(&a);
}

static void derivatives_are_converted_with_their_values(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_cubic), i = with(&sink, &to);
    struct act a;

    (void)state;
    begin(&a, &q, &i);
    plan(&a, LOG FIXED WAY("hermite"));
    a.st.plan->feed[0].how = TT_FEED_LINEAR;
    a.st.plan->feed[0].factor = -3;
    a.st.plan->feed[0].offset = 7;
    started(&a);
    hermite_sums(&a, 3, -3, 7);
    end(&a);
}

/* With the new value at the end: the cubic through the last two instants, the
 * rate between them and the new value, which is the function itself. In the
 * first step a parabola. */
static void hermite_interpolates_to_the_new_value(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_cubic), i = with(&sink, &to);
    double x = 0, t = 0;
    struct act a;

    (void)state;
    begin(&a, &q, &i);
    plan(&a, LOG FIXED ", \"master\": \"gauss-seidel\"" WAY("hermite"));
    started(&a);
    for (uint32_t n = 0; n < N_H; n++) {
        double whole = cubic_area(t + h[n]) - cubic_area(t);
        double c =
            (cubic(t + h[n]) - cubic(t) - cubic_rate(t) * h[n]) / (h[n] * h[n]);
        double parabola = h[n] * cubic(t) + h[n] * h[n] / 2 * cubic_rate(t) +
                          h[n] * h[n] * h[n] / 3 * c;

        stepped(&a, h[n]);
        t += h[n];
        x += n ? whole : parabola;
        assert_true(fabs(sum(&a) - x) < 1e-12);
    }
    end(&a);
}

static void float_outputs(const struct tt_mock_view *v)
{
    *(float *)v->value[0] = (float)v->t;
}

static double float_rate(const struct tt_mock_view *v, uint32_t port,
                         uint32_t k)
{
    (void)v;
    (void)port;
    (void)k;
    return 1;
}

static void derivatives_of_any_float_are_read(void **state)
{
    static const struct tt_mock_port port[] = {
        {.name = "y", .type = TT_F32, .causality = TT_CAUS_OUTPUT, .deps = ""}};
    struct tt_mock_spec q = {
        .port = port,
        .n_port = 1,
        .caps = {.evaluates = TT_EVAL_ALWAYS,
                 .variable_step = 1,
                 .rate_order = 1},
        .behaviour = {.outputs = float_outputs, .rate = float_rate}};
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec i = with(&sink, &to);
    struct act a;

    (void)state;
    begin(&a, &q, &i);
    plan(&a, LOG FIXED WAY("hermite"));
    started(&a);
    stepped(&a, 0.5);
    stepped(&a, 0.5);
    assert_true(fabs(sum(&a) - 0.5) < 1e-14); /* y = t, from the start */
    end(&a);
}

static void a_unit_that_fails_to_give_derivatives_is_named(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_RATES, .nth = 2, .act = TT_MOCK_ERROR, .text = "no luck"};
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_cubic), i = with(&sink, &to);
    struct act a;

    (void)state;
    q.cue = &cue;
    q.n_cue = 1;
    begin(&a, &q, &i);
    plan(&a, LOG FIXED WAY("hermite"));
    started(&a);
    assert_int_equal(tt_rig_step(&a.rig, 0.5), TT_EUNIT);
    assert_string_equal(
        a.rig.err.msg, "instance '{q}.q' (mock): rates at t=0.5: 'y': no luck");
    end(&a);
}

/* --- extrapolated interpolation ------------------------------------------ */

static double wave(double t)
{
    return sin(3 * t);
}

static double wave_rate(double t)
{
    return 3 * cos(3 * t);
}

static const struct function a_wave = {.y = wave, .rate = wave_rate};

/* What a course should end with when the last instants were t[0] (newest),
 * t[1] ..., n of them, and the step goes to `to`. */
typedef double aim_fn(const double *t, uint32_t n, double to);

/* Eq. (3.51): phi(t) = u[n-1] + (u[n] - u[n-1]) / H (t - t[n]): at the end of
 * the step it is u[n]. */
static double last_value(const double *t, uint32_t n, double to)
{
    (void)n;
    (void)to;
    return wave(t[0]);
}

static double line_through_two(const double *t, uint32_t n, double to)
{
    if (n < 2)
        return wave(t[0]);
    return wave(t[0]) + (wave(t[0]) - wave(t[1])) / (t[0] - t[1]) * (to - t[0]);
}

static void courses_join(const char *way, aim_fn *aim)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_wave), i = with(&sink, &to);
    double t[N_H + 1] = {0}, x = 0, last = wave(0);
    struct act a;

    begin(&a, &q, &i);
    plan(&a, way);
    started(&a);
    for (uint32_t n = 0; n < N_H; n++) {
        double aimed = aim(t, n + 1, t[0] + h[n]);

        stepped(&a, h[n]);
        assert_true(fabs(got.begin[n] - last) < 1e-14); /* no leap */
        assert_true(fabs(got.end[n] - aimed) < 1e-14);
        x += h[n] * (last + aimed) / 2;
        assert_true(fabs(sum(&a) - x) < 1e-14);
        last = aimed;
        memmove(t + 1, t, N_H * sizeof(*t));
        t[0] += h[n];
    }
    assert_int_equal(got.n, N_H);
    end(&a);
}

static void extrapolated_interpolation_is_continuous(void **state)
{
    (void)state;
    courses_join(LOG FIXED WAY("extrapolated-interpolation"), last_value);
    courses_join(LOG FIXED WAY("linear-extrapolated-interpolation"),
                 line_through_two);
}

/* With a constant step, as the equation is written. */
static void extrapolated_interpolation_is_equation_3_51(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_wave), i = with(&sink, &to);
    const double step = 0.25;
    struct act a;

    (void)state;
    begin(&a, &q, &i);
    plan(&a, LOG FIXED WAY("extrapolated-interpolation"));
    started(&a);
    for (int n = 0; n < 8; n++) {
        double before = wave(n ? (n - 1) * step : 0), now = wave(n * step);

        stepped(&a, step);
        assert_true(fabs(got.begin[n] - before) < 1e-15);
        assert_true(fabs(got.end[n] - (before + (now - before) / step * step)) <
                    1e-15);
    }
    end(&a);
}

/* --- sub-steps ----------------------------------------------------------- */

/* An integrator cannot distinguish sub-steps from courses. */
static void sub_steps_have_the_area_of_the_course(void **state)
{
    static const char *const way[] = {
        LOG FIXED WAY("linear"), LOG FIXED WAY("cubic"),
        LOG FIXED WAY("hermite"),
        LOG FIXED WAY("linear-extrapolated-interpolation"),
        LOG FIXED WAY("quadratic") ", \"master\": \"gauss-seidel\""};
    /* a constant is set once, a line twice, a curve ten times */
    static const uint32_t sets[] = {1 + 2 + 2, 1 + 2 + 10, 2 + 10 + 10,
                                    2 + 2 + 2, 2 + 10 + 10};

    (void)state;
    for (size_t k = 0; k < sizeof(way) / sizeof(way[0]); k++) {
        struct inputs got[2] = {{.n = 0}}, *to[2] = {&got[0], &got[1]};
        struct tt_mock_spec q = with(&source, &a_wave);
        struct tt_mock_spec i[2] = {with(&sink, &to[0]), with(&sink, &to[1])};
        struct act a[2];

        i[1].caps.course_order = 0;
        for (int j = 0; j < 2; j++) {
            begin(&a[j], &q, &i[j]);
            plan(&a[j], way[k]);
            started(&a[j]);
        }
        assert_string_equal(a[1].rig.unit[1]->kind, "sub-steps");
        for (uint32_t n = 0; n < 3; n++) { /* 32 are remembered */
            stepped(&a[0], h[n]);
            stepped(&a[1], h[n]);
            assert_true(fabs(sum(&a[0]) - sum(&a[1])) < 1e-13);
        }
        assert_int_equal(got[1].n, sets[k]);
        end(&a[0]);
        end(&a[1]);
    }
}

/* --- rejected steps ------------------------------------------------------ */

/* A step that is taken back leaves no trace in what follows. */
static void a_rejected_step_leaves_no_trace(void **state)
{
    static const char *const way[] = {
        LOG VARIES WAY("cubic"), LOG VARIES WAY("hermite"),
        MODE VARIES WAY("linear-extrapolated-interpolation"),
        LOG VARIES WAY("quadratic") ", \"substeps\": {\"i\": 3}"};

    (void)state;
    for (size_t k = 0; k < sizeof(way) / sizeof(way[0]); k++) {
        struct inputs got[2] = {{.n = 0}}, *to[2] = {&got[0], &got[1]};
        struct tt_mock_spec q = with(&source, &a_wave);
        struct tt_mock_spec i[2] = {with(&sink, &to[0]), with(&sink, &to[1])};
        struct act a[2];
        struct tt_halt halt;
        unsigned char kept[1024];
        size_t size;

        for (int j = 0; j < 2; j++) {
            begin(&a[j], &q, &i[j]);
            plan(&a[j], way[k]);
            started(&a[j]);
        }
        for (uint32_t n = 0; n < 2; n++) {
            stepped(&a[0], h[n]);
            stepped(&a[1], h[n]);
        }
        tt_rig_values(&a[1].rig, &size);
        assert_true(size <= sizeof(kept));
        memcpy(kept, tt_rig_values(&a[1].rig, &size), size);
        assert_int_equal(
            tt_part_play(a[1].rig.part, TT_SEC_BEGIN, &halt, &a[1].err), TT_OK);
        stepped(&a[1], 2);
        memcpy(tt_rig_values(&a[1].rig, &size), kept, size);
        a[1].rig.now.t[TT_T1] = a[1].rig.now.t[TT_T0];
        assert_int_equal(
            tt_part_play(a[1].rig.part, TT_SEC_UNDO, &halt, &a[1].err), TT_OK);
        for (uint32_t n = 2; n < N_H; n++) {
            stepped(&a[0], h[n]);
            stepped(&a[1], h[n]);
            assert_true(sum(&a[0]) == sum(&a[1]));
        }
        end(&a[0]);
        end(&a[1]);
    }
}

/* --- discontinuities ----------------------------------------------------- */

/* Slope 1 up to t = 1, then from 10 down with slope -2. */
static double broken(double t)
{
    return t < 1 ? t : 10 - 2 * (t - 1);
}

static double broken_rate(double t)
{
    return t < 1 ? 1 : -2;
}

static int broken_mode(double t)
{
    return t < 1 ? 4 : 5;
}

static const struct function a_leap = {
    .y = broken, .rate = broken_rate, .mode = broken_mode};

/* Linear extrapolation is exact but for the first step, which holds; after the
 * leap it is so again. Returns what is missing at t = 2. */
static double missing_after_leap(struct act *a, double step)
{
    double area = 0.5 + 10 - 1; /* 0 to 1, 1 to 2 */

    for (double t = 0; t < 2; t += step)
        stepped(a, step);
    return area - sum(a);
}

#define FRESH(step)                                                            \
    ((step) * (step) / 2 * 1 + (step) * (step) / 2 * -2) /* twice a start */

static void a_discrete_output_that_changes_is_a_leap(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_leap), i = with(&sink, &to);
    struct act a;

    (void)state;
    begin(&a, &q, &i);
    plan(&a, MODE FIXED WAY("linear"));
    started(&a);
    assert_true(fabs(missing_after_leap(&a, 0.25) - FRESH(0.25)) < 1e-14);
    end(&a);
    got.n = 0;
    begin(&a, &q, &i); /* the mode is not connected: the line overshoots */
    plan(&a, LOG FIXED WAY("linear"));
    started(&a);
    assert_true(fabs(missing_after_leap(&a, 0.25) - FRESH(0.25)) > 1);
    end(&a);
}

/* To the new value where there is one, but not over a leap to it: all pieces
 * are lines, so nothing is missing. */
static void a_leap_is_not_interpolated(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_leap), i = with(&sink, &to);
    struct act a;

    (void)state;
    begin(&a, &q, &i);
    plan(&a, MODE FIXED WAY("linear") ", \"master\": \"gauss-seidel\"");
    started(&a);
    assert_true(fabs(missing_after_leap(&a, 0.25)) < 1e-14);
    assert_true(fabs(got.end[3] - 1) < 1e-15 && got.begin[4] == 10);
    end(&a);
}

/* Half the step, a quarter of the error: away from the leap and across it. */
static void across_a_leap_the_order_stays_two(void **state)
{
    double missing[2];

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct inputs got = {.n = 0}, *to = &got;
        struct tt_mock_spec q = with(&source, &a_leap), i = with(&sink, &to);
        struct act a;

        begin(&a, &q, &i);
        plan(&a, MODE FIXED WAY("linear"));
        started(&a);
        missing[k] = missing_after_leap(&a, k ? 0.125 : 0.25);
        end(&a);
    }
    assert_true(fabs(missing[0] / missing[1] - 4) < 1e-9);
}

static void hermite_and_continuous_courses_start_anew_after_a_leap(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_leap), i = with(&sink, &to);
    struct act a;

    (void)state;
    begin(&a, &q, &i);
    plan(&a, MODE FIXED WAY("hermite")); /* tangents are exact here */
    started(&a);
    assert_true(fabs(missing_after_leap(&a, 0.25)) < 1e-14);
    end(&a);
    got.n = 0;
    begin(&a, &q, &i);
    plan(&a, MODE FIXED WAY("extrapolated-interpolation"));
    started(&a);
    for (int n = 0; n < 6; n++)
        stepped(&a, 0.25);
    assert_true(got.begin[3] == 0.5 && got.end[3] == 0.75);
    assert_true(got.begin[4] == 10 && got.end[4] == 10);
    assert_true(got.begin[5] == 10 && got.end[5] == 9.5);
    end(&a);
}

static void what_is_forgotten_is_not_extrapolated(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_leap), i = with(&sink, &to);
    struct act a;

    (void)state;
    begin(&a, &q, &i);
    plan(&a, LOG FIXED WAY("linear"));
    started(&a);
    for (int n = 0; n < 4; n++)
        stepped(&a, 0.25);
    tt_part_forget(a.rig.part, a.rig.unit[1]); /* the sink feeds no unit */
    stepped(&a, 0.25);
    assert_true(fabs(got.end[4] - (10 + 9.25)) < 1e-12);
    tt_part_forget(a.rig.part, a.rig.unit[0]);
    stepped(&a, 0.25);
    assert_true(got.begin[5] == 9.5 && got.end[5] == 9.5);
    stepped(&a, 0.25);
    assert_true(fabs(got.end[6] - 8.5) < 1e-14);
    tt_part_forget(a.rig.part, NULL);
    stepped(&a, 0.25);
    assert_true(got.begin[7] == 8.5 && got.end[7] == 8.5);
    end(&a);
}

/* The source is a table of this text instead. */
static void table(struct act *a, const struct tt_mock_spec *i, const char *csv)
{
    const struct tt_source s = {.path = TT_BUILD_DIR "/player_course_test.csv"};
    tt_unit_type *type;

    assert_int_equal(tt_file_write(s.path, csv, strlen(csv), NULL), TT_OK);
    begin(a, &source, i);
    if (tt_kind_signal.open(&type, &s, &a->err) != TT_OK)
        fail_msg("%s", a->err.msg);
    a->st.of[0].type->kind->close(a->st.of[0].type);
    a->st.of[0].type = type;
    a->st.of[0].desc = &type->desc;
}

/* A signal gives itself where it leaps; a Boolean beside it does not matter. */
static void a_signal_that_leaps_is_not_extrapolated_across(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec i = with(&sink, &to);
    struct act a;

    (void)state;
    table(&a, &i,
          "time,y,flag\n0,0,false\n0.5,0.5,true\n1,1,false\n1,10,false\n"
          "2,8,true\n");
    plan(&a, LOG FIXED WAY("linear"));
    started(&a);
    assert_true(fabs(missing_after_leap(&a, 0.25) - FRESH(0.25)) < 1e-14);
    end(&a);
}

/* Between its rows a table is a line: a tangent follows it from the start, over
 * every kink. */
static void hermite_follows_a_table_over_its_kinks(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec i = with(&sink, &to);
    struct act a;

    (void)state;
    table(&a, &i, "time,y\n0,0\n0.5,3\n1,1\n1,10\n2,8\n");
    plan(&a, LOG FIXED WAY("hermite"));
    started(&a);
    for (double t = 0; t < 2; t += 0.25)
        stepped(&a, 0.25);
    assert_true(fabs(sum(&a) - (0.75 + 1 + 9)) < 1e-13);
    end(&a);
}

/* --- crashes ------------------------------------------------------------- */

/* A course is a call of the play, named by its number; other cold calls in it
 * set their own activity, and what comes after them is named again. */
static void after_a_course_the_play_goes_on(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_cubic), i = with(&sink, &to);
    struct tt_activity activity = {.playing = 1};
    struct act a;

    (void)state;
    begin(&a, &q, &i);
    plan(&a, LOG FIXED WAY("hermite"));
    started(&a);
    a.rig.unit[1]->activity = &activity;
    stepped(&a, 0.5);
    assert_string_equal(activity.call, "");
    assert_int_equal(activity.playing, 1);
    a.rig.unit[1]->activity = NULL;
    a.rig.unit[0]->activity = &activity;
    stepped(&a, 0.5);
    assert_string_equal(activity.call, "rates");
    assert_int_equal(activity.playing, 1);
    end(&a);
}

/* --- memory -------------------------------------------------------------- */

static void playing_courses_allocates_nothing(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_leap), i = with(&sink, &to);
    uint64_t before;
    struct act a;

    (void)state;
    i.caps.course_order = 0;
    begin(&a, &q, &i);
    plan(&a, MODE FIXED WAY("hermite"));
    started(&a);
    before = tt_mem_count();
    stepped(&a, 0.5);
    stepped(&a, 0.5);
    stepped(&a, 0.5);
    assert_true(tt_mem_count() == before);
    end(&a);
}

static void every_failing_allocation_is_survived(void **state)
{
    struct inputs got = {.n = 0}, *to = &got;
    struct tt_mock_spec q = with(&source, &a_leap), i = with(&sink, &to);
    uint32_t refused = 0, well = 0;
    struct act a;

    (void)state;
    i.caps.course_order = 0;
    for (uint64_t n = 1; well == 0; n++) {
        enum tt_code rc;

        begin(&a, &q, &i);
        plan(&a, MODE FIXED WAY("hermite"));
        tt_mem_fail_after(n);
        rc = start(&a);
        tt_mem_fail_after(0);
        assert_true(rc == TT_OK || rc == TT_ENOMEM);
        refused += rc == TT_ENOMEM;
        well += rc == TT_OK;
        end(&a);
    }
    assert_true(refused > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_ends_where_a_linear_system_goes),
        cmocka_unit_test(hermite_follows_cubics_from_the_second_step_on),
        cmocka_unit_test(hermite_of_order_one_is_the_tangent),
        cmocka_unit_test(derivatives_are_converted_with_their_values),
        cmocka_unit_test(hermite_interpolates_to_the_new_value),
        cmocka_unit_test(derivatives_of_any_float_are_read),
        cmocka_unit_test(a_unit_that_fails_to_give_derivatives_is_named),
        cmocka_unit_test(extrapolated_interpolation_is_continuous),
        cmocka_unit_test(extrapolated_interpolation_is_equation_3_51),
        cmocka_unit_test(sub_steps_have_the_area_of_the_course),
        cmocka_unit_test(a_rejected_step_leaves_no_trace),
        cmocka_unit_test(a_discrete_output_that_changes_is_a_leap),
        cmocka_unit_test(a_leap_is_not_interpolated),
        cmocka_unit_test(across_a_leap_the_order_stays_two),
        cmocka_unit_test(
            hermite_and_continuous_courses_start_anew_after_a_leap),
        cmocka_unit_test(what_is_forgotten_is_not_extrapolated),
        cmocka_unit_test(a_signal_that_leaps_is_not_extrapolated_across),
        cmocka_unit_test(hermite_follows_a_table_over_its_kinks),
        cmocka_unit_test(after_a_course_the_play_goes_on),
        cmocka_unit_test(playing_courses_allocates_nothing),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
