/* SPDX-License-Identifier: MIT */
#include "results/record.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "sys/proc.h"

#define NAP_MS 1000u /* between looks, should no bell wake us */

/* Values that are neighbours in the frame and in the record go together. */
struct run {
    const char *from;
    size_t to;
    size_t n; /* bytes; 0: a text */
};

struct record {
    tt_observer base;
    struct tt_tape *tape;
    struct tt_tape *own;   /* owned (tt_shared_free), or NULL */
    tt_scribe *scribe;     /* owned, or NULL */
    double interval;       /* s */
    struct tt_ring_end at; /* the filler's end */
    struct run *run;       /* owned */
    uint32_t n_run;
    uint64_t before; /* rows of the run that is continued */
    int begun, seen_any;
    double start, due; /* sampling: first instant, next instant to record */
};

/* --- what the scribe has to report ------------------------------------------
 */

static enum tt_code trouble(const struct record *r, tt_err *err)
{
    switch ((enum tt_tape_trouble)tt_sign_get(&r->tape->trouble)) {
    case TT_TAPE_SEEN_ENOUGH:
        return TT_ESTOPPED;
    case TT_TAPE_BROKEN:
        return tt_fail(err, r->tape->code, "%s", r->tape->msg);
    case TT_TAPE_FINE:
        break;
    }
    return TT_OK;
}

/* Until the scribe is that far. */
static enum tt_code wait_for(struct record *r, enum tt_tape_scribe stage,
                             tt_err *err)
{
    for (;;) {
        uint32_t rung = tt_bell_count(&r->tape->ring.filler);

        if (tt_sign_get(&r->tape->scribe) >= (uint64_t)stage)
            return trouble(r, err);
        tt_bell_wait(&r->tape->ring.filler, rung, NAP_MS);
    }
}

/* Until it has counted so far. */
static enum tt_code wait_count(struct record *r, struct tt_sign *count,
                               uint64_t least, tt_err *err)
{
    for (;;) {
        uint32_t rung = tt_bell_count(&r->tape->ring.filler);
        enum tt_code rc = trouble(r, err);

        if (rc != TT_OK || tt_sign_get(count) >= least)
            return rc;
        tt_bell_wait(&r->tape->ring.filler, rung, NAP_MS);
    }
}

/* --- begin --------------------------------------------------------------- */

static void add_run(struct record *r, struct run one)
{
    struct run *last = r->n_run ? &r->run[r->n_run - 1] : NULL;

    if (last && last->n && one.n && last->from + last->n == one.from &&
        last->to + last->n == one.to)
        last->n += one.n;
    else
        r->run[r->n_run++] = one;
}

static void list_runs(struct record *r, const struct tt_rows *rows)
{
    TT_ASSERT(r->run);
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct tt_column *c = &rows->column[i];

        add_run(r, (struct run){.from = c->value,
                                .to = tt_tape_cell(r->tape, i),
                                .n = tt_type_is_text(c->type)
                                         ? 0
                                         : tt_type_size(c->type)});
    }
    for (uint32_t i = 0; i < rows->n; i++)
        if (rows->column[i].present)
            add_run(r,
                    (struct run){.from = (const char *)rows->column[i].present,
                                 .to = tt_tape_present(r->tape, i),
                                 .n = 1});
}

static enum tt_code record_begin(tt_observer *o, const struct tt_rows *rows,
                                 tt_err *err)
{
    struct record *r = (struct record *)o;
    enum tt_code rc;

    if (!TT_NEW_ARRAY(r->run, 2 * (size_t)rows->n))
        return tt_fail(err, TT_ENOMEM, "results of %u columns", rows->n);
    rc = tt_tape_lay_out(r->tape, rows, &r->at, err);
    if (rc != TT_OK)
        return rc;
    list_runs(r, rows);
    r->begun = 1;
    rc = wait_for(r, TT_TAPE_OPEN, err);
    r->before = r->tape->before;
    return rc == TT_ESTOPPED ? TT_OK : rc; /* reported with the first row */
}

/* --- rows ---------------------------------------------------------------- */

