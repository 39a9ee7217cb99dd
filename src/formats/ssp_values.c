/* SPDX-License-Identifier: MIT */
/* Parameter sets, mappings and bindings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "formats/ssp_impl.h"
#include "sys/file.h"

/* --- one value --------------------------------------------------------------
 */

const struct tt_xml_node *ssp_named(const struct tt_xml_node *list,
                                    const char *name)
{
    for (const struct tt_xml_node *c = list ? list->children : NULL; c;
         c = c->next) {
        const char *n = tt_xml_value(c, "name");

        if (n && strcmp(n, name) == 0)
            return c;
    }
    return NULL;
}

/* The unit of a value, as its file defines it. */
static enum tt_code quantity_of(struct ssp *s, const struct ssp_doc *d,
                                const struct tt_xml_node *units,
                                const char *name,
                                const struct tt_quantity **out)
{
    const struct tt_xml_node *unit = ssp_named(units, name), *b;
    struct tt_quantity *q = tt_sc_room(s->b, 1, sizeof(*q));
    double exponent;
    enum tt_code rc = TT_OK;

    if (!q || !(q->name = tt_sc_keep(s->b, name)))
        return tt_sc_no_memory(s->b);
    b = unit ? ssp_child(unit, "BaseUnit") : NULL;
    q->factor = 1;
    q->has_base = b != NULL;
    for (size_t i = 0; rc == TT_OK && b && i < TT_SC_BASE_UNITS; i++) {
        exponent = 0;
        rc = ssp_number(s, d, b, tt_sc_base_units[i], &exponent);
        q->exponent[i] = (int8_t)exponent;
    }
    if (rc == TT_OK && b)
        rc = ssp_number(s, d, b, "factor", &q->factor);
    if (rc == TT_OK && b)
        rc = ssp_number(s, d, b, "offset", &q->offset);
    *out = q;
    return rc;
}

/* An item's number, where its enumeration is defined. Its name stays: a
 * variable that has an item of this name has a number of its own for it. */
static void item_value(const struct tt_xml_node *enums, const char *type,
                       struct tt_sc_value *v)
{
    const struct tt_xml_node *list = type ? ssp_named(enums, type) : NULL;
    const struct tt_xml_node *item = ssp_named(list, v->text);
    const char *number = item ? tt_xml_value(item, "value") : NULL;

    if (number && tt_num_parse_i64(number, &v->integer) == 0) {
        v->kind = TT_SC_INTEGER;
        v->number = (double)v->integer;
    }
}

static int is_real(const char *type)
{
    return strcmp(type, "Real") == 0 || strncmp(type, "Float", 5) == 0;
}

static int is_text(const char *type)
{
    return strcmp(type, "String") == 0 || strcmp(type, "Enumeration") == 0 ||
           strcmp(type, "Binary") == 0;
}

int ssp_scalar(const char *type, const char *text, struct tt_sc_value *v)
{
    *v = (struct tt_sc_value){.kind = TT_SC_TEXT, .text = text};
    if (is_text(type))
        return 0;
    if (strcmp(type, "Boolean") == 0) {
        v->kind = TT_SC_BOOL;
        v->integer = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
        v->number = (double)v->integer;
        return v->integer || strcmp(text, "false") == 0 ||
                       strcmp(text, "0") == 0
                   ? 0
                   : -1;
    }
    v->kind = TT_SC_NUMBER;
    if (is_real(type) || strcmp(type, "UInt64") == 0)
        return tt_num_parse(text, &v->number);
    v->kind = TT_SC_INTEGER;
    if (tt_num_parse_i64(text, &v->integer) != 0)
        return -1;
    v->number = (double)v->integer;
    return 0;
}

/* Numbers with blanks between them. */
static int list_of(struct ssp *s, const char *type, const char *text,
                   struct tt_sc_value *out)
{
    struct tt_sc_value *item =
        tt_sc_room(s->b, strlen(text) / 2 + 1, sizeof(*item));
    uint32_t n = 0;
    int bad = !item;

    for (text += strspn(text, " \t\r\n"); !bad && *text;
         text += strspn(text, " \t\r\n")) {
        size_t k = strcspn(text, " \t\r\n");
        const char *one = ssp_text(s, "%.*s", (int)k, text);

        one = one ? tt_sc_keep(s->b, one) : NULL;
        bad = !one || ssp_scalar(type, one, &item[n++]) != 0;
        text += k;
    }
    *out = (struct tt_sc_value){.kind = TT_SC_ARRAY, .item = item, .n = n};
    return bad ? -1 : 0;
}

