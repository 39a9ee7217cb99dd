/* SPDX-License-Identifier: MIT */
/* Connections: do the names exist, may this output drive that input, and how
 * is its value converted on the way? */
#include <stdio.h>
#include <string.h>

#include "plan/plan_impl.h"

#include "base/num.h"

/* Is it "form(x)" of the variable x? */
static int is_form(const char *name, const char *form, const char *x)
{
    size_t n = strlen(form), m = strlen(x);

    return !strncmp(name, form, n) && name[n] == '(' &&
           !strncmp(name + n + 1, x, m) && !strcmp(name + n + 1 + m, ")");
}

/* "der(x)": what is declared to be the derivative of x, an output or not,
 * whatever it is called; "present(x)": the clock of x. TT_NONE: there is
 * none. */
static uint32_t find_form(const struct tt_desc *d, const char *name)
{
    for (uint32_t i = 0; i < d->n_port; i++) {
        const struct tt_port *p = &d->port[i];

        if (p->derivative_of != TT_NONE && p->causality != TT_CAUS_INPUT &&
            is_form(name, "der", d->port[p->derivative_of].name))
            return i;
        if (p->clock && is_form(name, "present", p->name))
            return p->clock - 1;
    }
    return TT_NONE;
}

/* Why there is no such form of a variable that there is. */
static enum tt_code no_form(const struct build *b, const struct tt_sc_ref *ref,
                            const struct tt_desc *d, tt_err *err)
{
    const char *unit = b->plan->unit[ref->unit].name;

    for (uint32_t i = 0; i < d->n_port; i++) {
        if (is_form(ref->variable, "der", d->port[i].name))
            return tt_scenario_fail_ref(
                b->sc, ref, err, TT_EINPUT,
                "'%s.%s' has no variable that is declared to be its derivative",
                unit, d->port[i].name);
        if (is_form(ref->variable, "present", d->port[i].name))
            return tt_scenario_fail_ref(
                b->sc, ref, err, TT_EINPUT,
                "'%s.%s' is no event: it is there all the time", unit,
                d->port[i].name);
    }
    return TT_OK;
}

enum tt_code plan_find_port(const struct build *b, const struct tt_sc_ref *ref,
                            uint32_t *port, tt_err *err)
{
    const struct tt_plan_unit *u = &b->plan->unit[ref->unit];
    struct tt_element e;
    const char *near;
    enum tt_code rc;

    *port = plan_awake_port(b, ref);
    if (*port == TT_NONE)
        *port = tt_desc_find(u->desc, ref->variable);
    if (*port == TT_NONE)
        *port = find_form(u->desc, ref->variable);
    if (*port != TT_NONE)
        return TT_OK;
    rc = plan_find_element(b, ref, &e, err);
    if (rc != TT_OK)
        return rc;
    rc = no_form(b, ref, u->desc, err);
    if (rc != TT_OK)
        return rc;
    near = tt_desc_nearest(u->desc, ref->variable, -1);
    if (near)
        return tt_scenario_fail_ref(
            b->sc, ref, err, TT_EINPUT,
            "instance '%s' has no variable '%s', did you mean "
            "'%s'?",
            u->name, ref->variable, near);
    return tt_scenario_fail_ref(b->sc, ref, err, TT_EINPUT,
                                "instance '%s' has no variable '%s'", u->name,
                                ref->variable);
}

enum tt_code plan_find_input(const struct build *b, const struct tt_sc_ref *ref,
                             const char *what, uint32_t *slot, tt_err *err)
{
    uint32_t port = 0;
    enum tt_code rc = plan_find_port(b, ref, &port, err);

    if (rc != TT_OK)
        return rc;
    *slot = b->slot_of[ref->unit][port];
    if (*slot == TT_NONE || b->plan->slot[*slot].dir != TT_SLOT_IN)
        return tt_scenario_fail(
            b->sc, ref->where, err, TT_EINPUT,
            "'%s.%s' is not a connected input, so it has no %s",
            b->plan->unit[ref->unit].name, ref->variable, what);
    return TT_OK;
}

static enum tt_code need_causality(const struct build *b,
                                   const struct tt_sc_ref *ref, uint32_t port,
                                   enum tt_causality want, tt_err *err)
{
    const struct tt_plan_unit *u = &b->plan->unit[ref->unit];
    enum tt_causality is = u->desc->port[port].causality;

