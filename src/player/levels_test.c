/* SPDX-License-Identifier: MIT */
/* Levels: what is put side by side may be played in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "player/team.h"
#include "player/testing.h"

struct act {
    struct tt_stand st;
    tt_score *score;
    struct tt_rig rig;
    struct tt_levels *levels;
    tt_err err;
};

static void begin(struct act *a)
{
    *a = (struct act){.score = NULL};
    tt_stand_init(&a->st);
}

static void end(struct act *a)
{
    tt_levels_free(a->levels);
    tt_rig_fini(&a->rig);
    tt_score_free(a->score);
    tt_stand_fini(&a->st);
}

static void started(struct act *a, const char *json)
{
    if (tt_rig_perform(&a->rig, &a->st, &a->score, json) != TT_OK)
        fail_msg("%s", a->rig.err.msg);
    if (tt_levels_new(&a->levels, a->rig.part, &a->err) != TT_OK)
        fail_msg("%s", a->err.msg);
}

/* "step a, step b | get a; ...": levels of a section, bundles by commas, their
 * calls by plus. */
static const char *text(struct act *a, enum tt_section section, char *out,
                        size_t size)
{
    const tt_part *p = a->rig.part;
    const struct tt_levels *l = a->levels;
    uint32_t first = p->section[section].first;
    struct tt_buf b;

    tt_buf_init(&b, size);
    for (uint32_t pc = first; pc < first + p->section[section].n; pc++) {
        const struct tt_stretch *s =
            l->at[pc] ? &l->stretch[l->at[pc] - 1] : NULL;

        for (uint32_t i = s ? s->first : 0; s && i < s->first + s->n; i++) {
            const struct tt_level *v = &l->level[i];

            tt_buf_str(&b, i > s->first ? " | " : b.len ? "; " : "");
            for (uint32_t k = v->first; k < v->first + v->n; k++) {
                tt_buf_str(&b, k > v->first ? ", " : "");
                for (uint32_t c = 0; c < l->bundle[k].n; c++) {
                    const char *unit, *call;

                    tt_part_describe(p, l->pc[l->bundle[k].first + c], &unit,
                                     &call);
                    tt_buf_fmt(&b, "%s%s %s", c ? "+" : "", call,
                               strchr(unit, '.') + 1);
                }
            }
        }
    }
    snprintf(out, size, "%s", b.data ? b.data : "");
    tt_buf_fini(&b);
    return out;
}

#define CHAIN                                                                  \
    "{\"fmus\": {\"{i}\": \"i\"}, \"connections\": {\"{i}.a.y\": "             \
    "[\"{i}.b.u\"], \"{i}.b.y\": [\"{i}.c.u\"]}, \"algorithm\": {\"type\": "   \
    "\"fixed-step\", \"size\": 1}, \"endTime\": 9"

static void jacobi_steps_all_at_once(void **state)
{
    struct act a;
    char out[512];

    (void)state;
    begin(&a);
    tt_stand_mock(&a.st, "{i}", &tt_mock_integrator);
    started(&a, CHAIN "}");
    assert_string_equal(text(&a, TT_SEC_STEP, out, sizeof(out)),
                        "step a, step b, step c");
    assert_string_equal(text(&a, TT_SEC_EXCHANGE, out, sizeof(out)),
                        "get a | set b+get b | set c");
    assert_int_equal(a.levels->width, 3);
    end(&a);
}

static void gauss_seidel_goes_one_after_the_other(void **state)
{
    struct act a;
    char out[512];

    (void)state;
    begin(&a);
    tt_stand_mock(&a.st, "{i}", &tt_mock_integrator);
    started(&a, CHAIN ", \"master\": \"gauss-seidel\"}");
    assert_string_equal(text(&a, TT_SEC_STEP, out, sizeof(out)),
                        "step a+get a | set b+step b+get b | set c+step c");
    assert_int_equal(a.levels->width, 1);
    end(&a);
}

static void units_of_one_model_that_must_not_meet_are_one_bundle(void **state)
{
    struct tt_mock_spec one = tt_mock_integrator;
    struct act a;
    char out[512];

    (void)state;
    one.model = "shy";
    one.caps.threads = TT_THREADS_ONE;
    begin(&a);
    tt_stand_mock(&a.st, "{i}", &one);
    tt_stand_mock(&a.st, "{j}", &tt_mock_integrator);
    tt_stand_mock(&a.st, "{k}", &one); /* the same under another name */
    started(&a, "{\"fmus\": {\"{i}\": \"i\", \"{j}\": \"j\", \"{k}\": \"k\"}, "
                "\"connections\": {\"{i}.a.y\": [\"{j}.b.u\", \"{i}.d.u\"], "
                "\"{j}.b.y\": [\"{k}.c.u\"]}, \"algorithm\": {\"type\": "
                "\"fixed-step\", \"size\": 1}, \"endTime\": 9}");
    assert_string_equal(text(&a, TT_SEC_STEP, out, sizeof(out)),
                        "step a+step d+step c, step b");
    end(&a);
}

