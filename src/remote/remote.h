/* SPDX-License-Identifier: MIT */
#ifndef TT_REMOTE_REMOTE_H
#define TT_REMOTE_REMOTE_H

/* Units on another host, reached by TCP through its worker (tutti worker). */

#include "scenario/scenario.h"
#include "unit/unit.h"

extern const struct tt_kind_ops tt_kind_remote;

struct tt_remote {
    const char *host;       /* "host:port" to upload the source to; NULL: the
                               source states where it is */
    const char *token_file; /* what the worker wants to see */
    const char *ca;         /* certificates to trust: the link is encrypted; or
                               NULL: it is not */
    double deadline;        /* s, for one call; 0: none */
};

/* How units of an FMU of the scenario are reached. */
struct tt_remote tt_remote_of(const tt_scenario *s, uint32_t fmu);
/* Is it there, or to be there: "tutti://host:port/name", or a host? What is
 * made of it by clauses is here. */
int tt_remote_is(const struct tt_source *s);

#endif
