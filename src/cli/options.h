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

/* A row of a table. */
struct tt_opt {
    const char *usage; /* "-o, --output FILE", as help has it; NULL: the end */
    enum tt_takes takes;
    uint32_t least, most;
    const struct tt_opt *group;
    size_t at;        /* offsetof the member */
    const char *help; /* NULL: another spelling, not shown */
};

/* Rows of all kinds: usage, member and help; AT(member) is an offset in the
 * struct that the table is for. */
#define TT_OPT(u, kind, least, most, group, m, h)                              \
    {                                                                          \
        u, TT_TAKES_##kind, least, most, group, AT(m), h                       \
    }
#define TT_OPT_FLAG(u, m, h)     TT_OPT(u, NOTHING, 0, 0, NULL, m, h)
#define TT_OPT_TEXT(u, m, h)     TT_OPT(u, TEXT, 0, 0, NULL, m, h)
#define TT_OPT_LIST(u, m, h)     TT_OPT(u, LIST, 0, 0, NULL, m, h)
#define TT_OPT_NUMBER(u, m, h)   TT_OPT(u, NUMBER, 0, 0, NULL, m, h)
#define TT_OPT_POSITIVE(u, m, h) TT_OPT(u, POSITIVE, 0, 0, NULL, m, h)
#define TT_OPT_WHOLE(u, m, h, least, most)                                     \
    TT_OPT(u, WHOLE, least, most, NULL, m, h)
#define TT_OPT_FACTOR(u, m, h) TT_OPT(u, FACTOR, 0, 0, NULL, m, h)
#define TT_OPT_SIZE(u, m, h)   TT_OPT(u, SIZE, 0, 0, NULL, m, h)
#define TT_OPT_MAYBE(u, m, h)  TT_OPT(u, MAYBE, 0, 0, NULL, m, h)
#define TT_OPT_ALL(options, m) TT_OPT("", OPTIONS, 0, 0, options, m, NULL)

/* Those that several commands have. */
#define TT_OPT_JSON  TT_OPT_FLAG("--json", json, "as JSON, for machines")
#define TT_OPT_QUIET TT_OPT_FLAG("-q, --quiet", quiet, "print errors only")
#define TT_OPT_FORCE                                                           \
    TT_OPT_FLAG("-f, --force", force, "overwrite an existing file")
#define TT_OPT_VARIANT                                                         \
    TT_OPT_TEXT("--variant NAME", variant,                                     \
                "of an SSP package: NAME.ssd instead of SystemStructure.ssd")

#define TT_OPT_NAME 32u

/* An option: what its row states, and its usage taken apart. */
struct tt_option {
    const char *usage;
    enum tt_takes takes;
    uint32_t least, most;
    size_t at; /* in the struct of the command */
    const char *help;
    char name[TT_OPT_NAME]; /* without the dashes */
    char letter;            /* or 0 */
    const char *value;      /* "FILE"; NULL for flags */
};

struct tt_words {
    const char **word;
    uint32_t n;
};

struct tt_cli;
struct tt_cmd;

/* Option i of a table, those of groups among them; 0 after the last. */
int tt_opt_in(struct tt_option *out, const struct tt_opt *table, size_t i);
int tt_opt_at(struct tt_option *out, const struct tt_cmd *cmd, size_t i);

/* The command line into cli->args, of which members that no option names are
 * untouched, and cli->words. Everything lives in cli->arena or argv. TT_EINPUT
 * with a complete message. */
TT_NODISCARD enum tt_code tt_opts_parse(struct tt_cli *cli, tt_err *err);

/* Is --help or -h among the options? */
int tt_opts_help(int argc, char **argv);

#endif
