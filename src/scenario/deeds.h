/* SPDX-License-Identifier: MIT */
#ifndef TT_SCENARIO_DEEDS_H
#define TT_SCENARIO_DEEDS_H

/* What a script can do, as the text of the port that counts how often each was
 * done: it goes where the port goes, out of a scenario inside another one and
 * over a wire. */

#include "scenario/scenario.h"

/* In the order of the entries; NULL: out of memory. */
const char *tt_deeds_text(const struct tt_sc_script *s, tt_arena *a);

/* The first line of such a text; NULL: it is another one. */
const char *tt_deeds_begin(const char *text);

struct tt_deed {
    uint32_t cue; /* the entry, or the end of faults that it states */
    int ends;
    const char *entry, *label;
};
/* The next line, in the arena; 0: there is none. */
int tt_deeds_next(const char **at, tt_arena *a, struct tt_deed *act);

struct tt_deed_stop {
    const char *word; /* "pass", "fail", "end" */
    int failed;
    const char *because; /* in the label; NULL: not given */
};
/* Does what is so labelled stop the run, and how? */
int tt_deed_stops(const char *label, struct tt_deed_stop *stop);

#endif
