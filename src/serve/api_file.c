/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/names.h"
#include "serve/api_impl.h"
#include "sys/file.h"
#include "text/json.h"

#define LETTERS                                                                \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-()+ "

/* What users uploaded is for them to save, never for a browser to show as a
 * page of ours. */
#define FOREIGN "X-Content-Type-Options: nosniff\r\n"

/* --- names ---------------------------------------------------------------- */

/* What the service writes beside them is no file of the user. */
static int is_own(const char *name)
{
    static const char *const own[] = {
        TT_API_SCENARIO, TT_MAESTRO_CONFIG, TT_MAESTRO_BODY,
        TT_SIM_RESULTS,  TT_SIM_SUMMARY,    TT_SIM_LOG,
    };

    return tt_name_is_among(name, own, sizeof(own) / sizeof(*own));
}

const char *tt_api_name_refused(const char *name)
{
    const char *why = tt_file_name_refused(name);

    if (!why && name[strspn(name, LETTERS)])
        why = "has others than letters, digits, blanks and . _ - ( ) +";
    if (!why && is_own(name))
        why = "is the service's own";
    return why;
}

char *tt_api_file_path(struct tt_request *r)
{
    const char *why = tt_api_name_refused(r->place.name);
    char *path = NULL;

    if (why)
        tt_answer_error(&r->answer, 400, "a file cannot be called '%s': it %s",
                        r->place.name, why);
    else if (!(path = tt_session_path(r->place.session, r->place.name)))
        tt_answer_error(&r->answer, 500, "a file: out of memory");
    return path;
}

static void not_there(struct tt_request *r)
{
    tt_answer_error(&r->answer, 404, "session '%s' has no file '%s'",
                    r->place.session->id, r->place.name);
}

/* --- taking files --------------------------------------------------------- */

struct intake {
    struct tt_intake base;
    struct tt_incoming in;
};

static void intake_free(struct tt_intake *base)
{
    struct intake *k = (struct intake *)(void *)base;

    tt_incoming_drop(&k->in);
    tt_free(k);
}

static int intake_take(struct tt_request *r, const void *data, size_t n)
{
    struct intake *k = (struct intake *)(void *)r->intake;
    tt_err err;

    if (tt_incoming_write(&k->in, data, n, &err) == TT_OK)
        return 0;
    tt_answer_err(&r->answer, &err);
    return -1;
}

static enum tt_code open_intake(struct tt_service *s, struct tt_request *r,
                                tt_err *err)
{
    struct intake *k;

    if (!TT_NEW(k))
        return tt_nomem(err, "a file");
    k->in = (struct tt_incoming)TT_INCOMING_INIT;
    k->base.take = intake_take;
    k->base.free = intake_free;
    r->intake = &k->base;
    return tt_incoming_open(s, &k->in, err);
}

int tt_api_file_open(struct tt_service *s, struct tt_request *r,
                     uint64_t length)
{
    uint64_t room = tt_session_room(s, r->place.session);
    char *path = tt_api_file_path(r);
    tt_err err;

    tt_free(path);
    if (!path)
        return -1;
    if (length > room) {
        tt_answer_error(&r->answer, 413,
                        "a file of %llu bytes; this session has room for %llu",
                        (unsigned long long)length, (unsigned long long)room);
        return -1;
    }
    if (open_intake(s, r, &err) == TT_OK)
        return 0;
    tt_answer_err(&r->answer, &err);
    return -1;
}

/* Its body has come; one without bytes was not even opened. */
void tt_api_file_put(struct tt_service *s, struct tt_request *r)
{
    struct intake *k;
    tt_err err;
    uint64_t size;

    if (!r->intake && tt_api_file_open(s, r, 0) != 0)
        return;
    k = (struct intake *)(void *)r->intake;
    size = k->in.size;
    if (tt_incoming_keep(&k->in, r->place.session, r->place.name, &err) !=
        TT_OK) {
        tt_answer_err(&r->answer, &err);
        return;
    }
    tt_json_text(&r->answer.body, "{\"name\":", r->place.name);
    tt_buf_fmt(&r->answer.body, ",\"size\":%llu}", (unsigned long long)size);
    tt_answer_json(&r->answer, 201);
}

/* --- giving and removing them --------------------------------------------- */

void tt_api_file_get(struct tt_service *s, struct tt_request *r)
{
    char *path = tt_api_file_path(r);

    (void)s;
    if (!path)
        return;
    r->answer.attach = r->place.name;
    r->answer.headers = FOREIGN;
    if (tt_answer_file(&r->answer, path, "application/octet-stream") != 0)
        not_there(r);
    tt_free(path);
}

void tt_api_file_delete(struct tt_service *s, struct tt_request *r)
{
    char *path = tt_api_file_path(r);

    (void)s;
    if (!path)
        return;
    if (unlink(path) == 0)
        tt_answer_nothing(&r->answer);
    else
        not_there(r);
    tt_free(path);
}

/* --- the scenario --------------------------------------------------------- */

enum tt_code tt_api_scenario_check(const char *text, size_t n, tt_err *err)
{
    struct tt_text_file f = {.path = TT_API_SCENARIO, .text = text, .n = n};
    tt_arena *arena = tt_arena_new();
    enum tt_code rc = TT_OK;
    struct tt_doc doc;

    if (!arena)
        return tt_nomem(err, "a file");
    if (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { /* a BOM */
        f.text += 3;
        f.n -= 3;
    }
    rc = tt_doc_parse(&doc, &f, 0, arena, arena, err);
    if (rc == TT_OK && doc.kind != TT_DOC_OBJECT)
        rc = tt_fail(err, TT_EINPUT,
                     TT_API_SCENARIO
                     ":1:1: the scenario must be an object, not %s",
                     tt_doc_kind_text(doc.kind));
    tt_arena_free(arena);
    return rc;
}

enum tt_code tt_api_scenario_read(const struct tt_session *ses,
                                  struct tt_buf *b, tt_err *err)
{
    char *path = tt_session_path(ses, TT_API_SCENARIO);
    enum tt_code rc =
        path ? tt_file_read_plain(b, path, NULL) : tt_nomem(NULL, "a file");

    tt_free(path);
    return rc == TT_OK ? TT_OK
                       : tt_fail(err, TT_ESTATE, "session '%s' has no scenario",
                                 ses->id);
}

void tt_api_scenario_get(struct tt_service *s, struct tt_request *r)
{
    char *path = tt_session_path(r->place.session, TT_API_SCENARIO);

    (void)s;
    if (!path || tt_answer_file(&r->answer, path, "application/json") != 0)
        tt_answer_error(&r->answer, 404, "session '%s' has no scenario",
                        r->place.session->id);
    tt_free(path);
}

void tt_api_scenario_put(struct tt_service *s, struct tt_request *r)
{
    const char *text = r->body.data ? r->body.data : "";
    enum tt_code rc;
    tt_err err;

    (void)s;
    rc = tt_api_scenario_check(text, r->body.len, &err);
    if (rc == TT_OK)
        rc = tt_session_put(r->place.session, TT_API_SCENARIO, text,
                            r->body.len, &err);
    if (rc != TT_OK) {
        tt_answer_err(&r->answer, &err);
        return;
    }
    tt_answer_nothing(&r->answer);
}
