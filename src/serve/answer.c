/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "serve/serve_impl.h"
#include "sys/file.h"
#include "sys/user.h"

#define ANSWER_MAX ((size_t)64 << 20)

void tt_answer_init(struct tt_answer *a, enum tt_dialect d)
{
    *a = (struct tt_answer){.dialect = d, .status = 200, .file = -1};
    a->type = "application/json";
    tt_buf_init(&a->body, ANSWER_MAX);
}

void tt_answer_fini(struct tt_answer *a)
{
    if (a->file >= 0)
        (void)close(a->file);
    a->file = -1;
    tt_buf_fini(&a->body);
}

void tt_answer_text(struct tt_answer *a, const char *text)
{
    a->type = "text/plain";
    tt_buf_str(&a->body, text);
    a->ready = 1;
}

unsigned tt_answer_status(enum tt_code code)
{
    if (code == TT_EINPUT)
        return 400;
    if (code == TT_EUNSUPPORTED)
        return 422;
    if (code == TT_ESTATE)
        return 409;
    return 500;
}

enum tt_dialect tt_dialect_of(const struct tt_service *s, const char *path,
                              size_t n)
{
    static const char api[] = "/api";
    size_t m = sizeof(api) - 1;

    if (n >= m && memcmp(path, api, m) == 0 &&
        (n == m ? !s->opts->maestro1 : path[m] == '/'))
        return TT_DIALECT_API; /* Maestro 1 has a page at /api itself */
    return s->opts->maestro1 ? TT_DIALECT_MAESTRO1 : TT_DIALECT_MAESTRO2;
}

void tt_answer_json(struct tt_answer *a, unsigned status)
{
    a->status = status;
    a->type = "application/json";
    a->ready = 1;
}

void tt_answer_nothing(struct tt_answer *a)
{
    a->status = 204;
    a->type = NULL;
    a->ready = 1;
}

/* The message in the dialect's shape. */
static void put_error(struct tt_answer *a, const char *message)
{
    if (a->dialect == TT_DIALECT_API) {
        tt_buf_fmt(&a->body,
                   "{\"error\":{\"status\":%u,\"message\":", a->status);
        tt_buf_json(&a->body, message);
        tt_buf_str(&a->body, "}}");
        return;
    }
    tt_json_text(&a->body, "[{\"logref\":", message);
    tt_json_text(&a->body, ",\"message\":", message);
    tt_buf_str(&a->body, "}]");
}

TT_PRINTF(3, 0)
static void refuse(struct tt_answer *a, unsigned status, const char *fmt,
                   va_list ap)
{
    tt_err err;

    (void)tt_vfail(&err, TT_EINPUT, fmt, ap);
    a->status = tt_dialect_status(a, status);
    a->type = "application/json";
    a->attach = NULL;
    a->headers = a->etag = NULL;
    a->text = NULL;
    tt_buf_clear(&a->body);
    if (a->dialect == TT_DIALECT_MAESTRO1) {
        tt_answer_text(a, err.msg);
        return;
    }
    put_error(a, err.msg);
    a->ready = 1;
}

void tt_answer_error(struct tt_answer *a, unsigned status, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    refuse(a, status, fmt, ap);
    va_end(ap);
}

void tt_answer_full(struct tt_answer *a, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    refuse(a, 503, fmt, ap);
    va_end(ap);
    a->headers = "Retry-After: 5\r\n";
}

/* A full disk is no fault of the request: what to do is stated, and that
 * nothing is lost. */
void tt_answer_err(struct tt_answer *a, const tt_err *err)
{
    if (tt_disk_was_full(err))
        tt_answer_error(a, 507,
                        "the folder of the sessions is full (%s); what was "
                        "saved before is still there: remove runs or "
                        "sessions, or make room on the disk",
                        err->msg);
    else
        tt_answer_error(a, tt_answer_status(err->code), "%s", err->msg);
}

int tt_answer_file(struct tt_answer *a, const char *path, const char *type)
{
    int fd = tt_file_open_plain(path, &a->file_size);

    if (fd < 0)
        return -1;
    a->file = fd;
    a->type = type;
    a->ready = 1;
    return 0;
}
