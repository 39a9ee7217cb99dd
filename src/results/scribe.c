/* SPDX-License-Identifier: MIT */
#include "results/scribe_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "table/h5.h"
#include "table/table.h"

#define FLUSH_NS    UINT64_C(250000000)
/* Records taken at once, so that the player gets room again soon. */
#define PIECE_BYTES ((size_t)256 << 10)

/* --- words of all writers ------------------------------------------------ */

enum tt_code tt_writer_cannot(const char *path, tt_err *err)
{
    int e = errno;

    tt_fail(err, TT_EIO, "cannot write %s: %s",
            strcmp(path, "-") == 0 ? "standard output" : path, strerror(e));
    errno = e;
    return TT_EIO;
}

enum tt_code tt_writer_open(tt_writer **out, const struct tt_writer_job *job,
                            tt_err *err)
{
    switch (tt_format_of(job->path)) {
    case TT_FORMAT_MAT:
        return tt_mat_open(out, job, err);
    case TT_FORMAT_H5:
        return tt_h5_open(out, job, err);
    case TT_FORMAT_CSV:
        break;
    }
    return tt_csv_open(out, job, err);
}

enum tt_code tt_writer_sync(tt_writer *w, FILE *file, const char *path,
                            tt_err *err)
{
    enum tt_code rc = w->ops->flush(w, err);

    if (rc != TT_OK)
        return rc;
    errno = tt_file_sync(file, path);
    return errno ? tt_writer_cannot(path, err) : TT_OK;
}

enum tt_code tt_writer_broke(const char *path, int reason, uint64_t rows,
                             tt_err *err)
{
    tt_err why;

    errno = reason;
    tt_writer_cannot(path, &why);
    if (!rows)
        return tt_fail(err, TT_EIO, "%s", why.msg);
    if (rows == 1)
        return tt_fail(err, TT_EIO, "%s; the first row is kept", why.msg);
    return tt_fail(err, TT_EIO, "%s; the first %" PRIu64 " rows are kept",
                   why.msg, rows);
}

/* --- notifying the player --------------------------------------------------
 */

static void set_stage(tt_scribe *s, enum tt_tape_scribe stage)
{
    tt_sign_set(&s->tape->scribe, stage);
    tt_bell_ring(&s->tape->ring.filler);
}

/* The first trouble is reported; an error outweighs a wish to stop. */
void scribe_report(tt_scribe *s, enum tt_code rc, const tt_err *why)
{
    struct tt_tape *t = s->tape;

    if (rc == TT_OK || (s->code != TT_OK && s->code != TT_ESTOPPED) ||
        rc == s->code)
        return;
    s->code = rc;
    if (rc != TT_ESTOPPED) {
        s->why = *why;
        t->code = rc;
        memcpy(t->msg, why->msg, sizeof(t->msg));
    }
    tt_sign_set(&t->trouble,
                rc == TT_ESTOPPED ? TT_TAPE_SEEN_ENOUGH : TT_TAPE_BROKEN);
    tt_bell_ring(&t->ring.filler);
}

/* --- files --------------------------------------------------------------- */

static enum tt_code open_one(tt_scribe *s, struct file *f, tt_err *err)
{
    struct tt_writer_job job = {
        .path = f->path, .layout = s->layout, .dialect = s->dialect};
    enum tt_code rc = TT_OK;

    if (s->from) {
        rc = scribe_find(s, f, &job.rows, err);
        job.from = &f->from;
    }
    return rc == TT_OK ? tt_writer_open(&f->w, &job, err) : rc;
}

static void drop(struct file *f)
{
    f->rows = f->w->rows;
    f->w->ops->free(f->w);
    f->w = NULL;
}

void scribe_close(tt_scribe *s, struct file *f)
{
    tt_err why;

    if (!f->w)
        return;
    scribe_report(s, f->w->ops->close(f->w, &why), &why);
    drop(f);
}

