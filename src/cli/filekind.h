/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_FILEKIND_H
#define TT_CLI_FILEKIND_H

/* What a file is by its content, whatever it is called, so that one that a
 * command does not take is named for what it is. */

#include "base/err.h"
#include "cli/options.h"

enum tt_filekind {
    TT_FILE_OTHER = 0, /* nothing we know, empty, no plain file or not there:
                          the command's own words are better */
    TT_FILE_FMU = 1 << 0,
    TT_FILE_SCENARIO = 1 << 1,
    TT_FILE_JSON = 1 << 2, /* another */
    TT_FILE_CSV = 1 << 3,
    TT_FILE_MAT = 1 << 4,
    TT_FILE_H5 = 1 << 5,
    TT_FILE_SSP = 1 << 6,
    TT_FILE_ZIP = 1 << 7, /* another */
    TT_FILE_XML = 1 << 8,
    TT_FILE_ELF = 1 << 9,
    TT_FILE_DLL = 1 << 10,
    TT_FILE_OSP = 1 << 11,
};
#define TT_FILES_TABLE (TT_FILE_CSV | TT_FILE_MAT | TT_FILE_H5)
#define TT_FILES_MODEL                                                         \
    (TT_FILE_FMU | TT_FILE_SCENARIO | TT_FILE_JSON | TT_FILE_SSP | TT_FILE_OSP)

/* Is each file of a kind in `taken`, and called so that it is taken for that?
 * Else what it is and what to use instead; `wanted` states what would do: "an
 * FMU". */
TT_NODISCARD enum tt_code tt_filekind_expect(const struct tt_words *files,
                                             unsigned taken, const char *wanted,
                                             tt_err *err);

/* May this be written over? What it is now must be of a kind in `may`, or
 * nothing we know. */
TT_NODISCARD enum tt_code tt_filekind_over(const char *path, unsigned may,
                                           tt_err *err);

/* Of commands that make an FMU: what their arguments begin with. */
struct tt_new_fmu {
    const char *output;
    int force, quiet;
};
extern const struct tt_opt tt_new_fmu_opts[];
/* May it be made under this name? */
TT_NODISCARD enum tt_code tt_new_fmu_check(const struct tt_new_fmu *a,
                                           tt_err *err);
/* May a file be made under this name? */
TT_NODISCARD enum tt_code tt_filekind_new(const char *path, int force,
                                          tt_err *err);

#endif
