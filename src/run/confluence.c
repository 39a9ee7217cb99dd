/* SPDX-License-Identifier: MIT */
/* Does it make a difference which of several discrete-event units goes first?
 * Where some that are due influence each other, or a third one, the orders are
 * tried: from saved states, until the instant is quiet. The events put out and
 * the states of the units must be the same; of events the order may differ. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/num.h"
#include "player/event.h"
#include "run/perform.h"

#define ALL_OF   4u   /* of so many all orders are tried, of more all swaps */
#define MOST_DUE 64u  /* of these the first */
#define TEXT     1500 /* of a trace that is shown */

struct outcome {
    uint64_t events; /* put out, in any order */
    struct tt_buf trace;
    uint64_t *state; /* per unit */
};

struct tt_confluence {
    uint32_t *order; /* that is tried; the plan's `select`, rearranged */
    uint64_t *state; /* room for those of the two outcomes */
    uint8_t *reach;  /* per unit: bits of those it reaches ... */
    uint32_t due[MOST_DUE], n_due;
    struct outcome *now; /* what is being played */
    int reported;
};

/* --- what influences what -------------------------------------------------
 */

static uint8_t *reach_of(const tt_run *r, uint32_t unit)
{
    return r->confluence->reach + (size_t)unit * r->plan->n_unit;
}

/* Units that only answer pass on what they get. */
static void spread(const tt_run *r, uint8_t *reach, uint32_t from)
{
    const tt_plan *p = r->plan;

    for (uint32_t f = 0; f < p->n_feed; f++) {
        uint32_t to = p->slot[p->feed[f].to].unit;

        if (p->slot[p->feed[f].from].unit != from || reach[to])
            continue;
        reach[to] = 1;
        if (p->unit[to].desc->caps.discrete && !p->unit[to].desc->internal)
            spread(r, reach, to);
    }
}

static int interfere(const tt_run *r, uint32_t a, uint32_t b)
{
    const uint8_t *x = reach_of(r, a), *y = reach_of(r, b);
    int common = x[b] || y[a];

    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        common |= x[u] && y[u];
    return common;
}

/* --- one order -------------------------------------------------------------
 */

/* An event of a trial. */
void run_take_tried(tt_run *r, const struct tt_run_event *e)
{
    struct outcome *o = r->confluence->now;
    char text[TT_TEXT_MAX], line[2 * TT_TEXT_MAX];
    int n;

    tt_value_print(text, e->type, e->value);
    n = snprintf(line, sizeof(line), "%s.%s = %s", e->instance, e->port, text);
    if (n > 0)
        o->events += tt_hash(TT_HASH_START, line, (size_t)n);
    if (o->trace.len < TEXT)
        tt_buf_fmt(&o->trace, "%s%s", o->trace.len ? ", " : "", line);
}

/* What is made of units counts how often it took part: its events must do. */
static enum tt_code take_states(tt_run *r, struct outcome *o, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++) {
        const struct tt_desc *d = r->plan->unit[u].desc;
        uint32_t reg = run_registers(r, u, RUN_REG_TRIED);
        struct tt_bytes b = {0};

        o->state[u] = 0;
        if (!d->caps.discrete || d->inside || !d->caps.serialise)
            continue;
        rc = tt_unit_save(r->unit[u], reg, err);
        if (rc == TT_OK)
            rc = tt_unit_pack(r->unit[u], reg, &b, err);
        if (rc == TT_OK)
            o->state[u] = tt_hash(TT_HASH_START, b.data, b.n);
        tt_free(b.data);
    }
    return rc;
}

static enum tt_code play_on(tt_run *r, tt_err *err)
{
    int again = 1;
    enum tt_code rc = TT_OK;

    while (rc == TT_OK && again) {
        tt_part_event_tick(r->part);
        rc = run_event_play(r, 1, &again, err);
    }
    return rc;
}

