/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "serve/api_impl.h"
#include "serve/feed_impl.h"
#include "serve/wire.h"
#include "sys/clock.h"

#define RECEIVED_MAX ((size_t)4 << 20)     /* bytes of a client's message */
#define GRACE_NS     ((uint64_t)100000000) /* for its first message */

/* --- messages ------------------------------------------------------------- */

struct tt_message {
    unsigned refs;
    size_t n;
    /* The library puts the frame's head before the text: the same for all. */
    unsigned char data[];
};

struct tt_message *tt_message_new(struct tt_buf *b)
{
    struct tt_message *m = NULL;

    if (!b->failed)
        m = tt_alloc(sizeof(*m) + LWS_PRE + b->len);
    if (m) {
        m->refs = 1;
        m->n = b->len;
        memcpy(m->data + LWS_PRE, b->data, b->len);
    }
    tt_buf_fini(b);
    return m;
}

static struct tt_message *take_ref(struct tt_message *m)
{
    if (m)
        m->refs++;
    return m;
}

void tt_message_unref(struct tt_message *m)
{
    if (m && --m->refs == 0)
        tt_free(m);
}

size_t tt_message_size(const struct tt_message *m)
{
    return m->n;
}

struct tt_message *tt_watcher_error(const char *text)
{
    struct tt_buf b;

    tt_buf_init(&b, TT_BODY_MAX);
    tt_json_text(&b, "{\"type\":\"error\",\"message\":", text);
    tt_buf_char(&b, '}');
    return tt_message_new(&b);
}

struct tt_message *tt_watcher_state(const struct tt_service *s,
                                    const struct tt_sim *sim, const char *type)
{
    struct tt_buf b;

    tt_buf_init(&b, TT_BODY_MAX);
    tt_buf_fmt(&b, "{\"type\":\"%s\",\"run\":", type);
    tt_api_put_run(&b, s, sim);
    tt_buf_char(&b, '}');
    return tt_message_new(&b);
}

/* --- watchers ------------------------------------------------------------- */

void tt_watcher_give(struct tt_watcher *w, enum tt_slot_kind kind,
                     struct tt_message *m)
{
    tt_message_unref(w->slot[kind]);
    w->slot[kind] = take_ref(m);
    lws_callback_on_writable(w->wire);
}

/* Out of its channel, which goes with the last. */
static void leave(struct tt_watcher *w)
{
    struct tt_channel *c = w->channel;
    struct tt_watcher **at = c ? &c->watcher : NULL;

    if (!c)
        return;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    w->channel = NULL;
    w->next = NULL;
    if (--c->n_watcher == 0)
        tt_feed_left(w->sim, c);
}

void tt_watcher_close(struct tt_watcher *w)
{
    w->closing = 1;
    lws_callback_on_writable(w->wire);
}

static void clear(struct tt_watcher *w, enum tt_slot_kind kind)
{
    tt_message_unref(w->slot[kind]);
    w->slot[kind] = NULL;
}

static void complain(struct tt_watcher *w, const char *text)
{
    struct tt_message *m = tt_watcher_error(text);

    tt_watcher_give(w, TT_SLOT_ERROR, m);
    tt_message_unref(m);
}

static void select_rows(struct tt_watcher *w, const struct tt_selection *want,
                        uint64_t hold_ns)
{
    struct tt_feed *f = tt_feed_of(w->sim);
    struct tt_sim *sim = w->sim;
    tt_err err;

    if (f && tt_feed_check(f, want, &err) != TT_OK) {
        complain(w, err.msg);
        return;
    }
    leave(w);
    clear(w, TT_SLOT_COLUMNS);
    clear(w, TT_SLOT_ROWS);
    f = tt_feed_of(sim); /* it may have gone with the last watcher */
    if (!f || !tt_feed_join(f, w, want, hold_ns)) {
        complain(w, "too many different selections of this run are watched");
        tt_watcher_close(w);
    }
}

