/* SPDX-License-Identifier: MIT */
/* Stands in for h5.c where there is no HDF5. */
#include "results/writer.h"
#include "table/h5.h"

enum tt_code tt_h5_open(tt_writer **out, const struct tt_writer_job *job,
                        tt_err *err)
{
    (void)out;
    return tt_h5_missing("write", job->path, err);
}
