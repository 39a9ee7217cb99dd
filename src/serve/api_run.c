/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/show.h"
#include "serve/api_impl.h"
#include "sys/file.h"
#include "text/json.h"

/* --- what to run ---------------------------------------------------------- */

/* Steps that may vary are worth a trace. */
static int varies(const struct tt_doc *doc)
{
    const struct tt_doc *alg = tt_doc_find(doc, "algorithm"), *v;

    v = alg && alg->kind == TT_DOC_OBJECT ? tt_doc_find(alg, "type") : NULL;
    if (v && v->kind == TT_DOC_TEXT && strcmp(v->u.text, "var-step") == 0)
        return 1;
    v = tt_doc_find(doc, "rollback");
    return v && v->kind == TT_DOC_BOOL && v->u.integer;
}

/* The request with blanks around the value of `set`, so that messages about it
 * state where the client wrote it. */
static enum tt_code cut_out(const struct tt_text_file *request, tt_arena *arena,
                            struct tt_buf *out, tt_err *err)
{
    const char *text = request->text;
    struct tt_doc doc = {0};
    const struct tt_doc *set;
    json_error_t end = {.position = 0};
    enum tt_code rc = tt_doc_parse(&doc, request, 1, arena, arena, err);

    if (rc != TT_OK)
        return rc;
    set = tt_doc_find(&doc, "set");
    for (size_t i = 0; i < set->where.offset; i++)
        if ((text[i] & 0xC0) != 0x80) /* columns count characters */
            tt_buf_char(out, text[i] == '\n' ? '\n' : ' ');
    json_decref(json_loadb(text + set->where.offset,
                           request->n - set->where.offset,
                           JSON_DISABLE_EOF_CHECK, &end));
    tt_buf_add(out, text + set->where.offset, (size_t)end.position);
    return tt_buf_check(out, "a request", err);
}

/* What a reader would like to know of it goes to sim. */
static void note_times(struct tt_sim *sim, const struct tt_doc *doc)
{
    sim->start = tt_doc_number(tt_doc_find(doc, "startTime"), (double)NAN);
    sim->end = tt_doc_number(tt_doc_find(doc, "endTime"), (double)NAN);
    sim->traced = varies(doc);
}

/* Texts of a run, in its folder. */
struct texts {
    struct tt_buf stored;  /* the session's scenario */
    struct tt_buf request; /* `set`, to be laid over; empty: none */
    struct tt_buf ran;     /* what both make */
};

static enum tt_code compose(struct tt_sim *sim, struct texts *t,
                            const struct tt_buf *body, tt_err *err)
{
    struct tt_text_file f[2] = {
        {.path = TT_API_SCENARIO, .text = t->stored.data, .n = t->stored.len},
        {.path = TT_API_REQUEST}};
    tt_arena *arena = tt_arena_new();
    struct tt_doc doc = {0}, more = {0};
    enum tt_code rc = arena ? tt_doc_parse(&doc, &f[0], 0, arena, arena, err)
                            : tt_nomem(err, "a run");

    if (rc == TT_OK && body) {
        f[1].text = body->data;
        f[1].n = body->len;
        rc = cut_out(&f[1], arena, &t->request, err);
    }
    if (rc == TT_OK && body) {
        f[1].text = t->request.data;
        f[1].n = t->request.len;
        rc = tt_doc_parse(&more, &f[1], 1, arena, arena, err);
    }
    if (rc == TT_OK && body)
        rc = tt_doc_merge(&doc, &more, arena, err);
    if (rc == TT_OK && body) {
        tt_doc_print(&t->ran, &doc);
        tt_buf_char(&t->ran, '\n');
        rc = tt_buf_check(&t->ran, "a scenario", err);
    }
    if (rc == TT_OK)
        note_times(sim, &doc);
    tt_arena_free(arena);
    return rc;
}

/* --- starting ------------------------------------------------------------- */

struct wish {
    const json_t *name, *set, *stepwise, *kind, *options;
};

static enum tt_code put(const struct tt_sim *sim, const char *name,
                        const struct tt_buf *text, tt_err *err)
{
    char *path = tt_sim_path(sim, name);
    enum tt_code rc = path ? tt_file_replace(path, text->data, text->len, err)
                           : tt_nomem(err, "a run");

    tt_free(path);
    return rc;
}

/* Its scenario in its folder. */
static enum tt_code furnish(struct tt_sim *sim, const struct wish *w,
                            const struct tt_buf *body, tt_err *err)
{
    struct texts t;
    enum tt_code rc;

    tt_buf_init(&t.stored, TT_BODY_MAX);
    tt_buf_init(&t.request, TT_BODY_MAX);
    tt_buf_init(&t.ran, 2 * TT_BODY_MAX);
    rc = tt_api_scenario_read(sim->session, &t.stored, err);
    if (rc == TT_OK)
        rc = compose(sim, &t, w->set ? body : NULL, err);
    if (rc == TT_OK)
        rc = tt_api_text(w->name, TT_API_NAME, &sim->name, err);
    if (rc == TT_OK)
        rc = put(sim, TT_API_SCENARIO, &t.stored, err);
    if (rc == TT_OK && w->set)
        rc = put(sim, TT_API_REQUEST, &t.request, err);
    if (rc == TT_OK && w->set)
        rc = put(sim, TT_API_RAN, &t.ran, err);
    sim->stepwise = !sim->study && json_is_true(w->stepwise);
    sim->config[0] = TT_API_SCENARIO;
    sim->config[1] = w->set ? TT_API_REQUEST : NULL;
    tt_buf_fini(&t.stored);
    tt_buf_fini(&t.request);
    tt_buf_fini(&t.ran);
    return rc;
}

