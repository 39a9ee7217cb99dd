/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/num.h"
#include "serve/serve_impl.h"

/* --- matching ------------------------------------------------------------- */

/* What the words of a path stand for. */
struct match {
    const char *session; /* into the path, with its length */
    size_t session_n;
    const char *run;
    size_t run_n;
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
    } else if (is_word(pattern, pn, "{run}")) {
        m->run = word;
        m->run_n = n;
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

/* The path as a pattern: sessions and numbers by their placeholders. */
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
        else if (n && strspn(path, "0123456789") >= n)
            tt_buf_str(b, "{run}");
        else
            tt_buf_add(b, path, n);
        path += n;
    }
}

static void no_route(struct tt_request *r, const struct tt_route *routes)
{
    const char *near = NULL;
    unsigned status = 404;
    struct tt_buf asked;

    tt_buf_init(&asked, (size_t)2 * TT_PATH_MAX);
    as_pattern(r->path + 1, &asked);
    if (asked.len)
        near = tt_names_nearest(asked.data, count(routes), pattern_at, routes);
    /* Maestro 1 has another number for what it does not have */
    if (r->answer.dialect == TT_DIALECT_MAESTRO1)
        status = 501;
    if (near)
        tt_answer_error(&r->answer, status, "no '%s' here; did you mean '/%s'?",
                        r->path, near);
    else
        tt_answer_error(&r->answer, status, "no '%s' here", r->path);
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

#define DIGITS_MAX 9u

/* The run of this number. -1: there is none. */
static int resolve_run(struct tt_service *s, struct tt_request *r,
                       const struct match *m)
{
    char word[TT_PATH_MAX];
    uint64_t id = 0;

    memcpy(word, m->run, m->run_n);
    word[m->run_n] = '\0';
    if (m->run_n <= DIGITS_MAX && strspn(word, "0123456789") == m->run_n &&
        word[0] != '0' && tt_num_parse_u64(word, &id) == 0)
        r->place.run = tt_sim_find(s, r->place.session, (unsigned)id);
    if (r->place.run)
        return 0;
    tt_answer_error(&r->answer, 404, "session '%s' has no run '%s'",
                    r->place.session->id, word);
    return -1;
}

/* What the path names. -1: there is no such session, or run. */
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
        return m->run ? resolve_run(s, r, m) : 0;
    tt_answer_error(
        &r->answer, 404, "%sno session '%s'",
        r->answer.dialect == TT_DIALECT_MAESTRO1 ? "Missing session: " : "",
        id);
    return -1;
}

/* What a path was compared with so far. */
struct search {
    const char *pattern; /* of the last that fits */
    unsigned methods;    /* those of all that fit */
    struct match m;
};

/* The route in this table that fits path and method, or NULL. */
static const struct tt_route *look(const struct tt_route *at,
                                   const struct tt_request *r, struct search *f)
{
    for (; at->pattern; at++) {
        if (r->path[0] != '/' || !fits(at->pattern, r->path + 1, &f->m))
            continue;
        f->pattern = at->pattern;
        f->methods |= at->methods;
        if (r->method != TT_OTHER && at->methods & TT_BIT(r->method))
            return at;
    }
    return NULL;
}

static const struct tt_route *routes_of(enum tt_dialect d)
{
    if (d == TT_DIALECT_API)
        return tt_routes_api;
    return d == TT_DIALECT_MAESTRO1 ? tt_routes_maestro1 : tt_routes_maestro;
}

int tt_route_find(struct tt_service *s, struct tt_request *r)
{
    int api = r->answer.dialect == TT_DIALECT_API;
    const struct tt_route *routes = routes_of(r->answer.dialect);
    struct search f = {0};

    r->route = tt_page_is_open(r->path) ? look(tt_routes_page, r, &f) : NULL;
    if (!r->route)
        r->route = look(routes, r, &f);
    if (!r->route) {
        if (f.pattern)
            no_method(r, f.pattern, f.methods);
        else
            no_route(r, routes);
        return -1;
    }
    if (resolve(s, r, &f.m) != 0)
        return -1;
    return api ? tt_query_check(r, tt_api_query(r->route)) : 0;
}

int tt_route_accepts(struct tt_request *r, uint64_t length)
{
    if (length <= TT_BODY_MAX || r->route->open)
        return 0;
    tt_answer_error(&r->answer, 413, "a body of %llu bytes; at most %zu",
                    (unsigned long long)length, TT_BODY_MAX);
    return -1;
}
