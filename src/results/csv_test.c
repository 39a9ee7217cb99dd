/* SPDX-License-Identifier: MIT */
#include "results/csv.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/file.h"
#include "sys/proc.h"
#include "table/table.h"

static char *folder;
static char *path;

static int make_folder(void **state)
{
    (void)state;
    if (tt_dir_temp(&folder, NULL) != TT_OK)
        return -1;
    path = tt_path_join(folder, "out.csv");
    return path ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    tt_free(path);
    (void)!tt_dir_remove(folder, NULL);
    tt_free(folder);
    return 0;
}

static void expect_file(const char *text)
{
    struct tt_buf b;

    tt_buf_init(&b, 1 << 20);
    assert_int_equal(tt_file_read(&b, path, NULL), TT_OK);
    tt_buf_char(&b, '\0');
    assert_string_equal(b.data, text);
    tt_buf_fini(&b);
}

static tt_observer *open_csv(const struct tt_csv_opts *opts,
                             const struct tt_rows *rows)
{
    struct tt_csv_opts o = *opts;
    tt_observer *csv = NULL;
    tt_err err = {0};

    if (!o.path)
        o.path = path;
    if (tt_csv_new(&csv, &o, &err) != TT_OK ||
        tt_observer_begin(csv, rows, &err) != TT_OK)
        fail_msg("%s", err.msg);
    return csv;
}

static void row(tt_observer *csv, double t, double h)
{
    tt_err err = {0};

    if (tt_observer_row(csv, t, h, &err) != TT_OK)
        fail_msg("%s", err.msg);
}

static void end(tt_observer *csv)
{
    tt_err err = {0};

    if (tt_observer_end(csv, &err) != TT_OK)
        fail_msg("%s", err.msg);
    tt_observer_free(csv);
}

/* One value of every type, names out of order. */
static double f64 = 1.0E-4;
static float f32 = 0.5f;
static int8_t i8 = -8;
static uint8_t u8 = 8;
static int16_t i16 = -16;
static uint16_t u16 = 16;
static int32_t i32 = -32;
static uint32_t u32 = 32;
static int64_t i64 = INT64_MIN;
static uint64_t u64 = UINT64_MAX;
static bool yes = true;
static int no32 = 0;
static int32_t e32 = 3;
static int64_t e64 = -4;
static bool tick = true;
static struct tt_text text, bytes;

static struct tt_column every[] = {
    {.name = "{z}.z.f64", .type = TT_F64, .value = &f64},
    {.name = "{a}.a.f32", .type = TT_F32, .value = &f32},
    {.name = "{a}.a.i8", .type = TT_I8, .value = &i8},
    {.name = "{a}.a.u8", .type = TT_U8, .value = &u8},
    {.name = "{a}.a.i16", .type = TT_I16, .value = &i16},
    {.name = "{a}.a.u16", .type = TT_U16, .value = &u16},
    {.name = "{a}.a.i32", .type = TT_I32, .value = &i32},
    {.name = "{a}.a.u32", .type = TT_U32, .value = &u32},
    {.name = "{a}.a.i64", .type = TT_I64, .value = &i64},
    {.name = "{a}.a.u64", .type = TT_U64, .value = &u64},
    {.name = "{a}.a.x[1,2]", .type = TT_BOOL, .value = &yes},
    {.name = "{a}.a.b32", .type = TT_BOOL32, .value = &no32},
    {.name = "{a}.a.e32", .type = TT_ENUM32, .value = &e32},
    {.name = "{a}.a.e64", .type = TT_ENUM64, .value = &e64},
    {.name = "{a}.a.tick", .type = TT_CLOCK, .value = &tick},
    {.name = "{a}.a.text", .type = TT_TEXT, .value = &text},
    {.name = "{a}.a.bytes", .type = TT_BYTES, .value = &bytes},
};
static const struct tt_rows all = {every, sizeof(every) / sizeof(*every), 0, 1};

