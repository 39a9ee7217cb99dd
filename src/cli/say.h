/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_SAY_H
#define TT_CLI_SAY_H

/* Words to the terminal: with colours there (unless NO_COLOR is set), in a
 * pipe without. How they are laid out is base/say.h. */

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/say.h"
#include "cli/cli.h"

/* Are colours wanted on this descriptor? */
int tt_say_colours(int fd);
/* Does the terminal know UTF-8? */
int tt_say_utf8(void);
struct tt_ascii_opts;
/* What stdout can show; width 0: as wide as it is. */
void tt_say_plot_opts(struct tt_ascii_opts *o, int width);
/* "tutti: message", one line on stderr. Returns the exit code for err->code. */
enum tt_exit tt_say_error(const tt_err *err);
enum tt_exit tt_say_exit(enum tt_code code);
TT_PRINTF(1, 2) void tt_say_warning(const char *fmt, ...);

/* All of it to stdout. A reader who went away has seen enough. */
TT_NODISCARD enum tt_code tt_say_bytes(const char *text, size_t n, tt_err *err);
/* All of b to stdout, or an error line and its exit code; `otherwise` when it
 * went well. */
enum tt_exit tt_say_out(const struct tt_buf *b, enum tt_exit otherwise);

#endif
