/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_SCAFFOLD_H
#define TT_CLI_SCAFFOLD_H

/* A scenario to start from, made of FMUs: what 'tutti new' writes. */

#include "base/buf.h"
#include "cli/cli.h"
#include "unit/unit.h"

struct tt_scaffold_unit {
    const char *path;   /* as it will stand in the file */
    const char *name;   /* of the instance, and in braces of the key */
    tt_unit_type *type; /* owned */
    struct {
        uint32_t unit, port; /* of the output; TT_NONE: not connected */
    } * source;              /* per port */
};

struct tt_scaffold {
    tt_arena *arena; /* borrowed */
    struct tt_scaffold_unit *unit;
    uint32_t n;
    double step, end; /* NaN: from the FMUs */
    uint32_t n_connected;
};

TT_NODISCARD enum tt_code tt_scaffold_open(struct tt_scaffold *s,
                                           const struct tt_words *files,
                                           const char *output, tt_err *err);
void tt_scaffold_connect(struct tt_scaffold *s);
void tt_scaffold_json(const struct tt_scaffold *s, struct tt_buf *b);
void tt_scaffold_advice(const struct tt_scaffold *s, struct tt_buf *b,
                        const char *output);
void tt_scaffold_close(struct tt_scaffold *s);

#endif
