/* SPDX-License-Identifier: MIT */
#include "text/xml.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include "text/xml_impl.h"
#include "text/xml_notes.h"

const char tt_xml_description[] = "modelDescription.xml";
const char tt_xml_terminals[] = "terminalsAndIcons/terminalsAndIcons.xml";

#define LAYERED "http://fmi-standard.org/fmi-ls-manifest"

struct tt_xml {
    tt_arena *arena; /* owned: nodes, attributes, values */
    xmlDict *dict;   /* owned reference: names */
    struct tt_xml_node *root;
    struct tt_xml_foreign *foreign, **last_foreign; /* in the arena */
    int latin1_line;
    int loose, prefix_line; /* see tt_xml_parse_loose */
};

struct reading {
    tt_xml *xml; /* borrowed */
    struct xml_path path;
    const xmlChar *uri; /* namespace of the root, interned */
    size_t skip;        /* depth inside a foreign element */
    struct xml_note *first_note, **last_note; /* in the arena */
    int nomem;
    int doctype; /* line of the DOCTYPE, or 0 */
    /* What went wrong first; later ones are consequences. */
    int code, line, column;
    char text[256];
};

static void on_error(void *ctx, xmlErrorPtr e)
{
    xmlParserCtxt *c = ctx;
    struct reading *r = c->_private;
    size_t n = 0;

    if (r->xml->loose && e->code == XML_NS_ERR_UNDEFINED_NAMESPACE) {
        if (!r->xml->prefix_line)
            r->xml->prefix_line = e->line > 0 ? e->line : 1;
        return;
    }
    if (r->code || e->level < XML_ERR_ERROR)
        return;
    r->code = e->code;
    r->line = e->line;
    r->column = e->int2;
    while (e->message && e->message[n] && e->message[n] != '\n' &&
           n + 1 < sizeof(r->text)) {
        r->text[n] = e->message[n];
        n++;
    }
    r->text[n] = '\0';
}

/* No description needs a DOCTYPE, so parsing ends right there. */
static void on_doctype(void *ctx, const xmlChar *name, const xmlChar *id,
                       const xmlChar *system)
{
    xmlParserCtxt *c = ctx;
    struct reading *r = c->_private;

    (void)name;
    (void)id;
    (void)system;
    r->doctype = c->input && c->input->line > 0 ? c->input->line : 1;
    xmlStopParser(c);
}

/* libxml2 is at the end of the start tag. The tag holds no '<' but its first
 * character, so going back to it finds the line where the element begins. */
static int start_line(const xmlParserCtxt *c)
{
    const xmlChar *p;
    int line;

    if (!c->input)
        return 0;
    line = c->input->line;
    for (p = c->input->cur; p > c->input->base && *p != '<'; p--)
        line -= *p == '\n' && p < c->input->cur;
    if (*p != '<' || line < 1)
        line = c->input->line;
    return line;
}

/* --- what is left out ----------------------------------------------------- */

static int is_open(const struct reading *r)
{
    for (size_t i = 0; i < r->path.n; i++)
        if (xml_is_open(r->path.open[i].node->name))
            return 1;
    return 0;
}

static int leave_out(struct reading *r, const xmlChar *prefix,
                     const xmlChar *name, int line, int attribute)
{
    struct tt_xml_foreign *f;
    size_t n;
    char *text;

    if (!xml_is_ssp(r->uri) || is_open(r))
        return 0;
    n = strlen((const char *)name) +
        (prefix ? strlen((const char *)prefix) : 0) + 2;
    f = tt_arena_alloc(r->xml->arena, 1, sizeof(*f));
    text = tt_arena_alloc(r->xml->arena, n, 1);
    if (!f || !text)
        return -1;
    (void)snprintf(text, n, "%s%s%s", prefix ? (const char *)prefix : "",
                   prefix ? ":" : "", (const char *)name);
    *f = (struct tt_xml_foreign){text, line, attribute, NULL};
    *r->xml->last_foreign = f;
    r->xml->last_foreign = &f->next;
    return 0;
}

/* SAX2 attributes: local name, prefix, URI, value, end of value. */
static int add_attrs(struct reading *r, struct tt_xml_node *node, size_t n,
                     const xmlChar **sax)
{
    struct tt_xml_attr *attr =
        n ? tt_arena_alloc(r->xml->arena, n, sizeof(*attr)) : NULL;
    uint32_t k = 0;

    if (n && !attr)
        return -1;
    for (size_t i = 0; i < n; i++, sax += 5) {
        if (sax[1] && (!sax[2] || strcmp((const char *)sax[2], LAYERED) != 0)) {
            if (sax[2] && !xml_is_common(sax[2]) &&
                leave_out(r, sax[1], sax[0], node->line, 1) != 0)
                return -1;
            continue; /* xsi:noNamespaceSchemaLocation and the like, or a
                         prefix that is not declared */
        }
        attr[k].name = (const char *)sax[0];
        attr[k].value = tt_arena_strndup(r->xml->arena, (const char *)sax[3],
                                         (size_t)(sax[4] - sax[3]));
        if (!attr[k].value)
            return -1;
        k++;
    }
    node->attr = attr;
    node->attr_n = k;
    return 0;
}

