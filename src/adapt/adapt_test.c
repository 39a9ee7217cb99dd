/* SPDX-License-Identifier: MIT */
/* Adaptations at work, against closed forms. */
#include "adapt/test_adapt.h"

#include <math.h>

#include "unit/contract.h"

static tt_unit_type *type;

static tt_unit *ready(const char *text)
{
    tt_unit *u;

    assert_ok(open_program(&type, text, err));
    u = make_unit(type, "{a}.a");
    get_ready(u, 2);
    return u;
}

static void done(tt_unit *u)
{
    assert_ok(tt_unit_end(u, err));
    tt_unit_free(u);
    type->kind->close(type);
}

static void near(double is, double wanted, double tolerance)
{
    if (!(fabs(is - wanted) <= tolerance))
        fail_msg("%.17g is not %.17g", is, wanted);
}

/* Listing 7.1, with the torque that is meant, becomes Listing 7.2. */
static void conventions_are_written_out(void **state)
{
    char *path = put("window.sa", SA
                     "reactive mealy WindowSA windowSA at \"./WindowSA.fmu\"\n"
                     "for inner fmu Window window at \"./none.fmu\"\n"
                     "  with input ports displacement (rad), speed (rad/s), "
                     "reaction_force (N)\n"
                     "  with output ports height (cm), reaction_torque (N.m)\n"
                     "output ports disp (m) <- window.height, tau\n"
                     "out rules { true -> {} -> { windowSA.tau := "
                     "-window.reaction_torque; }; }\n");
    const struct tt_source s = {.path = path, .kind_cb = kind_for};
    struct tt_buf b, again;

    (void)state;
    tt_buf_init(&b, 1 << 20);
    tt_buf_init(&again, 1 << 20);
    assert_ok(tt_adapt_explicit(&s, &b, err));
    assert_string_equal(
        b.data,
        "semantic adaptation reactive mealy WindowSA windowSA\n"
        "at \"./WindowSA.fmu\"\n"
        "\n"
        "for inner fmu mealy Window window\n"
        "    at \"./none.fmu\"\n"
        "    with input ports displacement (rad), speed (rad/s), "
        "reaction_force (N)\n"
        "    with output ports height (cm), reaction_torque (N.m)\n"
        "\n"
        "input ports displacement (rad), speed (rad/s), reaction_force (N)\n"
        "output ports disp (m), tau\n"
        "\n"
        "param INIT_WINDOWSA_DISPLACEMENT := 0.0,\n"
        "    INIT_WINDOWSA_SPEED := 0.0,\n"
        "    INIT_WINDOWSA_REACTION_FORCE := 0.0,\n"
        "    INIT_WINDOW_HEIGHT := 0.0,\n"
        "    INIT_WINDOW_REACTION_TORQUE := 0.0;\n"
        "\n"
        "control rules {\n"
        "    var H_window := do_step(window, t, H);\n"
        "    return H_window;\n"
        "}\n"
        "\n"
        "in var stored_windowsa_displacement := INIT_WINDOWSA_DISPLACEMENT,\n"
        "    stored_windowsa_speed := INIT_WINDOWSA_SPEED,\n"
        "    stored_windowsa_reaction_force := INIT_WINDOWSA_REACTION_FORCE;\n"
        "in rules {\n"
        "    true -> {\n"
        "        stored_windowsa_displacement := windowSA.displacement;\n"
        "        stored_windowsa_speed := windowSA.speed;\n"
        "        stored_windowsa_reaction_force := windowSA.reaction_force;\n"
        "    } --> {\n"
        "        window.displacement := stored_windowsa_displacement;\n"
        "        window.speed := stored_windowsa_speed;\n"
        "        window.reaction_force := stored_windowsa_reaction_force;\n"
        "    };\n"
        "}\n"
        "\n"
        "out var stored_window_height := INIT_WINDOW_HEIGHT,\n"
        "    stored_window_reaction_torque := INIT_WINDOW_REACTION_TORQUE;\n"
        "out rules {\n"
        "    true -> {\n"
        "        stored_window_height := window.height;\n"
        "        stored_window_reaction_torque := window.reaction_torque;\n"
        "    } --> {\n"
        "        windowSA.disp := stored_window_height / 100;\n"
        "    };\n"
        "    true -> { } --> {\n"
        "        windowSA.tau := -stored_window_reaction_torque;\n"
        "    };\n"
        "}\n");
    /* it is a program again, and the same one */
    assert_ok(tt_file_write(path, b.data, b.len, err));
    assert_ok(tt_adapt_explicit(&s, &again, err));
    assert_string_equal(again.data, b.data);
    tt_buf_fini(&b);
    tt_buf_fini(&again);
    tt_free(path);
}

