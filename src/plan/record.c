/* SPDX-License-Identifier: MIT */
/* What is recorded: connected outputs, logVariables, and what patterns name;
 * every output when nothing is connected, and of a unit that has none what it
 * has inside. */
#include <string.h>

#include "base/buf.h"
#include "base/glob.h"
#include "plan/plan_impl.h"

#define COLUMN_NAME_MAX ((size_t)1 << 20)

static int recordable(const struct tt_port *p)
{
    return p->type != TT_CLOCK && !p->hidden;
}

static int is_condition(const tt_scenario *s, uint32_t u)
{
    for (uint32_t i = 0; i < s->n_locate; i++)
        if (s->locate[i].unit == u)
            return s->locate[i].of_script;
    return 0;
}

/* Is there something to show of connections, besides what a script does, or
 * asked for? Clocks alone have nothing. */
static int connects(const struct build *b)
{
    const tt_scenario *s = b->sc;
    uint32_t own = s->script ? s->script->n_connection : 0;
    int shows = s->n_record || s->n_log_variable;

    for (uint32_t u = 0; u < b->plan->n_unit && !shows; u++)
        for (uint32_t i = 0; i < b->plan->unit[u].desc->n_port && !shows; i++)
            shows = (b->mark[u][i] & MARK_OUT) &&
                    recordable(&b->plan->unit[u].desc->port[i]);
    return s->n_connection > own && shows;
}

static void mark_by_rule(struct build *b, uint32_t u, int connected)
{
    const struct tt_desc *d = b->plan->unit[u].desc;

    for (uint32_t i = 0; i < d->n_port; i++) {
        int output = d->port[i].causality == TT_CAUS_OUTPUT;

        if (!recordable(&d->port[i]) || is_condition(b->sc, u))
            continue;
        if ((b->mark[u][i] & MARK_OUT) || (output && !connected))
            b->mark[u][i] |= MARK_RECORD;
    }
}

/* Something to look at, where nothing else would be recorded of the unit. */
static void mark_inside(struct build *b, uint32_t u)
{
    const struct tt_desc *d = b->plan->unit[u].desc;
    uint32_t n = 0;

    for (uint32_t i = 0; i < d->n_port; i++)
        if (b->mark[u][i] & MARK_RECORD ||
            d->port[i].causality == TT_CAUS_OUTPUT)
            return;
    for (uint32_t i = 0; i < d->n_port; i++) {
        const struct tt_port *p = &d->port[i];

        if (!recordable(p) || p->causality != TT_CAUS_LOCAL ||
            p->variability < TT_VAR_DISCRETE)
            continue;
        b->mark[u][i] |= MARK_RECORD;
        n += p->n;
    }
    if (n)
        tt_plan_note(b->plan, "recorded",
                     "'%s' has no outputs: its %u local variable%s "
                     "recorded (--record chooses)",
                     b->plan->unit[u].name, (unsigned)n,
                     n == 1 ? " is" : "s are");
}

/* The variable of a unit that a name was meant for, if its beginning, which is
 * `length` long, states which unit. */
static const char *near_in(const struct tt_plan_unit *u, const char *name,
                           const char *prefix, size_t *length)
{
    *length = strlen(prefix);
    if (strncmp(name, prefix, *length) != 0)
        return NULL;
    *length += *length > 0; /* the dot */
    if (*length && name[*length - 1] != '.')
        return NULL;
    return tt_desc_nearest(u->desc, name + *length, -1);
}

static const char *unit_name(const void *ctx, size_t i)
{
    const tt_plan *p = ctx;

    return i < p->n_unit ? p->unit[i].name : p->unit[i - p->n_unit].instance;
}

/* A pattern may name its unit nearly: "msd3.*" for "msd1.*". */
static const char *near_unit(const struct build *b, const char *pattern,
                             const char **rest)
{
    const char *key = pattern[0] == '{' ? strchr(pattern, '}') : pattern;
    const char *dot = key ? strchr(key, '.') : NULL;
    char *name;

    if (dot && pattern[0] == '{')
        dot = strchr(dot + 1, '.');
    if (!dot)
        return NULL;
    *rest = dot;
    name = tt_arena_strndup(b->plan->arena, pattern, (size_t)(dot - pattern));
    return name ? tt_names_nearest(name, 2 * (size_t)b->plan->n_unit, unit_name,
                                   b->plan)
                : NULL;
}

