/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_INPUT_H
#define TT_CLI_INPUT_H

/* One FMU alone, its inputs driven by a table: --input FILE.csv.
 *
 * Columns are named like inputs ("u" or "{key}.instance.u"). Between rows a
 * continuous input is linear, any other keeps its value; two rows of one time
 * are a jump. The table is put beside the FMU as a unit of kind `signal`. */

#include "base/log.h"
#include "cli/source.h"
#include "plan/plan.h"

struct tt_input {
    const char *fmu, *table; /* files */
    const char *temp;        /* a private folder for what must be written */
    tt_arena *arena;         /* for the notes */
    const struct tt_log *log;
    struct tt_note note[4]; /* out: what was decided; one is spare */
    size_t n_note;
};

TT_NODISCARD enum tt_code tt_input_scenario(tt_scenario **out,
                                            struct tt_input *in,
                                            const struct tt_source_args *a,
                                            tt_err *err);

#endif
