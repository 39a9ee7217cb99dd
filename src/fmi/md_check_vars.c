/* SPDX-License-Identifier: MIT */
#include "fmi/md_check_impl.h"

#include <math.h>
#include <string.h>

static void check_name(struct md_check *c, const char *name, int line)
{
    if (!*name || strpbrk(name, "\r\n\t"))
        MD_ERR(c, line, "FMI-NAME-FORM",
               "variable name '%s' is empty or has a tab or line end in it",
               name);
    else if (c->md->structured_names && !md_name_is_structured(name))
        MD_WARN(c, line, "FMI-NAME-STRUCTURED",
                "variable name '%s' does not follow the structured naming "
                "convention",
                name);
}

/* FMI 2.0.5, 2.2.7: the default is "continuous", also where that is not
 * allowed. We take it as meant; the file should state it. */
static int relies_on_default(struct md_check *c, const struct tt_md_var *v)
{
    if (c->md->version != TT_FMI_2 || v->given & TT_MD_GIVEN_VARIABILITY ||
        v->variability == TT_VAR_CONTINUOUS)
        return 0;
    MD_ERR(c, v->line, "FMI2-VAR-VARIABILITY",
           "variable '%s' declares no variability, and the default "
           "\"continuous\" is not allowed for it; taken as \"%s\"",
           v->name, tt_variability_name(v->variability));
    return 1;
}

static void check_combination(struct md_check *c, const struct tt_md_var *v)
{
    struct md_initial_rule rule =
        md_initial_rule(c->md->version, v->causality, v->variability);

    if (relies_on_default(c, v))
        return;
    if (v->variability == TT_VAR_CONTINUOUS && !tt_type_is_float(v->type)) {
        MD_ERR(c, v->line, "FMI-VAR-CONTINUOUS",
               "variable '%s' of type %s cannot be continuous", v->name,
               tt_md_type_name(c->md, v->type));
        return;
    }
    if (!rule.mask)
        MD_ERR(c, v->line, "FMI-VAR-COMBINATION",
               "variable '%s' is %s and %s, which do not go together", v->name,
               tt_causality_name(v->causality),
               tt_variability_name(v->variability));
    else if (v->given & TT_MD_GIVEN_INITIAL && !(rule.mask >> v->initial & 1u))
        MD_ERR(c, v->line, "FMI-VAR-INITIAL",
               "initial=\"%s\" is not allowed for variable '%s', which is %s "
               "and %s",
               tt_initial_name(v->initial), v->name,
               tt_causality_name(v->causality),
               tt_variability_name(v->variability));
}

static void check_start_presence(struct md_check *c, const struct tt_md_var *v)
{
    int needed =
        v->initial == TT_INIT_EXACT || v->initial == TT_INIT_APPROX ||
        v->causality == TT_CAUS_INPUT || v->causality == TT_CAUS_PARAMETER ||
        v->causality == TT_CAUS_STRUCTURAL || v->variability == TT_VAR_CONSTANT;
    int given = (v->given & TT_MD_GIVEN_START) != 0;

    if (v->type == TT_CLOCK || c->md->version == TT_FMI_1)
        return;
    if (v->causality == TT_CAUS_INDEPENDENT && given)
        MD_ERR(c, v->line, "FMI-VAR-START-FORBIDDEN",
               "the independent variable '%s' must not have a start value",
               v->name);
    else if (v->initial == TT_INIT_CALCULATED && given && !needed)
        MD_ERR(c, v->line, "FMI-VAR-START-FORBIDDEN",
               "variable '%s' is calculated and must not have a start value",
               v->name);
    else if (needed && !given)
        MD_ERR(c, v->line, "FMI-VAR-START-MISSING",
               "variable '%s' needs a start value (%s, initial=\"%s\")",
               v->name, tt_causality_name(v->causality),
               tt_initial_name(v->initial));
}

static void check_start_value(struct md_check *c, const struct tt_md_var *v)
{
    size_t size = tt_type_size(v->type);
    const char *p = v->start;

    for (uint64_t i = 0; p && i < v->start_n; i++, p += size) {
        double d = tt_value_as_double(v->type, p);

        if (d < v->range.min || d > v->range.max) {
            MD_ERR(c, v->line, "FMI-VAR-START-RANGE",
                   "start value of variable '%s' is outside min and max",
                   v->name);
            return;
        }
        if (tt_type_is_enum(v->type) && v->declared &&
            !md_enum_has(c, v->declared, (int64_t)d)) {
            MD_ERR(c, v->line, "FMI-VAR-ENUM",
                   "start value %lld of variable '%s' is not an item of '%s'",
                   (long long)d, v->name, v->declared->name);
            return;
        }
    }
}

