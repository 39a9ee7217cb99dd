/* SPDX-License-Identifier: MIT */
#ifndef TT_FORMATS_BESIDE_H
#define TT_FORMATS_BESIDE_H

/* A text that names files which stay where they are: those below its own folder
 * from there, others in full. Those of a package are put into a folder
 * beside it. */

#include "formats/formats.h"

struct tt_beside {
    const tt_scenario *s;
    const char *path; /* of the text */
    tt_arena *arena;  /* owned */
    char *dir;        /* owned: absolute, without links; of the text */
};

/* Packages of the scenario are unpacked to where they stay. To be ended after
 * failure, too. */
TT_NODISCARD enum tt_code tt_beside_begin(struct tt_beside *w,
                                          const tt_scenario *s,
                                          const struct tt_format_target *t,
                                          tt_err *err);
void tt_beside_end(struct tt_beside *w);
/* What the text calls a file of the scenario; lives until tt_beside_end. */
TT_NODISCARD enum tt_code tt_beside_name(struct tt_beside *w, const char *path,
                                         const char **out, tt_err *err);

#endif
