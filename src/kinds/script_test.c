/* SPDX-License-Identifier: MIT */
/* The kinds of a script, by themselves. */
#include "kinds/test_help.h"

#include "kinds/kinds.h"
#include "scenario/scenario.h"
#include "unit/contract.h"

static const char text[] =
    "{\"fmus\":{\"{a}\":\"a.fmu\",\"{b}\":\"b.fmu\"},"
    "\"connections\":{\"{a}.a.y\":[\"{b}.b.u\"]},"
    "\"script\":["
    "{\"at\":0.15,\"do\":[{\"override\":{\"{b}.b.u\":\"2*{a}.a.z + 1\"},"
    "\"until\":\"{a}.a.z > 5\"},{\"bias\":{\"{b}.b.u\":3},\"for\":0.3}]},"
    "{\"when\":\"{a}.a.z > 1\",\"repeat\":true,\"do\":["
    "{\"connect\":{\"{a}.a.z\":\"{b}.b.u\"}},{\"disconnect\":\"{b}.b.u\"},"
    "{\"set\":{\"{b}.b.p\":\"{a}.a.z\"}}]},"
    "{\"at\":0.25,\"do\":{\"release\":\"{b}.b.u\"}}]}";

struct subject {
    tt_unit_type *type;
    int event_mode;
};

static tt_scenario *read_scenario(void)
{
    tt_scenario *s = NULL;
    tt_err err;

    assert_int_equal(tt_scenario_parse(&s, "a.json", "/m", text, strlen(text),
                                       NULL, NULL, &err),
                     TT_OK);
    return s;
}

static tt_unit_type *open_kind(const char *path, const tt_scenario *s)
{
    const struct tt_source source = {.path = path, .script = s->script};
    const struct tt_kind_ops *kind;
    tt_unit_type *t = NULL;
    tt_err err;

    assert_int_equal(tt_kind_for(&kind, &source, &err), TT_OK);
    assert_int_equal(kind->open(&t, &source, &err), TT_OK);
    return t;
}

static enum tt_code make(const void *ctx, const char *name, tt_unit **out,
                         tt_err *err)
{
    const struct subject *s = ctx;
    const struct tt_make m = {.name = name, .event_mode = s->event_mode};

    return s->type->kind->make(out, s->type, &m, err);
}

static void they_keep_the_contract(void **state)
{
    static const char *const path[] = {"tutti:script", "tutti:gate:1",
                                       "tutti:gate:2"};
    tt_scenario *s = read_scenario();

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (int events = i > 0; events < 2; events++) {
            struct subject ctx = {open_kind(path[i], s), events};
            struct tt_contract_subject is = {.make = make, .ctx = &ctx};

            assert_int_equal(tt_unit_contract_run(&is), 0);
            ctx.type->kind->close(ctx.type);
        }
    tt_scenario_free(s);
}

static void refused(const char *path, const struct tt_sc_script *script,
                    const char *message)
{
    const struct tt_source source = {.path = path, .script = script};
    const struct tt_kind_ops *kind;
    tt_unit_type *t = NULL;
    tt_err err;

    assert_int_equal(tt_kind_for(&kind, &source, &err), TT_OK);
    assert_int_equal(kind->open(&t, &source, &err), TT_EINPUT);
    assert_string_equal(err.msg, message);
}

static void there_is_none_without_a_script(void **state)
{
    tt_scenario *s = read_scenario();

    (void)state;
    refused("tutti:script", NULL,
            "tutti:script: it is made by 'script', where there is one");
    refused("tutti:gate:1", NULL,
            "tutti:gate:1: gates are made by 'script', where they are needed");
    refused("tutti:gate:3", s->script,
            "tutti:gate:3: gates are made by 'script', where they are needed");
    refused("tutti:gate:1.5", s->script,
            "tutti:gate:1.5: gates are made by 'script', where they are "
            "needed");
    tt_scenario_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_keep_the_contract),
        cmocka_unit_test(there_is_none_without_a_script),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
