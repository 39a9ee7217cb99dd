/* SPDX-License-Identifier: MIT */
/* The files of an SSP that is written. */
#include <string.h>

#include "base/log.h"
#include "formats/move.h"
#include "formats/ssp_write.h"
#include "sys/file.h"
#include "sys/temp.h"
#include "table/table.h"
#include "text/archive.h"

#define RESOURCES "resources/"
#define COE       "coe:"

enum tt_code ssp_note_part(struct ssp_out *o, const char *name,
                           const struct tt_buf *bytes, tt_err *err)
{
    unsigned char sum[TT_SHA256_BYTES];
    struct tt_sha256 h;

    if (TT_GROW(o->part, o->n_part, o->cap_part) != 0)
        return tt_nomem(err, name);
    tt_sha256_init(&h);
    tt_sha256_add(&h, bytes->data ? bytes->data : "", bytes->len);
    tt_sha256_end(&h, sum);
    o->part[o->n_part] = (struct ssp_part){.name = name};
    tt_sha256_hex(sum, o->part[o->n_part].sha256);
    if (tt_format_is_ssp_xml(name))
        ssp_hash_text(bytes, name, o->part[o->n_part].states);
    o->n_part++;
    return TT_OK;
}

enum tt_code ssp_put_bytes(struct ssp_out *o, const char *name,
                           const struct tt_buf *bytes, tt_err *err)
{
    enum tt_code rc = ssp_note_part(o, name, bytes, err);

    return rc == TT_OK ? tt_parcel_add(o->parcel, name, bytes, err) : rc;
}

enum tt_code ssp_put_file(struct ssp_out *o, const char *name, const char *path,
                          tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, TT_ARCHIVE_MAX_ENTRY);
    rc = tt_file_read(&b, path, err);
    if (rc == TT_OK)
        rc = ssp_put_bytes(o, name, &b, err);
    tt_buf_fini(&b);
    return rc;
}

static enum tt_code fill(tt_parcel *p, tt_archive *a, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < tt_archive_count(a); i++) {
        const char *name = tt_archive_name(a, i);
        struct tt_buf b;

        tt_buf_init(&b, TT_ARCHIVE_MAX_ENTRY);
        rc = tt_archive_read(a, name, &b, err);
        if (rc == TT_OK)
            rc = tt_parcel_add(p, name, &b, err);
        tt_buf_fini(&b);
    }
    return rc;
}

/* An FMU that is a folder is packed. */
static enum tt_code put_folder(struct ssp_out *o, const char *name,
                               const char *path, tt_err *err)
{
    struct tt_temp temp = {0};
    tt_archive *a = NULL;
    tt_parcel *p = NULL;
    char *file = NULL;
    enum tt_code rc = tt_archive_open(&a, path, err);

    if (rc == TT_OK)
        rc = tt_temp_open(&temp, err);
    if (rc == TT_OK && !(file = tt_path_join(temp.path, "it.fmu")))
        rc = tt_nomem(err, name);
    if (rc == TT_OK)
        rc = tt_parcel_new(&p, file, err);
    if (rc == TT_OK) {
        rc = fill(p, a, err);
        if (rc == TT_OK)
            rc = tt_parcel_close(p, err);
        else
            tt_parcel_drop(p);
    }
    if (rc == TT_OK)
        rc = ssp_put_file(o, name, file, err);
    tt_free(file);
    tt_archive_close(a);
    tt_temp_close(&temp);
    return rc;
}

/* --- scenarios ------------------------------------------------------------ */

static enum tt_code place(void *ctx, const char *path, int score,
                          const char **name, tt_err *err);

/* In a scenario of the package: from its own folder. */
static enum tt_code place_inside(void *ctx, const char *path, int score,
                                 const char **name, tt_err *err)
{
    enum tt_code rc = place(ctx, path, score, name, err);

    if (rc == TT_OK)
        *name += strlen(RESOURCES);
    return rc;
}

static enum tt_code print_moved(struct ssp_out *o, const tt_scenario *s,
                                int inside, struct tt_buf *text, tt_err *err)
{
    const struct tt_mover m = {
        .ctx = o, .forget = 1, .place_cb = inside ? place_inside : place};
    struct tt_text_file f = {.path = s->name};
    struct tt_doc root;
    enum tt_code rc = tt_scenario_print(text, s, err);

    f.text = text->data;
    f.n = text->len;
    if (rc == TT_OK)
        rc = tt_doc_parse(&root, &f, 0, o->places.arena, o->places.arena, err);
    if (rc == TT_OK)
        rc = tt_move_places(s, &root, &m, err);
    if (rc != TT_OK)
        return rc;
    tt_buf_clear(text);
    tt_doc_print(text, &root);
    return tt_buf_check(text, s->name, err);
}

