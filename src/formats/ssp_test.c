/* SPDX-License-Identifier: MIT */
/* System structures as scenarios: values and names are derived by hand from the
 * standard's rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/log.h"
#include "formats/formats.h"
#include "sys/file.h"
#include "sys/temp.h"

#define SSP(what) "http://ssp-standard.org/SSP1/SystemStructure" what
#define HEAD                                                                   \
    "<?xml version=\"1.0\"?>\n"                                                \
    "<d:SystemStructureDescription version=\"1.0\" name=\"t\"\n"               \
    " xmlns:d=\"" SSP("Description") "\" xmlns:c=\"" SSP(                      \
        "Common") "\"\n"                                                       \
                  " xmlns:v=\"" SSP(                                           \
                      "ParameterValues") "\"\n"                                \
                                         " xmlns:m=\"" SSP(                    \
                                             "ParameterMapping") "\">\n"
#define TAIL "</d:SystemStructureDescription>\n"
#define COMPONENT(name, pins)                                                  \
    "<d:Component name=\"" name "\" source=\"unit.fmu\"><d:Connectors>" pins   \
    "</d:Connectors></d:Component>\n"
#define PIN(name, kind) "<d:Connector name=\"" name "\" kind=\"" kind "\"/>"
#define LINK(from, to, more)                                                   \
    "<d:Connection " from " " to ">" more "</d:Connection>\n"
#define START(e, c) "startElement=\"" e "\" startConnector=\"" c "\""
#define END(e, c)   "endElement=\"" e "\" endConnector=\"" c "\""
#define BINDING(values, more)                                                  \
    "<d:ParameterBindings><d:ParameterBinding " more                           \
    "><d:ParameterValues><v:ParameterSet version=\"1.0\" name=\"s\">"          \
    "<v:Parameters>" values "</v:Parameters></v:ParameterSet>"                 \
    "</d:ParameterValues></d:ParameterBinding></d:ParameterBindings>\n"
#define REAL(name, value)                                                      \
    "<v:Parameter name=\"" name "\"><v:Real value=\"" value "\"/></"           \
    "v:Parameter>"

struct seen {
    char warning[2048];
};

static void keep_warning(void *ctx, const struct tt_log_record *r)
{
    struct seen *s = ctx;
    size_t n = strlen(s->warning);

    if (r->level == TT_LOG_WARN)
        (void)snprintf(s->warning + n, sizeof(s->warning) - n, "%s\n", r->text);
}

static struct tt_temp temp;
static const char *folder;

static void put(const char *name, const char *text)
{
    char *path = tt_path_join(folder, name);
    tt_err err;

    assert_int_equal(tt_file_write(path, text, strlen(text), &err), TT_OK);
    tt_free(path);
}

static enum tt_code open_ssd(tt_scenario **out, const char *text,
                             struct seen *seen, tt_err *err)
{
    struct tt_log log = {.sink_cb = keep_warning, .ctx = seen};
    char *path = tt_path_join(folder, "t.ssd");
    enum tt_code rc;

    put("t.ssd", text);
    *seen = (struct seen){{0}};
    rc = tt_format_open(out, (const char *const *)&path, 1, NULL, NULL, &log,
                        err);
    tt_free(path);
    return rc;
}

static tt_scenario *scenario(const char *text)
{
    tt_scenario *s = NULL;
    struct seen seen;
    tt_err err = {0};

    if (open_ssd(&s, text, &seen, &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(seen.warning, "");
    return s;
}

/* Messages begin with the folder, which is another one each time. */
static const char *without_folder(const char *text)
{
    size_t n = strlen(folder);

    return strncmp(text, folder, n) == 0 ? text + n + 1 : text;
}

static void refused(const char *text, const char *message)
{
    tt_scenario *s = NULL;
    struct seen seen;
    tt_err err = {0};

    assert_int_not_equal(open_ssd(&s, text, &seen, &err), TT_OK);
    assert_string_equal(without_folder(err.msg), message);
}

/* "{unit}.a.y -> {unit}.b.u", with a factor and an offset if it has them. */
static void has_connection(const tt_scenario *s, uint32_t i, const char *text)
{
    const struct tt_sc_connection *c = &s->connection[i];
    struct tt_buf b;

    assert_true(i < s->n_connection);
    tt_buf_init(&b, 1000);
    tt_buf_fmt(&b, "%s.%s -> %s.%s", s->unit[c->from.unit].name,
               c->from.variable, s->unit[c->to.unit].name, c->to.variable);
    if (c->by && !c->by->n_map) {
        tt_buf_str(&b, " * ");
        tt_buf_num(&b, c->by->factor);
        tt_buf_str(&b, " + ");
        tt_buf_num(&b, c->by->offset);
    }
    if (c->by && c->by->keep_unit)
        tt_buf_str(&b, ", unit kept");
    assert_string_equal(b.data, text);
    tt_buf_fini(&b);
}

