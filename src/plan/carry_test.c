/* SPDX-License-Identifier: MIT */
/* Which settings the state of a unit depends on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "plan/testing.h"

#define INSIDE_THERE                                                           \
    "has its events inside its steps there, and in event mode here"
#define INSIDE_HERE                                                            \
    "has its events in event mode there, and inside its steps here"
#define ROLLBACK ", \"rollback\": true"
#define TWICE    ", \"rates\": {\"{a}.p\": 2}"

enum { EVENTS = 1, BOTH = 2, CLOCK = 4, JOINS = 8 };

struct pair {
    struct tt_fake f;
    struct tt_stand there, here;
};

static const struct tt_clock third = {.interval = TT_INTERVAL_FIXED,
                                      .period = {1, 3}};

static void plan(struct tt_stand *st, struct tt_fake *f, const char *more)
{
    char json[600];

    (void)snprintf(json, sizeof(json),
                   "{\"fmus\": {\"{a}\": \"a\"}, \"connections\": "
                   "{\"{a}.p.y\": [\"{a}.q.u\"]}, \"algorithm\": {\"type\": "
                   "\"fixed-step\", \"size\": 0.5}, \"endTime\": 2%s}",
                   more);
    tt_stand_init(st);
    tt_stand_fake(st, "{a}", f);
    if (tt_stand_plan(st, json) != TT_OK)
        fail_msg("%s", st->err.msg);
}

/* Of p (0) or q (1). */
static void differs(int caps, uint32_t unit, const char *there,
                    const char *here, const char *expected)
{
    struct pair o;
    struct tt_plan_made was;
    const char *why;

    tt_fake_init(&o.f);
    tt_fake_port(&o.f, "u", TT_CAUS_INPUT, TT_F64);
    tt_fake_port(&o.f, "y", TT_CAUS_OUTPUT, TT_F64);
    if (caps & CLOCK)
        tt_fake_port(&o.f, "c", TT_CAUS_INPUT, TT_CLOCK)->ticks = &third;
    o.f.desc.caps.save = o.f.desc.caps.variable_step = 1;
    o.f.desc.caps.event_mode = (caps & EVENTS) != 0;
    o.f.desc.caps.events_inside = (caps & BOTH) != 0;
    o.f.desc.caps.clocks = (caps & CLOCK) != 0;
    o.f.desc.caps.joins = (caps & JOINS) != 0;
    plan(&o.there, &o.f, there);
    plan(&o.here, &o.f, here);
    was = tt_plan_made(o.there.plan, unit);
    why = tt_plan_differs(o.here.plan, unit, &was);
    if (expected)
        assert_string_equal(why ? why : "", expected);
    else if (why)
        fail_msg("%s, %s: %s", there, here, why);
    tt_stand_fini(&o.there);
    tt_stand_fini(&o.here);
    tt_fake_fini(&o.f);
}

static void masters_and_approximations_do_not_matter(void **state)
{
    (void)state;
    for (int caps = 0; caps <= (EVENTS | BOTH); caps++) {
        differs(caps, 0, "", "", NULL);
        differs(caps, 0, "", ", \"master\": \"gauss-seidel\"", NULL);
        differs(caps, 0, ", \"approximation\": \"linear\"", "", NULL);
    }
    differs(0, 0, "", TWICE, NULL);
    differs(0, 0, TWICE, ROLLBACK, NULL);
}

static void events_are_where_they_were(void **state)
{
    (void)state;
    differs(EVENTS, 0, TWICE, "", INSIDE_THERE);
    differs(EVENTS, 0, "", TWICE, INSIDE_HERE);
    differs(EVENTS, 0, TWICE, TWICE, NULL);
    differs(EVENTS, 0, ROLLBACK TWICE, "", NULL); /* in event mode in both */
    differs(EVENTS, 0, ROLLBACK TWICE, TWICE, INSIDE_HERE);
}

/* What finds its events itself, and ends its step there, may have them there or
 * here; but a clock of the run ticks in event mode only. */
static void some_units_find_their_events_in_either_way(void **state)
{
    (void)state;
    differs(EVENTS | BOTH, 0, "", ROLLBACK, NULL);
    differs(EVENTS | BOTH, 0, ROLLBACK, "", NULL);
    differs(EVENTS | BOTH | CLOCK, 0, "", ROLLBACK, INSIDE_THERE);
    differs(EVENTS | BOTH | CLOCK, 0, ROLLBACK, "", NULL);
}

static void one_that_sleeps_has_more_to_remember(void **state)
{
    static const char quanta[] = ", \"quanta\": {\"{a}.p\": 0.1}";

    (void)state;
    differs(0, 0, quanta, "", "sleeps there, and does not here");
    differs(0, 0, "", quanta, "sleeps here, and does not there");
    differs(0, 0, quanta, ", \"quanta\": {\"{a}.p\": 0.2}", NULL);
}

static void one_system_is_not_several(void **state)
{
    static const char other[] =
        "is integrated together with other instances here than there";
    static const char swapped[] = ", \"rates\": {\"{a}.q\": 2}";

    (void)state;
    differs(JOINS, 1, "", "", NULL);
    differs(JOINS, 1, swapped, "", other);
    differs(JOINS, 1, "", swapped, other);
    differs(JOINS, 1, swapped, swapped, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masters_and_approximations_do_not_matter),
        cmocka_unit_test(events_are_where_they_were),
        cmocka_unit_test(some_units_find_their_events_in_either_way),
        cmocka_unit_test(one_that_sleeps_has_more_to_remember),
        cmocka_unit_test(one_system_is_not_several),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
