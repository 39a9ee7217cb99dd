/* SPDX-License-Identifier: MIT */
#include "cli/input.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "kinds/kinds.h"
#include "sys/file.h"
#include "table/table.h"

#define TEXT_MAX ((size_t)1 << 30)

struct build {
    struct tt_input *in;
    struct tt_sc_options o;
    tt_scenario *alone; /* owned: the FMU without the table, for its names */
    tt_unit_type *type; /* owned */
    tt_table *table;    /* owned */
    uint32_t *port;     /* owned: per column, TT_NONE: not used */
    const char *csv;    /* what the signal unit reads */
    double start, end, h;
    double *jump; /* where inputs leap between communication points */
    size_t n_jump;
    int asked; /* for an approximation */
};

static const struct tt_port *port_of(const struct build *b, uint32_t column)
{
    return b->port[column] == TT_NONE ? NULL
                                      : &b->type->desc.port[b->port[column]];
}

/* --- columns -----------------------------------------------------------------
 */

/* "u", or "{key}.instance.u" as results are named; perhaps "u [unit]". */
static const char *plain_name(const struct build *b, const char *column)
{
    const char *unit = b->alone->unit[0].name;
    size_t n = strlen(unit);

    if (strncmp(column, unit, n) == 0 && column[n] == '.')
        return column + n + 1;
    return column;
}

static int is_driven(const struct tt_port *p)
{
    return p->causality == TT_CAUS_INPUT || tt_port_is_tuned(p);
}

/* The port a column drives, or TT_NONE. */
static uint32_t find_input(const struct build *b, const char *column)
{
    const char *name = plain_name(b, column), *unit;
    const struct tt_desc *d = &b->type->desc;
    uint32_t i = tt_desc_find(d, name);
    size_t n_unit, n = tt_table_split_unit(name, strlen(name), &unit, &n_unit);

    if (i == TT_NONE && n_unit) {
        name = tt_arena_strndup(b->in->arena, name, n);
        i = name ? tt_desc_find(d, name) : TT_NONE;
    }
    return i != TT_NONE && is_driven(&d->port[i]) ? i : TT_NONE;
}

static void warn_unknown(const struct build *b, const char *column)
{
    const char *near = tt_desc_nearest(&b->type->desc, plain_name(b, column),
                                       (int)TT_CAUS_INPUT);

    if (near)
        tt_log(b->in->log, TT_LOG_WARN,
               "%s: column '%s' is no input or tunable parameter of %s and is "
               "not used; did you mean '%s'?",
               b->in->table, column, b->in->fmu, near);
    else
        tt_log(b->in->log, TT_LOG_WARN,
               "%s: column '%s' is no input or tunable parameter of %s and is "
               "not used",
               b->in->table, column, b->in->fmu);
}

static enum tt_code no_input_named(const struct build *b, tt_err *err)
{
    const struct tt_desc *d = &b->type->desc;
    struct tt_buf names;
    uint32_t n = 0;

    tt_buf_init(&names, TT_ERR_MAX / 2);
    for (uint32_t i = 0; i < d->n_port && n < 10; i++)
        if (is_driven(&d->port[i]))
            tt_buf_fmt(&names, "%s'%s'", n++ ? ", " : "", d->port[i].name);
    if (n)
        tt_fail(err, TT_EINPUT,
                "%s: no column is an input or a tunable parameter of %s, which "
                "has %s",
                b->in->table, b->in->fmu, names.failed ? "others" : names.data);
    else
        tt_fail(err, TT_EINPUT,
                "%s has no inputs and no tunable parameters, so --input has no "
                "use",
                b->in->fmu);
    tt_buf_fini(&names);
    return TT_EINPUT;
}

/* The table is passed on with texts in quotes. */
static enum tt_code check_texts(const struct build *b, uint32_t column,
                                tt_err *err)
{
    char number[TT_NUM_MAX], t[TT_NUM_MAX];
    double v;

    for (size_t i = 0; i < tt_table_rows(b->table); i++) {
        const char *s = tt_table_cell(b->table, column, i, number);

        if (strlen(s) < TT_TEXT_MAX && !strpbrk(s, "\"\n") &&
            (i || tt_num_parse_n(s, strlen(s), &v)))
            continue;
        tt_num_print_short(t, tt_table_time(b->table)[i]);
        return tt_fail(
            err, TT_EUNSUPPORTED,
            "%s: column '%s' at t=%s: a text has at most %d bytes, "
            "without quotes and line ends, and the first is no number",
            b->in->table, tt_table_name(b->table, column), t, TT_TEXT_MAX - 1);
    }
    return TT_OK;
}

