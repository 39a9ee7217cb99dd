/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/mem.h"
#include "serve/wire.h"
#include "sys/child.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/temp.h"

#define TICK_US ((lws_usec_t)10000)  /* while something runs */
#define IDLE_US ((lws_usec_t)200000) /* to notice a wish to stop */

struct loop {
    lws_sorted_usec_list_t sul; /* first: the library gives us its address */
    struct tt_service service;
    struct lws_context *context;
};

/* --- WebSockets ----------------------------------------------------------- */

#define ATTACH "/attachSession/"

/* The session a WebSocket wants, or NULL: it may not have it. */
static struct tt_session *wanted(struct loop *l, struct lws *wsi)
{
    char path[TT_PATH_MAX];
    const char *why;

    tt_wire_header(wsi, WSI_TOKEN_GET_URI, path, sizeof(path));
    if (strncmp(path, ATTACH, strlen(ATTACH)) != 0 ||
        tt_access_refuses(wsi, l->service.opts->token, &why) ||
        !tt_session_is_id(path + strlen(ATTACH)))
        return NULL;
    return tt_session_find(&l->service, path + strlen(ATTACH));
}

static int on_attached(struct loop *l, struct tt_conn *c, struct lws *wsi)
{
    struct tt_session *ses = wanted(l, wsi);

    c->socket = ses ? tt_socket_new(wsi, ses->sim) : NULL;
    return c->socket ? 0 : -1;
}

static int on_detached(struct tt_conn *c)
{
    tt_socket_free(c->socket);
    c->socket = NULL;
    return 0;
}

/* --- the loop ------------------------------------------------------------- */

static int on_event(struct lws *wsi, enum lws_callback_reasons why, void *user,
                    void *in, size_t len)
{
    struct loop *l = lws_context_user(lws_get_context(wsi));

    /* the others are of no interest */
    switch ((int)why) {
    case LWS_CALLBACK_HTTP:
        return tt_http_request(&l->service, user, wsi, in, len);
    case LWS_CALLBACK_HTTP_BODY:
        return tt_http_body(user, in, len);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return tt_http_body_end(&l->service, user);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return tt_http_writable(user, wsi);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        if (user)
            tt_http_closed(user);
        return 0;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return wanted(l, wsi) ? 0 : -1;
    case LWS_CALLBACK_ESTABLISHED:
        return on_attached(l, user, wsi);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return tt_socket_writable(((struct tt_conn *)user)->socket);
    case LWS_CALLBACK_CLOSED:
        return on_detached(user);
    default:
        return 0;
    }
}

static void on_tick(lws_sorted_usec_list_t *sul)
{
    struct loop *l = (struct loop *)(void *)sul;

    tt_sim_tick(&l->service);
    tt_job_tick(&l->service);
    tt_session_sweep(&l->service, tt_clock_ns());
    lws_sul_schedule(l->context, 0, sul, on_tick,
                     l->service.n_running || l->service.job ? TICK_US
                                                            : IDLE_US);
}

static const struct lws_protocols protocols[] = {
    {.name = "http",
     .callback = on_event,
     .per_session_data_size = sizeof(struct tt_conn)},
    {0},
};

static enum tt_code start(struct loop *l, tt_err *err)
{
    const struct tt_serve_opts *o = l->service.opts;
    struct lws_context_creation_info info = {0};
    struct lws_vhost *vhost;
    int port;

    lws_set_log_level(0, NULL);
    info.port = o->port;
    info.iface = o->bind;
    info.protocols = protocols;
    info.user = l;
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                   LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
    info.gid = -1;
    info.uid = -1;
    info.timeout_secs = 30;
    l->context = lws_create_context(&info);
    if (!l->context)
        return tt_fail(err, TT_EIO,
                       "cannot start the service: out of memory "
                       "or descriptors");
    vhost = lws_create_vhost(l->context, &info);
    if (!vhost || (port = lws_get_vhost_listen_port(vhost)) <= 0)
        return tt_fail(err, TT_EIO,
                       "cannot listen on %s port %d: is the address of this "
                       "machine, and the port free?",
                       o->bind, o->port);
    lws_sul_schedule(l->context, 0, &l->sul, on_tick, IDLE_US);
    o->ready_cb(o->bind, port);
    return TT_OK;
}

/* Where the session folders go. */
static enum tt_code open_root(struct tt_service *s, struct tt_temp *temp,
                              tt_err *err)
{
    enum tt_code rc;

    if (s->opts->dir) {
        rc = tt_dir_make(s->opts->dir, err);
    } else {
        tt_temp_sweep();
        rc = tt_temp_open(temp, err);
    }
    if (rc != TT_OK)
        return rc;
    s->root = tt_path_absolute(s->opts->dir ? s->opts->dir : temp->path);
    return s->root ? TT_OK
                   : tt_fail(err, TT_ENOMEM,
                             "starting the service: out of "
                             "memory");
}

enum tt_code tt_serve(const struct tt_serve_opts *o, tt_err *err)
{
    struct loop l = {.service = {.opts = o}};
    struct tt_temp temp = {0};
    char *self = NULL;
    enum tt_code rc = tt_child_self(&self, err);

    l.service.self = self;
    if (rc == TT_OK)
        rc = open_root(&l.service, &temp, err);
    if (rc == TT_OK)
        rc = start(&l, err);
    while (rc == TT_OK && !*o->stop)
        if (lws_service(l.context, 0) < 0)
            rc = tt_fail(err, TT_EIO, "the service: its loop failed");
    tt_job_end_all(&l.service);
    while (l.service.session)
        tt_session_end(&l.service, l.service.session, "the service ends");
    if (l.context)
        lws_context_destroy(l.context);
    tt_free(l.service.root);
    tt_free(self);
    tt_temp_close(&temp);
    return rc;
}
