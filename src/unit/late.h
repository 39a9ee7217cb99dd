/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_LATE_H
#define TT_UNIT_LATE_H

/* A wrapper around a unit that lives elsewhere: when a step is not answered in
 * time, what it would have led to is predicted from its past, and the run goes
 * on. The step is *owed* then.
 *
 * Continuous Float64 variables follow a model (approx/model.h), all others
 * hold. Owed steps are made one after the other, each with the inputs that were
 * set for it, as soon as the one before is answered. With the answer the error
 * of what was predicted is known, as far as it had been read. A step that ends
 * where the experiment does waits for all that is owed, and so does whatever
 * was not read before.
 *
 * What was predicted was used by others: the unit cannot be taken back, has no
 * events of the run, and takes and gives values at the ends of steps only. */

#include "unit/unit.h"

struct tt_late_how {
    double after;   /* s: so long an answer is waited for; inf: until it is due
                     */
    uint32_t most;  /* steps that may be owed, at least 1 */
    double end;     /* of the run, whatever end the unit is given */
    int consistent; /* its outputs are read with the inputs of their instant */
    /* ns that the step to t may be waited for, so that what follows is done
     * when it is due; UINT64_MAX: it never is. */
    uint64_t (*left_cb)(void *ctx, double t);
    /* OPTIONAL: a step of it begins (1), or is over (0), by whatever thread. */
    void (*steps_cb)(void *ctx, int begins);
    void *ctx;
};

struct tt_late_stats {
    uint64_t steps;     /* that were asked for */
    uint64_t predicted; /* of these: their values were */
    uint64_t held;      /* of these: a value that was held was another one */
    uint64_t waits;     /* steps that waited, for too many were owed */
    uint32_t most;      /* that were owed at one time */
    /* The largest error of a prediction, relative to nominal values: */
    double error; /* as it is; < 0: nothing was predicted */
    double nominal, t;
    uint32_t port, element;
};

/* What the wrapper declares of itself. port is filled with of->n_port ports,
 * and d refers to them. */
void tt_late_describe(struct tt_desc *d, struct tt_port *port,
                      const struct tt_desc *of);

/* Wrap a unit that was just made, with the ops `ahead` and `ready`; m as for
 * it. Takes `inner`, also when it fails. */
TT_NODISCARD enum tt_code tt_late_new(tt_unit **out, tt_unit *inner,
                                      const struct tt_late_how *how,
                                      const struct tt_make *m, tt_err *err);

/* Of such a unit, wherever in a stack of wrappers it is. NULL: there is none.
 */
const struct tt_late_stats *tt_late_stats(const tt_unit *u);

#endif
