/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_PARTS_H
#define TT_CLI_PARTS_H

/* The files behind a run besides the FMUs that a scenario names (those are
 * tt_run_source): the scenario itself, a master, the package they came in, and
 * the units that stand within adaptations and scenarios inside. With their
 * sums a result states what produced it. */

#include "base/mem.h"
#include "base/names.h"
#include "base/sha256.h"
#include "scenario/scenario.h"

struct tt_part {
    const char *role; /* "scenario", "master", "package" or "inner" */
    const char *of;   /* inner: the key of the FMU it is within; or NULL */
    const char *path;
    char sha256[TT_SHA256_HEX]; /* "": a folder, or not readable */
};

struct tt_parts {
    tt_arena *arena; /* owned: texts */
    struct tt_part *part;
    size_t n, cap;
    struct tt_names seen; /* owned: inner files, by their real paths */
};

/* Reads the files. What cannot be read any more is left without a sum, and what
 * there is no memory for is left out. */
void tt_parts_gather(struct tt_parts *p, const tt_scenario *s);
void tt_parts_fini(struct tt_parts *p);

#endif
