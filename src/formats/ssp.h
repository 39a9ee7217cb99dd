/* SPDX-License-Identifier: MIT */
#ifndef TT_FORMATS_SSP_H
#define TT_FORMATS_SSP_H

/* System Structure and Parameterization, 1.0 and 2.0, as a scenario.
 *
 * Systems within systems are flattened: a component becomes an instance whose
 * name is its path, "drive/motor". What connectors of systems join is followed
 * to the components at both ends; transformations on the way are combined.
 * Values of parameter sets are applied as the standard orders them: bindings
 * further out, and later ones, win.
 */

#include "formats/formats.h"

TT_NODISCARD enum tt_code tt_ssp_write(const tt_scenario *s,
                                       struct tt_format_target *t, tt_err *err);

/* An .ssd that was read before: what is odd in it is not reported again. Unless
 * `own`, the structure counts, whatever scenario is in its annotation. */
TT_NODISCARD enum tt_code tt_ssp_read_again(tt_scenario **out, const char *path,
                                            int nested, int own, tt_err *err);

#define TT_SSP_MAIN "SystemStructure" /* the .ssd that every package has */

#endif
