/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_MD_IMPL_H
#define TT_FMI_MD_IMPL_H

/* Reading a model description: what its parts share. Private to fmi/.
 *
 * The way of reading: md_attrs() puts the attributes of one element into
 * in->value, complaining about those the element does not have; then the
 * md_get_* functions turn them into values, complaining about what cannot be
 * read. Reading never stops at a finding. Running out of memory sets
 * in->nomem, and what was not allocated reads as absent.
 */

#include <stdint.h>

#include "base/buf.h"
#include "fmi/modeldesc.h"
#include "text/xml.h"

#define MD_ATTRS(X)                                                            \
    X(A, "A")                                                                  \
    X(ALIAS, "alias")                                                          \
    X(AUTHOR, "author")                                                        \
    X(CAN_BE_DEACTIVATED, "canBeDeactivated")                                  \
    X(ONCE_PER_PROCESS, "canBeInstantiatedOnlyOncePerProcess")                 \
    X(GET_SET_STATE2, "canGetAndSetFMUstate")                                  \
    X(GET_SET_STATE3, "canGetAndSetFMUState")                                  \
    X(HANDLE_EVENTS, "canHandleEvents")                                        \
    X(MULTIPLE_SET, "canHandleMultipleSetPerTimeInstant")                      \
    X(VARIABLE_STEP, "canHandleVariableCommunicationStepSize")                 \
    X(INTERPOLATE, "canInterpolateInputs")                                     \
    X(NO_MEMORY, "canNotUseMemoryManagementFunctions")                         \
    X(REJECT_STEPS, "canRejectSteps")                                          \
    X(RETURN_EARLY, "canReturnEarlyAfterIntermediateUpdate")                   \
    X(ASYNC, "canRunAsynchronuously")                                          \
    X(SERIALIZE2, "canSerializeFMUstate")                                      \
    X(SERIALIZE3, "canSerializeFMUState")                                      \
    X(SIGNAL_EVENTS, "canSignalEvents")                                        \
    X(CAUSALITY, "causality")                                                  \
    X(CD, "cd")                                                                \
    X(CLOCKS, "clocks")                                                        \
    X(STEP_NOT_NEEDED, "completedIntegratorStepNotNeeded")                     \
    X(COPYRIGHT, "copyright")                                                  \
    X(DECLARED, "declaredType")                                                \
    X(DEPENDENCIES, "dependencies")                                            \
    X(DEPENDENCIES_KIND, "dependenciesKind")                                   \
    X(DERIVATIVE, "derivative")                                                \
    X(DESCRIPTION, "description")                                              \
    X(DISPLAY_UNIT, "displayUnit")                                             \
    X(EVALUATES, "evaluates")                                                  \
    X(DISCRETE, "discrete")                                                    \
    X(FACTOR, "factor")                                                        \
    X(FIXED, "fixed")                                                          \
    X(FIXED_STEP, "fixedInternalStepSize")                                     \
    X(FMI_VERSION, "fmiVersion")                                               \
    X(GAIN, "gain")                                                            \
    X(DATE, "generationDateAndTime")                                           \
    X(TOOL, "generationTool")                                                  \
    X(GUID, "guid")                                                            \
    X(EVENT_MODE, "hasEventMode")                                              \
    X(INDEX, "index")                                                          \
    X(INITIAL, "initial")                                                      \
    X(INSTANTIATION_TOKEN, "instantiationToken")                               \
    X(INTERMEDIATE, "intermediateUpdate")                                      \
    X(INTERVAL_COUNTER, "intervalCounter")                                     \
    X(INTERVAL_DECIMAL, "intervalDecimal")                                     \
    X(INTERVAL_VARIABILITY, "intervalVariability")                             \
    X(INVERSE, "inverse")                                                      \
    X(K, "K")                                                                  \
    X(KG, "kg")                                                                \
    X(LICENSE, "license")                                                      \
    X(M, "m")                                                                  \
    X(MAX, "max")                                                              \
    X(MAX_OUTPUT_DERIVATIVE, "maxOutputDerivativeOrder")                       \
    X(MAX_SIZE, "maxSize")                                                     \
    X(MIGHT_RETURN, "mightReturnEarlyFromDoStep")                              \
    X(MIME, "mimeType")                                                        \
    X(MIN, "min")                                                              \
    X(MODEL_IDENTIFIER, "modelIdentifier")                                     \
    X(MODEL_NAME, "modelName")                                                 \
    X(MOL, "mol")                                                              \
    X(NAME, "name")                                                            \
    X(NEEDS_STEP, "needsCompletedIntegratorStep")                              \
    X(NEEDS_TOOL, "needsExecutionTool")                                        \
    X(NOMINAL, "nominal")                                                      \
    X(STATES, "numberOfContinuousStates")                                      \
    X(EVENT_INDICATORS, "numberOfEventIndicators")                             \
    X(OFFSET, "offset")                                                        \
    X(OUTPUT_FREQUENCY, "outputFrequency")                                     \
    X(PREVIOUS, "previous")                                                    \
    X(PRIORITY, "priority")                                                    \
    X(PROPAGATION_DELAY, "propagationDelay")                                   \
    X(ADJOINT, "providesAdjointDerivatives")                                   \
    X(DIRECTIONAL2, "providesDirectionalDerivative")                           \
    X(DIRECTIONAL3, "providesDirectionalDerivatives")                          \
    X(EVALUATE_DISCRETE, "providesEvaluateDiscreteStates")                     \
    X(PROVIDES_INTERMEDIATE, "providesIntermediateUpdate")                     \
    X(PER_ELEMENT, "providesPerElementDependencies")                           \
    X(QUANTITY, "quantity")                                                    \
    X(RAD, "rad")                                                              \
    X(REACTIVITY, "reactivity")                                                \
    X(SMOOTHNESS, "recommendedIntermediateInputSmoothness")                    \
    X(REINIT, "reinit")                                                        \
    X(RELATIVE, "relativeQuantity")                                            \
    X(RESOLUTION, "resolution")                                                \
    X(S, "s")                                                                  \
    X(SHIFT_COUNTER, "shiftCounter")                                           \
    X(SHIFT_DECIMAL, "shiftDecimal")                                           \
    X(SHORTEST_REACTION, "shortestReaction")                                   \
    X(START, "start")                                                          \
    X(START_TIME, "startTime")                                                 \
    X(STEP_SIZE, "stepSize")                                                   \
    X(STOP_TIME, "stopTime")                                                   \
    X(SUPPORTS_FRACTION, "supportsFraction")                                   \
    X(TEXT, "text")                                                            \
    X(TOLERANCE, "tolerance")                                                  \
    X(TYPE, "type")                                                            \
    X(UNBOUNDED, "unbounded")                                                  \
    X(UNIT, "unit")                                                            \
    X(VALUE, "value")                                                          \
    X(VALUE_REFERENCE, "valueReference")                                       \
    X(VARIABILITY, "variability")                                              \
    X(NAMING, "variableNamingConvention")                                      \
    X(VERSION, "version")

