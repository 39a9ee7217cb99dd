/* SPDX-License-Identifier: MIT */
#include "cli/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/ascii.h"
#include "sys/clock.h"
#include "sys/proc.h"
#include "sys/capture.h"

/* --- colours ------------------------------------------------------------- */

int tt_print_colours(int fd)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return tt_tty_is(fd) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

int tt_print_utf8(void)
{
    static const char *const name[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
        const char *v = getenv(name[i]);

        if (v && *v)
            return strstr(v, "UTF-8") || strstr(v, "utf8") ||
                   strstr(v, "UTF8") || strstr(v, "utf-8");
    }
    return 0;
}

void tt_print_plot_opts(struct tt_ascii_opts *o, int width)
{
    int columns = tt_tty_width(1);

    *o = (struct tt_ascii_opts){
        .width = width, .utf8 = tt_print_utf8(), .color = tt_print_colours(1)};
    if (!o->width && columns)
        o->width = columns > 120 ? 120 : columns;
}

/* --- errors ----------------------------------------------------------------
 */

static void print_line(const char *ink, const char *plain, const char *front,
                       const char *msg)
{
    struct tt_buf b;

    tt_buf_init(&b, 65536);
    tt_buf_fmt(&b, "%stutti:%s %s", ink, plain, front);
    tt_show_clean(&b, msg);
    tt_buf_char(&b, '\n');
    if (b.data)
        (void)!fwrite(b.data, 1, b.len, stderr);
    fflush(stderr);
    tt_buf_fini(&b);
}

enum tt_exit tt_print_exit(enum tt_code code)
{
    switch (code) {
    case TT_OK:
        return TT_EXIT_OK;
    case TT_EINPUT:
    case TT_EUNSUPPORTED:
    case TT_EIO:
        return TT_EXIT_USAGE;
    case TT_ENOMEM:
    case TT_EUNIT:
    case TT_ESTATE:
    case TT_ECRASH:
        break;
    case TT_ESTOPPED:
        return tt_signal_interrupted() ? TT_EXIT_INTERRUPTED : TT_EXIT_FAILED;
    }
    return TT_EXIT_FAILED;
}

enum tt_exit tt_print_error(const tt_err *err)
{
    int colours = tt_print_colours(2);

    print_line(tt_show_ink(colours, TT_INK_RED),
               tt_show_ink(colours, TT_INK_OFF), "", err->msg);
    return tt_print_exit(err->code);
}

void tt_print_warning(const char *fmt, ...)
{
    int colours = tt_print_colours(2);
    tt_err words;
    va_list ap;

    va_start(ap, fmt);
    tt_vfail(&words, TT_EINPUT, fmt, ap);
    va_end(ap);
    print_line(tt_show_ink(colours, TT_INK_YELLOW),
               tt_show_ink(colours, TT_INK_OFF), "warning: ", words.msg);
}

void tt_print_record(void *ctx, const struct tt_log_record *r)
{
    (void)ctx;
    if (r->level >= TT_LOG_WARN)
        tt_print_warning("%s", r->text);
    else
        fprintf(stderr, "note: %s\n", r->text);
}

enum tt_code tt_print_bytes(const char *text, size_t n, tt_err *err)
{
    errno = 0;
    if ((!n || fwrite(text, 1, n, tt_stdout()) == n) &&
        fflush(tt_stdout()) == 0)
        return TT_OK;
    if (errno == EPIPE) /* "| head" has seen enough */
        return TT_OK;
    return tt_fail(err, TT_EIO, "cannot write standard output: %s",
                   strerror(errno));
}

enum tt_exit tt_print_out(const struct tt_buf *b, enum tt_exit otherwise)
{
    tt_err err;

    if (tt_buf_check(b, "the output", &err) != TT_OK ||
        tt_print_bytes(b->data, b->len, &err) != TT_OK)
        return tt_print_error(&err);
    return otherwise;
}

enum tt_code tt_cmd_print(struct tt_cli *cli, struct tt_buf *b, enum tt_code rc)
{
    if (rc == TT_OK)
        cli->exit = tt_print_out(b, TT_EXIT_OK);
    tt_buf_fini(b);
    return rc;
}
