/* SPDX-License-Identifier: MIT */
#include "remote/listen.h"

#include <stdio.h>
#include <string.h>

#include "remote/wire.h"
#include "remote/worker.h"
#include "sys/child.h"
#include "sys/stream.h"
#include "sys/tcp.h"
#include "sys/tls.h"

#define SHAKE_NS UINT64_C(10000000000) /* for strangers to shake hands */
#define LOOK_MS  50 /* between looks whether somebody has died */

struct visit {
    const struct tt_listen *listen;
    const tt_tls *tls; /* or NULL */
    char peer[TT_ADDR_MAX];
    int fd;  /* ours to say last words on */
    int pid; /* 0: this place is free */
};

static int visit_main(void *ctx)
{
    const struct visit *v = ctx;
    const struct tt_listen *l = v->listen;
    const struct tt_worker_host host = {.token = l->token,
                                        .dir = l->dir,
                                        .cache = l->cache,
                                        .peer = v->peer,
                                        .log = l->log};
    tt_stream *s = NULL;
    tt_err err = {.msg = "out of memory"};
    int bad;

    if (!v->tls)
        s = tt_tcp_stream(v->fd);
    else if (tt_tls_stream(&s, v->tls, v->fd, NULL, SHAKE_NS, &err) != TT_OK)
        s = NULL;
    if (!s) {
        tt_log(l->log, TT_LOG_WARN, "%s: refused: %s", v->peer, err.msg);
        return 1;
    }
    bad = tt_worker_serve(s, &host);
    tt_stream_close(s);
    return bad;
}

/* The master does not see how the process ended; we do. */
static void say_last_words(const struct visit *v, const char *words)
{
    char message[TT_WIRE_HEAD + TT_WIRE_LAST_MAX];
    size_t n = strlen(words);

    if (v->tls) /* what was not encrypted would make no sense there */
        return;
    tt_wire_put_head(
        message, &(struct tt_wire_head){(uint32_t)n, 0, TT_WIRE_LAST_WORDS});
    (void)snprintf(message + TT_WIRE_HEAD, TT_WIRE_LAST_MAX, "%s", words);
    tt_tcp_say(v->fd, message, TT_WIRE_HEAD + n);
}

static void see_off(struct visit *v, const struct tt_proc_result *how)
{
    char words[100] = "";

    if (how->how == TT_PROC_KILLED)
        (void)snprintf(words, sizeof(words), "its process there died of %s",
                       tt_signal_name(how->value));
    else if (how->value > 1)
        (void)snprintf(words, sizeof(words),
                       "it ended its process there (exit code %d)", how->value);
    if (words[0]) {
        tt_log(v->listen->log, TT_LOG_WARN, "%s: %s", v->peer, words);
        say_last_words(v, words);
    } else {
        tt_log(v->listen->log, TT_LOG_INFO, "%s: gone", v->peer);
    }
    tt_tcp_close(v->fd);
    v->pid = 0;
}

static void look_after(struct visit *visit, uint32_t n)
{
    struct tt_proc_result how;

    for (uint32_t i = 0; i < n; i++)
        if (visit[i].pid && tt_child_ended(visit[i].pid) &&
            tt_child_poll(visit[i].pid, &how))
            see_off(&visit[i], &how);
}

static void take_in(const struct tt_listen *l, const tt_tls *tls,
                    struct visit *visit, int fd, const char *peer)
{
    struct visit *v = visit;
    tt_err err;

    while (v < visit + l->most && v->pid)
        v++;
    if (v == visit + l->most) {
        tt_log(l->log, TT_LOG_WARN, "%s: refused: %u are here already", peer,
               (unsigned)l->most);
        tt_tcp_close(fd);
        return;
    }
    v->listen = l;
    v->tls = tls;
    v->fd = fd;
    (void)snprintf(v->peer, sizeof(v->peer), "%s", peer);
    if (tt_child_fork(&(struct tt_child_copy){.main_cb = visit_main,
                                              .ctx = v,
                                              .keep_fd = fd,
                                              .sandbox = l->sandbox},
                      &v->pid, &err) != TT_OK) {
        tt_log(l->log, TT_LOG_ERROR, "%s: %s", peer, err.msg);
        tt_tcp_close(fd);
        v->pid = 0;
        return;
    }
    tt_log(l->log, TT_LOG_INFO, "%s: came", peer);
}

enum tt_code tt_listen_serve(const struct tt_listen *l, tt_err *err)
{
    struct visit *visit;
    char bound[TT_ADDR_MAX] = "?";
    int listening = -1;
    tt_tls *tls = NULL;
    enum tt_code rc = TT_OK;

    if (!TT_NEW_ARRAY(visit, l->most))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    if (l->cert)
        rc = tt_tls_server(&tls, l->cert, l->key, err);
    if (rc == TT_OK)
        rc = tt_tcp_listen(l->host, l->port, &listening, bound, err);
    if (rc == TT_OK && l->ready_cb)
        l->ready_cb(l->ctx, bound);
    while (rc == TT_OK && !*l->stop) {
        char peer[TT_ADDR_MAX];
        int fd;

        rc = tt_tcp_accept(listening, LOOK_MS, &fd, peer, err);
        if (rc == TT_OK && fd >= 0)
            take_in(l, tls, visit, fd, peer);
        look_after(visit, l->most);
    }
    for (uint32_t i = 0; i < l->most; i++)
        if (visit[i].pid) {
            tt_child_kill(visit[i].pid);
            tt_tcp_close(visit[i].fd);
        }
    tt_tcp_close(listening);
    tt_tls_free(tls);
    tt_free(visit);
    return rc;
}
