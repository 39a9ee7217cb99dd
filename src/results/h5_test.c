/* SPDX-License-Identifier: MIT */
/* Results as HDF5, read back by our reader and by h5dump. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "results/test_rows.h"
#include "sys/thread.h"

static void numbers_and_texts_read_back_exactly(void **state)
{
    (void)state;
    expect_exact_numbers(in_folder("exact.h5"));
    expect_exact_texts(in_folder("exact.hdf5"));
    expect_every_type(in_folder("exact.h5"));
}

/* h5dump's words about one dataset. */
static void dump(const char *path, const char *options, char *logged,
                 size_t size)
{
    char command[8192];
    FILE *f;
    size_t n;

    snprintf(command, sizeof(command), "h5dump %s %s", options, path);
    f = popen(command, "r");
    assert_non_null(f);
    n = fread(logged, 1, size - 1, f);
    logged[n] = '\0';
    assert_int_equal(pclose(f), 0);
}

static void expect_dump(const char *path, const char *set, const char *want)
{
    char options[512], logged[8192];

    snprintf(options, sizeof(options),
             "--no-compact-subset -y -m %%.17g -d '%s'", set);
    dump(path, options, logged, sizeof(logged));
    assert_string_equal(strchr(logged, '\n') + 1, want);
}

static void another_reader_reads_the_same(void **state)
{
    const char *path = in_folder("other.h5");
    struct tt_column slash = {.name = "{a}.a/b", .type = TT_F64, .value = &f64};
    struct tt_column some[] = {every[0], every[10], every[15], slash};
    struct tt_rows rows = {some, 4, 0, 1};
    tt_observer *o = record_to(path, 0, TT_CSV_MAESTRO2, &rows);
    tt_table *t;

    (void)state;
    assert_int_equal(tt_text_set(&text, "idle"), 0);
    row(o, 0, 0);
    f64 = 0.1;
    row(o, 0.5, 0.5);
    end(o);
    f64 = 1.0E-4;
    expect_dump(path, "{z}.z.f64",
                "DATASET \"{z}.z.f64\" {\n"
                "   DATATYPE  H5T_IEEE_F64LE\n"
                "   DATASPACE  SIMPLE { ( 2 ) / ( H5S_UNLIMITED ) }\n"
                "   DATA {\n"
                "      0.0001,\n"
                "      0.10000000000000001\n"
                "   }\n"
                "   ATTRIBUTE \"description\" {\n"
                "      DATATYPE  H5T_STRING {\n"
                "         STRSIZE 8;\n"
                "         STRPAD H5T_STR_NULLPAD;\n"
                "         CSET H5T_CSET_UTF8;\n"
                "         CTYPE H5T_C_S1;\n"
                "      }\n"
                "      DATASPACE  SCALAR\n"
                "      DATA {\n"
                "         \"a length\"\n"
                "      }\n"
                "   }\n"
                "   ATTRIBUTE \"unit\" {\n"
                "      DATATYPE  H5T_STRING {\n"
                "         STRSIZE 1;\n"
                "         STRPAD H5T_STR_NULLPAD;\n"
                "         CSET H5T_CSET_UTF8;\n"
                "         CTYPE H5T_C_S1;\n"
                "      }\n"
                "      DATASPACE  SCALAR\n"
                "      DATA {\n"
                "         \"m\"\n"
                "      }\n"
                "   }\n"
                "}\n"
                "}\n");
    expect_dump(path, "{a}.a.x[1,2]",
                "DATASET \"{a}.a.x[1,2]\" {\n"
                "   DATATYPE  H5T_ENUM {\n"
                "      H5T_STD_I8LE;\n"
                "      \"FALSE\"            0;\n"
                "      \"TRUE\"             1;\n"
                "   }\n"
                "   DATASPACE  SIMPLE { ( 2 ) / ( H5S_UNLIMITED ) }\n"
                "   DATA {\n"
                "      TRUE,\n"
                "      TRUE\n"
                "   }\n"
                "}\n"
                "}\n");
    t = load(path);
    assert_string_equal(tt_table_name(t, 3), "{a}.a/b");
    assert_true(tt_table_is_discrete(t, 1));
    assert_false(tt_table_is_discrete(t, 0));
    tt_table_free(t);
}

