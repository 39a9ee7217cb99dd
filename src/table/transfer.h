/* SPDX-License-Identifier: MIT */
#ifndef TT_TABLE_TRANSFER_H
#define TT_TABLE_TRANSFER_H

/* A table, or why there is none, from one process to another of this machine.
 * What comes is checked as a file would be. */

#include <stdio.h>

#include "base/buf.h"
#include "table/table.h"

/* 0, or -1: it could not be written. */
int table_send(FILE *to, const tt_table *t);
int table_send_failure(FILE *to, const tt_err *why);
/* The table, or the failure that was sent. TT_ECRASH: what came is neither. */
TT_NODISCARD enum tt_code table_receive(tt_table **out, const char *file,
                                        const struct tt_buf *b, tt_err *err);

#endif
