/* SPDX-License-Identifier: MIT */
/* Files of an SSP: XML with places. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/uri.h"
#include "formats/ssp_impl.h"
#include "formats/ssp_rules.h"
#include "sys/file.h"
#include "text/archive.h"

char *ssp_text(struct ssp *s, const char *fmt, ...)
{
    va_list ap, again;
    char *text;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    text = n < 0 ? NULL : tt_arena_alloc(s->arena, (size_t)n + 1, 1);
    if (text)
        (void)vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return text;
}

/* As users know it: what was unpacked is in its package. */
static const char *shown(struct ssp *s, const char *path)
{
    for (size_t i = 0; i < s->n_package; i++) {
        const struct ssp_package *p = &s->package[i];
        size_t n = strlen(p->dir);

        if (strncmp(path, p->dir, n) == 0)
            return ssp_text(s, "%s%s", p->path, path + n);
    }
    return path;
}

/* --- reading ----------------------------------------------------------------
 */

static int index_lines(struct ssp_doc *d, const char *text, size_t n)
{
    uint32_t lines = 1;

    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    if (!TT_NEW_ARRAY(d->line, lines))
        return -1;
    d->n_line = 1;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\n')
            d->line[d->n_line++] = (uint32_t)i + 1;
    return 0;
}

static void free_doc(struct ssp_doc *d)
{
    tt_xml_free(d->xml);
    tt_free(d->line);
}

void ssp_free_docs(struct ssp *s)
{
    for (struct ssp_doc *d = s->docs; d; d = d->next)
        free_doc(d);
}

/* Where a line begins, from 1. */
static struct tt_where line_at(const struct ssp_doc *d, int number)
{
    uint32_t line = number > 0 ? (uint32_t)number - 1 : 0;

    if (line >= d->n_line)
        line = d->n_line - 1;
    return (struct tt_where){d->file, d->line[line]};
}

static enum tt_code parse(struct ssp *s, const char *path, const char *dir,
                          const struct tt_buf *text, struct ssp_doc *d)
{
    const char *name = shown(s, path);
    int prefix = 0;
    enum tt_code rc =
        name ? tt_xml_parse_loose(&d->xml, name, text->data ? text->data : "",
                                  text->len, &prefix, s->err)
             : tt_sc_no_memory(s->b);

    if (rc == TT_OK)
        rc = tt_sc_add_file(s->b, name, dir, text->data, text->len);
    if (rc == TT_OK && index_lines(d, text->data, text->len) != 0)
        rc = tt_sc_no_memory(s->b);
    if (rc != TT_OK) {
        free_doc(d);
        return rc;
    }
    d->file = s->n_file++;
    d->dir = tt_arena_strdup(s->arena, dir);
    d->path = tt_arena_strdup(s->arena, path);
    d->next = s->docs;
    s->docs = d;
    if (prefix)
        tt_sc_warn(s->b, line_at(d, prefix), NULL,
                   "a prefix is used here that no namespace is declared for; "
                   "it is taken as one of SSP");
    return d->dir && d->path ? TT_OK : tt_sc_no_memory(s->b);
}

static enum tt_code check_root(struct ssp *s, const struct ssp_doc *d,
                               const char *root)
{
    const struct tt_xml_node *node = tt_xml_root(d->xml);

    if (strcmp(node->name, root) != 0)
        return tt_sc_fail(s->b, ssp_where(d, node), TT_EINPUT,
                          "its root is <%s>, not <%s>", node->name, root);
    return TT_OK;
}

struct ssp_broken {
    struct ssp *s;
    const struct ssp_doc *d;
};

static void warn_broken(void *ctx, int line, const char *rule)
{
    const struct ssp_broken *k = ctx;

    tt_sc_warn(k->s->b, line_at(k->d, line), NULL, "%s", rule);
}

static enum tt_code check_rules(struct ssp *s, const struct ssp_doc *d)
{
    struct ssp_broken k = {s, d};

    (void)ssp_check_rules(d->xml, warn_broken, &k);
    return ssp_check_names(d->xml, warn_broken, &k) == 0
               ? TT_OK
               : tt_sc_no_memory(s->b);
}

static enum tt_code read_entry(struct ssp *s, const char *fmu, const char *name,
                               struct tt_buf *text)
{
    tt_archive *a = NULL;
    enum tt_code rc = tt_archive_open(&a, fmu, s->err);

