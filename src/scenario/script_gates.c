/* SPDX-License-Identifier: MIT */
/* The instances of a script, and where they stand: one that decides, and a gate
 * on every connection that it touches. */
#include "scenario/script_impl.h"

#include <string.h>

#include "base/num.h"

#define SCRIPT "{script}.script"

static enum tt_code add_unit(struct script_draft *d, const char *key,
                             const char *source, const char *instance,
                             struct tt_where w, uint32_t *unit)
{
    struct tt_sc_build *b = d->b;

    if (!key || !source)
        return tt_sc_no_memory(b);
    if (tt_names_find(&b->fmu_by_key, key) != TT_NONE)
        return tt_sc_fail(b, w, TT_EINPUT,
                          "'script' needs the key '%s' for itself: give that "
                          "FMU another one",
                          key);
    return tt_sc_add_builtin(b, (struct tt_sc_word){key, w},
                             (struct tt_sc_word){source, w}, instance, unit);
}

/* A list that moved into the scenario grows again. */
static int thaw(void **list, size_t *cap, const void *from, size_t n,
                size_t size)
{
    if (n && !(*list = tt_zalloc(n, size)))
        return 0;
    if (n)
        memcpy(*list, from, n * size);
    *cap = n;
    return 1;
}
#define THAW(d, list)                                                          \
    thaw((void **)&(d)->list, &(d)->cap_##list, (d)->s.list, (d)->s.n_##list,  \
         sizeof(*(d)->list))

/* Another field has made a script: there is one, of both. */
static enum tt_code script_go_on(struct script_draft *d)
{
    d->s = *d->b->s->script;
    if (THAW(d, cue) && THAW(d, action) && THAW(d, fault) && THAW(d, gate) &&
        THAW(d, sleeper))
        return TT_OK;
    return tt_sc_no_memory(d->b);
}

enum tt_code script_begin(struct script_draft *d, const struct tt_doc *field)
{
    if (d->b->s->script)
        return script_go_on(d);
    d->s.polled = d->b->s->dialect != TT_SC_OWN;
    return add_unit(d, "{script}", "tutti:script", "script", field->key_where,
                    &d->s.unit);
}

static const char *numbered(struct tt_sc_build *b, const char *front,
                            uint32_t i, const char *back)
{
    char number[TT_NUM_MAX];

    tt_num_print_short(number, i);
    return tt_sc_join(b, front, number, back);
}

/* --- connections ---------------------------------------------------------- */

enum tt_code script_connect(struct script_draft *d, struct tt_sc_ref from,
                            struct tt_sc_ref to)
{
    struct tt_sc_build *b = d->b;
    uint32_t n = b->s->n_connection;

    if (!from.variable || !to.variable ||
        TT_GROW(b->connection, n, b->cap_connection) != 0)
        return tt_sc_no_memory(b);
    b->connection[n] = (struct tt_sc_connection){.from = from, .to = to};
    b->s->n_connection = n + 1;
    d->s.n_connection++;
    return TT_OK;
}

static enum tt_code add_source(struct script_draft *d, uint32_t gate,
                               const struct tt_sc_ref *from)
{
    struct tt_sc_gate *g = &d->gate[gate];
    uint32_t n = g->n_source;
    struct tt_sc_ref *list =
        tt_arena_alloc(d->b->s->arena, (size_t)n + 1, sizeof(*list));

    if (!list)
        return tt_sc_no_memory(d->b);
    if (n)
        memcpy(list, g->source, n * sizeof(*list));
    list[n] = *from;
    g->source = list;
    g->n_source = n + 1;
    return script_connect(d, *from,
                          (struct tt_sc_ref){g->unit,
                                             numbered(d->b, "u", n + 1, ""),
                                             from->where});
}

/* Behind a gate of the output, if there is one. */
static struct tt_sc_ref behind(const struct script_draft *d,
                               struct tt_sc_ref from)
{
    for (uint32_t i = 0; i < d->s.n_gate; i++)
        if (d->gate[i].at_output && tt_sc_ref_same(&d->gate[i].ref, &from))
            return (struct tt_sc_ref){d->gate[i].unit, "y", from.where};
    return from;
}

