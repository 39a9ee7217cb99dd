/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAN_PLAN_H
#define TT_PLAN_PLAN_H

/* The plan: a scenario resolved to indices.
 *
 * Units, value slots, feeds (connections with their conversion), start values,
 * columns and the layout of the frame. Several scores can be written over one
 * plan and take turns, because slots, histories and state registers belong to
 * the plan. Immutable once built; owns its arena; borrows the scenario and the
 * descriptions, which outlive it.
 *
 * A *slot* is one port's value in the frame, in the unit's native type. Only
 * ports that are connected or recorded have one. Slots of one unit, direction
 * and type lie next to each other, so that one batched call moves them in
 * place; outputs that depend on no input come first.
 */

#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/brief.h"
#include "base/names.h"
#include "expr/expr.h"
#include "scenario/deeds.h"
#include "scenario/scenario.h"
#include "unit/desc.h"
#include "unit/elements.h"
#include "unit/late.h"
#include "unit/quantum.h"
#include "unit/sleeper.h"
#include "unit/substep.h"

enum tt_slot_dir {
    TT_SLOT_OUT,   /* read from its unit and connected, perhaps recorded */
    TT_SLOT_EXTRA, /* read only to be recorded */
    TT_SLOT_IN,    /* a connected input */
};

struct tt_slot {
    uint32_t unit, port;
    enum tt_slot_dir dir;
    enum tt_type type;
    uint32_t n;      /* elements */
    uint32_t offset; /* bytes from the start of the frame's values */
    uint32_t feed;   /* of an input: the feed that ends here, else TT_NONE */
    uint32_t course; /* of an input with a course: its index, else TT_NONE */
    enum tt_reactivity reactivity; /* of an input */
    int event_only;  /* moved at events only: a clock, what belongs to one, or
                        a discrete input of a unit with event mode */
    uint32_t clock;  /* slot of the clock it belongs to, else TT_NONE */
    uint32_t clocks; /* of several it belongs to: index into tt_plan.clock_set,
                        else TT_NONE */
    uint32_t ticked; /* an input clock that nothing is connected to: the run
                        ticks it, index into tt_plan.clock; else TT_NONE */
};

/* A clock that the run ticks. */
struct tt_plan_clock {
    uint32_t slot;
    const struct tt_clock *is; /* borrowed; NULL: triggered, it never ticks */
    struct tt_ratio period;    /* declared, or what the scenario gives; 0/0: the
                                  unit is asked when it is initialised */
    struct tt_ratio shift;     /* of the first tick, likewise */
};

/* When a clock ticks that its unit ticks: what the scenario gives. */
struct tt_plan_timing {
    uint32_t unit, port;
    struct tt_ratio period, shift;
};

enum tt_feed_how {
    TT_FEED_COPY,   /* the same bytes */
    TT_FEED_LINEAR, /* to = factor * from + offset, as doubles */
    TT_FEED_CAST,   /* other native type, same value */
    TT_FEED_MAP,    /* by a table of whole numbers */
    TT_FEED_ITEM,   /* an enumeration, to the name of its item */
};

struct tt_feed {
    uint32_t from, to; /* slots */
    enum tt_feed_how how;
    double factor, offset;
    const struct tt_sc_transform *map; /* if by a table */
    uint32_t left;       /* slot a course ends at; mostly `from` */
    uint32_t connection; /* index in the scenario; beyond: a fed back guess, or
                            a clock that ticks with a value */
};

/* What the course of an input over a step goes through. */
enum tt_course_kind {
    TT_COURSE_VALUES,     /* past values */
    TT_COURSE_HERMITE,    /* past values and derivatives */
    TT_COURSE_CONTINUOUS, /* a line from where the last course ended to what
                             past values lead to; it never leaps */
    TT_COURSE_COUPLED,    /* a line between two guesses */
    TT_COURSE_WAVE,       /* what its source did within the step, if that is
                             known, and past values otherwise */
    TT_COURSE_MODEL,      /* what a predictor makes of its past */
};

