/* SPDX-License-Identifier: MIT */
/* Binding: a score's operations become calls on live units. */
#include <string.h>

#include "player/event_impl.h"
#include "player/ranks.h"
#include "player/team.h"

enum tt_code tt_part_nomem(tt_err *err)
{
    return tt_nomem(err, "binding the score");
}

static void *value(const tt_part *p, uint32_t slot)
{
    return p->values->value + p->plan->slot[slot].offset;
}

const void *tt_part_value(const tt_part *p, uint32_t slot)
{
    return value(p, slot);
}

void *tt_part_place(const tt_part *p, uint32_t slot)
{
    return value(p, slot);
}

static enum tt_code append(tt_part *p, uint32_t op, struct tt_call c,
                           tt_err *err)
{
    if (TT_GROW(p->call, p->n_call, p->cap_call) ||
        TT_GROW(p->op_of, p->n_call, p->cap_op_of))
        return tt_part_nomem(err);
    if (!c.handle) /* it is fetched ahead, and must lead somewhere */
        c.handle = c.unit ? c.unit : p;
    p->op_of[p->n_call] = op;
    p->call[p->n_call++] = c;
    return TT_OK;
}

static enum tt_code add_call(tt_part *p, const struct tt_op *op,
                             struct tt_call c, tt_err *err)
{
    if (c.what->verb == TT_VERB_STEP || c.what->verb == TT_VERB_OTHER) {
        c.from = (uint8_t)op->at;
        c.to = (uint8_t)op->to;
    }
    return append(p, (uint32_t)(op - p->score->op), c, err);
}

/* Do the batch's slots lie one after the other? */
static int contiguous(const tt_part *p, const struct tt_batch *g)
{
    size_t size = tt_type_size(g->type);

    for (uint32_t k = 1; k < g->n; k++) {
        const struct tt_slot *a =
            &p->plan->slot[p->score->member[g->first + k - 1]];
        const struct tt_slot *b =
            &p->plan->slot[p->score->member[g->first + k]];

        if (b->offset != a->offset + a->n * size)
            return 0;
    }
    return 1;
}

static uint32_t batch_elements(const tt_part *p, const struct tt_batch *g)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < g->n; k++)
        n += p->plan->slot[p->score->member[g->first + k]].n;
    return n;
}

struct tt_moves *tt_new_moves(tt_part *p, uint32_t n)
{
    struct tt_moves *m = tt_arena_alloc(p->arena, 1, sizeof(*m));

    if (!m)
        return NULL;
    m->part = p;
    m->n = n;
    m->move = tt_arena_alloc(p->arena, n, sizeof(*m->move));
    return m->move ? m : NULL;
}

static enum tt_code add_moves(tt_part *p, const struct tt_op *op,
                              struct tt_moves *m, tt_err *err)
{
    struct tt_call c = {0};

    tt_bind_moves(&c, m);
    return add_call(p, op, c, err);
}

/* Between a block that one call wants and slots that lie apart. */
static enum tt_code add_pack(tt_part *p, const struct tt_op *op, char *block,
                             int unpack, tt_err *err)
{
    const struct tt_batch *g = &p->score->batch[op->arg];
    struct tt_moves *m = tt_new_moves(p, g->n);

    if (!m)
        return tt_part_nomem(err);
    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t slot = p->score->member[g->first + k];
        uint32_t n = p->plan->slot[slot].n;

        m->move[k] = (struct tt_move){
            .from = unpack ? (const void *)block : value(p, slot),
            .to = unpack ? value(p, slot) : (void *)block,
            .n = n,
            .how = TT_FEED_COPY,
            .from_type = (uint8_t)g->type,
            .to_type = (uint8_t)g->type,
        };
        block += n * tt_type_size(g->type);
    }
    return add_moves(p, op, m, err);
}

/* Structural parameters change sizes when a unit is configured, and the plan
 * was made before. */
static enum tt_code check_size(const tt_part *p, uint32_t slot, tt_err *err)
{
    const struct tt_slot *s = &p->plan->slot[slot];
    uint32_t n = p->unit[s->unit]->desc->port[s->port].n;
    char name[512];

