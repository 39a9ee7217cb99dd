/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "results/report.h"
#include "serve/api_impl.h"
#include "sys/file.h"

/* What a run left, or has so far. */

/* The report is ours and needs no more than this: no script but its own runs,
 * and nothing in it may act for what reads it. */
static const char *report_headers(void)
{
    static char text[400];
    char hash[TT_REPORT_HASH];

    tt_report_hash(hash);
    snprintf(text, sizeof(text),
             "Content-Security-Policy: default-src 'none'; style-src "
             "'unsafe-inline'; img-src data:; script-src '%s'; sandbox "
             "allow-scripts\r\n"
             "X-Content-Type-Options: nosniff\r\n",
             hash);
    return text;
}

static void give(struct tt_request *r, const char *name, const char *type,
                 const char *what)
{
    const struct tt_sim *sim = r->place.run;
    char *path = tt_sim_path(sim, name);

    if (!path || tt_answer_file(&r->answer, path, type) != 0)
        tt_answer_error(&r->answer, 404, "run %u has no %s (it is %s)", sim->id,
                        what, tt_sim_state_name(sim->state));
    tt_free(path);
}

#define SEEN_MAX ((size_t)16 << 20) /* bytes; longer ones go as they are */

/* The same, of words that may name files: without where they are. */
static void give_words(struct tt_request *r, const char *name, const char *type,
                       const char *what)
{
    char *path = tt_sim_path(r->place.run, name);
    struct tt_buf text;

    tt_buf_init(&text, SEEN_MAX);
    if (path && tt_file_read_plain(&text, path, NULL) == TT_OK &&
        !memchr(text.data ? text.data : "", '\0', text.len)) {
        tt_session_hide(r->place.session, text.len ? text.data : "",
                        &r->answer.body);
        r->answer.type = type;
        r->answer.ready = 1;
    } else {
        give(r, name, type, what);
    }
    tt_buf_fini(&text);
    tt_free(path);
}

void tt_api_results_csv(struct tt_service *s, struct tt_request *r)
{
    (void)s;
    give(r, TT_SIM_RESULTS, "text/csv", "results yet");
}

void tt_api_report(struct tt_service *s, struct tt_request *r)
{
    (void)s;
    r->answer.headers = report_headers();
    give_words(r, TT_SIM_REPORT, "text/html; charset=utf-8", "report");
}

void tt_api_log(struct tt_service *s, struct tt_request *r)
{
    (void)s;
    give_words(r, TT_SIM_LOG, "text/plain; charset=utf-8", "log yet");
}

void tt_api_summary(struct tt_service *s, struct tt_request *r)
{
    if (tt_sim_is_busy(r->place.run)) {
        tt_answer_error(&r->answer, 404, "run %u has no summary yet (it is %s)",
                        r->place.run->id,
                        tt_sim_state_name(r->place.run->state));
        return;
    }
    (void)s;
    give_words(r, TT_SIM_SUMMARY, "application/json", "summary");
}

/* Is it there, and has it begun? */
static int has_file(const struct tt_sim *sim, const char *name)
{
    char *path = tt_sim_path(sim, name);
    uint64_t size = 0;
    int fd = path ? tt_file_open_plain(path, &size) : -1;

    if (fd >= 0)
        (void)close(fd);
    tt_free(path);
    return fd >= 0 && size > 0;
}

void tt_api_run_scenario(struct tt_service *s, struct tt_request *r)
{
    (void)s;
    give(r, has_file(r->place.run, TT_API_RAN) ? TT_API_RAN : TT_API_SCENARIO,
         "application/json", "scenario");
}

void tt_api_live(struct tt_service *s, struct tt_request *r)
{
    (void)s;
    tt_answer_error(&r->answer, 426, "'%s' is a WebSocket", r->path);
}

/* --- rows ----------------------------------------------------------------- */

void tt_api_job_failed(struct tt_request *r, const struct tt_job_result *res)
{
    struct tt_buf words;

    tt_buf_init(&words, TT_BODY_MAX);
    tt_session_hide(r->place.session, res->err.len ? res->err.data : "",
                    &words);
    tt_answer_error(&r->answer, res->code == 2 ? 400 : 500, "%s",
                    words.len ? words.data : "the process printed nothing");
    tt_buf_fini(&words);
}

