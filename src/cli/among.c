/* SPDX-License-Identifier: MIT */
#include "cli/among.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "mpi/mpi_link.h"

enum tt_code tt_play_among(struct tt_play *p, tt_err *err)
{
    static const char *const nowhere[] = {"/dev/null"};
    struct tt_mpi_place place = tt_mpi_place();

    p->rank = place.rank;
    p->n_rank = place.n;
    if (p->n_rank > 1 && p->control)
        return tt_fail(err, TT_EINPUT,
                       "--control leads one process, and there are %u ranks",
                       p->n_rank);
    if (!p->rank)
        return TT_OK;
    p->files = (struct tt_files){.path = nowhere, .n = 1};
    p->report = p->trace = NULL;
    p->plot = p->json = p->profile = 0;
    p->quiet = 1;
    return TT_OK;
}

/* --- costs ---------------------------------------------------------------- */

static double cost_of(const json_t *units, const char *name)
{
    const json_t *u;
    size_t i;

    json_array_foreach(units, i, u)
    {
        const char *named = json_string_value(json_object_get(u, "name"));

        if (named && strcmp(named, name) == 0)
            return json_number_value(json_object_get(u, "time_share"));
    }
    return 0;
}

static enum tt_code read_costs(double *cost, const tt_scenario *s,
                               const json_t *summary, const char *path,
                               tt_err *err)
{
    const json_t *units = json_object_get(summary, "units");
    double total = 0;

    for (uint32_t u = 0; u < s->n_unit; u++) {
        cost[u] = cost_of(units, s->unit[u].name);
        total += cost[u];
    }
    if (total > 0)
        return TT_OK;
    return tt_fail(err, TT_EINPUT,
                   "%s: no time shares of this scenario's units; costs come "
                   "from 'tutti run --json'",
                   path);
}

enum tt_code tt_costs_load(double **cost, const tt_scenario *s,
                           const char *path, tt_err *err)
{
    json_error_t where;
    json_t *summary;
    enum tt_code rc;

    *cost = NULL;
    if (!path)
        return TT_OK;
    summary = json_load_file(path, 0, &where);
    if (!summary && where.line < 1) /* it was not even read */
        return tt_fail(err, TT_EINPUT, "--costs: %s", where.text);
    if (!summary)
        return tt_fail(err, TT_EINPUT, "%s:%d:%d: %s", path, where.line,
                       where.column, where.text);
    if (TT_NEW_ARRAY(*cost, s->n_unit))
        rc = read_costs(*cost, s, summary, path, err);
    else
        rc = tt_fail(err, TT_ENOMEM, "%s: out of memory", path);
    json_decref(summary);
    return rc;
}
