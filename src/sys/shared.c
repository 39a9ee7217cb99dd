/* SPDX-License-Identifier: MIT */
/* Memory that processes share, and how a copy of a process gives it up. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "sys/shared.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *tt_shared_alloc(size_t size)
{
    void *p = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

void tt_shared_free(void *p, size_t size)
{
    if (p)
        munmap(p, size ? size : 1);
}

/* --- giving it up -------------------------------------------------------- */

struct range {
    uintptr_t from, to;
};

#define BATCH 64u

/* Lines of /proc/self/maps, read without the heap: we may be a copy of a
 * process whose other thread held its lock. */
struct maps {
    int fd;
    char text[4096];
    size_t at, n;
};

/* The next line, as far as it is of interest; 0: there is none. */
static int next_line(struct maps *m, char *line, size_t size)
{
    size_t k = 0;

    for (;;) {
        if (m->at == m->n) {
            ssize_t got = read(m->fd, m->text, sizeof(m->text));

            if (got <= 0)
                return 0;
            m->at = 0;
            m->n = (size_t)got;
        }
        if (m->text[m->at] == '\n') {
            m->at++;
            line[k] = '\0';
            return 1;
        }
        if (k + 1 < size)
            line[k++] = m->text[m->at];
        m->at++;
    }
}

static const char *read_hex(const char *s, uintptr_t *value)
{
    static const char digits[] = "0123456789abcdef";
    const char *d;

    *value = 0;
    for (; *s && (d = strchr(digits, *s)); s++)
        *value = *value * 16 + (uintptr_t)(d - digits);
    return s;
}

/* "7f00-7f10 rw-s ...": can we write it, and do others see it? */
static int is_shared(const char *line, struct range *r)
{
    const char *at = read_hex(line, &r->from);

    if (*at != '-')
        return 0;
    at = read_hex(at + 1, &r->to);
    return strlen(at) >= 5 && at[2] == 'w' && at[4] == 's';
}

/* Up to BATCH of them; -1 when they cannot be read. */
static int find(struct range *r, uintptr_t keep)
{
    struct maps m = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
    char line[64];
    unsigned n = 0;

    if (m.fd < 0)
        return -1;
    while (n < BATCH && next_line(&m, line, sizeof(line)))
        if (is_shared(line, &r[n]) && !(keep >= r[n].from && keep < r[n].to))
            n++;
    close(m.fd);
    return (int)n;
}

int tt_shared_leave(const void *keep)
{
    struct range r[BATCH];
    int n;

    do {
        n = find(r, (uintptr_t)keep);
        for (int i = 0; i < n; i++)
            if (munmap((void *)r[i].from, r[i].to - r[i].from) != 0)
                return -1;
    } while (n == (int)BATCH);
    return n < 0 ? -1 : 0;
}
