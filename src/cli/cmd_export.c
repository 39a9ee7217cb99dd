/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "adapt/adapt.h"
#include "cli/cli.h"
#include "cli/exporting.h"
#include "cli/print.h"
#include "export/export.h"
#include "formats/formats.h"
#include "sys/child.h"
#include "sys/file.h"
#include "sys/temp.h"

struct args {
    struct tt_exporting fmu;
    const char *ssp, *variant;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_ALL(tt_new_fmu_opts, fmu.to),
    TT_OPT_TEXT("--fmi VERSION", fmu.fmi, "2 (the default) or 3"),
    TT_OPT_TEXT("--only-base FOLDER", fmu.only_base,
                "where FMUs are; others are refused"),
    TT_OPT_TEXT("--ssp VERSION", ssp,
                "of FILE.ssp or FILE.zip: 1.0 (the default) or 2.0"),
    TT_OPT_VARIANT,
    {0},
};

/* Beside this program, as it is built, or where it is installed. */
static enum tt_code find_engine(int fmi, char **path, tt_err *err)
{
    static const char *const folder[] = {"", TT_PLUGIN_DIR};
    char *self = NULL, *dir = NULL;
    enum tt_code rc = tt_child_self(&self, err);

    if (rc != TT_OK)
        return rc;
    dir = tt_path_dir(self);
    for (size_t i = 0; dir && i < 2 && (i == 0 || !tt_file_exists(*path));
         i++) {
        char *in = tt_path_join(dir, folder[i]);

        if (i)
            tt_free(*path);
        *path = in ? tt_path_join(in, tt_export_engine_name(fmi)) : NULL;
        tt_free(in);
        if (!*path)
            break;
    }
    TT_FREE_ALL(self, dir);
    return *path ? TT_OK : tt_fail(err, TT_ENOMEM, "out of memory");
}

static enum tt_code read_version(const struct tt_exporting *a, int *fmi,
                                 tt_err *err)
{
    *fmi = 2;
    if (!a->fmi || strcmp(a->fmi, "2") == 0)
        return TT_OK;
    *fmi = 3;
    if (strcmp(a->fmi, "3") == 0)
        return TT_OK;
    return tt_fail(err, TT_EINPUT, "--fmi is 2 or 3, not '%s'", a->fmi);
}

enum tt_code tt_exporting_write(const struct tt_exporting *a,
                                const char *scenario, tt_err *err)
{
    struct tt_log log = {.sink_cb = tt_print_record,
                         .least = a->to.quiet ? TT_LOG_WARN : TT_LOG_NOTE};
    struct tt_export x = {.log = &log,
                          .scenario = scenario,
                          .output = a->to.output,
                          .only_base = a->only_base};
    struct tt_exported made = {0};
    char *engine = NULL;
    enum tt_code rc = read_version(a, &x.fmi, err);

    if (rc == TT_OK)
        rc = tt_new_fmu_check(&a->to, err);
    if (rc == TT_OK)
        rc = find_engine(x.fmi, &engine, err);
    x.engine = engine;
    if (rc == TT_OK)
        rc = tt_export_write(&x, &made, err);
    tt_free(engine);
    if (rc == TT_OK && !a->to.quiet)
        printf("%s: FMI %d, %u variable%s, %u FMU%s inside\n", a->to.output,
               x.fmi, made.n_variable, made.n_variable == 1 ? "" : "s",
               made.n_fmu, made.n_fmu == 1 ? "" : "s");
    return rc;
}

