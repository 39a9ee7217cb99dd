/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_FMU_COPY_H
#define TT_FMI_FMU_COPY_H

/* Private copies of an FMU's library: loaded again from a file of its own, so
 * that what is global in it exists once per copy. Instances of different copies
 * can be called at the same time, whatever the library does behind its
 * functions. */

#include "fmi/fmu.h"

/* Why there can be none ("it is a folder, ..."), or NULL. Unpacks. */
const char *tt_fmu_copy_refused(tt_fmu *fmu);

/* Make copy `number` (1 and up) and load it; the caller closes it before the
 * FMU, which removes its file. */
TT_NODISCARD enum tt_code tt_fmu_copy_library(tt_fmu *fmu, uint32_t number,
                                              tt_lib **lib, tt_err *err);

#endif
