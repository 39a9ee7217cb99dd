/* SPDX-License-Identifier: MIT */
#ifndef TT_TEXT_TEST_ZIP_H
#define TT_TEXT_TEST_ZIP_H

/* Zips made byte by byte, as no decent tool would make them. For tests. */

#include <stdint.h>
#include <string.h>

#include "base/buf.h"

#define RAW_ZIP_MAX ((size_t)64 << 20)

struct raw_zip {
    struct tt_buf out, central;
    uint32_t n;
};

/* One entry, stored. Zero members take what is usual. */
struct raw_entry {
    const char *name;
    size_t name_n; /* 0: strlen(name) */
    const char *data;
    uint32_t mode;   /* Unix mode */
    uint16_t flags;  /* general purpose bits */
    uint32_t claim;  /* claimed size, 0: the true one */
    uint16_t method; /* as claimed */
    int bad_crc;
};

static inline uint32_t raw_crc(const char *data, size_t n)
{
    uint32_t crc = 0xffffffffu;

    for (size_t i = 0; i < n; i++) {
        crc ^= (unsigned char)data[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static inline void raw_put(struct tt_buf *b, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        tt_buf_char(b, (char)(unsigned char)(v >> 8 * i & 0xff));
}

static inline void raw_begin(struct raw_zip *z)
{
    tt_buf_init(&z->out, RAW_ZIP_MAX);
    tt_buf_init(&z->central, RAW_ZIP_MAX);
    z->n = 0;
}

/* What local and central headers share: from the flags to the name length. */
static inline void raw_common(struct tt_buf *b, const struct raw_entry *e,
                              size_t name_n, size_t data_n)
{
    raw_put(b, e->flags, 2);
    raw_put(b, e->method, 2);
    raw_put(b, 0, 4); /* date and time */
    raw_put(b, raw_crc(e->data ? e->data : "", data_n) + (uint32_t)e->bad_crc,
            4);
    raw_put(b, data_n, 4);
    raw_put(b, e->claim ? e->claim : data_n, 4);
    raw_put(b, name_n, 2);
}

static inline void raw_add(struct raw_zip *z, struct raw_entry e)
{
    size_t name_n = e.name_n ? e.name_n : strlen(e.name);
    size_t data_n = e.data ? strlen(e.data) : 0;
    uint64_t offset = z->out.len;

    raw_put(&z->out, 0x04034b50, 4);
    raw_put(&z->out, 20, 2);
    raw_common(&z->out, &e, name_n, data_n);
    raw_put(&z->out, 0, 2); /* extra */
    tt_buf_add(&z->out, e.name, name_n);
    tt_buf_add(&z->out, e.data ? e.data : "", data_n);

    raw_put(&z->central, 0x02014b50, 4);
    raw_put(&z->central, 3 << 8 | 20, 2); /* made by Unix */
    raw_put(&z->central, 20, 2);
    raw_common(&z->central, &e, name_n, data_n);
    raw_put(&z->central, 0, 8); /* extra, comment, disk, internal */
    raw_put(&z->central, (uint64_t)e.mode << 16, 4);
    raw_put(&z->central, offset, 4);
    tt_buf_add(&z->central, e.name, name_n);
    z->n++;
}

/* End records, with those of zip64 when there are many entries. */
static inline void raw_end(struct raw_zip *z)
{
    uint64_t offset = z->out.len, end;
    int many = z->n >= 0xffff;

    tt_buf_add(&z->out, z->central.data ? z->central.data : "", z->central.len);
    end = z->out.len;
    if (many) {
        raw_put(&z->out, 0x06064b50, 4);
        raw_put(&z->out, 44, 8);
        raw_put(&z->out, 45 << 16 | 45, 4);
        raw_put(&z->out, 0, 8); /* disks */
        raw_put(&z->out, z->n, 8);
        raw_put(&z->out, z->n, 8);
        raw_put(&z->out, z->central.len, 8);
        raw_put(&z->out, offset, 8);
        raw_put(&z->out, 0x07064b50, 4);
        raw_put(&z->out, 0, 4);
        raw_put(&z->out, end, 8);
        raw_put(&z->out, 1, 4);
    }
    raw_put(&z->out, 0x06054b50, 4);
    raw_put(&z->out, 0, 4); /* disks */
    raw_put(&z->out, many ? 0xffff : z->n, 2);
    raw_put(&z->out, many ? 0xffff : z->n, 2);
    raw_put(&z->out, z->central.len, 4);
    raw_put(&z->out, offset, 4);
    raw_put(&z->out, 0, 2);
}

static inline void raw_drop(struct raw_zip *z)
{
    tt_buf_fini(&z->out);
    tt_buf_fini(&z->central);
}

#endif
