/* SPDX-License-Identifier: MIT */
#include "plan/plan.h"

#include <stdio.h>
#include <string.h>

#include "plan/plan_impl.h"

enum tt_code plan_nomem(tt_err *err)
{
    return tt_nomem(err, "planning the scenario");
}

int plan_pass(struct build *b, enum tt_code rc, const tt_err *err)
{
    if (rc == TT_OK)
        return 1;
    if (!tt_log_problem(b->log, rc, err))
        return 0;
    b->passed = 1;
    return 1;
}

void tt_notes_add(struct tt_notes *n, tt_arena *arena, const struct tt_log *log,
                  const char *topic, const char *fmt, va_list ap)
{
    char text[TT_ERR_MAX];
    struct tt_note note = {0};

    vsnprintf(text, sizeof(text), fmt, ap);
    note.topic = tt_arena_strdup(arena, topic);
    note.text = tt_arena_strdup(arena, text);
    if (!note.topic || !note.text || TT_GROW(n->note, n->n, n->cap))
        return;
    n->note[n->n++] = note;
    tt_log(log, TT_LOG_NOTE, "%s: %s", topic, text);
}

void tt_plan_note(tt_plan *p, const char *topic, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    tt_notes_add(&p->notes, p->arena, p->log, topic, fmt, ap);
    va_end(ap);
}

const struct tt_port *tt_plan_port(const tt_plan *p, uint32_t slot)
{
    const struct tt_slot *s = &p->slot[slot];

    return &p->unit[s->unit].desc->port[s->port];
}

void tt_plan_brief(const tt_plan *p, struct tt_brief *out)
{
    tt_brief_init(out);
    for (uint32_t u = 0; u < p->n_unit; u++)
        tt_brief_add(out, p->unit[u].name);
}

const char *tt_plan_slot_name(const tt_plan *p, uint32_t slot, char *out,
                              size_t size)
{
    snprintf(out, size, "%s.%s", p->unit[p->slot[slot].unit].name,
             tt_plan_port(p, slot)->name);
    return out;
}

struct tt_plan_inputs tt_plan_inputs_of(const tt_plan *p, uint32_t out,
                                        int init)
{
    const struct tt_slot *o = &p->slot[out];
    const struct tt_desc *d = p->unit[o->unit].desc;
    const struct tt_plan_deps *deps = &p->deps[!!init];

    return (struct tt_plan_inputs){
        .known = (init ? d->init : d->run)[o->port].known,
        .slot = deps->in + deps->first[out],
        .n = deps->first[out + 1] - deps->first[out],
    };
}

/* Consistent exchange needs a unit that evaluates; only the scenario can state
 * so for one that does not by itself (FMI 2.0.5, 4.2.4). */
static void choose_exchange(struct tt_plan_unit *u, int given)
{
    int evaluates = given >= 0 ? given : (int)u->desc->caps.evaluates;

    u->consistent = evaluates == (int)TT_EVAL_ALWAYS;
}

#define MOST_NOTED 8 /* units of one type, each with a note of its own */

static void note_one(tt_plan *p, const struct tt_plan_unit *u,
                     const char *called, uint32_t n, int given)
{
    static const char *const declared[] = {
        [TT_EVAL_NEVER] =
            "does not declare that outputs may be read after setting",
        [TT_EVAL_EVENT] = "evaluates in event mode only",
        [TT_EVAL_ALWAYS] = "declares that it evaluates without a step",
    };
    char units[32] = "";

    if (n > 1)
        snprintf(units, sizeof(units), ", %u instances", n);
    tt_plan_note(p, "exchange", "%s: %s%s (%s)", called,
                 u->consistent ? "consistent" : "standard", units,
                 given >= 0 ? "set in the scenario"
                            : declared[u->desc->caps.evaluates]);
}

/* A crowd of one type is reported once. */
static enum tt_code note_exchange(struct build *b, tt_err *err)
{
    const tt_scenario *s = b->sc;
    uint32_t *n = tt_zalloc(s->n_fmu, sizeof(*n));