static int is_foreign(const struct reading *r, const xmlChar *uri)
{
    return uri != r->uri && (!xml_is_ssp(r->uri) || !xml_is_ssp(uri));
}

static const char *space_of(const struct reading *r, const xmlChar *uri)
{
    static const char system[] = TT_XML_SYSTEM;
    const char *space = (const char *)uri;

    return xml_is_ssp(r->uri) && space &&
                   strncmp(space, system, sizeof(system) - 1) == 0
               ? space + sizeof(system) - 1
               : NULL;
}

/* Annotations of an SSP are remembered: what is in them is kept later. */
static int note(struct reading *r, struct tt_xml_node *node)
{
    struct xml_note *one;

    if (!xml_is_ssp(r->uri) || strcmp(node->name, "Annotations") != 0)
        return 0;
    if (!TT_NEW_IN(r->xml->arena, one, 1))
        return -1;
    one->node = node;
    *r->last_note = one;
    r->last_note = &one->next;
    return 0;
}

/* The parameters are libxml2's. */
/* NOLINTNEXTLINE(readability-function-size) */
static void on_start(void *ctx, const xmlChar *name, const xmlChar *prefix,
                     const xmlChar *uri, int ns_n, const xmlChar **ns,
                     int attr_n, int defaulted_n, const xmlChar **attr)
{
    xmlParserCtxt *c = ctx;
    struct reading *r = c->_private;
    struct tt_xml_node *node;

    (void)ns_n;
    (void)ns;
    (void)defaulted_n;
    if (r->path.n == 0)
        r->uri = uri;
    if (r->skip || is_foreign(r, uri)) {
        if (!r->skip++ && leave_out(r, prefix, name, start_line(c), 0) != 0)
            r->nomem = 1;
        return;
    }
    node = tt_arena_alloc(r->xml->arena, 1, sizeof(*node));
    if (node) {
        node->name = (const char *)name;
        node->line = start_line(c);
        node->space = space_of(r, uri);
    }
    if (!node || add_attrs(r, node, (size_t)attr_n, attr) != 0 ||
        xml_push(&r->path, node, &r->xml->root) != 0 || note(r, node) != 0) {
        r->nomem = 1;
        xmlStopParser(c);
    }
}

/* Where the text is kept: of FMI 1's names, and of elements without attributes
 * and children, which OSP writes values into. */
static int has_text(const struct reading *r, const struct tt_xml_node *node,
                    const char *text, size_t n)
{
    if (node->children ||
        (node->attr_n && strcmp(node->attr[0].name, "text") != 0))
        return 0;
    if (strcmp(node->name, "Name") == 0)
        return 1;
    return strcmp(r->path.open[0].node->name, "OspSystemStructure") == 0 &&
           n > strspn(text, " \t\r\n");
}

/* Texts come in pieces. */
static void on_text(void *ctx, const xmlChar *text, int n)
{
    xmlParserCtxt *c = ctx;
    struct reading *r = c->_private;
    struct tt_xml_node *node =
        r->path.n ? r->path.open[r->path.n - 1].node : NULL;
    struct tt_xml_attr *attr;
    const char *before;
    size_t had;
    char *all;

    if (r->skip || !node || node->attr_n > 1 ||
        !has_text(r, node, (const char *)text, (size_t)n))
        return;
    before = node->attr_n ? node->attr[0].value : "";
    attr = tt_arena_alloc(r->xml->arena, 1, sizeof(*attr));
    had = strlen(before);
    all = tt_arena_alloc(r->xml->arena, had + (size_t)n + 1, 1); /* zeros */
    if (!attr || !all) {
        r->nomem = 1;
        xmlStopParser(c);
        return;
    }
    memcpy(all, before, had);
    memcpy(all + had, text, (size_t)n);
    attr->name =
        (const char *)xmlDictLookup(c->dict, (const xmlChar *)"text", -1);
    attr->value = all;
    node->attr = attr;
    node->attr_n = 1;
}

static void on_end(void *ctx, const xmlChar *name, const xmlChar *prefix,
                   const xmlChar *uri)
{
    xmlParserCtxt *c = ctx;
    struct reading *r = c->_private;

    (void)name;
    (void)prefix;
    (void)uri;
    if (r->skip)
        r->skip--;
    else if (r->path.n)
        r->path.n--;
}

static void set_handlers(xmlParserCtxt *c)
{
    xmlSAXHandler *s = c->sax;

    s->serror = on_error;
    s->internalSubset = on_doctype;
    s->startElementNs = on_start;
    s->endElementNs = on_end;
    s->characters = on_text;
    s->ignorableWhitespace = NULL;
    s->cdataBlock = NULL;
    s->comment = NULL;
    s->processingInstruction = NULL;
    s->reference = NULL;
}

