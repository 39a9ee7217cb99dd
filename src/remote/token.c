/* SPDX-License-Identifier: MIT */
#include "remote/token.h"

#include <string.h>

#include "base/buf.h"
#include "sys/file.h"

static enum tt_code take_line(const char *path, const char *text,
                              char token[TT_TOKEN_MAX], tt_err *err)
{
    size_t n;

    text += strspn(text, " \t\r\n");
    n = strcspn(text, "\r\n");
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    if (n < TT_TOKEN_LEAST || n >= TT_TOKEN_MAX)
        return tt_fail(err, TT_EINPUT,
                       "%s: a token has %d to %d characters, this has %zu",
                       path, TT_TOKEN_LEAST, TT_TOKEN_MAX - 1, n);
    memcpy(token, text, n);
    token[n] = '\0';
    return TT_OK;
}

enum tt_code tt_token_read(const char *path, char token[TT_TOKEN_MAX],
                           tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    if (!path)
        return tt_fail(err, TT_EINPUT,
                       "remote instances need the token of their worker: "
                       "--token-file FILE, or 'tokenFile' in the scenario");
    tt_buf_init(&b, 65536);
    rc = tt_file_read(&b, path, err);
    if (rc == TT_OK)
        rc = take_line(path, b.data ? b.data : "", token, err);
    tt_buf_fini(&b);
    return rc;
}
