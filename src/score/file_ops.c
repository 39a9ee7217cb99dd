/* SPDX-License-Identifier: MIT */
/* Operations of a score file. */
#include <string.h>

#include "score/file_impl.h"

const char *const tt_file_halves[] = {"first", "second", NULL};
static const char *const registers[] = {"T0", "T1", "S0", "S1", NULL};

uint16_t file_instant(const struct tt_reading *r)
{
    if (r->section == TT_SEC_INIT)
        return TT_T0;
    return r->substeps ? TT_S1 : TT_T1;
}

static enum tt_code read_register(struct tt_reading *r, const struct tt_doc *d,
                                  const char *field, uint16_t *out)
{
    uint32_t i = *out;
    enum tt_code rc = file_word(r, d, field, registers, &i);

    *out = (uint16_t)i;
    return rc;
}

/* --- names -----------------------------------------------------------------
 */

static const char *unit_name(const void *plan, size_t i)
{
    return file_unit(plan, (uint32_t)i);
}

static enum tt_code read_unit(struct tt_reading *r, const struct tt_doc *d,
                              uint32_t *out)
{
    const tt_plan *p = r->w->plan;
    const struct tt_doc *f;
    char hint[512];
    enum tt_code rc = file_field(r, d, "instance", TT_DOC_TEXT, &f);

    if (rc != TT_OK)
        return rc;
    *out = tt_names_find(&r->unit, f->u.text);
    if (*out != TT_NONE)
        return TT_OK;
    return file_fail(
        r, f->where, "there is no instance '%s'%s", f->u.text,
        file_hint(hint, sizeof(hint), f->u.text, p->n_unit, unit_name, p));
}

/* Ports that may be meant: those of a unit that are read, or set. */
struct choice {
    const tt_plan *p;
    uint32_t first, n;
};

static struct choice choice_for(const tt_plan *p, const struct tt_op *op)
{
    const struct tt_plan_unit *u = &p->unit[op->unit];

    if (op->code == TT_OP_SET)
        return (struct choice){p, u->slot + u->n_read, u->n_in};
    return (struct choice){p, u->slot, u->n_read};
}

static const char *port_name(const void *ctx, size_t i)
{
    const struct choice *c = ctx;

    return tt_plan_port(c->p, c->first + (uint32_t)i)->name;
}

static enum tt_code no_port(struct tt_reading *r, const struct tt_doc *d,
                            const struct tt_op *op, const struct choice *c)
{
    const struct tt_plan_unit *u = &r->w->plan->unit[op->unit];
    char hint[512];

    for (uint32_t i = 0; i < u->desc->n_port; i++)
        if (strcmp(u->desc->port[i].name, d->u.text) == 0)
            return file_fail(
                r, d->where,
                op->code == TT_OP_SET
                    ? "'%s.%s' is no connected input"
                    : "'%s.%s' is no output that is connected or recorded",
                u->name, d->u.text);
    return file_fail(
        r, d->where, "instance '%s' has no variable '%s'%s", u->name, d->u.text,
        file_hint(hint, sizeof(hint), d->u.text, c->n, port_name, c));
}

/* The slot "unit.port", or TT_NONE. */
static uint32_t find_slot(struct tt_reading *r, uint32_t unit, const char *port)
{
    tt_buf_clear(&r->word);
    tt_buf_fmt(&r->word, "%s.%s", file_unit(r->w->plan, unit), port);
    return r->word.failed ? TT_NONE : tt_names_find(&r->slot, r->word.data);
}

enum tt_code file_list(struct tt_reading *r, const struct tt_doc *d,
                       uint32_t slot, uint32_t n)
{
    if (r->listed[slot])
        return file_fail(r, d->where, "'%s' is listed twice", d->u.text);
    r->listed[slot] = 1;
    r->list[n] = slot;
    return TT_OK;
}

void file_unlist(struct tt_reading *r, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        r->listed[r->list[i]] = 0;
}

