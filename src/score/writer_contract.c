/* SPDX-License-Identifier: MIT */
#include "score/writer_contract.h"

#include <string.h>

#include "score/file.h"

#define TEXT_MAX ((size_t)1 << 24)

struct contract {
    const struct tt_score_writer *writer;
    struct tt_crowd c;
    tt_plan *plan;
    struct tt_buf text; /* a file form */
    struct tt_text_file file;
};

static enum tt_code write_by(const struct tt_score_writer *writer,
                             const struct contract *k, tt_score **out,
                             tt_err *err)
{
    struct tt_draft w;
    enum tt_code rc = tt_write_new(&w, k->plan, writer->name, err);

    if (rc == TT_OK)
        rc = writer->write(&w, err);
    return tt_write_done(&w, rc, out, err);
}

/* A file for the writer that reads one. */
static void take_file(struct contract *k, const tt_score *s)
{
    tt_buf_clear(&k->text);
    tt_score_print_json(s, &k->text);
    TT_ASSERT(!k->text.failed);
    k->file = (struct tt_text_file){"a.json", k->text.data, k->text.len};
    k->c.scenario.file = k->c.scenario.score = &k->file;
    k->c.scenario.n_file = 1;
}

static void drop_file(struct contract *k)
{
    k->c.scenario.file = k->c.scenario.score = NULL;
    k->c.scenario.n_file = 0;
}

static int reads_files(const struct contract *k)
{
    return k->writer->write == tt_write_file;
}

/* --- the clauses --------------------------------------------------------- */

static void check_order(const tt_score *s)
{
    uint32_t n = s->plan->n_unit, seen = 0;

    for (uint32_t u = 0; u < n; u++)
        for (uint32_t i = 0; i < n; i++)
            seen += s->order[i] == u;
    TT_ASSERT(seen == n);
    for (uint32_t i = 0; i < n; i++)
        TT_ASSERT(s->order[i] < n);
}

static void check_again(const struct contract *k, const tt_score *s)
{
    struct tt_buf a, b;
    tt_score *other = NULL;
    tt_err err;

    TT_ASSERT(write_by(k->writer, k, &other, &err) == TT_OK);
    TT_ASSERT(other->hash == s->hash);
    tt_buf_init(&a, TEXT_MAX);
    tt_buf_init(&b, TEXT_MAX);
    tt_score_print_json(s, &a);
    tt_score_print_json(other, &b);
    TT_ASSERT(!a.failed && a.len == b.len && !memcmp(a.data, b.data, a.len));
    tt_buf_fini(&a);
    tt_buf_fini(&b);
    tt_score_free(other);
}

static void check_read_back(struct contract *k, const tt_score *s,
                            struct tt_writer_tally *t)
{
    const struct tt_score_writer reader = {"file", tt_write_file};
    tt_score *other = NULL;
    tt_err err;

    take_file(k, s);
    TT_ASSERT(write_by(&reader, k, &other, &err) == TT_OK);
    TT_ASSERT(other->hash == s->hash && !strcmp(other->writer, s->writer));
    TT_ASSERT(other->n_state == s->n_state);
    tt_score_free(other);
    t->read_back++;
}

/* Flags and registers of each operation, one after the other. */
static void check_hash(const tt_score *s)
{
    for (uint32_t i = 0; i < s->n_op; i++) {
        struct tt_op *op = &s->op[i], was = *op;
        int state = op->code == TT_OP_SAVE || op->code == TT_OP_RESTORE;

        op->flags ^= TT_OP_PREDICTED;
        TT_ASSERT(tt_score_hash(s) != s->hash);
        *op = was;
        op->to ^= 1;
        TT_ASSERT(state || tt_score_hash(s) != s->hash);
        *op = was;
    }
    for (uint32_t i = 0; i < s->n_solver; i++) {
        s->solver[i].opts.atol += 1;
        TT_ASSERT(tt_score_hash(s) != s->hash);
        s->solver[i].opts.atol -= 1;
        s->solver[i].accept ^= 1;
        TT_ASSERT(tt_score_hash(s) != s->hash);
        s->solver[i].accept ^= 1;
    }
}

/* With the n-th allocation failing, for every n; the words of a note are no
 * reason to fail. */
static void check_starving(const struct contract *k, struct tt_writer_tally *t)
{
    uint64_t before = tt_mem_count(), n_alloc;
    tt_score *s = NULL;
    tt_err err;

    TT_ASSERT(write_by(k->writer, k, &s, &err) == TT_OK);
    n_alloc = tt_mem_count() - before;
    tt_score_free(s);
    for (uint64_t n = 1; n <= n_alloc; n++) {
        enum tt_code rc;

        s = NULL;
        tt_mem_fail_after(n);
        rc = write_by(k->writer, k, &s, &err);
        tt_mem_fail_after(0);
        TT_ASSERT(rc == TT_OK || (rc == TT_ENOMEM && !s));
        t->starved += rc == TT_ENOMEM;
        tt_score_free(s);
    }
}

static void check_written(struct contract *k, tt_score *s,
                          struct tt_writer_tally *t)
{
    tt_err err;

    TT_ASSERT(tt_score_check(s, &err) == TT_OK);
    TT_ASSERT(s->hash == tt_score_hash(s) && s->writer && *s->writer);
    for (uint32_t i = 0; i < s->n_note; i++)
        TT_ASSERT(*s->note[i].topic && *s->note[i].text);
    check_order(s);
    check_again(k, s);
    check_hash(s);
    if (t->written % 16 == 0)
        check_starving(k, t);
    if (!reads_files(k))
        check_read_back(k, s, t);
    t->written++;
}

/* A score to read: what Jacobi makes of the scenario, if anything. */
static int prepare(struct contract *k)
{
    tt_score *s = NULL;
    tt_err err;

    if (!reads_files(k))
        return 1;
    if (write_by(&tt_score_writers[TT_MASTER_JACOBI], k, &s, &err) != TT_OK)
        return 0;
    take_file(k, s);
    tt_score_free(s);
    return 1;
}

void tt_score_writer_contract(const struct tt_score_writer *writer,
                              const struct tt_crowd_opts *o,
                              struct tt_writer_tally *t)
{
    struct contract k = {.writer = writer};
    tt_score *s = NULL;
    uint64_t hash;
    tt_err err = {0};

    tt_buf_init(&k.text, TEXT_MAX);
    tt_crowd_init(&k.c, o);
    TT_ASSERT(tt_plan_new(&k.plan, &k.c.scenario, k.c.desc, NULL, &err) ==
              TT_OK);
    hash = tt_plan_hash(k.plan);
    if (prepare(&k)) {
        if (write_by(writer, &k, &s, &err) == TT_OK) {
            check_written(&k, s, t);
        } else {
            TT_ASSERT(*err.msg && !s);
            t->refused++;
        }
    }
    TT_ASSERT(tt_plan_hash(k.plan) == hash);
    drop_file(&k);
    tt_score_free(s);
    tt_plan_free(k.plan);
    tt_crowd_fini(&k.c);
    tt_buf_fini(&k.text);
}
