/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_RUN_IMPL_H
#define TT_RUN_RUN_IMPL_H

#include "run/agenda.h"
#include "run/guest.h"
#include "run/run.h"

/* Every so many steps progress is told, and the clock read around each call:
 * often enough to be true, seldom enough to cost nothing. Reading the clock
 * costs half of a small unit's step. */
#define TT_RUN_TELL  64u
#define TT_RUN_TIMED 256u /* a power of two */

enum phase { PHASE_NEW, PHASE_STARTED, PHASE_ENDED };

struct tt_run {
    const tt_scenario *scenario; /* borrowed */
    struct tt_run_opts opts;
    tt_observer **observer; /* owned array; opts.observer points here */
    struct tt_now *now;     /* in the stage, or own_now */
    struct tt_crumb *crumb; /* in the stage, or own_crumb */
    struct tt_now own_now;  /* when nobody watches */
    struct tt_crumb own_crumb;
    tt_unit_type **type; /* owned, per scenario fmu */
    char *tried;         /* owned, per scenario fmu: see doubt.c */
    tt_plan *plan;       /* owned */
    tt_score *score;     /* owned */
    tt_unit **unit;      /* owned, per plan unit */
    tt_part *part;       /* owned */
    tt_crew *crew;       /* owned; NULL: one thread plays */
    uint32_t *copy; /* owned, per unit: tt_make's; NULL: all share the first */
    struct tt_now *own_mate;  /* owned: registers when nobody watches */
    struct tt_column *column; /* owned */
    struct tt_rows rows;
    uint32_t *look;  /* owned: float columns nobody else watches */
    uint32_t n_look; /* 0 once a NaN was told */
    struct tt_agenda agenda;
    struct tt_vary *vary;         /* owned; NULL: the step is fixed */
    struct tt_error *error;       /* owned; NULL: no estimate is wanted */
    struct tt_bonds *bonds;       /* owned; NULL: there are no power bonds */
    struct tt_growing *growing;   /* owned; NULL: nothing goes round */
    struct tt_run_source *source; /* owned, per scenario fmu; see sources.c */
    struct tt_wait *wait;         /* owned; NULL: as fast as possible */
    struct tt_live *live; /* in the stage, or NULL: no counters to tell */
    int accompanied;      /* see attempt.c */
    struct {
        uint64_t evaluations; /* up to the last attempt told */
        int ruled;            /* this step's last attempt was told */
    } told;
    uint64_t timed_mask; /* step n is timed when (n - 1) & mask is 0 */
    struct tt_part_stats at_start; /* what initialisation took */
    int plain;                     /* a step is nothing but its operations */
    uint64_t easy;    /* and up to this one nothing else is due: find_easy() */
    int warned_alone; /* of a unit that went on alone */
    int alone;        /* failed, and other ranks do not know */
    double until;     /* no step goes beyond it */
    struct tt_guest *guest; /* owned; NULL: a run of its own */
    enum phase phase;
    enum tt_run_why why;
    double t;
    uint64_t n_row;
    uint32_t n_begun; /* observers that were told to begin */
    char sentence[512];
};

static inline enum tt_code run_failed(tt_run *r, enum tt_code rc)
{
    r->why = TT_RUN_FAILED;
    return rc;
}

/* For whoever watches: no unit is being called. */
static inline void run_between_calls(tt_run *r)
{
    r->crumb->unit[0] = '\0';
}

/* A piece of what a run changes from step to step. */
struct run_block {
    void *at;
    size_t n;
};