static enum tt_code read_port(struct tt_reading *r, const struct tt_doc *d,
                              const struct tt_op *op, uint32_t n)
{
    struct choice c = choice_for(r->w->plan, op);
    uint32_t slot;

    if (d->kind != TT_DOC_TEXT)
        return file_wrong(r, d, "a string");
    slot = find_slot(r, op->unit, d->u.text);
    if (slot - c.first >= c.n) /* TT_NONE, too */
        return no_port(r, d, op, &c);
    return file_list(r, d, slot, n);
}

/* Ports of a unit into r->list, in the order of the file. */
static enum tt_code read_ports(struct tt_reading *r, const struct tt_doc *d,
                               const struct tt_op *op, uint32_t *n)
{
    const struct tt_doc *f;
    enum tt_code rc = file_field(r, d, "ports", TT_DOC_ARRAY, &f);

    *n = 0;
    if (rc == TT_OK && !f->n)
        rc = file_fail(r, f->where, "'ports' must name a port");
    for (uint32_t i = 0; rc == TT_OK && i < f->n; i++) {
        rc = read_port(r, &f->u.child[i], op, *n);
        *n += rc == TT_OK;
    }
    file_unlist(r, *n);
    return rc;
}

/* Sources are the scenario's connections: if given, they must be these. */
static enum tt_code read_sources(struct tt_reading *r, const struct tt_doc *d,
                                 uint32_t n)
{
    const tt_plan *p = r->w->plan;
    const struct tt_doc *f;
    char to[512], from[512];
    enum tt_code rc;

    if (!tt_doc_find(d, "sources"))
        return TT_OK;
    rc = file_field(r, d, "sources", TT_DOC_ARRAY, &f);
    if (rc == TT_OK && f->n != n)
        rc = file_fail(r, f->where, "%u sources for %u ports", f->n, n);
    for (uint32_t i = 0; rc == TT_OK && i < n; i++) {
        const struct tt_doc *s = &f->u.child[i];
        uint32_t is = p->feed[p->slot[r->list[i]].feed].from;

        if (s->kind != TT_DOC_TEXT)
            rc = file_wrong(r, s, "a string");
        else if (tt_names_find(&r->slot, s->u.text) != is)
            rc = file_fail(r, s->where,
                           "the source of '%s' is '%s', not '%s': connections "
                           "are those of the scenario",
                           tt_plan_slot_name(p, r->list[i], to, sizeof(to)),
                           tt_plan_slot_name(p, is, from, sizeof(from)),
                           s->u.text);
    }
    return rc;
}

/* --- moves, steps, states --------------------------------------------------
 */

/* At events the guard follows from what is moved. */
static void write_move(struct tt_reading *r, struct tt_op op, uint32_t n)
{
    if (r->section == TT_SEC_EVENT)
        op.guard = tt_write_guard(r->w->plan, r->list[0]);
    tt_write_move(r->w, op, r->list, n);
}

/* The unit, and which of its ports. */
static enum tt_code read_what(struct tt_reading *r, const struct tt_doc *d,
                              struct tt_op *op, uint32_t *n)
{
    enum tt_code rc = read_unit(r, d, &op->unit);

    return rc == TT_OK ? read_ports(r, d, op, n) : rc;
}

static enum tt_code read_get(struct tt_reading *r, const struct tt_doc *d,
                             struct tt_op op)
{
    uint32_t n = 0;
    enum tt_code rc = read_what(r, d, &op, &n);

    op.at = file_instant(r);
    if (rc == TT_OK)
        rc = read_register(r, d, "at", &op.at);
    if (rc == TT_OK)
        rc = file_flag(r, d, "predicted", TT_OP_PREDICTED, &op.flags);
    if (rc == TT_OK)
        rc = file_flag(r, d, "cut", TT_OP_CUT, &op.flags);
    if (rc == TT_OK)
        rc = file_flag(r, d, "late", TT_OP_LATE, &op.flags);
    op.to = op.at;
    if (rc == TT_OK)
        write_move(r, op, n);
    return rc;
}

static enum tt_code refuse(struct tt_reading *r, const struct tt_doc *d,
                           const char *field, const char *why)
{
    const struct tt_doc *f = tt_doc_find(d, field);

    return f ? file_fail(r, f->key_where, "%s has no '%s'", why, field) : TT_OK;
}

