/* SPDX-License-Identifier: MIT */
/* A proxy's side of the messages, and the news they bring. */
#include <string.h>

#include "remote/proxy_impl.h"

#define QUEUE_MOST ((size_t)1 << 20) /* bytes of commands that wait */

enum tt_code tt_proxy_nonsense(tt_err *err)
{
    return tt_fail(err, TT_ECRASH, "its worker's answer makes no sense");
}

/* --- commands ----------------------------------------------------------- */

void tt_proxy_open(struct tt_proxy *p)
{
    if (p->n_waiting > 0)
        return;
    tt_wire_empty(&p->out);
    (void)tt_wire_room(&p->out, TT_WIRE_HEAD);
}

void tt_proxy_put(struct tt_proxy *p, enum tt_wire_command c)
{
    tt_proxy_open(p);
    tt_wire_u8(&p->out, (unsigned)c);
    p->n_waiting++;
}

void tt_proxy_stale(struct tt_proxy *p)
{
    p->fresh = 0;
}

enum tt_code tt_proxy_queued(struct tt_proxy *p, tt_err *err)
{
    if (p->out.failed) {
        p->n_waiting = 0;
        return tt_fail(err, TT_ENOMEM, "out of memory");
    }
    return p->out.n > QUEUE_MOST ? tt_proxy_call(p, 0, NULL, err) : TT_OK;
}

/* --- news --------------------------------------------------------------- */

struct tt_news *tt_proxy_news(struct tt_proxy *p, enum tt_wire_command c,
                              uint32_t order, const uint32_t *port, size_t n)
{
    for (size_t i = 0; i < p->n_news; i++) {
        struct tt_news *v = &p->news[i];

        if (v->command == c && v->order == order && v->n == n &&
            (n == 0 || !memcmp(v->port, port, n * sizeof(*port))))
            return v;
    }
    return NULL;
}

/* Texts that came are read later. */
static enum tt_code hold_news(const struct tt_proxy *p, const struct tt_news *v)
{
    return tt_type_is_text(v->shape.type)
               ? tt_texts_hold(p->base.texts, v->value, v->shape.n_bytes, NULL)
               : TT_OK;
}

enum tt_code tt_proxy_watch(struct tt_proxy *p, enum tt_wire_command c,
                            uint32_t order, const uint32_t *port, size_t n,
                            tt_err *err)
{
    struct tt_news v = {.command = (uint8_t)c,
                        .order = order,
                        .n = (uint32_t)n,
                        .shape = tt_wire_shape_of(p->base.desc, port, n)};

    if (p->n_news == TT_WIRE_WATCH_MAX || tt_proxy_news(p, c, order, port, n))
        return TT_OK;
    v.port = tt_zalloc(n, sizeof(*v.port));
    v.value = tt_zalloc(v.shape.n_bytes, 1);
    if (!v.port || !v.value || TT_GROW(p->news, p->n_news, p->cap_news) ||
        hold_news(p, &v)) {
        TT_FREE_ALL(v.port, v.value);
        return tt_fail(err, TT_ENOMEM, "out of memory");
    }
    if (n)
        memcpy(v.port, port, n * sizeof(*port));
    p->news[p->n_news++] = v;
    return TT_OK;
}

enum tt_code tt_proxy_resize_news(struct tt_proxy *p, tt_err *err)
{
    for (size_t i = 0; i < p->n_news; i++) {
        struct tt_news *v = &p->news[i];
        struct tt_wire_shape s = tt_wire_shape_of(p->base.desc, v->port, v->n);
        void *more;

        tt_texts_release(p->base.texts, v->value);
        more = tt_resize(v->value, s.n_bytes, 1);
        if (!more)
            return tt_fail(err, TT_ENOMEM, "out of memory");
        v->value = more;
        v->shape = s;
        v->valid = 0;
        if (hold_news(p, v))
            return tt_fail(err, TT_ENOMEM, "out of memory");
    }
    return TT_OK;
}

void tt_proxy_put_watches(struct tt_proxy *p, struct tt_wire *w)
{
    for (; p->n_sent < p->n_news; p->n_sent++) {
        const struct tt_news *v = &p->news[p->n_sent];

        tt_wire_u8(w, TT_WIRE_WATCH);
        tt_wire_u32(w, (uint32_t)p->n_sent);
        tt_wire_u8(w, v->command);
        tt_wire_u32(w, v->order);
        tt_wire_ports(w, v->port, v->n);
    }
}

static void take_news(struct tt_proxy *p, struct tt_wire_in r)
{
    for (size_t i = 0; i < p->n_news; i++)
        p->news[i].valid = 0;
    for (size_t i = 0; i < p->n_news && r.at < r.end && !r.bad; i++) {
        struct tt_news *v = &p->news[i];

        if (!tt_wire_get_flag(&r))
            break;
        tt_wire_get_shaped(&r, &v->shape, v->value, p->base.texts);
        v->valid = !r.bad;
    }
    p->fresh = 1;
}

