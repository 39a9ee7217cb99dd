/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

#include <string.h>

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
    v->given |= TT_MD_GIVEN_NAME;
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

void md_read_var_name(struct md_in *in, struct tt_md_var *v, uint32_t index)
{
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
        v->given |= TT_MD_GIVEN_VR;
    else
        tt_findings_fatal(in->f, in->line, "FMI-VAR-REFERENCE",
                          "valueReference=\"%s\" of variable '%s' is unusable",
                          in->value[MD_VALUE_REFERENCE], v->name);
}

void md_read_var_common(struct md_in *in, struct tt_md_var *v, uint32_t index)
{
    const char *causality[TT_CAUS_N];
    unsigned word;

    md_read_var_name(in, v, index);
    memcpy(causality, tt_causality_words, sizeof(causality));
    if (in->md->version == TT_FMI_2)
        causality[TT_CAUS_STRUCTURAL] = NULL;
    if (md_get_word(in, MD_CAUSALITY, causality, TT_CAUS_N, &word)) {
        v->given |= TT_MD_GIVEN_CAUSALITY;
        v->causality = (enum tt_causality)word;
    }
    if (md_get_word(in, MD_VARIABILITY, tt_variability_words, TT_VAR_N,
                    &word)) {
        v->given |= TT_MD_GIVEN_VARIABILITY;
        v->variability = (enum tt_variability)word;
    }
    if (md_get_word(in, MD_INITIAL, tt_initial_words, TT_INIT_N, &word)) {
        v->given |= TT_MD_GIVEN_INITIAL;
        v->initial = (enum tt_initial)word;
    }
    if (md_get_bool(in, MD_MULTIPLE_SET, &v->multiple_set))
        v->given |= TT_MD_GIVEN_MULTISET;
}

void md_read_declared(struct md_in *in, struct tt_md_var *v)
{
    const char *name = in->value[MD_DECLARED];
    uint32_t i;

    if (!name)
        return;
    v->given |= TT_MD_GIVEN_TYPE;
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

/* FMI 2.0.5 gives "continuous" to everything that states nothing, which is then
 * not allowed for most; what is meant is what FMI 3.0.2 (2.4.7.4) states. */
static enum tt_variability default_variability(const struct tt_md_var *v)
{
    if (v->causality == TT_CAUS_PARAMETER ||
        v->causality == TT_CAUS_CALCULATED ||
        v->causality == TT_CAUS_STRUCTURAL)
        return TT_VAR_FIXED;
    return tt_type_is_float(v->type) ? TT_VAR_CONTINUOUS : TT_VAR_DISCRETE;
}

void md_set_defaults(struct md_in *in, struct tt_md_var *v)
{
    struct md_initial_rule rule;

    if (!(v->given & TT_MD_GIVEN_VARIABILITY))
        v->variability = default_variability(v);
    if (v->given & TT_MD_GIVEN_INITIAL)
        return;
    rule = md_initial_rule(in->md->version, v->causality, v->variability);
    v->initial = rule.preset;
    if (v->type == TT_CLOCK)
        v->initial = TT_INIT_NONE;
    /* A combination that is not allowed has no default; the usual meaning is
     * clear from the causality and the start value. */
    else if (!rule.mask && v->causality != TT_CAUS_INDEPENDENT &&
             v->causality != TT_CAUS_INPUT)
        v->initial = v->start_n ? TT_INIT_EXACT : TT_INIT_CALCULATED;
}