/* A set of values, and where it is written. */
struct set {
    const struct ssp_doc *doc;
    const struct tt_xml_node *root; /* <ParameterSet> */
};

static const struct tt_xml_node *typed(const struct tt_xml_node *parameter)
{
    for (const struct tt_xml_node *c = parameter->children; c; c = c->next)
        if (strcmp(c->name, "Dimension") != 0 &&
            strcmp(c->name, "Annotations") != 0)
            return c;
    return NULL;
}

/* Texts, items and binaries of a list are elements of their own. */
static enum tt_code read_values(struct ssp *s, const struct set *set,
                                const struct tt_xml_node *v, int is_list,
                                struct tt_sc_value *out)
{
    const struct tt_xml_node *enums = ssp_child(set->root, "Enumerations");
    struct tt_sc_value *item;
    uint32_t n = 0;

    for (const struct tt_xml_node *c = v->children; c; c = c->next)
        n++;
    item = tt_sc_room(s->b, n, sizeof(*item));
    n = 0;
    for (const struct tt_xml_node *c = v->children; item && c; c = c->next) {
        const char *text = tt_xml_value(c, "value");

        if (!text)
            return tt_sc_fail(s->b, ssp_where(set->doc, c), TT_EINPUT,
                              "<%s> has no 'value'", c->name);
        item[n] = (struct tt_sc_value){.kind = TT_SC_TEXT,
                                       .text = tt_sc_keep(s->b, text)};
        if (!item[n].text)
            return tt_sc_no_memory(s->b);
        if (strcmp(v->name, "Enumeration") == 0)
            item_value(enums, tt_xml_value(v, "name"), &item[n]);
        n++;
    }
    if (!item)
        return tt_sc_no_memory(s->b);
    *out = is_list
               ? (struct tt_sc_value){.kind = TT_SC_ARRAY, .item = item, .n = n}
               : item[0];
    return TT_OK;
}

static enum tt_code read_value(struct ssp *s, const struct set *set,
                               const struct tt_xml_node *parameter,
                               struct tt_sc_parameter *out)
{
    const struct tt_xml_node *v = typed(parameter);
    const char *text = v ? tt_xml_value(v, "value") : NULL, *unit;
    int is_list = ssp_child(parameter, "Dimension") != NULL;
    enum tt_code rc = TT_OK;

    if (v && v->children && text)
        tt_sc_warn(s->b, ssp_where(set->doc, v), NULL,
                   "the parameter '%s' has a 'value' and <Value> in it, which "
                   "the standard forbids; the first counts",
                   tt_xml_value(parameter, "name"));
    if (v && v->children && !text)
        return read_values(s, set, v, is_list, &out->value);
    if (!text)
        return tt_sc_fail(s->b, ssp_where(set->doc, parameter), TT_EINPUT,
                          "the parameter '%s' has no value",
                          tt_xml_value(parameter, "name"));
    text = tt_sc_keep(s->b, text);
    if (!text)
        return tt_sc_no_memory(s->b);
    if ((is_list && !is_text(v->name)
             ? list_of(s, v->name, text, &out->value)
             : ssp_scalar(v->name, text, &out->value)) != 0)
        return tt_sc_fail(s->b, ssp_where(set->doc, v), TT_EINPUT,
                          "'%s' is not a value of type %s", text, v->name);
    if (strcmp(v->name, "Enumeration") == 0)
        item_value(ssp_child(set->root, "Enumerations"),
                   tt_xml_value(v, "name"), &out->value);
    unit = is_real(v->name) ? tt_xml_value(v, "unit") : NULL;
    if (unit && *unit)
        rc = quantity_of(s, set->doc, ssp_child(set->root, "Units"), unit,
                         &out->quantity);
    return rc;
}

/* --- to whom ----------------------------------------------------------------
 */

static enum tt_code give_unit(struct ssp *s, uint32_t element, const char *name,
                              struct tt_where w,
                              const struct tt_sc_parameter *value)
{
    const char *text = ssp_text(s, "%s.%s", s->element[element].unit, name);
    struct tt_sc_word ref = {text ? tt_sc_keep(s->b, text) : NULL, w};

    if (!ref.text)
        return tt_sc_no_memory(s->b);
    return s->nested ? ssp_nest_give(s, element, ref, value)
                     : tt_sc_add_parameter(s->b, ref, value);
}