/* Values an integer or boolean input cannot take are refused here, where the
 * row is known. */
static enum tt_code check_values(const struct build *b, uint32_t column,
                                 tt_err *err)
{
    const struct tt_port *p = port_of(b, column);
    const double *v = tt_table_values(b->table, column);
    char number[TT_NUM_MAX], t[TT_NUM_MAX];
    struct tt_text scratch;

    if (p->type == TT_TEXT && p->n == 1)
        return check_texts(b, column, err);
    if (tt_table_is_text(b->table, column) || tt_type_is_text(p->type) ||
        p->type == TT_CLOCK || p->n != 1)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "%s: column '%s' cannot drive input '%s', which is %s%s",
                       b->in->table, tt_table_name(b->table, column), p->name,
                       p->n != 1 ? "an array of " : "", tt_type_name(p->type));
    for (size_t i = 0; i < tt_table_rows(b->table); i++) {
        if (tt_value_from_double(p->type, &scratch, v[i]) == 0)
            continue;
        tt_num_print_short(number, v[i]);
        tt_num_print_short(t, tt_table_time(b->table)[i]);
        return tt_fail(err, TT_EINPUT,
                       "%s: column '%s' is %s at t=%s, which input '%s' (%s) "
                       "cannot take",
                       b->in->table, tt_table_name(b->table, column), number, t,
                       p->name, tt_type_name(p->type));
    }
    return TT_OK;
}

static enum tt_code match_columns(struct build *b, tt_err *err)
{
    uint32_t n = tt_table_columns(b->table), used = 0;
    enum tt_code rc = TT_OK;

    if (!TT_NEW_ARRAY(b->port, n))
        return tt_fail(err, TT_ENOMEM, "reading %s", b->in->table);
    for (uint32_t c = 0; c < n && rc == TT_OK; c++) {
        const char *name = tt_table_name(b->table, c);

        b->port[c] = find_input(b, name);
        if (b->port[c] == TT_NONE) {
            warn_unknown(b, name);
        } else {
            rc = check_values(b, c, err);
            used++;
        }
    }
    return rc == TT_OK && !used ? no_input_named(b, err) : rc;
}

/* --- the table as a signal unit reads it -------------------------------------
 */

static int is_discrete(const struct tt_port *p)
{
    return p->variability != TT_VAR_CONTINUOUS || !tt_type_is_float(p->type);
}

static void put_cell(const struct build *b, struct tt_buf *out, uint32_t column,
                     size_t row)
{
    const struct tt_port *p = port_of(b, column);
    double v = tt_table_values(b->table, column)[row];
    char number[TT_NUM_MAX];

    if (p->type == TT_TEXT)
        tt_buf_fmt(out, ",\"%s\"",
                   tt_table_cell(b->table, column, row, number));
    else if (tt_type_is_bool(p->type))
        tt_buf_str(out, v != 0 ? ",true" : ",false");
    else {
        tt_buf_char(out, ',');
        tt_buf_num(out, v);
    }
}

/* Row `row`; what is not continuous as in row `held`. */
static void put_row(const struct build *b, struct tt_buf *out, size_t row,
                    size_t held)
{
    tt_buf_num(out, tt_table_time(b->table)[row]);
    for (uint32_t c = 0; c < tt_table_columns(b->table); c++) {
        const struct tt_port *p = port_of(b, c);

        if (p)
            put_cell(b, out, c, is_discrete(p) ? held : row);
    }
    tt_buf_char(out, '\n');
}

static int cell_changes(const struct build *b, uint32_t column, size_t row)
{
    const double *v = tt_table_values(b->table, column);
    char now[TT_NUM_MAX], before[TT_NUM_MAX];

    if (!tt_table_is_text(b->table, column))
        return v[row] != v[row - 1];
    return strcmp(tt_table_cell(b->table, column, row, now),
                  tt_table_cell(b->table, column, row - 1, before)) != 0;
}

static int discrete_changes(const struct build *b, size_t row)
{
    for (uint32_t c = 0; c < tt_table_columns(b->table); c++) {
        const struct tt_port *p = port_of(b, c);

        if (p && is_discrete(p) && cell_changes(b, c, row))
            return 1;
    }
    return 0;
}

