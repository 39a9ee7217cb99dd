/* SPDX-License-Identifier: MIT */
/* Sizes that follow structural parameters, and connections of arrays and of
 * their elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "plan/testing.h"

/* Two units alike: y of n x 2 follows the structural parameter n, so does u,
 * and k is a single input. */
struct pair {
    struct tt_fake fake;
    struct tt_stand st;
    struct tt_port *n, *y, *u, *k;
};

static const uint64_t three = 3;
static const uint32_t dim[] = {3, 2}, follows[] = {1, 0};

static struct tt_port *matrix(struct pair *p, const char *name,
                              enum tt_causality causality)
{
    static const double zeros[6];
    struct tt_port *m = tt_fake_port(&p->fake, name, causality, TT_F64);

    m->n = 6;
    m->n_dim = 2;
    m->dim = dim;
    m->dim_of = follows;
    m->start = zeros;
    return m;
}

static void begin(struct pair *p)
{
    tt_fake_init(&p->fake);
    tt_stand_init(&p->st);
    p->n = tt_fake_port(&p->fake, "n", TT_CAUS_STRUCTURAL, TT_U64);
    p->n->start = &three;
    p->n->max = 1e12;
    p->y = matrix(p, "y", TT_CAUS_OUTPUT);
    p->u = matrix(p, "u", TT_CAUS_INPUT);
    p->k = tt_fake_port(&p->fake, "k", TT_CAUS_INPUT, TT_F64);
    tt_stand_fake(&p->st, "{a}", &p->fake);
    tt_stand_fake(&p->st, "{b}", &p->fake);
}

static void end(struct pair *p)
{
    tt_stand_fini(&p->st);
    tt_fake_fini(&p->fake);
}

static enum tt_code plan(struct pair *p, const char *connections,
                         const char *parameters)
{
    char json[1024];

    snprintf(json, sizeof(json),
             "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"},\n"
             "\"connections\": {%s},\n\"parameters\": {%s},\n"
             "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, "
             "\"endTime\": 2}",
             connections, parameters);
    return tt_stand_plan(&p->st, json);
}

static void planned(struct pair *p, const char *connections,
                    const char *parameters)
{
    if (plan(p, connections, parameters) != TT_OK)
        fail_msg("%s", p->st.err.msg);
}

static void refused(const char *connections, const char *parameters,
                    const char *words)
{
    struct pair p;

    begin(&p);
    assert_int_not_equal(plan(&p, connections, parameters), TT_OK);
    assert_string_equal(p.st.err.msg, words);
    end(&p);
}

#define WHOLE "\"{a}.a.y\": [\"{b}.b.u\"]"

/* --- sizes -----------------------------------------------------------------
 */

static void slots_have_the_sizes_that_were_given(void **state)
{
    struct pair p;
    const tt_plan *is;

    (void)state;
    begin(&p);
    planned(&p, WHOLE, "\"{a}.a.n\": 5, \"{b}.b.n\": 5, \"{b}.b.u\": 1");
    is = p.st.plan;
    assert_int_equal(is->slot[tt_stand_slot(is, "{a}.a.y")].n, 10);
    assert_int_equal(is->slot[tt_stand_slot(is, "{b}.b.u")].n, 10);
    assert_int_equal(is->n_column, 10);
    assert_string_equal(is->column[9].name, "{a}.a.y[5,2]");
    assert_int_equal(p.fake.port[1].n, 6); /* the description stays */
    assert_true(tt_stand_logged(
        &p.st, "note: sizes: {a}.a: 'y' 5 x 2, 'u' 5 x 2, by its structural "
               "parameters"));
    assert_true(tt_stand_logged(
        &p.st, "warning: instance '{a}.a': the declared start values of 'u' do "
               "not hold, since sizes changed, and 'parameters' gives none"));
    end(&p);
}

