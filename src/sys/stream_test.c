/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/child.h"
#include "sys/stream.h"
#include "sys/tcp.h"

enum { MOST = 1 << 20 };

struct echo {
    void *shm;
    int fd;
    int pid;
};

static int has_parent(void *ctx)
{
    (void)ctx;
    return tt_child_has_parent();
}

static int has_child(void *ctx)
{
    return !tt_child_ended(((struct echo *)ctx)->pid);
}

/* Sends back what comes: a count, then as many bytes. A count of 0 ends it,
 * UINT32_MAX makes it fall silent. */
static int echo_main(void *ctx)
{
    static char data[MOST];
    const struct echo *e = ctx;
    const struct tt_stream_peer peer = {has_parent, NULL};
    tt_stream *s =
        e->shm ? tt_shm_stream(e->shm, 1, &peer) : tt_tcp_stream(e->fd);
    uint32_t n = 0;

    while (tt_stream_read(s, &n, sizeof(n)) == TT_STREAM_OK && n > 0) {
        if (n == UINT32_MAX)
            pause();
        if (tt_stream_read(s, data, n) != TT_STREAM_OK ||
            tt_stream_write(s, data, n) != TT_STREAM_OK)
            break;
    }
    tt_stream_close(s);
    return 7;
}

static tt_stream *start(struct echo *e, int shared)
{
    const struct tt_stream_peer peer = {has_child, e};
    int pair[2] = {-1, -1};
    tt_err err;

    *e = (struct echo){.fd = -1};
    if (shared)
        assert_non_null(e->shm = tt_shm_new());
    else
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    e->fd = pair[1];
    assert_int_equal(
        tt_child_fork(&(struct tt_child_copy){.main_cb = echo_main,
                                              .ctx = e,
                                              .share = e->shm,
                                              .keep_fd = shared ? 0 : e->fd},
                      &e->pid, &err),
        TT_OK);
    if (shared)
        return tt_shm_stream(e->shm, 0, &peer);
    close(pair[1]);
    return tt_tcp_stream(pair[0]);
}

static void stop(struct echo *e, tt_stream *s)
{
    tt_stream_close(s);
    tt_child_kill(e->pid);
    tt_shm_free(e->shm);
}

static void echoes(int shared)
{
    static char out[MOST], in[MOST];
    struct echo e;
    tt_stream *s = start(&e, shared);
    unsigned seed = 1;

    for (int i = 0; i < 200; i++) {
        uint32_t n;

        seed = seed * 1103515245u + 12345u;
        n = i % 20 == 19 ? MOST : 1 + (seed >> 12) % 5000;
        for (uint32_t k = 0; k < n; k++)
            out[k] = (char)(seed + k);
        assert_int_equal(tt_stream_write(s, &n, sizeof(n)), TT_STREAM_OK);
        assert_int_equal(tt_stream_write(s, out, n), TT_STREAM_OK);
        assert_int_equal(tt_stream_read(s, in, n), TT_STREAM_OK);
        assert_memory_equal(in, out, n);
    }
    stop(&e, s);
}

static void bytes_come_back_as_they_went(void **state)
{
    (void)state;
    echoes(1);
    echoes(0);
}

static void an_end_that_dies_is_noticed(void **state)
{
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        struct echo e;
        tt_stream *s = start(&e, shared);
        char c;

        kill(e.pid, SIGKILL);
        assert_int_equal(tt_stream_read(s, &c, 1), TT_STREAM_GONE);
        stop(&e, s);
    }
}

static void what_it_sent_before_its_death_is_read(void **state)
{
    struct echo e;
    tt_stream *s = start(&e, 1);
    uint32_t n = 3, end = 0;
    char in[3];

    (void)state;
    assert_int_equal(tt_stream_write(s, &n, sizeof(n)), TT_STREAM_OK);
    assert_int_equal(tt_stream_write(s, "abc", 3), TT_STREAM_OK);
    assert_int_equal(tt_stream_write(s, &end, sizeof(end)), TT_STREAM_OK);
    while (!tt_child_ended(e.pid))
        ;
    assert_int_equal(tt_stream_read(s, in, 3), TT_STREAM_OK);
    assert_memory_equal(in, "abc", 3);
    assert_int_equal(tt_stream_read(s, in, 1), TT_STREAM_GONE);
    stop(&e, s);
}

