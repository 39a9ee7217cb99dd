/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/show.h"
#include "serve/api_impl.h"
#include "sys/clock.h"
#include "sys/file.h"

/* --- values --------------------------------------------------------------- */

static void put_member(struct tt_buf *b, const char *name, const char *text)
{
    tt_buf_fmt(b, ",\"%s\":", name);
    tt_buf_json(b, text);
}

static void put_number(struct tt_buf *b, const char *name, double v)
{
    tt_buf_fmt(b, ",\"%s\":", name);
    tt_show_json_num(b, v);
}

/* 0: not yet */
static void put_time(struct tt_buf *b, const char *name, uint64_t wall_ms)
{
    char iso[TT_CLOCK_ISO_SIZE];

    tt_clock_iso(wall_ms, iso);
    put_member(b, name, wall_ms ? iso : NULL);
}

/* --- runs ----------------------------------------------------------------- */

/* "instance '{k}.i': crashed": the unit named first is the cause. */
static void put_culprit(struct tt_buf *b, const struct tt_sim *sim)
{
    static const char lead[] = "instance '";
    const char *at = strstr(sim->msg, lead), *end;
    char *name = NULL;

    if (at && sim->state == TT_SIM_FAILED) {
        at += sizeof(lead) - 1;
        end = strchr(at, '\'');
        name = *at == '{' && end ? tt_strdup(at) : NULL;
        if (name)
            name[end - at] = '\0';
    }
    put_member(b, "unit", name);
    tt_free(name);
}

/* How many turns until it is its own; 0: it does not wait. */
static unsigned turns_left(const struct tt_service *s, const struct tt_sim *sim)
{
    unsigned n = 1;

    if (sim->state != TT_SIM_QUEUED)
        return 0;
    for (const struct tt_sim *k = s->sim; k; k = k->next)
        n += k->state == TT_SIM_QUEUED && k->turn < sim->turn;
    return n;
}

static double wall_seconds(const struct tt_sim *sim)
{
    if (!sim->started_ms)
        return (double)NAN;
    if (sim->pid)
        return (double)(tt_clock_ns() - sim->begun_ns) * 1e-9;
    return (double)sim->exec_ms * 1e-3;
}

void tt_api_put_run(struct tt_buf *b, const struct tt_service *s,
                    const struct tt_sim *sim)
{
    unsigned place = turns_left(s, sim);
    double time = tt_sim_time(sim);
    char words[256] = "";

    if (sim->study && sim->pid)
        (void)tt_study_progress(sim, words, sizeof(words));
    tt_buf_fmt(b, "{\"id\":%u,\"session\":\"%s\"", sim->id, sim->session->id);
    put_member(b, "kind", tt_study_name(sim->study));
    put_member(b, "name", sim->name);
    put_member(b, "note", sim->note);
    put_member(b, "state", tt_sim_state_name(sim->state));
    tt_buf_fmt(b, ",\"revision\":%u", sim->revision);
    put_number(b, "progress", tt_sim_progress_at(sim, time));
    put_number(b, "time", time);
    put_number(b, "start", sim->start);
    put_number(b, "end", sim->end);
    put_time(b, "queued", sim->queued_ms);
    put_time(b, "begun", sim->started_ms);
    put_time(b, "ended", sim->ended_ms);
    put_number(b, "wall_seconds", wall_seconds(sim));
    put_member(b, "message", sim->msg[0] ? sim->msg : words[0] ? words : NULL);
    put_culprit(b, sim);
    put_number(b, "place", place ? place : (double)NAN);
    tt_buf_fmt(b, ",\"stepwise\":%s", sim->stepwise ? "true" : "false");
    tt_buf_str(b, ",\"warnings\":");
    tt_warned_put(b, sim);
    tt_buf_char(b, '}');
}

static int by_id(const void *a, const void *b)
{
    const struct tt_sim *const *x = a, *const *y = b;

    return (*x)->id < (*y)->id ? -1 : (*x)->id > (*y)->id;
}

void tt_api_put_runs(struct tt_buf *b, const struct tt_service *s,
                     const struct tt_session *ses)
{
    const struct tt_sim **run = NULL;
    size_t n = 0, cap = 0;

    for (const struct tt_sim *k = s->sim; k; k = k->next) {
        if (k->session != ses || !k->id)
            continue;
        if (TT_GROW(run, n, cap) != 0) {
            b->failed = 1;
            break;
        }
        run[n++] = k;
    }
    if (n)
        qsort(run, n, sizeof(*run), by_id);
    tt_buf_char(b, '[');
    for (size_t i = 0; i < n; i++) {
        tt_buf_str(b, i ? "," : "");
        tt_api_put_run(b, s, run[i]);
    }
    tt_buf_char(b, ']');
    tt_free(run);
}

/* --- sessions ------------------------------------------------------------- */

struct listing {
    struct tt_buf *b;
    const char *dir;
    unsigned n;
};

