/* SPDX-License-Identifier: MIT */
#include "results/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/sha256.h"
#include "results/markup.h"
#include "results/report_impl.h"
#include "results/svg.h"
#include "sys/file.h"

/* --- small pieces ------------------------------------------------------ */

static void str(struct tt_buf *b, const char *s)
{
    tt_buf_str(b, s);
}

/* <tag class="class">text</tag>, or nothing for no text. */
static void element(struct tt_buf *b, const char *tag, const char *class,
                    const char *text)
{
    if (!text || !*text)
        return;
    tt_buf_fmt(b, "<%s", tag);
    if (class)
        tt_buf_fmt(b, " class=\"%s\"", class);
    str(b, ">");
    tt_markup_text(b, text);
    tt_buf_fmt(b, "</%s>\n", tag);
}

static void cell(struct tt_buf *b, const char *class, const char *text)
{
    str(b, "<td");
    if (class)
        tt_buf_fmt(b, " class=\"%s\"", class);
    str(b, ">");
    tt_markup_text(b, text);
    str(b, "</td>");
}

/* A count in groups of three digits, by a narrow space that does not break. */
static void count(struct tt_buf *b, uint64_t v)
{
    char text[TT_NUM_MAX];
    size_t n = tt_num_print_u64(text, v);

    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0 && n > 4)
            str(b, "\xe2\x80\xaf");
        tt_buf_char(b, text[i]);
    }
}

static void number(struct tt_buf *b, double v, const char *unit)
{
    char text[TT_NUM_MAX];

    tt_num_print_short(text, v);
    str(b, text);
    str(b, unit);
}

static void heading(struct tt_buf *b, const char *text)
{
    element(b, "h2", NULL, text);
}

/* --- the top ----------------------------------------------------------- */

/* Around the script, so that the page is also XML. */
#define SCRIPT_BEGIN "//<![CDATA[\n"
#define SCRIPT_END   "//]]>\n"

void tt_report_hash(char out[TT_REPORT_HASH])
{
    unsigned char digest[TT_SHA256_BYTES];
    char text[TT_SHA256_BASE64];
    struct tt_sha256 s;

    tt_sha256_init(&s);
    tt_sha256_add(&s, SCRIPT_BEGIN, sizeof(SCRIPT_BEGIN) - 1);
    tt_sha256_add(&s, tt_report_files[0].data, tt_report_files[0].n);
    tt_sha256_add(&s, SCRIPT_END, sizeof(SCRIPT_END) - 1);
    tt_sha256_end(&s, digest);
    tt_sha256_base64(digest, text);
    snprintf(out, TT_REPORT_HASH, "sha256-%s", text);
}

/* The only script the browser may run, named by its hash: none of the texts of
 * others can become one. */
static void script_hash(struct tt_buf *b)
{
    char hash[TT_REPORT_HASH];

    tt_report_hash(hash);
    str(b, "; script-src &#39;");
    str(b, hash);
    str(b, "&#39;");
}

static void script(struct tt_buf *b)
{
    str(b, "<script>" SCRIPT_BEGIN);
    tt_buf_add(b, tt_report_files[0].data, tt_report_files[0].n);
    str(b, SCRIPT_END "</script>\n");
}

void tt_report_begin(struct tt_buf *b, const char *title)
{
    str(b, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" "
           "lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
           "<meta name=\"viewport\" content=\"width=device-width, "
           "initial-scale=1\"/>\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\""
           "default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;");
    script_hash(b);
    str(b, "\"/>\n<title>");
    tt_markup_text(b, title);
    str(b, "</title>\n<style>");
    str(b, tt_report_style);
    str(b, tt_svg_style());
    tt_buf_add(b, tt_report_files[1].data, tt_report_files[1].n);
    str(b, "</style>\n</head>\n<body>\n<main>\n");
}

/* A text, if there is one, and what stands around it. */
static void optional(struct tt_buf *b, const char *before, const char *text,
                     const char *behind)
{
    if (!text || !*text)
        return;
    str(b, before);
    tt_markup_text(b, text);
    str(b, behind);
}

static void kicker(struct tt_buf *b, const struct tt_report *r)
{
    str(b, "<p class=\"kicker\">Tutti simulation report");
    optional(b, " \xc2\xb7 ", r->scenario, "");
    optional(b, " \xc2\xb7 ", r->made, "");
    str(b, "</p>\n");
}

