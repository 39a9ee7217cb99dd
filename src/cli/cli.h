/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_CLI_H
#define TT_CLI_CLI_H

/* The command line. One file per command, each exporting one table entry. */

#include <stddef.h>

#include "base/mem.h"
#include "cli/options.h"

/* Exit codes of the program. */
enum tt_exit {
    TT_EXIT_OK = 0,
    TT_EXIT_FAILED = 1, /* the simulation failed, or the results differ */
    TT_EXIT_USAGE = 2,  /* bad usage or input */
    TT_EXIT_INTERRUPTED = 130, /* Ctrl-C, as shells count it */
};

struct tt_cli;

/* How a command is called. */
struct tt_cmd_call {
    struct {
        size_t size;
        const struct tt_opt *opt; /* NULL: none */
        const void *init;         /* as they are without options; NULL: zeros */
    } args;
    struct {
        uint32_t least, most;
        unsigned kinds;     /* filekind.h; 0: any */
        const char *wanted; /* "one table of results", and of each file: */
        const char *each;   /* "a table of results" */
    } files;                /* the words that are no options */
    /* Sets cli->exit, if it is not to be TT_EXIT_OK. */
    enum tt_code (*exec)(struct tt_cli *cli, tt_err *err);
};

struct tt_cmd {
    const char *name;
    const char *args;  /* "FILE.csv", after the options */
    const char *brief; /* one line, no full stop */
    const char *text;  /* what it does, lines of at most 79 characters */
    const char *example;
    const struct tt_cmd_call *call;
};

/* One call of a command. */
struct tt_cli {
    const struct tt_cmd *cmd;
    tt_arena *arena; /* lives as long as the command */
    int argc;        /* after the command's name */
    char **argv;
    const char *typed; /* the whole line, for reports */
    void *args;        /* the command's own struct */
    struct tt_words words;
    enum tt_exit exit;
};

extern const struct tt_cmd_call tt_cmd_run;
extern const struct tt_cmd_call tt_cmd_check;
extern const struct tt_cmd_call tt_cmd_info;
extern const struct tt_cmd_call tt_cmd_score;
extern const struct tt_cmd_call tt_cmd_stability;
extern const struct tt_cmd_call tt_cmd_sweep;
extern const struct tt_cmd_call tt_cmd_tune;
extern const struct tt_cmd_call tt_cmd_results;
extern const struct tt_cmd_call tt_cmd_plot;
extern const struct tt_cmd_call tt_cmd_compare;
extern const struct tt_cmd_call tt_cmd_new;
extern const struct tt_cmd_call tt_cmd_compile;
extern const struct tt_cmd_call tt_cmd_convert;
extern const struct tt_cmd_call tt_cmd_adapt;
extern const struct tt_cmd_call tt_cmd_export;
extern const struct tt_cmd_call tt_cmd_serve;
extern const struct tt_cmd_call tt_cmd_worker;
extern const struct tt_cmd_call tt_cmd_completion;
extern const struct tt_cmd_call tt_cmd_help;
extern const struct tt_cmd_call tt_cmd_version;

/* All of them, in the order help lists them; one without a name ends it. */
extern const struct tt_cmd tt_cmds[];

const struct tt_cmd *tt_cmd_find(const char *name); /* or NULL */
/* That there is no such command. */
enum tt_code tt_cmd_unknown(const char *name, tt_err *err);

/* The end of a command that serves until a signal comes. */
enum tt_code tt_cmd_served(struct tt_cli *cli, enum tt_code rc);

void tt_help_all(void);                   /* on stdout */
void tt_help_cmd(const struct tt_cmd *c); /* on stdout */

#endif
