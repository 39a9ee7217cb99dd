/* SPDX-License-Identifier: MIT */
#include "cli/scaffold.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "cli/print.h"
#include "kinds/kinds.h"
#include "sys/file.h"

#define CANDIDATES 5u
#define PARAMETERS 12u

/* --- units
 * --------------------------------------------------------------------- */

static int is_taken(const struct tt_scaffold *s, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(s->unit[i].name, name) == 0)
            return 1;
    return 0;
}

/* The file's name without ending, as a name; numbered when taken. */
static const char *name_unit(struct tt_scaffold *s, uint32_t i,
                             const char *path)
{
    char stem[128], name[144];
    size_t n;

    snprintf(stem, sizeof(stem), "%.127s", tt_path_base(path));
    n = strlen(stem);
    if (n > 4 && stem[n - 4] == '.')
        stem[n - 4] = '\0';
    for (char *p = stem; *p; p++)
        if (strchr(".{} ", *p))
            *p = '_';
    snprintf(name, sizeof(name), "%s", stem);
    for (unsigned k = 2; is_taken(s, i, name); k++)
        snprintf(name, sizeof(name), "%s%u", stem, k);
    return tt_arena_strdup(s->arena, name);
}

/* Paths in a scenario count from its own folder. */
static const char *path_for(struct tt_scaffold *s, const char *path,
                            const char *output)
{
    const char *kept;
    char *full;

    if (strchr(output, '/') == NULL)
        return tt_arena_strdup(s->arena, path);
    full = tt_path_absolute(path);
    kept = full ? tt_arena_strdup(s->arena, full) : NULL;
    tt_free(full);
    return kept;
}

static enum tt_code open_unit(struct tt_scaffold *s, uint32_t i,
                              const char *path, const char *output, tt_err *err)
{
    struct tt_scaffold_unit *u = &s->unit[i];
    struct tt_source source = {.path = path};
    const struct tt_kind_ops *kind;
    enum tt_code rc = tt_kind_for(&kind, &source, err);

    if (rc == TT_OK)
        rc = kind->open(&u->type, &source, err);
    if (rc != TT_OK)
        return rc;
    u->name = name_unit(s, i, path);
    u->path = path_for(s, path, output);
    u->source = tt_arena_alloc(s->arena, u->type->desc.n_port + (size_t)1,
                               sizeof(*u->source));
    if (!u->name || !u->path || !u->source)
        return tt_fail(err, TT_ENOMEM, "reading %s: out of memory", path);
    s->n = i + 1;
    return TT_OK;
}

enum tt_code tt_scaffold_open(struct tt_scaffold *s,
                              const struct tt_words *files, const char *output,
                              tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (!TT_NEW_IN(s->arena, s->unit, files->n))
        return tt_nomem(err, "reading FMUs");
    for (uint32_t i = 0; i < files->n && rc == TT_OK; i++)
        rc = open_unit(s, i, files->word[i], output, err);
    return rc;
}

void tt_scaffold_close(struct tt_scaffold *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        s->unit[i].type->kind->close(s->unit[i].type);
    tt_free(s->joint);
}

/* --- connections
 * --------------------------------------------------------------- */

static int same_unit(const struct tt_port *a, const struct tt_port *b)
{
    if (!a->quantity || !b->quantity || !a->quantity->has_base ||
        !b->quantity->has_base)
        return 1;
    return memcmp(a->quantity->exponent, b->quantity->exponent,
                  sizeof(a->quantity->exponent)) == 0;
}

int tt_scaffold_fits(const struct tt_port *out, const struct tt_port *in)
{
    int same = out->type == in->type ||
               (tt_type_is_float(out->type) && tt_type_is_float(in->type)) ||
               (tt_type_is_bool(out->type) && tt_type_is_bool(in->type)) ||
               (tt_type_is_enum(out->type) && tt_type_is_enum(in->type));

    return out->causality == TT_CAUS_OUTPUT && same && out->n == in->n &&
           same_unit(out, in);
}

/* May these two be one signal, by this rule? */
typedef int (*tt_rule_fn)(const struct tt_port *out, const struct tt_port *in);

static int same_name(const struct tt_port *out, const struct tt_port *in)
{
    return strcmp(out->name, in->name) == 0;
}

static const char *next_letter(const char *p)
{
    while (*p && !isalnum((unsigned char)*p))
        p++;
    return p;
}

