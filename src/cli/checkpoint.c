/* SPDX-License-Identifier: MIT */
#include "cli/checkpoint.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/num.h"
#include "cli/print.h"
#include "results/record.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/thread.h"

#define MOST    ((size_t)1 << 40)
#define VERSION 2u
#define LOOK_MS 100u

/* --- how often ---------------------------------------------------------------
 */

enum tt_code tt_every_parse(struct tt_every *out, const char *text, tt_err *err)
{
    static const struct {
        const char *name;
        double s;
    } unit[] = {{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"", 1}};
    int sim = text && strncmp(text, "sim:", 4) == 0;
    const char *from = sim ? text + 4 : text, *end;
    double n;

    *out = (struct tt_every){.wall = 60};
    if (!text)
        return TT_OK;
    end = from + strspn(from, "0123456789.eE+-");
    if (tt_num_parse_n(from, (size_t)(end - from), &n) == 0 && n > 0)
        for (size_t i = 0; i < sizeof(unit) / sizeof(*unit); i++)
            if (strcmp(end, unit[i].name) == 0) {
                *out = sim ? (struct tt_every){.sim = n * unit[i].s}
                           : (struct tt_every){.wall = n * unit[i].s};
                return TT_OK;
            }
    return tt_fail(err, TT_EINPUT,
                   "--every takes a time like '10s', '500ms', '2min' or '1h', "
                   "or simulated seconds like 'sim:2', not '%s'",
                   text);
}

/* --- the file ----------------------------------------------------------------
 */

struct head {
    char magic[8];
    uint32_t version, argc;
    uint64_t steps;
    double t;
    uint64_t n_words, n_state, n_rows, n_side[TT_SIDES]; /* bytes of what
                                                            follows */
    uint64_t sum; /* of all that follows, and of all before */
};

static const char magic[8] = "tTcheck";

static uint64_t sum_of(const struct head *h, const void *rest, size_t n)
{
    return tt_hash(tt_hash(TT_HASH_START, h, offsetof(struct head, sum)), rest,
                   n);
}

static enum tt_code refuse(const char *path, const char *why, tt_err *err)
{
    return tt_fail(err, TT_EINPUT, "cannot resume from %s: %s", path, why);
}

static int sizes_fit(const struct head *h, uint64_t n)
{
    const uint64_t part[] = {h->n_words, h->n_state, h->n_rows,
                             h->n_side[TT_SIDE_TRACE],
                             h->n_side[TT_SIDE_EVENTS]};

    for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++) {
        if (part[i] > n)
            return 0;
        n -= part[i];
    }
    return n == 0;
}

/* The folder and the words of the command line, each ends with NUL. */
static int take_words(struct tt_checkpoint_file *f, char *at, uint64_t n,
                      uint32_t argc)
{
    char *end = at + n;

    if (argc > n || !n || end[-1] != '\0' || !TT_NEW_ARRAY(f->argv, argc + 1))
        return 0;
    f->folder = at;
    for (uint32_t i = 0; i < argc; i++) {
        at += strlen(at) + 1;
        if (at >= end)
            return 0;
        f->argv[f->argc++] = at;
    }
    return at + strlen(at) + 1 == end;
}

static enum tt_code take_file(struct tt_checkpoint_file *f, const char *path,
                              size_t n, tt_err *err)
{
    struct head h;
    char *at = (char *)f->data + sizeof(h);

    if (n < sizeof(h) || memcmp(f->data, magic, sizeof(magic)) != 0)
        return refuse(path, "it is no checkpoint", err);
    memcpy(&h, f->data, sizeof(h));
    if (h.version != VERSION)
        return tt_fail(err, TT_EINPUT,
                       "cannot resume from %s: it is a checkpoint of format "
                       "%u, and this version reads format %u",
                       path, h.version, VERSION);
    if (!sizes_fit(&h, n - sizeof(h)))
        return refuse(path, "it is not complete", err);
    if (h.sum != sum_of(&h, at, n - sizeof(h)) ||
        !take_words(f, at, h.n_words, h.argc))
        return refuse(path, "it is damaged", err);
    f->steps = h.steps;
    f->t = h.t;
    at += h.n_words;
    f->state = (struct tt_bytes){at, (size_t)h.n_state};
    f->rows = (struct tt_bytes){at + h.n_state, (size_t)h.n_rows};
    at += h.n_state + h.n_rows;
    for (int i = 0; i < TT_SIDES; i++) {
        f->side[i] = (struct tt_bytes){at, (size_t)h.n_side[i]};
        at += h.n_side[i];
    }
    return TT_OK;
}

