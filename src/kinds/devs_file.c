/* SPDX-License-Identifier: MIT */
/* Reading a discrete-event unit from its file. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "kinds/devs_impl.h"
#include "sys/file.h"
#include "text/json.h"

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(*(a))))

struct reader {
    struct tt_discrete_type *t;
    struct tt_devs_table *table;
    struct tt_text_file file;
    const struct tt_doc *root, *states;
    tt_err *err;
    enum tt_code rc;     /* of the first mistake; nothing is read after it */
    const char ***value; /* per port: the values it may have, NULL at the end;
                            NULL: any */
};

/* --- mistakes ------------------------------------------------------------- */

TT_PRINTF(3, 4)
static void fail(struct reader *r, struct tt_where w, const char *fmt, ...)
{
    struct tt_text_position p = tt_text_locate(&r->file, w.offset);
    char text[TT_ERR_MAX];
    va_list ap;

    if (r->rc != TT_OK)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    r->rc = tt_fail(r->err, TT_EINPUT, "%s:%zu:%zu: %s", r->file.path, p.line,
                    p.column, text);
}

static void no_memory(struct reader *r)
{
    if (r->rc == TT_OK)
        r->rc = tt_fail(r->err, TT_ENOMEM, "%s: out of memory", r->table->path);
}

static void *alloc(struct reader *r, size_t n, size_t size)
{
    void *p = tt_arena_alloc(r->t->b.arena, n, size);

    if (!p)
        no_memory(r);
    return p;
}

/* "; did you mean 'x'?" */
struct hint {
    char s[160];
};

static struct hint hint_of(const char *near)
{
    struct hint h = {""};

    if (near)
        (void)snprintf(h.s, sizeof(h.s), "; did you mean '%.100s'?", near);
    return h;
}

static const char *word_at(const void *ctx, size_t i)
{
    return ((const char *const *)ctx)[i];
}

static const char *key_at(const void *ctx, size_t i)
{
    return ((const struct tt_doc *)ctx)->u.child[i].key;
}

/* Only what can be seen may be meant. */
static const char *port_at(const void *ctx, size_t i)
{
    const struct tt_discrete_type *t = ctx;

    if (i == t->n_port)
        return "elapsed";
    return t->port[i].hidden ? NULL : t->port[i].name;
}

static int is_object(struct reader *r, const struct tt_doc *v, const char *what,
                     const char *const *field, uint32_t n)
{
    if (r->rc == TT_OK && v->kind != TT_DOC_OBJECT)
        fail(r, v->where, "%s is an object, and this is %s", what,
             tt_doc_kind_text(v->kind));
    for (uint32_t i = 0; r->rc == TT_OK && field && i < v->n; i++) {
        const struct tt_doc *m = &v->u.child[i];
        uint32_t k = 0;

        while (k < n && strcmp(field[k], m->key) != 0)
            k++;
        if (k == n)
            fail(r, m->key_where, "unknown field '%s'%s", m->key,
                 hint_of(tt_names_nearest(m->key, n, word_at, field)).s);
    }
    return r->rc == TT_OK;
}

static uint32_t choose(struct reader *r, const struct tt_doc *v,
                       const char *const *word, uint32_t n)
{
    struct tt_buf list;
    uint32_t k = 0;

    if (!v)
        return 0;
    while (v->kind == TT_DOC_TEXT && k < n && strcmp(word[k], v->u.text) != 0)
        k++;
    if (v->kind == TT_DOC_TEXT && k < n)
        return k;
    tt_buf_init(&list, 1024);
    for (k = 0; k < n; k++)
        tt_buf_fmt(&list, "%s'%s'", k ? " or " : "", word[k]);
    fail(r, v->where, "'%s' is %s", v->key, list.data ? list.data : "");
    tt_buf_fini(&list);
    return 0;
}

/* --- expressions ---------------------------------------------------------- */

static int find(void *ctx, const char *name, struct tt_expr_variable *v)
{
    const struct tt_discrete_type *t = ctx;
    uint32_t port = tt_names_find(&t->b.base.desc.by_name, name);

    *v = (struct tt_expr_variable){.type = TT_F64};
    if (!strcmp(name, "elapsed"))
        return 0;
    if (port == TT_NONE || t->port[port].hidden)
        return -1;
    v->type = t->port[port].type;
    return 0;
}

