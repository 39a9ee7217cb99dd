/* SPDX-License-Identifier: MIT */
#ifndef TT_API_PROFILE_H
#define TT_API_PROFILE_H

/* Where the time of a run went: by unit and by operation, the costliest first,
 * and which threads did it. Of a run that was started with
 * tt_run_opts.profile; of any other there are no rows. */

#include <stddef.h>

#include "base/buf.h"
#include "run/run.h"

struct tt_profile_look {
    int colours;
    size_t width;     /* of a line; 0: as long as it is */
    const char *more; /* where what is left out can be had: " (...)", or "" */
};

void tt_profile_text(struct tt_buf *b, const tt_run *run,
                     struct tt_profile_look look);
/* One object, with all of it. */
void tt_profile_json(struct tt_buf *b, const tt_run *run);

#endif
