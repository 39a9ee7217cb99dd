/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/serve_impl.h"

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

void tt_answer_error(struct tt_answer *a, unsigned status, const char *fmt, ...)
{
    tt_err err;
    va_list ap;

    va_start(ap, fmt);
    (void)tt_vfail(&err, TT_EINPUT, fmt, ap);
    va_end(ap);
    a->status = status;
    a->type = "application/json";
    a->attach = NULL;
    tt_buf_clear(&a->body);
    tt_buf_str(&a->body, "[{\"logref\":");
    tt_buf_json(&a->body, err.msg);
    tt_buf_str(&a->body, ",\"message\":");
    tt_buf_json(&a->body, err.msg);
    tt_buf_str(&a->body, "}]");
    a->ready = 1;
}

void tt_answer_err(struct tt_answer *a, const tt_err *err)
{
    tt_answer_error(a, tt_answer_status(err->code), "%s", err->msg);
}

int tt_answer_file(struct tt_answer *a, const char *path, const char *type)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0)
        return -1;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        (void)close(fd);
        return -1;
    }
    a->file = fd;
    a->file_size = (uint64_t)st.st_size;
    a->type = type;
    a->ready = 1;
    return 0;
}
