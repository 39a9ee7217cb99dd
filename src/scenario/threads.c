/* SPDX-License-Identifier: MIT */
/* How many threads may play: "threads", --threads. */
#include "scenario/build_impl.h"

#include <string.h>

#include "base/num.h"

static enum tt_code set_number(struct tt_sc_build *b, struct tt_where w,
                               const char *what, int64_t n)
{
    if (n < 1 || n > TT_SC_THREADS_MAX)
        return tt_sc_fail(b, w, TT_EINPUT,
                          "%s must be \"auto\" or a number of threads from 1 "
                          "to %d, not %lld",
                          what, TT_SC_THREADS_MAX, (long long)n);
    b->s->threads = (int)n;
    return TT_OK;
}

static enum tt_code set_word(struct tt_sc_build *b, struct tt_where w,
                             const char *what, const char *word)
{
    if (strcmp(word, "auto") != 0)
        return tt_sc_fail(b, w, TT_EINPUT,
                          "%s must be \"auto\" or a number of threads from 1 "
                          "to %d, not '%s'",
                          what, TT_SC_THREADS_MAX, word);
    b->s->threads = TT_SC_THREADS_AUTO;
    return TT_OK;
}

enum tt_code tt_sc_read_threads(struct tt_sc_build *b, const struct tt_doc *v)
{
    int64_t n;
    enum tt_code rc;

    if (v->kind == TT_DOC_TEXT)
        return set_word(b, v->where, "'threads'", v->u.text);
    rc = tt_sc_integer(b, v, &n);
    return rc == TT_OK ? set_number(b, v->where, "'threads'", n) : rc;
}

enum tt_code tt_sc_set_threads(struct tt_sc_build *b, const char *text)
{
    int64_t n;

    if (tt_num_parse_i64(text, &n) == 0)
        return set_number(b, TT_SC_NOWHERE, "--threads", n);
    return set_word(b, TT_SC_NOWHERE, "--threads", text);
}
