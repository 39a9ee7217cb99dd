/* SPDX-License-Identifier: MIT */
#include <libwebsockets.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "serve/serve_impl.h"
#include "sys/child.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/temp.h"

/* One request per connection: answered, then closed. A wire that says nothing
 * for long is closed by the library, except while a simulation is awaited. */

#define CHUNK      ((size_t)65536)
#define HEADER_MAX ((size_t)2048)
#define TICK_US    ((lws_usec_t)10000)  /* while something runs */
#define IDLE_US    ((lws_usec_t)200000) /* to notice a wish to stop */

/* What the library keeps for each connection. */
struct conn {
    struct tt_request *request;
    struct tt_socket *socket;
    size_t sent; /* of the body */
    int begun;   /* the headers are sent */
};

struct loop {
    lws_sorted_usec_list_t sul; /* first: the library gives us its address */
    struct tt_service service;
    struct lws_context *context;
};

void tt_request_send(struct tt_request *r)
{
    lws_callback_on_writable(r->wire);
}

static void request_free(struct conn *c)
{
    struct tt_request *r = c->request;

    if (!r)
        return;
    tt_sim_forget(r);
    tt_buf_fini(&r->body);
    tt_answer_fini(&r->answer);
    tt_free(r);
    c->request = NULL;
}

/* --- who may ask ---------------------------------------------------------- */

/* A header as text; "" when there is none or it is too long to be honest. */
static void header(struct lws *wsi, enum lws_token_indexes h, char *out,
                   size_t size)
{
    if (lws_hdr_copy(wsi, out, (int)size, h) <= 0)
        out[0] = '\0';
}

/* Takes as long for a wrong token as for the right one. */
static int same_secret(const char *given, const char *secret)
{
    size_t n = strlen(secret), m = strlen(given);
    unsigned differs = n != m;

    for (size_t i = 0; i < m; i++)
        differs |= (unsigned)(given[i] ^ secret[n ? i % n : 0]);
    return !differs;
}

static int has_token(struct lws *wsi, const char *token)
{
    char given[HEADER_MAX];

    if (!token)
        return 1;
    header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, given, sizeof(given));
    return strncmp(given, "Bearer ", 7) == 0 && same_secret(given + 7, token);
}

/* A page of another site must not use the browser of someone who may. */
static int is_foreign(struct lws *wsi)
{
    char origin[HEADER_MAX], host[HEADER_MAX];
    const char *at;

    header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof(origin));
    header(wsi, WSI_TOKEN_HOST, host, sizeof(host));
    if (strncmp(origin, "http", 4) != 0)
        return 0;
    at = strstr(origin, "://");
    return !at || strcmp(at + 3, host) != 0;
}

static int may_ask(struct loop *l, struct tt_request *r)
{
    if (!has_token(r->wire, l->service.opts->token)) {
        tt_answer_error(&r->answer, 401,
                        "this service wants a token: Authorization: Bearer "
                        "TOKEN");
        return 0;
    }
    if (is_foreign(r->wire)) {
        tt_answer_error(&r->answer, 403,
                        "pages of other sites may not use this service");
        return 0;
    }
    return 1;
}

/* --- taking a request ----------------------------------------------------- */

static enum tt_method method_of(struct lws *wsi)
{
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI))
        return TT_GET;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI))
        return TT_POST;
    return TT_OTHER;
}

static struct tt_request *request_new(struct lws *wsi)
{
    struct tt_request *r;

    if (!TT_NEW(r))
        return NULL;
    r->wire = wsi;
    r->method = method_of(wsi);
    tt_buf_init(&r->body, TT_BODY_MAX);
    tt_answer_init(&r->answer);
    return r;
}

/* Its length, 0 when there is none; -1 when what is said is no length. */
static int body_length(struct lws *wsi, uint64_t *length)
{
    char text[TT_NUM_MAX];

    *length = 0;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING))
        return -1;
    if (!lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH))
        return 0;
    header(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, text, sizeof(text));
    return tt_num_parse_u64(text, length);
}

static void answer_now(struct tt_request *r)
{
    if (r->answer.ready)
        tt_request_send(r);
    else
        lws_set_timeout(r->wire, NO_PENDING_TIMEOUT, 0);
}

/* Is there a body to wait for? Else the answer is made. */
static int wants_body(struct loop *l, struct tt_request *r, const char *path,
                      size_t n)
{
    uint64_t length;

    if (n >= sizeof(r->path)) {
        tt_answer_error(&r->answer, 414, "a path of %zu bytes; at most %u", n,
                        TT_PATH_MAX - 1);
        return 0;
    }
    memcpy(r->path, path, n);
    if (!may_ask(l, r))
        return 0;
    if (body_length(r->wire, &length) != 0) {
        tt_answer_error(&r->answer, 411,
                        "a body needs a Content-Length, and no "
                        "Transfer-Encoding");
        return 0;
    }
    if (!tt_route_accepts(r, length))
        return 0;
    if (r->method == TT_POST && length > 0)
        return 1;
    tt_route(&l->service, r);
    return 0;
}

static int on_request(struct loop *l, struct conn *c, struct lws *wsi,
                      const char *path, size_t n)
{
    request_free(c);
    c->sent = 0;
    c->begun = 0;
    c->request = request_new(wsi);
    if (!c->request)
        return -1;
    if (!wants_body(l, c->request, path, n))
        answer_now(c->request);
    return 0;
}

static int on_body(struct conn *c, const void *data, size_t n)
{
    if (!c->request || c->request->answer.ready)
        return 0;
    tt_buf_add(&c->request->body, data, n);
    return c->request->body.failed ? -1 : 0;
}

