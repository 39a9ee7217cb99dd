/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "base/mem.h"
#include "base/names.h"
#include "serve/serve_impl.h"
#include "sys/file.h"

/* A session's folder as one zip file: what a client put there and what runs
 * made of it, without the service's own notes. Made by a process of its own,
 * which has all the time it needs. */

#define DEPTH_MAX 16

struct pack {
    zip_t *zip;
    const char *dir;   /* the session's */
    const char *below; /* what of it: "runs/1", or "" */
    int depth;
};

static enum tt_code fail(zip_t *zip, const char *name, tt_err *err)
{
    return tt_fail(err, TT_EIO, "packing '%s': %s", name, zip_strerror(zip));
}

static int is_left_out(const char *name)
{
    static const char *const own[] = {TT_STORE_SESSION, TT_STORE_RUN,
                                      TT_MAESTRO_RUN, TT_SIM_TEMP};

    return name[0] == '.' ||
           tt_name_is_among(name, own, sizeof(own) / sizeof(*own));
}

static int is_packed_already(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && (strcmp(dot, ".fmu") == 0 || strcmp(dot, ".zip") == 0);
}

/* A file the library reads when it comes to it. Not by its path: a run that
 * still plays could put a link there meanwhile. */
struct source {
    char *path; /* owned */
    uint64_t size, at;
    int fd; /* -1: not its turn yet */
    zip_error_t error;
};

static int open_source(struct source *s)
{
    uint64_t now;

    s->fd = tt_file_open_plain(s->path, &now);
    s->at = 0;
    if (s->fd < 0)
        zip_error_set(&s->error, ZIP_ER_OPEN, errno);
    return s->fd < 0 ? -1 : 0;
}

/* As much of it as there was at first: a run may be writing. */
static zip_int64_t read_source(struct source *s, void *data, zip_uint64_t n)
{
    uint64_t left = s->size - s->at;
    ssize_t got = read(s->fd, data, n < left ? n : left);

    if (got < 0)
        zip_error_set(&s->error, ZIP_ER_READ, errno);
    else
        s->at += (uint64_t)got;
    return got;
}

static zip_int64_t stat_source(const struct source *s, void *data)
{
    zip_stat_t *st = data;

    zip_stat_init(st);
    st->size = s->size;
    st->valid |= ZIP_STAT_SIZE;
    return sizeof(*st);
}

static void free_source(struct source *s)
{
    if (s->fd >= 0)
        (void)close(s->fd);
    TT_FREE_ALL(s->path, s);
}

static zip_int64_t use_source(void *ctx, void *data, zip_uint64_t n,
                              zip_source_cmd_t cmd)
{
    struct source *s = ctx;

    switch ((int)cmd) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
            ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
    case ZIP_SOURCE_OPEN:
        return open_source(s);
    case ZIP_SOURCE_READ:
        return read_source(s, data, n);
    case ZIP_SOURCE_CLOSE:
        (void)close(s->fd);
        s->fd = -1;
        return 0;
    case ZIP_SOURCE_STAT:
        return stat_source(s, data);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&s->error, data, n);
    case ZIP_SOURCE_FREE:
        free_source(s);
        return 0;
    default:
        zip_error_set(&s->error, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
}

static zip_source_t *make_source(zip_t *zip, const char *path, uint64_t size)
{
    zip_source_t *src = NULL;
    struct source *s;

    if (!TT_NEW(s))
        return NULL;
    *s = (struct source){.path = tt_strdup(path), .size = size, .fd = -1};
    zip_error_init(&s->error);
    if (s->path)
        src = zip_source_function(zip, use_source, s);
    if (!src)
        free_source(s);
    return src;
}

static enum tt_code add_file(zip_t *zip, const char *path, const char *name,
                             uint64_t size, tt_err *err)
{
    zip_source_t *src = make_source(zip, path, size);
    zip_int64_t at =
        src ? zip_file_add(zip, name, src, ZIP_FL_ENC_UTF_8 | ZIP_FL_OVERWRITE)
            : -1;
    zip_int32_t how = is_packed_already(name) ? ZIP_CM_STORE : ZIP_CM_DEFLATE;

    if (at >= 0 && zip_set_file_compression(zip, (zip_uint64_t)at, how, 1) == 0)
        return TT_OK;
    if (at < 0 && src)
        zip_source_free(src);
    return fail(zip, name, err);
}

static enum tt_code add_dir(struct pack *p, tt_err *err);

static enum tt_code add_below(const struct pack *p, const char *name,
                              const char *path, tt_err *err)
{
    struct pack deeper = {p->zip, p->dir, name, p->depth + 1};
    struct stat st;

    if (lstat(path, &st) != 0)
        return TT_OK; /* gone meanwhile */
    if (S_ISREG(st.st_mode))
        return add_file(p->zip, path, name, (uint64_t)st.st_size, err);
    if (S_ISDIR(st.st_mode) && p->depth < DEPTH_MAX)
        return add_dir(&deeper, err);
    return TT_OK;
}

static enum tt_code add_entry(void *ctx, const char *entry, tt_err *err)
{
    const struct pack *p = ctx;
    char *name = tt_path_join(p->below, entry);
    char *path = name ? tt_path_join(p->dir, name) : NULL;
    enum tt_code rc = TT_OK;

    if (!path)
        rc = tt_nomem(err, "packing");
    else if (!is_left_out(entry))
        rc = add_below(p, name, path, err);
    TT_FREE_ALL(path, name);
    return rc;
}

static enum tt_code add_dir(struct pack *p, tt_err *err)
{
    char *path = *p->below ? tt_path_join(p->dir, p->below) : tt_strdup(p->dir);
    enum tt_code rc = path ? tt_dir_list_plain(path, add_entry, p, err)
                           : tt_nomem(err, "packing");

    tt_free(path);
    return rc;
}

/* The files of Maestro's run lie beside the others for clients that fetch
 * them. */
static enum tt_code add_run(const struct pack *p, tt_err *err)
{
    char *dir = tt_path_join(p->dir, TT_MAESTRO_RUN);
    struct pack run = {.zip = p->zip, .dir = dir, .below = ""};
    enum tt_code rc = TT_OK;

    if (!dir)
        rc = tt_nomem(err, "packing");
    else if (tt_file_is_dir(dir))
        rc = add_dir(&run, err);
    tt_free(dir);
    return rc;
}

enum tt_code tt_serve_pack(const struct tt_serve_opts *o, const char *file,
                           tt_err *err)
{
    /* the library makes no file without entries */
    static const char empty[22] = "PK\5\6";
    int code = 0;
    zip_t *zip = zip_open(file, ZIP_CREATE | ZIP_EXCL, &code);
    struct pack p = {.zip = zip, .dir = o->dir ? o->dir : ".", .below = ""};
    enum tt_code rc;

    if (!zip)
        return tt_fail(err, TT_EIO, "cannot make %s (libzip error %d)", file,
                       code);
    rc = add_dir(&p, err);
    if (rc == TT_OK)
        rc = add_run(&p, err);
    if (rc == TT_OK && zip_get_num_entries(zip, 0) == 0) {
        zip_discard(zip);
        return tt_file_write(file, empty, sizeof(empty), err);
    }
    if (rc == TT_OK && zip_close(zip) == 0)
        return TT_OK;
    if (rc == TT_OK)
        rc = fail(zip, file, err);
    zip_discard(zip);
    return rc;
}
