/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/names.h"
#include "serve/serve_impl.h"

/* Clients choose the dialect by the major number of the version: 2. */
#define DIALECT "2.0.0"

struct route {
    const char *name;
    int get, post;
    int needs_session; /* in the path */
    const char *tail;  /* what follows the session, or NULL */
    void (*answer)(struct tt_service *s, struct tt_session *ses,
                   struct tt_request *r);
};

static void answer_ping(struct tt_service *s, struct tt_session *ses,
                        struct tt_request *r)
{
    (void)s;
    (void)ses;
    tt_answer_text(&r->answer, "OK");
}

static void answer_version(struct tt_service *s, struct tt_session *ses,
                           struct tt_request *r)
{
    (void)ses;
    tt_buf_fmt(&r->answer.body, "{\"version\":\"" DIALECT "-tutti-%s\"}",
               s->opts->version);
    tt_answer_text(&r->answer, "");
}

static void answer_create(struct tt_service *s, struct tt_session *ses,
                          struct tt_request *r)
{
    tt_err err;

    if (tt_session_new(s, &ses, &err) != TT_OK) {
        tt_answer_err(&r->answer, &err);
        return;
    }
    tt_buf_fmt(&r->answer.body,
               "{\"status\":\"Session exists\",\"sessionId\":\"%s\","
               "\"lastExecTime\":0,\"warnings\":null,\"errors\":null}",
               ses->id);
    r->answer.ready = 1;
}

static void answer_initialize(struct tt_service *s, struct tt_session *ses,
                              struct tt_request *r)
{
    struct tt_buf levels;
    tt_err err;

    (void)s;
    tt_buf_init(&levels, TT_BODY_MAX);
    if (tt_sim_initialize(ses, &r->body, &levels, &err) == TT_OK) {
        tt_buf_fmt(&r->answer.body,
                   "{\"status\":\"initialized\",\"sessionId\":\"%s\","
                   "\"lastExecTime\":%llu,\"availableLogLevels\":",
                   ses->id, (unsigned long long)ses->exec_ms);
        tt_buf_add(&r->answer.body, levels.data, levels.len);
        tt_buf_str(&r->answer.body, ",\"warnings\":null,\"errors\":null}");
        r->answer.ready = 1;
    } else {
        tt_answer_err(&r->answer, &err);
    }
    tt_buf_fini(&levels);
}

static void answer_simulate(struct tt_service *s, struct tt_session *ses,
                            struct tt_request *r)
{
    tt_err err;

    if (tt_sim_submit(s, ses, &r->body, &err) != TT_OK) {
        tt_answer_err(&r->answer, &err);
        return;
    }
    r->awaits = ses;
    r->next = ses->waiting;
    ses->waiting = r;
}

static void answer_async(struct tt_service *s, struct tt_session *ses,
                         struct tt_request *r)
{
    tt_err err;

    if (tt_sim_submit(s, ses, &r->body, &err) != TT_OK) {
        tt_answer_err(&r->answer, &err);
        return;
    }
    tt_session_json(&r->answer.body, ses);
    r->answer.ready = 1;
}

static void answer_stop(struct tt_service *s, struct tt_session *ses,
                        struct tt_request *r)
{
    tt_sim_stop(s, ses);
    tt_answer_text(&r->answer, "");
}

static void answer_status(struct tt_service *s, struct tt_session *ses,
                          struct tt_request *r)
{
    (void)s;
    tt_session_json(&r->answer.body, ses);
    tt_answer_text(&r->answer, "");
}

static void answer_all(struct tt_service *s, struct tt_session *ses,
                       struct tt_request *r)
{
    struct tt_buf *b = &r->answer.body;

    tt_buf_char(b, '[');
    for (ses = s->session; ses; ses = ses->next) {
        tt_session_json(b, ses);
        tt_buf_str(b, ses->next ? "," : "");
    }
    tt_buf_char(b, ']');
    tt_answer_text(&r->answer, "");
}

static void answer_result(struct tt_service *s, struct tt_session *ses,
                          struct tt_request *r)
{
    struct tt_answer *a = &r->answer;
    char *path = tt_session_path(ses, "outputs.csv");
    struct stat st;

