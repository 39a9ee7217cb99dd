/* SPDX-License-Identifier: MIT */
/* Terminals that meet: which connections and bonds come of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "plan/testing.h"

static const struct tt_quantity volt = {
    "V", 1, {1, 2, -3, -1, 0, 0, 0, 0}, 1, 0};
static const struct tt_quantity ampere = {
    "A", 1, {0, 0, 0, 1, 0, 0, 0, 0}, 1, 0};

/* Three units; each test gives them ports and terminals. */
struct three {
    struct tt_fake fake[3];
    struct tt_terminal terminal[3][4];
    struct tt_member member[3][4][4];
    struct tt_stand st;
};

static void begin(struct three *t)
{
    static const char *const key[] = {"{a}", "{b}", "{c}"};

    memset(t, 0, sizeof(*t));
    tt_stand_init(&t->st);
    for (int i = 0; i < 3; i++) {
        tt_fake_init(&t->fake[i]);
        t->fake[i].desc.terminal = t->terminal[i];
        tt_stand_fake(&t->st, key[i], &t->fake[i]);
    }
}

static void end(struct three *t)
{
    tt_stand_fini(&t->st);
    for (int i = 0; i < 3; i++)
        tt_fake_fini(&t->fake[i]);
}

static struct tt_terminal *terminal(struct three *t, int unit, const char *name,
                                    enum tt_match match, uint32_t parent)
{
    uint32_t i = t->fake[unit].desc.n_terminal++;
    struct tt_terminal *is = &t->terminal[unit][i];

    *is = (struct tt_terminal){.name = name,
                               .match = match,
                               .parent = parent,
                               .member = t->member[unit][i]};
    return is;
}

static struct tt_port *member(struct three *t, int unit, uint32_t of,
                              const char *name, enum tt_member_kind kind,
                              enum tt_causality causality)
{
    struct tt_terminal *is = &t->terminal[unit][of];
    uint32_t port = t->fake[unit].desc.n_port;

    t->member[unit][of][is->n_member++] =
        (struct tt_member){name, kind, port, port};
    return tt_fake_port(&t->fake[unit], name, causality, TT_F64);
}

/* A pin that gives its voltage and takes its current, or the other way round,
 * of two units. */
static void pin(struct three *t, int unit, int gives, enum tt_member_kind flow)
{
    struct tt_port *u, *i;

    terminal(t, unit, "pin", TT_MATCH_PLUG, TT_NONE);
    u = member(t, unit, 0, "u", TT_MEMBER_SIGNAL,
               gives ? TT_CAUS_OUTPUT : TT_CAUS_INPUT);
    i = member(t, unit, 0, "i", flow, gives ? TT_CAUS_INPUT : TT_CAUS_OUTPUT);
    u->quantity = &volt;
    i->quantity = &ampere;
}

static enum tt_code plan(struct three *t, const char *terminals,
                         const char *connections)
{
    char json[1024];

    snprintf(json, sizeof(json),
             "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\", \"{c}\": \"c\"},\n"
             "\"terminals\": {%s},\n\"connections\": {%s},\n"
             "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, "
             "\"endTime\": 2}",
             terminals, connections);
    return tt_stand_plan(&t->st, json);
}

#define A_B "\"{a}.a.pin\": [\"{b}.b.pin\"]"

static void planned(struct three *t, const char *terminals)
{
    if (plan(t, terminals, "") != TT_OK)
        fail_msg("%s", t->st.err.msg);
}

static void refused(struct three *t, enum tt_code code, const char *terminals,
                    const char *words)
{
    assert_int_equal(plan(t, terminals, ""), code);
    assert_string_equal(t->st.err.msg, words);
    end(t);
}

static const struct tt_feed *feed_of(const struct three *t, const char *input)
{
    const tt_plan *p = t->st.plan;

    return &p->feed[p->slot[tt_stand_slot(p, input)].feed];
}

static void follows(const struct three *t, const char *input,
                    const char *output, double factor)
{
    const struct tt_feed *f = feed_of(t, input);

    assert_int_equal(f->from, tt_stand_slot(t->st.plan, output));
    assert_true(f->factor == factor && f->offset == 0);
}

