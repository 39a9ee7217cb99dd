/* SPDX-License-Identifier: MIT */
#include "formats/places.h"

#include <string.h>

#include "base/buf.h"
#include "sys/file.h"
#include "text/archive.h"

enum tt_code tt_places_init(struct tt_places *p, tt_err *err)
{
    *p = (struct tt_places){.arena = tt_arena_new()};
    tt_names_init(&p->taken);
    return p->arena ? TT_OK : tt_nomem(err, "exporting");
}

void tt_places_fini(struct tt_places *p)
{
    tt_free(p->place);
    tt_names_fini(&p->taken);
    tt_arena_free(p->arena);
}

const char *tt_places_find(const struct tt_places *p, const char *path)
{
    for (size_t i = 0; i < p->n; i++)
        if (tt_file_same(p->place[i].path, path))
            return p->place[i].name;
    return NULL;
}

enum tt_code tt_places_keep(struct tt_places *p, const char *path,
                            const char *name, tt_err *err)
{
    path = tt_arena_strdup(p->arena, path);
    name = tt_arena_strdup(p->arena, name);
    if (!path || !name || tt_names_add(&p->taken, name, 0) != 0 ||
        TT_GROW(p->place, p->n, p->cap) != 0)
        return tt_nomem(err, "exporting");
    p->place[p->n++] = (struct tt_place){path, name};
    return TT_OK;
}

static void put_stem(struct tt_buf *out, const char *path)
{
    const char *base = tt_path_base(path), *dot = strrchr(base, '.');
    size_t n = dot && dot != base ? (size_t)(dot - base) : strlen(base);

    for (size_t i = 0; i < n; i++) {
        char c = base[i];
        int fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                   (c >= '0' && c <= '9') || c == '-' || c == '_';

        tt_buf_char(out, fine ? c : '_');
    }
    if (!n)
        tt_buf_str(out, "unit");
}

enum tt_code tt_places_take(struct tt_places *p, const char *path,
                            const char *called, const char *folder,
                            const char *ending, const char **name, tt_err *err)
{
    struct tt_buf t;
    const char *copy = NULL;

    tt_buf_init(&t, TT_ARCHIVE_MAX_NAME);
    for (unsigned k = 1; !copy && !t.failed; k++) {
        tt_buf_clear(&t);
        tt_buf_str(&t, folder);
        put_stem(&t, called);
        if (k > 1)
            tt_buf_fmt(&t, "-%u", k);
        tt_buf_str(&t, ending);
        if (t.failed || tt_names_find(&p->taken, t.data) != TT_NONE)
            continue;
        copy = tt_arena_strdup(p->arena, t.data);
        if (!copy)
            break;
    }
    tt_buf_fini(&t);
    *name = copy;
    return copy ? tt_places_keep(p, path, copy, err)
                : tt_nomem(err, "exporting");
}