    if (n == s->n)
        return TT_OK;
    return tt_fail(err, TT_EUNSUPPORTED,
                   "'%s' has %u elements since its instance was configured, "
                   "but its description gives %u",
                   tt_plan_slot_name(p->plan, slot, name, sizeof(name)), n,
                   s->n);
}

static enum tt_code add_unit_call(tt_part *p, const struct tt_op *op,
                                  enum tt_verb verb, void *val, tt_err *err)
{
    const struct tt_batch *g = &p->score->batch[op->arg];
    uint32_t *port = tt_arena_alloc(p->arena, g->n, sizeof(*port));
    struct tt_call c = {0};
    struct tt_span span;
    enum tt_code rc;

    if (!port)
        return tt_part_nomem(err);
    for (uint32_t k = 0; k < g->n; k++) {
        rc = check_size(p, p->score->member[g->first + k], err);
        if (rc != TT_OK)
            return rc;
        port[k] = p->plan->slot[p->score->member[g->first + k]].port;
    }
    span = (struct tt_span){.port = port, .n = g->n, .value = val};
    rc = tt_unit_bind(p->unit[op->unit], verb, &span, &c, err);
    return rc == TT_OK ? add_call(p, op, c, err) : rc;
}

/* Get or set a batch in its own slots; those that lie apart are packed before
 * a set, and unpacked after a get. */
static enum tt_code add_batch(tt_part *p, const struct tt_op *op,
                              enum tt_verb verb, tt_err *err)
{
    const struct tt_batch *g = &p->score->batch[op->arg];
    int get = verb == TT_VERB_GET;
    char *block;
    enum tt_code rc = TT_OK;

    if (contiguous(p, g))
        return add_unit_call(p, op, verb, value(p, p->score->member[g->first]),
                             err);
    block =
        tt_arena_alloc(p->arena, batch_elements(p, g), tt_type_size(g->type));
    if (!block)
        return tt_part_nomem(err);
    if (!get)
        rc = add_pack(p, op, block, 0, err);
    if (rc == TT_OK)
        rc = add_unit_call(p, op, verb, block, err);
    return rc == TT_OK && get ? add_pack(p, op, block, 1, err) : rc;
}

struct tt_moves *tt_feed_moves(tt_part *p, const uint32_t *slot, uint32_t n)
{
    struct tt_moves *m = tt_new_moves(p, n);

    if (!m)
        return NULL;
    for (uint32_t k = 0; k < n; k++) {
        const struct tt_feed *f = &p->plan->feed[p->plan->slot[slot[k]].feed];

        m->move[k] = (struct tt_move){
            .from = value(p, f->from),
            .to = value(p, slot[k]),
            .n = p->plan->slot[slot[k]].n,
            .how = (uint8_t)f->how,
            .from_type = (uint8_t)p->plan->slot[f->from].type,
            .to_type = (uint8_t)p->plan->slot[slot[k]].type,
            .factor = f->factor,
            .offset = f->offset,
        };
        if (f->how == TT_FEED_MAP)
            m->move[k].map = f->map;
        else if (f->how == TT_FEED_ITEM)
            m->move[k].items = tt_plan_port(p->plan, f->from)->items;
    }
    return m;
}

/* What stands for the source of a fed input: in a loop its guess. */
static void *source_of(const tt_part *p, uint32_t slot, int guess)
{
    uint32_t from = p->plan->feed[p->plan->slot[slot].feed].from;

    return guess ? p->guess_at[from] : value(p, from);
}

/* May the unit be set straight from its sources' storage? They must lie as one
 * block, unconverted, and nothing may want the input's own copy. */
static void *alias(const tt_part *p, const struct tt_batch *g, int guess)
{
    const uint32_t *slot = p->score->member + g->first;
    char *first = source_of(p, slot[0], guess), *next = first;

    for (uint32_t k = 0; k < g->n; k++) {
        const struct tt_slot *in = &p->plan->slot[slot[k]];

        if (p->plan->feed[in->feed].how != TT_FEED_COPY ||
            (k && source_of(p, slot[k], guess) != next) ||
            p->own_value[slot[k]])
            return NULL;
        next += in->n * tt_type_size(g->type);
    }
    return first;
}