    if (is == want)
        return TT_OK;
    return tt_scenario_fail_ref(
        b->sc, ref, err, TT_EINPUT, "'%s.%s' is %s, but a connection %s %s",
        u->name, ref->variable, tt_causality_name(is),
        want == TT_CAUS_OUTPUT ? "starts at" : "ends at",
        want == TT_CAUS_OUTPUT ? "an output" : "an input");
}

/* A clock that ticks by time is a source, too, and nothing else ticks it. */
static int is_timed_input(const struct tt_port *p)
{
    return p->type == TT_CLOCK && p->causality == TT_CAUS_INPUT &&
           tt_clock_is_timed(p->ticks);
}

/* A script reads what does not follow from something else, too. */
static enum tt_code need_source(const struct build *b,
                                const struct tt_sc_connection *sc,
                                uint32_t port, tt_err *err)
{
    const struct tt_sc_ref *ref = &sc->from;
    const struct tt_desc *d = b->plan->unit[ref->unit].desc;
    int reads_any = b->plan->unit[sc->to.unit].desc->caps.script &&
                    d->port[port].causality != TT_CAUS_INPUT;

    return (d->caps.clocks && is_timed_input(&d->port[port])) || reads_any ||
                   (d->port[port].derivative_of != TT_NONE &&
                    !strncmp(ref->variable, "der(", 4))
               ? TT_OK
               : need_causality(b, ref, port, TT_CAUS_OUTPUT, err);
}

static enum tt_code need_target(const struct build *b,
                                const struct tt_sc_connection *sc,
                                uint32_t port, tt_err *err)
{
    const struct tt_sc_ref *ref = &sc->to;
    const struct tt_plan_unit *u = &b->plan->unit[ref->unit];

    if (is_timed_input(&u->desc->port[port]))
        return tt_scenario_fail_ref(
            b->sc, ref, err, TT_EINPUT,
            "'%s.%s' is a clock that ticks by time (%s): a connection ends at "
            "one that is triggered",
            u->name, ref->variable,
            tt_interval_name(u->desc->port[port].ticks->interval));
    if (b->plan->unit[sc->from.unit].desc->caps.script)
        return plan_script_target(b, ref, &u->desc->port[port], err);
    return tt_port_is_tuned(&u->desc->port[port])
               ? TT_OK
               : need_causality(b, ref, port, TT_CAUS_INPUT, err);
}

struct range {
    double lo, hi;
};

static struct range type_range(enum tt_type t)
{
    static const struct range of[TT_TYPE_N] = {
        [TT_I8] = {-128, 127},
        [TT_U8] = {0, 255},
        [TT_I16] = {-32768, 32767},
        [TT_U16] = {0, 65535},
        [TT_I32] = {-2147483648.0, 2147483647.0},
        [TT_U32] = {0, 4294967295.0},
        [TT_I64] = {-9223372036854775808.0, 9223372036854775808.0},
        [TT_U64] = {0, 18446744073709551616.0},
        [TT_ENUM32] = {-2147483648.0, 2147483647.0},
        [TT_ENUM64] = {-9223372036854775808.0, 9223372036854775808.0},
    };

    return of[t];
}

static int is_whole(enum tt_type t)
{
    return tt_type_is_enum(t) || (tt_type_is_number(t) && !tt_type_is_float(t));
}

/* May a value of type `from` always be taken by `to`? Widening yes; a float
 * into an integer or a wide integer into a narrow one no. Booleans become 1
 * and 0; a number becomes true when it is 1, as Maestro has it. */
static int may_convert(enum tt_type from, enum tt_type to)
{
    if (from == to)
        return 1;
    if (from == TT_TEXT || to == TT_TEXT || from == TT_BYTES ||
        to == TT_BYTES || from == TT_CLOCK || to == TT_CLOCK)
        return 0;
    if (tt_type_is_bool(from) || tt_type_is_bool(to))
        return 1;
    if (tt_type_is_float(to))
        return 1;
    if (!is_whole(from))
        return 0;
    return type_range(from).lo >= type_range(to).lo &&
           type_range(from).hi <= type_range(to).hi;
}

/* Does a text take the names of items? */
static int is_named(const struct tt_port *from, const struct tt_port *to)
{
    return from->items && tt_type_is_enum(from->type) && to->type == TT_TEXT;
}

/* Enumerations are integers of the same width: copied, because a detour by
 * double would lose what a 64-bit integer holds beyond 2^53. */
