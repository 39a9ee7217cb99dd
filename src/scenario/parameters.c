/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

/* Start values: "parameters", "environmentParameters" and --set. */

static enum tt_code scalar(struct tt_sc_build *b, const struct tt_doc *v,
                           const char *parent, struct tt_sc_value *out)
{
    *out = (struct tt_sc_value){0};
    switch (v->kind) {
    case TT_DOC_BOOL:
        out->kind = TT_SC_BOOL;
        out->integer = v->u.integer;
        out->number = (double)v->u.integer;
        return TT_OK;
    case TT_DOC_INTEGER:
        out->kind = TT_SC_INTEGER;
        out->integer = v->u.integer;
        out->number = (double)v->u.integer;
        return TT_OK;
    case TT_DOC_NUMBER:
        out->kind = TT_SC_NUMBER;
        out->number = v->u.number;
        return TT_OK;
    case TT_DOC_TEXT:
        out->kind = TT_SC_TEXT;
        out->text = v->u.text;
        return TT_OK;
    case TT_DOC_NULL:
    case TT_DOC_ARRAY:
    case TT_DOC_OBJECT:
        break;
    }
    return tt_sc_wrong(b, v, parent,
                       parent ? "a number, a boolean or a string (matrices "
                                "are written row by row in one array)"
                              : "a number, a boolean, a string or an array");
}

enum tt_code tt_sc_value(struct tt_sc_build *b, const struct tt_doc *v,
                         struct tt_sc_value *out)
{
    struct tt_sc_value *item;

    if (v->kind != TT_DOC_ARRAY)
        return scalar(b, v, NULL, out);
    if (!TT_NEW_IN(b->s->arena, item, v->n))
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; i < v->n; i++) {
        enum tt_code rc =
            scalar(b, &v->u.child[i], v->key ? v->key : "--set", &item[i]);

        if (rc != TT_OK)
            return rc;
    }
    *out = (struct tt_sc_value){.kind = TT_SC_ARRAY, .item = item, .n = v->n};
    return TT_OK;
}

/* Maestro 2 looks at the instance's name only, whatever the key before it. */
static int by_instance(struct tt_sc_build *b, struct tt_where w,
                       const struct tt_sc_parts *p, uint32_t *unit)
{
    uint32_t u = tt_names_find(&b->unit_by_instance,
                               tt_sc_word(b, p->instance, p->n_instance));

    if (u == TT_NONE || b->unit[u].shared)
        return 0;
    *unit = u;
    if (tt_sc_may_warn(b, TT_SC_WARN_PARAMETER))
        tt_sc_warn(b, w, p->text,
                   "parameter '%s' is taken for '%s', by the name of the "
                   "instance, as Maestro 2 does",
                   p->text, b->unit[u].unit.name);
    return 1;
}

/* Does something name an instance of that FMU, besides parameters? */
static int is_named(struct tt_sc_build *b, uint32_t fmu)
{
    if (!b->named && !(b->named = tt_zalloc((size_t)b->s->n_fmu + 1, 1)))
        return b->starved = 1;
    for (; b->n_named < b->n_unit; b->n_named++)
        if (b->unit[b->n_named].named != TT_SC_BY_PARAMETER)
            b->named[b->unit[b->n_named].unit.fmu] = 1;
    return b->named[fmu];
}

/* A parameter of a unit that nothing else names has no effect and is most
 * often a slip. Only where there are no connections and nothing else names an
 * instance of the FMU does the parameter create it. */
static enum tt_code parameter_unit(struct tt_sc_build *b, struct tt_where w,
                                   const struct tt_sc_parts *p, uint32_t *unit)
{
    struct tt_sc_hint hint;
    const char *name;
    uint32_t fmu;
    size_t n;

    *unit = tt_sc_find_unit(b, p);
    if (*unit != TT_NONE)
        return TT_OK;
    if (b->s->dialect == TT_SC_MAESTRO2 && by_instance(b, w, p, unit))
        return TT_OK;
    fmu = tt_sc_find_fmu(b, p);
    if (fmu != TT_NONE && b->s->n_connection == 0 && !is_named(b, fmu))
        return tt_sc_mention(b, p, w, TT_SC_BY_PARAMETER, unit);
    if (!tt_sc_may_warn(b, TT_SC_WARN_PARAMETER))
        return TT_OK;
    n = fmu == TT_NONE ? p->n_key
                       : (size_t)(p->instance - p->text) + p->n_instance;
    name = tt_sc_word(b, p->text, n);
    hint = fmu == TT_NONE ? tt_sc_fmu_hint(b, name) : tt_sc_unit_hint(b, name);
    tt_sc_warn(b, w, p->text, "unused parameter '%s': there is no %s '%s'%s",
               p->text, fmu == TT_NONE ? "FMU" : "instance", name, hint.s);
    return TT_OK;
}

