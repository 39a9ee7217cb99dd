/* SPDX-License-Identifier: MIT */
/* Where the time went: by unit and by operation, and which threads did it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "api/grid.h"
#include "api/profile.h"
#include "base/num.h"
#include "base/show.h"

#define UNITS_SHOWN 40u
#define OPS_SHOWN   20u

/* A unit's steps and its time in all. */
struct unit_cost {
    uint64_t ns, steps, step_ns, worst;
    double worst_at;
    uint64_t threads; /* bits */
};

struct profile {
    const tt_score *score;
    struct tt_op_cost *op;  /* owned, per operation */
    struct unit_cost *unit; /* owned, per unit */
    uint64_t *ns;           /* owned: of what is sorted */
    uint32_t *by_cost;      /* owned: its numbers, the costliest first */
    struct tt_brief brief;  /* names for people */
    uint64_t total;         /* ns in all */
};

static void add_op(struct profile *f, uint32_t i)
{
    const struct tt_op *op = &f->score->op[i];
    const struct tt_op_cost *c = &f->op[i];
    struct unit_cost *u;

    f->total += c->ns;
    if (op->unit == TT_NONE)
        return;
    u = &f->unit[op->unit];
    u->ns += c->ns;
    if (op->code != TT_OP_STEP)
        return;
    u->steps += c->calls;
    u->step_ns += c->ns;
    if (u->worst >= c->worst)
        return;
    u->worst = c->worst;
    u->worst_at = c->worst_at;
}

/* The first `shown` of n, the costliest first; few are shown, so a pass for
 * each of them will do. Those between keep their order. */
static void sort(struct profile *f, uint32_t n, uint32_t shown)
{
    for (uint32_t i = 0; i < n; i++)
        f->by_cost[i] = i;
    for (uint32_t k = 0; k < shown && k < n; k++) {
        uint32_t best = k, it;

        for (uint32_t i = k + 1; i < n; i++)
            if (f->ns[f->by_cost[i]] > f->ns[f->by_cost[best]])
                best = i;
        it = f->by_cost[best];
        for (uint32_t i = best; i > k; i--)
            f->by_cost[i] = f->by_cost[i - 1];
        f->by_cost[k] = it;
    }
}

static void sort_units(struct profile *f)
{
    uint32_t n = f->score->plan->n_unit;

    for (uint32_t u = 0; u < n; u++)
        f->ns[u] = f->unit[u].ns;
    sort(f, n, UNITS_SHOWN);
}

static void sort_ops(struct profile *f)
{
    for (uint32_t i = 0; i < f->score->n_op; i++)
        f->ns[i] = f->op[i].ns;
    sort(f, f->score->n_op, OPS_SHOWN);
}

static int profile_init(struct profile *f, const tt_run *run)
{
    const tt_part *part = tt_run_part(run);
    uint32_t most;

    *f = (struct profile){.score = tt_run_score(run)};
    tt_plan_brief(f->score->plan, &f->brief);
    most = f->score->n_op > f->score->plan->n_unit ? f->score->n_op
                                                   : f->score->plan->n_unit;
    if (!part || !TT_NEW_ARRAY(f->op, f->score->n_op) ||
        !TT_NEW_ARRAY(f->unit, f->score->plan->n_unit) ||
        !TT_NEW_ARRAY(f->ns, most) || !TT_NEW_ARRAY(f->by_cost, most))
        return 0;
    tt_part_costs(part, f->op);
    for (uint32_t i = 0; i < f->score->n_op; i++)
        add_op(f, i);
    for (uint32_t u = 0; u < f->score->plan->n_unit; u++)
        f->unit[u].threads = tt_part_stepped_by(part, u);
    return 1;
}

static void profile_fini(struct profile *f)
{
    tt_brief_fini(&f->brief);
    TT_FREE_ALL(f->op, f->unit, f->ns, f->by_cost);
}

