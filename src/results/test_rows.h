/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_TEST_ROWS_H
#define TT_RESULTS_TEST_ROWS_H

/* Tests of recording: columns of every type, and a folder for the files. Each
 * test program includes this once, after cmocka.h. */

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/mem.h"
#include "results/record.h"
#include "sys/file.h"
#include "sys/proc.h"
#include "table/table.h"

static char *folder;

static inline int make_folder(void **state)
{
    (void)state;
    return tt_dir_temp(&folder, NULL) == TT_OK ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    (void)!tt_dir_remove(folder, NULL);
    tt_free(folder);
    return 0;
}

/* A file in the folder; good until the next eight calls. */
static inline const char *in_folder(const char *name)
{
    static char path[8][4200];
    static unsigned i;
    char *p = path[i++ % 8];

    (void)snprintf(p, sizeof(path[0]), "%s/%s", folder, name);
    return p;
}

static inline void expect_text(const char *path, const char *text)
{
    struct tt_buf b;

    tt_buf_init(&b, 1 << 20);
    assert_int_equal(tt_file_read(&b, path, NULL), TT_OK);
    tt_buf_char(&b, '\0');
    assert_string_equal(b.data, text);
    tt_buf_fini(&b);
}

static inline tt_observer *record_to(const char *path, double interval,
                                     enum tt_csv_dialect dialect,
                                     const struct tt_rows *rows)
{
    struct tt_files files = {.path = &path, .n = 1, .dialect = dialect};
    tt_observer *o = NULL;
    tt_err err = {0};

    if (tt_record_files(&o, &files, interval, &err) != TT_OK ||
        tt_observer_begin(o, rows, &err) != TT_OK)
        fail_msg("%s", err.msg);
    return o;
}

static inline void row(tt_observer *o, double t, double h)
{
    tt_err err = {0};

    if (tt_observer_row(o, tt_at(t), h, &err) != TT_OK)
        fail_msg("%s", err.msg);
}

static inline void end(tt_observer *o)
{
    tt_err err = {0};

    if (tt_observer_end(o, &err) != TT_OK)
        fail_msg("%s", err.msg);
    tt_observer_free(o);
}

static inline tt_table *load(const char *path)
{
    tt_table *t = NULL;
    tt_err err = {0};

    if (tt_table_load(&t, path, &err) != TT_OK)
        fail_msg("%s", err.msg);
    return t;
}

static inline void wait_for(pid_t pid, int want_signal, int want_exit)
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
    {.name = "{z}.z.f64",
     .unit = "m",
     .text = "a length",
     .type = TT_F64,
     .value = &f64},
    {.name = "{a}.a.f32", .unit = "K", .type = TT_F32, .value = &f32},
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
    {.name = "{a}.a.text", .text = "words", .type = TT_TEXT, .value = &text},
    {.name = "{a}.a.bytes", .type = TT_BYTES, .value = &bytes},
};
static const struct tt_rows all = {every, sizeof(every) / sizeof(*every), 0, 1};

static double x;
static const struct tt_column one = {
    .name = "{a}.a.x", .type = TT_F64, .value = &x};
static const struct tt_rows just_x = {&one, 1, 0, 1};

/* Bit patterns spread over all doubles. */
static inline double any_double(uint64_t i)
{
    uint64_t bits = i * UINT64_C(0x9e3779b97f4a7c15);
    double d;

    bits ^= bits >> 29;
    memcpy(&d, &bits, sizeof(d));
    return d;
}

static inline double counted(uint64_t i)
{
    return (double)i;
}

/* In a child, because the limit stays: a file of `size` bytes, such rows with
 * these values of x until it is full, and the message. */
