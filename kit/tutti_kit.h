/* SPDX-License-Identifier: MIT */
/*
 * The Tutti unit kit: write a unit in C, get an FMI 2.0 and an FMI 3.0 FMU from
 * the same source: for co-simulation, and for model exchange if every state has
 * a variable that is its derivative, and `derivatives` or `linear` gives it, or
 * if it has no states and continuous outputs by `outputs` alone.
 * One with `partition` is for scheduled execution, which is FMI 3 only; one
 * with `ta` has discrete events.
 *
 * A unit is one C file with
 *
 *   - a struct holding everything the unit knows: inputs, states, parameters,
 *     outputs, and whatever it remembers. It is copied byte by byte when the
 *     unit is saved and restored, so it holds no pointers to memory it owns;
 *   - one table of variables (struct tutti_var), one row per variable;
 *   - a few functions, all optional;
 *   - one definition that ties these together:
 *         const struct tutti_model tutti_model = { ... };
 *
 * The kit does the rest: state machine, typed access, solver, input courses,
 * save and restore, derivatives, model description. kit/README.md has a whole
 * unit in forty lines; examples/ has more.
 *
 * Calls. One instance is used by one thread at a time; different instances
 * are independent of each other. `model` is always the struct of the instance
 * the call is about. A function of the model changes only what its comment
 * states it may.
 */
#ifndef TUTTI_KIT_H
#define TUTTI_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TUTTI_KIT_HIDDEN       __attribute__((visibility("hidden")))
#define TUTTI_KIT_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define TUTTI_KIT_HIDDEN
#define TUTTI_KIT_PRINTF(f, a)
#endif

/* Variables. */

/* The type of a variable, and the C type of its member in the struct. */
enum tutti_type {
    TUTTI_FLOAT64, /* double */
    TUTTI_FLOAT32, /* float */
    TUTTI_INT8,    /* int8_t, and so on */
    TUTTI_UINT8,
    TUTTI_INT16,
    TUTTI_UINT16,
    TUTTI_INT32,
    TUTTI_UINT32,
    TUTTI_INT64,
    TUTTI_UINT64,
    TUTTI_BOOLEAN, /* bool */
    TUTTI_STRING,  /* char[n]; holds up to n-1 bytes of UTF-8 */
    TUTTI_ENUM,    /* int32_t, from 1 to the number of items */
    TUTTI_CLOCK,   /* struct tutti_clock */
};

/* A clock, as the unit remembers it; hooks read it and do not write it. */
struct tutti_clock {
    double interval;   /* s: between ticks; of a countdown that was begun */
    double shift;      /* s: of a periodic one, until its first tick */
    int32_t qualifier; /* the kit's: fmi3IntervalQualifier of a countdown */
    int32_t count;     /* the kit's: of events, see TUTTI_EVENT_INPUT */
    int32_t taken;     /* the kit's: ... up to this one, of an input */
    bool active;       /* it ticks: in `outputs` and `event` */
};

/* What the ticks of an input clock follow from. Output clocks tick in hooks. */
enum tutti_ticks {
    TUTTI_TICKS_TRIGGERED, /* from outside */
    TUTTI_TICKS_PERIODIC,  /* every .interval, from .shift on */
    TUTTI_TICKS_FIXED,     /* ... or as the importer has it from the start */
    TUTTI_TICKS_TUNABLE,   /* ... or as it has it at any event */
    TUTTI_TICKS_COUNTDOWN, /* so long after tutti_countdown() */
};

enum tutti_causality {
    TUTTI_LOCAL,
    TUTTI_PARAMETER,
    TUTTI_INPUT,
    TUTTI_OUTPUT,
    TUTTI_STRUCTURAL, /* a size (TUTTI_UINT64): set before all else; FMI 3 */
};

/* 0 means: fixed for parameters, continuous for floating-point variables,
 * discrete for all others. */
enum tutti_variability {
    TUTTI_VARIABILITY_DEFAULT,
    TUTTI_CONSTANT,
    TUTTI_FIXED,
    TUTTI_TUNABLE,
    TUTTI_DISCRETE,
    TUTTI_CONTINUOUS,
};

/* What a step of the unit to T needs an input to carry: its value at T, its
 * value at the beginning, or either. Written as an annotation for Tutti. */
enum tutti_reactivity {
    TUTTI_EITHER,
    TUTTI_REACTIVE,
    TUTTI_DELAYED,
};

/*
 * One row of the table. Rows are written with TUTTI_VAR and the macros below
 * it; every member not mentioned is zero and means "nothing special".
 *
 * Value references count elements in table order from 1; 0 is the variable
 * `time`, which the kit adds. In FMI 2 an array becomes one scalar per element,
 * name[1] or name[1,2].
 */