/* "init" ... of an operation. */
static const char *section_of(const tt_score *s, uint32_t op)
{
    for (int i = 0; i < TT_SEC_N; i++)
        if (op >= s->section[i].first &&
            op < s->section[i].first + s->section[i].n)
            return tt_section_name((enum tt_section)i);
    return "";
}

/* --- for people ------------------------------------------------------------
 */

struct cells {
    char calls[32], time[TT_NUM_MAX], share[TT_NUM_MAX + 2];
    char mean[TT_NUM_MAX], worst[TT_NUM_MAX], at[TT_NUM_MAX];
};

static void fill(struct cells *c, const struct profile *f, uint64_t calls,
                 uint64_t ns)
{
    double share = f->total ? 100.0 * (double)ns / (double)f->total : 0;

    (void)snprintf(c->calls, sizeof(c->calls), "%" PRIu64, calls);
    tt_show_duration(c->time, (double)ns * 1e-9);
    tt_num_print_digits(c->share, round(share * 10) / 10, 4);
}

static void fill_worst(struct cells *c, uint64_t worst, double at)
{
    tt_show_duration(c->worst, (double)worst * 1e-9);
    tt_num_print_digits(c->at, at, 6);
}

/* "0 1" */
static void list_threads(struct tt_buf *b, uint64_t bits, const char *between)
{
    int n = 0;

    for (uint32_t i = 0; i < 64; i++)
        if (bits >> i & 1)
            tt_buf_fmt(b, "%s%u", n++ ? between : "", i);
}

static void unit_rows(const struct profile *f, struct tt_grid *g)
{
    const tt_plan *plan = f->score->plan;

    for (uint32_t i = 0; i < plan->n_unit && i < UNITS_SHOWN; i++) {
        uint32_t u = f->by_cost[i];
        const struct unit_cost *k = &f->unit[u];
        struct cells c;
        struct tt_buf threads;

        fill(&c, f, k->steps, k->ns);
        fill_worst(&c, k->worst, k->worst_at);
        tt_show_duration(c.mean,
                         k->steps ? (double)k->step_ns * 1e-9 / (double)k->steps
                                  : 0);
        tt_buf_init(&threads, 1024);
        list_threads(&threads, k->threads, " ");
        tt_grid_add(g, (const char *const[]){
                           tt_brief_name(&f->brief, plan->unit[u].name),
                           c.calls, c.time, c.share, c.mean, c.worst, c.at,
                           threads.data ? threads.data : ""});
        tt_buf_fini(&threads);
    }
}

static void op_rows(const struct profile *f, struct tt_grid *g)
{
    for (uint32_t i = 0; i < f->score->n_op && i < OPS_SHOWN; i++) {
        uint32_t op = f->by_cost[i];
        struct cells c;
        struct tt_buf text;

        fill(&c, f, f->op[op].calls, f->op[op].ns);
        fill_worst(&c, f->op[op].worst, f->op[op].worst_at);
        tt_buf_init(&text, 65536);
        tt_score_op_text(f->score, op, &text);
        tt_brief_text(&f->brief, &text, 0);
        tt_grid_add(g, (const char *const[]){section_of(f->score, op), c.calls,
                                             c.time, c.share, c.worst, c.at,
                                             text.data ? text.data : ""});
        tt_buf_fini(&text);
    }
}

struct table {
    const char *const *head;
    uint32_t n_head;
    void (*rows)(const struct profile *f, struct tt_grid *g);
    uint32_t n, shown; /* rows there are and may be shown */
};

static void print(struct tt_buf *b, const struct profile *f,
                  const struct table *t, struct tt_profile_look look)
{
    tt_arena *arena = tt_arena_new();
    struct tt_grid g;

    if (!arena)
        return;
    tt_grid_init(&g, arena, t->head, t->n_head);
    t->rows(f, &g);
    tt_grid_print(&g, b, look.colours, look.width);
    tt_grid_fini(&g);
    tt_arena_free(arena);
    if (t->n > t->shown)
        tt_buf_fmt(b, "and %u more%s\n", t->n - t->shown, look.more);
}

