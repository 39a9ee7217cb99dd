/* SPDX-License-Identifier: MIT */
/* Whole runs against a reference that knows no score, no slot and no stamp:
 * Jacobi and Gauss-Seidel, with and without rates, written down from their
 * definitions, on the same
 * linear units (plan/crowd.h). Values must be equal to the last bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "plan/crowd.h"
#include "run/testing.h"

#define UNITS 12
#define PORTS 6

/* --- the reference ------------------------------------------------------- */

struct ref_unit {
    const struct tt_crowd_type *type;
    int standard;   /* outputs stay as they were after the step */
    uint32_t rate;  /* steps in a macro step */
    uint32_t group; /* the first unit of those it exchanges with inside */
    double x, u[PORTS], y[PORTS];
    struct source {
        int connected;
        uint32_t unit, out;
        enum tt_reactivity reactivity;
    } from[PORTS];
};

struct ref {
    struct ref_unit unit[UNITS];
    uint32_t n, order[UNITS];
    int gauss_seidel;
};

static void evaluate(struct ref_unit *u)
{
    for (uint32_t j = 0; j < u->type->n_out; j++) {
        u->y[j] = u->type->own[j] * u->x;
        for (uint32_t k = 0; k < u->type->n_in; k++)
            if (u->type->c[j * u->type->n_in + k] != 0)
                u->y[j] += u->type->c[j * u->type->n_in + k] * u->u[k];
    }
}

/* Constant inputs, so all four slopes of Runge and Kutta are one. */
static void integrate(struct ref_unit *u, double h)
{
    double d = 0;

    for (uint32_t k = 0; k < u->type->n_in; k++)
        d += u->type->rate[k] * u->u[k];
    if (u->type->n_in)
        u->x = u->x + h / 6 * (d + 2 * d + 2 * d + d);
}

/* Pass values round until nothing changes: without a true circle it ends. */
static void settle(struct ref *r, int all)
{
    for (int again = 1; again;) {
        again = 0;
        for (uint32_t i = 0; i < r->n; i++) {
            struct ref_unit *u = &r->unit[i];
            double before[PORTS];

            for (uint32_t k = 0; k < u->type->n_in; k++)
                if (u->from[k].connected)
                    u->u[k] = r->unit[u->from[k].unit].y[u->from[k].out];
            memcpy(before, u->y, sizeof(before));
            if (all || !u->standard)
                evaluate(u);
            again |= memcmp(before, u->y, sizeof(before)) != 0;
        }
    }
}

static uint32_t place(const struct ref *r, uint32_t unit)
{
    uint32_t i = 0;

    while (r->order[i] != unit)
        i++;
    return i;
}

static int takes_new_value(const struct ref *r, uint32_t unit, uint32_t k)
{
    const struct source *s = &r->unit[unit].from[k];

    if (!s->connected || s->reactivity == TT_REACT_DELAYED)
        return 0;
    if (s->reactivity == TT_REACT_REACTIVE)
        return 1;
    return r->gauss_seidel && place(r, s->unit) < place(r, unit);
}

static int is_inner(const struct ref *r, uint32_t unit, uint32_t k)
{
    const struct ref_unit *u = &r->unit[unit];

    return u->from[k].connected && u->rate > 1 &&
           r->unit[u->from[k].unit].group == u->group;
}

/* New values, from inside the unit's group or from outside. */
static void feed(struct ref *r, uint32_t unit, int inside)
{
    struct ref_unit *u = &r->unit[unit];

    for (uint32_t k = 0; k < u->type->n_in; k++)
        if (is_inner(r, unit, k) == inside && takes_new_value(r, unit, k))
            u->u[k] = r->unit[u->from[k].unit].y[u->from[k].out];
}

/* What is read until its inputs change is that of the step's end. */
static void advance(struct ref_unit *u, double h)
{
    integrate(u, h);
    evaluate(u);
}