/* An input whose course over a step is a polynomial, or several. Only inputs
 * their unit can take one for have an entry; others are held. */
struct tt_course {
    uint32_t slot;
    enum tt_course_kind kind;
    uint32_t order;   /* of the polynomial, at most */
    uint32_t depth;   /* past instants that are kept */
    int stated;       /* for this input by name: policies leave it so */
    uint32_t history; /* bytes from the start of the frame: a struct tt_past */
    uint32_t begins_at; /* COUPLED: the line begins at the guess of this slot */
    int begins_by;      /* ... so many times */
    uint32_t wave;      /* of WAVE courses, in `wave`; TT_NONE of others */
};

/* An output that courses follow within steps. Of each unit the values of these
 * ports, in this order, are the first of its trail's rows. */
struct tt_plan_wave {
    uint32_t slot;
    uint32_t first; /* its first element in a row */
};

/* In the frame: what is known of an input's past. */
struct tt_past {
    uint32_t n; /* instants that count, since a discontinuity; up to depth */
    uint32_t pad;
    double value[]; /* depth per element, newest first; with Hermite the
                       derivatives of all elements follow, laid out alike;
                       with MODEL a struct tt_model per element */
};

/* Its predictors, of an input of n elements. */
struct tt_model *tt_past_model(struct tt_past *past, const struct tt_course *c,
                               uint32_t n);

/* A discrete output of a unit that feeds courses: when it changes, so may the
 * unit's other outputs, by a leap. */
struct tt_mode {
    uint32_t slot;
    uint32_t kept; /* bytes from the start of the frame: its last value */
};

enum tt_sleeper { TT_SLEEPER_NONE, TT_SLEEPER_AWAKE, TT_SLEEPER_ASLEEP };
struct tt_plan_unit {
    const char *name;           /* "{tank}.tank1" */
    const char *instance;       /* "tank1" */
    uint32_t fmu;               /* which type */
    int resized;                /* desc has sizes by structural parameters */
    const struct tt_desc *desc; /* borrowed, or in the arena */
    const struct tt_element *element; /* ... with these as its last ports */
    uint32_t n_element;
    enum tt_sleeper sleeper; /* a script wakes it: as it is at the start */
    struct tt_sleeper_start start; /* ... and what it can be given before; its
                                      elements come behind ports for these */
    int consistent; /* outputs may be read after inputs were set */
    int events;     /* its events are the run's: it is made with
                       event mode */
    int asks;       /* ... and it is asked at events when clocks tick next */
    uint32_t rate;  /* steps in a macro step, at least 1 */
    uint32_t group; /* units of one rate that feed each other, exchanging at
                       every one of these steps, or of one ensemble; named by
                       its first; TT_NONE: neither */
    int together;   /* the group is an ensemble: one integrator steps all, at
                       the step of the first, which comes last */
    struct tt_substeps substeps; /* it takes courses by so many, and desc states
                                    so; 0: by itself, or none */
    struct tt_quantum quantum;   /* it sleeps while inputs stay in it; 0: not */
    const struct tt_sc_late *late; /* its values are predicted when they are
                                      late, and desc states so; NULL: not */
    uint32_t slot;           /* its slots: first those read, then the inputs */
    uint32_t n_read;         /* outputs and extras */
    uint32_t n_in;           /* connected inputs */
    uint32_t mode, n_mode;   /* its modes: the first, and how many */
    uint32_t clock, n_clock; /* clocks the run ticks, likewise */
    uint32_t internal;       /* ... by which it learns that it is due; or 0 */
    uint32_t rank; /* of a discrete-event unit: its place in `select`, plus 1;
                      else 0 */
    const struct tt_quantity *const *fed; /* per port, see tt_make; or NULL */
};

/* A value to set before initialisation. */
struct tt_start {
    uint32_t unit, port;
    const void *value; /* native elements, in the arena */
    int given;         /* by the scenario, not only by the description */
};

struct tt_plan_column {
    const char *name;
    uint32_t slot, element;
};

