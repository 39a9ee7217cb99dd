/* SPDX-License-Identifier: MIT */
/* A scenario made by calls is the one its JSON makes: same score, same bytes.
 * What is wrong in it is reported at its place in whatever text it was read
 * from.
 */
#include "scenario/build.h"

#include "base/log.h"
#include "compose/test_compose.h"
#include "run/run.h"
#include "score/score.h"
#include "tutti/tutti.h"

#define TANKS   TT_BUILD_DIR "/examples/nested-water-tank/"
#define CONTROL TT_BUILD_DIR "/examples/water-tank/watertankcontroller.fmu"

static struct tt_sc_word word(const char *text)
{
    return (struct tt_sc_word){text, TT_SC_NOWHERE};
}

static void set(tt_sc_build *b, const char *ref, double v)
{
    const struct tt_sc_value value = {.kind = TT_SC_NUMBER, .number = v};

    assert_int_equal(tt_sc_set_parameter(b, word(ref), &value), TT_OK);
}

static void join(tt_sc_build *b, const char *from, const char *to)
{
    const struct tt_sc_word target = word(to);

    assert_int_equal(tt_sc_connect(b, word(from), &target, 1), TT_OK);
}

static void show(tt_sc_build *b, enum tt_sc_port_dir dir, const char *name,
                 const char *ref)
{
    const struct tt_sc_word w = word(ref);

    assert_int_equal(tt_sc_add_port(b, dir, word(name), &w, 1, TT_SC_NOWHERE),
                     TT_OK);
}

/* A field of the reference, as JSON; the arena is the caller's. */
static void field(tt_sc_build *b, const char *text, tt_arena *arena)
{
    const struct tt_text_file f = {"field", text, strlen(text)};
    struct tt_doc *doc = tt_arena_alloc(arena, 1, sizeof(*doc));

    assert_int_equal(tt_doc_parse(doc, &f, TT_NONE, arena, arena, NULL), TT_OK);
    assert_int_equal(tt_sc_read(b, &doc->u.child[0]), TT_OK);
}

/* stage.json */
static tt_scenario *stage(tt_arena *arena)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    tt_scenario *s = NULL;
    tt_sc_build *b = NULL;

    o.inside = 1;
    assert_ok(tt_sc_build_new(&b, &o, NULL, err));
    tt_sc_set_name(b, "stage");
    assert_int_equal(tt_sc_add_fmu(b, word("{basin}"), word(TANKS "basin.fmu")),
                     TT_OK);
    assert_int_equal(tt_sc_add_fmu(b, word("{controller}"), word(CONTROL)),
                     TT_OK);
    join(b, "{controller}.controller.valve", "{basin}.basin.valve");
    join(b, "{basin}.basin.level", "{controller}.controller.level");
    show(b, TT_SC_PORT_INPUT, "inflow", "{basin}.basin.inflow");
    show(b, TT_SC_PORT_OUTPUT, "outflow", "{basin}.basin.outflow");
    show(b, TT_SC_PORT_OUTPUT, "level", "{basin}.basin.level");
    show(b, TT_SC_PORT_OUTPUT, "valve", "{controller}.controller.valve");
    show(b, TT_SC_PORT_PARAMETER, "minLevel",
         "{controller}.controller.minLevel");
    show(b, TT_SC_PORT_PARAMETER, "maxLevel",
         "{controller}.controller.maxLevel");
    field(b, "{\"master\": \"gauss-seidel\"}", arena);
    assert_int_equal(tt_sc_set_step(b, 0.05, TT_SC_NOWHERE), TT_OK);
    assert_int_equal(tt_sc_build_finish(b, &s), TT_OK);
    tt_sc_build_free(b);
    return s;
}

