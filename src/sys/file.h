/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_FILE_H
#define TT_SYS_FILE_H

/* Files and folders. Every function leaves the working directory and the
 * environment alone. Messages name the path and the system's reason. A missing
 * file is TT_EINPUT, other troubles of the machine are TT_EIO. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"

/* Read a whole file into b (appending); b->max is the limit. */
TT_NODISCARD enum tt_code tt_file_read(struct tt_buf *b, const char *path,
                                       tt_err *err);

/* Write a whole file: to a temporary neighbour first, then renamed, so that a
 * reader or a full disk never sees half of it. Links are followed; what is
 * not a regular file (/dev/stdout) is written in place. */
TT_NODISCARD enum tt_code tt_file_write(const char *path, const void *data,
                                        size_t n, tt_err *err);
struct tt_buf;
/* The same of text, if all of it found room. */
TT_NODISCARD enum tt_code
tt_file_write_buf(const char *path, const struct tt_buf *b, tt_err *err);

/* As tt_file_write, and it survives the end of the machine: synced, then
 * renamed to its name. */
TT_NODISCARD enum tt_code tt_file_write_durable(const char *path,
                                                const void *data, size_t n,
                                                tt_err *err);
/* Work in this folder from now on; 0, or -1. */
int tt_dir_enter(const char *path);

/* The first bytes of a regular file, at most n; how many. 0: none can be read.
 */
size_t tt_file_head(const char *path, void *out, size_t n);
int tt_file_exists(const char *path);
int tt_file_is_dir(const char *path);
int tt_file_is_pipe(const char *path); /* with a name; or a socket */
/* Is there something that is no regular file? A link is none. */
int tt_file_is_special(const char *path);
int tt_file_same(const char *a, const char *b); /* one file, by two names */
/* Create a folder and its parents; existing ones are fine. */
TT_NODISCARD enum tt_code tt_dir_make(const char *path, tt_err *err);
/* A fresh private folder (mode 0700) below $TMPDIR or /tmp. *path is owned by
 * the caller (tt_free). */
TT_NODISCARD enum tt_code tt_dir_temp(char **path, tt_err *err);
/* The same below a given folder. */
TT_NODISCARD enum tt_code tt_dir_temp_in(char **path, const char *below,
                                         tt_err *err);
/* Remove a folder (or file) and all in it, not following links. Missing is
 * fine. Folders may lie in each other to any depth. */
TT_NODISCARD enum tt_code tt_dir_remove(const char *path, tt_err *err);

/* Call fn for each entry of a folder but "." and "..", in sorted order. */
typedef enum tt_code (*tt_dir_fn)(void *ctx, const char *name, tt_err *err);
TT_NODISCARD enum tt_code tt_dir_list(const char *path, tt_dir_fn fn, void *ctx,
                                      tt_err *err);

/* The same of folders that others write to, units for instance: no part of the
 * path may be a link, since another user could have put one there. Paths begin
 * with a place of ours (tt_path_real), which has none.
 *
 * Read a whole file, a regular one; a pipe is not waited for. */
TT_NODISCARD enum tt_code tt_file_read_plain(struct tt_buf *b, const char *path,
                                             tt_err *err);
/* Open a regular file for reading, and report its size. Links, pipes and
 * devices are refused, and nothing is waited for. -1: it is not there, or not
 * such a file. */
int tt_file_open_plain(const char *path, uint64_t *size);
/* By this path the same file can be opened again while fd is open, whatever
 * has come in its place. */
#define TT_FD_PATH 32
void tt_fd_path(char out[TT_FD_PATH], int fd);
/* Write a whole file, as tt_file_write; whatever is there is replaced. */
TT_NODISCARD enum tt_code tt_file_replace(const char *path, const void *data,
                                          size_t n, tt_err *err);
/* Create a folder that is not there yet, and the one it is in if need be. */
TT_NODISCARD enum tt_code tt_dir_make_new(const char *path, tt_err *err);
TT_NODISCARD enum tt_code tt_dir_remove_plain(const char *path, tt_err *err);
TT_NODISCARD enum tt_code tt_dir_list_plain(const char *path, tt_dir_fn fn,
                                            void *ctx, tt_err *err);

/* Bytes of all files in a folder, to any depth; what cannot be looked at counts
 * nothing. Stops counting above `enough`. */
uint64_t tt_dir_size(const char *path, uint64_t enough);

/* A neighbour whose name was probably meant where `path` does not exist: one
 * that is called nearly the same, or the same with an ending. Owned by the
 * caller, with the folder as it was written; NULL: there is none. */
char *tt_file_nearest(const char *path);
/* State that it cannot be read, for errno, and which one was probably meant. */
enum tt_code tt_file_fail_read(tt_err *err, const char *path);

/* Where programs of this user keep what they can do without ($XDG_CACHE_HOME or
 * ~/.cache). Owned by the caller; NULL: nowhere. */
char *tt_dir_cache(void);
/* The SHA-256 of a file's content, in hexadecimal. */
TT_NODISCARD enum tt_code tt_file_sha256(const char *path,
                                         char hex[TT_SHA256_HEX], tt_err *err);

/* Paths, as text: all results are owned by the caller; NULL is out of memory.
 * join: b alone when b is absolute or a is NULL or empty. */
char *tt_path_join(const char *a, const char *b);
char *tt_path_dir(const char *path);        /* "." when there is none */
const char *tt_path_base(const char *path); /* after the last '/', borrowed */
int tt_path_ends(const char *path, const char *ending); /* after a name */
char *tt_path_absolute(const char *path); /* against the working directory */
char *tt_path_real(const char *path); /* without links; NULL: also when it is
                                         not there */

/* Is this path, which may not exist yet, below that folder, when all links are
 * followed? The folder itself is not. */
int tt_path_is_below(const char *path, const char *dir);

/* Cut an open file to this many bytes. What has no length to cut, such as a
 * device, stays as it is. 0, or an errno. */
int tt_file_cut(FILE *f, uint64_t size);
/* Open a regular file to go on writing it, unbuffered, as it is; a link is
 * refused, since what it leads to would be cut. */
TT_NODISCARD enum tt_code tt_file_open_again(FILE **out, const char *path,
                                             tt_err *err);
/* Everything written to this file, and its name, survives the machine's
 * failure. 0, or an errno. */
int tt_file_sync(FILE *f, const char *path);
int tt_file_sync_fd(int fd, const char *path);
/* Put a file in the place of another, whole or not at all. 0, or an errno. */
int tt_file_rename(const char *from, const char *to);
/* See to it that a file takes n more bytes after the first `from`; its size
 * stays. 0, or the errno that states why it would not; also 0 where the file
 * system does not know. */
int tt_file_reserve(int fd, uint64_t from, uint64_t n);
/* Give back what was reserved and not used. */
void tt_file_trim(const char *path);

/* Append-only output file: unbuffered writes that are complete or an error.
 * Opening empties an existing file. */
typedef struct tt_out tt_out;
TT_NODISCARD enum tt_code tt_out_open(tt_out **out, const char *path,
                                      tt_err *err);
TT_NODISCARD enum tt_code tt_out_write(tt_out *out, const void *data, size_t n,
                                       tt_err *err);
/* Close and report what the system noticed late (quota, network disk). Frees
 * out in any case; NULL is fine. */
TT_NODISCARD enum tt_code tt_out_close(tt_out *out, tt_err *err);

#endif
