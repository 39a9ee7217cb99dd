/* SPDX-License-Identifier: MIT */
#ifndef TT_TESTS_CLI_DESK_H
#define TT_TESTS_CLI_DESK_H

/* A folder to work in, the program run in it, and what it said. Include after
 * the headers of cmocka. */

#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"

#define EXAMPLES TT_BUILD_DIR "/examples/"
#define UNITS    TT_BUILD_DIR "/tests/units/"

struct output {
    int code;
    struct tt_buf out, err;
};

/* Group fixtures: a fresh folder, removed at the end. */
int desk_open(void **state);
int desk_close(void **state);

/* A file in the folder; the text lives until the test program ends. */
const char *at(const char *name);
void put(const char *name, const char *text, size_t n);
void put_text(const char *name, const char *text);
int exists(const char *name);
/* All of a file in the folder; owned by the caller (tt_free). */
char *read_text(const char *name);
size_t count_lines(const char *name);
/* Two results with the same bytes, and some. */
void expect_same_file(const char *a, const char *b);

/* Start the program with these arguments; NULL ends them. */
void tutti(struct output *s, const char *const argv[]);
#define TUTTI(s, ...) tutti((s), (const char *const[]){__VA_ARGS__, NULL})
void output_fini(struct output *s);
/* The same, not waited for, with these descriptors as stdout and stderr. */
pid_t tutti_start(const char *const argv[], int out, int err);

/* What it said must be exactly this ("%s" and so on are filled in). */
void expect_err(const struct output *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void expect_out(const struct output *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* `tutti run` with this file must end with code 2, this message, no word on
 * stdout and no file of results. */
void refuse(const char *file, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* stdout must be one JSON value. */
void expect_json(const struct output *s);

/* A copy of an FMU in the folder, each file passed through edit_cb: it may
 * change the name (in a buffer of 1024) and the data; 0 leaves the file out. */
typedef int (*edit_fn)(char *name, struct tt_buf *data);
void put_fmu(const char *name, const char *from, edit_fn edit_cb);
/* In a file's data: the first `from` becomes `to`. */
void replace(struct tt_buf *data, const char *from, const char *to);

#endif
