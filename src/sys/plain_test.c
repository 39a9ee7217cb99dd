/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sys/file.h"
#include "sys/proc.h"

static char *dir; /* a fresh folder for each test, without links */

static int enter(void **state)
{
    char *temp = NULL;

    (void)state;
    if (tt_dir_temp(&temp, NULL) != TT_OK)
        return -1;
    dir = tt_path_real(temp);
    tt_free(temp);
    return dir ? 0 : -1;
}

static int leave(void **state)
{
    enum tt_code rc = tt_dir_remove(dir, NULL);

    (void)state;
    tt_free(dir);
    return rc == TT_OK ? 0 : -1;
}

static const char *in(const char *name)
{
    static char path[4][4096];
    static int i;

    i = (i + 1) % 4;
    (void)snprintf(path[i], sizeof(path[i]), "%s/%s", dir, name);
    return path[i];
}

/* real/file, and link -> real, real/link -> file, real/far -> .. */
static void furnish(void)
{
    assert_int_equal(tt_dir_make(in("real"), NULL), TT_OK);
    assert_int_equal(tt_file_write(in("real/file"), "x", 1, NULL), TT_OK);
    assert_int_equal(symlink("real", in("link")), 0);
    assert_int_equal(symlink("file", in("real/link")), 0);
    assert_int_equal(symlink("..", in("real/far")), 0);
}

/* --- what a path may be ------------------------------------------------ */

static int opens(const char *name)
{
    uint64_t size = 0;
    int fd = tt_file_open_plain(in(name), &size);

    if (fd >= 0)
        (void)close(fd);
    return fd >= 0 && size == 1;
}

static int look(void *ctx)
{
    (void)ctx;
    if (!opens("real/file") || !opens("real//file") || !opens("./real/./file"))
        return 1;
    if (opens("link/file") || opens("real/link") || opens("real/far/real/file"))
        return 2;
    if (opens("real") || opens("real/file/") || opens("none"))
        return 3;
    return 0;
}

static void no_part_of_it_is_a_link(void **state)
{
    (void)state;
    furnish();
    assert_int_equal(look(NULL), 0);
}

/* An older system does not know the call that looks at all parts at once. */
static int look_as_before(void *ctx)
{
    struct sock_filter rule[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog all = {.len = sizeof(rule) / sizeof(*rule),
                                   .filter = rule};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) != 0)
        return 4;
    return look(ctx);
}

static void also_where_the_system_does_not_know_at_once(void **state)
{
    struct tt_proc_result res;
    tt_err err;

    (void)state;
    furnish();
    assert_int_equal(tt_proc_run(look_as_before, NULL, NULL, &res, &err),
                     TT_OK);
    assert_int_equal(res.value, 0);
}

/* --- making, replacing, removing --------------------------------------- */

static void check_refused(enum tt_code rc, const tt_err *err, const char *what,
                          const char *path, int e)
{
    char want[8192];

    (void)snprintf(want, sizeof(want), "cannot %s %s: %s", what, path,
                   strerror(e));
    assert_int_not_equal(rc, TT_OK);
    assert_string_equal(err->msg, want);
}

static void a_new_folder_is_new(void **state)
{
    tt_err err;

    (void)state;
    furnish();
    assert_int_equal(tt_dir_make_new(in("real/a/b"), NULL), TT_OK);
    assert_int_equal(tt_dir_make_new(in("real/a/c"), NULL), TT_OK);
    check_refused(tt_dir_make_new(in("real/file"), &err), &err, "make folder",
                  in("real/file"), EEXIST);
    check_refused(tt_dir_make_new(in("real/a"), &err), &err, "make folder",
                  in("real/a"), EEXIST);
    check_refused(tt_dir_make_new(in("real/link"), &err), &err, "make folder",
                  in("real/link"), EEXIST);
    check_refused(tt_dir_make_new(in("link/a"), &err), &err, "make folder",
                  in("link/a"), ELOOP);
}

static void replacing_clears_the_way_and_follows_no_link(void **state)
{
    tt_err err;

    (void)state;
    furnish();
    assert_int_equal(tt_dir_make(in("real/d/e/f"), NULL), TT_OK);
    assert_int_equal(tt_file_replace(in("real/d"), "y", 1, NULL), TT_OK);
    assert_true(opens("real/d"));
    assert_int_equal(tt_file_replace(in("real/link"), "y", 1, NULL), TT_OK);
    assert_true(opens("real/link")); /* no link any more */
    check_refused(tt_file_replace(in("link/new"), "y", 1, &err), &err, "write",
                  in("link/new"), ELOOP);
}

static void removing_does_not_go_through_links(void **state)
{
    tt_err err;

    (void)state;
    furnish();
    check_refused(tt_dir_remove_plain(in("link/file"), &err), &err, "remove",
                  in("link/file"), ELOOP);
    assert_int_equal(tt_dir_remove_plain(in("link"), NULL), TT_OK);
    assert_true(opens("real/file"));
    assert_int_equal(tt_dir_remove_plain(in("real"), NULL), TT_OK);
    assert_int_equal(tt_dir_remove_plain(in("real"), NULL), TT_OK);
    assert_false(tt_file_exists(in("real")));
}

/* --- depth -------------------------------------------------------------- */

#define DEPTH 10000

/* Folders in each other, with a byte at the end; in a process of its own, since
 * it goes there. */
static int dig(void *ctx)
{
    int fd;

    (void)ctx;
    if (chdir(dir) != 0)
        return 1;
    for (int i = 0; i < DEPTH; i++)
        if (mkdir("a-folder", 0700) != 0 || chdir("a-folder") != 0)
            return 2;
    fd = open("file", O_WRONLY | O_CREAT, 0600);
    return write(fd, "x", 1) == 1 ? 0 : 3;
}

/* With fewer descriptors than there are folders, and a path no call takes. */
static void folders_of_any_depth_are_measured_and_removed(void **state)
{
    const struct rlimit few = {.rlim_cur = 64, .rlim_max = 64};
    struct tt_proc_result res;
    tt_err err;

    (void)state;
    assert_int_equal(tt_proc_run(dig, NULL, NULL, &res, &err), TT_OK);
    assert_int_equal(res.value, 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    assert_int_equal(tt_dir_size(dir, 100), 1);
    assert_int_equal(tt_dir_remove(in("a-folder"), &err), TT_OK);
    assert_false(tt_file_exists(in("a-folder")));
}

static void folders_without_rights_are_removed(void **state)
{
    (void)state;
    assert_int_equal(tt_dir_make(in("a/b/c"), NULL), TT_OK);
    assert_int_equal(chmod(in("a/b"), 0), 0);
    assert_int_equal(chmod(in("a"), 0500), 0);
    assert_int_equal(tt_dir_remove(in("a"), NULL), TT_OK);
    assert_false(tt_file_exists(in("a")));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_part_of_it_is_a_link),
        TEST(also_where_the_system_does_not_know_at_once),
        TEST(a_new_folder_is_new),
        TEST(replacing_clears_the_way_and_follows_no_link),
        TEST(removing_does_not_go_through_links),
        TEST(folders_without_rights_are_removed),
        TEST(folders_of_any_depth_are_measured_and_removed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