static void the_order_of_columns_is_kept(void **state)
{
    const char *path = in_folder("order.h5");
    char logged[8192];
    const char *at = logged;

    (void)state;
    end(record_to(path, 0, TT_CSV_MAESTRO2, &all));
    dump(path, "-n --sort_by=creation_order", logged, sizeof(logged));
    at = strstr(at, "/time");
    for (uint32_t i = 0; i < all.n; i++) {
        assert_non_null(at);
        at = strstr(at, every[i].name);
    }
    assert_non_null(at);
}

/* Chunks that h5dump must inflate: partly full, of all kinds of signals. */
static void chunks_of_any_kind_read_back(void **state)
{
    static double v[4];
    static const struct tt_column c[] = {
        {.name = "steady", .type = TT_F64, .value = &v[0]},
        {.name = "ramp", .type = TT_F64, .value = &v[1]},
        {.name = "any", .type = TT_F64, .value = &v[2]},
        {.name = "switch", .type = TT_F64, .value = &v[3]},
    };
    const struct tt_rows rows = {c, 4, 0, 1};
    const char *path = in_folder("chunks.h5");
    const uint64_t n = 150001;
    tt_observer *o = record_to(path, 0, TT_CSV_MAESTRO2, &rows);
    char logged[4096];
    tt_table *t;

    (void)state;
    for (uint64_t i = 0; i < n; i++) {
        v[0] = 1.5;
        v[1] = 0.001 * (double)i;
        v[2] = any_double(i | 1) * 0;
        v[2] = v[2] == 0 ? any_double(i | 1) : 0; /* finite */
        v[3] = (double)(i / 1000 % 2);
        row(o, (double)i, 1);
    }
    end(o);
    t = load(path);
    assert_int_equal(tt_table_rows(t), n);
    for (size_t i = 0; i < n; i++) {
        double any = any_double(i | 1);

        any = any * 0 == 0 ? any : 0;
        assert_true(tt_table_values(t, 0)[i] == 1.5);
        assert_true(tt_table_values(t, 1)[i] == 0.001 * (double)i);
        assert_true(tt_table_values(t, 2)[i] == any);
        assert_true(tt_table_values(t, 3)[i] == (double)(i / 1000 % 2));
    }
    tt_table_free(t);
    dump(path, "-y -m %.17g -d ramp -s 150000 -c 1", logged, sizeof(logged));
    assert_non_null(strstr(logged, " 150\n"));
    dump(path, "-y -d steady -s 150000 -c 1", logged, sizeof(logged));
    assert_non_null(strstr(logged, " 1.5\n"));
}

/* A file of so many bytes keeps so many rows, and can be read. */
static void expect_kept(const char *name, rlim_t size,
                        double (*value)(uint64_t i), unsigned rows)
{
    const char *path = in_folder(name);
    char words[512];
    tt_table *t;
    pid_t pid;

    snprintf(words, sizeof(words),
             "cannot write %s: File too large; the first %u rows are kept",
             path, rows);
    pid = fork();
    if (pid == 0)
        _exit(play_until_full(path, size, &just_x, value, words));
    wait_for(pid, 0, 0);
    t = load(path);
    assert_int_equal(tt_table_rows(t), rows);
    for (uint64_t i = 0; i < rows; i++) {
        double got = tt_table_values(t, 0)[i], want = value(i);

        assert_memory_equal(&got, &want, sizeof(got));
    }
    tt_table_free(t);
}

/* Chunks have 4096 rows. Noise is written as it is, 32 kB a chunk; counts
 * shrink, and where no room is left for them as they are, less will do. */
static void a_full_disk_keeps_the_rows_before(void **state)
{
    (void)state;
    expect_kept("noise.h5", 400000, any_double, 4096 * 8);
    expect_kept("counts.h5", 125000, counted, 4096 * 4);
}

static long long beyond(const char *path)
{
    struct stat s;

    assert_int_equal(stat(path, &s), 0);
    return (long long)s.st_blocks * 512 - (long long)s.st_size;
}

