/* SPDX-License-Identifier: MIT */
/* Two readers of JSON: what the quick one takes, jansson takes, and both see
 * the same tree. */
#include <stdint.h>
#include <string.h>

#include "scenario/json_quick.h"
#include "scenario/test_doc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tt_scenario_file f = {"f.json", (const char *)data, size};
    tt_arena *arena = tt_arena_new();
    struct tt_doc quick, judged;
    tt_err err;
    int taken = tt_doc_quick(&quick, &f, 7, arena, arena);
    enum tt_code rc = tt_doc_judged(&judged, &f, 7, arena, arena, &err);

    TT_ASSERT(taken >= 0);
    TT_ASSERT(!taken || (rc == TT_OK && same_doc(&quick, &judged)));
    TT_ASSERT(rc == TT_OK || err.msg[0] != '\0');
    tt_arena_free(arena);
    return 0;
}
