/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"

/* Vectors from Noll's FNV page. */
static void fnv_1a_matches_its_published_vectors(void **state)
{
    (void)state;
    assert_true(tt_hash(TT_HASH_START, "", 0) == TT_HASH_START);
    assert_true(tt_hash(TT_HASH_START, "a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(tt_hash(TT_HASH_START, "foobar", 6) == 0x85944171f73967e8u);
}

static void hashes_chain(void **state)
{
    uint64_t h = tt_hash(TT_HASH_START, "foo", 3);

    (void)state;
    assert_true(tt_hash(h, "bar", 3) == tt_hash(TT_HASH_START, "foobar", 6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fnv_1a_matches_its_published_vectors),
        cmocka_unit_test(hashes_chain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
