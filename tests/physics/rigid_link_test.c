/* SPDX-License-Identifier: MIT */
/*
 * Two masses on a rigid link (Gomes 2019, example 12): a force is found that
 * makes their positions equal at the end of every step. Reference values were
 * computed independently with exact units.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "numerics.h"
#include "support/run_tutti.h"
#include "sys/file.h"

static const char *const scenario[] = {"rigid-link/scenario.json",
                                       "rigid-link/scenario-fmi3.json"};

static void the_first_step_is_the_published_one(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        tt_table *t = play(&(struct play){.scenario = scenario[i]});

        assert_near(column(t, "{mass}.one.x1")[1], 1.062459536618, 1e-9);
        assert_near(column(t, "{mass}.three.x1")[1], 1.062459536618, 1e-9);
        assert_near(column(t, "{mass}.one.v1")[1], 1.227684914653, 1e-9);
        assert_near(column(t, "{mass}.three.v1")[1], -0.750496404342, 1e-9);
        assert_near(column(t, "{link}.link.action")[1], 13.9224436606, 1e-9);
        tt_table_free(t);
    }
}

static void the_masses_stay_together(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        tt_table *t = play(&(struct play){.scenario = scenario[i]});
        const double *one = column(t, "{mass}.one.x1");
        const double *three = column(t, "{mass}.three.x1");

        assert_int_equal(tt_table_rows(t), 101);
        for (size_t k = 1; k < tt_table_rows(t); k++)
            assert_near(one[k], three[k], 1e-9);
        tt_table_free(t);
    }
}

/* From a start that satisfies the equation they move as one mass. */
static void from_a_good_start_they_are_one_mass(void **state)
{
    tt_table *t = play(&(struct play){
        .scenario = scenario[0], .options = {"--set", "{mass}.three.x1=1"}});
    const double *one = column(t, "{mass}.one.x1");

    (void)state;
    assert_near(one[10], 0.716701722, 1e-8);
    assert_near(one[50], -0.353588419, 1e-7);
    tt_table_free(t);
}

/* --- positions and velocities together (Eq. 3.29) ------------------------- */

#define RATES "rigid-link/scenario-rates.json"

/* Both masses as one of 3 kg (Eq. 3.34), t seconds after (x, v). */
static double lumped(double x, double v, double t)
{
    const struct matrix a = {2, {{0, 1}, {-2.0 / 3, -1.0 / 3}}};
    struct matrix e = exponential(&a, t);
    double at[2] = {x, v};

    apply(&e, at);
    return at[0];
}

static void with_their_velocities_nothing_rings(void **state)
{
    tt_table *t = play(&(struct play){.scenario = RATES});
    const double *x1 = column(t, "{mass}.one.x1");
    const double *x3 = column(t, "{mass}.three.x1");
    const double *v1 = column(t, "{mass}.one.v1");
    const double *v3 = column(t, "{mass}.three.v1");

    (void)state;
    assert_int_equal(tt_table_rows(t), 101);
    for (size_t k = 1; k < tt_table_rows(t); k++) {
        assert_near(x1[k], x3[k], 1e-11);
        assert_near(v1[k], v3[k], 1e-11);
        assert_near(x1[k], lumped(x1[1], v1[1], 0.1 * (double)(k - 1)), 5e-8);
    }
    tt_table_free(t);
}

/* The largest error of x1 against the lumped mass, from a good start. */
static double error_of(const char *scenario_, const char *damping, double h)
{
    tt_table *t = play(&(struct play){
        .scenario = scenario_,
        .step = h,
        .options = {"--set", "{mass}.three.x1=1", "--set", damping}});
    const double *x1 = column(t, "{mass}.one.x1");
    double worst = 0;

    for (size_t k = 0; k < tt_table_rows(t); k++)
        worst = fmax(worst, fabs(x1[k] - lumped(1, 0, h * (double)k)));
    tt_table_free(t);
    return worst;
}

/* A line within each step is of order 4, a held action that is damped of order
 * 2. */
static void the_orders_are_as_theory_predicts(void **state)
{
    const char *const none = "{link}.link.damping=0",
                      *const some = "{link}.link.damping=2";

    (void)state;
    assert_near(
        observed_order(error_of(RATES, none, 0.4), error_of(RATES, none, 0.2)),
        4, 0.1);
    assert_near(
        observed_order(error_of(RATES, some, 0.1), error_of(RATES, some, 0.05)),
        2, 0.1);
}

