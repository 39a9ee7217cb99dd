/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "adapt/adapt.h"
#include "cli/cli.h"
#include "cli/filekind.h"
#include "cli/print.h"
#include "cli/source.h"
#include "formats/formats.h"
#include "sys/file.h"

struct args {
    const char *output, *variant, *version;
    struct tt_base_args base;
    int force, quiet, strict, nested;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_TEXT("-o, --output FILE", output,
                "where to write; the ending states the format"),
    TT_OPT_VARIANT,
    TT_OPT_FLAG("--nested", nested,
                "systems of an SSP are scenarios inside, not flattened"),
    TT_OPT_TEXT("--ssp VERSION", version, "write SSP 1.0 (the default) or 2.0"),
    TT_OPT_ALL(tt_base_opts, base),
    TT_OPT_FLAG("--strict", strict,
                "write nothing when the format cannot express all of it"),
    TT_OPT_FORCE,
    TT_OPT_FLAG("-q, --quiet", quiet, "print warnings and errors only"),
    {0},
};

static enum tt_code check_output(const struct args *a, const char *input,
                                 tt_err *err)
{
    if (!a->output)
        return tt_fail(err, TT_EINPUT, "missing -o FILE");
    if (tt_file_same(input, a->output))
        return tt_fail(err, TT_EINPUT, "%s: that is the file to convert",
                       a->output);
    return tt_filekind_new(a->output, a->force, err);
}

/* Counts warnings: what is read differently is not lost in writing, and is not
 * as it was. */
static void count(void *ctx, const struct tt_log_record *r)
{
    uint32_t *n = ctx;

    *n += r->level >= TT_LOG_WARN;
    tt_print_record(NULL, r);
}

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

static enum tt_code settle(const struct args *a,
                           const struct tt_format_target *t, uint32_t n_read,
                           tt_err *err)
{
    if (t->n_lost && a->strict) {
        (void)remove(a->output);
        return tt_fail(err, TT_EUNSUPPORTED,
                       "%s: not written, because --strict is given and %u "
                       "thing%s cannot be expressed",
                       a->output, t->n_lost, plural(t->n_lost));
    }
    if (!a->quiet && t->n_lost)
        printf("%s: written; %u thing%s cannot be expressed, see the "
               "warnings\n",
               a->output, t->n_lost, plural(t->n_lost));
    else if (!a->quiet && n_read)
        printf("%s: written as it was read, with %u warning%s\n", a->output,
               n_read, plural(n_read));
    else if (!a->quiet)
        printf("%s: written, and nothing is lost\n", a->output);
    return TT_OK;
}

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    uint32_t n_warned = 0, n_read;
    const struct tt_log log = {.sink_cb = count,
                               .ctx = &n_warned,
                               .least = a->quiet ? TT_LOG_WARN : TT_LOG_NOTE};
    struct tt_format_target t = {.path = a->output,
                                 .version = a->version,
                                 .log = &log,
                                 .moved_cb = tt_adapt_moved};
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    tt_scenario *s = NULL;
    enum tt_code rc = check_output(a, cli->words.word[0], err);

    o.nested = a->nested;
    tt_base_set(&o, &a->base);
    if (rc == TT_OK)
        rc = tt_format_open(&s, cli->words.word, cli->words.n, a->variant, &o,
                            &log, err);
    n_read = n_warned;
    if (rc == TT_OK)
        rc = tt_format_write(s, &t, err);
    tt_scenario_free(s);
    return rc == TT_OK ? settle(a, &t, n_read, err) : rc;
}

const struct tt_cmd_call tt_cmd_convert = {
    .args = {sizeof(struct args), options, NULL},
    .files = {1, UINT32_MAX, TT_FILES_MODEL | TT_FILE_XML, "a scenario",
              "a scenario, a system structure or an FMU"},
    .exec = exec,
};
