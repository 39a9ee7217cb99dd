/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/uri.h"
#include "sys/file.h"

/* Where an FMU is. A location is a path, or a file: URI in any of the forms
 * in use (file:/x, file:///x, file:////x, file://localhost/x). What "tutti:"
 * names is built in and has no place. "coe:" is a path to a scenario, or to a
 * folder or archive with one in it. "session:" names a file of the
 * folder all locations are relative to, when there is one. */

static const struct {
    const char *scheme, *why;
} refused[] = {
    {"http", "download the file and give its path"},
    {"https", "download the file and give its path"},
    {"session", "it names a file uploaded to a server's session; --base "
                "states the folder of these"},
    {"external", "it stands for what a scenario gets from outside; run the "
                 "one it is a part of"},
    {"environment", "it stands for signals from outside"},
    {"rmi", "run 'tutti worker' on that host and give the location as "
            "tutti://HOST:PORT/x.fmu"},
};

/* Length of "scheme" in "scheme:rest", or 0. One letter is a Windows drive. */
static size_t scheme_length(const char *uri)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t n = strspn(uri, letters);

    if (n == 0)
        return 0;
    n += strspn(uri + n, "abcdefghijklmnopqrstuvwxyz"
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
    return n > 1 && uri[n] == ':' ? n : 0;
}

static int is_scheme(const char *uri, size_t n, const char *scheme)
{
    if (strlen(scheme) != n)
        return 0;
    for (size_t i = 0; i < n; i++)
        if ((uri[i] | 0x20) != scheme[i])
            return 0;
    return 1;
}

static enum tt_code refuse(struct tt_sc_build *b, const struct tt_sc_fmu *fmu,
                           size_t n)
{
    const char *why = "give a path or a file: URI";

    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
        if (is_scheme(fmu->uri, n, refused[i].scheme))
            why = refused[i].why;
    return tt_sc_fail(b, fmu->where, TT_EUNSUPPORTED,
                      "FMU '%s': '%.*s:' locations are not supported here: %s",
                      fmu->key, (int)n, fmu->uri, why);
}

/* dir/path as an absolute path, or NULL: out of memory. */
static char *join(const char *dir, const char *path)
{
    char *joined = tt_path_join(dir, path);
    char *absolute = joined ? tt_path_absolute(joined) : NULL;

    tt_free(joined);
    return absolute;
}

#define SPELLINGS 3 /* of a location: as it is, unescaped, with slashes */

/* The first of these that exists: each spelling in the file's folder, then in
 * the base or else the working directory; `dir` NULL: in the base alone. When
 * none does, the first, for the message of the caller that opens it. */
static enum tt_code choose(struct tt_sc_build *b, struct tt_sc_fmu *fmu,
                           const char *dir,
                           const char *const spelling[SPELLINGS])
{
    const char *base = b->s->base;
    const char *const in[2] = {dir ? dir : base, base};

    fmu->path = NULL;
    for (int i = 0; i < (dir ? 2 * SPELLINGS : SPELLINGS); i++) {
        char *path = join(in[i / SPELLINGS], spelling[i % SPELLINGS]);
        int exists = path && tt_file_exists(path);

        if (path && (i == 0 || exists))
            fmu->path = tt_arena_strdup(b->s->arena, path);
        tt_free(path);
        if (!path || !fmu->path)
            return tt_sc_no_memory(b);
        if (exists)
            break;
    }
    return TT_OK;
}

static enum tt_code mark_coe(struct tt_sc_build *b, struct tt_sc_fmu *fmu)
{
    size_t n = strlen(fmu->path) + sizeof("coe:");
    char *path = tt_arena_alloc(b->s->arena, n, 1);

    if (!path)
        return tt_sc_no_memory(b);
    (void)snprintf(path, n, "coe:%s", fmu->path);
    fmu->path = path;
    return TT_OK;
}

/* Does a part of the path lead up? */
static int goes_up(const char *path)
{
    for (; *path; path += *path == '/') {
        size_t n = strcspn(path, "/");

        if (n == 2 && memcmp(path, "..", 2) == 0)
            return 1;
        path += n;
    }
    return 0;
}

