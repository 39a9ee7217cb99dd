/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "api/api_impl.h"
#include "base/mem.h"

const char *tutti_version(void)
{
    return TUTTI_VERSION;
}

void tutti_free(void *text)
{
    tt_free(text);
}

enum tutti_code api_code(enum tt_code rc, const tt_err *err, tutti_error *out)
{
    static const enum tutti_code code[] = {
        [TT_OK] = TUTTI_OK,
        [TT_ENOMEM] = TUTTI_NO_MEMORY,
        [TT_EINPUT] = TUTTI_BAD_INPUT,
        [TT_EIO] = TUTTI_IO,
        [TT_EUNIT] = TUTTI_UNIT_FAILED,
        [TT_EUNSUPPORTED] = TUTTI_UNSUPPORTED,
        [TT_ESTATE] = TUTTI_BAD_STATE,
        [TT_ESTOPPED] = TUTTI_BAD_STATE, /* an end, not an error */
        [TT_ECRASH] = TUTTI_UNIT_FAILED, /* in a process of its own */
    };
    _Static_assert(sizeof(out->message) >= sizeof(err->msg),
                   "a message must fit");

    if (rc != TT_OK && out) {
        out->code = code[rc];
        memcpy(out->message, err->msg, sizeof(err->msg));
    }
    return code[rc];
}

enum tutti_code api_text(enum tt_code rc, const tt_err *err, struct tt_buf *b,
                         char **out, tutti_error *error)
{
    tt_err full;

    if (rc == TT_OK) {
        rc = tt_buf_check(b, "the text", &full);
        err = &full;
    }
    if (rc == TT_OK) {
        char *text = b->len ? tt_buf_take(b) : tt_strdup("");

        if (text)
            *out = text;
        else
            rc = tt_fail(&full, TT_ENOMEM, "out of memory");
    }
    tt_buf_fini(b);
    return api_code(rc, err, error);
}
