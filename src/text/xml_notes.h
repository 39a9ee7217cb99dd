/* SPDX-License-Identifier: MIT */
#ifndef TT_TEXT_XML_NOTES_H
#define TT_TEXT_XML_NOTES_H

/* What other tools wrote into an SSP's annotations, as text: a light tree has
 * no place for elements of others. */

#include <libxml/tree.h>

#include "base/mem.h"
#include "text/xml.h"

/* An <Annotations> of the tree, in the order of the document. */
struct xml_note {
    struct tt_xml_node *node;
    struct xml_note *next;
};

/* One of the namespaces that are read as SSP. */
int xml_is_ssp(const xmlChar *uri);
/* xml:lang, and where a schema is: those of any file. */
int xml_is_common(const xmlChar *uri);
/* An element that anything may stand in. */
int xml_is_open(const char *name);
/* Each gets an attribute "text": its annotations that are not ours, with the
 * namespaces they need. -1: out of memory. */
int xml_keep_notes(tt_xml *xml, const struct xml_note *first, tt_arena *arena,
                   const void *data, size_t n, const char *encoding);

#endif
