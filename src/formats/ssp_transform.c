/* SPDX-License-Identifier: MIT */
/* What becomes of values on their way: factors, tables, and one behind the
 * other. */
#include <math.h>
#include <string.h>

#include "formats/ssp_impl.h"
#include "formats/ssp_write.h"
#include "sys/file.h"

static enum tt_code whole(struct ssp *s, const struct ssp_doc *d,
                          const struct tt_xml_node *entry, const char *name,
                          double *value)
{
    const char *text = NULL;
    enum tt_code rc = ssp_need(s, d, entry, name, &text);

    if (rc != TT_OK)
        return rc;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        *value = text[0] == 't';
        return TT_OK;
    }
    return ssp_number(s, d, entry, name, value);
}

/* A source value stands in a table once. */
static void warn_twice(struct ssp *s, const struct ssp_doc *d,
                       const struct tt_xml_node *table)
{
    for (const struct tt_xml_node *e = table->children; e; e = e->next) {
        const char *from = tt_xml_value(e, "source");
        const struct tt_xml_node *other = table->children;

        while (from && other != e &&
               (!tt_xml_value(other, "source") ||
                strcmp(tt_xml_value(other, "source"), from) != 0))
            other = other->next;
        if (from && other != e)
            tt_sc_warn(s->b, ssp_where(d, e), NULL,
                       "<%s> maps '%s' twice, which the standard forbids; the "
                       "first counts",
                       table->name, from);
    }
}

static enum tt_code read_map(struct ssp *s, const struct ssp_doc *d,
                             const struct tt_xml_node *table,
                             struct tt_sc_transform *by)
{
    struct tt_sc_mapped *map;
    enum tt_code rc = TT_OK;
    uint32_t n = 0;

    for (const struct tt_xml_node *e = table->children; e; e = e->next)
        n += strcmp(e->name, "MapEntry") == 0;
    map = tt_sc_room(s->b, n, sizeof(*map));
    if (!map)
        return tt_sc_no_memory(s->b);
    by->map = map;
    warn_twice(s, d, table);
    for (const struct tt_xml_node *e = table->children; rc == TT_OK && e;
         e = e->next) {
        if (strcmp(e->name, "MapEntry") != 0)
            continue;
        rc = whole(s, d, e, "source", &map[by->n_map].from);
        if (rc == TT_OK)
            rc = whole(s, d, e, "target", &map[by->n_map].to);
        by->n_map++;
    }
    return rc;
}

static enum tt_code read_one(struct ssp *s, const struct ssp_doc *d,
                             const struct tt_xml_node *c,
                             struct tt_sc_transform *by)
{
    enum tt_code rc;

    if (strcmp(c->name, "LinearTransformation") != 0)
        return read_map(s, d, c, by);
    rc = ssp_number(s, d, c, "factor", &by->factor);
    return rc == TT_OK ? ssp_number(s, d, c, "offset", &by->offset) : rc;
}

enum tt_code ssp_transform(struct ssp *s, const struct ssp_doc *d,
                           const struct tt_xml_node *node,
                           const struct tt_sc_transform **by)
{
    static const char *const name[] = {"LinearTransformation",
                                       "BooleanMappingTransformation",
                                       "IntegerMappingTransformation"};
    struct tt_sc_transform t = {.factor = 1}, *kept;
    const struct tt_xml_node *found = NULL;
    enum tt_code rc = TT_OK;

    *by = NULL;
    for (size_t i = 0; !found && i < sizeof(name) / sizeof(*name); i++)
        found = ssp_child(node, name[i]);
    t.keep_unit = ssp_is_true(node, "suppressUnitConversion");
    if (!found && !t.keep_unit)
        return TT_OK;
    if (found)
        rc = read_one(s, d, found, &t);
    kept = tt_sc_room(s->b, 1, sizeof(*kept));
    if (rc != TT_OK || !kept)
        return rc != TT_OK ? rc : tt_sc_no_memory(s->b);
    *kept = t;
    *by = kept;
    return TT_OK;
}

/* --- items by name ----------------------------------------------------------
 */

