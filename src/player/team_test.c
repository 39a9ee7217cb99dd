/* SPDX-License-Identifier: MIT */
/* Several threads play what one would have played, and report what it would
 * have reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "player/team.h"
#include "player/testing.h"
#include "sys/crash.h"

#define MOST 4u /* threads */

struct act {
    struct tt_stand st;
    tt_score *score;
    struct tt_rig rig;
    tt_crew *crew;
    struct tt_now mate[MOST];
    tt_err err;
};

static void begin(struct act *a)
{
    *a = (struct act){.score = NULL};
    tt_stand_init(&a->st);
}

static void end(struct act *a)
{
    tt_rig_fini(&a->rig);
    tt_crew_free(a->crew);
    tt_score_free(a->score);
    tt_stand_fini(&a->st);
}

static void share(struct act *a, uint32_t threads, int force)
{
    if (threads < 2)
        return;
    assert_int_equal(tt_crew_new(&a->crew, threads, NULL, &a->err), TT_OK);
    assert_int_equal(
        tt_part_share(a->rig.part, a->crew, a->mate, force, &a->err), TT_OK);
}

static void started(struct act *a, const char *json, uint32_t threads,
                    int force)
{
    if (tt_rig_perform(&a->rig, &a->st, &a->score, json) != TT_OK)
        fail_msg("%s", a->rig.err.msg);
    share(a, threads, force);
}

#define REST                                                                   \
    ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, \"endTime\": "  \
    "9}"

/* --- the same values ------------------------------------------------------ */

struct twin {
    struct tt_rig rig;
    tt_crew *crew;
    struct tt_now mate[MOST];
};

static void start_twin(struct twin *w, struct tt_crowd *c, tt_plan *plan,
                       const tt_score *score, uint32_t threads)
{
    assert_int_equal(tt_rig_start(&w->rig, plan, score, c->made), TT_OK);
    if (threads < 2)
        return;
    assert_int_equal(tt_crew_new(&w->crew, threads, NULL, NULL), TT_OK);
    assert_int_equal(tt_part_share(w->rig.part, w->crew, w->mate, 1, NULL),
                     TT_OK);
}

static int check_crowd(uint64_t seed)
{
    const struct tt_crowd_opts o = {.seed = seed,
                                    .n_type = 4,
                                    .n_unit = 4 + (uint32_t)(seed % 9),
                                    .n_in = 3,
                                    .n_out = 3,
                                    .through = 30,
                                    .unknown = 20,
                                    .standard = 30,
                                    .connected = 80,
                                    .delayed = 10,
                                    .recorded = 50,
                                    .linear = 30,
                                    .acyclic = 1,
                                    .gauss_seidel = seed % 3 == 0,
                                    .end = 8};
    struct twin one = {.crew = NULL}, many = {.crew = NULL};
    struct tt_crowd c;
    tt_plan *plan = NULL;
    tt_score *score = NULL;
    const void *frame;
    tt_err err;
    size_t n;

    tt_crowd_init(&c, &o);
    c.scenario.iteration.turns = seed % 2 ? 3 : 0;
    assert_int_equal(tt_plan_new(&plan, &c.scenario, c.desc, NULL, &err),
                     TT_OK);
    if (tt_score_new(&score, plan, &err) == TT_OK) {
        start_twin(&one, &c, plan, score, 1);
        start_twin(&many, &c, plan, score, 2 + (uint32_t)(seed % 3));
        for (int i = 0; i < 8; i++) {
            assert_int_equal(tt_rig_step(&one.rig, 0.25), TT_OK);
            assert_int_equal(tt_rig_step(&many.rig, 0.25), TT_OK);
            frame = tt_rig_values(&one.rig, &n);
            assert_memory_equal(frame, tt_rig_values(&many.rig, &n), n);
        }
        tt_rig_fini(&one.rig);
        tt_rig_fini(&many.rig);
        tt_crew_free(many.crew);
    }
    tt_score_free(score);
    tt_plan_free(plan);
    tt_crowd_fini(&c);
    return score != NULL;
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    int played = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        played += check_crowd(seed);
    assert_true(played > 40);
}

/* --- the same words --------------------------------------------------------
 */

