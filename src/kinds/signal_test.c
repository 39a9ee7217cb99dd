/* SPDX-License-Identifier: MIT */
#include "kinds/test_help.h"

#include <stdbool.h>

#include "kinds/signal_impl.h"
#include "sys/file.h"

#define PATH TT_BUILD_DIR "/kinds_signal_test.csv"

static tt_unit_type *type_of(const char *text)
{
    assert_ok(tt_file_write(PATH, text, strlen(text), err));
    return open_type(PATH);
}

static void done(tt_unit_type *t, tt_unit *u)
{
    tt_unit_free(u);
    close_type(t);
    (void)remove(PATH);
}

static void columns_are_linear_between_rows(void **state)
{
    tt_unit_type *t = type_of("time,a,\"b, too\"\n0,0,1\n2,4,1\n\n4,0,3\n");
    tt_unit *u = make_unit(t, NULL);
    uint32_t port[2] = {0, 1};
    double rate[2];

    (void)state;
    assert_int_equal(t->desc.n_port, 4); /* each with its limit from the left */
    assert_near(t->desc.standard.end, 4, 0);
    get_ready(u, 0);
    assert_near(get_f64(u, "a"), 0, 0);
    step_to(u, 0.5);
    assert_near(get_f64(u, "a"), 1, 0);
    assert_ok(tt_unit_rates(u, &(struct tt_span){port, 2, rate}, 1, err));
    assert_near(rate[0], 2, 0);
    assert_near(rate[1], 0, 0);
    step_to(u, 2);
    assert_near(get_f64(u, "a"), 4, 0);
    step_to(u, 3);
    assert_near(get_f64(u, "a"), 2, 0);
    assert_near(get_f64(u, "b, too"), 2, 0);
    step_to(u, 5); /* after the end it holds */
    assert_near(get_f64(u, "a"), 0, 0);
    assert_near(get_f64(u, "b, too"), 3, 0);
    done(t, u);
}

static void two_rows_of_one_time_are_a_step(void **state)
{
    tt_unit_type *t = type_of("time;a;b\r\n1;1;0\r\n2;1;0\r\n2;5;0\r\n3;5;1");
    tt_unit *u = make_unit(t, NULL);
    double h = 0;

    (void)state;
    get_ready(u, 1);
    assert_near(get_f64(u, "a"), 1, 0); /* before the first row: its value */
    assert_ok(tt_unit_max_step(u, &h, err));
    assert_near(h, 2, 0);
    step_to(u, 1.75);
    assert_near(get_f64(u, "a"), 1, 0);
    assert_ok(tt_unit_save(u, 0, err));
    step_to(u, 2);
    assert_near(get_f64(u, "a"), 5, 0);
    assert_ok(tt_unit_max_step(u, &h, err));
    assert_true(isinf(h));
    assert_ok(tt_unit_restore(u, 0, err));
    assert_near(get_f64(u, "a"), 1, 0);
    done(t, u);
}

static void times_have_units(void **state)
{
    static const struct {
        const char *text;
        double t;
    } of[] = {{"t [s],a\n0,1\n3,4\n", 1},
              {"t [ms],a\n0,1\n3000,4\n", 1},
              {"Time [min],a\n0,1\n3,4\n", 60},
              {"Time [h]\ta\n0\t1\n3\t4\n", 3600}};

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        tt_unit_type *t = type_of(of[i].text);
        tt_unit *u = make_unit(t, NULL);

        get_ready(u, 0);
        step_to(u, of[i].t);
        assert_near(get_f64(u, "a"), 2, 1e-12);
        done(t, u);
    }
}

static void booleans_hold(void **state)
{
    tt_unit_type *t = type_of("t\ton\n0\tfalse\n1\ttrue\n2\tfalse\n");
    tt_unit *u = make_unit(t, NULL);
    bool on = true;
    double h = 0;

    (void)state;
    assert_int_equal(t->desc.port[0].type, TT_BOOL);
    get_ready(u, 0);
    step_to(u, 0.9);
    get_port(u, "on", &on);
    assert_false(on);
    assert_ok(tt_unit_max_step(u, &h, err));
    assert_near(h, 0.1, 1e-15);
    step_to(u, 1);
    get_port(u, "on", &on);
    assert_true(on);
    done(t, u);
}

