/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "serve/serve_impl.h"
#include "sys/file.h"

/* The results file, followed while it grows: each row that is due becomes a
 * message to attached sockets. The CSV spells numbers as JSON does. */

#define ROW_MAX   ((size_t)16 << 20)
#define PIECE     ((size_t)65536)
#define DEPTH_MAX 64u

struct column {
    uint32_t at; /* in the row */
    char *name;
    char *lead; /* what stands before its value in a message */
};

struct tt_live {
    enum tt_dialect dialect;
    int fd;
    struct tt_buf text; /* read, and not used yet */
    json_t *config;     /* initialize.json */
    double interval, next;
    double tenth; /* of the whole, s; NaN: not known. For clients that want no
                     variables, but to see how far it is */
    int has_header;
    struct column *column;
    size_t n, cap;
    size_t depth; /* braces to close at the end */
};

/* The end of the row at p, past its line feed; NULL: not complete. */
static char *row_end(char *p, const char *end)
{
    int quoted = 0;

    for (; p < end; p++) {
        if (*p == '"')
            quoted = !quoted;
        else if (*p == '\n' && !quoted)
            return p + 1;
    }
    return NULL;
}

/* Cut the next cell off, in place, without its quotes; *was_text: it had some.
 * The row ends with a line feed. */
static char *next_cell(char **row, int *was_text)
{
    char *from = *row, *to = from, *cell = from;

    *was_text = *from == '"';
    for (int quoted = 0; quoted || (*from != ',' && *from != '\n'); from++) {
        if (*from != '"')
            *to++ = *from;
        else if (quoted && from[1] == '"')
            *to++ = *from++;
        else
            quoted = !quoted;
    }
    *row = *from == ',' ? from + 1 : NULL;
    *to = '\0';
    return cell;
}

/* Does "livestream" list {key}.instance.variable? */
static int is_live(const struct tt_live *l, const char *name)
{
    const json_t *map = json_object_get(l->config, "livestream");
    const char *dot = strchr(name, '.');
    const json_t *list, *item;
    char *unit;
    size_t i;

    dot = dot ? strchr(dot + 1, '.') : NULL;
    unit = dot ? tt_strdup(name) : NULL;
    if (!unit)
        return 0;
    unit[dot - name] = '\0';
    list = json_object_get(map, unit);
    tt_free(unit);
    json_array_foreach(list, i, item)
    {
        const char *variable = json_string_value(item);

        if (variable && strcmp(variable, dot + 1) == 0)
            return 1;
    }
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct column *)a)->name,
                  ((const struct column *)b)->name);
}

/* How many dots a and b have in common before they differ. */
static size_t common_dots(const char *a, const char *b, size_t most)
{
    size_t n = 0;

    for (; *a && *a == *b && n < most; a++, b++)
        n += *a == '.';
    return n;
}

/* At which a name is split into objects. */
static size_t dots(const char *s, size_t most)
{
    size_t n = 0;

    for (; *s && n < most; s++)
        n += *s == '.';
    return n;
}

/* Maestro 1 splits names in three, Maestro 2 at every dot. */
static size_t most_dots(const struct tt_live *l)
{
    return l->dialect == TT_DIALECT_MAESTRO1 ? 2 : DEPTH_MAX;
}

/* Objects that are no longer open, those that open, the name. */
static void make_lead(struct column *c, const char *before, size_t most)
{
    size_t same = before ? common_dots(before, c->name, most) : 0, at = 0;
    char *name = tt_strdup(c->name), *part = name, *dot;
    struct tt_buf b;

    tt_buf_init(&b, ROW_MAX);
    for (size_t i = same; before && i < dots(before, most); i++)
        tt_buf_char(&b, '}');
    tt_buf_str(&b, before ? "," : "");
    for (; part; part = dot, at++) {
        dot = at < most ? strchr(part, '.') : NULL;
        if (dot)
            *dot++ = '\0';
        if (at < same)
            continue;
        tt_buf_json(&b, part);
        tt_buf_str(&b, dot ? ":{" : ":");
    }
    tt_free(name);
    c->lead = tt_buf_take(&b);
    tt_buf_fini(&b);
}

static void add_column(struct tt_live *l, const char *name, uint32_t at)
{
    if (!is_live(l, name) || dots(name, SIZE_MAX) > DEPTH_MAX ||
        TT_GROW(l->column, l->n, l->cap) != 0)
        return;
    l->column[l->n] = (struct column){.at = at, .name = tt_strdup(name)};
    if (l->column[l->n].name)
        l->n++;
}

static void read_header(struct tt_live *l, char *row)
{
    uint32_t at = 0;
    int text;

    while (row)
        add_column(l, next_cell(&row, &text), at++);
    if (l->n)
        qsort(l->column, l->n, sizeof(*l->column), by_name);
    for (size_t i = 0; i < l->n; i++)
        make_lead(&l->column[i], i ? l->column[i - 1].name : NULL,
                  most_dots(l));
    l->depth = l->n ? dots(l->column[l->n - 1].name, most_dots(l)) : 0;
    if (!l->n && l->interval <= 0)
        l->interval = l->tenth;
    l->has_header = 1;
}

