/* SPDX-License-Identifier: MIT */
/* What a run warns of while it goes on, reported as soon as it is in its log: a
 * unit that crashed and was started again, for instance. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "serve/serve_impl.h"
#include "sys/file.h"

#define WARNED_MAX 50u             /* the log has the others */
#define PIECE      ((size_t)65536) /* bytes at a time; longer lines are skipped */

struct warning {
    char *unit; /* or NULL: of the whole */
    char *text;
};

struct tt_warned {
    uint64_t at; /* bytes of the log that are known */
    struct warning item[WARNED_MAX];
    size_t n;
};

struct tt_warned *tt_warned_new(void)
{
    struct tt_warned *w;

    return TT_NEW(w);
}

void tt_warned_free(struct tt_warned *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->n; i++)
        TT_FREE_ALL(w->item[i].unit, w->item[i].text);
    tt_free(w);
}

static int is_known(const struct tt_warned *w, const char *text)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->item[i].text, text) == 0)
            return 1;
    return 0;
}

/* "instance '{m}.one': its process crashed": the name, or NULL. */
static char *unit_of(const char *text)
{
    static const char lead[] = "instance '";
    const char *end;
    char *name;

    if (strncmp(text, lead, sizeof(lead) - 1) != 0)
        return NULL;
    text += sizeof(lead) - 1;
    end = strchr(text, '\'');
    name = end ? tt_strdup(text) : NULL;
    if (name)
        name[end - text] = '\0';
    return name;
}

static void take_line(struct tt_warned *w, const struct tt_session *ses,
                      const char *line)
{
    static const char lead[] = "tutti: warning: ";
    struct tt_buf seen;
    char *text;

    if (w->n == WARNED_MAX || strncmp(line, lead, sizeof(lead) - 1) != 0)
        return;
    tt_buf_init(&seen, PIECE);
    tt_session_hide(ses, line + sizeof(lead) - 1, &seen);
    text = seen.failed ? NULL : tt_strdup(seen.data);
    tt_buf_fini(&seen);
    if (!text || is_known(w, text)) {
        tt_free(text);
        return;
    }
    w->item[w->n].unit = unit_of(text);
    w->item[w->n++].text = text;
}

/* The complete lines of a piece; how many bytes they have. */
static size_t take_lines(struct tt_warned *w, const struct tt_session *ses,
                         char *piece, size_t n)
{
    char *line = piece, *end;

    while ((end = memchr(line, '\n', n - (size_t)(line - piece)))) {
        *end = '\0';
        take_line(w, ses, line);
        line = end + 1;
    }
    return (size_t)(line - piece);
}

/* What is new in the log. */
static void look(struct tt_warned *w, const struct tt_sim *sim, int fd)
{
    char piece[PIECE];
    size_t taken;
    ssize_t n;

    while ((n = pread(fd, piece, sizeof(piece), (off_t)w->at)) > 0) {
        taken = take_lines(w, sim->session, piece, (size_t)n);
        if (!taken && (size_t)n < sizeof(piece))
            return; /* a line that is still being written */
        w->at += taken ? taken : (size_t)n;
    }
}

void tt_warned_put(struct tt_buf *b, const struct tt_sim *sim)
{
    struct tt_warned *w = sim->warned;
    char *path = w ? tt_sim_path(sim, TT_SIM_LOG) : NULL;
    uint64_t size;
    int fd = path ? tt_file_open_plain(path, &size) : -1;

    if (fd >= 0) {
        look(w, sim, fd);
        (void)close(fd);
    }
    tt_free(path);
    tt_buf_char(b, '[');
    for (size_t i = 0; w && i < w->n; i++) {
        tt_buf_str(b, i ? ",{\"unit\":" : "{\"unit\":");
        if (w->item[i].unit)
            tt_buf_json(b, w->item[i].unit);
        else
            tt_buf_str(b, "null");
        tt_json_text(b, ",\"message\":", w->item[i].text);
        tt_buf_char(b, '}');
    }
    tt_buf_char(b, ']');
}
