/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_MOCK_H
#define TT_UNIT_MOCK_H

/* A unit kind for tests, described by a C table, that misbehaves on cue.
 *
 * A spec states which ports there are, what the unit does (callbacks, or one of
 * the ready-made specs below) and at which calls it misbehaves. What it was
 * asked to do goes onto a tape, so that a test of a score compares one text:
 *
 *     a.set x1,v1; b.step 0.2; a.get F
 *
 * Use tt_mock_make() for a single unit, or tt_mock_register() and tt_mock_kind
 * where a test goes through the ordinary kind interface. Specs are borrowed
 * and must outlive what was made of them. In tutti_testing only.
 */

#include "base/buf.h"
#include "unit/unit.h"

/* --- behaviour --------------------------------------------------------- */

/* What a behaviour sees. Ports are in the order of the spec. */
struct tt_mock_view {
    double t;
    double *x;                           /* continuous states */
    void *const *value;                  /* per port: native elements */
    const struct tt_poly *const *course; /* per port: one per element for
                            float inputs, the value they last followed; NULL
                            for others */
    const void *ctx;                     /* the spec's */
};

static inline double *tt_mock_f64(const struct tt_mock_view *v, uint32_t port)
{
    return v->value[port];
}

struct tt_mock_behaviour {
    uint32_t n_x; /* continuous states */
    /* Set the initial x from parameters and inputs. NULL: all zero. */
    void (*start)(const struct tt_mock_view *v);
    /* dx/dt. Integrated by the classical Runge-Kutta method, which is exact
     * for x' = u with u a course of order up to 3. NULL: x stays. */
    void (*derivative)(const struct tt_mock_view *v, double *dx);
    /* After a step of length h, which ends at v->t: discrete changes. */
    void (*update)(const struct tt_mock_view *v, double h);
    /* Write outputs from t, x and inputs. NULL: they stay. */
    void (*outputs)(const struct tt_mock_view *v);
    /* k-th derivative of a scalar output. NULL: 0. */
    double (*rate)(const struct tt_mock_view *v, uint32_t port, uint32_t k);
    /* One event update; r is cleared. NULL: nothing happens. */
    void (*event)(const struct tt_mock_view *v, struct tt_event_result *r);
    /* When the clock t->port ticks. NULL: as declared, or not yet known. */
    void (*interval)(const struct tt_mock_view *v, struct tt_timing *t);
};

/* --- cues -------------------------------------------------------------- */

#define TT_MOCK_VERBS(X)                                                       \
    X(MAKE, "make")                                                            \
    X(CONFIGURE, "configure")                                                  \
    X(ENTER_INIT, "enter_init")                                                \
    X(EXIT_INIT, "exit_init")                                                  \
    X(PREPARE, "prepare")                                                      \
    X(GET, "get")                                                              \
    X(SET, "set")                                                              \
    X(STEP, "step")                                                            \
    X(COURSE, "course")                                                        \
    X(RATES, "rates")                                                          \
    X(JVP, "jvp")                                                              \
    X(MAX_STEP, "max_step")                                                    \
    X(SAVE, "save")                                                            \
    X(RESTORE, "restore")                                                      \
    X(PACK, "pack")                                                            \
    X(UNPACK, "unpack")                                                        \
    X(EVENT_ENTER, "event_enter")                                              \
    X(EVENT_UPDATE, "event_update")                                            \
    X(EVENT_LEAVE, "event_leave")                                              \
    X(INTERVALS, "intervals")                                                  \
    X(SET_INTERVALS, "set_intervals")                                          \
    X(END, "end")                                                              \
    X(RESET, "reset")                                                          \
    X(FREE, "free")

enum tt_mock_verb {
#define X(name, words) TT_MOCK_##name,
    TT_MOCK_VERBS(X)
#undef X
        TT_MOCK_VERB_N
};

enum tt_mock_act {
    TT_MOCK_NOTHING,
    /* any verb */
    TT_MOCK_ERROR, /* TT_EUNIT with `text`; with `stays`, every call fails
                      until restore or reset */
    TT_MOCK_SLEEP, /* `value` milliseconds */
    TT_MOCK_SEGV,
    TT_MOCK_ABORT,
    TT_MOCK_EXIT,       /* exit(0) */
    TT_MOCK_NAN,        /* float outputs, or only `port`, become NaN */
    TT_MOCK_LOG,        /* `text`, category "mock" */
    TT_MOCK_LOG_NULL,   /* no category and no text */
    TT_MOCK_LOG_STRAY,  /* "%s%n%d" */
    TT_MOCK_LOG_LONG,   /* 100000 characters */
    TT_MOCK_LOG_BYTES,  /* not UTF-8, with control characters */
    TT_MOCK_LOG_THREAD, /* `text`, from a thread of its own */
    /* STEP */
    TT_MOCK_REJECT,         /* it could have reached `value`; unchanged */
    TT_MOCK_REJECT_RESTORE, /* the same; it needs a restore */
    TT_MOCK_EARLY,          /* return at time `value`, if within the step */
    TT_MOCK_LAG,            /* own time is `value` off */
    TT_MOCK_EVENT,          /* wants event mode. EVENT_UPDATE: again */
    TT_MOCK_TERMINATE,      /* wants the end. EVENT_UPDATE: the same */
    TT_MOCK_REACHED,        /* claim to have reached `value`, NaN too, without
                               minding whether that is possible */
};

