/* SPDX-License-Identifier: MIT */
#include "text/where.h"

struct tt_text_position tt_text_locate(const struct tt_text_file *f,
                                       size_t offset)
{
    struct tt_text_position p = {1, 1};

    for (size_t i = 0; i < f->n && i < offset; i++) {
        if (f->text[i] == '\n') {
            p.line++;
            p.column = 1;
        } else if (((unsigned char)f->text[i] & 0xC0) != 0x80) {
            p.column++; /* the first byte of a character */
        }
    }
    return p;
}
