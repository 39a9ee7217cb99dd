/* SPDX-License-Identifier: MIT */
#include "unit/late.h"

#include <math.h>
#include <string.h>

#include "approx/model.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/clock.h"

/* What is bound to be read comes with every answer. */
struct watch {
    uint32_t *port; /* owned */
    size_t n, size; /* ports, and bytes of their values */
    enum tt_type type;
    int known;              /* it was read */
    uint8_t *was_known;     /* owned: ... before it was predicted, per seat */
    char *value;            /* owned: as read last, then of each owed step */
    struct tt_model *model; /* owned: per element; NULL: they hold */
};

struct owed {
    double to, h;
};

struct late {
    tt_unit base;
    struct tt_signs *signs; /* borrowed, may be NULL */
    struct tt_desc desc;
    struct tt_port *port; /* owned: desc.port */
    struct tt_late_how how;
    struct tt_late_stats stats;
    struct watch *watch; /* owned */
    size_t n_watch, cap_watch;
    uint64_t asked_ns; /* when the step was asked for ... */
    int asked;         /* ... which was before its call, and what came of that
                        */
    enum tt_code ahead_rc;
    tt_err words;
    int ended; /* an owed step came to the end of the simulation */
    /* Since configure, when sizes are final: */
    uint32_t *place; /* owned, per port: where its value is, TT_NONE */
    uint8_t *had;    /* owned, per port: the unit was given a value */
    size_t n_in;     /* bytes of all such values */
    char *given;     /* owned: as given last, then as they are now, then as they
                        were for each owed step */
    struct owed *owed; /* owned: a ring of how.most + 1 */
    uint32_t head, n_owed;
};

static struct late *late_of(tt_unit *u)
{
    return (struct late *)(void *)u;
}

/* --- owed steps ---------------------------------------------------------- */

static uint32_t room(const struct late *w)
{
    return w->how.most + 1;
}

/* The i-th oldest: its place in the ring. */
static uint32_t seat(const struct late *w, uint32_t i)
{
    return (w->head + i) % room(w);
}

static uint32_t newest_seat(const struct late *w)
{
    return seat(w, w->n_owed - 1);
}

static char *newest(const struct late *w)
{
    return w->given + w->n_in;
}

static char *inputs_of(const struct late *w, uint32_t seat)
{
    return w->given + (2 + (size_t)seat) * w->n_in;
}

static char *shown(const struct watch *v, uint32_t seat)
{
    return v->value + (1 + (size_t)seat) * v->size;
}

static void pay(struct late *w)
{
    w->head = seat(w, 1);
    w->n_owed--;
}

/* --- life -------------------------------------------------------------- */

static int is_placed(const struct tt_port *p)
{
    return (p->causality == TT_CAUS_INPUT || tt_port_is_tuned(p)) &&
           p->type != TT_TEXT && p->type != TT_BYTES && p->type != TT_CLOCK;
}

/* Each at a multiple of 8. */
static void place_inputs(struct late *w)
{
    w->n_in = 0;
    for (uint32_t i = 0; i < w->desc.n_port; i++) {
        w->place[i] = is_placed(&w->port[i]) ? (uint32_t)w->n_in : TT_NONE;
        if (w->place[i] != TT_NONE)
            w->n_in += (tt_port_size(&w->port[i]) + 7) / 8 * 8;
    }
}

void tt_late_describe(struct tt_desc *d, struct tt_port *port,
                      const struct tt_desc *of)
{
    struct tt_caps *c = &d->caps;

    *d = *of;
    d->port = port;
    c->save = c->serialise = c->max_step = c->directional = c->joins = 0;
    c->event_mode = c->early_return = c->clocks = c->samples = 0;
    c->events_inside = c->course_exact = c->course_pieces = 0;
    c->course_order = c->rate_order = 0;
    for (uint32_t i = 0; i < of->n_port; i++) {
        port[i] = of->port[i];
        port[i].course_ok = port[i].trail_ok = 0;
    }
}

