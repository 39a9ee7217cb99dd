/* SPDX-License-Identifier: MIT */
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/buf.h"
#include "serve/serve_impl.h"
#include "sys/file.h"

/* The library states of bad certificates only that it cannot start. So they are
 * looked at before, with words. */

#define PEM_MAX ((size_t)1 << 20)

/* There is no terminal to ask at. */
static int no_passphrase(char *buf, int size, int rwflag, void *ctx)
{
    (void)buf;
    (void)size;
    (void)rwflag;
    (void)ctx;
    return 0;
}

static enum tt_code check_readable(const char *option, const char *path,
                                   tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, PEM_MAX);
    rc = tt_file_read(&b, path, err);
    tt_buf_fini(&b);
    return rc == TT_OK ? rc : tt_context(err, TT_EINPUT, "%s", option);
}

static enum tt_code check_pair(SSL_CTX *ctx, const char *cert, const char *key,
                               tt_err *err)
{
    SSL_CTX_set_default_passwd_cb(ctx, no_passphrase);
    /* the key first: a certificate that does not fit it is still taken */
    if (SSL_CTX_use_PrivateKey_file(ctx, key, SSL_FILETYPE_PEM) != 1)
        return tt_fail(err, TT_EINPUT,
                       "--tls-key: %s has no private key in PEM form without "
                       "a passphrase",
                       key);
    if (SSL_CTX_use_certificate_chain_file(ctx, cert) != 1)
        return tt_fail(err, TT_EINPUT,
                       "--tls-cert: %s has no certificate in PEM form", cert);
    if (SSL_CTX_check_private_key(ctx) != 1)
        return tt_fail(err, TT_EINPUT,
                       "--tls-key: %s is not the key of the certificate in %s",
                       key, cert);
    return TT_OK;
}

enum tt_code tt_tls_check(const char *cert, const char *key, tt_err *err)
{
    SSL_CTX *ctx = NULL;
    enum tt_code rc = check_readable("--tls-cert", cert, err);

    if (rc == TT_OK)
        rc = check_readable("--tls-key", key, err);
    if (rc == TT_OK && !(ctx = SSL_CTX_new(TLS_server_method())))
        rc = tt_nomem(err, "TLS");
    if (rc == TT_OK)
        rc = check_pair(ctx, cert, key, err);
    SSL_CTX_free(ctx);
    ERR_clear_error();
    return rc;
}

long tt_tls_refused(void)
{
    return (long)(SSL_OP_NO_SSLv3 | SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1);
}
