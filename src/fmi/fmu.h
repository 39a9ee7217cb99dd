/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_FMU_H
#define TT_FMI_FMU_H

/* An FMU: its archive, its description, and on demand its shared library.
 *
 *     tt_fmu_open      archive and description; nothing is unpacked or loaded
 *     tt_fmu_library   unpacks (once) and loads (once)
 *     tt_fmu_close     unloads, removes what was unpacked
 *
 * One tt_fmu serves any number of instances; it must outlive them. Calls on
 * one tt_fmu must not overlap; the description may be read by any thread.
 */

#include "base/err.h"
#include "fmi/fmi.h"
#include "fmi/modeldesc.h"
#include "fmi/terminals.h"
#include "sys/lib.h"
#include "text/archive.h"

typedef struct tt_fmu tt_fmu;

/* Open an .fmu or an unpacked folder. A description whose findings are only
 * odd is fine; one with fatal findings is refused with the first of them. */
TT_NODISCARD enum tt_code tt_fmu_open(tt_fmu **fmu, const char *path,
                                      tt_err *err);
/* For tools: does not refuse fatal findings. */
TT_NODISCARD enum tt_code tt_fmu_open_any(tt_fmu **fmu, const char *path,
                                          tt_err *err);
void tt_fmu_close(tt_fmu *fmu); /* accepts NULL */

const char *tt_fmu_path(const tt_fmu *fmu);       /* as given */
const struct tt_md *tt_fmu_md(const tt_fmu *fmu); /* borrowed */
tt_archive *tt_fmu_archive(tt_fmu *fmu);          /* borrowed */
/* None where it has none, or its file cannot be read. */
const struct tt_terminals *tt_fmu_terminals(const tt_fmu *fmu);

/* TT_OK when it has this interface, which its library then is for (without a
 * call, Co-Simulation); else TT_EUNSUPPORTED stating what it has. Before the
 * library is loaded. */
TT_NODISCARD enum tt_code tt_fmu_need(tt_fmu *fmu, enum tt_fmi_face face,
                                      tt_err *err);

/* Name in the archive of the library for this platform and the interface needed
 * (else of any that it has): binaries/<platform>/ then
 * modelIdentifier, the archive's own name up to its first dot, or the only
 * library there. Borrowed. Fails with the platforms there are. */
TT_NODISCARD enum tt_code tt_fmu_library_name(tt_fmu *fmu, const char **name,
                                              tt_err *err);
/* Load it. Refuses an FMU without that interface. lib is borrowed. */
TT_NODISCARD enum tt_code tt_fmu_library(tt_fmu *fmu, tt_lib **lib,
                                         tt_err *err);
/* What to give to instantiate as the place of the resources. FMI 2: a
 * percent-encoded "file:///..." URI; FMI 1: that of the unpacked FMU, in which
 * they are; FMI 3: an absolute path ending in '/'.
 * Unpacks. Borrowed, valid until close. */
TT_NODISCARD enum tt_code tt_fmu_resources(tt_fmu *fmu, const char **location,
                                           tt_err *err);

/* Call fn with each platform folder below binaries/ that holds a file, sorted
 * ("linux64", "x86_64-linux", ...). */
typedef void (*tt_fmu_platform_fn)(void *ctx, const char *platform);
TT_NODISCARD enum tt_code tt_fmu_platforms(const tt_archive *a,
                                           tt_fmu_platform_fn fn, void *ctx,
                                           tt_err *err);

#endif
