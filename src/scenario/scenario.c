/* SPDX-License-Identifier: MIT */
#include "scenario/hint_text.h"
#include "scenario/scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/build_impl.h"
#include "sys/file.h"

#define DEVS ".devs.json" /* of a discrete-event unit in a file */

static void of_all_names(struct tt_sc_build *b, void (*fn)(struct tt_names *))
{
    struct tt_names *all[] = {
        &b->fmu_by_key, &b->unit_by_name, &b->unit_by_instance,
        &b->input,      &b->stub,         &b->port_by_name};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        fn(all[i]);
}

static enum tt_code build_init(struct tt_sc_build *b)
{
    tt_scenario *s;

    tt_buf_init(&b->word, TT_DOC_MAX);
    tt_buf_init(&b->given, TT_DOC_MAX);
    of_all_names(b, tt_names_init);
    b->nodes = tt_arena_new();
    if (!TT_NEW(s))
        return tt_sc_no_memory(b);
    b->s = s;
    s->arena = tt_arena_new();
    if (!s->arena || !b->nodes)
        return tt_sc_no_memory(b);
    s->name = "";
    s->step = s->start = s->end = s->tolerance = s->sample = (double)NAN;
    s->step_min = s->step_max = s->step_init = (double)NAN;
    s->iteration = (struct tt_sc_iteration){
        .abstol = 1e-10, .reltol = 1e-10, .relax = 1, .max = 100};
    s->loop_abstol = s->loop_reltol = s->live_interval = (double)NAN;
    s->deadline = (double)NAN;
    s->loop_attempts = -1;
    s->events.limit = TT_SC_EVENT_LIMIT;
    s->substeps = TT_SC_SUBSTEPS;
    s->quantum_most = TT_SC_QUANTUM_MOST;
    s->step_where = s->start_where = TT_SC_NOWHERE;
    s->end_where = s->order_where = TT_SC_NOWHERE;
    return TT_OK;
}

/* What must be known before anything is read. The base is kept, since those
 * inside are confined like this one. */
static enum tt_code take_place(struct tt_sc_build *b,
                               const struct tt_sc_options *o)
{
    if (!o)
        return TT_OK;
    if (o->dialect) {
        enum tt_code rc = tt_sc_set_dialect(b, o->dialect);

        if (rc != TT_OK)
            return rc;
    }
    b->s->inside = o->inside;
    b->s->only_base = o->only_base;
    b->in_base = o->base && !o->inside;
    if (o->base && !(b->s->base = tt_sc_keep(b, o->base)))
        return tt_sc_no_memory(b);
    return TT_OK;
}

enum tt_code tt_sc_build_new(tt_sc_build **out, const struct tt_sc_options *o,
                             const struct tt_log *log, tt_err *err)
{
    struct tt_sc_build *b;
    enum tt_code rc;

    if (!TT_NEW(b))
        return tt_fail(err, TT_ENOMEM, "out of memory reading the scenario");
    *b = (struct tt_sc_build){.o = o, .log = log, .err = err};
    rc = build_init(b);
    if (rc == TT_OK)
        rc = take_place(b, o);
    return TT_HAND_OVER(rc, out, b, tt_sc_build_free);
}

void tt_sc_build_free(tt_sc_build *b)
{
    if (!b)
        return;
    tt_scenario_free(b->s); /* NULL once handed over */
    of_all_names(b, tt_names_fini);
    tt_buf_fini(&b->word);
    tt_buf_fini(&b->given);
    tt_arena_free(b->nodes);
    TT_FREE_ALL(b->file, b->dir, b->fmu, b->unit, b->port, b->connection,
                b->parameter, b->named, b);
}

enum tt_code tt_sc_take_package(tt_sc_build *b, tt_archive *package)
{
    tt_scenario *s = b->s;

    if (TT_GROW(s->package, s->n_package, s->cap_package) != 0) {
        tt_archive_close(package);
        return tt_sc_no_memory(b);
    }
    s->package[s->n_package++] = package;
    return TT_OK;
}

void tt_sc_give_packages(tt_sc_build *b, tt_scenario *to)
{
    TT_ASSERT(to->n_package == 0);
    to->package = b->s->package;
    to->n_package = b->s->n_package;
    to->cap_package = b->s->cap_package;
    b->s->package = NULL;
    b->s->n_package = b->s->cap_package = 0;
}