static void status(struct tt_buf *b, const struct tt_report *r)
{
    static const char *const word[] = {"completed", "stopped", "failed"};
    static const char *const class[] = {"ok", "warn", "bad"};
    const char *w = word[r->outcome], *text = r->status;
    size_t n = strlen(w);

    /* "completed: 51 rows" beside a pill stating "completed" states it twice */
    if (text && strncmp(text, w, n) == 0 && text[n] == ':')
        text += n + 1;
    tt_buf_fmt(b, "<p class=\"status\"><span class=\"pill %s\">%s</span>",
               class[r->outcome], w);
    tt_markup_text(b, text);
    str(b, "</p>\n");
    element(b, "p", "trust", r->trust);
}

static void fact(struct tt_buf *b, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    element(b, "dt", NULL, name);
    element(b, "dd", NULL, text);
}

static void fact_box(struct tt_buf *b, const char *name, const char *text,
                     int wide)
{
    if (!text || !*text)
        return;
    str(b, wide ? "<div class=\"wide\">" : "<div>");
    fact(b, name, text);
    str(b, "</div>\n");
}

static void fact_count(struct tt_buf *b, const char *name, size_t n)
{
    if (n == 0)
        return;
    tt_buf_fmt(b, "<div><dt>%s</dt><dd>", name);
    count(b, n);
    str(b, "</dd></div>\n");
}

static void facts(struct tt_buf *b, const struct tt_report *r)
{
    str(b, "<dl class=\"card facts\">\n<div><dt>simulated time</dt><dd>");
    number(b, r->start, " s to ");
    if (isfinite(r->end))
        number(b, r->end, " s");
    else
        str(b, "no end");
    str(b, "</dd></div>\n");
    if (r->step > 0) {
        str(b, "<div><dt>step</dt><dd>");
        number(b, r->step, " s");
        str(b, "</dd></div>\n");
    }
    fact_box(b, "master", r->master, 0);
    fact_box(b, "inputs between steps", r->approximation, 0);
    fact_count(b, "instances", r->n_unit);
    fact_count(b, "connections", r->n_connection);
    fact_box(b, "real time", r->pace, 1);
    fact_box(b, "command", r->command, 1);
    str(b, "</dl>\n");
}

static void warnings(struct tt_buf *b, const struct tt_report *r)
{
    if (r->n_warning == 0)
        return;
    heading(b, r->n_warning == 1 ? "Warning" : "Warnings");
    for (size_t i = 0; i < r->n_warning; i++)
        element(b, "p", "note", r->warning[i]);
}

/* --- plots ------------------------------------------------------------- */

static int same_title(const struct tt_panel *a, const struct tt_panel *b)
{
    return strcmp(a->title ? a->title : "", b->title ? b->title : "") == 0;
}

/* One card: all panels with the title of panel `first`, below each other. */
static void plot_card(struct tt_buf *b, const struct tt_report *r, size_t first,
                      size_t n)
{
    const struct tt_panels *p = r->panels;
    struct tt_panel some[TT_REPORT_MAX_PANELS];
    size_t k = 0;

    for (size_t i = first; i < n; i++) {
        if (!same_title(&p->panel[first], &p->panel[i]))
            continue;
        some[k] = p->panel[i];
        some[k++].title = NULL; /* the card has it */
    }
    str(b, "<div class=\"card\">\n");
    element(b, "h3", NULL, p->panel[first].title);
    tt_svg_panels(b, some, k,
                  &(struct tt_svg_opts){.width = 820,
                                        .panel_height = k > 1 ? 190 : 220,
                                        .embedded = 1,
                                        .instant = r->instant,
                                        .n_instant = r->n_instant,
                                        .live = 1});
    str(b, "</div>\n");
}

static void plots(struct tt_buf *b, const struct tt_report *r)
{
    const struct tt_panels *p = r->panels;
    size_t n;

    if (!p || p->n == 0)
        return;
    n = p->n < TT_REPORT_MAX_PANELS ? p->n : TT_REPORT_MAX_PANELS;
    heading(b, "Results");
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < i && !same_title(&p->panel[k], &p->panel[i]))
            k++;
        if (k == i) /* the first with its title */
            plot_card(b, r, i, n);
    }
    if (p->n > n)
        tt_buf_fmt(b,
                   "<p class=\"dim\">%zu more plots are not shown here; "
                   "the result file has all values.</p>\n",
                   p->n - n);
}