/* "Tank_Level" and "tank.level". */
static int nearly_same_name(const struct tt_port *out, const struct tt_port *in)
{
    const char *a = next_letter(out->name), *b = next_letter(in->name);

    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
        a = next_letter(a + 1);
        b = next_letter(b + 1);
    }
    return !*a && !*b;
}

/* Both declare the same physical unit, which is not 1. */
static int same_quantity(const struct tt_port *out, const struct tt_port *in)
{
    static const int8_t none[sizeof(in->quantity->exponent)];

    return out->quantity && in->quantity && out->quantity->has_base &&
           in->quantity->has_base &&
           memcmp(in->quantity->exponent, none, sizeof(none)) != 0;
}

static int is_open(const struct tt_scaffold *s, uint32_t u, uint32_t i)
{
    return s->unit[u].type->desc.port[i].causality == TT_CAUS_INPUT &&
           s->unit[u].source[i].unit == TT_NONE &&
           !s->unit[u].source[i].by_terminal;
}

/* How many outputs of others would do for an input; the last is given. */
static uint32_t count_outputs(const struct tt_scaffold *s, uint32_t u,
                              const struct tt_port *in, tt_rule_fn rule,
                              uint32_t *unit, uint32_t *port)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < s->n; k++)
        for (uint32_t i = 0; k != u && i < s->unit[k].type->desc.n_port; i++) {
            const struct tt_port *out = &s->unit[k].type->desc.port[i];

            if (!tt_scaffold_fits(out, in) || !rule(out, in))
                continue;
            *unit = k;
            *port = i;
            n++;
        }
    return n;
}

/* ... and how many inputs that are open would do for an output. */
static uint32_t count_inputs(const struct tt_scaffold *s, uint32_t u,
                             const struct tt_port *out, tt_rule_fn rule)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < s->n; k++)
        for (uint32_t i = 0; k != u && i < s->unit[k].type->desc.n_port; i++) {
            const struct tt_port *in = &s->unit[k].type->desc.port[i];

            n += is_open(s, k, i) && tt_scaffold_fits(out, in) && rule(out, in);
        }
    return n;
}

/* Where there is one output only; by a rule that is a guess, and one input. */
static void connect_by(struct tt_scaffold *s, tt_rule_fn rule, int guess,
                       const char *why)
{
    for (uint32_t u = 0; u < s->n; u++)
        for (uint32_t i = 0; i < s->unit[u].type->desc.n_port; i++) {
            const struct tt_port *in = &s->unit[u].type->desc.port[i];
            uint32_t unit = 0, port = 0;

            if (!is_open(s, u, i) ||
                count_outputs(s, u, in, rule, &unit, &port) != 1 ||
                (guess &&
                 count_inputs(s, unit, &s->unit[unit].type->desc.port[port],
                              rule) != 1))
                continue;
            s->unit[u].source[i].unit = unit;
            s->unit[u].source[i].port = port;
            s->unit[u].source[i].why = why;
            s->n_connected++;
        }
}

enum tt_code tt_scaffold_connect(struct tt_scaffold *s, tt_err *err)
{
    enum tt_code rc = tt_scaffold_terminals(s, err);

    if (rc != TT_OK)
        return rc;
    for (uint32_t u = 0; u < s->n; u++)
        for (uint32_t i = 0; i < s->unit[u].type->desc.n_port; i++)
            s->unit[u].source[i].unit = TT_NONE;
    connect_by(s, same_name, 0, "equal names");
    connect_by(s, nearly_same_name, 1, "names that differ in case or signs");
    connect_by(s, same_quantity, 1,
               "the only output and the only open input of this unit");
    return TT_OK;
}

/* --- the file
 * ------------------------------------------------------------------ */

static void put_ref(struct tt_buf *b, const char *unit, const char *variable)
{
    struct tt_buf ref;

    tt_buf_init(&ref, 65536);
    tt_buf_fmt(&ref, "{%s}.%s.%s", unit, unit, variable);
    tt_buf_json(b, ref.data ? ref.data : "");
    tt_buf_fini(&ref);
}

