/* SPDX-License-Identifier: MIT */
/* Hints in the form of Gomes, Property Preservation in Co-simulation (2019),
 * Fig. 8.6, made into JSON:
 *
 *     Hint Rest {
 *       description "It comes to rest."
 *       statements {
 *         Event Stop := {ctl}.c.stop
 *         Property Slow := abs({load}.l.v) < 0.01
 *       }
 *       scope After Stop
 *       pattern Existence: Slow eventually holds within 2 s
 *     }
 *
 * A hint is written on the lines it was read from, so that what is wrong with
 * its expressions is reported there. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/show.h"
#include "scenario/hint_text.h"

#define MOST_STATEMENTS 32u
#define MOST_WORD       128u

/* A piece of the text, with its line. */
struct span {
    const char *at;
    size_t n;
    uint32_t line;
};

struct statement {
    struct span id, text;
};

struct reading {
    const char *name; /* of the file */
    const char *at, *end;
    uint32_t line;
    struct tt_buf *out;
    uint32_t written; /* line of the output */
    tt_err *err;
    struct statement statement[MOST_STATEMENTS];
    uint32_t n;
};

static enum tt_code wrong(struct reading *r, uint32_t line, const char *what,
                          const struct span *found)
{
    return tt_fail(r->err, TT_EINPUT, "%s:%u: %s%s%.*s%s", r->name, line, what,
                   found ? ", not '" : "", found ? (int)found->n : 0,
                   found ? found->at : "", found ? "'" : "");
}

/* --- pieces --------------------------------------------------------------- */

static void skip_blanks(struct reading *r)
{
    while (r->at < r->end) {
        if (r->end - r->at > 1 && r->at[0] == '/' && r->at[1] == '/')
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        else if (!isspace((unsigned char)*r->at))
            return;
        else
            r->line += *r->at++ == '\n';
    }
}

static int is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' ||
           c == '+';
}

/* A word, a number, or one other character; n == 0: the end. */
static struct span next(struct reading *r)
{
    struct span s;

    skip_blanks(r);
    s = (struct span){r->at, 0, r->line};
    while (r->at < r->end && is_letter(*r->at))
        r->at++;
    if (r->at == s.at && r->at < r->end)
        r->at++;
    s.n = (size_t)(r->at - s.at);
    return s;
}

static int is(const struct span *s, const char *word)
{
    return s->n == strlen(word) && strncmp(s->at, word, s->n) == 0;
}

static struct span peek(struct reading *r)
{
    struct reading before = *r;
    struct span s = next(r);

    r->at = before.at;
    r->line = before.line;
    return s;
}

static enum tt_code expect_word(struct reading *r, const char *word)
{
    struct span s = next(r);
    char text[MOST_WORD];

    if (is(&s, word))
        return TT_OK;
    (void)snprintf(text, sizeof(text), "expected '%s'", word);
    return wrong(r, s.line, text, &s);
}

/* --- statements ----------------------------------------------------------- */

/* To its end, or where the braces around it end; those of names are part of it.
 */
static void skip_line(struct reading *r)
{
    int inside = 0;

    while (r->at < r->end && *r->at != '\n' && (inside || *r->at != '}')) {
        inside = *r->at == '{' || (inside && *r->at != '}');
        r->at++;
    }
}

/* The rest of the line, and of those that follow up to the next statement. */
static struct span take_text(struct reading *r)
{
    struct span s;

    skip_blanks(r);
    s = (struct span){r->at, 0, r->line};
    for (;;) {
        struct span word;

        skip_line(r);
        s.n = (size_t)(r->at - s.at);
        word = peek(r);
        if (!word.n || is(&word, "}") || is(&word, "Event") ||
            is(&word, "Property"))
            break;
        skip_blanks(r);
    }
    while (s.n && isspace((unsigned char)s.at[s.n - 1]))
        s.n--;
    return s;
}

static const struct statement *find(const struct reading *r,
                                    const struct span *id)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->statement[i].id.n == id->n &&
            strncmp(r->statement[i].id.at, id->at, id->n) == 0)
            return &r->statement[i];
    return NULL;
}

static enum tt_code take_statement(struct reading *r)
{
    struct span kind = next(r), id = next(r), colon = next(r),
                is_sign = next(r);

