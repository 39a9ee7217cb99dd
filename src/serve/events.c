/* SPDX-License-Identifier: MIT */
/* The events of a run, from its list: pages of it, and those that are new. */
#include "serve/events_impl.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/show.h"
#include "serve/serve.h"

#define COLUMN_MAX ((size_t)64 << 20) /* bytes of a column of a page */
#define WORDS_MAX  4096u              /* bytes of an event that is searched */

static const char *const column_name[TT_EVENT_COLUMNS] = {
    "time", "microstep", "instance", "port", "value"};
enum { TIME, MICROSTEP, INSTANCE, PORT, VALUE };

/* --- pages ---------------------------------------------------------------- */

void tt_event_page_init(struct tt_event_page *p)
{
    for (int i = 0; i < TT_EVENT_COLUMNS; i++)
        tt_buf_init(&p->column[i], COLUMN_MAX);
    p->n = 0;
}

void tt_event_page_fini(struct tt_event_page *p)
{
    for (int i = 0; i < TT_EVENT_COLUMNS; i++)
        tt_buf_fini(&p->column[i]);
}

void tt_event_page_add(struct tt_event_page *p, const struct tt_row *row)
{
    struct tt_buf text;

    for (int i = 0; i < TT_EVENT_COLUMNS; i++)
        tt_buf_str(&p->column[i], p->n ? "," : "");
    p->n++;
    tt_show_json_num(&p->column[TIME], row->time);
    tt_show_json_num(&p->column[MICROSTEP], row->cell[MICROSTEP - 1].v);
    for (int i = INSTANCE; i < TT_EVENT_COLUMNS; i++) {
        tt_buf_init(&text, TT_ROWS_MAX_ROW);
        tt_rows_cell_text(&text, &row->cell[i - 1]);
        tt_buf_json(&p->column[i], text.data ? text.data : "");
        p->column[i].failed |= text.failed;
        tt_buf_fini(&text);
    }
}

void tt_event_page_put(struct tt_buf *b, const struct tt_event_page *p)
{
    for (int i = 0; i < TT_EVENT_COLUMNS; i++) {
        tt_buf_fmt(b, "\"%s\":[", column_name[i]);
        tt_buf_add(b, p->column[i].data, p->column[i].len);
        tt_buf_str(b, "],");
        b->failed |= p->column[i].failed;
    }
}

enum tt_code tt_events_choose(tt_rows *rows, tt_err *err)
{
    uint32_t column[TT_EVENT_COLUMNS - 1];
    enum tt_code rc = TT_OK;

    for (int i = MICROSTEP; rc == TT_OK && i < TT_EVENT_COLUMNS; i++)
        rc = tt_table_get(tt_rows_table(rows), column_name[i], &column[i - 1],
                          err);
    return rc == TT_OK ? tt_rows_choose(rows, column, TT_EVENT_COLUMNS - 1, err)
                       : rc;
}

/* --- a search --------------------------------------------------------------
 */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Is the word, n bytes, in the text, whatever its case? */
static int contains(const char *text, const char *word, size_t n)
{
    for (; *text; text++) {
        size_t k = 0;

        while (k < n && text[k] && lower(text[k]) == lower(word[k]))
            k++;
        if (k == n)
            return 1;
    }
    return n == 0;
}

/* Every word of the search is in "{k}.i.port value". */
static int matches(const struct tt_row *row, const char *search)
{
    struct tt_buf text;
    int all = 1;

    tt_buf_init(&text, WORDS_MAX);
    tt_rows_cell_text(&text, &row->cell[INSTANCE - 1]);
    tt_buf_char(&text, '.');
    tt_rows_cell_text(&text, &row->cell[PORT - 1]);
    tt_buf_char(&text, ' ');
    tt_rows_cell_text(&text, &row->cell[VALUE - 1]);
    while (all && *(search += strspn(search, " "))) {
        size_t n = strcspn(search, " ");

        all = text.data && contains(text.data, search, n);
        search += n;
    }
    tt_buf_fini(&text);
    return all;
}

static enum tt_code read_page(struct tt_event_page *p, tt_rows *rows,
                              const struct tt_serve_event_query *q,
                              uint64_t *total, uint64_t *matching, tt_err *err)
{
    enum tt_code rc = tt_events_choose(rows, err);
    struct tt_row row;
    int more = 1;

    while (rc == TT_OK && more) {
        rc = tt_rows_next(rows, &row, &more, err);
        if (rc != TT_OK || !more)
            break;
        ++*total;
        if (row.time < q->from || row.time > q->to ||
            !matches(&row, q->search ? q->search : ""))
            continue;
        if (++*matching <= q->points)
            tt_event_page_add(p, &row);
    }
    return rc;
}

enum tt_code tt_serve_events(const char *list,
                             const struct tt_serve_event_query *q,
                             struct tt_buf *out, tt_err *err)
{
    uint64_t total = 0, matching = 0;
    struct tt_event_page p;
    tt_rows *rows = NULL;
    enum tt_code rc = tt_rows_open(&rows, list, err);

    tt_event_page_init(&p);
    if (rc == TT_OK)
        rc = read_page(&p, rows, q, &total, &matching, err);
    if (rc == TT_OK) {
        tt_buf_char(out, '{');
        tt_event_page_put(out, &p);
        tt_buf_fmt(out, "\"matching\":%llu,\"total\":%llu}",
                   (unsigned long long)matching, (unsigned long long)total);
        rc = tt_buf_check(out, "events", err);
    }
    tt_event_page_fini(&p);
    tt_rows_close(rows);
    return rc;
}
