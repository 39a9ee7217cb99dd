/* SPDX-License-Identifier: MIT */
#include "player/testing.h"

#include <string.h>

#include "unit/substep.h"

static enum tt_code set_start_values(struct tt_rig *r)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < r->plan->n_start && rc == TT_OK; i++) {
        const struct tt_start *s = &r->plan->start[i];
        unsigned char copy[8192];
        struct tt_span span = {.port = &s->port, .n = 1, .value = copy};
        size_t n = tt_port_size(&r->plan->unit[s->unit].desc->port[s->port]);

        TT_ASSERT(n <= sizeof(copy));
        memcpy(copy, s->value, n);
        rc = tt_unit_set(r->unit[s->unit], &span, &r->err);
    }
    return rc;
}

static enum tt_code make_units(struct tt_rig *r, tt_unit_type *const *type)
{
    enum tt_code rc = TT_OK;

    TT_ASSERT(r->plan->n_unit <= TT_RIG_UNITS);
    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++) {
        const struct tt_plan_unit *pu = &r->plan->unit[u];
        struct tt_make m = {
            .name = pu->name, .instance = pu->instance, .want_course = 1};

        rc = type[pu->fmu]->kind->make(&r->unit[u], type[pu->fmu], &m, &r->err);
        if (rc == TT_OK && pu->substeps.n) {
            tt_unit *inner = r->unit[u];

            r->unit[u] = NULL;
            rc = tt_substep_new(&r->unit[u], inner, pu->substeps, &m, &r->err);
        }
    }
    if (rc == TT_OK)
        rc = set_start_values(r);
    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = tt_unit_configure(r->unit[u], &r->err);
    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = tt_unit_enter_init(r->unit[u], &r->plan->experiment, &r->err);
    return rc;
}

static enum tt_code play(struct tt_rig *r, enum tt_section section)
{
    return r->timed ? tt_part_play_timed(r->part, section, &r->halt, &r->err)
                    : tt_part_play(r->part, section, &r->halt, &r->err);
}

static enum tt_code make_part(struct tt_rig *r)
{
    struct tt_frame_layout l = {.n_block = 0};
    enum tt_code rc;

    r->place.block = tt_part_reserve(&l, &r->score, 1);
    rc = tt_frame_new(&r->frame, &l, &r->err);
    r->place.frame = r->frame;
    r->place.now = &r->now;
    if (rc != TT_OK)
        return rc;
    return tt_part_new(&r->part, r->score, r->unit, &r->place, &r->err);
}

void *tt_rig_values(const struct tt_rig *r, size_t *n)
{
    *n = tt_frame_layout(r->frame)->block[r->place.block.values].n;
    return tt_frame_at(r->frame, r->place.block.values);
}

enum tt_code tt_rig_start(struct tt_rig *r, tt_plan *p, const tt_score *s,
                          tt_unit_type *const *type)
{
    int timed = r->timed;
    enum tt_code rc;

    *r = (struct tt_rig){.plan = p, .score = s, .timed = timed};
    r->now.t[TT_T0] = r->now.t[TT_T1] = p->experiment.start;
    rc = make_units(r, type);
    if (rc == TT_OK)
        rc = make_part(r);
    if (rc == TT_OK)
        rc = play(r, TT_SEC_INIT);
    for (uint32_t u = 0; u < p->n_unit && rc == TT_OK; u++)
        rc = tt_unit_exit_init(r->unit[u], &r->err);
    for (uint32_t u = 0; u < p->n_unit && rc == TT_OK; u++)
        rc = tt_unit_prepare(r->unit[u], s->n_state, &r->err);
    return rc == TT_OK ? tt_part_rates(r->part, &r->err) : rc;
}

enum tt_code tt_rig_step(struct tt_rig *r, double h)
{
    struct tt_halt first;
    enum tt_code rc;

    r->now.t[TT_T0] = r->now.t[TT_T1];
    r->now.t[TT_T1] += h;
    r->now.h[TT_T1] = h;
    rc = play(r, TT_SEC_STEP);
    first = r->halt;
    if (rc == TT_OK && !first.unit)
        rc = play(r, TT_SEC_EXCHANGE);
    r->halt = first;
    return rc;
}

void tt_rig_fini(struct tt_rig *r)
{
    tt_part_free(r->part);
    tt_frame_free(r->frame);
    for (uint32_t u = 0; r->plan && u < r->plan->n_unit; u++)
        tt_unit_free(r->unit[u]);
}

void tt_rig_get(struct tt_rig *r, uint32_t slot, void *value)
{
    const struct tt_slot *s = &r->plan->slot[slot];
    struct tt_span span = {.port = &s->port, .n = 1, .value = value};

    TT_ASSERT(tt_unit_get(r->unit[s->unit], &span, &r->err) == TT_OK);
}

double tt_rig_number(struct tt_rig *r, uint32_t slot)
{
    unsigned char value[8192];

    TT_ASSERT(tt_port_size(tt_plan_port(r->plan, slot)) <= sizeof(value));
    tt_rig_get(r, slot, value);
    return tt_value_as_double(r->plan->slot[slot].type, value);
}

void tt_rig_types(const struct tt_stand *st, tt_unit_type **type)
{
    for (uint32_t i = 0; i < st->scenario->n_fmu; i++)
        for (uint32_t k = 0; k < st->n_of; k++)
            if (strcmp(st->of[k].key, st->scenario->fmu[i].key) == 0)
                type[i] = st->of[k].type;
}

enum tt_code tt_rig_perform(struct tt_rig *r, struct tt_stand *st,
                            tt_score **score, const char *json)
{
    tt_unit_type *type[TT_STAND_KEYS] = {0};
    enum tt_code rc = tt_stand_plan(st, json);

    if (rc != TT_OK) {
        r->err = st->err;
        return rc;
    }
    rc = tt_score_new(score, st->plan, &r->err);
    tt_rig_types(st, type);
    return rc == TT_OK ? tt_rig_start(r, st->plan, *score, type) : rc;
}
