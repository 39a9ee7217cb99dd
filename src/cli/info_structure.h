/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_INFO_STRUCTURE_H
#define TT_CLI_INFO_STRUCTURE_H

#include "base/buf.h"
#include "base/err.h"
#include "scenario/scenario.h"

struct tt_info_ask {
    const char *variant; /* of a package, or NULL */
    int json;
    const struct tt_sc_options *o;
};

/* What a system structure (SSP) has: FMUs, instances, connections, ports,
 * variants of its package, and the metadata that its files list, which no run
 * looks at; as JSON with the whole as a scenario. */
TT_NODISCARD enum tt_code tt_info_structure(struct tt_buf *b, const char *path,
                                            const struct tt_info_ask *ask,
                                            tt_err *err);

#endif
