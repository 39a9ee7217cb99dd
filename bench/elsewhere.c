/* SPDX-License-Identifier: MIT */
/* What it costs that a unit lives elsewhere: a macro step (set, step, get) of
 * a unit in another process, beside messages of the same size that nobody does
 * anything with. Both take turns, so that a round has both under the same
 * conditions (where the system puts two processes changes what messages cost);
 * of the rounds' ratios the one in the middle counts. "crowd" is a step of one
 * of more isolated units than there are cores, beside two processes that wake
 * each other by futexes and do nothing else. Prints {"isolated": [step, ping],
 * "crowd": [step, ping], "remote": [step, ping]} in ns.
 *
 *     elsewhere FMU ROUNDS STEPS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "kinds/kinds.h"
#include "remote/isolate.h"
#include "remote/listen.h"
#include "remote/proxy.h"
#include "remote/remote.h"
#include "sys/baton.h"
#include "sys/child.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/proc.h"
#include "sys/ring.h"
#include "sys/stream.h"
#include "sys/sync.h"
#include "sys/tcp.h"

enum { HEAD = 16, REQUEST = 36, ANSWER = 54 }; /* bytes of such a step */

static void must(enum tt_code rc, const tt_err *err)
{
    if (rc == TT_OK)
        return;
    fprintf(stderr, "elsewhere: %s\n", err->msg);
    exit(1);
}

/* --- messages alone ------------------------------------------------------ */

struct ping {
    void *shm; /* NULL: by TCP */
    int listening, pid;
    tt_stream *stream;
};

static int has_parent(void *ctx)
{
    (void)ctx;
    return tt_child_has_parent();
}

static int has_child(void *ctx)
{
    return !tt_child_ended(((struct ping *)ctx)->pid);
}

static int pong_main(void *ctx)
{
    const struct ping *p = ctx;
    const struct tt_stream_peer peer = {has_parent, NULL};
    char data[HEAD + ANSWER] = "", from[TT_ADDR_MAX];
    tt_stream *s = NULL;
    int fd;
    tt_err err;

    if (p->shm) {
        s = tt_shm_stream(p->shm, 1, &peer);
    } else {
        must(tt_tcp_accept(p->listening, 10000, &fd, from, &err), &err);
        s = tt_tcp_stream(fd);
    }
    while (s && tt_stream_read(s, data, HEAD) == TT_STREAM_OK &&
           tt_stream_read(s, data, REQUEST) == TT_STREAM_OK &&
           tt_stream_write(s, data, HEAD + ANSWER) == TT_STREAM_OK)
        ;
    return 0;
}

static void ping_start(struct ping *p, int shared)
{
    const struct tt_stream_peer peer = {has_child, p};
    char bound[TT_ADDR_MAX], host[TT_HOST_MAX], port[6];
    int fd = -1;
    tt_err err;

    *p = (struct ping){.listening = -1};
    if (shared)
        p->shm = tt_shm_new();
    else
        must(tt_tcp_listen("127.0.0.1", "0", &p->listening, bound, &err), &err);
    must(tt_child_fork(
             &(struct tt_child_copy){.main_cb = pong_main,
                                     .ctx = p,
                                     .share = p->shm,
                                     .keep_fd = shared ? 0 : p->listening},
             &p->pid, &err),
         &err);
    if (shared) {
        p->stream = tt_shm_stream(p->shm, 0, &peer);
        return;
    }
    must(tt_addr_split(bound, host, port, &err), &err);
    must(tt_tcp_connect(host, port, 10000, &fd, &err), &err);
    p->stream = tt_tcp_stream(fd);
}

static double ping_ns(const struct ping *p, uint32_t n)
{
    char data[HEAD + ANSWER] = "";
    uint64_t began = tt_clock_ns();

    for (uint32_t i = 0; i < n; i++)
        if (tt_stream_write(p->stream, data, HEAD + REQUEST) != TT_STREAM_OK ||
            tt_stream_read(p->stream, data, HEAD) != TT_STREAM_OK ||
            tt_stream_read(p->stream, data, ANSWER) != TT_STREAM_OK)
            exit(1);
    return (double)(tt_clock_ns() - began) / n;
}

static void ping_stop(struct ping *p)
{
    tt_stream_close(p->stream);
    tt_child_kill(p->pid);
    tt_tcp_close(p->listening);
    tt_shm_free(p->shm);
}

/* --- two processes that wake each other ----------------------------------- */

struct table {
    struct tt_bell ours, theirs;
};

static int wake_main(void *ctx)
{
    struct table *t = ctx;
    uint32_t count = 0;

    for (;;) {
        while (tt_bell_count(&t->theirs) == count)
            tt_bell_wait(&t->theirs, count, 1000);
        count++;
        tt_bell_ring(&t->ours);
    }
    return 0;
}