static void maestro_2_gets_its_bytes(void **state)
{
    tt_observer *csv = open_csv(&(struct tt_csv_opts){0}, &all);

    (void)state;
    assert_int_equal(tt_text_set(&text, "plain text"), 0);
    assert_int_equal(tt_text_set(&bytes, "\x01\xab"), 0);
    row(csv, 0, 0);
    assert_int_equal(tt_text_set(&text, "a \"b\",\nc"), 0);
    row(csv, 0.1 + 0.2, 0.3);
    assert_int_equal(tt_csv_rows(csv), 2);
    end(csv);
    expect_file(
        "time,{z}.z.f64,{a}.a.f32,{a}.a.i8,{a}.a.u8,{a}.a.i16,{a}.a.u16,"
        "{a}.a.i32,{a}.a.u32,{a}.a.i64,{a}.a.u64,\"{a}.a.x[1,2]\",{a}.a.b32,"
        "{a}.a.e32,{a}.a.e64,{a}.a.tick,{a}.a.text,{a}.a.bytes\n"
        "0.0,1.0E-4,0.5,-8,8,-16,16,-32,32,-9223372036854775808,"
        "18446744073709551615,true,false,3,-4,true,plain text,01ab\n"
        "0.30000000000000004,1.0E-4,0.5,-8,8,-16,16,-32,32,"
        "-9223372036854775808,18446744073709551615,true,false,3,-4,true,"
        "\"a \"\"b\"\",\nc\",01ab\n");
}

static void
maestro_1_sorts_columns_quotes_texts_and_tells_the_step(void **state)
{
    struct tt_column some[] = {every[0], every[15], every[6]};
    struct tt_rows rows = {some, 3, 0, 1};
    tt_observer *csv =
        open_csv(&(struct tt_csv_opts){.dialect = TT_CSV_MAESTRO1}, &rows);

    (void)state;
    assert_int_equal(tt_text_set(&text, "say \"hi\""), 0);
    row(csv, 0, 0);
    row(csv, 0.5, 0.5);
    end(csv);
    expect_file("time,step-size,{a}.a.i32,{a}.a.text,{z}.z.f64\n"
                "0.0,0.0,-32,\"say \"\"hi\"\"\",1.0E-4\n"
                "0.5,0.5,-32,\"say \"\"hi\"\"\",1.0E-4\n");
}

static double x;
static const struct tt_column one = {
    .name = "{a}.a.x", .type = TT_F64, .value = &x};
static const struct tt_rows just_x = {&one, 1, 0, 1};

static void the_file_exists_with_its_header_before_the_first_row(void **state)
{
    tt_observer *csv = open_csv(&(struct tt_csv_opts){0}, &just_x);

    (void)state;
    expect_file("time,{a}.a.x\n");
    end(csv);
    expect_file("time,{a}.a.x\n");
}

static void a_run_without_columns_writes_times(void **state)
{
    struct tt_rows none = {NULL, 0, 0, 1};
    tt_observer *csv = open_csv(&(struct tt_csv_opts){0}, &none);

    (void)state;
    row(csv, 0, 0);
    row(csv, 1e7, 1e7);
    end(csv);
    expect_file("time\n0.0\n1.0E7\n");
}

/* Bit patterns spread over all doubles. */
static double any_double(uint64_t i)
{
    uint64_t bits = i * UINT64_C(0x9e3779b97f4a7c15);
    double d;

    bits ^= bits >> 29;
    memcpy(&d, &bits, sizeof(d));
    return d;
}

static void every_number_reads_back_exactly(void **state)
{
    const uint64_t n = 100000;
    tt_observer *csv = open_csv(&(struct tt_csv_opts){0}, &just_x);
    tt_table *t = NULL;

    (void)state;
    for (uint64_t i = 0; i < n; i++) {
        x = any_double(i);
        row(csv, 0.1 * (double)i, 0.1);
    }
    end(csv);
    assert_int_equal(tt_table_load(&t, path, NULL), TT_OK);
    assert_int_equal(tt_table_rows(t), n);
    for (uint64_t i = 0; i < n; i++) {
        double want = any_double(i), got = tt_table_values(t, 0)[i];

        assert_true(tt_table_time(t)[i] == 0.1 * (double)i);
        assert_true((isnan(want) && isnan(got)) ||
                    memcmp(&want, &got, sizeof(want)) == 0);
    }
    tt_table_free(t);
}

