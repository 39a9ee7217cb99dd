/* SPDX-License-Identifier: MIT */
/* Unit kind fmi3se: which partition runs when, from a table that was made by
 * hand from the standard. */
#include <stdbool.h>

#include "kinds/test_help.h"

#include "base/mem.h"

#define PARTITIONS UNITS "partitions-fmi3.fmu"

struct bench {
    tt_unit_type *type;
    tt_unit *unit;
    struct logged log;
};

static void begin(struct bench *b, int event_mode)
{
    struct tt_make m = {.name = "{k}.u",
                        .instance = "u",
                        .logging = 1,
                        .event_mode = event_mode};

    logged_init(&b->log);
    m.log = &b->log.log;
    b->type = open_type(PARTITIONS);
    assert_ptr_equal(b->type->kind, &tt_kind_fmi3se);
    b->unit = make_with(b->type, &m);
}

static void end(struct bench *b)
{
    tt_unit_free(b->unit);
    close_type(b->type);
}

/* "slow 0, fast 0, fast 0.1": what the partitions logged. */
static void assert_order(const struct bench *b, const char *wanted)
{
    char order[4096] = "";
    const char *p = b->log.text;
    size_t n = 0;

    while ((p = strstr(p, "logEvents: ")) != NULL) {
        char name[32];
        double t;

        p += strlen("logEvents: ");
        assert_int_equal(sscanf(p, "%31s at %lf", name, &t), 2);
        n += (size_t)snprintf(order + n, sizeof(order) - n, "%s%s %.6g",
                              n ? ", " : "", name, t);
        assert_true(n < sizeof(order));
    }
    assert_string_equal(order, wanted);
}

/* --- the table --------------------------------------------------------------
 *
 * The clocks, and FMI 3.0.2 on them:
 *
 *     late   countdown, priority 0: every second run of fast, so long after it
 *     slow   every 0.2 s, priority 1; lets rang tick
 *     rung   triggered, priority 2
 *     fast   every 0.1 s, priority 3
 *     third  every 1/3 s from 1/3 s on, priority 3
 *
 * 2.2.8: a periodic clock ticks first at start + shift, then every interval; a
 * countdown so long after the clock update. 5.1.1: of clocks that tick at one
 * time the smaller priority value goes first; of equal ones the importer
 * decides: as declared. 5.2.1: once for the same clock and time.
 */

static const char countdown_between[] = "slow 0, fast 0, "
                                        "fast 0.1, "
                                        "late 0.15, "
                                        "slow 0.2, fast 0.2, "
                                        "fast 0.3, "
                                        "third 0.333333, "
                                        "late 0.35, "
                                        "slow 0.4, fast 0.4, "
                                        "fast 0.5, "
                                        "late 0.55, "
                                        "slow 0.6, fast 0.6, "
                                        "third 0.666667, "
                                        "fast 0.7, "
                                        "late 0.75, "
                                        "slow 0.8, fast 0.8, "
                                        "fast 0.9, "
                                        "late 0.95, "
                                        "slow 1, fast 1, third 1";

/* Armed inside fast for the same time: after it, though of higher priority. */
static const char countdown_at_once[] = "slow 0, fast 0, "
                                        "fast 0.1, late 0.1, "
                                        "slow 0.2, fast 0.2, "
                                        "fast 0.3, late 0.3, "
                                        "third 0.333333, "
                                        "slow 0.4, fast 0.4";

/* Armed for the time of the others' next tick: before them. */
static const char countdown_meets[] = "slow 0, fast 0, "
                                      "fast 0.1, "
                                      "late 0.2, slow 0.2, fast 0.2, "
                                      "fast 0.3, "
                                      "third 0.333333, "
                                      "late 0.4, slow 0.4, fast 0.4";

static void get_going(struct bench *b, double delay)
{
    set_i32(b->unit, "every", 2);
    set_f64(b->unit, "delay", delay);
    get_ready(b->unit, 0);
}

static void partitions_run_by_time_and_priority(void **state)
{
    static const struct {
        double delay, end;
        const char *order;
    } way[] = {{0.05, 1, countdown_between},
               {0, 0.4, countdown_at_once},
               {0.1, 0.4, countdown_meets}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct bench b;

        begin(&b, 0);
        get_going(&b, way[i].delay);
        step_to(b.unit, way[i].end);
        assert_order(&b, way[i].order);
        end(&b);
    }
}

