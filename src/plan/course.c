/* SPDX-License-Identifier: MIT */
/* Which inputs follow a polynomial course within a step, how it is delivered,
 * and where their pasts lie in the frame. */
#include <math.h>
#include <stdio.h>

#include "approx/model.h"
#include "plan/plan_impl.h"

/* --- what is wanted ------------------------------------------------------- */

/* Does a coupling find two values for this input, where the step begins and
 * where it ends? Its slot of the first one, else TT_NONE. */
static uint32_t begins_at(const tt_plan *p, uint32_t slot)
{
    uint32_t from = p->feed[p->slot[slot].feed].from;
    const struct tt_plan_unit *u = &p->unit[p->slot[from].unit];
    const struct tt_port *port = tt_plan_port(p, from);

    if (!port->begins_by || p->slot[from].unit == p->slot[slot].unit)
        return TT_NONE;
    for (uint32_t s = u->slot; s < u->slot + u->n_read; s++)
        if (p->slot[s].port == port->begins_at)
            return s;
    return TT_NONE;
}

/* Of a run that switches among policies: the highest order of any of them. */
static enum tt_sc_approx most_wanted(const tt_scenario *s)
{
    enum tt_sc_approx most = s->approx;

    for (uint32_t i = 0; tt_sc_switches(&s->switching) && i < s->n_policy; i++)
        if (s->policy[i].approximation && s->policy[i].course > most)
            most = s->policy[i].course;
    return most;
}

static enum tt_code wanted_by_input(const struct build *b,
                                    enum tt_sc_approx *wanted, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;

    for (uint32_t f = 0; f < p->n_feed; f++)
        wanted[p->feed[f].to] = begins_at(p, p->feed[f].to) == TT_NONE
                                    ? most_wanted(b->sc)
                                    : TT_APPROX_LINEAR;
    for (uint32_t i = 0; i < b->sc->n_input_approx && rc == TT_OK; i++) {
        const struct tt_sc_input_approx *a = &b->sc->input_approx[i];
        uint32_t slot = 0;

        rc = plan_find_input(b, &a->ref, "approximation", &slot, err);
        if (rc == TT_OK)
            wanted[slot] = a->approx;
    }
    return rc;
}

/* --- sub-steps ------------------------------------------------------------ */

/* Why an input follows no course, however its unit is stepped, or NULL. */
static const char *why_none(const tt_plan *p, uint32_t slot)
{
    const struct tt_port *port = tt_plan_port(p, slot);

    if (tt_plan_flows(p, p->slot[slot].feed))
        return "it is integrated together with its source";
    if (tt_plan_inner(p, p->slot[slot].feed) && begins_at(p, slot) == TT_NONE)
        return "it is exchanged at every step of its group";
    if (p->unit[p->slot[slot].unit].desc->caps.implicit)
        return "a coupling looks at the end of the step only";
    if (port->type != TT_F64)
        return "it is not a Float64";
    if (port->variability != TT_VAR_CONTINUOUS)
        return "it is not continuous";
    return NULL;
}

/* Is it more than held, now and then at least? */
static int bends(const tt_plan *p, uint32_t slot, enum tt_sc_approx wanted)
{
    return wanted != TT_APPROX_HOLD ||
           (p->embeds && p->slot[slot].dir == TT_SLOT_IN &&
            p->slot[slot].feed != TT_NONE);
}

static int wants_course(const tt_plan *p, const struct tt_plan_unit *u,
                        const enum tt_sc_approx *wanted)
{
    uint32_t first = u->slot + u->n_read;

    for (uint32_t s = first; s < first + u->n_in; s++)
        if (bends(p, s, wanted[s]) && !why_none(p, s))
            return 1;
    return 0;
}

/* Why what feeds this input comes without derivatives, or NULL. Those of an
 * output that depends on inputs directly would need theirs, which the unit does
 * not know at a communication point: they would be wrong by a whole order. */
static const char *why_no_rates(const tt_plan *p, uint32_t slot)
{
    uint32_t from = p->feed[p->slot[slot].feed].from;
    struct tt_plan_inputs in = tt_plan_inputs_of(p, from, 0);

    if (!p->unit[p->slot[from].unit].desc->caps.rate_order ||
        !tt_type_is_float(p->slot[from].type))
        return "has no derivatives";
    if (in.n)
        return "depends on inputs directly, and so would its derivatives";
    if (!in.known && p->unit[p->slot[from].unit].n_in)
        return "may depend on inputs directly, and so would its derivatives";
    return NULL;
}

