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

/* FMI 1: <BaseUnit unit="rad"><DisplayUnitDefinition displayUnit="deg"
 * gain="57.3"/></BaseUnit>, without exponents. */
static const struct words {
    const char *unit, *display;
    enum md_attr name, display_name, factor;
} words1 = {"BaseUnit", "DisplayUnitDefinition", MD_UNIT, MD_DISPLAY_UNIT,
            MD_GAIN},
  words2 = {"Unit", "DisplayUnit", MD_NAME, MD_NAME, MD_FACTOR};

static const struct words *words_of(const struct md_in *in)
{
    return in->md->version == TT_FMI_1 ? &words1 : &words2;
}

static void read_display(struct md_in *in, const struct tt_xml_node *node,
                         const struct tt_md_unit *u,
                         struct tt_md_display_unit *d, uint32_t index)
{
    static const uint8_t allowed1[] = {MD_DISPLAY_UNIT, MD_GAIN, MD_OFFSET,
                                       MD_END};
    static const uint8_t allowed2[] = {MD_NAME, MD_FACTOR, MD_OFFSET, MD_END};
    static const uint8_t allowed3[] = {MD_NAME, MD_FACTOR, MD_OFFSET,
                                       MD_INVERSE, MD_END};
    static const uint8_t *const allowed[] = {
        [TT_FMI_1] = allowed1, [TT_FMI_2] = allowed2, [TT_FMI_3] = allowed3};
    const struct words *w = words_of(in);
    const char *key;

    md_attrs(in, node, allowed[in->md->version]);
    d->line = in->line;
    d->factor = 1;
    d->name =
        md_need(in, w->display_name) ? md_get_text(in, w->display_name) : "";
    (void)md_get_f64(in, w->factor, &d->factor);
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
    static const char *const children1[] = {"DisplayUnitDefinition", NULL};
    static const char *const children2[] = {"BaseUnit", "DisplayUnit",
                                            "Annotations", NULL};
    const struct words *w = words_of(in);
    const uint8_t allowed[] = {(uint8_t)w->name, MD_END};
    struct tt_md_display_unit *display;
    uint32_t n = 0;

    md_attrs(in, node, allowed);
    u->line = in->line;
    u->factor = 1;
    u->name = md_need(in, w->name) ? md_get_text(in, w->name) : "";
    if (md_name_add(in, &in->units, u->name, index))
        tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-UNIT-UNIQUE",
                        "unit '%s' is defined twice", u->name);
    md_only(in, node, w == &words1 ? children1 : children2);
    display = md_alloc_for(in, node, w->display, sizeof(*display));
    u->display = display;
    for (const struct tt_xml_node *e = node->children; e; e = e->next) {
        if (md_is(e, "BaseUnit"))
            read_base(in, e, u);
        else if (display && md_is(e, w->display)) {
            read_display(in, e, u, &display[n], n);
            n++;
        }
    }
    u->display_n = n;
}

void md_read_units(struct md_in *in, const struct tt_xml_node *node)
{
    const char *const children[] = {words_of(in)->unit, NULL};
    struct tt_md_unit *unit;
    uint32_t n = 0;

    md_only(in, node, children);
    unit = md_alloc_for(in, node, children[0], sizeof(*unit));
    for (const struct tt_xml_node *e = md_first(node, children[0]); e && unit;
         e = md_next(e)) {
        read_unit(in, e, &unit[n], n);
        n++;
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
        return; /* md_check states it */
    v->unit = &in->md->unit[i];
    if (!v->range.display_name)
        return;
    i = tt_names_find(&in->displays, display_key(in, v->range.unit_name,
                                                 v->range.display_name));
    if (i != TT_NONE && i < v->unit->display_n)
        v->display = &v->unit->display[i];
}
