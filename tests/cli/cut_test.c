/* SPDX-License-Identifier: MIT */
/* `tutti results`: parts of tables of every format, on the command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "desk.h"
#include "table/h5.h"

#define SCENARIO EXAMPLES "water-tank/scenario.json"

static void all_formats_give_the_same_cut(void **state)
{
    const char *format[] = {"tank.csv", "tank.mat", "tank.h5"};
    struct output s, t;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "-qo", at("tank.csv"), "-o", at("tank.mat"),
          "-o", at(tt_h5_is_there() ? "tank.h5" : "more.csv"));
    assert_int_equal(s.code, 0);
    output_fini(&s);
    TUTTI(&s, "results", at("tank.csv"), "--variables", "level,valve",
          "--from=10", "--to", "60", "--points", "100", "--json");
    assert_int_equal(s.code, 0);
    expect_json(&s);
    assert_non_null(
        strstr(s.out.data, "\"rows_total\":501,\"decimated\":true"));
    for (int i = 1; i < (tt_h5_is_there() ? 3 : 2); i++) {
        TUTTI(&t, "results", at(format[i]), "--variables", "level,valve",
              "--from=10", "--to", "60", "--points", "100", "--json");
        expect_err(&t, "%s", "");
        assert_string_equal(t.out.data, s.out.data);
        output_fini(&t);
    }
    output_fini(&s);
}

static void a_csv_cut_whole_is_the_same_file(void **state)
{
    struct output s;
    char *file;

    (void)state;
    TUTTI(&s, "run", UNITS "alltypes-fmi3.fmu", "--record", "all", "-qo",
          at("types.csv"));
    output_fini(&s);
    file = read_text("types.csv");
    TUTTI(&s, "results", at("types.csv"), "--csv");
    assert_int_equal(s.code, 0);
    assert_string_equal(s.out.data, file);
    tt_free(file);
    output_fini(&s);
}

static void the_last_line_counts_when_it_is_complete(void **state)
{
    struct output s;

    (void)state;
    put_text("growing.csv", "time,a,b\n0.0,1.0,x\n0.5,2.0,y\n1.0,3.0");
    TUTTI(&s, "results", at("growing.csv"));
    expect_err(&s, "%s", "");
    expect_out(&s,
               "%s  2 rows from t=0 to t=0.5 s, 2 variables\n"
               "            first          last           min          "
               " max          mean\n"
               "  a             1             2             1          "
               "   2           1.5\n"
               "  b  (text)\n",
               at("growing.csv"));
    output_fini(&s);
    put_text("growing.csv", "time,a\n0.0");
    TUTTI(&s, "results", at("growing.csv"));
    expect_out(&s, "%s  0 rows, 1 variable\n", at("growing.csv"));
    output_fini(&s);
}

static void wrong_words_are_answered(void **state)
{
    struct output s;

    (void)state;
    put_text("a.csv", "time,{t}.tank.level\n0,1\n");
#define WRONG(message, ...)                                                    \
    TUTTI(&s, "results", __VA_ARGS__);                                         \
    assert_int_equal(s.code, 2);                                               \
    assert_int_equal(s.out.len, 0);                                            \
    expect_err(&s, "tutti: " message "\n");                                    \
    output_fini(&s)
    WRONG("'tutti results' needs one table of results: tutti results "
          "RESULTS.csv",
          "--json");
    WRONG("--json, --csv and --output are forms of the same: give one of them",
          at("a.csv"), "--json", "--csv");
    WRONG("--points needs a whole number from 2 to 1000000000", at("a.csv"),
          "--points", "1");
    WRONG("--points needs a whole number from 2 to 1000000000", at("a.csv"),
          "--points", "2.5");
    WRONG("--points needs a whole number from 2 to 1000000000", at("a.csv"),
          "--points", "1e10");
    WRONG("--from is after --to", at("a.csv"), "--from", "2", "--to", "1");
    WRONG("--from needs a number, not 'x'", at("a.csv"), "--from", "x");
    WRONG("cannot read no.csv: No such file or directory", "no.csv", "--json");
#undef WRONG
    TUTTI(&s, "results", at("a.csv"), "--variables", "tank.levle", "--json");
    assert_int_equal(s.code, 2);
    expect_err(&s,
               "tutti: %s has no column 'tank.levle'; did you mean "
               "'tank.level'?\n",
               at("a.csv"));
    output_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_formats_give_the_same_cut),
        cmocka_unit_test(a_csv_cut_whole_is_the_same_file),
        cmocka_unit_test(the_last_line_counts_when_it_is_complete),
        cmocka_unit_test(wrong_words_are_answered),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