/* What an input has until it is set, also in the explicit form. */
static void inputs_begin_as_stated(void **state)
{
    char *path =
        put("test.sa", SA "A a " GAIN "with input ports u with output ports y "
                          "input ports v (m) := -0.25 -> g.u");
    const struct tt_source s = {.path = path, .kind_cb = kind_for};
    tt_unit_type *t;
    struct tt_buf b;
    double start;
    tt_unit *u;

    (void)state;
    tt_buf_init(&b, 1 << 20);
    assert_ok(tt_adapt_explicit(&s, &b, err));
    assert_non_null(strstr(b.data, "input ports v (m) := -0.25\n"));
    for (int i = 0; i < 2; i++) {
        assert_ok(tt_kind_adapted.open(&t, &s, err));
        u = make_unit(t, "a");
        memcpy(&start, t->desc.port[port_of(u, "v")].start, sizeof(start));
        assert_true(start == -0.25);
        get_ready(u, 0);
        assert_true(get_f64(u, "y") == -0.25 * get_f64(u, "k"));
        set_f64(u, "v", 3);
        assert_true(get_f64(u, "y") == 3 * get_f64(u, "k"));
        tt_unit_free(u);
        t->kind->close(t);
        assert_ok(tt_file_write(path, b.data, b.len, err));
    }
    tt_buf_fini(&b);
    tt_free(path);
}

/* A gain of 2 follows at once, through an adaptation without rules. */
static void without_rules_it_is_the_inner_unit(void **state)
{
    tt_unit *u = ready(SA "A a " GAIN);

    (void)state;
    set_f64(u, "u", 3);
    near(get_f64(u, "y"), 3 * get_f64(u, "k"), 0);
    assert_int_equal(u->desc->run[port_of(u, "y")].n, 1);
    (void)step_to(u, 0.5);
    near(get_f64(u, "y"), 3 * get_f64(u, "k"), 0);
    done(u);
}

static void parameters_of_inner_units_are_ports(void **state)
{
    tt_unit *u;

    (void)state;
    assert_ok(open_program(&type, SA "A a " GAIN, err));
    u = make_unit(type, "{a}.a");
    set_f64(u, "k", 5);
    get_ready(u, 1);
    set_f64(u, "u", 3);
    near(get_f64(u, "y"), 15, 0);
    done(u);
}

/* A value that the program gives is no port, and outlives a reset. */
static void parameters_are_given_by_the_program(void **state)
{
    tt_unit *u =
        ready(SA "A a for inner fmu Gain g at \"gain\" with param k := "
                 "-5;");

    (void)state;
    assert_int_equal(tt_desc_find(u->desc, "k"), TT_NONE);
    set_f64(u, "u", 3);
    near(get_f64(u, "y"), -15, 0);
    assert_ok(tt_unit_reset(u, err));
    get_ready(u, 1);
    set_f64(u, "u", 4);
    near(get_f64(u, "y"), -20, 0);
    done(u);
}

/* An integrator that is given half of u in m: 3 m are 300 cm. */
static void units_are_converted_and_negated(void **state)
{
    tt_unit *u = ready(
        SA "A a for inner fmu Integrator i at \"integrator\" with input ports "
           "u (cm) input ports v (m) -> i.u output ports w (mm) "
           "out rules { true -> {} --> { w := -i.y; }; }");

    (void)state;
    set_f64(u, "v", 3);
    (void)step_to(u, 2);
    near(get_f64(u, "w"), -600, 1e-12);
    done(u);
}

/* y' = u, u a line over each step: the inner steps see it at their ends. With
 * n of them the sum is that of the right end points. */
#define RATE                                                                   \
    SA "reactive moore Rate rate " INTEGRATOR                                  \
       "input ports u output ports y param RATE := 10; "                       \
       "control var previous := 0.0; control rules { "                         \
       "var micro := H/RATE; var at := t; "                                    \
       "for (var k in 0 .. RATE) { do_step(i, at, micro); at := at + micro; }" \
       " previous := current; return H; } in var current := 0.0; "             \
       "in rules { true -> { current := rate.u; } --> { i.u := previous + "    \
       "(current - previous)*(H > 0 ? (dt + h)/H : 1); }; }"

