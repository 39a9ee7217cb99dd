/* SPDX-License-Identifier: MIT */
#ifndef TT_BENCH_RIG_H
#define TT_BENCH_RIG_H

/* Two players of one scenario side by side: Tutti, and the floor with the calls
 * of Tutti's own score. */

#include "floor.h"
#include "run/run.h"

struct rig {
    tt_scenario *scenario;
    tt_run *run;
    tt_observer *csv;
    struct floor floor;
    uint64_t at; /* steps the floor has made */
};

/* All return 0, or -1 with words on stderr. */
int rig_open_tutti(struct rig *r, const char *scenario, const char *csv);
int rig_start_tutti(struct rig *r);
int rig_play_tutti(struct rig *r, uint64_t n);
/* "steps" (which it is without), "events", or an integrator's name: that of
 * model exchange. Before it is opened; borrowed. */
void rig_choose_floor(struct rig *r, const char *name);
/* The scenario's only FMU, a folder. Instances, nothing initialised. */
int rig_open_floor(struct rig *r, const char *folder, uint32_t n);
/* Take the order of calls from the run, which was started; initialise. */
int rig_start_floor(struct rig *r);
int rig_play_floor(struct rig *r, uint64_t n);
void rig_close(struct rig *r);

/* A floor that also writes what Tutti writes: the digits are made by the same
 * function, the rest is one buffer and one write. */
int rig_write_floor(struct rig *r, uint64_t n, const char *path);

int rig_complain(const tt_err *err);

#endif