enum md_attr {
#define X(id, text) MD_##id,
    MD_ATTRS(X)
#undef X
        MD_ATTR_N
};

/* Lists of attributes end with this. */
#define MD_END MD_ATTR_N

/* Value reference to variable: open addressing, key (type group, vr). */
struct tt_md_vrs {
    struct md_vr {
        uint64_t key; /* and 1, so that 0 is empty */
        uint32_t var;
    } * at;        /* owned */
    size_t n, cap; /* cap is a power of two */
};

struct md_dims {
    struct tt_md_dim *item;
};

struct md_in {
    struct tt_md *md;
    struct tt_findings *f; /* borrowed from md */
    struct tt_md_var *var; /* the same as md->var, not yet const */
    struct md_dims *dim;   /* of each variable, FMI 3; not yet const */
    const char *attr_name[MD_ATTR_N]; /* interned: compare addresses */
    const char *value[MD_ATTR_N];     /* of the current element, NULL: absent */
    const char *element;              /* name of the current element */
    int line;                         /* of the current element */
    int nomem;
    struct tt_names units, types; /* owned; name to index */
    struct tt_names displays;     /* owned; "unit\ndisplay" to index */
    struct tt_buf scratch;        /* owned */
};

/* md_xml.c */
const char *md_attr_name(enum md_attr a);
int md_is(const struct tt_xml_node *node, const char *name);
/* Children named so; all when name is NULL. */
uint32_t md_count(const struct tt_xml_node *parent, const char *name);
/* The first child named so, and the next sibling of the same name, or NULL. */
const struct tt_xml_node *md_first(const struct tt_xml_node *parent,
                                   const char *name);
