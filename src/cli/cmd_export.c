/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/filekind.h"
#include "cli/say.h"
#include "export/export.h"
#include "sys/child.h"
#include "sys/file.h"

struct args {
    const char *output, *fmi;
    int force, quiet;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    {"output", 'o', TT_OPT_TEXT, AT(output), "FILE.fmu", "where to write"},
    {"fmi", 0, TT_OPT_TEXT, AT(fmi), "VERSION", "2 (the default) or 3"},
    {"force", 'f', TT_OPT_FLAG, AT(force), NULL, "overwrite an existing file"},
    {"quiet", 'q', TT_OPT_FLAG, AT(quiet), NULL,
     "say nothing but warnings and errors"},
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
    tt_free(self);
    tt_free(dir);
    return *path ? TT_OK : tt_fail(err, TT_ENOMEM, "out of memory");
}

static enum tt_code read_version(const struct args *a, int *fmi, tt_err *err)
{
    *fmi = 2;
    if (!a->fmi || strcmp(a->fmi, "2") == 0)
        return TT_OK;
    *fmi = 3;
    if (strcmp(a->fmi, "3") == 0)
        return TT_OK;
    return tt_fail(err, TT_EINPUT, "--fmi is 2 or 3, not '%s'", a->fmi);
}

static enum tt_code check_files(const struct args *a,
                                const struct tt_words *files, tt_err *err)
{
    enum tt_code rc;
    size_t n;

    if (files->n != 1)
        return tt_fail(err, TT_EINPUT,
                       "'tutti export' wants one scenario: tutti export S.json "
                       "-o X.fmu");
    rc = tt_filekind_expect(files, TT_FILE_SCENARIO | TT_FILE_JSON,
                            "a scenario", err);
    if (rc != TT_OK)
        return rc;
    n = strlen(files->word[0]);
    if (n < 5 || strcmp(files->word[0] + n - 5, ".json") != 0)
        return tt_fail(err, TT_EINPUT, "%s: a scenario's name ends in .json",
                       files->word[0]);
    if (!a->output)
        return tt_fail(err, TT_EINPUT, "where to? -o X.fmu says so");
    n = strlen(a->output);
    if (n < 4 || strcmp(a->output + n - 4, ".fmu") != 0)
        return tt_fail(err, TT_EINPUT, "%s: an FMU's name ends in .fmu",
                       a->output);
    if (!a->force && tt_file_exists(a->output))
        return tt_fail(err, TT_EINPUT, "%s exists; --force overwrites it",
                       a->output);
    return TT_OK;
}

static void note(void *ctx, const struct tt_log_record *r)
{
    const struct args *a = ctx;

    if (r->level >= TT_LOG_WARN)
        tt_say_warning("%s", r->text);
    else if (!a->quiet)
        fprintf(stderr, "note: %s\n", r->text);
}

static enum tt_exit exec(const struct tt_cli *cli)
{
    struct args a = {0};
    struct tt_log log = {.sink_cb = note, .ctx = &a, .least = TT_LOG_NOTE};
    struct tt_export x = {.log = &log};
    struct tt_exported made = {0};
    struct tt_words files;
    char *engine = NULL;
    tt_err err;
    enum tt_code rc = tt_opts_parse(cli, &a, &files, &err);

    if (rc == TT_OK)
        rc = read_version(&a, &x.fmi, &err);
    if (rc == TT_OK)
        rc = check_files(&a, &files, &err);
    if (rc == TT_OK)
        rc = find_engine(x.fmi, &engine, &err);
    if (rc == TT_OK) {
        x.scenario = files.word[0];
        x.output = a.output;
        x.engine = engine;
        rc = tt_export_write(&x, &made, &err);
    }
    tt_free(engine);
    if (rc != TT_OK)
        return tt_say_error(&err);
    if (!a.quiet)
        printf("%s: FMI %d, %u variable%s, %u FMU%s inside\n", a.output, x.fmi,
               made.n_variable, made.n_variable == 1 ? "" : "s", made.n_fmu,
               made.n_fmu == 1 ? "" : "s");
    return TT_EXIT_OK;
}

const struct tt_cmd tt_cmd_export = {
    .name = "export",
    .args = "SCENARIO.json -o FILE.fmu",
    .brief = "make one FMU of a scenario",
    .text =
        "The FMU holds the scenario, its FMUs and the engine that plays them;\n"
        "any FMI tool can load it, and needs nothing else. Its variables are\n"
        "the scenario's ports, else all unconnected inputs, all outputs and\n"
        "all parameters.",
    .example = "  tutti export plant.json -o plant.fmu\n"
               "  tutti export plant.json -o plant.fmu --fmi 3",
    .opt = options,
    .exec = exec,
};
