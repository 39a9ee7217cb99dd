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
        int by_terminal;     /* ... but with its terminal */
        const char *why;     /* static */
    } * source;              /* per port */
};

/* Two units whose terminals of this name meet. */
struct tt_scaffold_joint {
    uint32_t a, b;
    const char *name;
};

struct tt_scaffold {
    tt_arena *arena; /* borrowed */
    struct tt_scaffold_unit *unit;
    uint32_t n;
    double step, end; /* NaN: from the FMUs */
    uint32_t n_connected;
    struct tt_scaffold_joint *joint; /* owned */
    size_t n_joint, cap_joint;
};

TT_NODISCARD enum tt_code tt_scaffold_open(struct tt_scaffold *s,
                                           const struct tt_words *files,
                                           const char *output, tt_err *err);
/* Terminals first; what they connect is not connected otherwise. */
TT_NODISCARD enum tt_code tt_scaffold_connect(struct tt_scaffold *s,
                                              tt_err *err);
TT_NODISCARD enum tt_code tt_scaffold_terminals(struct tt_scaffold *s,
                                                tt_err *err);
/* May this output drive that input? */
int tt_scaffold_fits(const struct tt_port *out, const struct tt_port *in);
void tt_scaffold_json(const struct tt_scaffold *s, struct tt_buf *b);
void tt_scaffold_advice(const struct tt_scaffold *s, struct tt_buf *b,
                        const char *output);
void tt_scaffold_close(struct tt_scaffold *s);

#endif
