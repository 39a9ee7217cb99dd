/* SPDX-License-Identifier: MIT */
/* Built without OpenSSL. */
#include <unistd.h>

#include "sys/tls.h"

static enum tt_code absent(tt_err *err)
{
    return tt_fail(err, TT_EUNSUPPORTED, "this program was built without TLS");
}

enum tt_code tt_tls_server(tt_tls **out, const char *cert, const char *key,
                           tt_err *err)
{
    (void)out;
    (void)cert;
    (void)key;
    return absent(err);
}

enum tt_code tt_tls_client(tt_tls **out, const char *ca, tt_err *err)
{
    (void)out;
    (void)ca;
    return absent(err);
}

void tt_tls_free(tt_tls *t)
{
    (void)t;
}

enum tt_code tt_tls_stream(tt_stream **out, const tt_tls *t, int fd,
                           const char *host, uint64_t patience_ns, tt_err *err)
{
    (void)out;
    (void)t;
    (void)host;
    (void)patience_ns;
    close(fd);
    return absent(err);
}
