/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_UNIT_H
#define TT_UNIT_UNIT_H

/* The unit: a black box that can be set, stepped, read, perhaps rolled back.
 *
 * A *kind* opens a *type* (loaded once, described) and makes *instances*. The
 * life of an instance:
 *
 *   made --set start values--> configure -> enter_init -> (get/set) ->
 *   exit_init -> prepare -> { set, course, step, get, save, restore, event }*
 *   -> end -> free
 *
 * Structural parameters are set before configure, other start values before or
 * after it. free is legal in any state, end may be repeated, get is legal after
 * end.
 *
 * When an op fails (TT_EUNIT, TT_ECRASH, TT_EIO, TT_ENOMEM) the unit is broken:
 * every call but restore (to a register saved before), reset and free is
 * refused. A refusal (TT_ESTATE, TT_EINPUT, TT_EUNSUPPORTED), by the framework
 * or by an op, changes nothing.
 *
 * Callers use tt_unit_*(); only those touch ops: they check the life, stamp the
 * unit's name on errors and set the activity. The exception is the player,
 * which calls what tt_unit_bind() gave it, after every check was made once.
 *
 * A unit is confined to one thread at a time. Capabilities are asked
 * (u->desc->caps), never inferred from an op.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "approx/poly.h"
#include "base/err.h"
#include "base/hooks.h"
#include "base/log.h"
#include "ode/ode.h"
#include "unit/call.h"
#include "unit/desc.h"
#include "unit/door.h"
#include "unit/ops.h"
#include "unit/texts.h"
#include "unit/trail.h"

/* How the stamp on an error begins: users know a unit as an instance. */
#define TT_UNIT_STAMP "instance '"

typedef struct tt_unit tt_unit;
typedef struct tt_unit_type tt_unit_type;

/* Ports of one type, and their values: native elements one after the other
 * (an array port brings all its elements), TT_TEXT and TT_BYTES as struct
 * tt_text. */
struct tt_span {
    const uint32_t *port;
    size_t n;
    void *value;
};

/* --- outcomes ---------------------------------------------------------- */

enum tt_after {
    TT_AFTER_AT_REACHED,    /* the unit stands at `reached` */
    TT_AFTER_UNCHANGED,     /* rejected; it stands where it stood */
    TT_AFTER_NEEDS_RESTORE, /* rejected; no step before a restore */
};

enum tt_step_flags { /* independent of each other */
                     TT_STEP_EARLY = 1 << 0,
                     TT_STEP_EVENT = 1 << 1,
                     TT_STEP_TERMINATE = 1 << 2,
                     TT_STEP_LAG = 1 << 3, /* its own clock is behind or ahead
                                              of `reached` */
                     TT_STEP_REJECT = 1 << 4,
};

struct tt_step {
    double to;
    double h;        /* exactly the length to give the unit; 0: to - now */
    int may_restore; /* a restore to before this step may follow */
};

struct tt_stepped {
    double reached; /* with REJECT: the last time it could have reached */
    double lag;     /* own time minus reached, when LAG */
    enum tt_after after;
    unsigned flags;
};

/* Did it come to where it was to go, with nothing to report but a lag? */
static inline int tt_stepped_whole(const struct tt_stepped *r)
{
    return !(r->flags & ~(unsigned)TT_STEP_LAG);
}

/* --- ops --------------------------------------------------------------- */

struct tt_bytes {
    void *data; /* owned by the receiver of the struct (tt_free) */
    size_t n;
};

/* Directional derivative at this instant: d(unknown) = J d(known), all F64
 * or F32 ports; dv_* count elements. */
struct tt_jvp {
    const uint32_t *unknown, *known;
    size_t n_unknown, n_known;
    const double *dv_known;
    double *dv_unknown;
};

struct tt_event_result {
    bool again;     /* another update is wanted at this instant */
    bool terminate; /* the unit wants the simulation to end */
    bool values_changed, nominals_changed;
    bool next_defined, tick_defined;
    double next;  /* at or after this time */
    double tick;  /* of what is made of units: when a clock inside ticks next,
                     which waits for tt_unit_quiet() */
    uint32_t ran; /* the port of the clock whose partition ran, plus 1; 0: none
                     did */
};

