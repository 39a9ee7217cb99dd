/* SPDX-License-Identifier: MIT */
#include "base/philox.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* The known answers that come with the authors' Random123. */
static void published_answers_are_met(void **state)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0},
         {0, 0},
         {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        uint32_t out[4];

        tt_philox(known[i].counter, known[i].key, out);
        assert_memory_equal(out, known[i].out, sizeof(out));
    }
}

/* The mean of n is normal around 1/2 with variance 1/(12 n); of ten cells of
 * the interval chi square has 9 degrees, and exceeds 27.88 once in a thousand.
 */
static void numbers_are_even(void **state)
{
    enum { N = 100000 };

    (void)state;
    for (uint64_t key = 0; key < 3; key++) {
        double sum = 0, chi = 0;
        int cell[10] = {0};

        for (uint64_t n = 0; n < N; n++) {
            double u = tt_philox_uniform(n, key);

            assert_true(u > 0 && u < 1);
            sum += u;
            cell[(int)(10 * u)]++;
        }
        for (int i = 0; i < 10; i++)
            chi += pow(cell[i] - N / 10, 2) / (N / 10);
        assert_true(fabs(sum / N - 0.5) < 3.3 / sqrt(12.0 * N));
        assert_true(chi < 27.88);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_answers_are_met),
        cmocka_unit_test(numbers_are_even),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
