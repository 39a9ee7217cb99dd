/* SPDX-License-Identifier: MIT */
/* The score writer that reads a file. */
#include <string.h>

#include "score/file_impl.h"

#define WORD_MAX ((size_t)1 << 20)

void file_mark(struct tt_reading *r, struct tt_where where)
{
    while (r->n_where < r->w->n_op) {
        if (r->w->failed || TT_GROW(r->where, r->n_where, r->cap_where)) {
            r->w->failed = 1;
            return;
        }
        r->where[r->n_where++] = where;
    }
}

/* --- names -----------------------------------------------------------------
 */

static const char *keep_name(struct tt_reading *r, uint32_t slot)
{
    const tt_plan *p = r->w->plan;

    tt_buf_clear(&r->word);
    tt_buf_fmt(&r->word, "%s.%s", file_unit(p, p->slot[slot].unit),
               tt_plan_port(p, slot)->name);
    return r->word.failed ? NULL
                          : tt_arena_strdup(r->w->score->arena, r->word.data);
}

static int name_all(struct tt_reading *r)
{
    const tt_plan *p = r->w->plan;

    if (!TT_NEW_ARRAY(r->slot_name, p->n_slot))
        return 0;
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (tt_names_add(&r->unit, file_unit(p, u), u) < 0)
            return 0;
    for (uint32_t s = 0; s < p->n_slot; s++) {
        r->slot_name[s] = keep_name(r, s);
        if (!r->slot_name[s] || tt_names_add(&r->slot, r->slot_name[s], s) < 0)
            return 0;
    }
    return TT_NEW_ARRAY(r->list, p->n_slot) &&
           TT_NEW_ARRAY(r->fresh, p->n_slot) &&
           TT_NEW_ARRAY(r->listed, p->n_slot);
}

/* --- sections --------------------------------------------------------------
 */

static enum tt_code read_section(struct tt_reading *r, const struct tt_doc *d,
                                 enum tt_section section)
{
    enum tt_code rc;

    if (d->kind != TT_DOC_ARRAY)
        return file_wrong(r, d, "an array");
    r->section = section;
    r->w->score->section_where[section] = d->key_where;
    tt_write_begin(r->w, section);
    rc = file_operations(r, d);
    tt_write_end(r->w, section);
    if (section == TT_SEC_EXCHANGE && r->w->plan->n_slot)
        r->fresh[0] = 1; /* it may leave something to the steps */
    return rc;
}

static int all_can_save(const tt_plan *p)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (!p->unit[u].desc->caps.save)
            return 0;
    return 1;
}

/* Sections that only steps that may be rejected have. */
static enum tt_code check_rejects(struct tt_reading *r,
                                  const struct tt_doc *root)
{
    static const enum tt_section only[] = {TT_SEC_BEGIN, TT_SEC_LAST,
                                           TT_SEC_UNDO};

    for (size_t i = 0; i < 3 && !r->w->plan->rejects; i++) {
        const struct tt_doc *d = tt_doc_find(root, tt_section_name(only[i]));

        if (d && d->n)
            return file_fail(r, d->key_where,
                             "no step of this scenario is rejected, and the "
                             "%s section is never played",
                             d->key);
    }
    return TT_OK;
}

/* It follows from the scenario and the sections; a file may name it. */
static enum tt_code check_named_protocol(struct tt_reading *r,
                                         const struct tt_doc *root)
{
    const struct tt_doc *d = tt_doc_find(root, "protocol");
    const char *is = tt_protocol_of(r->w->score)->name;

    if (!d)
        return TT_OK;
    if (d->kind != TT_DOC_TEXT)
        return file_wrong(r, d, "a string");
    if (strcmp(d->u.text, is) == 0)
        return TT_OK;
    return file_fail(r, d->where,
                     "these sections are played by the protocol '%s' in this "
                     "scenario, not by '%s'",
                     is, d->u.text);
}

/* To go back by: a file that gives none of these sections leaves it to us. */
static int goes_back(const tt_plan *p, const struct tt_doc *root)
{
    return p->rejects && all_can_save(p) && !tt_doc_find(root, "begin") &&
           !tt_doc_find(root, "undo") && !tt_doc_find(root, "last");
}

/* A section that is not in the file. */
static enum tt_code write_section(struct tt_reading *r, enum tt_section section)
{
    static const struct {
        void (*plain)(struct tt_draft *w);
        enum tt_code (*write)(struct tt_draft *w, tt_err *err);
    } how[TT_SEC_N] = {
        [TT_SEC_BEGIN] = {.plain = tt_write_keep},
        [TT_SEC_UNDO] = {.plain = tt_write_undo},
        [TT_SEC_AGAIN] = {.plain = tt_write_again},
        [TT_SEC_LEAVE] = {.plain = tt_write_leave},
        [TT_SEC_INIT] = {.write = tt_write_init},
        [TT_SEC_EVENT] = {.write = tt_write_event},
        [TT_SEC_RHS] = {.write = tt_write_rhs},
    };
    struct tt_draft *w = r->w;

    if (section == TT_SEC_EXCHANGE)
        return tt_write_exchange(w, r->fresh, r->err);
    if (section == TT_SEC_START)
        return tt_write_start(w, r->fresh, r->err);
    if (how[section].write)
        return how[section].write(w, r->err);
    if (how[section].plain) {
        how[section].plain(w);
        return TT_OK;
    }
    tt_write_begin(w, section);
    tt_write_end(w, section);
    return TT_OK;
}

