/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    enum tt_type type;
} types2[] =
    {
        {"Real", TT_F64},    {"Integer", TT_I32},        {"Boolean", TT_BOOL32},
        {"String", TT_TEXT}, {"Enumeration", TT_ENUM32},
},
  types3[] = {
      {"Float64", TT_F64},  {"Float32", TT_F32},        {"Int32", TT_I32},
      {"Boolean", TT_BOOL}, {"Enumeration", TT_ENUM64}, {"String", TT_TEXT},
      {"Int64", TT_I64},    {"UInt64", TT_U64},         {"UInt32", TT_U32},
      {"Int8", TT_I8},      {"UInt8", TT_U8},           {"Int16", TT_I16},
      {"UInt16", TT_U16},   {"Binary", TT_BYTES},       {"Clock", TT_CLOCK},
};

static int named(const char *element, const char *name, const char *suffix)
{
    size_t n = strlen(name);

    return strncmp(element, name, n) == 0 && strcmp(element + n, suffix) == 0;
}

enum tt_type md_type_of(enum tt_md_version version, const char *element,
                        const char *suffix)
{
    if (version != TT_FMI_3) {
        for (size_t i = 0; i < sizeof(types2) / sizeof(types2[0]); i++) {
            if (named(element, types2[i].name, suffix))
                return version == TT_FMI_1 && types2[i].type == TT_BOOL32
                           ? TT_BOOL /* a char */
                           : types2[i].type;
        }
        return TT_TYPE_N;
    }
    for (size_t i = 0; i < sizeof(types3) / sizeof(types3[0]); i++) {
        if (named(element, types3[i].name, suffix))
            return types3[i].type;
    }
    return TT_TYPE_N;
}

static const char *text_or_empty(const struct md_in *in, enum md_attr a)
{
    return in->value[a] ? in->value[a] : "";
}

void md_read_range(struct md_in *in, enum tt_type type, struct tt_md_range *r)
{
    *r = (struct tt_md_range){.min = -HUGE_VAL, .max = HUGE_VAL, .nominal = 1};
    r->quantity = md_get_text(in, MD_QUANTITY);
    r->has |= md_get_f64(in, MD_MIN, &r->min) ? TT_MD_HAS_MIN : 0;
    r->has |= md_get_f64(in, MD_MAX, &r->max) ? TT_MD_HAS_MAX : 0;
    if (!tt_type_is_float(type))
        return;
    /* Some tools write unit="" for none. */
    r->unit_name =
        *text_or_empty(in, MD_UNIT) ? md_get_text(in, MD_UNIT) : NULL;
    r->display_name = *text_or_empty(in, MD_DISPLAY_UNIT)
                          ? md_get_text(in, MD_DISPLAY_UNIT)
                          : NULL;
    r->has |= md_get_f64(in, MD_NOMINAL, &r->nominal) ? TT_MD_HAS_NOMINAL : 0;
    r->has |=
        md_get_bool(in, MD_RELATIVE, &r->relative) ? TT_MD_HAS_RELATIVE : 0;
    r->has |=
        md_get_bool(in, MD_UNBOUNDED, &r->unbounded) ? TT_MD_HAS_UNBOUNDED : 0;
}

void md_merge_range(struct tt_md_range *r, const struct tt_md_range *type)
{
    unsigned take = type->has & ~r->has;

    if (take & TT_MD_HAS_MIN)
        r->min = type->min;
    if (take & TT_MD_HAS_MAX)
        r->max = type->max;
    if (take & TT_MD_HAS_NOMINAL)
        r->nominal = type->nominal;
    if (take & TT_MD_HAS_RELATIVE)
        r->relative = type->relative;
    if (take & TT_MD_HAS_UNBOUNDED)
        r->unbounded = type->unbounded;
    r->has |= take;
    if (!r->quantity)
        r->quantity = type->quantity;
    /* A display unit belongs to its unit: not without it. */
    if (!r->display_name &&
        (!r->unit_name ||
         (type->unit_name && strcmp(r->unit_name, type->unit_name) == 0)))
        r->display_name = type->display_name;
    if (!r->unit_name)
        r->unit_name = type->unit_name;
}

void md_read_clock(struct md_in *in, struct tt_md_clock *c)
{
    unsigned word;

    if (md_get_word(in, MD_INTERVAL_VARIABILITY, tt_interval_words,
                    TT_INTERVAL_N, &word))
        c->interval = (enum tt_interval)word;
    (void)md_get_bool(in, MD_CAN_BE_DEACTIVATED, &c->can_be_deactivated);
    (void)md_get_bool(in, MD_SUPPORTS_FRACTION, &c->supports_fraction);
    c->has_priority |= md_get_u32(in, MD_PRIORITY, &c->priority);
    c->has_interval_decimal |=
        md_get_f64(in, MD_INTERVAL_DECIMAL, &c->interval_decimal);
    c->has_resolution |= md_get_u64(in, MD_RESOLUTION, &c->resolution);
    c->has_counter |= md_get_u64(in, MD_INTERVAL_COUNTER, &c->interval_counter);
    (void)md_get_f64(in, MD_SHIFT_DECIMAL, &c->shift_decimal);
    (void)md_get_u64(in, MD_SHIFT_COUNTER, &c->shift_counter);
}

static void read_items(struct md_in *in, const struct tt_xml_node *node,
                       struct tt_md_type *t)
{
    static const uint8_t allowed[] = {MD_NAME, MD_VALUE, MD_DESCRIPTION,
                                      MD_END};
    static const char *const children[] = {"Item", "Annotations", NULL};
    struct tt_md_item *item = md_alloc_for(in, node, "Item", sizeof(*item));
    uint32_t n = 0;

