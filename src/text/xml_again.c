/* SPDX-License-Identifier: MIT */
/* Files of an SSP that are written as they were read. */
#include <libxml/parser.h>

#include "text/xml_notes.h"

static int is_named(const xmlNode *n, const char *name)
{
    return n->type == XML_ELEMENT_NODE && n->ns && xml_is_ssp(n->ns->href) &&
           strcmp((const char *)n->name, name) == 0;
}

/* --- what is of others ---------------------------------------------------- */

static void strip_attributes(xmlNode *n)
{
    xmlAttr *next;

    for (xmlAttr *a = n->properties; a; a = next) {
        next = a->next;
        if (a->ns && !xml_is_common(a->ns->href))
            xmlRemoveProp(a);
    }
}

static void strip(xmlNode *n)
{
    xmlNode *next;

    strip_attributes(n);
    for (xmlNode *c = n->children; c; c = next) {
        next = c->next;
        if (c->type != XML_ELEMENT_NODE)
            continue;
        if (!c->ns || !xml_is_ssp(c->ns->href)) {
            xmlUnlinkNode(c);
            xmlFreeNode(c);
        } else if (!xml_is_open((const char *)c->name)) {
            strip(c);
        }
    }
}

/* --- our annotation ------------------------------------------------------- */

/* The root's <Annotations>, the last of its elements, made where there is none;
 * NULL: out of memory. */
static xmlNode *annotations_of(xmlNode *root)
{
    for (xmlNode *c = root->children; c; c = c->next)
        if (is_named(c, "Annotations"))
            return c;
    return xmlNewChild(root, root->ns, (const xmlChar *)"Annotations", NULL);
}

static void drop_ours(xmlNode *annotations)
{
    xmlNode *next;

    for (xmlNode *c = annotations->children; c; c = next) {
        xmlChar *type = c->type == XML_ELEMENT_NODE
                            ? xmlGetNoNsProp(c, (const xmlChar *)"type")
                            : NULL;

        next = c->next;
        if (type && strcmp((const char *)type, TT_XML_TUTTI) == 0) {
            xmlUnlinkNode(c);
            xmlFreeNode(c);
        }
        xmlFree(type);
    }
}

static xmlDoc *read(const char *text, size_t n)
{
    return xmlReadMemory(text, (int)n, NULL, NULL,
                         XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_NOERROR |
                             XML_PARSE_NOWARNING);
}

static int annotate(xmlNode *root, const char *note)
{
    xmlNode *at = annotations_of(root), *copy;
    xmlDoc *doc;

    if (!at)
        return -1;
    drop_ours(at);
    doc = read(note, strlen(note));
    copy = doc ? xmlDocCopyNode(xmlDocGetRootElement(doc), root->doc, 1) : NULL;
    xmlFreeDoc(doc);
    return copy && xmlAddChild(at, copy) ? 0 : -1;
}

/* --- the whole ------------------------------------------------------------ */

static int set_version(xmlNode *root, const char *version)
{
    return xmlSetProp(root, (const xmlChar *)"version",
                      (const xmlChar *)version)
               ? 0
               : -1;
}

enum tt_code tt_xml_annotate(struct tt_buf *out, const char *file,
                             const struct tt_buf *text, const char *note,
                             const char *version, tt_err *err)
{
    xmlDoc *doc = read(text->data ? text->data : "", text->len);
    xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    xmlChar *bytes = NULL;
    int n = 0, bad;

    if (!root || doc->intSubset) {
        xmlFreeDoc(doc);
        return tt_fail(err, TT_EINPUT, "%s: not well-formed XML", file);
    }
    strip(root);
    bad = (version && set_version(root, version) != 0) ||
          (note && annotate(root, note) != 0);
    if (!bad)
        xmlDocDumpMemoryEnc(doc, &bytes, &n, "UTF-8");
    if (bytes)
        tt_buf_add(out, bytes, (size_t)n);
    xmlFree(bytes);
    xmlFreeDoc(doc);
    return bytes ? tt_buf_check(out, file, err) : tt_nomem(err, file);
}
