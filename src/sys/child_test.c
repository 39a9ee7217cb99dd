/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
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

static void contains(const char *file, const char *text)
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
    contains("out", "a /x\n4\n"); /* three, and the folder ls reads */
    contains("err", "b\n");
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

static void a_signal_is_reported(void **state)
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

/* --- copies that end with their parent ---------------------------------- */

struct orphan {
    int fd[2]; /* a pipe the copy holds the end of */
    int pid;
};

static int stay_busy(void *ctx)
{
    struct orphan *o = ctx;

    (void)!write(o->fd[1], "c", 1);
    for (volatile int on = 1; on;)
        ;
    return 0;
}

static void *make_copy(void *ctx)
{
    struct orphan *o = ctx;

    (void)!tt_child_fork(&(struct tt_child_copy){.main_cb = stay_busy,
                                                 .ctx = o,
                                                 .keep_fd = o->fd[1]},
                         &o->pid, NULL);
    return NULL;
}

/* A process that makes a copy, or whose thread does and ends; then it waits to
 * be killed. */
TT_NORETURN static void be_master(struct orphan *o, int by_thread)
{
    pthread_t t;
    char c;

    if (!by_thread)
        make_copy(o);
    else if (pthread_create(&t, NULL, make_copy, o) != 0 ||
             pthread_join(t, NULL) != 0)
        _exit(1);
    if (read(o->fd[0], &c, 1) != 1 || tt_child_ended(o->pid))
        _exit(1);
    (void)!write(o->fd[1], "m", 1);
    for (;;)
        pause();
}

static void a_copy_ends_with_its_process_whichever_thread_made_it(void **state)
{
    (void)state;
    for (int by_thread = 0; by_thread < 2; by_thread++) {
        struct orphan o = {.pid = 0};
        pid_t master;
        char c = 0;

        assert_int_equal(pipe(o.fd), 0);
        master = fork();
        assert_true(master >= 0);
        if (master == 0)
            be_master(&o, by_thread);
        do
            assert_int_equal(read(o.fd[0], &c, 1), 1);
        while (c == 'c' && write(o.fd[1], &c, 1) == 1); /* not for us */
        assert_int_equal(c, 'm');
        close(o.fd[1]);
        kill(master, SIGKILL);
        assert_int_equal(waitpid(master, NULL, 0), master);
        assert_int_equal(read(o.fd[0], &c, 1), 0); /* no process holds it */
        close(o.fd[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_words_and_its_end_are_kept),
        cmocka_unit_test(pipes_carry_words_both_ways),
        cmocka_unit_test(a_signal_is_reported),
        cmocka_unit_test(many_run_at_once_and_stop_when_asked),
        cmocka_unit_test(what_cannot_be_executed_exits_127),
        cmocka_unit_test(a_copy_ends_with_its_process_whichever_thread_made_it),
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