static void ten_inner_steps_with_interpolation(void **state)
{
    tt_unit *u = ready(RATE);
    double sum = 0;

    (void)state;
    for (int k = 1; k <= 5; k++) {
        set_f64(u, "u", 2.0 * k);
        (void)step_to(u, 0.1 * k);
        for (int j = 1; j <= 10; j++)
            sum += 0.01 * (2.0 * (k - 1) + 2.0 * j / 10);
        near(get_f64(u, "y"), sum, 1e-12);
    }
    done(u);
}

/* g1 and g2 in a circle: x = 0.5 (0.5 x + u), so x = 2/3 u. */
#define LOOP                                                                   \
    SA "reactive moore Loop loop for inner fmu Gain a at \"gain\" "            \
       "for inner fmu Gain b at \"gain\" with a.y -> b.u "                     \
       "input ports v output ports x <- b.y "                                  \
       "param MAXITER := 60; control var last := 0.0; control rules { "        \
       "var done := false; for (var k in 0 .. MAXITER) { save_state(a); "      \
       "save_state(b); a.u := last + v; do_step(a, t, H); do_step(b, t, H); "  \
       "done := is_close(b.y, last, 1e-12, 1e-12); last := b.y; "              \
       "if (done or k + 1 == MAXITER) { break; } rollback(a); rollback(b); } " \
       "return H; }"

static void a_circle_is_solved_by_going_back(void **state)
{
    tt_unit *u;

    (void)state;
    assert_ok(open_program(&type, LOOP, err));
    u = make_unit(type, "{a}.a");
    set_f64(u, "k", 0.5);
    set_f64(u, "b.k", 0.5);
    get_ready(u, 1);
    set_f64(u, "v", 3);
    (void)step_to(u, 0.1);
    near(get_f64(u, "x"), 1, 1e-10); /* 0.25 (x + 3) = x */
    done(u);
}

/* The inner unit runs only when its input has changed, or after 1 s. */
#define LAZY                                                                   \
    SA "reactive moore Lazy lazy " INTEGRATOR                                  \
       "control var tl := -1.0, before := 0.0; control rules { "               \
       "if (tl < 0.0) { tl := t; } "                                           \
       "if (lazy.u != before or t + H >= tl + 1.0 - 1e-9) { "                  \
       "var made := do_step(i, tl, t + H - tl); tl := tl + made; } "           \
       "before := lazy.u; return H; }"

static void it_runs_when_an_input_has_changed(void **state)
{
    tt_unit *u = ready(LAZY);

    (void)state;
    set_f64(u, "u", 1);
    (void)step_to(u, 0.1);
    near(get_f64(u, "y"), 0.1, 1e-12);
    (void)step_to(u, 0.2);
    (void)step_to(u, 0.5);
    near(get_f64(u, "y"), 0.1, 1e-12); /* held */
    (void)step_to(u, 1.1);
    near(get_f64(u, "y"), 1.1, 1e-12);
    set_f64(u, "u", 3);
    (void)step_to(u, 1.2);
    near(get_f64(u, "y"), 1.4, 1e-12);
    done(u);
}

/* A step over a crossing of the input is refused, with where it is. */
#define CROSSING                                                               \
    SA "reactive moore Cross cross " INTEGRATOR                                \
       "control var p := 0.0; control rules { var s := H; "                    \
       "if (p < 5.0 and not is_close(p, 5.0, 1e-8, 1e-8) and f > 5.0 and "     \
       "not is_close(f, 5.0, 1e-8, 1e-8)) { s := H*(5.0 - p)/(f - p); } else " \
       "{ s := do_step(i, t, H); p := f; } return s; } in var f := 0.0; "      \
       "in rules { true -> { f := cross.u; } --> { }; }"

static void a_crossing_ends_the_step(void **state)
{
    tt_unit *u = ready(CROSSING);
    struct tt_stepped r;

    (void)state;
    set_f64(u, "u", 4);
    r = step_to(u, 1);
    assert_int_equal(r.flags, 0);
    set_f64(u, "u", 8); /* a line from 4 to 8: it is 5 after a quarter */
    r = step_to(u, 2);
    assert_int_equal(r.flags, TT_STEP_REJECT);
    assert_int_equal(r.after, TT_AFTER_UNCHANGED);
    near(r.reached, 1.25, 1e-12);
    near(u->now, 1, 0);
    set_f64(u, "u", 5);
    r = step_to(u, 1.25);
    assert_int_equal(r.flags, 0);
    done(u);
}

