/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_OPS_H
#define TT_UNIT_OPS_H

/* The operations of a unit, each described once.
 *
 *     X(op, NAME, wire, lives, claim, SHAPE)
 *
 * op     its entry in struct tt_unit_ops; callers use tt_unit_<op>()
 * wire   its command on the wire (remote/wire.h): a number never used again
 * lives  in which it is allowed, as bits TT_OP_IN(life)
 * claim  must a table have it? 1: yes, 0: no; else when the capabilities `c`
 *        claim it
 * SHAPE  of its arguments: TT_PAR_SHAPE declares them, TT_ARG_SHAPE passes them
 *
 * From it follow the table of a unit, its calls and their rules (unit.c), the
 * forwarders (unit_fwd.c), the commands of the wire with the worker's functions
 * of common shapes (remote/worker_calls.c), and stand-ins (player/away.c).
 *
 * What each means:
 *
 * configure     structural parameters are set, sizes are final.
 * enter_init, exit_init, end
 *               life. exit_init may leave u->life at TT_LIFE_EVENT when the
 *               unit starts in event mode, as in FMI 3.
 * prepare       last chance to allocate; so many registers for save and
 *               restore will be used.
 * reset         as just made.
 * get, set      values, cold path. All ports of a span share one type.
 * course        one polynomial per element of the span, whose value is not
 *               used. With the capability it may have further pieces, which
 *               stay the caller's, and as they are until the unit has stepped.
 * rates         writes native elements, as get.
 * jvp           derivatives at this instant.
 * step          a rejected, early or final step is an outcome. s->h is filled
 *               in, and *r states plain success (reached = to): an op writes
 * only its difference. A step to where the unit stands does nothing and
 * succeeds, without the op. max_step      INFINITY: any step is accepted. *h is
 * NaN before; it stays so when the unit does not report, and without the op.
 * save, restore state registers 0 .. n_state-1; memory is reused. Restoring
 *               also clears a failure and sets the unit's time back.
 * pack, unpack  a register to bytes, and from bytes of this model, perhaps of
 *               another process.
 * packable      will pack and unpack work? TT_EUNSUPPORTED or TT_EINPUT with
 *               the reason, which the capabilities alone may not give. Without
 *               the op they decide.
 * trail         rows noted in steps since they were last taken, see
 *               unit/trail.h: they are taken now, unless they are to be kept.
 *               Without the op those of the unit's own trail.
 * event_enter, event_update, event_leave
 *               event mode. A unit made of units enters it anew with each
 *               microstep it takes part in, before the first get or set of
 *               that; others enter it once.
 * intervals     when time-based clocks tick: of each of t[0 .. n-1] the
 *               interval until its next tick and, while initialising, of a
 *               periodic one the shift of its first.
 * set_intervals of fixed and tunable clocks that declare one: the interval
 *               they tick with from here on and, while initialising, the shift
 *               of the first tick.
 */

#define TT_OP_IN(life) (1U << TT_LIFE_##life)
#define TT_OP_LIVE     (TT_OP_IN(READY) | TT_OP_IN(EVENT))
#define TT_OP_INIT     (TT_OP_IN(INIT) | TT_OP_LIVE)

