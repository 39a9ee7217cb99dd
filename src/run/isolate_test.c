/* SPDX-License-Identifier: MIT */
/* Units in processes of their own: the rows are those of one process, a macro
 * step is one message each way, and units step at the same time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "remote/proxy.h"
#include "run/run_impl.h"
#include "run/testing.h"

#define ALL ", \"isolate\": [\"{i}.a\", \"{i}.b\", \"{g}.c\", \"{g}.d\"]"

static void load(struct stage *st, const char *json)
{
    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    if (st_load(st, json) != TT_OK)
        fail_msg("%s", st->err.msg);
}

/* Itself, or what is wrapped into sub-steps. */
static int is_proxy(const tt_unit *u)
{
    struct tt_proxy_stats s;

    return tt_proxy_stats(u, &s) || (u->inner && tt_proxy_stats(u->inner, &s));
}

static const tt_unit *proxy_in(const struct stage *st, uint32_t unit)
{
    const tt_unit *u = st->run->unit[unit];

    return u->inner ? u->inner : u;
}

static void same_rows(const char *here, const char *elsewhere)
{
    struct stage *a = st_played(here), *b = st_played(elsewhere);

    for (uint32_t u = 0; u < 4; u++) {
        assert_false(is_proxy(a->run->unit[u]));
        assert_true(is_proxy(b->run->unit[u]));
    }
    assert_true(a->n_row > 8);
    assert_int_equal(a->n_row, b->n_row);
    assert_memory_equal(a->row_t, b->row_t, sizeof(a->row_t));
    assert_memory_equal(a->row_v, b->row_v, sizeof(a->row_v));
    assert_int_equal(tt_run_step_account(a->run).rejected,
                     tt_run_step_account(b->run).rejected);
    st_free(a);
    st_free(b);
}

#define SAME(with) same_rows(ST_RINGS(with), ST_RINGS(with ALL))

static void rows_are_the_same(void **state)
{
    (void)state;
    SAME(ST_FIXED);
    SAME(ST_FIXED ", \"master\": \"gauss-seidel\"");
    SAME(ST_FIXED ", \"approximation\": \"quadratic\"");
    SAME(ST_FIXED ", \"iterate\": \"converged\"");
    SAME(ST_FIXED
         ", \"iterate\": \"converged\", \"acceleration\": \"anderson\", "
         "\"approximation\": \"linear\"");
    SAME(ST_FIXED ", \"rates\": {\"{i}.a\": 3}");
    SAME(ST_FIXED ", \"threads\": 2");
    SAME(ST_FIXED ", \"quanta\": 0.05");
    SAME(ST_VARIABLE);
    SAME(ST_VARIABLE ", \"iterate\": \"converged\"");
}

/* Requests of a unit for ten macro steps. */
static uint64_t requests(const char *json, uint32_t unit)
{
    struct stage *st = st_new();
    struct tt_proxy_stats before, after;

    load(st, json);
    assert_int_equal(tt_run_start(st->run, &st->err), TT_OK);
    assert_true(tt_proxy_stats(proxy_in(st, unit), &before));
    for (int i = 0; i < 10; i++)
        assert_int_equal(tt_run_step(st->run, &st->err), TT_OK);
    assert_true(tt_proxy_stats(proxy_in(st, unit), &after));
    assert_int_equal(after.answers - before.answers,
                     after.requests - before.requests);
    st_free(st);
    return after.requests - before.requests;
}

static void a_macro_step_is_one_message_each_way(void **state)
{
    (void)state;
    for (uint32_t u = 0; u < 4; u += 2) { /* the integrators */
        assert_int_equal(requests(ST_RINGS(ST_FIXED ALL), u), 10);
        assert_int_equal(
            requests(ST_RINGS(ST_FIXED ", \"master\": \"gauss-seidel\"" ALL),
                     u),
            10);
    }
    /* a value that follows an input at once is asked for once more */
    assert_int_equal(requests(ST_RINGS(ST_FIXED ALL), 1), 20);
    assert_int_equal(
        requests(
            ST_RINGS(ST_FIXED ", \"evaluates\": {\"{g}.c\": \"never\"}" ALL),
            1),
        10);
}