#define FIVE                                                                   \
    "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\", \"{c}\": \"c\", \"{d}\": "    \
    "\"d\", \"{e}\": \"e\"}, \"connections\": {\"{a}.a.y\": [\"{b}.b.u\"], "   \
    "\"{b}.b.y\": [\"{c}.c.u\"], \"{c}.c.y\": [\"{d}.d.u\"], \"{d}.d.y\": "    \
    "[\"{e}.e.u\"]}" REST

/* Five integrators with these cues, for the second step. What one thread
 * reports of it, several do. */
struct troupe {
    const char *json; /* NULL: FIVE */
    struct tt_mock_cue cue[5];
    struct tt_mock_spec spec[5];
};

static void play_five(struct act *a, struct troupe *five, uint32_t threads,
                      enum tt_code *rc)
{
    static const char *const key[] = {"{a}", "{b}", "{c}", "{d}", "{e}"};

    begin(a);
    for (int i = 0; i < 5; i++) {
        five->spec[i] = tt_mock_integrator;
        if (five->cue[i].act != TT_MOCK_NOTHING) {
            five->spec[i].cue = &five->cue[i];
            five->spec[i].n_cue = 1;
        }
        tt_stand_mock(&a->st, key[i], &five->spec[i]);
    }
    started(a, five->json ? five->json : FIVE, threads, 1);
    assert_int_equal(tt_rig_step(&a->rig, 1), TT_OK);
    *rc = tt_rig_step(&a->rig, 1);
}

static void reports_the_same(struct troupe *five)
{
    struct act one, many;
    enum tt_code rc_one, rc_many;

    play_five(&one, five, 1, &rc_one);
    for (uint32_t threads = 2; threads <= MOST; threads++) {
        const tt_unit *who;

        play_five(&many, five, threads, &rc_many);
        assert_int_equal(rc_many, rc_one);
        if (rc_one != TT_OK)
            assert_string_equal(many.rig.err.msg, one.rig.err.msg);
        who = many.rig.halt.unit;
        assert_int_equal(who != NULL, one.rig.halt.unit != NULL);
        assert_int_equal(many.rig.halt.flags, one.rig.halt.flags);
        if (who)
            assert_string_equal(who->name, one.rig.halt.unit->name);
        end(&many);
    }
    end(&one);
}

static struct tt_mock_cue at_step(enum tt_mock_act act, double value,
                                  const char *text)
{
    return (struct tt_mock_cue){
        .at = TT_MOCK_STEP, .nth = 2, .act = act, .value = value, .text = text};
}

static void the_first_failure_in_the_score_is_reported(void **state)
{
    struct troupe five = {.cue = {[1] = at_step(TT_MOCK_ERROR, 0, "b is tired"),
                                  [3] = at_step(TT_MOCK_ERROR, 0, "d too")}};
    struct act a;
    enum tt_code rc;

    (void)state;
    reports_the_same(&five);
    play_five(&a, &five, MOST, &rc);
    assert_int_equal(rc, TT_EUNIT);
    assert_string_equal(a.rig.err.msg,
                        "instance '{b}.b' (mock): step at t=1: b is tired");
    assert_int_equal(a.rig.unit[1]->life, TT_LIFE_BROKEN);
    end(&a);
}

static void the_first_outcome_that_halts_is_reported(void **state)
{
    struct troupe five = {.cue = {[2] = at_step(TT_MOCK_EARLY, 1.5, NULL),
                                  [3] = at_step(TT_MOCK_REJECT, 1.25, NULL),
                                  [4] = at_step(TT_MOCK_ERROR, 0, "late")}};
    struct act a;
    enum tt_code rc;

    (void)state;
    reports_the_same(&five);
    play_five(&a, &five, 3, &rc);
    assert_int_equal(rc, TT_OK);
    assert_string_equal(a.rig.halt.unit->name, "{c}.c");
    assert_int_equal(a.rig.halt.flags, TT_STEP_EARLY);
    end(&a);
}

static void a_failure_before_a_halt_wins_and_after_it_does_not(void **state)
{
    struct troupe before = {.cue = {[0] = at_step(TT_MOCK_ERROR, 0, "no"),
                                    [2] = at_step(TT_MOCK_REJECT, 1, NULL)}};
    struct troupe after = {.cue = {[1] = at_step(TT_MOCK_REJECT, 1, NULL),
                                   [4] = at_step(TT_MOCK_ERROR, 0, "no")}};

    (void)state;
    reports_the_same(&before);
    reports_the_same(&after);
}