/* --- bodies ------------------------------------------------------------- */

enum tt_stream_end tt_proxy_write(struct tt_proxy *p, const char *body,
                                  size_t n)
{
    char head[TT_WIRE_HEAD];
    enum tt_stream_end end;

    p->seq++;
    p->requests++;
    tt_wire_put_head(
        head, &(struct tt_wire_head){(uint32_t)n, p->seq, TT_WIRE_REQUEST});
    end = tt_stream_write(p->stream, head, sizeof(head));
    return end == TT_STREAM_OK ? tt_stream_write(p->stream, body, n) : end;
}

/* Head and body in one piece, since room for the head is there. */
static enum tt_stream_end write_out(struct tt_proxy *p)
{
    p->seq++;
    p->requests++;
    tt_wire_put_head(p->out.data,
                     &(struct tt_wire_head){(uint32_t)(p->out.n - TT_WIRE_HEAD),
                                            p->seq, TT_WIRE_REQUEST});
    return tt_stream_write(p->stream, p->out.data, p->out.n);
}

enum tt_stream_end tt_proxy_read(struct tt_proxy *p)
{
    char head[TT_WIRE_HEAD];
    struct tt_wire_head h;
    enum tt_stream_end end = tt_stream_read(p->stream, head, sizeof(head));
    char *body;

    tt_wire_empty(&p->in);
    if (end != TT_STREAM_OK)
        return end;
    if (tt_wire_get_head(head, TT_WIRE_MAX, &h, NULL) != TT_OK)
        return TT_STREAM_GONE;
    if (h.type == TT_WIRE_LAST_WORDS && h.n < TT_WIRE_LAST_MAX) {
        if (tt_stream_read(p->stream, p->stream->why, h.n) == TT_STREAM_OK)
            p->stream->why[h.n] = '\0';
        return TT_STREAM_GONE;
    }
    if (h.type != TT_WIRE_ANSWER || h.seq != p->seq)
        return TT_STREAM_GONE;
    body = tt_wire_room(&p->in, h.n);
    if (!body)
        return TT_STREAM_GONE;
    p->answers++;
    return tt_stream_read(p->stream, body, h.n);
}

/* --- answers ------------------------------------------------------------ */

/* Mostly it logged nothing, and nothing is lost. */
static int is_silent(const struct tt_wire_in *r)
{
    static const char silence[8];

    return r->end - r->at == sizeof(silence) &&
           memcmp(r->at, silence, sizeof(silence)) == 0;
}

/* What the unit logged meanwhile. */
static void pass_on_words(struct tt_proxy *p, struct tt_wire_in *r)
{
    uint32_t n = tt_wire_get_count(r, 10);
    uint32_t lost;

    for (uint32_t i = 0; i < n && !r->bad; i++) {
        unsigned level = tt_wire_get_u8(r);
        unsigned by_unit = tt_wire_get_flag(r);
        tt_arena *a = tt_arena_new();
        const char *category = a ? tt_wire_get_text(r, a) : NULL;
        const char *text = a ? tt_wire_get_text(r, a) : NULL;

        if (text && level <= TT_LOG_ERROR && !r->bad)
            tt_log_unit(p->base.log, (enum tt_log_level)level,
                        by_unit ? p->base.name : NULL, category, text);
        r->bad |= !text || level > TT_LOG_ERROR;
        tt_arena_free(a);
    }
    lost = tt_wire_get_u32(r);
    if (lost && !r->bad)
        tt_log(
            p->base.log, TT_LOG_WARN,
            "instance '%s': %u of its messages are lost, there were too many",
            p->base.name, (unsigned)lost);
}

/* A command that waited failed: the one the caller waits for was not made. */
static enum tt_code failed_before(unsigned command, unsigned code,
                                  struct tt_wire_in *result, tt_err *err)
{
    (void)tt_wire_failure(code, result, err);
    return tt_context(err, TT_EUNIT, "%s", tt_wire_name(command));
}

static int is_next(const struct tt_wire_in *r, enum tt_wire_command c)
{
    return !r->bad && r->at < r->end && (unsigned char)*r->at == c;
}

/* All results up to the one the caller waits for, and the news behind it. */
static enum tt_code read_results(struct tt_proxy *p, struct tt_wire_in *r,
                                 struct tt_wire_in *main_result, tt_err *err)
{
    unsigned command = 0, code = TT_OK;
    struct tt_wire_in result = {0};