struct tutti_var {
    const char *member; /* set by the macro */
    const char *name;   /* published name, if it is not the member's */
    enum tutti_type type;
    enum tutti_causality causality;
    enum tutti_variability variability;
    size_t offset, size; /* of the member in the struct: set by the macro */

    /* Of an array of numbers: {3} is a vector, {2, 3} a matrix stored row by
     * row. */
    size_t dim[2];

    /* Names of structural parameters that give its sizes, where they are not
     * `dim`, which is then the most there may be. The elements in use are the
     * first of the member, row by row of the sizes in use; they get their start
     * values again when sizes change. Not for states and what belongs to them.
     */
    const char *size_from[2];

    /* A continuous state (TUTTI_FLOAT64): integrated by the kit, its start
     * value may be set before and during initialisation. */
    bool state;

    /* The name of the state whose derivative this variable is; the kit keeps
     * its value up to date. Naming it also publishes the state as such. */
    const char *derivative_of;

    /* An event indicator (TUTTI_FLOAT64, calculated by `outputs`): in model
     * exchange the importer finds where it changes between > 0 and <= 0, and
     * calls `event` there. */
    bool indicator;

    /* Not a continuous state, but has a start value all the same: something
     * the unit remembers, as a counter or a mode. */
    bool exact;

    /* What a calculated output or local depends on at one instant: names of
     * inputs, states, parameters or "time", separated by blanks. "" means
     * nothing, NULL means unknown. Parameters count for initialisation. */
    const char *depends;

    const char *unit; /* a name of the kit's table or of the model's own */
    const char *description;

    double start;       /* of a scalar, or of every element */
    const void *starts; /* of an array, or a 64-bit integer: elements of the
                           variable's own C type */
    const char *text;   /* of a string */

    double min, max; /* given if min < max; -HUGE_VAL, HUGE_VAL mean open */
    double nominal;  /* given if not 0 */

    const char *const *items; /* of an enumeration, ends with NULL */
    const char *type_name;    /* of an enumeration; default: its name */

    enum tutti_reactivity reactivity; /* of an input */

    /* Of a clock: when it ticks, in seconds. With a resolution the two are
     * counters, so that thirds of a second are exact. Of clocks that tick at
     * one time the smallest priority goes first. */
    enum tutti_ticks ticks;
    double interval, shift;
    uint64_t resolution;
    uint32_t priority;

    /* The clocks that a variable belongs to: names separated by blanks. In
     * event mode it is read and set only while one of them ticks. */
    const char *clocks;
};

/* TUTTI_VAR(struct tank, level, TUTTI_FLOAT64, TUTTI_OUTPUT, .unit = "m"). */
#define TUTTI_VAR(model_type, member_name, var_type, var_causality, ...)       \
    {                                                                          \
        .member = #member_name, .type = (var_type),                            \
        .causality = (var_causality),                                          \
        .offset = offsetof(model_type, member_name),                           \
        .size = sizeof(((model_type *)0)->member_name), __VA_ARGS__            \
    }

/* The usual double rows. The last arguments are designated members, at least
 * one: TUTTI_REAL_INPUT(struct tank, inflow, .unit = "m3/s"). */
#define TUTTI_REAL_INPUT(model_type, member_name, ...)                         \
    TUTTI_VAR(model_type, member_name, TUTTI_FLOAT64, TUTTI_INPUT, __VA_ARGS__)
#define TUTTI_REAL_OUTPUT(model_type, member_name, ...)                        \
    TUTTI_VAR(model_type, member_name, TUTTI_FLOAT64, TUTTI_OUTPUT, __VA_ARGS__)
#define TUTTI_REAL_LOCAL(model_type, member_name, ...)                         \
    TUTTI_VAR(model_type, member_name, TUTTI_FLOAT64, TUTTI_LOCAL, __VA_ARGS__)
#define TUTTI_REAL_PARAMETER(model_type, member_name, ...)                     \
    TUTTI_VAR(model_type, member_name, TUTTI_FLOAT64, TUTTI_PARAMETER,         \
              __VA_ARGS__)
/* A state that is an output; a hidden one is TUTTI_REAL_LOCAL with .state. */
#define TUTTI_STATE(model_type, member_name, ...)                              \
    TUTTI_VAR(model_type, member_name, TUTTI_FLOAT64, TUTTI_OUTPUT,            \
              .state = true, __VA_ARGS__)
/* A structural parameter: a uint64_t, from .min (0 if not given) to the most
 * that the arrays it sizes have room for. */
