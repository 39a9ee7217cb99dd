/* SPDX-License-Identifier: MIT */
#ifndef TT_TEXT_XML_PLAIN_H
#define TT_TEXT_XML_PLAIN_H

/* Plain XML: what is left of a document when everything that needs a library
 * is resolved. UTF-8; elements and attributes of one namespace, without
 * prefixes; no prolog, comments, text or entities but &amp; &lt; &gt; &quot;
 * and &#N;. Elements stand on the lines they stood on, so that messages name
 * the original's.
 *
 * A scenario exported as an FMU carries the model descriptions in it in this
 * form; the engine in there is linked with xml_plain.c in place of xml.c, and
 * so reads nothing else. */

#include "base/buf.h"
#include "text/xml.h"

/* Where a model description is in plain form, beside the original. */
#define TT_XML_PLAIN           "modelDescription.plain.xml"
#define TT_XML_PLAIN_TERMINALS "terminalsAndIcons/terminalsAndIcons.plain.xml"

/* Append the document in plain form. */
void tt_xml_put_plain(struct tt_buf *b, const tt_xml *xml);

#endif