/* Everything an output drives. */
static void put_targets(const struct tt_scaffold *s, struct tt_buf *b,
                        uint32_t unit, uint32_t port, int *first)
{
    const struct tt_port *p = &s->unit[unit].type->desc.port[port];
    int n = 0;

    for (uint32_t u = 0; u < s->n; u++)
        for (uint32_t i = 0; i < s->unit[u].type->desc.n_port; i++) {
            if (s->unit[u].source[i].unit != unit ||
                s->unit[u].source[i].port != port)
                continue;
            if (n++ == 0) {
                tt_buf_str(b, *first ? "\n    " : ",\n    ");
                put_ref(b, s->unit[unit].name, p->name);
                tt_buf_str(b, ": [");
                *first = 0;
            } else {
                tt_buf_str(b, ", ");
            }
            put_ref(b, s->unit[u].name, s->unit[u].type->desc.port[i].name);
        }
    if (n)
        tt_buf_char(b, ']');
}

static void put_terminals(const struct tt_scaffold *s, struct tt_buf *b)
{
    for (size_t i = 0; i < s->n_joint; i++) {
        const struct tt_scaffold_joint *j = &s->joint[i];

        tt_buf_str(b, i ? ",\n    " : "\n  \"terminals\": {\n    ");
        put_ref(b, s->unit[j->a].name, j->name);
        tt_buf_str(b, ": [");
        put_ref(b, s->unit[j->b].name, j->name);
        tt_buf_char(b, ']');
    }
    tt_buf_str(b, s->n_joint ? "\n  }," : "");
}

static void put_value(struct tt_buf *b, const struct tt_port *p)
{
    char text[TT_TEXT_MAX];

    if (tt_type_is_float(p->type)) {
        tt_show_json_num(b, tt_value_as_double(p->type, p->start));
    } else {
        tt_value_print(text, p->type, p->start);
        tt_buf_str(b, text);
    }
}

/* Parameters at their start values, to be changed: a few of each unit. */
static void put_parameters(const struct tt_scaffold *s, struct tt_buf *b)
{
    int first = 1;

    for (uint32_t u = 0; u < s->n; u++) {
        const struct tt_desc *d = &s->unit[u].type->desc;
        uint32_t n = 0;

        for (uint32_t i = 0; i < d->n_port && n < PARAMETERS; i++) {
            const struct tt_port *p = &d->port[i];

            if (p->causality != TT_CAUS_PARAMETER || !p->start || p->n != 1 ||
                tt_type_is_text(p->type) || p->type == TT_CLOCK)
                continue;
            tt_buf_str(b, first ? "\n    " : ",\n    ");
            put_ref(b, s->unit[u].name, p->name);
            tt_buf_str(b, ": ");
            put_value(b, p);
            first = 0;
            n++;
        }
    }
}

static double end_time(const struct tt_scaffold *s)
{
    double end = s->end;

    for (uint32_t u = 0; isnan(s->end) && u < s->n; u++)
        end = fmax(end, s->unit[u].type->desc.standard.end);
    return isfinite(end) ? end : 10;
}

static double step_size(const struct tt_scaffold *s)
{
    double h = s->step;

    for (uint32_t u = 0; isnan(s->step) && u < s->n; u++)
        h = fmin(h, s->unit[u].type->desc.standard_step);
    return h > 0 ? h : end_time(s) / 1000;
}

void tt_scaffold_json(const struct tt_scaffold *s, struct tt_buf *b)
{
    int first = 1;

    tt_buf_str(b, "{\n  \"fmus\": {");
    for (uint32_t u = 0; u < s->n; u++) {
        tt_buf_fmt(b, "%s\n    \"{%s}\": ", u ? "," : "", s->unit[u].name);
        tt_buf_json(b, s->unit[u].path);
    }
    tt_buf_str(b, "\n  },\n  \"connections\": {");
    for (uint32_t u = 0; u < s->n; u++)
        for (uint32_t i = 0; i < s->unit[u].type->desc.n_port; i++)
            if (s->unit[u].type->desc.port[i].causality == TT_CAUS_OUTPUT)
                put_targets(s, b, u, i, &first);
    tt_buf_str(b, "\n  },");
    put_terminals(s, b);
    tt_buf_str(b, "\n  \"instances\": {");
    for (uint32_t u = 0; u < s->n; u++)
        tt_buf_fmt(b, "%s\"{%s}\": [\"%s\"]", u ? ", " : "", s->unit[u].name,
                   s->unit[u].name);
    tt_buf_str(b, "},\n  \"parameters\": {");
    put_parameters(s, b);
    tt_json_num(b,
                "\n  },\n  \"algorithm\": {\"type\": \"fixed-step\", "
                "\"size\": ",
                step_size(s));
    tt_json_num(b, "},\n  \"startTime\": 0,\n  \"endTime\": ", end_time(s));
    tt_buf_str(b, "\n}\n");
}