    for (uint32_t i = 0; i <= p->main_at; i++) {
        command = tt_wire_result(r, &code, &result);
        if (!command)
            return tt_proxy_nonsense(err);
        if (code != TT_OK && i < p->main_at)
            return failed_before(command, code, &result, err);
        if (code != TT_OK)
            return tt_wire_failure(code, &result, err);
    }
    *main_result = result;
    if (command == TT_WIRE_NEWS)
        take_news(p, result);
    while (is_next(r, TT_WIRE_WATCH) || is_next(r, TT_WIRE_NEWS)) {
        command = tt_wire_result(r, &code, &result);
        if (code != TT_OK)
            return tt_proxy_nonsense(err);
        if (command == TT_WIRE_NEWS)
            take_news(p, result);
    }
    return r->bad ? tt_proxy_nonsense(err) : TT_OK;
}

/* To behind the results, where the words are. */
static void skip_results(struct tt_wire_in *r)
{
    struct tt_wire_in result;
    unsigned code;

    while (tt_wire_result(r, &code, &result))
        ;
}

static enum tt_code read_answer(struct tt_proxy *p,
                                struct tt_wire_in *main_result, tt_err *err)
{
    struct tt_wire_in r = tt_wire_from(p->in.data, p->in.n), words;
    enum tt_code rc = read_results(p, &r, main_result, err);

    words = r;
    skip_results(&words);
    if (!is_silent(&words))
        pass_on_words(p, &words);
    if (words.bad)
        rc = tt_proxy_nonsense(err);
    tt_proxy_note(p);
    if (p->j.asked && rc == TT_OK)
        rc = tt_proxy_read_state(p, &r, err);
    p->j.asked = 0;
    return rc;
}

/* --- exchange ----------------------------------------------------------- */

static enum tt_code write_or_revive(struct tt_proxy *p, tt_err *err)
{
    enum tt_stream_end end = write_out(p);
    enum tt_code rc = TT_OK;

    while (end != TT_STREAM_OK && rc == TT_OK) {
        rc = tt_proxy_revive(p, end, err);
        if (rc == TT_OK)
            end = write_out(p);
    }
    return rc;
}

enum tt_code tt_proxy_send(struct tt_proxy *p, int news, tt_err *err)
{
    enum tt_code rc;

    TT_ASSERT(p->n_waiting > 0 && !p->sent);
    p->main_at = p->n_waiting - 1;
    tt_proxy_put_watches(p, &p->out);
    if (news && p->n_news)
        tt_wire_u8(&p->out, TT_WIRE_NEWS);
    p->body_end = p->out.n;
    tt_proxy_put_state(p);
    p->n_waiting = 0; /* whatever happens, they are not sent again */
    if (p->out.failed)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    if (!p->stream)
        return tt_fail(err, TT_ECRASH, "its worker is gone");
    rc = write_or_revive(p, err);
    p->sent = rc == TT_OK;
    return rc;
}

enum tt_code tt_proxy_await(struct tt_proxy *p, struct tt_wire_in *r,
                            tt_err *err)
{
    struct tt_wire_in unused;
    enum tt_code rc = TT_OK;
    enum tt_stream_end end;

    TT_ASSERT(p->sent);
    tt_proxy_jot(p);
    while ((end = tt_proxy_read(p)) != TT_STREAM_OK && rc == TT_OK) {
        rc = tt_proxy_revive(p, end, err);
        if (rc == TT_OK)
            rc = write_or_revive(p, err);
        if (rc != TT_OK)
            break;
    }
    p->sent = 0;
    p->ahead = 0;
    tt_signs_move(p->signs); /* a wrapper may ask again in one call */
    if (rc == TT_OK)
        rc = read_answer(p, r ? r : &unused, err);
    return rc;
}

enum tt_code tt_proxy_call(struct tt_proxy *p, int news, struct tt_wire_in *r,
                           tt_err *err)
{
    enum tt_code rc = tt_proxy_send(p, news, err);

    return rc == TT_OK ? tt_proxy_await(p, r, err) : rc;
}

enum tt_code tt_proxy_settle(struct tt_proxy *p, tt_err *err)
{
    p->ahead = 0;
    if (!p->sent)
        return TT_OK;
    tt_proxy_stale(p);
    return tt_proxy_await(p, NULL, err);
}

enum tt_code tt_proxy_begin(struct tt_proxy *p, enum tt_wire_command c,
                            tt_err *err)
{
    enum tt_code rc = tt_proxy_settle(p, err);

    if (rc == TT_OK)
        tt_proxy_put(p, c);
    return rc;
}

enum tt_code tt_proxy_change(struct tt_proxy *p, enum tt_wire_command c,
                             tt_err *err)
{
    enum tt_code rc = tt_proxy_settle(p, err);

    if (rc != TT_OK)
        return rc;
    tt_proxy_stale(p);
    tt_proxy_put(p, c);
    return TT_OK;
}
