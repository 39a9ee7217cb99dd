/* SPDX-License-Identifier: MIT */
#include "unit/quantum.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* What restoring brings back; the values follow: inputs as given and as they
 * are now, outputs as they were before the last step and are now, and per port
 * whether it was read. */
struct sleep {
    double until;    /* it states that it can step no farther; inf: nothing */
    uint32_t passed; /* steps asked for since the last that was made */
    uint32_t wait;   /* of these it makes the last one */
    uint32_t span;   /* so many the last one it made took the place of */
    uint8_t left;    /* an input has left its quantum */
    uint8_t fresh;   /* a step was made, and outputs were not looked at */
    uint8_t pad[2];
};

struct quantum {
    tt_unit base;
    struct tt_desc desc;
    struct tt_quantum how;
    double end; /* of the experiment */
    /* Since configure, when sizes are final: */
    uint32_t *place;     /* owned, per port: where its value is, TT_NONE */
    size_t n_in, n_out;  /* bytes */
    struct sleep *sleep; /* owned: of size() bytes */
    char *saved;         /* owned: the same per register */
};

static struct quantum *quantum_of(tt_unit *u)
{
    return (struct quantum *)(void *)u;
}

static size_t size(const struct quantum *w)
{
    return sizeof(*w->sleep) + 2 * (w->n_in + w->n_out) +
           ((size_t)w->desc.n_port + 7) / 8 * 8;
}

static char *given(const struct quantum *w)
{
    return (char *)(w->sleep + 1);
}

static char *newest(const struct quantum *w)
{
    return given(w) + w->n_in;
}

static double *before(const struct quantum *w)
{
    return (double *)(void *)(newest(w) + w->n_in);
}

static double *after(const struct quantum *w)
{
    return before(w) + w->n_out / sizeof(double);
}

static uint8_t *seen(const struct quantum *w)
{
    return (uint8_t *)(after(w) + w->n_out / sizeof(double));
}

static int is_asleep(const struct quantum *w)
{
    return w->base.inner->now < w->base.now;
}

/* --- life -------------------------------------------------------------- */

static int is_compared(const struct tt_port *p)
{
    return p->causality == TT_CAUS_INPUT && !tt_type_is_text(p->type);
}

static int is_looked_at(const struct tt_port *p)
{
    return p->causality == TT_CAUS_OUTPUT && p->type == TT_F64;
}

/* Each at a multiple of 8. */
static void place_values(struct quantum *w)
{
    w->n_in = w->n_out = 0;
    for (uint32_t i = 0; i < w->desc.n_port; i++) {
        const struct tt_port *p = &w->desc.port[i];
        size_t *n = is_compared(p)    ? &w->n_in
                    : is_looked_at(p) ? &w->n_out
                                      : NULL;

        w->place[i] = n ? (uint32_t)*n : TT_NONE;
        if (n)
            *n += (tt_port_size(p) + 7) / 8 * 8;
    }
}

static void wake_up(struct quantum *w)
{
    *w->sleep = (struct sleep){.until = (double)INFINITY, .wait = 1, .span = 1};
}

static void describe(struct quantum *w)
{
    w->desc = *w->base.inner->desc;
    w->desc.caps.course_order = 0;
}

/* Sizes may be new. */
static enum tt_code quantum_configure(tt_unit *u, tt_err *err)
{
    struct quantum *w = quantum_of(u);
    enum tt_code rc = tt_fwd_configure(u, err);

    if (rc != TT_OK)
        return rc;
    describe(w);
    TT_FREE_ALL(w->place, w->sleep);
    w->sleep = NULL;
    if (TT_NEW_ARRAY(w->place, w->desc.n_port)) {
        place_values(w);
        w->sleep = tt_zalloc(1, size(w));
    }
    if (!w->sleep)
        return tt_fail(err, TT_ENOMEM, "quanta of %u ports", w->desc.n_port);
    wake_up(w);
    return TT_OK;
}

static enum tt_code
quantum_enter_init(tt_unit *u, const struct tt_experiment *e, tt_err *err)
{
    quantum_of(u)->end = e->end;
    return tt_fwd_enter_init(u, e, err);
}

static enum tt_code quantum_prepare(tt_unit *u, uint32_t n, tt_err *err)
{
    struct quantum *w = quantum_of(u);
    char *saved = tt_resize(w->saved, n ? n : 1, size(w));

    if (!saved)
        return tt_fail(err, TT_ENOMEM, "%u states", n);
    w->saved = saved;
    return tt_fwd_prepare(u, n, err);
}

static enum tt_code quantum_reset(tt_unit *u, tt_err *err)
{
    if (quantum_of(u)->sleep)
        wake_up(quantum_of(u));
    return tt_fwd_reset(u, err);
}

