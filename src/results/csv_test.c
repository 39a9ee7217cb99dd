/* SPDX-License-Identifier: MIT */
/* Results as CSV: the bytes, and what a full disk or a closed pipe does. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "results/test_rows.h"

static const char *path;

static int set_up(void **state)
{
    int rc = make_folder(state);

    path = rc ? NULL : tt_path_join(folder, "out.csv");
    return path ? 0 : -1;
}

static int tear_down(void **state)
{
    tt_free((void *)(uintptr_t)path);
    return remove_folder(state);
}

static void expect_file(const char *words)
{
    expect_text(path, words);
}

static tt_observer *open_csv(double interval, const struct tt_rows *rows)
{
    return record_to(path, interval, TT_CSV_MAESTRO2, rows);
}

#define SUM "2:f2e97756070035a94e7ef9e9e2424b4eaeb1b62d6e3d544f8d6b04cffcdb37fa"

static void maestro_2_gets_its_bytes(void **state)
{
    tt_observer *csv = open_csv(0, &all);

    (void)state;
    assert_int_equal(tt_text_set(&text, "plain text"), 0);
    assert_int_equal(tt_text_set(&bytes, "\x01\xab"), 0);
    row(csv, 0, 0);
    assert_int_equal(tt_text_set(&text, "a \"b\",\nc"), 0);
    row(csv, 0.1 + 0.2, 0.3);
    assert_int_equal(tt_record_rows(csv), 2);
    end(csv);
    expect_file(
        "time,{z}.z.f64,{a}.a.f32,{a}.a.i8,{a}.a.u8,{a}.a.i16,{a}.a.u16,"
        "{a}.a.i32,{a}.a.u32,{a}.a.i64,{a}.a.u64,\"{a}.a.x[1,2]\",{a}.a.b32,"
        "{a}.a.e32,{a}.a.e64,{a}.a.tick,{a}.a.text,{a}.a.bytes\n"
        "0.0,1.0E-4,0.5,-8,8,-16,16,-32,32,-9223372036854775808,"
        "18446744073709551615,true,false,3,-4,true,plain text," SUM "\n"
        "0.30000000000000004,1.0E-4,0.5,-8,8,-16,16,-32,32,"
        "-9223372036854775808,18446744073709551615,true,false,3,-4,true,"
        "\"a \"\"b\"\",\nc\"," SUM "\n");
}

static void
maestro_1_sorts_columns_quotes_texts_and_reports_the_step(void **state)
{
    struct tt_column some[] = {every[0], every[15], every[6]};
    struct tt_rows rows = {some, 3, 0, 1};
    tt_observer *csv = record_to(path, 0, TT_CSV_MAESTRO1, &rows);

    (void)state;
    assert_int_equal(tt_text_set(&text, "say \"hi\""), 0);
    row(csv, 0, 0);
    row(csv, 0.5, 0.5);
    end(csv);
    expect_file("time,step-size,{a}.a.i32,{a}.a.text,{z}.z.f64\n"
                "0.0,0.0,-32,\"say \"\"hi\"\"\",1.0E-4\n"
                "0.5,0.5,-32,\"say \"\"hi\"\"\",1.0E-4\n");
}

static void the_file_exists_with_its_header_before_the_first_row(void **state)
{
    tt_observer *csv = open_csv(0, &just_x);

    (void)state;
    expect_file("time,{a}.a.x\n");
    end(csv);
    expect_file("time,{a}.a.x\n");
}

static void a_run_without_columns_writes_times(void **state)
{
    struct tt_rows none = {NULL, 0, 0, 1};
    tt_observer *csv = open_csv(0, &none);

    (void)state;
    row(csv, 0, 0);
    row(csv, 1e7, 1e7);
    end(csv);
    expect_file("time\n0.0\n1.0E7\n");
}

static void sampling_keeps_first_grid_and_last_rows(void **state)
{
    tt_observer *csv = open_csv(0.25, &just_x);

    (void)state;
    for (int i = 0; i <= 11; i++) {
        x = i;
        row(csv, 0.1 * i, 0.1);
    }
    end(csv);
    expect_file("time,{a}.a.x\n0.0,0.0\n0.30000000000000004,3.0\n0.5,5.0\n"
                "0.8,8.0\n1.0,10.0\n1.1,11.0\n");
}

static void sampling_forgives_rounding_and_never_drifts(void **state)
{
    tt_observer *csv = open_csv(0.1, &just_x);
    double t = 2, h = 0.001;
    tt_table *table = NULL;

    (void)state;
    for (int i = 0; i <= 100000; i++) { /* accumulated, as Maestro does */
        row(csv, t, h);
        t += h;
    }
    end(csv);
    assert_int_equal(tt_table_load(&table, path, NULL), TT_OK);
    assert_int_equal(tt_table_rows(table), 1001);
    for (size_t i = 0; i <= 1000; i++)
        assert_true(fabs(tt_table_time(table)[i] - 2 - 0.1 * (double)i) < 1e-7);
    tt_table_free(table);
}

static void
the_last_row_is_what_it_was_even_if_values_changed_since(void **state)
{
    struct tt_column two[] = {one, every[15]};
    struct tt_rows rows = {two, 2, 0, 1};
    tt_observer *csv = open_csv(1, &rows);

    (void)state;
    x = 1;
    assert_int_equal(tt_text_set(&text, "good"), 0);
    row(csv, 0, 0);
    row(csv, 0.5, 0.5);
    x = 99; /* a step that failed halfway */
    assert_int_equal(tt_text_set(&text, "bad"), 0);
    end(csv);
    expect_file("time,{a}.a.x,{a}.a.text\n0.0,1.0,good\n0.5,1.0,good\n");
}

