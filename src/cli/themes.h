/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_THEMES_H
#define TT_CLI_THEMES_H

/* Options of commands that have many, by what they are about. */

#include <stddef.h>

/* Below this many options a list needs no headings. */
#define TT_THEMES_FROM 24u

/* The heading of theme i, in the order help lists them; NULL after the last. */
const char *tt_theme_title(size_t i);
/* Which theme an option belongs to; the last one, "options", is of those that
 * no other lists. */
size_t tt_theme_of(const char *option);

#endif
