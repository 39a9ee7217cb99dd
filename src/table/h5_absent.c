/* SPDX-License-Identifier: MIT */
/* Stands in for h5.c where there is no HDF5. */
#include "table/h5.h"
#include "table/table_impl.h"

int tt_h5_is_there(void)
{
    return 0;
}

enum tt_code tt_h5_missing(const char *verb, const char *path, tt_err *err)
{
    return tt_fail(err, TT_EINPUT,
                   "cannot %s %s: this Tutti was built without HDF5; install "
                   "libhdf5-dev and build again, or use .csv or .mat",
                   verb, path);
}

enum tt_code table_load_h5(tt_table **out, const char *path, tt_err *err)
{
    (void)out;
    return tt_h5_missing("read", path, err);
}
