/* SPDX-License-Identifier: MIT */
/* Everything a scenario needs, below resources/: scenarios are written again
 * with the new places of what they name. */
#include <string.h>

#include "adapt/adapt.h"
#include "base/mem.h"
#include "export/export_impl.h"
#include "formats/move.h"
#include "kinds/kinds.h"
#include "scenario/scenario.h"
#include "sys/file.h"
#include "table/table.h"
#include "text/json.h"
#include "text/xml_plain.h"

#define COE "coe:"

enum tt_code tt_bundle_init(struct tt_bundle *b, tt_parcel *p, tt_err *err)
{
    *b = (struct tt_bundle){.parcel = p};
    return tt_places_init(&b->places, err);
}

static void close_opened(const struct tt_opened *o)
{
    tt_fmu_close(o->fmu);
    tt_archive_close(o->archive);
}

void tt_bundle_fini(struct tt_bundle *b)
{
    for (size_t i = 0; i < b->n_opened; i++)
        close_opened(&b->opened[i]);
    tt_free(b->opened);
    tt_places_fini(&b->places);
}

/* Takes what was opened, if it was, also when there is no room. */
static enum tt_code keep(struct tt_bundle *b, struct tt_opened o,
                         enum tt_code rc, tt_err *err)
{
    if (rc != TT_OK)
        return rc;
    if (TT_GROW(b->opened, b->n_opened, b->cap) != 0) {
        close_opened(&o);
        return tt_nomem(err, "exporting");
    }
    b->opened[b->n_opened++] = o;
    b->n_fmu += o.fmu != NULL;
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

/* One document, in plain form beside the original. */
static enum tt_code put_plain(struct tt_bundle *b, tt_fmu *fmu,
                              const char *name, const char *document,
                              const char *as, tt_err *err)
{
    tt_archive *a = tt_fmu_archive(fmu);
    struct tt_buf text, plain;
    tt_xml *xml = NULL;
    enum tt_code rc;

    tt_buf_init(&text, TT_MD_MAX_BYTES);
    tt_buf_init(&plain, TT_MD_MAX_BYTES);
    rc = tt_archive_read(a, document, &text, err);
    if (rc == TT_OK)
        rc = tt_xml_parse(&xml, document, text.data ? text.data : "", text.len,
                          err);
    if (rc == TT_OK) {
        tt_xml_put_plain(&plain, xml);
        rc = put(b, name, as, &plain, NULL, err);
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

    if (strcmp(name, TT_XML_PLAIN) == 0 ||
        strcmp(name, TT_XML_PLAIN_TERMINALS) == 0)
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
        rc = file ? put(b, name, below, NULL, file, err)
                  : tt_nomem(err, "exporting");
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

    rc = keep(b, (struct tt_opened){.fmu = fmu}, rc, err);
    if (rc == TT_OK)
        rc = tt_fmu_library_name(fmu, &library, err);
    if (rc == TT_OK)
        rc = tt_places_take(&b->places, path, path, "fmus/", "", name, err);
    if (rc == TT_OK)
        rc = put_files(b, tt_fmu_archive(fmu), *name, err);
    if (rc == TT_OK)
        rc = put_plain(b, fmu, *name, tt_xml_description, TT_XML_PLAIN, err);
    if (rc != TT_OK || !tt_fmu_terminals(fmu)->n)
        return rc;
    return put_plain(b, fmu, *name, tt_xml_terminals, TT_XML_PLAIN_TERMINALS,
                     err);
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

    rc = keep(b, (struct tt_opened){.archive = a}, rc, err);
    if (rc == TT_OK)
        rc = tt_archive_unpack(a, &dir, err);
    if (rc == TT_OK) {
        file = tt_path_join(dir, "resources/config.json");
        rc = file ? tt_bundle_scenario(b, file, name, err)
                  : tt_nomem(err, "exporting");
    }
    tt_free(file);
    return rc;
}

static enum tt_code add_table(struct tt_bundle *b, const char *path,
                              const char **name, tt_err *err)
{
    enum tt_code rc = tt_places_take(&b->places, path, path, "tables/",
                                     strrchr(path, '.'), name, err);

    return rc == TT_OK ? put(b, *name, "", NULL, path, err) : rc;
}

static enum tt_code add_devs(struct tt_bundle *b, const char *path,
                             const char **name, tt_err *err)
{
    enum tt_code rc = tt_places_take(&b->places, path, path, "units/",
                                     ".devs.json", name, err);

    return rc == TT_OK ? put(b, *name, "", NULL, path, err) : rc;
}

static enum tt_code add_any(struct tt_bundle *b, const char *path,
                            const char **name, tt_err *err);

/* From the folder of programs. */
static enum tt_code add_inner(void *ctx, const char *path, const char **name,
                              tt_err *err)
{
    struct tt_bundle *b = ctx;
    struct tt_buf t;
    enum tt_code rc = add_any(b, path, name, err);

    if (rc != TT_OK)
        return rc;
    tt_buf_init(&t, (size_t)2 * TT_ARCHIVE_MAX_NAME);
    tt_buf_fmt(&t, "../%s", *name);
    *name = t.failed ? NULL : tt_arena_strdup(b->places.arena, t.data);
    tt_buf_fini(&t);
    return *name ? TT_OK : tt_nomem(err, "exporting");
}

/* An adaptation goes along with its inner units. */
static enum tt_code add_adapted(struct tt_bundle *b, const char *path,
                                const char **name, tt_err *err)
{
    const struct tt_unit_move move = {.ctx = b, .move_cb = add_inner};
    struct tt_buf t;
    enum tt_code rc =
        tt_places_take(&b->places, path, path, "units/", ".sa", name, err);

    tt_buf_init(&t, TT_DOC_MAX);
    if (rc == TT_OK)
        rc = tt_adapt_moved(path, &move, &t, err);
    if (rc == TT_OK)
        rc = put(b, *name, "", &t, NULL, err);
    tt_buf_fini(&t);
    return rc;
}

static enum tt_code add_any(struct tt_bundle *b, const char *path,
                            const char **name, tt_err *err)
{
    int coe = strncmp(path, COE, strlen(COE)) == 0;
    const char *file = coe ? path + strlen(COE) : path;

    *name = tt_places_find(&b->places, file);
    if (*name)
        return TT_OK;
    if (!coe && tt_devs_is(file))
        return add_devs(b, file, name, err);
    if (!coe && ends_in(file, ".sa"))
        return add_adapted(b, file, name, err);
    if (ends_in(file, ".json"))
        return tt_bundle_scenario(b, file, name, err);
    if (coe)
        return add_packed(b, file, name, err);
    if (tt_table_is_signal(file))
        return add_table(b, file, name, err);
    return add_fmu(b, file, name, err);
}

static enum tt_code place(void *ctx, const char *path, int score,
                          const char **name, tt_err *err)
{
    struct tt_bundle *b = ctx;
    enum tt_code rc;

    if (!score)
        return add_any(b, path, name, err);
    *name = tt_places_find(&b->places, path);
    if (*name)
        return TT_OK;
    rc = tt_places_take(&b->places, path, path, "masters/", ".json", name, err);
    return rc == TT_OK ? put(b, *name, "", NULL, path, err) : rc;
}

static enum tt_code rewrite(struct tt_bundle *b, const tt_scenario *s,
                            const char *name, tt_err *err)
{
    const struct tt_mover m = {
        .ctx = b, .here = TT_EXPORT_HERE, .forget = 1, .place_cb = place};
    struct tt_doc root;
    struct tt_buf t;
    enum tt_code rc = tt_doc_parse(&root, &s->file[0], 0, b->places.arena,
                                   b->places.arena, err);

    if (rc != TT_OK)
        return rc;
    tt_buf_init(&t, TT_DOC_MAX);
    rc = tt_move_places(s, &root, &m, err);
    if (rc == TT_OK) {
        tt_doc_print(&t, &root);
        rc = tt_buf_check(&t, name, err);
    }
    if (rc == TT_OK)
        rc = put(b, name, "", &t, NULL, err);
    tt_buf_fini(&t);
    return rc;
}

enum tt_code tt_bundle_scenario(struct tt_bundle *b, const char *path,
                                const char **name, tt_err *err)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    tt_scenario *s = NULL;
    enum tt_code rc;

    o.inside = 1;
    o.base = b->only_base;
    o.only_base = b->only_base != NULL;
    rc = tt_scenario_load(&s, &path, 1, &o, NULL, err);
    if (rc == TT_OK)
        rc = tt_places_take(&b->places, path, s->name, "", ".json", name, err);
    if (rc == TT_OK)
        rc = rewrite(b, s, *name, err);
    tt_scenario_free(s);
    return rc;
}
