/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num.h"
#include "results/csv_impl.h"

size_t tt_csv_cell_max(enum tt_type type)
{
    if (tt_type_is_text(type))
        return 2 * TT_TEXT_MAX + 4;
    return TT_NUM_MAX + 1;
}

/* Must be quoted to read back as it is: separators, quotes and line ends, and
 * blanks at the ends, which readers drop. */
static int needs_quotes(const char *s, size_t n)
{
    if (n == 0)
        return 0;
    if (s[0] == ' ' || s[0] == '\t' || s[n - 1] == ' ' || s[n - 1] == '\t')
        return 1;
    for (size_t i = 0; i < n; i++)
        if (s[i] == ',' || s[i] == '"' || s[i] == '\n' || s[i] == '\r')
            return 1;
    return 0;
}

char *tt_csv_put_text(char *p, const char *s, size_t n, int always)
{
    if (!always && !needs_quotes(s, n)) {
        memcpy(p, s, n);
        return p + n;
    }
    *p++ = '"';
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '"')
            *p++ = '"';
        *p++ = s[i];
    }
    *p++ = '"';
    return p;
}

static char *put_string(char *p, const struct tt_text *text, int always)
{
    char sum[TT_BYTES_SUM_MAX];
    size_t n;
    const char *s = tt_cell_text(text, sum, &n);

    return tt_csv_put_text(p, s, n, always);
}

static char *put_cell(char *p, const void *v, enum tt_type type,
                      enum tt_csv_dialect dialect)
{
    double x;

    if (type == TT_F64) {
        memcpy(&x, v, sizeof(x));
        return p + tt_num_print(p, x);
    }
    if (type == TT_TEXT)
        return put_string(p, v, dialect == TT_CSV_MAESTRO1);
    if (type == TT_BYTES)
        return p + tt_bytes_sum_of(p, v);
    return p + tt_value_print(p, type, v);
}

size_t tt_csv_whole_rows(const char *data, size_t n, uint64_t *rows)
{
    size_t whole = 0;
    int quoted = 0;

    *rows = 0;
    for (size_t i = 0; i < n; i++) {
        quoted ^= data[i] == '"';
        if (data[i] == '\n' && !quoted) {
            whole = i + 1;
            (*rows)++;
        }
    }
    return whole;
}

char *tt_csv_put_row(char *p, enum tt_csv_dialect dialect, const char *record,
                     const struct csv_cell *cell, size_t n)
{
    p += tt_num_print(p, tt_record_time(record));
    if (dialect == TT_CSV_MAESTRO1) {
        *p++ = ',';
        p += tt_num_print(p, tt_record_step(record));
    }
    for (size_t i = 0; i < n; i++) {
        *p++ = ',';
        if (!tt_record_lacks(record, cell[i].present))
            p = put_cell(p, record + cell[i].at, cell[i].type, dialect);
    }
    *p++ = '\n';
    return p;
}
