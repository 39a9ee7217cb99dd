/* SPDX-License-Identifier: MIT */
/* The init section: consistent first values, in initialisation mode, where
 * every unit may be read after setting. */
#include "score/schedule.h"
#include "unit/call.h"

#define MOST_NAMED 8 /* of a loop or a list, in a message */

/* The next slot along a declared edge within the component of v. */
static uint32_t next_in_circle(const struct tt_graph *hard,
                               const uint32_t *component, uint32_t v)
{
    for (uint32_t e = hard->first[v]; e < hard->first[v + 1]; e++)
        if (component[hard->next[e]] == component[v])
            return hard->next[e];
    return TT_NONE;
}

/* Follow declared edges inside a component until a slot comes again, and name
 * the circle. Every slot of a component has such an edge, or none has. */
static void name_circle(const struct tt_schedule *s,
                        const struct tt_graph *hard, const uint32_t *component,
                        uint32_t start, struct tt_buf *out)
{
    uint8_t *seen = tt_zalloc(s->plan->n_slot, 1);
    char name[512];
    uint32_t v = start, from, n = 0;

    if (!seen)
        return;
    while (!seen[v]) { /* into the circle */
        seen[v] = 1;
        v = next_in_circle(hard, component, v);
    }
    from = v;
    do {
        if (n++ < MOST_NAMED)
            tt_buf_fmt(out, "%s -> ",
                       tt_plan_slot_name(s->plan, v, name, sizeof(name)));
        v = next_in_circle(hard, component, v);
    } while (v != from);
    if (n > MOST_NAMED)
        tt_buf_fmt(out, "... %u more ... -> ", n - MOST_NAMED);
    tt_buf_str(out, tt_plan_slot_name(s->plan, from, name, sizeof(name)));
    tt_free(seen);
}

static enum tt_code refuse(const struct tt_schedule *s,
                           const struct tt_graph *hard,
                           const uint32_t *component, uint32_t start,
                           tt_err *err)
{
    struct tt_buf circle;
    enum tt_code rc;

    tt_buf_init(&circle, TT_ERR_MAX / 2);
    name_circle(s, hard, component, start, &circle);
    rc = tt_fail(err, TT_EINPUT,
                 "algebraic loop at initialisation: %s (each depends directly "
                 "on the one before, so there is no order to initialise them "
                 "in)",
                 circle.data && !circle.failed ? circle.data
                                               : "too long to name");
    tt_buf_fini(&circle);
    return rc;
}

/* A loop of declared dependencies has no order. Hubs stand for assumed ones
 * and are left out. */
static enum tt_code refuse_declared(const struct tt_schedule *s, tt_err *err)
{
    const struct tt_graph *all = &s->graph;
    uint32_t n = s->plan->n_slot;
    uint32_t *component = tt_zalloc(n, sizeof(*component));
    struct tt_graph hard;
    enum tt_code rc;

    tt_graph_init(&hard, n);
    for (size_t e = 0; e < all->n_edge; e++)
        if (all->from[e] < n && all->to[e] < n)
            tt_graph_add(&hard, all->from[e], all->to[e]);
    rc = tt_graph_seal(&hard, err);
    if (rc == TT_OK &&
        (!component || (n && !tt_graph_components(&hard, component))))
        rc = tt_fail(err, TT_ENOMEM, "ordering: out of memory");
    for (uint32_t v = 0; v < n && rc == TT_OK; v++)
        if (next_in_circle(&hard, component, v) != TT_NONE)
            rc = refuse(s, &hard, component, v, err);
    tt_graph_fini(&hard);
    tt_free(component);
    return rc;
}

static void name_unit(const struct tt_plan_unit *u, uint32_t nth,
                      struct tt_buf *out)
{
    if (nth < MOST_NAMED)
        tt_buf_fmt(out, "%s'%s'", nth ? ", " : "", u->name);
}

/* The units with an output in component c that say nothing of it. `cut` is
 * sorted by component, these first. */
static void name_silent(const struct tt_schedule *s, uint32_t c,
                        struct tt_buf *out)
{
    uint32_t n = 0, last = TT_NONE;

    for (uint32_t i = s->at_cut; i < s->n_cut; i++) {
        uint32_t slot = (uint32_t)s->cut[i];
        uint32_t unit = s->plan->slot[slot].unit;

        if (s->component[slot] != c || !tt_schedule_assumed(s, slot))
            break;
        if (unit != last)
            name_unit(&s->plan->unit[unit], n++, out);
        last = unit;
    }
    if (n > MOST_NAMED)
        tt_buf_fmt(out, " and %u more", n - MOST_NAMED);
}

/* Values that may depend on each other are passed round. Every turn carries
 * them past one cut at least, so after one turn more than there are cuts a
 * value has come as far as dependencies without a true loop can take it. */
static void sweep(struct tt_schedule *s)
{
    uint32_t slot = tt_schedule_choose(s), c = s->component[slot], cuts = 0;
    size_t loop = s->w->n_op;
    struct tt_buf names;

    tt_buf_init(&names, TT_ERR_MAX / 2);
    name_silent(s, c, &names);
    tt_write_op(s->w, (struct tt_op){.code = TT_OP_LOOP, .unit = TT_NONE});
    tt_schedule_limit(s, c);
    for (; slot != TT_NONE && s->component[slot] == c;
         slot = tt_schedule_choose(s)) {
        TT_ASSERT(tt_schedule_assumed(s, slot)); /* others were refused */
        tt_schedule_force(s, slot, TT_OP_CUT);
        cuts++;
        tt_schedule_run(s);
    }
    tt_schedule_limit(s, TT_NONE);
    if (!s->w->failed)
        s->w->op[loop].arg = cuts + 1;
    tt_write_op(s->w, (struct tt_op){.code = TT_OP_END, .unit = TT_NONE});
    tt_write_note(s->w, "initialisation",
                  "%s feed themselves or each other and do not say what their "
                  "outputs depend on: swept %u times",
                  names.data && !names.failed ? names.data : "units", cuts + 1);
    tt_buf_fini(&names);
}

enum tt_code tt_write_init(struct tt_writer *w, tt_err *err)
{
    struct tt_schedule s;
    enum tt_code rc = tt_schedule_init(&s, w, 1, NULL, err);

    tt_write_begin(w, TT_SEC_INIT);
    if (rc == TT_OK)
        rc = refuse_declared(&s, err);
    while (rc == TT_OK && s.left && !w->failed) {
        tt_schedule_run(&s);
        if (s.left)
            sweep(&s);
    }
    tt_write_op(w, (struct tt_op){.code = TT_OP_COMMIT, .unit = TT_NONE});
    tt_write_end(w, TT_SEC_INIT);
    tt_schedule_fini(&s);
    return rc;
}