static int same_bytes(enum tt_type a, enum tt_type b)
{
    if (a == b)
        return 1;
    return (tt_type_is_enum(a) || tt_type_is_enum(b)) && is_whole(a) &&
           is_whole(b) && tt_type_size(a) == tt_type_size(b);
}

static int same_exponents(const struct tt_quantity *a,
                          const struct tt_quantity *b)
{
    return memcmp(a->exponent, b->exponent, sizeof(a->exponent)) == 0;
}

/* Can values in it be converted at all? */
static int has_base(const struct tt_quantity *q)
{
    return q->has_base && q->factor != 0;
}

/* "{a}.a.y [km/h] -> {b}.b.u [m/s]" */
static const char *both_ends(const struct build *b, uint32_t c,
                             const struct tt_port *from,
                             const struct tt_port *to, char *out, size_t size)
{
    const struct tt_sc_connection *sc = &b->sc->connection[c];

    snprintf(out, size, "%s.%s [%s] -> %s.%s [%s]",
             b->plan->unit[sc->from.unit].name, from->name,
             from->quantity->name, b->plan->unit[sc->to.unit].name, to->name,
             to->quantity->name);
    return out;
}

/* One name, two meanings: the name counts, because sloppy declarations are
 * more frequent than two units of one name. A note all the same. */
static void note_namesakes(struct build *b, uint32_t c,
                           const struct tt_port *from, const struct tt_port *to)
{
    const struct tt_quantity *q1 = from->quantity, *q2 = to->quantity;
    char ends[1024];

    if (!has_base(q1) || !has_base(q2) ||
        (same_exponents(q1, q2) && q1->factor == q2->factor &&
         q1->offset == q2->offset))
        return;
    tt_plan_note(b->plan, "conversion",
                 "%s: passed as it is, although the two declare '%s' "
                 "differently",
                 both_ends(b, c, from, to, ends, sizeof(ends)), q1->name);
}

/* base = f1 v1 + o1 = f2 v2 + o2  =>  v2 = f1/f2 v1 + (o1 - o2)/f2 */
int plan_map_units(const struct tt_quantity *from, const struct tt_quantity *to,
                   double *factor, double *offset)
{
    *factor = 1;
    *offset = 0;
    if (strcmp(from->name, to->name) == 0 || !has_base(from) || !has_base(to))
        return 0;
    *factor = from->factor / to->factor;
    *offset = (from->offset - to->offset) / to->factor;
    return same_exponents(from, to) ? 0 : -1;
}

/* Fill in the linear map between two declared units. */
static void map_units(struct build *b, uint32_t c, const struct tt_port *from,
                      const struct tt_port *to)
{
    struct resolved *r = &b->conn[b->n_conn];
    char factor[TT_NUM_MAX], offset[TT_NUM_MAX], ends[1024];

    (void)plan_map_units(from->quantity, to->quantity, &r->factor, &r->offset);
    if (from->relative || to->relative) /* differences have no offset */
        r->offset = 0;
    if (r->factor == 1 && r->offset == 0)
        return;
    r->how = TT_FEED_LINEAR;
    tt_num_print_short(factor, r->factor);
    tt_num_print_short(offset, r->offset);
    tt_plan_note(b->plan, "conversion", "%s: times %s plus %s",
                 both_ends(b, c, from, to, ends, sizeof(ends)), factor, offset);
}

static enum tt_code convert_units(struct build *b, uint32_t c,
                                  const struct tt_port *from,
                                  const struct tt_port *to, tt_err *err)
{
    const struct tt_sc_connection *sc = &b->sc->connection[c];
    const struct tt_quantity *q1 = from->quantity, *q2 = to->quantity;
    char ends[1024];

    if (!q1 || !q2)
        return TT_OK;
    if (strcmp(q1->name, q2->name) == 0) {
        note_namesakes(b, c, from, to);
        return TT_OK;
    }
    if (!has_base(q1) || !has_base(q2)) {
        tt_plan_note(b->plan, "conversion",
                     "%s: passed as it is, because '%s' has no base unit "
                     "declared",
                     both_ends(b, c, from, to, ends, sizeof(ends)),
                     has_base(q1) ? q2->name : q1->name);
        return TT_OK;
    }
    if (!same_exponents(q1, q2))
        return tt_scenario_fail_ref(
            b->sc, &sc->to, err, TT_EINPUT,
            "'%s.%s' is in '%s' and '%s.%s' in '%s': these units measure "
            "different quantities",
            b->plan->unit[sc->from.unit].name, from->name, q1->name,
            b->plan->unit[sc->to.unit].name, to->name, q2->name);
    map_units(b, c, from, to);
    return TT_OK;
}

