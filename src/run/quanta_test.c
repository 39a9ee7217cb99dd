/* SPDX-License-Identifier: MIT */
/* Units that sleep: a chain of cells of which one end is disturbed,
 *
 *     x_i' = a (x_(i-1) - 2 x_i + x_(i+1)),  x_0 = 1, x_(N+1) = 0, x_i(0) = 0
 *
 * Each cell solves its own equation exactly for held neighbours. With the
 * eigenvectors sin(k pi i / (N+1)) and w_k = 2 a (1 - cos(k pi / (N+1)))
 *
 *     x_i(t) = 1 - i / (N+1)
 *              - sum_k cot(k pi / 2(N+1)) sin(k pi i / (N+1)) e^(-w_k t) /
 * (N+1)
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "run/run_impl.h"
#include "run/testing.h"

#define CELLS 1000
#define END   20.0
#define PI    3.14159265358979323846

enum { LEFT, RIGHT, X };
static const struct tt_mock_port ports[] = {
    {.name = "left", .causality = TT_CAUS_INPUT},
    {.name = "right", .causality = TT_CAUS_INPUT},
    {.name = "x", .causality = TT_CAUS_OUTPUT, .deps = ""},
};

static void solve(const struct tt_mock_view *v, double h)
{
    double rests = (*tt_mock_f64(v, LEFT) + *tt_mock_f64(v, RIGHT)) / 2;

    v->x[0] = rests + (v->x[0] - rests) * exp(-2 * h);
}

static void show(const struct tt_mock_view *v)
{
    *tt_mock_f64(v, X) = v->x[0];
}

static const struct tt_mock_spec cell = {
    .model = "cell",
    .port = ports,
    .n_port = 3,
    .caps = {.variable_step = 1, .save = 1, .serialise = 1},
    .behaviour = {.n_x = 1, .update = solve, .outputs = show},
};

static double exact(uint32_t i, double t)
{
    double n1 = CELLS + 1, x = 1 - i / n1;

    for (uint32_t k = 1; k <= CELLS; k++) {
        double angle = k * PI / n1;

        x -= sin(angle * i) * exp(-2 * (1 - cos(angle)) * t) / tan(angle / 2) /
             n1;
    }
    return x;
}

static char *chain(const char *step, const char *more)
{
    struct tt_buf b;

    tt_buf_init(&b, 1 << 20);
    tt_buf_str(&b, "{\"fmus\": {\"{c}\": \"cell\"}, \"connections\": {");
    for (int i = 1; i <= CELLS; i++) {
        tt_buf_fmt(&b, "%s\"{c}.c%d.x\": [", i > 1 ? ", " : "", i);
        if (i > 1)
            tt_buf_fmt(&b, "\"{c}.c%d.right\"%s", i - 1, i < CELLS ? ", " : "");
        if (i < CELLS)
            tt_buf_fmt(&b, "\"{c}.c%d.left\"", i + 1);
        tt_buf_char(&b, ']');
    }
    tt_buf_fmt(&b,
               "}, \"parameters\": {\"{c}.c1.left\": 1}, \"endTime\": 20, "
               "\"algorithm\": {\"type\": \"fixed-step\", \"size\": %s}%s}",
               step, more);
    assert_false(b.failed);
    return b.data;
}

struct outcome {
    double error;
    struct tt_run_quanta steps;
};

static struct outcome play(const char *step, const char *more)
{
    char *text = chain(step, more);
    struct stage *st = st_new();
    struct outcome o = {0};

    tt_mock_register("cell", &cell);
    st->unseen = 1;
    assert_int_equal(st_play(st, text), TT_OK);
    o.steps = tt_run_quanta(st->run);
    for (uint32_t i = 1; i <= CELLS; i++) {
        const struct tt_plan_unit *u = &st->run->plan->unit[i - 1];
        double x = *(const double *)tt_part_value(st->run->part, u->slot);

        o.error = fmax(o.error, fabs(x - exact(i, END)));
    }
    st_free(st);
    tt_free(text);
    return o;
}

#define STEPS (CELLS * 200)

/* The error of the fixed step, with a tenth of its steps. */
static void a_disturbed_chain_takes_a_tenth_of_the_steps(void **state)
{
    struct outcome all = play("0.1", ""),
                   few = play("0.1", ", \"quanta\": 1e-4"),
                   less = play("0.08", ", \"quanta\": 1e-3");

    (void)state;
    print_message("error %g; with quanta %g by %llu of %u steps, %g by %llu\n",
                  all.error, few.error, (unsigned long long)few.steps.made,
                  STEPS, less.error, (unsigned long long)less.steps.made);
    assert_int_equal(all.steps.n, 0);
    assert_int_equal(few.steps.n, CELLS);
    assert_int_equal(few.steps.steps, STEPS);
    assert_true(fabs(few.error - all.error) < 0.01 * all.error);
    assert_true(few.steps.made <= STEPS / 10);
    assert_true(less.error < all.error && less.steps.made <= STEPS / 10);
}

