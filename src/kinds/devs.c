/* SPDX-License-Identifier: MIT */
/* Unit kind devs: a discrete-event unit that is written in a file. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "kinds/devs_impl.h"
#include "kinds/discrete_hot.h"
#include "kinds/kinds.h"
#include "sys/file.h"

static const struct tt_devs_table *table_of(const struct tt_discrete *u)
{
    return u->type->own;
}

static const struct tt_devs_state *state_of(const struct tt_discrete *u)
{
    return &table_of(u)->state[u->is->phase];
}

static inline char *at(const struct tt_discrete *u, uint32_t place)
{
    return (char *)u->is + place;
}

static struct tt_expr_at here(const struct tt_discrete *u,
                              const struct tt_devs_expr *x)
{
    return (struct tt_expr_at){.t = u->k.base.now,
                               .value = u->k.where + x->first};
}

__attribute__((noinline)) static double compute(const struct tt_discrete *u,
                                                const struct tt_devs_expr *x)
{
    struct tt_expr_at now = here(u, x);

    return tt_expr_value(&x->e, &now);
}

static inline double value(const struct tt_discrete *u,
                           const struct tt_devs_expr *x)
{
    if (!x->sums)
        return compute(u, x);
    return x->ref == TT_NONE ? x->plus
                             : *(const double *)u->k.where[x->ref] + x->plus;
}

static inline int holds(const struct tt_discrete *u, int guarded,
                        const struct tt_devs_expr *x)
{
    return !guarded || compute(u, x) != 0;
}

__attribute__((noinline)) static void assign_other(const struct tt_discrete *u,
                                                   void *to,
                                                   const struct tt_devs_expr *x)
{
    struct tt_expr_at now = here(u, x);

    if (x->e.kind == TT_EXPR_TEXT)
        memmove(to, tt_expr_text(&x->e, &now), sizeof(struct tt_text));
    else
        *(uint8_t *)to = tt_expr_value(&x->e, &now) != 0;
}

static inline void assign(const struct tt_discrete *u, void *to,
                          const struct tt_devs_expr *x)
{
    if (x->e.kind == TT_EXPR_NUMBER)
        *(double *)to = value(u, x);
    else
        assign_other(u, to, x);
}

static inline void enter(struct tt_discrete *u, uint32_t state)
{
    const struct tt_devs_state *s = &table_of(u)->state[state];
    struct tt_text *shown = (void *)at(u, table_of(u)->state_at);

    u->is->phase = state;
    memcpy(shown, s->shown, sizeof(s->shown));
    if (TT_UNLIKELY(s->n_name + sizeof(shown->n) >= sizeof(s->shown))) {
        memcpy(shown->s, s->name, s->n_name);
        shown->s[s->n_name] = '\0';
    }
}

/* --- hooks ---------------------------------------------------------------- */

static enum tt_code begin(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    u->is->elapsed = table_of(u)->elapsed;
    enter(u, table_of(u)->start);
    return TT_OK;
}

__attribute__((noinline)) static enum tt_code
no_time(const struct tt_devs_state *s, double ta, tt_err *err)
{
    char text[TT_NUM_MAX];

    tt_num_print_short(text, ta);
    return tt_fail(err, TT_EUNIT, "state '%s' is to last %s s", s->name, text);
}

static inline enum tt_code advance(struct tt_discrete *u, double *ta,
                                   tt_err *err)
{
    const struct tt_devs_state *s = state_of(u);

    *ta = s->ends ? value(u, &s->after) : (double)INFINITY;
    return *ta >= 0 ? TT_OK : no_time(s, *ta, err);
}

static enum tt_code output(struct tt_discrete *u, tt_err *err)
{
    const struct tt_devs_state *s = state_of(u);

    (void)err;
    for (uint32_t i = 0; i < s->n_output; i++) {
        const struct tt_devs_output *o = &s->output[i];

        if (!holds(u, o->guarded, &o->when))
            continue;
        assign(u, at(u, o->to), &o->is);
        *at(u, o->there) = 1;
    }
    return TT_OK;
}