static void put_header(const struct build *b, struct tt_buf *out, uint32_t c)
{
    const char *name = tt_table_name(b->table, c), *unit;
    const struct tt_port *p = port_of(b, c);
    size_t n_unit;

    if (!p)
        return;
    tt_buf_fmt(out, ",\"%s", p->name);
    (void)tt_table_split_unit(name, strlen(name), &unit, &n_unit);
    if (n_unit && strcmp(plain_name(b, name), p->name) != 0)
        tt_buf_fmt(out, " [%.*s]", (int)n_unit, unit);
    tt_buf_char(out, '"');
}

static enum tt_code write_table(struct build *b, tt_err *err)
{
    const double *t = tt_table_time(b->table);
    struct tt_buf out;
    char *path = tt_path_join(b->in->temp, "input.csv");
    enum tt_code rc;

    tt_buf_init(&out, TEXT_MAX);
    tt_buf_str(&out, "time");
    for (uint32_t c = 0; c < tt_table_columns(b->table); c++)
        put_header(b, &out, c);
    tt_buf_char(&out, '\n');
    for (size_t i = 0; i < tt_table_rows(b->table); i++) {
        if (i && t[i] > t[i - 1] && discrete_changes(b, i))
            put_row(b, &out, i, i - 1);
        put_row(b, &out, i, i);
    }
    rc = tt_buf_check(&out, b->in->table, err);
    if (rc == TT_OK && !path)
        rc = tt_fail(err, TT_ENOMEM, "reading %s", b->in->table);
    if (rc == TT_OK)
        rc = tt_file_write(path, out.data, out.len, err);
    b->csv = path ? tt_arena_strdup(b->in->arena, path) : NULL;
    tt_free(path);
    tt_buf_fini(&out);
    return rc;
}

/* --- time
 * ---------------------------------------------------------------------- */

static double either(double given, double fallback)
{
    return isnan(given) ? fallback : given;
}

/* The least distance of two rows, divided until there are some hundred steps:
 * so rows that are evenly spaced lie on communication points. */
static double step_from_rows(const struct build *b)
{
    const double *t = tt_table_time(b->table);
    double least = (double)INFINITY, span = b->end - b->start;

    for (size_t i = 1; i < tt_table_rows(b->table); i++)
        if (t[i] > t[i - 1] && t[i] - t[i - 1] < least)
            least = t[i] - t[i - 1];
    if (!(least >= span / 1e6) || !(span > 0) || isinf(span))
        return span / 500;
    return least < span ? least / ceil(least / (span / 500)) : span / 500;
}

static void choose_times(struct build *b)
{
    const struct tt_desc *d = &b->type->desc;
    const double *t = tt_table_time(b->table);
    size_t n = tt_table_rows(b->table);

    b->start = either(b->o.start, either(d->standard.start, n ? t[0] : 0));
    b->end = either(b->o.end, either(d->standard.end, n ? t[n - 1] : 0));
    b->h = either(b->o.step, either(d->standard_step, step_from_rows(b)));
    b->o.start = b->start;
    b->o.end = b->end;
    b->o.step = b->h > 0 ? b->h : (double)NAN;
    if (isnan(b->o.tolerance) && d->standard.tolerance > 0)
        b->o.tolerance = d->standard.tolerance;
}

/* Does an input leap at this row, where it is no communication point? */
static int is_off_grid(const struct build *b, size_t row)
{
    const double *t = tt_table_time(b->table) + row;
    double n = (*t - b->start) / b->h;

    return row && *t > b->start && *t < b->end && fabs(n - round(n)) > 1e-6 &&
           (t[0] == t[-1] || discrete_changes(b, row));
}

/* Rows where an input leaps between communication points. The first of several
 * at a time counts. */
static enum tt_code list_jumps(struct build *b, tt_err *err)
{
    const double *t = tt_table_time(b->table);
    size_t n = tt_table_rows(b->table);

    if (!TT_NEW_IN(b->in->arena, b->jump, n + 1))
        return tt_fail(err, TT_ENOMEM, "reading %s", b->in->table);
    for (size_t i = 1; i < n; i++)
        if (is_off_grid(b, i) && (!b->n_jump || b->jump[b->n_jump - 1] < t[i]))
            b->jump[b->n_jump++] = t[i];
    return TT_OK;
}

