/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_MODELDESC_H
#define TT_FMI_MODELDESC_H

/* A model description (modelDescription.xml) of FMI 1.0, 2.0.x or 3.0.x as
 * one immutable tree in one arena. All versions give the same structures; what
 * one of them does not have keeps its default. The words of FMI 1 become those
 * of FMI 2 (md_fmi1.c).
 *
 * Everything is resolved: types are merged into their variables, the defaults
 * of the standard are filled in, references are indices into `var`. An index
 * that refers to nothing is TT_NONE. Strings are UTF-8; a missing attribute
 * is NULL.
 *
 * Immutable after parsing: any number of threads may read it.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/role.h"
#include "base/value.h"
#include "text/finding.h"

#define TT_MD_MAX_BYTES ((size_t)1 << 30)   /* largest description read */
#define TT_MD_MAX_SIZE  (UINT64_C(1) << 32) /* largest array, in elements */

enum tt_md_version {
    TT_FMI_1 = 1,
    TT_FMI_2 = 2,
    TT_FMI_3 = 3,
};

/* Tutti's own annotations. */
enum tt_md_evaluates {
    TT_MD_EVALUATES_UNDECLARED,
    TT_MD_EVALUATES_ALWAYS, /* outputs follow inputs without a step */
    TT_MD_EVALUATES_EVENT,  /* only in event mode */
    TT_MD_EVALUATES_NEVER,
    TT_MD_EVALUATES_N
};
enum tt_md_reactivity {
    TT_MD_REACTIVITY_UNDECLARED,
    TT_MD_REACTIVE,
    TT_MD_DELAYED,
    TT_MD_EITHER,
    TT_MD_REACTIVITY_N
};

/* Seven SI base units and the radian. */
enum tt_md_base_unit {
    TT_MD_KG,
    TT_MD_M,
    TT_MD_S,
    TT_MD_A,
    TT_MD_K,
    TT_MD_MOL,
    TT_MD_CD,
    TT_MD_RAD,
    TT_MD_BASE_UNIT_N
};

/* display value = factor * value + offset, or factor / value if inverse. */
struct tt_md_display_unit {
    const char *name;
    double factor, offset;
    int inverse;
    int line;
};

/* value in base units = factor * value + offset. */
struct tt_md_unit {
    const char *name;
    int has_base; /* without one, only equal names are compatible */
    int exponent[TT_MD_BASE_UNIT_N];
    double factor, offset;
    const struct tt_md_display_unit *display;
    uint32_t display_n;
    int line;
};

struct tt_md_item { /* of an enumeration */
    const char *name, *description;
    int64_t value;
    int line;
};

struct tt_md_clock {
    enum tt_interval interval;
    int can_be_deactivated, supports_fraction;
    int has_priority, has_interval_decimal, has_resolution, has_counter;
    uint32_t priority;
    double interval_decimal, shift_decimal; /* seconds */
    uint64_t resolution, interval_counter, shift_counter;
};

/* What a type definition and a variable have in common. */
enum tt_md_range_has {
    TT_MD_HAS_MIN = 1 << 0,
    TT_MD_HAS_MAX = 1 << 1,
    TT_MD_HAS_NOMINAL = 1 << 2,
    TT_MD_HAS_RELATIVE = 1 << 3,
    TT_MD_HAS_UNBOUNDED = 1 << 4,
};
struct tt_md_range {
    unsigned has;             /* enum tt_md_range_has: stated in the file */
    double min, max, nominal; /* defaults -inf, inf, 1 */
    int relative, unbounded;
    const char *quantity;
    const char *unit_name;    /* as written */
    const char *display_name; /* as written */
};

struct tt_md_type {
    const char *name, *description;
    enum tt_type type; /* of its version: BOOL32 and ENUM32 in FMI 2 */
    struct tt_md_range range;
    const struct tt_md_item *item;
    uint32_t item_n;
    const char *mime;  /* BinaryType */
    uint64_t max_size; /* 0: not given */
    struct tt_md_clock clock;
    int line;
};

struct tt_md_dim {
    uint32_t var;   /* structural parameter that gives the size, or TT_NONE */
    uint64_t start; /* fixed size, or the structural parameter's start */
};

struct tt_md_alias {
    const char *name, *description, *display_name;
    int line;
};

/* A start value of type String or Binary. s is NUL-terminated as well. */
struct tt_md_bytes {
    const char *s;
    size_t n;
};

enum tt_md_var_has {
    TT_MD_GIVEN_VR = 1 << 0,
    TT_MD_GIVEN_CAUSALITY = 1 << 1,
    TT_MD_GIVEN_VARIABILITY = 1 << 2,
    TT_MD_GIVEN_INITIAL = 1 << 3,
    TT_MD_GIVEN_START = 1 << 4,
    TT_MD_GIVEN_MULTISET = 1 << 5,
    TT_MD_GIVEN_DERIVATIVE = 1 << 6,
    TT_MD_GIVEN_REINIT = 1 << 7,
    TT_MD_GIVEN_PREVIOUS = 1 << 8,
    TT_MD_GIVEN_CLOCKS = 1 << 9,
    TT_MD_GIVEN_INTERMEDIATE = 1 << 10,
    TT_MD_GIVEN_MIME = 1 << 11,
    TT_MD_GIVEN_NAME = 1 << 12,
    TT_MD_GIVEN_TYPE = 1 << 13, /* declaredType, found or not */
};

struct tt_md_var {
    const char *name, *description;
    uint32_t vr;
    enum tt_type type;
    enum tt_causality causality;
    enum tt_variability variability;
    enum tt_initial initial;
    unsigned given; /* enum tt_md_var_has: what the file states explicitly */

