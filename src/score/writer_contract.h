/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_WRITER_CONTRACT_H
#define TT_SCORE_WRITER_CONTRACT_H

/* What every score writer owes, over random scenarios:
 *
 *   - what it writes passes the checker, and every unit is in its order once;
 *   - it writes the same again: same hash, same file form;
 *   - the file form read back has the same hash, and any change of an
 *     operation another one;
 *   - it leaves the plan as it was;
 *   - where it refuses, there is a message and no score;
 *   - without memory it fails, and nothing is lost (the sanitizer watches).
 *
 * Asserts with TT_ASSERT. In tutti_testing only. */

#include "plan/crowd.h"
#include "score/write.h"

struct tt_writer_tally {
    uint32_t written, refused, read_back, starved;
};

/* One scenario. Score files are read from what Jacobi writes for it. */
void tt_score_writer_contract(const struct tt_score_writer *writer,
                              const struct tt_crowd_opts *o,
                              struct tt_writer_tally *t);

#endif
