/* SPDX-License-Identifier: MIT */
#ifndef TT_TEXT_ARCHIVE_H
#define TT_TEXT_ARCHIVE_H

/* An archive of files: an .fmu (zip) or a folder with the same files in it.
 *
 * The zip is foreign. Names are checked before anything is read: no absolute
 * paths, no "..", no control characters, no links or devices, no encryption,
 * and none twice (the first wins with a warning, but a second
 * modelDescription.xml or binary is refused). Backslashes are taken as slashes,
 * with a warning. What an entry really inflates to is counted, whatever its
 * header states. The limits below are generous and named.
 *
 * Confined to one thread at a time.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "text/finding.h"

#define TT_ARCHIVE_MAX_ENTRIES 100000u
#define TT_ARCHIVE_MAX_NAME    1000u               /* bytes in one name */
#define TT_ARCHIVE_MAX_DEPTH   64u                 /* folders in one name */
#define TT_ARCHIVE_MAX_ENTRY   (UINT64_C(2) << 30) /* bytes of one entry */
#define TT_ARCHIVE_MAX_TOTAL   (UINT64_C(4) << 30) /* bytes of all entries */
#define TT_ARCHIVE_MAX_RATIO   1000u /* inflated : deflated, of an entry ... */
#define TT_ARCHIVE_RATIO_FROM  (UINT64_C(16) << 20) /* ... beyond this size */

typedef struct tt_archive tt_archive;

/* Open a zip file or a folder. All names are checked here. Messages name the
 * path. */
TT_NODISCARD enum tt_code tt_archive_open(tt_archive **a, const char *path,
                                          tt_err *err);
/* The same for a zip in memory; data is borrowed and outlives the archive.
 * `name` stands for the path in messages. */
TT_NODISCARD enum tt_code tt_archive_open_memory(tt_archive **a,
                                                 const char *name,
                                                 const void *data, size_t n,
                                                 tt_err *err);
/* Removes what was unpacked. Accepts NULL. */
void tt_archive_close(tt_archive *a);

const char *tt_archive_path(const tt_archive *a); /* as given */
int tt_archive_is_dir(const tt_archive *a);

/* Files (not folders) in it, sorted, with '/' between components. */
size_t tt_archive_count(const tt_archive *a);
const char *tt_archive_name(const tt_archive *a, size_t i);
int tt_archive_has(const tt_archive *a, const char *name);

/* Odd but harmless things met on opening (duplicate names, ...). */
const struct tt_findings *tt_archive_findings(const tt_archive *a);

/* Read one file, appending to b; b->max is the limit besides ours. */
TT_NODISCARD enum tt_code tt_archive_read(tt_archive *a, const char *name,
                                          struct tt_buf *b, tt_err *err);
/* What tt_archive_read() put into b, alone: it is the archive's from now on,
 * for unpacking without reading it again, and b is empty. */
void tt_archive_keep(tt_archive *a, const char *name, struct tt_buf *b);

/* The same, of a long file perhaps only the start. */
TT_NODISCARD enum tt_code tt_archive_read_start(tt_archive *a, const char *name,
                                                struct tt_buf *b, tt_err *err);

/* Make sure the files are on disk and give their absolute folder (borrowed,
 * valid until close). A zip is unpacked into a private temporary folder, once;
 * a folder is used as it is. In both cases `resources/` exists afterwards
 * (a folder that cannot be written to is left without). */
TT_NODISCARD enum tt_code tt_archive_unpack(tt_archive *a, const char **dir,
                                            tt_err *err);

#endif
