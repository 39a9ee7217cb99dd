/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <string.h>

/* Names. A key in braces may contain dots; otherwise the first dot ends it.
 * An instance name contains no dot, a variable may. */

int tt_sc_split(const char *text, struct tt_sc_parts *out)
{
    const char *dot = text, *second;

    *out = (struct tt_sc_parts){.text = text};
    if (text[0] == '{') {
        dot = strchr(text, '}');
        if (!dot)
            return -1;
    }
    dot = strchr(dot, '.');
    if (!dot)
        return -1;
    second = strchr(dot + 1, '.');
    out->n_key = (size_t)(dot - text);
    out->instance = dot + 1;
    out->n_instance = second ? (size_t)(second - dot - 1) : strlen(dot + 1);
    out->variable = second ? second + 1 : NULL;
    return 0;
}

static enum tt_code check_parts(struct tt_sc_build *b,
                                const struct tt_sc_parts *p, struct tt_where w)
{
    const char *empty = NULL;

    if (p->n_key == 0 || (p->n_key == 2 && strncmp(p->text, "{}", 2) == 0))
        empty = "FMU key";
    else if (p->n_instance == 0)
        empty = "instance name";
    else if (p->variable && !*p->variable)
        empty = "variable name";
    if (!empty)
        return TT_OK;
    return tt_sc_fail(b, w, TT_EINPUT, "the %s in '%s' is empty", empty,
                      p->text);
}

enum tt_code tt_sc_split_ref(struct tt_sc_build *b, const char *text,
                             struct tt_where w, struct tt_sc_parts *out)
{
    if (tt_sc_split(text, out) != 0 || !out->variable)
        return tt_sc_fail(b, w, TT_EINPUT,
                          "'%s' does not name a variable; write "
                          "'{key}.instance.variable'",
                          text);
    return check_parts(b, out, w);
}

enum tt_code tt_sc_split_unit(struct tt_sc_build *b, const char *text,
                              struct tt_where w, struct tt_sc_parts *out)
{
    if (tt_sc_split(text, out) != 0)
        return tt_sc_fail(b, w, TT_EINPUT,
                          "'%s' does not name an instance; write "
                          "'{key}.instance'",
                          text);
    if (out->variable)
        return tt_sc_fail(b, w, TT_EINPUT,
                          "the instance name '%s' in '%s' contains a dot",
                          out->instance, text);
    return check_parts(b, out, w);
}

const char *tt_sc_word(struct tt_sc_build *b, const char *s, size_t n)
{
    tt_buf_clear(&b->word);
    tt_buf_add(&b->word, s, n);
    tt_buf_char(&b->word, '\0');
    if (!b->word.failed)
        return b->word.data;
    b->starved = 1;
    return "";
}

uint32_t tt_sc_find_fmu(struct tt_sc_build *b, const struct tt_sc_parts *p)
{
    return tt_names_find(&b->fmu_by_key, tt_sc_word(b, p->text, p->n_key));
}

/* "{key}.instance" is the beginning of the reference. */
static size_t unit_length(const struct tt_sc_parts *p)
{
    return (size_t)(p->instance - p->text) + p->n_instance;
}

uint32_t tt_sc_find_unit(struct tt_sc_build *b, const struct tt_sc_parts *p)
{
    return tt_names_find(&b->unit_by_name,
                         tt_sc_word(b, p->text, unit_length(p)));
}

static const char *fmu_key(const void *ctx, size_t i)
{
    const struct tt_sc_build *b = ctx;

    return b->s->fmu[i].key;
}

static const char *unit_name(const void *ctx, size_t i)
{
    const struct tt_sc_build *b = ctx;

    return b->unit[i].unit.name;
}

static const char *unit_instance(const void *ctx, size_t i)
{
    const struct tt_sc_build *b = ctx;

    return b->unit[i].unit.instance;
}

struct tt_sc_hint tt_sc_fmu_hint(struct tt_sc_build *b, const char *wrong)
{
    return tt_sc_hint(wrong, b->s->n_fmu, fmu_key, b);
}

struct tt_sc_hint tt_sc_unit_hint(struct tt_sc_build *b, const char *wrong)
{
    struct tt_sc_parts p;

    return tt_sc_hint(wrong, b->n_unit,
                      tt_sc_split(wrong, &p) == 0 ? unit_name : unit_instance,
                      b);
}

static enum tt_code fail_fmu(struct tt_sc_build *b, const struct tt_sc_parts *p,
                             struct tt_where w)
{
    const char *key = tt_sc_word(b, p->text, p->n_key);

    return tt_sc_fail(b, w, TT_EINPUT, "there is no FMU '%s', named by '%s'%s",
                      key, p->text, tt_sc_fmu_hint(b, key).s);
}

static enum tt_code add_unit(struct tt_sc_build *b,
                             const struct tt_sc_unit *unit)
{
    uint32_t other = tt_names_find(&b->unit_by_instance, unit->instance);
    struct tt_sc_draft *d;

    if (TT_GROW(b->unit, b->n_unit, b->cap_unit) != 0)
        return tt_sc_no_memory(b);
    d = &b->unit[b->n_unit];
    *d = (struct tt_sc_draft){.unit = *unit, .shared = other != TT_NONE};
    if (other != TT_NONE)
        b->unit[other].shared = 1;
    else if (tt_names_add(&b->unit_by_instance, unit->instance,
                          (uint32_t)b->n_unit) != 0)
        return tt_sc_no_memory(b);
    if (tt_names_add(&b->unit_by_name, unit->name, (uint32_t)b->n_unit) != 0)
        return tt_sc_no_memory(b);
    b->n_unit++;
    return TT_OK;
}

