/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/say.h"
#include "fmi/fmu.h"
#include "scenario/scenario.h"
#include "serve/serve_impl.h"
#include "sys/file.h"

/* Maestro 2's endpoints. A session has one simulation, in the session's own
 * folder, under Maestro's names of the files. */

#define CONFIG_FILE "initialize.json"
#define BODY_FILE   "simulate.json"
#define STOPPED     "Simulation stopped by user"

/* Clients choose the dialect by the major number of the version: 2. */
#define DIALECT "2.0.0"

static enum tt_code store(const struct tt_session *ses, const char *name,
                          const char *data, size_t n, tt_err *err)
{
    char *path = tt_session_path(ses, name);
    enum tt_code rc = path
                          ? tt_file_write(path, data, n, err)
                          : tt_fail(err, TT_ENOMEM, "a session: out of memory");

    tt_free(path);
    return rc;
}

/* --- states --------------------------------------------------------------- */

/* Maestro's spelling; clients compare it. */
static const char *state_name(const struct tt_session *ses)
{
    static const char *const name[] = {
        [TT_SIM_IDLE] = "Initialized",   [TT_SIM_QUEUED] = "Simulating",
        [TT_SIM_RUNNING] = "Simulating", [TT_SIM_STOPPING] = "Stopping",
        [TT_SIM_FINISHED] = "Finished",  [TT_SIM_STOPPED] = "Finished",
        [TT_SIM_FAILED] = "Error",
    };

    return ses->initialized ? name[ses->sim->state] : "Unitialized";
}

static void put_state(struct tt_buf *b, const struct tt_session *ses)
{
    tt_buf_fmt(b,
               "{\"status\":\"%s\",\"sessionId\":\"%s\",\"lastExecTime\":%llu,"
               "\"progress\":",
               state_name(ses), ses->id, (unsigned long long)ses->sim->exec_ms);
    tt_say_json_num(b, tt_sim_progress(ses->sim));
    tt_buf_char(b, '}');
}

static void answer_status(struct tt_service *s, struct tt_request *r)
{
    (void)s;
    put_state(&r->answer.body, r->place.session);
    tt_answer_text(&r->answer, "");
}

static void answer_all(struct tt_service *s, struct tt_request *r)
{
    struct tt_buf *b = &r->answer.body;

    tt_buf_char(b, '[');
    for (struct tt_session *ses = s->session; ses; ses = ses->next) {
        put_state(b, ses);
        tt_buf_str(b, ses->next ? "," : "");
    }
    tt_buf_char(b, ']');
    tt_answer_text(&r->answer, "");
}

/* --- sessions ------------------------------------------------------------- */

static void answer_ping(struct tt_service *s, struct tt_request *r)
{
    (void)s;
    tt_answer_text(&r->answer, "OK");
}

static void answer_version(struct tt_service *s, struct tt_request *r)
{
    tt_buf_fmt(&r->answer.body, "{\"version\":\"" DIALECT "-tutti-%s\"}",
               s->opts->version);
    tt_answer_text(&r->answer, "");
}

