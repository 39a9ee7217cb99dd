/* SPDX-License-Identifier: MIT */
/* Unit kind script: decides what a scenario's script does when. It has the
 * variables of its conditions as inputs, and outputs by which gates let through
 * one thing or another: all it remembers is its state, and goes back with it.
 *
 * With event mode it acts when it is updated: where its next cue is due by
 * time, an input leaps, or a condition was located. Without, at communication
 * points: what it would do there is seen in its outputs at once, and remembered
 * by the step that follows. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "kinds/script_impl.h"
#include "scenario/deeds.h"
#include "step/policy.h"

#define SOURCE "tutti:script"

struct gate {
    int32_t how, fault;
    double value;
};

struct cue {
    double due;  /* the time, or infinite */
    int32_t was; /* the condition held */
    int32_t count;
};

/* One block: variables, gates, cues, then numbers of how often each action was
 * done and who is awake. */
struct view {
    double *x, *carry;
    struct gate *gate;
    struct cue *cue;
    int32_t *done, *awake, *count; /* of crossings: only changes matter */
};

struct unit {
    struct tt_kept_unit k;
    const struct tt_script_type *type; /* borrowed */
    struct view is;
    unsigned char *then; /* owned: as `is` will be, without event mode */
    int event_mode;
};

static struct unit *unit_of(tt_unit *u)
{
    return (struct unit *)(void *)u;
}

static struct view view_of(const struct tt_sc_script *s, void *block)
{
    struct view v = {.x = block};

    v.carry = v.x + s->n_variable;
    v.gate = (struct gate *)(void *)(v.carry + s->n_carry);
    v.cue = (struct cue *)(void *)(v.gate + s->n_gate);
    v.done = (int32_t *)(void *)(v.cue + s->n_cue);
    v.awake = v.done + s->n_action;
    v.count = v.awake + s->n_sleeper;
    return v;
}

static size_t size_of(const struct tt_sc_script *s)
{
    return ((size_t)s->n_variable + s->n_carry) * sizeof(double) +
           s->n_gate * sizeof(struct gate) + s->n_cue * sizeof(struct cue) +
           ((size_t)s->n_action + s->n_sleeper + s->n_when) * sizeof(int32_t);
}

/* --- what is done --------------------------------------------------------- */

/* Expressions: conditions of cues, then values of actions. */
static double value(const struct unit *u, uint32_t i, double t)
{
    return tt_script_value(u->type, i, u->k.where, t);
}

static void begin_fault(const struct unit *u, struct view *v, uint32_t fault,
                        double t)
{
    const struct tt_sc_script *s = u->type->s;
    uint32_t end = s->fault[fault - 1].end;

    v->gate[s->fault[fault - 1].gate].fault = (int32_t)fault;
    if (end != TT_NONE && !isnan(s->cue[end].lasts))
        v->cue[end].due = t + s->cue[end].lasts;
}

static int is_released(const struct view *v, const struct tt_sc_action *a)
{
    return !a->which || v->gate[a->gate].fault == (int32_t)a->which;
}

static void act(const struct unit *u, struct view *v, uint32_t i, double t)
{
    const struct tt_sc_script *s = u->type->s;
    const struct tt_sc_action *a = &s->action[i];

    switch (a->act) {
    case TT_SC_ACT_SET:
    case TT_SC_ACT_HOLD:
        v->gate[a->gate].value = value(u, s->n_cue + i, t);
        v->gate[a->gate].how = -1;
        break;
    case TT_SC_ACT_CONNECT:
        v->gate[a->gate].how = (int32_t)a->which;
        break;
    case TT_SC_ACT_FAULT:
        begin_fault(u, v, a->which, t);
        break;
    case TT_SC_ACT_RELEASE:
        if (!is_released(v, a))
            return;
        v->gate[a->gate].fault = 0;
        break;
    case TT_SC_ACT_WAKE:
    case TT_SC_ACT_SLEEP:
        v->awake[a->which] = a->act == TT_SC_ACT_WAKE;
        break;
    case TT_SC_ACT_CARRY:
        v->carry[a->which] = value(u, s->n_cue + i, t);
        break;
    case TT_SC_ACT_STOP:
        break;
    }
    v->done[i]++;
}

