/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "serve/serve_impl.h"

/* --- matching ------------------------------------------------------------- */

/* What the words of a path stand for. */
struct match {
    const char *session; /* into the path, with its length */
    size_t session_n;
    const char *name;
    size_t name_n;
};

static size_t word_length(const char *p)
{
    return strcspn(p, "/");
}

static int is_word(const char *pattern, size_t n, const char *text)
{
    return strlen(text) == n && memcmp(pattern, text, n) == 0;
}

/* Does the word fit, and what does it stand for? */
static int fits_word(const char *pattern, size_t pn, const char *word, size_t n,
                     struct match *m)
{
    if (is_word(pattern, pn, "{session}")) {
        m->session = word;
        m->session_n = n;
    } else if (is_word(pattern, pn, "{file}")) {
        m->name = word;
        m->name_n = n;
    } else {
        return pn == n && memcmp(pattern, word, n) == 0;
    }
    return n > 0;
}

static int fits(const char *pattern, const char *path, struct match *m)
{
    *m = (struct match){0};
    for (;;) {
        size_t pn = word_length(pattern), n = word_length(path);

        if (!fits_word(pattern, pn, path, n, m))
            return 0;
        pattern += pn;
        path += n;
        if (!*pattern || !*path)
            return !*pattern && !*path;
        pattern++;
        path++;
    }
}

/* --- no route ------------------------------------------------------------- */

static const char *pattern_at(const void *ctx, size_t i)
{
    return ((const struct tt_route *)ctx)[i].pattern;
}

static size_t count(const struct tt_route *routes)
{
    size_t n = 0;

    while (routes[n].pattern)
        n++;
    return n;
}

/* The path as a pattern: sessions by their placeholder. */
static void as_pattern(const char *path, struct tt_buf *b)
{
    char id[TT_ID_SIZE];

    for (; *path; path += *path == '/') {
        size_t n = word_length(path);

        tt_buf_str(b, b->len ? "/" : "");
        if (n == sizeof(id) - 1) {
            memcpy(id, path, n);
            id[n] = '\0';
        }
        if (n == sizeof(id) - 1 && tt_session_is_id(id))
            tt_buf_str(b, "{session}");
        else
            tt_buf_add(b, path, n);
        path += n;
    }
}

static void no_route(struct tt_request *r, const struct tt_route *routes)
{
    const char *near = NULL;
    struct tt_buf asked;

    tt_buf_init(&asked, (size_t)2 * TT_PATH_MAX);
    as_pattern(r->path + 1, &asked);
    if (asked.len)
        near = tt_names_nearest(asked.data, count(routes), pattern_at, routes);
    if (near)
        tt_answer_error(&r->answer, 404, "no '%s' here; did you mean '/%s'?",
                        r->path, near);
    else
        tt_answer_error(&r->answer, 404, "no '%s' here", r->path);
    tt_buf_fini(&asked);
}

static void no_method(struct tt_request *r, const char *pattern,
                      unsigned methods)
{
    static const char *const name[] = {"GET", "POST", "PUT", "DELETE"};
    struct tt_buf b;

    tt_buf_init(&b, TT_PATH_MAX);
    for (unsigned i = 0; i < TT_OTHER; i++)
        if (methods & TT_BIT(i))
            tt_buf_fmt(&b, "%s%s", b.len ? " and " : "", name[i]);
    tt_answer_error(&r->answer, 405, "'/%s' takes %s only", pattern,
                    b.len ? b.data : "nothing");
    tt_buf_fini(&b);
}

/* --- finding -------------------------------------------------------------- */

/* The session and the name the path has. -1: there is no such session. */
static int resolve(struct tt_service *s, struct tt_request *r,
                   const struct match *m)
{
    char id[TT_PATH_MAX];

    if (m->name) {
        memcpy(r->place.name, m->name, m->name_n);
        r->place.name[m->name_n] = '\0';
    }
    if (!m->session)
        return 0;
    memcpy(id, m->session, m->session_n);
    id[m->session_n] = '\0';
    if (tt_session_is_id(id))
        r->place.session = tt_session_find(s, id);
    if (r->place.session)
        return 0;
    tt_answer_error(&r->answer, 404, "no session '%s'", id);
    return -1;
}

int tt_route_find(struct tt_service *s, struct tt_request *r)
{
    const struct tt_route *routes = tt_routes_maestro, *at;
    const char *pattern = NULL;
    unsigned methods = 0;
    struct match m;

    for (at = routes; at->pattern; at++) {
        if (r->path[0] != '/' || !fits(at->pattern, r->path + 1, &m))
            continue;
        pattern = at->pattern;
        methods |= at->methods;
        if (r->method == TT_OTHER || !(at->methods & TT_BIT(r->method)))
            continue;
        r->route = at;
        return resolve(s, r, &m);
    }
    if (pattern)
        no_method(r, pattern, methods);
    else
        no_route(r, routes);
    return -1;
}

int tt_route_accepts(struct tt_request *r, uint64_t length)
{
    if (length <= TT_BODY_MAX)
        return 0;
    tt_answer_error(&r->answer, 413, "a body of %llu bytes; at most %zu",
                    (unsigned long long)length, TT_BODY_MAX);
    return -1;
}