/* Closing would write to them. */
static void leave_files(tt_scribe *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->file[i].w)
            drop(&s->file[i]);
}

static void open_files(tt_scribe *s)
{
    tt_err why;

    scribe_report(s, tt_tape_read(s->tape, s->size, &s->layout, &s->at, &why),
                  &why);
    for (uint32_t i = 0; i < s->n && s->code == TT_OK; i++)
        scribe_report(s, open_one(s, &s->file[i], &why), &why);
    for (uint32_t i = 0; i < s->n && s->code == TT_OK && s->from; i++)
        scribe_report(s, s->file[i].w->ops->go_on(s->file[i].w, &why), &why);
    if (s->code != TT_OK && s->from)
        leave_files(s);
    else if (s->from)
        s->tape->before = s->file[0].w->rows;
    s->flushed_ns = tt_clock_ns();
}

static void write_rows(tt_scribe *s, const char *record, size_t n)
{
    tt_err why;

    for (uint32_t i = 0; i < s->n; i++) {
        struct file *f = &s->file[i];
        enum tt_code rc;

        if (!f->w)
            continue;
        rc = f->w->ops->rows(f->w, record, n, &why);
        scribe_report(s, rc, &why);
        if (rc != TT_OK)
            scribe_close(s, f);
    }
}

/* Now and then, or at once when the player has a wish; then it is reported. */
static void flush_files(tt_scribe *s, uint64_t wish)
{
    int wanted = wish != tt_sign_get(&s->tape->flushed);
    uint64_t now = tt_clock_ns();
    tt_err why;

    if (now - s->flushed_ns < FLUSH_NS && !wanted)
        return;
    s->flushed_ns = now;
    for (uint32_t i = 0; i < s->n; i++) {
        struct file *f = &s->file[i];
        enum tt_code rc = f->w ? f->w->ops->flush(f->w, &why) : TT_OK;

        scribe_report(s, rc, &why);
        if (rc != TT_OK)
            scribe_close(s, f);
    }
    if (!wanted)
        return;
    tt_sign_set(&s->tape->flushed, wish);
    tt_bell_ring(&s->tape->ring.filler);
}

/* --- the thread ---------------------------------------------------------- */

static int is_over(tt_scribe *s)
{
    return tt_sign_get(&s->alone) ||
           tt_sign_get(&s->tape->player) == TT_TAPE_ENDED;
}

/* A piece of what waits; 0: nothing does. */
static int take_piece(tt_scribe *s)
{
    uint64_t most = PIECE_BYTES / s->layout->record + 1, n, to_mark;
    const char *first;
    tt_err why;

    n = tt_ring_peek(&s->at, &first);
    to_mark = scribe_rows_to_mark(s);
    if (n == TT_RING_BROKEN || !to_mark) {
        scribe_report(s, tt_tape_overwritten(&why), &why);
        return 0;
    }
    most = most < to_mark ? most : to_mark;
    n = n < most ? n : most;
    if (n) {
        write_rows(s, first, (size_t)n);
        tt_ring_done(&s->at, n);
    }
    return n > 0;
}

/* Whether it is over is asked before the last look, or a row published in
 * between would be lost. */
static void take_rows(tt_scribe *s)
{
    const char *last;
    int over;

    do {
        uint32_t count = tt_bell_count(&s->tape->ring.reader);

        uint64_t wish = tt_sign_get(&s->tape->wanted);

        over = is_over(s);
        while (take_piece(s))
            ;
        if (!over) {
            flush_files(s, wish);
            tt_bell_wait(&s->tape->ring.reader, count, LOOK_MS);
        }
    } while (!over);
    if (tt_ring_peek(&s->at, &last) == 0 && tt_tape_has_held(s->tape, &s->at))
        write_rows(s, last, 1);
}

