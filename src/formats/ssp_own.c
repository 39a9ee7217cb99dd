/* SPDX-License-Identifier: MIT */
/* What an export of ours has put into an SSP: the scenario itself. */
#include <string.h>

#include "formats/fields.h"
#include "formats/ssp_impl.h"
#include "formats/ssp_write.h"
#include "sys/digest.h"
#include "sys/file.h"

#define ATTR_MAX 64

/* --- the hash of a structure ---------------------------------------------- */

/* Where things stand in a drawing, and notes of tools. */
static int is_aside(const char *name)
{
    static const char *const aside[] = {
        "Annotations",        "ElementGeometry", "ConnectorGeometry",
        "ConnectionGeometry", "SystemGeometry",  "GraphicalElements",
        "MetaData",           "Signature"};

    return tt_name_is_among(name, aside, sizeof(aside) / sizeof(*aside));
}

static void add_text(struct tt_sha256 *h, const char *text)
{
    tt_sha256_add(h, text, strlen(text) + 1);
}

/* Who wrote it when, and what it is called for readers. */
static int is_remark(const char *name)
{
    static const char *const remark[] = {
        "id",        "description", "author",         "fileversion",
        "copyright", "license",     "generationTool", "generationDateAndTime"};

    return tt_name_is_among(name, remark, sizeof(remark) / sizeof(*remark));
}

/* The one behind `last` by name; NULL: there is none. */
static const struct tt_xml_attr *next_attr(const struct tt_xml_node *node,
                                           const char *last)
{
    const struct tt_xml_attr *next = NULL;

    for (uint32_t i = 0; i < node->attr_n; i++) {
        const struct tt_xml_attr *a = &node->attr[i];

        if ((!last || strcmp(a->name, last) > 0) &&
            (!next || strcmp(a->name, next->name) < 0))
            next = a;
    }
    return next;
}

/* Other tools write attributes in orders of their own. More than
 * ATTR_MAX, which no element of the standard has, are taken as they come. */
static void add_attrs(struct tt_sha256 *h, const struct tt_xml_node *node)
{
    int many = node->attr_n > ATTR_MAX;
    const struct tt_xml_attr *a = NULL;

    for (uint32_t i = 0; i < node->attr_n; i++) {
        a = many ? &node->attr[i] : next_attr(node, a ? a->name : NULL);
        if (!a)
            break;
        if (is_remark(a->name))
            continue;
        add_text(h, a->name);
        add_text(h, a->value);
    }
}

static void add_node(struct tt_sha256 *h, const struct tt_xml_node *node)
{
    add_text(h, "<");
    add_text(h, node->name);
    add_attrs(h, node);
    for (const struct tt_xml_node *c = node->children; c; c = c->next)
        if (!is_aside(c->name))
            add_node(h, c);
    add_text(h, ">");
}

void ssp_hash(const tt_xml *xml, char hex[TT_SHA256_HEX])
{
    unsigned char sum[TT_SHA256_BYTES];
    struct tt_sha256 h;

    tt_sha256_init(&h);
    add_node(&h, tt_xml_root(xml));
    tt_sha256_end(&h, sum);
    tt_sha256_hex(sum, hex);
}

int ssp_hash_text(const struct tt_buf *text, const char *name,
                  char hex[TT_SHA256_HEX])
{
    tt_xml *xml = NULL;
    int can = text->data &&
              tt_xml_parse(&xml, name, text->data, text->len, NULL) == TT_OK;

    if (can)
        ssp_hash(xml, hex);
    tt_xml_free(xml);
    return can;
}

/* --- taking it ------------------------------------------------------------ */

static const struct tt_xml_node *find_own(const struct ssp_doc *d)
{
    const struct tt_xml_node *all =
        ssp_child(tt_xml_root(d->xml), "Annotations");

    for (const struct tt_xml_node *a = all ? all->children : NULL; a;
         a = a->next) {
        const struct tt_xml_node *own = ssp_child(a, "Scenario");

        if (own && tt_xml_value(own, "json"))
            return own;
    }
    return NULL;
}

/* 0: it cannot be read. */
static int hash_file(const char *path, char hex[TT_SHA256_HEX])
{
    struct tt_buf b;
    int can;

    tt_buf_init(&b, TT_DOC_MAX);
    can = tt_file_read(&b, path, NULL) == TT_OK && ssp_hash_text(&b, path, hex);
    tt_buf_fini(&b);
    return can;
}

static int is_same_part(struct ssp *s, const struct ssp_doc *d,
                        const struct tt_xml_node *part)
{
    const char *name = tt_xml_value(part, "name");
    const char *sum = tt_xml_value(part, "sha256");
    const char *stated = tt_xml_value(part, "structure");
    const char *path = name ? ssp_text(s, "%s/%s", d->dir, name) : NULL;
    char hex[TT_SHA256_HEX] = "";

    if (path && sum && tt_file_digest(path, hex) && strcmp(hex, sum) == 0)
        return 1;
    return path && stated && hash_file(path, hex) && strcmp(hex, stated) == 0;
}