/* When: at the nth call of the verb by one unit (1 is the first), or with nth
 * 0 at the first call at or after `time` (for STEP: whose end is). With
 * `every` also at each later call. Counts do not go back on restore. */
struct tt_mock_cue {
    enum tt_mock_verb at;
    uint32_t nth;
    double time;
    int every;
    enum tt_mock_act act;
    double value;
    const char *text;
    const char *port;
    int stays;
};

/* --- spec -------------------------------------------------------------- */

/* A port; zeros mean the usual: a Float64 local scalar starting at 0. */
struct tt_mock_port {
    const char *name;
    enum tt_type type;
    enum tt_causality causality;
    uint32_t n; /* elements; 0 and 1: a scalar */
    enum tt_reactivity reactivity;
    double start;           /* of every element, when numeric */
    const char *start_text; /* of texts */
    const char *deps; /* outputs: inputs that feed through, "u,v"; "" is none,
                         NULL is unknown */
    const char *init_deps;     /* the same at initialisation; NULL: as deps */
    const char *clock;         /* the ports it comes with, "c,d"; NULL: none */
    struct tt_clock ticks;     /* of a clock; zeros: it is triggered */
    const char *derivative_of; /* a port; NULL: of none */
    double nominal;            /* 0: 1 */
};

#define TT_MOCK_TAPE_ALL UINT32_MAX

struct tt_mock_spec {
    const char *model;
    const struct tt_mock_port *port;
    uint32_t n_port;
    struct tt_caps caps;
    struct tt_mock_behaviour behaviour;
    const void *ctx;    /* for the behaviour */
    uint32_t sub_steps; /* of the integrator in one step; 0 is 1 */
    double
        max_step; /* longer steps are rejected; reported with caps.max_step */
    int starts_in_event_mode; /* as FMI 3 does, if event mode was wanted */
    int cannot_reset;
    const struct tt_mock_cue *cue; /* at most 64 */
    uint32_t n_cue;
    struct tt_buf *tape; /* borrowed, may be NULL */
    int tape_values;     /* "a.set u=1" instead of "a.set u" */
    uint32_t tape_verbs; /* bits 1 << verb; 0: values, steps, states, events */
};

/* Ready-made; copy and change. All evaluate, save and serialise.
 *
 * integrator: y' = u, y(0) = y0; takes courses of order 3, gives rates
 * gain:       y = k u, feeds through; gives directional derivatives
 * counter:    n (Int32) counts steps, no inputs
 * recorder:   puts "a.saw u=1@0.2" on the tape after each step */
extern const struct tt_mock_spec tt_mock_integrator;
extern const struct tt_mock_spec tt_mock_gain;
extern const struct tt_mock_spec tt_mock_counter;
extern const struct tt_mock_spec tt_mock_recorder;
/* Their ports. */
enum { TT_MOCK_INTEGRATOR_U, TT_MOCK_INTEGRATOR_Y, TT_MOCK_INTEGRATOR_Y0 };
enum { TT_MOCK_GAIN_U, TT_MOCK_GAIN_Y, TT_MOCK_GAIN_K };

/* --- making ------------------------------------------------------------ */

TT_NODISCARD enum tt_code tt_mock_type_new(tt_unit_type **out,
                                           const struct tt_mock_spec *spec,
                                           tt_err *err);
/* Close the type with type->kind->close(type), after its units. */

/* A unit named name, of a type that lives until the unit is freed. */
TT_NODISCARD enum tt_code tt_mock_make(tt_unit **out,
                                       const struct tt_mock_spec *spec,
                                       const char *name, tt_err *err);

/* The kind opens what was registered: a source's path, or its part after the
 * last '/', is looked up by name. The registry is the one mutable global, for
 * tests only, and not for use from several threads. Registering a name again
 * replaces its spec; NULL removes all. */
extern const struct tt_kind_ops tt_mock_kind;
void tt_mock_register(const char *name, const struct tt_mock_spec *spec);

#endif
