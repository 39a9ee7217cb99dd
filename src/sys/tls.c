/* SPDX-License-Identifier: MIT */
#include "sys/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/hooks.h"
#include "base/mem.h"
#include "sys/clock.h"
#include "sys/tcp.h"

struct tt_tls {
    SSL_CTX *ctx;      /* owned */
    BIO_METHOD *plain; /* owned: how sockets are read and written */
};

struct tls_stream {
    tt_stream base;
    SSL *ssl; /* owned */
    int fd;
    uint64_t set_ns; /* the patience the kernel has */
    struct tt_spin spin;
    int late;   /* the last call ended because patience did */
    int glance; /* what is not there is not waited for */
};

/* --- sockets ------------------------------------------------------------ */

/* OpenSSL's own would raise SIGPIPE when the other end is gone. */

static int plain_write(BIO *b, const char *data, int n)
{
    struct tls_stream *s = BIO_get_data(b);
    ssize_t k;

    do
        k = send(s->fd, data, (size_t)n, MSG_NOSIGNAL);
    while (k < 0 && errno == EINTR);
    s->late = k < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    return (int)k;
}

static int plain_read(BIO *b, char *data, int n)
{
    struct tls_stream *s = BIO_get_data(b);
    ssize_t k;

    BIO_clear_retry_flags(b);
    do
        k = s->glance ? recv(s->fd, data, (size_t)n, MSG_DONTWAIT)
                      : tt_tcp_receive(s->fd, data, (size_t)n, &s->spin);
    while (k < 0 && errno == EINTR);
    s->late = k < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (s->late && s->glance)
        BIO_set_retry_read(b);
    return (int)k;
}

static long plain_ctrl(BIO *b, int what, long n, void *p)
{
    (void)b;
    (void)n;
    (void)p;
    return what == BIO_CTRL_FLUSH;
}

/* --- contexts ----------------------------------------------------------- */

static enum tt_code failed(const char *what, tt_err *err)
{
    const char *why = ERR_reason_error_string(ERR_peek_last_error());

    ERR_clear_error();
    return tt_fail(err, TT_EINPUT, "%s: %s", what, why ? why : "TLS failed");
}

void tt_tls_free(tt_tls *t)
{
    if (!t)
        return;
    SSL_CTX_free(t->ctx);
    BIO_meth_free(t->plain);
    tt_free(t);
}

static enum tt_code make(tt_tls **out, const SSL_METHOD *method, tt_err *err)
{
    tt_tls *t;

    if (!TT_NEW(t))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    t->ctx = SSL_CTX_new(method);
    t->plain = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK,
                            "tutti socket");
    if (!t->ctx || !t->plain ||
        !SSL_CTX_set_min_proto_version(t->ctx, TLS1_2_VERSION)) {
        tt_tls_free(t);
        return failed("TLS", err);
    }
    BIO_meth_set_write(t->plain, plain_write);
    BIO_meth_set_read(t->plain, plain_read);
    BIO_meth_set_ctrl(t->plain, plain_ctrl);
    *out = t;
    return TT_OK;
}

enum tt_code tt_tls_server(tt_tls **out, const char *cert, const char *key,
                           tt_err *err)
{
    tt_tls *t = NULL;
    enum tt_code rc = make(&t, TLS_server_method(), err);

    if (rc == TT_OK && SSL_CTX_use_certificate_chain_file(t->ctx, cert) != 1)
        rc = failed(cert, err);
    if (rc == TT_OK &&
        SSL_CTX_use_PrivateKey_file(t->ctx, key, SSL_FILETYPE_PEM) != 1)
        rc = failed(key, err);
    return TT_HAND_OVER(rc, out, t, tt_tls_free);
}

enum tt_code tt_tls_client(tt_tls **out, const char *ca, tt_err *err)
{
    tt_tls *t = NULL;
    enum tt_code rc = make(&t, TLS_client_method(), err);

    if (rc == TT_OK && SSL_CTX_load_verify_locations(t->ctx, ca, NULL) != 1)
        rc = failed(ca, err);
    if (rc != TT_OK) {
        tt_tls_free(t);
        return rc;
    }
    SSL_CTX_set_verify(t->ctx, SSL_VERIFY_PEER, NULL);
    *out = t;
    return TT_OK;
}

/* --- streams ------------------------------------------------------------ */

/* OpenSSL finds out what became of a call by the errors of the thread, which
 * may be of another call: none may be left when one begins. */

static enum tt_stream_end gone(struct tls_stream *s)
{
    const char *why = ERR_reason_error_string(ERR_peek_last_error());

    ERR_clear_error();
    if (s->late)
        return TT_STREAM_LATE;
    (void)snprintf(s->base.why, sizeof(s->base.why), "%s",
                   why ? why : "the other end closed it");
    return TT_STREAM_GONE;
}