static void hand_over(struct tt_sc_build *b, tt_scenario **out)
{
    *out = b->s;
    b->s = NULL;
}

/* It is read here, where files still may be, and understood when the plan is
 * known. */
static enum tt_code load_score(struct tt_sc_build *b, const char *path)
{
    const struct tt_sc_options none = {0}, *o = b->o ? b->o : &none;
    const char *vain = o->master         ? "--master"
                       : o->order        ? "--order"
                       : o->sequence     ? "--sequence"
                       : o->iterate      ? "--iterate"
                       : o->acceleration ? "--acceleration"
                                         : NULL;
    struct tt_buf text;
    enum tt_code rc;

    if (vain)
        return tt_sc_fail(b, TT_SC_NOWHERE, TT_EINPUT,
                          "%s has no effect with %s: the file decides how "
                          "instances step",
                          vain, o->score ? "--score" : "\"score\"");
    tt_buf_init(&text, TT_DOC_MAX);
    rc = tt_file_read(&text, path, b->err);
    if (rc == TT_OK)
        rc =
            tt_sc_add_file(b, path, NULL, text.data ? text.data : "", text.len);
    tt_buf_fini(&text);
    return rc;
}

enum tt_code tt_sc_build_finish(tt_sc_build *b, tt_scenario **out)
{
    const char *score = b->o && b->o->score ? b->o->score : b->score;
    enum tt_code rc = b->o ? tt_sc_apply_options(b, b->o) : TT_OK;

    if (rc == TT_OK && score)
        rc = load_score(b, score);
    if (rc == TT_OK)
        rc = tt_sc_finish(b);
    if (rc != TT_OK)
        return rc;
    b->s->score = score ? &b->s->file[b->s->n_file - 1] : NULL;
    if (b->given.len)
        b->s->given = b->given.failed ? NULL : tt_sc_keep(b, b->given.data);
    if (b->given.len && !b->s->given)
        return tt_sc_no_memory(b);
    hand_over(b, out);
    return TT_OK;
}

enum tt_code tt_sc_build_end(tt_sc_build *b, enum tt_code rc, tt_scenario **out)
{
    if (rc == TT_OK)
        rc = tt_sc_build_finish(b, out);
    tt_sc_build_free(b);
    return rc;
}

const char *tt_sc_keep(tt_sc_build *b, const char *text)
{
    return tt_arena_strdup(b->s->arena, text);
}

void *tt_sc_room(tt_sc_build *b, size_t n, size_t size)
{
    return tt_arena_alloc(b->s->arena, n, size);
}

enum tt_code tt_sc_set_base(tt_sc_build *b, const char *dir)
{
    b->s->base = tt_sc_keep(b, dir);
    b->in_base = 0;
    return b->s->base ? TT_OK : tt_sc_no_memory(b);
}

void tt_sc_open_step(tt_sc_build *b)
{
    b->s->step_open = 1;
}

void tt_sc_set_name(tt_sc_build *b, const char *name)
{
    b->s->name = name;
}

void tt_sc_set_decided(tt_sc_build *b, const char *decision)
{
    b->s->decided = decision;
}

void tt_sc_set_origin(tt_sc_build *b, const char *path)
{
    b->s->origin = path;
}

void tt_sc_set_left_out(tt_sc_build *b, const char *what)
{
    b->s->left_out = what;
}

void tt_scenario_free(tt_scenario *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->n_fmu; i++)
        tt_scenario_free(s->fmu[i].inner);
    for (size_t i = 0; i < s->n_package; i++)
        tt_archive_close(s->package[i]);
    tt_free(s->package);
    tt_arena_free(s->arena);
    tt_free(s);
}

/* The file name without folder and ending. */
static char *stem(tt_arena *arena, const char *path)
{
    size_t n = strlen(path), begin;
    const char *dot = NULL;

    while (n > 1 && path[n - 1] == '/')
        n--;
    for (begin = n; begin > 0 && path[begin - 1] != '/'; begin--)
        if (!dot && begin > 1 && path[begin - 1] == '.')
            dot = path + begin - 1;
    if (dot && dot > path + begin)
        n = (size_t)(dot - path);
    return tt_arena_strndup(arena, path + begin, n - begin);
}

