/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_DESC_H
#define TT_UNIT_DESC_H

/* What a unit type says of itself: ports, dependencies, capabilities.
 *
 * Belongs to a loaded type, is shared by its instances and immutable. The
 * unit kind that made it owns it. Ports are known by index here; how a kind
 * finds its own reference for a port is its own business.
 */

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "base/value.h"

enum tt_causality {
    TT_CAUS_LOCAL,
    TT_CAUS_PARAMETER,
    TT_CAUS_CALCULATED, /* calculatedParameter */
    TT_CAUS_STRUCTURAL, /* structuralParameter */
    TT_CAUS_INPUT,
    TT_CAUS_OUTPUT,
    TT_CAUS_INDEPENDENT,
};

enum tt_variability {
    TT_VAR_CONSTANT,
    TT_VAR_FIXED,
    TT_VAR_TUNABLE,
    TT_VAR_DISCRETE,
    TT_VAR_CONTINUOUS,
};

enum tt_initial {
    TT_INIT_NONE, /* does not apply */
    TT_INIT_EXACT,
    TT_INIT_APPROX,
    TT_INIT_CALCULATED,
};

/* What an input wants to carry when its unit steps from t to T. */
enum tt_reactivity {
    TT_REACT_EITHER,   /* the score writer chooses, and the report says so */
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
    const struct tt_quantity *quantity; /* NULL: no unit declared */
    int relative; /* a difference: its unit's offset does not count */
    const char *display_unit; /* or NULL */
    const void *start;        /* n native elements, or NULL: none declared */
    double min, max;          /* -inf, +inf when not declared */
    double nominal;           /* 1 when not declared */
    uint32_t derivative_of;   /* port index, or TT_NONE */
    int leaps;         /* may leap at an instant: port `left` is its limit from
                          the left, where a course over the step before ends */
    uint32_t left;     /* port index, if leaps */
    int is_guess;      /* an input that carries the guess of an own output: */
    uint32_t guess_of; /* port index, if is_guess; the plan connects them */
    /* ... if there is one: only where input guess_with is connected and
     * parameter guess_unless is 0; both 0: always */
    uint32_t guess_with, guess_unless;
    int begins_by; /* an output whose course over a step is a line from so
                      many times output begins_at, where that is guessed */
    uint32_t begins_at;
    int hidden;    /* a limit or a guess: not for people */
    int course_ok; /* an input whose course may be delivered within a step */
    uint32_t line; /* where the description declares it; 0 unknown */
};

enum tt_dep_kind {
    TT_DEP_DEPENDENT,
    TT_DEP_CONSTANT,
    TT_DEP_FIXED,
    TT_DEP_TUNABLE,
    TT_DEP_DISCRETE,
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
    int max_step;          /* tells its largest next step */
    uint32_t course_order; /* highest polynomial course it takes; 0: hold */
    int course_exact;      /* takes it exactly (else sampled) */
    uint32_t rate_order;   /* highest output derivative */
    int directional;       /* directional derivatives at an instant */
    int event_mode, early_return;
    int once_per_process;
    int implicit; /* its outputs are unknowns that make something else right:
                     steps are repeated until they do */
};

struct tt_experiment {
    double start, end; /* end is +inf when open */
    double tolerance;  /* 0: not defined */
};

struct tt_desc {
    const char *kind;  /* "fmi2" */
    const char *model; /* model name */
    /* Which model it is: its version, the tool that made it, and the token (a
     * GUID) by which it knows its library; NULL: not said. */
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
    uint32_t inside;   /* instances it is made of, to any depth; 0: it is one */
    const char *const *log_category;
    uint32_t n_log_category;
    struct tt_names by_name; /* port index by name */
};

/* Port index by name, or TT_NONE. */
uint32_t tt_desc_find(const struct tt_desc *d, const char *name);
/* The declared name nearest to a wrong one among ports of this causality
 * (or any, with -1), or NULL. */
const char *tt_desc_nearest(const struct tt_desc *d, const char *wrong,
                            int causality);
/* Bytes of one port's value. */
size_t tt_port_size(const struct tt_port *p);

const char *tt_causality_name(enum tt_causality c);
const char *tt_variability_name(enum tt_variability v);
const char *tt_initial_name(enum tt_initial i);
const char *tt_reactivity_name(enum tt_reactivity r);

#endif