/* scenario.json, with the other in place */
static tt_scenario *plant(tt_arena *arena, const struct tt_sc_options *o)
{
    tt_scenario *inner = stage(arena), *s = NULL;
    tt_sc_build *b = NULL;

    assert_ok(tt_sc_build_new(&b, o, NULL, err));
    tt_sc_set_name(b, "nested-water-tank");
    assert_int_equal(tt_sc_add_inner(b, word("{stage}"), &inner, TT_SC_NOWHERE),
                     TT_OK);
    assert_null(inner);
    assert_int_equal(tt_sc_add_instance(b, "{stage}", word("upper")), TT_OK);
    join(b, "{stage}.upper.outflow", "{stage}.lower.inflow");
    set(b, "{stage}.upper.inflow", 0.45);
    set(b, "{stage}.lower.minLevel", 3);
    set(b, "{stage}.lower.maxLevel", 5);
    field(b,
          "{\"record\": [\"level\", \"valve\", \"*volumeIn\", "
          "\"*volumeOut\"]}",
          arena);
    assert_int_equal(tt_sc_set_step(b, 0.5, TT_SC_NOWHERE), TT_OK);
    assert_int_equal(tt_sc_set_start(b, 0, TT_SC_NOWHERE), TT_OK);
    assert_int_equal(tt_sc_set_end(b, 100, TT_SC_NOWHERE), TT_OK);
    assert_int_equal(tt_sc_build_finish(b, &s), TT_OK);
    tt_sc_build_free(b);
    return s;
}

/* The score, then the rows. */
static void perform(const tt_scenario *s, struct tt_buf *out)
{
    struct tt_run_opts o = {.kind_cb = tt_compose_kind_for};
    char *csv = tt_path_join(test_dir, "out.csv");
    const struct tutti_run_options files = {.csv = csv};
    tt_run *planned = NULL;
    tutti_run *r = NULL;
    tutti_error e;

    tt_buf_init(out, 1 << 24);
    assert_ok(tt_run_new(&planned, s, &o, err));
    tt_score_print_json(tt_run_score(planned), out);
    tt_run_free(planned);
    assert_int_equal(
        tutti_run_new(&r, (const tutti_scenario *)(const void *)s, &files, &e),
        TUTTI_OK);
    assert_int_equal(tutti_run_perform(r, &e), TUTTI_OK);
    tutti_run_free(r);
    assert_ok(tt_file_read(out, csv, err));
    tt_free(csv);
}

static void calls_make_what_json_makes(void **state)
{
    static const char *const path[] = {TANKS "scenario.json"};
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    tt_arena *arena = tt_arena_new();
    tt_scenario *read = NULL, *made;
    struct tt_buf a, b;

    (void)state;
    for (int finer = 0; finer < 2; finer++) { /* options hold for both */
        o.step = finer ? 0.25 : o.step;
        o.approximation = finer ? "linear" : NULL;
        assert_ok(tt_scenario_load(&read, path, 1, &o, NULL, err));
        made = plant(arena, &o);
        perform(read, &a);
        perform(made, &b);
        assert_true(a.len > 10000);
        assert_int_equal(a.len, b.len);
        assert_memory_equal(a.data, b.data, a.len);
        tt_buf_fini(&a);
        tt_buf_fini(&b);
        tt_scenario_free(made);
        tt_scenario_free(read);
    }
    tt_arena_free(arena);
}

