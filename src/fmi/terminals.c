/* SPDX-License-Identifier: MIT */
#include "fmi/terminals.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/names.h"
#include "text/xml.h"

#define FILE_NAME "terminalsAndIcons.xml"

struct reading {
    tt_arena *a;
    const struct tt_md *md;
    struct tt_findings *f;
    struct tt_terminal *terminal;
    size_t n, cap;
    struct tt_names names; /* of terminals */
    int nomem;
};

static int is(const struct tt_xml_node *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}

static const char *keep(struct reading *r, const char *text)
{
    const char *copy = tt_arena_strdup(r->a, text);

    r->nomem |= text && !copy;
    return copy;
}

/* An attribute that must be there; its absence is a finding. */
static const char *need(struct reading *r, const struct tt_xml_node *node,
                        const char *name)
{
    const char *value = tt_xml_value(node, name);

    if (!value || !*value)
        tt_findings_add(r->f, TT_SEV_ERROR, 0, "FMI3-TERMINAL-ATTR",
                        FILE_NAME ":%d: a %s has no %s", node->line, node->name,
                        name);
    return value && *value ? value : NULL;
}

/* --- members ---------------------------------------------------------------
 */

static uint32_t variable(struct reading *r, const struct tt_xml_node *node,
                         const char *name)
{
    const char *value = need(r, node, name);
    uint32_t i = value ? tt_md_find(r->md, value) : TT_NONE;

    if (value && i == TT_NONE)
        tt_findings_add(r->f, TT_SEV_ERROR, 0, "FMI3-TERMINAL-VARIABLE",
                        FILE_NAME ":%d: there is no variable '%s'", node->line,
                        value);
    return i;
}

static enum tt_member_kind kind_of(const char *word)
{
    if (strcmp(word, "signal") == 0)
        return TT_MEMBER_SIGNAL;
    if (strcmp(word, "inflow") == 0)
        return TT_MEMBER_INFLOW;
    return strcmp(word, "outflow") == 0 ? TT_MEMBER_OUTFLOW : TT_MEMBER_OTHER;
}

/* 0: it is left out. */
static int read_member(struct reading *r, const struct tt_terminal *of,
                       const struct tt_xml_node *node, struct tt_member *m)
{
    const char *name = tt_xml_value(node, "memberName");
    const char *kind = need(r, node, "variableKind");

    m->port = m->in = variable(r, node, "variableName");
    m->kind = kind ? kind_of(kind) : TT_MEMBER_OTHER;
    m->name = keep(r, name ? name : "");
    if (m->port == TT_NONE)
        return 0;
    if ((of->match == TT_MATCH_PLUG || of->match == TT_MATCH_BUS) &&
        !need(r, node, "memberName"))
        return 0;
    return 1;
}

static int read_stream(struct reading *r, const struct tt_xml_node *node,
                       struct tt_member *m)
{
    const char *name = need(r, node, "outStreamMemberName");

    m->port = variable(r, node, "outStreamVariableName");
    m->in = variable(r, node, "inStreamVariableName");
    m->kind = TT_MEMBER_STREAM;
    m->name = keep(r, name ? name : "");
    return m->port != TT_NONE && m->in != TT_NONE;
}

static int is_double(struct reading *r, const struct tt_xml_node *node,
                     const struct tt_member *m, uint32_t n)
{
    for (uint32_t i = 0; *m[n].name && i < n; i++)
        if (strcmp(m[i].name, m[n].name) == 0) {
            tt_findings_add(r->f, TT_SEV_ERROR, 0, "FMI3-TERMINAL-MEMBER",
                            FILE_NAME ":%d: there are two members '%s'",
                            node->line, m[n].name);
            return 1;
        }
    return 0;
}

static void read_members(struct reading *r, struct tt_terminal *t,
                         const struct tt_xml_node *node)
{
    struct tt_member *m;
    size_t n = 0;

    for (const struct tt_xml_node *e = node->children; e; e = e->next)
        n += is(e, "TerminalMemberVariable") ||
             is(e, "TerminalStreamMemberVariable");
    m = tt_arena_alloc(r->a, n, sizeof(*m));
    if (!m) {
        r->nomem = 1;
        return;
    }
    t->member = m;
    for (const struct tt_xml_node *e = node->children; e && !r->nomem;
         e = e->next) {
        struct tt_member *to = &m[t->n_member];
        int there = is(e, "TerminalMemberVariable") ? read_member(r, t, e, to)
                    : is(e, "TerminalStreamMemberVariable")
                        ? read_stream(r, e, to)
                        : 0;

        if (there && !r->nomem && !is_double(r, e, m, t->n_member))
            t->n_member++;
    }
}

