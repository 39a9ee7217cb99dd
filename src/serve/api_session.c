/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/mem.h"
#include "serve/api_impl.h"

#define NAME_MAX_BYTES 200u

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

enum tt_code tt_api_name(const json_t *v, char **out, tt_err *err)
{
    const char *name = json_string_value(v);

    if (!name)
        return TT_OK;
    if (strlen(name) > NAME_MAX_BYTES)
        return tt_fail(err, TT_EINPUT, "'name' has %zu bytes; at most %u",
                       strlen(name), NAME_MAX_BYTES);
    *out = tt_strdup(name);
    return *out ? TT_OK : tt_fail(err, TT_ENOMEM, "a name: out of memory");
}

struct wish {
    const json_t *name, *example, *scenario;
};

static enum tt_code fill(const struct tt_service *s, struct tt_session *ses,
                         const struct wish *w, tt_err *err)
{
    const char *example = json_string_value(w->example);
    const char *scenario = json_string_value(w->scenario);
    enum tt_code rc =
        tt_api_name(w->name ? w->name : w->example, &ses->name, err);

    if (rc == TT_OK && !example && scenario)
        rc = tt_fail(err, TT_EINPUT,
                     "'scenario' names one of an example: "
                     "give 'example' too");
    if (rc == TT_OK && example)
        rc = tt_api_example_copy(s, ses, example, scenario, err);
    return rc == TT_OK ? tt_store_session(ses, err) : rc;
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
    struct tt_session *ses = NULL;
    enum tt_code rc;
    tt_err err;

    if (!body)
        return;
    rc = tt_session_new(s, &ses, &err);
    if (rc == TT_OK)
        rc = fill(s, ses, &w, &err);
    json_decref(body);
    if (rc == TT_OK) {
        tt_api_put_session(&r->answer.body, s, ses);
        tt_answer_json(&r->answer, 201);
        return;
    }
    if (ses)
        tt_session_end(s, ses, "it could not be filled");
    tt_answer_err(&r->answer, &err);
}
