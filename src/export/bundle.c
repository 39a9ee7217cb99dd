/* SPDX-License-Identifier: MIT */
/* Everything a scenario needs, below resources/: scenarios are written again
 * with the new places of what they name. */
#include <jansson.h>
#include <string.h>

#include "base/mem.h"
#include "export/export_impl.h"
#include "fmi/xml_plain.h"
#include "scenario/json_quick.h"
#include "scenario/scenario.h"
#include "sys/file.h"
#include "table/table.h"

#define COE      "coe:"
#define TEXT_MAX ((size_t)256 << 20)

static enum tt_code nomem(tt_err *err)
{
    return tt_fail(err, TT_ENOMEM, "exporting: out of memory");
}

enum tt_code tt_bundle_init(struct tt_bundle *b, tt_parcel *p, tt_err *err)
{
    *b = (struct tt_bundle){.parcel = p, .arena = tt_arena_new()};
    tt_names_init(&b->taken);
    return b->arena ? TT_OK : nomem(err);
}

void tt_bundle_fini(struct tt_bundle *b)
{
    for (size_t i = 0; i < b->n_fmu; i++)
        tt_fmu_close(b->fmu[i]);
    for (size_t i = 0; i < b->n_archive; i++)
        tt_archive_close(b->archive[i]);
    tt_free(b->fmu);
    tt_free(b->archive);
    tt_free(b->place);
    tt_names_fini(&b->taken);
    tt_arena_free(b->arena);
}

/* --- places --------------------------------------------------------------- */

static const char *find_place(const struct tt_bundle *b, const char *path)
{
    for (size_t i = 0; i < b->n; i++)
        if (tt_file_same(b->place[i].path, path))
            return b->place[i].name;
    return NULL;
}

static void put_stem(struct tt_buf *out, const char *path)
{
    const char *base = tt_path_base(path), *dot = strrchr(base, '.');
    size_t n = dot && dot != base ? (size_t)(dot - base) : strlen(base);

    for (size_t i = 0; i < n; i++) {
        char c = base[i];
        int fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                   (c >= '0' && c <= '9') || c == '-' || c == '_';

        tt_buf_char(out, fine ? c : '_');
    }
    if (!n)
        tt_buf_str(out, "unit");
}

/* A name of its own: folder, the stem of what it was called, ending. */
static enum tt_code take_place(struct tt_bundle *b, const char *path,
                               const char *called, const char *folder,
                               const char *ending, const char **name,
                               tt_err *err)
{
    struct tt_buf t;
    const char *copy = NULL;

    tt_buf_init(&t, TT_ARCHIVE_MAX_NAME);
    for (unsigned k = 1; !copy && !t.failed; k++) {
        tt_buf_clear(&t);
        tt_buf_str(&t, folder);
        put_stem(&t, called);
        if (k > 1)
            tt_buf_fmt(&t, "-%u", k);
        tt_buf_str(&t, ending);
        if (t.failed || tt_names_find(&b->taken, t.data) != TT_NONE)
            continue;
        copy = tt_arena_strdup(b->arena, t.data);
        if (!copy)
            break;
    }
    tt_buf_fini(&t);
    path = tt_arena_strdup(b->arena, path);
    if (!copy || !path || tt_names_add(&b->taken, copy, 0) != 0 ||
        TT_GROW(b->place, b->n, b->cap) != 0)
        return nomem(err);
    b->place[b->n++] = (struct tt_place){path, copy};
    *name = copy;
    return TT_OK;
}

static enum tt_code put(struct tt_bundle *b, const char *name,
                        const char *below, const struct tt_buf *bytes,
                        const char *file, tt_err *err)
{
    struct tt_buf full;
    enum tt_code rc;

    tt_buf_init(&full, (size_t)2 * TT_ARCHIVE_MAX_NAME);
    tt_buf_fmt(&full, "resources/%s%s%s", name, *below ? "/" : "", below);
    rc = tt_buf_check(&full, "a name", err);
    if (rc == TT_OK)
        rc = bytes ? tt_parcel_add(b->parcel, full.data, bytes, err)
                   : tt_parcel_add_file(b->parcel, full.data, file, err);
    tt_buf_fini(&full);
    return rc;
}

/* --- FMUs ----------------------------------------------------------------- */

