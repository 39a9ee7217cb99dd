/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sys/baton.h"
#include "sys/cores_impl.h"
#include "sys/file.h"

static char *root;

static const char *path_of(const char *name)
{
    static char path[4200];

    (void)snprintf(path, sizeof(path), "%s%s", root, name);
    return path;
}

static void put(const char *name, const char *text)
{
    assert_int_equal(tt_file_write(path_of(name), text, strlen(text), NULL),
                     TT_OK);
}

static uint32_t quota(const char *group, const char *above, const char *below)
{
    char file[4200];

    put("/group", group);
    put("/a/cpu.max", above);
    put("/a/b/cpu.max", below);
    (void)snprintf(file, sizeof(file), "%s", path_of("/group"));
    return tt_cores_quota(file, root);
}

static void the_least_of_all_groups_above_counts(void **state)
{
    (void)state;
    assert_int_equal(tt_dir_make(path_of("/a"), NULL), TT_OK);
    assert_int_equal(tt_dir_make(path_of("/a/b"), NULL), TT_OK);
    assert_int_equal(quota("0::/a/b\n", "max 100000\n", "max 100000\n"), 0);
    assert_int_equal(quota("0::/a/b\n", "max 100000\n", "400000 100000\n"), 4);
    assert_int_equal(quota("0::/a/b\n", "250000 100000\n", "400000 100000\n"),
                     2);
    assert_int_equal(quota("0::/a\n", "250000 100000\n", "100000 100000\n"), 2);
    assert_int_equal(quota("0::/a/b\n", "max 100000\n", "50000 100000\n"), 1);
    assert_int_equal(quota("0::/elsewhere\n", "100 100\n", "100 100\n"), 0);
    assert_int_equal(quota("1:cpu:/a\n", "100 100\n", "100 100\n"), 0);
    assert_int_equal(quota("0::/a/b\n", "nonsense", "1 0\n"), 0);
    assert_int_equal(tt_cores_quota("/nowhere", root), 0);
}

static void there_is_at_least_one(void **state)
{
    (void)state;
    assert_true(tt_cores() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_of_all_groups_above_counts),
        cmocka_unit_test(there_is_at_least_one),
    };
    int failed;

    if (tt_dir_temp(&root, NULL) != TT_OK)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed += tt_dir_remove(root, NULL) != TT_OK;
    tt_free(root);
    return failed;
}
