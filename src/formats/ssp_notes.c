/* SPDX-License-Identifier: MIT */
/* Annotations of other tools, in both directions.
 *
 * A scenario keeps them by the element they are of: "structure", "system",
 * "{key}.instance", "drive" (a system within), with a connector "system.x",
 * and of a connection "{a}.a.x -> {b}.b.y". */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "formats/fields.h"
#include "formats/ssp_impl.h"
#include "formats/ssp_write.h"

struct notes {
    struct ssp *s;
    struct tt_buf json;
    struct tt_names taken;
    uint32_t n;
};

static void put_note(struct notes *n, const char *of,
                     const struct tt_xml_node *node)
{
    const struct tt_xml_node *a = ssp_child(node, "Annotations");
    const char *text = a ? tt_xml_value(a, "text") : NULL;

    if (!text)
        return;
    while (of && tt_names_find(&n->taken, of) != TT_NONE)
        of = ssp_text(n->s, "%s'", of);
    if (!of || tt_names_add(&n->taken, of, 0) < 0) {
        n->json.failed = 1;
        return;
    }
    n->n++;
    tt_fields_key(&n->json, of);
    tt_buf_json(&n->json, text);
}

/* As a reference of the scenario where it has one, else by its path. */
static const char *label(const struct ssp *s, uint32_t element)
{
    const struct ssp_element *e = &s->element[element];

    if (e->up == TT_NONE)
        return "system";
    return e->unit && (!s->nested || e->up == 0) ? e->unit : e->path;
}

static const char *end_label(struct ssp *s, uint32_t system, const char *name,
                             const char *connector)
{
    uint32_t e = name ? ssp_find_element(s, system, name) : system;

    return ssp_text(s, "%s.%s", e == TT_NONE ? name : label(s, e),
                    connector ? connector : "");
}

static void note_connections(struct notes *n, uint32_t system)
{
    struct ssp *s = n->s;
    const struct tt_xml_node *all =
        ssp_child(s->element[system].node, "Connections");

    for (const struct tt_xml_node *c = all ? all->children : NULL; c;
         c = c->next) {
        const char *from, *to;

        if (!ssp_child(c, "Annotations"))
            continue;
        from = end_label(s, system, tt_xml_value(c, "startElement"),
                         tt_xml_value(c, "startConnector"));
        to = end_label(s, system, tt_xml_value(c, "endElement"),
                       tt_xml_value(c, "endConnector"));
        put_note(n, from && to ? ssp_text(s, "%s -> %s", from, to) : NULL, c);
    }
}

static void note_element(struct notes *n, uint32_t element)
{
    struct ssp *s = n->s;
    const struct ssp_element *e = &s->element[element];
    const struct tt_xml_node *all = ssp_child(e->node, "Connectors");

    put_note(n, label(s, element), e->node);
    if (e->outer)
        put_note(n, label(s, element), e->outer);
    for (const struct tt_xml_node *c = all ? all->children : NULL; c;
         c = c->next)
        if (ssp_child(c, "Annotations"))
            put_note(n, end_label(s, element, NULL, tt_xml_value(c, "name")),
                     c);
    if (e->what == SSP_SYSTEM)
        note_connections(n, element);
}

enum tt_code ssp_note(struct ssp *s, const struct ssp_doc *d)
{
    const struct tt_xml_node *root = tt_xml_root(d->xml);
    struct notes n = {.s = s};
    enum tt_code rc = TT_OK;

    tt_buf_init(&n.json, SSP_MOST_BYTES);
    tt_names_init(&n.taken);
    tt_buf_str(&n.json, "{\"annotations\":{");
    put_note(&n, "structure", root);
    for (uint32_t i = 0; i < s->n_element; i++)
        note_element(&n, i);
    tt_buf_str(&n.json, "}}");
    if (n.n || n.json.failed)
        rc = tt_fields_read(s->b, &n.json, ssp_where(d, root), NULL, s->arena,
                            s->err);
    tt_names_fini(&n.taken);
    tt_buf_fini(&n.json);
    return rc;
}

/* --- what has no place ---------------------------------------------------- */

static const struct {
    const char *element, *word;
} aside[] = {{"ConnectorGeometry", "geometry of connectors"},
             {"ConnectionGeometry", "geometry of connections"},
             {"GraphicalElements", "graphical elements"},
             {"MetaData", "metadata"},
             {"Signature", "signatures"},
             {"System", "systems within it"},
             {"SignalDictionary", "signal dictionaries"},
             {"ParameterMapping", "mappings of parameters"}};