/* What an enumeration's items are called: in a file, or in an FMU. */
struct naming {
    const char *pin;
    const struct ssp_doc *doc;
    const struct tt_xml_node *list;
    tt_unit_type *type; /* owned */
    const struct tt_items *items;
};

static const struct tt_xml_node *defined(const struct ssp *s, uint32_t pin)
{
    const struct ssp_pin *p = &s->pin[pin];
    const struct tt_xml_node *root =
        tt_xml_root(s->element[p->element].doc->xml);

    return p->enumeration
               ? ssp_named(ssp_child(root, "Enumerations"), p->enumeration)
               : NULL;
}

/* The next connector that has the same values, towards the source or away from
 * it. */
static uint32_t beyond(const struct ssp *s, uint32_t pin, int back)
{
    uint32_t i = back ? pin : 0;

    while (!back && i < s->n_pin &&
           (s->pin[i].driver != pin || s->pin[i].by || s->pin[i].items))
        i++;
    if (!back)
        return i < s->n_pin ? i : TT_NONE;
    return s->pin[i].by || s->pin[i].items ? TT_NONE : s->pin[i].driver;
}

/* The variable that a connector of a component is. */
static enum tt_code open_variable(struct ssp *s, uint32_t pin, struct naming *n)
{
    const struct ssp_element *e = &s->element[s->pin[pin].element];
    const char *path = NULL;
    enum tt_code rc = ssp_path(s, e->doc, e->source, &path);
    uint32_t i;

    if (rc != TT_OK || !tt_path_ends(path, ".fmu"))
        return rc;
    if (tt_sc_is_outside(s->b, path))
        return tt_fail(s->err, TT_EINPUT, "%s: it is outside of the package",
                       path);
    n->type = ssp_open_type(path);
    i = n->type ? tt_desc_find(&n->type->desc, s->pin[pin].name) : TT_NONE;
    n->items = i != TT_NONE ? n->type->desc.port[i].items : NULL;
    return TT_OK;
}

static enum tt_code find_naming(struct ssp *s, uint32_t pin, int back,
                                struct naming *n)
{
    *n = (struct naming){.pin = s->pin[pin].name};
    for (size_t k = 0; pin != TT_NONE && k < s->n_pin; k++) {
        if (s->pin[pin].whole != TT_NONE)
            pin = s->pin[pin].whole;
        n->doc = s->element[s->pin[pin].element].doc;
        n->list = defined(s, pin);
        if (n->list)
            return TT_OK;
        if (s->element[s->pin[pin].element].what == SSP_COMPONENT)
            return open_variable(s, pin, n);
        pin = beyond(s, pin, back);
    }
    return TT_OK;
}

static enum tt_code item_of(struct ssp *s, const struct ssp_doc *d,
                            const struct tt_xml_node *entry, const char *name,
                            const struct naming *n, double *value)
{
    const struct tt_xml_node *item;
    const struct tt_item *known;
    const char *text = NULL;
    enum tt_code rc = ssp_need(s, d, entry, name, &text);

    if (rc != TT_OK)
        return rc;
    if (!n->list && !n->items)
        return tt_sc_fail(s->b, ssp_where(d, entry), TT_EINPUT,
                          "the connector '%s' has no enumeration that the file "
                          "or an FMU defines: '%s' is no number; map numbers "
                          "with <IntegerMappingTransformation>",
                          n->pin, text);
    item = n->list ? ssp_named(n->list, text) : NULL;
    if (item)
        return whole(s, n->doc, item, "value", value);
    known = tt_items_find(n->items, text);
    if (known) {
        *value = (double)known->value;
        return TT_OK;
    }
    return tt_sc_fail(s->b, ssp_where(d, entry), TT_EINPUT,
                      "the enumeration%s%s%s of '%s' has no item '%s'",
                      n->list ? " '" : "",
                      n->list ? tt_xml_value(n->list, "name") : "",
                      n->list ? "'" : "", n->pin, text);
}

