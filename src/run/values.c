/* SPDX-License-Identifier: MIT */
/* A run looked at, and its units' values read and set, from outside. */
#include <math.h>
#include <string.h>

#include "player/event.h"
#include "run/run.h"
#include "run/run_impl.h"

const tt_plan *tt_run_plan(const tt_run *r)
{
    return r->plan;
}

const tt_score *tt_run_score(const tt_run *r)
{
    return r->score;
}

tt_texts *tt_run_texts(const tt_run *r)
{
    return r->texts;
}

const tt_part *tt_run_part(const tt_run *r)
{
    return r->part;
}

int tt_run_failed_alone(const tt_run *r)
{
    return r->alone;
}

enum tt_run_why tt_run_why(const tt_run *r)
{
    return r->why;
}

double tt_run_time(const tt_run *r)
{
    return r->agenda->t;
}

uint64_t tt_run_steps(const tt_run *r)
{
    return run_steps(r);
}

uint64_t tt_run_rows(const tt_run *r)
{
    return r->memory->rows;
}

const struct tt_notes *tt_run_notes(const tt_run *r)
{
    return &r->notes;
}

const char *tt_run_sentence(const tt_run *r)
{
    return r->sentence;
}

uint32_t tt_run_units(const tt_run *r)
{
    return r->plan->n_unit;
}

struct tt_part_stats tt_run_stats(const tt_run *r)
{
    struct tt_part_stats s = {0};

    if (!r->part)
        return s;
    s = tt_part_stats(r->part);
    s.evaluations -= r->memory->evaluations;
    s.unconverged -= r->memory->unconverged;
    return s;
}

struct tt_run_unit tt_run_unit(const tt_run *r, uint32_t unit)
{
    const struct tt_plan_unit *p = &r->plan->unit[unit];
    struct tt_run_unit u = {.name = p->name,
                            .kind = p->desc->kind,
                            .model = p->desc->model,
                            .consistent = p->consistent,
                            .share = (double)NAN};
    uint64_t total = 0;
    const uint64_t *spent = r->part ? tt_part_time(r->part, &total) : NULL;

    if (total)
        u.share = (double)spent[unit] / (double)total;
    if (r->unit && r->unit[unit]) {
        u.steps = r->part && tt_part_idles(r->part) ? run_steps(r)
                                                    : r->unit[unit]->n_step;
        u.max_lag = r->unit[unit]->max_lag;
    }
    return u;
}

enum tt_code tt_run_get(tt_run *r, uint32_t unit, uint32_t port, void *value,
                        tt_err *err)
{
    struct tt_span s = {.port = &port, .n = 1, .value = value};
    enum tt_code rc;

    if (!r->unit || !r->unit[unit] || r->phase != PHASE_STARTED)
        return tt_fail(err, TT_ESTATE, "the run is not playing");
    rc = tt_part_event_put_back(r->part, err);
    if (rc == TT_OK)
        rc = tt_part_get(r->part, unit, &s, err);
    tt_activity_clear(r->activity);
    return rc;
}

enum tt_code tt_run_set(tt_run *r, uint32_t unit, uint32_t port,
                        const void *value, tt_err *err)
{
    size_t size = tt_port_size(&r->plan->unit[unit].desc->port[port]);
    struct tt_span s = {.port = &port, .n = 1};
    enum tt_code rc;

    if (!r->unit || !r->unit[unit] || r->phase != PHASE_STARTED)
        return tt_fail(err, TT_ESTATE, "the run is not playing");
    s.value = tt_alloc(size);
    if (!s.value)
        return run_nomem(err);
    memcpy(s.value, value, size);
    rc = tt_part_event_put_back(r->part, err);
    if (rc == TT_OK)
        rc = tt_unit_set(r->unit[unit], &s, err);
    tt_activity_clear(r->activity);
    tt_free(s.value);
    return rc;
}
