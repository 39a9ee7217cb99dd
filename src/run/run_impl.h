/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_RUN_IMPL_H
#define TT_RUN_RUN_IMPL_H

#include "base/hooks.h"
#include "step/agenda.h"
#include "run/guest.h"
#include "run/run.h"

/* What accompanies the steps of a run: energy of power bonds, estimates of
 * errors, growth, pacing, trace. Hooks may be NULL, but make; a companion that
 * has nothing to do in a run states it there. All that it remembers from step
 * to step lies in the frame. */
struct run_companion {
    /* Take memory by RUN_NEW and run_reserve(). *wanted is 0 before. */
    enum tt_code (*make)(tt_run *r, int *wanted, tt_err *err);
    enum tt_code (*start)(tt_run *r, tt_err *err); /* units are initialised */
    void (*begun)(tt_run *r); /* ... and the first row was shown */
    enum tt_code (*before_step)(tt_run *r, tt_err *err);
    void (*before_exchange)(tt_run *r);
    void (*after_exchange)(tt_run *r, const struct tt_phase *at);
    void (*stands)(tt_run *r);
    void (*leapt)(tt_run *r); /* an event changed values at the instant */
    enum tt_code (*shown)(tt_run *r, tt_err *err); /* it and its rows */
    void (*end)(tt_run *r);
    void (*ended)(tt_run *r); /* units have ended, too, unless one crashed */
    void (*free)(tt_run *r);  /* also when it was not wanted */
};
extern const struct run_companion run_vary_companion, run_bonds_companion,
    run_error_companion, run_trace_companion, run_wait_companion,
    run_growth_companion, run_checkpoint_companion, run_recovery_companion,
    run_trails_companion, run_budget_companion, run_confluence_companion,
    run_zeno_companion, run_script_companion, run_quanta_companion,
    run_switching_companion, run_expect_companion, run_sequence_companion,
    run_predicted_companion, run_declared_companion, run_ahead_companion,
    run_late_companion;
#define RUN_COMPANIONS 21
/* Of the last one, where there are ranges: a step stands. */
void run_declared_look(tt_run *r);

/* Zeroed, and freed with the run. NULL: out of memory. */
#define RUN_NEW(r, p, n) TT_NEW_IN((r)->arena, p, n)

/* Call a hook of all that have it. */
#define RUN_NOTIFY(r, hook, ...)                                               \
    do {                                                                       \
        for (uint32_t i_ = 0; i_ < (r)->n_with; i_++)                          \
            if ((r)->with[i_]->hook)                                           \
                (r)->with[i_]->hook(__VA_ARGS__);                              \
    } while (0)

/* Every so many steps progress is reported, and the clock read around each
 * call: often enough to be true, seldom enough to cost nothing. Reading the
 * clock costs half of a small unit's step. */
#define TT_RUN_PROGRESS 64u
#define TT_RUN_TIMED    256u /* a power of two */

/* What a rank wants all to do after the next section (tt_part_wish). */
enum { RUN_WISH_STOP = 1, RUN_WISH_CHECKPOINT = 2 };

enum phase { PHASE_NEW, PHASE_STARTED, PHASE_ENDED };

/* What a run itself remembers from step to step, in the frame. */
struct run_memory {
    struct tt_agenda agenda;
    double t[TT_TIME_N], h[TT_TIME_N]; /* registers, as they were saved */
    uint64_t rows;
    uint64_t evaluations, unconverged; /* what initialisation took */
    int warned_alone, warned_nan, warned_late, warned_long;
    int anew;      /* no past leads to the next step */
    int recovered; /* recover.c: steps can be rolled back since */
    int in_event;  /* between two microsteps; 2: where no step led to */
    /* Inside a unit: */
    uint64_t grid; /* points of the grid passed */
    int on_grid;   /* it stands on one */
    int stale;     /* something was set from outside */
    int early;     /* the last step was cut where a unit returned early */
    int crossed;   /* ... and ended at a crossing, whose clock has not ticked */
    int event;     /* enum run_guest_event */
    double known;  /* its host knows that a clock ticks then */
};