static void forget_watches(struct late *w)
{
    for (size_t i = 0; i < w->n_watch; i++)
        TT_FREE_ALL(w->watch[i].port, w->watch[i].value, w->watch[i].model,
                    w->watch[i].was_known);
    w->n_watch = 0;
}

static void forget_sizes(struct late *w)
{
    forget_watches(w);
    TT_FREE_ALL(w->place, w->had, w->given, w->owed);
    w->place = NULL;
    w->had = NULL;
    w->given = NULL;
    w->owed = NULL;
    w->n_owed = 0;
}

/* Sizes may be new. */
static enum tt_code late_configure(tt_unit *u, tt_err *err)
{
    struct late *w = late_of(u);
    enum tt_code rc = tt_fwd_configure(u, err);

    if (rc != TT_OK)
        return rc;
    TT_ASSERT(u->inner->desc->n_port == w->desc.n_port);
    tt_late_describe(&w->desc, w->port, u->inner->desc);
    forget_sizes(w);
    if (!TT_NEW_ARRAY(w->place, w->desc.n_port) ||
        !TT_NEW_ARRAY(w->had, w->desc.n_port) ||
        !TT_NEW_ARRAY(w->owed, room(w)))
        return tt_fail(err, TT_ENOMEM, "inputs of %u ports", w->desc.n_port);
    place_inputs(w);
    w->given = tt_zalloc(2 + (size_t)room(w), w->n_in);
    if (!w->given)
        return tt_fail(err, TT_ENOMEM, "inputs of %u steps", room(w));
    return TT_OK;
}

static enum tt_code late_reset(tt_unit *u, tt_err *err)
{
    struct late *w = late_of(u);

    forget_watches(w);
    if (w->had)
        memset(w->had, 0, w->desc.n_port);
    w->n_owed = 0;
    w->asked = w->ended = 0;
    w->ahead_rc = TT_OK;
    return tt_fwd_reset(u, err);
}

static void late_free(tt_unit *u)
{
    struct late *w = late_of(u);

    forget_sizes(w);
    TT_FREE_ALL(w->watch, w->port);
    tt_fwd_free(u);
}

/* --- what the unit is given ---------------------------------------------- */

static enum tt_code give(struct late *w, const char *inputs, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < w->desc.n_port && rc == TT_OK; i++) {
        size_t n = tt_port_size(&w->port[i]);
        char *to;

        if (w->place[i] == TT_NONE || !w->had[i])
            continue;
        to = w->given + w->place[i];
        if (memcmp(to, inputs + w->place[i], n) == 0)
            continue;
        memcpy(to, inputs + w->place[i], n);
        rc = tt_unit_set(w->base.inner, &(struct tt_span){&i, 1, to}, err);
    }
    return rc;
}

/* The oldest of the owed steps. */
static enum tt_code begin(struct late *w, tt_err *err)
{
    const struct owed *o = &w->owed[w->head];
    const struct tt_step s = {.to = o->to, .h = o->h};
    enum tt_code rc = give(w, inputs_of(w, w->head), err);

    if (rc == TT_OK)
        w->base.inner->ops->ahead(w->base.inner, &s);
    return rc;
}

/* --- what comes from it -------------------------------------------------- */

static int is_led(const struct late *w, uint32_t port)
{
    const struct tt_port *p = &w->port[port];

    return p->variability == TT_VAR_CONTINUOUS && p->causality != TT_CAUS_INPUT;
}

/* What was predicted of an element, and what it is. */
static void compare(struct late *w, uint32_t port, uint32_t element,
                    double predicted, double is)
{
    struct tt_late_stats *s = &w->stats;
    double off = fabs(is - predicted), nominal = tt_port_scale(&w->port[port]);

    if (s->error >= 0 && !(off / nominal > s->error / s->nominal))
        return;
    if (!(off >= 0))
        return; /* no number */
    *s = (struct tt_late_stats){TT_SAME(s, steps, predicted, held, waits, most),
                                .error = off,
                                .nominal = nominal,
                                .t = w->base.inner->now,
                                .port = port,
                                .element = element};
}

