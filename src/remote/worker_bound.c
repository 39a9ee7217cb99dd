/* SPDX-License-Identifier: MIT */
/* What every macro step does, bound once: it sets the lists of the step
 * before, steps, and reads what is watched. */
#include <math.h>
#include <string.h>

#include "remote/worker_impl.h"

#define SETS_MOST 256u /* known lists; a master that has more does without */

/* --- lists -------------------------------------------------------------- */

enum tt_code tt_worker_list(struct tt_worker *w, struct tt_moved *m,
                            const uint32_t *port, uint32_t n, tt_err *err)
{
    *m = (struct tt_moved){.n = n,
                           .shape = tt_wire_shape_of(w->unit->desc, port, n)};
    m->value = tt_zalloc(m->shape.n_bytes, 1);
    if (!m->value || !TT_NEW_ARRAY(m->port, n)) {
        tt_worker_drop_list(m);
        return tt_fail(err, TT_ENOMEM, "out of memory");
    }
    if (n)
        memcpy(m->port, port, n * sizeof(*port));
    return TT_OK;
}

void tt_worker_drop_list(struct tt_moved *m)
{
    tt_free(m->port);
    tt_free(m->value);
    *m = (struct tt_moved){0};
}

/* Bound calls check nothing: they are for units in the midst of a play. */
static int is_playing(const tt_unit *u)
{
    return u->life == TT_LIFE_READY && u->prepared && !u->stepping;
}

static int bind(struct tt_worker *w, enum tt_verb verb, struct tt_moved *m)
{
    struct tt_span s = {m->port, m->n, m->value};

    m->bound = m->n && tt_unit_bind(w->unit, verb, &s, &m->call, NULL) == TT_OK;
    return m->bound;
}

int tt_worker_read(struct tt_worker *w, struct tt_moved *m)
{
    if (!is_playing(w->unit) || !(m->bound || bind(w, TT_VERB_GET, m)))
        return 0;
    if (TT_LIKELY(tt_call_make(&m->call, &w->now) == TT_CALL_OK))
        return 1;
    (void)tt_unit_explain(w->unit, &m->call, &w->now, NULL);
    return 0;
}

/* --- sets --------------------------------------------------------------- */

static struct tt_known_set *find(struct tt_worker *w,
                                 const struct tt_wire_in *a)
{
    for (size_t i = 0; i < w->n_set; i++) {
        struct tt_known_set *k = &w->set[w->next_set];

        w->next_set = w->next_set + 1 == w->n_set ? 0 : w->next_set + 1;
        if ((size_t)(a->end - a->at) >= k->n_key &&
            memcmp(a->at, k->key, k->n_key) == 0)
            return k;
    }
    return NULL;
}

int tt_worker_set_known(struct tt_worker *w, struct tt_wire_in *a,
                        enum tt_code *rc, tt_err *err)
{
    struct tt_known_set *k = is_playing(w->unit) ? find(w, a) : NULL;
    struct tt_moved *m = k ? &k->list : NULL;

    if (!m || !(m->bound || bind(w, TT_VERB_SET, m)))
        return 0;
    a->at += k->n_key;
    tt_wire_get_shaped(a, &m->shape, m->value);
    *rc = TT_OK;
    if (TT_UNLIKELY(a->bad))
        *rc = tt_worker_nonsense(err);
    else if (TT_UNLIKELY(tt_call_make(&m->call, &w->now) != TT_CALL_OK))
        *rc = tt_unit_explain(w->unit, &m->call, &w->now, err);
    return 1;
}

void tt_worker_learn_set(struct tt_worker *w, const char *key, size_t n_key,
                         const struct tt_span *s)
{
    struct tt_known_set k = {.n_key = n_key};

    if (!is_playing(w->unit) || !s->n || w->n_set == SETS_MOST ||
        TT_GROW(w->set, w->n_set, w->cap_set))
        return;
    k.key = tt_alloc(n_key);
    if (!k.key || tt_worker_list(w, &k.list, s->port, (uint32_t)s->n, NULL)) {
        tt_free(k.key);
        return;
    }
    memcpy(k.key, key, n_key);
    w->set[w->n_set++] = k;
}

/* --- steps -------------------------------------------------------------- */

/* Whatever a bound step would not do as it is asked. */
static int is_plain(const tt_unit *u, const struct tt_step *s)
{
    return is_playing(u) && s->to > u->now && isfinite(s->to) && s->h > 0 &&
           isfinite(s->h) && !s->may_restore == !tt_unit_may_restore(u);
}

int tt_worker_step(struct tt_worker *w, const struct tt_step *s,
                   struct tt_stepped *r, enum tt_code *rc, tt_err *err)
{
    if (!is_plain(w->unit, s))
        return 0;
    if (!w->step_bound) {
        if (tt_unit_bind(w->unit, TT_VERB_STEP, NULL, &w->step, NULL) != TT_OK)
            return 0;
        w->step.from = TT_T0;
        w->step.to = TT_T1;
        w->step_bound = 1;
    }
    w->now.t[TT_T0] = w->unit->now;
    w->now.t[TT_T1] = s->to;
    w->now.h[TT_T1] = s->h;
    *rc = TT_OK;
    if (TT_UNLIKELY(tt_call_make(&w->step, &w->now) == TT_CALL_FAILED))
        *rc = tt_unit_explain(w->unit, &w->step, &w->now, err);
    else
        *r = tt_unit_last(w->unit);
    return 1;
}

void tt_worker_unlearn(struct tt_worker *w)
{
    for (size_t i = 0; i < w->n_set; i++) {
        tt_free(w->set[i].key);
        tt_worker_drop_list(&w->set[i].list);
    }
    w->n_set = w->next_set = 0;
}

enum tt_code tt_worker_resize(struct tt_worker *w, tt_err *err)
{
    enum tt_code rc = TT_OK;

    tt_worker_unlearn(w);
    for (size_t i = 0; i < w->n_watch && rc == TT_OK; i++) {
        struct tt_moved was = w->watch[i].list;

        rc = tt_worker_list(w, &w->watch[i].list, was.port, was.n, err);
        tt_worker_drop_list(&was);
    }
    return rc;
}