/* Units whose states are integrated together. */
struct tt_join_feed {
    uint32_t from, out, to, in; /* members, and ports of theirs */
    double factor;              /* of numbers: to = factor * from + ... */
};
struct tt_exchange {
    void *ctx;
    /* Move what members feed each other at this instant, in dependency order.
     * Answers 0, or > 0: there is no solution here, or < 0: a call failed, and
     * err has the words. */
    int (*move_cb)(void *ctx, tt_err *err);
    const struct tt_join_feed *feed; /* borrowed: outlives the units */
    uint32_t n_feed;
};

/* Of a time-based clock: when it ticks. */
enum tt_known {
    TT_KNOWN_NOT_YET, /* it does not, for the time being; countdowns only */
    TT_KNOWN_UNCHANGED,
    TT_KNOWN_CHANGED, /* `interval` counts: of a periodic clock from its last
                         tick on, of others from this event */
};
struct tt_timing {
    uint32_t port;
    enum tt_known known;
    struct tt_ratio interval, shift;
};

/* The ops of unit/ops.h, and those that are no calls of their own. The
 * framework supplies a default for each that is not claimed, so a table may
 * leave it NULL: configure and prepare do nothing, the others are refused.
 * Every op may block. err names the call. */
struct tt_unit_ops {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): it is the member's name */
#define X(op, name, wire, lives, claim, shape)                                 \
    enum tt_code (*op)(TT_PAR_##shape); /* NOLINT(bugprone-macro-parentheses)  \
                                         */
    TT_UNIT_OPS(X)
#undef X
    /* REQUIRED. Accepts half-built units in any state, calls tt_unit_fini and
     * frees the unit. */
    void (*free)(tt_unit *u);
    /* OPTIONAL, default wraps get, set, step: a new kind works before it is
     * fast. c->what is filled in from the span, with the ports as references,
     * and c->val; bind puts another what, which must outlive the call, and
     * c->unit, or answers TT_EUNSUPPORTED to leave this one call to the
     * default. A bound
     * STEP keeps u->now, u->n_step and u->max_lag, and reports what is not
     * plain success by tt_unit_report(); it answers TT_CALL_OUTCOME for any
     * flag but TT_STEP_LAG, which alone is no event. */
    enum tt_code (*bind)(TT_PAR_BIND);
    /* With a bind whose calls answer with statuses of the kind: what this one
     * of a call on u means. */
    enum tt_call_result (*settle)(TT_PAR_SETTLE);
    /* OPTIONAL with default: report why a bound call failed. */
    enum tt_code (*explain)(TT_PAR_EXPLAIN);
    /* OPTIONAL, default does nothing: this very step will be asked for soon,
     * and nothing else of the unit before, unless the play is halted. A unit
     * that lives elsewhere begins it, so that several step at the same time. A
     * failure is reported when the step is asked for. */
    void (*ahead)(tt_unit *u, const struct tt_step *s);
    /* With `ahead`: will the step that was begun last be made without waiting,
     * within so many ns? Also when it failed. */
    int (*ready)(tt_unit *u, uint64_t ns);
    /* OPTIONAL: of a kind with event mode (unit/door.h). */
    const struct tt_event_door *door;
    /* OPTIONAL, with caps.joins: before prepare, the states of these units
     * become one system. From now on a step of the first one steps all, with
     * exchanges in between, and is made after those of the others, which do
     * nothing. Members are saved and restored together, at one time. */
    enum tt_code (*join)(tt_unit *const *member, uint32_t n,
                         const struct tt_exchange *x, tt_err *err);
};

enum tt_life {
    TT_LIFE_NONE, /* catches zeroed memory */
    TT_LIFE_MADE,
    TT_LIFE_CONFIGURED,
    TT_LIFE_INIT,
    TT_LIFE_READY, /* initialised; stepping once prepared */
    TT_LIFE_EVENT,
    TT_LIFE_ENDED,
    TT_LIFE_BROKEN,
};

#define TT_UNIT_STATES 64 /* most state registers of one unit */

/* What restoring a register brings back besides the unit's own state. */
struct tt_saved {
    double at;
    enum tt_life life;
};

/* The base of every unit: first member of the implementation. The hot part
 * comes last and is small, so that what a kind needs in its bound calls fits
 * into the same cache line: with thousands of units lines are what counts. */