static double wake_ns(struct table *t, uint32_t n)
{
    uint64_t began = tt_clock_ns();

    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = tt_bell_count(&t->ours);

        tt_bell_ring(&t->theirs);
        while (tt_bell_count(&t->ours) == count)
            tt_bell_wait(&t->ours, count, 1000);
    }
    return (double)(tt_clock_ns() - began) / n;
}

/* --- a unit -------------------------------------------------------------- */

struct drive {
    tt_unit *unit;
    uint32_t in, out;
    double u, y;
    struct tt_call set, get, step;
    struct tt_now now;
    uint32_t n;
};

static void drive_start(struct drive *d, tt_unit *u)
{
    const struct tt_experiment e = {.start = 0, .end = 1e9};
    tt_err err;

    *d = (struct drive){.unit = u,
                        .in = tt_desc_find(u->desc, "u"),
                        .out = tt_desc_find(u->desc, "y")};
    must(tt_unit_configure(u, &err), &err);
    must(tt_unit_enter_init(u, &e, &err), &err);
    must(tt_unit_exit_init(u, &err), &err);
    must(tt_unit_prepare(u, 0, &err), &err);
    must(tt_unit_bind(u, TT_VERB_SET, &(struct tt_span){&d->in, 1, &d->u},
                      &d->set, &err),
         &err);
    must(tt_unit_bind(u, TT_VERB_GET, &(struct tt_span){&d->out, 1, &d->y},
                      &d->get, &err),
         &err);
    must(tt_unit_bind(u, TT_VERB_STEP, NULL, &d->step, &err), &err);
    d->step.from = TT_T0;
    d->step.to = TT_T1;
}

static void drive_begin(struct drive *d)
{
    d->now.t[TT_T0] = d->n * 0.01;
    d->now.t[TT_T1] = ++d->n * 0.01;
    d->now.h[TT_T1] = 0.01;
    d->u = d->y + d->n;
    if (tt_call_make(&d->set, &d->now) != TT_CALL_OK)
        exit(1);
}

static void drive_end(struct drive *d)
{
    if (tt_call_make(&d->step, &d->now) != TT_CALL_OK ||
        tt_call_make(&d->get, &d->now) != TT_CALL_OK)
        exit(1);
}

static double drive_ns(struct drive *d, uint32_t n)
{
    uint64_t began = tt_clock_ns();

    for (uint32_t i = 0; i < n; i++) {
        drive_begin(d);
        drive_end(d);
    }
    return (double)(tt_clock_ns() - began) / n;
}

/* Of one of n_unit that step at the same time. */
static double crowd_ns(struct drive *d, uint32_t n_unit, uint32_t n)
{
    uint64_t began = tt_clock_ns();

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t u = 0; u < n_unit; u++) {
            drive_begin(&d[u]);
            tt_unit_ahead(d[u].unit, &d[u].step, &d[u].now);
        }
        for (uint32_t u = 0; u < n_unit; u++)
            drive_end(&d[u]);
    }
    return (double)(tt_clock_ns() - began) / n / n_unit;
}

/* --- side by side -------------------------------------------------------- */

struct turn {
    double step, ping; /* ns */
};

static int by_ratio(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    double p = x->step * y->ping, q = y->step * x->ping;

    return p < q ? -1 : p > q;
}

static struct turn *new_turns(uint32_t rounds)
{
    struct turn *t = tt_zalloc(rounds, sizeof(*t));

    if (!t)
        exit(1);
    return t;
}

/* Frees them. */
static void print_middle(const char *name, struct turn *t, uint32_t rounds)
{
    char a[TT_NUM_MAX], b[TT_NUM_MAX];

    qsort(t, rounds, sizeof(*t), by_ratio);
    tt_num_print_digits(a, t[rounds / 2].step, 6);
    tt_num_print_digits(b, t[rounds / 2].ping, 6);
    printf("\"%s\": [%s, %s]", name, a, b);
    tt_free(t);
}

static void measure(const char *name, struct drive *d, const struct ping *p,
                    uint32_t rounds, uint32_t steps)
{
    struct turn *t = new_turns(rounds);

    for (uint32_t i = 0; i < rounds; i++) {
        t[i].step = drive_ns(d, steps);
        t[i].ping = ping_ns(p, steps);
    }
    print_middle(name, t, rounds);
}

struct far {
    char address[TT_ADDR_MAX];
    const char *dir;
    volatile int ready, stop;
};

static void ready(void *ctx, const char *address)
{
    struct far *f = ctx;

    (void)snprintf(f->address, sizeof(f->address), "%s", address);
    f->ready = 1;
}

#define TOKEN "the token of the bench"

