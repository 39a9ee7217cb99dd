/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_CONTROL_H
#define TT_CLI_CONTROL_H

/* A run that is led over standard input and output: a command a line
 * (command.h), an answer a line.
 *
 * The parent listens, because a unit may hang in the child: when this does not
 * come to "stop" or the end of the input within a second, it is asked to end as
 * by SIGTERM, with the same patience. The child answers, between two steps,
 * because only it knows the run. Lines go from one to the other in shared
 * memory; a run without commands has none of this. */

#include <stdint.h>

#include "base/err.h"
#include "results/observer.h"
#include "run/run.h"

#define TT_CONTROL_LINE ((size_t)1 << 20) /* bytes of a line, at most */

typedef struct tt_control tt_control;

TT_NODISCARD enum tt_code tt_control_new(tt_control **out, tt_err *err);
void tt_control_free(tt_control *c); /* accepts NULL */

/* In the parent, once the child is there: listen. *stop is seen by the child.
 * Without a thread for it the child is asked to end. */
void tt_control_listen(tt_control *c, volatile int *stop);
/* In the parent, once the child is no more. */
void tt_control_hang_up(tt_control *c);

/* In the child: is there a line? One load; for every step. */
int tt_control_has_line(tt_control *c);
/* Sleep until there is, for a while at most. */
void tt_control_await(tt_control *c);
enum tt_control_what {
    TT_CONTROL_NOTHING, /* there is no line yet */
    TT_CONTROL_TEXT,    /* *line, of *n bytes; the caller frees it */
    TT_CONTROL_LOST,    /* a line that was too long */
    TT_CONTROL_END,     /* no line will follow */
};
enum tt_control_what tt_control_take(tt_control *c, char **line, size_t *n);

/* lead.c, in the child: as tt_run_perform(), led by commands. */
struct tt_lead {
    tt_control *control;
    tt_run *run;
    tt_observer *record;      /* its rows are in the files whenever it pauses */
    tt_observer *const *side; /* ... and those of files beside it; each may be
                                 NULL */
    size_t n_side;
    volatile int *stop;
    int paused;        /* begin so */
    double paused_for; /* s in all, afterwards */
};
TT_NODISCARD enum tt_code tt_lead(struct tt_lead *l, tt_err *err);

#endif
