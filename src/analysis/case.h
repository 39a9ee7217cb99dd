/* SPDX-License-Identifier: MIT */
#ifndef TT_ANALYSIS_CASE_H
#define TT_ANALYSIS_CASE_H

/* What is analysed: a scenario under options, as often as it takes. */

#include "run/run.h"
#include "scenario/scenario.h"

enum tt_tangent {
    TT_TANGENT_NOT,
    TT_TANGENT_AT_START, /* where they start */
    TT_TANGENT_LATE,     /* where they were carried to */
};

/* Texts are borrowed. */
struct tt_case {
    const char *const *path;
    size_t n_path;
    const char *variant; /* of an SSP package; NULL: its usual one */
    struct tt_sc_options o;
    uint32_t held; /* this connection carries nothing: the input stays where it
                      starts; TT_NONE: all do */
    const double *at; /* s: small changes are those of the steps from there on;
                         NULL: from the start. See place.h */
    const uint32_t *policy; /* all steps are made by this one, or, without
                               policies, in this order of the sequence; NULL:
                               as if there were none */
    int alone;    /* with policy NULL: what switches is left out of it */
    double carry; /* s: played before anything is read, or inputs moved */
    enum tt_tangent tangent; /* instances are linearised, and solved exactly:
                                tt_run_opts */
    double budget; /* the most steps of instances that may be spent; what takes
                      more, or hides states, is refused. 0: any */
    struct tt_stage *stage; /* as in tt_run_opts */
    enum tt_code (*kind_cb)(const struct tt_kind_ops **kind,
                            const struct tt_source *s, tt_err *err);
    tt_run *like;          /* types are shared with it; NULL: with none */
    tt_scenario *scenario; /* ... of which this one is the scenario */
};

/* From now on FMUs are unpacked once, not for every run. If that cannot be, all
 * goes on without. */
void tt_case_share(struct tt_case *c);
void tt_case_unshare(struct tt_case *c);

/* Load it, to be played for so many steps, whatever its end is. *step: H. */
TT_NODISCARD enum tt_code tt_case_load(tt_scenario **out,
                                       const struct tt_case *c, uint32_t steps,
                                       double *step, tt_err *err);
/* A run of it, not started. Silent: it is one of many. like, nudge: as in
 * tt_run_opts; like NULL: the case's. */
TT_NODISCARD enum tt_code tt_case_run(tt_run **out, const struct tt_case *c,
                                      const tt_scenario *s, tt_run *like,
                                      const struct tt_run_nudge *nudge,
                                      tt_err *err);

/* The whole scenario, which does not wait for the wall clock, and a run of it,
 * not started. Close it in any case. */
struct tt_case_opened {
    tt_scenario *s;
    tt_run *run;
};
TT_NODISCARD enum tt_code tt_case_open(struct tt_case_opened *out,
                                       const struct tt_case *c, tt_err *err);
void tt_case_close(struct tt_case_opened *o);

/* So many steps; a simulation that ends meanwhile is a mistake. */
TT_NODISCARD enum tt_code tt_case_advance(tt_run *run, uint32_t n, tt_err *err);

#endif