static void rows_done(struct tt_service *s, struct tt_request *r,
                      const struct tt_job_result *res)
{
    const char *format = tt_query_get(&r->query, "format");
    int csv = format && strcmp(format, "csv") == 0;

    (void)s;
    if (res->code == 0 &&
        tt_answer_file(&r->answer, res->out,
                       csv ? "text/csv" : "application/json") == 0)
        return;
    tt_api_job_failed(r, res);
}

/* "points" of a query; NULL: as it is by default. -1: the answer states what is
 * wrong. */
static int check_points(struct tt_request *r)
{
    const char *text = tt_query_get(&r->query, "points");
    uint64_t n;

    if (!text || (tt_num_parse_u64(text, &n) == 0 && n >= 2 && n <= 1000000000))
        return 0;
    tt_answer_error(&r->answer, 400,
                    "'points' must be a whole number from 2 to 1000000000, not "
                    "'%s'",
                    text);
    return -1;
}

/* "from" or "to"; *v stays when it is not there. */
static int check_time(struct tt_request *r, const char *name, double *v)
{
    const char *text = tt_query_get(&r->query, name);

    if (!text || (tt_num_parse(text, v) == 0 && !isnan(*v)))
        return 0;
    tt_answer_error(&r->answer, 400, "'%s' must be a number, not '%s'", name,
                    text);
    return -1;
}

static int check_times(struct tt_request *r)
{
    double from = -(double)INFINITY, to = (double)INFINITY;

    if (check_time(r, "from", &from) != 0 || check_time(r, "to", &to) != 0)
        return -1;
    if (from <= to)
        return 0;
    tt_answer_error(&r->answer, 400, "'from' is after 'to'");
    return -1;
}

static int check_format(struct tt_request *r)
{
    const char *text = tt_query_get(&r->query, "format");

    if (!text || strcmp(text, "json") == 0 || strcmp(text, "csv") == 0)
        return 0;
    tt_answer_error(&r->answer, 400, "'format' must be json or csv, not '%s'",
                    text);
    return -1;
}

/* A value of the query as an option, if there is one: with its name, so that it
 * cannot pass for another argument. Returns how many there are. */
static size_t put_option(struct tt_buf *text, const struct tt_request *r,
                         const char *name, const char **arg)
{
    const char *value = tt_query_get(&r->query, name);

    tt_buf_init(text, TT_BODY_MAX);
    tt_buf_fmt(text, "--%s=%s", name, value ? value : "");
    if (!value || !*value || text->failed)
        return 0;
    *arg = text->data;
    return 1;
}

#define OPTIONS 4

/* The command line of a job, with options from the query. */
struct words {
    const char *arg[4 + OPTIONS];
    size_t n;
    struct tt_buf text[OPTIONS];
};

static void add_options(struct words *w, struct tt_request *r,
                        const char *const name[OPTIONS])
{
    for (size_t i = 0; i < OPTIONS; i++)
        w->n += put_option(&w->text[i], r, name[i], &w->arg[w->n]);
}

static void begin_job(struct tt_service *s, struct tt_request *r,
                      const char *const *arg, const char *input,
                      void (*done)(struct tt_service *s, struct tt_request *r,
                                   const struct tt_job_result *res))
{
    const struct tt_job_spec spec = {
        .arg = arg, .dir = r->place.run->dir, .input = input, .done = done};
    tt_err err;

    if (tt_job_start(s, r, &spec, &err) != TT_OK)
        tt_answer_err(&r->answer, &err);
}

static void end_words(struct words *w)
{
    for (size_t i = 0; i < OPTIONS; i++)
        tt_buf_fini(&w->text[i]);
}

/* `tutti results` does it. */
static void cut(struct tt_service *s, struct tt_request *r)
{
    static const char *const name[OPTIONS] = {"variables", "from", "to",
                                              "points"};
    const char *format = tt_query_get(&r->query, "format");
    struct words w = {.arg = {"results", format && strcmp(format, "csv") == 0
                                             ? "--csv"
                                             : "--json"},
                      .n = 2};

    add_options(&w, r, name);
    w.arg[w.n] = TT_JOB_INPUT;
    begin_job(s, r, w.arg, TT_SIM_RESULTS, rows_done);
    end_words(&w);
}