/* In which part of an event a run inside a unit is. */
enum run_guest_event {
    RUN_EVENT_NONE,
    RUN_EVENT_MOVES,  /* a microstep: values from outside come, and are asked */
    RUN_EVENT_UPDATED /* ... and is over */
};

struct tt_run {
    const tt_scenario *scenario; /* borrowed */
    struct tt_run_opts opts;
    tt_observer **observer;       /* owned array; opts.observer points here */
    struct tt_now *now;           /* in the stage, or own_now */
    struct tt_activity *activity; /* in the stage, or own_activity */
    struct tt_now own_now;        /* when there is no stage */
    struct tt_activity own_activity;
    tt_unit_type **type;         /* owned, per scenario fmu */
    char *tried;                 /* owned, per scenario fmu: see doubt.c */
    tt_plan *plan;               /* owned */
    tt_score *score;             /* owned */
    struct run_orders *orders;   /* owned: orders.h; NULL: one order */
    const tt_protocol *protocol; /* the score's, until recover.c changes it */
    struct tt_experiment experiment; /* the plan's, or its host's */
    tt_arena *arena;                 /* owned: notes, companions */
    struct tt_notes notes;           /* what was decided besides the plan */
    struct tt_frame_layout layout;
    void *reserved[TT_FRAME_BLOCKS]; /* borrowed, per block: see run_reserve */
    tt_frame *frame;                 /* owned */
    struct tt_part_blocks part_blocks;
    struct run_memory *memory; /* in the frame, ... */
    struct tt_agenda *agenda;  /* ... in it */
    tt_texts *texts;           /* owned, but by a guest: its host's */
    struct tt_grown *grown;    /* the same; see growth.c */
    void *kept;                /* owned: of the frame, at T0 */
    void **saved;              /* owned: the frame, per register of state.c */
    uint32_t n_saved;
    tt_unit **unit;                /* owned, per plan unit */
    tt_part *part;                 /* owned */
    struct tt_events *events;      /* its block in the frame; NULL: none */
    int events_between;            /* all units can step to an event */
    struct run_ensemble *ensemble; /* owned: together.c; NULL: none */
    tt_crew *crew;                 /* owned; NULL: one thread plays */
    uint32_t *copy; /* owned, per unit: tt_make's; NULL: all share the first */
    struct tt_now *own_mate;  /* owned: registers when there is no stage */
    struct tt_column *column; /* owned */
    struct tt_rows rows;
    uint32_t *look; /* owned: float columns not watched elsewhere */
    uint32_t n_look;
    uint32_t *texts_at; /* owned: columns of strings and binaries */
    uint32_t n_texts_at;
    const struct run_companion *with[RUN_COMPANIONS];
    uint32_t n_with;
    /* Of companions, each its own; NULL: not wanted. */
    struct tt_vary *vary;
    struct tt_error *error;
    struct tt_bonds *bonds;
    struct tt_growing *growing;
    struct run_bounded *beyond;
    struct run_bounded *declared; /* declared.c */
    struct tt_wait *wait;
    struct run_late *late; /* late.c */
    struct tt_budgets *budgets;
    struct tt_checkpoint *checkpoint;
    struct tt_trails *trails;
    struct tt_accumulating *zeno;     /* per unit, in the frame: zeno.c */
    struct tt_switching *switching;   /* switching.c */
    struct tt_expecting *expecting;   /* expect.c */
    struct tt_sequence *sequence;     /* sequence.c */
    struct tt_twin *twin;             /* twin.h; NULL: there is none */
    struct tt_script_log *script;     /* per action, in the frame: script.c */
    uint8_t *present;                 /* per column, in the frame ... */
    struct tt_presence *presence;     /* owned; NULL: no column has a clock */
    struct tt_confluence *confluence; /* owned; NULL: orders are not tried */
    const uint32_t *order;            /* ... but this one is; NULL: none */
    uint32_t *listed;                 /* slots whose events are reported */
    uint32_t n_listed;
    tt_observer *keeper; /* borrowed, may be NULL: see tt_run_keep */
    struct tt_recovery *recovery;
    int recovers;    /* see recover.c */
    int stop_seen;   /* opts.stop was set when the checkpoint was looked at */
    int replaying;   /* steps that were made before: no rows */
    uint32_t *limit; /* owned: units asked for their largest step */
    uint32_t n_limit;
    int ahead;                /* events may be played before their time */
    uint32_t extra_registers; /* of state, besides those of the score */
    struct tt_live *live;     /* in the stage, or NULL: no counters to report */
    struct {
        uint64_t evaluations; /* up to the last attempt reported */
        int ruled;            /* this step's last attempt was reported */
    } attempts;
    struct tt_run_source *source; /* owned, per scenario fmu; see sources.c */
    uint64_t timed_mask;          /* step n is timed when (n - 1) & mask is 0 */
    int accompanied;              /* more follows a row */
    int plain;                    /* a step is nothing but its operations */
    uint64_t easy; /* and up to this one nothing else is due: macro.c */
    int alone;     /* failed, and other ranks do not know */
    struct tt_guest *guest; /* owned; NULL: a run of its own */
    enum phase phase;
    enum tt_run_why why;
    uint32_t n_begun; /* observers that have begun */
    char sentence[512];
};

