/* SPDX-License-Identifier: MIT */
#include "fmi/md_check_impl.h"

/* The model structure (FMI 2.0.5, 2.2.8; FMI 3.0.2, 2.4.8). */

static const char *list_name(const struct md_check *c,
                             const struct tt_md_unknowns *u)
{
    const struct tt_md *md = c->md;
    int two = md->version == TT_FMI_2;

    if (u == &md->output)
        return two ? "Outputs" : "Output";
    if (u == &md->derivative)
        return two ? "Derivatives" : "ContinuousStateDerivative";
    if (u == &md->initial_unknown)
        return two ? "InitialUnknowns" : "InitialUnknown";
    return u == &md->clocked_state ? "ClockedState" : "EventIndicator";
}

static void mark(struct md_check *c, const struct tt_md_unknowns *u,
                 enum md_role role)
{
    for (uint32_t i = 0; i < u->n; i++) {
        uint8_t *r = &c->role[u->item[i].var];

        if (*r & role)
            MD_ERR(c, u->item[i].line, "FMI-STRUCT-DUPLICATE",
                   "variable '%s' is listed twice in <%s>",
                   c->md->var[u->item[i].var].name, list_name(c, u));
        *r |= (uint8_t)role;
    }
}

void md_find_roles(struct md_check *c)
{
    const struct tt_md *md = c->md;

    mark(c, &md->output, MD_ROLE_OUTPUT);
    mark(c, &md->derivative, MD_ROLE_DERIVATIVE);
    mark(c, &md->initial_unknown, MD_ROLE_INITIAL);
    mark(c, &md->clocked_state, MD_ROLE_CLOCKED);
    mark(c, &md->event_indicator, MD_ROLE_EVENT);
    for (uint32_t i = 0; i < md->derivative.n; i++) {
        uint32_t state = md->var[md->derivative.item[i].var].derivative_of;

        if (state != TT_NONE)
            c->role[state] |= MD_ROLE_STATE;
    }
}

/* --- what must be listed ------------------------------------------------ */

static int has_derivative(const struct tt_md_var *v)
{
    return v->derivative_of != TT_NONE;
}

static int is_clocked(const struct tt_md_var *v)
{
    return v->previous != TT_NONE && (v->given & TT_MD_GIVEN_CLOCKS);
}

static int is_indicator(const struct tt_md_var *v)
{
    return tt_type_is_float(v->type) && v->variability == TT_VAR_CONTINUOUS;
}

static void check_each(struct md_check *c, const struct tt_md_unknowns *u,
                       int (*is_right)(const struct tt_md_var *v),
                       const char *rule, const char *what, const char *why)
{
    for (uint32_t i = 0; i < u->n; i++) {
        const struct tt_md_var *v = &c->md->var[u->item[i].var];

        if (!is_right(v))
            MD_ERR(c, u->item[i].line, rule, "%s '%s' %s", what, v->name, why);
    }
}

static void check_listed(struct md_check *c)
{
    const struct tt_md *md = c->md;

    for (uint32_t i = 0; i < md->output.n; i++) {
        const struct tt_md_var *v = &md->var[md->output.item[i].var];

        if (v->causality != TT_CAUS_OUTPUT)
            MD_ERR(c, md->output.item[i].line, "FMI-STRUCT-OUTPUT",
                   "variable '%s' is listed as an output but is %s", v->name,
                   tt_causality_name(v->causality));
    }
    check_each(c, &md->derivative, has_derivative, "FMI-STRUCT-DERIVATIVE",
               "variable",
               "is listed as a state derivative but has no "
               "attribute 'derivative'");
    check_each(c, &md->clocked_state, is_clocked, "FMI3-STRUCT-CLOCKED",
               "clocked state", "needs the attributes 'previous' and 'clocks'");
    check_each(c, &md->event_indicator, is_indicator, "FMI3-STRUCT-EVENT",
               "event indicator", "must be a continuous float");
}

/* -1 must not be, 0 may be, 1 must be among the initial unknowns. */
static int initial_unknown(const struct md_check *c, uint32_t i)
{
    const struct tt_md_var *v = &c->md->var[i];
    int solved =
        v->initial == TT_INIT_APPROX || v->initial == TT_INIT_CALCULATED;
    int clocked = (v->given & TT_MD_GIVEN_CLOCKS) || v->type == TT_CLOCK;

    if (clocked)
        return 0; /* FMI 3: if the FMU wishes */
    if (v->causality == TT_CAUS_CALCULATED)
        return 1;
    if (!solved)
        return -1;
    return v->causality == TT_CAUS_OUTPUT ||
                   c->role[i] & (MD_ROLE_STATE | MD_ROLE_DERIVATIVE)
               ? 1
               : -1;
}