    if (!is(&kind, "Event") && !is(&kind, "Property"))
        return wrong(r, kind.line, "expected 'Event' or 'Property'", &kind);
    if (!id.n || !isalpha((unsigned char)id.at[0]))
        return wrong(r, id.line, "expected the name of a statement", &id);
    if (!is(&colon, ":") || !is(&is_sign, "="))
        return wrong(r, colon.line, "expected ':='", &colon);
    if (find(r, &id))
        return wrong(r, id.line, "another name is needed", &id);
    if (r->n == MOST_STATEMENTS)
        return wrong(r, id.line, "a hint has 32 statements at most", NULL);
    r->statement[r->n].id = id;
    r->statement[r->n].text = take_text(r);
    if (!r->statement[r->n++].text.n)
        return wrong(r, id.line, "expected an expression behind ':='", NULL);
    return TT_OK;
}

static enum tt_code take_statements(struct reading *r)
{
    struct span s;
    enum tt_code rc = expect_word(r, "{");

    while (rc == TT_OK && (s = peek(r), s.n && !is(&s, "}")))
        rc = take_statement(r);
    return rc == TT_OK ? expect_word(r, "}") : rc;
}

/* --- writing -------------------------------------------------------------- */

/* On the line it was read from. */
static void go_to(struct reading *r, uint32_t line)
{
    for (; r->written < line; r->written++)
        tt_buf_char(r->out, '\n');
}

/* Without comments and with blanks between lines. */
static void put_text(struct reading *r, const struct span *s)
{
    const char *end = s->at + s->n;
    char *copy = tt_zalloc(s->n + 1, 1), *to = copy;

    if (!copy) {
        r->out->failed = 1;
        return;
    }
    for (const char *c = s->at; c < end; c++) {
        while (end - c > 1 && c[0] == '/' && c[1] == '/')
            while (c < end && *c != '\n')
                c++;
        if (c < end)
            *to++ = isspace((unsigned char)*c) ? ' ' : *c;
    }
    while (to > copy && to[-1] == ' ')
        *--to = '\0';
    tt_buf_json(r->out, copy);
    tt_free(copy);
}

static void put_member(struct reading *r, const char *name,
                       const struct span *s)
{
    tt_buf_str(r->out, ", ");
    go_to(r, s->line);
    tt_buf_fmt(r->out, "\"%s\": ", name);
    put_text(r, s);
}

/* --- scopes --------------------------------------------------------------- */

static enum tt_code take_event(struct reading *r, const char *as)
{
    struct span id = next(r);
    const struct statement *s = find(r, &id);

    if (!s)
        return wrong(r, id.line, "expected the name of a statement", &id);
    put_member(r, as, &s->text);
    return TT_OK;
}

static enum tt_code take_scope(struct reading *r)
{
    struct span kind = next(r), word;
    enum tt_code rc;

    if (is(&kind, "Globally"))
        return TT_OK;
    if (is(&kind, "Before"))
        return take_event(r, "before");
    if (!is(&kind, "After") && !is(&kind, "Between"))
        return wrong(r, kind.line,
                     "expected a scope: 'Globally', 'Before', 'After' or "
                     "'Between'",
                     &kind);
    rc = take_event(r, "after");
    word = rc == TT_OK ? peek(r) : kind;
    if (rc != TT_OK || (is(&kind, "After") && !is(&word, "until")))
        return rc;
    rc = expect_word(r, is(&kind, "After") ? "until" : "and");
    return rc == TT_OK ? take_event(r, is(&kind, "After") ? "until" : "before")
                       : rc;
}

/* --- patterns ------------------------------------------------------------- */

static const struct pattern {
    const char *name;     /* of the family */
    const char *entry[3]; /* of JSON, for the IDs of the phrase, in order */
    uint32_t n_id;
    const char *time, *count; /* what a time or a number is; NULL: none goes */
    int needs;                /* the time or number is needed */
} patterns[] = {
    {"Universality", {"always"}, 1, NULL, NULL, 0},
    {"Absence", {"never"}, 1, NULL, NULL, 0},
    {"Existence", {"eventually"}, 1, "within", NULL, 0},
    {"BoundedExistence", {"occurs"}, 1, NULL, "most", 1},
    {"Precedence", {"never", "until"}, 2, NULL, NULL, 0},
    {"Response", {"when", "follows"}, 2, "within", NULL, 0},
    {"BoundedResponse", {"when", "follows"}, 2, "within", NULL, 1},
    {"ResponseChain", {"when", "follows"}, 3, "within", NULL, 0},
    {"MinDuration", {"lasts"}, 1, "min", NULL, 1},
    {"MaxDuration", {"lasts"}, 1, "max", NULL, 1},
    {"Recurrence", {"recurs"}, 1, "within", NULL, 1},
    {"BoundedRecurrence", {"recurs"}, 1, "within", NULL, 1},
    {"BoundedInvariance", {"when", "stays"}, 2, "for", NULL, 1},
    {"Invariance", {"when", "stays"}, 2, "for", NULL, 1},
};
#define PATTERNS (sizeof(patterns) / sizeof(*patterns))

