/* SPDX-License-Identifier: MIT */
#include "cli/control.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/command.h"
#include "sys/clock.h"
#include "sys/proc.h"
#include "sys/ring.h"
#include "sys/thread.h"

#define LOOK_MS  100 /* between looks, should nothing wake us */
#define GRACE_NS UINT64_C(1000000000) /* to come to a wish to end */
#define BOX      ((uint64_t)4 << 20)
#define TOO_LONG UINT32_MAX
#define NO_MORE  (UINT32_MAX - 1)

/* Lines on their way to the child, each after its length. Counters never wrap;
 * each is moved by one side. */
struct box {
    struct tt_sign posted; /* bytes, by the parent */
    struct tt_sign taken;  /* bytes, by the child */
    struct tt_bell bell;   /* rung for the child */
    char data[BOX];
};

struct tt_control {
    struct box *box; /* shared */
    uint64_t taken;  /* the child's */
    /* The parent's: */
    uint64_t posted;
    volatile int *stop;
    struct tt_thread thread;
    int listening;
    int wake[2];         /* a pipe, to wake the reader */
    struct tt_sign over; /* 1: the child is no more */
    struct tt_buf line;  /* read so far of one */
    int too_long;        /* more of it than that, and lost */
    uint64_t wish_ns;    /* since then it is to end; 0: it is not */
    int asked;           /* the child was asked to end */
};

enum tt_code tt_control_new(tt_control **out, tt_err *err)
{
    enum tt_code rc = TT_OK;
    tt_control *c;

    if (!TT_NEW(c))
        return tt_nomem(err, "preparing the run");
    c->wake[0] = c->wake[1] = -1;
    tt_buf_init(&c->line, TT_CONTROL_LINE);
    c->box = tt_shared_alloc(sizeof(*c->box));
    if (!c->box)
        rc = tt_nomem(err, "preparing the run");
    return TT_HAND_OVER(rc, out, c, tt_control_free);
}

void tt_control_free(tt_control *c)
{
    if (!c)
        return;
    for (int i = 0; i < 2; i++)
        if (c->wake[i] >= 0)
            (void)close(c->wake[i]);
    tt_buf_fini(&c->line);
    tt_shared_free(c->box, sizeof(*c->box));
    tt_free(c);
}

/* --- in the parent ---------------------------------------------------------
 */

/* A wish to end reaches the child in its turn. Where it does not come to it,
 * because a unit hangs, or a long step is being made, it is asked again. */
static void press(tt_control *c)
{
    if (c->asked || !c->wish_ns || tt_clock_ns() - c->wish_ns < GRACE_NS)
        return;
    c->asked = 1;
    *c->stop = 1;
    tt_proc_ask();
}

/* Bytes into the box, round its end. */
static void put(tt_control *c, const void *data, size_t n)
{
    const char *from = data;

    while (n > 0) {
        size_t at = (size_t)(c->posted % BOX);
        size_t piece = n < BOX - at ? n : BOX - at;

        memcpy(c->box->data + at, from, piece);
        c->posted += piece;
        from += piece;
        n -= piece;
    }
}

/* Until there is input, or the child is no more, or a while has passed. */
static int nap(tt_control *c, int in)
{
    struct pollfd at[2] = {{.fd = c->wake[0], .events = POLLIN},
                           {.fd = in, .events = POLLIN}};

    return poll(at, 2, LOOK_MS) > 0 && at[1].revents;
}

/* Waits while the box is full; so does the sender. What the child reports to
 * have taken is not trusted: then the box counts as full. */
static void post(tt_control *c, const char *line, size_t n, uint32_t length)
{
    while (!tt_sign_get(&c->over) &&
           c->posted - tt_sign_get(&c->box->taken) > BOX - n - sizeof(length)) {
        press(c);
        (void)nap(c, -1);
    }
    if (tt_sign_get(&c->over))
        return;
    put(c, &length, sizeof(length));
    put(c, line, n);
    tt_sign_set(&c->box->posted, c->posted);
    tt_bell_ring(&c->box->bell);
}