static void flows_sum_to_zero(void **state)
{
    static const struct {
        enum tt_member_kind a, b;
        double factor;
    } of[] = {{TT_MEMBER_INFLOW, TT_MEMBER_INFLOW, -1},
              {TT_MEMBER_INFLOW, TT_MEMBER_OUTFLOW, 1},
              {TT_MEMBER_OUTFLOW, TT_MEMBER_INFLOW, 1},
              {TT_MEMBER_OUTFLOW, TT_MEMBER_OUTFLOW, -1}};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct three t;

        begin(&t);
        pin(&t, 0, 1, of[i].a);
        pin(&t, 1, 0, of[i].b);
        planned(&t, A_B);
        assert_int_equal(t.st.plan->n_feed, 2);
        follows(&t, "{b}.b.u", "{a}.a.u", 1);
        follows(&t, "{a}.a.i", "{b}.b.i", of[i].factor);
        assert_int_equal(t.st.plan->n_bond, 1);
        assert_string_equal(t.st.plan->bond[0].given->name, "{a}.a.pin");
        assert_true(t.st.plan->bond[0].sign[0] == of[i].factor);
        assert_true(t.st.plan->bond[0].sign[1] == 1);
        end(&t);
    }
}

static void what_came_of_it_is_noted(void **state)
{
    struct three t;

    (void)state;
    begin(&t);
    pin(&t, 0, 1, TT_MEMBER_INFLOW);
    pin(&t, 1, 0, TT_MEMBER_INFLOW);
    planned(&t, A_B);
    assert_true(tt_stand_logged(&t.st, "note: terminals: {a}.a.u -> {b}.b.u"));
    assert_true(tt_stand_logged(
        &t.st, "note: terminals: {b}.b.i -> {a}.a.i, negative"));
    assert_true(tt_stand_logged(
        &t.st,
        "note: terminals: '{a}.a.pin' and '{b}.b.pin' are a power bond"));
    end(&t);
}

static void without_a_power_there_is_no_bond(void **state)
{
    struct three t;

    (void)state;
    begin(&t);
    pin(&t, 0, 1, TT_MEMBER_INFLOW);
    pin(&t, 1, 0, TT_MEMBER_INFLOW);
    t.fake[0].port[1].quantity = t.fake[1].port[1].quantity = &volt;
    planned(&t, A_B);
    assert_int_equal(t.st.plan->n_bond, 0);
    end(&t);
}

static void signals_go_to_all_that_take_them(void **state)
{
    struct three t;

    (void)state;
    begin(&t);
    for (int i = 0; i < 3; i++) {
        terminal(&t, i, "bus", TT_MATCH_BUS, TT_NONE);
        member(&t, i, 0, "speed", TT_MEMBER_SIGNAL,
               i == 1 ? TT_CAUS_OUTPUT : TT_CAUS_INPUT);
    }
    member(&t, 2, 0, "extra", TT_MEMBER_SIGNAL, TT_CAUS_INPUT);
    planned(&t, "\"{a}.a.bus\": [\"{b}.b.bus\", \"{c}.c.bus\"]");
    assert_int_equal(t.st.plan->n_feed, 2);
    follows(&t, "{a}.a.speed", "{b}.b.speed", 1);
    follows(&t, "{c}.c.speed", "{b}.b.speed", 1);
    end(&t);
}

static void sequences_match_by_order(void **state)
{
    struct three t;

    (void)state;
    begin(&t);
    for (int i = 0; i < 2; i++)
        terminal(&t, i, "pin", TT_MATCH_SEQUENCE, TT_NONE);
    member(&t, 0, 0, "x", TT_MEMBER_SIGNAL, TT_CAUS_OUTPUT);
    member(&t, 0, 0, "y", TT_MEMBER_SIGNAL, TT_CAUS_INPUT);
    member(&t, 1, 0, "p", TT_MEMBER_SIGNAL, TT_CAUS_INPUT);
    member(&t, 1, 0, "q", TT_MEMBER_SIGNAL, TT_CAUS_OUTPUT);
    planned(&t, A_B);
    follows(&t, "{b}.b.p", "{a}.a.x", 1);
    follows(&t, "{a}.a.y", "{b}.b.q", 1);
    end(&t);
}

