/* SPDX-License-Identifier: MIT */
/* What every kind of policy must keep to, alone and together with any others,
 * on signals and outcomes at random: a new kind is added to `sample` and held
 * to the same. */
#include "step/test_rig.h"

static const uint32_t port0[] = {0};
static const double listed[] = {0.3, 0.1, 1.7, 2.25};

/* One of each. */
static const struct tt_policy_opts sample[] = {
    {.kind = TT_POLICY_FIXED, .step = 0.1},
    {.kind = TT_POLICY_ZERO, .ports = port0, .n_ports = 1},
    {.kind = TT_POLICY_BOUNDED,
     .ports = port0,
     .n_ports = 1,
     .bounded = {.abstol = 0.2, .reltol = 10}},
    {.kind = TT_POLICY_SAMPLING, .sampling = {.base = -2, .rate = 37}},
    {.kind = TT_POLICY_UNIT_MAX},
    {.kind = TT_POLICY_ERROR, .control = {.estimate = 0}},
    {.kind = TT_POLICY_INSTANTS, .instants = listed, .n_instants = 4},
    {.kind = TT_POLICY_LOCATE, .ports = port0, .n_ports = 1},
};
#define KINDS (sizeof(sample) / sizeof(*sample))
#define END   3.0

struct dice {
    uint64_t seed;
};

static double throw(struct dice * d)
{
    d->seed =
        d->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(d->seed >> 11) * 0x1p-53;
}

/* A set of kinds at random, or one alone. */
static uint32_t choose(struct dice *d, uint32_t round,
                       struct tt_policy_opts *out)
{
    uint32_t n = 0;

    if (round < KINDS) {
        out[0] = sample[round];
        return 1;
    }
    for (uint32_t i = 0; i < KINDS; i++)
        if (throw(d) < 0.5)
            out[n++] = sample[i];
    return n;
}

/* What a step from t0 to t1 came to, at random. */
static struct tt_policy_evidence witness(struct dice *d, double t0, double t1,
                                         double *v,
                                         struct tt_policy_estimate *e)
{
    double what = throw(d);
    struct tt_policy_evidence ev = {.t0 = t0,
                                    .t1 = t1,
                                    .v0 = v,
                                    .v1 = v + 1,
                                    .estimates = e,
                                    .n_estimates = 1,
                                    .can_roll_back = throw(d) < 0.9};

    v[1] = v[0] + (throw(d) - 0.5) * 4 * (t1 - t0);
    *e = (struct tt_policy_estimate){2 * throw(d) * (t1 - t0) / 0.1, 2};
    if (what < 0.05) {
        ev.outcome = TT_POLICY_REFUSED;
        ev.reached = t0 + throw(d) * (t1 - t0);
    } else if (what < 0.1) {
        ev.outcome = TT_POLICY_EARLY;
        ev.reached = t0 + throw(d) * (t1 - t0);
    } else if (what < 0.12) {
        ev.outcome = TT_POLICY_LOST;
    }
    return ev;
}

/* The next instant of those that must not be passed. */
static double barrier(const struct tt_policy_opts *o, uint32_t n, double t)
{
    double next = END;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < o[i].n_instants; k++)
            if (o[i].instants[k] > t + 1e-9 && o[i].instants[k] < next)
                next = o[i].instants[k];
    return next;
}

struct trial {
    struct tt_policy *p, *twin; /* of one set; the twin lives in a copy */
    void *before;
    size_t size;
    struct tt_policy_opts o[KINDS];
    uint32_t n;
};

/* Judging changes nothing, and states the same of a copy of the block. */
static struct tt_policy_ruling judged(struct trial *k,
                                      const struct tt_policy_evidence *ev)
{
    struct tt_policy_ruling r, same;

    memcpy(k->before, k->p, k->size);
    r = tt_policy_judge(k->p, ev);
    assert_memory_equal(k->before, k->p, k->size);
    memcpy(k->twin, k->p, k->size);
    same = tt_policy_judge(k->twin, ev);
    assert_int_equal(r.verdict, same.verdict);
    assert_int_equal(r.by, same.by);
    assert_true(r.by < k->n + TT_POLICY_OWN_COUNT);
    if (r.verdict == TT_POLICY_RETRY)
        assert_true(ev->can_roll_back && r.h > 0 && r.t1 < ev->t1);
    return r;
}

static void landed(const struct trial *k, const struct tt_policy_step *s,
                   double t)
{
    assert_true(s->t1 > t && s->h > 0);
    assert_true(s->t1 <= barrier(k->o, k->n, t) + 1e-9);
    assert_true(fabs(s->t1 - t - s->h) <= 1e-9 * s->h + 1e-15);
    assert_true(s->by < k->n + TT_POLICY_OWN_COUNT);
    assert_non_null(tt_policy_name(k->p, s->by));
}

/* One step; 0: the set gave up. */
static int step(struct trial *k, struct dice *d, struct tt_policy_ask *ask,
                double *v)
{
    struct tt_policy_step s = tt_policy_propose(k->p, ask);
    struct tt_policy_estimate e;

    for (int tries = 0;; tries++) {
        struct tt_policy_evidence ev;
        struct tt_policy_ruling r;

        assert_true(tries < 100000);
        landed(k, &s, ask->t);
        ev = witness(d, ask->t, s.t1, v, &e);
        r = judged(k, &ev);
        if (r.verdict == TT_POLICY_GIVE_UP)
            return 0;
        if (r.verdict != TT_POLICY_RETRY) {
            tt_policy_commit(k->p, &ev, &r);
            ask->t = s.t1;
            v[0] = v[1];
            return 1;
        }
        s = tt_policy_retry(k->p, &r, ask);
    }
}

static void perform(struct trial *k, struct dice *d)
{
    struct tt_policy_ask ask = {.end = END};
    double v[2] = {throw(d) - 0.5, 0};

    tt_policy_start(k->p, 0, v);
    for (int n = 0; ask.t < END && n < 100000; n++) {
        ask.unit_max = throw(d) < 0.5 ? 0 : 0.01 + throw(d);
        if (!step(k, d, &ask, v))
            return;
    }
    assert_true(ask.t == END);
}

static void every_kind_keeps_to_the_contract(void **state)
{
    struct tt_policy_limits lim = {
        .min = 1e-4, .max = 0.5, .init = 0.01, .n_watched = 1};

    (void)state;
    for (uint32_t round = 0; round < 400; round++) {
        struct dice d = {.seed = round * 977 + 1};
        struct trial k = {.n = 0};

        k.n = choose(&d, round, k.o);
        k.size = tt_policy_size(&lim, k.o, k.n);
        k.p = tt_policy_init(tt_alloc(k.size), &lim, k.o, k.n);
        k.twin = tt_alloc(k.size);
        k.before = tt_alloc(k.size);
        perform(&k, &d);
        tt_free(k.p);
        tt_free(k.twin);
        tt_free(k.before);
    }
}

static void every_kind_has_a_name_and_counts(void **state)
{
    struct tt_policy_limits lim = {.n_watched = 1, .max = 1};

    (void)state;
    for (uint32_t i = 0; i < KINDS; i++) {
        struct rig r = {.n_ports = 0};

        assert_int_equal(sample[i].kind, i); /* none is missing */
        rig_init(&r, &lim, &sample[i], 1);
        assert_string_equal(tt_policy_name(r.p, 0),
                            tt_policy_kind_name(sample[i].kind));
        assert_int_equal(tt_policy_counts(r.p, 0).limited, 0);
        rig_fini(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_keeps_to_the_contract),
        cmocka_unit_test(every_kind_has_a_name_and_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
