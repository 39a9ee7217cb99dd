/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/show.h"
#include "serve/api_impl.h"
#include "sys/user.h"

/* Where work is kept: which folder is a matter of this machine's users. */
static void put_storage(struct tt_buf *b, const struct tt_service *s)
{
    uint64_t room = tt_disk_free(s->root);

    tt_json_text(
        b, ",\"storage\":{\"folder\":", s->opts->loopback ? s->root : NULL);
    tt_buf_fmt(b, ",\"kept\":%s,\"free\":", s->lock >= 0 ? "true" : "false");
    if (room == UINT64_MAX)
        tt_buf_str(b, "null}");
    else
        tt_buf_fmt(b, "%llu}", (unsigned long long)room);
}

static void about(struct tt_service *s, struct tt_request *r)
{
    struct tt_buf *b = &r->answer.body;

    tt_json_text(b, "{\"name\":\"tutti\",\"version\":", s->opts->version);
    tt_buf_fmt(b, ",\"limits\":{\"upload\":%llu,\"session\":%llu,\"memory\":",
               (unsigned long long)s->opts->max_upload,
               (unsigned long long)s->opts->max_upload);
    if (s->opts->max_memory)
        tt_buf_fmt(b, "%llu", (unsigned long long)s->opts->max_memory);
    else
        tt_buf_str(b, "null");
    tt_json_num(b, ",\"seconds\":",
                s->opts->max_time > 0 ? s->opts->max_time : (double)NAN);
    tt_buf_fmt(b, ",\"runs\":%u},\"sandbox\":%s", s->opts->max_runs,
               s->opts->no_sandbox ? "false" : "true");
    put_storage(b, s);
    tt_buf_char(b, '}');
    tt_answer_json(&r->answer, 200);
}

#define GET    TT_BIT(TT_GET)
#define POST   TT_BIT(TT_POST)
#define PUT    TT_BIT(TT_PUT)
#define DELETE TT_BIT(TT_DELETE)

#define SESSION "api/v1/sessions/{session}"
#define FILE_   SESSION "/files/{file}"
#define RUN     SESSION "/runs/{run}"

const char *const *tt_api_query(const struct tt_route *route)
{
    static const char *const cut[] = {"variables", "from",   "to",
                                      "points",    "format", NULL};
    static const char *const points[] = {"points", NULL};
    static const char *const ssp[] = {"ssp", NULL};
    static const char *const events[] = {"points", "from", "to", "search",
                                         NULL};

    if (route->answer == tt_api_results)
        return cut;
    if (route->answer == tt_api_events)
        return events;
    if (route->answer == tt_api_package)
        return ssp;
    return route->answer == tt_api_steps ? points : NULL;
}

const struct tt_route tt_routes_api[] = {
    {"api/v1", GET, about, NULL},
    {"api/v1/openapi.json", GET, tt_api_openapi, NULL},
    {"api/v1/examples", GET, tt_api_examples, NULL},
    {"api/v1/sessions", GET, tt_api_sessions, NULL},
    {"api/v1/sessions", POST, tt_api_session_new, NULL},
    {SESSION, GET, tt_api_session_get, NULL},
    {SESSION, PUT, tt_api_session_put, NULL},
    {SESSION, DELETE, tt_api_session_delete, NULL},
    {FILE_, GET, tt_api_file_get, NULL},
    {FILE_, PUT, tt_api_file_put, tt_api_file_open},
    {FILE_, DELETE, tt_api_file_delete, NULL},
    {SESSION "/scenario", GET, tt_api_scenario_get, NULL},
    {SESSION "/scenario", PUT, tt_api_scenario_put, NULL},
    {SESSION "/scenario.ssp", GET, tt_api_package, NULL},
    {FILE_ "/open", POST, tt_api_open, NULL},
    {SESSION "/check", POST, tt_api_check, NULL},
    {SESSION "/units", GET, tt_api_units, NULL},
    {SESSION "/explicit", POST, tt_api_explicit, NULL},
    {SESSION "/export.fmu", GET, tt_api_export_fmu, NULL},
    {SESSION "/runs", GET, tt_api_runs, NULL},
    {SESSION "/runs", POST, tt_api_run_new, NULL},
    {RUN, GET, tt_api_run_get, NULL},
    {RUN, PUT, tt_api_run_put, NULL},
    {RUN, DELETE, tt_api_run_delete, NULL},
    {RUN "/pause", POST, tt_api_run_pause, NULL},
    {RUN "/resume", POST, tt_api_run_resume, NULL},
    {RUN "/step", POST, tt_api_run_step, NULL},
    {RUN "/stop", POST, tt_api_run_stop, NULL},
    {RUN "/results", GET, tt_api_results, NULL},
    {RUN "/results.csv", GET, tt_api_results_csv, NULL},
    {RUN "/results.mat", GET, tt_api_results_mat, NULL},
    {RUN "/results.h5", GET, tt_api_results_h5, NULL},
    {RUN "/report.html", GET, tt_api_report, NULL},
    {RUN "/log", GET, tt_api_log, NULL},
    {RUN "/summary", GET, tt_api_summary, NULL},
    {RUN "/scenario", GET, tt_api_run_scenario, NULL},
    {RUN "/steps", GET, tt_api_steps, NULL},
    {RUN "/events", GET, tt_api_events, NULL},
    {RUN "/live", GET, tt_api_live, NULL},
    {0},
};
