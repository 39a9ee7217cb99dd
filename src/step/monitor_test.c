/* SPDX-License-Identifier: MIT */
/* Families and scopes on traces that are short enough to be judged by hand. */
#include "step/monitor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define NONE ((double)INFINITY)

/* A letter per instant and signal: '+' holds by 1, '-' does not, by 1; instants
 * are a second apart, from 0 on. NULL: not given. */
struct trace {
    const char *p, *q, *opens, *closes, *second;
};

static double at(const char *s, size_t i)
{
    return !s ? (double)NAN : s[i] == '+' ? 1 : -1;
}

static struct tt_monitor play(struct tt_monitor_spec s, struct trace x)
{
    struct tt_monitor m;
    size_t n = strlen(x.p);

    s.opens = x.opens != NULL;
    s.closes = x.closes != NULL;
    s.n_chain = x.second ? 2 : 1;
    tt_monitor_start(&m);
    for (size_t i = 0; i < n; i++) {
        struct tt_monitor_sight see = {.t = (double)i,
                                       .p = {at(x.p, i), at(x.second, i)},
                                       .q = at(x.q, i),
                                       .opens = at(x.opens, i),
                                       .closes = at(x.closes, i)};

        (void)tt_monitor_look(&m, &s, &see);
    }
    (void)tt_monitor_end(&m, &s, (double)(n - 1));
    return m;
}

#define HELD(spec, ...)                                                        \
    assert_int_equal(play(spec, (struct trace){__VA_ARGS__}).is,               \
                     TT_MONITOR_HELD)
#define OPEN(spec, ...)                                                        \
    assert_int_equal(play(spec, (struct trace){__VA_ARGS__}).is,               \
                     TT_MONITOR_OPEN)
#define BROKEN(when, spec, ...)                                                \
    do {                                                                       \
        struct tt_monitor m_ = play(spec, (struct trace){__VA_ARGS__});        \
        assert_int_equal(m_.is, TT_MONITOR_VIOLATED);                          \
        assert_true(m_.t == (when) && m_.margin < 0);                          \
    } while (0)

static const struct tt_monitor_spec always = {.family = TT_MONITOR_ALWAYS};

static void occurrence(void **state)
{
    struct tt_monitor_spec once = {.family = TT_MONITOR_ONCE, .within = NONE};
    struct tt_monitor_spec soon = {.family = TT_MONITOR_ONCE, .within = 2};
    struct tt_monitor_spec twice = {
        .family = TT_MONITOR_OCCURS, .low = 1, .high = 2};

    (void)state;
    HELD(always, .p = "++++");
    BROKEN(2, always, .p = "++-+");
    HELD(once, .p = "---+-");
    BROKEN(4, once, .p = "-----");
    HELD(soon, .p = "--+--");
    BROKEN(3, soon, .p = "---+-");
    HELD(twice, .p = "-++-+-");
    BROKEN(5, twice, .p = "+-+--+");
    BROKEN(3, twice, .p = "----");
}

/* After: from the first time on. Until: up to the first time, if any. Before:
 * only if it comes. Between: each time, and only what is closed. */
static void scopes(void **state)
{
    struct tt_monitor_spec before = {.family = TT_MONITOR_ALWAYS, .pending = 1};

    (void)state;
    HELD(always, .p = "--+++", .opens = "--+-+");
    BROKEN(3, always, .p = "--+-+", .opens = "--+--");
    OPEN(always, .p = "-----", .opens = "-----");
    HELD(always, .p = "++---", .closes = "--+--");
    BROKEN(1, always, .p = "+-+++", .closes = "--+--");
    BROKEN(1, always, .p = "+-+++", .closes = "-----");
    BROKEN(1, before, .p = "+-+++", .closes = "--+--");
    OPEN(before, .p = "+-+++", .closes = "-----");
    HELD(before, .p = "++---", .closes = "--+--");
    /* between, twice: the second segment is the one that fails */
    BROKEN(5, before, .p = "-++-+-+", .opens = "-+--+--", .closes = "---+--+");
    HELD(before, .p = "-++-++-", .opens = "-+--+--", .closes = "---+--+");
    /* after until: a last segment that stays open counts */
    BROKEN(5, always, .p = "-++-+-+", .opens = "-+--+--", .closes = "---+---");
    HELD(before, .p = "-++-+-+", .opens = "-+--+--", .closes = "---+---");
}

/* Precedence: p never until q. */
static void order(void **state)
{
    struct tt_monitor_spec follows = {.family = TT_MONITOR_FOLLOWS,
                                      .within = NONE};
    struct tt_monitor_spec soon = {.family = TT_MONITOR_FOLLOWS, .within = 2};

    (void)state;
    HELD(follows, .p = "---+-", .q = "-+---");
    HELD(follows, .p = "-----", .q = "-----");
    BROKEN(4, follows, .p = "+----", .q = "-+---");
    HELD(soon, .p = "---+-+", .q = "-+--+-");
    BROKEN(4, soon, .p = "----+", .q = "-+---");
    /* a chain: first p, then the second; both may come at once */
    HELD(follows, .p = "--+--", .second = "---+-", .q = "-+---");
    HELD(follows, .p = "--+--", .second = "--+--", .q = "-+---");
    BROKEN(4, follows, .p = "---+-", .second = "--+--", .q = "-+---");
    /* it ends before the time is up: nothing is known */
    HELD(soon, .p = "----", .q = "--+-");
}