static enum tt_code matches_nothing(const struct build *b, const char *pattern,
                                    tt_err *err)
{
    const char *near, *rest;

    for (uint32_t u = 0; u < b->plan->n_unit && !strpbrk(pattern, "*?"); u++) {
        const struct tt_plan_unit *unit = &b->plan->unit[u];
        const char *const prefix[] = {unit->name, unit->instance, ""};

        for (size_t i = 0, n; i < 3; i++) {
            near = near_in(unit, pattern, prefix[i], &n);
            if (near)
                return tt_fail(err, TT_EINPUT,
                               "nothing to record is called '%s', did you "
                               "mean '%.*s%s'?",
                               pattern, (int)n, pattern, near);
        }
    }
    near = near_unit(b, pattern, &rest);
    if (near && strncmp(near, pattern, (size_t)(rest - pattern)) != 0)
        return tt_fail(err, TT_EINPUT,
                       "nothing to record is called '%s', did you mean "
                       "'%s%s'?",
                       pattern, near, rest);
    return tt_fail(err, TT_EINPUT,
                   "nothing to record matches '%s' (patterns match "
                   "'variable', 'instance.variable' or "
                   "'{key}.instance.variable')",
                   pattern);
}

static enum tt_code mark_pattern(struct build *b, const char *pattern,
                                 tt_err *err)
{
    int found = 0;

    for (uint32_t u = 0; u < b->plan->n_unit; u++) {
        const struct tt_plan_unit *unit = &b->plan->unit[u];

        for (uint32_t i = 0; i < unit->desc->n_port; i++) {
            const struct tt_port *port = &unit->desc->port[i];

            if (!recordable(port) ||
                !tt_glob_variable(pattern, unit->name, unit->instance,
                                  port->name))
                continue;
            b->mark[u][i] |= MARK_RECORD;
            found = 1;
        }
    }
    return found ? TT_OK : matches_nothing(b, pattern, err);
}

static enum tt_code mark_listed(struct build *b, const struct tt_sc_ref *ref,
                                tt_err *err)
{
    uint32_t port;
    enum tt_code rc = plan_find_port(b, ref, &port, err);

    if (rc != TT_OK)
        return rc;
    if (!recordable(&b->plan->unit[ref->unit].desc->port[port]))
        return tt_scenario_fail_ref(
            b->sc, ref, err, TT_EUNSUPPORTED,
            "'%s.%s' is %s, which cannot be recorded",
            b->plan->unit[ref->unit].name, ref->variable,
            tt_type_name(b->plan->unit[ref->unit].desc->port[port].type));
    b->mark[ref->unit][port] |= MARK_RECORD;
    return TT_OK;
}

/* What is streamed may be gone: tools leave it behind. A near miss is none. */
static enum tt_code mark_streamed(struct build *b, const struct tt_sc_ref *ref,
                                  tt_err *err)
{
    const struct tt_desc *d = b->plan->unit[ref->unit].desc;
    tt_err warning;

    if (tt_desc_find(d, ref->variable) != TT_NONE ||
        tt_desc_nearest(d, ref->variable, -1))
        return mark_listed(b, ref, err);
    if (mark_listed(b, ref, &warning) != TT_OK)
        tt_log_place(b->log, TT_LOG_WARN, &warning.place, warning.msg);
    return TT_OK;
}

/* An array that is recorded brings the columns of its elements along. */
static void leave_out_doubles(struct build *b, uint32_t u)
{
    const struct tt_plan_unit *unit = &b->plan->unit[u];
    uint32_t plain = unit->desc->n_port - unit->n_element;

    for (uint32_t i = 0; i < unit->n_element; i++)
        if (b->mark[u][unit->element[i].port] & MARK_RECORD)
            b->mark[u][plain + i] &= (uint8_t)~MARK_RECORD;
}

enum tt_code plan_mark_recorded(struct build *b, tt_err *err)
{
    int connected = connects(b);
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < b->plan->n_unit; u++)
        mark_by_rule(b, u, connected);
    for (uint32_t i = 0; i < b->sc->n_log_variable && rc == TT_OK; i++)
        rc = mark_listed(b, &b->sc->log_variable[i], err);
    for (uint32_t i = 0; i < b->sc->n_live_variable && rc == TT_OK; i++)
        rc = mark_streamed(b, &b->sc->live_variable[i], err);
    for (uint32_t i = 0; i < b->sc->n_record && rc == TT_OK; i++)
        rc = mark_pattern(b, b->sc->record[i], err);
    for (uint32_t u = 0; u < b->plan->n_unit && rc == TT_OK; u++) {
        if (!b->sc->n_connection && !b->sc->n_record)
            mark_inside(b, u);
        leave_out_doubles(b, u);
    }
    return rc;
}

/* One column per element: "x", or "x[1]" .. and "m[1,1]" .. for arrays,
 * counted from 1, row by row. */
static const char *scalar_name(tt_arena *arena, const char *unit,
                               const char *port)
{
    size_t n = strlen(unit), m = strlen(port) + 1;
    char *name = tt_arena_alloc(arena, n + 1 + m, 1);

    if (!name)
        return NULL;
    memcpy(name, unit, n + 1);
    name[n] = '.';
    memcpy(name + n + 1, port, m);
    return name;
}

