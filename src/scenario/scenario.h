/* SPDX-License-Identifier: MIT */
#ifndef TT_SCENARIO_SCENARIO_H
#define TT_SCENARIO_SCENARIO_H

/* What to simulate, as inert data, by name: units, connections, parameters,
 * experiment. It knows no FMU: whether a variable exists is the plan's matter.
 *
 * Everything lives in one arena and is immutable after building; a scenario
 * can be planned many times. Every item remembers where it was written
 * (struct tt_where), so that the plan's messages can name file, line and
 * column.
 */

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/ratio.h"
#include "ode/ode.h"
#include "text/archive.h"
#include "text/where.h"
#include "unit/desc.h"

struct tt_sc_fmu {
    const char *key;  /* "{tank}" as written */
    const char *uri;  /* as written */
    const char *path; /* resolved: absolute path without scheme; NULL: its
                       * location is wrong, which was reported */
    struct tt_scenario *inner; /* owned: it is written in place; path then only
                                * names that place */
    struct tt_where where;
    uint8_t interface; /* enum tt_interface of its instances (unit/unit.h) */
    uint8_t claimed;   /* while building: an instance has that */
    const struct tt_clause *clause; /* of "adapt"; NULL: it is used as it is */
    uint32_t n_clause;
};

struct tt_sc_unit {
    uint32_t fmu;
    uint32_t rate;         /* its steps in a macro step; 0: not given, 1 */
    const char *instance;  /* "tank1" */
    const char *name;      /* "{tank}.tank1" */
    struct tt_where where; /* first mention */
    struct tt_where rate_where;
    double quantum; /* NaN: as for all; 0: it does not sleep */
    struct tt_where quantum_where;
    const struct tt_clause *clause; /* as of an FMU */
    uint32_t n_clause;
    int substeps; /* -1: as for all; 0: never; n: always, for courses */
    struct tt_integrator integrator; /* if it has one of its own */
    int16_t evaluates; /* -1: as stated; else enum tt_evaluates' value */
    bool has_integrator;
    bool isolate;      /* in a process of its own */
    bool no_stop_time; /* it is given none */
    uint8_t interface; /* enum tt_interface; 0: as for all */
};

/* A reference to a variable of a unit, resolved as far as names go. */
struct tt_sc_ref {
    uint32_t unit;
    const char *variable;
    struct tt_where where;
};

/* Is it the same variable? */
static inline int tt_sc_ref_same(const struct tt_sc_ref *a,
                                 const struct tt_sc_ref *b)
{
    return a->unit == b->unit && strcmp(a->variable, b->variable) == 0;
}

/* The base units of struct tt_quantity, by name. */
#define TT_SC_BASE_UNITS 8
extern const char *const tt_sc_base_units[TT_SC_BASE_UNITS];

/* What becomes of a value on its way. */
struct tt_sc_mapped {
    double from, to;
};
struct tt_sc_transform {
    double factor, offset; /* factor * value + offset, in the target's unit */
    int keep_unit;         /* values are not converted to the target's unit */
    const struct tt_sc_mapped *map; /* of whole numbers and Booleans, which
                                       have no factor and offset then */
    uint32_t n_map;
};

/* What becomes of one value. */
static inline double tt_sc_transformed(const struct tt_sc_transform *by,
                                       double v)
{
    for (uint32_t i = 0; i < by->n_map; i++)
        if (by->map[i].from == v)
            return by->map[i].to;
    return by->factor * v + by->offset;
}

struct tt_sc_connection {
    struct tt_sc_ref from, to;
    const struct tt_sc_transform *by; /* or NULL */
};

/* Terminals that meet; `variable` is a terminal's name. */
struct tt_sc_node {
    const struct tt_sc_ref *ref;
    uint32_t n;
};

enum tt_sc_value_kind {
    TT_SC_NUMBER,
    TT_SC_INTEGER,
    TT_SC_BOOL,
    TT_SC_TEXT,
    TT_SC_ARRAY, /* of the above, flat */
};

struct tt_sc_value {
    enum tt_sc_value_kind kind;
    double number;                  /* NUMBER, and INTEGER rounded */
    int64_t integer;                /* INTEGER, BOOL */
    const char *text;               /* TEXT; for --set also the text as typed;
                                       of an INTEGER that a file defines so, the
                                       item of an enumeration */
    const struct tt_sc_value *item; /* ARRAY */
    uint32_t n;
};

/* The item of an enumeration that an INTEGER has as its text; NULL: none. */
const char *tt_sc_value_item(const struct tt_sc_value *v);

