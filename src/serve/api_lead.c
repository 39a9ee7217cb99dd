/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/show.h"
#include "serve/api_impl.h"

/* Runs that take commands. */

static void answer_state(struct tt_service *s, struct tt_request *r,
                         const json_t *message)
{
    (void)message; /* what it means is known already */
    tt_api_run_get(s, r);
}

/* Is it in this state? Else the answer states why not. */
static int is_in(struct tt_request *r, enum tt_sim_state state,
                 const char *what)
{
    const struct tt_sim *sim = r->place.run;

    if (sim->state == state && sim->commands)
        return 1;
    tt_answer_error(&r->answer, 409, "run %u cannot %s: it is %s", sim->id,
                    what, tt_sim_state_name(sim->state));
    return 0;
}

static void command(struct tt_service *s, struct tt_request *r, json_t *c,
                    tt_commands_fn done)
{
    tt_err err;

    if (!c)
        tt_answer_error(&r->answer, 500, "a command: out of memory");
    else if (tt_commands_ask(s, r->place.run, r, c, done, &err) != TT_OK)
        tt_answer_err(&r->answer, &err);
}

void tt_api_run_pause(struct tt_service *s, struct tt_request *r)
{
    if (is_in(r, TT_SIM_RUNNING, "pause"))
        command(s, r, json_pack("{s:s}", "do", "pause"), answer_state);
}

void tt_api_run_resume(struct tt_service *s, struct tt_request *r)
{
    if (is_in(r, TT_SIM_PAUSED, "resume"))
        command(s, r, json_pack("{s:s}", "do", "resume"), answer_state);
}

void tt_api_run_stop(struct tt_service *s, struct tt_request *r)
{
    struct tt_sim *sim = r->place.run;

    if (!tt_sim_is_busy(sim) || sim->state == TT_SIM_STOPPING) {
        tt_answer_error(&r->answer, 409, "run %u cannot stop: it is %s",
                        sim->id, tt_sim_state_name(sim->state));
        return;
    }
    tt_sim_stop(s, sim);
    tt_api_run_get(s, r);
}

/* --- step ----------------------------------------------------------------- */

static void answer_step(struct tt_service *s, struct tt_request *r,
                        const json_t *message)
{
    const json_t *time = json_object_get(message, "time");
    const char *state = json_string_value(json_object_get(message, "state"));
    const json_t *values = json_object_get(message, "values");
    char *text = json_dumps(values, JSON_COMPACT);

    (void)s;
    tt_buf_str(&r->answer.body, "{\"time\":");
    if (json_is_number(time))
        tt_show_json_num(&r->answer.body, json_number_value(time));
    else
        tt_buf_str(&r->answer.body, "null");
    tt_json_text(&r->answer.body, ",\"state\":", state ? state : "paused");
    tt_buf_fmt(&r->answer.body, ",\"values\":%s}", text ? text : "{}");
    tt_answer_json(&r->answer, 200);
    free(text);
}

static int add(json_t *c, const char *name, const json_t *v)
{
    return v ? json_object_set_new(c, name, json_deep_copy(v)) : 0;
}

void tt_api_run_step(struct tt_service *s, struct tt_request *r)
{
    const json_t *set, *steps, *to, *get;
    const struct tt_api_member member[] = {
        {"set", JSON_OBJECT, &set},
        {"steps", JSON_INTEGER, &steps},
        {"to", JSON_REAL, &to},
        {"get", JSON_ARRAY, &get},
        {0},
    };
    json_t *body, *c;

    if (!is_in(r, TT_SIM_PAUSED, "step"))
        return;
    body = tt_api_body(r, member);
    if (!body)
        return;
    c = json_pack("{s:s}", "do", "step");
    if (c && (add(c, "set", set) != 0 || add(c, "steps", steps) != 0 ||
              add(c, "to", to) != 0 || add(c, "get", get) != 0)) {
        json_decref(c);
        c = NULL;
    }
    json_decref(body);
    command(s, r, c, answer_step);
}