/* Steps end there, too, where the FMU can vary its step. */
static enum tt_code meet_jumps(const struct build *b, tt_scenario *s,
                               tt_err *err)
{
    double *at;

    if (!b->n_jump || !b->type->desc.caps.variable_step)
        return TT_OK;
    if (!TT_NEW_IN(s->arena, at, b->n_jump))
        return tt_fail(err, TT_ENOMEM, "reading %s", b->in->table);
    memcpy(at, b->jump, b->n_jump * sizeof(*at));
    s->instant = at;
    s->n_instant = b->n_jump;
    return TT_OK;
}

static void add_note(struct build *b, const char *text)
{
    struct tt_input *in = b->in;

    text = text ? tt_arena_strdup(in->arena, text) : NULL;
    if (text)
        in->note[in->n_note++] =
            (struct tt_note){.topic = "input", .text = text};
}

static void take_notes(struct build *b, int linear)
{
    char t[TT_NUM_MAX], words[TT_ERR_MAX];

    snprintf(words, sizeof(words),
             "%s: linear between rows, read at communication points, %s over "
             "each step",
             b->in->table,
             linear ? "linear (held where the instance takes no course)"
                    : "held");
    add_note(b, words);
    if (!b->n_jump)
        return;
    tt_num_print_short(t, b->jump[0]);
    if (b->type->desc.caps.variable_step)
        snprintf(words, sizeof(words),
                 "steps end where inputs leap, too: %zu time%s from t=%s on",
                 b->n_jump, b->n_jump == 1 ? "" : "s", t);
    else
        snprintf(words, sizeof(words),
                 "the jump at t=%s lies between communication points and takes "
                 "effect at the next; a step that divides its time would meet "
                 "it",
                 t);
    add_note(b, words);
}

static enum tt_code check_time(struct build *b, tt_err *err)
{
    const char *name = tt_table_time_name(b->table);
    double one = 1;

    if (tt_table_seconds(name, strlen(name), &one) == 0)
        return TT_OK;
    return tt_fail(err, TT_EINPUT,
                   "%s: '%s' is the time, in s, ms, us, min, h or d",
                   b->in->table, name);
}

/* --- the scenario
 * ---------------------------------------------------------------- */

static void json_ref(struct tt_buf *b, const char *unit, const char *variable)
{
    struct tt_buf ref;

    tt_buf_init(&ref, 65536);
    tt_buf_fmt(&ref, "%s.%s", unit, variable);
    tt_buf_json(b, ref.data ? ref.data : "");
    tt_buf_fini(&ref);
}

/* By itself, or by sub-steps, which cost something and are made if asked. */
static int takes_course(const struct build *b, const struct tt_port *p)
{
    const struct tt_caps *caps = &b->type->desc.caps;

    if (p->type != TT_F64 || p->variability != TT_VAR_CONTINUOUS)
        return 0;
    return caps->course_order > 0 ? p->course_ok
                                  : b->asked && caps->variable_step;
}

static void put_connections(const struct build *b, struct tt_buf *out,
                            const char *table_unit)
{
    const char *unit = b->alone->unit[0].name, *comma = "";

    tt_buf_str(out, "\"connections\": {");
    for (uint32_t c = 0; c < tt_table_columns(b->table); c++) {
        if (!port_of(b, c))
            continue;
        tt_buf_str(out, comma);
        json_ref(out, table_unit, port_of(b, c)->name);
        tt_buf_str(out, ": [");
        json_ref(out, unit, port_of(b, c)->name);
        tt_buf_str(out, "]");
        comma = ", ";
    }
    tt_buf_str(out, "}, ");
}

/* A linear course ends at the table's value at the end of the step; a held
 * input keeps the value of its beginning. */
static void put_reactivity(const struct build *b, struct tt_buf *out,
                           int linear)
{
    const char *comma = "";

    tt_buf_str(out, "\"reactivity\": {");
    for (uint32_t c = 0; c < tt_table_columns(b->table); c++) {
        const struct tt_port *p = port_of(b, c);

        if (!p)
            continue;
        tt_buf_str(out, comma);
        json_ref(out, b->alone->unit[0].name, p->name);
        tt_buf_fmt(out, ": \"%s\"",
                   linear && takes_course(b, p) ? "reactive" : "delayed");
        comma = ", ";
    }
    tt_buf_str(out, "}, ");
}

