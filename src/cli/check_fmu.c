/* SPDX-License-Identifier: MIT */
#include "api/check.h"
#include "cli/check.h"
#include "cli/say.h"
#include "cli/walk.h"
#include "fmi/fmu.h"
#include "sys/proc.h"

static enum tt_exit show(const struct tt_check_args *a,
                         const struct tt_check *c)
{
    enum tt_exit code = tt_check_ok(c) ? TT_EXIT_OK : TT_EXIT_USAGE;
    struct tt_buf b;

    tt_buf_init(&b, TT_SAY_MAX);
    if (a->json)
        tt_check_json(&b, c);
    else if (!a->quiet)
        tt_check_text(&b, c, tt_say_colours(1));
    code = tt_say_out(&b, code);
    tt_buf_fini(&b);
    return code;
}

enum tt_exit tt_check_fmu(const struct tt_check_args *a, const char *path)
{
    struct tt_walk *w = NULL;
    struct tt_findings f;
    struct tt_check c = {.path = path, .findings = &f, .strict = a->strict};
    tt_fmu *fmu = NULL;
    enum tt_exit code;
    tt_err err;
    enum tt_code rc = tt_fmu_open_any(&fmu, path, &err);

    tt_findings_init(&f);
    if (rc == TT_OK) {
        c.md = tt_fmu_md(fmu);
        rc = tt_md_check(c.md, tt_fmu_archive(fmu), &f, &err);
    }
    if (rc == TT_OK && a->walk) {
        w = tt_shared_alloc(sizeof(*w));
        rc = w ? tt_walk(w, path, &err)
               : tt_fail(&err, TT_ENOMEM, "checking %s: out of memory", path);
        c.walk = w ? &w->found : NULL;
    }
    code = rc == TT_OK ? show(a, &c) : tt_say_error(&err);
    tt_shared_free(w, sizeof(*w));
    tt_findings_fini(&f);
    tt_fmu_close(fmu);
    return code;
}
