/* SPDX-License-Identifier: MIT */
#include "sys/digest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"

static int read_all(int fd, struct tt_sha256 *s)
{
    unsigned char block[65536];
    ssize_t n;

    while ((n = read(fd, block, sizeof(block))) > 0)
        tt_sha256_add(s, block, (size_t)n);
    return n == 0;
}

int tt_file_digest(const char *path, char *hex)
{
    unsigned char out[TT_SHA256_BYTES];
    struct tt_sha256 s;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ok;

    *hex = '\0';
    if (fd < 0)
        return 0;
    tt_sha256_init(&s);
    ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && read_all(fd, &s);
    (void)close(fd);
    if (!ok)
        return 0;
    tt_sha256_end(&s, out);
    tt_sha256_hex(out, hex);
    return 1;
}
