/* SPDX-License-Identifier: MIT */
#include "formats/formats.h"

#include "formats/ssp.h"
#include "sys/file.h"

int tt_format_is_ssp(const char *path)
{
    char *ssd;
    int there;

    if (tt_path_ends(path, ".ssp") || tt_path_ends(path, ".ssd"))
        return 1;
    if (!tt_file_is_dir(path))
        return 0;
    ssd = tt_path_join(path, TT_SSP_MAIN ".ssd");
    there = ssd && tt_file_exists(ssd);
    tt_free(ssd);
    return there;
}

enum tt_code tt_format_open(tt_scenario **out, const char *const *path,
                            size_t n, const char *variant,
                            const struct tt_sc_options *o,
                            const struct tt_log *log, tt_err *err)
{
    if (n == 1 && tt_format_is_ssp(path[0]))
        return tt_ssp_open(out, path[0], variant, o, log, err);
    for (size_t i = 0; i < n; i++)
        if (tt_format_is_ssp(path[i]))
            return tt_fail(err, TT_EINPUT,
                           "'%s' is a system structure (SSP) and is read "
                           "alone; settings can be given by options",
                           path[i]);
    if (variant)
        return tt_fail(err, TT_EINPUT,
                       "--variant chooses a system structure of an SSP "
                       "package: there is none");
    return tt_scenario_open(out, path, n, o, log, err);
}
