/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "serve/serve_impl.h"
#include "sys/file.h"

/* Maestro's endpoints. A session has one simulation, under Maestro's names of
 * the files, in a folder that is new each time. */

#define CONFIG_FILE TT_MAESTRO_CONFIG
#define BODY_FILE   TT_MAESTRO_BODY

json_t *tt_maestro_load(const struct tt_session *ses, const char *name)
{
    char *path = tt_session_path(ses, name);
    json_t *v = NULL;
    struct tt_buf b;

    tt_buf_init(&b, TT_BODY_MAX);
    if (path && tt_file_read_plain(&b, path, NULL) == TT_OK)
        v = json_loadb(b.data ? b.data : "", b.len, 0, NULL);
    tt_buf_fini(&b);
    tt_free(path);
    return v;
}

/* --- states --------------------------------------------------------------- */

static void answer_status(struct tt_service *s, struct tt_request *r)
{
    (void)s;
    tt_dialect_put_state(&r->answer.body, r->place.session);
    tt_dialect_states(&r->answer);
}

static void answer_all(struct tt_service *s, struct tt_request *r)
{
    struct tt_buf *b = &r->answer.body;

    tt_buf_char(b, '[');
    for (struct tt_session *ses = s->session; ses; ses = ses->next) {
        tt_dialect_put_state(b, ses);
        tt_buf_str(b, ses->next ? "," : "");
    }
    tt_buf_char(b, ']');
    tt_dialect_states(&r->answer);
}

/* --- sessions ------------------------------------------------------------- */

static void answer_ping(struct tt_service *s, struct tt_request *r)
{
    (void)s;
    tt_answer_text(&r->answer, "OK");
}

static void answer_version(struct tt_service *s, struct tt_request *r)
{
    tt_dialect_version(&r->answer, s->opts->version);
}

static void answer_create(struct tt_service *s, struct tt_request *r)
{
    struct tt_session *ses;
    tt_err err;

    if (!tt_session_may_come(s, &r->answer))
        return;
    if (tt_session_new(s, &ses, &err) == TT_OK)
        tt_dialect_created(&r->answer, ses);
    else
        tt_answer_err(&r->answer, &err);
}

static void answer_destroy(struct tt_service *s, struct tt_request *r)
{
    char words[128];

    snprintf(words, sizeof(words), "Session %s destroyed",
             r->place.session->id);
    tt_session_end(s, r->place.session, "it was destroyed");
    tt_dialect_done(&r->answer, words);
}

static void answer_upload(struct tt_service *s, struct tt_request *r)
{
    (void)s;
    if (tt_form_keep(r) == 0)
        tt_dialect_done(&r->answer, "Files uploaded..");
}

/* --- initialize ----------------------------------------------------------- */

static enum tt_code not_while_it_runs(const struct tt_session *ses, tt_err *err)
{
    if (!tt_sim_is_busy(ses->sim))
        return TT_OK;
    return tt_fail(err, TT_ESTATE, "session '%s' is simulating; stop it first",
                   ses->id);
}

/* The configuration is good: keep it. */
static enum tt_code keep(struct tt_session *ses, const struct tt_buf *body,
                         tt_err *err)
{
    enum tt_code rc = not_while_it_runs(ses, err);

    if (rc == TT_OK)
        rc = tt_session_put(ses, CONFIG_FILE, body->data, body->len, err);
    if (rc != TT_OK)
        return rc;
    ses->initialized = 1;
    ses->sim->state = TT_SIM_IDLE;
    rc = tt_store_sim(ses->sim, err);
    return rc == TT_OK ? tt_store_session(ses, err) : rc;
}

/* Maestro 1 counts all of it as its own failure. */
static void not_initialized(struct tt_request *r, unsigned status,
                            const char *why)
{
    struct tt_answer *a = &r->answer;
    struct tt_buf words;

    tt_buf_init(&words, TT_BODY_MAX);
    tt_session_hide(r->place.session, why, &words);
    tt_answer_error(a, a->dialect == TT_DIALECT_MAESTRO1 ? 500 : status, "%s",
                    words.len ? words.data
                              : "the configuration cannot be read");
    tt_buf_fini(&words);
}

