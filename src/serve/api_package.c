/* SPDX-License-Identifier: MIT */
/* Structures of other tools: opening one that was uploaded, and the scenario as
 * a package. Both are the work of a process, 'tutti convert'. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "serve/api_impl.h"
#include "sys/file.h"

#define PACKAGE "scenario.ssp"
#define FILES   "-files" /* what 'tutti convert' calls the files of a package */

/* --- opening one ---------------------------------------------------------- */

/* "crane" of "crane.ssp", in a folder, with another ending; NULL: out of
 * memory. */
static char *beside(const char *folder, const char *file, const char *ending)
{
    const char *dot = strrchr(file, '.');
    size_t n = dot && dot > file ? (size_t)(dot - file) : strlen(file);
    struct tt_buf b;
    char *path;

    tt_buf_init(&b, TT_BODY_MAX);
    tt_buf_fmt(&b, "%s/", folder);
    tt_buf_add(&b, file, n);
    tt_buf_str(&b, ending);
    path = tt_buf_take(&b);
    tt_buf_fini(&b);
    return path;
}

/* The files of the package become the session's. Those of one of this name that
 * was opened before go. */
static enum tt_code keep_files(const struct tt_service *s,
                               const struct tt_session *ses, const char *from,
                               const char *file, tt_err *err)
{
    uint64_t room = tt_session_room(s, ses), size;
    char *to = beside(ses->dir, file, FILES);
    enum tt_code rc = to ? TT_OK : tt_nomem(err, "a package");

    size = tt_dir_size(from, room);
    if (rc == TT_OK && size > room)
        rc = tt_fail(err, TT_EINPUT,
                     "the files in '%s' have more than the %llu bytes that "
                     "this session has room for",
                     file, (unsigned long long)room);
    if (rc == TT_OK && tt_file_is_dir(to))
        rc = tt_dir_remove_plain(to, err);
    if (rc == TT_OK && rename(from, to) != 0)
        rc = tt_fail(err, TT_EIO, "cannot keep the files of '%s': %s", file,
                     strerror(errno));
    tt_free(to);
    return rc;
}

/* Locations that are the session's are relative to its folder. */
static enum tt_code keep_scenario(const struct tt_session *ses,
                                  const char *json, tt_err *err)
{
    struct tt_buf text, here;
    enum tt_code rc;

    tt_buf_init(&text, TT_BODY_MAX);
    tt_buf_init(&here, TT_BODY_MAX);
    rc = tt_file_read_plain(&text, json, err);
    if (rc == TT_OK) {
        tt_session_hide(ses, text.len ? text.data : "", &here);
        rc = tt_buf_check(&here, "a scenario", err);
    }
    if (rc == TT_OK)
        rc = tt_session_put(ses, TT_API_SCENARIO, here.data, here.len, err);
    tt_buf_fini(&here);
    tt_buf_fini(&text);
    return rc;
}

/* Lines of what was printed, without the frame. */
static void put_lines(struct tt_buf *b, const char *text)
{
    static const char frame[] = "tutti: ";
    struct tt_buf line;
    int any = 0;

    tt_buf_init(&line, TT_BODY_MAX);
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        if (strncmp(text, frame, sizeof(frame) - 1) == 0)
            text += sizeof(frame) - 1;
        tt_buf_clear(&line);
        tt_buf_add(&line, text, strcspn(text, "\n"));
        tt_buf_str(b, any++ ? "," : "");
        tt_buf_json(b, line.len ? line.data : "");
    }
    tt_buf_fini(&line);
}

static void answer_opened(struct tt_request *r, const struct tt_job_result *res)
{
    struct tt_buf words;

    tt_buf_init(&words, TT_BODY_MAX);
    tt_session_hide(r->place.session, res->err.len ? res->err.data : "",
                    &words);
    tt_buf_str(&r->answer.body, "{\"warnings\":[");
    put_lines(&r->answer.body, words.len ? words.data : "");
    tt_buf_str(&r->answer.body, "]}");
    tt_answer_json(&r->answer, 200);
    tt_buf_fini(&words);
}

static void opened(struct tt_service *s, struct tt_request *r,
                   const struct tt_job_result *res)
{
    const char *file = r->place.name;
    char *json = beside(res->folder, file, ".json");
    char *files = beside(res->folder, file, FILES);
    enum tt_code rc = TT_OK;
    tt_err err;

    if (res->code != 0) {
        tt_api_job_failed(r, res);
    } else {
        if (!json || !files)
            rc = tt_nomem(&err, "a package");
        if (rc == TT_OK && tt_file_is_dir(files))
            rc = keep_files(s, r->place.session, files, file, &err);
        if (rc == TT_OK)
            rc = keep_scenario(r->place.session, json, &err);
        if (rc == TT_OK)
            answer_opened(r, res);
        else
            tt_answer_err(&r->answer, &err);
    }
    TT_FREE_ALL(files, json);
}

static enum tt_code start_open(struct tt_service *s, struct tt_request *r,
                               const char *variant, tt_err *err)
{
    char *to = beside("@", r->place.name, ".json"); /* TT_JOB_FILE */
    const char *const arg[] = {"convert",
                               "--quiet",
                               tt_base_option(s),
                               r->place.session->dir,
                               "--output",
                               to,
                               variant ? "--variant" : "--",
                               variant ? variant : r->place.name,
                               variant ? "--" : NULL,
                               r->place.name,
                               NULL};
    const struct tt_job_spec spec = {
        .arg = arg, .dir = r->place.session->dir, .done = opened};
    enum tt_code rc = to ? TT_OK : tt_nomem(err, "a package");

    if (rc == TT_OK)
        rc = tt_job_start(s, r, &spec, err);
    tt_free(to);
    return rc;
}

void tt_api_open(struct tt_service *s, struct tt_request *r)
{
    const json_t *variant;
    json_t *body;
    char *path = tt_api_file_path(r);
    tt_err err;

    if (!path)
        return;
    tt_free(path);
    body = tt_api_body_text(r, "variant", &variant);
    if (!body)
        return;
    if (start_open(s, r, json_string_value(variant), &err) != TT_OK)
        tt_answer_err(&r->answer, &err);
    json_decref(body);
}

/* --- giving one ----------------------------------------------------------- */

static void packed(struct tt_service *s, struct tt_request *r,
                   const struct tt_job_result *res)
{
    char *path = tt_path_join(res->folder, PACKAGE);

    (void)s;
    r->answer.attach = PACKAGE;
    if (res->code != 0 || !path ||
        tt_answer_file(&r->answer, path, "application/octet-stream") != 0) {
        r->answer.attach = NULL;
        tt_api_job_failed(r, res);
    }
    tt_free(path);
}

void tt_api_package(struct tt_service *s, struct tt_request *r)
{
    const char *version = tt_query_get(&r->query, "ssp");
    static const char made[] = TT_JOB_FILE PACKAGE;
    static const char given[] = TT_JOB_FILE TT_API_SCENARIO;
    const char *const arg[] = {"convert",
                               "--quiet",
                               tt_base_option(s),
                               r->place.session->dir,
                               "--ssp",
                               version ? version : "1.0",
                               "--output",
                               made,
                               given,
                               NULL};

    tt_api_look(s, r, arg, 1, packed);
}