static enum tt_stream_end tls_write(tt_stream *base, const void *data, size_t n)
{
    struct tls_stream *s = (struct tls_stream *)(void *)base;
    size_t k = 0;

    if (n == 0)
        return TT_STREAM_OK;
    tt_tcp_patience(s->fd, s->base.patience_ns, &s->set_ns);
    ERR_clear_error();
    return SSL_write_ex(s->ssl, data, n, &k) ? TT_STREAM_OK : gone(s);
}

static enum tt_stream_end tls_read(tt_stream *base, void *data, size_t n)
{
    struct tls_stream *s = (struct tls_stream *)(void *)base;
    uint64_t began = s->base.patience_ns ? tt_clock_ns() : 0;
    char *to = data;

    tt_tcp_patience(s->fd, s->base.patience_ns, &s->set_ns);
    ERR_clear_error();
    while (n > 0) {
        size_t k = 0;

        if (!SSL_read_ex(s->ssl, to, n, &k))
            return gone(s);
        to += k;
        n -= k;
        if (n > 0 && began && tt_clock_ns() - began >= s->base.patience_ns)
            return TT_STREAM_LATE;
    }
    return TT_STREAM_OK;
}

/* What came may be no data of ours, or only a part of a record. */
static int has_data(struct tls_stream *s)
{
    char c;
    size_t k;
    int there;

    ERR_clear_error();
    s->glance = 1;
    there = SSL_peek_ex(s->ssl, &c, 1, &k);
    s->glance = 0;
    there = there || SSL_get_error(s->ssl, 0) != SSL_ERROR_WANT_READ;
    if (!there)
        ERR_clear_error();
    return there;
}

static int tls_ready(tt_stream *base, uint64_t ns)
{
    struct tls_stream *s = (struct tls_stream *)(void *)base;
    uint64_t began = tt_clock_ns(), spent = 0;

    for (;;) {
        if (has_data(s))
            return 1;
        spent = tt_clock_ns() - began;
        if (spent >= ns || !tt_tcp_comes(s->fd, ns - spent))
            return 0;
    }
}

static void tls_close(tt_stream *base)
{
    struct tls_stream *s = (struct tls_stream *)(void *)base;

    SSL_free(s->ssl); /* and the way to the socket with it */
    close(s->fd);
    tt_free(s);
}

static const struct tt_stream_ops tls_ops = {
    TT_HOOKS(tls_, write, read, ready, close)};

/* The certificate must name the host, as a name or as an address. */
static int expect(SSL *ssl, const char *host)
{
    X509_VERIFY_PARAM *p = SSL_get0_param(ssl);

    if (X509_VERIFY_PARAM_set1_ip_asc(p, host) == 1)
        return 1;
    /* the macro for it drops const; the name is only read */
    return SSL_set1_host(ssl, host) == 1 &&
           SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME,
                    TLSEXT_NAMETYPE_host_name, (void *)(uintptr_t)host) == 1;
}

static int prepare(struct tls_stream *s, const tt_tls *t, const char *host)
{
    BIO *b;

    s->ssl = SSL_new(t->ctx);
    b = s->ssl ? BIO_new(t->plain) : NULL;
    if (!b)
        return 0;
    BIO_set_data(b, s);
    BIO_set_init(b, 1);
    SSL_set_bio(s->ssl, b, b);
    return !host || expect(s->ssl, host);
}

static enum tt_code no_hands(struct tls_stream *s, tt_err *err)
{
    long verdict = SSL_get_verify_result(s->ssl);

    if (verdict != X509_V_OK) {
        ERR_clear_error();
        return tt_fail(err, TT_EIO, "its certificate is not trusted: %s",
                       X509_verify_cert_error_string(verdict));
    }
    if (gone(s) == TT_STREAM_LATE)
        return tt_fail(err, TT_EIO, "TLS: no answer");
    return tt_fail(err, TT_EIO, "TLS: %s", s->base.why);
}

enum tt_code tt_tls_stream(tt_stream **out, const tt_tls *t, int fd,
                           const char *host, uint64_t patience_ns, tt_err *err)
{
    struct tls_stream *s;
    enum tt_code rc = TT_OK;

    if (!TT_NEW(s)) {
        close(fd);
        return tt_fail(err, TT_ENOMEM, "out of memory");
    }
    s->base.ops = &tls_ops;
    s->base.patience_ns = patience_ns;
    s->fd = fd;
    tt_spin_init(&s->spin, TT_TCP_LOOKS, NULL);
    tt_tcp_patience(s->fd, s->base.patience_ns, &s->set_ns);
    if (!prepare(s, t, host))
        rc = failed("TLS", err);
    else if ((host ? SSL_connect(s->ssl) : SSL_accept(s->ssl)) != 1)
        rc = no_hands(s, err);
    return TT_HAND_OVER(rc, out, &s->base, tls_close);
}
