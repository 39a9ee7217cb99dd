/* SPDX-License-Identifier: MIT */
/* Unit kind locate: the value of an expression over outputs of other units, in
 * which a crossing of zero is an event. Where that is in time is found by the
 * step policy, which looks at `value`; the run then lets `fire` tick, and what
 * is connected has its event in the same microstep. `settle` ticks once, where
 * crossings accumulate and are taken to have come to an end. Of a
 * condition the value is its margin: that crosses zero where it begins to hold.
 *
 *     tutti:locate: WHEN => VALUE => VALUE ...
 *
 * Each VALUE is an output of its own, y1, y2, ..., that belongs to the clock
 * `crossed`: an event with a value. `held` is what y1 was last. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/expr.h"
#include "kinds/builtin.h"
#include "kinds/kept.h"
#include "unit/measure.h"

#define SOURCE "tutti:locate"

/* Of the ports, after the variables of the expressions; the values follow. */
enum role {
    ROLE_FIRE,
    ROLE_SETTLE,
    ROLE_CROSSED,
    ROLE_RESTS,
    ROLE_VALUE,
    ROLE_ABOVE,
    ROLE_COUNT,
    ROLES
};

/* A value in the state, by its offset. A variable has two more where pre() is
 * asked for: that of the instant before, and that of the last one seen, which
 * becomes it. */
struct place {
    enum tt_type type;
    uint32_t at, before, seen;
};

struct type {
    struct tt_builtin_type b;
    const char *text;
    tt_expr *e; /* when; then what is put out there */
    uint32_t n_e;
    struct place *x, *y;     /* variables, and what is put out */
    const char **name;       /* of the variables */
    enum tt_expr_form *form; /* ... and what of them is meant */
    uint32_t n_x, n_y;
    int up, down;  /* which crossings count that are leaps at events */
    uint32_t *ref; /* per reference, those of e[0] first: its offset */
    uint32_t n_ref;
    size_t size; /* of a state */
};

struct state {
    int32_t count;
    uint8_t above, fired, settled;
};

struct unit {
    struct tt_kept_unit k;
    const struct type *type; /* borrowed */
    struct state *is;        /* k.is */
    const tt_expr *e;        /* the type's, or with units, in the arena */
    tt_arena *arena;         /* owned, or NULL */
};

static struct unit *unit_of(tt_unit *u)
{
    return (struct unit *)(void *)u;
}

static void *at(const struct unit *u, uint32_t offset)
{
    return (char *)u->is + offset;
}

static struct tt_expr_at references(const struct unit *u, uint32_t e)
{
    const void **where = u->k.where;

    for (uint32_t i = 0; i < e; i++)
        where += u->type->e[i].n_ref;
    return (struct tt_expr_at){.t = u->k.base.now, .value = where};
}

static double value_of(const struct unit *u)
{
    const struct tt_expr_at from = references(u, 0);

    return u->e->kind == TT_EXPR_BOOL ? tt_expr_margin(u->e, &from)
                                      : tt_expr_value(u->e, &from);
}

/* What is put out now as y of this number. */
static void compute(const struct unit *u, uint32_t y, void *to)
{
    const struct tt_expr_at from = references(u, y + 1);
    const tt_expr *e = &u->e[y + 1];

    if (e->kind == TT_EXPR_TEXT)
        *(struct tt_text *)to = *tt_expr_text(e, &from);
    else if (e->kind == TT_EXPR_BOOL)
        *(uint8_t *)to = tt_expr_value(e, &from) != 0;
    else
        *(double *)to = tt_expr_value(e, &from);
}

/* The first is the last: others may refer to what it was. */
static void hold(const struct unit *u)
{
    for (uint32_t i = u->type->n_y; i-- > 0;)
        compute(u, i, at(u, u->type->y[i].at));
}

/* At the start nothing was put out before. */
static void begin(const struct unit *u)
{
    for (uint32_t i = 0; i < u->type->n_y; i++)
        memset(at(u, u->type->y[i].at), 0, tt_type_size(u->type->y[i].type));
    hold(u);
}