static void check_range(struct md_check *c, const struct tt_md_var *v)
{
    const struct tt_md_range *r = &v->range;

    if (r->min > r->max)
        MD_ERR(c, v->line, "FMI-VAR-RANGE",
               "min is larger than max in variable '%s'", v->name);
    else
        check_start_value(c, v);
    if (!(r->has & TT_MD_HAS_NOMINAL))
        return;
    if (r->nominal == 0 || !isfinite(r->nominal))
        MD_ERR(c, v->line, "FMI-VAR-NOMINAL",
               "nominal of variable '%s' is zero or not finite", v->name);
    else if (r->nominal < 0 && c->md->version != TT_FMI_3)
        MD_ERR(c, v->line, "FMI-VAR-NOMINAL",
               "nominal of variable '%s' is not positive", v->name);
}

static void check_unit(struct md_check *c, const struct tt_md_var *v)
{
    const struct tt_md_range *r = &v->range;

    /* FMI 1 defines only units that have display units. */
    if (r->unit_name && !v->unit && c->md->version != TT_FMI_1)
        MD_ERR(c, v->line, "FMI-VAR-UNIT",
               "unit '%s' of variable '%s' is not defined", r->unit_name,
               v->name);
    else if (r->display_name && !r->unit_name)
        MD_ERR(c, v->line, "FMI-VAR-DISPLAY-UNIT",
               "variable '%s' has a display unit but no unit", v->name);
    else if (r->display_name && !v->display &&
             strcmp(r->display_name, r->unit_name) != 0)
        MD_ERR(c, v->line, "FMI-VAR-DISPLAY-UNIT",
               "display unit '%s' of variable '%s' is not defined for unit "
               "'%s'",
               r->display_name, v->name, r->unit_name);
}

static int continuous_float(const struct tt_md_var *v)
{
    return tt_type_is_float(v->type) && v->variability == TT_VAR_CONTINUOUS;
}

static void check_derivative(struct md_check *c, uint32_t index)
{
    const struct tt_md_var *v = &c->md->var[index];
    const struct tt_md_var *of;

    if (v->given & TT_MD_GIVEN_REINIT && !(c->role[index] & MD_ROLE_STATE))
        MD_ERR(c, v->line, "FMI-VAR-REINIT",
               "reinit of variable '%s' is only for continuous states",
               v->name);
    if (v->derivative_of == TT_NONE)
        return;
    of = &c->md->var[v->derivative_of];
    if (v->derivative_of == index)
        MD_ERR(c, v->line, "FMI-VAR-DERIVATIVE",
               "variable '%s' is declared to be its own derivative", v->name);
    else if (!continuous_float(of))
        MD_ERR(c, v->line, "FMI-VAR-DERIVATIVE",
               "variable '%s' is the derivative of '%s', which is not a "
               "continuous %s",
               v->name, of->name,
               c->md->version == TT_FMI_3 ? "float" : "Real");
    else if (!continuous_float(v))
        MD_ERR(c, v->line, "FMI-VAR-DERIVATIVE",
               "variable '%s' is a derivative but not continuous", v->name);
}

static void check_causality(struct md_check *c, const struct tt_md_var *v)
{
    if (v->causality == TT_CAUS_INDEPENDENT && !tt_type_is_float(v->type))
        MD_ERR(c, v->line, "FMI-VAR-INDEPENDENT",
               "the independent variable '%s' must be a %s", v->name,
               c->md->version == TT_FMI_3 ? "float" : "Real");
    if (v->given & TT_MD_GIVEN_MULTISET && v->causality != TT_CAUS_INPUT)
        MD_ERR(c, v->line, "FMI-VAR-MULTISET",
               "canHandleMultipleSetPerTimeInstant of variable '%s' is only "
               "for inputs",
               v->name);
}

static void check_independent_count(struct md_check *c)
{
    const struct tt_md_var *first = NULL;

    for (uint32_t i = 0; i < c->md->var_n; i++) {
        const struct tt_md_var *v = &c->md->var[i];

        if (v->causality != TT_CAUS_INDEPENDENT)
            continue;
        if (first)
            MD_ERR(c, v->line, "FMI-VAR-INDEPENDENT",
                   "variable '%s' is independent, and so is '%s'", v->name,
                   first->name);
        else
            first = v;
    }
    if (!first && c->md->version == TT_FMI_3)
        MD_WARN(c, c->md->line, "FMI-VAR-INDEPENDENT",
                "there is no independent variable (usually 'time')");
}

void md_check_vars(struct md_check *c)
{
    for (uint32_t i = 0; i < c->md->var_n; i++) {
        const struct tt_md_var *v = &c->md->var[i];

        if (v->given & TT_MD_GIVEN_NAME)
            check_name(c, v->name, v->line);
        for (uint32_t k = 0; k < v->alias_n; k++)
            check_name(c, v->alias[k].name, v->alias[k].line);
        check_combination(c, v);
        check_start_presence(c, v);
        check_range(c, v);
        check_unit(c, v);
        check_causality(c, v);
        check_derivative(c, i);
        if (c->md->version == TT_FMI_3)
            md_check_var_fmi3(c, v);
    }
    check_independent_count(c);
}
