/* SPDX-License-Identifier: MIT */
#include "cli/among.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "mpi/mpi_link.h"
#include "sys/file.h"
#include "text/json.h"

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
    p->report = NULL;
    memset(p->side, 0, sizeof(p->side));
    p->plot = p->json = p->profile = 0;
    p->quiet = 1;
    return TT_OK;
}

enum tt_code tt_among_meet(struct tt_link **link, tt_err *err)
{
    *link = NULL;
    return tt_mpi_place().n > 1 ? tt_mpi_open(link, NULL, err) : TT_OK;
}

enum tt_code tt_among_part(struct tt_link *link, enum tt_code rc)
{
    uint32_t rank = link ? link->rank : 0;

    tt_mpi_close(link);
    return rank ? TT_OK : rc;
}

/* Those of one rank, to all. */
static enum tt_code share_warnings(struct tt_link *link, uint32_t from,
                                   struct tt_warnings *w, tt_err *err)
{
    uint32_t head[3] = {w->n, w->kept, w->used};
    enum tt_code rc = link->ops->share(link, from, head, sizeof(head), err);

    w->n = head[0];
    w->kept = head[1];
    w->used = head[2] <= sizeof(w->text) ? head[2] : 0;
    return rc == TT_OK && w->used
               ? link->ops->share(link, from, w->text, w->used, err)
               : rc;
}

enum tt_code tt_among_warnings(struct tt_link *link, struct tt_sink *sink,
                               tt_err *err)
{
    enum { OWN, OTHERS, BOTH };
    struct tt_warnings *w = tt_zalloc(BOTH, sizeof(*w));
    enum tt_code rc = TT_OK;

    if (!w)
        return tt_nomem(err, "the warnings of all ranks");
    tt_sink_copy_warnings(sink, &w[OWN]);
    for (uint32_t i = 0; i < link->n && rc == TT_OK; i++) {
        rc = share_warnings(link, i, &w[i == link->rank ? OWN : OTHERS], err);
        if (rc == TT_OK && i != link->rank)
            tt_sink_merge_warnings(sink, &w[OTHERS]);
    }
    tt_free(w);
    return rc;
}

/* --- costs ---------------------------------------------------------------- */

static double cost_of(const struct tt_doc *units, const char *name)
{
    for (uint32_t i = 0; units && i < units->n; i++) {
        const struct tt_doc *u = &units->u.child[i];
        const struct tt_doc *named = tt_doc_find(u, "name");

        if (named && named->kind == TT_DOC_TEXT &&
            strcmp(named->u.text, name) == 0)
            return tt_doc_number(tt_doc_find(u, "time_share"), 0);
    }
    return 0;
}

static enum tt_code read_costs(double *cost, const tt_scenario *s,
                               const struct tt_doc *summary, const char *path,
                               tt_err *err)
{
    const struct tt_doc *units = tt_doc_find(summary, "units");
    double total = 0;

    for (uint32_t u = 0; u < s->n_unit; u++) {
        cost[u] = cost_of(units, s->unit[u].name);
        total += cost[u];
    }
    if (total > 0)
        return TT_OK;
    return tt_fail(
        err, TT_EINPUT,
        "%s: no time shares of this scenario's instances; costs come "
        "from 'tutti run --json'",
        path);
}

enum tt_code tt_costs_load(double **cost, const tt_scenario *s,
                           const char *path, tt_err *err)
{
    struct tt_text_file f = {.path = path};
    struct tt_doc summary;
    struct tt_buf text;
    tt_arena *arena;
    enum tt_code rc = TT_OK;

    *cost = NULL;
    if (!path)
        return TT_OK;
    arena = tt_arena_new();
    tt_buf_init(&text, TT_DOC_MAX);
    if (!arena || !TT_NEW_ARRAY(*cost, s->n_unit))
        rc = tt_fail(err, TT_ENOMEM, "%s: out of memory", path);
    if (rc == TT_OK)
        rc = tt_file_read(&text, path, err);
    f.text = text.data ? text.data : "";
    f.n = text.len;
    if (rc == TT_OK)
        rc = tt_doc_parse(&summary, &f, 0, arena, arena, err);
    if (rc == TT_OK)
        rc = read_costs(*cost, s, &summary, path, err);
    tt_buf_fini(&text);
    tt_arena_free(arena);
    return rc;
}
