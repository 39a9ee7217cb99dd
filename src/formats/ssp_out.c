/* SPDX-License-Identifier: MIT */
/* A scenario as an SSP. */
#include <stdio.h>
#include <string.h>

#include "formats/formats.h"
#include "scenario/build.h"
#include "formats/ssp.h"
#include "formats/ssp_write.h"
#include "sys/file.h"
#include "text/json.h"

#define MAIN TT_SSP_MAIN ".ssd"

static enum tt_code put_parameters(struct ssp_out *o, tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    if (!o->s->n_parameter || o->again)
        return TT_OK;
    tt_buf_init(&b, TT_DOC_MAX);
    ssp_put_values(&b, o);
    rc = tt_parcel_add(o->parcel, SSP_VALUES, &b, err);
    if (rc == TT_OK)
        rc = ssp_note_part(o, SSP_VALUES, &b, err);
    tt_buf_fini(&b);
    return rc;
}

/* Once without a hash, to know it, and once with it. */
static enum tt_code put_text(struct tt_buf *b, const struct ssp_out *o,
                             const char *version, const char *hash, tt_err *err)
{
    tt_buf_clear(b);
    if (o->again)
        return ssp_put_again(b, o, version, hash, err);
    ssp_put_structure(b, o, hash);
    return tt_buf_check(b, MAIN, err);
}

static enum tt_code put_main(struct ssp_out *o, const char *version,
                             tt_err *err)
{
    char hash[TT_SHA256_HEX];
    tt_xml *xml = NULL;
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, TT_DOC_MAX);
    rc = put_text(&b, o, version, "", err);
    if (rc == TT_OK)
        rc = tt_xml_parse(&xml, MAIN, b.data, b.len, err);
    if (rc == TT_OK) {
        ssp_hash(xml, hash);
        rc = put_text(&b, o, version, hash, err);
    }
    if (rc == TT_OK)
        rc = tt_parcel_add(o->parcel, MAIN, &b, err);
    tt_xml_free(xml);
    tt_buf_fini(&b);
    return rc;
}

static enum tt_code read_version(const char *version, int *two, tt_err *err)
{
    *two = version && strcmp(version, "2.0") == 0;
    if (!version || *two || strcmp(version, "1.0") == 0)
        return TT_OK;
    return tt_fail(err, TT_EINPUT, "--ssp is 1.0 or 2.0, not '%s'", version);
}

static enum tt_code fill(struct ssp_out *o, struct tt_format_target *t,
                         tt_err *err)
{
    enum tt_code rc = ssp_find_origin(o, t, err);

    if (rc == TT_OK)
        rc = ssp_put_files(o, err);
    if (rc == TT_OK)
        rc = ssp_find_types(o, err);
    if (rc == TT_OK)
        o->name = tt_format_names(o->s, o->places.arena, o->source, ' ', 1);
    if (rc == TT_OK &&
        (!o->name || ssp_find_boxes(o) != 0 || ssp_find_notes(o) != 0))
        rc = tt_nomem(err, "exporting");
    if (rc == TT_OK)
        rc = put_parameters(o, err);
    if (rc == TT_OK)
        rc = put_main(o, t->version, err);
    if (rc != TT_OK)
        return rc;
    rc = tt_parcel_close(o->parcel, err);
    o->parcel = NULL;
    return rc;
}

static void report_written(const struct ssp_out *o, struct tt_format_target *t)
{
    const char *was =
        o->again ? tt_xml_value(tt_xml_root(o->was), "version") : NULL;
    int two = was && !t->version ? strcmp(was, "2.0") == 0 : o->two;

    t->version = two ? "2.0" : "1.0";
    for (size_t i = 0; i < o->n_part; i++)
        t->n_inside += tt_path_ends(o->part[i].name, ".fmu") != 0;
}

/* A connection has one transformation there. */
static void report_tables(const struct ssp_out *o)
{
    for (uint32_t i = 0; i < o->s->n_connection; i++) {
        const struct tt_sc_connection *c = &o->s->connection[i];

        if (c->by && c->by->n_map && (c->by->factor != 1 || c->by->offset != 0))
            tt_log(o->log, TT_LOG_NOTE,
                   "other tools will not see the table of '%s.%s': it has a "
                   "factor or an offset, too",
                   o->s->unit[c->to.unit].name, c->to.variable);
    }
}

static void report_notes(const struct ssp_out *o, struct tt_format_target *t)
{
    for (uint32_t i = 0; i < o->s->n_note; i++)
        if (!o->noted[i])
            tt_format_lost(t, o->s, TT_SC_NOWHERE,
                           "other tools will not see the annotations of "
                           "'%s': what is written has no such element",
                           o->s->note[i].of);
}

enum tt_code tt_ssp_write(const tt_scenario *s, struct tt_format_target *t,
                          tt_err *err)
{
    struct ssp_out o = {.s = s, .log = t->log, .moved_cb = t->moved_cb};
    enum tt_code rc = read_version(t->version, &o.two, err);

    if (rc == TT_OK && !tt_path_ends(t->path, ".ssp") &&
        !tt_path_ends(t->path, ".zip"))
        rc = tt_fail(err, TT_EINPUT,
                     "%s: a package's name ends in .ssp or .zip", t->path);
    if (rc != TT_OK)
        return rc;
    tt_buf_init(&o.json, TT_DOC_MAX);
    tt_buf_init(&o.text, TT_DOC_MAX);
    tt_names_init(&o.unit_by);
    tt_names_init(&o.note_by);
    rc = tt_places_init(&o.places, err);
    if (rc == TT_OK)
        rc = tt_parcel_new(&o.parcel, t->path, err);
    if (rc == TT_OK)
        rc = fill(&o, t, err);
    if (rc == TT_OK)
        report_written(&o, t);
    if (rc == TT_OK && !o.again) {
        report_tables(&o);
        report_notes(&o, t);
    }
    tt_names_fini(&o.note_by);
    tt_parcel_drop(o.parcel);
    ssp_drop_types(&o);
    tt_places_fini(&o.places);
    tt_buf_fini(&o.json);
    tt_buf_fini(&o.text);
    tt_xml_free(o.was);
    tt_free(o.part);
    return rc;
}
