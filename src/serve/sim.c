/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "fmi/fmu.h"
#include "scenario/scenario.h"
#include "serve/serve_impl.h"
#include "sys/child.h"
#include "sys/clock.h"
#include "sys/file.h"

/* A simulation is `tutti run` in the session's folder, with Maestro's names of
 * the files. What its units do to it they do not do to us. */
#define CONFIG_FILE  "initialize.json"
#define BODY_FILE    "simulate.json"
#define RESULT_FILE  "outputs.csv"
#define SUMMARY_FILE "summary.json"
#define LOG_FILE     "run.log"
#define TEMP_DIR     "temp" /* while it runs */

#define SUMMARY_MAX ((size_t)64 << 20)
#define LOG_MAX     ((size_t)4 << 20)

static enum tt_code no_memory(tt_err *err)
{
    return tt_fail(err, TT_ENOMEM, "session: out of memory");
}

static enum tt_code store(const struct tt_session *ses, const char *name,
                          const char *data, size_t n, tt_err *err)
{
    char *path = tt_session_path(ses, name);
    enum tt_code rc = path ? tt_file_write(path, data, n, err) : no_memory(err);

    tt_free(path);
    return rc;
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

enum tt_code tt_sim_initialize(struct tt_session *ses,
                               const struct tt_buf *body, struct tt_buf *levels,
                               tt_err *err)
{
    tt_scenario *sc = NULL;
    enum tt_code rc;

    if (ses->state == TT_SES_SIMULATING || ses->state == TT_SES_STOPPING)
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
    if (rc == TT_OK)
        ses->state = TT_SES_INITIALIZED;
    return rc;
}

/* --- submit --------------------------------------------------------------- */

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

static enum tt_code read_body(struct tt_session *ses, const char *text,
                              size_t n, tt_err *err)
{
    json_error_t where;
    json_t *body = json_loadb(text, n, JSON_REJECT_DUPLICATES, &where);
    enum tt_code rc;

    if (!body)
        return tt_fail(err, TT_EINPUT, BODY_FILE ":%d:%d: %s", where.line,
                       where.column, where.text);
    if (json_is_object(body))
        rc = read_time(body, "startTime", &ses->start, err);
    else
        rc = tt_fail(err, TT_EINPUT, BODY_FILE ": must be an object");
    if (rc == TT_OK)
        rc = read_time(body, "endTime", &ses->end, err);
    json_decref(body);
    return rc;
}

static enum tt_code discard(const struct tt_session *ses, const char *name,
                            tt_err *err)
{
    char *path = tt_session_path(ses, name);
    enum tt_code rc = path ? tt_dir_remove(path, err) : no_memory(err);

    tt_free(path);
    return rc;
}

/* Results of an earlier run must not pass for those of this one. */
static enum tt_code clear_results(const struct tt_session *ses, tt_err *err)
{
    static const char *const file[] = {RESULT_FILE, SUMMARY_FILE, LOG_FILE};
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < sizeof(file) / sizeof(*file); i++)
        rc = discard(ses, file[i], err);
    return rc;
}

enum tt_code tt_sim_submit(struct tt_service *s, struct tt_session *ses,
                           const struct tt_buf *body, tt_err *err)
{
    const char *text = body->len ? body->data : "{}";
    size_t n = body->len ? body->len : 2;
    enum tt_code rc;

    if (ses->state == TT_SES_NEW)
        return tt_fail(err, TT_ESTATE, "session '%s' is not initialized",
                       ses->id);
    if (ses->state == TT_SES_SIMULATING || ses->state == TT_SES_STOPPING)
        return tt_fail(err, TT_ESTATE, "session '%s' is simulating already",
                       ses->id);
    rc = read_body(ses, text, n, err);
    if (rc == TT_OK)
        rc = clear_results(ses, err);
    if (rc == TT_OK)
        rc = store(ses, BODY_FILE, text, n, err);
    if (rc != TT_OK)
        return rc;
    ses->state = TT_SES_SIMULATING;
    ses->turn = ++s->turn;
    tt_sim_tick(s);
    return TT_OK;
}

/* --- progress ------------------------------------------------------------- */

#define LAST_LINE ((long)65536)

