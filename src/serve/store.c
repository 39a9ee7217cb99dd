/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/show.h"
#include "serve/serve_impl.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/user.h"

#define RECORD_MAX ((size_t)65536)

static const char *const state_word[] = {
    [TT_SIM_IDLE] = "idle",
    [TT_SIM_QUEUED] = "queued",
    [TT_SIM_RUNNING] = "running",
    [TT_SIM_PAUSED] = "paused",
    [TT_SIM_STOPPING] = "stopping",
    [TT_SIM_FINISHED] = "finished",
    [TT_SIM_STOPPED] = "stopped",
    [TT_SIM_FAILED] = "failed",
    [TT_SIM_INTERRUPTED] = "interrupted",
};
#define STATES (sizeof(state_word) / sizeof(*state_word))

const char *tt_sim_state_name(enum tt_sim_state state)
{
    return state_word[state];
}

/* --- writing -------------------------------------------------------------- */

static enum tt_code put_record(const char *dir, const char *name,
                               struct tt_buf *b, tt_err *err)
{
    char *path = tt_path_join(dir, name);
    enum tt_code rc = path ? tt_buf_check(b, "a record", err)
                           : tt_fail(err, TT_ENOMEM, "%s: out of memory", name);

    if (rc == TT_OK)
        rc = tt_file_replace(path, b->data, b->len, err);
    tt_free(path);
    tt_buf_fini(b);
    return rc;
}

static void put_text(struct tt_buf *b, const char *key, const char *text)
{
    tt_buf_fmt(b, ",\n \"%s\": ", key);
    tt_buf_json(b, text);
}

static void put_count(struct tt_buf *b, const char *key, uint64_t n)
{
    tt_buf_fmt(b, ",\n \"%s\": %llu", key, (unsigned long long)n);
}

enum tt_code tt_store_session(const struct tt_session *ses, tt_err *err)
{
    struct tt_buf b;

    tt_buf_init(&b, RECORD_MAX);
    tt_buf_str(&b, "{\"record\": \"session\"");
    put_text(&b, "id", ses->id);
    put_text(&b, "name", ses->name);
    put_count(&b, "created_ms", ses->created_ms);
    put_count(&b, "last_run", ses->last_run);
    tt_buf_fmt(&b, ",\n \"initialized\": %s}\n",
               ses->initialized ? "true" : "false");
    return put_record(ses->dir, TT_STORE_SESSION, &b, err);
}

enum tt_code tt_store_sim(const struct tt_sim *sim, tt_err *err)
{
    struct tt_buf b;

    tt_buf_init(&b, RECORD_MAX);
    tt_buf_str(&b, "{\"record\": \"run\"");
    put_count(&b, "id", sim->id);
    put_text(&b, "kind", tt_study_name(sim->study));
    put_text(&b, "name", sim->name);
    put_text(&b, "note", sim->note);
    put_text(&b, "state", tt_sim_state_name(sim->state));
    put_text(&b, "message", sim->msg);
    put_count(&b, "status", sim->status);
    put_count(&b, "exec_ms", sim->exec_ms);
    put_count(&b, "queued_ms", sim->queued_ms);
    put_count(&b, "started_ms", sim->started_ms);
    put_count(&b, "ended_ms", sim->ended_ms);
    tt_buf_fmt(&b, ",\n \"stepwise\": %s", sim->stepwise ? "true" : "false");
    tt_json_num(&b, ",\n \"start\": ", sim->start);
    tt_json_num(&b, ",\n \"end\": ", sim->end);
    tt_buf_str(&b, "}\n");
    return put_record(sim->dir, TT_STORE_RUN, &b, err);
}

/* --- reading -------------------------------------------------------------- */

/* The record in this folder, or NULL: none we understand. */
static json_t *load_record(const char *dir, const char *name, const char *kind)
{
    char *path = tt_path_join(dir, name);
    const char *is = NULL;
    json_t *v = NULL;
    struct tt_buf b;

    tt_buf_init(&b, RECORD_MAX);
    if (path && tt_file_read_plain(&b, path, NULL) == TT_OK)
        v = json_loadb(b.data ? b.data : "", b.len, 0, NULL);
    is = json_string_value(json_object_get(v, "record"));
    if (v && (!is || strcmp(is, kind) != 0)) {
        json_decref(v);
        v = NULL;
    }
    tt_free(path);
    tt_buf_fini(&b);
    return v;
}

static uint64_t get_count(const json_t *v, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(v, key));

    return n > 0 ? (uint64_t)n : 0;
}

static double get_number(const json_t *v, const char *key)
{
    const json_t *n = json_object_get(v, key);

    return json_is_number(n) ? json_number_value(n) : (double)NAN;
}

static enum tt_sim_state get_state(const json_t *v)
{
    const char *word = json_string_value(json_object_get(v, "state"));

    for (size_t i = 0; word && i < STATES; i++)
        if (strcmp(state_word[i], word) == 0)
            return (enum tt_sim_state)i;
    return TT_SIM_IDLE;
}

