/* SPDX-License-Identifier: MIT */
#include "kinds/signal_impl.h"

#include <math.h>
#include <string.h>

#include "base/names.h"
#include "base/num.h"
#include "table/table.h"

/* --- reading ------------------------------------------------------------ */

struct reader {
    struct tt_signal_table *t;
    const char *name; /* for messages */
    const char *p, *end, *line_start;
    size_t line;
    char separator;
    const char *time; /* its header, n_time bytes */
    size_t n_time;
};

struct cell {
    const char *s; /* without quotes and blanks around; not terminated */
    size_t n;
    size_t line, column; /* where it begins, from 1 */
    int last;            /* of its row */
    int quoted;
};

static enum tt_code fail_at(const struct reader *r, const struct cell *c,
                            tt_err *err, const char *fact)
{
    return tt_fail(err, TT_EINPUT, "%s:%zu:%zu: %s", r->name, c->line,
                   c->column, fact);
}

static enum tt_code fail_cell(const struct reader *r, const struct cell *c,
                              tt_err *err, const char *fact)
{
    int shown = c->n < 60 ? (int)c->n : 60;

    return tt_fail(err, TT_EINPUT, "%s:%zu:%zu: '%.*s' %s", r->name, c->line,
                   c->column, shown, c->s, fact);
}

static enum tt_code no_memory(const struct reader *r, tt_err *err)
{
    return tt_fail(err, TT_ENOMEM, "reading %s", r->name);
}

static void next_line(struct reader *r)
{
    if (r->p < r->end && *r->p == '\r')
        r->p++;
    if (r->p < r->end && *r->p == '\n')
        r->p++;
    r->line++;
    r->line_start = r->p;
}

static int at_line_end(const struct reader *r)
{
    return r->p == r->end || *r->p == '\n' || *r->p == '\r';
}

static void skip_blanks(struct reader *r)
{
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\t') &&
           *r->p != r->separator)
        r->p++;
}

/* Skips empty lines; returns whether there is a row. */
static int find_row(struct reader *r)
{
    for (;;) {
        skip_blanks(r);
        if (!at_line_end(r))
            return 1;
        if (r->p == r->end)
            return 0;
        next_line(r);
    }
}

/* Reads one cell and the separator or line end behind it. */
static enum tt_code read_cell(struct reader *r, struct cell *c, tt_err *err)
{
    const char *stop;

    skip_blanks(r);
    *c = (struct cell){.s = r->p,
                       .line = r->line,
                       .column = (size_t)(r->p - r->line_start) + 1};
    if (r->p < r->end && *r->p == '"') {
        c->s = ++r->p;
        c->quoted = 1;
        while (r->p < r->end && *r->p != '"' && *r->p != '\n')
            r->p++;
        if (r->p == r->end || *r->p != '"')
            return fail_at(r, c, err, "the closing quote is missing");
        c->n = (size_t)(r->p++ - c->s);
        skip_blanks(r);
        if (!at_line_end(r) && *r->p != r->separator)
            return fail_at(r, c, err, "text follows the closing quote");
    } else {
        while (!at_line_end(r) && *r->p != r->separator)
            r->p++;
        stop = r->p;
        while (stop > c->s && (stop[-1] == ' ' || stop[-1] == '\t'))
            stop--;
        c->n = (size_t)(stop - c->s);
    }
    c->last = at_line_end(r);
    if (c->last)
        next_line(r);
    else
        r->p++;
    return TT_OK;
}

static char find_separator(const struct reader *r)
{
    const char *nl = memchr(r->p, '\n', (size_t)(r->end - r->p));
    size_t n = (size_t)((nl ? nl : r->end) - r->p);

    if (tt_table_is_tsv(r->name) && memchr(r->p, '\t', n))
        return '\t';
    if (memchr(r->p, ',', n))
        return ',';
    if (memchr(r->p, ';', n))
        return ';';
    return memchr(r->p, '\t', n) ? '\t' : ',';
}