/* The time in the last complete row; NaN: none yet. */
static double last_time(FILE *f)
{
    char data[LAST_LINE], *line;
    double t = (double)NAN;
    size_t n;

    if (fseek(f, -LAST_LINE, SEEK_END) != 0)
        rewind(f);
    n = fread(data, 1, sizeof(data), f);
    while (n > 0 && data[n - 1] != '\n')
        n--;
    if (n == 0)
        return t;
    data[n - 1] = '\0';
    line = strrchr(data, '\n');
    line = line ? line + 1 : data;
    if (tt_num_parse_n(line, strcspn(line, ","), &t) != 0)
        return (double)NAN;
    return t;
}

double tt_sim_progress(const struct tt_session *ses)
{
    double start = isnan(ses->start) ? 0 : ses->start, t, part;
    char *path;
    FILE *f;

    if (ses->state == TT_SES_FINISHED)
        return 1;
    if (ses->state < TT_SES_SIMULATING || isnan(ses->end))
        return 0;
    path = tt_session_path(ses, RESULT_FILE);
    f = path ? fopen(path, "rbe") : NULL;
    tt_free(path);
    if (!f)
        return 0;
    t = last_time(f);
    fclose(f);
    part = (t - start) / (ses->end - start);
    return part > 0 && part <= 1 ? part : 0;
}

/* --- the end of a run ----------------------------------------------------- */

struct ending {
    unsigned status; /* of the answer */
    char msg[TT_ERR_MAX];
    struct tt_buf warnings; /* elements of a JSON array */
};

static void read_file(const struct tt_session *ses, const char *name,
                      struct tt_buf *b)
{
    char *path = tt_session_path(ses, name);

    if (!path || tt_file_read(b, path, NULL) != TT_OK)
        tt_buf_clear(b);
    tt_free(path);
}

static void add_warnings(const struct tt_session *ses, struct tt_buf *out)
{
    struct tt_buf log;
    char *line, *end;

    tt_buf_init(&log, LOG_MAX);
    read_file(ses, LOG_FILE, &log);
    for (line = log.len ? log.data : NULL; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        tt_buf_str(out, out->len ? "," : "");
        tt_buf_json(out, line);
    }
    tt_buf_fini(&log);
}

/* Without a summary the process was killed from outside, or never began. */
static void no_summary(struct ending *e, const struct tt_proc_result *how)
{
    tt_err err;

    e->status = 500;
    if (how->how == TT_PROC_KILLED)
        tt_fail(&err, TT_ECRASH, "the process of the run was ended by %s",
                tt_signal_name(how->value));
    else
        tt_fail(&err, TT_ECRASH,
                "the process of the run ended with exit code %d and no words",
                how->value);
    memcpy(e->msg, err.msg, sizeof(e->msg));
}

static void judge(const json_t *summary, struct ending *e,
                  const struct tt_proc_result *how)
{
    const char *outcome =
        json_string_value(json_object_get(summary, "outcome"));
    const char *msg = json_string_value(json_object_get(summary, "message"));
    tt_err err;

    if (!outcome || !msg) {
        no_summary(e, how);
        return;
    }
    e->status = 200;
    if (how->how == TT_PROC_KILLED || how->value != 0)
        e->status = how->value == 2 ? 400 : 500;
    tt_fail(&err, TT_EUNIT, "%s", msg);
    memcpy(e->msg, err.msg, sizeof(e->msg));
}

static void conclude(const struct tt_session *ses, struct ending *e,
                     const struct tt_proc_result *how)
{
    struct tt_buf text;
    json_t *summary;

    tt_buf_init(&text, SUMMARY_MAX);
    read_file(ses, SUMMARY_FILE, &text);
    summary = text.len ? json_loadb(text.data, text.len, 0, NULL) : NULL;
    judge(summary, e, how);
    if (ses->state == TT_SES_STOPPING) {
        e->status = 500;
        memcpy(e->msg, "Simulation stopped by user",
               sizeof("Simulation stopped by user"));
    }
    json_decref(summary);
    tt_buf_fini(&text);
}