/* runs/N, a folder not used before. */
static enum tt_code make(struct tt_service *s, struct tt_session *ses,
                         struct tt_sim **out, tt_err *err)
{
    char name[32], *dir;
    enum tt_code rc;

    snprintf(name, sizeof(name), TT_STORE_RUNS "/%u", ++ses->last_run);
    dir = tt_session_path(ses, name);
    rc = dir ? tt_dir_make_new(dir, err) : tt_nomem(err, "a run");
    if (rc == TT_OK)
        rc = tt_store_session(ses, err);
    if (rc == TT_OK)
        rc = tt_sim_new(s, ses, dir, out, err);
    if (rc == TT_OK)
        (*out)->id = ses->last_run;
    else if (dir)
        (void)!tt_dir_remove(dir, NULL); /* of a run that never was */
    tt_free(dir);
    return rc;
}

/* It goes, and its folder. */
static void discard(struct tt_service *s, struct tt_sim *sim, const char *why)
{
    char *dir = tt_strdup(sim->dir);

    tt_sim_free(s, sim, why);
    if (dir)
        (void)!tt_dir_remove_plain(dir,
                                   NULL); /* what stays goes with the session */
    tt_free(dir);
}

static void start(struct tt_service *s, struct tt_request *r,
                  const struct wish *w)
{
    struct tt_sim *sim = NULL;
    tt_err err;
    enum tt_code rc = make(s, r->place.session, &sim, &err);

    if (rc == TT_OK)
        rc = tt_study_set(sim, json_string_value(w->kind), w->options, &err);
    if (rc == TT_OK)
        rc = furnish(sim, w, &r->body, &err);
    if (rc == TT_OK)
        rc = tt_sim_submit(s, sim, &err);
    if (rc == TT_OK)
        tt_api_put_run(&r->answer.body, s, sim);
    else if (sim)
        discard(s, sim, "it could not be started");
    tt_api_answer_new(r, rc, &err);
}

void tt_api_run_new(struct tt_service *s, struct tt_request *r)
{
    struct wish w;
    const struct tt_api_member member[] = {
        {"name", JSON_STRING, &w.name},       {"set", JSON_OBJECT, &w.set},
        {"stepwise", JSON_TRUE, &w.stepwise}, {"kind", JSON_STRING, &w.kind},
        {"options", JSON_OBJECT, &w.options}, {0},
    };
    json_t *body = tt_api_body_of_new(s, r, member, tt_sim_may_come);

    if (body)
        start(s, r, &w);
    json_decref(body);
}

/* --- naming, looking at them, ending them
 * ----------------------------------------- */

void tt_api_runs(struct tt_service *s, struct tt_request *r)
{
    tt_api_put_runs(&r->answer.body, s, r->place.session);
    tt_answer_json(&r->answer, 200);
}

void tt_api_run_get(struct tt_service *s, struct tt_request *r)
{
    tt_api_put_run(&r->answer.body, s, r->place.run);
    tt_answer_json(&r->answer, 200);
}

/* Both are kept, or none. */
static enum tt_code rename_run(struct tt_sim *sim, const json_t *name,
                               const json_t *note, tt_err *err)
{
    struct tt_sim was = *sim;
    enum tt_code rc;

    rc = tt_api_text(name, TT_API_NAME, &sim->name, err);
    if (rc == TT_OK)
        rc = tt_api_text(note, TT_API_NOTE, &sim->note, err);
    if (rc == TT_OK)
        rc = tt_store_sim(sim, err);
    tt_api_either(rc == TT_OK, &sim->name, was.name);
    tt_api_either(rc == TT_OK, &sim->note, was.note);
    return rc;
}

void tt_api_run_put(struct tt_service *s, struct tt_request *r)
{
    const json_t *name, *note;
    const struct tt_api_member member[] = {
        {"name", JSON_STRING, &name},
        {"note", JSON_STRING, &note},
        {0},
    };
    json_t *body = tt_api_body(r, member);
    tt_err err;

    if (!body)
        return;
    if (rename_run(r->place.run, name, note, &err) == TT_OK)
        tt_api_run_get(s, r);
    else
        tt_answer_err(&r->answer, &err);
    json_decref(body);
}

void tt_api_run_delete(struct tt_service *s, struct tt_request *r)
{
    discard(s, r->place.run, "the run was deleted");
    r->place.run = NULL;
    tt_answer_nothing(&r->answer);
}
