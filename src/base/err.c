/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take(char *to, size_t size, const char *name)
{
    size_t n = name ? strlen(name) : 0;

    to[0] = '\0';
    if (n < size && n > 0)
        memcpy(to, name, n + 1);
}

void tt_spot_at(struct tt_spot *p, const char *file, size_t line, size_t column)
{
    take(p->file, sizeof(p->file), file);
    p->line = line;
    p->column = column;
}

void tt_spot_of(struct tt_spot *p, const char *unit, const char *port)
{
    take(p->unit, sizeof(p->unit), unit);
    take(p->port, sizeof(p->port), port);
}

/* The caller that ran out of memory names the work; this names the cause. */
static void name_shortage(tt_err *err)
{
    size_t n = strlen(err->msg);

    if (!strstr(err->msg, "memory"))
        snprintf(err->msg + n, sizeof(err->msg) - n, "%sout of memory",
                 n ? ": " : "");
}

enum tt_code tt_vfail(tt_err *err, enum tt_code code, const char *fmt,
                      va_list ap)
{
    if (err) {
        err->code = code;
        err->sys = 0;
        tt_spot_at(&err->place, NULL, 0, 0);
        tt_spot_of(&err->place, NULL, NULL);
        vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
        if (code == TT_ENOMEM)
            name_shortage(err);
    }
    return code;
}

enum tt_code(tt_fail)(tt_err *err, enum tt_code code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    tt_vfail(err, code, fmt, ap);
    va_end(ap);
    return code;
}

enum tt_code tt_context(tt_err *err, enum tt_code code, const char *fmt, ...)
{
    char head[TT_ERR_MAX / 2];
    size_t n;
    va_list ap;

    if (!err)
        return code;
    va_start(ap, fmt);
    vsnprintf(head, sizeof(head) - 2, fmt, ap);
    va_end(ap);
    n = strlen(head);
    memcpy(head + n, ": ", 3);
    n += 2;
    /* The tail of a very long message is lost, never its outer context. */
    memmove(err->msg + n, err->msg, sizeof(err->msg) - n);
    memcpy(err->msg, head, n);
    err->msg[sizeof(err->msg) - 1] = '\0';
    err->code = code;
    return code;
}

void tt_assert_failed(const char *cond, const char *file, int line,
                      const char *func)
{
    fprintf(stderr, "tutti: bug: %s:%d: %s: %s\n", file, line, func, cond);
    abort();
}