/* A table's slope changes from row to row, and a tangent is all to rely on. */
static int source_has_kinks(const tt_plan *p, uint32_t slot)
{
    return tt_plan_port(p, p->feed[p->slot[slot].feed].from)->leaps;
}

/* Is the step repeated for a coupling's unknowns, by Newton's method? */
static int is_coupled(const tt_plan *p)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (p->unit[u].desc->caps.implicit)
            return 1;
    return 0;
}

/* Why a course cannot follow what feeds this input within steps, or NULL. */
static const char *why_no_wave(const tt_plan *p, uint32_t slot)
{
    const struct tt_sc_iteration *it = &p->scenario->iteration;
    uint32_t from = p->feed[p->slot[slot].feed].from;
    const struct tt_plan_unit *source = &p->unit[p->slot[from].unit];
    const struct tt_plan_unit *to = &p->unit[p->slot[slot].unit];

    if (!tt_plan_port(p, from)->trail_ok || p->slot[from].type != TT_F64)
        return "has no values within steps";
    if (source->rate > 1 || to->rate > 1)
        return "or what it feeds steps more than once in a macro step";
    if (!to->desc->caps.course_pieces)
        return "feeds an instance that takes one polynomial for a step";
    if (!it->turns && !it->converged && !p->scenario->score &&
        p->scenario->master == TT_MASTER_JACOBI)
        return "is not known before its step, and that is not iterated";
    if (is_coupled(p))
        return "is not followed where couplings are solved";
    return NULL;
}

/* How many of at most n sub-steps a unit likes: those of a fixed step must be
 * multiples of what it steps by inside. 0: none. */
static int fits(const tt_plan *p, const struct tt_desc *d, uint32_t n)
{
    double each = p->step / d->inner_step / n;

    return p->rejects || !(d->inner_step > 0) ||
           fabs(each - round(each)) <= 1e-6;
}

static uint32_t fitting(const tt_plan *p, const struct tt_desc *d, uint32_t n)
{
    while (n > 0 && !fits(p, d, n))
        n--;
    return n;
}

/* The least from n on that fits, at most `most`, which does. */
static uint32_t least_fitting(const tt_plan *p, const struct tt_desc *d,
                              uint32_t n, uint32_t most)
{
    while (n < most && !fits(p, d, n))
        n++;
    return n < most ? n : most;
}

/* Unless stated otherwise. Held at its mean, a course of slope u' leaves an
 * error of A B u' H^2 / (12 n^2) a second, and a straight line, extrapolated,
 * one of 5/12 B u'' H^2 of its own: two sub-steps leave 5 % of that where the
 * unit is as fast as its input, and more bring nothing. Curves are of higher
 * order, and the sub-steps are what limits them. */
#define MANY 10
#define FEW  2

struct tt_substeps tt_plan_substeps(const tt_plan *p, uint32_t unit)
{
    const struct tt_desc *d = p->unit[unit].desc;
    int given = p->scenario->unit[unit].substeps;
    uint32_t n = given >= 0 ? (uint32_t)given : p->scenario->substeps;

    /* an event on the way would have to end the whole step there */
    if (!d->caps.variable_step || p->unit[unit].events ||
        p->unit[unit].quantum.most)
        return (struct tt_substeps){0};
    if (n == TT_SC_SUBSTEPS) {
        n = fitting(p, d, MANY);
        return (struct tt_substeps){n, least_fitting(p, d, FEW, n)};
    }
    n = fitting(p, d, n);
    return (struct tt_substeps){n, n};
}

/* Is a course of this input a straight line at most? */
static int is_line(const tt_plan *p, uint32_t slot, enum tt_sc_approx wanted)
{
    return wanted == TT_APPROX_HOLD || wanted == TT_APPROX_LINEAR ||
           wanted == TT_APPROX_CONTINUOUS ||
           wanted == TT_APPROX_CONTINUOUS_LINEAR ||
           (wanted == TT_APPROX_WAVEFORM && why_no_wave(p, slot)) ||
           (wanted == TT_APPROX_HERMITE &&
            (why_no_rates(p, slot) || source_has_kinks(p, slot)));
}

static void note_cost(tt_plan *p, const struct tt_plan_unit *u,
                      const enum tt_sc_approx *wanted)
{
    uint32_t first = u->slot + u->n_read, n = u->substeps.few;

    for (uint32_t s = first; s < first + u->n_in; s++)
        if (bends(p, s, wanted[s]) && !why_none(p, s) &&
            !is_line(p, s, wanted[s]))
            n = u->substeps.n;
    if (n > 1)
        tt_plan_note(p, "cost",
                     "%s: %u sub-steps in each step, %u calls instead of 1",
                     u->name, n, n);
}

