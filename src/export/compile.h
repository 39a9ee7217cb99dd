/* SPDX-License-Identifier: MIT */
#ifndef TT_EXPORT_COMPILE_H
#define TT_EXPORT_COMPILE_H

/* An FMU's sources, built for this machine: the same FMU with its library.
 *
 * What is built stands in sources/buildDescription.xml (FMI 3) or in the model
 * description (FMI 2); else it is sources/all.c, or every C file in sources/.
 * Headers of FMI that are not there are ours (headers/).
 *
 * Sources are foreign: the compiler sees no network, writes nowhere but into a
 * folder of its own, and has limits. Nothing that was built is run. */

#include <stdint.h>

#include "base/log.h"

struct tt_compile {
    const char *input, *output; /* paths */
    const char *compiler;       /* of C; NULL: cc */
    const struct tt_log *log;   /* borrowed: what is left out, and why */
};

struct tt_compiled {
    uint32_t n_source;
    char compiler[256]; /* as it was found */
    const char *platform;
};

/* Nothing is at `output` when it fails. A message has the compiler's first
 * errors. */
TT_NODISCARD enum tt_code tt_compile_fmu(const struct tt_compile *c,
                                         struct tt_compiled *made, tt_err *err);

#endif
