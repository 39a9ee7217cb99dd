/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

/* Where a scenario that is a unit of another one meets it: "ports", and the
 * stubs ("external://") of Maestro 1. */

static enum tt_code add_port(struct tt_sc_build *b,
                             const struct tt_sc_port *port)
{
    int added = tt_names_add(&b->port_by_name, port->name, (uint32_t)b->n_port);

    if (added > 0)
        return tt_sc_fail(b, port->where, TT_EINPUT, "there are two ports '%s'",
                          port->name);
    if (added < 0 || TT_GROW(b->port, b->n_port, b->cap_port) != 0)
        return tt_sc_no_memory(b);
    b->port[b->n_port++] = *port;
    b->s->ports_given |= 1u << port->dir;
    return TT_OK;
}

enum tt_code tt_sc_add_port(tt_sc_build *b, enum tt_sc_port_dir dir,
                            struct tt_sc_word name,
                            const struct tt_sc_word *ref, uint32_t n,
                            struct tt_where w)
{
    struct tt_sc_port port = {
        .name = name.text, .dir = dir, .where = name.where};
    enum tt_code rc;

    if (!*name.text)
        return tt_sc_fail(b, name.where, TT_EINPUT,
                          "the name of a port is empty");
    port.n_ref = n;
    rc = tt_sc_mention_all(b, ref, n, TT_SC_BY_CONNECTION, &port.ref);
    if (rc == TT_OK && n == 0)
        rc = tt_sc_fail(b, w, TT_EINPUT, "port '%s' names no variable",
                        name.text);
    if (rc == TT_OK && n > 1 && dir == TT_SC_PORT_OUTPUT)
        rc = tt_sc_fail(b, w, TT_EINPUT,
                        "port '%s' is an output and can only be one variable, "
                        "not %u",
                        name.text, n);
    return rc == TT_OK ? add_port(b, &port) : rc;
}

static enum tt_code read_port(struct tt_sc_build *b, const struct tt_doc *v,
                              enum tt_sc_port_dir dir)
{
    struct tt_sc_word *ref;
    uint32_t n = 0;
    enum tt_code rc = tt_sc_words(b, v, 1, &ref, &n);

    return rc == TT_OK
               ? tt_sc_add_port(b, dir, tt_sc_key_word(v), ref, n, v->where)
               : rc;
}

enum tt_code tt_sc_read_outside(struct tt_sc_build *b, const struct tt_doc *v)
{
    static const char *const field[] = {
        [TT_SC_PORT_INPUT] = "inputs",
        [TT_SC_PORT_OUTPUT] = "outputs",
        [TT_SC_PORT_PARAMETER] = "parameters",
    };
    enum tt_code rc = tt_sc_check_members(b, v, "ports");

    if (rc != TT_OK)
        return rc;
    for (int dir = 0; dir < TT_SC_PORT_N && rc == TT_OK; dir++) {
        const struct tt_doc *list = tt_sc_member(v, field[dir]);

        if (!list)
            continue;
        rc = tt_sc_object(b, list);
        b->s->ports_given |= 1u << dir;
        for (uint32_t i = 0; rc == TT_OK && i < list->n; i++)
            rc = read_port(b, &list->u.child[i], (enum tt_sc_port_dir)dir);
    }
    return rc;
}

/* --- Maestro's stubs ------------------------------------------------------ */

enum tt_code tt_sc_read_external(struct tt_sc_build *b, const struct tt_doc *v)
{
    int on;
    enum tt_code rc = tt_sc_bool(b, v, &on);

    if (rc != TT_OK || !on || b->s->inside)
        return rc;
    return tt_sc_fail(b, v->where, TT_EUNSUPPORTED,
                      "'%s': some of its signals come from outside; run the "
                      "scenario it is a part of",
                      v->key);
}

int tt_sc_is_stub(struct tt_sc_build *b, const struct tt_sc_parts *p)
{
    return b->stub.n &&
           tt_names_find(&b->stub, tt_sc_word(b, p->text, p->n_key)) != TT_NONE;
}

/* A stub's output is an input of the whole, whatever it feeds. */
enum tt_code tt_sc_stub_feeds(struct tt_sc_build *b,
                              const struct tt_sc_parts *p, struct tt_where w,
                              const struct tt_sc_word *to, uint32_t n)
{
    struct tt_sc_port port = {
        .name = p->variable, .dir = TT_SC_PORT_INPUT, .where = w, .n_ref = n};
    enum tt_code rc =
        tt_sc_mention_all(b, to, n, TT_SC_BY_CONNECTION, &port.ref);

    return rc == TT_OK && n ? add_port(b, &port) : rc;
}

/* What feeds a stub is an output of the whole. */
enum tt_code tt_sc_feeds_stub(struct tt_sc_build *b,
                              const struct tt_sc_parts *p, struct tt_where w,
                              const struct tt_sc_ref *from)
{
    struct tt_sc_port port = {
        .name = p->variable, .dir = TT_SC_PORT_OUTPUT, .where = w, .n_ref = 1};

    port.ref = tt_arena_dup(b->s->arena, from, 1, sizeof(*from));
    return port.ref ? add_port(b, &port) : tt_sc_no_memory(b);
}
