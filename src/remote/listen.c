/* SPDX-License-Identifier: MIT */
#include "remote/listen.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote/wire.h"
#include "remote/worker.h"
#include "sys/child.h"
#include "sys/file.h"
#include "sys/shared.h"
#include "sys/spin.h"
#include "sys/capture.h"
#include "sys/stream.h"
#include "sys/tcp.h"
#include "sys/tls.h"

#define SHAKE_NS UINT64_C(10000000000) /* for a handshake */
#define LOOK_MS  50 /* between looks whether a process has died */

/* Shared with the processes of connections until they open an FMU: who has
 * sent the token. */
struct gate {
    _Atomic uint32_t n;         /* that have */
    _Atomic unsigned char by[]; /* each place */
};

struct host {
    const struct tt_listen *listen;
    const tt_tls *tls; /* or NULL */
    struct gate *gate;
    struct visit *visit;
    uint32_t n_visit;
    uint64_t n_came;
};

struct visit {
    struct host *host;
    char peer[TT_ADDR_MAX];
    char *folder;  /* owned, or NULL: there is none */
    uint64_t came; /* the how manieth it was */
    int fd;        /* ours to send last words on */
    int pid;       /* 0: this place is free */
};

/* --- in its process ------------------------------------------------------- */

static _Atomic unsigned char *gate_of(const struct visit *v)
{
    return &v->host->gate->by[v - v->host->visit];
}

static int is_unknown(const struct visit *v)
{
    return v->pid && !atomic_load(gate_of(v));
}

static int be_welcome(void *ctx)
{
    const struct visit *v = ctx;
    struct gate *g = v->host->gate;

    if (atomic_fetch_add(&g->n, 1) >= v->host->listen->most) {
        atomic_fetch_sub(&g->n, 1);
        return 0;
    }
    atomic_store(gate_of(v), 1);
    return 1;
}

/* A box in the box: from here on a unit is about. */
static enum tt_code be_confined(void *ctx, tt_err *err)
{
    const struct visit *v = ctx;
    const struct tt_listen *l = v->host->listen;
    const char *own[] = {v->folder}, *hide[] = {l->temp, l->cache};
    const struct tt_sandbox s = {.guards = TT_GUARD_FILES,
                                 .write = own,
                                 .n_write = 1,
                                 .hide = hide,
                                 .n_hide = l->cache ? 2 : 1};
    struct tt_box box = {.ruleset = -1};
    enum tt_code rc = TT_OK;

    if (tt_shared_leave(NULL) != 0)
        return tt_fail(err, TT_EIO, "cannot give up the worker's memory");
    if (!v->folder || !l->sandbox || !(l->sandbox->guards & TT_GUARD_FILES))
        return TT_OK;
    rc = tt_box_open(&box, &s, err);
    if (rc == TT_OK)
        rc = tt_box_enter(&box, err);
    tt_box_close(&box);
    return rc;
}

static tt_stream *open_stream(const struct visit *v)
{
    tt_stream *s = NULL;
    tt_err err = {.msg = "out of memory"};

    if (!v->host->tls)
        s = tt_tcp_stream(v->fd);
    else if (tt_tls_stream(&s, v->host->tls, v->fd, NULL, SHAKE_NS, &err) !=
             TT_OK)
        s = NULL;
    if (!s)
        tt_log(v->host->listen->log, TT_LOG_WARN, "%s: refused: %s", v->peer,
               err.msg);
    return s;
}

/* Where a core is free for each process they spin for the next message. */
static uint32_t count_others(const struct host *h)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < h->n_visit; i++)
        n += h->visit[i].pid != 0;
    return n;
}

static int visit_main(void *ctx)
{
    struct visit *v = ctx;
    const struct tt_listen *l = v->host->listen;
    const struct tt_worker_host host = {.token = l->token,
                                        .dir = l->dir,
                                        .cache = l->cache,
                                        .folder = v->folder,
                                        .peer = v->peer,
                                        .log = l->log,
                                        .ctx = v,
                                        .welcome_cb = be_welcome,
                                        .most = l->most,
                                        .confine_cb = be_confined};
    tt_stream *s;
    int bad;

    if (v->folder)
        setenv("TMPDIR", v->folder, 1); /* for what its unit unpacks */
    tt_spin_join(count_others(v->host));
    s = open_stream(v);
    if (!s)
        return 1;
    tt_stdout_to_stderr();
    bad = tt_worker_serve(s, &host);
    tt_stream_close(s);
    return bad;
}

/* --- here ------------------------------------------------------------------
 */

/* The master does not see how the process ended; we do. */
static void send_last_words(const struct visit *v, const char *words)
{
    char message[TT_WIRE_HEAD + TT_WIRE_LAST_MAX];
    size_t n = strlen(words);

    if (v->host->tls) /* what was not encrypted would make no sense there */
        return;
    tt_wire_put_head(
        message, &(struct tt_wire_head){(uint32_t)n, 0, TT_WIRE_LAST_WORDS});
    (void)snprintf(message + TT_WIRE_HEAD, TT_WIRE_LAST_MAX, "%s", words);
    tt_tcp_try_send(v->fd, message, TT_WIRE_HEAD + n);
}

/* Its process was reaped. */
static void clear(struct visit *v)
{
    tt_err err;

    tt_tcp_close(v->fd);
    if (atomic_exchange(gate_of(v), 0))
        atomic_fetch_sub(&v->host->gate->n, 1);
    if (v->folder && tt_dir_remove(v->folder, &err) != TT_OK)
        tt_log(v->host->listen->log, TT_LOG_WARN, "%s: %s", v->peer, err.msg);
    tt_free(v->folder);
    v->folder = NULL;
    v->pid = 0;
}

