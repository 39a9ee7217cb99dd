/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "api/info.h"
#include "api/inventory.h"
#include "cli/cli.h"
#include "cli/filekind.h"
#include "cli/info_structure.h"
#include "cli/print.h"
#include "cli/source.h"
#include "formats/formats.h"
#include "kinds/kinds.h"
#include "scenario/scenario.h"
#include "sys/clock.h"
#include "sys/file.h"

struct args {
    int all, json;
    struct tt_base_args base;
    const char *variant;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_FLAG("-a, --all", all, "every variable, not only the first 50"),
    TT_OPT_FLAG("--json", json, "everything, for machines"),
    TT_OPT_ALL(tt_base_opts, base),
    TT_OPT_VARIANT,
    {0},
};

static enum tt_code describe_devs(struct tt_buf *b, const struct args *a,
                                  const char *path,
                                  const struct tt_info_look *look, tt_err *err)
{
    const struct tt_source source = {.path = path};
    tt_unit_type *type = NULL;
    enum tt_code rc = tt_kind_devs.open(&type, &source, err);

    if (rc != TT_OK)
        return rc;
    if (a->json)
        tt_info_desc_json(b, path, &type->desc);
    else
        rc = tt_info_desc_text(b, path, &type->desc, look, err);
    tt_kind_devs.close(type);
    return rc;
}

static enum tt_code describe(struct tt_buf *b, const struct args *a,
                             const char *path, tt_err *err)
{
    const struct tt_info_look look = {.all = a->all,
                                      .colours = tt_print_colours(1),
                                      .width = (size_t)tt_tty_width(1)};
    tt_fmu *fmu = NULL;
    enum tt_code rc;

    if (tt_devs_is(path))
        return describe_devs(b, a, path, &look, err);
    rc = tt_fmu_open_any(&fmu, path, err);
    if (rc == TT_OK)
        rc = a->json ? tt_info_json(b, fmu, err)
                     : tt_info_text(b, fmu, &look, err);
    tt_fmu_close(fmu);
    return rc;
}

static enum tt_code list(struct tt_buf *b, const struct tt_words *files,
                         const struct tt_sc_options *o, tt_err *err)
{
    struct tt_inventory v;
    enum tt_code rc = tt_inventory_load(&v, files->word, files->n, o->base,
                                        o->only_base, err);

    if (rc == TT_OK)
        tt_inventory_json(b, &v);
    tt_inventory_fini(&v);
    return rc;
}

static enum tt_code check(const struct args *a, const struct tt_words *files,
                          tt_err *err)
{
    if (a->json)
        return TT_OK; /* all that a scenario may have, each with its own words
                       */
    if (files->n == 1 &&
        (tt_devs_is(files->word[0]) || tt_format_is_ssp(files->word[0])))
        return TT_OK;
    if (files->n == 1 && tt_path_ends(files->word[0], ".json"))
        return tt_fail(err, TT_EINPUT,
                       "%s: a scenario, not an FMU: 'tutti check' shows what "
                       "is in it, 'tutti info --json' lists its instances",
                       files->word[0]);
    return tt_filekind_expect(files, TT_FILE_FMU, "an FMU", err);
}

static enum tt_code show(struct tt_buf *b, const struct args *a,
                         const struct tt_words *files, tt_err *err)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;

    tt_base_set(&o, &a->base);
    if (files->n == 1 && tt_format_is_ssp(files->word[0]))
        return tt_info_structure(b, files->word[0],
                                 &(struct tt_info_ask){.variant = a->variant,
                                                       .json = a->json,
                                                       .o = &o},
                                 err);
    if (a->variant)
        return tt_fail(err, TT_EINPUT,
                       "--variant chooses a system structure of an SSP "
                       "package: there is none");
    if (files->n == 1 && !o.base &&
        (!a->json || tt_scenario_is_alone(files->word[0])))
        return describe(b, a, files->word[0], err);
    if (a->json && files->n > 0)
        return list(b, files, &o, err);
    return tt_fail(err, TT_EINPUT,
                   "'tutti info' needs one FMU: tutti info MODEL.fmu; with "
                   "--json also a scenario or several FMUs");
}

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_buf b;
    enum tt_code rc = check(a, &cli->words, err);

    tt_buf_init(&b, TT_SHOW_MAX);
    if (rc == TT_OK)
        rc = show(&b, a, &cli->words, err);
    return tt_cmd_print(cli, &b, rc);
}

const struct tt_cmd_call tt_cmd_info = {
    .args = {sizeof(struct args), options, NULL},
    .files = {.most = UINT32_MAX},
    .exec = exec,
};