/* Variables become what is seen, or what is seen that of the instant before. */
static void remember(const struct unit *u, int all)
{
    for (uint32_t i = 0; i < u->type->n_x; i++) {
        const struct place *x = &u->type->x[i];
        size_t n = tt_type_size(x->type);

        if (!x->before)
            continue;
        if (all)
            memcpy(at(u, x->before), at(u, x->at), n);
        memcpy(at(u, x->seen), at(u, x->at), n);
    }
}

/* --- ports ---------------------------------------------------------------- */

static void get_role(const struct unit *u, enum role role, void *to)
{
    switch (role) {
    case ROLE_VALUE:
        remember(u, 0);
        *(double *)to = value_of(u);
        break;
    case ROLE_COUNT:
        *(int32_t *)to = u->is->count;
        break;
    case ROLE_ABOVE:
        *(uint8_t *)to = u->is->above;
        break;
    case ROLE_SETTLE:
    case ROLE_RESTS:
        *(uint8_t *)to = u->is->settled;
        break;
    case ROLE_FIRE:
    case ROLE_CROSSED:
    case ROLES:
        *(uint8_t *)to = u->is->fired;
        break;
    }
}

static enum tt_code get(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    const struct unit *u = unit_of(base);
    uint32_t n = u->type->n_x;
    char *to = s->value;

    (void)err;
    if (base->life == TT_LIFE_INIT)
        begin(u);
    for (size_t i = 0; i < s->n; i++) {
        uint32_t port = s->port[i];
        size_t size = tt_type_size(base->desc->port[port].type);

        if (port < n)
            memcpy(to, at(u, u->type->x[port].at), size);
        else if (port < n + ROLES)
            get_role(u, (enum role)(port - n), to);
        else if (u->is->fired)
            compute(u, port - n - ROLES, to);
        else
            memcpy(to, at(u, u->type->y[port - n - ROLES].at), size);
        to += size;
    }
    return TT_OK;
}

static enum tt_code set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    const struct unit *u = unit_of(base);
    uint32_t n = u->type->n_x;
    const char *from = s->value;

    for (size_t i = 0; i < s->n; i++) {
        uint32_t port = s->port[i];
        size_t size = tt_type_size(base->desc->port[port].type);

        if (port < n)
            memcpy(at(u, u->type->x[port].at), from, size);
        else if (port == n + ROLE_FIRE)
            u->is->fired |= *(const uint8_t *)from;
        else if (port == n + ROLE_SETTLE)
            u->is->settled |= *(const uint8_t *)from;
        else
            return tt_fail(err, TT_EINPUT, "'%s' is an output",
                           base->desc->port[port].name);
        from += size;
    }
    return TT_OK;
}

/* --- life ----------------------------------------------------------------- */

static enum tt_code exit_init(tt_unit *u, tt_err *err)
{
    (void)err;
    remember(unit_of(u), 1);
    begin(unit_of(u));
    unit_of(u)->is->above = value_of(unit_of(u)) > 0;
    return TT_OK;
}

/* What was seen last is the instant before; inputs may be of the next one
 * already. */
static enum tt_code step(tt_unit *base, const struct tt_step *s,
                         struct tt_stepped *r, tt_err *err)
{
    const struct unit *u = unit_of(base);

    for (uint32_t i = 0; i < u->type->n_x; i++)
        if (u->type->x[i].before)
            memcpy(at(u, u->type->x[i].before), at(u, u->type->x[i].seen),
                   tt_type_size(u->type->x[i].type));
    return tt_unit_idle_step(base, s, r, err);
}

/* Ticks are of one microstep. */
static void forget_ticks(const struct unit *u)
{
    for (uint32_t i = 0; i < u->type->n_x; i++)
        if (u->type->x[i].type == TT_CLOCK)
            *(uint8_t *)at(u, u->type->x[i].at) = 0;
}

/* Exactly on zero it has come to the other side. A condition that comes to hold
 * at an event crosses in the next microstep. */
