/* SPDX-License-Identifier: MIT */
/* The inner units of a program: opened, what they are, in which order. */
#include <string.h>

#include "adapt/adapt_impl.h"
#include "kinds/kinds.h"
#include "remote/remote.h"
#include "sys/file.h"

#define MOST_DEPTH 32

static enum tt_code check_self(const struct tt_source *s, tt_err *err)
{
    int depth = 0;

    for (const struct tt_source *o = s->within; o; o = o->within) {
        if (++depth > MOST_DEPTH)
            return tt_fail(
                err, TT_EINPUT,
                "%s: adaptations are more than %d deep in each other", s->path,
                MOST_DEPTH);
        if (o->path && !o->inner && !o->n_clause && !s->n_clause &&
            tt_file_same(o->path, s->path))
            return tt_fail(err, TT_EINPUT, "%s: an adaptation contains itself",
                           s->path);
    }
    return TT_OK;
}

static enum tt_code read_program(struct sa_linked *l, const struct tt_source *s,
                                 const char **all, tt_err *err)
{
    struct tt_buf text;
    enum tt_code rc;
    char *copy;

    tt_buf_init(&text, SA_TEXT_MAX);
    rc = tt_file_read(&text, s->path, err);
    if (rc == TT_OK && text.len && memchr(text.data, '\0', text.len))
        rc = tt_fail(err, TT_EINPUT, "%s: not a text", s->path);
    copy = rc == TT_OK ? tt_arena_strndup(l->prog.arena,
                                          text.len ? text.data : "", text.len)
                       : NULL;
    tt_buf_fini(&text);
    if (rc == TT_OK && !copy)
        rc = tt_nomem(err, s->path);
    *all = copy;
    return rc == TT_OK ? sa_parse(&l->prog, copy, err) : rc;
}

/* --- opening ---------------------------------------------------------------
 */

static const char *place_of(struct sa_linked *l, const struct tt_source *s,
                            const char *place)
{
    char *dir, *path;
    const char *kept;

    if (!strncmp(place, "tutti:", 6) || place[0] == '/')
        return place;
    dir = tt_path_dir(s->path);
    path = dir ? tt_path_join(dir, place) : NULL;
    kept = path ? tt_arena_strdup(l->prog.arena, path) : NULL;
    TT_FREE_ALL(dir, path);
    return kept;
}

/* What may only be in the base is looked for nowhere else. */
static enum tt_code check_base(struct sa_linked *l, const struct sa_inner *f,
                               const struct tt_source *s, const char *path,
                               tt_err *err)
{
    char *real, *base;
    int below;

    if (!s->only_base || !s->base)
        return TT_OK;
    if (tt_remote_is(&(struct tt_source){.path = path}))
        return sa_fail(&l->prog, f->at, err, TT_EINPUT,
                       "inner unit '%s': '%s' is on another machine", f->name,
                       f->place);
    if (!strncmp(path, "tutti:", 6))
        return TT_OK;
    real = tt_path_real(path);
    base = tt_path_real(s->base);
    below = real && base && tt_path_is_below(real, base);
    TT_FREE_ALL(real, base);
    return below ? TT_OK
                 : sa_fail(&l->prog, f->at, err, TT_EINPUT,
                           "inner unit '%s': '%s' is not in the folder of the "
                           "scenario",
                           f->name, f->place);
}

static const char *why_not(const struct tt_desc *d)
{
    return d->caps.clocks     ? "has clocks, and an adaptation has none"
           : d->caps.implicit ? "is a coupling"
                              : NULL;
}

static enum tt_code check_kind(const struct sa_linked *l,
                               const struct sa_inner *f,
                               const struct tt_desc *d, tt_err *err)
{
    const char *why = why_not(d);

    return why ? sa_fail(&l->prog, f->at, err, TT_EUNSUPPORTED,
                         "inner unit '%s' %s", f->name, why)
               : TT_OK;
}

static enum tt_code open_source(tt_unit_type **t, const struct tt_source *s,
                                tt_err *err)
{
    const struct tt_kind_ops *kind;
    enum tt_code rc =
        s->kind_cb ? s->kind_cb(&kind, s, err) : tt_kind_for(&kind, s, err);

    return rc == TT_OK ? kind->open(t, s, err) : rc;
}