static void wishes_to_end_are_taken_in_order(void **state)
{
    struct troupe two = {.cue = {[1] = at_step(TT_MOCK_TERMINATE, 0, NULL),
                                 [3] = at_step(TT_MOCK_TERMINATE, 0, NULL)}};
    struct troupe halted = {.cue = {[1] = at_step(TT_MOCK_TERMINATE, 0, NULL),
                                    [3] = at_step(TT_MOCK_REJECT, 1, NULL),
                                    [4] = at_step(TT_MOCK_TERMINATE, 0, NULL)}};
    struct act a;
    enum tt_code rc;

    (void)state;
    reports_the_same(&two);
    reports_the_same(&halted);
    play_five(&a, &two, 2, &rc);
    assert_string_equal(a.rig.halt.unit->name, "{b}.b");
    end(&a);
}

/* Levels: step a, step c; then step b, step d. One thread meets b first. */
static void a_failure_in_a_later_level_may_come_first_in_the_score(void **state)
{
    struct troupe five = {
        .json = "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\", \"{c}\": \"c\", "
                "\"{d}\": \"d\", \"{e}\": \"e\"}, \"connections\": "
                "{\"{a}.a.y\": [\"{b}.b.u\"], \"{c}.c.y\": [\"{d}.d.u\"]}, "
                "\"instances\": {\"{e}\": [\"e\"]}, \"master\": "
                "\"gauss-seidel\", \"order\": [\"a\", \"b\", \"c\", \"d\", "
                "\"e\"]" REST,
        .cue = {[1] = at_step(TT_MOCK_ERROR, 0, "b is tired"),
                [2] = at_step(TT_MOCK_REJECT, 1, NULL),
                [4] = at_step(TT_MOCK_ERROR, 0, "e too")}};
    struct act a;
    enum tt_code rc;

    (void)state;
    reports_the_same(&five);
    play_five(&a, &five, 2, &rc);
    assert_string_equal(a.rig.err.msg,
                        "instance '{b}.b' (mock): step at t=1: b is tired");
    end(&a);
}

/* --- states: words of cold calls ---------------------------------------------
 */

#define TWICE ", \"iterate\": 2"

static void play_saves(struct act *a, uint32_t threads, char *msg, size_t size)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_SAVE, .nth = 2, .act = TT_MOCK_ERROR, .text = "full"}};
    struct tt_mock_spec bad = tt_mock_integrator;

    bad.cue = cue;
    bad.n_cue = 1;
    begin(a);
    tt_stand_mock(&a->st, "{a}", &tt_mock_integrator);
    tt_stand_mock(&a->st, "{b}", &bad);
    tt_stand_mock(&a->st, "{c}", &bad);
    started(a,
            "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\", \"{c}\": \"c\"}, "
            "\"connections\": {\"{a}.a.y\": [\"{b}.b.u\"], \"{b}.b.y\": "
            "[\"{c}.c.u\"]}" TWICE REST,
            threads, 1);
    assert_int_equal(tt_rig_step(&a->rig, 1), TT_OK);
    assert_int_equal(tt_rig_step(&a->rig, 1), TT_EUNIT);
    snprintf(msg, size, "%s", a->rig.err.msg);
    end(a);
}

static void words_of_cold_calls_are_kept_apart(void **state)
{
    struct act a;
    char one[TT_ERR_MAX], many[TT_ERR_MAX];

    (void)state;
    play_saves(&a, 1, one, sizeof(one));
    play_saves(&a, 3, many, sizeof(many));
    assert_string_equal(one, "instance '{b}.b' (mock): save at t=1: full");
    assert_string_equal(many, one);
}

/* --- what may run together ---------------------------------------------- */

struct meeting {
    atomic_int inside, most, others;
    int32_t home; /* thread id, or 0: any */
};

static void meet(const struct tt_mock_view *v, double h)
{
    struct meeting *m = (struct meeting *)(uintptr_t)v->ctx;
    int n = atomic_fetch_add(&m->inside, 1) + 1;
    int most = atomic_load(&m->most);

    (void)h;
    while (n > most && !atomic_compare_exchange_weak(&m->most, &most, n))
        ;
    if (m->home && m->home != tt_thread_id())
        atomic_fetch_add(&m->others, 1);
    for (volatile int i = 0; i < 2000; i++)
        ;
    atomic_fetch_sub(&m->inside, 1);
}

