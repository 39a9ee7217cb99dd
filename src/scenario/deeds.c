/* SPDX-License-Identifier: MIT */
/* What a script can do, as a text: one line per action. */
#include "scenario/deeds.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define MOST_BYTES ((size_t)64 << 20)

static const char head[] = "script\n";

/* What divides lines and columns is in none of them. */
static void put_words(struct tt_buf *b, const char *s, char behind)
{
    for (; *s; s++)
        tt_buf_char(b, *s == '\t' || *s == '\n' ? ' ' : *s);
    tt_buf_char(b, behind);
}

const char *tt_deeds_text(const struct tt_sc_script *s, tt_arena *a)
{
    const char *text = NULL;
    uint32_t number = 0;
    struct tt_buf b;

    tt_buf_init(&b, MOST_BYTES);
    tt_buf_str(&b, head);
    for (uint32_t i = 0; i < s->n_cue; i++) {
        for (uint32_t k = 0; k < s->cue[i].n; k++) {
            tt_buf_fmt(&b, "%u\t%d\t", number, s->cue[i].ends != 0);
            put_words(&b, s->cue[i].name, '\t');
            put_words(&b, s->action[s->cue[i].first + k].label, '\n');
        }
        number += s->cue[i].n > 0;
    }
    if (!b.failed)
        text = tt_arena_strdup(a, b.data);
    tt_buf_fini(&b);
    return text;
}

const char *tt_deeds_begin(const char *text)
{
    return text && strncmp(text, head, strlen(head)) == 0 ? text + strlen(head)
                                                          : NULL;
}

/* Up to the end of the column, which is passed. */
static const char *column(const char **at, char end, tt_arena *a)
{
    const char *from = *at, *to = strchr(from, end);

    if (!to)
        return NULL;
    *at = to + 1;
    return tt_arena_strndup(a, from, (size_t)(to - from));
}

int tt_deeds_next(const char **at, tt_arena *a, struct tt_deed *act)
{
    const char *cue = column(at, '\t', a);
    const char *ends = cue ? column(at, '\t', a) : NULL;

    act->entry = ends ? column(at, '\t', a) : NULL;
    act->label = act->entry ? column(at, '\n', a) : NULL;
    if (!act->label)
        return 0;
    act->cue = (uint32_t)strtoul(cue, NULL, 10);
    act->ends = *ends == '1';
    return 1;
}

int tt_deed_stops(const char *label, struct tt_deed_stop *stop)
{
    static const char *const word[] = {"pass", "fail", "end"};
    static const char front[] = "stop: ";

    if (strncmp(label, front, strlen(front)) != 0)
        return 0;
    label += strlen(front);
    for (size_t i = 0; i < sizeof(word) / sizeof(*word); i++) {
        size_t n = strlen(word[i]);

        if (strncmp(label, word[i], n) != 0)
            continue;
        *stop = (struct tt_deed_stop){.word = word[i], .failed = i == 1};
        if (strncmp(label + n, ", ", 2) == 0)
            stop->because = label + n + 2;
        return 1;
    }
    return 0;
}