/* Where in the state what it refers to is. */
static void refer(struct reader *r, const struct tt_expr_ref *ref,
                  struct tt_where w)
{
    const struct tt_discrete_type *t = r->t;
    uint32_t port = tt_names_find(&t->b.base.desc.by_name, ref->name), at;

    if (!strcmp(ref->name, "elapsed"))
        at = (uint32_t)offsetof(struct tt_discrete_state, elapsed);
    else if (ref->form == TT_EXPR_VALUE)
        at = t->at[port];
    else if (t->port[port].clock)
        at = t->at[t->port[port].clock - 1];
    else
        at = TT_NONE;
    if (at == TT_NONE || (port == TT_NONE && ref->form != TT_EXPR_VALUE))
        fail(r, w, "'present' is for inputs, and '%s' is none", ref->name);
    else if (tt_discrete_refer(r->t, at) != 0)
        no_memory(r);
}

static enum tt_expr_kind kind_for(enum tt_type t)
{
    return t == TT_TEXT   ? TT_EXPR_TEXT
           : t == TT_BOOL ? TT_EXPR_BOOL
                          : TT_EXPR_NUMBER;
}

static void compile(struct reader *r, struct tt_devs_expr *out,
                    const char *text, struct tt_where w, enum tt_type type)
{
    const struct tt_expr_scope scope = {.offers = TT_EXPR_WITH_PRESENT |
                                                  TT_EXPR_WITH_T,
                                        .ctx = r->t,
                                        .find = find,
                                        .near = port_at,
                                        .n_near = r->t->n_port + 1};
    tt_err why = {0};
    enum tt_code rc;
    uint32_t ref;

    if (r->rc != TT_OK)
        return;
    rc = tt_expr_compile(&out->e, text, &scope, r->t->b.arena, &why);
    if (rc == TT_ENOMEM)
        no_memory(r);
    else if (rc != TT_OK)
        fail(r, w, "expression '%.200s', %s", text, why.msg);
    else if (out->e.kind != kind_for(type))
        fail(r, w, "expression '%.200s' is %s and not %s", text,
             tt_expr_kind_name(out->e.kind), tt_expr_kind_name(kind_for(type)));
    out->first = (uint32_t)r->t->n_where;
    for (uint32_t i = 0; r->rc == TT_OK && i < out->e.n_ref; i++)
        refer(r, &out->e.ref[i], w);
    if (r->rc != TT_OK)
        return;
    if (out->e.kind != TT_EXPR_NUMBER ||
        !tt_expr_is_sum(&out->e, &ref, &out->plus))
        return;
    out->how = ref == TT_NONE ? TT_DEVS_CONSTANT : TT_DEVS_SUM;
    if (ref != TT_NONE)
        out->at = r->t->where_at[out->first + ref];
}

/* A value as written is an expression, too. */
static void quote(struct tt_buf *b, const char *text)
{
    tt_buf_char(b, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            tt_buf_char(b, '\\');
        tt_buf_char(b, *text);
    }
    tt_buf_char(b, '"');
}

/* Of a port that lists its values it is one of them. */
static void check_value(struct reader *r, uint32_t port, const char *text,
                        struct tt_where w)
{
    const char *const *v = r->value[port];
    uint32_t n = 0;

    if (!v)
        return;
    while (v[n] && strcmp(v[n], text) != 0)
        n++;
    if (!v[n])
        fail(r, w, "'%s' is no value of '%s'%s", text, r->t->port[port].name,
             hint_of(tt_names_nearest(text, n, word_at, v)).s);
}

/* Texts stand for themselves where the port is one of texts; other strings are
 * expressions. */
static void read_literal(struct reader *r, struct tt_devs_expr *out,
                         const struct tt_doc *v, uint32_t port)
{
    enum tt_type type = r->t->port[port].type;
    char number[TT_NUM_MAX];
    struct tt_buf b;

    if (type == TT_TEXT && v->kind == TT_DOC_TEXT) {
        check_value(r, port, v->u.text, v->where);
        tt_buf_init(&b, (size_t)4 * TT_TEXT_MAX);
        quote(&b, v->u.text);
        if (b.failed)
            fail(r, v->where, "a text of %zu bytes is too long",
                 strlen(v->u.text));
        else
            compile(r, out, b.data, v->where, type);
        tt_buf_fini(&b);
    } else if (v->kind == TT_DOC_TEXT) {
        compile(r, out, v->u.text, v->where, type);
    } else if (v->kind == TT_DOC_BOOL) {
        compile(r, out, v->u.integer ? "true" : "false", v->where, type);
    } else if (v->kind == TT_DOC_NUMBER || v->kind == TT_DOC_INTEGER) {
        tt_num_print_short(number, tt_doc_number(v, 0));
        compile(r, out, number, v->where, type);
    } else {
        fail(r, v->where, "a value or an expression is expected, not %s",
             tt_doc_kind_text(v->kind));
    }
}