static const char *column_name(struct build *b, uint32_t slot, uint32_t element)
{
    const struct tt_port *port = tt_plan_port(b->plan, slot);
    const char *unit = b->plan->unit[b->plan->slot[slot].unit].name;
    uint32_t rest = element, stride = port->n;
    const char *name = NULL;
    struct tt_buf text;

    if (!port->n_dim)
        return scalar_name(b->plan->arena, unit, port->name);
    tt_buf_init(&text, COLUMN_NAME_MAX);
    tt_buf_fmt(&text, "%s.%s", unit, port->name);
    for (uint32_t d = 0; d < port->n_dim; d++) {
        stride /= port->dim[d];
        tt_buf_fmt(&text, "%c%u", d ? ',' : '[', rest / stride + 1);
        rest %= stride;
    }
    tt_buf_char(&text, ']');
    if (!text.failed)
        name = tt_arena_strdup(b->plan->arena, text.data);
    tt_buf_fini(&text);
    return name;
}

static uint32_t count_columns(const struct build *b)
{
    uint32_t n = 0;

    for (uint32_t s = 0; s < b->plan->n_slot; s++)
        if (b->mark[b->plan->slot[s].unit][b->plan->slot[s].port] & MARK_RECORD)
            n += b->plan->slot[s].n;
    return n;
}

/* Columns of a unit in the order of its description, connected outputs
 * first: as Maestro 2 has them. */
static enum tt_code unit_columns(struct build *b, uint32_t u, int connected,
                                 tt_err *err)
{
    tt_plan *p = b->plan;

    for (uint32_t i = 0; i < p->unit[u].desc->n_port; i++) {
        uint32_t slot = b->slot_of[u][i];
        int mark = b->mark[u][i];

        if (!(mark & MARK_RECORD) || !!(mark & MARK_OUT) != connected)
            continue;
        for (uint32_t e = 0; e < p->slot[slot].n; e++) {
            const char *name = column_name(b, slot, e);

            if (!name)
                return plan_nomem(err);
            p->column[p->n_column++] = (struct tt_plan_column){
                .name = name, .slot = slot, .element = e};
        }
    }
    return TT_OK;
}

/* As in files of Maestro 2: by instance; connected outputs by name, then the
 * others as they are described. Maestro 1's order is the CSV writer's. */
static int comes_before(const struct build *b, const struct tt_plan_column *x,
                        const struct tt_plan_column *y)
{
    const struct tt_slot *s = &b->plan->slot[x->slot];
    const struct tt_slot *t = &b->plan->slot[y->slot];
    const struct tt_plan_unit *u = b->plan->unit;
    int differ = strcmp(u[s->unit].instance, u[t->unit].instance);
    int out = b->mark[s->unit][s->port] & MARK_OUT;

    if (differ == 0)
        differ = strcmp(u[s->unit].name, u[t->unit].name);
    if (differ == 0 && out && b->mark[t->unit][t->port] & MARK_OUT)
        differ = strcmp(u[s->unit].desc->port[s->port].name,
                        u[t->unit].desc->port[t->port].name);
    return differ <= 0;
}

/* Merges runs, so that what is equal stays in its order. */
static enum tt_code sort_columns(struct build *b, tt_err *err)
{
    struct tt_plan_column *c = b->plan->column, *other;
    uint32_t n = b->plan->n_column;

    if (!TT_NEW_IN(b->plan->arena, other, n))
        return plan_nomem(err);
    for (uint32_t run = 1; run < n; run *= 2) {
        for (uint32_t lo = 0; lo < n; lo += 2 * run) {
            uint32_t mid = lo + run < n ? lo + run : n;
            uint32_t hi = mid + run < n ? mid + run : n;
            uint32_t i = lo, k = mid;

            for (uint32_t to = lo; to < hi; to++)
                other[to] =
                    k == hi || (i < mid && comes_before(b, &c[i], &c[k]))
                        ? c[i++]
                        : c[k++];
        }
        for (uint32_t i = 0; i < n; i++)
            c[i] = other[i];
    }
    return TT_OK;
}

static void note_bytes(struct build *b)
{
    for (uint32_t s = 0; s < b->plan->n_slot; s++) {
        const struct tt_slot *slot = &b->plan->slot[s];
        char name[1024];

        if (slot->type == TT_BYTES &&
            (b->mark[slot->unit][slot->port] & MARK_RECORD))
            tt_plan_note(b->plan, "recorded",
                         "'%s' is binary: .h5 has its bytes, other files its "
                         "length and SHA-256",
                         tt_plan_slot_name(b->plan, s, name, sizeof(name)));
    }
}

enum tt_code plan_columns(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;

    note_bytes(b);

    if (!TT_NEW_IN(p->arena, p->column, count_columns(b)))
        return plan_nomem(err);
    for (uint32_t u = 0; u < p->n_unit && rc == TT_OK; u++) {
        rc = unit_columns(b, u, 1, err);
        if (rc == TT_OK)
            rc = unit_columns(b, u, 0, err);
    }
    if (rc == TT_OK && b->sc->dialect && !b->sc->inside)
        rc = sort_columns(b, err);
    return rc;
}
