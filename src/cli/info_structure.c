/* SPDX-License-Identifier: MIT */
#include "cli/info_structure.h"

#include <math.h>
#include <string.h>

#include "base/show.h"
#include "cli/print.h"
#include "formats/formats.h"
#include "formats/move.h"
#include "sys/file.h"
#include "text/archive.h"
#include "text/xml.h"

static void count(struct tt_buf *b, const char *text, uint32_t n)
{
    tt_show_label(b, 0, text);
    tt_buf_fmt(b, "%u\n", n);
}

static void put_ports(struct tt_buf *b, const tt_scenario *s)
{
    static const char *const name[] = {[TT_SC_PORT_INPUT] = "inputs",
                                       [TT_SC_PORT_OUTPUT] = "outputs",
                                       [TT_SC_PORT_PARAMETER] = "parameters"};

    for (unsigned d = 0; d < TT_SC_PORT_N; d++) {
        int any = 0;

        for (uint32_t i = 0; i < s->n_port; i++) {
            if ((unsigned)s->port[i].dir != d)
                continue;
            if (any++)
                tt_buf_str(b, ", ");
            else
                tt_show_label(b, 0, name[d]);
            tt_show_clean(b, s->port[i].name);
        }
        tt_buf_str(b, any ? "\n" : "");
    }
}

static void put_experiment(struct tt_buf *b, const tt_scenario *s)
{
    if (isnan(s->start) && !isfinite(s->end))
        return;
    tt_show_label(b, 0, "experiment");
    tt_buf_num(b, isnan(s->start) ? 0 : s->start);
    tt_buf_str(b, " s to ");
    if (isfinite(s->end))
        tt_buf_num(b, s->end);
    tt_buf_str(b, isfinite(s->end) ? " s\n" : "no end\n");
}

/* --- what both have -------------------------------------------------------
 */

/* What is listed: words or JSON. */
struct list {
    struct tt_buf *b;
    int json, n;
};

/* A variant of the package. */
static void put_variant(struct list *l, const char *name, size_t n)
{
    struct tt_buf t;

    tt_buf_init(&t, TT_ARCHIVE_MAX_NAME);
    tt_buf_add(&t, name, n);
    if (l->n++)
        tt_buf_str(l->b, ", ");
    else if (!l->json)
        tt_show_label(l->b, 0, "variants");
    if (l->json)
        tt_buf_json(l->b, t.data);
    else
        tt_show_clean(l->b, t.data ? t.data : "");
    tt_buf_fini(&t);
}

/* Descriptions at the top of the package. */
static void put_variants(struct list *l, const tt_archive *a)
{
    for (size_t i = 0; i < tt_archive_count(a); i++) {
        const char *name = tt_archive_name(a, i);

        if (!strchr(name, '/') && tt_path_ends(name, ".ssd"))
            put_variant(l, name, strlen(name) - 4);
    }
}

static void put_text(struct tt_buf *b, const char *before, const char *text)
{
    if (!text)
        return;
    tt_buf_str(b, before);
    tt_show_clean(b, text);
}

static void put_one(struct list *l, const struct tt_xml_node *node,
                    const char *file)
{
    const char *kind = tt_xml_value(node, "kind");
    const char *type = tt_xml_value(node, "type");
    const char *source = tt_xml_value(node, "source");

    kind = kind ? kind : "general";
    if (l->json) {
        tt_json_text(l->b, l->n++ ? ", {\"kind\": " : "{\"kind\": ", kind);
        tt_json_text(l->b, ", \"type\": ", type);
        tt_json_text(l->b, ", \"source\": ", source);
        tt_json_text(l->b, ", \"file\": ", file);
        tt_buf_fmt(l->b, ", \"line\": %d}", node->line);
        return;
    }
    tt_show_label(l->b, 0, "metadata");
    put_text(l->b, "", kind);
    put_text(l->b, ", ", type);
    put_text(l->b, ": ", source ? source : "in place");
    put_text(l->b, " (", file);
    tt_buf_fmt(l->b, ":%d)\n", node->line);
}

static void put_metadata(struct list *l, const struct tt_xml_node *node,
                         const char *file)
{
    for (; node; node = node->next) {
        if (strcmp(node->name, "MetaData") == 0)
            put_one(l, node, file);
        put_metadata(l, node->children, file);
    }
}

static void put_metadata_of(struct list *l, const char *text, size_t n,
                            const char *file)
{
    tt_xml *xml = NULL;

    if (text && tt_xml_parse(&xml, file, text, n, NULL) == TT_OK)
        put_metadata(l, tt_xml_root(xml), file);
    tt_xml_free(xml);
}