/* The value that wins: the last one. */
static double value_of(const tt_scenario *s, const char *unit, const char *name)
{
    double v = -1;

    for (uint32_t i = 0; i < s->n_parameter; i++)
        if (strcmp(s->unit[s->parameter[i].ref.unit].name, unit) == 0 &&
            strcmp(s->parameter[i].ref.variable, name) == 0)
            v = s->parameter[i].value.number;
    return v;
}

#define A COMPONENT("a", PIN("y", "output") PIN("u", "input"))
#define B COMPONENT("b", PIN("y", "output") PIN("u", "input"))

static void components_of_one_file_are_instances_of_it(void **state)
{
    tt_scenario *s = scenario(
        HEAD
        "<d:System name=\"r\"><d:Elements>" A B
        "</d:Elements><d:Connections>" LINK(START("a", "y"), END("b", "u"), "")
            LINK(START("a", "u"), END("b", "y"),
                 "") "</d:Connections></d:System>"
                     "<d:DefaultExperiment startTime=\"1\" "
                     "stopTime=\"3\"/>" TAIL);

    (void)state;
    assert_string_equal(s->name, "t");
    assert_int_equal(s->n_fmu, 1);
    assert_int_equal(s->n_unit, 2);
    assert_string_equal(s->unit[0].name, "{unit}.a");
    assert_int_equal(s->n_connection, 2);
    has_connection(s, 0, "{unit}.b.y -> {unit}.a.u"); /* kinds decide */
    has_connection(s, 1, "{unit}.a.y -> {unit}.b.u");
    assert_true(s->start == 1 && s->end == 3);
    tt_scenario_free(s);
}

#define INNER(links)                                                           \
    "<d:System name=\"in\"><d:Connectors>" PIN("x", "input")                   \
        PIN("z", "output") "</d:Connectors><d:Elements>" B                     \
                           "</d:Elements><d:Connections>" links                \
                           "</d:Connections></d:System>"

/* b.u = 3 (2 a.y + 1) + 4 = 6 a.y + 7 */
static void ways_through_systems_are_followed_and_combined(void **state)
{
    tt_scenario *s =
        scenario(HEAD "<d:System name=\"r\"><d:Elements>" A INNER(
            LINK("startConnector=\"x\"", END("b", "u"),
                 "<c:LinearTransformation factor=\"3\" offset=\"4\"/>")
                LINK(
                    START("b", "y"), "endConnector=\"z\"",
                    "")) "</d:Elements><d:Connections>" LINK(START("a", "y"),
                                                             END("in", "x"),
                                                             "<c:"
                                                             "LinearTransformat"
                                                             "ion factor=\"2\" "
                                                             "offset=\"1\"/>")
                     LINK(START("in", "z"),
                          END("a", "u") " suppressUnitConversion=\"true\"",
                          "") "</d:Connections></d:System>" TAIL);

    (void)state;
    assert_int_equal(s->n_connection, 2);
    has_connection(s, 0, "{unit}.in/b.y -> {unit}.a.u * 1.0 + 0.0, unit kept");
    has_connection(s, 1, "{unit}.a.y -> {unit}.in/b.u * 6.0 + 7.0");
    tt_scenario_free(s);
}

static void tables_map_whole_numbers(void **state)
{
    tt_scenario *s = scenario(
        HEAD "<d:System name=\"r\"><d:Elements>" A B
             "</d:Elements><d:Connections>" LINK(
                 START("a", "y"), END("b", "u"),
                 "<c:IntegerMappingTransformation><c:MapEntry "
                 "source=\"1\" "
                 "target=\"-5\"/><c:MapEntry source=\"2\" target=\"7\"/>"
                 "</c:IntegerMappingTransformation>")
                 LINK(START("b", "y"), END("a", "u"),
                      "<c:BooleanMappingTransformation><c:MapEntry "
                      "source=\"true\" "
                      "target=\"false\"/></"
                      "c:BooleanMappingTransformation>") "</"
                                                         "d:Connections><"
                                                         "/d:"
                                                         "System>" TAIL);

    (void)state;
    assert_int_equal(s->connection[1].by->n_map, 2);
    assert_true(s->connection[1].by->map[1].from == 2 &&
                s->connection[1].by->map[1].to == 7);
    assert_true(s->connection[0].by->map[0].from == 1 &&
                s->connection[0].by->map[0].to == 0);
    tt_scenario_free(s);
}

