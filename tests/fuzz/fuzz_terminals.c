/* SPDX-License-Identifier: MIT */
/* Reading the terminals of an FMU must survive any bytes. Build with clang
 * -fsanitize=fuzzer,address,undefined. */
#include <stddef.h>
#include <stdint.h>

#include "fmi/terminals.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char description[] =
    "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"m\" "
    "instantiationToken=\"t\"><CoSimulation modelIdentifier=\"m\"/>"
    "<ModelVariables>"
    "<Float64 name=\"u\" valueReference=\"1\" causality=\"output\"/>"
    "<Float64 name=\"i\" valueReference=\"2\" causality=\"input\" "
    "start=\"0\"/></ModelVariables><ModelStructure/></fmiModelDescription>";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tt_md *md; /* read once */
    struct tt_terminals t;
    struct tt_findings f;
    tt_arena *a = tt_arena_new();
    tt_err err;

    if (!md &&
        tt_md_parse(&md, description, sizeof(description) - 1, &err) != TT_OK)
        return 0;
    tt_findings_init(&f);
    if (a && tt_terminals_parse(&t, a, md, data, size, &f, &err) == TT_OK)
        for (uint32_t i = 0; i < t.n; i++)
            for (uint32_t k = 0; k < t.terminal[i].n_member; k++)
                if (t.terminal[i].member[k].port >= md->var_n)
                    __builtin_trap();
    tt_findings_fini(&f);
    tt_arena_free(a);
    return 0;
}
