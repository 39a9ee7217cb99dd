/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_RUN_H
#define TT_RUN_RUN_H

/* One performance: owns everything live.
 *
 *   tt_run_new      opens the units' types, plans, writes and checks the score
 *   tt_run_start    makes the units, initialises them, first row
 *   tt_run_step     one macro step and its row, until tt_run_done
 *   tt_run_end      ends the units, makes results durable
 *   tt_run_free     in any state
 *
 * tt_run_perform() does start, all steps and end. Whatever happens, units are
 * ended and freed and every row recorded so far is kept.
 *
 * A run is confined to one thread; two runs may play in two threads at once.
 * It may have threads of its own besides (`threads` of the scenario), which
 * end with it.
 */

#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "player/part.h"
#include "results/observer.h"
#include "run/pace.h"
#include "scenario/scenario.h"
#include "score/score.h"
#include "step/growth.h"
#include "unit/unit.h"

#define TT_STAGE_NAMES  65536u /* calls that can be named after a crash */
#define TT_STAGE_GUESTS 256u   /* runs inside units, likewise */

/* Counters for the parent process; those of a plain fixed step are in
 * tt_now. */
struct tt_live {
    volatile uint64_t rejected;    /* attempts at steps */
    volatile uint64_t evaluations; /* turns of repeated steps */
    volatile double late;          /* s, of a paced run; negative: early */
};

/* Memory that survives the playing process, so that the parent can state what
 * happened. Zeroed before use. */
struct tt_stage {
    struct tt_activity activity;
    struct tt_now now;
    struct tt_live live;
    struct tt_now mate[TT_CREW_MAX - 1]; /* the other threads' registers */
    volatile uint32_t n_mate;
    volatile int32_t id[TT_CREW_MAX]; /* of each thread; the first is `now`'s */
    volatile uint32_t culprit; /* the thread that brought the process down, its
                                  index plus 1; 0: not known */
    volatile int done; /* the process ended by returning, not by exit() */
    struct {
        char unit[104];
        char call[24];
    } name[TT_STAGE_NAMES]; /* by call; written once, after binding */
    volatile uint32_t n_name;
    volatile uint32_t first_name; /* of the calls that are made now */
    /* Runs inside units: their calls have the last of the names. Of those that
     * are busy the last is the innermost. They leave the activity above alone,
     * as other threads may be playing. */
    struct {
        struct tt_activity activity;
        struct tt_now now;
        volatile uint32_t busy;
        volatile uint32_t first, n; /* of `name` */
    } guest[TT_STAGE_GUESTS];
    volatile uint32_t n_guest, n_guest_name;
};

/* An event that an instance put out. Borrowed for the call. */
struct tt_run_event {
    struct tt_instant at;
    const char *instance, *port;
    enum tt_type type;
    const void *value;
};

/* One attempt at a macro step, as it was ruled on. Texts are borrowed for the
 * call and never NULL. */
struct tt_run_attempt {
    uint64_t step; /* 1 is the first; attempts at one step share it */
    double t0, h;  /* s */
    /* "accepted"; taken back to be tried again: "rejected", or "early" when a
     * unit returned early; the last: "failed", "ended" (by a unit) */
    const char *outcome;
    const char *limited_by; /* what chose the length */
    const char *objector;   /* what objected, "" when nothing */
    const char *reason;     /* why it was not accepted */
    uint64_t evaluations;   /* of a repeated step, in this attempt */
    double reached;         /* s */
    /* Of a run with a sequence: the order that made it, from 1 on, and what
     * each of n_order was estimated to miss where it began; NaN: not known. */
    uint32_t order, n_order;
    const double *error;
};

typedef struct tt_run tt_run;

/* A clock to pace by, ns. */
struct tt_run_clock {
    uint64_t (*now_cb)(void *ctx);
    void (*sleep_cb)(void *ctx, uint64_t until); /* may return early */
    void *ctx;
};

