/* SPDX-License-Identifier: MIT */
#include "formats/beside.h"

#include <string.h>

#include "sys/file.h"
#include "text/archive.h"

static enum tt_code copy_file(const char *from, const char *to, tt_err *err)
{
    char *dir = tt_path_dir(to);
    struct tt_buf b;
    enum tt_code rc = dir ? tt_dir_make(dir, err) : tt_nomem(err, to);

    tt_buf_init(&b, TT_ARCHIVE_MAX_ENTRY);
    if (rc == TT_OK)
        rc = tt_file_read(&b, from, err);
    if (rc == TT_OK)
        rc = tt_file_write(to, b.data, b.len, err);
    tt_buf_fini(&b);
    tt_free(dir);
    return rc;
}

/* Its files would be gone with it. */
static enum tt_code keep_package(tt_archive *a, const char *folder, tt_err *err)
{
    const char *dir = NULL;
    enum tt_code rc = tt_archive_unpack(a, &dir, err);

    for (size_t i = 0; rc == TT_OK && i < tt_archive_count(a); i++) {
        char *from = tt_path_join(dir, tt_archive_name(a, i));
        char *to = tt_path_join(folder, tt_archive_name(a, i));

        rc = from && to ? copy_file(from, to, err) : tt_nomem(err, folder);
        TT_FREE_ALL(from, to);
    }
    return rc;
}

/* "plant-files" beside "plant.json"; of a second package "plant-files-2". */
static enum tt_code folder_of(struct tt_beside *w, size_t package, char **out,
                              tt_err *err)
{
    const char *dot = strrchr(tt_path_base(w->path), '.');
    struct tt_buf t;

    tt_buf_init(&t, (size_t)TT_ARCHIVE_MAX_NAME * 4);
    tt_buf_add(&t, w->path, dot ? (size_t)(dot - w->path) : strlen(w->path));
    tt_buf_str(&t, "-files");
    if (package)
        tt_buf_fmt(&t, "-%zu", package + 1);
    *out = tt_buf_take(&t);
    tt_buf_fini(&t);
    return *out ? TT_OK : tt_nomem(err, w->path);
}

/* What is below the file's folder is named from there, else in full. */
static const char *named(struct tt_beside *w, const char *path)
{
    size_t n = strlen(w->dir);

    if (strncmp(path, w->dir, n) == 0 && path[n] == '/')
        path += n + 1;
    return tt_arena_strdup(w->arena, path);
}

/* Where a file of a package is now; NULL: it is of none, or no memory. */
static char *kept(struct tt_beside *w, const char *path, tt_err *err)
{
    for (size_t i = 0; i < w->s->n_package; i++) {
        const char *dir = NULL;
        char *folder = NULL, *real, *to = NULL;
        size_t n;

        if (tt_archive_unpack(w->s->package[i], &dir, err) != TT_OK)
            return NULL;
        real = tt_path_real(dir);
        n = real ? strlen(real) : 0;
        if (n && strncmp(path, real, n) == 0 && path[n] == '/' &&
            folder_of(w, i, &folder, err) == TT_OK)
            to = tt_path_join(folder, path + n + 1);
        TT_FREE_ALL(folder, real);
        if (to)
            return to;
    }
    return NULL;
}

enum tt_code tt_beside_name(struct tt_beside *w, const char *path,
                            const char **out, tt_err *err)
{
    char *real = tt_path_real(path);
    char *moved = real ? kept(w, real, err) : NULL;
    char *full = moved ? tt_path_real(moved) : NULL;

    *out = named(w, full ? full : real ? real : path);
    TT_FREE_ALL(full, moved, real);
    return *out ? TT_OK : tt_nomem(err, w->path);
}

static enum tt_code keep_packages(struct tt_beside *w,
                                  const struct tt_format_target *t, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < w->s->n_package; i++) {
        char *folder = NULL;

        rc = folder_of(w, i, &folder, err);
        if (rc == TT_OK)
            rc = keep_package(w->s->package[i], folder, err);
        if (rc == TT_OK)
            tt_log(t->log, TT_LOG_NOTE, "the files of '%s' are in '%s'",
                   tt_archive_path(w->s->package[i]), folder);
        tt_free(folder);
    }
    return rc;
}

enum tt_code tt_beside_begin(struct tt_beside *w, const tt_scenario *s,
                             const struct tt_format_target *t, tt_err *err)
{
    char *dir = tt_path_dir(t->path);
    enum tt_code rc;

    *w = (struct tt_beside){.s = s, .path = t->path, .arena = tt_arena_new()};
    w->dir = dir ? tt_path_real(dir) : NULL;
    if (!dir || !w->arena)
        rc = tt_nomem(err, t->path);
    else if (!w->dir)
        rc = tt_fail(err, TT_EIO, "%s: there is no folder '%s'", t->path, dir);
    else
        rc = keep_packages(w, t, err);
    tt_free(dir);
    return rc;
}

void tt_beside_end(struct tt_beside *w)
{
    tt_free(w->dir);
    tt_arena_free(w->arena);
}