/* A system structure instead of an FMU. */
static enum tt_code write_ssp(const struct args *a,
                              const struct tt_words *files, tt_err *err)
{
    const struct tt_new_fmu *to = &a->fmu.to;
    struct tt_log log = {.sink_cb = tt_print_record,
                         .least = to->quiet ? TT_LOG_WARN : TT_LOG_NOTE};
    struct tt_format_target t = {.path = to->output,
                                 .version = a->ssp,
                                 .log = &log,
                                 .moved_cb = tt_adapt_moved};
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    tt_scenario *s = NULL;
    enum tt_code rc = tt_filekind_new(t.path, to->force, err);

    o.base = a->fmu.only_base;
    o.only_base = o.base != NULL;
    if (rc == TT_OK && a->fmu.fmi)
        rc = tt_fail(err, TT_EINPUT, "--fmi is of FMUs, and '%s' is none",
                     t.path);
    if (rc == TT_OK)
        rc = tt_format_open(&s, files->word, files->n, a->variant, &o, &log,
                            err);
    if (rc == TT_OK)
        rc = tt_format_write(s, &t, err);
    if (rc == TT_OK && !to->quiet)
        printf("%s: SSP %s, %u FMU%s inside\n", t.path, t.version, t.n_inside,
               t.n_inside == 1 ? "" : "s");
    tt_scenario_free(s);
    return rc;
}

/* Where one of another format is written as a scenario: it names the FMU. */
static char *scenario_in(const char *folder, const char *path)
{
    const char *base = tt_path_base(path), *dot = strrchr(base, '.');
    struct tt_buf b;
    char *name;

    tt_buf_init(&b, TT_ERR_MAX);
    tt_buf_fmt(&b, "%s/", folder);
    tt_buf_add(&b, base,
               dot && dot > base ? (size_t)(dot - base) : strlen(base));
    tt_buf_str(&b, ".json");
    name = tt_buf_take(&b);
    tt_buf_fini(&b);
    return name;
}

/* An FMU of a scenario in another format: it becomes one of ours first. */
static enum tt_code write_other(const struct args *a, const char *path,
                                tt_err *err)
{
    struct tt_log log = {.sink_cb = tt_print_record, .least = TT_LOG_WARN};
    struct tt_temp temp = {0};
    tt_scenario *s = NULL;
    char *json = NULL;
    enum tt_code rc = tt_format_open(&s, &path, 1, a->variant, NULL, &log, err);

    if (rc == TT_OK)
        rc = tt_temp_open(&temp, err);
    if (rc == TT_OK && !(json = scenario_in(temp.path, path)))
        rc = tt_fail(err, TT_ENOMEM, "out of memory");
    if (rc == TT_OK) {
        struct tt_format_target t = {
            .path = json, .log = &log, .moved_cb = tt_adapt_moved};

        rc = tt_format_write(s, &t, err);
    }
    if (rc == TT_OK)
        rc = tt_exporting_write(&a->fmu, json, err);
    tt_free(json);
    tt_temp_close(&temp);
    tt_scenario_free(s);
    return rc;
}

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    const char *path = cli->words.word[0], *to = a->fmu.to.output;
    int fmi;
    enum tt_code rc;

    if (to && (tt_path_ends(to, ".ssp") || tt_path_ends(to, ".zip")))
        return write_ssp(a, &cli->words, err);
    rc = read_version(&a->fmu, &fmi, err);
    if (rc == TT_OK && cli->words.n > 1)
        rc = tt_fail(err, TT_EINPUT,
                     "an FMU is made of one scenario; several files become one "
                     "with 'tutti convert', or one package: -o FILE.ssp");
    if (rc != TT_OK)
        return rc;
    if (tt_path_ends(path, ".json"))
        return tt_exporting_write(&a->fmu, path, err);
    if (tt_scformat_of(path))
        return write_other(a, path, err);
    return tt_fail(err, TT_EINPUT, "%s: a scenario's name ends in .json", path);
}

const struct tt_cmd_call tt_cmd_export = {
    .args = {sizeof(struct args), options, NULL},
    .files = {1, UINT32_MAX,
              TT_FILE_SCENARIO | TT_FILE_JSON | TT_FILE_SSP | TT_FILE_OSP,
              "a scenario", "a scenario"},
    .exec = exec,
};
