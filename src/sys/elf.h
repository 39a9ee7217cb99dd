/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_ELF_H
#define TT_SYS_ELF_H

/* What a shared library's file says of it, without loading it. */

/* Does it define symbols of which a process has one however often it is loaded
 * (STB_GNU_UNIQUE: C++'s inline variables)? 1, 0, or -1: cannot be told. */
int tt_elf_has_unique(const char *path);

#endif
