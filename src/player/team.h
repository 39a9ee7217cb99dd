/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAYER_TEAM_H
#define TT_PLAYER_TEAM_H

/* How several threads play one part. Private to the player.
 *
 * A *stretch* is a straight run of calls between two calls that belong to no
 * unit (loops, solvers, commits): those are made by the caller alone, after
 * everything before and before everything after them. Within a stretch calls
 * are put into *levels* by what they read and write: calls of one level touch
 * different units and no value of each other, so any order gives the same
 * bits. What one thread must do in order is a *bundle*: the calls of one unit
 * in one level, or of all units that must not run at the same time.
 *
 * Bundles are dealt out by measured cost; which thread plays what, and whether
 * a level is shared at all, never changes a value.
 */

#include "player/crew.h"
#include "player/part_impl.h"

struct tt_bundle {
    uint32_t first, n; /* into tt_levels.pc; ascending */
    uint32_t thread;   /* scratch of deal.c: the thread that may play it */
    int main;          /* must be the caller */
    double cost;       /* ... and its cost, ns */
};

struct tt_level {
    uint32_t first, n; /* bundles */
    int steps;         /* some unit is stepped */
    uint32_t threads;  /* share it among so many; 1: the caller alone */
    uint32_t *start;   /* threads + 1: where each one's bundles begin in
                          tt_levels.order; NULL: a single bundle */
    double alone;      /* ns, measured, when the caller played it alone */
    double shared;     /* ns, measured, when shared; 0: not yet */
    uint32_t doubts;   /* how often sharing did not pay */
    uint32_t distrust; /* so many deals before it is tried again */
};

struct tt_stretch {
    uint32_t pc, end;  /* calls */
    uint32_t first, n; /* levels */
    int shared;        /* some level is */
};

struct tt_levels {
    tt_arena *arena; /* owned */
    uint32_t *at;    /* per call: stretch that begins there plus 1, or 0 */
    struct tt_stretch *stretch;
    uint32_t n_stretch;
    struct tt_level *level;
    uint32_t n_level;
    struct tt_bundle *bundle;
    uint32_t n_bundle;
    uint32_t *pc;    /* calls, by bundle */
    uint32_t *order; /* bundles, by level and thread */
    uint32_t width;  /* most bundles in a level that steps */
};

/* levels.c: computed from what operations read and write. */
TT_NODISCARD enum tt_code tt_levels_new(struct tt_levels **out,
                                        const tt_part *p, tt_err *err);
void tt_levels_free(struct tt_levels *l); /* accepts NULL */

/* One thread's own. */
struct tt_mate {
    char before[64];    /* cache lines of its own */
    struct tt_now *now; /* its registers; the caller's are the part's */
    struct tt_turn turn;
    uint32_t ender; /* the first call that ended its play, or TT_NONE */
    int failed;     /* ... by failing, else by its outcome */
    int status;
    int has_outcome; /* there were outcomes */
    uint64_t own_ns, busy_ns;
    tt_err words, kept; /* of cold calls; of the ender */
    char after[64];
};

struct tt_team_section {
    int shared;        /* some level is */
    int marked;        /* units stepped when the caller plays alone are noted */
    int warm;          /* the first play is over ... */
    int dealt;         /* ... and the first deal */
    int heavy;         /* every play is worth the clock */
    uint32_t measure;  /* so many plays more with the clock */
    uint32_t looks;    /* timed plays since the last deal ... */
    uint32_t patience; /* ... and before the next one */
};

struct tt_team {
    tt_part *part; /* borrowed */
    tt_crew *crew; /* borrowed */
    uint32_t n;    /* threads that may play ... */
    uint32_t made; /* ... and that there are */
    int force;     /* share whatever steps */
    struct tt_levels *levels;
    struct tt_mate *mate;
    double *load;      /* scratch of deal.c: n, ... */
    uint32_t *rank;    /* ... and as many as a level has bundles */
    uint8_t *outcomes; /* per call: flags of an outcome not taken yet */
    int kept;          /* some came behind the end of the last play */
    struct tt_team_section section[TT_SEC_N];
    double took_ns, saved_ns; /* of timed plays, once dealt */
    uint32_t most;            /* threads that were used at once */
    uint64_t ahead;           /* events that were played before their time */
    /* what is played just now */
    const struct tt_level *level;
    uint32_t ender; /* the first call that ended the play, or TT_NONE */
    int failed, has_outcome;
    int timed, count; /* with the clock; and for the account */
};

/* deal.c: which thread plays what, from measured costs. */
void tt_team_deal(struct tt_team *t, enum tt_section section);

/* team.c */
/* Take the complete outcomes behind the end of the last play. */
void tt_team_take_rest(struct tt_team *t, uint32_t first, uint32_t end,
                       struct tt_halt *halt);
/* ... which are not to be taken any more. */
void tt_team_forget(struct tt_team *t);
void tt_team_free(struct tt_team *t); /* accepts NULL */
/* A thread begins with those of the one that plays. */
void tt_take_registers(struct tt_now *to, const struct tt_now *from);

/* --- play.c: what one thread does -------------------------------------- */

/* Calls from pc until it leaves first .. end-1. Afterwards pc states where to
 * go on, unless an outcome halted the play. */
struct tt_passage {
    uint32_t first, end;
    uint32_t pc;
    int halted;
    const uint8_t *only; /* per operation: it is played; NULL: all are */
};
enum tt_code tt_play_passage(tt_part *p, struct tt_passage *at, int timed,
                             struct tt_halt *halt, tt_err *err);
enum tt_code tt_play_section(tt_part *p, enum tt_section section, int timed,
                             struct tt_halt *halt, tt_err *err);
/* As if there were no team. */
enum tt_code tt_play_plain(tt_part *p, enum tt_section section,
                           struct tt_halt *halt, tt_err *err);
/* One call with the clock, whose last reading *at holds. */
enum tt_call_result tt_clock_call(tt_part *p, uint32_t pc, struct tt_now *now,
                                  uint64_t *own_ns, uint64_t *at);
/* Does the play go on after this outcome? */
int tt_take_outcome(tt_unit *u, unsigned flags, struct tt_halt *halt);
enum tt_code tt_explain(tt_part *p, const struct tt_call *c, tt_err *err);

#define TT_STEP_HALTS ((unsigned)(TT_STEP_REJECT | TT_STEP_EARLY))

/* A mean that falls fast and rises slowly: what is measured is at least the
 * cost, and at times another process's time on our processor besides. */
static inline double tt_recent(double was, double is)
{
    return is < was ? (was + 3 * is) / 4 : (7 * was + is) / 8;
}

static inline void tt_mark_step(tt_part *p, const struct tt_call *c,
                                uint32_t thread)
{
    if (c->what->verb == TT_VERB_STEP)
        p->stepped_by[tt_op_of(p, c)->unit] |= UINT64_C(1) << thread;
}

#endif
