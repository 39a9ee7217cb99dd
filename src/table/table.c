/* SPDX-License-Identifier: MIT */
#include "table/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/file.h"
#include "table/h5.h"
#include "table/scan_impl.h"
#include "table/table_impl.h"

void tt_table_free(tt_table *t)
{
    if (!t)
        return;
    tt_names_fini(&t->names);
    TT_FREE_ALL(t->cell, t->column);
    tt_arena_free(t->arena);
    tt_free(t);
}

static enum tt_code no_memory(const tt_table *t, tt_err *err)
{
    return tt_fail(err, TT_ENOMEM, "reading table %s", t->file);
}

static enum tt_code too_large(const tt_table *t, size_t rows, uint32_t columns,
                              tt_err *err)
{
    return tt_fail(err, TT_EINPUT,
                   "%s: %zu rows of %u columns are more than the limit of %zu "
                   "values",
                   t->file, rows, columns, TT_TABLE_MAX_CELLS);
}

/* --- the header -------------------------------------------------------- */

static enum tt_code add_column(tt_table *t, const struct scan *s,
                               const struct cell *c, size_t *cap, tt_err *err)
{
    char *name;
    int added;

    if (t->n > TT_TABLE_MAX_COLUMNS)
        return tt_scan_fail(s, c, err, "more than %u columns",
                            TT_TABLE_MAX_COLUMNS);
    if (TT_GROW(t->column, t->n, *cap) != 0)
        return no_memory(t, err);
    name = tt_cell_dup(t->arena, c);
    if (!name)
        return no_memory(t, err);
    if (t->n > 0) {
        if (!*name)
            return tt_scan_fail(s, c, err, "column %u has no name", t->n + 1);
        added = tt_names_add(&t->names, name, t->n - 1);
        if (added < 0)
            return no_memory(t, err);
        if (added > 0)
            return tt_scan_fail(s, c, err, "column '%s' appears twice", name);
    }
    t->column[t->n++] = (struct column){.name = name};
    return TT_OK;
}

/* A number where a name belongs: the header was left out. */
static int is_number(const struct cell *c)
{
    double v;

    return !c->quoted && c->n > 0 && tt_num_parse_n(c->s, c->n, &v) == 0;
}

enum tt_code table_read_header(tt_table *t, struct scan *s, tt_err *err)
{
    struct cell c = {0};
    enum tt_code rc;
    size_t cap = 0;

    if (!tt_scan_row(s))
        return tt_scan_fail(s, NULL, err,
                            "the table is empty; the first line names the "
                            "columns");
    tt_scan_separator(s);
    while (!c.last) {
        rc = tt_scan_cell(s, &c, err);
        if (rc != TT_OK)
            return rc;
        if (t->n == 0 && is_number(&c))
            return tt_scan_fail(s, &c, err,
                                "the first line names the columns, but this "
                                "is the number %.*s",
                                (int)(c.n < 40 ? c.n : 40), c.s);
        if (c.last && c.n == 0 && !c.quoted && t->n > 0)
            break; /* the line ends in a separator */
        rc = add_column(t, s, &c, &cap, err);
        if (rc != TT_OK)
            return rc;
    }
    return TT_OK;
}

/* --- rows -------------------------------------------------------------- */

/* Store a cell; a cell that is no number makes its column a text column. */
static void store(struct column *col, size_t row, const struct cell *c)
{
    switch (tt_cell_number(c, &col->value[row])) {
    case CELL_TEXT:
        col->is_text = 1;
        break;
    case CELL_NUMBER:
        col->has_point = 1;
        break;
    case CELL_WHOLE:
        break;
    }
}

static enum tt_code check_time(tt_table *t, const struct scan *s,
                               const struct cell *c, tt_err *err)
{
    const struct column *col = &t->column[0];
    double now = col->value[t->rows];
    char a[TT_NUM_MAX], b[TT_NUM_MAX];

    if (col->is_text || !isfinite(now))
        return tt_scan_fail(s, c, err, "time '%.*s' is not a number",
                            (int)(c->n < 40 ? c->n : 40), c->s);
    if (t->rows == 0 || now >= col->value[t->rows - 1])
        return TT_OK;
    tt_num_print_short(a, now);
    tt_num_print_short(b, col->value[t->rows - 1]);
    return tt_scan_fail(s, c, err, "time %s is before %s of the row above", a,
                        b);
}