/* The unit a run is inside of (see guest.h). */
struct tt_run_host {
    const char *name;             /* "{sub}.s"; copied */
    struct tt_activity *activity; /* borrowed, may be NULL */
    tt_texts *texts; /* borrowed: where its long texts are, may be NULL */
    struct tt_grown *grown; /* borrowed: as tt_make's, may be NULL */
    tt_run *like;           /* borrowed: a run of the same scenario, whose types
                               are shared; it outlives this one */
    int takes_back;         /* it may take steps back that are not made whole */
    int ends_early;         /* ... and wants to be where a crossing inside is */
    int early_return;       /* units inside may return early */
    int event_mode;         /* it handles events together with others */
    int visible, logging;   /* as for any unit */
    const struct tt_experiment *experiment; /* as for any unit: borrowed until
                                               it is made, NULL: not known */
    /* Called with each unit that was made, to put itself around it; takes it,
     * also when it fails. NULL: nothing is put around. */
    enum tt_code (*wrap_cb)(void *ctx, uint32_t unit, tt_unit **u,
                            const struct tt_make *m, tt_err *err);
    void *wrap_ctx;
    /* Values of these slots within steps, and at the instants in between, go to
     * this trail, in this order; borrowed while it lives. n 0: none do. */
    tt_trail *trail;
    const uint32_t *trail_slot;
    uint32_t n_trail;
    int trail_fine; /* ... for courses (tt_make) */
};

/* Checkpoints: all that a run is between two steps, as bytes (struct tt_bytes
 * is borrowed during the call). Every unit must be able to pack its state; the
 * run is refused otherwise. */
struct tt_run_checkpoint {
    double every;         /* simulated s; 0: only when wanted */
    volatile int *wanted; /* set from outside: after this step; cleared then.
                             May be NULL */
    /* What fails here fails the run. NULL: another rank takes it. */
    enum tt_code (*take_cb)(void *ctx, const struct tt_bytes *state,
                            tt_err *err);
    void *ctx;
    int carried; /* only what runs with other settings can begin with: struct
                    tt_run_begin */
};

/* Units' states, values at connections and coming events, from a run of the
 * same scenario with any master, approximation or step; one whose settings make
 * a unit otherwise (tt_plan_differs) is refused. The experiment begins where
 * they were taken: values are exchanged once more there, and what a run
 * remembers besides (pasts of inputs, estimates, counts) begins anew. Values
 * that belong to clocks are absent from its first row, as no clock ticks in it:
 * what there was at this instant is in the last row of the other run. */
struct tt_run_begin {
    struct tt_bytes state;
    double start; /* s: the start that units are given */
};

/* A start value that is moved, to see how the run answers (probe.h). */
struct tt_run_nudge {
    uint32_t unit, port, element; /* Float64 */
    double by;
};

struct tt_run_opts {
    const struct tt_log *log;     /* borrowed, may be NULL */
    struct tt_stage *stage;       /* borrowed, may be NULL */
    tt_observer *const *observer; /* array copied; they outlive the run */
    uint32_t n_observer;
    int tangent;        /* units that can be are linearised where they start:
                           unit/linear.h */
    int tangent_late;   /* ... or where tt_probe_linearise() is called */
    int no_event_mode;  /* units handle their events inside their steps */
    int microsteps;     /* a row for each microstep of an event, not only for
                           the last; with a column that counts them */
    int profile;        /* read the clock around every call */
    int trial;          /* it will be played: where steps may be taken back, try
                           first whether units can (trial.h) */
    volatile int *stop; /* set from outside: end after this step, and do not
                           wait for the clock any more; may be NULL */
    /* Which kind takes a source; NULL: the kinds there are (kinds/kinds.h). */
    enum tt_code (*kind_cb)(const struct tt_kind_ops **kind,
                            const struct tt_source *s, tt_err *err);
    /* Called now and then while playing (not every step); may be NULL. */
    void (*progress_cb)(void *ctx, double t, uint64_t steps);
    void *progress_ctx;
    /* Called with each attempt at a step; may be NULL. */
    void (*attempt_cb)(void *ctx, const struct tt_run_attempt *a);
    void *attempt_ctx;
    /* Called with each event that an instance puts out; may be NULL. */
    void (*event_cb)(void *ctx, const struct tt_run_event *e);
    void *event_ctx;
    const struct tt_run_clock *clock; /* copied; NULL: the system's */
    tt_link *link;      /* to the other ranks, borrowed; NULL: there are none */
    const double *cost; /* of each unit, to deal them out by; may be NULL */
    const struct tt_source *within; /* borrowed while making the run: what the
                                       scenario was read from, if that is a
                                       unit's source; NULL: none */
    const struct tt_run_host *host; /* copied; NULL: not a guest */
    /* Every unit that others wrote lives in a process of its own, and that in
     * this; borrowed while there are units. NULL: as the scenario states, and
     * they may do what we may. */
    const struct tt_sandbox *sandbox;
    const struct tt_run_checkpoint *checkpoint; /* copied; NULL: none */
    /* Go on from a checkpoint of the same run instead of the start: borrowed
     * until tt_run_start has returned. NULL: from the start. */
    const struct tt_bytes *resume;
    const struct tt_run_begin *begin; /* borrowed until tt_run_start has
                                         returned; NULL: none */
    tt_run *like; /* borrowed: a run of this very scenario, whose types are
                     shared; it outlives this one. NULL: none */
    const struct tt_run_nudge *nudge; /* borrowed until it has started; NULL:
                                         none */
    double event_shift; /* s: the first crossing is passed by so much before it
                           counts; 0: it is not. See tt_run_shift_events */
    int twin;           /* it only plays along with `like`: twin.h */
    int held;           /* the parent process ends this one when a call of a
                           unit in it exceeds the deadline */
};