#define TYPED(name, kind, type)                                                \
    "<d:Connector name=\"" name "\" kind=\"" kind                              \
    "\"><c:Enumeration name=\"" type "\"/></d:Connector>"
#define ITEM(name, value) "<c:Item name=\"" name "\" value=\"" value "\"/>"
#define ENUMERATION(name, items)                                               \
    "<c:Enumeration name=\"" name "\">" items "</c:Enumeration>"
#define ENTRY(from, to) "<c:MapEntry source=\"" from "\" target=\"" to "\"/>"
#define ITEMS(entries)                                                         \
    "\n<c:EnumerationMappingTransformation>" entries                           \
    "</c:EnumerationMappingTransformation>"
/* Of a light that gives a colour, and a car that takes an order. */
#define LIGHT(type, entries)                                                   \
    HEAD "<d:System name=\"r\"><d:Elements>" COMPONENT(                        \
        "light", TYPED("y", "output", type))                                   \
        COMPONENT(                                                             \
            "car",                                                             \
            TYPED("u", "input",                                                \
                  "Order")) "</d:Elements>"                                    \
                            "<d:Connections>" LINK(                            \
                                START("light", "y"), END("car", "u"),          \
                                ITEMS(                                         \
                                    entries)) "</d:Connections></"             \
                                              "d:System><d:"                   \
                                              "Enumerations"                   \
                                              ">" ENUMERATION("Colour",        \
                                                              ITEM("red", "1") \
                                                                  ITEM("g"     \
                                                                       "r"     \
                                                                       "e"     \
                                                                       "e"     \
                                                                       "n",    \
                                                                       "5"))   \
                                                  ENUMERATION(                 \
                                                      "Order",                 \
                                                      ITEM("stop", "-2") ITEM( \
                                                          "go", "9")) "</"     \
                                                                      "d:"     \
                                                                      "Enu"    \
                                                                      "mer"    \
                                                                      "ati"    \
                                                                      "ons"    \
                                                                      ">" TAIL

static void items_are_mapped_by_name(void **state)
{
    tt_scenario *s =
        scenario(LIGHT("Colour", ENTRY("red", "stop") ENTRY("green", "go")));
    const struct tt_sc_transform *by = s->connection[0].by;

    (void)state;
    assert_int_equal(by->n_map, 2);
    assert_true(by->map[0].from == 1 && by->map[0].to == -2);
    assert_true(by->map[1].from == 5 && by->map[1].to == 9);
    tt_scenario_free(s);
    refused(LIGHT("Colour", ENTRY("blue", "go")),
            "t.ssd:9:1: the enumeration 'Colour' of 'y' has no item 'blue'");
    refused(LIGHT("Colour", ENTRY("red", "")),
            "t.ssd:9:1: <MapEntry> has no 'target'");
    refused(LIGHT("Colours", ENTRY("red", "go")),
            "t.ssd:9:1: the connector 'y' has no enumeration that the file or "
            "an FMU defines: 'red' is no number; map numbers with "
            "<IntegerMappingTransformation>");
}

#define WHOLE(entries)                                                         \
    "<c:IntegerMappingTransformation>" entries                                 \
    "</c:IntegerMappingTransformation>"
#define LINE(factor, offset)                                                   \
    "<c:LinearTransformation factor=\"" factor "\" offset=\"" offset "\"/>"
/* From a to b through a connector of the system that b is in. */
#define THROUGH(first, then)                                                   \
    HEAD "<d:System name=\"r\"><d:Elements>" A INNER(LINK(                     \
        "startConnector=\"x\"", END("b", "u"),                                 \
        then)) "</d:Elements><d:Connections>" LINK(START("a", "y"),            \
                                                   END("in", "x"),             \
                                                   first) "</d:Connections></" \
                                                          "d:System>" TAIL

