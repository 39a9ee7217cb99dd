/* SPDX-License-Identifier: MIT */
#ifndef TT_API_CHECK_H
#define TT_API_CHECK_H

/* What was found in an FMU: by reading its description and, where the caller
 * walked through the life of an instance (cli/walk.h), by that. */

#include <stdint.h>

#include "base/buf.h"
#include "fmi/md_check.h"

#define TT_CHECK_PROBLEMS 200u

/* Flat, because it is filled in by a process that may die. */
struct tt_check_walk {
    volatile uint32_t n_call; /* made */
    volatile uint32_t n;      /* problems; at most TT_CHECK_PROBLEMS are kept */
    struct {
        char call[64];
        char text[TT_ERR_MAX];
    } problem[TT_CHECK_PROBLEMS];
};

struct tt_check {
    const char *path;
    const struct tt_md *md;
    const struct tt_findings *findings;
    const struct tt_check_walk *walk; /* or NULL: not walked */
    int strict;                       /* warnings are errors */
};

int tt_check_ok(const struct tt_check *c);
/* For people: a line for each finding, then the verdict. For machines: one
 * JSON object. */
void tt_check_text(struct tt_buf *b, const struct tt_check *c, int colours);
void tt_check_json(struct tt_buf *b, const struct tt_check *c);

#endif
