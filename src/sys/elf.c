/* SPDX-License-Identifier: MIT */
#include "sys/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    const unsigned char *data; /* mapped */
    size_t n;
};

/* NULL and -1 when there is no such file or it is empty. */
static int map_file(struct image *m, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *p = MAP_FAILED;

    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && st.st_size > 0)
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (p == MAP_FAILED)
        return -1;
    *m = (struct image){p, (size_t)st.st_size};
    return 0;
}

/* `count` items of `size` bytes at an offset, or NULL: not all in the file. */
static const unsigned char *items(const struct image *m, uint64_t at,
                                  uint64_t count, size_t size)
{
    if (at > m->n || count > (m->n - at) / size)
        return NULL;
    return m->data + at;
}

static int is_unique(const unsigned char *symbol)
{
    Elf64_Sym s;

    memcpy(&s, symbol, sizeof(s));
    return ELF64_ST_BIND(s.st_info) == STB_GNU_UNIQUE &&
           s.st_shndx != SHN_UNDEF;
}

static int in_table(const struct image *m, const Elf64_Shdr *h)
{
    uint64_t n = h->sh_size / sizeof(Elf64_Sym);
    const unsigned char *p = items(m, h->sh_offset, n, sizeof(Elf64_Sym));

    if (!p)
        return -1;
    for (uint64_t i = 0; i < n; i++)
        if (is_unique(p + i * sizeof(Elf64_Sym)))
            return 1;
    return 0;
}

/* The section headers, NULL: it is no library of this platform. */
static const unsigned char *sections(const struct image *m, unsigned *n)
{
    const unsigned char *p = items(m, 0, 1, sizeof(Elf64_Ehdr));
    Elf64_Ehdr e;

    if (!p)
        return NULL;
    memcpy(&e, p, sizeof(e));
    if (memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
        e.e_ident[EI_CLASS] != ELFCLASS64 ||
        e.e_shentsize != sizeof(Elf64_Shdr))
        return NULL;
    *n = e.e_shnum;
    return items(m, e.e_shoff, e.e_shnum, sizeof(Elf64_Shdr));
}

/* The first section of that type into *h; 0: there is none. */
static int find_section(const struct image *m, uint32_t type, Elf64_Shdr *h)
{
    unsigned n = 0;
    const unsigned char *p = sections(m, &n);

    for (unsigned i = 0; p && i < n; i++) {
        memcpy(h, p + i * sizeof(*h), sizeof(*h));
        if (h->sh_type == type)
            return 1;
    }
    return 0;
}

static int find_in(const struct image *m)
{
    Elf64_Shdr h;

    return find_section(m, SHT_DYNSYM, &h) ? in_table(m, &h) : -1;
}

/* The text at an offset of a table of strings, if it ends in it. */
static const char *text_at(const struct image *m, const Elf64_Shdr *table,
                           uint64_t at)
{
    const unsigned char *p = items(m, table->sh_offset, table->sh_size, 1);

    if (!p || at >= table->sh_size || !memchr(p + at, 0, table->sh_size - at))
        return NULL;
    return (const char *)p + at;
}

static int needed_in(const struct image *m,
                     void (*name_cb)(void *ctx, const char *name), void *ctx)
{
    unsigned n = 0;
    const unsigned char *p = sections(m, &n), *entry;
    Elf64_Shdr h, names;
    Elf64_Dyn d;

    if (!find_section(m, SHT_DYNAMIC, &h) || h.sh_link >= n)
        return -1;
    memcpy(&names, p + h.sh_link * sizeof(names), sizeof(names));
    entry = items(m, h.sh_offset, h.sh_size / sizeof(d), sizeof(d));
    for (uint64_t i = 0; entry && i < h.sh_size / sizeof(d); i++) {
        const char *name;

        memcpy(&d, entry + i * sizeof(d), sizeof(d));
        name = d.d_tag == DT_NEEDED ? text_at(m, &names, d.d_un.d_val) : NULL;
        if (name)
            name_cb(ctx, name);
    }
    return entry ? 0 : -1;
}

static void unmap(const struct image *m)
{
    /* NOLINTNEXTLINE(cppcoreguidelines-pro-type-cast-qual): munmap's type */
    munmap((void *)(uintptr_t)m->data, m->n);
}

int tt_elf_has_unique(const char *path)
{
    struct image m;
    int found;

    if (map_file(&m, path) != 0)
        return -1;
    found = find_in(&m);
    unmap(&m);
    return found;
}

int tt_elf_needed(const char *path,
                  void (*name_cb)(void *ctx, const char *name), void *ctx)
{
    struct image m;
    int rc;

    if (map_file(&m, path) != 0)
        return -1;
    rc = needed_in(&m, name_cb, ctx);
    unmap(&m);
    return rc;
}
