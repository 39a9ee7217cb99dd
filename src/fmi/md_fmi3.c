/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

#include <string.h>

/* Variables of FMI 3: one element each, named after its type. References may
 * point forward, so all value references are collected first. */

#define COMMON                                                                 \
    MD_NAME, MD_VALUE_REFERENCE, MD_DESCRIPTION, MD_CAUSALITY, MD_VARIABILITY, \
        MD_MULTIPLE_SET, MD_CLOCKS, MD_DECLARED
#define ARRAY MD_INTERMEDIATE, MD_PREVIOUS, MD_INITIAL

static const uint8_t *attrs_of(enum tt_type type)
{
    static const uint8_t real[] = {COMMON,   ARRAY,         MD_REAL_ATTRS,
                                   MD_START, MD_DERIVATIVE, MD_REINIT,
                                   MD_END};
    static const uint8_t integer[] = {COMMON, ARRAY, MD_INTEGER_ATTRS, MD_START,
                                      MD_END};
    static const uint8_t boolean[] = {COMMON, ARRAY, MD_START, MD_END};
    static const uint8_t text[] = {COMMON, ARRAY, MD_END};
    static const uint8_t binary[] = {COMMON, ARRAY, MD_BINARY_ATTRS, MD_END};
    static const uint8_t clock[] = {COMMON, MD_CLOCK_ATTRS, MD_END};

    static const uint8_t *const attrs[MD_FAMILIES] = {real, integer, boolean,
                                                      text, binary,  clock};

    return attrs[md_family_of(type)];
}

/* The variable with the value reference in attribute a; a finding and TT_NONE
 * when there is none. *given: the attribute is there. */
static uint32_t read_ref(struct md_in *in, const struct tt_md_var *v,
                         enum md_attr a, int *given)
{
    uint32_t vr, i;

    *given = md_get_u32(in, a, &vr);
    if (!*given)
        return TT_NONE;
    i = md_vrs_find(in->md->vrs, 0, vr);
    if (i == TT_NONE)
        tt_findings_add(in->f, TT_SEV_ERROR, in->line,
                        a == MD_DERIVATIVE ? "FMI-VAR-DERIVATIVE"
                                           : "FMI3-VAR-PREVIOUS",
                        "%s=\"%u\" of variable '%s' is not the value reference "
                        "of a variable",
                        md_attr_name(a), vr, v->name);
    return i;
}

static void read_clocks(struct md_in *in, struct tt_md_var *v)
{
    const char *list = in->value[MD_CLOCKS], *s;
    uint32_t *clock;
    size_t len;

    if (!list)
        return;
    v->given |= TT_MD_GIVEN_CLOCKS;
    clock = md_alloc(in, md_token_count(list), sizeof(*clock));
    v->clock = clock;
    while (clock && (s = md_token(&list, &len)) != NULL) {
        uint64_t vr;
        uint32_t i = TT_NONE;

        tt_buf_clear(&in->scratch);
        tt_buf_add(&in->scratch, s, len);
        if (!in->scratch.failed &&
            tt_value_parse(TT_U64, &vr, in->scratch.data) == 0 &&
            vr <= UINT32_MAX)
            i = md_vrs_find(in->md->vrs, 0, (uint32_t)vr);
        if (i != TT_NONE)
            clock[v->clock_n++] = i;
        else
            tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI3-VAR-CLOCKS",
                            "clocks of variable '%s': %.*s is not the value "
                            "reference of a variable",
                            v->name, (int)(len < 40 ? len : 40), s);
    }
}

static void read_dims(struct md_in *in, const struct tt_xml_node *node,
                      struct tt_md_var *v, uint32_t index)
{
    static const uint8_t allowed[] = {MD_START, MD_VALUE_REFERENCE, MD_END};
    struct tt_md_dim *d = md_alloc_for(in, node, "Dimension", sizeof(*d));