/* Many people call the file just scenario.json: then the folder states more. */
static char *name_of(tt_arena *arena, const char *path)
{
    char *name = stem(arena, path), *full, *dir = NULL;
    const char *folder = "";
    size_t n;

    if (!name || strcmp(name, "scenario") != 0)
        return name;
    full = tt_path_absolute(path);
    if (full)
        dir = tt_path_dir(full);
    if (dir) {
        for (n = strlen(dir); n > 2 && strcmp(dir + n - 2, "/.") == 0; n -= 2)
            dir[n - 2] = '\0';
        folder = tt_path_base(dir);
    }
    if (*folder && strcmp(folder, "..") != 0)
        name = tt_arena_strdup(arena, folder);
    TT_FREE_ALL(dir, full);
    return name;
}

enum tt_code tt_sc_add_file(tt_sc_build *b, const char *path, const char *dir,
                            const char *text, size_t n)
{
    uint32_t i = b->s->n_file;
    struct tt_text_file f = {.n = n};

    if (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { /* a BOM */
        text += 3;
        f.n -= 3;
    }
    f.path = tt_sc_keep(b, path);
    f.text = f.n > 0 && f.n <= TT_DOC_MAX
                 ? tt_arena_dup(b->s->arena, text, f.n, 1)
                 : tt_sc_keep(b, "");
    dir = tt_sc_keep(b, dir ? dir : "");
    if (!f.path || !f.text || !dir || TT_GROW(b->file, i, b->cap_file) != 0 ||
        TT_GROW(b->dir, i, b->cap_dir) != 0)
        return tt_sc_no_memory(b);
    b->file[i] = f;
    b->dir[i] = dir;
    b->s->file = b->file;
    b->s->n_file = i + 1;
    return TT_OK;
}

/* --- JSON ----------------------------------------------------------------- */

#define MOST_DEPTH 32 /* scenarios written in each other */

/* Its positions are in the same files, its texts in the same arena. */
static enum tt_code share_files(struct tt_sc_build *b,
                                const struct tt_sc_build *outer)
{
    for (uint32_t i = 0; i < outer->s->n_file; i++) {
        if (TT_GROW(b->file, i, b->cap_file) != 0 ||
            TT_GROW(b->dir, i, b->cap_dir) != 0)
            return tt_sc_no_memory(b);
        b->file[i] = outer->file[i];
        b->dir[i] = outer->dir[i];
    }
    b->s->file = b->file;
    b->s->n_file = outer->s->n_file;
    b->in_base = outer->in_base;
    b->depth = outer->depth + 1;
    return TT_OK;
}

static char *name_in_braces(tt_arena *arena, const char *key)
{
    size_t n = strlen(key), braces = key[0] == '{' && key[n - 1] == '}';

    return tt_arena_strndup(arena, key + braces, n - 2 * braces);
}

enum tt_code tt_sc_build_inside(tt_sc_build **out, tt_sc_build *b,
                                const char *name, struct tt_where w)
{
    struct tt_sc_options *o = tt_sc_room(b, 1, sizeof(*o));
    tt_sc_build *in = NULL;
    enum tt_code rc;

    if (!o)
        return tt_sc_no_memory(b);
    *o = (struct tt_sc_options)TT_SC_OPTIONS_INIT;
    o->inside = 1;
    o->base = b->s->base;
    o->only_base = b->s->only_base;
    rc = tt_sc_build_new(&in, o, b->log, b->err);
    if (rc != TT_OK)
        return rc;
    in->where = w;
    in->s->name = name;
    rc = share_files(in, b);
    return TT_HAND_OVER(rc, out, in, tt_sc_build_free);
}

enum tt_code tt_sc_read_inner(struct tt_sc_build *b, const struct tt_doc *v,
                              tt_scenario **inner)
{
    const char *name = name_in_braces(b->s->arena, v->key);
    tt_sc_build *in = NULL;
    enum tt_code rc;

    if (b->depth == MOST_DEPTH)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "scenarios are more than %d deep in each other",
                          MOST_DEPTH);
    rc = name ? tt_sc_build_inside(&in, b, name, v->where) : tt_sc_no_memory(b);
    if (rc == TT_OK)
        rc = tt_sc_read_all(in, v);
    return tt_sc_build_end(in, rc, inner);
}