/* As settle, among the units of a group. */
static void settle_inside(struct ref *r, const uint32_t *member, uint32_t n)
{
    for (int again = 1; again;) {
        again = 0;
        for (uint32_t i = 0; i < n; i++) {
            struct ref_unit *u = &r->unit[member[i]];
            double before[PORTS];

            for (uint32_t k = 0; k < u->type->n_in; k++)
                if (is_inner(r, member[i], k))
                    u->u[k] = r->unit[u->from[k].unit].y[u->from[k].out];
            memcpy(before, u->y, sizeof(before));
            if (!u->standard)
                evaluate(u);
            again |= memcmp(before, u->y, sizeof(before)) != 0;
        }
    }
}

static void step_group(struct ref *r, const uint32_t *member, uint32_t n,
                       double t0, double t1)
{
    uint32_t rate = r->unit[member[0]].rate;

    for (uint32_t i = 0; i < n; i++)
        feed(r, member[i], 0);
    for (uint32_t s = 1; s <= rate; s++) {
        for (uint32_t i = 0; i < n; i++) {
            feed(r, member[i], 1);
            advance(&r->unit[member[i]], (t1 - t0) / rate);
        }
        settle_inside(r, member, n);
    }
}

static void ref_step(struct ref *r, double t0, double t1)
{
    for (uint32_t i = 0; i < r->n;) {
        uint32_t unit = r->order[i], n = 1;

        while (r->unit[unit].rate > 1 && i + n < r->n &&
               r->unit[r->order[i + n]].group == r->unit[unit].group)
            n++;
        if (r->unit[unit].rate > 1) {
            step_group(r, r->order + i, n, t0, t1);
        } else {
            feed(r, unit, 0);
            advance(&r->unit[unit], t1 - t0);
        }
        i += n;
    }
    settle(r, 0);
}

/* Connected units of one rate: the least index there is to be found. */
static void find_groups(struct ref *r)
{
    for (uint32_t u = 0; u < r->n; u++)
        r->unit[u].group = u;
    for (int again = 1; again;) {
        again = 0;
        for (uint32_t u = 0; u < r->n; u++)
            for (uint32_t k = 0; k < r->unit[u].type->n_in; k++) {
                struct ref_unit *a = &r->unit[u], *b;

                b = &r->unit[a->from[k].unit];
                if (!a->from[k].connected || a->rate == 1 ||
                    a->rate != b->rate || a->group == b->group)
                    continue;
                a->group = b->group = a->group < b->group ? a->group : b->group;
                again = 1;
            }
    }
}

static void ref_start(struct ref *r, const struct tt_crowd *c,
                      const uint32_t *order)
{
    const tt_scenario *s = &c->scenario;

    *r = (struct ref){.n = s->n_unit,
                      .gauss_seidel = s->master == TT_MASTER_GAUSS_SEIDEL};
    for (uint32_t u = 0; u < r->n; u++) {
        r->unit[u].type = &c->type[s->unit[u].fmu];
        r->unit[u].standard =
            c->spec[s->unit[u].fmu].caps.evaluates != TT_EVAL_ALWAYS;
        r->unit[u].x = c->x0[u];
        r->unit[u].rate = s->unit[u].rate ? s->unit[u].rate : 1;
        r->order[u] = order[u];
    }
    for (uint32_t i = 0; i < s->n_connection; i++) {
        const struct tt_sc_connection *conn = &s->connection[i];
        uint32_t fmu = s->unit[conn->to.unit].fmu;
        uint32_t k = (uint32_t)(conn->to.variable[1] - '0');

        r->unit[conn->to.unit].from[k] = (struct source){
            1, conn->from.unit, (uint32_t)(conn->from.variable[1] - '0'),
            c->spec[fmu].port[k].reactivity};
    }
    find_groups(r);
    settle(r, 1);
}

/* --- the run ------------------------------------------------------------- */

struct seen {
    tt_observer observer;
    const struct tt_rows *rows;
    struct ref *ref;
    uint64_t compared;
    uint32_t n_row;
    char wrong[256];
};

static enum tt_code see_begin(tt_observer *o, const struct tt_rows *rows,
                              tt_err *err)
{
    (void)err;
    ((struct seen *)(void *)o)->rows = rows;
    return TT_OK;
}

/* "{t3}.i12.y2": unit 12, output 2. */
static double expected(const struct ref *r, const char *name)
{
    unsigned type, unit, port;
    char kind;

    assert_int_equal(sscanf(name, "{t%u}.i%u.%c%u", &type, &unit, &kind, &port),
                     4);
    return kind == 'y' ? r->unit[unit].y[port] : r->unit[unit].u[port];
}