struct tt_sc_parameter {
    /* unit TT_NONE: of the one that has such a variable */
    struct tt_sc_ref ref;
    struct tt_sc_value value;
    const struct tt_quantity *quantity; /* its unit; NULL: the variable's */
    const struct tt_sc_transform *by;   /* or NULL */
    int optional; /* left out where there is no such variable */
};

enum tt_sc_master { TT_MASTER_JACOBI, TT_MASTER_GAUSS_SEIDEL };
/* Of the first four the value is the order of the polynomial. */
enum tt_sc_approx {
    TT_APPROX_HOLD,
    TT_APPROX_LINEAR,
    TT_APPROX_QUADRATIC,
    TT_APPROX_CUBIC,
    TT_APPROX_HERMITE,    /* through values and derivatives */
    TT_APPROX_CONTINUOUS, /* "extrapolated-interpolation" */
    TT_APPROX_CONTINUOUS_LINEAR,
    TT_APPROX_WAVEFORM, /* as its source went within the step */
    TT_APPROX_MODEL,    /* by a predictor that is fitted to the past */
    TT_APPROX_N
};
#define TT_SC_SUBSTEPS     UINT32_MAX /* as many as bring something */
#define TT_SC_SUBSTEPS_MAX 10000      /* of one step */

/* Unless stated otherwise a unit that sleeps makes every 64th step. */
#define TT_SC_QUANTUM_MOST 64

/* How a step is repeated until the units agree. */
enum tt_sc_accel {
    TT_ACCEL_NONE,
    TT_ACCEL_RELAX,
    TT_ACCEL_AITKEN,
    TT_ACCEL_ANDERSON,
    TT_ACCEL_NEWTON,
};
enum tt_sc_unconverged {
    TT_UNCONVERGED_STOP,
    TT_UNCONVERGED_ACCEPT, /* with a warning */
    TT_UNCONVERGED_REDUCE, /* go back and try a shorter step */
};
struct tt_sc_iteration {
    uint32_t turns; /* a fixed number; 0: not repeated, unless: */
    int converged;  /* until converged */
    enum tt_sc_accel accel;
    double abstol, reltol; /* |a - b| <= abstol * nominal + reltol * |b| */
    double relax;          /* for relax, and Aitken's first turn */
    uint32_t max;          /* evaluations, when until converged */
    uint32_t least;        /* ... and so many in any case */
    int loops_only;        /* only units that feed each other */
    int at_start;          /* only steps before which there is no past */
    enum tt_sc_unconverged unconverged;
};

/* What another tool wrote beside an element of a system structure: XML. */
struct tt_sc_note {
    const char *of; /* "{key}.instance", "system", "a.x -> b.y", ... */
    const char *xml;
};

/* Where an instance is drawn: its corners, x to the right and y down, in
 * pixels. */
struct tt_sc_box {
    uint32_t unit;
    double x1, y1, x2, y2;
};

/* When a clock ticks; 0/0: as it declares. */
struct tt_sc_clock {
    struct tt_sc_ref ref;
    struct tt_ratio interval, shift;
};

/* How the run is paced to the wall clock. */
enum tt_sc_overrun { TT_OVERRUN_CONTINUE, TT_OVERRUN_STOP };
struct tt_sc_budget { /* of a partition, by its clock */
    struct tt_sc_ref ref;
    double seconds; /* on the wall clock */
};
struct tt_sc_real_time {
    double factor;    /* simulated seconds per second; 0: not paced */
    double tolerance; /* s: lateness that does not count */
    enum tt_sc_overrun overrun;
    const struct tt_sc_budget *budget;
    uint32_t n_budget;
};

/* A unit elsewhere, whose values are predicted when they are late. */
#define TT_SC_LATE_MOST 3
struct tt_sc_late {
    uint32_t unit;
    double after;  /* s: so long they are waited for; inf: until they are due */
    uint32_t most; /* steps that may be owed */
    struct tt_where where;
};

/* Whose rules of the run, beyond the fields: ours, or a Maestro's
 * (docs/reference/maestro.md). */
enum tt_sc_dialect { TT_SC_OWN, TT_SC_MAESTRO2, TT_SC_MAESTRO1 };

enum tt_sc_algorithm { TT_ALG_FIXED, TT_ALG_VARIABLE };

struct tt_sc_input_approx {
    struct tt_sc_ref ref; /* an input */
    enum tt_sc_approx approx;
};