#define TUTTI_SIZE(model_type, member_name, ...)                               \
    TUTTI_VAR(model_type, member_name, TUTTI_UINT64, TUTTI_STRUCTURAL,         \
              __VA_ARGS__)
#define TUTTI_INTEGER_PARAMETER(model_type, member_name, ...)                  \
    TUTTI_VAR(model_type, member_name, TUTTI_INT32, TUTTI_PARAMETER,           \
              __VA_ARGS__)

/* An input clock, with what its ticks follow from; an output clock. */
#define TUTTI_INPUT_CLOCK(model_type, member_name, ...)                        \
    TUTTI_VAR(model_type, member_name, TUTTI_CLOCK, TUTTI_INPUT, __VA_ARGS__)
#define TUTTI_OUTPUT_CLOCK(model_type, member_name, ...)                       \
    TUTTI_VAR(model_type, member_name, TUTTI_CLOCK, TUTTI_OUTPUT, __VA_ARGS__)

/* Discrete events: see `ta` of the model. A port of events is a member
 *     TUTTI_EVENT(int32_t) command;
 * of int32_t, an enumeration, or of double. In hooks TUTTI_HAS(m->command) is
 * whether there is an event now, m->command.value which one. */
#define TUTTI_EVENT(value_type)                                                \
    struct {                                                                   \
        value_type value;                                                      \
        struct tutti_clock clock;                                              \
    }
#define TUTTI_HAS(port) ((port).clock.active)
/* In `output`: this event is put out. */
#define TUTTI_EMIT(model, port, event)                                         \
    ((port).value = (event), tutti_emit((model), &(port).clock))

/* What a discrete-event unit knows of its own events: the member `events`, with
 * its rows TUTTI_EVENTS(struct light). Hooks may read the times. */
struct tutti_events {
    double last, next; /* its last transition, and when its state is over */
    struct tutti_clock internal; /* ticks where that happens */
    bool driven;                 /* ... by the importer: see below */
    bool put_out;                /* the kit's: outputs are made */
};

/* Ports of events, each with the clock <name>_clock; enumerations want .items.
 * In FMI 2 the clock is an Integer that counts events: an event has come if it
 * is another one than before. */
#define TUTTI_EVENT_VAR(model_type, member_name, var_causality, ...)           \
    {.member = #member_name,                                                   \
     .type = _Generic(((model_type *)0)->member_name.value, int32_t            \
                      : TUTTI_ENUM, double                                     \
                      : TUTTI_FLOAT64),                                        \
     .causality = (var_causality),                                             \
     .variability = TUTTI_DISCRETE,                                            \
     .offset = offsetof(model_type, member_name.value),                        \
     .size = sizeof(((model_type *)0)->member_name.value),                     \
     .clocks = #member_name "_clock",                                          \
     .type_name = #member_name "_items",                                       \
     __VA_ARGS__},                                                             \
    {                                                                          \
        .member = #member_name "_clock", .type = TUTTI_CLOCK,                  \
        .causality = (var_causality),                                          \
        .offset = offsetof(model_type, member_name.clock),                     \
        .size = sizeof(struct tutti_clock),                                    \
        .depends = (var_causality) == TUTTI_OUTPUT ? "events_internal" : NULL, \
        .description = "ticks with the events of " #member_name                \
    }
#define TUTTI_EVENT_INPUT(model_type, member_name, ...)                        \
    TUTTI_EVENT_VAR(model_type, member_name, TUTTI_INPUT, __VA_ARGS__)
#define TUTTI_EVENT_OUTPUT(model_type, member_name, ...)                       \
    TUTTI_EVENT_VAR(model_type, member_name, TUTTI_OUTPUT,                     \
                    .depends = "events_internal", __VA_ARGS__)

/* The rows of struct tutti_events. An importer that wants to decide itself when
 * a state that is over ends, and which of several units goes first, sets
 * events_driven before the start; then events_internal must tick. */
#define TUTTI_EVENTS_ROW(model_type, of, row_name, ...)                        \
    {                                                                          \
        .member = (row_name), .offset = offsetof(model_type, events.of),       \
        .size = sizeof(((model_type *)0)->events.of), __VA_ARGS__              \
    }
#define TUTTI_EVENTS(model_type)                                               \
    TUTTI_EVENTS_ROW(model_type, internal, "events_internal",                  \
                     .type = TUTTI_CLOCK, .causality = TUTTI_INPUT,            \
                     .description = "its own event, if it is driven"),         \
        TUTTI_EVENTS_ROW(model_type, next, "events_next", .unit = "s",         \
                         .variability = TUTTI_DISCRETE,                        \
                         .description = "when its own event is due"),          \
        TUTTI_EVENTS_ROW(model_type, driven, "events_driven",                  \
                         .type = TUTTI_BOOLEAN, .causality = TUTTI_PARAMETER,  \
                         .description = "its own event waits for "             \
                                        "events_internal")

