/* SPDX-License-Identifier: MIT */
/*
 * The line-following robot. It keeps to the line for a whole lap, with a fixed
 * and with a variable step; every row belongs to one instant, from the pose
 * through sensors and map to the wheels; between rows the body moves as its
 * equations say; and the path converges with order 1.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "numerics.h"
#include "support/run_tutti.h"

#define SCENARIO "line-follower/scenario.json"
#define FMI3     "line-follower/scenario-fmi3.json"
#define VARIABLE "line-follower/scenario-variable.json"

static const double pi = 3.14159265358979323846;
static const double spacing = 0.06, forward = 0.04;
static const double axle = 0.12, motor = 0.1, speed = 0.2, gain = 0.03;
static const double width = 0.03, spot = 0.015, paint = 0.1, ground = 0.9;

struct point {
    double x, y;
};

/* --- the line ----------------------------------------------------------- */

/* An arc of the line: `half` to both sides of the direction `middle`. */
struct arc {
    struct point centre;
    double radius, middle, half;
};

static double apart(struct point a, struct point b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

static struct point on_arc(const struct arc *a, double angle)
{
    return (struct point){a->centre.x + a->radius * cos(angle),
                          a->centre.y + a->radius * sin(angle)};
}

static double from_arc(const struct arc *a, struct point p)
{
    double angle = atan2(p.y - a->centre.y, p.x - a->centre.x);

    if (fabs(remainder(angle - a->middle, 2 * pi)) <= a->half)
        return fabs(apart(p, a->centre) - a->radius);
    return fmin(apart(p, on_arc(a, a->middle - a->half)),
                apart(p, on_arc(a, a->middle + a->half)));
}

/* The centres of ends and sides are the corners of a rhombus with the sides of
 * a triangle of 0.45, 0.6 and 0.75; the arcs meet on its edges. */
static const struct arc *track(void)
{
    static struct arc arc[4];
    double end = pi - atan2(0.6, 0.45), side = atan2(0.45, 0.6);

    arc[0] = (struct arc){{0.45, 0}, 0.3, 0, end};
    arc[1] = (struct arc){{-0.45, 0}, 0.3, pi, end};
    arc[2] = (struct arc){{0, 0.6}, 0.45, -pi / 2, side};
    arc[3] = (struct arc){{0, -0.6}, 0.45, pi / 2, side};
    return arc;
}

static double from_line(struct point p)
{
    const struct arc *arc = track();
    double least = from_arc(&arc[0], p);

    for (size_t i = 1; i < 4; i++)
        least = fmin(least, from_arc(&arc[i], p));
    return least;
}

static double lap(void)
{
    const struct arc *arc = track();
    double length = 0;

    for (size_t i = 0; i < 4; i++)
        length += 2 * arc[i].half * arc[i].radius;
    return length;
}

static void the_arcs_are_one_smooth_line(void **state)
{
    const struct arc *arc = track();

    (void)state;
    for (size_t end = 0; end < 2; end++)
        for (size_t side = 2; side < 4; side++) {
            double sign = (end == 0) == (side == 2) ? 1 : -1;
            double at = arc[end].middle + sign * arc[end].half;

            /* the same point, and the same normal */
            assert_near(from_arc(&arc[side], on_arc(&arc[end], at)), 0, 1e-14);
            assert_near(apart(arc[end].centre, arc[side].centre),
                        arc[end].radius + arc[side].radius, 1e-14);
        }
    assert_near(lap(), 3.815459, 1e-6);
}

/* --- staying on it ------------------------------------------------------ */

static double farthest(const tt_table *t, double since)
{
    const double *x = column(t, "{body}.body.x");
    const double *y = column(t, "{body}.body.y");
    double most = 0;

    for (size_t i = 0; i < tt_table_rows(t); i++)
        if (tt_table_time(t)[i] >= since)
            most = fmax(most, from_line((struct point){x[i], y[i]}));
    return most;
}

/* How often the robot went round the middle of the track, anticlockwise. */
static double laps(const tt_table *t)
{
    const double *x = column(t, "{body}.body.x");
    const double *y = column(t, "{body}.body.y");
    double turned = 0;

    for (size_t i = 1; i < tt_table_rows(t); i++)
        turned +=
            remainder(atan2(y[i], x[i]) - atan2(y[i - 1], x[i - 1]), 2 * pi);
    return turned / (2 * pi);
}

static void the_robot_stays_on_the_line_for_a_lap(void **state)
{
    static const struct play p[] = {{.scenario = SCENARIO},
                                    {.scenario = SCENARIO, .step = 0.1},
                                    {.scenario = SCENARIO, .step = 0.01},
                                    {.scenario = FMI3},
                                    {.scenario = VARIABLE}};

    (void)state;
    for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
        tt_table *t = play(&p[i]);

        assert_true(tt_table_time(t)[tt_table_rows(t) - 1] == 20);
        assert_true(laps(t) > 1);
        assert_true(farthest(t, 0) < spacing / 2);
        assert_true(farthest(t, 1) < 0.4 * spacing);
        tt_table_free(t);
    }
}