/* --- terminals -------------------------------------------------------------
 */

static enum tt_match match_of(struct reading *r, const struct tt_xml_node *node)
{
    const char *word = need(r, node, "matchingRule");

    for (int i = TT_MATCH_PLUG; word && i < TT_MATCH_NONE; i++)
        if (strcmp(word, tt_match_name((enum tt_match)i)) == 0)
            return (enum tt_match)i;
    return TT_MATCH_NONE;
}

static const char *full_name(struct reading *r, uint32_t parent,
                             const char *name)
{
    const char *of = parent == TT_NONE ? "" : r->terminal[parent].name;
    size_t n = strlen(of) + strlen(name) + 2;
    char *full = tt_arena_alloc(r->a, n, 1);

    if (full)
        (void)snprintf(full, n, "%s%s%s", of, *of ? "." : "", name);
    r->nomem |= !full;
    return full;
}

/* Where the terminal will be; TT_NONE: it is left out. */
static uint32_t place_for(struct reading *r, const struct tt_xml_node *node,
                          uint32_t parent)
{
    const char *name = need(r, node, "name"), *full;
    int added;

    full = name ? full_name(r, parent, name) : NULL;
    if (!full)
        return TT_NONE;
    if (r->n >= TT_TERMINALS_MAX) {
        tt_findings_add(r->f, TT_SEV_WARNING, 0, "FMI3-TERMINAL-MANY",
                        FILE_NAME ":%d: more than %u terminals are left out",
                        node->line, TT_TERMINALS_MAX);
        return TT_NONE;
    }
    added = tt_names_add(&r->names, full, (uint32_t)r->n);
    if (added > 0)
        tt_findings_add(r->f, TT_SEV_ERROR, 0, "FMI3-TERMINAL-NAME",
                        FILE_NAME ":%d: there are two terminals '%s'",
                        node->line, full);
    r->nomem |= added < 0 || TT_GROW(r->terminal, r->n, r->cap);
    if (added || r->nomem)
        return TT_NONE;
    r->terminal[r->n] = (struct tt_terminal){.name = full, .parent = parent};
    return (uint32_t)r->n++;
}

static void read_terminals(struct reading *r, const struct tt_xml_node *node,
                           uint32_t parent, unsigned depth)
{
    for (const struct tt_xml_node *e = node->children; e && !r->nomem;
         e = e->next) {
        struct tt_terminal *t;
        uint32_t i;

        if (!is(e, "Terminal"))
            continue;
        if (depth == TT_TERMINALS_DEPTH) {
            tt_findings_add(r->f, TT_SEV_WARNING, 0, "FMI3-TERMINAL-DEPTH",
                            FILE_NAME ":%d: terminals more than %u deep are "
                                      "left out",
                            e->line, TT_TERMINALS_DEPTH);
            return;
        }
        i = place_for(r, e, parent);
        if (i == TT_NONE)
            continue;
        t = &r->terminal[i];
        t->match = match_of(r, e);
        t->kind = keep(r, tt_xml_value(e, "terminalKind"));
        t->text = keep(r, tt_xml_value(e, "description"));
        read_members(r, t, e);
        read_terminals(r, e, i, depth + 1);
    }
}

enum tt_code tt_terminals_parse(struct tt_terminals *out, tt_arena *a,
                                const struct tt_md *md, const void *data,
                                size_t n, struct tt_findings *f, tt_err *err)
{
    struct reading r = {.a = a, .md = md, .f = f};
    tt_xml *xml = NULL;
    enum tt_code rc = tt_xml_parse(&xml, FILE_NAME, data, n, err);

    *out = (struct tt_terminals){NULL, 0};
    if (rc != TT_OK)
        return rc;
    tt_names_init(&r.names);
    for (const struct tt_xml_node *e = tt_xml_root(xml)->children; e;
         e = e->next)
        if (is(e, "Terminals"))
            read_terminals(&r, e, TT_NONE, 0);
    out->terminal = tt_arena_dup(a, r.terminal, r.n, sizeof(*r.terminal));
    out->n = (uint32_t)r.n;
    r.nomem |= r.n && !out->terminal;
    tt_names_fini(&r.names);
    tt_free(r.terminal);
    tt_xml_free(xml);
    return r.nomem ? tt_nomem(err, FILE_NAME) : TT_OK;
}

