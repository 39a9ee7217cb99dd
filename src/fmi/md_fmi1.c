/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

/* What only descriptions of FMI 1.0 have: <Implementation>, which reports
 * co-simulation from model exchange, and variables whose words differ.
 *
 * Causality and variability become those of FMI 2: a parameter is an internal
 * variable of variability "parameter", calculated when it has no start value;
 * `fixed` distinguishes an exact start value from a guess. */

/* --- <Implementation> ----------------------------------------------------- */

/* <CoSimulation_StandAlone> or <CoSimulation_Tool>. */
static void read_co_simulation(struct md_in *in, const struct tt_xml_node *node,
                               struct tt_md_interface *i)
{
    static const uint8_t allowed[] = {MD_VARIABLE_STEP,
                                      MD_HANDLE_EVENTS,
                                      MD_REJECT_STEPS,
                                      MD_INTERPOLATE,
                                      MD_MAX_OUTPUT_DERIVATIVE,
                                      MD_ASYNC,
                                      MD_SIGNAL_EVENTS,
                                      MD_ONCE_PER_PROCESS,
                                      MD_NO_MEMORY,
                                      MD_END};
    static const char *const children[] = {"Capabilities", "Model", NULL};

    i->line = node->line;
    i->needs_execution_tool = md_is(node, "CoSimulation_Tool");
    md_only(in, node, children);
    for (const struct tt_xml_node *e = md_first(node, "Capabilities"); e;
         e = md_next(e)) {
        md_attrs(in, e, allowed);
        (void)md_get_bool(in, MD_ONCE_PER_PROCESS, &i->once_per_process);
        (void)md_get_bool(in, MD_NO_MEMORY, &i->no_memory_functions);
        md_read_cs_flags(in, i);
    }
}

/* The attributes are the root's when this is called. */
void md_read_implementation(struct md_in *in, const struct tt_xml_node *root)
{
    static const char *const children[] = {"CoSimulation_StandAlone",
                                           "CoSimulation_Tool", NULL};
    const char *identifier = md_need(in, MD_MODEL_IDENTIFIER)
                                 ? md_get_text(in, MD_MODEL_IDENTIFIER)
                                 : NULL;
    struct tt_md_interface *i = &in->md->me;

    in->md->me.line = in->line;
    in->md->me.needs_completed_step = 1;
    for (const struct tt_xml_node *e = md_first(root, "Implementation"); e;
         e = md_next(e)) {
        i = &in->md->cs;
        i->line = e->line;
        md_only(in, e, children);
        for (const struct tt_xml_node *c = e->children; c; c = c->next)
            read_co_simulation(in, c, i);
    }
    i->present = 1;
    i->model_identifier = identifier;
}

/* --- variables ------------------------------------------------------------ */

static const uint8_t *attrs_of(enum tt_type type)
{
    static const uint8_t real[] = {MD_DECLARED, MD_REAL_ATTRS, MD_START,
                                   MD_FIXED, MD_END};
    static const uint8_t integer[] = {MD_DECLARED, MD_INTEGER_ATTRS, MD_START,
                                      MD_FIXED, MD_END};
    static const uint8_t plain[] = {MD_DECLARED, MD_START, MD_FIXED, MD_END};

    if (type == TT_F64)
        return real;
    return type == TT_I32 || type == TT_ENUM32 ? integer : plain;
}

enum causality { INTERNAL, INPUT, OUTPUT, NONE, CAUSALITY_N };
enum variability { CONSTANT, PARAMETER, DISCRETE, CONTINUOUS, VARIABILITY_N };
enum alias { NO_ALIAS, ALIAS, NEGATED_ALIAS, ALIAS_N };

struct words {
    unsigned causality, variability, alias;
};

static struct words read_words(struct md_in *in)
{
    static const char *const causality[] = {"internal", "input", "output",
                                            "none"};
    static const char *const variability[] = {"constant", "parameter",
                                              "discrete", "continuous"};
    static const char *const alias[] = {"noAlias", "alias", "negatedAlias"};
    struct words w = {INTERNAL, CONTINUOUS, NO_ALIAS};

    (void)md_get_word(in, MD_CAUSALITY, causality, CAUSALITY_N, &w.causality);
    (void)md_get_word(in, MD_VARIABILITY, variability, VARIABILITY_N,
                      &w.variability);
    (void)md_get_word(in, MD_ALIAS, alias, ALIAS_N, &w.alias);
    return w;
}

/* "continuous", the default, is stated of integers too. */
static enum tt_variability variability_of(const struct tt_md_var *v,
                                          const struct words *w)
{
    if (w->variability == CONSTANT)
        return v->causality == TT_CAUS_INPUT ? TT_VAR_DISCRETE
                                             : TT_VAR_CONSTANT;
    if (v->causality == TT_CAUS_PARAMETER || v->causality == TT_CAUS_CALCULATED)
        return TT_VAR_FIXED;
    return w->variability == CONTINUOUS && tt_type_is_float(v->type)
               ? TT_VAR_CONTINUOUS
               : TT_VAR_DISCRETE;
}

