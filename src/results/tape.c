/* SPDX-License-Identifier: MIT */
#include "results/tape.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"

#define MAGIC UINT64_C(0x5475747469546170)
#define LINE  ((size_t)64)
#define RING_BYTES                                                             \
    ((size_t)16 << 20) /* bridges a slow disk or a busy machine */
#define LEAST_ROWS ((size_t)4)

/* A column as the tape knows it. Words are offsets; 0 is none. */
struct mark {
    uint32_t type, at, present;
    uint32_t name, unit, text;
};

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

struct tt_tape *tt_tape_init(void *memory, size_t size)
{
    struct tt_tape *t = memory;

    if (!memory || size < sizeof(*t) + LINE)
        return NULL;
    t->magic = MAGIC;
    t->size = size;
    return t;
}

/* --- the player's side --------------------------------------------------- */

static size_t word_size(const char *word)
{
    return word ? strlen(word) + 1 : 0;
}

static uint32_t put_word(char *words, size_t *used, const char *word)
{
    size_t at = *used, n = word_size(word);

    if (!n)
        return 0;
    memcpy(words + at, word, n);
    *used += n;
    return (uint32_t)at;
}

/* Values are aligned to their size, texts to their count. */
static size_t place_cell(size_t *at, enum tt_type type)
{
    size_t size = tt_type_size(type), mine;

    mine = round_up(*at, size > 8 ? 4 : size);
    *at = mine + size;
    return mine;
}

static size_t place_presence(size_t *at, const struct tt_column *c)
{
    return c->present ? (*at)++ : 0;
}

/* Sizes, before anything is written. */
static enum tt_code measure(struct tt_tape *t, const struct tt_rows *rows,
                            tt_err *err)
{
    size_t room = t->size - sizeof(*t), need, words = 1;
    size_t record = TT_RECORD_FRONT;

    for (uint32_t i = 0; i < rows->n; i++) {
        const struct tt_column *c = &rows->column[i];

        words += word_size(c->name) + word_size(c->unit) + word_size(c->text);
        (void)place_cell(&record, c->type);
    }
    for (uint32_t i = 0; i < rows->n; i++)
        (void)place_presence(&record, &rows->column[i]);
    t->n = rows->n;
    t->n_word = words;
    t->record = round_up(record, 8);
    t->ring_at = round_up(rows->n * sizeof(struct mark) + words, LINE);
    need = t->ring_at + LEAST_ROWS * t->record;
    if (need > room || words > UINT32_MAX || t->record > UINT32_MAX)
        return tt_fail(err, TT_ENOMEM,
                       "results of %u columns need %zu bytes of memory, "
                       "there are %zu",
                       rows->n, need, room);
    t->ring_len = room - t->ring_at;
    if (t->ring_len > RING_BYTES)
        t->ring_len = LEAST_ROWS * t->record > RING_BYTES
                          ? LEAST_ROWS * t->record
                          : RING_BYTES;
    return TT_OK;
}

enum tt_code tt_tape_lay_out(struct tt_tape *t, const struct tt_rows *rows,
                             struct tt_ring_end *e, tt_err *err)
{
    char *words = t->data + rows->n * sizeof(struct mark);
    size_t used = 1, at = TT_RECORD_FRONT;
    enum tt_code rc = measure(t, rows, err);

    if (rc != TT_OK)
        return rc;
    words[0] = '\0';
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct tt_column *c = &rows->column[i];
        struct mark m = {.type = (uint32_t)c->type,
                         .at = (uint32_t)place_cell(&at, c->type),
                         .name = put_word(words, &used, c->name),
                         .unit = put_word(words, &used, c->unit),
                         .text = put_word(words, &used, c->text)};

        memcpy(t->data + i * sizeof(m), &m, sizeof(m));
    }
    for (uint32_t i = 0; i < rows->n; i++) {
        uint32_t present = (uint32_t)place_presence(&at, &rows->column[i]);

        memcpy(t->data + i * sizeof(struct mark) +
                   offsetof(struct mark, present),
               &present, sizeof(present));
    }
    t->start = rows->start;
    tt_ring_join(e, &t->ring, t->data + t->ring_at, t->ring_len, t->record);
    tt_sign_set(&t->player, TT_TAPE_LAID_OUT);
    tt_bell_ring(&t->ring.reader);
    return TT_OK;
}