/* Room for one more in all three. */
static int grow_columns(struct tt_signal_table *t, size_t *cap)
{
    size_t of_header = *cap, of_quantity = *cap;

    return TT_GROW(t->header, t->n_col, of_header) ||
           TT_GROW(t->quantity, t->n_col, of_quantity) ||
           TT_GROW(t->name, t->n_col, *cap);
}

static enum tt_code add_column(struct reader *r, const struct cell *c,
                               struct tt_names *seen, size_t *cap, tt_err *err)
{
    struct tt_signal_table *t = r->t;
    const char *header = tt_arena_strndup(t->arena, c->s, c->n), *unit, *name;
    const struct tt_quantity *quantity = NULL;
    size_t n_unit, n = tt_table_split_unit(c->s, c->n, &unit, &n_unit);
    int known;

    name = tt_arena_strndup(t->arena, c->s, n);
    if (n_unit)
        quantity = tt_signal_quantity(t->arena, unit, n_unit);

    if (!c->n)
        return fail_at(r, c, err, "the column has no name");
    if (t->n_col == TT_SIGNAL_MAX_COLS)
        return fail_at(r, c, err, "there are more than 65536 columns");
    if (!name || !header || (n_unit && !quantity) || grow_columns(t, cap))
        return no_memory(r, err);
    known = tt_names_add(seen, name, t->n_col);
    if (known > 0)
        return fail_cell(r, c, err, "names two columns");
    t->header[t->n_col] = header;
    t->quantity[t->n_col] = quantity;
    t->name[t->n_col++] = name;
    return known < 0 ? no_memory(r, err) : TT_OK;
}

static enum tt_code read_header(struct reader *r, tt_err *err)
{
    struct tt_names seen;
    struct cell c;
    size_t cap = 0;
    double one = 1;
    enum tt_code rc;

    if (!find_row(r))
        return tt_fail(err, TT_EINPUT, "%s: is empty", r->name);
    r->separator = find_separator(r);
    rc = read_cell(r, &c, err); /* the time, whatever it is called */
    if (rc == TT_OK && c.last)
        return fail_at(r, &c, err,
                       "there is no column but the first, which is the time");
    if (rc != TT_OK)
        return rc;
    r->time = c.s;
    r->n_time = c.n;
    if (tt_table_seconds(c.s, c.n, &one) != 0)
        return fail_cell(r, &c, err, "is the time, in s, ms, us, min, h or d");
    tt_names_init(&seen);
    while (rc == TT_OK && !c.last) {
        rc = read_cell(r, &c, err);
        if (rc == TT_OK)
            rc = add_column(r, &c, &seen, &cap, err);
    }
    tt_names_fini(&seen);
    return rc;
}

static int is_word(const struct cell *c, const char *word)
{
    return c->n == strlen(word) && !memcmp(c->s, word, c->n);
}

static enum tt_code read_number(const struct reader *r, const struct cell *c,
                                double *v, int *is_bool, tt_err *err)
{
    *is_bool = is_word(c, "true") || is_word(c, "false");
    if (*is_bool) {
        *v = is_word(c, "true");
        return TT_OK;
    }
    if (!c->n)
        return fail_at(r, c, err, "the cell is empty");
    if (tt_num_parse_n(c->s, c->n, v))
        return fail_cell(r, c, err, "is not a number");
    return TT_OK;
}

static int is_text(const struct cell *c)
{
    double v;

    return c->quoted && !is_word(c, "true") && !is_word(c, "false") &&
           tt_num_parse_n(c->s, c->n, &v);
}

static enum tt_code read_text(const struct reader *r, const struct cell *c,
                              double *v, tt_err *err)
{
    struct tt_signal_table *t = r->t;
    const char *s = tt_arena_strndup(t->arena, c->s, c->n);
    uint32_t at;

    if (c->n >= TT_TEXT_MAX)
        return fail_cell(r, c, err, "is longer than 1019 bytes");
    at = s ? tt_names_find(&t->texts, s) : TT_NONE;
    if (at == TT_NONE) {
        at = (uint32_t)t->n_text;
        if (!s || TT_GROW(t->text, t->n_text, t->cap_text) ||
            tt_names_add(&t->texts, s, at) < 0)
            return no_memory(r, err);
        t->text[t->n_text++] = s;
    }
    *v = at;
    return TT_OK;
}