/* After the first step x1 - x3 falls by (1 - d h / 2) / (1 + d h / 2) in each:
 * exp(-d h), to second order, until what the held action leaves shows. */
static void with_damping_a_bad_start_dies_away(void **state)
{
    tt_table *t = play(&(struct play){
        .scenario = RATES, .options = {"--set", "{link}.link.damping=5"}});
    const double *x1 = column(t, "{mass}.one.x1");
    const double *x3 = column(t, "{mass}.three.x1");
    const double *v1 = column(t, "{mass}.one.v1");
    const double *v3 = column(t, "{mass}.three.v1");

    (void)state;
    for (size_t k = 1; k < 5; k++) {
        assert_near(v1[k] - v3[k], -5 * (x1[k] - x3[k]), 1e-10);
        assert_near((x1[k + 1] - x3[k + 1]) / (x1[k] - x3[k]), 0.6, 0.01);
    }
    tt_table_free(t);
}

/* With a rate of its own, in a composite or by name, five steps of it give what
 * five macro steps give. */
static void a_link_can_have_a_rate_of_its_own(void **state)
{
    tt_table *inside =
        play(&(struct play){.scenario = "rigid-link/scenario-rate.json"});
    tt_table *named =
        play(&(struct play){.scenario = "rigid-link/scenario-often.json"});
    tt_table *fast = play(&(struct play){
        .scenario = RATES, .options = {"--set", "{mass}.three.x1=1"}});
    const double *a = column(inside, "{pair}.p.{mass}.one.x1");
    const double *b = column(named, "{mass}.one.x1");
    const double *c = column(fast, "{mass}.one.x1");

    (void)state;
    assert_int_equal(tt_table_rows(inside), 21);
    assert_int_equal(tt_table_rows(named), 21);
    for (size_t k = 0; k < 21; k++) {
        assert_near(a[k], c[5 * k], 1e-12);
        assert_near(b[k], c[5 * k], 1e-12);
    }
    tt_table_free(inside);
    tt_table_free(named);
    tt_table_free(fast);
}

/* The scenario with the velocities connected, and more said. Not beside the
 * examples: other tests play whatever is there. */
static const char *stating(const char *more)
{
    static char path[] = TT_BUILD_DIR "/tests/saying.json";
    static const char up[] = "../double-mass";
    const char *begin, *fmu;
    struct tt_buf text;
    tt_err err;
    FILE *f = fopen(path, "w");

    tt_buf_init(&text, 1 << 16);
    assert_int_equal(tt_file_read(&text, TT_BUILD_DIR "/examples/" RATES, &err),
                     TT_OK);
    tt_buf_char(&text, '\0');
    assert_non_null(f);
    begin = strchr(text.data, '{') + 1;
    fmu = strstr(begin, up);
    assert_non_null(fmu);
    fprintf(f, "{%s,%.*s" TT_BUILD_DIR "/examples/double-mass%s", more,
            (int)(fmu - begin), begin, fmu + sizeof(up) - 1);
    assert_int_equal(fclose(f), 0);
    tt_buf_fini(&text);
    return path;
}

/* Copies from `key` up to what ends it. */
static void told(const char *scenario_, const char *key, const char *end,
                 char *out, size_t size)
{
    const char *argv[] = {"run", "--json", "-o", "/dev/null", scenario_, NULL};
    struct tt_buf json, err;
    const char *at;

    tt_buf_init(&json, 1 << 20);
    tt_buf_init(&err, 1 << 20);
    assert_int_equal(run_tutti(argv, &json, &err), 0);
    at = strstr(json.data, key);
    assert_non_null(at);
    assert_non_null(strstr(at, end));
    (void)snprintf(out, size, "%.*s", (int)(strstr(at, end) - at), at);
    tt_buf_fini(&json);
    tt_buf_fini(&err);
}

#define OFTEN                                                                  \
    "\"rates\": {\"{mass}.one\": 4, \"{mass}.three\": 4, \"{link}.link\": 4}"

/* The error is that of the steps of the link, of order 4 in them and 2 with
 * damping, however long the macro step. */
