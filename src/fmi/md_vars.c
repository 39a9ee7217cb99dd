/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

void md_begin_vars(struct md_in *in, uint32_t n)
{
    in->var = md_alloc(in, n, sizeof(*in->var));
    in->md->var = in->var;
    if (in->md->version == TT_FMI_3)
        in->dim = md_alloc(in, n, sizeof(*in->dim));
}

static void read_name(struct md_in *in, struct tt_md_var *v, uint32_t index)
{
    v->name = "";
    if (!in->value[MD_NAME]) {
        tt_findings_fatal(in->f, in->line, "FMI-VAR-NAME",
                          "variable %u has no name", index + 1);
        return;
    }
    v->said |= TT_MD_SAID_NAME;
    v->name = md_get_text(in, MD_NAME);
    if (!v->name) {
        v->name = "";
        return;
    }
    if (md_name_add(in, &in->md->names, v->name, index))
        tt_findings_add(
            in->f, TT_SEV_ERROR, in->line, "FMI-VAR-UNIQUE",
            "variable name '%s' is used twice; the first one counts", v->name);
}

void md_read_var_common(struct md_in *in, struct tt_md_var *v, uint32_t index)
{
    unsigned word;

    v->line = in->line;
    v->derivative_of = v->previous = TT_NONE;
    v->multiple_set = 1;
    v->size = 1;
    read_name(in, v, index);
    v->description = md_get_text(in, MD_DESCRIPTION);
    if (!in->value[MD_VALUE_REFERENCE])
        tt_findings_fatal(in->f, in->line, "FMI-VAR-REFERENCE",
                          "variable '%s' has no valueReference", v->name);
    else if (md_get_u32(in, MD_VALUE_REFERENCE, &v->vr))
        v->said |= TT_MD_SAID_VR;
    else
        tt_findings_fatal(in->f, in->line, "FMI-VAR-REFERENCE",
                          "valueReference=\"%s\" of variable '%s' is unusable",
                          in->value[MD_VALUE_REFERENCE], v->name);
    if (md_get_word(in, MD_CAUSALITY, md_causality_words,
                    in->md->version == TT_FMI_2 ? TT_MD_STRUCTURAL_PARAMETER
                                                : TT_MD_CAUSALITY_N,
                    &word)) {
        v->said |= TT_MD_SAID_CAUSALITY;
        v->causality = (enum tt_md_causality)word;
    }
    if (md_get_word(in, MD_VARIABILITY, md_variability_words,
                    TT_MD_VARIABILITY_N, &word)) {
        v->said |= TT_MD_SAID_VARIABILITY;
        v->variability = (enum tt_md_variability)word;
    }
    if (md_get_word(in, MD_INITIAL, md_initial_words, TT_MD_INITIAL_N, &word)) {
        v->said |= TT_MD_SAID_INITIAL;
        v->initial = (enum tt_md_initial)word;
    }
    if (md_get_bool(in, MD_MULTIPLE_SET, &v->multiple_set))
        v->said |= TT_MD_SAID_MULTISET;
}

void md_read_declared(struct md_in *in, struct tt_md_var *v)
{
    const char *name = in->value[MD_DECLARED];
    uint32_t i;

    if (!name)
        return;
    v->said |= TT_MD_SAID_TYPE;
    i = tt_names_find(&in->types, name);
    if (i == TT_NONE) {
        tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-VAR-DECLARED",
                        "declared type '%s' of variable '%s' is not defined",
                        name, v->name);
        return;
    }
    if (in->md->type[i].type != v->type) {
        tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-VAR-DECLARED",
                        "variable '%s' is of type %s, but its declared type "
                        "'%s' is of type %s",
                        v->name, tt_md_type_name(in->md, v->type), name,
                        tt_md_type_name(in->md, in->md->type[i].type));
        return;
    }
    v->declared = &in->md->type[i];
    md_merge_range(&v->range, &v->declared->range);
}

/* FMI 2.0.5 gives "continuous" to everything that says nothing, which is then
 * not allowed for most; what is meant is what FMI 3.0.2 (2.4.7.4) says. */
static enum tt_md_variability default_variability(const struct tt_md_var *v)
{
    if (v->causality == TT_MD_PARAMETER ||
        v->causality == TT_MD_CALCULATED_PARAMETER ||
        v->causality == TT_MD_STRUCTURAL_PARAMETER)
        return TT_MD_FIXED;
    return tt_type_is_float(v->type) ? TT_MD_CONTINUOUS : TT_MD_DISCRETE;
}

void md_set_defaults(struct md_in *in, struct tt_md_var *v)
{
    struct md_initial_rule rule;

    if (!(v->said & TT_MD_SAID_VARIABILITY))
        v->variability = default_variability(v);
    if (v->said & TT_MD_SAID_INITIAL)
        return;
    rule = md_initial_rule(in->md->version, v->causality, v->variability);
    v->initial = rule.preset;
    if (v->type == TT_CLOCK)
        v->initial = TT_MD_NO_INITIAL;
    /* A combination that is not allowed has no default; the usual meaning is
     * clear from the causality and the start value. */
    else if (!rule.mask && v->causality != TT_MD_INDEPENDENT &&
             v->causality != TT_MD_INPUT)
        v->initial = v->start_n ? TT_MD_EXACT : TT_MD_CALCULATED;
}
