/* SPDX-License-Identifier: MIT */
/* A file of the wrong kind is named for what it is, whatever it is called, with
 * what to use instead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <zip.h>

#include "base/mem.h"
#include "desk.h"
#include "sys/file.h"

#define TANK     EXAMPLES "water-tank/watertank.fmu"
#define SCENARIO EXAMPLES "water-tank/scenario.json"

#define MODEL "a scenario or an FMU"
#define TABLE "a table of results"
#define AS_TABLE                                                               \
    "'tutti results @' shows what is in it, 'tutti plot @' draws it"
#define AS_FMU "'tutti info @' shows what is in it, 'tutti run @' simulates it"
#define AS_LIB                                                                 \
    "give the FMU it belongs to, a zip file with modelDescription.xml"
#define AS_SCENE                                                               \
    "'tutti check @' shows what is in it, 'tutti run @' simulates it"

/* --- the files ------------------------------------------------------------ */

static void put_zip(const char *name, const char *member)
{
    zip_t *z = zip_open(at(name), ZIP_CREATE | ZIP_TRUNCATE, NULL);

    assert_non_null(z);
    assert_true(
        zip_file_add(z, member, zip_source_buffer(z, "<x/>", 4, 0), 0) >= 0);
    assert_int_equal(zip_close(z), 0);
}

static void copy(const char *from, const char *to)
{
    struct tt_buf b;

    tt_buf_init(&b, (size_t)1 << 26);
    assert_int_equal(tt_file_read(&b, from, NULL), TT_OK);
    put(to, b.data, b.len);
    tt_buf_fini(&b);
}

static int make_files(void **state)
{
    struct output s;

    if (desk_open(state) != 0)
        return -1;
    TUTTI(&s, "run", SCENARIO, "-q", "-o", at("t.csv"), "-o", at("t.mat"), "-o",
          at("t.h5"));
    assert_int_equal(s.code, 0);
    output_fini(&s);
    put_zip("x.ssp", "SystemStructure.ssd");
    put_zip("x.zip", "readme.txt");
    copy(TANK, "tank.zip");
    copy(TANK, "tank.fmu");
    copy(TT_BUILD_DIR "/tutti", "lib.so");
    copy(SCENARIO, "plant.txt");
    copy(SCENARIO, "plant.json");
    copy(at("t.mat"), "t.dat");
    copy(at("t.csv"), "t.fmu");
    put_text("md.xml", "<?xml version=\"1.0\"?>\n<fmiModelDescription/>\n");
    put_text("other.json", "{\"a\": 1}\n");
    put_text("semi.csv", "t;x\n0;1\n1;2\n");
    put("win.dll", "MZ\0\0", 4);
    return 0;
}

/* --- the words ------------------------------------------------------------ */

/* "@" stands for the file. */
static void fill(struct tt_buf *b, const char *words, const char *file)
{
    for (; *words; words++) {
        if (*words == '@')
            tt_buf_str(b, file);
        else
            tt_buf_char(b, *words);
    }
}

/* `tutti CMD FILE`, with code 2 and exactly these words. */
static void expect(const char *cmd, const char *name, const char *what,
                   const char *wanted, const char *hint)
{
    const char *file = at(name);
    const char *const plain[] = {cmd, file, NULL};
    const char *const two[] = {cmd, at("t.csv"), file, NULL};
    const char *const to[] = {cmd, file, "-o", at("to.fmu"), NULL};
    struct output s;
    struct tt_buf b;

    tutti(&s, strcmp(cmd, "compare") == 0  ? two
              : strcmp(cmd, "export") == 0 ? to
                                           : plain);
    tt_buf_init(&b, 4096);
    fill(&b, hint, file);
    assert_int_equal(s.code, 2);
    expect_err(&s, "tutti: %s: %s, not %s; %s\n", file, what, wanted, b.data);
    assert_int_equal(s.out.len, 0);
    tt_buf_fini(&b);
    output_fini(&s);
}

static void models_are_no_tables(void **state)
{
    static const char *const cmd[] = {"plot", "results", "compare"};

    (void)state;
    for (size_t i = 0; i < sizeof(cmd) / sizeof(*cmd); i++) {
        expect(cmd[i], "tank.fmu", "an FMU", TABLE, AS_FMU);
        expect(cmd[i], "tank.zip", "an FMU", TABLE, AS_FMU);
        expect(cmd[i], "plant.json", "a scenario", TABLE, AS_SCENE);
        expect(cmd[i], "plant.txt", "a scenario", TABLE, AS_SCENE);
        expect(cmd[i], "other.json", "a JSON text", TABLE,
               "a scenario has 'fmus'");
        expect(cmd[i], "lib.so", "a library or program (ELF)", TABLE, AS_LIB);
    }
}