/* Is one of the faults that it ends there? */
static int has_begun(const struct tt_sc_script *s, const struct tt_sc_cue *c,
                     const struct view *v)
{
    for (uint32_t i = c->first; i < c->first + c->n; i++)
        if (is_released(v, &s->action[i]))
            return 1;
    return 0;
}

static int comes_by_time(struct cue *c, double t)
{
    if (c->due > t + tt_policy_instant_tol(t, 0))
        return 0;
    c->due = (double)INFINITY;
    return 1;
}

/* The end of faults comes while a condition holds, others when it begins to. */
static int comes(const struct unit *u, struct view *v, uint32_t i, double t)
{
    const struct tt_sc_cue *c = &u->type->s->cue[i];
    struct cue *is = &v->cue[i];
    int was = is->was;

    if (!c->when)
        return comes_by_time(is, t) &&
               (!c->ends || has_begun(u->type->s, c, v));
    is->was = value(u, i, t) != 0;
    if (c->ends)
        return is->was && has_begun(u->type->s, c, v);
    return is->was && !was && (c->repeat || !is->count);
}

static void advance(const struct unit *u, struct view *v, double t)
{
    const struct tt_sc_script *s = u->type->s;

    for (uint32_t i = 0; i < s->n_cue; i++) {
        if (!comes(u, v, i, t))
            continue;
        v->cue[i].count++;
        for (uint32_t k = 0; k < s->cue[i].n; k++)
            act(u, v, s->cue[i].first + k, t);
    }
}

static int is_stopped(const struct unit *u)
{
    const struct tt_sc_script *s = u->type->s;

    for (uint32_t i = 0; i < s->n_action; i++)
        if (s->action[i].act == TT_SC_ACT_STOP && u->is.done[i])
            return 1;
    return 0;
}

/* --- ports ---------------------------------------------------------------- */

/* Variables, conditions that are located, three per gate, who is awake, what is
 * carried over, and how often each action was done. */
static void put(const struct unit *u, const struct view *v, uint32_t port,
                void *to)
{
    const struct tt_sc_script *s = u->type->s;
    uint32_t gate = port - s->n_variable - s->n_when;

    if (port < s->n_variable)
        memcpy(to, &v->x[port], sizeof(double));
    else if (port < s->n_variable + s->n_when)
        memcpy(to, &v->count[port - s->n_variable], sizeof(int32_t));
    else if (gate < 3 * s->n_gate && gate % 3 == 2)
        memcpy(to, &v->gate[gate / 3].value, sizeof(double));
    else if (gate < 3 * s->n_gate)
        memcpy(to, gate % 3 ? &v->gate[gate / 3].fault : &v->gate[gate / 3].how,
               sizeof(int32_t));
    else if (gate < 3 * s->n_gate + s->n_sleeper)
        memcpy(to, &v->awake[gate - 3 * s->n_gate], sizeof(int32_t));
    else if (gate < 3 * s->n_gate + s->n_sleeper + s->n_carry)
        memcpy(to, &v->carry[gate - 3 * s->n_gate - s->n_sleeper],
               sizeof(double));
    else
        memcpy(to, v->done, s->n_action * sizeof(int32_t));
}

static enum tt_code get(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    const struct unit *u = unit_of(base);
    struct view v = u->is;
    char *to = s->value;

    (void)err;
    if (u->then) {
        memcpy(u->then, u->k.is, u->k.size);
        v = view_of(u->type->s, u->then);
        advance(u, &v, base->now);
    }
    for (size_t i = 0; i < s->n; i++) {
        put(u, &v, s->port[i], to);
        to += tt_port_size(&base->desc->port[s->port[i]]);
    }
    return TT_OK;
}

static enum tt_code set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    const struct unit *u = unit_of(base);
    const struct tt_sc_script *is = u->type->s;

    for (size_t i = 0; i < s->n; i++) {
        if (s->port[i] >= is->n_variable + is->n_when)
            return tt_fail(err, TT_EINPUT, "'%s' is an output",
                           base->desc->port[s->port[i]].name);
        if (s->port[i] < is->n_variable)
            u->is.x[s->port[i]] = ((const double *)s->value)[i];
        else
            u->is.count[s->port[i] - is->n_variable] =
                ((const int32_t *)s->value)[i];
    }
    return TT_OK;
}

