/* SPDX-License-Identifier: MIT */
/* A proxy as a unit. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "remote/proxy_impl.h"

#define GOODBYE_NS UINT64_C(5000000000) /* for a last answer */
#define SINCE_ROOM ((size_t)64 << 10)

/* A command that need not be waited for, and one that must. */

static enum tt_code call_plain(struct tt_proxy *p, enum tt_wire_command c,
                               tt_err *err)
{
    enum tt_code rc = tt_proxy_change(p, c, err);

    return rc == TT_OK ? tt_proxy_call(p, 0, NULL, err) : rc;
}

#define PLAIN(op, NAME)                                                        \
    static enum tt_code proxy_##op(tt_unit *u, tt_err *err)                    \
    {                                                                          \
        return call_plain(tt_proxy_of(u), TT_WIRE_##NAME, err);                \
    }

/* --- life --------------------------------------------------------------- */

/* All but sizes must be what the plan was made with: it has made room by type,
 * and chosen by causality. */
static int is_same_but_for_sizes(const struct tt_desc *a,
                                 const struct tt_desc *b)
{
    if (a->n_port != b->n_port)
        return 0;
    for (uint32_t i = 0; i < a->n_port; i++)
        if (a->port[i].type != b->port[i].type ||
            a->port[i].causality != b->port[i].causality ||
            a->port[i].variability != b->port[i].variability ||
            strcmp(a->port[i].name, b->port[i].name) != 0)
            return 0;
    return 1;
}

/* Structural parameters have changed sizes. */
static enum tt_code take_desc(struct tt_proxy *p, struct tt_wire_in *r,
                              tt_err *err)
{
    tt_arena *a = tt_arena_new();
    struct tt_desc *d = a ? tt_arena_alloc(a, 1, sizeof(*d)) : NULL;
    enum tt_code rc = d ? tt_wire_get_desc(r, a, d, err) : tt_nomem(err, NULL);

    if (rc == TT_OK && !is_same_but_for_sizes(d, p->base.desc))
        rc = tt_proxy_nonsense(err);
    if (rc != TT_OK) {
        if (d)
            tt_names_fini(&d->by_name);
        tt_arena_free(a);
        return rc;
    }
    if (p->desc)
        tt_names_fini(&p->desc->by_name);
    tt_arena_free(p->arena);
    p->arena = a;
    p->desc = d;
    p->base.desc = d;
    return tt_proxy_resize_news(p, err);
}

static enum tt_code proxy_configure(tt_unit *u, tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    struct tt_wire_in r;
    enum tt_code rc;

    tt_proxy_put(p, TT_WIRE_CONFIGURE);
    rc = tt_proxy_call(p, 0, &r, err);
    if (rc == TT_OK && tt_wire_get_flag(&r))
        rc = take_desc(p, &r, err);
    return rc == TT_OK && r.bad ? tt_proxy_nonsense(err) : rc;
}

static enum tt_code proxy_enter_init(tt_unit *u, const struct tt_experiment *e,
                                     tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);

    tt_proxy_put(p, TT_WIRE_ENTER_INIT);
    tt_wire_experiment(&p->out, e);
    return tt_proxy_call(p, 0, NULL, err);
}

/* The answer states whether the unit is in event mode now. */
static enum tt_code take_life(struct tt_proxy *p, enum tt_life otherwise,
                              tt_err *err)
{
    struct tt_wire_in r;
    enum tt_code rc = tt_proxy_call(p, 0, &r, err);

    if (rc == TT_OK)
        p->base.life = tt_wire_get_flag(&r) ? TT_LIFE_EVENT : otherwise;
    return rc == TT_OK && r.bad ? tt_proxy_nonsense(err) : rc;
}

static enum tt_code proxy_exit_init(tt_unit *u, tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);

    tt_proxy_put(p, TT_WIRE_EXIT_INIT);
    return take_life(p, u->life, err);
}

/* A register of our own, to be packed: so the unit can go on elsewhere. */
static enum tt_code proxy_prepare(tt_unit *u, uint32_t n_state, tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    int own = u->desc->caps.serialise && n_state < TT_UNIT_STATES && !p->j.off;

    p->hidden = own ? n_state : TT_NONE;
    if (own) { /* room for the usual number of requests */
        (void)tt_wire_room(&p->j.since, SINCE_ROOM);
        tt_wire_empty(&p->j.since);
    }
    tt_proxy_put(p, TT_WIRE_PREPARE);
    tt_wire_u32(&p->out, n_state + (own != 0));
    tt_wire_u32(&p->out, own != 0);
    return take_life(p, TT_LIFE_READY, err);
}

