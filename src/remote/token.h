/* SPDX-License-Identifier: MIT */
#ifndef TT_REMOTE_TOKEN_H
#define TT_REMOTE_TOKEN_H

/* A token: what a worker wants to see before it does anything. It lies in a
 * file, never on a command line. */

#include "base/err.h"

#define TT_TOKEN_MAX   1024 /* with NUL */
#define TT_TOKEN_LEAST 16   /* shorter ones can be guessed */

/* The first line of the file, without spaces around it. */
TT_NODISCARD enum tt_code tt_token_read(const char *path,
                                        char token[TT_TOKEN_MAX], tt_err *err);

#endif
