/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_CULPRIT_H
#define TT_CLI_CULPRIT_H

/* What brought the playing process down, or holds it up: read from what it left
 * in shared memory. */

#include <stdint.h>

#include "base/buf.h"
#include "run/run.h"
#include "sys/proc.h"

struct tt_culprit {
    const char *unit, *call;
    double t;        /* s; NaN: not playing yet */
    uint32_t others; /* it may as well have been one of so many others */
};

/* Strings of the dead are terminated here, whatever it wrote. */
struct tt_culprit tt_culprit_find(struct tt_stage *s);

/* "instance '{b}.ball': crashed in step (SIGSEGV) at t=1.25" */
void tt_culprit_put_death(struct tt_buf *b, const struct tt_culprit *c,
                          const struct tt_proc_result *how);
/* ... of the one that was found. */
void tt_culprit_death(struct tt_buf *b, struct tt_stage *s,
                      const struct tt_proc_result *how);
/* " instance '{b}.ball' <verb> step at t=1.25" */
void tt_culprit_put_call(struct tt_buf *b, const struct tt_culprit *c,
                         const char *verb);

#endif
