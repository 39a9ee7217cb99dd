/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/mem.h"
#include "serve/api_impl.h"
#include "sys/file.h"
#include "table/table.h"

/* What the session's files are. Reading them is the work of a process. */

/* It printed its answer, whatever it found. */
static void answer_with_output(struct tt_service *s, struct tt_request *r,
                               const struct tt_job_result *res)
{
    struct tt_buf out;

    (void)s;
    tt_job_read(res, &out);
    if ((res->code == 0 || res->code == 2) && out.len) {
        tt_session_hide(r->place.session, out.data, &r->answer.body);
        tt_answer_json(&r->answer, 200);
    } else {
        tt_api_job_failed(r, res);
    }
    tt_buf_fini(&out);
}

/* The scenario to look at: the body, or the stored one. */
static enum tt_code scenario_of(struct tt_request *r, struct tt_buf *text,
                                tt_err *err)
{
    enum tt_code rc;

    if (!r->body.len)
        return tt_api_scenario_read(r->place.session, text, err);
    rc = tt_api_scenario_check(r->body.data, r->body.len, err);
    if (rc == TT_OK)
        tt_buf_add(text, r->body.data, r->body.len);
    return rc == TT_OK ? tt_buf_check(text, "a scenario", err) : rc;
}

void tt_api_look(struct tt_service *s, struct tt_request *r,
                 const char *const *arg, int stored, tt_job_fn done)
{
    struct tt_job_spec spec = {
        .arg = arg, .file = TT_API_SCENARIO, .done = done};
    struct tt_buf text;
    enum tt_code rc;
    tt_err err;

    tt_buf_init(&text, TT_BODY_MAX);
    rc = stored ? tt_api_scenario_read(r->place.session, &text, &err)
                : scenario_of(r, &text, &err);
    if (rc == TT_OK) {
        spec.text = text.data ? text.data : "";
        spec.text_n = text.len;
        rc = tt_job_start(s, r, &spec, &err);
    }
    if (rc != TT_OK)
        tt_answer_err(&r->answer, &err);
    tt_buf_fini(&text);
}

void tt_api_check(struct tt_service *s, struct tt_request *r)
{
    const char *const arg[] = {"check",           "--json",
                               tt_base_option(s), r->place.session->dir,
                               TT_API_SCENARIO,   NULL};

    tt_api_look(s, r, arg, 0, answer_with_output);
}

/* --- what is made of it --------------------------------------------------- */

static void answer_with_text(struct tt_service *s, struct tt_request *r,
                             const struct tt_job_result *res)
{
    struct tt_buf out;

    (void)s;
    tt_job_read(res, &out);
    if (res->code == 0 && out.len) {
        tt_session_hide(r->place.session, out.data, &r->answer.body);
        r->answer.type = "text/plain; charset=utf-8";
        r->answer.ready = 1;
    } else {
        tt_api_job_failed(r, res);
    }
    tt_buf_fini(&out);
}

/* The programs that clauses in `adapt` stand for. */
void tt_api_explicit(struct tt_service *s, struct tt_request *r)
{
    const char *const arg[] = {"adapt",         "--explicit",
                               "--only-base",   r->place.session->dir,
                               TT_API_SCENARIO, NULL};

    tt_api_look(s, r, arg, 0, answer_with_text);
}

#define EXPORTED "exported.fmu"

static void answer_with_fmu(struct tt_service *s, struct tt_request *r,
                            const struct tt_job_result *res)
{
    (void)s;
    tt_api_made(r, res, EXPORTED, "application/octet-stream");
}

void tt_api_export_fmu(struct tt_service *s, struct tt_request *r)
{
    static const char made[] = TT_JOB_FILE EXPORTED;
    const char *const arg[] = {"export",        "--quiet",
                               "--output",      made,
                               "--only-base",   r->place.session->dir,
                               TT_API_SCENARIO, NULL};
    char *scenario = tt_session_path(r->place.session, TT_API_SCENARIO);
    tt_err err;

    if (!scenario || !tt_file_exists(scenario))
        tt_answer_error(&r->answer, 409, "the session has no scenario yet");
    else if (tt_job_start(s, r,
                          &(struct tt_job_spec){.arg = arg,
                                                .dir = r->place.session->dir,
                                                .done = answer_with_fmu},
                          &err) != TT_OK)
        tt_answer_err(&r->answer, &err);
    tt_free(scenario);
}

/* --- units ---------------------------------------------------------------- */

/* Arguments that become more. */
struct args {
    char **arg;
    size_t n, cap;
};

static enum tt_code add_arg(struct args *a, const char *text, tt_err *err)
{
    if (TT_GROW(a->arg, a->n, a->cap) != 0)
        return tt_nomem(err, NULL);
    a->arg[a->n] = tt_strdup(text);
    if (text && !a->arg[a->n])
        return tt_nomem(err, NULL);
    a->n++;
    return TT_OK;
}

/* Files the scenario could use: FMUs and tables. */
static enum tt_code add_file(void *ctx, const char *name, tt_err *err)
{
    if (tt_api_name_refused(name) ||
        !(tt_path_ends(name, ".fmu") || tt_table_is_signal(name)))
        return TT_OK;
    return add_arg(ctx, name, err);
}

static enum tt_code start_units(struct tt_service *s, struct tt_request *r,
                                struct args *a, tt_err *err)
{
    static const char scenario[] = TT_JOB_FILE TT_API_SCENARIO;
    const char *const lead[] = {
        "info", "--json", tt_base_option(s), r->place.session->dir,
        "--",   scenario};
    struct tt_job_spec spec = {.dir = r->place.session->dir,
                               .file = TT_API_SCENARIO,
                               .done = answer_with_output};
    struct tt_buf text;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < sizeof(lead) / sizeof(*lead); i++)
        rc = add_arg(a, lead[i], err);
    if (rc == TT_OK)
        rc = tt_dir_list(r->place.session->dir, add_file, a, err);
    if (rc == TT_OK)
        rc = add_arg(a, NULL, err);
    tt_buf_init(&text, TT_BODY_MAX);
    if (tt_api_scenario_read(r->place.session, &text, NULL) != TT_OK)
        tt_buf_str(&text, "{}");
    spec.arg = (const char *const *)a->arg;
    spec.text = text.data ? text.data : "";
    spec.text_n = text.len;
    if (rc == TT_OK)
        rc = tt_job_start(s, r, &spec, err);
    tt_buf_fini(&text);
    return rc;
}

void tt_api_units(struct tt_service *s, struct tt_request *r)
{
    struct args a = {0};
    tt_err err;

    if (start_units(s, r, &a, &err) != TT_OK)
        tt_answer_err(&r->answer, &err);
    for (size_t i = 0; i < a.n; i++)
        tt_free(a.arg[i]);
    tt_free(a.arg);
}