/* --- life ----------------------------------------------------------------- */

static void start_over(const struct unit *u)
{
    const struct tt_sc_script *s = u->type->s;

    memset(u->k.is, 0, u->k.size);
    for (uint32_t i = 0; i < s->n_cue; i++)
        u->is.cue[i].due =
            isnan(s->cue[i].at) ? (double)INFINITY : s->cue[i].at;
    for (uint32_t i = 0; i < s->n_sleeper; i++)
        u->is.awake[i] = s->sleeper[i].awake;
}

static enum tt_code reset(tt_unit *u, tt_err *err)
{
    (void)err;
    start_over(unit_of(u));
    return TT_OK;
}

static enum tt_code exit_init(tt_unit *u, tt_err *err)
{
    (void)err;
    if (unit_of(u)->event_mode)
        u->life = TT_LIFE_EVENT;
    return TT_OK;
}

static enum tt_code event_update(tt_unit *base, struct tt_event_result *r,
                                 tt_err *err)
{
    struct unit *u = unit_of(base);

    (void)err;
    advance(u, &u->is, base->now);
    r->next = (double)INFINITY;
    for (uint32_t i = 0; i < u->type->s->n_cue; i++)
        r->next = fmin(r->next, u->is.cue[i].due);
    r->next_defined = isfinite(r->next);
    r->terminate = is_stopped(u);
    return TT_OK;
}

static enum tt_code step(tt_unit *base, const struct tt_step *s,
                         struct tt_stepped *r, tt_err *err)
{
    struct unit *u = unit_of(base);

    (void)s;
    (void)err;
    if (!u->then)
        return TT_OK;
    advance(u, &u->is, base->now);
    if (is_stopped(u))
        r->flags |= TT_STEP_TERMINATE;
    return TT_OK;
}

static void free_unit(tt_unit *u)
{
    tt_free(unit_of(u)->then);
    tt_kept_free(u);
}

static const struct tt_unit_ops unit_ops = {
    .enter_init = tt_unit_idle_init,
    TT_BUILTIN_OWN,
    .end = tt_unit_idle,
    .step = step,
    TT_BUILTIN_EVENTS,
    .event_update = event_update,
    TT_KEPT_STATE,
    .reset = reset,
};

/* --- the type ------------------------------------------------------------- */

static enum tt_code add_inputs(struct tt_script_type *t, tt_err *err)
{
    struct tt_port in = tt_script_input;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < t->s->n_variable && rc == TT_OK; i++)
        rc = tt_script_port(t, "x", i + 1, &in, err);
    in.type = TT_I32;
    in.variability = TT_VAR_DISCRETE;
    in.start = NULL;
    for (uint32_t i = 0; i < t->s->n_when && rc == TT_OK; i++)
        rc = tt_script_port(t, "k", i + 1, &in, err);
    return rc;
}

static enum tt_code add_gate(struct tt_script_type *t, uint32_t number,
                             tt_err *err)
{
    struct tt_port out = tt_script_output;
    enum tt_code rc;

    out.hidden = 1;
    out.type = TT_I32;
    out.variability = TT_VAR_DISCRETE;
    rc = tt_script_port(t, "how", number, &out, err);
    if (rc == TT_OK)
        rc = tt_script_port(t, "fault", number, &out, err);
    out.type = TT_F64;
    return rc == TT_OK ? tt_script_port(t, "value", number, &out, err) : rc;
}

static enum tt_code add_rest(struct tt_script_type *t, tt_err *err)
{
    struct tt_port out = tt_script_output;
    uint32_t *dim = tt_arena_alloc(t->b.arena, 1, sizeof(*dim));
    enum tt_code rc = dim ? TT_OK : tt_fail(err, TT_ENOMEM, "out of memory");