/* What we keep is kept where the file keeps nothing. */
static void move_register(struct tt_reading *r, enum tt_section section)
{
    const tt_score *s = r->w->score;

    for (uint32_t i = 0; i < s->section[section].n; i++)
        r->w->op[s->section[section].first + i].arg = r->n_state;
}

static enum tt_code read_sections(struct tt_reading *r,
                                  const struct tt_doc *root)
{
    enum tt_code rc = TT_OK;

    r->w->goes_back = goes_back(r->w->plan, root);
    for (int i = 0; i < TT_SEC_N && rc == TT_OK; i++) {
        enum tt_section section = (enum tt_section)i;
        const struct tt_doc *d = tt_doc_find(root, tt_section_name(section));

        r->w->score->section_where[i] = root->where;
        /* what members of an ensemble feed each other is no choice */
        rc = d && section != TT_SEC_RHS ? read_section(r, d, section)
                                        : write_section(r, section);
        file_mark(r, root->where);
    }
    if (rc == TT_OK && r->w->goes_back && !r->w->failed) {
        move_register(r, TT_SEC_BEGIN);
        move_register(r, TT_SEC_UNDO);
        r->n_state++;
    }
    return rc;
}

/* --- the file --------------------------------------------------------------
 */

/* Units in the order of their first steps. */
static enum tt_code take_order(struct tt_reading *r)
{
    const struct tt_draft *w = r->w;
    uint32_t n_unit = w->plan->n_unit, n = 0;
    uint32_t *order = tt_arena_alloc(w->score->arena, n_unit, sizeof(*order));
    uint8_t *stepped = tt_zalloc(n_unit, 1);

    w->score->order = order;
    for (size_t i = 0; order && stepped && i < w->n_op; i++)
        if (w->op[i].code == TT_OP_STEP && !stepped[w->op[i].unit]) {
            order[n++] = w->op[i].unit;
            stepped[w->op[i].unit] = 1;
        }
    for (uint32_t u = 0; order && stepped && u < n_unit; u++)
        if (!stepped[u])
            order[n++] = u;
    tt_free(stepped);
    return order && stepped ? TT_OK : tt_nomem(r->err, "reading the score");
}

static enum tt_code read_head(struct tt_reading *r, const struct tt_doc *root)
{
    static const char *const known[] = {
        "$schema", "version", "hash",     "master",   "order",    "init",
        "begin",   "step",    "last",     "exchange", "undo",     "again",
        "start",   "event",   "leave",    "rhs",      "warnings", "decisions",
        "ranks",   "owner",   "protocol", NULL};
    const struct tt_doc *name, *ranks, *step;
    uint32_t version;
    enum tt_code rc = file_object(r, root, known);

    if (rc == TT_OK)
        rc = file_count(r, root, "version", 0, UINT32_MAX, &version);
    if (rc == TT_OK && version != TT_FILE_VERSION)
        rc = file_fail(r, tt_doc_find(root, "version")->where,
                       "score files of version %d are read here, not %u",
                       TT_FILE_VERSION, version);
    if (rc == TT_OK)
        rc = file_field(r, root, "master", TT_DOC_TEXT, &name);
    if (rc == TT_OK)
        rc = file_field(r, root, "step", TT_DOC_ARRAY, &step);
    if (rc != TT_OK)
        return rc;
    ranks = tt_doc_find(root, "ranks");
    if (ranks)
        return file_fail(r, ranks->key_where,
                         "this score is for several ranks: give the one "
                         "without, which they divide among them");
    r->w->score->writer = tt_arena_strdup(r->w->score->arena, name->u.text);
    return TT_OK;
}

static enum tt_code read_all(struct tt_reading *r, const struct tt_doc *root)
{
    tt_score *s = r->w->score;
    static enum tt_code (*const stage[])(struct tt_reading * r,
                                         const struct tt_doc *root) = {
        read_head, read_sections, check_rejects, check_named_protocol};
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < sizeof(stage) / sizeof(*stage); i++)
        rc = stage[i](r, root);
    if (rc == TT_OK)
        rc = tt_write_loops(r->w, r->err);
    if (rc == TT_OK)
        rc = take_order(r);
    if (rc != TT_OK)
        return rc;
    tt_write_note(r->w, "master", "from %s", r->w->plan->scenario->score->path);
    s->n_state = r->n_state;
    s->where = tt_arena_dup(s->arena, r->where, r->n_where, sizeof(*r->where));
    r->w->failed |= !s->writer || !s->where;
    return TT_OK;
}

enum tt_code tt_write_file(struct tt_draft *w, tt_err *err)
{
    const tt_scenario *sc = w->plan->scenario;
    struct tt_reading r = {.w = w, .err = err};
    tt_arena *nodes = tt_arena_new();
    struct tt_doc root;
    enum tt_code rc;

    tt_buf_init(&r.word, WORD_MAX);
    tt_names_init(&r.unit);
    tt_names_init(&r.slot);
    rc = nodes && name_all(&r) ? TT_OK : tt_nomem(err, "reading the score");
    if (rc == TT_OK)
        rc = tt_doc_parse(&root, sc->score, (uint32_t)(sc->score - sc->file),
                          nodes, w->score->arena, err);
    if (rc == TT_OK)
        rc = read_all(&r, &root);
    tt_names_fini(&r.unit);
    tt_names_fini(&r.slot);
    tt_buf_fini(&r.word);
    TT_FREE_ALL(r.slot_name, r.list, r.fresh, r.listed, r.where);
    tt_arena_free(nodes);
    return rc;
}