/* What was reserved is given back; a file system's rounding may remain. */
static void nothing_stays_reserved(void **state)
{
    const char *path = in_folder("trim.h5");
    tt_observer *o = record_to(path, 0, TT_CSV_MAESTRO2, &just_x);

    (void)state;
    row(o, 0, 0);
    end(o);
    assert_true(beyond(path) < 32 << 10);
}

static void a_pipe_is_refused(void **state)
{
    const char *path = in_folder("pipe.h5");
    const struct tt_files files = {.path = &path, .n = 1};
    tt_observer *o = NULL;
    char words[512];
    tt_err err = {0};

    (void)state;
    snprintf(words, sizeof(words),
             "cannot write %s: it is a pipe, and only CSV goes through one",
             path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(tt_record_files(&o, &files, 0, &err), TT_EINPUT);
    assert_string_equal(err.msg, words);
    assert_null(o);
}

/* The message is `before`, the path, `after`. */
static void expect_unreadable(const char *path, enum tt_code code,
                              const char *before, const char *after)
{
    char words[1024];
    tt_table *t = NULL;
    tt_err err = {0};

    assert_int_equal(tt_table_load(&t, path, &err), code);
    snprintf(words, sizeof(words), "%s%s%s", before, path, after);
    assert_string_equal(err.msg, words);
    assert_null(t);
}

static void what_is_no_result_file_is_refused(void **state)
{
    static double early = -1;
    const struct tt_column back = {
        .name = "{a}.a.x", .type = TT_F64, .value = &early};
    const struct tt_rows rows = {&back, 1, 0, 1};
    const char *path = in_folder("text.h5");
    tt_observer *o;

    (void)state;
    expect_unreadable(in_folder("missing.h5"), TT_EINPUT, "cannot read ",
                      ": No such file or directory");
    assert_int_equal(tt_file_write(path, "time,x\n0,0\n", 11, NULL), TT_OK);
    expect_unreadable(path, TT_EIO, "cannot read ",
                      ": file signature not found");
    o = record_to(path, 0, TT_CSV_MAESTRO2, &rows);
    row(o, 1, 0);
    row(o, 0.5, 0.5);
    end(o);
    expect_unreadable(path, TT_EINPUT, "",
                      ": row 2: time 0.5 is before 1 of the row above");
}

/* HDF5 is not made for threads; ours wait for each other. */
static void record_some(void *ctx)
{
    const char *path = ctx;
    const struct tt_files files = {.path = &path, .n = 1};
    tt_observer *o = NULL;

    if (tt_record_files(&o, &files, 0, NULL) != TT_OK ||
        tt_observer_begin(o, &all, NULL) != TT_OK)
        abort();
    for (int i = 0; i < 5000; i++)
        if (tt_observer_row(o, tt_at(i), 1, NULL) != TT_OK)
            abort();
    if (tt_observer_end(o, NULL) != TT_OK)
        abort();
    tt_observer_free(o);
}

/* Read by a copy of the process, which the sanitizer's own memory allows only
 * while no other thread is at work. */
static void expect_some(const char *path)
{
    tt_table *t = NULL;

    assert_int_equal(tt_table_load(&t, path, NULL), TT_OK);
    assert_int_equal(tt_table_rows(t), 5000);
    tt_table_free(t);
}

static void two_runs_record_at_once(void **state)
{
    char one_path[512], other_path[512];
    struct tt_thread other;

    (void)state;
    snprintf(one_path, sizeof(one_path), "%s", in_folder("one.h5"));
    snprintf(other_path, sizeof(other_path), "%s", in_folder("two.h5"));
    for (int k = 0; k < 10; k++) {
        assert_int_equal(tt_thread_start(&other, record_some, other_path, NULL),
                         TT_OK);
        record_some(one_path);
        tt_thread_join(&other);
        expect_some(one_path);
        expect_some(other_path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_texts_read_back_exactly),
        cmocka_unit_test(another_reader_reads_the_same),
        cmocka_unit_test(the_order_of_columns_is_kept),
        cmocka_unit_test(chunks_of_any_kind_read_back),
        cmocka_unit_test(a_full_disk_keeps_the_rows_before),
        cmocka_unit_test(nothing_stays_reserved),
        cmocka_unit_test(a_pipe_is_refused),
        cmocka_unit_test(what_is_no_result_file_is_refused),
        cmocka_unit_test(two_runs_record_at_once),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