static enum tt_code read_row(tt_table *t, struct scan *s, tt_err *err)
{
    struct cell c = {0};
    enum tt_code rc;
    uint32_t i;

    for (i = 0; !c.last; i++) {
        rc = tt_scan_cell(s, &c, err);
        if (rc != TT_OK)
            return rc;
        if (i == t->n && c.last && c.n == 0 && !c.quoted)
            break; /* the line ends in a separator */
        if (i >= t->n)
            return tt_scan_fail(s, &c, err,
                                "this row has more values than the header "
                                "has columns (%u)",
                                t->n);
        store(&t->column[i], t->rows, &c);
        if (i > 0)
            continue;
        rc = check_time(t, s, &c, err);
        if (rc != TT_OK)
            return rc;
    }
    if (i < t->n)
        return tt_scan_fail(s, &c, err,
                            "this row has %u values, the header %u columns", i,
                            t->n);
    t->rows++;
    return TT_OK;
}

/* Room for as many rows as there are lines that are not empty: at least as
 * many as there will be, so that the array never moves. */
static enum tt_code make_room(tt_table *t, const struct scan *s, tt_err *err)
{
    size_t lines = tt_scan_lines(s);

    if (lines == 0)
        lines = 1;
    if (lines > TT_TABLE_MAX_CELLS / t->n)
        return too_large(t, lines, t->n, err);
    t->rows_cap = lines;
    TT_NEW_ARRAY(t->cell, lines * t->n);
    if (!t->cell)
        return no_memory(t, err);
    for (uint32_t i = 0; i < t->n; i++)
        t->column[i].value = t->cell + i * lines;
    return TT_OK;
}

/* The second pass, only when there are columns of text. The first pass found
 * the form good, so scanning cannot fail. */
static enum tt_code read_texts(tt_table *t, struct scan *s, tt_err *err)
{
    for (uint32_t i = 1; i < t->n; i++) {
        if (!t->column[i].is_text)
            continue;
        if (!TT_NEW_IN(t->arena, t->column[i].text, t->rows))
            return no_memory(t, err);
    }
    for (size_t row = 0; row < t->rows && tt_scan_row(s); row++) {
        struct cell c = {0};

        for (uint32_t i = 0; !c.last; i++) {
            enum tt_code rc = tt_scan_cell(s, &c, err);

            if (rc != TT_OK)
                return rc;
            if (i >= t->n || !t->column[i].text)
                continue;
            t->column[i].text[row] = tt_cell_dup(t->arena, &c);
            if (!t->column[i].text[row])
                return no_memory(t, err);
        }
    }
    return TT_OK;
}

static enum tt_code read_rows(tt_table *t, struct scan *s, tt_err *err)
{
    struct scan from_here = *s;
    enum tt_code rc = make_room(t, s, err);
    int any_text = 0;

    while (rc == TT_OK && tt_scan_row(s)) {
        TT_ASSERT(t->rows < t->rows_cap);
        rc = read_row(t, s, err);
    }
    if (rc != TT_OK)
        return rc;
    for (uint32_t i = 1; i < t->n; i++)
        any_text |= t->column[i].is_text;
    return any_text ? read_texts(t, &from_here, err) : TT_OK;
}

enum tt_code table_new(tt_table **out, const char *file, tt_err *err)
{
    tt_table *t;

    if (!TT_NEW(t))
        return tt_fail(err, TT_ENOMEM, "reading table %s", file);
    tt_names_init(&t->names);
    t->file = file;
    t->arena = tt_arena_new();
    if (t->arena)
        t->file = tt_arena_strdup(t->arena, file);
    if (!t->arena || !t->file) {
        tt_table_free(t);
        return tt_fail(err, TT_ENOMEM, "reading table %s", file);
    }
    *out = t;
    return TT_OK;
}

enum tt_code tt_table_parse(tt_table **out, const char *file, const char *data,
                            size_t n, tt_err *err)
{
    tt_table *t = NULL;
    struct scan s;
    enum tt_code rc = table_new(&t, file, err);

    if (rc != TT_OK)
        return rc;
    rc = tt_scan_init(&s, t->file, data, n, err);
    if (rc == TT_OK)
        rc = table_read_header(t, &s, err);
    if (rc == TT_OK)
        rc = read_rows(t, &s, err);
    return TT_HAND_OVER(rc, out, t, tt_table_free);
}

/* --- other formats ------------------------------------------------------- */

