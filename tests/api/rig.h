/* SPDX-License-Identifier: MIT */
#ifndef TT_TESTS_API_RIG_H
#define TT_TESTS_API_RIG_H

/* What the tests of the library share. They see tutti/tutti.h only. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <tutti/tutti.h>

#define EXAMPLES BUILD_DIR "/examples/"
#define UNITS    BUILD_DIR "/tests/units/"
#define MASSES   EXAMPLES "double-mass-spring-damper/scenario.json"

/* A folder for the test program; setup and teardown of a group. */
int rig_begin(void **state);
int rig_end(void **state);
/* Path of a file in it; good until the fourth call after. */
const char *rig_file(const char *name);
void rig_write(const char *path, const char *text);
char *rig_read(const char *path); /* free() it; fails the test if missing */
size_t rig_lines(const char *text);

/* A call that must succeed, else its message fails the test. */
#define OK(call)                                                               \
    do {                                                                       \
        tutti_error e;                                                         \
        if (rig_failed((call), &e))                                            \
            fail_msg("%s: %s", #call, e.message);                              \
    } while (0)
/* A call that must fail with this code and this message, whole. */
#define REFUSED(call, wanted, message_)                                        \
    do {                                                                       \
        tutti_error e = {TUTTI_OK, "untouched"};                               \
        assert_int_equal((call), (wanted));                                    \
        assert_int_equal(e.code, (wanted));                                    \
        assert_string_equal(e.message, (message_));                            \
    } while (0)
int rig_failed(enum tutti_code rc, const tutti_error *e);

tutti_scenario *rig_load(const char *path, const struct tutti_options *o);
/* One FMU alone, from build/tests/units. */
tutti_scenario *rig_unit(const char *fmu, const struct tutti_options *o);
tutti_run *rig_run(const tutti_scenario *s, const struct tutti_run_options *o);

/* Rows as they came. */
struct rig_rows {
    double *value; /* t and the columns of each row */
    size_t n, rows, width;
    size_t stop_after; /* rows; 0: never */
};
int rig_row(void *rows, double t, const double *value, size_t n);
void rig_rows_free(struct rig_rows *r);
void rig_same_rows(const struct rig_rows *a, const struct rig_rows *b);

#endif