static void a_variable_step_is_set_by_calls(void **state)
{
    static const char json[] =
        "{\"fmus\": {\"{b}\": \"" TANKS "basin.fmu\"}, \"instances\": "
        "{\"{b}\": [\"x\"]}, \"algorithm\": {\"type\": \"var-step\", \"size\": "
        "[0.5, 0.001], \"initsize\": 9}, \"endTime\": null}";
    tt_scenario *read = NULL, *made = NULL;
    tt_sc_build *b = NULL;

    (void)state;
    assert_ok(tt_scenario_parse(&read, "t", ".", json, strlen(json), NULL, NULL,
                                err));
    assert_ok(tt_sc_build_new(&b, NULL, NULL, err));
    assert_int_equal(tt_sc_add_fmu(b, word("{b}"), word(TANKS "basin.fmu")),
                     TT_OK);
    assert_int_equal(tt_sc_add_instance(b, "{b}", word("x")), TT_OK);
    assert_int_equal(tt_sc_set_steps(b, 0.5, 0.001, 9, TT_SC_NOWHERE), TT_OK);
    assert_int_equal(tt_sc_set_end(b, (double)INFINITY, TT_SC_NOWHERE), TT_OK);
    assert_int_equal(tt_sc_build_finish(b, &made), TT_OK);
    tt_sc_build_free(b);
    assert_int_equal(made->algorithm, read->algorithm);
    assert_true(made->step_min == read->step_min && made->step_min == 0.001);
    assert_true(made->step_max == read->step_max && made->step_max == 0.5);
    assert_true(made->step_init == read->step_init && made->step_init == 0.5);
    assert_true(isinf(made->end) && isinf(read->end) && isnan(made->start));
    assert_string_equal(made->unit[0].name, read->unit[0].name);
    tt_scenario_free(made);
    tt_scenario_free(read);
}

/* --- a text that is not JSON -----------------------------------------------
 */

static const char TEXT[] = "unit b basin.fmu\n"
                           "unit c basin.fmu\n"
                           "wire b.x.outflow -> c.y.inflow\n"
                           "wire b.x.level -> c.y.inflow\n"
                           "step 0\n"
                           "sinc 3\n";

/* The n-th mention of a text, where it stands. */
static struct tt_sc_word at(const char *mention, const char *text)
{
    const char *found = strstr(TEXT, mention);

    assert_non_null(found);
    return (struct tt_sc_word){text, {0, (uint32_t)(found - TEXT)}};
}

static tt_sc_build *begin(tt_err *err)
{
    tt_sc_build *b = NULL;

    assert_int_equal(tt_sc_build_new(&b, NULL, NULL, err), TT_OK);
    assert_int_equal(tt_sc_add_file(b, "plant.txt", TANKS, TEXT, strlen(TEXT)),
                     TT_OK);
    assert_int_equal(
        tt_sc_add_fmu(b, at("b basin", "{b}"), at("basin.fmu", "basin.fmu")),
        TT_OK);
    return b;
}

static void refused(tt_sc_build *b, enum tt_code rc, const tt_err *err,
                    const char *message)
{
    assert_int_equal(rc, TT_EINPUT);
    assert_string_equal(err->msg, message);
    tt_sc_build_free(b);
}

static void what_is_wrong_is_named_with_its_place(void **state)
{
    const struct tt_sc_value text = {.kind = TT_SC_TEXT, .text = "x"};
    struct tt_sc_word to = at("c.y.inflow", "{b}.y.inflow");
    struct tt_doc unknown = {.key = "recrd"};
    tt_scenario *s = NULL;
    tt_sc_build *b;
    tt_err err;

    (void)state;
    b = begin(&err);
    refused(b, tt_sc_add_fmu(b, at("c basin", "{c"), word("basin.fmu")), &err,
            "plant.txt:2:6: the FMU key '{c' lacks its closing brace");
    b = begin(&err);
    refused(b,
            tt_sc_add_fmu(b, at("c basin", "{c}"),
                          at("basin.fmu\nwire", "http://x/y.fmu")) ==
                    TT_EUNSUPPORTED
                ? TT_EINPUT
                : TT_OK,
            &err,
            "plant.txt:2:8: FMU '{c}': 'http:' locations are not supported "
            "here: download the file and give its path");
    b = begin(&err);
    refused(b, tt_sc_connect(b, at("b.x.outflow", "{c}.x.outflow"), &to, 1),
            &err,
            "plant.txt:3:6: there is no FMU '{c}', named by "
            "'{c}.x.outflow'; did you mean '{b}'?");
    b = begin(&err);
    assert_int_equal(
        tt_sc_connect(b, at("b.x.outflow", "{b}.x.outflow"), &to, 1), TT_OK);
    to.where = at("c.y.inflow\nstep", "").where;
    refused(b, tt_sc_connect(b, at("b.x.level", "{b}.x.outflow"), &to, 1), &err,
            "plant.txt:4:19: the input '{b}.y.inflow' is already connected "
            "from '{b}.x.outflow' at plant.txt:3:21");
    b = begin(&err);
    refused(b, tt_sc_set_step(b, 0, at("0\nsinc", "").where), &err,
            "plant.txt:5:6: the step size must be greater than 0, not 0");
    b = begin(&err);
    refused(b, tt_sc_set_parameter(b, at("c.y", "c"), &text), &err,
            "plant.txt:3:21: 'c' does not name a variable; write "
            "'{key}.instance.variable'");
    b = begin(&err);
    refused(b, tt_sc_set_start(b, (double)NAN, at("sinc", "").where), &err,
            "plant.txt:6:1: the start time must be finite");
    b = begin(&err);
    unknown.key_where = at("sinc", "").where;
    refused(b, tt_sc_read(b, &unknown), &err,
            "plant.txt:6:1: unknown field 'recrd'; did you mean 'record'?");
    b = begin(&err);
    refused(b, tt_sc_build_finish(b, &s), &err,
            "plant.txt: there is nothing to simulate: no instance is named in "
            "'connections', 'logVariables', 'parameters' or 'instances'");
    assert_null(s);
}