static void terminals_within_meet_by_name(void **state)
{
    struct three t;

    (void)state;
    begin(&t);
    for (int i = 0; i < 2; i++) {
        terminal(&t, i, "pin", TT_MATCH_PLUG, TT_NONE);
        terminal(&t, i, i ? "pin.one" : "pin.two", TT_MATCH_PLUG, 0);
        terminal(&t, i, i ? "pin.two" : "pin.one", TT_MATCH_PLUG, 0);
    }
    member(&t, 0, 1, "x", TT_MEMBER_SIGNAL, TT_CAUS_OUTPUT); /* two */
    member(&t, 0, 2, "y", TT_MEMBER_SIGNAL, TT_CAUS_OUTPUT);
    member(&t, 1, 1, "y", TT_MEMBER_SIGNAL, TT_CAUS_INPUT); /* one */
    member(&t, 1, 2, "x", TT_MEMBER_SIGNAL, TT_CAUS_INPUT);
    planned(&t, A_B);
    assert_int_equal(t.st.plan->n_feed, 2);
    follows(&t, "{b}.b.x", "{a}.a.x", 1);
    follows(&t, "{b}.b.y", "{a}.a.y", 1);
    end(&t);
}

static void streams_cross(void **state)
{
    struct three t;

    (void)state;
    begin(&t);
    for (int i = 0; i < 2; i++) {
        terminal(&t, i, "pin", TT_MATCH_PLUG, TT_NONE);
        member(&t, i, 0, "h", TT_MEMBER_STREAM, TT_CAUS_OUTPUT);
        tt_fake_port(&t.fake[i], "h_in", TT_CAUS_INPUT, TT_F64);
        t.member[i][0][0].in = 1;
    }
    planned(&t, A_B);
    follows(&t, "{b}.b.h_in", "{a}.a.h", 1);
    follows(&t, "{a}.a.h_in", "{b}.b.h", 1);
    end(&t);
}

/* --- what is refused --------------------------------------------------------
 */

static void plugs_must_match(void **state)
{
    struct three t;

    (void)state;
    begin(&t);
    pin(&t, 0, 1, TT_MEMBER_INFLOW);
    terminal(&t, 1, "pin", TT_MATCH_PLUG, TT_NONE);
    member(&t, 1, 0, "u", TT_MEMBER_SIGNAL, TT_CAUS_INPUT);
    refused(&t, TT_EINPUT, A_B,
            "t.json:2:29: '{b}.b.pin' has no member 'i', which '{a}.a.pin' "
            "has: plugs must match");
    begin(&t);
    pin(&t, 0, 1, TT_MEMBER_INFLOW);
    pin(&t, 1, 0, TT_MEMBER_SIGNAL);
    refused(&t, TT_EINPUT, A_B,
            "t.json:2:29: member 'i' of '{a}.a.pin' and '{b}.b.pin' is of kind "
            "inflow in one and signal in the other");
}

static void sequences_must_be_equally_long(void **state)
{
    struct three t;

    (void)state;
    begin(&t);
    for (int i = 0; i < 2; i++) {
        terminal(&t, i, "pin", TT_MATCH_SEQUENCE, TT_NONE);
        member(&t, i, 0, "x", TT_MEMBER_SIGNAL,
               i ? TT_CAUS_INPUT : TT_CAUS_OUTPUT);
    }
    member(&t, 1, 0, "y", TT_MEMBER_SIGNAL, TT_CAUS_OUTPUT);
    refused(&t, TT_EINPUT, A_B,
            "t.json:2:29: '{a}.a.pin' and '{b}.b.pin' have 1 and 2 members: "
            "sequences must be equally long");
}

static void two_that_give_the_same_do_not_agree(void **state)
{
    struct three t;

    (void)state;
    begin(&t);
    pin(&t, 0, 0, TT_MEMBER_INFLOW);
    pin(&t, 1, 0, TT_MEMBER_INFLOW);
    refused(&t, TT_EINPUT, A_B,
            "t.json:2:29: '{b}.b.u' follows nothing: none of the terminals "
            "that meet gives it");
    begin(&t);
    for (int i = 0; i < 2; i++) {
        terminal(&t, i, "pin", TT_MATCH_PLUG, TT_NONE);
        member(&t, i, 0, "i", TT_MEMBER_INFLOW, TT_CAUS_OUTPUT);
    }
    refused(&t, TT_EUNSUPPORTED, A_B,
            "t.json:2:15: the flows of '{a}.a.pin' and '{b}.b.pin' are both "
            "outputs: connect their members one by one, to a coupling "
            "('tutti:coupling') that makes them agree");
}