/* A matrix of one row is not a vector: which element is which must be clear.
 * A single number is an array of one, whatever its dimensions. */
static int same_sizes(const struct tt_port *a, const struct tt_port *b)
{
    if (a->n != b->n)
        return 0;
    if (a->n == 1)
        return 1;
    return a->n_dim == b->n_dim &&
           memcmp(a->dim, b->dim, a->n_dim * sizeof(*a->dim)) == 0;
}

static enum tt_code check_types(struct build *b, uint32_t c,
                                const struct tt_port *from,
                                const struct tt_port *to, tt_err *err)
{
    const struct tt_sc_connection *sc = &b->sc->connection[c];
    const char *u1 = b->plan->unit[sc->from.unit].name;
    const char *u2 = b->plan->unit[sc->to.unit].name;
    char size[2][128];
    uint32_t port = b->conn[b->n_conn].to_port;

    if (from->type == TT_CLOCK && plan_takes_events(b, sc->to.unit, port))
        return tt_scenario_fail_ref(
            b->sc, &sc->to, err, TT_EINPUT,
            "'%s.%s' takes events with a value, and '%s.%s' only ticks: state "
            "the value, as in \"emit\": {\"%s.%s\": \"1\"} of a crossing",
            u2, to->name, u1, from->name, u2, to->name);
    /* A table holds what its writer put there, as doubles. */
    if (!may_convert(from->type, to->type) && !is_named(from, to) &&
        !(is_whole(to->type) &&
          b->plan->unit[sc->from.unit].desc->caps.untyped))
        return tt_scenario_fail_ref(
            b->sc, &sc->to, err, TT_EINPUT,
            "'%s.%s' is %s and cannot drive '%s.%s', which is %s", u1,
            from->name, tt_type_name(from->type), u2, to->name,
            tt_type_name(to->type));
    if (!same_sizes(from, to))
        return tt_scenario_fail_ref(
            b->sc, &sc->to, err, TT_EINPUT,
            "'%s.%s' is %s and cannot drive '%s.%s', which is %s", u1,
            from->name, plan_size_text(from, size[0], sizeof(size[0])), u2,
            to->name, plan_size_text(to, size[1], sizeof(size[1])));
    b->conn[b->n_conn].how = is_named(from, to)                 ? TT_FEED_ITEM
                             : same_bytes(from->type, to->type) ? TT_FEED_COPY
                                                                : TT_FEED_CAST;
    if (from->type != to->type)
        tt_plan_note(b->plan, "conversion", "%s.%s (%s) -> %s.%s (%s)", u1,
                     from->name, tt_type_name(from->type), u2, to->name,
                     tt_type_name(to->type));
    return TT_OK;
}

static int is_listed(enum tt_type t)
{
    return is_whole(t) || tt_type_is_bool(t);
}

/* A table maps whole numbers, as which floats take them, too. */
static enum tt_code map_values(struct build *b, uint32_t c,
                               const struct tt_port *from,
                               const struct tt_port *to, tt_err *err)
{
    const struct tt_sc_connection *sc = &b->sc->connection[c];
    struct resolved *r = &b->conn[b->n_conn];

    if (!is_listed(from->type) ||
        (!is_listed(to->type) && !tt_type_is_float(to->type)))
        return tt_scenario_fail_ref(
            b->sc, &sc->to, err, TT_EINPUT,
            "values of '%s.%s' are no whole numbers or Booleans and cannot be "
            "mapped by a table for '%s.%s'",
            b->plan->unit[sc->from.unit].name, from->name,
            b->plan->unit[sc->to.unit].name, to->name);
    r->how = TT_FEED_MAP;
    r->map = sc->by;
    return TT_OK;
}

/* ... and a factor floats. */
static enum tt_code transform(struct build *b, uint32_t c,
                              const struct tt_port *from,
                              const struct tt_port *to, tt_err *err)
{
    const struct tt_sc_connection *sc = &b->sc->connection[c];
    struct resolved *r = &b->conn[b->n_conn];

    if (sc->by->n_map)
        return map_values(b, c, from, to, err);
    if (sc->by->factor == 1 && sc->by->offset == 0)
        return TT_OK;
    if (!tt_type_is_float(from->type) || !tt_type_is_float(to->type))
        return tt_scenario_fail_ref(
            b->sc, &sc->to, err, TT_EINPUT,
            "'%s.%s' and '%s.%s' are not both floats and cannot have a factor",
            b->plan->unit[sc->from.unit].name, from->name,
            b->plan->unit[sc->to.unit].name, to->name);
    r->factor *= sc->by->factor;
    r->offset = r->offset * sc->by->factor + sc->by->offset;
    r->how = TT_FEED_LINEAR;
    return TT_OK;
}