/* As fields of their own: no file, and connections may come before. */
static void crossings_and_wrappers_may_come_by_calls(void **state)
{
    tt_arena *arena = tt_arena_new();
    tt_scenario *s = NULL;
    tt_sc_build *b = NULL;

    (void)state;
    assert_ok(tt_sc_build_new(&b, NULL, NULL, err));
    assert_int_equal(tt_sc_add_fmu(b, word("{b}"), word(TANKS "basin.fmu")),
                     TT_OK);
    join(b, "{b}.x.outflow", "{b}.y.inflow");
    field(b,
          "{\"events\": {\"locate\": [{\"when\": \"{b}.x.level - 1\"}], "
          "\"quantize\": {\"{b}.y.level\": {\"step\": 1, \"to\": "
          "\"{b}.x.valve\"}}}}",
          arena);
    assert_int_equal(tt_sc_build_finish(b, &s), TT_OK);
    assert_int_equal(s->n_locate, 2);
    assert_int_equal(s->n_connection, 4);
    tt_sc_build_free(b);
    tt_scenario_free(s);
    tt_arena_free(arena);
}

/* Every allocation fails once: nothing is lost, nothing is used twice. */
static void running_out_of_memory_is_reported(void **state)
{
    uint64_t n = 0;
    int done = 0;

    (void)state;
    for (; !done && n < 1000; n++) {
        struct tt_sc_word to = word("{b}.y.inflow");
        tt_scenario *s = NULL;
        tt_sc_build *b = NULL;
        tt_err err;
        enum tt_code rc;

        tt_mem_fail_after(n + 1);
        rc = tt_sc_build_new(&b, NULL, NULL, &err);
        if (rc == TT_OK)
            rc = tt_sc_add_file(b, "t", TANKS, TEXT, strlen(TEXT));
        if (rc == TT_OK)
            rc = tt_sc_add_fmu(b, word("{b}"), word(TANKS "basin.fmu"));
        if (rc == TT_OK)
            rc = tt_sc_connect(b, word("{b}.x.outflow"), &to, 1);
        if (rc == TT_OK)
            rc = tt_sc_build_finish(b, &s);
        tt_mem_fail_after(0);
        assert_true(rc == TT_OK || rc == TT_ENOMEM);
        done = rc == TT_OK;
        tt_sc_build_free(b);
        tt_scenario_free(s);
    }
    assert_true(done && n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_make_what_json_makes),
        cmocka_unit_test(a_variable_step_is_set_by_calls),
        cmocka_unit_test(what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(crossings_and_wrappers_may_come_by_calls),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };

    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