static void numbers_and_texts_read_back_exactly(void **state)
{
    (void)state;
    expect_exact_numbers(path);
    expect_exact_texts(path);
    expect_every_type(path);
}

static void a_full_disk_is_an_error(void **state)
{
    static const char *const full = "/dev/full";
    const struct tt_files files = {.path = &full, .n = 1};
    tt_observer *csv = NULL;
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_record_files(&csv, &files, 0, &err), TT_OK);
    assert_int_equal(tt_observer_begin(csv, &just_x, &err), TT_EIO);
    assert_string_equal(err.msg,
                        "cannot write /dev/full: No space left on device");
    err.msg[0] = '\0';
    assert_int_equal(tt_observer_end(csv, &err), TT_EIO);
    assert_string_equal(err.msg,
                        "cannot write /dev/full: No space left on device");
    tt_observer_free(csv);
}

/* Play three rows to standard output, which is `target`. */
static int play_to_stdout(const char *target, tt_err *err)
{
    static const char *const dash = "-";
    const struct tt_files files = {.path = &dash, .n = 1};
    tt_observer *csv = NULL;
    enum tt_code rc;

    if (!freopen(target, "w", stdout))
        return 1;
    rc = tt_record_files(&csv, &files, 0, err);
    if (rc == TT_OK)
        rc = tt_observer_begin(csv, &just_x, err);
    for (int i = 0; i < 3 && rc == TT_OK; i++) {
        x = i;
        rc = tt_observer_row(csv, tt_at(i), 1, err);
    }
    if (rc == TT_OK)
        rc = tt_observer_end(csv, err);
    tt_observer_free(csv);
    return (int)rc;
}

static void a_dash_is_standard_output(void **state)
{
    pid_t pid;

    (void)state;
    pid = fork();
    if (pid == 0)
        _exit(play_to_stdout(path, NULL));
    wait_for(pid, 0, TT_OK);
    expect_counting_rows(path, 3);
    pid = fork();
    if (pid == 0) {
        tt_err err = {0};
        int rc = play_to_stdout("/dev/full", &err);

        _exit(strcmp(err.msg, "cannot write standard output: No space left on "
                              "device") == 0
                  ? rc
                  : 1);
    }
    wait_for(pid, 0, TT_EIO);
}

static const struct tt_column only_text = {
    .name = "{a}.a.text", .type = TT_TEXT, .value = &text};
static const struct tt_rows just_text = {&only_text, 1, 0, 1};

static void a_full_file_ends_with_a_complete_row(void **state)
{
    static const struct {
        rlim_t size;
        const char *words, *text;
    } of[] = {
        {50, "; the first 3 rows are kept",
         "time,{a}.a.text\n0.0,\"a\nb\"\n1.0,\"a\nb\"\n2.0,\"a\nb\"\n"},
        {29, "; the first row is kept", "time,{a}.a.text\n0.0,\"a\nb\"\n"},
        {23, "", "time,{a}.a.text\n"},
    };

    (void)state;
    assert_int_equal(tt_text_set(&text, "a\nb"), 0);
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        char words[512];
        pid_t pid;

        snprintf(words, sizeof(words), "cannot write %s: File too large%s",
                 path, of[i].words);
        pid = fork();
        if (pid == 0)
            _exit(
                play_until_full(path, of[i].size, &just_text, counted, words));
        wait_for(pid, 0, 0);
        expect_file(of[i].text);
    }
}

/* A reader that goes away has seen enough: the run is asked to stop. */
static void a_closed_pipe_asks_to_stop(void **state)
{
    static const char *const dash = "-";
    const struct tt_files files = {.path = &dash, .n = 1};
    int ends[2];
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        tt_observer *csv = NULL;
        enum tt_code rc = TT_EIO;

        signal(SIGPIPE, SIG_IGN);
        close(ends[0]);
        if (dup2(ends[1], 1) != 1)
            _exit(1);
        if (tt_record_files(&csv, &files, 0, NULL) == TT_OK &&
            tt_observer_begin(csv, &just_x, NULL) == TT_OK)
            rc = TT_OK;
        for (int i = 0; rc == TT_OK && i < 100000000; i++)
            rc = tt_observer_row(csv, tt_at(i), 1, NULL);
        if (rc != TT_ESTOPPED || tt_observer_end(csv, NULL) != TT_OK)
            _exit(2);
        tt_observer_free(csv);
        _exit(0);
    }
    close(ends[0]);
    close(ends[1]);
    wait_for(pid, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maestro_2_gets_its_bytes),
        cmocka_unit_test(
            maestro_1_sorts_columns_quotes_texts_and_reports_the_step),
        cmocka_unit_test(the_file_exists_with_its_header_before_the_first_row),
        cmocka_unit_test(a_run_without_columns_writes_times),
        cmocka_unit_test(sampling_keeps_first_grid_and_last_rows),
        cmocka_unit_test(sampling_forgives_rounding_and_never_drifts),
        cmocka_unit_test(
            the_last_row_is_what_it_was_even_if_values_changed_since),
        cmocka_unit_test(numbers_and_texts_read_back_exactly),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(a_full_file_ends_with_a_complete_row),
        cmocka_unit_test(a_dash_is_standard_output),
        cmocka_unit_test(a_closed_pipe_asks_to_stop),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
