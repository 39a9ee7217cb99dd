/* SPDX-License-Identifier: MIT */
#include "serve/serve.h"

/* Built without libwebsockets. */

enum tt_code tt_serve(const struct tt_serve_opts *o, tt_err *err)
{
    (void)o;
    return tt_fail(err, TT_EUNSUPPORTED,
                   "this tutti was built without the service: install "
                   "libwebsockets (Debian: libwebsockets-dev) and build again");
}
