/* SPDX-License-Identifier: MIT */
/* Values of a unit that lives elsewhere: what is set waits for the step, what
 * is read has mostly come with it. */
#include <string.h>

#include "remote/proxy_impl.h"

static enum tt_type span_type(const tt_unit *u, const struct tt_span *s)
{
    return u->desc->port[s->port[0]].type;
}

static enum tt_code ask_values(struct tt_proxy *p, const struct tt_span *s,
                               tt_err *err)
{
    struct tt_wire_in r;
    enum tt_code rc = tt_proxy_call(p, 0, &r, err);

    if (rc != TT_OK)
        return rc;
    tt_wire_get_values(&r, span_type(&p->base, s),
                       tt_desc_elements(p->base.desc, s->port, s->n), s->value,
                       p->base.texts);
    return r.bad ? tt_proxy_nonsense(err) : TT_OK;
}

/* What is watched comes with one question for all of it. */
static enum tt_code renew(struct tt_proxy *p, tt_err *err)
{
    enum tt_code rc = tt_proxy_settle(p, err);

    if (rc != TT_OK || p->fresh || !p->base.prepared)
        return rc;
    if (p->n_waiting)
        return tt_proxy_call(p, 1, NULL, err);
    tt_proxy_put(p, TT_WIRE_NEWS);
    return tt_proxy_call(p, 0, NULL, err);
}

int tt_proxy_take_known(const struct tt_proxy *p, const struct tt_news *v,
                        void *value)
{
    if (!v || !v->valid || !p->fresh)
        return 0;
    tt_wire_move(value, v->value, v->shape.n_bytes);
    return 1;
}

enum tt_code tt_proxy_get(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    struct tt_news *v = tt_proxy_news(p, TT_WIRE_GET, 0, s->port, s->n);
    enum tt_code rc = TT_OK;

    if (tt_proxy_take_known(p, v, s->value))
        return TT_OK;
    rc = v ? renew(p, err) : tt_proxy_settle(p, err);
    if (rc != TT_OK)
        return rc;
    if (tt_proxy_take_known(p, v, s->value))
        return TT_OK;
    tt_proxy_put(p, TT_WIRE_GET);
    tt_wire_ports(&p->out, s->port, s->n);
    return ask_values(p, s, err);
}

/* While units are initialised values go to and fro, and errors are wanted
 * where they were made; afterwards what is set waits for the step. */
static enum tt_code queue(struct tt_proxy *p, tt_err *err)
{
    return p->base.prepared ? tt_proxy_queued(p, err)
                            : tt_proxy_call(p, 0, NULL, err);
}

enum tt_code tt_proxy_set(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    enum tt_code rc = tt_proxy_change(p, TT_WIRE_SET, err);

    if (rc != TT_OK)
        return rc;
    tt_wire_ports(&p->out, s->port, s->n);
    tt_wire_values(&p->out, span_type(u, s),
                   tt_desc_elements(u->desc, s->port, s->n), s->value,
                   u->texts);
    return queue(p, err);
}

static void put_piece(struct tt_wire *w, const struct tt_poly *c)
{
    tt_wire_f64(w, c->t0);
    tt_wire_u32(w, c->order);
    for (uint32_t k = 0; k <= c->order; k++)
        tt_wire_f64(w, c->c[k]);
}

enum tt_code tt_proxy_course(tt_unit *u, const struct tt_span *s,
                             const struct tt_poly *c, tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    size_t n = tt_desc_elements(u->desc, s->port, s->n);
    enum tt_code rc = tt_proxy_change(p, TT_WIRE_COURSE, err);

    if (rc != TT_OK)
        return rc;
    tt_wire_ports(&p->out, s->port, s->n);
    for (size_t i = 0; i < n; i++) {
        put_piece(&p->out, &c[i]);
        tt_wire_u32(&p->out, c[i].n_next);
        for (uint32_t k = 0; k < c[i].n_next; k++)
            put_piece(&p->out, &c[i].next[k]);
    }
    return queue(p, err);
}

/* What is wanted once is wanted after every step. */
enum tt_code tt_proxy_rates(tt_unit *u, const struct tt_span *s, uint32_t order,
                            tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    struct tt_news *v = tt_proxy_news(p, TT_WIRE_RATES, order, s->port, s->n);
    enum tt_code rc;

    if (tt_proxy_take_known(p, v, s->value))
        return TT_OK;
    rc = tt_proxy_settle(p, err);
    if (rc == TT_OK && u->prepared)
        rc = tt_proxy_watch(p, TT_WIRE_RATES, order, s->port, s->n, err);
    if (rc != TT_OK)
        return rc;
    tt_proxy_put(p, TT_WIRE_RATES);
    tt_wire_ports(&p->out, s->port, s->n);
    tt_wire_u32(&p->out, order);
    return ask_values(p, s, err);
}

enum tt_code tt_proxy_jvp(tt_unit *u, const struct tt_jvp *j, tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    struct tt_wire_in r;
    enum tt_code rc = tt_proxy_settle(p, err);

    if (rc != TT_OK)
        return rc;
    tt_proxy_put(p, TT_WIRE_JVP);
    tt_wire_ports(&p->out, j->unknown, j->n_unknown);
    tt_wire_ports(&p->out, j->known, j->n_known);
    tt_wire_values(&p->out, TT_F64,
                   tt_desc_elements(u->desc, j->known, j->n_known), j->dv_known,
                   NULL);
    rc = tt_proxy_call(p, 0, &r, err);
    if (rc != TT_OK)
        return rc;
    tt_wire_get_values(&r, TT_F64,
                       tt_desc_elements(u->desc, j->unknown, j->n_unknown),
                       j->dv_unknown, NULL);
    return r.bad ? tt_proxy_nonsense(err) : TT_OK;
}