struct tt_unit {
    const struct tt_unit_ops *ops;
    const struct tt_desc *desc;   /* borrowed: the type outlives us */
    const char *kind;             /* borrowed: in messages; the desc's */
    char *name;                   /* owned copy: "{key}.instance" */
    const struct tt_log *log;     /* borrowed, may be NULL */
    struct tt_activity *activity; /* borrowed; NULL: none, or another unit is
                                     around this one and named instead */
    tt_texts *texts;              /* borrowed: of its run; may be NULL */
    tt_unit *inner;               /* what a wrapper wraps; forwarders use it */
    tt_trail *trail; /* owned: values within steps; NULL: they are not noted */
    double max_lag;  /* largest |lag| relative to h seen, for the report */
    uint64_t saved;  /* bit mask of registers that hold a state */
    struct tt_saved *held; /* owned: of each register, n_state */
    uint32_t n_state;      /* registers promised by prepare */
    uint32_t n_spare;      /* of them only to be packed: tt_unit_spare() */
    uint32_t copy;         /* units with the same of one model share globals */
    uint8_t prepared;
    uint8_t quiet;        /* tt_unit_quiet(), until it enters event mode */
    uint8_t trail_fine;   /* its trail is for courses: see tt_make */
    tt_err *words;        /* owned: why the last default-bound call failed */
    struct tt_kept *kept; /* owned: what bound calls are about */
    struct tt_stepped outcome; /* what step number outcome_at came to; ask */
    uint64_t outcome_at;       /* tt_unit_last() */
    enum tt_life life;
    /* hot */
    double now;      /* the time the unit stands at */
    uint64_t n_step; /* steps made, rejected ones too */
};

/* Outcome of the last step. A bound step that has nothing to report writes
 * nothing down. */
static inline struct tt_stepped tt_unit_last(const tt_unit *u)
{
    if (u->outcome_at == u->n_step)
        return u->outcome;
    return (struct tt_stepped){.reached = u->now};
}

/* While a score is played the pc of `now` states which call it was, and its own
 * calls set no activity: several threads may be making them. */
enum tt_playing {
    TT_PLAYING_NOT,
    TT_PLAYING_STEP,    /* the values of T0 are the last that stand */
    TT_PLAYING_BETWEEN, /* ... of T1 */
};

/* What the parent process sees of a call of a unit elsewhere that takes longer
 * than an answer may. Several threads may be making such calls. */
struct tt_signs {
    _Atomic uint32_t dealing; /* callers that deal with one that is gone */
    _Atomic uint32_t moved;   /* counted where what such a call waits for is
                                 over, and it goes on */
};

/* What was being done, in memory that survives the process (run maps it
 * shared): names the culprit of a crash. Written before each cold call. */
struct tt_activity {
    volatile uint32_t playing; /* enum tt_playing */
    char unit[256];
    char call[64];
    volatile double time;
    struct tt_signs signs;
    struct tt_stage *stage; /* for runs inside units (run/run.h): where they
                               are watched, NULL: nowhere */
};

/* NULL: of none. A unit that waits keeps it from when it is made, since its
 * activity goes where another one is put around it. */
static inline struct tt_signs *tt_signs_of(struct tt_activity *c)
{
    return c ? &c->signs : NULL;
}
/* The call that is being made goes on: what it waited for is over. */
static inline void tt_signs_move(struct tt_signs *s)
{
    if (s)
        s->moved++;
}
/* It deals with a process or host that is gone, which may take as long as it
 * likes (1), or has done so (0). */
static inline void tt_signs_deal(struct tt_signs *s, int begins)
{
    if (!s)
        return;
    if (begins)
        s->dealing++;
    else
        s->dealing--;
    s->moved++;
}

/* Set what is being done; NULL leaves what is there. Cheap: every cold call
 * does. */
void tt_activity_set(struct tt_activity *c, const char *unit, const char *call);
/* No unit is at work: what happens now is not its doing. */
static inline void tt_activity_clear(struct tt_activity *c)
{
    c->unit[0] = c->call[0] = '\0';
}

/* --- kinds and types --------------------------------------------------- */