static enum tt_code put_scenario(struct ssp_out *o, const char *path,
                                 const char **name, tt_err *err)
{
    struct tt_sc_options options = TT_SC_OPTIONS_INIT;
    tt_scenario *s = NULL;
    struct tt_buf text;
    enum tt_code rc;

    options.inside = 1;
    tt_buf_init(&text, TT_DOC_MAX);
    rc = tt_scenario_load(&s, &path, 1, &options, NULL, err);
    if (rc == TT_OK)
        rc = tt_places_take(&o->places, path, s->name, RESOURCES, ".json", name,
                            err);
    if (rc == TT_OK)
        rc = print_moved(o, s, 1, &text, err);
    if (rc == TT_OK)
        rc = ssp_put_bytes(o, *name, &text, err);
    tt_buf_fini(&text);
    tt_scenario_free(s);
    return rc;
}

/* --- adaptations ---------------------------------------------------------- */

/* Named from the folder of the program, which is where everything is. By their
 * real paths programs that name each other come to an end. */
static enum tt_code put_inner(void *ctx, const char *path, const char **name,
                              tt_err *err)
{
    struct ssp_out *o = ctx;
    char *real = tt_path_real(path);
    const char *at = real ? tt_arena_strdup(o->places.arena, real) : path;

    tt_free(real);
    return at ? place_inside(o, at, 0, name, err) : tt_nomem(err, path);
}

/* It goes along with its inner units, which may be adaptations, too. */
static enum tt_code put_adapted(struct ssp_out *o, const char *path,
                                const char **name, tt_err *err)
{
    const struct tt_unit_move move = {.ctx = o, .move_cb = put_inner};
    struct tt_buf text;
    enum tt_code rc =
        tt_places_take(&o->places, path, path, RESOURCES, ".sa", name, err);

    tt_buf_init(&text, TT_DOC_MAX);
    if (rc == TT_OK)
        rc = o->moved_cb(path, &move, &text, err);
    if (rc == TT_OK)
        rc = ssp_put_bytes(o, *name, &text, err);
    tt_buf_fini(&text);
    return rc;
}

static enum tt_code put_plain(struct ssp_out *o, const char *path,
                              const char *ending, const char **name,
                              tt_err *err)
{
    enum tt_code rc =
        tt_places_take(&o->places, path, path, RESOURCES, ending, name, err);

    if (rc != TT_OK)
        return rc;
    return tt_file_is_dir(path) ? put_folder(o, *name, path, err)
                                : ssp_put_file(o, *name, path, err);
}

static enum tt_code place(void *ctx, const char *path, int score,
                          const char **name, tt_err *err)
{
    struct ssp_out *o = ctx;
    int coe = !score && strncmp(path, COE, strlen(COE)) == 0;

    if (coe)
        path += strlen(COE);
    *name = tt_places_find(&o->places, path);
    if (*name)
        return TT_OK;
    if (score)
        return put_plain(o, path, ".json", name, err);
    if (!coe && tt_path_ends(path, ".devs.json"))
        return put_plain(o, path, ".devs.json", name, err);
    if (!coe && tt_path_ends(path, ".sa"))
        return put_adapted(o, path, name, err);
    if (tt_path_ends(path, ".json"))
        return put_scenario(o, path, name, err);
    if (coe)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "%s: a scenario in an archive cannot be put into a "
                       "package; name the scenario in it",
                       path);
    if (tt_table_is_signal(path))
        return put_plain(o, path, tt_table_is_tsv(path) ? ".tsv" : ".csv", name,
                         err);
    return put_plain(o, path, ".fmu", name, err);
}

/* --- the whole ------------------------------------------------------------ */

static enum tt_code find_sources(struct ssp_out *o, tt_err *err)
{
    const tt_scenario *s = o->s;

    if (!TT_NEW_IN(o->places.arena, o->source, s->n_fmu))
        return tt_nomem(err, "exporting");
    for (uint32_t i = 0; i < s->n_fmu; i++) {
        const struct tt_sc_fmu *f = &s->fmu[i];
        const char *path = f->path;

        if (f->inner || !path || strncmp(path, "tutti:", 6) == 0) {
            tt_log(o->log, TT_LOG_NOTE,
                   "FMU '%s' is one that only Tutti knows; other tools will "
                   "not see it",
                   f->key);
            continue;
        }
        if (strncmp(path, COE, strlen(COE)) == 0)
            path += strlen(COE);
        o->source[i] = tt_places_find(&o->places, path);
    }
    return TT_OK;
}

enum tt_code ssp_put_files(struct ssp_out *o, tt_err *err)
{
    enum tt_code rc = print_moved(o, o->s, 0, &o->json, err);

    return rc == TT_OK ? find_sources(o, err) : rc;
}