/* A value is of one instant. */
static enum tt_code read_instant(struct tt_reading *r, const struct tt_doc *d,
                                 struct tt_op *op)
{
    enum tt_code rc = refuse(r, d, "from", "a value without a course");

    if (rc == TT_OK)
        rc = refuse(r, d, "to", "a value without a course");
    if (rc == TT_OK)
        rc = read_register(r, d, "at", &op->at);
    op->to = op->at;
    return rc;
}

/* A course leads from T0 to T1, or over a sub-step. */
static enum tt_code read_course(struct tt_reading *r, const struct tt_doc *d,
                                struct tt_op *op)
{
    static const char *const courses[] = {"past", "new", NULL};
    uint32_t new = 0;
    enum tt_code rc;

    if (!tt_doc_find(d, "course"))
        return read_instant(r, d, op);
    op->at = TT_T0;
    op->to = TT_T1;
    rc = refuse(r, d, "at", "a course");
    if (rc == TT_OK)
        rc = file_word(r, d, "course", courses, &new);
    if (rc == TT_OK)
        rc = read_register(r, d, "from", &op->at);
    if (rc == TT_OK)
        rc = read_register(r, d, "to", &op->to);
    op->flags |= (uint8_t)(TT_OP_COURSE | (new ? TT_OP_INTERPOLATE : 0));
    return rc;
}

static enum tt_code read_set(struct tt_reading *r, const struct tt_doc *d,
                             struct tt_op op)
{
    uint32_t n = 0;
    enum tt_code rc = read_what(r, d, &op, &n);

    op.at = file_instant(r);
    if (rc == TT_OK)
        rc = read_sources(r, d, n);
    if (rc == TT_OK)
        rc = read_course(r, d, &op);
    if (rc == TT_OK)
        rc = file_flag(r, d, "guess", TT_OP_GUESS, &op.flags);
    if (rc == TT_OK)
        rc = file_flag(r, d, "later", TT_OP_LATER, &op.flags);
    if (rc == TT_OK)
        write_move(r, op, n);
    return rc;
}

static enum tt_code read_step(struct tt_reading *r, const struct tt_doc *d,
                              struct tt_op op)
{
    enum tt_code rc = read_unit(r, d, &op.unit);

    op.at = r->substeps ? TT_S0 : TT_T0;
    op.to = r->substeps ? TT_S1 : TT_T1;
    if (rc == TT_OK)
        rc = read_register(r, d, "from", &op.at);
    if (rc == TT_OK)
        rc = read_register(r, d, "to", &op.to);
    if (rc == TT_OK)
        tt_write_op(r->w, op);
    return rc;
}

static enum tt_code read_state(struct tt_reading *r, const struct tt_doc *d,
                               struct tt_op op)
{
    enum tt_code rc = read_unit(r, d, &op.unit);

    if (rc == TT_OK && tt_doc_find(d, "register"))
        rc = file_count(r, d, "register", 0, TT_FILE_STATES - 1, &op.arg);
    if (rc == TT_OK)
        rc = file_flag(r, d, "later", TT_OP_LATER, &op.flags);
    if (rc != TT_OK)
        return rc;
    if (op.arg >= r->n_state)
        r->n_state = op.arg + 1;
    tt_write_op(r->w, op);
    return TT_OK;
}

static enum tt_code read_event(struct tt_reading *r, const struct tt_doc *d,
                               struct tt_op op)
{
    enum tt_code rc = read_unit(r, d, &op.unit);

    op.at = op.to = TT_T1;
    op.guard = tt_flag_of_unit(op.unit) + 1;
    if (rc == TT_OK)
        tt_write_op(r->w, op);
    return rc;
}

static enum tt_code read_tick(struct tt_reading *r, const struct tt_doc *d,
                              struct tt_op op)
{
    uint32_t n = 0;
    enum tt_code rc = read_what(r, d, &op, &n);

    op.at = TT_T1;
    if (rc == TT_OK)
        rc = read_register(r, d, "at", &op.at);
    op.to = op.at;
    if (rc == TT_OK)
        write_move(r, op, n);
    return rc;
}