/* One file's text, laid over those before. */
static enum tt_code add_json(struct tt_sc_build *b, struct tt_doc *root,
                             const char *path, const char *dir,
                             const char *text, size_t n)
{
    uint32_t i = b->s->n_file;
    struct tt_doc doc;
    enum tt_code rc = tt_sc_add_file(b, path, dir, text, n);

    if (rc == TT_OK)
        rc = tt_doc_parse(i == 0 ? root : &doc, &b->file[i], i, b->nodes,
                          b->s->arena, b->err);
    if (rc == TT_OK && i > 0)
        rc = tt_doc_merge(root, &doc, b->nodes, b->err);
    return rc;
}

static enum tt_code convert_hints(struct tt_buf *text, const char *path,
                                  tt_err *err)
{
    struct tt_buf json;
    enum tt_code rc;

    tt_buf_init(&json, TT_DOC_MAX);
    rc = tt_hint_text(&json, path, text->data, text->len, err);
    tt_buf_fini(text);
    *text = json;
    return rc;
}

static enum tt_code load_file(struct tt_sc_build *b, struct tt_doc *root,
                              const char *path)
{
    struct tt_buf text;
    char *dir = tt_path_dir(path);
    enum tt_code rc;

    if (!dir)
        return tt_sc_no_memory(b);
    if (b->s->inside && tt_sc_is_outside(b, path)) {
        tt_free(dir);
        return tt_fail(b->err, TT_EINPUT, "%s: it is not in the session", path);
    }
    tt_buf_init(&text, TT_DOC_MAX);
    rc = tt_file_read(&text, path, b->err);
    if (rc == TT_OK && tt_hint_is_text(text.data, text.len))
        rc = convert_hints(&text, path, b->err);
    if (rc == TT_OK) /* no "/x/./y.fmu" */
        rc = add_json(b, root, path, strcmp(dir, ".") == 0 ? "" : dir,
                      text.data ? text.data : "", text.len);
    tt_buf_fini(&text);
    tt_free(dir);
    return rc;
}

/* The tree, and what the options state in JSON, as a scenario. */
static enum tt_code read_json(struct tt_sc_build *b, struct tt_doc *root,
                              tt_scenario **out)
{
    const char *more = b->o ? b->o->json : NULL;
    enum tt_code rc = TT_OK;

    if (!b->s->name)
        return tt_sc_no_memory(b);
    if (more)
        rc = add_json(b, root, "options", NULL, more, strlen(more));
    if (rc == TT_OK)
        rc = tt_sc_read_all(b, root);
    return rc == TT_OK ? tt_sc_build_finish(b, out) : rc;
}

enum tt_code tt_scenario_load(tt_scenario **out, const char *const *path,
                              size_t n, const struct tt_sc_options *o,
                              const struct tt_log *log, tt_err *err)
{
    struct tt_doc root;
    tt_sc_build *b = NULL;
    enum tt_code rc = tt_sc_build_new(&b, o, log, err);

    if (rc == TT_OK && n == 0)
        rc = tt_fail(err, TT_EINPUT, "no scenario file is given");
    for (size_t i = 0; rc == TT_OK && i < n; i++)
        rc = load_file(b, &root, path[i]);
    if (rc == TT_OK) {
        b->s->name = name_of(b->s->arena, path[0]);
        rc = read_json(b, &root, out);
    }
    tt_sc_build_free(b);
    return rc;
}

enum tt_code tt_scenario_load_fmus(tt_scenario **out, const char *const *path,
                                   size_t n, const char *base, int only_base,
                                   const struct tt_log *log, tt_err *err)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    const struct tt_doc *fmus = NULL;
    struct tt_doc root = {0};
    tt_sc_build *b = NULL;
    enum tt_code rc;

    o.base = base;
    o.only_base = only_base;
    rc = tt_sc_build_new(&b, &o, log, err);
    for (size_t i = 0; rc == TT_OK && i < n; i++)
        rc = load_file(b, &root, path[i]);
    if (rc == TT_OK)
        rc = tt_sc_object(b, &root);
    if (rc == TT_OK)
        fmus = tt_sc_member(&root, "fmus");
    if (fmus && (fmus->kind != TT_DOC_OBJECT || fmus->n > 0))
        rc = tt_sc_read_fmus(b, fmus);
    if (rc == TT_OK)
        rc = tt_sc_freeze_fmus(b);
    if (rc == TT_OK)
        hand_over(b, out);
    tt_sc_build_free(b);
    return rc;
}

