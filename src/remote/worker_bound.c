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
    TT_FREE_ALL(m->port, m->value);
    *m = (struct tt_moved){0};
}

/* Bound calls check nothing: they are for units in the midst of a play. */
static int is_playing(const tt_unit *u)
{
    return u->life == TT_LIFE_READY && u->prepared;
}

static int bind(struct tt_worker *w, enum tt_verb verb, struct tt_moved *m)
{
    struct tt_span s = {m->port, m->n, m->value};

    m->bound = m->n && tt_unit_bind(w->unit, verb, &s, &m->call, NULL) == TT_OK;
    return m->bound;
}

/* The list's values now, in its own room. */
static enum tt_code look(struct tt_worker *w, struct tt_subscription *v)
{
    struct tt_moved *m = &v->list;
    struct tt_span s = {m->port, m->n, m->value};

    if (v->command == TT_WIRE_RATES)
        return tt_unit_rates(w->unit, &s, v->order, NULL);
    if (v->command == TT_WIRE_MAX_STEP)
        return tt_unit_max_step(w->unit, m->value, NULL);
    if (!is_playing(w->unit) || !(m->bound || bind(w, TT_VERB_GET, m)))
        return tt_unit_get(w->unit, &s, NULL);
    if (TT_LIKELY(tt_call_make(&m->call, &w->now) == TT_CALL_OK))
        return TT_OK;
    return tt_unit_explain(w->unit, &m->call, &w->now, NULL);
}

/* What cannot be read is left out, with all that follows: the master asks for
 * it when it wants it, and gets the reason. After a rejected step it is not
 * wanted. */
void tt_worker_put_news(struct tt_worker *w, struct tt_wire *out)
{
    for (size_t i = 0; i < w->n_subscription && !w->rejected; i++) {
        const struct tt_moved *m = &w->subscription[i].list;
        int known = look(w, &w->subscription[i]) == TT_OK;

        tt_wire_u8(out, (unsigned)known);
        if (!known)
            break;
        tt_wire_shaped(out, &m->shape, m->value, w->texts);
    }
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

static void forget(struct tt_known_set *k)
{
    tt_free(k->key);
    tt_worker_drop_list(&k->list);
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
        forget(&k);
        return;
    }
    memcpy(k.key, key, n_key);
    if (bind(w, TT_VERB_SET, &k.list))
        w->set[w->n_set++] = k;
    else
        forget(&k);
}

void tt_worker_unlearn(struct tt_worker *w)
{
    for (size_t i = 0; i < w->n_set; i++)
        forget(&w->set[i]);
    w->n_set = w->next_set = 0;
}

void tt_worker_drop_pieces(struct tt_worker *w)
{
    for (uint32_t i = 0; i < w->n_piece; i++) {
        tt_free(w->piece[i]);
        w->piece[i] = NULL;
    }
}

enum tt_code tt_worker_resize(struct tt_worker *w, tt_err *err)
{
    enum tt_code rc = TT_OK;

    tt_worker_unlearn(w);
    tt_worker_drop_pieces(w);
    for (size_t i = 0; i < w->n_subscription && rc == TT_OK; i++) {
        struct tt_moved was = w->subscription[i].list;

        rc = tt_worker_list(w, &w->subscription[i].list, was.port, was.n, err);
        tt_worker_drop_list(&was);
    }
    return rc;
}

/* --- a macro step ------------------------------------------------------- */

/* What is not done here is left to the usual way, which is longer. */
enum played { PLAYED, PASSED_ON, FAILED };

TT_COLD static enum played fail(struct tt_worker *w, const struct tt_call *c,
                                unsigned command)
{
    tt_err err = {.msg = ""};
    enum tt_code rc = tt_unit_explain(w->unit, c, &w->now, &err);

    tt_worker_put_failure(w, command, rc, &err);
    return FAILED;
}

/* a is behind the command, and stays there unless it is played. */
static enum played play_set(struct tt_worker *w, struct tt_wire_in *a)
{
    struct tt_known_set *k = find(w, a);
    struct tt_wire_in r = *a;

    if (!k)
        return PASSED_ON;
    r.at += k->n_key;
    tt_wire_get_shaped(&r, &k->list.shape, k->list.value, w->texts);
    if (r.bad)
        return PASSED_ON;
    *a = r;
    if (TT_UNLIKELY(tt_call_make(&k->list.call, &w->now) != TT_CALL_OK))
        return fail(w, &k->list.call, TT_WIRE_SET);
    tt_wire_begin_result(&w->out);
    tt_wire_put_result(&w->out, w->out.n, TT_WIRE_SET, TT_OK);
    return PLAYED;
}

static int bind_step(struct tt_worker *w)
{
    if (tt_unit_bind(w->unit, TT_VERB_STEP, NULL, &w->step, NULL) != TT_OK)
        return 0;
    w->step.from = TT_T0;
    w->step.to = TT_T1;
    w->step_bound = 1;
    return 1;
}

/* Would a bound step do what is asked? */
static int is_plain(const tt_unit *u, const struct tt_step *s)
{
    return s->to > u->now && isfinite(s->to) && s->h > 0 && isfinite(s->h) &&
           !s->may_restore == !tt_unit_may_restore(u);
}

static enum played play_step(struct tt_worker *w, struct tt_wire_in *a)
{
    struct tt_wire_in r = *a;
    struct tt_stepped outcome;
    struct tt_step s;
    size_t at;

    tt_wire_get_step(&r, &s);
    if (r.bad || !is_plain(w->unit, &s) || !(w->step_bound || bind_step(w)))
        return PASSED_ON;
    *a = r;
    w->now.t[TT_T0] = w->unit->now;
    w->now.t[TT_T1] = s.to;
    w->now.h[TT_T1] = s.h;
    if (TT_UNLIKELY(tt_call_make(&w->step, &w->now) == TT_CALL_FAILED))
        return fail(w, &w->step, TT_WIRE_STEP);
    outcome = tt_unit_last(w->unit);
    w->rejected = (outcome.flags & TT_STEP_REJECT) != 0;
    at = tt_wire_begin_result(&w->out);
    tt_wire_stepped(&w->out, &outcome);
    tt_wire_put_result(&w->out, at, TT_WIRE_STEP, TT_OK);
    return PLAYED;
}

static enum played play_news(struct tt_worker *w)
{
    size_t at = tt_wire_begin_result(&w->out);

    tt_worker_put_news(w, &w->out);
    tt_wire_put_result(&w->out, at, TT_WIRE_NEWS, TT_OK);
    return PLAYED;
}

int tt_worker_play(struct tt_worker *w, struct tt_wire_in *a)
{
    enum played p = PLAYED;

    while (p == PLAYED && a->at < a->end && is_playing(w->unit)) {
        struct tt_wire_in r = *a;
        unsigned command = tt_wire_get_u8(&r);

        p = command == TT_WIRE_SET    ? play_set(w, &r)
            : command == TT_WIRE_STEP ? play_step(w, &r)
            : command == TT_WIRE_NEWS ? play_news(w)
                                      : PASSED_ON;
        if (p != PASSED_ON)
            *a = r;
    }
    return p != FAILED;
}
