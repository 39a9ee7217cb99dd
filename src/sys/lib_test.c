/* SPDX-License-Identifier: MIT */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sys/elf.h"
#include "sys/file.h"
#include "sys/lib.h"

#define LIB(name) TT_BUILD_DIR "/tests/sys_testlib_" name ".so"

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_DEEPBIND 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_DEEPBIND 0
#endif
#endif
#ifndef HAVE_DEEPBIND
#define HAVE_DEEPBIND 1
#endif

/* The program has a function of this name too, and exports it. */
__attribute__((visibility("default"))) int test_global(void);

int test_global(void)
{
    return 99;
}

static tt_lib *open_lib(const char *path)
{
    tt_lib *lib = NULL;
    tt_err err = {0};

    if (tt_lib_open(&lib, path, &err) != TT_OK)
        fail_msg("%s", err.msg);
    return lib;
}

static int ask_which(tt_lib *lib)
{
    int (*which)(void) = NULL;

    assert_int_equal(tt_lib_get(lib, "test_which", &which, sizeof(which)), 0);
    return which();
}

/* Twice the least double, halved: 0 when denormals are flushed. */
static int denormals_work(void)
{
    volatile double tiny = 0x1p-1073, half = 0.5;

    return tiny * half == 0x1p-1074;
}

static void libraries_with_equal_symbols_do_not_mix(void **state)
{
    tt_lib *one = open_lib(LIB("one")), *two = open_lib(LIB("two"));

    (void)state;
    if (HAVE_DEEPBIND) {
        assert_int_equal(ask_which(one), 1);
        assert_int_equal(ask_which(two), 2);
    } else {
        assert_int_equal(ask_which(one), 99); /* why we deep-bind */
    }
    tt_lib_close(two);
    tt_lib_close(one);
}

static void libm_is_there_for_those_who_forgot_it(void **state)
{
    tt_lib *lib = open_lib(LIB("one"));
    double (*rest)(double) = NULL;

    (void)state;
    assert_int_equal(tt_lib_get(lib, "test_libm", &rest, sizeof(rest)), 0);
    assert_true(rest(7.0) == 3.0);
    tt_lib_close(lib);
}

static void loading_keeps_the_floating_point_mode(void **state)
{
    tt_lib *lib;

    (void)state;
    assert_true(denormals_work());
    lib = open_lib(LIB("fast"));
    assert_true(denormals_work());
    assert_int_equal(fegetround(), FE_TONEAREST);
    tt_lib_close(lib);
    assert_true(denormals_work());
}

static void the_mode_is_saved_and_restored_as_a_whole(void **state)
{
    struct tt_fpmode before, other;

    (void)state;
    tt_fpmode_save(&before);
    fesetround(FE_DOWNWARD);
    tt_fpmode_save(&other);
    tt_fpmode_restore(&before);
    assert_int_equal(fegetround(), FE_TONEAREST);
    tt_fpmode_restore(&other);
    assert_int_equal(fegetround(), FE_DOWNWARD);
    tt_fpmode_restore(&before);
    assert_int_equal(fegetround(), FE_TONEAREST);
}

static void symbols_no_library_has_matter_only_when_called(void **state)
{
    tt_lib *lib = open_lib(LIB("missing"));

    (void)state;
    assert_int_equal(ask_which(lib), HAVE_DEEPBIND ? 3 : 99);
    tt_lib_close(lib);
}

static void a_missing_symbol_is_null(void **state)
{
    tt_lib *lib = open_lib(LIB("one"));
    int (*fn)(void) = test_global;

    (void)state;
    assert_int_equal(tt_lib_get(lib, "fmi2Nothing", &fn, sizeof(fn)), -1);
    assert_true(fn == NULL);
    tt_lib_close(lib);
    tt_lib_close(NULL);
}

static void what_is_no_library_is_named(void **state)
{
    tt_lib *lib = NULL;
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_lib_open(&lib, "/nowhere/x.so", &err), TT_EINPUT);
    assert_string_equal(err.msg, "cannot load /nowhere/x.so: cannot open "
                                 "shared object file: No such file or "
                                 "directory");
    assert_int_equal(tt_lib_open(&lib, "/dev/null", &err), TT_EINPUT);
    assert_string_equal(err.msg, "cannot load /dev/null: file too short");
    assert_null(lib);
}

/* A bare name is a file here, never a library of the system. */
static void bare_names_are_not_searched_for(void **state)
{
    tt_lib *lib = NULL;
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_lib_open(&lib, "libm.so.6", &err), TT_EINPUT);
    assert_string_equal(err.msg, "cannot load libm.so.6: cannot open shared "
                                 "object file: No such file or directory");
}

static void the_platform_has_its_archive_names(void **state)
{
    (void)state;
    assert_string_equal(tt_platform_fmi2(), "linux64");
    assert_non_null(strstr(tt_platform_fmi3(), "-linux"));
    assert_string_equal(tt_platform_lib_suffix(), ".so");
}

static void symbols_that_exist_once_are_seen(void **state)
{
    const char *cut = TT_BUILD_DIR "/tests/sys_cut.so";
    struct tt_buf b;

    (void)state;
    assert_int_equal(tt_elf_has_unique(LIB("unique")), 1);
    assert_int_equal(tt_elf_has_unique(LIB("one")), 0);
    assert_int_equal(tt_elf_has_unique("/nowhere/at/all.so"), -1);
    assert_int_equal(tt_elf_has_unique(__FILE__), -1);
    /* the list of sections is at the end of the file */
    tt_buf_init(&b, (size_t)1 << 24);
    assert_int_equal(tt_file_read(&b, LIB("unique"), NULL), TT_OK);
    for (size_t n = 0; n < b.len; n += 97) {
        assert_int_equal(tt_file_write(cut, b.data, n, NULL), TT_OK);
        assert_int_equal(tt_elf_has_unique(cut), -1);
    }
    tt_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_that_exist_once_are_seen),
        cmocka_unit_test(libraries_with_equal_symbols_do_not_mix),
        cmocka_unit_test(libm_is_there_for_those_who_forgot_it),
        cmocka_unit_test(loading_keeps_the_floating_point_mode),
        cmocka_unit_test(the_mode_is_saved_and_restored_as_a_whole),
        cmocka_unit_test(symbols_no_library_has_matter_only_when_called),
        cmocka_unit_test(a_missing_symbol_is_null),
        cmocka_unit_test(what_is_no_library_is_named),
        cmocka_unit_test(bare_names_are_not_searched_for),
        cmocka_unit_test(the_platform_has_its_archive_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
