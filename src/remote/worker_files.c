/* SPDX-License-Identifier: MIT */
/* Which connections are accepted, and which FMU is meant. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/sha256.h"
#include "kinds/kinds.h"
#include "remote/worker_impl.h"
#include "sys/file.h"

#define UPLOAD_MOST ((size_t)255 << 20) /* bytes of one FMU */

/* --- hello -------------------------------------------------------------- */

static enum tt_code turn_away(const struct tt_worker *w, enum tt_code code,
                              const char *why, tt_err *err)
{
    tt_log(w->host->log, TT_LOG_WARN, "%s: refused: %s", w->host->peer, why);
    return tt_fail(err, code, "%s", why);
}

/* The version comes first: with another one what follows may mean another
 * thing. */
enum tt_code tt_worker_hello(struct tt_worker *w, struct tt_wire_in *a,
                             struct tt_wire *out, tt_err *err)
{
    uint32_t version = tt_wire_get_u32(a);
    size_t n = 0;
    const char *token = tt_wire_get_bytes(a, &n);
    char why[100];

    if (a->bad)
        return tt_worker_nonsense(err);
    if (version != TT_WIRE_VERSION) {
        (void)snprintf(why, sizeof(why),
                       "version %u of the protocol, this worker knows %u",
                       (unsigned)version, TT_WIRE_VERSION);
        return turn_away(w, TT_EUNSUPPORTED, why, err);
    }
    if (!tt_same_secret(token, n, w->host->token, strlen(w->host->token)))
        return turn_away(w, TT_EINPUT, "wrong token", err);
    if (w->host->welcome_cb && !w->host->welcome_cb(w->host->ctx)) {
        (void)snprintf(why, sizeof(why), "%u are here already",
                       (unsigned)w->host->most);
        return turn_away(w, TT_EIO, why, err);
    }
    w->welcome = 1;
    tt_wire_u32(out, TT_WIRE_VERSION);
    return TT_OK;
}

/* --- the cache ---------------------------------------------------------- */

/* <hash>.fmu */
static void cached_name(const unsigned char *hash, char name[TT_SHA256_HEX + 4])
{
    tt_sha256_hex(hash, name);
    memcpy(name + TT_SHA256_HEX - 1, ".fmu", 5);
}

/* Is what is in a file of the cache what its name states? In *b then. */
static int is_genuine(const char *path, const char *name, struct tt_buf *b)
{
    char is[TT_SHA256_HEX + 4];
    unsigned char hash[TT_SHA256_BYTES];
    struct tt_sha256 h;

    tt_buf_init(b, UPLOAD_MOST);
    if (tt_file_read_plain(b, path, NULL) != TT_OK)
        return 0;
    tt_sha256_init(&h);
    tt_sha256_add(&h, b->data, b->len);
    tt_sha256_end(&h, hash);
    cached_name(hash, is);
    return strcmp(is, name) == 0;
}

/* What was compared is what will be opened: a copy in a folder where no other
 * connection's unit can change it. */
static enum tt_code take_from_cache(struct tt_worker *w, const char *name,
                                    tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc = TT_OK;
    char *own;

    if (!is_genuine(w->path, name, &b))
        rc = tt_fail(err, TT_EIO,
                     "'%s' in the worker's cache is not what was uploaded",
                     name);
    if (rc == TT_OK && w->host->folder) {
        own = tt_path_join(w->host->folder, name);
        rc = own ? tt_file_write(own, b.data, b.len, err) : tt_nomem(err, NULL);
        tt_free(w->path);
        w->path = own;
    }
    tt_buf_fini(&b);
    return rc;
}

/* --- opening ------------------------------------------------------------ */

/* A name below the folder: nothing that leads out of it. */
static int is_inside(const char *name)
{
    if (!*name || *name == '/' || strlen(name) > 1000)
        return 0;
    for (const char *p = name; p;) {
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || !p[2]))
            return 0;
        p = strchr(p, '/');
        p = p ? p + 1 : NULL;
    }
    return 1;
}

static enum tt_code open_path(struct tt_worker *w, enum tt_interface interface,
                              tt_err *err)
{
    const struct tt_source s = {
        .path = w->path, .interface = interface, .log = &w->log};
    const struct tt_kind_ops *kind;
    enum tt_code rc;

    rc = tt_kind_for(&kind, &s, err);
    if (rc == TT_OK)
        rc = kind->open(&w->type, &s, err);
    w->own_type = rc == TT_OK;
    return rc;
}

/* By name in the folder, or by what it contains in the cache. */
enum tt_code tt_worker_open(struct tt_worker *w, struct tt_wire_in *a,
                            struct tt_wire *out, tt_err *err)
{
    unsigned by_hash = tt_wire_get_flag(a);
    const char *name = tt_wire_get_text(a, w->arena);
    unsigned interface = tt_wire_get_u8(a);
    const char *dir = by_hash ? w->host->cache : w->host->dir;
    enum tt_code rc;

