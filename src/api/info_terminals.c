/* SPDX-License-Identifier: MIT */
/* What an FMU has besides its description: terminals, and the layered standards
 * it follows. */
#include "api/info.h"
#include "base/show.h"
#include "fmi/terminals.h"

/* --- terminals --------------------------------------------------------------
 */

static const char *variable(const struct tt_md *md, uint32_t i)
{
    return md->var[i].name ? md->var[i].name : "?";
}

static void member_text(struct tt_buf *b, const struct tt_md *md,
                        const struct tt_member *m)
{
    tt_buf_str(b, "    ");
    tt_show_clean(b, *m->name ? m->name : "-");
    tt_buf_fmt(b, "  %s  ", tt_member_kind_name(m->kind));
    tt_show_clean(b, variable(md, m->port));
    tt_buf_fmt(b, " (%s)", tt_causality_name(md->var[m->port].causality));
    if (m->in != m->port) {
        tt_buf_str(b, ", ");
        tt_show_clean(b, variable(md, m->in));
        tt_buf_fmt(b, " (%s)", tt_causality_name(md->var[m->in].causality));
    }
    tt_buf_char(b, '\n');
}

void tt_info_terminals_text(struct tt_buf *b, const tt_fmu *fmu)
{
    const struct tt_terminals *t = tt_fmu_terminals(fmu);

    for (uint32_t i = 0; i < t->n; i++) {
        const struct tt_terminal *one = &t->terminal[i];

        tt_buf_str(b, "  ");
        tt_show_clean(b, one->name);
        tt_buf_fmt(b, "  %s", tt_match_name(one->match));
        if (one->kind) {
            tt_buf_str(b, ", ");
            tt_show_clean(b, one->kind);
        }
        if (one->text) {
            tt_buf_str(b, ": ");
            tt_show_clean(b, one->text);
        }
        tt_buf_char(b, '\n');
        for (uint32_t k = 0; k < one->n_member; k++)
            member_text(b, tt_fmu_md(fmu), &one->member[k]);
    }
}

static void pair(struct tt_buf *b, const char *key, const char *value)
{
    tt_buf_fmt(b, "\"%s\": ", key);
    tt_buf_json(b, value);
}

static void member_json(struct tt_buf *b, const struct tt_md *md,
                        const struct tt_member *m)
{
    tt_buf_char(b, '{');
    pair(b, "name", m->name);
    tt_buf_str(b, ", ");
    pair(b, "kind", tt_member_kind_name(m->kind));
    tt_buf_str(b, ", ");
    pair(b, "variable", variable(md, m->port));
    if (m->in != m->port) {
        tt_buf_str(b, ", ");
        pair(b, "takenBy", variable(md, m->in));
    }
    tt_buf_char(b, '}');
}

void tt_info_terminals_json(struct tt_buf *b, const tt_fmu *fmu)
{
    const struct tt_terminals *t = tt_fmu_terminals(fmu);

    tt_buf_str(b, ",\n  \"terminals\": [");
    for (uint32_t i = 0; i < t->n; i++) {
        const struct tt_terminal *one = &t->terminal[i];

        tt_buf_str(b, i ? ",\n    {" : "\n    {");
        pair(b, "name", one->name);
        tt_buf_str(b, ", ");
        pair(b, "matchingRule", tt_match_name(one->match));
        if (one->kind) {
            tt_buf_str(b, ", ");
            pair(b, "terminalKind", one->kind);
        }
        if (one->text) {
            tt_buf_str(b, ", ");
            pair(b, "description", one->text);
        }
        tt_buf_str(b, ", \"members\": [");
        for (uint32_t k = 0; k < one->n_member; k++) {
            tt_buf_str(b, k ? ", " : "");
            member_json(b, tt_fmu_md(fmu), &one->member[k]);
        }
        tt_buf_str(b, "]}");
    }
    tt_buf_str(b, t->n ? "\n  ]" : "]");
}

/* --- layered standards ------------------------------------------------------
 */

static enum tt_code read_layers(tt_fmu *fmu, tt_arena **a,
                                struct tt_layered **l, size_t *n, tt_err *err)
{
    struct tt_findings f;
    enum tt_code rc;

    *n = 0;
    *a = tt_arena_new();
    if (!*a)
        return tt_nomem(err, NULL);
    tt_findings_init(&f); /* one that cannot be read is listed by its folder */
    rc = tt_layered_read(l, n, *a, tt_fmu_archive(fmu), &f, err);
    tt_findings_fini(&f);
    return rc;
}

static enum tt_code
each_layer(struct tt_buf *b, tt_fmu *fmu,
           void (*put)(struct tt_buf *b, const struct tt_layered *l, size_t i),
           tt_err *err)
{
    struct tt_layered *l = NULL;
    tt_arena *a;
    size_t n;
    enum tt_code rc = read_layers(fmu, &a, &l, &n, err);

    for (size_t i = 0; i < n && rc == TT_OK; i++)
        put(b, &l[i], i);
    tt_arena_free(a);
    return rc;
}

/* "org.x.name 1.0: what it is" */
static void layer_text(struct tt_buf *b, const struct tt_layered *l, size_t i)
{
    tt_buf_str(b, i ? "; " : "");
    tt_show_clean(b, *l->name ? l->name : l->folder);
    if (*l->version) {
        tt_buf_char(b, ' ');
        tt_show_clean(b, l->version);
    }
    if (*l->description) {
        tt_buf_str(b, ": ");
        tt_show_clean(b, l->description);
    }
}

static void layer_json(struct tt_buf *b, const struct tt_layered *l, size_t i)
{
    tt_buf_str(b, i ? ",\n    {" : "\n    {");
    pair(b, "folder", l->folder);
    tt_buf_str(b, ", ");
    pair(b, "name", l->name);
    tt_buf_str(b, ", ");
    pair(b, "version", l->version);
    tt_buf_str(b, ", ");
    pair(b, "description", l->description);
    tt_buf_char(b, '}');
}

enum tt_code tt_info_layers_text(struct tt_buf *b, tt_fmu *fmu, tt_err *err)
{
    return each_layer(b, fmu, layer_text, err);
}

enum tt_code tt_info_layers_json(struct tt_buf *b, tt_fmu *fmu, tt_err *err)
{
    size_t begun;
    enum tt_code rc;

    tt_buf_str(b, ",\n  \"layeredStandards\": [");
    begun = b->len;
    rc = each_layer(b, fmu, layer_json, err);
    tt_buf_str(b, b->len > begun ? "\n  ]" : "]");
    return rc;
}