static void texts_read_back_exactly(void **state)
{
    static const char *const word[] = {"idle",   "a,b",        "\"", " lead",
                                       "trail ", "two\nlines", "\r", ""};
    struct tt_rows rows = {&every[15], 1, 0, 1};
    tt_observer *csv = open_csv(&(struct tt_csv_opts){0}, &rows);
    tt_table *t = NULL;

    (void)state;
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(tt_text_set(&text, word[i]), 0);
        row(csv, (double)i, 1);
    }
    end(csv);
    assert_int_equal(tt_table_load(&t, path, NULL), TT_OK);
    for (size_t i = 0; i < 8; i++)
        assert_string_equal(tt_table_text(t, 0, i), word[i]);
    tt_table_free(t);
}

static void sampling_keeps_first_grid_and_last_rows(void **state)
{
    tt_observer *csv =
        open_csv(&(struct tt_csv_opts){.interval = 0.25}, &just_x);

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
    tt_observer *csv =
        open_csv(&(struct tt_csv_opts){.interval = 0.1}, &just_x);
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
    tt_observer *csv = open_csv(&(struct tt_csv_opts){.interval = 1}, &rows);

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

static void
rows_longer_than_a_given_buffer_are_refused_at_the_start(void **state)
{
    size_t size = sizeof(struct tt_csv_spill) + 256;
    void *memory = tt_zalloc(1, size);
    struct tt_csv_spill *spill = tt_csv_spill_init(memory, size);
    struct tt_csv_opts opts = {.path = path, .spill = spill};
    tt_observer *csv = NULL;
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_csv_new(&csv, &opts, &err), TT_OK);
    assert_int_equal(tt_observer_begin(csv, &all, &err), TT_ENOMEM);
    assert_string_equal(err.msg, "results of 17 columns need a buffer of 9310 "
                                 "bytes, there are 256");
    assert_int_equal(tt_observer_end(csv, &err), TT_OK);
    tt_observer_free(csv);
    tt_free(memory);
}

static void a_full_disk_is_an_error(void **state)
{
    size_t size = TT_CSV_SPILL_SIZE;
    void *memory = tt_zalloc(1, size);
    struct tt_csv_opts opts = {.path = "/dev/full",
                               .spill = tt_csv_spill_init(memory, size)};
    tt_observer *csv = NULL;
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_csv_new(&csv, &opts, &err), TT_OK);
    assert_int_equal(tt_observer_begin(csv, &just_x, &err), TT_EIO);
    assert_string_equal(err.msg,
                        "cannot write /dev/full: No space left on device");
    err.msg[0] = '\0';
    assert_int_equal(tt_observer_end(csv, &err), TT_EIO);
    assert_string_equal(err.msg,
                        "cannot write /dev/full: No space left on device");
    assert_int_equal(opts.spill->written, 0);
    assert_int_equal(opts.spill->filled, 0); /* nobody appends it later */
    tt_observer_free(csv);
    tt_free(memory);
}

/* A limit on the file's size is a disk that fills in the middle of a row. */
static void play_until_the_disk_is_full(void *memory, size_t size)
{
    struct tt_csv_opts opts = {.path = path,
                               .spill = tt_csv_spill_init(memory, size)};
    tt_observer *csv = NULL;
    tt_err err = {0};
    enum tt_code rc = TT_OK;

    if (tt_csv_new(&csv, &opts, &err) != TT_OK ||
        tt_observer_begin(csv, &just_x, &err) != TT_OK)
        _exit(1);
    for (int i = 0; i < 1000000 && rc == TT_OK; i++) {
        x = i;
        rc = tt_observer_row(csv, i, 1, &err);
    }
    _exit(rc == TT_EIO && strstr(err.msg, "File too large") ? 42 : 2);
}

static void wait_for(pid_t pid, int want_signal, int want_exit)
{
    int status = 0;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (want_signal) {
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), want_signal);
    } else {
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), want_exit);
    }
}