static void quantum_free(tt_unit *u)
{
    struct quantum *w = quantum_of(u);

    TT_FREE_ALL(w->place, w->sleep, w->saved);
    tt_fwd_free(u);
}

/* --- values ------------------------------------------------------------ */

/* What is not a number has left. */
static int is_within(const struct quantum *w, const struct tt_port *p,
                     const void *a, const void *b)
{
    const double *x = a, *y = b;

    if (p->type != TT_F64)
        return memcmp(a, b, tt_port_size(p)) == 0;
    for (uint32_t k = 0; k < p->n; k++)
        if (!(fabs(x[k] - y[k]) <= w->how.size * tt_port_scale(p)))
            return 0;
    return 1;
}

/* What is no input counts from where the unit stands. */
static int is_kept(const struct quantum *w, const struct tt_span *s)
{
    size_t i = 0;

    while (i < s->n && is_compared(&w->desc.port[s->port[i]]))
        i++;
    return i == s->n;
}

static void note_input(struct quantum *w, uint32_t port, const void *v,
                       int asleep)
{
    const struct tt_port *p = &w->desc.port[port];
    uint32_t at = w->place[port];

    memcpy(newest(w) + at, v, tt_port_size(p));
    if (!asleep)
        memcpy(given(w) + at, v, tt_port_size(p));
    else if (!is_within(w, p, given(w) + at, v))
        w->sleep->left = 1;
}

/* Asleep, what comes is kept until the unit wakes. */
static enum tt_code quantum_set(tt_unit *u, const struct tt_span *s,
                                tt_err *err)
{
    struct quantum *w = quantum_of(u);
    int asleep = is_asleep(w) && is_kept(w, s);
    const char *v = s->value;

    for (size_t i = 0; w->sleep && i < s->n; i++) {
        const struct tt_port *p = &w->desc.port[s->port[i]];

        if (is_compared(p))
            note_input(w, s->port[i], v, asleep);
        else
            w->sleep->left = 1;
        v += tt_port_size(p);
    }
    return asleep ? TT_OK : tt_fwd_set(u, s, err);
}

/* Everything that it was not given yet. */
static enum tt_code give(struct quantum *w, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < w->desc.n_port && rc == TT_OK; i++) {
        size_t n = tt_port_size(&w->desc.port[i]);
        char *to, *from;

        if (w->place[i] == TT_NONE || !is_compared(&w->desc.port[i]))
            continue;
        to = given(w) + w->place[i];
        from = newest(w) + w->place[i];
        if (memcmp(to, from, n) == 0)
            continue;
        memcpy(to, from, n);
        rc = tt_unit_set(w->base.inner, &(struct tt_span){&i, 1, to}, err);
    }
    return rc;
}

/* Asleep, outputs are what they were; a unit elsewhere need not be asked. */
static int is_known(const struct quantum *w, const struct tt_span *s)
{
    size_t i = 0;

    while (i < s->n && seen(w)[s->port[i]])
        i++;
    return is_asleep(w) && i == s->n;
}

static void note_output(struct quantum *w, uint32_t port, void *v, int known)
{
    size_t n = tt_port_size(&w->desc.port[port]);
    char *at;

    if (!is_looked_at(&w->desc.port[port]))
        return;
    at = (char *)after(w) + w->place[port];
    memcpy(known ? v : at, known ? at : v, n);
    seen(w)[port] = 1;
}

static enum tt_code quantum_get(tt_unit *u, const struct tt_span *s,
                                tt_err *err)
{
    struct quantum *w = quantum_of(u);
    int known = w->sleep && is_known(w, s);
    enum tt_code rc = known ? TT_OK : tt_fwd_get(u, s, err);
    char *v = s->value;

    for (size_t i = 0; rc == TT_OK && w->sleep && i < s->n; i++) {
        note_output(w, s->port[i], v, known);
        v += tt_port_size(&w->desc.port[s->port[i]]);
    }
    return rc;
}

/* --- time -------------------------------------------------------------- */

/* By how many quanta an output has moved in the last step, at most. */
static double moved(const struct quantum *w)
{
    double most = 0;

    for (uint32_t i = 0; i < w->desc.n_port; i++) {
        const struct tt_port *p = &w->desc.port[i];
        size_t at = w->place[i] / sizeof(double);

        for (uint32_t k = 0; is_looked_at(p) && k < p->n; k++) {
            double by = fabs(after(w)[at + k] - before(w)[at + k]) /
                        (w->how.size * tt_port_scale(p));

            most = by <= most ? most : by; /* NaN, too */
        }
    }
    return most;
}