static int worker_main(void *ctx)
{
    struct far *f = ctx;
    const struct tt_listen l = {.host = "127.0.0.1",
                                .port = "0",
                                .token = TOKEN,
                                .dir = f->dir,
                                .most = 4,
                                .stop = &f->stop,
                                .ready_cb = ready,
                                .ctx = f};

    return tt_listen_serve(&l, NULL) != TT_OK;
}

static void isolated(const char *fmu, uint32_t rounds, uint32_t steps)
{
    const struct tt_source s = {.path = fmu};
    const struct tt_make m = {.name = "u", .instance = "u"};
    const struct tt_kind_ops *kind;
    tt_unit_type *t;
    struct drive d;
    struct ping p;
    tt_unit *u;
    tt_err err;

    must(tt_kind_for(&kind, &s, &err), &err);
    must(kind->open(&t, &s, &err), &err);
    must(tt_isolate_make(&u, t, &m, &(struct tt_isolate){0}, &err), &err);
    drive_start(&d, u);
    ping_start(&p, 1);
    measure("isolated", &d, &p, rounds, steps);
    ping_stop(&p);
    tt_unit_free(u);
    kind->close(t);
}

/* Twice as many units as there are cores. */
static void crowd(const char *fmu, uint32_t rounds, uint32_t steps)
{
    const struct tt_source s = {.path = fmu};
    const struct tt_make m = {.name = "u", .instance = "u"};
    uint32_t n = 2 * tt_cores();
    struct drive *d = tt_zalloc(n, sizeof(*d));
    struct table *table = tt_shared_alloc(sizeof(*table));
    struct turn *t = new_turns(rounds);
    const struct tt_kind_ops *kind;
    tt_unit_type *type;
    int pid;
    tt_err err;

    must(tt_kind_for(&kind, &s, &err), &err);
    must(kind->open(&type, &s, &err), &err);
    must(tt_child_fork(&(struct tt_child_copy){.main_cb = wake_main,
                                               .ctx = table,
                                               .share = table},
                       &pid, &err),
         &err);
    for (uint32_t u = 0; u < n; u++) {
        tt_unit *unit;

        must(tt_isolate_make(&unit, type, &m, &(struct tt_isolate){0}, &err),
             &err);
        drive_start(&d[u], unit);
    }
    for (uint32_t i = 0; i < rounds; i++) {
        t[i].step = crowd_ns(d, n, steps / n);
        t[i].ping = wake_ns(table, steps / n);
    }
    print_middle("crowd", t, rounds);
    for (uint32_t u = 0; u < n; u++)
        tt_unit_free(d[u].unit);
    tt_child_kill(pid);
    tt_shared_free(table, sizeof(*table));
    tt_free(d);
    kind->close(type);
}

static void far_away(const char *fmu, uint32_t rounds, uint32_t steps)
{
    const struct tt_remote far = {.token_file = "elsewhere.token"};
    const struct tt_make m = {.name = "u", .instance = "u"};
    struct far *f = tt_shared_alloc(sizeof(*f));
    char uri[1024], *dir = tt_path_dir(fmu);
    tt_unit_type *t;
    struct drive d;
    struct ping p;
    tt_unit *u;
    int pid;
    tt_err err;

    f->dir = dir;
    must(tt_file_write(far.token_file, TOKEN, strlen(TOKEN), &err), &err);
    must(tt_child_fork(&(struct tt_child_copy){.main_cb = worker_main,
                                               .ctx = f,
                                               .share = f},
                       &pid, &err),
         &err);
    while (!f->ready && !tt_child_ended(pid))
        tt_sleep_ns(1000000);
    (void)snprintf(uri, sizeof(uri), "tutti://%s/%s", f->address,
                   tt_path_base(fmu));
    must(tt_kind_remote.open(&t, &(struct tt_source){.path = uri, .far = &far},
                             &err),
         &err);
    must(t->kind->make(&u, t, &m, &err), &err);
    drive_start(&d, u);
    ping_start(&p, 0);
    measure("remote", &d, &p, rounds, steps);
    ping_stop(&p);
    tt_unit_free(u);
    t->kind->close(t);
    tt_child_kill(pid);
    (void)remove(far.token_file);
    tt_free(dir);
    tt_shared_free(f, sizeof(*f));
}

int main(int argc, char **argv)
{
    uint32_t rounds, steps;

    if (argc != 4 || strtoul(argv[2], NULL, 10) < 1) {
        fprintf(stderr, "usage: elsewhere FMU ROUNDS STEPS\n");
        return 2;
    }
    rounds = (uint32_t)strtoul(argv[2], NULL, 10);
    steps = (uint32_t)strtoul(argv[3], NULL, 10);
    printf("{");
    isolated(argv[1], rounds, steps);
    printf(", ");
    crowd(argv[1], rounds, steps);
    printf(", ");
    far_away(argv[1], rounds, steps);
    printf("}\n");
    return 0;
}