static void flows_of_three_have_one_that_takes_them(void **state)
{
    struct three t;

    (void)state;
    begin(&t);
    pin(&t, 0, 1, TT_MEMBER_INFLOW);
    pin(&t, 1, 0, TT_MEMBER_INFLOW);
    terminal(&t, 2, "pin", TT_MATCH_PLUG, TT_NONE);
    member(&t, 2, 0, "u", TT_MEMBER_SIGNAL, TT_CAUS_INPUT)->quantity = &volt;
    member(&t, 2, 0, "i", TT_MEMBER_INFLOW, TT_CAUS_INPUT)->quantity = &ampere;
    refused(&t, TT_EUNSUPPORTED,
            "\"{a}.a.pin\": [\"{b}.b.pin\", \"{c}.c.pin\"]",
            "t.json:2:15: of the flows of 3 terminals that meet at "
            "'{a}.a.pin' 2 are inputs, and one is to take what all others "
            "give: connect their members one by one, to a coupling "
            "('tutti:coupling') that makes the sum of the flows 0");
}

/* In the unit of the one that takes them, by how each counts. */
static void flows_of_three_are_summed_up(void **state)
{
    static const struct tt_quantity milliampere = {
        "mA", 1, {0, 0, 0, 1, 0, 0, 0, 0}, 1e-3, 0};
    static const char *const f[] = {"f1", "f2"};
    const struct tt_desc *desc[3];
    const tt_scenario *sc;
    struct tt_fake sum;
    struct three t;
    tt_plan *p = NULL;
    tt_arena *a = tt_arena_new();

    (void)state;
    begin(&t);
    pin(&t, 0, 1, TT_MEMBER_INFLOW);
    pin(&t, 1, 0, TT_MEMBER_INFLOW);
    terminal(&t, 2, "pin", TT_MATCH_PLUG, TT_NONE);
    member(&t, 2, 0, "u", TT_MEMBER_SIGNAL, TT_CAUS_INPUT)->quantity = &volt;
    member(&t, 2, 0, "i", TT_MEMBER_OUTFLOW, TT_CAUS_OUTPUT)->quantity =
        &milliampere;
    assert_int_equal(
        plan(&t, "\"{a}.a.pin\": [\"{b}.b.pin\", \"{c}.c.pin\"]", ""),
        TT_EUNSUPPORTED); /* by itself a plan has nothing that sums up */
    sc = t.st.scenario;
    for (int i = 0; i < 3; i++)
        desc[i] = &t.fake[i].desc;
    assert_int_equal(tt_plan_sum_flows(&sc, desc, a, &t.st.err), TT_OK);
    assert_int_equal(sc->n_unit, 4);
    assert_int_equal(sc->n_sum, 1);
    assert_string_equal(sc->unit[3].name, "{node1}.flows");
    assert_string_equal(sc->fmu[3].path, "tutti:formula: f1 + f2");
    tt_fake_init(&sum);
    for (int i = 0; i < 2; i++)
        tt_fake_port(&sum, f[i], TT_CAUS_INPUT, TT_F64);
    tt_fake_port(&sum, "y", TT_CAUS_OUTPUT, TT_F64);
    {
        const struct tt_desc *all[] = {desc[0], desc[1], desc[2], &sum.desc};

        assert_int_equal(tt_plan_new(&p, sc, all, NULL, &t.st.err), TT_OK);
    }
    t.st.plan = p; /* freed with it */
    follows(&t, "{node1}.flows.f1", "{b}.b.i", -1);
    follows(&t, "{node1}.flows.f2", "{c}.c.i", 1e-3);
    follows(&t, "{a}.a.i", "{node1}.flows.y", 1);
    follows(&t, "{b}.b.u", "{a}.a.u", 1);
    follows(&t, "{c}.c.u", "{a}.a.u", 1);
    end(&t);
    tt_fake_fini(&sum);
    tt_arena_free(a);
}

