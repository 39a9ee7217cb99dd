/* SPDX-License-Identifier: MIT */
#ifndef TT_SCENARIO_JSON_QUICK_H
#define TT_SCENARIO_JSON_QUICK_H

/* Plain JSON, read straight into a tree with positions.
 *
 * Large scenarios are written by programs and plain: ASCII, with escapes for
 * the rest, no surprises. This reads them several times faster than jansson's
 * tree, which would be walked once more for positions. Whatever is not plain,
 * or not JSON, is left to jansson: there is one judge, and one source of
 * messages.
 */

#include "scenario/json_doc.h"

/* 1: read; 0: not plain, nothing said; -1: out of memory. */
int tt_doc_quick(struct tt_doc *out, const struct tt_scenario_file *f,
                 uint32_t file, tt_arena *nodes, tt_arena *texts);
/* The other way: jansson judges and reads, then its tree is walked beside the
 * text. Reads and refuses everything. */
TT_NODISCARD enum tt_code tt_doc_judged(struct tt_doc *out,
                                        const struct tt_scenario_file *f,
                                        uint32_t file, tt_arena *nodes,
                                        tt_arena *texts, tt_err *err);

#endif