/* ... or {"is": expression}. */
static void read_value(struct reader *r, struct tt_devs_expr *out,
                       const struct tt_doc *v, uint32_t port)
{
    const struct tt_doc *is =
        v->kind == TT_DOC_OBJECT ? tt_doc_find(v, "is") : NULL;

    if (v->kind != TT_DOC_OBJECT)
        read_literal(r, out, v, port);
    else if (!is)
        fail(r, v->where, "there is no 'is'");
    else if (is->kind == TT_DOC_TEXT)
        compile(r, out, is->u.text, is->where, r->t->port[port].type);
    else
        read_literal(r, out, is, port);
}

static int read_guard(struct reader *r, struct tt_devs_expr *out,
                      const struct tt_doc *in)
{
    const struct tt_doc *v = tt_doc_find(in, "when");

    if (!v)
        return 0;
    if (v->kind != TT_DOC_TEXT)
        fail(r, v->where, "'when' is an expression, and this is %s",
             tt_doc_kind_text(v->kind));
    else
        compile(r, out, v->u.text, v->where, TT_BOOL);
    return 1;
}

/* --- names ---------------------------------------------------------------- */

static uint32_t find_state(struct reader *r, const struct tt_doc *v)
{
    uint32_t i = 0;

    if (v->kind != TT_DOC_TEXT) {
        fail(r, v->where, "the name of a state is expected, not %s",
             tt_doc_kind_text(v->kind));
        return 0;
    }
    while (i < r->states->n &&
           strcmp(r->states->u.child[i].key, v->u.text) != 0)
        i++;
    if (i == r->states->n)
        fail(r, v->where, "there is no state '%s'%s", v->u.text,
             hint_of(tt_names_nearest(v->u.text, i, key_at, r->states)).s);
    return i;
}

struct among {
    const struct reader *r;
    enum tt_causality is;
};

static const char *such_at(const void *ctx, size_t i)
{
    const struct among *a = ctx;
    const struct tt_port *p = &a->r->t->port[i];

    return p->hidden || p->causality != a->is || i == a->r->table->port
               ? NULL
               : p->name;
}

/* The port named by a key, of this causality. */
static uint32_t find_port(struct reader *r, const struct tt_doc *v,
                          enum tt_causality is, const char *what)
{
    const struct among a = {r, is};
    uint32_t port = tt_names_find(&r->t->b.base.desc.by_name, v->key);

    if (port != TT_NONE && such_at(&a, port))
        return port;
    fail(r, v->key_where, "there is no %s '%s'%s", what, v->key,
         hint_of(tt_names_nearest(v->key, r->t->n_port, such_at, &a)).s);
    return TT_NONE;
}

static uint32_t there_at(const struct reader *r, uint32_t port)
{
    return r->t->at[r->t->port[port].clock - 1];
}

/* --- transitions ---------------------------------------------------------- */

static void read_set(struct reader *r, struct tt_devs_way *way,
                     const struct tt_doc *v)
{
    if (!v || !is_object(r, v, "'set'", NULL, 0))
        return;
    way->set = alloc(r, v->n, sizeof(*way->set));
    for (uint32_t i = 0; r->rc == TT_OK && i < v->n; i++) {
        struct tt_devs_set *s = &way->set[way->n_set++];
        uint32_t port = find_port(r, &v->u.child[i], TT_CAUS_LOCAL, "variable");

        if (port == TT_NONE)
            return;
        s->to = r->t->at[port];
        read_value(r, &s->is, &v->u.child[i], port);
    }
}

/* The states that are read already, or will be, lie there. */
static void lead_to(struct reader *r, struct tt_devs_way *way,
                    const struct tt_doc *v)
{
    way->next = find_state(r, v);
    way->to = &r->table->state[way->next];
}

