/* SPDX-License-Identifier: MIT */
/* Scores for people and machines: table, JSON, picture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>

#include "plan/crowd.h"
#include "score/testing.h"

struct shown {
    struct tt_stand st;
    tt_score *score;
    struct tt_buf out;
    tt_err err;
};

static void begin(struct shown *s, const char *json)
{
    *s = (struct shown){.score = NULL};
    tt_stand_init(&s->st);
    tt_stand_mock(&s->st, "{i}", &tt_mock_integrator);
    tt_stand_mock(&s->st, "{b}", &tt_testing_blurred);
    tt_buf_init(&s->out, (size_t)1 << 24);
    if (tt_stand_plan(&s->st, json) != TT_OK)
        fail_msg("%s", s->st.err.msg);
    if (tt_score_new(&s->score, s->st.plan, &s->err) != TT_OK)
        fail_msg("%s", s->err.msg);
}

static void end(struct shown *s)
{
    tt_score_free(s->score);
    tt_buf_fini(&s->out);
    tt_stand_fini(&s->st);
}

#define REST                                                                   \
    ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, \"endTime\": "  \
    "3}"
#define LOOP                                                                   \
    "{\"fmus\": {\"{b}\": \"b\", \"{i}\": \"i\"}, \"connections\": "           \
    "{\"{b}.a.y\": [\"{b}.long.u\"], \"{b}.long.y\": [\"{b}.a.u\", "           \
    "\"{i}.i.u\"]}, \"approximation\": \"linear\", \"substeps\": 0" REST
/* names that bite: quotes, markup, a line of its own, control characters */
#define HOSTILE   "a<b>&\\\"'\\n    9  step    x\\u0007\\u001b[31m\\u00e9"
#define HOSTILE_C "a<b>&\"'\n    9  step    x\a\033[31m\xc3\xa9"
#define BAD                                                                    \
    "{\"fmus\": {\"{i}\": \"i\"}, \"connections\": {\"{i}.one.y\": "           \
    "[\"{i}." HOSTILE ".u\"]}" REST

/* --- table --------------------------------------------------------------- */

static void the_table_has_a_line_per_operation(void **state)
{
    const char *body;
    struct shown s;

    (void)state;
    begin(&s, LOOP);
    tt_score_print(s.score, &s.out);
    assert_memory_equal(s.out.data, "score ", 6);
    body = strchr(s.out.data, ':');
    assert_non_null(body);
    assert_string_equal(
        body,
        ": jacobi, 3 instances, 3 connections\n"
        "protocol fixed: propose, step, exchange, commit, row\n"
        "\n"
        "init: first values, in initialisation mode\n"
        "    1  get     a     y (a loop is cut here)\n"
        "    2  loop    at most 108 times, until solved\n"
        "    3    set     long  u <- a.y (the guess)\n"
        "    4    get     long  y\n"
        "    5    set     a     u <- long.y\n"
        "    6    get     a     y\n"
        "    7    solve   1 guess, fixed point, then newton\n"
        "    8  end\n"
        "    9  set     i     u <- long.y\n"
        "   10  commit  the values of this instant stand\n"
        "\n"
        "step: every instance from T0 to T1\n"
        "    1  step    a     T0 -> T1\n"
        "    2  step    long  T0 -> T1\n"
        "    3  set     i     u <- long.y (course through past "
        "values)\n"
        "    4  step    i     T0 -> T1\n"
        "\n"
        "exchange: values at T1\n"
        "    1  get     a     y (a loop is cut here)\n"
        "    2  set     long  u <- a.y\n"
        "    3  get     long  y\n"
        "    4  set     a     u <- long.y\n"
        "    5  set     i     u <- long.y\n"
        "    6  commit  the values of this instant stand\n"
        "\n"
        "start: all values, if leaving initialisation mode changed one\n"
        "       as the exchange, but its commit\n"
        "\n"
        "decisions\n"
        "  exchange       a: consistent (declares that it evaluates "
        "without a step)\n"
        "  exchange       long: consistent (declares that it evaluates "
        "without a step)\n"
        "  exchange       i: consistent (declares that it evaluates "
        "without a step)\n"
        "  approximation  a.u: hold, because its instance takes no course "
        "and "
        "is not sub-stepped\n"
        "  approximation  long.u: hold, because its instance takes no "
        "course "
        "and is not sub-stepped\n"
        "  approximation  i.u: linear, taken exactly by its instance\n"
        "  initialisation loop through a.y: solved for 1 unknown, fixed "
        "point, then newton (their instances declare no dependencies)\n"
        "  loop           cut at a.y: it is read before the inputs it may "
        "depend on are of the same instant\n");
    end(&s);
}

