/* SPDX-License-Identifier: MIT */
#include "scenario/scenario.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenario/build_impl.h"
#include "sys/file.h"

static enum tt_code build_init(struct tt_sc_build *b, size_t n_file,
                               const struct tt_log *log, tt_err *err)
{
    tt_scenario *s;

    *b = (struct tt_sc_build){.log = log, .err = err};
    tt_buf_init(&b->word, TT_DOC_MAX);
    tt_names_init(&b->fmu_by_key);
    tt_names_init(&b->unit_by_name);
    tt_names_init(&b->unit_by_instance);
    tt_names_init(&b->input);
    tt_names_init(&b->stub);
    tt_names_init(&b->port_by_name);
    b->nodes = tt_arena_new();
    if (!TT_NEW(s))
        return tt_sc_no_memory(b);
    b->s = s;
    s->arena = tt_arena_new();
    if (!s->arena || !b->nodes)
        return tt_sc_no_memory(b);
    b->file = tt_arena_alloc(s->arena, n_file + 1, sizeof(*b->file));
    b->dir = tt_arena_alloc(s->arena, n_file + 1, sizeof(*b->dir));
    if (!b->file || !b->dir)
        return tt_sc_no_memory(b);
    s->file = b->file;
    s->name = "";
    s->step = s->start = s->end = s->tolerance = s->sample = (double)NAN;
    s->step_min = s->step_max = s->step_init = (double)NAN;
    s->iteration = (struct tt_sc_iteration){
        .abstol = 1e-10, .reltol = 1e-10, .relax = 1, .max = 100};
    s->loop_abstol = s->loop_reltol = s->live_interval = (double)NAN;
    s->deadline = (double)NAN;
    s->loop_attempts = -1;
    s->substeps = TT_SC_SUBSTEPS;
    s->step_where = s->start_where = TT_SC_NOWHERE;
    s->end_where = s->order_where = TT_SC_NOWHERE;
    return TT_OK;
}

static void build_fini(struct tt_sc_build *b)
{
    tt_names_fini(&b->fmu_by_key);
    tt_names_fini(&b->unit_by_name);
    tt_names_fini(&b->unit_by_instance);
    tt_names_fini(&b->input);
    tt_names_fini(&b->stub);
    tt_names_fini(&b->port_by_name);
    tt_buf_fini(&b->word);
    tt_arena_free(b->nodes);
    tt_free(b->unit);
    tt_free(b->port);
    tt_scenario_free(b->s); /* NULL once handed over */
}

void tt_scenario_free(tt_scenario *s)
{
    if (!s)
        return;
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

/* Many people call the file just scenario.json: then the folder says more. */
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
    tt_free(dir);
    tt_free(full);
    return name;
}

/* Room for the parameters of files and --set, then options, then checks. */
static enum tt_code build_rest(struct tt_sc_build *b,
                               const struct tt_sc_options *o, int from_files)
{
    const struct tt_doc *p = tt_doc_find(&b->root, "parameters");
    size_t n = (p ? p->n : 0) + (o ? o->n_set : 0) + (size_t)1;
    enum tt_code rc = TT_OK;

    b->parameter = tt_arena_alloc(b->s->arena, n, sizeof(*b->parameter));
    if (!b->parameter)
        return tt_sc_no_memory(b);
    b->s->parameter = b->parameter;
    if (from_files)
        rc = tt_sc_read_all(b);
    if (rc == TT_OK && o)
        rc = tt_sc_apply_options(b, o);
    return rc == TT_OK ? tt_sc_finish(b) : rc;
}

/* What must be known before files are read. The base is kept, since those
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
    if (o->base && !(b->s->base = tt_arena_strdup(b->s->arena, o->base)))
        return tt_sc_no_memory(b);
    return TT_OK;
}

struct source {
    const char *path, *dir, *text;
    size_t n;
};

/* Take one file's text in, and lay it over those before. */
static enum tt_code add_file(struct tt_sc_build *b, const struct source *src)
{
    uint32_t i = b->s->n_file;
    struct tt_scenario_file *f = &b->file[i];
    const char *text = src->text;
    struct tt_doc doc;
    enum tt_code rc;

