/* SPDX-License-Identifier: MIT */
#include "fmi/md_check_impl.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int md_enum_has(const struct md_check *c, const struct tt_md_type *t,
                int64_t value)
{
    const int64_t *sorted = c->enum_value[t - c->md->type];

    return sorted &&
           bsearch(&value, sorted, t->item_n, sizeof(value), by_value) != NULL;
}

static void check_items(struct md_check *c, uint32_t index)
{
    const struct tt_md_type *t = &c->md->type[index];
    struct tt_names names;
    int64_t *value;

    if (t->item_n == 0) {
        MD_ERR(c, t->line, "FMI-ENUM-ITEMS", "enumeration '%s' has no items",
               t->name);
        return;
    }
    value = tt_arena_alloc(c->arena, t->item_n, sizeof(*value));
    if (!value) {
        c->nomem = 1;
        return;
    }
    tt_names_init(&names);
    for (uint32_t i = 0; i < t->item_n; i++) {
        value[i] = t->item[i].value;
        switch (tt_names_add(&names, t->item[i].name, i)) {
        case 0:
            break;
        case 1:
            MD_ERR(c, t->item[i].line, "FMI-ENUM-ITEMS",
                   "item '%s' of enumeration '%s' is there twice",
                   t->item[i].name, t->name);
            break;
        default:
            c->nomem = 1;
        }
    }
    tt_names_fini(&names);
    qsort(value, t->item_n, sizeof(*value), by_value);
    for (uint32_t i = 1; i < t->item_n; i++) {
        if (value[i] == value[i - 1])
            MD_ERR(c, t->line, "FMI-ENUM-ITEMS",
                   "enumeration '%s' has two items of value %lld", t->name,
                   (long long)value[i]);
    }
    c->enum_value[index] = value;
}

static void check_type(struct md_check *c, uint32_t index,
                       const struct tt_names *units)
{
    const struct tt_md_type *t = &c->md->type[index];
    const struct tt_md_range *r = &t->range;

    if (t->type == TT_ENUM32 || t->type == TT_ENUM64)
        check_items(c, index);
    if (r->unit_name && tt_names_find(units, r->unit_name) == TT_NONE)
        MD_ERR(c, t->line, "FMI-TYPE-UNIT",
               "unit '%s' of type '%s' is not defined", r->unit_name, t->name);
    if (r->display_name && !r->unit_name)
        MD_ERR(c, t->line, "FMI-TYPE-UNIT",
               "type '%s' has a display unit but no unit", t->name);
    if (r->min > r->max)
        MD_ERR(c, t->line, "FMI-TYPE-RANGE",
               "min is larger than max in type '%s'", t->name);
    if (tt_md_find(c->md, t->name) != TT_NONE)
        MD_ERR(c, t->line, "FMI-TYPE-NAME",
               "type '%s' has the name of a variable", t->name);
}

static void check_unit(struct md_check *c, const struct tt_md_unit *u)
{
    if (u->has_base && u->factor == 0)
        MD_ERR(c, u->line, "FMI-UNIT-FACTOR", "factor of unit '%s' is 0",
               u->name);
    for (uint32_t i = 0; i < u->display_n; i++) {
        const struct tt_md_display_unit *d = &u->display[i];

        if (d->factor == 0)
            MD_ERR(c, d->line, "FMI-UNIT-FACTOR",
                   "factor of display unit '%s' is 0", d->name);
        if (d->inverse && d->offset != 0)
            MD_ERR(c, d->line, "FMI3-UNIT-INVERSE",
                   "display unit '%s' is inverse and has an offset", d->name);
    }
}

static void check_categories(struct md_check *c)
{
    struct tt_names names;

    tt_names_init(&names);
    for (uint32_t i = 0; i < c->md->category_n; i++) {
        const struct tt_md_category *k = &c->md->category[i];
        int rc = tt_names_add(&names, k->name, i);

        if (rc < 0)
            c->nomem = 1;
        if (rc == 1)
            MD_ERR(c, k->line, "FMI-LOG-UNIQUE",
                   "log category '%s' is there twice", k->name);
    }
    tt_names_fini(&names);
}

void md_check_definitions(struct md_check *c)
{
    struct tt_names units;

    tt_names_init(&units);
    for (uint32_t i = 0; i < c->md->unit_n; i++) {
        check_unit(c, &c->md->unit[i]);
        if (tt_names_add(&units, c->md->unit[i].name, i) < 0)
            c->nomem = 1;
    }
    for (uint32_t i = 0; i < c->md->type_n; i++)
        check_type(c, i, &units);
    tt_names_fini(&units);
    check_categories(c);
}
