/* SPDX-License-Identifier: MIT */
/* Scenarios of ours. */
#include "formats/formats.h"

static enum tt_code read_json(tt_scenario **out,
                              const struct tt_format_source *f, tt_err *err)
{
    return tt_scenario_open(out, &f->path, 1, f->o, f->log, err);
}

static const char *const endings[] = {".json", NULL};

const struct tt_scformat tt_scformat_json = {
    .name = "JSON",
    .what = "a scenario",
    .ending = endings,
    .read_cb = read_json,
};