enum tt_code table_make_room(tt_table *t, uint32_t n, size_t rows, tt_err *err)
{
    if (n - 1 > TT_TABLE_MAX_COLUMNS)
        return tt_fail(err, TT_EINPUT, "%s: more than %u columns", t->file,
                       TT_TABLE_MAX_COLUMNS);
    if (rows > TT_TABLE_MAX_CELLS / n)
        return too_large(t, rows, n, err);
    t->n = n;
    t->rows = t->rows_cap = rows;
    TT_NEW_ARRAY(t->column, n);
    TT_NEW_ARRAY(t->cell, rows * n);
    if (!t->column || !t->cell)
        return no_memory(t, err);
    for (uint32_t i = 0; i < n; i++)
        t->column[i].value = t->cell + i * rows;
    return TT_OK;
}

enum tt_code table_set_name(tt_table *t, uint32_t column, const char *name,
                            size_t n, tt_err *err)
{
    char *copy = tt_arena_strndup(t->arena, name, n);
    int added =
        copy && column > 0 ? tt_names_add(&t->names, copy, column - 1) : 0;

    if (!copy || added < 0)
        return no_memory(t, err);
    if (column > 0 && !*copy)
        return tt_fail(err, TT_EINPUT, "%s: column %u has no name", t->file,
                       column + 1);
    if (added > 0)
        return tt_fail(err, TT_EINPUT, "%s: column '%s' appears twice", t->file,
                       copy);
    t->column[column].name = copy;
    return TT_OK;
}

enum tt_code table_check_times(const tt_table *t, tt_err *err)
{
    const double *time = t->column[0].value;
    char a[TT_NUM_MAX], b[TT_NUM_MAX];

    for (size_t i = 0; i < t->rows; i++) {
        if (isfinite(time[i]) && (i == 0 || time[i] >= time[i - 1]))
            continue;
        tt_num_print_short(a, time[i]);
        if (!isfinite(time[i]))
            return tt_fail(err, TT_EINPUT,
                           "%s: row %zu: time '%s' is not a "
                           "number",
                           t->file, i + 1, a);
        tt_num_print_short(b, time[i - 1]);
        return tt_fail(err, TT_EINPUT,
                       "%s: row %zu: time %s is before %s of the row above",
                       t->file, i + 1, a, b);
    }
    return TT_OK;
}

int tt_table_is_tsv(const char *path)
{
    return tt_path_ends(path, ".tsv") || tt_path_ends(path, ".TSV");
}

int tt_table_is_signal(const char *path)
{
    return tt_table_is_tsv(path) || tt_path_ends(path, ".csv") ||
           tt_path_ends(path, ".CSV") || tt_format_of(path) != TT_FORMAT_CSV;
}

size_t tt_table_split_unit(const char *header, size_t n, const char **unit,
                           size_t *n_unit)
{
    size_t open = n;

    *n_unit = 0;
    if (n < 4 || header[n - 1] != ']')
        return n;
    while (open > 0 && header[open - 1] != '[')
        open--;
    if (open < 3 || header[open - 2] != ' ' || open == n - 1)
        return n; /* "x[1]" is an element */
    *unit = header + open;
    *n_unit = n - 1 - open;
    for (n = open - 2; n > 0 && header[n - 1] == ' ';)
        n--;
    return n;
}

/* Those below a second by their inverse: 1 ms is 1 / 1000 s, to the bit. */
int tt_table_seconds(const char *header, size_t n, double *t)
{
    static const struct {
        const char *unit;
        double times, over;
    } known[] = {{"s", 1, 1},    {"sec", 1, 1},  {"ms", 1, 1e3}, {"us", 1, 1e6},
                 {"min", 60, 1}, {"h", 3600, 1}, {"d", 86400, 1}};
    const char *unit = NULL;
    size_t n_unit;

    (void)tt_table_split_unit(header, n, &unit, &n_unit);
    if (!n_unit)
        return 0;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strlen(known[i].unit) == n_unit &&
            memcmp(known[i].unit, unit, n_unit) == 0) {
            *t = *t * known[i].times / known[i].over;
            return 0;
        }
    return -1;
}

enum tt_format tt_format_of(const char *path)
{
    if (tt_path_ends(path, ".mat"))
        return TT_FORMAT_MAT;
    if (tt_path_ends(path, ".h5") || tt_path_ends(path, ".hdf5"))
        return TT_FORMAT_H5;
    return TT_FORMAT_CSV;
}