/* Of all files of a package, also those that nothing refers to. */
static void put_metadata_in(struct list *l, tt_archive *a)
{
    for (size_t i = 0; i < tt_archive_count(a); i++) {
        const char *name = tt_archive_name(a, i);
        struct tt_buf text, path;

        if (!tt_format_is_ssp_xml(name))
            continue;
        tt_buf_init(&text, TT_DOC_MAX);
        tt_buf_init(&path, TT_DOC_MAX);
        tt_buf_fmt(&path, "%s/%s", tt_archive_path(a), name);
        if (tt_archive_read(a, name, &text, NULL) == TT_OK && path.data)
            put_metadata_of(l, text.data, text.len, path.data);
        tt_buf_fini(&path);
        tt_buf_fini(&text);
    }
}

/* Without a package: of the files that were read, and of the structure itself,
 * which is none of them where the scenario in its annotation counts. */
static void put_all_metadata(struct list *l, const tt_scenario *s)
{
    int listed = s->n_package || !s->origin;
    struct tt_buf text;

    for (size_t i = 0; i < s->n_package; i++)
        put_metadata_in(l, s->package[i]);
    for (uint32_t i = 0; !s->n_package && i < s->n_file; i++) {
        const struct tt_text_file *f = &s->file[i];

        listed |= strcmp(f->path, s->origin) == 0;
        if (tt_format_is_ssp_xml(f->path))
            put_metadata_of(l, f->text, f->n, f->path);
    }
    tt_buf_init(&text, TT_DOC_MAX);
    if (!listed && tt_file_read(&text, s->origin, NULL) == TT_OK)
        put_metadata_of(l, text.data, text.len, s->origin);
    tt_buf_fini(&text);
}

/* What tools put beside the structure. */
static void put_extra(struct list *l, const tt_archive *a)
{
    for (size_t i = 0; i < tt_archive_count(a); i++) {
        const char *name = tt_archive_name(a, i);

        if (strncmp(name, "extra/", 6) != 0)
            continue;
        if (l->json) {
            tt_json_text(l->b, l->n++ ? ", " : "", name);
            continue;
        }
        tt_show_label(l->b, 0, "extra");
        tt_show_clean(l->b, name);
        tt_buf_char(l->b, '\n');
    }
}

/* --- the whole ------------------------------------------------------------ */

static void put_words(struct tt_buf *b, const char *path, const tt_scenario *s)
{
    struct list variants = {.b = b}, metadata = variants, extra = variants;

    tt_buf_fmt(b, "%s: a system structure (SSP), '", path);
    tt_show_clean(b, s->name);
    tt_buf_str(b, "'\n");
    count(b, "FMUs", s->n_fmu);
    for (uint32_t i = 0; i < s->n_fmu; i++) {
        tt_buf_str(b, "    ");
        tt_show_clean(b, s->fmu[i].key);
        put_text(b, "  ", s->fmu[i].uri);
        tt_buf_char(b, '\n');
    }
    count(b, "instances", s->n_unit);
    count(b, "connections", s->n_connection);
    count(b, "start values", s->n_parameter);
    put_ports(b, s);
    put_experiment(b, s);
    if (s->n_package)
        put_variants(&variants, s->package[0]);
    tt_buf_str(b, variants.n ? "\n" : "");
    put_all_metadata(&metadata, s);
    if (s->n_package)
        put_extra(&extra, s->package[0]);
}

/* All of it is in the scenario. */
static enum tt_code put_json(struct tt_buf *b, const char *path,
                             const tt_scenario *s, tt_err *err)
{
    struct list variants = {.b = b, .json = 1}, metadata = variants,
                extra = variants;
    enum tt_code rc;

    tt_json_text(b, "{\"format\": \"SSP\",\n\"file\": ", path);
    tt_json_text(b, ",\n\"name\": ", s->name);
    tt_json_text(b, ",\n\"decision\": ", s->decided);
    tt_buf_str(b, ",\n\"variants\": [");
    if (s->n_package)
        put_variants(&variants, s->package[0]);
    tt_buf_str(b, "],\n\"metadata\": [");
    put_all_metadata(&metadata, s);
    tt_buf_str(b, "],\n\"extra\": [");
    if (s->n_package)
        put_extra(&extra, s->package[0]);
    tt_buf_str(b, "],\n\"scenario\": ");
    rc = tt_scenario_print(b, s, err);
    tt_buf_str(b, "}\n");
    return rc;
}

enum tt_code tt_info_structure(struct tt_buf *b, const char *path,
                               const struct tt_info_ask *ask, tt_err *err)
{
    const struct tt_log log = {.sink_cb = tt_print_record,
                               .least = TT_LOG_WARN};
    tt_scenario *s = NULL;
    enum tt_code rc =
        tt_format_open(&s, &path, 1, ask->variant, ask->o, &log, err);

    if (rc == TT_OK && ask->json)
        rc = put_json(b, path, s, err);
    else if (rc == TT_OK)
        put_words(b, path, s);
    tt_scenario_free(s);
    return rc;
}
