/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_DESC_H
#define TT_UNIT_DESC_H

/* What a unit type declares of itself: ports, dependencies, capabilities.
 *
 * Belongs to a loaded type, is shared by its instances and immutable. The
 * unit kind that made it owns it. Ports are known by index here; how a kind
 * finds its own reference for a port is its own business.
 */

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/ratio.h"
#include "base/role.h"
#include "base/terminal.h"
#include "base/value.h"

/* What an input wants to carry when its unit steps from t to T. */
enum tt_reactivity {
    TT_REACT_EITHER,   /* the score writer chooses, and the report states it */
    TT_REACT_REACTIVE, /* the value of T: its source is stepped first */
    TT_REACT_DELAYED,  /* the value of t */
};

/* A physical unit: value_in_base = factor * value + offset, and the exponents
 * of kg m s A K mol cd rad. Two are compatible when the exponents agree. */
struct tt_quantity {
    const char *name; /* "km/h" */
    int has_base;     /* exponents, factor and offset were declared */
    int8_t exponent[8];
    double factor, offset;
};

/* Of a clock: what its ticks follow from. */
struct tt_clock {
    enum tt_interval interval; /* any but TT_INTERVAL_NONE */
    int deactivates;           /* may be set inactive within a microstep */
    int fraction; /* intervals are exchanged as fractions, else as doubles */
    uint32_t priority;      /* of scheduled execution: 0 is the highest */
    struct tt_ratio period; /* declared, > 0; 0/0: the unit is asked */
    struct tt_ratio shift;  /* of the first tick after the start */
};

/* Does the importer know beforehand when it ticks? */
static inline int tt_clock_is_timed(const struct tt_clock *c)
{
    return c && c->interval != TT_INTERVAL_TRIGGERED;
}
/* ... and always after the same interval? */
static inline int tt_clock_is_periodic(const struct tt_clock *c)
{
    return c && c->interval <= TT_INTERVAL_TUNABLE;
}

struct tt_port {
    const char *name;
    const char *text; /* description, or NULL */
    enum tt_type type;
    enum tt_causality causality;
    enum tt_variability variability;
    enum tt_initial initial;
    enum tt_reactivity reactivity;
    uint32_t n;          /* elements: 1 for a scalar, product of the sizes */
    uint32_t n_dim;      /* 0 for a scalar */
    const uint32_t *dim; /* n_dim sizes */
    /* Per dimension: the structural parameter it follows, plus 1; 0: fixed.
     * NULL: all are. */
    const uint32_t *dim_of;
    const struct tt_quantity *quantity; /* NULL: no unit declared */
    int relative; /* a difference: its unit's offset does not count */
    const char *display_unit;     /* or NULL */
    const struct tt_items *items; /* of an enumeration; NULL: not declared */
    const void *start;      /* n native elements, or NULL: none declared */
    double min, max;        /* -inf, +inf when not declared */
    double nominal;         /* 1 when not declared */
    uint32_t derivative_of; /* port index, or TT_NONE */
    int leaps;         /* may leap at an instant: port `left` is its limit from
                          the left, where a course over the step before ends */
    uint32_t left;     /* port index, if leaps */
    int is_guess;      /* an input that carries the guess of an own output: */
    uint32_t guess_of; /* port index, if is_guess; the plan connects them */
    /* ... if there is one: only where port guess_with is connected; and only
     * where parameter guess_unless is 0 and an input is connected that is the
     * derivative of another one; 0: whatever these are */
    uint32_t guess_with, guess_unless;
    int begins_by; /* an output whose course over a step is a line from so
                      many times output begins_at, where that is guessed */
    uint32_t begins_at;
    uint32_t clock; /* the port of the clock it belongs to, plus 1: there are
                       values only when that ticks; 0: always */
    uint32_t
        n_also; /* ... or when one of these does: ports of further clocks */
    const uint32_t *also;
    uint32_t event; /* an output that is there all the time: the port that has
                       its changes as events, plus 1; 0: there is none */
    const struct tt_clock *ticks; /* of a clock; NULL: no clock, or triggered */
    int hidden;                   /* a limit or a guess: not for people */
    int course_ok; /* an input whose course may be delivered within a step */
    int trail_ok;  /* an output whose values within a step can be had */
    uint32_t line; /* where the description declares it; 0 unknown */
};

/* On which ports an output directly depends. Unknown is not "all": it is
 * treated as all for ordering, but never a reason to refuse a loop. */
struct tt_deps {
    int known;
    uint32_t n;
    const uint32_t *port;
    const uint8_t *kind; /* enum tt_dep_kind each, or NULL: all dependent */
};

enum tt_evaluates {
    TT_EVAL_NEVER,  /* outputs are those of the last step */
    TT_EVAL_EVENT,  /* outputs follow inputs in event mode */
    TT_EVAL_ALWAYS, /* reading after setting gives the new value */
};

enum tt_threads {
    TT_THREADS_ANY,  /* any thread, instances concurrently */
    TT_THREADS_ONE,  /* any thread, but one instance at a time */
    TT_THREADS_MAIN, /* the thread that opened the type */
};

