/* SPDX-License-Identifier: MIT */
/* Projects of MasterSim (.msim): simulators, the graph between them, parameters
 * and how they are simulated, a line each. */
#include <string.h>

#include "base/num.h"
#include "formats/formats.h"
#include "formats/msim_impl.h"
#include "sys/file.h"

#define BLANKS " \t\r"

/* --- words ------------------------------------------------------------------
 */

/* One word, within quotes or up to a blank; returns what follows. */
static char *take_word(char *p, const char **word)
{
    int quoted = *p == '"';
    char *end;

    p += quoted;
    *word = p;
    end = p + strcspn(p, quoted ? "\"" : BLANKS);
    if (*end)
        *end++ = '\0';
    return end + strspn(end, BLANKS);
}

static enum tt_code read_line(struct msim *m, const char *text, size_t n,
                              struct msim_line *l)
{
    char *p = tt_arena_strndup(m->s.arena, text, n);
    char *again = p;

    l->n = 0;
    l->rest = "";
    if (!p)
        return tt_sc_no_memory(m->s.b);
    for (size_t k = n; k > 0 && strchr(BLANKS, p[k - 1]); k--)
        p[k - 1] = '\0';
    p += strspn(p, BLANKS);
    if (!*p || *p == '#')
        return TT_OK;
    again += (size_t)(p - again) + strcspn(p, BLANKS);
    l->rest = tt_arena_strdup(m->s.arena, again + strspn(again, BLANKS));
    while (*p && l->n < MSIM_MOST_WORDS)
        p = take_word(p, &l->word[l->n++]);
    l->n += *p != '\0';
    return l->rest ? TT_OK : tt_sc_no_memory(m->s.b);
}

static enum tt_code bad_line(struct msim *m, const struct msim_line *l,
                             const char *form)
{
    return tt_sc_fail(m->s.b, l->where, TT_EINPUT, "the form is '%s'", form);
}

/* --- simulators -------------------------------------------------------------
 */

static int is_table(const char *path)
{
    return tt_path_ends(path, ".csv") || tt_path_ends(path, ".tsv");
}

static enum tt_code add_slave(struct msim *m, const struct msim_line *l)
{
    struct msim_slave s = {.cycle = 0};
    const char *key = NULL, *name;
    int64_t cycle = 0;
    enum tt_code rc;

    if (l->n != 6 || tt_num_parse_i64(l->word[2], &cycle) != 0 || cycle < 0 ||
        cycle > MSIM_MOST_CYCLE)
        return bad_line(m, l, "simulator NUMBER CYCLE NAME COLOUR \"FILE\"");
    s.name = l->word[3];
    s.cycle = (uint32_t)cycle;
    s.is_table = is_table(l->word[5]);
    name = ssp_plain_name(&m->s, s.name);
    rc = name ? ssp_add_fmu(&m->s, &m->doc, l->word[5], NULL, l->where, &key)
              : tt_sc_no_memory(m->s.b);
    if (rc != TT_OK)
        return rc;
    s.unit = ssp_text(&m->s, "%s.%s", key, name);
    if (!s.unit || TT_GROW(m->slave, m->n_slave, m->cap_slave) != 0)
        return tt_sc_no_memory(m->s.b);
    switch (tt_names_add(&m->slave_by, s.name, (uint32_t)m->n_slave)) {
    case 0:
        m->slave[m->n_slave++] = s;
        return tt_sc_add_instance(m->s.b, key,
                                  (struct tt_sc_word){name, l->where});
    case 1:
        return tt_sc_fail(m->s.b, l->where, TT_EINPUT,
                          "there are two simulators '%s'", s.name);
    default:
        return tt_sc_no_memory(m->s.b);
    }
}

/* --- graph and parameters ---------------------------------------------------
 */

static const char *slave_name(const void *ctx, size_t i)
{
    return ((const struct msim *)ctx)->slave[i].name;
}