static void tables_are_no_models(void **state)
{
    static const char *const cmd[] = {"run", "check", "score"};

    (void)state;
    for (size_t i = 0; i < sizeof(cmd) / sizeof(*cmd); i++) {
        expect(cmd[i], "t.csv", "a table (CSV)", MODEL, AS_TABLE);
        expect(cmd[i], "semi.csv", "a table (CSV)", MODEL, AS_TABLE);
        expect(cmd[i], "t.fmu", "a table (CSV)", MODEL, AS_TABLE);
        expect(cmd[i], "t.mat", "a table (MAT)", MODEL, AS_TABLE);
        expect(cmd[i], "t.dat", "a table (MAT)", MODEL, AS_TABLE);
        expect(cmd[i], "t.h5", "a table (HDF5)", MODEL, AS_TABLE);
    }
    expect("info", "t.csv", "a table (CSV)", "an FMU", AS_TABLE);
    expect("info", "plant.txt", "a scenario", "an FMU", AS_SCENE);
    expect("new", "t.mat", "a table (MAT)", "an FMU", AS_TABLE);
    expect("new", "plant.json", "a scenario", "an FMU", AS_SCENE);
    expect("export", "tank.fmu", "an FMU", "a scenario", AS_FMU);
}

static void packages_and_libraries_are_named(void **state)
{
    (void)state;
    expect("plot", "x.ssp", "a system structure (SSP)", TABLE, AS_SCENE);
    expect("info", "x.zip", "a zip archive without modelDescription.xml",
           "an FMU", "if FMUs are in it, unpack it");
    expect("run", "lib.so", "a library or program (ELF)", MODEL, AS_LIB);
    expect("info", "win.dll", "a library or program of Windows", "an FMU",
           AS_LIB);
    expect("run", "md.xml", "an XML text", MODEL,
           "an FMU is given as its .fmu file, or as the folder it was "
           "unpacked to");
}

static void a_misleading_name_is_reported(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", at("tank.zip"));
    assert_int_equal(s.code, 2);
    expect_err(&s,
               "tutti: %s: an FMU by its content; call it so that its name "
               "ends in .fmu\n",
               at("tank.zip"));
    output_fini(&s);
    TUTTI(&s, "plot", at("t.dat"));
    assert_int_equal(s.code, 2);
    expect_err(&s,
               "tutti: %s: a table (MAT) by its content; call it so that its "
               "name ends in .mat\n",
               at("t.dat"));
    output_fini(&s);
    TUTTI(&s, "info", at("tank.zip")); /* here the name does not matter */
    assert_int_equal(s.code, 0);
    output_fini(&s);
}

/* --- what would be written over --------------------------------------------
 */

/* Refused, and the file is as it was. */
static void expect_kept(const char *const argv[], const char *name,
                        const char *words)
{
    char *before = read_text(name), *after;
    struct output s;

    tutti(&s, argv);
    expect_err(&s, "tutti: %s: %s; give another name\n", at(name), words);
    assert_int_equal(s.code, 2);
    output_fini(&s);
    after = read_text(name);
    assert_string_equal(after, before);
    tt_free(before);
    tt_free(after);
}
#define KEPT(name, words, ...)                                                 \
    expect_kept((const char *const[]){__VA_ARGS__, NULL}, name, words)

#define OVER ", which would be written over"

static void what_runs_are_made_of_is_not_written_over(void **state)
{
    static const char *const option[] = {"--output", "--report", "--trace",
                                         "--checkpoint"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        KEPT("plant.json", "a scenario" OVER, "run", SCENARIO, option[i],
             at("plant.json"));
        KEPT("tank.fmu", "an FMU" OVER, "run", SCENARIO, option[i],
             at("tank.fmu"));
        KEPT("other.json", "a JSON text" OVER, "run", SCENARIO, option[i],
             at("other.json"));
    }
    KEPT("t.csv", "a table (CSV)" OVER, "run", SCENARIO, "--report",
         at("t.csv"));
    KEPT("t.csv", "a table (CSV)" OVER, "plot", at("t.csv"), "-o", at("t.csv"));
    KEPT("plant.json", "a scenario" OVER, "score", SCENARIO, "--svg",
         at("plant.json"));
}

#define READS "this run reads it and would write over it"

static void what_a_run_reads_is_not_written_over(void **state)
{
    struct output s;

    (void)state;
    put_text("u.csv", "time,u\n0,1\n1,2\n");
    put_text("driven.json",
             "{\"fmus\": {\"{t}\": \"u.csv\", \"{a}\": \"" UNITS
             "affine.fmu\"}, \"connections\": {\"{t}.t.u\": [\"{a}.a.u\"]},"
             "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.5}, "
             "\"endTime\": 1}");
    KEPT("u.csv", READS, "run", at("driven.json"), "-o", at("u.csv"));
    KEPT("u.csv", READS, "run", UNITS "affine.fmu", "--input", at("u.csv"),
         "--until", "1", "--step", "0.5", "-o", at("u.csv"));
    for (int again = 0; again < 2; again++) { /* its own results may go */
        TUTTI(&s, "run", at("driven.json"), "-q", "-o", at("y.csv"), "--report",
              at("y.html"), "--trace", at("y-trace.csv"));
        expect_err(&s, "%s", "");
        assert_int_equal(s.code, 0);
        output_fini(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_no_tables),
        cmocka_unit_test(tables_are_no_models),
        cmocka_unit_test(packages_and_libraries_are_named),
        cmocka_unit_test(a_misleading_name_is_reported),
        cmocka_unit_test(what_runs_are_made_of_is_not_written_over),
        cmocka_unit_test(what_a_run_reads_is_not_written_over),
    };

    return cmocka_run_group_tests(tests, make_files, desk_close);
}
