/* SPDX-License-Identifier: MIT */
/* Unit kind signal: plays the columns of a table (CSV, TSV, MAT, HDF5) as
 * outputs. What it shows depends on its time and on nothing else, so its state
 * is its time, which the base keeps. */
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "kinds/builtin.h"
#include "kinds/signal_impl.h"
#include "sys/file.h"
#include "table/table.h"

struct signal_type {
    struct tt_builtin_type b;
    struct tt_signal_table table;
};

struct signal_unit {
    tt_unit base;
    const struct tt_signal_table *table; /* borrowed from the type */
    size_t row;                          /* where it looked last */
};

static struct signal_unit *unit_of(tt_unit *u)
{
    return (struct signal_unit *)(void *)u;
}

/* --- unit --------------------------------------------------------------- */

static enum tt_code get(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    struct signal_unit *u = unit_of(base);
    double *number = s->value;
    bool *flag = s->value;
    struct tt_text *text = s->value;

    (void)err;
    u->row = tt_signal_row(u->table, base->now, u->row);
    for (size_t i = 0; i < s->n; i++) {
        uint32_t col = s->port[i] % u->table->n_col;
        double v = s->port[i] < u->table->n_col
                       ? tt_signal_at(u->table, col, base->now, u->row)
                       : tt_signal_left(u->table, col, base->now, u->row);

        if (u->table->held[col] == TT_SIGNAL_BOOL)
            flag[i] = v != 0;
        else if (u->table->held[col] == TT_SIGNAL_TEXT)
            (void)tt_text_set(&text[i], u->table->text[(size_t)v]);
        else
            number[i] = v;
    }
    return TT_OK;
}

static enum tt_code set(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    (void)u;
    (void)s;
    return tt_fail(err, TT_EINPUT, "a signal from a file cannot be set");
}

static enum tt_code rates(tt_unit *base, const struct tt_span *s,
                          uint32_t order, tt_err *err)
{
    struct signal_unit *u = unit_of(base);
    double *rate = s->value;

    (void)order; /* there is only the first */
    if (u->table->held[s->port[0] % u->table->n_col])
        return tt_fail(err, TT_EINPUT, "a Boolean or a text has no derivative");
    u->row = tt_signal_row(u->table, base->now, u->row);
    for (size_t i = 0; i < s->n; i++)
        rate[i] = tt_signal_slope(u->table, s->port[i] % u->table->n_col,
                                  base->now, u->row);
    return TT_OK;
}

static enum tt_code max_step(tt_unit *base, double *h, tt_err *err)
{
    (void)err;
    *h = tt_signal_next_jump(unit_of(base)->table, base->now) - base->now;
    return TT_OK;
}

static const struct tt_unit_ops unit_ops = {
    TT_BUILTIN_VALUES, .exit_init = tt_unit_idle,
    TT_HOOKS(, get, set, rates, max_step)};

/* --- kind --------------------------------------------------------------- */

static int accepts(const struct tt_source *s)
{
    return tt_table_is_signal(s->path);
}

static void forget(struct tt_builtin_type *t)
{
    tt_signal_fini(&((struct signal_type *)(void *)t)->table);
}

static void describe_port(struct tt_port *p, const char *name,
                          enum tt_signal_held held)
{
    static const enum tt_type type[] = {[TT_SIGNAL_LINES] = TT_F64,
                                        [TT_SIGNAL_BOOL] = TT_BOOL,
                                        [TT_SIGNAL_TEXT] = TT_TEXT};

    *p = (struct tt_port){
        TT_PORT_SCALAR,
        .name = name,
        .type = type[held],
        .causality = TT_CAUS_OUTPUT,
        .variability = held ? TT_VAR_DISCRETE : TT_VAR_CONTINUOUS,
        .initial = TT_INIT_CALCULATED,
        .line = 1,
    };
}

/* The limit from the left of a column, beside it. */
static int describe_left(tt_arena *arena, struct tt_port *left,
                         const struct tt_port *p)
{
    struct tt_buf name;
    int failed;

    *left = *p;
    left->leaps = 0;
    left->hidden = 1;
    left->causality = TT_CAUS_LOCAL;
    tt_buf_init(&name, 65536);
    tt_buf_fmt(&name, "%s (from the left)", p->name);
    left->name = name.failed ? NULL : tt_arena_strdup(arena, name.data);
    failed = left->name == NULL;
    tt_buf_fini(&name);
    return failed;
}

static enum tt_code describe(struct signal_type *type, const char *path,
                             tt_err *err)
{
    const struct tt_signal_table *t = &type->table;
    struct tt_desc *d = &type->b.base.desc;
    tt_arena *arena = type->b.arena;
    struct tt_port *port;
    struct tt_deps *deps;

    port = tt_arena_alloc(arena, 2 * (size_t)t->n_col, sizeof(*port));
    deps = tt_arena_alloc(arena, 2 * (size_t)t->n_col, sizeof(*deps));
    d->model = tt_arena_strdup(arena, tt_path_base(path));
    if (!port || !deps || !d->model)
        return tt_fail(err, TT_ENOMEM, "describing %s", path);
    for (uint32_t i = 0; i < t->n_col; i++) {
        uint32_t left = t->n_col + i;

        describe_port(&port[i], t->name[i], t->held[i]);
        port[i].quantity = t->held[i] ? NULL : t->quantity[i];
        port[i].leaps = 1;
        port[i].left = left;
        deps[i].known = deps[left].known = 1; /* on nothing */
        if (describe_left(arena, &port[left], &port[i]) != 0 ||
            tt_names_add(&d->by_name, t->name[i], i) < 0 ||
            tt_names_add(&d->by_name, port[left].name, left) < 0)
            return tt_fail(err, TT_ENOMEM, "describing %s", path);
    }
    for (uint32_t i = 0; i < t->n_col; i++) /* as the header has it, too */
        if (tt_names_add(&d->by_name, t->header[i], i) < 0)
            return tt_fail(err, TT_ENOMEM, "describing %s", path);
    d->port = port;
    d->run = d->init = deps;
    d->n_port = 2 * t->n_col;
    d->standard.start = t->time[0];
    d->standard.end = t->time[t->n_row - 1];
    return TT_OK;
}

static enum tt_code read(struct tt_builtin_type *b, const struct tt_source *s,
                         tt_err *err)
{
    struct signal_type *t = (struct signal_type *)(void *)b;
    struct tt_buf text;
    enum tt_code rc;

    if (tt_format_of(s->path) != TT_FORMAT_CSV) {
        rc = tt_signal_load(&t->table, s->path, err);
        return rc == TT_OK ? describe(t, s->path, err) : rc;
    }
    tt_buf_init(&text, TT_SIGNAL_MAX_BYTES);
    rc = tt_file_read(&text, s->path, err);
    if (rc == TT_OK)
        rc = tt_signal_parse(&t->table, s->path, text.data ? text.data : "",
                             text.len, err);
    tt_buf_fini(&text);
    return rc == TT_OK ? describe(t, s->path, err) : rc;
}

static int begin(tt_unit *u, const struct tt_builtin_type *t,
                 const struct tt_make *m)
{
    (void)m;
    unit_of(u)->table = &((const struct signal_type *)(const void *)t)->table;
    return 1;
}

const struct tt_builtin tt_builtin_signal = {
    TT_BUILTIN_OF(struct signal_type, struct signal_unit),
    .caps = {.evaluates = TT_EVAL_ALWAYS,
             .untyped = 1,
             .max_step = 1,
             .rate_order = 1},
    TT_HOOKS(, accepts, read, forget, begin)};