static inline int play_until_full(const char *path, rlim_t size,
                                  const struct tt_rows *rows,
                                  double (*value)(uint64_t i),
                                  const char *words)
{
    const struct rlimit limit = {size, size};
    const struct tt_files files = {.path = &path, .n = 1};
    tt_observer *o = NULL;
    enum tt_code rc = TT_OK;
    tt_err err = {0};

    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        tt_record_files(&o, &files, 0, NULL) != TT_OK ||
        tt_observer_begin(o, rows, NULL) != TT_OK)
        return 1;
    for (uint64_t i = 0; rc == TT_OK && i < 10000000; i++) {
        x = value(i);
        rc = tt_observer_row(o, tt_at((double)i), 1, &err);
    }
    if (rc != TT_EIO || strcmp(err.msg, words) != 0) {
        (void)fprintf(stderr, "%s\n", err.msg);
        return 2;
    }
    err.msg[0] = '\0';
    if (tt_observer_end(o, &err) != TT_EIO || strcmp(err.msg, words) != 0)
        return 3;
    tt_observer_free(o);
    return 0;
}

/* Rows 0..n-1 with t = x = i, nothing else. */
static inline void expect_counting_rows(const char *path, uint64_t n)
{
    tt_table *t = load(path);

    assert_int_equal(tt_table_rows(t), n);
    for (size_t i = 0; i < n; i++) {
        assert_true(tt_table_time(t)[i] == (double)i);
        assert_true(tt_table_values(t, 0)[i] == (double)i);
    }
    tt_table_free(t);
}

/* 100000 rows of any doubles read back from `path` bit by bit. */
static inline void expect_exact_numbers(const char *path)
{
    const uint64_t n = 100000;
    tt_observer *o = record_to(path, 0, TT_CSV_MAESTRO2, &just_x);
    tt_table *t;

    for (uint64_t i = 0; i < n; i++) {
        x = any_double(i);
        row(o, 0.1 * (double)i, 0.1);
    }
    end(o);
    t = load(path);
    assert_int_equal(tt_table_rows(t), n);
    for (uint64_t i = 0; i < n; i++) {
        double want = any_double(i), got = tt_table_values(t, 0)[i];

        assert_true(tt_table_time(t)[i] == 0.1 * (double)i);
        assert_true((want != want && got != got) ||
                    memcmp(&want, &got, sizeof(want)) == 0);
    }
    tt_table_free(t);
}

/* Texts that formats find hard read back as they were. */
static inline void expect_exact_texts(const char *path)
{
    static const char *const word[] = {"idle",   "a,b",        "\"", " lead",
                                       "trail ", "two\nlines", "\r", ""};
    struct tt_rows rows = {&every[15], 1, 0, 1};
    tt_observer *o = record_to(path, 0, TT_CSV_MAESTRO2, &rows);
    tt_table *t;

    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(tt_text_set(&text, word[i]), 0);
        row(o, (double)i, 1);
    }
    end(o);
    t = load(path);
    for (size_t i = 0; i < 8; i++)
        assert_string_equal(tt_table_text(t, 0, i), word[i]);
    tt_table_free(t);
}

/* Every type, in some rows, reads back as the number or text it is. */
static inline void expect_every_type(const char *path)
{
    static const double want[] = {1e-4,
                                  0.5,
                                  -8,
                                  8,
                                  -16,
                                  16,
                                  -32,
                                  32,
                                  -9223372036854775808.0,
                                  18446744073709551616.0,
                                  1,
                                  0,
                                  3,
                                  -4,
                                  1};
    tt_observer *o = record_to(path, 0, TT_CSV_MAESTRO2, &all);
    tt_table *t;

    assert_int_equal(tt_text_set(&text, "plain text"), 0);
    assert_int_equal(tt_text_set(&bytes, "\x01\xab"), 0);
    for (int i = 0; i < 3; i++)
        row(o, i, 1);
    end(o);
    t = load(path);
    assert_int_equal(tt_table_columns(t), all.n);
    for (uint32_t c = 0; c < 15; c++) {
        assert_string_equal(tt_table_name(t, c), every[c].name);
        assert_false(tt_table_is_text(t, c));
        for (size_t i = 0; i < 3; i++)
            assert_true(tt_table_values(t, c)[i] == want[c]);
    }
    assert_string_equal(tt_table_text(t, 15, 2), "plain text");
    assert_string_equal(tt_table_name(t, 16), "{a}.a.bytes");
    assert_string_equal(tt_table_text(t, 16, 2),
                        "2:f2e97756070035a94e7ef9e9e2424b4eaeb1b62d"
                        "6e3d544f8d6b04cffcdb37fa");
    tt_table_free(t);
}

#endif
