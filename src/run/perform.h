/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_PERFORM_H
#define TT_RUN_PERFORM_H

/* One macro step, performed by its score's protocol: for a run, and for a run
 * inside a unit. What a step means besides its sections (what proposes its
 * length, what judges it) is asked of the policy (vary.c), the agenda, or the
 * host (guest.c). */

#include "run/run_impl.h"
#include "step/policy.h"

/* A macro step under way: one attempt after the other. */
struct run_macro {
    double t0;
    struct tt_policy_step s; /* to where, how long, what limits it */
    struct tt_policy_ask ask;
    struct tt_policy_evidence ev;
    struct tt_policy_ruling ruling;
    struct tt_halt halt;  /* of the sections that step */
    const tt_unit *early; /* one that returned early in an attempt before */
    const tt_unit *namer; /* ... for an event, where this attempt is to end: it
                             has it there, whatever it finds */
    int tried;            /* what it returned from was only a trial */
    int no_step;          /* but an event where it was to begin */
    int attempts;
    int scouts; /* this attempt is made only by what crossings depend on */
    int upset;  /* ... and did not come to its end */
    int judged; /* `ruling` is of this attempt */
    int ends;   /* a unit ends the simulation at the instant reached */
    int stands;
    /* Of a run inside a unit: what its host asks for, and gets. */
    const struct tt_step *asked;
    struct tt_stepped *stepped;
};

/* m->stands states whether the step was made. */
TT_NODISCARD enum tt_code run_perform(tt_run *r, struct run_macro *m,
                                      tt_err *err);
/* The easy step was played, and a unit has something to report: go on. */
TT_NODISCARD enum tt_code run_perform_on(tt_run *r, struct run_macro *m,
                                         enum tt_code rc, tt_err *err);

/* vary.c. propose: also again, after a retry. judge: what is to become of the
 * attempt, as far as that is the policy's to judge. commit: it stands. */
TT_NODISCARD enum tt_code run_vary_propose(tt_run *r, struct run_macro *m,
                                           tt_err *err);
enum run_verdict { RUN_ACCEPT, RUN_RETRY, RUN_TAKE_OUTCOME };
TT_NODISCARD enum tt_code run_vary_judge(tt_run *r, struct run_macro *m,
                                         int can_retry,
                                         enum run_verdict *verdict,
                                         tt_err *err);
void run_vary_commit(tt_run *r, const struct run_macro *m);
/* locate.c: did the step that was committed last end at a crossing? */
int run_locate_ended(const tt_run *r);
/* ... then clocks of crossings tick in the next microstep. */
void run_locate_ask(tt_run *r);

/* guest.c */
TT_NODISCARD enum tt_code run_guest_propose(tt_run *r, struct run_macro *m,
                                            tt_err *err);
/* What a unit's outcome, or a loop without an answer, means for the host. */
TT_NODISCARD enum tt_code
run_guest_outcome(tt_run *r, const struct run_macro *m, tt_err *err);
void run_guest_commit(tt_run *r, const struct run_macro *m);
/* guest_event.c: is an event at the instant reached its host's to handle? Then
 * *out states it. to: the end of the host's step. before: events that are due
 * before a step. name: a unit named the instant of an event in a step that is
 * rolled back; ask_namer: it has it, whatever it finds, until an event is
 * handled. */
int run_guest_passes_on(tt_run *r, double to, struct tt_stepped *out);
TT_NODISCARD enum tt_code run_guest_events_before(tt_run *r, double to,
                                                  struct tt_stepped *out,
                                                  tt_err *err);
void run_guest_name(tt_run *r, const tt_unit *u, double at);
void run_guest_ask_namer(tt_run *r);

#endif