/* What of an FMU is wanted. */
enum tt_interface {
    TT_INTERFACE_ANY, /* what there is */
    TT_INTERFACE_CO_SIMULATION,
    TT_INTERFACE_MODEL_EXCHANGE,
    TT_INTERFACE_SCHEDULED_EXECUTION,
};

struct tt_kind_ops;
/* A change of how a unit is used, as a scenario states it: "negate torque". */
struct tt_clause {
    const char *text, *file;
    uint32_t line, column; /* of the first character of the text */
};

struct tt_remote;
struct tt_source {
    const char *path; /* file, folder or URI without scheme */
    /* A scenario that is written in place, and outlives the type; path then
     * only names that place. */
    const struct tt_scenario *inner;
    /* What is made of it, innermost first; each clause is an adaptation of what
     * those before it made. They outlive the type. */
    const struct tt_clause *clause;
    uint32_t n_clause;
    const struct tt_sc_script *script; /* of the scenario it is in, or NULL */
    enum tt_interface interface;
    const struct tt_log *log; /* borrowed during open */
    /* For types made of types: the source this one is named in (NULL: in none),
     * and what knows the kinds (NULL: the kind opened does). */
    const struct tt_source *within;
    uint32_t *opened; /* borrowed: how many such types so far, in each other and
                         side by side; NULL: not counted */
    enum tt_code (*kind_cb)(const struct tt_kind_ops **kind,
                            const struct tt_source *s, tt_err *err);
    const char *base;  /* and in which folder they are, NULL: anywhere ... */
    int only_base;     /* ... and nowhere else */
    int known;         /* it was opened before: what was found is reported */
    int no_event_mode; /* whatever is named within handles its events itself */
    const struct tt_remote *far; /* borrowed during open: how others hosts are
                                    reached (remote/remote.h), and whether this
                                    is to be on one; NULL: it states itself */
    const char *here; /* why none may be on another host; NULL: they may. It
                         holds for whatever is named within this one, too */
};

struct tt_make {
    const char *name;         /* "{key}.instance"; copied */
    const char *instance;     /* what the unit itself is given as its name */
    const struct tt_log *log; /* borrowed: outlives the unit */
    struct tt_activity *activity; /* borrowed, may be NULL */
    tt_texts *texts; /* borrowed: where long strings and binaries are; NULL: of
                        them only length and SHA-256 are kept */
    struct tt_grown *grown; /* borrowed: where one made of units states that
                               something in it explodes; may be NULL */
    int visible;
    int logging;    /* ask the unit to log */
    int event_mode; /* wanted, if the unit can */
    int early_return;
    int takes_back;  /* steps may be rolled back: one made of units rejects a
                        step that one of these does not make whole, and ends it
                        where a crossing inside is */
    int want_course; /* courses will be given: ask for what that needs */
    uint32_t copy;   /* of what instances of the type share; 0: the first */
    uint32_t n_like; /* of its type will be made one after the other, with this
                        one; 0: not known. They can lie side by side */
    /* Of these ports values within steps will be asked for; all are trail_ok.
     * Borrowed during make. */
    const uint32_t *trail;
    uint32_t n_trail;
    /* ... so that a course can be led through them: a unit that knows more than
     * where its solver stands notes that, too. */
    int trail_fine;
    /* What enter_init will set, for units that want to know before anything is
     * set; borrowed during make. NULL: not known yet. */
    const struct tt_experiment *experiment;
    /* Of a unit that leaves its states to others to integrate; borrowed during
     * make. NULL: nothing is stated. */
    const struct tt_integrator *integrator;
    /* Per port the physical unit of what feeds it, where that has one; borrowed
     * during make. NULL: not known, or not asked for (plan/locate.c). */
    const struct tt_quantity *const *fed;
    const char *const *log_category;
    uint32_t n_log_category;
};

/* What holds of all units of a kind. Ask these, never which kind it is. */
enum tt_kind_traits {
    TT_KIND_FOREIGN = 1 << 0, /* runs code that is not Tutti's */
    TT_KIND_MADE_OF = 1 << 1, /* is made of units of any kind */
    TT_KIND_FAR = 1 << 2,     /* lives on another host */
};