const struct tt_xml_node *md_next(const struct tt_xml_node *node);
void md_unknown_element(struct md_in *in, const struct tt_xml_node *node);
/* Complain about every child element that is none of names (NULL at end). */
void md_only(struct md_in *in, const struct tt_xml_node *parent,
             const char *const *names);
void md_attrs(struct md_in *in, const struct tt_xml_node *node,
              const uint8_t *allowed);
/* Zeroed arena memory, NULL when n is 0 or memory ran out. */
void *md_alloc(struct md_in *in, size_t n, size_t size);
/* The same for as many as there are children named so. */
void *md_alloc_for(struct md_in *in, const struct tt_xml_node *parent,
                   const char *name, size_t size);

/* Add to a map; 1 when the name was there already, else 0. */
int md_name_add(struct md_in *in, struct tt_names *m, const char *name,
                uint32_t index);

/* 1 and *v set when there and readable, else 0 and *v untouched. */
int md_get_f64(struct md_in *in, enum md_attr a, double *v);
int md_get_u32(struct md_in *in, enum md_attr a, uint32_t *v);
int md_get_i32(struct md_in *in, enum md_attr a, int32_t *v);
int md_get_u64(struct md_in *in, enum md_attr a, uint64_t *v);
int md_get_i64(struct md_in *in, enum md_attr a, int64_t *v);
int md_get_bool(struct md_in *in, enum md_attr a, int *v);
/* Index of the word among `words` (NULL entries are skipped). */
int md_get_word(struct md_in *in, enum md_attr a, const char *const *words,
                size_t n, unsigned *v);
/* Copy in the arena, or NULL. */
const char *md_get_text(struct md_in *in, enum md_attr a);
/* Complain when it is absent; 1 when there. */
int md_need(struct md_in *in, enum md_attr a);
/* What has a name, and may have a description. */
void md_named(struct md_in *in, const char **name, const char **description,
              int *line);
/* A blank-separated list: the next token, or NULL at the end. */
const char *md_token(const char **list, size_t *n);
size_t md_token_count(const char *list);
void md_bad_value(struct md_in *in, enum md_attr a, const char *what);

/* md_words.c: the words of the standard, by enum. */
extern const char *const md_evaluates_words[TT_MD_EVALUATES_N];
extern const char *const md_reactivity_words[TT_MD_REACTIVITY_N];

/* FMI 2.0.5, 2.2.7 and FMI 3.0.2, 2.4.7.5: which values of `initial` a
 * combination allows (bits 1 << enum tt_initial) and which is the default.
 * mask 0: the combination itself is not allowed. */
struct md_initial_rule {
    unsigned mask;
    enum tt_initial preset;
};
struct md_initial_rule md_initial_rule(enum tt_md_version version,
                                       enum tt_causality causality,
                                       enum tt_variability variability);

/* md_vrs.c */
/* 0; 1 when it was there (stays); -1 out of memory. */
int md_vrs_add(struct tt_md_vrs *m, unsigned group, uint32_t vr, uint32_t var);
uint32_t md_vrs_find(const struct tt_md_vrs *m, unsigned group, uint32_t vr);
unsigned md_vr_group(enum tt_md_version version, enum tt_type type);

