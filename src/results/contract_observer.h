/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_CONTRACT_OBSERVER_H
#define TT_RESULTS_CONTRACT_OBSERVER_H

/* What every observer owes to the run that calls it (results/observer.h):
 *
 *   - every row is kept in order, with the values of its instant, or those that
 *     sampling asks for: the first, the first at or after each start +
 *     k*interval, and the last;
 *   - saving changes nothing, and what is saved states all: another observer
 * that takes it up after `begin` goes on as if it had seen all rows;
 *   - a saved state that is cut short is refused with a message;
 *   - one that cannot begin or take a row states it with a message, and can be
 *     ended and freed;
 *   - it can be freed in any state: not begun, without rows, not ended;
 *   - without memory it fails, and nothing is lost (the sanitizer watches).
 *
 * The other side, what a run owes to its observers, is in run/observers_test.c.
 * Asserts with TT_ASSERT. In tutti_testing only. */

#include "results/observer.h"

#define TT_SEEN_ROWS    64u
#define TT_SEEN_COLUMNS 3u /* of numbers; the fourth is a text */

struct tt_seen {
    uint64_t n;
    double t[TT_SEEN_ROWS], v[TT_SEEN_ROWS][TT_SEEN_COLUMNS];
};

struct tt_observer_sample {
    const char *name;
    double interval; /* of sampling; 0: every row is kept */
    /* A new one. from: what `mark` gave, to continue there; NULL: afresh. */
    enum tt_code (*make)(const struct tt_observer_sample *s,
                         const struct tt_buf *from, tt_observer **out,
                         tt_err *err);
    /* One that fails before row TT_SEEN_ROWS. */
    enum tt_code (*make_broken)(const struct tt_observer_sample *s,
                                tt_observer **out, tt_err *err);
    /* What continuing takes besides the saved state; NULL: nothing. */
    void (*mark)(const struct tt_observer_sample *s, tt_observer *o,
                 struct tt_buf *to);
    /* What it kept, once it has ended. */
    void (*read)(const struct tt_observer_sample *s, tt_observer *o,
                 struct tt_seen *out);
    void *ctx;
};

void tt_observer_contract(const struct tt_observer_sample *s);

#endif
