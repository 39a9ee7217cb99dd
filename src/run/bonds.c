/* SPDX-License-Identifier: MIT */
/* Power bonds of a run: how much energy the coupling makes or loses because
 * inputs follow their courses while their sources move otherwise; and, where a
 * bond asks for it, what was missed is repaid over the next step. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/num.h"
#include "run/run_impl.h"
#include "step/estimate.h"

/* What goes back with a rejected step. */
struct ledger {
    double owed[2];    /* what each input missed: integral of source - input */
    double over;       /* s: how long to take for repaying it, at least */
    double net, gross; /* J: residual energy, and the sum of its amounts */
    double power[2];   /* W: of each side at the instant committed last */
    uint64_t leaps;    /* events that changed it, ... */
    double leap, rest; /* W: ... by how much at most, and the largest
                          residual power behind one */
};

/* One bond around the step being played; [i] is side a or b. */
struct bond {
    const struct tt_plan_bond *plan;
    int fed[2];
    double u0[2], y0[2]; /* at the start; inputs without correction, and with
                            the sign of what they follow */
    double u1[2];        /* the inputs at the end, as used, but for: */
    double nudge[2];     /* the correction */
};

struct tt_bonds {
    uint32_t n;
    struct bond *bond;
    struct ledger *ledger; /* in the frame */
    double *e0;
    struct tt_bond *end; /* at the end, without correction: that repays
                            the past and is no error of this step */
    double h;            /* of the step played last */
};

int run_input_is_fed(const tt_run *r, uint32_t slot)
{
    const tt_score *s = r->score;
    uint32_t first = s->section[TT_SEC_STEP].first;

    for (uint32_t i = first; i < first + s->section[TT_SEC_STEP].n; i++) {
        const struct tt_op *op = &s->op[i];
        const struct tt_batch *g;

        if (op->code != TT_OP_SET || op->unit != r->plan->slot[slot].unit ||
            (op->at != TT_T1 && !(op->flags & TT_OP_INTERPOLATE)))
            continue;
        g = &s->batch[op->arg];
        for (uint32_t k = 0; k < g->n; k++)
            if (s->member[g->first + k] == slot)
                return 1;
    }
    return 0;
}

/* Only what is held can be corrected: an extrapolated course follows its
 * source's trend by itself, and what it misses changes sign too often to be
 * repaid a step later; a fed one misses nothing. */
static int corrects(const tt_run *r, const struct bond *bond, int i)
{
    return bond->plan->given->correct && !bond->fed[i] &&
           r->plan->slot[bond->plan->in[i]].course == TT_NONE;
}

static void note_uncorrected(tt_run *r, const struct bond *bond)
{
    char name[512];

    for (int i = 0; i < 2; i++)
        if (bond->plan->given->correct && !corrects(r, bond, i))
            run_note(r, "energy",
                     "bond '%s': %s is not corrected, because it is not "
                     "held over a step",
                     bond->plan->given->name,
                     tt_plan_slot_name(r->plan, bond->plan->in[i], name,
                                       sizeof(name)));
}

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    uint32_t n = r->plan->n_bond;
    struct tt_bonds *b;

    if (!n)
        return TT_OK;
    if (!RUN_NEW(r, b, 1) || !RUN_NEW(r, b->bond, n) || !RUN_NEW(r, b->e0, n) ||
        !RUN_NEW(r, b->end, n))
        return run_nomem(err);
    r->bonds = b;
    *wanted = 1;
    b->n = n;
    run_reserve(r, TT_REGION_STEP, "bonds", n * sizeof(*b->ledger), &b->ledger);
    for (uint32_t k = 0; k < n; k++) {
        b->bond[k].plan = &r->plan->bond[k];
        b->e0[k] = b->bond[k].plan->given->energy;
        for (int i = 0; i < 2; i++)
            b->bond[k].fed[i] = run_input_is_fed(r, r->plan->bond[k].in[i]);
        note_uncorrected(r, &b->bond[k]);
    }
    return TT_OK;
}

static double value(const tt_run *r, uint32_t slot)
{
    return *(const double *)tt_part_value(r->part, slot);
}

/* What was missed in a long step is not repaid in a short one, where it would
 * be a blow. What was exchanged stays as it is in the frame. */
static enum tt_code correct(tt_run *r, struct bond *bond,
                            const struct ledger *l, int i, tt_err *err)
{
    double h = r->now->t[TT_T1] - r->now->t[TT_T0], to;
    const struct tt_slot *s = &r->plan->slot[bond->plan->in[i]];
    struct tt_span span = {.port = &s->port, .n = 1, .value = &to};

    if (!corrects(r, bond, i))
        return TT_OK;
    bond->nudge[i] = tt_nepce_correction(l->owed[i], fmax(h, l->over), 1);
    to = bond->plan->sign[i] * (bond->u0[i] + bond->nudge[i]);
    return tt_unit_set(r->unit[s->unit], &span, err);
}

static enum tt_code before_step(tt_run *r, tt_err *err)
{
    struct tt_bonds *b = r->bonds;
    enum tt_code rc = TT_OK;

    for (uint32_t k = 0; k < b->n; k++)
        for (int i = 0; i < 2 && rc == TT_OK; i++) {
            struct bond *bond = &b->bond[k];

            bond->u0[i] = bond->plan->sign[i] * value(r, bond->plan->in[i]);
            bond->y0[i] = value(r, bond->plan->out[i]);
            rc = correct(r, bond, &b->ledger[k], i, err);
        }
    return rc;
}

