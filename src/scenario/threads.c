/* SPDX-License-Identifier: MIT */
/* How many threads may play: "threads", --threads. */
#include "scenario/build_impl.h"

static void set(struct tt_sc_build *b, int64_t n)
{
    b->s->threads = n ? (int)n : TT_SC_THREADS_AUTO;
}

static const struct tt_sc_count threads = {
    "'threads'", "--threads", "auto", "threads", TT_SC_THREADS_MAX, set};

enum tt_code tt_sc_read_threads(struct tt_sc_build *b, const struct tt_doc *v)
{
    return tt_sc_count_doc(b, v, &threads);
}

enum tt_code tt_sc_set_threads(struct tt_sc_build *b, const char *text)
{
    return tt_sc_count_text(b, text, &threads);
}