static enum tt_code event_update(tt_unit *base, struct tt_event_result *r,
                                 tt_err *err)
{
    const struct unit *u = unit_of(base);
    struct state *is = u->is;
    uint8_t above = is->above, fired = is->fired;
    double v;

    (void)err;
    if (fired)
        hold(u);
    v = value_of(u);
    if (v != 0)
        is->above = v > 0;
    else if (fired)
        is->above = !is->above;
    is->count += fired;
    is->settled = 0;
    is->fired = !fired && is->above != above &&
                (is->above ? u->type->up : u->type->down);
    r->again = is->fired;
    remember(u, 1);
    forget_ticks(u);
    return TT_OK;
}

/* It ticks when the run finds a crossing, and by no time of its own. */
static enum tt_code intervals(tt_unit *u, struct tt_timing *t, uint32_t n,
                              tt_err *err)
{
    (void)u;
    (void)err;
    for (uint32_t i = 0; i < n; i++) {
        t[i].known = TT_KNOWN_NOT_YET;
        t[i].interval = (struct tt_ratio){0, 1};
    }
    return TT_OK;
}

static enum tt_code set_intervals(tt_unit *u, struct tt_timing *t, uint32_t n,
                                  tt_err *err)
{
    (void)t;
    (void)n;
    return tt_fail(err, TT_EINPUT, "'%s' has no interval",
                   u->desc->port[unit_of(u)->type->n_x].name);
}

static void free_unit(tt_unit *u)
{
    tt_arena_free(unit_of(u)->arena);
    tt_kept_free(u);
}

static const struct tt_unit_ops unit_ops = {
    TT_BUILTIN_EVENTS,
    TT_KEPT_STATE,
    .enter_init = tt_unit_idle_init,
    TT_BUILTIN_OWN,
    .end = tt_unit_idle,
    TT_HOOKS(, step, event_update, intervals, set_intervals),
    .reset = tt_kept_reset};

/* --- the type ------------------------------------------------------------- */

static const struct tt_port like = {TT_PORT_SCALAR, .type = TT_F64,
                                    .variability = TT_VAR_CONTINUOUS};

static const void *start_of(enum tt_type type)
{
    static const double number = 0;
    static const uint8_t no = 0;
    static const struct tt_text empty;

    return type == TT_CLOCK  ? NULL
           : type == TT_TEXT ? (const void *)&empty
           : type == TT_BOOL ? (const void *)&no
                             : &number;
}

/* "x1" */
static const char *numbered(tt_arena *arena, char letter, uint32_t i)
{
    char name[24];

    (void)snprintf(name, sizeof(name), "%c%lu", letter, (unsigned long)i + 1);
    return tt_arena_strdup(arena, name);
}

/* Whatever its type it is taken at every instant, not at events only. */
static struct tt_port variable_port(const struct type *t, uint32_t i)
{
    struct tt_port p = like;

    p.name = numbered(t->b.arena, 'x', i);
    p.text = t->name[i];
    p.type = t->x[i].type;
    p.causality = TT_CAUS_INPUT;
    p.start = start_of(p.type);
    return p;
}

static struct tt_port value_port(const struct type *t, uint32_t i)
{
    struct tt_port p = like;

    p.name = numbered(t->b.arena, 'y', i);
    p.text = "put out at each crossing";
    p.type = t->y[i].type;
    p.causality = TT_CAUS_OUTPUT;
    p.variability = TT_VAR_DISCRETE;
    p.initial = TT_INIT_CALCULATED;
    p.clock = t->n_x + ROLE_CROSSED + 1;
    return p;
}

static struct tt_port own_port(enum role role)
{
    static const struct tt_clock asked = {.interval = TT_INTERVAL_COUNTDOWN};
    static const struct {
        const char *name, *text;
        enum tt_type type;
    } is[ROLES] = {
        [ROLE_FIRE] = {"fire", "a crossing was found", TT_CLOCK},
        [ROLE_SETTLE] = {"settle", "there are no more", TT_CLOCK},
        [ROLE_RESTS] = {"rests", "ticks at the last crossing there is",
                        TT_CLOCK},
        [ROLE_CROSSED] = {"crossed", "ticks at each crossing", TT_CLOCK},
        [ROLE_VALUE] = {"value", "of the expression", TT_F64},
        [ROLE_ABOVE] = {"above", "zero, since the last crossing", TT_BOOL},
        [ROLE_COUNT] = {"count", "crossings so far", TT_I32},
    };
    struct tt_port p = like;

