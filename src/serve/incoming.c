/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/names.h"
#include "serve/serve_impl.h"
#include "sys/file.h"
#include "sys/user.h"

/* --- names ---------------------------------------------------------------- */

static int is_own(const char *name)
{
    static const char *const own[] = {TT_STORE_SESSION, TT_STORE_RUN,
                                      TT_STORE_RUNS, TT_MAESTRO_RUN};

    return tt_name_is_among(name, own, sizeof(own) / sizeof(*own));
}

const char *tt_file_name_refused(const char *name)
{
    const unsigned char *p = (const unsigned char *)name;

    if (!*p)
        return "is empty";
    if (*p == '.')
        return "begins with a dot";
    if (strlen(name) > TT_NAME_MAX)
        return "is longer than 128 bytes";
    for (; *p; p++)
        if (*p < 0x20 || *p == 0x7f || *p == '/' || *p == '\\')
            return "has a slash or a control character";
    return is_own(name) ? "is the service's own" : NULL;
}

/* --- files ---------------------------------------------------------------- */

enum tt_code tt_incoming_open(struct tt_service *s, struct tt_incoming *in,
                              tt_err *err)
{
    char *dir = tt_path_join(s->root, TT_JOBS_DIR), name[32];
    enum tt_code rc = dir ? tt_dir_make(dir, err) : tt_nomem(err, "a file");

    *in = (struct tt_incoming)TT_INCOMING_INIT;
    snprintf(name, sizeof(name), "in-%llu", (unsigned long long)++s->turn);
    if (rc == TT_OK && !(in->temp = tt_path_join(dir, name)))
        rc = tt_nomem(err, "a file");
    tt_free(dir);
    if (rc != TT_OK)
        return rc;
    in->fd = open(in->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (in->fd < 0)
        return tt_disk_fail(err, "cannot make a file for what comes in");
    return TT_OK;
}

enum tt_code tt_incoming_write(struct tt_incoming *in, const void *data,
                               size_t n, tt_err *err)
{
    const char *p = data;

    while (n > 0) {
        ssize_t put = write(in->fd, p, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return tt_disk_fail(err, "cannot write what comes in");
        p += put;
        n -= (size_t)put;
        in->size += (size_t)put;
    }
    return TT_OK;
}

enum tt_code tt_incoming_keep(struct tt_incoming *in,
                              const struct tt_session *ses, const char *name,
                              tt_err *err)
{
    char *path = tt_session_path(ses, name);
    enum tt_code rc = TT_OK;
    int bad = in->fd >= 0 && close(in->fd) != 0 && errno != EINTR;

    in->fd = -1;
    if (!path)
        rc = tt_nomem(err, "a file");
    else if (bad || rename(in->temp, path) != 0)
        rc = tt_disk_fail(err, "cannot keep the file");
    tt_free(path);
    if (rc == TT_OK) {
        tt_free(in->temp);
        in->temp = NULL;
    }
    return rc;
}

void tt_incoming_drop(struct tt_incoming *in)
{
    if (in->fd >= 0)
        (void)close(in->fd);
    if (in->temp)
        (void)unlink(in->temp);
    tt_free(in->temp);
    *in = (struct tt_incoming)TT_INCOMING_INIT;
}

uint64_t tt_session_room(const struct tt_service *s,
                         const struct tt_session *ses)
{
    uint64_t used = tt_dir_size(ses->dir, s->opts->max_upload);

    return used < s->opts->max_upload ? s->opts->max_upload - used : 0;
}