/* Is this row one to record? The grid is start + k*interval, computed, never
 * accumulated; t may miss it by rounding. */
static int is_due(struct record *r, double t)
{
    double slack = 1e-9 * fmax(fabs(t), r->interval);

    if (slack > r->interval / 4)
        slack = r->interval / 4;
    if (!r->seen_any) {
        r->seen_any = 1;
        r->start = r->due = t;
    }
    if (t + slack < r->due)
        return 0;
    r->due = r->start +
             (floor((t - r->start + slack) / r->interval) + 1) * r->interval;
    return 1;
}

static void copy_row(const struct record *r, char *to, double t, double h)
{
    const struct run *end = r->run + r->n_run;
    const double front[2] = {t, h};

    memcpy(to, front, sizeof(front));
    for (const struct run *run = r->run; run < end; run++) {
        size_t n = run->n;
        uint32_t used;

        if (!n) {
            memcpy(&used, run->from, sizeof(used));
            n = sizeof(used) + (used < TT_TEXT_MAX ? used : TT_TEXT_MAX);
        }
        memcpy(to + run->to, run->from, n);
    }
}

/* Room for the next record; waits while the tape is full. */
static enum tt_code next(struct record *r, char **place, tt_err *err)
{
    enum tt_code rc = trouble(r, err);

    *place = rc == TT_OK ? tt_ring_next(&r->at) : NULL;
    while (rc == TT_OK && !*place) {
        tt_ring_await(&r->at, NAP_MS);
        rc = trouble(r, err);
        *place = tt_ring_next(&r->at);
    }
    return rc;
}

static enum tt_code record_row(tt_observer *o, struct tt_instant at, double h,
                               tt_err *err)
{
    struct record *r = (struct record *)o;
    char *place;
    enum tt_code rc = next(r, &place, err);

    if (rc != TT_OK)
        return rc;
    if (r->interval > 0) {
        int due = is_due(r, at.t);

        /* A row not due is written where the next one will be, and not
         * published: it is the last one if no other follows. */
        tt_sign_set(&r->tape->held, 0);
        copy_row(r, place, at.t, h);
        if (!due) {
            tt_sign_set(&r->tape->held, r->at.at + 1);
            return TT_OK;
        }
    } else {
        copy_row(r, place, at.t, h);
    }
    tt_ring_publish(&r->at);
    return TT_OK;
}

static enum tt_code record_end(tt_observer *o, tt_err *err)
{
    struct record *r = (struct record *)o;
    enum tt_code rc;

    if (!r->begun)
        return TT_OK;
    r->begun = 0;
    if (tt_sign_get(&r->tape->held) == r->at.at + 1)
        tt_ring_publish(&r->at);
    tt_sign_set(&r->tape->player, TT_TAPE_ENDED);
    tt_bell_ring(&r->tape->ring.reader);
    rc = wait_for(r, TT_TAPE_CLOSED, err);
    return rc == TT_ESTOPPED ? TT_OK : rc;
}

/* --- taking up again ----------------------------------------------------- */

/* What sampling knows; a row that it held back follows. */
struct state {
    double interval, start, due;
    uint64_t seen_any, held; /* held: bytes of it */
};

static void record_save(const tt_observer *o, struct tt_buf *to)
{
    const struct record *r = (const struct record *)o;
    int held = tt_sign_get(&r->tape->held) == r->at.at + 1;
    struct tt_ring_end at = r->at;
    struct state s = {.interval = r->interval,
                      .start = r->start,
                      .due = r->due,
                      .seen_any = (uint64_t)r->seen_any,
                      .held = held ? r->at.record : 0};

    tt_buf_add(to, &s, sizeof(s));
    if (held)
        tt_buf_add(to, tt_ring_next(&at), at.record);
}

