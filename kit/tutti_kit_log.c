/* SPDX-License-Identifier: MIT */
/* Numbers as text, and messages to the importer. */

static const char *const category_names[CAT_COUNT] = {
    "logEvents",      "logStatusWarning", "logStatusDiscard",
    "logStatusError", "logStatusFatal",
};

/* The shortest of 15, 16 or 17 digits that reads back as x, with a point
 * whatever the locale of the host. */
static const char *number(char *buf, double x)
{
    const char *point = localeconv()->decimal_point;
    char *at;

    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(buf, NUMBER_SIZE, "%.*g", digits, x);
        if (strtod(buf, NULL) == x)
            break;
    }
    at = strstr(buf, point);
    if (at && *point) {
        *at = '.';
        memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
    }
    return buf;
}

/* '#' starts a variable reference in FMI log messages; written twice it means
 * itself. */
static void escape_hashes(char *dst, size_t size, const char *src)
{
    size_t n = 0;

    for (; *src && n + 2 < size; src++) {
        if (*src == '#')
            dst[n++] = '#';
        dst[n++] = *src;
    }
    dst[n] = '\0';
}

static enum category category_of(enum status status)
{
    switch (status) {
    case ST_OK:
        return CAT_EVENTS;
    case ST_WARNING:
        return CAT_WARNING;
    case ST_DISCARD:
        return CAT_DISCARD;
    case ST_ERROR:
        return CAT_ERROR;
    case ST_FATAL:
        break;
    }
    return CAT_FATAL;
}

static enum status report_v(struct instance *k, enum status status,
                            const char *format, va_list args)
    TUTTI_KIT_PRINTF(3, 0);
static enum status report(struct instance *k, enum status status,
                          const char *format, ...) TUTTI_KIT_PRINTF(3, 4);

static enum status report_v(struct instance *k, enum status status,
                            const char *format, va_list args)
{
    enum category category = category_of(status);
    char raw[MESSAGE_SIZE], message[2 * MESSAGE_SIZE];

    if (!k->log_on[category])
        return status;
    (void)vsnprintf(raw, sizeof(raw), format, args);
    escape_hashes(message, sizeof(message), raw);
    k->log_message(k, status, category_names[category], message);
    return status;
}

/* Notifies the importer and returns the status it should see. */
static enum status report(struct instance *k, enum status status,
                          const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)report_v(k, status, format, args);
    va_end(args);
    return status;
}

void tutti_log(void *model, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)report_v(instance_of(model), ST_OK, format, args);
    va_end(args);
}

void tutti_fail(void *model, const char *format, ...)
{
    struct instance *k = instance_of(model);
    va_list args;

    va_start(args, format);
    (void)report_v(k, ST_ERROR, format, args);
    va_end(args);
    if (k->worst < ST_ERROR)
        k->worst = ST_ERROR;
}

void tutti_fatal(void *model, const char *format, ...)
{
    struct instance *k = instance_of(model);
    va_list args;

    va_start(args, format);
    (void)report_v(k, ST_FATAL, format, args);
    va_end(args);
    k->worst = ST_FATAL;
}
