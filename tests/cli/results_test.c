/* SPDX-License-Identifier: MIT */
/* Results in several formats at once, whatever becomes of the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <unistd.h>

#include "base/mem.h"
#include "desk.h"
#include "table/h5.h"
#include "table/table.h"

#define SCENARIO EXAMPLES "water-tank/scenario.json"

static void expect_same(const char *a, const char *b)
{
    struct output s;

    TUTTI(&s, "compare", at(a), at(b));
    if (s.code != 0)
        fail_msg("%s%s", s.out.data ? s.out.data : "",
                 s.err.data ? s.err.data : "");
    output_fini(&s);
}

static void all_formats_hold_the_same_values(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "-o", at("tank.csv"), "-o", at("tank.mat"));
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, "/tank.csv, "));
    assert_non_null(strstr(s.out.data, "/tank.mat: 1001 rows, "));
    output_fini(&s);
    expect_same("tank.csv", "tank.mat");
    TUTTI(&s, "plot", at("tank.mat"));
    assert_int_equal(s.code, 0);
    output_fini(&s);
    if (!tt_h5_is_there())
        return;
    TUTTI(&s, "run", SCENARIO, "-o", at("tank.h5"), "--json");
    assert_int_equal(s.code, 0);
    expect_json(&s);
    assert_non_null(strstr(s.out.data, "/tank.h5\"]"));
    output_fini(&s);
    expect_same("tank.csv", "tank.h5");
    expect_same("tank.h5", "tank.mat");
    TUTTI(&s, "plot", at("tank.h5"));
    assert_int_equal(s.code, 0);
    output_fini(&s);
}

static void texts_integers_and_booleans_are_in_all_formats(void **state)
{
    static const char *const fmu[] = {UNITS "alltypes.fmu",
                                      UNITS "alltypes-fmi3.fmu"};
    struct output s;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        TUTTI(&s, "run", fmu[i], "--record", "all", "-o", at("types.csv"), "-o",
              at("types.mat"), "-o",
              at(tt_h5_is_there() ? "types.h5" : "more.csv"));
        assert_int_equal(s.code, 0);
        output_fini(&s);
        expect_same("types.csv", "types.mat");
        if (tt_h5_is_there())
            expect_same("types.csv", "types.h5");
    }
}

static void a_crash_leaves_every_file_complete(void **state)
{
    const char *other = tt_h5_is_there() ? "far.h5" : "more.csv";
    struct output s;

    (void)state;
    TUTTI(&s, "run", UNITS "misbehave.fmu", "--set", "what=6", "--set", "u=1",
          "-o", at("far.csv"), "-o", at("far.mat"), "-o", at(other));
    expect_err(
        &s,
        "tutti: instance '{misbehave}.misbehave': crashed in step (SIGSEGV) "
        "at t=0.9; results so far: %s, %s, %s (10 rows to t=0.9)\n",
        at("far.csv"), at("far.mat"), at(other));
    assert_int_equal(s.code, 1);
    assert_int_equal(count_lines("far.csv"), 11);
    output_fini(&s);
    expect_same("far.csv", "far.mat");
    expect_same("far.csv", other);
}

static void a_crash_keeps_the_last_row_of_a_sampled_run(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", UNITS "misbehave.fmu", "--set", "what=6", "--set", "u=1",
          "--sample", "0.5", "-o", at("held.csv"), "-o", at("held.mat"));
    expect_err(
        &s,
        "tutti: instance '{misbehave}.misbehave': crashed in step (SIGSEGV) "
        "at t=0.9; results so far: %s, %s (3 rows to t=0.9)\n",
        at("held.csv"), at("held.mat"));
    assert_int_equal(count_lines("held.csv"), 4);
    output_fini(&s);
    expect_same("held.csv", "held.mat");
}

static void files_named_badly_are_refused(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "-o", at("a.csv"), "-o", at("a.csv"));
    expect_err(&s, "tutti: the result file '%s' is named twice\n", at("a.csv"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "-o", "");
    expect_err(&s, "tutti: --output needs a value: --output FILE\n");
    assert_int_equal(s.code, 2);
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "-o", at("b.csv"), "-o", "-", "--json");
    expect_err(&s, "tutti: --json and --output - both need standard output\n");
    assert_int_equal(s.code, 2);
    output_fini(&s);
    assert_false(exists("a.csv"));
    assert_false(exists("b.csv"));
}

static void a_disk_that_takes_nothing_is_reported_for_every_format(void **state)
{
    struct output s;

    (void)state;
    assert_int_equal(symlink("/dev/full", at("full.mat")), 0);
    TUTTI(&s, "run", SCENARIO, "-o", at("kept.csv"), "-o", at("full.mat"));
    expect_err(&s, "tutti: cannot write %s: No space left on device\n",
               at("full.mat"));
    assert_int_equal(s.code, 2);
    assert_int_equal(count_lines("kept.csv"), 1);
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "-o", at("no/such/folder.mat"));
    expect_err(&s, "tutti: cannot write %s: No such file or directory\n",
               at("no/such/folder.mat"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

static void hdf5_is_refused_with_words_where_it_is_not_built_in(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "-o", at("no/such/folder.h5"));
    if (tt_h5_is_there())
        expect_err(&s, "tutti: cannot write %s: No such file or directory\n",
                   at("no/such/folder.h5"));
    else
        expect_err(&s,
                   "tutti: cannot write %s: this Tutti was built without HDF5; "
                   "install libhdf5-dev and build again, or use .csv or "
                   ".mat\n",
                   at("no/such/folder.h5"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

/* The loader lists what it would load, and runs nothing. */
static void hdf5_is_not_loaded_with_the_program(void **state)
{
    struct output s;

    (void)state;
    assert_int_equal(setenv("LD_TRACE_LOADED_OBJECTS", "1", 1), 0);
    TUTTI(&s, "--version");
    unsetenv("LD_TRACE_LOADED_OBJECTS");
    assert_non_null(strstr(s.out.data, "libc."));
    assert_null(strstr(s.out.data, "libhdf5"));
    output_fini(&s);
}

