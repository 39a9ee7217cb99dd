/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "serve/serve_impl.h"

/* Where the service listens. The library may understand less of an address than
 * it was given, and then takes all there are: it is not believed, but looked
 * at. */

#define FDS_MAX 4096 /* ours is among the first */

static int is_listening(int fd)
{
    int yes = 0;
    socklen_t n = sizeof(yes);

    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &n) == 0 && yes;
}

union address {
    struct sockaddr_storage any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* Its bytes and its port; 0: it is of another kind. */
static size_t parts(const union address *a, const void **bytes, int *port)
{
    if (a->any.ss_family == AF_INET) {
        *bytes = &a->v4.sin_addr;
        *port = ntohs(a->v4.sin_port);
        return sizeof(a->v4.sin_addr);
    }
    if (a->any.ss_family != AF_INET6)
        return 0;
    *bytes = &a->v6.sin6_addr;
    *port = ntohs(a->v6.sin6_port);
    return sizeof(a->v6.sin6_addr);
}

/* Is this the address that was meant? Of an interface that is named, one there
 * is. */
static int is_meant(const char *bind, const void *bytes, size_t n)
{
    static const unsigned char none[sizeof(struct in6_addr)];
    unsigned char asked[sizeof(struct in6_addr)];

    if (inet_pton(AF_INET, bind, asked) == 1)
        return n == sizeof(struct in_addr) && memcmp(asked, bytes, n) == 0;
    if (inet_pton(AF_INET6, bind, asked) == 1)
        return n == sizeof(asked) && memcmp(asked, bytes, n) == 0;
    return memcmp(none, bytes, n) != 0;
}

int tt_address_is_kept(const char *bind, int port)
{
    int found = 0;

    for (int fd = 0; fd < FDS_MAX; fd++) {
        union address a = {0};
        socklen_t size = sizeof(a);
        const void *bytes = NULL;
        int at = 0;
        size_t n;

        if (!is_listening(fd) ||
            getsockname(fd, (struct sockaddr *)&a.any, &size) != 0)
            continue;
        n = parts(&a, &bytes, &at);
        if (n == 0 || at != port)
            continue;
        if (!is_meant(bind, bytes, n))
            return 0;
        found = 1;
    }
    return found;
}

/* All addresses are no address; this machine is among them. */
static const char *reachable(const char *bind)
{
    if (strcmp(bind, "0.0.0.0") == 0 || strcmp(bind, "lo") == 0)
        return "127.0.0.1";
    return strcmp(bind, "::") == 0 ? "::1" : bind;
}

void tt_serve_url(const struct tt_serve_opts *o, int port, char out[TT_URL_MAX])
{
    const char *host = reachable(o->bind);
    int v6 = strchr(host, ':') != NULL;

    snprintf(out, TT_URL_MAX, "%s://%s%.200s%s:%d/",
             o->tls_cert ? "https" : "http", v6 ? "[" : "", host, v6 ? "]" : "",
             port);
}
