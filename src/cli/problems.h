/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_PROBLEMS_H
#define TT_CLI_PROBLEMS_H

/* All problems and warnings of a scenario, with their places. They are reported
 * to another log, too. */

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"

struct tt_problem {
    const char *text;
    struct tt_spot place;
};

struct tt_problem_list {
    struct tt_problem *item; /* owned */
    size_t n, cap;
};

struct tt_problems {
    struct tt_log log; /* give this to the engine */
    const struct tt_log *next;
    tt_arena *arena; /* owned: texts */
    struct tt_problem_list error, warning;
    int starved; /* some are lost */
};

TT_NODISCARD enum tt_code
tt_problems_init(struct tt_problems *p, const struct tt_log *next, tt_err *err);
void tt_problems_fini(struct tt_problems *p);
/* The error of something that reported none itself since there were `before`.
 */
void tt_problems_add(struct tt_problems *p, size_t before, const tt_err *err);

/* [{"message": ..., "file": ..., "line": ..., "column": ..., "unit": ...,
 * "port": ...}, ...]; null: not known. The message does not repeat the place
 * in the file. */
void tt_problems_json(struct tt_buf *b, const struct tt_problem_list *list);

#endif