static void take_guesses(const tt_part *p, const struct tt_batch *g,
                         struct tt_moves *m)
{
    for (uint32_t k = 0; k < g->n; k++)
        m->move[k].from = source_of(p, p->score->member[g->first + k], 1);
}

/* A course ends at its source's limit from the left: what leaps at the end of
 * a step leaps for the next one. */
static void end_at_limits(const tt_part *p, const struct tt_batch *g,
                          struct tt_moves *m)
{
    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t slot = p->score->member[g->first + k];

        m->move[k].from =
            value(p, p->plan->feed[p->plan->slot[slot].feed].left);
    }
}

static enum tt_code bind_set(tt_part *p, const struct tt_op *op, tt_err *err)
{
    const struct tt_batch *g = &p->score->batch[op->arg];
    struct tt_moves *m;
    struct tt_call c = {0};
    int course = op->flags & TT_OP_COURSE, guess = op->flags & TT_OP_GUESS;
    void *from = course ? NULL : alias(p, g, guess);
    enum tt_code rc = TT_OK;

    if (from)
        return add_unit_call(p, op, TT_VERB_SET, from, err);
    m = tt_feed_moves(p, p->score->member + g->first, g->n);
    if (!m)
        return tt_part_nomem(err);
    if (guess)
        take_guesses(p, g, m);
    else if (course)
        end_at_limits(p, g, m);
    /* a course through past values needs no new one */
    if (!course || (op->flags & TT_OP_INTERPOLATE))
        rc = add_moves(p, op, m, err);
    if (rc == TT_OK && !course)
        return add_batch(p, op, TT_VERB_SET, err);
    if (rc == TT_OK)
        rc = tt_bind_course(p, op, &c, err);
    return rc == TT_OK ? add_call(p, op, c, err) : rc;
}

/* An event at the end of one of several steps is the end of the macro step. */
static enum tt_call_result play_ends_early(const struct tt_call *c,
                                           struct tt_now *now)
{
    tt_unit *u = c->unit;
    struct tt_stepped last = tt_unit_last(u);

    if (!(last.flags & TT_STEP_EVENT) || last.reached >= now->t[TT_T1])
        return TT_CALL_OK;
    last.flags |= TT_STEP_EARLY;
    tt_unit_report(u, last);
    return TT_CALL_OUTCOME;
}

static enum tt_code bind_step(tt_part *p, const struct tt_op *op, tt_err *err)
{
    static const struct tt_what ends = {.fn = play_ends_early,
                                        .verb = TT_VERB_OTHER};
    const struct tt_span none = {0};
    struct tt_call c = {0}, look = {.what = &ends, .unit = p->unit[op->unit]};
    enum tt_code rc =
        tt_unit_bind(p->unit[op->unit], TT_VERB_STEP, &none, &c, err);

    if (rc == TT_OK)
        rc = add_call(p, op, c, err);
    if (rc == TT_OK && tt_bind_note(p, op->unit, &c))
        rc = add_call(p, op, c, err);
    if (rc != TT_OK || op->to == TT_T1 || !p->plan->unit[op->unit].events)
        return rc;
    return add_call(p, op, look, err);
}

/* --- steps begun ahead: units elsewhere step at the same time --------------
 */

static enum tt_call_result play_ahead(const struct tt_call *c,
                                      struct tt_now *now)
{
    tt_unit_ahead(c->unit, c, now);
    return TT_CALL_OK;
}

static int is_control(const struct tt_op *op)
{
    return op->code == TT_OP_LOOP || op->code == TT_OP_TIME ||
           op->code == TT_OP_SOLVE || op->code == TT_OP_END ||
           op->code == TT_OP_COMMIT;
}

/* The next operation of this unit, if the play is sure to get there: from op
 * `from` of the section on, before anything that turns or ends it. */