enum tt_run_why {
    TT_RUN_NOT_ENDED,
    TT_RUN_COMPLETE,   /* reached the end time */
    TT_RUN_TERMINATED, /* a unit ended the simulation: a normal end */
    TT_RUN_STOPPED,    /* asked to by an observer or from outside */
    TT_RUN_FAILED,
};

/* What a unit cost and did. */
struct tt_run_unit {
    const char *name, *kind, *model;
    int consistent;
    uint64_t steps;
    double share;   /* of the sampled play time, 0 .. 1; NaN: not sampled */
    double max_lag; /* relative to the step */
};

TT_NODISCARD enum tt_code tt_run_new(tt_run **out, const tt_scenario *s,
                                     const struct tt_run_opts *o, tt_err *err);
TT_NODISCARD enum tt_code tt_run_start(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code tt_run_step(tt_run *r, tt_err *err);
int tt_run_done(const tt_run *r);
/* After tt_run_new: what the units need on disk, as tt_kind_ops.unpack. */
TT_NODISCARD enum tt_code tt_run_unpack_units(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code tt_run_end(tt_run *r, tt_err *err);
TT_NODISCARD enum tt_code tt_run_perform(tt_run *r, tt_err *err);
void tt_run_free(tt_run *r); /* accepts NULL */

/* The state between two steps, in registers (of a guest: as many as its host
 * prepared): all its units' states and the frame. Of every unit that can save
 * or pack; the first that cannot fails it. unpack refuses what was packed by a
 * run of another scenario or master, by name. */
TT_NODISCARD enum tt_code tt_run_save(tt_run *r, uint32_t reg, tt_err *err);
TT_NODISCARD enum tt_code tt_run_restore(tt_run *r, uint32_t reg, tt_err *err);
TT_NODISCARD enum tt_code tt_run_pack(tt_run *r, uint32_t reg,
                                      struct tt_bytes *b, tt_err *err);
TT_NODISCARD enum tt_code tt_run_unpack(tt_run *r, uint32_t reg,
                                        const struct tt_bytes *b, tt_err *err);

/* To look at, borrowed until the run is freed. */
const tt_plan *tt_run_plan(const tt_run *r);
const tt_score *tt_run_score(const tt_run *r);
enum tt_run_why tt_run_why(const tt_run *r);
/* With other ranks: it failed, and they do not know. */
int tt_run_failed_alone(const tt_run *r);
double tt_run_time(const tt_run *r);    /* the instant reached */
uint64_t tt_run_steps(const tt_run *r); /* steps made */
uint64_t tt_run_rows(const tt_run *r);  /* rows given to observers */
/* How it ended, one sentence: "completed: 50 steps to t=10 s". */
const char *tt_run_sentence(const tt_run *r);
/* Lengths of the steps that stand, and how many attempts did not. */
struct tt_run_steps {
    int variable;
    double least, most; /* s */
    uint64_t rejected;
    uint64_t doubled; /* attempts played whole, only to be compared */
};
struct tt_run_steps tt_run_step_account(const tt_run *r);
/* What was decided besides the plan and the score. */
const struct tt_notes *tt_run_notes(const tt_run *r);
/* In words: "fixed step 0.1 s", "variable step 0.001 to 0.5 s". */
void tt_run_step_text(const tt_run *r, struct tt_buf *out);
/* What repeating steps took so far; zeros without. */
struct tt_part_stats tt_run_stats(const tt_run *r);

/* Entries of the script, and the ends of overrides that these state. */
struct tt_run_cue {
    const char *name;
    int ends;    /* it is the end of an override */
    uint64_t n;  /* how often it was done */
    double last; /* ... and when last, if n */
};
uint32_t tt_run_cues(const tt_run *r);
struct tt_run_cue tt_run_cue(const tt_run *r, uint32_t i);
/* Did the script stop the run? Texts are borrowed until the run is freed. */
struct tt_run_verdict {
    const char *word; /* "pass", "fail", "end" */
    int failed;
    const char *because; /* or NULL */
    const char *entry;
    double t;
};
int tt_run_verdict(const tt_run *r, struct tt_run_verdict *v);

/* What the scenario expects, and whether it is so; complete when the run has
 * ended. */
enum tt_run_expects {
    TT_EXPECTS_OPEN, /* it ended before that is known, or never counted */
    TT_EXPECTS_HELD,
    TT_EXPECTS_VIOLATED
};
struct tt_run_expectation {
    const char *name;
    enum tt_run_expects is;
    int fails;     /* it is violated, and that is the run's failure */
    double t;      /* of the first violation; of what holds once or settles:
                      since when; NaN: none */
    double value;  /* ... and what was not in its range; NaN: a condition */
    double margin; /* by how much it holds at its worst, < 0: not */
    double degree; /* ... from -1 to 1: by the nominal value of what is
                      compared, or the time or number that is asked for */
};
uint32_t tt_run_expectations(const tt_run *r);
struct tt_run_expectation tt_run_expectation(const tt_run *r, uint32_t i);
/* Of one that is violated, in words: "'{tank}.t.level' is 2.1, not at most 2".
 */
void tt_run_expectation_why(const tt_run *r, uint32_t i, struct tt_buf *out);
/* Is the run to fail of one? */
int tt_run_expectations_fail(const tt_run *r);

/* How a coupling fared, complete when the run has ended. */
struct tt_run_coupling {
    const char *name;
    double residual;      /* the largest after a step */
    double rate_residual; /* ... of the rates; NaN: they are not connected */
    double ringing;       /* steps in which its action rang ... */
    double ringing_since; /* ... and the first of them */
};
/* Returns whether this unit is one. */
int tt_run_coupling(const tt_run *r, uint32_t unit, struct tt_run_coupling *of);
/* How a paced run kept up; zeros without. */
struct tt_pace_stats tt_run_pace(const tt_run *r);
/* In words: "factor 1, no step was late"; 0 and no word without pacing. */
int tt_run_pace_text(const tt_run *r, struct tt_buf *out);
/* A value that goes round between units and explodes, if there is one; see
 * step/growth.h. */
struct tt_run_growth {
    enum tt_growth_cause cause; /* TT_GROWTH_NONE: none does */
    uint32_t slot, element;
    double since;  /* s */
    double factor; /* per step */
    double angle;  /* rad per step */
    double value;  /* TT_GROWTH_RANGE: what it was */
    uint64_t step; /* when it was found */
};
/* Its own, else of a run inside one of its units; slot and element are those of
 * the run it is in. */
struct tt_run_growth tt_run_growth(const tt_run *r);
/* Only if there is one: the instance; the variable; "coupling", "feed-through",
 * "unknown", "range". */
const char *tt_run_growth_instance(const tt_run *r);
void tt_run_growth_name(const tt_run *r, struct tt_buf *out);
const char *tt_run_growth_cause(const tt_run *r);
/* What was left over: energy of power bonds, error of steps, disagreement of
 * repeated steps. */
struct tt_run_bond {
    const char *name;
    double net, gross; /* J */
    uint64_t leaps;    /* events that changed its power */
    double leap, rest; /* W: by how much at most; by how much sides differ
                          behind one, at most */
    int corrected;
};
uint32_t tt_run_bonds(const tt_run *r);
struct tt_run_bond tt_run_bond(const tt_run *r, uint32_t i);
/* Crossings that are located. */
struct tt_run_crossing {
    const char *name;
    uint64_t n, late;            /* of these, not located */
    uint64_t attempts;           /* taken back on the way */
    double last;                 /* when the last one was */
    int rests;                   /* and there will be no other */
    double error;                /* s: the least accurate of those located */
    double late_most, late_mean; /* s: of those late */
    double moved; /* by how much the last one moves per s that the first one of
                     all is late; NaN: not known */
};
uint32_t tt_run_crossings(const tt_run *r);
struct tt_run_crossing tt_run_crossing(const tt_run *r, uint32_t i);
/* Of a run that has ended: make it once more, with its first crossing counting
 * `shift` s late, and see by how much the last ones move. Nothing is shown of
 * it. Not known where there are then more or fewer of them. */
TT_NODISCARD enum tt_code tt_run_shift_events(tt_run *r, double shift,
                                              tt_err *err);
/* Units that sleep: steps they were asked for, and made. */
struct tt_run_quanta {
    uint32_t n;
    uint64_t steps, made;
};
struct tt_run_quanta tt_run_quanta(const tt_run *r);
/* Units whose late values are predicted. */
struct tt_run_late {
    uint32_t n;
    uint64_t steps, predicted; /* asked for; whose values were predicted */
    uint64_t waits;            /* that waited, for too many were owed */
    uint32_t unit; /* whose error was the largest, in nominal values; TT_NONE:
                      there was none */
    struct tt_late_stats worst; /* of it */
};
struct tt_run_late tt_run_late(const tt_run *r);
/* Policies that were switched: n of them; 0: none are. */
struct tt_run_switching {
    uint32_t n;
    int guarded; /* requests that are not allowed are refused */
    uint64_t requests, refused, switches;
    uint64_t cut;          /* steps shorter than the policy's */
    const uint64_t *steps; /* per policy */
};
struct tt_run_switching tt_run_switching(const tt_run *r);
/* Orders among which the run chose: n of them; 0: there was no choice. */
struct tt_run_sequence {
    uint32_t n;
    uint64_t switches;
    int guarded; /* choices that are not allowed are refused */
    uint64_t refused;
    uint64_t cut;                   /* steps shorter than the scenario's */
    double share[TT_SC_ORDERS_MAX]; /* of the time, 0 .. 1 */
    double estimate;                /* error by the indicator, over time */
    double fixed[TT_SC_ORDERS_MAX]; /* ... had this order been kept */
    uint32_t best;                  /* of these */
};
struct tt_run_sequence tt_run_sequence(const tt_run *r);
/* How many there are, once the run is made. */
uint32_t tt_run_orders(const tt_run *r);
/* "a -> b" */
void tt_run_sequence_order(const tt_run *r, uint32_t order, struct tt_buf *out);
/* Of the scenario and its policies, whatever the experiment: what a proof about
 * them is stamped with. */
uint64_t tt_run_policies_hash(const tt_run *r);
/* Error estimates of the steps that stand, 1 is what was tolerated. */
struct tt_run_error {
    int estimated;
    double largest, mean;
};
struct tt_run_error tt_run_error(const tt_run *r);

/* What an FMU or table of the scenario was. Texts are NULL where not known. */
struct tt_run_source {
    const char *key, *path, *kind, *model, *version, *tool, *token;
    char sha256[65]; /* of the file, "": a folder, or not readable */
    int digested;    /* it was computed */
};
uint32_t tt_run_sources(const tt_run *r);
/* Reads the file, once. */
const struct tt_run_source *tt_run_source(const tt_run *r, uint32_t i);
/* A value the scenario sets (those `given` of the plan): "{a}.a.x = 1 m" */
void tt_run_setting_text(const tt_run *r, const struct tt_start *s,
                         struct tt_buf *out);
/* Threads: how many, and what they brought. */
struct tt_run_threads {
    uint32_t wanted;
    int automatic; /* as many as pay */
    uint32_t cores;
    struct tt_part_team team;
};
struct tt_run_threads tt_run_threads(const tt_run *r);
/* Costs of operations, after tt_run_start; NULL before. */
/* Where long strings and binaries are; swept with every step. */
tt_texts *tt_run_texts(const tt_run *r);
const tt_part *tt_run_part(const tt_run *r);
struct tt_run_unit tt_run_unit(const tt_run *r, uint32_t unit);
uint32_t tt_run_units(const tt_run *r);

/* What it keeps (of attempts) goes along with checkpoints. Borrowed; before the
 * run starts. */
void tt_run_keep(tt_run *r, tt_observer *o);

/* No event is worth a call of opts.event_cb any more; from inside it, too. */
void tt_run_list_no_more(tt_run *r);

/* Are all units known to roll back, because a trial showed it? Of a run that
 * was not started, too. */
int tt_run_known_to_restore(const tt_run *r);

/* Between steps: from pause to resume the clock of a paced run stands. */
void tt_run_pause(tt_run *r);
void tt_run_resume(tt_run *r);
/* ... and it goes on at this factor, > 0. TT_ESTATE: the run is not paced. */
TT_NODISCARD enum tt_code tt_run_set_pace(tt_run *r, double factor,
                                          tt_err *err);

/* Values between steps, by name, for stepwise control. Input values last
 * until the next exchange overwrites them, if they are connected. */
TT_NODISCARD enum tt_code tt_run_get(tt_run *r, uint32_t unit, uint32_t port,
                                     void *value, tt_err *err);
TT_NODISCARD enum tt_code tt_run_set(tt_run *r, uint32_t unit, uint32_t port,
                                     const void *value, tt_err *err);

#endif