/* Calls back for each element that follows a model. */
static void each_led(struct late *w, struct watch *v, uint32_t seat,
                     void (*fn)(struct late *w, struct watch *v, size_t k,
                                uint32_t seat, uint32_t port, uint32_t element))
{
    size_t k = 0;

    for (size_t i = 0; v->model && i < v->n; i++)
        for (uint32_t e = 0; e < w->port[v->port[i]].n; e++, k++)
            if (is_led(w, v->port[i]))
                fn(w, v, k, seat, v->port[i], e);
}

static void compare_one(struct late *w, struct watch *v, size_t k,
                        uint32_t seat, uint32_t port, uint32_t element)
{
    const double *is = (const double *)(const void *)v->value;
    const double *was = (const double *)(const void *)shown(v, seat);

    compare(w, port, element, was[k], is[k]);
}

/* What was read; at one instant it may be read again, with other inputs. */
static void learn_one(struct late *w, struct watch *v, size_t k, uint32_t seat,
                      uint32_t port, uint32_t element)
{
    double is = ((double *)(void *)v->value)[k], t = w->base.inner->now;
    struct tt_model *m = &v->model[k];

    (void)seat;
    (void)port;
    (void)element;
    if (m->n == 0 || m->t[0] < t)
        tt_model_add(m, t, is);
    else if (m->v[0] != is)
        tt_model_amend(m, is);
}

static void predict_one(struct late *w, struct watch *v, size_t k,
                        uint32_t seat, uint32_t port, uint32_t element)
{
    (void)port;
    (void)element;
    if (v->model[k].n)
        ((double *)(void *)shown(v, seat))[k] =
            tt_model_at(&v->model[k], w->owed[seat].to);
}

/* Of values that hold: are they what they were taken for? */
static int held_well(const struct late *w, const struct watch *v, uint32_t seat)
{
    const char *is = v->value, *was = shown(v, seat);

    for (size_t i = 0; i < v->n; i++) {
        size_t n = tt_port_size(&w->port[v->port[i]]);

        if (!(v->model && is_led(w, v->port[i])) && memcmp(is, was, n) != 0)
            return 0;
        is += n;
        was += n;
    }
    return 1;
}

/* The step in this seat is made. What was known before it was predicted, which
 * others may have used. */
static enum tt_code arrive(struct late *w, uint32_t seat, tt_err *err)
{
    int well = 1;

    for (size_t i = 0; i < w->n_watch; i++) {
        struct watch *v = &w->watch[i];
        const struct tt_span s = {v->port, v->n, v->value};
        enum tt_code rc = tt_unit_get(w->base.inner, &s, err);

        if (rc != TT_OK)
            return rc;
        if (v->was_known[seat]) {
            each_led(w, v, seat, compare_one);
            well &= held_well(w, v, seat);
        }
        v->known = 1;
        each_led(w, v, seat, learn_one);
    }
    w->stats.held += !well;
    return TT_OK;
}

/* The step asked for last is not answered. */
static void predict(struct late *w)
{
    uint32_t at = newest_seat(w);

    for (size_t i = 0; i < w->n_watch; i++) {
        struct watch *v = &w->watch[i];

        v->was_known[at] = v->known != 0;
        memcpy(shown(v, at), v->value, v->size);
        each_led(w, v, at, predict_one);
    }
    w->stats.predicted++;
    if (w->n_owed > w->stats.most)
        w->stats.most = w->n_owed;
}

/* --- bringing home ------------------------------------------------------- */

static enum tt_code too_late(double to, const char *what, tt_err *err)
{
    char t[TT_NUM_MAX];

    tt_num_print_digits(t, to, 12);
    return tt_fail(err, TT_EUNIT,
                   "it %s the step to t=%s, whose values were predicted", what,
                   t);
}

/* The one in this seat is made and no longer owed. What its outputs are with
 * the inputs of its end is what others would have seen. */
static enum tt_code go_on(struct late *w, uint32_t at, tt_err *err)
{
    const char *next = w->n_owed ? inputs_of(w, w->head) : newest(w);
    enum tt_code rc = w->how.consistent ? give(w, next, err) : TT_OK;