static void check_complete(struct md_check *c)
{
    for (uint32_t i = 0; i < c->md->var_n; i++) {
        const struct tt_md_var *v = &c->md->var[i];
        unsigned role = c->role[i];

        if (v->causality == TT_CAUS_OUTPUT && !(role & MD_ROLE_OUTPUT))
            MD_ERR(c, v->line, "FMI-STRUCT-OUTPUT",
                   "output '%s' is not listed in <ModelStructure>", v->name);
        if (v->previous != TT_NONE && !(role & MD_ROLE_CLOCKED))
            MD_ERR(c, v->line, "FMI3-STRUCT-CLOCKED",
                   "clocked state '%s' is not listed in <ModelStructure>",
                   v->name);
        if (role & MD_ROLE_STATE && v->causality != TT_CAUS_LOCAL &&
            v->causality != TT_CAUS_OUTPUT)
            MD_ERR(c, v->line, "FMI-STRUCT-STATE",
                   "continuous state '%s' must be local or output, not %s",
                   v->name, tt_causality_name(v->causality));
        if (initial_unknown(c, i) > 0 && !(role & MD_ROLE_INITIAL))
            MD_ERR(c, v->line, "FMI-STRUCT-INITIAL",
                   "variable '%s' is missing among the initial unknowns",
                   v->name);
    }
}

static void check_initial(struct md_check *c)
{
    const struct tt_md_unknowns *u = &c->md->initial_unknown;

    for (uint32_t i = 0; i < u->n; i++) {
        const struct tt_md_unknown *x = &u->item[i];

        if (initial_unknown(c, x->var) < 0)
            MD_ERR(c, x->line, "FMI-STRUCT-INITIAL",
                   "variable '%s' must not be among the initial unknowns",
                   c->md->var[x->var].name);
        if (c->md->version == TT_FMI_2 && i > 0 && x->var < u->item[i - 1].var)
            MD_ERR(c, x->line, "FMI2-STRUCT-ORDER",
                   "initial unknowns must be ordered by index: '%s' comes too "
                   "late",
                   c->md->var[x->var].name);
    }
}

/* --- dependencies ------------------------------------------------------- */

static int is_known(const struct md_check *c, uint32_t i, int initial)
{
    const struct tt_md_var *v = &c->md->var[i];

    if (v->causality == TT_CAUS_INPUT || v->causality == TT_CAUS_INDEPENDENT)
        return 1;
    if (initial)
        return v->initial == TT_INIT_EXACT || v->type == TT_CLOCK;
    if (c->role[i] & MD_ROLE_STATE)
        return 1;
    /* FMI 3 adds parameters and discrete states, which are any discrete
     * variables. */
    return c->md->version == TT_FMI_3 && (v->causality == TT_CAUS_PARAMETER ||
                                          v->causality == TT_CAUS_STRUCTURAL ||
                                          v->variability == TT_VAR_DISCRETE);
}

static void check_deps(struct md_check *c, const struct tt_md_unknown *x,
                       int initial)
{
    const struct tt_md_var *v = &c->md->var[x->var];

    for (uint32_t k = 0; k < x->dep_n; k++) {
        const char *name = c->md->var[x->dep[k]].name;

        if (!is_known(c, x->dep[k], initial))
            MD_WARN(
                c, x->line, "FMI-STRUCT-KNOWN",
                "'%s' is declared to depend on '%s', which is not a known %s",
                v->name, name, initial ? "of initialisation" : "at run time");
        if (c->md->version == TT_FMI_2 && k > 0 && x->dep[k] <= x->dep[k - 1])
            MD_WARN(c, x->line, "FMI2-STRUCT-ORDER",
                    "dependencies of '%s' must be ordered by index, each once",
                    v->name);
        if (x->kind[k] == TT_DEP_DEPENDENT)
            continue;
        if (!tt_type_is_float(v->type)) /* even the Reference FMUs do it */
            MD_WARN(c, x->line, "FMI-STRUCT-KIND",
                    "dependenciesKind \"%s\" of '%s' is only for %s unknowns",
                    tt_dep_name(x->kind[k]), v->name,
                    c->md->version == TT_FMI_3 ? "float" : "Real");
        else if (initial && x->kind[k] != TT_DEP_CONSTANT)
            MD_ERR(c, x->line, "FMI-STRUCT-KIND",
                   "dependenciesKind \"%s\" of '%s' is not allowed for initial "
                   "unknowns",
                   tt_dep_name(x->kind[k]), v->name);
    }
}

void md_check_structure(struct md_check *c)
{
    const struct tt_md *md = c->md;
    const struct tt_md_unknowns *list[] = {
        &md->output, &md->derivative, &md->clocked_state, &md->initial_unknown};

    check_listed(c);
    check_complete(c);
    check_initial(c);
    for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
        for (uint32_t i = 0; i < list[k]->n; i++)
            check_deps(c, &list[k]->item[i], list[k] == &md->initial_unknown);
    }
}