static enum tt_code add_parameter(struct tt_sc_build *b,
                                  const struct tt_sc_ref *ref,
                                  const struct tt_sc_parameter *like)
{
    tt_scenario *s = b->s;

    if (TT_GROW(b->parameter, s->n_parameter, b->cap_parameter) != 0)
        return tt_sc_no_memory(b);
    b->parameter[s->n_parameter] = *like;
    b->parameter[s->n_parameter++].ref = *ref;
    s->parameter = b->parameter;
    return TT_OK;
}

enum tt_code tt_sc_set_parameter(tt_sc_build *b, struct tt_sc_word ref,
                                 const struct tt_sc_value *value)
{
    return tt_sc_add_parameter(b, ref,
                               &(struct tt_sc_parameter){.value = *value});
}

enum tt_code tt_sc_add_parameter(tt_sc_build *b, struct tt_sc_word ref,
                                 const struct tt_sc_parameter *like)
{
    struct tt_sc_ref r = {.unit = TT_NONE, .where = ref.where};
    struct tt_sc_parts p;
    enum tt_code rc = tt_sc_split_ref(b, ref.text, ref.where, &p);

    if (rc == TT_OK)
        rc = parameter_unit(b, ref.where, &p, &r.unit);
    if (rc != TT_OK || r.unit == TT_NONE)
        return rc;
    r.variable = p.variable;
    return add_parameter(b, &r, like);
}

enum tt_code tt_sc_read_parameters(struct tt_sc_build *b,
                                   const struct tt_doc *v)
{
    enum tt_code rc = tt_sc_object(b, v);

    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++) {
        const struct tt_doc *one = &v->u.child[i];
        struct tt_sc_parameter p = {0};

        if (tt_sc_is_null(one))
            continue;
        rc = one->kind == TT_DOC_OBJECT ? tt_sc_read_detailed(b, one, &p)
                                        : tt_sc_value(b, one, &p.value);
        if (rc == TT_OK)
            rc = tt_sc_add_parameter(b, tt_sc_key_word(one), &p);
        if (tt_sc_pass(b, rc, one->key))
            rc = TT_OK;
    }
    return rc;
}

enum tt_code tt_sc_read_environment(struct tt_sc_build *b,
                                    const struct tt_doc *v)
{
    struct tt_sc_ref *ref = NULL;
    enum tt_code rc = tt_sc_get_refs(b, v, &ref);

    b->environment = v;
    b->s->env_parameter = ref;
    b->s->n_env_parameter = ref ? v->n : 0;
    return rc;
}

/* "{key}.inst.var" of a reference, as a scratch text. */
static const char *ref_text(struct tt_sc_build *b, const struct tt_sc_ref *r)
{
    tt_buf_clear(&b->word);
    tt_buf_str(&b->word, b->unit[r->unit].unit.name);
    tt_buf_char(&b->word, '.');
    tt_buf_str(&b->word, r->variable);
    return b->word.failed ? "" : b->word.data;
}

static void warn_no_value(struct tt_sc_build *b, const char *given)
{
    for (uint32_t i = 0; i < b->s->n_env_parameter; i++)
        if (!given[i] && tt_sc_may_warn(b, TT_SC_WARN_PARAMETER))
            tt_sc_warn(b, b->s->env_parameter[i].where,
                       ref_text(b, &b->s->env_parameter[i]),
                       "the environment parameter '%s' has no value; give "
                       "one in 'parameters' or with --set",
                       ref_text(b, &b->s->env_parameter[i]));
}

/* Maestro takes these from a file of its own at run time. */
enum tt_code tt_sc_check_environment(struct tt_sc_build *b)
{
    const tt_scenario *s = b->s;
    const struct tt_doc *v = b->environment;
    char *given = tt_zalloc((size_t)s->n_env_parameter + 1, 1);
    struct tt_names index;
    int failed = !given;

    tt_names_init(&index);
    for (uint32_t i = 0; !failed && i < s->n_env_parameter; i++)
        failed = tt_names_add(&index, v->u.child[i].u.text, i) < 0;
    for (uint32_t i = 0; !failed && index.n > 0 && i < s->n_parameter; i++) {
        const struct tt_sc_ref *ref = &s->parameter[i].ref;
        uint32_t at = ref->unit == TT_NONE
                          ? TT_NONE
                          : tt_names_find(&index, ref_text(b, ref));

        if (at != TT_NONE)
            given[at] = 1;
    }
    if (!failed)
        warn_no_value(b, given);
    tt_names_fini(&index);
    tt_free(given);
    return failed ? tt_sc_no_memory(b) : TT_OK;
}

/* --set */

