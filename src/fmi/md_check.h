/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_MD_CHECK_H
#define TT_FMI_MD_CHECK_H

/* Checks a model description against the rules of FMI 2.0.5 or 3.0.2 and
 * collects every finding with its line. Nothing found here keeps an FMU from
 * being simulated: real ones break many rules, and what has no meaning is
 * already a fatal finding of reading. */

#include "base/err.h"
#include "fmi/modeldesc.h"
#include "text/archive.h"
#include "text/finding.h"

/* Add all findings to f: those of reading, those of the archive (a may be
 * NULL: then files are not looked at) and those of the rules. f is finished:
 * sorted by line. Fails only when memory runs out. */
TT_NODISCARD enum tt_code tt_md_check(const struct tt_md *md, tt_archive *a,
                                      struct tt_findings *f, tt_err *err);

#endif