/* Another library is found in its place. */
static void an_hdf5_that_does_not_fit_is_reported(void **state)
{
#ifdef TT_HDF5_SONAME
    struct output s;

    (void)state;
    assert_int_equal(
        symlink(TT_BUILD_DIR "/tests/sys_testlib_one.so", at(TT_HDF5_SONAME)),
        0);
    assert_int_equal(setenv("LD_LIBRARY_PATH", at("."), 1), 0);
    TUTTI(&s, "run", SCENARIO, "-o", at("fit.h5"));
    unsetenv("LD_LIBRARY_PATH");
    expect_err(&s,
               "tutti: cannot write %s: " TT_HDF5_SONAME
               " has no 'H5Aclose'; use .csv or .mat\n",
               at("fit.h5"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
#else
    (void)state;
    skip();
#endif
}

static void what_is_no_table_is_reported(void **state)
{
    struct output s;

    (void)state;
    put_text("bad.mat", "time,x\n0,0\n1,1\n2,2\n");
    TUTTI(&s, "plot", at("bad.mat"));
    expect_err(&s,
               "tutti: %s: byte 0: no matrix of a MAT v4 file (little-endian, "
               "real)\n",
               at("bad.mat"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
    TUTTI(&s, "plot", at("none.mat"));
    expect_err(&s, "tutti: cannot read %s: No such file or directory\n",
               at("none.mat"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_formats_hold_the_same_values),
        cmocka_unit_test(texts_integers_and_booleans_are_in_all_formats),
        cmocka_unit_test(a_crash_leaves_every_file_complete),
        cmocka_unit_test(a_crash_keeps_the_last_row_of_a_sampled_run),
        cmocka_unit_test(files_named_badly_are_refused),
        cmocka_unit_test(
            a_disk_that_takes_nothing_is_reported_for_every_format),
        cmocka_unit_test(hdf5_is_refused_with_words_where_it_is_not_built_in),
        cmocka_unit_test(hdf5_is_not_loaded_with_the_program),
        cmocka_unit_test(an_hdf5_that_does_not_fit_is_reported),
        cmocka_unit_test(what_is_no_table_is_reported),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