enum tt_code script_source(struct script_draft *d, uint32_t gate,
                           struct tt_sc_word word, uint32_t *number)
{
    struct tt_sc_ref from;
    enum tt_code rc = tt_sc_get_ref(d->b, word.text, word.where, &from);

    if (rc != TT_OK)
        return rc;
    if (d->gate[gate].at_output)
        return tt_sc_fail(d->b, word.where, TT_EINPUT,
                          "'%s' is the beginning of a connection, and cannot "
                          "be the end of one",
                          d->gate[gate].name);
    from = behind(d, from);
    for (*number = 1; *number <= d->gate[gate].n_source; ++*number)
        if (tt_sc_ref_same(&d->gate[gate].source[*number - 1], &from))
            return TT_OK;
    return add_source(d, gate, &from);
}

/* On the connection that ends at the variable, behind it on all that begin
 * there, or before it, where there is none. */
static enum tt_code route(struct script_draft *d, uint32_t gate)
{
    struct tt_sc_build *b = d->b;
    struct tt_sc_gate *g = &d->gate[gate];
    const struct tt_sc_ref y = {g->unit, "y", g->ref.where};
    uint32_t c = tt_names_find(&b->input, g->name);
    struct tt_sc_ref from;

    if (c == TT_NONE) {
        for (uint32_t i = 0; i < b->s->n_connection; i++)
            if (tt_sc_ref_same(&b->connection[i].from, &g->ref)) {
                b->connection[i].from = y;
                g->at_output = 1;
            }
        g->connected = g->at_output;
        return g->at_output ? add_source(d, gate, &g->ref)
                            : script_connect(d, y, g->ref);
    }
    from = b->connection[c].from;
    b->connection[c].from = y;
    g->connected = 1;
    return add_source(d, gate, &from);
}

/* What the one that decides sends it. */
static enum tt_code control(struct script_draft *d, uint32_t gate)
{
    static const char *const port[] = {"how", "fault", "value"};
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < 3 && rc == TT_OK; i++)
        rc = script_connect(
            d,
            (struct tt_sc_ref){d->s.unit, numbered(d->b, port[i], gate + 1, ""),
                               d->gate[gate].ref.where},
            (struct tt_sc_ref){d->gate[gate].unit, port[i],
                               d->gate[gate].ref.where});
    return rc;
}

enum tt_code script_gate(struct script_draft *d, struct tt_sc_word ref,
                         uint32_t *gate)
{
    uint32_t n = d->s.n_gate;
    struct tt_sc_gate g = {.name = ref.text};
    enum tt_code rc;

    for (*gate = 0; *gate < n; ++*gate)
        if (strcmp(d->gate[*gate].name, ref.text) == 0)
            return TT_OK;
    rc = tt_sc_get_ref(d->b, ref.text, ref.where, &g.ref);
    if (rc == TT_OK)
        rc = add_unit(d, numbered(d->b, "{gate", n + 1, "}"),
                      numbered(d->b, "tutti:gate:", n + 1, ""), "gate",
                      ref.where, &g.unit);
    if (rc != TT_OK)
        return rc;
    if (TT_GROW(d->gate, n, d->cap_gate) != 0)
        return tt_sc_no_memory(d->b);
    d->gate[n] = g;
    d->s.n_gate = n + 1;
    rc = route(d, n);
    return rc == TT_OK ? control(d, n) : rc;
}

/* --- variables ------------------------------------------------------------ */

struct list {
    const char *const **name;
    uint32_t *n;
    const char *unit;
};

static struct list list_of(struct script_draft *d, uint32_t gate)
{
    struct tt_sc_gate *g = gate == TT_NONE ? NULL : &d->gate[gate];

    return g ? (struct list){&g->variable, &g->n_variable,
                             d->b->unit[g->unit].unit.name}
             : (struct list){&d->s.variable, &d->s.n_variable, SCRIPT};
}