PLAIN(end, END)
PLAIN(event_enter, EVENT_ENTER)
PLAIN(event_leave, EVENT_LEAVE)
PLAIN(packable, PACKABLE)

/* With a new worker if there is none any more. */
static enum tt_code proxy_reset(tt_unit *u, tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    struct tt_wire_in r;
    enum tt_code rc;

    if (!p->stream) {
        p->sent = p->ahead = 0;
        p->n_waiting = 0;
        p->n_sent = 0;
        rc = tt_proxy_start(p, &r, err);
    } else {
        rc = call_plain(p, TT_WIRE_RESET, err);
    }
    if (rc == TT_OK)
        tt_proxy_forget(p);
    return rc;
}

static void put_goodbye(struct tt_proxy *p)
{
    int kindly = 0;

    p->stream->patience_ns = GOODBYE_NS;
    if (!p->sent || tt_proxy_read(p) == TT_STREAM_OK) {
        p->n_waiting = 0;
        tt_proxy_put(p, TT_WIRE_BYE);
        kindly = !p->out.failed &&
                 tt_proxy_write(p, p->out.data + TT_WIRE_HEAD,
                                p->out.n - TT_WIRE_HEAD) == TT_STREAM_OK &&
                 tt_proxy_read(p) == TT_STREAM_OK;
    }
    p->link.ops->close(p->link.ctx, p->stream, kindly);
    p->stream = NULL;
}

static void free_link(const struct tt_proxy_link *l)
{
    if (l->ops->free)
        l->ops->free(l->ctx);
}

static void proxy_free(tt_unit *u)
{
    struct tt_proxy *p = tt_proxy_of(u);

    if (p->stream)
        put_goodbye(p);
    free_link(&p->link);
    for (size_t i = 0; i < p->n_news; i++) {
        tt_free(p->news[i].port);
        tt_texts_release(p->base.texts, p->news[i].value);
        tt_free(p->news[i].value);
    }
    TT_FREE_ALL(p->news, p->trail_port, p->trail);
    tt_proxy_unbind(p);
    tt_proxy_journal_fini(p);
    tt_wire_fini(&p->out);
    tt_wire_fini(&p->in);
    if (p->desc)
        tt_names_fini(&p->desc->by_name);
    tt_arena_free(p->arena);
    tt_unit_fini(u);
    tt_free(p);
}

/* --- time --------------------------------------------------------------- */

static enum tt_code begin(struct tt_proxy *p, const struct tt_step *s,
                          tt_err *err)
{
    enum tt_code rc;

    tt_proxy_stale(p);
    p->begun = *s;
    p->is_step = 1;
    tt_proxy_put(p, TT_WIRE_STEP);
    tt_wire_step(&p->out, s);
    rc = tt_proxy_send(p, 1, err);
    p->is_step = 0;
    return rc;
}

static enum tt_code finish(struct tt_proxy *p, struct tt_stepped *r,
                           tt_err *err)
{
    struct tt_wire_in in;
    enum tt_code rc = tt_proxy_await(p, &in, err);

    if (rc != TT_OK)
        return rc;
    tt_wire_get_stepped(&in, r);
    return in.bad ? tt_proxy_nonsense(err) : TT_OK;
}

static int was_begun(const struct tt_proxy *p, const struct tt_step *s)
{
    return p->ahead && p->begun.to == s->to && p->begun.h == s->h;
}

static enum tt_code proxy_step(tt_unit *u, const struct tt_step *s,
                               struct tt_stepped *r, tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    enum tt_code rc = TT_OK;

    if (was_begun(p, s)) {
        p->ahead = 0;
        if (p->ahead_rc != TT_OK)
            return tt_fail(err, p->ahead_rc, "%s", p->words.msg);
        return finish(p, r, err);
    }
    rc = tt_proxy_settle(p, err);
    if (rc == TT_OK)
        rc = begin(p, s, err);
    return rc == TT_OK ? finish(p, r, err) : rc;
}

static void proxy_ahead(tt_unit *u, const struct tt_step *s)
{
    struct tt_proxy *p = tt_proxy_of(u);

    if (p->sent)
        return;
    p->ahead_rc = begin(p, s, &p->words);
    p->ahead = 1;
}

static int proxy_ready(tt_unit *u, uint64_t ns)
{
    const struct tt_proxy *p = tt_proxy_of(u);

    return !p->sent || tt_stream_ready(p->stream, ns);
}

