/* SPDX-License-Identifier: MIT */
/* Masters whose units step one by one: what Jacobi and Gauss-Seidel share. */
#include "score/write.h"

/* Jacobi: everyone steps on the values of T0, but inputs that declare
 * themselves reactive. Gauss-Seidel: a unit that comes later sees the new
 * values of earlier ones, but inputs that declare themselves delayed. */
static void choose_reactive(const struct tt_draft *w, const uint32_t *order,
                            const uint32_t *component, uint32_t *rank,
                            uint8_t *reactive)
{
    const tt_plan *p = w->plan;

    for (uint32_t i = 0; i < p->n_unit; i++)
        rank[order[i]] = i;
    for (uint32_t f = 0; f < p->n_feed; f++) {
        const struct tt_slot *to = &p->slot[p->feed[f].to];
        uint32_t from = p->slot[p->feed[f].from].unit;
        int later = rank[from] < rank[to->unit];
        /* between repeated components the new value is there, whatever the
         * master */
        int across = component && tt_write_iterates(p) &&
                     component[from] != component[to->unit];

        reactive[p->feed[f].to] = !to->event_only && !tt_plan_flows(p, f) &&
                                  (to->reactivity == TT_REACT_REACTIVE ||
                                   ((w->sequential || across) && later &&
                                    to->reactivity == TT_REACT_EITHER));
    }
}

static void note_order(struct tt_draft *w, const uint32_t *order)
{
    struct tt_buf text;

    if (!w->sequential)
        return;
    tt_buf_init(&text, 1024);
    for (uint32_t i = 0; i < w->plan->n_unit && i < 12; i++)
        tt_buf_fmt(&text, "%s%s", i ? " -> " : "",
                   w->plan->unit[order[i]].name);
    if (w->plan->n_unit > 12)
        tt_buf_str(&text, " -> ...");
    if (!text.failed)
        tt_write_note(w, "order", "%s (%s)", text.data,
                      w->given ? "given"
                               : "derived: feeding instances step first");
    tt_buf_fini(&text);
}

static int repeats(const tt_plan *p)
{
    int repeats = tt_write_iterates(p);

    for (uint32_t u = 0; u < p->n_unit && !repeats; u++)
        repeats = p->unit[u].desc->caps.implicit;
    return repeats;
}

static enum tt_code write_all(struct tt_draft *w, struct tt_stepping *how,
                              uint32_t *order, uint32_t *component,
                              uint32_t *rank, uint8_t *reactive, tt_err *err)
{
    enum tt_code rc = tt_write_order(w, order, err);

    if (rc == TT_OK && repeats(w->plan)) {
        rc = tt_write_repeated(w, order, component, err);
        w->component = how->component = component;
    }
    if (rc == TT_OK)
        rc = tt_write_arrange(w, order, err);
    if (rc == TT_OK)
        rc = tt_write_order_notes(w, order, err);
    if (rc != TT_OK)
        return rc;
    choose_reactive(w, order, how->component, rank, reactive);
    note_order(w, order);
    rc = tt_write_init(w, err);
    if (rc != TT_OK)
        return rc;
    tt_write_keep(w);
    tt_write_step(w, how);
    rc = tt_write_exchange(w, how->fresh, err);
    if (rc == TT_OK)
        rc = tt_write_loops(w, err);
    tt_write_undo(w);
    tt_write_again(w);
    if (rc == TT_OK)
        rc = tt_write_start(w, how->fresh, err);
    if (rc == TT_OK)
        rc = tt_write_event(w, err);
    tt_write_leave(w);
    return rc == TT_OK ? tt_write_rhs(w, err) : rc;
}

enum tt_code tt_write_one_by_one(struct tt_draft *w, int sequential,
                                 tt_err *err)
{
    const tt_plan *p = w->plan;
    uint32_t *order =
        tt_arena_alloc(w->score->arena, p->n_unit, sizeof(*order));
    uint32_t *rank = tt_zalloc(p->n_unit, sizeof(*rank));
    uint32_t *component = tt_zalloc(p->n_unit, sizeof(*component));
    uint8_t *reactive = tt_zalloc(p->n_slot, 1);
    struct tt_stepping how = {
        .order = order, .reactive = reactive, .fresh = tt_zalloc(p->n_slot, 1)};
    enum tt_code rc;

    w->sequential = sequential;
    w->score->order = order;
    if (order && rank && component && reactive && how.fresh)
        rc = write_all(w, &how, order, component, rank, reactive, err);
    else
        rc = tt_nomem(err, "writing the score");
    TT_FREE_ALL(rank, component, reactive, how.fresh);
    return rc;
}