static const struct tt_op *next_of(const tt_part *p, int section, uint32_t from,
                                   uint32_t unit)
{
    const struct tt_op *op = &p->score->op[p->score->section[section].first];

    for (uint32_t k = from; k < p->score->section[section].n; k++) {
        if (is_control(&op[k]))
            return NULL;
        if (op[k].unit == unit)
            return &op[k];
    }
    return NULL;
}

/* Is there anything to do for another unit before that step? */
static enum tt_code bind_ahead(tt_part *p, int section, uint32_t from,
                               uint32_t unit, tt_err *err)
{
    const struct tt_op *step = next_of(p, section, from, unit);
    static const struct tt_what ahead = {.fn = play_ahead,
                                         .verb = TT_VERB_OTHER};
    struct tt_call c = {.what = &ahead};

    if (!step || step->code != TT_OP_STEP || !tt_unit_goes_ahead(p->unit[unit]))
        return TT_OK;
    c.unit = p->unit[unit];
    return add_call(p, step, c, err);
}

/* At the begin of a straight stretch, of all units that step in it before
 * anything else is done to them. */
static enum tt_code bind_all_ahead(tt_part *p, int section, uint32_t from,
                                   tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < p->plan->n_unit && rc == TT_OK; u++)
        rc = bind_ahead(p, section, from, u, err);
    return rc;
}

/* --- states: the slow lane ----------------------------------- */

struct state_call {
    tt_unit *unit;
    uint32_t reg, index;
    const tt_part *part;
};

static enum tt_call_result play_save(const struct tt_call *c,
                                     struct tt_now *now)
{
    const struct state_call *s = c->unit;

    return tt_unit_save(s->unit, s->reg, now->words) == TT_OK ? TT_CALL_OK
                                                              : TT_CALL_FAILED;
}

static enum tt_call_result play_restore(const struct tt_call *c,
                                        struct tt_now *now)
{
    const struct state_call *s = c->unit;

    if (s->part->kept &&
        tt_plan_stands_with(s->part->plan, s->part->kept - 1, s->index))
        return TT_CALL_OK;
    return tt_unit_restore(s->unit, s->reg, now->words) == TT_OK
               ? TT_CALL_OK
               : TT_CALL_FAILED;
}

static enum tt_code bind_state(tt_part *p, const struct tt_op *op, tt_err *err)
{
    struct state_call *s = tt_arena_alloc(p->arena, 1, sizeof(*s));
    static const struct tt_what save = {.fn = play_save, .verb = TT_VERB_OTHER},
                                restore = {.fn = play_restore,
                                           .verb = TT_VERB_OTHER};
    struct tt_call c = {.unit = s,
                        .what = op->code == TT_OP_SAVE ? &save : &restore};

    if (!s)
        return tt_part_nomem(err);
    *s = (struct state_call){p->unit[op->unit], op->arg, op->unit, p};
    return add_call(p, op, c, err);
}

static enum tt_code bind_loop(tt_part *p, const struct tt_op *op,
                              struct tt_loop **open, tt_err *err)
{
    struct tt_call c = {0};
    enum tt_code rc = TT_OK;

    if (op->code == TT_OP_LOOP)
        rc = tt_bind_loop(p, op, &c, open, err);
    else if (op->code == TT_OP_SOLVE)
        tt_bind_solve(&c, *open);
    else if (op->code == TT_OP_TIME)
        tt_bind_time(p, op, &c, *open);
    else
        tt_bind_end(&c, *open);
    if (op->code == TT_OP_END)
        *open = tt_loop_outer(*open);
    return rc == TT_OK ? add_call(p, op, c, err) : rc;
}

static enum tt_code bind_rest(tt_part *p, const struct tt_op *op, tt_err *err)
{
    struct tt_call c = {0};
    enum tt_code rc = tt_bind_watch(p, &c, err);

    if (rc == TT_OK)
        rc = add_call(p, op, c, err);
    if (rc != TT_OK || p->plan->n_course == 0)
        return rc;
    c = (struct tt_call){0};
    rc = tt_bind_commit(p, &c, err);
    return rc == TT_OK ? add_call(p, op, c, err) : rc;
}