/* That several are one is a decision. */
static void log_merged(const struct tt_source *s, uint32_t n)
{
    const struct tt_clause *c = s->clause + s->n_clause - n;
    struct tt_buf text;

    if (n < 2)
        return;
    tt_buf_init(&text, 4096);
    for (uint32_t i = 0; i < n; i++)
        tt_buf_fmt(&text, "%s'%s'", i ? ", " : "", c[i].text);
    if (!text.failed)
        tt_log(s->log, TT_LOG_NOTE, "%s:%u:%u: %s are one adaptation", c->file,
               (unsigned)c->line, (unsigned)c->column, text.data);
    tt_buf_fini(&text);
}

/* The last clauses are about the unit that those before them made. */
static enum tt_code read_clauses(struct sa_linked *l, const struct tt_source *s,
                                 tt_err *err)
{
    const struct tt_clause *last = &s->clause[s->n_clause - 1];
    struct tt_source in = *s;
    struct tt_buf text;
    const char *copy = NULL;
    enum tt_code rc;

    l->prog.origin = (struct sa_origin){last->file, last->line, last->column};
    l->all_out = 1;
    in.n_clause -= sa_clauses_together(s);
    in.within = s;
    in.no_event_mode = 1;
    rc = open_source(&l->under, &in, err);
    if (rc != TT_OK)
        return rc;
    tt_buf_init(&text, SA_TEXT_MAX);
    rc = sa_write_clauses(&text, s, s->n_clause - in.n_clause, &l->under->desc,
                          l->prog.arena, err);
    if (rc == TT_OK && !text.failed)
        copy = tt_arena_strdup(l->prog.arena, text.data);
    tt_buf_fini(&text);
    if (rc == TT_OK && !copy)
        rc = tt_nomem(err, s->path);
    if (rc == TT_OK)
        log_merged(s, s->n_clause - in.n_clause);
    return rc == TT_OK ? sa_parse(&l->prog, copy, err) : rc;
}

/* No other host is asked. */
static int is_there(const struct tt_source *s)
{
    return !tt_remote_is(s) &&
           (!strncmp(s->path, "tutti:", 6) || tt_file_exists(s->path));
}

static enum tt_code open_inner(struct sa_linked *l, uint32_t i,
                               const struct tt_source *s, int need, tt_err *err)
{
    const struct sa_inner *f = &l->prog.inner.v[i];
    struct sa_opened *o = &l->inner[i];
    const char *path = place_of(l, s, f->place);
    struct tt_source in = {.path = path,
                           .log = s->log,
                           .within = s,
                           TT_SAME(s, opened, kind_cb, base, only_base),
                           .no_event_mode = 1,
                           .far = s->far};
    enum tt_code rc;

    o->path = path;
    if (!path)
        return tt_nomem(err, l->prog.origin.name);
    if (l->under && i == 0) {
        o->type = l->under;
        l->under = NULL;
        return check_kind(l, f, &o->type->desc, err);
    }
    if (!need && !is_there(&in))
        return f->in.n || f->out.n
                   ? TT_OK
                   : sa_fail(&l->prog, f->at, err, TT_EINPUT,
                             "inner unit '%s': there is no '%s', and no ports "
                             "are declared",
                             f->name, f->place);
    rc = check_base(l, f, s, path, err);
    if (rc != TT_OK)
        return rc;
    rc = open_source(&o->type, &in, err);
    if (rc != TT_OK)
        return tt_context(err, rc, "%s:%u:%u: inner unit '%s'",
                          l->prog.origin.name, (unsigned)f->at->line,
                          (unsigned)f->at->column, f->name);
    return check_kind(l, f, &o->type->desc, err);
}

/* --- faces -----------------------------------------------------------------
 */

static enum sa_type type_of(enum tt_type t)
{
    return tt_type_is_bool(t)                           ? SA_BOOL
           : tt_type_is_float(t)                        ? SA_REAL
           : tt_type_is_number(t) || tt_type_is_enum(t) ? SA_INTEGER
                                                        : SA_TEXT;
}

int sa_is_face(const struct tt_desc *d, const struct tt_port *p)
{
    return (p->causality == TT_CAUS_INPUT || p->causality == TT_CAUS_OUTPUT) &&
           p->n == 1 && !p->n_dim && !p->hidden &&
           (!p->clock || d->caps.discrete) && type_of(p->type) != SA_TEXT;
}

