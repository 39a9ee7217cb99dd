/* SPDX-License-Identifier: MIT */
/* How many threads may play: "threads", --threads. */
#include "scenario/build_impl.h"

static const struct tt_sc_count threads = {"'threads'", "--threads", "auto",
                                           "threads", TT_SC_THREADS_MAX};

static enum tt_code set(struct tt_sc_build *b, enum tt_code rc, int64_t n)
{
    if (rc == TT_OK)
        b->s->threads = n ? (int)n : TT_SC_THREADS_AUTO;
    return rc;
}

enum tt_code tt_sc_read_threads(struct tt_sc_build *b, const struct tt_doc *v)
{
    int64_t n = 0;
    enum tt_code rc = tt_sc_count_doc(b, v, &threads, &n);

    return set(b, rc, n);
}

enum tt_code tt_sc_set_threads(struct tt_sc_build *b, const char *text)
{
    int64_t n = 0;
    enum tt_code rc = tt_sc_count_text(b, text, &threads, &n);

    return set(b, rc, n);
}
