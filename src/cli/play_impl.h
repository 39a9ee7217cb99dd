/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_PLAY_IMPL_H
#define TT_CLI_PLAY_IMPL_H

/* A play from both sides: the parent prepares it and watches (parent.c), the
 * child plays (play.c). */

#include "cli/confine.h"
#include "cli/control.h"
#include "cli/play.h"
#include "run/eventlog.h"
#include "sys/capture.h"

struct child {
    const struct tt_play *play;
    struct tt_shared *shared;
    struct tt_tape *tape;
    tt_scribe *scribe; /* ours, in the parent */
    tt_observer *observer[2];
    uint32_t n_observer;
    tt_curves *curves;
    struct tt_tape *side_tape[TT_SIDES]; /* NULL: no such file */
    tt_scribe *side_scribe[TT_SIDES];    /* ours, in the parent */
    tt_observer *side_file[TT_SIDES];
    tt_steplog *steps;
    tt_eventlog *events;
    tt_link *link;       /* to other ranks, or NULL */
    tt_control *control; /* NULL: no commands */
    tt_keeper *keeper;   /* NULL: no checkpoints */
    tt_run *run;
    struct tt_box box;      /* ours, in the parent; entered by the child */
    uint64_t seen, seen_at; /* where the play stood, and since when, ns */
    tt_capture *capture;    /* ours, in the parent; begun by the child */
    char *page; /* owned: where a confined child writes its report */
};

/* What the child does, from beginning to end; ctx: the struct child. How it
 * went is in the outcome. Returns 0: its exit status. */
int tt_play_child(void *ctx);

#endif
