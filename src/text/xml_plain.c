/* SPDX-License-Identifier: MIT */
/* Reading plain XML, in place of xml.c and without libxml2. Strict: what
 * xml_put.c does not write is refused. */
#include "text/xml_plain.h"

#include <string.h>

#include "base/names.h"
#include "text/xml_impl.h"

const char tt_xml_description[] = TT_XML_PLAIN;
const char tt_xml_terminals[] = TT_XML_PLAIN_TERMINALS;

struct tt_xml {
    tt_arena *arena;        /* owned: nodes, attributes, texts */
    struct tt_names intern; /* owned: names, in the arena, by number */
    const char **name;      /* owned */
    size_t name_n, name_cap;
    struct tt_xml_node *root;
};

struct reading {
    tt_xml *xml;      /* borrowed */
    const char *file; /* for messages */
    char *p;          /* in a copy of the text, which ends in a NUL */
    int line;
    struct xml_path path;
    struct tt_xml_attr *attr; /* owned: of one element */
    size_t attr_n, attr_cap;
    tt_err *err;
};

static enum tt_code nomem(const struct reading *r)
{
    return tt_fail(r->err, TT_ENOMEM, "reading %s", r->file);
}

static enum tt_code refuse(const struct reading *r, const char *what)
{
    return tt_fail(r->err, TT_EINPUT, "%s:%d: not plain XML: %s", r->file,
                   r->line, what);
}

static void skip_space(struct reading *r)
{
    for (; *r->p == ' ' || *r->p == '\n'; r->p++)
        r->line += *r->p == '\n';
}

const char *tt_xml_intern(tt_xml *xml, const char *name)
{
    uint32_t i = tt_names_find(&xml->intern, name);
    const char *copy;

    if (i != TT_NONE)
        return xml->name[i];
    copy = tt_arena_strdup(xml->arena, name);
    if (!copy || TT_GROW(xml->name, xml->name_n, xml->name_cap) != 0 ||
        tt_names_add(&xml->intern, copy, (uint32_t)xml->name_n) != 0)
        return NULL;
    xml->name[xml->name_n++] = copy;
    return copy;
}

/* --- parts of a tag ------------------------------------------------------- */

static int ends_name(char c)
{
    return c == '\0' || strchr(" \n=/<>\"&?!", c) != NULL;
}

/* A name, interned; what follows it is not consumed. */
static enum tt_code read_name(struct reading *r, const char **name)
{
    char *from = r->p, after;

    while (!ends_name(*r->p))
        r->p++;
    if (r->p == from)
        return refuse(r, "a name is missing");
    after = *r->p;
    *r->p = '\0';
    *name = tt_xml_intern(r->xml, from);
    *r->p = after;
    return *name ? TT_OK : nomem(r);
}

/* The character an entity stands for, or 0; *from moves behind it. */
static char entity(char **from)
{
    static const struct {
        const char *text;
        char c;
    } known[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};
    unsigned code = 0;
    char *p = *from;

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strncmp(p, known[i].text, strlen(known[i].text)) == 0) {
            *from += strlen(known[i].text);
            return known[i].c;
        }
    if (p[1] != '#')
        return 0;
    for (p += 2; *p >= '0' && *p <= '9' && code < 0x20; p++)
        code = code * 10 + (unsigned)(*p - '0');
    if (*p != ';' || code >= 0x20)
        return 0;
    *from = p + 1;
    return (char)code;
}

/* A value up to its closing quote, in place: it can only become shorter. */
static enum tt_code read_value(struct reading *r, const char **value)
{
    char *from = r->p, *to = r->p;

    while (*from != '"') {
        char c = *from;

        if (c == '\0' || c == '<' || (unsigned char)c < 0x20)
            return refuse(r, "a value is not closed");
        if (c == '&')
            c = entity(&from);
        else
            from++;
        if (c == '\0')
            return refuse(r, "an unknown entity");
        *to++ = c;
    }
    *value = tt_arena_strndup(r->xml->arena, r->p, (size_t)(to - r->p));
    r->p = from + 1;
    return *value ? TT_OK : nomem(r);
}

static enum tt_code read_attr(struct reading *r)
{
    struct tt_xml_attr a;
    enum tt_code rc = read_name(r, &a.name);