/* open.c: types and instances */
TT_NODISCARD enum tt_code run_open_types(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_make_units(tt_run *r, tt_err *err);
void run_close(tt_run *r);
int run_is_isolated(const tt_run *r, uint32_t unit);
/* Say where units live. */
void run_note_places(tt_run *r);

/* doubt.c: try whether units really go back, each FMU once. Those that do not
 * are told, and do not say so any more: 1 when there are some. */
int run_doubt(tt_run *r);

/* initialise.c: all of it, or piece by piece for a guest. */
/* What this unit is told. */
struct tt_experiment run_experiment(const tt_run *r, uint32_t unit);
TT_NODISCARD enum tt_code run_enter_init(tt_run *r, uint32_t unit, tt_err *err);
TT_NODISCARD enum tt_code run_set_start_values(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_bind(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_play_init(tt_run *r, tt_err *err);
/* Units are prepared: what leaving initialisation mode has changed. */
TT_NODISCARD enum tt_code run_exchange_start(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_initialise(tt_run *r, tt_err *err);

/* rows.c: rows to observers */
TT_NODISCARD enum tt_code run_begin_rows(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_row(tt_run *r, double h, tt_err *err);
TT_NODISCARD enum tt_code run_end_rows(tt_run *r, tt_err *err);

/* vary.c: steps of variable length */
struct tt_vary;
/* What of it changes from step to step, as blocks; the plan's times may have
 * changed before begin. */
TT_NODISCARD enum tt_code run_vary_begin(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_vary_new(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_vary_start(tt_run *r, tt_err *err);
/* Leaves the registers at the step that stands. */
TT_NODISCARD enum tt_code run_vary_step(tt_run *r, struct tt_halt *halt,
                                        tt_err *err);
int run_vary_done(const tt_run *r);
void run_vary_tell(tt_run *r);
void run_vary_free(struct tt_vary *v);
struct run_block run_vary_values(tt_run *r);
struct run_block run_vary_policy(tt_run *r);

/* growth.c: does what goes round explode? */
struct tt_growing;
TT_NODISCARD enum tt_code run_growth_start(tt_run *r, tt_err *err);
void run_growth_free(struct tt_growing *g);
/* Is this step to be looked at? Only if r->growing, like the next. */
int run_growth_due(const tt_run *r, uint64_t step);
/* After a step that stands. Warns once. */
void run_growth_look(tt_run *r);
/* At the end: the ranks agree, and it is noted for the report. */
void run_growth_end(tt_run *r);

/* wait.c: pacing to the wall clock */
TT_NODISCARD enum tt_code run_wait_new(tt_run *r, tt_err *err);
void run_wait_free(struct tt_wait *w);
void run_wait_start(tt_run *r);
/* The step to r->t is made: account for it, and sleep until it is due. Fails
 * when it is late and that is to stop the run. */
TT_NODISCARD enum tt_code run_wait(tt_run *r, tt_err *err);
void run_wait_end(tt_run *r);

/* attempt.c: what goes along with the steps */
struct tt_policy;
struct tt_policy_step;
struct tt_policy_ruling;
struct tt_policy_evidence;
void run_accompany_start(tt_run *r);
/* After a step that stands and its row; only if r->accompanied. */
TT_NODISCARD enum tt_code run_accompany(tt_run *r, tt_err *err);
/* An attempt was ruled on, before that has consequences. */
void run_tell_ruling(tt_run *r, const struct tt_policy *p,
                     const struct tt_policy_step *s,
                     const struct tt_policy_ruling *ruling,
                     const struct tt_policy_evidence *ev,
                     const struct tt_halt *halt);
/* A step that was not made whole. */
void run_tell_cut(tt_run *r, const struct tt_halt *halt, enum tt_code rc,
                  const tt_err *err);

/* error.c: estimates of the error of variable steps */
struct tt_policy_estimate;
TT_NODISCARD enum tt_code run_error_new(tt_run *r, tt_err *err);
void run_error_free(struct tt_error *e);
/* Values v (plan->n_watch) at t, right at the start. */
void run_error_start(tt_run *r, double t, const double *v);
/* Keep what a rejected step must not change, and bring it back. */
void run_error_keep(tt_run *r);
void run_error_back(tt_run *r);
/* What it remembers: two blocks. */
void run_error_blocks(tt_run *r, struct run_block *b);
/* Room for the values at the end of the step that is played whole. */
double *run_error_whole(struct tt_error *e);
/* A step from now's T0 to T1, whole or a half, was played and stands: values v
 * came out. Estimates gather; the first of an attempt begins anew. */
void run_error_played(tt_run *r, const double *v, int first);
/* One per constraint of the scenario, valid until the next step is played. */
const struct tt_policy_estimate *run_error_estimates(const struct tt_error *e);
/* The largest of them. */
double run_error_largest(const tt_run *r);

/* bonds.c: power bonds. Around every step that is played: before it, before
 * the exchange, after it. */
TT_NODISCARD enum tt_code run_bonds_new(tt_run *r, tt_err *err);
void run_bonds_free(struct tt_bonds *b);
TT_NODISCARD enum tt_code run_bonds_before(tt_run *r, tt_err *err);
void run_bonds_between(tt_run *r);
void run_bonds_after(tt_run *r);
void run_bonds_keep(struct tt_bonds *b);
struct run_block run_bonds_block(struct tt_bonds *b);
void run_bonds_back(struct tt_bonds *b);
/* ECCO's estimate of the step played last; 1 is what is tolerated. */
double run_bonds_estimate(const tt_run *r, double abstol, double reltol);
void run_bonds_tell(tt_run *r);
/* consistent.c: start values changed so that couplings hold; in place of
 * run_play_init(). */
TT_NODISCARD enum tt_code run_consistent_start(tt_run *r, tt_err *err);
/* couplings.c: how well they held, while units live. */
void run_tell_couplings(tt_run *r);
/* Does a step set this input to a value of its end, or to a course that leads
 * there? Others are extrapolated. */
int run_input_is_fed(const tt_run *r, uint32_t slot);

/* guest.c, guest_state.c */
struct tt_guest {
    struct tt_run_host host;
    char *name;       /* owned: host.name */
    int initialising; /* between enter and leave */
    uint64_t grid;    /* points of the grid passed */
    int on_grid;      /* it stands on one */
    int stale;        /* something was set from outside */
    int early;        /* the last step was cut where a unit returned early */
    int told;         /* of a step that was not made whole */
    uint32_t seat;    /* on the stage; TT_NONE: nobody watches */
    void *first;      /* owned: the frame before anything was played */
    unsigned char **kept; /* owned: per state register */
    uint32_t n_kept;
};
TT_NODISCARD enum tt_code run_guest_registers(tt_run *r, uint32_t n,
                                              tt_err *err);
TT_NODISCARD enum tt_code run_guest_new(tt_run *r, const struct tt_run_host *h,
                                        tt_err *err);
void run_guest_free(struct tt_guest *g);
/* For whoever watches: it is busy, or not; returns whether it was. */
uint32_t run_guest_busy(const tt_run *r, uint32_t busy);
/* Units of a guest are named with the unit it is inside of. */
TT_NODISCARD enum tt_code run_name_guests(tt_run *r, tt_err *err);

/* threads.c */
/* Private copies of libraries for units that could not meet otherwise. */
TT_NODISCARD enum tt_code run_plan_copies(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_make_crew(tt_run *r, tt_err *err);
void run_join_crew(tt_run *r);
uint32_t run_threads_wanted(const tt_run *r);

/* ranks.c: a run that several ranks make together. Without a link they do
 * nothing, and agree is what one says. */
TT_NODISCARD enum tt_code run_split(tt_run *r, tt_err *err);
int run_is_away(const tt_run *r, uint32_t unit);
TT_NODISCARD enum tt_code run_make_away(tt_run *r, uint32_t u,
                                        const struct tt_make *m, tt_err *err);
TT_NODISCARD enum tt_code run_agree(tt_run *r, enum tt_code rc, tt_err *err);
/* Is the flag set on any rank? */
TT_NODISCARD enum tt_code run_any(tt_run *r, int *flag, tt_err *err);
TT_NODISCARD enum tt_code run_share_stats(tt_run *r, tt_err *err);
/* Stop after this step; with other ranks, when they have heard of it. */
void run_want_stop(tt_run *r);

/* macro.c: what a unit's outcome means where steps cannot be taken back; was
 * the step not made whole? */
TT_NODISCARD enum tt_code
run_take_outcome(tt_run *r, const struct tt_halt *halt, tt_err *err);
int run_cut_short(const tt_run *r, const struct tt_halt *halt);
/* macro.c: play a section between steps, or to take one back. */
TT_NODISCARD enum tt_code run_play(tt_run *r, enum tt_section section,
                                   tt_err *err);
/* macro.c: play the step and, unless it was cut short or units step last, the
 * exchange; these, and the exchange. */
int run_has_last(const tt_run *r);
TT_NODISCARD enum tt_code run_play_step(tt_run *r, struct tt_halt *halt,
                                        tt_err *err);
TT_NODISCARD enum tt_code run_play_last(tt_run *r, struct tt_halt *halt,
                                        tt_err *err);

TT_NODISCARD enum tt_code run_nomem(tt_err *err);

#endif
