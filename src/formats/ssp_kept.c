/* SPDX-License-Identifier: MIT */
/* What a structure that is written anew keeps of the one that was read. */
#include <string.h>

#include "formats/ssp_write.h"

static const struct tt_xml_node *child(const struct tt_xml_node *node,
                                       const char *name)
{
    const struct tt_xml_node *c = node ? node->children : NULL;

    while (c && strcmp(c->name, name) != 0)
        c = c->next;
    return c;
}

static const struct tt_xml_node *named(const struct tt_xml_node *list,
                                       const char *name, size_t n)
{
    for (const struct tt_xml_node *c = list ? list->children : NULL; c;
         c = c->next) {
        const char *of = tt_xml_value(c, "name");

        if (of && strlen(of) == n && strncmp(of, name, n) == 0)
            return c;
    }
    return NULL;
}

static const struct tt_xml_node *
find(const struct ssp_out *o, const char *element, const char *connector)
{
    const struct tt_xml_node *at =
        o->was ? child(tt_xml_root(o->was), "System") : NULL;

    while (at && *element) {
        size_t n = strcspn(element, "/");

        at = named(child(at, "Elements"), element, n);
        element += n + (element[n] == '/');
    }
    return at && connector
               ? named(child(at, "Connectors"), connector, strlen(connector))
               : at;
}

static void put_attrs(struct tt_buf *b, const struct tt_xml_node *node,
                      const char *const *name)
{
    for (; node && *name; name++)
        if (tt_xml_value(node, *name))
            tt_xml_text(b, *name, tt_xml_value(node, *name));
}

void ssp_put_kept_root(struct tt_buf *b, const struct ssp_out *o)
{
    static const char *const name[] = {"id",          "description", "author",
                                       "fileversion", "copyright",   "license",
                                       NULL};

    put_attrs(b, o->was ? tt_xml_root(o->was) : NULL, name);
}

void ssp_put_kept(struct tt_buf *b, const struct ssp_out *o,
                  const char *element, const char *connector)
{
    static const char *const name[] = {"id", "description", NULL};

    put_attrs(b, find(o, element, connector), name);
}

const char *ssp_kept_name(const struct ssp_out *o)
{
    const struct tt_xml_node *system = find(o, "", NULL);
    const char *name = system ? tt_xml_value(system, "name") : NULL;

    return name && *name ? name : "system";
}

int ssp_put_kept_type(struct tt_buf *b, const struct ssp_out *o,
                      const char *element, const char *connector)
{
    const struct tt_xml_node *pin = find(o, element, connector);
    const struct tt_xml_node *type = child(pin, "Enumeration");
    const char *name = type ? tt_xml_value(type, "name") : NULL;

    if (!name)
        return 0;
    tt_buf_str(b, "<ssc:Enumeration");
    tt_xml_text(b, "name", name);
    tt_buf_str(b, "/>");
    return 1;
}

/* A tree as text: elements of SSP's common part. */
static void put_tree(struct tt_buf *b, const struct tt_xml_node *node)
{
    tt_buf_fmt(b, "<ssc:%s", node->name);
    for (uint32_t i = 0; i < node->attr_n; i++)
        tt_xml_text(b, node->attr[i].name, node->attr[i].value);
    tt_buf_str(b, ">");
    for (const struct tt_xml_node *c = node->children; c; c = c->next)
        if (strcmp(c->name, "Annotations") == 0) {
            const char *text = tt_xml_value(c, "text");

            tt_buf_fmt(b, "<ssc:Annotations>%s</ssc:Annotations>",
                       text ? text : "");
        } else {
            put_tree(b, c);
        }
    tt_buf_fmt(b, "</ssc:%s>\n", node->name);
}

void ssp_put_kept_enumerations(struct tt_buf *b, const struct ssp_out *o)
{
    const struct tt_xml_node *all =
        o->was ? child(tt_xml_root(o->was), "Enumerations") : NULL;

    if (!all || !all->children)
        return;
    tt_buf_str(b, "  <ssd:Enumerations>\n");
    for (const struct tt_xml_node *e = all->children; e; e = e->next)
        put_tree(b, e);
    tt_buf_str(b, "  </ssd:Enumerations>\n");
}