    p.name = is[role].name;
    p.text = is[role].text;
    p.type = is[role].type;
    p.causality = role <= ROLE_SETTLE ? TT_CAUS_INPUT : TT_CAUS_OUTPUT;
    p.initial = is[role].type == TT_CLOCK ? TT_INIT_NONE : TT_INIT_CALCULATED;
    if (role != ROLE_VALUE)
        p.variability = TT_VAR_DISCRETE;
    if (role <= ROLE_SETTLE) {
        p.ticks = &asked;
        p.hidden = 1;
    }
    return p;
}

/* `value` follows the variables, `crossed` and `rests` what the run ticks, what
 * is put out both. */
static enum tt_code add_deps(struct type *t, tt_err *err)
{
    uint32_t n = t->n_x, n_port = n + ROLES + t->n_y;
    struct tt_deps *deps = tt_arena_alloc(t->b.arena, n_port, sizeof(*deps));
    uint32_t *port = tt_arena_alloc(t->b.arena, n + 2, sizeof(*port));

    if (!deps || !port)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = 0; i <= n + ROLE_SETTLE; i++)
        port[i] = i;
    for (uint32_t i = n; i < n_port; i++)
        deps[i] = (struct tt_deps){.known = 1};
    deps[n + ROLE_VALUE] = (struct tt_deps){.known = 1, .n = n, .port = port};
    deps[n + ROLE_CROSSED] =
        (struct tt_deps){.known = 1, .n = 1, .port = port + n};
    deps[n + ROLE_RESTS] =
        (struct tt_deps){.known = 1, .n = 1, .port = port + n + ROLE_SETTLE};
    for (uint32_t i = 0; i < t->n_y; i++)
        deps[n + ROLES + i] =
            (struct tt_deps){.known = 1, .n = n + 1, .port = port};
    t->b.base.desc.run = t->b.base.desc.init = deps;
    return TT_OK;
}

static enum tt_code describe(struct type *t, tt_err *err)
{
    uint32_t first = t->n_x + ROLES, n = first + t->n_y;
    struct tt_port *port = tt_arena_alloc(t->b.arena, n, sizeof(*port));

    if (!port)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < n; i++) {
        port[i] = i < t->n_x   ? variable_port(t, i)
                  : i >= first ? value_port(t, i - first)
                               : own_port((enum role)(i - t->n_x));
        if (!port[i].name ||
            tt_names_add(&t->b.base.desc.by_name, port[i].name, i) != 0)
            return tt_fail(err, TT_ENOMEM, "out of memory");
    }
    t->b.base.desc.port = port;
    t->b.base.desc.n_port = n;
    return add_deps(t, err);
}

/* --- the expressions ------------------------------------------------------ */

/* What variables are in, if that is known. */
struct measures {
    const struct type *t;
    const struct tt_quantity *const *fed;
};

/* Every name is a variable; its type follows from use. */
static int find(void *ctx, const char *name, struct tt_expr_variable *v)
{
    const struct measures *m = ctx;

    for (uint32_t i = 0; m && i < m->t->n_x; i++)
        if (!strcmp(m->t->name[i], name) && m->t->form[i] == TT_EXPR_VALUE)
            v->unit = tt_quantity_measure(m->fed[i]);
    return 0;
}

static enum tt_code compile_all(tt_expr **out, const char *text,
                                tt_arena *arena, struct measures *m,
                                tt_err *err)
{
    const struct tt_expr_scope scope = {
        .offers = TT_EXPR_WITH_T | TT_EXPR_WITH_PRE | TT_EXPR_WITH_PRESENT |
                  TT_EXPR_WITH_DER | TT_EXPR_INFER,
        .ctx = m,
        .find = find};
    char *s = arena ? tt_arena_strdup(arena, text) : NULL, *next;
    tt_expr *e =
        s ? tt_arena_alloc(arena, tt_expr_pieces(text), sizeof(*e)) : NULL;
    enum tt_code rc = e ? TT_OK : tt_fail(err, TT_ENOMEM, "out of memory");

    *out = e;
    for (; rc == TT_OK && s; s = next, e++) {
        next = tt_expr_cut(s);
        rc = tt_expr_compile(e, s, &scope, arena, err);
    }
    return rc;
}

