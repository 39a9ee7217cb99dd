/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_REPORT_IMPL_H
#define TT_RESULTS_REPORT_IMPL_H

extern const char tt_report_style[];

#endif