/* Something decided for the user: printed and in the report. */
struct tt_note {
    const char *topic; /* "exchange", "conversion", "order", ... */
    const char *text;
    int warns; /* logged as a warning, too */
};

struct tt_notes {
    struct tt_note *note; /* owned; tt_free */
    size_t n, cap;
};
/* Texts go into the arena; what is decided is logged, too. Failing to note
 * something is not worth failing for. */
TT_PRINTF(5, 0)
void tt_notes_add(struct tt_notes *n, tt_arena *arena, const struct tt_log *log,
                  const char *topic, const char *fmt, va_list ap);

/* Connected inputs an output directly depends on, of all outputs: those of
 * slot s are in[first[s]] .. in[first[s + 1]]; none where they are unknown. */
struct tt_plan_deps {
    uint32_t *first, *in;
};

/* One number a step policy looks at. */
struct tt_watch {
    uint32_t slot, element;
};

/* Something that a script can do. */
struct tt_plan_deed {
    uint32_t slot, element; /* how often it was done */
    const char *instance;   /* that decides: "{script}.script" */
    struct tt_deed is;      /* its entries are numbered over all scripts */
};

/* A crossing that is located. */
struct tt_plan_locate {
    const struct tt_sc_locate *given;
    uint32_t unit;
    uint32_t watch;        /* its value */
    int emits;             /* its clock ticks there, for others: */
    uint32_t fire, settle; /* clocks the run ticks, if emits */
};

/* A power bond: in[i] follows sign[i] * out[1 - i], and in[i] * out[i] is a
 * power. */
struct tt_plan_bond {
    const struct tt_sc_bond *given;
    uint32_t in[2], out[2]; /* slots, of sides a and b */
    double sign[2];         /* 1 or -1 */
};

/* An expectation: its programs, and the slots of what these read. */
struct tt_plan_expect {
    const struct tt_sc_expect *given;
    tt_expr part[TT_EXPECT_PARTS];         /* empty where none is given */
    const uint32_t *slot[TT_EXPECT_PARTS]; /* per ref */
};

/* How long the partition of a clock may run, on the wall clock. */
struct tt_plan_budget {
    uint32_t unit, port;
    double seconds;
};

/* Of a scenario that is a unit of another one: what is seen from outside. */
struct tt_plan_target {
    uint32_t unit, port;
};
struct tt_plan_port {
    const char *name;
    enum tt_causality causality;         /* as seen from outside */
    const struct tt_plan_target *target; /* all get what is set; the first is
                                            read */
    uint32_t n_target;
    int settable;  /* an input that is not connected inside, or takes events
                      from there and from outside */
    uint32_t slot; /* of an output, else TT_NONE */
    uint32_t left; /* of an output that leaps: the port of its limit from the
                      left, else TT_NONE */
};