struct tt_kind_ops {
    const char *name;
    unsigned traits;             /* enum tt_kind_traits */
    int fmi;                     /* the FMI version it is for; 0: none */
    enum tt_interface interface; /* and which one of it */
    /* Does this kind take this source? Cheap, no side effects. NULL: it is
     * found otherwise, as an FMU's is by version and interface. */
    int (*accepts)(const struct tt_source *s);
    enum tt_code (*open)(tt_unit_type **out, const struct tt_source *s,
                         tt_err *err);
    void (*close)(tt_unit_type *t);
    enum tt_code (*make)(tt_unit **out, tt_unit_type *t,
                         const struct tt_make *m, tt_err *err);
    /* OPTIONAL: put on disk what instances need, so that copies of this
     * process can make some without doing it each. */
    enum tt_code (*unpack)(tt_unit_type *t, tt_err *err);
    /* Of what is made of units, OPTIONAL: did trials show that all of them roll
     * back? No trial is made. */
    int (*known_to_restore)(const tt_unit_type *t);
    /* Of a type that allows one thread at a time. OPTIONAL: why its instances
     * cannot have copies of what they share, or NULL: they can (tt_make). */
    const char *(*copy_refused)(tt_unit_type *t);
};

struct tt_unit_type {
    const struct tt_kind_ops *kind;
    struct tt_desc desc;
};

static inline int tt_type_has(const tt_unit_type *t, unsigned traits)
{
    return (t->kind->traits & traits) != 0;
}

/* --- calls ------------------------------------------------------------- */

/* For implementations: fill the base. Checks the table. Copies the name. */
TT_NODISCARD enum tt_code tt_unit_init(tt_unit *u,
                                       const struct tt_unit_ops *ops,
                                       const struct tt_desc *desc,
                                       const struct tt_make *m, tt_err *err);
void tt_unit_fini(tt_unit *u); /* what tt_unit_init took */

/* The calls: tt_unit_<op>() for each of unit/ops.h. */
#define X(op, name, wire, lives, claim, shape)                                 \
    TT_NODISCARD enum tt_code tt_unit_##op(TT_PAR_##shape);
TT_UNIT_OPS(X)
#undef X
void tt_unit_free(tt_unit *u); /* accepts NULL */

/* See the op `join`: all have it, or what they wrap, and none was prepared. In
 * `member` wrappers are replaced by that. */
TT_NODISCARD enum tt_code tt_unit_join(tt_unit **member, uint32_t n,
                                       const struct tt_exchange *x,
                                       tt_err *err);

/* Before prepare: the last n of its registers will be packed and not restored
 * here, so that no step will be undone with them. */
static inline void tt_unit_spare(tt_unit *u, uint32_t n)
{
    for (; u; u = u->inner)
        u->n_spare = n;
}
/* Once prepared: may a step be undone? */
static inline int tt_unit_may_restore(const tt_unit *u)
{
    return u->n_state > u->n_spare;
}

/* Bind one operation. The span's arrays and values must outlive the call.
 * The caller sets from and to of a step afterwards. It stays valid as long as
 * the unit. */
TT_NODISCARD enum tt_code tt_unit_bind(TT_PAR_BIND);
/* What an answer other than TT_CALL_OK means. */
enum tt_call_result tt_call_settle(const struct tt_call *c, struct tt_now *now,
                                   enum tt_call_result answer);
/* Make a bound call. */
static inline enum tt_call_result tt_call_make(const struct tt_call *c,
                                               struct tt_now *now)
{
    enum tt_call_result r = c->what->fn(c, now);

    return TT_LIKELY(r == TT_CALL_OK) ? r : tt_call_settle(c, now, r);
}
/* Would tt_unit_ahead() bring anything? Not for NULL. */
int tt_unit_goes_ahead(const tt_unit *u);
/* Before a bound STEP that is sure to be made with these registers: see the op
 * `ahead`. */
void tt_unit_ahead(tt_unit *u, const struct tt_call *c,
                   const struct tt_now *now);
/* After a bound call failed: breaks the unit and gives the words. */
enum tt_code tt_unit_explain(tt_unit *u, const struct tt_call *c,
                             const struct tt_now *now, tt_err *err);

/* Forwarders, for the table of a wrapper: each makes the call on u->inner
 * (owned). With tt_fwd_bind GET and SET are bound straight to the inner unit
 * where get and set are forwarded. A wrapper that shares u->desc with the inner
 * unit follows it when configure replaces it. A wrapper's free releases what is
 * its own, then calls tt_fwd_free. */