static void read_way(struct reader *r, struct tt_devs_way *way,
                     const struct tt_doc *v)
{
    static const char *const field[] = {"when", "set", "next", "description"};
    const struct tt_doc *next;

    way->next = TT_NONE;
    if (v->kind == TT_DOC_TEXT) {
        lead_to(r, way, v);
        return;
    }
    if (!is_object(r, v, "a transition", field, COUNT(field)))
        return;
    way->guarded = read_guard(r, &way->when, v);
    read_set(r, way, tt_doc_find(v, "set"));
    next = tt_doc_find(v, "next");
    if (next)
        lead_to(r, way, next);
}

static uint32_t is_plain(const struct tt_devs_way *way)
{
    for (uint32_t i = 0; i < way->n_set; i++)
        if (way->set[i].is.how == TT_DEVS_COMPUTED)
            return 0;
    return !way->guarded;
}

/* One, or several of which the first that may be is taken. */
static void read_ways(struct reader *r, struct tt_devs_ways *w,
                      const struct tt_doc *v)
{
    w->n = v->kind == TT_DOC_ARRAY ? v->n : 1;
    w->way = alloc(r, w->n, sizeof(*w->way));
    for (uint32_t i = 0; r->rc == TT_OK && i < w->n; i++)
        read_way(r, &w->way[i], v->kind == TT_DOC_ARRAY ? &v->u.child[i] : v);
    w->plain = r->rc == TT_OK && w->n && is_plain(w->way);
}

/* --- a state -------------------------------------------------------------- */

static void read_outputs(struct reader *r, struct tt_devs_state *s,
                         const struct tt_doc *v)
{
    static const char *const field[] = {"is", "when"};

    s->plain = 1;
    if (!v || !is_object(r, v, "'output'", NULL, 0))
        return;
    s->output = alloc(r, v->n, sizeof(*s->output));
    for (uint32_t i = 0; r->rc == TT_OK && i < v->n; i++) {
        struct tt_devs_output *o = &s->output[s->n_output++];
        const struct tt_doc *m = &v->u.child[i];
        uint32_t port = find_port(r, m, TT_CAUS_OUTPUT, "output");

        if (port == TT_NONE)
            return;
        o->to = r->t->at[port];
        o->there = there_at(r, port);
        if (m->kind == TT_DOC_OBJECT &&
            is_object(r, m, "an output", field, COUNT(field)))
            o->guarded = read_guard(r, &o->when, m);
        read_value(r, &o->is, m, port);
        s->plain &= !o->guarded && o->is.how != TT_DEVS_COMPUTED;
    }
}

static const struct tt_text *as_text(struct reader *r, const char *s,
                                     struct tt_where w)
{
    struct tt_text *t = alloc(r, 1, sizeof(*t));

    if (t && tt_text_set(t, s) != 0)
        fail(r, w, "a text of %zu bytes is too long", strlen(s));
    return t;
}

/* Of a port that lists its values a transition for each is stated. */
static void read_on(struct reader *r, struct tt_devs_state *s,
                    const struct tt_doc *v)
{
    uint32_t port = find_port(r, v, TT_CAUS_INPUT, "input");
    int listed = port != TT_NONE && r->value[port];

    if (port == TT_NONE || (listed && !is_object(r, v,
                                                 "what follows from a "
                                                 "value",
                                                 NULL, 0)))
        return;
    for (uint32_t i = 0; r->rc == TT_OK && i < (listed ? v->n : 1); i++) {
        struct tt_devs_on *on = &s->on[s->n_on++];
        const struct tt_doc *m = listed ? &v->u.child[i] : v;

        on->port = port;
        if (listed) {
            check_value(r, port, m->key, m->key_where);
            on->value = as_text(r, m->key, m->key_where);
        }
        read_ways(r, &on->ways, m);
    }
}

static void read_inputs(struct reader *r, struct tt_devs_state *s,
                        const struct tt_doc *v)
{
    uint32_t n = 0;

    if (!v || !is_object(r, v, "'on'", NULL, 0))
        return;
    for (uint32_t i = 0; i < v->n; i++)
        n += v->u.child[i].kind == TT_DOC_OBJECT ? v->u.child[i].n + 1 : 1;
    s->on = alloc(r, n, sizeof(*s->on));
    for (uint32_t i = 0; r->rc == TT_OK && i < v->n; i++)
        read_on(r, s, &v->u.child[i]);
}