/* What follows "session:" stays in the folder. */
static enum tt_code check_session(struct tt_sc_build *b,
                                  const struct tt_sc_fmu *fmu,
                                  const char *plain)
{
    if (plain[0] != '/' && !goes_up(plain))
        return TT_OK;
    return tt_sc_fail(b, fmu->where, TT_EINPUT,
                      "FMU '%s': '%s' leaves the session: name one of its "
                      "files",
                      fmu->key, fmu->uri);
}

/* Where it really is counts, whatever links and dots lead there. What is not
 * there at all may not even be asked for outside. */
int tt_sc_is_outside(const struct tt_sc_build *b, const char *path)
{
    return b->s->only_base && !tt_path_is_below(path, b->s->base);
}

char *tt_sc_find_file(const struct tt_sc_build *b, struct tt_where where,
                      const char *name)
{
    const char *dir = where.file < b->s->n_file ? b->dir[where.file] : "";
    char *path = tt_path_join(dir, name);

    if (path && b->s->base && !tt_file_exists(path)) {
        tt_free(path);
        path = tt_path_join(b->s->base, name);
    }
    return path;
}

static enum tt_code check_inside(struct tt_sc_build *b,
                                 const struct tt_sc_fmu *fmu)
{
    if (!tt_sc_is_outside(b, fmu->path))
        return TT_OK;
    return tt_sc_fail(b, fmu->where, TT_EINPUT,
                      "FMU '%s': '%s' is not in the session: upload the file, "
                      "and name it 'session:%s'",
                      fmu->key, fmu->uri, tt_path_base(fmu->path));
}

/* Built in, or "tutti://host:port/name". */
static enum tt_code take_own(struct tt_sc_build *b, struct tt_sc_fmu *fmu,
                             size_t n)
{
    const char *name = fmu->uri + n + 1;

    if (b->s->only_base && strncmp(name, "//", 2) == 0)
        return tt_sc_fail(b, fmu->where, TT_EINPUT,
                          "FMU '%s': '%s' is on another machine: upload the "
                          "file, and name it 'session:%s'",
                          fmu->key, fmu->uri, tt_path_base(name));
    fmu->path = fmu->uri;
    return TT_OK;
}

/* As other systems write folders: "sub\\x.fmu". */
static char *with_slashes(const char *path)
{
    char *copy = tt_strdup(path);

    for (char *p = copy; p && *p; p++)
        if (*p == '\\')
            *p = '/';
    return copy;
}

enum tt_code tt_sc_resolve_uri(struct tt_sc_build *b, struct tt_sc_fmu *fmu,
                               const char *dir)
{
    size_t n = scheme_length(fmu->uri);
    int is_coe = is_scheme(fmu->uri, n, "coe");
    int is_file = is_coe || is_scheme(fmu->uri, n, "file");
    int in_session = b->s->base && is_scheme(fmu->uri, n, "session");
    const char *raw = is_file      ? tt_uri_strip(fmu->uri, n)
                      : in_session ? fmu->uri + n + 1
                                   : fmu->uri;
    int in_base = in_session || b->in_base;
    enum tt_code rc;
    char *plain, *slashed;

    if (is_scheme(fmu->uri, n, "tutti"))
        return take_own(b, fmu, n);
    if (is_scheme(fmu->uri, n, "external") && b->s->inside)
        return TT_OK;
    if (n > 0 && !is_file && !in_session)
        return refuse(b, fmu, n);
    if (!*raw)
        return tt_sc_fail(b, fmu->where, TT_EINPUT,
                          "the location of FMU '%s' is empty", fmu->key);
    plain = tt_uri_unescape(raw);
    slashed = plain ? with_slashes(plain) : NULL;
    if (!slashed) {
        tt_free(plain);
        return tt_sc_no_memory(b);
    }
    /* In a URI an escape is the rule, in a path the exception. */
    rc = in_session ? check_session(b, fmu, plain) : TT_OK;
    if (rc == TT_OK && in_session)
        rc = check_session(b, fmu, slashed);
    if (rc == TT_OK)
        rc = choose(b, fmu, in_base ? NULL : dir,
                    n > 0 ? (const char *const[]){plain, raw, slashed}
                          : (const char *const[]){raw, plain, slashed});
    if (rc == TT_OK)
        rc = check_inside(b, fmu);
    TT_FREE_ALL(plain, slashed);
    return rc == TT_OK && is_coe ? mark_coe(b, fmu) : rc;
}