    for (const struct tt_xml_node *e = md_first(node, "Dimension"); e && d;
         e = md_next(e)) {
        struct tt_md_dim *one = &d[v->dim_n];
        uint32_t vr;
        int fixed;

        md_attrs(in, e, allowed);
        v->dim_n++;
        one->var = TT_NONE;
        fixed = md_get_u64(in, MD_START, &one->start);
        if (md_get_u32(in, MD_VALUE_REFERENCE, &vr))
            one->var = md_vrs_find(in->md->vrs, 0, vr);
        if (fixed && in->value[MD_VALUE_REFERENCE]) {
            tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI3-DIM-EXCLUSIVE",
                            "dimension of variable '%s' has both start and "
                            "valueReference; start counts",
                            v->name);
            one->var = TT_NONE;
        } else if (!fixed && one->var == TT_NONE) {
            tt_findings_fatal(in->f, in->line, "FMI3-DIM-SIZE",
                              "dimension of variable '%s' has no usable size: "
                              "neither start nor the valueReference of a "
                              "variable",
                              v->name);
            one->start = 1;
        }
    }
    v->dim = d;
    in->dim[index].item = d;
}

static void read_aliases(struct md_in *in, const struct tt_xml_node *node,
                         struct tt_md_var *v, uint32_t index)
{
    static const uint8_t real[] = {MD_NAME, MD_DESCRIPTION, MD_DISPLAY_UNIT,
                                   MD_END};
    static const uint8_t plain[] = {MD_NAME, MD_DESCRIPTION, MD_END};
    struct tt_md_alias *alias = md_alloc_for(in, node, "Alias", sizeof(*alias));

    v->alias = alias;
    for (const struct tt_xml_node *e = md_first(node, "Alias"); e && alias;
         e = md_next(e)) {
        struct tt_md_alias *a = &alias[v->alias_n];

        v->alias_n++;
        md_attrs(in, e, tt_type_is_float(v->type) ? real : plain);
        md_named(in, &a->name, &a->description, &a->line);
        a->display_name = md_get_text(in, MD_DISPLAY_UNIT);
        if (md_name_add(in, &in->md->names, a->name, index))
            tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-VAR-UNIQUE",
                            "variable name '%s' is used twice; the first one "
                            "counts",
                            a->name);
    }
}

static void read_references(struct md_in *in, struct tt_md_var *v)
{
    int given;

    v->derivative_of = read_ref(in, v, MD_DERIVATIVE, &given);
    v->given |= given ? TT_MD_GIVEN_DERIVATIVE : 0;
    v->previous = read_ref(in, v, MD_PREVIOUS, &given);
    v->given |= given ? TT_MD_GIVEN_PREVIOUS : 0;
    read_clocks(in, v);
    if (md_get_bool(in, MD_REINIT, &v->reinit))
        v->given |= TT_MD_GIVEN_REINIT;
    if (md_get_bool(in, MD_INTERMEDIATE, &v->intermediate_update))
        v->given |= TT_MD_GIVEN_INTERMEDIATE;
}

static void read_special(struct md_in *in, struct tt_md_var *v)
{
    if (v->type == TT_BYTES) {
        if (v->declared) {
            v->mime = v->declared->mime;
            v->max_size = v->declared->max_size;
        }
        if (in->value[MD_MIME]) {
            v->given |= TT_MD_GIVEN_MIME;
            v->mime = md_get_text(in, MD_MIME);
        }
        if (!v->mime)
            v->mime = "application/octet-stream";
        (void)md_get_u64(in, MD_MAX_SIZE, &v->max_size);
    }
    if (v->type == TT_CLOCK) {
        if (v->declared)
            v->clk = v->declared->clock;
        md_read_clock(in, &v->clk);
        if (v->clk.interval == TT_INTERVAL_NONE)
            (void)md_need(in, MD_INTERVAL_VARIABILITY);
    }
}

static void read_children(struct md_in *in, const struct tt_xml_node *node,
                          struct tt_md_var *v, uint32_t index)
{
    static const char *const plain[] = {"Annotations", "Dimension", "Alias",
                                        NULL};
    static const char *const text[] = {"Annotations", "Dimension", "Alias",
                                       "Start", NULL};
    static const char *const clock[] = {"Annotations", "Alias", NULL};

    if (!node->children)
        return; /* most variables */
    md_only(in, node,
            tt_type_is_text(v->type) ? text
            : v->type == TT_CLOCK    ? clock
                                     : plain);
    if (tt_type_is_text(v->type))
        md_read_start_elements(in, node, v);
    if (v->type != TT_CLOCK)
        read_dims(in, node, v, index);
    read_aliases(in, node, v, index);
}

