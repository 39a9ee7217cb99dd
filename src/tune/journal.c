/* SPDX-License-Identifier: MIT */
#include "tune/journal.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "sys/file.h"

#define MAGIC "tutti journal 1\n"
#define MOST  ((size_t)8 << 30)

/* Before each record. */
struct entry {
    uint64_t sum; /* of number and record */
    uint64_t number;
};

struct tt_journal {
    struct tt_journal_opts o;
    char *path; /* owned */
    struct tt_buf line;
    tt_out *out;
};

static uint64_t sum_of(uint64_t number, const void *record, size_t n)
{
    return tt_hash(tt_hash(TT_HASH_START, &number, sizeof(number)), record, n);
}

static void put_head(const tt_journal *j, struct tt_buf *b)
{
    tt_buf_fmt(b, MAGIC "%s %zu %u\n", j->o.key, j->o.record, j->o.n);
}

static void put_entry(struct tt_buf *b, uint32_t number, const void *record,
                      size_t n)
{
    struct entry e = {sum_of(number, record, n), number};

    tt_buf_add(b, &e, sizeof(e));
    tt_buf_add(b, record, n);
}

/* Whole entries of what is there, into b behind its head. */
static void take(const tt_journal *j, const struct tt_buf *was,
                 struct tt_buf *b)
{
    size_t at = b->len, each = sizeof(struct entry) + j->o.record;

    if (was->len < at || memcmp(was->data, b->data, at) != 0)
        return;
    for (; at + each <= was->len; at += each) {
        const char *record = was->data + at + sizeof(struct entry);
        struct entry e;

        memcpy(&e, was->data + at, sizeof(e));
        if (e.number >= j->o.n ||
            e.sum != sum_of(e.number, record, j->o.record))
            break;
        put_entry(b, (uint32_t)e.number, record, j->o.record);
        j->o.found_cb(j->o.ctx, (uint32_t)e.number, record);
    }
}

static enum tt_code open_it(tt_journal *j, tt_err *err)
{
    struct tt_buf was, now;
    enum tt_code rc = TT_OK;

    tt_buf_init(&was, MOST);
    tt_buf_init(&now, MOST);
    if (tt_file_exists(j->path))
        rc = tt_file_read(&was, j->path, err);
    put_head(j, &now);
    if (rc == TT_OK && !now.failed)
        take(j, &was, &now);
    if (rc == TT_OK)
        rc = tt_buf_check(&now, j->path, err);
    if (rc == TT_OK)
        rc = tt_out_open(&j->out, j->path, err);
    if (rc == TT_OK)
        rc = tt_out_write(j->out, now.data, now.len, err);
    tt_buf_fini(&was);
    tt_buf_fini(&now);
    return rc;
}

enum tt_code tt_journal_open(tt_journal **out, const struct tt_journal_opts *o,
                             tt_err *err)
{
    tt_journal *j = tt_zalloc(1, sizeof(*j));
    enum tt_code rc = TT_OK;

    if (!j)
        return tt_fail(err, TT_ENOMEM, "%s: out of memory", o->path);
    j->o = *o;
    tt_buf_init(&j->line, MOST);
    j->path = tt_strdup(o->path);
    rc = j->path ? open_it(j, err)
                 : tt_fail(err, TT_ENOMEM, "%s: out of memory", o->path);
    if (rc == TT_OK)
        *out = j;
    else
        tt_journal_close(j, 0);
    return rc;
}

enum tt_code tt_journal_add(tt_journal *j, uint32_t number, const void *record,
                            tt_err *err)
{
    enum tt_code rc;

    tt_buf_clear(&j->line);
    put_entry(&j->line, number, record, j->o.record);
    rc = tt_buf_check(&j->line, j->path, err);
    return rc == TT_OK ? tt_out_write(j->out, j->line.data, j->line.len, err)
                       : rc;
}

void tt_journal_close(tt_journal *j, int done)
{
    tt_err ignored = {0};

    if (!j)
        return;
    if (j->out && tt_out_close(j->out, &ignored) != TT_OK)
        done = 0;
    if (done && tt_dir_remove(j->path, &ignored) != TT_OK)
        done = 0;
    tt_buf_fini(&j->line);
    TT_FREE_ALL(j->path, j);
}