static enum tt_code give_pin(struct ssp *s, uint32_t pin,
                             const struct tt_sc_parameter *value)
{
    s->pin[pin].value = tt_arena_dup(s->arena, value, 1, sizeof(*value));
    return s->pin[pin].value ? TT_OK : tt_sc_no_memory(s->b);
}

/* A name within an element: of a variable, a connector, or "element.name".
 * Names have dots, too: every element whose name fits gets the value. */
static enum tt_code give(struct ssp *s, uint32_t element, const char *name,
                         struct tt_where w, const struct tt_sc_parameter *value)
{
    uint32_t pin;
    enum tt_code rc = TT_OK;

    if (s->element[element].what == SSP_COMPONENT)
        return give_unit(s, element, name, w, value);
    pin = ssp_find_pin(s, element, name);
    if (pin != TT_NONE)
        rc = give_pin(s, pin, value);
    for (const char *dot = strchr(name, '.'); rc == TT_OK && dot;
         dot = strchr(dot + 1, '.')) {
        const char *first = ssp_text(s, "%.*s", (int)(dot - name), name);
        uint32_t e = first ? ssp_find_element(s, element, first) : TT_NONE;

        if (e != TT_NONE && s->element[e].what != SSP_DICTIONARY)
            rc = give(s, e, dot + 1, w, value);
    }
    return rc;
}

/* --- bindings ---------------------------------------------------------------
 */

/* A file in the FMU of a component. */
static enum tt_code read_within(struct ssp *s, uint32_t element,
                                const struct ssp_doc *d,
                                const struct tt_xml_node *named,
                                const char *name, struct ssp_doc **out)
{
    const struct ssp_element *e = &s->element[element];
    const char *fmu = NULL, *source = tt_xml_value(named, "source");
    enum tt_code rc;

    if (e->what != SSP_COMPONENT)
        return tt_sc_fail(s->b, ssp_where(d, named), TT_EINPUT,
                          "'%s' is to be in the FMU of a component, and '%s' "
                          "is a system",
                          source, e->name);
    rc = ssp_path(s, e->doc, tt_xml_value(e->node, "source"), &fmu);
    return rc == TT_OK ? ssp_read_inside(s, fmu, source, name, out) : rc;
}

/* A file of a format that SSP leaves to other standards. */
static int is_of_others(const struct tt_xml_node *named, const char *source)
{
    const char *type = tt_xml_value(named, "type");

    return type && *type && strncmp(type, "application/x-ssp-", 18) != 0 &&
           !tt_path_ends(source, ".ssv") && !tt_path_ends(source, ".ssm");
}

/* A file, or what is written in place: its root element. */
static enum tt_code root_of(struct ssp *s, uint32_t element,
                            const struct ssp_doc *d,
                            const struct tt_xml_node *named,
                            const struct tt_xml_node *inline_in,
                            const char *name, struct set *out)
{
    const char *source = tt_xml_value(named, "source"), *path = NULL;
    const char *base = tt_xml_value(named, "sourceBase");
    struct ssp_doc *file = NULL;
    enum tt_code rc;

    *out = (struct set){d, inline_in ? ssp_child(inline_in, name) : NULL};
    if (out->root && source && *source)
        tt_sc_warn(s->b, ssp_where(d, named), NULL,
                   "<%s> has a 'source' and a <%s> in it, which the standard "
                   "forbids; the latter counts",
                   named->name, name);
    if (out->root)
        return TT_OK;
    if (!source || !*source)
        return tt_sc_fail(s->b, ssp_where(d, named), TT_EINPUT,
                          "<%s> has neither a 'source' nor a <%s> in it",
                          named->name, name);
    if (is_of_others(named, source))
        return tt_sc_fail(s->b, ssp_where(d, named), TT_EINPUT,
                          "'%s' is of type '%s', which is none of SSP", source,
                          tt_xml_value(named, "type"));
    if (base && strcmp(base, "component") == 0) {
        rc = read_within(s, element, d, named, name, &file);
    } else {
        rc = ssp_path(s, d, source, &path);
        if (rc == TT_OK)
            rc = ssp_read(s, path, name, &file);
    }
    if (rc == TT_OK && file)
        *out = (struct set){file, tt_xml_root(file->xml)};
    return rc;
}

/* Names of a set are different. */
static enum tt_code check_names(struct ssp *s, const struct set *set)
{
    const struct tt_xml_node *all = ssp_child(set->root, "Parameters");
    struct tt_names by;
    int added = 0;