/* How steps are cut does not matter. */
static void the_order_does_not_depend_on_steps(void **state)
{
    for (int steps = 1; steps <= 100; steps += 11) {
        struct bench b;

        (void)state;
        begin(&b, 0);
        get_going(&b, 0.05);
        for (int i = 1; i <= steps; i++)
            step_to(b.unit, (double)i / steps);
        assert_order(&b, countdown_between);
        end(&b);
    }
}

/* --- events ------------------------------------------------------------------
 */

/* Updates at this instant until nothing asks; rang is led to rung. */
static double play_event(tt_unit *u)
{
    struct tt_event_result r = {.again = 1};

    while (r.again) {
        bool rang = false;

        get_port(u, "rang", &rang);
        if (rang)
            set_port(u, "rung", &rang);
        assert_ok(tt_unit_event_update(u, &r, err));
    }
    assert_ok(tt_unit_event_leave(u, err));
    assert_true(r.next_defined);
    return r.next;
}

static void start_with_event(struct bench *b)
{
    const struct tt_experiment e = {.start = 0, .end = 10};

    begin(b, 1);
    assert_ok(tt_unit_configure(b->unit, err));
    assert_ok(tt_unit_enter_init(b->unit, &e, err));
    assert_ok(tt_unit_exit_init(b->unit, err));
    assert_int_equal(b->unit->life, TT_LIFE_EVENT);
}

/* rung is triggered by what slow let tick, and goes before fast, which ticked
 * before it at the same time. */
static void a_clock_that_is_triggered_takes_its_turn(void **state)
{
    struct bench b;
    double next;

    (void)state;
    start_with_event(&b);
    next = play_event(b.unit);
    assert_ok(tt_unit_prepare(b.unit, 0, err));
    while (next < 0.35) {
        struct tt_stepped r = step_to(b.unit, next);

        assert_int_equal(r.flags, TT_STEP_EVENT);
        assert_ok(tt_unit_event_enter(b.unit, err));
        next = play_event(b.unit);
    }
    assert_order(&b, "slow 0, rung 0, fast 0, fast 0.1, "
                     "slow 0.2, rung 0.2, fast 0.2, fast 0.3, third 0.333333");
    assert_int_equal(get_i32(b.unit, "rung_runs"), 2);
    end(&b);
}

/* A step that passes ticks; what is at its end is an event. */
static void ticks_on_the_way_are_made_inside_the_step(void **state)
{
    struct bench b;
    struct tt_stepped r;

    (void)state;
    start_with_event(&b);
    assert_ok(tt_unit_prepare(b.unit, 0, err)); /* plays the start itself */
    r = step_to(b.unit, 0.2);
    assert_int_equal(r.flags, TT_STEP_EVENT);
    assert_order(&b, "slow 0, fast 0, fast 0.1");
    assert_ok(tt_unit_event_enter(b.unit, err));
    (void)play_event(b.unit);
    assert_order(&b, "slow 0, fast 0, fast 0.1, slow 0.2, rung 0.2, fast 0.2");
    r = step_to(b.unit, 0.25);
    assert_int_equal(r.flags, 0);
    end(&b);
}

/* --- values ------------------------------------------------------------------
 */

static void a_partition_gets_its_own_inputs(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 0);
    get_ready(b.unit, 0);
    set_f64(b.unit, "u", 3);
    set_f64(b.unit, "v", 4);
    assert_near(get_f64(b.unit, "y"), 0, 0); /* not before it runs */
    step_to(b.unit, 0.05);
    assert_near(get_f64(b.unit, "y"), 0, 0);
    step_to(b.unit, 0.1);
    assert_near(get_f64(b.unit, "y"), 3, 0);
    assert_near(get_f64(b.unit, "last"), 4, 0);
    set_f64(b.unit, "u", 5);
    set_f64(b.unit, "v", 6); /* of none: every partition has it */
    step_to(b.unit, 0.3);
    set_f64(b.unit, "u", 7);
    set_f64(b.unit, "v", 8);
    step_to(b.unit, 0.35); /* third: u is of fast */
    assert_near(get_f64(b.unit, "y"), 5, 0);
    assert_near(get_f64(b.unit, "last"), 8, 0);
    end(&b);
}

/* --- states ------------------------------------------------------------------
 */