static void read_after(struct reader *r, struct tt_devs_state *s,
                       const struct tt_doc *v)
{
    char number[TT_NUM_MAX];

    if (!v) {
        s->after.how = TT_DEVS_CONSTANT;
        s->after.plus = (double)INFINITY;
        return;
    }
    if (v->kind == TT_DOC_TEXT) {
        compile(r, &s->after, v->u.text, v->where, TT_F64);
    } else if (v->kind != TT_DOC_NUMBER && v->kind != TT_DOC_INTEGER) {
        fail(r, v->where, "'after' is a time or an expression, and this is %s",
             tt_doc_kind_text(v->kind));
    } else {
        if (!(tt_doc_number(v, 0) >= 0))
            fail(r, v->where, "a state cannot last less than 0 s");
        tt_num_print_short(number, tt_doc_number(v, 0));
        compile(r, &s->after, number, v->where, TT_F64);
    }
}

static void show(struct tt_devs_state *s)
{
    size_t n = s->n_name, most = sizeof(s->shown) - sizeof(s->n_name);

    memcpy(s->shown, &s->n_name, sizeof(s->n_name));
    memcpy(s->shown + sizeof(s->n_name), s->name, n < most ? n : most);
}

static void read_state(struct reader *r, struct tt_devs_state *s,
                       const struct tt_doc *v)
{
    static const char *const field[] = {"after", "output", "then", "on",
                                        "description"};
    const struct tt_doc *after, *then;

    s->name = v->key;
    s->n_name = (uint32_t)strlen(s->name);
    if (s->n_name >= TT_TEXT_MAX)
        s->n_name = 0; /* it is not shown */
    show(s);
    if (!is_object(r, v, "a state", field, COUNT(field)))
        return;
    after = tt_doc_find(v, "after");
    read_after(r, s, after);
    read_outputs(r, s, tt_doc_find(v, "output"));
    then = tt_doc_find(v, "then");
    if (after && !then)
        fail(r, v->key_where,
             "state '%s' has 'after' and no 'then': where does it lead?",
             s->name);
    if (!after && (then || s->n_output))
        fail(r, v->key_where,
             "state '%s' has '%s' and no 'after': it never ends by itself",
             s->name, then ? "then" : "output");
    if (then)
        read_ways(r, &s->then, then);
    read_inputs(r, s, tt_doc_find(v, "on"));
}

static void read_states(struct reader *r)
{
    const struct tt_doc *start = tt_doc_find(r->root, "start");

    r->table->state = alloc(r, r->states->n, sizeof(*r->table->state));
    r->table->n_state = r->states->n;
    r->t->n_phase = r->states->n;
    for (uint32_t i = 0; r->rc == TT_OK && i < r->states->n; i++)
        read_state(r, &r->table->state[i], &r->states->u.child[i]);
    if (r->rc == TT_OK && !r->states->n)
        fail(r, r->states->where, "there is no state");
    if (r->rc == TT_OK && start)
        r->table->start = find_state(r, start);
}

/* --- ports ---------------------------------------------------------------- */

static uint32_t add_port(struct reader *r, const struct tt_doc *v,
                         enum tt_causality causality, enum tt_type type,
                         const void *start)
{
    int twice = 0;
    uint32_t port = TT_NONE;

    if (r->rc == TT_OK && !strcmp(v->key, "elapsed"))
        fail(r, v->key_where, "'elapsed' has a meaning of its own");
    if (r->rc != TT_OK)
        return TT_NONE;
    port = tt_discrete_add(r->t, v->key, causality, type, start, &twice);
    if (twice)
        fail(r, v->key_where, "there is a '%s' already", v->key);
    else if (port == TT_NONE)
        no_memory(r);
    else
        r->t->port[port].line =
            (uint32_t)tt_text_locate(&r->file, v->key_where.offset).line;
    return port;
}

/* A parameter or variable has the type of its start value. */
static void add_variable(struct reader *r, const struct tt_doc *m,
                         enum tt_causality causality)
{
    static const char *const field[] = {"start", "description"};
    const struct tt_doc *v = m, *text;
    double number;
    uint8_t flag;
    uint32_t port = TT_NONE;

