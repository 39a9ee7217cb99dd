/* SPDX-License-Identifier: MIT */
#include "cli/info_structure.h"

#include <math.h>
#include <string.h>

#include "base/show.h"
#include "cli/print.h"
#include "formats/formats.h"
#include "sys/file.h"
#include "text/archive.h"
#include "text/xml.h"

static void label(struct tt_buf *b, const char *text)
{
    tt_buf_str(b, "  ");
    tt_show_pad(b, text, 14, 0, 0);
    tt_buf_char(b, ' ');
}

static void count(struct tt_buf *b, const char *text, uint32_t n)
{
    label(b, text);
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
                label(b, name[d]);
            tt_show_clean(b, s->port[i].name);
        }
        tt_buf_str(b, any ? "\n" : "");
    }
}

static void put_experiment(struct tt_buf *b, const tt_scenario *s)
{
    if (isnan(s->start) && !isfinite(s->end))
        return;
    label(b, "experiment");
    tt_buf_num(b, isnan(s->start) ? 0 : s->start);
    tt_buf_str(b, " s to ");
    if (isfinite(s->end))
        tt_buf_num(b, s->end);
    tt_buf_str(b, isfinite(s->end) ? " s\n" : "no end\n");
}

/* Descriptions at the top of the package. */
static void put_variants(struct tt_buf *b, const tt_archive *a)
{
    int any = 0;

    for (size_t i = 0; i < tt_archive_count(a); i++) {
        const char *name = tt_archive_name(a, i);
        size_t n = strlen(name);

        if (strchr(name, '/') || !tt_path_ends(name, ".ssd"))
            continue;
        if (any++)
            tt_buf_str(b, ", ");
        else
            label(b, "variants");
        tt_buf_fmt(b, "%.*s", (int)(n - 4), name);
    }
    tt_buf_str(b, any ? "\n" : "");
}

static void put_text(struct tt_buf *b, const char *before, const char *text)
{
    if (!text)
        return;
    tt_buf_str(b, before);
    tt_show_clean(b, text);
}

static void put_metadata(struct tt_buf *b, const struct tt_xml_node *node,
                         const char *file)
{
    for (; node; node = node->next) {
        if (strcmp(node->name, "MetaData") == 0) {
            const char *kind = tt_xml_value(node, "kind");
            const char *source = tt_xml_value(node, "source");

            label(b, "metadata");
            put_text(b, "", kind ? kind : "general");
            put_text(b, ", ", tt_xml_value(node, "type"));
            put_text(b, ": ", source ? source : "in place");
            put_text(b, " (", file);
            tt_buf_fmt(b, ":%d)\n", node->line);
        }
        put_metadata(b, node->children, file);
    }
}

/* Files of XML among those that were read. */
static void put_all_metadata(struct tt_buf *b, const tt_scenario *s)
{
    for (uint32_t i = 0; i < s->n_file; i++) {
        const struct tt_text_file *f = &s->file[i];
        tt_xml *xml = NULL;
        tt_err err;

        if (f->text && f->text[strspn(f->text, " \t\r\n")] == '<' &&
            tt_xml_parse(&xml, f->path, f->text, f->n, &err) == TT_OK)
            put_metadata(b, tt_xml_root(xml), f->path);
        tt_xml_free(xml);
    }
}

enum tt_code tt_info_structure(struct tt_buf *b, const char *path,
                               const struct tt_sc_options *o, tt_err *err)
{
    const struct tt_log log = {.sink_cb = tt_print_record,
                               .least = TT_LOG_WARN};
    tt_scenario *s = NULL;
    enum tt_code rc = tt_format_open(&s, &path, 1, NULL, o, &log, err);

    if (rc != TT_OK)
        return rc;
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
        put_variants(b, s->package[0]);
    put_all_metadata(b, s);
    tt_scenario_free(s);
    return TT_OK;
}
