/* SPDX-License-Identifier: MIT */
/* What shells complete, from the same tables that parse the command line. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/print.h"

/* --- what may follow an option ---------------------------------------------
 */

enum follows { NOTHING, WORDS, FILES, OTHER };

static enum follows follows(const struct tt_option *o)
{
    const char *v = o->value;

    if (!v || o->takes == TT_TAKES_MAYBE)
        return NOTHING;
    if (strstr(v, "FILE") || strstr(v, "FOLDER") || strstr(v, "DIR"))
        return FILES;
    return strchr(v, '|') ? WORDS : OTHER;
}

/* The words of "N|auto" that are to be typed as they are: "auto". */
static void words(struct tt_buf *b, const char *value)
{
    for (size_t n; *value; value += n + (value[n] == '|')) {
        n = strcspn(value, "|");
        if (strspn(value, "abcdefghijklmnopqrstuvwxyz-0123456789") == n &&
            islower((unsigned char)*value))
            tt_buf_fmt(b, "%.*s ", (int)n, value);
    }
    if (b->len && b->data[b->len - 1] == ' ')
        b->len--;
}

/* Text between single quotes of a shell, with a backslash before each of
 * `special`. */
static void quoted(struct tt_buf *b, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            tt_buf_str(b, "'\\'");
        else if (strchr(special, *text))
            tt_buf_str(b, "\\");
        tt_buf_fmt(b, "%c", *text);
    }
}

/* --- bash ------------------------------------------------------------------
 */

static void bash_values(struct tt_buf *b, const struct tt_cmd *cmd)
{
    struct tt_option o;

    for (size_t i = 0; tt_opt_at(&o, cmd, i); i++) {
        if (follows(&o) == NOTHING)
            continue;
        tt_buf_fmt(b, "    %s:--%s", cmd->name, o.name);
        if (o.letter)
            tt_buf_fmt(b, "|%s:-%c", cmd->name, o.letter);
        tt_buf_str(b, ") ");
        if (follows(&o) == WORDS) {
            tt_buf_str(b, "words='");
            words(b, o.value);
            tt_buf_str(b, "'");
        } else {
            tt_buf_str(b, follows(&o) == FILES ? "return" : "none=1");
        }
        tt_buf_str(b, " ;;\n");
    }
}

static void bash_options(struct tt_buf *b, const struct tt_cmd *cmd)
{
    struct tt_option o;

    tt_buf_fmt(b, "        %s) words='", cmd->name);
    for (size_t i = 0; tt_opt_at(&o, cmd, i); i++)
        if (o.help)
            tt_buf_fmt(b, "--%s ", o.name);
    tt_buf_str(b, "--help' ;;\n");
}

static void bash(struct tt_buf *b)
{
    tt_buf_str(b, "_tutti() {\n"
                  "    local cur=${COMP_WORDS[COMP_CWORD]}\n"
                  "    local prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                  "    local cmd=${COMP_WORDS[1]} words= none=\n"
                  "    COMPREPLY=()\n"
                  "    if ((COMP_CWORD == 1)); then\n"
                  "        COMPREPLY=($(compgen -W '");
    for (const struct tt_cmd *c = tt_cmds; c->name; c++)
        tt_buf_fmt(b, "%s%s", c == tt_cmds ? "" : " ", c->name);
    tt_buf_str(b, "' -- \"$cur\"))\n"
                  "        return\n"
                  "    fi\n"
                  "    case $cmd:$prev in\n");
    for (const struct tt_cmd *c = tt_cmds; c->name; c++)
        bash_values(b, c);
    tt_buf_str(b, "    *)\n"
                  "        [[ $cur == -* ]] || return\n"
                  "        case $cmd in\n");
    for (const struct tt_cmd *c = tt_cmds; c->name; c++)
        bash_options(b, c);
    tt_buf_str(b, "        esac ;;\n"
                  "    esac\n"
                  "    [ -n \"$none\" ] && compopt +o default 2>/dev/null\n"
                  "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                  "}\n"
                  "complete -o default -F _tutti tutti\n");
}

/* --- zsh -------------------------------------------------------------------
 */

