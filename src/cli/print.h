/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_PRINT_H
#define TT_CLI_PRINT_H

/* Words to the terminal: with colours there (unless NO_COLOR is set), in a
 * pipe without. How they are laid out is base/show.h. */

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "base/show.h"
#include "cli/cli.h"

/* Are colours wanted on this descriptor? */
int tt_print_colours(int fd);
/* Does the terminal know UTF-8? */
int tt_print_utf8(void);
struct tt_ascii_opts;
/* What stdout can show; width 0: as wide as it is. */
void tt_print_plot_opts(struct tt_ascii_opts *o, int width);
/* "tutti: message", one line on stderr. Returns the exit code for err->code. */
enum tt_exit tt_print_error(const tt_err *err);
enum tt_exit tt_print_exit(enum tt_code code);
TT_PRINTF(1, 2) void tt_print_warning(const char *fmt, ...);
/* For a tt_log, of a command whose output is a file: warnings, and notes as a
 * line each on stderr. */
void tt_print_record(void *ctx, const struct tt_log_record *r);

/* All of it to stdout. A reader that closed has seen enough. */
TT_NODISCARD enum tt_code tt_print_bytes(const char *text, size_t n,
                                         tt_err *err);
/* All of b to stdout, or an error line and its exit code; `otherwise` when it
 * went well. */
enum tt_exit tt_print_out(const struct tt_buf *b, enum tt_exit otherwise);
/* The end of a command that made b: print it, if that went well, and free it.
 * Returns rc. */
enum tt_code tt_cmd_print(struct tt_cli *cli, struct tt_buf *b,
                          enum tt_code rc);

#endif