    f->n = src->n;
    if (f->n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { /* a BOM */
        text += 3;
        f->n -= 3;
    }
    f->path = tt_arena_strdup(b->s->arena, src->path);
    f->text = tt_arena_strndup(b->s->arena, "", 0);
    if (f->n > 0 && f->n <= TT_DOC_MAX)
        f->text = tt_arena_dup(b->s->arena, text, f->n, 1);
    b->dir[i] = tt_arena_strdup(b->s->arena, src->dir ? src->dir : "");
    if (!f->path || !f->text || !b->dir[i])
        return tt_sc_no_memory(b);
    b->s->n_file = i + 1;
    rc = tt_doc_parse(i == 0 ? &b->root : &doc, f, i, b->nodes, b->s->arena,
                      b->err);
    if (rc == TT_OK && i > 0)
        rc = tt_doc_merge(&b->root, &doc, b->nodes, b->err);
    return rc;
}

/* What the options say in JSON. */
static enum tt_code add_options(struct tt_sc_build *b,
                                const struct tt_sc_options *o)
{
    if (!o || !o->json)
        return TT_OK;
    return add_file(
        b, &(struct source){"options", NULL, o->json, strlen(o->json)});
}

static enum tt_code load_file(struct tt_sc_build *b, const char *path)
{
    struct source src = {.path = path};
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
    if (rc == TT_OK) {
        src.dir = strcmp(dir, ".") == 0 ? "" : dir; /* no "/x/./y.fmu" */
        src.text = text.data ? text.data : "";
        src.n = text.len;
        rc = add_file(b, &src);
    }
    tt_buf_fini(&text);
    tt_free(dir);
    return rc;
}

enum tt_code tt_scenario_load(tt_scenario **out, const char *const *path,
                              size_t n, const struct tt_sc_options *o,
                              const struct tt_log *log, tt_err *err)
{
    struct tt_sc_build b;
    enum tt_code rc = build_init(&b, n + 1, log, err);

    if (rc == TT_OK)
        rc = take_place(&b, o);
    if (rc == TT_OK && n == 0)
        rc = tt_fail(err, TT_EINPUT, "no scenario file is given");
    for (size_t i = 0; rc == TT_OK && i < n; i++)
        rc = load_file(&b, path[i]);
    if (rc == TT_OK)
        rc = add_options(&b, o);
    if (rc == TT_OK) {
        b.s->name = name_of(b.s->arena, path[0]);
        rc = b.s->name ? build_rest(&b, o, 1) : tt_sc_no_memory(&b);
    }
    if (rc == TT_OK) {
        *out = b.s;
        b.s = NULL;
    }
    build_fini(&b);
    return rc;
}

enum tt_code tt_scenario_load_fmus(tt_scenario **out, const char *const *path,
                                   size_t n, const char *base, int only_base,
                                   const struct tt_log *log, tt_err *err)
{
    struct tt_sc_build b;
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    const struct tt_doc *fmus = NULL;
    enum tt_code rc = build_init(&b, n, log, err);

    o.base = base;
    o.only_base = only_base;
    if (rc == TT_OK)
        rc = take_place(&b, &o);
    for (size_t i = 0; rc == TT_OK && i < n; i++)
        rc = load_file(&b, path[i]);
    if (rc == TT_OK)
        rc = tt_sc_object(&b, &b.root);
    if (rc == TT_OK)
        fmus = tt_doc_find(&b.root, "fmus");
    if (fmus && !tt_sc_is_null(fmus) &&
        (fmus->kind != TT_DOC_OBJECT || fmus->n > 0))
        rc = tt_sc_read_fmus(&b, fmus);
    if (rc == TT_OK) {
        *out = b.s;
        b.s = NULL;
    }
    build_fini(&b);
    return rc;
}

enum tt_code tt_scenario_parse(tt_scenario **out, const char *name,
                               const char *base_dir, const char *text, size_t n,
                               const struct tt_sc_options *o,
                               const struct tt_log *log, tt_err *err)
{
    struct tt_sc_build b;
    enum tt_code rc = build_init(&b, 2, log, err);

    if (rc == TT_OK)
        rc = take_place(&b, o);
    if (rc == TT_OK)
        rc = add_file(&b, &(struct source){name, base_dir, text, n});
    if (rc == TT_OK)
        rc = add_options(&b, o);
    if (rc == TT_OK) {
        b.s->name = stem(b.s->arena, name);
        rc = b.s->name ? build_rest(&b, o, 1) : tt_sc_no_memory(&b);
    }
    if (rc == TT_OK) {
        *out = b.s;
        b.s = NULL;
    }
    build_fini(&b);
    return rc;
}

/* The one FMU: "{name}.name" without the instance is its key. */
static enum tt_code add_single_fmu(struct tt_sc_build *b, const char *path,
                                   const char *unit, size_t n_key)
{
    tt_arena *arena = b->s->arena;
    struct tt_sc_fmu *fmu = tt_arena_alloc(arena, 1, sizeof(*fmu));
    char *absolute = tt_path_absolute(path);

    if (fmu && absolute) {
        fmu->key = tt_arena_strndup(arena, unit, n_key);
        fmu->uri = tt_arena_strdup(arena, path);
        fmu->path = tt_arena_strdup(arena, absolute);
        fmu->where = TT_SC_NOWHERE;
    }
    tt_free(absolute);
    if (!fmu || !fmu->key || !fmu->uri || !fmu->path ||
        tt_names_add(&b->fmu_by_key, fmu->key, 0) != 0)
        return tt_sc_no_memory(b);
    b->s->fmu = fmu;
    b->s->n_fmu = 1;
    return TT_OK;
}

/* One FMU, one instance of its name. */
static enum tt_code build_single(struct tt_sc_build *b, const char *path)
{
    char *name = stem(b->s->arena, path);
    struct tt_sc_parts parts;
    struct tt_buf full;
    uint32_t unit;
    enum tt_code rc;