static void silence_ends_patience(void **state)
{
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        struct echo e;
        tt_stream *s = start(&e, shared);
        uint32_t n = UINT32_MAX;
        char c;

        s->patience_ns = 50000000;
        assert_int_equal(tt_stream_write(s, &n, sizeof(n)), TT_STREAM_OK);
        assert_int_equal(tt_stream_read(s, &c, 1), TT_STREAM_LATE);
        stop(&e, s);
    }
}

/* Nothing is there, then something, all of it with one read, then the end. */
static void what_can_be_read_is_known_before(void **state)
{
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        struct echo e;
        tt_stream *s = start(&e, shared);
        uint32_t n = 3, end = 0;
        char in[3];

        s->patience_ns = 1; /* of reads: no matter here */
        assert_false(tt_stream_ready(s, 0));
        assert_false(tt_stream_ready(s, 2000000));
        assert_int_equal(s->patience_ns, 1);
        s->patience_ns = 0;
        assert_int_equal(tt_stream_write(s, &n, sizeof(n)), TT_STREAM_OK);
        assert_int_equal(tt_stream_write(s, "abc", 3), TT_STREAM_OK);
        assert_true(tt_stream_ready(s, UINT64_MAX));
        assert_true(tt_stream_ready(s, 0));
        assert_int_equal(tt_stream_read(s, in, 1), TT_STREAM_OK);
        assert_true(tt_stream_ready(s, 0));
        assert_int_equal(tt_stream_read(s, in + 1, 2), TT_STREAM_OK);
        assert_memory_equal(in, "abc", 3);
        assert_false(tt_stream_ready(s, 0));
        assert_int_equal(tt_stream_write(s, &end, sizeof(end)), TT_STREAM_OK);
        assert_true(tt_stream_ready(s, UINT64_MAX));
        assert_true(tt_stream_ready(s, 0));
        assert_int_equal(tt_stream_read(s, in, 1), TT_STREAM_GONE);
        stop(&e, s);
    }
}

static void a_counter_that_cannot_be_true_is_noticed(void **state)
{
    struct echo e;
    tt_stream *s = start(&e, 1);
    char c;

    (void)state;
    memset(e.shm, 0x55, 8); /* what was written for us to read */
    assert_int_equal(tt_stream_read(s, &c, 1), TT_STREAM_GONE);
    assert_string_equal(s->why, "the memory it shares with us is corrupt");
    stop(&e, s);
}

/* The other end moves it to and fro: each time there seems to be something, and
 * then there is not. */
static void a_counter_that_goes_back_is_noticed(void **state)
{
    struct echo e;
    tt_stream *s = start(&e, 1);
    uint32_t n = 4;
    uint64_t filled;
    char data[4];

    (void)state;
    assert_int_equal(tt_stream_write(s, &n, sizeof(n)), TT_STREAM_OK);
    assert_int_equal(tt_stream_write(s, "tutt", 4), TT_STREAM_OK);
    assert_int_equal(tt_stream_read(s, data, 3), TT_STREAM_OK);
    memcpy(&filled, e.shm, sizeof(filled));
    filled--; /* as much as was read, so that nothing seems to be there */
    memcpy(e.shm, &filled, sizeof(filled));
    assert_int_equal(tt_stream_read(s, data, 1), TT_STREAM_GONE);
    assert_string_equal(s->why, "the memory it shares with us is corrupt");
    stop(&e, s);
}

static void addresses_are_split_or_refused(void **state)
{
    static const char *const bad[] = {
        "", "host", ":80", "h:", "h:123456", "h:8o", "[]:1", "h:80:tcp "};
    char host[TT_HOST_MAX], port[6];
    tt_err err;

    (void)state;
    assert_int_equal(tt_addr_split("a.b:7117", host, port, &err), TT_OK);
    assert_string_equal(host, "a.b");
    assert_string_equal(port, "7117");
    assert_int_equal(tt_addr_split("[::1]:0", host, port, &err), TT_OK);
    assert_string_equal(host, "::1");
    assert_string_equal(port, "0");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_int_equal(tt_addr_split(bad[i], host, port, &err), TT_EINPUT);
    assert_string_equal(err.msg, "'h:80:tcp ' is no address: enter HOST:PORT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_back_as_they_went),
        cmocka_unit_test(an_end_that_dies_is_noticed),
        cmocka_unit_test(what_it_sent_before_its_death_is_read),
        cmocka_unit_test(silence_ends_patience),
        cmocka_unit_test(what_can_be_read_is_known_before),
        cmocka_unit_test(a_counter_that_cannot_be_true_is_noticed),
        cmocka_unit_test(a_counter_that_goes_back_is_noticed),
        cmocka_unit_test(addresses_are_split_or_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