int sa_has_next(const struct tt_desc *d)
{
    return d->caps.max_step || d->caps.discrete;
}

static struct sa_face *add_face(struct sa_opened *o, const char *name)
{
    struct sa_face *f = &o->face[o->n_face];

    *f = (struct sa_face){.name = name, .port = TT_NONE};
    if (tt_names_add(&o->by_name, name, o->n_face) != 0)
        return NULL;
    o->n_face++;
    return f;
}

static enum tt_code stated_faces(struct sa_linked *l, uint32_t i, int input,
                                 tt_err *err)
{
    const struct sa_inner *f = &l->prog.inner.v[i];
    const sa_ports *list = input ? &f->in : &f->out;
    struct sa_opened *o = &l->inner[i];

    for (size_t k = 0; k < list->n; k++) {
        const struct sa_port *q = &list->v[k];
        uint32_t at = tt_names_find(&o->by_name, q->name);
        struct sa_face *face = at == TT_NONE ? NULL : &o->face[at];

        if (o->type && (!face || face->input != input)) {
            const char *near =
                tt_desc_nearest(&o->type->desc, q->name,
                                input ? TT_CAUS_INPUT : TT_CAUS_OUTPUT);

            return sa_fail(&l->prog, q->at, err, TT_EINPUT,
                           "inner unit '%s' has no %s '%s'%s%s%s", f->name,
                           input ? "input" : "output", q->name,
                           near ? "; did you mean '" : "", near ? near : "",
                           near ? "'?" : "");
        }
        if (!face)
            face = add_face(o, q->name);
        if (!face || face->stated)
            return sa_fail(&l->prog, q->at, err, TT_EINPUT,
                           "there are two ports '%s.%s'", f->name, q->name);
        face->stated = q;
        face->input = input;
        face->unit = q->unit ? q->unit : face->unit;
        face->type = q->type ? q->type : face->type ? face->type : SA_REAL;
    }
    return TT_OK;
}

static enum tt_code fixed_ports(struct sa_linked *l, uint32_t i, tt_err *err)
{
    const struct sa_inner *f = &l->prog.inner.v[i];
    const struct tt_desc *d = l->inner[i].type ? &l->inner[i].type->desc : NULL;

    for (size_t k = 0; d && k < f->fixed.n; k++) {
        const char *name = f->fixed.v[k].name, *near;
        uint32_t at = tt_desc_find(d, name);

        if (at != TT_NONE && d->port[at].causality == TT_CAUS_PARAMETER &&
            d->port[at].n == 1 && type_of(d->port[at].type) != SA_TEXT)
            continue;
        near = tt_desc_nearest(d, name, TT_CAUS_PARAMETER);
        return sa_fail(&l->prog, f->fixed.v[k].at, err, TT_EINPUT,
                       "inner unit '%s' has no parameter '%s'%s%s%s", f->name,
                       name, near ? "; did you mean '" : "", near ? near : "",
                       near ? "'?" : "");
    }
    return TT_OK;
}

static enum tt_code faces(struct sa_linked *l, uint32_t i, tt_err *err)
{
    const struct sa_inner *f = &l->prog.inner.v[i];
    struct sa_opened *o = &l->inner[i];
    const struct tt_desc *d = o->type ? &o->type->desc : NULL;
    enum tt_code rc;

    tt_names_init(&o->by_name);
    if (!TT_NEW_IN(l->prog.arena, o->face,
                   f->in.n + f->out.n + (d ? d->n_port : 0) + 1))
        return tt_nomem(err, l->prog.origin.name);
    for (uint32_t k = 0; d && k < d->n_port; k++) {
        const struct tt_port *q = &d->port[k];
        struct sa_face *face;

        if (!sa_is_face(d, q))
            continue;
        face = add_face(o, q->name);
        if (!face)
            continue;
        face->port = k;
        face->input = q->causality == TT_CAUS_INPUT;
        face->type = type_of(q->type);
        face->unit = q->quantity ? q->quantity->name : NULL;
    }
    rc = stated_faces(l, i, 1, err);
    if (rc == TT_OK)
        rc = stated_faces(l, i, 0, err);
    return rc == TT_OK ? fixed_ports(l, i, err) : rc;
}

