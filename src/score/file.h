/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_FILE_H
#define TT_SCORE_FILE_H

/* The file form of a score: words that its printer (print_json.c) and its
 * reader (file.c) share. */

#include "score/write.h"

/* A file of another version is refused. */
#define TT_FILE_VERSION 1

enum tt_file_end { TT_FILE_FAIL, TT_FILE_ACCEPT, TT_FILE_REDUCE };

/* By enum tt_solve_method, enum tt_file_end, enum tt_half from FIRST on; each
 * ends with NULL. */
extern const char *const tt_file_methods[];
extern const char *const tt_file_unconverged[];
extern const char *const tt_file_halves[];

/* The score writer that reads the scenario's score file. Sections that are not
 * in it are written as for the masters that are built in, but those to go back
 * by: they are not there. */
TT_NODISCARD enum tt_code tt_write_file(struct tt_draft *w, tt_err *err);

#endif
