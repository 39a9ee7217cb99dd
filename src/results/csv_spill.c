/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "results/csv_impl.h"
#include "sys/file.h"

#define MAGIC UINT64_C(0x54757474694353b1)

/* The data before a counter must be in memory before the counter is: the
 * reader is another process, but it reads after this one ended, so that only
 * the compiler's order matters and a signal fence is enough. */
void tt_csv_publish(volatile uint64_t *counter, uint64_t value)
{
    atomic_signal_fence(memory_order_seq_cst);
    *counter = value;
    atomic_signal_fence(memory_order_seq_cst);
}

void tt_csv_set_held(struct tt_csv_spill *s, uint32_t held)
{
    atomic_signal_fence(memory_order_seq_cst);
    s->held = held;
    atomic_signal_fence(memory_order_seq_cst);
}

struct tt_csv_spill *tt_csv_spill_init(void *memory, size_t size)
{
    struct tt_csv_spill *s = memory;

    if (!memory || size < sizeof(*s) + 64)
        return NULL;
    memset(s, 0, sizeof(*s));
    s->magic = MAGIC;
    s->cap = size - sizeof(*s);
    return s;
}

static const char *shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard output" : path;
}

enum tt_code tt_csv_cannot_write(const char *path, tt_err *err)
{
    int e = errno;

    tt_fail(err, TT_EIO, "cannot write %s: %s", shown(path), strerror(e));
    errno = e;
    return TT_EIO;
}

/* All of data, or an error; *sent counts what the file took. */
enum tt_code tt_csv_put(FILE *f, const char *path, const char *data, size_t n,
                        size_t *sent, tt_err *err)
{
    while (*sent < n) {
        errno = 0;
        *sent += fwrite(data + *sent, 1, n - *sent, f);
        if (*sent < n && errno != EINTR)
            return tt_csv_cannot_write(path, err);
        clearerr(f);
    }
    if (f == stdout && fflush(f) != 0)
        return tt_csv_cannot_write(path, err);
    return TT_OK;
}

/* Every offset is checked: the process that filled the spill may have died
 * from writing where it should not. */
static int held_is_sound(const struct tt_csv_spill *s, const char *base)
{
    size_t used = (size_t)(s->filled - s->written), row_max = CSV_FRONT_MAX;
    struct csv_held h;

    if (s->held_at > s->cap ||
        s->n > (s->cap - s->held_at) / sizeof(struct csv_held))
        return 0;
    for (uint32_t i = 0; i < s->n; i++) {
        memcpy(&h, base + i * sizeof(h), sizeof(h));
        if (h.type >= TT_TYPE_N || h.at > s->cap ||
            s->cap - h.at < tt_type_size((enum tt_type)h.type))
            return 0;
        row_max += tt_csv_cell_max((enum tt_type)h.type);
    }
    return used <= s->held_at && s->held_at - used >= row_max;
}

enum tt_code tt_csv_release_held(struct tt_csv_spill *s, tt_err *err)
{
    size_t used = (size_t)(s->filled - s->written);
    char *base = s->data + s->held_at, *end;
    struct csv_cell *cell;
    struct csv_held h;

    if (!s->held)
        return TT_OK;
    if (!held_is_sound(s, base))
        return tt_fail(err, TT_ECRASH,
                       "the last row of %s was overwritten in memory",
                       shown(s->path));
    TT_NEW_ARRAY(cell, s->n);
    if (!cell)
        return tt_fail(err, TT_ENOMEM, "results of %u columns", s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        memcpy(&h, base + i * sizeof(h), sizeof(h));
        cell[i] = (struct csv_cell){s->data + h.at, (enum tt_type)h.type};
    }
    end = tt_csv_put_row(s->data + used, (enum tt_csv_dialect)s->dialect,
                         s->held_t, s->held_h, cell, s->n);
    tt_free(cell);
    tt_csv_publish(&s->filled, s->written + (uint64_t)(end - s->data));
    s->rows = s->rows + 1;
    s->held = 0;
    return TT_OK;
}

/* --- after a death ----------------------------------------------------- */

static int is_sound(const struct tt_csv_spill *s, size_t size)
{
    return s->magic == MAGIC && s->cap == size - sizeof(*s) &&
           s->filled >= s->written && s->filled - s->written <= s->cap &&
           memchr(s->path, '\0', sizeof(s->path)) && s->written <= INT64_MAX;
}

/* The dead process may have got part of the waiting bytes into the file
 * before it could count them, so they are put where they belong rather than
 * at the end. It never wrote more than the complete rows, so nothing is left
 * over behind them. A pipe cannot be positioned; there they are appended. */
static enum tt_code append(struct tt_csv_spill *s, tt_err *err)
{
    int is_stdout = strcmp(s->path, "-") == 0;
    FILE *f = is_stdout ? stdout : fopen(s->path, "r+b");
    size_t sent = 0;
    uint64_t rows;
    enum tt_code rc;

    if (!f)
        return tt_csv_cannot_write(s->path, err);
    if (!is_stdout) {
        setvbuf(f, NULL, _IONBF, 0);
        (void)!fseek(f, (long)s->written, SEEK_SET);
    }
    rc = tt_csv_put(f, s->path, s->data, (size_t)(s->filled - s->written),
                    &sent, err);
    if (rc != TT_OK && !is_stdout) /* no half row */
        tt_file_cut(f, s->written + tt_csv_whole_rows(s->data, sent, &rows));
    if (!is_stdout && fclose(f) != 0 && rc == TT_OK)
        rc = tt_csv_cannot_write(s->path, err);
    if (rc == TT_OK)
        tt_csv_publish(&s->written, s->filled);
    return rc;
}

enum tt_code tt_csv_rescue(struct tt_csv_spill *spill, size_t size,
                           uint64_t *rows, tt_err *err)
{
    enum tt_code rc;

    if (!is_sound(spill, size))
        return tt_fail(err, TT_ECRASH,
                       "the rows waiting for the result file were overwritten "
                       "in memory");
    if (rows)
        *rows = spill->rows;
    if (!spill->path[0])
        return TT_OK;
    rc = tt_csv_release_held(spill, err);
    if (rc == TT_OK && spill->filled > spill->written)
        rc = append(spill, err);
    if (rows)
        *rows = spill->rows;
    return rc;
}
