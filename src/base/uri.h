/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_URI_H
#define TT_BASE_URI_H

/* URIs of files, in any of the forms in use: file:/x, file:///x, file:////x,
 * file://localhost/x. Results are owned by the caller; NULL is out of memory.
 */

#include <stddef.h>

/* %XX to bytes; what is no escape, and %00, stays. */
char *tt_uri_unescape(const char *s);
/* Behind the scheme of n letters, its colon and an empty or local host:
 * borrowed from uri. */
const char *tt_uri_strip(const char *uri, size_t n);
/* The path of a file: URI, unescaped; what is none is a path already. */
char *tt_uri_path(const char *uri);

#endif