/* What follows from an event that came in: the state goes on and lasts as long
 * as it would have, or one begins, even if it is the same, that lasts `ta`. */
enum tutti_after {
    TUTTI_GOES_ON,
    TUTTI_BEGINS,
};

/* A physical unit the kit does not know: value in SI = factor * value + offset,
 * with the exponents of the SI base units. */
struct tutti_unit {
    const char *name;
    int8_t kg, m, s, A, K, mol, cd, rad;
    double factor; /* 0 means 1 */
    double offset;
};

/* Terminals: variables that are connected together, as voltage and current of
 * a pin. */

enum tutti_member_kind {
    TUTTI_SIGNAL,  /* equal where terminals meet */
    TUTTI_INFLOW,  /* flows sum to zero: positive into the unit, */
    TUTTI_OUTFLOW, /* ... out of it */
};

struct tutti_member {
    const char *name;     /* as other units' terminals call it */
    const char *variable; /* of this unit */
    enum tutti_member_kind kind;
};

enum tutti_matching {
    TUTTI_PLUG,     /* members match by name, and all must */
    TUTTI_BUS,      /* by name, as far as there are */
    TUTTI_SEQUENCE, /* by order */
};

struct tutti_terminal {
    const char *name;
    const char *kind; /* of which domain, "org.example.pin"; or NULL */
    const char *description;
    enum tutti_matching matching;
    const struct tutti_member *members;
    size_t n_members;
};

/* Stepping. */

/* Numbered so that an integer parameter can choose. */
enum tutti_method {
    TUTTI_METHOD_DEFAULT, /* forward Euler */
    TUTTI_EULER,
    TUTTI_MIDPOINT,
    TUTTI_RK4,
};

enum tutti_outcome {
    TUTTI_STEP_OK,
    TUTTI_STEP_REJECT,    /* not done: the unit is as it was before the step */
    TUTTI_STEP_EARLY,     /* stop at `reached`, let the master look */
    TUTTI_STEP_TERMINATE, /* stop at `reached`, the simulation is over */
};

/* A step as a hook sees it. */
struct tutti_step {
    double from;    /* where the macro step began */
    double to;      /* where it should end */
    double reached; /* where the unit is now */
    enum tutti_outcome outcome;
    bool event; /* set it: the event hook must run at `reached` */
};

/* What the event hook may return. */
struct tutti_event {
    double time;
    bool again;      /* call me once more at this instant */
    bool terminate;  /* the simulation is over */
    bool next_known; /* the next event is at `next` */
    double next;
};

/* x' = a x + b u + e: a[i][j] and so on, zero where the model writes nothing.
 * x are the states and u the TUTTI_FLOAT64 inputs that are not discrete,
 * element by element in table order. */
struct tutti_linear {
    size_t nx, nu;
    double **a, **b, *e;
};

/* The model. */

/* Whether setting inputs changes outputs without a step; an annotation for
 * Tutti. The kit always evaluates, so only a model with reasons states less. */
enum tutti_evaluates {
    TUTTI_EVALUATES_ALWAYS,
    TUTTI_EVALUATES_EVENT,
    TUTTI_EVALUATES_NEVER,
};

struct tutti_model {
    const char *name; /* required */
    const char *description, *version, *author, *license;

    size_t size; /* required: sizeof the struct */
    const struct tutti_var *vars;
    size_t n_vars;
    const struct tutti_unit *units; /* the model's own units */
    size_t n_units;
    const struct tutti_terminal *terminals;
    size_t n_terminals;

    /* All hooks are optional. They report trouble with tutti_fail(). */

    /* Computes what follows from parameters and start values. Called in and on
     * leaving initialisation, perhaps several times. */
    void (*init)(void *model, double t);

    /* dx[i] = derivative of state i, from states, inputs and parameters. */
    void (*derivatives)(void *model, double t, double *dx);

    /* The linear form, instead of or beside `derivatives`: the solution over a
     * step is then exact for input courses up to cubic. */
    void (*linear)(void *model, struct tutti_linear *sys);

    /* Computes every output and local that is not a state, from states, inputs
     * and parameters. Called when a value is read. */
    void (*outputs)(void *model, double t);

    /* outputs() is affine in states and inputs, so that directional derivatives
     * of a unit with a linear form are exact. */
    bool affine_outputs;

