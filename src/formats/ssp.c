/* SPDX-License-Identifier: MIT */
#include "formats/ssp.h"

#include <math.h>
#include <string.h>

#include "formats/fields.h"
#include "formats/ssp_impl.h"
#include "sys/file.h"
#include "text/archive.h"

/* --- packages ---------------------------------------------------------------
 */

static const char *variant_name(const void *ctx, size_t i)
{
    const char *name = tt_archive_name(ctx, i);

    return !strchr(name, '/') && tt_path_ends(name, ".ssd") ? name : NULL;
}

#define MOST_NAMED 8 /* variants in a message */

/* "; it has 'Summer.ssd', 'Winter.ssd'", or "" of none, or of many. */
static void put_variants(struct tt_buf *b, const tt_archive *a)
{
    size_t n = 0;

    for (size_t i = 0; i < tt_archive_count(a); i++) {
        const char *name = variant_name(a, i);

        if (name && ++n <= MOST_NAMED)
            tt_buf_fmt(b, "%s'%s'", n == 1 ? "; it has " : ", ", name);
    }
    if (n > MOST_NAMED)
        tt_buf_clear(b);
}

/* The description of a variant in an archive. */
static enum tt_code find_variant(struct ssp *s, const tt_archive *a,
                                 const char *variant, const char **file)
{
    const char *near;
    struct tt_buf known;
    enum tt_code rc;

    *file = ssp_text(s, "%s.ssd", variant ? variant : TT_SSP_MAIN);
    if (!*file)
        return tt_sc_no_memory(s->b);
    if (tt_archive_has(a, *file))
        return TT_OK;
    tt_buf_init(&known, TT_ERR_MAX);
    near = tt_names_nearest(*file, tt_archive_count(a), variant_name, a);
    if (near)
        tt_buf_fmt(&known, "; did you mean '%s'?", near);
    else
        put_variants(&known, a);
    rc = tt_fail(s->err, TT_EINPUT, "%s: it has no '%s'%s", tt_archive_path(a),
                 *file, known.len ? known.data : "");
    tt_buf_fini(&known);
    return rc;
}

enum tt_code ssp_unpack(struct ssp *s, const char *package, const char *variant,
                        const char **path)
{
    const char *file = NULL, *dir = NULL;
    tt_archive *a = NULL;
    enum tt_code rc = tt_archive_open(&a, package, s->err);

    if (rc != TT_OK)
        return rc;
    rc = find_variant(s, a, variant, &file);
    if (rc == TT_OK)
        rc = tt_archive_unpack(a, &dir, s->err);
    if (rc != TT_OK) {
        tt_archive_close(a);
        return rc;
    }
    rc = tt_sc_take_package(s->b, a);
    if (rc != TT_OK)
        return rc;
    dir = tt_arena_strdup(s->arena, dir);
    *path = dir ? ssp_text(s, "%s/%s", dir, file) : NULL;
    if (!*path || TT_GROW(s->package, s->n_package, s->cap_package) != 0)
        return tt_sc_no_memory(s->b);
    s->package[s->n_package++] = (struct ssp_package){package, dir};
    return s->n_package == 1 ? tt_sc_set_base(s->b, dir) : TT_OK;
}

/* --- the whole --------------------------------------------------------------
 */

static enum tt_code read_experiment(struct ssp *s, const struct ssp_doc *d)
{
    const struct tt_xml_node *e =
        ssp_child(tt_xml_root(d->xml), "DefaultExperiment");
    double start = (double)NAN, end = (double)NAN;
    enum tt_code rc;

    if (!e)
        return TT_OK;
    rc = ssp_number(s, d, e, "startTime", &start);
    if (rc == TT_OK)
        rc = ssp_number(s, d, e, "stopTime", &end);
    if (rc == TT_OK && !isnan(start))
        rc = tt_sc_set_start(s->b, start, ssp_where(d, e));
    if (rc == TT_OK && !isnan(end))
        rc = tt_sc_set_end(s->b, end, ssp_where(d, e));
    return rc;
}