/* Rows 0..n-1 with t = x = i, nothing else. */
static void expect_counting_rows(uint64_t n)
{
    tt_table *t = NULL;
    tt_err err = {0};

    if (tt_table_load(&t, path, &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(tt_table_rows(t), n);
    for (size_t i = 0; i < n; i++) {
        assert_true(tt_table_time(t)[i] == (double)i);
        assert_true(tt_table_values(t, 0)[i] == (double)i);
    }
    tt_table_free(t);
}

static void
rows_cut_by_a_full_disk_are_completed_when_there_is_room_again(void **state)
{
    size_t size = TT_CSV_SPILL_SIZE;
    void *memory = tt_shared_alloc(size);
    uint64_t rows = 0;
    tt_err err = {0};
    pid_t pid;

    (void)state;
    assert_non_null(memory);
    pid = fork();
    if (pid == 0) {
        struct rlimit limit = {200001, 200001};

        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(3);
        play_until_the_disk_is_full(memory, size);
    }
    wait_for(pid, 0, 42);
    if (tt_csv_rescue(memory, size, &rows, &err) != TT_OK)
        fail_msg("%s", err.msg);
    expect_counting_rows(rows);
    tt_shared_free(memory, size);
}

/* Write n rows into the spill, then die as from `kill -9`. */
static void play_and_die(void *memory, size_t size, uint64_t n, double interval)
{
    struct tt_csv_opts opts = {.path = path,
                               .interval = interval,
                               .spill = tt_csv_spill_init(memory, size)};
    tt_observer *csv = NULL;

    if (tt_csv_new(&csv, &opts, NULL) != TT_OK ||
        tt_observer_begin(csv, &just_x, NULL) != TT_OK)
        _exit(1);
    for (uint64_t i = 0; i < n; i++) {
        x = (double)i;
        if (tt_observer_row(csv, (double)i, 1, NULL) != TT_OK)
            _exit(1);
    }
    raise(SIGKILL);
    _exit(1);
}

static void expect_rescue(uint64_t n)
{
    size_t size = TT_CSV_SPILL_SIZE;
    void *memory = tt_shared_alloc(size);
    uint64_t rows = 0;
    tt_err err = {0};
    pid_t pid;

    assert_non_null(memory);
    pid = fork();
    if (pid == 0)
        play_and_die(memory, size, n, 0);
    wait_for(pid, SIGKILL, 0);
    if (tt_csv_rescue(memory, size, &rows, &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(rows, n);
    expect_counting_rows(n);
    /* Once more changes nothing. */
    assert_int_equal(tt_csv_rescue(memory, size, &rows, &err), TT_OK);
    expect_counting_rows(n);
    tt_shared_free(memory, size);
}

static void no_row_is_lost_when_the_process_is_killed(void **state)
{
    (void)state;
    expect_rescue(0);
    expect_rescue(1);
    expect_rescue(37);
    expect_rescue(30000); /* more than one buffer */
}

static void a_process_killed_at_any_moment_leaves_whole_rows(void **state)
{
    size_t size = TT_CSV_SPILL_SIZE;

    (void)state;
    for (int i = 0; i < 20; i++) {
        void *memory = tt_shared_alloc(size);
        volatile struct tt_csv_spill *spill = memory;
        uint64_t rows = 0;
        tt_err err = {0};
        pid_t pid;

        assert_non_null(memory);
        pid = fork();
        if (pid == 0)
            play_and_die(memory, size, UINT64_MAX, 0);
        while (spill->rows < 2000u * (unsigned)(i + 1))
            ; /* until it is well under way */
        kill(pid, SIGKILL);
        wait_for(pid, SIGKILL, 0);
        if (tt_csv_rescue(memory, size, &rows, &err) != TT_OK)
            fail_msg("%s", err.msg);
        assert_true(rows >= 2000u * (unsigned)(i + 1));
        {
            tt_table *t = NULL;

            if (tt_table_load(&t, path, &err) != TT_OK)
                fail_msg("%s", err.msg);
            /* `rows` may lack the row published just before death */
            assert_true(tt_table_rows(t) - rows <= 1);
            rows = tt_table_rows(t);
            tt_table_free(t);
        }
        expect_counting_rows(rows);
        tt_shared_free(memory, size);
    }
}

static void the_row_that_sampling_held_is_rescued_too(void **state)
{
    size_t size = TT_CSV_SPILL_SIZE;
    void *memory = tt_shared_alloc(size);
    uint64_t rows = 0;
    pid_t pid;

    (void)state;
    assert_non_null(memory);
    pid = fork();
    if (pid == 0)
        play_and_die(memory, size, 26, 10);
    wait_for(pid, SIGKILL, 0);
    assert_int_equal(tt_csv_rescue(memory, size, &rows, NULL), TT_OK);
    assert_int_equal(rows, 4);
    expect_file("time,{a}.a.x\n0.0,0.0\n10.0,10.0\n20.0,20.0\n25.0,25.0\n");
    tt_shared_free(memory, size);
}

/* Play three rows to standard output, which is `target`. */
static int play_to_stdout(const char *target, tt_err *err)
{
    struct tt_csv_opts opts = {.path = "-"};
    tt_observer *csv = NULL;
    enum tt_code rc;

    if (!freopen(target, "w", stdout))
        return 1;
    rc = tt_csv_new(&csv, &opts, err);
    if (rc == TT_OK)
        rc = tt_observer_begin(csv, &just_x, err);
    for (int i = 0; i < 3 && rc == TT_OK; i++) {
        x = i;
        rc = tt_observer_row(csv, i, 1, err);
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
    expect_counting_rows(3);
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

/* In a child, because the limit stays: a file of `size` bytes, rows until it is
 * full, and the message. */
static int play_until_full(rlim_t size, const char *words)
{
    const struct rlimit limit = {size, size};
    struct tt_csv_opts opts = {.path = path};
    tt_observer *csv = NULL;
    enum tt_code rc = TT_OK;
    tt_err err = {0};

    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        tt_csv_new(&csv, &opts, NULL) != TT_OK ||
        tt_observer_begin(csv, &just_text, NULL) != TT_OK)
        return 1;
    for (int i = 0; rc == TT_OK && i < 1000000; i++)
        rc = tt_observer_row(csv, i % 10, 1, &err);
    if (rc != TT_EIO || strcmp(err.msg, words) != 0)
        return 2;
    err.msg[0] = '\0';
    if (tt_observer_end(csv, &err) != TT_EIO || strcmp(err.msg, words) != 0)
        return 3;
    tt_observer_free(csv);
    return 0;
}

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
            _exit(play_until_full(of[i].size, words));
        wait_for(pid, 0, 0);
        expect_file(of[i].text);
    }
}

static void a_run_that_never_began_has_nothing_to_rescue(void **state)
{
    size_t size = TT_CSV_SPILL_SIZE;
    void *memory = tt_shared_alloc(size);
    uint64_t rows = 7;

    (void)state;
    assert_non_null(tt_csv_spill_init(memory, size));
    assert_int_equal(tt_csv_rescue(memory, size, &rows, NULL), TT_OK);
    assert_int_equal(rows, 0);
    tt_shared_free(memory, size);
}

static void a_spill_that_was_overwritten_is_noticed(void **state)
{
    size_t size = TT_CSV_SPILL_SIZE;
    struct tt_csv_spill *spill = tt_shared_alloc(size);
    struct tt_csv_spill good;
    tt_err err = {0};
    pid_t pid;

    (void)state;
    assert_non_null(spill);
    pid = fork();
    if (pid == 0)
        play_and_die(spill, size, 26, 10);
    wait_for(pid, SIGKILL, 0);
    memcpy(&good, spill, sizeof(good));
    spill->filled = spill->written + size;
    assert_int_equal(tt_csv_rescue(spill, size, NULL, &err), TT_ECRASH);
    assert_string_equal(err.msg, "the rows waiting for the result file were "
                                 "overwritten in memory");
    memcpy(spill, &good, sizeof(good));
    memset(spill->data + spill->held_at, 0x55, 16);
    assert_int_equal(tt_csv_rescue(spill, size, NULL, &err), TT_ECRASH);
    assert_true(strncmp(err.msg, "the last row of ", 16) == 0);
    spill->n = UINT32_MAX;
    assert_int_equal(tt_csv_rescue(spill, size, NULL, &err), TT_ECRASH);
    tt_shared_free(spill, size);
}

static void bad_options_are_refused(void **state)
{
    char *longer = tt_zalloc(1, TT_CSV_PATH_MAX + 1);
    tt_observer *csv = NULL;
    tt_err err = {0};

    (void)state;
    assert_int_equal(
        tt_csv_new(&csv, &(struct tt_csv_opts){.path = "a", .interval = -1},
                   &err),
        TT_EINPUT);
    assert_string_equal(err.msg, "the interval between result rows must be a "
                                 "number of seconds, 0 or more");
    memset(longer, 'a', TT_CSV_PATH_MAX);
    assert_int_equal(
        tt_csv_new(&csv, &(struct tt_csv_opts){.path = longer}, &err),
        TT_EINPUT);
    assert_string_equal(
        err.msg, "the name of the result file is longer than 4095 bytes");
    tt_free(longer);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    tt_observer *csv = NULL;
    tt_err err = {0};

    (void)state;
    assert_int_equal(
        tt_csv_new(&csv, &(struct tt_csv_opts){.path = "/nonexistent/out.csv"},
                   &err),
        TT_OK);
    assert_int_equal(tt_observer_begin(csv, &just_x, &err), TT_EIO);
    assert_string_equal(
        err.msg,
        "cannot write /nonexistent/out.csv: No such file or directory");
    tt_observer_free(csv);
}

static void rows_allocate_nothing(void **state)
{
    tt_observer *csv = open_csv(&(struct tt_csv_opts){.interval = 3}, &all);
    uint64_t before = tt_mem_count();

    (void)state;
    for (int i = 0; i < 5000; i++)
        row(csv, i, 1);
    assert_int_equal(tt_mem_count(), before);
    end(csv);
}

static void a_failed_allocation_loses_nothing(void **state)
{
    struct tt_csv_opts opts = {.path = path, .interval = 1};

    (void)state;
    for (uint64_t i = 1;; i++) {
        tt_observer *csv = NULL;
        enum tt_code rc;

        tt_mem_fail_after(i);
        rc = tt_csv_new(&csv, &opts, NULL);
        if (rc == TT_OK)
            rc = tt_observer_begin(csv, &just_x, NULL);
        if (rc == TT_OK)
            rc = tt_observer_row(csv, 0, 0, NULL);
        if (rc == TT_OK)
            rc = tt_observer_row(csv, 0.5, 0.5, NULL);
        if (rc == TT_OK)
            rc = tt_observer_end(csv, NULL);
        tt_mem_fail_after(0);
        tt_observer_free(csv);
        if (rc == TT_OK)
            break;
        assert_int_equal(rc, TT_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maestro_2_gets_its_bytes),
        cmocka_unit_test(
            maestro_1_sorts_columns_quotes_texts_and_tells_the_step),
        cmocka_unit_test(the_file_exists_with_its_header_before_the_first_row),
        cmocka_unit_test(a_run_without_columns_writes_times),
        cmocka_unit_test(every_number_reads_back_exactly),
        cmocka_unit_test(texts_read_back_exactly),
        cmocka_unit_test(sampling_keeps_first_grid_and_last_rows),
        cmocka_unit_test(sampling_forgives_rounding_and_never_drifts),
        cmocka_unit_test(
            the_last_row_is_what_it_was_even_if_values_changed_since),
        cmocka_unit_test(
            rows_longer_than_a_given_buffer_are_refused_at_the_start),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(a_full_file_ends_with_a_complete_row),
        cmocka_unit_test(
            rows_cut_by_a_full_disk_are_completed_when_there_is_room_again),
        cmocka_unit_test(no_row_is_lost_when_the_process_is_killed),
        cmocka_unit_test(a_process_killed_at_any_moment_leaves_whole_rows),
        cmocka_unit_test(the_row_that_sampling_held_is_rescued_too),
        cmocka_unit_test(a_dash_is_standard_output),
        cmocka_unit_test(a_run_that_never_began_has_nothing_to_rescue),
        cmocka_unit_test(a_spill_that_was_overwritten_is_noticed),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(a_folder_that_is_not_there_is_named),
        cmocka_unit_test(rows_allocate_nothing),
        cmocka_unit_test(a_failed_allocation_loses_nothing),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
