/* SPDX-License-Identifier: MIT */
/* The worker's side of the messages. */
#include "remote/worker.h"

#include <string.h>

#include "remote/worker_impl.h"

#define HELLO_NS UINT64_C(10000000000) /* for the first message */
#define LOG_MOST ((size_t)1 << 20)     /* bytes kept between two answers */

/* --- what the unit logs ------------------------------------------------ */

static void keep_words(void *ctx, const struct tt_log_record *r)
{
    struct tt_worker *w = ctx;

    tt_lock_take(&w->lock);
    atomic_store_explicit(&w->logged, 1, memory_order_relaxed);
    if (w->messages.n + strlen(r->text) > LOG_MOST) {
        w->n_lost++;
    } else {
        tt_wire_u8(&w->messages, (unsigned)r->level);
        tt_wire_u8(&w->messages, r->unit != NULL);
        tt_wire_text(&w->messages, r->category);
        tt_wire_text(&w->messages, r->text);
        w->n_logged++;
    }
    tt_lock_give(&w->lock);
}

static void put_messages(struct tt_worker *w)
{
    char *at;

    if (!atomic_load_explicit(&w->logged, memory_order_relaxed)) {
        tt_wire_u64(&w->out, 0); /* no words, none lost */
        return;
    }
    tt_lock_take(&w->lock);
    atomic_store_explicit(&w->logged, 0, memory_order_relaxed);
    if (w->messages.failed)
        w->n_logged = 0;
    tt_wire_u32(&w->out, w->n_logged);
    if (w->n_logged) {
        at = tt_wire_room(&w->out, w->messages.n);
        if (at)
            memcpy(at, w->messages.data, w->messages.n);
    }
    tt_wire_u32(&w->out, w->n_lost);
    tt_wire_empty(&w->messages);
    w->n_logged = w->n_lost = 0;
    tt_lock_give(&w->lock);
}

/* --- commands ----------------------------------------------------------- */

/* The master stamps the unit's name, its call and the time on what it passes
 * on: here they would stand twice. */
static const char *without_stamp(const struct tt_worker *w, const char *msg,
                                 const char *command)
{
    size_t n = w->unit ? strlen(w->unit->name) : 0,
           lead = strlen(TT_UNIT_STAMP);
    const char *at = msg;

    if (!w->unit || strncmp(at, TT_UNIT_STAMP, lead) != 0 ||
        strncmp(at + lead, w->unit->name, n) != 0)
        return msg;
    at = strstr(at + lead + n, "): ");
    if (!at)
        return msg;
    at += 3;
    n = strlen(command);
    if (strncmp(at, command, n) == 0 && strstr(at + n, ": "))
        at = strstr(at + n, ": ") + 2;
    return at;
}

static int is_allowed(const struct tt_worker *w, unsigned command)
{
    if (!w->welcome)
        return command == TT_WIRE_HELLO;
    return command != TT_WIRE_HELLO && !w->done &&
           (w->unit || command <= TT_WIRE_MAKE || command == TT_WIRE_BYE);
}

static void put_failure(struct tt_worker *w, size_t at, unsigned command,
                        enum tt_code rc, const tt_err *err)
{
    if (w->out.failed)
        return;
    w->out.n = at;
    tt_wire_text(&w->out, without_stamp(w, err->msg, tt_wire_name(command)));
    tt_wire_put_result(&w->out, at, command, rc);
}

void tt_worker_put_failure(struct tt_worker *w, unsigned command,
                           enum tt_code rc, const tt_err *err)
{
    put_failure(w, tt_wire_begin_result(&w->out), command, rc, err);
}

static enum tt_code obey(struct tt_worker *w, unsigned command,
                         struct tt_wire_in *a)
{
    tt_worker_fn fn = command < TT_WIRE_COUNT ? tt_worker_call[command] : NULL;
    enum tt_code rc;
    size_t at;
    tt_err err; /* large: not cleared for every command */

    if (!fn || !is_allowed(w, command)) {
        a->bad = 1;
        return TT_EINPUT;
    }
    at = tt_wire_begin_result(&w->out);
    err.msg[0] = '\0';
    rc = fn(w, a, &w->out, &err);
    if (a->bad)
        return TT_EINPUT;
    if (rc == TT_OK)
        tt_wire_put_result(&w->out, at, command, rc);
    else
        put_failure(w, at, command, rc, &err);
    return rc;
}

