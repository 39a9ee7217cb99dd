/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_CONFINE_H
#define TT_CLI_CONFINE_H

/* --sandbox and the limits: from options to a sandbox, and to words. */

#include <stdint.h>

#include "base/buf.h"
#include "cli/cli.h"
#include "plan/plan.h"
#include "sys/proc.h"
#include "sys/sandbox.h"

struct tt_confine_args {
    int sandbox, network; /* network: --allow-network */
    struct tt_words write;
    uint64_t memory, file_size; /* bytes; 0: no limit */
    double cpu_s;
};

extern const struct tt_opt tt_confine_opts[];

/* The sandbox these options ask for, in which `temp` can be written; all zeros
 * when they ask for none. `note` states what will be in force. Lives in
 * cli->arena. */
TT_NODISCARD enum tt_code tt_confine(struct tt_sandbox *out,
                                     struct tt_note *note,
                                     const struct tt_confine_args *a,
                                     const char *temp, const struct tt_cli *cli,
                                     tt_err *err);

/* Which option asks for something, or NULL. */
const char *tt_confine_option(const struct tt_confine_args *a);

/* What the sandbox may have to do with the end of a process, as far as it is
 * known: "; the memory limit of 512 MB was reached". `used` is the memory it
 * held, 0: unknown. */
void tt_confine_put_end(struct tt_buf *b, const struct tt_sandbox *s,
                        const struct tt_proc_result *how, uint64_t used);
/* The same of an error in a process that lives: added to err's message. */
void tt_confine_explain(tt_err *err, const struct tt_sandbox *s);

#endif
