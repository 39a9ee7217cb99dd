/* SPDX-License-Identifier: MIT */
#include "remote/remote.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/hooks.h"
#include "base/num.h"
#include "base/sha256.h"
#include "remote/proxy.h"
#include "remote/token.h"
#include "remote/wire.h"
#include "sys/file.h"
#include "sys/stream.h"
#include "sys/tcp.h"
#include "sys/tls.h"

#define SCHEME    "tutti://"
#define PATIENCE  10.0 /* s, for a link to come up, unless stated otherwise */
#define PIECE     ((size_t)1 << 20)   /* of an upload */
#define FMU_MOST  ((size_t)255 << 20) /* bytes of one that is uploaded */
#define NAME_MOST 1024

struct remote_type {
    tt_unit_type base;
    tt_arena *arena; /* owned: the description */
    char host[TT_HOST_MAX], port[6];
    char name[NAME_MOST]; /* there */
    int by_hash;
    enum tt_interface interface; /* it is used by */
    char token[TT_TOKEN_MAX];
    double deadline;
    tt_tls *tls;            /* owned; NULL: nothing is encrypted */
    char upload[NAME_MOST]; /* the file here, or "" */
    unsigned char hash[TT_SHA256_BYTES];
};

struct tt_remote tt_remote_of(const tt_scenario *s, uint32_t fmu)
{
    return (struct tt_remote){.host = s->host ? s->host[fmu] : NULL,
                              .token_file = s->token_file,
                              .ca = s->tls_ca,
                              .deadline = isnan(s->deadline) ? 0 : s->deadline};
}

int tt_remote_is(const struct tt_source *s)
{
    return !s->n_clause && ((s->far && s->far->host) ||
                            strncmp(s->path, SCHEME, strlen(SCHEME)) == 0);
}

/* --- one request ---------------------------------------------------------- */

static enum tt_code lost(const struct remote_type *t, const tt_stream *s,
                         enum tt_stream_end end, tt_err *err)
{
    if (end == TT_STREAM_LATE)
        return tt_fail(err, TT_EIO, "the worker at %s:%s does not answer",
                       t->host, t->port);
    return tt_fail(err, TT_EIO, "the worker at %s:%s hung up (%s)", t->host,
                   t->port, s->why[0] ? s->why : "not a worker of Tutti?");
}

/* Send the body, read the answer into `in`, and look at all results; *last is
 * that of the last command. */
static enum tt_code ask(const struct remote_type *t, tt_stream *s,
                        struct tt_wire *body, struct tt_wire *in,
                        struct tt_wire_in *last, tt_err *err)
{
    char head[TT_WIRE_HEAD];
    struct tt_wire_head h = {(uint32_t)body->n, 1, TT_WIRE_REQUEST};
    enum tt_stream_end end;
    struct tt_wire_in r;
    char *room;

    if (body->failed)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    tt_wire_put_head(head, &h);
    end = tt_stream_write(s, head, sizeof(head));
    if (end == TT_STREAM_OK)
        end = tt_stream_write(s, body->data, body->n);
    if (end == TT_STREAM_OK)
        end = tt_stream_read(s, head, sizeof(head));
    if (end != TT_STREAM_OK)
        return lost(t, s, end, err);
    if (tt_wire_get_head(head, TT_WIRE_MAX, &h, NULL) != TT_OK ||
        h.type != TT_WIRE_ANSWER || h.seq != 1)
        return tt_fail(err, TT_EIO, "at %s:%s there is no worker of Tutti",
                       t->host, t->port);
    tt_wire_empty(in);
    room = tt_wire_room(in, h.n);
    if (!room)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    end = tt_stream_read(s, room, h.n);
    if (end != TT_STREAM_OK)
        return lost(t, s, end, err);
    r = tt_wire_from(in->data, in->n);
    for (;;) {
        unsigned code = TT_OK;
        struct tt_wire_in result;

        if (!tt_wire_result(&r, &code, &result))
            break;
        if (code != TT_OK) {
            enum tt_code rc = tt_wire_failure(code, &result, err);

            return tt_context(err, rc, "worker at %s:%s", t->host, t->port);
        }
        *last = result;
    }
    return r.bad ? tt_fail(err, TT_EIO,
                           "worker at %s:%s: its answer makes no "
                           "sense",
                           t->host, t->port)
                 : TT_OK;
}

/* --- a link --------------------------------------------------------------- */

static void put_hello(const struct remote_type *t, struct tt_wire *w)
{
    tt_wire_u8(w, TT_WIRE_HELLO);
    tt_wire_u32(w, TT_WIRE_VERSION);
    tt_wire_bytes(w, t->token, strlen(t->token));
}

static void put_open(const struct remote_type *t, struct tt_wire *w)
{
    tt_wire_u8(w, TT_WIRE_OPEN);
    tt_wire_u8(w, t->by_hash != 0);
    tt_wire_text(w, t->name);
    tt_wire_u8(w, t->interface);
}

