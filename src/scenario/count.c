/* SPDX-License-Identifier: MIT */
/* A number of something, or the word that stands for as many as it takes. */
#include <string.h>

#include "base/num.h"
#include "scenario/build_impl.h"

static enum tt_code take_number(struct tt_sc_build *b, struct tt_where w,
                                const struct tt_sc_count *c, const char *what,
                                int64_t n)
{
    if (n < 1 || n > c->most)
        return tt_sc_fail(b, w, TT_EINPUT,
                          "%s must be \"%s\" or a number of %s from 1 to %lld, "
                          "not %lld",
                          what, c->word, c->of, (long long)c->most,
                          (long long)n);
    c->set(b, n);
    return TT_OK;
}

static enum tt_code take_word(struct tt_sc_build *b, struct tt_where w,
                              const struct tt_sc_count *c, const char *what,
                              const char *word)
{
    if (strcmp(word, c->word) != 0)
        return tt_sc_fail(b, w, TT_EINPUT,
                          "%s must be \"%s\" or a number of %s from 1 to %lld, "
                          "not '%s'",
                          what, c->word, c->of, (long long)c->most, word);
    c->set(b, 0);
    return TT_OK;
}

enum tt_code tt_sc_count_doc(struct tt_sc_build *b, const struct tt_doc *v,
                             const struct tt_sc_count *c)
{
    int64_t n = 0;
    enum tt_code rc;

    if (v->kind == TT_DOC_TEXT)
        return take_word(b, v->where, c, c->field, v->u.text);
    rc = tt_sc_integer(b, v, &n);
    return rc == TT_OK ? take_number(b, v->where, c, c->field, n) : rc;
}

enum tt_code tt_sc_count_text(struct tt_sc_build *b, const char *text,
                              const struct tt_sc_count *c)
{
    int64_t n;

    if (tt_num_parse_i64(text, &n) == 0)
        return take_number(b, TT_SC_NOWHERE, c, c->option, n);
    return take_word(b, TT_SC_NOWHERE, c, c->option, text);
}
