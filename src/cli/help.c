/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/print.h"
#include "cli/themes.h"

#define ALL_THEMES SIZE_MAX

static void print(const struct tt_buf *b)
{
    if (!b->failed && b->len)
        (void)!fwrite(b->data, 1, b->len, stdout);
    fflush(stdout);
}

void tt_help_all(void)
{
    int c = tt_print_colours(1);
    struct tt_buf b;

    tt_buf_init(&b, TT_SHOW_MAX);
    tt_buf_fmt(&b,
               "%stutti%s couples simulators (FMUs and others) into one "
               "co-simulation.\n\n%susage%s  tutti COMMAND [OPTIONS] FILES\n\n",
               tt_show_ink(c, TT_INK_BOLD), tt_show_ink(c, TT_INK_OFF),
               tt_show_ink(c, TT_INK_BOLD), tt_show_ink(c, TT_INK_OFF));
    for (const struct tt_cmd *cmd = tt_cmds; cmd->name; cmd++)
        tt_buf_fmt(&b, "  %s%-10s%s %s\n", tt_show_ink(c, TT_INK_CYAN),
                   cmd->name, tt_show_ink(c, TT_INK_OFF), cmd->brief);
    tt_buf_str(&b, "\n'tutti COMMAND --help' describes one command.\n"
                   "Exit codes: 0 ok, 1 the simulation failed, 2 bad usage or "
                   "input.\n");
    print(&b);
    tt_buf_fini(&b);
}

static void left_side(const struct tt_option *o, char *out, size_t size)
{
    snprintf(out, size, "%s%s", o->letter ? "" : "    ", o->usage);
}

static void print_option(struct tt_buf *b, const char *left, size_t width,
                         const char *help, int c)
{
    tt_buf_fmt(b, "  %s", tt_show_ink(c, TT_INK_CYAN));
    tt_show_pad(b, left, width, 0, 0);
    tt_buf_fmt(b, "%s  %s\n", tt_show_ink(c, TT_INK_OFF), help);
}

static void print_title(struct tt_buf *b, const char *title, int c)
{
    tt_buf_fmt(b, "\n%s%s%s\n", tt_show_ink(c, TT_INK_BOLD), title,
               tt_show_ink(c, TT_INK_OFF));
}

/* Those of one theme, or all. */
static void print_some(struct tt_buf *b, const struct tt_cmd *cmd, size_t theme,
                       size_t width, int c)
{
    struct tt_option o;
    char left[128];
    size_t n = 0;

    for (size_t i = 0; tt_opt_at(&o, cmd, i); i++) {
        if (!o.help || (theme != ALL_THEMES && tt_theme_of(o.name) != theme))
            continue;
        if (n++ == 0 && theme != ALL_THEMES)
            print_title(b, tt_theme_title(theme), c);
        left_side(&o, left, sizeof(left));
        print_option(b, left, width, o.help, c);
    }
    if (n == 0 && theme != ALL_THEMES && !tt_theme_title(theme + 1))
        print_title(b, tt_theme_title(theme), c);
}

static void print_options(struct tt_buf *b, const struct tt_cmd *cmd, int c)
{
    struct tt_option o;
    char left[128];
    size_t width = 0, n = 0;

    for (size_t i = 0; tt_opt_at(&o, cmd, i); i++) {
        left_side(&o, left, sizeof(left));
        n += o.help != NULL;
        if (o.help && tt_show_width(left) > width)
            width = tt_show_width(left);
    }
    if (n < TT_THEMES_FROM) {
        print_title(b, "options", c);
        print_some(b, cmd, ALL_THEMES, width, c);
    }
    for (size_t i = 0; n >= TT_THEMES_FROM && tt_theme_title(i); i++)
        print_some(b, cmd, i, width, c);
    print_option(b, "-h, --help", width, "this text", c);
}

void tt_help_cmd(const struct tt_cmd *cmd)
{
    int c = tt_print_colours(1);
    const char *bold = tt_show_ink(c, TT_INK_BOLD);
    const char *off = tt_show_ink(c, TT_INK_OFF);
    struct tt_option any;
    struct tt_buf b;

    tt_buf_init(&b, TT_SHOW_MAX);
    tt_buf_fmt(&b, "%stutti %s%s: %s\n\n%susage%s  tutti %s%s%s%s\n\n%s\n",
               bold, cmd->name, off, cmd->brief, bold, off, cmd->name,
               tt_opt_at(&any, cmd, 0) ? " [OPTIONS]" : "",
               *cmd->args ? " " : "", cmd->args, cmd->text);
    print_options(&b, cmd, c);
    tt_buf_fmt(&b, "\n%sexample%s\n%s\n", bold, off, cmd->example);
    print(&b);
    tt_buf_fini(&b);
}