static void set_words(struct md_in *in, struct tt_md_var *v,
                      const struct words *w)
{
    int start = (v->given & TT_MD_GIVEN_START) != 0, fixed = 1;

    (void)md_get_bool(in, MD_FIXED, &fixed);
    v->negated = w->alias == NEGATED_ALIAS;
    if (w->causality == INPUT)
        v->causality = TT_CAUS_INPUT;
    else if (w->causality == OUTPUT)
        v->causality = TT_CAUS_OUTPUT;
    else if (w->variability == PARAMETER && w->alias == NO_ALIAS)
        v->causality = start ? TT_CAUS_PARAMETER : TT_CAUS_CALCULATED;
    v->variability = variability_of(v, w);
    v->given |= TT_MD_GIVEN_CAUSALITY | TT_MD_GIVEN_VARIABILITY;
    if (v->causality == TT_CAUS_INPUT)
        v->initial = TT_INIT_NONE;
    else if (v->variability == TT_VAR_CONSTANT)
        v->initial = TT_INIT_EXACT;
    else if (start && w->alias == NO_ALIAS)
        v->initial = fixed ? TT_INIT_EXACT : TT_INIT_APPROX;
    else
        v->initial = TT_INIT_CALCULATED;
}

static void read_var(struct md_in *in, const struct tt_xml_node *node,
                     uint32_t index)
{
    static const uint8_t allowed[] = {
        MD_NAME,        MD_VALUE_REFERENCE, MD_DESCRIPTION, MD_CAUSALITY,
        MD_VARIABILITY, MD_ALIAS,           MD_END};
    struct tt_md_var *v = &in->var[index];
    const struct tt_xml_node *type;
    struct words w;

    md_attrs(in, node, allowed);
    md_read_var_name(in, v, index);
    w = read_words(in);
    type = md_find_type(in, node, "DirectDependency", v);
    if (type) {
        md_attrs(in, type, attrs_of(v->type));
        md_read_range(in, v->type, &v->range);
        md_read_declared(in, v);
        md_read_start(in, v);
        md_resolve_unit(in, v);
    }
    set_words(in, v, &w);
    if ((v->given & TT_MD_GIVEN_VR) &&
        md_vrs_add(in->md->vrs, md_vr_group(TT_FMI_1, v->type), v->vr, index) <
            0)
        in->nomem = 1;
}

/* --- <DirectDependency> --------------------------------------------------- */

static void read_deps(struct md_in *in, const struct tt_xml_node *node,
                      struct tt_md_unknown *u)
{
    static const uint8_t allowed[] = {MD_TEXT, MD_END};
    static const char *const children[] = {"Name", NULL};
    uint32_t n = md_count(node, "Name");
    uint32_t *dep = md_alloc(in, n, sizeof(*dep));

    md_only(in, node, children);
    u->kind = md_alloc(in, n, sizeof(*u->kind));
    u->dep = dep;
    u->known = 1;
    for (const struct tt_xml_node *e = md_first(node, "Name");
         e && dep && u->kind; e = md_next(e)) {
        const char *name;

        md_attrs(in, e, allowed);
        name = in->value[MD_TEXT] ? in->value[MD_TEXT] : "";
        dep[u->dep_n] = tt_md_find(in->md, name);
        if (dep[u->dep_n] != TT_NONE) {
            u->dep_n++;
            continue;
        }
        tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-STRUCT-DEPENDENCY",
                        "dependency '%s' of '%s' is not a variable; it is "
                        "taken to depend on everything",
                        name, in->var[u->var].name);
        u->known = 0;
        u->dep_n = 0;
        return;
    }
}

static void read_unknown(struct md_in *in, const struct tt_xml_node *node,
                         struct tt_md_unknown *u)
{
    const struct tt_xml_node *e = md_first(node, "DirectDependency");

    for (; e && !u->known; e = md_next(e))
        read_deps(in, e, u);
}

/* What outputs depend on. Of all other unknowns FMI 1 states nothing. */
static void read_outputs(struct md_in *in, const struct tt_xml_node *node)
{
    struct tt_md *md = in->md;
    struct tt_md_unknown *item;
    uint32_t n = 0, i = 0;

    for (uint32_t k = 0; k < md->var_n; k++)
        n += in->var[k].causality == TT_CAUS_OUTPUT;
    item = md_alloc(in, n, sizeof(*item));
    for (const struct tt_xml_node *e = md_first(node, "ScalarVariable");
         e && item; e = md_next(e)) {
        struct tt_md_unknown *u = &item[md->output.n];

        if (in->var[i].causality == TT_CAUS_OUTPUT) {
            *u = (struct tt_md_unknown){.var = i, .line = e->line};
            read_unknown(in, e, u);
            md->output.n++;
        }
        i++;
    }
    md->output.item = item;
    md->output.line = node->line;
}

void md_read_vars1(struct md_in *in, const struct tt_xml_node *node)
{
    md_read_scalars(in, node, read_var);
    if (in->var)
        read_outputs(in, node);
}