/* From here to the end of the instant, with another order of those due. */
static enum tt_code try_order(tt_run *r, struct outcome *o, tt_err *err)
{
    struct tt_events *e = tt_part_events(r->part);
    struct tt_bits ticks = tt_events_set(e, TT_SET_TICKS);
    struct tt_bits again = tt_events_set(e, TT_SET_AGAIN);
    struct tt_confluence *c = r->confluence;
    uint32_t clock = TT_NONE;
    tt_err why = {0};
    enum tt_code rc;

    tt_buf_clear(&o->trace);
    o->events = 0;
    for (uint32_t i = 0; i < c->n_due; i++) {
        uint32_t k = run_internal_of(r, c->due[i]);

        tt_bits_drop(&ticks, k);
        tt_bits_drop(&again, c->due[i]);
    }
    c->now = o;
    (void)run_ask_selected(r, &clock);
    rc = play_on(r, &why);
    c->now = NULL;
    if (rc == TT_OK)
        rc = take_states(r, o, &why);
    if (rc != TT_OK) { /* is an outcome, too */
        o->events = 1;
        tt_buf_fmt(&o->trace, "%s%s", o->trace.len ? ", " : "", why.msg);
    }
    return tt_run_restore(r, RUN_REG_TRY, err);
}

/* --- all of them -----------------------------------------------------------
 */

static int differ(const tt_run *r, const struct outcome *a,
                  const struct outcome *b)
{
    return a->events != b->events ||
           memcmp(a->state, b->state, r->plan->n_unit * sizeof(*a->state)) != 0;
}

static void add_order(const tt_run *r, struct tt_buf *b, const uint32_t *due)
{
    for (uint32_t i = 0; i < r->confluence->n_due; i++)
        tt_buf_fmt(b, "%s%s", i ? ", " : "", r->plan->unit[due[i]].name);
}

static enum tt_code report(tt_run *r, const uint32_t *other,
                           const struct outcome *a, const struct outcome *b,
                           tt_err *err)
{
    struct tt_buf text;
    char at[TT_NUM_MAX];
    enum tt_code rc = TT_OK;

    tt_num_print_short(at, r->agenda->t);
    tt_buf_init(&text, 65536);
    tt_buf_fmt(&text, "at t=%s it makes a difference which goes first; ", at);
    add_order(r, &text, r->confluence->due);
    tt_buf_fmt(&text, ": %s; ", a->trace.len ? a->trace.data : "nothing");
    add_order(r, &text, other);
    tt_buf_fmt(&text, ": %s", b->trace.len ? b->trace.data : "nothing");
    if (a->events == b->events)
        tt_buf_str(&text, " (and other states)");
    r->confluence->reported = 1;
    if (r->scenario->events.confluence == TT_CONFLUENCE_ERROR)
        rc = tt_fail(err, TT_EUNIT, "%s", text.data ? text.data : "");
    else
        tt_log(r->opts.log, TT_LOG_WARN, "%s (reported once)",
               text.data ? text.data : "");
    tt_buf_fini(&text);
    return rc;
}

/* The order of the plan, with those that are due in this one. */
static void arrange(tt_run *r, const uint32_t *due)
{
    struct tt_confluence *c = r->confluence;
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->plan->n_select; i++) {
        uint32_t u = r->plan->select[i], k = 0;

        while (k < c->n_due && c->due[k] != u)
            k++;
        c->order[i] = k < c->n_due ? due[n++] : u;
    }
}

struct trial {
    struct outcome *first, *other;
    enum tt_code rc;
    tt_err *err;
};

static void compare(tt_run *r, const uint32_t *due, struct trial *t)
{
    if (t->rc != TT_OK || r->confluence->reported)
        return;
    arrange(r, due);
    t->rc = try_order(r, t->other, t->err);
    if (t->rc == TT_OK && differ(r, t->first, t->other))
        t->rc = report(r, due, t->first, t->other, t->err);
}

static void swap(uint32_t *due, uint32_t i, uint32_t k)
{
    uint32_t u = due[i];

    due[i] = due[k];
    due[k] = u;
}

static void permute(tt_run *r, uint32_t *due, uint32_t from, struct trial *t)
{
    uint32_t n = r->confluence->n_due;

    if (from + 1 == n)
        compare(r, due, t);
    for (uint32_t i = from; from + 1 < n && i < n; i++) {
        swap(due, from, i);
        permute(r, due, from + 1, t);
        swap(due, from, i);
    }
}