static const struct pattern *pattern_of(const struct span *s)
{
    for (size_t i = 0; i < PATTERNS; i++)
        if (is(s, patterns[i].name))
            return &patterns[i];
    return NULL;
}

static enum tt_code unknown_pattern(struct reading *r, const struct span *s)
{
    char text[512];
    size_t n = (size_t)snprintf(text, sizeof(text), "expected a pattern: ");

    for (size_t i = 0; i < PATTERNS && n < sizeof(text); i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s'%s'",
                              i == 0              ? ""
                              : i + 1 == PATTERNS ? " or "
                                                  : ", ",
                              patterns[i].name);
    return wrong(r, s->line, text, s);
}

/* In seconds; 0: it is not a unit of time. */
static double seconds_in(const struct span *s)
{
    static const struct {
        const char *name;
        double s;
    } unit[] = {{"s", 1},        {"sec", 1},   {"second", 1}, {"seconds", 1},
                {"ms", 1e-3},    {"us", 1e-6}, {"ns", 1e-9},  {"min", 60},
                {"minutes", 60}, {"h", 3600}};

    for (size_t i = 0; i < sizeof(unit) / sizeof(*unit); i++)
        if (is(s, unit[i].name))
            return unit[i].s;
    return 0;
}

/* What was found in a phrase. */
struct phrase {
    struct span id[3];
    uint32_t n_id;
    double time, count; /* < 0: none */
};

/* Words between are free: the family states what is meant, the order of IDs who
 * is who. */
static enum tt_code take_phrase(struct reading *r, struct phrase *p)
{
    for (struct span s = peek(r); s.n && !is(&s, "}"); s = peek(r)) {
        double v;

        s = next(r);
        if (tt_num_parse_n(s.at, s.n, &v) == 0) {
            struct span unit = peek(r);
            double by = seconds_in(&unit);

            if (by > 0)
                p->time = v * by;
            else
                p->count = v;
        } else if (find(r, &s)) {
            if (p->n_id == 3)
                return wrong(r, s.line, "a phrase names 3 statements at most",
                             NULL);
            p->id[p->n_id++] = s;
        } else if (isupper((unsigned char)s.at[0])) {
            return wrong(r, s.line, "expected the name of a statement", &s);
        }
    }
    return TT_OK;
}

/* The words of a text, and nothing else; 0: it has others. What is written for
 * NULL is given back, up to the next blank. */
static int reads(const struct span *text, const char *const *word, size_t n,
                 struct span *hole)
{
    const char *at = text->at, *end = text->at + text->n;

    for (size_t i = 0; i < n; i++) {
        const char *begin;

        while (at < end && isspace((unsigned char)*at))
            at++;
        begin = at;
        while (at < end && !isspace((unsigned char)*at))
            at++;
        if (begin == at)
            return 0;
        if (!word[i])
            *hole++ = (struct span){begin, (size_t)(at - begin), text->line};
        else if (strlen(word[i]) != (size_t)(at - begin) ||
                 strncmp(word[i], begin, (size_t)(at - begin)) != 0)
            return 0;
    }
    return at == end;
}

/* FMUProperty {ctl}.c.exec_rate == val 1.0e+6 hz, and
 * {plant}.p.f == PowerBondSuggestions with {load}.l.v: what instances are. */
static int put_known(struct reading *r, const struct span *text)
{
    static const char *const rate[] = {
        "FMUProperty", NULL, "==", "val", NULL, NULL};
    static const char *const bond[] = {NULL, "==", "PowerBondSuggestions",
                                       "with", NULL};
    static const char property[] = ".exec_rate";
    struct span is[3];
    size_t n = sizeof(property) - 1;

    if (reads(text, bond, 5, is)) {
        tt_buf_str(r->out, ", ");
        go_to(r, text->line);
        tt_buf_str(r->out, "\"powerBond\": [");
        put_text(r, &is[0]);
        tt_buf_str(r->out, ", ");
        put_text(r, &is[1]);
        tt_buf_char(r->out, ']');
        return 1;
    }
    if (!reads(text, rate, 6, is) || is[0].n <= n ||
        strncmp(is[0].at + is[0].n - n, property, n) != 0)
        return 0;
    is[0].n -= n;
    is[1].n = (size_t)(is[2].at + is[2].n - is[1].at);
    put_member(r, "software", &is[0]);
    put_member(r, "rate", &is[1]);
    return 1;
}