    if (a->bad || !name || w->type ||
        interface > TT_INTERFACE_SCHEDULED_EXECUTION)
        return tt_worker_nonsense(err);
    if (!is_inside(name))
        return tt_fail(err, TT_EINPUT, "'%s' leads out of the worker's folder",
                       name);
    if (!dir)
        return tt_fail(err, TT_EUNSUPPORTED, "this worker has no %s",
                       by_hash ? "cache" : "folder of FMUs");
    tt_free(w->path);
    w->path = tt_path_join(dir, name);
    if (!w->path)
        return tt_nomem(err, NULL);
    if (!tt_file_exists(w->path))
        return tt_fail(err, TT_EINPUT, "there is no '%s' on this worker", name);
    rc = by_hash ? take_from_cache(w, name, err) : TT_OK;
    if (rc == TT_OK && w->host->confine_cb)
        rc = w->host->confine_cb(w->host->ctx, err);
    if (rc == TT_OK)
        rc = open_path(w, (enum tt_interface)interface, err);
    if (rc == TT_OK)
        tt_wire_desc(out, &w->type->desc);
    return rc;
}

/* --- uploads ------------------------------------------------------------ */

struct tt_worker_put {
    unsigned char hash[TT_SHA256_BYTES];
    uint64_t total;
    struct tt_wire bytes;
};

void tt_worker_drop_put(struct tt_worker *w)
{
    if (!w->put)
        return;
    tt_wire_fini(&w->put->bytes);
    tt_free(w->put);
    w->put = NULL;
}

enum tt_code tt_worker_have(struct tt_worker *w, struct tt_wire_in *a,
                            struct tt_wire *out, tt_err *err)
{
    const char *hash = tt_wire_take(a, TT_SHA256_BYTES);
    char name[TT_SHA256_HEX + 4], *path;
    struct tt_buf b;

    if (!hash)
        return tt_worker_nonsense(err);
    if (!w->host->cache)
        return tt_fail(err, TT_EUNSUPPORTED, "this worker takes no uploads");
    cached_name((const unsigned char *)hash, name);
    path = tt_path_join(w->host->cache, name);
    if (!path)
        return tt_nomem(err, NULL);
    tt_wire_u8(out, is_genuine(path, name, &b) != 0);
    tt_buf_fini(&b);
    tt_free(path);
    return TT_OK;
}

static enum tt_code keep(struct tt_worker *w, tt_err *err)
{
    struct tt_worker_put *p = w->put;
    unsigned char is[TT_SHA256_BYTES];
    struct tt_sha256 h;
    char name[TT_SHA256_HEX + 4], *path;
    enum tt_code rc;

    tt_sha256_init(&h);
    tt_sha256_add(&h, p->bytes.data, p->bytes.n);
    tt_sha256_end(&h, is);
    if (memcmp(is, p->hash, sizeof(is)) != 0)
        return tt_fail(err, TT_EINPUT,
                       "what was uploaded is not what was announced");
    cached_name(p->hash, name);
    path = tt_path_join(w->host->cache, name);
    if (!path)
        return tt_nomem(err, NULL);
    rc = tt_file_replace(path, p->bytes.data, p->bytes.n, err);
    tt_free(path);
    return rc;
}

/* Piece by piece: hash and length of the whole, then what comes next. */
enum tt_code tt_worker_put(struct tt_worker *w, struct tt_wire_in *a,
                           struct tt_wire *out, tt_err *err)
{
    const char *hash = tt_wire_take(a, TT_SHA256_BYTES);
    uint64_t total = tt_wire_get_u64(a);
    size_t n = 0;
    const char *bytes = tt_wire_get_bytes(a, &n);
    struct tt_worker_put *p = w->put;
    char *room;
    enum tt_code rc;

    (void)out;
    if (a->bad)
        return tt_worker_nonsense(err);
    if (!w->host->cache)
        return tt_fail(err, TT_EUNSUPPORTED, "this worker takes no uploads");
    if (total > UPLOAD_MOST)
        return tt_fail(err, TT_EINPUT,
                       "an FMU of more than %u MiB is not taken",
                       (unsigned)(UPLOAD_MOST >> 20));
    if (!p) {
        if (!TT_NEW(p))
            return tt_nomem(err, NULL);
        w->put = p;
        memcpy(p->hash, hash, sizeof(p->hash));
        p->total = total;
    }
    if (memcmp(p->hash, hash, sizeof(p->hash)) != 0 || total != p->total ||
        n > total - p->bytes.n)
        return tt_worker_nonsense(err);
    room = tt_wire_room(&p->bytes, n);
    if (!room)
        return tt_nomem(err, NULL);
    memcpy(room, bytes, n);
    if (p->bytes.n < total)
        return TT_OK;
    rc = keep(w, err);
    tt_worker_drop_put(w);
    return rc;
}
