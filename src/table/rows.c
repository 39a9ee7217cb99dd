/* SPDX-License-Identifier: MIT */
#include "table/rows.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "table/lines_impl.h"
#include "table/scan_impl.h"
#include "table/table_impl.h"

/* Below this many bytes a file is read rather than searched. */
#define SEARCH_BYTES ((uint64_t)1 << 16)

struct choice {
    uint32_t column; /* counted with time, as cells of a row are */
    uint32_t place;  /* among the chosen */
};

struct tt_rows {
    tt_table *table; /* owned; of a CSV file only the header */
    int streamed;
    struct lines lines;
    char sep;
    uint64_t first;        /* where the first row begins in the file */
    size_t row;            /* of a loaded table: the next one */
    double last;           /* time of the row before, or -INFINITY */
    struct choice *choice; /* owned, in the order of the file */
    size_t n;
    struct tt_rows_cell *cell; /* owned, one per choice, as chosen */
};

/* --- open ---------------------------------------------------------------- */

static enum tt_code no_memory(const tt_rows *r, tt_err *err)
{
    return tt_fail(err, TT_ENOMEM, "reading table %s", tt_table_file(r->table));
}

static enum tt_code nothing_yet(const tt_rows *r, tt_err *err)
{
    return tt_fail(err, TT_EINPUT,
                   "%s:1:1: the table is empty; the first line names the "
                   "columns",
                   tt_table_file(r->table));
}

static enum tt_code open_csv(tt_rows *r, const char *path, tt_err *err)
{
    struct line line;
    struct scan s;
    enum tt_code rc = table_new(&r->table, path, err);

    if (rc == TT_OK)
        rc = tt_lines_open(&r->lines, tt_table_file(r->table), err);
    do {
        if (rc == TT_OK)
            rc = tt_lines_next(&r->lines, &line, err);
        if (rc == TT_OK && line.n == 0)
            rc = nothing_yet(r, err);
        if (rc == TT_OK)
            rc = tt_scan_init(&s, tt_table_file(r->table), line.s, line.n, err);
    } while (rc == TT_OK && !tt_scan_row(&s));
    if (rc == TT_OK)
        rc = table_read_header(r->table, &s, err);
    if (rc != TT_OK)
        return rc;
    r->sep = s.sep;
    r->first = line.at + line.n;
    return TT_OK;
}

enum tt_code tt_rows_open(tt_rows **out, const char *path, tt_err *err)
{
    enum tt_code rc;
    tt_rows *r;

    if (!TT_NEW(r))
        return tt_fail(err, TT_ENOMEM, "reading table %s", path);
    r->streamed = tt_format_of(path) == TT_FORMAT_CSV;
    r->last = -(double)INFINITY;
    rc = r->streamed ? open_csv(r, path, err)
                     : tt_table_load(&r->table, path, err);
    return TT_HAND_OVER(rc, out, r, tt_rows_close);
}

void tt_rows_cell_text(struct tt_buf *b, const struct tt_rows_cell *c)
{
    for (size_t i = 0; i < c->n; i++) {
        tt_buf_char(b, c->s[i]);
        if (c->quoted && c->s[i] == '"')
            i++;
    }
}

void tt_rows_close(tt_rows *r)
{
    if (!r)
        return;
    tt_lines_close(&r->lines);
    tt_table_free(r->table);
    TT_FREE_ALL(r->choice, r->cell, r);
}

const tt_table *tt_rows_table(const tt_rows *r)
{
    return r->table;
}

/* Few are chosen: sorted by insertion. Many are mostly all, in order. */
enum tt_code tt_rows_choose(tt_rows *r, const uint32_t *column, size_t n,
                            tt_err *err)
{
    TT_FREE_ALL(r->choice, r->cell);
    r->n = 0;
    TT_NEW_ARRAY(r->choice, n);
    TT_NEW_ARRAY(r->cell, n);
    if (!r->choice || !r->cell)
        return no_memory(r, err);
    for (; r->n < n; r->n++) {
        size_t k = r->n;

        TT_ASSERT(column[k] < tt_table_columns(r->table));
        for (; k > 0 && r->choice[k - 1].column > column[r->n] + 1; k--)
            r->choice[k] = r->choice[k - 1];
        r->choice[k] = (struct choice){column[r->n] + 1, (uint32_t)r->n};
    }
    return TT_OK;
}