#define X(op, name, wire, lives, claim, shape)                                 \
    TT_NODISCARD enum tt_code tt_fwd_##op(TT_PAR_##shape);
TT_UNIT_OPS(X)
#undef X
TT_NODISCARD enum tt_code tt_fwd_bind(TT_PAR_BIND);
TT_NODISCARD enum tt_code tt_fwd_explain(TT_PAR_EXPLAIN);
void tt_fwd_free(tt_unit *u);
/* Of a wrapper's table: what no wrapper does differently. */
#define TT_FWD_REST                                                            \
    TT_HOOKS(tt_fwd_, enter_init, exit_init, end, max_step, packable, trail,   \
             event_enter, event_update, event_leave, intervals, set_intervals, \
             explain)
/* ... and all others, but step. */
#define TT_FWD_BUT_STEP                                                        \
    TT_FWD_REST,                                                               \
        TT_HOOKS(tt_fwd_, configure, prepare, reset, get, set, course, rates,  \
                 jvp, save, restore, pack, unpack, free, bind)
/* Put u, just initialised, around inner; its messages name a `kind`. */
static inline void tt_unit_wrap(tt_unit *u, tt_unit *inner, const char *kind)
{
    u->inner = inner;
    u->kind = kind;
    inner->activity = NULL; /* the outer call is the one to be named */
}

/* What went wrong in a door's update (unit/door.h), in the words of the call
 * that it stands for. */
enum tt_code tt_unit_event_failed(tt_unit *u, enum tt_code rc, tt_err *err);

/* To one made of units, before it enters event mode: all else at this instant
 * is quiet, so that clocks inside tick that are due. */
void tt_unit_quiet(tt_unit *u);

/* For tables of units that have nothing to do then: exit_init, end, reset;
 * enter_init; step. */
TT_NODISCARD enum tt_code tt_unit_idle(tt_unit *u, tt_err *err);
TT_NODISCARD enum tt_code
tt_unit_idle_init(tt_unit *u, const struct tt_experiment *e, tt_err *err);
TT_NODISCARD enum tt_code tt_unit_idle_step(tt_unit *u, const struct tt_step *s,
                                            struct tt_stepped *r, tt_err *err);
/* ... and of those whose state is their time, which the base keeps: save and
 * restore; pack; unpack. */
TT_NODISCARD enum tt_code tt_unit_idle_register(tt_unit *u, uint32_t reg,
                                                tt_err *err);
TT_NODISCARD enum tt_code tt_unit_idle_pack(tt_unit *u, uint32_t reg,
                                            struct tt_bytes *b, tt_err *err);
TT_NODISCARD enum tt_code tt_unit_idle_unpack(tt_unit *u, uint32_t reg,
                                              const struct tt_bytes *b,
                                              tt_err *err);

/* --- for kinds: words --------------------------------------------------- */

/* The names of the span's ports before the words of a call that moved them;
 * returns rc. */
enum tt_code tt_unit_name_ports(const tt_unit *u, const struct tt_span *s,
                                enum tt_code rc, tt_err *err);

/* What may not be stated of a clock's interval. */
TT_NODISCARD enum tt_code
tt_unit_check_timing(const tt_unit *u, const struct tt_timing *t, tt_err *err);

/* --- for kinds: values within steps -------------------------------------- */

/* With its base initialised: note those that are asked for, if any are. */
TT_NODISCARD enum tt_code
tt_unit_keep_trail(tt_unit *u, const struct tt_make *m, tt_err *err);

/* --- for kinds: what a bound step shares -------------------------------- */

/* What the last step came to, after it was counted. */
static inline void tt_unit_report(tt_unit *u, struct tt_stepped r)
{
    u->outcome = r;
    u->outcome_at = u->n_step;
}

/* Length of the step a STEP call makes now; 0 when already there. */
static inline double tt_call_h(const struct tt_call *c, const tt_unit *u,
                               const struct tt_now *now)
{
    if (TT_LIKELY(u->now == now->t[c->from]))
        return now->h[c->to];
    return now->t[c->to] > u->now ? tt_h_after(u->now, now->t[c->to]) : 0;
}

#endif