/* Value references are unique; the first variable keeps it. */
static void check_reference(struct md_in *in, const struct tt_md_var *v,
                            uint32_t index)
{
    uint32_t first;

    if (!(v->given & TT_MD_GIVEN_VR))
        return;
    if (md_vrs_add(in->md->vrs, 0, v->vr, index) < 0)
        in->nomem = 1;
    first = md_vrs_find(in->md->vrs, 0, v->vr);
    if (first != TT_NONE && first != index)
        tt_findings_add(
            in->f, TT_SEV_ERROR, v->line, "FMI3-VAR-REFERENCE",
            "variable '%s' has the value reference %u of variable '%s'",
            v->name, v->vr, in->var[first].name);
}

static void read_var(struct md_in *in, const struct tt_xml_node *node,
                     enum tt_type type, uint32_t index)
{
    struct tt_md_var *v = &in->var[index];

    v->type = type;
    md_attrs(in, node, attrs_of(type));
    md_read_var_common(in, v, index);
    check_reference(in, v, index);
    md_read_range(in, type, &v->range);
    md_read_declared(in, v);
    if (type == TT_ENUM64 && !(v->given & TT_MD_GIVEN_TYPE))
        (void)md_need(in, MD_DECLARED);
    md_read_start(in, v);
    read_references(in, v);
    read_special(in, v);
    md_resolve_unit(in, v);
    read_children(in, node, v, index); /* last: it reads other attributes */
    md_set_defaults(in, v);
}

/* Value reference to index, for all variables. */
static void collect_references(struct md_in *in, const struct tt_xml_node *node)
{
    uint32_t index = 0;

    for (const struct tt_xml_node *e = node->children; e; e = e->next) {
        uint64_t vr;

        if (md_type_of(TT_FMI_3, e->name, "") == TT_TYPE_N)
            continue;
        for (uint32_t i = 0; i < e->attr_n; i++) {
            if (e->attr[i].name == in->attr_name[MD_VALUE_REFERENCE] &&
                tt_value_parse(TT_U64, &vr, e->attr[i].value) == 0 &&
                vr <= UINT32_MAX &&
                md_vrs_add(in->md->vrs, 0, (uint32_t)vr, index) < 0)
                in->nomem = 1;
        }
        index++;
    }
}

/* The number of elements, with structural parameters at their start. */
static void set_sizes(struct md_in *in)
{
    for (uint32_t i = 0; i < in->md->var_n; i++) {
        struct tt_md_var *v = &in->var[i];
        uint64_t size = 1;

        for (uint32_t k = 0; k < v->dim_n; k++) {
            struct tt_md_dim *d = &in->dim[i].item[k];
            const struct tt_md_var *p =
                d->var == TT_NONE ? NULL : &in->var[d->var];

            if (p && p->type == TT_U64 && p->start_n)
                memcpy(&d->start, p->start, sizeof(d->start));
            else if (p) {
                tt_findings_fatal(in->f, v->line, "FMI3-DIM-SIZE",
                                  "variable '%s' takes its size from '%s', "
                                  "which is not a UInt64 with a start value",
                                  v->name, p->name);
                d->start = 1;
            }
            if (d->start && size > TT_MD_MAX_SIZE / d->start) {
                tt_findings_fatal(in->f, v->line, "FMI3-DIM-SIZE",
                                  "variable '%s' has more than %llu elements",
                                  v->name, (unsigned long long)TT_MD_MAX_SIZE);
                size = 1;
                break;
            }
            size *= d->start;
        }
        v->size = size;
    }
}

void md_read_vars3(struct md_in *in, const struct tt_xml_node *node)
{
    uint32_t n = 0, i = 0;

    for (const struct tt_xml_node *e = node->children; e; e = e->next) {
        if (md_type_of(TT_FMI_3, e->name, "") != TT_TYPE_N)
            n++;
        else
            md_unknown_element(in, e);
    }
    md_begin_vars(in, n);
    if (!in->var || !in->dim)
        return;
    in->md->var_n = n;
    collect_references(in, node);
    for (const struct tt_xml_node *e = node->children; e; e = e->next) {
        enum tt_type type = md_type_of(TT_FMI_3, e->name, "");

        if (type != TT_TYPE_N)
            read_var(in, e, type, i++);
    }
    set_sizes(in);
}
