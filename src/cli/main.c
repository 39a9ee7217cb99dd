/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <string.h>

#include "base/buf.h"
#include "base/names.h"
#include "cli/cli.h"
#include "cli/filekind.h"
#include "cli/print.h"
#include "sys/proc.h"

const struct tt_cmd *tt_cmd_find(const char *name)
{
    for (const struct tt_cmd *c = tt_cmds; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

static const char *cmd_name(const void *ctx, size_t i)
{
    (void)ctx;
    return tt_cmds[i].name;
}

enum tt_code tt_cmd_unknown(const char *name, tt_err *err)
{
    const char *near;
    size_t n = 0;

    while (tt_cmds[n].name)
        n++;
    near = tt_names_nearest(name, n, cmd_name, NULL);
    if (near)
        return tt_fail(err, TT_EINPUT, "no command '%s'; did you mean '%s'?",
                       name, near);
    return tt_fail(err, TT_EINPUT, "no command '%s' (see tutti help)", name);
}

/* What was typed, quoted where a shell would need it. */
static const char *typed(tt_arena *arena, int argc, char **argv)
{
    struct tt_buf b;
    const char *line;

    tt_buf_init(&b, 65536);
    tt_buf_str(&b, "tutti");
    for (int i = 1; i < argc; i++) {
        const char *quote = strpbrk(argv[i], " \t\"'*?{}[]$&;|<>()") ? "'" : "";

        tt_buf_fmt(&b, " %s%s%s", quote, argv[i], quote);
    }
    line = tt_arena_strdup(arena, b.failed ? "tutti" : b.data);
    tt_buf_fini(&b);
    return line ? line : "tutti";
}

/* Are there words enough, not too many, and files that it takes? */
static enum tt_code check_words(const struct tt_cli *cli, tt_err *err)
{
    const struct tt_cmd *c = cli->cmd;

    if (cli->words.n > c->call->files.most && !c->call->files.most)
        return tt_fail(err, TT_EINPUT, "'tutti %s' takes no files: '%s'",
                       c->name, cli->words.word[0]);
    if (cli->words.n < c->call->files.least ||
        cli->words.n > c->call->files.most)
        return tt_fail(err, TT_EINPUT, "'tutti %s' needs %s: tutti %s %s",
                       c->name, c->call->files.wanted, c->name, c->args);
    if (!c->call->files.kinds)
        return TT_OK;
    return tt_filekind_expect(&cli->words, c->call->files.kinds,
                              c->call->files.each, err);
}

static enum tt_code run_command(struct tt_cli *cli, tt_err *err)
{
    const struct tt_cmd_call *call = cli->cmd->call;
    enum tt_code rc;

    cli->args = tt_arena_alloc(cli->arena, 1, call->args.size + 1);
    if (!cli->args)
        return tt_fail(err, TT_ENOMEM, "reading the command line");
    if (call->args.init)
        memcpy(cli->args, call->args.init, call->args.size);
    rc = tt_opts_parse(cli, err);
    if (rc == TT_OK)
        rc = check_words(cli, err);
    return rc == TT_OK ? call->exec(cli, err) : rc;
}

static enum tt_exit perform(const struct tt_cmd *cmd, int argc, char **argv)
{
    struct tt_cli cli = {.cmd = cmd, .argc = argc - 2, .argv = argv + 2};
    tt_err err;

    if (tt_opts_help(cli.argc, cli.argv)) {
        tt_help_cmd(cmd);
        return TT_EXIT_OK;
    }
    cli.arena = tt_arena_new();
    if (!cli.arena) {
        tt_fail(&err, TT_ENOMEM, "reading the command line: out of memory");
        return tt_print_error(&err);
    }
    cli.typed = typed(cli.arena, argc, argv);
    if (run_command(&cli, &err) != TT_OK)
        cli.exit = tt_print_error(&err);
    tt_arena_free(cli.arena);
    return cli.exit;
}

enum tt_code tt_cmd_served(struct tt_cli *cli, enum tt_code rc)
{
    if (tt_signal_interrupted())
        cli->exit = TT_EXIT_INTERRUPTED;
    return rc;
}

int main(int argc, char **argv)
{
    const struct tt_cmd *cmd;
    tt_err err;

    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error with words */
    if (argc < 2) {
        tt_help_all();
        tt_fail(&err, TT_EINPUT, "no command given");
        return (int)tt_print_error(&err);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        tt_help_all();
        return TT_EXIT_OK;
    }
    cmd = tt_cmd_find(strcmp(argv[1], "--version") ? argv[1] : "version");
    if (cmd)
        return (int)perform(cmd, argc, argv);
    tt_cmd_unknown(argv[1], &err);
    return (int)tt_print_error(&err);
}
