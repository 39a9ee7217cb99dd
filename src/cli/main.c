/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <string.h>

#include "base/buf.h"
#include "base/names.h"
#include "cli/cli.h"
#include "cli/say.h"

const struct tt_cmd *const tt_cmds[] = {
    &tt_cmd_run,     &tt_cmd_check, &tt_cmd_info,    &tt_cmd_score,
    &tt_cmd_results, &tt_cmd_plot,  &tt_cmd_compare, &tt_cmd_new,
    &tt_cmd_export,  &tt_cmd_serve, &tt_cmd_worker,  &tt_cmd_help,
    &tt_cmd_version, NULL,
};

const struct tt_cmd *tt_cmd_find(const char *name)
{
    for (size_t i = 0; tt_cmds[i]; i++)
        if (strcmp(tt_cmds[i]->name, name) == 0)
            return tt_cmds[i];
    return NULL;
}

static const char *cmd_name(const void *ctx, size_t i)
{
    (void)ctx;
    return tt_cmds[i]->name;
}

enum tt_exit tt_cmd_unknown(const char *name)
{
    size_t n = sizeof(tt_cmds) / sizeof(*tt_cmds) - 1;
    const char *near = tt_names_nearest(name, n, cmd_name, NULL);
    tt_err err;

    if (near)
        tt_fail(&err, TT_EINPUT, "no command '%s'; did you mean '%s'?", name,
                near);
    else
        tt_fail(&err, TT_EINPUT, "no command '%s' (see tutti help)", name);
    return tt_say_error(&err);
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

static enum tt_exit run_command(const struct tt_cmd *cmd, int argc, char **argv)
{
    struct tt_cli cli = {.cmd = cmd, .argc = argc - 2, .argv = argv + 2};
    enum tt_exit code;
    tt_err err;

    if (tt_opts_help(cli.argc, cli.argv)) {
        tt_help_cmd(cmd);
        return TT_EXIT_OK;
    }
    cli.arena = tt_arena_new();
    if (!cli.arena) {
        tt_fail(&err, TT_ENOMEM, "reading the command line: out of memory");
        return tt_say_error(&err);
    }
    cli.typed = typed(cli.arena, argc, argv);
    code = cmd->exec(&cli);
    tt_arena_free(cli.arena);
    return code;
}

int main(int argc, char **argv)
{
    const struct tt_cmd *cmd;
    tt_err err;

    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error with words */
    if (argc < 2) {
        tt_help_all();
        tt_fail(&err, TT_EINPUT, "no command given");
        return (int)tt_say_error(&err);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        tt_help_all();
        return TT_EXIT_OK;
    }
    cmd = strcmp(argv[1], "--version") == 0 ? &tt_cmd_version
                                            : tt_cmd_find(argv[1]);
    if (!cmd)
        return (int)tt_cmd_unknown(argv[1]);
    return (int)run_command(cmd, argc, argv);
}
