/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hooks.h"
#include "base/names.h"
#include "base/num.h"
#include "cli/cli.h"

struct parse {
    struct tt_cli *cli;
    int next; /* argument to look at */
};

/* --- names ------------------------------------------------------------- */

/* "-o, --output FILE", "--control[=paused]" */
static void read_usage(struct tt_option *o)
{
    const char *name = strstr(o->usage, "--") + 2;
    size_t n = strcspn(name, " [");

    TT_ASSERT(n < sizeof(o->name));
    memcpy(o->name, name, n);
    o->name[n] = '\0';
    o->letter = (char)(o->usage[1] == '-' ? 0 : o->usage[1]);
    o->value = name[n] == ' ' ? name + n + 1 : name[n] ? name + n : NULL;
}

/* Option *i of a table; else *i is less by those that it has. */
static int find_at(struct tt_option *out, const struct tt_opt *o, size_t *i)
{
    for (; o && o->usage; o++) {
        if (o->takes == TT_TAKES_OPTIONS) {
            if (!find_at(out, o->group, i))
                continue;
            out->at += o->at;
            return 1;
        }
        if ((*i)-- == 0) {
            TT_TAKE(out, o, usage, takes, least, most, at, help);
            read_usage(out);
            return 1;
        }
    }
    return 0;
}

int tt_opt_in(struct tt_option *out, const struct tt_opt *table, size_t i)
{
    return find_at(out, table, &i);
}

int tt_opt_at(struct tt_option *out, const struct tt_cmd *cmd, size_t i)
{
    return tt_opt_in(out, cmd->call->args.opt, i);
}

static const char *name_of(const void *ctx, size_t i)
{
    const struct tt_cli *cli = ctx;
    struct tt_option o;

    return tt_opt_at(&o, cli->cmd, i) && o.help
               ? tt_arena_strdup(cli->arena, o.name)
               : NULL;
}

static enum tt_code unknown(const struct tt_cli *cli, const char *name,
                            tt_err *err)
{
    const struct tt_cmd *cmd = cli->cmd;
    const char *near;
    struct tt_option o;
    size_t n = 0;

    while (tt_opt_at(&o, cmd, n))
        n++;
    near = tt_names_nearest(name, n, name_of, cli);
    if (near)
        return tt_fail(err, TT_EINPUT,
                       "'tutti %s' has no option '--%s'; did you mean '--%s'?",
                       cmd->name, name, near);
    return tt_fail(err, TT_EINPUT,
                   "'tutti %s' has no option '--%s' (see tutti %s --help)",
                   cmd->name, name, cmd->name);
}

static int find(struct tt_option *o, const struct tt_cmd *cmd, const char *name,
                size_t n)
{
    for (size_t i = 0; tt_opt_at(o, cmd, i); i++)
        if (strlen(o->name) == n && memcmp(o->name, name, n) == 0)
            return 1;
    return 0;
}

static int find_letter(struct tt_option *o, const struct tt_cmd *cmd,
                       char letter)
{
    for (size_t i = 0; tt_opt_at(o, cmd, i); i++)
        if (o->letter == letter)
            return 1;
    return 0;
}

/* --- values ------------------------------------------------------------ */

static enum tt_code take_number(const struct tt_option *o, const char *text,
                                double *v, tt_err *err)
{
    int positive = o->takes == TT_TAKES_POSITIVE || o->takes == TT_TAKES_FACTOR;
    double number;

    if (tt_num_parse(text, &number) != 0 || isnan(number) ||
        (positive && (!(number > 0) || isinf(number))))
        return tt_fail(err, TT_EINPUT, "--%s needs a %snumber, not '%s'",
                       o->name, positive ? "positive " : "", text);
    *v = number;
    return TT_OK;
}

static enum tt_code take_whole(const struct tt_option *o, const char *text,
                               double *v, tt_err *err)
{
    enum tt_code rc = take_number(o, text, v, err);

    if (rc == TT_OK && (*v < o->least || *v > o->most || *v != floor(*v)))
        rc = tt_fail(err, TT_EINPUT, "--%s needs a whole number from %u to %u",
                     o->name, o->least, o->most);
    return rc;
}

/* What follows the number: 0 for nothing, 1 for K ... 4 for T, -1 for others.
 * Each is 1024 of the one before, a B behind it changes nothing. */
static int size_unit(const char *text)
{
    static const char letters[] = "KMGT";
    const char *at = *text ? strchr(letters, *text) : NULL;

    if (!*text || strcmp(text, "B") == 0)
        return 0;
    if (!at || (text[1] && strcmp(text + 1, "B") != 0))
        return -1;
    return (int)(at - letters) + 1;
}

#define SIZE_DIGITS 32u
#define SIZE_BYTES  9e18 /* fits 63 bits */

