/* SPDX-License-Identifier: MIT */
#include "base/brief.h"

#include <string.h>

#include "base/mem.h"

struct tt_brief_word {
    const char *name; /* in the arena: "{x2}.tank" */
    size_t key;       /* bytes of "{x2}." */
    int twice;        /* another key has a 'tank', too */
};

void tt_brief_init(struct tt_brief *b)
{
    *b = (struct tt_brief){.arena = tt_arena_new()};
    b->failed = !b->arena;
    tt_names_init(&b->first);
}

void tt_brief_fini(struct tt_brief *b)
{
    tt_names_fini(&b->first);
    tt_free(b->word);
    tt_arena_free(b->arena);
}

/* Bytes of "{x2}." where a name begins with that, else 0. */
static size_t key_of(const char *name)
{
    size_t n = *name == '{' ? strcspn(name, "}\n") : 0;

    return n && name[n] == '}' && name[n + 1] == '.' ? n + 2 : 0;
}

/* Bytes of "tank" in what follows. */
static size_t word_of(const char *rest)
{
    return strcspn(rest, ".,:;|/ ()[]{}<>='\"\n\t\x1b");
}

static struct tt_brief_word *find(const struct tt_brief *b, const char *word,
                                  size_t n)
{
    char text[256];
    uint32_t i;

    if (!n || n >= sizeof(text) || b->failed)
        return NULL;
    memcpy(text, word, n);
    text[n] = '\0';
    i = tt_names_find(&b->first, text);
    return i == TT_NONE ? NULL : &b->word[i];
}

void tt_brief_add(struct tt_brief *b, const char *name)
{
    size_t key = key_of(name), n = word_of(name + key);
    struct tt_brief_word *w = find(b, name + key, n);

    if (w)
        w->twice |= w->key != key || strncmp(w->name, name, key) != 0;
    if (w || !n || b->failed)
        return;
    b->failed = TT_GROW(b->word, b->n, b->cap) != 0;
    if (b->failed)
        return;
    w = &b->word[b->n];
    *w = (struct tt_brief_word){
        .name = tt_arena_strndup(b->arena, name, key + n), .key = key};
    b->failed = !w->name || tt_names_add(&b->first, w->name + key, b->n++) < 0;
}

/* Bytes that can go at the front of a name. */
static size_t spare(const struct tt_brief *b, const char *name)
{
    size_t key = key_of(name);
    const struct tt_brief_word *w =
        key ? find(b, name + key, word_of(name + key)) : NULL;

    return w && !w->twice && w->key == key && strncmp(w->name, name, key) == 0
               ? key
               : 0;
}

const char *tt_brief_name(const struct tt_brief *b, const char *name)
{
    return name + spare(b, name);
}

void tt_brief_text(const struct tt_brief *b, struct tt_buf *text, size_t from)
{
    size_t to = from;
    char before = '\0';

    if (text->failed || !text->data)
        return;
    for (size_t i = from; i < text->len; i++) {
        if (before != '.' && before != '/' && before != '"')
            i += spare(b, text->data + i);
        before = text->data[to++] = text->data[i];
    }
    text->len = to;
    text->data[to] = '\0';
}
