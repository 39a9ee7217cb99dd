/* SPDX-License-Identifier: MIT */
#include "kinds/fmi_common.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { /* bytes of one message; longer ones are cut */
       MESSAGE_MAX = 4096,
       CATEGORY_MAX = 128,
};

void tt_kfmi_logger_init(struct tt_kfmi_logger *v, const struct tt_make *m)
{
    v->log = m->log;
    tt_lock_init(&v->lock);
}

void tt_kfmi_logger_fini(struct tt_kfmi_logger *v)
{
    tt_lock_fini(&v->lock);
    tt_free(v->last);
}

/* Without memory it is not kept; it is logged all the same. */
static void remember(struct tt_kfmi_logger *v, const char *line, size_t n)
{
    size_t keep = n < TT_KFMI_LAST_MAX ? n : TT_KFMI_LAST_MAX - 1;

    tt_lock_take(&v->lock);
    if (!v->last)
        v->last = tt_alloc(TT_KFMI_LAST_MAX);
    if (v->last) {
        memcpy(v->last, line, keep);
        v->last[keep] = '\0';
    }
    tt_lock_give(&v->lock);
}

/* Is all kept, instead of logged? */
static int keep(struct tt_kfmi_logger *v, const char *line)
{
    int kept;

    tt_lock_take(&v->lock);
    kept = v->all != NULL;
    if (kept)
        tt_buf_fmt(v->all, "%s\"%s\"", v->all->len ? ", " : "", line);
    tt_lock_give(&v->lock);
    return kept;
}

void tt_kfmi_listen(struct tt_kfmi_unit *k, struct tt_buf *all)
{
    tt_lock_take(&k->logger.lock);
    k->logger.all = all;
    tt_lock_give(&k->logger.lock);
}

void tt_kfmi_log(struct tt_kfmi_logger *v, enum tt_log_level level,
                 const char *category, const char *text)
{
    char line[MESSAGE_MAX], kind[CATEGORY_MAX];
    size_t n;

    if (!text)
        text = "";
    n = strnlen(text, sizeof(line) - 1);
    memcpy(line, text, n);
    while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
        n--;
    line[n] = '\0';
    if (level >= TT_LOG_WARN && n)
        remember(v, line, n);
    if (n && keep(v, line))
        return;
    if (category)
        (void)snprintf(kind, sizeof(kind), "%s", category);
    tt_log_unit(v->log, level, v->unit, category ? kind : NULL, line);
}

void tt_kfmi_last(struct tt_kfmi_logger *v, char *out, size_t size)
{
    tt_lock_take(&v->lock);
    (void)snprintf(out, size, "%s", v->last ? v->last : "");
    tt_lock_give(&v->lock);
}

/* --- foreign formats ---------------------------------------------------- */

enum arg {
    ARG_REFUSE,
    ARG_INT,
    ARG_LONG,
    ARG_LLONG,
    ARG_DOUBLE,
    ARG_LDOUBLE,
    ARG_TEXT,
    ARG_POINTER,
};

struct conversion {
    enum arg arg;
    int stars; /* int arguments before it: width and precision */
};

static enum arg integer_arg(const char *length, size_t n)
{
    if (n == 2 && !strncmp(length, "ll", 2))
        return ARG_LLONG;
    if (n == 1 && *length == 'j')
        return sizeof(intmax_t) == sizeof(long) ? ARG_LONG : ARG_LLONG;
    if (n == 1 && (*length == 'l' || *length == 'z' || *length == 't'))
        return ARG_LONG;
    if (n == 0 || *length == 'h')
        return ARG_INT;
    return ARG_REFUSE;
}

static enum arg conversion_arg(char type, const char *length, size_t n)
{
    if (strchr("diouxX", type))
        return integer_arg(length, n);
    if (strchr("fFeEgGaA", type)) {
        if (n == 1 && *length == 'L')
            return ARG_LDOUBLE;
        return n == 0 || *length == 'l' ? ARG_DOUBLE : ARG_REFUSE;
    }
    if (n)
        return ARG_REFUSE;
    if (type == 's')
        return ARG_TEXT;
    if (type == 'p')
        return ARG_POINTER;
    return type == 'c' ? ARG_INT : ARG_REFUSE;
}

/* Digits or one star. */
static const char *skip_number(const char *p, int *stars)
{
    if (*p == '*') {
        (*stars)++;
        return p + 1;
    }
    return p + strspn(p, "0123456789");
}

/* Reads one conversion after its '%'; returns what follows it. The blank is no
 * flag here: "100% sure" is a sentence and not a conversion. */
static const char *parse_conversion(const char *p, struct conversion *c)
{
    const char *length;
    size_t n;

    *c = (struct conversion){.arg = ARG_REFUSE};
    p += strspn(p, "-+#0");
    p = skip_number(p, &c->stars);
    if (*p == '.')
        p = skip_number(p + 1, &c->stars);
    length = p;
    n = strspn(p, "hlLjzt");
    p += n;
    if (!*p)
        return p;
    c->arg = conversion_arg(*p, length, n);
    return p + 1;
}

/* Steps over the argument. A text below the first page was never given. */
static int argument_is_harmless(const struct conversion *c, va_list *ap)
{
    for (int i = 0; i < c->stars; i++)
        (void)va_arg(*ap, int);
    if (c->arg == ARG_TEXT)
        return (uintptr_t)va_arg(*ap, const char *) >= 4096;
    if (c->arg == ARG_INT)
        (void)va_arg(*ap, int);
    if (c->arg == ARG_LONG)
        (void)va_arg(*ap, long);
    if (c->arg == ARG_LLONG)
        (void)va_arg(*ap, long long);
    if (c->arg == ARG_DOUBLE)
        (void)va_arg(*ap, double);
    if (c->arg == ARG_LDOUBLE)
        (void)va_arg(*ap, long double);
    if (c->arg == ARG_POINTER)
        (void)va_arg(*ap, void *);
    return c->arg != ARG_REFUSE;
}

static int format_is_harmless(const char *format, va_list *ap)
{
    const char *p = format;

    while ((p = strchr(p, '%')) != NULL) {
        struct conversion c;

        if (p[1] == '%') {
            p += 2;
            continue;
        }
        p = parse_conversion(p + 1, &c);
        if (!argument_is_harmless(&c, ap))
            return 0;
    }
    return 1;
}

void tt_kfmi_vlog(struct tt_kfmi_logger *v, enum tt_log_level level,
                  const char *category, const char *format, va_list ap)
{
    char text[MESSAGE_MAX];
    va_list look;
    int harmless;

    if (!format || !strchr(format, '%')) {
        tt_kfmi_log(v, level, category, format);
        return;
    }
    va_copy(look, ap);
    harmless = format_is_harmless(format, &look);
    va_end(look);
    if (harmless && vsnprintf(text, sizeof(text), format, ap) >= 0)
        tt_kfmi_log(v, level, category, text);
    else
        tt_kfmi_log(v, level, category, format);
}
