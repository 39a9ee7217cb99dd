/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/mem.h"
#include "serve/api_impl.h"

void tt_api_sessions(struct tt_service *s, struct tt_request *r)
{
    struct tt_buf *b = &r->answer.body;

    tt_buf_char(b, '[');
    for (const struct tt_session *ses = s->session; ses; ses = ses->next) {
        tt_api_put_session(b, s, ses);
        tt_buf_str(b, ses->next ? "," : "");
    }
    tt_buf_char(b, ']');
    tt_answer_json(&r->answer, 200);
}

void tt_api_session_get(struct tt_service *s, struct tt_request *r)
{
    tt_api_put_session(&r->answer.body, s, r->place.session);
    tt_answer_json(&r->answer, 200);
}

void tt_api_session_delete(struct tt_service *s, struct tt_request *r)
{
    tt_session_end(s, r->place.session, "it was deleted");
    r->place = (struct tt_named){0};
    tt_answer_nothing(&r->answer);
}

enum tt_code tt_api_text(const json_t *v, const char *what, size_t most,
                         char **out, tt_err *err)
{
    const char *text = json_string_value(v);

    if (!text)
        return TT_OK;
    if (strlen(text) > most)
        return tt_fail(err, TT_EINPUT, "'%s' has %zu bytes; at most %zu", what,
                       strlen(text), most);
    *out = tt_strdup(text);
    return *out ? TT_OK : tt_fail(err, TT_ENOMEM, "a %s: out of memory", what);
}

void tt_api_either(int keep, char **now, char *was)
{
    char *gone = keep ? was : *now;

    if (*now == was)
        return;
    if (!keep)
        *now = was;
    tt_free(gone);
}

static enum tt_code rename_session(struct tt_session *ses, const json_t *name,
                                   tt_err *err)
{
    char *was = ses->name;
    enum tt_code rc;

    rc = tt_api_text(name, TT_API_NAME, &ses->name, err);
    if (rc == TT_OK)
        rc = tt_store_session(ses, err);
    tt_api_either(rc == TT_OK, &ses->name, was);
    return rc;
}

void tt_api_session_put(struct tt_service *s, struct tt_request *r)
{
    const json_t *name;
    json_t *body = tt_api_body_text(r, "name", &name);
    tt_err err;

    if (!body)
        return;
    if (rename_session(r->place.session, name, &err) == TT_OK)
        tt_api_session_get(s, r);
    else
        tt_answer_err(&r->answer, &err);
    json_decref(body);
}

struct wish {
    const json_t *name, *example, *scenario;
};

static enum tt_code fill(const struct tt_service *s, struct tt_session *ses,
                         const struct wish *w, tt_err *err)
{
    const char *example = json_string_value(w->example);
    const char *scenario = json_string_value(w->scenario);
    enum tt_code rc = tt_api_text(w->name ? w->name : w->example, TT_API_NAME,
                                  &ses->name, err);

    if (rc == TT_OK && !example && scenario)
        rc = tt_fail(err, TT_EINPUT,
                     "'scenario' names one of an example: "
                     "give 'example' too");
    if (rc == TT_OK && example)
        rc = tt_api_example_copy(s, ses, example, scenario, err);
    return rc == TT_OK ? tt_store_session(ses, err) : rc;
}

static void make(struct tt_service *s, struct tt_request *r,
                 const struct wish *w)
{
    struct tt_session *ses = NULL;
    tt_err err;
    enum tt_code rc = tt_session_new(s, &ses, &err);

    if (rc == TT_OK)
        rc = fill(s, ses, w, &err);
    if (rc == TT_OK)
        tt_api_put_session(&r->answer.body, s, ses);
    else if (ses)
        tt_session_end(s, ses, "it could not be filled");
    tt_api_answer_new(r, rc, &err);
}

void tt_api_session_new(struct tt_service *s, struct tt_request *r)
{
    struct wish w;
    const struct tt_api_member member[] = {
        {"name", JSON_STRING, &w.name},
        {"example", JSON_STRING, &w.example},
        {"scenario", JSON_STRING, &w.scenario},
        {0},
    };
    json_t *body = tt_api_body_of_new(s, r, member, tt_session_may_come);

    if (body)
        make(s, r, &w);
    json_decref(body);
}