static enum tt_code add_variable(struct script_draft *d, struct list l,
                                 const struct tt_doc *v, const char *name)
{
    const char **longer;
    uint32_t n = *l.n;

    for (uint32_t i = 0; i < n; i++)
        if (strcmp((*l.name)[i], name) == 0)
            return TT_OK;
    longer = tt_arena_alloc(d->b->s->arena, (size_t)n + 1, sizeof(*longer));
    if (!longer || !(longer[n] = tt_sc_keep(d->b, name)))
        return tt_sc_no_memory(d->b);
    for (uint32_t i = 0; i < n; i++)
        longer[i] = (*l.name)[i];
    *l.name = longer;
    *l.n = n + 1;
    d->s.n_connection++;
    return tt_sc_connect_variable(d->b, v, name, l.unit, n + 1);
}

enum tt_code script_variables(struct script_draft *d, uint32_t gate,
                              const struct tt_doc *v, const tt_expr *e)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < e->n_ref && rc == TT_OK; i++)
        rc = add_variable(d, list_of(d, gate), v, e->ref[i].name);
    return rc;
}

enum tt_code script_watch(struct script_draft *d, uint32_t gate,
                          const struct tt_doc *v, const char **name)
{
    *name =
        tt_sc_join(d->b, d->b->unit[d->gate[gate].unit].unit.name, ".", "y");
    return *name ? add_variable(d, list_of(d, TT_NONE), v, *name)
                 : tt_sc_no_memory(d->b);
}

/* Without events it is looked at by the one that decides, alone. */
enum tt_code script_locate(struct script_draft *d, const struct tt_doc *when,
                           int ends)
{
    struct tt_sc_build *b = d->b;
    const char *key = numbered(b, "{condition", ++d->s.n_when, "}");
    struct tt_sc_word from = {.where = when->where}, to = from;
    uint32_t n = b->s->n_connection;
    enum tt_code rc;

    if (d->s.polled)
        return TT_OK;
    if (!key)
        return tt_sc_no_memory(b);
    rc =
        tt_sc_locate_more(b, (struct tt_sc_word){key, when->where}, when, ends);
    from.text = tt_sc_join(b, key, ".locate", ".count");
    to.text = numbered(b, SCRIPT ".k", d->s.n_when, "");
    if (rc == TT_OK && (!from.text || !to.text))
        rc = tt_sc_no_memory(b);
    if (rc == TT_OK)
        rc = tt_sc_connect(b, from, &to, 1);
    d->s.n_connection += b->s->n_connection - n;
    return rc;
}

/* --- the end -------------------------------------------------------------- */

enum tt_code script_add(struct script_draft *d, const struct tt_sc_action *a)
{
    if (!a->label || TT_GROW(d->action, d->s.n_action, d->cap_action) != 0)
        return tt_sc_no_memory(d->b);
    d->action[d->s.n_action++] = *a;
    return TT_OK;
}

static enum tt_code freeze(struct script_draft *d)
{
    tt_arena *a = d->b->s->arena;
    struct tt_sc_script *s = tt_arena_alloc(a, 1, sizeof(*s));

    if (!s)
        return tt_sc_no_memory(d->b);
    *s = d->s;
    s->cue = tt_arena_dup(a, d->cue, s->n_cue, sizeof(*s->cue));
    s->action = tt_arena_dup(a, d->action, s->n_action, sizeof(*s->action));
    s->fault = tt_arena_dup(a, d->fault, s->n_fault, sizeof(*s->fault));
    s->gate = tt_arena_dup(a, d->gate, s->n_gate, sizeof(*s->gate));
    s->sleeper = tt_arena_dup(a, d->sleeper, s->n_sleeper, sizeof(*s->sleeper));
    if (!s->cue || !s->action || !s->fault || !s->gate || !s->sleeper)
        return tt_sc_no_memory(d->b);
    d->b->s->script = s;
    return TT_OK;
}

enum tt_code script_end(struct script_draft *d, enum tt_code rc)
{
    if (rc == TT_OK)
        rc = freeze(d);
    TT_FREE_ALL(d->cue, d->action, d->fault, d->gate, d->sleeper);
    return rc;
}
