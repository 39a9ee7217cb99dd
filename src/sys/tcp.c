/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* accept4, ppoll */
#include "sys/tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/hooks.h"
#include "base/mem.h"
#include "sys/clock.h"
#include "sys/stream.h"

#define BACKLOG    16
/* A lost link: 10 s of silence, then three questions 5 s apart. */
#define KEEP_IDLE  10
#define KEEP_EACH  5
#define KEEP_COUNT 3
#define BUF_CAP    ((size_t)64 << 10)

/* --- addresses ---------------------------------------------------------- */

enum tt_code tt_addr_split(const char *addr, char *host, char *port,
                           tt_err *err)
{
    const char *colon = strrchr(addr, ':'), *from = addr, *to = colon;
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;

    if (addr[0] == '[' && colon && colon > addr + 1 && colon[-1] == ']') {
        from++;
        to--;
    }
    if (!colon || from >= to || digits == 0 || digits > 5 ||
        colon[1 + digits] || (size_t)(to - from) >= TT_HOST_MAX)
        return tt_fail(err, TT_EINPUT, "'%s' is no address: enter HOST:PORT",
                       addr);
    memcpy(host, from, (size_t)(to - from));
    host[to - from] = '\0';
    memcpy(port, colon + 1, digits + 1);
    return TT_OK;
}

static void print_addr(const struct sockaddr_storage *a, socklen_t n, char *out)
{
    char host[64], port[8];

    if (getnameinfo((const struct sockaddr *)a, n, host, sizeof(host), port,
                    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        (void)snprintf(out, TT_ADDR_MAX, "?");
    else if (a->ss_family == AF_INET6)
        (void)snprintf(out, TT_ADDR_MAX, "[%s]:%s", host, port);
    else
        (void)snprintf(out, TT_ADDR_MAX, "%s:%s", host, port);
}

static enum tt_code look_up(const char *host, const char *port, int passive,
                            struct addrinfo **out, tt_err *err)
{
    struct addrinfo hint = {.ai_family = AF_UNSPEC,
                            .ai_socktype = SOCK_STREAM,
                            .ai_flags = passive ? AI_PASSIVE : 0};
    int rc = getaddrinfo(host, port, &hint, out);

    if (rc == 0)
        return TT_OK;
    return tt_fail(err, TT_EINPUT, "no address of '%s': %s", host,
                   gai_strerror(rc));
}

/* How to open a socket at one of the addresses a host has. */
struct opening {
    int (*open)(const struct addrinfo *a, int ms);
    int passive;
    const char *what; /* "listen at" */
};

static enum tt_code open_any(const struct opening *o, const char *host,
                             const char *port, int ms, int *fd, tt_err *err)
{
    struct addrinfo *list;
    enum tt_code rc = look_up(host, port, o->passive, &list, err);

    if (rc != TT_OK)
        return rc;
    *fd = -1;
    for (struct addrinfo *i = list; i && *fd < 0; i = i->ai_next)
        *fd = o->open(i, ms);
    if (*fd < 0)
        rc = tt_fail(err, TT_EIO, "cannot %s %s:%s: %s", o->what, host, port,
                     strerror(errno));
    freeaddrinfo(list);
    return rc;
}

/* --- options ------------------------------------------------------------ */

static void set_int(int fd, int level, int option, int value)
{
    (void)setsockopt(fd, level, option, &value, sizeof(value));
}

static void set_link_options(int fd)
{
    set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE);
    set_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEP_EACH);
    set_int(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEP_COUNT);
    set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
            (KEEP_IDLE + KEEP_EACH * KEEP_COUNT) * 1000);
}

/* --- listening ---------------------------------------------------------- */

static int listen_at(const struct addrinfo *a, int ms)
{
    int fd =
        socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);

    (void)ms;
    if (fd < 0)
        return -1;
    set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    close(fd);
    return -1;
}

