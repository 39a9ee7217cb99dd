/* SPDX-License-Identifier: MIT */
/* Encrypted streams, both ends in one process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "sys/thread.h"
#include "sys/tls.h"

#define CERT TT_BUILD_DIR "/sys_tls_test.pem"
#define KEY  TT_BUILD_DIR "/sys_tls_test.key"

static tt_err err;

/* --- a certificate that signed itself --------------------------------------
 */

static EVP_PKEY *new_key(void)
{
    EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
    EVP_PKEY *key = NULL;

    assert_true(c && EVP_PKEY_keygen_init(c) == 1);
    assert_int_equal(
        EVP_PKEY_CTX_set_ec_paramgen_curve_nid(c, NID_X9_62_prime256v1), 1);
    assert_int_equal(EVP_PKEY_keygen(c, &key), 1);
    EVP_PKEY_CTX_free(c);
    return key;
}

static void name_host(X509 *x)
{
    X509_EXTENSION *e =
        X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, "DNS:localhost");

    assert_non_null(e);
    assert_int_equal(X509_add_ext(x, e, -1), 1);
    X509_EXTENSION_free(e);
}

static void put(const char *path, X509 *x, EVP_PKEY *key)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(
        x ? PEM_write_X509(f, x)
          : PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL),
        1);
    assert_int_equal(fclose(f), 0);
}

static int make_certificate(void **state)
{
    EVP_PKEY *key = new_key();
    X509 *x = X509_new();

    (void)state;
    assert_non_null(x);
    assert_int_equal(ASN1_INTEGER_set(X509_get_serialNumber(x), 1), 1);
    assert_non_null(X509_gmtime_adj(X509_getm_notBefore(x), -3600));
    assert_non_null(X509_gmtime_adj(X509_getm_notAfter(x), 3600));
    assert_int_equal(X509_set_pubkey(x, key), 1);
    name_host(x);
    assert_true(X509_sign(x, key, EVP_sha256()) > 0);
    put(CERT, x, NULL);
    put(KEY, NULL, key);
    X509_free(x);
    EVP_PKEY_free(key);
    return 0;
}

static int remove_certificate(void **state)
{
    (void)state;
    return remove(CERT) || remove(KEY);
}

/* --- two ends --------------------------------------------------------------
 */

struct ends {
    tt_tls *server, *client;
    tt_stream *far, *near;
    int fd; /* of the far one, until it has one */
    tt_err err;
};

static void accept_it(void *ctx)
{
    struct ends *e = ctx;

    if (tt_tls_stream(&e->far, e->server, e->fd, NULL, 0, &e->err) != TT_OK)
        e->far = NULL;
}

static void ok(enum tt_code rc, const tt_err *why)
{
    if (rc != TT_OK)
        fail_msg("%s", why->msg);
}

static void meet(struct ends *e)
{
    struct tt_thread t;
    int pair[2];

    *e = (struct ends){.fd = -1};
    ok(tt_tls_server(&e->server, CERT, KEY, &err), &err);
    ok(tt_tls_client(&e->client, CERT, &err), &err);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    e->fd = pair[1];
    ok(tt_thread_start(&t, accept_it, e, &err), &err);
    ok(tt_tls_stream(&e->near, e->client, pair[0], "localhost", 0, &err), &err);
    tt_thread_join(&t);
    ok(e->far ? TT_OK : TT_EIO, &e->err);
}

static void part(struct ends *e)
{
    tt_stream_close(e->near);
    tt_stream_close(e->far);
    tt_tls_free(e->client);
    tt_tls_free(e->server);
}

/* Something else in this thread did not work, and its error was left. */
static void leave_an_error(void)
{
    assert_null(BIO_new_file(TT_BUILD_DIR "/no/such/file", "r"));
    assert_int_not_equal(ERR_peek_error(), 0);
}

static void an_error_of_another_call_is_no_answer(void **state)
{
    char c = 0;
    struct ends e;

    (void)state;
    meet(&e);
    assert_false(tt_stream_ready(e.near, 0));
    leave_an_error();
    assert_false(tt_stream_ready(e.near, 0));
    leave_an_error();
    assert_int_equal(tt_stream_write(e.far, "x", 1), TT_STREAM_OK);
    assert_true(tt_stream_ready(e.near, UINT64_MAX));
    leave_an_error();
    assert_int_equal(tt_stream_read(e.near, &c, 1), TT_STREAM_OK);
    assert_int_equal(c, 'x');
    part(&e);
    ERR_clear_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_of_another_call_is_no_answer),
    };

    return cmocka_run_group_tests(tests, make_certificate, remove_certificate);
}