    tt_names_init(&by);
    for (const struct tt_xml_node *p = all ? all->children : NULL;
         added >= 0 && p; p = p->next) {
        const char *name = tt_xml_value(p, "name");

        added = name ? tt_names_add(&by, name, 0) : 0;
        if (added == 1)
            tt_sc_warn(s->b, ssp_where(set->doc, p), NULL,
                       "the set has two parameters '%s', which the standard "
                       "forbids; the last counts",
                       name);
    }
    tt_names_fini(&by);
    return added < 0 ? tt_sc_no_memory(s->b) : TT_OK;
}

static enum tt_code apply_as_named(struct ssp *s, uint32_t element,
                                   const struct set *set, const char *prefix)
{
    const struct tt_xml_node *all = ssp_child(set->root, "Parameters");
    enum tt_code rc = TT_OK;

    for (const struct tt_xml_node *p = all ? all->children : NULL;
         rc == TT_OK && p; p = p->next) {
        struct tt_sc_parameter value = {.optional = 1};
        const char *name = NULL;

        if (strcmp(p->name, "Parameter") != 0)
            continue;
        rc = ssp_need(s, set->doc, p, "name", &name);
        if (rc == TT_OK)
            rc = read_value(s, set, p, &value);
        name = rc == TT_OK ? ssp_text(s, "%s%s", prefix, name) : NULL;
        if (rc == TT_OK)
            rc = name ? give(s, element, name, ssp_where(set->doc, p), &value)
                      : tt_sc_no_memory(s->b);
    }
    return rc;
}

/* Parameters by name, with what stands before each. */
static enum tt_code index_set(struct ssp *s, const struct set *set,
                              const char *prefix, struct tt_names *by,
                              const struct tt_xml_node ***out)
{
    const struct tt_xml_node *all = ssp_child(set->root, "Parameters");
    const struct tt_xml_node **list;
    uint32_t n = 0;

    for (const struct tt_xml_node *p = all ? all->children : NULL; p;
         p = p->next)
        n++;
    *out = list = tt_arena_alloc(s->arena, n, sizeof(*list));
    n = 0;
    for (const struct tt_xml_node *p = all ? all->children : NULL; list && p;
         p = p->next) {
        const char *name = tt_xml_value(p, "name");

        name = name ? ssp_text(s, "%s%s", prefix, name) : NULL;
        if (name && tt_names_add(by, name, n) < 0)
            return tt_sc_no_memory(s->b);
        if (name)
            list[tt_names_find(by, name)] = p; /* of two the last counts */
        n++;
    }
    return list ? TT_OK : tt_sc_no_memory(s->b);
}

/* The text of an item in the file, which may be a number by now. */
static const char *item_text(const struct tt_xml_node *given, uint32_t i)
{
    const struct tt_xml_node *c = given->children;

    if (tt_xml_value(given, "value"))
        return tt_xml_value(given, "value");
    while (c && i--)
        c = c->next;
    return c ? tt_xml_value(c, "value") : NULL;
}

/* An item of an enumeration becomes another one: both are names. */
static enum tt_code map_item(struct ssp *s, const struct set *map,
                             const struct tt_xml_node *table, const char *name,
                             struct tt_sc_value *v)
{
    const char *from, *to = NULL;
    enum tt_code rc = TT_OK;

    for (const struct tt_xml_node *e = table->children; rc == TT_OK && e;
         e = e->next) {
        if (strcmp(e->name, "MapEntry") != 0)
            continue;
        rc = ssp_need(s, map->doc, e, "source", &from);
        if (rc != TT_OK || !name || strcmp(from, name) != 0)
            continue;
        rc = ssp_need(s, map->doc, e, "target", &to);
        break;
    }
    if (rc != TT_OK || !to)
        return rc;
    *v = (struct tt_sc_value){.kind = TT_SC_TEXT, .text = tt_sc_keep(s->b, to)};
    return v->text ? TT_OK : tt_sc_no_memory(s->b);
}

/* A number that a table has becomes another one; behind it there may be a
 * factor. */