    if (!n)
        return plan_nomem(err);
    for (uint32_t i = 0; i < s->n_unit; i++)
        n[s->unit[i].fmu] += s->unit[i].evaluates < 0;
    for (uint32_t i = 0; i < s->n_unit; i++) {
        uint32_t fmu = s->unit[i].fmu, crowd = n[fmu];
        const struct tt_plan_unit *u = &b->plan->unit[i];
        int given = s->unit[i].evaluates;

        if (!u->desc)
            continue;
        if (given >= 0 || (crowd && crowd <= MOST_NOTED))
            note_one(b->plan, u, u->name, 1, given);
        else if (crowd) {
            note_one(b->plan, u, s->fmu[fmu].key, crowd, given);
            n[fmu] = 0; /* the others are reported */
        }
    }
    tt_free(n);
    return TT_OK;
}

static enum tt_code make_units(struct build *b,
                               const struct tt_desc *const *desc, tt_err *err)
{
    tt_plan *p = b->plan;
    const tt_scenario *s = b->sc;

    if (s->decided)
        tt_plan_note(p, "structure", "%s", s->decided);
    p->n_unit = s->n_unit;
    if (!TT_NEW_IN(p->arena, p->unit, s->n_unit) ||
        !TT_NEW_IN(p->arena, b->mark, s->n_unit) ||
        !TT_NEW_IN(p->arena, b->slot_of, s->n_unit) ||
        !TT_NEW_IN(p->arena, b->n_feed, s->n_unit))
        return plan_nomem(err);
    for (uint32_t i = 0; i < s->n_unit; i++) {
        const struct tt_desc *d = desc[s->unit[i].fmu];

        p->unit[i] = (struct tt_plan_unit){
            .name = s->unit[i].name,
            .instance = s->unit[i].instance,
            .fmu = s->unit[i].fmu,
            .desc = d,
        };
        if (d)
            choose_exchange(&p->unit[i], s->unit[i].evaluates);
    }
    return note_exchange(b, err);
}

/* When it is known which ports there are. */
static enum tt_code make_marks(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;

    for (uint32_t i = 0; i < p->n_unit; i++) {
        const struct tt_desc *d = p->unit[i].desc;

        if (!d)
            continue;
        b->mark[i] = tt_arena_alloc(p->arena, d->n_port, 1);
        b->slot_of[i] =
            tt_arena_alloc(p->arena, d->n_port, sizeof(**b->slot_of));
        b->n_feed[i] = tt_arena_alloc(p->arena, d->n_port, sizeof(**b->n_feed));
        if (!b->mark[i] || !b->slot_of[i] || !b->n_feed[i])
            return plan_nomem(err);
        memset(b->slot_of[i], 0xff, d->n_port * sizeof(**b->slot_of));
    }
    return TT_OK;
}

/* Offsets in the frame have 32 bits. */
static enum tt_code check_frame(struct build *b, tt_err *err)
{
    if (b->plan->frame_size <= UINT32_MAX)
        return TT_OK;
    return tt_fail(err, TT_EUNSUPPORTED,
                   "connected and recorded values take %zu bytes, more than "
                   "4 GiB",
                   b->plan->frame_size);
}

static enum tt_code has_problems(tt_err *err)
{
    return tt_fail(err, TT_EINPUT, "the scenario has problems");
}

static int all_known(const struct build *b)
{
    for (uint32_t i = 0; i < b->plan->n_unit; i++)
        if (!b->plan->unit[i].desc)
            return 0;
    return 1;
}

/* There will be no plan, but connections and values can be looked at. */
static enum tt_code judge(struct build *b, tt_err *err)
{
    enum tt_code rc = plan_connect(b, err);

    if (rc == TT_OK)
        rc = plan_start_values(b, err);
    return rc == TT_OK ? has_problems(err) : rc;
}

static enum tt_code lay_out(struct build *b, tt_err *err)
{
    enum tt_code rc;

