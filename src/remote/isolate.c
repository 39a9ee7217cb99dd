/* SPDX-License-Identifier: MIT */
#include "remote/isolate.h"

#include <stdio.h>

#include "base/mem.h"
#include "remote/proxy_impl.h"
#include "remote/worker.h"
#include "sys/child.h"
#include "sys/spin.h"
#include "sys/stream.h"
#include "sys/sync.h"
#include "unit/turn.h"

#define NO_STREAM 125
#define GOING_MS  1000 /* for a process that was sent goodbye */

struct isolate {
    struct tt_sandbox sandbox;
    tt_unit_type *type; /* borrowed */
    void *shm;          /* owned */
    int pid;            /* 0: there is none */
};

/* --- in the worker ------------------------------------------------------ */

static int has_master(void *ctx)
{
    (void)ctx;
    return tt_child_has_parent();
}

static int worker_main(void *ctx)
{
    struct isolate *i = ctx;
    const struct tt_stream_peer peer = {has_master, NULL};
    const struct tt_worker_host host = {.type = i->type};
    tt_stream *s;

    tt_turn_forget();
    s = tt_shm_stream(i->shm, 1, &peer);
    if (!s)
        return NO_STREAM;
    (void)tt_worker_serve(s, &host);
    tt_stream_close(s);
    return 0;
}

/* --- here --------------------------------------------------------------- */

static int has_worker(void *ctx)
{
    return !tt_child_ended(((struct isolate *)ctx)->pid);
}

/* Its process was reaped. */
static void forget(struct isolate *i)
{
    i->pid = 0;
    tt_spin_leave(1);
}

/* Memory anew: what a dead process left in the old one is not trusted. */
static enum tt_code link_open(void *ctx, tt_stream **s, tt_err *err)
{
    struct isolate *i = ctx;
    const struct tt_stream_peer peer = {has_worker, i};
    enum tt_code rc;

    tt_shm_free(i->shm);
    i->shm = tt_shm_new();
    if (!i->shm)
        return tt_fail(err, TT_ENOMEM, "no memory to share with its process");
    rc = tt_child_fork(&(struct tt_child_copy){.main_cb = worker_main,
                                               .ctx = i,
                                               .share = i->shm,
                                               .sandbox = &i->sandbox},
                       &i->pid, err);
    if (rc != TT_OK)
        return rc;
    tt_spin_join(1);
    *s = tt_shm_stream(i->shm, 0, &peer);
    if (*s)
        return TT_OK;
    tt_child_kill(i->pid);
    forget(i);
    return tt_fail(err, TT_ENOMEM, "out of memory");
}

static void link_close(void *ctx, tt_stream *s, int kindly)
{
    struct isolate *i = ctx;
    struct tt_proc_result how;

    tt_stream_close(s);
    if (!i->pid)
        return;
    for (int ms = 0; kindly && ms < GOING_MS && !tt_child_ended(i->pid); ms++)
        tt_sleep_ns(ms < 5 ? 100000 : 1000000);
    if (tt_child_ended(i->pid))
        (void)tt_child_poll(i->pid, &how);
    else
        tt_child_kill(i->pid);
    forget(i);
}

static void link_obituary(void *ctx, const tt_stream *s, char *out, size_t size)
{
    struct isolate *i = ctx;
    struct tt_proc_result how = {0};

    if (!i->pid || !tt_child_ended(i->pid)) {
        (void)snprintf(out, size, "%s",
                       s->why[0] ? s->why : "its process does not answer");
        return;
    }
    (void)tt_child_poll(i->pid, &how);
    forget(i);
    if (how.how == TT_PROC_KILLED)
        (void)snprintf(out, size, "its process %s (%s)",
                       tt_is_crash(how.value) ? "crashed" : "was killed",
                       tt_signal_name(how.value));
    else if (how.value == TT_CHILD_NOT_CONFINED)
        (void)snprintf(out, size, "its process could not be confined");
    else
        (void)snprintf(out, size, "it ended its process (exit code %d)",
                       how.value);
}

static void link_free(void *ctx)
{
    struct isolate *i = ctx;

    tt_shm_free(i->shm);
    tt_free(i);
}

static const struct tt_proxy_link_ops link_ops = {
    .word = "isolated", TT_HOOKS(link_, open, close, obituary, free)};

enum tt_code tt_isolate_make(tt_unit **out, tt_unit_type *t,
                             const struct tt_make *m,
                             const struct tt_isolate *how, tt_err *err)
{
    struct tt_proxy_link l = {.ops = &link_ops, .deadline = how->deadline};
    struct isolate *i;
    int max_step = 0;
    enum tt_code rc = TT_OK;

    if (t->kind->unpack)
        rc = t->kind->unpack(t, err);
    if (rc != TT_OK)
        return tt_context(err, rc, "instance '%s' (%s, isolated)", m->name,
                          t->desc.kind);
    if (!TT_NEW(i))
        return tt_fail(err, TT_ENOMEM, "instance '%s': out of memory", m->name);
    if (how->sandbox)
        i->sandbox = *how->sandbox;
    i->sandbox.guards |= TT_GUARD_APART;
    i->type = t;
    l.ctx = i;
    rc = tt_proxy_make(out, &l, &t->desc, m, &max_step, err);
    if (rc == TT_OK && max_step)
        t->desc.caps.max_step = 1;
    return rc;
}

int tt_isolate_pid(const tt_unit *u)
{
    struct tt_proxy_stats s;
    const struct tt_proxy *p = (const struct tt_proxy *)(const void *)u;

    if (!tt_proxy_stats(u, &s) || p->link.ops != &link_ops)
        return 0;
    return ((struct isolate *)p->link.ctx)->pid;
}
