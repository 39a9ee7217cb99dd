/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "fmi/terminals.h"
#include "fmi/test_md.h"

static const char description[] =
    "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"m\" "
    "instantiationToken=\"t\"><CoSimulation modelIdentifier=\"m\"/>"
    "<ModelVariables>"
    "<Float64 name=\"v\" valueReference=\"1\" causality=\"output\"/>"
    "<Float64 name=\"i\" valueReference=\"2\" causality=\"input\" "
    "start=\"0\"/>"
    "<Float64 name=\"h\" valueReference=\"3\" causality=\"output\"/>"
    "<Float64 name=\"h_in\" valueReference=\"4\" causality=\"input\" "
    "start=\"0\"/>"
    "</ModelVariables><ModelStructure/></fmiModelDescription>";

struct read {
    struct tt_md *md;
    tt_arena *arena;
    struct tt_findings f;
    struct tt_terminals t;
    tt_err err;
};

static enum tt_code read(struct read *r, const char *terminals)
{
    char xml[65536];

    snprintf(xml, sizeof(xml),
             "<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n<Terminals>\n%s\n"
             "</Terminals></fmiTerminalsAndIcons>",
             terminals);
    assert_int_equal(
        tt_md_parse(&r->md, description, sizeof(description) - 1, &r->err),
        TT_OK);
    r->arena = tt_arena_new();
    tt_findings_init(&r->f);
    return tt_terminals_parse(&r->t, r->arena, r->md, xml, strlen(xml), &r->f,
                              &r->err);
}

static void end(struct read *r)
{
    tt_findings_fini(&r->f);
    tt_arena_free(r->arena);
    tt_md_free(r->md);
}

static void members_are_variables_with_kinds(void **state)
{
    struct read r;
    const struct tt_terminal *t;

    (void)state;
    assert_int_equal(
        read(&r, "<Terminal name=\"pin\" matchingRule=\"plug\" "
                 "terminalKind=\"org.x.Pin\" description=\"left\">"
                 "<TerminalMemberVariable variableName=\"v\" memberName=\"u\" "
                 "variableKind=\"signal\"/>"
                 "<TerminalMemberVariable variableName=\"i\" memberName=\"i\" "
                 "variableKind=\"inflow\"/>"
                 "<TerminalStreamMemberVariable inStreamMemberName=\"a\" "
                 "outStreamMemberName=\"b\" inStreamVariableName=\"h_in\" "
                 "outStreamVariableName=\"h\"/>"
                 "<Terminal name=\"sense\" matchingRule=\"sequence\">"
                 "<TerminalMemberVariable variableName=\"h\" "
                 "variableKind=\"org.x.odd\"/></Terminal></Terminal>"
                 "<Terminal name=\"bus\" matchingRule=\"bus\"/>"
                 "<Terminal name=\"own\" matchingRule=\"org.x.rule\"/>"),
        TT_OK);
    t = r.t.terminal;
    assert_int_equal(r.t.n, 4);
    assert_int_equal(r.f.n, 0);
    assert_string_equal(t[0].name, "pin");
    assert_string_equal(t[0].kind, "org.x.Pin");
    assert_string_equal(t[0].text, "left");
    assert_int_equal(t[0].match, TT_MATCH_PLUG);
    assert_int_equal(t[0].parent, TT_NONE);
    assert_int_equal(t[0].n_member, 3);
    assert_string_equal(t[0].member[0].name, "u");
    assert_int_equal(t[0].member[0].port, 0);
    assert_int_equal(t[0].member[0].kind, TT_MEMBER_SIGNAL);
    assert_int_equal(t[0].member[1].kind, TT_MEMBER_INFLOW);
    assert_int_equal(t[0].member[2].kind, TT_MEMBER_STREAM);
    assert_string_equal(t[0].member[2].name, "b");
    assert_int_equal(t[0].member[2].port, 2);
    assert_int_equal(t[0].member[2].in, 3);
    assert_string_equal(t[1].name, "pin.sense");
    assert_int_equal(t[1].parent, 0);
    assert_int_equal(t[1].member[0].kind, TT_MEMBER_OTHER);
    assert_string_equal(t[1].member[0].name, "");
    assert_int_equal(t[2].match, TT_MATCH_BUS);
    assert_int_equal(t[3].match, TT_MATCH_NONE);
    end(&r);
}

