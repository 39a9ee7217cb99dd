/* SPDX-License-Identifier: MIT */
#ifndef TT_FORMATS_SSP_RULES_H
#define TT_FORMATS_SSP_RULES_H

/* What the standard's schemas state of a file of an SSP (.ssd, .ssv, .ssm,
 * .ssb), and of those in place within it: which elements and attributes there
 * are, in which order, of which type, since which version. */

#include "text/xml.h"

/* A rule that is broken at a line, in words. */
typedef void (*ssp_broken_cb)(void *ctx, int line, const char *rule);

/* Each rule that a file breaks; how many there are. Elements and attributes of
 * other namespaces count where they are not in an annotation. */
uint32_t ssp_check_rules(const tt_xml *xml, ssp_broken_cb broken_cb, void *ctx);
/* Units and enumerations that the file names and does not define; -1: out of
 * memory. */
TT_NODISCARD int ssp_check_names(const tt_xml *xml, ssp_broken_cb broken_cb,
                                 void *ctx);

#endif
