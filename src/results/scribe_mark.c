/* SPDX-License-Identifier: MIT */
/* Rows to come back to: positions in the files, noted and found again. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "results/scribe_impl.h"
#include "sys/file.h"
#include "table/table.h"

#define POSITIONS_MAGIC UINT64_C(0x31736f5069747554) /* "TutiPos1" */
#define POSITIONS_MAX   ((size_t)4 << 30)

/* What every position begins with. */
struct front {
    uint64_t format; /* enum tt_format */
    uint64_t columns, rows;
};

static const char *format_name(uint64_t format)
{
    return format == TT_FORMAT_MAT  ? "MAT"
           : format == TT_FORMAT_H5 ? "HDF5"
                                    : "CSV";
}

/* --- marks --------------------------------------------------------------- */

static enum tt_code keep_one(tt_scribe *s, struct file *f, struct tt_buf *b,
                             tt_err *err)
{
    struct front front = {.format = (uint64_t)tt_format_of(f->path),
                          .columns = tt_layout_hash(s->layout),
                          .rows = f->w ? f->w->rows : 0};
    size_t at = b->len;
    uint64_t n;
    enum tt_code rc;

    if (!f->w)
        return tt_fail(err, s->code, "%s", s->why.msg);
    tt_position_u64(b, 0);
    tt_buf_add(b, &front, sizeof(front));
    rc = f->w->ops->keep(f->w, b, err);
    scribe_report(s, rc, err);
    if (rc != TT_OK)
        scribe_close(s, f);
    if (rc != TT_OK || b->failed)
        return rc;
    n = b->len - at - sizeof(n);
    memcpy(b->data + at, &n, sizeof(n));
    return TT_OK;
}

static void note_mark(tt_scribe *s)
{
    struct note *note = &s->note[++s->noted % TT_TAPE_MARKS];
    enum tt_code rc = TT_OK;
    struct tt_buf b;
    tt_err why;

    tt_buf_init(&b, POSITIONS_MAX);
    tt_position_u64(&b, POSITIONS_MAGIC);
    tt_position_u64(&b, s->n);
    for (uint32_t i = 0; i < s->n && rc == TT_OK; i++)
        rc = keep_one(s, &s->file[i], &b, &why);
    if (rc == TT_OK)
        rc = tt_buf_check(&b, "positions of result files", &why);
    tt_lock_take(&s->lock);
    tt_buf_fini(&note->positions);
    *note = (struct note){.mark = s->noted, .positions = b, .code = rc};
    if (rc != TT_OK)
        note->why = why;
    tt_lock_give(&s->lock);
    tt_bell_ring(&s->bell);
    tt_sign_set(&s->tape->noted, s->noted);
    tt_bell_ring(&s->tape->ring.filler);
}

uint64_t scribe_rows_to_mark(tt_scribe *s)
{
    uint64_t marked = tt_sign_get(&s->tape->marked);

    if (marked - s->noted > TT_TAPE_MARKS)
        return 0;
    while (s->noted < marked) {
        uint64_t row = s->tape->mark_row[(s->noted + 1) % TT_TAPE_MARKS];

        if (row != s->at.at)
            return row > s->at.at ? row - s->at.at : 0;
        note_mark(s);
    }
    return UINT64_MAX;
}

void scribe_end_notes(tt_scribe *s)
{
    tt_sign_set(&s->ended, 1);
    tt_bell_ring(&s->bell);
}

/* 1: found, *rc states what it is. */
static int find_note(tt_scribe *s, uint64_t mark, struct tt_buf *out,
                     enum tt_code *rc, tt_err *err)
{
    struct note *n = &s->note[mark % TT_TAPE_MARKS];
    int found;

    tt_lock_take(&s->lock);
    found = n->mark == mark;
    if (found && n->code != TT_OK)
        *rc = tt_fail(err, n->code, "%s", n->why.msg);
    else if (found)
        tt_buf_add(out, n->positions.data, n->positions.len);
    tt_lock_give(&s->lock);
    return found;
}

enum tt_code tt_scribe_position(tt_scribe *s, uint64_t mark, struct tt_buf *out,
                                tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (;;) {
        uint32_t count = tt_bell_count(&s->bell);
        int ended = (int)tt_sign_get(&s->ended);

        if (find_note(s, mark, out, &rc, err))
            return rc == TT_OK ? tt_buf_check(out, "positions", err) : rc;
        if (ended || mark + TT_TAPE_MARKS <= tt_sign_get(&s->tape->noted))
            return tt_fail(err, TT_EINPUT,
                           "the position of the result files at mark %" PRIu64
                           " is not known",
                           mark);
        tt_bell_wait(&s->bell, count, LOOK_MS);
    }
}

/* --- continuing ---------------------------------------------------------- */

enum tt_code tt_files_can_continue(const struct tt_files *files, tt_err *err)
{
    for (uint32_t i = 0; i < files->n; i++) {
        const char *path = files->path[i];

        if (strcmp(path, "-") == 0)
            return tt_fail(err, TT_EINPUT,
                           "standard output cannot be continued after a "
                           "checkpoint: write the results to a file (-o FILE)");
        if (tt_file_is_special(path))
            return tt_fail(err, TT_EINPUT,
                           "%s cannot be continued after a checkpoint: it is "
                           "no regular file",
                           path);
    }
    return TT_OK;
}

enum tt_code scribe_read_positions(tt_scribe *s, const struct tt_files *files,
                                   tt_err *err)
{
    struct tt_cursor c = {.left = files->n_from};
    uint64_t magic, n;

    s->from = tt_alloc(files->n_from + 1);
    if (!s->from)
        return tt_nomem(err, "recording results");
    c.at = memcpy(s->from, files->from, files->n_from);
    magic = tt_cursor_u64(&c);
    n = tt_cursor_u64(&c);
    if (c.bad || magic != POSITIONS_MAGIC)
        return tt_fail(err, TT_EINPUT,
                       "the positions of result files in the checkpoint are "
                       "damaged");
    if (n != files->n)
        return tt_fail(err, TT_EINPUT,
                       "the checkpoint has positions of %" PRIu64
                       " result files, this run has %u",
                       n, files->n);
    for (uint32_t i = 0; i < s->n; i++) {
        struct tt_cursor *one = &s->file[i].from;

        one->left = (size_t)tt_cursor_u64(&c);
        one->at = tt_cursor_skip(&c, one->left);
        one->bad = c.bad;
    }
    return tt_files_can_continue(files, err);
}

enum tt_code scribe_find(tt_scribe *s, struct file *f, uint64_t *rows,
                         tt_err *err)
{
    struct front p;

    tt_cursor_read(&f->from, &p, sizeof(p));
    *rows = p.rows;
    if (f->from.bad)
        return tt_position_damaged(f->path, err);
    if (p.format != (uint64_t)tt_format_of(f->path))
        return tt_fail(err, TT_EINPUT,
                       "cannot continue %s: the checkpoint has its position as "
                       "%s, the name stands for %s",
                       f->path, format_name(p.format),
                       format_name(tt_format_of(f->path)));
    if (p.columns != tt_layout_hash(s->layout))
        return tt_fail(err, TT_EINPUT,
                       "cannot continue %s: the checkpoint has other columns "
                       "than this run",
                       f->path);
    return TT_OK;
}