static enum tt_code put_file(void *ctx, const char *name, tt_err *err)
{
    struct listing *l = ctx;
    char *path = tt_api_name_refused(name) ? NULL : tt_path_join(l->dir, name);
    uint64_t size;
    int fd = path ? tt_file_open_plain(path, &size) : -1;

    (void)err;
    if (fd >= 0) {
        (void)close(fd);
        tt_buf_str(l->b, l->n++ ? ",{\"name\":" : "{\"name\":");
        tt_buf_json(l->b, name);
        tt_buf_fmt(l->b, ",\"size\":%llu}", (unsigned long long)size);
    }
    tt_free(path);
    return TT_OK;
}

static void put_files(struct tt_buf *b, const struct tt_session *ses)
{
    struct listing l = {.b = b, .dir = ses->dir};

    tt_buf_str(b, ",\"files\":[");
    (void)!tt_dir_list(ses->dir, put_file, &l, NULL); /* what can be seen */
    tt_buf_char(b, ']');
}

void tt_api_put_session(struct tt_buf *b, const struct tt_service *s,
                        const struct tt_session *ses)
{
    char *scenario = tt_session_path(ses, TT_API_SCENARIO);

    tt_buf_fmt(b, "{\"id\":\"%s\"", ses->id);
    put_member(b, "name", ses->name);
    put_member(b, "folder", s->opts->loopback ? ses->dir : NULL);
    put_time(b, "created", ses->created_ms);
    tt_buf_fmt(b, ",\"scenario\":%s",
               scenario && tt_file_exists(scenario) ? "true" : "false");
    tt_free(scenario);
    put_files(b, ses);
    tt_buf_str(b, ",\"runs\":");
    tt_api_put_runs(b, s, ses);
    put_member(b, "maestro", tt_dialect_state(ses));
    tt_buf_char(b, '}');
}

/* --- bodies --------------------------------------------------------------- */

static const char *member_name(const void *ctx, size_t i)
{
    return ((const struct tt_api_member *)ctx)[i].name;
}

static int is_of(const json_t *v, json_type type)
{
    if (json_is_null(v))
        return 1;
    if (type == JSON_TRUE)
        return json_is_boolean(v);
    if (type == JSON_REAL)
        return json_is_number(v);
    return json_typeof(v) == type;
}

static const char *type_name(json_type type)
{
    switch ((int)type) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
        return "a whole number";
    case JSON_TRUE:
        return "true or false";
    default:
        return "a number";
    }
}

static int take_member(struct tt_request *r, const char *key, const json_t *v,
                       const struct tt_api_member *member)
{
    const char *near;
    size_t n = 0;

    for (; member[n].name; n++) {
        if (strcmp(member[n].name, key) != 0)
            continue;
        if (!is_of(v, member[n].type)) {
            tt_answer_error(&r->answer, 400, "'%s' must be %s", key,
                            type_name(member[n].type));
            return -1;
        }
        *member[n].to = json_is_null(v) ? NULL : v;
        return 0;
    }
    near = tt_names_nearest(key, n, member_name, member);
    tt_answer_error(&r->answer, 400, "there is no '%s' here%s%s%s", key,
                    near ? "; did you mean '" : "", near ? near : "",
                    near ? "'?" : "");
    return -1;
}

json_t *tt_api_body(struct tt_request *r, const struct tt_api_member *member)
{
    const char *text = r->body.len ? r->body.data : "{}", *key;
    json_error_t where;
    json_t *body = json_loadb(text, r->body.len ? r->body.len : 2,
                              JSON_REJECT_DUPLICATES, &where);
    json_t *v;

    for (size_t i = 0; member[i].name; i++)
        *member[i].to = NULL;
    if (!body) {
        tt_answer_error(&r->answer, 400, "the body, line %d, column %d: %s",
                        where.line, where.column, where.text);
        return NULL;
    }
    if (!json_is_object(body)) {
        tt_answer_error(&r->answer, 400, "the body must be an object");
        json_decref(body);
        return NULL;
    }
    json_object_foreach(body, key, v)
    {
        if (take_member(r, key, v, member) != 0) {
            json_decref(body);
            return NULL;
        }
    }
    return body;
}

json_t *tt_api_body_text(struct tt_request *r, const char *name,
                         const json_t **text)
{
    const struct tt_api_member member[] = {{name, JSON_STRING, text}, {0}};

    return tt_api_body(r, member);
}

void tt_api_answer_new(struct tt_request *r, enum tt_code rc, const tt_err *err)
{
    if (rc == TT_OK)
        tt_answer_json(&r->answer, 201);
    else
        tt_answer_err(&r->answer, err);
}

json_t *tt_api_body_of_new(struct tt_service *s, struct tt_request *r,
                           const struct tt_api_member *member,
                           int (*may_come)(const struct tt_service *s,
                                           struct tt_answer *a))
{
    json_t *body = tt_api_body(r, member);

    if (!body || may_come(s, &r->answer))
        return body;
    json_decref(body);
    return NULL;
}