static enum tt_code bind_op(tt_part *p, const struct tt_op *op,
                            struct tt_loop **open, tt_err *err)
{
    struct tt_call c = {0};
    enum tt_code rc;

    switch ((enum tt_op_code)op->code) {
    case TT_OP_GET:
        return add_batch(p, op, TT_VERB_GET, err);
    case TT_OP_SET:
        return bind_set(p, op, err);
    case TT_OP_TICK:
        return add_batch(p, op, TT_VERB_SET, err);
    case TT_OP_STEP:
        return bind_step(p, op, err);
    case TT_OP_SAVE:
    case TT_OP_RESTORE:
        return bind_state(p, op, err);
    case TT_OP_LOOP:
    case TT_OP_TIME:
    case TT_OP_SOLVE:
    case TT_OP_END:
        return bind_loop(p, op, open, err);
    case TT_OP_COMMIT:
        return bind_rest(p, op, err);
    case TT_OP_ENTER:
    case TT_OP_UPDATE:
    case TT_OP_INTERVAL:
    case TT_OP_LEAVE:
        tt_bind_event(&c);
        return add_call(p, op, c, err);
    case TT_OP_XFER:
        rc = tt_bind_xfer(p, op, &c, err);
        return rc == TT_OK ? add_call(p, op, c, err) : rc;
    }
    return tt_fail(err, TT_ESTATE, "binding the score: unknown operation");
}

/* Behind operation k of the section: steps that may begin now. The first turn
 * of a loop begins where it is no longer left out. */
static enum tt_code bind_behind(tt_part *p, int section, uint32_t k,
                                struct tt_loop *open, tt_err *err)
{
    const struct tt_op *op =
        &p->score->op[p->score->section[section].first + k];
    int later = op->flags & TT_OP_LATER, begins = 0;

    if (later && !(op[1].flags & TT_OP_LATER)) {
        tt_loop_first_turn(open, (uint32_t)p->n_call);
        begins = 1;
    }
    if (!p->elsewhere)
        return TT_OK;
    if (is_control(op) || begins)
        return bind_all_ahead(p, section, k + 1, err);
    if (op->unit != TT_NONE && op->code != TT_OP_STEP && !later)
        return bind_ahead(p, section, k + 1, op->unit, err);
    return TT_OK;
}

/* Where a run of nothing but sets and steps that begins at op `from` ends, in
 * which nothing is set after its unit has stepped. `stepped` has a mark per
 * unit; marks of other runs do not count. */
static uint32_t end_of_run(const tt_part *p, int section, uint32_t from,
                           uint32_t *stepped)
{
    const struct tt_op *op = &p->score->op[p->score->section[section].first];
    uint32_t k = from;

    for (; k < p->score->section[section].n; k++) {
        if (op[k].code == TT_OP_STEP)
            stepped[op[k].unit] = from + 1;
        else if (op[k].code != TT_OP_SET || (op[k].flags & TT_OP_LATER) ||
                 stepped[op[k].unit] == from + 1)
            break;
    }
    return k > from ? k : from + 1;
}

/* Ops `from` to `to`: a single one, or a run. A step changes no slot, so what
 * is set in a run can be set before all of its steps. Then all that step
 * elsewhere have begun before the first of them is waited for. */
static enum tt_code bind_run(tt_part *p, int section, uint32_t from,
                             uint32_t to, struct tt_loop **open, tt_err *err)
{
    const struct tt_op *op = &p->score->op[p->score->section[section].first];
    enum tt_code rc = TT_OK;

    for (int steps = 0; steps < 2; steps++)
        for (uint32_t k = from; k < to && rc == TT_OK; k++) {
            if ((op[k].code == TT_OP_STEP) != steps)
                continue;
            rc = bind_op(p, &op[k], open, err);
            if (rc == TT_OK)
                rc = bind_behind(p, section, k, *open, err);
        }
    return rc;
}

static enum tt_code bind_section(tt_part *p, int i, tt_err *err)
{
    struct tt_loop *open = NULL;
    uint32_t *stepped = NULL, to;
    struct tt_call c;
    enum tt_code rc = TT_OK;