struct tt_sc_input_reactivity {
    struct tt_sc_ref ref; /* an input */
    int reactivity;       /* enum tt_reactivity's value */
};

enum tt_sc_constraint_kind {
    TT_CONSTRAINT_ZERO_CROSSING,
    TT_CONSTRAINT_BOUNDED_DIFFERENCE,
    TT_CONSTRAINT_SAMPLING_RATE,
    TT_CONSTRAINT_MAX_STEP, /* what the units allow themselves */
    TT_CONSTRAINT_ERROR,    /* an estimate of the coupling error */
};

/* How the error of a step is estimated. */
enum tt_sc_error_method {
    TT_ERROR_RICHARDSON, /* one step against two of half the length */
    TT_ERROR_ORDERS,     /* inputs: two orders of extrapolation compared */
    TT_ERROR_MILNE,      /* inputs: extrapolated against what came */
    TT_ERROR_ENERGY,     /* residual energy of the power bonds */
    TT_ERROR_EMBEDDED,   /* courses of one order more, side by side */
    TT_ERROR_OWN,        /* what units state of their own error */
};

/* Two connections that carry a power: each side has an input that follows the
 * other's output, and input times output is a power. */
struct tt_sc_bond {
    const char *name;
    struct tt_sc_ref in[2], out[2]; /* of sides a and b */
    double energy;                  /* J: the level at which the bond matters */
    int correct; /* repay what the courses of its inputs missed */
};

/* What limits a variable step. Which members count depends on the kind. */
struct tt_sc_constraint {
    enum tt_sc_constraint_kind kind;
    const char *name;
    const struct tt_sc_ref *port;
    uint32_t n_port;
    double abstol, reltol, safety;
    int order; /* of the extrapolation: 1 or 2 */
    int skip_discrete;
    int64_t base; /* time unit of rate and start: 10^base s */
    int64_t rate, start;
    enum tt_sc_error_method method;
    double shrink, grow; /* of a step by the next; 0: the policy's own */
    double unit_time;    /* s: the error per this time counts; 0: per step */
    int grid;            /* steps are of a grid of lengths */
    int next; /* what was too much shortens the next step, not this one */
    struct tt_where where;
};

/* Where a scenario meets the one it is a unit of: a name of its own for inner
 * variables. Several inputs, or parameters, may share one. */
enum tt_sc_port_dir {
    TT_SC_PORT_INPUT,
    TT_SC_PORT_OUTPUT,
    TT_SC_PORT_PARAMETER,
    TT_SC_PORT_N
};
struct tt_sc_port {
    const char *name;
    enum tt_sc_port_dir dir;
    const struct tt_sc_ref *ref;
    uint32_t n_ref;
    struct tt_where where;
};

/* Units whose states are integrated as one system. */
struct tt_sc_together {
    const uint32_t *unit;
    const struct tt_where *where; /* of each */
    uint32_t n;
};

/* An expression as it stands in the scenario, and of which field it is. One
 * that was made of other fields has no place of its own. */
struct tt_sc_expr {
    const char *text, *of;
    struct tt_where where;
    int made;
};

/* Steps of an instance within a macro step. */
struct tt_sc_rate {
    uint32_t unit, rate;
    struct tt_where where;
};

/* A variant of the scenario, as options over it; NaN and NULL: as it is. */
struct tt_sc_policy {
    const char *name;
    double step;
    const char *master, *approximation;
    enum tt_sc_master by;          /* of master, if there is one */
    enum tt_sc_approx course;      /* of approximation, likewise */
    const uint32_t *order;         /* of instances, as in "order"; or NULL */
    const char *order_text;        /* the same, for options: "a,b" */
    const struct tt_sc_rate *rate; /* "rates": n_rate of them */
    uint32_t n_rate;
    const char *rates;           /* the same, for options: "a=4,b=2" */
    const char *const *set;      /* "{key}.inst.var=value" */
    const struct tt_sc_ref *ref; /* the same, n_set of them */
    const double *value;
    uint32_t n_set;
};

/* "switching": which policy makes the next step. */
struct tt_sc_switching {
    const uint32_t *pattern; /* again and again; or */
    uint32_t n_pattern;
    const struct tt_sc_ref *by;      /* the number, from 1, is this output */
    const struct tt_sc_expect *rule; /* ... or this expression, its one part */
};
static inline int tt_sc_switches(const struct tt_sc_switching *s)
{
    return s->n_pattern || s->by || s->rule;
}