    if (m->kind == TT_DOC_OBJECT &&
        is_object(r, m, "a variable", field, COUNT(field)))
        v = tt_doc_find(m, "start");
    if (!v) {
        fail(r, m->where, "there is no 'start'");
    } else if (v->kind == TT_DOC_NUMBER || v->kind == TT_DOC_INTEGER) {
        number = tt_doc_number(v, 0);
        port = add_port(r, m, causality, TT_F64, &number);
    } else if (v->kind == TT_DOC_BOOL) {
        flag = v->u.integer != 0;
        port = add_port(r, m, causality, TT_BOOL, &flag);
    } else if (v->kind == TT_DOC_TEXT) {
        port =
            add_port(r, m, causality, TT_TEXT, as_text(r, v->u.text, v->where));
    } else {
        fail(r, v->where, "a start value is expected, not %s",
             tt_doc_kind_text(v->kind));
    }
    text = m->kind == TT_DOC_OBJECT ? tt_doc_find(m, "description") : NULL;
    if (port != TT_NONE && text && text->kind == TT_DOC_TEXT)
        r->t->port[port].text = text->u.text;
}

/* The object of this name, which may be missing. */
static const struct tt_doc *object_of(struct reader *r, const char *name)
{
    const struct tt_doc *v = tt_doc_find(r->root, name);
    char what[64];

    (void)snprintf(what, sizeof(what), "'%s'", name);
    return v && is_object(r, v, what, NULL, 0) ? v : NULL;
}

static void add_variables(struct reader *r, const char *name,
                          enum tt_causality causality)
{
    const struct tt_doc *v = object_of(r, name);

    for (uint32_t i = 0; v && r->rc == TT_OK && i < v->n; i++)
        add_variable(r, &v->u.child[i], causality);
}

/* The values listed, with NULL at the end. */
static const char **values_of(struct reader *r, const struct tt_doc *v)
{
    const char **list = alloc(r, (size_t)v->n + 1, sizeof(*list));

    for (uint32_t i = 0; r->rc == TT_OK && i < v->n; i++) {
        list[i] = v->u.child[i].u.text;
        if (v->u.child[i].kind != TT_DOC_TEXT)
            fail(r, v->u.child[i].where, "a value is a string, and this is %s",
                 tt_doc_kind_text(v->u.child[i].kind));
    }
    return list;
}

struct event_port {
    enum tt_type type;
    const char **values, *text;
};

/* "number", "boolean", "text", or a list of texts; or an object with more. */
static struct event_port read_type(struct reader *r, const struct tt_doc *v)
{
    static const char *const word[] = {"number", "boolean", "text"};
    static const enum tt_type type[] = {TT_F64, TT_BOOL, TT_TEXT};
    static const char *const field[] = {"type", "description"};
    const struct tt_doc *text;
    struct event_port p = {TT_F64, NULL, NULL};

    if (v->kind == TT_DOC_OBJECT) {
        if (!is_object(r, v, "a port", field, COUNT(field)))
            return p;
        text = tt_doc_find(v, "description");
        v = tt_doc_find(v, "type") ? tt_doc_find(v, "type") : v;
        p = read_type(r, v);
        if (text && text->kind == TT_DOC_TEXT)
            p.text = text->u.text;
        return p;
    }
    if (v->kind == TT_DOC_ARRAY) {
        p.type = TT_TEXT;
        p.values = values_of(r, v);
        return p;
    }
    p.type = type[choose(r, v, word, COUNT(word))];
    return p;
}

static void add_events(struct reader *r, const char *name,
                       enum tt_causality causality)
{
    const struct tt_doc *v = object_of(r, name);

    if (!v)
        return;
    if (causality == TT_CAUS_INPUT)
        r->table->input = alloc(r, v->n, sizeof(*r->table->input));
    for (uint32_t i = 0; r->rc == TT_OK && i < v->n; i++) {
        const struct tt_doc *m = &v->u.child[i];
        struct event_port p = read_type(r, m);
        uint32_t port = add_port(r, m, causality, p.type, NULL);

        if (port == TT_NONE)
            return;
        r->t->port[port].text = p.text;
        r->value[port] = p.values;
        if (causality == TT_CAUS_INPUT)
            r->table->input[r->table->n_input++] =
                (struct tt_devs_input){.port = port};
    }
}

/* --- all of it ------------------------------------------------------------ */

