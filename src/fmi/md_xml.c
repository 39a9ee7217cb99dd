/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

#include <string.h>

#include "base/num.h"

static const char *const attr_text[MD_ATTR_N] = {
#define X(id, text) text,
    MD_ATTRS(X)
#undef X
};

const char *md_attr_name(enum md_attr a)
{
    return attr_text[a];
}

int md_is(const struct tt_xml_node *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}

uint32_t md_count(const struct tt_xml_node *parent, const char *name)
{
    uint32_t n = 0;

    for (const struct tt_xml_node *e = parent->children; e; e = e->next)
        n += !name || md_is(e, name);
    return n;
}

const struct tt_xml_node *md_first(const struct tt_xml_node *parent,
                                   const char *name)
{
    const struct tt_xml_node *e = parent->children;

    while (e && !md_is(e, name))
        e = e->next;
    return e;
}

const struct tt_xml_node *md_next(const struct tt_xml_node *node)
{
    const struct tt_xml_node *e = node->next;

    while (e && !md_is(e, node->name))
        e = e->next;
    return e;
}

static const char *word_get(const void *ctx, size_t i)
{
    const char *const *words = ctx;

    return words[i] ? words[i] : "";
}

void md_unknown_element(struct md_in *in, const struct tt_xml_node *node)
{
    tt_findings_add(in->f, TT_SEV_WARNING, node->line, "FMI-XML-ELEMENT",
                    "element <%s> is not known in <%s> and is ignored",
                    node->name, node->parent ? node->parent->name : "");
}

void md_only(struct md_in *in, const struct tt_xml_node *parent,
             const char *const *names)
{
    for (const struct tt_xml_node *e = parent->children; e; e = e->next) {
        const char *const *known = names;

        while (*known && !md_is(e, *known))
            known++;
        if (!*known)
            md_unknown_element(in, e);
    }
}

static const char *allowed_get(const void *ctx, size_t i)
{
    const uint8_t *allowed = ctx;

    return attr_text[allowed[i]];
}

static void unknown_attr(struct md_in *in, const char *name,
                         const uint8_t *allowed)
{
    size_t n = 0;
    const char *near = NULL;

    while (allowed[n] != MD_END)
        n++;
    if (!tt_findings_full(in->f, "FMI-XML-ATTRIBUTE"))
        near = tt_names_nearest(name, n, allowed_get, allowed);
    tt_findings_add(in->f, TT_SEV_WARNING, in->line, "FMI-XML-ATTRIBUTE",
                    "attribute '%s' is not known in <%s> and is ignored%s%s%s",
                    name, in->element, near ? "; did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
}

void md_attrs(struct md_in *in, const struct tt_xml_node *node,
              const uint8_t *allowed)
{
    memset(in->value, 0, sizeof(in->value));
    in->line = node->line;
    in->element = node->name;
    for (uint32_t i = 0; i < node->attr_n; i++) {
        const uint8_t *k = allowed;

        while (*k != MD_END && in->attr_name[*k] != node->attr[i].name)
            k++;
        if (*k == MD_END)
            unknown_attr(in, node->attr[i].name, allowed);
        else
            in->value[*k] = node->attr[i].value;
    }
}

void *md_alloc(struct md_in *in, size_t n, size_t size)
{
    void *p = n ? tt_arena_alloc(in->md->arena, n, size) : NULL;

    if (n && !p)
        in->nomem = 1;
    return p;
}

void *md_alloc_for(struct md_in *in, const struct tt_xml_node *parent,
                   const char *name, size_t size)
{
    return md_alloc(in, md_count(parent, name), size);
}

int md_name_add(struct md_in *in, struct tt_names *m, const char *name,
                uint32_t index)
{
    int rc = name ? tt_names_add(m, name, index) : -1;

    if (rc < 0)
        in->nomem = 1;
    return rc == 1;
}

void md_bad_value(struct md_in *in, enum md_attr a, const char *what)
{
    tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-XML-VALUE",
                    "%s=\"%s\" of <%s> is not %s", attr_text[a], in->value[a],
                    in->element, what);
}

int md_get_f64(struct md_in *in, enum md_attr a, double *v)
{
    if (!in->value[a])
        return 0;
    if (tt_num_parse(in->value[a], v) == 0)
        return 1;
    md_bad_value(in, a, "a number");
    return 0;
}