static enum tt_code record_restore(tt_observer *o, const void *data, size_t n,
                                   tt_err *err)
{
    struct record *r = (struct record *)o;
    struct state s = {0};
    char *place;
    enum tt_code rc;

    if (n >= sizeof(s))
        memcpy(&s, data, sizeof(s));
    if (n < sizeof(s) || n != sizeof(s) + s.held ||
        (s.held && s.held != r->at.record))
        return tt_fail(err, TT_EINPUT,
                       "the state of the recording in the checkpoint is "
                       "damaged");
    if (s.interval != r->interval)
        return tt_fail(err, TT_EINPUT,
                       "the checkpoint is of a run with another interval "
                       "between result rows");
    r->start = s.start;
    r->due = s.due;
    r->seen_any = s.seen_any != 0;
    if (!s.held)
        return TT_OK;
    rc = next(r, &place, err);
    if (rc != TT_OK)
        return rc;
    memcpy(place, (const char *)data + sizeof(s), (size_t)s.held);
    tt_sign_set(&r->tape->held, r->at.at + 1);
    return TT_OK;
}

static void record_free(tt_observer *o)
{
    struct record *r = (struct record *)o;

    tt_scribe_free(r->scribe);
    tt_shared_free(r->own, TT_TAPE_SIZE);
    TT_FREE_ALL(r->run, r);
}

static const struct tt_observer_ops record_ops = {
    TT_HOOKS(record_, begin, row, end, save, restore, free)};

enum tt_code tt_record_new(tt_observer **out, struct tt_tape *tape,
                           double interval, tt_err *err)
{
    struct record *r;

    if (!(interval >= 0) || isinf(interval))
        return tt_fail(err, TT_EINPUT,
                       "the interval between result rows must be a number of "
                       "seconds, 0 or more");
    if (!TT_NEW(r))
        return tt_nomem(err, "recording results");
    r->base.ops = &record_ops;
    r->tape = tape;
    r->interval = interval;
    *out = &r->base;
    return TT_OK;
}

enum tt_code tt_record_files(tt_observer **out, const struct tt_files *files,
                             double interval, tt_err *err)
{
    void *memory = tt_shared_alloc(TT_TAPE_SIZE);
    tt_observer *o = NULL;
    struct record *r;
    enum tt_code rc;

    if (!memory)
        return tt_nomem(err, "recording results");
    rc = tt_record_new(&o, tt_tape_init(memory, TT_TAPE_SIZE), interval, err);
    if (rc != TT_OK) {
        tt_shared_free(memory, TT_TAPE_SIZE);
        return rc;
    }
    r = (struct record *)o;
    r->own = memory;
    rc = tt_scribe_new(&r->scribe, r->tape, TT_TAPE_SIZE, files, err);
    if (rc != TT_OK) {
        tt_observer_free(o);
        return rc;
    }
    tt_scribe_start(r->scribe);
    *out = o;
    return TT_OK;
}

enum tt_code tt_record_flush(tt_observer *o, tt_err *err)
{
    struct record *r = (struct record *)o;
    uint64_t wish = tt_sign_get(&r->tape->wanted) + 1;
    enum tt_code rc;

    TT_ASSERT(o->ops == &record_ops);
    if (!r->begun)
        return TT_OK;
    tt_sign_set(&r->tape->wanted, wish);
    tt_bell_ring(&r->tape->ring.reader);
    rc = wait_count(r, &r->tape->flushed, wish, err);
    return rc == TT_ESTOPPED ? TT_OK : rc;
}

enum tt_code tt_record_mark(tt_observer *o, uint64_t *mark, tt_err *err)
{
    struct record *r = (struct record *)o;
    struct tt_tape *t = r->tape;
    uint64_t m = tt_sign_get(&t->marked) + 1;
    enum tt_code rc = TT_OK;

    TT_ASSERT(o->ops == &record_ops && r->begun);
    if (m > TT_TAPE_MARKS)
        rc = wait_count(r, &t->noted, m - TT_TAPE_MARKS, err);
    if (rc != TT_OK)
        return rc;
    t->mark_row[m % TT_TAPE_MARKS] = r->at.at;
    tt_sign_set(&t->marked, m);
    tt_bell_ring(&t->ring.reader);
    *mark = m;
    return TT_OK;
}

uint64_t tt_record_rows(const tt_observer *o)
{
    const struct record *r = (const struct record *)o;

    TT_ASSERT(o->ops == &record_ops);
    return r->before + r->at.at;
}