/* "slave.variable" as a reference of ours. */
static enum tt_code find_ref(struct msim *m, const struct msim_line *l,
                             const char *text, const char **ref)
{
    const char *dot = strchr(text, '.'), *name, *near;
    uint32_t slave;

    if (!dot || dot == text || !dot[1])
        return tt_sc_fail(m->s.b, l->where, TT_EINPUT,
                          "'%s' is not SIMULATOR.VARIABLE", text);
    name = ssp_text(&m->s, "%.*s", (int)(dot - text), text);
    slave = name ? tt_names_find(&m->slave_by, name) : TT_NONE;
    if (name && slave == TT_NONE) {
        near = tt_names_nearest(name, m->n_slave, slave_name, m);
        return tt_sc_fail(m->s.b, l->where, TT_EINPUT,
                          "there is no simulator '%s'%s%s%s", name,
                          near ? "; did you mean '" : "", near ? near : "",
                          near ? "'?" : "");
    }
    *ref =
        name ? ssp_text(&m->s, "%s.%s", m->slave[slave].unit, dot + 1) : NULL;
    *ref = *ref ? tt_sc_keep(m->s.b, *ref) : NULL;
    return *ref ? TT_OK : tt_sc_no_memory(m->s.b);
}

/* "graph a.y b.u OFFSET FACTOR ...": b.u = OFFSET + FACTOR a.y. */
static enum tt_code connect(struct msim *m, const struct msim_line *l)
{
    struct tt_sc_transform by = {.factor = 1}, *kept = NULL;
    struct tt_sc_word from = {.where = l->where}, to = from;
    enum tt_code rc;

    if ((l->n != 3 && l->n != 5 && l->n != 7) ||
        (l->n > 3 && (tt_num_parse(l->word[3], &by.offset) != 0 ||
                      tt_num_parse(l->word[4], &by.factor) != 0)))
        return bad_line(m, l,
                        "graph OUTPUT INPUT [OFFSET FACTOR [WIDTH "
                        "COLOUR]]");
    rc = find_ref(m, l, l->word[1], &from.text);
    if (rc == TT_OK)
        rc = find_ref(m, l, l->word[2], &to.text);
    if (rc != TT_OK)
        return rc;
    if (by.offset != 0 || by.factor != 1) {
        kept = tt_sc_room(m->s.b, 1, sizeof(*kept));
        if (!kept)
            return tt_sc_no_memory(m->s.b);
        *kept = by;
    }
    return tt_sc_connect_by(m->s.b, from, to, kept);
}

/* Written with two for each backslash, and "\n" for a line's end. */
static const char *unescape(struct msim *m, const char *text)
{
    char *out = tt_arena_strdup(m->s.arena, text), *to = out;

    for (const char *p = text; out && *p; p++) {
        if (*p == '\\' && (p[1] == '\\' || p[1] == 'n'))
            *to++ = *++p == 'n' ? '\n' : '\\';
        else
            *to++ = *p;
    }
    if (out)
        *to = '\0';
    return out ? tt_sc_keep(m->s.b, out) : NULL;
}

/* "parameter a.name VALUE": the value is all that follows. */
static enum tt_code set_parameter(struct msim *m, const struct msim_line *l)
{
    struct tt_sc_word ref = {.where = l->where};
    struct tt_sc_value value;
    const char *text;
    size_t n;
    enum tt_code rc;

    if (l->n < 3)
        return bad_line(m, l, "parameter SIMULATOR.NAME VALUE");
    rc = find_ref(m, l, l->word[1], &ref.text);
    if (rc != TT_OK)
        return rc;
    text = l->rest + strcspn(l->rest, BLANKS);
    text += strspn(text, BLANKS);
    n = strlen(text);
    if (n > 1 && text[0] == '"' && text[n - 1] == '"')
        text = ssp_text(&m->s, "%.*s", (int)n - 2, text + 1);
    text = text ? unescape(m, text) : NULL;
    if (!text)
        return tt_sc_no_memory(m->s.b);
    tt_sc_typed(&value, text);
    return tt_sc_set_parameter(m->s.b, ref, &value);
}

