/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_REPORT_IMPL_H
#define TT_RESULTS_REPORT_IMPL_H

#include <stddef.h>

extern const char tt_report_style[];

struct tt_report_file { /* embedded by the build; a name of NULL ends them */
    const char *name, *hash;
    const unsigned char *data;
    size_t n;
};
/* report.js and report_live.css */
extern const struct tt_report_file tt_report_files[];

#endif
