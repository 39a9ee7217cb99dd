/* SPDX-License-Identifier: MIT */
#include "serve/serve.h"

/* Built without libwebsockets, OpenSSL or Jansson. */

static enum tt_code absent(tt_err *err)
{
    return tt_fail(err, TT_EUNSUPPORTED,
                   "this tutti was built without the service: 'make build' "
                   "installs what it needs (libwebsockets, OpenSSL, Jansson) "
                   "and builds it");
}

enum tt_code tt_serve(const struct tt_serve_opts *o, tt_err *err)
{
    (void)o;
    return absent(err);
}

void tt_serve_guards(const struct tt_serve_opts *o, struct tt_buf *b)
{
    (void)o;
    (void)b;
}

enum tt_code tt_serve_pack(const struct tt_serve_opts *o, const char *file,
                           tt_err *err)
{
    (void)o;
    (void)file;
    return absent(err);
}

enum tt_code tt_serve_levels(const struct tt_serve_opts *o, const char *file,
                             tt_err *err)
{
    (void)o;
    (void)file;
    return absent(err);
}

enum tt_code tt_serve_steps(const char *trace, uint64_t points,
                            struct tt_buf *out, tt_err *err)
{
    (void)trace;
    (void)points;
    (void)out;
    return absent(err);
}

enum tt_code tt_serve_events(const char *list,
                             const struct tt_serve_event_query *q,
                             struct tt_buf *out, tt_err *err)
{
    (void)list;
    (void)q;
    (void)out;
    return absent(err);
}