enum tt_code tt_tcp_listen(const char *host, const char *port, int *fd,
                           char *bound, tt_err *err)
{
    struct sockaddr_storage a = {0};
    socklen_t n = sizeof(a);
    static const struct opening o = {listen_at, 1, "listen at"};
    enum tt_code rc = open_any(&o, host, port, -1, fd, err);

    if (rc == TT_OK && getsockname(*fd, (struct sockaddr *)&a, &n) == 0)
        print_addr(&a, n, bound);
    return rc;
}

enum tt_code tt_tcp_accept(int listening, int ms, int *fd, char *peer,
                           tt_err *err)
{
    struct pollfd p = {.fd = listening, .events = POLLIN};
    struct sockaddr_storage a = {0};
    socklen_t n = sizeof(a);

    *fd = -1;
    if (poll(&p, 1, ms) <= 0)
        return TT_OK;
    *fd = accept4(listening, (struct sockaddr *)&a, &n, SOCK_CLOEXEC);
    if (*fd < 0) {
        if (errno == EINTR || errno == EAGAIN || errno == ECONNABORTED)
            return TT_OK;
        return tt_fail(err, TT_EIO, "cannot accept a connection: %s",
                       strerror(errno));
    }
    print_addr(&a, n, peer);
    set_link_options(*fd);
    return TT_OK;
}

/* --- connecting --------------------------------------------------------- */

/* 0, or -1 with errno. */
static int finish_connect(int fd, int ms)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t n = sizeof(error);
    int k = poll(&p, 1, ms);

    if (k == 0)
        errno = ETIMEDOUT;
    if (k <= 0)
        return -1;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n) != 0)
        return -1;
    errno = error;
    return error ? -1 : 0;
}

static int connect_to(const struct addrinfo *a, int ms)
{
    int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                    a->ai_protocol);
    int saved;

    if (fd < 0)
        return -1;
    if ((connect(fd, a->ai_addr, a->ai_addrlen) == 0 ||
         (errno == EINPROGRESS && finish_connect(fd, ms) == 0)) &&
        fcntl(fd, F_SETFL, 0) == 0) {
        set_link_options(fd);
        return fd;
    }
    saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

enum tt_code tt_tcp_connect(const char *host, const char *port, int ms, int *fd,
                            tt_err *err)
{
    static const struct opening o = {connect_to, 0, "connect to"};

    return open_any(&o, host, port, ms, fd, err);
}

