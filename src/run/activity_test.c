/* SPDX-License-Identifier: MIT */
/* What is left behind for reports of a crash: outside of units' calls no unit
 * is named, for it would be blamed for what it did not do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "run/testing.h"

struct witness {
    tt_observer o;
    const struct tt_stage *stage;
    uint32_t rows;
};

static void nothing_is_named(const struct tt_stage *s)
{
    assert_int_equal(s->activity.playing, TT_PLAYING_NOT);
    assert_string_equal(s->activity.unit, "");
    assert_string_equal(s->activity.call, "");
}

static enum tt_code begin(tt_observer *o, const struct tt_rows *rows,
                          tt_err *err)
{
    (void)o;
    (void)rows;
    (void)err;
    return TT_OK;
}

static enum tt_code row(tt_observer *o, struct tt_instant at, double h,
                        tt_err *err)
{
    struct witness *w = (struct witness *)(void *)o;

    (void)at;
    (void)h;
    (void)err;
    nothing_is_named(w->stage);
    w->rows++;
    return TT_OK;
}

static const struct tt_observer_ops ops = {.begin = begin,
                                           .row = row,
                                           .end = st_observer_end,
                                           .free = st_observer_free};

static void witnessed(const char *json)
{
    struct stage *st = st_new();
    struct tt_stage *stage;
    struct witness w = {.o = {.ops = &ops}};
    tt_observer *seen[] = {&w.o};
    double v = 0;

    assert_true(TT_NEW(stage) != NULL);
    w.stage = stage;
    st->opts.stage = stage;
    st->opts.observer = seen;
    st->opts.n_observer = 1;
    st->unseen = 1;
    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    assert_int_equal(st_load(st, json), TT_OK);
    nothing_is_named(stage);
    assert_int_equal(tt_run_start(st->run, &st->err), TT_OK);
    assert_int_equal(tt_run_step(st->run, &st->err), TT_OK);
    assert_int_equal(tt_run_get(st->run, 0, TT_MOCK_INTEGRATOR_Y, &v, &st->err),
                     TT_OK);
    nothing_is_named(stage);
    while (!tt_run_done(st->run))
        assert_int_equal(tt_run_step(st->run, &st->err), TT_OK);
    assert_int_equal(tt_run_end(st->run, &st->err), TT_OK);
    nothing_is_named(stage);
    assert_true(w.rows > 4);
    st_free(st);
    nothing_is_named(stage);
    tt_free(stage);
}

static void no_unit_is_named_between_its_calls(void **state)
{
    (void)state;
    witnessed(ST_RINGS(ST_FIXED));
    witnessed(ST_RINGS("\"rollback\": true, " ST_FIXED));
    witnessed(ST_RINGS(ST_VARIABLE));
    witnessed(ST_RINGS(
        "\"algorithm\": {\"type\": \"var-step\", \"size\": [1e-3, 0.3], "
        "\"initsize\": 0.1, \"constraints\": {\"m\": {\"type\": "
        "\"fmumaxstepsize\"}}}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_unit_is_named_between_its_calls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