/* --- a line of a CSV file --------------------------------------------------
 */

static enum tt_code take_time(const tt_rows *r, const struct scan *s,
                              const struct cell *c, double *time, tt_err *err)
{
    char a[TT_NUM_MAX], b[TT_NUM_MAX];

    if (tt_cell_number(c, time) == CELL_TEXT || !isfinite(*time))
        return tt_scan_fail(s, c, err, "time '%.*s' is not a number",
                            (int)(c->n < 40 ? c->n : 40), c->s);
    if (*time >= r->last)
        return TT_OK;
    tt_num_print_short(a, *time);
    tt_num_print_short(b, r->last);
    return tt_scan_fail(s, c, err, "time %s is before %s of the row above", a,
                        b);
}

static void take_cell(struct tt_rows_cell *to, const struct cell *c)
{
    enum cell_kind kind;
    double v;

    kind = tt_cell_number(c, &v);
    *to = (struct tt_rows_cell){.v = v,
                                .s = c->s ? c->s : "",
                                .n = c->n,
                                .is_text = kind == CELL_TEXT,
                                .is_whole = kind == CELL_WHOLE,
                                .quoted = c->quoted != 0};
}

/* The cells of a line that is not empty, up to the last chosen one. */
static enum tt_code take_row(tt_rows *r, struct scan *s, double *time,
                             tt_err *err)
{
    struct cell c = {0};
    size_t next = 0;

    for (uint32_t i = 0; i == 0 || next < r->n; i++) {
        enum tt_code rc;

        if (c.last)
            return tt_scan_fail(s, &c, err,
                                "this row has %u values, the header %u columns",
                                i, tt_table_columns(r->table) + 1);
        rc = tt_scan_cell(s, &c, err);
        if (rc == TT_OK && i == 0)
            rc = take_time(r, s, &c, time, err);
        if (rc != TT_OK)
            return rc;
        for (; next < r->n && r->choice[next].column == i; next++)
            take_cell(&r->cell[r->choice[next].place], &c);
    }
    return TT_OK;
}

/* *empty: the line has no row. Which line it is, is not counted until it is
 * needed for a message; then it is read a second time. */
static enum tt_code read_line(tt_rows *r, const struct line *line, int *empty,
                              double *time, tt_err *err)
{
    size_t number = 0;

    for (;;) {
        struct scan s;
        enum tt_code rc =
            tt_scan_init(&s, tt_table_file(r->table), line->s, line->n, err);

        if (rc != TT_OK)
            return rc;
        s.sep = r->sep;
        s.line = number;
        *empty = !tt_scan_row(&s);
        rc = *empty ? TT_OK : take_row(r, &s, time, number ? err : NULL);
        if (rc == TT_OK || number)
            return rc;
        number = tt_lines_number(&r->lines, line->at);
    }
}

/* --- seek ------------------------------------------------------------------
 */

/* A row of plain numbers: where every row is one, a line break ends a row, and
 * a row may be looked for anywhere in the file. */
static int is_plain(const tt_rows *r, const struct line *line, double *time)
{
    struct cell c = {0};
    struct scan s;
    uint32_t n = 0;
    double v;

    if (tt_scan_init(&s, "", line->s, line->n, NULL) != TT_OK ||
        !tt_scan_row(&s))
        return 0;
    s.sep = r->sep;
    for (; !c.last; n++) {
        if (tt_scan_cell(&s, &c, NULL) != TT_OK || c.quoted ||
            tt_cell_number(&c, &v) == CELL_TEXT)
            return 0;
        if (n == 0)
            *time = v;
    }
    return n == tt_table_columns(r->table) + 1 && isfinite(*time);
}