    if (rc == TT_OK)
        rc = arrive(w, at, err);
    if (rc != TT_OK)
        return rc;
    return w->n_owed ? begin(w, err) : give(w, next, err);
}

/* It has ended the simulation, perhaps on its way, or without a step. There is
 * nothing to compare where the step did not end as predicted, or its outputs
 * would take inputs that are not set any more. */
static enum tt_code end_owed(struct late *w, const struct tt_stepped *r,
                             tt_err *err)
{
    uint32_t at = w->head;
    int whole = r->reached == w->owed[at].to;

    w->ended = 1;
    w->n_owed = 0;
    return whole && !w->how.consistent ? arrive(w, at, err) : TT_OK;
}

/* One whose values others have used has ended as r states. */
static enum tt_code settle_owed(struct late *w, const struct tt_stepped *r,
                                int moved, tt_err *err)
{
    uint32_t at = w->head;
    struct owed *o = &w->owed[at];

    if (r->flags & TT_STEP_REJECT)
        return too_late(o->to, "rejected", err);
    if (r->flags & TT_STEP_TERMINATE)
        return end_owed(w, r, err);
    if (!moved)
        return too_late(o->to, "does not go on in", err);
    if (r->reached < o->to) {
        o->h = o->to - r->reached;
        return begin(w, err);
    }
    pay(w);
    return go_on(w, at, err);
}

#define SLICE_NS UINT64_C(250000000) /* between signs that it goes on */

/* Will the oldest step be answered within so many ns? That may be more than a
 * deadline, which counts from when it is waited for after all: the parent
 * process must not take it for a call that does not return. */
static int comes(const struct late *w, uint64_t ns)
{
    const tt_unit *inner = w->base.inner;
    uint64_t slice;
    int come;

    do {
        slice = ns < SLICE_NS ? ns : SLICE_NS;
        come = inner->ops->ready(w->base.inner, slice);
        tt_signs_move(w->signs);
        ns -= slice;
    } while (!come && ns);
    return come;
}

/* Has the oldest step been answered, as long as that can be waited for? */
static int has_come(const struct late *w, double to)
{
    double left = w->how.after - (double)(tt_clock_ns() - w->asked_ns) * 1e-9;
    uint64_t due = w->how.left_cb(w->how.ctx, to), ns;

    ns = left < 1e9 ? (uint64_t)(left > 0 ? left * 1e9 : 0) : UINT64_MAX;
    return comes(w, ns < due ? ns : due);
}

/* The oldest one, which is waited for. */
static enum tt_code finish(struct late *w, struct tt_stepped *last, tt_err *err)
{
    tt_unit *inner = w->base.inner;
    const struct owed *o = &w->owed[w->head];
    const struct tt_step s = {.to = o->to, .h = o->h};
    double was = inner->now;
    struct tt_stepped it;
    enum tt_code rc = tt_unit_step(inner, &s, &it, err);

    if (rc != TT_OK)
        return rc;
    if (w->n_owed > 1 || !last)
        return settle_owed(w, &it, inner->now > was, err);
    *last = it; /* how it ended is for those who asked */
    pay(w);
    return TT_OK;
}

/* Until no more than `keep` are owed, or longer, as long as answers come in
 * time for the step asked for last. last: that is asked for now, and if it was
 * made this is how it ended; NULL: its values were predicted. */
static enum tt_code bring_home(struct late *w, uint32_t keep,
                               struct tt_stepped *last, tt_err *err)
{
    double to = w->n_owed ? w->owed[newest_seat(w)].to : 0;
    enum tt_code rc = TT_OK;
    int waited = 0;

    while (rc == TT_OK && w->n_owed) {
        if (!has_come(w, to)) {
            if (w->n_owed <= keep)
                break;
            waited = 1;
        }
        rc = finish(w, last, err);
    }
    w->stats.waits += waited && keep;
    return rc;
}

/* All of it, between steps. */
static enum tt_code catch_up(struct late *w, tt_err *err)
{
    return bring_home(w, 0, NULL, err);
}

/* --- values ------------------------------------------------------------ */

