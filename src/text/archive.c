/* SPDX-License-Identifier: MIT */
#include "text/archive.h"

#include <stdlib.h>
#include <string.h>

#include "sys/file.h"
#include "text/archive_impl.h"

struct archive_shown archive_show(const char *name)
{
    struct archive_shown out;
    size_t i = 0;

    for (; name[i] && i + 4 < sizeof(out.s); i++)
        out.s[i] =
            (unsigned char)name[i] < 0x20 || name[i] == 0x7f ? '?' : name[i];
    memcpy(out.s + i, name[i] ? "..." : "", name[i] ? 4 : 1);
    return out;
}

/* Copies the components without "." and empty ones; NULL and a reason when
 * the name is not one of a file below the archive. */
static const char *check_name(const char *name, char *out)
{
    const char *p = name;
    size_t n = 0, depth = 0;

    if (strlen(name) > TT_ARCHIVE_MAX_NAME)
        return "has a name longer than 1000 bytes";
    if (*p == '/')
        return "is an absolute path";
    if (strchr(p, '\\'))
        return "has a backslash in its name";
    if (((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')) && p[1] == ':')
        return "is an absolute path";
    while (*p) {
        size_t len = strcspn(p, "/");

        if (len == 2 && p[0] == '.' && p[1] == '.')
            return "leaves the archive by '..'";
        if (len && !(len == 1 && p[0] == '.')) {
            if (n)
                out[n++] = '/';
            memcpy(out + n, p, len);
            n += len;
            if (++depth > TT_ARCHIVE_MAX_DEPTH)
                return "is in more than 64 folders";
        }
        p += len;
        p += *p == '/';
    }
    out[n] = '\0';
    return NULL;
}

static int must_be_unique(const char *name)
{
    return strcmp(name, "modelDescription.xml") == 0 ||
           strncmp(name, "binaries/", 9) == 0;
}

/* Some tools of Windows write its paths into a zip; what that leads to is
 * checked as all names are. */
static const char *with_slashes(tt_archive *a, const char *name,
                                char out[TT_ARCHIVE_MAX_NAME + 1])
{
    size_t n = strlen(name);

    if (a->is_dir || n > TT_ARCHIVE_MAX_NAME || !strchr(name, '\\'))
        return name;
    memcpy(out, name, n + 1);
    for (char *p = out; *p; p++)
        if (*p == '\\')
            *p = '/';
    if (!a->backslashes++)
        tt_findings_add(&a->findings, TT_SEV_WARNING, 0, "ZIP-BACKSLASH",
                        "entry '%s' has backslashes in its name, which are "
                        "taken as slashes",
                        archive_show(name).s);
    return out;
}

enum tt_code archive_add(tt_archive *a, const struct archive_entry *e,
                         tt_err *err)
{
    char slashes[TT_ARCHIVE_MAX_NAME + 1], clean[TT_ARCHIVE_MAX_NAME + 1];
    const char *name = with_slashes(a, e->name, slashes);
    const char *reason = check_name(name, clean);
    size_t n = strlen(name);
    const char *copy;

    if (reason)
        return tt_fail(err, TT_EINPUT, "%s: entry '%s' %s", a->path,
                       archive_show(name).s, reason);
    if (n == 0 || name[n - 1] == '/' || !*clean)
        return TT_OK; /* a folder: made when a file needs it */
    if (a->n >= TT_ARCHIVE_MAX_ENTRIES)
        return tt_fail(err, TT_EINPUT, "%s: more than %u entries", a->path,
                       TT_ARCHIVE_MAX_ENTRIES);
    if (tt_names_find(&a->names, clean) != TT_NONE) {
        if (must_be_unique(clean))
            return tt_fail(err, TT_EINPUT, "%s: entry '%s' is there twice",
                           a->path, archive_show(clean).s);
        tt_findings_add(&a->findings, TT_SEV_WARNING, 0, "ZIP-DUPLICATE",
                        "entry '%s' is there twice; the first one counts",
                        archive_show(clean).s);
        return TT_OK;
    }
    copy = tt_arena_strdup(a->arena, clean);
    if (!copy || TT_GROW(a->entry, a->n, a->cap) != 0 ||
        tt_names_add(&a->names, copy, (uint32_t)a->n) < 0)
        return tt_fail(err, TT_ENOMEM, "%s", a->path);
    a->entry[a->n] = *e;
    a->entry[a->n++].name = copy;
    return TT_OK;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const struct archive_entry *)x)->name,
                  ((const struct archive_entry *)y)->name);
}

/* Sorts, then makes the map anew: it must give sorted positions. */
static enum tt_code sort(tt_archive *a, tt_err *err)
{
    if (a->n > 1)
        qsort(a->entry, a->n, sizeof(*a->entry), by_name);
    tt_names_fini(&a->names);
    tt_names_init(&a->names);
    for (size_t i = 0; i < a->n; i++) {
        if (tt_names_add(&a->names, a->entry[i].name, (uint32_t)i) < 0)
            return tt_fail(err, TT_ENOMEM, "%s", a->path);
    }
    return tt_findings_finish(&a->findings, err);
}

