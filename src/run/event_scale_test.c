/* SPDX-License-Identifier: MIT */
/* What a microstep costs follows what takes part in it, not how much there
 * is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "player/event.h"
#include "run/run_impl.h"
#include "run/testing.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define CAPS                                                                   \
    {                                                                          \
        .evaluates = TT_EVAL_EVENT, .save = 1, .variable_step = 1,             \
        .event_mode = 1                                                        \
    }

static int32_t *i32(const struct tt_mock_view *v, uint32_t port)
{
    return v->value[port];
}

/* A relay answers a larger number with the next one, up to a multiple of
 * `round`; two of them count together, one microstep each. */
enum { U, KICK, Y };
static const struct tt_mock_port relay_port[] = {
    {.name = "u", .type = TT_I32, .causality = TT_CAUS_INPUT},
    {.name = "kick", .type = TT_I32, .causality = TT_CAUS_INPUT},
    {.name = "y", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""},
};
static int32_t round_of = 100;

static void relay_event(const struct tt_mock_view *v, struct tt_event_result *r)
{
    int32_t most = *i32(v, U) > *i32(v, KICK) ? *i32(v, U) : *i32(v, KICK);

    (void)r;
    if (most > *i32(v, Y) && most % round_of)
        *i32(v, Y) = most + 1;
}

static const struct tt_mock_spec relay = {
    .model = "relay",
    .port = relay_port,
    .n_port = COUNT(relay_port),
    .caps = CAPS,
    .behaviour = {.event = relay_event},
    .starts_in_event_mode = 1,
};

/* Gives 1 more than a multiple of `round` every second. */
static const struct tt_mock_port kicker_port[] = {
    {.name = "y", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""},
};

static void kicker_event(const struct tt_mock_view *v,
                         struct tt_event_result *r)
{
    r->next_defined = 1;
    r->next = floor(v->t) + 1;
    *i32(v, 0) = (int32_t)v->t * round_of + 1;
}

static const struct tt_mock_spec kicker = {
    .model = "kicker",
    .port = kicker_port,
    .n_port = COUNT(kicker_port),
    .caps = CAPS,
    .behaviour = {.event = kicker_event},
    .starts_in_event_mode = 1,
};

/* Two that are kicked, and a chain of n that get nothing. */
static void write_scenario(struct tt_buf *b, uint32_t n, uint32_t end)
{
    tt_buf_str(b, "{\"fmus\": {\"{k}\": \"k\", \"{r}\": \"r\"}, "
                  "\"connections\": {\"{k}.k.y\": [\"{r}.a.kick\"], "
                  "\"{r}.a.y\": [\"{r}.b.u\"], \"{r}.b.y\": [\"{r}.a.u\"]");
    for (uint32_t i = 0; i < n; i++)
        tt_buf_fmt(b, ", \"{r}.p%u.y\": [\"{r}.p%u.u\"]", i, i + 1);
    tt_buf_fmt(b,
               "}, \"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, "
               "\"endTime\": %u}",
               end);
}

static struct stage *load(uint32_t n, uint32_t end)
{
    struct stage *st = st_new();
    struct tt_buf json;

    tt_buf_init(&json, (size_t)1 << 24);
    write_scenario(&json, n, end);
    tt_mock_register("r", &relay);
    tt_mock_register("k", &kicker);
    st->unseen = 1;
    if (st_load(st, json.data) != TT_OK)
        fail_msg("%s", st->err.msg);
    tt_buf_fini(&json);
    return st;
}

/* Operations looked at by a run whose instants have `round` microsteps. */
static uint64_t looked_at(uint32_t n, int32_t round, uint32_t instants)
{
    struct stage *st;
    uint64_t looked;

    round_of = round;
    st = load(n, instants);
    if (tt_run_perform(st->run, &st->err) != TT_OK)
        fail_msg("%s", st->err.msg);
    looked = tt_part_event_looked(st->run->part);
    st_free(st);
    return looked;
}

/* Ninety microsteps more at each of five instants. In each one relay takes
 * part: enter, set, two gets and an update, and a look at what the other has
 * to take then, which is all that they cost. */
static void a_microstep_costs_what_takes_part(void **state)
{
    static const uint32_t size[] = {10, 100, 1000, 10000};

    (void)state;
    for (size_t i = 0; i < COUNT(size); i++) {
        uint64_t more = looked_at(size[i], 100, 5) - looked_at(size[i], 10, 5);

        assert_int_equal(more, 5 * 90 * 6);
    }
}

/* What a step may have changed is looked at once, where an instant begins. */
static void an_instant_costs_a_look_at_each_input(void **state)
{
    uint64_t few = looked_at(10, 1, 9) - looked_at(10, 1, 4);
    uint64_t many = looked_at(1000, 1, 9) - looked_at(1000, 1, 4);

    (void)state;
    assert_int_equal(many - few, 5 * (1000 - 10));
}

/* --- units with times of their own ------------------------------------------
 */

/* n generators, in no connection, after so many steps. */
static struct stage *generate(uint32_t n, int steps)
{
    struct stage *st = st_new();
    struct tt_buf json;

    tt_buf_init(&json, (size_t)1 << 24);
    tt_buf_str(&json, "{\"fmus\": {\"{g}\": \"tutti:generator\"}, "
                      "\"endTime\": 9, \"instances\": {\"{g}\": [\"g\"");
    for (uint32_t i = 1; i < n; i++)
        tt_buf_fmt(&json, ", \"g%u\"", i);
    tt_buf_str(&json, "]}}");
    st_begin_unseen(st, json.data);
    tt_buf_fini(&json);
    for (int i = 0; i < steps; i++)
        if (tt_run_step(st->run, &st->err) != TT_OK)
            fail_msg("%s", st->err.msg);
    return st;
}

static double count_of(struct stage *st, uint32_t unit)
{
    const struct tt_desc *d = st->run->plan->unit[unit].desc;
    uint32_t port = tt_names_find(&d->by_name, "count");
    double n = 0;

    assert_int_equal(tt_run_get(st->run, unit, port, &n, &st->err), TT_OK);
    return n;
}

/* In forty instants at most forty units have events; all others stand where
 * they were at the start, however many there are. */
static void an_event_touches_whose_it_is(void **state)
{
    uint64_t looked = 0;

    (void)state;
    for (uint32_t n = 10; n <= 10000; n *= 10) {
        struct stage *st = generate(n, 40);
        double events = 0;

        assert_true(tt_part_idles(st->run->part));
        for (uint32_t u = 0; u < n; u++) {
            events += count_of(st, u);
            assert_int_equal(st->run->unit[u]->now > 0, count_of(st, u) > 0);
        }
        assert_true(events == 40);
        if (n > 10)
            assert_int_equal(tt_part_event_looked(st->run->part) - n, looked);
        looked = tt_part_event_looked(st->run->part) - n;
        st_free(st);
    }
}

/* Where steps would have led. */
static void a_saved_run_has_all_where_it_is(void **state)
{
    struct stage *st = generate(10, 5);

    (void)state;
    assert_int_equal(tt_part_catch_up(st->run->part, &st->err), TT_OK);
    for (uint32_t u = 0; u < 10; u++) {
        assert_true(st->run->unit[u]->now == st->run->agenda->t);
        assert_int_equal(st->run->unit[u]->n_step, 5);
        assert_int_equal(tt_run_unit(st->run, u).steps, 5);
    }
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_microstep_costs_what_takes_part),
        cmocka_unit_test(an_instant_costs_a_look_at_each_input),
        cmocka_unit_test(an_event_touches_whose_it_is),
        cmocka_unit_test(a_saved_run_has_all_where_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