static void before_exchange(tt_run *r)
{
    struct tt_bonds *b = r->bonds;

    for (uint32_t k = 0; k < b->n; k++)
        for (int i = 0; i < 2; i++) {
            struct bond *bond = &b->bond[k];
            uint32_t slot = bond->plan->in[i];

            if (!bond->fed[i]) {
                tt_part_predict(r->part, slot, r->now->t[TT_T1], &bond->u1[i]);
                bond->u1[i] *= bond->plan->sign[i];
                continue;
            }
            bond->u1[i] = bond->plan->sign[i] * value(r, slot);
            if (r->plan->slot[slot].course == TT_NONE)
                bond->u0[i] = bond->u1[i]; /* the new value all along */
        }
}

static struct tt_bond bond_at(const double *u, const double *y,
                              const double *nudge)
{
    return (struct tt_bond){
        .ua = u[0] + nudge[0], .ya = y[0], .ub = u[1] + nudge[1], .yb = y[1]};
}

/* Residual power as a line over the step. */
static void settle(const tt_run *r, const struct bond *b, struct ledger *l,
                   const double *y1)
{
    double h = r->now->t[TT_T1] - r->now->t[TT_T0];
    struct tt_bond start = bond_at(b->u0, b->y0, b->nudge);
    struct tt_bond end = bond_at(b->u1, y1, b->nudge);
    double energy =
        0.5 * h * (tt_bond_residual(&start) + tt_bond_residual(&end));

    l->net += energy;
    l->gross += fabs(energy);
    for (int i = 0; i < 2; i++)
        if (corrects(r, b, i))
            l->owed[i] += tt_nepce_missing(b->y0[1 - i], b->u0[i], y1[1 - i],
                                           b->u1[i], h) -
                          b->nudge[i] * h;
    l->over = fmax(h, l->over - h);
}

static void after_exchange(tt_run *r, const struct tt_phase *at)
{
    static const double none[2] = {0};
    struct tt_bonds *b = r->bonds;

    (void)at;
    b->h = r->now->t[TT_T1] - r->now->t[TT_T0];
    for (uint32_t k = 0; k < b->n; k++) {
        double y1[2] = {value(r, b->bond[k].plan->out[0]),
                        value(r, b->bond[k].plan->out[1])};

        settle(r, &b->bond[k], &b->ledger[k], y1);
        b->end[k] = bond_at(b->bond[k].u1, y1, none);
    }
}

/* --- leaps -----------------------------------------------------------------
 */

#define ROUNDING 1e-12 /* of a power: no leap */

/* What each side sees now. */
static void look_at_power(const tt_run *r, const struct tt_plan_bond *p,
                          double *power)
{
    for (int i = 0; i < 2; i++)
        power[i] = p->sign[i] * value(r, p->in[i]) * value(r, p->out[i]);
}

static void stands(tt_run *r)
{
    for (uint32_t k = 0; k < r->bonds->n; k++)
        look_at_power(r, r->bonds->bond[k].plan, r->bonds->ledger[k].power);
}

/* An event takes no time, and no energy passes in it. What differs between the
 * sides behind it is made or lost until values are exchanged again. */
static void leapt(tt_run *r)
{
    for (uint32_t k = 0; k < r->bonds->n; k++) {
        struct ledger *l = &r->bonds->ledger[k];
        double power[2], by = 0;

        look_at_power(r, r->bonds->bond[k].plan, power);
        for (int i = 0; i < 2; i++)
            if (fabs(power[i] - l->power[i]) >
                ROUNDING * fmax(fabs(power[i]), fabs(l->power[i])))
                by = fmax(by, fabs(power[i] - l->power[i]));
        memcpy(l->power, power, sizeof(power));
        if (by == 0)
            continue;
        l->leaps++;
        l->leap = fmax(l->leap, by);
        l->rest = fmax(l->rest, fabs(power[0] - power[1]));
    }
}

double run_bonds_estimate(const tt_run *r, double abstol, double reltol)
{
    const struct tt_bonds *b = r->bonds;

    return tt_estimate_ecco(b->end, b->e0, b->n, b->h, abstol, reltol);
}

uint32_t tt_run_bonds(const tt_run *r)
{
    return r->bonds ? r->bonds->n : 0;
}

struct tt_run_bond tt_run_bond(const tt_run *r, uint32_t i)
{
    const struct tt_bonds *b = r->bonds;

    return (struct tt_run_bond){
        .name = r->plan->bond[i].given->name,
        TT_SAME(&b->ledger[i], net, gross, leaps, leap, rest),
        .corrected =
            corrects(r, &b->bond[i], 0) || corrects(r, &b->bond[i], 1)};
}

static void report(tt_run *r)
{
    for (uint32_t k = 0; k < tt_run_bonds(r); k++) {
        struct tt_run_bond b = tt_run_bond(r, k);
        char net[TT_NUM_MAX], gross[TT_NUM_MAX];

        tt_num_print_digits(net, b.net, 6);
        tt_num_print_digits(gross, b.gross, 6);
        run_note(r, "energy", "bond '%s': residual %s J, %s J in amounts%s",
                 b.name, net, gross, b.corrected ? ", corrected" : "");
        if (!b.leaps)
            continue;
        tt_num_print_digits(net, b.leap, 6);
        tt_num_print_digits(gross, b.rest, 6);
        run_note(r, "energy",
                 "bond '%s': its power leapt at %llu events, by %s W at most; "
                 "behind one its sides differ by %s W at most",
                 b.name, (unsigned long long)b.leaps, net, gross);
    }
}

const struct run_companion run_bonds_companion = {
    .end = report,
    TT_HOOKS(, make, before_step, before_exchange, after_exchange, stands,
             leapt)};