/* --- advice
 * -------------------------------------------------------------------- */

/* Those of the same name come first. */
static uint32_t put_candidates(const struct tt_scaffold *s, struct tt_buf *b,
                               uint32_t unit, const struct tt_port *in)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < 2 * s->n; k++) {
        uint32_t u = k % s->n;
        const struct tt_desc *d = &s->unit[u].type->desc;

        for (uint32_t i = 0; u != unit && i < d->n_port; i++) {
            int named = strcmp(d->port[i].name, in->name) == 0;

            if (named != (k < s->n) || !tt_scaffold_fits(&d->port[i], in))
                continue;
            if (n < CANDIDATES) {
                tt_buf_fmt(b, "%s%s.", n ? ", " : "", s->unit[u].name);
                tt_show_clean(b, d->port[i].name);
            }
            n++;
        }
    }
    if (n > CANDIDATES)
        tt_buf_fmt(b, " and %u more", n - CANDIDATES);
    return n;
}

static void open_inputs(const struct tt_scaffold *s, struct tt_buf *b)
{
    int first = 1;

    for (uint32_t u = 0; u < s->n; u++)
        for (uint32_t i = 0; i < s->unit[u].type->desc.n_port; i++) {
            const struct tt_port *p = &s->unit[u].type->desc.port[i];

            if (p->causality != TT_CAUS_INPUT ||
                s->unit[u].source[i].unit != TT_NONE ||
                s->unit[u].source[i].by_terminal)
                continue;
            if (first)
                tt_buf_str(b, "\ninputs that are not connected\n");
            first = 0;
            tt_buf_fmt(b, "  %s.", s->unit[u].name);
            tt_show_clean(b, p->name);
            tt_buf_fmt(b, " (%s%s%s) <- ", tt_type_name(p->type),
                       p->quantity ? ", " : "",
                       p->quantity ? p->quantity->name : "");
            if (!put_candidates(s, b, u, p))
                tt_buf_str(b, "no output fits; it keeps its start value");
            tt_buf_char(b, '\n');
        }
}

static void put_shown(const struct tt_scaffold *s, struct tt_buf *b,
                      uint32_t unit, uint32_t port)
{
    tt_buf_fmt(b, "%s.", s->unit[unit].name);
    tt_show_clean(b, s->unit[unit].type->desc.port[port].name);
}

/* Each connection, and why it is proposed. */
static void reasons(const struct tt_scaffold *s, struct tt_buf *b)
{
    if (s->n_connected + s->n_joint)
        tt_buf_str(b, "\nconnections\n");
    for (size_t i = 0; i < s->n_joint; i++)
        tt_buf_fmt(b, "  %s.%s -- %s.%s: terminals of equal names\n",
                   s->unit[s->joint[i].a].name, s->joint[i].name,
                   s->unit[s->joint[i].b].name, s->joint[i].name);
    for (uint32_t u = 0; u < s->n; u++)
        for (uint32_t i = 0; i < s->unit[u].type->desc.n_port; i++) {
            if (s->unit[u].source[i].unit == TT_NONE)
                continue;
            tt_buf_str(b, "  ");
            put_shown(s, b, s->unit[u].source[i].unit,
                      s->unit[u].source[i].port);
            tt_buf_str(b, " -> ");
            put_shown(s, b, u, i);
            tt_buf_fmt(b, ": %s\n", s->unit[u].source[i].why);
        }
}

void tt_scaffold_advice(const struct tt_scaffold *s, struct tt_buf *b,
                        const char *output)
{
    const char *shown = strcmp(output, "-") == 0 ? "scenario.json" : output;

    tt_buf_fmt(b,
               "%s: ", strcmp(output, "-") == 0 ? "standard output" : output);
    tt_show_count(b, s->n, "instance", "instances");
    tt_buf_str(b, ", ");
    tt_show_count(b, s->n_connected, "connection", "connections");
    if (s->n_joint) {
        tt_buf_str(b, " and ");
        tt_show_count(b, s->n_joint, "pair of terminals", "pairs of terminals");
    }
    tt_buf_str(b, " proposed\n");
    reasons(s, b);
    open_inputs(s, b);
    tt_buf_fmt(b, "\nnext\n  tutti check %s\n  tutti run %s --plot\n", shown,
               shown);
}