struct listing {
    tt_archive *a;
    const char *below; /* name in the archive, "" at the top */
};

static enum tt_code list_dir(void *ctx, const char *name, tt_err *err)
{
    struct listing *l = ctx;
    char *inner = tt_path_join(l->below, name);
    char *full = inner ? tt_path_join(l->a->path, inner) : NULL;
    enum tt_code rc;

    if (!full)
        rc = tt_fail(err, TT_ENOMEM, "%s", l->a->path);
    else if (!tt_file_is_dir(full))
        rc = archive_add(l->a, &(struct archive_entry){.name = inner}, err);
    else { /* how deep is limited by the length of names */
        struct listing deeper = {.a = l->a, .below = inner};

        rc = strlen(inner) > TT_ARCHIVE_MAX_NAME
                 ? tt_fail(err, TT_EINPUT, "%s: folders too deep", l->a->path)
                 : tt_dir_list(full, list_dir, &deeper, err);
    }
    TT_FREE_ALL(full, inner);
    return rc;
}

static tt_archive *archive_new(const char *path)
{
    tt_archive *a;

    if (!TT_NEW(a))
        return NULL;
    tt_names_init(&a->names);
    tt_findings_init(&a->findings);
    a->path = tt_strdup(path);
    a->arena = tt_arena_new();
    if (a->path && a->arena)
        return a;
    tt_archive_close(a);
    return NULL;
}

/* Takes it over: sorted, or closed. */
static enum tt_code finish_open(tt_archive **out, tt_archive *a,
                                enum tt_code rc, tt_err *err)
{
    if (rc == TT_OK)
        rc = sort(a, err);
    return TT_HAND_OVER(rc, out, a, tt_archive_close);
}

static enum tt_code fail_missing(const char *path, tt_err *err)
{
    char *near = tt_file_nearest(path);

    tt_fail(err, TT_EINPUT, "%s: no such file or folder%s%s%s", path,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    tt_free(near);
    return TT_EINPUT;
}

enum tt_code tt_archive_open(tt_archive **out, const char *path, tt_err *err)
{
    tt_archive *a = archive_new(path);
    enum tt_code rc;

    if (!a)
        return tt_fail(err, TT_ENOMEM, "opening %s", path);
    a->is_dir = tt_file_is_dir(path);
    if (!tt_file_exists(path)) {
        rc = fail_missing(path, err);
    } else if (a->is_dir) {
        struct listing top = {.a = a, .below = ""};

        rc = tt_dir_list(path, list_dir, &top, err);
    } else {
        rc = archive_zip_open(a, err);
    }
    return finish_open(out, a, rc, err);
}

enum tt_code tt_archive_open_memory(tt_archive **out, const char *name,
                                    const void *data, size_t n, tt_err *err)
{
    tt_archive *a = archive_new(name);
    enum tt_code rc;

    if (!a)
        return tt_fail(err, TT_ENOMEM, "opening %s", name);
    rc = archive_zip_open_memory(a, data, n, err);
    return finish_open(out, a, rc, err);
}

void tt_archive_close(tt_archive *a)
{
    if (!a)
        return;
    archive_zip_close(a);
    tt_buf_fini(&a->kept);
    tt_temp_close(&a->temp);
    tt_findings_fini(&a->findings);
    tt_names_fini(&a->names);
    tt_arena_free(a->arena);
    TT_FREE_ALL(a->dir, a->entry, a->path, a);
}

const char *tt_archive_path(const tt_archive *a)
{
    return a->path;
}

int tt_archive_is_dir(const tt_archive *a)
{
    return a->is_dir;
}

size_t tt_archive_count(const tt_archive *a)
{
    return a->n;
}

const char *tt_archive_name(const tt_archive *a, size_t i)
{
    TT_ASSERT(i < a->n);
    return a->entry[i].name;
}

int tt_archive_has(const tt_archive *a, const char *name)
{
    return tt_names_find(&a->names, name) != TT_NONE;
}

const struct tt_findings *tt_archive_findings(const tt_archive *a)
{
    return &a->findings;
}

static enum tt_code to_buffer(void *ctx, const void *data, size_t n,
                              tt_err *err)
{
    struct tt_buf *b = ctx;

    if (n > b->max || b->len > b->max - n)
        return tt_fail(err, TT_EINPUT, "larger than %zu bytes", b->max);
    tt_buf_add(b, data, n);
    return tt_buf_check(b, "reading", err);
}

enum tt_code tt_archive_read(tt_archive *a, const char *name, struct tt_buf *b,
                             tt_err *err)
{
    uint32_t i = tt_names_find(&a->names, name);
    uint64_t total = 0;
    enum tt_code rc;
    char *full;

    if (i == TT_NONE)
        return tt_fail(err, TT_EINPUT, "%s: has no '%s'", a->path, name);
    if (!a->is_dir)
        return archive_zip_read(a, &a->entry[i], &total, to_buffer, b, err);
    full = tt_path_join(a->path, name);
    if (!full)
        return tt_fail(err, TT_ENOMEM, "%s", a->path);
    rc = tt_file_read(b, full, err);
    tt_free(full);
    return rc;
}

void tt_archive_keep(tt_archive *a, const char *name, struct tt_buf *b)
{
    struct tt_buf empty;

    tt_buf_init(&empty, b->max);
    if (a->is_dir || a->dir)
        return; /* nothing will be unpacked */
    tt_buf_fini(&a->kept);
    a->kept = *b;
    a->of = tt_names_find(&a->names, name);
    *b = empty;
}

/* Takes the first chunk and refuses the others. */
struct start {
    struct tt_buf *b; /* borrowed */
    int has;
};

static enum tt_code to_start(void *ctx, const void *data, size_t n, tt_err *err)
{
    struct start *s = ctx;

