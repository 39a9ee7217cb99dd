/* SPDX-License-Identifier: MIT */
/* Events of discrete-event units by their door, as a network of them is played,
 * leave the same state as by calls that look for ports. */
#include "kinds/test_help.h"

#include "base/buf.h"
#include "kinds/discrete.h"
#include "sys/file.h"
#include "unit/door.h"

#define PATH   TT_BUILD_DIR "/kinds_door_test.devs.json"
#define MOST   40 /* ports */
#define N_TEXT 2
static const char *const texts[N_TEXT] = {"toA", "toB"};

static uint32_t pick(uint64_t *seed, uint32_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % n);
}

static int chance(uint64_t *seed, uint32_t one_of)
{
    return pick(seed, one_of) == 0;
}

/* --- a table ---------------------------------------------------------------
 */

#define ONE_OF(seed, list) (list)[pick((seed), sizeof(list) / sizeof(*(list)))]

static const char *const names[] = {
    "a", "b", "a name of 19 bytes.", "a name that is 24 bytes.",
    "one that is longer than what is shown of it at once"};
#define N_STATE (sizeof(names) / sizeof(*names))

static void put_value(struct tt_buf *b, uint64_t *seed)
{
    static const char *const value[] = {"n + 1",    "n + u",   "u", "v", "m",
                                        "n * 2",    "elapsed", "3", "p", "-0.0",
                                        "n + -0.5", "t",       "-1"};

    tt_buf_fmt(b, "\"%s\"", ONE_OF(seed, value));
}

static void put_way(struct tt_buf *b, uint64_t *seed, int guarded)
{
    static const char *const guard[] = {"n > 2", "present(u)", "elapsed > 0"};

    tt_buf_str(b, "{");
    if (guarded)
        tt_buf_fmt(b, "\"when\": \"%s\", ", ONE_OF(seed, guard));
    if (!chance(seed, 4))
        tt_buf_fmt(b, "\"next\": \"%s\", ", ONE_OF(seed, names));
    tt_buf_str(b, "\"set\": {");
    if (!chance(seed, 3)) {
        tt_buf_str(b, "\"n\": ");
        put_value(b, seed);
        tt_buf_str(b, ", \"m\": ");
        put_value(b, seed);
    }
    tt_buf_str(b, "}}");
}

static void put_ways(struct tt_buf *b, uint64_t *seed)
{
    if (!chance(seed, 4)) {
        put_way(b, seed, chance(seed, 5));
        return;
    }
    tt_buf_str(b, "[");
    put_way(b, seed, 1);
    tt_buf_str(b, ", ");
    put_way(b, seed, chance(seed, 2));
    tt_buf_str(b, "]");
}

/* `m` may be no time. */
static void put_end(struct tt_buf *b, uint64_t *seed)
{
    static const char *const after[] = {"0",     "0.5",     "p", "1",
                                        "p + 1", "elapsed", "m"};

    tt_buf_fmt(b, "\"after\": \"%s\", \"then\": ", ONE_OF(seed, after));
    put_ways(b, seed);
    tt_buf_str(b, ", \"output\": {");
    if (!chance(seed, 3)) {
        tt_buf_str(b, "\"y\": ");
        put_value(b, seed);
        tt_buf_str(b, ", \"z\": {\"is\": ");
        put_value(b, seed);
        tt_buf_str(b, chance(seed, 2) ? ", \"when\": \"n > 1\"}" : "}");
    }
    tt_buf_str(b, "}, ");
}

static void put_state(struct tt_buf *b, uint64_t *seed, size_t i)
{
    const char *comma = "";

    tt_buf_fmt(b, "%s\"%s\": {", i ? ", " : "", names[i]);
    if (!chance(seed, 4))
        put_end(b, seed);
    tt_buf_str(b, "\"on\": {");
    for (const char *in = "uv"; *in; in++)
        if (!chance(seed, 4)) {
            tt_buf_fmt(b, "%s\"%c\": ", comma, *in);
            put_ways(b, seed);
            comma = ", ";
        }
    if (chance(seed, 2)) {
        tt_buf_fmt(b, "%s\"w\": {\"%s\": ", comma, texts[0]);
        put_ways(b, seed);
        tt_buf_str(b, "}");
    }
    tt_buf_str(b, "}}");
}