static void rules_must_be_known_and_alike(void **state)
{
    struct three t;

    (void)state;
    begin(&t);
    terminal(&t, 0, "pin", TT_MATCH_NONE, TT_NONE);
    terminal(&t, 1, "pin", TT_MATCH_NONE, TT_NONE);
    refused(&t, TT_EUNSUPPORTED, A_B,
            "t.json:2:15: '{a}.a.pin' has no matching rule that is known: "
            "connect its members one by one");
    begin(&t);
    terminal(&t, 0, "pin", TT_MATCH_PLUG, TT_NONE);
    terminal(&t, 1, "pin", TT_MATCH_BUS, TT_NONE);
    refused(&t, TT_EINPUT, A_B,
            "t.json:2:29: '{a}.a.pin' and '{b}.b.pin' have different matching "
            "rules: plug and bus");
}

static void names_must_be_those_of_terminals(void **state)
{
    struct three t;

    (void)state;
    begin(&t);
    pin(&t, 0, 1, TT_MEMBER_INFLOW);
    terminal(&t, 1, "pins", TT_MATCH_PLUG, TT_NONE);
    refused(&t, TT_EINPUT, A_B,
            "t.json:2:29: instance '{b}.b' has no terminal 'pin', did you mean "
            "'pins'?");
    begin(&t);
    pin(&t, 0, 1, TT_MEMBER_INFLOW);
    pin(&t, 1, 0, TT_MEMBER_INFLOW);
    refused(&t, TT_EINPUT, "\"{a}.a.pin\": [\"{b}.b.u\"]",
            "t.json:2:29: '{b}.b.u' is a variable, not a terminal; "
            "'connections' connects it");
    begin(&t);
    pin(&t, 0, 1, TT_MEMBER_INFLOW);
    pin(&t, 1, 0, TT_MEMBER_INFLOW);
    refused(&t, TT_EINPUT, A_B ", \"{c}.c.pin\": [\"{b}.b.pin\"]",
            "t.json:2:57: the terminal '{b}.b.pin' is connected already; all "
            "that meet at one point are named in one list");
}

static void an_input_has_one_source(void **state)
{
    struct three t;

    (void)state;
    begin(&t);
    pin(&t, 0, 1, TT_MEMBER_INFLOW);
    pin(&t, 1, 0, TT_MEMBER_INFLOW);
    assert_int_equal(plan(&t, A_B, "\"{a}.a.u\": [\"{b}.b.u\"]"), TT_EINPUT);
    assert_string_equal(t.st.err.msg,
                        "t.json:2:29: the input '{b}.b.u' of a terminal is "
                        "connected already");
    end(&t);
}

static void flows_are_floats(void **state)
{
    struct three t;

    (void)state;
    begin(&t);
    pin(&t, 0, 1, TT_MEMBER_INFLOW);
    pin(&t, 1, 0, TT_MEMBER_INFLOW);
    t.fake[0].port[1].type = t.fake[1].port[1].type = TT_I32;
    refused(&t, TT_EINPUT, A_B,
            "t.json:2:15: '{b}.b.i' and '{a}.a.i' are not both floats and "
            "cannot have a factor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_sum_to_zero),
        cmocka_unit_test(what_came_of_it_is_noted),
        cmocka_unit_test(without_a_power_there_is_no_bond),
        cmocka_unit_test(signals_go_to_all_that_take_them),
        cmocka_unit_test(sequences_match_by_order),
        cmocka_unit_test(terminals_within_meet_by_name),
        cmocka_unit_test(streams_cross),
        cmocka_unit_test(plugs_must_match),
        cmocka_unit_test(sequences_must_be_equally_long),
        cmocka_unit_test(two_that_give_the_same_do_not_agree),
        cmocka_unit_test(flows_of_three_have_one_that_takes_them),
        cmocka_unit_test(flows_of_three_are_summed_up),
        cmocka_unit_test(rules_must_be_known_and_alike),
        cmocka_unit_test(names_must_be_those_of_terminals),
        cmocka_unit_test(an_input_has_one_source),
        cmocka_unit_test(flows_are_floats),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