static void finds(const char *terminals, uint32_t n, const char *rule,
                  const char *text)
{
    struct read r;

    assert_int_equal(read(&r, terminals), TT_OK);
    assert_int_equal(r.t.n, n);
    assert_int_equal(r.f.n, 1);
    assert_string_equal(r.f.item[0].rule, rule);
    assert_string_equal(r.f.item[0].text, text);
    assert_int_equal(r.f.fatal_n, 0);
    end(&r);
}

static void what_is_wrong_is_left_out_and_found(void **state)
{
    struct read r;

    (void)state;
    finds("<Terminal name=\"a\" matchingRule=\"plug\"><TerminalMemberVariable "
          "variableName=\"w\" memberName=\"w\" variableKind=\"signal\"/>"
          "</Terminal>",
          1, "FMI3-TERMINAL-VARIABLE",
          "terminalsAndIcons.xml:3: there is no variable 'w'");
    finds("<Terminal name=\"a\" matchingRule=\"plug\"><TerminalMemberVariable "
          "variableName=\"v\" variableKind=\"signal\"/></Terminal>",
          1, "FMI3-TERMINAL-ATTR",
          "terminalsAndIcons.xml:3: a TerminalMemberVariable has no "
          "memberName");
    finds("<Terminal matchingRule=\"plug\"/>", 0, "FMI3-TERMINAL-ATTR",
          "terminalsAndIcons.xml:3: a Terminal has no name");
    finds("<Terminal name=\"a\"/>", 1, "FMI3-TERMINAL-ATTR",
          "terminalsAndIcons.xml:3: a Terminal has no matchingRule");
    finds("<Terminal name=\"a\" matchingRule=\"bus\"/>\n"
          "<Terminal name=\"a\" matchingRule=\"bus\"/>",
          1, "FMI3-TERMINAL-NAME",
          "terminalsAndIcons.xml:4: there are two terminals 'a'");
    finds("<Terminal name=\"a\" matchingRule=\"bus\">"
          "<TerminalMemberVariable variableName=\"v\" memberName=\"u\" "
          "variableKind=\"signal\"/>\n<TerminalMemberVariable "
          "variableName=\"i\" memberName=\"u\" variableKind=\"signal\"/>"
          "</Terminal>",
          1, "FMI3-TERMINAL-MEMBER",
          "terminalsAndIcons.xml:4: there are two members 'u'");
    assert_int_equal(read(&r, "<Terminal"), TT_EINPUT);
    assert_int_equal(r.t.n, 0);
    end(&r);
}

static void depth_has_a_limit(void **state)
{
    struct tt_buf xml;
    struct read r;

    (void)state;
    tt_buf_init(&xml, 32768);
    for (int i = 0; i < 300; i++)
        tt_buf_str(&xml, "<Terminal name=\"a\" matchingRule=\"bus\">");
    for (int i = 0; i < 300; i++)
        tt_buf_str(&xml, "</Terminal>");
    assert_int_equal(read(&r, xml.data), TT_OK);
    tt_buf_fini(&xml);
    assert_int_equal(r.t.n, TT_TERMINALS_DEPTH);
    assert_string_equal(r.f.item[0].rule, "FMI3-TERMINAL-DEPTH");
    end(&r);
}

static void running_out_of_memory_is_reported(void **state)
{
    static const char xml[] =
        "<x><Terminals><Terminal name=\"a\" matchingRule=\"bus\">"
        "<TerminalMemberVariable variableName=\"v\" memberName=\"u\" "
        "variableKind=\"signal\"/></Terminal></Terminals></x>";
    enum tt_code rc = TT_ENOMEM;

    (void)state;
    for (uint64_t n = 1; n < 400; n++) {
        struct read r;

        assert_int_equal(
            tt_md_parse(&r.md, description, sizeof(description) - 1, &r.err),
            TT_OK);
        r.arena = tt_arena_new();
        tt_findings_init(&r.f);
        tt_mem_fail_after(n);
        rc = tt_terminals_parse(&r.t, r.arena, r.md, xml, sizeof(xml) - 1, &r.f,
                                &r.err);
        tt_mem_fail_after(0);
        assert_true(rc == TT_OK || rc == TT_ENOMEM);
        end(&r);
    }
    assert_int_equal(rc, TT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_variables_with_kinds),
        cmocka_unit_test(what_is_wrong_is_left_out_and_found),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