static int is_stop(const char *line, size_t n)
{
    tt_arena *arena = tt_arena_new();
    struct tt_command cmd;
    int is = arena && tt_command_parse(&cmd, line, n, arena, NULL) == TT_OK &&
             cmd.what == TT_DO_STOP;

    tt_arena_free(arena);
    return is;
}

static void end_line(tt_control *c)
{
    const char *s = c->line.data ? c->line.data : "";
    size_t n = c->line.len;

    if (c->too_long) {
        post(c, NULL, 0, TOO_LONG);
    } else if (strspn(s, " \t\r") < n) {
        post(c, s, n, (uint32_t)n);
        if (is_stop(s, n) && !c->wish_ns)
            c->wish_ns = tt_clock_ns();
    }
    tt_buf_clear(&c->line);
    c->too_long = 0;
}

static void take_bytes(tt_control *c, const char *data, size_t n)
{
    while (n > 0) {
        const char *end = memchr(data, '\n', n);
        size_t piece = end ? (size_t)(end - data) : n;

        tt_buf_add(&c->line, data, piece);
        c->too_long |= c->line.failed;
        if (!end)
            return;
        end_line(c);
        data += piece + 1;
        n -= piece + 1;
    }
}

static void listen_main(void *ctx)
{
    tt_control *c = ctx;
    char data[16384];
    int in = 0;

    while (!tt_sign_get(&c->over)) {
        ssize_t n;

        press(c);
        if (!nap(c, in))
            continue;
        n = read(in, data, sizeof(data));
        if (n > 0) {
            take_bytes(c, data, (size_t)n);
        } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
            in = -1;
            post(c, NULL, 0, NO_MORE);
            if (!c->wish_ns)
                c->wish_ns = tt_clock_ns();
        }
    }
}

void tt_control_listen(tt_control *c, volatile int *stop)
{
    c->stop = stop;
    c->listening = pipe(c->wake) == 0 &&
                   tt_thread_start(&c->thread, listen_main, c, NULL) == TT_OK;
    if (c->listening)
        return;
    *stop = 1;
    tt_proc_ask();
}

void tt_control_hang_up(tt_control *c)
{
    tt_sign_set(&c->over, 1);
    if (c->listening) {
        (void)!write(c->wake[1], "", 1);
        tt_thread_join(&c->thread);
    }
    c->listening = 0;
}

/* --- in the child ----------------------------------------------------------
 */

int tt_control_has_line(tt_control *c)
{
    return tt_sign_get(&c->box->posted) != c->taken;
}

void tt_control_await(tt_control *c)
{
    uint32_t count = tt_bell_count(&c->box->bell);

    if (!tt_control_has_line(c))
        tt_bell_wait(&c->box->bell, count, LOOK_MS);
}

static void get(tt_control *c, void *data, size_t n)
{
    char *to = data;

    while (n > 0) {
        size_t at = (size_t)(c->taken % BOX);
        size_t piece = n < BOX - at ? n : BOX - at;

        memcpy(to, c->box->data + at, piece);
        c->taken += piece;
        to += piece;
        n -= piece;
    }
}

static enum tt_control_what take_text(tt_control *c, uint32_t length,
                                      char **line)
{
    TT_ASSERT(length <= TT_CONTROL_LINE);
    *line = tt_alloc(length);
    if (*line)
        get(c, *line, length);
    else
        c->taken += length;
    return *line ? TT_CONTROL_TEXT : TT_CONTROL_LOST;
}

enum tt_control_what tt_control_take(tt_control *c, char **line, size_t *n)
{
    enum tt_control_what what = TT_CONTROL_LOST;
    uint32_t length = 0;

    *line = NULL;
    *n = 0;
    if (!tt_control_has_line(c))
        return TT_CONTROL_NOTHING;
    get(c, &length, sizeof(length));
    if (length == NO_MORE) {
        what = TT_CONTROL_END;
    } else if (length != TOO_LONG) {
        what = take_text(c, length, line);
        *n = length;
    }
    tt_sign_set(&c->box->taken, c->taken);
    return what;
}