/* Are steps judged, and perhaps rolled back? */
static inline int run_varies(const tt_run *r)
{
    return r->protocol != &tt_protocol_fixed;
}

/* Macro steps made. */
static inline uint64_t run_steps(const tt_run *r)
{
    return tt_agenda_steps(r->agenda);
}

static inline enum tt_code run_failed(tt_run *r, enum tt_code rc)
{
    r->why = TT_RUN_FAILED;
    return rc;
}

/* For the parent process: no unit is being called. */
static inline void run_between_calls(tt_run *r)
{
    r->activity->unit[0] = '\0';
}

/* Record a decision of the run. Failing to is not worth failing for. */
TT_PRINTF(3, 4)
void run_note(tt_run *r, const char *topic, const char *fmt, ...);

/* open.c: types and instances */
TT_NODISCARD enum tt_code run_open_types(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_sum_flows(tt_run *r, tt_err *err);
/* Of each FMU of the scenario; NULL where it could not be read. The caller
 * frees it. */
const struct tt_desc **run_descs(const tt_run *r);
TT_NODISCARD enum tt_code run_make_units(tt_run *r, tt_err *err);
void run_close(tt_run *r);
int run_is_isolated(const tt_run *r, uint32_t unit);
int run_is_elsewhere(const tt_run *r, uint32_t unit); /* or on another host */
/* Log where units live. */
void run_note_places(tt_run *r);
/* Of units that do not go on as they were where a state is restored; `extra`
 * registers are had besides those of the score. */
void run_warn_of_restarts(tt_run *r, uint32_t extra);
/* ... whatever is restored: its integrator has no state that can be saved. */
int run_restarts(const tt_run *r, uint32_t unit);

/* doubt.c: try whether units really go back, each FMU once. Those that do not
 * are reported, and do not state it any more: 1 when there are some. */
int run_doubt(tt_run *r);
/* Try whether a packed state serves another process, each FMU once: 1 when it
 * does not, and why (TT_TRIAL_WHY bytes). */
int run_doubt_packing(const tt_run *r, uint32_t unit, char *why);

/* late.c: units whose late values are to be predicted must be elsewhere; how
 * they are. */
TT_NODISCARD enum tt_code run_check_late(tt_run *r, tt_err *err);
struct tt_late_how run_late_how(const tt_run *r, uint32_t unit);
/* ... and, where there are such units, of a paced run: all of the step is
 * computed now. */
void run_late_ready(tt_run *r, uint64_t now);
/* wait.c: is it paced; its clock, ns; ns until the instant t is due,
 * UINT64_MAX: it never is. */
int run_is_paced(const tt_run *r);
uint64_t run_wait_now(const tt_run *r);
uint64_t run_time_left(const tt_run *r, double t);

/* initialise.c: all of it, or piece by piece for a guest. */
/* What this unit is given. */
struct tt_experiment run_experiment(const tt_run *r, uint32_t unit);
TT_NODISCARD enum tt_code run_enter_init(tt_run *r, uint32_t unit, tt_err *err);
TT_NODISCARD enum tt_code run_configure(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_bind(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_play_init(tt_run *r, tt_err *err);
/* Units are prepared: what leaving initialisation mode has changed; or they
 * begin with opts.begin. */
TT_NODISCARD enum tt_code run_exchange_start(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_initialise(tt_run *r, tt_err *err);

/* probe.c: the start value that is moved, if there is one. */
TT_NODISCARD enum tt_code run_nudge_start(tt_run *r, tt_err *err);

/* together.c: units have left initialisation mode; those of an ensemble become
 * one system. */
TT_NODISCARD enum tt_code run_join(tt_run *r, tt_err *err);
void run_free_ensembles(tt_run *r);

/* rows.c: rows to observers */
TT_NODISCARD enum tt_code run_begin_rows(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_row(tt_run *r, double h, tt_err *err);
/* What the columns show, as a row of this instant. */
TT_NODISCARD enum tt_code run_give_row(tt_run *r, struct tt_instant at,
                                       double h, tt_err *err);
TT_NODISCARD enum tt_code run_end_rows(tt_run *r, tt_err *err);

/* presence.c: columns of values that belong to clocks, if there are some. note:
 * a microstep was made; clear: a step stands. */
TT_NODISCARD enum tt_code run_presence_columns(tt_run *r, tt_err *err);
void run_presence_note(tt_run *r);
void run_presence_clear(tt_run *r);
void run_presence_free(tt_run *r);

/* trails.c: values within steps, if they are recorded. Which ports of a unit
 * are noted; columns show a row of their own, which is set to the values of the
 * frame before it is given away; rows within the step that stands. */
const uint32_t *run_trail_ports(const tt_run *r, uint32_t unit, uint32_t *n);
/* ... and are they for courses? */
int run_trail_is_fine(const tt_run *r, uint32_t unit);
/* Are rows taken after each step, or only followed within it? */
int run_takes_trails(const tt_run *r);
TT_NODISCARD enum tt_code run_trail_columns(tt_run *r, tt_err *err);
void run_trail_row(tt_run *r);
TT_NODISCARD enum tt_code run_show_trails(tt_run *r, tt_err *err);
/* ... of a guest, to its host. */
TT_NODISCARD enum tt_code run_pass_trails(tt_run *r, tt_err *err);
/* What is known of watched values, which were v0 at t0, within the step to t1
 * that was just made; NULL: nothing. forget: it is taken back. */
struct tt_policy_inside;
TT_NODISCARD enum tt_code
run_look_inside(tt_run *r, double t0, double t1, const double *v0,
                const struct tt_policy_inside **inside, tt_err *err);
void run_forget_inside(tt_run *r);

/* run.c: of the first unit that cannot save its state (*who) the words for
 * that; NULL: all can. */
const char *run_cannot_save(const tt_run *r, const char **who);
/* run.c: n bytes of the frame. `pointer` is the address of a pointer to data,
 * which is set as soon as the frame is there. */
void run_reserve(tt_run *r, enum tt_region region, const char *owner, size_t n,
                 void *pointer);

/* companions.c */
TT_NODISCARD enum tt_code run_make_companions(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_start_companions(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_before_step(tt_run *r, tt_err *err);
void run_free_companions(tt_run *r);

/* vary.c: steps of variable length. begin: when the experiment is known. */
TT_NODISCARD enum tt_code run_vary_begin(tt_run *r, tt_err *err);
int run_vary_done(const tt_run *r);
void run_vary_report(tt_run *r);
/* From here on it proposes and judges, and steps can be rolled back. */
void run_vary_restart(tt_run *r);
/* Watched values as they are now. */
void run_look(const tt_run *r, double *value);

/* checkpoint.c */
/* Units are initialised: frame and units as they were, then, where observers
 * have begun, these. *rest is what of the checkpoint is theirs. */
TT_NODISCARD enum tt_code run_resume(tt_run *r, struct tt_bytes *rest,
                                     tt_err *err);
TT_NODISCARD enum tt_code run_resume_rows(tt_run *r, struct tt_bytes *rest,
                                          tt_err *err);

/* In the middle of an event, if one is wanted. */
TT_NODISCARD enum tt_code run_checkpoint_between(tt_run *r, tt_err *err);

/* limit.c: find which units state their largest step, once they are
 * initialised; the least of what these accept now, of unit *by, 0: no limit. */
int run_may_divide(
    const tt_run *r); /* is this a run whose steps they divide? */
TT_NODISCARD enum tt_code run_find_limits(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_ask_limits(tt_run *r, double *h, uint32_t *by,
                                         tt_err *err);
/* A step from t is to be no longer than h, for unit `by`: can all make it? */
TT_NODISCARD enum tt_code run_check_division(const tt_run *r, double t,
                                             double h, uint32_t by,
                                             tt_err *err);

/* growth.c: what explodes in a run inside a unit. */
struct tt_grown *run_grown_new(void);
void run_grown_free(struct tt_grown *g);
/* Is this step to be looked at? Only if r->growing. */
int run_growth_due(const tt_run *r, uint64_t step);

/* growth_text.c: the variable; one sentence. */
void run_growth_put_name(const tt_run *r, const struct tt_run_growth *f,
                         struct tt_buf *out);
void run_growth_put_text(const tt_run *r, const struct tt_run_growth *f,
                         struct tt_buf *out);
/* declared.c: the elements of slots for which `is` gives bounds, in memory of
 * the run, with a block of the frame that has `size` bytes for each; NULL if
 * there are none. And the value of one. */
struct run_bounds {
    uint32_t slot, element;
    double low, high;
};
struct run_bounded {
    struct run_bounds *of;
    uint32_t n;
    void *each; /* in the frame */
};
TT_NODISCARD enum tt_code run_bounds_list(
    tt_run *r,
    int (*is)(const tt_run *r, uint32_t slot, double *low, double *high),
    const char *owner, size_t size, struct run_bounded **out, tt_err *err);
double run_bounds_value(const tt_run *r, const struct run_bounds *b);
/* beyond.c: outputs far beyond what they declare. Take memory, if there are any
 * (r->beyond); a window begins; it ends: is there one, and which? */
TT_NODISCARD enum tt_code run_beyond_make(tt_run *r, tt_err *err);
void run_beyond_begin(tt_run *r);
int run_beyond_find(const tt_run *r, double since, struct tt_run_growth *found);

/* attempt.c: an attempt was ruled on, before that has consequences; a step that
 * was not made whole. */
struct run_macro;
void run_report_ruling(tt_run *r, const struct run_macro *m);
void run_report_cut(tt_run *r, const struct run_macro *m, enum tt_code rc,
                    const tt_err *err);

/* script.c: events of what was done since; did it stop the run? The sentence
 * states the verdict then. */
void run_report_script(tt_run *r);
int run_script_end(tt_run *r);

struct tt_allowed;
/* allowed.c: from the scenario's file; step (s) of each of n policies, or of
 * each order. */
TT_NODISCARD enum tt_code run_read_allowed(struct tt_allowed *out, uint32_t n,
                                           const double *step, const tt_run *r,
                                           tt_err *err);
/* rule.c: a number that an expression gives, of variables as they are now. */
struct run_rule;
TT_NODISCARD enum tt_code run_rule_make(struct run_rule **out, tt_run *r,
                                        const struct tt_sc_expect *given,
                                        tt_err *err);
TT_NODISCARD enum tt_code run_rule_value(tt_run *r, struct run_rule *u,
                                         double *value, tt_err *err);
/* The port that is meant; none is the scenario's mistake. */
TT_NODISCARD enum tt_code run_find_port(const tt_run *r,
                                        const struct tt_sc_ref *ref,
                                        uint32_t *port, tt_err *err);

/* switching.c: which policy makes the next step, and that it was made. */
TT_NODISCARD enum tt_code run_switch_propose(tt_run *r, struct run_macro *m,
                                             tt_err *err);
void run_switch_reach(tt_run *r);

/* zeno.c: the unit has an event at t that a step led to. Returns whether it is
 * to be the last of those that accumulate. */
int run_zeno_note(tt_run *r, uint32_t unit, double t);
/* Inside a unit: are there events that shall end the run? */
int run_zeno_stops(const tt_run *r);

/* error.c: estimates of the error of variable steps */
struct tt_policy_estimate;
/* Of the attempt under way, one per constraint of the scenario; NULL: there are
 * none. clear: an attempt begins. */
void run_error_clear(tt_run *r);
const struct tt_policy_estimate *run_error_estimates(const tt_run *r);
/* The largest of them. */
double run_error_largest(const tt_run *r);

/* bonds.c: ECCO's estimate of the step played last; 1 is what is tolerated. */
double run_bonds_estimate(const tt_run *r, double abstol, double reltol);
/* consistent.c: start values changed so that couplings hold; in place of
 * run_play_init(). */
TT_NODISCARD enum tt_code run_consistent_start(tt_run *r, tt_err *err);
/* couplings.c: how well they held, while units live. */
void run_report_couplings(tt_run *r);
/* Does a step set this input to a value of its end, or to a course that leads
 * there? Others are extrapolated. */
int run_input_is_fed(const tt_run *r, uint32_t slot);

/* State registers of a run that is no guest. Units go back to those from
 * RUN_REG_TRY on while it goes on. */
enum { RUN_REG_CHECKPOINT, RUN_REG_RECOVER, RUN_REG_TRY, RUN_REG_TRIED };

/* recover.c: may a run of fixed steps be rolled back, should a unit reject one?
 * Is that so now, when one has; and do it: the run is then where the step
 * began, and steps can be rolled back from there on. due: the step after which
 * it wants to be asked. */
void run_look_at_recovery(tt_run *r); /* sets what recovers answers */
int run_recovers(const tt_run *r);
int run_can_recover(const tt_run *r);
struct run_macro;
TT_NODISCARD enum tt_code run_recover(tt_run *r, const struct tt_halt *halt,
                                      tt_err *err);
uint64_t run_recovery_due(const tt_run *r);
/* The frame came from a checkpoint. */
TT_NODISCARD enum tt_code run_recover_resumed(tt_run *r, tt_err *err);

/* state.c: the units' states alone. */
TT_NODISCARD enum tt_code run_save_units(tt_run *r, uint32_t reg, tt_err *err);
TT_NODISCARD enum tt_code run_restore_units(tt_run *r, uint32_t reg,
                                            tt_err *err);
/* ... as bytes, with the long texts these name. */
TT_NODISCARD enum tt_code run_pack_units(tt_run *r, uint32_t reg,
                                         struct tt_buf *b, tt_err *err);
TT_NODISCARD enum tt_code run_unpack_units(tt_run *r, uint32_t reg,
                                           struct tt_bytes *rest, tt_err *err);
/* "the saved state <why>", TT_EINPUT. */
enum tt_code run_refuse_state(tt_err *err, const char *why);
/* begin.c: the run as bytes for opts.begin of another one; does what is there
 * go with such a run, by its plan; and when that is initialised: units, values
 * and events as they were. */
TT_NODISCARD enum tt_code run_check_begin(const tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_pack_carried(tt_run *r, uint32_t reg,
                                           struct tt_buf *b, tt_err *err);
TT_NODISCARD enum tt_code run_begin_carried(tt_run *r, uint32_t reg,
                                            tt_err *err);
/* state.c: how many registers a unit must be prepared for, so that the run has
 * n; and room for the frame in these. */
uint32_t run_registers(const tt_run *r, uint32_t unit, uint32_t n);
#define RUN_MOST_PACKED ((size_t)1 << 40)
/* Takes n bytes off the front; 0: there are not so many. */
int run_take_bytes(struct tt_bytes *rest, struct tt_bytes *piece, uint64_t n);
TT_NODISCARD enum tt_code run_make_registers(tt_run *r, uint32_t n,
                                             tt_err *err);

/* guest.c */
struct tt_guest {
    struct tt_run_host host;
    char *name;       /* owned: host.name */
    int initialising; /* between enter and leave */
    int warned;       /* of a step that was not made whole */
    int warned_event; /* ... and of an event that was handled inside */
    int warned_zeno;  /* ... and of events that accumulate */
    int goes;         /* discrete-event units inside may have their events */
    uint32_t namer;   /* a unit that returned early for an event, plus 1, ... */
    double named;     /* ... from a step that was rolled back: where */
    uint32_t seat;    /* on the stage; TT_NONE: none */
    void *first;      /* owned: of the frame, before anything was played */
};
TT_NODISCARD enum tt_code run_guest_new(tt_run *r, const struct tt_run_host *h,
                                        tt_err *err);
void run_guest_free(struct tt_guest *g);
/* For the parent process: it is busy, or not; returns whether it was. */
uint32_t run_guest_busy(const tt_run *r, uint32_t busy);
/* guest_event.c: what was set from outside and is handled in an event. */
TT_NODISCARD enum tt_code run_guest_finish_event(tt_run *r, tt_err *err);
/* threads.c */
/* Private copies of libraries for units that could not meet otherwise. */
TT_NODISCARD enum tt_code run_plan_copies(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_make_crew(tt_run *r, tt_err *err);
void run_join_crew(tt_run *r);
uint32_t run_threads_wanted(const tt_run *r);
int run_threads_auto(const tt_run *r); /* only where they pay */
/* ahead.c: of how many units events may be played before their time; with
 * threads: they are. */
uint32_t run_ahead_width(const tt_run *r);
TT_NODISCARD enum tt_code run_go_ahead(tt_run *r, tt_err *err);

/* ranks.c: a run that several ranks make together. Without a link they do
 * nothing, and agree is what one returns. */
TT_NODISCARD enum tt_code run_split(tt_run *r, tt_err *err);
int run_is_away(const tt_run *r, uint32_t unit);
TT_NODISCARD enum tt_code run_make_away(tt_run *r, uint32_t u,
                                        const struct tt_make *m, tt_err *err);
TT_NODISCARD enum tt_code run_agree(tt_run *r, enum tt_code rc, tt_err *err);
/* Is the flag set on any rank? */
TT_NODISCARD enum tt_code run_any(tt_run *r, int *flag, tt_err *err);
TT_NODISCARD enum tt_code run_share_stats(tt_run *r, tt_err *err);
/* Stop after this step; with other ranks, when they know of it. */
void run_want_stop(tt_run *r);

/* orders.c: the part that plays this section; the one that played last. */
tt_part *run_part_of(const tt_run *r, enum tt_section section);
tt_part *run_part_playing(const tt_run *r);

/* macro.c: what a unit's outcome means where steps cannot be taken back. */
TT_NODISCARD enum tt_code
run_take_outcome(tt_run *r, const struct tt_halt *halt, tt_err *err);
/* macro.c: play a section between steps, or to take one back; the step and the
 * exchange at once; the step stands; its row, and what follows it. */
TT_NODISCARD enum tt_code run_play(tt_run *r, enum tt_section section,
                                   tt_err *err);
TT_NODISCARD enum tt_code run_play_plain(tt_run *r, struct tt_halt *halt,
                                         tt_err *err);
/* locate.c: ... only what crossings depend on. */
TT_NODISCARD enum tt_code run_play_scouts(tt_run *r, enum tt_section section,
                                          struct tt_halt *halt, tt_err *err);
void run_advance(tt_run *r);
TT_NODISCARD enum tt_code run_show_step(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_show_event(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_after_step(tt_run *r, tt_err *err);

struct run_macro;
/* event.c: events at the instant reached. pending: is there one? microstep: one
 * of it; *again: there is more. leave, settle: it is over. commit: a step
 * stands, and instants count from 0. start: the event at the start of the run;
 * plan: units' next events reach the agenda. */
TT_NODISCARD enum tt_code run_event_pending(tt_run *r, int *pending,
                                            tt_err *err);
/* ... besides what steps ask for: what is due, and values to move. */
/* eventlist.c: once the plan stands; after a microstep */
TT_NODISCARD enum tt_code run_list_events(tt_run *r, tt_err *err);
void run_report_events(tt_run *r);
int run_event_waits(tt_run *r);
/* Is this time now, or before? And a warning of what is handled too late. */
int run_is_due(const tt_run *r, double next);
double run_due_until(const tt_run *r);
void run_report_late(tt_run *r, const char *what, const char *name,
                     const char *does, double next);
/* select.c: the clock by which a discrete-event unit learns that it is due; of
 * those that are due the first ticks, or all do (*clock: the last of these). */
int run_is_internal(const tt_run *r, uint32_t clock);
int run_ask_selected(tt_run *r, uint32_t *clock);
uint32_t run_internal_of(const tt_run *r, uint32_t unit);
double run_internal_next(const tt_run *r, uint32_t unit);
/* confluence.c: before a microstep, does it make a difference which goes first?
 * take: an event of a trial */
TT_NODISCARD enum tt_code run_try_orders(tt_run *r, tt_err *err);
void run_take_tried(tt_run *r, const struct tt_run_event *e);
TT_NODISCARD enum tt_code run_event_microstep(tt_run *r, int *again,
                                              tt_err *err);
TT_NODISCARD enum tt_code run_event_leave(tt_run *r, tt_err *err);
/* The microstep that has begun. */
TT_NODISCARD enum tt_code run_event_play(tt_run *r, int clocks, int *again,
                                         tt_err *err);
/* Units whose events are due take part in the next microstep and, if all is
 * quiet, clocks that are due tick. */
void run_event_ask_due(tt_run *r, int quiet);
/* All microsteps that there are, and leave. */
TT_NODISCARD enum tt_code run_event_handle(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code run_event_settle(tt_run *r, tt_err *err);
void run_event_commit(tt_run *r);
void run_event_ask(tt_run *r, const tt_unit *u);
/* Did a unit return early for an event? Does it stay there when the others are
 * rolled back, since nothing it was given will be another? */
int run_asks_early(const tt_run *r, const struct tt_halt *halt);
int run_may_stay(const tt_run *r, const struct run_macro *m);
/* ... and then it, and those integrated with it, are not taken back. */
void run_keep_namer(tt_run *r, const struct run_macro *m);
/* It stands at t, and so do those integrated with it. */
void run_put(tt_run *r, const tt_unit *unit, double t);
/* Does the unit step several times, to be solved for? Then it has an event only
 * where its last turn finds one. */
int run_is_repeated(const tt_run *r, const tt_unit *unit);
TT_NODISCARD enum tt_code run_start_event(tt_run *r, tt_err *err);
void run_plan_events(tt_run *r);
double run_next_event(const tt_run *r); /* of units and clocks */
/* While initialising: when clocks tick. */
TT_NODISCARD enum tt_code run_start_clocks(tt_run *r, tt_err *err);
uint32_t run_microstep(const tt_run *r);

/* run.c: room for a copy of the frame. */
TT_NODISCARD enum tt_code run_copy_room(tt_run *r, void **room, size_t n,
                                        tt_err *err);

TT_NODISCARD enum tt_code run_nomem(tt_err *err);

/* wait.c: does it keep to a clock, and to which? */
struct tt_run_clock run_clock(const tt_run *r);
/* budget.c: runs of partitions that took longer than they may. */
uint64_t run_over_budget(const tt_run *r);

#endif
