/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_ELF_H
#define TT_SYS_ELF_H

/* What a shared library's file states of it, without loading it. */

/* Does it define symbols of which a process has one however often it is loaded
 * (STB_GNU_UNIQUE: C++'s inline variables)? 1, 0, or -1: cannot be known. */
int tt_elf_has_unique(const char *path);

/* The names of the libraries it wants, one by one. 0, or -1: cannot be known.
 */
int tt_elf_needed(const char *path,
                  void (*name_cb)(void *ctx, const char *name), void *ctx);

#endif