static void real_time(void **state)
{
    struct tt_monitor_spec lasts = {
        .family = TT_MONITOR_LASTS, .low = 2, .high = 3};
    struct tt_monitor_spec recurs = {.family = TT_MONITOR_RECURS, .within = 2};
    struct tt_monitor_spec period = {
        .family = TT_MONITOR_PERIOD, .low = 1.5, .high = 2.5};
    struct tt_monitor_spec stays = {.family = TT_MONITOR_STAYS, .within = 2};
    struct tt_monitor m;

    (void)state;
    /* edges lie half-way between instants: -+++- holds for 3 s */
    HELD(lasts, .p = "-+++--++-");
    BROKEN(2, lasts, .p = "-+--");
    BROKEN(4, lasts, .p = "-++++++");
    m = play(lasts, (struct trace){.p = "-+--"});
    assert_true(m.measured == 1 && m.cause == 0.5);
    HELD(recurs, .p = "-+-+-+");
    BROKEN(4, recurs, .p = "-+---+");
    HELD(period, .p = "-+-+-+-+");
    BROKEN(6, period, .p = "-+-+----+");
    BROKEN(6, period, .p = "-+-+--+-");
    HELD(stays, .p = "-+++-", .q = "-+---");
    BROKEN(3, stays, .p = "-++-+", .q = "-+---");
}

static struct tt_monitor follow(struct tt_monitor_spec s, double (*x)(int),
                                int n)
{
    struct tt_monitor m;

    s.n_chain = 1;
    tt_monitor_start(&m);
    for (int i = 0; i < n; i++) {
        struct tt_monitor_sight see = {.t = i, .p = {x(i)}};

        (void)tt_monitor_look(&m, &s, &see);
    }
    (void)tt_monitor_end(&m, &s, n - 1);
    return m;
}

static double wave(int i)
{
    return sin(0.05 * i);
}

static double leap(int i)
{
    return i > 50;
}

static double chatter(int i)
{
    return wave(i) + (i % 2 ? 1e-2 : -1e-2);
}

static double bent(int i)
{
    return i > 52 ? i : 52;
}

/* ... in a row that the coarsest scale has not. */
static double bent_between(int i)
{
    return i > 50 ? i : 50;
}

static double stays(int i)
{
    (void)i;
    return 3;
}

/* Third differences of sin(w i) are sines of amplitude (2 sin(w / 2))^3: two
 * scales are 1 / (4 cos^3(w)) apart. */
static double swing(int i)
{
    return sin(1.05 * i);
}

static double slow_swing(int i)
{
    return sin(0.5 * i);
}

static void roughness(void **state)
{
    struct tt_monitor_spec smooth = {.family = TT_MONITOR_SMOOTH, .high = 1.5};
    struct tt_monitor m = follow(smooth, wave, 2000);

    (void)state;
    assert_int_equal(m.is, TT_MONITOR_HELD);
    assert_true(fabs(tt_monitor_roughness(&m) - 0.25) < 0.01);
    m = follow(smooth, leap, 200);
    assert_true(tt_monitor_roughness(&m) == 1 && m.is == TT_MONITOR_HELD);
    m = follow(smooth, bent, 200);
    assert_true(tt_monitor_roughness(&m) == 0.5);
    m = follow(smooth, bent_between, 200);
    assert_true(tt_monitor_roughness(&m) == 1 && m.is == TT_MONITOR_HELD);
    m = follow(smooth, stays, 200);
    assert_true(tt_monitor_roughness(&m) == 0 && m.is == TT_MONITOR_HELD);
    m = follow(smooth, chatter, 200);
    assert_true(tt_monitor_roughness(&m) > 10);
    assert_int_equal(m.is, TT_MONITOR_VIOLATED);
    assert_true(m.t == 199 && m.late);
    m = follow(smooth, swing, 2000);
    assert_true(fabs(tt_monitor_roughness(&m) * 4 * pow(cos(1.05), 3) - 1) <
                0.01);
    assert_int_equal(m.is, TT_MONITOR_VIOLATED);
    m = follow(smooth, slow_swing, 2000);
    assert_true(fabs(tt_monitor_roughness(&m) * 4 * pow(cos(0.5), 3) - 1) <
                0.01);
    assert_int_equal(m.is, TT_MONITOR_HELD);
    m = follow(smooth, swing, 60);
    assert_int_equal(m.is, TT_MONITOR_HELD);
}

static double sinks(int i)
{
    return i == 7 ? -4 : -i;
}

static void never_rises(void **state)
{
    struct tt_monitor_spec falls = {.family = TT_MONITOR_FALLS, .high = 0};
    struct tt_monitor m = follow(falls, sinks, 10);

    (void)state;
    assert_int_equal(m.is, TT_MONITOR_VIOLATED);
    assert_true(m.t == 7 && m.measured == 2 && m.margin == -2);
    falls.high = 2;
    assert_int_equal(follow(falls, sinks, 10).is, TT_MONITOR_HELD);
}

/* Degrees: the least margin of what always holds, the greatest of what holds
 * once. */
static void margins(void **state)
{
    struct tt_monitor_spec once = {.family = TT_MONITOR_ONCE, .within = NONE};

    (void)state;
    assert_true(follow(always, wave, 10).margin == 0);
    assert_true(follow(once, sinks, 1).margin == 0);
    assert_true(play(always, (struct trace){.p = "+++"}).margin == 1);
    assert_true(play(once, (struct trace){.p = "---"}).margin == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(occurrence), cmocka_unit_test(scopes),
        cmocka_unit_test(order),      cmocka_unit_test(real_time),
        cmocka_unit_test(roughness),  cmocka_unit_test(never_rises),
        cmocka_unit_test(margins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