size_t tt_tape_cell(const struct tt_tape *t, uint32_t column)
{
    struct mark m;

    memcpy(&m, t->data + column * sizeof(m), sizeof(m));
    return m.at;
}

size_t tt_tape_present(const struct tt_tape *t, uint32_t column)
{
    struct mark m;

    memcpy(&m, t->data + column * sizeof(m), sizeof(m));
    return m.present;
}

/* --- the scribe's side --------------------------------------------------- */

enum tt_code tt_tape_overwritten(tt_err *err)
{
    return tt_fail(err, TT_ECRASH,
                   "the rows waiting for the result file were overwritten in "
                   "memory");
}

/* What the player set as sizes, read once. */
struct sizes {
    size_t room, n, n_word, ring_at, ring_len, record;
};

static int are_sound(const struct sizes *s)
{
    return s->n <= s->room / sizeof(struct mark) && s->n_word >= 1 &&
           s->n_word <= s->room - s->n * sizeof(struct mark) &&
           s->ring_at <= s->room && s->ring_len <= s->room - s->ring_at &&
           s->ring_at >= s->n * sizeof(struct mark) + s->n_word &&
           s->record >= TT_RECORD_FRONT && s->record % 8 == 0 &&
           s->ring_len >= s->record;
}

static int is_mark_sound(const struct mark *m, const struct sizes *s)
{
    return m->type < TT_TYPE_N && m->at >= TT_RECORD_FRONT &&
           m->at <= s->record && m->present < s->record &&
           s->record - m->at >= tt_type_size((enum tt_type)m->type) &&
           m->name < s->n_word && m->unit < s->n_word && m->text < s->n_word;
}

/* One block: the layout, its columns, their words. */
static struct tt_layout *copy_layout(const struct tt_tape *t,
                                     const struct sizes *s, int *sound)
{
    size_t columns = s->n * sizeof(struct tt_layout_column);
    struct tt_layout *l = tt_zalloc(1, sizeof(*l) + columns + s->n_word);
    struct tt_layout_column *column =
        (struct tt_layout_column *)(void *)(l + 1);
    char *words = (char *)(l + 1) + columns;
    struct mark m;

    if (!l)
        return NULL;
    memcpy(words, t->data + s->n * sizeof(m), s->n_word);
    words[0] = words[s->n_word - 1] = '\0';
    for (size_t i = 0; i < s->n; i++) {
        memcpy(&m, t->data + i * sizeof(m), sizeof(m));
        if (!is_mark_sound(&m, s)) {
            *sound = 0;
            break;
        }
        column[i] =
            (struct tt_layout_column){.name = words + m.name,
                                      .unit = m.unit ? words + m.unit : NULL,
                                      .text = m.text ? words + m.text : NULL,
                                      .type = (enum tt_type)m.type,
                                      .at = m.at,
                                      .present = m.present};
    }
    *l = (struct tt_layout){.column = column,
                            .n = (uint32_t)s->n,
                            .record = s->record,
                            .start = t->start};
    return l;
}

enum tt_code tt_tape_read(struct tt_tape *t, size_t size,
                          struct tt_layout **layout, struct tt_ring_end *e,
                          tt_err *err)
{
    struct sizes s = {.room = size - sizeof(*t),
                      TT_SAME(t, n, n_word, ring_at, ring_len, record)};
    int sound = t->magic == MAGIC && t->size == size && are_sound(&s);

    if (!sound)
        return tt_tape_overwritten(err);
    *layout = copy_layout(t, &s, &sound);
    if (!*layout)
        return tt_fail(err, TT_ENOMEM, "results of %zu columns", s.n);
    if (!sound) {
        tt_free(*layout);
        *layout = NULL;
        return tt_tape_overwritten(err);
    }
    tt_ring_join(e, &t->ring, t->data + s.ring_at, s.ring_len, s.record);
    return TT_OK;
}

int tt_tape_has_held(struct tt_tape *t, const struct tt_ring_end *e)
{
    return tt_sign_get(&t->held) == e->at + 1;
}
