/* SPDX-License-Identifier: MIT */
/* Events in random networks of which a part is a scenario inside, against the
 * reference, which knows of no scenarios: the rows are those of the flat one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "compose/compose.h"
#include "run/event_network.h"
#include "run/testing.h"

static enum tt_code kinds(const struct tt_kind_ops **kind,
                          const struct tt_source *s, tt_err *err)
{
    (void)err;
    *kind = tt_kind_composite.accepts(s) ? &tt_kind_composite : &tt_mock_kind;
    return TT_OK;
}

/* Plays a network to its end; returns how many values were compared. */
static uint64_t compare(uint64_t seed, uint32_t ranks, const char *more)
{
    const struct en_how how = {.more = more, .ranks = ranks, .kind_cb = kinds};
    struct en_network w;
    struct en_result r;

    en_make(&w, seed);
    en_nest(&w, seed);
    en_play(&w, &how, &r);
    if (*r.wrong)
        fail_msg("network %llu%s, %u ranks: %s", (unsigned long long)seed, more,
                 ranks, r.wrong);
    return r.compared;
}

static void random_nested_networks_are_the_reference(void **state)
{
    static const char *const ways[] = {
        ", \"threads\": 2", ", \"rollback\": true", ", \"iterate\": 2",
        ", \"rollback\": true, \"iterate\": \"converged\""};
    uint64_t n = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++)
        n += compare(seed, 0, "");
    for (uint64_t seed = 1; seed <= 40; seed++) {
        for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
            n += compare(seed, 0, ways[i]);
        n += compare(seed, 2, "");
        n += compare(seed, 3, ", \"rollback\": true");
    }
    print_message("%llu values compared\n", (unsigned long long)n);
    assert_true(n > 500000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_nested_networks_are_the_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
