/* SPDX-License-Identifier: MIT */
/* Results as MAT v4, read back by our reader and by one that shares nothing
 * with it (tests/results/read_mat.py). */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "results/lines.h"
#include "results/test_rows.h"

#define SUM "2:f2e97756070035a94e7ef9e9e2424b4eaeb1b62d6e3d544f8d6b04cffcdb37fa"

static void numbers_and_texts_read_back_exactly(void **state)
{
    (void)state;
    expect_exact_numbers(in_folder("exact.mat"));
    expect_exact_texts(in_folder("exact.mat"));
    expect_every_type(in_folder("exact.mat"));
}

/* What the independent reader prints. */
static void expect_read(const char *path, const char *want)
{
    char command[8192], logged[8192];
    FILE *f;
    size_t n;

    snprintf(command, sizeof(command),
             "python3 " TT_SOURCE_DIR "/tests/results/read_mat.py %s", path);
    f = popen(command, "r");
    assert_non_null(f);
    n = fread(logged, 1, sizeof(logged) - 1, f);
    logged[n] = '\0';
    assert_int_equal(pclose(f), 0);
    assert_string_equal(logged, want);
}

static void another_reader_reads_the_same(void **state)
{
    const char *path = in_folder("other.mat");
    struct tt_column some[] = {every[0],  every[1],  every[6],
                               every[10], every[15], every[16]};
    struct tt_rows rows = {some, 6, 0, 1};
    tt_observer *o = record_to(path, 0, TT_CSV_MAESTRO2, &rows);

    (void)state;
    assert_int_equal(tt_text_set(&text, "idle"), 0);
    assert_int_equal(tt_text_set(&bytes, "\x01\xab"), 0);
    row(o, 0, 0);
    f64 = 0.1;
    assert_int_equal(tt_text_set(&text, "busy"), 0);
    row(o, 0.5, 0.5);
    assert_int_equal(tt_text_set(&text, "idle"), 0);
    row(o, 1.5, 1);
    end(o);
    f64 = 1.0E-4;
    expect_read(path,
                "time | Simulation time [s] | 0x0.0p+0 0x1.0000000000000p-1 "
                "0x1.8000000000000p+0\n"
                "{z}.z.f64 | a length [m] | 0x1.a36e2eb1c432dp-14 "
                "0x1.999999999999ap-4 0x1.999999999999ap-4\n"
                "{a}.a.f32 | [K] | 0x1.0000000000000p-1 0x1.0000000000000p-1 "
                "0x1.0000000000000p-1\n"
                "{a}.a.i32 |  | -0x1.0000000000000p+5 -0x1.0000000000000p+5 "
                "-0x1.0000000000000p+5\n"
                "{a}.a.x[1,2] |  | 0x1.0000000000000p+0 0x1.0000000000000p+0 "
                "0x1.0000000000000p+0\n"
                "{a}.a.text | line of texts: words | idle busy idle\n"
                "{a}.a.bytes | line of texts:  | " SUM " " SUM " " SUM "\n");
}

static void a_run_without_rows_is_a_table_without_rows(void **state)
{
    const char *path = in_folder("empty.mat");
    tt_table *t;

    (void)state;
    end(record_to(path, 0, TT_CSV_MAESTRO2, &all));
    t = load(path);
    assert_int_equal(tt_table_rows(t), 0);
    assert_int_equal(tt_table_columns(t), all.n);
    tt_table_free(t);
}

static void a_full_file_ends_with_a_complete_row(void **state)
{
    const char *path = in_folder("full.mat");
    char words[512];
    pid_t pid;

    (void)state;
    /* 311 bytes of headers and names, then 16 per row */
    snprintf(words, sizeof(words),
             "cannot write %s: File too large; the first 1230 rows are kept",
             path);
    pid = fork();
    if (pid == 0)
        _exit(play_until_full(path, 20000, &just_x, counted, words));
    wait_for(pid, 0, 0);
    expect_counting_rows(path, 1230);
}

/* The writer may be killed at any moment, and a fast run leaves it no time to
 * flush. */
static void a_file_can_be_read_while_it_grows(void **state)
{
    static const struct tt_layout_column c = {
        .name = "x", .type = TT_F64, .at = TT_RECORD_FRONT};
    static const struct tt_layout l = {
        .column = &c, .n = 1, .record = TT_RECORD_FRONT + 8};
    const char *path = in_folder("grows.mat");
    const struct tt_writer_job job = {.path = path, .layout = &l};
    tt_writer *w = NULL;
    tt_table *t;
    size_t rows;

    (void)state;
    assert_int_equal(tt_mat_open(&w, &job, NULL), TT_OK);
    for (int i = 0; i < 50000; i++) {
        const double record[3] = {i, 1, i};

        assert_int_equal(w->ops->rows(w, (const char *)record, 1, NULL), TT_OK);
    }
    t = load(path);
    rows = tt_table_rows(t);
    assert_true(rows > 40000 && rows <= 50000);
    assert_true(tt_table_values(t, 0)[rows - 1] == (double)(rows - 1));
    tt_table_free(t);
    assert_int_equal(w->ops->close(w, NULL), TT_OK);
    w->ops->free(w);
    expect_counting_rows(path, 50000);
}

static void a_device_that_takes_nothing_is_named(void **state)
{
    const char *path = in_folder("device.mat");
    const struct tt_files files = {.path = &path, .n = 1};
    tt_observer *o = NULL;
    char words[512];
    tt_err err = {0};

    (void)state;
    snprintf(words, sizeof(words), "cannot write %s: No space left on device",
             path);
    assert_int_equal(symlink("/dev/full", path), 0);
    assert_int_equal(tt_record_files(&o, &files, 0, NULL), TT_OK);
    assert_int_equal(tt_observer_begin(o, &just_x, &err), TT_EIO);
    assert_string_equal(err.msg, words);
    tt_observer_free(o);
}

static void texts_are_numbered_as_they_come_and_bounded(void **state)
{
    struct tt_lines l;
    char word[1001];
    uint32_t n = 1, number;

    (void)state;
    assert_int_equal(tt_lines_init(&l), 0);
    assert_int_equal(tt_lines_add(&l, "a", 1), 1);
    assert_int_equal(tt_lines_add(&l, "", 0), 2);
    assert_int_equal(tt_lines_add(&l, "ab", 1), 1);
    memset(word, 'x', sizeof(word) - 1);
    do {
        snprintf(word, 12, "%011u", n++);
        word[11] = 'x';
        number = tt_lines_add(&l, word, 1000);
    } while (number == n + 1);
    assert_int_equal(number, 0);
    assert_true(l.bytes <= TT_LINES_MAX_BYTES);
    assert_int_equal(tt_lines_add(&l, "a", 1), 1); /* those it has it knows */
    tt_lines_fini(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_texts_read_back_exactly),
        cmocka_unit_test(another_reader_reads_the_same),
        cmocka_unit_test(a_run_without_rows_is_a_table_without_rows),
        cmocka_unit_test(a_full_file_ends_with_a_complete_row),
        cmocka_unit_test(a_file_can_be_read_while_it_grows),
        cmocka_unit_test(a_device_that_takes_nothing_is_named),
        cmocka_unit_test(texts_are_numbered_as_they_come_and_bounded),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
