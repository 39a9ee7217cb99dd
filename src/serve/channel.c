/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/show.h"
#include "serve/feed_impl.h"

/* Cells of one message, and those that are kept for the next. */
#define CELLS_MAX     ((size_t)200000)
#define MESSAGE_MAX   ((size_t)64 << 20)
/* What all watchers of a channel together may cost per second, in bytes; each
 * message costs something for itself. Beyond that messages become rarer, so
 * that a crowd does not take the machine from the run. */
#define BYTES_PER_S   ((double)(16 << 20))
#define MESSAGE_BYTES 4096.0

/* --- rows in memory ------------------------------------------------------- */

static void drop_rows(struct tt_gathered *g)
{
    for (size_t i = 0; i < g->n * g->columns; i++)
        if (g->cell[i].is_text)
            tt_free((void *)(uintptr_t)g->cell[i].s);
    g->n = 0;
}

static void gathered_fini(struct tt_gathered *g)
{
    drop_rows(g);
    TT_FREE_ALL(g->time, g->cell);
    *g = (struct tt_gathered){.columns = g->columns};
}

static int widen(struct tt_gathered *g)
{
    size_t cap = g->cap ? 2 * g->cap : 64;
    double *time = tt_resize(g->time, cap, sizeof(*time));
    struct tt_rows_cell *cell;

    if (!time)
        return -1;
    g->time = time;
    cell =
        tt_resize(g->cell, cap * (g->columns ? g->columns : 1), sizeof(*cell));
    if (!cell)
        return -1;
    g->cell = cell;
    g->cap = cap;
    return 0;
}

/* A text of its own, without quotes. */
static char *copy_text(const struct tt_rows_cell *c)
{
    char *text = tt_alloc(c->n + 1), *to = text;

    for (size_t i = 0; text && i < c->n; i++) {
        *to++ = c->s[i];
        if (c->quoted && c->s[i] == '"')
            i++;
    }
    if (text)
        *to = '\0';
    return text;
}

/* Cells are those at these places of the row; NULL: the first ones. */
static void keep_row(struct tt_gathered *g, const struct tt_row *row,
                     const uint32_t *place)
{
    struct tt_rows_cell *to;

    if (g->n == g->cap && widen(g) != 0)
        return; /* a row less to see */
    g->time[g->n] = row->time;
    to = g->cell + g->n * g->columns;
    for (size_t i = 0; i < g->columns; i++) {
        const struct tt_rows_cell *c = &row->cell[place ? place[i] : i];

        char *text = c->is_text ? copy_text(c) : NULL;

        to[i] = (struct tt_rows_cell){.v = c->v};
        if (!text)
            continue;
        to[i].s = text;
        to[i].n = strlen(text);
        to[i].is_text = 1;
    }
    g->n++;
}

static enum tt_code keep_thinned(void *ctx, const struct tt_row *row,
                                 tt_err *err)
{
    (void)err;
    keep_row(ctx, row, NULL);
    return TT_OK;
}

/* At most so many rows, without losing an extreme. */
static void thin_out(struct tt_gathered *g, size_t most)
{
    struct tt_gathered less = {.columns = g->columns};
    const struct tt_thin_spec spec = {.columns = g->columns,
                                      .points = most,
                                      .first = g->time[0],
                                      .last = g->time[g->n - 1],
                                      .fn = keep_thinned,
                                      .ctx = &less};
    tt_thin *thin = NULL;
    enum tt_code rc = tt_thin_new(&thin, &spec, NULL);

    for (size_t i = 0; rc == TT_OK && i < g->n; i++) {
        const struct tt_row row = {.time = g->time[i],
                                   .cell = g->cell + i * g->columns};

        rc = tt_thin_row(thin, &row, i + 1 == g->n, NULL);
    }
    tt_thin_free(thin);
    if (rc != TT_OK) { /* they stay as they are */
        gathered_fini(&less);
        return;
    }
    gathered_fini(g);
    *g = less;
}

/* --- channels ------------------------------------------------------------- */

static int copy_selection(struct tt_selection *to,
                          const struct tt_selection *from)
{
    *to = *from;
    to->name = NULL;
    to->n = 0;
    if (!from->name)
        return 0;
    if (!TT_NEW_ARRAY(to->name, from->n + 1))
        return -1;
    for (; to->n < from->n; to->n++)
        if (!(to->name[to->n] = tt_strdup(from->name[to->n])))
            return -1;
    return 0;
}

struct tt_channel *tt_channel_new(const struct tt_selection *want)
{
    struct tt_channel *c;

    if (!TT_NEW(c))
        return NULL;
    if (copy_selection(&c->want, want) == 0)
        return c;
    tt_channel_free(c);
    return NULL;
}

void tt_channel_free(struct tt_channel *c)
{
    tt_selection_fini(&c->want);
    gathered_fini(&c->rows);
    gathered_fini(&c->past);
    tt_rows_close(c->behind);
    tt_message_unref(c->columns);
    TT_FREE_ALL(c->column, c->place, c);
}

