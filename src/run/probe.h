/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_PROBE_H
#define TT_RUN_PROBE_H

/* How a run answers to small changes: the numbers that it carries from step to
 * step, read and moved from outside. */

#include "run/run.h"

enum tt_probe_of {
    TT_PROBE_STATE, /* a continuous state that its unit declares */
    TT_PROBE_SLOT,  /* a connected value */
    TT_PROBE_PAST,  /* what is remembered of an input, for its course */
};

/* Float64 only: others do not follow small changes. */
struct tt_probe_number {
    enum tt_probe_of of;
    uint32_t unit, port, element;
    uint32_t slot;   /* of SLOT and PAST */
    uint32_t course; /* of PAST ... */
    uint32_t at;     /* ... and which of its numbers */
    uint32_t age;    /* ... in instants: 0 is the newest */
    int movable;     /* a state by its start value, or where it is linearised
                        late; an input between steps */
    double nominal;  /* > 0 */
};

/* All of them, known as soon as the run is made; owned by the caller
 * (tt_free). */
TT_NODISCARD enum tt_code tt_probe_list(const tt_run *r,
                                        struct tt_probe_number **out,
                                        uint32_t *n, tt_err *err);
/* Between steps. Connected inputs read 0: they are what feeds them. */
TT_NODISCARD enum tt_code tt_probe_read(tt_run *r,
                                        const struct tt_probe_number *of,
                                        uint32_t n, double *out, tt_err *err);
/* Between steps, of a run with tangent_late: from here on units that can be are
 * linearised. */
TT_NODISCARD enum tt_code tt_probe_linearise(tt_run *r, tt_err *err);
/* An input, between steps: as held by its unit, and as remembered last; or,
 * after tt_probe_linearise(), a state. */
TT_NODISCARD enum tt_code tt_probe_move(tt_run *r,
                                        const struct tt_probe_number *of,
                                        double by, tt_err *err);

/* Of a run that is not started, and will not be: units are made and stay in
 * initialisation mode, where states and inputs can be set and what follows from
 * them read, as often as it takes. */
TT_NODISCARD enum tt_code tt_probe_enter(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code tt_probe_set(tt_run *r, uint32_t unit,
                                       const struct tt_span *s, tt_err *err);
TT_NODISCARD enum tt_code tt_probe_get(tt_run *r, uint32_t unit,
                                       const struct tt_span *s, tt_err *err);

/* Steps that units have made so far. */
uint64_t tt_probe_unit_steps(const tt_run *r);
/* Connections of what does not follow small changes: flags, counts, texts. */
uint32_t tt_probe_discrete(const tt_run *r);
/* Why small changes of one macro step do not describe this run, as the end of a
 * sentence; NULL: they do. */
const char *tt_probe_refusal(const tt_run *r);

#endif
