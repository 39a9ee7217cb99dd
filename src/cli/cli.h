/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_CLI_H
#define TT_CLI_CLI_H

/* The command line. One file per command, each exporting one table entry. */

#include <stddef.h>

#include "base/mem.h"
#include "cli/options.h"

/* What the program tells whoever started it. */
enum tt_exit {
    TT_EXIT_OK = 0,
    TT_EXIT_FAILED = 1, /* the simulation failed, or the results differ */
    TT_EXIT_USAGE = 2,  /* bad usage or input */
    TT_EXIT_INTERRUPTED = 130, /* Ctrl-C, as shells count it */
};

struct tt_cli;

struct tt_cmd {
    const char *name;
    const char *args;  /* "FILE.csv", after the options */
    const char *brief; /* one line, no full stop */
    const char *text;  /* what it does, lines of at most 79 characters */
    const char *example;
    const struct tt_opt *opt; /* ends with an entry without a name */
    enum tt_exit (*exec)(const struct tt_cli *cli);
};

/* One call of a command. */
struct tt_cli {
    const struct tt_cmd *cmd;
    tt_arena *arena; /* lives as long as the command */
    int argc;        /* after the command's name */
    char **argv;
    const char *typed; /* the whole line, for reports */
};

extern const struct tt_cmd tt_cmd_run;
extern const struct tt_cmd tt_cmd_check;
extern const struct tt_cmd tt_cmd_info;
extern const struct tt_cmd tt_cmd_score;
extern const struct tt_cmd tt_cmd_results;
extern const struct tt_cmd tt_cmd_plot;
extern const struct tt_cmd tt_cmd_compare;
extern const struct tt_cmd tt_cmd_new;
extern const struct tt_cmd tt_cmd_export;
extern const struct tt_cmd tt_cmd_serve;
extern const struct tt_cmd tt_cmd_worker;
extern const struct tt_cmd tt_cmd_help;
extern const struct tt_cmd tt_cmd_version;

/* All of them, in the order help lists them; NULL ends the list. */
extern const struct tt_cmd *const tt_cmds[];

const struct tt_cmd *tt_cmd_find(const char *name); /* or NULL */
/* Says on stderr that there is no such command. */
enum tt_exit tt_cmd_unknown(const char *name);

void tt_help_all(void);                   /* on stdout */
void tt_help_cmd(const struct tt_cmd *c); /* on stdout */

#endif
