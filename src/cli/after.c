/* SPDX-License-Identifier: MIT */
#include "cli/parts.h"
#include "cli/play.h"
#include "cli/print.h"
#include "results/ascii.h"
#include "results/series.h"
#include "run/page.h"
#include "tutti/tutti.h"

/* In the arena of the parts; NULL: none, or no memory. */
static const struct tt_report_source *rows_of(const struct tt_parts *parts)
{
    struct tt_report_source *row =
        parts->n ? tt_arena_alloc(parts->arena, parts->n, sizeof(*row)) : NULL;

    for (size_t i = 0; row && i < parts->n; i++) {
        const struct tt_part *one = &parts->part[i];

        row[i] = (struct tt_report_source){.key = one->role,
                                           .path = one->path,
                                           .within = one->of,
                                           .sha256 = one->sha256};
    }
    return row;
}

enum tt_code tt_play_report(const struct tt_played *p, tt_err *err)
{
    const struct tt_play *play = p->play;
    const char *file[TT_FILES_MAX + 1 + TT_SIDES];
    uint32_t n = play->files.n;
    struct tt_parts parts;
    enum tt_code rc;
    struct tt_page page = {
        .run = p->run,
        .name = play->scenario->name,
        .curves = p->curves,
        .table = p->table,
        .steps = p->steps,
        .logbook = &play->sink->logbook,
        .note = play->note,
        .n_note = play->n_note,
        .command = play->typed,
        .version = tutti_version(),
        .file = file,
        .code = p->code,
        .msg = p->msg,
    };

    for (uint32_t i = 0; i < n; i++)
        file[i] = play->files.path[i];
    file[n++] = play->report;
    for (int i = 0; i < TT_SIDES; i++)
        if (play->side[i])
            file[n++] = play->side[i];
    page.n_file = n;
    tt_parts_gather(&parts, play->scenario);
    page.part = rows_of(&parts);
    page.n_part = page.part ? parts.n : 0;
    rc = tt_page_write(p->report ? p->report : play->report, &page, err);
    tt_parts_fini(&parts);
    return rc;
}

/* A rough picture. */
#define PANELS_MAX 8u

void tt_play_plot(struct tt_buf *b, const struct tt_played *p)
{
    struct tt_ascii_opts o;
    struct tt_panels panels = {0};
    tt_err err;
    enum tt_code rc = tt_panels_from_curves(&panels, p->curves, 1, &err);

    tt_print_plot_opts(&o, 0);
    for (size_t i = 0; rc == TT_OK && i < panels.n && i < PANELS_MAX; i++) {
        rc = tt_ascii_panel(b, &panels.panel[i], &o, &err);
        tt_buf_char(b, '\n');
    }
    if (rc != TT_OK)
        tt_print_warning("no plot: %s", err.msg);
    else if (panels.n > PANELS_MAX)
        tt_buf_fmt(b, "and %zu more panels (tutti plot draws all)\n\n",
                   panels.n - PANELS_MAX);
    tt_panels_fini(&panels);
}