static enum tt_code put_plain(struct tt_bundle *b, tt_fmu *fmu,
                              const char *name, tt_err *err)
{
    tt_archive *a = tt_fmu_archive(fmu);
    struct tt_buf text, plain;
    tt_xml *xml = NULL;
    enum tt_code rc;

    tt_buf_init(&text, TT_MD_MAX_BYTES);
    tt_buf_init(&plain, TT_MD_MAX_BYTES);
    rc = tt_archive_read(a, tt_xml_description, &text, err);
    if (rc == TT_OK)
        rc = tt_xml_parse(&xml, tt_xml_description, text.data, text.len, err);
    if (rc == TT_OK) {
        tt_xml_put_plain(&plain, xml);
        rc = put(b, name, TT_XML_PLAIN, &plain, NULL, err);
    }
    tt_xml_free(xml);
    tt_buf_fini(&text);
    tt_buf_fini(&plain);
    return rc;
}

/* Libraries for other platforms would never be loaded: the engine is for this
 * one. */
static int is_wanted(const char *name)
{
    const char *platform[] = {tt_platform_fmi2(), tt_platform_fmi3()};

    if (strcmp(name, TT_XML_PLAIN) == 0)
        return 0;
    if (strncmp(name, "binaries/", 9) != 0)
        return 1;
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(platform[i]);

        if (strncmp(name + 9, platform[i], n) == 0 && name[9 + n] == '/')
            return 1;
    }
    return 0;
}

static enum tt_code put_files(struct tt_bundle *b, tt_archive *a,
                              const char *name, tt_err *err)
{
    const char *dir;
    enum tt_code rc = tt_archive_unpack(a, &dir, err);

    for (size_t i = 0; i < tt_archive_count(a) && rc == TT_OK; i++) {
        const char *below = tt_archive_name(a, i);
        char *file;

        if (!is_wanted(below))
            continue;
        file = tt_path_join(dir, below);
        rc = file ? put(b, name, below, NULL, file, err) : nomem(err);
        tt_free(file);
    }
    return rc;
}

static enum tt_code add_fmu(struct tt_bundle *b, const char *path,
                            const char **name, tt_err *err)
{
    const char *library;
    tt_fmu *fmu = NULL;
    enum tt_code rc = tt_fmu_open(&fmu, path, err);

    if (rc != TT_OK)
        return rc;
    if (TT_GROW(b->fmu, b->n_fmu, b->fmu_cap) != 0) {
        tt_fmu_close(fmu);
        return nomem(err);
    }
    b->fmu[b->n_fmu++] = fmu;
    rc = tt_fmu_library_name(fmu, &library, err);
    if (rc == TT_OK)
        rc = take_place(b, path, path, "fmus/", "", name, err);
    if (rc == TT_OK)
        rc = put_files(b, tt_fmu_archive(fmu), *name, err);
    return rc == TT_OK ? put_plain(b, fmu, *name, err) : rc;
}

/* --- scenarios ------------------------------------------------------------ */

static int ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);

    if (n < m)
        return 0;
    for (size_t i = 0; i < m; i++)
        if ((path[n - m + i] | 0x20) != (ending[i] | 0x20))
            return 0;
    return 1;
}

/* Maestro's: a folder or an archive with a scenario in it. */
static enum tt_code add_packed(struct tt_bundle *b, const char *path,
                               const char **name, tt_err *err)
{
    tt_archive *a = NULL;
    const char *dir;
    char *file = NULL;
    enum tt_code rc = tt_archive_open(&a, path, err);

    if (rc != TT_OK)
        return rc;
    if (TT_GROW(b->archive, b->n_archive, b->archive_cap) != 0) {
        tt_archive_close(a);
        return nomem(err);
    }
    b->archive[b->n_archive++] = a;
    rc = tt_archive_unpack(a, &dir, err);
    if (rc == TT_OK) {
        file = tt_path_join(dir, "resources/config.json");
        rc = file ? tt_bundle_scenario(b, file, name, err) : nomem(err);
    }
    tt_free(file);
    return rc;
}

static enum tt_code add_table(struct tt_bundle *b, const char *path,
                              const char **name, tt_err *err)
{
    enum tt_code rc =
        take_place(b, path, path, "tables/",
                   tt_table_is_tsv(path) ? ".tsv" : ".csv", name, err);

    return rc == TT_OK ? put(b, *name, "", NULL, path, err) : rc;
}

