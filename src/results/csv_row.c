/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num.h"
#include "results/csv_impl.h"

size_t tt_csv_cell_max(enum tt_type type)
{
    if (type == TT_TEXT || type == TT_BYTES)
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

static char *put_bytes(char *p, const struct tt_text *bytes)
{
    return p + tt_bytes_sum_of(p, bytes);
}

static char *put_bool(char *p, int v)
{
    memcpy(p, v ? "true" : "false", 5); /* the NUL of "true" is overwritten */
    return p + (v ? 4 : 5);
}

/* Load one element of a record. */
#define LOADER(ctype, name)                                                    \
    static inline ctype name(const void *v)                                    \
    {                                                                          \
        ctype x;                                                               \
                                                                               \
        memcpy(&x, v, sizeof(x));                                              \
        return x;                                                              \
    }
LOADER(double, load_f64)
LOADER(float, load_f32)
LOADER(int8_t, load_i8)
LOADER(uint8_t, load_u8)
LOADER(int16_t, load_i16)
LOADER(uint16_t, load_u16)
LOADER(int32_t, load_i32)
LOADER(uint32_t, load_u32)
LOADER(int64_t, load_i64)
LOADER(uint64_t, load_u64)

static char *put_cell(char *p, const void *v, enum tt_type type,
                      enum tt_csv_dialect dialect)
{
    switch (type) {
    case TT_F64:
        return p + tt_num_print(p, load_f64(v));
    case TT_F32:
        return p + tt_num_print(p, (double)load_f32(v));
    case TT_I8:
        return p + tt_num_print_i64(p, load_i8(v));
    case TT_U8:
        return p + tt_num_print_i64(p, load_u8(v));
    case TT_I16:
        return p + tt_num_print_i64(p, load_i16(v));
    case TT_U16:
        return p + tt_num_print_i64(p, load_u16(v));
    case TT_I32:
    case TT_ENUM32:
        return p + tt_num_print_i64(p, load_i32(v));
    case TT_U32:
        return p + tt_num_print_i64(p, load_u32(v));
    case TT_I64:
    case TT_ENUM64:
        return p + tt_num_print_i64(p, load_i64(v));
    case TT_U64:
        return p + tt_num_print_u64(p, load_u64(v));
    case TT_BOOL:
    case TT_CLOCK:
        return put_bool(p, load_u8(v) != 0);
    case TT_BOOL32:
        return put_bool(p, load_i32(v) != 0);
    case TT_TEXT:
        return put_string(p, v, dialect == TT_CSV_MAESTRO1);
    case TT_BYTES:
        return put_bytes(p, v);
    case TT_TYPE_N:
        break;
    }
    return p;
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