static void a_rate_brings_the_order_of_its_steps(void **state)
{
    static const struct {
        const char *damping;
        double h, order;
    } with[] = {{"{link}.link.damping=0", 0.5, 4},
                {"{link}.link.damping=2", 0.1, 2}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *often = stating(OFTEN);
        double far = error_of(often, with[i].damping, 4 * with[i].h);
        double near = error_of(often, with[i].damping, 2 * with[i].h);

        assert_near(observed_order(far, near), with[i].order, 0.1);
    }
}

/* However it is played: the same bytes. */
static void a_rate_is_the_same_on_threads_and_elsewhere(void **state)
{
    static const char *const how[][3] = {{"--threads", "2"},
                                         {"--isolate"},
                                         {"--master", "gauss-seidel"},
                                         {"--rollback"},
                                         {"--profile"}};
    tt_table *want = play(&(struct play){.scenario = stating(OFTEN)});

    (void)state;
    for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
        tt_table *got = play(&(struct play){.scenario = stating(OFTEN),
                                            .options = {how[i][0], how[i][1]}});

        assert_int_equal(tt_table_rows(got), tt_table_rows(want));
        for (uint32_t k = 0; k < tt_table_columns(want); k++)
            assert_memory_equal(tt_table_values(got, k),
                                tt_table_values(want, k),
                                tt_table_rows(want) * sizeof(double));
        tt_table_free(got);
    }
    tt_table_free(want);
}

static void refused_with(const char *scenario_, const char *option,
                         const char *words)
{
    const char *argv[] = {"run",  "-o", "/dev/null", scenario_,
                          option, "3",  NULL};
    struct tt_buf err;

    if (!option)
        argv[4] = NULL;
    tt_buf_init(&err, 1 << 20);
    assert_int_equal(run_tutti(argv, NULL, &err), 2);
    tt_buf_char(&err, '\0');
    assert_non_null(strstr(err.data, words));
    tt_buf_fini(&err);
}

static void a_rate_of_what_cannot_follow_is_refused(void **state)
{
    (void)state;
    refused_with(stating("\"rates\": {\"{link}.link\": 5}"), NULL,
                 "saying.json:1:27: '{link}.link' is a coupling of rate 5, but "
                 "'{mass}.one', which it acts on, has rate 1: give what is "
                 "coupled the same rate\n");
    refused_with(stating(OFTEN), "--iterate",
                 "'{link}.link' is a coupling with a rate of its own in a step "
                 "that is repeated: put it and what it couples into a "
                 "composite, and give that a rate\n");
}

/* In a process of its own it finds the same two unknowns, and its account is
 * of the same steps. */
static void a_link_elsewhere_is_the_same_link(void **state)
{
    char here[300], there[300];

    (void)state;
    told(TT_BUILD_DIR "/examples/" RATES, "\"couplings\"", "]", here,
         sizeof(here));
    told(stating("\"isolate\": [\"{link}.link\"]"), "\"couplings\"", "]", there,
         sizeof(there));
    assert_string_equal(here, there);
}

/* --- directional derivatives ---------------------------------------------- */

/* The same with masses that publish their states and derivatives. */
static const char *sliding(const char *kind, int rates, const char *parameters)
{
    static char path[] = TT_BUILD_DIR "/tests/sliding.json";
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fprintf(f,
            "{\"fmus\": {\"{mass}\": \"units/%s\", "
            "\"{link}\": \"tutti:coupling\"}, \"connections\": {"
            "\"{mass}.one.x\": [\"{link}.link.left\"],"
            "\"{mass}.three.x\": [\"{link}.link.right\"],%s"
            "\"{link}.link.action\": [\"{mass}.one.F\"],"
            "\"{link}.link.reaction\": [\"{mass}.three.F\"]},"
            "\"parameters\": {\"{mass}.three.m\": 2, \"{mass}.three.d\": 0,"
            "\"{mass}.three.x\": 1.1%s},"
            "\"iteration\": {\"absoluteTolerance\": 1e-12},"
            "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1},"
            "\"startTime\": 0, \"endTime\": 10}",
            kind,
            rates ? "\"{mass}.one.v\": [\"{link}.link.leftRate\"],"
                    "\"{mass}.three.v\": [\"{link}.link.rightRate\"],"
                  : "",
            parameters);
    assert_int_equal(fclose(f), 0);
    return path;
}