static void zsh_option(struct tt_buf *b, const struct tt_option *o)
{
    static const char special[] = "[]:\\";

    tt_buf_fmt(b, "            '%s--%s%s[",
               o->takes == TT_TAKES_LIST ? "*" : "", o->name,
               o->value && o->takes != TT_TAKES_MAYBE ? "=" : "");
    quoted(b, o->help, special);
    tt_buf_str(b, "]");
    if (follows(o) != NOTHING) {
        tt_buf_str(b, ":");
        quoted(b, o->value, special);
        tt_buf_str(b, ":");
    }
    if (follows(o) == FILES) {
        tt_buf_str(b, "_files");
    } else if (follows(o) == WORDS) {
        tt_buf_str(b, "(");
        words(b, o->value);
        tt_buf_str(b, ")");
    }
    tt_buf_str(b, "' \\\n");
}

static void zsh(struct tt_buf *b)
{
    struct tt_option o;

    tt_buf_str(b, "#compdef tutti\n"
                  "_tutti() {\n"
                  "    local -a commands=(\n");
    for (const struct tt_cmd *c = tt_cmds; c->name; c++) {
        tt_buf_fmt(b, "        '%s:", c->name);
        quoted(b, c->brief, "\\");
        tt_buf_str(b, "'\n");
    }
    tt_buf_str(b, "    )\n"
                  "    if ((CURRENT == 2)); then\n"
                  "        _describe command commands\n"
                  "        return\n"
                  "    fi\n"
                  "    local cmd=$words[2]\n"
                  "    shift words\n"
                  "    ((CURRENT--))\n"
                  "    case $cmd in\n");
    for (const struct tt_cmd *c = tt_cmds; c->name; c++) {
        tt_buf_fmt(b, "    %s)\n        _arguments \\\n", c->name);
        for (size_t i = 0; tt_opt_at(&o, c, i); i++)
            if (o.help)
                zsh_option(b, &o);
        tt_buf_str(b, "            '(- *)'{-h,--help}'[this text]' \\\n"
                      "            '*:file:_files' ;;\n");
    }
    tt_buf_str(b, "    esac\n"
                  "}\n"
                  "compdef _tutti tutti\n");
}

/* --- fish ------------------------------------------------------------------
 */

static void fish_option(struct tt_buf *b, const struct tt_cmd *cmd,
                        const struct tt_option *o)
{
    static const char *const flags[] = {
        [NOTHING] = "", [WORDS] = " -x", [FILES] = " -r -F", [OTHER] = " -x"};

    tt_buf_fmt(b, "complete -c tutti -n '__fish_seen_subcommand_from %s' -l %s",
               cmd->name, o->name);
    if (o->letter)
        tt_buf_fmt(b, " -s %c", o->letter);
    tt_buf_str(b, flags[follows(o)]);
    if (follows(o) == WORDS) {
        tt_buf_str(b, " -a '");
        words(b, o->value);
        tt_buf_str(b, "'");
    }
    tt_buf_str(b, " -d '");
    quoted(b, o->help, "\\");
    tt_buf_str(b, "'\n");
}

static void fish(struct tt_buf *b)
{
    struct tt_option o;

    for (const struct tt_cmd *c = tt_cmds; c->name; c++) {
        tt_buf_fmt(b,
                   "complete -c tutti -n __fish_use_subcommand -f -a %s -d '",
                   c->name);
        quoted(b, c->brief, "\\");
        tt_buf_str(b, "'\n");
        for (size_t i = 0; tt_opt_at(&o, c, i); i++)
            if (o.help)
                fish_option(b, c, &o);
    }
}

/* --- the command -----------------------------------------------------------
 */

static const struct shell {
    const char *name;
    void (*print)(struct tt_buf *b);
} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
#define N_SHELLS (sizeof(shells) / sizeof(*shells))

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const char *name = cli->words.word[0];
    enum tt_code rc;
    struct tt_buf b;

    for (size_t i = 0; i < N_SHELLS; i++) {
        if (strcmp(name, shells[i].name) != 0)
            continue;
        tt_buf_init(&b, TT_SHOW_MAX);
        shells[i].print(&b);
        if (!b.failed)
            (void)!fwrite(b.data, 1, b.len, stdout);
        rc = b.failed ? tt_nomem(err, "completion") : TT_OK;
        tt_buf_fini(&b);
        return rc;
    }
    return tt_fail(err, TT_EINPUT,
                   "there is no completion for '%s': bash, zsh or fish", name);
}

const struct tt_cmd_call tt_cmd_completion = {
    .files = {.least = 1, .most = 1, .wanted = "one of bash, zsh, fish"},
    .exec = exec,
};
