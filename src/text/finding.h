/* SPDX-License-Identifier: MIT */
#ifndef TT_TEXT_FINDING_H
#define TT_TEXT_FINDING_H

/* Findings: what a reader or a checker has to report about a file, with its
 * line.
 *
 * Severity states how the file stands to the standard: ERROR breaks a "must",
 * WARNING is unclear or against a recommendation, NOTE is worth knowing. It
 * does not state whether we can go on: real FMUs break many rules and their
 * meaning is still clear. Only what has no meaning is `fatal`; a caller that
 * wants to run the thing refuses it with tt_findings_fail().
 *
 * Of one rule at most TT_FINDING_SAME are kept; a list that left some out
 * states it in a last note of that rule (tt_findings_finish). A list belongs to
 * one thread. Running out of memory is remembered and reported by finish.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define TT_FINDING_SAME 100 /* findings of one rule that are kept */

enum tt_severity {
    TT_SEV_ERROR,
    TT_SEV_WARNING,
    TT_SEV_NOTE,
};

struct tt_finding {
    enum tt_severity severity;
    int fatal;        /* has no meaning: cannot be simulated */
    int line;         /* 0 when not known */
    const char *rule; /* stable id such as "FMI2-VR-TYPE", static storage */
    const char *text; /* one sentence, no newline, no full stop */
};

struct tt_findings {
    struct tt_finding *item; /* owned */
    size_t n, cap;
    size_t error_n, warning_n, fatal_n; /* those left out are counted too */
    tt_arena *arena;                    /* owned: the texts */
    struct tt_finding_rule *rule;       /* owned: how often each was met */
    size_t rule_n, rule_cap;
    int failed; /* out of memory */
};

void tt_findings_init(struct tt_findings *f);
void tt_findings_fini(struct tt_findings *f);

/* Add one. `rule` must be a string literal. */
TT_PRINTF(5, 6)
void tt_findings_add(struct tt_findings *f, enum tt_severity severity, int line,
                     const char *rule, const char *fmt, ...);
/* The same for what has no meaning: an error that is also fatal. */
TT_PRINTF(4, 5)
void tt_findings_fatal(struct tt_findings *f, int line, const char *rule,
                       const char *fmt, ...);
/* Whether one more of that rule would be left out: then its text need not be
 * worked out with care. */
int tt_findings_full(const struct tt_findings *f, const char *rule);
/* Append copies of all findings of `from` (finished), so that it may go
 * away. */
void tt_findings_copy(struct tt_findings *f, const struct tt_findings *from);

/* Sort by line, note what was left out; TT_ENOMEM when memory ran out. */
TT_NODISCARD enum tt_code tt_findings_finish(struct tt_findings *f,
                                             tt_err *err);

/* TT_OK when nothing is fatal, else TT_EINPUT with the first fatal finding as
 * "line 12: text [RULE]" (and how many more there are). */
TT_NODISCARD enum tt_code tt_findings_fail(const struct tt_findings *f,
                                           tt_err *err);

const char *tt_severity_name(enum tt_severity s); /* "error", ... */

#endif