static enum tt_code compile(struct type *t, tt_err *err)
{
    enum tt_code rc = compile_all(&t->e, t->text, t->b.arena, NULL, err);

    if (rc != TT_OK)
        return rc;
    t->n_e = tt_expr_pieces(t->text);
    for (uint32_t i = 0; i < t->n_e; i++)
        t->n_ref += t->e[i].n_ref;
    if (t->e->kind != TT_EXPR_NUMBER && t->e->kind != TT_EXPR_BOOL)
        return tt_fail(err, TT_EINPUT,
                       "a number or a condition is located, and this is %s",
                       tt_expr_kind_name(t->e->kind));
    if (!t->e->n_ref && !t->e->uses_t)
        return tt_fail(err, TT_EINPUT, "there is no variable in it");
    return TT_OK;
}

static uint32_t reserve(struct type *t, enum tt_type type)
{
    uint32_t at = (uint32_t)t->size;

    t->size += (tt_type_size(type) + 7) / 8 * 8;
    return at;
}

static void place_values(struct type *t)
{
    static const enum tt_type type[] = {[TT_EXPR_NUMBER] = TT_F64,
                                        [TT_EXPR_BOOL] = TT_BOOL,
                                        [TT_EXPR_TEXT] = TT_TEXT,
                                        [TT_EXPR_BYTES] = TT_BYTES};

    for (uint32_t i = 0; i < t->n_y; i++) {
        t->y[i].type = type[t->e[i + 1].kind];
        t->y[i].at = reserve(t, t->y[i].type);
    }
}

/* Of the variables one may be `held`, which is no input. */
static enum tt_code place_variables(struct type *t,
                                    const struct tt_expr_united *u,
                                    struct place *of, tt_err *err)
{
    for (uint32_t i = 0; i < u->n; i++) {
        const struct tt_expr_ref *v = &u->variable[i];

        if (t->n_y && tt_expr_is_held(v)) {
            of[i] = t->y[0];
            if (v->type != t->y[0].type)
                return tt_fail(err, TT_EINPUT,
                               "'held' is used as a %s, and what is put out "
                               "is a %s",
                               tt_type_name(v->type),
                               tt_type_name(t->y[0].type));
            continue;
        }
        of[i] = (struct place){.type = v->form == TT_EXPR_PRESENT ? TT_CLOCK
                                                                  : v->type,
                               .at = reserve(t, v->type)};
        t->form[t->n_x] = v->form;
        t->name[t->n_x++] = v->name;
    }
    return TT_OK;
}

/* The second offset of a variable is that of pre(). */
static void place_references(struct type *t, const struct tt_expr_united *u,
                             struct place *of)
{
    uint32_t k = 0;

    for (uint32_t e = 0; e < t->n_e; e++)
        for (uint32_t i = 0; i < t->e[e].n_ref; i++, k++) {
            struct place *p = &of[u->of[k]];
            int pre = t->e[e].ref[i].form == TT_EXPR_PRE;

            if (pre && !p->before) {
                p->before = reserve(t, p->type);
                p->seen = reserve(t, p->type);
            }
            t->ref[k] = pre ? p->before : p->at;
        }
    for (uint32_t i = 0, x = 0; i < u->n; i++)
        if (!t->n_y || !tt_expr_is_held(&u->variable[i]))
            t->x[x++] = of[i];
}

static enum tt_code lay_out(struct type *t, tt_err *err)
{
    struct tt_expr_united u;
    struct place *of;
    enum tt_code rc = tt_expr_unite(&u, t->e, t->n_e, t->b.arena, err);