/* "sequence": in which order units step, chosen anew where a step stands. */
enum tt_sc_sequence_by {
    TT_SEQUENCE_OFF,
    TT_SEQUENCE_LOCAL,
    TT_SEQUENCE_GLOBAL,
    TT_SEQUENCE_SIGNED,
    TT_SEQUENCE_N
};
#define TT_SC_ORDERS_MAX 8
struct tt_sc_sequence {
    enum tt_sc_sequence_by adapt;
    const uint32_t *pattern; /* or orders by number, again and again */
    uint32_t n_pattern;
    const uint32_t *order[TT_SC_ORDERS_MAX]; /* as tt_scenario.order */
    uint32_t n_order;                        /* 0: derived */
    uint32_t hold; /* decide at every so many steps; 0: at each */
    double margin; /* another order must be so many times better; 0: 1 */
};
static inline int tt_sc_sequences(const struct tt_sc_sequence *s)
{
    return s->adapt != TT_SEQUENCE_OFF || s->n_pattern;
}
/* "local" ... */
const char *tt_sc_sequence_name(enum tt_sc_sequence_by by);

/* Where an expression over outputs crosses zero, a step ends. */
struct tt_sc_locate {
    uint32_t unit;       /* of kind locate, whose output `value` it is */
    int up, down, leaps; /* one at an event counts, too */
    int of_script;       /* a condition, of which nothing is recorded unasked */
    double tolerance;    /* s */
    struct tt_where where;
    const struct tt_sc_expr *expr; /* when; then what is put out there */
    uint32_t n_expr;
};
#define TT_SC_LOCATE_TOLERANCE 1e-9

/* "script": what is done at a time or when a condition holds. An instance of
 * kind script decides; before (or behind) each variable that it touches stands
 * one of kind gate. */
enum tt_sc_act {
    TT_SC_ACT_SET,     /* the gate holds a value, taken at that instant */
    TT_SC_ACT_HOLD,    /* ... the one it has */
    TT_SC_ACT_CONNECT, /* ... follows source `which` */
    TT_SC_ACT_FAULT,   /* ... fault `which` */
    TT_SC_ACT_RELEASE, /* ... no fault; if it is `which`, where that is not 0 */
    TT_SC_ACT_WAKE,    /* instance `which` of those that sleep steps */
    TT_SC_ACT_SLEEP,
    TT_SC_ACT_CARRY, /* value `which` of those that instances begin with */
    TT_SC_ACT_STOP,  /* with verdict `which` */
};
enum tt_sc_verdict { TT_SC_PASS, TT_SC_FAIL, TT_SC_END };
struct tt_sc_action {
    enum tt_sc_act act;
    uint32_t gate, which;
    const char *value; /* SET, CARRY: an expression; STOP: why, or NULL */
    const char *label; /* for people: "set {t}.tank.valve to 0.5" */
    struct tt_where where;
};
/* When: at a time; when a condition begins to hold, or, of one that ends
 * faults, while it holds; or so long after the fault began. */
struct tt_sc_cue {
    const char *name;
    double at;         /* NaN: not at a time */
    double lasts;      /* NaN: not after a fault */
    const char *when;  /* NULL: no condition */
    uint32_t first, n; /* actions */
    int ends;          /* it ends faults */
    int repeat;        /* each time that the condition begins to hold */
    struct tt_where where;
};
struct tt_sc_fault {
    uint32_t gate;
    const char *value; /* an expression: what arrives ... */
    int bias;          /* ... or is added to that */
    uint32_t end;      /* the cue that ends it, or TT_NONE */
};
struct tt_sc_gate {
    const char *name;     /* of the variable */
    struct tt_sc_ref ref; /* ... an input or parameter it stands before, or: */
    int at_output;        /* an output it stands behind */
    uint32_t unit;        /* of kind gate */
    const struct tt_sc_ref *source; /* the first from the start on */
    uint32_t n_source;
    int connected;               /* there is a first one */
    const char *const *variable; /* of its faults */
    uint32_t n_variable;
};
/* The variable by which one is woken, known by its address. */
extern const char tt_sc_awake[];
/* An instance that steps while it is awake, by a clock of its own. */
struct tt_sc_sleeper {
    uint32_t unit;
    int awake; /* at the start */
    /* Variables it can be given before its first step, each by a port of the
     * name of `carried`. */
    const struct tt_sc_ref *carry;
    const char *const *carried;
    uint32_t n_carry;
};
struct tt_sc_script {
    uint32_t unit; /* of kind script */
    const struct tt_sc_cue *cue;
    uint32_t n_cue, n_when; /* ... of which so many have a condition */
    const struct tt_sc_action *action;
    uint32_t n_action;
    const struct tt_sc_fault *fault; /* number 1 is the first */
    uint32_t n_fault;
    const struct tt_sc_gate *gate;
    uint32_t n_gate;
    const struct tt_sc_sleeper *sleeper;
    uint32_t n_sleeper, n_carry;
    const char *const *variable; /* of conditions and values */
    uint32_t n_variable;
    uint32_t n_connection; /* that would not be there without it */
    int polled; /* no events: at communication points, as Maestro has it */
};