static void steps(struct tt_buf *b, const struct tt_report *r)
{
    if (!r->steps || r->steps->n == 0)
        return;
    heading(b, "Steps");
    str(b, "<div class=\"card\">\n");
    tt_svg_panels(
        b, r->steps->panel, r->steps->n,
        &(struct tt_svg_opts){
            .width = 820, .panel_height = 190, .embedded = 1, .live = 1});
    str(b, "</div>\n");
}

/* --- tables ------------------------------------------------------------ */

/* The i-th row of one of them. */
typedef void row_fn(struct tt_buf *b, const struct tt_report *r, size_t i);

/* Nothing, where there are no rows. head: the first row, as HTML. */
static void table(struct tt_buf *b, const struct tt_report *r,
                  const char *title, const char *head, row_fn *row, size_t n)
{
    if (n == 0)
        return;
    heading(b, title);
    str(b, "<div class=\"card scroll\"><table>\n");
    str(b, head);
    for (size_t i = 0; i < n; i++)
        row(b, r, i);
    str(b, "</table></div>\n");
}

static void decision_row(struct tt_buf *b, const struct tt_report *r, size_t i)
{
    const struct tt_report_decision *d = &r->decision[i];

    str(b, "<tr>");
    cell(b, "topic", d->topic);
    str(b, "<td>");
    tt_markup_text(b, d->text);
    optional(b, "<br/><span class=\"dim\">", d->why, "</span>");
    str(b, "</td></tr>\n");
}

static void share(struct tt_buf *b, double percent)
{
    double p = fmax(0, fmin(100, percent));

    str(b, "<td class=\"n\">");
    if (isfinite(percent)) {
        tt_markup_coord(b, percent);
        str(b, " %<span class=\"share\"><i style=\"width:");
        tt_markup_coord(b, p);
        str(b, "%\"></i></span>");
    }
    str(b, "</td>");
}

static void unit_notes(struct tt_buf *b, const struct tt_report_unit *u)
{
    int has_notes = u->notes && *u->notes;

    if (!has_notes && !(u->max_lag > 0))
        return;
    str(b, "<br/><span class=\"dim\">");
    tt_markup_text(b, u->notes);
    if (u->max_lag > 0) {
        str(b, has_notes ? "; largest lag " : "largest lag ");
        number(b, u->max_lag, " s");
    }
    str(b, "</span>");
}

static void unit_row(struct tt_buf *b, const struct tt_report_unit *u,
                     int with_calls)
{
    str(b, "<tr><td><b>");
    tt_markup_text(b, u->name);
    str(b, "</b><br/><span class=\"dim\">");
    tt_markup_text(b, u->model);
    str(b, "</span>");
    unit_notes(b, u);
    str(b, "</td>");
    cell(b, NULL, u->kind);
    cell(b, NULL, u->exchange);
    str(b, "<td class=\"n\">");
    count(b, u->steps);
    if (with_calls) {
        str(b, "</td><td class=\"n\">");
        count(b, u->calls);
    }
    str(b, "</td>");
    share(b, u->time_share);
    str(b, "</tr>\n");
}

static void units(struct tt_buf *b, const struct tt_report *r)
{
    int with_calls = 0;

    if (r->n_unit == 0)
        return;
    for (size_t i = 0; i < r->n_unit; i++)
        with_calls |= r->unit[i].calls > 0;
    heading(b, "Instances");
    str(b, "<div class=\"card scroll\"><table>\n<tr><th>instance</th>"
           "<th>kind</th><th>exchange</th><th class=\"n\">steps</th>");
    if (with_calls)
        str(b, "<th class=\"n\">calls</th>");
    str(b, "<th class=\"n\">time</th></tr>\n");
    for (size_t i = 0; i < r->n_unit; i++)
        unit_row(b, &r->unit[i], with_calls);
    str(b, "</table></div>\n");
}

static void list(struct tt_buf *b, const char *title, const char *const *item,
                 size_t n)
{
    if (n == 0)
        return;
    heading(b, title);
    str(b, "<ul class=\"card\" style=\"padding-left:36px\">\n");
    for (size_t i = 0; i < n; i++)
        element(b, "li", NULL, item[i]);
    str(b, "</ul>\n");
}

