/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/apart.h"
#include "sys/file.h"
#include "sys/sandbox.h"

static char evil[4096]; /* a file that must not come about */

static struct tt_proc_result run(int (*main_cb)(void *, FILE *), void *ctx,
                                 struct tt_buf *out)
{
    struct tt_proc_result res = {0};
    tt_err err;

    assert_int_equal(tt_apart_run(main_cb, ctx, out, &res, &err), TT_OK);
    return res;
}

#define MANY ((size_t)1 << 20)

static int print_much(void *ctx, FILE *to)
{
    for (size_t i = 0; i < MANY; i++)
        if (fputc((int)(i & 0xff), to) == EOF)
            return 1;
    ++*(int *)ctx; /* of the copy */
    return 5;
}

static void what_it_writes_comes_back_and_nothing_else(void **state)
{
    struct tt_proc_result res;
    struct tt_buf out;
    int touched = 0;

    (void)state;
    tt_buf_init(&out, 2 * MANY);
    res = run(print_much, &touched, &out);
    assert_int_equal(res.how, TT_PROC_EXITED);
    assert_int_equal(res.value, 5);
    assert_int_equal(out.len, MANY);
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal((unsigned char)out.data[i], i & 0xff);
    assert_int_equal(touched, 0);
    tt_buf_fini(&out);
}

static void too_much_is_not_waited_for(void **state)
{
    struct tt_buf out;
    int touched = 0;

    (void)state;
    tt_buf_init(&out, 1000);
    (void)run(print_much, &touched, &out);
    assert_true(out.failed);
    tt_buf_fini(&out);
}

static int crash(void *ctx, FILE *to)
{
    (void)ctx;
    (void)fputs("so far", to);
    (void)fflush(to);
    raise(SIGSEGV);
    return 0;
}

static void a_crash_is_reported(void **state)
{
    struct tt_proc_result res;
    struct tt_buf out;

    (void)state;
    tt_buf_init(&out, MANY);
    res = run(crash, NULL, &out);
    assert_int_equal(res.how, TT_PROC_KILLED);
    assert_int_equal(res.value, SIGSEGV);
    assert_string_equal(out.data, "so far");
    tt_buf_fini(&out);
}

static int trespass(void *ctx, FILE *to)
{
    int fd = open(evil, O_WRONLY | O_CREAT, 0600);

    (void)ctx;
    (void)to;
    if (fd >= 0)
        return 1;
    return kill(getppid(), 0) == 0 ? 2 : 0;
}

static void it_writes_nothing_and_reaches_no_one(void **state)
{
    struct tt_proc_result res;
    struct tt_buf out;

    (void)state;
    if (!(tt_sandbox_can() & TT_GUARD_FILES) ||
        !(tt_sandbox_can() & TT_GUARD_SIGNALS))
        skip();
    tt_buf_init(&out, MANY);
    res = run(trespass, NULL, &out);
    assert_int_equal(res.how, TT_PROC_EXITED);
    assert_int_equal(res.value, 0);
    assert_false(tt_file_exists(evil));
    tt_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_writes_comes_back_and_nothing_else),
        cmocka_unit_test(too_much_is_not_waited_for),
        cmocka_unit_test(a_crash_is_reported),
        cmocka_unit_test(it_writes_nothing_and_reaches_no_one),
    };
    const char *temp = getenv("TMPDIR");

    (void)snprintf(evil, sizeof(evil), "%s/tutti-apart-%ld",
                   temp && *temp ? temp : "/tmp", (long)getpid());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
