/* SPDX-License-Identifier: MIT */
/* Every score writer there is keeps the contract, and goes by a name that
 * scenarios know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "score/file.h"
#include "score/writer_contract.h"

static struct tt_crowd_opts opts(uint64_t seed)
{
    return (struct tt_crowd_opts){
        .seed = seed,
        .n_type = 1 + (uint32_t)seed % 3,
        .n_unit = 1 + (uint32_t)seed % 7,
        .n_in = 1 + (uint32_t)(seed / 2) % 3,
        .n_out = 1 + (uint32_t)(seed / 3) % 3,
        .through = 35,
        .unknown = (uint32_t)(seed / 5) % 3 * 40,
        .standard = (uint32_t)(seed / 7) % 3 * 40,
        .connected = 50 + (uint32_t)seed % 50,
        .reactive = (uint32_t)(seed / 11) % 2 * 15,
        .delayed = (uint32_t)(seed / 13) % 2 * 20,
        .recorded = 40,
        .linear = seed % 4 ? 0 : 70,
        .fast = seed % 3 ? 0 : 50,
        .acyclic = seed % 5 != 0,
        .mixed = seed % 6 == 5,
        .order_given = (seed / 2) % 2 == 0,
    };
}

static void every_writer_keeps_the_contract(void **state)
{
    (void)state;
    for (const struct tt_score_writer *w = tt_score_writers; w->name; w++) {
        struct tt_writer_tally t = {0};

        for (uint64_t seed = 1; seed <= 400; seed++) {
            const struct tt_crowd_opts o = opts(seed);

            tt_score_writer_contract(w, &o, &t);
        }
        print_message("%s: %u written, %u refused, %u read back, %u starved\n",
                      w->name, t.written, t.refused, t.read_back, t.starved);
        assert_true(t.written > 250 && t.starved > 100);
    }
}

static void every_writer_has_a_name_of_its_own(void **state)
{
    static const char text[] = "{\"fmus\": {\"{a}\": \"a.fmu\"}, "
                               "\"instances\": {\"{a}\": [\"a\"]}, "
                               "\"endTime\": 1}";

    (void)state;
    for (const struct tt_score_writer *w = tt_score_writers; w->name; w++) {
        struct tt_sc_options o = TT_SC_OPTIONS_INIT;
        tt_scenario *s = NULL;
        tt_err err;

        for (const struct tt_score_writer *v = tt_score_writers; v < w; v++)
            assert_string_not_equal(v->name, w->name);
        if (w->write == tt_write_file)
            continue;
        o.master = w->name;
        if (tt_scenario_parse(&s, "a.json", "/nowhere", text, strlen(text), &o,
                              NULL, &err) != TT_OK)
            fail_msg("%s", err.msg);
        assert_ptr_equal(&tt_score_writers[s->master], w);
        tt_scenario_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_writer_keeps_the_contract),
        cmocka_unit_test(every_writer_has_a_name_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
