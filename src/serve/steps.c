/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/show.h"
#include "serve/serve.h"
#include "table/rows.h"

/* Attempts at steps, from the trace of a run. When there are too many, of each
 * few neighbours the shortest, the longest and the rejected at both ends stay:
 * what a picture of them shows. */

#define GROUP 8u /* attempts, of which 4 stay */

struct attempt {
    double time, h;
    int accepted;
    char *reason; /* or NULL */
};

struct attempts {
    struct attempt *at;
    size_t n, cap;
    uint64_t total;
};

enum { H, OUTCOME, LIMITED_BY, OBJECTOR, REASON, COLUMNS };
static const char *const column_name[COLUMNS] = {"h", "outcome", "limited by",
                                                 "objector", "reason"};

static int cell_is(const struct tt_rows_cell *c, const char *text)
{
    return c->n == strlen(text) && memcmp(c->s, text, c->n) == 0;
}

/* What limited it; of a rejected one the member that objected, and why. */
static char *reason_of(const struct tt_rows_cell *cell, int accepted)
{
    const struct tt_rows_cell *a = &cell[accepted ? LIMITED_BY : OBJECTOR];
    const struct tt_rows_cell *b = &cell[REASON];
    struct tt_buf text;

    if (!a->n && (accepted || !b->n))
        return NULL;
    tt_buf_init(&text, TT_ROWS_MAX_ROW);
    tt_buf_add(&text, a->s, a->n);
    if (!accepted && b->n) {
        tt_buf_str(&text, a->n ? ": " : "");
        tt_buf_add(&text, b->s, b->n);
    }
    return tt_buf_take(&text);
}

/* Mark those of a group that stay. */
static void choose(const struct attempt *a, size_t n, char stays[GROUP])
{
    size_t least = 0, most = 0, first = n, last = n;

    for (size_t i = 0; i < n; i++) {
        least = a[i].h < a[least].h ? i : least;
        most = a[i].h > a[most].h ? i : most;
        if (!a[i].accepted) {
            first = first == n ? i : first;
            last = i;
        }
    }
    memset(stays, 0, GROUP);
    stays[least] = stays[most] = 1;
    if (first < n)
        stays[first] = stays[last] = 1;
}

/* About half of them; the first and the last stay. */
static void thin_out(struct attempts *l)
{
    size_t kept = 1;
    char stays[GROUP];

    for (size_t i = 1; i + 1 < l->n; i += GROUP) {
        size_t left = l->n - 1 - i, n = left < GROUP ? left : GROUP;

        choose(l->at + i, n, stays);
        for (size_t k = 0; k < n; k++) {
            if (stays[k])
                l->at[kept++] = l->at[i + k];
            else
                tt_free(l->at[i + k].reason);
        }
    }
    l->at[kept++] = l->at[l->n - 1];
    l->n = kept;
}

static void attempts_fini(struct attempts *l)
{
    for (size_t i = 0; i < l->n; i++)
        tt_free(l->at[i].reason);
    tt_free(l->at);
}

static enum tt_code add(struct attempts *l, const struct tt_row *row,
                        uint64_t points, tt_err *err)
{
    int accepted = cell_is(&row->cell[OUTCOME], "accepted");

    if (l->n >= 4 * (size_t)points)
        thin_out(l);
    if (TT_GROW(l->at, l->n, l->cap) != 0)
        return tt_nomem(err, "attempts");
    l->at[l->n++] = (struct attempt){.time = row->time,
                                     .h = row->cell[H].v,
                                     .accepted = accepted,
                                     .reason = reason_of(row->cell, accepted)};
    l->total++;
    return TT_OK;
}

static enum tt_code read_all(struct attempts *l, tt_rows *rows, uint64_t points,
                             tt_err *err)
{
    enum tt_code rc = TT_OK;
    uint32_t column[COLUMNS];
    struct tt_row row;
    int more = 1;

    for (int i = 0; rc == TT_OK && i < COLUMNS; i++)
        rc = tt_table_get(tt_rows_table(rows), column_name[i], &column[i], err);
    if (rc == TT_OK)
        rc = tt_rows_choose(rows, column, COLUMNS, err);
    while (rc == TT_OK && more) {
        rc = tt_rows_next(rows, &row, &more, err);
        if (rc == TT_OK && more)
            rc = add(l, &row, points, err);
    }
    while (rc == TT_OK && l->n > points && l->n > GROUP)
        thin_out(l);
    return rc;
}

static void put_json(struct tt_buf *b, const struct attempts *l)
{
    tt_buf_str(b, "{\"time\":[");
    for (size_t i = 0; i < l->n; i++) {
        tt_buf_str(b, i ? "," : "");
        tt_show_json_num(b, l->at[i].time);
    }
    tt_buf_str(b, "],\"h\":[");
    for (size_t i = 0; i < l->n; i++) {
        tt_buf_str(b, i ? "," : "");
        tt_show_json_num(b, l->at[i].h);
    }
    tt_buf_str(b, "],\"accepted\":[");
    for (size_t i = 0; i < l->n; i++)
        tt_buf_fmt(b, "%s%s", i ? "," : "",
                   l->at[i].accepted ? "true" : "false");
    tt_buf_str(b, "],\"reason\":[");
    for (size_t i = 0; i < l->n; i++) {
        tt_buf_str(b, i ? "," : "");
        if (l->at[i].reason)
            tt_buf_json(b, l->at[i].reason);
        else
            tt_buf_str(b, "null");
    }
    tt_buf_fmt(b, "],\"attempts\":%llu,\"decimated\":%s}",
               (unsigned long long)l->total,
               l->n < l->total ? "true" : "false");
}

enum tt_code tt_serve_steps(const char *trace, uint64_t points,
                            struct tt_buf *out, tt_err *err)
{
    struct attempts l = {0};
    tt_rows *rows = NULL;
    enum tt_code rc = tt_rows_open(&rows, trace, err);

    if (rc == TT_OK)
        rc = read_all(&l, rows, points, err);
    if (rc == TT_OK) {
        put_json(out, &l);
        rc = tt_buf_check(out, "attempts", err);
    }
    attempts_fini(&l);
    tt_rows_close(rows);
    return rc;
}