/* By hand: each value through the first, then through the second. */
static void tables_and_others_are_one_behind_the_other(void **state)
{
#define ONE WHOLE(ENTRY("1", "2") ENTRY("3", "4"))
#define TWO WHOLE(ENTRY("2", "7") ENTRY("3", "8") ENTRY("5", "-5"))
    static const struct {
        const char *text;
        uint32_t n_map;
        double is[5]; /* of 0, 1, 2, 3, 5 */
    } row[] = {
        {THROUGH(ONE, TWO), 4, {0, 7, 7, 4, -5}},
        {THROUGH(ONE, LINE("10", "0.5")), 2, {0.5, 20.5, 20.5, 40.5, 50.5}},
        {THROUGH(LINE("2", "-1"), TWO), 2, {-1, 1, 8, -5, 9}},
        {THROUGH(LINE("0", "2"), TWO), 0, {7, 7, 7, 7, 7}},
        {THROUGH(LINE("0", "6"), TWO), 0, {6, 6, 6, 6, 6}},
        {THROUGH("", TWO), 3, {0, 1, 7, 8, -5}},
    };
    static const double given[5] = {0, 1, 2, 3, 5};

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        tt_scenario *s = scenario(row[i].text);

        assert_int_equal(s->connection[0].by->n_map, row[i].n_map);
        for (size_t k = 0; k < 5; k++)
            assert_true(tt_sc_transformed(s->connection[0].by, given[k]) ==
                        row[i].is[k]);
        tt_scenario_free(s);
    }
}

static void a_signal_dictionary_joins_systems(void **state)
{
    static const char text[] =
        HEAD "<d:System name=\"r\"><d:Elements>" A
             "<d:SignalDictionaryReference name=\"here\" dictionary=\"bus\"/>"
             "<d:System name=\"in\"><d:Elements>" B
             "<d:SignalDictionaryReference name=\"there\" dictionary=\"bus\"/>"
             "</d:Elements><d:Connections>" LINK(
                 START("there", "speed"), END("b", "u"),
                 "") "</d:Connections></d:System></"
                     "d:Elements><d:Connections>" LINK(START("a", "y"),
                                                       END("here", "speed"),
                                                       "") "</"
                                                           "d:Connections><d:"
                                                           "SignalDictionaries>"
                                                           "<d:"
                                                           "SignalDictionary "
                                                           "name=\"bus\"/></"
                                                           "d:"
                                                           "SignalDictionaries>"
                                                           "</d:System>" TAIL;
    tt_scenario *s = scenario(text);

    (void)state;
    assert_int_equal(s->n_connection, 1);
    has_connection(s, 0, "{unit}.a.y -> {unit}.in/b.u");
    tt_scenario_free(s);
}

/* Values: 1 at the component, then 2 and 3 by two bindings of the inner system,
 * then 4 by one of the root. */
static void bindings_further_out_and_later_ones_win(void **state)
{
    tt_scenario *s = scenario(HEAD "<d:System name=\"r\">" BINDING(
        REAL("in.b.q", "4"),
        "") "<d:Elements><d:System name=\"in\"><d:ParameterBindings>"
            "<d:ParameterBinding source=\"two.ssv\"/>"
            "<d:ParameterBinding source=\"three.ssv\" prefix=\"b.\"/>"
            "</d:ParameterBindings><d:Elements>"
            "<d:Component name=\"b\" source=\"unit.fmu\">" BINDING(
                REAL("p", "1") REAL("q", "1") REAL("r", "1") REAL("s", "1"),
                "") "</d:Component></d:Elements></d:System></d:Elements></"
                    "d:System>" TAIL);

    (void)state;
    assert_true(value_of(s, "{unit}.in/b", "s") == 1);
    assert_true(value_of(s, "{unit}.in/b", "r") == 2);
    assert_true(value_of(s, "{unit}.in/b", "p") == 3);
    assert_true(value_of(s, "{unit}.in/b", "q") == 4);
    tt_scenario_free(s);
}

/* Only what is mapped arrives, under its new name, times 10. */
static void a_mapping_renames_and_transforms(void **state)
{
    tt_scenario *s = scenario(
        HEAD "<d:System name=\"r\"><d:ParameterBindings><d:ParameterBinding "
             "source=\"three.ssv\"><d:ParameterMapping><m:ParameterMapping "
             "version=\"1.0\"><m:MappingEntry source=\"p\" target=\"a.gain\">"
             "<c:LinearTransformation factor=\"10\"/></m:MappingEntry>"
             "</m:ParameterMapping></d:ParameterMapping></d:ParameterBinding>"
             "</d:ParameterBindings><d:Elements>" A
             "</d:Elements></d:System>" TAIL);

    (void)state;
    assert_int_equal(s->n_parameter, 1);
    assert_true(value_of(s, "{unit}.a", "gain") == 3);
    assert_true(s->parameter[0].by->factor == 10);
    assert_true(s->parameter[0].optional);
    tt_scenario_free(s);
}

/* The text stays one, which the FMU knows by its own items; one that the table
 * does not have stays as it is. */
