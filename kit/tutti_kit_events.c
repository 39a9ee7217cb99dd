/* SPDX-License-Identifier: MIT */
/*
 * Discrete events: a state that lasts `ta`, what is put out right before it is
 * over, the transition then, and another one when events come in before.
 *
 * In FMI 3 event mode clocks tick and the update makes the transition. Before
 * FMI 3 clocks are counters and the begin of a step makes it, a step of length
 * 0 included. A unit that is not driven has its own events where they are due:
 * on entering event mode, or inside steps.
 */

void tutti_emit(void *model, struct tutti_clock *clock)
{
    (void)model;
    clock->active = true;
    clock->count = (int32_t)((uint32_t)clock->count + 1); /* goes round */
}

/* FMI 2: an input has had so many events. */
static inline void count_events(struct tutti_clock *clock, int32_t count)
{
    clock->count = count;
    clock->active = count != clock->taken;
}

/* Does an input clock tick that is not the own one? */
static bool has_input_event(struct instance *k)
{
    const struct tutti_model *m = k->model;

    for (size_t i = 0; i < m->n_vars; i++)
        if (m->vars[i].type == TUTTI_CLOCK &&
            m->vars[i].causality == TUTTI_INPUT &&
            clock_of(k, &m->vars[i]) != &k->events->internal &&
            clock_of(k, &m->vars[i])->active)
            return true;
    return false;
}

/* Events are over; in FMI 2 those that were counted are taken. */
static void clear_events(struct instance *k)
{
    const struct tutti_model *m = k->model;

    for (size_t i = 0; i < m->n_vars; i++)
        if (m->vars[i].type == TUTTI_CLOCK) {
            struct tutti_clock *c = clock_of(k, &m->vars[i]);

            c->active = false;
            c->taken = c->count;
        }
    k->events->put_out = false;
}

/* When the state is over that begins now. */
static void plan_event(struct instance *k)
{
    double ta = k->model->ta(model_of(k));
    char text[NUMBER_SIZE];

    if (!(ta >= 0))
        tutti_fail(model_of(k), "its state is to last %s s", number(text, ta));
    k->events->last = k->time;
    k->events->next = k->time + ta;
}

/* The outputs of a state that is over, once. */
static void put_out(struct instance *k)
{
    if (!k->events->internal.active || k->events->put_out)
        return;
    k->events->put_out = true;
    if (k->model->output)
        k->model->output(model_of(k));
}

static enum tutti_after take_both(struct instance *k, double elapsed)
{
    const struct tutti_model *m = k->model;

    if (m->confluent)
        return m->confluent(model_of(k), elapsed);
    m->internal(model_of(k));
    plan_event(k);
    return m->external(model_of(k), 0);
}

/* The transition by what ticks; none if nothing does. */
static void transit(struct instance *k)
{
    const struct tutti_model *m = k->model;
    bool input = has_input_event(k) && m->external;
    double elapsed = k->time - k->events->last;
    enum tutti_after then = TUTTI_GOES_ON;

    put_out(k);
    if (k->events->internal.active && input) {
        then = take_both(k, elapsed);
    } else if (input) {
        then = m->external(model_of(k), elapsed);
    } else if (k->events->internal.active) {
        m->internal(model_of(k));
        then = TUTTI_BEGINS;
    }
    if (then == TUTTI_BEGINS)
        plan_event(k);
    clear_events(k);
    k->dirty = true;
}

/* Is its own event due, where the importer leaves it to the unit? */
static bool is_due(const struct instance *k)
{
    return !k->events->driven && k->events->next <= k->time;
}

static void begin_events(struct instance *k)
{
    plan_event(k);
    clear_events(k);
    k->events->internal.active = k->event_mode && is_due(k);
    k->dirty = true;
}

/* FMI 3: what the update of event mode does. */
static void update_events(struct instance *k, struct tutti_event *e)
{
    transit(k);
    e->next = k->events->next;
    e->next_known = isfinite(e->next);
    e->again = k->events->internal.active = is_due(k);
}

/* Own events up to s->to, at their times; those of one time come to an end. */
static void have_events(struct instance *k, struct tutti_step *s)
{
    double last = k->time;
    int n = 0;

    while (k->events->next <= s->to && k->worst < ST_ERROR) {
        k->time = fmax(k->events->next, k->time);
        n = k->time > last ? 1 : n + 1;
        last = k->time;
        if (n > EVENT_LIMIT)
            tutti_fail(model_of(k), "its events do not come to an end");
        k->events->internal.active = true;
        transit(k);
    }
}

/* In event mode a step ends where the next event is, if it may. */
static void step_to_event(struct instance *k, struct tutti_step *s)
{
    bool early = k->events->next < s->to && k->early_allowed;

    s->reached = early ? fmax(k->events->next, s->from) : s->to;
    s->event = k->events->next <= s->reached;
}

static void step_events(struct instance *k, struct tutti_step *s)
{
    s->reached = s->to;
    k->time = s->from;
    if (k->event_mode) {
        if (!k->events->driven)
            step_to_event(k, s);
        return;
    }
    transit(k);
    if (!k->events->driven)
        have_events(k, s);
}