enum tt_code tt_checkpoint_read(struct tt_checkpoint_file *out,
                                const char *path, tt_err *err)
{
    struct tt_buf b;
    size_t n;
    enum tt_code rc;

    *out = (struct tt_checkpoint_file){.data = NULL};
    tt_buf_init(&b, MOST);
    rc = tt_file_read(&b, path, err);
    if (rc == TT_OK) {
        n = b.len;
        out->data = tt_buf_take(&b);
        rc = out->data ? take_file(out, path, n, err)
                       : tt_nomem(err, "reading the checkpoint");
    }
    tt_buf_fini(&b);
    if (rc != TT_OK)
        tt_checkpoint_fini(out);
    return rc;
}

void tt_checkpoint_fini(struct tt_checkpoint_file *f)
{
    TT_FREE_ALL(f->argv, f->data);
    *f = (struct tt_checkpoint_file){.data = NULL};
}

/* --- the keeper
 * --------------------------------------------------------------- */

struct tt_keeper {
    struct tt_keeper_opts o;
    char *state; /* owned: where the child leaves its bytes */
    char folder[4096];
    struct tt_thread thread;
    int started;
    struct tt_sign over;
    uint64_t due_ns;
    enum tt_code code; /* of the first file that could not be written */
    tt_err why;
};

enum tt_code tt_keeper_new(tt_keeper **out, const struct tt_keeper_opts *o,
                           tt_err *err)
{
    enum tt_code rc = TT_OK;
    tt_keeper *k;

    if (tt_file_is_dir(o->path))
        return tt_fail(err, TT_EINPUT,
                       "cannot write the checkpoint %s: it is a folder",
                       o->path);
    if (!TT_NEW(k))
        return tt_nomem(err, "preparing the run");
    k->o = *o;
    k->state = tt_path_join(o->folder, "state");
    if (!k->state || !getcwd(k->folder, sizeof(k->folder)))
        rc = tt_nomem(err, "preparing the run");
    return TT_HAND_OVER(rc, out, k, tt_keeper_free);
}

void tt_keeper_free(tt_keeper *k)
{
    if (!k)
        return;
    TT_FREE_ALL(k->state, k);
}

static void add_words(const tt_keeper *k, struct tt_buf *b)
{
    tt_buf_add(b, k->folder, strlen(k->folder) + 1);
    for (int i = 0; i < k->o.argc; i++)
        tt_buf_add(b, k->o.argv[i], strlen(k->o.argv[i]) + 1);
}

/* All of the file behind its head, and the lengths of its parts. */
static enum tt_code gather(const tt_keeper *k, struct tt_buf *b, struct head *h,
                           tt_err *err)
{
    struct tt_buf state;
    enum tt_code rc;

    add_words(k, b);
    h->n_words = b->len;
    tt_buf_init(&state, MOST);
    rc = tt_file_read(&state, k->state, err);
    if (rc == TT_OK)
        tt_buf_add(b, state.data, state.len);
    h->n_state = state.len;
    tt_buf_fini(&state);
    if (rc == TT_OK)
        rc = tt_scribe_position(k->o.scribe, k->o.kept->mark, b, err);
    h->n_rows = b->len - h->n_words - h->n_state;
    for (int i = 0; i < TT_SIDES; i++) {
        size_t before = b->len;

        if (rc == TT_OK && k->o.side[i])
            rc = tt_scribe_position(k->o.side[i], k->o.kept->side_mark[i], b,
                                    err);
        h->n_side[i] = b->len - before;
    }
    if (rc == TT_OK && b->failed)
        rc = tt_nomem(err, "a checkpoint");
    return rc;
}

static enum tt_code write_file(const tt_keeper *k, tt_err *err)
{
    struct head h = {.version = VERSION,
                     .argc = (uint32_t)k->o.argc,
                     .steps = k->o.kept->steps,
                     .t = k->o.kept->t};
    struct tt_buf b, all;
    enum tt_code rc;