static void a_mapping_renames_items(void **state)
{
    tt_scenario *s = scenario(
        HEAD
        "<d:System name=\"r\"><d:ParameterBindings><d:ParameterBinding>"
        "<d:ParameterValues><v:ParameterSet version=\"1.0\" name=\"s\">"
        "<v:Parameters><v:Parameter name=\"p\"><v:Enumeration "
        "value=\"red\" name=\"Colour\"/></v:Parameter><v:Parameter "
        "name=\"q\"><v:Enumeration value=\"blue\"/></v:Parameter>"
        "</v:Parameters><v:Enumerations>" ENUMERATION(
            "Colour",
            ITEM(
                "red",
                "1")) "</v:Enumerations></v:ParameterSet></d:ParameterValues>"
                      "<d:ParameterMapping><m:ParameterMapping version=\"1.0\">"
                      "<m:MappingEntry source=\"p\" target=\"a.p\">" ITEMS(
                          ENTRY("red",
                                "stop")) "</m:MappingEntry><m:MappingEntry "
                                         "source=\"q\" target=\"a.q\">" ITEMS(
                                             ENTRY("red",
                                                   "stop")) "</"
                                                            "m:MappingEntry>"
                                                            "</"
                                                            "m:"
                                                            "ParameterMapping"
                                                            ">"
                                                            "</"
                                                            "d:"
                                                            "ParameterMapping"
                                                            "></"
                                                            "d:"
                                                            "ParameterBinding"
                                                            ">"
                                                            "</"
                                                            "d:"
                                                            "ParameterBinding"
                                                            "s>"
                                                            "<d:Elements>" A
                                                            "</d:Elements></"
                                                            "d:System>" TAIL);

    (void)state;
    assert_int_equal(s->n_parameter, 2);
    assert_string_equal(s->parameter[0].value.text, "stop");
    assert_string_equal(s->parameter[1].value.text, "blue");
    tt_scenario_free(s);
}

#define MAPPED(target, by)                                                     \
    "<m:MappingEntry source=\"" target "\" target=\"a." target "\">" by        \
    "</m:MappingEntry>"
#define LISTED(name, type, attrs, values)                                      \
    "<v:Parameter name=\"" name "\"><v:" type attrs ">" values "</v:" type     \
    "><c:Dimension size=\"2\"/></v:Parameter>"
#define VALUE(text) "<v:Value value=\"" text "\"/>"

/* Lists of texts and items are elements of their own; a table maps each. */
static void lists_are_read_and_mapped(void **state)
{
    static const char set[] =
        "<v:ParameterSet version=\"2.0\" name=\"s\" xmlns:v=\"" SSP(
            "Pa"
            "ra"
            "me"
            "te"
            "rV"
            "al"
            "ue"
            "s") "\" xmlns:c=\"" SSP("Common") "\"><v:"
                                               "Parameters>" LISTED(
                                                   "t", "String", "",
                                                   VALUE("x y") VALUE(
                                                       "")) LISTED("e",
                                                                   "Enumeratio"
                                                                   "n",
                                                                   " name="
                                                                   "\"E\"",
                                                                   VALUE("red")
                                                                       VALUE(
                                                                           "blu"
                                                                           "e"))
                                                   LISTED("n", "Int32", " value=\"1 2\"", "") "<v:Parameter name=\"one\"><v:String>" VALUE(
                                                       "z") "</v:String></"
                                                            "v:Parameter>"
                                                            "</"
                                                            "v:Parameters><v:"
                                                            "Enumerations"
                                                            ">" ENUMERATION(
                                                                "E",
                                                                ITEM("red", "1") ITEM(
                                                                    "blue",
                                                                    "2")) "</"
                                                                          "v:"
                                                                          "Enum"
                                                                          "erat"
                                                                          "ions"
                                                                          "></"
                                                                          "v:"
                                                                          "Para"
                                                                          "mete"
                                                                          "rSet"
                                                                          ">";
    const struct tt_sc_parameter *p;
    tt_scenario *s;

    (void)state;
    put("lists.ssv", set);
    s = scenario(HEAD
                 "<d:System name=\"r\"><d:ParameterBindings>"
                 "<d:ParameterBinding source=\"lists.ssv\"><d:"
                 "ParameterMapping><m:ParameterMapping version=\"1.0\">" MAPPED(
                     "t", "") MAPPED("e", ITEMS(ENTRY("red", "stop")))
                     MAPPED("n", "<c:IntegerMappingTransformation>" ENTRY(
                                     "2", "9") "</c:"
                                               "IntegerMappingTransformation>")
                         MAPPED("one", "") "</m:ParameterMapping></d:"
                                           "ParameterMapping></"
                                           "d:ParameterBinding></"
                                           "d:ParameterBindings><d:Elements>" A
                                           "</d:Elements></d:System>" TAIL);
    p = s->parameter;
    assert_int_equal(s->n_parameter, 4);
    assert_true(p[0].value.kind == TT_SC_ARRAY && p[0].value.n == 2);
    assert_string_equal(p[0].value.item[0].text, "x y");
    assert_string_equal(p[0].value.item[1].text, "");
    assert_int_equal(p[1].value.n, 2);
    assert_string_equal(p[1].value.item[0].text, "stop");
    assert_int_equal(p[1].value.item[1].integer, 2);
    assert_int_equal(p[2].value.item[0].integer, 1);
    assert_int_equal(p[2].value.item[1].integer, 9);
    assert_string_equal(p[3].value.text, "z");
    tt_scenario_free(s);
}