    if (rc != TT_OK)
        return rc;
    t->n_y = t->n_e - 1;
    t->size = (sizeof(struct state) + 7) / 8 * 8;
    if (!TT_NEW_IN(t->b.arena, t->x, u.n) ||
        !TT_NEW_IN(t->b.arena, t->y, t->n_e) ||
        !TT_NEW_IN(t->b.arena, t->name, u.n) ||
        !TT_NEW_IN(t->b.arena, t->ref, t->n_ref) ||
        !TT_NEW_IN(t->b.arena, of, u.n) || !TT_NEW_IN(t->b.arena, t->form, u.n))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    place_values(t);
    rc = place_variables(t, &u, of, err);
    if (rc == TT_OK)
        place_references(t, &u, of);
    return rc;
}

static enum tt_code read(struct type *t, const char *text, tt_err *err)
{
    enum tt_code rc;

    t->text = t->b.arena ? tt_arena_strdup(t->b.arena, text) : NULL;
    if (!t->text)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    rc = compile(t, err);
    if (rc == TT_OK)
        rc = lay_out(t, err);
    return rc == TT_OK ? describe(t, err) : rc;
}

/* Behind the name: of leaps at events these count, too. */
static const char *const ways[] = {"",       " up",       " down",
                                   " leaps", " up leaps", " down leaps"};

static void read_way(struct type *t, const char *path)
{
    size_t n = strcspn(path + strlen(SOURCE), ":");
    const char *leaps = strstr(path, " leaps");
    int counts = leaps && leaps < path + strlen(SOURCE) + n;

    t->up = counts && strncmp(path + strlen(SOURCE), " down", 5) != 0;
    t->down = counts && strncmp(path + strlen(SOURCE), " up", 3) != 0;
}

static enum tt_code read_source(struct tt_builtin_type *b,
                                const struct tt_source *s, tt_err *err)
{
    struct type *t = (struct type *)(void *)b;
    const char *text = strchr(s->path, ':');
    enum tt_code rc;

    text = strchr(text + 1, ':') + 1;
    text += strspn(text, " ");
    b->base.desc.model = "locate";
    read_way(t, s->path);
    rc = read(t, text, err);
    return rc == TT_OK ? rc : tt_context(err, rc, "expression '%.200s'", text);
}

static int accepts(const struct tt_source *s)
{
    const char *end = s->path + strlen(SOURCE);

    if (strncmp(s->path, SOURCE, strlen(SOURCE)) != 0)
        return 0;
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
        if (!strncmp(end, ways[i], strlen(ways[i])) &&
            end[strlen(ways[i])] == ':')
            return 1;
    return 0;
}

/* Where a unit is written it counts which ones variables have. */
static enum tt_code take_measures(tt_unit *base, const struct tt_make *m,
                                  tt_err *err)
{
    struct unit *u = unit_of(base);
    struct measures is = {u->type, m->fed};
    tt_expr *e = u->type->e;
    enum tt_code rc = TT_OK;

    if (m->fed && strchr(u->type->text, '[')) {
        u->arena = tt_arena_new();
        rc = compile_all(&e, u->type->text, u->arena, &is, err);
    }
    u->e = e;
    return rc;
}

static int begin_unit(tt_unit *base, const struct tt_builtin_type *t,
                      const struct tt_make *m)
{
    struct unit *u = unit_of(base);

    (void)m;
    u->type = (const struct type *)(const void *)t;
    u->is = tt_kept_new(&u->k, u->type->size);
    if (!u->is || !TT_NEW_ARRAY(u->k.where, u->type->n_ref + 1))
        return 0;
    for (uint32_t i = 0; i < u->type->n_ref; i++)
        u->k.where[i] = at(u, u->type->ref[i]);
    return 1;
}

const struct tt_builtin tt_builtin_locate = {
    TT_BUILTIN_OF(struct type, struct unit),
    .caps = {.evaluates = TT_EVAL_ALWAYS, .event_mode = 1, .clocks = 1},
    .accepts = accepts,
    .read = read_source,
    .begin = begin_unit,
    .check = take_measures,
};