enum tt_code tt_scenario_parse(tt_scenario **out, const char *name,
                               const char *base_dir, const char *text, size_t n,
                               const struct tt_sc_options *o,
                               const struct tt_log *log, tt_err *err)
{
    struct tt_doc root;
    tt_sc_build *b = NULL;
    enum tt_code rc = tt_sc_build_new(&b, o, log, err);

    if (rc == TT_OK)
        rc = add_json(b, &root, name, base_dir, text, n);
    if (rc == TT_OK) {
        b->s->name = stem(b->s->arena, name);
        rc = read_json(b, &root, out);
    }
    tt_sc_build_free(b);
    return rc;
}

static const char *what_alone(const char *path)
{
    return tt_path_ends(path, DEVS) ? "a discrete-event unit" : "an FMU";
}

/* One FMU, one instance of its name. */
static enum tt_code build_single(struct tt_sc_build *b, const char *path)
{
    char *name = stem(b->s->arena, path), *absolute = tt_path_absolute(path);
    struct tt_sc_word key = {.where = TT_SC_NOWHERE}, word = key;
    struct tt_sc_fmu fmu = {.uri = tt_sc_keep(b, path), .where = word.where};
    struct tt_buf full;
    enum tt_code rc;

    if (name && tt_path_ends(name, ".devs"))
        name[strlen(name) - strlen(".devs")] = '\0';
    for (char *p = name; p && *p; p++)
        if (strchr(".{}", *p))
            *p = '_';
    tt_buf_init(&full, TT_DOC_MAX);
    tt_buf_fmt(&full, "{%s}", name ? name : "");
    fmu.key = full.failed ? NULL : tt_sc_keep(b, full.data);
    fmu.path = absolute ? tt_sc_keep(b, absolute) : NULL;
    tt_buf_fini(&full);
    tt_free(absolute);
    if (!name || !fmu.key || !fmu.uri || !fmu.path)
        return tt_sc_no_memory(b);
    b->s->name = word.text = name;
    rc = tt_sc_put_fmu(b, &fmu, &b->fmu_by_key);
    return rc == TT_OK ? tt_sc_add_instance(b, fmu.key, word) : rc;
}

enum tt_code tt_scenario_single(tt_scenario **out, const char *fmu_path,
                                const struct tt_sc_options *o, tt_err *err)
{
    tt_sc_build *b = NULL;
    enum tt_code rc = tt_sc_build_new(&b, o, NULL, err);

    if (rc == TT_OK && !*fmu_path)
        rc = tt_fail(err, TT_EINPUT, "the path of the FMU is empty");
    if (rc == TT_OK && o && o->json)
        rc = tt_fail(err, TT_EINPUT,
                     "%s is %s alone: JSON is laid over scenarios", fmu_path,
                     what_alone(fmu_path));
    if (rc == TT_OK)
        rc = build_single(b, fmu_path);
    return tt_sc_build_end(b, rc, out);
}

int tt_scenario_is_fmu(const char *path)
{
    if (strncmp(path, "coe:", 4) == 0) /* a scenario, packed like one */
        return 0;
    return tt_path_ends(path, ".fmu") || tt_path_ends(path, ".FMU") ||
           tt_file_is_dir(path);
}

/* By the ending alone, which the kind takes it by as well. */
int tt_scenario_is_alone(const char *path)
{
    return tt_scenario_is_fmu(path) || tt_path_ends(path, DEVS);
}

enum tt_code tt_scenario_open(tt_scenario **out, const char *const *path,
                              size_t n, const struct tt_sc_options *o,
                              const struct tt_log *log, tt_err *err)
{
    if (n == 1 && tt_scenario_is_alone(path[0]))
        return tt_scenario_single(out, path[0], o, err);
    for (size_t i = 0; i < n; i++)
        if (tt_scenario_is_alone(path[i]))
            return tt_fail(err, TT_EINPUT,
                           "'%s' is %s and can only run alone; couple "
                           "several in a scenario (tutti new writes one)",
                           path[i], what_alone(path[i]));
    return tt_scenario_load(out, path, n, o, log, err);
}

