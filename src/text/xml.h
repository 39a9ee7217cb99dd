/* SPDX-License-Identifier: MIT */
#ifndef TT_TEXT_XML_H
#define TT_TEXT_XML_H

/* An XML document as a light tree: elements and their attributes, no text.
 * FMI and SSP keep everything in attributes, and a tree without the text
 * between elements takes a tenth of libxml2's own. The exception is FMI 1's
 * <Name>x</Name>, which reads as <Name text="x"/>, and what is in an
 * <OspSystemStructure>. What other tools wrote into <Annotations> of an SSP is
 * kept as XML that stands by itself: <Annotations text="...">.
 *
 * Foreign files: a DOCTYPE is refused (entity bombs, files of ours read by an
 * entity), nothing is fetched. Elements and attributes in a namespace other
 * than the root's are extensions and are left out, but for the attributes by
 * which FMI's layered standards name themselves ("fmi-ls-name"). SSP has
 * several namespaces, which are one here, as is ours (TT_XML_TUTTI).
 *
 * Immutable after reading. Strings are UTF-8, owned by the document.
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"

struct tt_xml_attr {
    const char *name; /* interned: equal names have equal addresses */
    const char *value;
};

struct tt_xml_node {
    const char *name;
    const struct tt_xml_attr *attr;
    uint32_t attr_n;
    int line;          /* where the element begins */
    const char *space; /* of an SSP: its namespace behind TT_XML_SYSTEM */
    const struct tt_xml_node *parent, *children, *next;
};

typedef struct tt_xml tt_xml;

/* Of an SSP: an element or attribute that was left out, because it is of
 * another namespace and not within an annotation. */
struct tt_xml_foreign {
    const char *name; /* "t:Thing", owned by the document */
    int line, attribute;
    struct tt_xml_foreign *next;
};

#define TT_XML_SSP    "http://ssp-standard.org/SSP1/"
#define TT_XML_SYSTEM TT_XML_SSP "SystemStructure"
#define TT_XML_TUTTI  "urn:tutti:ssp" /* in annotations of an SSP's files */

/* The name, in an FMU, of the model description as tt_xml_parse reads it:
 * "modelDescription.xml" (see xml_plain.h for the other one). */
extern const char tt_xml_description[];
/* ... and of its terminals. */
extern const char tt_xml_terminals[];

/* Read a document. `file` stands before line and column in messages. Bytes
 * that are not in the encoding the file claims are read as ISO-8859-1; then
 * tt_xml_latin1_line() is the line of the first. */
TT_NODISCARD enum tt_code tt_xml_parse(tt_xml **xml, const char *file,
                                       const void *data, size_t n, tt_err *err);
/* The same, and prefixes that no namespace is declared for are taken: elements
 * with one have none. *prefix_line: where the first is, or 0. */
TT_NODISCARD enum tt_code tt_xml_parse_loose(tt_xml **xml, const char *file,
                                             const void *data, size_t n,
                                             int *prefix_line, tt_err *err);
void tt_xml_free(tt_xml *xml); /* accepts NULL */

const struct tt_xml_node *tt_xml_root(const tt_xml *xml);
int tt_xml_latin1_line(const tt_xml *xml); /* 0: all is well */
/* The first, in the order of the document; NULL: none. */
const struct tt_xml_foreign *tt_xml_foreign(const tt_xml *xml);
/* The interned address of a name; NULL when out of memory. */
const char *tt_xml_intern(tt_xml *xml, const char *name);

/* A file of an SSP, written again: what is of other namespaces outside of
 * annotations is left out, `note` (an <Annotation> that declares its
 * namespaces, or NULL) takes the place of ours in the root's annotations, and
 * `version` (or NULL) that of the stated one. All else stays. */
TT_NODISCARD enum tt_code tt_xml_annotate(struct tt_buf *out, const char *file,
                                          const struct tt_buf *text,
                                          const char *note, const char *version,
                                          tt_err *err);

/* The value of an attribute, or NULL. */
static inline const char *tt_xml_value(const struct tt_xml_node *node,
                                       const char *name)
{
    for (uint32_t i = 0; i < node->attr_n; i++)
        if (strcmp(node->attr[i].name, name) == 0)
            return node->attr[i].value;
    return NULL;
}

#endif