/* "expect": what a run is to show, looked at where steps end and at events. */
enum tt_sc_expect_kind {
    TT_EXPECT_RANGE,      /* an expression stays from low to high */
    TT_EXPECT_ALWAYS,     /* a condition holds */
    TT_EXPECT_NEVER,      /* ... does not */
    TT_EXPECT_EVENTUALLY, /* ... does once */
    TT_EXPECT_FINAL,      /* an expression is from low to high in the end */
    TT_EXPECT_SETTLES,    /* ... and stays there */
    TT_EXPECT_OCCURS,     /* a condition begins to hold low to high times */
    TT_EXPECT_FOLLOWS,    /* ... does after each time that another one did */
    TT_EXPECT_STAYS,      /* ... and for `within` */
    TT_EXPECT_LASTS,      /* ... holds from low to high seconds at a time */
    TT_EXPECT_RECURS,     /* ... holds once in any `within` */
    TT_EXPECT_PERIOD,     /* ... begins to hold every low to high seconds */
    TT_EXPECT_FALLS,      /* an expression never rises, but for `high` */
    TT_EXPECT_RISES,      /* ... never falls */
    TT_EXPECT_SMOOTH,     /* ... is not rougher than `high` */
};
/* The expressions of an expectation. */
enum tt_sc_expect_part {
    TT_EXPECT_WHAT,      /* of its family ... */
    TT_EXPECT_CHAIN = 4, /* ... up to so many, one after the other */
    TT_EXPECT_AFTER = TT_EXPECT_CHAIN,
    TT_EXPECT_UNTIL, /* or "before" */
    TT_EXPECT_WHEN,
    TT_EXPECT_PARTS
};
struct tt_sc_variable {
    const char *name; /* as expressions have it */
    struct tt_sc_ref ref;
};
struct tt_sc_expect {
    const char *name;
    enum tt_sc_expect_kind kind;
    struct tt_sc_expr part[TT_EXPECT_PARTS]; /* without a text: not given */
    struct tt_sc_variable *variable;         /* of all */
    uint32_t n_variable;
    double low, high;
    double within; /* s, since it counts; +inf: until the end */
    int pending;   /* "before": a segment that is not closed does not count */
    int fail;      /* a violation is the run's failure */
    int hint;      /* it is of "hints" */
    struct tt_where where;
};
/* "range", "always", ... */
const char *tt_sc_expect_word(enum tt_sc_expect_kind k);
/* Is it of a number, not of a condition? */
int tt_sc_expect_is_number(enum tt_sc_expect_kind k);

/* A hint of what an instance is, by which a search is led; a run does the same
 * without it. */
struct tt_sc_known {
    const char *name;
    int bond;                /* of two variables; else of software */
    uint32_t unit;           /* the software */
    double rate;             /* ... Hz; NaN: not given */
    struct tt_sc_ref end[2]; /* ports of two units that feed each other */
    struct tt_where where;
};

/* What becomes of events that accumulate at a finite time. */
enum tt_sc_zeno { TT_ZENO_CONTINUE, TT_ZENO_STOP, TT_ZENO_REGULARISE };

/* Why events are not played ahead of time, to be taken back if need be. */
#define TT_NOT_OPTIMISTIC                                                      \
    "an event that comes late would take back every instance that has gone "   \
    "on, and many cannot; events are played in the order of time, on any "     \
    "number of threads"

/* "events": what happens when several are due at once. */
enum tt_sc_confluence {
    TT_CONFLUENCE_OFF,
    TT_CONFLUENCE_WARN,
    TT_CONFLUENCE_ERROR
};
struct tt_sc_events {
    const uint32_t *select; /* units, the first of which goes first */
    const struct tt_where *select_where;
    uint32_t n_select;
    int parallel; /* all that are due at once */
    enum tt_sc_confluence confluence;
    uint32_t limit; /* microsteps at one time */
};
#define TT_SC_EVENT_LIMIT 10000u

