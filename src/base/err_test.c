/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/err.h"

static void failing_states_code_and_message(void **state)
{
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_fail(&err, TT_EINPUT, "port '%s' has no value", "x"),
                     TT_EINPUT);
    assert_int_equal(err.code, TT_EINPUT);
    assert_string_equal(err.msg, "port 'x' has no value");
}

static void a_later_failure_replaces_the_earlier(void **state)
{
    tt_err err = {0};

    (void)state;
    tt_fail(&err, TT_EINPUT, "a much longer first message");
    tt_fail(&err, TT_EIO, "second");
    assert_int_equal(err.code, TT_EIO);
    assert_string_equal(err.msg, "second");
}

static void context_reads_from_the_outside_in(void **state)
{
    tt_err err = {0};
    enum tt_code rc = tt_fail(&err, TT_EUNIT, "fmi2DoStep returned fmi2Error");

    (void)state;
    rc = tt_context(&err, rc, "step at t=%s", "1.25");
    rc = tt_context(&err, rc, "instance '%s' (%s)", "{t}.tank", "fmi2");
    assert_int_equal(rc, TT_EUNIT);
    assert_int_equal(err.code, TT_EUNIT);
    assert_string_equal(err.msg, "instance '{t}.tank' (fmi2): step at t=1.25: "
                                 "fmi2DoStep returned fmi2Error");
}

static void the_message_may_be_left_out(void **state)
{
    (void)state;
    assert_int_equal(tt_fail(NULL, TT_EIO, "lost"), TT_EIO);
    assert_int_equal(tt_context(NULL, TT_EIO, "lost"), TT_EIO);
}

static void a_message_too_long_loses_its_tail(void **state)
{
    static char text[2 * TT_ERR_MAX];
    static tt_err err;

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    tt_fail(&err, TT_EIO, "%s", text);
    assert_int_equal(strlen(err.msg), TT_ERR_MAX - 1);
    tt_context(&err, TT_EIO, "outside");
    assert_int_equal(strlen(err.msg), TT_ERR_MAX - 1);
    assert_memory_equal(err.msg, "outside: xxx", 12);
    tt_context(&err, TT_EIO, "%s", text); /* half of the room at most */
    assert_int_equal(strlen(err.msg), TT_ERR_MAX - 1);
    assert_non_null(strstr(err.msg, "x: outside: xxx"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_states_code_and_message),
        cmocka_unit_test(a_later_failure_replaces_the_earlier),
        cmocka_unit_test(context_reads_from_the_outside_in),
        cmocka_unit_test(the_message_may_be_left_out),
        cmocka_unit_test(a_message_too_long_loses_its_tail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
