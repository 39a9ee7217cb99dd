/* SPDX-License-Identifier: MIT */
#ifndef TT_SERVE_API_IMPL_H
#define TT_SERVE_API_IMPL_H

/* What the files of /api/v1 share.
 *
 *   api.c          its routes
 *   api_session.c  sessions
 *   api_example.c  sessions that begin with an example
 *   api_file.c     files of a session, and its scenario
 *   api_package.c  structures of other tools: opened, and the scenario as one
 *   api_look.c     check, units: what the session's files are; what is made of
 *                  its scenario
 *   api_run.c      runs: start, state, end
 *   api_lead.c     runs that are led: pause, resume, step, stop
 *   api_results.c  what a run left: files, rows, events, attempts of steps
 *   api_json.c     sessions and runs as JSON; JSON bodies
 *
 * In a session's folder:
 *
 *   x.fmu          what was uploaded; locations in the scenario are relative
 *                  to the folder
 *   scenario.json  the scenario, as it was put
 *   x-files/       what was in the package x.ssp that was opened
 *   runs/N/        a run: its scenario, results, report, words; if fields were
 *                  laid over the scenario the request, and what both make
 */

#include <jansson.h>

#include "serve/serve_impl.h"

#define TT_API_SCENARIO "scenario.json" /* of a session, and of a run */
#define TT_API_REQUEST  "request"       /* laid over it, for a run; or none */
#define TT_API_RAN      "ran.json"      /* what both make; or none */

typedef void tt_api_fn(struct tt_service *s, struct tt_request *r);

tt_api_fn tt_api_openapi, tt_api_examples;
tt_api_fn tt_api_sessions, tt_api_session_new, tt_api_session_get,
    tt_api_session_put, tt_api_session_delete;
tt_api_fn tt_api_file_get, tt_api_file_put, tt_api_file_delete;
tt_api_fn tt_api_scenario_get, tt_api_scenario_put;
tt_api_fn tt_api_check, tt_api_units, tt_api_open, tt_api_package;
tt_api_fn tt_api_explicit, tt_api_export_fmu;
tt_api_fn tt_api_runs, tt_api_run_new, tt_api_run_get, tt_api_run_put,
    tt_api_run_delete;
tt_api_fn tt_api_run_pause, tt_api_run_resume, tt_api_run_step, tt_api_run_stop;
tt_api_fn tt_api_results, tt_api_steps, tt_api_events, tt_api_results_csv,
    tt_api_results_mat, tt_api_results_h5, tt_api_report, tt_api_log,
    tt_api_summary, tt_api_run_scenario, tt_api_live;

/* The body of a PUT to files is on its way. */
int tt_api_file_open(struct tt_service *s, struct tt_request *r,
                     uint64_t length);

/* --- files ---------------------------------------------------------------- */

/* May a file of a session have this name? Else why not, after "it". */
const char *tt_api_name_refused(const char *name);
/* The path of the file the request names; NULL: the answer states why not. */
char *tt_api_file_path(struct tt_request *r);
/* The stored scenario into b; TT_ESTATE when there is none. */
TT_NODISCARD enum tt_code tt_api_scenario_read(const struct tt_session *ses,
                                               struct tt_buf *b, tt_err *err);
/* A job about the scenario, which the process has in a file: the stored one, or
 * what the body has instead, if there is one. */
void tt_api_look(struct tt_service *s, struct tt_request *r,
                 const char *const *arg, int stored, tt_job_fn done);
/* Is this text a JSON object? */
TT_NODISCARD enum tt_code tt_api_scenario_check(const char *text, size_t n,
                                                tt_err *err);

/* What a user may call something, and note of it: bytes. */
#define TT_API_NAME "name", 200
#define TT_API_NOTE "note", 4000
/* A text a user gave, if there is one; what was in *out is not freed. */
TT_NODISCARD enum tt_code tt_api_text(const json_t *v, const char *what,
                                      size_t most, char **out, tt_err *err);
/* Of a text and what was there before it, one is kept and the other freed. */
void tt_api_either(int keep, char **now, char *was);

/* Put the example's files into the session; `scenario` may be NULL: its
 * first. */
TT_NODISCARD enum tt_code
tt_api_example_copy(const struct tt_service *s, const struct tt_session *ses,
                    const char *name, const char *scenario, tt_err *err);

/* The file a job made, in its folder, to be saved under its name, which
 * outlives us; or why there is none. */
void tt_api_made(struct tt_request *r, const struct tt_job_result *res,
                 const char *name, const char *type);
/* A job could not do it: answer why. */
void tt_api_job_failed(struct tt_request *r, const struct tt_job_result *res);

/* --- JSON ----------------------------------------------------------------- */

void tt_api_put_session(struct tt_buf *b, const struct tt_service *s,
                        const struct tt_session *ses);
void tt_api_put_run(struct tt_buf *b, const struct tt_service *s,
                    const struct tt_sim *sim);
/* Those of the session, in the order of their numbers. */
void tt_api_put_runs(struct tt_buf *b, const struct tt_service *s,
                     const struct tt_session *ses);

/* A member of a body. */
struct tt_api_member {
    const char *name;
    json_type type; /* JSON_TRUE: a Boolean, JSON_REAL: any number */
    const json_t **to;
};
/* The body as an object with these members only (NULL ends them), each of its
 * type or null; an empty body is an empty object. NULL: the answer states what
 * is wrong. */
json_t *tt_api_body(struct tt_request *r, const struct tt_api_member *member);
/* The same with one member, a text. */
json_t *tt_api_body_text(struct tt_request *r, const char *name,
                         const json_t **text);
/* The same of a request to make something, if one more may come. */
json_t *tt_api_body_of_new(struct tt_service *s, struct tt_request *r,
                           const struct tt_api_member *member,
                           int (*may_come)(const struct tt_service *s,
                                           struct tt_answer *a));
/* What was made is in the body of the answer; or why it was not is. */
void tt_api_answer_new(struct tt_request *r, enum tt_code rc,
                       const tt_err *err);

#endif