    tt_buf_init(&b, MOST);
    tt_buf_init(&all, MOST);
    memcpy(h.magic, magic, sizeof(magic));
    rc = gather(k, &b, &h, err);
    if (rc == TT_OK) {
        h.sum = sum_of(&h, b.data, b.len);
        tt_buf_add(&all, (const char *)&h, sizeof(h));
        tt_buf_add(&all, b.data, b.len);
        rc = all.failed
                 ? tt_nomem(err, "a checkpoint")
                 : tt_file_write_durable(k->o.path, all.data, all.len, err);
    }
    tt_buf_fini(&b);
    tt_buf_fini(&all);
    return rc;
}

/* Is there one, and it is not dealt with? */
static int is_left(const tt_keeper *k)
{
    return tt_sign_get(&k->o.kept->asked) != tt_sign_get(&k->o.kept->done);
}

static void deal_with_it(tt_keeper *k)
{
    struct tt_kept *s = k->o.kept;
    tt_err err;
    enum tt_code rc = write_file(k, &err);

    if (rc == TT_OK) {
        s->written_steps = s->steps;
        s->written_t = s->t;
        s->written++;
    } else if (k->code == TT_OK) {
        k->code = rc;
        k->why = err;
        tt_print_warning("no checkpoint: %s", err.msg);
    }
    tt_sign_set(&s->done, tt_sign_get(&s->asked));
    tt_bell_ring(&s->child);
}

/* By the wall clock, from the end of one to the next. */
static void look_at_clock(tt_keeper *k)
{
    if (!(k->o.wall > 0) || tt_clock_ns() < k->due_ns)
        return;
    k->o.kept->wanted = 1;
    k->due_ns = tt_clock_ns() + (uint64_t)(k->o.wall * 1e9);
}

static unsigned patience(const tt_keeper *k)
{
    uint64_t now = tt_clock_ns();

    if (!(k->o.wall > 0) || k->due_ns > now + LOOK_MS * UINT64_C(1000000))
        return LOOK_MS;
    return k->due_ns <= now ? 1 : (unsigned)((k->due_ns - now) / 1000000 + 1);
}

static void keep_on(void *ctx)
{
    tt_keeper *k = ctx;

    while (!tt_sign_get(&k->over)) {
        uint32_t count = tt_bell_count(&k->o.kept->keeper);

        look_at_clock(k);
        if (is_left(k))
            deal_with_it(k);
        else
            tt_bell_wait(&k->o.kept->keeper, count, patience(k));
    }
}

void tt_keeper_start(tt_keeper *k)
{
    k->due_ns = tt_clock_ns() + (uint64_t)(k->o.wall * 1e9);
    k->started = tt_thread_start(&k->thread, keep_on, k, NULL) == TT_OK;
}

enum tt_code tt_keeper_finish(tt_keeper *k, tt_err *err)
{
    tt_sign_set(&k->over, 1);
    tt_bell_ring(&k->o.kept->keeper);
    if (k->started)
        tt_thread_join(&k->thread);
    k->started = 0;
    if (is_left(k))
        deal_with_it(k);
    if (k->code != TT_OK)
        *err = k->why;
    return k->code;
}

/* --- in the child
 * ------------------------------------------------------------- */

enum tt_code tt_keeper_take(tt_keeper *k, const struct tt_keep *at,
                            const struct tt_bytes *state, tt_err *err)
{
    struct tt_kept *s = k->o.kept;
    enum tt_code rc;

    while (is_left(k)) {
        uint32_t count = tt_bell_count(&s->child);

        if (is_left(k))
            tt_bell_wait(&s->child, count, LOOK_MS);
    }
    rc = tt_file_write(k->state, state->data, state->n, err);
    if (rc == TT_OK)
        rc = tt_record_mark(at->record, &s->mark, err);
    for (int i = 0; i < TT_SIDES; i++)
        if (rc == TT_OK && at->side[i])
            rc = tt_record_mark(at->side[i], &s->side_mark[i], err);
    if (rc != TT_OK)
        return rc;
    s->steps = at->steps;
    s->t = at->t;
    tt_sign_set(&s->asked, tt_sign_get(&s->asked) + 1);
    if (at->alone)
        deal_with_it(k);
    else
        tt_bell_ring(&s->keeper);
    return TT_OK;
}
