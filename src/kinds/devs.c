/* SPDX-License-Identifier: MIT */
/* Unit kind devs: a discrete-event unit that is written in a file. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "kinds/devs_impl.h"
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

static struct tt_expr_at at(const struct tt_discrete *u,
                            const struct tt_devs_expr *x)
{
    return (struct tt_expr_at){.t = u->k.base.now,
                               .value = u->k.where + x->first};
}

static int holds(const struct tt_discrete *u, int guarded,
                 const struct tt_devs_expr *x)
{
    struct tt_expr_at here = at(u, x);

    return !guarded || tt_expr_value(&x->e, &here) != 0;
}

static void assign(const struct tt_discrete *u, uint32_t port,
                   const struct tt_devs_expr *x)
{
    struct tt_expr_at here = at(u, x);
    void *to = tt_discrete_value(u, port);

    if (x->e.kind == TT_EXPR_TEXT)
        memmove(to, tt_expr_text(&x->e, &here), sizeof(struct tt_text));
    else if (x->e.kind == TT_EXPR_BOOL)
        *(uint8_t *)to = tt_expr_value(&x->e, &here) != 0;
    else
        *(double *)to = tt_expr_value(&x->e, &here);
}

static void enter(struct tt_discrete *u, uint32_t state)
{
    struct tt_text *shown = tt_discrete_value(u, table_of(u)->port);
    const struct tt_devs_state *s = &table_of(u)->state[state];

    u->is->phase = state;
    shown->n = s->n_name;
    memcpy(shown->s, s->name, s->n_name);
    shown->s[s->n_name] = '\0';
}

/* --- hooks ---------------------------------------------------------------- */

static enum tt_code begin(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    u->is->elapsed = table_of(u)->elapsed;
    enter(u, table_of(u)->start);
    return TT_OK;
}

static enum tt_code advance(struct tt_discrete *u, double *ta, tt_err *err)
{
    const struct tt_devs_state *s = state_of(u);
    struct tt_expr_at here = at(u, &s->after);
    char text[TT_NUM_MAX];

    *ta = s->ends ? tt_expr_value(&s->after.e, &here) : (double)INFINITY;
    if (*ta >= 0)
        return TT_OK;
    tt_num_print_short(text, *ta);
    return tt_fail(err, TT_EUNIT, "state '%s' is to last %s s", s->name, text);
}

static enum tt_code output(struct tt_discrete *u, tt_err *err)
{
    const struct tt_devs_state *s = state_of(u);

    (void)err;
    for (uint32_t i = 0; i < s->n_output; i++) {
        const struct tt_devs_output *o = &s->output[i];

        if (!holds(u, o->guarded, &o->when))
            continue;
        assign(u, o->port, &o->is);
        tt_discrete_emit(u, o->port);
    }
    return TT_OK;
}

/* Takes the first way there is. *moved: 1 into a state, 0 it goes on, -1 there
 * is none. */
static void take(struct tt_discrete *u, const struct tt_devs_ways *w,
                 int *moved)
{
    *moved = -1;
    for (uint32_t i = 0; i < w->n; i++) {
        const struct tt_devs_way *way = &w->way[i];

        if (!holds(u, way->guarded, &way->when))
            continue;
        for (uint32_t k = 0; k < way->n_set; k++)
            assign(u, way->set[k].port, &way->set[k].is);
        *moved = way->next != TT_NONE;
        if (*moved)
            enter(u, way->next);
        return;
    }
}

/* Where there is no way it begins anew as it is. */
static enum tt_code internal(struct tt_discrete *u, tt_err *err)
{
    int moved;

    (void)err;
    take(u, &state_of(u)->then, &moved);
    return TT_OK;
}

static enum tt_code undefined(const struct tt_discrete *u, uint32_t port,
                              tt_err *err)
{
    char value[TT_TEXT_MAX];

    tt_value_print(value, u->type->port[port].type, tt_discrete_value(u, port));
    return tt_fail(
        err, TT_EUNIT, "%s states nothing for '%.200s' at '%s' in state '%s'",
        table_of(u)->path, value, u->type->port[port].name, state_of(u)->name);
}

static void take_input(struct tt_discrete *u, uint32_t port, int *moved)
{
    const struct tt_devs_state *s = state_of(u);

    *moved = -1;
    for (uint32_t i = 0; i < s->n_on && *moved < 0; i++)
        if (s->on[i].port == port &&
            (!s->on[i].value ||
             tt_text_same(s->on[i].value, tt_discrete_value(u, port))))
            take(u, &s->on[i].ways, moved);
}

/* Several inputs at once are taken one after the other; for those behind the
 * first that leads into a state no time has elapsed. */
static enum tt_code external(struct tt_discrete *u, int *goes_on, tt_err *err)
{
    const struct tt_devs_table *t = table_of(u);

    *goes_on = 1;
    for (uint32_t i = 0; i < t->n_input; i++) {
        int moved;

        if (!*tt_discrete_there(u, t->input[i]))
            continue;
        take_input(u, t->input[i], &moved);
        if (moved < 0 && t->strict)
            return undefined(u, t->input[i], err);
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

static const struct tt_discrete_model model = {
    .begin = begin,
    .advance = advance,
    .output = output,
    .internal = internal,
    .external = external,
    .confluent = confluent,
};

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
