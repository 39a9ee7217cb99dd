/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "compose/compose.h"
#include "fmi/fmu.h"
#include "run/run.h"
#include "scenario/scenario.h"
#include "serve/serve_impl.h"
#include "sys/file.h"

/* Reading a configuration and the descriptions of its FMUs, for `initialize`:
 * what is wrong with them is stated now, not when it is simulated. Both are
 * foreign files: a process of its own does it. */

static void category_json(struct tt_buf *b, const struct tt_md_category *c)
{
    tt_json_text(b, "{\"name\":", c->name);
    tt_buf_str(b, ",\"description\":");
    if (c->description)
        tt_buf_json(b, c->description);
    else
        tt_buf_str(b, "null");
    tt_buf_char(b, '}');
}

/* A unit that is no FMU (a table, something built in) has no categories. */
static enum tt_code categories(struct tt_buf *b, const struct tt_sc_fmu *f,
                               tt_err *err)
{
    const struct tt_md *md;
    enum tt_code rc;
    tt_fmu *fmu;

    tt_buf_char(b, '[');
    if (tt_scenario_is_fmu(f->path)) {
        rc = tt_fmu_open(&fmu, f->path, err);
        if (rc != TT_OK)
            return tt_context(err, rc, "FMU '%s'", f->key);
        md = tt_fmu_md(fmu);
        for (uint32_t i = 0; i < md->category_n; i++) {
            tt_buf_str(b, i ? "," : "");
            category_json(b, &md->category[i]);
        }
        tt_fmu_close(fmu);
    }
    tt_buf_char(b, ']');
    return TT_OK;
}

static void add(struct tt_buf *out, const char *key, const struct tt_buf *list)
{
    tt_buf_str(out, out->len > 1 ? "," : "");
    tt_buf_json(out, key);
    tt_buf_char(out, ':');
    tt_buf_add(out, list->data, list->len);
}

/* Under its key, as Maestro 2 has it, or for each of its instances. */
static enum tt_code add_fmu(struct tt_buf *out, const tt_scenario *sc,
                            uint32_t f, int maestro1, tt_err *err)
{
    struct tt_buf list;
    enum tt_code rc;

    tt_buf_init(&list, TT_BODY_MAX);
    rc = categories(&list, &sc->fmu[f], err);
    if (rc == TT_OK && !maestro1)
        add(out, sc->fmu[f].key, &list);
    for (uint32_t i = 0; rc == TT_OK && maestro1 && i < sc->n_unit; i++)
        if (sc->unit[i].fmu == f)
            add(out, sc->unit[i].name, &list);
    tt_buf_fini(&list);
    return rc;
}

#define SOME_STEP 0.1 /* s */

/* Each warning is a line for the parent process. */
static void keep_line(void *ctx, const struct tt_log_record *r)
{
    if (r->level == TT_LOG_WARN)
        tt_buf_fmt(ctx, "warning: %s\n", r->text);
}

/* As far as it goes without the body of `simulate`, which may bring the times
 * and the step. */
static enum tt_code check(tt_scenario *sc, const struct tt_log *log,
                          tt_err *err)
{
    const struct tt_run_opts o = {.log = log, .kind_cb = tt_compose_kind_for};
    tt_run *run = NULL;
    enum tt_code rc;

    if (isnan(sc->end))
        sc->end = (double)INFINITY;
    if (isnan(sc->step))
        sc->step = SOME_STEP;
    rc = tt_run_new(&run, sc, &o, err);
    tt_run_free(run);
    return rc;
}

enum tt_code tt_serve_levels(const struct tt_serve_opts *o, const char *file,
                             tt_err *err)
{
    struct tt_buf out, logged;
    const struct tt_log log = {
        .sink_cb = keep_line, .ctx = &logged, .least = TT_LOG_WARN};
    struct tt_sc_options options = TT_SC_OPTIONS_INIT;
    tt_scenario *sc = NULL;
    enum tt_code rc;

    options.base = o->dir;
    options.only_base = !o->local_files;
    tt_buf_init(&out, TT_BODY_MAX);
    tt_buf_init(&logged, TT_BODY_MAX);
    rc = tt_scenario_load(&sc, &file, 1, &options, &log, err);
    tt_buf_char(&out, '{');
    for (uint32_t i = 0; rc == TT_OK && i < sc->n_fmu; i++)
        rc = add_fmu(&out, sc, i, o->maestro1, err);
    tt_buf_char(&out, '}');
    if (rc == TT_OK)
        rc = check(sc, &log, err);
    if (rc == TT_OK)
        rc = tt_buf_check(&out, "log levels", err);
    if (rc == TT_OK)
        (void)!fwrite(out.data, 1, out.len, stdout);
    if (rc == TT_OK && logged.len) /* an error stands alone */
        (void)!fwrite(logged.data, 1, logged.len, stderr);
    tt_buf_fini(&logged);
    tt_scenario_free(sc);
    tt_buf_fini(&out);
    return rc;
}
