/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_CORES_IMPL_H
#define TT_SYS_CORES_IMPL_H

#include <stdint.h>

/* Whole processors that the control group named in `file` and those above it
 * have time for, at least 1; 0: there is no limit. root: of the tree. */
uint32_t tt_cores_quota(const char *file, const char *root);

#endif
