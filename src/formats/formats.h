/* SPDX-License-Identifier: MIT */
#ifndef TT_FORMATS_FORMATS_H
#define TT_FORMATS_FORMATS_H

/* Scenarios in whatever format they come: JSON of ours, one FMU alone, or a
 * system structure that another tool wrote. */

#include "scenario/scenario.h"

/* As tt_scenario_open, which it calls for what is ours; besides:
 *
 * - SSP 1.0 and 2.0: a package (.ssp, or its folder) or one .ssd of it.
 *   `variant` chooses among several .ssd files of a package by file name
 *   without ending; NULL: SystemStructure. */
TT_NODISCARD enum tt_code tt_format_open(tt_scenario **out,
                                         const char *const *path, size_t n,
                                         const char *variant,
                                         const struct tt_sc_options *o,
                                         const struct tt_log *log, tt_err *err);

/* Is it an SSP package, or a system structure description? */
int tt_format_is_ssp(const char *path);

#endif