static void map_number(const struct tt_sc_transform *by, struct tt_sc_value *v)
{
    double to;
    int whole;

    if (!by || v->kind == TT_SC_TEXT || v->kind == TT_SC_ARRAY)
        return;
    to = tt_sc_transformed(by, v->number);
    if (to == v->number && !ssp_is_mapped(by, v->number))
        return; /* what is beyond a double's digits stays, too */
    whole = fabs(to) < 0x1p63 && floor(to) == to;
    if (!whole)
        v->kind = TT_SC_NUMBER;
    else if (v->kind == TT_SC_BOOL && to != 0 && to != 1)
        v->kind = TT_SC_INTEGER;
    v->number = to;
    v->integer = whole ? (int64_t)to : 0;
    v->text = NULL;
}

/* A table maps each value of a list. */
static enum tt_code map_values(struct ssp *s, const struct set *map,
                               const struct tt_xml_node *items,
                               const struct tt_xml_node *given,
                               const struct tt_sc_transform *by,
                               struct tt_sc_value *v)
{
    uint32_t n = v->kind == TT_SC_ARRAY ? v->n : 1;
    struct tt_sc_value *item = v;
    enum tt_code rc = TT_OK;

    if (!items && !(by && by->n_map))
        return TT_OK;
    if (v->kind == TT_SC_ARRAY) {
        item = tt_sc_room(s->b, n, sizeof(*item));
        if (!item)
            return tt_sc_no_memory(s->b);
        if (n)
            memcpy(item, v->item, n * sizeof(*item));
        v->item = item;
    }
    for (uint32_t i = 0; rc == TT_OK && i < n; i++) {
        if (items)
            rc = map_item(s, map, items, item_text(given, i), &item[i]);
        map_number(by, &item[i]);
    }
    return rc;
}

static enum tt_code apply_entry(struct ssp *s, uint32_t element,
                                const struct set *set, const struct set *map,
                                const struct tt_xml_node *entry,
                                const struct tt_xml_node *parameter)
{
    struct tt_sc_parameter value = {.optional = 1};
    const struct tt_xml_node *items = ssp_child(entry, SSP_ITEMS);
    const char *target = tt_xml_value(entry, "target");
    enum tt_code rc = read_value(s, set, parameter, &value);

    if (rc == TT_OK)
        rc = ssp_transform(s, map->doc, entry, &value.by);
    if (rc == TT_OK)
        rc =
            map_values(s, map, items, typed(parameter), value.by, &value.value);
    if (rc != TT_OK)
        return rc;
    if (value.by && value.by->n_map)
        value.by = NULL; /* done */
    return give(s, element, target, ssp_where(map->doc, entry), &value);
}

/* The value an entry maps; NULL: none, as the set has no such parameter. */
static const struct tt_xml_node *source_of(struct ssp *s, const struct set *map,
                                           const struct tt_xml_node *entry,
                                           const struct tt_names *by,
                                           const struct tt_xml_node **list)
{
    const char *source = tt_xml_value(entry, "source");
    const char *target = tt_xml_value(entry, "target");
    uint32_t at;

    if (!source || !*source || !target || !*target) {
        tt_sc_warn(s->b, ssp_where(map->doc, entry), NULL,
                   "<MappingEntry> has no '%s' and is left out",
                   source && *source ? "target" : "source");
        return NULL;
    }
    at = tt_names_find(by, source);
    return at == TT_NONE ? NULL : list[at];
}

/* "MUST NOT map multiple parameters to the same name." */
static enum tt_code check_target(struct ssp *s, const struct set *map,
                                 const struct tt_xml_node *entry,
                                 struct tt_names *targets)
{
    const char *target = tt_xml_value(entry, "target");
    int added = tt_names_add(targets, target, 0);

    if (added == 1)
        tt_sc_warn(s->b, ssp_where(map->doc, entry), NULL,
                   "two parameters are mapped to '%s', which the standard "
                   "forbids; the last counts",
                   target);
    return added < 0 ? tt_sc_no_memory(s->b) : TT_OK;
}

/* Only what is mapped is applied. */
static enum tt_code apply_mapped(struct ssp *s, uint32_t element,
                                 const struct set *set, const struct set *map,
                                 const char *prefix)
{
    const struct tt_xml_node **list = NULL, *parameter;
    struct tt_names by, targets;
    enum tt_code rc;

    tt_names_init(&by);
    tt_names_init(&targets);
    rc = index_set(s, set, prefix, &by, &list);
    for (const struct tt_xml_node *e = map->root->children; rc == TT_OK && e;
         e = e->next) {
        if (strcmp(e->name, "MappingEntry") != 0)
            continue;
        parameter = source_of(s, map, e, &by, list);
        if (parameter)
            rc = check_target(s, map, e, &targets);
        if (rc == TT_OK && parameter)
            rc = apply_entry(s, element, set, map, e, parameter);
    }
    tt_names_fini(&by);
    tt_names_fini(&targets);
    return rc;
}