static void assert_reported(const char *scenario_, const char *evaluations,
                            const char *jacobians)
{
    char text[400], want[400];

    told(scenario_, "\"evaluations\"", ",", text, sizeof(text));
    (void)snprintf(want, sizeof(want), "\"evaluations\": %s", evaluations);
    assert_string_equal(text, want);
    told(scenario_, "Newton's", "\"}", text, sizeof(text));
    (void)snprintf(want, sizeof(want), "Newton's Jacobian: %s", jacobians);
    assert_string_equal(text, want);
}

/* Their x is that of the masses of the example. */
static void assert_same(const char *scenario_, const struct play *reference)
{
    tt_table *a = play(&(struct play){.scenario = scenario_});
    tt_table *b = play(reference);

    assert_int_equal(tt_table_rows(a), 101);
    for (size_t k = 0; k < 101; k++) {
        assert_near(column(a, "{mass}.one.x")[k], column(b, "{mass}.one.x1")[k],
                    1e-10);
        assert_near(column(a, "{mass}.three.x")[k],
                    column(b, "{mass}.three.x1")[k], 1e-10);
    }
    tt_table_free(a);
    tt_table_free(b);
}

/* Linear units: the Jacobian is exact, a guess and its correction are all there
 * is to a step. Trial steps tell it to half the digits, which takes a third. */
static void derivatives_save_evaluations(void **state)
{
    static const char *const of[] = {"slider.fmu", "slider-fmi3.fmu"};

    (void)state;
    assert_reported(TT_BUILD_DIR "/examples/rigid-link/scenario.json", "200",
                    "1 from directional derivatives, 0 by trial steps");
    for (int i = 0; i < 4; i++) {
        const char *path = sliding(of[i / 2], i % 2, "");

        assert_reported(path, "200",
                        "1 from directional derivatives, 0 by trial steps");
        assert_same(path,
                    &(struct play){.scenario = i % 2 ? RATES : scenario[0]});
    }
}

/* Micro-steps of Euler do not lead where derivatives say. To see that takes one
 * evaluation. */
static void derivatives_that_mislead_are_given_up(void **state)
{
    const char *path = sliding(
        "slider.fmu", 1,
        ", \"{mass}.one.microsteps\": 2, \"{mass}.three.microsteps\": 2");

    (void)state;
    assert_reported(
        path, "304",
        "1 from directional derivatives, 1 by trial steps; derivatives "
        "were given up: they lead to the solution too slowly");
    assert_same(path, &(struct play){
                          .scenario = RATES,
                          .options = {"--set", "{mass}.one.microsteps=2",
                                      "--set", "{mass}.three.microsteps=2"}});
}

static void derivatives_that_fail_are_done_without(void **state)
{
    const char *path = sliding("slider.fmu", 0, ", \"{mass}.one.brittle\": 1");

    (void)state;
    assert_reported(
        path, "302",
        "0 from directional derivatives, 1 by trial steps; derivatives were "
        "given up: instance '{mass}.one' (fmi2): jvp at t=0.1: "
        "fmi2GetDirectionalDerivative returned fmi2Error: last message: "
        "\\\"this is no place to be\\\"");
    assert_same(path, &(struct play){.scenario = scenario[0]});
}

/* A spring that swings a thousand times within a step: no series for that. */
static void derivatives_of_the_stiff_are_done_without(void **state)
{
    char text[400];

    (void)state;
    told(sliding("slider.fmu", 1,
                 ", \"{mass}.one.c\": 4e9, \"{mass}.one.d\": 1000"),
         "Newton's", "\"}", text, sizeof(text));
    assert_string_equal(
        text, "Newton's Jacobian: 0 from directional derivatives, 1 by trial "
              "steps; derivatives were given up: '{mass}.one' is too fast for "
              "its derivatives to predict where a step of 0.1 s leads");
}

/* --- a consistent start (Eq. 3.39) ---------------------------------------- */

static const char *adjusting(const char *values)
{
    char more[200];

    (void)snprintf(more, sizeof(more), "\"consistentStart\": [%s]", values);
    return stating(more);
}