    /* Declared type merged in; what the variable states wins. */
    const struct tt_md_type *declared; /* NULL when none */
    struct tt_md_range range;
    const struct tt_md_unit *unit;            /* NULL: none or not defined */
    const struct tt_md_display_unit *display; /* NULL: none or not defined */

    /* Start values, in row-major order: start_n elements of the native type
     * `type`, or for TEXT and BYTES start_n of start_bytes. start_n is 0 when
     * the file has none, else `size`, or 1 for an array whose elements all
     * start with that value. (A wrong number is a finding of md_check.) */
    const void *start;
    const struct tt_md_bytes *start_bytes;
    uint64_t start_n;

    const struct tt_md_dim *dim; /* dim_n = 0: scalar */
    uint32_t dim_n;
    uint64_t size; /* elements, with structural parameters at their start */

    uint32_t derivative_of; /* this is the time derivative of that variable */
    uint32_t previous;      /* this is a clocked state; that is its previous */
    const uint32_t *clock;  /* clocks this variable belongs to */
    uint32_t clock_n;
    int reinit;
    int multiple_set; /* canHandleMultipleSetPerTimeInstant, default true */
    int intermediate_update;
    int negated; /* FMI 1, negatedAlias: minus (or not) what its reference has
                  */
    const struct tt_md_alias *alias; /* FMI 3: further names of this variable */
    uint32_t alias_n;
    const char *mime;                 /* Binary */
    uint64_t max_size;                /* Binary: 0 when not given */
    struct tt_md_clock clk;           /* Clock */
    enum tt_md_reactivity reactivity; /* Tutti annotation */
    int line;
};

/* One unknown of the model structure. `known` 0: the file does not state what
 * it depends on, so it may depend on everything. */
struct tt_md_unknown {
    uint32_t var;
    int known;
    const uint32_t *dep;          /* variables, in file order */
    const enum tt_dep_kind *kind; /* dep_n of them; DEPENDENT when not given */
    uint32_t dep_n;
    int kinds_given;
    int line;
};
struct tt_md_unknowns {
    const struct tt_md_unknown *item;
    uint32_t n;
    int line; /* 0: the element is missing */
};

/* One interface type and its capability flags. */
struct tt_md_interface {
    int present;
    const char *model_identifier;
    int needs_execution_tool;
    int once_per_process;
    int no_memory_functions; /* FMI 1 and 2 */
    int get_set_state, serialize_state;
    int directional_derivatives;
    int adjoint_derivatives, per_element_dependencies; /* FMI 3 */
    /* Co-Simulation */
    int variable_step;
    int interpolate_inputs, run_async; /* FMI 1 and 2 */
    uint32_t max_output_derivative;    /* order; 0: none */
    int has_fixed_internal_step;       /* FMI 3, as all below */
    double fixed_internal_step;        /* seconds */
    int32_t input_smoothness;          /* recommended */
    int intermediate_update;
    int might_return_early, can_return_early;
    int event_mode;
    int evaluate_discrete_states; /* also Model Exchange */
    /* Model Exchange */
    int needs_completed_step;
    const char *const *source; /* FMI 2 SourceFiles */
    uint32_t source_n;
    int line;
};

struct tt_md_experiment {
    int has_start, has_stop, has_tolerance, has_step;
    double start, stop, tolerance, step;
    int line; /* 0: no DefaultExperiment */
};

struct tt_md_category {
    const char *name, *description;
    int line;
};

struct tt_md {
    enum tt_md_version version;
    const char *fmi_version; /* as written: "2.0", "3.0.1" */
    const char *model_name, *description, *author, *model_version, *copyright,
        *license, *generation_tool, *generation_date;
    const char *token; /* guid, in FMI 3 instantiationToken */
    int structured_names;
    uint32_t event_indicator_n; /* FMI 1 and 2 */
    uint32_t state_n;           /* FMI 1: continuous states */

    struct tt_md_interface cs, me, se;
    struct tt_md_experiment experiment;

    const struct tt_md_category *category;
    uint32_t category_n;
    const struct tt_md_unit *unit;
    uint32_t unit_n;
    const struct tt_md_type *type;
    uint32_t type_n;
    const struct tt_md_var *var; /* in file order; FMI 2 index - 1 */
    uint32_t var_n;

    struct tt_md_unknowns output, derivative, clocked_state, initial_unknown,
        event_indicator;
    int has_structure; /* the ModelStructure element is there */
    int line;          /* of the root element */

    enum tt_md_evaluates evaluates; /* Tutti annotation */
    int discrete;                   /* ... it is a discrete-event unit */
    /* Of the same, s, s and Hz; 0: not stated. */
    double propagation_delay, shortest_reaction, output_frequency;

    struct tt_findings findings; /* of reading; md_check finds the rest */
    tt_arena *arena;             /* owned: everything above */
    struct tt_names names;       /* owned: variable and alias names */
    struct tt_md_vrs *vrs;       /* private: value reference to variable */
};

/* Read a description. TT_OK also with findings: look at (*md)->findings, and
 * use tt_findings_fail() before simulating. Fails on what is not a model
 * description of a supported version at all. */
TT_NODISCARD enum tt_code tt_md_parse(struct tt_md **md, const void *xml,
                                      size_t n, tt_err *err);
void tt_md_free(struct tt_md *md); /* accepts NULL */

/* Index of the variable of that name (or alias), or TT_NONE. */
uint32_t tt_md_find(const struct tt_md *md, const char *name);

/* The words of the standard. */
/* Element name of the variable in its file: "Real" or "Float64", ... */
const char *tt_md_type_name(const struct tt_md *md, enum tt_type t);
/* "Co-Simulation and Model Exchange": which interface types there are. Text is
 * static. */
const char *tt_md_interfaces(const struct tt_md *md);

#endif