static struct watch *find(const struct late *w, const struct tt_span *s)
{
    for (size_t i = 0; i < w->n_watch; i++)
        if (w->watch[i].n == s->n &&
            !memcmp(w->watch[i].port, s->port, s->n * sizeof(*s->port)))
            return &w->watch[i];
    return NULL;
}

static enum tt_code late_get(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    struct late *w = late_of(u);
    struct watch *v = find(w, s);
    enum tt_code rc = TT_OK;

    if (w->n_owed && v && v->was_known[newest_seat(w)]) {
        memcpy(s->value, shown(v, newest_seat(w)), v->size);
        return TT_OK;
    }
    rc = catch_up(w, err);
    if (rc == TT_OK)
        rc = tt_fwd_get(u, s, err);
    if (rc != TT_OK || !v)
        return rc;
    memcpy(v->value, s->value, v->size);
    v->known = 1;
    each_led(w, v, 0, learn_one);
    return TT_OK;
}

static int is_kept(const struct late *w, const struct tt_span *s)
{
    size_t i = 0;

    while (i < s->n && w->place[s->port[i]] != TT_NONE && w->had[s->port[i]])
        i++;
    return i == s->n;
}

/* While steps are owed, what comes is for the next one. */
static enum tt_code late_set(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    struct late *w = late_of(u);
    int kept = w->n_owed && is_kept(w, s);
    const char *v = s->value;
    enum tt_code rc = kept ? TT_OK : catch_up(w, err);

    if (rc == TT_OK && !kept)
        rc = tt_fwd_set(u, s, err);
    for (size_t i = 0; rc == TT_OK && w->place && i < s->n; i++) {
        uint32_t port = s->port[i], at = w->place[port];
        size_t n = tt_port_size(&w->port[port]);

        if (at != TT_NONE) {
            memcpy(newest(w) + at, v, n);
            if (!kept)
                memcpy(w->given + at, v, n);
            w->had[port] = 1;
        }
        v += n;
    }
    return rc;
}

/* --- time -------------------------------------------------------------- */

static void ask(struct late *w, const struct tt_step *s)
{
    uint32_t at;

    w->stats.steps++;
    w->n_owed++;
    at = newest_seat(w);
    w->owed[at] = (struct owed){s->to, s->h};
    memcpy(inputs_of(w, at), newest(w), w->n_in);
    if (!w->asked)
        w->asked_ns = tt_clock_ns();
    w->asked = 0;
}

/* Does the experiment end there, or will a step as long as this one not be
 * made any more? */
static int is_last(const struct late *w, const struct tt_step *s)
{
    return s->to + s->h * (1 - 1e-9) > w->how.end;
}

static enum tt_code make_or_predict(struct late *w, const struct tt_step *s,
                                    struct tt_stepped *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    ask(w, s);
    if (w->n_owed == 1)
        rc = begin(w, err);
    if (rc == TT_OK)
        rc = bring_home(w, is_last(w, s) ? 0 : w->how.most, r, err);
    if (rc == TT_OK && w->n_owed)
        predict(w);
    return rc;
}

static void report_step(const struct late *w, int begins)
{
    if (w->how.steps_cb)
        w->how.steps_cb(w->how.ctx, begins);
}

static enum tt_code late_step(tt_unit *u, const struct tt_step *s,
                              struct tt_stepped *r, tt_err *err)
{
    struct late *w = late_of(u);
    enum tt_code rc = w->ahead_rc;

    w->ahead_rc = TT_OK;
    if (rc != TT_OK)
        return tt_fail(err, rc, "%s", w->words.msg);
    if (!w->ended) {
        report_step(w, 1);
        rc = make_or_predict(w, s, r, err);
        report_step(w, 0);
    }
    if (w->ended)
        r->flags |= TT_STEP_TERMINATE;
    return rc;
}

/* What has come in the meantime need not wait. The very step that will be made
 * is begun, if none is owed before it. */
static void late_ahead(tt_unit *u, const struct tt_step *s)
{
    struct late *w = late_of(u);
    enum tt_code rc = TT_OK;

    w->asked_ns = tt_clock_ns();
    w->asked = 1;
    while (rc == TT_OK && w->n_owed && u->inner->ops->ready(u->inner, 0))
        rc = finish(w, NULL, &w->words);
    w->ahead_rc = rc;
    if (rc == TT_OK && !w->n_owed && !w->ended)
        u->inner->ops->ahead(u->inner, s);
}