static enum tt_code take_size(const struct tt_option *o, const char *text,
                              uint64_t *bytes, tt_err *err)
{
    size_t n = strspn(text, "0123456789.");
    int unit = size_unit(text + n);
    char digits[SIZE_DIGITS] = "";
    double v = 0;

    if (n && n < sizeof(digits))
        memcpy(digits, text, n);
    if (unit < 0 || tt_num_parse(digits, &v) != 0 ||
        !(ldexp(v, 10 * unit) >= 1 && ldexp(v, 10 * unit) < SIZE_BYTES))
        return tt_fail(err, TT_EINPUT,
                       "--%s needs a size such as 512M or 1.5G, not '%s'",
                       o->name, text);
    *bytes = (uint64_t)ldexp(v, 10 * unit);
    return TT_OK;
}

static enum tt_code add_word(const struct tt_cli *cli, struct tt_words *w,
                             const char *text, tt_err *err)
{
    if (!w->word)
        if (!TT_NEW_IN(cli->arena, w->word, (size_t)cli->argc))
            return tt_fail(err, TT_ENOMEM, "reading the command line");
    w->word[w->n++] = text;
    return TT_OK;
}

static enum tt_code take(struct parse *p, const struct tt_option *o,
                         const char *text, tt_err *err)
{
    char *at = (char *)p->cli->args + o->at;

    switch (o->takes) {
    case TT_TAKES_NOTHING:
        *(int *)(void *)at = 1;
        return TT_OK;
    case TT_TAKES_TEXT:
    case TT_TAKES_MAYBE:
        *(const char **)(void *)at = text;
        return TT_OK;
    case TT_TAKES_LIST:
        return add_word(p->cli, (struct tt_words *)(void *)at, text, err);
    case TT_TAKES_NUMBER:
    case TT_TAKES_POSITIVE:
    case TT_TAKES_FACTOR:
        return take_number(o, text, (double *)(void *)at, err);
    case TT_TAKES_WHOLE:
        return take_whole(o, text, (double *)(void *)at, err);
    case TT_TAKES_SIZE:
        return take_size(o, text, (uint64_t *)(void *)at, err);
    case TT_TAKES_OPTIONS: /* tt_opt_at gives what is in it */
        break;
    }
    return TT_OK;
}

/* Is the next argument a value, not a file or another option? */
static int number_follows(const struct parse *p)
{
    double number;

    return p->next < p->cli->argc &&
           tt_num_parse(p->cli->argv[p->next], &number) == 0;
}

/* `text` is what was written after '=' or a letter, or NULL. */
static enum tt_code option(struct parse *p, const struct tt_option *o,
                           const char *text, tt_err *err)
{
    char **argv = p->cli->argv;

    if (o->takes == TT_TAKES_NOTHING) {
        if (text)
            return tt_fail(err, TT_EINPUT, "--%s takes no value, but got '%s'",
                           o->name, text);
        return take(p, o, NULL, err);
    }
    if (o->takes == TT_TAKES_MAYBE)
        return take(p, o, text ? text : "", err);
    if (!text && o->takes == TT_TAKES_FACTOR && !number_follows(p))
        text = "1";
    if (!text && p->next < p->cli->argc && strncmp(argv[p->next], "--", 2) != 0)
        text = argv[p->next++];
    if (!text || (!*text && o->takes != TT_TAKES_LIST))
        return tt_fail(err, TT_EINPUT, "--%s needs a value: --%s %s", o->name,
                       o->name, o->value);
    return take(p, o, text, err);
}

static enum tt_code long_option(struct parse *p, const char *arg, tt_err *err)
{
    const char *equals = strchr(arg, '=');
    size_t n = equals ? (size_t)(equals - arg) : strlen(arg);
    struct tt_option o;
    char *name;

    if (find(&o, p->cli->cmd, arg, n))
        return option(p, &o, equals ? equals + 1 : NULL, err);
    name = tt_arena_strndup(p->cli->arena, arg, n);
    return unknown(p->cli, name ? name : arg, err);
}

static enum tt_code letter_option(struct parse *p, const char *arg, tt_err *err)
{
    struct tt_option o;
    enum tt_code rc;

    if (!find_letter(&o, p->cli->cmd, arg[0]))
        return tt_fail(err, TT_EINPUT,
                       "'tutti %s' has no option '-%c' (see tutti %s --help)",
                       p->cli->cmd->name, arg[0], p->cli->cmd->name);
    if (o.takes != TT_TAKES_NOTHING)
        return option(p, &o, arg[1] ? arg + 1 : NULL, err);
    rc = take(p, &o, NULL, err);
    return rc == TT_OK && arg[1] ? letter_option(p, arg + 1, err) : rc;
}

enum tt_code tt_opts_parse(struct tt_cli *cli, tt_err *err)
{
    struct parse p = {.cli = cli};
    enum tt_code rc = TT_OK;
    int only_words = 0;

    cli->words = (struct tt_words){0};
    while (rc == TT_OK && p.next < cli->argc) {
        const char *arg = cli->argv[p.next++];

        if (only_words || arg[0] != '-' || !arg[1])
            rc = add_word(cli, &cli->words, arg, err);
        else if (strcmp(arg, "--") == 0)
            only_words = 1;
        else if (arg[1] == '-')
            rc = long_option(&p, arg + 2, err);
        else
            rc = letter_option(&p, arg + 1, err);
    }
    return rc;
}

int tt_opts_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return 1;
    return 0;
}
