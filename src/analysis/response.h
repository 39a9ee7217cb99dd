/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_RESPONSE_H
#define TT_ANALYSIS_RESPONSE_H

/* How a scenario answers to small changes: it is played with each start value
 * of a state moved up and down, and with each connected input moved, and what
 * it carries from step to step is read. Central differences: what does not
 * depend on the change falls out. The score that is played is the one that
 * runs. */

#include "analysis/case.h"
#include "run/probe.h"

#define TT_RESPONSE_CAUSES 256u /* most that are moved */

struct tt_response {
    struct tt_probe_number *number; /* owned */
    uint32_t n;                     /* numbers that are read */
    uint32_t n_cause;               /* ... of them moved, one at a time */
    uint32_t n_time;                /* instants */
    double *at;  /* owned: number, then instant, then cause; in nominals */
    double step; /* s */
    double time; /* s, of the first instant */
    uint64_t plan, score; /* hashes of what was played */
    double work;          /* steps of instances per macro step */
    double error;      /* of proportion: what twice the change gave, relative */
    uint32_t discrete; /* connections that do not follow small changes */
    int hidden;        /* some instance declares no states, or none that can be
                          moved: only what inputs reach is seen */
};

/* Changes of `size` nominals; with `check` also of twice that, for `error`.
 * n_time instants, the first after as many steps as the past of inputs reaches
 * back. */
TT_NODISCARD enum tt_code tt_response_take(struct tt_response *out,
                                           const struct tt_case *c,
                                           uint32_t n_time, double size,
                                           int check, tt_err *err);
/* n_time rows of a run in which nothing is moved, number by number as in r, in
 * nominals. */
TT_NODISCARD enum tt_code tt_response_plain(const struct tt_case *c,
                                            const struct tt_response *r,
                                            uint32_t n_time, double *row);
void tt_response_fini(struct tt_response *r); /* zeroed is fine */

static inline const double *tt_response_at(const struct tt_response *r,
                                           uint32_t cause, uint32_t time)
{
    return r->at + ((size_t)cause * r->n_time + time) * r->n;
}

/* Does an instance with something to remember not show it, or not let it be
 * set? x: what tt_probe_list has. */
int tt_response_hides(const tt_plan *p, const struct tt_probe_number *x,
                      uint32_t n);
/* Steps that are made before the first instant. */
uint32_t tt_response_before(const tt_plan *p);

#endif
