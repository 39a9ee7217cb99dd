/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "serve/wire.h"
#include "sys/clock.h"

/* One request per connection: answered, then closed. A wire that sends nothing
 * for long is closed by the library, except while something is awaited. */

#define CHUNK       ((size_t)65536)
#define QUERY_BYTES ((size_t)16384)

/* So much of a body is taken even when it is refused: a client that still sends
 * does not listen, and closing would make them miss the answer. */
#define PATIENCE TT_BODY_MAX

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
    if (r->intake)
        r->intake->free(r->intake);
    tt_buf_fini(&r->query.text);
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

/* The library has decoded and parted it. */
static void take_query(struct lws *wsi, struct tt_query *q)
{
    char item[TT_HEADER_MAX];
    int n;

    tt_buf_init(&q->text, QUERY_BYTES);
    for (int i = 0;
         (n = lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_URI_ARGS, i)) > 0;
         i++) {
        if (q->n == TT_QUERY_MAX || n >= (int)sizeof(item) ||
            lws_hdr_copy_fragment(wsi, item, (int)sizeof(item),
                                  WSI_TOKEN_HTTP_URI_ARGS, i) < 0) {
            q->too_many = 1;
            return;
        }
        q->at[q->n++] = q->text.len;
        tt_buf_add(&q->text, item, strlen(item) + 1);
    }
}

static struct tt_request *request_new(const struct tt_service *s,
                                      struct lws *wsi, const char *path,
                                      size_t n)
{
    struct tt_request *r;

    if (!TT_NEW(r))
        return NULL;
    r->wire = wsi;
    r->method = method_of(wsi);
    r->head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    tt_buf_init(&r->body, TT_BODY_MAX);
    take_query(wsi, &r->query);
    tt_answer_init(&r->answer, tt_dialect_of(s, path, n));
    return r;
}

void tt_request_type(const struct tt_request *r, char *out, size_t size)
{
    tt_wire_header(r->wire, WSI_TOKEN_HTTP_CONTENT_TYPE, out, size);
}

/* Its length, 0 when there is none; -1 when what is given is no length. */
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
    if (r->answer.ready && r->left > 0 && r->left <= PATIENCE)
        return; /* when the body has come */
    if (r->answer.ready)
        tt_request_send(r);
    else
        lws_set_timeout(r->wire, NO_PENDING_TIMEOUT, 0);
}

/* While a body is on its way, sessions may go: find it again. Some bodies end
 * twice: a client that sends more than it announced is asked once. */
static void make_answer(struct tt_service *s, struct tt_request *r)
{
    if (r->asked)
        return;
    r->asked = 1;
    r->place = (struct tt_named){0};
    if (tt_route_find(s, r) == 0)
        r->route->answer(s, r);
}

/* Is it to be answered when its body has come? Else the answer is made. */
static int wants_body(struct tt_service *s, struct tt_request *r,
                      const char *path, size_t n)
{
    const char *why;
    unsigned status;

    if (n >= sizeof(r->path)) {
        tt_answer_error(&r->answer, 414, "a path of %zu bytes; at most %u", n,
                        TT_PATH_MAX - 1);
        return 0;
    }
    memcpy(r->path, path, n);
    /* GET of Maestro's paths does things, as createSession */
    if (r->head &&
        (r->answer.dialect == TT_DIALECT_API || tt_page_is_open(r->path)))
        r->method = TT_GET;
    if (body_length(r->wire, &r->left) != 0) {
        tt_answer_error(&r->answer, 411,
                        "a body needs a Content-Length, and no "
                        "Transfer-Encoding");
        return 0;
    }
    if (r->method != TT_POST && r->method != TT_PUT)
        r->left = 0; /* the library passes none on */
    r->length = r->left;
    status = tt_access_refuses(r->wire, r->path, &why);
    if (status) {
        tt_answer_error(&r->answer, status, "%s", why);
        return 0;
    }
    if (tt_route_find(s, r) != 0 || tt_route_accepts(r, r->left) != 0)
        return 0;
    if (r->left > 0)
        return !r->route->open || r->route->open(s, r, r->left) == 0;
    make_answer(s, r);
    return 0;
}

/* Does it ask whether the body is welcome, before it sends it? */
static int waits_for_leave(struct lws *wsi)
{
    return lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_EXPECT) > 0;
}

static int give_leave(struct lws *wsi)
{
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    unsigned char buf[LWS_PRE + sizeof(go_on)];

    memcpy(buf + LWS_PRE, go_on, sizeof(go_on));
    return lws_write(wsi, buf + LWS_PRE, sizeof(go_on) - 1,
                     LWS_WRITE_HTTP_HEADERS) < 0
               ? -1
               : 0;
}

int tt_http_request(struct tt_service *s, struct tt_conn *c, struct lws *wsi,
                    const char *path, size_t n)
{
    tt_http_closed(c);
    c->sent = 0;
    c->begun = 0;
    c->request = request_new(s, wsi, path, n);
    if (!c->request)
        return -1;
    c->request->begun_ns = tt_clock_ns();
    if (wants_body(s, c->request, path, n))
        return waits_for_leave(wsi) ? give_leave(wsi) : 0;
    if (waits_for_leave(wsi))
        c->request->left = 0; /* it listens, and will not send it */
    answer_now(c->request);
    return 0;
}

