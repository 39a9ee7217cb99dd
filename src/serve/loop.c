/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/mem.h"
#include "serve/wire.h"
#include "sys/child.h"
#include "sys/clock.h"
#include "sys/temp.h"

#define FAST_US ((lws_usec_t)200)    /* when a request began to wait, ... */
#define TICK_US ((lws_usec_t)10000)  /* ... up to this; while something runs */
#define IDLE_US ((lws_usec_t)200000) /* to notice a wish to stop */

struct loop {
    lws_sorted_usec_list_t sul; /* first: the library gives us its address */
    struct tt_service service;
    struct lws_context *context;
    lws_usec_t pace; /* of looks while requests wait; it slows down */
};

const struct tt_service *tt_wire_service(struct lws *wsi)
{
    const struct loop *l = lws_context_user(lws_get_context(wsi));

    return &l->service;
}

/* --- WebSockets ----------------------------------------------------------- */

#define ATTACH "/attachSession/"

/* What a WebSocket wants to see: a session's simulation, or a run. */
struct wanted {
    struct tt_session *session;
    struct tt_sim *run;
    int unclaimed; /* nothing there, refused only when it is in */
};

/* -1: it may not have it. */
static int find_wanted(struct loop *l, struct lws *wsi, struct wanted *w)
{
    char path[TT_PATH_MAX];
    const char *why;

    *w = (struct wanted){0};
    tt_wire_header(wsi, WSI_TOKEN_GET_URI, path, sizeof(path));
    if (tt_access_refuses(wsi, path, &why))
        return -1;
    if (tt_dialect_of(&l->service, path, strlen(path)) == TT_DIALECT_API)
        w->run = tt_watcher_find(&l->service, path);
    else if (strncmp(path, ATTACH, strlen(ATTACH)) == 0 &&
             tt_session_is_id(path + strlen(ATTACH)))
        w->session = tt_session_find(&l->service, path + strlen(ATTACH));
    if (w->run || w->session)
        return 0;
    /* Maestro 1 accepts every socket, and closes those without a session. */
    w->unclaimed =
        l->service.opts->maestro1 && strncmp(path, ATTACH, strlen(ATTACH)) == 0;
    return w->unclaimed ? 0 : -1;
}

static int on_attach(struct loop *l, struct lws *wsi)
{
    struct wanted w;

    return find_wanted(l, wsi, &w);
}

static int on_attached(struct loop *l, struct tt_conn *c, struct lws *wsi)
{
    struct wanted w;

    if (find_wanted(l, wsi, &w) != 0)
        return -1;
    if (w.run)
        c->watcher = tt_watcher_open(&l->service, wsi, w.run);
    else if (w.session)
        c->socket = tt_socket_new(wsi, w.session->sim);
    else
        lws_close_reason(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, NULL, 0);
    return c->socket || c->watcher ? 0 : -1;
}

static int on_writable(struct tt_conn *c)
{
    return c->watcher ? tt_watcher_writable(c->watcher)
                      : tt_socket_writable(c->socket);
}

/* Maestro's clients have nothing to send. */
static int on_received(struct loop *l, struct tt_conn *c, const void *data,
                       size_t n)
{
    return c->watcher ? tt_watcher_receive(&l->service, c->watcher, data, n)
                      : 0;
}

static int on_detached(struct tt_conn *c)
{
    tt_socket_free(c->socket);
    tt_watcher_free(c->watcher);
    c->socket = NULL;
    c->watcher = NULL;
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
        return tt_http_body(&l->service, user, in, len);
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
        return on_attach(l, wsi);
    case LWS_CALLBACK_ESTABLISHED:
        return on_attached(l, user, wsi);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return on_writable(user);
    case LWS_CALLBACK_RECEIVE:
        return on_received(l, user, in, len);
    case LWS_CALLBACK_CLOSED:
        return on_detached(user);
    default:
        return 0;
    }
}

static int is_watched(const struct tt_service *s)
{
    for (const struct tt_sim *sim = s->sim; sim; sim = sim->next)
        if (tt_feed_is_busy(sim))
            return 1;
    return 0;
}

static lws_usec_t next_tick(struct loop *l)
{
    if (l->service.job || tt_commands_awaited(&l->service)) {
        l->pace += l->pace / 4 + 1;
        if (l->pace > TICK_US) /* a long wait does not slow it further */
            l->pace = TICK_US;
        return l->pace;
    }
    return l->service.n_running || is_watched(&l->service) ? TICK_US : IDLE_US;
}

