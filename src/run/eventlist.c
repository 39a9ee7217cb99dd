/* SPDX-License-Identifier: MIT */
/* Events that instances put out, reported microstep by microstep. */
#include "player/event.h"
#include "run/run_impl.h"

enum tt_code run_list_events(tt_run *r, tt_err *err)
{
    uint32_t n = 0;

    if ((!r->opts.event_cb && !r->confluence) || !tt_part_events(r->part))
        return TT_OK;
    for (uint32_t s = 0; s < r->plan->n_slot; s++)
        n += tt_plan_is_event(r->plan, s) ? 1 : 0;
    if (!TT_NEW_IN(r->arena, r->listed, n))
        return run_nomem(err);
    for (uint32_t s = 0; s < r->plan->n_slot; s++)
        if (tt_plan_is_event(r->plan, s))
            r->listed[r->n_listed++] = s;
    return TT_OK;
}

void run_report_events(tt_run *r)
{
    const uint8_t *flag = tt_events_flag(tt_part_events(r->part));

    if (r->replaying)
        return;
    for (uint32_t i = 0; i < r->n_listed && (r->order || r->opts.event_cb);
         i++) {
        const struct tt_slot *s = &r->plan->slot[r->listed[i]];
        struct tt_run_event e = {.at = {r->agenda->t, run_microstep(r)},
                                 .instance = r->plan->unit[s->unit].name,
                                 .port =
                                     tt_plan_port(r->plan, r->listed[i])->name,
                                 .type = s->type,
                                 .value = tt_part_value(r->part, r->listed[i])};

        if (!flag[tt_flag_of_slot(r->plan, r->listed[i])])
            continue;
        if (r->order)
            run_take_tried(r, &e);
        else
            r->opts.event_cb(r->opts.event_ctx, &e);
    }
}

void tt_run_list_no_more(tt_run *r)
{
    r->opts.event_cb = NULL;
}