/* The first whole row behind `at`: 1, 0 when none follows, -1 when it is not
 * plain or cannot be read. */
static int look(tt_rows *r, uint64_t at, struct line *line, double *time)
{
    tt_lines_go(&r->lines, at);
    for (int i = 0; i < 2; i++) { /* the first begins somewhere before */
        if (tt_lines_next(&r->lines, line, NULL) != TT_OK)
            return -1;
        if (line->n == 0)
            return 0;
    }
    return is_plain(r, line, time) ? 1 : -1;
}

/* Where to begin reading for the rows from this time on: halving the file as
 * long as it is worth it. Where anything is not plain, nothing is skipped. */
static uint64_t search(tt_rows *r, double from)
{
    uint64_t low = r->first, high = tt_in_size(r->lines.in);
    struct line line;
    double time;
    int found;

    tt_lines_go(&r->lines, low);
    if (tt_lines_next(&r->lines, &line, NULL) != TT_OK || line.n == 0 ||
        !is_plain(r, &line, &time))
        return r->first;
    while (high > low && high - low > SEARCH_BYTES) {
        uint64_t middle = low + (high - low) / 2;

        found = look(r, middle, &line, &time);
        if (found < 0)
            return r->first;
        if (found && time < from && line.at < high)
            low = line.at;
        else
            high = middle;
    }
    return low;
}

enum tt_code tt_rows_seek(tt_rows *r, double from, tt_err *err)
{
    uint64_t at = r->first;
    struct line line;

    r->last = -(double)INFINITY;
    if (!r->streamed) {
        const double *time = tt_table_time(r->table);
        size_t rows = tt_table_rows(r->table);

        for (r->row = 0; r->row < rows && time[r->row] < from;)
            r->row++;
        return TT_OK;
    }
    if (isfinite(from))
        at = search(r, from);
    tt_lines_go(&r->lines, at);
    for (;;) {
        size_t n = r->n;
        int empty = 0;
        double time = 0;
        enum tt_code rc = tt_lines_next(&r->lines, &line, err);

        if (rc != TT_OK || line.n == 0)
            return rc;
        r->n = 0; /* the time alone */
        rc = read_line(r, &line, &empty, &time, err);
        r->n = n;
        if (rc != TT_OK)
            return rc;
        if (empty)
            continue;
        if (time >= from)
            break;
        r->last = time;
    }
    tt_lines_go(&r->lines, line.at);
    return TT_OK;
}

uint64_t tt_rows_at(const tt_rows *r)
{
    return r->lines.at + r->lines.next;
}

/* --- next ------------------------------------------------------------------
 */

static void next_loaded(tt_rows *r, struct tt_row *row)
{
    size_t k = r->row++;

    row->time = tt_table_time(r->table)[k];
    for (size_t i = 0; i < r->n; i++) {
        struct tt_rows_cell *to = &r->cell[r->choice[i].place];
        uint32_t column = r->choice[i].column - 1;

        *to = (struct tt_rows_cell){
            .v = tt_table_values(r->table, column)[k],
            .is_text = tt_table_is_text(r->table, column) != 0,
            .is_whole = tt_table_is_discrete(r->table, column) != 0};
        if (!to->is_text)
            continue;
        to->s = tt_table_text(r->table, column, k);
        to->n = strlen(to->s);
    }
}

enum tt_code tt_rows_next(tt_rows *r, struct tt_row *row, int *more,
                          tt_err *err)
{
    struct line line;
    int empty = 1;

    row->cell = r->cell;
    *more = 1;
    if (!r->streamed) {
        *more = r->row < tt_table_rows(r->table);
        if (*more)
            next_loaded(r, row);
        return TT_OK;
    }
    while (empty) {
        enum tt_code rc = tt_lines_next(&r->lines, &line, err);

        *more = rc == TT_OK && line.n > 0;
        if (*more)
            rc = read_line(r, &line, &empty, &row->time, err);
        if (rc != TT_OK || !*more)
            return rc;
    }
    r->last = row->time;
    return TT_OK;
}