/* The cell of column i of the row that is read. */
static enum tt_code take_cell(const struct reader *r, const struct cell *c,
                              uint32_t i, tt_err *err)
{
    struct tt_signal_table *t = r->t;
    double *v = &t->value[t->n_row * t->n_col + i];
    int is_bool;
    enum tt_code rc;

    if (!t->n_row && is_text(c))
        t->held[i] = TT_SIGNAL_TEXT;
    if (t->held[i] == TT_SIGNAL_TEXT)
        return read_text(r, c, v, err);
    rc = read_number(r, c, v, &is_bool, err);
    if (rc == TT_OK && !is_bool)
        t->held[i] = TT_SIGNAL_LINES;
    return rc;
}

static enum tt_code read_time(struct reader *r, struct cell *c, tt_err *err)
{
    struct tt_signal_table *t = r->t;
    double *time = &t->time[t->n_row];
    int is_bool;
    enum tt_code rc = read_cell(r, c, err);

    if (rc == TT_OK)
        rc = read_number(r, c, time, &is_bool, err);
    if (rc != TT_OK)
        return rc;
    if (is_bool || !isfinite(*time))
        return fail_cell(r, c, err, "is not a time");
    (void)tt_table_seconds(r->time, r->n_time, time); /* its unit is known */
    if (t->n_row && *time < time[-1])
        return fail_cell(r, c, err, "is before the time of the row above");
    if (c->last)
        return fail_at(r, c, err, "the row has no value");
    return TT_OK;
}

static enum tt_code make_room(struct reader *r, tt_err *err)
{
    struct tt_signal_table *t = r->t;
    size_t old = t->cap_row;
    double *value;

    if (TT_GROW(t->time, t->n_row, t->cap_row))
        return no_memory(r, err);
    if (t->cap_row == old)
        return TT_OK;
    value = t->cap_row > SIZE_MAX / t->n_col
                ? NULL
                : tt_resize(t->value, t->cap_row * t->n_col, sizeof(*value));
    if (!value)
        return no_memory(r, err);
    t->value = value;
    return TT_OK;
}

static enum tt_code read_row(struct reader *r, tt_err *err)
{
    struct tt_signal_table *t = r->t;
    struct cell c;
    enum tt_code rc = make_room(r, err);

    if (rc == TT_OK)
        rc = read_time(r, &c, err);
    for (uint32_t i = 0; rc == TT_OK && i < t->n_col; i++) {
        if (i && c.last)
            return tt_fail(err, TT_EINPUT,
                           "%s:%zu: the row has %u values, the header %u",
                           r->name, c.line, (unsigned)i, (unsigned)t->n_col);
        rc = read_cell(r, &c, err);
        if (rc == TT_OK)
            rc = take_cell(r, &c, i, err);
    }
    if (rc == TT_OK && !c.last)
        return tt_fail(err, TT_EINPUT,
                       "%s:%zu: the row has more than the %u values of the "
                       "header",
                       r->name, c.line, (unsigned)t->n_col);
    t->n_row += rc == TT_OK;
    return rc;
}

/* Does some column step at the time of this row? */
static int steps_at(const struct tt_signal_table *t, size_t row)
{
    const double *now = &t->value[row * t->n_col], *before = now - t->n_col;

    for (uint32_t i = 0; i < t->n_col; i++)
        if (now[i] != before[i] &&
            (t->held[i] || t->time[row] == t->time[row - 1]))
            return 1;
    return 0;
}

enum tt_code tt_signal_find_jumps(struct tt_signal_table *t, const char *name,
                                  tt_err *err)
{
    for (size_t row = 1; row < t->n_row; row++) {
        if (!steps_at(t, row))
            continue;
        if (t->n_jump && t->jump[t->n_jump - 1] == t->time[row])
            continue;
        if (TT_GROW(t->jump, t->n_jump, t->cap_jump))
            return tt_fail(err, TT_ENOMEM, "reading %s", name);
        t->jump[t->n_jump++] = t->time[row];
    }
    return TT_OK;
}