static int on_body_end(struct loop *l, struct conn *c)
{
    if (!c->request || c->request->answer.ready)
        return 0;
    tt_route(&l->service, c->request);
    answer_now(c->request);
    return 0;
}

/* --- sending an answer ---------------------------------------------------- */

static uint64_t answer_size(const struct tt_answer *a)
{
    return a->file >= 0 ? a->file_size : a->body.len;
}

static int add_header(struct lws *wsi, enum lws_token_indexes h,
                      const char *value, unsigned char **p, unsigned char *end)
{
    return lws_add_http_header_by_token(wsi, h, (const unsigned char *)value,
                                        (int)strlen(value), p, end);
}

static int add_attachment(struct lws *wsi, const struct tt_answer *a,
                          unsigned char **p, unsigned char *end)
{
    char value[64];

    if (!a->attach)
        return 0;
    snprintf(value, sizeof(value), "attachment; filename=\"%s\"", a->attach);
    return add_header(wsi, WSI_TOKEN_HTTP_CONTENT_DISPOSITION, value, p, end);
}

static int send_headers(struct lws *wsi, const struct tt_answer *a)
{
    unsigned char buf[LWS_PRE + HEADER_MAX], *start = buf + LWS_PRE, *p = start;
    unsigned char *end = buf + sizeof(buf) - 1;

    if (lws_add_http_header_status(wsi, a->status, &p, end) ||
        add_header(wsi, WSI_TOKEN_HTTP_CONTENT_TYPE, a->type, &p, end) ||
        add_attachment(wsi, a, &p, end) ||
        lws_add_http_header_content_length(wsi, answer_size(a), &p, end) ||
        add_header(wsi, WSI_TOKEN_CONNECTION, "close", &p, end) ||
        lws_finalize_http_header(wsi, &p, end))
        return -1;
    return lws_write(wsi, start, (size_t)(p - start), LWS_WRITE_HTTP_HEADERS) <
                   0
               ? -1
               : 0;
}

/* The next piece into out; 0: no more, -1: the file got shorter. */
static ssize_t next_piece(const struct tt_answer *a, size_t sent,
                          unsigned char *out)
{
    size_t left = answer_size(a) - sent, n = left < CHUNK ? left : CHUNK;

    if (n == 0)
        return 0;
    if (a->file >= 0) {
        ssize_t got = pread(a->file, out, n, (off_t)sent);

        return got > 0 ? got : -1;
    }
    memcpy(out, a->body.data + sent, n);
    return (ssize_t)n;
}

static int on_writable(struct conn *c, struct lws *wsi)
{
    unsigned char buf[LWS_PRE + CHUNK];
    struct tt_request *r = c->request;
    ssize_t n;

    if (!r || !r->answer.ready)
        return 0;
    if (!c->begun) {
        if (r->answer.body.failed)
            tt_answer_error(&r->answer, 500, "the answer: out of memory");
        c->begun = 1;
        if (send_headers(wsi, &r->answer) != 0)
            return -1;
        lws_callback_on_writable(wsi);
        return 0;
    }
    n = next_piece(&r->answer, c->sent, buf + LWS_PRE);
    if (n <= 0)
        return -1; /* complete: closing says so */
    if (lws_write(wsi, buf + LWS_PRE, (size_t)n, LWS_WRITE_HTTP) < 0)
        return -1;
    c->sent += (size_t)n;
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, 60);
    lws_callback_on_writable(wsi);
    return 0;
}

/* --- WebSockets ----------------------------------------------------------- */

#define ATTACH "/attachSession/"

/* The session a WebSocket wants, or NULL: it may not have it. */
static struct tt_session *wanted(struct loop *l, struct lws *wsi)
{
    char path[TT_PATH_MAX];

    header(wsi, WSI_TOKEN_GET_URI, path, sizeof(path));
    if (strncmp(path, ATTACH, strlen(ATTACH)) != 0 || is_foreign(wsi) ||
        !has_token(wsi, l->service.opts->token) ||
        !tt_session_is_id(path + strlen(ATTACH)))
        return NULL;
    return tt_session_find(&l->service, path + strlen(ATTACH));
}

static int on_attached(struct loop *l, struct conn *c, struct lws *wsi)
{
    struct tt_session *ses = wanted(l, wsi);

    c->socket = ses ? tt_socket_new(wsi, ses) : NULL;
    return c->socket ? 0 : -1;
}

static int on_detached(struct conn *c)
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
        return on_request(l, user, wsi, in, len);
    case LWS_CALLBACK_HTTP_BODY:
        return on_body(user, in, len);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return on_body_end(l, user);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return on_writable(user, wsi);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        if (user)
            request_free(user);
        return 0;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return wanted(l, wsi) ? 0 : -1;
    case LWS_CALLBACK_ESTABLISHED:
        return on_attached(l, user, wsi);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return tt_socket_writable(((struct conn *)user)->socket);
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
    tt_session_sweep(&l->service, tt_clock_ns());
    lws_sul_schedule(l->context, 0, sul, on_tick,
                     l->service.n_running ? TICK_US : IDLE_US);
}

static const struct lws_protocols protocols[] = {
    {.name = "http",
     .callback = on_event,
     .per_session_data_size = sizeof(struct conn)},
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
    while (l.service.session)
        tt_session_end(&l.service, l.service.session, "the service ends");
    if (l.context)
        lws_context_destroy(l.context);
    tt_free(l.service.root);
    tt_free(self);
    tt_temp_close(&temp);
    return rc;
}
