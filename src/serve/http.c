/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "serve/wire.h"

/* One request per connection: answered, then closed. A wire that says nothing
 * for long is closed by the library, except while something is awaited. */

#define CHUNK ((size_t)65536)

void tt_request_send(struct tt_request *r)
{
    lws_callback_on_writable(r->wire);
}

void tt_request_wait(struct tt_request *r, struct tt_request **list)
{
    r->list = list;
    r->next = *list;
    *list = r;
}

void tt_request_leave(struct tt_request *r)
{
    struct tt_request **at = r->list;

    while (at && *at && *at != r)
        at = &(*at)->next;
    if (at && *at)
        *at = r->next;
    r->list = NULL;
    r->next = NULL;
}

struct tt_request *tt_request_next(struct tt_request **list)
{
    struct tt_request *r = *list;

    if (r)
        tt_request_leave(r);
    return r;
}

void tt_http_closed(struct tt_conn *c)
{
    struct tt_request *r = c->request;

    if (!r)
        return;
    tt_request_leave(r);
    tt_buf_fini(&r->body);
    tt_answer_fini(&r->answer);
    tt_free(r);
    c->request = NULL;
}

/* --- taking a request ----------------------------------------------------- */

static enum tt_method method_of(struct lws *wsi)
{
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI))
        return TT_GET;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI))
        return TT_POST;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_PUT_URI))
        return TT_PUT;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_DELETE_URI))
        return TT_DELETE;
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
    tt_answer_init(&r->answer, TT_DIALECT_MAESTRO2);
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
    tt_wire_header(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, text, sizeof(text));
    return tt_num_parse_u64(text, length);
}

static void answer_now(struct tt_request *r)
{
    if (r->answer.ready)
        tt_request_send(r);
    else
        lws_set_timeout(r->wire, NO_PENDING_TIMEOUT, 0);
}

/* While a body is on its way, sessions may go: find it again. */
static void make_answer(struct tt_service *s, struct tt_request *r)
{
    r->place = (struct tt_place){0};
    if (tt_route_find(s, r) == 0)
        r->route->answer(s, r);
}

/* Is there a body to wait for? Else the answer is made. */
static int wants_body(struct tt_service *s, struct tt_request *r,
                      const char *path, size_t n)
{
    const char *why;
    uint64_t length;
    unsigned status;

    if (n >= sizeof(r->path)) {
        tt_answer_error(&r->answer, 414, "a path of %zu bytes; at most %u", n,
                        TT_PATH_MAX - 1);
        return 0;
    }
    memcpy(r->path, path, n);
    status = tt_access_refuses(r->wire, s->opts->token, &why);
    if (status) {
        tt_answer_error(&r->answer, status, "%s", why);
        return 0;
    }
    if (body_length(r->wire, &length) != 0) {
        tt_answer_error(&r->answer, 411,
                        "a body needs a Content-Length, and no "
                        "Transfer-Encoding");
        return 0;
    }
    if (tt_route_find(s, r) != 0 || tt_route_accepts(r, length) != 0)
        return 0;
    if ((r->method == TT_POST || r->method == TT_PUT) && length > 0)
        return 1;
    make_answer(s, r);
    return 0;
}

int tt_http_request(struct tt_service *s, struct tt_conn *c, struct lws *wsi,
                    const char *path, size_t n)
{
    tt_http_closed(c);
    c->sent = 0;
    c->begun = 0;
    c->request = request_new(wsi);
    if (!c->request)
        return -1;
    if (!wants_body(s, c->request, path, n))
        answer_now(c->request);
    return 0;
}

int tt_http_body(struct tt_conn *c, const void *data, size_t n)
{
    if (!c->request || c->request->answer.ready)
        return 0;
    tt_buf_add(&c->request->body, data, n);
    return c->request->body.failed ? -1 : 0;
}

int tt_http_body_end(struct tt_service *s, struct tt_conn *c)
{
    if (!c->request || c->request->answer.ready)
        return 0;
    make_answer(s, c->request);
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
    unsigned char buf[LWS_PRE + TT_HEADER_MAX], *start = buf + LWS_PRE,
                                                *p = start;
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

int tt_http_writable(struct tt_conn *c, struct lws *wsi)
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