/* --- the whole --------------------------------------------------------------
 */

/* Parameters come behind all connections, wherever they are written. */
enum pass { STRUCTURE, VALUES };

static enum tt_code read_one(struct msim *m, const struct msim_line *l,
                             enum pass pass)
{
    int is_value = strcmp(l->word[0], "parameter") == 0;

    if (pass == VALUES)
        return is_value ? set_parameter(m, l) : TT_OK;
    if (is_value)
        return TT_OK;
    if (strcmp(l->word[0], "simulator") == 0)
        return add_slave(m, l);
    if (strcmp(l->word[0], "graph") == 0)
        return connect(m, l);
    return msim_setting(m, l);
}

static enum tt_code read_lines(struct msim *m, const struct tt_buf *text,
                               enum pass pass)
{
    enum tt_code rc = TT_OK;
    struct msim_line l;
    size_t n;

    for (size_t at = 0; rc == TT_OK && at < text->len; at += n + 1) {
        const char *end = memchr(text->data + at, '\n', text->len - at);

        n = end ? (size_t)(end - text->data) - at : text->len - at;
        l.where = (struct tt_where){0, (uint32_t)at};
        rc = read_line(m, text->data + at, n, &l);
        if (rc == TT_OK && l.n)
            rc = read_one(m, &l, pass);
    }
    return rc;
}

static enum tt_code read_all(struct msim *m, const char *path)
{
    char *dir = tt_path_dir(path);
    const char *name = tt_sc_keep(m->s.b, tt_path_base(path));
    struct tt_buf text;
    enum tt_code rc;

    tt_buf_init(&text, SSP_MOST_BYTES);
    m->doc.dir = dir;
    rc = dir && name ? tt_file_read(&text, path, m->s.err)
                     : tt_sc_no_memory(m->s.b);
    if (rc == TT_OK && text.len && memchr(text.data, '\0', text.len))
        rc = tt_fail(m->s.err, TT_EINPUT, "%s: it is no text", path);
    if (rc == TT_OK)
        rc = tt_sc_add_file(m->s.b, path, dir, text.data ? text.data : "",
                            text.len);
    if (rc == TT_OK) {
        tt_sc_set_name(m->s.b, name);
        rc = read_lines(m, &text, STRUCTURE);
    }
    if (rc == TT_OK)
        rc = read_lines(m, &text, VALUES);
    if (rc == TT_OK)
        rc = msim_apply(m);
    tt_buf_fini(&text);
    tt_free(dir);
    return rc;
}

static enum tt_code msim_read(tt_scenario **out,
                              const struct tt_format_source *f, tt_err *err)
{
    struct msim m = {.s = {.err = err, .log = f->log},
                     .time = {[MSIM_END] = 365 * 86400.0,
                              [MSIM_LEAST] = 1e-5,
                              [MSIM_MOST] = 1800,
                              [MSIM_FIRST] = 600,
                              [MSIM_FALL_BACK] = 1e-3,
                              [MSIM_OUTPUT] = 600},
                     .abstol = 1e-6,
                     .reltol = 1e-5,
                     .master = MSIM_SEIDEL,
                     .turns = 1};
    enum tt_code rc = tt_sc_build_new(&m.s.b, f->o, f->log, err);

    tt_names_init(&m.slave_by);
    if (ssp_init(&m.s) != 0 && rc == TT_OK)
        rc = tt_sc_no_memory(m.s.b);
    if (rc == TT_OK)
        rc = read_all(&m, f->path);
    rc = tt_sc_build_end(m.s.b, rc, out);
    tt_names_fini(&m.slave_by);
    tt_free(m.slave);
    ssp_fini(&m.s);
    return rc;
}

const struct tt_scformat tt_scformat_msim = {
    .what = "a project of MasterSim",
    .ending = (const char *const[]){".msim", NULL},
    TT_HOOKS(msim_, read, write)};
