/* SPDX-License-Identifier: MIT */
#include <libwebsockets.h>
#include <string.h>

#include "base/mem.h"
#include "serve/serve_impl.h"

/* WebSockets attached to a simulation. Slow readers miss messages. */

#define QUEUE_MAX ((size_t)4 << 20)

/* Messages that wait: each its length, then LWS_PRE bytes for the library,
 * then the text. */
struct tt_socket {
    struct lws *wsi;
    struct tt_sim *sim; /* NULL: it is gone */
    struct tt_socket *next;
    struct tt_buf queue;
    size_t at;  /* of the first that waits */
    int ending; /* close when all is sent */
};

struct tt_socket *tt_socket_new(void *wire, struct tt_sim *sim)
{
    struct tt_socket *k;

    if (!TT_NEW(k))
        return NULL;
    tt_buf_init(&k->queue, QUEUE_MAX);
    k->wsi = wire;
    k->sim = sim;
    k->next = sim->socket;
    sim->socket = k;
    return k;
}

void tt_socket_free(struct tt_socket *k)
{
    struct tt_socket **at = k && k->sim ? &k->sim->socket : NULL;

    if (!k)
        return;
    while (at && *at != k)
        at = &(*at)->next;
    if (at)
        *at = k->next;
    tt_buf_fini(&k->queue);
    tt_free(k);
}

void tt_sockets_send(struct tt_sim *sim, const char *text, size_t n)
{
    static const unsigned char room[LWS_PRE];

    for (struct tt_socket *k = sim->socket; k; k = k->next) {
        if (k->queue.len + sizeof(n) + LWS_PRE + n > QUEUE_MAX)
            continue;
        tt_buf_add(&k->queue, &n, sizeof(n));
        tt_buf_add(&k->queue, room, sizeof(room));
        tt_buf_add(&k->queue, text, n);
        lws_callback_on_writable(k->wsi);
    }
}

void tt_sockets_end(struct tt_sim *sim, int forget)
{
    struct tt_socket *k = sim->socket, *next;

    for (; k; k = next) {
        next = k->next;
        k->ending = 1;
        if (forget)
            k->sim = NULL;
        lws_callback_on_writable(k->wsi);
    }
    if (forget)
        sim->socket = NULL;
}

int tt_socket_writable(struct tt_socket *k)
{
    unsigned char *p;
    size_t n;

    if (!k)
        return -1;
    if (k->at >= k->queue.len) {
        tt_buf_clear(&k->queue);
        k->at = 0;
        if (!k->ending)
            return 0;
        lws_close_reason(k->wsi, LWS_CLOSE_STATUS_NORMAL, NULL, 0);
        return -1;
    }
    memcpy(&n, k->queue.data + k->at, sizeof(n));
    p = (unsigned char *)k->queue.data + k->at + sizeof(n) + LWS_PRE;
    k->at += sizeof(n) + LWS_PRE + n;
    if (lws_write(k->wsi, p, n, LWS_WRITE_TEXT) < 0)
        return -1;
    lws_callback_on_writable(k->wsi);
    return 0;
}