struct tt_caps {
    enum tt_evaluates evaluates;
    enum tt_threads threads;
    int save;              /* save and restore */
    int serialise;         /* pack and unpack */
    int variable_step;     /* steps of any length */
    int max_step;          /* gives its largest next step */
    uint32_t course_order; /* highest polynomial course it takes; 0: hold */
    int course_exact;      /* takes it exactly (else sampled) */
    int course_pieces;     /* takes courses of several polynomials */
    uint32_t rate_order;   /* highest output derivative */
    int directional;       /* directional derivatives at an instant */
    int joins;             /* its states can be integrated with those of others
                              (unit.h, join) */
    int event_mode, early_return;
    int clocks;  /* has time-based clocks: states and takes intervals */
    int samples; /* inputs are taken when a clock of its own ticks: another
                    value is no event of theirs */
    int events_inside; /* handles events itself, too, inside its steps: it takes
                          event mode only where they end the step for all */
    int no_init_mode;  /* it is initialised in one go, by the first get of
                          initialisation or, without one, by exit_init: what is
                          set later counts from the first step on */
    int once_per_process;
    int untyped;  /* its numbers are doubles, whatever they stand for */
    int discrete; /* it changes at events only, those of its inputs and its own:
                     between them a step does nothing */
    int script;   /* part of a script: reads and sets also what connections do
                     not begin or end at */
    int implicit; /* its outputs are unknowns that make something else right:
                     steps are repeated until they do */
};

struct tt_experiment {
    double start, end; /* end is +inf when open */
    double tolerance;  /* 0: not defined */
};

struct tt_desc {
    const char *kind;       /* "fmi2" */
    const char *model;      /* model name */
    const char *expression; /* what it computes from its inputs, which are
                               named as its variables; NULL: something else */
    /* Which model it is: its version, the tool that made it, and the token (a
     * GUID) by which it knows its library; NULL: not given. */
    const char *version, *tool, *token;
    const struct tt_port *port;
    uint32_t n_port;
    const struct tt_deps *run;  /* per port; meaningful for outputs */
    const struct tt_deps *init; /* per port; for what init calculates */
    struct tt_caps caps;
    struct tt_experiment standard; /* default experiment; NaN: not declared */
    double standard_step;          /* NaN: not declared */
    double inner_step; /* it steps by this inside, and wants steps that are
                          multiples of it; 0: not declared */
    /* What no step should be longer than; s, 0: not declared. */
    double delay;      /* what comes in goes out after so long */
    double reaction;   /* the shortest one to anything */
    double every;      /* between new values of its outputs */
    const char *apart; /* with caps.joins: why they are not to be, NULL: they
                          may */
    int locates;   /* made of units: a step ends early where a crossing inside
                      is located */
    int has_texts; /* strings or binaries are passed on between units inside */
    uint32_t inside; /* instances it is made of, to any depth; 0: it is one */
    /* Of a discrete-event unit: the port, plus 1, of the clock by which it is
     * let have the event it has named. 0: it has none. */
    uint32_t internal;
    const char *const *log_category;
    uint32_t n_log_category;
    const struct tt_terminal *terminal;
    uint32_t n_terminal;
    uint32_t n_element; /* of its ports the last so many are single elements of
                           others, and not in by_name (unit/elements.h) */
    struct tt_names by_name; /* port index by name */
};

/* Elements of these ports together. */
size_t tt_desc_elements(const struct tt_desc *d, const uint32_t *port,
                        size_t n);
/* Port index by name, or TT_NONE. */
uint32_t tt_desc_find(const struct tt_desc *d, const char *name);
/* The terminal of this name, or TT_NONE. */
uint32_t tt_desc_terminal(const struct tt_desc *d, const char *name);
/* The declared name nearest to a wrong one among ports of this causality
 * (or any, with -1), or NULL. */
const char *tt_desc_nearest(const struct tt_desc *d, const char *wrong,
                            int causality);

#define TT_ELEMENTS_MAX ((uint32_t)1 << 24) /* of a port that is resized */

/* The value each structural parameter declares, by port, 0 for other ports; to
 * be freed by tt_free. NULL: out of memory. */
uint64_t *tt_desc_sizes(const struct tt_desc *d);
/* As d, in the arena, with sizes as these values give them; `size` as above. A
 * port of another size has no start value (FMI 3.0.2, 2.4.7.1). What does not
 * depend on sizes is d's, which must outlive it. */
TT_NODISCARD enum tt_code tt_desc_resize(struct tt_desc **out, tt_arena *a,
                                         const struct tt_desc *d,
                                         const uint64_t *size, tt_err *err);

/* A parameter that may change while its unit lives. */
static inline int tt_port_is_tuned(const struct tt_port *p)
{
    return p->causality == TT_CAUS_PARAMETER &&
           p->variability == TT_VAR_TUNABLE;
}
/* By what its values are judged, > 0: FMI 3 allows negative nominal values. */
double tt_port_scale(const struct tt_port *p);
/* Bytes of one port's value. */
size_t tt_port_size(const struct tt_port *p);

const char *tt_reactivity_name(enum tt_reactivity r);

#endif
