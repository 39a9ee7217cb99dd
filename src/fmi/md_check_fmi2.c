/* SPDX-License-Identifier: MIT */
#include "fmi/md_check_impl.h"

#include <stdlib.h>
#include <string.h>

/* FMI 2.0.5, 2.2.7: variables of one base type with one value reference are
 * aliases, and rules bind them. */

struct aliased {
    uint64_t key; /* base type and value reference */
    uint32_t var;
};

static int by_key(const void *a, const void *b)
{
    const struct aliased *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->var > y->var) - (x->var < y->var);
}

static int settable(const struct tt_md_var *v)
{
    return v->causality == TT_CAUS_PARAMETER || v->causality == TT_CAUS_INPUT;
}

static int same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static int same_start(const struct tt_md_var *a, const struct tt_md_var *b)
{
    if (a->start_n != b->start_n || !a->start_n || a->type != b->type)
        return 0;
    if (a->start_bytes)
        return same_text(a->start_bytes->s, b->start_bytes->s);
    return memcmp(a->start, b->start, tt_type_size(a->type)) == 0;
}

/* Compares a member of the set with the first one that has the property. */
struct set {
    const struct tt_md_var *first, *set, *start, *independent;
};

static void check_settable(struct md_check *c, struct set *s,
                           const struct tt_md_var *v)
{
    if (settable(v) && s->set)
        MD_ERR(c, v->line, "FMI2-ALIAS-SET",
               "variables '%s' and '%s' can both be set and have the same "
               "value reference %u",
               s->set->name, v->name, v->vr);
    else if ((settable(v) && s->independent) ||
             (v->causality == TT_CAUS_INDEPENDENT && s->set))
        MD_ERR(c, v->line, "FMI2-ALIAS-SET",
               "variable '%s' has the value reference %u of '%s'; one can be "
               "set and the other is independent",
               v->name, v->vr, s->set ? s->set->name : s->independent->name);
    if (settable(v) && !s->set)
        s->set = v;
    if (v->causality == TT_CAUS_INDEPENDENT && !s->independent)
        s->independent = v;
}

static void check_member(struct md_check *c, struct set *s,
                         const struct tt_md_var *v)
{
    int constant = v->variability == TT_VAR_CONSTANT;

    if (v->given & TT_MD_GIVEN_START && !constant && s->start)
        MD_ERR(c, v->line, "FMI2-ALIAS-START",
               "variables '%s' and '%s' have the same value reference %u and "
               "both a start value",
               s->start->name, v->name, v->vr);
    else if (v->given & TT_MD_GIVEN_START && !constant)
        s->start = v;
    check_settable(c, s, v);
    if (!s->first) {
        s->first = v;
        return;
    }
    if (constant != (s->first->variability == TT_VAR_CONSTANT) ||
        (constant && !same_start(s->first, v)))
        MD_ERR(c, v->line, "FMI2-ALIAS-CONSTANT",
               "variables '%s' and '%s' have the same value reference %u, but "
               "are not constants of one value",
               s->first->name, v->name, v->vr);
    if (!same_text(s->first->range.unit_name, v->range.unit_name))
        MD_ERR(c, v->line, "FMI2-ALIAS-UNIT",
               "variables '%s' and '%s' have the same value reference %u but "
               "not the same unit",
               s->first->name, v->name, v->vr);
}

void md_check_aliases(struct md_check *c)
{
    uint32_t n = c->md->var_n;
    struct aliased *list;
    struct set set = {.first = NULL};

    if (c->md->vrs->n == n)
        return; /* no value reference is there twice */
    list = tt_arena_alloc(c->arena, n, sizeof(*list));
    if (!list) {
        c->nomem = 1;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct tt_md_var *v = &c->md->var[i];

        list[i].key = (uint64_t)md_vr_group(TT_FMI_2, v->type) << 32 | v->vr;
        list[i].var = i;
    }
    qsort(list, n, sizeof(*list), by_key);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || list[i].key != list[i - 1].key)
            set = (struct set){.first = NULL};
        if (c->md->var[list[i].var].given & TT_MD_GIVEN_VR)
            check_member(c, &set, &c->md->var[list[i].var]);
    }
}
