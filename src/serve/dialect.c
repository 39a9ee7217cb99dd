/* SPDX-License-Identifier: MIT */
#include "base/show.h"
#include "serve/serve_impl.h"

/* What Maestro 1 and Maestro 2 answer to the same question, as their clients
 * parse it: spelling and shapes are theirs. */

/* Clients choose the dialect by the first number of the version. */
#define MAESTRO1 "1.0.10"
#define MAESTRO2 "2.0.0"

static int is_first(const struct tt_answer *a)
{
    return a->dialect == TT_DIALECT_MAESTRO1;
}

static void ready(struct tt_answer *a)
{
    a->type = "application/json";
    a->ready = 1;
}

const char *tt_dialect_state(const struct tt_session *ses)
{
    static const char *const name[] = {
        [TT_SIM_IDLE] = "Initialized",   [TT_SIM_QUEUED] = "Simulating",
        [TT_SIM_RUNNING] = "Simulating", [TT_SIM_PAUSED] = "Simulating",
        [TT_SIM_STOPPING] = "Stopping",  [TT_SIM_FINISHED] = "Finished",
        [TT_SIM_STOPPED] = "Finished",   [TT_SIM_FAILED] = "Error",
        [TT_SIM_INTERRUPTED] = "Error",
    };

    return ses->initialized ? name[ses->sim->state] : "Unitialized";
}

/* The members both have, without the last brace. */
static void put_status(struct tt_buf *b, const char *status,
                       const struct tt_session *ses)
{
    tt_buf_fmt(b,
               "{\"status\":\"%s\",\"sessionId\":\"%s\",\"lastExecTime\":%llu",
               status, ses->id, (unsigned long long)ses->sim->exec_ms);
}

void tt_dialect_put_state(struct tt_buf *b, const struct tt_session *ses)
{
    put_status(b, tt_dialect_state(ses), ses);
    tt_json_num(b, ",\"progress\":", tt_sim_progress(ses->sim));
    if (ses->sim->state == TT_SIM_FAILED ||
        ses->sim->state == TT_SIM_INTERRUPTED) {
        tt_json_text(b, ",\"message\":", ses->sim->msg);
    }
    tt_buf_char(b, '}');
}

void tt_dialect_states(struct tt_answer *a)
{
    ready(a);
    if (!is_first(a))
        a->type = "text/plain";
}

void tt_dialect_version(struct tt_answer *a, const char *engine)
{
    if (is_first(a))
        tt_buf_fmt(&a->body,
                   "{\"version\":\"" MAESTRO1 "-tutti-%s\",\n"
                   "\"artifactId\":\"tutti\",\n\"groupId\":\"tutti\"\n}",
                   engine);
    else
        tt_buf_fmt(&a->body, "{\"version\":\"" MAESTRO2 "-tutti-%s\"}", engine);
    tt_answer_text(a, "");
}

void tt_dialect_created(struct tt_answer *a, const struct tt_session *ses)
{
    if (is_first(a)) {
        tt_buf_fmt(&a->body, "{\"sessionId\":\"%s\"}", ses->id);
    } else {
        put_status(&a->body, "Session exists", ses);
        tt_buf_str(&a->body, ",\"warnings\":null,\"errors\":null}");
    }
    ready(a);
}

void tt_dialect_initialized(struct tt_answer *a, const struct tt_session *ses,
                            const struct tt_buf *levels, const char *lines)
{
    struct tt_buf *b = &a->body;
    struct tt_buf warnings;

    tt_buf_str(b, is_first(a) ? "[" : "");
    put_status(b, is_first(a) ? "Initialized" : "initialized", ses);
    tt_buf_str(b, is_first(a) ? ",\"avaliableLogLevels\":"
                              : ",\"availableLogLevels\":");
    tt_buf_add(b, levels->data, levels->len);
    tt_buf_init(&warnings, TT_BODY_MAX);
    tt_lines_json(ses, lines, &warnings);
    if (is_first(a))
        tt_buf_str(b, "}]");
    else if (warnings.len)
        tt_buf_fmt(b, ",\"warnings\":[%s],\"errors\":null}", warnings.data);
    else
        tt_buf_str(b, ",\"warnings\":null,\"errors\":null}");
    tt_buf_fini(&warnings);
    ready(a);
}

static void put_completed(struct tt_buf *b, const struct tt_sim *sim)
{
    struct tt_buf warnings;

    tt_buf_init(&warnings, TT_BODY_MAX);
    tt_sim_warnings(sim, &warnings);
    put_status(b, "Simulation completed", sim->session);
    tt_buf_fmt(b, ",\"errors\":[],\"warnings\":[%s]}",
               warnings.len ? warnings.data : "");
    tt_buf_fini(&warnings);
}

void tt_dialect_ended(struct tt_answer *a, const struct tt_sim *sim)
{
    /* a run that was stopped has ended well for the one, not for the other */
    int well = sim->state == TT_SIM_FINISHED ||
               (sim->state == TT_SIM_STOPPED && is_first(a));

    if (sim->state == TT_SIM_STOPPED && !well) {
        tt_answer_error(a, 500, "Simulation stopped by user");
        return;
    }
    if (!well) {
        tt_answer_error(a, is_first(a) ? 400 : sim->status, "%s", sim->msg);
        return;
    }
    if (is_first(a)) {
        put_status(&a->body, "Finished", sim->session);
        tt_buf_char(&a->body, '}');
    } else {
        put_completed(&a->body, sim);
    }
    ready(a);
}

void tt_dialect_done(struct tt_answer *a, const char *words)
{
    tt_answer_text(a, is_first(a) ? words : "");
}

/* Maestro 1 answers 400 to most of what it does not like. */
unsigned tt_dialect_status(const struct tt_answer *a, unsigned status)
{
    if (is_first(a) && (status == 404 || status == 409 || status == 422))
        return 400;
    return status;
}
