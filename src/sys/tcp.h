/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_TCP_H
#define TT_SYS_TCP_H

/* TCP: listen, accept, connect. What is sent leaves at once (no delay), and a
 * link that is silently lost is noticed within half a minute even while nothing
 * expects anything. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sys/spin.h"

#define TT_ADDR_MAX 80 /* "address:port", printable */

/* "host:port" into its parts; "[::1]:80" too. Messages name it. host has
 * TT_HOST_MAX bytes, port 6. */
#define TT_HOST_MAX 256
TT_NODISCARD enum tt_code tt_addr_split(const char *addr, char *host,
                                        char *port, tt_err *err);

/* Port 0 lets the system choose; `bound` (TT_ADDR_MAX) states what it is. */
TT_NODISCARD enum tt_code tt_tcp_listen(const char *host, const char *port,
                                        int *fd, char *bound, tt_err *err);
/* Wait for a connection, ms at most; *fd is -1 when none came. peer:
 * TT_ADDR_MAX. */
TT_NODISCARD enum tt_code tt_tcp_accept(int listening, int ms, int *fd,
                                        char *peer, tt_err *err);
TT_NODISCARD enum tt_code tt_tcp_connect(const char *host, const char *port,
                                         int ms, int *fd, tt_err *err);
/* Send it if it can be sent at once. */
void tt_tcp_try_send(int fd, const void *data, size_t n);
void tt_tcp_close(int fd);
/* How long the system is to wait on it; *set_ns is what was set last. */
void tt_tcp_patience(int fd, uint64_t ns, uint64_t *set_ns);
/* As recv(2), but spins before it parks. */
#define TT_TCP_LOOKS 1u /* of its spin: a look costs more than the clock */
ptrdiff_t tt_tcp_receive(int fd, void *data, size_t n, struct tt_spin *spin);

/* Is there something to receive, or the link's end, within so many ns? */
int tt_tcp_comes(int fd, uint64_t ns);

#endif