    (void)s;
    a->file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    tt_free(path);
    if (a->file < 0 || fstat(a->file, &st) != 0) {
        tt_answer_error(a, 404, "session '%s' has no results yet (it is %s)",
                        ses->id, tt_session_state_name(ses));
        return;
    }
    a->file_size = (uint64_t)st.st_size;
    a->attach = "outputs.csv";
    a->type = "text/plain";
    a->ready = 1;
}

static void answer_destroy(struct tt_service *s, struct tt_session *ses,
                           struct tt_request *r)
{
    tt_session_end(s, ses, "it was destroyed");
    tt_answer_text(&r->answer, "");
}

static const struct route routes[] = {
    {"ping", 1, 0, 0, NULL, answer_ping},
    {"version", 1, 0, 0, NULL, answer_version},
    {"createSession", 1, 0, 0, NULL, answer_create},
    {"initialize", 0, 1, 1, NULL, answer_initialize},
    {"simulate", 0, 1, 1, NULL, answer_simulate},
    {"simulateasync", 0, 1, 1, NULL, answer_async},
    {"stopsimulation", 1, 1, 1, NULL, answer_stop},
    {"status", 1, 0, 1, NULL, answer_status},
    {"status", 1, 0, 0, NULL, answer_all},
    {"result", 1, 0, 1, "plain", answer_result},
    {"destroy", 1, 0, 1, NULL, answer_destroy},
};
#define ROUTES (sizeof(routes) / sizeof(*routes))

static const char *route_name(const void *ctx, size_t i)
{
    (void)ctx;
    return routes[i].name;
}

/* "/name[/session[/tail]]", cut in place. */
struct parts {
    char text[TT_PATH_MAX];
    const char *name, *session, *tail;
};

static void cut(const char *path, struct parts *p)
{
    const char **part[] = {&p->name, &p->session, &p->tail};
    char *at;

    *p = (struct parts){0};
    memcpy(p->text, path, strlen(path) + 1);
    at = p->text + (p->text[0] == '/');
    for (size_t i = 0; i < 3; i++) {
        char *slash = i < 2 ? strchr(at, '/') : NULL;

        *part[i] = at;
        if (!slash)
            return;
        *slash = '\0';
        at = slash + 1;
    }
}

static int is_named(const char *text, const char *name)
{
    return text && strcmp(text, name) == 0;
}

static int fits(const struct route *r, const struct parts *p)
{
    if (!is_named(p->name, r->name) || !p->session != !r->needs_session)
        return 0;
    return r->tail ? is_named(p->tail, r->tail) : !p->tail;
}

static void no_route(struct tt_request *r, const struct parts *p)
{
    const char *near = tt_names_nearest(p->name, ROUTES, route_name, NULL);

    if (near && strcmp(near, p->name) != 0)
        tt_answer_error(&r->answer, 404, "no '%s' here; did you mean '/%s'?",
                        r->path, near);
    else
        tt_answer_error(&r->answer, 404, "no '%s' here", r->path);
}

static const struct route *find_route(struct tt_request *r, struct parts *p)
{
    const struct route *found = NULL;

    cut(r->path, p);
    for (size_t i = 0; i < ROUTES && !found; i++)
        if (fits(&routes[i], p))
            found = &routes[i];
    if (!found) {
        no_route(r, p);
    } else if (!(r->method == TT_GET ? found->get
                                     : r->method == TT_POST && found->post)) {
        tt_answer_error(&r->answer, 405, "'/%s' takes %s", found->name,
                        found->get && found->post ? "GET and POST only"
                        : found->get              ? "GET only"
                                                  : "POST only");
        found = NULL;
    }
    return found;
}

void tt_route(struct tt_service *s, struct tt_request *r)
{
    struct tt_session *ses = NULL;
    struct parts p;
    const struct route *route = find_route(r, &p);

    if (!route)
        return;
    if (route->needs_session) {
        if (tt_session_is_id(p.session))
            ses = tt_session_find(s, p.session);
        if (!ses) {
            tt_answer_error(&r->answer, 404, "no session '%s'", p.session);
            return;
        }
    }
    route->answer(s, ses, r);
}

int tt_route_accepts(struct tt_request *r, uint64_t length)
{
    struct parts p;

    if (!find_route(r, &p))
        return 0;
    if (length <= TT_BODY_MAX)
        return 1;
    tt_answer_error(&r->answer, 413, "a body of %llu bytes; at most %zu",
                    (unsigned long long)length, TT_BODY_MAX);
    return 0;
}