#define WITHIN(source)                                                         \
    "<d:ParameterBindings>\n<d:ParameterBinding source=\"" source              \
    "\" sourceBase=\"component\"/></d:ParameterBindings>"

/* A set that lies in the FMU of the component. */
static void a_set_in_an_fmu_is_read(void **state)
{
    static const char dir[] = "box.fmu/resources";
    char *path = tt_path_join(folder, dir);
    tt_scenario *s;
    tt_err err;

    (void)state;
    assert_int_equal(tt_dir_make(path, &err), TT_OK);
    tt_free(path);
    put("box.fmu/resources/v.ssv",
        "<v:ParameterSet version=\"1.0\" name=\"s\" xmlns:v=\"" SSP(
            "ParameterValues") "\"><v:Parameters>" REAL("p",
                                                        "7") "</v:Parameters></"
                                                             "v:ParameterSet>");
    s = scenario(HEAD
                 "<d:System name=\"r\"><d:Elements><d:Component name=\"a\" "
                 "source=\"box.fmu\">" WITHIN(
                     "resources/v.ssv") "</d:Component></d:Elements>"
                                        "</d:System>" TAIL);
    assert_true(value_of(s, "{box}.a", "p") == 7);
    tt_scenario_free(s);
    refused(HEAD "<d:System name=\"r\">" WITHIN("v.ssv") "</d:System>" TAIL,
            "t.ssd:7:1: 'v.ssv' is to be in the FMU of a component, and 'r' is "
            "a system");
}

/* A parameter of the system goes to what it is connected to. */
static void a_connector_of_a_system_passes_its_value_on(void **state)
{
    static const char text
        [] = HEAD "<d:System name=\"r\"><d:Connectors>" PIN("x", "parameter") "</d:Connectors>" BINDING(
            REAL("x", "5"),
            "") "<d:Elements>" COMPONENT("a",
                                         PIN("p",
                                             "parameter")) "</"
                                                           "d:Elements><d:"
                                                           "Connections"
                                                           ">" LINK(
                                                               "start"
                                                               "Conne"
                                                               "ctor="
                                                               "\"x"
                                                               "\"",
                                                               END("a", "p"),
                                                               "") "<"
                                                                   "/"
                                                                   "d"
                                                                   ":"
                                                                   "C"
                                                                   "o"
                                                                   "n"
                                                                   "n"
                                                                   "e"
                                                                   "c"
                                                                   "t"
                                                                   "i"
                                                                   "o"
                                                                   "n"
                                                                   "s"
                                                                   ">"
                                                                   "<"
                                                                   "/"
                                                                   "d"
                                                                   ":"
                                                                   "S"
                                                                   "y"
                                                                   "s"
                                                                   "t"
                                                                   "e"
                                                                   "m"
                                                                   ">" TAIL;
    tt_scenario *s = scenario(text);

    (void)state;
    assert_int_equal(s->n_connection, 0);
    assert_true(value_of(s, "{unit}.a", "p") == 5);
    assert_int_equal(s->n_port, 1);
    assert_int_equal(s->port[0].dir, TT_SC_PORT_PARAMETER);
    tt_scenario_free(s);
}