static void a_name_cannot_forge_a_line_or_reach_the_terminal(void **state)
{
    struct shown s;

    (void)state;
    begin(&s, BAD);
    tt_score_print(s.score, &s.out);
    assert_null(strstr(s.out.data, "\n    9  step"));
    for (size_t i = 0; i < s.out.len; i++)
        assert_true((unsigned char)s.out.data[i] >= 0x20 ||
                    s.out.data[i] == '\n');
    assert_non_null(strstr(s.out.data, "a<b>&\"'?    9  step    x??[31m"
                                       "\xc3\xa9"));
    end(&s);
}

/* --- JSON ---------------------------------------------------------------- */

static json_t *parse(struct shown *s)
{
    json_error_t e;
    json_t *root;

    tt_buf_clear(&s->out);
    tt_score_print_json(s->score, &s->out);
    root = json_loadb(s->out.data, s->out.len, JSON_REJECT_DUPLICATES, &e);
    if (!root)
        fail_msg("%d:%d: %s", e.line, e.column, e.text);
    return root;
}

static const char *op_member(json_t *root, const char *section, size_t i,
                             const char *member)
{
    return json_string_value(json_object_get(
        json_array_get(json_object_get(root, section), i), member));
}

static void json_has_every_section_and_decision(void **state)
{
    struct shown s;
    json_t *root, *op;

    (void)state;
    begin(&s, LOOP);
    root = parse(&s);
    assert_int_equal(json_integer_value(json_object_get(root, "version")), 1);
    assert_string_equal(json_string_value(json_object_get(root, "master")),
                        "jacobi");
    assert_int_equal(strlen(json_string_value(json_object_get(root, "hash"))),
                     16);
    assert_int_equal(json_array_size(json_object_get(root, "order")), 3);
    assert_int_equal(json_array_size(json_object_get(root, "init")), 4);
    assert_int_equal(json_array_size(json_object_get(root, "step")), 4);
    assert_int_equal(json_array_size(json_object_get(root, "exchange")), 6);
    assert_int_equal(json_array_size(json_object_get(root, "decisions")), 8);
    assert_int_equal(json_array_size(json_object_get(root, "start")), 5);
    op = json_array_get(json_object_get(root, "init"), 1);
    assert_string_equal(op_member(root, "init", 1, "op"), "loop");
    assert_int_equal(json_integer_value(json_object_get(op, "most")), 108);
    assert_null(json_object_get(op, "instance"));
    assert_int_equal(json_array_size(json_object_get(op, "do")), 4);
    op = json_object_get(op, "solve");
    assert_string_equal(json_string_value(json_object_get(op, "method")),
                        "auto");
    assert_string_equal(op_member(root, "step", 3, "instance"), "{i}.i");
    assert_string_equal(op_member(root, "step", 3, "from"), "T0");
    assert_string_equal(op_member(root, "step", 3, "to"), "T1");
    op = json_array_get(json_object_get(root, "exchange"), 1);
    assert_string_equal(
        json_string_value(json_array_get(json_object_get(op, "ports"), 0)),
        "u");
    assert_string_equal(
        json_string_value(json_array_get(json_object_get(op, "sources"), 0)),
        "{b}.a.y");
    json_decref(root);
    end(&s);
}

static void json_survives_hostile_names(void **state)
{
    struct shown s;
    json_t *root;

    (void)state;
    begin(&s, BAD);
    root = parse(&s);
    assert_string_equal(op_member(root, "step", 1, "instance"),
                        "{i}." HOSTILE_C);
    json_decref(root);
    end(&s);
}

/* --- picture ------------------------------------------------------------- */

static int count_nodes(xmlDocPtr doc, const char *path)
{
    xmlXPathContextPtr c = xmlXPathNewContext(doc);
    xmlXPathObjectPtr o = xmlXPathEvalExpression((const xmlChar *)path, c);
    int n = o->nodesetval ? o->nodesetval->nodeNr : 0;

    xmlXPathFreeObject(o);
    xmlXPathFreeContext(c);
    return n;
}

static xmlDocPtr draw(struct shown *s)
{
    xmlDocPtr doc;

    tt_buf_clear(&s->out);
    tt_score_svg(s->score, &s->out);
    assert_false(s->out.failed);
    doc = xmlReadMemory(s->out.data, (int)s->out.len, "score.svg", NULL,
                        XML_PARSE_NONET);
    assert_non_null(doc);
    return doc;
}

