/* SPDX-License-Identifier: MIT */
#include "tune/known.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/show.h"

#define MOST_STEPS 100000u
#define LISTED     8u /* what instances declare, one by one */

struct finding {
    struct tt_tune_known *k;
    const tt_plan *p;
    tt_arena *arena;
    tt_known_note_fn *note_cb;
    void *ctx;
    tt_err *err;
    struct tt_buf reactivity, approximation, bonds, held;
    int failed; /* out of memory */
};

static const char *num(char out[TT_NUM_MAX], double v)
{
    tt_num_print_digits(out, v, 6);
    return out;
}

static void note(const struct finding *f, const char *fmt, ...) TT_PRINTF(2, 3);
static void note(const struct finding *f, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    f->note_cb(f->ctx, text);
}

static const char *place(const struct finding *f, const struct tt_sc_known *h,
                         char *out, size_t size)
{
    return tt_scenario_at(f->p->scenario, h->where, out, size);
}

static void put_slot(const struct finding *f, struct tt_buf *b, uint32_t slot)
{
    char name[512];

    tt_buf_json(b, tt_plan_slot_name(f->p, slot, name, sizeof(name)));
}

static void put_member(const struct finding *f, struct tt_buf *b, uint32_t slot,
                       const char *word)
{
    if (f->k->stated[slot] & TT_KNOWN_DELAYED)
        return;
    f->k->stated[slot] |= TT_KNOWN_DELAYED;
    tt_buf_str(b, b->len ? ", " : "{");
    put_slot(f, b, slot);
    tt_buf_fmt(b, ": \"%s\"", word);
}

static void put_held(const struct finding *f, struct tt_buf *b, uint32_t slot)
{
    if (f->k->stated[slot] & TT_KNOWN_HELD)
        return;
    f->k->stated[slot] |= TT_KNOWN_HELD;
    tt_buf_str(b, ", ");
    put_slot(f, b, slot);
    tt_buf_str(b, ": \"hold\"");
}

/* --- software -------------------------------------------------------------
 */

/* What it sees, and what sees it, is of before the step; what it puts out stays
 * as it is until it runs again. */
static void add_software(struct finding *f, const struct tt_sc_known *h)
{
    const tt_plan *p = f->p;
    char at[512], rate[TT_NUM_MAX], period[TT_NUM_MAX];

    for (uint32_t i = 0; i < p->n_feed; i++) {
        const struct tt_feed *e = &p->feed[i];
        int from = p->slot[e->from].unit == h->unit;

        if (!from && p->slot[e->to].unit != h->unit)
            continue;
        put_member(f, &f->reactivity, e->to, "delayed");
        if (from)
            put_held(f, &f->approximation, e->to);
    }
    f->k->touched[h->unit] = 1;
    place(f, h, at, sizeof(at));
    if (isnan(h->rate)) {
        note(f,
             "Hint '%s' (%s): %s is software: it and what it feeds take values "
             "from before the step, and what it puts out is held.",
             h->name, at, p->unit[h->unit].name);
        return;
    }
    f->k->beat[f->k->n_beat++] =
        (struct tt_tune_beat){h->unit, p->unit[h->unit].name, 1 / h->rate};
    note(f,
         "Hint '%s' (%s): %s is software and runs at %s Hz: it and what it "
         "feeds take values from before the step, what it puts out is held, "
         "and steps divide %s s.",
         h->name, at, p->unit[h->unit].name, num(rate, h->rate),
         num(period, 1 / h->rate));
}

/* --- power bonds ----------------------------------------------------------
 */

static uint32_t slot_of(const tt_plan *p, const struct tt_sc_ref *ref)
{
    for (uint32_t i = 0; i < p->n_slot; i++)
        if (p->slot[i].unit == ref->unit &&
            !strcmp(tt_plan_port(p, i)->name, ref->variable))
            return i;
    return TT_NONE;
}

