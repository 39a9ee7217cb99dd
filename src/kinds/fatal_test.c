/* SPDX-License-Identifier: MIT */
/* After fmi2Fatal or fmi3Fatal an instance must not be touched, not even to
 * free it: it leaks, and here that is right. The raw units abort on any call
 * after it. */
#include "kinds/test_help.h"

static tt_unit *unit_with(tt_unit_type **t, const char *path, const char *name,
                          int32_t value, uint32_t n_state)
{
    tt_unit *u;

    *t = open_type(path);
    u = make_unit(*t, NULL);
    set_i32(u, name, value);
    get_ready(u, n_state);
    return u;
}

static void done(tt_unit_type *t, tt_unit *u)
{
    tt_unit_free(u);
    close_type(t);
}

static void after_fmi2_fatal_nothing_is_called(void **state)
{
    tt_unit_type *t;
    tt_unit *u = unit_with(&t, UNITS "raw2.fmu", "mode", 6, 0);
    struct tt_stepped r;

    (void)state;
    assert_fails(TT_EUNIT, tt_unit_step(u, &(struct tt_step){.to = 1}, &r, err),
                 "instance '{k}.u' (fmi2): step at t=0: fmi2DoStep returned "
                 "fmi2Fatal");
    assert_fails(
        TT_ESTATE, tt_unit_reset(u, err),
        "instance '{k}.u' (fmi2): reset at t=0: the FMU returned fmi2Fatal "
        "earlier: only a new instance helps");
    done(t, u);
}

static void a_fatal_kit_unit_is_not_restored(void **state)
{
    tt_unit_type *t;
    tt_unit *u = unit_with(&t, UNITS "misbehave.fmu", "what", 2, 1);
    struct tt_stepped r;

    (void)state;
    assert_ok(tt_unit_save(u, 0, err));
    assert_fails(TT_EUNIT, tt_unit_step(u, &(struct tt_step){.to = 1}, &r, err),
                 "instance '{k}.u' (fmi2): step at t=0: fmi2DoStep returned "
                 "fmi2Fatal: last message: \"asked to fail for ever\"");
    assert_fails(TT_ESTATE, tt_unit_restore(u, 0, err),
                 "instance '{k}.u' (fmi2): restore at t=0: the FMU returned "
                 "fmi2Fatal earlier: only a new instance helps");
    done(t, u);
}

static void after_fmi3_fatal_nothing_is_called(void **state)
{
    tt_unit_type *t;
    tt_unit *u = unit_with(&t, UNITS "raw3.fmu", "mode", 9, 0);
    struct tt_now now;
    struct tt_call c;

    (void)state;
    assert_int_equal(bound_step_to(u, 1, &now, &c), TT_CALL_FAILED);
    assert_fails(TT_EUNIT, tt_unit_explain(u, &c, &now, err),
                 "instance '{k}.u' (fmi3): step at t=0: fmi3DoStep returned "
                 "fmi3Fatal");
    assert_fails(
        TT_ESTATE, tt_unit_reset(u, err),
        "instance '{k}.u' (fmi3): reset at t=0: the FMU returned fmi3Fatal "
        "earlier: only a new instance helps");
    done(t, u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_fmi2_fatal_nothing_is_called),
        cmocka_unit_test(a_fatal_kit_unit_is_not_restored),
        cmocka_unit_test(after_fmi3_fatal_nothing_is_called),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