uint32_t sa_find_inner(const struct sa_linked *l, const char *name, size_t n)
{
    for (uint32_t i = 0; i < l->prog.inner.n; i++)
        if (strlen(l->prog.inner.v[i].name) == n &&
            !strncmp(l->prog.inner.v[i].name, name, n))
            return i;
    return TT_NONE;
}

const struct sa_face *sa_find_face(const struct sa_linked *l, const char *name,
                                   uint32_t *inner)
{
    const char *dot = strchr(name, '.');
    uint32_t k;

    if (!dot)
        return NULL;
    *inner = sa_find_inner(l, name, (size_t)(dot - name));
    if (*inner == TT_NONE)
        return NULL;
    k = tt_names_find(&l->inner[*inner].by_name, dot + 1);
    return k == TT_NONE ? NULL : &l->inner[*inner].face[k];
}

/* --- kinds and order -------------------------------------------------------
 */

/* Assumption 11: what is not known to be otherwise is mealy, and delayed. */
static enum sa_feed feed_of(const struct tt_desc *d)
{
    if (!d)
        return SA_MEALY;
    if (d->caps.discrete)
        return SA_MOORE;
    for (uint32_t k = 0; k < d->n_port; k++) {
        if (d->port[k].causality != TT_CAUS_OUTPUT)
            continue;
        if (!d->run || !d->run[k].known)
            return SA_MEALY;
        for (uint32_t j = 0; j < d->run[k].n; j++)
            if (d->port[d->run[k].port[j]].causality == TT_CAUS_INPUT)
                return SA_MEALY;
    }
    return SA_MOORE;
}

static void classify(struct sa_linked *l, uint32_t i)
{
    const struct sa_inner *f = &l->prog.inner.v[i];
    struct sa_opened *o = &l->inner[i];
    const struct tt_desc *d = o->type ? &o->type->desc : NULL;

    o->feed = f->feed ? f->feed : feed_of(d);
    o->react = f->react                    ? f->react
               : d && d->caps.course_order ? SA_REACTIVE
                                           : SA_DELAYED;
}

/* Every unit behind those it depends on algebraically; what is delayed and
 * moore depends on none. */
static int order(struct sa_linked *l, uint32_t *sigma)
{
    uint32_t n = (uint32_t)l->prog.inner.n, done = 0;
    uint64_t placed = 0;

    while (done < n) {
        uint32_t before = done;

        for (uint32_t i = 0; i < n; i++) {
            int ready = !(placed & (1ULL << i));

            for (size_t c = 0; c < l->prog.conn.n && ready; c++) {
                uint32_t from, to;

                (void)sa_find_face(l, l->prog.conn.v[c].from, &from);
                (void)sa_find_face(l, l->prog.conn.v[c].to, &to);
                if (to == i && !(placed & (1ULL << from)) &&
                    !(l->inner[i].feed == SA_MOORE &&
                      l->inner[i].react == SA_DELAYED))
                    ready = 0;
            }
            if (!ready)
                continue;
            placed |= 1ULL << i;
            sigma[done++] = i;
        }
        if (before == done)
            return 0;
    }
    return 1;
}

static enum tt_code check_end(struct sa_linked *l, const struct sa_tok *at,
                              const char *name, int input, tt_err *err)
{
    uint32_t inner;
    const struct sa_face *f = sa_find_face(l, name, &inner);

    if (f && f->input == input)
        return TT_OK;
    return sa_fail(&l->prog, at, err, TT_EINPUT, "there is no %s '%s'",
                   input ? "input" : "output", name);
}

static enum tt_code connections(struct sa_linked *l, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (size_t c = 0; c < l->prog.conn.n && rc == TT_OK; c++) {
        const struct sa_conn *q = &l->prog.conn.v[c];

        rc = check_end(l, q->at, q->from, 0, err);
        if (rc == TT_OK)
            rc = check_end(l, q->at, q->to, 1, err);
        for (size_t k = 0; k < c && rc == TT_OK; k++)
            if (!strcmp(l->prog.conn.v[k].to, q->to))
                rc = sa_fail(&l->prog, q->at, err, TT_EINPUT,
                             "'%s' is connected twice", q->to);
    }
    return rc;
}

static enum tt_code names(struct sa_linked *l, tt_err *err)
{
    const struct sa_prog *p = &l->prog;