static void instances_of_one_fmu_differ_in_size(void **state)
{
    struct pair p;

    (void)state;
    begin(&p);
    planned(&p,
            "\"{a}.one.y\": [\"{a}.two.u\"], \"{a}.three.y\": "
            "[\"{a}.four.u\"]",
            "\"{a}.one.n\": 2, \"{a}.two.n\": 2, \"{a}.two.u\": 0");
    assert_int_equal(p.st.plan->slot[tt_stand_slot(p.st.plan, "{a}.one.y")].n,
                     4);
    assert_int_equal(p.st.plan->slot[tt_stand_slot(p.st.plan, "{a}.three.y")].n,
                     6);
    end(&p);
}

static void sizes_that_do_not_fit_are_named_both(void **state)
{
    (void)state;
    refused(WHOLE, "\"{a}.a.n\": 2",
            "t.json:2:29: '{a}.a.y' is an array of 2 x 2 and cannot drive "
            "'{b}.b.u', which is an array of 3 x 2");
    refused("\"{a}.a.y\": [\"{b}.b.k\"]", "",
            "t.json:2:29: '{a}.a.y' is an array of 3 x 2 and cannot drive "
            "'{b}.b.k', which is a single value");
}

static void a_single_row_is_not_a_column(void **state)
{
    static const uint32_t two_three[] = {2, 3};
    struct pair p;
    struct tt_fake other;
    struct tt_port *u;

    (void)state;
    begin(&p);
    tt_fake_init(&other);
    u = tt_fake_port(&other, "u", TT_CAUS_INPUT, TT_F64);
    u->n = 6;
    u->n_dim = 2;
    u->dim = two_three;
    tt_stand_fake(&p.st, "{c}", &other);
    assert_int_equal(
        tt_stand_plan(&p.st, "{\"fmus\": {\"{a}\": \"a\", \"{c}\": \"c\"},\n"
                             "\"connections\": {\"{a}.a.y\": [\"{c}.c.u\"]}, "
                             "\"algorithm\": {\"type\": \"fixed-step\", "
                             "\"size\": 1}, "
                             "\"endTime\": 2}"),
        TT_EINPUT);
    assert_string_equal(p.st.err.msg,
                        "t.json:2:29: '{a}.a.y' is an array of 3 x 2 and "
                        "cannot drive '{c}.c.u', which is an array of 2 x 3");
    end(&p);
    tt_fake_fini(&other);
}

static void sizes_out_of_range_are_refused(void **state)
{
    (void)state;
    refused(WHOLE, "\"{a}.a.n\": 1000000000000000",
            "t.json:3:16: '{a}.a.n' gives a size and cannot be "
            "1000000000000000: its range is -inf .. 1000000000000");
    refused(WHOLE, "\"{a}.a.n\": 100000000",
            "instance '{a}.a': 'y' would have more than 16777216 elements");
    refused(WHOLE, "\"{a}.a.n\": 16777216", /* times 2 */
            "instance '{a}.a': 'y' would have more than 16777216 elements");
    refused(WHOLE, "\"{a}.a.n\": -1",
            "t.json:3:16: '{a}.a.n' is UInt64 and cannot be set to -1");
}

static void an_array_may_be_empty(void **state)
{
    struct pair p;

    (void)state;
    begin(&p);
    planned(&p, WHOLE, "\"{a}.a.n\": 0, \"{b}.b.n\": 0");
    assert_int_equal(p.st.plan->slot[tt_stand_slot(p.st.plan, "{a}.a.y")].n, 0);
    assert_int_equal(p.st.plan->n_column, 0);
    end(&p);
}

/* --- elements --------------------------------------------------------------
 */

static void an_element_is_connected_as_a_single_value(void **state)
{
    struct pair p;
    const tt_plan *is;
    uint32_t out, in;

    (void)state;
    begin(&p);
    planned(&p,
            "\"{a}.a.y[3,1]\": [\"{b}.b.k\", \"{b}.b.u[2,2]\"], "
            "\"{a}.a.y[1,2]\": [\"{b}.b.u[1,1]\"]",
            "");
    is = p.st.plan;
    out = tt_stand_slot(is, "{a}.a.y[3,1]");
    in = tt_stand_slot(is, "{b}.b.u[2,2]");
    assert_int_equal(is->slot[out].n, 1);
    assert_int_equal(is->feed[is->slot[in].feed].from, out);
    assert_int_equal(is->feed[is->slot[tt_stand_slot(is, "{b}.b.k")].feed].from,
                     out);
    assert_int_equal(is->unit[0].n_element, 2);
    assert_int_equal(is->unit[0].element[0].at, 4);
    assert_int_equal(is->unit[1].n_element, 2);
    assert_int_equal(is->n_column, 2);
    assert_string_equal(is->column[0].name, "{a}.a.y[3,1]");
    end(&p);
}