/* Steps 1, 3 and 7 are made. */
static void one_that_sleeps_is_not_asked(void **state)
{
    (void)state;
    assert_int_equal(requests(ST_RINGS(ST_FIXED ", \"quanta\": 100" ALL), 0),
                     3);
}

/* What the calls of the step section are: "a b a b ". */
static void step_calls(const char *json, char *out, size_t size)
{
    struct stage *st = st_new();
    const char *unit, *call;

    load(st, json);
    assert_int_equal(tt_run_start(st->run, &st->err), TT_OK);
    out[0] = '\0';
    for (uint32_t pc = 0; tt_part_describe(st->run->part, pc, &unit, &call);
         pc++) {
        size_t n = strlen(out);

        if (strcmp(call, "step") == 0)
            (void)snprintf(out + n, size - n, "%s ", unit + 4);
    }
    st_free(st);
}

static void steps_are_begun_before_the_first_is_waited_for(void **state)
{
    char calls[256];

    (void)state;
    step_calls(ST_RINGS(ST_FIXED), calls, sizeof(calls));
    assert_string_equal(calls, "a c b d ");
    step_calls(ST_RINGS(ST_FIXED ALL), calls, sizeof(calls));
    assert_string_equal(calls, "a c b d a c b d ");
    step_calls(ST_RINGS(ST_FIXED ", \"isolate\": [\"{i}.b\"]"), calls,
               sizeof(calls));
    assert_string_equal(calls, "b a c b d ");
}

/* --- kinds that are asked ------------------------------------------------- */

/* A kind of FMUs that this house does not know yet, and one of our own. */
static struct tt_kind_ops foreign, own;

static enum tt_code open_as(const struct tt_kind_ops *kind, tt_unit_type **out,
                            const struct tt_source *s, tt_err *err)
{
    enum tt_code rc = tt_mock_kind.open(out, s, err);

    if (rc == TT_OK)
        (*out)->kind = kind;
    return rc;
}

static enum tt_code open_foreign(tt_unit_type **out, const struct tt_source *s,
                                 tt_err *err)
{
    return open_as(&foreign, out, s, err);
}

static enum tt_code open_own(tt_unit_type **out, const struct tt_source *s,
                             tt_err *err)
{
    return open_as(&own, out, s, err);
}

/* Integrators are foreign. */
static enum tt_code new_kinds(const struct tt_kind_ops **kind,
                              const struct tt_source *s, tt_err *err)
{
    (void)err;
    *kind = s->path[strlen(s->path) - 1] == 'i' ? &foreign : &own;
    return TT_OK;
}

static void a_new_kind_that_runs_foreign_code_is_isolated(void **state)
{
    static const int integrator[] = {1, 0, 1, 0};
    struct stage *st = st_new();

    (void)state;
    foreign = own = tt_mock_kind;
    foreign.name = "fmi9";
    foreign.open = open_foreign;
    foreign.traits = TT_KIND_FOREIGN;
    own.name = "own";
    own.open = open_own;
    own.traits = 0;
    st->opts.kind_cb = new_kinds;
    load(st, ST_RINGS(ST_FIXED ", \"isolate\": true"));
    assert_int_equal(tt_run_start(st->run, &st->err), TT_OK);
    for (uint32_t u = 0; u < 4; u++)
        assert_int_equal(is_proxy(st->run->unit[u]) != 0, integrator[u]);
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_same),
        cmocka_unit_test(a_macro_step_is_one_message_each_way),
        cmocka_unit_test(one_that_sleeps_is_not_asked),
        cmocka_unit_test(steps_are_begun_before_the_first_is_waited_for),
        cmocka_unit_test(a_new_kind_that_runs_foreign_code_is_isolated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