    p->section[i].first = (uint32_t)p->n_call;
    if (p->elsewhere) {
        stepped = tt_arena_alloc(p->arena, p->plan->n_unit, sizeof(*stepped));
        rc = stepped ? bind_all_ahead(p, i, 0, err) : tt_part_nomem(err);
    }
    for (uint32_t k = 0; k < p->score->section[i].n && rc == TT_OK; k = to) {
        to = stepped ? end_of_run(p, i, k, stepped) : k + 1;
        rc = bind_run(p, i, k, to, &open, err);
    }
    p->section[i].n = (uint32_t)p->n_call - p->section[i].first;
    tt_bind_rest(p, (enum tt_section)i, &c);
    return rc == TT_OK ? append(p, TT_NONE, c, err) : rc;
}

/* The start is mostly the exchange up to its commit. */
static int shares_start(const tt_score *s)
{
    return s->section[TT_SEC_START].n &&
           s->section[TT_SEC_START].first == s->section[TT_SEC_EXCHANGE].first;
}

static void share_start(tt_part *p)
{
    uint32_t first = p->section[TT_SEC_EXCHANGE].first,
             n = p->section[TT_SEC_EXCHANGE].n,
             end = p->score->section[TT_SEC_START].first +
                   p->score->section[TT_SEC_START].n;

    while (n && p->op_of[first + n - 1] >= end)
        n--;
    p->section[TT_SEC_START].first = first;
    p->section[TT_SEC_START].n = n;
}

/* Give back the room that growing took in advance. */
static enum tt_code fit(tt_part *p, tt_err *err)
{
    size_t n = p->n_call + TT_CALLS_AHEAD;
    struct tt_call *call = tt_resize(p->call, n, sizeof(*call));
    uint32_t *op_of;

    if (!call)
        return tt_part_nomem(err);
    p->call = call;
    op_of = tt_resize(p->op_of, n, sizeof(*op_of));
    if (!op_of)
        return tt_part_nomem(err);
    p->op_of = op_of;
    return TT_OK;
}

/* The exchange right behind the step: mostly the two are played at once. */
static enum tt_code bind_all(tt_part *p, tt_err *err)
{
    static const enum tt_section order[TT_SEC_N] = {
        TT_SEC_INIT,  TT_SEC_BEGIN, TT_SEC_STEP,  TT_SEC_EXCHANGE,
        TT_SEC_LAST,  TT_SEC_UNDO,  TT_SEC_AGAIN, TT_SEC_START,
        TT_SEC_EVENT, TT_SEC_LEAVE, TT_SEC_RHS};
    enum tt_code rc = TT_OK;

    for (int i = 0; i < TT_SEC_N && rc == TT_OK; i++)
        if (order[i] == TT_SEC_START && shares_start(p->score))
            share_start(p);
        else
            rc = bind_section(p, (int)order[i], err);
    for (int i = 0; i < TT_CALLS_AHEAD && rc == TT_OK; i++)
        rc = append(p, TT_NONE, p->call[p->n_call - 1], err);
    if (rc == TT_OK)
        p->n_call -= TT_CALLS_AHEAD; /* looked at, never made */
    if (rc == TT_OK && p->events)
        rc = tt_bind_events(p, err);
    return rc == TT_OK ? fit(p, err) : rc;
}

/* Inputs whose values in the frame are looked at: they are not set straight
 * from their sources. */
static void mark_own_values(tt_part *p)
{
    const tt_plan *plan = p->plan;

    for (uint32_t i = 0; i < plan->n_column; i++)
        p->own_value[plan->column[i].slot] = 1;
    for (uint32_t i = 0; i < plan->n_course; i++)
        p->own_value[plan->course[i].slot] = 1;
    for (uint32_t i = 0; i < plan->n_watch; i++)
        p->own_value[plan->watch[i].slot] = 1;
    for (uint32_t i = 0; i < 2 * plan->n_bond; i++)
        p->own_value[plan->bond[i / 2].in[i % 2]] = 1;
    for (uint32_t i = 0; i < plan->n_port; i++)
        if (plan->port[i].slot != TT_NONE)
            p->own_value[plan->port[i].slot] = 1;
    for (uint32_t i = 0; plan->n_event && i < plan->n_feed; i++)
        p->own_value[plan->feed[i].to] = 1;
}