static void exchange_pairs(tt_run *r, uint32_t *due, struct trial *t)
{
    for (uint32_t i = 0; i < r->confluence->n_due; i++)
        for (uint32_t k = i + 1; k < r->confluence->n_due; k++) {
            if (!interfere(r, due[i], due[k]))
                continue;
            swap(due, i, k);
            compare(r, due, t);
            swap(due, i, k);
        }
}

static enum tt_code try_all(tt_run *r, tt_err *err)
{
    struct tt_confluence *c = r->confluence;
    struct outcome a = {.state = c->state},
                   b = {.state = c->state + r->plan->n_unit};
    struct trial t = {.first = &a, .other = &b, .err = err};
    uint32_t due[MOST_DUE];

    tt_buf_init(&a.trace, 65536);
    tt_buf_init(&b.trace, 65536);
    memcpy(due, c->due, sizeof(due));
    r->order = c->order;
    arrange(r, due);
    t.rc = tt_run_save(r, RUN_REG_TRY, err);
    if (t.rc == TT_OK)
        t.rc = try_order(r, &a, err);
    if (c->n_due <= ALL_OF)
        permute(r, due, 0, &t);
    else
        exchange_pairs(r, due, &t);
    r->order = NULL;
    tt_buf_fini(&a.trace);
    tt_buf_fini(&b.trace);
    return t.rc;
}

/* Is one about to have its event, and are others due that it matters to? */
static int is_tied(tt_run *r)
{
    struct tt_confluence *c = r->confluence;
    struct tt_bits ticks = tt_events_set(tt_part_events(r->part), TT_SET_TICKS);
    int goes = 0, matters = 0;

    c->n_due = 0;
    for (uint32_t i = 0; i < r->plan->n_select && c->n_due < MOST_DUE; i++) {
        uint32_t u = r->plan->select[i];

        if (!run_is_due(r, run_internal_next(r, u)))
            continue;
        goes |= tt_bits_has(&ticks, run_internal_of(r, u));
        c->due[c->n_due++] = u;
    }
    for (uint32_t i = 0; i < c->n_due; i++)
        for (uint32_t k = 0; k < i; k++)
            matters |= interfere(r, c->due[i], c->due[k]);
    return goes && matters;
}

enum tt_code run_try_orders(tt_run *r, tt_err *err)
{
    struct tt_confluence *c = r->confluence;

    if (!c || c->now || c->reported || r->replaying || !is_tied(r))
        return TT_OK;
    return try_all(r, err);
}

/* --- with the run ----------------------------------------------------------
 */

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    uint32_t n = r->plan->n_unit;
    const char *who = NULL, *why;
    struct tt_confluence *c;

    if (!r->scenario->events.confluence || r->opts.host || r->plan->parallel ||
        r->plan->n_select < 2)
        return TT_OK;
    why = r->opts.link ? "" : run_cannot_save(r, &who);
    if (why) {
        run_note(r, "confluence", "not looked at: %s%s%s",
                 who ? who : "there are several ranks", who ? " " : "", why);
        return TT_OK;
    }
    if (!TT_NEW(c))
        return run_nomem(err);
    r->confluence = c;
    c->order = tt_zalloc(r->plan->n_select, sizeof(*c->order));
    c->state = tt_zalloc(n, 2 * sizeof(*c->state));
    c->reach = tt_zalloc(n, n);
    if (!c->order || !c->state || !c->reach)
        return run_nomem(err);
    for (uint32_t u = 0; u < n; u++)
        spread(r, reach_of(r, u), u);
    if (r->extra_registers <= RUN_REG_TRIED)
        r->extra_registers = RUN_REG_TRIED + 1;
    *wanted = 1;
    return TT_OK;
}

static void drop(tt_run *r)
{
    struct tt_confluence *c = r->confluence;

    if (c)
        TT_FREE_ALL(c->order, c->state, c->reach, c);
    r->confluence = NULL;
}

const struct run_companion run_confluence_companion = {
    .make = make,
    .free = drop,
};