void tt_store_interrupt(struct tt_sim *sim)
{
    if (!tt_sim_is_busy(sim))
        return;
    snprintf(sim->msg, sizeof(sim->msg), "interrupted: the service ended %s",
             sim->state == TT_SIM_QUEUED ? "before its turn came"
                                         : "while it ran");
    sim->state = TT_SIM_INTERRUPTED;
    sim->status = 500;
    (void)!tt_store_sim(sim, NULL); /* else the next service finds it out */
}

static void read_sim(struct tt_sim *sim)
{
    json_t *v = load_record(sim->dir, TT_STORE_RUN, "run");
    const char *msg = json_string_value(json_object_get(v, "message"));
    char *temp = tt_sim_path(sim, TT_SIM_TEMP);

    sim->study = tt_study_find(json_string_value(json_object_get(v, "kind")));
    sim->name = tt_strdup(json_string_value(json_object_get(v, "name")));
    sim->note = tt_strdup(json_string_value(json_object_get(v, "note")));
    sim->state = get_state(v);
    sim->status = (unsigned)get_count(v, "status");
    sim->exec_ms = get_count(v, "exec_ms");
    sim->queued_ms = get_count(v, "queued_ms");
    sim->started_ms = get_count(v, "started_ms");
    sim->ended_ms = get_count(v, "ended_ms");
    sim->stepwise = json_is_true(json_object_get(v, "stepwise"));
    sim->start = get_number(v, "start");
    sim->end = get_number(v, "end");
    snprintf(sim->msg, sizeof(sim->msg), "%s", msg ? msg : "");
    json_decref(v);
    if (temp)
        (void)!tt_dir_remove_plain(temp, NULL);
    tt_free(temp);
    tt_store_interrupt(sim);
}

struct place {
    struct tt_service *s;
    struct tt_session *ses;
    const char *dir;
};

/* runs/N */
static enum tt_code load_run(void *ctx, const char *name, tt_err *err)
{
    const struct place *at = ctx;
    struct tt_sim *sim = NULL;
    enum tt_code rc = TT_OK;
    uint64_t id;
    char *dir;

    if (tt_num_parse_u64(name, &id) != 0 || id == 0 || id > UINT32_MAX ||
        name[0] == '0')
        return TT_OK;
    dir = tt_path_join(at->dir, name);
    rc = dir ? tt_sim_new(at->s, at->ses, dir, &sim, err)
             : tt_nomem(err, "a run");
    tt_free(dir);
    if (rc != TT_OK)
        return rc;
    sim->id = (unsigned)id;
    if (sim->id > at->ses->last_run)
        at->ses->last_run = sim->id;
    read_sim(sim);
    return TT_OK;
}

static enum tt_code load_runs(struct tt_service *s, struct tt_session *ses,
                              tt_err *err)
{
    char *dir = tt_session_path(ses, TT_STORE_RUNS);
    struct place at = {.s = s, .ses = ses, .dir = dir};
    enum tt_code rc = TT_OK;

    if (!dir)
        rc = tt_nomem(err, "a session");
    else if (tt_file_is_dir(dir))
        rc = tt_dir_list_plain(dir, load_run, &at, err);
    tt_free(dir);
    return rc;
}

static enum tt_code load_session(struct tt_service *s, const char *id,
                                 const json_t *v, tt_err *err)
{
    struct tt_session *ses;
    enum tt_code rc =
        tt_session_open(s, id, get_count(v, "created_ms"), &ses, err);

    if (rc != TT_OK)
        return rc;
    ses->name = tt_strdup(json_string_value(json_object_get(v, "name")));
    ses->last_run = (unsigned)get_count(v, "last_run");
    ses->initialized = json_is_true(json_object_get(v, "initialized"));
    read_sim(ses->sim);
    return load_runs(s, ses, err);
}

/* In the user's own folder, where programs come and go, what has no name is not
 * kept for ever: services may be short, but days pass between them as well. */
static int is_stale(const struct tt_service *s, const char *dir,
                    const json_t *v)
{
    uint64_t now = tt_clock_wall_ms(), then = tt_file_changed_ms(dir);

    if (s->opts->dir || s->opts->expire <= 0 || !then ||
        json_is_string(json_object_get(v, "name")))
        return 0;
    return now > then && (double)(now - then) * 1e-3 > s->opts->expire;
}

static enum tt_code load_entry(void *ctx, const char *name, tt_err *err)
{
    struct tt_service *s = ctx;
    char *dir = tt_session_is_id(name) ? tt_path_join(s->root, name) : NULL;
    json_t *v = dir ? load_record(dir, TT_STORE_SESSION, "session") : NULL;
    enum tt_code rc = TT_OK;

    if (v && is_stale(s, dir, v))
        (void)!tt_dir_remove(dir, NULL);
    else if (v)
        rc = load_session(s, name, v, err);
    json_decref(v);
    tt_free(dir);
    return rc == TT_OK ? rc : tt_context(err, rc, "session '%s'", name);
}

enum tt_code tt_store_load(struct tt_service *s, tt_err *err)
{
    return tt_dir_list_plain(s->root, load_entry, s, err);
}