    if (s->has)
        return TT_EINPUT;
    s->has = 1;
    return to_buffer(s->b, data, n, err);
}

enum tt_code tt_archive_read_start(tt_archive *a, const char *name,
                                   struct tt_buf *b, tt_err *err)
{
    uint32_t i = tt_names_find(&a->names, name);
    struct start s = {.b = b};
    uint64_t total = 0;
    enum tt_code rc;

    if (i == TT_NONE || a->is_dir)
        return tt_archive_read(a, name, b, err);
    rc = archive_zip_read(a, &a->entry[i], &total, to_start, &s, err);
    return s.has && !b->failed ? TT_OK : rc;
}

static enum tt_code to_file(void *ctx, const void *data, size_t n, tt_err *err)
{
    return tt_out_write(ctx, data, n, err);
}

static enum tt_code write_entry(tt_archive *a, size_t i, uint64_t *total,
                                tt_out *out, tt_err *err)
{
    enum tt_code rc;

    if (!a->kept.data || a->of != i)
        return archive_zip_read(a, &a->entry[i], total, to_file, out, err);
    *total += a->kept.len;
    rc = to_file(out, a->kept.data, a->kept.len, err);
    tt_buf_fini(&a->kept);
    return rc;
}

static enum tt_code unpack_one(tt_archive *a, size_t i, uint64_t *total,
                               tt_err *err)
{
    const struct archive_entry *e = &a->entry[i];
    char *full = tt_path_join(a->dir, e->name);
    char *folder = full ? tt_path_dir(full) : NULL;
    enum tt_code rc, late;
    tt_out *out = NULL;

    if (!folder)
        rc = tt_fail(err, TT_ENOMEM, "%s", a->path);
    else
        rc = tt_dir_make(folder, err);
    if (rc == TT_OK)
        rc = tt_out_open(&out, full, err);
    if (rc == TT_OK) {
        rc = write_entry(a, i, total, out, err);
        late = tt_out_close(out, rc == TT_OK ? err : NULL);
        rc = rc == TT_OK ? late : rc;
    }
    TT_FREE_ALL(folder, full);
    return rc;
}

static enum tt_code unpack_zip(tt_archive *a, tt_err *err)
{
    enum tt_code rc = tt_temp_open(&a->temp, err);
    uint64_t total = 0;

    if (rc != TT_OK)
        return rc;
    a->dir = tt_path_absolute(a->temp.path);
    if (!a->dir)
        return tt_fail(err, TT_ENOMEM, "%s", a->path);
    for (size_t i = 0; i < a->n && rc == TT_OK; i++)
        rc = unpack_one(a, i, &total, err);
    return rc;
}

/* A half-made folder is of no use: the next call starts anew. */
static void forget_dir(tt_archive *a)
{
    tt_temp_close(&a->temp);
    tt_free(a->dir);
    a->dir = NULL;
}

enum tt_code tt_archive_unpack(tt_archive *a, const char **dir, tt_err *err)
{
    enum tt_code rc = TT_OK;
    char *resources;

    if (a->dir) {
        *dir = a->dir;
        return TT_OK;
    }
    if (a->is_dir) {
        a->dir = tt_path_absolute(a->path);
        if (!a->dir)
            rc = tt_fail(err, TT_ENOMEM, "%s", a->path);
    } else {
        rc = unpack_zip(a, err);
    }
    resources = rc == TT_OK ? tt_path_join(a->dir, "resources") : NULL;
    if (rc == TT_OK && !resources)
        rc = tt_fail(err, TT_ENOMEM, "%s", a->path);
    if (rc == TT_OK) {
        enum tt_code made = tt_dir_make(resources, a->is_dir ? NULL : err);

        /* Another user's read-only folder may stay without. */
        rc = a->is_dir ? TT_OK : made;
    }
    tt_free(resources);
    if (rc != TT_OK) {
        forget_dir(a);
        return tt_context(err, rc, "unpacking %s", a->path);
    }
    *dir = a->dir;
    return TT_OK;
}