/* Values that were edited count; another FMU is the same system. */
static int is_current(struct ssp *s, const struct ssp_doc *d,
                      const struct tt_xml_node *own)
{
    const char *stated = tt_xml_value(own, "structure");
    char hash[TT_SHA256_HEX];
    int same;

    ssp_hash(d->xml, hash);
    same = stated && strcmp(stated, hash) == 0;
    for (const struct tt_xml_node *p = own->children; p; p = p->next) {
        const char *name = tt_xml_value(p, "name");

        if (!name || strcmp(p->name, "Part") != 0 || is_same_part(s, d, p))
            continue;
        if (tt_format_is_ssp_xml(name) || tt_path_ends(name, ".ssp"))
            same = 0;
        else
            tt_sc_warn(s->b, ssp_where(d, p), NULL,
                       "'%s' is not the one that the package was written with",
                       name);
    }
    return same;
}

static enum tt_code take(struct ssp *s, const struct ssp_doc *d,
                         const struct tt_xml_node *own,
                         const struct tt_sc_options *o, tt_scenario **out)
{
    struct tt_sc_options options = TT_SC_OPTIONS_INIT;
    const char *json = tt_xml_value(own, "json");
    const char *name = tt_xml_value(tt_xml_root(d->xml), "name");
    const char *left;
    tt_scenario *made = NULL;
    struct tt_buf redrawn;
    enum tt_code rc;

    tt_buf_init(&redrawn, TT_DOC_MAX);
    if (o)
        options = *o;
    if (options.base)
        options.base = d->dir;
    rc = ssp_redraw(s, d, json, &redrawn);
    if (rc == TT_OK && redrawn.len)
        json = redrawn.data;
    if (rc == TT_OK)
        rc = tt_scenario_parse(&made, name ? name : "", d->dir, json,
                               strlen(json), &options, s->log, s->err);
    tt_buf_fini(&redrawn);
    if (rc != TT_OK)
        return tt_context(s->err, rc, "the scenario in '%s'", d->path);
    made->name = name ? tt_arena_strdup(made->arena, name) : "";
    left = ssp_left_out(s, d, made);
    made->left_out = left ? tt_arena_strdup(made->arena, left) : NULL;
    made->origin = tt_arena_strdup(made->arena, d->path);
    if (!made->name || !made->origin || (left && !made->left_out)) {
        tt_scenario_free(made);
        return tt_sc_no_memory(s->b);
    }
    tt_sc_give_packages(s->b, made);
    *out = made;
    return TT_OK;
}

/* --- what another tool has changed ---------------------------------------- */

/* Fields that SSP has no word for, and that a structure leaves open. */
static int is_setting(const char *field)
{
    static const char *const open[] = {"algorithm",
                                       "master",
                                       "approximation",
                                       "iterate",
                                       "acceleration",
                                       "iteration",
                                       "substeps",
                                       "rollback",
                                       "tolerance",
                                       "sampleInterval",
                                       "integrator",
                                       "threads",
                                       "quanta",
                                       "start",
                                       "global_absolute_tolerance",
                                       "convergenceAttempts",
                                       "global_relative_tolerance",
                                       "stabalizationEnabled"};

    return tt_name_is_among(field, open, sizeof(open) / sizeof(*open));
}

/* Does it name an instance or a variable, which may be gone? */
static int names_any(const struct tt_doc *v)
{
    if (v->key && v->key[0] == '{')
        return 1;
    if (v->kind == TT_DOC_TEXT)
        return v->u.text[0] == '{';
    if (v->kind != TT_DOC_ARRAY && v->kind != TT_DOC_OBJECT)
        return 0;
    for (uint32_t i = 0; i < v->n; i++)
        if (names_any(&v->u.child[i]))
            return 1;
    return 0;
}

static void add_word(struct tt_buf *b, const char *word)
{
    tt_buf_fmt(b, "%s'%s'", b->len ? ", " : "", word);
}

static enum tt_code take_settings(struct ssp *s, const struct ssp_doc *d,
                                  const struct tt_xml_node *own)
{
    const char *json = tt_xml_value(own, "json");
    const struct tt_text_file text = {d->path, json, strlen(json)};
    struct tt_doc root;
    struct tt_buf fields, taken;
    enum tt_code rc =
        tt_doc_parse(&root, &text, TT_NONE, s->arena, s->arena, s->err);

    if (rc != TT_OK || root.kind != TT_DOC_OBJECT)
        return rc;
    tt_buf_init(&fields, TT_DOC_MAX);
    tt_buf_init(&taken, TT_ERR_MAX);
    tt_buf_char(&fields, '{');
    for (uint32_t i = 0; i < root.n; i++) {
        const struct tt_doc *v = &root.u.child[i];

        if (!is_setting(v->key) || names_any(v))
            continue;
        tt_fields_key(&fields, v->key);
        tt_doc_print(&fields, v);
        add_word(&taken, v->key);
    }
    tt_buf_char(&fields, '}');
    tt_sc_warn(s->b, ssp_where(d, own), NULL,
               "the structure was changed after Tutti wrote it: it counts; "
               "of the scenario in its annotation %s%s",
               taken.len ? "only these do: " : "nothing does",
               taken.len ? taken.data : "");
    rc = tt_fields_read(s->b, &fields, ssp_where(d, own), NULL, s->arena,
                        s->err);
    tt_buf_fini(&taken);
    tt_buf_fini(&fields);
    return rc;
}

enum tt_code ssp_take_own(struct ssp *s, const struct ssp_doc *d,
                          const struct tt_sc_options *o, tt_scenario **out)
{
    const struct tt_xml_node *own = find_own(d);

    if (!own)
        return TT_OK;
    if (is_current(s, d, own))
        return take(s, d, own, o, out);
    return take_settings(s, d, own);
}