static enum tt_code add_any(struct tt_bundle *b, const char *path,
                            const char **name, tt_err *err)
{
    int coe = strncmp(path, COE, strlen(COE)) == 0;
    const char *file = coe ? path + strlen(COE) : path;

    *name = find_place(b, file);
    if (*name)
        return TT_OK;
    if (ends_in(file, ".json"))
        return tt_bundle_scenario(b, file, name, err);
    if (coe)
        return add_packed(b, file, name, err);
    if (tt_table_is_signal(file))
        return add_table(b, file, name, err);
    return add_fmu(b, file, name, err);
}

/* One that no unit uses was not opened, and would be named all the same. */
static enum tt_code check_here(const tt_scenario *s, uint32_t i, tt_err *err)
{
    const struct tt_sc_fmu *f = &s->fmu[i];

    if (!(s->host && s->host[i]) &&
        !(f->path && strncmp(f->path, "tutti://", 8) == 0))
        return TT_OK;
    return tt_scenario_fail(s, f->where, err, TT_EUNSUPPORTED,
                            "FMU '%s': it is on another host; " TT_EXPORT_HERE,
                            f->key);
}

/* What is built in, or comes from outside, has no place. */
static int has_place(const struct tt_sc_fmu *f)
{
    return f->path && strncmp(f->path, "tutti:", 6) != 0;
}

static enum tt_code move_units(struct tt_bundle *b, const tt_scenario *s,
                               json_t *root, tt_err *err)
{
    json_t *fmus = json_object_get(root, "fmus");
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < s->n_fmu && rc == TT_OK; i++) {
        const struct tt_sc_fmu *f = &s->fmu[i];
        const char *name;

        rc = check_here(s, i, err);
        if (rc != TT_OK || !has_place(f))
            continue;
        rc = add_any(b, f->path, &name, err);
        if (rc == TT_OK &&
            json_object_set_new(fmus, f->key, json_string(name)) != 0)
            rc = nomem(err);
    }
    return rc;
}

/* What no run looks at, and may name places of whoever wrote it. */
static void forget_places(json_t *root)
{
    static const char *const idle[] = {"$schema", "multimodel_path",
                                       "postProcessingScript", "tokenFile"};

    for (size_t i = 0; i < sizeof(idle) / sizeof(*idle); i++)
        (void)json_object_del(root, idle[i]);
}

/* The engine has no jansson, so that it must be readable without. */
static enum tt_code check_quick(struct tt_bundle *b, const struct tt_buf *text,
                                const char *path, tt_err *err)
{
    const struct tt_scenario_file f = {path, text->data, text->len};
    struct tt_doc doc;
    int read = tt_doc_quick(&doc, &f, 0, b->arena, b->arena);

    if (read > 0)
        return TT_OK;
    return read < 0 ? nomem(err)
                    : tt_fail(err, TT_EUNSUPPORTED,
                              "%s: it holds a number that an exported FMU "
                              "cannot read",
                              path);
}

static enum tt_code put_json(struct tt_bundle *b, const json_t *root,
                             const char *path, const char *name, tt_err *err)
{
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_ENSURE_ASCII |
                                      JSON_REAL_PRECISION(17));
    struct tt_buf t;
    enum tt_code rc;

    tt_buf_init(&t, TEXT_MAX);
    tt_buf_str(&t, text ? text : "");
    rc = text ? tt_buf_check(&t, name, err) : nomem(err);
    if (rc == TT_OK)
        rc = check_quick(b, &t, path, err);
    if (rc == TT_OK)
        rc = put(b, name, "", &t, NULL, err);
    tt_buf_fini(&t);
    free(text);
    return rc;
}

static enum tt_code rewrite(struct tt_bundle *b, const tt_scenario *s,
                            const char *name, tt_err *err)
{
    json_t *root = json_loadb(s->file[0].text, s->file[0].n, 0, NULL);
    enum tt_code rc;

    if (!root)
        return nomem(err); /* it has been read once */
    forget_places(root);
    rc = move_units(b, s, root, err);
    if (rc == TT_OK)
        rc = put_json(b, root, s->file[0].path, name, err);
    json_decref(root);
    return rc;
}

enum tt_code tt_bundle_scenario(struct tt_bundle *b, const char *path,
                                const char **name, tt_err *err)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    tt_scenario *s = NULL;
    enum tt_code rc;

    o.inside = 1;
    rc = tt_scenario_load(&s, &path, 1, &o, NULL, err);
    if (rc == TT_OK)
        rc = take_place(b, path, s->name, "", ".json", name, err);
    if (rc == TT_OK)
        rc = rewrite(b, s, *name, err);
    tt_scenario_free(s);
    return rc;
}
