/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_BESIDE_H
#define TT_CLI_BESIDE_H

/* What `run` finds out beside the run: whether what is played is stable
 * (--stability, and by itself where that is cheap), and how far results can be
 * trusted (--assess). The run itself, and its results, are the same with and
 * without.
 */

#include "cli/play.h"
#include "cli/source.h"

#define TT_BESIDE_NOTES 64u

struct tt_beside {
    tt_arena *arena;                      /* borrowed: for the notes */
    struct tt_note note[TT_BESIDE_NOTES]; /* for summary and report */
    size_t n_note;
    struct tt_buf json; /* members of the summary */
};

void tt_beside_init(struct tt_beside *b, tt_arena *arena);
void tt_beside_fini(struct tt_beside *b);
void tt_beside_note(struct tt_beside *b, const char *topic, const char *text);

/* In a process of its own; what hinders is the verdict. */
TT_NODISCARD enum tt_code tt_beside_stability(struct tt_beside *b,
                                              const struct tt_cli *cli,
                                              const struct tt_source_args *a,
                                              tt_err *err);
/* The same without being asked to, where that is cheap and there is something
 * to state: a few instances that declare their states, linear, in fixed steps,
 * of which values go round. Else nothing is stated. */
TT_NODISCARD enum tt_code tt_beside_glance(struct tt_beside *b,
                                           const struct tt_cli *cli,
                                           const struct tt_source_args *a,
                                           const tt_scenario *s, tt_err *err);

/* The run again, with half and a quarter of the step and with another master,
 * into files of `temp`. Fails where steps are not fixed, or a play does. */
TT_NODISCARD enum tt_code tt_beside_assess(struct tt_beside *b,
                                           const struct tt_cli *cli,
                                           const struct tt_source_args *a,
                                           const char *temp, tt_err *err);

#endif