    md_only(in, node, children);
    for (const struct tt_xml_node *e = md_first(node, "Item"); e && item;
         e = md_next(e)) {
        md_attrs(in, e, allowed);
        md_named(in, &item[n].name, &item[n].description, &item[n].line);
        if (in->md->version == TT_FMI_1)
            item[n].value = (int64_t)n + 1;
        else if (md_need(in, MD_VALUE))
            (void)md_get_i64(in, MD_VALUE, &item[n].value);
        n++;
    }
    t->item = item;
    t->item_n = n;
}

enum md_family md_family_of(enum tt_type type)
{
    if (tt_type_is_float(type))
        return MD_OF_REAL;
    if (tt_type_is_number(type) || tt_type_is_enum(type))
        return MD_OF_INTEGER;
    if (type == TT_BYTES)
        return MD_OF_BINARY;
    if (type == TT_TEXT)
        return MD_OF_TEXT;
    return type == TT_CLOCK ? MD_OF_CLOCK : MD_OF_BOOLEAN;
}

static const uint8_t *attrs2(enum tt_type type)
{
    static const uint8_t real[] = {MD_REAL_ATTRS, MD_END};
    static const uint8_t integer[] = {MD_INTEGER_ATTRS, MD_END};
    static const uint8_t none[] = {MD_END};
    static const uint8_t *const attrs[MD_FAMILIES] = {real, integer, none,
                                                      none};

    return attrs[md_family_of(type)];
}

#define NAMED MD_NAME, MD_DESCRIPTION

static const uint8_t *attrs3(enum tt_type type)
{
    static const uint8_t real[] = {NAMED, MD_REAL_ATTRS, MD_END};
    static const uint8_t integer[] = {NAMED, MD_INTEGER_ATTRS, MD_END};
    static const uint8_t plain[] = {NAMED, MD_END};
    static const uint8_t binary[] = {NAMED, MD_BINARY_ATTRS, MD_END};
    static const uint8_t clock[] = {NAMED, MD_CLOCK_ATTRS, MD_END};
    static const uint8_t *const attrs[MD_FAMILIES] = {real,  integer, plain,
                                                      plain, binary,  clock};

    return attrs[md_family_of(type)];
}

static void name_type(struct md_in *in, struct tt_md_type *t, uint32_t index)
{
    md_named(in, &t->name, &t->description, &t->line);
    if (md_name_add(in, &in->types, t->name, index))
        tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-TYPE-UNIQUE",
                        "type '%s' is defined twice", t->name);
}

/* <SimpleType name="..."><Real .../></SimpleType>, or in FMI 1
 * <Type name="..."><RealType .../></Type>. 1 when it is one. */
static uint32_t read_type2(struct md_in *in, const struct tt_xml_node *node,
                           struct tt_md_type *t, uint32_t index)
{
    static const uint8_t allowed[] = {MD_NAME, MD_DESCRIPTION, MD_END};
    const struct tt_xml_node *kind = NULL;
    enum tt_md_version version = in->md->version;
    const char *outer = version == TT_FMI_1 ? "Type" : "SimpleType";
    const char *suffix = version == TT_FMI_1 ? "Type" : "";

    if (!md_is(node, outer)) {
        md_unknown_element(in, node);
        return 0;
    }
    for (const struct tt_xml_node *e = node->children; e; e = e->next) {
        if (!kind && md_type_of(version, e->name, suffix) != TT_TYPE_N)
            kind = e;
        else
            md_unknown_element(in, e);
    }
    if (!kind) {
        tt_findings_add(in->f, TT_SEV_ERROR, node->line, "FMI2-TYPE-ELEMENT",
                        "<%s> has no <Real%s>, <Integer%s>, <Boolean%s>, "
                        "<String%s> or <Enumeration%s> in it and is ignored",
                        outer, suffix, suffix, suffix, suffix, suffix);
        return 0;
    }
    md_attrs(in, node, allowed);
    name_type(in, t, index);
    t->type = md_type_of(version, kind->name, suffix);
    md_attrs(in, kind, attrs2(t->type));
    md_read_range(in, t->type, &t->range);
    if (t->type == TT_ENUM32)
        read_items(in, kind, t);
    return 1;
}

static uint32_t read_type3(struct md_in *in, const struct tt_xml_node *node,
                           struct tt_md_type *t, uint32_t index)
{
    static const char *const children[] = {"Annotations", NULL};

    t->type = md_type_of(TT_FMI_3, node->name, "Type");
    if (t->type == TT_TYPE_N) {
        md_unknown_element(in, node);
        return 0;
    }
    md_attrs(in, node, attrs3(t->type));
    name_type(in, t, index);
    md_read_range(in, t->type, &t->range);
    t->mime = md_get_text(in, MD_MIME);
    (void)md_get_u64(in, MD_MAX_SIZE, &t->max_size);
    md_read_clock(in, &t->clock);
    if (t->type == TT_ENUM64)
        read_items(in, node, t);
    else
        md_only(in, node, children);
    return 1;
}

void md_read_types(struct md_in *in, const struct tt_xml_node *node)
{
    struct tt_md_type *type = md_alloc(in, md_count(node, NULL), sizeof(*type));
    uint32_t n = 0;

    for (const struct tt_xml_node *e = node->children; e && type; e = e->next)
        n += in->md->version == TT_FMI_3 ? read_type3(in, e, &type[n], n)
                                         : read_type2(in, e, &type[n], n);
    in->md->type = type;
    in->md->type_n = n;
}