struct tt_watcher *tt_watcher_open(struct tt_service *s, void *wire,
                                   struct tt_sim *sim)
{
    struct tt_selection all;
    struct tt_message *m;
    struct tt_watcher *w;

    if (!TT_NEW(w))
        return NULL;
    w->wire = wire;
    w->sim = sim;
    tt_buf_init(&w->received, RECEIVED_MAX);
    tt_selection_init(&all);
    select_rows(w, &all, tt_clock_ns() + GRACE_NS);
    m = tt_watcher_state(s, sim, "state");
    tt_watcher_give(w, TT_SLOT_STATE, m);
    tt_message_unref(m);
    tt_loop_hurry(s);
    return w;
}

void tt_watcher_free(struct tt_watcher *w)
{
    if (!w)
        return;
    leave(w);
    for (int i = 0; i < TT_SLOT_N; i++)
        tt_message_unref(w->slot[i]);
    tt_buf_fini(&w->received);
    tt_free(w);
}

int tt_watcher_writable(struct tt_watcher *w)
{
    struct tt_message *m = NULL;
    int kind = 0, rc;

    while (kind < TT_SLOT_N && !w->slot[kind])
        kind++;
    if (kind == TT_SLOT_N) {
        if (!w->closing)
            return 0;
        lws_close_reason(w->wire, LWS_CLOSE_STATUS_NORMAL, NULL, 0);
        return -1;
    }
    m = w->slot[kind];
    w->slot[kind] = NULL;
    rc = lws_write(w->wire, m->data + LWS_PRE, m->n, LWS_WRITE_TEXT);
    tt_message_unref(m);
    if (kind == TT_SLOT_END)
        w->closing = 1;
    lws_callback_on_writable(w->wire);
    return rc < 0 ? -1 : 0;
}

/* --- messages of clients ---------------------------------------------------
 */

static void take_selection(struct tt_service *s, struct tt_watcher *w)
{
    struct tt_selection want;
    tt_err err;

    if (w->sim &&
        tt_selection_parse(&want, w->received.data ? w->received.data : "",
                           w->received.len, &err) == TT_OK) {
        select_rows(w, &want, 0);
        tt_selection_fini(&want);
        tt_loop_hurry(s);
    } else if (w->sim) {
        complain(w, err.msg);
    }
    tt_buf_clear(&w->received);
}

int tt_watcher_receive(struct tt_service *s, struct tt_watcher *w,
                       const void *data, size_t n)
{
    if (w->closing)
        return 0;
    tt_buf_add(&w->received, data, n);
    if (w->received.failed)
        return -1;
    if (lws_is_final_fragment(w->wire) &&
        !lws_remaining_packet_payload(w->wire))
        take_selection(s, w);
    return 0;
}

/* "/api/v1/sessions/{session}/runs/{run}/live" */
struct tt_sim *tt_watcher_find(struct tt_service *s, const char *path)
{
    static const char lead[] = "/api/v1/sessions/", runs[] = "/runs/",
                      live[] = "/live";
    const char *p = path;
    struct tt_session *ses;
    char id[TT_ID_SIZE];
    char *end;
    unsigned long n;

    if (strncmp(p, lead, sizeof(lead) - 1) != 0)
        return NULL;
    p += sizeof(lead) - 1;
    if (strlen(p) < TT_ID_SIZE)
        return NULL;
    memcpy(id, p, TT_ID_SIZE - 1);
    id[TT_ID_SIZE - 1] = '\0';
    p += TT_ID_SIZE - 1;
    ses = tt_session_is_id(id) ? tt_session_find(s, id) : NULL;
    if (!ses || strncmp(p, runs, sizeof(runs) - 1) != 0)
        return NULL;
    p += sizeof(runs) - 1;
    if (*p < '1' || *p > '9')
        return NULL;
    n = strtoul(p, &end, 10);
    return n < UINT32_MAX && strcmp(end, live) == 0
               ? tt_sim_find(s, ses, (unsigned)n)
               : NULL;
}