/* in[i], out[i]: of the unit that end i is of. */
static enum tt_code find_ends(const struct finding *f,
                              const struct tt_sc_known *h, uint32_t in[2],
                              uint32_t out[2])
{
    const tt_plan *p = f->p;
    char at[512];

    in[0] = in[1] = out[0] = out[1] = TT_NONE;
    for (int i = 0; i < 2; i++) {
        uint32_t slot = slot_of(p, &h->end[i]), other = h->end[1 - i].unit;

        for (uint32_t k = 0; slot != TT_NONE && k < p->n_feed; k++) {
            const struct tt_feed *e = &p->feed[k];

            if (e->to == slot && p->slot[e->from].unit == other) {
                in[i] = slot;
                out[1 - i] = e->from;
            } else if (e->from == slot && p->slot[e->to].unit == other) {
                out[i] = slot;
                in[1 - i] = e->to;
            }
        }
    }
    if (in[0] != TT_NONE && in[1] != TT_NONE &&
        h->end[0].unit != h->end[1].unit)
        return TT_OK;
    return tt_fail(f->err, TT_EINPUT,
                   "%s: power bond '%s': '%s.%s' and '%s.%s' are not what two "
                   "instances give each other",
                   place(f, h, at, sizeof(at)), h->name,
                   p->unit[h->end[0].unit].name, h->end[0].variable,
                   p->unit[h->end[1].unit].name, h->end[1].variable);
}

/* The bond that the scenario has between these already; NULL: none. */
static const char *bond_between(const struct finding *f, const uint32_t in[2])
{
    for (uint32_t i = 0; i < f->p->n_bond; i++)
        if ((f->p->bond[i].in[0] == in[0] && f->p->bond[i].in[1] == in[1]) ||
            (f->p->bond[i].in[0] == in[1] && f->p->bond[i].in[1] == in[0]))
            return f->p->bond[i].given->name;
    return NULL;
}

static enum tt_code add_bond(struct finding *f, const struct tt_sc_known *h)
{
    uint32_t in[2], out[2];
    enum tt_code rc = find_ends(f, h, in, out);
    struct tt_buf *b = &f->bonds;
    const char *name;
    char at[512];

    if (rc != TT_OK)
        return rc;
    name = bond_between(f, in);
    tt_buf_str(b, b->len ? ", " : "{");
    tt_buf_json(b, name ? name : h->name);
    tt_buf_str(b, ": {");
    for (int i = 0; i < 2 && !name; i++) {
        tt_buf_fmt(b, "\"%c\": {\"input\": ", 'a' + i);
        put_slot(f, b, in[i]);
        tt_buf_str(b, ", \"output\": ");
        put_slot(f, b, out[i]);
        tt_buf_str(b, "}, ");
    }
    tt_buf_str(b, "\"correction\": true}");
    for (int i = 0; i < 2; i++)
        put_held(f, &f->held, in[i]);
    f->k->touched[h->end[0].unit] = f->k->touched[h->end[1].unit] = 1;
    note(f,
         "Hint '%s' (%s): %s and %s exchange power by '%s' and '%s': what "
         "held inputs miss of it is repaid.",
         h->name, place(f, h, at, sizeof(at)), f->p->unit[h->end[0].unit].name,
         f->p->unit[h->end[1].unit].name, tt_plan_port(f->p, out[0])->name,
         tt_plan_port(f->p, out[1])->name);
    return TT_OK;
}

/* --- what is declared -----------------------------------------------------
 */

static void bound(struct finding *f, const struct tt_plan_unit *u,
                  const char *what, double most, uint32_t *n)
{
    char text[TT_NUM_MAX];

    if (!(most > 0))
        return;
    f->k->longest = fmin(f->k->longest, most);
    if ((*n)++ < LISTED)
        note(f, "%s %s %s s, as its FMU declares ('%s'): no step is longer.",
             u->name, what, num(text, most), f->p->scenario->fmu[u->fmu].uri);
}

static void find_bounds(struct finding *f)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < f->p->n_unit; i++) {
        const struct tt_plan_unit *u = &f->p->unit[i];

        bound(f, u, "takes what comes in through within", u->desc->delay, &n);
        bound(f, u, "reacts within", u->desc->reaction, &n);
        bound(f, u, "puts out new values every", u->desc->every, &n);
    }
}

/* --- all ------------------------------------------------------------------
 */

static const char *take(struct finding *f, struct tt_buf *b, const char *end)
{
    const char *text = NULL;

    if (b->len) {
        tt_buf_str(b, end);
        text = b->failed ? NULL : tt_arena_strdup(f->arena, b->data);
        f->failed |= !text;
    }
    tt_buf_fini(b);
    return text;
}