    if (rc == TT_OK && strncmp(r->p, "=\"", 2) != 0)
        rc = refuse(r, "an attribute has no value");
    if (rc != TT_OK)
        return rc;
    r->p += 2;
    rc = read_value(r, &a.value);
    for (size_t i = 0; i < r->attr_n && rc == TT_OK; i++)
        if (r->attr[i].name == a.name)
            rc = refuse(r, "an attribute is there twice");
    if (rc == TT_OK && TT_GROW(r->attr, r->attr_n, r->attr_cap) != 0)
        rc = nomem(r);
    if (rc == TT_OK)
        r->attr[r->attr_n++] = a;
    return rc;
}

/* --- elements ------------------------------------------------------------- */

/* Behind "<". */
static enum tt_code read_start(struct reading *r)
{
    struct tt_xml_node *node = tt_arena_alloc(r->xml->arena, 1, sizeof(*node));
    enum tt_code rc = node ? read_name(r, &node->name) : nomem(r);

    if (rc != TT_OK)
        return rc;
    if (r->xml->root && !r->path.n)
        return refuse(r, "a second root");
    node->line = r->line;
    r->attr_n = 0;
    while (rc == TT_OK && *r->p == ' ') {
        r->p++;
        rc = read_attr(r);
    }
    if (rc != TT_OK)
        return rc;
    node->attr_n = (uint32_t)r->attr_n;
    if (r->attr_n)
        node->attr =
            tt_arena_dup(r->xml->arena, r->attr, r->attr_n, sizeof(*r->attr));
    if (r->attr_n && !node->attr)
        return nomem(r);
    rc = xml_push(&r->path, node, &r->xml->root) == 0 ? TT_OK : nomem(r);
    if (rc == TT_OK && strncmp(r->p, "/>", 2) == 0) {
        r->p += 2;
        r->path.n--;
    } else if (rc == TT_OK && *r->p == '>') {
        r->p++;
    } else if (rc == TT_OK) {
        rc = refuse(r, "a tag is not closed");
    }
    return rc;
}

/* Behind "</". */
static enum tt_code read_end(struct reading *r)
{
    const char *name;
    enum tt_code rc = read_name(r, &name);

    if (rc != TT_OK)
        return rc;
    if (!r->path.n || r->path.open[r->path.n - 1].node->name != name ||
        *r->p != '>')
        return refuse(r, "an end tag does not match");
    r->p++;
    r->path.n--;
    return TT_OK;
}

static enum tt_code read_all(struct reading *r, const char *end)
{
    enum tt_code rc = TT_OK;

    for (skip_space(r); rc == TT_OK && *r->p == '<'; skip_space(r)) {
        int ends = r->p[1] == '/';

        r->p += 1 + ends;
        rc = ends ? read_end(r) : read_start(r);
        if (rc != TT_OK)
            return rc;
    }
    if (r->p != end)
        return refuse(r, "something else than an element");
    return r->path.n || !r->xml->root ? refuse(r, "it ends too early") : TT_OK;
}

/* --- documents ------------------------------------------------------------ */

enum tt_code tt_xml_parse(tt_xml **out, const char *file, const void *data,
                          size_t n, tt_err *err)
{
    struct reading r = {.file = file, .line = 1, .err = err};
    enum tt_code rc;
    char *text;

    if (!TT_NEW(r.xml))
        return nomem(&r);
    tt_names_init(&r.xml->intern);
    r.xml->arena = tt_arena_new();
    text = tt_alloc(n + 1);
    if (r.xml->arena && text) {
        memcpy(text, data, n);
        text[n] = '\0';
        r.p = text;
        rc = read_all(&r, text + n);
    } else {
        rc = nomem(&r);
    }
    TT_FREE_ALL(text, r.path.open, r.attr);
    return TT_HAND_OVER(rc, out, r.xml, tt_xml_free);
}

void tt_xml_free(tt_xml *xml)
{
    if (!xml)
        return;
    tt_names_fini(&xml->intern);
    tt_free(xml->name);
    tt_arena_free(xml->arena);
    tt_free(xml);
}

const struct tt_xml_node *tt_xml_root(const tt_xml *xml)
{
    return xml->root;
}

int tt_xml_latin1_line(const tt_xml *xml)
{
    (void)xml; /* a plain text has none */
    return 0;
}