/* What became of systems within the outermost one. */
static enum tt_code note_systems(struct ssp *s)
{
    uint32_t n = 0;
    const char *text;

    for (size_t i = 1; i < s->n_element; i++)
        n += s->element[i].what == SSP_SYSTEM;
    if (n == 0)
        return TT_OK;
    text = ssp_text(s,
                    s->nested ? "%u system%s within it: scenarios inside"
                              : "%u system%s within it: flattened; --nested "
                                "makes scenarios of them",
                    n, n == 1 ? "" : "s");
    text = text ? tt_sc_keep(s->b, text) : NULL;
    tt_sc_set_decided(s->b, text);
    return text ? TT_OK : tt_sc_no_memory(s->b);
}

/* Components in processes of their own; within systems that are nested there is
 * no word for it, and they are where all is. */
static enum tt_code isolate(struct ssp *s, const struct ssp_doc *d)
{
    struct tt_buf json;
    enum tt_code rc;
    int any = 0;

    tt_buf_init(&json, TT_DOC_MAX);
    tt_buf_str(&json, "{\"isolate\":[");
    for (size_t i = 0; i < s->n_element; i++) {
        const struct ssp_element *e = &s->element[i];

        if (!e->alone || !e->unit)
            continue;
        if (s->nested && e->up != 0) {
            tt_sc_warn(s->b, ssp_where(e->doc, e->node), NULL,
                       "'%s' has no process of its own: it is in a system "
                       "that is nested",
                       e->path);
            continue;
        }
        tt_buf_str(&json, any++ ? "," : "");
        tt_buf_json(&json, e->unit);
    }
    tt_buf_str(&json, "]}");
    if (!any)
        tt_buf_clear(&json);
    rc = tt_fields_read(s->b, &json, ssp_where(d, tt_xml_root(d->xml)), NULL,
                        s->arena, s->err);
    tt_buf_fini(&json);
    return rc;
}

static enum tt_code read_structure(struct ssp *s, struct ssp_doc *d,
                                   const char *path)
{
    const struct tt_xml_node *root = tt_xml_root(d->xml);
    const struct tt_xml_node *system = ssp_child(root, "System");
    enum tt_code rc;

    if (!system)
        return tt_sc_fail(s->b, ssp_where(d, root), TT_EINPUT,
                          "the description has no <System>");
    rc = ssp_add_root(s, d, system, path);
    if (rc == TT_OK)
        rc = ssp_link(s);
    if (rc == TT_OK)
        rc = ssp_connect(s);
    if (rc == TT_OK)
        rc = ssp_bind_values(s);
    if (rc == TT_OK && s->nested)
        rc = ssp_nest_finish(s);
    else if (rc == TT_OK)
        rc = ssp_draw(s, s->b, TT_NONE);
    if (rc == TT_OK)
        rc = isolate(s, d);
    if (rc == TT_OK)
        rc = ssp_note(s, d);
    if (rc == TT_OK)
        rc = note_systems(s);
    return rc == TT_OK ? read_experiment(s, d) : rc;
}

static enum tt_code leave_out(struct ssp *s, const struct ssp_doc *d)
{
    const char *text = ssp_left_out(s, d, NULL);

    if (!text)
        return TT_OK;
    text = tt_sc_keep(s->b, text);
    tt_sc_set_left_out(s->b, text);
    return text ? TT_OK : tt_sc_no_memory(s->b);
}