static enum tt_code see_row(tt_observer *o, struct tt_instant at, double h,
                            tt_err *err)
{
    struct seen *s = (struct seen *)(void *)o;

    (void)err;
    if (s->n_row++ > 0)
        ref_step(s->ref, at.t - h, at.t); /* quarters: exact */
    for (uint32_t i = 0; i < s->rows->n; i++) {
        double want = expected(s->ref, s->rows->column[i].name);
        double got = *(const double *)s->rows->column[i].value;

        s->compared++;
        if (memcmp(&want, &got, sizeof(want)) != 0 && !*s->wrong)
            snprintf(s->wrong, sizeof(s->wrong),
                     "%s at at.t=%g: %.17g, not %.17g", s->rows->column[i].name,
                     at.t, got, want);
    }
    return TT_OK;
}

static const struct tt_observer_ops see_ops = {.begin = see_begin,
                                               .row = see_row,
                                               .end = st_observer_end,
                                               .free = st_observer_free};

static int has_cut(const tt_score *s)
{
    const uint32_t first = s->section[TT_SEC_STEP].first;
    const uint32_t end =
        s->section[TT_SEC_EXCHANGE].first + s->section[TT_SEC_EXCHANGE].n;

    for (uint32_t i = first; i < end; i++)
        if (s->op[i].flags & TT_OP_CUT)
            return 1;
    return 0;
}

/* Returns the number of values compared; 0 when there is nothing to compare:
 * reactive inputs contradict, or an assumed loop had to be cut somewhere. */
static uint64_t compare(const struct tt_crowd_opts *o)
{
    static struct ref ref;
    struct seen seen = {.observer = {.ops = &see_ops}, .ref = &ref};
    tt_observer *const observer[] = {&seen.observer};
    const struct tt_run_opts ro = {
        .observer = observer, .n_observer = 1, .kind_cb = st_kind_of_mocks};
    struct tt_crowd c;
    tt_run *run = NULL;
    tt_err err;

    tt_crowd_init(&c, o);
    tt_crowd_register(&c);
    if (tt_run_new(&run, &c.scenario, &ro, &err) != TT_OK) {
        assert_non_null(strstr(err.msg, " is reactive: "));
    } else if (!has_cut(tt_run_score(run))) {
        ref_start(&ref, &c, tt_run_score(run)->order);
        if (tt_run_perform(run, &err) != TT_OK)
            fail_msg("seed %d: %s", (int)o->seed, err.msg);
        if (*seen.wrong)
            fail_msg("seed %d: %s", (int)o->seed, seen.wrong);
        assert_int_equal(seen.n_row, 9);
    }
    tt_run_free(run);
    tt_mock_register(NULL, NULL);
    tt_crowd_fini(&c);
    return seen.compared;
}

static void runs_equal_their_definition_to_the_last_bit(void **state)
{
    uint64_t values = 0;
    int runs = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        const struct tt_crowd_opts o = {
            .seed = seed,
            .n_type = 1 + (uint32_t)seed % 4,
            .n_unit = 1 + (uint32_t)seed % UNITS,
            .n_in = 1 + (uint32_t)(seed / 2) % PORTS,
            .n_out = 1 + (uint32_t)(seed / 3) % PORTS,
            .through = 30,
            .unknown = (uint32_t)(seed / 5) % 3 * 15,
            .standard = (uint32_t)(seed / 7) % 3 * 50,
            .connected = 50 + (uint32_t)seed % 50,
            .reactive = (uint32_t)(seed / 11) % 3 * 5,
            .delayed = (uint32_t)(seed / 13) % 2 * 20,
            .recorded = 50,
            .acyclic = 1,
            .fast = (uint32_t)(seed / 17) % 2 * 60,
            .gauss_seidel = seed % 2 == 0,
            .order_given = (seed / 2) % 3 == 0,
            .end = 2,
        };
        uint64_t n = compare(&o);

        runs += n > 0;
        values += n;
    }
    print_message("%d runs, %llu values\n", runs, (unsigned long long)values);
    assert_true(runs > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_equal_their_definition_to_the_last_bit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