static void on_tick(lws_sorted_usec_list_t *sul)
{
    struct loop *l = (struct loop *)(void *)sul;

    tt_sim_tick(&l->service);
    tt_job_tick(&l->service);
    tt_session_sweep(&l->service, tt_clock_ns());
    lws_sul_schedule(l->context, 0, sul, on_tick, next_tick(l));
}

void tt_loop_hurry(struct tt_service *s)
{
    struct loop *l = s->loop;

    l->pace = FAST_US;
    lws_sul_schedule(l->context, 0, &l->sul, on_tick, FAST_US);
}

static const struct lws_protocols protocols[] = {
    {.name = "http",
     .callback = on_event,
     .per_session_data_size = sizeof(struct tt_conn)},
    {.name = TT_SUBPROTOCOL, /* of WebSockets that offer it */
     .callback = on_event,
     .per_session_data_size = sizeof(struct tt_conn)},
    {0},
};

/* A socket without one is accepted, to get the error. */
static void use_tls(struct lws_context_creation_info *info,
                    const struct tt_serve_opts *o)
{
    info->ssl_cert_filepath = o->tls_cert;
    info->ssl_private_key_filepath = o->tls_key;
    info->ssl_options_set = tt_tls_refused();
    info->alpn = "http/1.1"; /* of HTTP/2 the library keeps no other headers */
    info->options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    info->options |= LWS_SERVER_OPTION_ALLOW_NON_SSL_ON_SSL_PORT;
    info->options |= LWS_SERVER_OPTION_ALLOW_HTTP_ON_HTTPS_LISTENER;
}

static void be_ready(const struct tt_service *s, int port)
{
    struct tt_serve_ready r = {
        .port = port, .folder = s->root, .note = s->note[0] ? s->note : NULL};

    tt_serve_url(s->opts, port, r.url);
    tt_home_sign(s, r.url);
    s->opts->ready_cb(s->opts, &r);
}

/* A connection may need a file, too, and runs and what is watched need theirs.
 * The library takes no more connections at its limit; at the system's it would
 * try without end. */
static unsigned most_connections(void)
{
    return tt_descriptors_max() / 8 * 3;
}

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
    if (!strchr(o->bind, ':')) /* else it takes all addresses for this one */
        info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
    info.gid = -1;
    info.uid = -1;
    info.timeout_secs = 30;
    info.fd_limit_per_thread = most_connections();
    if (o->tls_cert)
        use_tls(&info, o);
    l->context = lws_create_context(&info);
    if (!l->context)
        return tt_fail(err, TT_EIO,
                       "cannot start the service: out of memory "
                       "or descriptors");
    vhost = lws_create_vhost(l->context, &info);
    if (!vhost || (port = lws_get_vhost_listen_port(vhost)) <= 0)
        return tt_fail(err, TT_EIO,
                       "cannot listen on %s port %d: is the address of this "
                       "machine, and the port free?%s%s",
                       o->bind, o->port,
                       l->service.note[0] ? " Sessions: " : "",
                       l->service.note);
    if (!tt_address_is_kept(o->bind, port))
        return tt_fail(err, TT_EIO,
                       "cannot listen on %s only: the system's library for "
                       "WebSockets takes other addresses too",
                       o->bind);
    lws_sul_schedule(l->context, 0, &l->sul, on_tick, IDLE_US);
    be_ready(&l->service, port);
    return TT_OK;
}

enum tt_code tt_serve(const struct tt_serve_opts *o, tt_err *err)
{
    struct loop l = {.service = {.opts = o, .lock = -1}};
    struct tt_temp temp = {0};
    char *self = NULL;
    enum tt_code rc = tt_child_self(&self, err);

    if (rc == TT_OK && o->tls_cert)
        rc = tt_tls_check(o->tls_cert, o->tls_key, err);

    tt_orphans_adopt();
    tt_kin_init(&l.service.kin);
    l.service.self = self;
    l.service.loop = &l;
    if (rc == TT_OK)
        rc = tt_home_open(&l.service, &temp, err);
    if (rc == TT_OK)
        rc = start(&l, err);
    while (rc == TT_OK && !*o->stop)
        if (lws_service(l.context, 0) < 0)
            rc = tt_fail(err, TT_EIO, "the service: its loop failed");
    tt_job_end_all(&l.service);
    tt_home_close(&l.service, &temp);
    if (l.context)
        lws_context_destroy(l.context);
    tt_kin_fini(&l.service.kin);
    tt_free(self);
    return rc;
}
