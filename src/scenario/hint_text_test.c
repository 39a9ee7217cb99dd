/* SPDX-License-Identifier: MIT */
#include "scenario/hint_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void gives(const char *text, const char *json)
{
    struct tt_buf b;
    tt_err err = {0};

    assert_true(tt_hint_is_text(text, strlen(text)));
    tt_buf_init(&b, 1 << 20);
    if (tt_hint_text(&b, "h.txt", text, strlen(text), &err) != TT_OK)
        fail_msg("%s", err.msg);
    assert_string_equal(b.data, json);
    tt_buf_fini(&b);
}

static void fails(const char *text, const char *message)
{
    struct tt_buf b;
    tt_err err = {0};

    tt_buf_init(&b, 1 << 20);
    assert_int_equal(tt_hint_text(&b, "h.txt", text, strlen(text), &err),
                     TT_EINPUT);
    assert_string_equal(err.msg, message);
    tt_buf_fini(&b);
}

#define HINT(scope, pattern)                                                   \
    "Hint H {\n description \"free { text\"\n statements {\n"                  \
    "Event E := {c}.c.on\nProperty P := {a}.x.y > 0 and\n   t < 3 // why\n"    \
    "Property Q := {a}.x.z < 1 }\nscope " scope "\npattern " pattern "\n}\n"
/* The statements begin on lines 4, 5 and 7. */
#define P "\"{a}.x.y > 0 and    t < 3\""
#define Q "\"{a}.x.z < 1\""
#define E "\"{c}.c.on\""

static void hints_keep_their_lines(void **state)
{
    (void)state;
    gives("Hint Rest{\n  statements {\n    Property P :=\n      {a}.x.y < 1\n"
          "  }\n  scope Globally\n"
          "  pattern Universality:always-the-case-that P holds\n}\n",
          "{\"hints\": [{\"name\": \"Rest\", \n\n\n\"always\": \"{a}.x.y < 1\""
          "}]}\n");
}

static const char *in_one_line(char *s)
{
    char *to = s;

    for (char *c = s; *c; c++)
        if (*c != '\n')
            *to++ = *c;
    *to = '\0';
    return s;
}

static void becomes(const char *text, const char *members)
{
    struct tt_buf b;
    tt_err err = {0};
    char want[512];

    tt_buf_init(&b, 1 << 20);
    if (tt_hint_text(&b, "h.txt", text, strlen(text), &err) != TT_OK)
        fail_msg("%s", err.msg);
    snprintf(want, sizeof(want), "{\"hints\": [{\"name\": \"H\"%s}]}", members);
    assert_string_equal(in_one_line(b.data), want);
    tt_buf_fini(&b);
}

static void every_pattern(void **state)
{
    (void)state;
    becomes(HINT("Globally", "Universality:always-the-case-that Q holds"),
            ", \"always\": " Q);
    becomes(HINT("Globally", "Absence: never-the-case-that Q holds"),
            ", \"never\": " Q);
    becomes(HINT("Globally", "Existence: Q eventually holds within 20 ms"),
            ", \"eventually\": " Q ", \"within\": 0.02");
    becomes(HINT("Globally", "BoundedExistence: Q holds at-most 3 times"),
            ", \"occurs\": " Q ", \"most\": 3");
    becomes(HINT("Globally", "Precedence: if Q holds then-previously E held"),
            ", \"never\": " Q ", \"until\": " E);
    becomes(HINT("Globally", "Response: if E holds then-eventually Q holds"),
            ", \"when\": " E ", \"follows\": " Q);
    becomes(HINT("Globally",
                 "BoundedResponse: if E holds then Q holds within 2 min"),
            ", \"when\": " E ", \"follows\": " Q ", \"within\": 120");
    becomes(HINT("Globally",
                 "ResponseChain: if E holds then-eventually Q and then E"),
            ", \"when\": " E ", \"follows\": [" Q ", " E "]");
    becomes(HINT("Globally", "MinDuration: once Q holds it does for 2 s"),
            ", \"lasts\": " Q ", \"min\": 2");
    becomes(HINT("Globally", "MaxDuration: once Q holds, for less than 2 s"),
            ", \"lasts\": " Q ", \"max\": 2");
    becomes(HINT("Globally", "Recurrence: Q holds repeatedly every 2e-1 s"),
            ", \"recurs\": " Q ", \"within\": 0.2");
    becomes(HINT("Globally", "Invariance: if E holds then Q holds for 2 s"),
            ", \"when\": " E ", \"stays\": " Q ", \"for\": 2");
}

static void every_scope(void **state)
{
    (void)state;
    becomes(HINT("Before E", "Universality: Q"),
            ", \"before\": " E ", \"always\": " Q);
    becomes(HINT("After E", "Universality: Q"),
            ", \"after\": " E ", \"always\": " Q);
    becomes(HINT("Between E and P", "Universality: Q"),
            ", \"after\": " E ", \"before\": " P ", \"always\": " Q);
    becomes(HINT("After E until P", "Universality: Q"),
            ", \"after\": " E ", \"until\": " P ", \"always\": " Q);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    fails("Hint H { }", "h.txt:1: a hint lacks its pattern");
    fails("Hint H {\n scop Globally }",
          "h.txt:2: expected 'description', 'statements', 'scope' or "
          "'pattern', not 'scop'");
    fails("Hint H", "h.txt:1: expected '{', not ''");
    fails("Hint H {\n description \"no end }\n", "h.txt:2: a text has no end");
    fails("{}", "h.txt:1: expected 'Hint', not '{'");
    fails("Hint H { statements {\nProp P := x }}",
          "h.txt:2: expected 'Event' or 'Property', not 'Prop'");
    fails("Hint H { statements {\nEvent P = x }}",
          "h.txt:2: expected ':=', not '='");
    fails("Hint H { statements {\nEvent P := }}",
          "h.txt:2: expected an expression behind ':='");
    fails(HINT("Sometimes", "Absence: P"),
          "h.txt:8: expected a scope: 'Globally', 'Before', 'After' or "
          "'Between', not 'Sometimes'");
    fails(HINT("Before R", "Absence: P"),
          "h.txt:8: expected the name of a statement, not 'R'");
    fails(HINT("Globally", "Absense: P"),
          "h.txt:9: expected a pattern: 'Universality', 'Absence', "
          "'Existence', 'BoundedExistence', 'Precedence', 'Response', "
          "'BoundedResponse', 'ResponseChain', 'MinDuration', 'MaxDuration', "
          "'Recurrence', 'BoundedRecurrence', 'BoundedInvariance' or "
          "'Invariance', not 'Absense'");
    fails(HINT("Globally", "Response: P"),
          "h.txt:9: 'Response' is about 2 statements, and 1 are named");
    fails(HINT("Globally", "MinDuration: once P holds"),
          "h.txt:9: 'MinDuration' needs a time, such as 2 s");
    fails(HINT("Globally", "Absence: R holds"),
          "h.txt:9: expected the name of a statement, not 'R'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hints_keep_their_lines),
        cmocka_unit_test(every_pattern),
        cmocka_unit_test(every_scope),
        cmocka_unit_test(what_is_wrong_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