void tt_profile_text(struct tt_buf *b, const tt_run *run,
                     struct tt_profile_look look)
{
    static const char *const unit_head[] = {
        "instance",   ">steps",      ">time", ">%",
        ">mean step", ">worst step", ">at t", "threads"};
    static const char *const op_head[] = {"section", ">calls", ">time",    ">%",
                                          ">worst",  ">at t",  "operation"};
    struct profile f;

    if (profile_init(&f, run)) {
        sort_units(&f);
        print(b, &f,
              &(struct table){unit_head, 8, unit_rows, f.score->plan->n_unit,
                              UNITS_SHOWN},
              look);
        tt_buf_char(b, '\n');
        sort_ops(&f);
        print(b, &f,
              &(struct table){op_head, 7, op_rows, f.score->n_op, OPS_SHOWN},
              look);
    }
    profile_fini(&f);
}

/* --- for machines ------------------------------------------------------------
 */

static void json_seconds(struct tt_buf *b, const char *key, uint64_t ns)
{
    tt_buf_fmt(b, ", \"%s\": ", key);
    tt_show_json_num(b, (double)ns * 1e-9);
}

static void json_worst(struct tt_buf *b, uint64_t worst, double at)
{
    json_seconds(b, "worst_seconds", worst);
    tt_json_num(b, ", \"worst_t\": ", at);
}

static void json_share(struct tt_buf *b, const struct profile *f, uint64_t ns)
{
    tt_json_num(b,
                ", \"share\": ", f->total ? (double)ns / (double)f->total : 0);
}

static void json_unit(struct tt_buf *b, const struct profile *f, uint32_t u)
{
    const struct unit_cost *k = &f->unit[u];

    tt_buf_str(b, u ? ",\n      {\"name\": " : "\n      {\"name\": ");
    tt_buf_json(b, f->score->plan->unit[u].name);
    tt_buf_fmt(b, ", \"steps\": %" PRIu64, k->steps);
    json_seconds(b, "seconds", k->ns);
    json_share(b, f, k->ns);
    json_seconds(b, "step_seconds", k->step_ns);
    json_worst(b, k->worst, k->worst_at);
    tt_buf_str(b, ", \"threads\": [");
    list_threads(b, k->threads, ", ");
    tt_buf_str(b, "]}");
}

static void json_op(struct tt_buf *b, const struct profile *f, uint32_t i)
{
    const struct tt_op *op = &f->score->op[i];
    struct tt_buf text;

    tt_buf_init(&text, 65536);
    tt_score_op_text(f->score, i, &text);
    tt_buf_fmt(b, "%s\n      {\"section\": \"%s\", \"operation\": \"%s\", ",
               i ? "," : "", section_of(f->score, i),
               tt_op_name((enum tt_op_code)op->code));
    tt_json_text(b, "\"text\": ", text.data ? text.data : "");
    tt_json_text(b, ", \"unit\": ",
                 op->unit == TT_NONE ? ""
                                     : f->score->plan->unit[op->unit].name);
    tt_buf_fmt(b, ", \"calls\": %" PRIu64, f->op[i].calls);
    json_seconds(b, "seconds", f->op[i].ns);
    json_share(b, f, f->op[i].ns);
    json_worst(b, f->op[i].worst, f->op[i].worst_at);
    tt_buf_char(b, '}');
    tt_buf_fini(&text);
}

void tt_profile_json(struct tt_buf *b, const tt_run *run)
{
    struct profile f;

    tt_buf_str(b, "{\n    \"units\": [");
    if (profile_init(&f, run)) {
        for (uint32_t u = 0; u < f.score->plan->n_unit; u++)
            json_unit(b, &f, u);
        tt_buf_str(b, "\n    ],\n    \"operations\": [");
        for (uint32_t i = 0; i < f.score->n_op; i++)
            json_op(b, &f, i);
    } else {
        tt_buf_str(b, "\n    ],\n    \"operations\": [");
    }
    tt_buf_str(b, "\n    ]\n  }");
    profile_fini(&f);
}