/* Its outputs; of one that has none what it has inside. */
static void put_recorded(struct build *b, struct tt_buf *out)
{
    const struct tt_desc *d = &b->type->desc;
    enum tt_causality what = TT_CAUS_LOCAL;
    const char *comma = "";

    for (uint32_t i = 0; i < d->n_port; i++)
        if (d->port[i].causality == TT_CAUS_OUTPUT)
            what = TT_CAUS_OUTPUT;
    if (what == TT_CAUS_LOCAL && !b->o.n_record)
        add_note(b, "the FMU has no outputs: its local variables are recorded "
                    "(--record chooses)");

    tt_json_text(out, "\"logVariables\": {", b->alone->unit[0].name);
    tt_buf_str(out, ": [");
    for (uint32_t i = 0; i < d->n_port; i++) {
        const struct tt_port *p = &d->port[i];

        if (p->causality != what || p->type == TT_CLOCK ||
            (what == TT_CAUS_LOCAL &&
             (b->o.n_record || p->variability < TT_VAR_DISCRETE)))
            continue;
        tt_buf_str(out, comma);
        tt_buf_json(out, p->name);
        comma = ", ";
    }
    tt_buf_str(out, "]}");
}

static enum tt_code parse(tt_scenario **out, struct build *b, tt_err *err)
{
    const struct tt_sc_fmu *fmu = &b->alone->fmu[0];
    int taken = strcmp(fmu->key, "{input}") == 0;
    const char *key = taken ? "{input_table}" : "{input}";
    int linear =
        !b->o.approximation || strcmp(b->o.approximation, "linear") == 0;
    struct tt_buf text;
    enum tt_code rc;

    b->asked = b->o.approximation || b->o.substeps > 0;
    if (!b->o.approximation)
        b->o.approximation = "linear";
    if (!b->asked)
        b->o.substeps = 0;
    tt_buf_init(&text, TEXT_MAX);
    tt_json_text(&text, "{\"fmus\": {", fmu->key);
    tt_json_text(&text, ": ", fmu->path);
    tt_buf_fmt(&text, ", \"%s\": ", key);
    tt_buf_json(&text, b->csv);
    tt_buf_str(&text, "}, ");
    put_connections(b, &text, taken ? "{input_table}.input" : "{input}.input");
    put_reactivity(b, &text, linear);
    put_recorded(b, &text);
    tt_buf_char(&text, '}');
    rc = tt_buf_check(&text, b->in->table, err);
    if (rc == TT_OK)
        rc = tt_scenario_parse(out, b->in->fmu, NULL, text.data, text.len,
                               &b->o, b->in->log, err);
    tt_buf_fini(&text);
    if (rc == TT_OK)
        rc = meet_jumps(b, *out, err);
    take_notes(b, linear);
    return rc;
}

static enum tt_code open_fmu(struct build *b, tt_err *err)
{
    struct tt_source s = {.path = b->in->fmu,
                          .interface = (enum tt_interface)b->alone->interface};
    const struct tt_kind_ops *kind;
    enum tt_code rc = tt_kind_for(&kind, &s, err);

    return rc == TT_OK ? kind->open(&b->type, &s, err) : rc;
}

static enum tt_code load_table(struct build *b, tt_err *err)
{
    return tt_table_load(&b->table, b->in->table, err);
}

static enum tt_code find_jumps(struct build *b, tt_err *err)
{
    choose_times(b);
    return list_jumps(b, err);
}

enum tt_code tt_input_scenario(tt_scenario **out, struct tt_input *in,
                               const struct tt_source_args *a, tt_err *err)
{
    static enum tt_code (*const stage[])(struct build * b, tt_err * err) = {
        open_fmu,      load_table,  check_time,
        match_columns, write_table, find_jumps};
    struct build b = {.in = in, .o = tt_source_options(a)};
    struct tt_sc_options none = TT_SC_OPTIONS_INIT;
    enum tt_code rc;

    none.interface = b.o.interface;
    rc = tt_scenario_single(&b.alone, in->fmu, &none, err);
    for (size_t i = 0; rc == TT_OK && i < sizeof(stage) / sizeof(*stage); i++)
        rc = stage[i](&b, err);
    if (rc == TT_OK)
        rc = parse(out, &b, err);
    tt_free(b.port);
    tt_table_free(b.table);
    tt_scenario_free(b.alone);
    if (b.type)
        b.type->kind->close(b.type);
    return rc;
}
