/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_DIGEST_H
#define TT_SYS_DIGEST_H

/* SHA-256 of a file, as TT_SHA256_HEX characters; links are followed. Returns
 * 0 and "" when it is no regular file or cannot be read. */
int tt_file_digest(const char *path, char *hex);

#endif