typedef struct tt_scenario {
    tt_arena *arena;      /* owned: holds all below */
    tt_archive **package; /* owned: what files of it were unpacked from */
    size_t n_package, cap_package;
    const struct tt_text_file *file;
    uint32_t n_file;
    const struct tt_text_file *score; /* of these, the master to play; NULL:
                                             one that is built in */
    const char *decided; /* what its reader decided, for people; or NULL */
    const char *given;   /* fields that tt_sc_read was given, as members of an
                          * object of JSON; NULL: none */
    const char *name; /* for people: the file's without ending, or its folder's
                       * when that is just "scenario" */

    const struct tt_sc_fmu *fmu;
    uint32_t n_fmu;
    const struct tt_sc_unit *unit;
    uint32_t n_unit;
    const struct tt_sc_connection *connection;
    uint32_t n_connection;
    const struct tt_sc_node *node; /* "terminals" */
    uint32_t n_node;
    /* Where flows of more than two terminals meet: the inputs that take them.
     * The last n_sum units sum up, one for each (plan/terminals.c). */
    const struct tt_sc_ref *sum;
    uint32_t n_sum;
    const struct tt_sc_parameter *parameter; /* later ones win */
    uint32_t n_parameter;
    const struct tt_sc_ref *log_variable;
    uint32_t n_log_variable;
    const struct tt_sc_ref *live_variable; /* "livestream" */
    uint32_t n_live_variable;
    const struct tt_sc_ref *log_level; /* `variable` is the category */
    uint32_t n_log_level;
    const struct tt_sc_ref *env_parameter; /* "environmentParameters" */
    uint32_t n_env_parameter;
    const char *const *record; /* patterns from "record"/--record, for
                                * tt_glob_variable; may be 0 */
    uint32_t n_record;

    int inside; /* it is a unit of another one */
    const char
        *base; /* as in struct tt_sc_options, for those inside; or NULL */
    int only_base;
    const struct tt_sc_port *port;
    uint32_t n_port;
    unsigned ports_given; /* bit per direction: these, and no others */

    enum tt_sc_algorithm algorithm;
    double step;   /* H in seconds; NaN: not given */
    int step_open; /* its format knows none: then a default will do */
    struct tt_where step_where;
    double step_min, step_max, step_init; /* TT_ALG_VARIABLE only */
    const struct tt_sc_constraint *constraint;
    uint32_t n_constraint;
    const struct tt_sc_locate *locate; /* of "events" */
    uint32_t n_locate;
    const struct tt_sc_script *script; /* or NULL */
    const struct tt_sc_expect *expect;
    uint32_t n_expect;
    const struct tt_sc_known *known; /* of "hints" */
    uint32_t n_known;
    enum tt_sc_zeno zeno;
    const struct tt_sc_bond *bond; /* "powerBonds" */
    uint32_t n_bond;
    double start, end; /* NaN: not given; end +inf: open. When both are given,
                        * end > start */
    struct tt_where start_where, end_where;
    double tolerance; /* NaN: not given */
    double sample;    /* recording interval; NaN: every step */

    const struct tt_sc_policy *policy; /* "policies" */
    uint32_t n_policy;
    struct tt_sc_switching switching;
    enum tt_sc_master master;
    struct tt_sc_events events;
    const uint32_t *order; /* unit indices; n_order 0: derived */
    uint32_t n_order;
    struct tt_where order_where;
    struct tt_sc_sequence sequence;
    const char *allowed; /* a file of tutti stability --adaptive: what switching
                            and sequence obey; or NULL */
    enum tt_sc_approx approx; /* of all inputs that state nothing else */
    const struct tt_sc_input_approx *input_approx;
    uint32_t n_input_approx;
    uint32_t substeps;     /* for courses, of units that take none; 0: never */
    double quantum;        /* "quanta": of all that can sleep; 0: none does */
    uint32_t quantum_most; /* ... through so many steps but one */
    const struct tt_sc_input_reactivity *input_reactivity; /* later ones win */
    uint32_t n_input_reactivity;
    const struct tt_sc_ref *consistent; /* "consistentStart" */
    uint32_t n_consistent;

    const double *instant; /* where steps end, too, if all units can vary their
                            * step; ascending. Not of files: see --input */
    size_t n_instant;
    int rollback;     /* a fixed step that a unit does not make is taken back */
    int intermediate; /* values within steps are recorded, too */
    struct tt_sc_iteration iteration;
    double loop_abstol, loop_reltol; /* "global_*_tolerance"; NaN: not given */
    int64_t loop_attempts;           /* "convergenceAttempts"; -1: not given */
    double live_interval; /* of "livestream", s; NaN: not given, 0: each step */
    const char *log_level_override; /* "OFF", "FATAL", ..., or NULL */
    int visible, logging_on;
    int parallel; /* "parallelSimulation" */
    int threads;  /* "threads"; 0: not given, or TT_SC_THREADS_AUTO */
    const struct tt_sc_clock *clock; /* "clocks" */
    uint32_t n_clock;
    struct tt_sc_real_time real_time;
    const struct tt_sc_late *late;
    uint32_t n_late;
    int isolate;       /* all FMUs' units in processes of their own */
    double deadline;   /* s, for a call of a unit; NaN: none */
    int no_stop_time;  /* units are given none */
    uint8_t interface; /* enum tt_interface of all; 0: what there is */
    struct tt_integrator integrator;       /* of all that have no other */
    const struct tt_sc_together *together; /* none: those that are connected */
    uint32_t n_together;
    int apart;               /* ... or none at all */
    const char *const *host; /* per FMU: "host:port" to upload it to, or NULL;
                                NULL: none */
    const char *token_file;  /* of the workers there, or NULL */
    const char *tls_ca;      /* whom to trust there; NULL: not encrypted */
    const struct tt_sc_box *box; /* "diagram" */
    uint32_t n_box;
    const struct tt_sc_note *note; /* "annotations" */
    uint32_t n_note;
    const char *origin;   /* "origin": the .ssd that it was read as; or NULL */
    const char *left_out; /* what its reader has no place for; or NULL */
    int m1_dialect;       /* CSV in Maestro 1's dialect */
    enum tt_sc_dialect dialect; /* then m1_dialect follows it */
} tt_scenario;

