/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_XML_TEST_H
#define TT_RESULTS_XML_TEST_H

/* For tests: read what was drawn with an XML parser. */

#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

/* Parses or fails the test; nothing is fetched. */
static inline xmlDoc *xml_parse(const char *text, size_t n)
{
    xmlDoc *doc = xmlReadMemory(text, (int)n, "drawn.xml", NULL,
                                XML_PARSE_NONET | XML_PARSE_HUGE);

    if (!doc)
        fail_msg("not well-formed: %.200s", text);
    return doc;
}

static inline xmlXPathObject *xml_find(xmlDoc *doc, const char *path)
{
    xmlXPathContext *ctx = xmlXPathNewContext(doc);
    xmlXPathObject *o;

    xmlXPathRegisterNs(ctx, (const xmlChar *)"s",
                       (const xmlChar *)"http://www.w3.org/2000/svg");
    xmlXPathRegisterNs(ctx, (const xmlChar *)"h",
                       (const xmlChar *)"http://www.w3.org/1999/xhtml");
    o = xmlXPathEvalExpression((const xmlChar *)path, ctx);
    xmlXPathFreeContext(ctx);
    assert_non_null(o);
    return o;
}

static inline int xml_count(xmlDoc *doc, const char *path)
{
    xmlXPathObject *o = xml_find(doc, path);
    int n = o->nodesetval ? o->nodesetval->nodeNr : 0;

    xmlXPathFreeObject(o);
    return n;
}

/* The text of the i-th match is this. */
static inline void xml_expect(xmlDoc *doc, const char *path, int i,
                              const char *text)
{
    xmlXPathObject *o = xml_find(doc, path);
    xmlChar *content;

    if (!o->nodesetval || i >= o->nodesetval->nodeNr)
        fail_msg("no %s[%d]", path, i);
    content = xmlNodeGetContent(o->nodesetval->nodeTab[i]);
    assert_string_equal((const char *)content, text);
    xmlFree(content);
    xmlXPathFreeObject(o);
}

#endif
