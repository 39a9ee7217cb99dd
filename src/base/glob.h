/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_GLOB_H
#define TT_BASE_GLOB_H

/* Does text match the pattern? `*` is any run of characters, `?` any one;
 * everything else, brackets too, stands for itself: variables are called
 * x[1]. Linear in practice, never exponential. */
int tt_glob(const char *pattern, const char *text);

/* A variable selected by pattern: against "{key}.inst.var", "inst.var" and
 * "var". "all" selects everything. */
int tt_glob_variable(const char *pattern, const char *unit,
                     const char *instance, const char *variable);

#endif
