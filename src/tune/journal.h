/* SPDX-License-Identifier: MIT */
#ifndef TT_TUNE_JOURNAL_H
#define TT_TUNE_JOURNAL_H

/* What was done so far, in a file beside the results: a record each, of one
 * size, by number. A process that is killed leaves whole records and at most a
 * part of one, which does not count. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct tt_journal tt_journal;

struct tt_journal_opts {
    const char *path;
    const char *key; /* names what is done: another key, another work */
    size_t record;
    uint32_t n; /* numbers are below */
    void *ctx;
    /* Called for each record that is there, when opened. */
    void (*found_cb)(void *ctx, uint32_t number, const void *record);
};

/* Go on with the file if it has this key, else begin it anew. */
TT_NODISCARD enum tt_code
tt_journal_open(tt_journal **out, const struct tt_journal_opts *o, tt_err *err);
TT_NODISCARD enum tt_code tt_journal_add(tt_journal *j, uint32_t number,
                                         const void *record, tt_err *err);
/* Closes it, and removes the file if the work is done. Accepts NULL. */
void tt_journal_close(tt_journal *j, int done);

#endif
