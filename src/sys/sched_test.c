/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/sched.h"

/* Either the system lets us, or it states why; both ways back are clean. */
static void it_is_fifo_or_as_before(void **state)
{
    int before = sched_getscheduler(0);
    struct tt_sched was;
    tt_err err = {0};

    (void)state;
    if (tt_sched_fifo(&was, &err) != TT_OK) {
        assert_int_equal(err.code, TT_EUNSUPPORTED);
        assert_string_equal(err.msg, "Operation not permitted");
        assert_int_equal(sched_getscheduler(0), before);
        return;
    }
    assert_int_not_equal(sched_getscheduler(0), before);
    assert_int_equal(was.policy, before);
    tt_sched_restore(&was);
    /* a process with fewer rights may not take the mark for children off */
    assert_int_equal(sched_getscheduler(0) & 0xff, before & 0xff);
}

/* In a process that gave up the right: the limit is 0, and so is ours. */
static int refused_without_rights(void)
{
    const struct rlimit none = {0, 0};
    struct tt_sched was;
    tt_err err = {0};

    if (setrlimit(RLIMIT_RTPRIO, &none) != 0 ||
        (geteuid() == 0 && setuid(65534) != 0))
        return 1;
    if (tt_sched_fifo(&was, &err) == TT_OK || err.code != TT_EUNSUPPORTED)
        return 2;
    return 0;
}

static void without_the_right_it_reports_it(void **state)
{
    int status = -1;
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        _exit(refused_without_rights());
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_fifo_or_as_before),
        cmocka_unit_test(without_the_right_it_reports_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