void tt_tcp_try_send(int fd, const void *data, size_t n)
{
    (void)!send(fd, data, n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void tt_tcp_close(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* --- the stream --------------------------------------------------------- */

struct socket_stream {
    tt_stream base;
    int fd;
    uint64_t set_ns; /* the patience the kernel has */
    struct tt_spin spin;
    size_t at, n; /* of what was received before it was wanted */
    char buf[BUF_CAP];
};

void tt_tcp_patience(int fd, uint64_t ns, uint64_t *set_ns)
{
    struct timeval t = {.tv_sec = (time_t)(ns / 1000000000u),
                        .tv_usec = (suseconds_t)(ns % 1000000000u / 1000u)};

    if (*set_ns == ns)
        return;
    *set_ns = ns;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
}

struct awaited {
    int fd;
    void *data;
    size_t n;
    ssize_t got;
};

static int look(void *ctx)
{
    struct awaited *a = ctx;

    a->got = recv(a->fd, a->data, a->n, MSG_DONTWAIT);
    return a->got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

ptrdiff_t tt_tcp_receive(int fd, void *data, size_t n, struct tt_spin *spin)
{
    struct awaited a = {fd, data, n, -1};

    return tt_spin_await(spin, look, &a) ? a.got : recv(fd, data, n, 0);
}

#define SECOND UINT64_C(1000000000)
#define LONG   (UINT64_C(1000000) * SECOND)

int tt_tcp_comes(int fd, uint64_t ns)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    uint64_t until = tt_clock_ns() + (ns < LONG ? ns : LONG), now;
    int k = -1;

    while (k < 0) {
        struct timespec left = {0};

        now = tt_clock_ns();
        if (until > now)
            left = (struct timespec){.tv_sec = (time_t)((until - now) / SECOND),
                                     .tv_nsec = (long)((until - now) % SECOND)};
        k = ppoll(&p, 1, &left, NULL);
        if (k < 0 && errno != EINTR)
            return 1;
    }
    return k > 0;
}

/* What a call that moved nothing means; 1: try it again. */
static int again(struct socket_stream *s, ssize_t k, enum tt_stream_end *end)
{
    if (k < 0 && errno == EINTR)
        return 1;
    *end = k < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? TT_STREAM_LATE
                                                              : TT_STREAM_GONE;
    if (*end == TT_STREAM_GONE)
        (void)snprintf(s->base.why, sizeof(s->base.why), "%s",
                       k < 0 ? strerror(errno) : "the other end closed it");
    return 0;
}

static enum tt_stream_end socket_write(tt_stream *base, const void *data,
                                       size_t n)
{
    struct socket_stream *s = (struct socket_stream *)(void *)base;
    const char *from = data;
    enum tt_stream_end end = TT_STREAM_OK;

    tt_tcp_patience(s->fd, s->base.patience_ns, &s->set_ns);
    while (n > 0) {
        ssize_t k = send(s->fd, from, n, MSG_NOSIGNAL);

        if (k > 0) {
            from += k;
            n -= (size_t)k;
        } else if (!again(s, k, &end)) {
            return end;
        }
    }
    return TT_STREAM_OK;
}

/* More bytes than wanted come in one call, mostly a whole message. Patience
 * counts for the whole read: bytes that trickle in do not renew it. */
static enum tt_stream_end socket_read(tt_stream *base, void *data, size_t n)
{
    struct socket_stream *s = (struct socket_stream *)(void *)base;
    uint64_t began = 0;
    enum tt_stream_end end = TT_STREAM_OK;
    char *to = data;

    tt_tcp_patience(s->fd, s->base.patience_ns, &s->set_ns);
    while (n > 0) {
        size_t k = s->n - s->at < n ? s->n - s->at : n;
        ssize_t got;

        memcpy(to, s->buf + s->at, k);
        s->at += k;
        to += k;
        n -= k;
        if (n == 0)
            break;
        s->at = s->n = 0;
        if (s->base.patience_ns && !began)
            began = tt_clock_ns();
        else if (began && tt_clock_ns() - began >= s->base.patience_ns)
            return TT_STREAM_LATE;
        got = tt_tcp_receive(s->fd, s->buf, sizeof(s->buf), &s->spin);
        if (got > 0)
            s->n = (size_t)got;
        else if (!again(s, got, &end))
            return end;
    }
    return TT_STREAM_OK;
}

static int socket_ready(tt_stream *base, uint64_t ns)
{
    struct socket_stream *s = (struct socket_stream *)(void *)base;
    struct awaited a = {s->fd, s->buf, sizeof(s->buf), -1};

    if (s->at < s->n)
        return 1;
    if (ns == 0 || !tt_spin_await(&s->spin, look, &a))
        return tt_tcp_comes(s->fd, ns);
    s->at = 0;
    s->n = a.got > 0 ? (size_t)a.got : 0; /* else a read meets it again */
    return 1;
}

static void socket_close(tt_stream *base)
{
    close(((struct socket_stream *)(void *)base)->fd);
    tt_free(base);
}

static const struct tt_stream_ops socket_ops = {
    TT_HOOKS(socket_, write, read, ready, close)};

tt_stream *tt_tcp_stream(int fd)
{
    struct socket_stream *s;

    if (!TT_NEW(s)) {
        close(fd);
        return NULL;
    }
    s->base.ops = &socket_ops;
    s->fd = fd;
    tt_spin_init(&s->spin, TT_TCP_LOOKS, NULL);
    return &s->base;
}
