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

/* The scenario of the run: the stored text, with `set` laid over. What a
 * reader would like to know of it goes to sim. */
static enum tt_code compose(struct tt_sim *sim, struct tt_buf *text,
                            const json_t *set, tt_err *err)
{
    char *over = set ? json_dumps(set, JSON_COMPACT) : NULL;
    const struct tt_text_file f[2] = {
        {.path = TT_API_SCENARIO, .text = text->data, .n = text->len},
        {.path = "set", .text = over, .n = over ? strlen(over) : 0}};
    tt_arena *arena = tt_arena_new();
    struct tt_doc doc = {0}, more = {0};
    enum tt_code rc = arena && (over || !set)
                          ? tt_doc_parse(&doc, &f[0], 0, arena, arena, err)
                          : tt_nomem(err, "a run");

    if (rc == TT_OK && over)
        rc = tt_doc_parse(&more, &f[1], 1, arena, arena, err);
    if (rc == TT_OK && over)
        rc = tt_doc_merge(&doc, &more, arena, err);
    if (rc == TT_OK && over) {
        tt_buf_clear(text);
        tt_doc_print(text, &doc);
        tt_buf_char(text, '\n');
        rc = tt_buf_check(text, "a scenario", err);
    }
    if (rc == TT_OK) {
        sim->start = tt_doc_number(tt_doc_find(&doc, "startTime"), (double)NAN);
        sim->end = tt_doc_number(tt_doc_find(&doc, "endTime"), (double)NAN);
        sim->traced = varies(&doc);
    }
    tt_arena_free(arena);
    free(over);
    return rc;
}

/* --- starting ------------------------------------------------------------- */

struct wish {
    const json_t *name, *set, *stepwise;
};

/* Its scenario in its folder. */
static enum tt_code furnish(struct tt_sim *sim, const struct wish *w,
                            tt_err *err)
{
    char *path = tt_sim_path(sim, TT_API_SCENARIO);
    struct tt_buf text;
    enum tt_code rc;

    tt_buf_init(&text, TT_BODY_MAX);
    rc = path ? tt_api_scenario_read(sim->session, &text, err)
              : tt_nomem(err, "a run");
    if (rc == TT_OK)
        rc = compose(sim, &text, w->set, err);
    if (rc == TT_OK)
        rc = tt_api_name(w->name, &sim->name, err);
    if (rc == TT_OK)
        rc = tt_file_replace(path, text.data, text.len, err);
    sim->stepwise = json_is_true(w->stepwise);
    sim->config[0] = TT_API_SCENARIO;
    tt_buf_fini(&text);
    tt_free(path);
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

void tt_api_run_new(struct tt_service *s, struct tt_request *r)
{
    struct wish w;
    const struct tt_api_member member[] = {
        {"name", JSON_STRING, &w.name},
        {"set", JSON_OBJECT, &w.set},
        {"stepwise", JSON_TRUE, &w.stepwise},
        {0},
    };
    json_t *body = tt_api_body(r, member);
    struct tt_sim *sim = NULL;
    enum tt_code rc;
    tt_err err;

    if (!body)
        return;
    if (!tt_sim_may_come(s, &r->answer)) {
        json_decref(body);
        return;
    }
    rc = make(s, r->place.session, &sim, &err);
    if (rc == TT_OK)
        rc = furnish(sim, &w, &err);
    if (rc == TT_OK)
        rc = tt_sim_submit(s, sim, &err);
    json_decref(body);
    if (rc == TT_OK) {
        tt_api_put_run(&r->answer.body, s, sim);
        tt_answer_json(&r->answer, 201);
        return;
    }
    if (sim)
        discard(s, sim, "it could not be started");
    tt_answer_err(&r->answer, &err);
}

/* --- looking at them, ending them ----------------------------------------- */

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

void tt_api_run_delete(struct tt_service *s, struct tt_request *r)
{
    discard(s, r->place.run, "the run was deleted");
    r->place.run = NULL;
    tt_answer_nothing(&r->answer);
}