static void see_off(struct visit *v, const struct tt_proc_result *how)
{
    const struct tt_log *log = v->host->listen->log;
    char words[100] = "";

    if (how->how == TT_PROC_KILLED)
        (void)snprintf(words, sizeof(words), "its process there died of %s",
                       tt_signal_name(how->value));
    else if (how->value > 1)
        (void)snprintf(words, sizeof(words),
                       "it ended its process there (exit code %d)", how->value);
    if (words[0]) {
        tt_log(log, TT_LOG_WARN, "%s: %s", v->peer, words);
        send_last_words(v, words);
    } else {
        tt_log(log, TT_LOG_INFO, "%s: gone", v->peer);
    }
    clear(v);
}

static void look_after(struct host *h)
{
    struct tt_proc_result how;

    for (uint32_t i = 0; i < h->n_visit; i++)
        if (h->visit[i].pid && tt_child_ended(h->visit[i].pid) &&
            tt_child_poll(h->visit[i].pid, &how))
            see_off(&h->visit[i], &how);
}

/* Of those that have not sent the token the one that is here for longest, if
 * there is no room for more of them. */
static struct visit *silent_one(struct host *h)
{
    struct visit *oldest = NULL;
    uint32_t n = 0;

    for (struct visit *v = h->visit; v < h->visit + h->n_visit; v++) {
        if (!is_unknown(v))
            continue;
        n++;
        if (!oldest || v->came < oldest->came)
            oldest = v;
    }
    return n >= TT_LISTEN_UNKNOWN ? oldest : NULL;
}

static void make_room(struct host *h)
{
    struct visit *v = silent_one(h);

    if (!v)
        return;
    tt_log(h->listen->log, TT_LOG_WARN,
           "%s: refused: it sent no token, and others wait", v->peer);
    tt_child_kill(v->pid);
    clear(v);
}

static enum tt_code start(struct visit *v, tt_err *err)
{
    const struct tt_listen *l = v->host->listen;
    const char *write[] = {l->temp, l->cache};
    struct tt_sandbox s = {.write = l->temp ? write : write + 1,
                           .n_write =
                               (l->temp ? 1u : 0u) + (l->cache ? 1u : 0u)};
    enum tt_code rc = TT_OK;

    s.guards = TT_GUARD_APART | (l->sandbox ? l->sandbox->guards : 0);
    s.need = l->sandbox ? l->sandbox->need : 0;
    if (l->temp)
        rc = tt_dir_temp_in(&v->folder, l->temp, err);
    return rc == TT_OK
               ? tt_child_fork(&(struct tt_child_copy){.main_cb = visit_main,
                                                       .ctx = v,
                                                       .keep_fd = v->fd,
                                                       .share = v->host->gate,
                                                       .sandbox = &s},
                               &v->pid, err)
               : rc;
}

static void take_in(struct host *h, int fd, const char *peer)
{
    const struct tt_listen *l = h->listen;
    struct visit *v = h->visit;
    tt_err err;

    if (atomic_load(&h->gate->n) >= l->most) {
        tt_log(l->log, TT_LOG_WARN, "%s: refused: %u are here already", peer,
               (unsigned)l->most);
        tt_tcp_close(fd);
        return;
    }
    make_room(h);
    while (v->pid)
        v++;
    v->fd = fd;
    v->came = h->n_came++;
    (void)snprintf(v->peer, sizeof(v->peer), "%s", peer);
    if (start(v, &err) == TT_OK) {
        tt_log(l->log, TT_LOG_INFO, "%s: came", peer);
        return;
    }
    tt_log(l->log, TT_LOG_ERROR, "%s: %s", peer, err.msg);
    clear(v);
}

static enum tt_code serve(struct host *h, int listening, tt_err *err)
{
    enum tt_code rc = TT_OK;

    while (rc == TT_OK && !*h->listen->stop) {
        char peer[TT_ADDR_MAX];
        int fd;

        rc = tt_tcp_accept(listening, LOOK_MS, &fd, peer, err);
        if (rc == TT_OK && fd >= 0)
            take_in(h, fd, peer);
        look_after(h);
    }
    for (uint32_t i = 0; i < h->n_visit; i++)
        if (h->visit[i].pid) {
            tt_child_kill(h->visit[i].pid);
            clear(&h->visit[i]);
        }
    return rc;
}

static enum tt_code listen_and_serve(struct host *h, tt_err *err)
{
    const struct tt_listen *l = h->listen;
    char bound[TT_ADDR_MAX] = "?";
    int listening = -1;
    tt_tls *tls = NULL;
    enum tt_code rc = TT_OK;

    if (l->cert)
        rc = tt_tls_server(&tls, l->cert, l->key, err);
    h->tls = tls;
    if (rc == TT_OK)
        rc = tt_tcp_listen(l->host, l->port, &listening, bound, err);
    if (rc == TT_OK && l->ready_cb)
        l->ready_cb(l->ctx, bound);
    if (rc == TT_OK)
        rc = serve(h, listening, err);
    tt_tcp_close(listening);
    tt_tls_free(tls);
    return rc;
}

enum tt_code tt_listen_serve(const struct tt_listen *l, tt_err *err)
{
    struct host h = {.listen = l, .n_visit = l->most + TT_LISTEN_UNKNOWN};
    size_t size = sizeof(*h.gate) + h.n_visit;
    enum tt_code rc;

    h.gate = tt_shared_alloc(size);
    if (!h.gate || !TT_NEW_ARRAY(h.visit, h.n_visit)) {
        tt_shared_free(h.gate, size);
        return tt_fail(err, TT_ENOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < h.n_visit; i++)
        h.visit[i].host = &h;
    rc = listen_and_serve(&h, err);
    tt_shared_free(h.gate, size);
    tt_free(h.visit);
    return rc;
}