/* Where the memory of solvers begins, from the first value on. */
static size_t solvers_at(const tt_plan *p)
{
    return (p->frame_size + 7) / 8 * 8;
}

struct tt_part_blocks tt_part_reserve(struct tt_frame_layout *l,
                                      const tt_score *const *s, uint32_t n)
{
    const tt_plan *plan = s[0]->plan;
    size_t bytes = sizeof(struct tt_values) + solvers_at(plan);

    for (uint32_t i = 0; i < n; i++)
        bytes += tt_solver_bytes(s[i]);
    return (struct tt_part_blocks){
        .values = tt_frame_reserve(l, TT_REGION_STEP, "values", bytes),
        .counts = tt_frame_reserve(l, TT_REGION_RUN, "loops",
                                   sizeof(struct tt_part_counts)),
        .events = plan->n_event ? tt_frame_reserve(l, TT_REGION_STEP, "events",
                                                   tt_events_size(plan))
                                : TT_NONE};
}

static int allocate(tt_part *p, tt_unit *const *units, const tt_part *beside)
{
    const tt_plan *plan = p->plan;

    p->solver_used = beside ? beside->solver_used : solvers_at(plan);
    p->arena = tt_arena_new();
    if (!p->arena || !TT_NEW_ARRAY(p->own_value, plan->n_slot) ||
        !TT_NEW_ARRAY(p->unit, plan->n_unit) ||
        !TT_NEW_ARRAY(p->guess_at, p->score->n_solver ? plan->n_slot : 0))
        return 0;
    if (beside)
        p->spent = beside->spent;
    else if (!TT_NEW_ARRAY(p->spent, plan->n_unit + 1))
        return 0;
    if (plan->n_unit)
        memcpy(p->unit, units, plan->n_unit * sizeof(*units));
    for (uint32_t u = 0; u < plan->n_unit; u++)
        p->elsewhere |= tt_unit_goes_ahead(units[u]);
    if (!tt_waves_new(p))
        return 0;
    mark_own_values(p);
    if (p->events && !beside)
        tt_events_init(p->events, plan);
    return 1;
}

enum tt_code tt_part_new(tt_part **out, const tt_score *s,
                         tt_unit *const *units, const struct tt_part_place *at,
                         tt_err *err)
{
    tt_part *p;
    enum tt_code rc;

    if (!TT_NEW(p))
        return tt_part_nomem(err);
    p->score = s;
    p->plan = s->plan;
    p->now = at->now;
    p->turn = (struct tt_turn){.now = p->now, .unit_cb = tt_unit_at, .ctx = p};
    p->bend = TT_BEND_NONE;
    p->beside = at->beside != NULL;
    p->cold = p->beside ? at->beside->cold : &p->own_cold;
    p->now->words = p->cold;
    p->trails_taken = at->trails_taken;
    p->values = tt_frame_at(at->frame, at->block.values);
    p->counts = tt_frame_at(at->frame, at->block.counts);
    if (s->plan->n_event)
        p->events = tt_frame_at(at->frame, at->block.events);
    rc = at->link ? tt_ranks_new(p, at->link, err) : TT_OK;
    if (rc == TT_OK)
        rc = allocate(p, units, at->beside) ? bind_all(p, err)
                                            : tt_part_nomem(err);
    return TT_HAND_OVER(rc, out, p, tt_part_free);
}

void tt_part_free(tt_part *p)
{
    if (!p)
        return;
    tt_team_free(p->team);
    tt_ranks_free(p->ranks);
    tt_levels_free(p->levels);
    tt_arena_free(p->arena);
    if (!p->beside)
        tt_free(p->spent);
    TT_FREE_ALL(p->call, p->op_of, p->own_value, p->guess_at, p->unit,
                p->incoming, p->cost, p->stepped_by, p);
}
