/* SPDX-License-Identifier: MIT */
/* How well equations were satisfied, for machines. */
#include "cli/residuals.h"

#include <math.h>

#include "cli/say.h"

static void number(struct tt_buf *b, const char *key, double v)
{
    tt_buf_fmt(b, ", \"%s\": ", key);
    tt_say_json_num(b, v);
}

static void couplings(struct tt_buf *b, const tt_run *run)
{
    const char *before = "";

    tt_buf_str(b, "\"couplings\": [");
    for (uint32_t u = 0; u < tt_run_units(run); u++) {
        struct tt_run_coupling c;

        if (!tt_run_coupling(run, u, &c))
            continue;
        tt_buf_fmt(b, "%s{\"name\": ", before);
        tt_buf_json(b, c.name);
        number(b, "residual", c.residual);
        number(b, "rate_residual", c.rate_residual);
        number(b, "ringing", c.ringing);
        number(b, "ringing_since",
               c.ringing > 0 ? c.ringing_since : (double)NAN);
        tt_buf_char(b, '}');
        before = ", ";
    }
    tt_buf_char(b, ']');
}

void tt_residuals_json(struct tt_buf *b, const tt_run *run)
{
    tt_buf_str(b, "  \"residuals\": {");
    couplings(b, run);
    tt_buf_str(b, "},\n");
}