/* The inner unit makes every fourth step, four times as long. */
static void outputs_are_held_in_between(void **state)
{
    tt_unit *u = ready(
        SA "reactive moore Hold hold " INTEGRATOR
           "control var n := 0, tl := 0.0; control rules { n := n + 1; "
           "if (n == 4) { do_step(i, tl, t + H - tl); tl := t + H; n := 0; } "
           "return H; }");

    (void)state;
    set_f64(u, "u", 2);
    for (int k = 1; k <= 9; k++) {
        (void)step_to(u, 0.25 * k);
        near(get_f64(u, "y"), 2 * floor(k / 4), 1e-12);
    }
    done(u);
}

/* All conditions come first: what one block assigns does not decide about the
 * next rule; later assignments win; otherwise is what no rule before took. */
static void rules_are_judged_together(void **state)
{
    tt_unit *u =
        ready(SA "reactive mealy R r " GAIN
                 "input ports v output ports y, z in var s := 0.0; in rules { "
                 "v > 0 -> { s := s + 10; } --> { g.u := s; }; "
                 "s > 5 -> { s := 1000; } --> { g.u := -1; }; "
                 "otherwise -> { s := 7; } --> { g.u := 70; }; } "
                 "out rules { g.y > 1 -> {} --> { z := 1; }; "
                 "not (g.y > 1) -> {} --> { z := 0; }; }");
    double k = get_f64(u, "k");

    (void)state;
    set_f64(u, "v", 1);
    near(get_f64(u, "y"), -k, 0); /* s was 7 since the start: both apply */
    done(u);
}

/* Three deep: each level negates. */
static void adaptations_of_adaptations(void **state)
{
    static const char level[] =
        SA "A a%d for inner fmu B b at \"%s\" output ports y "
           "out rules { true -> {} --> { y := -b.y; }; }";
    char text[512];
    char *one, *two;
    tt_unit *u;

    (void)state;
    (void)snprintf(text, sizeof(text), level, 1, "gain");
    one = put("one.sa", text);
    (void)snprintf(text, sizeof(text), level, 2, "one.sa");
    two = put("two.sa", text);
    (void)snprintf(text, sizeof(text), level, 3, "two.sa");
    u = ready(text);
    set_f64(u, "u", 2);
    near(get_f64(u, "y"), -2 * get_f64(u, "k"), 0);
    done(u);
    tt_free(one);
    tt_free(two);
}

static void state_comes_back(void **state)
{
    tt_unit *u = ready(RATE);
    double y;

    (void)state;
    set_f64(u, "u", 1);
    (void)step_to(u, 0.1);
    assert_ok(tt_unit_save(u, 0, err));
    set_f64(u, "u", 5);
    (void)step_to(u, 0.2);
    y = get_f64(u, "y");
    assert_ok(tt_unit_restore(u, 0, err));
    set_f64(u, "u", 5);
    (void)step_to(u, 0.2);
    near(get_f64(u, "y"), y, 0);
    done(u);
}

/* --- the contract ------------------------------------------------------------
 */

static enum tt_code make(const void *ctx, const char *name, tt_unit **out,
                         tt_err *err)
{
    const struct tt_make m = {.name = name, .instance = name};

    (void)ctx;
    return type->kind->make(out, type, &m, err);
}

static void keeps_the_contract(void **state)
{
    static const char *const text[] = {SA "A a " GAIN,
                                       RATE,
                                       LOOP,
                                       LAZY,
                                       SA "A a " INTEGRATOR,
                                       SA "A a for inner fmu G g at "
                                          "\"tutti:queue\""};

    (void)state;
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
        const struct tt_contract_subject s = {.make = make};

        assert_ok(open_program(&type, text[i], err));
        assert_int_equal(tt_unit_contract_run(&s), 0);
        type->kind->close(type);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conventions_are_written_out),
        cmocka_unit_test(inputs_begin_as_stated),
        cmocka_unit_test(without_rules_it_is_the_inner_unit),
        cmocka_unit_test(parameters_of_inner_units_are_ports),
        cmocka_unit_test(parameters_are_given_by_the_program),
        cmocka_unit_test(units_are_converted_and_negated),
        cmocka_unit_test(ten_inner_steps_with_interpolation),
        cmocka_unit_test(a_circle_is_solved_by_going_back),
        cmocka_unit_test(it_runs_when_an_input_has_changed),
        cmocka_unit_test(a_crossing_ends_the_step),
        cmocka_unit_test(outputs_are_held_in_between),
        cmocka_unit_test(rules_are_judged_together),
        cmocka_unit_test(adaptations_of_adaptations),
        cmocka_unit_test(state_comes_back),
        cmocka_unit_test(keeps_the_contract),
    };

    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
