/* SPDX-License-Identifier: MIT */
/* Results of other tools (MAT, HDF5) as signals. */
#include <string.h>

#include "base/names.h"
#include "kinds/signal_impl.h"
#include "table/table.h"

struct taking {
    struct tt_signal_table *t;
    const tt_table *from;
    uint32_t *column; /* owned: of each that is taken */
    struct tt_names seen;
};

/* Texts are no signals, and the first of a name is taken. 0, or -1: no
 * memory. */
static int take_column(struct taking *k, uint32_t c)
{
    struct tt_signal_table *t = k->t;
    const char *header = tt_table_name(k->from, c), *unit;
    size_t n_unit;
    size_t n = tt_table_split_unit(header, strlen(header), &unit, &n_unit);
    int known;

    if (tt_table_is_text(k->from, c))
        return 0;
    t->header[t->n_col] = tt_arena_strdup(t->arena, header);
    t->name[t->n_col] = tt_arena_strndup(t->arena, header, n);
    if (!t->header[t->n_col] || !t->name[t->n_col])
        return -1;
    t->quantity[t->n_col] =
        n_unit ? tt_signal_quantity(t->arena, unit, n_unit) : NULL;
    known = tt_names_add(&k->seen, t->name[t->n_col], c);
    if (known == 0)
        k->column[t->n_col++] = c;
    return known < 0 ? -1 : 0;
}

static int take_columns(struct taking *k)
{
    struct tt_signal_table *t = k->t;
    uint32_t n = tt_table_columns(k->from) + 1;
    int failed = !TT_NEW_ARRAY(t->header, n) || !TT_NEW_ARRAY(t->name, n) ||
                 !TT_NEW_ARRAY(t->quantity, n) || !TT_NEW_ARRAY(t->held, n) ||
                 !TT_NEW_ARRAY(k->column, n);

    for (uint32_t c = 0; !failed && c + 1 < n; c++)
        failed = take_column(k, c) != 0;
    return failed ? -1 : 0;
}

static int take_rows(struct taking *k)
{
    struct tt_signal_table *t = k->t;

    t->n_row = t->cap_row = tt_table_rows(k->from);
    t->time = tt_resize(NULL, t->n_row, sizeof(*t->time));
    t->value = t->n_row > SIZE_MAX / t->n_col
                   ? NULL
                   : tt_resize(NULL, t->n_row * t->n_col, sizeof(*t->value));
    if (!t->time || !t->value)
        return -1;
    memcpy(t->time, tt_table_time(k->from), t->n_row * sizeof(*t->time));
    for (uint32_t i = 0; i < t->n_col; i++) {
        const double *v = tt_table_values(k->from, k->column[i]);

        for (size_t row = 0; row < t->n_row; row++)
            t->value[row * t->n_col + i] = v[row];
    }
    return 0;
}

enum tt_code tt_signal_load(struct tt_signal_table *t, const char *path,
                            tt_err *err)
{
    struct taking k = {.t = t};
    tt_table *from = NULL;
    enum tt_code rc = tt_table_load(&from, path, err);

    *t = (struct tt_signal_table){.arena = tt_arena_new()};
    tt_names_init(&k.seen);
    k.from = from;
    if (rc == TT_OK && (!t->arena || take_columns(&k) != 0))
        rc = tt_fail(err, TT_ENOMEM, "reading %s", path);
    if (rc == TT_OK && (!t->n_col || !tt_table_rows(from)))
        rc = tt_fail(err, TT_EINPUT, "%s: has no %s", path,
                     t->n_col ? "row of values" : "column of numbers");
    if (rc == TT_OK && t->n_col > TT_SIGNAL_MAX_COLS)
        rc = tt_fail(err, TT_EINPUT, "%s: there are more than %u columns", path,
                     TT_SIGNAL_MAX_COLS);
    if (rc == TT_OK && take_rows(&k) != 0)
        rc = tt_fail(err, TT_ENOMEM, "reading %s", path);
    if (rc == TT_OK)
        rc = tt_signal_find_jumps(t, path, err);
    tt_names_fini(&k.seen);
    tt_free(k.column);
    tt_table_free(from);
    return rc;
}
