/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_OPTIONS_H
#define TT_CLI_OPTIONS_H

/* Options from a table: --name VALUE, --name=VALUE, -n VALUE; "--" ends them.
 * Values go into members of the command's own struct. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum tt_takes {
    TT_TAKES_NOTHING,  /* int, set to 1 */
    TT_TAKES_TEXT,     /* const char *; the last one wins */
    TT_TAKES_LIST,     /* struct tt_words; may be repeated */
    TT_TAKES_NUMBER,   /* double */
    TT_TAKES_POSITIVE, /* double, > 0 and finite */
    TT_TAKES_WHOLE,    /* double, a whole number from least to most */
    TT_TAKES_FACTOR,   /* positive, or 1 when no number follows */
    TT_TAKES_SIZE,     /* uint64_t, in bytes and not 0: 4096, 512M, 1.5G */
    TT_TAKES_MAYBE,    /* const char *; "" when nothing follows after '=' */
    TT_TAKES_OPTIONS,  /* a struct with options of its own */
};

struct tt_opt {
    const char *name; /* without the dashes; NULL ends the table */
    char letter;      /* or 0 */
    enum tt_takes takes;
    uint32_t least, most;
    const struct tt_opt *group;
    size_t at;         /* offsetof the member */
    const char *value; /* "FILE"; NULL for flags */
    const char *help;  /* NULL: another spelling, not shown */
};

/* Kinds of options: takes, least, most and group. */
#define TT_OPT_FLAG               TT_TAKES_NOTHING, 0, 0, NULL
#define TT_OPT_TEXT               TT_TAKES_TEXT, 0, 0, NULL
#define TT_OPT_LIST               TT_TAKES_LIST, 0, 0, NULL
#define TT_OPT_NUMBER             TT_TAKES_NUMBER, 0, 0, NULL
#define TT_OPT_POSITIVE           TT_TAKES_POSITIVE, 0, 0, NULL
#define TT_OPT_WHOLE(least, most) TT_TAKES_WHOLE, least, most, NULL
#define TT_OPT_FACTOR             TT_TAKES_FACTOR, 0, 0, NULL
#define TT_OPT_SIZE               TT_TAKES_SIZE, 0, 0, NULL
#define TT_OPT_MAYBE              TT_TAKES_MAYBE, 0, 0, NULL

/* Entries that several commands have; AT(member) is an offset in the struct
 * that the table is for. */
#define TT_OPT_JSON                                                            \
    "json", 0, TT_OPT_FLAG, AT(json), NULL, "as JSON, for machines"
#define TT_OPT_QUIET                                                           \
    "quiet", 'q', TT_OPT_FLAG, AT(quiet), NULL, "print errors only"
#define TT_OPT_FORCE                                                           \
    "force", 'f', TT_OPT_FLAG, AT(force), NULL, "overwrite an existing file"
#define TT_OPT_VARIANT                                                         \
    "variant", 0, TT_OPT_TEXT, AT(variant), "NAME",                            \
        "of an SSP package: NAME.ssd instead of SystemStructure.ssd"
#define TT_OPT_ALL(options, member)                                            \
    "", 0, TT_TAKES_OPTIONS, 0, 0, options, AT(member), NULL, NULL

struct tt_words {
    const char **word;
    uint32_t n;
};

struct tt_cli;
struct tt_cmd;

/* Option i of a table, those of groups among them; 0 after the last. */
int tt_opt_in(struct tt_opt *out, const struct tt_opt *table, size_t i);
int tt_opt_at(struct tt_opt *out, const struct tt_cmd *cmd, size_t i);

/* The command line into cli->args, of which members that no option names are
 * untouched, and cli->words. Everything lives in cli->arena or argv. TT_EINPUT
 * with a complete message. */
TT_NODISCARD enum tt_code tt_opts_parse(struct tt_cli *cli, tt_err *err);

/* Is --help or -h among the options? */
int tt_opts_help(int argc, char **argv);

#endif