typedef struct tt_plan {
    tt_arena *arena;             /* owned */
    const tt_scenario *scenario; /* borrowed */
    struct tt_plan_unit *unit;
    uint32_t n_unit;
    struct tt_slot *slot;
    uint32_t n_slot;
    struct tt_feed *feed; /* sorted by target slot */
    uint32_t n_feed;
    uint32_t *out_feed;  /* feeds sorted by source slot ... */
    uint32_t *out_first; /* ... those of slot s: out_first[s] .. [s+1] */
    struct tt_plan_deps deps[2]; /* while running, at initialisation */
    struct tt_course *course;
    uint32_t n_course;
    struct tt_plan_wave *wave; /* by slots */
    uint32_t n_wave;
    const char *courses; /* the most any input got: "linear where units can" */
    struct tt_mode *mode;
    uint32_t n_mode;
    uint32_t n_event;            /* units with event mode */
    struct tt_plan_clock *clock; /* by slots; of units with event mode */
    uint32_t n_clock;
    struct tt_plan_timing *timing; /* of clocks that units tick themselves */
    uint32_t n_timing;
    struct tt_clock_set {
        const uint32_t *slot;
        uint32_t n;
    } * clock_set; /* several clocks that values belong to */
    uint32_t n_clock_set;
    uint32_t *select; /* discrete-event units: the first that is due goes first
                       */
    uint32_t n_select;
    int parallel;           /* ... or all that are */
    struct tt_watch *watch; /* what a step policy looks at ... */
    uint32_t n_watch;
    struct tt_watched {
        uint32_t *at, n;
    } * watched_by;        /* ... per constraint of the scenario: into watch */
    uint32_t n_constraint; /* of the scenario's, those that hold: none where
                              the step is fixed */
    struct tt_plan_locate *locate;
    uint32_t n_locate;
    struct tt_plan_deed *deed; /* of scripts, also inside units */
    uint32_t n_deed;
    int foretells; /* crossings are met by steps that end where they are
                      expected: not all units go back */
    struct tt_plan_bond *bond;
    uint32_t n_bond;
    struct tt_plan_expect *expect;
    uint32_t n_expect;
    struct tt_plan_budget *budget;
    uint32_t n_budget;
    struct tt_start *start;
    uint32_t n_start;
    struct tt_plan_target *adjust; /* start values that couplings may change */
    uint32_t n_adjust;
    struct tt_plan_column *column;
    uint32_t n_column;
    size_t frame_size; /* bytes: values, then histories */
    struct tt_experiment experiment;
    double step;   /* H; of variable steps the first; +inf: events alone end
                      steps */
    int discrete;  /* no step was asked for, and no unit needs one */
    int by_events; /* ... nor does another scenario give steps */
    int follows;   /* it is inside another one, which gives every step */
    int variable;
    enum tt_sc_dialect dialect; /* whose rules of time and steps; ours inside
                                   another scenario */
    int has_texts; /* strings or binaries are read or set, here or inside units
                    */
    tt_texts *texts; /* owned: has those of start values that are long */
    int rejects;     /* steps may be rejected, and are then taken back */
    double step_min, step_max; /* of variable steps */
    int doubles; /* steps are played whole, and again as two halves */
    int embeds;  /* ... with courses of one order more, and again as they are */
    uint32_t
        internal; /* of these ports, plus 1: as tt_desc.internal; 0: none */
    struct tt_plan_port *port; /* none unless it is inside another one */
    uint32_t n_port;
    struct tt_notes notes;
    const struct tt_log *log; /* borrowed while building */
} tt_plan;

/* desc[i] describes scenario fmu i. Warnings and notes go to log too. When the
 * log wants all problems (tt_log_problem), one may be missing: connections and
 * start values of other units are judged all the same, and there is no plan. */
TT_NODISCARD enum tt_code tt_plan_new(tt_plan **out, const tt_scenario *s,
                                      const struct tt_desc *const *desc,
                                      const struct tt_log *log, tt_err *err);
/* The same for a scenario inside a unit: names of its units begin with that
 * unit's. within may be NULL. */
TT_NODISCARD enum tt_code tt_plan_new_within(tt_plan **out, const char *within,
                                             const tt_scenario *s,
                                             const struct tt_desc *const *desc,
                                             const struct tt_log *log,
                                             tt_err *err);
void tt_plan_free(tt_plan *p); /* accepts NULL */

/* Record a decision, while building. */
TT_PRINTF(3, 4)
void tt_plan_note(tt_plan *p, const char *topic, const char *fmt, ...);

/* Of all that decides what a run of it computes, but its score. */
uint64_t tt_plan_hash(const tt_plan *p);
/* The same whatever is the experiment, and the step. */
uint64_t tt_plan_hash_timeless(const tt_plan *p);

const struct tt_port *tt_plan_port(const tt_plan *p, uint32_t slot);
/* Names of its instances as people read them; the caller ends it. */
void tt_plan_brief(const tt_plan *p, struct tt_brief *out);
/* "{tank}.tank1.level" into out; returns out. */
const char *tt_plan_slot_name(const tt_plan *p, uint32_t slot, char *out,
                              size_t size);

