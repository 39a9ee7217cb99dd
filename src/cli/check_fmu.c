/* SPDX-License-Identifier: MIT */
#include "api/check.h"
#include "cli/check.h"
#include "cli/print.h"
#include "cli/walk.h"
#include "fmi/fmu.h"
#include "sys/proc.h"

static enum tt_exit show(const struct tt_check_args *a,
                         const struct tt_check *c)
{
    enum tt_exit code = tt_check_ok(c) ? TT_EXIT_OK : TT_EXIT_USAGE;
    struct tt_buf b;

    tt_buf_init(&b, TT_SHOW_MAX);
    if (a->json)
        tt_check_json(&b, c);
    else if (!a->quiet)
        tt_check_text(&b, c, tt_print_colours(1));
    code = tt_print_out(&b, code);
    tt_buf_fini(&b);
    return code;
}

enum tt_code tt_check_fmu(struct tt_cli *cli, const struct tt_check_args *a,
                          tt_err *err)
{
    const char *path = cli->words.word[0];
    struct tt_walk *w = NULL;
    struct tt_findings f;
    struct tt_check c = {.path = path, .findings = &f, .strict = a->strict};
    tt_fmu *fmu = NULL;
    enum tt_code rc = tt_fmu_open_any(&fmu, path, err);

    tt_findings_init(&f);
    if (rc == TT_OK) {
        c.md = tt_fmu_md(fmu);
        rc = tt_md_check(c.md, tt_fmu_archive(fmu), &f, err);
    }
    if (rc == TT_OK && a->walk) {
        w = tt_shared_alloc(sizeof(*w));
        rc = w ? tt_walk(w, path, err)
               : tt_fail(err, TT_ENOMEM, "checking %s: out of memory", path);
        c.walk = w ? &w->found : NULL;
    }
    if (rc == TT_OK)
        cli->exit = show(a, &c);
    tt_shared_free(w, sizeof(*w));
    tt_findings_fini(&f);
    tt_fmu_close(fmu);
    return rc;
}