static enum tt_code apply(struct ssp *s, uint32_t element,
                          const struct ssp_doc *d,
                          const struct tt_xml_node *binding)
{
    const struct tt_xml_node *mapping = ssp_child(binding, "ParameterMapping");
    const char *prefix = tt_xml_value(binding, "prefix");
    struct set set, map;
    enum tt_code rc =
        root_of(s, element, d, binding, ssp_child(binding, "ParameterValues"),
                "ParameterSet", &set);

    if (rc == TT_OK)
        rc = check_names(s, &set);
    if (rc == TT_OK && !mapping)
        return apply_as_named(s, element, &set, prefix ? prefix : "");
    if (rc == TT_OK)
        rc = root_of(s, element, d, mapping, mapping, "ParameterMapping", &map);
    return rc == TT_OK
               ? apply_mapped(s, element, &set, &map, prefix ? prefix : "")
               : rc;
}

static enum tt_code apply_all(struct ssp *s, uint32_t element,
                              const struct ssp_doc *d,
                              const struct tt_xml_node *node)
{
    const struct tt_xml_node *all = ssp_child(node, "ParameterBindings");
    enum tt_code rc = TT_OK;

    for (const struct tt_xml_node *b = all ? all->children : NULL;
         rc == TT_OK && b; b = b->next)
        if (strcmp(b->name, "ParameterBinding") == 0)
            rc = apply(s, element, d, b);
    return rc;
}

/* What a system's connector was given, also as an element of an array that
 * was; 0: nothing. */
static int given_at(struct ssp *s, uint32_t pin, struct tt_sc_parameter *out)
{
    const struct ssp_pin *p = &s->pin[pin];
    const struct tt_sc_parameter *all =
        p->whole == TT_NONE ? NULL : s->pin[p->whole].value;
    char index[32] = "";
    int64_t at = 0;

    if (p->value || !all) {
        *out = p->value ? *p->value : (struct tt_sc_parameter){0};
        return p->value != NULL;
    }
    *out = *all;
    snprintf(index, sizeof(index), "%.*s", (int)strcspn(p->index + 1, "]"),
             p->index + 1);
    if (all->value.kind != TT_SC_ARRAY || tt_num_parse_i64(index, &at) != 0 ||
        at < 1 || at > (int64_t)all->value.n) {
        tt_sc_warn(s->b, p->where, NULL,
                   "the value of '%s' has no element '%s' that could be set",
                   s->pin[p->whole].name, p->name);
        return 0;
    }
    out->value = all->value.item[at - 1];
    return 1;
}

/* Behind what a mapping states; a table is for numbers as they are. */
static enum tt_code lead_through(struct ssp *s,
                                 const struct tt_sc_transform *chain,
                                 struct tt_sc_parameter *value)
{
    enum tt_code rc = ssp_combine(s, value->by, chain, &value->by);

    if (rc != TT_OK || !chain || !chain->n_map)
        return rc;
    rc = map_values(s, NULL, NULL, NULL, value->by, &value->value);
    value->by = NULL;
    return rc;
}

/* ... goes to all that it feeds. */
static enum tt_code give_chains(struct ssp *s)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; rc == TT_OK && i < s->n_pin; i++) {
        const struct ssp_pin *p = &s->pin[i];
        struct tt_sc_parameter value;

        if (s->element[p->element].what != SSP_COMPONENT || p->origin == i ||
            !given_at(s, p->origin, &value))
            continue;
        rc = lead_through(s, p->chain, &value);
        if (rc == TT_OK)
            rc = give_unit(s, p->element, p->name, p->link, &value);
    }
    return rc;
}

/* Elements come behind the systems they are in: backwards, what is further out
 * comes later and wins. */
enum tt_code ssp_bind_values(struct ssp *s)
{
    enum tt_code rc = TT_OK;

    for (uint32_t e = (uint32_t)s->n_element; rc == TT_OK && e-- > 0;) {
        const struct ssp_element *at = &s->element[e];

        rc = apply_all(s, e, at->doc, at->node);
        if (rc == TT_OK && at->outer)
            rc = apply_all(s, e, at->outer_doc, at->outer);
    }
    return rc == TT_OK ? give_chains(s) : rc;
}