#define TT_SC_THREADS_AUTO (-1) /* as many as pay */
#define TT_SC_THREADS_MAX  64

/* "hold", "linear", ... */
const char *tt_sc_approx_name(enum tt_sc_approx a);
/* Does the approximation change with the policy? Then pasts are kept for the
 * highest order. */
int tt_sc_bends(const tt_scenario *s);

/* Options of a command line, applied over the files. Zero/NULL/NaN: not
 * given; use TT_SC_OPTIONS_INIT. */
struct tt_sc_options {
    const char *const *set; /* "{key}.inst.var=value" */
    uint32_t n_set;
    double start, end, step, sample, tolerance;
    const char *master;        /* "jacobi", "gauss-seidel" */
    const char *score;         /* a score file, in place of a master */
    const char *sequence;      /* "local", "global", "signed", "off" */
    const char *order;         /* "a,b": instance names or {key}.inst */
    const char *rates;         /* "a=10,b=2": the same names */
    const char *approximation; /* "hold", "linear", ... */
    double substeps;           /* a whole number */
    const char *const *record; /* each "PATTERN,..." or "all"; they add up */
    uint32_t n_record;
    int rollback;              /* 1: "rollback" */
    int intermediate;          /* 1: "recordIntermediate" */
    const char *iterate;       /* "3" turns, or "converged" */
    const char *acceleration;  /* "none", "relax", "aitken", ... */
    double real_time;          /* factor */
    const char *overrun;       /* "continue", "stop" */
    const char *error_control; /* "richardson", "orders", "milne", "energy",
                                  "embedded" */
    double step_tolerance;     /* of error_control */
    const char *threads;       /* "4", or "auto" */
    const char *dialect;       /* "maestro2", "maestro1", "maestro" */
    int isolate;               /* 1: "isolate" */
    double deadline;           /* s */
    int no_stop_time;          /* 1: "noStopTime" */
    const char *interface;     /* "cs", "me", "se" */
    const char *integrator;    /* "auto", "explicit", ... */
    int no_together;           /* 1: "together" is false */
    const char *token_file, *tls_ca;
    int inside; /* 1: to be a unit of another one, so that experiment and step
                   may be left open, and signals may come from outside */
    const char *base; /* folder relative FMU locations are in, and those with
                       * "session:"; NULL: each file's own */
    int only_base;    /* ... and files and machines elsewhere are refused.
                       * Both hold for scenarios inside too, whose relative
                       * locations are first tried in their own folder */
    int nested;       /* 1: systems of a structure are scenarios inside; formats
                       * that have none refuse it */
    const char *json; /* one more file, "options", laid over the others; or
                       * NULL. Not for one FMU alone */
};
#define TT_SC_OPTIONS_INIT                                                     \
    {                                                                          \
        .start = (double)NAN, .end = (double)NAN, .step = (double)NAN,         \
        .sample = (double)NAN, .tolerance = (double)NAN,                       \
        .real_time = (double)NAN, .substeps = (double)NAN,                     \
        .step_tolerance = (double)NAN, .deadline = (double)NAN                 \
    }

