/* SPDX-License-Identifier: MIT */
/* A file that is not there: which one was meant? */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "sys/file.h"
#include "sys/file_impl.h"

struct neighbours {
    tt_arena *arena;
    const char **name; /* owned */
    size_t n, cap;
};

static enum tt_code add(void *ctx, const char *name, tt_err *err)
{
    struct neighbours *l = ctx;
    const char *copy = tt_arena_strdup(l->arena, name);

    if (!copy || TT_GROW(l->name, l->n, l->cap) != 0)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    l->name[l->n++] = copy;
    return TT_OK;
}

static const char *listed(const void *ctx, size_t i)
{
    return ((const struct neighbours *)ctx)->name[i];
}

static const char *with_ending(const struct neighbours *l, const char *name)
{
    size_t n = strlen(name);

    for (size_t i = 0; n && i < l->n; i++)
        if (strncmp(l->name[i], name, n) == 0 && l->name[i][n] == '.')
            return l->name[i];
    return NULL;
}

/* The folder as it was written: none for a plain name. */
static char *beside(const char *path, const char *name)
{
    size_t n = (size_t)(tt_path_base(path) - path), m = strlen(name) + 1;
    char *whole = tt_alloc(n + m);

    if (!whole)
        return NULL;
    memcpy(whole, path, n);
    memcpy(whole + n, name, m);
    return whole;
}

char *tt_file_nearest(const char *path)
{
    struct neighbours l = {.arena = tt_arena_new()};
    char *folder = tt_path_dir(path), *found = NULL;
    const char *base = tt_path_base(path), *near = NULL;

    if (l.arena && folder && tt_dir_list(folder, add, &l, NULL) == TT_OK) {
        near = tt_names_nearest(base, l.n, listed, &l);
        if (!near)
            near = with_ending(&l, base);
    }
    if (near)
        found = beside(path, near);
    tt_free(l.name);
    tt_arena_free(l.arena);
    tt_free(folder);
    return found;
}

enum tt_code tt_file_fail_read(tt_err *err, const char *path)
{
    int missing = errno == ENOENT;
    enum tt_code rc = tt_file_fail(err, "read", path);
    char *near = missing ? tt_file_nearest(path) : NULL;

    if (near)
        rc = tt_fail(err, rc, "cannot read %s: %s; did you mean '%s'?", path,
                     strerror(ENOENT), near);
    tt_free(near);
    return rc;
}