static void a_saved_scheduler_goes_on_where_it_was(void **state)
{
    struct bench b;
    struct tt_bytes packed;

    (void)state;
    begin(&b, 0);
    set_i32(b.unit, "every", 2);
    set_f64(b.unit, "delay", 0.05);
    get_ready(b.unit, 2);
    set_f64(b.unit, "u", 3);
    step_to(b.unit, 0.12); /* late is armed */
    set_f64(b.unit, "u", 4);
    assert_ok(tt_unit_save(b.unit, 0, err));
    step_to(b.unit, 0.36);
    assert_near(get_f64(b.unit, "y"), 4, 0);
    b.log.text[0] = '\0';
    assert_ok(tt_unit_restore(b.unit, 0, err));
    assert_near(get_f64(b.unit, "y"), 3, 0);
    step_to(b.unit, 0.36);
    assert_near(get_f64(b.unit, "y"), 4, 0);
    assert_order(&b, "late 0.15, slow 0.2, fast 0.2, fast 0.3, "
                     "third 0.333333, late 0.35");
    assert_ok(tt_unit_pack(b.unit, 0, &packed, err));
    assert_ok(tt_unit_unpack(b.unit, 1, &packed, err));
    b.log.text[0] = '\0';
    assert_ok(tt_unit_restore(b.unit, 1, err));
    step_to(b.unit, 0.2);
    assert_order(&b, "late 0.15, slow 0.2, fast 0.2");
    tt_free(packed.data);
    end(&b);
}

/* --- what goes wrong ---------------------------------------------------------
 */

static void assert_step_fails(int what, const char *wanted)
{
    struct bench b;
    struct tt_stepped r;

    begin(&b, 0);
    set_i32(b.unit, "what", what);
    set_f64(b.unit, "when", 0.1);
    get_ready(b.unit, 0);
    assert_fails(TT_EUNIT,
                 tt_unit_step(b.unit, &(struct tt_step){.to = 0.15}, &r, err),
                 wanted);
    end(&b);
}

static void what_goes_wrong_is_named(void **state)
{
#define HERE "instance '{k}.u' (fmi3se): step at t=0: "
    (void)state;
    assert_step_fails(
        1, HERE "partition of clock 'fast' at t=0.1: "
                "fmi3ActivateModelPartition returned fmi3Error: last message: "
                "\"asked to fail\"");
    assert_step_fails(2, HERE "partition of clock 'fast' at t=0.1: the "
                              "interval of 'late' is no time");
    assert_step_fails(3, HERE "clock 'late' is to tick again at t=0.1, where "
                              "it has ticked: a partition runs once at one "
                              "time");
    assert_step_fails(4, HERE "partition of clock 'fast' at t=0.1: the "
                              "interval of 'late' is no time");
}

static void a_clock_of_its_own_time_cannot_be_set(void **state)
{
    struct bench b;
    bool on = true;
    uint32_t port;

    (void)state;
    begin(&b, 0);
    get_ready(b.unit, 0);
    port = port_of(b.unit, "fast");
    assert_fails(TT_EINPUT,
                 tt_unit_set(b.unit, &(struct tt_span){&port, 1, &on}, err),
                 "instance '{k}.u' (fmi3se): set at t=0: 'fast': clock 'fast' "
                 "is constant: the "
                 "instance states when it ticks, no other clock can");
    end(&b);
}

/* 5001 fifths, 10001 tenths and 3000 thirds of a second in 1000 s, and the last
 * of all at the same time. */
static void ticks_do_not_drift(void **state)
{
    tt_unit_type *t = open_type(PARTITIONS);
    tt_unit *u = make_with(t, &(struct tt_make){.name = "{k}.u"});

    (void)state;
    get_ready(u, 0);
    step_to(u, 999.999999999);
    assert_int_equal(get_i32(u, "runs"), 5000 + 10000 + 2999);
    step_to(u, 1000);
    assert_int_equal(get_i32(u, "runs"), 5001 + 10001 + 3000);
    tt_unit_free(u);
    close_type(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitions_run_by_time_and_priority),
        cmocka_unit_test(the_order_does_not_depend_on_steps),
        cmocka_unit_test(a_clock_that_is_triggered_takes_its_turn),
        cmocka_unit_test(ticks_on_the_way_are_made_inside_the_step),
        cmocka_unit_test(a_partition_gets_its_own_inputs),
        cmocka_unit_test(a_saved_scheduler_goes_on_where_it_was),
        cmocka_unit_test(what_goes_wrong_is_named),
        cmocka_unit_test(a_clock_of_its_own_time_cannot_be_set),
        cmocka_unit_test(ticks_do_not_drift),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
