/* SPDX-License-Identifier: MIT */
#ifndef TT_FORMATS_MOVE_H
#define TT_FORMATS_MOVE_H

/* A scenario as text of ours that stands elsewhere: what it names by location
 * has new places. */

#include "scenario/scenario.h"
#include "text/json.h"

struct tt_mover {
    void *ctx;
    /* Why units on other hosts are refused; NULL: they stay there. */
    const char *here;
    /* What no run looks at, and may name places on its author's machine, is
     * left out. */
    int forget;
    /* The new place of a file: an FMU, a table, a scenario ("coe:" may be
     * before the path), or with `score` a master. */
    enum tt_code (*place_cb)(void *ctx, const char *path, int score,
                             const char **place, tt_err *err);
};

/* Put new places into `root`, which the scenario was read from or written as.
 */
TT_NODISCARD enum tt_code tt_move_places(const tt_scenario *s,
                                         struct tt_doc *root,
                                         const struct tt_mover *m, tt_err *err);

/* The scenario as text of ours: the one it was read from, or, where that is of
 * another format, what it knows. Locations are as they were. */
TT_NODISCARD enum tt_code tt_scenario_print(struct tt_buf *out,
                                            const tt_scenario *s, tt_err *err);

#endif