static void units_and_types_of_values_are_kept(void **state)
{
    const struct tt_sc_parameter *p;
    tt_scenario *s;

    (void)state;
    put("units.ssv", "<v:ParameterSet version=\"2.0\" name=\"s\" "
                     "xmlns:v=\"" SSP("ParameterValues") "\" xmlns:c=\"" SSP(
                         "Common") "\">"
                                   "<v:Parameters><v:Parameter "
                                   "name=\"a.v\"><v:Real value=\"36\" "
                                   "unit=\"km/h\"/></v:Parameter><v:Parameter "
                                   "name=\"a.n\"><v:Integer "
                                   "value=\"7\"/></v:Parameter><v:Parameter "
                                   "name=\"a.on\"><v:Boolean "
                                   "value=\"true\"/></v:Parameter><v:Parameter "
                                   "name=\"a.name\"><v:String "
                                   "value=\"7\"/></v:Parameter><v:Parameter "
                                   "name=\"a.gear\">"
                                   "<v:Enumeration value=\"third\" "
                                   "name=\"Gear\"/></v:Parameter>"
                                   "<v:Parameter name=\"a.list\"><v:Float64 "
                                   "value=\"1 2.5 -3\"/>"
                                   "<c:Dimension "
                                   "size=\"3\"/></v:Parameter></v:Parameters>"
                                   "<v:Enumerations><c:Enumeration "
                                   "name=\"Gear\"><c:Item name=\"third\" "
                                   "value=\"3\"/></c:Enumeration></"
                                   "v:Enumerations><v:Units><c:Unit "
                                   "name=\"km/h\"><c:BaseUnit m=\"1\" s=\"-1\" "
                                   "factor=\"0.2777777777777778\"/></c:Unit></"
                                   "v:Units></v:ParameterSet>");
    s = scenario(HEAD "<d:System name=\"r\"><d:ParameterBindings>"
                      "<d:ParameterBinding source=\"units.ssv\"/>"
                      "</d:ParameterBindings><d:Elements>" A
                      "</d:Elements></d:System>" TAIL);
    p = s->parameter;
    assert_int_equal(s->n_parameter, 6);
    assert_string_equal(p[0].quantity->name, "km/h");
    assert_true(p[0].quantity->exponent[1] == 1 &&
                p[0].quantity->exponent[2] == -1 && p[0].quantity->has_base);
    assert_true(p[1].value.kind == TT_SC_INTEGER && p[1].value.integer == 7);
    assert_true(p[2].value.kind == TT_SC_BOOL && p[2].value.integer == 1);
    assert_true(p[3].value.kind == TT_SC_TEXT);
    assert_true(p[4].value.kind == TT_SC_INTEGER && p[4].value.integer == 3);
    assert_true(p[5].value.kind == TT_SC_ARRAY && p[5].value.n == 3);
    assert_true(p[5].value.item[1].number == 2.5);
    tt_scenario_free(s);
}

static void a_structure_can_be_a_component(void **state)
{
    tt_scenario *s;

    (void)state;
    put("inner.ssd",
        HEAD "<d:System name=\"i\"><d:Connectors>" PIN(
            "x", "input") "</d:Connectors><d:Elements>" B
                          "</d:Elements><d:Connections>" LINK(
                              "startConnector=\"x\"", END("b", "u"),
                              "") "</d:Connections></d:System>" TAIL);
    s = scenario(
        HEAD
        "<d:System name=\"r\"><d:Elements>" A
        "<d:Component name=\"sub\" source=\"inner.ssd\" "
        "type=\"application/x-ssp-definition\">" BINDING(
            REAL("b.p", "8"),
            "") "</d:Component></d:Elements><d:Connections>" LINK(START("a",
                                                                        "y"),
                                                                  END("sub",
                                                                      "x"),
                                                                  "") "</"
                                                                      "d:"
                                                                      "Connecti"
                                                                      "ons></"
                                                                      "d:"
                                                                      "System"
                                                                      ">" TAIL);
    has_connection(s, 0, "{unit}.a.y -> {unit}.sub/b.u");
    assert_true(value_of(s, "{unit}.sub/b", "p") == 8);
    tt_scenario_free(s);
}

