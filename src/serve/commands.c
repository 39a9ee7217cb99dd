/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "serve/serve_impl.h"
#include "sys/file.h"

#define LINE_MAX_IN  ((size_t)64 << 20) /* bytes it may send in one line */
#define LINE_MAX_OUT ((size_t)1 << 20)  /* what it takes */
#define WAITING_MAX  ((size_t)8 << 20)  /* bytes it has not taken yet */
#define PIECE        ((size_t)65536)

/* A request that waits for an answer. */
struct ask {
    json_int_t id;
    struct tt_request *waiting; /* one, or NULL: it has gone */
    tt_commands_fn done;
    struct ask *next;
};

struct tt_commands {
    struct tt_child_pipes pipes;
    struct tt_buf out; /* not taken yet */
    struct tt_buf in;  /* a line, so far */
    struct ask *ask;
    json_int_t last_id;
    char *summary; /* its last words, or NULL */
};

static void close_pipes(const struct tt_child_pipes *p)
{
    (void)close(p->to);
    (void)close(p->from);
}

struct tt_commands *tt_commands_new(const struct tt_child_pipes *pipes)
{
    struct tt_commands *k;

    if (!TT_NEW(k)) {
        close_pipes(pipes);
        return NULL;
    }
    k->pipes = *pipes;
    tt_buf_init(&k->out, WAITING_MAX);
    tt_buf_init(&k->in, LINE_MAX_IN);
    return k;
}

static void ask_free(struct tt_commands *k, struct ask *a)
{
    struct ask **at = &k->ask;

    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    tt_free(a);
}

void tt_commands_free(struct tt_commands *k)
{
    if (!k)
        return;
    while (k->ask) {
        struct tt_request *r = tt_request_next(&k->ask->waiting);

        if (r) {
            tt_answer_error(&r->answer, 404, "the run is no longer there");
            tt_request_send(r);
        }
        ask_free(k, k->ask);
    }
    close_pipes(&k->pipes);
    tt_buf_fini(&k->out);
    tt_buf_fini(&k->in);
    TT_FREE_ALL(k->summary, k);
}

int tt_commands_awaited(const struct tt_service *s)
{
    for (const struct tt_sim *sim = s->sim; sim; sim = sim->next)
        if (sim->commands && sim->commands->ask)
            return 1;
    return 0;
}

/* --- sending -------------------------------------------------------------- */

