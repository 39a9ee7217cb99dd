/* SPDX-License-Identifier: MIT */
/* Written scores keep their promise when played, and what the checker lets
 * pass is harmless: an oracle that knows nothing of stamps looks at the live
 * units after every step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "player/testing.h"

/* --- the oracle ---------------------------------------------------------- */

static int is_cut(const tt_score *s, enum tt_section section, uint32_t slot)
{
    for (uint32_t i = 0; i < s->section[section].n; i++) {
        const struct tt_op *op = &s->op[s->section[section].first + i];

        if (op->code != TT_OP_GET || !(op->flags & TT_OP_CUT))
            continue;
        for (uint32_t k = 0; k < s->batch[op->arg].n; k++)
            if (s->member[s->batch[op->arg].first + k] == slot)
                return 1;
    }
    return 0;
}

/* Every unit stands at t; every input in its unit is its source's value in
 * the frame; every value in the frame is what its unit states now. Returns the
 * slot that is wrong, or TT_NONE. */
static uint32_t wrong_slot(struct tt_rig *r, enum tt_section section)
{
    const tt_plan *p = r->plan;

    for (uint32_t u = 0; u < p->n_unit; u++)
        if (r->unit[u]->now != r->now.t[TT_T1])
            return p->unit[u].slot;
    for (uint32_t f = 0; f < p->n_feed; f++) {
        const double *from = tt_part_value(r->part, p->feed[f].from);

        if (tt_rig_number(r, p->feed[f].to) != *from)
            return p->feed[f].to;
    }
    for (uint32_t s = 0; s < p->n_slot; s++) {
        const double *value = tt_part_value(r->part, s);

        if (p->slot[s].dir != TT_SLOT_IN && !is_cut(r->score, section, s) &&
            tt_rig_number(r, s) != *value)
            return s;
    }
    return TT_NONE;
}

static const char *play_and_look(struct tt_crowd *c, tt_plan *p,
                                 const tt_score *s, char *name, size_t size)
{
    struct tt_rig r = {.timed = 0};
    uint32_t wrong = TT_NONE;

    if (tt_rig_start(&r, p, s, c->made) != TT_OK)
        fail_msg("%s", r.err.msg);
    /* an unknown output may have been swept into another value: the last
     * turn of a loop without a true circle ends it */
    wrong = wrong_slot(&r, TT_SEC_INIT);
    for (int n = 0; n < 3 && wrong == TT_NONE; n++) {
        if (tt_rig_step(&r, 0.25) != TT_OK)
            fail_msg("%s", r.err.msg);
        wrong = wrong_slot(&r, TT_SEC_EXCHANGE);
    }
    tt_rig_fini(&r);
    return wrong == TT_NONE ? NULL : tt_plan_slot_name(p, wrong, name, size);
}

/* --- mutations ----------------------------------------------------------- */

#define MOST 512

struct mutant {
    tt_score s;
    struct tt_op op[MOST];
};

static void copy_out(struct mutant *m, const tt_score *s)
{
    assert_true(s->n_op + 1 <= MOST);
    m->s = *s;
    memcpy(m->op, s->op, s->n_op * sizeof(*s->op));
    m->s.op = m->op;
}

static int section_of(const tt_score *s, uint32_t at)
{
    int sec = 0;

    while (at >= s->section[sec].first + s->section[sec].n)
        sec++;
    return sec;
}

static void resize(struct mutant *m, uint32_t at, int by)
{
    int sec = section_of(&m->s, at);

    m->s.n_op += (uint32_t)by;
    m->s.section[sec].n += (uint32_t)by;
    for (sec++; sec < TT_SEC_N; sec++)
        m->s.section[sec].first += (uint32_t)by;
}

static void drop(struct mutant *m, uint32_t at)
{
    resize(m, at, -1);
    memmove(m->op + at, m->op + at + 1, (m->s.n_op - at) * sizeof(*m->op));
}

static void twice(struct mutant *m, uint32_t at)
{
    memmove(m->op + at + 1, m->op + at, (m->s.n_op - at) * sizeof(*m->op));
    resize(m, at, 1);
}

static void swap(struct mutant *m, uint32_t a, uint32_t b)
{
    struct tt_op t = m->op[a];

    m->op[a] = m->op[b];
    m->op[b] = t;
}

