/* SPDX-License-Identifier: MIT */
/* What a unit that is no FMU is and has, for people. */
#include "api/grid.h"
#include "api/info.h"
#include "base/show.h"
#include "unit/unit.h"

static void add_port(struct tt_grid *g, const struct tt_port *p)
{
    char start[TT_TEXT_MAX] = "";

    if (p->start && p->n == 1)
        tt_value_print(start, p->type, p->start);
    tt_grid_add(g, (const char *const[]){
                       p->name, tt_type_name(p->type),
                       tt_causality_name(p->causality),
                       p->clock ? "event" : tt_variability_name(p->variability),
                       start, p->text ? p->text : ""});
}

enum tt_code tt_info_desc_text(struct tt_buf *b, const char *path,
                               const struct tt_desc *d,
                               const struct tt_info_look *look, tt_err *err)
{
    static const char *const head[] = {"name",        "type",  "causality",
                                       "variability", "start", "description"};
    tt_arena *arena = tt_arena_new();
    struct tt_grid g;

    if (!arena)
        return tt_nomem(err, NULL);
    tt_buf_str(b, tt_show_ink(look->colours, TT_INK_BOLD));
    tt_show_clean(b, d->model);
    tt_buf_fmt(b, "%s  %s\n  %sfile%s           ",
               tt_show_ink(look->colours, TT_INK_OFF),
               d->caps.discrete ? "discrete events" : d->kind,
               tt_show_ink(look->colours, TT_INK_DIM),
               tt_show_ink(look->colours, TT_INK_OFF));
    tt_show_clean(b, path);
    tt_buf_str(b, "\n\nvariables\n");
    tt_grid_init(&g, arena, head, 6);
    for (uint32_t i = 0; i < d->n_port; i++)
        if (!d->port[i].hidden)
            add_port(&g, &d->port[i]);
    tt_grid_print(&g, b, look->colours, look->width);
    tt_grid_fini(&g);
    tt_arena_free(arena);
    return TT_OK;
}