static enum tt_code late_end(tt_unit *u, tt_err *err)
{
    enum tt_code rc = catch_up(late_of(u), err);

    return rc == TT_OK ? tt_fwd_end(u, err) : rc;
}

/* --- making ------------------------------------------------------------ */

static enum tt_code watch(struct late *w, const struct tt_span *s, tt_err *err)
{
    struct watch v = {.n = s->n};
    enum tt_type type = w->port[s->port[0]].type;
    size_t n = tt_desc_elements(&w->desc, s->port, s->n);

    if (type == TT_TEXT || type == TT_BYTES || type == TT_CLOCK || find(w, s))
        return TT_OK;
    for (size_t i = 0; i < s->n; i++)
        v.size += tt_port_size(&w->port[s->port[i]]);
    v.port = tt_zalloc(s->n, sizeof(*v.port));
    v.value = tt_zalloc(1 + (size_t)room(w), v.size);
    v.was_known = tt_zalloc(room(w), 1);
    v.model = type == TT_F64 ? tt_zalloc(n, sizeof(*v.model)) : NULL;
    if (!v.port || !v.value || !v.was_known || (type == TT_F64 && !v.model) ||
        TT_GROW(w->watch, w->n_watch, w->cap_watch)) {
        TT_FREE_ALL(v.port, v.value, v.was_known, v.model);
        return tt_fail(err, TT_ENOMEM, "values of %u steps", room(w));
    }
    memcpy(v.port, s->port, s->n * sizeof(*s->port));
    w->watch[w->n_watch++] = v;
    return TT_OK;
}

/* A unit that lives elsewhere sends with its step what will be read. The calls
 * themselves are ours. */
static enum tt_code late_bind(tt_unit *u, enum tt_verb verb,
                              const struct tt_span *s, struct tt_call *c,
                              tt_err *err)
{
    struct tt_call inner;
    enum tt_code rc = TT_OK;

    (void)c;
    if (verb == TT_VERB_GET)
        rc = tt_unit_bind(u->inner, verb, s, &inner, err);
    if (rc == TT_OK && verb == TT_VERB_GET)
        rc = watch(late_of(u), s, err);
    return rc == TT_OK ? TT_EUNSUPPORTED : rc;
}

static const struct tt_unit_ops late_ops = {
    TT_HOOKS(late_, configure, reset, end, get, set, step, ahead, bind, free),
    TT_HOOKS(tt_fwd_, enter_init, exit_init, prepare, explain)};

enum tt_code tt_late_new(tt_unit **out, tt_unit *inner,
                         const struct tt_late_how *how, const struct tt_make *m,
                         tt_err *err)
{
    uint32_t n_port = inner->desc->n_port;
    struct late *w;
    enum tt_code rc;

    TT_ASSERT(how->most > 0 && inner->ops->ahead && inner->ops->ready);
    if (!TT_NEW(w)) {
        tt_unit_free(inner);
        return tt_fail(err, TT_ENOMEM,
                       "instance '%s' (late values): out of memory", m->name);
    }
    w->how = *how;
    w->signs = tt_signs_of(m->activity);
    w->stats.error = -1;
    if (TT_NEW_ARRAY(w->port, n_port))
        tt_late_describe(&w->desc, w->port, inner->desc);
    rc = w->port
             ? tt_unit_init(&w->base, &late_ops, &w->desc, m, err)
             : tt_fail(err, TT_ENOMEM, "instance '%s' (late values): %u ports",
                       m->name, n_port);
    tt_unit_wrap(&w->base, inner, "late values");
    return TT_HAND_OVER(rc, out, &w->base, late_free);
}

const struct tt_late_stats *tt_late_stats(const tt_unit *u)
{
    while (u && u->ops != &late_ops)
        u = u->inner;
    return u ? &((const struct late *)(const void *)u)->stats : NULL;
}