struct tally {
    int scores, refused, harmless;
};

static void try_mutant(struct tt_crowd *c, tt_plan *p, struct mutant *m,
                       const char *what, uint32_t at, struct tally *t)
{
    char name[256];
    const char *wrong;

    if (tt_score_check(&m->s, NULL) != TT_OK) {
        t->refused++;
        return;
    }
    wrong = play_and_look(c, p, &m->s, name, sizeof(name));
    if (wrong)
        fail_msg("%s operation %u was let pass, but %s is wrong", what, at,
                 wrong);
    t->harmless++;
}

static void mutate(struct tt_crowd *c, tt_plan *p, const tt_score *s,
                   struct tally *t)
{
    struct mutant m;
    uint64_t seed = s->hash;

    for (uint32_t i = 0; i < s->n_op; i++) {
        uint32_t k = tt_crowd_below(&seed, s->n_op);

        copy_out(&m, s);
        drop(&m, i);
        try_mutant(c, p, &m, "dropping", i, t);
        copy_out(&m, s);
        twice(&m, i);
        try_mutant(c, p, &m, "doubling", i, t);
        copy_out(&m, s);
        swap(&m, i, (i + 1) % s->n_op);
        try_mutant(c, p, &m, "swapping with the next", i, t);
        copy_out(&m, s);
        swap(&m, i, k);
        try_mutant(c, p, &m, "swapping with any", i, t);
    }
}

static void one_crowd(const struct tt_crowd_opts *o, int mutants,
                      struct tally *t)
{
    struct tt_crowd c;
    tt_plan *p = NULL;
    tt_score *s = NULL;
    tt_err err;
    char name[256];
    const char *wrong;

    tt_crowd_init(&c, o);
    assert_int_equal(tt_plan_new(&p, &c.scenario, c.desc, NULL, &err), TT_OK);
    if (tt_score_new(&s, p, &err) == TT_OK) {
        t->scores++;
        wrong = play_and_look(&c, p, s, name, sizeof(name));
        if (wrong)
            fail_msg("seed %d: %s is wrong", (int)o->seed, wrong);
        if (mutants)
            mutate(&c, p, s, t);
    }
    tt_score_free(s);
    tt_plan_free(p);
    tt_crowd_fini(&c);
}

static struct tt_crowd_opts opts(uint64_t seed)
{
    return (struct tt_crowd_opts){
        .seed = seed,
        .n_type = 1 + (uint32_t)seed % 3,
        .n_unit = 1 + (uint32_t)seed % 5,
        .n_in = 1 + (uint32_t)(seed / 2) % 3,
        .n_out = 1 + (uint32_t)(seed / 3) % 3,
        .through = 35,
        .unknown = (uint32_t)(seed / 5) % 3 * 40,
        .standard = (uint32_t)(seed / 7) % 3 * 40,
        .connected = 50 + (uint32_t)seed % 50,
        .reactive = (uint32_t)(seed / 11) % 2 * 15,
        .delayed = (uint32_t)(seed / 13) % 2 * 20,
        .recorded = 40,
        .linear = seed % 4 ? 0 : 70,
        .acyclic = 1,
        .gauss_seidel = seed % 2 == 0,
        .order_given = (seed / 2) % 2 == 0,
    };
}

static void written_scores_keep_their_promise(void **state)
{
    struct tally t = {0, 0, 0};

    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        const struct tt_crowd_opts o = opts(seed);

        one_crowd(&o, 0, &t);
    }
    print_message("%d scores\n", t.scores);
    assert_true(t.scores > 2500);
}

static void a_changed_score_is_refused_or_harmless(void **state)
{
    struct tally t = {0, 0, 0};

    (void)state;
    for (uint64_t seed = 1; seed <= 240; seed++) {
        const struct tt_crowd_opts o = opts(seed);

        one_crowd(&o, 1, &t);
    }
    print_message("%d scores, %d changes refused, %d harmless\n", t.scores,
                  t.refused, t.harmless);
    assert_true(t.refused > 5000 && t.harmless > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_scores_keep_their_promise),
        cmocka_unit_test(a_changed_score_is_refused_or_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