static void answer_create(struct tt_service *s, struct tt_request *r)
{
    struct tt_session *ses;
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

static void answer_destroy(struct tt_service *s, struct tt_request *r)
{
    tt_session_end(s, r->place.session, "it was destroyed");
    tt_answer_text(&r->answer, "");
}

/* --- initialize ----------------------------------------------------------- */

static void category_json(struct tt_buf *b, const struct tt_md_category *c)
{
    tt_buf_str(b, "{\"name\":");
    tt_buf_json(b, c->name);
    tt_buf_str(b, ",\"description\":");
    if (c->description)
        tt_buf_json(b, c->description);
    else
        tt_buf_str(b, "null");
    tt_buf_char(b, '}');
}

/* A unit that is no FMU (a table, something built in) has no categories. */
static enum tt_code fmu_levels(struct tt_buf *b, const struct tt_sc_fmu *f,
                               tt_err *err)
{
    const struct tt_md *md;
    enum tt_code rc;
    tt_fmu *fmu;

    tt_buf_json(b, f->key);
    tt_buf_str(b, ":[");
    if (tt_scenario_is_fmu(f->path)) {
        rc = tt_fmu_open(&fmu, f->path, err);
        if (rc != TT_OK)
            return tt_context(err, rc, "FMU '%s'", f->key);
        md = tt_fmu_md(fmu);
        for (uint32_t i = 0; i < md->category_n; i++) {
            tt_buf_str(b, i ? "," : "");
            category_json(b, &md->category[i]);
        }
        tt_fmu_close(fmu);
    }
    tt_buf_char(b, ']');
    return TT_OK;
}

/* Check and keep the configuration. */
static enum tt_code initialize(struct tt_session *ses,
                               const struct tt_buf *body, struct tt_buf *levels,
                               tt_err *err)
{
    tt_scenario *sc = NULL;
    enum tt_code rc;

    if (tt_sim_is_busy(ses->sim))
        return tt_fail(err, TT_ESTATE,
                       "session '%s' is simulating; stop it first", ses->id);
    rc = tt_scenario_parse(&sc, CONFIG_FILE, ses->dir,
                           body->data ? body->data : "", body->len, NULL, NULL,
                           err);
    tt_buf_char(levels, '{');
    for (uint32_t i = 0; rc == TT_OK && i < sc->n_fmu; i++) {
        tt_buf_str(levels, i ? "," : "");
        rc = fmu_levels(levels, &sc->fmu[i], err);
    }
    tt_buf_char(levels, '}');
    tt_scenario_free(sc);
    if (rc == TT_OK)
        rc = store(ses, CONFIG_FILE, body->data, body->len, err);
    if (rc == TT_OK) {
        ses->initialized = 1;
        ses->sim->state = TT_SIM_IDLE;
    }
    return rc;
}

static void answer_initialize(struct tt_service *s, struct tt_request *r)
{
    struct tt_session *ses = r->place.session;
    struct tt_buf levels;
    tt_err err;

    (void)s;
    tt_buf_init(&levels, TT_BODY_MAX);
    if (initialize(ses, &r->body, &levels, &err) == TT_OK) {
        tt_buf_fmt(&r->answer.body,
                   "{\"status\":\"initialized\",\"sessionId\":\"%s\","
                   "\"lastExecTime\":%llu,\"availableLogLevels\":",
                   ses->id, (unsigned long long)ses->sim->exec_ms);
        tt_buf_add(&r->answer.body, levels.data, levels.len);
        tt_buf_str(&r->answer.body, ",\"warnings\":null,\"errors\":null}");
        r->answer.ready = 1;
    } else {
        tt_answer_err(&r->answer, &err);
    }
    tt_buf_fini(&levels);
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
        rc = store(ses, BODY_FILE, text, n, err);
    if (rc != TT_OK)
        return rc;
    ses->sim->config[0] = CONFIG_FILE;
    ses->sim->config[1] = BODY_FILE;
    return tt_sim_submit(s, ses->sim, err);
}

static void answer_simulate(struct tt_service *s, struct tt_request *r)
{
    struct tt_session *ses = r->place.session;
    tt_err err;

    if (submit(s, ses, &r->body, &err) != TT_OK)
        tt_answer_err(&r->answer, &err);
    else
        tt_request_wait(r, &ses->sim->waiting);
}

static void answer_async(struct tt_service *s, struct tt_request *r)
{
    tt_err err;

    if (submit(s, r->place.session, &r->body, &err) != TT_OK) {
        tt_answer_err(&r->answer, &err);
        return;
    }
    put_state(&r->answer.body, r->place.session);
    r->answer.ready = 1;
}

static void put_completed(struct tt_answer *a, const struct tt_sim *sim)
{
    struct tt_buf warnings;

    tt_buf_init(&warnings, TT_BODY_MAX);
    tt_sim_warnings(sim, &warnings);
    tt_buf_fmt(&a->body,
               "{\"status\":\"Simulation completed\",\"sessionId\":\"%s\","
               "\"lastExecTime\":%llu,\"errors\":[],\"warnings\":[%s]}",
               sim->session->id, (unsigned long long)sim->exec_ms,
               warnings.len ? warnings.data : "");
    a->ready = 1;
    tt_buf_fini(&warnings);
}

void tt_maestro_answer_waiting(struct tt_sim *sim)
{
    struct tt_request *r;

    while ((r = tt_request_next(&sim->waiting))) {
        if (sim->state == TT_SIM_FINISHED)
            put_completed(&r->answer, sim);
        else if (sim->state == TT_SIM_STOPPED)
            tt_answer_error(&r->answer, 500, STOPPED);
        else
            tt_answer_error(&r->answer, sim->status, "%s", sim->msg);
        tt_request_send(r);
    }
}

static void answer_stop(struct tt_service *s, struct tt_request *r)
{
    struct tt_sim *sim = r->place.session->sim;
    int waited = sim->state == TT_SIM_QUEUED;

    tt_sim_stop(s, sim);
    if (waited) /* nothing was simulated */
        sim->state = TT_SIM_IDLE;
    tt_answer_text(&r->answer, "");
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
                        state_name(ses));
    else
        r->answer.attach = "outputs.csv";
    tt_free(path);
}

#define GET  TT_BIT(TT_GET)
#define POST TT_BIT(TT_POST)

const struct tt_route tt_routes_maestro[] = {
    {"ping", GET, answer_ping},
    {"version", GET, answer_version},
    {"createSession", GET, answer_create},
    {"initialize/{session}", POST, answer_initialize},
    {"simulate/{session}", POST, answer_simulate},
    {"simulateasync/{session}", POST, answer_async},
    {"stopsimulation/{session}", GET | POST, answer_stop},
    {"status/{session}", GET, answer_status},
    {"status", GET, answer_all},
    {"result/{session}/plain", GET, answer_result},
    {"destroy/{session}", GET, answer_destroy},
    {0},
};
