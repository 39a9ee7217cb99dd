/* SPDX-License-Identifier: MIT */
#include "api/check.h"

#include "base/show.h"

int tt_check_ok(const struct tt_check *c)
{
    return c->findings->error_n == 0 && !(c->walk && c->walk->n) &&
           !(c->strict && c->findings->warning_n);
}

static uint32_t kept(const struct tt_check_walk *w)
{
    return w->n < TT_CHECK_PROBLEMS ? w->n : TT_CHECK_PROBLEMS;
}

/* --- for people ---------------------------------------------------------- */

struct paper {
    struct tt_buf *b;
    int colours;
};

static const char *ink(const struct paper *w, enum tt_ink i)
{
    return tt_show_ink(w->colours, i);
}

static enum tt_ink severity_ink(enum tt_severity s)
{
    return s == TT_SEV_ERROR     ? TT_INK_RED
           : s == TT_SEV_WARNING ? TT_INK_YELLOW
                                 : TT_INK_DIM;
}

static void findings_text(const struct paper *w, const struct tt_findings *all)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct tt_finding *f = &all->item[i];

        if (f->line)
            tt_buf_fmt(w->b, "modelDescription.xml:%d: ", f->line);
        tt_buf_fmt(w->b, "%s%s:%s ", ink(w, severity_ink(f->severity)),
                   tt_severity_name(f->severity), ink(w, TT_INK_OFF));
        tt_show_clean(w->b, f->text);
        tt_buf_fmt(w->b, " %s[%s]%s\n", ink(w, TT_INK_DIM), f->rule,
                   ink(w, TT_INK_OFF));
    }
}

static void walk_text(const struct paper *w, const struct tt_check_walk *walk)
{
    for (uint32_t i = 0; i < kept(walk); i++) {
        tt_buf_fmt(w->b, "walk: %serror:%s %s: ", ink(w, TT_INK_RED),
                   ink(w, TT_INK_OFF), walk->problem[i].call);
        tt_show_clean(w->b, walk->problem[i].text);
        tt_buf_char(w->b, '\n');
    }
    if (kept(walk) < walk->n)
        tt_buf_fmt(w->b, "walk: and %u more\n", walk->n - kept(walk));
}

static void verdict(const struct paper *w, const struct tt_check *c)
{
    const struct tt_findings *f = c->findings;
    int ok = tt_check_ok(c);

    tt_buf_fmt(w->b, "%s: %s%s%s", c->path,
               ink(w, ok ? TT_INK_GREEN : TT_INK_RED), ok ? "ok" : "not ok",
               ink(w, TT_INK_OFF));
    tt_buf_fmt(w->b, " (FMI %s, %s, ",
               c->md->fmi_version ? c->md->fmi_version : "?",
               tt_md_interfaces(c->md));
    tt_show_count(w->b, c->md->var_n, "variable", "variables");
    if (f->error_n) {
        tt_buf_str(w->b, ", ");
        tt_show_count(w->b, f->error_n, "error", "errors");
    }
    if (f->warning_n) {
        tt_buf_str(w->b, ", ");
        tt_show_count(w->b, f->warning_n, "warning", "warnings");
    }
    if (c->walk) {
        tt_buf_str(w->b, "; a walk of ");
        tt_show_count(w->b, c->walk->n_call, "call", "calls");
        tt_buf_str(w->b, ", ");
        tt_show_count(w->b, c->walk->n, "problem", "problems");
    }
    tt_buf_str(w->b, ")\n");
}

void tt_check_text(struct tt_buf *b, const struct tt_check *c, int colours)
{
    struct paper w = {.b = b, .colours = colours};

    findings_text(&w, c->findings);
    if (c->walk)
        walk_text(&w, c->walk);
    verdict(&w, c);
}

/* --- for machines -------------------------------------------------------- */

static void findings_json(struct tt_buf *b, const struct tt_findings *f)
{
    for (size_t i = 0; i < f->n; i++) {
        tt_buf_fmt(b, "%s\n    {\"severity\": \"%s\", \"rule\": \"%s\"",
                   i ? "," : "", tt_severity_name(f->item[i].severity),
                   f->item[i].rule);
        if (f->item[i].line)
            tt_buf_fmt(b, ", \"line\": %d", f->item[i].line);
        tt_json_text(b, ", \"text\": ", f->item[i].text);
        tt_buf_char(b, '}');
    }
}

static void walk_json(struct tt_buf *b, const struct tt_check_walk *w)
{
    tt_buf_fmt(b, ",\n  \"walk\": {\"calls\": %u, \"problems\": [", w->n_call);
    for (uint32_t i = 0; i < kept(w); i++) {
        tt_buf_fmt(b, "%s\n    {\"call\": ", i ? "," : "");
        tt_buf_json(b, w->problem[i].call);
        tt_json_text(b, ", \"text\": ", w->problem[i].text);
        tt_buf_char(b, '}');
    }
    tt_buf_str(b, "]}");
}

void tt_check_json(struct tt_buf *b, const struct tt_check *c)
{
    const struct tt_findings *f = c->findings;

    tt_json_text(b, "{\n  \"file\": ", c->path);
    tt_buf_fmt(b,
               ",\n  \"ok\": %s,\n  \"errors\": %zu,\n  \"warnings\": %zu,\n"
               "  \"findings\": [",
               tt_check_ok(c) ? "true" : "false", f->error_n, f->warning_n);
    findings_json(b, f);
    tt_buf_str(b, "]");
    if (c->walk)
        walk_json(b, c->walk);
    tt_buf_str(b, "\n}\n");
}
