/* SPDX-License-Identifier: MIT */
#include "text/xml_notes.h"

#include <libxml/parser.h>

int xml_is_ssp(const xmlChar *uri)
{
    const char *u = (const char *)uri;

    return u && (strncmp(u, TT_XML_SSP, strlen(TT_XML_SSP)) == 0 ||
                 strncmp(u, TT_XML_TUTTI, strlen(TT_XML_TUTTI)) == 0);
}

int xml_is_common(const xmlChar *uri)
{
    const char *u = (const char *)uri;

    return strcmp(u, "http://www.w3.org/XML/1998/namespace") == 0 ||
           strcmp(u, "http://www.w3.org/2001/XMLSchema-instance") == 0;
}

int xml_is_open(const char *name)
{
    return strcmp(name, "Annotation") == 0 || strcmp(name, "Content") == 0 ||
           strcmp(name, "ParameterValues") == 0;
}

static int is_other(const char *type)
{
    return !type || strcmp(type, TT_XML_TUTTI) != 0;
}

/* Has it annotations of other tools? */
static int has_other(const struct xml_note *note)
{
    for (const struct tt_xml_node *c = note->node->children; c; c = c->next)
        if (strcmp(c->name, "Annotation") == 0 &&
            is_other(tt_xml_value(c, "type")))
            return 1;
    return 0;
}

static int is_known(const xmlNode *n)
{
    return n->type == XML_ELEMENT_NODE && n->ns && xml_is_ssp(n->ns->href);
}

/* The element behind this one in the order of the document; what is in foreign
 * ones is passed over. */
static xmlNode *behind(xmlNode *n)
{
    xmlNode *next = is_known(n) ? n->children : NULL;

    while (n && !next) {
        next = n->next;
        n = n->parent;
    }
    return next && next->type != XML_DOCUMENT_NODE ? next : NULL;
}

static xmlNode *next_note(xmlNode *n)
{
    while (n &&
           !(is_known(n) && strcmp((const char *)n->name, "Annotations") == 0))
        n = behind(n);
    return n;
}

/* A copy declares the namespaces that it uses. */
static int dump(xmlBuffer *out, xmlNode *annotation)
{
    xmlNode *copy = xmlDocCopyNode(annotation, annotation->doc, 1);
    int bad = !copy || xmlNodeDump(out, annotation->doc, copy, 0, 0) < 0;

    xmlFreeNode(copy);
    return bad ? -1 : 0;
}

static int dump_others(xmlBuffer *out, const xmlNode *annotations)
{
    int bad = 0;

    for (xmlNode *c = annotations->children; c; c = c->next) {
        xmlChar *type = xmlGetNoNsProp(c, (const xmlChar *)"type");

        if (is_known(c) && is_other((const char *)type))
            bad |= dump(out, c);
        xmlFree(type);
    }
    return bad;
}

static int keep(tt_xml *xml, struct tt_xml_node *node, tt_arena *arena,
                const xmlNode *annotations)
{
    struct tt_xml_attr *attr = tt_arena_alloc(arena, 1, sizeof(*attr));
    xmlBuffer *out = xmlBufferCreate();
    int bad = !attr || !out || dump_others(out, annotations) != 0;

    if (!bad) {
        attr->name = tt_xml_intern(xml, "text");
        attr->value =
            tt_arena_strdup(arena, (const char *)xmlBufferContent(out));
        bad = !attr->name || !attr->value;
        node->attr = attr;
        node->attr_n = !bad;
    }
    xmlBufferFree(out);
    return bad ? -1 : 0;
}

static int has_any(const struct xml_note *first)
{
    while (first && !has_other(first))
        first = first->next;
    return first != NULL;
}

/* The document was read once, so it is well-formed and has no DOCTYPE. */
int xml_keep_notes(tt_xml *xml, const struct xml_note *first, tt_arena *arena,
                   const void *data, size_t n, const char *encoding)
{
    const int options = XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_NOERROR |
                        XML_PARSE_NOWARNING;
    xmlNode *at = NULL;
    xmlDoc *doc;
    int bad = 0;

    if (!has_any(first))
        return 0;
    doc = xmlReadMemory(data, (int)n, NULL, encoding, options);
    if (!doc)
        return -1;
    at = next_note(xmlDocGetRootElement(doc));
    for (; first && at && !bad; first = first->next) {
        if (has_other(first))
            bad = keep(xml, first->node, arena, at);
        at = next_note(behind(at));
    }
    xmlFreeDoc(doc);
    return bad;
}
