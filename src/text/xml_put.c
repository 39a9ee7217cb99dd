/* SPDX-License-Identifier: MIT */
/* Writing plain XML. */
#include "text/xml_plain.h"

static void put_value(struct tt_buf *b, const char *s)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        const char *entity = tt_xml_entity(c);

        if (entity)
            tt_buf_str(b, entity);
        else if (c < 0x20) /* a line feed would be a line of ours */
            tt_buf_fmt(b, "&#%u;", (unsigned)c);
        else
            tt_buf_char(b, *s);
    }
}

static void put_tag(struct tt_buf *b, const struct tt_xml_node *n, int *line)
{
    for (; *line < n->line; (*line)++)
        tt_buf_char(b, '\n');
    tt_buf_fmt(b, "<%s", n->name);
    for (uint32_t i = 0; i < n->attr_n; i++) {
        tt_buf_fmt(b, " %s=\"", n->attr[i].name);
        put_value(b, n->attr[i].value);
        tt_buf_char(b, '"');
    }
    tt_buf_str(b, n->children ? ">" : "/>");
}

void tt_xml_put_plain(struct tt_buf *b, const tt_xml *xml)
{
    const struct tt_xml_node *n = tt_xml_root(xml), *top = n;
    int line = 1;

    put_tag(b, n, &line);
    while (n) {
        if (n->children) {
            n = n->children;
            put_tag(b, n, &line);
            continue;
        }
        while (n != top && !n->next) {
            n = n->parent;
            tt_buf_fmt(b, "</%s>", n->name);
        }
        n = n == top ? NULL : n->next;
        if (n)
            put_tag(b, n, &line);
    }
    tt_buf_char(b, '\n');
}