const char *tt_scenario_at(const tt_scenario *s, struct tt_where w, char *out,
                           size_t size)
{
    const struct tt_text_file *f;
    struct tt_text_position p;

    if (w.file == TT_NONE) {
        snprintf(out, size, "command line");
        return out;
    }
    TT_ASSERT(w.file < s->n_file);
    f = &s->file[w.file];
    p = tt_text_locate(f, w.offset);
    snprintf(out, size, "%s:%zu:%zu", f->path, p.line, p.column);
    return out;
}

/* A string of JSON: so many bytes of the file are so many of its value. */
static size_t escape_at(const char *s, size_t *bytes)
{
    unsigned code = 0;

    *bytes = 1;
    if (*s != '\\')
        return 1;
    if (s[1] != 'u' || strnlen(s, 6) < 6)
        return 2;
    for (int i = 2; i < 6; i++)
        code = code * 16 +
               (unsigned)(s[i] <= '9' ? s[i] - '0' : (s[i] | 0x20) - 'a' + 10);
    *bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
    return 6;
}

struct tt_where tt_scenario_byte(const tt_scenario *s,
                                 const struct tt_sc_expr *e, size_t byte)
{
    struct tt_where w = e->where;
    const struct tt_text_file *f;
    size_t at, n, bytes;

    if (e->made || w.file == TT_NONE)
        return w;
    f = &s->file[w.file];
    at = (size_t)w.offset + 1; /* the quote */
    for (size_t done = 0; done < byte && at < f->n; done += bytes) {
        n = escape_at(f->text + at, &bytes);
        at += n;
    }
    w.offset = (uint32_t)(at < f->n ? at : w.offset);
    return w;
}

/* The byte that stands there; characters are counted, not bytes. */
static size_t byte_at(const char *text, unsigned long line,
                      unsigned long column)
{
    const char *s = text;

    for (; line > 1 && strchr(s, '\n'); line--)
        s = strchr(s, '\n') + 1;
    for (; column > 1 && *s; column--)
        do
            s++;
        while (((unsigned char)*s & 0xc0) == 0x80);
    return (size_t)(s - text);
}

struct tt_where tt_scenario_within(const tt_scenario *s,
                                   const struct tt_sc_expr *e,
                                   const char **message)
{
    const char *fact = strstr(*message, ": ");
    char *end;
    unsigned long line = strtoul(*message, &end, 10), column;

    if (!fact || *end != ':')
        return e->where;
    column = strtoul(end + 1, &end, 10);
    if (end != fact)
        return e->where;
    *message = fact + 2;
    return tt_scenario_byte(s, e, byte_at(e->text, line, column));
}

void tt_scenario_place(const tt_scenario *s, struct tt_where w,
                       struct tt_spot *p)
{
    const struct tt_text_file *f;
    struct tt_text_position at;

    if (w.file == TT_NONE)
        return;
    TT_ASSERT(w.file < s->n_file);
    f = &s->file[w.file];
    at = tt_text_locate(f, w.offset);
    tt_spot_at(p, f->path, at.line, at.column);
}

TT_PRINTF(5, 0)
static enum tt_code vfail_at(const tt_scenario *s, struct tt_where w,
                             tt_err *err, enum tt_code code, const char *fmt,
                             va_list ap)
{
    char at[512];

    tt_vfail(err, code, fmt, ap);
    if (err)
        tt_scenario_place(s, w, &err->place);
    return tt_context(err, code, "%s", tt_scenario_at(s, w, at, sizeof(at)));
}

enum tt_code tt_scenario_fail(const tt_scenario *s, struct tt_where w,
                              tt_err *err, enum tt_code code, const char *fmt,
                              ...)
{
    va_list ap;

    va_start(ap, fmt);
    vfail_at(s, w, err, code, fmt, ap);
    va_end(ap);
    return code;
}

enum tt_code tt_scenario_fail_ref(const tt_scenario *s,
                                  const struct tt_sc_ref *ref, tt_err *err,
                                  enum tt_code code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vfail_at(s, ref->where, err, code, fmt, ap);
    va_end(ap);
    if (err)
        tt_spot_of(&err->place, s->unit[ref->unit].name, ref->variable);
    return code;
}