enum tt_code tt_terminals_read(struct tt_terminals *out, tt_arena *a,
                               const struct tt_md *md, tt_archive *archive,
                               struct tt_findings *f, tt_err *err)
{
    struct tt_buf b;
    tt_err why;
    enum tt_code rc;

    *out = (struct tt_terminals){NULL, 0};
    if (!tt_archive_has(archive, tt_xml_terminals))
        return TT_OK;
    tt_buf_init(&b, TT_MD_MAX_BYTES);
    rc = tt_archive_read(archive, tt_xml_terminals, &b, &why);
    if (rc == TT_OK)
        rc = tt_terminals_parse(out, a, md, b.data ? b.data : "", b.len, f,
                                &why);
    tt_buf_fini(&b);
    if (rc == TT_ENOMEM)
        return tt_nomem(err, FILE_NAME);
    if (rc != TT_OK)
        tt_findings_add(f, TT_SEV_ERROR, 0, "FMI3-TERMINAL-FILE",
                        "its terminals are left out: %s", why.msg);
    return TT_OK;
}

/* --- layered standards -----------------------------------------------------
 */

#define EXTRA         "extra/"
#define MANIFEST      "fmi-ls-manifest.xml"
#define MANIFEST_ROOM ((size_t)16 << 20)

/* "extra/<folder>/fmi-ls-manifest.xml": the folder's length, else 0. */
static size_t folder_of(const char *name)
{
    const char *from = name + sizeof(EXTRA) - 1, *slash;

    if (strncmp(name, EXTRA, sizeof(EXTRA) - 1) != 0)
        return 0;
    slash = strrchr(from, '/');
    return slash && strcmp(slash + 1, MANIFEST) == 0 ? (size_t)(slash - from)
                                                     : 0;
}

static enum tt_code read_manifest(struct tt_layered *l, tt_arena *a,
                                  tt_archive *archive, const char *name,
                                  struct tt_findings *f, tt_err *err)
{
    const char *const attribute[] = {"fmi-ls-name", "fmi-ls-version",
                                     "fmi-ls-description"};
    const char **const to[] = {&l->name, &l->version, &l->description};
    struct tt_buf b;
    tt_xml *xml = NULL;
    tt_err why;
    enum tt_code rc;

    tt_buf_init(&b, MANIFEST_ROOM);
    rc = tt_archive_read(archive, name, &b, &why);
    if (rc == TT_OK)
        rc = tt_xml_parse(&xml, name, b.data ? b.data : "", b.len, &why);
    if (rc != TT_OK && rc != TT_ENOMEM)
        tt_findings_add(f, TT_SEV_WARNING, 0, "FMI3-LAYERED-MANIFEST", "%s",
                        why.msg);
    for (size_t i = 0; i < 3 && rc != TT_ENOMEM; i++) {
        const char *v =
            xml ? tt_xml_value(tt_xml_root(xml), attribute[i]) : NULL;

        *to[i] = tt_arena_strdup(a, v ? v : "");
        if (!*to[i])
            rc = TT_ENOMEM;
    }
    tt_xml_free(xml);
    tt_buf_fini(&b);
    return rc == TT_ENOMEM ? tt_nomem(err, MANIFEST) : TT_OK;
}

enum tt_code tt_layered_read(struct tt_layered **out, size_t *n, tt_arena *a,
                             tt_archive *archive, struct tt_findings *f,
                             tt_err *err)
{
    size_t most = 0;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < tt_archive_count(archive); i++)
        most += folder_of(tt_archive_name(archive, i)) != 0;
    *n = 0;
    if (!TT_NEW_IN(a, *out, most))
        return tt_nomem(err, MANIFEST);
    for (size_t i = 0; i < tt_archive_count(archive) && rc == TT_OK; i++) {
        const char *name = tt_archive_name(archive, i);
        size_t length = folder_of(name);
        struct tt_layered *l = &(*out)[*n];

        if (!length || *n == TT_LAYERED_MAX)
            continue;
        l->folder = tt_arena_strndup(a, name + sizeof(EXTRA) - 1, length);
        rc = l->folder ? read_manifest(l, a, archive, name, f, err)
                       : tt_nomem(err, MANIFEST);
        *n += rc == TT_OK;
    }
    return rc;
}