static void initialized(struct tt_service *s, struct tt_request *r,
                        const struct tt_job_result *res)
{
    struct tt_buf levels;
    tt_err err;

    (void)s;
    if (res->code != 0) {
        not_initialized(r, res->code == 2 ? 400 : 500,
                        res->err.len ? res->err.data : "");
        return;
    }
    tt_job_read(res, &levels);
    if (keep(r->place.session, &r->body, &err) == TT_OK)
        tt_dialect_initialized(&r->answer, r->place.session, &levels,
                               res->err.len ? res->err.data : "");
    else
        not_initialized(r, tt_answer_status(err.code), err.msg);
    tt_buf_fini(&levels);
}

static void answer_initialize(struct tt_service *s, struct tt_request *r)
{
    struct tt_session *ses = r->place.session;
    const char *const arg[] = {"serve",
                               "--levels",
                               CONFIG_FILE,
                               "--dir",
                               ses->dir,
                               "--dialect",
                               s->opts->maestro1 ? "maestro1" : "maestro2",
                               s->opts->local_files ? NULL : "--confined",
                               NULL};
    const struct tt_job_spec job = {.arg = arg,
                                    .file = CONFIG_FILE,
                                    .text = r->body.len ? r->body.data : "",
                                    .text_n = r->body.len,
                                    .done = initialized};
    tt_err err;
    enum tt_code rc = not_while_it_runs(ses, &err);

    if (rc == TT_OK)
        rc = tt_job_start(s, r, &job, &err);
    if (rc != TT_OK)
        not_initialized(r, tt_answer_status(rc), err.msg);
}

/* --- simulate ------------------------------------------------------------- */

static enum tt_code read_time(const json_t *body, const char *name, double *out,
                              tt_err *err)
{
    const json_t *v = json_object_get(body, name);

    *out = (double)NAN;
    if (!v || json_is_null(v))
        return TT_OK;
    if (!json_is_number(v))
        return tt_fail(err, TT_EINPUT, BODY_FILE ": '%s' must be a number",
                       name);
    *out = json_number_value(v);
    return TT_OK;
}

static enum tt_code read_body(struct tt_sim *sim, const char *text, size_t n,
                              tt_err *err)
{
    json_error_t where;
    json_t *body = json_loadb(text, n, JSON_REJECT_DUPLICATES, &where);
    enum tt_code rc;

    if (!body)
        return tt_fail(err, TT_EINPUT, BODY_FILE ":%d:%d: %s", where.line,
                       where.column, where.text);
    if (json_is_object(body))
        rc = read_time(body, "startTime", &sim->start, err);
    else
        rc = tt_fail(err, TT_EINPUT, BODY_FILE ": must be an object");
    if (rc == TT_OK)
        rc = read_time(body, "endTime", &sim->end, err);
    json_decref(body);
    return rc;
}

static double either(double given, const json_t *config, const char *name)
{
    const json_t *v = json_object_get(config, name);

    return isnan(given) && json_is_number(v) ? json_number_value(v) : given;
}

static enum tt_code read_config(const struct tt_session *ses, struct tt_buf *b,
                                tt_err *err)
{
    char *path = tt_session_path(ses, CONFIG_FILE);
    enum tt_code rc =
        path ? tt_file_read_plain(b, path, err) : tt_nomem(err, "a session");

    tt_free(path);
    return rc;
}

/* Times the body leaves to the configuration: progress is counted by them. */
static void read_times(struct tt_session *ses)
{
    json_t *config = tt_maestro_load(ses, CONFIG_FILE);

    ses->sim->start = either(ses->sim->start, config, "startTime");
    ses->sim->end = either(ses->sim->end, config, "endTime");
    json_decref(config);
}

/* A new folder for its run, with what to run. */
static enum tt_code furnish(const struct tt_session *ses, const char *body,
                            size_t n, tt_err *err)
{
    struct tt_buf config;
    enum tt_code rc = tt_dir_remove_plain(ses->sim->dir, err);

    if (rc == TT_OK)
        rc = tt_dir_make_new(ses->sim->dir, err);
    tt_buf_init(&config, TT_BODY_MAX);
    if (rc == TT_OK)
        rc = read_config(ses, &config, err);
    if (rc == TT_OK)
        rc = tt_session_put(ses, TT_MAESTRO_RUN "/" CONFIG_FILE, config.data,
                            config.len, err);
    if (rc == TT_OK)
        rc = tt_session_put(ses, TT_MAESTRO_RUN "/" BODY_FILE, body, n, err);
    tt_buf_fini(&config);
    return rc;
}

