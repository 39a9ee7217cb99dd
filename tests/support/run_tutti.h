/* SPDX-License-Identifier: MIT */
#ifndef TT_TESTS_RUN_TUTTI_H
#define TT_TESTS_RUN_TUTTI_H

/* The program as a user meets it: started, waited for, its words and results
 * read. For cmocka tests; trouble that is not the program's fails the test. */

#include "base/buf.h"
#include "table/table.h"

/* Runs build/tutti with these arguments (without the program's name, NULL at
 * the end) and appends what it says to out and err (either may be NULL). Its
 * input is empty. Returns the exit code, or minus the signal that ended it. */
int run_tutti(const char *const argv[], struct tt_buf *out, struct tt_buf *err);

struct play {
    const char *scenario;    /* below build/examples, or an absolute path */
    double step;             /* s; 0: the scenario's own */
    double end;              /* s; 0: the scenario's own */
    const char *options[12]; /* further arguments, NULL at the end */
};

/* `tutti run` of a scenario that must succeed: its results, owned by the
 * caller. */
tt_table *play(const struct play *p);

/* The same, and what its summary counts. */
struct tally {
    size_t steps, rejected;
};
tt_table *play_tally(const struct play *p, struct tally *tally);

/* A column that must exist; one value per row, borrowed from t. */
const double *column(const tt_table *t, const char *name);

#endif
