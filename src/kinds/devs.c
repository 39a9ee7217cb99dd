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

/* What a hook looks at. */
struct view {
    const struct tt_devs_table *table;
    const struct tt_devs_state *state;
    struct tt_discrete *u;
    char *is; /* its state */
};

static inline struct view view_of(struct tt_discrete *u)
{
    const struct tt_devs_table *t = table_of(u);

    return (struct view){t, &t->state[u->is->phase], u, (char *)u->is};
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

/* Of one that is not computed. */
static inline double at_once(const struct view *v, const struct tt_devs_expr *x)
{
    return x->how == TT_DEVS_CONSTANT
               ? x->plus
               : *(const double *)(v->is + x->at) + x->plus;
}

static inline double value(const struct view *v, const struct tt_devs_expr *x)
{
    return TT_LIKELY(x->how != TT_DEVS_COMPUTED) ? at_once(v, x)
                                                 : compute(v->u, x);
}

static inline int holds(const struct view *v, int guarded,
                        const struct tt_devs_expr *x)
{
    return !guarded || compute(v->u, x) != 0;
}

__attribute__((noinline)) static void assign_other(const struct tt_discrete *u,
                                                   void *to,
                                                   const struct tt_devs_expr *x)
{
    struct tt_expr_at now = here(u, x);

    if (x->e.kind == TT_EXPR_NUMBER)
        *(double *)to = tt_expr_value(&x->e, &now);
    else if (x->e.kind == TT_EXPR_TEXT)
        memmove(to, tt_expr_text(&x->e, &now), sizeof(struct tt_text));
    else
        *(uint8_t *)to = tt_expr_value(&x->e, &now) != 0;
}

static inline void assign(const struct view *v, uint32_t to,
                          const struct tt_devs_expr *x)
{
    if (x->how == TT_DEVS_COMPUTED)
        assign_other(v->u, v->is + to, x);
    else
        *(double *)(v->is + to) = value(v, x);
}

/* One whose name is short. */
__attribute__((always_inline)) static inline void
enter_short(struct view *v, const struct tt_devs_state *s, uint32_t number)
{
    struct tt_discrete_state *const is = (void *)v->is;

    v->state = s;
    is->phase = number;
    memcpy(v->is + v->table->state_at, s->shown, sizeof(s->shown));
}

__attribute__((always_inline)) static inline void
enter(struct view *v, const struct tt_devs_state *s, uint32_t number)
{
    struct tt_text *shown = (void *)(v->is + v->table->state_at);

    enter_short(v, s, number);
    if (TT_UNLIKELY(!tt_devs_is_short(s))) {
        memcpy(shown->s, s->name, s->n_name);
        shown->s[s->n_name] = '\0';
    }
}

/* --- hooks ---------------------------------------------------------------- */

static enum tt_code begin(struct tt_discrete *u, tt_err *err)
{
    struct view v = view_of(u);

    (void)err;
    u->is->elapsed = v.table->elapsed;
    enter(&v, &v.table->state[v.table->start], v.table->start);
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
    const struct view v = view_of(u);

    *ta = value(&v, &v.state->after);
    return *ta >= 0 ? TT_OK : no_time(v.state, *ta, err);
}

static enum tt_code output(struct tt_discrete *u, tt_err *err)
{
    const struct view v = view_of(u);
    const struct tt_devs_output *o = v.state->output;

    (void)err;
    for (uint32_t n = v.state->n_output; n > 0; n--, o++) {
        if (!holds(&v, o->guarded, &o->when))
            continue;
        assign(&v, o->to, &o->is);
        v.is[o->there] = 1;
    }
    return TT_OK;
}

/* Takes the first way there is. Answers 1: into a state, 0: it goes on, -1:
 * there is none. */
__attribute__((noinline)) static int take_any(struct tt_discrete *u,
                                              const struct tt_devs_ways *w)
{
    struct view v = view_of(u);
    const struct tt_devs_way *way = w->way;
    uint32_t n = w->n;

    for (; n > 0 && !holds(&v, way->guarded, &way->when); n--)
        way++;
    if (!n)
        return -1;
    for (uint32_t k = 0; k < way->n_set; k++)
        assign(&v, way->set[k].to, &way->set[k].is);
    if (!way->to)
        return 0;
    enter(&v, way->to, way->next);
    return 1;
}

/* Nearly all are plain. */
__attribute__((always_inline)) static inline int
take(struct view *v, const struct tt_devs_ways *w)
{
    const struct tt_devs_way *way = w->way;
    const struct tt_devs_set *set;

    if (TT_UNLIKELY(!w->plain)) {
        int moved = take_any(v->u, w);

        *v = view_of(v->u);
        return moved;
    }
    set = way->set;
    for (uint32_t n = way->n_set; n > 0; n--, set++)
        *(double *)(v->is + set->to) = at_once(v, &set->is);
    if (!way->to)
        return 0;
    enter(v, way->to, way->next);
    return 1;
}

/* Where there is no way it begins anew as it is. */
static enum tt_code internal(struct tt_discrete *u, tt_err *err)
{
    struct view v = view_of(u);

    (void)err;
    (void)take(&v, &v.state->then);
    return TT_OK;
}

__attribute__((noinline)) static enum tt_code
undefined(const struct tt_discrete *u, uint32_t port, tt_err *err)
{
    char value[TT_TEXT_MAX];

    tt_value_print(value, u->type->port[port].type, tt_discrete_value(u, port));
    return tt_fail(err, TT_EUNIT,
                   "%s states nothing for '%.200s' at '%s' in state '%s'",
                   table_of(u)->path, value, u->type->port[port].name,
                   table_of(u)->state[u->is->phase].name);
}

__attribute__((always_inline)) static inline int take_input(struct view *v,
                                                            uint32_t port)
{
    const struct tt_devs_on *on = v->state->on;
    int moved = -1;

    for (uint32_t n = v->state->n_on; n > 0 && moved < 0; n--, on++)
        if (on->port == port &&
            (!on->value ||
             tt_text_same(on->value, tt_discrete_value(v->u, port))))
            moved = take(v, &on->ways);
    return moved;
}

/* Several inputs at once are taken one after the other; for those behind the
 * first that leads into a state no time has elapsed. */
static enum tt_code external(struct tt_discrete *u, int *goes_on, tt_err *err)
{
    struct view v = view_of(u);
    const struct tt_devs_input *in = v.table->input;

    *goes_on = 1;
    for (uint32_t n = v.table->n_input; n > 0; n--, in++) {
        int moved;

        if (!v.is[in->there])
            continue;
        moved = take_input(&v, in->port);
        if (moved < 0 && v.table->strict)
            return undefined(u, in->port, err);
        if (moved > 0) {
            *goes_on = 0;
            u->is->elapsed = 0;
        }
    }
    return TT_OK;
}

__attribute__((noinline)) static enum tt_code
confluent(struct tt_discrete *u, int *goes_on, tt_err *err)
{
    enum tt_devs_confluent how = table_of(u)->confluent;
    enum tt_code rc = TT_OK;

    if (how == TT_DEVS_INTERNAL_FIRST)
        return tt_discrete_in_turn(u, u->type->model, goes_on, err);
    rc = external(u, goes_on, err);
    if (rc != TT_OK || how == TT_DEVS_EXTERNAL_ONLY)
        return rc;
    *goes_on = 0;
    return internal(u, err);
}

static const struct tt_discrete_model model;
TT_DISCRETE_CALLS(any, model);

/* --- most events ----------------------------------------------------------
 */

static enum tt_code tick(tt_unit *base, tt_err *err)
{
    struct tt_discrete *u = tt_discrete_of(base);
    const struct view v = view_of(u);
    struct tt_discrete_state *const is = u->is;
    const struct tt_devs_output *o = v.state->output;

    if (TT_UNLIKELY(!v.state->plain))
        return any.tick(base, err);
    tt_discrete_go(u);
    is->elapsed = base->now - is->last;
    for (uint32_t n = v.state->n_output; n > 0; n--, o++) {
        *(double *)(v.is + o->to) = at_once(&v, &o->is);
        v.is[o->there] = 1;
    }
    return TT_OK;
}

/* That of the first of these events, were it alone. */
static inline const struct tt_devs_way *alone(const struct tt_devs_table *t,
                                              uint32_t state, uint64_t there)
{
    return t->alone[state].by[(unsigned)__builtin_ctzll(there) / 8];
}

/* *next: when the state is over that is begun, or goes on. */
static inline enum tt_code go(struct view *v, const struct tt_devs_way *way,
                              double *next, tt_err *err)
{
    struct tt_discrete_state *const is = (void *)v->is;
    const double now = v->u->k.base.now;
    const struct tt_devs_set *set = way->set;
    double ta, end;

    for (uint32_t n = way->n_set; n > 0; n--, set++)
        *(double *)(v->is + set->to) = at_once(v, &set->is);
    tt_discrete_over_near(is);
    if (!way->to) {
        *next = is->next;
        return TT_OK;
    }
    enter_short(v, way->to, way->next);
    ta = at_once(v, &way->to->after);
    end = now + ta;
    is->last = now;
    is->next = end;
    *next = end;
    return TT_LIKELY(ta >= 0) ? TT_OK : no_time(way->to, ta, err);
}

/* It is due, and one event has come that is taken behind that, in the state it
 * leads to. */
__attribute__((noinline)) static enum tt_code
update_both(tt_unit *base, uint64_t there, double *next, tt_err *err)
{
    struct tt_discrete *u = tt_discrete_of(base);
    uint64_t other = there & ~u->type->own_clock;
    const struct tt_devs_way *end = NULL, *then = NULL;
    struct view v = {table_of(u), NULL, u, (char *)u->is};
    enum tt_code rc;

    if ((there & (there - 1)) == other && !(other & (other - 1)) &&
        v.table->confluent == TT_DEVS_INTERNAL_FIRST)
        end = alone(v.table, u->is->phase, there);
    if (end)
        then = alone(v.table, end->next, other);
    if (!then)
        return any.update(base, next, err);
    rc = go(&v, end, next, err);
    return rc == TT_OK ? go(&v, then, next, err) : rc;
}

static enum tt_code update(tt_unit *base, double *next, tt_err *err)
{
    struct tt_discrete *u = tt_discrete_of(base);
    const struct tt_discrete_type *t = u->type;
    uint64_t there = u->is->clocks & (t->in_clocks | t->own_clock);
    const struct tt_devs_way *way;
    struct view v = {t->own, NULL, u, (char *)u->is};

    if (TT_UNLIKELY(!there || !tt_discrete_is_near(u)))
        return any.update(base, next, err);
    if (there & (there - 1))
        return update_both(base, there, next, err);
    way = alone(v.table, u->is->phase, there);
    return TT_LIKELY(way != NULL) ? go(&v, way, next, err)
                                  : any.update(base, next, err);
}

static const struct tt_event_calls calls = {tick, update};

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