static void the_picture_has_a_box_per_operation_on_a_unit(void **state)
{
    struct shown s;
    xmlDocPtr doc;

    (void)state;
    begin(&s, LOOP);
    doc = draw(&s);
    assert_int_equal(count_nodes(doc, "//*[local-name()='g']"), 15);
    assert_int_equal(count_nodes(doc, "//*[local-name()='line' and "
                                      "@class='lane']"),
                     3);
    assert_int_equal(count_nodes(doc, "//*[local-name()='rect' and "
                                      "@class='get cut']"),
                     2);
    /* one line from each get to each set it feeds: 3 + 1 + 3 */
    assert_int_equal(count_nodes(doc, "//*[local-name()='path' and "
                                      "@class='feed']"),
                     7);
    assert_int_equal(count_nodes(doc, "//*[local-name()='text' and .='step']"),
                     1);
    xmlFreeDoc(doc);
    end(&s);
}

static void the_picture_survives_hostile_names(void **state)
{
    struct shown s;
    xmlDocPtr doc;

    (void)state;
    begin(&s, BAD);
    doc = draw(&s);
    assert_int_equal(count_nodes(doc, "//*[local-name()='title' and "
                                      "contains(., 'a<b>&')]"),
                     3); /* set, step, set */
    xmlFreeDoc(doc);
    end(&s);
}

static void a_crowd_gets_a_sentence_instead_of_a_picture(void **state)
{
    const struct tt_crowd_opts o = {.seed = 1,
                                    .n_type = 1,
                                    .n_unit = 41,
                                    .n_in = 1,
                                    .n_out = 1,
                                    .full = 1,
                                    .acyclic = 1};
    struct tt_crowd c;
    struct shown s = {.score = NULL};
    tt_plan *plan = NULL;
    xmlDocPtr doc;

    (void)state;
    tt_crowd_init(&c, &o);
    tt_buf_init(&s.out, 1 << 20);
    assert_int_equal(tt_plan_new(&plan, &c.scenario, c.desc, NULL, &s.err),
                     TT_OK);
    assert_int_equal(tt_score_new(&s.score, plan, &s.err), TT_OK);
    doc = draw(&s);
    assert_int_equal(
        count_nodes(doc, "//*[.='41 instances are too many for a picture; the "
                         "table lists every operation.']"),
        2); /* the text, and the picture around it */
    xmlFreeDoc(doc);
    tt_buf_fini(&s.out);
    tt_score_free(s.score);
    tt_plan_free(plan);
    tt_crowd_fini(&c);
}

/* No unit: the step section has no operation, the others a commit. */
static void nothing_at_all_can_be_shown(void **state)
{
    tt_scenario empty = {.step = 1, .end = 1};
    struct shown s = {.score = NULL};
    tt_plan *plan = NULL;
    json_t *root;

    (void)state;
    tt_buf_init(&s.out, 1 << 16);
    if (tt_plan_new(&plan, &empty, NULL, NULL, &s.err) != TT_OK)
        fail_msg("%s", s.err.msg);
    assert_int_equal(tt_score_new(&s.score, plan, &s.err), TT_OK);
    xmlFreeDoc(draw(&s));
    root = parse(&s);
    assert_int_equal(json_array_size(json_object_get(root, "step")), 0);
    json_decref(root);
    tt_buf_clear(&s.out);
    tt_score_print(s.score, &s.out);
    assert_non_null(strstr(s.out.data, "0 instances, 0 connections\n"));
    tt_buf_fini(&s.out);
    tt_score_free(s.score);
    tt_plan_free(plan);
}

static void every_operation_and_section_has_a_name(void **state)
{
    (void)state;
#define X(name, word, scope) assert_true(strlen(tt_op_name(TT_OP_##name)) > 2);
    TT_OPS(X)
#undef X
    assert_string_equal(tt_op_name((enum tt_op_code)99), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_a_line_per_operation),
        cmocka_unit_test(a_name_cannot_forge_a_line_or_reach_the_terminal),
        cmocka_unit_test(json_has_every_section_and_decision),
        cmocka_unit_test(json_survives_hostile_names),
        cmocka_unit_test(the_picture_has_a_box_per_operation_on_a_unit),
        cmocka_unit_test(the_picture_survives_hostile_names),
        cmocka_unit_test(a_crowd_gets_a_sentence_instead_of_a_picture),
        cmocka_unit_test(nothing_at_all_can_be_shown),
        cmocka_unit_test(every_operation_and_section_has_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