static void source_row(struct tt_buf *b, const struct tt_report *r, size_t i)
{
    const struct tt_report_source *s = &r->source[i];

    str(b, "<tr><td><b>");
    tt_markup_text(b, s->key);
    str(b, "</b>");
    if (s->within) {
        str(b, " of ");
        tt_markup_text(b, s->within);
    }
    str(b, "<br/><span class=\"dim\">");
    tt_markup_text(b, s->path);
    str(b, "</span></td>");
    cell(b, NULL, s->model);
    cell(b, NULL, s->version);
    cell(b, NULL, s->tool);
    str(b, "<td><code style=\"word-break:break-all\">");
    tt_markup_text(b, s->sha256);
    str(b, "</code></td></tr>\n");
}

static void score(struct tt_buf *b, const struct tt_report *r)
{
    if (!r->score && !r->score_svg)
        return;
    heading(b, "Score: what was played");
    str(b, "<div class=\"card\">\n");
    if (r->score_svg)
        str(b, r->score_svg);
    element(b, "pre", NULL, r->score);
    str(b, "</div>\n");
}

static void log_row(struct tt_buf *b, const struct tt_report *r, size_t i)
{
    const struct tt_report_log *m = &r->log[i];
    const char *level = tt_log_level_name(m->level);

    tt_buf_fmt(b, "<tr><td class=\"level-%s\">%s</td><td class=\"n dim\">",
               level, level);
    if (isfinite(m->t))
        number(b, m->t, " s");
    str(b, "</td>");
    cell(b, "dim", m->unit ? m->unit : "tutti");
    cell(b, "text", m->text);
    str(b, "</tr>\n");
}

static void event_row(struct tt_buf *b, const struct tt_report *r, size_t i)
{
    const struct tt_report_event *e = &r->event[i];

    str(b, "<tr><td class=\"n\">");
    number(b, e->t, " s");
    str(b, "</td><td class=\"n dim\">");
    count(b, e->microstep);
    str(b, "</td>");
    cell(b, NULL, e->instance);
    cell(b, NULL, e->port);
    cell(b, "text", e->value);
    str(b, "</tr>\n");
}

static void events(struct tt_buf *b, const struct tt_report *r)
{
    table(b, r, "Events",
          "<tr><th class=\"n\">t</th><th class=\"n\">microstep</th>"
          "<th>instance</th><th>port</th><th>value</th></tr>\n",
          event_row, r->n_event);
    if (r->more_events)
        str(b, "<p class=\"dim\">More followed, which are neither listed nor "
               "marked in the plots.</p>\n");
}

static void messages(struct tt_buf *b, const struct tt_report *r)
{
    size_t n = r->n_log < TT_REPORT_MAX_LOG ? r->n_log : TT_REPORT_MAX_LOG;

    table(b, r, "Log",
          "<tr><th>level</th><th class=\"n\">t</th><th>instance</th>"
          "<th>message</th></tr>\n",
          log_row, n);
    if (r->n_log > n)
        tt_buf_fmt(b, "<p class=\"dim\">%zu more messages are not shown.</p>\n",
                   r->n_log - n);
}

/* --- the page ---------------------------------------------------------- */

void tt_report_html(struct tt_buf *b, const struct tt_report *r)
{
    tt_report_begin(b, r->title ? r->title : "Tutti report");
    kicker(b, r);
    element(b, "h1", NULL, r->title);
    status(b, r);
    facts(b, r);
    warnings(b, r);
    plots(b, r);
    events(b, r);
    steps(b, r);
    table(b, r, "What was decided for you", "", decision_row, r->n_decision);
    list(b, "What was left over", r->residual, r->n_residual);
    units(b, r);
    table(b, r, "What it was made of",
          "<tr><th>file</th><th>model</th><th>version</th><th>tool</th>"
          "<th>SHA-256</th></tr>\n",
          source_row, r->n_source);
    list(b, "Values set", r->setting, r->n_setting);
    list(b, "Conversions on connections", r->conversion, r->n_conversion);
    score(b, r);
    messages(b, r);
    list(b, "Files written", r->file, r->n_file);
    str(b, "<footer>Tutti ");
    tt_markup_text(b, r->version);
    str(b, "</footer>\n</main>\n");
    if (r->panels || r->steps)
        script(b);
    str(b, "</body>\n</html>\n");
}

enum tt_code tt_report_write(const char *path, const struct tt_report *r,
                             tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, TT_REPORT_MAX_BYTES);
    tt_report_html(&b, r);
    rc = tt_file_write_buf(path, &b, err);
    tt_buf_fini(&b);
    return rc;
}