/* With a step of 0.2 s, 4 cm of way, it reads the floor too rarely. */
static void looking_too_rarely_loses_the_line(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO, .step = 0.2});

    (void)state;
    assert_true(farthest(t, 19.9) > 1);
    tt_table_free(t);
}

/* As does one that turns too little for the ends, with a step however short. */
static void turning_too_little_loses_the_line(void **state)
{
    tt_table *t = play(&(struct play){
        SCENARIO, .step = 0.01, .options = {"--set", "follower.gain=0.02"}});

    (void)state;
    assert_true(farthest(t, 19.9) > 1);
    tt_table_free(t);
}

/* Once the line is found or lost, with both sensors moved. */
static double farthest_with(const char *left, const char *right)
{
    tt_table *t = play(&(struct play){
        .scenario = SCENARIO, .options = {"--set", left, "--set", right}});
    double most = farthest(t, 2);

    tt_table_free(t);
    return most;
}

static void where_the_sensors_are_decides(void **state)
{
    (void)state;
    assert_true(farthest_with("left.forward=0.02", "right.forward=0.02") > 1);
    assert_near(farthest_with("left.forward=0.03", "right.forward=0.03"),
                0.0343, 1e-4);
    assert_near(farthest_with("left.forward=0.04", "right.forward=0.04"),
                0.0180, 1e-4);
    assert_near(farthest_with("left.forward=0.06", "right.forward=0.06"),
                0.0075, 1e-4);
    assert_near(farthest_with("left.forward=0.08", "right.forward=0.08"),
                0.0014, 1e-4);
    assert_true(farthest_with("left.forward=0.1", "right.forward=0.1") > 1);
}

/* --- one instant -------------------------------------------------------- */

/* The share of a normal distribution about s within the line (Simpson). */
static double share(double s)
{
    const int n = 200;
    double h = width / n, sum = 0;

    for (int i = 0; i <= n; i++) {
        double z = (-width / 2 + i * h - s) / spot;
        double weight = i == 0 || i == n ? 1 : i % 2 ? 4 : 2;

        sum += weight * exp(-z * z / 2);
    }
    return sum * h / 3 / (spot * sqrt(2 * pi));
}

struct seen { /* of a sensor, in a table */
    const double *px, *py, *light, *value;
};

/* Where it looks, what comes back, what it says of it: row i. */
static void check_sensor(const struct seen *s, size_t i, struct point body,
                         double theta, double lateral)
{
    struct point at = {body.x + forward * cos(theta) - lateral * sin(theta),
                       body.y + forward * sin(theta) + lateral * cos(theta)};

    assert_near(s->px[i], at.x, 1e-14);
    assert_near(s->py[i], at.y, 1e-14);
    assert_near(s->light[i], ground + (paint - ground) * share(from_line(at)),
                1e-9);
    assert_near(s->value[i], 5 * s->light[i], 1e-14);
}

static void check_instants(const tt_table *t)
{
    const double *x = column(t, "{body}.body.x");
    const double *y = column(t, "{body}.body.y");
    const double *theta = column(t, "{body}.body.theta");
    const struct seen left = {
        column(t, "{sensor}.left.px"), column(t, "{sensor}.left.py"),
        column(t, "{map}.map.left"), column(t, "{sensor}.left.value")};
    const struct seen right = {
        column(t, "{sensor}.right.px"), column(t, "{sensor}.right.py"),
        column(t, "{map}.map.right"), column(t, "{sensor}.right.value")};
    const double *wheel[] = {column(t, "{ctl}.follower.leftWheel"),
                             column(t, "{ctl}.follower.rightWheel")};

    for (size_t i = 0; i < tt_table_rows(t); i++) {
        double turn = gain * (right.value[i] - left.value[i]);
        struct point body = {x[i], y[i]};

        check_sensor(&left, i, body, theta[i], spacing / 2);
        check_sensor(&right, i, body, theta[i], -spacing / 2);
        assert_near(wheel[0][i], speed - turn, 1e-14);
        assert_near(wheel[1][i], speed + turn, 1e-14);
    }
}

static void every_row_is_one_instant(void **state)
{
    const char *const scenario[] = {SCENARIO, FMI3, VARIABLE};

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        tt_table *t = play(&(struct play){.scenario = scenario[k]});

        check_instants(t);
        tt_table_free(t);
    }
}