static void a_signal_cannot_be_set(void **state)
{
    tt_unit_type *t = type_of("t,a\n0,1\n");
    tt_unit *u = make_unit(t, NULL);
    uint32_t port = 0;
    double v = 1;

    (void)state;
    assert_fails(
        TT_EINPUT, tt_unit_set(u, &(struct tt_span){&port, 1, &v}, err),
        "instance '{k}.u' (signal): set: 'a': a signal from a file cannot "
        "be set");
    done(t, u);
}

static void check_refused(const char *text, const char *message)
{
    struct tt_signal_table t;
    tt_err err = {.msg = ""};

    assert_int_equal(tt_signal_parse(&t, "x.csv", text, strlen(text), &err),
                     TT_EINPUT);
    assert_string_equal(err.msg, message);
    tt_signal_fini(&t);
}

static void bad_tables_are_refused_by_position(void **state)
{
    (void)state;
    check_refused("", "x.csv: is empty");
    check_refused("\n \n", "x.csv: is empty");
    check_refused("time\n0\n", "x.csv:1:1: there is no column but the first, "
                               "which is the time");
    check_refused("time,a\n", "x.csv: has no row of values");
    check_refused("time,a,a\n0,1,2\n", "x.csv:1:8: 'a' names two columns");
    check_refused("time [m],a\n0,1\n",
                  "x.csv:1:1: 'time [m]' is the time, in s, ms, us, min, h or "
                  "d");
    check_refused("time,a,\n0,1,2\n", "x.csv:1:8: the column has no name");
    check_refused("time,\"a\n0,1\n", "x.csv:1:6: the closing quote is missing");
    check_refused("time,\"a\"b\n0,1\n",
                  "x.csv:1:6: text follows the closing quote");
    check_refused("time,a\n0,x1\n", "x.csv:2:3: 'x1' is not a number");
    check_refused("time,a\n0,1\n1,\"x1\"\n", "x.csv:3:3: 'x1' is not a number");
    check_refused("time,a\n0,\n", "x.csv:2:3: the cell is empty");
    check_refused("time,a\nnan,1\n", "x.csv:2:1: 'nan' is not a time");
    check_refused("time,a\n1,1\n0.5,1\n",
                  "x.csv:3:1: '0.5' is before the time of the row above");
    check_refused("time,a,b\n0,1\n",
                  "x.csv:2: the row has 1 values, the header 2");
    check_refused("time,a\n0,1,2\n",
                  "x.csv:2: the row has more than the 1 values of the header");
    check_refused("time,a\n0\n", "x.csv:2:1: the row has no value");
}

static void expect_quantity(const char *unit, double factor, double offset,
                            const char *exponents)
{
    tt_arena *arena = tt_arena_new();
    const struct tt_quantity *q = tt_signal_quantity(arena, unit, strlen(unit));
    char is[64] = "";

    assert_non_null(q);
    assert_string_equal(q->name, unit);
    assert_int_equal(q->has_base, exponents != NULL);
    for (int i = 0; exponents && i < 8; i++)
        (void)snprintf(is + strlen(is), sizeof(is) - strlen(is), "%s%d",
                       i ? " " : "", q->exponent[i]);
    if (exponents) {
        assert_string_equal(is, exponents);
        assert_near(q->factor, factor, 1e-12 * factor);
        assert_near(q->offset, offset, 1e-9);
    }
    tt_arena_free(arena);
}

/* Exponents of kg m s A K mol cd rad. */
static void units_are_read_as_people_write_them(void **state)
{
    (void)state;
    expect_quantity("m/s", 1, 0, "0 1 -1 0 0 0 0 0");
    expect_quantity("km/h", 1 / 3.6, 0, "0 1 -1 0 0 0 0 0");
    expect_quantity("m/s2", 1, 0, "0 1 -2 0 0 0 0 0");
    expect_quantity("m/s^2", 1, 0, "0 1 -2 0 0 0 0 0");
    expect_quantity("N.m", 1, 0, "1 2 -2 0 0 0 0 0");
    expect_quantity("kN*mm", 1, 0, "1 2 -2 0 0 0 0 0");
    expect_quantity("degC", 1, 273.15, "0 0 0 0 1 0 0 0");
    expect_quantity("W/degC", 1, 0, "1 2 -3 0 -1 0 0 0");
    expect_quantity("1/min", 1.0 / 60, 0, "0 0 -1 0 0 0 0 0");
    expect_quantity("rpm", 0.10471975511965977, 0, "0 0 -1 0 0 0 0 1");
    expect_quantity("kg", 1, 0, "1 0 0 0 0 0 0 0");
    expect_quantity("%", 0.01, 0, "0 0 0 0 0 0 0 0");
    expect_quantity("furlong", 1, 0, NULL);
    expect_quantity("m/", 1, 0, NULL);
    expect_quantity("kmin", 1, 0, NULL);
}

