/* SPDX-License-Identifier: MIT */
#include "results/plot.h"

#include "base/mem.h"
#include "results/eventlist.h"
#include "results/pattern.h"
#include "results/svg.h"
#include "results/xy.h"
#include "sys/file.h"

static enum tt_code draw_svg(struct tt_buf *b, const struct tt_panels *p,
                             const tt_table *t, const char *title, tt_err *err)
{
    size_t n = p->n < TT_PLOT_MAX_PANELS ? p->n : TT_PLOT_MAX_PANELS;
    struct tt_svg_opts svg = {0};
    struct tt_buf words;

    tt_buf_init(&words, 4096);
    tt_buf_str(&words, title ? title : tt_path_base(tt_table_file(t)));
    if (p->n > n)
        tt_buf_fmt(&words, " (%zu of %zu plots)", n, p->n);
    svg.title = words.failed ? NULL : words.data;
    tt_svg_panels(b, p->panel, n, &svg);
    tt_buf_fini(&words);
    return tt_buf_check(b, "plot", err);
}

static enum tt_code write_svg(const struct tt_panels *p, const tt_table *t,
                              const struct tt_plot_opts *o, tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, TT_PLOT_MAX_BYTES);
    rc = draw_svg(&b, p, t, o->title, err);
    if (rc == TT_OK)
        rc = tt_file_write(o->svg, b.data, b.len, err);
    tt_buf_fini(&b);
    return rc;
}

static enum tt_code write_text(const struct tt_panels *p,
                               const struct tt_plot_opts *o, tt_err *err)
{
    size_t n = p->n < TT_PLOT_MAX_TEXT_PANELS ? p->n : TT_PLOT_MAX_TEXT_PANELS;

    for (size_t i = 0; i < n; i++) {
        enum tt_code rc;

        if (i > 0)
            tt_buf_char(o->text, '\n');
        rc = tt_ascii_panel(o->text, &p->panel[i], &o->ascii, err);
        if (rc != TT_OK)
            return rc;
    }
    if (p->n > n)
        tt_buf_fmt(o->text, "\n%zu more plots; choose columns to see them\n",
                   p->n - n);
    return tt_buf_check(o->text, "plot", err);
}

static enum tt_code choose(struct tt_panels *p, const tt_table *t,
                           const struct tt_plot_opts *o, tt_err *err)
{
    uint32_t *column = NULL;
    size_t n = 0;
    enum tt_code rc;

    if (o->n_xy > 0)
        return tt_xy_panel(p, t, o->xy, o->n_xy, err);
    if (tt_eventlist_is(t))
        return tt_panels_from_events(p, t, o->pattern, o->n_pattern, err);
    rc = tt_pattern_select(t, o->pattern, o->n_pattern, &column, &n, err);
    if (rc == TT_OK)
        rc = tt_panels_from_table(p, t, column, n, o->n_pattern == 0, err);
    tt_free(column);
    return rc;
}

enum tt_code tt_plot_table(const tt_table *t, const struct tt_plot_opts *opts,
                           tt_err *err)
{
    struct tt_panels p = {0};
    enum tt_code rc = choose(&p, t, opts, err);

    if (rc == TT_OK && p.n == 0)
        rc = tt_fail(err, TT_EINPUT, "%s: there is nothing to plot in it",
                     tt_table_file(t));
    if (rc == TT_OK && opts->svg)
        rc = write_svg(&p, t, opts, err);
    if (rc == TT_OK && opts->picture)
        rc = draw_svg(opts->picture, &p, t, opts->title, err);
    if (rc == TT_OK && opts->text)
        rc = write_text(&p, opts, err);
    tt_panels_fini(&p);
    return rc;
}

enum tt_code tt_plot_file(const char *path, const struct tt_plot_opts *opts,
                          tt_err *err)
{
    tt_table *t = NULL;
    enum tt_code rc = tt_table_load(&t, path, err);

    if (rc == TT_OK)
        rc = tt_plot_table(t, opts, err);
    tt_table_free(t);
    return rc;
}
