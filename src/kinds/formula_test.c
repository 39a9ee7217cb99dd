/* SPDX-License-Identifier: MIT */
/* An expression over inputs as a unit. */
#include "kinds/test_help.h"

static void ports_are_the_variables_and_y(void **state)
{
    tt_unit_type *t = open_type("tutti:formula: 2*a - b + a*a");

    (void)state;
    assert_int_equal(t->desc.n_port, 3);
    assert_string_equal(t->desc.port[0].name, "a");
    assert_string_equal(t->desc.port[1].name, "b");
    assert_string_equal(t->desc.port[2].name, "y");
    assert_int_equal(t->desc.run[2].n, 2);
    assert_int_equal(t->desc.run[0].n, 0);
    close_type(t);
}

/* 2*3 - 4 + 3*3 = 11; then a = 5: 10 - 4 + 25 = 31. */
static void y_follows_at_the_same_instant(void **state)
{
    tt_unit_type *t = open_type("tutti:formula: 2*a - b + a*a");
    const struct tt_make m = {.name = "{k}.u", .instance = "u"};
    tt_unit *u = make_with(t, &m);

    (void)state;
    set_f64(u, "a", 3);
    set_f64(u, "b", 4);
    get_ready(u, 2);
    assert_near(get_f64(u, "y"), 11, 0);
    set_f64(u, "a", 5);
    assert_near(get_f64(u, "y"), 31, 0);
    (void)step_to(u, 0.5);
    assert_near(get_f64(u, "y"), 31, 0);
    assert_ok(tt_unit_end(u, err));
    tt_unit_free(u);
    close_type(t);
}

static void refused(const char *path, const char *message)
{
    const struct tt_source s = {.path = path};
    const struct tt_kind_ops *kind;
    tt_unit_type *t = NULL;
    tt_err why = {0};

    assert_int_equal(tt_kind_for(&kind, &s, &why), TT_OK);
    assert_int_equal(kind->open(&t, &s, &why), TT_EINPUT);
    assert_string_equal(why.msg, message);
}

static void what_is_no_formula_is_refused(void **state)
{
    (void)state;
    refused("tutti:formula", "tutti:formula: what to compute is missing, as in "
                             "'tutti:formula: a + b'");
    refused("tutti:formula: y + 1", "tutti:formula: y + 1: 'y' is what comes "
                                    "out, and no variable");
    refused("tutti:formula: a > b",
            "tutti:formula: a > b: 'a > b' is no number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports_are_the_variables_and_y),
        cmocka_unit_test(y_follows_at_the_same_instant),
        cmocka_unit_test(what_is_no_formula_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