/* --- bound -------------------------------------------------------------- */

/* What a bound call is about, as it is on the wire. */
struct bound {
    struct tt_what what; /* first: calls point to it */
    struct bound *next;
    size_t news; /* of a get: where its values come */
    struct tt_wire_shape shape;
    size_t n_head;
    char head[]; /* of a set: the command and its ports */
};

static const struct bound *bound_of(const struct tt_call *c)
{
    return (const struct bound *)(const void *)c->what;
}

static enum tt_call_result done(struct tt_now *now, enum tt_code rc)
{
    now->status = (int)rc;
    return rc == TT_OK ? TT_CALL_OK : TT_CALL_FAILED;
}

static enum tt_call_result bound_get(const struct tt_call *c,
                                     struct tt_now *now)
{
    struct tt_proxy *p = c->unit;
    struct tt_span s = {c->what->vr, c->what->n, c->val};

    if (TT_LIKELY(tt_proxy_take_known(p, &p->news[bound_of(c)->news], c->val)))
        return TT_CALL_OK;
    return done(now, tt_proxy_get(&p->base, &s, &p->words));
}

static enum tt_call_result bound_set(const struct tt_call *c,
                                     struct tt_now *now)
{
    struct tt_proxy *p = c->unit;
    const struct bound *b = bound_of(c);
    struct tt_span s = {c->what->vr, c->what->n, c->val};
    char *at;

    if (TT_UNLIKELY(p->sent || !p->base.prepared))
        return done(now, tt_proxy_set(&p->base, &s, &p->words));
    tt_proxy_stale(p);
    tt_proxy_open(p);
    at = tt_wire_room(&p->out, b->n_head);
    if (TT_LIKELY(at != NULL))
        memcpy(at, b->head, b->n_head);
    tt_wire_shaped(&p->out, &b->shape, c->val, p->base.texts);
    p->n_waiting++;
    return done(now, tt_proxy_queued(p, &p->words));
}

static struct bound *make_bound(struct tt_proxy *p, const struct tt_call *c)
{
    struct tt_wire head = {0};
    struct bound *b;

    tt_wire_u8(&head, TT_WIRE_SET);
    tt_wire_ports(&head, c->what->vr, c->what->n);
    b = head.failed ? NULL : tt_alloc(sizeof(*b) + head.n);
    if (b) {
        *b = (struct bound){
            .what = *c->what,
            .next = p->bound,
            .n_head = head.n,
            .shape = tt_wire_shape_of(p->base.desc, c->what->vr, c->what->n)};
        memcpy(b->head, head.data, head.n);
        p->bound = b;
    }
    tt_wire_fini(&head);
    return b;
}

/* Clocks and what belongs to them are not there after a step: they are read
 * when that is asked for, and are no news. */
static int comes_with_ticks(const tt_unit *u, const struct tt_span *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (u->desc->port[s->port[i]].type == TT_CLOCK ||
            u->desc->port[s->port[i]].clock)
            return 1;
    return 0;
}

/* What is bound to be read will come with every step. Texts have no fixed
 * size: they, and the step, go the usual way. */
enum tt_code tt_proxy_bind(tt_unit *u, enum tt_verb verb,
                           const struct tt_span *s, struct tt_call *c,
                           tt_err *err)
{
    struct tt_proxy *p = tt_proxy_of(u);
    struct tt_news *v = NULL;
    struct bound *b;

    if (verb == TT_VERB_GET && comes_with_ticks(u, s))
        return TT_EUNSUPPORTED;
    if (verb == TT_VERB_GET) {
        enum tt_code rc = tt_proxy_watch(p, TT_WIRE_GET, 0, s->port, s->n, err);

        if (rc != TT_OK)
            return rc;
        v = tt_proxy_news(p, TT_WIRE_GET, 0, s->port, s->n);
    }
    if (verb == TT_VERB_STEP || tt_type_is_text(span_type(u, s)) ||
        (verb == TT_VERB_GET && !v))
        return TT_EUNSUPPORTED;
    b = make_bound(p, c);
    if (!b)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    b->news = v ? (size_t)(v - p->news) : 0;
    b->what.fn = verb == TT_VERB_GET ? bound_get : bound_set;
    c->what = &b->what;
    c->unit = p;
    return TT_OK;
}

enum tt_code tt_proxy_explain(tt_unit *u, const struct tt_call *c, int status,
                              tt_err *err)
{
    struct tt_span s = {c->what->vr, c->what->n, NULL};
    enum tt_code rc =
        tt_fail(err, (enum tt_code)status, "%s", tt_proxy_of(u)->words.msg);

    return tt_unit_name_ports(u, &s, rc, err);
}

void tt_proxy_unbind(struct tt_proxy *p)
{
    while (p->bound) {
        struct bound *b = p->bound;

        p->bound = b->next;
        tt_free(b);
    }
}