    for (size_t i = 0; i < p->inner.n; i++) {
        if (!strcmp(p->inner.v[i].name, p->name))
            return sa_fail(p, p->inner.v[i].at, err, TT_EINPUT,
                           "an inner unit is named as the adaptation, '%s'",
                           p->name);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(p->inner.v[i].name, p->inner.v[k].name))
                return sa_fail(p, p->inner.v[i].at, err, TT_EINPUT,
                               "there are two inner units '%s'",
                               p->inner.v[i].name);
    }
    return TT_OK;
}

static enum tt_code begin(struct sa_linked *l, const struct tt_source *s,
                          tt_err *err)
{
    *l = (struct sa_linked){.prog = {.arena = tt_arena_new()}};
    if (l->prog.arena)
        l->prog.origin.name = tt_arena_strdup(l->prog.arena, s->path);
    return l->prog.origin.name ? TT_OK : tt_nomem(err, s->path);
}

enum tt_code sa_link(struct sa_linked *l, const struct tt_source *s, int need,
                     tt_err *err)
{
    uint32_t *sigma;
    const char *text;
    enum tt_code rc = begin(l, s, err);

    if (rc != TT_OK)
        return rc;
    rc = check_self(s, err);
    if (rc == TT_OK)
        rc = s->n_clause ? read_clauses(l, s, err)
                         : read_program(l, s, &text, err);
    if (rc == TT_OK)
        rc = names(l, err);
    l->inner = rc == TT_OK ? tt_arena_alloc(l->prog.arena, l->prog.inner.n,
                                            sizeof(*l->inner))
                           : NULL;
    sigma = l->inner
                ? tt_arena_alloc(l->prog.arena, l->prog.inner.n, sizeof(*sigma))
                : NULL;
    if (rc == TT_OK && !sigma)
        return tt_nomem(err, s->path);
    for (uint32_t i = 0; i < l->prog.inner.n && rc == TT_OK; i++) {
        rc = open_inner(l, i, s, need, err);
        if (rc == TT_OK)
            rc = faces(l, i, err);
        if (rc == TT_OK)
            classify(l, i);
    }
    if (rc == TT_OK)
        rc = connections(l, err);
    if (rc == TT_OK && order(l, sigma))
        l->sigma = sigma;
    return rc;
}

void sa_unlink(struct sa_linked *l)
{
    for (uint32_t i = 0; l->inner && i < l->prog.inner.n; i++) {
        if (l->inner[i].type)
            l->inner[i].type->kind->close(l->inner[i].type);
        tt_names_fini(&l->inner[i].by_name);
    }
    if (l->under)
        l->under->kind->close(l->under);
    tt_arena_free(l->prog.arena);
    *l = (struct sa_linked){0};
}

/* --- in another place -------------------------------------------------------
 */

static enum tt_code move(struct sa_linked *l, const struct tt_source *s,
                         const struct tt_unit_move *m, const char *text,
                         struct tt_buf *out, tt_err *err)
{
    enum tt_code rc = TT_OK;
    uint32_t from = 0;

    for (size_t i = 0; i < l->prog.inner.n && rc == TT_OK; i++) {
        const struct sa_inner *f = &l->prog.inner.v[i];
        const char *name = f->place, *path = place_of(l, s, f->place);

        if (!path)
            return tt_nomem(err, s->path);
        if (strncmp(f->place, "tutti:", 6) != 0)
            rc = m->move_cb(m->ctx, path, &name, err);
        tt_buf_add(out, text + from, f->place_at->from - from);
        tt_buf_fmt(out, "\"%s\"", rc == TT_OK ? name : "");
        from = f->place_at->to;
    }
    tt_buf_str(out, text + from);
    return rc == TT_OK ? tt_buf_check(out, "a program", err) : rc;
}

enum tt_code tt_adapt_moved(const char *path, const struct tt_unit_move *m,
                            struct tt_buf *out, tt_err *err)
{
    const struct tt_source s = {.path = path};
    struct sa_linked l;
    const char *text = NULL;
    enum tt_code rc = begin(&l, &s, err);

    if (rc == TT_OK)
        rc = read_program(&l, &s, &text, err);
    if (rc == TT_OK)
        rc = move(&l, &s, m, text, out, err);
    tt_arena_free(l.prog.arena);
    return rc;
}