static void the_map_shows_the_nearest_point_of_the_line(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO});
    const double *x[] = {column(t, "{sensor}.left.px"),
                         column(t, "{sensor}.right.px")};
    const double *y[] = {column(t, "{sensor}.left.py"),
                         column(t, "{sensor}.right.py")};
    const double *line_x = column(t, "{map}.map.lineX");
    const double *line_y = column(t, "{map}.map.lineY");

    (void)state;
    for (size_t i = 0; i < tt_table_rows(t); i++) {
        struct point between = {(x[0][i] + x[1][i]) / 2,
                                (y[0][i] + y[1][i]) / 2};
        struct point line = {line_x[i], line_y[i]};

        assert_near(from_line(line), 0, 1e-14);
        assert_near(apart(line, between), from_line(between), 1e-14);
    }
    tt_table_free(t);
}

/* --- between two rows --------------------------------------------------- */

struct motion {
    struct point at;
    double theta, v[2], command[2]; /* left, right */
};

/* The speeds tend exponentially to what they are told. */
static double heading(const struct motion *m, double t)
{
    double lag = motor * (1 - exp(-t / motor));
    double way[2];

    for (size_t i = 0; i < 2; i++)
        way[i] = m->command[i] * t + (m->v[i] - m->command[i]) * lag;
    return m->theta + (way[1] - way[0]) / axle;
}

static double wheel_speed(const struct motion *m, size_t i, double t)
{
    return m->command[i] + (m->v[i] - m->command[i]) * exp(-t / motor);
}

/* The integral of the speed along the heading (Simpson). */
static struct point place(const struct motion *m, double t)
{
    const int n = 100;
    struct point sum = {0, 0};

    for (int i = 0; i <= n; i++) {
        double s = t * i / n, weight = i == 0 || i == n ? 1 : i % 2 ? 4 : 2;
        double v = (wheel_speed(m, 0, s) + wheel_speed(m, 1, s)) / 2;

        sum.x += weight * v * cos(heading(m, s));
        sum.y += weight * v * sin(heading(m, s));
    }
    return (struct point){m->at.x + sum.x * t / n / 3,
                          m->at.y + sum.y * t / n / 3};
}

static struct motion motion_at(const tt_table *t, size_t i)
{
    return (struct motion){
        {column(t, "{body}.body.x")[i], column(t, "{body}.body.y")[i]},
        column(t, "{body}.body.theta")[i],
        {column(t, "{body}.body.vLeft")[i], column(t, "{body}.body.vRight")[i]},
        {column(t, "{ctl}.follower.leftWheel")[i],
         column(t, "{ctl}.follower.rightWheel")[i]}};
}

/* Ten steps of Runge and Kutta in 0.05 s are wrong by less than 1e-8. */
static void the_body_moves_as_its_equations_predict(void **state)
{
    tt_table *t = play(&(struct play){.scenario = SCENARIO});
    struct motion m = motion_at(t, 0);

    (void)state;
    assert_true(m.at.x == 0 && m.at.y == -0.125 && m.theta == 0.2);
    assert_true(m.v[0] == 0 && m.v[1] == 0);
    for (size_t i = 1; i < tt_table_rows(t); i++) {
        struct motion next = motion_at(t, i);

        assert_near(apart(next.at, place(&m, 0.05)), 0, 1e-8);
        assert_near(next.theta, heading(&m, 0.05), 1e-8);
        assert_near(next.v[0], wheel_speed(&m, 0, 0.05), 1e-8);
        assert_near(next.v[1], wheel_speed(&m, 1, 0.05), 1e-8);
        m = next;
    }
    tt_table_free(t);
}

/* --- convergence -------------------------------------------------------- */

/* The greatest distance between two runs at the same time; `fine` has a short
 * fixed step and is read between its rows. */
static double deviation(const tt_table *t, const tt_table *fine)
{
    const double *x = column(t, "{body}.body.x"), *ft = tt_table_time(fine);
    const double *y = column(t, "{body}.body.y");
    const double *fx = column(fine, "{body}.body.x");
    const double *fy = column(fine, "{body}.body.y");
    double most = 0;

    for (size_t i = 0, k = 0; i < tt_table_rows(t); i++) {
        double part;
        struct point there;

        while (k + 2 < tt_table_rows(fine) && ft[k + 1] < tt_table_time(t)[i])
            k++;
        part = (tt_table_time(t)[i] - ft[k]) / (ft[k + 1] - ft[k]);
        there = (struct point){fx[k] + part * (fx[k + 1] - fx[k]),
                               fy[k] + part * (fy[k + 1] - fy[k])};
        most = fmax(most, apart(there, (struct point){x[i], y[i]}));
    }
    return most;
}

