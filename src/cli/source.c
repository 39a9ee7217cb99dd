/* SPDX-License-Identifier: MIT */
#include "cli/source.h"

#include "cli/filekind.h"

void tt_source_options(const struct tt_source_args *a, struct tt_sc_options *o)
{
    *o = (struct tt_sc_options){
        .set = a->set.word,
        .n_set = a->set.n,
        .start = a->start,
        .end = a->end,
        .step = a->step,
        .sample = a->sample,
        .tolerance = a->tolerance,
        .master = a->master,
        .order = a->order,
        .approximation = a->approximation,
        .substeps = a->substeps,
        .record = a->record.word,
        .n_record = a->record.n,
        .rollback = a->rollback,
        .iterate = a->iterate,
        .acceleration = a->acceleration,
        .real_time = a->real_time,
        .overrun = a->overrun,
        .error_control = a->error_control,
        .step_tolerance = a->step_tolerance,
        .threads = a->threads,
        .dialect = a->dialect,
        .isolate = a->isolate,
        .deadline = a->deadline,
        .no_stop_time = a->no_stop_time,
        .token_file = a->token_file,
        .tls_ca = a->tls_ca,
        .base = a->only_base ? a->only_base : a->base_dir,
        .only_base = a->only_base != NULL,
    };
}

enum tt_code tt_source_load(tt_scenario **out, const struct tt_cli *cli,
                            const struct tt_words *files,
                            const struct tt_source_args *a,
                            const struct tt_log *log, tt_err *err)
{
    struct tt_sc_options o;
    enum tt_code rc;

    if (files->n == 0)
        return tt_fail(err, TT_EINPUT,
                       "'tutti %s' wants a scenario or an FMU: tutti %s %s",
                       cli->cmd->name, cli->cmd->name, cli->cmd->args);
    rc = tt_filekind_expect(files, TT_FILES_MODEL, "a scenario or an FMU", err);
    if (rc != TT_OK)
        return rc;
    tt_source_options(a, &o);
    return tt_scenario_open(out, files->word, files->n, &o, log, err);
}