void tt_api_results(struct tt_service *s, struct tt_request *r)
{
    if (check_points(r) != 0 || check_times(r) != 0 || check_format(r) != 0)
        return;
    if (r->place.run->study)
        tt_answer_error(&r->answer, 404,
                        "run %u has no rows over time: it is a %s",
                        r->place.run->id, tt_study_name(r->place.run->study));
    else if (has_file(r->place.run, TT_SIM_RESULTS))
        cut(s, r);
    else
        tt_answer_error(&r->answer, 404, "run %u has no results yet (it is %s)",
                        r->place.run->id,
                        tt_sim_state_name(r->place.run->state));
}

/* --- other formats -------------------------------------------------------- */

void tt_api_made(struct tt_request *r, const struct tt_job_result *res,
                 const char *name, const char *type)
{
    char *path = tt_path_join(res->folder, name);

    if (res->code != 0 || !path || tt_answer_file(&r->answer, path, type) != 0)
        tt_api_job_failed(r, res);
    else
        r->answer.attach = name;
    tt_free(path);
}

static void mat_done(struct tt_service *s, struct tt_request *r,
                     const struct tt_job_result *res)
{
    (void)s;
    tt_api_made(r, res, "results.mat", "application/x-matlab-data");
}

static void h5_done(struct tt_service *s, struct tt_request *r,
                    const struct tt_job_result *res)
{
    (void)s;
    tt_api_made(r, res, "results.h5", "application/x-hdf5");
}

static void convert(struct tt_service *s, struct tt_request *r, const char *to,
                    tt_job_fn done)
{
    const char *const arg[] = {"results", "--output", to, TT_JOB_INPUT, NULL};
    tt_err err;

    if (r->place.run->study || !has_file(r->place.run, TT_SIM_RESULTS))
        tt_answer_error(&r->answer, 404, "run %u has no results yet (it is %s)",
                        r->place.run->id,
                        tt_sim_state_name(r->place.run->state));
    else if (tt_job_start(s, r,
                          &(struct tt_job_spec){.arg = arg,
                                                .dir = r->place.run->dir,
                                                .input = TT_SIM_RESULTS,
                                                .done = done},
                          &err) != TT_OK)
        tt_answer_err(&r->answer, &err);
}

void tt_api_results_mat(struct tt_service *s, struct tt_request *r)
{
    convert(s, r, TT_JOB_FILE "results.mat", mat_done);
}

void tt_api_results_h5(struct tt_service *s, struct tt_request *r)
{
    convert(s, r, TT_JOB_FILE "results.h5", h5_done);
}

static void json_done(struct tt_service *s, struct tt_request *r,
                      const struct tt_job_result *res)
{
    (void)s;
    if (res->code != 0 ||
        tt_answer_file(&r->answer, res->out, "application/json") != 0)
        tt_api_job_failed(r, res);
}

static void answer_empty(struct tt_request *r, const char *json)
{
    tt_buf_str(&r->answer.body, json);
    tt_answer_json(&r->answer, 200);
}

/* Steps of one length leave no trace: there is nothing to see. */
void tt_api_steps(struct tt_service *s, struct tt_request *r)
{
    const char *points = tt_query_get(&r->query, "points");
    const char *const arg[] = {"serve",
                               "--steps",
                               TT_JOB_INPUT,
                               "--points",
                               points && *points ? points : "2000",
                               NULL};

    if (check_points(r) != 0)
        return;
    if (!has_file(r->place.run, TT_SIM_TRACE)) {
        answer_empty(r, "{\"time\":[],\"h\":[],\"accepted\":[],\"reason\":[],"
                        "\"attempts\":0,\"decimated\":false}");
    } else {
        begin_job(s, r, arg, TT_SIM_TRACE, json_done);
    }
}

/* A run that an earlier version made has no list. */
void tt_api_events(struct tt_service *s, struct tt_request *r)
{
    static const char *const name[OPTIONS] = {"points", "from", "to", "search"};
    struct words w = {.arg = {"serve", "--events", TT_JOB_INPUT}, .n = 3};

    if (check_points(r) != 0 || check_times(r) != 0)
        return;
    if (!has_file(r->place.run, TT_SIM_EVENTS)) {
        answer_empty(
            r, "{\"time\":[],\"microstep\":[],\"instance\":[],\"port\":[],"
               "\"value\":[],\"matching\":0,\"total\":0}");
        return;
    }
    add_options(&w, r, name);
    begin_job(s, r, w.arg, TT_SIM_EVENTS, json_done);
    end_words(&w);
}