/* Half a quantum is what an output may move by while it is not looked at. */
static void choose_wait(struct quantum *w)
{
    struct sleep *s = w->sleep;
    double by = moved(w), n = s->span;

    n = by <= 0.25 ? 2 * n : 0.5 * n / by;
    s->wait = !(n >= 1) ? 1 : n < w->how.most ? (uint32_t)n : w->how.most;
    s->fresh = 0;
}

static int is_due(struct quantum *w, double to)
{
    struct sleep *s = w->sleep;

    if (s->fresh)
        choose_wait(w);
    return s->left || s->passed + 1 >= s->wait || to >= s->until ||
           to >= w->end;
}

#define MOST_EARLY 1000 /* returns before where it stands to the world */

/* To `to`; on the way to where it stands it may return early. */
static enum tt_code bring(struct quantum *w, const struct tt_step *s,
                          struct tt_stepped *r, tt_err *err)
{
    tt_unit *inner = w->base.inner;
    enum tt_code rc = tt_unit_step(inner, s, r, err);

    for (int n = 0; rc == TT_OK && r->flags == TT_STEP_EARLY &&
                    inner->now < w->base.now && n < MOST_EARLY;
         n++)
        rc = tt_unit_step(
            inner,
            &(struct tt_step){.to = s->to, .may_restore = s->may_restore}, r,
            err);
    return rc;
}

/* An input has left its quantum: until now it was in it. */
static enum tt_code catch_up(struct quantum *w, int may_restore,
                             struct tt_stepped *r, tt_err *err)
{
    struct tt_step s = {.to = w->base.now, .may_restore = may_restore};
    enum tt_code rc = bring(w, &s, r, err);

    if (rc != TT_OK || !tt_stepped_whole(r))
        return rc;
    w->sleep->passed = 0;
    return give(w, err);
}

static enum tt_code look_ahead(struct quantum *w, tt_err *err)
{
    double h = (double)NAN;
    enum tt_code rc = TT_OK;

    if (w->desc.caps.max_step)
        rc = tt_unit_max_step(w->base.inner, &h, err);
    w->sleep->until = h > 0 ? w->base.inner->now + h : (double)INFINITY;
    return rc;
}

/* To the end of the step asked for, from wherever it stands. */
static enum tt_code go_to_end(struct quantum *w, const struct tt_step *s,
                              struct tt_stepped *r, tt_err *err)
{
    struct tt_step one = *s;

    if (is_asleep(w))
        one.h = 0; /* as long as it is */
    return bring(w, &one, r, err);
}

static enum tt_code wakes(struct quantum *w, tt_err *err)
{
    struct sleep *z = w->sleep;
    enum tt_code rc = give(w, err);

    z->span = z->passed + 1;
    z->passed = 0;
    z->left = 0;
    z->fresh = 1;
    return rc == TT_OK ? look_ahead(w, err) : rc;
}

static enum tt_code make_step(struct quantum *w, const struct tt_step *s,
                              struct tt_stepped *r, tt_err *err)
{
    int behind = w->sleep->left && is_asleep(w);
    enum tt_code rc = TT_OK;

    memcpy(before(w), after(w), w->n_out);
    if (behind)
        rc = catch_up(w, s->may_restore, r, err);
    if (rc == TT_OK && tt_stepped_whole(r))
        rc = go_to_end(w, s, r, err);
    if (rc != TT_OK)
        return rc;
    if (r->reached < w->base.now)
        r->reached = w->base.now; /* to the world it is there */
    if (!(r->flags & TT_STEP_REJECT))
        return wakes(w, err);
    if (behind)
        r->after = TT_AFTER_NEEDS_RESTORE;
    return TT_OK;
}

static enum tt_code quantum_step(tt_unit *u, const struct tt_step *s,
                                 struct tt_stepped *r, tt_err *err)
{
    struct quantum *w = quantum_of(u);

    if (is_due(w, s->to))
        return make_step(w, s, r, err);
    w->sleep->passed++;
    return TT_OK;
}

/* The very step that will be made, unless the unit is caught up before. */
static void quantum_ahead(tt_unit *u, const struct tt_step *s)
{
    struct quantum *w = quantum_of(u);
    struct tt_step one = *s;

    if (!is_due(w, s->to) || (w->sleep->left && is_asleep(w)))
        return;
    if (is_asleep(w))
        one.h = s->to - u->inner->now;
    u->inner->ops->ahead(u->inner, &one);
}

static enum tt_code quantum_max_step(tt_unit *u, double *h, tt_err *err)
{
    struct quantum *w = quantum_of(u);

    if (!is_asleep(w))
        return tt_fwd_max_step(u, h, err);
    *h = isfinite(w->sleep->until) ? w->sleep->until - u->now : (double)NAN;
    return TT_OK;
}

/* --- states ------------------------------------------------------------ */