static void units_of_the_main_thread_are_one_bundle(void **state)
{
    struct tt_mock_spec main = tt_mock_integrator, other = tt_mock_gain;
    struct act a;
    char out[512];

    (void)state;
    main.caps.threads = other.caps.threads = TT_THREADS_MAIN;
    begin(&a);
    tt_stand_mock(&a.st, "{i}", &main);
    tt_stand_mock(&a.st, "{j}", &tt_mock_integrator);
    tt_stand_mock(&a.st, "{k}", &other);
    started(&a, "{\"fmus\": {\"{i}\": \"i\", \"{j}\": \"j\", \"{k}\": \"k\"}, "
                "\"connections\": {\"{i}.a.y\": [\"{j}.b.u\", \"{k}.c.u\"]}, "
                "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, "
                "\"endTime\": 9}");
    assert_string_equal(text(&a, TT_SEC_STEP, out, sizeof(out)),
                        "step a+step c, step b");
    for (uint32_t i = 0; i < a.levels->n_bundle; i++)
        if (a.levels->bundle[i].n == 2)
            assert_true(a.levels->bundle[i].main);
    end(&a);
}

/* --- any order ------------------------------------------------------------ */

/* Play a section with the bundles of each level backwards: if one of them
 * needed something of another, values would differ. */
static void play_backwards(struct tt_rig *r, const struct tt_levels *l,
                           enum tt_section section)
{
    tt_part *p = r->part;
    uint32_t pc = p->section[section].first, end = pc + p->section[section].n;

    while (pc < end) {
        const struct tt_stretch *s =
            l->at[pc] ? &l->stretch[l->at[pc] - 1] : NULL;
        enum tt_call_result rc;

        for (uint32_t i = s ? s->first : 0; s && i < s->first + s->n; i++)
            for (uint32_t k = l->level[i].n; k-- > 0;) {
                const struct tt_bundle *b = &l->bundle[l->level[i].first + k];

                for (uint32_t c = b->first; c < b->first + b->n; c++)
                    assert_int_equal(tt_call_make(&p->call[l->pc[c]], &r->now),
                                     TT_CALL_OK);
            }
        if (s) {
            pc = s->end;
            continue;
        }
        r->now.pc = pc;
        rc = tt_call_make(&p->call[pc], &r->now);
        assert_true(rc == TT_CALL_OK || rc == TT_CALL_JUMP);
        pc = rc == TT_CALL_JUMP ? r->now.pc : pc + 1;
    }
}

static void compare(struct tt_rig *forth, struct tt_rig *back)
{
    size_t n, m;
    const void *x = tt_rig_values(forth, &n);
    const void *y = tt_rig_values(back, &m);

    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
}

/* Returns 0 when there is no score: reactivity may ask for what cannot be. */
static int check_crowd(const struct tt_crowd_opts *o, uint32_t turns)
{
    struct tt_crowd c;
    struct tt_rig forth = {.timed = 0}, back = {.timed = 0};
    struct tt_levels *l = NULL;
    tt_plan *plan = NULL;
    tt_score *score = NULL;
    tt_err err;

    tt_crowd_init(&c, o);
    c.scenario.iteration.turns = turns;
    assert_int_equal(tt_plan_new(&plan, &c.scenario, c.desc, NULL, &err),
                     TT_OK);
    if (tt_score_new(&score, plan, &err) == TT_OK) {
        assert_int_equal(tt_rig_start(&forth, plan, score, c.made), TT_OK);
        assert_int_equal(tt_rig_start(&back, plan, score, c.made), TT_OK);
        assert_int_equal(tt_levels_new(&l, back.part, &err), TT_OK);
        for (int n = 0; n < 4; n++) {
            assert_int_equal(tt_rig_step(&forth, 0.25), TT_OK);
            memcpy(back.now.t, forth.now.t, sizeof(forth.now.t));
            memcpy(back.now.h, forth.now.h, sizeof(forth.now.h));
            play_backwards(&back, l, TT_SEC_STEP);
            play_backwards(&back, l, TT_SEC_EXCHANGE);
            compare(&forth, &back);
        }
        tt_levels_free(l);
        tt_rig_fini(&forth);
        tt_rig_fini(&back);
    }
    tt_score_free(score);
    tt_plan_free(plan);
    tt_crowd_fini(&c);
    return score != NULL;
}

static void any_order_within_a_level_gives_the_same_values(void **state)
{
    int played = 0, iterated = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct tt_crowd_opts o = {.seed = seed,
                                  .n_type = 4,
                                  .n_unit = 2 + (uint32_t)(seed % 9),
                                  .n_in = 3,
                                  .n_out = 3,
                                  .through = 30,
                                  .unknown = 20,
                                  .standard = 30,
                                  .connected = 80,
                                  .reactive = seed % 3 ? 0 : 10,
                                  .delayed = 10,
                                  .recorded = 50,
                                  .linear = 30,
                                  .acyclic = 1,
                                  .gauss_seidel = seed % 2 == 0,
                                  .end = 4};

        played += check_crowd(&o, 0);
        iterated += check_crowd(&o, 3);
    }
    print_message("%d scores, %d with loops\n", played, iterated);
    assert_true(played > 200 && iterated > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobi_steps_all_at_once),
        cmocka_unit_test(gauss_seidel_goes_one_after_the_other),
        cmocka_unit_test(units_of_one_model_that_must_not_meet_are_one_bundle),
        cmocka_unit_test(units_of_the_main_thread_are_one_bundle),
        cmocka_unit_test(any_order_within_a_level_gives_the_same_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