static void play_meeting(enum tt_threads threads, struct meeting *m)
{
    static const struct tt_mock_port port[] = {
        {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = ""}};
    const struct tt_mock_spec spec = {.model = "meeting",
                                      .port = port,
                                      .n_port = 1,
                                      .caps = {.threads = threads},
                                      .behaviour = {.update = meet},
                                      .ctx = m};
    struct act a;

    begin(&a);
    tt_stand_mock(&a.st, "{m}", &spec);
    tt_stand_mock(&a.st, "{i}", &tt_mock_integrator);
    started(&a,
            "{\"fmus\": {\"{m}\": \"m\", \"{i}\": \"i\"}, \"connections\": "
            "{\"{m}.a.y\": [\"{i}.a.u\"], \"{m}.b.y\": [\"{i}.b.u\"], "
            "\"{m}.c.y\": [\"{i}.c.u\"]}" REST,
            3, 1);
    for (int i = 0; i < 200; i++)
        assert_int_equal(tt_rig_step(&a.rig, 1), TT_OK);
    end(&a);
}

static void instances_that_must_not_meet_never_do(void **state)
{
    struct meeting m = {.home = 0};

    (void)state;
    play_meeting(TT_THREADS_ONE, &m);
    assert_int_equal(atomic_load(&m.most), 1);
}

static void the_main_thread_s_units_stay_with_it(void **state)
{
    struct meeting m = {.home = tt_thread_id()};

    (void)state;
    play_meeting(TT_THREADS_MAIN, &m);
    assert_int_equal(atomic_load(&m.most), 1);
    assert_int_equal(atomic_load(&m.others), 0);
}

/* --- sharing only where it pays ----------------------------------------------
 */

#define PAIR                                                                   \
    "{\"fmus\": {\"{i}\": \"i\"}, \"instances\": {\"{i}\": [\"a\", \"b\", "    \
    "\"c\", \"d\"]}, \"connections\": {}, \"logVariables\": {\"{i}.a\": "      \
    "[\"y\"]}" REST

/* Were threads made, or used? */
static int is_shared_when_light(void)
{
    struct act a;
    int shared;

    begin(&a);
    tt_stand_mock(&a.st, "{i}", &tt_mock_integrator);
    started(&a, PAIR, 4, 0);
    for (int i = 0; i < 200; i++) {
        a.rig.timed = i % 8 == 0;
        assert_int_equal(tt_rig_step(&a.rig, 1), TT_OK);
    }
    shared = tt_part_team(a.rig.part).threads > 1;
    if (!shared) {
        assert_int_equal(tt_part_team(a.rig.part).used, 1);
        for (uint32_t u = 0; u < 4; u++)
            assert_int_equal(tt_part_stepped_by(a.rig.part, u), 1);
    }
    end(&a);
    return shared;
}

/* A unit that is interrupted while its step is timed looks heavy: on a busy
 * machine that happens, but not every time. */
static void light_units_are_left_together(void **state)
{
    int tries = 0;

    (void)state;
    while (is_shared_when_light())
        assert_true(++tries < 50);
}

/* Threads that stepped any of the first n units, a bit each. */
static uint64_t who_stepped(const struct act *a, uint32_t n)
{
    uint64_t all = 0;

    for (uint32_t u = 0; u < n; u++)
        all |= tt_part_stepped_by(a->rig.part, u);
    return all;
}

/* Sleeping takes time and no processor: it pays on any machine. A busy one
 * wakes some of them late, and what took longest may be dealt to fewer
 * threads; then another deal follows. */
static void heavy_units_are_shared(void **state)
{
    static const struct tt_mock_cue cue[] = {{.at = TT_MOCK_STEP,
                                              .nth = 1,
                                              .every = 1,
                                              .act = TT_MOCK_SLEEP,
                                              .value = 2}};
    struct tt_mock_spec slow = tt_mock_integrator;
    struct act a;

    (void)state;
    slow.cue = cue;
    slow.n_cue = 1;
    begin(&a);
    tt_stand_mock(&a.st, "{i}", &slow);
    started(&a, PAIR, 4, 0);
    for (int i = 0; i < 1000 && (i < 12 || who_stepped(&a, 4) != 0xf); i++)
        assert_int_equal(tt_rig_step(&a.rig, 1), TT_OK);
    assert_int_equal(who_stepped(&a, 4), 0xf);
    assert_int_equal(tt_part_team(a.rig.part).used, 4);
    assert_true(tt_part_team(a.rig.part).speed_up > 1);
    end(&a);
}