static enum tt_code proxy_max_step(tt_unit *u, double *h, tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    struct tt_news *v = tt_proxy_news(p, TT_WIRE_MAX_STEP, 0, NULL, 0);
    struct tt_wire_in r;
    enum tt_code rc;

    if (tt_proxy_take_known(p, v, h))
        return TT_OK;
    rc = tt_proxy_settle(p, err);
    if (rc == TT_OK && u->prepared)
        rc = tt_proxy_watch(p, TT_WIRE_MAX_STEP, 0, NULL, 0, err);
    if (rc != TT_OK)
        return rc;
    tt_proxy_put(p, TT_WIRE_MAX_STEP);
    rc = tt_proxy_call(p, 0, &r, err);
    if (rc == TT_OK)
        *h = tt_wire_get_f64(&r);
    return rc == TT_OK && r.bad ? tt_proxy_nonsense(err) : rc;
}

static enum tt_code proxy_event_update(tt_unit *u, struct tt_event_result *e,
                                       tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    struct tt_wire_in r;
    enum tt_code rc;

    tt_proxy_stale(p);
    tt_proxy_put(p, TT_WIRE_EVENT_UPDATE);
    rc = tt_proxy_call(p, u->prepared, &r, err);
    if (rc == TT_OK)
        tt_wire_get_event(&r, e);
    if (rc == TT_OK && e->ran > u->desc->n_port)
        r.bad = 1;
    return rc == TT_OK && r.bad ? tt_proxy_nonsense(err) : rc;
}

static enum tt_code call_timings(struct tt_proxy *p, enum tt_wire_command c,
                                 const struct tt_timing *t, uint32_t n,
                                 struct tt_wire_in *r, tt_err *err)
{
    enum tt_code rc = tt_proxy_settle(p, err);

    if (rc != TT_OK)
        return rc;
    tt_proxy_put(p, c);
    tt_wire_u32(&p->out, n);
    for (uint32_t i = 0; i < n; i++)
        tt_wire_timing(&p->out, &t[i]);
    return tt_proxy_call(p, 0, r, err);
}

static enum tt_code proxy_intervals(tt_unit *u, struct tt_timing *t, uint32_t n,
                                    tt_err *err)
{
    struct tt_wire_in r;
    enum tt_code rc =
        call_timings(tt_proxy_of(u), TT_WIRE_INTERVALS, t, n, &r, err);

    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        uint32_t port = t[i].port;

        tt_wire_get_timing(&r, &t[i]);
        if (r.bad || t[i].port != port)
            rc = tt_proxy_nonsense(err);
    }
    return rc;
}

static enum tt_code proxy_set_intervals(tt_unit *u, struct tt_timing *t,
                                        uint32_t n, tt_err *err)
{
    tt_proxy_stale(tt_proxy_of(u));
    return call_timings(tt_proxy_of(u), TT_WIRE_SET_INTERVALS, t, n, NULL, err);
}

/* Asking changes nothing that is known. */
static enum tt_code proxy_trail(tt_unit *u, int keep,
                                struct tt_trail_rows *rows, tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    size_t width = tt_desc_elements(u->desc, p->trail_port, p->n_trail);
    struct tt_wire_in r;
    enum tt_code rc =
        p->n_trail ? tt_proxy_begin(p, TT_WIRE_TRAIL, err) : TT_OK;

    if (rc != TT_OK || !p->n_trail)
        return rc;
    tt_wire_u8(&p->out, keep != 0);
    rc = tt_proxy_call(p, 0, &r, err);
    if (rc == TT_OK)
        tt_wire_get_trail(&r, width, &p->trail, &p->cap_trail, rows);
    return rc == TT_OK && r.bad ? tt_proxy_nonsense(err) : rc;
}

/* --- states ------------------------------------------------------------- */

static enum tt_code begin_state(tt_unit *u, enum tt_wire_command c,
                                uint32_t reg, tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    enum tt_code rc = tt_proxy_begin(p, c, err);

    if (rc == TT_OK)
        tt_wire_u32(&p->out, reg);
    return rc;
}

/* Saving changes nothing, so what is known stays true. */
static enum tt_code proxy_save(tt_unit *u, uint32_t reg, tt_err *err)
{
    enum tt_code rc = begin_state(u, TT_WIRE_SAVE, reg, err);

    return rc == TT_OK ? tt_proxy_queued(tt_proxy_of(u), err) : rc;
}