/* Takes the first way there is. Answers 1: into a state, 0: it goes on, -1:
 * there is none. */
static inline int take(struct tt_discrete *u, const struct tt_devs_ways *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        const struct tt_devs_way *way = &w->way[i];

        if (!holds(u, way->guarded, &way->when))
            continue;
        for (uint32_t k = 0; k < way->n_set; k++)
            assign(u, at(u, way->set[k].to), &way->set[k].is);
        if (way->next == TT_NONE)
            return 0;
        enter(u, way->next);
        return 1;
    }
    return -1;
}

/* Where there is no way it begins anew as it is. */
static enum tt_code internal(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    (void)take(u, &state_of(u)->then);
    return TT_OK;
}

__attribute__((noinline)) static enum tt_code
undefined(const struct tt_discrete *u, uint32_t port, tt_err *err)
{
    char value[TT_TEXT_MAX];

    tt_value_print(value, u->type->port[port].type, tt_discrete_value(u, port));
    return tt_fail(
        err, TT_EUNIT, "%s states nothing for '%.200s' at '%s' in state '%s'",
        table_of(u)->path, value, u->type->port[port].name, state_of(u)->name);
}

static inline int take_input(struct tt_discrete *u, uint32_t port)
{
    const struct tt_devs_state *s = state_of(u);
    int moved = -1;

    for (uint32_t i = 0; i < s->n_on && moved < 0; i++)
        if (s->on[i].port == port &&
            (!s->on[i].value ||
             tt_text_same(s->on[i].value, tt_discrete_value(u, port))))
            moved = take(u, &s->on[i].ways);
    return moved;
}

/* Several inputs at once are taken one after the other; for those behind the
 * first that leads into a state no time has elapsed. */
static enum tt_code external(struct tt_discrete *u, int *goes_on, tt_err *err)
{
    const struct tt_devs_table *t = table_of(u);

    *goes_on = 1;
    for (uint32_t i = 0; i < t->n_input; i++) {
        int moved;

        if (!*at(u, t->input[i].there))
            continue;
        moved = take_input(u, t->input[i].port);
        if (moved < 0 && t->strict)
            return undefined(u, t->input[i].port, err);
        if (moved > 0) {
            *goes_on = 0;
            u->is->elapsed = 0;
        }
    }
    return TT_OK;
}

static enum tt_code confluent(struct tt_discrete *u, int *goes_on, tt_err *err)
{
    enum tt_devs_confluent how = table_of(u)->confluent;
    enum tt_code rc = TT_OK;

    if (how == TT_DEVS_INTERNAL_FIRST)
        return tt_discrete_in_turn(u, goes_on, err);
    rc = external(u, goes_on, err);
    if (rc != TT_OK || how == TT_DEVS_EXTERNAL_ONLY)
        return rc;
    *goes_on = 0;
    return internal(u, err);
}

static const struct tt_discrete_model model;
TT_DISCRETE_CALLS(calls, model);

static const struct tt_discrete_model model = {
    .calls = &calls,
    TT_HOOKS(, begin, advance, output, internal, external, confluent)};

/* --- kind ----------------------------------------------------------------- */

int tt_devs_is(const char *path)
{
    return tt_path_ends(path, TT_DEVS_ENDING);
}

static int accepts(const struct tt_source *s)
{
    return !s->inner && tt_devs_is(s->path);
}

static enum tt_code read(struct tt_builtin_type *b, const struct tt_source *s,
                         tt_err *err)
{
    struct tt_discrete_type *t = (struct tt_discrete_type *)(void *)b;
    struct tt_devs_table *table = tt_arena_alloc(b->arena, 1, sizeof(*table));
    enum tt_code rc = tt_discrete_describe(t, tt_path_base(s->path), 1, err);

    if (rc != TT_OK || !table)
        return tt_fail(err, TT_ENOMEM, "opening %s", s->path);
    t->model = &model;
    t->own = table;
    return tt_devs_read(t, table, s->path, err);
}

const struct tt_builtin tt_builtin_devs = {TT_DISCRETE, .accepts = accepts,
                                           .read = read};