/* *out: what an export of ours has put there; else the structure is read. */
static enum tt_code read_all(struct ssp *s, const struct tt_format_source *f,
                             tt_scenario **out)
{
    const char *path = f->path, *variant = f->variant;
    struct ssp_doc *d = NULL;
    const char *name;
    enum tt_code rc = TT_OK;

    if (!tt_path_ends(path, ".ssd"))
        rc = ssp_unpack(s, path, variant, &path);
    if (rc == TT_OK)
        rc = ssp_read(s, path, "SystemStructureDescription", &d);
    if (rc == TT_OK) {
        path = tt_sc_keep(s->b, path);
        tt_sc_set_origin(s->b, path);
        rc = path ? TT_OK : tt_sc_no_memory(s->b);
    }
    if (rc == TT_OK && !s->plain)
        rc = ssp_take_own(s, d, f->o, out);
    if (rc != TT_OK || *out)
        return rc;
    name = tt_xml_value(tt_xml_root(d->xml), "name");
    name = tt_sc_keep(s->b, name ? name : tt_path_base(path));
    if (!name)
        return tt_sc_no_memory(s->b);
    tt_sc_set_name(s->b, name);
    tt_sc_open_step(s->b);
    rc = read_structure(s, d, f->path);
    return rc == TT_OK ? leave_out(s, d) : rc;
}

int ssp_init(struct ssp *s)
{
    tt_names_init(&s->element_by);
    tt_names_init(&s->pin_by);
    tt_names_init(&s->fmu_by);
    tt_names_init(&s->key_by);
    tt_names_init(&s->port_by);
    s->arena = tt_arena_new();
    return s->arena ? 0 : -1;
}

void ssp_fini(struct ssp *s)
{
    ssp_free_docs(s);
    tt_names_fini(&s->element_by);
    tt_names_fini(&s->pin_by);
    tt_names_fini(&s->fmu_by);
    tt_names_fini(&s->key_by);
    tt_names_fini(&s->port_by);
    TT_FREE_ALL(s->element, s->pin, s->key, s->package, s->port);
    tt_arena_free(s->arena);
}

static enum tt_code read_as(tt_scenario **out, const struct tt_format_source *f,
                            int plain, tt_err *err)
{
    struct ssp s = {.plain = plain,
                    .err = err,
                    .log = f->log,
                    .nested = f->o && f->o->nested};
    tt_scenario *own = NULL;
    enum tt_code rc = tt_sc_build_new(&s.b, f->o, f->log, err);

    if (rc == TT_OK && ssp_init(&s) != 0)
        rc = tt_sc_no_memory(s.b);
    if (rc == TT_OK)
        rc = read_all(&s, f, &own);
    if (rc == TT_OK && own)
        *out = own;
    else if (rc == TT_OK)
        rc = tt_sc_build_finish(s.b, out);
    ssp_fini(&s);
    tt_sc_build_free(s.b);
    return rc;
}

static enum tt_code read_ssp(tt_scenario **out,
                             const struct tt_format_source *f, tt_err *err)
{
    return read_as(out, f, 0, err);
}

enum tt_code tt_ssp_read_again(tt_scenario **out, const char *path, int nested,
                               int own, tt_err *err)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;

    o.nested = nested;
    return read_as(out, &(struct tt_format_source){.path = path, .o = &o}, !own,
                   err);
}

static int is_zip(const char *path)
{
    tt_archive *a = NULL;
    int has = tt_path_ends(path, ".zip") && !tt_file_is_dir(path) &&
              tt_archive_open(&a, path, NULL) == TT_OK &&
              tt_archive_has(a, TT_SSP_MAIN ".ssd");

    tt_archive_close(a);
    return has;
}

int tt_format_is_ssp(const char *path)
{
    char *ssd;
    int there;

    if (tt_path_ends(path, ".ssp") || tt_path_ends(path, ".ssd") ||
        is_zip(path))
        return 1;
    if (!tt_file_is_dir(path))
        return 0;
    ssd = tt_path_join(path, TT_SSP_MAIN ".ssd");
    there = ssd && tt_file_exists(ssd);
    tt_free(ssd);
    return there;
}

const struct tt_scformat tt_scformat_ssp = {
    .what = "a system structure (SSP)",
    .ending = (const char *const[]){".ssp", ".ssd", ".zip", NULL},
    .is = tt_format_is_ssp,
    .read = read_ssp,
    .write = tt_ssp_write,
};