static void values_that_may_change_make_the_start_consistent(void **state)
{
    static const struct {
        const char *may_change;
        double x;
    } of[] = {{"\"{mass}.three.x1\"", 1},
              {"\"{mass}.one.x1\"", 1.1},
              {"\"{mass}.one.x1\", \"{mass}.three.x1\"", 1.05},
              {"\"{mass}.three.v1\", \"{mass}.three.x1\"", 1}};

    (void)state;
    for (int i = 0; i < 4; i++) {
        tt_table *t =
            play(&(struct play){.scenario = adjusting(of[i].may_change)});
        const double *x1 = column(t, "{mass}.one.x1");
        const double *x3 = column(t, "{mass}.three.x1");

        assert_near(x1[0], of[i].x, 1e-12);
        for (size_t k = 0; k < tt_table_rows(t); k++) {
            assert_near(x1[k], x3[k], 1e-11);
            assert_near(x1[k], lumped(of[i].x, 0, 0.1 * (double)k), 5e-8);
        }
        tt_table_free(t);
    }
}

static void a_start_that_cannot_be_made_consistent_is_refused(void **state)
{
    const char *argv[] = {"run", "-o", "/dev/null", NULL, NULL};
    struct tt_buf err;

    (void)state;
    tt_buf_init(&err, 1 << 20);
    argv[3] = adjusting("\"{mass}.three.m1\"");
    assert_int_equal(run_tutti(argv, NULL, &err), 2);
    assert_string_equal(
        err.data, "tutti: no consistent start: 'residual' of '{link}.link' is "
                  "off by 0.1, and the values of 'consistentStart' do not "
                  "change it as they should\n");
    tt_buf_clear(&err);
    argv[3] = adjusting("\"{mass}.three.F\"");
    assert_int_equal(run_tutti(argv, NULL, &err), 2);
    assert_non_null(
        strstr(err.data, "saying.json:1:22: '{mass}.three.F' has no start "
                         "value that could be changed: that is a Float64 that "
                         "is set before the start\n"));
    tt_buf_fini(&err);
}

static void ringing_is_reported(void **state)
{
    const char *const rings[] = {"run",
                                 "--json",
                                 "-o",
                                 "/dev/null",
                                 TT_BUILD_DIR
                                 "/examples/rigid-link/scenario.json",
                                 NULL};
    const char *const still[] = {
        "run", "--json", "-o", "/dev/null", TT_BUILD_DIR "/examples/" RATES,
        NULL};
    struct tt_buf out, err;

    (void)state;
    tt_buf_init(&out, 1 << 20);
    tt_buf_init(&err, 1 << 20);
    assert_int_equal(run_tutti(rings, &out, &err), 0);
    assert_string_equal(
        err.data,
        "tutti: warning: '{link}.link': its action rings since t=0.7, in 94 "
        "steps: each takes back what the one before did, and so do the rates "
        "of what is coupled; connect them to 'leftRate' and 'rightRate'\n");
    assert_non_null(strstr(out.data, "\"rate_residual\": null, \"ringing\": "
                                     "94, \"ringing_since\": 0.7"));
    tt_buf_clear(&out);
    tt_buf_clear(&err);
    assert_int_equal(run_tutti(still, &out, &err), 0);
    assert_true(err.len == 0);
    assert_non_null(
        strstr(out.data, "\"ringing\": 0, \"ringing_since\": null}]"));
    tt_buf_fini(&out);
    tt_buf_fini(&err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_step_is_the_published_one),
        cmocka_unit_test(the_masses_stay_together),
        cmocka_unit_test(from_a_good_start_they_are_one_mass),
        cmocka_unit_test(with_their_velocities_nothing_rings),
        cmocka_unit_test(the_orders_are_as_theory_predicts),
        cmocka_unit_test(with_damping_a_bad_start_dies_away),
        cmocka_unit_test(a_link_can_have_a_rate_of_its_own),
        cmocka_unit_test(a_link_elsewhere_is_the_same_link),
        cmocka_unit_test(derivatives_save_evaluations),
        cmocka_unit_test(derivatives_that_mislead_are_given_up),
        cmocka_unit_test(derivatives_that_fail_are_done_without),
        cmocka_unit_test(derivatives_of_the_stiff_are_done_without),
        cmocka_unit_test(a_rate_brings_the_order_of_its_steps),
        cmocka_unit_test(a_rate_is_the_same_on_threads_and_elsewhere),
        cmocka_unit_test(a_rate_of_what_cannot_follow_is_refused),
        cmocka_unit_test(values_that_may_change_make_the_start_consistent),
        cmocka_unit_test(a_start_that_cannot_be_made_consistent_is_refused),
        cmocka_unit_test(ringing_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