/* Only events come from several, and each of them arrives. */
static enum tt_code check_first(const struct build *b, uint32_t c,
                                const struct resolved *r, tt_err *err)
{
    const struct tt_sc_connection *sc = &b->sc->connection[c];
    const struct tt_desc *d = b->plan->unit[r->to_unit].desc;
    const struct tt_sc_connection *first = NULL;
    char at[512];

    if (!r->nth || (d->caps.discrete && d->port[r->to_port].clock))
        return TT_OK;
    for (uint32_t i = 0; !first; i++)
        if (b->conn[i].to_unit == r->to_unit &&
            b->conn[i].to_port == r->to_port)
            first = &b->sc->connection[b->conn[i].given];
    return tt_scenario_fail_ref(
        b->sc, &sc->to, err, TT_EINPUT,
        "the input '%s.%s' is already connected from '%s.%s' at %s",
        b->plan->unit[r->to_unit].name, sc->to.variable,
        b->plan->unit[first->from.unit].name, first->from.variable,
        tt_scenario_at(b->sc, first->to.where, at, sizeof(at)));
}

/* Where events are taken, a value that has its changes as events sends them. */
static void choose_event(const struct tt_desc *d, uint32_t *port, int wanted)
{
    if (wanted && d->port[*port].event)
        *port = d->port[*port].event - 1;
}

static enum tt_code connect_one(struct build *b, uint32_t c, tt_err *err)
{
    const struct tt_sc_connection *sc = &b->sc->connection[c];
    const struct tt_port *from, *to;
    struct tt_port stand_in[2];
    struct resolved *r = &b->conn[b->n_conn];
    enum tt_code rc;

    if (!b->plan->unit[sc->from.unit].desc || !b->plan->unit[sc->to.unit].desc)
        return TT_OK; /* of an FMU that cannot be read */
    rc = plan_find_port(b, &sc->from, &r->from_port, err);
    if (rc == TT_OK)
        rc = plan_find_port(b, &sc->to, &r->to_port, err);
    if (rc == TT_OK)
        rc = need_source(b, sc, r->from_port, err);
    if (rc == TT_OK)
        rc = need_target(b, sc, r->to_port, err);
    if (rc != TT_OK)
        return rc;
    to = &b->plan->unit[sc->to.unit].desc->port[r->to_port];
    choose_event(b->plan->unit[sc->from.unit].desc, &r->from_port,
                 plan_takes_events(b, sc->to.unit, r->to_port));
    from = &b->plan->unit[sc->from.unit].desc->port[r->from_port];
    if (b->sc->script) {
        from = plan_script_port(b, sc->from.unit, from, &stand_in[0]);
        to = plan_script_port(b, sc->to.unit, to, &stand_in[1]);
    }
    r->from_unit = sc->from.unit;
    r->to_unit = sc->to.unit;
    r->factor = 1;
    r->offset = 0;
    r->map = NULL;
    r->given = c;
    r->nth = b->n_feed[r->to_unit][r->to_port];
    rc = check_first(b, c, r, err);
    if (rc == TT_OK)
        rc = check_types(b, c, from, to, err);
    if (rc == TT_OK && !(sc->by && sc->by->keep_unit))
        rc = convert_units(b, c, from, to, err);
    if (rc == TT_OK && sc->by)
        rc = transform(b, c, from, to, err);
    if (rc != TT_OK)
        return rc;
    b->n_conn++;
    b->mark[sc->from.unit][r->from_port] |= MARK_OUT;
    if (from->leaps)
        b->mark[sc->from.unit][from->left] |= MARK_WATCH;
    b->mark[sc->to.unit][r->to_port] |= MARK_IN;
    b->n_feed[r->to_unit][r->to_port]++;
    return TT_OK;
}

