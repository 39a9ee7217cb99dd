/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_TRIAL_H
#define TT_RUN_TRIAL_H

/* Can units of a type really go back to a state they saved? Some accept it and
 * go on from elsewhere, which the results of a run would not show. So it is
 * tried before it is relied on: a spare instance, in a process of its own and
 * thrown away afterwards, makes the same steps again after one step and after
 * several, and its outputs must be the same.
 *
 * The verdict is remembered by the FMU's content in the cache of the user
 * ($XDG_CACHE_HOME/tutti/rollback, or below ~/.cache; tutti/checkpoint for the
 * second trial). What is found there is
 * one of two words or does not count; where nothing can be written, nothing is
 * remembered. */

#include "plan/plan.h"
#include "remote/isolate.h"

enum tt_trial_verdict {
    TT_TRIAL_OPEN, /* it could not be tried: what the unit states is believed */
    TT_TRIAL_CAN,
    TT_TRIAL_CANNOT,
    TT_TRIAL_FAILS, /* it cannot either, by an error or a crash, which may be
                       another thing's fault: that is not remembered */
};

struct tt_trial {
    tt_unit_type *type;
    const char *instance; /* the name it will be given */
    struct tt_experiment experiment;
    double h;
    const struct tt_start *start; /* of `unit` among others; may be NULL */
    uint32_t n_start, unit;
    tt_texts *texts; /* borrowed: of the start values; may be NULL */
    struct tt_isolate how;
};

/* The trial; *why states what was seen where it cannot, as the end of a
 * sentence. Of a type that does not claim it the verdict is OPEN. */
#define TT_TRIAL_WHY 400
enum tt_trial_verdict tt_trial(const struct tt_trial *t, char *why);

/* The same of a state as bytes: one that it packed, another instance in another
 * process goes on from. Some pack addresses. */
enum tt_trial_verdict tt_trial_pack(const struct tt_trial *t, char *why);

/* What is remembered of the FMU in this file, and to remember it. */
enum tt_trial_of { TT_TRIAL_ROLLBACK, TT_TRIAL_CHECKPOINT };
enum tt_trial_verdict tt_trial_recall(enum tt_trial_of what, const char *path);
void tt_trial_keep(enum tt_trial_of what, const char *path,
                   enum tt_trial_verdict v);

#endif
