/* SPDX-License-Identifier: MIT */
#include "kinds/test_help.h"

#include "unit/contract.h"

static enum tt_code make(const void *ctx, const char *name, tt_unit **out,
                         tt_err *err)
{
    tt_unit_type *t = *(tt_unit_type *const *)ctx;
    const struct tt_make m = {.name = name, .instance = name, .event_mode = 1};

    return t->kind->make(out, t, &m, err);
}

static void clocks_keep_the_contract(void **state)
{
    tt_unit_type *t = open_type("tutti:clock: 0.3 from 1/7");
    const struct tt_contract_subject s = {.make = make, .ctx = &t};

    (void)state;
    assert_int_equal(tt_unit_contract_run(&s), 0);
    close_type(t);
}

static void declares(const char *path, struct tt_ratio period,
                     struct tt_ratio shift)
{
    tt_unit_type *t = open_type(path);
    const struct tt_port *p = &t->desc.port[tt_desc_find(&t->desc, "tick")];

    assert_int_equal(t->desc.n_port, 1);
    assert_int_equal(p->type, TT_CLOCK);
    assert_true(tt_clock_is_periodic(p->ticks));
    assert_true(p->ticks->period.num == period.num &&
                p->ticks->period.den == period.den);
    assert_true(p->ticks->shift.num == shift.num &&
                p->ticks->shift.den == shift.den);
    close_type(t);
}

static void the_location_states_exactly_when_it_ticks(void **state)
{
    (void)state;
    declares("tutti:clock: 1/3", (struct tt_ratio){1, 3},
             (struct tt_ratio){0, 1});
    declares("tutti:clock:0.1", (struct tt_ratio){1, 10},
             (struct tt_ratio){0, 1});
    declares("tutti:clock: 2e-3 from 1/7", (struct tt_ratio){1, 500},
             (struct tt_ratio){1, 7});
}

static void refuses(const char *path, const char *words)
{
    const struct tt_source s = {.path = path};
    tt_unit_type *t = NULL;

    assert_fails(TT_EINPUT, tt_kind_clock.open(&t, &s, err), words);
    assert_null(t);
}

static void what_is_no_interval_is_refused(void **state)
{
    (void)state;
    refuses("tutti:clock", "tutti:clock: its interval is missing, as in "
                           "'tutti:clock: 1/3' or 'tutti:clock: 0.3 from 0.1'");
    refuses("tutti:clock: ",
            "tutti:clock: : its interval is missing, as in "
            "'tutti:clock: 1/3' or 'tutti:clock: 0.3 from 0.1'");
    refuses("tutti:clock: 0", "tutti:clock: 0: its interval is 0");
    refuses("tutti:clock: -1",
            "tutti:clock: -1: '-1' is no time in seconds, a decimal or a "
            "fraction of whole numbers");
    refuses("tutti:clock: 1/0",
            "tutti:clock: 1/0: '1/0' is no time in seconds, a decimal or a "
            "fraction of whole numbers");
    refuses("tutti:clock: 1 from soon",
            "tutti:clock: 1 from soon: 'soon' is no time in seconds, a decimal "
            "or a fraction of whole numbers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_keep_the_contract),
        cmocka_unit_test(the_location_states_exactly_when_it_ticks),
        cmocka_unit_test(what_is_no_interval_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