static void scribe_main(void *ctx)
{
    tt_scribe *s = ctx;

    for (;;) {
        uint32_t count = tt_bell_count(&s->tape->ring.reader);

        if (tt_sign_get(&s->tape->player) != TT_TAPE_BLANK)
            break;
        if (tt_sign_get(&s->alone)) {
            scribe_end_notes(s); /* nothing was played */
            return;
        }
        tt_bell_wait(&s->tape->ring.reader, count, LOOK_MS);
    }
    open_files(s);
    set_stage(s, TT_TAPE_OPEN);
    if (s->layout)
        take_rows(s);
    for (uint32_t i = 0; i < s->n; i++)
        scribe_close(s, &s->file[i]);
    set_stage(s, TT_TAPE_CLOSED);
    scribe_end_notes(s);
}

/* --- making -------------------------------------------------------------- */

static enum tt_code check_files(const struct tt_files *files, tt_err *err)
{
    if (files->n < 1 || files->n > TT_FILES_MAX)
        return tt_fail(err, TT_EINPUT, "%u result files; there may be %u",
                       files->n, TT_FILES_MAX);
    for (uint32_t i = 0; i < files->n; i++) {
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(files->path[i], files->path[k]) == 0)
                return tt_fail(err, TT_EINPUT,
                               "the result file '%s' is named twice",
                               files->path[i]);
        if (tt_format_of(files->path[i]) == TT_FORMAT_H5 && !tt_h5_is_there())
            return tt_h5_missing("write", files->path[i], err);
        if (tt_format_of(files->path[i]) != TT_FORMAT_CSV &&
            tt_file_is_pipe(files->path[i]))
            return tt_fail(err, TT_EINPUT,
                           "cannot write %s: it is a pipe, and only CSV goes "
                           "through one",
                           files->path[i]);
    }
    return TT_OK;
}

enum tt_code tt_scribe_new(tt_scribe **out, struct tt_tape *tape, size_t size,
                           const struct tt_files *files, tt_err *err)
{
    enum tt_code rc = check_files(files, err);
    tt_scribe *s;

    if (rc != TT_OK)
        return rc;
    if (!TT_NEW(s))
        return tt_nomem(err, "recording results");
    s->tape = tape;
    s->size = size;
    s->dialect = files->dialect;
    for (s->n = 0; s->n < files->n && rc == TT_OK; s->n++) {
        s->file[s->n].path = tt_strdup(files->path[s->n]);
        if (!s->file[s->n].path)
            rc = tt_nomem(err, "recording results");
    }
    tt_lock_init(&s->lock);
    if (rc == TT_OK && files->from)
        rc = scribe_read_positions(s, files, err);
    return TT_HAND_OVER(rc, out, s, tt_scribe_free);
}

void tt_scribe_start(tt_scribe *s)
{
    tt_err why;
    enum tt_code rc = tt_thread_start(&s->thread, scribe_main, s, &why);

    s->running = rc == TT_OK;
    if (rc != TT_OK) {
        scribe_report(s, rc, &why);
        set_stage(s, TT_TAPE_CLOSED);
        scribe_end_notes(s);
    }
}

enum tt_code tt_scribe_finish(tt_scribe *s, uint64_t *rows, tt_err *err)
{
    if (s->running) {
        tt_sign_set(&s->alone, 1);
        tt_bell_ring(&s->tape->ring.reader);
        tt_thread_join(&s->thread);
        s->running = 0;
    }
    if (rows)
        *rows = s->file[0].rows;
    if (s->code == TT_OK || s->code == TT_ESTOPPED)
        return TT_OK;
    return tt_fail(err, s->code, "%s", s->why.msg);
}

void tt_scribe_free(tt_scribe *s)
{
    if (!s)
        return;
    (void)!tt_scribe_finish(s, NULL, NULL);
    for (uint32_t i = 0; i < s->n; i++)
        tt_free(s->file[i].path);
    for (uint32_t i = 0; i < TT_TAPE_MARKS; i++)
        tt_buf_fini(&s->note[i].positions);
    tt_lock_fini(&s->lock);
    TT_FREE_ALL(s->from, s->layout, s);
}