static void halving_the_step_halves_the_difference(void **state)
{
    double difference[4], step = 0.025;
    tt_table *coarse = play(&(struct play){.scenario = SCENARIO, .step = step});

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        tt_table *fine =
            play(&(struct play){.scenario = SCENARIO, .step = step /= 2});

        difference[i] = deviation(coarse, fine);
        tt_table_free(coarse);
        coarse = fine;
    }
    tt_table_free(coarse);
    for (size_t i = 0; i + 1 < 4; i++)
        assert_near(observed_order(difference[i], difference[i + 1]), 1, 0.15);
}

/* The table of the README, in its last digit. */
static void the_deviations_are_as_reported(void **state)
{
    static const struct {
        struct play play;
        double deviation;
    } told[] = {
        {{.scenario = SCENARIO, .step = 0.1}, 0.01855},
        {{.scenario = SCENARIO}, 0.00620},
        {{.scenario = SCENARIO, .step = 0.025}, 0.00265},
        {{.scenario = SCENARIO, .step = 0.0125}, 0.00122},
        {{.scenario = VARIABLE}, 0.00247},
    };
    tt_table *exact =
        play(&(struct play){.scenario = SCENARIO, .step = 0.0005});

    (void)state;
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        tt_table *t = play(&told[i].play);

        assert_near(deviation(t, exact), told[i].deviation, 1e-5);
        tt_table_free(t);
    }
    tt_table_free(exact);
}

static void a_variable_step_needs_half_the_steps(void **state)
{
    struct tally n;
    tt_table *variable = play_tally(&(struct play){.scenario = VARIABLE}, &n);
    size_t tries = n.steps + n.rejected;
    tt_table *fixed = play(
        &(struct play){.scenario = SCENARIO, .step = 20 / (2 * (double)tries)});
    tt_table *exact =
        play(&(struct play){.scenario = SCENARIO, .step = 0.0005});

    (void)state;
    assert_int_equal(tt_table_rows(variable), n.steps + 1);
    assert_int_equal(tt_table_rows(fixed), 2 * tries + 1);
    assert_true(deviation(variable, exact) < deviation(fixed, exact));
    tt_table_free(variable);
    tt_table_free(fixed);
    tt_table_free(exact);
}

/* --- both standards, and nonsense --------------------------------------- */

static void both_standards_give_the_same_results(void **state)
{
    tt_table *two = play(&(struct play){.scenario = SCENARIO});
    tt_table *three = play(&(struct play){.scenario = FMI3});
    size_t bytes = tt_table_rows(two) * sizeof(double);

    (void)state;
    assert_int_equal(tt_table_rows(three), tt_table_rows(two));
    assert_int_equal(tt_table_columns(two), 17);
    for (uint32_t c = 0; c < tt_table_columns(two); c++)
        assert_memory_equal(tt_table_values(two, c),
                            column(three, tt_table_name(two, c)), bytes);
    tt_table_free(two);
    tt_table_free(three);
}

static void a_track_that_does_not_close_is_refused(void **state)
{
    const char *const radius[] = {"map.endRadius=0.14", "map.endRadius=0.76"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *const argv[] = {"run",   TT_BUILD_DIR "/examples/" SCENARIO,
                                    "--set", radius[i],
                                    "-o",    "-",
                                    NULL};
        struct tt_buf err;

        tt_buf_init(&err, 65536);
        assert_int_equal(run_tutti(argv, NULL, &err), 1);
        assert_string_equal(
            err.data,
            "tutti: initialisation: instance '{map}.map' (fmi2): get: 'left', "
            "'right' and 2 more: fmi2GetReal returned fmi2Error: last message: "
            "\"endRadius must be less than hypot(endX, sideY) and more than "
            "hypot(endX, sideY) - sideY\"\n");
        tt_buf_fini(&err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_arcs_are_one_smooth_line),
        cmocka_unit_test(the_robot_stays_on_the_line_for_a_lap),
        cmocka_unit_test(looking_too_rarely_loses_the_line),
        cmocka_unit_test(turning_too_little_loses_the_line),
        cmocka_unit_test(where_the_sensors_are_decides),
        cmocka_unit_test(every_row_is_one_instant),
        cmocka_unit_test(the_map_shows_the_nearest_point_of_the_line),
        cmocka_unit_test(the_body_moves_as_its_equations_predict),
        cmocka_unit_test(halving_the_step_halves_the_difference),
        cmocka_unit_test(the_deviations_are_as_reported),
        cmocka_unit_test(a_variable_step_needs_half_the_steps),
        cmocka_unit_test(both_standards_give_the_same_results),
        cmocka_unit_test(a_track_that_does_not_close_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