/* As much as the pipe takes. */
static void push(struct tt_commands *k)
{
    size_t done = 0;

    while (done < k->out.len) {
        ssize_t n = write(k->pipes.to, k->out.data + done, k->out.len - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (done == k->out.len) {
        tt_buf_clear(&k->out);
    } else if (done > 0) {
        k->out.len -= done;
        memmove(k->out.data, k->out.data + done, k->out.len);
    }
}

static enum tt_code send_line(struct tt_commands *k, const json_t *command,
                              tt_err *err)
{
    char *line = json_dumps(command, JSON_COMPACT);
    size_t n = line ? strlen(line) : 0;
    enum tt_code rc = TT_OK;

    if (!line)
        rc = tt_nomem(err, "a command");
    else if (n >= LINE_MAX_OUT)
        rc = tt_fail(err, TT_EINPUT, "a command of %zu bytes; at most %zu", n,
                     LINE_MAX_OUT - 1);
    else if (k->out.len + n + 1 > WAITING_MAX)
        rc = tt_fail(err, TT_ESTATE, "the run does not listen");
    if (rc == TT_OK) {
        tt_buf_add(&k->out, line, n);
        tt_buf_char(&k->out, '\n');
        push(k);
    }
    free(line);
    return rc;
}

enum tt_code tt_commands_ask(struct tt_service *s, struct tt_sim *sim,
                             struct tt_request *r, json_t *command,
                             tt_commands_fn done, tt_err *err)
{
    struct tt_commands *k = sim->commands;
    struct ask *a = NULL;
    enum tt_code rc = TT_OK;

    if (!TT_NEW(a) ||
        json_object_set_new(command, "id", json_integer(++k->last_id)) != 0)
        rc = tt_nomem(err, "a command");
    if (rc == TT_OK)
        rc = send_line(k, command, err);
    json_decref(command);
    if (rc != TT_OK) {
        tt_free(a);
        return rc;
    }
    *a = (struct ask){.id = k->last_id, .done = done, .next = k->ask};
    k->ask = a;
    tt_request_wait(r, &a->waiting);
    tt_loop_hurry(s);
    return TT_OK;
}

/* --- answers -------------------------------------------------------------- */

/* The state it reports. */
static void take_state(struct tt_sim *sim, const json_t *message)
{
    const char *state = json_string_value(json_object_get(message, "state"));

    if (!state)
        return;
    if (sim->state == TT_SIM_RUNNING && strcmp(state, "paused") == 0)
        tt_sim_change(sim, TT_SIM_PAUSED);
    else if (sim->state == TT_SIM_PAUSED && strcmp(state, "paused") != 0)
        tt_sim_change(sim, TT_SIM_RUNNING); /* or at its end, which is near */
}

static void answer(struct tt_service *s, struct tt_sim *sim,
                   const json_t *message)
{
    const json_t *id = json_object_get(message, "id");
    struct ask *a = sim->commands->ask;
    const char *error = json_string_value(json_object_get(message, "error"));
    struct tt_request *r;

    while (a && !(json_is_integer(id) && json_integer_value(id) == a->id))
        a = a->next;
    if (!a)
        return;
    r = tt_request_next(&a->waiting);
    if (r) {
        if (error)
            tt_answer_error(&r->answer, 400, "%s", error);
        else
            a->done(s, r, message);
        tt_request_send(r);
    }
    ask_free(sim->commands, a);
}

/* {"type":"end","summary":{...}}: the report of the whole run. */
static void take_summary(struct tt_commands *k, const json_t *message)
{
    const json_t *summary = json_object_get(message, "summary");
    char *text = summary ? json_dumps(summary, JSON_INDENT(2)) : NULL;

    tt_free(k->summary);
    k->summary = tt_strdup(text);
    free(text);
}

static void take_line(struct tt_service *s, struct tt_sim *sim,
                      const char *line, size_t n)
{
    json_t *message = json_loadb(line, n, 0, NULL);
    const char *type = json_string_value(json_object_get(message, "type"));

    if (type && strcmp(type, "end") == 0)
        take_summary(sim->commands, message);
    else if (json_is_object(message)) {
        take_state(sim, message);
        answer(s, sim, message);
    }
    json_decref(message); /* what is no JSON a unit has printed */
}

static void take_bytes(struct tt_service *s, struct tt_sim *sim,
                       const char *data, size_t n)
{
    struct tt_buf *in = &sim->commands->in;

    while (n > 0) {
        const char *end = memchr(data, '\n', n);
        size_t piece = end ? (size_t)(end - data) : n;

        tt_buf_add(in, data, piece);
        if (!end)
            return;
        if (!in->failed && in->len)
            take_line(s, sim, in->data, in->len);
        tt_buf_fini(in);
        tt_buf_init(in, LINE_MAX_IN);
        data += piece + 1;
        n -= piece + 1;
    }
}

void tt_commands_tick(struct tt_service *s, struct tt_sim *sim)
{
    char piece[PIECE];
    ssize_t n;

    push(sim->commands);
    while ((n = read(sim->commands->pipes.from, piece, sizeof(piece))) > 0)
        take_bytes(s, sim, piece, (size_t)n);
}

/* --- the end -------------------------------------------------------------- */

static void keep_summary(const struct tt_sim *sim)
{
    char *path = tt_sim_path(sim, TT_SIM_SUMMARY);
    const char *text = sim->commands->summary;

    if (path && text)
        (void)!tt_file_replace(path, text, strlen(text),
                               NULL); /* then it is missing */
    tt_free(path);
}

int tt_commands_summary(const struct tt_sim *sim, struct tt_buf *out)
{
    const char *text = sim->commands ? sim->commands->summary : NULL;

    if (text)
        tt_buf_str(out, text);
    return text != NULL;
}

void tt_commands_end(struct tt_service *s, struct tt_sim *sim)
{
    tt_commands_tick(s, sim);
    keep_summary(sim);
}

void tt_commands_drop(struct tt_sim *sim)
{
    struct tt_commands *k = sim->commands;

    while (k && k->ask) {
        struct tt_request *r = tt_request_next(&k->ask->waiting);

        if (r) {
            tt_answer_error(
                &r->answer, sim->state == TT_SIM_FAILED ? sim->status : 409,
                "run %u has ended: %s", sim->id,
                sim->msg[0] ? sim->msg : tt_sim_state_name(sim->state));
            tt_request_send(r);
        }
        ask_free(k, k->ask);
    }
    tt_commands_free(k);
    sim->commands = NULL;
}
