/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

/* Variables of FMI 2: <ScalarVariable ...><Real .../></ScalarVariable>. */

static const uint8_t *attrs_of(enum tt_type type)
{
    static const uint8_t real[] = {MD_DECLARED,   MD_REAL_ATTRS, MD_START,
                                   MD_DERIVATIVE, MD_REINIT,     MD_END};
    static const uint8_t integer[] = {MD_DECLARED, MD_INTEGER_ATTRS, MD_START,
                                      MD_END};
    static const uint8_t plain[] = {MD_DECLARED, MD_START, MD_END};
    static const uint8_t *const attrs[MD_FAMILIES] = {real, integer, plain,
                                                      plain};

    return attrs[md_family_of(type)];
}

const struct tt_xml_node *md_find_type(struct md_in *in,
                                       const struct tt_xml_node *node,
                                       const char *besides, struct tt_md_var *v)
{
    enum tt_md_version version = in->md->version;
    const struct tt_xml_node *found = NULL;

    for (const struct tt_xml_node *e = node->children; e; e = e->next) {
        if (!found && md_type_of(version, e->name, "") != TT_TYPE_N)
            found = e;
        else if (!md_is(e, besides))
            md_unknown_element(in, e);
    }
    v->type = found ? md_type_of(version, found->name, "") : TT_F64;
    if (!found)
        tt_findings_fatal(in->f, v->line, "FMI2-VAR-TYPE",
                          "variable '%s' has no <Real>, <Integer>, <Boolean>, "
                          "<String> or <Enumeration> in it",
                          v->name);
    return found;
}

/* derivative="3": the index of the variable it is the derivative of. */
static void read_derivative(struct md_in *in, struct tt_md_var *v)
{
    uint32_t index;

    if (!md_get_u32(in, MD_DERIVATIVE, &index))
        return;
    v->given |= TT_MD_GIVEN_DERIVATIVE;
    if (index >= 1 && index <= in->md->var_n)
        v->derivative_of = index - 1;
    else
        tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-VAR-DERIVATIVE",
                        "derivative=\"%u\" of variable '%s' is not the index "
                        "of a variable (1 to %u)",
                        index, v->name, in->md->var_n);
}

static void read_var(struct md_in *in, const struct tt_xml_node *node,
                     uint32_t index)
{
    static const uint8_t allowed[] = {
        MD_NAME,        MD_VALUE_REFERENCE, MD_DESCRIPTION,  MD_CAUSALITY,
        MD_VARIABILITY, MD_INITIAL,         MD_MULTIPLE_SET, MD_END};
    struct tt_md_var *v = &in->var[index];
    const struct tt_xml_node *type;

    md_attrs(in, node, allowed);
    md_read_var_common(in, v, index);
    type = md_find_type(in, node, "Annotations", v);
    if (!type) {
        md_set_defaults(in, v);
        return;
    }
    md_attrs(in, type, attrs_of(v->type));
    md_read_range(in, v->type, &v->range);
    md_read_declared(in, v);
    if (v->type == TT_ENUM32 && !(v->given & TT_MD_GIVEN_TYPE))
        (void)md_need(in, MD_DECLARED);
    md_read_start(in, v);
    read_derivative(in, v);
    if (md_get_bool(in, MD_REINIT, &v->reinit))
        v->given |= TT_MD_GIVEN_REINIT;
    md_resolve_unit(in, v);
    md_set_defaults(in, v);
    if ((v->given & TT_MD_GIVEN_VR) &&
        md_vrs_add(in->md->vrs, md_vr_group(TT_FMI_2, v->type), v->vr, index) <
            0)
        in->nomem = 1;
}

void md_read_scalars(struct md_in *in, const struct tt_xml_node *node,
                     void (*read)(struct md_in *in,
                                  const struct tt_xml_node *node,
                                  uint32_t index))
{
    static const char *const children[] = {"ScalarVariable", NULL};
    uint32_t n = md_count(node, "ScalarVariable"), i = 0;

    md_only(in, node, children);
    md_begin_vars(in, n);
    if (!in->var)
        return;
    in->md->var_n = n;
    for (const struct tt_xml_node *e = md_first(node, "ScalarVariable"); e;
         e = md_next(e))
        read(in, e, i++);
}

void md_read_vars2(struct md_in *in, const struct tt_xml_node *node)
{
    md_read_scalars(in, node, read_var);
}