/* md_units.c, md_types.c */
void md_read_units(struct md_in *in, const struct tt_xml_node *node);
void md_read_types(struct md_in *in, const struct tt_xml_node *node);
void md_resolve_unit(struct md_in *in, struct tt_md_var *v);
void md_read_range(struct md_in *in, enum tt_type type, struct tt_md_range *r);
void md_merge_range(struct tt_md_range *r, const struct tt_md_range *type);
/* c holds the declared type's clock, or zeros; what is stated here wins. */
void md_read_clock(struct md_in *in, struct tt_md_clock *c);
/* Types that have the same attributes. */
enum md_family {
    MD_OF_REAL,
    MD_OF_INTEGER,
    MD_OF_BOOLEAN,
    MD_OF_TEXT,
    MD_OF_BINARY,
    MD_OF_CLOCK,
    MD_FAMILIES
};
enum md_family md_family_of(enum tt_type type);
/* TT_TYPE_N when the element is of no type of this version. `suffix` is "Type"
 * for the type definitions of FMI 3. */
enum tt_type md_type_of(enum tt_md_version version, const char *element,
                        const char *suffix);

/* Attributes that variables and type definitions share, for attribute lists. */
#define MD_REAL_ATTRS                                                          \
    MD_QUANTITY, MD_UNIT, MD_DISPLAY_UNIT, MD_RELATIVE, MD_UNBOUNDED, MD_MIN,  \
        MD_MAX, MD_NOMINAL
#define MD_INTEGER_ATTRS MD_QUANTITY, MD_MIN, MD_MAX
#define MD_BINARY_ATTRS  MD_MIME, MD_MAX_SIZE
#define MD_CLOCK_ATTRS                                                         \
    MD_CAN_BE_DEACTIVATED, MD_PRIORITY, MD_INTERVAL_VARIABILITY,               \
        MD_INTERVAL_DECIMAL, MD_SHIFT_DECIMAL, MD_SUPPORTS_FRACTION,           \
        MD_RESOLUTION, MD_INTERVAL_COUNTER, MD_SHIFT_COUNTER

/* md_start.c */
void md_read_start(struct md_in *in, struct tt_md_var *v);
void md_read_start_elements(struct md_in *in, const struct tt_xml_node *node,
                            struct tt_md_var *v);

/* md_vars.c: common to all versions. */
void md_begin_vars(struct md_in *in, uint32_t n);
/* Name, description, value reference. */
void md_read_var_name(struct md_in *in, struct tt_md_var *v, uint32_t index);
/* The same and the words of FMI 2 and 3. */
void md_read_var_common(struct md_in *in, struct tt_md_var *v, uint32_t index);
void md_read_declared(struct md_in *in, struct tt_md_var *v);
void md_set_defaults(struct md_in *in, struct tt_md_var *v);

/* md_fmi1.c, md_fmi2.c, md_fmi3.c, md_structure.c, md_annotations.c */
/* <Real> and so on in a <ScalarVariable>; NULL, with a finding: none. Other
 * elements than `besides` are complained about. */
const struct tt_xml_node *md_find_type(struct md_in *in,
                                       const struct tt_xml_node *node,
                                       const char *besides,
                                       struct tt_md_var *v);
/* Call read for each <ScalarVariable>, once there is room for them. */
void md_read_scalars(struct md_in *in, const struct tt_xml_node *node,
                     void (*read)(struct md_in *in,
                                  const struct tt_xml_node *node,
                                  uint32_t index));
void md_read_vars1(struct md_in *in, const struct tt_xml_node *node);
void md_read_implementation(struct md_in *in, const struct tt_xml_node *root);
void md_read_vars2(struct md_in *in, const struct tt_xml_node *node);
void md_read_vars3(struct md_in *in, const struct tt_xml_node *node);
void md_read_structure2(struct md_in *in, const struct tt_xml_node *node);
void md_read_structure3(struct md_in *in, const struct tt_xml_node *node);
void md_read_annotations(struct md_in *in, const struct tt_xml_node *root);
void md_read_cs(struct md_in *in, const struct tt_xml_node *node);
void md_read_cs_flags(struct md_in *in, struct tt_md_interface *i);
void md_read_me(struct md_in *in, const struct tt_xml_node *node);
void md_read_se(struct md_in *in, const struct tt_xml_node *node);

#endif