/* Items by name, as the numbers that are exchanged. */
static enum tt_code read_items(struct ssp *s, struct ssp_pin *p,
                               const struct naming *from,
                               const struct naming *to)
{
    const struct ssp_doc *d = p->items_doc;
    struct tt_sc_transform *by = tt_sc_room(s->b, 1, sizeof(*by));
    struct tt_sc_mapped *map;
    enum tt_code rc = TT_OK;
    uint32_t n = 0;

    for (const struct tt_xml_node *e = p->items->children; e; e = e->next)
        n++;
    map = tt_sc_room(s->b, n, sizeof(*map));
    if (!by || !map)
        return tt_sc_no_memory(s->b);
    *by = (struct tt_sc_transform){.factor = 1, .map = map};
    warn_twice(s, d, p->items);
    for (const struct tt_xml_node *e = p->items->children; rc == TT_OK && e;
         e = e->next) {
        if (strcmp(e->name, "MapEntry") != 0)
            continue;
        rc = item_of(s, d, e, "source", from, &map[by->n_map].from);
        if (rc == TT_OK)
            rc = item_of(s, d, e, "target", to, &map[by->n_map++].to);
    }
    p->by = by;
    return rc;
}

static void close_naming(const struct naming *n)
{
    if (n->type)
        n->type->kind->close(n->type);
}

enum tt_code ssp_map_items(struct ssp *s)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; rc == TT_OK && i < s->n_pin; i++) {
        struct ssp_pin *p = &s->pin[i];
        struct naming from = {0}, to = {0};

        if (!p->items)
            continue;
        rc = find_naming(s, p->driver, 1, &from);
        if (rc == TT_OK)
            rc = find_naming(s, i, 0, &to);
        if (rc == TT_OK)
            rc = read_items(s, p, &from, &to);
        close_naming(&from);
        close_naming(&to);
    }
    return rc;
}

/* --- one behind the other ---------------------------------------------------
 */

/* The whole number that a factor and an offset make `v` of. 0: there is none,
 * or each is. */
static int taken_from(const struct tt_sc_transform *by, double v, double *from)
{
    if (by->factor == 0)
        return 0;
    *from = round((v - by->offset) / by->factor);
    return by->factor * *from + by->offset == v;
}

int ssp_is_mapped(const struct tt_sc_transform *by, double v)
{
    uint32_t i = 0;

    while (i < by->n_map && by->map[i].from != v)
        i++;
    return i < by->n_map;
}

/* What both tables have: values of the first one, then those that the second
 * one has of what the first one leaves. */
static enum tt_code combine_maps(struct ssp *s,
                                 const struct tt_sc_transform *first,
                                 const struct tt_sc_transform *then,
                                 struct tt_sc_transform *both)
{
    size_t most = (size_t)first->n_map + then->n_map;
    struct tt_sc_mapped *map;
    double from;

    if (!most)
        return TT_OK;
    map = most < UINT32_MAX ? tt_sc_room(s->b, most, sizeof(*map)) : NULL;
    if (!map)
        return tt_sc_no_memory(s->b);
    for (uint32_t i = 0; i < first->n_map; i++)
        map[both->n_map++] = (struct tt_sc_mapped){
            first->map[i].from, tt_sc_transformed(then, first->map[i].to)};
    for (uint32_t i = 0; i < then->n_map; i++)
        if (taken_from(first, then->map[i].from, &from) &&
            !ssp_is_mapped(first, from))
            map[both->n_map++] = (struct tt_sc_mapped){from, then->map[i].to};
    both->map = map;
    return TT_OK;
}

enum tt_code ssp_combine(struct ssp *s, const struct tt_sc_transform *first,
                         const struct tt_sc_transform *then,
                         const struct tt_sc_transform **out)
{
    struct tt_sc_transform *both;

    *out = then ? then : first;
    if (!first || !then)
        return TT_OK;
    both = tt_sc_room(s->b, 1, sizeof(*both));
    if (!both)
        return tt_sc_no_memory(s->b);
    both->factor = then->factor * first->factor;
    both->offset = first->factor == 0
                       ? tt_sc_transformed(then, first->offset)
                       : then->factor * first->offset + then->offset;
    both->keep_unit = first->keep_unit || then->keep_unit;
    *out = both;
    return combine_maps(s, first, then, both);
}