    out.hidden = 1;
    out.type = TT_I32;
    out.variability = TT_VAR_DISCRETE;
    for (uint32_t i = 0; i < t->s->n_sleeper && rc == TT_OK; i++)
        rc = tt_script_port(t, "awake", i + 1, &out, err);
    out.type = TT_F64;
    for (uint32_t i = 0; i < t->s->n_carry && rc == TT_OK; i++)
        rc = tt_script_port(t, "carry", i + 1, &out, err);
    if (rc != TT_OK)
        return rc;
    out.type = TT_I32;
    *dim = out.n = t->s->n_action;
    out.text = tt_deeds_text(t->s, t->b.arena);
    if (!out.text)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    out.n_dim = 1;
    out.dim = dim;
    return tt_script_port(t, "done", 0, &out, err);
}

/* What it does follows from its inputs at once only without events. */
static enum tt_code describe(struct tt_script_type *t, tt_err *err)
{
    const struct tt_sc_script *s = t->s;
    enum tt_code rc = add_inputs(t, err);

    for (uint32_t i = 0; i < s->n_gate && rc == TT_OK; i++)
        rc = add_gate(t, i + 1, err);
    if (rc == TT_OK)
        rc = add_rest(t, err);
    return rc == TT_OK
               ? tt_script_deps(
                     t, 0, t->b.base.desc.caps.event_mode ? 0 : s->n_variable,
                     err)
               : rc;
}

static enum tt_code compile(struct tt_script_type *t, tt_err *err)
{
    const struct tt_sc_script *s = t->s;
    uint32_t n = s->n_cue + s->n_action;
    const char **text = tt_arena_alloc(t->b.arena, n, sizeof(*text));

    if (!text)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < s->n_cue; i++)
        text[i] = s->cue[i].when;
    for (uint32_t i = 0; i < s->n_action; i++)
        if (s->action[i].act == TT_SC_ACT_SET ||
            s->action[i].act == TT_SC_ACT_HOLD ||
            s->action[i].act == TT_SC_ACT_CARRY)
            text[s->n_cue + i] = s->action[i].value;
    return tt_script_compile(t, text, n, s->variable, s->n_variable, err);
}

/* What a gate holds would follow from itself. */
static enum tt_code check_events(const struct tt_script_type *t, tt_err *err)
{
    for (uint32_t i = 0; i < t->s->n_action; i++)
        if (t->s->action[i].act == TT_SC_ACT_HOLD &&
            !t->b.base.desc.caps.event_mode)
            return tt_fail(err, TT_EUNSUPPORTED,
                           "'%s' needs event mode, which is not to be used",
                           t->s->action[i].label);
    return TT_OK;
}

static enum tt_code read(struct tt_builtin_type *b, const struct tt_source *s,
                         tt_err *err)
{
    struct tt_script_type *t = (struct tt_script_type *)(void *)b;
    enum tt_code rc;

    if (!s->script)
        return tt_fail(err, TT_EINPUT,
                       "%s: it is made by 'script', where there is one",
                       s->path);
    rc = tt_script_type_begin(t, s,
                              s->script->n_variable + s->script->n_when +
                                  3 * s->script->n_gate + s->script->n_sleeper +
                                  s->script->n_carry + 1,
                              err);
    b->base.desc.caps.event_mode = !s->script->polled && !s->no_event_mode;
    if (rc == TT_OK)
        rc = check_events(t, err);
    if (rc == TT_OK)
        rc = describe(t, err);
    return rc == TT_OK ? compile(t, err) : rc;
}

static int accepts(const struct tt_source *s)
{
    return strcmp(s->path, SOURCE) == 0;
}

static int begin(tt_unit *base, const struct tt_builtin_type *t,
                 const struct tt_make *m)
{
    struct unit *u = unit_of(base);

    u->type = tt_script_of(t);
    u->event_mode = m->event_mode && t->base.desc.caps.event_mode;
    if (!tt_kept_new(&u->k, size_of(u->type->s)))
        return 0;
    u->is = view_of(u->type->s, u->k.is);
    u->k.where = tt_script_where(u->type, u->is.x);
    if (!u->event_mode)
        u->then = tt_zalloc(1, u->k.size);
    if (!u->k.where || (!u->event_mode && !u->then))
        return 0;
    start_over(u);
    return 1;
}

const struct tt_builtin tt_builtin_script = {
    TT_BUILTIN_OF(struct tt_script_type, struct unit), TT_SCRIPT_CAPS,
    TT_HOOKS(, accepts, read, begin)};