static enum tt_code dial(const struct remote_type *t, tt_stream **out,
                         tt_err *err)
{
    double s = t->deadline > 0 ? t->deadline : PATIENCE;
    int fd;
    enum tt_code rc =
        tt_tcp_connect(t->host, t->port, (int)(s * 1000) + 1, &fd, err);

    if (rc != TT_OK)
        return rc;
    if (t->tls) {
        rc = tt_tls_stream(out, t->tls, fd, t->host, (uint64_t)(s * 1e9), err);
        return rc == TT_OK
                   ? rc
                   : tt_context(err, rc, "worker at %s:%s", t->host, t->port);
    }
    *out = tt_tcp_stream(fd);
    if (!*out)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    (*out)->patience_ns = (uint64_t)(s * 1e9);
    return TT_OK;
}

/* Upload the file unless the worker has it; the body was begun with HELLO. */
static enum tt_code upload(const struct remote_type *t, tt_stream *s,
                           struct tt_wire *body, struct tt_wire *in,
                           tt_err *err)
{
    struct tt_wire_in r = {0};
    struct tt_buf b;
    enum tt_code rc;

    tt_wire_u8(body, TT_WIRE_HAVE);
    memcpy(tt_wire_room(body, sizeof(t->hash)), t->hash, sizeof(t->hash));
    rc = ask(t, s, body, in, &r, err);
    if (rc != TT_OK || tt_wire_get_flag(&r))
        return rc;
    tt_buf_init(&b, FMU_MOST);
    rc = tt_file_read(&b, t->upload, err);
    for (size_t at = 0; rc == TT_OK && at < b.len; at += PIECE) {
        char *room;

        tt_wire_empty(body);
        tt_wire_u8(body, TT_WIRE_PUT);
        room = tt_wire_room(body, sizeof(t->hash));
        if (room)
            memcpy(room, t->hash, sizeof(t->hash));
        tt_wire_u64(body, b.len);
        tt_wire_bytes(body, b.data + at,
                      b.len - at < PIECE ? b.len - at : PIECE);
        rc = ask(t, s, body, in, &r, err);
    }
    tt_buf_fini(&b);
    return rc;
}

/* A stream to a worker that has opened the type; its description in r, which
 * lies in `in`. */
static enum tt_code reach(const struct remote_type *t, tt_stream **s,
                          struct tt_wire *in, struct tt_wire_in *r, tt_err *err)
{
    struct tt_wire body = {0};
    enum tt_code rc = dial(t, s, err);

    if (rc != TT_OK)
        return rc;
    put_hello(t, &body);
    if (t->upload[0]) {
        rc = upload(t, *s, &body, in, err);
        tt_wire_empty(&body);
    }
    put_open(t, &body);
    if (rc == TT_OK)
        rc = ask(t, *s, &body, in, r, err);
    tt_wire_fini(&body);
    if (rc == TT_OK)
        return TT_OK;
    tt_stream_close(*s);
    *s = NULL;
    return rc;
}

static enum tt_code link_open(void *ctx, tt_stream **s, tt_err *err)
{
    struct tt_wire in = {0};
    struct tt_wire_in r = {0};
    enum tt_code rc = reach(ctx, s, &in, &r, err);

    tt_wire_fini(&in);
    return rc;
}

static void link_close(void *ctx, tt_stream *s, int kindly)
{
    (void)ctx;
    (void)kindly;
    tt_stream_close(s);
}

static void link_obituary(void *ctx, const tt_stream *s, char *out, size_t size)
{
    const struct remote_type *t = ctx;

    (void)snprintf(out, size, "the link to %.100s:%s is lost (%s)", t->host,
                   t->port, s->why[0] ? s->why : "no sense came from there");
}

static const struct tt_proxy_link_ops link_ops = {
    .word = "remote",
    TT_HOOKS(link_, open, close, obituary),
    .silence_is_loss = 1,
};

/* --- the kind --------------------------------------------------------------
 */

static void close_type(tt_unit_type *base)
{
    struct remote_type *t = (struct remote_type *)(void *)base;

    if (!t)
        return;
    tt_names_fini(&t->base.desc.by_name);
    tt_arena_free(t->arena);
    tt_tls_free(t->tls);
    tt_free(t);
}

static enum tt_code split(struct remote_type *t, const char *path, tt_err *err)
{
    const char *at = path + strlen(SCHEME), *slash = strchr(at, '/');
    char addr[TT_HOST_MAX + 8];
    enum tt_code rc;