static void the_element_is_found_with_the_sizes_given(void **state)
{
    struct pair p;

    (void)state;
    begin(&p);
    planned(&p, "\"{a}.a.y[5,1]\": [\"{b}.b.k\"]",
            "\"{a}.a.n\": 5, \"{a}.a.u\": 0");
    assert_int_equal(p.st.plan->unit[0].element[0].at, 8);
    end(&p);
    refused("\"{a}.a.y[3,1]\": [\"{b}.b.k\"]", "\"{a}.a.n\": 2",
            "t.json:2:17: instance '{a}.a' has no element 'y[3,1]': 'y' is an "
            "array of 2 x 2, counted from 1");
}

static void an_array_is_connected_whole_or_in_parts(void **state)
{
    (void)state;
    refused(WHOLE ", \"{a}.a.y[1,1]\": [\"{b}.b.u[1,1]\"]", "",
            "t.json:2:58: '{b}.b.u' is connected as a whole, and its element "
            "'u[1,1]' is, too");
    refused("\"{a}.a.y[1,1]\": [\"{b}.b.u\"]", "",
            "t.json:2:34: '{a}.a.y[1,1]' is a single value and cannot drive "
            "'{b}.b.u', which is an array of 3 x 2");
}

static void texts_of_arrays_are_connected_whole(void **state)
{
    struct pair p;

    (void)state;
    begin(&p);
    p.y->type = p.u->type = TT_TEXT;
    p.y->variability = p.u->variability = TT_VAR_DISCRETE;
    p.y->start = p.u->start = NULL;
    assert_int_equal(plan(&p, "\"{a}.a.y[1,1]\": [\"{b}.b.u[1,1]\"]", ""),
                     TT_EUNSUPPORTED);
    assert_string_equal(p.st.err.msg,
                        "t.json:2:34: '{b}.b.u' is an array of String, which "
                        "is connected as a whole only");
    end(&p);
}

/* Recorded twice, by name and with its array, an element has one column. */
static void an_element_has_one_column(void **state)
{
    struct pair p;

    (void)state;
    begin(&p);
    assert_int_equal(
        tt_stand_plan(
            &p.st,
            "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"}, \"connections\": "
            "{\"{a}.a.y[3,1]\": [\"{b}.b.k\"]}, \"logVariables\": {\"{a}.a\": "
            "[\"y\"], \"{b}.b\": [\"y[1,1]\"]}, \"algorithm\": {\"type\": "
            "\"fixed-step\", \"size\": 1}, \"endTime\": 2}"),
        TT_OK);
    assert_int_equal(p.st.plan->n_column, 7);
    for (uint32_t i = 0; i < 7; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(p.st.plan->column[i].name,
                                    p.st.plan->column[k].name);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_have_the_sizes_that_were_given),
        cmocka_unit_test(instances_of_one_fmu_differ_in_size),
        cmocka_unit_test(sizes_that_do_not_fit_are_named_both),
        cmocka_unit_test(a_single_row_is_not_a_column),
        cmocka_unit_test(sizes_out_of_range_are_refused),
        cmocka_unit_test(an_array_may_be_empty),
        cmocka_unit_test(an_element_is_connected_as_a_single_value),
        cmocka_unit_test(the_element_is_found_with_the_sizes_given),
        cmocka_unit_test(an_array_is_connected_whole_or_in_parts),
        cmocka_unit_test(texts_of_arrays_are_connected_whole),
        cmocka_unit_test(an_element_has_one_column),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