/* 1 when the document is well-formed. Fills r in any case. */
static int read_once(tt_xml *xml, struct reading *r, const void *data, size_t n,
                     const char *encoding)
{
    /* NOENT: the predefined entities and character references become text.
     * HUGE lifts libxml2's limit on one attribute, which a large array of
     * start values exceeds; the caller limits the whole. */
    int options = XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_HUGE;
    xmlParserCtxt *c = xmlNewParserCtxt();
    int ok;

    *r = (struct reading){.xml = xml};
    xml->foreign = NULL;
    xml->last_foreign = &xml->foreign;
    r->last_note = &r->first_note;
    if (!c) {
        r->nomem = 1;
        return 0;
    }
    c->_private = r;
    set_handlers(c);
    xmlFreeDoc(xmlCtxtReadMemory(c, data, (int)n, NULL, encoding, options));
    ok = c->wellFormed && !r->doctype && !r->nomem && !r->code && xml->root;
    if (!ok && !r->doctype && !r->code)
        r->nomem = 1;
    if (xml->dict)
        xmlDictFree(xml->dict);
    xml->dict = c->dict;
    (void)xmlDictReference(xml->dict);
    xmlFreeParserCtxt(c);
    tt_free(r->path.open);
    r->path.open = NULL;
    if (ok && xml_keep_notes(xml, r->first_note, xml->arena, data, n,
                             encoding) != 0) {
        r->nomem = 1;
        ok = 0;
    }
    return ok;
}

static int is_encoding_trouble(const struct reading *r)
{
    return !r->doctype && !r->nomem &&
           (r->code == XML_ERR_INVALID_CHAR ||
            r->code == XML_ERR_INVALID_ENCODING ||
            r->code == XML_I18N_CONV_FAILED);
}

static enum tt_code fail(const struct reading *r, const char *file, tt_err *err)
{
    if (r->doctype)
        return tt_fail(err, TT_EINPUT,
                       "%s:%d: it has a DOCTYPE, which may define harmful "
                       "entities and is refused",
                       file, r->doctype);
    if (r->nomem || r->code == XML_ERR_NO_MEMORY)
        return tt_fail(err, TT_ENOMEM, "reading %s", file);
    return tt_fail(err, TT_EINPUT, "%s:%d:%d: not well-formed XML: %s", file,
                   r->line, r->column, r->text);
}

static enum tt_code parse(tt_xml **out, const char *file, const void *data,
                          size_t n, int loose, tt_err *err)
{
    struct reading first, again;
    tt_xml *xml;
    int ok;

    if (n > INT_MAX)
        return tt_fail(err, TT_EINPUT, "%s is larger than %d bytes", file,
                       INT_MAX);
    if (n == 0)
        return tt_fail(err, TT_EINPUT, "%s is empty", file);
    xmlInitParser();
    if (TT_NEW(xml))
        xml->arena = tt_arena_new();
    if (!xml || !xml->arena) {
        tt_free(xml);
        return tt_fail(err, TT_ENOMEM, "reading %s", file);
    }
    xml->loose = loose;
    ok = read_once(xml, &first, data, n, NULL);
    if (!ok && is_encoding_trouble(&first)) {
        /* It states UTF-8, or nothing, and is not: in practice Latin-1. */
        xml->root = NULL;
        ok = read_once(xml, &again, data, n, "ISO-8859-1");
        xml->latin1_line = first.line > 0 ? first.line : 1;
    }
    if (!ok) {
        tt_xml_free(xml);
        return fail(&first, file, err);
    }
    *out = xml;
    return TT_OK;
}

enum tt_code tt_xml_parse(tt_xml **out, const char *file, const void *data,
                          size_t n, tt_err *err)
{
    return parse(out, file, data, n, 0, err);
}

enum tt_code tt_xml_parse_loose(tt_xml **out, const char *file,
                                const void *data, size_t n, int *prefix_line,
                                tt_err *err)
{
    enum tt_code rc = parse(out, file, data, n, 1, err);

    *prefix_line = rc == TT_OK ? (*out)->prefix_line : 0;
    return rc;
}

void tt_xml_free(tt_xml *xml)
{
    if (!xml)
        return;
    tt_arena_free(xml->arena);
    if (xml->dict)
        xmlDictFree(xml->dict);
    tt_free(xml);
}

const struct tt_xml_node *tt_xml_root(const tt_xml *xml)
{
    return xml->root;
}

int tt_xml_latin1_line(const tt_xml *xml)
{
    return xml->latin1_line;
}

const struct tt_xml_foreign *tt_xml_foreign(const tt_xml *xml)
{
    return xml->foreign;
}

const char *tt_xml_intern(tt_xml *xml, const char *name)
{
    return (const char *)xmlDictLookup(xml->dict, (const xmlChar *)name, -1);
}