static enum tt_code find(struct finding *f)
{
    const tt_scenario *sc = f->p->scenario;
    struct tt_tune_known *k = f->k;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < sc->n_known && rc == TT_OK; i++) {
        k->any = 1;
        if (sc->known[i].bond)
            rc = add_bond(f, &sc->known[i]);
        else
            add_software(f, &sc->known[i]);
    }
    for (uint32_t i = 0; i < k->n_beat; i++)
        k->slowest = isinf(k->slowest) ? k->beat[i].period
                                       : fmax(k->slowest, k->beat[i].period);
    find_bounds(f);
    return rc;
}

enum tt_code tt_known_find(struct tt_tune_known *k, const tt_plan *p,
                           tt_arena *arena, tt_known_note_fn *note_cb,
                           void *ctx, tt_err *err)
{
    struct finding f = {.k = k,
                        .p = p,
                        .arena = arena,
                        .note_cb = note_cb,
                        .ctx = ctx,
                        .err = err};
    uint32_t n = p->scenario->n_known;
    enum tt_code rc;

    *k = (struct tt_tune_known){.slowest = (double)INFINITY,
                                .longest = (double)INFINITY};
    k->beat = tt_arena_alloc(arena, (size_t)n + 1, sizeof(*k->beat));
    k->touched = tt_arena_alloc(arena, (size_t)p->n_unit + 1, 1);
    k->stated = tt_arena_alloc(arena, (size_t)p->n_slot + 1, 1);
    if (!k->beat || !k->touched || !k->stated)
        return tt_nomem(err, "the search");
    memset(k->touched, 0, p->n_unit);
    memset(k->stated, 0, p->n_slot);
    tt_buf_init(&f.reactivity, TT_SHOW_MAX);
    tt_buf_init(&f.approximation, TT_SHOW_MAX);
    tt_buf_init(&f.bonds, TT_SHOW_MAX);
    tt_buf_init(&f.held, TT_SHOW_MAX);
    rc = find(&f);
    k->reactivity = take(&f, &f.reactivity, "}");
    k->approximation = take(&f, &f.approximation, "");
    k->bonds = take(&f, &f.bonds, "}");
    k->held = take(&f, &f.held, "");
    return rc == TT_OK && f.failed ? tt_nomem(err, "the search") : rc;
}

/* --- steps ----------------------------------------------------------------
 */

static int is_whole(double v)
{
    return v > 0.5 && fabs(v - rint(v)) < 1e-6 * v;
}

int tt_known_fits(const struct tt_tune_known *k, double step)
{
    if (step > fmin(k->slowest, k->longest) * (1 + 1e-9))
        return 0;
    for (uint32_t i = 0; i < k->n_beat; i++)
        if (!is_whole(k->beat[i].period / step) &&
            !is_whole(step / k->beat[i].period))
            return 0;
    return 1;
}

uint32_t tt_known_rate(const struct tt_tune_beat *b, double step)
{
    return step > 1.5 * b->period ? (uint32_t)lrint(step / b->period) : 1;
}

/* 1, 2, 5, 10, ... */
static uint32_t round_number(uint32_t i)
{
    static const uint32_t first[] = {1, 2, 5};
    uint32_t v = first[i % 3];

    for (; i >= 3; i -= 3)
        v *= 10;
    return v;
}

uint32_t tt_known_steps(const struct tt_tune_known *k, double span,
                        const uint32_t *usual, uint32_t n_usual, uint32_t i)
{
    double periods = span / k->slowest;
    int own = k->n_beat && is_whole(periods) && periods <= MOST_STEPS;
    uint32_t most = own ? 16 : n_usual;

    for (uint32_t c = 0; c < most; c++) {
        double n = own ? rint(periods) * round_number(c) : usual[c];

        if (n > MOST_STEPS)
            break;
        if (tt_known_fits(k, span / n) && !i--)
            return (uint32_t)n;
    }
    return 0;
}

uint32_t tt_known_finer(const struct tt_tune_known *k, double span, uint32_t n)
{
    for (uint32_t m = n; m <= 2 * n; m++)
        if (tt_known_fits(k, span / m))
            return m;
    return n;
}