static enum tt_code read_time(struct tt_reading *r, const struct tt_doc *d,
                              struct tt_op op)
{
    const struct tt_doc *f;
    uint32_t half = 0;
    enum tt_code rc = file_field(r, d, "half", TT_DOC_TEXT, &f);

    if (rc == TT_OK)
        rc = file_word(r, d, "half", tt_file_halves, &half);
    op.arg = TT_HALF_FIRST + half;
    op.at = TT_S0;
    op.to = TT_S1;
    if (rc == TT_OK)
        tt_write_op(r->w, op);
    return rc;
}

static enum tt_code read_commit(struct tt_reading *r, const struct tt_doc *d,
                                struct tt_op op)
{
    (void)d;
    op.at = op.to = file_instant(r);
    tt_write_op(r->w, op);
    return TT_OK;
}

/* --- all of them -----------------------------------------------------------
 */

struct verb {
    const char *name;
    const char *const *fields;
    enum tt_op_code code;
    enum tt_code (*read)(struct tt_reading *r, const struct tt_doc *d,
                         struct tt_op op); /* of that code, of no unit */
};

#define FIELDS(...)                                                            \
    (const char *const[])                                                      \
    {                                                                          \
        "op", __VA_ARGS__, NULL                                                \
    }
static const struct verb verbs[] = {
    {"get", FIELDS("instance", "ports", "at", "predicted", "cut", "late"),
     TT_OP_GET, read_get},
    {"set",
     FIELDS("instance", "ports", "sources", "at", "course", "from", "to",
            "guess", "later"),
     TT_OP_SET, read_set},
    {"step", FIELDS("instance", "from", "to"), TT_OP_STEP, read_step},
    {"save", FIELDS("instance", "register"), TT_OP_SAVE, read_state},
    {"restore", FIELDS("instance", "register", "later"), TT_OP_RESTORE,
     read_state},
    {"loop", FIELDS("times", "most", "substeps", "solve", "do"), TT_OP_LOOP,
     file_read_loop},
    {"time", FIELDS("half"), TT_OP_TIME, read_time},
    {"commit", FIELDS(NULL), TT_OP_COMMIT, read_commit},
    {"enter", FIELDS("instance"), TT_OP_ENTER, read_event},
    {"update", FIELDS("instance"), TT_OP_UPDATE, read_event},
    {"leave", FIELDS("instance"), TT_OP_LEAVE, read_event},
    {"tick", FIELDS("instance", "ports", "at"), TT_OP_TICK, read_tick},
    {"interval", FIELDS("instance"), TT_OP_INTERVAL, read_event},
};
#define VERBS (sizeof(verbs) / sizeof(*verbs))

static const char *verb_name(const void *ctx, size_t i)
{
    (void)ctx;
    return verbs[i].name;
}

static enum tt_code read_operation(struct tt_reading *r, const struct tt_doc *d)
{
    const struct tt_doc *f;
    char hint[512];
    enum tt_code rc;

    if (d->kind != TT_DOC_OBJECT)
        return file_wrong(r, d, "an object");
    rc = file_field(r, d, "op", TT_DOC_TEXT, &f);
    for (size_t i = 0; rc == TT_OK && i < VERBS; i++)
        if (strcmp(verbs[i].name, f->u.text) == 0) {
            struct tt_op op = {.code = (uint8_t)verbs[i].code, .unit = TT_NONE};

            rc = file_object(r, d, verbs[i].fields);
            return rc == TT_OK ? verbs[i].read(r, d, op) : rc;
        }
    if (rc != TT_OK)
        return rc;
    return file_fail(
        r, f->where, "there is no operation '%s'%s", f->u.text,
        file_hint(hint, sizeof(hint), f->u.text, VERBS, verb_name, NULL));
}

enum tt_code file_operations(struct tt_reading *r, const struct tt_doc *list)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; rc == TT_OK && i < list->n; i++) {
        rc = read_operation(r, &list->u.child[i]);
        file_mark(r, list->u.child[i].where);
    }
    return rc;
}