/* Keep the body, and join the queue. */
static enum tt_code submit(struct tt_service *s, struct tt_session *ses,
                           const struct tt_buf *body, tt_err *err)
{
    const char *text = body->len ? body->data : "{}";
    size_t n = body->len ? body->len : 2;
    enum tt_code rc;

    if (!ses->initialized)
        return tt_fail(err, TT_ESTATE, "session '%s' is not initialized",
                       ses->id);
    if (tt_sim_is_busy(ses->sim))
        return tt_fail(err, TT_ESTATE, "session '%s' is simulating already",
                       ses->id);
    rc = read_body(ses->sim, text, n, err);
    if (rc == TT_OK)
        rc = tt_session_put(ses, BODY_FILE, text, n, err);
    if (rc == TT_OK)
        rc = furnish(ses, text, n, err);
    if (rc != TT_OK)
        return rc;
    read_times(ses);
    ses->sim->config[0] = CONFIG_FILE;
    ses->sim->config[1] = BODY_FILE;
    return tt_sim_submit(s, ses->sim, err);
}

void tt_maestro_answer_waiting(struct tt_sim *sim)
{
    struct tt_request *r;

    while ((r = tt_request_next(&sim->waiting))) {
        tt_dialect_ended(&r->answer, sim);
        tt_request_send(r);
    }
}

static void answer_simulate(struct tt_service *s, struct tt_request *r)
{
    struct tt_session *ses = r->place.session;
    tt_err err;

    if (!tt_sim_may_come(s, &r->answer))
        return;
    if (submit(s, ses, &r->body, &err) != TT_OK)
        tt_answer_err(&r->answer, &err);
    else if (tt_sim_is_busy(ses->sim))
        tt_request_wait(r, &ses->sim->waiting);
    else
        tt_dialect_ended(&r->answer, ses->sim); /* it could not even begin */
}

static void answer_async(struct tt_service *s, struct tt_request *r)
{
    tt_err err;

    if (!tt_sim_may_come(s, &r->answer))
        return;
    if (submit(s, r->place.session, &r->body, &err) != TT_OK) {
        tt_answer_err(&r->answer, &err);
        return;
    }
    tt_dialect_put_state(&r->answer.body, r->place.session);
    r->answer.ready = 1;
}

static void answer_stop(struct tt_service *s, struct tt_request *r)
{
    struct tt_sim *sim = r->place.session->sim;
    int waited = sim->state == TT_SIM_QUEUED;
    char words[128];

    tt_sim_stop(s, sim);
    if (waited) { /* nothing was simulated */
        sim->state = TT_SIM_IDLE;
        (void)!tt_store_sim(sim, NULL);
    }
    snprintf(words, sizeof(words), "Stopping simulation with session id: %s",
             r->place.session->id);
    tt_dialect_done(&r->answer, words);
}

/* --- results -------------------------------------------------------------- */

static void answer_result(struct tt_service *s, struct tt_request *r)
{
    const struct tt_session *ses = r->place.session;
    char *path = tt_sim_path(ses->sim, TT_SIM_RESULTS);

    (void)s;
    if (!path || tt_answer_file(&r->answer, path, "text/plain") != 0)
        tt_answer_error(&r->answer, 404,
                        "session '%s' has no results yet (it is %s)", ses->id,
                        tt_dialect_state(ses));
    else
        r->answer.attach = "outputs.csv";
    tt_free(path);
}

#define ZIP_FILE "results.zip"

static void put_zip(struct tt_service *s, struct tt_request *r,
                    const struct tt_job_result *res)
{
    char *path = tt_path_join(res->folder, ZIP_FILE);

    (void)s;
    if (res->code != 0)
        tt_answer_error(&r->answer, 500, "%s",
                        res->err.len ? res->err.data : "packing failed");
    else if (!path || tt_answer_file(&r->answer, path, "application/zip") != 0)
        tt_answer_error(&r->answer, 500, "the packed results are not there");
    else
        r->answer.attach = ZIP_FILE;
    tt_free(path);
}

