/* SPDX-License-Identifier: MIT */
/* What can be looked at without playing, as text. */
#include "api/api_impl.h"
#include "api/check.h"
#include "api/info.h"
#include "base/show.h"
#include "fmi/fmu.h"
#include "results/compare.h"
#include "results/pattern.h"
#include "results/plot.h"

static enum tt_code bad_form(const char *what, enum tutti_form form,
                             tt_err *err)
{
    static const char *const name[] = {"text", "JSON", "SVG"};

    if ((unsigned)form > TUTTI_SVG)
        return tt_fail(err, TT_EINPUT, "there is no form %u", (unsigned)form);
    return tt_fail(err, TT_EINPUT, "%s cannot be had as %s", what, name[form]);
}

enum tutti_code tutti_score(const tutti_run *r, enum tutti_form form,
                            char **out, tutti_error *error)
{
    const tt_score *score = tt_run_score(r->run);
    enum tt_code rc = TT_OK;
    struct tt_buf b;
    tt_err err;

    tt_buf_init(&b, TT_SHOW_MAX);
    switch (form) {
    case TUTTI_TEXT:
        tt_score_print(score, &b);
        break;
    case TUTTI_JSON:
        tt_score_print_json(score, &b);
        break;
    case TUTTI_SVG:
        tt_score_svg(score, &b);
        break;
    default:
        rc = bad_form("a score", form, &err);
        break;
    }
    return api_text(rc, &err, &b, out, error);
}

enum tutti_code tutti_info(const char *fmu, enum tutti_form form, char **out,
                           tutti_error *error)
{
    enum tt_code rc = TT_OK;
    tt_fmu *f = NULL;
    struct tt_buf b;
    tt_err err;

    tt_buf_init(&b, TT_SHOW_MAX);
    if (form != TUTTI_TEXT && form != TUTTI_JSON)
        rc = bad_form("what an FMU is", form, &err);
    if (rc == TT_OK)
        rc = tt_fmu_open_any(&f, fmu, &err);
    if (rc == TT_OK && form == TUTTI_JSON)
        rc = tt_info_json(&b, f, &err);
    else if (rc == TT_OK)
        rc = tt_info_text(&b, f, &(struct tt_info_look){.all = 1}, &err);
    tt_fmu_close(f);
    return api_text(rc, &err, &b, out, error);
}

enum tutti_code tutti_check(const char *fmu, enum tutti_form form, char **out,
                            size_t *n_errors, tutti_error *error)
{
    struct tt_findings findings;
    struct tt_check c = {.path = fmu, .findings = &findings};
    enum tt_code rc = TT_OK;
    enum tutti_code done;
    tt_fmu *f = NULL;
    struct tt_buf b;
    tt_err err;

    tt_buf_init(&b, TT_SHOW_MAX);
    tt_findings_init(&findings);
    if (form != TUTTI_TEXT && form != TUTTI_JSON)
        rc = bad_form("a check", form, &err);
    if (rc == TT_OK)
        rc = tt_fmu_open_any(&f, fmu, &err);
    if (rc == TT_OK) {
        c.md = tt_fmu_md(f);
        rc = tt_md_check(c.md, tt_fmu_archive(f), &findings, &err);
    }
    if (rc == TT_OK && form == TUTTI_JSON)
        tt_check_json(&b, &c);
    else if (rc == TT_OK)
        tt_check_text(&b, &c, 0);
    done = api_text(rc, &err, &b, out, error);
    if (done == TUTTI_OK && n_errors)
        *n_errors = findings.error_n;
    tt_findings_fini(&findings);
    tt_fmu_close(f);
    return done;
}

enum tutti_code tutti_plot(const char *csv, const char *columns,
                           enum tutti_form form, char **out, tutti_error *error)
{
    tt_arena *arena = tt_arena_new();
    struct tt_patterns patterns = {0};
    struct tt_plot_opts o = {0};
    enum tt_code rc = TT_OK;
    struct tt_buf b;
    tt_err err;

    tt_buf_init(&b, TT_PLOT_MAX_BYTES);
    if (form != TUTTI_TEXT && form != TUTTI_SVG)
        rc = bad_form("a plot", form, &err);
    else if (!arena)
        rc = tt_fail(&err, TT_ENOMEM, "plotting %s: out of memory", csv);
    if (rc == TT_OK && columns)
        rc = tt_pattern_split(&patterns, &columns, 1, arena, &err);
    o.pattern = patterns.item;
    o.n_pattern = patterns.n;
    *(form == TUTTI_SVG ? &o.picture : &o.text) = &b;
    if (rc == TT_OK)
        rc = tt_plot_file(csv, &o, &err);
    tt_arena_free(arena);
    return api_text(rc, &err, &b, out, error);
}

enum tutti_code tutti_compare(const char *csv, const char *reference,
                              const struct tutti_tolerance *tolerance,
                              int *same, enum tutti_form form, char **out,
                              tutti_error *error)
{
    struct tt_compare_opts o = {0};
    struct tt_compare c = {0};
    enum tt_code rc = TT_OK;
    enum tutti_code done;
    char *unwanted = NULL;
    struct tt_buf b;
    tt_err err;

    if (tolerance) {
        o.atol = tolerance->absolute;
        o.rtol = tolerance->relative;
    }
    tt_buf_init(&b, TT_SHOW_MAX);
    if (form != TUTTI_TEXT && form != TUTTI_JSON)
        rc = bad_form("a comparison", form, &err);
    else if (!(o.atol >= 0 && o.rtol >= 0))
        rc = tt_fail(&err, TT_EINPUT, "a tolerance is 0 or more");
    if (rc == TT_OK)
        rc = tt_compare_files(&c, csv, reference, &o, &err);
    if (rc == TT_OK && form == TUTTI_JSON)
        tt_compare_json(&b, &c);
    else if (rc == TT_OK)
        tt_compare_text(&b, &c);
    done = api_text(rc, &err, &b, out ? out : &unwanted, error);
    if (done == TUTTI_OK)
        *same = c.same;
    tutti_free(unwanted);
    tt_compare_fini(&c);
    return done;
}