/* The same for all inputs at once, in constant time: the connected ones it
 * depends on as declared, or known = 0 and perhaps every one of its unit. */
struct tt_plan_inputs {
    int known;
    const uint32_t *slot;
    uint32_t n;
};
struct tt_plan_inputs tt_plan_inputs_of(const tt_plan *p, uint32_t out,
                                        int init);

/* A program of the scenario's text, over the time and the variables that find
 * knows: a number, or a condition. */
struct tt_plan_program {
    const tt_scenario *scenario;
    const struct tt_sc_expr *text;
    void *ctx;
    int (*find)(void *ctx, const char *name, struct tt_expr_variable *v);
};
TT_NODISCARD enum tt_code tt_plan_compile(tt_expr *to,
                                          const struct tt_plan_program *of,
                                          int number, tt_arena *a, tt_err *err);

/* The same plan with the rates of a policy; p itself if that gives none. It
 * lies in the arena, borrows all else from p, and is not freed. */
TT_NODISCARD enum tt_code tt_plan_at_rates(const tt_plan **out,
                                           const tt_plan *p,
                                           const struct tt_sc_policy *by,
                                           tt_arena *a, tt_err *err);

/* By how many sub-steps this unit would follow a course it cannot take; 0: it
 * is not sub-stepped. */
struct tt_substeps tt_plan_substeps(const tt_plan *p, uint32_t unit);

/* Is it an event that its unit puts out: an output that belongs to a clock? */
int tt_plan_is_event(const tt_plan *p, uint32_t slot);

/* The clocks that this slot belongs to: there are values when one of them
 * ticks.
 */
static inline struct tt_clock_set tt_plan_clocks_of(const tt_plan *p,
                                                    uint32_t slot)
{
    const struct tt_slot *s = &p->slot[slot];

    if (s->clocks != TT_NONE)
        return p->clock_set[s->clocks];
    return (struct tt_clock_set){&s->clock, s->clock != TT_NONE};
}

/* Is this clock's interval asked for at events? FMI 3.0.2, 2.2.8.2. */
static inline int tt_plan_clock_is_asked(const struct tt_plan_clock *c)
{
    return tt_clock_is_timed(c->is) &&
           (!tt_clock_is_periodic(c->is) ||
            (c->is->interval == TT_INTERVAL_TUNABLE &&
             !tt_ratio_is(c->period)));
}

/* Is this feed within a group, exchanged at every sub-step? */
int tt_plan_inner(const tt_plan *p, uint32_t feed);
/* Is it the same unit, or one that is integrated together with it? */
int tt_plan_stands_with(const tt_plan *p, uint32_t a, uint32_t b);

/* carry.c: how a unit is made, as far as its state depends on that. Plain
 * memory: it goes along with states. */
struct tt_plan_made {
    uint32_t events; /* they are the run's */
    uint32_t sleeps;
    uint32_t with; /* the unit that names its ensemble; else itself */
};
struct tt_plan_made tt_plan_made(const tt_plan *p, uint32_t unit);
/* Why the unit cannot go on here from the state of one of another plan of the
 * scenario ("there"), which was made so: the rest of "instance 'x' ...". NULL:
 * it can, if all others can: of an ensemble that has lost or won members only
 * these need differ. */
const char *tt_plan_differs(const tt_plan *p, uint32_t unit,
                            const struct tt_plan_made *was);

/* A unit that sums up flows where more than two terminals meet? The scenario
 * does not name it; one whose terms and taker are integrated together stands
 * among them. */
int tt_plan_is_sum(const tt_plan *p, uint32_t u);
/* Where flows of more than two terminals meet, *s becomes a scenario with a
 * unit for each that sums up, in the arena. desc: as for a plan. */
TT_NODISCARD enum tt_code tt_plan_sum_flows(const tt_scenario **s,
                                            const struct tt_desc *const *desc,
                                            tt_arena *a, tt_err *err);
/* ... within an ensemble, exchanged wherever its integrator looks? */
int tt_plan_flows(const tt_plan *p, uint32_t feed);

#endif