enum tt_code tt_signal_parse(struct tt_signal_table *t, const char *name,
                             const char *text, size_t n, tt_err *err)
{
    struct reader r = {.t = t,
                       .name = name,
                       .p = text,
                       .end = text + n,
                       .line_start = text,
                       .line = 1};
    enum tt_code rc;

    *t = (struct tt_signal_table){.arena = tt_arena_new()};
    if (!t->arena)
        return no_memory(&r, err);
    if (n >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) /* a byte order mark */
        r.p = r.line_start = text + 3;
    rc = read_header(&r, err);
    if (rc == TT_OK && !TT_NEW_ARRAY(t->held, t->n_col))
        rc = no_memory(&r, err);
    if (rc == TT_OK)
        memset(t->held, TT_SIGNAL_BOOL, t->n_col);
    while (rc == TT_OK && find_row(&r))
        rc = read_row(&r, err);
    if (rc == TT_OK && !t->n_row)
        rc = tt_fail(err, TT_EINPUT, "%s: has no row of values", name);
    return rc == TT_OK ? tt_signal_find_jumps(t, name, err) : rc;
}

void tt_signal_fini(struct tt_signal_table *t)
{
    tt_arena_free(t->arena);
    tt_names_fini(&t->texts);
    TT_FREE_ALL(t->name, t->header, t->quantity, t->held, t->text, t->time,
                t->value, t->jump);
    *t = (struct tt_signal_table){0};
}

/* --- asking ------------------------------------------------------------- */

/* How many of n increasing numbers are not after x. */
static size_t count_until(const double *v, size_t n, double x)
{
    size_t low = 0;

    while (low < n) {
        size_t mid = low + (n - low) / 2;

        if (v[mid] <= x)
            low = mid + 1;
        else
            n = mid;
    }
    return low;
}

static int is_row(const struct tt_signal_table *t, double at, size_t row)
{
    return t->time[row] <= at && (row + 1 == t->n_row || t->time[row + 1] > at);
}

size_t tt_signal_row(const struct tt_signal_table *t, double at, size_t hint)
{
    size_t n;

    if (hint < t->n_row && is_row(t, at, hint))
        return hint;
    if (hint + 1 < t->n_row && is_row(t, at, hint + 1))
        return hint + 1;
    n = count_until(t->time, t->n_row, at);
    return n ? n - 1 : 0;
}

/* Does the column go on to the next row in a line from here? */
static int is_sloped(const struct tt_signal_table *t, uint32_t col, double at,
                     size_t row)
{
    return !t->held[col] && row + 1 < t->n_row && at >= t->time[row] &&
           t->time[row + 1] > t->time[row];
}

double tt_signal_left(const struct tt_signal_table *t, uint32_t col, double at,
                      size_t row)
{
    while (row > 0 && t->time[row] == at && t->time[row - 1] == at)
        row--;
    return tt_signal_at(t, col, at, row);
}

double tt_signal_slope(const struct tt_signal_table *t, uint32_t col, double at,
                       size_t row)
{
    const double *v = &t->value[row * t->n_col + col];

    if (!is_sloped(t, col, at, row))
        return 0;
    return (v[t->n_col] - v[0]) / (t->time[row + 1] - t->time[row]);
}

double tt_signal_at(const struct tt_signal_table *t, uint32_t col, double at,
                    size_t row)
{
    const double *v = &t->value[row * t->n_col + col];
    double part;

    if (!is_sloped(t, col, at, row))
        return v[0];
    part = (at - t->time[row]) / (t->time[row + 1] - t->time[row]);
    return v[0] + (v[t->n_col] - v[0]) * part;
}

double tt_signal_next_jump(const struct tt_signal_table *t, double at)
{
    size_t i = count_until(t->jump, t->n_jump, at);

    return i < t->n_jump ? t->jump[i] : (double)INFINITY;
}