    if (!slash || !slash[1] || (size_t)(slash - at) >= sizeof(addr) ||
        strlen(slash + 1) >= NAME_MOST)
        return tt_fail(err, TT_EINPUT, "'%s' is not " SCHEME "HOST:PORT/NAME",
                       path);
    memcpy(addr, at, (size_t)(slash - at));
    addr[slash - at] = '\0';
    rc = tt_addr_split(addr, t->host, t->port, err);
    if (rc == TT_OK)
        (void)snprintf(t->name, sizeof(t->name), "%s", slash + 1);
    return rc;
}

/* What is uploaded is known there by what it contains. */
static enum tt_code name_by_content(struct remote_type *t, const char *path,
                                    tt_err *err)
{
    struct tt_sha256 h;
    struct tt_buf b;
    enum tt_code rc;

    if (strlen(path) >= sizeof(t->upload))
        return tt_fail(err, TT_EINPUT, "%s: the path is too long", path);
    if (tt_file_is_dir(path))
        return tt_fail(err, TT_EUNSUPPORTED,
                       "%s: a folder cannot be uploaded, only an .fmu file",
                       path);
    tt_buf_init(&b, FMU_MOST);
    rc = tt_file_read(&b, path, err);
    if (rc == TT_OK) {
        tt_sha256_init(&h);
        tt_sha256_add(&h, b.data, b.len);
        tt_sha256_end(&h, t->hash);
        tt_sha256_hex(t->hash, t->name);
        memcpy(t->name + TT_SHA256_HEX - 1, ".fmu", 5);
        memcpy(t->upload, path, strlen(path) + 1);
        t->by_hash = 1;
    }
    tt_buf_fini(&b);
    return rc;
}

static enum tt_code describe(struct remote_type *t, tt_err *err)
{
    struct tt_wire in = {0};
    struct tt_wire_in r = {0};
    tt_stream *s = NULL;
    enum tt_code rc = reach(t, &s, &in, &r, err);

    if (rc == TT_OK)
        rc = tt_wire_get_desc(&r, t->arena, &t->base.desc, err);
    tt_stream_close(s);
    tt_wire_fini(&in);
    return rc;
}

/* What Tutti itself reads is no FMU. */
static int is_ours(const char *path)
{
    return strncmp(path, "tutti:", 6) == 0 || tt_path_ends(path, ".sa") ||
           tt_path_ends(path, ".json");
}

/* No connection is made to what may not be there. */
static enum tt_code check_there(const struct tt_source *s, tt_err *err)
{
    if (s->inner)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "a scenario in place stays here; send the FMUs in it, "
                       "or write it to a file");
    for (const struct tt_source *o = s->within; o; o = o->within)
        if (o->here)
            return tt_fail(err, TT_EUNSUPPORTED, "it is on another host; %s",
                           o->here);
    return TT_OK;
}

static enum tt_code open_type(tt_unit_type **out, const struct tt_source *s,
                              tt_err *err)
{
    static const struct tt_remote nowhere;
    const struct tt_remote *r = s->far ? s->far : &nowhere;
    struct remote_type *t;
    enum tt_code rc = check_there(s, err);

    if (rc != TT_OK)
        return rc;
    if (!TT_NEW(t))
        return tt_fail(err, TT_ENOMEM, "opening %s", s->path);
    t->base.kind = &tt_kind_remote;
    t->deadline = r->deadline;
    t->interface = s->interface;
    t->arena = tt_arena_new();
    tt_names_init(&t->base.desc.by_name);
    if (!t->arena)
        rc = tt_fail(err, TT_ENOMEM, "opening %s", s->path);
    else if (!r->host)
        rc = split(t, s->path, err);
    else if (is_ours(s->path))
        rc = tt_fail(err, TT_EINPUT,
                     "%s: only an FMU of this host can be uploaded to '%s'",
                     s->path, r->host);
    else
        rc = tt_addr_split(r->host, t->host, t->port, err);
    if (rc == TT_OK && r->host)
        rc = name_by_content(t, s->path, err);
    if (rc == TT_OK)
        rc = tt_token_read(r->token_file, t->token, err);
    if (rc == TT_OK && r->ca)
        rc = tt_tls_client(&t->tls, r->ca, err);
    if (rc == TT_OK)
        rc = describe(t, err);
    return TT_HAND_OVER(rc, out, &t->base, close_type);
}

static enum tt_code make(tt_unit **out, tt_unit_type *base,
                         const struct tt_make *m, tt_err *err)
{
    struct remote_type *t = (struct remote_type *)(void *)base;
    const struct tt_proxy_link l = {
        .ops = &link_ops, .ctx = t, .deadline = t->deadline};
    int max_step = 0;
    enum tt_code rc = tt_proxy_make(out, &l, &base->desc, m, &max_step, err);

    if (rc == TT_OK && max_step)
        base->desc.caps.max_step = 1;
    return rc;
}

const struct tt_kind_ops tt_kind_remote = {
    .name = "remote",
    .traits = TT_KIND_FAR,
    .open = open_type,
    .close = close_type,
    .make = make,
};