/* Units that take no course are sub-stepped, and so are those for which the
 * scenario states it by name. */
static enum tt_code choose_substeps(const struct build *b, uint32_t unit,
                                    const enum tt_sc_approx *wanted,
                                    tt_err *err)
{
    tt_plan *p = b->plan;
    struct tt_plan_unit *u = &p->unit[unit];
    int given = b->sc->unit[unit].substeps;
    struct tt_substeps n = tt_plan_substeps(p, unit);
    struct tt_desc *d;
    struct tt_port *port;

    if (!n.n || (u->desc->caps.course_order > 0 && given <= 0) ||
        !wants_course(p, u, wanted))
        return TT_OK;
    if (!TT_NEW_IN(p->arena, d, 1) ||
        !TT_NEW_IN(p->arena, port, u->desc->n_port))
        return plan_nomem(err);
    tt_substep_describe(d, port, u->desc);
    u->desc = d;
    u->substeps = n;
    note_cost(p, u, wanted);
    return TT_OK;
}

/* --- courses -------------------------------------------------------------- */

/* Why an input is held although a course was asked for, or NULL. */
static const char *why_held(const tt_plan *p, uint32_t slot)
{
    const struct tt_port *port = tt_plan_port(p, slot);
    const struct tt_caps *caps = &p->unit[p->slot[slot].unit].desc->caps;
    const char *none = why_none(p, slot);

    if (none)
        return none;
    if (p->slot[slot].event_only)
        return "it gets another value at events only";
    if (p->unit[p->slot[slot].unit].quantum.most)
        return "its instance sleeps";
    if (caps->course_order == 0)
        return caps->variable_step
                   ? "its instance takes no course and is not sub-stepped"
                   : "its instance takes no course and cannot vary its step";
    if (!port->course_ok)
        return "its instance takes no course for it";
    return NULL;
}

static struct tt_course shape_of(enum tt_sc_approx a)
{
    if (a == TT_APPROX_HERMITE)
        return (struct tt_course){
            .kind = TT_COURSE_HERMITE, .order = 3, .depth = 2};
    if (a == TT_APPROX_CONTINUOUS || a == TT_APPROX_CONTINUOUS_LINEAR)
        return (struct tt_course){.kind = TT_COURSE_CONTINUOUS,
                                  .order = 1,
                                  .depth = a == TT_APPROX_CONTINUOUS ? 2 : 3};
    if (a == TT_APPROX_WAVEFORM)
        return (struct tt_course){
            .kind = TT_COURSE_WAVE, .order = 1, .depth = 2};
    if (a == TT_APPROX_MODEL)
        return (struct tt_course){
            .kind = TT_COURSE_MODEL, .order = 3, .depth = 4};
    return (struct tt_course){.kind = TT_COURSE_VALUES,
                              .order = (uint32_t)a,
                              .depth = (uint32_t)a + 1};
}

/* In the frame. */
static size_t past_size(const struct tt_course *c, uint32_t n)
{
    size_t values = sizeof(double) * c->depth * n;

    if (c->kind == TT_COURSE_HERMITE)
        values *= 2;
    if (c->kind == TT_COURSE_MODEL)
        values += n * sizeof(struct tt_model);
    return sizeof(struct tt_past) + values;
}

struct tt_model *tt_past_model(struct tt_past *past, const struct tt_course *c,
                               uint32_t n)
{
    return (struct tt_model *)(void *)(past->value + (size_t)c->depth * n);
}

static void add_course(tt_plan *p, struct tt_course c)
{
    p->frame_size = (p->frame_size + 7) / 8 * 8;
    c.history = (uint32_t)p->frame_size;
    c.wave = TT_NONE;
    p->slot[c.slot].course = p->n_course;
    p->course[p->n_course++] = c;
    p->frame_size += past_size(&c, p->slot[c.slot].n);
}

static void delivery(const struct tt_plan_unit *u, uint32_t order, char *out,
                     size_t size)
{
    uint32_t n = order > 1 ? u->substeps.n : u->substeps.few;

    if (n)
        snprintf(out, size, "by %u sub-step%s", n, n == 1 ? "" : "s");
    else
        snprintf(out, size, "%s",
                 u->desc->caps.course_exact
                     ? "taken exactly by its instance"
                     : "sampled by its instance within the step");
}

