/* SPDX-License-Identifier: MIT */
#ifndef TT_TEXT_XML_IMPL_H
#define TT_TEXT_XML_IMPL_H

/* What both readers of XML (xml.c, xml_plain.c) do with an element. */

#include "base/mem.h"
#include "text/xml.h"

/* The elements that are open, the root first. Those in the tree are not yet
 * const here: their writable links. */
struct xml_path {
    struct xml_open {
        struct tt_xml_node *node, *last; /* last child */
    } * open;                            /* owned */
    size_t n, cap;
};

/* The node becomes the last child of the innermost open element, or *root, and
 * is open itself. -1: out of memory. */
static inline int xml_push(struct xml_path *p, struct tt_xml_node *node,
                           struct tt_xml_node **root)
{
    struct xml_open *up = p->n ? &p->open[p->n - 1] : NULL;

    if (up) {
        node->parent = up->node;
        if (up->last)
            up->last->next = node;
        else
            up->node->children = node;
        up->last = node;
    } else {
        *root = node;
    }
    if (TT_GROW(p->open, p->n, p->cap) != 0)
        return -1;
    p->open[p->n++] = (struct xml_open){.node = node};
    return 0;
}

#endif