/* Numbers as numbers, all others as texts, as Maestro 2 does; Maestro 1 sends
 * texts only. */
static void put_value(const struct tt_live *l, struct tt_buf *b,
                      const char *cell, int was_text)
{
    double v;

    if (l->dialect == TT_DIALECT_MAESTRO1 || was_text ||
        tt_num_parse(cell, &v) != 0)
        tt_buf_json(b, cell);
    else
        tt_buf_str(b, v - v == 0 ? cell : "null"); /* no NaN in JSON */
}

struct cell {
    const char *text;
    int was_text;
};

static void put_message(const struct tt_live *l, const struct cell *cell,
                        struct tt_buf *b)
{
    int first = l->dialect == TT_DIALECT_MAESTRO1;

    if (first)
        tt_buf_str(b, "{\"data\":{");
    else
        tt_buf_fmt(b, "{\"time\":%s,\"data\":{", cell[0].text);
    for (size_t i = 0; i < l->n; i++) {
        tt_buf_str(b, l->column[i].lead ? l->column[i].lead : "");
        put_value(l, b, cell[l->column[i].at].text,
                  cell[l->column[i].at].was_text);
    }
    for (size_t i = 0; i < l->depth; i++)
        tt_buf_char(b, '}');
    if (first)
        tt_buf_fmt(b, "},\"time\":%s}", cell[0].text);
    else
        tt_buf_str(b, "}}");
}

static void read_row(struct tt_live *l, char *row, struct tt_sim *sim)
{
    struct cell *cell = NULL;
    size_t n = 0, cap = 0;
    struct tt_buf b;
    double t;

    for (; row && TT_GROW(cell, n, cap) == 0; n++)
        cell[n].text = next_cell(&row, &cell[n].was_text);
    tt_buf_init(&b, ROW_MAX);
    if (!row && n && tt_num_parse(cell[0].text, &t) == 0 && t >= l->next) {
        l->next = l->interval > 0 && l->next > -1e300 ? l->next + l->interval
                                                      : t + l->interval;
        put_message(l, cell, &b);
        if (!b.failed)
            tt_sockets_send(sim, b.data, b.len);
    }
    tt_buf_fini(&b);
    tt_free(cell);
}

static void use_rows(struct tt_live *l, struct tt_sim *sim)
{
    char *p = l->text.data, *end = p + l->text.len, *next;

    for (; p && (next = row_end(p, end)); p = next) {
        if (!l->has_header)
            read_header(l, p);
        else if (!isnan(l->interval))
            read_row(l, p, sim);
    }
    if (p && p != l->text.data) {
        l->text.len = (size_t)(end - p);
        memmove(l->text.data, p, l->text.len);
        l->text.data[l->text.len] = '\0';
    }
}

static double number(const json_t *object, const char *name, double otherwise)
{
    const json_t *v = json_object_get(object, name);

    return json_is_number(v) ? json_number_value(v) : otherwise;
}

/* No client has seen this run yet: from its first row on. */
static void begin(struct tt_sim *sim)
{
    char *path = tt_sim_path(sim, TT_SIM_RESULTS);
    uint64_t size;
    int fd = path ? tt_file_open_plain(path, &size) : -1;
    struct tt_live *l = NULL;
    json_t *body;

    tt_free(path);
    if (fd < 0)
        return; /* no rows yet */
    if (!TT_NEW(l)) {
        (void)close(fd);
        return;
    }
    tt_buf_init(&l->text, ROW_MAX);
    l->fd = fd;
    l->dialect = sim->dialect;
    l->config = tt_maestro_load(sim->session, TT_MAESTRO_CONFIG);
    body = tt_maestro_load(sim->session, TT_MAESTRO_BODY);
    l->interval = number(l->config, "livestreamInterval", 0);
    l->interval = number(l->config, "liveLogInterval", l->interval);
    l->interval = number(body, "liveLogInterval", l->interval);
    l->next = -1e301; /* the first row is always due */
    l->tenth = json_is_false(json_object_get(body, "reportProgress"))
                   ? (double)NAN
                   : (sim->end - (isnan(sim->start) ? 0 : sim->start)) / 10;
    json_decref(body);
    sim->live = l;
}

void tt_live_tick(struct tt_sim *sim)
{
    char piece[PIECE];
    ssize_t n;

    if (!sim->live)
        begin(sim);
    if (!sim->live)
        return;
    while ((n = read(sim->live->fd, piece, sizeof(piece))) > 0) {
        tt_buf_add(&sim->live->text, piece, (size_t)n);
        use_rows(sim->live, sim);
    }
}

void tt_live_end(struct tt_sim *sim)
{
    struct tt_live *l = sim->live;

    if (!l)
        return;
    for (size_t i = 0; i < l->n; i++)
        TT_FREE_ALL(l->column[i].name, l->column[i].lead);
    tt_free(l->column);
    json_decref(l->config);
    tt_buf_fini(&l->text);
    (void)close(l->fd);
    tt_free(l);
    sim->live = NULL;
}