static enum tt_code set_json(struct tt_sc_build *b, const char *text,
                             const char *value, struct tt_sc_value *out)
{
    struct tt_text_file f = {"value", value, strlen(value)};
    struct tt_doc d;
    enum tt_code rc =
        tt_doc_parse(&d, &f, TT_NONE, b->nodes, b->s->arena, b->err);

    if (rc != TT_OK)
        return tt_context(b->err, rc, "command line: --set '%s'", text);
    rc = tt_sc_value(b, &d, out);
    if (out->kind == TT_SC_ARRAY)
        out->text = value;
    return rc;
}

void tt_sc_typed(struct tt_sc_value *out, const char *text)
{
    int64_t i;
    double d;

    *out = (struct tt_sc_value){.kind = TT_SC_TEXT, .text = text};
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        out->kind = TT_SC_BOOL;
        out->integer = text[0] == 't';
        out->number = (double)out->integer;
    } else if (*text && !strpbrk(text, " \t\r\n") &&
               tt_num_parse_i64(text, &i) == 0) {
        out->kind = TT_SC_INTEGER;
        out->integer = i;
        out->number = (double)i;
    } else if (strpbrk(text, "0123456789") && !strpbrk(text, " \t\r\n") &&
               tt_num_parse(text, &d) == 0) {
        out->kind = TT_SC_NUMBER;
        out->number = d;
    }
}

const char *tt_sc_value_item(const struct tt_sc_value *v)
{
    int64_t i;

    return v->kind == TT_SC_INTEGER && v->text &&
                   tt_num_parse_i64(v->text, &i) != 0
               ? v->text
               : NULL;
}

static enum tt_code set_value(struct tt_sc_build *b, const char *text,
                              const char *value, struct tt_sc_value *out)
{
    size_t n = strlen(value);

    if (value[0] == '[' || (n > 1 && value[0] == '"' && value[n - 1] == '"'))
        return set_json(b, text, value, out);
    tt_sc_typed(out, value);
    if (out->kind == TT_SC_NUMBER && !isfinite(out->number))
        return tt_sc_fail(b, TT_SC_NOWHERE, TT_EINPUT,
                          "--set '%s': the number is too large", text);
    return TT_OK;
}

/* "{key}.inst.var", "inst.var" when one instance only has that name, or
 * "var" when one unit only has such a variable: which, the plan finds. */
static enum tt_code set_ref(struct tt_sc_build *b, const char *ref,
                            struct tt_sc_ref *out)
{
    const char *dot = strchr(ref, '.');
    struct tt_sc_parts p;
    enum tt_code rc;

    *out = (struct tt_sc_ref){.where = TT_SC_NOWHERE};
    if (tt_sc_split(ref, &p) == 0 && p.variable &&
        (ref[0] == '{' || tt_sc_find_unit(b, &p) != TT_NONE))
        return tt_sc_get_ref(b, ref, out->where, out);
    if (ref[0] != '{' && dot && dot > ref && dot[1]) {
        const char *instance = tt_sc_word(b, ref, (size_t)(dot - ref));

        if (b->n_unit > 1 ||
            tt_names_find(&b->unit_by_instance, instance) != TT_NONE) {
            rc = tt_sc_get_unit(b, instance, out->where, &out->unit);
            out->variable = dot + 1;
            return rc;
        }
    }
    if (ref[0] != '{' && *ref && (b->n_unit == 1 || !dot)) {
        out->unit = b->n_unit == 1 ? 0 : TT_NONE;
        out->variable = ref;
        return TT_OK;
    }
    return tt_sc_fail(b, out->where, TT_EINPUT,
                      "'%s' does not name a variable; write "
                      "'{key}.instance.variable'",
                      ref);
}

enum tt_code tt_sc_set(struct tt_sc_build *b, const char *text)
{
    struct tt_sc_parameter q;
    const char *from = text[0] == '{' ? strchr(text, '}') : text;
    const char *equals = from ? strchr(from, '=') : NULL;
    char *ref, *value;
    enum tt_code rc;

    if (!equals)
        return tt_sc_fail(b, TT_SC_NOWHERE, TT_EINPUT,
                          "--set '%s' lacks a value; write "
                          "--set '{key}.instance.variable=value'",
                          text);
    ref = tt_arena_strndup(b->s->arena, text, (size_t)(equals - text));
    value = tt_arena_strdup(b->s->arena, equals + 1);
    if (!ref || !value)
        return tt_sc_no_memory(b);
    rc = set_ref(b, ref, &q.ref);
    if (rc == TT_OK)
        rc = set_value(b, text, value, &q.value);
    return rc == TT_OK
               ? add_parameter(b, &q.ref,
                               &(struct tt_sc_parameter){.value = q.value})
               : rc;
}
