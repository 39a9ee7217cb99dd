/* SPDX-License-Identifier: MIT */
/* Every kind of step with everything that may be asked of it: none of them
 * brings the engine down, and what is not asked for changes nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "run/testing.h"

#define RING                                                                   \
    "{\"fmus\": {\"{x}\": \"x\", \"{v}\": \"v\", \"{g}\": \"g\"}, "            \
    "\"connections\": {\"{x}.x.y\": [\"{g}.g.u\"], \"{g}.g.y\": "              \
    "[\"{v}.v.u\"], \"{v}.v.y\": [\"{x}.x.u\"]}, \"parameters\": "             \
    "{\"{g}.g.k\": -1, \"{x}.x.y0\": 1}, \"endTime\": 2"
#define STEP 0.125

static const char *const constraint[] = {
    "",
    "\"c\": {\"type\": \"zerocrossing\", \"ports\": [\"{x}.x.y\"]}",
    "\"c\": {\"type\": \"zerocrossing\", \"ports\": [\"{x}.x.y\", "
    "\"{v}.v.y\"]}",
    "\"c\": {\"type\": \"boundeddifference\", \"ports\": [\"{x}.x.y\"], "
    "\"abstol\": 0.1, \"reltol\": 1}",
    "\"c\": {\"type\": \"samplingrate\", \"base\": -1, \"rate\": 3, "
    "\"startTime\": 0}",
    "\"c\": {\"type\": \"fmumaxstepsize\"}",
    "\"c\": {\"type\": \"error\", \"method\": \"orders\", \"abstol\": 0.1, "
    "\"reltol\": 0.1}",
    "\"c\": {\"type\": \"error\", \"method\": \"richardson\", \"abstol\": "
    "0.1, \"reltol\": 0.1}",
};
static const char *const goes_back[] = {"", ", \"rollback\": true"};
static const char *const failed[] = {
    "", ", \"iteration\": {\"max\": 3, \"unconverged\": \"accept\"}",
    ", \"iteration\": {\"max\": 30, \"unconverged\": \"reduce\"}"};
static const char *const turns[] = {"", ", \"iterate\": 2",
                                    ", \"iterate\": \"converged\""};
static const char *const rates[] = {"", ", \"rates\": {\"{v}.v\": 3}"};

#define N(a) (sizeof(a) / sizeof(*(a)))

/* One of each list. */
struct pick {
    size_t back, failed, turns, rates;
};

static int next(struct pick *p)
{
    if (++p->back < N(goes_back))
        return 1;
    p->back = 0;
    if (++p->failed < N(failed))
        return 1;
    p->failed = 0;
    if (++p->turns < N(turns))
        return 1;
    p->turns = 0;
    return ++p->rates < N(rates);
}

/* With the file's algorithm, or a fixed step of STEP over it. */
static struct stage *play(const struct pick *p, const char *algorithm,
                          int fixed)
{
    static struct tt_mock_spec integrator, gain; /* units live beyond this */
    struct tt_sc_options over = TT_SC_OPTIONS_INIT;
    struct stage *st = st_new();
    char json[2048];

    integrator = tt_mock_integrator;
    gain = tt_mock_gain;
    tt_mock_register("x", &integrator);
    tt_mock_register("v", &integrator);
    tt_mock_register("g", &gain);
    over.step = fixed ? STEP : (double)NAN;
    st->over = &over;
    snprintf(json, sizeof(json), RING "%s%s%s%s, \"algorithm\": %s}",
             goes_back[p->back], failed[p->failed], turns[p->turns],
             rates[p->rates], algorithm);
    if (st_play(st, json) != TT_OK)
        fail_msg("%s\n%s", json, st->err.msg);
    assert_true(tt_run_time(st->run) == 2);
    st->over = NULL;
    return st;
}

static void variable(char *out, size_t size, size_t i)
{
    snprintf(out, size,
             "{\"type\": \"var-step\", \"size\": [1e-4, 0.25], \"initsize\": "
             "0.125, \"constraints\": {%s}}",
             constraint[i]);
}

static void same_rows(const struct stage *a, const struct stage *b)
{
    assert_int_equal(a->n_row, b->n_row);
    assert_memory_equal(a->row_t, b->row_t, a->n_row * sizeof(*a->row_t));
    assert_memory_equal(a->row_v, b->row_v, a->n_row * sizeof(*a->row_v));
}

/* Constraints of a file are none of a fixed step's business. */
static void a_fixed_step_over_constraints_is_a_fixed_step(void **state)
{
    static const char fixed[] = "{\"type\": \"fixed-step\", \"size\": 0.125}";

    (void)state;
    for (size_t i = 0; i < N(constraint); i++) {
        struct pick p = {0, 0, 0, 0};
        char var[512];

        variable(var, sizeof(var), i);
        do {
            struct stage *a = play(&p, fixed, 0), *b;

            assert_int_equal(a->n_row, 17);
            b = play(&p, var, 1);
            same_rows(a, b);
            st_free(b);
            st_free(a);
        } while (next(&p));
    }
}

static void a_variable_step_plays_with_everything(void **state)
{
    (void)state;
    for (size_t i = 0; i < N(constraint); i++) {
        struct pick p = {0, 0, 0, 0};
        char var[512];

        variable(var, sizeof(var), i);
        do {
            struct stage *st = play(&p, var, 0);

            assert_true(st->n_row > 4);
            st_free(st);
        } while (next(&p));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fixed_step_over_constraints_is_a_fixed_step),
        cmocka_unit_test(a_variable_step_plays_with_everything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