/* The last value that the scenario gives, or NULL. */
static const struct tt_sc_value *value_given(const struct build *b,
                                             uint32_t unit, uint32_t port)
{
    const char *name = b->plan->unit[unit].desc->port[port].name;
    const struct tt_sc_value *v = NULL;

    for (uint32_t i = 0; i < b->sc->n_parameter; i++) {
        const struct tt_sc_parameter *given = &b->sc->parameter[i];

        if (given->ref.unit == unit && !strcmp(given->ref.variable, name))
            v = &given->value;
    }
    return v;
}

/* ... as a number; or the one declared. */
static double number_given(const struct build *b, uint32_t unit, uint32_t port)
{
    const struct tt_port *p = &b->plan->unit[unit].desc->port[port];
    const struct tt_sc_value *v = value_given(b, unit, port);

    if (v && v->kind == TT_SC_NUMBER)
        return v->number;
    if (v && v->kind == TT_SC_INTEGER)
        return (double)v->integer;
    return p->start ? *(const double *)p->start : 0;
}

/* A misspelt name in a constraint is a variable that nothing feeds. */
static void warn_unfed(const struct build *b, uint32_t unit)
{
    const struct tt_plan_unit *u = &b->plan->unit[unit];

    for (uint32_t i = 0; i < u->desc->n_port && !b->sc->inside; i++) {
        const struct tt_port *p = &u->desc->port[i];

        if (p->causality == TT_CAUS_INPUT && !p->hidden &&
            p->derivative_of == TT_NONE && !(b->mark[unit][i] & MARK_IN) &&
            !value_given(b, unit, i))
            tt_log(b->log, TT_LOG_WARN,
                   "nothing is connected to '%s.%s', which a coupling is to "
                   "make right, and 'parameters' gives it no value: it is 0",
                   u->name, p->name);
    }
}

/* Is an input connected that is the rate of another one? */
static int has_rates(const struct build *b, uint32_t unit)
{
    const struct tt_desc *d = b->plan->unit[unit].desc;

    for (uint32_t i = 0; i < d->n_port; i++)
        if ((b->mark[unit][i] & MARK_IN) && d->port[i].derivative_of != TT_NONE)
            return 1;
    return 0;
}

/* Is there such an unknown? */
static int is_guessed(const struct build *b, uint32_t unit,
                      const struct tt_port *guess)
{
    if (guess->guess_with && !b->mark[unit][guess->guess_with])
        return 0;
    return !guess->guess_unless ||
           (has_rates(b, unit) &&
            number_given(b, unit, guess->guess_unless) == 0);
}

/* A guess goes back to the unit whose output it is of. */
static void feed_back(struct build *b, uint32_t unit)
{
    const struct tt_desc *d = b->plan->unit[unit].desc;

    for (uint32_t i = 0; i < d->n_port; i++) {
        if (!d->port[i].is_guess || !is_guessed(b, unit, &d->port[i]))
            continue;
        b->conn[b->n_conn++] =
            (struct resolved){.from_unit = unit,
                              .from_port = d->port[i].guess_of,
                              .to_unit = unit,
                              .to_port = i,
                              .how = TT_FEED_COPY,
                              .factor = 1};
        b->mark[unit][d->port[i].guess_of] |= MARK_OUT;
        b->mark[unit][i] |= MARK_IN;
    }
}

static int is_implicit(const tt_plan *p, uint32_t unit)
{
    return p->unit[unit].desc && p->unit[unit].desc->caps.implicit;
}

static uint32_t count_guesses(const tt_plan *p)
{
    uint32_t n = 0;

    for (uint32_t u = 0; u < p->n_unit; u++)
        for (uint32_t i = 0; is_implicit(p, u) && i < p->unit[u].desc->n_port;
             i++)
            n += p->unit[u].desc->port[i].is_guess != 0;
    return n;
}

enum tt_code plan_connect(struct build *b, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (!TT_NEW_IN(b->plan->arena, b->conn,
                   (size_t)2 * b->sc->n_connection + count_guesses(b->plan)))
        return plan_nomem(err);
    for (uint32_t c = 0; c < b->sc->n_connection && rc == TT_OK; c++) {
        rc = connect_one(b, c, err);
        if (plan_pass(b, rc, err))
            rc = TT_OK;
    }
    for (uint32_t u = 0; u < b->plan->n_unit && rc == TT_OK; u++)
        if (is_implicit(b->plan, u)) {
            feed_back(b, u);
            warn_unfed(b, u);
        }
    if (rc == TT_OK)
        rc = plan_tie_clocks(b, err);
    return rc == TT_OK ? plan_check_elements(b, err) : rc;
}
