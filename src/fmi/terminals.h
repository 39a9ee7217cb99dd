/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_TERMINALS_H
#define TT_FMI_TERMINALS_H

/* The terminals of an FMU (FMI 3.0.2, 2.4.9; FMUs of FMI 2 may have the file,
 * too), and the layered standards it follows (2.6). Neither is needed to run
 * it: what cannot be read is left out, with a finding. */

#include "base/err.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "fmi/modeldesc.h"
#include "text/archive.h"
#include "text/finding.h"

#define TT_TERMINALS_MAX   10000u /* terminals of one FMU */
#define TT_TERMINALS_DEPTH 16u    /* within each other */

struct tt_terminals {
    const struct tt_terminal *terminal; /* ports are variables of the FMU */
    uint32_t n;
};

/* Read the bytes of a terminalsAndIcons.xml into the arena. TT_EINPUT: it is no
 * XML; what else is odd is a finding. */
TT_NODISCARD enum tt_code
tt_terminals_parse(struct tt_terminals *out, tt_arena *a,
                   const struct tt_md *md, const void *data, size_t n,
                   struct tt_findings *f, tt_err *err);
/* The same from an FMU's archive, which may have no such file: only running
 * out of memory is an error. */
TT_NODISCARD enum tt_code tt_terminals_read(struct tt_terminals *out,
                                            tt_arena *a, const struct tt_md *md,
                                            tt_archive *archive,
                                            struct tt_findings *f, tt_err *err);

/* A layered standard that an FMU states in extra/<folder>/fmi-ls-manifest.xml;
 * what it does not state is "". */
struct tt_layered {
    const char *folder, *name, *version, *description;
};

#define TT_LAYERED_MAX 1000u

/* All of them, in the order of the archive. */
TT_NODISCARD enum tt_code tt_layered_read(struct tt_layered **out, size_t *n,
                                          tt_arena *a, tt_archive *archive,
                                          struct tt_findings *f, tt_err *err);

#endif