/* What became of what was wanted; `why` states why not that. */
static void note_course(tt_plan *p, uint32_t s, enum tt_sc_approx got,
                        int lower, enum tt_sc_approx wanted, const char *why)
{
    uint32_t order =
        got == TT_APPROX_WAVEFORM ? 2 : p->course[p->slot[s].course].order;
    uint32_t from = p->feed[p->slot[s].feed].from;
    char name[512], source[512], how[64];

    tt_plan_slot_name(p, s, name, sizeof(name));
    tt_plan_slot_name(p, from, source, sizeof(source));
    delivery(&p->unit[p->slot[s].unit], order, how, sizeof(how));
    tt_plan_note(p, "approximation", "%s: %s, %s%s%s%s%s%s%s%s", name,
                 tt_sc_approx_name(got), how,
                 lower ? ", which takes no higher order" : "",
                 why ? "; not " : "", why ? tt_sc_approx_name(wanted) : "",
                 why ? ", because " : "", why ? source : "", why ? " " : "",
                 why ? why : "");
}

/* Returns what it got. */
static enum tt_sc_approx place_course(tt_plan *p, uint32_t s,
                                      enum tt_sc_approx wanted)
{
    uint32_t most = p->unit[p->slot[s].unit].desc->caps.course_order;
    const char *why = wanted == TT_APPROX_HERMITE    ? why_no_rates(p, s)
                      : wanted == TT_APPROX_WAVEFORM ? why_no_wave(p, s)
                                                     : NULL;
    enum tt_sc_approx got = why ? TT_APPROX_LINEAR : wanted;
    struct tt_course c = shape_of(got);
    int too_high = c.order > most;

    if (too_high && c.kind == TT_COURSE_VALUES)
        c = shape_of(got = (enum tt_sc_approx)most);
    if (too_high)
        c.order = most;
    if (c.kind == TT_COURSE_HERMITE && source_has_kinks(p, s))
        c.order = 1;
    if (p->embeds && c.kind == TT_COURSE_VALUES && c.order < most &&
        c.order < TT_POLY_MAX)
        c.depth++;
    c.slot = s;
    add_course(p, c);
    if (wanted != TT_APPROX_HOLD)
        note_course(p, s, got, too_high, wanted, why);
    return got;
}

/* Returns the most any input got. */
static enum tt_sc_approx place_courses(tt_plan *p,
                                       const enum tt_sc_approx *wanted)
{
    enum tt_sc_approx best = TT_APPROX_HOLD;
    char name[512];

    for (uint32_t s = 0; s < p->n_slot; s++) {
        enum tt_sc_approx got = TT_APPROX_HOLD;
        const char *held;

        if (!bends(p, s, wanted[s]))
            continue;
        held = why_held(p, s);
        if (!held)
            got = place_course(p, s, wanted[s]);
        else if (wanted[s] != TT_APPROX_HOLD)
            tt_plan_note(p, "approximation", "%s: hold, because %s",
                         tt_plan_slot_name(p, s, name, sizeof(name)), held);
        best = got > best ? got : best;
    }
    return best;
}

/* --- what courses follow ------------------------------------------------- */

static int is_followed(const tt_plan *p, uint32_t from)
{
    int any = 0;

    for (uint32_t k = p->out_first[from]; k < p->out_first[from + 1]; k++) {
        uint32_t course = p->slot[p->feed[p->out_feed[k]].to].course;

        if (course == TT_NONE || p->course[course].kind != TT_COURSE_WAVE)
            continue;
        p->course[course].wave = p->n_wave;
        any = 1;
    }
    return any;
}

static enum tt_code find_waves(tt_plan *p, tt_err *err)
{
    if (!TT_NEW_IN(p->arena, p->wave, p->n_course))
        return plan_nomem(err);
    for (uint32_t u = 0; u < p->n_unit; u++) {
        uint32_t first = 0, end = p->unit[u].slot + p->unit[u].n_read;

        for (uint32_t s = p->unit[u].slot; s < end; s++) {
            if (!is_followed(p, s))
                continue;
            p->wave[p->n_wave++] = (struct tt_plan_wave){s, first};
            first += p->slot[s].n;
        }
    }
    return TT_OK;
}

/* --- discontinuities ------------------------------------------------------ */

/* A connected output that changes by leaps only. */
static int is_mode(const tt_plan *p, uint32_t slot)
{
    const struct tt_port *port = tt_plan_port(p, slot);

    if (p->slot[slot].dir != TT_SLOT_OUT || tt_type_is_text(port->type) ||
        port->type == TT_CLOCK)
        return 0;
    return !tt_type_is_float(port->type) ||
           port->variability < TT_VAR_CONTINUOUS;
}

static void add_modes(tt_plan *p, struct tt_plan_unit *u)
{
    u->mode = p->n_mode;
    for (uint32_t s = u->slot; s < u->slot + u->n_read; s++) {
        if (!is_mode(p, s))
            continue;
        p->frame_size = (p->frame_size + 7) / 8 * 8;
        p->mode[p->n_mode++] =
            (struct tt_mode){.slot = s, .kept = (uint32_t)p->frame_size};
        p->frame_size += tt_type_size(p->slot[s].type) * p->slot[s].n;
        u->n_mode++;
    }
}

