/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "serve/serve_impl.h"
#include "sys/file.h"
#include "sys/user.h"

#define SUMMARY_MAX ((size_t)64 << 20)
#define LOG_MAX     ((size_t)4 << 20)

static void read_file(const struct tt_sim *sim, const char *name,
                      struct tt_buf *b)
{
    char *path = tt_sim_path(sim, name);

    if (!path || tt_file_read_plain(b, path, NULL) != TT_OK)
        tt_buf_clear(b);
    tt_free(path);
}

void tt_lines_json(const struct tt_session *ses, const char *text,
                   struct tt_buf *out)
{
    struct tt_buf seen;
    char *line, *end;

    tt_buf_init(&seen, LOG_MAX);
    tt_session_hide(ses, text, &seen);
    for (line = seen.len ? seen.data : NULL; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        if (!*line)
            continue;
        tt_buf_str(out, out->len ? "," : "");
        tt_buf_json(out, line);
    }
    tt_buf_fini(&seen);
}

void tt_sim_warnings(const struct tt_sim *sim, struct tt_buf *out)
{
    struct tt_buf log;

    tt_buf_init(&log, LOG_MAX);
    read_file(sim, TT_SIM_LOG, &log);
    tt_lines_json(sim->session, log.len ? log.data : "", out);
    tt_buf_fini(&log);
}

void tt_sim_set_words(struct tt_sim *sim, unsigned status, const char *words)
{
    struct tt_buf seen;

    tt_buf_init(&seen, LOG_MAX);
    tt_session_hide(sim->session, words, &seen);
    sim->status = status;
    snprintf(sim->msg, sizeof(sim->msg), "%s", seen.len ? seen.data : "");
    tt_buf_fini(&seen);
}

/* Without a summary the process was killed from outside, or never began, or
 * there was no room for its words. */
static void no_summary(struct tt_sim *sim, const struct tt_proc_result *how)
{
    tt_err err;

    if (how->how == TT_PROC_KILLED)
        tt_fail(&err, TT_ECRASH, "the process of the run was ended by %s",
                tt_signal_name(how->value));
    else if (tt_disk_free(sim->dir) == 0)
        tt_fail(&err, TT_EIO,
                "the folder of the sessions is full: the results are not "
                "complete; what was saved before is still there");
    else
        tt_fail(&err, TT_ECRASH,
                "the process of the run ended with exit code %d and no words",
                how->value);
    tt_sim_set_words(sim, 500, err.msg);
}

static void judge(struct tt_sim *sim, const json_t *summary,
                  const struct tt_proc_result *how)
{
    const char *outcome =
        json_string_value(json_object_get(summary, "outcome"));
    const char *msg = json_string_value(json_object_get(summary, "message"));
    unsigned status = 200;

    if (!outcome || !msg) {
        no_summary(sim, how);
        return;
    }
    if (how->how == TT_PROC_KILLED || how->value != 0)
        status = how->value == 2 ? 400 : 500;
    tt_sim_set_words(sim, status, msg);
}

void tt_sim_conclude(struct tt_sim *sim, const struct tt_proc_result *how)
{
    struct tt_buf text;
    json_t *summary;

    tt_buf_init(&text, SUMMARY_MAX);
    if (!tt_commands_summary(sim, &text)) /* or it is in a file */
        read_file(sim, TT_SIM_SUMMARY, &text);
    summary = text.len ? json_loadb(text.data, text.len, 0, NULL) : NULL;
    judge(sim, summary, how);
    if (sim->state == TT_SIM_STOPPING)
        sim->state = TT_SIM_STOPPED;
    else
        sim->state = sim->status == 200 ? TT_SIM_FINISHED : TT_SIM_FAILED;
    json_decref(summary);
    tt_buf_fini(&text);
}