/* With more clocks than lie together, now and then. */
static void write_table(uint64_t *seed)
{
    static const char *const both[] = {"internal-first", "external-first",
                                       "external-only"};
    struct tt_buf b;

    tt_buf_init(&b, (size_t)1 << 16);
    tt_buf_fmt(&b,
               "{\"parameters\": {\"p\": 0.25}, \"variables\": {\"n\": 0, "
               "\"m\": 1}, \"inputs\": {\"u\": \"number\", \"v\": \"number\", "
               "\"w\": [\"%s\", \"%s\"]%s}, \"outputs\": {\"y\": \"number\", "
               "\"z\": \"number\"}, \"confluent\": \"%s\", \"undefined\": "
               "\"%s\", \"states\": {",
               texts[0], texts[1],
               chance(seed, 4) ? ", \"c\": \"number\", \"d\": \"number\", "
                                 "\"e\": \"number\", \"f\": \"number\""
                               : "",
               ONE_OF(seed, both), chance(seed, 8) ? "error" : "ignore");
    for (size_t i = 0; i < N_STATE; i++)
        put_state(&b, seed, i);
    tt_buf_str(&b, "}}");
    assert_int_equal(b.failed, 0);
    assert_ok(tt_file_write(PATH, b.data, b.len, err));
    tt_buf_fini(&b);
}

/* --- two units -------------------------------------------------------------
 */

struct pair {
    tt_unit *called, *other;
    const struct tt_event_door *door;
    uint32_t in[MOST], n_in; /* inputs with a clock */
    double next;
};

static struct pair pair_of(tt_unit_type *t)
{
    static const struct tt_make how = {
        .name = "{k}.u", .instance = "u", .event_mode = 1};
    struct pair p = {.called = make_with(t, &how), .other = make_with(t, &how)};

    p.door = p.other->ops->door;
    assert_true(p.door->is_open(p.other));
    for (uint32_t i = 0; i < t->desc.n_port; i++)
        if (t->desc.port[i].causality == TT_CAUS_INPUT &&
            t->desc.port[i].clock) {
            assert_true(p.n_in < MOST);
            p.in[p.n_in++] = i;
        }
    return p;
}

static void assert_same(const struct pair *p)
{
    const struct tt_discrete *a = (const void *)p->called;
    const struct tt_discrete *b = (const void *)p->other;

    assert_memory_equal(a->is, b->is, a->type->size);
}

/* 0: both are refused, with the same words. */
static int agree(enum tt_code a, const tt_err *one, enum tt_code b,
                 const tt_err *other)
{
    assert_int_equal(a, b);
    if (a != TT_OK) /* one has the words of the call around them */
        assert_non_null(strstr(one->msg, other->msg));
    return a == TT_OK;
}

static int update(struct pair *p)
{
    struct tt_event_result r;
    tt_err one, other;
    double next = -1;
    enum tt_code a = tt_unit_event_update(p->called, &r, &one);
    enum tt_code b = p->door->calls(p->other)->update(p->other, &next, &other);

    if (!agree(a, &one, b, &other))
        return 0;
    assert_same(p);
    p->next = r.next_defined ? r.next : (double)INFINITY;
    assert_memory_equal(&p->next, &next, sizeof(next));
    return 1;
}

/* 0: the first state is over already, or there is no time. */
static int start(struct pair *p)
{
    tt_unit *const both[] = {p->called, p->other};
    tt_err why;

    for (int i = 0; i < 2; i++) {
        const struct tt_experiment e = {.start = 0, .end = 10};

        assert_ok(tt_unit_configure(both[i], err));
        assert_ok(tt_unit_enter_init(both[i], &e, err));
        if (tt_unit_exit_init(both[i], &why) != TT_OK)
            return 0;
        assert_ok(tt_unit_prepare(both[i], 1, err));
    }
    assert_same(p);
    if (!update(p))
        return 0;
    assert_ok(tt_unit_event_leave(p->called, err));
    p->other->life = TT_LIFE_READY;
    return 1;
}