static enum tt_code quantum_save(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct quantum *w = quantum_of(u);

    memcpy(w->saved + reg * size(w), w->sleep, size(w));
    return tt_fwd_save(u, reg, err);
}

static enum tt_code quantum_restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct quantum *w = quantum_of(u);
    enum tt_code rc = tt_fwd_restore(u, reg, err);

    if (rc == TT_OK)
        memcpy(w->sleep, w->saved + reg * size(w), size(w));
    return rc;
}

/* Behind the unit's own bytes. */
static enum tt_code quantum_pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                                 tt_err *err)
{
    struct quantum *w = quantum_of(u);
    enum tt_code rc = tt_fwd_pack(u, reg, b, err);
    char *all = rc == TT_OK ? tt_resize(b->data, b->n + size(w), 1) : NULL;

    if (rc == TT_OK && !all) {
        tt_free(b->data);
        return tt_fail(err, TT_ENOMEM, "%zu bytes of state", b->n + size(w));
    }
    if (rc != TT_OK)
        return rc;
    memcpy(all + b->n, w->saved + reg * size(w), size(w));
    *b = (struct tt_bytes){all, b->n + size(w)};
    return TT_OK;
}

static enum tt_code quantum_unpack(tt_unit *u, uint32_t reg,
                                   const struct tt_bytes *b, tt_err *err)
{
    struct quantum *w = quantum_of(u);
    struct tt_bytes own;

    if (b->n < size(w))
        return tt_fail(err, TT_EINPUT, "%zu bytes are no state with quanta",
                       b->n);
    own = (struct tt_bytes){b->data, b->n - size(w)};
    memcpy(w->saved + reg * size(w), (const char *)b->data + own.n, size(w));
    return tt_fwd_unpack(u, reg, &own, err);
}

/* --- making ------------------------------------------------------------ */

#define QUANTUM_OPS                                                            \
    .configure = quantum_configure, .enter_init = quantum_enter_init,          \
    .exit_init = tt_fwd_exit_init, .prepare = quantum_prepare,                 \
    .reset = quantum_reset, .end = tt_fwd_end, .get = quantum_get,             \
    .set = quantum_set, .rates = tt_fwd_rates, .jvp = tt_fwd_jvp,              \
    .step = quantum_step, .max_step = quantum_max_step, .save = quantum_save,  \
    .restore = quantum_restore, .packable = tt_fwd_packable,                   \
    .pack = quantum_pack, .unpack = quantum_unpack, .trail = tt_fwd_trail,     \
    .explain = tt_fwd_explain, .free = quantum_free

/* A unit that lives elsewhere sends with its step what will be read. The calls
 * themselves are ours. */
static enum tt_code quantum_bind(tt_unit *u, enum tt_verb verb,
                                 const struct tt_span *s, struct tt_call *c,
                                 tt_err *err)
{
    struct tt_call inner;
    enum tt_code rc = verb == TT_VERB_GET
                          ? tt_unit_bind(u->inner, verb, s, &inner, err)
                          : TT_OK;

    (void)c;
    return rc == TT_OK ? TT_EUNSUPPORTED : rc;
}

static const struct tt_unit_ops quantum_ops = {QUANTUM_OPS};
/* ... around a unit that lives elsewhere */
static const struct tt_unit_ops quantum_ops_ahead = {
    QUANTUM_OPS, .ahead = quantum_ahead, .bind = quantum_bind};

enum tt_code tt_quantum_new(tt_unit **out, tt_unit *inner, struct tt_quantum q,
                            const struct tt_make *m, tt_err *err)
{
    const struct tt_unit_ops *ops =
        tt_unit_goes_ahead(inner) ? &quantum_ops_ahead : &quantum_ops;
    struct quantum *w;
    enum tt_code rc;

    TT_ASSERT(q.size > 0 && q.most > 0);
    if (!TT_NEW(w)) {
        tt_unit_free(inner);
        return tt_fail(err, TT_ENOMEM, "instance '%s' (quanta): out of memory",
                       m->name);
    }
    w->how = q;
    w->end = (double)INFINITY;
    w->base.inner = inner;
    describe(w);
    rc = tt_unit_init(&w->base, ops, &w->desc, m, err);
    tt_unit_wrap(&w->base, inner, "quanta");
    if (rc == TT_OK)
        *out = &w->base;
    else
        quantum_free(&w->base);
    return rc;
}

int tt_quantum_steps(const tt_unit *u, uint64_t *asked, uint64_t *made)
{
    while (u && u->ops != &quantum_ops && u->ops != &quantum_ops_ahead)
        u = u->inner;
    if (!u)
        return 0;
    *asked = u->n_step;
    *made = u->inner->n_step;
    return 1;
}