static void answer_waiting(struct tt_session *ses, const struct ending *e)
{
    while (ses->waiting) {
        struct tt_request *r = ses->waiting;
        struct tt_buf *b = &r->answer.body;

        ses->waiting = r->next;
        r->awaits = NULL;
        if (e->status == 200) {
            tt_buf_fmt(b,
                       "{\"status\":\"Simulation completed\",\"sessionId\":"
                       "\"%s\",\"lastExecTime\":%llu,\"errors\":[],"
                       "\"warnings\":[%s]}",
                       ses->id, (unsigned long long)ses->exec_ms,
                       e->warnings.len ? e->warnings.data : "");
            r->answer.ready = 1;
        } else {
            tt_answer_error(&r->answer, e->status, "%s", e->msg);
        }
        tt_request_send(r);
    }
}

static void finish(struct tt_session *ses, const struct tt_proc_result *how)
{
    struct ending e = {0};

    tt_buf_init(&e.warnings, 2 * LOG_MAX);
    ses->exec_ms = (tt_clock_ns() - ses->begun_ns) / 1000000u;
    conclude(ses, &e, how);
    if (ses->socket)
        tt_live_tick(ses);
    tt_live_end(ses);
    tt_sockets_end(ses, 0);
    (void)!discard(ses, TEMP_DIR, NULL); /* what stays goes with the session */
    add_warnings(ses, &e.warnings);
    if (ses->state == TT_SES_STOPPING || e.status == 200)
        ses->state = TT_SES_FINISHED;
    else
        ses->state = TT_SES_ERROR;
    answer_waiting(ses, &e);
    tt_buf_fini(&e.warnings);
}

/* --- the queue ------------------------------------------------------------ */

static void begin(struct tt_service *s, struct tt_session *ses)
{
    const char *const argv[] = {s->self,     "run",       "--json",  "--output",
                                RESULT_FILE, CONFIG_FILE, BODY_FILE, NULL};
    char *temp = tt_session_path(ses, TEMP_DIR);
    const struct tt_child_spec spec = {.argv = argv,
                                       .dir = ses->dir,
                                       .out = SUMMARY_FILE,
                                       .err = LOG_FILE,
                                       .temp = temp};
    struct ending e = {0};
    enum tt_code rc;
    tt_err err;

    ses->begun_ns = tt_clock_ns();
    rc = temp ? tt_dir_make(temp, &err) : no_memory(&err);
    if (rc == TT_OK)
        rc = tt_child_start(&spec, &ses->pid, &err);
    tt_free(temp);
    if (rc == TT_OK) {
        s->n_running++;
        return;
    }
    e.status = 500;
    memcpy(e.msg, err.msg, sizeof(e.msg));
    ses->pid = 0;
    ses->state = TT_SES_ERROR;
    answer_waiting(ses, &e);
}

/* The one that has waited longest, or NULL. */
static struct tt_session *first_waiting(struct tt_service *s)
{
    struct tt_session *first = NULL;

    for (struct tt_session *ses = s->session; ses; ses = ses->next)
        if (ses->state == TT_SES_SIMULATING && !ses->pid &&
            (!first || ses->turn < first->turn))
            first = ses;
    return first;
}

void tt_sim_tick(struct tt_service *s)
{
    struct tt_proc_result how;
    struct tt_session *ses;

    for (ses = s->session; ses; ses = ses->next) {
        if (ses->pid && ses->socket)
            tt_live_tick(ses);
        if (ses->pid && tt_child_poll(ses->pid, &how)) {
            ses->pid = 0;
            s->n_running--;
            finish(ses, &how);
        }
    }
    while (s->n_running < s->opts->max_runs && (ses = first_waiting(s)))
        begin(s, ses);
}

void tt_sim_stop(struct tt_service *s, struct tt_session *ses)
{
    struct ending e = {.status = 500, .msg = "Simulation stopped by user"};

    (void)s;
    if (ses->state != TT_SES_SIMULATING)
        return;
    if (ses->pid) {
        ses->state = TT_SES_STOPPING;
        tt_child_ask(ses->pid);
        return;
    }
    ses->state = TT_SES_INITIALIZED; /* it was not its turn yet */
    answer_waiting(ses, &e);
}

void tt_sim_forget(struct tt_request *r)
{
    struct tt_request **at = r->awaits ? &r->awaits->waiting : NULL;

    while (at && *at) {
        if (*at == r) {
            *at = r->next;
            break;
        }
        at = &(*at)->next;
    }
    r->awaits = NULL;
}