/* Of units that feed courses, unless a port itself gives when it leaps. */
static enum tt_code find_modes(tt_plan *p, tt_err *err)
{
    uint8_t *feeds;

    p->mode = tt_arena_alloc(p->arena, p->n_slot, sizeof(*p->mode));
    if (!p->mode || !TT_NEW_ARRAY(feeds, p->n_unit))
        return plan_nomem(err);
    for (uint32_t i = 0; i < p->n_course; i++) {
        uint32_t from = p->feed[p->slot[p->course[i].slot].feed].from;

        feeds[p->slot[from].unit] |= !tt_plan_port(p, from)->leaps;
    }
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (feeds[u])
            add_modes(p, &p->unit[u]);
    tt_free(feeds);
    return TT_OK;
}

/* Two equations take an action that changes within the step. */
static enum tt_code give_lines(tt_plan *p, tt_err *err)
{
    char name[512];

    for (uint32_t f = 0; f < p->n_feed; f++) {
        uint32_t to = p->feed[f].to, begins = begins_at(p, to);
        struct tt_course *c;

        if (begins == TT_NONE)
            continue;
        if (p->slot[to].course == TT_NONE)
            return tt_fail(err, TT_EINPUT,
                           "'%s' is to make values and their rates equal, "
                           "with an action that changes within the step, but "
                           "'%s' is held: %s; a 'damping' above 0 does with "
                           "an action that is held",
                           p->unit[p->slot[begins].unit].name,
                           tt_plan_slot_name(p, to, name, sizeof(name)),
                           why_held(p, to));
        c = &p->course[p->slot[to].course];
        c->kind = TT_COURSE_COUPLED;
        c->order = 1;
        c->begins_at = begins;
        c->begins_by = tt_plan_port(p, p->feed[f].from)->begins_by;
    }
    return TT_OK;
}

static enum tt_code sum_up(tt_plan *p, enum tt_sc_approx best, tt_err *err)
{
    char text[64];

    snprintf(text, sizeof(text), "%s where instances can",
             tt_sc_approx_name(best));
    p->courses = tt_arena_strdup(p->arena, text);
    return p->courses ? TT_OK : plan_nomem(err);
}

/* Steps with courses of one order more are other steps. */
static enum tt_code check_embedding(const struct build *b, tt_err *err)
{
    const tt_plan *p = b->plan;
    int any = !p->embeds;

    for (uint32_t i = 0; i < p->n_course; i++)
        any |= p->course[i].depth > p->course[i].order + 1 &&
               p->course[i].kind == TT_COURSE_VALUES;
    if (any)
        return TT_OK;
    return tt_scenario_fail(
        b->sc, b->sc->step_where, err, TT_EINPUT,
        "method 'embedded' compares courses of inputs with those of one order "
        "more, and no input can take one: they are at most cubic, and of the "
        "kinds hold, linear and quadratic");
}

static void mark_stated(const struct build *b)
{
    tt_plan *p = b->plan;

    for (uint32_t i = 0; i < b->sc->n_input_approx; i++) {
        uint32_t slot = 0;
        tt_err none = {0};

        if (plan_find_input(b, &b->sc->input_approx[i].ref, "approximation",
                            &slot, &none) == TT_OK &&
            p->slot[slot].course != TT_NONE)
            p->course[p->slot[slot].course].stated = 1;
    }
}

static enum tt_code refine(const struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = give_lines(p, err);

    mark_stated(b);
    if (rc == TT_OK)
        rc = check_embedding(b, err);

    if (rc == TT_OK)
        rc = find_waves(p, err);
    return rc == TT_OK ? find_modes(p, err) : rc;
}

enum tt_code plan_courses(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_sc_approx *wanted;
    enum tt_code rc;

    p->course = tt_arena_alloc(p->arena, p->n_feed, sizeof(*p->course));
    if (!p->course || !TT_NEW_ARRAY(wanted, p->n_slot))
        return plan_nomem(err);
    rc = wanted_by_input(b, wanted, err);
    for (uint32_t u = 0; u < p->n_unit && rc == TT_OK; u++)
        rc = choose_substeps(b, u, wanted, err);
    if (rc == TT_OK)
        rc = sum_up(p, place_courses(p, wanted), err);
    if (rc == TT_OK)
        rc = refine(b, err);
    tt_free(wanted);
    return rc;
}
