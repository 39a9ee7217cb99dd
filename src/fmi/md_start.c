/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

#include <string.h>

#include "base/num.h"

#define TOKEN_MAX 400 /* bytes of one number; more is no number */

/* One element from a token that is not terminated. An integer written as 3.0
 * or 3e0 is clear; *odd counts those. */
static int read_element(enum tt_type type, const char *s, size_t n, void *v,
                        size_t *odd)
{
    char text[TOKEN_MAX];

    if (type == TT_F64)
        return tt_num_parse_n(s, n, v);
    if (n >= sizeof(text))
        return -1;
    memcpy(text, s, n);
    text[n] = '\0';
    *odd +=
        tt_type_is_float(type) || tt_type_is_bool(type) || !strpbrk(text, ".eE")
            ? 0
            : 1;
    return tt_value_parse(type, v, text);
}

static void read_list(struct md_in *in, struct tt_md_var *v)
{
    const char *list = in->value[MD_START];
    size_t n = md_token_count(list), size = tt_type_size(v->type);
    size_t odd = 0, len;
    char *value;
    const char *s;

    if (n == 0) {
        md_bad_value(in, MD_START, "a value");
        return;
    }
    value = md_alloc(in, n, size);
    if (!value)
        return;
    for (size_t i = 0; i < n; i++) {
        s = md_token(&list, &len);
        if (s && read_element(v->type, s, len, value + i * size, &odd) == 0)
            continue;
        tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-VAR-START",
                        "start value '%.*s' of variable '%s' is not a value of "
                        "type %s",
                        (int)(len < 40 ? len : 40), s ? s : "", v->name,
                        tt_md_type_name(in->md, v->type));
        return;
    }
    if (odd)
        tt_findings_add(in->f, TT_SEV_WARNING, in->line, "FMI-XML-INTEGER",
                        "start value of variable '%s' should be written as an "
                        "integer",
                        v->name);
    v->start = value;
    v->start_n = n;
}

void md_read_start(struct md_in *in, struct tt_md_var *v)
{
    struct tt_md_bytes *b;

    if (!in->value[MD_START])
        return;
    v->given |= TT_MD_GIVEN_START;
    if (!tt_type_is_text(v->type)) {
        read_list(in, v);
        return;
    }
    b = md_alloc(in, 1, sizeof(*b));
    if (!b)
        return;
    b->s = md_get_text(in, MD_START);
    if (!b->s)
        return;
    b->n = strlen(b->s);
    v->start_bytes = b;
    v->start_n = 1;
}

/* xs:hexBinary. Blanks around it are allowed. */
static void read_hex(struct md_in *in, struct tt_md_bytes *b)
{
    const char *s = in->value[MD_VALUE];
    size_t n;
    char *out;

    s = md_token(&s, &n);
    out = tt_arena_alloc(in->md->arena, n / 2 + 1, 1);
    if (!out) {
        in->nomem = 1;
        return;
    }
    for (size_t i = 0; i + 1 < n; i += 2) {
        int hi = tt_num_hex(s[i]), lo = tt_num_hex(s[i + 1]);

        if (hi < 0 || lo < 0) {
            md_bad_value(in, MD_VALUE, "hexadecimal");
            return;
        }
        out[i / 2] = (char)(unsigned char)(hi * 16 + lo);
    }
    if (n % 2) {
        md_bad_value(in, MD_VALUE, "hexadecimal of even length");
        return;
    }
    b->s = out;
    b->n = n / 2;
}

void md_read_start_elements(struct md_in *in, const struct tt_xml_node *node,
                            struct tt_md_var *v)
{
    static const uint8_t allowed[] = {MD_VALUE, MD_END};
    struct tt_md_bytes *b = md_alloc_for(in, node, "Start", sizeof(*b));
    uint32_t n = 0;

    for (const struct tt_xml_node *e = md_first(node, "Start"); e && b;
         e = md_next(e)) {
        md_attrs(in, e, allowed);
        b[n].s = "";
        if (md_need(in, MD_VALUE) && v->type == TT_BYTES)
            read_hex(in, &b[n]);
        else if (in->value[MD_VALUE]) {
            b[n].s = md_get_text(in, MD_VALUE);
            b[n].n = b[n].s ? strlen(b[n].s) : 0;
        }
        n++;
    }
    if (n) {
        v->given |= TT_MD_GIVEN_START;
        v->start_bytes = b;
        v->start_n = n;
    }
}