typedef enum tt_code (*parse_fn)(tt_table **out, const char *file,
                                 const char *data, size_t n, tt_err *err);

/* Times in minutes become seconds; a unit that is none of time stays in the
 * name, for users of the table to refuse. */
static enum tt_code count_in_seconds(tt_table *t, tt_err *err)
{
    struct column *c = &t->column[0];
    const char *unit = NULL;
    size_t n_unit, length = strlen(c->name);
    size_t n = tt_table_split_unit(c->name, length, &unit, &n_unit);

    if (!n_unit || !(n == 4 ? strncasecmp(c->name, "time", 4) == 0
                            : n == 1 && strncasecmp(c->name, "t", 1) == 0))
        return TT_OK;
    for (size_t i = 0; i < t->rows; i++)
        if (tt_table_seconds(c->name, length, &c->value[i]) != 0)
            return TT_OK;
    c->name = tt_arena_strndup(t->arena, c->name, n);
    return c->name ? TT_OK : tt_nomem(err, t->file);
}

enum tt_code tt_table_load(tt_table **out, const char *path, tt_err *err)
{
    enum tt_format format = tt_format_of(path);
    parse_fn parse =
        format == TT_FORMAT_MAT ? tt_table_parse_mat : tt_table_parse;
    struct tt_buf b;
    enum tt_code rc;

    if (format == TT_FORMAT_H5)
        return table_load_h5(out, path, err);
    tt_buf_init(&b, TT_TABLE_MAX_BYTES);
    rc = tt_file_read(&b, path, err);
    if (rc == TT_OK)
        rc = parse(out, path, b.data ? b.data : "", b.len, err);
    if (rc == TT_OK && (rc = count_in_seconds(*out, err)) != TT_OK) {
        tt_table_free(*out);
        *out = NULL;
    }
    tt_buf_fini(&b);
    return rc;
}

/* --- asking ------------------------------------------------------------ */

static const struct column *at(const tt_table *t, uint32_t column)
{
    TT_ASSERT(column < t->n - 1);
    return &t->column[column + 1];
}

const char *tt_table_file(const tt_table *t)
{
    return t->file;
}

size_t tt_table_rows(const tt_table *t)
{
    return t->rows;
}

uint32_t tt_table_columns(const tt_table *t)
{
    return t->n - 1;
}

const double *tt_table_time(const tt_table *t)
{
    return t->column[0].value;
}

const char *tt_table_time_name(const tt_table *t)
{
    return t->column[0].name;
}

const char *tt_table_name(const tt_table *t, uint32_t column)
{
    return at(t, column)->name;
}

uint32_t tt_table_find(const tt_table *t, const char *name)
{
    return tt_names_find(&t->names, name);
}

static const char *candidate(const void *ctx, size_t i)
{
    return tt_table_name(ctx, (uint32_t)i);
}

const char *tt_table_nearest(const tt_table *t, const char *name)
{
    return tt_names_nearest(name, t->n - 1, candidate, t);
}

enum tt_code tt_table_get(const tt_table *t, const char *name, uint32_t *column,
                          tt_err *err)
{
    uint32_t found = tt_table_find(t, name);
    const char *near;

    if (found != TT_NONE) {
        *column = found;
        return TT_OK;
    }
    near = tt_table_nearest(t, name);
    if (near)
        return tt_fail(err, TT_EINPUT,
                       "%s has no column '%s'; did you mean '%s'?", t->file,
                       name, near);
    return tt_fail(err, TT_EINPUT, "%s has no column '%s'", t->file, name);
}

int tt_table_is_text(const tt_table *t, uint32_t column)
{
    return at(t, column)->is_text;
}

int tt_table_is_discrete(const tt_table *t, uint32_t column)
{
    return !at(t, column)->has_point && !at(t, column)->is_text;
}

const double *tt_table_values(const tt_table *t, uint32_t column)
{
    return at(t, column)->value;
}

const char *tt_table_text(const tt_table *t, uint32_t column, size_t row)
{
    const struct column *c = at(t, column);

    TT_ASSERT(c->text && row < t->rows);
    return c->text[row];
}

const char *tt_table_cell(const tt_table *t, uint32_t column, size_t row,
                          char number[TT_NUM_MAX])
{
    if (tt_table_is_text(t, column))
        return tt_table_text(t, column, row);
    tt_num_print(number, tt_table_values(t, column)[row]);
    return number;
}
