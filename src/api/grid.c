/* SPDX-License-Identifier: MIT */
#include "api/grid.h"

#include <string.h>

#include "base/show.h"

#define CELL_MAX 60u /* columns of a cell that is not the last */

static const char *title(const struct tt_grid *g, uint32_t i)
{
    return g->head[i] + (g->head[i][0] == '>');
}

void tt_grid_init(struct tt_grid *g, tt_arena *arena, const char *const *head,
                  uint32_t n)
{
    *g = (struct tt_grid){.head = head, .n = n, .arena = arena};
    for (uint32_t i = 0; i < n; i++)
        g->width[i] = tt_show_width(title(g, i));
}

void tt_grid_fini(struct tt_grid *g)
{
    tt_free(g->row);
}

static const char *copy(struct tt_grid *g, const char *cell)
{
    struct tt_buf b;
    const char *s;

    tt_buf_init(&b, 65536);
    tt_show_clean(&b, cell);
    s = tt_arena_strdup(g->arena, b.data && !b.failed ? b.data : "");
    tt_buf_fini(&b);
    return s;
}

void tt_grid_add(struct tt_grid *g, const char *const *cell)
{
    const char **row = tt_arena_alloc(g->arena, g->n, sizeof(*row));

    if (!row || TT_GROW(g->row, g->n_row, g->cap_row) != 0)
        return;
    for (uint32_t i = 0; i < g->n; i++) {
        size_t width;

        row[i] = copy(g, cell[i]);
        if (!row[i])
            return;
        width = tt_show_width(row[i]);
        if (i + 1 < g->n && width > CELL_MAX)
            width = CELL_MAX;
        if (width > g->width[i])
            g->width[i] = width;
    }
    g->row[g->n_row++] = row;
}

static void trim(struct tt_buf *b)
{
    while (b->len && b->data[b->len - 1] == ' ')
        b->data[--b->len] = '\0';
}

static void put_line(const struct tt_grid *g, struct tt_buf *b,
                     const char *const *cell, int is_head, size_t width)
{
    size_t used = 0;

    for (uint32_t i = 0; i < g->n; i++) {
        int last = i + 1 == g->n;
        size_t w = g->width[i];

        if (last && width > used + 8 && w > width - used - 2)
            w = width - used - 2;
        tt_buf_str(b, "  ");
        tt_show_pad(b, is_head ? title(g, i) : cell[i], last ? w : g->width[i],
                    g->head[i][0] == '>', !last || width > 0);
        used += 2 + w;
    }
    trim(b);
}

void tt_grid_print(const struct tt_grid *g, struct tt_buf *b, int colours,
                   size_t width)
{
    tt_buf_str(b, tt_show_ink(colours, TT_INK_DIM));
    put_line(g, b, NULL, 1, width);
    tt_buf_fmt(b, "%s\n", tt_show_ink(colours, TT_INK_OFF));
    for (size_t i = 0; i < g->n_row; i++) {
        put_line(g, b, g->row[i], 0, width);
        tt_buf_char(b, '\n');
    }
}
