/* SPDX-License-Identifier: MIT */
#include "sys/temp.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sys/file.h"

/* Every test has a $TMPDIR of its own. */
static int make_place(void **state)
{
    char *dir;

    if (tt_dir_temp(&dir, NULL) != TT_OK || setenv("TMPDIR", dir, 1))
        return -1;
    *state = dir;
    return 0;
}

static int remove_place(void **state)
{
    enum tt_code rc = tt_dir_remove(*state, NULL);

    tt_free(*state);
    return rc == TT_OK && unsetenv("TMPDIR") == 0 ? 0 : -1;
}

static enum tt_code count_entry(void *ctx, const char *name, tt_err *err)
{
    (void)name;
    (void)err;
    ++*(int *)ctx;
    return TT_OK;
}

static int count(const char *dir)
{
    int n = 0;

    assert_int_equal(tt_dir_list(dir, count_entry, &n, NULL), TT_OK);
    return n;
}

static void put_file(const char *dir)
{
    char *deep = tt_path_join(dir, "binaries/linux64");
    char *file = tt_path_join(deep, "model.so");

    assert_int_equal(tt_dir_make(deep, NULL), TT_OK);
    assert_int_equal(tt_file_write(file, "x", 1, NULL), TT_OK);
    tt_free(file);
    tt_free(deep);
}

static void closing_removes_all(void **state)
{
    struct tt_temp t, none = {0};
    struct stat s;

    assert_int_equal(tt_temp_open(&t, NULL), TT_OK);
    assert_int_equal(stat(t.path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    put_file(t.path);
    assert_int_equal(count(*state), 1);
    tt_temp_close(&t);
    assert_null(t.path);
    assert_int_equal(count(*state), 0);
    tt_temp_close(&none);
}

/* A process that opens a folder, fills it and is killed; the one it forked
 * lives on when `heir` is not NULL. */
static void leave_behind(pid_t *heir)
{
    int pipe_[2], status;
    pid_t child, left = 0;

    assert_int_equal(pipe(pipe_), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct tt_temp t;

        if (tt_temp_open(&t, NULL) != TT_OK)
            _exit(1);
        put_file(t.path);
        left = heir ? fork() : 0;
        if (heir && left == 0)
            for (;;)
                pause();
        (void)!write(pipe_[1], &left, sizeof(left));
        (void)kill(getpid(), SIGKILL);
    }
    assert_int_equal(read(pipe_[0], &left, sizeof(left)), sizeof(left));
    close(pipe_[0]);
    close(pipe_[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    if (heir)
        *heir = left;
}

static void what_the_killed_left_is_swept(void **state)
{
    leave_behind(NULL);
    leave_behind(NULL);
    assert_int_equal(count(*state), 2);
    tt_temp_sweep();
    assert_int_equal(count(*state), 0);
}

static void what_is_in_use_stays(void **state)
{
    struct tt_temp t;

    assert_int_equal(tt_temp_open(&t, NULL), TT_OK);
    put_file(t.path);
    tt_temp_sweep();
    assert_int_equal(count(*state), 1);
    assert_int_equal(count(t.path), 1);
    tt_temp_close(&t);
}

static void a_living_child_keeps_the_folder_of_its_killed_parent(void **state)
{
    pid_t heir;

    leave_behind(&heir);
    tt_temp_sweep();
    assert_int_equal(count(*state), 1);
    assert_int_equal(kill(heir, SIGKILL), 0);
    /* It is not our child: its end is seen by its lock being free. */
    for (int i = 0; i < 10000 && count(*state); i++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        tt_temp_sweep();
    }
    assert_int_equal(count(*state), 0);
}

static void what_is_not_ours_stays(void **state)
{
    static const char *const name[] = {"tutti-run-", "tutti-run-abcdefg",
                                       "tutti-abcdef", "other"};
    char *link, *target;

    for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
        char *path = tt_path_join(*state, name[i]);

        assert_int_equal(tt_dir_make(path, NULL), TT_OK);
        tt_free(path);
    }
    target = tt_path_join(*state, "other");
    link = tt_path_join(*state, "tutti-run-abcdef");
    assert_int_equal(symlink(target, link), 0);
    put_file(target);
    tt_temp_sweep();
    assert_int_equal(count(*state), 5);
    assert_int_equal(count(target), 1);
    tt_free(link);
    tt_free(target);
}

static void a_place_that_is_missing_is_named(void **state)
{
    struct tt_temp t;
    tt_err err;

    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    tt_temp_sweep();
    assert_int_equal(tt_temp_open(&t, &err), TT_EINPUT);
    assert_string_equal(err.msg,
                        "cannot make a temporary folder in /nowhere/at/all: No "
                        "such file or directory");
    assert_null(t.path);
    assert_int_equal(setenv("TMPDIR", *state, 1), 0);
}

static void a_locked_folder_has_one_owner(void **state)
{
    int first, second;
    tt_err err;
    char want[256];

    assert_int_equal(tt_dir_lock(*state, &first, &err), TT_OK);
    assert_int_equal(tt_dir_lock(*state, &second, &err), TT_ESTATE);
    snprintf(want, sizeof(want), "another process uses %s", (char *)*state);
    assert_string_equal(err.msg, want);
    close(first);
    assert_int_equal(tt_dir_lock(*state, &second, &err), TT_OK);
    close(second);
    assert_int_equal(tt_dir_lock("/nowhere/at/all", &second, &err), TT_EINPUT);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_place, remove_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(closing_removes_all),
        TEST(what_the_killed_left_is_swept),
        TEST(what_is_in_use_stays),
        TEST(a_living_child_keeps_the_folder_of_its_killed_parent),
        TEST(what_is_not_ours_stays),
        TEST(a_locked_folder_has_one_owner),
        TEST(a_place_that_is_missing_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