static size_t count_ports(const struct reader *r)
{
    static const char *const name[] = {"parameters", "variables", "inputs",
                                       "outputs"};
    size_t n = 2;

    for (uint32_t i = 0; i < COUNT(name); i++) {
        const struct tt_doc *v = tt_doc_find(r->root, name[i]);

        n += v && v->kind == TT_DOC_OBJECT ? (size_t)2 * v->n : 0;
    }
    return n;
}

static void add_ports(struct reader *r)
{
    static const struct tt_doc state = {.key = "state"};

    r->value = alloc(r, count_ports(r), sizeof(*r->value));
    r->table->port = add_port(r, &state, TT_CAUS_LOCAL, TT_TEXT, NULL);
    add_variables(r, "parameters", TT_CAUS_PARAMETER);
    add_variables(r, "variables", TT_CAUS_LOCAL);
    add_events(r, "inputs", TT_CAUS_INPUT);
    add_events(r, "outputs", TT_CAUS_OUTPUT);
    if (r->rc != TT_OK)
        return;
    tt_discrete_gather(r->t);
    for (uint32_t i = 0; i < r->table->n_input; i++)
        r->table->input[i].there = there_at(r, r->table->input[i].port);
    r->table->state_at = r->t->at[r->table->port];
    r->t->port[r->table->port].text = "the state it is in";
}

static void read_rest(struct reader *r)
{
    static const char *const undefined[] = {"ignore", "error"};
    static const char *const both[] = {"internal-first", "external-first",
                                       "external-only"};
    const struct tt_doc *e = tt_doc_find(r->root, "elapsed");

    r->table->strict = (int)choose(r, tt_doc_find(r->root, "undefined"),
                                   undefined, COUNT(undefined));
    r->table->confluent = (enum tt_devs_confluent)choose(
        r, tt_doc_find(r->root, "confluent"), both, COUNT(both));
    r->table->elapsed = tt_doc_number(e, 0);
    if (e && !(tt_doc_number(e, (double)NAN) >= 0))
        fail(r, e->where, "'elapsed' is a time since the state began");
}

static void read_root(struct reader *r)
{
    static const char *const field[] = {
        "name",   "description", "parameters", "variables",
        "inputs", "outputs",     "start",      "elapsed",
        "states", "undefined",   "confluent"};
    const struct tt_doc *name;

    if (!is_object(r, r->root, "a discrete-event unit", field, COUNT(field)))
        return;
    name = tt_doc_find(r->root, "name");
    if (name && name->kind == TT_DOC_TEXT)
        r->t->b.base.desc.model = name->u.text;
    r->states = tt_doc_find(r->root, "states");
    if (!r->states)
        fail(r, r->root->where, "there are no 'states'");
    else if (is_object(r, r->states, "'states'", NULL, 0)) {
        add_ports(r);
        read_rest(r);
        read_states(r);
    }
    if (r->rc == TT_OK)
        r->rc = tt_discrete_finish(r->t, 0, r->err);
    if (r->rc == TT_OK && tt_devs_find_alone(r->t, r->table) != 0)
        no_memory(r);
}

static enum tt_code parse(struct reader *r, const struct tt_buf *text)
{
    struct tt_doc root;
    tt_arena *nodes = tt_arena_new();

    r->file = (struct tt_text_file){r->table->path,
                                    text->data ? text->data : "", text->len};
    if (!nodes)
        no_memory(r);
    else
        r->rc = tt_doc_parse(&root, &r->file, 0, nodes, r->t->b.arena, r->err);
    r->root = &root;
    if (r->rc == TT_OK)
        read_root(r);
    tt_arena_free(nodes);
    return r->rc;
}

enum tt_code tt_devs_read(struct tt_discrete_type *t,
                          struct tt_devs_table *table, const char *path,
                          tt_err *err)
{
    struct reader r = {.t = t, .table = table, .err = err, .rc = TT_OK};
    struct tt_buf text;
    enum tt_code rc;

    table->path = tt_arena_strdup(t->b.arena, path);
    t->b.base.desc.model = tt_arena_strdup(t->b.arena, tt_path_base(path));
    if (!table->path || !t->b.base.desc.model)
        return tt_fail(err, TT_ENOMEM, "opening %s", path);
    tt_buf_init(&text, TT_DEVS_MAX_BYTES);
    rc = tt_file_read(&text, path, err);
    if (rc == TT_OK)
        rc = parse(&r, &text);
    tt_buf_fini(&text);
    return rc;
}