#define TT_UNIT_OPS(X)                                                         \
    X(configure, CONFIGURE, 6, TT_OP_IN(MADE), 0, PLAIN)                       \
    X(enter_init, ENTER_INIT, 7, TT_OP_IN(CONFIGURED), 1, START)               \
    X(exit_init, EXIT_INIT, 8, TT_OP_IN(INIT), 1, PLAIN)                       \
    X(prepare, PREPARE, 9, TT_OP_LIVE, 0, REGISTER)                            \
    X(end, END, 10, TT_OP_LIVE | TT_OP_IN(ENDED), 1, PLAIN)                    \
    X(reset, RESET, 11, ~0U, 0, PLAIN)                                         \
    X(get, GET, 12, TT_OP_INIT | TT_OP_IN(ENDED), 1, SPAN)                     \
    X(set, SET, 13, TT_OP_IN(MADE) | TT_OP_IN(CONFIGURED) | TT_OP_INIT, 1,     \
      SPAN)                                                                    \
    X(course, COURSE, 14, TT_OP_LIVE, c->course_order, COURSE)                 \
    X(rates, RATES, 15, TT_OP_LIVE, c->rate_order, RATES)                      \
    X(jvp, JVP, 16, TT_OP_INIT, c->directional, JVP)                           \
    X(step, STEP, 17, TT_OP_IN(READY), 1, STEP)                                \
    X(max_step, MAX_STEP, 18, TT_OP_LIVE, c->max_step, LENGTH)                 \
    X(save, SAVE, 19, TT_OP_LIVE, c->save, REGISTER)                           \
    X(restore, RESTORE, 20, TT_OP_LIVE | TT_OP_IN(BROKEN), c->save, REGISTER)  \
    X(pack, PACK, 21, TT_OP_LIVE, c->serialise, PACK)                          \
    X(unpack, UNPACK, 22, TT_OP_LIVE, c->serialise, UNPACK)                    \
    X(event_enter, EVENT_ENTER, 23, TT_OP_LIVE, c->event_mode, PLAIN)          \
    X(event_update, EVENT_UPDATE, 24, TT_OP_IN(EVENT), c->event_mode, UPDATE)  \
    X(event_leave, EVENT_LEAVE, 25, TT_OP_IN(EVENT), c->event_mode, PLAIN)     \
    X(packable, PACKABLE, 29, TT_OP_LIVE, 0, PLAIN)                            \
    X(intervals, INTERVALS, 30, TT_OP_IN(INIT) | TT_OP_IN(EVENT), c->clocks,   \
      TIMINGS)                                                                 \
    X(set_intervals, SET_INTERVALS, 31, TT_OP_IN(INIT) | TT_OP_IN(EVENT),      \
      c->clocks || c->samples, TIMINGS)                                        \
    X(trail, TRAIL, 34, TT_OP_LIVE, 0, TRAIL)

#define TT_PAR_PLAIN    tt_unit *u, tt_err *err
#define TT_ARG_PLAIN    u, err
#define TT_PAR_START    tt_unit *u, const struct tt_experiment *e, tt_err *err
#define TT_ARG_START    u, e, err
#define TT_PAR_REGISTER tt_unit *u, uint32_t reg, tt_err *err
#define TT_ARG_REGISTER u, reg, err
#define TT_PAR_SPAN     tt_unit *u, const struct tt_span *s, tt_err *err
#define TT_ARG_SPAN     u, s, err
#define TT_PAR_COURSE                                                          \
    tt_unit *u, const struct tt_span *s, const struct tt_poly *p, tt_err *err
#define TT_ARG_COURSE u, s, p, err
#define TT_PAR_RATES                                                           \
    tt_unit *u, const struct tt_span *s, uint32_t order, tt_err *err
#define TT_ARG_RATES u, s, order, err
#define TT_PAR_JVP   tt_unit *u, const struct tt_jvp *j, tt_err *err
#define TT_ARG_JVP   u, j, err
#define TT_PAR_STEP                                                            \
    tt_unit *u, const struct tt_step *s, struct tt_stepped *r, tt_err *err
#define TT_ARG_STEP   u, s, r, err
#define TT_PAR_LENGTH tt_unit *u, double *h, tt_err *err
#define TT_ARG_LENGTH u, h, err
#define TT_PAR_PACK   tt_unit *u, uint32_t reg, struct tt_bytes *b, tt_err *err
#define TT_ARG_PACK   u, reg, b, err
#define TT_PAR_UNPACK                                                          \
    tt_unit *u, uint32_t reg, const struct tt_bytes *b, tt_err *err
#define TT_ARG_UNPACK  u, reg, b, err
#define TT_PAR_UPDATE  tt_unit *u, struct tt_event_result *r, tt_err *err
#define TT_ARG_UPDATE  u, r, err
#define TT_PAR_TIMINGS tt_unit *u, struct tt_timing *t, uint32_t n, tt_err *err
#define TT_ARG_TIMINGS u, t, n, err
#define TT_PAR_TRAIL                                                           \
    tt_unit *u, int keep, struct tt_trail_rows *rows, tt_err *err
#define TT_ARG_TRAIL u, keep, rows, err

/* Of what is in a unit's table and no call of its own, see unit/unit.h. */
#define TT_PAR_BIND                                                            \
    tt_unit *u, enum tt_verb verb, const struct tt_span *s, struct tt_call *c, \
        tt_err *err
#define TT_PAR_SETTLE                                                          \
    tt_unit *u, const struct tt_call *c, const struct tt_now *now, int status
#define TT_PAR_EXPLAIN                                                         \
    tt_unit *u, const struct tt_call *c, int status, tt_err *err

#endif