static void a_header_may_state_the_unit(void **state)
{
    tt_unit_type *t =
        type_of("time [s],v [km/h],x[1],odd [thing]\n0,36,1,2\n1,72,1,2\n");

    (void)state;
    assert_string_equal(t->desc.port[0].name, "v");
    assert_string_equal(t->desc.port[0].quantity->name, "km/h");
    assert_int_equal(tt_desc_find(&t->desc, "v"), 0);
    assert_int_equal(tt_desc_find(&t->desc, "v [km/h]"), 0);
    assert_string_equal(t->desc.port[1].name, "x[1]");
    assert_null(t->desc.port[1].quantity);
    assert_int_equal(t->desc.port[2].quantity->has_base, 0);
    done(t, NULL);
}

static void a_tsv_file_is_separated_by_tabs(void **state)
{
    static const char path[] = TT_BUILD_DIR "/kinds_signal_test.tsv";
    static const char text[] = "time\tm[1,2]\tb\n0\t1\t2\n1\t3\t2\n";
    tt_unit_type *t;

    (void)state;
    assert_ok(tt_file_write(path, text, strlen(text), err));
    t = open_type(path);
    assert_int_equal(t->desc.n_port, 4);
    assert_string_equal(t->desc.port[0].name, "m[1,2]");
    done(t, NULL);
    (void)remove(path);
}

static void a_long_table_is_searched_right(void **state)
{
    struct tt_signal_table t = {.n_row = 0};
    char text[4000] = "t,a\n";
    size_t n = strlen(text);

    (void)state;
    for (int i = 0; i < 200; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%d,%d\n", i, i * i);
    assert_ok(tt_signal_parse(&t, "x.csv", text, n, err));
    for (size_t i = 0; i < 200; i++)
        for (size_t hint = 0; hint < 201; hint += 50)
            assert_int_equal(tt_signal_row(&t, (double)i + 0.5, hint), i);
    assert_int_equal(tt_signal_row(&t, -1, 7), 0);
    assert_near(tt_signal_at(&t, 0, 10.5, 10), 110.5, 0);
    assert_near(tt_signal_slope(&t, 0, 10.5, 10), 21, 0);
    tt_signal_fini(&t);
}

static void a_leap_has_a_value_on_either_side(void **state)
{
    tt_unit_type *t = type_of("time,a\n0,0\n1,2\n1,3\n1,5\n2,5\n");
    tt_unit *u = make_unit(t, NULL);

    (void)state;
    assert_true(t->desc.port[0].leaps);
    assert_true(t->desc.port[t->desc.port[0].left].hidden);
    get_ready(u, 0);
    step_to(u, 0.5);
    assert_near(get_f64(u, "a (from the left)"), 1, 0);
    step_to(u, 1);
    assert_near(get_f64(u, "a"), 5, 0);
    assert_near(get_f64(u, "a (from the left)"), 2, 0);
    tt_unit_free(u);
    t->kind->close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_linear_between_rows),
        cmocka_unit_test(a_leap_has_a_value_on_either_side),
        cmocka_unit_test(two_rows_of_one_time_are_a_step),
        cmocka_unit_test(times_have_units),
        cmocka_unit_test(booleans_hold),
        cmocka_unit_test(a_signal_cannot_be_set),
        cmocka_unit_test(bad_tables_are_refused_by_position),
        cmocka_unit_test(units_are_read_as_people_write_them),
        cmocka_unit_test(a_header_may_state_the_unit),
        cmocka_unit_test(a_tsv_file_is_separated_by_tabs),
        cmocka_unit_test(a_long_table_is_searched_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