    plan_mark_clocks(b);
    rc = plan_layout(b, err);
    if (rc == TT_OK)
        plan_port_slots(b);
    return rc;
}

static enum tt_code adjust(struct build *b, tt_err *err)
{
    plan_note_sizes(b);
    return plan_adjust(b, err);
}

/* The stages of a plan; a NULL ends them. */
static plan_stage *const of_units[] = {
    plan_late,     plan_terminals, plan_bare,  plan_sizes,
    plan_sleepers, plan_elements,  make_marks, NULL};

/* Each relies on those before it. */
static plan_stage *const of_values[] = {
    plan_check_located,
    plan_connect,
    plan_measure,
    plan_ports,
    plan_mark_recorded,
    plan_mark_watched,
    plan_mark_script,
    plan_mark_expected,
    lay_out,
    plan_feeds,
    plan_dependencies,
    plan_rates,
    plan_together,
    plan_events,
    plan_clocks,
    plan_discrete,
    plan_bonds,
    plan_budgets,
    plan_reactivity,
    plan_watch,
    plan_quanta,
    plan_check_late,
    plan_expect,
    plan_courses,
    check_frame,
    plan_start_values,
    plan_script,
    adjust,
    plan_columns,
    NULL,
};

static enum tt_code pass_through(struct build *b, plan_stage *const *next,
                                 tt_err *err)
{
    enum tt_code rc = TT_OK;

    while (rc == TT_OK && *next)
        rc = (*next++)(b, err);
    return rc;
}

static enum tt_code build(struct build *b, const struct tt_desc *const *desc,
                          tt_err *err)
{
    enum tt_code rc = make_units(b, desc, err);

    if (rc == TT_OK)
        rc = pass_through(b, of_units, err);
    if (rc == TT_OK && !all_known(b))
        return judge(b, err);
    if (rc == TT_OK) {
        rc = plan_experiment(b, err);
        if (rc != TT_OK && plan_pass(b, rc, err))
            return judge(b, err);
    }
    if (rc == TT_OK)
        rc = pass_through(b, of_values, err);
    return rc == TT_OK && b->passed ? has_problems(err) : rc;
}

/* "{outer}.a/{inner}.b" */
static enum tt_code name_within(tt_plan *p, const char *within, tt_err *err)
{
    for (uint32_t u = 0; u < p->n_unit; u++) {
        size_t n = strlen(within) + 1 + strlen(p->unit[u].name) + 1;
        char *name = tt_arena_alloc(p->arena, n, 1);

        if (!name)
            return plan_nomem(err);
        snprintf(name, n, "%s/%s", within, p->unit[u].name);
        p->unit[u].name = name;
    }
    return TT_OK;
}

enum tt_code tt_plan_new(tt_plan **out, const tt_scenario *s,
                         const struct tt_desc *const *desc,
                         const struct tt_log *log, tt_err *err)
{
    return tt_plan_new_within(out, NULL, s, desc, log, err);
}

enum tt_code tt_plan_new_within(tt_plan **out, const char *within,
                                const tt_scenario *s,
                                const struct tt_desc *const *desc,
                                const struct tt_log *log, tt_err *err)
{
    tt_plan *p;
    struct build b = {.sc = s, .log = log};
    enum tt_code rc;

    if (!TT_NEW(p))
        return plan_nomem(err);
    p->arena = tt_arena_new();
    p->texts = tt_texts_new();
    p->scenario = s;
    p->log = log;
    b.plan = p;
    rc = p->arena && p->texts ? build(&b, desc, err) : plan_nomem(err);
    if (rc == TT_OK && within)
        rc = name_within(p, within, err);
    return TT_HAND_OVER(rc, out, p, tt_plan_free);
}

void tt_plan_free(tt_plan *p)
{
    if (!p)
        return;
    tt_free(p->notes.note);
    tt_texts_free(p->texts);
    tt_arena_free(p->arena);
    tt_free(p);
}