    if (!name)
        return tt_sc_no_memory(b);
    for (char *p = name; *p; p++)
        if (strchr(".{}", *p))
            *p = '_';
    b->s->name = name;
    tt_buf_init(&full, TT_DOC_MAX);
    tt_buf_fmt(&full, "{%s}.%s", name, name);
    rc = full.failed ? tt_sc_no_memory(b)
                     : add_single_fmu(b, path, full.data, strlen(name) + 2);
    if (rc == TT_OK)
        rc = tt_sc_split_unit(b, full.data, TT_SC_NOWHERE, &parts);
    if (rc == TT_OK)
        rc = tt_sc_mention(b, &parts, TT_SC_NOWHERE, TT_SC_BY_INSTANCES, &unit);
    tt_buf_fini(&full);
    return rc;
}

enum tt_code tt_scenario_single(tt_scenario **out, const char *fmu_path,
                                const struct tt_sc_options *o, tt_err *err)
{
    struct tt_sc_build b;
    enum tt_code rc = build_init(&b, 0, NULL, err);

    if (rc == TT_OK)
        rc = take_place(&b, o);
    if (rc == TT_OK && !*fmu_path)
        rc = tt_fail(err, TT_EINPUT, "the path of the FMU is empty");
    if (rc == TT_OK && o && o->json)
        rc = tt_fail(err, TT_EINPUT,
                     "%s is an FMU alone: JSON is laid over scenarios",
                     fmu_path);
    if (rc == TT_OK)
        rc = build_single(&b, fmu_path);
    if (rc == TT_OK)
        rc = build_rest(&b, o, 0);
    if (rc == TT_OK) {
        *out = b.s;
        b.s = NULL;
    }
    build_fini(&b);
    return rc;
}

static int ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n > m && strcmp(s + n - m, end) == 0;
}

int tt_scenario_is_fmu(const char *path)
{
    if (strncmp(path, "coe:", 4) == 0) /* a scenario, packed like one */
        return 0;
    return ends_with(path, ".fmu") || ends_with(path, ".FMU") ||
           tt_file_is_dir(path);
}

enum tt_code tt_scenario_open(tt_scenario **out, const char *const *path,
                              size_t n, const struct tt_sc_options *o,
                              const struct tt_log *log, tt_err *err)
{
    if (n == 1 && tt_scenario_is_fmu(path[0]))
        return tt_scenario_single(out, path[0], o, err);
    for (size_t i = 0; i < n; i++)
        if (tt_scenario_is_fmu(path[i]))
            return tt_fail(err, TT_EINPUT,
                           "'%s' is an FMU and can only run alone; couple "
                           "several in a scenario (tutti new writes one)",
                           path[i]);
    return tt_scenario_load(out, path, n, o, log, err);
}

const char *tt_scenario_at(const tt_scenario *s, struct tt_where w, char *out,
                           size_t size)
{
    const struct tt_scenario_file *f;
    struct tt_doc_position p;

    if (w.file == TT_NONE) {
        snprintf(out, size, "command line");
        return out;
    }
    TT_ASSERT(w.file < s->n_file);
    f = &s->file[w.file];
    p = tt_doc_locate(f->text, f->n, w.offset);
    snprintf(out, size, "%s:%zu:%zu", f->path, p.line, p.column);
    return out;
}

void tt_scenario_place(const tt_scenario *s, struct tt_where w,
                       struct tt_spot *p)
{
    const struct tt_scenario_file *f;
    struct tt_doc_position at;

    if (w.file == TT_NONE)
        return;
    TT_ASSERT(w.file < s->n_file);
    f = &s->file[w.file];
    at = tt_doc_locate(f->text, f->n, w.offset);
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