/* Integers in range lo..hi. "3.0" is clear though not valid. */
static int get_int(struct md_in *in, enum md_attr a, int64_t lo, int64_t hi,
                   int64_t *v)
{
    const char *s = in->value[a];
    int64_t i;
    double d;

    if (!s)
        return 0;
    if (tt_num_parse_i64(s, &i) == 0 && i >= lo && i <= hi) {
        *v = i;
        return 1;
    }
    /* within 2^53, so that the conversion is exact */
    if (tt_num_parse(s, &d) == 0 && d >= -9007199254740992.0 &&
        d <= 9007199254740992.0 && (double)(int64_t)d == d &&
        (int64_t)d >= lo && (int64_t)d <= hi) {
        *v = (int64_t)d;
        tt_findings_add(in->f, TT_SEV_WARNING, in->line, "FMI-XML-INTEGER",
                        "%s=\"%s\" of <%s> should be written as an integer",
                        attr_text[a], s, in->element);
        return 1;
    }
    md_bad_value(in, a,
                 lo < 0 ? "an integer in range"
                        : "a non-negative integer in range");
    return 0;
}

int md_get_u32(struct md_in *in, enum md_attr a, uint32_t *v)
{
    int64_t i;

    if (!get_int(in, a, 0, UINT32_MAX, &i))
        return 0;
    *v = (uint32_t)i;
    return 1;
}

int md_get_i32(struct md_in *in, enum md_attr a, int32_t *v)
{
    int64_t i;

    if (!get_int(in, a, INT32_MIN, INT32_MAX, &i))
        return 0;
    *v = (int32_t)i;
    return 1;
}

int md_get_i64(struct md_in *in, enum md_attr a, int64_t *v)
{
    return get_int(in, a, INT64_MIN, INT64_MAX, v);
}

int md_get_u64(struct md_in *in, enum md_attr a, uint64_t *v)
{
    int64_t i;

    if (in->value[a] && tt_num_parse_u64(in->value[a], v) == 0)
        return 1;
    if (!get_int(in, a, 0, INT64_MAX, &i))
        return 0;
    *v = (uint64_t)i;
    return 1;
}

int md_get_bool(struct md_in *in, enum md_attr a, int *v)
{
    static const char *const words[] = {"false", "true", "0",     "1",
                                        "False", "True", "FALSE", "TRUE"};
    const char *s = in->value[a];

    if (!s)
        return 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(s, words[i]) != 0)
            continue;
        if (i >= 4)
            tt_findings_add(in->f, TT_SEV_WARNING, in->line, "FMI-XML-BOOLEAN",
                            "%s=\"%s\" of <%s> should be written \"%s\"",
                            attr_text[a], s, in->element, words[i % 2]);
        *v = (int)(i % 2);
        return 1;
    }
    md_bad_value(in, a, "a boolean");
    return 0;
}

int md_get_word(struct md_in *in, enum md_attr a, const char *const *words,
                size_t n, unsigned *v)
{
    const char *s = in->value[a];
    const char *near = NULL;

    if (!s)
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (words[i] && strcmp(s, words[i]) == 0) {
            *v = (unsigned)i;
            return 1;
        }
    }
    if (!tt_findings_full(in->f, "FMI-XML-VALUE"))
        near = tt_names_nearest(s, n, word_get, words);
    tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-XML-VALUE",
                    "%s=\"%s\" of <%s> is not one of the values allowed%s%s%s",
                    attr_text[a], s, in->element,
                    near && *near ? "; did you mean \"" : "",
                    near && *near ? near : "", near && *near ? "\"?" : "");
    return 0;
}

const char *md_get_text(struct md_in *in, enum md_attr a)
{
    const char *copy;

    if (!in->value[a])
        return NULL;
    copy = tt_arena_strdup(in->md->arena, in->value[a]);
    if (!copy)
        in->nomem = 1;
    return copy;
}

int md_need(struct md_in *in, enum md_attr a)
{
    if (in->value[a])
        return 1;
    tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-XML-REQUIRED",
                    "<%s> lacks the required attribute '%s'", in->element,
                    attr_text[a]);
    return 0;
}

void md_named(struct md_in *in, const char **name, const char **description,
              int *line)
{
    *name = md_need(in, MD_NAME) ? md_get_text(in, MD_NAME) : "";
    *description = md_get_text(in, MD_DESCRIPTION);
    *line = in->line;
}

static int blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

const char *md_token(const char **list, size_t *n)
{
    const char *s = *list;
    const char *end;

    while (blank(*s))
        s++;
    end = s;
    while (*end && !blank(*end))
        end++;
    *list = end;
    *n = (size_t)(end - s);
    return end == s ? NULL : s;
}

size_t md_token_count(const char *list)
{
    size_t count = 0, n;

    while (md_token(&list, &n))
        count++;
    return count;
}
