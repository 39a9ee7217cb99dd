/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/user.h"

static void expect_data(const char *xdg, const char *home, const char *want)
{
    char *path = NULL;
    tt_err err;

    if (xdg)
        setenv("XDG_DATA_HOME", xdg, 1);
    else
        unsetenv("XDG_DATA_HOME");
    setenv("HOME", home, 1);
    assert_int_equal(tt_user_data(&path, &err), TT_OK);
    assert_string_equal(path, want);
    tt_free(path);
}

static void data_is_where_xdg_places_it(void **state)
{
    (void)state;
    expect_data("/data/me", "/home/me", "/data/me/tutti");
    expect_data(NULL, "/home/me", "/home/me/.local/share/tutti");
    expect_data("", "/home/me", "/home/me/.local/share/tutti");
    expect_data("data", "/home/me", "/home/me/.local/share/tutti");
}

static void folders_of_the_user_are_private(void **state)
{
    char *dir = NULL, *deep;
    struct stat st;
    tt_err err;

    (void)state;
    assert_int_equal(tt_dir_temp(&dir, &err), TT_OK);
    deep = tt_path_join(dir, "a/b");
    assert_int_equal(tt_user_dir_make(deep, &err), TT_OK);
    assert_int_equal(stat(deep, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_true(tt_disk_free(deep) > 0 && tt_disk_free(deep) < UINT64_MAX);
    assert_true(tt_file_changed_ms(deep) <= tt_clock_wall_ms());
    assert_true(tt_file_changed_ms(deep) > 0);
    assert_int_equal(tt_dir_remove(dir, &err), TT_OK);
    assert_true(tt_disk_free(deep) == UINT64_MAX);
    assert_true(tt_file_changed_ms(deep) == 0);
    tt_free(deep);
    tt_free(dir);
}

static void a_full_disk_is_distinguished_from_other_failures(void **state)
{
    tt_err err;

    (void)state;
    errno = ENOSPC;
    assert_int_equal(tt_disk_fail(&err, "cannot write it"), TT_EIO);
    assert_string_equal(err.msg, "cannot write it: No space left on device");
    assert_true(tt_disk_was_full(&err));
    (void)tt_context(&err, err.code, "a file");
    assert_true(tt_disk_was_full(&err));
    assert_int_equal(tt_file_write("/dev/full", "x", 1, &err), TT_EIO);
    assert_true(tt_disk_was_full(&err));
    errno = EACCES;
    (void)tt_disk_fail(&err, "cannot write it");
    assert_false(tt_disk_was_full(&err));
    (void)tt_fail(&err, TT_EIO, "something else");
    assert_false(tt_disk_was_full(&err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_is_where_xdg_places_it),
        cmocka_unit_test(folders_of_the_user_are_private),
        cmocka_unit_test(a_full_disk_is_distinguished_from_other_failures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
