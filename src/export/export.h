/* SPDX-License-Identifier: MIT */
#ifndef TT_EXPORT_EXPORT_H
#define TT_EXPORT_EXPORT_H

/* A scenario, its FMUs and the engine as one FMU that needs nothing else.
 *
 *   modelDescription.xml       the scenario's ports as variables (describe.c)
 *   binaries/<platform>/X.so   the engine (engine.h), as it was built
 *   resources/tutti.json       which scenario, and the token
 *   resources/<name>.json      scenarios: the one, and those in it
 *   resources/fmus/<name>/     FMUs, unpacked, with plain descriptions
 *   resources/tables/          files that signals play
 *
 * Nothing in it names a place outside. The same scenario with the same FMUs
 * gives the same variables, so that the description holds for what the engine
 * opens. */

#include "base/log.h"
#include "unit/desc.h"

struct tt_export {
    const char *scenario;     /* path */
    const char *output;       /* path of the FMU */
    const char *engine;       /* path of the engine's library */
    int fmi;                  /* 2 or 3 */
    const char *only_base;    /* files elsewhere are refused; NULL: none are */
    const struct tt_log *log; /* borrowed: what is left out, and why */
};

/* What was made of it, for people. */
struct tt_exported {
    uint32_t n_variable, n_fmu;
};

TT_NODISCARD enum tt_code tt_export_write(const struct tt_export *x,
                                          struct tt_exported *made,
                                          tt_err *err);

/* The file name of an engine's library. */
const char *tt_export_engine_name(int fmi);

#endif