static void sharing_that_is_asked_for_is_done(void **state)
{
    struct act a;

    (void)state;
    begin(&a);
    tt_stand_mock(&a.st, "{i}", &tt_mock_integrator);
    started(&a, PAIR, 2, 1);
    for (int i = 0; i < 10; i++)
        assert_int_equal(tt_rig_step(&a.rig, 1), TT_OK);
    assert_int_equal(who_stepped(&a, 4), 3);
    end(&a);
}

static void sharing_allocates_nothing(void **state)
{
    uint64_t before;
    struct act a;

    (void)state;
    begin(&a);
    tt_stand_mock(&a.st, "{i}", &tt_mock_integrator);
    started(&a, PAIR, 3, 1);
    before = tt_mem_count();
    for (int i = 0; i < 300; i++) { /* deals included */
        a.rig.timed = i % 3 == 0;
        assert_int_equal(tt_rig_step(&a.rig, 1), TT_OK);
    }
    assert_true(tt_mem_count() == before);
    end(&a);
}

/* The n-th allocation fails, for every n: nothing is lost, and what could be
 * made still goes. */
static void no_memory_is_reported(void **state)
{
    enum tt_code rc = TT_ENOMEM;
    uint32_t n = 1;

    (void)state;
    for (; rc != TT_OK; n++) {
        struct act a;

        begin(&a);
        tt_stand_mock(&a.st, "{i}", &tt_mock_integrator);
        started(&a, PAIR, 1, 0);
        tt_mem_fail_after(n);
        rc = tt_crew_new(&a.crew, 2, NULL, &a.err);
        if (rc == TT_OK)
            rc = tt_part_share(a.rig.part, a.crew, a.mate, 1, &a.err);
        tt_mem_fail_after(0);
        assert_true(rc == TT_OK || rc == TT_ENOMEM);
        end(&a);
    }
    assert_true(n > 15);
}

/* --- the profile ---------------------------------------------------------- */

static void a_profile_counts_every_call(void **state)
{
    struct tt_op_cost cost[64];
    struct act a;

    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        uint32_t steps = 0;

        begin(&a);
        tt_stand_mock(&a.st, "{i}", &tt_mock_integrator);
        started(&a, PAIR, threads, 1);
        assert_int_equal(tt_part_profile(a.rig.part, &a.err), TT_OK);
        for (int i = 0; i < 5; i++)
            assert_int_equal(tt_rig_step(&a.rig, 1), TT_OK);
        assert_true(a.score->n_op <= 64);
        tt_part_costs(a.rig.part, cost);
        for (uint32_t i = 0; i < a.score->n_op; i++) {
            if (a.score->op[i].code != TT_OP_STEP)
                continue;
            steps++;
            assert_int_equal(cost[i].calls, 5);
            assert_true(cost[i].ns >= cost[i].worst && cost[i].worst > 0);
            assert_true(cost[i].worst_at >= 0 && cost[i].worst_at <= 4);
        }
        assert_int_equal(steps, 4);
        end(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(the_first_failure_in_the_score_is_reported),
        cmocka_unit_test(the_first_outcome_that_halts_is_reported),
        cmocka_unit_test(a_failure_before_a_halt_wins_and_after_it_does_not),
        cmocka_unit_test(wishes_to_end_are_taken_in_order),
        cmocka_unit_test(
            a_failure_in_a_later_level_may_come_first_in_the_score),
        cmocka_unit_test(words_of_cold_calls_are_kept_apart),
        cmocka_unit_test(instances_that_must_not_meet_never_do),
        cmocka_unit_test(the_main_thread_s_units_stay_with_it),
        cmocka_unit_test(light_units_are_left_together),
        cmocka_unit_test(heavy_units_are_shared),
        cmocka_unit_test(sharing_that_is_asked_for_is_done),
        cmocka_unit_test(sharing_allocates_nothing),
        cmocka_unit_test(no_memory_is_reported),
        cmocka_unit_test(a_profile_counts_every_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