static struct tt_message *columns_message(const struct tt_channel *c,
                                          const tt_table *t)
{
    struct tt_buf b;

    tt_buf_init(&b, MESSAGE_MAX);
    tt_buf_str(&b, "{\"type\":\"columns\",\"columns\":[");
    for (size_t i = 0; i < c->n; i++) {
        tt_buf_str(&b, i ? "," : "");
        tt_buf_json(&b, tt_table_name(t, c->column[i]));
    }
    tt_buf_str(&b, "]}");
    return tt_message_new(&b);
}

enum tt_code tt_channel_column(const tt_table *t, const char *name,
                               uint32_t *column, tt_err *err)
{
    const char *near;

    *column = tt_table_find(t, name);
    if (*column != TT_NONE)
        return TT_OK;
    near = tt_table_nearest(t, name);
    return tt_fail(err, TT_EINPUT, "the results have no variable '%s'%s%s%s",
                   name, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

enum tt_code tt_channel_resolve(struct tt_channel *c, const tt_table *t,
                                tt_err *err)
{
    enum tt_code rc = TT_OK;
    size_t n = c->want.name ? c->want.n : tt_table_columns(t);

    TT_NEW_ARRAY(c->column, n);
    TT_NEW_ARRAY(c->place, n);
    if (!c->column || !c->place)
        return tt_nomem(err, "a stream");
    for (size_t i = 0; rc == TT_OK && i < n; i++) {
        c->column[i] = (uint32_t)i;
        if (c->want.name)
            rc = tt_channel_column(t, c->want.name[i], &c->column[i], err);
    }
    if (rc != TT_OK)
        return rc;
    c->n = c->rows.columns = c->past.columns = n;
    c->columns = columns_message(c, t);
    return c->columns ? TT_OK : tt_nomem(err, "a stream");
}

/* Rows of one message: fewer when they are wide. */
static size_t most_rows(const struct tt_channel *c)
{
    size_t most = CELLS_MAX / (c->n ? c->n : 1);

    if (most > c->want.rows)
        most = c->want.rows;
    return most < 2 ? 2 : most;
}

void tt_channel_row(struct tt_channel *c, const struct tt_row *row,
                    const uint32_t *place)
{
    if (row->time < c->want.from)
        return;
    keep_row(&c->rows, row, place);
    if (c->rows.n >= 2 * most_rows(c) + 2)
        thin_out(&c->rows, most_rows(c));
}

/* --- messages ------------------------------------------------------------- */

static void put_cell(struct tt_buf *b, const struct tt_rows_cell *c)
{
    if (c->is_text)
        tt_buf_json(b, c->s);
    else
        tt_show_json_num(b, c->v);
}

/* Those from row `first` on. */
static struct tt_message *rows_message(const struct tt_gathered *g,
                                       size_t first)
{
    struct tt_buf b;

    tt_buf_init(&b, MESSAGE_MAX);
    tt_buf_str(&b, "{\"type\":\"rows\",\"time\":[");
    for (size_t i = first; i < g->n; i++) {
        tt_buf_str(&b, i > first ? "," : "");
        tt_show_json_num(&b, g->time[i]);
    }
    tt_buf_str(&b, "],\"values\":[");
    for (size_t k = 0; k < g->columns; k++) {
        tt_buf_str(&b, k ? ",[" : "[");
        for (size_t i = first; i < g->n; i++) {
            tt_buf_str(&b, i > first ? "," : "");
            put_cell(&b, &g->cell[i * g->columns + k]);
        }
        tt_buf_char(&b, ']');
    }
    tt_buf_str(&b, "]}");
    return tt_message_new(&b);
}

struct tt_message *tt_channel_overview(struct tt_channel *c, double from)
{
    size_t first = 0;

    if (c->past.n > most_rows(c))
        thin_out(&c->past, most_rows(c));
    while (first < c->past.n && c->past.time[first] < from)
        first++;
    return first < c->past.n ? rows_message(&c->past, first) : NULL;
}

/* What was sent is past; of it as much stays as one message can have. */
static void remember(struct tt_channel *c)
{
    for (size_t i = 0; i < c->rows.n; i++) {
        const struct tt_row row = {.time = c->rows.time[i],
                                   .cell = c->rows.cell + i * c->n};

        keep_row(&c->past, &row, NULL);
        if (c->past.n >= 4 * most_rows(c))
            thin_out(&c->past, 2 * most_rows(c));
    }
    drop_rows(&c->rows);
}

void tt_channel_flush(struct tt_channel *c, uint64_t now_ns, int last)
{
    struct tt_message *m;
    double wait = 1 / c->want.rate, crowd;

    if (!c->rows.n || (now_ns < c->due_ns && !last))
        return;
    if (c->rows.n > most_rows(c))
        thin_out(&c->rows, most_rows(c));
    m = rows_message(&c->rows, 0);
    remember(c);
    if (!m)
        return; /* out of memory: the next one is also news */
    for (struct tt_watcher *w = c->watcher; w; w = w->next)
        tt_watcher_give(w, TT_SLOT_ROWS, m);
    crowd = ((double)tt_message_size(m) + MESSAGE_BYTES) * c->n_watcher /
            BYTES_PER_S;
    c->due_ns = now_ns + (uint64_t)((wait > crowd ? wait : crowd) * 1e9);
    tt_message_unref(m);
}