enum tt_code tt_sc_mention(struct tt_sc_build *b, const struct tt_sc_parts *p,
                           struct tt_where w, enum tt_sc_named by,
                           uint32_t *unit)
{
    uint32_t fmu, u = tt_sc_find_unit(b, p);
    enum tt_code rc;

    if (u == TT_NONE) {
        struct tt_sc_unit new = {.where = w,
                                 .evaluates = -1,
                                 .substeps = -1,
                                 .quantum = (double)NAN};

        fmu = tt_sc_find_fmu(b, p);
        if (fmu == TT_NONE)
            return fail_fmu(b, p, w);
        new.fmu = fmu;
        new.instance =
            tt_arena_strndup(b->s->arena, p->instance, p->n_instance);
        new.name = tt_arena_strndup(b->s->arena, p->text, unit_length(p));
        if (!new.instance || !new.name)
            return tt_sc_no_memory(b);
        u = (uint32_t)b->n_unit;
        rc = add_unit(b, &new);
        if (rc != TT_OK)
            return rc;
    }
    b->unit[u].named |= (unsigned)by;
    *unit = u;
    return TT_OK;
}

enum tt_code tt_sc_mention_all(struct tt_sc_build *b,
                               const struct tt_sc_word *word, uint32_t n,
                               enum tt_sc_named by,
                               const struct tt_sc_ref **out)
{
    struct tt_sc_ref *ref = tt_arena_alloc(b->s->arena, n, sizeof(*ref));
    enum tt_code rc = ref ? TT_OK : tt_sc_no_memory(b);

    for (uint32_t i = 0; rc == TT_OK && i < n; i++) {
        struct tt_sc_parts p;

        rc = tt_sc_split_ref(b, word[i].text, word[i].where, &p);
        if (rc == TT_OK)
            rc = tt_sc_mention(b, &p, word[i].where, by, &ref[i].unit);
        ref[i].variable = p.variable;
        ref[i].where = word[i].where;
    }
    *out = ref;
    return rc;
}

/* By instance name alone, which must be unambiguous. */
static enum tt_code get_by_instance(struct tt_sc_build *b, const char *name,
                                    struct tt_where w, uint32_t *unit)
{
    uint32_t u = tt_names_find(&b->unit_by_instance, name);

    if (u == TT_NONE)
        return tt_sc_fail(b, w, TT_EINPUT, "there is no instance '%s'%s", name,
                          tt_sc_unit_hint(b, name).s);
    if (b->unit[u].shared)
        return tt_sc_fail(b, w, TT_EINPUT,
                          "several FMUs have an instance '%s'; write "
                          "'{key}.instance', for example '%s'",
                          name, b->unit[u].unit.name);
    *unit = u;
    return TT_OK;
}

enum tt_code tt_sc_get_unit(struct tt_sc_build *b, const char *name,
                            struct tt_where w, uint32_t *unit)
{
    struct tt_sc_parts p;
    enum tt_code rc;

    if (tt_sc_split(name, &p) != 0)
        return get_by_instance(b, name, w, unit);
    rc = tt_sc_split_unit(b, name, w, &p);
    if (rc != TT_OK)
        return rc;
    *unit = tt_sc_find_unit(b, &p);
    if (*unit != TT_NONE)
        return TT_OK;
    return tt_sc_fail(b, w, TT_EINPUT, "there is no instance '%s'%s", name,
                      tt_sc_unit_hint(b, name).s);
}

enum tt_code tt_sc_get_ref(struct tt_sc_build *b, const char *text,
                           struct tt_where w, struct tt_sc_ref *ref)
{
    struct tt_sc_parts p;
    enum tt_code rc = tt_sc_split_ref(b, text, w, &p);
    uint32_t unit;

    if (rc != TT_OK)
        return rc;
    unit = tt_sc_find_unit(b, &p);
    if (unit == TT_NONE) {
        const char *name = tt_sc_word(b, text, unit_length(&p));

        return tt_sc_fail(b, w, TT_EINPUT,
                          "there is no instance '%s', named by '%s'%s", name,
                          text, tt_sc_unit_hint(b, name).s);
    }
    *ref = (struct tt_sc_ref){unit, p.variable, w};
    return TT_OK;
}

enum tt_code tt_sc_room_for_units(struct tt_sc_build *b, const struct tt_doc *v,
                                  uint32_t **unit, struct tt_where **where)
{
    enum tt_code rc = tt_sc_texts(b, v);

    *unit = tt_arena_alloc(b->s->arena, v->n, sizeof(**unit));
    *where = tt_arena_alloc(b->s->arena, v->n, sizeof(**where));
    return rc != TT_OK || (*unit && *where) ? rc : tt_sc_no_memory(b);
}

enum tt_code tt_sc_get_refs(struct tt_sc_build *b, const struct tt_doc *v,
                            struct tt_sc_ref **out)
{
    enum tt_code rc = tt_sc_texts(b, v);

    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_IN(b->s->arena, *out, v->n))
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++)
        rc = tt_sc_get_ref(b, v->u.child[i].u.text, v->u.child[i].where,
                           &(*out)[i]);
    return rc;
}