static void put_phrase(struct reading *r, const struct pattern *k,
                       const struct phrase *p)
{
    if (strcmp(k->entry[0], "always") == 0 &&
        put_known(r, &find(r, &p->id[0])->text))
        return;
    for (uint32_t i = 0; i < k->n_id && i < 2; i++) {
        const struct statement *s = find(r, &p->id[i]);

        if (k->n_id == 3 && i == 1) {
            tt_buf_str(r->out, ", \"follows\": [");
            put_text(r, &s->text);
            tt_buf_str(r->out, ", ");
            put_text(r, &find(r, &p->id[2])->text);
            tt_buf_char(r->out, ']');
        } else {
            put_member(r, k->entry[i], &s->text);
        }
    }
    if (k->time && p->time >= 0) {
        tt_buf_fmt(r->out, ", \"%s\": ", k->time);
        tt_show_json_num(r->out, p->time);
    }
    if (k->count && p->count >= 0) {
        tt_buf_fmt(r->out, ", \"%s\": ", k->count);
        tt_show_json_num(r->out, p->count);
    }
}

static enum tt_code take_pattern(struct reading *r)
{
    struct span family = next(r);
    const struct pattern *k = pattern_of(&family);
    struct phrase p = {.time = -1, .count = -1};
    char text[MOST_WORD];
    enum tt_code rc = k ? expect_word(r, ":") : unknown_pattern(r, &family);

    if (rc == TT_OK)
        rc = take_phrase(r, &p);
    if (rc != TT_OK)
        return rc;
    if (p.n_id != k->n_id) {
        (void)snprintf(text, sizeof(text),
                       "'%s' is about %u statements, and %u are named", k->name,
                       k->n_id, p.n_id);
        return wrong(r, family.line, text, NULL);
    }
    if (k->needs && (k->time ? p.time : p.count) < 0) {
        (void)snprintf(text, sizeof(text), "'%s' needs a %s", k->name,
                       k->time ? "time, such as 2 s" : "number of times");
        return wrong(r, family.line, text, NULL);
    }
    put_phrase(r, k, &p);
    return TT_OK;
}

/* --- hints ---------------------------------------------------------------- */

static enum tt_code skip_description(struct reading *r)
{
    struct span s = next(r);

    if (!is(&s, "\""))
        return wrong(r, s.line, "expected a text in quotes", &s);
    while (r->at < r->end && *r->at != '"')
        r->line += *r->at++ == '\n';
    return r->at++ < r->end ? TT_OK
                            : wrong(r, s.line, "a text has no end", NULL);
}

static enum tt_code take_part(struct reading *r, int *has_pattern)
{
    struct span s = next(r);

    if (is(&s, "description"))
        return skip_description(r);
    if (is(&s, "statements"))
        return take_statements(r);
    if (is(&s, "scope"))
        return take_scope(r);
    if (!is(&s, "pattern"))
        return wrong(r, s.line,
                     "expected 'description', 'statements', 'scope' or "
                     "'pattern'",
                     &s);
    *has_pattern = 1;
    return take_pattern(r);
}

static enum tt_code take_hint(struct reading *r)
{
    struct span name, s;
    int has_pattern = 0;
    enum tt_code rc = expect_word(r, "Hint");

    if (rc != TT_OK)
        return rc;
    name = next(r);
    r->n = 0;
    go_to(r, name.line);
    tt_buf_str(r->out, "{\"name\": ");
    put_text(r, &name);
    rc = expect_word(r, "{");
    while (rc == TT_OK && (s = peek(r), s.n && !is(&s, "}")))
        rc = take_part(r, &has_pattern);
    if (rc == TT_OK)
        rc = expect_word(r, "}");
    if (rc == TT_OK && !has_pattern)
        rc = wrong(r, name.line, "a hint lacks its pattern", NULL);
    tt_buf_char(r->out, '}');
    return rc;
}

int tt_hint_is_text(const char *text, size_t n)
{
    struct reading r = {.at = text, .end = text + n, .line = 1};
    struct span s = next(&r);

    return is(&s, "Hint");
}

enum tt_code tt_hint_text(struct tt_buf *out, const char *name,
                          const char *text, size_t n, tt_err *err)
{
    struct reading r = {.name = name,
                        .at = text,
                        .end = text + n,
                        .line = 1,
                        .out = out,
                        .written = 1,
                        .err = err};
    enum tt_code rc = TT_OK;
    const char *comma = "";
    struct span s;

    tt_buf_str(out, "{\"hints\": [");
    while (rc == TT_OK && (s = peek(&r), s.n)) {
        tt_buf_str(out, comma);
        rc = take_hint(&r);
        comma = ", ";
    }
    tt_buf_str(out, "]}\n");
    return rc == TT_OK ? tt_buf_check(out, name, err) : rc;
}