/* --- who sleeps ------------------------------------------------------------
 */

static void the_decision_is_stated(void **state)
{
    struct stage *st = st_played(
        ST_RINGS(ST_FIXED ", \"quanta\": {\"default\": 0.05, \"{i}.b\": 0.1, "
                          "\"longest\": 8}"));

    (void)state;
    assert_non_null(strstr(
        st->logged.data,
        "note: quanta: 2 of 4 instances step only when an input has moved by "
        "more than 0.05 to 0.1 of its nominal value, before an output would, "
        "and once in 8 steps at least\n"));
    assert_int_equal(tt_run_quanta(st->run).n, 2);
    assert_int_equal(tt_run_quanta(st->run).steps, 40);
    assert_true(tt_run_quanta(st->run).made < 40);
    st_free(st);
}

/* By name also what passes values on; 0 keeps one awake. */
static void it_is_stated_by_instance(void **state)
{
    struct stage *st = st_played(
        ST_RINGS(ST_FIXED ", \"quanta\": {\"default\": 0.05, \"{i}.a\": 0, "
                          "\"{g}.d\": 0.01}"));

    (void)state;
    for (uint32_t u = 0; u < 4; u++) {
        const struct tt_plan_unit *one = &st->run->plan->unit[u];
        int sleeps =
            strcmp(one->name, "{i}.b") == 0 || strcmp(one->name, "{g}.d") == 0;

        assert_int_equal(one->quantum.most, sleeps ? 64 : 0);
    }
    st_free(st);
}

static void refused(const char *more, const char *msg)
{
    char json[2048];
    struct stage *st = st_new();
    struct tt_mock_spec fixed = tt_mock_gain;

    fixed.caps.variable_step = 0;
    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &fixed);
    snprintf(json, sizeof(json), "%.*s, \"quanta\": %s}",
             (int)strlen(ST_RINGS(ST_FIXED)) - 1, ST_RINGS(ST_FIXED), more);
    assert_int_equal(st_load(st, json), TT_EINPUT);
    assert_string_equal(st->err.msg, msg);
    st_free(st);
}

static void bad_quanta_are_refused(void **state)
{
    (void)state;
    refused("-1",
            "test.json:1:303: a quantum must be a number from 0 on, not -1");
    refused("\"x\"",
            "test.json:1:303: 'quanta' must be a number, not a string");
    refused("{\"longest\": 0}", "test.json:1:315: 'longest' must be a number "
                                "of steps from 1 to 1000000, not 0");
    refused("{\"{i}.a\": -2}",
            "test.json:1:313: a quantum must be a number from 0 on, not -2");
    refused(
        "{\"{k}.a\": 1}",
        "test.json:1:304: there is no instance '{k}.a'; did you mean '{i}.a'?");
    refused("{\"{g}.c\": 1}", "test.json:1:313: instance '{g}.c' cannot sleep: "
                              "it cannot vary its step");
}

/* --- with what there is besides ---------------------------------------------
 */

/* Of a small quantum nothing is left: what is made is what was made. */
static void rows_with(const char *more, double within)
{
    char plain[2048], slept[2048];
    struct stage *a, *b;

    snprintf(plain, sizeof(plain), "%.*s%s}",
             (int)strlen(ST_RINGS(ST_FIXED)) - 1, ST_RINGS(ST_FIXED), more);
    snprintf(slept, sizeof(slept), "%.*s%s, \"quanta\": 0.1}",
             (int)strlen(ST_RINGS(ST_FIXED)) - 1, ST_RINGS(ST_FIXED), more);
    a = st_played(plain);
    b = st_played(slept);
    assert_int_equal(tt_run_quanta(b->run).n, 2);
    assert_true(tt_run_quanta(b->run).made < tt_run_quanta(b->run).steps);
    assert_int_equal(a->n_row, b->n_row);
    for (uint32_t i = 0; i < a->n_row; i++)
        for (uint32_t k = 0; k < a->rows->n && k < 8; k++)
            assert_true(fabs(a->row_v[i][k] - b->row_v[i][k]) < within);
    st_free(a);
    st_free(b);
}

static void it_combines_with_other_masters(void **state)
{
    (void)state;
    rows_with("", 0.15);
    rows_with(", \"master\": \"gauss-seidel\"", 0.15);
    rows_with(", \"iterate\": 3", 0.15);
    rows_with(", \"iterate\": \"converged\"", 0.15);
    rows_with(", \"rates\": {\"{i}.b\": 3}", 0.15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disturbed_chain_takes_a_tenth_of_the_steps),
        cmocka_unit_test(the_decision_is_stated),
        cmocka_unit_test(it_is_stated_by_instance),
        cmocka_unit_test(bad_quanta_are_refused),
        cmocka_unit_test(it_combines_with_other_masters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
