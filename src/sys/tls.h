/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_TLS_H
#define TT_SYS_TLS_H

/* Encrypted streams: TLS 1.2 or newer over a socket. Built without OpenSSL,
 * making one fails and states it. */

#include "sys/stream.h"

typedef struct tt_tls tt_tls;

/* The listening side: certificate chain and private key, PEM files. */
TT_NODISCARD enum tt_code tt_tls_server(tt_tls **out, const char *cert,
                                        const char *key, tt_err *err);
/* The connecting side: certificates it trusts, a PEM file; a certificate that
 * signed itself is trusted if it is one of them. */
TT_NODISCARD enum tt_code tt_tls_client(tt_tls **out, const char *ca,
                                        tt_err *err);
void tt_tls_free(tt_tls *t); /* accepts NULL; after its last stream */

/* Shake hands, in patience_ns at most (0: for ever), which then is the
 * stream's. host: a client's, whose certificate must name it; NULL: a server.
 * Takes the descriptor, also when it fails. */
TT_NODISCARD enum tt_code tt_tls_stream(tt_stream **out, const tt_tls *t,
                                        int fd, const char *host,
                                        uint64_t patience_ns, tt_err *err);

#endif
