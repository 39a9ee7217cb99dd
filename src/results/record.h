/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_RECORD_H
#define TT_RESULTS_RECORD_H

/* The observer that records rows to files.
 *
 * A row costs the player a copy of its values; the rest happens elsewhere
 * (tape.h). `begin` returns when the files are there, `end` when they are
 * complete, each with what went wrong; a file that takes no more is reported at
 * one of the rows after it happened.
 *
 * interval: seconds between rows; 0: every row. Otherwise the first row, then
 * the first at or after each start + k*interval, and the last row of the run
 * always.
 */

#include <stdint.h>

#include "results/observer.h"
#include "results/scribe.h"
#include "results/tape.h"

/* To a scribe elsewhere, by a tape that outlives us. */
TT_NODISCARD enum tt_code tt_record_new(tt_observer **out, struct tt_tape *tape,
                                        double interval, tt_err *err);
/* To files, by a scribe of our own in this process. */
TT_NODISCARD enum tt_code tt_record_files(tt_observer **out,
                                          const struct tt_files *files,
                                          double interval, tt_err *err);
/* Wait until every row recorded so far can be read in the files. */
TT_NODISCARD enum tt_code tt_record_flush(tt_observer *o, tt_err *err);
/* Mark the rows so far as such to come back to: their positions in the files
 * will be known by this number, 1 and up (tt_scribe_position). Does not wait,
 * unless TT_TAPE_MARKS earlier ones are not noted yet. */
TT_NODISCARD enum tt_code tt_record_mark(tt_observer *o, uint64_t *mark,
                                         tt_err *err);
/* Rows recorded, also before a checkpoint, without one that sampling holds
 * back. */
uint64_t tt_record_rows(const tt_observer *o);

#endif
