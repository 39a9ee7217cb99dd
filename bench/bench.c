/* SPDX-License-Identifier: MIT */
/* Measures one case and prints one JSON object. bench.py makes the cases.
 *
 *   bench play FLOOR SCENARIO FOLDER N CHUNK ROUNDS
 *       ns per unit and step; rig.h has the floors
 *   bench record FILE SCENARIO FOLDER N CHUNK ROUNDS
 *       the same, with rows to FILE; the floor's go to floor.csv
 *   bench count tutti|floor FLOOR SCENARIO FOLDER N STEPS
 *       for a counter of instructions; times nothing
 *   bench load SCENARIO FOLDER N ROUNDS
 *       seconds until the first step
 *   bench there INTEGRATOR
 *       whether it was built in: true or false
 *
 * Times are CPU times of the whole process, the best of many rounds, Tutti and
 * the floor taking turns: what disturbs one disturbs the other. `play` states
 * those in the middle, too: of rounds as short as some clocks can be wrong. */
#include <jansson.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "ode/ode.h"
#include "rig.h"

struct best {
    double tutti, floor; /* s */
};

enum { ROUNDS_MOST = 10000 };

static double clock_of(clockid_t id)
{
    struct timespec t;

    (void)clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu(void)
{
    return clock_of(CLOCK_PROCESS_CPUTIME_ID);
}

static double wall(void)
{
    return clock_of(CLOCK_MONOTONIC);
}

static void keep_least(double *best, double s)
{
    if (*best == 0 || s < *best)
        *best = s;
}

static uint64_t number(const char *text)
{
    return strtoull(text, NULL, 10);
}

/* --- play ------------------------------------------------------------------
 */

static int open_both(struct rig *r, const char *floor, char **arg)
{
    rig_choose_floor(r, floor);
    return rig_open_tutti(r, arg[0], NULL) || rig_start_tutti(r) ||
           rig_open_floor(r, arg[1], (uint32_t)number(arg[2])) ||
           rig_start_floor(r);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double middle(double *v, uint64_t n)
{
    qsort(v, n, sizeof(*v), by_size);
    return n ? v[n / 2] : 0;
}

static int play_rounds(struct rig *r, uint64_t chunk, uint64_t rounds,
                       struct best *best, struct best *mid)
{
    static double tutti[ROUNDS_MOST], floor[ROUNDS_MOST];
    int bad = rounds > ROUNDS_MOST;

    for (uint64_t i = 0; i < rounds && !bad; i++) {
        double a = cpu(), b, c;

        bad = rig_play_tutti(r, chunk);
        b = cpu();
        bad |= rig_play_floor(r, chunk);
        c = cpu();
        tutti[i] = b - a;
        floor[i] = c - b;
        keep_least(&best->tutti, b - a);
        keep_least(&best->floor, c - b);
    }
    if (!bad)
        *mid = (struct best){middle(tutti, rounds), middle(floor, rounds)};
    return bad;
}

static void print_times(const struct best *best, double unit_steps,
                        const char *more, const struct best *other)
{
    printf("{\"tutti\": %.4f, \"floor\": %.4f, ",
           1e9 * best->tutti / unit_steps, 1e9 * best->floor / unit_steps);
    printf("\"tutti_%s\": %.4f, \"floor_%s\": %.4f}\n", more,
           1e9 * other->tutti / unit_steps, more,
           1e9 * other->floor / unit_steps);
}

static int play(char **arg)
{
    struct rig r = {0};
    struct best best = {0}, mid = {0};
    const char *floor = *arg++;
    uint64_t chunk = number(arg[3]);
    int bad = open_both(&r, floor, arg) ||
              play_rounds(&r, chunk, number(arg[4]), &best, &mid);

    if (!bad)
        print_times(&best, (double)(chunk * number(arg[2])), "middle", &mid);
    rig_close(&r);
    return bad;
}

/* --- record ----------------------------------------------------------------
 */

/* A run writes until it ends, so each round is a run of its own; what leads to
 * its first step is not counted. */
static int record_round(const char *file, char **arg, uint64_t steps,
                        struct best *best, struct best *walls)
{
    struct rig r = {0};
    double a, b, c, d;
    tt_err err;
    int bad = rig_open_tutti(&r, arg[0], file) || rig_start_tutti(&r) ||
              rig_open_floor(&r, arg[1], (uint32_t)number(arg[2])) ||
              rig_start_floor(&r);

    a = cpu();
    c = wall();
    bad = bad || rig_play_tutti(&r, steps);
    if (!bad && tt_run_end(r.run, &err) != TT_OK)
        bad = rig_complain(&err);
    b = cpu();
    d = wall();
    keep_least(&best->tutti, b - a);
    keep_least(&walls->tutti, d - c);
    a = cpu();
    c = wall();
    bad = bad || rig_write_floor(&r, steps, "floor.csv");
    keep_least(&best->floor, cpu() - a);
    keep_least(&walls->floor, wall() - c);
    rig_close(&r);
    return bad;
}

static int record(char **arg)
{
    struct best best = {0}, walls = {0};
    const char *file = *arg++;
    uint64_t steps = number(arg[3]);
    int bad = 0;

    for (uint64_t i = 0; i < number(arg[4]) && !bad; i++)
        bad = record_round(file, arg, steps, &best, &walls);
    if (!bad)
        print_times(&best, (double)(steps * number(arg[2])), "wall", &walls);
    return bad;
}

/* --- count ------------------------------------------------------------------
 */

static int count(char **arg)
{
    struct rig r = {0};
    uint64_t steps = number(arg[5]);
    int bad;

    if (strcmp(arg[0], "tutti") == 0) /* the floor knows few ways to step */
        bad = rig_open_tutti(&r, arg[2], NULL) || rig_start_tutti(&r) ||
              rig_play_tutti(&r, steps);
    else
        bad = open_both(&r, arg[1], arg + 2) || rig_play_floor(&r, steps);

    rig_close(&r);
    return bad;
}

/* --- load --------------------------------------------------------------------
 */

static double heap(void)
{
    struct mallinfo2 m = mallinfo2();

    return (double)m.uordblks + (double)m.hblkhd;
}

struct load {
    double parse, plan, start; /* s */
    double json, make, init;   /* s, of the floor */
    double tutti_heap, floor_heap;
};

static int load_tutti(char **arg, struct load *l)
{
    struct rig r = {0};
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    struct tt_run_opts opts = {0};
    struct tt_log log = {0};
    const char *path = arg[0];
    double h = heap(), a = cpu(), b, c;
    tt_err err = {0};
    enum tt_code rc = tt_scenario_open(&r.scenario, &path, 1, &o, &log, &err);

    b = cpu();
    if (rc == TT_OK)
        rc = tt_run_new(&r.run, r.scenario, &opts, &err);
    c = cpu();
    if (rc == TT_OK)
        rc = tt_run_start(r.run, &err);
    keep_least(&l->parse, b - a);
    keep_least(&l->plan, c - b);
    keep_least(&l->start, cpu() - c);
    keep_least(&l->tutti_heap, heap() - h);
    rig_close(&r);
    return rc == TT_OK ? 0 : rig_complain(&err);
}

static int load_floor(char **arg, struct load *l)
{
    struct rig r = {0};
    double a = cpu(), b, c, h;
    json_error_t e;
    json_t *v = json_load_file(arg[0], JSON_REJECT_DUPLICATES, &e);
    int bad = !v;

    b = cpu();
    keep_least(&l->json, b - a);
    json_decref(v);
    h = heap();
    b = cpu();
    bad |= rig_open_floor(&r, arg[1], (uint32_t)number(arg[2]));
    c = cpu();
    bad = bad || r.floor.ops->init(&r.floor);
    keep_least(&l->make, c - b);
    keep_least(&l->init, cpu() - c);
    keep_least(&l->floor_heap, heap() - h);
    rig_close(&r);
    return bad;
}

static int load(char **arg)
{
    struct load l = {0};
    struct rusage use;
    int bad = 0;

    for (uint64_t i = 0; i < number(arg[3]) && !bad; i++)
        bad = load_tutti(arg, &l) || load_floor(arg, &l);
    (void)getrusage(RUSAGE_SELF, &use);
    if (!bad)
        printf("{\"parse\": %.6f, \"plan\": %.6f, \"start\": %.6f, "
               "\"json\": %.6f, \"make\": %.6f, \"init\": %.6f, "
               "\"tutti_heap\": %.0f, \"floor_heap\": %.0f, "
               "\"peak_rss\": %.0f}\n",
               l.parse, l.plan, l.start, l.json, l.make, l.init, l.tutti_heap,
               l.floor_heap, 1024.0 * (double)use.ru_maxrss);
    return bad;
}

static int there(char **arg)
{
    enum tt_ode_method m = tt_ode_method_find(arg[0]);

    puts(m != TT_ODE_METHOD_N && tt_ode_method_there(m) ? "true" : "false");
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int args;
        int (*fn)(char **arg);
    } mode[] = {{"play", 6, play},
                {"record", 6, record},
                {"count", 6, count},
                {"load", 4, load},
                {"there", 1, there}};

    for (size_t i = 0; i < sizeof(mode) / sizeof(*mode); i++)
        if (argc == mode[i].args + 2 && strcmp(argv[1], mode[i].name) == 0)
            return mode[i].fn(argv + 2) ? 1 : 0;
    (void)fprintf(stderr, "usage: see the head of bench.c\n");
    return 2;
}