static void answer_zip(struct tt_service *s, struct tt_request *r)
{
    const char *const arg[] = {
        "serve", "--pack", ZIP_FILE, "--dir", r->place.session->dir, NULL};
    const struct tt_job_spec job = {.arg = arg, .done = put_zip};
    tt_err err;

    if (tt_job_start(s, r, &job, &err) != TT_OK)
        tt_answer_err(&r->answer, &err);
}

/* --- what Maestro 2 has besides ------------------------------------------- */

/* Every simulation is a process of its own already. */
static void answer_via_cli(struct tt_service *s, struct tt_request *r)
{
    json_error_t where;
    json_t *body =
        json_loadb(r->body.len ? r->body.data : "", r->body.len, 0, &where);

    (void)s;
    if (!json_is_boolean(json_object_get(body, "executeViaCLI")))
        tt_answer_error(&r->answer, 400,
                        "executeViaCLI needs {\"executeViaCLI\": true}, or "
                        "false; every simulation is a process of its own");
    else
        tt_answer_text(&r->answer, "");
    json_decref(body);
}

static void answer_unsupported(struct tt_service *s, struct tt_request *r)
{
    (void)s;
    tt_answer_error(&r->answer, 422,
                    "'%s' is of the scenario verifier, which is not supported: "
                    "tutti writes and proves the order of operations itself "
                    "(tutti score shows it); use /initialize and /simulate",
                    r->path);
}

/* What there is to ask for, as Maestro 1's manual page was. */
static void answer_api(struct tt_service *s, struct tt_request *r)
{
    (void)s;
    for (const struct tt_route *at = tt_routes_maestro1; at->pattern; at++)
        tt_buf_fmt(&r->answer.body, "/%s\n", at->pattern);
    tt_answer_text(&r->answer, "/attachSession/{session} (WebSocket)\n");
}

#define GET  TT_BIT(TT_GET)
#define POST TT_BIT(TT_POST)

#define ANY (GET | POST | TT_BIT(TT_PUT))

const struct tt_route tt_routes_maestro[] = {
    {"ping", GET, answer_ping, NULL},
    {"version", GET, answer_version, NULL},
    {"createSession", GET, answer_create, NULL},
    {"initialize/{session}", POST, answer_initialize, NULL},
    {"simulate/{session}", POST, answer_simulate, NULL},
    {"simulateasync/{session}", POST, answer_async, NULL},
    {"stopsimulation/{session}", GET | POST, answer_stop, NULL},
    {"status/{session}", GET, answer_status, NULL},
    {"status", GET, answer_all, NULL},
    {"result/{session}/plain", GET, answer_result, NULL},
    {"result/{session}/zip", GET, answer_zip, NULL},
    {"upload/{session}", POST, answer_upload, tt_form_open},
    {"destroy/{session}", GET, answer_destroy, NULL},
    {"executeViaCLI/{session}", POST, answer_via_cli, NULL},
    {"sigverSimulate/{session}", POST, answer_unsupported, NULL},
    {"generateAlgorithmFromScenario", POST, answer_unsupported, NULL},
    {"generateAlgorithmFromMultiModel", POST, answer_unsupported, NULL},
    {"verifyAlgorithm", POST, answer_unsupported, NULL},
    {"visualizeTrace", POST, answer_unsupported, NULL},
    {"executeAlgorithm", POST, answer_unsupported, NULL},
    {0},
};

/* Maestro 1 does not care how it is asked. */
const struct tt_route tt_routes_maestro1[] = {
    {"api", ANY, answer_api, NULL},
    {"ping", ANY, answer_ping, NULL},
    {"version", ANY, answer_version, NULL},
    {"createSession", ANY, answer_create, NULL},
    {"initialize/{session}", ANY, answer_initialize, NULL},
    {"simulate/{session}", ANY, answer_simulate, NULL},
    {"simulateasync/{session}", ANY, answer_async, NULL},
    {"stopsimulation/{session}", ANY, answer_stop, NULL},
    {"status/{session}", ANY, answer_status, NULL},
    {"status", ANY, answer_all, NULL},
    {"result/{session}", ANY, answer_result, NULL},
    {"result/{session}/plain", ANY, answer_result, NULL},
    {"result/{session}/zip", ANY, answer_zip, NULL},
    {"upload/{session}", ANY, answer_upload, tt_form_open},
    {"destroy/{session}", ANY, answer_destroy, NULL},
    {0},
};