struct tt_log;

/* Load and deep-merge JSON files, left to right (objects merge, arrays merge
 * index-wise, scalars are overwritten), then apply options (may be NULL).
 * Relative FMU paths are tried against the folder of the file that names
 * them, then against the working directory; with `base` against that alone,
 * and only then may a location state "session:". Problems that do not hinder
 * (unknown fields, unused parameters) go to log as warnings. *out is untouched
 * on failure. When the log wants all problems (tt_log_problem), connections
 * and parameters with one are left out of *out, and an FMU whose location is
 * wrong has no path. */
TT_NODISCARD enum tt_code tt_scenario_load(tt_scenario **out,
                                           const char *const *path, size_t n,
                                           const struct tt_sc_options *o,
                                           const struct tt_log *log,
                                           tt_err *err);
/* The same from text already in memory; name is used in messages, base_dir
 * resolves relative paths. */
TT_NODISCARD enum tt_code
tt_scenario_parse(tt_scenario **out, const char *name, const char *base_dir,
                  const char *text, size_t n, const struct tt_sc_options *o,
                  const struct tt_log *log, tt_err *err);
/* Only the FMUs of the files, for callers that look at them; the rest may be
 * missing or wrong. Base and only_base as in struct tt_sc_options. */
TT_NODISCARD enum tt_code
tt_scenario_load_fmus(tt_scenario **out, const char *const *path, size_t n,
                      const char *base, int only_base, const struct tt_log *log,
                      tt_err *err);
/* A scenario of one FMU alone: key "{stem}" and instance "stem" from the file
 * name, no connections. Dots and braces in the stem become '_'. */
TT_NODISCARD enum tt_code tt_scenario_single(tt_scenario **out,
                                             const char *fmu_path,
                                             const struct tt_sc_options *o,
                                             tt_err *err);
/* Whichever of the two the paths are: scenario files, or one FMU alone. */
TT_NODISCARD enum tt_code tt_scenario_open(tt_scenario **out,
                                           const char *const *path, size_t n,
                                           const struct tt_sc_options *o,
                                           const struct tt_log *log,
                                           tt_err *err);
/* Is it an FMU: .fmu, or a folder (with a model description)? */
int tt_scenario_is_fmu(const char *path);
/* ... or a discrete-event unit in a file (.devs.json), which both run without a
 * scenario? */
int tt_scenario_is_alone(const char *path);
void tt_scenario_free(tt_scenario *s); /* accepts NULL */

/* The position of `w` as "file:line:column" into out; "command line" when it
 * is from no file. Returns out. */
const char *tt_scenario_at(const tt_scenario *s, struct tt_where w, char *out,
                           size_t size);
/* The place of a byte of an expression. */
struct tt_where tt_scenario_byte(const tt_scenario *s,
                                 const struct tt_sc_expr *e, size_t byte);
/* That of a message about it, "line:column: fact"; *message becomes the fact.
 */
struct tt_where tt_scenario_within(const tt_scenario *s,
                                   const struct tt_sc_expr *e,
                                   const char **message);
/* The same for machines; what it states of a unit stays. */
void tt_scenario_place(const tt_scenario *s, struct tt_where w,
                       struct tt_spot *p);
/* State a fact about something written in the scenario:
 * "file:line:column: fact". */
TT_PRINTF(5, 6)
enum tt_code tt_scenario_fail(const tt_scenario *s, struct tt_where w,
                              tt_err *err, enum tt_code code, const char *fmt,
                              ...);
/* The same about a variable, at which it may be shown. */
TT_PRINTF(5, 6)
enum tt_code tt_scenario_fail_ref(const tt_scenario *s,
                                  const struct tt_sc_ref *ref, tt_err *err,
                                  enum tt_code code, const char *fmt, ...);

/* As fast as it goes, with every answer waited for: what comes out does not
 * depend on the clock. */
static inline void tt_scenario_at_leisure(tt_scenario *s)
{
    s->real_time.factor = 0;
    s->n_late = 0;
}

#endif