/* All commands of a request, up to the first that fails. 0: it was no
 * request. */
static int obey_all(struct tt_worker *w, struct tt_wire_in *a)
{
    char *head;

    tt_wire_empty(&w->out);
    head = tt_wire_room(&w->out, TT_WIRE_HEAD);
    if (!head)
        return 0;
    while (a->at < a->end && !a->bad) {
        if (w->unit && !tt_worker_play(w, a))
            break;
        if (a->at < a->end && obey(w, tt_wire_get_u8(a), a) != TT_OK)
            break;
    }
    if (a->bad)
        return 0;
    tt_wire_u8(&w->out, 0); /* no more results */
    put_messages(w);
    return !w->out.failed;
}

/* --- messages ----------------------------------------------------------- */

enum got { GOT, GOT_NOTHING, GOT_NONSENSE };

static enum got refuse(const struct tt_worker *w, const char *why)
{
    if (w->host->peer)
        tt_log(w->host->log, TT_LOG_WARN, "%s: refused: %s", w->host->peer,
               why);
    return GOT_NONSENSE;
}

static enum got receive(struct tt_worker *w, struct tt_wire_head *h)
{
    char head[TT_WIRE_HEAD];
    char *body;
    tt_err err;

    if (tt_stream_read(w->stream, head, sizeof(head)) != TT_STREAM_OK)
        return GOT_NOTHING;
    if (tt_wire_get_head(head, w->welcome ? TT_WIRE_MAX : TT_WIRE_HELLO_MAX, h,
                         &err) != TT_OK)
        return refuse(w, err.msg);
    if (h->type != TT_WIRE_REQUEST)
        return refuse(w, "an answer to no request");
    tt_wire_empty(&w->in);
    body = tt_wire_room(&w->in, h->n);
    if (!body)
        return refuse(w, "out of memory");
    if (tt_stream_read(w->stream, body, h->n) != TT_STREAM_OK)
        return refuse(w, "the connection ended in the middle of a message");
    return GOT;
}

static enum got serve_one(struct tt_worker *w)
{
    struct tt_wire_head h = {0};
    enum got got = receive(w, &h);
    struct tt_wire_in a;
    int was_welcome = w->welcome;

    if (got != GOT)
        return got;
    a = tt_wire_from(w->in.data, h.n);
    if (!obey_all(w, &a))
        return refuse(w, "a message that makes no sense");
    tt_wire_put_head(w->out.data,
                     &(struct tt_wire_head){(uint32_t)(w->out.n - TT_WIRE_HEAD),
                                            h.seq, TT_WIRE_ANSWER});
    if (tt_stream_write(w->stream, w->out.data, w->out.n) != TT_STREAM_OK)
        return GOT_NOTHING;
    if (!was_welcome && !w->welcome) /* HELLO has given the reason */
        return GOT_NONSENSE;
    tt_texts_sweep(w->texts);
    w->stream->patience_ns = 0; /* a friend may think as long as it likes */
    return GOT;
}

static void fini(struct tt_worker *w)
{
    tt_unit_free(w->unit);
    if (w->own_type && w->type)
        w->type->kind->close(w->type);
    tt_worker_drop_put(w);
    tt_worker_unlearn(w);
    tt_free(w->set);
    for (size_t i = 0; i < w->n_subscription; i++)
        tt_worker_drop_list(&w->subscription[i].list);
    tt_worker_drop_pieces(w);
    TT_FREE_ALL(w->subscription, w->port, w->piece, w->value, w->path);
    tt_wire_fini(&w->in);
    tt_wire_fini(&w->out);
    tt_wire_fini(&w->messages);
    tt_lock_fini(&w->lock);
    tt_arena_free(w->arena);
    tt_texts_free(w->texts);
}

int tt_worker_serve(tt_stream *s, const struct tt_worker_host *h)
{
    struct tt_worker w = {.host = h,
                          .stream = s,
                          .type = h->type,
                          .welcome = h->token == NULL,
                          .arena = tt_arena_new(),
                          .texts = tt_texts_new()};
    enum got got = GOT;

    tt_lock_init(&w.lock);
    if (h->token)
        s->patience_ns = HELLO_NS;
    w.log = (struct tt_log){.sink_cb = keep_words, .ctx = &w};
    while (w.arena && w.texts && !w.done && got == GOT)
        got = serve_one(&w);
    fini(&w);
    return got == GOT_NONSENSE;
}
