/* SPDX-License-Identifier: MIT */
#ifndef TT_SERVE_WIRE_H
#define TT_SERVE_WIRE_H

/* What the files that see the library share. */

#include <libwebsockets.h>

#include "serve/serve_impl.h"

/* The protocol of the API's WebSockets. */
#define TT_SUBPROTOCOL "tutti.v1"

#define TT_HEADER_MAX ((size_t)2048)

/* What the library keeps for each connection. */
struct tt_conn {
    struct tt_request *request;
    struct tt_socket *socket;   /* a WebSocket of Maestro's dialect ... */
    struct tt_watcher *watcher; /* ... or of the API */
    size_t sent;                /* of the body */
    int begun;                  /* the headers are sent */
};

/* loop.c: the service it belongs to. */
const struct tt_service *tt_wire_service(struct lws *wsi);
/* A header as text; "" when there is none or it is too long to be honest. */
void tt_wire_header(struct lws *wsi, enum lws_token_indexes h, char *out,
                    size_t size);

/* http.c: events of a request. -1: close the connection. */
int tt_http_request(struct tt_service *s, struct tt_conn *c, struct lws *wsi,
                    const char *path, size_t n);
int tt_http_body(const struct tt_service *s, struct tt_conn *c,
                 const void *data, size_t n);
int tt_http_body_end(struct tt_service *s, struct tt_conn *c);
int tt_http_writable(struct tt_conn *c, struct lws *wsi);
void tt_http_closed(struct tt_conn *c);

#endif