    if (rc == TT_OK)
        rc = tt_archive_read(a, name, text, s->err);
    tt_archive_close(a);
    return rc;
}

/* The file at `path`, which with an `entry` is in the FMU `from`. */
static enum tt_code read_doc(struct ssp *s, const char *path, const char *from,
                             const char *entry, const char *root,
                             struct ssp_doc **out)
{
    struct ssp_doc *d = tt_arena_alloc(s->arena, 1, sizeof(*d));
    char *dir = tt_path_dir(path);
    struct tt_buf text;
    enum tt_code rc = d && dir ? TT_OK : tt_sc_no_memory(s->b);

    tt_buf_init(&text, SSP_MOST_BYTES);
    if (rc == TT_OK && s->docs && tt_sc_is_outside(s->b, from))
        rc = tt_fail(s->err, TT_EINPUT, "%s: it is outside of the package",
                     from);
    if (rc == TT_OK)
        rc = entry ? read_entry(s, from, entry, &text)
                   : tt_file_read(&text, path, s->err);
    if (rc == TT_OK)
        rc = parse(s, path, dir, &text, d);
    if (rc == TT_OK)
        rc = check_root(s, d, root);
    if (rc == TT_OK && strncmp(root, "Osp", 3) != 0)
        rc = check_rules(s, d);
    if (rc == TT_OK)
        *out = d;
    tt_buf_fini(&text);
    tt_free(dir);
    return rc;
}

static struct ssp_doc *find_doc(const struct ssp *s, const char *path)
{
    struct ssp_doc *d = s->docs;

    while (d && strcmp(d->path, path) != 0)
        d = d->next;
    return d;
}

enum tt_code ssp_read(struct ssp *s, const char *path, const char *root,
                      struct ssp_doc **out)
{
    *out = find_doc(s, path);
    return *out ? check_root(s, *out, root)
                : read_doc(s, path, path, NULL, root, out);
}

enum tt_code ssp_read_inside(struct ssp *s, const char *fmu, const char *name,
                             const char *root, struct ssp_doc **out)
{
    const char *path = ssp_text(s, "%s/%s", fmu, name);

    if (!path)
        return tt_sc_no_memory(s->b);
    *out = find_doc(s, path);
    return *out ? check_root(s, *out, root)
                : read_doc(s, path, fmu, name, root, out);
}

/* --- nodes ------------------------------------------------------------------
 */

struct tt_where ssp_where(const struct ssp_doc *d,
                          const struct tt_xml_node *node)
{
    return line_at(d, node->line);
}

enum tt_code ssp_need(struct ssp *s, const struct ssp_doc *d,
                      const struct tt_xml_node *node, const char *name,
                      const char **value)
{
    *value = tt_xml_value(node, name);
    if (*value && **value)
        return TT_OK;
    return tt_sc_fail(s->b, ssp_where(d, node), TT_EINPUT, "<%s> has no '%s'",
                      node->name, name);
}

enum tt_code ssp_number(struct ssp *s, const struct ssp_doc *d,
                        const struct tt_xml_node *node, const char *name,
                        double *value)
{
    const char *text = tt_xml_value(node, name);

    if (!text || tt_num_parse(text, value) == 0)
        return TT_OK;
    return tt_sc_fail(s->b, ssp_where(d, node), TT_EINPUT,
                      "'%s' of <%s> is '%s', not a number", name, node->name,
                      text);
}

int ssp_is_true(const struct tt_xml_node *node, const char *name)
{
    const char *text = tt_xml_value(node, name);

    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

const struct tt_xml_node *ssp_child(const struct tt_xml_node *node,
                                    const char *name)
{
    for (const struct tt_xml_node *c = node->children; c; c = c->next)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

enum tt_code ssp_path(struct ssp *s, const struct ssp_doc *d, const char *uri,
                      const char **path)
{
    char *plain = tt_uri_path(uri);
    char *unescaped = plain ? tt_uri_unescape(plain) : NULL;
    char *joined = unescaped ? tt_path_join(d->dir, unescaped) : NULL;

    *path = joined ? tt_arena_strdup(s->arena, joined) : NULL;
    TT_FREE_ALL(plain, unescaped, joined);
    return *path ? TT_OK : tt_sc_no_memory(s->b);
}