    /* Called after every internal step (each micro-step, or the whole step if
     * it is exact or there are no states), at s->reached. May change states
     * and memory, and set s->outcome and s->event. */
    void (*after_step)(void *model, struct tutti_step *s);

    /* Instead of the kit's solver: brings the unit from s->from to s->to, or to
     * where it sets s->reached and s->outcome. See tutti_integrate() and
     * tutti_inputs_at(). */
    void (*step)(void *model, struct tutti_step *s);

    /* Discrete changes at an instant. In FMI 3 with event mode and in model
     * exchange the importer calls it; otherwise the kit, right after the step
     * that asked for it. */
    void (*event)(void *model, struct tutti_event *e);

    /* Makes the FMU one for scheduled execution, in which the importer lets
     * each input clock tick (without it, a unit with clocks has `event`, and
     * finds there and in `outputs` which ones are active): computes what
     * belongs to this one, inputs to outputs, at t. `outputs` is not called
     * between. */
    void (*partition)(void *model, const struct tutti_clock *clock, double t);

    /* A discrete-event unit (DEVS) has these instead of all above but `init`,
     * and `outputs` for variables that are no events. Its state, which is the
     * struct, changes at events only.
     *
     * ta         how long the state lasts, HUGE_VAL: until an event comes in
     * output     right before it is over: TUTTI_EMIT what there is to put out
     * internal   it is over: the next state begins
     * external   events have come in (TUTTI_HAS), this long after the state
     *            began. NULL: it has no inputs
     * confluent  both at once. NULL: internal, then external with elapsed 0 */
    double (*ta)(void *model);
    void (*output)(void *model);
    void (*internal)(void *model);
    enum tutti_after (*external)(void *model, double elapsed);
    enum tutti_after (*confluent)(void *model, double elapsed);

    /* The largest step accepted at t; a longer one is rejected. */
    double (*max_step)(void *model, double t);

    /* The solver. 0 micro-steps: exact if there is a linear form, else one. The
     * names of integer variables that choose at run time go before. */
    enum tutti_method method;
    unsigned microsteps;
    const char *method_from, *microsteps_from;

    enum tutti_evaluates evaluates;

    /* What bounds the steps of those who simulate it; 0: nothing is stated. How
     * long what comes in takes to go out, and the shortest reaction to anything
     * (s); how often outputs get new values (Hz). */
    double propagation_delay, shortest_reaction, output_frequency;

    /* The default experiment; given if stop > start. */
    double start_time, stop_time, step_size;
};

/* The author of a unit defines this. */
extern TUTTI_KIT_HIDDEN const struct tutti_model tutti_model;

/* Number of rows of a table. */
#define TUTTI_COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* What hooks may call. */

/* Logs something for the user (category logEvents); printf-like. */
TUTTI_KIT_HIDDEN void tutti_log(void *model, const char *format, ...)
    TUTTI_KIT_PRINTF(2, 3);

/* The call under way fails with this message; the unit can be reset, restored
 * or freed afterwards. */
TUTTI_KIT_HIDDEN void tutti_fail(void *model, const char *format, ...)
    TUTTI_KIT_PRINTF(2, 3);

/* The same, but nothing can be done with the unit afterwards. */
TUTTI_KIT_HIDDEN void tutti_fatal(void *model, const char *format, ...)
    TUTTI_KIT_PRINTF(2, 3);

/* In `step`: gives the inputs their values at t, along their courses. Times
 * must not decrease. */
TUTTI_KIT_HIDDEN void tutti_inputs_at(void *model, double t);

/* In `step`: integrates the states from t0 to t1 with the model's solver. */
TUTTI_KIT_HIDDEN void tutti_integrate(void *model, double t0, double t1);

/* In `partition` and `outputs`: this output clock ticks (`outputs` states it
 * anew in each call, and only in event mode it counts). In `partition`, `init`
 * and `event`: this countdown clock ticks in so many seconds (0: at this time
 * yet), whatever was stated before. */
TUTTI_KIT_HIDDEN void tutti_tick(void *model, struct tutti_clock *clock);
TUTTI_KIT_HIDDEN void tutti_countdown(void *model, struct tutti_clock *clock,
                                      double interval);

/* What TUTTI_EMIT does with the clock of the port. */
TUTTI_KIT_HIDDEN void tutti_emit(void *model, struct tutti_clock *clock);

/* The folder with the unit's resources, with a slash at the end; "" if the
 * importer gave none. Lives as long as the instance. */
TUTTI_KIT_HIDDEN const char *tutti_resources(void *model);

#ifdef __cplusplus
}
#endif

#endif
