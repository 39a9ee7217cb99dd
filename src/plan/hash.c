/* SPDX-License-Identifier: MIT */
/* What distinguishes plans whose states must not be mixed up. */
#include <string.h>

#include "base/hash.h"
#include "plan/plan.h"

static uint64_t add_text(uint64_t h, const char *s)
{
    return tt_hash(h, s ? s : "", s ? strlen(s) + 1 : 1);
}

static uint64_t add_number(uint64_t h, uint64_t n)
{
    return tt_hash(h, &n, sizeof(n));
}

static uint64_t add_double(uint64_t h, double x)
{
    return tt_hash(h, &x, sizeof(x));
}

static uint64_t add_clauses(uint64_t h, const struct tt_sc_unit *u)
{
    for (uint32_t i = 0; i < u->n_clause; i++)
        h = add_text(h, u->clause[i].text);
    return h;
}

static uint64_t add_units(uint64_t h, const tt_plan *p)
{
    for (uint32_t u = 0; u < p->n_unit; u++) {
        const struct tt_plan_unit *one = &p->unit[u];

        h = add_text(h, p->scenario->unit[u].name);
        h = add_clauses(h, &p->scenario->unit[u]);
        h = add_text(h, one->desc->kind);
        h = add_text(h, one->desc->model);
        h = add_number(h, one->desc->n_port);
        h = add_number(h, one->rate);
        h = add_number(h, one->substeps.n);
        h = add_double(add_number(h, one->quantum.most), one->quantum.size);
    }
    return h;
}

static uint64_t add_values(uint64_t h, const tt_plan *p)
{
    for (uint32_t i = 0; i < p->n_slot; i++) {
        const struct tt_slot *s = &p->slot[i];

        h = add_number(h, (uint64_t)s->unit << 32 | s->port);
        h = add_number(h, (uint64_t)s->offset << 32 | s->type);
    }
    for (uint32_t i = 0; i < p->n_feed; i++) {
        const struct tt_feed *f = &p->feed[i];

        h = add_number(h, (uint64_t)f->from << 32 | f->to);
        h = add_double(add_double(h, f->factor), f->offset);
        if (!f->map)
            continue;
        h = add_double(add_double(h, f->map->factor), f->map->offset);
        h = tt_hash(h, f->map->map, f->map->n_map * sizeof(*f->map->map));
    }
    for (uint32_t i = 0; i < p->n_course; i++)
        h = add_number(h, (uint64_t)p->course[i].slot << 32 |
                              (uint64_t)p->course[i].depth << 16 |
                              (uint64_t)p->course[i].kind << 8 |
                              p->course[i].order);
    return h;
}

static uint64_t add_start(uint64_t h, const tt_plan *p)
{
    for (uint32_t i = 0; i < p->n_start; i++) {
        const struct tt_start *s = &p->start[i];
        const struct tt_port *port = &p->unit[s->unit].desc->port[s->port];

        h = add_number(h, (uint64_t)s->unit << 32 | s->port);
        h = tt_hash(h, s->value, tt_port_size(port));
    }
    return h;
}

static uint64_t add_crossings(uint64_t h, const tt_plan *p)
{
    for (uint32_t i = 0; i < p->n_locate; i++) {
        const struct tt_sc_locate *l = p->locate[i].given;

        h = add_text(h, p->scenario->fmu[p->unit[l->unit].fmu].path);
        h = add_number(h, (uint64_t)l->up << 1 | (uint64_t)l->down);
        h = add_double(h, l->tolerance);
    }
    return h;
}

static uint64_t add_time(uint64_t h, const tt_plan *p)
{
    h = add_double(add_double(h, p->experiment.start), p->experiment.end);
    h = add_double(add_double(h, p->step), p->experiment.tolerance);
    h = add_double(add_double(h, p->step_min), p->step_max);
    return add_number(h, (uint64_t)p->dialect);
}

static uint64_t add_ratio(uint64_t h, struct tt_ratio r)
{
    return add_number(add_number(h, r.num), r.den);
}

static uint64_t add_clocks(uint64_t h, const tt_plan *p)
{
    for (uint32_t i = 0; i < p->n_clock; i++) {
        const struct tt_plan_clock *c = &p->clock[i];

        h = add_ratio(add_ratio(h, c->period), c->shift);
    }
    for (uint32_t i = 0; i < p->n_timing; i++) {
        const struct tt_plan_timing *t = &p->timing[i];

        h = add_number(h, (uint64_t)t->unit << 32 | t->port);
        h = add_ratio(add_ratio(h, t->period), t->shift);
    }
    return h;
}

uint64_t tt_plan_hash_timeless(const tt_plan *p)
{
    uint64_t h = add_units(TT_HASH_START, p);

    h = add_clocks(add_values(h, p), p);
    return add_crossings(add_start(h, p), p);
}

uint64_t tt_plan_hash(const tt_plan *p)
{
    return add_time(tt_plan_hash_timeless(p), p);
}
