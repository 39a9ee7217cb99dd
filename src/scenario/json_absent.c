/* SPDX-License-Identifier: MIT */
/* In place of json_doc.c where there is no jansson: what cannot be read quickly
 * is refused. */
#include "scenario/json_quick.h"

enum tt_code tt_doc_judged(struct tt_doc *out, const struct tt_scenario_file *f,
                           uint32_t file, tt_arena *nodes, tt_arena *texts,
                           tt_err *err)
{
    (void)out;
    (void)file;
    (void)nodes;
    (void)texts;
    return tt_fail(err, TT_EINPUT, "%s: it is not JSON as it is read here",
                   f->path);
}
