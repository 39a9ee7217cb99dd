/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_OPTIONS_H
#define TT_CLI_OPTIONS_H

/* Options from a table: --name VALUE, --name=VALUE, -n VALUE; "--" ends them.
 * Values go into members of the command's own struct. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum tt_opt_kind {
    TT_OPT_FLAG,     /* int, set to 1 */
    TT_OPT_TEXT,     /* const char *; the last one wins */
    TT_OPT_LIST,     /* struct tt_words; may be repeated */
    TT_OPT_NUMBER,   /* double */
    TT_OPT_POSITIVE, /* double, > 0 and finite */
    TT_OPT_WHOLE,    /* double, a whole number within its tt_limit */
    TT_OPT_FACTOR,   /* the same, or 1 when no number follows */
    TT_OPT_SIZE,     /* uint64_t, in bytes and not 0: 4096, 512M, 1.5G */
    TT_OPT_MAYBE,    /* const char *; "" when nothing follows after '=' */
};

struct tt_opt {
    const char *name; /* without the dashes; NULL ends the table */
    char letter;      /* or 0 */
    enum tt_opt_kind kind;
    size_t at;         /* offsetof the member */
    const char *value; /* "FILE"; NULL for flags */
    const char *help;  /* NULL: another spelling, not shown */
};

struct tt_limit {     /* of a whole number */
    const char *name; /* of the option; NULL ends the table */
    uint32_t least, most;
};

struct tt_words {
    const char **word;
    uint32_t n;
};

struct tt_cli;
struct tt_cmd;

/* All options of a command, shared ones first; NULL after the last. */
const struct tt_opt *tt_opt_at(const struct tt_cmd *cmd, size_t i);

/* The command line into cli->args, of which members that no option names are
 * untouched, and cli->words. Everything lives in cli->arena or argv. TT_EINPUT
 * with a complete message. */
TT_NODISCARD enum tt_code tt_opts_parse(struct tt_cli *cli, tt_err *err);

/* Is --help or -h among the options? */
int tt_opts_help(int argc, char **argv);

#endif