#define SLOWEST 65536.0 /* bytes per second, beside what is given to all */

/* A client that sends a byte now and then would hold a connection, and a file,
 * for as long as they like. */
static int is_slow(const struct tt_service *s, struct tt_request *r)
{
    double took = (double)(tt_clock_ns() - r->begun_ns) * 1e-9;
    double may = s->opts->upload_time + (double)r->length / SLOWEST;
    char text[TT_NUM_MAX];

    if (r->left == 0 || took < may)
        return 0;
    tt_num_print_short(text, may);
    if (!r->answer.ready)
        tt_answer_error(&r->answer, 408,
                        "%llu of %llu bytes came in the %s s a body of this "
                        "size may take (--upload-time)",
                        (unsigned long long)(r->length - r->left),
                        (unsigned long long)r->length, text);
    tt_request_send(r);
    return 1;
}

int tt_http_body(const struct tt_service *s, struct tt_conn *c,
                 const void *data, size_t n)
{
    struct tt_request *r = c->request;

    if (!r)
        return 0;
    r->left -= n < r->left ? n : r->left;
    if (is_slow(s, r))
        return 0;
    if (r->asked || r->answer.ready)
        return 0;
    if (r->intake) {
        if (r->intake->take(r, data, n) != 0)
            answer_now(r);
        return 0;
    }
    tt_buf_add(&r->body, data, n);
    return r->body.failed ? -1 : 0;
}

int tt_http_body_end(struct tt_service *s, struct tt_conn *c)
{
    struct tt_request *r = c->request;

    if (!r)
        return 0;
    r->left = 0;
    if (!r->answer.ready)
        make_answer(s, r);
    answer_now(r);
    return 0;
}

/* --- sending an answer ---------------------------------------------------- */

static uint64_t answer_size(const struct tt_answer *a)
{
    if (a->file >= 0)
        return a->file_size;
    return a->text ? a->text_n : a->body.len;
}

static int add_header(struct lws *wsi, enum lws_token_indexes h,
                      const char *value, unsigned char **p, unsigned char *end)
{
    return lws_add_http_header_by_token(wsi, h, (const unsigned char *)value,
                                        (int)strlen(value), p, end);
}

/* The text, if any, in quotation marks. */
static int add_quoted(struct lws *wsi, enum lws_token_indexes h,
                      const char *before, const char *text, unsigned char **p,
                      unsigned char *end)
{
    char value[TT_PATH_MAX];

    if (!text)
        return 0;
    snprintf(value, sizeof(value), "%s\"%s\"", before, text);
    return add_header(wsi, h, value, p, end);
}

static int add_attachment(struct lws *wsi, const struct tt_answer *a,
                          unsigned char **p, unsigned char *end)
{
    return add_quoted(wsi, WSI_TOKEN_HTTP_CONTENT_DISPOSITION,
                      "attachment; filename=", a->attach, p, end);
}

/* Asked for again at each visit: a new program has a new page. */
static int add_etag(struct lws *wsi, const struct tt_answer *a,
                    unsigned char **p, unsigned char *end)
{
    return add_quoted(wsi, WSI_TOKEN_HTTP_ETAG, "", a->etag, p, end) ||
           (a->etag &&
            add_header(wsi, WSI_TOKEN_HTTP_CACHE_CONTROL, "no-cache", p, end));
}

static int add_more(const struct tt_answer *a, unsigned char **p,
                    const unsigned char *end)
{
    size_t n = a->headers ? strlen(a->headers) : 0;

    if (n > (size_t)(end - *p))
        return -1;
    if (n)
        memcpy(*p, a->headers, n);
    *p += n;
    return 0;
}

static int send_headers(struct lws *wsi, const struct tt_answer *a)
{
    unsigned char buf[LWS_PRE + TT_HEADER_MAX], *start = buf + LWS_PRE,
                                                *p = start;
    unsigned char *end = buf + sizeof(buf) - 1;

    if (lws_add_http_header_status(wsi, a->status, &p, end) ||
        (a->type &&
         add_header(wsi, WSI_TOKEN_HTTP_CONTENT_TYPE, a->type, &p, end)) ||
        add_attachment(wsi, a, &p, end) || add_etag(wsi, a, &p, end) ||
        add_more(a, &p, end) ||
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
    memcpy(out, (a->text ? a->text : a->body.data) + sent, n);
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
    if (r->head)
        return -1;
    n = next_piece(&r->answer, c->sent, buf + LWS_PRE);
    if (n <= 0)
        return -1; /* complete: closing states it */
    if (lws_write(wsi, buf + LWS_PRE, (size_t)n, LWS_WRITE_HTTP) < 0)
        return -1;
    c->sent += (size_t)n;
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, 60);
    lws_callback_on_writable(wsi);
    return 0;
}
