/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sys/child.h"
#include "sys/file.h"
#include "sys/sync.h"

static char *dir;

static int start(const char *script)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    const struct tt_child_spec spec = {
        .argv = argv, .dir = dir, .out = "out", .err = "err", .temp = "/x"};
    int pid = 0;
    tt_err err;

    assert_int_equal(tt_child_start(&spec, &pid, &err), TT_OK);
    return pid;
}

static struct tt_proc_result finish(int pid)
{
    struct tt_proc_result res;

    while (!tt_child_poll(pid, &res))
        tt_sleep_ns(1000000);
    return res;
}

static void says(const char *file, const char *text)
{
    char *path = tt_path_join(dir, file);
    struct tt_buf b;
    tt_err err;

    tt_buf_init(&b, 4096);
    assert_int_equal(tt_file_read(&b, path, &err), TT_OK);
    assert_string_equal(b.data ? b.data : "", text);
    tt_buf_fini(&b);
    tt_free(path);
}

static void its_words_and_its_end_are_kept(void **state)
{
    struct tt_proc_result r;

    (void)state;
    r = finish(
        start("echo a $TMPDIR; echo b >&2; cat; ls /proc/self/fd | wc -l; "
              "exit 3"));
    assert_int_equal(r.how, TT_PROC_EXITED);
    assert_int_equal(r.value, 3);
    says("out", "a /x\n4\n"); /* three, and the folder ls reads */
    says("err", "b\n");
}

static void pipes_carry_words_both_ways(void **state)
{
    const char *const argv[] = {"/bin/sh", "-c",
                                "read x; echo got $x; cat; "
                                "ls /proc/self/fd | wc -l",
                                NULL};
    struct tt_child_pipes pipes;
    const struct tt_child_spec spec = {
        .argv = argv, .dir = dir, .err = "err", .pipes = &pipes};
    struct tt_proc_result r;
    char text[64] = "";
    size_t n = 0;
    int pid = 0;
    tt_err err;

    (void)state;
    assert_int_equal(tt_child_start(&spec, &pid, &err), TT_OK);
    assert_int_equal(read(pipes.from, text, sizeof(text)), -1); /* at once */
    assert_int_equal(write(pipes.to, "one\ntwo\n", 8), 8);
    assert_int_equal(close(pipes.to), 0);
    r = finish(pid);
    assert_int_equal(r.value, 0);
    for (ssize_t got = 1; got > 0; n += (size_t)got)
        got = read(pipes.from, text + n, sizeof(text) - 1 - n);
    assert_string_equal(text, "got one\ntwo\n4\n");
    assert_int_equal(close(pipes.from), 0);
}

static void a_signal_is_told(void **state)
{
    struct tt_proc_result r;

    (void)state;
    r = finish(start("kill -SEGV $$"));
    assert_int_equal(r.how, TT_PROC_KILLED);
    assert_int_equal(r.value, SIGSEGV);
}

static void many_run_at_once_and_stop_when_asked(void **state)
{
    int pid[3];

    (void)state;
    for (int i = 0; i < 3; i++)
        pid[i] = start("exec sleep 1000");
    for (int i = 0; i < 2; i++) {
        struct tt_proc_result r;

        assert_int_equal(tt_child_poll(pid[i], &r), 0);
        tt_child_ask(pid[i]);
        r = finish(pid[i]);
        assert_int_equal(r.how, TT_PROC_KILLED);
    }
    tt_child_kill(pid[2]);
    assert_int_equal(kill(pid[2], 0), -1);
}

static void what_cannot_be_executed_exits_127(void **state)
{
    const char *const argv[] = {"/no/such/program", NULL};
    const struct tt_child_spec spec = {
        .argv = argv, .dir = dir, .out = "out", .err = "err"};
    struct tt_proc_result r;
    int pid = 0;

    (void)state;
    assert_int_equal(tt_child_start(&spec, &pid, NULL), TT_OK);
    r = finish(pid);
    assert_int_equal(r.how, TT_PROC_EXITED);
    assert_int_equal(r.value, 127);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_words_and_its_end_are_kept),
        cmocka_unit_test(pipes_carry_words_both_ways),
        cmocka_unit_test(a_signal_is_told),
        cmocka_unit_test(many_run_at_once_and_stop_when_asked),
        cmocka_unit_test(what_cannot_be_executed_exits_127),
    };
    int failed;

    if (tt_dir_temp(&dir, NULL) != TT_OK)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (tt_dir_remove(dir, NULL) != TT_OK)
        failed++;
    tt_free(dir);
    return failed;
}