/* After a failure the caller wants to know at once whether it helped. */
static enum tt_code proxy_restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    enum tt_code rc = begin_state(u, TT_WIRE_RESTORE, reg, err);

    if (rc != TT_OK)
        return rc;
    tt_proxy_stale(p);
    return u->life == TT_LIFE_BROKEN ? tt_proxy_call(p, 0, NULL, err)
                                     : tt_proxy_queued(p, err);
}

static enum tt_code proxy_pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                               tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    struct tt_wire_in r;
    const char *bytes;
    size_t n;
    enum tt_code rc = begin_state(u, TT_WIRE_PACK, reg, err);

    if (rc == TT_OK)
        rc = tt_proxy_call(p, 0, &r, err);
    if (rc != TT_OK)
        return rc;
    bytes = tt_wire_get_bytes(&r, &n);
    if (!bytes)
        return tt_proxy_nonsense(err);
    b->data = tt_alloc(n);
    if (!b->data)
        return tt_fail(err, TT_ENOMEM, "%zu bytes of state", n);
    memcpy(b->data, bytes, n);
    b->n = n;
    return TT_OK;
}

static enum tt_code proxy_unpack(tt_unit *u, uint32_t reg,
                                 const struct tt_bytes *b, tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    enum tt_code rc = begin_state(u, TT_WIRE_UNPACK, reg, err);

    if (rc != TT_OK)
        return rc;
    tt_wire_bytes(&p->out, b->data, b->n);
    return tt_proxy_call(p, 0, NULL, err);
}

/* --- making ------------------------------------------------------------- */

static const struct tt_unit_ops unit_ops = {
    TT_HOOKS(proxy_, enter_init, exit_init, end, free, step, configure, prepare,
             ahead, ready, max_step, save, restore, pack, unpack, packable,
             trail, reset, event_enter, event_update, event_leave, intervals,
             set_intervals),
    TT_HOOKS(tt_proxy_, get, set, bind, explain, course, rates, jvp)};

static enum tt_code start(struct tt_proxy *p, const struct tt_make *m,
                          int *max_step, tt_err *err)
{
    struct tt_wire_in r;
    enum tt_code rc;

    if (!TT_NEW_ARRAY(p->trail_port, m->n_trail + 1))
        return tt_nomem(err, NULL);
    for (; p->n_trail < m->n_trail; p->n_trail++)
        p->trail_port[p->n_trail] = m->trail[p->n_trail];
    tt_wire_u8(&p->j.make, TT_WIRE_MAKE);
    tt_wire_make(&p->j.make, m);
    if (p->j.make.failed)
        return tt_nomem(err, NULL);
    rc = tt_proxy_start(p, &r, err);
    if (rc == TT_OK)
        *max_step = (int)tt_wire_get_flag(&r);
    return rc == TT_OK && r.bad ? tt_proxy_nonsense(err) : rc;
}

static int is_stamped(const tt_err *err)
{
    return err && strncmp(err->msg, TT_UNIT_STAMP, strlen(TT_UNIT_STAMP)) == 0;
}

enum tt_code tt_proxy_make(tt_unit **out, const struct tt_proxy_link *l,
                           const struct tt_desc *desc, const struct tt_make *m,
                           int *max_step, tt_err *err)
{
    struct tt_proxy *p;
    enum tt_code rc;

    if (!TT_NEW(p)) {
        free_link(l);
        return tt_fail(err, TT_ENOMEM, "instance '%s': out of memory", m->name);
    }
    p->link = *l;
    p->signs = tt_signs_of(m->activity);
    p->hidden = TT_NONE;
    p->j.off = !desc->caps.serialise;
    (void)snprintf(p->kind, sizeof(p->kind), "%.20s, %s", desc->kind,
                   l->ops->word);
    rc = tt_unit_init(&p->base, &unit_ops, desc, m, err);
    p->base.kind = p->kind;
    if (rc == TT_OK)
        rc = start(p, m, max_step, err);
    if (rc == TT_OK) {
        *out = &p->base;
        return TT_OK;
    }
    proxy_free(&p->base);
    return is_stamped(err) ? rc
                           : tt_context(err, rc, "instance '%s' (%.20s, %s)",
                                        m->name, desc->kind, l->ops->word);
}

int tt_proxy_stats(const tt_unit *u, struct tt_proxy_stats *s)
{
    const struct tt_proxy *p = (const struct tt_proxy *)(const void *)u;

    if (u->ops->get != tt_proxy_get)
        return 0;
    *s = (struct tt_proxy_stats){p->requests, p->answers, p->j.revived};
    return 1;
}