static void what_is_wrong_is_named_with_its_place(void **state)
{
    (void)state;
    refused("<x/>", "t.ssd:1:1: its root is <x>, not "
                    "<SystemStructureDescription>");
    refused(HEAD TAIL, "t.ssd:2:1: the description has no <System>");
    refused(HEAD "<d:System name=\"r\"><d:Elements>\n<d:Component name=\"a\"/>"
                 "</d:Elements></d:System>" TAIL,
            "t.ssd:7:1: <Component> has no 'source'");
    refused(HEAD "<d:System name=\"r\"><d:Elements>" A A
                 "</d:Elements></d:System>" TAIL,
            "t.ssd:7:1: the system has two elements 'a'");
    refused(HEAD "<d:System name=\"r\"><d:Elements>" A B
                 "</d:Elements><d:Connections>" LINK(
                     START("a", "y"), END("b", "y"),
                     "") "</d:Connections></d:System>" TAIL,
            "t.ssd:8:1: 'y' and 'y' both give a value: they cannot be "
            "connected");
    refused(HEAD "<d:System name=\"r\"><d:Elements>" A B
                 "</d:Elements><d:Connections>" LINK(START("a", "y"),
                                                     END("b", "u"), "")
                     LINK(START("b", "y"), END("b", "u"),
                          "") "</d:Connections></d:System>" TAIL,
            "t.ssd:9:1: the connector 'u' of 'b' already has a source, 'y' of "
            "'a'");
    refused(HEAD "<d:System name=\"r\"><d:Elements>" A
                 "</d:Elements><d:Connections>" LINK(
                     START("a", "y"), END("c", "u"),
                     "") "</d:Connections></d:System>" TAIL,
            "t.ssd:7:1: the system has no element 'c'");
    refused(HEAD "<d:System name=\"r\">\n" BINDING(
                REAL("a.p", "x"), "") "<d:Elements>" A
                                      "</d:Elements></d:System>" TAIL,
            "t.ssd:7:1: 'x' is not a value of type Real");
}

static void a_structure_in_itself_is_refused(void **state)
{
    (void)state;
    refused(HEAD "<d:System name=\"r\"><d:Elements>\n<d:Component name=\"a\" "
                 "source=\"t.ssd\"/></d:Elements></d:System>" TAIL,
            "t.ssd:7:1: 't.ssd' contains itself: it is the source of 'a'");
}

static void a_connector_that_is_not_declared_is_warned_of(void **state)
{
    tt_scenario *s = NULL;
    struct seen seen;
    tt_err err;

    (void)state;
    assert_int_equal(
        open_ssd(&s,
                 HEAD "<d:System name=\"r\"><d:Elements>" A COMPONENT(
                     "c", PIN("v", "input")) "</"
                                             "d:Elements><d:"
                                             "Connections>" LINK(
                                                 START("a", "y"), END("c", "u"),
                                                 "") "</d:Connections></"
                                                     "d:System>" TAIL,
                 &seen, &err),
        TT_OK);
    assert_string_equal(without_folder(seen.warning),
                        "t.ssd:8:1: 'c' has no connector 'u'; it is taken to "
                        "have one\n");
    has_connection(s, 0, "{unit}.a.y -> {unit}.c.u");
    tt_scenario_free(s);
}

static int set_up(void **state)
{
    tt_err err;

    (void)state;
    if (tt_temp_open(&temp, &err) != TT_OK)
        return -1;
    folder = temp.path;
    put("unit.fmu", "not opened here");
    put("two.ssv", "<ParameterSet version=\"1.0\" name=\"s\" xmlns=\"" SSP(
                       "ParameterValues") "\"><Parameters><Parameter "
                                          "name=\"b.r\"><Real "
                                          "value=\"2\"/></Parameter><Parameter "
                                          "name=\"b.p\">"
                                          "<Real "
                                          "value=\"2\"/></Parameter></"
                                          "Parameters></ParameterSet>");
    put("three.ssv",
        "<ParameterSet version=\"1.0\" name=\"s\" xmlns=\"" SSP(
            "ParameterValues") "\"><Parameters><Parameter "
                               "name=\"p\"><Real "
                               "value=\"3\"/></Parameter><Parameter name=\"q\">"
                               "<Real "
                               "value=\"3\"/></Parameter></Parameters></"
                               "ParameterSet>");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tt_temp_close(&temp);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_of_one_file_are_instances_of_it),
        cmocka_unit_test(ways_through_systems_are_followed_and_combined),
        cmocka_unit_test(tables_map_whole_numbers),
        cmocka_unit_test(tables_and_others_are_one_behind_the_other),
        cmocka_unit_test(items_are_mapped_by_name),
        cmocka_unit_test(a_mapping_renames_items),
        cmocka_unit_test(lists_are_read_and_mapped),
        cmocka_unit_test(a_set_in_an_fmu_is_read),
        cmocka_unit_test(a_signal_dictionary_joins_systems),
        cmocka_unit_test(bindings_further_out_and_later_ones_win),
        cmocka_unit_test(a_mapping_renames_and_transforms),
        cmocka_unit_test(a_connector_of_a_system_passes_its_value_on),
        cmocka_unit_test(units_and_types_of_values_are_kept),
        cmocka_unit_test(a_structure_can_be_a_component),
        cmocka_unit_test(what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(a_structure_in_itself_is_refused),
        cmocka_unit_test(a_connector_that_is_not_declared_is_warned_of),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
