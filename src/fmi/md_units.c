/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

static const enum md_attr exponent_attr[TT_MD_BASE_UNIT_N] = {
    [TT_MD_KG] = MD_KG, [TT_MD_M] = MD_M,     [TT_MD_S] = MD_S,
    [TT_MD_A] = MD_A,   [TT_MD_K] = MD_K,     [TT_MD_MOL] = MD_MOL,
    [TT_MD_CD] = MD_CD, [TT_MD_RAD] = MD_RAD,
};

static void read_base(struct md_in *in, const struct tt_xml_node *node,
                      struct tt_md_unit *u)
{
    static const uint8_t allowed[] = {MD_KG,     MD_M,      MD_S,  MD_A,
                                      MD_K,      MD_MOL,    MD_CD, MD_RAD,
                                      MD_FACTOR, MD_OFFSET, MD_END};

    md_attrs(in, node, allowed);
    u->has_base = 1;
    for (size_t i = 0; i < TT_MD_BASE_UNIT_N; i++) {
        int32_t e = 0;

        (void)md_get_i32(in, exponent_attr[i], &e);
        u->exponent[i] = e;
    }
    (void)md_get_f64(in, MD_FACTOR, &u->factor);
    (void)md_get_f64(in, MD_OFFSET, &u->offset);
}

static const char *display_key(struct md_in *in, const char *unit,
                               const char *display)
{
    tt_buf_clear(&in->scratch);
    tt_buf_str(&in->scratch, unit);
    tt_buf_char(&in->scratch, '\n');
    tt_buf_str(&in->scratch, display);
    if (in->scratch.failed)
        in->nomem = 1;
    return in->scratch.failed ? "" : in->scratch.data;
}

static void read_display(struct md_in *in, const struct tt_xml_node *node,
                         const struct tt_md_unit *u,
                         struct tt_md_display_unit *d, uint32_t index)
{
    static const uint8_t allowed2[] = {MD_NAME, MD_FACTOR, MD_OFFSET, MD_END};
    static const uint8_t allowed3[] = {MD_NAME, MD_FACTOR, MD_OFFSET,
                                       MD_INVERSE, MD_END};
    const char *key;

    md_attrs(in, node, in->md->version == TT_FMI_2 ? allowed2 : allowed3);
    d->line = in->line;
    d->factor = 1;
    d->name = md_need(in, MD_NAME) ? md_get_text(in, MD_NAME) : "";
    (void)md_get_f64(in, MD_FACTOR, &d->factor);
    (void)md_get_f64(in, MD_OFFSET, &d->offset);
    (void)md_get_bool(in, MD_INVERSE, &d->inverse);
    if (!d->name || !u->name)
        return; /* out of memory, which is known already */
    key = tt_arena_strdup(in->md->arena, display_key(in, u->name, d->name));
    if (md_name_add(in, &in->displays, key, index))
        tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-UNIT-UNIQUE",
                        "display unit '%s' of unit '%s' is defined twice",
                        d->name, u->name);
}

static void read_unit(struct md_in *in, const struct tt_xml_node *node,
                      struct tt_md_unit *u, uint32_t index)
{
    static const uint8_t allowed[] = {MD_NAME, MD_END};
    static const char *const children[] = {"BaseUnit", "DisplayUnit",
                                           "Annotations", NULL};
    struct tt_md_display_unit *display;
    uint32_t n = 0;

    md_attrs(in, node, allowed);
    u->line = in->line;
    u->factor = 1;
    u->name = md_need(in, MD_NAME) ? md_get_text(in, MD_NAME) : "";
    if (md_name_add(in, &in->units, u->name, index))
        tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-UNIT-UNIQUE",
                        "unit '%s' is defined twice", u->name);
    md_only(in, node, children);
    display = md_alloc(in, md_count(node, "DisplayUnit"), sizeof(*display));
    u->display = display;
    for (const struct tt_xml_node *e = node->children; e; e = e->next) {
        if (md_is(e, "BaseUnit"))
            read_base(in, e, u);
        else if (display && md_is(e, "DisplayUnit")) {
            read_display(in, e, u, &display[n], n);
            n++;
        }
    }
    u->display_n = n;
}

void md_read_units(struct md_in *in, const struct tt_xml_node *node)
{
    static const char *const children[] = {"Unit", NULL};
    struct tt_md_unit *unit;
    uint32_t n = 0;

    md_only(in, node, children);
    unit = md_alloc(in, md_count(node, "Unit"), sizeof(*unit));
    for (const struct tt_xml_node *e = node->children; e && unit; e = e->next) {
        if (md_is(e, "Unit")) {
            read_unit(in, e, &unit[n], n);
            n++;
        }
    }
    in->md->unit = unit;
    in->md->unit_n = n;
}

void md_resolve_unit(struct md_in *in, struct tt_md_var *v)
{
    uint32_t i;

    if (!v->range.unit_name)
        return;
    i = tt_names_find(&in->units, v->range.unit_name);
    if (i == TT_NONE)
        return; /* md_check says so */
    v->unit = &in->md->unit[i];
    if (!v->range.display_name)
        return;
    i = tt_names_find(&in->displays, display_key(in, v->range.unit_name,
                                                 v->range.display_name));
    if (i != TT_NONE && i < v->unit->display_n)
        v->display = &v->unit->display[i];
}