#define N_ASIDE (sizeof(aside) / sizeof(*aside))

static void find_aside(const struct tt_xml_node *node, int found[N_ASIDE])
{
    int whole = !node->parent || !node->parent->parent;

    for (size_t i = 0; i < N_ASIDE; i++)
        found[i] |= strcmp(node->name, aside[i].element) == 0 &&
                    !(whole && strcmp(node->name, "System") == 0);
    for (const struct tt_xml_node *c = node->children; c; c = c->next)
        find_aside(c, found);
}

static int is_kept(const tt_scenario *own, const char *text)
{
    for (uint32_t i = 0; i < own->n_note; i++)
        if (strcmp(own->note[i].xml, text) == 0)
            return 1;
    return 0;
}

/* Has another tool annotated what Tutti wrote? */
static int has_added(const tt_scenario *own, const struct tt_xml_node *node)
{
    const char *text = strcmp(node->name, "Annotations") == 0
                           ? tt_xml_value(node, "text")
                           : NULL;

    if (text && !is_kept(own, text))
        return 1;
    for (const struct tt_xml_node *c = node->children; c; c = c->next)
        if (has_added(own, c))
            return 1;
    return 0;
}

void ssp_put_left_out(struct tt_buf *b, const tt_xml *xml)
{
    int found[N_ASIDE] = {0};

    find_aside(tt_xml_root(xml), found);
    for (size_t i = 0; i < N_ASIDE; i++)
        if (found[i])
            tt_buf_fmt(b, "%s%s", b->len ? ", " : "", aside[i].word);
}

const char *ssp_left_out(struct ssp *s, const struct ssp_doc *d,
                         const tt_scenario *own)
{
    struct tt_buf b;
    const char *all;

    tt_buf_init(&b, TT_ERR_MAX);
    if (own && has_added(own, tt_xml_root(d->xml)))
        tt_buf_str(&b, "annotations that were added to it");
    ssp_put_left_out(&b, d->xml);
    all = b.len ? ssp_text(s, "%s", b.data) : NULL;
    tt_buf_fini(&b);
    return all;
}

/* --- writing -------------------------------------------------------------- */

int ssp_find_notes(struct ssp_out *o)
{
    o->noted = tt_arena_alloc(o->places.arena, o->s->n_note, 1);
    for (uint32_t i = 0; o->noted && i < o->s->n_note; i++)
        if (tt_names_add(&o->note_by, o->s->note[i].of, i) < 0)
            return -1;
    return o->noted ? 0 : -1;
}

const char *ssp_note_key(const struct ssp_out *o, const char *fmt, ...)
{
    va_list ap, again;
    char *key;
    int n;

    if (!o->s->n_note)
        return "";
    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    key = n < 0 ? NULL : tt_arena_alloc(o->places.arena, (size_t)n + 1, 1);
    if (key)
        (void)vsnprintf(key, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return key;
}

const char *ssp_ref_key(const struct ssp_out *o, const struct tt_sc_ref *r)
{
    return r->unit == TT_NONE
               ? ""
               : ssp_note_key(o, "%s.%s", o->s->unit[r->unit].name,
                              r->variable);
}

static uint32_t find_note(const struct ssp_out *o, const char *of)
{
    return of ? tt_names_find(&o->note_by, of) : TT_NONE;
}

void ssp_put_note(struct tt_buf *b, const struct ssp_out *o, const char *of)
{
    uint32_t i = find_note(o, of);

    if (!of)
        b->failed = 1;
    if (i == TT_NONE)
        return;
    o->noted[i] = 1;
    tt_buf_str(b, o->s->note[i].xml);
}

void ssp_put_notes(struct tt_buf *b, const struct ssp_out *o, const char *of)
{
    if (of && find_note(o, of) == TT_NONE)
        return;
    tt_buf_str(b, "<ssd:Annotations>");
    ssp_put_note(b, o, of);
    tt_buf_str(b, "</ssd:Annotations>");
}

void ssp_put_link_notes(struct tt_buf *b, const struct ssp_out *o,
                        const char *from, const char *to)
{
    const char *there =
        from && to ? ssp_note_key(o, "%s -> %s", from, to) : NULL;
    const char *back = there ? ssp_note_key(o, "%s -> %s", to, from) : NULL;

    ssp_put_notes(b, o, find_note(o, back) == TT_NONE ? there : back);
}