static void go_to(struct pair *p, double t)
{
    if (t > p->called->now)
        (void)step_to(p->called, t);
    assert_ok(tt_unit_event_enter(p->called, err));
    p->other->now = p->called->now;
}

static void tick(struct pair *p)
{
    uint32_t port = p->called->desc->internal - 1;
    uint8_t on = 1;

    assert_ok(tt_unit_set(p->called, &(struct tt_span){&port, 1, &on}, err));
    assert_ok(p->door->calls(p->other)->tick(p->other, err));
    assert_same(p);
}

/* A further one at the same input waits. */
static void give(struct pair *p, uint32_t port, uint64_t *seed)
{
    const struct tt_port *is = &p->called->desc->port[port];
    uint32_t clock = is->clock - 1;
    uint8_t on = 1, *there = p->door->at(p->other, clock);
    struct tt_text value = {0};
    double x = pick(seed, 4);

    if (is->type == TT_TEXT)
        assert_int_equal(tt_text_set(&value, ONE_OF(seed, texts)), 0);
    else
        memcpy(&value, &x, sizeof(x));
    assert_ok(tt_unit_set(p->called, &(struct tt_span){&clock, 1, &on}, err));
    assert_ok(tt_unit_set(p->called, &(struct tt_span){&port, 1, &value}, err));
    if (*there) {
        assert_ok(p->door->more(p->other, port, &value, err));
        return;
    }
    *there = 1;
    memcpy(p->door->at(p->other, port), &value, tt_type_size(is->type));
}

/* It is due, or something comes, or both. 0: that was refused. */
static int play_one(struct pair *p, uint64_t *seed)
{
    int due = isfinite(p->next) && !chance(seed, 3);
    double wait = isfinite(p->next) ? p->next - p->called->now : 1;
    uint32_t n = 0;

    go_to(p, due ? p->next : p->called->now + wait * pick(seed, 4) / 4);
    if (due)
        tick(p);
    if (p->n_in)
        n = due ? pick(seed, 6) / 3 * pick(seed, 3) : 1 + pick(seed, 6) / 5;
    for (uint32_t i = 0; i < n; i++)
        give(p, p->in[pick(seed, p->n_in)], seed);
    if (!update(p))
        return 0;
    assert_ok(tt_unit_event_leave(p->called, err));
    return 1;
}

static uint32_t compare(tt_unit_type *t, uint64_t *seed, uint32_t n)
{
    struct pair p = pair_of(t);
    uint32_t made = 0;

    if (start(&p))
        while (made < n && play_one(&p, seed))
            made++;
    tt_unit_free(p.called);
    tt_unit_free(p.other);
    close_type(t);
    return made;
}

static void random_tables_are_the_same_by_their_door(void **state)
{
    uint64_t seed = 1;
    uint32_t n = 0;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        write_table(&seed);
        n += compare(open_type(PATH), &seed, 60);
    }
    (void)remove(PATH);
    print_message("%u events compared\n", n);
    assert_true(n > 20000);
}

static void units_of_the_library_are_the_same_by_their_door(void **state)
{
    static const char *const source[] = {"tutti:generator", "tutti:queue",
                                         "tutti:queue: 3",  "tutti:server",
                                         "tutti:delay",     "tutti:delay: 2"};
    uint64_t seed = 2;

    (void)state;
    for (size_t i = 0; i < sizeof(source) / sizeof(*source); i++)
        assert_int_equal(compare(open_type(source[i]), &seed, 2000), 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_tables_are_the_same_by_their_door),
        cmocka_unit_test(units_of_the_library_are_the_same_by_their_door),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
