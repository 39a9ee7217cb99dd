/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_COMMAND_H
#define TT_CLI_COMMAND_H

/* A command to a run that is led (control.h), from its line of JSON:
 *
 *     {"id": 1, "do": "pause"}        and "resume", "stop"
 *     {"do": "set", "set": {"{k}.i.u": 1.5}}
 *     {"do": "get", "get": ["{k}.i.y"]}
 *     {"do": "pace", "factor": 2}
 *     {"do": "step", "steps": 3, "set": {...}, "get": [...]}   or "to": t
 *
 * Its form is checked here; names and values are checked by the run. */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "text/json.h"

enum tt_do {
    TT_DO_PAUSE,
    TT_DO_RESUME,
    TT_DO_STOP,
    TT_DO_STEP,
    TT_DO_SET,
    TT_DO_GET,
    TT_DO_PACE,
    TT_DO_N
};

struct tt_command {
    enum tt_do what;
    const struct tt_doc *id;  /* a number, or NULL */
    const struct tt_doc *set; /* an object of values, or NULL */
    const struct tt_doc *get; /* an array of texts, or NULL */
    uint64_t steps;           /* of TT_DO_STEP, at least 1 ... */
    double to;                /* ... or up to this time (s); NaN: not given */
    double factor;            /* of TT_DO_PACE, > 0 */
};

/* Everything lives in the arena. After a failure the id is there, if it could
 * be read. */
TT_NODISCARD enum tt_code tt_command_parse(struct tt_command *c,
                                           const char *line, size_t n,
                                           tt_arena *arena, tt_err *err);

/* `{"id": 1, ` or `{`: the beginning of its answer. */
void tt_command_answer(struct tt_buf *b, const struct tt_command *c);

#endif
